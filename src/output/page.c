/* SPDX-License-Identifier: MIT */
/* Pages that show a run or a plot. A page is complete in itself: style, script and its data, a
 * run file or JSON, in base64. No text of the model stands in it but as base64, so nothing
 * of a model is ever read as HTML or script; the title is escaped. */
#include <assert.h>

#include "output/out.h"

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
