/* SPDX-License-Identifier: MIT */
/* A sketch of a distribution: numbers are counted by themselves until more than
 * SKETCH_MOST of them differ, then by intervals that are a power of two times
 * the spacing of doubles there, as narrow as that many intervals allow. An
 * interval knows its least and its greatest number, so that one number that
 * came often, as 0 does, stays exact. What a sketch holds follows from the
 * numbers alone, not from their order. */
#ifndef IMP_ANALYSIS_SWEEP_SKETCH_H
#define IMP_ANALYSIS_SWEEP_SKETCH_H

#include <stddef.h>
#include <stdint.h>

struct arena;

enum { SKETCH_MOST = 1 << 15 };
struct sketch_interval {
    uint64_t least, greatest, count; /* keys of the numbers that it holds */
};
struct sketch {
    struct sketch_interval *v; /* n intervals, rising */
    uint64_t *fresh;           /* n_fresh numbers that are not counted yet */
    size_t n, n_fresh, room;
    uint64_t total;
    int level; /* an interval is 2^level doubles wide */
};
/* Makes one for at most `numbers` numbers. */
void sketch_init(struct sketch *sketch, uint64_t numbers, struct arena *arena);
/* Adds a finite number. */
void sketch_add(struct sketch *sketch, double number);
/* Returns the quantile of the share p, between 0 and 1, by linear interpolation
 * between neighbours in rising order; NaN where there are no numbers. */
double sketch_quantile(struct sketch *sketch, double share);

#endif
