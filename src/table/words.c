/* SPDX-License-Identifier: MIT */
/* The texts of a column: each is kept once, and a cell is its number. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "table/table_priv.h"

/* FNV-1a */
static size_t
hash_of(const char *text, size_t len)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)hash;
}

/* Returns the bucket of a text: the one that holds 1 + its number, or the empty
 * one for it. */
static uint32_t *
place(const struct table_words *words, const char *text, size_t len)
{
    for (size_t at = hash_of(text, len);; at++) {
        uint32_t *bucket = &words->bucket[at & (words->n_buckets - 1)];
        if (!*bucket)
            return bucket;
        const char *word = words->v[*bucket - 1];
        if (!strncmp(word, text, len) && !word[len])
            return bucket;
    }
}

static void
grow(struct arena *arena, struct table_words *words)
{
    words->n_buckets = words->n_buckets ? 4 * words->n_buckets : 64;
    words->bucket = NEW_N(arena, uint32_t, words->n_buckets);
    for (size_t i = 0; i < words->n; i++)
        *place(words, words->v[i], strlen(words->v[i])) = (uint32_t)i + 1;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void
table_order_words(struct arena *arena, struct table_column *column, size_t n)
{
    assert(arena && column && (column->numbers || !n));
    struct table_words *words = &column->words;
    if (words->n < 2)
        return;
    const char **old = arena_copy(arena, words->v, words->n * sizeof *old);
    double *number = NEW_N(arena, double, words->n);
    qsort(words->v, words->n, sizeof *words->v, by_text);
    memset(words->bucket, 0, words->n_buckets * sizeof *words->bucket);
    for (size_t i = 0; i < words->n; i++)
        *place(words, words->v[i], strlen(words->v[i])) = (uint32_t)i + 1;
    for (size_t i = 0; i < words->n; i++)
        number[i] = (double)*place(words, old[i], strlen(old[i])) - 1;
    for (size_t i = 0; i < n; i++)
        if (!isnan(column->numbers[i]))
            column->numbers[i] = number[(size_t)column->numbers[i]];
}

double
table_word(struct arena *arena, struct table_words *words, const char *text,
           size_t len)
{
    assert(arena && words && (text || !len));
    if (2 * words->n >= words->n_buckets)
        grow(arena, words);
    uint32_t *bucket = place(words, text, len);
    if (!*bucket) {
        VEC_PUSH_IN(arena, words, arena_strndup(arena, text, len));
        *bucket = (uint32_t)words->n;
    }
    return (double)*bucket - 1;
}
