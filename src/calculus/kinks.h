/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas whose kinks know on which side a motion begins. */
#ifndef IMP_CALCULUS_KINKS_H
#define IMP_CALCULUS_KINKS_H

#include "calculus/expr.h"

/* Returns the formula with each abs, min and max as a choice that is made by
 * the rate of its operands where they are equal: there the branch is the one
 * that the motion enters, whose derivative is that from then on. rate: of an
 * operand, or of the difference of two; NULL: it does not change, and the node
 * stays as it is. */
const expr *ex_kinks_ahead(struct graph *graph, const expr *formula,
                           const expr *(*rate)(void *ctx, const expr *operand),
                           void *ctx);

#endif
