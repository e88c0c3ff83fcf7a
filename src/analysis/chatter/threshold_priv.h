/* SPDX-License-Identifier: MIT */
/* Inside `threshold`: sides of a line at values of one param, and where they
 * change (threshold_search.c); the question and its record (threshold.c). */
#ifndef IMP_ANALYSIS_CHATTER_THRESHOLD_PRIV_H
#define IMP_ANALYSIS_CHATTER_THRESHOLD_PRIV_H

#include "analysis/chatter/chatter_priv.h"

/* sides at one value: of the line, or none */
enum side { UNKNOWN = 0, YES = 1, NO = -1, OTHER = 2 };

struct change {
    double lo, hi; /* the nearest values with a side */
    enum side below;
};
struct changes {
    struct change *v;
    size_t n;
    bool yes, no; /* such sides were seen */
};

struct hunt {
    struct analysis *a;
    const imp_command *c;
    const imp_system *s;
    uint32_t system, param;
    double lo, hi, width;
    size_t grid;
    long events;
    enum line_policy policy;
    /* a run of its own */
    struct rt *rt;
    struct arena *arena;
    struct diags ds;
    struct analysis an;
    double *params;
    long starts, worst; /* worst: the one that did not rest last */
    /* what was seen on the way */
    long runs, inconclusive, impacts;
    bool flat, accelerates, symmetric;
    const char *no_symmetry; /* why there was none, the first time */
    int polygon;             /* feet of the polygon it is equivalent to */
    const char *failed;      /* why a value could not be asked for */
    double failed_at;
    int status; /* IMP_STOPPED, or IMP_OK */
};

/* The side that x is on. OTHER: the question has no meaning there; UNKNOWN also
 * after a failure, which h->failed keeps, and when h->status ends it all. */
typedef enum side hunt_side(struct hunt *h, double x);
/* is the dominant eigenvalue of U R real and positive? */
hunt_side hunt_eigenvalue;
/* three feet: can two chatter alone; all of them in the order 0, 2, 1, 2, ...?
 */
hunt_side hunt_pair, hunt_mirrored;
/* do the runs from all starts come to rest, from any, one of them in part? */
hunt_side hunt_simulation, hunt_any_rests, hunt_partial;

/* the run from start k at x: only begun (false: it cannot be), or followed */
bool hunt_start(struct hunt *h, double x, long k);
enum chatter_verdict hunt_follow(struct hunt *h, double x, long k);

/* all changes that the grid shows, each bisected to `width`; 0: to neighbouring
 * doubles */
struct changes hunt_find(struct hunt *h, hunt_side *side, double width);
double hunt_middle(const struct change *c);
/* the one nearest to another, or the first; NULL: there is none */
const struct change *hunt_nearest(const struct changes *c,
                                  const struct change *to);

#endif
