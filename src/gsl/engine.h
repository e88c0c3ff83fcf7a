/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside libimpgsl.so. Calls go down this list of files:
 *   entry.c   the one exported function
 *   follow.c  from step to step
 *   look.c    the first event within one step
 *   step.c    one Runge-Kutta step, and its error */
#ifndef IMP_GSL_ENGINE_H
#define IMP_GSL_ENGINE_H

#include <gsl/gsl_odeiv2.h>

#include "analysis/engines/gsl_api.h"

/* halvings of a piece of a step until it is taken as it is */
#define LOOK_DEPTH 10

/* The watched functions at one time of a step. */
struct node {
    double s; /* s, from the beginning of the step */
    double *value, *rate;
};
/* The step that is being made: from y0 at t0 to y1 at t0 + h. */
struct step {
    double t0, h;
    double *y0, *f0, *y1, *f1, *error;
};
struct gsl_engine {
    size_t n, n_watch;
    const struct gsl_motion *motion;
    gsl_odeiv2_step *rk;
    gsl_odeiv2_system system;
    struct step step;
    double *size;  /* n: the greatest value of each number's group so far */
    double *y;     /* n: the state within a step */
    double length; /* s, of the next step; 0: not known */
    int status;    /* of the last function of the motion that failed */
    struct node node[LOOK_DEPTH + 4];
    bool *above, *above_before; /* n_watch, see gsl_watch */
    double *numbers;            /* the memory of all arrays */
};

/* -- step.c: both return 0, or a status ------------------------------------ */

/* The state at the time s (s) after the beginning of the step, into y, by one
 * Runge-Kutta step from there; *error may be NULL. */
int step_to(struct gsl_engine *engine, double s, double *y, double *rate,
            double *error);
/* the error of the step as a share of what the tolerance allows */
double step_error(const struct gsl_engine *engine);
/* Takes the values of this state into the sizes of the groups. */
void step_sizes(struct gsl_engine *engine, const double *y);

/* -- look.c ---------------------------------------------------------------- */

/* Looks for the first event within the step. *elapsed: the time of the event
 * from the beginning of the step. Returns 0, or a status. */
int look_along(struct gsl_engine *engine, struct gsl_event *event,
               double *elapsed);

/* -- follow.c -------------------------------------------------------------- */

/* Moves y from *t to `until`, or to the first event before that, step by step.
 * A status. */
int follow(struct gsl_engine *engine, const struct gsl_motion *motion,
           double *t, double *y, double until, struct gsl_event *event);

#endif
