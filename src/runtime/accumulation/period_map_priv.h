/* SPDX-License-Identifier: MIT */
/* Between period_map.c, the map of a period and its fixed point,
 * period_map_step.c, which follows a period, and period_map_linear.c, both
 * where nothing accelerates.
 */
#ifndef IMP_RUNTIME_ACCUMULATION_PERIOD_MAP_PRIV_H
#define IMP_RUNTIME_ACCUMULATION_PERIOD_MAP_PRIV_H

#include "runtime/accumulation/accumulation_priv.h"

/* a fixed point is one within this distance, of 1; where the map is linear in
 * the rates, and it is seen to be one, within this */
#define MAP_NEAR 0.1
#define MAP_FAR 0.5
/* ranks of groups that period_map_linear.c takes */
#define MAP_LINEAR_RANK 3

struct period_map {
    struct ballistic
        *s;          /* the copy that goes on, without its past if `still` */
    int r, n;        /* of y; 2 times the rank of the group's W */
    int *b;          /* n/2: independent contacts of the group */
    double *dy, *dz; /* r x n: tangents, by coordinate */
    double *one;     /* r: one of them */
    double *dt;      /* n: of the time */
    double tau;
    double *x,
        *x1;   /* n: gaps, then rates of b before and after, metric units */
    double *M; /* n x n: d x1/d x, column by column */
    /* the same by blocks, in rows of four, of a map without accelerations:
     * gaps by gaps, by rates, rates by rates; and of the time */
    double gg[MAP_LINEAR_RANK][4], gu[MAP_LINEAR_RANK][4],
        uu[MAP_LINEAR_RANK][4], tg[4], tu[4];
    double *D, *P, *Q;
    double *t, *v, *c; /* n: tangents of the scales; n + 2 */
    double *A;         /* (n + 2) x SMALL_LD(n + 2) */
    bool *sel, *hit;   /* m */
    bool *group;       /* m: whose tangents, and of which matrices */
    unsigned long version;
    double *sy, *sz;   /* r x n: the tangents to begin with */
    int ex, ev;        /* base units */
    bool heavy, light; /* accelerations count; they do no longer */
    bool still;        /* none at all, and */
    const struct period_map_linear *in_blocks;
    double distance;
};

/* of one period */
struct reading {
    double a, b, G, U; /* scales of gaps and rates in a period at the fixed
                          point; units of k->c, which leads to it */
    double T;          /* what remains from before this period */
    double ratio;      /* of the times, at the fixed point */
    double speed;      /* of the rates */
    double distance;   /* from the fixed point */
    double kappa;      /* greatest of the other eigenvalues */
};

/* period_map_step.c: of this group; k->r is known */
void period_map_seeds(const struct ballistic *l, struct period_map *k,
                      const bool *group);
/* The last `period` entries of the history of l, once more on the copy, with
 * the derivative. False: the next period is another. */
bool period_map_follow(const struct ballistic *l, struct period_map *k,
                       int period);
/* gaps and rates of the independent contacts in base units, in the metric */
void period_map_coordinates(const struct period_map *k, double *x);
/* Where nothing accelerates, and the group's rank is MAP_LINEAR_RANK at most */
struct period_map_linear {
    /* as period_map_follow, each entry an impact of one contact */
    bool (*follow)(const struct ballistic *l, struct period_map *k, int period);
    /* what period_map.c's read_map says of it */
    bool (*read)(struct period_map *k, struct reading *out);
    /* period_map_order, where it can tell */
    int (*order)(const struct ballistic *l, const struct period_map *k,
                 int period, struct fixed_point *out);
};
const struct period_map_linear *
period_map_linear(void); /* for this processor */
extern const struct period_map_linear
    period_map_linear_avx2; /* HAVE_AVX2_FILES */

#endif
