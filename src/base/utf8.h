/* SPDX-License-Identifier: MIT */
/* UTF-8 decoding and the width of code points in terminal cells: what carets
 * are measured with. */
#ifndef IMP_BASE_UTF8_H
#define IMP_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the code point at s (`size` bytes). Returns its length, or 0 when the
 * bytes are not valid UTF-8 (overlong forms, surrogates and values over
 * 0x10ffff are invalid). */
size_t utf8_decode(const char *s, size_t len, uint32_t *cp);
/* Writes the encoding of cp; returns its length, 1 to 4. */
size_t utf8_encode(char out[4], uint32_t cp);
/* The width in cells: 0 for combining marks and invisible ones, 2 for wide
 * ones, otherwise 1. */
int utf8_cells(uint32_t cp);
/* Must this code point not be sent to a terminal as it is? Control and
 * bidirectional-override characters, byte order mark, noncharacters. */
bool utf8_unsafe(uint32_t cp);

#endif
