/* SPDX-License-Identifier: MIT */
/* The coefficients of a block's motion (motion_rows.h): those of free bodies,
 * of bodies with closed contacts, of a system, or of its observers. */
#include "runtime/motion/motion_rows.h"

#include <assert.h>

#include "runtime/instance/system.h"
#include "runtime/motion/joints.h"
#include "runtime/motion/motion_priv.h"

static int
free_rows(struct rt *run, uint32_t block, uint32_t tape, int order)
{
    const double *lambda;
    int st = joints_multipliers(run, block, &lambda);
    if (st != IMP_OK)
        return st;
    return rt_series(run, tape, lambda, NULL, run->rows.block[block], order);
}

int
motion_rows(struct rt *run, uint32_t block, int order)
{
    assert(run != NULL && block < run->im->blocks.n);
    assert(order >= 1 && order <= IMP_ORDER_MAX);
    const struct motion_block *moving = motion_block_of(run, block);
    if (persistent_moves(run, block))
        return persistent_series(run, order, block);
    if (moving->observer)
        return system_observed(run, moving->system, order);
    if (moving->system == IMP_NO_SYSTEM)
        return free_rows(run, block, moving->tape, order);
    if (system_slides(run, moving->system))
        return system_series(run, moving->system, order);
    system_unslide(run, moving->system);
    return free_rows(run, block, moving->tape, order);
}

void
motion_rows_nonfinite(struct rt *run, uint32_t block, int order)
{
    const struct motion_block *moving = motion_block_of(run, block);
    const double *lambda = NULL;
    if (moving->system != IMP_NO_SYSTEM && system_slides(run, moving->system))
        system_series_nonfinite(run, moving->system, order);
    else if (joints_multipliers(run, block, &lambda) == IMP_OK)
        rt_nonfinite_series(run, moving->tape, lambda, run->rows.block[block],
                            order);
}
