/* SPDX-License-Identifier: MIT */
/* What searches for modes have found, kept by what was asked. A forecast of a
 * limit chooses modes hundreds of times among points whose rows and free
 * accelerations do not change, and the same few choices come again and again.
 * A problem is the same when all its numbers are, and the signs of its slips:
 * a search reads no more of them. So what is kept is what it would find. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"

/* Lists of problems, by their hashes. */
#define MEMORY_LISTS 256
/* Problems that are kept at most: those of a pattern are some tens. */
#define MEMORY_MOST 1024

struct kept_problem {
    struct kept_problem *next;
    uint64_t hash;
    size_t size; /* of the key, in words */
    uint64_t *key;
    struct mode_result result;
};
struct friction_memory {
    struct arena *arena;
    struct kept_problem *list[MEMORY_LISTS];
    uint64_t *asked; /* the key of a problem: room for so many words */
    size_t room;
    int count;
};

struct friction_memory *
friction_memory_new(struct arena *arena)
{
    assert(arena);
    struct friction_memory *memory = NEW(arena, struct friction_memory);
    memory->arena = arena;
    return memory;
}

/* A copy of what a search among n points has found. */
static struct mode_result
copy_result(struct arena *arena, size_t n, const struct mode_result *from)
{
    struct mode_result to = *from;
    const struct point_state **all =
        NEW_N(arena, const struct point_state *, from->n_all + 1);
    for (size_t i = 0; i < from->n_all; i++)
        all[i] = arena_copy(arena, from->all[i], n * sizeof **all);
    to.all = all;
    for (int i = 0; i < from->n; i++) {
        const struct mode_found *found = from->found + i;
        struct mode_solution *solution = &to.found[i].solution;
        to.found[i].state =
            arena_copy(arena, found->state, n * sizeof *found->state);
        solution->force = arena_copy(arena, found->solution.force,
                                     2 * n * sizeof *solution->force);
        solution->acc = arena_copy(arena, found->solution.acc,
                                   2 * n * sizeof *solution->acc);
    }
    return to;
}

static uint64_t *
put_numbers(uint64_t *key, const double *x, size_t n)
{
    if (!x)
        return key;
    memcpy(key, x, n * sizeof *x);
    return key + n;
}

/* What a search reads of a point. `before` says something of points alone that
 * had a mode. */
#define POINT_WORDS 5
static uint64_t *
put_point(uint64_t *key, const struct mode_point *point)
{
    const double number[] = {point->mu_stick, point->mu_slip, point->offset,
                             point->scale};
    bool had = point->held || point->ended;
    uint64_t sign = point->slip > 0.0   ? 1
                    : point->slip < 0.0 ? 2
                                        : 0,
             before = had ? 2 * (uint64_t)point->before.tangent +
                                point->before.closed
                          : 0,
             is = (uint64_t)point->driven + 2 * (uint64_t)point->held +
                  4 * (uint64_t)point->ended + 8 * (uint64_t)point->varies;
    key = put_numbers(key, number, POINT_WORDS - 1);
    *key = sign + 4 * is + 64 * before;
    return key + 1;
}

static size_t
key_size(const struct mode_problem *in)
{
    size_t n = (size_t)in->n, rows = 2 * n;
    return 2 + POINT_WORDS * n + rows * rows + rows + (in->terms ? rows : 0) +
           (in->near ? rows : 0);
}

static void
put_key(const struct mode_problem *in, uint64_t *key)
{
    size_t rows = 2 * (size_t)in->n;
    *key++ = (uint64_t)in->n;
    *key++ = (uint64_t)in->brief + 2 * (uint64_t)in->unnamed +
             4 * (uint64_t)in->inner + (in->terms ? 8 : 0) +
             (in->near ? 16 : 0);
    for (int i = 0; i < in->n; i++)
        key = put_point(key, in->point + i);
    key = put_numbers(key, in->W, rows * rows);
    key = put_numbers(key, in->free, rows);
    key = put_numbers(key, in->terms, rows);
    put_numbers(key, in->near, rows);
}

/* FNV-1a by words, of which the high bits count as well. */
static uint64_t
hash_of(const uint64_t *key, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ key[i]) * 0x100000001b3;
        hash ^= hash >> 32;
    }
    return hash;
}

void
mode_search_kept(struct arena *arena, const struct mode_problem *in,
                 struct mode_result *out)
{
    assert(arena && in && in->n > 0 && out);
    struct friction_memory *memory = in->memory;
    if (!memory || memory->count == MEMORY_MOST) {
        mode_search(arena, in, NULL, out);
        return;
    }
    size_t size = key_size(in);
    if (size > memory->room) {
        memory->room = 2 * size;
        memory->asked = NEW_N(memory->arena, uint64_t, memory->room);
    }
    uint64_t *key = memory->asked;
    put_key(in, key);
    uint64_t hash = hash_of(key, size);
    struct kept_problem **list = memory->list + hash % MEMORY_LISTS;
    for (const struct kept_problem *kept = *list; kept; kept = kept->next)
        if (kept->hash == hash && kept->size == size &&
            memcmp(kept->key, key, size * sizeof *key) == 0) {
            *out = kept->result;
            return;
        }
    struct mode_result found;
    mode_search(arena, in, NULL, &found);
    struct kept_problem *kept = NEW(memory->arena, struct kept_problem);
    *out = copy_result(memory->arena, (size_t)in->n, &found);
    key = arena_copy(memory->arena, key, size * sizeof *key);
    *kept = (struct kept_problem){*list, hash, size, key, *out};
    *list = kept;
    memory->count++;
}
