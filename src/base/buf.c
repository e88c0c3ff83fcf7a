/* SPDX-License-Identifier: MIT */
/* Growable text buffers; s[n] is NUL whenever s is not NULL. */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"

static void
reserve(struct buf *b, size_t more)
{
    if (more > SIZE_MAX / 4 || b->n > SIZE_MAX / 4)
        oom_raise();
    if (b->n + more + 1 <= b->cap)
        return;
    bool first = !b->s;
    b->s = mem_grow(b->s, &b->cap, b->n + more + 1, 1);
    if (first)
        oom_hold(b);
}

char *
buf_take(struct buf *b)
{
    char *s = b->s;
    oom_let_go(b);
    *b = (struct buf){0};
    return s;
}

void
buf_free(struct buf *b)
{
    free(buf_take(b));
}

void
buf_clear(struct buf *b)
{
    b->n = 0;
    if (b->s)
        b->s[0] = 0;
}

char *
buf_room(struct buf *b, size_t n)
{
    reserve(b, n);
    char *s = b->s + b->n;
    b->n += n;
    b->s[b->n] = 0;
    return s;
}

void
buf_put(struct buf *b, const char *s, size_t n)
{
    reserve(b, n);
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = 0;
}

void
buf_puts(struct buf *b, const char *s)
{
    buf_put(b, s, strlen(s));
}

void
buf_putc(struct buf *b, char c)
{
    buf_put(b, &c, 1);
}

void
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0) {
        reserve(b, (size_t)n);
        vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void
buf_json(struct buf *b, const char *s, size_t n)
{
    buf_putc(b, '"');
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        size_t len = utf8_decode(s + i, n - i, &c);
        if (len == 0) {
            /* a byte that is not UTF-8 has no place in JSON */
            buf_puts(b, "\xef\xbf\xbd");
            len = 1;
        } else if (c == '"' || c == '\\') {
            buf_putc(b, '\\');
            buf_putc(b, (char)c);
        } else if (c == '\n') {
            buf_puts(b, "\\n");
        } else if (c == '\t') {
            buf_puts(b, "\\t");
        } else if (c == '\r') {
            buf_puts(b, "\\r");
        } else if (c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029) {
            buf_printf(b, "\\u%04x", (unsigned)c);
        } else {
            buf_put(b, s + i, len);
        }
        i += len;
    }
    buf_putc(b, '"');
}

const char *
buf_str(struct buf *b)
{
    return b->s ? b->s : "";
}
