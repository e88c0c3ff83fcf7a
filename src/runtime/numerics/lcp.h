/* SPDX-License-Identifier: MIT */
/* Linear complementarity: w = G z + q >= 0, z >= 0, z.w = 0 for a symmetric
 * positive semidefinite G. */
#ifndef IMP_RUNTIME_NUMERICS_LCP_H
#define IMP_RUNTIME_NUMERICS_LCP_H

#include <stddef.h>

struct arena;

/* Sets of rows are exchanged until no sign is wrong; where that comes to no
 * end, Lemke's method (Lemke 1965; Cottle, Pang & Stone 1992, 4.4) does with
 * the lexicographic rule, which cannot cycle. G row-major n x n. The set of
 * contacts with z > 0 comes from them; the numbers are computed again from G.
 * Where z is not unique (G singular; G z is unique always) the least z is
 * taken if it is not negative. room: lcp_room(n) doubles.
 * Returns 0; 1: no solution exists (the contacts jam); 2: not unique z;
 * 3: too many pivots. */
int lcp_solve(int n, const double *G, const double *q, double *z, double *room);
size_t lcp_room(int n);
/* lcp_solve where only G z matters, as in impacts: of many rows that depend on
 * each other z may be any solution (4), which is found in far less time. Beside
 * the least z it spreads loads over rows that need none. */
int lcp_solve_any(int n, const double *G, const double *q, double *z,
                  double *room);
/* Answers of lcp_solve that are kept. A motion with constant forces asks, after
 * each impact, which of its closed contacts push: the matrix and the
 * accelerations are always those of a few sets of contacts. */
struct lcp_memory;
/* Room for the last questions of up to `most` rows; it lives in the arena. */
struct lcp_memory *lcp_memory_new(struct arena *arena, int most);
/* lcp_solve, but a question that was one of the last ones has its answer again,
 * to the last bit. Larger problems than the memory has room for are solved. */
int lcp_solve_again(struct lcp_memory *memory, int n, const double *G,
                    const double *q, double *z, double *room);
/* lcp_solve by factors that are kept: the matrix may be one of the last, with
 * other q. */
int lcp_solve_kept(struct lcp_memory *memory, int n, const double *G,
                   const double *q, double *z, double *room);
/* One solution for a matrix that need be neither symmetric nor semidefinite
 * (friction), by Lemke's method alone, not polished. Returns 0; 1: the method
 * ended on a ray, which says nothing; 3: too many pivots. */
int lcp_lemke(int n, const double *M, const double *q, double *z, double *room);

#endif
