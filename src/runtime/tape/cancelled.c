/* SPDX-License-Identifier: MIT */
/* Sums that cancel to rounding below a power of an absolute value. A damper
 * -C sign(u) |u|^p with p < 1 brings a rate u to rest in a finite time. Where u
 * is a sum of rates of the state, as in coordinates in which several rates make
 * one, rounding is left of it, not 0: the power makes of 1e-17 a force of 1e-8
 * and a motion of nanoseconds, which leads to no end. Where all coefficients of
 * u are rounding of their terms the power is 0. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/tape/cancelled.h"

/* What is below so many roundings of its terms is 0: of the value, which drifts
 * by a rounding with each step, and of rates, whose terms are sums, too. */
#define CANCELLED_VALUE 64.0
#define CANCELLED_RATES 1024.0

size_t
cancelled_room(size_t n)
{
    return 3 * n + (n * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
}

/* The size of the terms of a product, where one factor is a constant. */
static double
of_product(const struct cancelled *of, uint32_t a, uint32_t b, double product)
{
    if (of->code[a].flags & IMP_INSTR_CONST)
        return fabs(of->reg[a]) * of->size[b];
    if (of->code[b].flags & IMP_INSTR_CONST)
        return fabs(of->reg[b]) * of->size[a];
    return fabs(product);
}

/* Makes the sizes of the terms of all coefficients c of one order. */
static void
sizes(struct cancelled *of, const double *c)
{
    for (uint32_t i = 0; i < of->n; i++) {
        const imp_instr *in = of->code + i;
        double *size = of->size + i;
        switch ((enum imp_op)in->op) {
        case IMP_OP_ADD:
        case IMP_OP_SUB:
            *size = of->size[in->a] + of->size[in->b];
            break;
        case IMP_OP_NEG:
            *size = of->size[in->a];
            break;
        case IMP_OP_MUL:
            *size = of_product(of, in->a, in->b, c[i]);
            break;
        case IMP_OP_DOT:
            *size = 0.0;
            for (uint32_t p = 0; p < in->b; p++) {
                const uint32_t *pair = of->pool + in->a + 3 * p;
                *size += of_product(of, pair[1], pair[2], c[i]);
            }
            break;
        default:
            *size = fabs(c[i]);
            break;
        }
    }
}

/* Is this a power of an absolute value that is steep at 0, of a sum? */
static bool
is_steep(const struct cancelled *of, uint32_t i)
{
    const imp_instr *in = of->code + i;
    if (in->op != IMP_OP_ABSPOW && in->op != IMP_OP_SGNPOW)
        return false;
    double power = of->reg[in->b];
    const imp_instr *base = of->code + in->a;
    return (of->code[in->b].flags & IMP_INSTR_CONST) && power > 0.0 &&
           power < 1.0 && base->op != IMP_OP_STATE &&
           !(base->flags &
             (IMP_INSTR_CONST | IMP_INSTR_ORDER0 | IMP_INSTR_IMPLICIT));
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
                             .zero = (void *)(room + 3 * (size_t)n)};
    memset(to->zero, 0, n * sizeof *to->zero);
    for (uint32_t i = 0; i < n && !any; i++)
        any = is_steep(to, i);
    if (!any)
        return false;
    any = false;
    sizes(to, reg);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t base = to->code[i].a;
        any |= to->zero[i] =
            is_steep(to, i) &&
            fabs(reg[base]) <= CANCELLED_VALUE * DBL_EPSILON * to->size[base];
        to->first[i] = to->faster[i] = 0.0;
    }
    return any;
}

bool
cancelled_keeps(struct cancelled *of, const double *cur, int k)
{
    assert(of != NULL && cur != NULL && k >= 1);
    sizes(of, cur);
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
