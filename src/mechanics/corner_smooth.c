/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of a smooth body A with a convex polytope B: the conditions of the
 * point x of A nearest to a feature of B, as a tape for Newton's method and as
 * an implicit series along the motion. The feature's numbers are locals behind
 * the unknowns, in B's axes about its mass centre, so that one tape serves all
 * features of a kind (enum corner_feature):
 *     vertex b:     G(x) = 0,  b - p = gamma N;                gap gamma |N|
 *     edge b + s w: G(x) = 0,  b + s w - p = gamma N,  w.N = 0;     likewise
 *     face n.y = d: G(x) = 0,  N + mu n = 0;                     gap n.p - d
 * p(x) is the point and N = R grad G the normal of A, both in B's axes. Edges
 * exist in space only.
 *
 * Unknowns: x (d), gamma (face: mu), s (edge). Locals behind them: b (d); b (3)
 * and w (3); n (d) and d. Outputs, kkt (eval): F (n), J (n*n row-major), gap, p
 * (d), N (d); event (series): gap, unknowns (n), p, N. p and N tell when
 * another feature takes over. The Jacobians are exact, and regular for a vertex
 * iff 1 + gap K is, for an edge iff K curves along w besides, for a face iff K
 * is regular. */
#include "mechanics/mech_priv.h"

enum { VERTEX, EDGE, FACE, MOST = 5 };

struct nearest {
    const expr *F[MOST], *J[MOST * MOST];
    const expr *gap;
    vec3 p, N;
    uint32_t n, n_local;
};

static vec3
locals(struct mech *k, uint32_t first)
{
    vec3 r = v3_zero(k->g);
    for (uint32_t i = 0; i < k->d; i++)
        r.v[i] = ex_sym(k->g, SYM_LOCAL, first + i, 0);
    return r;
}

/* conditions for a feature of this kind, bodies in given poses */
static void
nearest_build(struct mech *k, int kind, const struct mbody *a,
              const struct pose *pa, const struct pose *pb, struct nearest *o)
{
    struct graph *g = k->g;
    uint32_t d = k->d, n = kind == EDGE ? d + 2 : d + 1;
    vec3 x = v3_zero(g);
    for (uint32_t i = 0; i < d; i++)
        x.v[i] = ex_sym(g, SYM_UNKNOWN, i, 0);
    const expr *gamma = ex_sym(g, SYM_UNKNOWN, d, 0); /* mu */
    mat3 Q = contact_rotation(k, pb, pa);
    vec3 apart = m3_apply_t(g, pb->R, v3_sub(g, pa->c, pb->c));
    vec3 grad = contact_gradient(k, a, x);
    o->p = v3_add(g, apart, m3_apply(g, Q, v3_sub(g, x, a->shape_centre)));
    o->N = m3_apply(g, Q, grad);
    o->n = n;

    vec3 b = locals(k, n), rest;
    uint32_t at = 0;
    o->F[at++] = contact_at(k, a->G, x);
    if (kind == FACE) {
        rest = v3_add(g, o->N, v3_scale(g, gamma, b));
        o->gap = sc_sub(g, v3_dot(g, b, o->p), ex_sym(g, SYM_LOCAL, n + d, 0));
        o->n_local = n + d + 1;
    } else {
        vec3 way = v3_sub(g, b, o->p);
        if (kind == EDGE) {
            vec3 w = locals(k, n + d);
            const expr *s = ex_sym(g, SYM_UNKNOWN, d + 1, 0);
            way = v3_add(g, way, v3_scale(g, s, w));
            o->F[at++] = v3_dot(g, w, o->N);
        }
        rest = v3_sub(g, way, v3_scale(g, gamma, o->N));
        o->gap = sc_mul(g, gamma, v3_norm(g, grad));
        o->n_local = n + (kind == EDGE ? 2 * d : d);
    }
    for (uint32_t i = 0; i < d; i++)
        o->F[at++] = rest.v[i];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            o->J[i * n + j] = ex_diff(g, o->F[i], ex_sym(g, SYM_UNKNOWN, j, 0));
}

static size_t
put_point(struct mech *k, const expr **out, size_t at, const struct nearest *o)
{
    for (uint32_t i = 0; i < k->d; i++)
        out[at++] = o->p.v[i];
    for (uint32_t i = 0; i < k->d; i++)
        out[at++] = o->N.v[i];
    return at;
}

static uint32_t
kkt_tape(struct mech *k, const char *name, const struct nearest *o)
{
    const expr *out[MOST + MOST * MOST + 1 + 6];
    size_t n = 0;
    for (uint32_t i = 0; i < o->n; i++)
        out[n++] = o->F[i];
    for (uint32_t i = 0; i < o->n * o->n; i++)
        out[n++] = o->J[i];
    out[n++] = o->gap;
    n = put_point(k, out, n, o);
    return mech_eval_tape(k, name, o->n_local, out, n);
}

static uint32_t
event_tape(struct mech *k, const char *name, const struct nearest *o)
{
    const expr *out[1 + MOST + 6];
    size_t n = 0;
    out[n++] = o->gap;
    for (uint32_t i = 0; i < o->n; i++)
        out[n++] = ex_sym(k->g, SYM_UNKNOWN, i, 0);
    n = put_point(k, out, n, o);
    struct tape_spec spec = {.name = name,
                             .series = true,
                             .n_local = o->n_local,
                             .outs = out,
                             .n_outs = n,
                             .residual = o->F,
                             .jacobian = o->J,
                             .n_unknown = o->n,
                             .env_of = mech_env_of,
                             .ctx = k};
    return tape_build(k->g, k->ib, &spec, NULL);
}

void
corner_smooth_build(struct mech *k, uint32_t c, uint32_t smooth,
                    imp_contact *out)
{
    static const char *const word[] = {"vertex", "edge", "face"};
    const struct tm_contact *t = k->m->contacts + c;
    const struct mbody *b[2] = {k->bodies + t->body[0], k->bodies + t->body[1]};
    const struct mbody *A = b[smooth], *B = b[1 - smooth];
    struct pose row[2] = {contact_pose_rows(k, b[0], 0),
                          contact_pose_rows(k, b[1], 1)};
    struct nearest *o = NEW(k->arena, struct nearest);
    graph_origin(k->g, t->range);
    out->smooth = smooth;
    for (int i = VERTEX; i <= FACE; i++) {
        if (i == EDGE && k->d == 2)
            continue;
        const char *name = arena_printf(k->arena, "%s.%s", t->name, word[i]);
        nearest_build(k, i, A, &A->pose, &B->pose, o);
        out->feature_kkt[i] =
            kkt_tape(k, arena_printf(k->arena, "%s.closest", name), o);
        nearest_build(k, i, A, &row[smooth], &row[1 - smooth], o);
        out->feature_event[i] =
            event_tape(k, arena_printf(k->arena, "%s.gap", name), o);
    }
}
