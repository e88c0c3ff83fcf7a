/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is an expression the maximum of linear functions of its SYM_LOCAL leaves?
 * Such a level set is a convex polytope. */
#ifndef IMP_CALCULUS_LINEAR_H
#define IMP_CALCULUS_LINEAR_H

#include "calculus/expr.h"

/* A formula with more pieces than this is refused. */
#define LINEAR_PIECES 4096

/* The half-spaces a.x <= b whose intersection is the set where the formula is
 * <= 0; x: locals 0 .. dim-1. Each row has dim coefficients and the bound;
 * *rows lies in the graph's arena. A row with a = 0 states a sign that the
 * rewriting rests on: |u|*c is the greater of c u and -c u only where 0 <= c.
 * Returns how many rows; 0 if the formula is not of this kind, or depends on
 * the time. */
size_t ex_half_spaces(struct graph *graph, const expr *node, uint32_t dim,
                      const expr ***rows);

#endif
