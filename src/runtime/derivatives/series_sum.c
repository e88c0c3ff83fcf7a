/* SPDX-License-Identifier: MIT */
/* Which expressions along a run are sums of multiples of variables, by the
 * tapes of their series. */
#include "runtime/derivatives/series_sum.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

/* What the registers of a series tape are, as far as they are sums of multiples
 * of the variables of a block and of a constant: `width` numbers each, the
 * constant last. */
struct sums {
    const struct rt *run;
    uint32_t block, width; /* IMP_NO_BLOCK: no variable has been read */
    double *of;
    bool *are; /* per register: it is such a sum */
};

static bool
is_constant(const double *sum, uint32_t width)
{
    for (uint32_t i = 0; i + 1 < width; i++)
        if (sum[i] != 0.0)
            return false;
    return true;
}

/* A variable of the block, as the row of its series. */
static bool
variable(struct sums *sums, const imp_instr *instr, double *sum)
{
    const struct rt *run = sums->run;
    if (instr->a >= run->im->blocks.n ||
        (sums->block != IMP_NO_BLOCK && sums->block != instr->a))
        return false;
    sums->block = instr->a;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + instr->a;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    for (uint32_t i = 0; i < block->rows.n && i + 1 < sums->width; i++)
        if (row[i] == instr->b) {
            sum[i] = 1.0;
            return block->rows.n < sums->width;
        }
    return false;
}

static bool
constant(const struct sums *sums, const imp_tape *tape, const imp_instr *instr,
         double *value)
{
    const struct rt *run = sums->run;
    uint32_t params = run->im->layout.params;
    if (instr->op == IMP_OP_CONST)
        *value = IMP_ARRAY(run->im, tape->consts, double)[instr->a];
    else if (instr->a >= params && instr->a - params < run->im->params.n)
        *value = run->env[instr->a];
    else
        return false;
    return true;
}

/* Adds `times` a register. */
static void
add(const struct sums *sums, double *sum, uint32_t reg, double times)
{
    for (uint32_t i = 0; i < sums->width; i++)
        sum[i] += times * sums->of[(size_t)reg * sums->width + i];
}

/* Adds a product, one of whose factors is constant. */
static bool
add_product(const struct sums *sums, double *sum, uint32_t a, uint32_t b,
            double sign)
{
    uint32_t width = sums->width;
    const double *x = sums->of + (size_t)a * width,
                 *y = sums->of + (size_t)b * width;
    if (!sums->are[a] || !sums->are[b])
        return false;
    if (is_constant(x, width))
        add(sums, sum, b, sign * x[width - 1]);
    else if (is_constant(y, width))
        add(sums, sum, a, sign * y[width - 1]);
    else
        return false;
    return true;
}

static bool
sum_of(struct sums *sums, const imp_tape *tape, const imp_instr *instr,
       double *sum)
{
    uint32_t width = sums->width;
    switch (instr->op) {
    case IMP_OP_CONST:
    case IMP_OP_ENV:
        return constant(sums, tape, instr, sum + width - 1);
    case IMP_OP_ROW:
        return variable(sums, instr, sum);
    case IMP_OP_NEG:
        add(sums, sum, instr->a, -1.0);
        return sums->are[instr->a];
    case IMP_OP_ADD:
    case IMP_OP_SUB:
        add(sums, sum, instr->a, 1.0);
        add(sums, sum, instr->b, instr->op == IMP_OP_SUB ? -1.0 : 1.0);
        return sums->are[instr->a] && sums->are[instr->b];
    case IMP_OP_MUL:
        return add_product(sums, sum, instr->a, instr->b, 1.0);
    case IMP_OP_DIV:
        add(sums, sum, instr->a,
            1.0 / sums->of[(size_t)instr->b * width + width - 1]);
        return sums->are[instr->a] && sums->are[instr->b] &&
               is_constant(sums->of + (size_t)instr->b * width, width);
    case IMP_OP_DOT: {
        const uint32_t *triple =
            IMP_ARRAY(sums->run->im, tape->pool, uint32_t) + instr->a;
        for (uint32_t i = 0; i < instr->b; i++, triple += 3)
            if (!add_product(sums, sum, triple[1], triple[2],
                             triple[0] ? -1.0 : 1.0))
                return false;
        return true;
    }
    default:
        return false;
    }
}

bool
series_sum(const struct rt *run, const imp_val *val, uint32_t *block,
           double *weight, uint32_t most, double *constant)
{
    assert(run && val && block && weight && constant);
    if (val->series.n != 1 || val->contacts.n || val->slots.n)
        return false;
    const imp_want *want = IMP_ARRAY(run->im, val->series, imp_want);
    const imp_series *series =
        IMP_ARRAY(run->im, run->im->series, imp_series) + want->series;
    const imp_tape *tape = rt_tape(run, series->tape);
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    struct sums sums = {run, IMP_NO_BLOCK, most + 1, NULL, NULL};
    sums.of = NEW_N(run->brief, double, (size_t)tape->code.n *sums.width + 1);
    sums.are = NEW_N(run->brief, bool, (size_t)tape->code.n + 1);
    for (uint32_t i = 0; i < tape->code.n; i++) {
        double *sum = sums.of + (size_t)i * sums.width;
        sums.are[i] = sum_of(&sums, tape, code + i, sum);
        if (code[i].row != series->row)
            continue;
        memcpy(weight, sum, most * sizeof *weight);
        *constant = sum[most];
        *block = sums.block;
        return sums.are[i] && sums.block != IMP_NO_BLOCK;
    }
    return false;
}
