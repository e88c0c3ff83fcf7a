/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rotors, wheels within bodies. With the axis u (body axes), the inertia i
 * about it, and z of imp_rotor, the angular momentum of body and wheel is L = J
 * w + i z u,     L' + w x L = moment, where J is the inertia of the body in
 * env: with the wheel while it is held (then z, its rate against the body,
 * stays), without its part i u u^T while it turns: then i z' = tau,          J
 * w' = moment - w x L - tau u, with the torque tau of motor and friction on the
 * wheel. Its rate against the body is then z - u.w. (Baranyai 2016,
 * (6.5)-(6.9), has the same motion in the rate.) */
#include "mechanics/mech_priv.h"

bool
rotors_any(const struct mech *mech, const struct mbody *body)
{
    assert(mech && body);
    for (size_t i = 0; i < mech->model->n_rotors; i++)
        if (mech->model->rotors[i].body == body->index)
            return true;
    return false;
}

/* Axis k of a rotor, of length 1. One that the model states along a coordinate
 * axis stands in the formulas as what it is. */
static const expr *
axis_entry(struct mech *mech, const struct mrotor *rotor, uint32_t k)
{
    struct graph *graph = mech->graph;
    const struct tm_vec *stated = &rotor->decl->axis;
    uint32_t zeros = 0;
    if (mech->dim == 2)
        return ex_num(graph, k == 2);
    for (uint32_t i = 0; i < stated->n; i++)
        zeros += ex_is_num(stated->e[i], 0.0);
    if (zeros == 2 && ex_is_num(stated->e[k], 0.0))
        return sc_zero(graph);
    if (zeros == 2 && ex_is_num(stated->e[k], 1.0))
        return ex_num(graph, 1.0);
    return sym_env(mech, rotor->env + IMP_ROTOR_AXIS + k);
}

void
rotors_build(struct mech *mech)
{
    assert(mech && !mech->rotors);
    const struct tm_model *model = mech->model;
    struct graph *graph = mech->graph;
    uint32_t state = mech->layout.contact - (uint32_t)model->n_rotors;
    mech->rotors = NEW_N(mech->arena, struct mrotor, model->n_rotors + 1);
    for (uint32_t i = 0; i < model->n_rotors; i++) {
        struct mrotor *rotor = mech->rotors + i;
        const struct tm_rotor *decl = model->rotors + i;
        *rotor = (struct mrotor){.decl = decl,
                                 .body = decl->body,
                                 .env = mech->layout.rotor + i * IMP_ROTOR_SIZE,
                                 .state = state + i,
                                 .law = IMP_NO_TAPE,
                                 .along = IMP_NO_TAPE};
        for (uint32_t k = 0; k < 3; k++)
            rotor->axis.v[k] = axis_entry(mech, rotor, k);
        rotor->inertia = sym_env(mech, rotor->env + IMP_ROTOR_INERTIA);
        rotor->held = decl->holds ? ex_num(graph, 1.0)
                      : decl->friction.e
                          ? sym_env(mech, rotor->env + IMP_ROTOR_HELD)
                          : sc_zero(graph);
        rotor->sign = sym_env(mech, rotor->env + IMP_ROTOR_SIGN);
        rotor->z = sym_state(mech, rotor->state);
    }
}

/* 1 while it turns freely, 0 while it is held */
static const expr *
turns(struct mech *mech, const struct mrotor *rotor)
{
    return sc_sub(mech->graph, ex_num(mech->graph, 1.0), rotor->held);
}

/* -- torques --------------------------------------------------------------- */

/* The speed of the rotor against its body in the direction of its friction,
 * sign (z - turns u.w). What is constant is multiplied first: from order to
 * order of a series each operation waits for the one before. */
static const expr *
slip(struct mech *mech, const struct mrotor *rotor)
{
    struct graph *graph = mech->graph;
    const expr *of_spin = sc_mul(graph, rotor->sign, turns(mech, rotor));
    vec3 axis = v3_scale(graph, of_spin, rotor->axis);
    return sc_sub(graph, sc_mul(graph, rotor->sign, rotor->z),
                  v3_dot(graph, axis, mech->bodies[rotor->body].form->w_body));
}

struct lower {
    struct mech *mech;
    const struct mrotor *rotor;
};

static const expr *
lower_leaf(void *ctx, const expr *leaf)
{
    const struct lower *lower = ctx;
    if (leaf->sym == SYM_SLIP)
        return slip(lower->mech, lower->rotor);
    return quantity_leaf(lower->mech, leaf);
}

static const expr *
lowered(struct mech *mech, const struct mrotor *rotor, const struct tm_num *num)
{
    struct lower lower = {mech, rotor};
    graph_origin(mech->graph, mech_range(num->range, rotor->decl->range));
    return num->e ? ex_subst(mech->graph, num->e, lower_leaf, &lower)
                  : sc_zero(mech->graph);
}

void
rotors_torques(struct mech *mech)
{
    assert(mech && mech->bodies);
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        struct mrotor *rotor = mech->rotors + i;
        rotor->friction = lowered(mech, rotor, &rotor->decl->friction);
        rotor->hardest = lowered(mech, rotor, &rotor->decl->friction_static);
        rotor->motor = lowered(mech, rotor, &rotor->decl->motor);
    }
}

/* What motor and friction do to the wheel while it is not held. */
static const expr *
torque(struct mech *mech, const struct mrotor *rotor)
{
    struct graph *graph = mech->graph;
    const expr *turn = turns(mech, rotor),
               *against = sc_mul(graph, turn, rotor->sign);
    return sc_sub(graph, sc_mul(graph, turn, rotor->motor),
                  sc_mul(graph, against, rotor->friction));
}

vec3
rotors_moment(struct mech *mech, const struct mbody *body, vec3 moment)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        const struct mrotor *rotor = mech->rotors + i;
        if (rotor->body == body->index)
            moment = v3_sub(graph, moment,
                            v3_scale(graph, torque(mech, rotor), rotor->axis));
    }
    return moment;
}

vec3
rotors_alpha(struct mech *mech, const struct mbody *body, vec3 alpha)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        const struct mrotor *rotor = mech->rotors + i;
        if (rotor->body != body->index)
            continue;
        vec3 turn = m3_apply(graph, body->form->inertia.invJ, rotor->axis);
        alpha =
            v3_sub(graph, alpha, v3_scale(graph, torque(mech, rotor), turn));
    }
    return alpha;
}

/* -- in the motion of a block ---------------------------------------------- */

static bool
in_block(const struct mech *mech, const struct mrotor *rotor,
         const struct mblock *block)
{
    return mech->blocks + mech->bodies[rotor->body].block == block;
}

void
rotors_flow(struct mech *mech, struct mblock *block)
{
    assert(mech && block);
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        const struct mrotor *rotor = mech->rotors + i;
        if (!in_block(mech, rotor, block))
            continue;
        block->leaf[block->n_leaf] = rotor->z;
        const expr *per =
            ex_div(mech->graph, ex_num(mech->graph, 1.0), rotor->inertia);
        block->rate[block->n_leaf++] =
            sc_mul(mech->graph, per, torque(mech, rotor));
    }
}

size_t
rotors_formulas(struct mech *mech, const struct mblock *block, const expr **f)
{
    assert(mech && block && f);
    size_t n = 0;
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        const struct mrotor *rotor = mech->rotors + i;
        if (!in_block(mech, rotor, block))
            continue;
        f[n++] = rotor->friction;
        f[n++] = rotor->hardest;
        f[n++] = rotor->motor;
    }
    return n;
}

struct rows {
    const struct mblock *block;
    const uint32_t *row;
    struct graph *graph;
};

static const expr *
row_leaf(void *ctx, const expr *leaf)
{
    const struct rows *rows = ctx;
    if (leaf->sym != SYM_STATE)
        return NULL;
    for (size_t i = 1; i < rows->block->n_leaf; i++)
        if (rows->block->leaf[i] == leaf)
            return ex_sym(rows->graph, SYM_ROW, 0, rows->row[i - 1]);
    return NULL;
}

void
rotors_tapes(struct mech *mech, const struct mblock *block,
             const uint32_t *rows, size_t at)
{
    assert(mech && block && rows);
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        struct mrotor *rotor = mech->rotors + i;
        if (!in_block(mech, rotor, block))
            continue;
        rotor->block = mech->bodies[rotor->body].block;
        rotor->row = rows[at++];
        if (!rotor->decl->friction.e)
            continue;
        const expr *now[3] = {rotor->friction, rotor->hardest, rotor->motor};
        const expr *out[3];
        struct rows from = {block, rows, mech->graph};
        for (int k = 0; k < 3; k++)
            out[k] = ex_subst(mech->graph, now[k], row_leaf, &from);
        const char *name = rotor->decl->name;
        rotor->law = mech_eval_tape(
            mech, arena_printf(mech->arena, "%s.friction", name), 0, now, 3);
        struct tape_spec spec = {
            .name = arena_printf(mech->arena, "%s.friction along", name),
            .outs = out,
            .n_outs = 3};
        rotor->along = mech_series_tape(mech, spec, rotor->rows);
    }
}

static void
unsteady(void *ctx, const expr *leaf)
{
    bool *steady = ctx;
    if (leaf->sym != SYM_PARAM && leaf->sym != SYM_SLIP)
        *steady = false;
}

/* Are its torques formulas of its slip and of params? */
static bool
is_steady(struct mech *mech, const struct tm_rotor *decl)
{
    const struct tm_num *num[] = {&decl->friction, &decl->friction_static,
                                  &decl->motor};
    bool steady = true;
    for (size_t i = 0; i < sizeof num / sizeof *num; i++)
        if (num[i]->e)
            ex_leaves(mech->graph, &num[i]->e, 1, unsteady, &steady);
    return steady;
}

imp_ref
rotor_table(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_rotors;
    imp_rotor *table = NEW_N(mech->arena, imp_rotor, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct mrotor *rotor = mech->rotors + i;
        const struct tm_rotor *decl = rotor->decl;
        imp_range range = decl->range;
        table[i] = (imp_rotor){
            .name = image_text(mech->image, decl->name),
            .body = rotor->body,
            .flags = (decl->holds ? IMP_ROTORF_HOLDS : 0) |
                     (decl->friction.e ? IMP_ROTORF_RUBS : 0) |
                     (is_steady(mech, decl) ? IMP_ROTORF_STEADY : 0),
            .env_rotor = rotor->env,
            .env_state = rotor->state,
            .law = rotor->law,
            .along = rotor->along,
            .rows = {rotor->rows[0], rotor->rows[1], rotor->rows[2]},
            .range = range,
            .range_axis = mech_range(decl->axis.range, range),
            .range_inertia = mech_range(decl->inertia.range, range),
            .range_friction = mech_range(decl->friction.range, range)};
    }
    return image_array(mech->image, table, count, sizeof *table);
}
