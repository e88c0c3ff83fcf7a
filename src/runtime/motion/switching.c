/* SPDX-License-Identifier: MIT */
/* Where a block's formulas change their branch (switching.h; branches.c finds
 * the change). Where only forces change, the branch that is left may be
 * followed a little further. */
#include "runtime/motion/switching.h"

#include <assert.h>
#include <math.h>

#include "runtime/instance/system.h"
#include "runtime/motion/crossing.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/motion_priv.h"

int
switching_end(struct rt *run, uint32_t block, int order, double *step,
              int *which)
{
    assert(step != NULL && which != NULL && block < run->im->blocks.n);
    struct branched formulas = branched_block(run, block);
    const double *rows[2] = {run->rows.block[block],
                             system_felt_by(run, block)};
    struct branch_end first, soft;
    double span = *step;
    bool parabola = isfinite(motion_parabola(run, block));
    *which = -1;
    if (formulas.tape == IMP_NO_TAPE)
        return IMP_OK;
    int st = branched_first_end(run, &formulas, rows, order, parabola, step,
                                &first, &soft);
    if (st)
        return st;
    if (soft.guard >= 0) {
        first = soft;
        if (!parabola)
            /* a branch that changes at once: a piece that the clock sees */
            *step = crossing_length(run, block, order,
                                    fmax(soft.s, switching_least(run)), *step);
    }
    *which = first.guard;
    return branched_held(run, &formulas, &first, span, *step);
}
