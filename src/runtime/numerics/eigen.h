/* SPDX-License-Identifier: MIT */
/* Eigenvalues and eigenvectors of a small real matrix that need not be
 * symmetric, and the condition of Elsner and Vandergraft on them. The matrices
 * are maps from impact to impact, whose size is the rank of the contacts. The
 * code stands here and not in a library, so that simulators need no other
 * library. */
#ifndef IMP_RUNTIME_NUMERICS_EIGEN_H
#define IMP_RUNTIME_NUMERICS_EIGEN_H

#include <stdbool.h>

struct arena;

/* Eigenvalues in falling modulus; of a conjugate pair the one with positive
 * imaginary part first. */
struct eigen {
    int n;
    double *re, *im;
    double *x, *y; /* n x n: row i is the eigenvector x + i y of eigenvalue i,
                      of length 1, with its greatest entry real and positive. If
                      an eigenvalue has several vectors, they are orthogonal to
                      each other; if it has fewer than its multiplicity, the
                      first one stands again */
    double *error; /* of each eigenvalue: a bound by its condition, if the
                      entries of the matrix are known to rounding */
};

/* Eigenvalues and eigenvectors of a (n x n, row-major, kept), in memory of the
 * arena. Returns 0, or 1 if an entry is not finite or the iteration does not
 * converge. */
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
    bool tied; /* eigenvalues are equal in modulus, or equal, only within their
                  errors: `cone` holds if they are exactly equal */
};
struct eigen_cone eigen_cone(const struct eigen *eigen);

#endif
