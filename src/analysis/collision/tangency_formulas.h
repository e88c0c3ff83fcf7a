/* SPDX-License-Identifier: MIT */
/* Coefficients of a touch of two smooth bodies by the formulas of
 * Palffy-Muhoray et al. 2018, corrected, with the third order added
 * (tangential.md 0.B, 0.C). Plain numbers in, plain numbers out: no series and
 * no tapes. The series of the gap (runtime/gap) leads to the same numbers in
 * another way and shares nothing with this file. */
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

/* The coefficients. P is the contact point of body 1, Q that of body 2. A name
 * that ends in _size is the sum of the absolute values of the terms, in the
 * unit of the coefficient; tolerances are shares of it. */
struct tangency {
    int nt;                    /* tangent directions: 1 plane, 2 space */
    double n[3], t1[3], t2[3]; /* n = n1; t1 = n x z, t2 = n x t1 */
    double V[3];               /* v_Q - v_P, m/s */
    double v;                  /* normal velocity n.V */
    double v_size;             /* of relative speeds: the same for an observer
                                  who moves */
    double v_abs;              /* of all speeds, and of what the rounding of the
                                  contact point makes of turns: v is rounded as
                                  they are */
    double K1[4], K2[4], S[4]; /* tangent blocks, row-major; S = K1 + K2, 1/m */
    double kappa1[2], kappa2[2]; /* principal curvatures, larger first */
    bool definite;               /* S is positive definite */
    double condition;            /* of S */
    double b_P[2], b_Q[2];       /* slopes b, in (t1, t2) */
    double a_P, a_Q;             /* second order at the contact points, m/s^2 */
    double max_P, max_Q;         /* b.S^-1.b */
    double D_P, D_Q;             /* discriminant, as seen from either body */
    double D, D_size;            /* their mean */
    double j_P, j_Q;             /* third order along F = G/|grad G(contact)| */
    double jerk_P, jerk_Q;       /* j*: of the true gap, m/s^3 */
    double jerk, j_size;         /* their mean */
};

/* Computes all coefficients. planar: there is one tangent. False when a
 * gradient vanishes. tangency->definite says whether S could be inverted; where
 * it could not, what needs S^-1 is 0. */
bool tangency_compute(const struct tangency_body *one,
                      const struct tangency_body *two, bool planar,
                      struct tangency *tangency);

#endif
