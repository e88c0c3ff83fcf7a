/* SPDX-License-Identifier: MIT */
/* Sums that cancel to rounding below a power of an absolute value. A damper
 * -C sign(u) |u|^p with p < 1 brings a rate u to rest in a finite time, and
 * closed contacts hold rates at rest. Where u is a sum of rates of the state,
 * as in coordinates in which several rates make one, rounding is left of it,
 * not 0: the power makes of 1e-17 a force of 1e-8 and a motion of nanoseconds,
 * which leads to no end, or it has no series. Where all coefficients of u are
 * rounding of their terms the power is 0. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "runtime/tape/cancelled.h"
#include "runtime/tape/eval_priv.h"

/* What is below so many roundings of its terms is 0: of the value, which drifts
 * by a rounding with each step, and of rates, whose terms are sums, too. */
#define CANCELLED_VALUE 64.0
#define CANCELLED_RATES 1024.0

size_t
cancelled_room(size_t n)
{
    return 4 * n + (n * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
}

/* Tapes of values do not flag what is constant. */
static bool
is_constant(const struct cancelled *of, uint32_t i)
{
    return of->code[i].op == IMP_OP_CONST ||
           (of->code[i].flags & IMP_INSTR_CONST);
}

/* The size of the terms of a product. */
static double
of_product(const struct cancelled *of, uint32_t a, uint32_t b)
{
    return fabs(of->reg[a]) * of->size[b] + fabs(of->reg[b]) * of->size[a];
}

/* Makes the sizes of the terms of all coefficients c of order k. Those of a
 * variable are the ones of its rate, one order before: accelerations are what
 * is left of loads. */
static void
sizes(struct cancelled *of, const double *c, int k)
{
    for (uint32_t i = 0; i < of->n; i++) {
        const imp_instr *in = of->code + i;
        double size = 0.0;
        switch ((enum imp_op)in->op) {
        case IMP_OP_ADD:
        case IMP_OP_SUB:
            size = of->size[in->a] + of->size[in->b];
            break;
        case IMP_OP_NEG:
            size = of->size[in->a];
            break;
        case IMP_OP_MUL:
            size = of_product(of, in->a, in->b);
            break;
        case IMP_OP_DIV:
            size = of->size[in->a] / fabs(of->reg[in->b]);
            break;
        case IMP_OP_DOT:
            for (uint32_t p = 0; p < in->b; p++) {
                const uint32_t *pair = of->pool + in->a + 3 * p;
                size += of_product(of, pair[1], pair[2]);
            }
            break;
        case IMP_OP_STATE:
            size = k > 0 ? of->before[in->b] / k : 0.0;
            break;
        default:
            break;
        }
        of->size[i] = fmax(size, fabs(c[i]));
    }
}

/* Is this a power of the absolute value of a sum? */
static bool
is_power(const struct cancelled *of, uint32_t i)
{
    const imp_instr *in = of->code + i;
    if (in->op != IMP_OP_ABSPOW && in->op != IMP_OP_SGNPOW)
        return false;
    const imp_instr *base = of->code + in->a;
    return is_constant(of, in->b) && of->reg[in->b] > 0.0 &&
           base->op != IMP_OP_STATE && !(base->flags & IMP_INSTR_IMPLICIT) &&
           !is_constant(of, in->a);
}

bool
cancelled_find(const imp_image *im, const imp_tape *tape, const double *reg,
               double *room, struct cancelled *to)
{
    assert(im != NULL && tape != NULL && reg != NULL && room != NULL && to);
    uint32_t n = tape->code.n;
    bool any = false;
    *to = (struct cancelled){.code = IMP_ARRAY(im, tape->code, imp_instr),
                             .pool = IMP_ARRAY(im, tape->pool, uint32_t),
                             .reg = reg,
                             .n = n,
                             .size = room,
                             .first = room + n,
                             .faster = room + 2 * (size_t)n,
                             .before = room + 3 * (size_t)n,
                             .zero = (void *)(room + 4 * (size_t)n)};
    memset(to->zero, 0, n * sizeof *to->zero);
    for (uint32_t i = 0; i < n && !any; i++)
        any = is_power(to, i);
    if (!any)
        return false;
    any = false;
    sizes(to, reg, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t base = to->code[i].a;
        any |= to->zero[i] =
            is_power(to, i) &&
            fabs(reg[base]) <= CANCELLED_VALUE * DBL_EPSILON * to->size[base];
        to->first[i] = to->faster[i] = 0.0;
    }
    return any;
}

bool
cancelled_keeps(struct cancelled *of, const double *cur, int k)
{
    assert(of != NULL && cur != NULL && k >= 1);
    double *before = of->before;
    of->before = of->size;
    of->size = before;
    sizes(of, cur, k);
    for (uint32_t i = 0; i < of->n; i++) {
        if (!of->zero[i])
            continue;
        uint32_t base = of->code[i].a;
        double size = of->size[base];
        if (k == 1)
            of->first[i] = size;
        else if (of->first[i] > 0.0)
            of->faster[i] =
                fmax(of->faster[i], pow(size / of->first[i], 1.0 / (k - 1)));
        /* an order whose terms are little is known as well as those around */
        size = fmax(size, of->first[i] * pow(of->faster[i], k - 1));
        if (!(fabs(cur[base]) <= CANCELLED_RATES * DBL_EPSILON * size))
            return false;
    }
    return true;
}

bool
cancelled_may(const imp_image *im, const imp_tape *tape)
{
    assert(im != NULL && tape != NULL);
    const imp_instr *code = IMP_ARRAY(im, tape->code, imp_instr);
    bool any = false;
    for (uint32_t i = 0; i < tape->code.n && !any; i++)
        any = code[i].op == IMP_OP_ABSPOW || code[i].op == IMP_OP_SGNPOW;
    return any;
}

int
eval_tape_cancelled(const imp_image *im, const imp_tape *tape,
                    const double *env, const double *local, double *out)
{
    assert(im != NULL && tape != NULL && out != NULL);
    uint32_t n = tape->code.n;
    double *reg = mem_alloc((n + cancelled_room(n)) * sizeof *reg);
    struct cancelled cancelled;
    eval_registers(im, tape, env, local, NULL, reg);
    bool any = cancelled_find(im, tape, reg, reg + n, &cancelled);
    if (any)
        eval_registers_but(im, tape, cancelled.zero, env, local, NULL, reg);
    const uint32_t *outs = IMP_ARRAY(im, tape->outs, uint32_t);
    for (uint32_t i = 0; i < tape->outs.n && any; i++) {
        out[i] = reg[outs[i]];
        any = isfinite(out[i]) != 0;
    }
    free(reg);
    return any ? IMP_OK : IMP_NONFINITE;
}
