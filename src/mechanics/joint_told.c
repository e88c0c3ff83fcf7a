/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What joints without friction tell: the force and the moment with which they
 * hold their first body, from the multipliers of their conditions (joint.c). */
#include "mechanics/mech_priv.h"

#include <assert.h>

static const expr *
multiplier(struct mech *mech, uint32_t i)
{
    return ex_sym(mech->graph, SYM_UNKNOWN, i, 0);
}

vec3
joint_row_part(const struct mech *mech, const struct mblock *block, uint32_t i,
               uint32_t j, bool spin)
{
    assert(mech && block && i < block->n_row && j < block->n);
    uint32_t nv = mech->dim == 2 ? 3 : 6;
    const expr *const *c = block->C + ((size_t)i * block->n + j) * nv;
    const expr *zero = sc_zero(mech->graph);
    if (mech->dim == 2)
        return spin ? v3(zero, zero, c[2]) : v3(c[0], c[1], zero);
    return spin ? v3(c[3], c[4], c[5]) : v3(c[0], c[1], c[2]);
}

/* The place of a body among those of its block. */
static uint32_t
place_in(const struct mblock *block, uint32_t body)
{
    uint32_t j = 0;
    while (block->bodies[j] != body)
        j++;
    assert(j < block->n);
    return j;
}

/* The force of a joint on its first body and the moment about its point there,
 * in world axes, from the multipliers of its conditions: as these act on the
 * body of both that moves. */
static void
told_outputs(struct mech *mech, const struct mblock *block,
             const struct mtold *told, const expr **out)
{
    struct graph *graph = mech->graph;
    const struct tm_joint *decl = mech->model->joints + told->joint;
    bool first = !mech->bodies[decl->body[0]].fixed;
    uint32_t body = decl->body[first ? 0 : 1], j = place_in(block, body);
    const struct body_formulas *on = mech->bodies[body].form;
    vec3 force = v3_zero(graph), moment = v3_zero(graph);
    for (uint32_t i = told->first; i < told->first + told->n; i++) {
        force = v3_add(graph, force,
                       v3_scale(graph, multiplier(mech, i),
                                joint_row_part(mech, block, i, j, false)));
        moment = v3_add(graph, moment,
                        v3_scale(graph, multiplier(mech, i),
                                 joint_row_part(mech, block, i, j, true)));
    }
    vec3 lever = v3_sub(graph, on->pose.c, told->point);
    moment = v3_add(graph, m3_apply(graph, on->pose.R, moment),
                    v3_cross(graph, lever, force));
    const expr *sign = ex_num(graph, first ? 1.0 : -1.0);
    force = v3_scale(graph, sign, force);
    moment = v3_scale(graph, sign, moment);
    for (uint32_t i = 0; i < IMP_JOINT_ROWS; i++)
        out[i] = i < 3 ? force.v[i] : moment.v[i - 3];
    if (mech->dim == 3)
        return;
    out[IMP_JOINT_MOMENT_PLANE - IMP_JOINT_FORCE] = moment.v[2];
    out[IMP_JOINT_ACROSS - IMP_JOINT_FORCE] =
        decl->kind == IMP_JOINT_SLIDER ? multiplier(mech, told->first)
                                       : sc_zero(graph);
}

size_t
joint_told_outputs(struct mech *mech, const struct mblock *block,
                   const expr **out)
{
    assert(mech && block && out);
    for (uint32_t i = 0; i < block->n_told; i++) {
        graph_origin(mech->graph,
                     mech->model->joints[block->told[i].joint].range);
        told_outputs(mech, block, block->told + i,
                     out + (size_t)i * IMP_JOINT_ROWS);
    }
    return (size_t)block->n_told * IMP_JOINT_ROWS;
}

void
joint_told_tape(struct mech *mech, struct mblock *block)
{
    assert(mech && block && block->n > 0);
    const expr **out = NEW_N(mech->arena, const expr *,
                             (size_t)block->n_told *IMP_JOINT_ROWS + 1);
    size_t n = joint_told_outputs(mech, block, out);
    block->out.n_told = block->n_told;
    if (n)
        block->out.told = mech_eval_tape(
            mech,
            arena_printf(mech->arena, "%s.told",
                         mech->bodies[block->bodies[0]].decl->name),
            block->n_unknown, out, n);
}
