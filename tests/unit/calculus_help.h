/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of graph and tapes: random numbers, one tape built and run. */
#ifndef CALCULUS_HELP_H
#define CALCULUS_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "calculus/expr.h"
#include "calculus/image.h"
#include "calculus/tape.h"
#include "runtime/tape/eval.h"

static uint64_t help_seed = 1;

static inline double
rnd(double lo, double hi)
{
    help_seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = help_seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return lo + (hi - lo) * (double)(z >> 11) * 0x1p-53;
}

static inline uint32_t
pick(uint32_t n)
{
    return (uint32_t)rnd(0, n);
}

/* env: t at 0, param i at 1 + i */
static inline uint32_t
help_env(void *ctx, const expr *leaf)
{
    (void)ctx;
    return leaf->sym == SYM_TIME ? 0 : 1 + leaf->i;
}

struct help_tape {
    const imp_image *im;
    const imp_tape *t;
    uint32_t rows[64];
    double *work;
};

static inline struct help_tape
help_build(struct graph *g, struct tape_spec s)
{
    struct help_tape h = {0};
    struct image_builder *ib = image_new(graph_arena(g));
    imp_image head = {0};
    s.name = s.name ? s.name : "test";
    s.env_of = help_env;
    uint32_t n = tape_build(g, ib, &s, h.rows);
    h.im = image_finish(ib, &head);
    h.t = IMP_ARRAY(h.im, h.im->tapes, imp_tape) + n;
    h.work = NEW_N(graph_arena(g), double, (h.t->n_rows + 1) * IMP_ROW_STRIDE);
    return h;
}

static inline double
help_coef(const struct help_tape *h, uint32_t out, int k)
{
    return h->work[h->rows[out] * IMP_ROW_STRIDE + IMP_ROW_PAD + (uint32_t)k];
}

/* time-varying products per order: pairs of DOT, MUL, DIV, CHAIN */
static inline unsigned
help_products(const struct help_tape *h)
{
    const imp_instr *code = IMP_ARRAY(h->im, h->t->code, imp_instr);
    unsigned n = 0;
    for (uint32_t i = 0; i < h->t->code.n; i++) {
        const imp_instr *in = &code[i];
        if (in->flags & (IMP_INSTR_CONST | IMP_INSTR_ORDER0))
            continue;
        if (in->op == IMP_OP_DOT)
            n += in->b;
        else if (in->op == IMP_OP_MUL || in->op == IMP_OP_DIV)
            n += !(code[in->a].flags & IMP_INSTR_CONST) &&
                 !(code[in->b].flags & IMP_INSTR_CONST);
        else if (in->op >= IMP_OP_SQRT && in->op < IMP_OP_ABS)
            n++;
    }
    return n;
}

#endif
