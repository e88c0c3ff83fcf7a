/* SPDX-License-Identifier: MIT */
/* The data of a plot as one JSON object, and the line that says what was drawn. */
#include <assert.h>
#include <string.h>

#include "output/out_priv.h"

static void
json_column(struct buf *buf, const struct out_column *column)
{
    buf_puts(buf, "{\"name\": ");
    buf_json(buf, column->name, strlen(column->name));
    buf_puts(buf, ", \"unit\": ");
    const char *unit = out_has_unit(column->unit) ? column->unit : "";
    buf_json(buf, unit, strlen(unit));
    buf_puts(buf, ", \"values\": ");
    if (column->texts) {
        buf_putc(buf, '[');
        for (size_t i = 0; i < column->n; i++) {
            buf_puts(buf, i ? ", " : "");
            buf_json(buf, column->texts[i], strlen(column->texts[i]));
        }
        buf_putc(buf, ']');
    } else {
        out_json_numbers(buf, column->x, column->n);
    }
    buf_putc(buf, '}');
}

/* the head of the object, up to the series */
static void
plotted_head(struct buf *buf, const char *file, const char *title, bool draw,
             const struct out_column *x_axis)
{
    buf_puts(buf, "{\"command\": \"plot\", \"name\": \"\", \"title\": ");
    buf_json(buf, title, strlen(title));
    buf_puts(buf, ", \"file\": ");
    if (draw)
        buf_json(buf, file, strlen(file));
    else
        buf_puts(buf, "null");
    buf_puts(buf, ", \"x\": ");
    json_column(buf, x_axis);
    buf_puts(buf, ", \"series\": [");
}

static void
plotted_tail(struct output *output, struct buf *buf, const char *file,
             const char *title, bool draw, bool map)
{
    if (output->json) {
        buf_printf(buf, "], %s\"units\": {}", map ? "\"map\": true, " : "");
        if (!draw)
            buf_puts(buf, ", \"why\": {\"file\": \"no --out\"}");
        buf_puts(buf, "}\n");
    } else {
        buf_printf(buf, "%s: plot of %s\n", file, title);
    }
    out_write(output, buf->s, buf->n);
    buf_free(buf);
}

void
out_plotted(struct output *output, const char *file, const char *title, bool draw,
        const struct out_column *x_axis, const struct out_column *ys,
        size_t n_ys)
{
    assert(file || !draw);
    struct buf buf = {0};
    if (output->json)
        plotted_head(&buf, file, title, draw, x_axis);
    for (size_t j = 0; j < n_ys && output->json; j++) {
        if (j)
            buf_puts(&buf, ", ");
        json_column(&buf, &ys[j]);
    }
    plotted_tail(output, &buf, file, title, draw, false);
}

void
out_plotted_curves(struct output *output, const char *file, const char *title,
                   bool draw, const struct out_column *x_axis,
                   const struct out_column *values,
                   const struct out_curve *curves, size_t n)
{
    struct buf buf = {0};
    if (output->json)
        plotted_head(&buf, file, title, draw, x_axis);
    for (size_t j = 0; values && j < 2 && output->json; j++) {
        buf_puts(&buf, j ? ", " : "");
        json_column(&buf, &values[j]);
    }
    for (size_t j = 0; j < n && output->json; j++) {
        struct buf c = {0};
        buf_puts(&buf, j || values ? ", " : "");
        json_column(&c, &curves[j].y);
        buf_put(&buf, c.s, c.n - 1); /* all but the closing brace */
        buf_puts(&buf, ", \"x\": ");
        out_json_numbers(&buf, curves[j].x.x, curves[j].x.n);
        buf_putc(&buf, '}');
        buf_free(&c);
    }
    plotted_tail(output, &buf, file, title, draw, values != NULL);
}
