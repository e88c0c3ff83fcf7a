/* SPDX-License-Identifier: MIT */
/* Recorded rows of `simulate`: the expressions of `record` at the times asked
 * for and at every event (before and after an impact). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"

#define SIMULATE_STEPS 200 /* rows when neither `at` nor `every` is given */
#define SIMULATE_ROWS_MOST 10000000.0

static size_t
item_size(const imp_val *v)
{
    return (size_t)(v->rows ? v->rows : 1) * (v->cols ? v->cols : 1);
}

int
simulate_read_items(struct simulation *s)
{
    const imp_val *v = arg_option(s->a, s->c, IMP_OPT_simulate_record);
    if (!v)
        return IMP_OK;
    s->item = v->kind == IMP_VAL_LIST ? val_items(s->a, v) : v;
    s->n_items = v->kind == IMP_VAL_LIST ? v->items.n : 1;
    for (uint32_t i = 0; i < s->n_items; i++)
        s->row_width += item_size(&s->item[i]);
    return IMP_OK;
}

static int
compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* numbers of a TIMES value */
static int
gather(struct simulation *s, const imp_val *v)
{
    if (v->kind == IMP_VAL_LIST) {
        const imp_val *item = val_items(s->a, v);
        for (uint32_t i = 0; i < v->items.n; i++) {
            int st = gather(s, &item[i]);
            if (st)
                return st;
        }
        return IMP_OK;
    }
    size_t n = item_size(v);
    if (v->kind == IMP_VAL_FIELD) {
        const struct record *r = arg_record(s->a, v);
        if (!r)
            return IMP_FAILED;
        n = r->v[v->field].n;
    }
    double *x = NEW_N(s->a->rt->arena, double, n ? n : 1);
    int st = arg_numbers(s->a, v, x);
    for (size_t i = 0; i < n && !st; i++)
        VEC_PUSH(&s->times, x[i]);
    return st;
}

static int
bad_times(struct simulation *s, imp_range where, const char *what, double x)
{
    char t[NUM_TEXT], u[NUM_TEXT];
    struct diag *d =
        diag_add(s->a->ds, DIAG_E0705, where, what, num_shortest(t, x));
    diag_help(s->a->ds, d, "the run goes from 0 to `until` = %s s",
              num_shortest(u, s->until));
    return IMP_BADMODEL;
}

int
simulate_read_times(struct simulation *s)
{
    const imp_val *at = arg_option(s->a, s->c, IMP_OPT_simulate_at);
    const imp_val *every = arg_option(s->a, s->c, IMP_OPT_simulate_every);
    int st;
    if (at) {
        if ((st = gather(s, at)))
            return st;
        for (size_t i = 0; i < s->times.n; i++)
            if (!(s->times.v[i] >= 0.0 && s->times.v[i] <= s->until))
                return bad_times(s, at->range,
                                 "the time %s s of `at` is outside the run",
                                 s->times.v[i]);
    }
    if (every) {
        double dt;
        if ((st = arg_numbers(s->a, every, &dt)))
            return st;
        if (!(dt > 0.0) || s->until / dt > SIMULATE_ROWS_MOST)
            return bad_times(s, every->range,
                             "`every` is %s s: it must be positive and give at "
                             "most 10^7 rows",
                             dt);
        /* the last one is `until` where it is a multiple to rounding */
        double ends = s->until + 2.0 * DBL_EPSILON * s->until;
        for (double k = 0.0; k * dt <= ends; k += 1.0)
            VEC_PUSH(&s->times, fmin(k * dt, s->until));
    }
    if (!at && !every)
        for (int k = 0; k <= SIMULATE_STEPS; k++)
            VEC_PUSH(&s->times, k == SIMULATE_STEPS
                                    ? s->until
                                    : s->until * k / SIMULATE_STEPS);
    if (s->times.n > 1)
        qsort(s->times.v, s->times.n, sizeof *s->times.v, compare);
    size_t n = 0;
    for (size_t i = 0; i < s->times.n; i++)
        if (!n || s->times.v[i] > s->times.v[n - 1])
            s->times.v[n++] = s->times.v[i];
    s->times.n = n;
    return IMP_OK;
}

int
simulate_row(struct simulation *s)
{
    if (s->row_fresh)
        return IMP_OK;
    if (s->row == NULL)
        s->row = NEW_N(s->a->rt->arena, double, s->row_width + 3);
    double *x = s->row, *p = x;
    for (uint32_t i = 0; i < s->n_items; i++) {
        int st = arg_numbers(s->a, &s->item[i], p);
        if (st)
            return st;
        p += item_size(&s->item[i]);
    }
    VEC_PUSH(&s->t, rt_time(s->a->rt));
    for (size_t k = 0; k < s->row_width; k++)
        VEC_PUSH(&s->rows, x[k]);
    s->row_fresh = true;
    return IMP_OK;
}

void
simulate_put_rows(struct simulation *s, struct record *out)
{
    struct analysis *a = s->a;
    size_t n = s->t.n, at = 0;
    SET_LIST("t", s->t.v, n);
    for (uint32_t i = 0; i < s->n_items; i++) {
        size_t w = item_size(&s->item[i]);
        double *x = NEW_N(a->rt->arena, double, n *w + 1);
        for (size_t k = 0; k < n; k++)
            memcpy(x + k * w, s->rows.v + k * s->row_width + at, w * sizeof *x);
        at += w;
        for (size_t f = 0; f < out->n; f++)
            if (out->schema[f].column == i + 1)
                SET_LIST(imp_text(a->rt->im, out->schema[f].name), x, n);
    }
}
