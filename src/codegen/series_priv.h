/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One series function under construction. Values of a register come in three
 * classes: its coefficient 0, its coefficient k of the order being swept, and
 * within an implicit block the correction of that coefficient. A value is an
 * SSA value of the LLVM function at hand, or lies in memory: in the register's
 * row, or (no row; or a correction) in an entry of scratch.
 *
 * Layout of scratch: [jacobian n*n | right-hand side n | piv n/2 rounded up |
 * entries]. */
#ifndef IMP_CODEGEN_SERIES_PRIV_H
#define IMP_CODEGEN_SERIES_PRIV_H

#include "codegen/emit.h"

enum sv_class { SV_ZERO, SV_K, SV_D };

struct sv {
    struct gen *g;
    const imp_tape *t;
    const imp_instr *code;
    const char *name;
    /* values and where they hold, per class and register */
    LLVMValueRef *val[3];
    uint32_t *stamp[3], now[3]; /* val holds when stamp == now */
    uint32_t *slot[3];          /* scratch entry, NO_SLOT */
    uint32_t *part;             /* part that makes the register */
    uint32_t n_parts, n_slots, at_part;
    uint32_t nu;            /* unknowns */
    uint32_t jac, rhs, piv; /* scratch entries */
    /* of the LLVM function at hand */
    LLVMValueRef env, local, rows, work, scratch;
    LLVMValueRef k, kd;  /* order: i64, double; NULL at order 0 */
    LLVMValueRef work_k; /* work + k */
    bool in_line;
    unsigned blocks; /* k/4 + 1 when known at compile time, else 0 */
};
#define NO_SLOT UINT32_MAX

LLVMValueRef sv_value(struct sv *s, enum sv_class c, uint32_t i);
/* A place in a row: base + off, the base being coefficient 0, coefficient k,
 * or one of these moved by a variable (sv_moved). So nearly all addresses of an
 * order are one pointer and a constant. */
LLVMValueRef sv_moved(struct sv *s, LLVMValueRef base, LLVMValueRef by);
/* pointer to coefficient (base + off) of the row of register i; base is
 * s->work, s->work_k or moved from one of these */
LLVMValueRef sv_row(struct sv *s, uint32_t i, LLVMValueRef base, int off);
LLVMValueRef sv_coef(struct sv *s, LLVMTypeRef type, uint32_t i,
                     LLVMValueRef base, int off);

/* conv.c: sums over products of coefficients, docs/internals.md "Series
 * semantics". pool: n triples (sign, reg, reg) */
LLVMValueRef sv_convolution(struct sv *s, const uint32_t *pool, uint32_t n);
LLVMValueRef sv_division_sum(struct sv *s, uint32_t b, uint32_t c);
LLVMValueRef sv_chain_sum(struct sv *s, uint32_t u, uint32_t w);

/* order.c: instructions of part s->at_part at order 0, at order k, and their
 * corrections, at the builder's position */
void sv_order_zero(struct sv *s);
void sv_order_k(struct sv *s);
void sv_correct(struct sv *s);
static inline bool
sv_in_block(const imp_instr *in)
{
    return (in->flags & IMP_INSTR_IMPLICIT) &&
           !(in->flags & (IMP_INSTR_CONST | IMP_INSTR_ORDER0));
}
static inline bool
sv_varies(const imp_instr *in)
{
    return !(in->flags & (IMP_INSTR_CONST | IMP_INSTR_ORDER0));
}

#endif
