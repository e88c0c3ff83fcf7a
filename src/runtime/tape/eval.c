/* SPDX-License-Identifier: MIT */
/* The reference evaluator, order 0: operators, tapes, and the search for the
 * expression that is not finite (I5). docs/tape.md is the contract. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "runtime/tape/eval_priv.h"
#include "runtime/tape/functions.h"

double
eval_op(enum imp_op op, double a, double b, double c)
{
    assert(op < IMP_OP_COUNT);
    (void)c;
    switch (op) {
#define OP(name, word, arity, dim, series, guard, eval, deriv)                 \
    case IMP_OP_##name:                                                        \
        return eval;
#include "abi/ops.def"
    case IMP_OP_COUNT:
        break;
    }
    return (double)NAN;
}

static double
dot(const uint32_t *pool, uint32_t n, const double *reg)
{
    double s = 0;
    for (uint32_t p = 0; p < n; p++, pool += 3) {
        double v = reg[pool[1]] * reg[pool[2]];
        s = pool[0] ? s - v : s + v;
    }
    return s;
}

/* What values of registers are made of. */
struct leaves {
    const imp_instr *code;
    const uint32_t *pool;
    const double *consts, *env, *local, *const *rows;
};

static inline __attribute__((always_inline)) double
value_of(const struct leaves *leaves, const imp_instr *in, const double *reg)
{
    const double *env = leaves->env;
    switch ((enum imp_op)in->op) {
    case IMP_OP_CONST:
        return leaves->consts[in->a];
    case IMP_OP_ENV:
    case IMP_OP_TIME:
    case IMP_OP_STATE:
        return env[in->a];
    case IMP_OP_LOCAL:
    case IMP_OP_UNKNOWN:
        return leaves->local[in->a];
    case IMP_OP_ROW:
        return leaves->rows
                   ? leaves->rows[in->a][in->b * IMP_ROW_STRIDE + IMP_ROW_PAD]
                   : (double)NAN;
    case IMP_OP_DOT:
        return dot(leaves->pool + in->a, in->b, reg);
    case IMP_OP_ADD:
        return reg[in->a] + reg[in->b];
    case IMP_OP_SUB:
        return reg[in->a] - reg[in->b];
    case IMP_OP_NEG:
        return -reg[in->a];
    case IMP_OP_MUL:
        return reg[in->a] * reg[in->b];
    case IMP_OP_DIV:
        return reg[in->a] / reg[in->b];
    case IMP_OP_SELECT:
        return reg[in->a] != 0.0 ? reg[in->b] : reg[in->c];
    case IMP_OP_PLACE:
        return imp_place(reg[in->a], env + leaves->code[in->b].a, in->c, 1);
    case IMP_OP_ENTRY:
        return imp_entry(reg[in->a], env + leaves->code[in->b].a, in->c, 1);
    default:
        /* b of an operator of one operand is 0: register 0 exists */
        return eval_op((enum imp_op)in->op, reg[in->a], reg[in->b], 0);
    }
}

void
eval_registers(const imp_image *im, const imp_tape *tape, const double *env,
               const double *local, const double *const *rows, double *reg)
{
    assert(im != NULL && tape != NULL && reg != NULL);
    struct leaves leaves = {IMP_ARRAY(im, tape->code, imp_instr),
                            IMP_ARRAY(im, tape->pool, uint32_t),
                            IMP_ARRAY(im, tape->consts, double),
                            env,
                            local,
                            rows};
    for (uint32_t number = 0; number < tape->code.n; number++)
        reg[number] = value_of(&leaves, &leaves.code[number], reg);
}

void
eval_registers_but(const imp_image *im, const imp_tape *tape, const bool *zero,
                   const double *env, const double *local,
                   const double *const *rows, double *reg)
{
    assert(im != NULL && tape != NULL && zero != NULL && reg != NULL);
    struct leaves leaves = {IMP_ARRAY(im, tape->code, imp_instr),
                            IMP_ARRAY(im, tape->pool, uint32_t),
                            IMP_ARRAY(im, tape->consts, double),
                            env,
                            local,
                            rows};
    for (uint32_t number = 0; number < tape->code.n; number++)
        reg[number] =
            zero[number] ? 0.0 : value_of(&leaves, &leaves.code[number], reg);
}

void
eval_registers_of(const imp_image *im, const imp_tape *tape,
                  const uint32_t *which, uint32_t n, const double *env,
                  const double *local, double *reg)
{
    assert(im != NULL && tape != NULL && reg != NULL);
    assert(which != NULL || n == 0);
    struct leaves leaves = {IMP_ARRAY(im, tape->code, imp_instr),
                            IMP_ARRAY(im, tape->pool, uint32_t),
                            IMP_ARRAY(im, tape->consts, double),
                            env,
                            local,
                            NULL};
    for (uint32_t k = 0; k < n; k++)
        reg[which[k]] = value_of(&leaves, &leaves.code[which[k]], reg);
}

void
eval_some(const imp_image *im, const imp_tape *tape, const uint32_t *which,
          uint32_t n, double *reg)
{
    assert(tape);
    const imp_instr *code = IMP_ARRAY(im, tape->code, imp_instr);
    const uint32_t *pool = IMP_ARRAY(im, tape->pool, uint32_t);
    for (uint32_t k = 0; k < n; k++) {
        const imp_instr *in = &code[which[k]];
        double *to = &reg[which[k]];
        assert(in->op != IMP_OP_PLACE && in->op != IMP_OP_ENTRY);
        if (in->op == IMP_OP_DOT)
            *to = dot(pool + in->a, in->b, reg);
        else if (in->op == IMP_OP_SELECT)
            *to = reg[in->a] != 0.0 ? reg[in->b] : reg[in->c];
        else
            *to = eval_op((enum imp_op)in->op, reg[in->a], reg[in->b], 0);
    }
}

/* operands of an operator (not of DOT) */
static const unsigned char arity[] = {
#define OP(name, word, n, dim, series, guard, eval, deriv) n,
#include "abi/ops.def"
};

void
eval_mark_operands(const imp_image *im, const imp_tape *tape, uint32_t i,
                   unsigned char *mark)
{
    assert(i < tape->code.n && mark != NULL);
    const imp_instr *in = IMP_ARRAY(im, tape->code, imp_instr) + i;
    const uint32_t *pool = IMP_ARRAY(im, tape->pool, uint32_t);
    for (uint32_t p = 0; in->op == IMP_OP_DOT && p < in->b; p++) {
        mark[pool[in->a + 3 * p + 1]] = 1;
        mark[pool[in->a + 3 * p + 2]] = 1;
    }
    if (arity[in->op] > 0)
        mark[in->a] = 1;
    if (arity[in->op] > 1)
        mark[in->b] = 1;
    if (arity[in->op] > 2)
        mark[in->c] = 1;
}

int
eval_tape(const imp_image *im, const imp_tape *tape, const double *env,
          const double *local, double *out)
{
    assert(im != NULL && tape != NULL && out != NULL);
    double stack[EVAL_STACK], *reg = stack;
    if (tape->code.n > EVAL_STACK)
        reg = mem_alloc(tape->code.n * sizeof *reg);
    eval_registers(im, tape, env, local, NULL, reg);
    const uint32_t *outs = IMP_ARRAY(im, tape->outs, uint32_t);
    int status = IMP_OK;
    for (uint32_t i = 0; i < tape->outs.n; i++) {
        out[i] = reg[outs[i]];
        if (!isfinite(out[i]))
            status = IMP_NONFINITE;
    }
    if (reg != stack)
        free(reg);
    return status;
}

/* Marks in `used` the instructions that the outputs read. The branch of a
 * SELECT that is not taken may be infinite without harm, so it is not marked.
 */
static void
mark_used(const imp_image *im, const imp_tape *tape, const double *reg,
          unsigned char *used)
{
    const imp_instr *code = IMP_ARRAY(im, tape->code, imp_instr);
    const uint32_t *outs = IMP_ARRAY(im, tape->outs, uint32_t);
    for (uint32_t i = 0; i < tape->outs.n; i++)
        used[outs[i]] = 1;
    for (uint32_t i = tape->code.n; i-- > 0;) {
        const imp_instr *in = &code[i];
        if (!used[i])
            continue;
        if (in->op == IMP_OP_SELECT) {
            used[in->a] = 1;
            used[reg[in->a] != 0.0 ? in->b : in->c] = 1;
        } else {
            eval_mark_operands(im, tape, i, used);
        }
    }
}

int
eval_trace(const imp_image *im, const imp_tape *tape, const double *env,
           const double *local, const double *const *rows, imp_range *where,
           enum imp_op *op, double *first, double *second)
{
    assert(im != NULL && tape != NULL && where != NULL);
    const imp_instr *code = IMP_ARRAY(im, tape->code, imp_instr);
    const imp_range *origin = IMP_ARRAY(im, tape->origins, imp_range);
    const uint32_t *pool = IMP_ARRAY(im, tape->pool, uint32_t);
    double *reg = mem_alloc((tape->code.n + 1) * (sizeof *reg + 1));
    unsigned char *used = (unsigned char *)(reg + tape->code.n + 1);
    int found = -1;
    eval_registers(im, tape, env, local, rows, reg);
    mark_used(im, tape, reg, used);
    /* Operands have lower numbers, so the first instruction whose value is not
     * finite has finite operands. */
    for (uint32_t i = 0; i < tape->code.n && found < 0; i++) {
        const imp_instr *in = &code[i];
        if (!used[i] || isfinite(reg[i]))
            continue;
        found = (int)i;
        *op = (enum imp_op)in->op;
        *where = i < tape->origins.n ? origin[i] : IMP_NOWHERE;
        if (in->op <= IMP_OP_UNKNOWN) {
            *first = *second = reg[i];
        } else if (in->op == IMP_OP_DOT) {
            *first = reg[pool[in->a + 1]];
            *second = reg[pool[in->a + 2]];
        } else {
            *first = reg[in->a];
            *second = reg[in->b];
        }
    }
    free(reg);
    return found;
}

/* Which entry of env instruction i has its unknown value from, plus 1; 0: its
 * value is known. `from` has the same of the instructions before it. */
static uint32_t
unknown_from(const imp_image *im, const imp_tape *tape, const double *env,
             const double *reg, const uint32_t *from, uint32_t i)
{
    const imp_instr *in = IMP_ARRAY(im, tape->code, imp_instr) + i;
    const uint32_t *pool = IMP_ARRAY(im, tape->pool, uint32_t);
    uint32_t a = arity[in->op] > 0 ? from[in->a] : 0,
             b = arity[in->op] > 1 ? from[in->b] : 0;
    switch (in->op) {
    case IMP_OP_ENV:
        return isnan(env[in->a]) ? in->a + 1 : 0;
    case IMP_OP_DOT:
        for (uint32_t p = 0; p < in->b && !a; p++) {
            const uint32_t *factor = pool + in->a + 3 * p + 1;
            a = from[factor[0]] ? from[factor[0]] : from[factor[1]];
        }
        return a;
    case IMP_OP_SELECT:
        return a ? a : from[reg[in->a] != 0.0 ? in->b : in->c];
    case IMP_OP_AND:
    case IMP_OP_OR:
        /* one side that is known may settle it */
        if ((!a && (reg[in->a] != 0.0) == (in->op == IMP_OP_OR)) ||
            (!b && (reg[in->b] != 0.0) == (in->op == IMP_OP_OR)))
            return 0;
        break;
    default:
        break;
    }
    return a ? a : b;
}

uint32_t
eval_unknown(const imp_image *im, const imp_tape *tape, const double *env)
{
    assert(im != NULL && tape != NULL && env != NULL);
    const uint32_t *outs = IMP_ARRAY(im, tape->outs, uint32_t);
    double *reg = mem_alloc((tape->code.n + 1) * (sizeof *reg + 4));
    uint32_t *from = (uint32_t *)(reg + tape->code.n + 1), found = 0;
    eval_registers(im, tape, env, NULL, NULL, reg);
    for (uint32_t i = 0; i < tape->code.n; i++)
        from[i] = unknown_from(im, tape, env, reg, from, i);
    for (uint32_t i = 0; i < tape->outs.n && !found; i++)
        found = from[outs[i]];
    free(reg);
    return found ? found - 1 : EVAL_KNOWN;
}
