/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts: the conditions of closest points as a tape for Newton's method and
 * as an implicit series along the motion. Unknowns x, y (shape coordinates of
 * the two bodies), gamma, mu:
 *     G0(x) = 0,  G1(y) = 0,
 *     r_Q - r_P = gamma N0,  N1 + mu N0 = 0,   N = R grad G,
 * gap = gamma |N0|. They are written in the axes of one of the bodies (of the
 * one at rest, if one is), so that only the relative rotation multiplies
 * unknowns: fewest products that change in time. The Jacobian is exact. */
#include "mechanics/mech_priv.h"

vec3
contact_unknown(struct mech *k, int part)
{
    vec3 r = v3_zero(k->g);
    uint32_t n = part == 2 ? 2 : k->d, at = (uint32_t)part * k->d;
    for (uint32_t i = 0; i < n; i++)
        r.v[i] = ex_sym(k->g, SYM_UNKNOWN, at + i, 0);
    return r;
}

static const expr *
point_leaf(void *ctx, const expr *leaf)
{
    const vec3 *x = ctx;
    return leaf->sym == SYM_LOCAL && leaf->i < 3 ? x->v[leaf->i] : NULL;
}

const expr *
contact_at(struct mech *k, const expr *e, vec3 x)
{
    return ex_subst(k->g, e, point_leaf, &x);
}

vec3
contact_gradient(struct mech *k, const struct mbody *b, vec3 x)
{
    vec3 r = v3_zero(k->g);
    for (uint32_t i = 0; i < k->d; i++)
        r.v[i] = contact_at(k, b->grad[i], x);
    return r;
}

const expr *
contact_recede(struct mech *k, const struct mbody *b, vec3 x)
{
    struct graph *g = k->g;
    if (!(b->flags & IMP_BODYF_GTIME))
        return sc_zero(g);
    const expr *rate = contact_at(k, ex_diff(g, b->G, sym_time(k)), x);
    return ex_div(g, rate, v3_norm(g, contact_gradient(k, b, x)));
}

struct pose
contact_pose_rows(struct mech *k, const struct mbody *b, uint32_t s)
{
    struct graph *g = k->g;
    if (b->fixed)
        return b->pose;
    struct pose p;
    const expr *r[7];
    for (uint32_t i = 0; i < (k->d == 2 ? 4u : 7u); i++)
        r[i] = ex_sym(g, SYM_ROW, s, b->pose_row[i]);
    if (k->d == 2) {
        p.c = v3(r[0], r[1], sc_zero(g));
        p.cs[0] = r[2];
        p.cs[1] = r[3];
        p.R = m3_plane(g, r[2], r[3]);
        p.q = (quat){{NULL, NULL, NULL, NULL}};
    } else {
        p.c = v3(r[0], r[1], r[2]);
        p.q = (quat){{r[3], r[4], r[5], r[6]}};
        p.R = m3_of_quat(g, p.q);
        p.cs[0] = p.cs[1] = NULL;
    }
    return p;
}

mat3
contact_rotation(struct mech *k, const struct pose *to, const struct pose *from)
{
    struct graph *g = k->g;
    if (k->d == 3)
        return m3_of_quat(g, q_conj_mul(g, to->q, from->q));
    /* cos and sin of the difference of the angles */
    const expr *c0 = to->cs[0], *s0 = to->cs[1];
    const expr *c1 = from->cs[0], *s1 = from->cs[1];
    const expr *c = sc_add(g, sc_mul(g, c0, c1), sc_mul(g, s0, s1));
    const expr *s = sc_sub(g, sc_mul(g, s1, c0), sc_mul(g, c1, s0));
    return m3_plane(g, c, s);
}

struct conditions {
    const expr *F[8];
    const expr *J[64];
    const expr *gap;
    uint32_t n;
};

/* the conditions for bodies b0, b1 in given poses */
static void
conditions_build(struct mech *k, const struct mbody *b0, const struct mbody *b1,
                 const struct pose *p0, const struct pose *p1,
                 struct conditions *o)
{
    struct graph *g = k->g;
    vec3 x = contact_unknown(k, 0), y = contact_unknown(k, 1);
    vec3 gm = contact_unknown(k, 2);
    const expr *gamma = gm.v[0], *mu = gm.v[1];
    vec3 g0 = contact_gradient(k, b0, x), g1 = contact_gradient(k, b1, y);
    vec3 px = v3_sub(g, x, b0->shape_centre);
    vec3 qy = v3_sub(g, y, b1->shape_centre);
    vec3 n0 = g0, n1 = g1;

    /* everything in the axes of body 0, or of body 1 if only that is fixed */
    bool second = b1->fixed && !b1->prescribed && !b0->fixed;
    const struct pose *frame = second ? p1 : p0;
    if (second) {
        mat3 Q = contact_rotation(k, p1, p0);
        px = m3_apply(g, Q, px);
        n0 = m3_apply(g, Q, n0);
    } else {
        mat3 Q = contact_rotation(k, p0, p1);
        qy = m3_apply(g, Q, qy);
        n1 = m3_apply(g, Q, n1);
    }
    vec3 apart = m3_apply_t(g, frame->R, v3_sub(g, p1->c, p0->c));
    vec3 pq = v3_sub(g, v3_add(g, apart, qy), px);
    vec3 far = v3_sub(g, pq, v3_scale(g, gamma, n0));
    vec3 opposed = v3_add(g, n1, v3_scale(g, mu, n0));

    uint32_t n = 0;
    o->F[n++] = contact_at(k, b0->G, x);
    o->F[n++] = contact_at(k, b1->G, y);
    for (uint32_t i = 0; i < k->d; i++)
        o->F[n++] = far.v[i];
    for (uint32_t i = 0; i < k->d; i++)
        o->F[n++] = opposed.v[i];
    o->n = n;
    o->gap = sc_mul(g, gamma, v3_norm(g, g0));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            o->J[i * n + j] = ex_diff(g, o->F[i], ex_sym(g, SYM_UNKNOWN, j, 0));
}

static uint32_t
kkt_tape(struct mech *k, const char *name, const struct conditions *c)
{
    const expr *out[8 + 64 + 1];
    size_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        out[n++] = c->F[i];
    for (uint32_t i = 0; i < c->n * c->n; i++)
        out[n++] = c->J[i];
    out[n++] = c->gap;
    return mech_eval_tape(k, arena_printf(k->arena, "%s.closest", name), c->n,
                          out, n);
}

static uint32_t
event_tape(struct mech *k, const char *name, const struct conditions *c,
           uint32_t *rows)
{
    const expr *out[1 + 8];
    out[0] = c->gap;
    for (uint32_t i = 0; i < c->n; i++)
        out[1 + i] = ex_sym(k->g, SYM_UNKNOWN, i, 0);
    struct tape_spec spec = {.name = arena_printf(k->arena, "%s.gap", name),
                             .series = true,
                             .n_local = c->n,
                             .outs = out,
                             .n_outs = 1 + c->n,
                             .residual = c->F,
                             .jacobian = c->J,
                             .n_unknown = c->n,
                             .env_of = mech_env_of,
                             .ctx = k};
    return tape_build(k->g, k->ib, &spec, rows);
}

/* how fast the bodies' motion opens the gap (imp_contact.opening): for Q - P =
 * gap n the velocity of a body counts along n (the first's against it), its
 * spin by the moment of that about its centre; in its own axes these are the
 * gradients of its own level set */
static uint32_t
opening_tape(struct mech *k, const char *name, const struct mbody *const b[2],
             const struct pose *const p[2], const struct conditions *c)
{
    struct graph *g = k->g;
    const expr *out[1 + 2 * 6];
    uint32_t n = 0;
    out[n++] = c->gap;
    for (int i = 0; i < 2; i++) {
        vec3 f = v3_zero(g), m = v3_zero(g);
        if (!b[i]->fixed) {
            /* a plane's normal does not depend on where the point is */
            int by = b[1 - i]->flags & IMP_BODYF_FLAT ? 1 - i : i;
            vec3 x = contact_unknown(k, i);
            vec3 N = contact_gradient(k, b[by], contact_unknown(k, by));
            vec3 arm = v3_sub(g, x, b[i]->shape_centre);
            const expr *s =
                ex_div(g, ex_num(g, by == i ? -1.0 : 1.0), v3_norm(g, N));
            f = m3_apply(g, p[by]->R, v3_scale(g, s, N));
            m = v3_cross(g, arm,
                         by == i ? v3_scale(g, s, N)
                                 : m3_apply_t(g, p[i]->R, f));
        }
        for (uint32_t j = 0; j < k->d; j++)
            out[n++] = f.v[j];
        for (uint32_t j = k->d == 2 ? 2 : 0; j < 3; j++)
            out[n++] = m.v[j];
    }
    struct tape_spec spec = {.name = arena_printf(k->arena, "%s.opening", name),
                             .series = true,
                             .n_local = c->n,
                             .outs = out,
                             .n_outs = n,
                             .residual = c->F,
                             .jacobian = c->J,
                             .n_unknown = c->n,
                             .env_of = mech_env_of,
                             .ctx = k};
    uint32_t *rows = NEW_N(k->arena, uint32_t, n);
    return tape_build(k->g, k->ib, &spec, rows);
}

/* what cannot be a contact, whatever the numbers */
static bool
contact_ok(struct mech *k, const struct tm_contact *t)
{
    const struct mbody *b[2] = {k->bodies + t->body[0], k->bodies + t->body[1]};
    struct diag *d;
    for (int i = 0; i < 2 && !t->at.n; i++)
        if (!b[i]->G && !b[i]->tm->n_point) {
            d = diag_add(k->ds, DIAG_E0509, t->range,
                         "`%s` has no shape, so contact `%s` has no surface",
                         b[i]->tm->name, t->name);
            diag_note(k->ds, d, b[i]->tm->range, "`%s` is declared here",
                      b[i]->tm->name);
            diag_help(k->ds, d,
                      "give the body a shape, such as "
                      "`body %s : circle(1) { ... }`",
                      b[i]->tm->name);
            return false;
        }
    if (b[0] == b[1]) {
        d = diag_add(k->ds, DIAG_E0510, t->range,
                     "contact `%s` joins `%s` to itself", t->name,
                     b[0]->tm->name);
        diag_help(k->ds, d, "a contact is between two bodies");
        return false;
    }
    if (!t->at.n && (b[0]->flags & b[1]->flags & IMP_BODYF_FLAT)) {
        d = diag_add(k->ds, DIAG_E0511, t->range,
                     "both surfaces of contact `%s` are flat", t->name);
        diag_note(k->ds, d, mech_range(b[0]->tm->range_shape, b[0]->tm->range),
                  "this level set is linear");
        diag_note(k->ds, d, mech_range(b[1]->tm->range_shape, b[1]->tm->range),
                  "and so is this");
        diag_help(k->ds, d,
                  "closest points are unique only if one of the "
                  "surfaces curves");
        return false;
    }
    if (b[0]->fixed && b[1]->fixed && !b[0]->prescribed && !b[1]->prescribed) {
        d = diag_add(k->ds, DIAG_E0512, t->range,
                     "neither body of contact `%s` can move", t->name);
        diag_note(k->ds, d, b[0]->tm->range, "`%s` is fixed", b[0]->tm->name);
        diag_note(k->ds, d, b[1]->tm->range, "`%s` is fixed", b[1]->tm->name);
        diag_help(k->ds, d, "let one of them move, or drop the contact");
        return false;
    }
    return true;
}

/* a contact that is stated has a point and a direction, no surfaces */
static uint32_t
contact_flags(struct mech *k, const struct tm_contact *t)
{
    uint32_t f = t->at.n ? IMP_CONTACTF_STATED : 0;
    if (!t->at.n && !t->system &&
        (body_has_corners(k->bodies + t->body[0]) ||
         body_has_corners(k->bodies + t->body[1]))) {
        f |= IMP_CONTACTF_CORNERS;
        f |= t->direction.n ? IMP_CONTACTF_NORMAL : 0;
    }
    return f | (t->priority.e ? IMP_CONTACTF_PRIORITY : 0);
}

bool
contact_build(struct mech *k, uint32_t c, imp_contact *out)
{
    const struct tm_contact *t = k->m->contacts + c;
    if (!t->system && !contact_ok(k, t))
        return false;
    *out = (imp_contact){
        .name = image_text(k->ib, t->name),
        .body = {t->body[0], t->body[1]},
        .flags = contact_flags(k, t),
        .law = (uint32_t)t->law,
        .env_contact = k->layout.contact + c * IMP_CONTACT_SIZE,
        .system = IMP_NO_SYSTEM,
        .gradient = IMP_NO_TAPE,
        .kkt = IMP_NO_TAPE,
        .event = IMP_NO_TAPE,
        .impact = IMP_NO_TAPE,
        .relative = IMP_NO_TAPE,
        .opening = IMP_NO_TAPE,
        .feature_kkt = {IMP_NO_TAPE, IMP_NO_TAPE, IMP_NO_TAPE},
        .feature_event = {IMP_NO_TAPE, IMP_NO_TAPE, IMP_NO_TAPE},
        .range = t->range,
        .range_e = mech_range(t->e.range, t->range),
        .range_mu = mech_range(t->mu.range, t->range),
        .range_at = mech_range(t->at.range, t->range),
        .range_direction = mech_range(t->direction.range, t->range)};
    if (t->system)
        system_contact(k, c, out);
    if (t->system || t->at.n)
        return true;
    const struct mbody *b0 = k->bodies + t->body[0];
    const struct mbody *b1 = k->bodies + t->body[1];
    graph_origin(k->g, t->range);
    if (out->flags & IMP_CONTACTF_CORNERS) {
        corner_build(k, c, out);
        return true;
    }
    struct conditions *at = NEW(k->arena, struct conditions);
    conditions_build(k, b0, b1, &b0->pose, &b1->pose, at);
    struct conditions *along = NEW(k->arena, struct conditions);
    struct pose p0 = contact_pose_rows(k, b0, 0),
                p1 = contact_pose_rows(k, b1, 1);
    conditions_build(k, b0, b1, &p0, &p1, along);
    out->n_unknown = at->n;
    out->kkt = kkt_tape(k, t->name, at);
    out->event = event_tape(k, t->name, along, k->event_row[c]);
    out->impact = impact_build(k, c);
    if (mech_simulates(k)) {
        const struct mbody *b[2] = {b0, b1};
        const struct pose *p[2] = {&p0, &p1};
        out->opening = opening_tape(k, t->name, b, p, along);
    }
    return true;
}
