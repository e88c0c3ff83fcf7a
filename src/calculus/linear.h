/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is an expression the greatest of linear functions of its SYM_LOCAL leaves?
 * Such a level set is a convex polytope. */
#ifndef IMP_CALCULUS_LINEAR_H
#define IMP_CALCULUS_LINEAR_H

#include "calculus/expr.h"

/* more pieces than this are no shape that somebody wrote down */
#define LINEAR_PIECES 4096

/* Half-spaces a.x <= b whose intersection is where e <= 0; x: locals 0 .. d-1;
 * rows of d coefficients and the bound, in *rows (graph's arena). Rows with a =
 * 0 state signs that the rewriting rests on: |u|*c is the greater of c u and -c
 * u where 0 <= c. Returns how many; 0: e is nothing of this kind, or reads the
 * time. */
size_t ex_half_spaces(struct graph *graph, const expr *node, uint32_t dim,
                      const expr ***rows);

#endif
