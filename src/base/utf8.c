/* SPDX-License-Identifier: MIT */
/* UTF-8 decoding and widths in cells, from small tables that suffice for source
 * texts. */
#include "base/utf8.h"

#include <assert.h>

size_t
utf8_decode(const char *s, size_t size, uint32_t *cp)
{
    assert(s && cp);
    const unsigned char *bytes = (const unsigned char *)s;
    if (size == 0)
        return 0;
    if (bytes[0] < 0x80) {
        *cp = bytes[0];
        return 1;
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = bytes[0] >= 0xf0 && bytes[0] < 0xf8   ? 4
                 : bytes[0] >= 0xe0 && bytes[0] < 0xf0 ? 3
                 : bytes[0] >= 0xc0 && bytes[0] < 0xe0 ? 2
                                                       : 0;
    if (len == 0 || len > size)
        return 0;
    uint32_t c = bytes[0] & (0xffU >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (bytes[i] & 0x3fU);
    }
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *cp = c;
    return len;
}

size_t
utf8_encode(char out[4], uint32_t cp)
{
    assert(cp <= 0x10ffff);
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    size_t len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (cp & 0x3f));
        cp >>= 6;
    }
    out[0] = (char)((0xf00 >> len & 0xf0) | cp);
    return len;
}

struct span {
    uint32_t lo, hi;
};

static bool
within(const struct span *t, size_t n, uint32_t cp)
{
    for (size_t i = 0; i < n && t[i].lo <= cp; i++)
        if (cp <= t[i].hi)
            return true;
    return false;
}

int
utf8_cells(uint32_t cp)
{
    static const struct span none[] = {
        {0x300, 0x36f},   {0x483, 0x489},    {0x591, 0x5bd},   {0x610, 0x61a},
        {0x64b, 0x65f},   {0x200b, 0x200f},  {0x202a, 0x202e}, {0x2060, 0x2064},
        {0x2066, 0x2069}, {0x20d0, 0x20f0},  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
        {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
    static const struct span wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
        {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
        {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe4f},
        {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
        {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    if (cp < 0x300)
        return 1;
    if (within(none, sizeof none / sizeof *none, cp))
        return 0;
    return within(wide, sizeof wide / sizeof *wide, cp) ? 2 : 1;
}

bool
utf8_unsafe(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0xad ||
           cp == 0x61c || (cp >= 0x200b && cp <= 0x200f) ||
           (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) ||
           cp == 0xfeff || (cp >= 0xfff0 && cp <= 0xfffb) ||
           (cp & 0xfffe) == 0xfffe || (cp >= 0xe0000 && cp <= 0xe0fff);
}
