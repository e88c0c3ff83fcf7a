/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks: bodies whose forces read each other's state move together; all
 * others move alone. Per block the motion series (spec 0.B):
 *   c' = v          v' = force/m + gravity
 *   q' = q (0, w)/2 w' = J^-1 (torque - w x J w)     w in body axes
 * (plane: theta' = omega, omega' = torque/J), and per body the exact
 * derivatives of its motion along the flow, eqs (113)-(118) of
 * Palffy-Muhoray et al. 2018 with forces and prescribed motion included. */
#include "mechanics/mech_priv.h"

/* -- which bodies belong together ---------------------------------------------
 */

static uint32_t
root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* one block */
static void
together(void *ctx, uint32_t a, uint32_t b)
{
    uint32_t *parent = ctx;
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

struct couple {
    struct mech *mech;
    uint32_t *parent, body;
    imp_range range;
    bool ok;
};

static void
join(struct couple *couple, uint32_t other)
{
    if (couple->mech->bodies[other].fixed)
        return;
    together(couple->parent, couple->body, other);
}

/* quantities that stay what they are while the body moves */
static bool
is_constant(uint32_t quantity)
{
    return quantity == BODYQ_MASS || quantity == BODYQ_VOLUME ||
           quantity == BODYQ_INERTIA || quantity == BODYQ_CENTRE;
}

static void
couple_leaf(void *ctx, const expr *leaf)
{
    struct couple *couple = ctx;
    if (leaf->sym == SYM_BODY && !is_constant(leaf->j / BODYQ_STRIDE))
        join(couple, leaf->i);
    if (leaf->sym == SYM_SERIES)
        ex_leaves(couple->mech->graph, &couple->mech->model->series[leaf->i].e,
                  1, couple_leaf, couple);
    if (leaf->sym == SYM_TOTAL)
        for (uint32_t i = 0; i < couple->mech->model->n_bodies; i++)
            join(couple, i);
    if ((leaf->sym != SYM_CONTACT && leaf->sym != SYM_SLOT) || !couple->ok)
        return;
    couple->ok = false;
    struct diag *diag =
        diag_add(couple->mech->diags, DIAG_E0508,
                 mech_range(leaf->origin, couple->range),
                 leaf->sym == SYM_CONTACT
                     ? "the force on `%s` reads the gap of a contact"
                     : "the force on `%s` reads the result of a command",
                 couple->mech->bodies[couple->body].decl->name);
    diag_help(couple->mech->diags, diag,
              "a force may read t, params and the position, velocity, angle "
              "and spin of bodies");
}

static bool
couple_bodies(struct mech *mech, uint32_t *parent)
{
    bool ok = true;
    for (uint32_t i = 0; i < mech->model->n_bodies; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < mech->model->n_bodies; i++) {
        const struct tm_body *decl = mech->bodies[i].decl;
        if (mech->bodies[i].fixed)
            continue;
        const struct tm_vec *f[2] = {&decl->force, &decl->torque};
        for (int n = 0; n < 2; n++) {
            struct couple c = {mech, parent, i,
                               mech_range(f[n]->range, decl->range), true};
            ex_leaves(mech->graph, f[n]->e, f[n]->n, couple_leaf, &c);
            ok &= c.ok;
        }
    }
    joint_couple(mech, together, parent);
    return ok;
}

/* -- rates
 * ----------------------------------------------------------------------- */

static vec3
lower_vec(struct mech *mech, const struct mbody *body, const struct tm_vec *v,
          bool spin)
{
    vec3 r = v3_zero(mech->graph);
    for (uint32_t i = 0; i < v->n && i < 3; i++)
        r.v[spin && mech->dim == 2 ? 2 : i] = series_in_force(
            mech, v->e[i], mech_range(v->range, body->decl->range),
            body->decl->name);
    return r;
}

static const expr *
env_difference(struct mech *mech, const struct mbody *body, int i, int j)
{
    return sc_sub(mech->graph, body->J.m[i][i], body->J.m[j][j]);
}

/* d(w_body)/dt. With principal axes three products, whose coefficients
 * (J2 - J3)/J1 do not change in time; equal moments make them exactly 0. */
static vec3
euler(struct mech *mech, const struct mbody *body)
{
    struct graph *graph = mech->graph;
    vec3 spin = body->w_body;
    graph_origin(graph,
                 mech_range(body->decl->torque.range, body->decl->range));
    if (mech->dim == 2)
        return m3_apply(graph, body->invJ, body->torque);
    vec3 torque = v3_is_zero(body->torque)
                      ? body->torque
                      : m3_apply_t(graph, body->pose.R, body->torque);
    if (!body->diagonal) {
        vec3 gyro = v3_cross(graph, spin, m3_apply(graph, body->J, spin));
        return m3_apply(graph, body->invJ, v3_sub(graph, torque, gyro));
    }
    vec3 r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        const expr *inv = body->invJ.m[i][i];
        const expr *c = sc_mul(graph, env_difference(mech, body, j, l), inv);
        r.v[i] = sc_mul(graph, c, sc_mul(graph, spin.v[j], spin.v[l]));
        r.v[i] = sc_add(graph, r.v[i], sc_mul(graph, inv, torque.v[i]));
    }
    return r;
}

static void
body_rates(struct mech *mech, struct mbody *body)
{
    struct graph *graph = mech->graph;
    body->force = lower_vec(mech, body, &body->decl->force, false);
    body->torque = lower_vec(mech, body, &body->decl->torque, true);
    graph_origin(graph, mech_range(body->decl->force.range, body->decl->range));
    body->acc = v3_add(graph, v3_scale(graph, body->invmass, body->force),
                       mech->gravity);
    body->alpha = euler(mech, body);
}

/* a fixed body moves as its position says */
static void
fixed_rates(struct mech *mech, struct mbody *body)
{
    const expr *t = sym_time(mech), *one = ex_num(mech->graph, 1.0);
    graph_origin(mech->graph,
                 mech_range(body->decl->force.range, body->decl->range));
    body->acc = body->alpha = v3_zero(mech->graph);
    if (!body->prescribed)
        return;
    body->acc = v3_along(mech->graph, body->v, &t, &one, 1);
    body->alpha = v3_along(mech->graph, body->w_body, &t, &one, 1);
}

/* -- the tapes of a block
 * ------------------------------------------------------------ */

/* rates of the pose of b, in env order */
static size_t
pose_rates(struct mech *mech, const struct mbody *body, const expr **rate)
{
    size_t n = 0;
    for (uint32_t i = 0; i < mech->dim; i++)
        rate[n++] = body->v.v[i];
    if (mech->dim == 2) {
        rate[n++] = body->w_body.v[2];
    } else {
        quat q = q_rate(mech->graph, body->pose.q, body->w_body);
        for (int i = 0; i < 4; i++)
            rate[n++] = q.q[i];
    }
    return n;
}

/* t and the poses of all bodies: what moves without a look at the forces */
static void
pose_flow(struct mech *mech)
{
    size_t cap = 1 + mech->model->n_bodies * mech->n_state;
    mech->leaf = NEW_N(mech->arena, const expr *, cap);
    mech->rate = NEW_N(mech->arena, const expr *, cap);
    mech->leaf[0] = sym_time(mech);
    mech->rate[0] = ex_num(mech->graph, 1.0);
    mech->n_leaf = 1;
    for (uint32_t i = 0; i < mech->model->n_bodies; i++) {
        const struct mbody *body = mech->bodies + i;
        size_t n =
            body->fixed ? 0 : pose_rates(mech, body, mech->rate + mech->n_leaf);
        for (uint32_t s = 0; s < n; s++)
            mech->leaf[mech->n_leaf + s] = sym_state(mech, body->env_state + s);
        mech->n_leaf += n;
    }
}

/* rates of the state of b, in env order */
static size_t
state_rates(struct mech *mech, const struct mbody *body, const expr **rate)
{
    size_t n = pose_rates(mech, body, rate);
    for (uint32_t i = 0; i < mech->dim; i++)
        rate[n++] = body->acc.v[i];
    for (uint32_t i = mech->dim == 2 ? 2 : 0; i < 3; i++)
        rate[n++] = body->alpha.v[i];
    return n;
}

static void
block_flow(struct mech *mech, struct mblock *block)
{
    size_t cap = 1 + (size_t)block->n * mech->n_state;
    block->leaf = NEW_N(mech->arena, const expr *, cap);
    block->rate = NEW_N(mech->arena, const expr *, cap);
    block->leaf[0] = sym_time(mech);
    block->rate[0] = ex_num(mech->graph, 1.0);
    block->n_leaf = 1;
    for (uint32_t i = 0; i < block->n; i++) {
        const struct mbody *body = mech->bodies + block->bodies[i];
        for (uint32_t s = 0; s < mech->n_state; s++)
            block->leaf[block->n_leaf + s] =
                sym_state(mech, body->env_state + s);
        block->n_leaf += state_rates(mech, body, block->rate + block->n_leaf);
    }
}

/* where forces change their branch */
static void
guards(struct mech *mech, struct mblock *block, const uint32_t *rows)
{
    size_t count = 6 * (size_t)block->n;
    const expr **f = NEW_N(mech->arena, const expr *, count + 3);
    for (uint32_t i = 0; i < 3; i++)
        f[count + i] = mech->gravity.v[i];
    for (uint32_t i = 0; i < count; i++) {
        const struct mbody *body = mech->bodies + block->bodies[i / 6];
        f[i] = i % 6 < 3 ? body->force.v[i % 6] : body->torque.v[i % 6 - 3];
    }
    guard_build(mech, &block->out,
                arena_printf(mech->arena, "%s.guard",
                             mech->bodies[block->bodies[0]].decl->name),
                block->leaf + 1, rows, block->n_leaf - 1, f, count + 3);
}

static void
motion_tape(struct mech *mech, struct mblock *block)
{
    size_t count = block->n_leaf - 1, n_out = count;
    const expr **out =
        NEW_N(mech->arena, const expr *, count + 2 * (size_t)block->n);
    uint32_t *rows = NEW_N(mech->arena, uint32_t, count + 2 * (size_t)block->n);
    uint32_t *state = NEW_N(mech->arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        out[i] = block->leaf[1 + i];
        state[i] = out[i]->i;
    }
    for (uint32_t i = 0; i < block->n; i++) {
        const struct mbody *body = mech->bodies + block->bodies[i];
        if (mech->dim == 2 && body->touches) {
            out[n_out++] = body->pose.cs[0];
            out[n_out++] = body->pose.cs[1];
        }
    }
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.motion",
                             mech->bodies[block->bodies[0]].decl->name),
        .series = true,
        .outs = out,
        .n_outs = n_out,
        .states = block->leaf + 1,
        .rates = block->rate + 1,
        .n_states = count,
        .n_local = block->n_row,
        .residual = block->ddphi,
        .jacobian = block->J,
        .n_unknown = block->n_row,
        .symmetric = block->n_row > 0,
        .env_of = mech_env_of,
        .ctx = mech};
    block->out.motion = tape_build(mech->graph, mech->image, &spec, rows);
    block->out.bodies = image_array(mech->image, block->bodies, block->n,
                                    sizeof *block->bodies);
    block->out.state = image_array(mech->image, state, count, sizeof *state);
    block->out.rows = image_array(mech->image, rows, count, sizeof *rows);
    guards(mech, block, rows);

    /* rows that event tapes read */
    size_t extra = count;
    for (uint32_t i = 0; i < block->n; i++) {
        struct mbody *body = mech->bodies + block->bodies[i];
        const uint32_t *r = body->state_row = rows + (size_t)i * mech->n_state;
        for (uint32_t j = 0; j < (mech->dim == 2 ? 2u : 7u); j++)
            body->pose_row[j] = r[j];
        if (mech->dim == 2 && body->touches) {
            body->pose_row[2] = rows[extra++];
            body->pose_row[3] = rows[extra++];
        }
    }
}

/* -- with contacts that stay closed ------------------------------------------
 */

/* the accelerations by contacts of body i of the block: leaves of a series, or
 * entries of env */
static void
pushes(struct mech *mech, const struct mbody *body, uint32_t i, bool series,
       vec3 *v, vec3 *w)
{
    uint32_t spin = mech->dim == 2 ? 1 : 3, first = i * (mech->dim + spin);
    *v = v3_zero(mech->graph);
    *w = v3_zero(mech->graph);
    for (uint32_t c = 0; c < mech->dim; c++)
        v->v[c] = series ? ex_sym(mech->graph, SYM_ROW, 0, first + c)
                         : sym_env(mech, body->env_body + IMP_BODY_PUSH + c);
    for (uint32_t c = 0; c < spin; c++)
        w->v[mech->dim == 2 ? 2 : c] =
            series ? ex_sym(mech->graph, SYM_ROW, 0, first + mech->dim + c)
                   : sym_env(mech, body->env_body + IMP_BODY_PUSH + 3 + c);
}

/* phi'' with the pushes; accelerations are left as they were */
static void
push_conditions(struct mech *mech, uint32_t index, bool series,
                const expr **out)
{
    struct mblock *block = mech->blocks + index;
    vec3 *keep = NEW_N(mech->arena, vec3, 2 * (size_t)block->n), v, w;
    for (uint32_t i = 0; i < block->n; i++) {
        struct mbody *body = mech->bodies + block->bodies[i];
        keep[2 * i] = body->acc;
        keep[2 * i + 1] = body->alpha;
        pushes(mech, body, i, series, &v, &w);
        body->acc = v3_add(mech->graph, body->acc, v);
        body->alpha = v3_add(mech->graph, body->alpha, w);
    }
    joint_conditions(mech, index, out);
    for (uint32_t i = 0; i < block->n; i++) {
        struct mbody *body = mech->bodies + block->bodies[i];
        body->acc = keep[2 * i];
        body->alpha = keep[2 * i + 1];
    }
}

static bool
touched(const struct mech *mech, const struct mblock *block)
{
    for (uint32_t i = 0; i < block->n; i++)
        if (mech->bodies[block->bodies[i]].touches)
            return true;
    return false;
}

static void
driven_tape(struct mech *mech, uint32_t index)
{
    struct mblock *block = mech->blocks + index;
    struct graph *graph = mech->graph;
    size_t count = block->n_leaf - 1, n_out = count, at = 0;
    block->out.driven = IMP_NO_TAPE;
    if (!mech_simulates(mech) || !touched(mech, block))
        return;
    const expr **out =
        NEW_N(mech->arena, const expr *, count + 2 * (size_t)block->n);
    const expr **rate = NEW_N(mech->arena, const expr *, count + 1);
    const expr **phi = NEW_N(mech->arena, const expr *, block->n_row + 1);
    uint32_t *rows = NEW_N(mech->arena, uint32_t, count + 2 * (size_t)block->n);
    for (size_t i = 0; i < count; i++) {
        out[i] = block->leaf[1 + i];
        rate[i] = block->rate[1 + i];
    }
    for (uint32_t i = 0; i < block->n; i++, at += mech->n_state) {
        const struct mbody *body = mech->bodies + block->bodies[i];
        uint32_t spin = mech->dim == 2 ? 1 : 3;
        size_t first = at + mech->n_state - mech->dim - spin;
        vec3 v, w;
        pushes(mech, body, i, true, &v, &w);
        for (uint32_t c = 0; c < mech->dim; c++)
            rate[first + c] = sc_add(graph, rate[first + c], v.v[c]);
        for (uint32_t c = 0; c < spin; c++)
            rate[first + mech->dim + c] =
                sc_add(graph, rate[first + mech->dim + c],
                       w.v[mech->dim == 2 ? 2 : c]);
        if (mech->dim == 2 && body->touches) {
            out[n_out++] = body->pose.cs[0];
            out[n_out++] = body->pose.cs[1];
        }
    }
    push_conditions(mech, index, true, phi);
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.driven",
                             mech->bodies[block->bodies[0]].decl->name),
        .series = true,
        .outs = out,
        .n_outs = n_out,
        .states = block->leaf + 1,
        .rates = rate,
        .n_states = count,
        .n_local = block->n_row,
        .residual = phi,
        .jacobian = block->J,
        .n_unknown = block->n_row,
        .symmetric = block->n_row > 0,
        .env_of = mech_env_of,
        .ctx = mech};
    block->out.driven = tape_build(graph, mech->image, &spec, rows);
    block->out.driven_rows =
        image_array(mech->image, rows, n_out, sizeof *rows);
    /* what the joints answer with at order 0 */
    push_conditions(mech, index, false, phi);
    for (uint32_t i = 0; i < block->n_row; i++)
        block->ddphi[i] = phi[i];
}

/* leaf, rate: the flow the body follows */
static void
kinematics_tape(struct mech *mech, struct mbody *body, const expr *const *leaf,
                const expr *const *rate, size_t n)
{
    struct graph *graph = mech->graph;
    graph_origin(graph, mech_range(body->decl->force.range, body->decl->range));
    vec3 jerk = v3_along(graph, body->acc, leaf, rate, n);
    vec3 alpha2 = v3_along(graph, body->alpha, leaf, rate, n);
    vec3 dw = body->alpha, ddw = alpha2;
    if (mech->dim == 3) {
        /* w = R w_b: w' = R w_b', w'' = R (w_b'' + w_b x w_b') */
        dw = m3_apply(graph, body->pose.R, dw);
        ddw = v3_add(graph, ddw, v3_cross(graph, body->w_body, body->alpha));
        ddw = m3_apply(graph, body->pose.R, ddw);
    }
    const vec3 v[6] = {body->v, body->acc, jerk, body->w, dw, ddw};
    const expr *out[18];
    for (int i = 0; i < 18; i++)
        out[i] = v[i / 3].v[i % 3];
    body->kinematics = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.kinematics", body->decl->name), 0,
        out, 18);
}

static void
energy_tape(struct mech *mech, struct mbody *body)
{
    graph_origin(mech->graph, body->decl->range);
    const expr *out[8] = {body_kinetic(mech, body), body_potential(mech, body)};
    vec3 p = body_momentum(mech, body), l = body_angular(mech, body);
    for (int i = 0; i < 3; i++) {
        out[2 + i] = p.v[i];
        out[5 + i] = l.v[i];
    }
    body->energy = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.energy", body->decl->name), 0, out,
        8);
}

static void
make_blocks(struct mech *mech, uint32_t *parent)
{
    size_t count = mech->model->n_bodies;
    mech->blocks = NEW_N(mech->arena, struct mblock,
                         count + 2 * mech->model->n_systems + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct mbody *body = mech->bodies + i;
        body->block = IMP_NO_BLOCK;
        if (body->fixed)
            continue;
        uint32_t r = root_of(parent, i);
        if (r == i) {
            body->block = (uint32_t)mech->n_blocks++;
            mech->blocks[body->block].bodies =
                NEW_N(mech->arena, uint32_t, count);
        } else {
            body->block = mech->bodies[r].block;
        }
        struct mblock *block = mech->blocks + body->block;
        block->bodies[block->n++] = i;
    }
}

bool
block_build(struct mech *mech)
{
    size_t count = mech->model->n_bodies;
    uint32_t *parent = NEW_N(mech->arena, uint32_t, count + 1);
    if (!couple_bodies(mech, parent))
        return false;
    make_blocks(mech, parent);
    pose_flow(mech);
    for (size_t i = 0; i < count; i++)
        if (mech->bodies[i].fixed)
            fixed_rates(mech, mech->bodies + i);
        else
            body_rates(mech, mech->bodies + i);
    for (size_t i = 0; i < mech->n_blocks; i++) {
        if (!joint_rates(mech, (uint32_t)i))
            return false;
        block_flow(mech, mech->blocks + i);
        motion_tape(mech, mech->blocks + i);
        driven_tape(mech, (uint32_t)i);
        joint_tapes(mech, mech->blocks + i);
    }
    const expr *t = sym_time(mech), *one = ex_num(mech->graph, 1.0);
    for (size_t i = 0; i < count; i++) {
        struct mbody *body = mech->bodies + i;
        if (body->fixed) {
            kinematics_tape(mech, body, &t, &one, 1);
        } else {
            /* with joints the runtime reads the series (motion.h) */
            const struct mblock *block = mech->blocks + body->block;
            body->kinematics = IMP_NO_TAPE;
            if (block->n_row == 0)
                kinematics_tape(mech, body, block->leaf, block->rate,
                                block->n_leaf);
        }
        energy_tape(mech, body);
    }
    return true;
}
