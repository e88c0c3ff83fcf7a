/* SPDX-License-Identifier: MIT */
/* Plots as data: for whoever draws them itself (the playground), and as a page
 * that draws them in a browser. The page is complete in itself: style, script
 * and the data as JSON in base64, so no text of a model is ever read as HTML or
 * script. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "output/writer.h"

const struct out_writer out_plot_page = {.page = true};

static int
to_buf(void *ctx, const char *s, size_t n)
{
    buf_put(ctx, s, n);
    return 0;
}

/* Writes the page with this JSON on it, and the line that says so. */
static int
write_page(struct output *output, struct diags *ds, imp_range where,
           const char *file, const char *title, const struct buf *json)
{
    const struct out_page *parts = output->page();
    const struct out_page page = {parts->style, parts->plot_body,
                                  parts->plot_script, NULL, NULL};
    struct out_file opened;
    if (out_file_open(output, ds, where, file, &opened) != IMP_OK)
        return IMP_FAILED;
    struct buf text = {0};
    out_page_put(&text, &page, title, json->s, json->n);
    int error = out_file_write(&opened, text.s, text.n);
    buf_free(&text);
    return out_file_close(&opened, ds, where, file, error);
}

bool
out_plot_as_data(struct output *output, struct diags *ds, imp_range where,
                 const struct out_format *format, const char *file,
                 const char *title, const struct out_column *x_axis,
                 const struct out_column *values,
                 const struct out_curve *curves, size_t n, int *status)
{
    assert(output && ds && title && x_axis && status);
    *status = IMP_OK;
    if (output->picture) {
        struct output to = {
            .write = output->picture, .ctx = output->ctx, .json = true};
        out_plotted_curves(&to, file, title, file != NULL, x_axis, values,
                           curves, n);
        *status = out_check(&to, ds);
        return true;
    }
    if (!file || !format || !format->writer->page || !output->dir)
        return false;
    if (!output->page) {
        struct diag *diag = diag_add(
            ds, DIAG_E0857, where,
            "\"%s\" cannot be written: a simulator has no pages", file);
        diag_help(ds, diag,
                  "name a picture (.svg), or run the model with `imp run`");
        *status = IMP_FAILED;
        return true;
    }
    struct buf json = {0};
    struct output to = {.write = to_buf, .ctx = &json, .json = true};
    out_plotted_curves(&to, file, title, true, x_axis, values, curves, n);
    *status = write_page(output, ds, where, file, title, &json);
    buf_free(&json);
    if (*status == IMP_OK)
        out_plotted_curves(output, file, title, true, x_axis, values, curves,
                           n);
    return true;
}
