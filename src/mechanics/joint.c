/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints in motion. A joint is a few scalar conditions phi = 0 on the poses of
 * its two bodies, or (a user's constraint) psi = 0 on their velocities. What is
 * fixed to a body is carried along with two derivatives,
 *   x = R x_b,  x' = R (w x x_b),  x'' = R (w' x x_b + w x (w x x_b)),
 * w in body axes, so phi' and phi'' are exact. They are linear in the
 * velocities and accelerations. With C = d phi'/d(v, w) the bodies of a block
 * move by
 *   v' = force/m + gravity + C_v^T lambda/m
 *   J w' = torque - w x J w + C_w^T lambda
 * and the multipliers lambda make phi'' = 0. The multipliers lambda and the
 * rates w' of the bodies that joints hold are the unknowns of the implicit
 * block of the motion tape; its matrix is
 *   [ C_v C_v^T/m   C_w ]
 *   [ C_w^T         -J  ].
 * Nothing is divided by J: a hinge at a distance makes the motion of a body
 * regular whose own inertia is small or 0, and C M^-1 C^T would lose the digits
 * of it. Prescribed bodies enter as functions of t.
 *
 * Joints with friction add a condition each, that their rate stays 0, which
 * holds where they stick (joint_friction.c).
 *
 * A row that is literally zero (z in the plane) is no condition. A row that
 * depends on others is found when the matrix is factored (imp_saddle_factor).
 */
#include "mechanics/mech_priv.h"

#include <assert.h>

/* A vector that is fixed to a body, or a point of a body, with two derivatives
 * in time, in world axes. */
struct taylor {
    vec3 x, dx, ddx;
};

/* One side of a joint: a body, or the world (NULL). */
struct side {
    const struct mbody *b;
    uint32_t arm, frame; /* entries of env */
};

struct row {
    const expr *phi, *dphi, *ddphi; /* phi NULL: velocities only */
};
static bool moves(const struct mech *mech, uint32_t body);
enum { ROWS_MAX = 6 };
/* most conditions of joints that are followed together */
enum { CONDITIONS_MAX = 256 };
struct rows {
    struct row v[ROWS_MAX];
    uint32_t n;
};

static vec3
env3(struct mech *mech, uint32_t at)
{
    vec3 r = v3_zero(mech->graph);
    for (uint32_t i = 0; i < mech->dim; i++)
        r.v[i] = sym_env(mech, at + i);
    return r;
}

/* Direction i of the frame of a side, in the axes of that side. In the plane
 * the last direction is z. */
static vec3
frame_row(struct mech *mech, const struct side *side, uint32_t i)
{
    if (mech->dim == 2 && i == 2)
        return v3(sc_zero(mech->graph), sc_zero(mech->graph),
                  ex_num(mech->graph, 1.0));
    return env3(mech, side->frame + 3 * i);
}

static struct taylor
carried(struct mech *mech, const struct side *side, vec3 x)
{
    struct graph *graph = mech->graph;
    const struct mbody *body = side->b;
    struct taylor j = {x, v3_zero(graph), v3_zero(graph)};
    if (!body)
        return j;
    vec3 y = v3_cross(graph, body->form->w_body, x);
    vec3 z = v3_add(graph, v3_cross(graph, body->form->rate.alpha, x),
                    v3_cross(graph, body->form->w_body, y));
    j.x = m3_apply(graph, body->form->pose.R, x);
    j.dx = m3_apply(graph, body->form->pose.R, y);
    j.ddx = m3_apply(graph, body->form->pose.R, z);
    return j;
}

static struct taylor
point_of(struct mech *mech, const struct side *side)
{
    struct graph *graph = mech->graph;
    struct taylor j = carried(mech, side, env3(mech, side->arm));
    if (!side->b)
        return j;
    j.x = v3_add(graph, side->b->form->pose.c, j.x);
    j.dx = v3_add(graph, side->b->form->v, j.dx);
    j.ddx = v3_add(graph, side->b->form->rate.acc, j.ddx);
    return j;
}

static struct taylor
taylor_sub(struct graph *graph, struct taylor a, struct taylor b)
{
    return (struct taylor){v3_sub(graph, a.x, b.x), v3_sub(graph, a.dx, b.dx),
                           v3_sub(graph, a.ddx, b.ddx)};
}

static void
add_row(struct rows *rows, const expr *phi, const expr *dphi, const expr *ddphi)
{
    if (!sc_is_zero(dphi))
        rows->v[rows->n++] = (struct row){phi, dphi, ddphi};
}

/* Adds the condition a.b - constant = 0. */
static void
row_dot(struct mech *mech, struct rows *rows, struct taylor a, struct taylor b,
        const expr *constant)
{
    struct graph *graph = mech->graph;
    const expr *twice =
        sc_mul(graph, ex_num(graph, 2.0), v3_dot(graph, a.dx, b.dx));
    add_row(rows, sc_sub(graph, v3_dot(graph, a.x, b.x), constant),
            sc_add(graph, v3_dot(graph, a.dx, b.x), v3_dot(graph, a.x, b.dx)),
            sc_add(graph,
                   sc_add(graph, v3_dot(graph, a.ddx, b.x),
                          v3_dot(graph, a.x, b.ddx)),
                   twice));
}

static void
row_point(struct rows *rows, struct taylor d)
{
    for (int i = 0; i < 3; i++)
        add_row(rows, d.x.v[i], d.dx.v[i], d.ddx.v[i]);
}

/* -- constraints on velocities --------------------------------------------- */

/* The velocity of the matter of a side at a point p, its derivative along p's
 * own motion, the spin and its derivative; all in world axes. */
struct twist {
    vec3 v, dv, w, dw;
};
static struct twist
twist_at(struct mech *mech, const struct side *side, struct taylor p)
{
    struct graph *graph = mech->graph;
    vec3 z = v3_zero(graph);
    if (!side->b)
        return (struct twist){z, z, z, z};
    struct twist t = {.w = side->b->form->w,
                      .dw = m3_apply(graph, side->b->form->pose.R,
                                     side->b->form->rate.alpha)};
    vec3 r = v3_sub(graph, p.x, side->b->form->pose.c),
         dr = v3_sub(graph, p.dx, side->b->form->v);
    t.v = v3_add(graph, side->b->form->v, v3_cross(graph, t.w, r));
    t.dv = v3_add(graph, side->b->form->rate.acc, v3_cross(graph, t.dw, r));
    t.dv = v3_add(graph, t.dv, v3_cross(graph, t.w, dr));
    return t;
}

/* Adds the conditions f.(v0 - v1) + m.(w0 - w1) = 0 at the point of the joint.
 * The screws (f, m) and the point are carried by the third side, whose own
 * velocity enters their rates alone. */
static void
rows_user(struct mech *mech, const struct tm_joint *decl, uint32_t env,
          const struct side sides[3], struct rows *rows)
{
    struct graph *graph = mech->graph;
    const struct side *carrier = sides + 2;
    struct taylor point = point_of(mech, carrier);
    struct twist a = twist_at(mech, sides, point),
                 b = twist_at(mech, sides + 1, point);
    vec3 velocity = v3_sub(graph, a.v, b.v),
         velocity_rate = v3_sub(graph, a.dv, b.dv);
    vec3 spin = v3_sub(graph, a.w, b.w), spin_rate = v3_sub(graph, a.dw, b.dw);
    for (uint32_t i = 0; i < decl->n_user; i++) {
        vec3 part[2] = {v3_zero(graph), v3_zero(graph)};
        for (uint32_t c = 0; c < 6; c++) {
            const expr *x = decl->user[6 * i + c];
            if (sc_is_zero(x))
                continue;
            if (!ex_is_const(x))
                x = sym_env(mech, env + IMP_JOINT_USER + 6 * i + c);
            part[c / 3] =
                v3_add(graph, part[c / 3],
                       v3_scale(graph, x, frame_row(mech, carrier, c % 3)));
        }
        struct taylor f = carried(mech, carrier, part[0]),
                      m = carried(mech, carrier, part[1]);
        const expr *psi = sc_add(graph, v3_dot(graph, f.x, velocity),
                                 v3_dot(graph, m.x, spin));
        const expr *d = sc_add(graph, v3_dot(graph, f.dx, velocity),
                               v3_dot(graph, f.x, velocity_rate));
        d = sc_add(graph, d,
                   sc_add(graph, v3_dot(graph, m.dx, spin),
                          v3_dot(graph, m.x, spin_rate)));
        add_row(rows, NULL, psi, d);
    }
}

/* -- the kinds of joints --------------------------------------------------- */

static void
rows_of(struct mech *mech, const struct tm_joint *decl, uint32_t env,
        const struct side side[3], struct rows *rows)
{
    const expr *zero = sc_zero(mech->graph);
    struct taylor axes0[3], axes1[3],
        apart = taylor_sub(mech->graph, point_of(mech, side),
                           point_of(mech, side + 1));
    for (uint32_t i = 0; i < 3; i++) {
        axes0[i] = carried(mech, side, frame_row(mech, side, i));
        axes1[i] = carried(mech, side + 1, frame_row(mech, side + 1, i));
    }
    enum imp_joint_kind kind = decl->kind;
    if (kind == IMP_JOINT_BALL || kind == IMP_JOINT_HINGE ||
        kind == IMP_JOINT_UNIVERSAL || kind == IMP_JOINT_WELD)
        row_point(rows, apart);
    if (kind == IMP_JOINT_SLIDER || kind == IMP_JOINT_CYLINDER) {
        row_dot(mech, rows, axes1[1], apart, zero);
        row_dot(mech, rows, axes1[2], apart, zero);
    }
    if (kind == IMP_JOINT_PLANAR)
        row_dot(mech, rows, axes1[0], apart, zero);
    if (kind == IMP_JOINT_HINGE || kind == IMP_JOINT_CYLINDER ||
        kind == IMP_JOINT_PLANAR) {
        /* A hinge of the plane turns about z, so these conditions are zero
         * there. */
        if (mech->dim == 3) {
            row_dot(mech, rows, axes0[0], axes1[1], zero);
            row_dot(mech, rows, axes0[0], axes1[2], zero);
        }
    }
    if (kind == IMP_JOINT_UNIVERSAL)
        row_dot(mech, rows, axes0[0], axes1[0],
                sym_env(mech, env + IMP_JOINT_COSINE));
    if (kind == IMP_JOINT_SLIDER || kind == IMP_JOINT_WELD) {
        row_dot(mech, rows, axes0[0], axes1[1], zero);
        row_dot(mech, rows, axes0[1], axes1[2], zero);
        row_dot(mech, rows, axes0[2], axes1[0], zero);
    }
    if (kind == IMP_JOINT_CONSTRAINT)
        rows_user(mech, decl, env, side, rows);
}

/* Place, rate and change of the rate of the motion that a hinge or a slider of
 * the plane leaves free. */
static struct row
free_motion(struct mech *mech, const struct tm_joint *decl,
            const struct side side[2])
{
    struct graph *graph = mech->graph;
    struct rows rows = {.n = 0};
    if (decl->kind == IMP_JOINT_SLIDER) {
        row_dot(
            mech, &rows, carried(mech, side + 1, frame_row(mech, side + 1, 0)),
            taylor_sub(graph, point_of(mech, side), point_of(mech, side + 1)),
            sc_zero(graph));
        return rows.v[0];
    }
    struct row turn = {sc_zero(graph), sc_zero(graph), sc_zero(graph)};
    for (int i = 0; i < 2; i++) {
        const struct mbody *body = side[i].b;
        if (!body)
            continue;
        const expr *part[3] = {body->form->angle, body->form->w_body.v[2],
                               body->form->rate.alpha.v[2]},
                   **sum[3] = {&turn.phi, &turn.dphi, &turn.ddphi};
        for (int k = 0; k < 3; k++)
            *sum[k] = i == 0 ? sc_add(graph, *sum[k], part[k])
                             : sc_sub(graph, *sum[k], part[k]);
    }
    return turn;
}

static bool
moves(const struct mech *mech, uint32_t body)
{
    return body != IMP_WORLD && !mech->bodies[body].fixed;
}

/* The block that a joint belongs to; IMP_NO_BLOCK if neither body moves. */
static uint32_t
block_of(const struct mech *mech, const struct tm_joint *decl)
{
    for (int i = 0; i < 2; i++)
        if (moves(mech, decl->body[i]))
            return mech->bodies[decl->body[i]].block;
    return IMP_NO_BLOCK;
}

/* Both sides of a joint, and the one that its point and screws go with; returns
 * its entries of env. */
static uint32_t
sides_of(const struct mech *mech, uint32_t joint, struct side sides[3])
{
    const struct tm_joint *decl = mech->model->joints + joint;
    uint32_t env = mech->layout.joint + joint * IMP_JOINT_SIZE;
    static const uint32_t arm[3] = {IMP_JOINT_ARM, IMP_JOINT_ARM + 3,
                                    IMP_JOINT_CARRIER_ARM},
                          frame[3] = {IMP_JOINT_FRAME, IMP_JOINT_FRAME + 9,
                                      IMP_JOINT_CARRIER_FRAME};
    for (uint32_t j = 0; j < 3; j++) {
        uint32_t body = joint_body(decl, j);
        sides[j] = (struct side){body == IMP_WORLD ? NULL : mech->bodies + body,
                                 env + arm[j], env + frame[j]};
    }
    return env;
}

/* The conditions of the friction of the joints of a block: that their rates are
 * 0; and that of the share, which is none. rows: NULL, or those of the joints,
 * behind which these stand. Returns how many there are with them. */
static uint32_t
rubbing_rows(struct mech *mech, struct mblock *block, uint32_t count,
             struct row *rows)
{
    const expr *zero = sc_zero(mech->graph);
    for (uint32_t i = 0; i < block->n_rub; i++, count++) {
        struct mrub *rub = block->rub + i;
        struct side sides[3];
        sides_of(mech, rub->joint, sides);
        if (!rows)
            continue;
        rows[count] =
            free_motion(mech, mech->model->joints + rub->joint, sides);
        rub->place = rows[count].phi;
        rub->rate = rows[count].dphi;
        rub->change = rows[count].ddphi;
        rows[count].phi = sc_sub(mech->graph, rub->place,
                                 sym_env(mech, rub->env + IMP_JOINT_PLACE));
    }
    if (block->sharing && rows)
        rows[count] = (struct row){zero, zero, zero};
    return count + block->sharing;
}

/* The conditions of all joints of a block. Returns how many; rows may be NULL.
 */
static uint32_t
block_rows(struct mech *mech, uint32_t block, struct row *rows)
{
    uint32_t count = 0, rubbing = 0, told = 0;
    struct mblock *of = mech->blocks + block;
    for (size_t i = 0; i < mech->model->n_joints; i++) {
        const struct tm_joint *decl = mech->model->joints + i;
        if (block_of(mech, decl) != block)
            continue;
        struct side sides[3];
        uint32_t env = sides_of(mech, (uint32_t)i, sides);
        struct rows r = {.n = 0};
        if (rubbing < of->n_rub && of->rub[rubbing].joint == i)
            of->rub[rubbing++].force = count;
        graph_origin(mech->graph, decl->range);
        rows_of(mech, decl, env, sides, &r);
        if (told < of->n_told && of->told[told].joint == i) {
            of->told[told].point = point_of(mech, sides + 2).x;
            of->told[told].first = count;
            of->told[told++].n = r.n;
        }
        for (uint32_t j = 0; j < r.n; j++, count++)
            if (rows)
                rows[count] = r.v[j];
    }
    of->first_rub = count;
    return rubbing_rows(mech, of, count, rows);
}

/* Finds the joints of a block that have friction, and those of the others whose
 * forces commands read. */
static void
find_rubbing(struct mech *mech, uint32_t index)
{
    struct mblock *block = mech->blocks + index;
    if (mech->model->n_joints) {
        block->rub = NEW_N(mech->arena, struct mrub, mech->model->n_joints);
        block->told = NEW_N(mech->arena, struct mtold, mech->model->n_joints);
    }
    for (size_t i = 0; i < mech->model->n_joints; i++) {
        const struct tm_joint *decl = mech->model->joints + i;
        if (block_of(mech, decl) != index)
            continue;
        if (!decl->mu.e) {
            block->told[block->n_told].joint = (uint32_t)i;
            block->n_told += decl->told;
            continue;
        }
        block->rub[block->n_rub++] = (struct mrub){
            .joint = (uint32_t)i,
            .env = mech->layout.joint + (uint32_t)i * IMP_JOINT_SIZE};
    }
    block->sharing = block->n_rub > 1;
}

/* -- equations of a block -------------------------------------------------- */

/* The entry of env of component c of a body's velocity (v, then w). */
static uint32_t
velocity_leaf(const struct mech *mech, const struct mbody *body, uint32_t c)
{
    return body->env.state + (mech->dim == 2 ? 3 : 7) + c;
}

/* C = d phi'/d(v, w): per row, body of the block and component of the velocity
 * (3 in the plane, 6 in space). */
static void
gradients(struct mech *mech, struct mblock *block, const struct row *rows)
{
    uint32_t nv = mech->dim == 2 ? 3 : 6;
    block->C = NEW_N(mech->arena, const expr *,
                     (size_t)block->n_row * block->n * nv + 1);
    for (uint32_t i = 0, at = 0; i < block->n_row; i++)
        for (uint32_t j = 0; j < block->n; j++)
            for (uint32_t c = 0; c < nv; c++)
                block->C[at++] = ex_diff(
                    mech->graph, rows[i].dphi,
                    sym_state(mech,
                              velocity_leaf(
                                  mech, mech->bodies + block->bodies[j], c)));
}

/* entries of a spin: one in the plane */
static uint32_t
spin_size(const struct mech *mech)
{
    return mech->dim == 2 ? 1 : 3;
}

/* Gives the spins of the bodies that joints hold their unknowns, behind the
 * multipliers. */
static void
number_spins(struct mech *mech, struct mblock *block)
{
    block->n_unknown = block->n_row;
    block->spin = NEW_N(mech->arena, uint32_t, block->n + 1);
    for (uint32_t j = 0; j < block->n; j++) {
        bool held = false;
        for (uint32_t i = 0; i < block->n_row; i++)
            held |= !v3_is_zero(joint_row_part(mech, block, i, j, true));
        block->spin[j] = held ? block->n_unknown : IMP_NO_UNKNOWN;
        mech->bodies[block->bodies[j]].flags |= held ? IMP_BODYF_HELD : 0;
        block->n_unknown += held ? spin_size(mech) : 0;
    }
}

/* component k of a spin of spin_size entries */
static const expr *
spin_entry(const struct mech *mech, vec3 spin, uint32_t k)
{
    return spin.v[mech->dim == 2 ? 2 : k];
}

/* The matrix of the implicit block, row-major. Entry (i, j) and entry (j, i)
 * are one expression. */
static void
saddle(struct mech *mech, struct mblock *block)
{
    struct graph *graph = mech->graph;
    uint32_t n = block->n_unknown, spins = spin_size(mech);
    const expr **K = block->K =
        NEW_N(mech->arena, const expr *, (size_t)n *n + 1);
    for (uint32_t i = 0; i < n * n; i++)
        K[i] = sc_zero(graph);
    for (uint32_t row = 0; row < block->n_row; row++)
        for (uint32_t col = row; col < block->n_row; col++) {
            const expr *sum = sc_zero(graph);
            for (uint32_t j = 0; j < block->n; j++)
                sum = sc_add(
                    graph, sum,
                    sc_mul(graph,
                           mech->bodies[block->bodies[j]].form->inertia.invmass,
                           v3_dot(graph,
                                  joint_row_part(mech, block, row, j, false),
                                  joint_row_part(mech, block, col, j, false))));
            K[row * n + col] = K[col * n + row] = sum;
        }
    for (uint32_t j = 0; j < block->n; j++) {
        const struct body_inertia *inertia =
            &mech->bodies[block->bodies[j]].form->inertia;
        uint32_t at = block->spin[j];
        for (uint32_t k = 0; k < spins && at != IMP_NO_UNKNOWN; k++) {
            for (uint32_t row = 0; row < block->n_row; row++)
                K[row * n + at + k] = K[(at + k) * n + row] = spin_entry(
                    mech, joint_row_part(mech, block, row, j, true), k);
            for (uint32_t l = 0; l < spins; l++) {
                uint32_t a = mech->dim == 2 ? 2 : k, b = mech->dim == 2 ? 2 : l;
                K[(at + k) * n + at + l] =
                    sc_neg(graph, inertia->J.m[a < b ? a : b][a < b ? b : a]);
            }
        }
    }
}

static const expr *
multiplier(struct mech *mech, uint32_t i)
{
    return ex_sym(mech->graph, SYM_UNKNOWN, i, 0);
}

/* The unknown rate of the spin of body j, in body axes */
static vec3
spin_rate(struct mech *mech, const struct mblock *block, uint32_t j)
{
    vec3 rate = v3_zero(mech->graph);
    for (uint32_t k = 0; k < spin_size(mech); k++)
        rate.v[mech->dim == 2 ? 2 : k] = multiplier(mech, block->spin[j] + k);
    return rate;
}

/* the sum over all rows of the multiplier times its part of C for body j */
static vec3
reaction(struct mech *mech, const struct mblock *block, uint32_t j, bool spin)
{
    vec3 sum = v3_zero(mech->graph);
    for (uint32_t i = 0; i < block->n_row; i++)
        sum = v3_add(mech->graph, sum,
                     v3_scale(mech->graph, multiplier(mech, i),
                              joint_row_part(mech, block, i, j, spin)));
    return sum;
}

/* The accelerations of the bodies as functions of the unknowns, and the
 * equations of the unknown rates of spins, into block->euler: torque - w x J w
 * + C_w^T lambda - J w' = 0. */
static void
reactions(struct mech *mech, struct mblock *block)
{
    struct graph *graph = mech->graph;
    block->euler =
        NEW_N(mech->arena, const expr *, block->n_unknown - block->n_row + 1);
    for (uint32_t j = 0; j < block->n; j++) {
        struct mbody *body = mech->bodies + block->bodies[j];
        vec3 force = reaction(mech, block, j, false);
        body->form->rate.acc =
            v3_add(graph, body->form->rate.acc,
                   v3_scale(graph, body->form->inertia.invmass, force));
        if (block->spin[j] == IMP_NO_UNKNOWN)
            continue;
        vec3 rate = spin_rate(mech, block, j);
        vec3 left = v3_add(graph, body_moment(mech, body),
                           reaction(mech, block, j, true));
        left =
            v3_sub(graph, left, m3_apply(graph, body->form->inertia.J, rate));
        for (uint32_t k = 0; k < spin_size(mech); k++)
            block->euler[block->spin[j] - block->n_row + k] =
                spin_entry(mech, left, k);
        body->form->rate.alpha = rate;
    }
}

bool
joint_holds_spin(const struct mblock *block, uint32_t j)
{
    assert(block && j < block->n);
    return block->n_row > 0 && block->spin[j] != IMP_NO_UNKNOWN;
}

void
joint_add_moment(struct mech *mech, const struct mblock *block, uint32_t j,
                 vec3 moment, const expr **out)
{
    assert(joint_holds_spin(block, j) && out);
    for (uint32_t k = 0; k < spin_size(mech); k++) {
        const expr **at = out + block->spin[j] + k;
        *at = sc_add(mech->graph, *at, spin_entry(mech, moment, k));
    }
}

static bool
too_many(struct mech *mech, const struct mblock *block)
{
    if (block->n_row <= CONDITIONS_MAX && block->n_unknown <= IMP_UNKNOWN_MAX)
        return false;
    const struct tm_body *decl = mech->bodies[block->bodies[0]].decl;
    struct diag *diag =
        diag_add(mech->diags, DIAG_E0545, decl->range,
                 "the joints of the bodies connected with `%s` are %u "
                 "conditions; at most %d are followed together",
                 decl->name, block->n_row, CONDITIONS_MAX);
    diag_help(mech->diags, diag,
              "take joints that leave more free, or separate the mechanism "
              "where it is held by a fixed body");
    return true;
}

bool
joint_rates(struct mech *mech, uint32_t index)
{
    assert(index < mech->n_blocks);
    struct mblock *block = mech->blocks + index;
    find_rubbing(mech, index);
    block->n_row = block_rows(mech, index, NULL);
    block->n_unknown = block->n_row;
    if (block->n_row == 0)
        return true;
    if (too_many(mech, block))
        return false;
    struct row *rows = NEW_N(mech->arena, struct row, block->n_row);
    block_rows(mech, index, rows);
    gradients(mech, block, rows);
    number_spins(mech, block);
    if (too_many(mech, block))
        return false;
    saddle(mech, block);
    reactions(mech, block);
    block_rows(mech, index,
               rows); /* The accelerations contain the multipliers now. */
    block->phi = NEW_N(mech->arena, const expr *, block->n_row);
    block->dphi = NEW_N(mech->arena, const expr *, block->n_row);
    block->residual = NEW_N(mech->arena, const expr *, block->n_unknown);
    for (uint32_t i = 0; i < block->n_row; i++) {
        block->phi[i] = rows[i].phi;
        block->dphi[i] = rows[i].dphi;
        block->residual[i] = rows[i].ddphi;
    }
    for (uint32_t i = block->n_row; i < block->n_unknown; i++)
        block->residual[i] = block->euler[i - block->n_row];
    if (block->n_rub)
        joint_friction_build(mech, block);
    return true;
}

void
joint_conditions(struct mech *mech, uint32_t index, const expr **out)
{
    assert(index < mech->n_blocks && out);
    struct row *rows =
        NEW_N(mech->arena, struct row, mech->blocks[index].n_row + 1);
    block_rows(mech, index, rows);
    for (uint32_t i = 0; i < mech->blocks[index].n_row; i++)
        out[i] = rows[i].ddphi;
}

/* -- tapes that the runtime solves and projects joints with ---------------- */

static uint32_t
named_tape(struct mech *mech, const struct mblock *block, const char *what,
           uint32_t n_local, const expr *const *out, size_t n)
{
    const char *body = mech->bodies[block->bodies[0]].decl->name;
    return mech_eval_tape(mech, arena_printf(mech->arena, "%s.%s", body, what),
                          n_local, out, n);
}

/* What each row of the joints is off in position, with a displacement counted,
 * and in velocity; and its rate under the displacement alone. */
static void
hold_tape(struct mech *mech, struct mblock *block)
{
    struct graph *graph = mech->graph;
    uint32_t count = block->n_row, nv = mech->dim + spin_size(mech);
    const expr **out = NEW_N(mech->arena, const expr *, 3 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        const expr *rate = sc_zero(graph);
        for (uint32_t c = 0; c < block->n * nv; c++)
            rate = sc_add(graph, rate,
                          sc_mul(graph, block->C[(size_t)i * block->n * nv + c],
                                 ex_sym(graph, SYM_LOCAL, c, 0)));
        const expr *held = joint_friction_held(mech, block, i);
        out[i] =
            block->phi[i] ? sc_add(graph, block->phi[i], rate) : sc_zero(graph);
        out[count + i] = block->dphi[i];
        out[2 * count + i] = rate;
        for (uint32_t k = 0; held && k < 2; k++)
            out[k * count + i] = sc_mul(graph, held, out[k * count + i]);
    }
    block->out.hold =
        named_tape(mech, block, "hold", block->n * nv, out, 3 * (size_t)count);
}

/* What unknowns do to the velocities of the bodies. */
static void
push_tape(struct mech *mech, struct mblock *block)
{
    struct graph *graph = mech->graph;
    uint32_t nv = mech->dim + spin_size(mech);
    const expr **out =
        NEW_N(mech->arena, const expr *, (size_t)block->n *nv + 1);
    for (uint32_t j = 0; j < block->n; j++) {
        const struct mbody *body = mech->bodies + block->bodies[j];
        vec3 dv = v3_scale(graph, body->form->inertia.invmass,
                           reaction(mech, block, j, false));
        vec3 dw = block->spin[j] == IMP_NO_UNKNOWN ? v3_zero(graph)
                                                   : spin_rate(mech, block, j);
        const expr **to = out + (size_t)j * nv;
        for (uint32_t x = 0; x < mech->dim; x++)
            to[x] = dv.v[x];
        for (uint32_t k = 0; k < spin_size(mech); k++)
            to[mech->dim + k] = spin_entry(mech, dw, k);
    }
    block->out.push = named_tape(mech, block, "push", block->n_unknown, out,
                                 (size_t)block->n * nv);
}

void
joint_tapes(struct mech *mech, struct mblock *block)
{
    assert(block->n > 0);
    uint32_t n = block->n_unknown;
    block->out.solve = block->out.hold = block->out.push = IMP_NO_TAPE;
    block->out.rub = block->out.told = IMP_NO_TAPE;
    block->out.n_unknown = n;
    block->out.n_condition = block->n_row;
    if (n == 0)
        return;
    graph_origin(mech->graph, mech->bodies[block->bodies[0]].decl->range);
    const expr **out =
        NEW_N(mech->arena, const expr *, (size_t)n *((size_t)n + 1));
    for (uint32_t i = 0; i < n; i++)
        out[i] = block->residual[i];
    for (uint32_t i = 0; i < n * n; i++)
        out[n + i] = block->K[i];
    block->out.solve =
        named_tape(mech, block, "solve", n, out, (size_t)n * (n + 1));
    hold_tape(mech, block);
    push_tape(mech, block);
    joint_told_tape(mech, block);
    if (block->n_rub)
        joint_friction_tapes(mech, block);
}

void
joint_couple(struct mech *mech,
             void (*together)(void *ctx, uint32_t a, uint32_t b), void *ctx)
{
    assert(mech && together);
    for (size_t i = 0; i < mech->model->n_joints; i++)
        for (uint32_t j = 0; j < 2; j++) {
            uint32_t one = joint_body(mech->model->joints + i, j);
            for (uint32_t k = j + 1; k < 3; k++) {
                uint32_t other = joint_body(mech->model->joints + i, k);
                if (moves(mech, one) && moves(mech, other))
                    together(ctx, one, other);
            }
        }
}
