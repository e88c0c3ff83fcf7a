/* SPDX-License-Identifier: MIT */
/* Self-similar motions of contacts with a cyclic symmetry (chatter.md 3.3,
 * 3.4): impacts at contacts 0, k, 2k, ... of the symmetry's order, every flight
 * the one before, turned by R^k and smaller. Just before impact i
 *     p_i = bp^i R^ki p_0,  q_i = bq^i R^ki q_0,  flight bt^i tau,  bq = bp bt.
 * All is in the space of symmetry.h, where the kinetic metric is 1 and the gap
 * of contact j over sqrt(W_jj) is F_j.q. Without acceleration bp and bq are two
 * positive eigenvalues of R^-k U_0; with it bp = bt = sqrt(bq) is a root of one
 * polynomial, all of whose roots in (0, 1) are isolated
 * (runtime/numerics/polynomial.h). */
#ifndef IMP_RUNTIME_RETURNMAP_SELF_SIMILAR_H
#define IMP_RUNTIME_RETURNMAP_SELF_SIMILAR_H

#include "runtime/returnmap/symmetry.h"

/* with acceleration the polynomial has degree 3 rank - 2 <= POLYNOMIAL_MAX */
#define SELF_SIMILAR_RANK 8

enum self_similar_kind {
    SELF_SIMILAR_FREE,    /* no acceleration */
    SELF_SIMILAR_FALLING, /* the same one in every flight */
    SELF_SIMILAR_SLIDING /* no restitution: the contact hit last stays closed */
};

enum self_similar_verdict {
    SELF_SIMILAR_FEASIBLE,
    SELF_SIMILAR_RECEDES, /* the contact that should be hit does not approach */
    SELF_SIMILAR_BELOW,   /* a gap is negative at the first impact */
    SELF_SIMILAR_DIPS,    /* a gap becomes negative in flight */
    SELF_SIMILAR_BACK,    /* of a given order: a flight would go back in time */
    SELF_SIMILAR_UNBOUNDED /* the state is not finite: resonance */
};

struct self_similar_motion {
    double bp, bq, bt;
    double error;    /* of bp, relative: a bound of first order */
    double *q, *p;   /* rank: before the first impact, for a first flight of 1;
                        without acceleration p_0 has F_0.p_0 = -1 */
    double period;   /* time of the order, 1 where it is one impact */
    double exponent; /* c of E ~ (t_end - t)^c */
    double energy;   /* before the first impact, same units */
    enum self_similar_verdict verdict;
    double margin; /* least gap over the length of q, the one hit excepted;
                      0 with one contact */
    int worst;     /* its place in the order; -1: none */
    /* eigenvalues of the map from impact to impact beside those of scaling, in
     * falling modulus */
    int n_multiplier;
    double *multiplier, *multiplier_im;
};

struct self_similar {
    enum self_similar_kind kind;
    int step, n, feasible;
    struct self_similar_motion *v; /* feasible ones first, then falling bp */
    bool tied; /* eigenvalues that cannot be told from equal or real ones were
                  left out */
};

/* Finds the motions. acc: the acceleration of every gap over sqrt(W_jj).
 * Returns 0, or 1 where eigenvalues do not converge. rank <= SELF_SIMILAR_RANK
 * if acc != 0. Memory comes from the arena. */
int self_similar_find(struct arena *arena, const struct symmetry *symmetry,
                      int step, double acc, struct self_similar *out);

/* Motions of a given order of `length` impacts that repeats, without
 * acceleration and without a symmetry (self_similar_order.c). C: m x m cosines
 * of the contacts, of the given rank; m restitutions. q and p have m entries,
 * gaps and rates over sqrt(W_ii), ratios are of a whole period. 0, or 1 as
 * above. */
int self_similar_order(struct arena *arena, int contacts, int rank,
                       const double *C, const double *restitution,
                       const int *order, int length, struct self_similar *out);
/* Puts the feasible ones first. */
void self_similar_sort(struct self_similar *motions);

#endif
