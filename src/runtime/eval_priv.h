/* SPDX-License-Identifier: MIT */
/* Shared by the two halves of the evaluator: order 0 of every instruction. */
#ifndef IMP_RUNTIME_EVAL_PRIV_H
#define IMP_RUNTIME_EVAL_PRIV_H

#include "runtime/eval.h"

/* registers that fit on the stack; longer tapes use the heap */
#define EVAL_STACK 2048

/* value of each register at order 0; rows NULL: ROW reads NaN */
void eval_registers(const imp_image *im, const imp_tape *t, const double *env,
                    const double *local, const double *const *rows,
                    double *reg);

#endif
