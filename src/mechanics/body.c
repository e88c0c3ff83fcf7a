/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One body: what it is made of (mass, inertia: entries of env, so that params
 * stay run-time inputs) and where it is (state variables when it is free,
 * entries of env when it is fixed, expressions of t when it is prescribed).
 * Also the checks on a body that do not need values. */
#include "mechanics/mech_priv.h"

/* -- initial data must not read the motion -------------------------------- */

struct init_check {
    struct mech *k;
    imp_range range;
    const char *name;
    bool ok;
};

static void
init_leaf(void *ctx, const expr *leaf)
{
    struct init_check *c = ctx;
    if (leaf->sym == SYM_PARAM || leaf->sym == SYM_TIME || !c->ok)
        return;
    c->ok = false;
    struct diag *d =
        diag_add(c->k->ds, DIAG_E0503, mech_range(leaf->origin, c->range),
                 "the data of `%s` read the motion of the model", c->name);
    diag_help(c->k->ds, d,
              "masses, inertias and initial states are known before anything "
              "moves: write them in numbers, params and (for fixed bodies) t");
}

static bool
init_ok(struct mech *k, const struct tm_body *b, const expr *const *e, size_t n,
        imp_range range)
{
    struct init_check c = {k, mech_range(range, b->range), b->name, true};
    for (size_t i = 0; i < n && c.ok; i++)
        if (e[i])
            ex_leaves(k->g, e + i, 1, init_leaf, &c);
    return c.ok;
}

static bool
data_ok(struct mech *k, const struct tm_body *b)
{
    const struct tm_num *nums[] = {&b->volume, &b->mass, &b->density};
    const struct tm_vec *vecs[] = {&b->scentre,  &b->sinertia, &b->inertia,
                                   &b->centre,   &b->position, &b->orient,
                                   &b->velocity, &b->spin};
    bool ok = true;
    for (size_t i = 0; i < sizeof nums / sizeof *nums; i++)
        ok &= init_ok(k, b, &nums[i]->e, 1, nums[i]->range);
    for (size_t i = 0; i < sizeof vecs / sizeof *vecs; i++)
        ok &= init_ok(k, b, vecs[i]->e, vecs[i]->n, vecs[i]->range);
    return ok;
}

/* -- constants --------------------------------------------------------------
 */

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

/* Are the body axes principal axes whatever the params? Stated: literal zeros;
 * integrated: two mirror planes of the level set. */
static bool
inertia_diagonal(const struct mbody *b)
{
    const struct tm_body *t = b->tm;
    if (t->inertia.n)
        return vec_diagonal(&t->inertia);
    if (t->sinertia.n)
        return vec_diagonal(&t->sinertia);
    int mirrors = 0;
    for (uint32_t i = 0; i < 3; i++)
        mirrors += (b->flags & (IMP_BODYF_MIRROR_X << i)) != 0;
    return mirrors >= 2;
}

static void
body_constants(struct mech *k, struct mbody *b)
{
    struct graph *g = k->g;
    const expr *z = sc_zero(g), *j[6], *i[6];
    uint32_t e = b->env_body;
    b->mass = b->fixed ? z : sym_env(k, e + IMP_BODY_MASS);
    b->invmass = b->fixed ? z : sym_env(k, e + IMP_BODY_INVMASS);
    b->diagonal = k->d == 2 || inertia_diagonal(b);
    for (uint32_t n = 0; n < 6; n++) {
        bool keep = !b->fixed && (n < 3 || !b->diagonal);
        if (k->d == 2)
            keep = !b->fixed && n == 2;
        uint32_t at = k->d == 2 ? 0 : n;
        j[n] = keep ? sym_env(k, e + IMP_BODY_INERTIA + at) : z;
        i[n] = keep ? sym_env(k, e + IMP_BODY_INVINERTIA + at) : z;
    }
    b->J = m3_sym(j);
    b->invJ = m3_sym(i);
    b->shape_centre = v3_zero(g);
    for (uint32_t n = 0; n < k->d; n++)
        b->shape_centre.v[n] = sym_env(k, e + IMP_BODY_CENTRE + n);
}

static void
body_flags(struct mbody *b)
{
    const struct tm_body *t = b->tm;
    b->flags |= b->fixed ? IMP_BODYF_FIXED : 0;
    b->flags |= b->prescribed ? IMP_BODYF_PRESCRIBED : 0;
    b->flags |= t->n_point || t->n_plane ? IMP_BODYF_POLYTOPE : 0;
    b->flags |= t->mass.e ? IMP_BODYF_MASS : 0;
    b->flags |= !t->mass.e && t->density.e ? IMP_BODYF_DENSITY : 0;
    b->flags |= t->volume.e ? IMP_BODYF_SVOLUME : 0;
    b->flags |= t->scentre.n ? IMP_BODYF_SCENTRE : 0;
    b->flags |= t->sinertia.n ? IMP_BODYF_SINERTIA : 0;
    b->flags |= t->centre.n ? IMP_BODYF_CENTRE : 0;
    b->flags |= t->inertia.n ? IMP_BODYF_INERTIA : 0;
    b->orient = t->orient.n ? (uint32_t)t->orient_kind : IMP_ORIENT_NONE;
}

/* -- state ------------------------------------------------------------------
 */

/* a state whose entries are leaves: variables of a free body, env of a fixed
 * one (whose velocity is zero) */
static void
state_leaves(struct mech *k, struct mbody *b)
{
    struct graph *g = k->g;
    const expr *s[IMP_STATE_SPACE];
    for (uint32_t i = 0; i < k->n_state; i++)
        s[i] = b->fixed ? sym_env(k, b->env_state + i)
                        : sym_state(k, b->env_state + i);
    const expr *z = sc_zero(g);
    b->v = b->w_body = v3_zero(g);
    if (k->d == 2) {
        b->pose.c = v3(s[0], s[1], z);
        b->angle = s[2];
        if (!b->fixed) {
            b->v = v3(s[3], s[4], z);
            b->w_body = v3(z, z, s[5]);
        }
    } else {
        b->pose.c = v3(s[0], s[1], s[2]);
        b->pose.q = (quat){{s[3], s[4], s[5], s[6]}};
        if (!b->fixed) {
            b->v = v3(s[7], s[8], s[9]);
            b->w_body = v3(s[10], s[11], s[12]);
        }
    }
}

/* attitude of a prescribed body in space as a quaternion of t */
static bool
orient_of_time(struct mech *k, struct mbody *b)
{
    struct graph *g = k->g;
    const struct tm_vec *o = &b->tm->orient;
    const expr *one = ex_num(g, 1.0), *z = sc_zero(g);
    quat q = {{one, z, z, z}};
    const expr *angle = NULL;
    vec3 axis = v3(z, z, one);
    if (b->orient == IMP_ORIENT_ANGLE) {
        angle = o->e[0];
    } else if (b->orient == IMP_ORIENT_AXISANGLE) {
        vec3 a = v3(o->e[0], o->e[1], o->e[2]);
        axis = v3_scale(g, ex_div(g, one, v3_norm(g, a)), a);
        angle = o->e[3];
    } else if (b->orient == IMP_ORIENT_QUATERNION) {
        const expr *n2 = z;
        for (int i = 0; i < 4; i++)
            n2 = sc_add(g, n2, sc_mul(g, o->e[i], o->e[i]));
        const expr *n = ex_op(g, IMP_OP_SQRT, n2, NULL, NULL);
        for (int i = 0; i < 4; i++)
            q.q[i] = ex_div(g, o->e[i], n);
    } else if (b->orient == IMP_ORIENT_AXES) {
        bool moves = false;
        for (uint32_t i = 0; i < o->n; i++)
            moves |= ex_depends(g, o->e[i], SYM_TIME, UINT32_MAX, UINT32_MAX);
        if (moves) {
            struct diag *d =
                diag_add(k->ds, DIAG_E0504, mech_range(o->range, b->tm->range),
                         "the axes of `%s` turn with t", b->tm->name);
            diag_help(k->ds, d,
                      "give a turning attitude as `rotation = (axis, angle)` "
                      "or as `quaternion`, with t in it");
            return false;
        }
        for (uint32_t i = 0; i < 4; i++)
            q.q[i] = sym_env(k, b->env_state + 3 + i);
    }
    if (angle) {
        const expr *h = sc_mul(g, ex_num(g, 0.5), angle);
        q.q[0] = ex_op(g, IMP_OP_COS, h, NULL, NULL);
        vec3 v = v3_scale(g, ex_op(g, IMP_OP_SIN, h, NULL, NULL), axis);
        for (int i = 0; i < 3; i++)
            q.q[i + 1] = v.v[i];
    }
    b->pose.q = q;
    return true;
}

/* pose and motion as expressions of t, velocities by exact derivatives */
static bool
state_of_time(struct mech *k, struct mbody *b)
{
    struct graph *g = k->g;
    const expr *z = sc_zero(g), *t = sym_time(k);
    const struct tm_body *tm = b->tm;
    b->pose.c = b->v = b->w_body = v3_zero(g);
    for (uint32_t i = 0; i < k->d && i < tm->position.n; i++) {
        b->pose.c.v[i] = tm->position.e[i];
        b->v.v[i] = ex_diff(g, tm->position.e[i], t);
    }
    if (k->d == 2) {
        b->angle = tm->orient.n ? tm->orient.e[0] : z;
        b->w_body.v[2] = ex_diff(g, b->angle, t);
        return true;
    }
    if (!orient_of_time(k, b))
        return false;
    /* (0, w) = 2 conj(q) q' */
    quat dq;
    for (int i = 0; i < 4; i++)
        dq.q[i] = ex_diff(g, b->pose.q.q[i], t);
    quat w = q_conj_mul(g, b->pose.q, dq);
    for (int i = 0; i < 3; i++)
        b->w_body.v[i] = sc_mul(g, ex_num(g, 2.0), w.q[i + 1]);
    return true;
}

static bool
reads_time(struct mech *k, const struct tm_vec *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (ex_depends(k->g, v->e[i], SYM_TIME, UINT32_MAX, UINT32_MAX))
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

/* what must be said about a body whatever its numbers */
static bool
body_complete(struct mech *k, const struct mbody *b)
{
    const struct tm_body *t = b->tm;
    struct diag *d;
    if (b->fixed) {
        if (all_zero(&t->velocity) && all_zero(&t->spin))
            return true;
        const struct tm_vec *v =
            all_zero(&t->velocity) ? &t->spin : &t->velocity;
        d = diag_add(k->ds, DIAG_E0505, mech_range(v->range, t->range),
                     "the fixed body `%s` has a %s", t->name,
                     v == &t->spin ? "spin" : "velocity");
        diag_help(k->ds, d,
                  "the motion of a fixed body is its position as a function "
                  "of time: write `position = p + v*t` or `angle = w*t`");
        return false;
    }
    if (!t->mass.e && !t->density.e) {
        d = diag_add(k->ds, DIAG_E0506, t->range, "`%s` has no mass", t->name);
        diag_help(k->ds, d,
                  "give `mass` or `density`, or `fixed = true` if it does "
                  "not move");
        return false;
    }
    if (!t->level_set && !t->n_point && (!t->inertia.n || !t->mass.e)) {
        d = diag_add(k->ds, DIAG_E0507, t->range,
                     "`%s` has no shape, so its %s is unknown", t->name,
                     t->mass.e ? "inertia" : "mass");
        diag_help(k->ds, d, "%s",
                  t->mass.e ? "give `inertia`, or a shape"
                            : "give `mass` instead of `density`, or a shape");
        return false;
    }
    return true;
}

/* a half-plane that moves has no mass of its own to integrate */
static bool
flat_complete(struct mech *k, const struct mbody *b)
{
    const struct tm_body *t = b->tm;
    if (b->fixed || !(b->flags & IMP_BODYF_FLAT) || (t->mass.e && t->inertia.n))
        return true;
    struct diag *d =
        diag_add(k->ds, DIAG_E0507, mech_range(t->range_shape, t->range),
                 "the shape of `%s` is unbounded, so its %s is unknown",
                 t->name, t->mass.e ? "inertia" : "mass");
    diag_help(k->ds, d,
              "state `mass` and `inertia`, or `fixed = true` if it does not "
              "move");
    return false;
}

/* outputs: the whole state of a prescribed body at env time */
static void
refresh_tape(struct mech *k, struct mbody *b)
{
    const expr *o[IMP_STATE_SPACE];
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->d; i++)
        o[n++] = b->pose.c.v[i];
    if (k->d == 2)
        o[n++] = b->angle;
    else
        for (int i = 0; i < 4; i++)
            o[n++] = b->pose.q.q[i];
    for (uint32_t i = 0; i < k->d; i++)
        o[n++] = b->v.v[i];
    for (uint32_t i = k->d == 2 ? 2 : 0; i < 3; i++)
        o[n++] = b->w_body.v[i];
    b->refresh = mech_eval_tape(
        k, arena_printf(k->arena, "%s.pose", b->tm->name), 0, o, n);
}

bool
body_build(struct mech *k, struct mbody *b)
{
    struct graph *g = k->g;
    b->fixed = b->tm->fixed;
    b->prescribed = b->fixed && (reads_time(k, &b->tm->position) ||
                                 reads_time(k, &b->tm->orient));
    b->refresh = IMP_NO_TAPE;
    if (!data_ok(k, b->tm) || !body_complete(k, b) || !shape_build(k, b) ||
        !flat_complete(k, b))
        return false;
    body_flags(b);
    graph_origin(g, b->tm->range);
    body_constants(k, b);
    if (!b->prescribed)
        state_leaves(k, b);
    else if (!state_of_time(k, b))
        return false;
    if (k->d == 2) {
        b->pose.cs[0] = ex_op(g, IMP_OP_COS, b->angle, NULL, NULL);
        b->pose.cs[1] = ex_op(g, IMP_OP_SIN, b->angle, NULL, NULL);
        b->pose.R = m3_plane(g, b->pose.cs[0], b->pose.cs[1]);
        b->w = b->w_body;
    } else {
        b->pose.R = m3_of_quat(g, b->pose.q);
        b->w = m3_apply(g, b->pose.R, b->w_body);
    }
    if (b->prescribed)
        refresh_tape(k, b);
    return true;
}
