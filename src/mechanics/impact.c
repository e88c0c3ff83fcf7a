/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The impact at one contact without friction (abi/contact.h), Palffy-Muhoray et
 * al. 2018 eqs (1)-(10), spec 0.A, with restitution e. The impulse is -alpha n
 * on the first body at P and +alpha n on the second at Q,
 *   alpha = -(1 + e) u_n/(n.M.n),  u_n = n.(v_Q - v_P) < 0,
 * and zero when the bodies do not approach. At a single contact without
 * friction every law of restitution gives this impulse. Levers are taken in
 * body axes, where the inertia is constant: a.M.b = (1/m1 + 1/m2) a.b + sum of
 * l_a.J^-1 l_b, l_a = rho x (R^T a). Fixed bodies contribute nothing to M.
 * Where a shape depends on t, u_n is the rate of the gap: the surface moves
 * over its body. */
#include "abi/contact.h"

#include <assert.h>

#include "mechanics/mech_priv.h"

/* One side of the contact, with the levers of the three basis vectors in body
 * axes. */
struct side {
    const struct mbody *b;
    vec3 rho;       /* contact point from the mass centre, body axes */
    vec3 point;     /* world */
    vec3 lever[3];  /* rho x (R^T a), a = n, t1, t2 */
    vec3 turn[3];   /* J^-1 lever: spin per unit impulse along a */
    vec3 acc;       /* free acceleration of the material point, world */
    vec3 v, w_body; /* after */
};

static void
side_point(struct mech *mech, struct side *side, vec3 x)
{
    struct graph *graph = mech->graph;
    const struct mbody *body = side->b;
    side->rho = v3_sub(graph, x, body->shape.centre);
    side->point =
        v3_add(graph, body->pose.c, m3_apply(graph, body->pose.R, side->rho));
    /* c'' + R (w' x rho + w x (w x rho)) */
    vec3 a = v3_cross(graph, body->rate.alpha, side->rho);
    vec3 c =
        v3_cross(graph, body->w_body, v3_cross(graph, body->w_body, side->rho));
    side->acc = v3_add(graph, body->rate.acc,
                       m3_apply(graph, body->pose.R, v3_add(graph, a, c)));
}

static void
side_levers(struct mech *mech, struct side *side, const vec3 basis[3])
{
    for (int i = 0; i < 3; i++) {
        vec3 a = m3_apply_t(mech->graph, side->b->pose.R, basis[i]);
        side->lever[i] = v3_cross(mech->graph, side->rho, a);
        side->turn[i] =
            m3_apply(mech->graph, side->b->inertia.invJ, side->lever[i]);
    }
}

/* Velocity and spin of this side after the impulse `impulse` n. */
static void
side_after(struct mech *mech, struct side *side, const expr *impulse, vec3 n)
{
    struct graph *graph = mech->graph;
    const expr *dv = sc_mul(graph, impulse, side->b->inertia.invmass);
    side->v = v3_add(graph, side->b->v, v3_scale(graph, dv, n));
    side->w_body =
        v3_add(graph, side->b->w_body, v3_scale(graph, impulse, side->turn[0]));
}

static const expr *
side_kinetic(struct mech *mech, const struct side *side, vec3 v, vec3 w)
{
    struct graph *graph = mech->graph;
    const expr *e =
        sc_add(graph, sc_mul(graph, side->b->inertia.mass, v3_dot(graph, v, v)),
               m3_form(graph, w, side->b->inertia.J, w));
    return sc_mul(graph, ex_num(graph, 0.5), e);
}

/* Below this sin^2 of the angle between n and z, n counts as parallel to z. It
 * is far below any angle that matters and far above rounding (1e-32). */
#define ALONG_Z 1e-20

static void
contact_basis(struct mech *mech, vec3 normal, vec3 basis[3])
{
    struct graph *graph = mech->graph;
    const expr *zero = sc_zero(graph), *one = ex_num(graph, 1.0);
    vec3 tangent = v3_cross(graph, normal, v3(zero, zero, one));
    const expr *s2 = v3_dot(graph, tangent, tangent);
    tangent = v3_scale(
        graph, ex_div(graph, one, ex_op(graph, IMP_OP_SQRT, s2, NULL, NULL)),
        tangent);
    if (mech->dim == 3) {
        vec3 other = v3_cross(graph, normal, v3(one, zero, zero));
        other =
            v3_scale(graph, ex_div(graph, one, v3_norm(graph, other)), other);
        const expr *along_z =
            ex_op(graph, IMP_OP_LT, s2, ex_num(graph, ALONG_Z), NULL);
        for (int i = 0; i < 3; i++)
            tangent.v[i] =
                ex_op(graph, IMP_OP_SELECT, along_z, other.v[i], tangent.v[i]);
    }
    basis[0] = normal;
    basis[1] = tangent;
    basis[2] = v3_cross(graph, normal, tangent);
}

/* The Delassus matrix W in the contact basis; entry (i, j) and entry (j, i) are
 * one expression. */
static void
contact_matrix(struct mech *mech, const struct side side[2],
               const expr *W[3][3])
{
    struct graph *graph = mech->graph;
    const expr *im =
        sc_add(graph, side[0].b->inertia.invmass, side[1].b->inertia.invmass);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const expr *w = i == j ? im : sc_zero(graph);
            for (int n = 0; n < 2; n++)
                w = sc_add(graph, w,
                           v3_dot(graph, side[n].lever[i], side[n].turn[j]));
            W[i][j] = W[j][i] = w;
        }
}

static void
put3(const expr **out, int at, vec3 v)
{
    for (int i = 0; i < 3; i++)
        out[at + i] = v.v[i];
}

/* The velocities of a side in the order in which env stores them, with zeros
 * behind. */
static void
put_state(struct mech *mech, const expr **out, int at, const struct side *side)
{
    const expr *z = sc_zero(mech->graph);
    for (int i = 0; i < 6; i++)
        out[at + i] = z;
    if (mech->dim == 2) {
        out[at] = side->v.v[0];
        out[at + 1] = side->v.v[1];
        out[at + 2] = side->w_body.v[2];
    } else {
        put3(out, at, side->v);
        put3(out, at + 3, side->w_body);
    }
}

/* The impulse alpha that is applied, and the energy that is lost, eqs (6), (7).
 */
struct impulse {
    const expr *alpha, *loss;
};

static struct impulse
impulse_of(struct mech *mech, uint32_t contact, const expr *un, const expr *Wnn,
           uint32_t n_unknown)
{
    struct graph *graph = mech->graph;
    const expr *zero = sc_zero(graph), *one = ex_num(graph, 1.0),
               *half = ex_num(graph, 0.5);
    const expr *own = ex_sym(graph, SYM_LOCAL, n_unknown, 0);
    const expr *use = ex_sym(graph, SYM_LOCAL, n_unknown + 1, 0);
    /* No impulse moves two prescribed bodies. */
    if (sc_is_zero(Wnn))
        return (struct impulse){zero, zero};
    const expr *e =
        sym_env(mech, mech->layout.contact + contact * IMP_CONTACT_SIZE +
                          IMP_CONTACT_E);
    const expr *closing = ex_op(graph, IMP_OP_LT, un, zero, NULL);
    const expr *law = ex_div(
        graph, ex_neg(graph, ex_mul(graph, ex_add(graph, one, e), un)), Wnn);
    law = ex_op(graph, IMP_OP_SELECT, closing, law, zero);
    const expr *rest = ex_sub(graph, one, ex_mul(graph, e, e));
    const expr *loss = ex_div(graph, ex_mul(graph, rest, ex_mul(graph, un, un)),
                              ex_mul(graph, ex_num(graph, 2.0), Wnn));
    loss = ex_op(graph, IMP_OP_SELECT, closing, loss, zero);
    /* The loss of any other alpha is -(alpha u_n + alpha^2 n.M.n/2). */
    const expr *price =
        ex_mul(graph, own,
               ex_add(graph, un, ex_mul(graph, half, ex_mul(graph, own, Wnn))));
    return (struct impulse){
        ex_op(graph, IMP_OP_SELECT, use, own, law),
        ex_op(graph, IMP_OP_SELECT, use, ex_neg(graph, price), loss)};
}

/* The normal velocity of the contact point of a side before the impact. */
static const expr *
side_speed(struct mech *mech, const struct side *side, vec3 n)
{
    return sc_add(mech->graph, v3_dot(mech->graph, side->b->v, n),
                  v3_dot(mech->graph, side->b->w_body, side->lever[0]));
}

/* The energy that prescribed bodies put in: what drives them keeps their
 * velocity constant against the impulse. */
static const expr *
drive_work(struct mech *mech, const struct side side[2], const expr *alpha,
           vec3 n)
{
    struct graph *graph = mech->graph;
    const expr *w = sc_zero(graph);
    if (side[0].b->prescribed)
        w = sc_add(graph, w,
                   sc_mul(graph, alpha, side_speed(mech, &side[0], n)));
    if (side[1].b->prescribed)
        w = sc_sub(graph, w,
                   sc_mul(graph, alpha, side_speed(mech, &side[1], n)));
    return w;
}

uint32_t
impact_build(struct mech *mech, uint32_t contact)
{
    assert(contact < mech->model->n_contacts);
    struct graph *graph = mech->graph;
    const struct tm_contact *decl = mech->model->contacts + contact;
    graph_origin(graph, decl->range);
    struct side side[2] = {{.b = mech->bodies + decl->body[0]},
                           {.b = mech->bodies + decl->body[1]}};
    vec3 basis[3], point = contact_unknown(mech, 0);
    side_point(mech, &side[0], point);
    side_point(mech, &side[1], contact_unknown(mech, 1));
    vec3 normal = surface_gradient(mech, side[0].b, point);
    normal = m3_apply(
        graph, side[0].b->pose.R,
        v3_scale(graph,
                 ex_div(graph, ex_num(graph, 1.0), v3_norm(graph, normal)),
                 normal));
    contact_basis(mech, normal, basis);
    side_levers(mech, &side[0], basis);
    side_levers(mech, &side[1], basis);

    const expr *delassus[3][3], *out[IMP_CS_SIZE], *zero = sc_zero(graph);
    contact_matrix(mech, side, delassus);
    vec3 dv = v3_sub(graph, side[1].b->v, side[0].b->v);
    vec3 da = v3_sub(graph, side[1].acc, side[0].acc);
    for (int i = 0; i < 3; i++) {
        put3(out, i * 3, basis[i]);
        for (int j = 0; j < 3; j++)
            out[IMP_CS_W + 3 * i + j] = delassus[i][j];
        const expr *u = v3_dot(graph, dv, basis[i]);
        u = sc_add(graph, u,
                   v3_dot(graph, side[1].b->w_body, side[1].lever[i]));
        u = sc_sub(graph, u,
                   v3_dot(graph, side[0].b->w_body, side[0].lever[i]));
        out[IMP_CS_VREL + i] = u;
        out[IMP_CS_AREL + i] = v3_dot(graph, da, basis[i]);
    }
    put3(out, IMP_CS_P, side[0].point);
    put3(out, IMP_CS_Q, side[1].point);

    /* A surface that moves over its body takes part in the approach, and the
     * force at it does work. */
    const expr *recede =
        sc_add(graph, surface_recede(mech, side[0].b, point),
               surface_recede(mech, side[1].b, contact_unknown(mech, 1)));
    out[IMP_CS_VREL] = sc_add(graph, out[IMP_CS_VREL], recede);

    struct impulse im = impulse_of(mech, contact, out[IMP_CS_VREL],
                                   delassus[0][0], 2 * mech->dim + 2);
    put3(out, IMP_CS_IMPULSE, v3(im.alpha, zero, zero));
    side_after(mech, &side[0], sc_neg(graph, im.alpha), normal);
    side_after(mech, &side[1], im.alpha, normal);
    static const int at_v[2] = {IMP_CS_V1, IMP_CS_V2};
    static const int at_w[2] = {IMP_CS_W1, IMP_CS_W2};
    static const int at_state[2] = {IMP_CS_STATE1, IMP_CS_STATE2};
    const expr *before = zero, *after = zero;
    for (int i = 0; i < 2; i++) {
        const struct mbody *body = side[i].b;
        put3(out, at_v[i], side[i].v);
        put3(out, at_w[i],
             mech->dim == 3 ? m3_apply(graph, body->pose.R, side[i].w_body)
                            : side[i].w_body);
        put_state(mech, out, at_state[i], &side[i]);
        before = sc_add(graph, before,
                        side_kinetic(mech, &side[i], body->v, body->w_body));
        after = sc_add(graph, after,
                       side_kinetic(mech, &side[i], side[i].v, side[i].w_body));
    }
    out[IMP_CS_E_BEFORE] = before;
    out[IMP_CS_E_AFTER] = after;
    out[IMP_CS_LOSS] =
        sc_sub(graph, im.loss, drive_work(mech, side, im.alpha, normal));
    out[IMP_CS_LOSS] =
        sc_add(graph, out[IMP_CS_LOSS], sc_mul(graph, im.alpha, recede));
    return mech_eval_tape(mech,
                          arena_printf(mech->arena, "%s.impact", decl->name),
                          2 * mech->dim + 4, out, IMP_CS_SIZE);
}
