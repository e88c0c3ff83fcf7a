/* SPDX-License-Identifier: MIT */
/* What the run tells of joints at the present time (rubbing.h): of those with
 * friction and of the others whose forces commands read. Where contacts hold
 * their bodies that stands in the series of the motion, else it follows from
 * the multipliers. */
#include "runtime/rubbing/rubbing.h"

#include <assert.h>

#include "abi/status.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/taylor.h"
#include "runtime/relays/relays.h"
#include "runtime/rubbing/rubbing_priv.h"

/* A joint with friction: its force (2), friction and rate. */
static void
tell_pin(struct pins *pins, uint32_t i, const double *x)
{
    const struct pin *pin = pins->pin + i;
    double *env = pin->env;
    const imp_joint *joint = pin->joint;
    if (!x) {
        struct taylor row;
        for (int k = 0; k < 2; k++) {
            rubbing_row(pins, pin, IMP_RUBROW_FORCE + k, 0, &row);
            env[IMP_JOINT_FORCE + k] = row.c[0];
        }
        rubbing_row(pins, pin, IMP_RUBROW_FRICTION, 0, &row);
        env[IMP_JOINT_FRICTION] = row.c[0];
    } else {
        env[IMP_JOINT_FORCE] = x[joint->force];
        env[IMP_JOINT_FORCE + 1] = x[joint->force + 1];
        env[IMP_JOINT_FRICTION] = x[joint->friction];
    }
    env[IMP_JOINT_SLIP] =
        joint_friction_told(pins->run, pins->block, i)[IMP_RUB_RATE];
    env[IMP_JOINT_MODE] = rubbing_mode(
        pins->run,
        (uint32_t)(joint -
                   IMP_ARRAY(pins->run->im, pins->run->im->joints, imp_joint)));
}

/* The joints of a block without friction. */
static int
tell_smooth(struct rt *run, uint32_t block, const double *x)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    const double *numbers = NULL;
    int st = joints_told(run, block, x, &numbers);
    for (uint32_t i = 0; i < run->im->joints.n && !st; i++) {
        if (!(joint[i].flags & IMP_JOINTF_TELLS) || joint[i].block != block)
            continue;
        double *to = run->env + joint[i].env_joint + IMP_JOINT_FORCE;
        for (uint32_t k = 0; k < IMP_JOINT_ROWS; k++)
            to[k] = x ? *numbers++
                      : run->rows.block[block][(size_t)joint[i].rows[k] *
                                                   IMP_ROW_STRIDE +
                                               IMP_ROW_PAD];
    }
    return st;
}

/* The same where relays hold bodies. run->rows.block may be in use: the rows
 * give states within the last step. */
static int
tell_beside_relays(struct rt *run, uint32_t block)
{
    double *keep = run->rows.block[block];
    run->rows.block[block] = joints_rows(run, block);
    int st = motion_rows(run, block, 1);
    if (!st)
        st = tell_smooth(run, block, NULL);
    run->rows.block[block] = keep;
    return st;
}

int
rubbing_tell(struct rt *run)
{
    assert(run);
    const imp_block *blocks = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    int st = IMP_OK;
    for (uint32_t block = 0; block < run->im->blocks.n && !st; block++) {
        const double *x = NULL;
        if (blocks[block].n_rub == 0 && blocks[block].n_told == 0)
            continue;
        st = persistent_moves(run, block) ? persistent_series(run, 2, block)
                                          : joints_multipliers(run, block, &x);
        if (!st && blocks[block].n_told)
            st = x && relays_act(run, block) ? tell_beside_relays(run, block)
                                             : tell_smooth(run, block, x);
        if (st || blocks[block].n_rub == 0)
            continue;
        struct pins *pins = rubbing_pins(run, block);
        if (!x)
            st = joint_friction_read(run, block, NULL);
        for (uint32_t i = 0; i < pins->n && !st; i++)
            tell_pin(pins, i, x);
    }
    return st;
}
