/* SPDX-License-Identifier: MIT */
/* "Did you mean": the nearest word by Damerau-Levenshtein distance (insert,
 * delete, replace, swap neighbours), in code points, at most a third of the
 * word's length away. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/utf8.h"

/* longer words are not compared, because a slip of two letters in them is rare
 */
enum { LONGEST = 64 };

static size_t
letters(const char *s, uint32_t out[LONGEST])
{
    size_t n = strlen(s), k = 0;
    for (size_t i = 0; i < n;) {
        uint32_t c = (unsigned char)s[i];
        size_t len = utf8_decode(s + i, n - i, &c);
        if (k == LONGEST)
            return LONGEST + 1;
        out[k++] = c >= 'A' && c <= 'Z' ? c + 32 : c;
        i += len ? len : 1;
    }
    return k;
}

static size_t
distance(const uint32_t *word, size_t n_word, const uint32_t *other,
         size_t n_other)
{
    size_t row[3][LONGEST + 1];
    size_t *before = row[0], *above = row[1], *here = row[2];
    for (size_t j = 0; j <= n_other; j++)
        above[j] = j;
    for (size_t i = 1; i <= n_word; i++) {
        here[0] = i;
        for (size_t j = 1; j <= n_other; j++) {
            size_t d = above[j - 1] + (word[i - 1] != other[j - 1]);
            if (above[j] + 1 < d)
                d = above[j] + 1;
            if (here[j - 1] + 1 < d)
                d = here[j - 1] + 1;
            if (i > 1 && j > 1 && word[i - 1] == other[j - 2] &&
                word[i - 2] == other[j - 1] && before[j - 2] + 1 < d)
                d = before[j - 2] + 1;
            here[j] = d;
        }
        size_t *t = before;
        before = above;
        above = here;
        here = t;
    }
    return above[n_other];
}

const char *
suggest(const char *word, const char *const *candidates, size_t count)
{
    assert(word && (candidates || count == 0));
    uint32_t wanted[LONGEST], other[LONGEST];
    size_t la = letters(word, wanted);
    if (la == 0 || la > LONGEST)
        return NULL;
    /* short words may be one letter off when they have at least two */
    size_t most = la < 3 ? la / 2 : la < 6 ? (la + 2) / 3 : la / 3;
    const char *best = NULL;
    size_t best_d = most + 1;
    for (size_t i = 0; i < count; i++) {
        size_t lb = candidates[i] ? letters(candidates[i], other) : 0;
        if (lb == 0 || lb > LONGEST || lb > la + most || la > lb + most ||
            strcmp(word, candidates[i]) == 0)
            continue;
        size_t d = distance(wanted, la, other, lb);
        if (d < best_d) {
            best_d = d;
            best = candidates[i];
        }
    }
    return best;
}
