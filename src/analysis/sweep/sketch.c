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
    *sketch =
        (struct sketch){.room = room,
                        .v = NEW_N(arena, struct sketch_interval, 2 * room + 1),
                        .fresh = NEW_N(arena, uint64_t, room + 1)};
}

static int
by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Makes one interval of those whose numbers begin alike. */
static void
join(struct sketch *sketch)
{
    size_t kept = 0;
    for (size_t i = 0; i < sketch->n; i++) {
        const struct sketch_interval *next = &sketch->v[i];
        struct sketch_interval *last = kept ? &sketch->v[kept - 1] : NULL;
        if (last &&
            last->least >> sketch->level == next->least >> sketch->level) {
            if (next->least < last->least)
                last->least = next->least;
            if (next->greatest > last->greatest)
                last->greatest = next->greatest;
            last->count += next->count;
        } else {
            sketch->v[kept++] = *next;
        }
    }
    sketch->n = kept;
}

/* Counts the numbers that are fresh: merges them into the intervals, from the
 * last one on, and makes the intervals wider where there are too many. */
static void
count_fresh(struct sketch *sketch)
{
    size_t old = sketch->n, fresh = sketch->n_fresh;
    qsort(sketch->fresh, fresh, sizeof *sketch->fresh, by_size);
    sketch->n = old + fresh;
    for (size_t to = sketch->n; fresh; to--) {
        uint64_t next = sketch->fresh[fresh - 1];
        bool stays = old && sketch->v[old - 1].least > next;
        sketch->v[to - 1] = stays ? sketch->v[old - 1]
                                  : (struct sketch_interval){next, next, 1};
        old -= stays;
        fresh -= !stays;
    }
    sketch->n_fresh = 0;
    join(sketch);
    while (sketch->n > SKETCH_MOST) {
        sketch->level++;
        join(sketch);
    }
}

void
sketch_add(struct sketch *sketch, double number)
{
    assert(isfinite(number) && sketch->room);
    if (sketch->n_fresh == sketch->room)
        count_fresh(sketch);
    sketch->fresh[sketch->n_fresh++] = key_of(number + 0.0);
    sketch->total++;
}

/* The number that is the rank-th in rising order, from 0: within its interval
 * the numbers are taken to lie evenly from the least to the greatest. */
static double
ranked(const struct sketch *sketch, uint64_t rank)
{
    assert(rank < sketch->total);
    const struct sketch_interval *in = sketch->v;
    for (; in->count <= rank; in++)
        rank -= in->count;
    double from = number_of(in->least), to = number_of(in->greatest);
    if (!(from < to))
        return from;
    return from + (to - from) * ((double)rank / (double)(in->count - 1));
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
