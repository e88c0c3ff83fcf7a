/* SPDX-License-Identifier: MIT */
/* What the files of the period map share: period_map.c finds its fixed point,
 * period_map_step.c follows a period, period_map_linear.c does both where
 * nothing accelerates. */
#ifndef IMP_RUNTIME_ACCUMULATION_PERIOD_MAP_PRIV_H
#define IMP_RUNTIME_ACCUMULATION_PERIOD_MAP_PRIV_H

#include "runtime/accumulation/accumulation_priv.h"

/* A fixed point counts as near within this distance, relative to the state; and
 * within the second one where the map is linear in the rates and the order is
 * seen to repeat at the fixed point. */
#define MAP_NEAR 0.1
#define MAP_FAR 0.5
/* the greatest rank of a group for period_map_linear.c */
#define MAP_LINEAR_RANK 3

/* The period that was followed last: gaps, then rates of the basis before and
 * after it, in the metric of the masses, and its derivative. */
struct period_followed {
    double *before, *after; /* n */
    double *derivative;     /* n x n: of `after` by `before` */
    double tau;             /* the time of the period */
    double *dt;             /* n: its derivative */
};
/* The derivatives of period_followed in blocks, in rows of four, where nothing
 * accelerates: gaps by gaps, gaps by rates, rates by rates; and of the time. */
struct period_blocks {
    double gg[MAP_LINEAR_RANK][4], gu[MAP_LINEAR_RANK][4],
        uu[MAP_LINEAR_RANK][4], tg[4], tu[4];
};
/* Tangents of y and z while a period is followed, rank x n each. */
struct period_tangents {
    double *y, *z;
    double *one; /* rank: one of them */
};
/* The tangents at the beginning. They are kept while group and matrices are the
 * same. */
struct period_seeds {
    bool *group;           /* m: the group whose tangents they are */
    unsigned long version; /* of the matrices */
    double *y, *z;         /* rank x n */
};
/* The map scaled back, whose fixed point is the limit. */
struct period_scaled {
    double *D, *P, *Q; /* n x n: its derivative; powers of it */
    double *t;         /* n: directions in which the state is scaled */
    double distance;   /* from the fixed point */
};
/* Which forces the map counts. */
struct period_regime {
    bool accelerated;   /* accelerations count */
    bool almost_free;   /* they do no longer */
    bool unaccelerated; /* there are none, and the map is linear in the rates:
                           period_map.linear has its functions */
};
struct period_scratch {
    double *v, *c;        /* n; n + 2: vectors and solutions */
    double *equations;    /* (n + 2) x SMALL_LD(n + 2) */
    bool *selected, *hit; /* m */
};

/* The map of one period of an accumulation, and its derivative: made once for
 * a motion, in the memory of the motion. */
struct period_map {
    struct ballistic *copy; /* goes on by itself; without its history when
                               `unaccelerated` */
    int rank, n;            /* of y; 2 times the rank of the group's W */
    int *basis;             /* n/2: independent contacts of the group */
    int length_exponent, rate_exponent; /* units of everything here */
    struct period_followed followed;
    struct period_blocks block;
    struct period_tangents tangent;
    struct period_seeds seed;
    struct period_scaled scaled;
    struct period_regime regime;
    struct period_scratch scratch;
    const struct period_map_linear *linear;
};

/* what the map of one period says */
struct reading {
    double gap_ratio, rate_ratio; /* from period to period, at the fixed point
                                   */
    double gap_unit, rate_unit;   /* units of period_map.c, which leads to it */
    double remaining;   /* time from before this period to the limit */
    double ratio;       /* of the times, at the fixed point */
    double speed;       /* of the rates */
    double distance;    /* from the fixed point */
    double contraction; /* greatest modulus of the other eigenvalues */
};

/* Makes the tangents of this group; map->rank is known (period_map_step.c). */
void period_map_seeds(const struct ballistic *motion, struct period_map *map,
                      const bool *group);
/* Follows the last `period` entries of the motion's history once more on the
 * copy, with the derivative. False: the next period is another one. */
bool period_map_follow(const struct ballistic *motion, struct period_map *map,
                       int period);
/* Gives gaps and rates of the basis in the map's units and the metric of the
 * masses. */
void period_map_coordinates(const struct period_map *map, double *x);
/* the period map where nothing accelerates and the group's rank is at most
 * MAP_LINEAR_RANK */
struct period_map_linear {
    /* as period_map_follow, where each entry is an impact of one contact */
    bool (*follow)(const struct ballistic *l, struct period_map *k, int period);
    /* what the period says (struct reading); false: no fixed point near */
    bool (*read)(struct period_map *k, struct reading *out);
    /* as period_map_order, for these ranks */
    int (*order)(const struct ballistic *l, const struct period_map *k,
                 int period, struct fixed_point *out);
};
const struct period_map_linear *
period_map_linear(void); /* for this processor */
extern const struct period_map_linear
    period_map_linear_avx2; /* HAVE_AVX2_FILES */

#endif
