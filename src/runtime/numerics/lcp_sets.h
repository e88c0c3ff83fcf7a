/* SPDX-License-Identifier: MIT */
/* Inside lcp.c: w = g z + p with n rows, where g has a unit diagonal, or 0
 * there, and `size` is the greatest of p. `in` says of each row whether it is
 * of the set, and may have z > 0. room: that of lcp_room without 4 n n + 8 n.
 */
#ifndef IMP_RUNTIME_NUMERICS_LCP_SETS_H
#define IMP_RUNTIME_NUMERICS_LCP_SETS_H

#include <stdbool.h>

/* an entry of the tableau, whose first form has entries of size 1, that
 * rounding may have left after some tens of pivots */
#define LCP_PIVOT_ZERO 1e-11
/* w counts as zero below this share of q: the polished solution of size 1 has
 * errors of condition * eps */
#define LCP_SLACK_ZERO 1e-9
/* Of more rows than these Lemke's method takes far longer than the interior
 * point. */
#define LCP_ROWS_MANY 64

/* Puts rows that are joined near each other, so that the envelope of factors is
 * small (Cuthill & McKee 1969). at: n. */
void lcp_order(int n, const double *G, int *order, bool *at);
/* Goes from the set `in` to others until none has a wrong sign. False: it does
 * not say. *dependent becomes true where rows of a set depended on others;
 * whether these are solved at the end, nobody has asked. */
bool lcp_exchange_sets(int n, const double *g, const double *p, double size,
                       double *z, int *in, double *room, bool *dependent);
/* Does z, whose entries outside the set `in` are 0, leave no w below 0, and
 * none above 0 on the set? Up to `none`. */
bool lcp_is_solved(int n, const double *g, const double *p, double none,
                   const double *z, const int *in);
/* Finds a z, and the set where it is not 0, from inside: shares are spread over
 * all rows that may have one. matrix: n x n + n. False: it has not been found.
 */
bool lcp_from_inside(int n, const double *g, const double *p, double size,
                     double *z, int *in, double *room, double *matrix);
/* Makes a z that rests on rows of the set that do not depend on each other, as
 * those of Lemke's method, of one with the same g z. */
void lcp_take_out(int n, const double *g, double *z, int *in, double *room);

#endif
