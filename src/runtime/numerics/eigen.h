/* SPDX-License-Identifier: MIT */
/* Eigenvalues and eigenvectors of a small real matrix that need not be
 * symmetric (maps from impact to impact: rank of the contacts), and the
 * Elsner-Vandergraft condition on them. In runtime/, so that simulators need no
 * other library. */
#ifndef IMP_RUNTIME_NUMERICS_EIGEN_H
#define IMP_RUNTIME_NUMERICS_EIGEN_H

#include <stdbool.h>

struct arena;

/* Eigenvalues in falling modulus; of a conjugate pair the one with positive
 * imaginary part first. */
struct eigen {
    int n;
    double *re, *im;
    double *x, *y; /* n x n: row i is the eigenvector of eigenvalue i, length 1,
                      its greatest entry real and positive: x + i y. An
                      eigenvalue with several has them orthogonal to one
                      another; one with less than its multiplicity has the same
                      one again */
    double *error; /* of each eigenvalue: a bound by its condition, if the
                      entries of the matrix are known to rounding */
};

/* 0, or 1: an entry is not finite (or the iteration does not converge). a: n
 * x n, row-major, is kept. Memory: the arena. */
int eigen_solve(struct arena *arena, int n, const double *a,
                struct eigen *eigen);

enum eigen_dominant {
    EIGEN_ZERO, /* all eigenvalues are 0 */
    EIGEN_POSITIVE,
    EIGEN_NEGATIVE,
    EIGEN_COMPLEX
};
struct eigen_cone {
    enum eigen_dominant dominant; /* the first of those of greatest modulus,
                                     a real positive one if there is one */
    bool cone; /* an invariant proper cone exists (Elsner-Vandergraft) */
    bool tied; /* eigenvalues that are dominant, or one, within their error
                  only: `cone` holds for exactly equal ones */
};
struct eigen_cone eigen_cone(const struct eigen *eigen);

#endif
