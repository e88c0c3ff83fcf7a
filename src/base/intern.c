/* SPDX-License-Identifier: MIT */
/* Interned names: an open-addressing hash table (FNV-1a, at most half full)
 * whose slots and texts lie in one arena. */
#include "base/intern.h"

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
intern_new(struct arena *a)
{
    struct intern *t = NEW(a, struct intern);
    t->arena = a;
    t->cap = 256;
    t->slots = NEW_N(a, struct slot, t->cap);
    return t;
}

static void
grow(struct intern *t)
{
    size_t cap = t->cap * 2;
    struct slot *slots = NEW_N(t->arena, struct slot, cap);
    for (size_t i = 0; i < t->cap; i++) {
        if (!t->slots[i].text)
            continue;
        size_t k = t->slots[i].hash & (cap - 1);
        while (slots[k].text)
            k = (k + 1) & (cap - 1);
        slots[k] = t->slots[i];
    }
    t->slots = slots;
    t->cap = cap;
}

const char *
intern(struct intern *t, const char *s, size_t n)
{
    uint64_t h = 14695981039346656037U;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 1099511628211U;
    size_t k = h & (t->cap - 1);
    for (; t->slots[k].text; k = (k + 1) & (t->cap - 1))
        if (t->slots[k].hash == h && t->slots[k].len == n &&
            (n == 0 || memcmp(t->slots[k].text, s, n) == 0))
            return t->slots[k].text;
    const char *text = arena_strndup(t->arena, s, n);
    if (2 * (t->n + 1) > t->cap) {
        grow(t);
        k = h & (t->cap - 1);
        while (t->slots[k].text)
            k = (k + 1) & (t->cap - 1);
    }
    t->slots[k] = (struct slot){text, n, h};
    t->n++;
    return text;
}

const char *
intern_str(struct intern *t, const char *s)
{
    return intern(t, s, strlen(s));
}
