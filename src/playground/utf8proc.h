/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of utf8proc's interface that Imp uses, for WebAssembly: a browser
 * knows Unicode itself (unicode.c), so the library and its tables are not
 * needed there. */
#ifndef IMP_PLAYGROUND_UTF8PROC_H
#define IMP_PLAYGROUND_UTF8PROC_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t utf8proc_int32_t;
typedef uint8_t utf8proc_uint8_t;
typedef ptrdiff_t utf8proc_ssize_t;

typedef enum {
    UTF8PROC_CATEGORY_CN,
    UTF8PROC_CATEGORY_LU,
    UTF8PROC_CATEGORY_LL,
    UTF8PROC_CATEGORY_LT,
    UTF8PROC_CATEGORY_LM,
    UTF8PROC_CATEGORY_LO,
    UTF8PROC_CATEGORY_NL,
    UTF8PROC_CATEGORY_MN,
    UTF8PROC_CATEGORY_MC,
    UTF8PROC_CATEGORY_ND,
    UTF8PROC_CATEGORY_ZS,
    UTF8PROC_CATEGORY_CF
} utf8proc_category_t; /* all others are CN here */

enum {
    UTF8PROC_NULLTERM = 1,
    UTF8PROC_STABLE = 2,
    UTF8PROC_COMPOSE = 4,
    UTF8PROC_DECOMPOSE = 8,
    UTF8PROC_CASEFOLD = 16,
    UTF8PROC_STRIPMARK = 32
};

utf8proc_category_t utf8proc_category(utf8proc_int32_t code);
utf8proc_ssize_t utf8proc_decompose(const utf8proc_uint8_t *text,
                                    utf8proc_ssize_t length,
                                    utf8proc_int32_t *codes,
                                    utf8proc_ssize_t size, int options);
utf8proc_ssize_t utf8proc_normalize_utf32(utf8proc_int32_t *codes,
                                          utf8proc_ssize_t length, int options);
utf8proc_ssize_t utf8proc_map(const utf8proc_uint8_t *text,
                              utf8proc_ssize_t length, utf8proc_uint8_t **to,
                              int options);

#endif
