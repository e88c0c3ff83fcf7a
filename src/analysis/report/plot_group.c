/* SPDX-License-Identifier: MIT */
/* Rows of a picture that belong together: rows at one place, and rows of one
 * curve. See plot_priv.h. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/plot_priv.h"
#include "base/arena.h"
#include "base/num.h"

struct row {
    double y, x;
    size_t i;
};

static int
by_place(const void *a, const void *b)
{
    const struct row *p = a, *q = b;
    if (p->y < q->y || p->y > q->y)
        return p->y < q->y ? -1 : 1;
    if (p->x < q->x || p->x > q->x)
        return p->x < q->x ? -1 : 1;
    return p->i < q->i ? -1 : 1;
}

static bool
together(const struct row *a, const struct row *b)
{
    return !(a->x < b->x) && !(a->x > b->x) && !(a->y < b->y) && !(a->y > b->y);
}

/* puts all rows that have a place into order; returns how many they are */
static size_t
sorted(struct arena *arena, const struct out_column *x,
       const struct out_column *y, size_t n, struct row **rows)
{
    struct row *v = NEW_N(arena, struct row, n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x->x[i]) && (!y || isfinite(y->x[i])))
            v[k++] = (struct row){y ? y->x[i] : 0.0, x->x[i], i};
    qsort(v, k, sizeof *v, by_place);
    *rows = v;
    return k;
}

static double
mean(const struct row *rows, size_t n, const double *x)
{
    assert(n > 0);
    double sum = 0.0;
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[rows[i].i])) {
            sum += x[rows[i].i];
            k++;
        }
    return k ? sum / (double)k : NAN;
}

/* The text that comes most often, the first of several. It is empty only where
 * all texts are. */
static const char *
commonest(const struct row *rows, size_t n, const char *const *t)
{
    assert(n > 0);
    const char *best = "";
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        for (size_t j = i; j < n && *t[rows[i].i]; j++)
            k += !strcmp(t[rows[i].i], t[rows[j].i]);
        if (k > most) {
            most = k;
            best = t[rows[i].i];
        }
    }
    return best;
}

/* how many rows from i on are at one place */
static size_t
run_of(const struct row *rows, size_t i, size_t n)
{
    assert(i < n);
    size_t k = 1;
    while (i + k < n && together(&rows[i], &rows[i + k]))
        k++;
    return k;
}

void
plot_merge_repeats(struct arena *arena, struct out_column *x,
                   struct out_column *y, struct out_column *z)
{
    assert(x->n >= z->n && y->n >= z->n);
    struct row *rows;
    size_t n = sorted(arena, x, y, z->n, &rows), m = 0;
    for (size_t i = 0; i < n; i += run_of(rows, i, n))
        m++;
    if (m == n)
        return;
    double *p = NEW_N(arena, double, m), *q = NEW_N(arena, double, m),
           *w = NEW_N(arena, double, m);
    const char **t = NEW_N(arena, const char *, m);
    m = 0;
    for (size_t i = 0, k; i < n; i += k, m++) {
        k = run_of(rows, i, n);
        p[m] = rows[i].x;
        q[m] = rows[i].y;
        if (z->texts)
            t[m] = commonest(rows + i, k, z->texts);
        else
            w[m] = mean(rows + i, k, z->x);
    }
    x->x = p;
    y->x = q;
    x->n = y->n = z->n = m;
    if (z->texts)
        z->texts = t;
    else
        z->x = w;
}

/* -- curves ----------------------------------------------------------------
 */

/* the rows of one curve, `n` of them in order of x */
static struct out_curve
curve_of(struct arena *arena, const struct row *rows, size_t n,
         const struct out_column *x, const struct out_column *y,
         const char *name)
{
    double *p = NEW_N(arena, double, n + 1), *q = NEW_N(arena, double, n + 1);
    size_t m = 0;
    for (size_t i = 0, k; i < n; i += k, m++) {
        k = run_of(rows, i, n);
        p[m] = rows[i].x;
        q[m] = mean(rows + i, k, y->x);
    }
    return (struct out_curve){.x = {x->name, x->unit, p, m, NULL},
                              .y = {name, y->unit, q, m, NULL}};
}

/* The values of `per` as numbers. A text is numbered by the order in which
 * texts appear. */
static struct out_column
keys(struct arena *arena, const struct out_column *per)
{
    struct out_column k = *per;
    if (!per->texts)
        return k;
    double *x = NEW_N(arena, double, per->n + 1);
    const char *seen[PLOT_CURVES + 1];
    size_t m = 0;
    for (size_t i = 0; i < per->n; i++) {
        size_t j = 0;
        while (j < m && strcmp(seen[j], per->texts[i]) != 0)
            j++;
        if (j == m && m <= PLOT_CURVES)
            seen[m++] = per->texts[i];
        x[i] = *per->texts[i] ? (double)j : NAN;
    }
    k.x = x;
    return k;
}

bool
plot_curves_per_value(struct arena *arena, const struct out_column *per,
                      const struct out_column *x, const struct out_column *y,
                      bool named, struct plot_curves *to)
{
    assert(x->n >= y->n && per->n >= y->n);
    struct out_column key = keys(arena, per);
    struct row *rows;
    char s[NUM_TEXT];
    size_t n = sorted(arena, x, &key, y->n, &rows), curves = 0;
    for (size_t i = 0, k; i < n; i += k) {
        for (k = 1; i + k < n && !(rows[i + k].y > rows[i].y);)
            k++;
        if (++curves > PLOT_CURVES)
            return false;
        const char *v =
            per->texts ? per->texts[rows[i].i] : num_digits(s, rows[i].y, 6);
        const char *name = arena_printf(
            arena, "%s%s%s = %s%s%s", named ? y->name : "", named ? ", " : "",
            per->name, v, *per->unit && !per->texts ? " " : "",
            per->texts ? "" : per->unit);
        VEC_PUSH_IN(arena, to, curve_of(arena, rows + i, k, x, y, name));
    }
    return true;
}
