/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The impact handler of a contact (abi/contact.h), Palffy-Muhoray et al. 2018
 * eqs (1)-(10), spec 0.A, with restitution e: impulse -alpha n on the first
 * body at P and +alpha n on the second at Q,
 *     alpha = -(1 + e) u_n/(n.M.n),  u_n = n.(v_Q - v_P) < 0,
 * and none when the bodies do not approach. Every law of restitution gives
 * this at a single frictionless contact. Levers are taken in body axes, where
 * the inertia is constant: a.M.b = (1/m1 + 1/m2) a.b + sum of l_a.J^-1 l_b,
 * l_a = rho x (R^T a). Fixed bodies contribute nothing to M. Where a shape
 * contains t, u_n is the rate of the gap: its surface moves over the body. */
#include "abi/contact.h"
#include "mechanics/mech_priv.h"

/* One side of the contact: levers of the basis vectors in body axes. */
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
side_point(struct mech *k, struct side *s, vec3 x)
{
    struct graph *g = k->g;
    const struct mbody *b = s->b;
    s->rho = v3_sub(g, x, b->shape_centre);
    s->point = v3_add(g, b->pose.c, m3_apply(g, b->pose.R, s->rho));
    /* c'' + R (w' x rho + w x (w x rho)) */
    vec3 a = v3_cross(g, b->alpha, s->rho);
    vec3 c = v3_cross(g, b->w_body, v3_cross(g, b->w_body, s->rho));
    s->acc = v3_add(g, b->acc, m3_apply(g, b->pose.R, v3_add(g, a, c)));
}

static void
side_levers(struct mech *k, struct side *s, const vec3 basis[3])
{
    for (int i = 0; i < 3; i++) {
        vec3 a = m3_apply_t(k->g, s->b->pose.R, basis[i]);
        s->lever[i] = v3_cross(k->g, s->rho, a);
        s->turn[i] = m3_apply(k->g, s->b->invJ, s->lever[i]);
    }
}

/* motion after the impulse `impulse` n on this body */
static void
side_after(struct mech *k, struct side *s, const expr *impulse, vec3 n)
{
    struct graph *g = k->g;
    const expr *dv = sc_mul(g, impulse, s->b->invmass);
    s->v = v3_add(g, s->b->v, v3_scale(g, dv, n));
    s->w_body = v3_add(g, s->b->w_body, v3_scale(g, impulse, s->turn[0]));
}

static const expr *
side_kinetic(struct mech *k, const struct side *s, vec3 v, vec3 w)
{
    struct graph *g = k->g;
    const expr *e = sc_add(g, sc_mul(g, s->b->mass, v3_dot(g, v, v)),
                           m3_form(g, w, s->b->J, w));
    return sc_mul(g, ex_num(g, 0.5), e);
}

/* sin^2 of the angle between n and z below which n counts as along z: far
 * below any angle that matters, far above rounding (1e-32) */
#define ALONG_Z 1e-20

static void
contact_basis(struct mech *k, vec3 n, vec3 basis[3])
{
    struct graph *g = k->g;
    const expr *z = sc_zero(g), *one = ex_num(g, 1.0);
    vec3 t = v3_cross(g, n, v3(z, z, one));
    const expr *s2 = v3_dot(g, t, t);
    t = v3_scale(g, ex_div(g, one, ex_op(g, IMP_OP_SQRT, s2, NULL, NULL)), t);
    if (k->d == 3) {
        vec3 o = v3_cross(g, n, v3(one, z, z));
        o = v3_scale(g, ex_div(g, one, v3_norm(g, o)), o);
        const expr *c = ex_op(g, IMP_OP_LT, s2, ex_num(g, ALONG_Z), NULL);
        for (int i = 0; i < 3; i++)
            t.v[i] = ex_op(g, IMP_OP_SELECT, c, o.v[i], t.v[i]);
    }
    basis[0] = n;
    basis[1] = t;
    basis[2] = v3_cross(g, n, t);
}

/* W in the contact basis; exactly symmetric */
static void
contact_matrix(struct mech *k, const struct side s[2], const expr *W[3][3])
{
    struct graph *g = k->g;
    const expr *im = sc_add(g, s[0].b->invmass, s[1].b->invmass);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const expr *w = i == j ? im : sc_zero(g);
            for (int n = 0; n < 2; n++)
                w = sc_add(g, w, v3_dot(g, s[n].lever[i], s[n].turn[j]));
            W[i][j] = W[j][i] = w;
        }
}

static void
put3(const expr **out, int at, vec3 v)
{
    for (int i = 0; i < 3; i++)
        out[at + i] = v.v[i];
}

/* velocity part of the state as env stores it, padded with zeros */
static void
put_state(struct mech *k, const expr **out, int at, const struct side *s)
{
    const expr *z = sc_zero(k->g);
    for (int i = 0; i < 6; i++)
        out[at + i] = z;
    if (k->d == 2) {
        out[at] = s->v.v[0];
        out[at + 1] = s->v.v[1];
        out[at + 2] = s->w_body.v[2];
    } else {
        put3(out, at, s->v);
        put3(out, at + 3, s->w_body);
    }
}

/* alpha by the law, alpha in force, and energy lost, eqs (6), (7) */
struct impulse {
    const expr *alpha, *loss;
};

static struct impulse
impulse_of(struct mech *k, uint32_t c, const expr *un, const expr *Wnn,
           uint32_t n_unknown)
{
    struct graph *g = k->g;
    const expr *z = sc_zero(g), *one = ex_num(g, 1.0), *half = ex_num(g, 0.5);
    const expr *own = ex_sym(g, SYM_LOCAL, n_unknown, 0);
    const expr *use = ex_sym(g, SYM_LOCAL, n_unknown + 1, 0);
    /* two prescribed bodies: no impulse moves them */
    if (sc_is_zero(Wnn))
        return (struct impulse){z, z};
    const expr *e =
        sym_env(k, k->layout.contact + c * IMP_CONTACT_SIZE + IMP_CONTACT_E);
    const expr *closing = ex_op(g, IMP_OP_LT, un, z, NULL);
    const expr *law =
        ex_div(g, ex_neg(g, ex_mul(g, ex_add(g, one, e), un)), Wnn);
    law = ex_op(g, IMP_OP_SELECT, closing, law, z);
    const expr *rest = ex_sub(g, one, ex_mul(g, e, e));
    const expr *loss = ex_div(g, ex_mul(g, rest, ex_mul(g, un, un)),
                              ex_mul(g, ex_num(g, 2.0), Wnn));
    loss = ex_op(g, IMP_OP_SELECT, closing, loss, z);
    /* any other alpha: -(alpha u_n + alpha^2 n.M.n/2) */
    const expr *price =
        ex_mul(g, own, ex_add(g, un, ex_mul(g, half, ex_mul(g, own, Wnn))));
    return (struct impulse){
        ex_op(g, IMP_OP_SELECT, use, own, law),
        ex_op(g, IMP_OP_SELECT, use, ex_neg(g, price), loss)};
}

/* n.(velocity of the contact point) of a side before the impact */
static const expr *
side_speed(struct mech *k, const struct side *s, vec3 n)
{
    return sc_add(k->g, v3_dot(k->g, s->b->v, n),
                  v3_dot(k->g, s->b->w_body, s->lever[0]));
}

/* energy that bodies in prescribed motion put in: what drives them keeps their
 * velocity up against the impulse */
static const expr *
drive_work(struct mech *k, const struct side s[2], const expr *alpha, vec3 n)
{
    struct graph *g = k->g;
    const expr *w = sc_zero(g);
    if (s[0].b->prescribed)
        w = sc_add(g, w, sc_mul(g, alpha, side_speed(k, &s[0], n)));
    if (s[1].b->prescribed)
        w = sc_sub(g, w, sc_mul(g, alpha, side_speed(k, &s[1], n)));
    return w;
}

uint32_t
impact_build(struct mech *k, uint32_t c)
{
    struct graph *g = k->g;
    const struct tm_contact *t = k->m->contacts + c;
    graph_origin(g, t->range);
    struct side s[2] = {{.b = k->bodies + t->body[0]},
                        {.b = k->bodies + t->body[1]}};
    vec3 basis[3], x = contact_unknown(k, 0);
    side_point(k, &s[0], x);
    side_point(k, &s[1], contact_unknown(k, 1));
    vec3 n = contact_gradient(k, s[0].b, x);
    n = m3_apply(g, s[0].b->pose.R,
                 v3_scale(g, ex_div(g, ex_num(g, 1.0), v3_norm(g, n)), n));
    contact_basis(k, n, basis);
    side_levers(k, &s[0], basis);
    side_levers(k, &s[1], basis);

    const expr *W[3][3], *out[IMP_CS_SIZE], *z = sc_zero(g);
    contact_matrix(k, s, W);
    vec3 dv = v3_sub(g, s[1].b->v, s[0].b->v);
    vec3 da = v3_sub(g, s[1].acc, s[0].acc);
    for (int i = 0; i < 3; i++) {
        put3(out, i * 3, basis[i]);
        for (int j = 0; j < 3; j++)
            out[IMP_CS_W + 3 * i + j] = W[i][j];
        const expr *u = v3_dot(g, dv, basis[i]);
        u = sc_add(g, u, v3_dot(g, s[1].b->w_body, s[1].lever[i]));
        u = sc_sub(g, u, v3_dot(g, s[0].b->w_body, s[0].lever[i]));
        out[IMP_CS_VREL + i] = u;
        out[IMP_CS_AREL + i] = v3_dot(g, da, basis[i]);
    }
    put3(out, IMP_CS_P, s[0].point);
    put3(out, IMP_CS_Q, s[1].point);

    /* surfaces that move over their bodies take part in the approach, and the
     * force at them does work */
    const expr *recede =
        sc_add(g, contact_recede(k, s[0].b, x),
               contact_recede(k, s[1].b, contact_unknown(k, 1)));
    out[IMP_CS_VREL] = sc_add(g, out[IMP_CS_VREL], recede);

    struct impulse im =
        impulse_of(k, c, out[IMP_CS_VREL], W[0][0], 2 * k->d + 2);
    put3(out, IMP_CS_IMPULSE, v3(im.alpha, z, z));
    side_after(k, &s[0], sc_neg(g, im.alpha), n);
    side_after(k, &s[1], im.alpha, n);
    static const int at_v[2] = {IMP_CS_V1, IMP_CS_V2};
    static const int at_w[2] = {IMP_CS_W1, IMP_CS_W2};
    static const int at_state[2] = {IMP_CS_STATE1, IMP_CS_STATE2};
    const expr *before = z, *after = z;
    for (int i = 0; i < 2; i++) {
        const struct mbody *b = s[i].b;
        put3(out, at_v[i], s[i].v);
        put3(out, at_w[i],
             k->d == 3 ? m3_apply(g, b->pose.R, s[i].w_body) : s[i].w_body);
        put_state(k, out, at_state[i], &s[i]);
        before = sc_add(g, before, side_kinetic(k, &s[i], b->v, b->w_body));
        after = sc_add(g, after, side_kinetic(k, &s[i], s[i].v, s[i].w_body));
    }
    out[IMP_CS_E_BEFORE] = before;
    out[IMP_CS_E_AFTER] = after;
    out[IMP_CS_LOSS] = sc_sub(g, im.loss, drive_work(k, s, im.alpha, n));
    out[IMP_CS_LOSS] = sc_add(g, out[IMP_CS_LOSS], sc_mul(g, im.alpha, recede));
    return mech_eval_tape(k, arena_printf(k->arena, "%s.impact", t->name),
                          2 * k->d + 4, out, IMP_CS_SIZE);
}
