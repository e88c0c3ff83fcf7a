/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The motion of blocks, bodies that move together (coupling.c). Per block there
 * is the motion series (tangential.md 0.B):
 *   c' = v           v' = force/m + gravity
 *   q' = q (0, w)/2  w' = J^-1 (torque - w x J w)     w in body axes
 * (in the plane: theta' = omega, omega' = torque/J). Per body there are the
 * exact derivatives of its motion along the flow, eqs (113)-(118) of
 * Palffy-Muhoray et al. 2018, with forces and prescribed motion included. */
#include "mechanics/mech_priv.h"

#include <assert.h>
#include <string.h>

/* -- rates ----------------------------------------------------------------- */

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
    return sc_sub(mech->graph, body->form->inertia.J.m[i][i],
                  body->form->inertia.J.m[j][j]);
}

/* The torque on a body and its rotors, less w x L, in body axes. */
static vec3
gyroscopic(struct mech *mech, const struct mbody *body)
{
    struct graph *graph = mech->graph;
    if (mech->dim == 2)
        return body->form->rate.torque;
    vec3 spin = body->form->w_body;
    vec3 moment =
        v3_is_zero(body->form->rate.torque)
            ? body->form->rate.torque
            : m3_apply_t(graph, body->form->pose.R, body->form->rate.torque);
    if (!body->diagonal) {
        vec3 angular =
            v3_add(graph, m3_apply(graph, body->form->inertia.J, spin),
                   rotor_angular(mech, body));
        return v3_sub(graph, moment, v3_cross(graph, spin, angular));
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        moment.v[i] = sc_add(graph, moment.v[i],
                             sc_mul(graph, env_difference(mech, body, j, l),
                                    sc_mul(graph, spin.v[j], spin.v[l])));
    }
    return moment;
}

vec3
body_moment(struct mech *mech, const struct mbody *body)
{
    assert(mech);
    return rotors_moment(mech, body, gyroscopic(mech, body));
}

/* d(w_body)/dt. Where the body axes are principal axes there are three
 * products, whose coefficients (J2 - J3)/J1 do not change in time. Equal
 * moments of inertia make a coefficient exactly 0. */
static vec3
euler(struct mech *mech, const struct mbody *body)
{
    struct graph *graph = mech->graph;
    vec3 spin = body->form->w_body;
    graph_origin(graph,
                 mech_range(body->decl->torque.range, body->decl->range));
    if (mech->dim == 2 || !body->diagonal)
        return rotors_alpha(
            mech, body,
            m3_apply(graph, body->form->inertia.invJ, gyroscopic(mech, body)));
    vec3 torque =
        v3_is_zero(body->form->rate.torque)
            ? body->form->rate.torque
            : m3_apply_t(graph, body->form->pose.R, body->form->rate.torque);
    vec3 r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        const expr *inv = body->form->inertia.invJ.m[i][i];
        const expr *c = sc_mul(graph, env_difference(mech, body, j, l), inv);
        r.v[i] = sc_mul(graph, c, sc_mul(graph, spin.v[j], spin.v[l]));
        r.v[i] = sc_add(graph, r.v[i], sc_mul(graph, inv, torque.v[i]));
    }
    return r;
}

/* Of the mass centre, without joints. */
static vec3
free_acceleration(const struct mech *mech, const struct mbody *body)
{
    return v3_add(mech->graph,
                  v3_scale(mech->graph, body->form->inertia.invmass,
                           body->form->rate.force),
                  mech->gravity);
}

void
body_rates(struct mech *mech, struct mbody *body)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    body->form->rate.force = lower_vec(mech, body, &body->decl->force, false);
    body->form->rate.torque = lower_vec(mech, body, &body->decl->torque, true);
    graph_origin(graph, mech_range(body->decl->force.range, body->decl->range));
    body->form->rate.acc = free_acceleration(mech, body);
    body->form->rate.alpha = euler(mech, body);
}

/* The rates of a fixed body: those that its position as a function of t gives.
 */
static void
fixed_rates(struct mech *mech, struct mbody *body)
{
    const expr *t = sym_time(mech), *one = ex_num(mech->graph, 1.0);
    graph_origin(mech->graph,
                 mech_range(body->decl->force.range, body->decl->range));
    body->form->rate.acc = body->form->rate.alpha = v3_zero(mech->graph);
    if (!body->prescribed)
        return;
    body->form->rate.acc = v3_along(mech->graph, body->form->v, &t, &one, 1);
    body->form->rate.alpha =
        v3_along(mech->graph, body->form->w_body, &t, &one, 1);
}

/* -- the tapes of a block -------------------------------------------------- */

/* Rates of a body's pose, in the order of env. Returns how many. */
static size_t
pose_rates(struct mech *mech, const struct mbody *body, const expr **rate)
{
    size_t n = 0;
    for (uint32_t i = 0; i < mech->dim; i++)
        rate[n++] = body->form->v.v[i];
    if (mech->dim == 2) {
        rate[n++] = body->form->w_body.v[2];
    } else {
        quat q = q_rate(mech->graph, body->form->pose.q, body->form->w_body);
        for (int i = 0; i < 4; i++)
            rate[n++] = q.q[i];
    }
    return n;
}

/* The flow of t and of the poses of all bodies: the part of the motion that
 * needs no forces. */
static void
pose_flow(struct mech *mech)
{
    for (uint32_t i = 0; i < mech->model->n_bodies; i++)
        mech->form(mech, mech->bodies + i);
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
            mech->leaf[mech->n_leaf + s] = sym_state(mech, body->env.state + s);
        mech->n_leaf += n;
    }
}

/* Rates of a body's state, in the order of env. Returns how many. */
static size_t
state_rates(struct mech *mech, const struct mbody *body, const expr **rate)
{
    size_t n = pose_rates(mech, body, rate);
    for (uint32_t i = 0; i < mech->dim; i++)
        rate[n++] = body->form->rate.acc.v[i];
    for (uint32_t i = mech->dim == 2 ? 2 : 0; i < 3; i++)
        rate[n++] = body->form->rate.alpha.v[i];
    return n;
}

static void
block_flow(struct mech *mech, struct mblock *block)
{
    size_t cap = 1 + (size_t)block->n * mech->n_state + mech->model->n_rotors;
    block->leaf = NEW_N(mech->arena, const expr *, cap);
    block->rate = NEW_N(mech->arena, const expr *, cap);
    block->leaf[0] = sym_time(mech);
    block->rate[0] = ex_num(mech->graph, 1.0);
    block->n_leaf = 1;
    for (uint32_t i = 0; i < block->n; i++) {
        const struct mbody *body = mech->bodies + block->bodies[i];
        for (uint32_t s = 0; s < mech->n_state; s++)
            block->leaf[block->n_leaf + s] =
                sym_state(mech, body->env.state + s);
        block->n_leaf += state_rates(mech, body, block->rate + block->n_leaf);
    }
    rotors_flow(mech, block);
}

/* The name of a tape of this block. */
static const char *
tape_name(struct mech *mech, const struct mblock *block, const char *what)
{
    const struct tm_body *first = mech->bodies[block->bodies[0]].decl;
    return arena_printf(mech->arena, "%s.%s", first->name, what);
}

/* Does a joint hold a body of the block at this one, or do they touch by a
 * contact that is declared? */
static bool
meets_block(const struct mech *mech, const struct mblock *block, uint32_t body)
{
    for (size_t j = 0; j < mech->model->n_joints; j++) {
        const struct tm_joint *joint = mech->model->joints + j;
        bool holds = false, meets = false;
        for (uint32_t k = 0; k < 3; k++) {
            holds |= joint_body(joint, k) == body;
            for (uint32_t i = 0; i < block->n; i++)
                meets |= joint_body(joint, k) == block->bodies[i];
        }
        if (holds && meets)
            return true;
    }
    for (size_t c = 0; c < mech->model->n_contacts; c++) {
        const struct tm_contact *contact = mech->model->contacts + c;
        for (uint32_t i = 0; i < block->n; i++)
            if ((contact->body[0] == body &&
                 contact->body[1] == block->bodies[i]) ||
                (contact->body[1] == body &&
                 contact->body[0] == block->bodies[i]))
                return true;
    }
    return false;
}

/* Where the bodies are on which those of the block may rest, or hang, and what
 * their surfaces are and its own, as far as that is a formula of t with
 * branches: these may change the rate of a gap, or of a joint, at once.
 * Returns how many formulas there are. */
static size_t
grounds(struct mech *mech, const struct mblock *block, const expr **f)
{
    size_t n = 0;
    for (uint32_t b = 0; mech->n_branching && b < mech->model->n_bodies; b++) {
        const struct mbody *body = mech->bodies + b;
        bool own = !body->fixed && mech->blocks + body->block == block;
        if ((!body->branches && body->shape.n_timed == 0) ||
            (!own && !meets_block(mech, block, b)))
            continue;
        if (body->branches)
            n += body_pose(mech, body, f + n);
        for (size_t i = 0; i < body->shape.n_timed; i++)
            f[n++] = body->shape.timed[i];
    }
    return n;
}

/* The switching functions of the forces on the bodies of a block, and of what
 * moves the ground below them. */
static struct guard_levels
block_switching(struct mech *mech, struct mblock *block, const uint32_t *rows)
{
    size_t count = 6 * (size_t)block->n;
    const expr **f = NEW_N(mech->arena, const expr *,
                           count + 3 + 3 * mech->model->n_rotors +
                               2 * (size_t)block->n_rub + mech->n_branching);
    for (uint32_t i = 0; i < count; i++) {
        const struct body_rates *rate =
            &mech->bodies[block->bodies[i / 6]].form->rate;
        f[i] = i % 6 < 3 ? rate->force.v[i % 6] : rate->torque.v[i % 6 - 3];
    }
    for (uint32_t i = 0; i < 3; i++)
        f[count + i] = mech->gravity.v[i];
    size_t n = count + 3 + rotors_formulas(mech, block, f + count + 3);
    n += joint_friction_formulas(block, f + n);
    size_t n_ground = grounds(mech, block, f + n);
    return switching_build(mech, &block->out, tape_name(mech, block, "guard"),
                           block->leaf + 1, rows, block->n_leaf - 1, f,
                           n + n_ground, n_ground);
}

/* Outputs of a motion: the state leaves, then cosine and sine of the angle of
 * each body whose surface is touched (plane). Returns how many. */
static size_t
motion_outputs(struct mech *mech, const struct mblock *block, const expr **out)
{
    size_t n_out = 0;
    for (size_t i = 1; i < block->n_leaf; i++)
        out[n_out++] = block->leaf[i];
    for (uint32_t i = 0; i < block->n; i++) {
        const struct mbody *body = mech->bodies + block->bodies[i];
        if (mech->dim == 2 && body->touches) {
            out[n_out++] = body->form->pose.cs[0];
            out[n_out++] = body->form->pose.cs[1];
        }
    }
    return n_out;
}

/* The tape of a flow of the block: `rate` of the state leaves, and the
 * multipliers of the joints as unknowns whose conditions are `residual`. */
static uint32_t
flow_tape(struct mech *mech, const struct mblock *block, const char *what,
          const expr *const *rate, const expr *const *residual,
          const expr *const *out, size_t n_out, uint32_t *rows)
{
    struct tape_spec spec = {.name = tape_name(mech, block, what),
                             .outs = out,
                             .n_outs = n_out,
                             .states = block->leaf + 1,
                             .rates = rate,
                             .n_states = block->n_leaf - 1,
                             .n_local = block->n_unknown,
                             .residual = residual,
                             .jacobian = block->n_rub ? block->slope : block->K,
                             .n_unknown = block->n_unknown,
                             .symmetric = block->n_rub ? IMP_JACOBIAN_RANK
                                                       : IMP_JACOBIAN_SADDLE};
    return mech_series_tape(mech, spec, rows);
}

/* What closed contacts do to body i of the block: the acceleration v, and that
 * of the spin, or the moment where joints hold it, w. Rows of a series, or
 * entries of env. */
static void
pushes(struct mech *mech, const struct mbody *body, uint32_t i, bool series,
       vec3 *v, vec3 *w)
{
    uint32_t spin = mech->dim == 2 ? 1 : 3, first = i * (mech->dim + spin);
    *v = v3_zero(mech->graph);
    *w = v3_zero(mech->graph);
    for (uint32_t c = 0; c < mech->dim; c++)
        v->v[c] = series ? ex_sym(mech->graph, SYM_ROW, 0, first + c)
                         : sym_env(mech, body->env.body + IMP_BODY_PUSH + c);
    for (uint32_t c = 0; c < spin; c++)
        w->v[mech->dim == 2 ? 2 : c] =
            series ? ex_sym(mech->graph, SYM_ROW, 0, first + mech->dim + c)
                   : sym_env(mech, body->env.body + IMP_BODY_PUSH + 3 + c);
}

/* The residuals of the joints with what closed contacts add. The accelerations
 * of the bodies are the same after the call as before. */
static void
push_conditions(struct mech *mech, uint32_t index, bool series,
                const expr **out)
{
    struct mblock *block = mech->blocks + index;
    vec3 *keep = NEW_N(mech->arena, vec3, 2 * (size_t)block->n), v, w;
    for (uint32_t i = block->n_row; i < block->n_unknown; i++)
        out[i] = block->euler[i - block->n_row];
    for (uint32_t i = 0; i < block->n; i++) {
        struct mbody *body = mech->bodies + block->bodies[i];
        keep[2 * i] = body->form->rate.acc;
        keep[2 * i + 1] = body->form->rate.alpha;
        pushes(mech, body, i, series, &v, &w);
        body->form->rate.acc = v3_add(mech->graph, body->form->rate.acc, v);
        if (!joint_holds_spin(block, i))
            body->form->rate.alpha =
                v3_add(mech->graph, body->form->rate.alpha, w);
        else
            joint_add_moment(mech, block, i, w, out);
    }
    joint_conditions(mech, index, out);
    for (uint32_t i = 0; i < block->n; i++) {
        struct mbody *body = mech->bodies + block->bodies[i];
        body->form->rate.acc = keep[2 * i];
        body->form->rate.alpha = keep[2 * i + 1];
    }
}

/* What closed contacts add to each rate of the state. */
static const expr **
pushed_rates(struct mech *mech, const struct mblock *block, bool series)
{
    size_t n_state = block->n_leaf - 1, at = 0;
    uint32_t spin = mech->dim == 2 ? 1 : 3;
    const expr **pushed = NEW_N(mech->arena, const expr *, n_state + 1);
    for (size_t k = 0; k < n_state; k++)
        pushed[k] = sc_zero(mech->graph);
    for (uint32_t i = 0; i < block->n; i++) {
        vec3 v, w;
        pushes(mech, mech->bodies + block->bodies[i], i, series, &v, &w);
        at += mech->n_state - mech->dim - spin;
        for (uint32_t c = 0; c < mech->dim; c++)
            pushed[at++] = v.v[c];
        for (uint32_t c = 0; c < spin; c++, at++)
            if (!joint_holds_spin(block, i))
                pushed[at] = w.v[mech->dim == 2 ? 2 : c];
    }
    return pushed;
}

/* Forces that jump where a rate changes its sign, on bodies whose joints have
 * no friction. */
static void
block_relays(struct mech *mech, uint32_t index,
             const struct guard_levels *guards)
{
    struct mblock *block = mech->blocks + index;
    size_t n_state = block->n_leaf - 1, cap = n_state + 2 * (size_t)block->n +
                                              IMP_JOINT_ROWS * block->n_told;
    if (block->n_rub > 0 ||
        !relays_may_be(mech, guards, block->rate + 1, n_state))
        return;
    const expr **more = NEW_N(mech->arena, const expr *, cap),
               **conditions = NEW_N(mech->arena, const expr *,
                                    2 * (size_t)block->n_unknown + 1);
    if (block->n_unknown) {
        push_conditions(mech, index, true, conditions);
        push_conditions(mech, index, false, conditions + block->n_unknown);
    }
    size_t n_out = motion_outputs(mech, block, more);
    n_out += joint_told_outputs(mech, block, more + n_out);
    struct relay_bodies bodies = {.pushed = pushed_rates(mech, block, true),
                                  .pushed_now =
                                      pushed_rates(mech, block, false),
                                  .more = more + n_state,
                                  .n_more = n_out - n_state,
                                  .n_unknown = block->n_unknown,
                                  .conditions = conditions};
    relays_build(mech, &block->out, tape_name(mech, block, "motion"), guards,
                 block->leaf + 1, block->rate + 1, n_state, &bodies);
}

static void
motion_tape(struct mech *mech, uint32_t index)
{
    struct mblock *block = mech->blocks + index;
    size_t n_state = block->n_leaf - 1,
           cap = n_state + 2 * (size_t)block->n + IMP_RUB_ROWS * block->n_rub +
                 IMP_JOINT_ROWS * block->n_told + 1;
    const expr **out = NEW_N(mech->arena, const expr *, cap);
    uint32_t *rows = NEW_N(mech->arena, uint32_t, cap);
    uint32_t *state = NEW_N(mech->arena, uint32_t, n_state);
    size_t n_out = motion_outputs(mech, block, out), n_pose = n_out;
    n_out += joint_friction_outputs(mech, block, out + n_out);
    size_t n_rub = n_out;
    n_out += joint_told_outputs(mech, block, out + n_out);
    for (size_t i = 0; i < n_state; i++)
        state[i] = out[i]->i;
    block->out.motion = flow_tape(
        mech, block, "motion", block->rate + 1,
        block->n_rub ? block->rubbing : block->residual, out, n_out, rows);
    joint_friction_rows(block, rows + n_pose);
    for (uint32_t i = 0; i < block->n_told; i++)
        memcpy(block->told[i].rows, rows + n_rub + (size_t)i * IMP_JOINT_ROWS,
               sizeof block->told[i].rows);
    block->out.bodies = image_array(mech->image, block->bodies, block->n,
                                    sizeof *block->bodies);
    block->out.state = image_array(mech->image, state, n_state, sizeof *state);
    block->out.rows = image_shared(mech->image, rows, n_state, sizeof *rows);
    rotors_tapes(mech, block, rows, (size_t)block->n * mech->n_state);
    struct guard_levels guards = block_switching(mech, block, rows);
    block_relays(mech, index, &guards);

    /* The event tapes of contacts read these rows. */
    size_t extra = n_state;
    for (uint32_t i = 0; i < block->n; i++) {
        struct mbody *body = mech->bodies + block->bodies[i];
        const uint32_t *row = body->row.state =
            rows + (size_t)i * mech->n_state;
        for (uint32_t j = 0; j < (mech->dim == 2 ? 2u : 7u); j++)
            body->row.pose[j] = row[j];
        if (mech->dim == 2 && body->touches) {
            body->row.pose[2] = rows[extra++];
            body->row.pose[3] = rows[extra++];
        }
    }
    assert(extra == n_pose);
}

/* -- with contacts that stay closed ---------------------------------------- */

static bool
touched(const struct mech *mech, const struct mblock *block)
{
    for (uint32_t i = 0; i < block->n; i++)
        if (mech->bodies[block->bodies[i]].touches)
            return true;
    return false;
}

/* The motion while contacts are closed: to the rates of the velocities the
 * accelerations by contacts are added. The joints' conditions for the solver
 * at order 0 (block->residual) are replaced by those with these accelerations.
 */
static void
driven_tape(struct mech *mech, uint32_t index)
{
    struct mblock *block = mech->blocks + index;
    struct graph *graph = mech->graph;
    size_t n_state = block->n_leaf - 1,
           cap = n_state + 2 * (size_t)block->n + IMP_RUB_ROWS * block->n_rub +
                 IMP_JOINT_ROWS * block->n_told + 1;
    size_t at = 0;
    block->out.driven = IMP_NO_TAPE;
    if (!mech_simulates(mech) || !touched(mech, block))
        return;
    const expr **out = NEW_N(mech->arena, const expr *, cap);
    const expr **rate = NEW_N(mech->arena, const expr *, n_state + 1);
    const expr **phi = NEW_N(mech->arena, const expr *, block->n_unknown + 1);
    uint32_t *rows = NEW_N(mech->arena, uint32_t, cap);
    size_t n_out = motion_outputs(mech, block, out);
    for (size_t i = 0; i < n_state; i++)
        rate[i] = block->rate[1 + i];
    for (uint32_t i = 0; i < block->n; i++, at += mech->n_state) {
        const struct mbody *body = mech->bodies + block->bodies[i];
        uint32_t spin = mech->dim == 2 ? 1 : 3;
        size_t first = at + mech->n_state - mech->dim - spin;
        vec3 v, w;
        pushes(mech, body, i, true, &v, &w);
        for (uint32_t c = 0; c < mech->dim; c++)
            rate[first + c] = sc_add(graph, rate[first + c], v.v[c]);
        for (uint32_t c = 0; c < spin && !joint_holds_spin(block, i); c++)
            rate[first + mech->dim + c] =
                sc_add(graph, rate[first + mech->dim + c],
                       w.v[mech->dim == 2 ? 2 : c]);
    }
    push_conditions(mech, index, true, phi);
    joint_friction_conditions(mech, block, phi);
    n_out += joint_friction_outputs(mech, block, out + n_out);
    n_out += joint_told_outputs(mech, block, out + n_out);
    block->out.driven = flow_tape(mech, block, "motion with contacts", rate,
                                  phi, out, n_out, rows);
    block->out.driven_rows =
        image_array(mech->image, rows, n_out, sizeof *rows);
    push_conditions(mech, index, false, phi);
    for (uint32_t i = 0; i < block->n_unknown; i++)
        block->residual[i] = phi[i];
    joint_friction_conditions(mech, block, phi);
    for (uint32_t i = 0; block->n_rub && i < block->n_unknown; i++)
        block->rubbing[i] = phi[i];
}

/* The tape of velocity, acceleration and jerk, and of spin with two
 * derivatives. leaf, rate: the flow that the body follows. */
static void
kinematics_tape(struct mech *mech, struct mbody *body, const expr *const *leaf,
                const expr *const *rate, size_t n)
{
    struct graph *graph = mech->graph;
    graph_origin(graph, mech_range(body->decl->force.range, body->decl->range));
    vec3 jerk = v3_along(graph, body->form->rate.acc, leaf, rate, n);
    vec3 alpha2 = v3_along(graph, body->form->rate.alpha, leaf, rate, n);
    vec3 dw = body->form->rate.alpha, ddw = alpha2;
    if (mech->dim == 3) {
        /* w = R w_b: w' = R w_b', w'' = R (w_b'' + w_b x w_b') */
        dw = m3_apply(graph, body->form->pose.R, dw);
        ddw =
            v3_add(graph, ddw,
                   v3_cross(graph, body->form->w_body, body->form->rate.alpha));
        ddw = m3_apply(graph, body->form->pose.R, ddw);
    }
    const vec3 v[6] = {
        body->form->v, body->form->rate.acc, jerk, body->form->w, dw, ddw};
    const expr *out[18];
    for (int i = 0; i < 18; i++)
        out[i] = v[i / 3].v[i % 3];
    body->tape.kinematics = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.kinematics", body->decl->name), 0,
        out, 18);
}

/* The tape of the sizes of the terms of both accelerations: forces that cancel
 * leave a rounding of these. */
static void
pull_tape(struct mech *mech, struct mbody *body)
{
    struct graph *graph = mech->graph;
    const expr *out[2] = {ex_num(graph, 0.0), ex_num(graph, 0.0)};
    body->tape.pull = IMP_NO_TAPE;
    if (body->fixed ? !body->prescribed : body->flags & IMP_BODYF_WEIGHT)
        return;
    graph_origin(graph, mech_range(body->decl->force.range, body->decl->range));
    /* of bodies with joints the accelerations read what the joints answer */
    vec3 moves =
             body->fixed ? body->form->rate.acc : free_acceleration(mech, body),
         turns = body->fixed ? body->form->rate.alpha : body->form->rate.torque;
    for (int i = 0; i < 3; i++) {
        out[0] = sc_add(graph, out[0], formula_rounding(mech, moves.v[i]));
        out[1] = sc_add(graph, out[1], formula_rounding(mech, turns.v[i]));
    }
    /* the trace of a positive matrix is at least its norm */
    const expr *inverse = sc_zero(graph);
    for (int i = 0; i < 3; i++)
        inverse = sc_add(graph, inverse, body->form->inertia.invJ.m[i][i]);
    if (!body->fixed)
        out[1] = sc_mul(graph, out[1], inverse);
    body->tape.pull = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.pull", body->decl->name), 0, out,
        2);
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
    body->tape.energy = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.energy", body->decl->name), 0, out,
        8);
}

/* -- families --------------------------------------------------------------
 */

/* Fewer members have tapes of their own. */
#define FAMILY_LEAST 4

/* Do all tapes of its motion follow from numbers of the body alone? jointed:
 * per body. */
static bool
moves_by_weight(const struct mech *mech, const bool *jointed,
                const struct mbody *body)
{
    return !body->fixed && body->flags & IMP_BODYF_WEIGHT &&
           mech->blocks[body->block].n == 1 && !jointed[body->index];
}

static bool
same_family(const struct mbody *one, const struct mbody *two)
{
    return one->decl->range.lo == two->decl->range.lo &&
           one->decl->range.file == two->decl->range.file &&
           one->touches == two->touches && one->diagonal == two->diagonal;
}

/* Finds the bodies that share tapes: members of a family stand one after the
 * other. */
static void
find_families(struct mech *mech)
{
    uint32_t n_body = (uint32_t)mech->model->n_bodies, end;
    bool *jointed = NEW_N(mech->arena, bool, n_body + 1);
    for (size_t i = 0; i < mech->model->n_joints; i++)
        for (uint32_t side = 0; side < 3; side++) {
            uint32_t body = joint_body(mech->model->joints + i, side);
            if (body != IMP_WORLD)
                jointed[body] = true;
        }
    for (uint32_t first = 0; first < n_body; first = end) {
        end = first + 1;
        mech->bodies[first].like = first;
        if (!moves_by_weight(mech, jointed, mech->bodies + first))
            continue;
        while (end < n_body &&
               moves_by_weight(mech, jointed, mech->bodies + end) &&
               same_family(mech->bodies + first, mech->bodies + end))
            end++;
        bool shares = end - first >= FAMILY_LEAST;
        for (uint32_t i = first; i < end; i++) {
            mech->bodies[i].like = shares ? first : i;
            mech->bodies[i].flags |= shares ? IMP_BODYF_ALIKE : 0;
        }
    }
}

static bool
shares_tapes(const struct mbody *body)
{
    return (body->flags & IMP_BODYF_ALIKE) != 0;
}

static void
body_tapes(struct mech *mech, struct mbody *body)
{
    const expr *time = sym_time(mech), *one = ex_num(mech->graph, 1.0);
    if (body->fixed) {
        kinematics_tape(mech, body, &time, &one, 1);
    } else {
        /* with joints the runtime reads the motion series instead */
        const struct mblock *block = mech->blocks + body->block;
        body->tape.kinematics = IMP_NO_TAPE;
        if (block->n_row == 0)
            kinematics_tape(mech, body, block->leaf, block->rate,
                            block->n_leaf);
    }
    pull_tape(mech, body);
    energy_tape(mech, body);
}

static void
block_tapes(struct mech *mech, uint32_t index)
{
    block_flow(mech, mech->blocks + index);
    motion_tape(mech, index);
    driven_tape(mech, index);
    joint_tapes(mech, mech->blocks + index);
}

/* The tapes of a family, of a body that stands for all its members and lies
 * from layout.self on. */
static void
family_tapes(struct mech *mech, struct mbody *first)
{
    mech->form(mech, first);
    struct mbody member = *first;
    body_elsewhere(mech, &member, mech->layout.self,
                   mech->layout.self + IMP_BODY_SIZE, first);
    body_rates(mech, first);
    block_tapes(mech, first->block);
    body_tapes(mech, first);
    member.tape = first->tape;
    member.row = first->row;
    *first = member;
}

/* A member of a family has the tapes of the first one. */
static void
take_tapes(struct mech *mech, struct mbody *body)
{
    struct mblock *block = mech->blocks + body->block;
    const struct mbody *first = mech->bodies + body->like;
    uint32_t state[IMP_STATE_SPACE];
    imp_block out = mech->blocks[first->block].out;
    for (uint32_t i = 0; i < mech->n_state; i++)
        state[i] = body->env.state + i;
    out.bodies = image_array(mech->image, block->bodies, block->n,
                             sizeof *block->bodies);
    out.state = image_array(mech->image, state, mech->n_state, sizeof *state);
    block->out = out;
    body->tape.kinematics = first->tape.kinematics;
    body->tape.pull = first->tape.pull;
    body->tape.energy = first->tape.energy;
    body->row = first->row;
    /* what the first one has no branches of, the others have none of */
    if (out.guard == IMP_NO_TAPE && mech->n_branching == 0)
        return;
    mech->form(mech, body);
    block_flow(mech, block);
    block_switching(mech, block, body->row.state);
}

bool
block_build(struct mech *mech)
{
    assert(mech && mech->bodies && !mech->blocks);
    size_t n_body = mech->model->n_bodies;
    if (!coupling_build(mech))
        return false;
    if (mech->model->n_series)
        pose_flow(mech);
    rotors_torques(mech);
    for (size_t i = 0; i < n_body; i++)
        if (mech->bodies[i].fixed)
            fixed_rates(mech, mech->bodies + i);
        else if (!mech->bodies[i].later)
            body_rates(mech, mech->bodies + i);
    find_families(mech);
    for (uint32_t i = 0; i < mech->n_blocks; i++) {
        if (!joint_rates(mech, i))
            return false;
        struct mbody *first = mech->bodies + mech->blocks[i].bodies[0];
        if (!shares_tapes(first)) {
            for (uint32_t j = 0; j < mech->blocks[i].n; j++)
                mech->form(mech, mech->bodies + mech->blocks[i].bodies[j]);
            block_tapes(mech, i);
            continue;
        }
        if (first->like == first->index)
            family_tapes(mech, first);
        take_tapes(mech, first);
    }
    for (size_t i = 0; i < n_body; i++)
        if (!shares_tapes(mech->bodies + i))
            body_tapes(mech, mech->bodies + i);
    for (size_t i = 0; i < n_body; i++)
        if (!mech->bodies[i].fixed)
            mech->blocks[mech->bodies[i].block].out.pulled |=
                mech->bodies[i].tape.pull != IMP_NO_TAPE;
    return true;
}
