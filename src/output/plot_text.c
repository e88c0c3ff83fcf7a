/* SPDX-License-Identifier: MIT */
/* Plots in the terminal: axes with round ticks, one mark per series, and a
 * dotted line at y = 0. Values that are not finite are left out and counted.
 * Data that are constant, or vary only by rounding, get a range of their own,
 * so that rounding noise does not fill the picture. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "output/writer.h"

#define PLOT_ROWS 20
/* a range smaller than this share of the values is rounding noise */
#define PLOT_NOISE (64.0 * DBL_EPSILON)

static const char marks[] = "*o+x#@%&";

struct axis {
    double lo, hi, step;
    int digits; /* how many significant digits tell two ticks apart */
};

static void
range_of(const struct out_column *column, double *lo, double *hi)
{
    for (size_t i = 0; i < column->n; i++)
        if (isfinite(column->x[i])) {
            *lo = fmin(*lo, column->x[i]);
            *hi = fmax(*hi, column->x[i]);
        }
}

/* round ticks 1, 2, 5 x 10^k, about `want` of them; `grow`: the axis ends on
 * ticks */
static struct axis
axis_make(double lo, double hi, int want, bool grow)
{
    if (!(lo <= hi))
        lo = 0.0, hi = 1.0;
    double big = fmax(fabs(lo), fabs(hi));
    if (hi - lo <= PLOT_NOISE * big) {
        double mid = lo + (hi - lo) / 2.0;
        double half = big > 0.0 ? 0.1 * big : 1.0;
        lo = mid - half;
        hi = mid + half;
    }
    lo = fmax(lo, -DBL_MAX / 8.0);
    hi = fmin(hi, DBL_MAX / 8.0);
    double raw = (hi - lo) / want;
    double ten = pow(10.0, floor(log10(raw)));
    if (!(ten > 0.0))
        ten = raw;
    double f = raw / ten;
    struct axis axis = {lo, hi,
                        (f <= 1.0   ? 1.0
                         : f <= 2.0 ? 2.0
                         : f <= 5.0 ? 5.0
                                    : 10.0) *
                            ten,
                        0};
    if (grow) {
        /* values that miss a tick by rounding do not widen the axis */
        axis.lo = floor(lo / axis.step + 1e-9) * axis.step;
        axis.hi = ceil(hi / axis.step - 1e-9) * axis.step;
    }
    double d = ceil(log10(fmax(big, axis.step) / axis.step)) + 1.0;
    axis.digits = d < 2.0 ? 2 : d > 17.0 ? 17 : (int)d;
    return axis;
}

/* the k-th tick at or above the start of the axis */
static double
axis_tick(const struct axis *a, int k)
{
    double x = (ceil(a->lo / a->step - 1e-9) + k) * a->step;
    return fabs(x) < 1e-9 * a->step ? 0.0 : x;
}

static long
place(const struct axis *a, double x, long cells)
{
    double u = (x - a->lo) / (a->hi - a->lo) * (double)(cells - 1);
    return lround(fmin(fmax(u, 0.0), (double)(cells - 1)));
}

struct canvas {
    char *cell;
    long w, h;
};

static void
put(struct canvas *c, long x, long y, char m)
{
    c->cell[(c->h - 1 - y) * c->w + x] = m;
}

/* the cells of a straight line (Bresenham) */
static void
line(struct canvas *drawing, long x0, long y0, long x1, long y1, char mark)
{
    long dx = labs(x1 - x0), dy = -labs(y1 - y0), e = dx + dy;
    long sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    for (;;) {
        put(drawing, x0, y0, mark);
        if (x0 == x1 && y0 == y1)
            return;
        long e2 = 2 * e;
        if (e2 >= dy) {
            e += dy;
            x0 += sx;
        }
        if (e2 <= dx) {
            e += dx;
            y0 += sy;
        }
    }
}

static size_t
series(struct canvas *canvas, const struct axis *ax, const struct axis *ay,
       const struct out_column *x_axis, const struct out_column *y_axis,
       char mark)
{
    size_t bad = 0, n = x_axis->n < y_axis->n ? x_axis->n : y_axis->n;
    bool pen = false;
    long px = 0, py = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x_axis->x[i]) || !isfinite(y_axis->x[i])) {
            bad++;
            pen = false;
            continue;
        }
        long cx = place(ax, x_axis->x[i], canvas->w),
             cy = place(ay, y_axis->x[i], canvas->h);
        if (pen)
            line(canvas, px, py, cx, cy, mark);
        else
            put(canvas, cx, cy, mark);
        px = cx;
        py = cy;
        pen = true;
    }
    return bad;
}

static void
spaces(struct buf *buf, size_t n)
{
    while (n--)
        buf_putc(buf, ' ');
}

/* the label of a row: of the tick that falls on it, or "" */
static void
row_label(char digits[NUM_TEXT], const struct axis *a, long row, long rows)
{
    digits[0] = 0;
    for (int k = 0; k < 40; k++) {
        double t = axis_tick(a, k);
        if (t > a->hi + 1e-9 * a->step)
            return;
        if (place(a, t, rows) == row) {
            num_digits(digits, t, a->digits);
            return;
        }
    }
}

static void
x_axis(struct buf *buf, const struct axis *ax, size_t margin, long width)
{
    char digits[NUM_TEXT];
    struct buf rules = {0}, texts = {0};
    char *rule = buf_room(&rules, (size_t)width);
    char *text = buf_room(&texts, (size_t)width + 40);
    memset(rule, '-', (size_t)width);
    memset(text, ' ', (size_t)width + 38);
    long free_from = 0;
    for (int k = 0; k < 40; k++) {
        double t = axis_tick(ax, k);
        if (t > ax->hi + 1e-9 * ax->step)
            break;
        long at = place(ax, t, width);
        rule[at] = '+';
        num_digits(digits, t, ax->digits);
        long n = (long)strlen(digits), from = at - n / 2;
        if (from < 0)
            from = 0;
        if (from >= free_from && from + n < width + 8) {
            memcpy(text + from, digits, (size_t)n);
            free_from = from + n + 2;
        }
    }
    spaces(buf, margin);
    buf_printf(buf, "+%s\n", rule);
    size_t end = (size_t)width + 38;
    while (end && text[end - 1] == ' ')
        end--;
    text[end] = 0;
    spaces(buf, margin + 1);
    buf_printf(buf, "%s\n", text);
    buf_free(&rules);
    buf_free(&texts);
}

/* Draws a plot of characters in the terminal. */
static void
out_plot_text(struct output *output, const char *title,
              const struct out_column *across, const struct out_curve *curves,
              size_t n_v)
{
    double lo = INFINITY, hi = -INFINITY, xlo = INFINITY, xhi = -INFINITY;
    for (size_t j = 0; j < n_v; j++) {
        range_of(&curves[j].y, &lo, &hi);
        range_of(&curves[j].x, &xlo, &xhi);
    }
    struct axis ay = axis_make(lo, hi, 5, true);
    size_t margin = 0;
    char digits[NUM_TEXT];
    for (long r = 0; r < PLOT_ROWS; r++) {
        row_label(digits, &ay, r, PLOT_ROWS);
        margin = strlen(digits) > margin ? strlen(digits) : margin;
    }
    long width = output->width > 40 ? output->width : 80;
    long plot_width = width - (long)margin - 4;
    plot_width = plot_width < 20 ? 20 : plot_width;
    struct axis ax = axis_make(
        xlo, xhi, (int)(plot_width / 14 > 2 ? plot_width / 14 : 2), false);

    struct buf cells = {0};
    struct canvas canvas = {buf_room(&cells, (size_t)(plot_width * PLOT_ROWS)),
                            plot_width, PLOT_ROWS};
    memset(canvas.cell, ' ', (size_t)(plot_width * PLOT_ROWS));
    if (ay.lo < 0.0 && ay.hi > 0.0)
        for (long i = 0; i < plot_width; i += 2)
            put(&canvas, i, place(&ay, 0.0, PLOT_ROWS), '.');
    size_t bad = 0;
    for (size_t j = 0; j < n_v; j++)
        bad += series(&canvas, &ax, &ay, &curves[j].x, &curves[j].y,
                      marks[j % (sizeof marks - 1)]);

    struct buf buf = {0};
    buf_printf(&buf, "%s\n", title);
    for (size_t j = 0; j < n_v; j++) {
        const char *u = curves[j].y.unit;
        buf_printf(&buf, "  %c %s%s%s%s\n", marks[j % (sizeof marks - 1)],
                   curves[j].y.name, out_has_unit(u) ? " [" : "",
                   out_has_unit(u) ? u : "", out_has_unit(u) ? "]" : "");
    }
    for (long r = PLOT_ROWS - 1; r >= 0; r--) {
        row_label(digits, &ay, r, PLOT_ROWS);
        spaces(&buf, margin - strlen(digits));
        buf_puts(&buf, digits);
        buf_puts(&buf, *digits ? " +" : " |");
        const char *row = canvas.cell + (PLOT_ROWS - 1 - r) * plot_width;
        size_t n = (size_t)plot_width;
        while (n && row[n - 1] == ' ')
            n--;
        buf_put(&buf, row, n);
        buf_putc(&buf, '\n');
    }
    x_axis(&buf, &ax, margin + 1, plot_width);
    bool has = out_has_unit(across->unit);
    size_t n = strlen(across->name) + (has ? strlen(across->unit) + 3 : 0);
    size_t at = margin + 2 +
                ((size_t)plot_width > n ? ((size_t)plot_width - n) / 2 : 0);
    spaces(&buf, at);
    buf_printf(&buf, "%s%s%s%s\n", across->name, has ? " [" : "",
               has ? across->unit : "", has ? "]" : "");
    if (bad)
        buf_printf(&buf, "(%zu points that are not finite are left out)\n",
                   bad);
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
    buf_free(&cells);
}

int
out_plot(struct output *output, struct diags *ds, imp_range where,
         const char *file, const char *title, const struct out_column *x_axis,
         const struct out_column *ys, size_t n_ys)
{
    const struct out_format *format =
        file ? out_format_of(ds, where, file, OUT_PICTURE) : NULL;
    int st = IMP_OK;
    if (file && !format)
        return IMP_BADMODEL;
    struct out_curve *curves = NEW_N(ds->arena, struct out_curve, n_ys + 1);
    for (size_t j = 0; j < n_ys; j++)
        curves[j] = (struct out_curve){.x = *x_axis, .y = ys[j]};
    if (out_plot_as_data(output, ds, where, format, file, title, x_axis, NULL,
                         curves, n_ys, &st))
        return st;
    bool draw = output->dir && file;
    if (draw && (st = out_plot_gnuplot(output, ds, where, format, file, title,
                                       x_axis, ys, n_ys)))
        return st;
    if (!output->json && !draw) {
        out_plot_text(output, title, x_axis, curves, n_ys);
        return IMP_OK;
    }
    out_plotted(output, file, title, draw, x_axis, ys, n_ys);
    return IMP_OK;
}

int
out_curves(struct output *output, struct diags *ds, imp_range where,
           const char *file, const char *title, const struct out_column *x_axis,
           const struct out_column *y_axis, const struct out_curve *curves,
           size_t n_curves)
{
    const struct out_format *format =
        out_format_of(ds, where, file, OUT_PICTURE);
    int st = IMP_OK;
    if (!format)
        return IMP_BADMODEL;
    if (out_plot_as_data(output, ds, where, format, file, title, x_axis, NULL,
                         curves, n_curves, &st))
        return st;
    if (output->dir &&
        (st = out_curves_gnuplot(output, ds, where, format, file, title, x_axis,
                                 y_axis, curves, n_curves)))
        return st;
    if (!output->json && !output->dir)
        out_plot_text(output, title, x_axis, curves, n_curves);
    else
        out_plotted_curves(output, file, title, output->dir != NULL, x_axis,
                           NULL, curves, n_curves);
    return IMP_OK;
}
