/* SPDX-License-Identifier: MIT */
/* Maps: one column over two others, as marks in the terminal or as colours
 * through gnuplot. A column of texts is one mark or colour per text, in the
 * order in which they come. Points need not lie on a grid: where they do (every
 * combination of both axes once, equal steps) the picture is an image. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "output/writer.h"

enum { MAP_WIDTH = 64, MAP_HEIGHT = 20, MAP_TEXTS = 26 };

struct map {
    const struct out_column *x, *y, *z;
    struct out_ticks tx, ty;
    const char *text[MAP_TEXTS];
    size_t n_text; /* further texts count as the last */
    double lo, hi; /* of numbers */
};

/* number of point i's text, or -1 where there is none */
static int
text_of(const struct map *m, size_t i)
{
    const char *s = m->z->texts[i];
    if (!*s)
        return -1;
    for (size_t k = 0; k < m->n_text; k++)
        if (!strcmp(m->text[k], s))
            return (int)k;
    return (int)m->n_text - 1;
}

static bool
there(const struct map *m, size_t i)
{
    return isfinite(m->x->x[i]) && isfinite(m->y->x[i]) &&
           (m->z->texts ? m->z->texts[i][0] != 0 : isfinite(m->z->x[i]));
}

static struct map
map_of(struct arena *a, const struct out_column *x, const struct out_column *y,
       const struct out_column *z)
{
    struct map m = {.x = x, .y = y, .z = z, .lo = INFINITY, .hi = -INFINITY};
    m.tx = out_ticks(a, x);
    m.ty = out_ticks(a, y);
    for (size_t i = 0; i < z->n; i++) {
        if (!there(&m, i))
            continue;
        if (!z->texts) {
            m.lo = fmin(m.lo, z->x[i]);
            m.hi = fmax(m.hi, z->x[i]);
            continue;
        }
        size_t k = 0;
        while (k < m.n_text && strcmp(m.text[k], z->texts[i]) != 0)
            k++;
        if (k == m.n_text && k < MAP_TEXTS)
            m.text[m.n_text++] = z->texts[i];
    }
    return m;
}

/* -- terminal ---------------------------------------------------------------
 */

static const char shades[] = ".:-=+*%#@";
static const char letters[] = "#.o+x*=%@-";

static char
mark(const struct map *m, size_t i)
{
    if (m->z->texts) {
        int k = text_of(m, i);
        return k < (int)sizeof letters - 1
                   ? letters[k]
                   : (char)('a' + (k - (int)sizeof letters + 1));
    }
    double n = (double)(sizeof shades - 1);
    double u = m->hi > m->lo ? (m->z->x[i] - m->lo) / (m->hi - m->lo) : 0.0;
    return shades[(int)fmin(floor(u * n), n - 1.0)];
}

static void
legend(struct buf *b, const struct map *m)
{
    char lo[NUM_TEXT], hi[NUM_TEXT];
    if (!m->z->texts) {
        buf_printf(b, "  %c %s", shades[0], num_digits(lo, m->lo, 6));
        if (m->hi > m->lo)
            buf_printf(b, "  to  %c %s", shades[sizeof shades - 2],
                       num_digits(hi, m->hi, 6));
        if (out_has_unit(m->z->unit))
            buf_printf(b, " %s", m->z->unit);
        buf_putc(b, '\n');
        return;
    }
    struct out_column z = *m->z;
    for (size_t k = 0; k < m->n_text; k++) {
        struct map one = *m;
        z.texts = &m->text[k];
        one.z = &z;
        buf_printf(b, "  %c %s\n", mark(&one, 0), m->text[k]);
    }
}

static void
axis_text(struct buf *b, const struct out_column *c, const struct out_ticks *t)
{
    char lo[NUM_TEXT], hi[NUM_TEXT];
    buf_printf(b, "%s = %s to %s", c->name, num_digits(lo, t->v[0], 6),
               num_digits(hi, t->v[t->n - 1], 6));
    if (out_has_unit(c->unit))
        buf_printf(b, " %s", c->unit);
}

static size_t
cell(size_t k, size_t n, size_t cells)
{
    return n <= cells ? k : k * cells / n;
}

/* place of x among the ticks, with its fraction; negative: outside */
static double
among(const struct out_ticks *t, double x)
{
    size_t k = out_tick(t, x);
    if (x < t->v[0] || x > t->v[t->n - 1])
        return -1;
    return k + 1 < t->n ? (double)k + (x - t->v[k]) / (t->v[k + 1] - t->v[k])
                        : (double)k;
}

/* the mark of curve k, and its line in the legend */
static char
curve_mark(size_t k)
{
    static const char s[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return s[k % (sizeof s - 1)];
}

static void
draw_curve(struct buf *b, const struct map *m, const struct out_curve *v,
           size_t number, char *c, size_t w, size_t h)
{
    enum { STEPS = 16 }; /* between two points: they may be a tick apart */
    for (size_t i = 0; i < v->x.n; i++)
        for (int k = 0; k < STEPS; k++) {
            double u = (double)k / STEPS, x = v->x.x[i], y = v->y.x[i];
            if (k && i + 1 < v->x.n) {
                x += u * (v->x.x[i + 1] - x);
                y += u * (v->y.x[i + 1] - y);
            }
            if (!isfinite(x) || !isfinite(y))
                continue;
            double p = among(&m->tx, x), q = among(&m->ty, y);
            if (p < 0 || q < 0)
                continue;
            c[cell((size_t)(q + 0.5), m->ty.n, h) * w +
              cell((size_t)(p + 0.5), m->tx.n, w)] = curve_mark(number);
        }
    buf_printf(b, "  %c %s\n", curve_mark(number), v->y.name);
}

static void
map_text(struct output *o, struct arena *a, const char *title,
         const struct map *m, const struct out_curve *v, size_t n)
{
    size_t w = m->tx.n < MAP_WIDTH ? m->tx.n : MAP_WIDTH;
    size_t h = m->ty.n < MAP_HEIGHT ? m->ty.n : MAP_HEIGHT;
    struct buf b = {0};
    buf_printf(&b, "%s\n", title);
    if (!w || !h) {
        buf_puts(&b, "  nothing to show\n");
    } else {
        char *c = NEW_N(a, char, w *h);
        memset(c, ' ', w * h);
        /* of several points in one cell the first is shown */
        for (size_t i = m->z->n; i-- > 0;)
            if (there(m, i))
                c[cell(out_tick(&m->ty, m->y->x[i]), m->ty.n, h) * w +
                  cell(out_tick(&m->tx, m->x->x[i]), m->tx.n, w)] = mark(m, i);
        legend(&b, m);
        for (size_t k = 0; k < n; k++)
            draw_curve(&b, m, &v[k], k, c, w, h);
        for (size_t j = h; j-- > 0;) {
            buf_puts(&b, "  |");
            buf_put(&b, c + j * w, w);
            buf_puts(&b, "|\n");
        }
        buf_puts(&b, "  across: ");
        axis_text(&b, m->x, &m->tx);
        buf_puts(&b, "; up: ");
        axis_text(&b, m->y, &m->ty);
        buf_putc(&b, '\n');
    }
    out_write(o, b.s, b.n);
    buf_free(&b);
}

/* -- gnuplot ----------------------------------------------------------------
 */

static bool
even(const struct out_ticks *t)
{
    double step = (t->v[t->n - 1] - t->v[0]) / (double)(t->n - 1);
    for (size_t i = 0; i < t->n; i++)
        if (fabs(t->v[i] - t->v[0] - (double)i * step) > 1e-6 * step)
            return false;
    return true;
}

static bool
is_grid(const struct map *m)
{
    return m->tx.n > 1 && m->ty.n > 1 && m->z->n == m->tx.n * m->ty.n &&
           even(&m->tx) && even(&m->ty);
}

/* from dark to light, also for those who see few colours; n steps, 0: even */
static void
palette(struct buf *b, size_t n)
{
    static const char *const colour[] = {"#440154", "#3b528b", "#21918c",
                                         "#5ec962", "#fde725"};
    buf_puts(b, "set palette defined (");
    for (size_t k = 0; !n && k < 5; k++)
        buf_printf(b, "%s%zu '%s'", k ? ", " : "", k, colour[k]);
    for (size_t k = 0; k < n; k++) {
        const char *c = colour[n < 2 ? 2 : n <= 5 ? k * 4 / (n - 1) : k % 5];
        buf_printf(b, "%s%zu '%s', %zu '%s'", k ? ", " : "", k, c, k + 1, c);
    }
    buf_puts(b, ")\n");
}

/* an axis as long as its ticks, with half a cell on either side */
static void
range(struct buf *b, const char *axis, const struct out_ticks *t)
{
    char s[NUM_TEXT];
    double end = t->v[t->n - 1];
    double half = 0.5 * (end - t->v[0]) / (double)(t->n - 1);
    buf_printf(b, "set %srange [%s", axis, out_digits_17(s, t->v[0] - half));
    buf_printf(b, ":%s]\n", out_digits_17(s, end + half));
}

static void
script(struct buf *b, const struct out_format *format, const char *title,
       const struct map *m, const struct out_curve *v, size_t n)
{
    char s[NUM_TEXT];
    out_plot_head(b, format, title, m->x, m->y);
    buf_puts(b, "\nset key off\nset format '%g'\n");
    if (m->z->texts)
        buf_puts(b, "set rmargin 14\n"); /* words beside the colours */
    palette(b, m->z->texts ? m->n_text : 0);
    buf_puts(b, "$d << IMP_END\n");
    for (size_t i = 0; i < m->z->n; i++) {
        if (!isfinite(m->x->x[i]) || !isfinite(m->y->x[i]))
            continue;
        buf_printf(b, "%s ", out_digits_17(s, m->x->x[i]));
        buf_printf(b, "%s ", out_digits_17(s, m->y->x[i]));
        if (!there(m, i))
            buf_puts(b, "NaN\n");
        else if (m->z->texts)
            buf_printf(b, "%d\n", text_of(m, i));
        else
            buf_printf(b, "%s\n", out_digits_17(s, m->z->x[i]));
    }
    buf_puts(b, "IMP_END\n");
    if (m->z->texts && m->n_text) {
        buf_printf(b, "set cbrange [-0.5:%zu.5]\n", m->n_text - 1);
        buf_puts(b, "set cbtics (");
        for (size_t k = 0; k < m->n_text; k++) {
            buf_puts(b, k ? ", " : "");
            out_plot_quoted(b, m->text[k]);
            buf_printf(b, " %zu", k);
        }
        buf_puts(b, ")\n");
    }
    if (n && m->tx.n > 1 && m->ty.n > 1) {
        range(b, "x", &m->tx);
        range(b, "y", &m->ty);
    }
    if (n) {
        buf_puts(b, "set key on outside bottom center horizontal\n");
        out_curves_data(b, v, n);
        out_levels_plot(b, v, n);
    }
    buf_puts(b, is_grid(m) ? "plot $d using 1:2:3 with image"
                           : "plot $d using 1:2:3 with points pointtype 5 "
                             "palette");
    buf_puts(b, n ? " notitle" : "\n");
    if (n)
        out_curves_plot(b, v, n, false);
}

int
out_map(struct output *o, struct diags *ds, imp_range where, const char *file,
        const char *title, const struct out_column *x,
        const struct out_column *y, const struct out_column *z,
        const struct out_curve *v, size_t n)
{
    const struct out_format *format =
        out_format_of(ds, where, file, OUT_PICTURE);
    int st = IMP_OK;
    if (!format)
        return IMP_BADMODEL;
    struct map m = map_of(ds->arena, x, y, z);
    bool draw = o->dir != NULL;
    if (draw) {
        struct buf b = {0};
        script(&b, format, title, &m, v, n);
        st = out_gnuplot(o, ds, where, file, &b);
        buf_free(&b);
        if (st)
            return st;
    }
    if (!draw && !o->json)
        map_text(o, ds->arena, title, &m, v, n);
    if (draw || o->json) {
        struct out_column series[] = {*y, *z};
        out_plotted_curves(o, file, title, draw, x, series, v, n);
    }
    return IMP_OK;
}
