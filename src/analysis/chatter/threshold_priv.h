/* SPDX-License-Identifier: MIT */
/* Inside `threshold`: sides of a line at values of one param, and where they
 * change (threshold_search.c); the question and its record (threshold.c). */
#ifndef IMP_ANALYSIS_CHATTER_THRESHOLD_PRIV_H
#define IMP_ANALYSIS_CHATTER_THRESHOLD_PRIV_H

#include "analysis/chatter/chatter_priv.h"

/* sides at one value: of the line, or none */
enum threshold_side {
    SIDE_UNKNOWN = 0,
    SIDE_YES = 1,
    SIDE_NO = -1,
    SIDE_OTHER = 2
};

struct threshold_change {
    double lo, hi; /* the nearest values with a side */
    enum threshold_side below;
};
struct threshold_changes {
    struct threshold_change *v;
    size_t n;
    bool yes, no; /* such sides were seen */
};

struct threshold_search {
    struct analysis *a;
    const imp_command *c;
    const imp_system *s;
    uint32_t system, param;
    double lo, hi, width;
    size_t grid;
    long events;
    enum ballistic_policy policy;
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

/* The side that x is on. SIDE_OTHER: the question has no meaning there;
 * SIDE_UNKNOWN also after a failure, which h->failed keeps, and when h->status
 * ends it all. */
typedef enum threshold_side threshold_side_fn(struct threshold_search *h,
                                              double x);
/* is the dominant eigenvalue of U R real and positive? */
threshold_side_fn threshold_side_by_eigenvalue;
/* three feet: can two chatter alone; all of them in the order 0, 2, 1, 2, ...?
 */
threshold_side_fn threshold_side_pair_of_three, threshold_side_mirrored;
/* do the runs from all starts come to rest, from any, one of them in part? */
threshold_side_fn threshold_side_by_simulation, threshold_side_any_rests,
    threshold_side_partial;

/* the run from start k at x: only begun (false: it cannot be), or followed */
bool threshold_run_start(struct threshold_search *search, double x, long k);
enum chatter_verdict threshold_run_verdict(struct threshold_search *search,
                                           double x, long k);

/* all changes that the grid shows, each bisected to `width`; 0: to neighbouring
 * doubles */
struct threshold_changes threshold_find_changes(struct threshold_search *search,
                                                threshold_side_fn *side,
                                                double width);
double threshold_change_middle(const struct threshold_change *change);
/* the one nearest to another, or the first; NULL: there is none */
const struct threshold_change *
threshold_nearest_change(const struct threshold_changes *changes,
                         const struct threshold_change *to);

#endif
