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
    struct mech *k;
    uint32_t *parent, body;
    imp_range range;
    bool ok;
};

static void
join(struct couple *c, uint32_t other)
{
    if (c->k->bodies[other].fixed)
        return;
    together(c->parent, c->body, other);
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
    struct couple *c = ctx;
    if (leaf->sym == SYM_BODY && !is_constant(leaf->j / BODYQ_STRIDE))
        join(c, leaf->i);
    if (leaf->sym == SYM_SERIES)
        ex_leaves(c->k->g, &c->k->m->series[leaf->i].e, 1, couple_leaf, c);
    if (leaf->sym == SYM_TOTAL)
        for (uint32_t i = 0; i < c->k->m->n_bodies; i++)
            join(c, i);
    if ((leaf->sym != SYM_CONTACT && leaf->sym != SYM_SLOT) || !c->ok)
        return;
    c->ok = false;
    struct diag *d =
        diag_add(c->k->ds, DIAG_E0508, mech_range(leaf->origin, c->range),
                 leaf->sym == SYM_CONTACT
                     ? "the force on `%s` reads the gap of a contact"
                     : "the force on `%s` reads the result of a command",
                 c->k->bodies[c->body].tm->name);
    diag_help(c->k->ds, d,
              "a force may read t, params and the position, velocity, angle "
              "and spin of bodies");
}

static bool
couple_bodies(struct mech *k, uint32_t *parent)
{
    bool ok = true;
    for (uint32_t i = 0; i < k->m->n_bodies; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < k->m->n_bodies; i++) {
        const struct tm_body *t = k->bodies[i].tm;
        if (k->bodies[i].fixed)
            continue;
        const struct tm_vec *f[2] = {&t->force, &t->torque};
        for (int n = 0; n < 2; n++) {
            struct couple c = {k, parent, i, mech_range(f[n]->range, t->range),
                               true};
            ex_leaves(k->g, f[n]->e, f[n]->n, couple_leaf, &c);
            ok &= c.ok;
        }
    }
    joint_couple(k, together, parent);
    return ok;
}

/* -- rates
 * ----------------------------------------------------------------------- */

static vec3
lower_vec(struct mech *k, const struct mbody *b, const struct tm_vec *v,
          bool spin)
{
    vec3 r = v3_zero(k->g);
    for (uint32_t i = 0; i < v->n && i < 3; i++)
        r.v[spin && k->d == 2 ? 2 : i] = series_in_force(
            k, v->e[i], mech_range(v->range, b->tm->range), b->tm->name);
    return r;
}

static const expr *
env_difference(struct mech *k, const struct mbody *b, int i, int j)
{
    return sc_sub(k->g, b->J.m[i][i], b->J.m[j][j]);
}

/* d(w_body)/dt. With principal axes three products, whose coefficients
 * (J2 - J3)/J1 do not change in time; equal moments make them exactly 0. */
static vec3
euler(struct mech *k, const struct mbody *b)
{
    struct graph *g = k->g;
    vec3 w = b->w_body;
    graph_origin(g, mech_range(b->tm->torque.range, b->tm->range));
    if (k->d == 2)
        return m3_apply(g, b->invJ, b->torque);
    vec3 torque =
        v3_is_zero(b->torque) ? b->torque : m3_apply_t(g, b->pose.R, b->torque);
    if (!b->diagonal) {
        vec3 gyro = v3_cross(g, w, m3_apply(g, b->J, w));
        return m3_apply(g, b->invJ, v3_sub(g, torque, gyro));
    }
    vec3 r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        const expr *inv = b->invJ.m[i][i];
        const expr *c = sc_mul(g, env_difference(k, b, j, l), inv);
        r.v[i] = sc_mul(g, c, sc_mul(g, w.v[j], w.v[l]));
        r.v[i] = sc_add(g, r.v[i], sc_mul(g, inv, torque.v[i]));
    }
    return r;
}

static void
body_rates(struct mech *k, struct mbody *b)
{
    struct graph *g = k->g;
    b->force = lower_vec(k, b, &b->tm->force, false);
    b->torque = lower_vec(k, b, &b->tm->torque, true);
    graph_origin(g, mech_range(b->tm->force.range, b->tm->range));
    b->acc = v3_add(g, v3_scale(g, b->invmass, b->force), k->gravity);
    b->alpha = euler(k, b);
}

/* a fixed body moves as its position says */
static void
fixed_rates(struct mech *k, struct mbody *b)
{
    const expr *t = sym_time(k), *one = ex_num(k->g, 1.0);
    graph_origin(k->g, mech_range(b->tm->force.range, b->tm->range));
    b->acc = b->alpha = v3_zero(k->g);
    if (!b->prescribed)
        return;
    b->acc = v3_along(k->g, b->v, &t, &one, 1);
    b->alpha = v3_along(k->g, b->w_body, &t, &one, 1);
}

/* -- the tapes of a block
 * ------------------------------------------------------------ */

/* rates of the pose of b, in env order */
static size_t
pose_rates(struct mech *k, const struct mbody *b, const expr **rate)
{
    size_t n = 0;
    for (uint32_t i = 0; i < k->d; i++)
        rate[n++] = b->v.v[i];
    if (k->d == 2) {
        rate[n++] = b->w_body.v[2];
    } else {
        quat q = q_rate(k->g, b->pose.q, b->w_body);
        for (int i = 0; i < 4; i++)
            rate[n++] = q.q[i];
    }
    return n;
}

/* t and the poses of all bodies: what moves without a look at the forces */
static void
pose_flow(struct mech *k)
{
    size_t cap = 1 + k->m->n_bodies * k->n_state;
    k->leaf = NEW_N(k->arena, const expr *, cap);
    k->rate = NEW_N(k->arena, const expr *, cap);
    k->leaf[0] = sym_time(k);
    k->rate[0] = ex_num(k->g, 1.0);
    k->n_leaf = 1;
    for (uint32_t i = 0; i < k->m->n_bodies; i++) {
        const struct mbody *b = k->bodies + i;
        size_t n = b->fixed ? 0 : pose_rates(k, b, k->rate + k->n_leaf);
        for (uint32_t s = 0; s < n; s++)
            k->leaf[k->n_leaf + s] = sym_state(k, b->env_state + s);
        k->n_leaf += n;
    }
}

/* rates of the state of b, in env order */
static size_t
state_rates(struct mech *k, const struct mbody *b, const expr **rate)
{
    size_t n = pose_rates(k, b, rate);
    for (uint32_t i = 0; i < k->d; i++)
        rate[n++] = b->acc.v[i];
    for (uint32_t i = k->d == 2 ? 2 : 0; i < 3; i++)
        rate[n++] = b->alpha.v[i];
    return n;
}

static void
block_flow(struct mech *k, struct mblock *o)
{
    size_t cap = 1 + (size_t)o->n * k->n_state;
    o->leaf = NEW_N(k->arena, const expr *, cap);
    o->rate = NEW_N(k->arena, const expr *, cap);
    o->leaf[0] = sym_time(k);
    o->rate[0] = ex_num(k->g, 1.0);
    o->n_leaf = 1;
    for (uint32_t i = 0; i < o->n; i++) {
        const struct mbody *b = k->bodies + o->bodies[i];
        for (uint32_t s = 0; s < k->n_state; s++)
            o->leaf[o->n_leaf + s] = sym_state(k, b->env_state + s);
        o->n_leaf += state_rates(k, b, o->rate + o->n_leaf);
    }
}

/* where forces change their branch */
static void
guards(struct mech *k, struct mblock *o, const uint32_t *rows)
{
    size_t n = 6 * (size_t)o->n;
    const expr **f = NEW_N(k->arena, const expr *, n + 3);
    for (uint32_t i = 0; i < 3; i++)
        f[n + i] = k->gravity.v[i];
    for (uint32_t i = 0; i < n; i++) {
        const struct mbody *b = k->bodies + o->bodies[i / 6];
        f[i] = i % 6 < 3 ? b->force.v[i % 6] : b->torque.v[i % 6 - 3];
    }
    guard_build(
        k, &o->out,
        arena_printf(k->arena, "%s.guard", k->bodies[o->bodies[0]].tm->name),
        o->leaf + 1, rows, o->n_leaf - 1, f, n + 3);
}

static void
motion_tape(struct mech *k, struct mblock *o)
{
    size_t n = o->n_leaf - 1, n_out = n;
    const expr **out = NEW_N(k->arena, const expr *, n + 2 * (size_t)o->n);
    uint32_t *rows = NEW_N(k->arena, uint32_t, n + 2 * (size_t)o->n);
    uint32_t *state = NEW_N(k->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        out[i] = o->leaf[1 + i];
        state[i] = out[i]->i;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        const struct mbody *b = k->bodies + o->bodies[i];
        if (k->d == 2 && b->touches) {
            out[n_out++] = b->pose.cs[0];
            out[n_out++] = b->pose.cs[1];
        }
    }
    struct tape_spec spec = {.name =
                                 arena_printf(k->arena, "%s.motion",
                                              k->bodies[o->bodies[0]].tm->name),
                             .series = true,
                             .outs = out,
                             .n_outs = n_out,
                             .states = o->leaf + 1,
                             .rates = o->rate + 1,
                             .n_states = n,
                             .n_local = o->n_row,
                             .residual = o->ddphi,
                             .jacobian = o->J,
                             .n_unknown = o->n_row,
                             .symmetric = o->n_row > 0,
                             .env_of = mech_env_of,
                             .ctx = k};
    o->out.motion = tape_build(k->g, k->ib, &spec, rows);
    o->out.bodies = image_array(k->ib, o->bodies, o->n, sizeof *o->bodies);
    o->out.state = image_array(k->ib, state, n, sizeof *state);
    o->out.rows = image_array(k->ib, rows, n, sizeof *rows);
    guards(k, o, rows);

    /* rows that event tapes read */
    size_t extra = n;
    for (uint32_t i = 0; i < o->n; i++) {
        struct mbody *b = k->bodies + o->bodies[i];
        const uint32_t *r = b->state_row = rows + (size_t)i * k->n_state;
        for (uint32_t j = 0; j < (k->d == 2 ? 2u : 7u); j++)
            b->pose_row[j] = r[j];
        if (k->d == 2 && b->touches) {
            b->pose_row[2] = rows[extra++];
            b->pose_row[3] = rows[extra++];
        }
    }
}

/* -- with contacts that stay closed ------------------------------------------
 */

/* the accelerations by contacts of body i of the block: leaves of a series, or
 * entries of env */
static void
pushes(struct mech *k, const struct mbody *b, uint32_t i, bool series, vec3 *v,
       vec3 *w)
{
    uint32_t spin = k->d == 2 ? 1 : 3, first = i * (k->d + spin);
    *v = v3_zero(k->g);
    *w = v3_zero(k->g);
    for (uint32_t c = 0; c < k->d; c++)
        v->v[c] = series ? ex_sym(k->g, SYM_ROW, 0, first + c)
                         : sym_env(k, b->env_body + IMP_BODY_PUSH + c);
    for (uint32_t c = 0; c < spin; c++)
        w->v[k->d == 2 ? 2 : c] =
            series ? ex_sym(k->g, SYM_ROW, 0, first + k->d + c)
                   : sym_env(k, b->env_body + IMP_BODY_PUSH + 3 + c);
}

/* phi'' with the pushes; accelerations are left as they were */
static void
push_conditions(struct mech *k, uint32_t block, bool series, const expr **out)
{
    struct mblock *o = k->blocks + block;
    vec3 *keep = NEW_N(k->arena, vec3, 2 * (size_t)o->n), v, w;
    for (uint32_t i = 0; i < o->n; i++) {
        struct mbody *b = k->bodies + o->bodies[i];
        keep[2 * i] = b->acc;
        keep[2 * i + 1] = b->alpha;
        pushes(k, b, i, series, &v, &w);
        b->acc = v3_add(k->g, b->acc, v);
        b->alpha = v3_add(k->g, b->alpha, w);
    }
    joint_conditions(k, block, out);
    for (uint32_t i = 0; i < o->n; i++) {
        struct mbody *b = k->bodies + o->bodies[i];
        b->acc = keep[2 * i];
        b->alpha = keep[2 * i + 1];
    }
}

static bool
touched(const struct mech *k, const struct mblock *o)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (k->bodies[o->bodies[i]].touches)
            return true;
    return false;
}

static void
driven_tape(struct mech *k, uint32_t block)
{
    struct mblock *o = k->blocks + block;
    struct graph *g = k->g;
    size_t n = o->n_leaf - 1, n_out = n, at = 0;
    o->out.driven = IMP_NO_TAPE;
    if (!mech_simulates(k) || !touched(k, o))
        return;
    const expr **out = NEW_N(k->arena, const expr *, n + 2 * (size_t)o->n);
    const expr **rate = NEW_N(k->arena, const expr *, n + 1);
    const expr **phi = NEW_N(k->arena, const expr *, o->n_row + 1);
    uint32_t *rows = NEW_N(k->arena, uint32_t, n + 2 * (size_t)o->n);
    for (size_t i = 0; i < n; i++) {
        out[i] = o->leaf[1 + i];
        rate[i] = o->rate[1 + i];
    }
    for (uint32_t i = 0; i < o->n; i++, at += k->n_state) {
        const struct mbody *b = k->bodies + o->bodies[i];
        uint32_t spin = k->d == 2 ? 1 : 3;
        size_t first = at + k->n_state - k->d - spin;
        vec3 v, w;
        pushes(k, b, i, true, &v, &w);
        for (uint32_t c = 0; c < k->d; c++)
            rate[first + c] = sc_add(g, rate[first + c], v.v[c]);
        for (uint32_t c = 0; c < spin; c++)
            rate[first + k->d + c] =
                sc_add(g, rate[first + k->d + c], w.v[k->d == 2 ? 2 : c]);
        if (k->d == 2 && b->touches) {
            out[n_out++] = b->pose.cs[0];
            out[n_out++] = b->pose.cs[1];
        }
    }
    push_conditions(k, block, true, phi);
    struct tape_spec spec = {.name =
                                 arena_printf(k->arena, "%s.driven",
                                              k->bodies[o->bodies[0]].tm->name),
                             .series = true,
                             .outs = out,
                             .n_outs = n_out,
                             .states = o->leaf + 1,
                             .rates = rate,
                             .n_states = n,
                             .n_local = o->n_row,
                             .residual = phi,
                             .jacobian = o->J,
                             .n_unknown = o->n_row,
                             .symmetric = o->n_row > 0,
                             .env_of = mech_env_of,
                             .ctx = k};
    o->out.driven = tape_build(g, k->ib, &spec, rows);
    o->out.driven_rows = image_array(k->ib, rows, n_out, sizeof *rows);
    /* what the joints answer with at order 0 */
    push_conditions(k, block, false, phi);
    for (uint32_t i = 0; i < o->n_row; i++)
        o->ddphi[i] = phi[i];
}

/* leaf, rate: the flow the body follows */
static void
kinematics_tape(struct mech *k, struct mbody *b, const expr *const *leaf,
                const expr *const *rate, size_t n)
{
    struct graph *g = k->g;
    graph_origin(g, mech_range(b->tm->force.range, b->tm->range));
    vec3 jerk = v3_along(g, b->acc, leaf, rate, n);
    vec3 alpha2 = v3_along(g, b->alpha, leaf, rate, n);
    vec3 dw = b->alpha, ddw = alpha2;
    if (k->d == 3) {
        /* w = R w_b: w' = R w_b', w'' = R (w_b'' + w_b x w_b') */
        dw = m3_apply(g, b->pose.R, dw);
        ddw = v3_add(g, ddw, v3_cross(g, b->w_body, b->alpha));
        ddw = m3_apply(g, b->pose.R, ddw);
    }
    const vec3 v[6] = {b->v, b->acc, jerk, b->w, dw, ddw};
    const expr *out[18];
    for (int i = 0; i < 18; i++)
        out[i] = v[i / 3].v[i % 3];
    b->kinematics = mech_eval_tape(
        k, arena_printf(k->arena, "%s.kinematics", b->tm->name), 0, out, 18);
}

static void
energy_tape(struct mech *k, struct mbody *b)
{
    graph_origin(k->g, b->tm->range);
    const expr *out[8] = {body_kinetic(k, b), body_potential(k, b)};
    vec3 p = body_momentum(k, b), l = body_angular(k, b);
    for (int i = 0; i < 3; i++) {
        out[2 + i] = p.v[i];
        out[5 + i] = l.v[i];
    }
    b->energy = mech_eval_tape(
        k, arena_printf(k->arena, "%s.energy", b->tm->name), 0, out, 8);
}

static void
make_blocks(struct mech *k, uint32_t *parent)
{
    size_t n = k->m->n_bodies;
    k->blocks = NEW_N(k->arena, struct mblock, n + 2 * k->m->n_systems + 1);
    for (uint32_t i = 0; i < n; i++) {
        struct mbody *b = k->bodies + i;
        b->block = IMP_NO_BLOCK;
        if (b->fixed)
            continue;
        uint32_t r = root_of(parent, i);
        if (r == i) {
            b->block = (uint32_t)k->n_blocks++;
            k->blocks[b->block].bodies = NEW_N(k->arena, uint32_t, n);
        } else {
            b->block = k->bodies[r].block;
        }
        struct mblock *o = k->blocks + b->block;
        o->bodies[o->n++] = i;
    }
}

bool
block_build(struct mech *k)
{
    size_t n = k->m->n_bodies;
    uint32_t *parent = NEW_N(k->arena, uint32_t, n + 1);
    if (!couple_bodies(k, parent))
        return false;
    make_blocks(k, parent);
    pose_flow(k);
    for (size_t i = 0; i < n; i++)
        if (k->bodies[i].fixed)
            fixed_rates(k, k->bodies + i);
        else
            body_rates(k, k->bodies + i);
    for (size_t i = 0; i < k->n_blocks; i++) {
        if (!joint_rates(k, (uint32_t)i))
            return false;
        block_flow(k, k->blocks + i);
        motion_tape(k, k->blocks + i);
        driven_tape(k, (uint32_t)i);
        joint_tapes(k, k->blocks + i);
    }
    const expr *t = sym_time(k), *one = ex_num(k->g, 1.0);
    for (size_t i = 0; i < n; i++) {
        struct mbody *b = k->bodies + i;
        if (b->fixed) {
            kinematics_tape(k, b, &t, &one, 1);
        } else {
            /* with joints the runtime reads the series (motion.h) */
            const struct mblock *o = k->blocks + b->block;
            b->kinematics = IMP_NO_TAPE;
            if (o->n_row == 0)
                kinematics_tape(k, b, o->leaf, o->rate, o->n_leaf);
        }
        energy_tape(k, b);
    }
    return true;
}
