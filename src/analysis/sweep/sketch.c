/* SPDX-License-Identifier: MIT */
/* See sketch.h. Doubles are counted by keys: whole numbers in the same order.
 * Intervals grow when there are too many of them, and only then; so their
 * width is the least one at which few enough of them hold a number, whatever
 * the order in which the numbers came. */
#include "analysis/sweep/sketch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static uint64_t
key_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double
number_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

void
sketch_init(struct sketch *sketch, uint64_t numbers, struct arena *arena)
{
    assert(sketch && arena);
    size_t room = numbers < SKETCH_MOST ? (size_t)numbers : SKETCH_MOST;
    *sketch = (struct sketch){.room = room,
                              .key = NEW_N(arena, uint64_t, 2 * room + 1),
                              .count = NEW_N(arena, uint64_t, 2 * room + 1),
                              .fresh = NEW_N(arena, uint64_t, room + 1),
                              .least = INFINITY,
                              .greatest = -INFINITY};
}

static int
by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Makes one interval of those that begin alike. */
static void
join(struct sketch *sketch)
{
    size_t kept = 0;
    for (size_t i = 0; i < sketch->n; i++)
        if (kept && sketch->key[kept - 1] == sketch->key[i]) {
            sketch->count[kept - 1] += sketch->count[i];
        } else {
            sketch->key[kept] = sketch->key[i];
            sketch->count[kept++] = sketch->count[i];
        }
    sketch->n = kept;
}

/* Counts the numbers that are fresh: merges them into the intervals, from the
 * last one on, and makes the intervals wider where there are too many. */
static void
count_fresh(struct sketch *sketch)
{
    uint64_t mask = ~(((uint64_t)1 << sketch->level) - 1);
    size_t old = sketch->n, fresh = sketch->n_fresh;
    qsort(sketch->fresh, fresh, sizeof *sketch->fresh, by_size);
    sketch->n = old + fresh;
    for (size_t to = sketch->n; fresh; to--) {
        uint64_t next = sketch->fresh[fresh - 1] & mask;
        bool stays = old && sketch->key[old - 1] > next;
        sketch->key[to - 1] = stays ? sketch->key[old - 1] : next;
        sketch->count[to - 1] = stays ? sketch->count[old - 1] : 1;
        old -= stays;
        fresh -= !stays;
    }
    sketch->n_fresh = 0;
    join(sketch);
    while (sketch->n > SKETCH_MOST) {
        sketch->level++;
        mask <<= 1;
        for (size_t i = 0; i < sketch->n; i++)
            sketch->key[i] &= mask;
        join(sketch);
    }
}

void
sketch_add(struct sketch *sketch, double number)
{
    assert(isfinite(number) && sketch->room);
    if (sketch->n_fresh == sketch->room)
        count_fresh(sketch);
    sketch->fresh[sketch->n_fresh++] = key_of(number);
    sketch->total++;
    sketch->least = fmin(sketch->least, number);
    sketch->greatest = fmax(sketch->greatest, number);
}

/* The number that is the rank-th in rising order, from 0: within its interval
 * the numbers are taken to lie evenly. */
static double
ranked(const struct sketch *sketch, uint64_t rank)
{
    uint64_t before = 0;
    size_t i = 0;
    assert(rank < sketch->total);
    while (before + sketch->count[i] <= rank)
        before += sketch->count[i++];
    if (!sketch->level)
        return number_of(sketch->key[i]);
    uint64_t last = sketch->key[i] + (((uint64_t)1 << sketch->level) - 1);
    double from = fmax(number_of(sketch->key[i]), sketch->least),
           to = fmin(number_of(last), sketch->greatest);
    return from + (to - from) * (((double)(rank - before) + 0.5) /
                                 (double)sketch->count[i]);
}

double
sketch_quantile(struct sketch *sketch, double share)
{
    assert(share >= 0 && share <= 1);
    if (!sketch->total)
        return NAN;
    count_fresh(sketch);
    double place = share * (double)(sketch->total - 1), below = floor(place);
    double low = ranked(sketch, (uint64_t)below);
    if (place == below)
        return low;
    double high = ranked(sketch, (uint64_t)below + 1);
    return (1 - (place - below)) * low + (place - below) * high;
}
