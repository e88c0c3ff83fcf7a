/* SPDX-License-Identifier: MIT */
/* The runs of a sweep, by number. The axes of `over` span a grid, of which
 * every combination is asked `repeat` times: the repetitions are fastest, then
 * the last axis. Axes of `random` have a value of their own in every run. All
 * of it is a function of the number of the run and of the seed alone (I7). */
#ifndef IMP_ANALYSIS_SWEEP_GRID_H
#define IMP_ANALYSIS_SWEEP_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/range.h"

struct sweep_axis {
    uint32_t param; /* number in the model */
    bool random, structural, within;
    const double *values; /* n of them; random: both bounds */
    size_t n;
    imp_range range; /* in the source */
};
struct sweep_grid {
    struct sweep_axis *axis;
    size_t n_axes;
    uint64_t repeat, total; /* runs per combination; of all combinations */
    uint64_t per_row; /* runs that a row of a summary stands for: those of all
                       * values of the axes within it, which come last */
    uint64_t
        per_model; /* runs that have the values of structural params alike */
    double seed;
};

/* Returns the value of axis k in a run, in SI units. */
double sweep_grid_value(const struct sweep_grid *grid, size_t k, uint64_t run);
/* The number of the run that is made as the v-th. All runs of one model are
 * made one after another. */
uint64_t sweep_grid_visit(const struct sweep_grid *grid, uint64_t v);

/* Where a run is on the grid: which value of each axis, and which repetition.
 * Going from one run to the next needs no division. A place that is all zero,
 * with room for all axes in `digit`, is that of run 0. */
struct sweep_place {
    uint64_t run, repetition;
    size_t *digit; /* per axis */
};
/* Puts the place to any run, by divisions. */
void sweep_place_jump(const struct sweep_grid *grid, struct sweep_place *place,
                      uint64_t run);
static inline void
sweep_place_next(const struct sweep_grid *grid, struct sweep_place *place)
{
    place->run++;
    if (++place->repetition < grid->repeat)
        return;
    place->repetition = 0;
    for (size_t k = grid->n_axes; k-- > 0;) {
        if (grid->axis[k].random)
            continue;
        if (++place->digit[k] < grid->axis[k].n)
            return;
        place->digit[k] = 0;
    }
}
static inline void
sweep_place_move(const struct sweep_grid *grid, struct sweep_place *place,
                 uint64_t run)
{
    if (run == place->run + 1)
        sweep_place_next(grid, place);
    else if (run != place->run)
        sweep_place_jump(grid, place, run);
}
/* Returns the value of axis k there. */
static inline double
sweep_place_value(const struct sweep_grid *grid,
                  const struct sweep_place *place, size_t k)
{
    const struct sweep_axis *axis = &grid->axis[k];
    return axis->random ? sweep_grid_value(grid, k, place->run)
                        : axis->values[place->digit[k]];
}

#endif
