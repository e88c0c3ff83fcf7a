/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of the set-up as runs (imp_fill). What a model of many bodies states
 * is mostly numbers, random numbers and params as they are: a tape would have
 * an instruction for each, and a register for each of the zeros between them.
 * Rows of equal length are looked at column by column, for in a column members
 * of a family have the same number, numbers of their own, or random numbers at
 * equal distances in env. What is none of these is an output of the tape. */
#include <assert.h>
#include <string.h>

#include "mechanics/mech_priv.h"

static bool
same_bits(double one, double two)
{
    return memcmp(&one, &two, sizeof one) == 0;
}

/* Where a number comes from, as imp_fill; false: it is 0. first_draw: of its
 * row. */
static bool
source_of(struct mech *mech, struct setup_table *table, const expr *e,
          uint32_t first_draw, uint32_t *kind, uint32_t *from)
{
    if (e->op == IMP_OP_CONST) {
        *kind = IMP_FILL_NUMBER;
        return !same_bits(e->num, 0.0);
    }
    bool read = !e->a && (e->sym == SYM_DRAW || e->sym == SYM_PARAM);
    *kind = read ? IMP_FILL_ENV : IMP_FILL_TAPE;
    if (read)
        *from = mech_env_of(mech, e) + (e->sym == SYM_DRAW ? first_draw : 0);
    else
        *from = (uint32_t)table->outs.n;
    return true;
}

/* A number takes its place in the table: its own, or that of the one before if
 * that is the same and `again` may be. */
static void
keep(struct mech *mech, struct setup_table *table, const expr *e, uint32_t kind,
     bool again, uint32_t *from)
{
    if (kind == IMP_FILL_NUMBER) {
        size_t n = table->numbers.n;
        if (again && n && same_bits(table->numbers.v[n - 1], e->num)) {
            *from = (uint32_t)n - 1;
            return;
        }
        *from = (uint32_t)n;
        VEC_PUSH_IN(mech->arena, &table->numbers, e->num);
    } else if (kind == IMP_FILL_TAPE) {
        size_t n = table->outs.n;
        if (again && n && table->outs.v[n - 1] == e) {
            *from = (uint32_t)n - 1;
            return;
        }
        VEC_PUSH_IN(mech->arena, &table->outs, e);
    }
}

/* Numbers that follow a run whose numbers differ have a place each, also where
 * two are the same. */
static void
column(struct mech *mech, struct setup_table *table, const expr *const *entry,
       size_t rows, uint32_t width, uint32_t to)
{
    imp_fill run = {.n = 0};
    for (size_t i = 0; i < rows; i++, entry += width, to += width) {
        uint32_t kind, from = 0;
        bool differ = run.n > 1 && run.from_step != 0;
        uint32_t draw = table->first_draw ? table->first_draw[i] : 0;
        if (!source_of(mech, table, *entry, draw, &kind, &from) &&
            !(differ && run.kind == kind && run.to + run.n * width == to))
            continue;
        bool follows =
            run.n && run.kind == kind && run.to + run.n * width == to;
        keep(mech, table, *entry, kind, !(follows && differ), &from);
        uint32_t last = run.n ? run.from + (run.n - 1) * run.from_step : 0,
                 step = from - last;
        if (follows && from >= last && (run.n == 1 || run.from_step == step)) {
            run.from_step = step;
            run.n++;
            continue;
        }
        if (run.n)
            VEC_PUSH_IN(mech->arena, &table->fills, run);
        run = (imp_fill){
            .kind = kind, .n = 1, .to = to, .to_step = width, .from = from};
    }
    if (run.n)
        VEC_PUSH_IN(mech->arena, &table->fills, run);
}

void
setup_rows(struct mech *mech, struct setup_table *table,
           const expr *const *entry, size_t rows, uint32_t width)
{
    assert(mech && table && width > 0);
    for (uint32_t i = 0; i < width && rows; i++)
        column(mech, table, entry + i, rows, width, table->n + i);
    table->n += (uint32_t)rows * width;
}
