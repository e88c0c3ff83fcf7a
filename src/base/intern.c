/* SPDX-License-Identifier: MIT */
/* Interned names: an open-addressing hash table (FNV-1a, at most half full)
 * whose slots and texts lie in one arena. */
#include "base/intern.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct slot {
    const char *text; /* NULL: free */
    size_t len;
    uint64_t hash;
};
struct intern {
    struct arena *arena;
    struct slot *slots;
    size_t cap, n; /* cap is a power of two */
};

struct intern *
intern_new(struct arena *arena)
{
    assert(arena);
    struct intern *table = NEW(arena, struct intern);
    table->arena = arena;
    table->cap = 256;
    table->slots = NEW_N(arena, struct slot, table->cap);
    return table;
}

static void
grow(struct intern *table)
{
    size_t cap = table->cap * 2;
    struct slot *slots = NEW_N(table->arena, struct slot, cap);
    for (size_t i = 0; i < table->cap; i++) {
        if (!table->slots[i].text)
            continue;
        size_t k = table->slots[i].hash & (cap - 1);
        while (slots[k].text)
            k = (k + 1) & (cap - 1);
        slots[k] = table->slots[i];
    }
    table->slots = slots;
    table->cap = cap;
}

const char *
intern(struct intern *table, const char *chars, size_t len)
{
    assert(table && (chars || len == 0) && 2 * table->n <= table->cap);
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)chars[i]) * 1099511628211U;
    size_t at = hash & (table->cap - 1);
    for (; table->slots[at].text; at = (at + 1) & (table->cap - 1))
        if (table->slots[at].hash == hash && table->slots[at].len == len &&
            (len == 0 || memcmp(table->slots[at].text, chars, len) == 0))
            return table->slots[at].text;
    const char *text = arena_strndup(table->arena, chars, len);
    if (2 * (table->n + 1) > table->cap) {
        grow(table);
        at = hash & (table->cap - 1);
        while (table->slots[at].text)
            at = (at + 1) & (table->cap - 1);
    }
    table->slots[at] = (struct slot){text, len, hash};
    table->n++;
    return text;
}

const char *
intern_str(struct intern *table, const char *s)
{
    assert(s != NULL);
    return intern(table, s, strlen(s));
}
