/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of series: order 0, order k and the corrections of an implicit
 * block, instruction by instruction (docs/internals.md, "Series semantics" and
 * "the fine print"; runtime/tape/eval.c is the same in plain C). */
#include "codegen/series_priv.h"

/* a state whose rate is constant: its row is known at order 0 */
static bool
is_line(const struct sv *s, uint32_t i)
{
    const imp_instr *in = s->code + i;

    return in->op == IMP_OP_STATE && (s->code[in->b].flags & IMP_INSTR_CONST) &&
           s->n_parts == 1;
}

/* register i has value v: remembered, and stored where others will look */
static void
define(struct sv *s, enum sv_class c, uint32_t i, LLVMValueRef v)
{
    struct gen *g = s->g;

    s->val[c][i] = v;
    s->stamp[c][i] = s->now[c];
    if (c != SV_D && s->code[i].row != IMP_NO_ROW && s->stored[i] &&
        !(c == SV_K && is_line(s, i)))
        gen_store(g, g->f64, v,
                  sv_row(s, i, c == SV_ZERO ? s->work : s->work_k, 0));
    if (s->slot[c][i] != NO_SLOT)
        gen_put(g, s->scratch, s->slot[c][i], v);
}

void
sv_order_zero(struct sv *s)
{
    struct gen *g = s->g;

    for (uint32_t i = 0; i < s->t->code.n; i++) {
        const imp_instr *in = s->code + i;
        LLVMValueRef v;
        if (s->part[i] != s->at_part)
            continue;
        if (gen_is_leaf(in)) {
            v = sv_leaf_zero(s, i);
        } else if (in->op == IMP_OP_DOT) {
            const uint32_t *p = IMP_ARRAY(g->im, s->t->pool, uint32_t) + in->a;
            v = gen_num(g, g->f64, 0.0);
            for (uint32_t m = 0; m < in->b; m++, p += 3) {
                LLVMValueRef ab =
                    LLVMBuildFMul(g->b, sv_value(s, SV_ZERO, p[1]),
                                  sv_value(s, SV_ZERO, p[2]), "");
                v = p[0] ? LLVMBuildFSub(g->b, v, ab, "")
                         : LLVMBuildFAdd(g->b, v, ab, "");
            }
        } else {
            unsigned n = gen_ops[in->op].arity;
            LLVMValueRef a = sv_value(s, SV_ZERO, in->a);
            LLVMValueRef b = n > 1 ? sv_value(s, SV_ZERO, in->b) : a;
            LLVMValueRef c = n > 2 ? sv_value(s, SV_ZERO, in->c) : a;
            v = gen_op_value(g, g->f64, (enum imp_op)in->op, a, b, c);
        }
        define(s, SV_ZERO, i, v);
    }
    /* rows of constants and lines: what follows is 0 since the caller made
     * work, and nothing else is ever written there */
    for (uint32_t i = 0; i < s->t->code.n; i++)
        if (is_line(s, i) && s->stored[i])
            gen_store(g, g->f64,
                      LLVMBuildSelect(g->b, s->moves,
                                      sv_value(s, SV_ZERO, s->code[i].b),
                                      gen_num(g, g->f64, 0.0), ""),
                      sv_row(s, i, s->work, 1));
    sv_packs_zero(s);
}

/* value at k == 1, zero beyond */
static LLVMValueRef
only_first(struct sv *s, LLVMValueRef v)
{
    struct gen *g = s->g;
    LLVMValueRef first =
        LLVMBuildICmp(g->b, LLVMIntEQ, s->k, gen_i64(g, 1), "");

    return LLVMBuildSelect(g->b, first, v, gen_num(g, g->f64, 0.0), "");
}

static LLVMValueRef
leaf_k(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    const imp_instr *in = s->code + i;

    switch (in->op) {
    case IMP_OP_TIME:
        return only_first(s, gen_num(g, g->f64, 1.0));
    case IMP_OP_STATE: { /* c_k = d_{k-1} * (1/k) */
        /* of a constant rate: d_0, then 0 */
        if (s->code[in->b].flags & IMP_INSTR_CONST)
            return only_first(s, sv_value(s, SV_ZERO, in->b));
        if (s->state_of[i])
            return sv_held_state(s, i);
        return LLVMBuildFMul(g->b,
                             s->rate[in->b]
                                 ? s->rate[in->b]
                                 : sv_coef(s, g->f64, in->b, s->work_k, -1),
                             s->per_k, "");
    }
    case IMP_OP_ROW: {
        LLVMValueRef src =
            gen_load(g, g->pf64,
                     gen_at(g, g->pf64, s->rows, gen_i64(g, in->a), g->pf64));
        LLVMValueRef at = LLVMBuildAdd(
            g->b, s->k,
            gen_i64(g, (uint64_t)in->b * IMP_ROW_STRIDE + IMP_ROW_PAD), "");
        return gen_load(g, g->f64, gen_at(g, g->f64, src, at, g->f64));
    }
    default: /* UNKNOWN: 0 until the block is solved */
        return gen_num(g, g->f64, 0.0);
    }
}

static bool
is_const(const struct sv *s, uint32_t i)
{
    return s->code[i].flags & IMP_INSTR_CONST;
}

static LLVMValueRef
helper(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    const imp_instr *in = s->code + i;
    LLVMTypeRef par[5] = {g->i32, g->pf64, g->pf64, g->pf64, g->i32};
    LLVMTypeRef type = LLVMFunctionType(g->f64, par, 5, 0);
    LLVMValueRef f = gen_runtime(g, "imp_series_op", type, false);
    LLVMValueRef a = sv_row(s, in->a, s->work, 0);
    LLVMValueRef b =
        gen_ops[in->op].arity > 1 ? sv_row(s, in->b, s->work, 0) : a;
    LLVMValueRef arg[5] = {gen_i32(g, in->op), a, b, sv_row(s, i, s->work, 0),
                           LLVMBuildTrunc(g->b, s->k, g->i32, "")};

    return LLVMBuildCall2(g->b, type, f, arg, 5, "");
}

/* what PICK takes: `if_true` or `if_false` by the choice at order 0 */
static LLVMValueRef
pick(struct sv *s, const imp_instr *in, LLVMValueRef if_true,
     LLVMValueRef if_false)
{
    struct gen *g = s->g;
    LLVMValueRef a = sv_value(s, SV_ZERO, in->a);
    LLVMValueRef b = in->op == IMP_OP_MIN || in->op == IMP_OP_MAX
                         ? sv_value(s, SV_ZERO, in->b)
                         : a;

    return LLVMBuildSelect(g->b,
                           gen_op_choice(g, g->f64, (enum imp_op)in->op, a, b),
                           if_true, if_false, "");
}

/* operands of a PICK in class c; those not in the class count as +0 */
static LLVMValueRef
pick_class(struct sv *s, enum sv_class c, const imp_instr *in)
{
    struct gen *g = s->g;
    uint32_t reg[2] = {in->b, in->a}; /* MIN, MAX: true, false */
    LLVMValueRef v[2];

    if (in->op == IMP_OP_SELECT) {
        reg[0] = in->b;
        reg[1] = in->c;
    } else if (in->op == IMP_OP_ABS) {
        reg[0] = reg[1] = in->a;
    }
    for (int m = 0; m < 2; m++)
        v[m] = c == SV_D && !sv_in_block(s->code + reg[m])
                   ? gen_num(g, g->f64, 0.0)
                   : sv_value(s, c, reg[m]);
    if (in->op == IMP_OP_ABS && (c != SV_D || sv_in_block(s->code + in->a)))
        v[0] = LLVMBuildFNeg(g->b, v[0], "");
    return pick(s, in, v[0], v[1]);
}

static LLVMValueRef
convolve(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    const imp_instr *in = s->code + i;
    uint32_t pair[3] = {0, in->a, in->b};

    if (in->op == IMP_OP_DOT)
        return sv_convolution(
            s, i, IMP_ARRAY(g->im, s->t->pool, uint32_t) + in->a, in->b);
    if (is_const(s, in->a))
        return LLVMBuildFMul(g->b, sv_value(s, SV_ZERO, in->a),
                             sv_value(s, SV_K, in->b), "");
    if (is_const(s, in->b))
        return LLVMBuildFMul(g->b, sv_value(s, SV_ZERO, in->b),
                             sv_value(s, SV_K, in->a), "");
    return sv_convolution(s, i, pair, 1);
}

static LLVMValueRef
divide(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    const imp_instr *in = s->code + i;
    LLVMValueRef a = sv_value(s, SV_K, in->a);
    LLVMValueRef b0 = sv_value(s, SV_ZERO, in->b);

    if (!is_const(s, in->b))
        a = LLVMBuildFSub(g->b, a, sv_division_sum(s, i), "");
    return LLVMBuildFDiv(g->b, a, b0, "");
}

static LLVMValueRef
coefficient(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    const imp_instr *in = s->code + i;

    switch (gen_ops[in->op].rule) {
    case SER_LEAF:
        return in->op == IMP_OP_DOT ? convolve(s, i) : leaf_k(s, i);
    case SER_LINEAR: {
        LLVMValueRef a = sv_value(s, SV_K, in->a);
        LLVMValueRef b = in->op == IMP_OP_NEG ? a : sv_value(s, SV_K, in->b);
        return gen_op_value(g, g->f64, (enum imp_op)in->op, a, b, a);
    }
    case SER_CONV:
        return convolve(s, i);
    case SER_DIV:
        return divide(s, i);
    case SER_CHAIN:
        return LLVMBuildFDiv(g->b, sv_chain_sum(s, in->a, in->c), s->kd, "");
    case SER_HELPER:
        return helper(s, i);
    case SER_PICK:
        return pick_class(s, SV_K, in);
    default: /* STEP */
        return gen_num(g, g->f64, 0.0);
    }
}

void
sv_order_k(struct sv *s)
{
    sv_packs_inner(s);
    for (uint32_t i = 0; i < s->t->code.n; i++)
        if (s->part[i] == s->at_part && sv_varies(s->code + i))
            define(s, SV_K, i, coefficient(s, i));
}

/* a0 db + da b0, terms of operands outside the block left out; NULL if none */
static LLVMValueRef
product_rule(struct sv *s, uint32_t a, uint32_t b)
{
    struct gen *g = s->g;
    LLVMValueRef left = NULL, right = NULL;

    if (sv_in_block(s->code + b))
        left = LLVMBuildFMul(g->b, sv_value(s, SV_ZERO, a),
                             sv_value(s, SV_D, b), "");
    if (sv_in_block(s->code + a))
        right = LLVMBuildFMul(g->b, sv_value(s, SV_D, a),
                              sv_value(s, SV_ZERO, b), "");
    if (left && right)
        return LLVMBuildFAdd(g->b, left, right, "");
    return left ? left : right;
}

/* the exact differential of an instruction in the block: dc */
static LLVMValueRef
differential(struct sv *s, const imp_instr *in, uint32_t i)
{
    struct gen *g = s->g;
    LLVMValueRef da = NULL, db = NULL, v = NULL;

    if (in->op != IMP_OP_DOT && gen_ops[in->op].arity > 0 &&
        sv_in_block(s->code + in->a))
        da = sv_value(s, SV_D, in->a);
    if (in->op != IMP_OP_DOT && gen_ops[in->op].arity > 1 &&
        sv_in_block(s->code + in->b))
        db = sv_value(s, SV_D, in->b);
    switch (in->op) {
    case IMP_OP_ADD:
        v = da && db ? LLVMBuildFAdd(g->b, da, db, "") : da ? da : db;
        break;
    case IMP_OP_SUB:
        v = da && db ? LLVMBuildFSub(g->b, da, db, "")
            : da     ? da
            : db     ? LLVMBuildFNeg(g->b, db, "")
                     : NULL;
        break;
    case IMP_OP_NEG:
        v = da ? LLVMBuildFNeg(g->b, da, "") : NULL;
        break;
    case IMP_OP_MUL:
        v = product_rule(s, in->a, in->b);
        break;
    case IMP_OP_DOT: {
        const uint32_t *p = IMP_ARRAY(g->im, s->t->pool, uint32_t) + in->a;
        v = gen_num(g, g->f64, 0.0);
        for (uint32_t m = 0; m < in->b; m++, p += 3) {
            LLVMValueRef pair = product_rule(s, p[1], p[2]);
            if (pair)
                v = p[0] ? LLVMBuildFSub(g->b, v, pair, "")
                         : LLVMBuildFAdd(g->b, v, pair, "");
        }
        break;
    }
    case IMP_OP_DIV:
        if (db) {
            LLVMValueRef cdb =
                LLVMBuildFMul(g->b, sv_value(s, SV_ZERO, i), db, "");
            v = da ? LLVMBuildFSub(g->b, da, cdb, "")
                   : LLVMBuildFNeg(g->b, cdb, "");
        } else {
            v = da;
        }
        if (v)
            v = LLVMBuildFDiv(g->b, v, sv_value(s, SV_ZERO, in->b), "");
        break;
    default:
        if (gen_ops[in->op].rule == SER_CHAIN && da)
            v = LLVMBuildFMul(g->b, sv_value(s, SV_ZERO, in->c), da, "");
        else if (gen_ops[in->op].rule == SER_PICK)
            v = pick_class(s, SV_D, in);
        break;
    }
    return v ? v : gen_num(g, g->f64, 0.0);
}

void
sv_correct(struct sv *s)
{
    struct gen *g = s->g;
    const uint32_t *unknown = IMP_ARRAY(g->im, s->t->unknowns, uint32_t);

    for (uint32_t i = 0; i < s->t->code.n; i++) {
        const imp_instr *in = s->code + i;
        LLVMValueRef dc, old, new;
        if (s->part[i] != s->at_part || !sv_in_block(in))
            continue;
        old = sv_value(s, SV_K, i);
        if (in->op == IMP_OP_UNKNOWN) {
            uint32_t u = 0;
            while (u < s->nu && unknown[u] != i)
                u++;
            if (u == s->nu)
                gen_fail(g, "tape %s: register %u is not in its block", s->name,
                         (unsigned)i);
            new = dc = gen_get(g, s->scratch, s->rhs + u);
        } else if (gen_ops[in->op].rule == SER_HELPER) {
            new = helper(s, i);
            dc = LLVMBuildFSub(g->b, new, old, "");
        } else {
            dc = differential(s, in, i);
            new = LLVMBuildFAdd(g->b, old, dc, "");
        }
        define(s, SV_D, i, dc);
        define(s, SV_K, i, new);
    }
}
