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
#include "runtime/motion/persistent_group.h"

/* Does friction hold a rotor of the block? */
static bool
holds_rotors(const struct rt *run, uint32_t block)
{
    const imp_rotor *rotor = IMP_ARRAY(run->im, run->im->rotors, imp_rotor);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if (rt_body(run, rotor[i].body)->block == block &&
            run->env[rotor[i].env_rotor + IMP_ROTOR_HELD] != 0.0)
            return true;
    return false;
}

/* Do contacts, joints or rotors take part of the forces? What these have
 * changed by shows in no velocity while it is held, and decides how long that
 * is. Where the motion stays at the change it is no other. */
static bool
constrained(const struct rt *run, uint32_t block)
{
    const struct motion_block *moving = motion_block_of(run, block);
    if (moving->observer)
        return false;
    if (moving->system != IMP_NO_SYSTEM)
        return system_slides(run, moving->system);
    return IMP_ARRAY(run->im, run->im->blocks, imp_block)[block].n_unknown >
               0 ||
           holds_rotors(run, block);
}

static int
branches_end(struct rt *run, uint32_t block, int order, double *step,
             int *which)
{
    struct branched formulas = branched_block(run, block);
    *which = -1;
    if (formulas.tape == IMP_NO_TAPE)
        return IMP_OK;
    const double *rows[] = {run->rows.block[block], system_felt_by(run, block),
                            system_memory_by(run, block)};
    struct branch_end first, soft;
    double span = *step;
    bool parabola = isfinite(motion_parabola(run, block));
    int st = branched_first_end(run, &formulas, rows, order, parabola, step,
                                &first, &soft);
    if (st)
        return st;
    if (soft.guard >= 0) {
        first = soft;
        double least = fmax(soft.s, switching_least(run));
        if (!parabola)
            /* a branch that changes at once: a piece that the clock sees */
            *step = constrained(run, block) &&
                            !branched_returns(&formulas, first.guard)
                        ? least
                        : crossing_length(run, block, order, least, *step);
    }
    *which = first.guard;
    return branched_held(run, &formulas, &first, span, *step);
}

/* Is the length of a step told by the series of the block, or by series that
 * parts of it have of their own: soft, curved, rough joints? */
static bool
tells(const struct rt *run, uint32_t block)
{
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    uint32_t system = motion_block_of(run, block)->system;
    const struct persistent_group *group =
        persistent_moves(run, block) ? run->persistent_memory->of[block] : NULL;
    if (group || at->n_rub > 0)
        return !group || group->rubs || group->yields ||
               !persistent_corners_only(group);
    if (system == IMP_NO_SYSTEM && at->n_unknown == 0 &&
        branched_block(run, block).n == 0)
        return true;
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        if (rt_contact(run, i)->system == system &&
            rt_contact(run, i)->compliance != IMP_NO_TAPE)
            return true;
    return false;
}

int
switching_end(struct rt *run, uint32_t block, int order, double *step,
              int *which)
{
    assert(step != NULL && which != NULL && block < run->im->blocks.n);
    int st = branches_end(run, block, order, step, which);
    if (st || motion_by_weight(run) || tells(run, block))
        return st;
    double length = crossing_bounded(run, block, order, *step);
    if (length < *step)
        *which = -1; /* no branch changes so early */
    *step = length;
    return IMP_OK;
}
