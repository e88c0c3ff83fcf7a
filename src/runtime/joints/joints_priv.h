/* SPDX-License-Identifier: MIT */
/* Inside joints.h: what a run keeps for the joints of a block. */
#ifndef IMP_RUNTIME_JOINTS_JOINTS_PRIV_H
#define IMP_RUNTIME_JOINTS_JOINTS_PRIV_H

#include "runtime/joints/joints.h"

struct joint_block {
    uint32_t n;         /* number of conditions; 0: no joint */
    uint32_t n_unknown; /* and of the spins that joints hold */
    int rank;           /* rank of K at the first solution; -1: none yet */
    double *unknown;    /* multipliers, spins */
    double *out, *K, *phi, *local, *change, *work;
    int *piv;
    /* joints with friction, NULL without any: outputs of imp_block.rub, and
     * room for an iteration */
    double *rub, *rub_room;
    double force; /* joint_friction_size */
    double *told; /* outputs of imp_block.told */
    bool asked;   /* that the forces it tells are determined has been looked at
                   */
};
struct joint_projection {
    struct joint_block *blocks;
    double error; /* the greatest error of positions after a step since
                     joints_reset */
};

static inline const imp_block *
joints_block_at(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

/* -- joint_friction.c ------------------------------------------------------ */

/* Memory for the friction of the joints of a block; nothing without any. */
void joint_friction_new(struct rt *run, uint32_t block);
/* What is asked of joints that are not held: nothing. */
void joint_friction_let_slip(const struct rt *run, uint32_t block, double *phi);
/* The unknowns of the motion in the modes that env states, into
 * joints->unknown. IMP_FAILED after a diagnostic. */
int joint_friction_multipliers(struct rt *run, uint32_t block);

#endif
