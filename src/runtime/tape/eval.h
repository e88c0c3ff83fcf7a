/* SPDX-License-Identifier: MIT */
/* The reference evaluator of tapes, in plain C. Bit for bit what generated
 * code returns (I6). */
#ifndef IMP_RUNTIME_TAPE_EVAL_H
#define IMP_RUNTIME_TAPE_EVAL_H

#include "abi/image.h"
#include "abi/status.h"

/* order 0; out as imp_eval_fn */
int eval_tape(const imp_image *im, const imp_tape *tape, const double *env,
              const double *local, double *out);
int eval_series(const imp_image *im, const imp_tape *tape, const double *env,
                const double *local, const double *const *rows, double *work,
                int order);
/* value of one operator (no leaf, no DOT): the constant folder */
double eval_op(enum imp_op op, double a, double b, double c);
/* After IMP_NONFINITE: the first instruction whose value is not finite though
 * its operands are; fills *where with its origin and values of operands in
 * a, b. Returns its number or -1. */
int eval_trace(const imp_image *im, const imp_tape *tape, const double *env,
               const double *local, imp_range *where, enum imp_op *op,
               double *a, double *b);

#endif
