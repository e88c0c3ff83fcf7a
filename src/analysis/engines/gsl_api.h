/* SPDX-License-Identifier: MIT */
/* What libimpgsl.so (src/gsl) offers: motion by GSL's Runge-Kutta steps, and
 * the first event on the way. That library is the only part that knows GSL. It
 * is loaded when the first run asks for it. It knows no bodies and no contacts:
 * whoever asks gives the right-hand side, and functions to be watched. */
#ifndef IMP_ANALYSIS_ENGINES_GSL_API_H
#define IMP_ANALYSIS_ENGINES_GSL_API_H

#include <stdbool.h>
#include <stddef.h>

#define GSL_API_VERSION 1
#define GSL_ENTRY "imp_gsl_api"

/* One number of the state. */
struct gsl_number {
    int group;    /* numbers of one group (a vector) share one size */
    double least; /* the size of the group is never below this */
    double turn;  /* the greatest change within one step; may be INFINITY */
};
/* One function of the state that is watched: an event is where it falls below
 * zero, or comes down to zero and rises again. */
struct gsl_watch {
    double closed; /* values up to this size are zero to rounding */
    double touch;  /* a least value up to this size is a touch; >= closed */
    bool above;    /* the value has been above `touch` since the last event; the
                      library keeps it */
};
/* A motion. All functions return 0, or a status that ends the motion. */
struct gsl_motion {
    void *ctx;
    size_t n; /* numbers of the state */
    const struct gsl_number *number;
    double tolerance; /* of the error of one step, as a share of sizes */
    double longest;   /* step, s */
    double first;     /* the first step (s) is no longer; 0: not known */
    int (*rates)(void *ctx, double t, const double *y, double *rate);
    /* after a step: moves y onto what constraints allow */
    int (*place)(void *ctx, double t, double *y);
    /* the watched functions and their rates in time; a rate may be NaN: not
     * known */
    int (*look)(void *ctx, double t, const double *y, double *value,
                double *rate);
    size_t n_watch;
    struct gsl_watch *watch;
};
enum gsl_found {
    GSL_NOTHING, /* the end of the time that was asked for */
    GSL_FALLS,   /* a watched function falls below zero */
    GSL_TOUCHES, /* it comes down to zero and rises again */
    GSL_STUCK    /* no step is short enough for the tolerance */
};
struct gsl_event {
    enum gsl_found found;
    size_t watch; /* its number */
};
struct gsl_engine;
struct gsl_api {
    int version;
    const char *gsl; /* the version of GSL */
    /* memory for motions of n numbers with up to n_watch functions; NULL: there
     * is none left */
    struct gsl_engine *(*open)(size_t n, size_t n_watch);
    void (*close)(struct gsl_engine *engine);
    /* Follows the motion from *t, where the state is y, to `until` or to the
     * first event before it. Afterwards *t and y are there. Returns 0, or the
     * status of a function of the motion. */
    int (*follow)(struct gsl_engine *engine, const struct gsl_motion *motion,
                  double *t, double *y, double until, struct gsl_event *event);
};
typedef const struct gsl_api *(*gsl_entry_fn)(void);

#endif
