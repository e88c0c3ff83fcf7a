/* SPDX-License-Identifier: MIT */
/* Linear complementarity: w = G z + q >= 0, z >= 0, z.w = 0 for a symmetric
 * positive semidefinite G. */
#ifndef IMP_RUNTIME_NUMERICS_LCP_H
#define IMP_RUNTIME_NUMERICS_LCP_H

#include <stddef.h>

/* Lemke's method (Lemke 1965; Cottle, Pang & Stone 1992, 4.4) with the
 * lexicographic rule, which cannot cycle. G row-major n x n. The set of
 * contacts with z > 0 comes from it; the numbers are computed again from G.
 * Where z is not unique (G singular; G z is unique always) the least z is
 * taken if it is not negative. room: lcp_room(n) doubles.
 * Returns 0; 1: no solution exists (the contacts jam); 2: not unique z;
 * 3: too many pivots. */
int lcp_solve(int n, const double *G, const double *q, double *z, double *room);
size_t lcp_room(int n);
/* One solution for a matrix that need be neither symmetric nor semidefinite
 * (friction), by Lemke's method alone, not polished. Returns 0; 1: the method
 * ended on a ray, which says nothing; 3: too many pivots. */
int lcp_lemke(int n, const double *M, const double *q, double *z, double *room);

#endif
