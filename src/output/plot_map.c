/* SPDX-License-Identifier: MIT */
/* Maps: one column over two others, as marks in the terminal or as colours
 * through gnuplot. A column of texts has one mark or colour per text, in the
 * order in which the texts appear. Where the points are a grid (every
 * combination of both axes once, in equal steps) the picture is an image; they
 * need not be one. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "output/writer.h"

enum {
    MAP_WIDTH = 64, /* characters */
    MAP_HEIGHT = 20,
    MAP_TEXTS = 26,     /* marks that can be told apart */
    MAP_COLOURS = 9,    /* colours that can be told apart */
    MAP_PIXELS = 40000, /* cells that are drawn one by one */
    /* characters of a line of a text beside the scale; room for them */
    MAP_LINE = 26,
    MAP_LEAST = 8,
    MAP_MOST = 34,
    MAP_STEPS = 33 /* whole numbers that have a colour each */
};

struct map {
    const struct out_column *x, *y, *z;
    struct out_ticks tx, ty;
    const char *text[MAP_TEXTS];
    size_t n_text;
    bool more;     /* the last of `text` stands for all further ones */
    double lo, hi; /* of numbers */
    size_t steps;  /* colours of whole numbers from lo to hi; 0: a scale */
};

/* the number of the text of point i; -1: it has none */
static int
text_of(const struct map *map, size_t i)
{
    const char *s = map->z->texts[i];
    if (!*s)
        return -1;
    for (size_t k = 0; k < map->n_text; k++)
        if (!strcmp(map->text[k], s))
            return (int)k;
    return (int)map->n_text - 1;
}

static bool
there(const struct map *map, size_t i)
{
    return isfinite(map->x->x[i]) && isfinite(map->y->x[i]) &&
           (map->z->texts ? map->z->texts[i][0] != 0 : isfinite(map->z->x[i]));
}

/* Gives numbers that are all whole, and not too many, a colour each. */
static void
count_steps(struct map *map)
{
    for (size_t i = 0; i < map->z->n; i++)
        if (there(map, i) && map->z->x[i] != floor(map->z->x[i]))
            return;
    if (map->hi - map->lo < MAP_STEPS)
        map->steps = (size_t)(map->hi - map->lo) + 1;
}

/* texts: how many can be told apart */
static struct map
map_of(struct arena *arena, const struct out_column *x_axis,
       const struct out_column *y_axis, const struct out_column *values,
       size_t texts)
{
    assert(x_axis->n == y_axis->n && x_axis->n == values->n);
    struct map map = {
        .x = x_axis, .y = y_axis, .z = values, .lo = INFINITY, .hi = -INFINITY};
    map.tx = out_ticks(arena, x_axis);
    map.ty = out_ticks(arena, y_axis);
    for (size_t point = 0; point < values->n; point++) {
        if (!there(&map, point))
            continue;
        if (!values->texts) {
            map.lo = fmin(map.lo, values->x[point]);
            map.hi = fmax(map.hi, values->x[point]);
            continue;
        }
        size_t k = 0;
        while (k < map.n_text && strcmp(map.text[k], values->texts[point]) != 0)
            k++;
        if (k < map.n_text)
            continue;
        map.more = k == texts;
        if (!map.more)
            map.text[map.n_text++] = values->texts[point];
        else
            map.text[texts - 1] = "all others";
    }
    if (!values->texts && map.lo <= map.hi)
        count_steps(&map);
    return map;
}

/* -- terminal ---------------------------------------------------------------
 */

static const char shades[] = ".:-=+*%#@";
static const char letters[] = "#.o+x*=%@-";

static char
mark(const struct map *map, size_t i)
{
    if (map->z->texts) {
        int k = text_of(map, i);
        return k < (int)sizeof letters - 1
                   ? letters[k]
                   : (char)('a' + (k - (int)sizeof letters + 1));
    }
    double n = (double)(sizeof shades - 1);
    double u = map->hi > map->lo
                   ? (map->z->x[i] - map->lo) / (map->hi - map->lo)
                   : 0.0;
    return shades[(int)fmin(floor(u * n), n - 1.0)];
}

static void
legend(struct buf *buf, const struct map *map)
{
    char lo[NUM_TEXT], hi[NUM_TEXT];
    if (!map->z->texts) {
        buf_printf(buf, "  %c %s", shades[0], num_digits(lo, map->lo, 6));
        if (map->hi > map->lo)
            buf_printf(buf, "  to  %c %s", shades[sizeof shades - 2],
                       num_digits(hi, map->hi, 6));
        if (out_has_unit(map->z->unit))
            buf_printf(buf, " %s", map->z->unit);
        buf_putc(buf, '\n');
        return;
    }
    struct out_column z = *map->z;
    for (size_t k = 0; k < map->n_text; k++) {
        struct map one = *map;
        z.texts = &map->text[k];
        one.z = &z;
        buf_printf(buf, "  %c %s\n", mark(&one, 0), map->text[k]);
    }
}

static void
axis_text(struct buf *buf, const struct out_column *column,
          const struct out_ticks *ticks)
{
    char lo[NUM_TEXT], hi[NUM_TEXT];
    buf_printf(buf, "%s = %s to %s", column->name,
               num_digits(lo, ticks->v[0], 6),
               num_digits(hi, ticks->v[ticks->n - 1], 6));
    if (out_has_unit(column->unit))
        buf_printf(buf, " %s", column->unit);
}

static size_t
cell(size_t k, size_t n, size_t cells)
{
    return n <= cells ? k : k * cells / n;
}

/* the place of x among the ticks, with a fraction between two; negative:
 * outside */
static double
among(const struct out_ticks *ticks, double x)
{
    size_t k = out_tick(ticks, x);
    if (x < ticks->v[0] || x > ticks->v[ticks->n - 1])
        return -1;
    return k + 1 < ticks->n
               ? (double)k + (x - ticks->v[k]) / (ticks->v[k + 1] - ticks->v[k])
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
draw_curve(struct buf *buf, const struct map *map,
           const struct out_curve *curves, size_t number, char *cells,
           size_t width, size_t height)
{
    enum {
        STEPS = 16
    }; /* a line is drawn between two points, which may be a
        * tick apart */
    for (size_t i = 0; i < curves->x.n; i++)
        for (int k = 0; k < STEPS; k++) {
            double u = (double)k / STEPS, x = curves->x.x[i],
                   y = curves->y.x[i];
            if (k && i + 1 < curves->x.n) {
                x += u * (curves->x.x[i + 1] - x);
                y += u * (curves->y.x[i + 1] - y);
            }
            if (!isfinite(x) || !isfinite(y))
                continue;
            double p = among(&map->tx, x), q = among(&map->ty, y);
            if (p < 0 || q < 0)
                continue;
            cells[cell((size_t)(q + 0.5), map->ty.n, height) * width +
                  cell((size_t)(p + 0.5), map->tx.n, width)] =
                curve_mark(number);
        }
    buf_printf(buf, "  %c %s\n", curve_mark(number), curves->y.name);
}

static void
map_text(struct output *output, struct arena *arena, const char *title,
         const struct map *map, const struct out_curve *curves, size_t n_curves)
{
    size_t width = map->tx.n < MAP_WIDTH ? map->tx.n : MAP_WIDTH;
    size_t height = map->ty.n < MAP_HEIGHT ? map->ty.n : MAP_HEIGHT;
    struct buf buf = {0};
    buf_printf(&buf, "%s\n", title);
    if (!width || !height) {
        buf_puts(&buf, "  nothing to show\n");
    } else {
        char *cells = NEW_N(arena, char, width *height);
        memset(cells, ' ', width * height);
        /* where several points lie in one cell the first is shown */
        size_t x = 0, y = 0;
        for (size_t i = map->z->n; i-- > 0;) {
            if (!there(map, i))
                continue;
            x = out_tick_from(&map->tx, map->x->x[i], x);
            y = out_tick_from(&map->ty, map->y->x[i], y);
            cells[cell(y, map->ty.n, height) * width +
                  cell(x, map->tx.n, width)] = mark(map, i);
        }
        legend(&buf, map);
        for (size_t k = 0; k < n_curves; k++)
            draw_curve(&buf, map, &curves[k], k, cells, width, height);
        for (size_t j = height; j-- > 0;) {
            buf_puts(&buf, "  |");
            buf_put(&buf, cells + j * width, width);
            buf_puts(&buf, "|\n");
        }
        buf_puts(&buf, "  across: ");
        axis_text(&buf, map->x, &map->tx);
        buf_puts(&buf, "; up: ");
        axis_text(&buf, map->y, &map->ty);
        buf_putc(&buf, '\n');
    }
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
}

/* -- gnuplot ----------------------------------------------------------------
 */

static bool
even(const struct out_ticks *ticks)
{
    double step =
        (ticks->v[ticks->n - 1] - ticks->v[0]) / (double)(ticks->n - 1);
    for (size_t i = 0; i < ticks->n; i++)
        if (fabs(ticks->v[i] - ticks->v[0] - (double)i * step) > 1e-6 * step)
            return false;
    return true;
}

static bool
is_grid(const struct map *map)
{
    return map->tx.n > 1 && map->ty.n > 1 &&
           map->z->n == map->tx.n * map->ty.n && even(&map->tx) &&
           even(&map->ty);
}

/* Colour `k` of n, from dark to light, which colour-blind readers can tell
 * apart: n places on a line through five colours. */
static void
put_colour(struct buf *buf, size_t k, size_t n)
{
    static const int mark[5][3] = {{0x44, 0x01, 0x54},
                                   {0x3b, 0x52, 0x8b},
                                   {0x21, 0x91, 0x8c},
                                   {0x5e, 0xc9, 0x62},
                                   {0xfd, 0xe7, 0x25}};
    double place = n < 2 ? 2.0 : 4.0 * (double)k / (double)(n - 1);
    int from = place >= 4.0 ? 3 : (int)place;
    double part = place - from;
    buf_puts(buf, "'#");
    for (int c = 0; c < 3; c++)
        buf_printf(buf, "%02x",
                   (int)lround(mark[from][c] +
                               part * (mark[from + 1][c] - mark[from][c])));
    buf_puts(buf, "'");
}

/* n steps of colour, or a smooth scale when n is 0 */
static void
palette(struct buf *buf, size_t n)
{
    buf_puts(buf, "set palette defined (");
    for (size_t k = 0; !n && k < 5; k++) {
        buf_printf(buf, "%s%zu ", k ? ", " : "", k);
        put_colour(buf, k, 5);
    }
    for (size_t k = 0; k < n; k++) {
        buf_printf(buf, "%s%zu ", k ? ", " : "", k);
        put_colour(buf, k, n);
        buf_printf(buf, ", %zu ", k + 1);
        put_colour(buf, k, n);
    }
    buf_puts(buf, ")\n");
}

/* Returns the length of the first line of a text beside the scale; a long one
 * goes on in a line of its own behind a comma. */
static size_t
line_length(const char *text)
{
    size_t n = strlen(text), end = n;
    for (size_t k = 1; n > MAP_LINE && k < n; k++)
        if (text[k - 1] == ',' && text[k] == ' ' && (end == n || k <= MAP_LINE))
            end = k;
    return end;
}

/* a text beside the scale, as an expression of the script */
static void
put_lines(struct buf *buf, const char *text)
{
    struct buf line = {0};
    for (bool first = true; first || *text; first = false) {
        size_t n = line_length(text);
        buf_clear(&line);
        buf_put(&line, text, n);
        buf_puts(buf, first ? "" : ".\"\\n\".");
        out_plot_quoted(buf, buf_str(&line));
        text += n + (text[n] == ' ');
    }
    buf_free(&line);
}

/* How many characters there must be for the texts beside the scale. */
static size_t
text_width(const struct map *map)
{
    size_t most = MAP_LEAST;
    for (size_t k = 0; k < map->n_text; k++)
        for (const char *text = map->text[k]; *text;) {
            size_t n = line_length(text);
            most = n > most ? n : most;
            text += n + (text[n] == ' ');
        }
    return most < MAP_MOST ? most : MAP_MOST;
}

/* the scale beside a map whose values have a colour each: texts, or whole
 * numbers */
static void
scale_of_steps(struct buf *buf, const struct map *map)
{
    char digits[NUM_TEXT];
    if (map->z->texts && map->n_text) {
        buf_printf(buf, "set cbrange [-0.5:%zu.5]\n", map->n_text - 1);
        buf_puts(buf, "set cbtics (");
        for (size_t k = 0; k < map->n_text; k++) {
            buf_puts(buf, k ? ", " : "");
            put_lines(buf, map->text[k]);
            buf_printf(buf, " %zu", k);
        }
        buf_puts(buf, ")\n");
    } else if (map->steps) {
        buf_printf(buf, "set cbrange [%s",
                   out_digits_17(digits, map->lo - 0.5));
        buf_printf(buf, ":%s]\n", out_digits_17(digits, map->hi + 0.5));
        buf_printf(buf, "set cbtics %d\n", map->steps <= 11 ? 1 : 5);
    }
}

/* the range of an axis: its ticks, and half a cell on either side */
static void
range(struct buf *buf, const char *axis, const struct out_ticks *ticks)
{
    char digits[NUM_TEXT];
    double end = ticks->v[ticks->n - 1];
    double half = 0.5 * (end - ticks->v[0]) / (double)(ticks->n - 1);
    buf_printf(buf, "set %srange [%s", axis,
               out_digits_17(digits, ticks->v[0] - half));
    buf_printf(buf, ":%s]\n", out_digits_17(digits, end + half));
}

/* the number that stands for point i in a picture; NaN: none */
static double
drawn(const struct map *map, size_t i)
{
    return !there(map, i)   ? (double)NAN
           : map->z->texts ? text_of(map, i)
                           : map->z->x[i];
}

/* the points as lines of text, x, y and z */
static void
points(struct buf *buf, const struct map *map)
{
    char digits[NUM_TEXT];
    buf_puts(buf, "$d << IMP_END\n");
    for (size_t i = 0; i < map->z->n; i++) {
        if (!isfinite(map->x->x[i]) || !isfinite(map->y->x[i]))
            continue;
        double z = drawn(map, i);
        buf_printf(buf, "%s ", out_digits_17(digits, map->x->x[i]));
        buf_printf(buf, "%s ", out_digits_17(digits, map->y->x[i]));
        if (isnan(z))
            buf_puts(buf, "NaN\n");
        else if (map->z->texts)
            buf_printf(buf, "%d\n", (int)z);
        else
            buf_printf(buf, "%s\n", out_digits_17(digits, z));
    }
    buf_puts(buf, "IMP_END\n");
}

/* Of a grid: the numbers of its cells as bytes, row by row, which gnuplot reads
 * many times as fast as text. */
static void
cells_of(struct arena *arena, const struct map *map, struct buf *data)
{
    size_t wide = map->tx.n, i = 0, j = 0;
    double *z = NEW_N(arena, double, map->z->n);
    for (size_t k = 0; k < map->z->n; k++)
        z[k] = (double)NAN;
    for (size_t k = 0; k < map->z->n; k++) {
        if (!isfinite(map->x->x[k]) || !isfinite(map->y->x[k]))
            continue;
        i = out_tick_from(&map->tx, map->x->x[k], i);
        j = out_tick_from(&map->ty, map->y->x[k], j);
        z[j * wide + i] = drawn(map, k);
    }
    buf_put(data, (const char *)z, map->z->n * sizeof *z);
}

/* where the cells of a grid lie, and that they are bytes of OUT_GNUPLOT_DATA */
static void
plot_cells(struct buf *buf, const struct map *map, bool raster)
{
    char digits[NUM_TEXT];
    const struct out_ticks *ticks[2] = {&map->tx, &map->ty};
    buf_printf(buf,
               "plot '" OUT_GNUPLOT_DATA
               "' binary array=(%zu,%zu) format='%%double' origin=(%s,",
               map->tx.n, map->ty.n, out_digits_17(digits, map->tx.v[0]));
    buf_printf(buf, "%s)", out_digits_17(digits, map->ty.v[0]));
    for (int axis = 0; axis < 2; axis++) {
        const struct out_ticks *of = ticks[axis];
        buf_printf(buf, " d%c=%s", "xy"[axis],
                   out_digits_17(digits, (of->v[of->n - 1] - of->v[0]) /
                                             (double)(of->n - 1)));
    }
    /* `pixels` draws each cell as it is: programs that show an image that is
     * embedded in a picture may blur it, but in a raster they leave gaps */
    buf_puts(buf, !raster && map->z->n <= MAP_PIXELS
                      ? " using 1 with image pixels"
                      : " using 1 with image");
}

/* data: where the cells of a grid go */
static void
script(struct buf *buf, struct arena *arena, const struct out_format *format,
       const char *title, const struct map *map, const struct out_curve *curves,
       size_t n_curves, struct buf *data)
{
    bool grid = is_grid(map);
    out_plot_head(buf, format, title, map->x, map->y);
    if (!map->z->texts) {
        buf_puts(buf, "\nset cblabel ");
        out_plot_label(buf, map->z);
    }
    buf_puts(buf, "\nset key off\nset format '%g'\n");
    if (map->z->texts)
        buf_printf(buf, "set rmargin %zu\n", text_width(map) * 7 / 10 + 6);
    palette(buf, map->z->texts ? map->n_text : map->steps);
    if (grid)
        cells_of(arena, map, data);
    else
        points(buf, map);
    scale_of_steps(buf, map);
    if (grid || (n_curves && map->tx.n > 1 && map->ty.n > 1)) {
        range(buf, "x", &map->tx);
        range(buf, "y", &map->ty);
    }
    if (n_curves) {
        buf_puts(buf, "set key on outside bottom center horizontal\n");
        out_curves_data(buf, curves, n_curves);
        out_levels_plot(buf, curves, n_curves);
    }
    if (grid)
        plot_cells(buf, map,
                   !strncmp(format->writer->gnuplot_terminal, "png", 3));
    else
        buf_puts(buf, "plot $d using 1:2:3 with points pointtype 5 palette");
    buf_puts(buf, n_curves ? " notitle" : "\n");
    if (n_curves)
        out_curves_plot(buf, curves, n_curves, false);
}

int
out_map(struct output *output, struct diags *ds, imp_range where,
        const char *file, const char *title, const struct out_column *x_axis,
        const struct out_column *y_axis, const struct out_column *values,
        const struct out_curve *curves, size_t n_curves)
{
    assert(x_axis != NULL && y_axis != NULL && values != NULL);
    const struct out_format *format =
        out_format_of(ds, where, file, OUT_PICTURE);
    int st = IMP_OK;
    if (!format)
        return IMP_BADMODEL;
    struct out_column series[] = {*y_axis, *values};
    if (out_plot_as_data(output, ds, where, format, file, title, x_axis, series,
                         curves, n_curves, &st))
        return st;
    bool draw = output->dir != NULL;
    struct map map = map_of(ds->arena, x_axis, y_axis, values,
                            draw ? MAP_COLOURS : MAP_TEXTS);
    if (draw) {
        struct buf buf = {0}, data = {0};
        script(&buf, ds->arena, format, title, &map, curves, n_curves, &data);
        st = out_gnuplot(output, ds, where, file, &buf, &data);
        buf_free(&buf);
        buf_free(&data);
        if (st)
            return st;
    }
    if (!draw && !output->json)
        map_text(output, ds->arena, title, &map, curves, n_curves);
    if (draw || output->json)
        out_plotted_curves(output, file, title, draw, x_axis, series, curves,
                           n_curves);
    return IMP_OK;
}
