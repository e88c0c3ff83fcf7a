/* SPDX-License-Identifier: MIT */
/* The symmetry of contacts, and the maps from impact to impact that it leaves
 * (chatter.md 2.2, 2.4, 2.6, 2.7).
 *
 * All is read off W = N M^-1 N^T: the cosines W_ij/sqrt(W_ii W_jj) of the
 * contacts in the kinetic metric do not depend on coordinates, units or signs
 * of these, and an order of the contacts in which they depend on the distance
 * j - i alone (mod m) is a symmetry R, R^T M R = M, N_{i+1} = N_i R^-1 up to
 * scale. Modes of such a matrix are cosines and sines, so the contacts are unit
 * vectors F_0 .. F_{m-1}, F_{j+1} = R F_j, in as many dimensions as W has rank,
 * an impact at 0 is U_0 = 1 - (1 + e) F_0 F_0^T, and from impact to impact the
 * velocities change by U_0 R^k: relabelled, every impact is one at contact 0.
 * Feet of a regular polygon with radius of gyration rho (in circumradii) have
 * cosines (cos(2 pi k/m) + rho^2)/(1 + rho^2); a rod has m = 2. */
#ifndef IMP_RUNTIME_RETURNMAP_SYMMETRY_H
#define IMP_RUNTIME_RETURNMAP_SYMMETRY_H

#include "runtime/numerics/eigen.h"

struct arena;

enum symmetry_found {
    SYMMETRY_YES,
    SYMMETRY_EMPTY,       /* no contacts */
    SYMMETRY_SINGLE,      /* there is only one contact */
    SYMMETRY_RESTITUTION, /* contacts `first` and `second` have different
                           * restitutions */
    SYMMETRY_NONE,        /* no order is cyclic */
    SYMMETRY_GAVE_UP      /* too many orders to try */
};

struct symmetry {
    int m, rank;
    enum symmetry_found found;
    int first, second; /* contacts, SYMMETRY_RESTITUTION */
    double e;
    int *order;       /* m: contacts, neighbours side by side */
    double *cosine;   /* m: of contacts k apart */
    double deviation; /* of the cosines from these */
    double *F;        /* m x rank, in that order */
    double *R;        /* rank x rank */
    double *mode;     /* rank: F^T F is diagonal, its entries */
    bool polygon;     /* a rod, or feet of a regular polygon */
    double rho;
};

/* Finds the symmetry of m contacts from W (m x m) and the restitutions (m), in
 * memory of the arena. */
void symmetry_find(struct arena *arena, int contacts, const double *W,
                   const double *restitution, struct symmetry *symmetry);
/* Makes R^steps, rank x rank; steps may be negative. */
void symmetry_turn(const struct symmetry *symmetry, int steps, double *turn);
/* Makes U_0 R^k, rank x rank. */
void symmetry_map(const struct symmetry *symmetry, int k, double *map);

/* -- a rod, or a regular polygon of m feet, without acceleration ------------
 */

/* The restitution below which chatter can be complete or partial; 0: it never
 * can. Closed forms for m = 2 and 3, otherwise from the double root of the
 * characteristic polynomial. */
double symmetry_critical_restitution(int contacts, double rho);
/* The restitution below which two neighbouring feet can chatter while the body
 * moves on; 0: they never can (only m = 3 with rho^2 < 1/2). */
double symmetry_partial_restitution(int contacts, double rho);
/* The restitution below which three feet can come to rest in the order 0, 2, 1,
 * 2, ...; 0: they never can. Numbered anew by the mirror that exchanges
 * contacts 0 and 1, two impacts are one map P U_2 U_0; at this restitution its
 * positive eigenvalues meet. It is greater than
 * symmetry_critical_restitution(3, rho), which is for neighbours in turn. */
double symmetry_mirrored(double rho);
/* Returns, by Theorem 3, the greatest |omega/v| of a rod (half-length 1) that
 * comes to rest, v < 0; 0: none does. */
double symmetry_rod_limit(double rho, double e);

#endif
