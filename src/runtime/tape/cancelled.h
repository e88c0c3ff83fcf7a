/* SPDX-License-Identifier: MIT */
/* Sums that cancel to rounding below a power of an absolute value (eval.h). */
#ifndef IMP_RUNTIME_TAPE_CANCELLED_H
#define IMP_RUNTIME_TAPE_CANCELLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/image.h"

/* Arrays have an entry per register. */
struct cancelled {
    const imp_instr *code;
    const uint32_t *pool;
    const double *reg; /* coefficients 0 */
    uint32_t n;
    bool *zero; /* of powers: 0, as what they are powers of is */
    double *size,
        *before; /* of the terms of each coefficient; one order before */
    double *first, *faster; /* of order 1, and how they grow by an order */
};

/* Has the tape powers of absolute values, as a damper -C sign(u) |u|^p has
 * them? Without any, nothing below is to be asked. */
bool cancelled_may(const imp_image *im, const imp_tape *tape);
/* Doubles of room for n registers. */
size_t cancelled_room(size_t n);
/* Finds the powers whose operands cancel by reg, the values of all registers.
 * room: of cancelled_room, whose contents last as long as `to`. False: there
 * are none. */
bool cancelled_find(const imp_image *im, const imp_tape *tape,
                    const double *reg, double *room, struct cancelled *to);
/* Do their operands cancel in the coefficients cur of order k >= 1, too? */
bool cancelled_keeps(struct cancelled *of, const double *cur, int k);

/* As eval_tape, with powers of sums that cancel (by their values alone) as 0.
 * IMP_NONFINITE: there is none, or an output is not finite. */
int eval_tape_cancelled(const imp_image *im, const imp_tape *tape,
                        const double *env, const double *local, double *out);

#endif
