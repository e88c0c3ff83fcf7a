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

/* Puts all rows that have a place into order; returns how many they are.
 * as_told: rows with the same y stay in their order, each at a place of its
 * own. */
static size_t
sorted(struct arena *arena, const struct out_column *x_axis,
       const struct out_column *y_axis, size_t n, bool as_told,
       struct row **rows)
{
    struct row *v = NEW_N(arena, struct row, n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x_axis->x[i]) && (!y_axis || isfinite(y_axis->x[i])))
            v[k++] = (struct row){y_axis ? y_axis->x[i] : 0.0,
                                  as_told ? (double)i : x_axis->x[i], i};
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
commonest(const struct row *rows, size_t n, const char *const *texts)
{
    assert(n > 0);
    const char *best = "";
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        for (size_t j = i; j < n && *texts[rows[i].i]; j++)
            k += !strcmp(texts[rows[i].i], texts[rows[j].i]);
        if (k > most) {
            most = k;
            best = texts[rows[i].i];
        }
    }
    return best;
}

/* Returns how many rows from i on are at one place. */
static size_t
run_of(const struct row *rows, size_t i, size_t n)
{
    assert(i < n);
    size_t k = 1;
    while (i + k < n && together(&rows[i], &rows[i + k]))
        k++;
    return k;
}

/* Do all places come in rising order, the entries of `first` before those of
 * `second`? Then none comes twice; sweeps over two params are so. */
static bool
rising(const double *first, const double *second, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(first[i]) || !isfinite(second[i]) ||
            (i && !(first[i] > first[i - 1]) &&
             (first[i] < first[i - 1] || !(second[i] > second[i - 1]))))
            return false;
    return true;
}

void
plot_merge_repeats(struct arena *arena, struct out_column *x_axis,
                   struct out_column *y_axis, struct out_column *values)
{
    assert(x_axis->n >= values->n && y_axis->n >= values->n);
    if (rising(x_axis->x, y_axis->x, values->n) ||
        rising(y_axis->x, x_axis->x, values->n))
        return;
    struct row *rows;
    size_t places = sorted(arena, x_axis, y_axis, values->n, false, &rows),
           merged = 0;
    for (size_t i = 0; i < places; i += run_of(rows, i, places))
        merged++;
    if (merged == places)
        return;
    double *x_merged = NEW_N(arena, double, merged),
           *y_merged = NEW_N(arena, double, merged),
           *means = NEW_N(arena, double, merged);
    const char **texts = NEW_N(arena, const char *, merged);
    merged = 0;
    for (size_t i = 0, k; i < places; i += k, merged++) {
        k = run_of(rows, i, places);
        x_merged[merged] = rows[i].x;
        y_merged[merged] = rows[i].y;
        if (values->texts)
            texts[merged] = commonest(rows + i, k, values->texts);
        else
            means[merged] = mean(rows + i, k, values->x);
    }
    x_axis->x = x_merged;
    y_axis->x = y_merged;
    x_axis->n = y_axis->n = values->n = merged;
    if (values->texts)
        values->texts = texts;
    else
        values->x = means;
}

/* -- curves ----------------------------------------------------------------
 */

/* Returns the curve of `n` rows; those at one place are one point of it. */
static struct out_curve
curve_of(struct arena *arena, const struct row *rows, size_t n,
         const struct out_column *x_axis, const struct out_column *y_axis,
         const char *name)
{
    double *p = NEW_N(arena, double, n + 1), *q = NEW_N(arena, double, n + 1);
    size_t m = 0;
    for (size_t i = 0, k; i < n; i += k, m++) {
        k = run_of(rows, i, n);
        p[m] = x_axis->x[rows[i].i];
        q[m] = mean(rows + i, k, y_axis->x);
    }
    return (struct out_curve){.x = {x_axis->name, x_axis->unit, p, m, NULL},
                              .y = {name, y_axis->unit, q, m, NULL}};
}

/* The values of `per` as numbers. A text is numbered by the order in which
 * texts appear. */
static struct out_column
keys(struct arena *arena, const struct out_column *per)
{
    struct out_column key = *per;
    if (!per->texts)
        return key;
    double *numbers = NEW_N(arena, double, per->n + 1);
    const char *seen[PLOT_CURVES + 1];
    size_t m = 0;
    for (size_t i = 0; i < per->n; i++) {
        size_t j = 0;
        while (j < m && strcmp(seen[j], per->texts[i]) != 0)
            j++;
        if (j == m && m <= PLOT_CURVES)
            seen[m++] = per->texts[i];
        numbers[i] = *per->texts[i] ? (double)j : NAN;
    }
    key.x = numbers;
    return key;
}

bool
plot_curves_per_value(struct arena *arena, const struct out_column *per,
                      const struct out_column *x_axis,
                      const struct out_column *y_axis, bool named, bool as_told,
                      struct plot_curves *to)
{
    assert(x_axis->n >= y_axis->n && per->n >= y_axis->n);
    struct out_column key = keys(arena, per);
    struct row *rows;
    char digits[NUM_TEXT];
    size_t n = sorted(arena, x_axis, &key, y_axis->n, as_told, &rows),
           curves = 0;
    for (size_t row = 0, run; row < n; row += run) {
        for (run = 1; row + run < n && !(rows[row + run].y > rows[row].y);)
            run++;
        if (++curves > PLOT_CURVES)
            return false;
        const char *v = per->texts ? per->texts[rows[row].i]
                                   : num_digits(digits, rows[row].y, 6);
        bool unit = !per->texts && *per->unit && strcmp(per->unit, "1") != 0;
        const char *name =
            arena_printf(arena, "%s%s%s = %s%s%s", named ? y_axis->name : "",
                         named ? ", " : "", per->name, v, unit ? " " : "",
                         unit ? per->unit : "");
        VEC_PUSH_IN(arena, to,
                    curve_of(arena, rows + row, run, x_axis, y_axis, name));
    }
    return true;
}
