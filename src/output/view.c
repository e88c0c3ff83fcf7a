/* SPDX-License-Identifier: MIT */
/* The motion of a run as a file of its own, and on a page that shows it. The
 * page is complete in itself: style, script and the run file, in base64. No
 * text of the model stands in it but as base64, so nothing of a model is ever
 * read as HTML or script; the title is escaped. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "output/writer.h"

/* No columns and no picture: out_save_bytes and out_view write these. */
const struct out_writer out_motion = {0};

static void
base64(struct buf *buf, const unsigned char *bytes, size_t n)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t groups = (n + 2) / 3;
    char *to = buf_room(buf, 4 * groups);
    for (size_t i = 0; i < n; i += 3, to += 4) {
        size_t left = n - i;
        unsigned long three =
            (unsigned long)bytes[i] << 16 |
            (left > 1 ? (unsigned long)bytes[i + 1] << 8 : 0) |
            (left > 2 ? bytes[i + 2] : 0);
        to[0] = digits[three >> 18 & 63];
        to[1] = digits[three >> 12 & 63];
        to[2] = left > 1 ? digits[three >> 6 & 63] : '=';
        to[3] = left > 2 ? digits[three & 63] : '=';
    }
}

static void
escaped(struct buf *buf, const char *text)
{
    for (const char *s = text; *s; s++)
        if (*s == '<')
            buf_puts(buf, "&lt;");
        else if (*s == '>')
            buf_puts(buf, "&gt;");
        else if (*s == '&')
            buf_puts(buf, "&amp;");
        else if (*s == '"')
            buf_puts(buf, "&quot;");
        else
            buf_putc(buf, *s);
}

void
out_page_put(struct buf *buf, const struct out_page *page, const char *title,
             const void *run, size_t n)
{
    assert(buf != NULL && page != NULL && title != NULL && run != NULL);
    buf_puts(buf, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                  "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"generator\" content=\"imp\">\n<title>");
    escaped(buf, title);
    buf_puts(buf, "</title>\n<style>\n");
    buf_puts(buf, page->style);
    buf_puts(buf, "</style>\n</head>\n<body>\n");
    buf_puts(buf, page->body);
    buf_puts(buf, "<script id=\"run\" type=\"application/octet-stream\">");
    base64(buf, run, n);
    buf_puts(buf, "</script>\n<script>\n");
    buf_puts(buf, page->script);
    buf_puts(buf, "</script>\n</body>\n</html>\n");
}

/* writes the bytes as a file under --out, and the line that says so */
static int
write(struct output *output, struct diags *ds, imp_range where,
      const char *command, const char *file, const char *bytes, size_t n)
{
    struct out_file opened;
    if (out_file_open(output, ds, where, file, &opened) != IMP_OK)
        return IMP_FAILED;
    int error = out_file_write(&opened, bytes, n);
    if (out_file_close(&opened, ds, where, file, error) != IMP_OK)
        return IMP_FAILED;
    struct buf line = {0};
    if (output->json) {
        buf_printf(&line,
                   "{\"command\": \"%s\", \"name\": \"\", \"file\": ", command);
        buf_json(&line, file, strlen(file));
        buf_puts(&line, ", \"written\": true}\n");
    } else {
        buf_printf(&line, "%s: the motion of a run\n", file);
    }
    out_write(output, line.s, line.n);
    buf_free(&line);
    return IMP_OK;
}

int
out_save_bytes(struct output *output, struct diags *ds, imp_range where,
               const char *file, const void *bytes, size_t n)
{
    assert(output != NULL && ds != NULL && file != NULL && bytes != NULL);
    if (!out_format_of(ds, where, file, OUT_MOTION))
        return IMP_BADMODEL;
    if (!output->dir) {
        out_not_written(output, "save", file);
        return IMP_OK;
    }
    return write(output, ds, where, "save", file, bytes, n);
}

int
out_view(struct output *output, struct diags *ds, imp_range where,
         const char *file, const char *title, const void *run, size_t n)
{
    assert(output != NULL && ds != NULL && file != NULL && run != NULL);
    if (!out_format_of(ds, where, file, OUT_VIEW))
        return IMP_BADMODEL;
    if (!output->page) {
        struct diag *diag = diag_add(
            ds, DIAG_E0857, where,
            "\"%s\" cannot be written: a simulator has no viewer", file);
        diag_help(ds, diag,
                  "save the run as .imprun, and show it with `imp replay`");
        return IMP_FAILED;
    }
    if (!output->dir) {
        out_not_written(output, "plot", file);
        return IMP_OK;
    }
    struct buf page = {0};
    out_page_put(&page, output->page(), title, run, n);
    int st = write(output, ds, where, "plot", file, page.s, page.n);
    buf_free(&page);
    return st;
}
