/* SPDX-License-Identifier: MIT */
/* The search of a threshold. Every criterion (an eigenvalue, a run) puts each
 * value of the param on one of two sides: the system comes to rest there, or it
 * does not. The search finds where the side changes. */
#ifndef IMP_ANALYSIS_CHATTER_THRESHOLD_PRIV_H
#define IMP_ANALYSIS_CHATTER_THRESHOLD_PRIV_H

#include "analysis/chatter/chatter_priv.h"

/* the side of one value; UNKNOWN: no verdict; OTHER: the criterion does not
 * apply */
enum threshold_side {
    SIDE_UNKNOWN = 0,
    SIDE_YES = 1,
    SIDE_NO = -1,
    SIDE_OTHER = 2
};

struct threshold_change {
    double lo, hi; /* the nearest values on both sides that have one */
    enum threshold_side below;
};
struct threshold_changes {
    struct threshold_change *v;
    size_t n;
    bool yes, no; /* values on these sides were seen */
};

/* What is asked for. */
struct threshold_question {
    struct analysis *analysis;
    const imp_command *command;
    const imp_system *system;
    uint32_t system_id, param;
    double lo, hi, width;
    size_t grid;
    long events;
    enum ballistic_policy policy;
};
/* The run that values are asked for in. */
struct threshold_trial {
    struct rt *run;
    struct arena *arena;
    struct diags ds;
    struct analysis inner;
    double *params;
    long starts, worst; /* starts per value; the start that last did not come to
                         * rest */
};
/* What was seen in the search. */
struct threshold_seen {
    long runs, inconclusive, impacts;
    bool flat, accelerates, symmetric;
    const char *no_symmetry; /* the first reason why there was no symmetry */
    int polygon;             /* feet of the regular polygon that the system is
                              * equivalent to, or 0 */
};
/* Why the search ended early. */
struct threshold_failure {
    const char *why; /* why a value could not be asked for, or NULL */
    double at;       /* that value */
    int status;      /* IMP_STOPPED, or IMP_OK */
};
struct threshold_search {
    struct threshold_question ask;
    struct threshold_trial trial;
    struct threshold_seen seen;
    struct threshold_failure failure;
};

/* A criterion: the side of the value x. After a failure, which search->failure
 * keeps, and after a stop the side is SIDE_UNKNOWN. */
typedef enum threshold_side threshold_side_fn(struct threshold_search *h,
                                              double x);
/* Conjecture 1 (iii): is the dominant eigenvalue of U R real and positive? */
threshold_side_fn threshold_side_by_eigenvalue;
/* for three feet: can two of them chatter alone (Lemma 4)? can all of them in
 * the order 0, 2, 1, 2, ...? */
threshold_side_fn threshold_side_pair_of_three, threshold_side_mirrored;
/* Do the runs from all starts come to rest? From any start? Is one of those
 * that do partial? */
threshold_side_fn threshold_side_by_simulation, threshold_side_any_rests,
    threshold_side_partial;

/* Begins the run from start k at the value x; false: it cannot be begun. Or
 * follows it to its verdict. */
bool threshold_run_start(struct threshold_search *search, double x, long k);
enum chatter_verdict threshold_run_verdict(struct threshold_search *search,
                                           double x, long k);

/* All changes of side that the grid shows, each bisected until it is at most
 * `width` wide (0: down to neighbouring doubles); in the memory of the run. */
struct threshold_changes threshold_find_changes(struct threshold_search *search,
                                                threshold_side_fn *side,
                                                double width);
double threshold_change_middle(const struct threshold_change *change);
/* Returns the change nearest to `to`, or the first one when `to` is NULL; NULL:
 * there is none. */
const struct threshold_change *
threshold_nearest_change(const struct threshold_changes *changes,
                         const struct threshold_change *to);

#endif
