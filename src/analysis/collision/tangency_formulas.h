/* SPDX-License-Identifier: MIT */
/* Coefficients of a touch of two smooth bodies by the formulas of
 * Palffy-Muhoray et al. 2018 (corrected; third order added). Plain arrays in,
 * plain numbers out: no series, no tapes. The other way to the same numbers is
 * the jet of the gap (taylor.c), which shares nothing with this file. */
#ifndef IMP_ANALYSIS_COLLISION_TANGENCY_FORMULAS_H
#define IMP_ANALYSIS_COLLISION_TANGENCY_FORMULAS_H

#include <stdbool.h>

/* one body at the touch; world axes, planar bodies padded with zeros */
struct tangency_body {
    double point[3];                    /* contact point */
    double centre[3];                   /* mass centre */
    double vel[3], acc[3], jerk[3];     /* of the mass centre */
    double spin[3], spin1[3], spin2[3]; /* and its derivatives */
    double rot[9];                      /* shape axes -> world, row-major */
    /* of the level set at the contact point, shape axes */
    double grad[3], hess[9];
    double third[10]; /* xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz */
};

/* size of terms: the sum of their absolute values, for tolerances */
struct tangency {
    int nt;                      /* tangent directions: 1 plane, 2 space */
    double n[3], t1[3], t2[3];   /* n = n1; t1 = n x z, t2 = n x t1 */
    double V[3];                 /* v_Q - v_P */
    double v, v_size;            /* v_size: relative speeds, so that a boost of
                                    both bodies changes nothing */
    double v_abs;                /* all speeds: v rounds as they do */
    double K1[4], K2[4], S[4];   /* tangent blocks, row-major; S = K1 + K2 */
    double kappa1[2], kappa2[2]; /* principal curvatures, larger first */
    bool definite;               /* S is positive definite */
    double condition;            /* of S */
    double b_P[2], b_Q[2];       /* in (t1, t2) */
    double a_P, a_Q, max_P, max_Q;
    double D_P, D_Q, D, D_size; /* D: mean of both sides */
    double j_P, j_Q;            /* third order along F = G/|grad G(contact)| */
    double jerk_P, jerk_Q, jerk, j_size; /* j*, of the true gap */
};

/* Fills t. False when a gradient vanishes; t->definite says whether S could be
 * inverted (when it could not, what needs S^-1 is 0). planar: one tangent. */
bool tangency_compute(const struct tangency_body *one,
                      const struct tangency_body *two, bool planar,
                      struct tangency *t);

#endif
