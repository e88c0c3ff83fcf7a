/* SPDX-License-Identifier: MIT */
/* Growable text buffers; s[n] is NUL whenever s is not NULL. */
#include "base/buf.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"

static void
reserve(struct buf *buf, size_t more)
{
    if (more > SIZE_MAX / 4 || buf->n > SIZE_MAX / 4)
        oom_raise();
    if (buf->n + more + 1 <= buf->cap)
        return;
    bool first = !buf->s;
    buf->s = mem_grow(buf->s, &buf->cap, buf->n + more + 1, 1);
    if (first)
        oom_hold(buf);
}

char *
buf_take(struct buf *b)
{
    assert(b);
    char *s = b->s;
    oom_let_go(b);
    *b = (struct buf){0};
    return s;
}

void
buf_free(struct buf *buf)
{
    free(buf_take(buf));
}

void
buf_clear(struct buf *buf)
{
    assert(buf);
    buf->n = 0;
    if (buf->s)
        buf->s[0] = 0;
}

char *
buf_room(struct buf *buf, size_t n)
{
    assert(buf && buf->n <= buf->cap);
    reserve(buf, n);
    char *s = buf->s + buf->n;
    buf->n += n;
    buf->s[buf->n] = 0;
    return s;
}

void
buf_put(struct buf *buf, const char *s, size_t n)
{
    assert(buf && (s || n == 0));
    reserve(buf, n);
    if (n)
        memcpy(buf->s + buf->n, s, n);
    buf->n += n;
    buf->s[buf->n] = 0;
}

void
buf_puts(struct buf *buf, const char *s)
{
    assert(s);
    buf_put(buf, s, strlen(s));
}

void
buf_putc(struct buf *buf, char c)
{
    buf_put(buf, &c, 1);
}

void
buf_vprintf(struct buf *buf, const char *fmt, va_list ap)
{
    assert(buf != NULL && fmt != NULL);
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0) {
        reserve(buf, (size_t)n);
        vsnprintf(buf->s + buf->n, (size_t)n + 1, fmt, again);
        buf->n += (size_t)n;
    }
    va_end(again);
}

void
buf_printf(struct buf *buf, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(buf, fmt, ap);
    va_end(ap);
}

void
buf_json(struct buf *buf, const char *text, size_t n)
{
    assert(text || n == 0);
    buf_putc(buf, '"');
    for (size_t at = 0; at < n;) {
        uint32_t code = 0;
        size_t len = utf8_decode(text + at, n - at, &code);
        if (len == 0) {
            /* JSON has no place for a byte that is not UTF-8 */
            buf_puts(buf, "\xef\xbf\xbd");
            len = 1;
        } else if (code == '"' || code == '\\') {
            buf_putc(buf, '\\');
            buf_putc(buf, (char)code);
        } else if (code == '\n') {
            buf_puts(buf, "\\n");
        } else if (code == '\t') {
            buf_puts(buf, "\\t");
        } else if (code == '\r') {
            buf_puts(buf, "\\r");
        } else if (code < 0x20 || code == 0x7f || code == 0x2028 ||
                   code == 0x2029) {
            buf_printf(buf, "\\u%04x", (unsigned)code);
        } else {
            buf_put(buf, text + at, len);
        }
        at += len;
    }
    buf_putc(buf, '"');
}

const char *
buf_str(struct buf *buf)
{
    assert(buf);
    return buf->s ? buf->s : "";
}
