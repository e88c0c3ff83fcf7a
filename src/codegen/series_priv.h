/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One series function under construction. A register has values in three
 * classes: its coefficient 0; its coefficient k of the present order; and, in
 * an implicit block, the correction of coefficient k. A value is an SSA value
 * of the present LLVM function, or lies in memory: in the register's row, or
 * (if it has no row, or is a correction) in an entry of scratch.
 *
 * Layout of scratch: [jacobian n*n | right-hand side n | piv n/2 rounded up |
 * entries | arrays of the packs]. */
#ifndef IMP_CODEGEN_SERIES_PRIV_H
#define IMP_CODEGEN_SERIES_PRIV_H

#include "codegen/emit.h"

/* four convolutions: lane l of slot p is product p of convolution lane[l] */
struct pack {
    uint32_t part, n_lanes, lane[4], n_slots;
    uint32_t *a, *b; /* arrays of each slot */
    uint32_t
        ready; /* the first register after all operands, where the outer terms
                  of all lanes are made together; NO_SLOT: one by one */
    LLVMValueRef inner, sum; /* vectors at order k; sum: all coefficients */
    /* held: the lanes times `scale` (NO_SLOT: 1) are the rates of these states,
     * which stay in one vector from order to order */
    bool held;
    uint32_t state[4], scale[4];
    LLVMValueRef by, rate_zero, rate, now; /* scales; rates at order 0 and of
                                              order k - 1; states at order k */
};
/* The coefficients of four registers side by side, with their signs; entry k of
 * the array is a vector. The entries -3 .. -1 and the three after the last are
 * 0. */
#define PACK_ZEROS 3
#define PACK_STRIDE                                                            \
    33 /* vectors: 31 in use; an odd number, so that the same                  \
           entry of two arrays never shares its low address bits */
struct pack_array {
    uint32_t part, reg[4]; /* UINT32_MAX: none, 0 */
    bool minus[4];
    bool times_order; /* entry k holds k times the coefficients */
    bool upwards; /* is read in the order of j, so also beyond its last entry */
    bool downwards; /* is read against the order of j, so also before its first
                       entry */
    LLVMValueRef zero, k; /* entries 0 (one part) and k, once made */
};

/* four CHAIN operators (chain.c): lane l is that of register lane[l] */
struct chain_group {
    uint32_t n_lanes, lane[4];
    uint32_t inner, outer; /* arrays: j u_j, and w_j */
    uint32_t until;        /* scratch entry: no j u_j from here on is other than
                              0 so far, an integer */
    LLVMValueRef sum;      /* the terms that need no coefficient of order k */
};

enum sv_class { SV_ZERO, SV_K, SV_D };

/* The values of registers, per class and register, and the LLVM function in
 * which each holds. */
struct sv_values {
    LLVMValueRef *val[3];
    uint32_t *stamp[3], now[3]; /* val holds when stamp == now */
    uint32_t *slot[3];          /* scratch entry, NO_SLOT */
    bool *stored;               /* the row of the register must be in work */
};
/* Long functions are made in parts. */
struct sv_parts {
    uint32_t *of; /* the part that makes the register */
    uint32_t n, at;
};
/* Entries of scratch. */
struct sv_layout {
    uint32_t n_slots;
    uint32_t nu; /* unknowns */
    uint32_t jac, rhs, piv;
};
/* Parameters of the present LLVM function, and values that are made of them. */
struct sv_function {
    LLVMValueRef env, local, rows, work, scratch;
    LLVMValueRef constants; /* in memory; NULL: they stand in the code */
    LLVMValueRef k, kd;     /* order: i64, double; NULL at order 0 */
    LLVMValueRef moves;     /* order >= 1, i1 */
    LLVMValueRef work_k;    /* work + k */
    LLVMValueRef per_k;     /* 1/k */
};
/* Convolutions, four at a time (pack.c). */
struct sv_packs {
    struct pack *packs;
    struct pack_array *arrays;
    uint32_t n_packs, n_arrays, first_array;
    LLVMValueRef *inner; /* of each convolution: its inner terms, at order k */
    struct pack **of;
    struct pack **of_state; /* of each state that is held */
};
struct sv_chains {
    struct chain_group *groups;
    uint32_t n_groups;
    struct chain_group **of; /* of each CHAIN operator; NULL: several parts */
};
struct sv {
    struct gen *g;
    bool by_constants;
    const imp_tape *t;
    const imp_instr *code;
    const char *name;
    struct sv_values value;
    struct sv_parts parts;
    struct sv_layout layout;
    struct sv_function fn;
    LLVMValueRef
        *rate; /* the rates of states, if there is one part: coefficient k - 1,
                  carried through the loop over the orders */
    struct sv_packs pack;
    struct sv_chains chain;
};
#define NO_SLOT UINT32_MAX

/* value.c: the value of register i in a class; coefficient 0 of a leaf */
LLVMValueRef sv_value(struct sv *series, enum sv_class class, uint32_t reg);
LLVMValueRef sv_leaf_zero(struct sv *series, uint32_t reg);
/* Is register i at order k a sum of products of series? */
bool sv_convolves(const struct sv *series, uint32_t reg);
/* A place in a row is base + off, where base is coefficient 0, coefficient k,
 * or one of these moved by a variable (sv_moved). So nearly all addresses of an
 * order are one pointer and a constant. */
LLVMValueRef sv_moved(struct sv *series, LLVMValueRef base, LLVMValueRef by);
/* A pointer to coefficient (base + off) of the row of a register; base is
 * series->fn.work, series->fn.work_k, or moved from one of these. */
LLVMValueRef sv_row(struct sv *series, uint32_t reg, LLVMValueRef base,
                    int off);
LLVMValueRef sv_coef(struct sv *series, LLVMTypeRef type, uint32_t reg,
                     LLVMValueRef base, int off);

/* pack.c: inner terms of convolutions (docs/tape.md) */
void sv_plan_packs(struct sv *series);
/* At the end of order 0: the arrays of the present part get their zeros, and
 * coefficient 0 unless there are several parts. */
void sv_packs_zero(struct sv *series);
/* Before order k: series->pack.inner of all convolutions of the present part.
 */
void sv_packs_inner(struct sv *series);
/* Coefficient k of a convolution from the sum of its pack, or NULL. */
LLVMValueRef sv_packs_sum(struct sv *series, uint32_t reg);
/* After order k, only if there is one part: coefficients k into the arrays. */
void sv_packs_push(struct sv *series);
/* The number of the array with these registers and signs; made if there is
 * none. A pointer to entry (base + off) of an array; base is the index of a
 * vector, or NULL. */
uint32_t sv_pack_array(struct sv *series, const struct pack_array *want);
LLVMValueRef sv_pack_entry(struct sv *series, uint32_t array, LLVMValueRef base,
                           int off);
/* chain.c: sums of CHAIN operators. The plan comes after that of the packs;
 * zero: at the end of order 0; inner: before order k; sum: of register reg, at
 * order k; push: after order k, when its coefficients stand in the arrays. */
uint32_t sv_count_chains(const struct sv *series);
void sv_plan_chains(struct sv *series);
void sv_chains_zero(struct sv *series);
void sv_chains_inner(struct sv *series);
void sv_chains_push(struct sv *series);
LLVMValueRef sv_chain_sum(struct sv *series, uint32_t reg);
/* held.c: states whose rates are the lanes of a pack. To be called in this
 * order: the plan, after that of the packs; zero, at the end of order 0; open,
 * at the top of an order; close, at its end. */
void sv_plan_held(struct sv *series);
void sv_held_zero(struct sv *series);
void sv_held_open(struct sv *series);
void sv_held_close(struct sv *series, LLVMBasicBlockRef *from);
/* Coefficient k of a state that is held. */
LLVMValueRef sv_held_state(struct sv *series, uint32_t reg);
/* Entry k of an array if all its registers are held by one pack; NULL
 * otherwise. */
LLVMValueRef sv_held_entry(struct sv *series, const struct pack_array *array);
/* conv.c */
LLVMValueRef sv_convolution(struct sv *series, uint32_t reg,
                            const uint32_t *pool, uint32_t n);
LLVMValueRef sv_division_sum(struct sv *series, uint32_t reg);
/* The product, or 0 where its factor is 0, whatever the other factor is. */
LLVMValueRef sv_unless_zero(struct gen *gen, LLVMValueRef factor,
                            LLVMValueRef product);
LLVMValueRef sv_chain_loop(struct sv *series, uint32_t u, uint32_t w);

/* A loop over j = start, start + step, ... while j < end, at least once, that
 * carries accumulators. Between open and close the builder is in the body of
 * the loop. */
#define SV_LOOP_MAX 8
struct sv_loop {
    LLVMBasicBlockRef before, body;
    LLVMValueRef j, start;
    LLVMValueRef acc[SV_LOOP_MAX], init[SV_LOOP_MAX];
    unsigned n;
};
void sv_loop_open(struct sv *series, struct sv_loop *loop, uint64_t start,
                  unsigned count, LLVMValueRef init);
void sv_loop_close(struct sv *series, struct sv_loop *loop, LLVMValueRef *acc,
                   unsigned step, LLVMValueRef end);

/* order.c: the instructions of part series->parts.at at order 0, at order k,
 * and their corrections, at the builder's position */
void sv_order_zero(struct sv *series);
void sv_order_k(struct sv *series);
void sv_correct(struct sv *series);
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
