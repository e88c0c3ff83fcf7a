/* SPDX-License-Identifier: MIT */
/* Letters that look alike. A name with a Cyrillic `а` is another name than one
 * with a Latin `a`, which no reader sees; so messages about unknown names say
 * it. The rows are of letters whose usual forms cannot be told apart. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/utf8.h"

static const struct {
    uint32_t letter, ours;
} alike[] = {
    {0x0430, 'a'},   {0x0435, 'e'},   {0x043e, 'o'},   {0x0440, 'p'},
    {0x0441, 'c'},   {0x0443, 'y'},   {0x0445, 'x'},   {0x0456, 'i'},
    {0x0458, 'j'},   {0x0455, 's'},   {0x04bb, 'h'},   {0x0501, 'd'},
    {0x051b, 'q'},   {0x051d, 'w'},   {0x0410, 'A'},   {0x0412, 'B'},
    {0x0415, 'E'},   {0x041a, 'K'},   {0x041c, 'M'},   {0x041d, 'H'},
    {0x041e, 'O'},   {0x0420, 'P'},   {0x0421, 'C'},   {0x0422, 'T'},
    {0x0425, 'X'},   {0x0406, 'I'},   {0x0408, 'J'},   {0x0405, 'S'},
    {0x0391, 'A'},   {0x0392, 'B'},   {0x0395, 'E'},   {0x0396, 'Z'},
    {0x0397, 'H'},   {0x0399, 'I'},   {0x039a, 'K'},   {0x039c, 'M'},
    {0x039d, 'N'},   {0x039f, 'O'},   {0x03a1, 'P'},   {0x03a4, 'T'},
    {0x03a5, 'Y'},   {0x03a7, 'X'},   {0x03bf, 'o'},   {0x0261, 'g'},
    {0x0131, 'i'},   {0x2113, 'l'},   {0x210e, 'h'},   {0x212f, 'e'},
    {0x03d5, 0x3c6}, {0x03f5, 0x3b5}, {0x03d1, 0x3b8}, {0x03f1, 0x3c1},
    {0x03d6, 0x3c0}, {0x03f0, 0x3ba}, {0x03c2, 0x3c3}, {0x0251, 0x3b1},
};

/* What a letter is taken for. Letters of full width and of mathematics are
 * forms of Latin ones. */
static uint32_t
seen_as(uint32_t letter)
{
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        if (alike[i].letter == letter)
            return alike[i].ours;
    if (letter >= 0xff01 && letter <= 0xff5e)
        return letter - 0xff01 + '!';
    if (letter >= 0x1d400 && letter < 0x1d6a4) {
        uint32_t k = (letter - 0x1d400) % 52;
        return k < 26 ? 'A' + k : 'a' + k - 26;
    }
    return letter;
}

bool
lookalike(const char *word, const char *ours, struct lookalike *found)
{
    assert(word && ours && found);
    size_t n = strlen(word), n_ours = strlen(ours), i = 0, k = 0;
    bool differ = false;
    while (i < n && k < n_ours) {
        uint32_t a = (unsigned char)word[i], b = (unsigned char)ours[k];
        size_t la = utf8_decode(word + i, n - i, &a);
        size_t lb = utf8_decode(ours + k, n_ours - k, &b);
        la = la ? la : 1;
        lb = lb ? lb : 1;
        if (seen_as(a) != seen_as(b))
            return false;
        if (a != b && !differ) {
            differ = true;
            *found = (struct lookalike){a, b};
        }
        i += la;
        k += lb;
    }
    return differ && i == n && k == n_ours;
}
