/* SPDX-License-Identifier: MIT */
/* Growable text buffers. s is NUL-terminated once anything was put. A buffer
 * that gets its memory under an oom_guard is freed, and empty, when control
 * jumps to that guard. So it must live at one place until buf_free or buf_take,
 * or until the guard is left. */
#ifndef IMP_BASE_BUF_H
#define IMP_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *s;
    size_t n, cap;
    struct buf *next,
        **link; /* the list of a guard's buffers; link NULL: in no list */
};

void buf_free(struct buf *buf);
char *buf_take(struct buf *buf); /* s, to be freed by the caller; then empty */
void buf_clear(struct buf *buf);
void buf_put(struct buf *buf, const char *s, size_t n);
char *
buf_room(struct buf *buf,
         size_t n); /* makes room for n more bytes, which the caller fills */
void buf_puts(struct buf *buf, const char *s);
void buf_putc(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *fmt, va_list ap);
void buf_json(struct buf *buf, const char *text,
              size_t n);              /* quoted JSON string */
const char *buf_str(struct buf *buf); /* "" when empty */

#endif
