/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See utf8proc.h: categories and normal forms by the browser's own tables. */
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>
#include <utf8proc.h>

/* EM_JS eats backslashes, so the code of one (92) stands below.
 *
 * The place of the category among those that Imp asks for, counted from 1; 0: another. */
EM_JS(int, category_of, (int code), {
    const names = ['Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Nl', 'Mn', 'Mc', 'Nd', 'Zs', 'Cf'];
    const sign = String.fromCodePoint(code);
    return 1 + names.findIndex(name => new RegExp('^' + String.fromCharCode(92) + 'p{' + name + '}$', 'u').test(sign));
})

/* The code points of the text in composed normal form; how many, at most `size` stored. */
EM_JS(int, composed, (const char *text, int length, int *codes, int size), {
    const all = Array.from(UTF8ToString(text, length).normalize('NFC'), c => c.codePointAt(0));
    for (let i = 0; i < Math.min(all.length, size); i++) HEAP32[(codes >> 2) + i] = all[i];
    return all.length;
})

/* The text in small letters without accents, into `to`; its length without the final 0, or
 * -1 where `size` bytes are too few. */
EM_JS(int, folded, (const char *text, char *to, int size), {
    const plain = UTF8ToString(text).normalize('NFD').replace(new RegExp(String.fromCharCode(92) + 'p{Mn}', 'gu'), '').toLowerCase();
    const n = lengthBytesUTF8(plain);
    if (n >= size) return -1;
    stringToUTF8(plain, to, size);
    return n;
})

utf8proc_category_t
utf8proc_category(utf8proc_int32_t code)
{
    return code < 0 || code > 0x10ffff
               ? UTF8PROC_CATEGORY_CN
               : (utf8proc_category_t)category_of(code);
}

utf8proc_ssize_t
utf8proc_decompose(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                   utf8proc_int32_t *codes, utf8proc_ssize_t size, int options)
{
    (void)options;
    return composed((const char *)text, length, codes, size);
}

/* utf8proc_decompose has composed already. */
utf8proc_ssize_t
utf8proc_normalize_utf32(utf8proc_int32_t *codes, utf8proc_ssize_t length,
                         int options)
{
    (void)codes;
    (void)options;
    return length;
}

utf8proc_ssize_t
utf8proc_map(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
             utf8proc_uint8_t **to, int options)
{
    (void)length;
    (void)options;
    int size = 4 * (int)strlen((const char *)text) + 1;
    *to = malloc((size_t)size);
    return *to ? folded((const char *)text, (char *)*to, size) : -1;
}
