/* SPDX-License-Identifier: MIT */
/* Shared by the two halves of the evaluator: order 0 of every instruction. */
#ifndef IMP_RUNTIME_TAPE_EVAL_PRIV_H
#define IMP_RUNTIME_TAPE_EVAL_PRIV_H

#include <stdbool.h>

#include "runtime/tape/eval.h"

/* registers that fit on the stack; longer tapes use the heap */
#define EVAL_STACK 2048

/* Computes the value of each register at order 0; rows NULL: ROW reads NaN. */
void eval_registers(const imp_image *im, const imp_tape *tape,
                    const double *env, const double *local,
                    const double *const *rows, double *reg);
/* The same, but those that `zero` says are 0. */
void eval_registers_but(const imp_image *im, const imp_tape *tape,
                        const bool *zero, const double *env,
                        const double *local, const double *const *rows,
                        double *reg);
/* The same of n instructions, in rising order, whose operands are among them;
 * none is a ROW. */
void eval_registers_of(const imp_image *im, const imp_tape *tape,
                       const uint32_t *which, uint32_t n, const double *env,
                       const double *local, double *reg);
/* The same of n operators of a tape (no leaves, none that read tables) in
 * rising order; reg has what else they read, and is a number everywhere. */
void eval_some(const imp_image *im, const imp_tape *tape, const uint32_t *which,
               uint32_t n, double *reg);
/* Sets mark[i] = 1 for the registers that instruction i reads. */
void eval_mark_operands(const imp_image *im, const imp_tape *tape, uint32_t i,
                        unsigned char *mark);

#endif
