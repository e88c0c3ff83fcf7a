/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One body: what it is made of, and where it is. Mass and inertia are entries
 * of env, so params stay inputs of the tapes. The pose of a free body is made
 * of state variables, that of a fixed one of entries of env, that of a
 * prescribed one of functions of t. Checks that need no numbers are done here.
 */
#include "mechanics/mech_priv.h"

#include <assert.h>

/* -- constants ------------------------------------------------------------- */

static bool
vec_diagonal(const struct tm_vec *v)
{
    if (v->n == 9)
        return sc_is_zero(v->e[1]) && sc_is_zero(v->e[2]) &&
               sc_is_zero(v->e[3]) && sc_is_zero(v->e[5]) &&
               sc_is_zero(v->e[6]) && sc_is_zero(v->e[7]);
    if (v->n == 6)
        return sc_is_zero(v->e[3]) && sc_is_zero(v->e[4]) &&
               sc_is_zero(v->e[5]);
    return true;
}

/* Are the body axes principal axes, whatever the params are? A stated inertia
 * must have literal zeros off its diagonal; for one that is integrated, two
 * mirror planes of the level set are enough. */
static bool
inertia_diagonal(const struct mbody *body)
{
    const struct tm_body *decl = body->decl;
    if (decl->stated.inertia.n)
        return vec_diagonal(&decl->stated.inertia);
    if (decl->shape.inertia.n)
        return vec_diagonal(&decl->shape.inertia);
    int mirrors = 0;
    for (uint32_t i = 0; i < 3; i++)
        mirrors += (body->flags & (IMP_BODYF_MIRROR_X << i)) != 0;
    return mirrors >= 2;
}

static void
body_constants(struct mech *mech, struct mbody *body)
{
    struct graph *graph = mech->graph;
    const expr *zero = sc_zero(graph), *inertia[6], *inverse[6];
    uint32_t first = body->env.body;
    body->form->inertia.mass =
        body->fixed ? zero : sym_env(mech, first + IMP_BODY_MASS);
    body->form->inertia.invmass =
        body->fixed ? zero : sym_env(mech, first + IMP_BODY_INVMASS);
    for (uint32_t entry = 0; entry < 6; entry++) {
        bool keep = !body->fixed && (entry < 3 || !body->diagonal);
        if (mech->dim == 2)
            keep = !body->fixed && entry == 2;
        uint32_t at = mech->dim == 2 ? 0 : entry;
        inertia[entry] =
            keep ? sym_env(mech, first + IMP_BODY_INERTIA + at) : zero;
        inverse[entry] =
            keep ? sym_env(mech, first + IMP_BODY_INVINERTIA + at) : zero;
    }
    body->form->inertia.J = m3_sym(inertia);
    body->form->inertia.invJ = m3_sym(inverse);
    body->shape.centre = v3_zero(graph);
    for (uint32_t entry = 0; entry < mech->dim; entry++)
        body->shape.centre.v[entry] =
            sym_env(mech, first + IMP_BODY_CENTRE + entry);
}

/* Does the spin of the body move no part of its surface? */
static bool
is_round(const struct mbody *body)
{
    const struct tm_vec *centre = &body->decl->shape.centre;
    bool own = !(body->flags & IMP_BODYF_BALL) || body->fixed || !centre->n ||
               body->decl->stated.centre.n;
    for (uint32_t i = 0; i < centre->n && !own; i++)
        own = !sc_is_zero(centre->e[i]);
    return !own;
}

static void
body_flags(const struct mech *mech, struct mbody *body)
{
    const struct tm_body *decl = body->decl;
    bool rotors = rotors_any(mech, body);
    body->flags |= rotors ? IMP_BODYF_ROTORS : 0;
    body->flags &= rotors ? ~IMP_BODYF_BALL : ~0u;
    body->flags |= is_round(body) ? IMP_BODYF_ROUND : 0;
    body->flags |= body->fixed ? IMP_BODYF_FIXED : 0;
    body->flags |= decl->apart.e ? IMP_BODYF_APART : 0;
    body->flags |= body->prescribed ? IMP_BODYF_PRESCRIBED : 0;
    body->flags |=
        decl->shape.n_point || decl->shape.n_plane ? IMP_BODYF_POLYTOPE : 0;
    body->flags |= decl->stated.mass.e ? IMP_BODYF_MASS : 0;
    body->flags |=
        !decl->stated.mass.e && decl->stated.density.e ? IMP_BODYF_DENSITY : 0;
    body->flags |= decl->shape.volume.e ? IMP_BODYF_SVOLUME : 0;
    body->flags |= decl->shape.centre.n ? IMP_BODYF_SCENTRE : 0;
    body->flags |= decl->shape.inertia.n ? IMP_BODYF_SINERTIA : 0;
    body->flags |= decl->start.position.range.file ? IMP_BODYF_PLACED : 0;
    body->flags |= decl->stated.centre.n ? IMP_BODYF_CENTRE : 0;
    body->flags |= decl->stated.inertia.n ? IMP_BODYF_INERTIA : 0;
    body->flags |=
        !decl->force.n && !decl->torque.n && !rotors ? IMP_BODYF_WEIGHT : 0;
    body->orient = decl->start.orient.n ? (uint32_t)decl->start.orient_kind
                                        : IMP_ORIENT_NONE;
}

/* -- state ----------------------------------------------------------------- */

/* The state of a body whose entries are leaves: state variables of a free body,
 * entries of env of a fixed one, whose velocity is zero. */
static void
state_leaves(struct mech *mech, struct mbody *body)
{
    struct graph *graph = mech->graph;
    const expr *leaf[IMP_STATE_SPACE];
    for (uint32_t i = 0; i < mech->n_state; i++)
        leaf[i] = body->fixed ? sym_env(mech, body->env.state + i)
                              : sym_state(mech, body->env.state + i);
    const expr *zero = sc_zero(graph);
    body->form->v = body->form->w_body = v3_zero(graph);
    if (mech->dim == 2) {
        body->form->pose.c = v3(leaf[0], leaf[1], zero);
        body->form->angle = leaf[2];
        if (!body->fixed) {
            body->form->v = v3(leaf[3], leaf[4], zero);
            body->form->w_body = v3(zero, zero, leaf[5]);
        }
    } else {
        body->form->pose.c = v3(leaf[0], leaf[1], leaf[2]);
        body->form->pose.q = (quat){{leaf[3], leaf[4], leaf[5], leaf[6]}};
        if (!body->fixed) {
            body->form->v = v3(leaf[7], leaf[8], leaf[9]);
            body->form->w_body = v3(leaf[10], leaf[11], leaf[12]);
        }
    }
}

/* The attitude of a prescribed body in space as a quaternion that depends on t.
 * False after E0504. */
static bool
orient_of_time(struct mech *mech, struct mbody *body)
{
    struct graph *graph = mech->graph;
    const struct tm_vec *orient = &body->decl->start.orient;
    const expr *one = ex_num(graph, 1.0), *zero = sc_zero(graph);
    quat attitude = {{one, zero, zero, zero}};
    const expr *angle = NULL;
    vec3 axis = v3(zero, zero, one);
    if (body->orient == IMP_ORIENT_ANGLE) {
        angle = orient->e[0];
    } else if (body->orient == IMP_ORIENT_AXISANGLE) {
        vec3 a = v3(orient->e[0], orient->e[1], orient->e[2]);
        axis = v3_scale(graph, ex_div(graph, one, v3_norm(graph, a)), a);
        angle = orient->e[3];
    } else if (body->orient == IMP_ORIENT_QUATERNION) {
        const expr *n2 = zero;
        for (int i = 0; i < 4; i++)
            n2 = sc_add(graph, n2, sc_mul(graph, orient->e[i], orient->e[i]));
        const expr *norm = ex_op(graph, IMP_OP_SQRT, n2, NULL, NULL);
        for (int i = 0; i < 4; i++)
            attitude.q[i] = ex_div(graph, orient->e[i], norm);
    } else if (body->orient == IMP_ORIENT_AXES) {
        bool moves = false;
        for (uint32_t i = 0; i < orient->n; i++)
            moves |= ex_depends(graph, orient->e[i], SYM_TIME, UINT32_MAX,
                                UINT32_MAX);
        if (moves) {
            struct diag *diag =
                diag_add(mech->diags, DIAG_E0504,
                         mech_range(orient->range, body->decl->range),
                         "the axes of `%s` turn with t", body->decl->name);
            diag_help(mech->diags, diag,
                      "give a turning attitude as `rotation = (axis, angle)` "
                      "or as `quaternion`, with t in it");
            return false;
        }
        for (uint32_t i = 0; i < 4; i++)
            attitude.q[i] = sym_env(mech, body->env.state + 3 + i);
    }
    if (angle) {
        const expr *h = sc_mul(graph, ex_num(graph, 0.5), angle);
        attitude.q[0] = ex_op(graph, IMP_OP_COS, h, NULL, NULL);
        vec3 v = v3_scale(graph, ex_op(graph, IMP_OP_SIN, h, NULL, NULL), axis);
        for (int i = 0; i < 3; i++)
            attitude.q[i + 1] = v.v[i];
    }
    body->form->pose.q = attitude;
    return true;
}

/* Pose and velocities as functions of t; the velocities are exact derivatives.
 * False after an error. */
static bool
state_of_time(struct mech *mech, struct mbody *body)
{
    struct graph *graph = mech->graph;
    const expr *zero = sc_zero(graph), *time = sym_time(mech);
    const struct tm_body *decl = body->decl;
    body->form->pose.c = body->form->v = body->form->w_body = v3_zero(graph);
    for (uint32_t i = 0; i < mech->dim && i < decl->start.position.n; i++) {
        body->form->pose.c.v[i] = decl->start.position.e[i];
        body->form->v.v[i] = ex_diff(graph, decl->start.position.e[i], time);
    }
    if (mech->dim == 2) {
        body->form->angle =
            decl->start.orient.n ? decl->start.orient.e[0] : zero;
        body->form->w_body.v[2] = ex_diff(graph, body->form->angle, time);
        return true;
    }
    if (!orient_of_time(mech, body))
        return false;
    /* (0, w) = 2 conj(q) q' */
    quat dq;
    for (int i = 0; i < 4; i++)
        dq.q[i] = ex_diff(graph, body->form->pose.q.q[i], time);
    quat w = q_conj_mul(graph, body->form->pose.q, dq);
    for (int i = 0; i < 3; i++)
        body->form->w_body.v[i] = sc_mul(graph, ex_num(graph, 2.0), w.q[i + 1]);
    return true;
}

static bool
reads_time(struct mech *mech, const struct tm_vec *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (ex_depends(mech->graph, v->e[i], SYM_TIME, UINT32_MAX, UINT32_MAX))
            return true;
    return false;
}

static bool
all_zero(const struct tm_vec *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (!sc_is_zero(v->e[i]))
            return false;
    return true;
}

/* What a body must state, whatever its numbers are. False after an error. */
static bool
body_complete(struct mech *mech, const struct mbody *body)
{
    const struct tm_body *decl = body->decl;
    struct diag *diag;
    if (body->fixed) {
        if (all_zero(&decl->start.velocity) && all_zero(&decl->start.spin))
            return true;
        const struct tm_vec *v = all_zero(&decl->start.velocity)
                                     ? &decl->start.spin
                                     : &decl->start.velocity;
        diag =
            diag_add(mech->diags, DIAG_E0505, mech_range(v->range, decl->range),
                     "the fixed body `%s` has a %s", decl->name,
                     v == &decl->start.spin ? "spin" : "velocity");
        diag_help(mech->diags, diag,
                  "the motion of a fixed body is its position as a function "
                  "of time: write `position = p + v*t` or `angle = w*t`");
        return false;
    }
    if (!decl->stated.mass.e && !decl->stated.density.e) {
        diag = diag_add(mech->diags, DIAG_E0506, decl->range,
                        "`%s` has no mass", decl->name);
        diag_help(mech->diags, diag,
                  "give `mass` or `density`, or `fixed = true` if it does "
                  "not move");
        return false;
    }
    if (!decl->shape.level_set && !decl->shape.n_point &&
        (!decl->stated.inertia.n || !decl->stated.mass.e)) {
        diag = diag_add(mech->diags, DIAG_E0507, decl->range,
                        "`%s` has no shape, so its %s is unknown", decl->name,
                        decl->stated.mass.e ? "inertia" : "mass");
        diag_help(mech->diags, diag, "%s",
                  decl->stated.mass.e
                      ? "give `inertia`, or a shape"
                      : "give `mass` instead of `density`, or a shape");
        return false;
    }
    return true;
}

/* A half-plane or half-space that moves must state its mass and inertia,
 * because the integral over it is not finite. False after E0507. */
static bool
flat_complete(struct mech *mech, const struct mbody *body)
{
    const struct tm_body *decl = body->decl;
    if (body->fixed || !(body->flags & IMP_BODYF_FLAT) ||
        (decl->stated.mass.e && decl->stated.inertia.n))
        return true;
    struct diag *diag = diag_add(
        mech->diags, DIAG_E0507, mech_range(decl->shape.range, decl->range),
        "the shape of `%s` is unbounded, so its %s is unknown", decl->name,
        decl->stated.mass.e ? "inertia" : "mass");
    diag_help(mech->diags, diag,
              "state `mass` and `inertia`, or `fixed = true` if it does not "
              "move");
    return false;
}

/* The tape that gives the whole state of a prescribed body at the time in env.
 */
static void
refresh_tape(struct mech *mech, struct mbody *body)
{
    const expr *out[IMP_STATE_SPACE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < mech->dim; i++)
        out[count++] = body->form->pose.c.v[i];
    if (mech->dim == 2)
        out[count++] = body->form->angle;
    else
        for (int i = 0; i < 4; i++)
            out[count++] = body->form->pose.q.q[i];
    for (uint32_t i = 0; i < mech->dim; i++)
        out[count++] = body->form->v.v[i];
    for (uint32_t i = mech->dim == 2 ? 2 : 0; i < 3; i++)
        out[count++] = body->form->w_body.v[i];
    body->tape.refresh = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.pose", body->decl->name), 0, out,
        count);
}

/* What follows from the leaves of the state: attitude, and spin in world axes.
 */
static void
attitude(struct mech *mech, struct mbody *body)
{
    struct graph *graph = mech->graph;
    if (mech->dim == 2) {
        body->form->pose.cs[0] =
            ex_op(graph, IMP_OP_COS, body->form->angle, NULL, NULL);
        body->form->pose.cs[1] =
            ex_op(graph, IMP_OP_SIN, body->form->angle, NULL, NULL);
        body->form->pose.R =
            m3_plane(graph, body->form->pose.cs[0], body->form->pose.cs[1]);
        body->form->w = body->form->w_body;
    } else {
        body->form->pose.R = m3_of_quat(graph, body->form->pose.q);
        body->form->w = m3_apply(graph, body->form->pose.R, body->form->w_body);
    }
}

void
body_elsewhere(struct mech *mech, const struct mbody *of, uint32_t env_body,
               uint32_t env_state, struct mbody *out)
{
    assert(mech && of && out && !of->prescribed);
    const struct body_formulas *form = of->form;
    *out = *of;
    out->env.body = env_body;
    out->env.state = env_state;
    body_formulas(mech, out);
    if (form)
        out->form->rate = form->rate;
}

void
body_formulas(struct mech *mech, struct mbody *body)
{
    assert(mech && body && !body->prescribed);
    body->form = NEW(mech->arena, struct body_formulas);
    body_constants(mech, body);
    state_leaves(mech, body);
    attitude(mech, body);
}

bool
body_build(struct mech *mech, struct mbody *body)
{
    assert(mech && body && body->decl && !body->shape.G);
    struct graph *graph = mech->graph;
    body->fixed = body->decl->fixed;
    body->prescribed =
        body->fixed && (reads_time(mech, &body->decl->start.position) ||
                        reads_time(mech, &body->decl->start.orient));
    body->tape.refresh = IMP_NO_TAPE;
    if (!data_body_ok(mech, body->decl) || !body_complete(mech, body) ||
        !shape_build(mech, body) || !flat_complete(mech, body))
        return false;
    body_flags(mech, body);
    body->diagonal =
        mech->dim == 2 || (inertia_diagonal(body) && !rotors_any(mech, body));
    body->later = body->later && !body->fixed && body->flags & IMP_BODYF_WEIGHT;
    mech->n_branching += body->shape.n_timed;
    if (body->later)
        return true;
    graph_origin(graph, body->decl->range);
    if (!body->prescribed) {
        body_formulas(mech, body);
        return true;
    }
    body->form = NEW(mech->arena, struct body_formulas);
    body_constants(mech, body);
    if (!state_of_time(mech, body))
        return false;
    attitude(mech, body);
    refresh_tape(mech, body);
    const expr *pose[BODY_POSE];
    for (size_t i = 0, n = body_pose(mech, body, pose);
         body->prescribed && i < n; i++)
        body->branches |= switching_in(mech, pose[i]);
    mech->n_branching += body->branches ? BODY_POSE : 0;
    return true;
}

size_t
body_pose(const struct mech *mech, const struct mbody *body, const expr **pose)
{
    assert(mech && body && pose);
    size_t n = 0;
    for (uint32_t i = 0; i < mech->dim; i++)
        pose[n++] = body->form->pose.c.v[i];
    for (uint32_t i = 0; i < 2 && mech->dim == 2; i++)
        pose[n++] = body->form->pose.cs[i];
    for (uint32_t i = 0; i < 4 && mech->dim == 3; i++)
        pose[n++] = body->form->pose.q.q[i];
    return n;
}
