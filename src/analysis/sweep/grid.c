/* SPDX-License-Identifier: MIT */
/* See grid.h. */
#include "analysis/sweep/grid.h"

#include <assert.h>

#include "runtime/numerics/random.h"

double
sweep_grid_value(const struct sweep_grid *grid, size_t k, uint64_t run)
{
    assert(k < grid->n_axes && run < grid->total);
    const struct sweep_axis *axis = &grid->axis[k];
    const double *x = axis->values;
    if (axis->random)
        return x[0] + (x[1] - x[0]) * random_unit(grid->seed, run, k);
    run /= grid->repeat;
    for (size_t j = grid->n_axes; j-- > k + 1;)
        if (!grid->axis[j].random)
            run /= grid->axis[j].n;
    return x[run % axis->n];
}

void
sweep_place_jump(const struct sweep_grid *grid, struct sweep_place *place,
                 uint64_t run)
{
    assert(run < grid->total && place->digit);
    place->run = run;
    place->repetition = run % grid->repeat;
    run /= grid->repeat;
    for (size_t k = grid->n_axes; k-- > 0;)
        if (!grid->axis[k].random) {
            place->digit[k] = run % grid->axis[k].n;
            run /= grid->axis[k].n;
        }
}

/* Combination i of the axes that are structural (or of those that are not, and
 * of the repetitions): its part of the number of a run. */
static uint64_t
part_of_run(const struct sweep_grid *grid, uint64_t combination,
            bool structural)
{
    uint64_t run = 0, weight = grid->repeat;
    if (!structural) {
        run = combination % grid->repeat;
        combination /= grid->repeat;
    }
    for (size_t k = grid->n_axes; k-- > 0;) {
        const struct sweep_axis *axis = &grid->axis[k];
        if (axis->random)
            continue;
        if (axis->structural == structural) {
            run += combination % axis->n * weight;
            combination /= axis->n;
        }
        weight *= axis->n;
    }
    return run;
}

uint64_t
sweep_grid_visit(const struct sweep_grid *grid, uint64_t v)
{
    assert(v < grid->total && grid->per_model > 0);
    return grid->per_model == grid->total
               ? v
               : part_of_run(grid, v / grid->per_model, true) +
                     part_of_run(grid, v % grid->per_model, false);
}
