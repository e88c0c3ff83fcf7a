/* SPDX-License-Identifier: MIT */
/* Level lines of a column over a grid of two others, by marching squares. Where
 * one end of an edge of a cell is at or above the level and the other below,
 * the line crosses the edge, at the place of linear interpolation. In a saddle
 * the mean of the four corners decides which crossings are connected. A cell
 * with a corner without a value has no line. Segments are joined at the edges
 * into runs of points; a NaN separates lines. The order depends on the data
 * alone. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "output/out_priv.h"

/* the points are no grid when the cells are more than this many times the
 * values */
#define LOOSE 4

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Puts the numbers into rising order, each once; returns how many are left. A
 * period that repeats (the inner param of a sweep) is read once. */
static size_t
once(double *v, size_t n)
{
    size_t period = 1, left = 0;
    while (period < n && v[period] > v[period - 1])
        period++;
    size_t i = period;
    while (i < n && !(v[i] < v[i - period]) && !(v[i] > v[i - period]))
        i++;
    if (i == n)
        return period;
    qsort(v, n, sizeof *v, by_size);
    for (i = 0; i < n; i++)
        if (!left || v[i] > v[left - 1])
            v[left++] = v[i];
    return left;
}

struct out_ticks
out_ticks(struct arena *arena, const struct out_column *column)
{
    assert(column);
    /* of a sweep over several params only where the value changes does it
     * count: the rest repeats the entry before it */
    struct out_ticks t = {NEW_N(arena, double, column->n + 1), 0};
    size_t n = 0;
    bool rises = true;
    for (size_t i = 0; i < column->n; i++) {
        double x = column->x[i];
        if (!isfinite(x) || (n && !(x < t.v[n - 1]) && !(x > t.v[n - 1])))
            continue;
        rises = rises && (!n || x > t.v[n - 1]);
        t.v[n++] = x;
    }
    if (!rises)
        n = once(t.v, n);
    t.n = n;
    return t;
}

size_t
out_tick(const struct out_ticks *ticks, double x)
{
    assert(ticks->n > 0);
    size_t lo = 0, hi = ticks->n;
    while (lo + 1 < hi) {
        size_t mid = (lo + hi) / 2;
        *(ticks->v[mid] <= x ? &lo : &hi) = mid;
    }
    return lo;
}

size_t
out_tick_from(const struct out_ticks *ticks, double x, size_t near)
{
    assert(near < ticks->n);
    size_t last = ticks->n - 1;
    for (size_t k = near ? near - 1 : 0; k < near + 2 && k <= last; k++)
        if (ticks->v[k] <= x && (k == last || x < ticks->v[k + 1]))
            return k;
    return out_tick(ticks, x);
}

struct grid {
    struct out_ticks x, y;
    const double *z; /* y.n rows of x.n; NaN: none */
};

/* Edges of cells by number: those along x first, x.n - 1 in each of y.n rows,
 * then those along y, x.n in each of y.n - 1 rows. */
struct lines {
    const struct grid *g;
    double level;
    uint32_t (*next)[2]; /* per edge: up to two edges that it is joined to, plus
                          * 1; 0: none */
    double *x, *y;       /* points of all lines, with a NaN between two lines */
    size_t n;
};

static size_t
along_x(const struct grid *g, size_t i, size_t j)
{
    return j * (g->x.n - 1) + i;
}
static size_t
along_y(const struct grid *g, size_t i, size_t j)
{
    return g->y.n * (g->x.n - 1) + j * g->x.n + i;
}

static void
join(struct lines *lines, size_t a, size_t b)
{
    lines->next[a][lines->next[a][0] != 0] = (uint32_t)b + 1;
    lines->next[b][lines->next[b][0] != 0] = (uint32_t)a + 1;
}

static void
square(struct lines *lines, size_t i, size_t j)
{
    const struct grid *g = lines->g;
    const double *z = g->z + j * g->x.n + i;
    double corner[4] = {z[0], z[1], z[g->x.n + 1],
                        z[g->x.n]}; /* the corners of the cell */
    size_t edge[4] = {along_x(g, i, j), along_y(g, i + 1, j),
                      along_x(g, i, j + 1), along_y(g, i, j)};
    bool up[4];
    size_t cut[4], crossings = 0;
    for (int k = 0; k < 4; k++) {
        if (!isfinite(corner[k]))
            return;
        up[k] = corner[k] >= lines->level;
    }
    for (int k = 0; k < 4; k++)
        if (up[k] != up[(k + 1) & 3])
            cut[crossings++] = edge[k];
    if (crossings == 2)
        join(lines, cut[0], cut[1]);
    if (crossings < 4)
        return;
    /* the middle is on the side of corner 0, so its two neighbours are cut off
     */
    bool mid =
        0.25 * (corner[0] + corner[1] + corner[2] + corner[3]) >= lines->level;
    bool with = mid == up[0];
    join(lines, cut[0], cut[with ? 1 : 3]);
    join(lines, cut[2], cut[with ? 3 : 1]);
}

static void
put(struct lines *lines, double x, double y)
{
    lines->x[lines->n] = x;
    lines->y[lines->n++] = y;
}

static void
put_edge(struct lines *lines, size_t e)
{
    const struct grid *g = lines->g;
    size_t flat = g->y.n * (g->x.n - 1), w = e < flat ? g->x.n - 1 : g->x.n;
    size_t k = e < flat ? e : e - flat, i = k % w, j = k / w;
    const double *z = g->z + j * g->x.n + i;
    double one = z[0], two = e < flat ? z[1] : z[g->x.n];
    double u = (lines->level - one) / (two - one);
    double x = g->x.v[i], y = g->y.v[j];
    if (e < flat)
        put(lines, x + u * (g->x.v[i + 1] - x), y);
    else
        put(lines, x, y + u * (g->y.v[j + 1] - y));
}

/* puts the line that begins at edge e into the points, and removes its joints
 */
static void
follow(struct lines *lines, size_t edge)
{
    put_edge(lines, edge);
    for (;;) {
        size_t k = lines->next[edge][0] != 0 ? 0 : 1;
        size_t to = lines->next[edge][k];
        if (!to)
            break;
        lines->next[edge][k] = 0;
        to--;
        lines->next[to][lines->next[to][0] == edge + 1 ? 0 : 1] = 0;
        put_edge(lines, to);
        edge = to;
    }
    put(lines, NAN, NAN);
}

/* l has no joints before and afterwards */
static struct out_curve
level_line(struct arena *arena, struct lines *lines, double level,
           const struct out_column *values)
{
    const struct grid *g = lines->g;
    char digits[NUM_TEXT];
    size_t edges = g->y.n * (g->x.n - 1) + (g->y.n - 1) * g->x.n;
    lines->level = level;
    lines->n = 0;
    for (size_t j = 0; j + 1 < g->y.n; j++)
        for (size_t i = 0; i + 1 < g->x.n; i++)
            square(lines, i, j);
    for (size_t e = 0; e < edges; e++) /* first the lines that have ends, then
                                        * those that are closed */
        if (!lines->next[e][0] != !lines->next[e][1])
            follow(lines, e);
    for (size_t e = 0; e < edges; e++)
        if (lines->next[e][0])
            follow(lines, e);
    num_digits(digits, level, 6);
    const char *name = arena_printf(arena, "%s = %s", values->name, digits);
    size_t size = lines->n * sizeof(double);
    return (struct out_curve){
        .x = {"", "", arena_copy(arena, lines->x, size), lines->n, NULL},
        .y = {name, values->unit, arena_copy(arena, lines->y, size), lines->n,
              NULL},
        .level = arena_strdup(arena, digits)};
}

bool
out_contours(struct arena *arena, const struct out_column *x_axis,
             const struct out_column *y_axis, const struct out_column *values,
             const double *level, size_t n_levels, struct out_curve *curves)
{
    assert(x_axis->n == values->n && y_axis->n == values->n &&
           (level || n_levels == 0));
    struct grid grid = {out_ticks(arena, x_axis), out_ticks(arena, y_axis),
                        NULL};
    size_t cells = grid.x.n * grid.y.n;
    if (grid.x.n < 2 || grid.y.n < 2 || cells / grid.x.n != grid.y.n ||
        cells > LOOSE * values->n)
        return false;
    double *c = NEW_N(arena, double, cells);
    for (size_t k = 0; k < cells; k++)
        c[k] = NAN;
    for (size_t k = 0; k < values->n; k++)
        if (isfinite(x_axis->x[k]) && isfinite(y_axis->x[k]))
            c[out_tick(&grid.y, y_axis->x[k]) * grid.x.n +
              out_tick(&grid.x, x_axis->x[k])] = values->x[k];
    grid.z = c;
    size_t edges = 2 * cells;
    struct lines l = {.g = &grid,
                      .next = arena_alloc(arena, edges * sizeof *l.next),
                      .x = NEW_N(arena, double, 2 * edges),
                      .y = NEW_N(arena, double, 2 * edges)};
    for (size_t k = 0; k < n_levels; k++)
        curves[k] = level_line(arena, &l, level[k], values);
    return true;
}

size_t
out_levels(const struct out_column *values, double level[OUT_LEVELS])
{
    assert(values != NULL);
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < values->n; i++)
        if (isfinite(values->x[i])) {
            lo = fmin(lo, values->x[i]);
            hi = fmax(hi, values->x[i]);
        }
    if (!(hi > lo))
        return 0;
    double raw = (hi - lo) / 8, ten = pow(10.0, floor(log10(raw)));
    double f = raw / ten;
    double step = (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10) * ten;
    size_t n = 0;
    for (double k = floor(lo / step) + 1; k * step < hi && n < OUT_LEVELS; k++)
        level[n++] = k * step;
    return n;
}
