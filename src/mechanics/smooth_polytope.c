/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of a smooth body A with a convex polytope B. The conditions of the
 * point x of A nearest to a feature of B become a tape for Newton's method, and
 * an implicit series along the motion. The numbers of the feature are locals
 * behind the unknowns, in B's axes about its mass centre, so one tape serves
 * all features of a kind:
 *   vertex b:     G(x) = 0,  b - p = gamma N;                gap gamma |N|
 *   edge b + s w: G(x) = 0,  b + s w - p = gamma N,  w.N = 0;     likewise
 *   face n.y = d: G(x) = 0,  N + mu n = 0;                     gap n.p - d
 * p(x) is the point and N = R grad G the normal of A, both in B's axes. Edges
 * exist in space only.
 *
 * Unknowns: x (dim), gamma (face: mu), s (edge). Locals behind them: b (dim); b
 * (3) and w (3); n (dim) and d. Outputs of kkt (eval): F (n), J (n*n
 * row-major), gap, p (dim), N (dim); of event (series): gap, unknowns (n), p,
 * N. The runtime reads from p and N when another feature takes over. The
 * Jacobians are exact. They are regular for a vertex if and only if 1 + gap K
 * is, for an edge if K curves along w besides, for a face if K is regular; K is
 * the curvature of A. */
#include "mechanics/mech_priv.h"

#include <assert.h>

enum { VERTEX, EDGE, FACE, MOST = 5 };

struct nearest {
    const expr *F[MOST], *J[MOST * MOST];
    const expr *gap;
    vec3 p, N;
    uint32_t n, n_local;
};

static vec3
locals(struct mech *mech, uint32_t first)
{
    vec3 r = v3_zero(mech->graph);
    for (uint32_t i = 0; i < mech->dim; i++)
        r.v[i] = ex_sym(mech->graph, SYM_LOCAL, first + i, 0);
    return r;
}

/* The conditions for a feature of this kind, with the bodies in the given
 * poses. */
static void
nearest_build(struct mech *mech, int kind, const struct mbody *smooth,
              const struct pose *pose_smooth, const struct pose *pose_polytope,
              struct nearest *near)
{
    struct graph *graph = mech->graph;
    uint32_t dim = mech->dim, count = kind == EDGE ? dim + 2 : dim + 1;
    vec3 point = v3_zero(graph);
    for (uint32_t i = 0; i < dim; i++)
        point.v[i] = ex_sym(graph, SYM_UNKNOWN, i, 0);
    const expr *gamma = ex_sym(graph, SYM_UNKNOWN, dim, 0); /* mu */
    mat3 Q = rotation_between(mech, pose_polytope, pose_smooth);
    vec3 apart = m3_apply_t(graph, pose_polytope->R,
                            v3_sub(graph, pose_smooth->c, pose_polytope->c));
    vec3 grad = surface_gradient(mech, smooth, point);
    near->p =
        v3_add(graph, apart,
               m3_apply(graph, Q, v3_sub(graph, point, smooth->shape.centre)));
    near->N = m3_apply(graph, Q, grad);
    near->n = count;

    vec3 feature = locals(mech, count), rest;
    uint32_t at = 0;
    near->F[at++] = surface_at(mech, smooth->shape.G, point);
    if (kind == FACE) {
        rest = v3_add(graph, near->N, v3_scale(graph, gamma, feature));
        near->gap = sc_sub(graph, v3_dot(graph, feature, near->p),
                           ex_sym(graph, SYM_LOCAL, count + dim, 0));
        near->n_local = count + dim + 1;
    } else {
        vec3 way = v3_sub(graph, feature, near->p);
        if (kind == EDGE) {
            vec3 edge = locals(mech, count + dim);
            const expr *s = ex_sym(graph, SYM_UNKNOWN, dim + 1, 0);
            way = v3_add(graph, way, v3_scale(graph, s, edge));
            near->F[at++] = v3_dot(graph, edge, near->N);
        }
        rest = v3_sub(graph, way, v3_scale(graph, gamma, near->N));
        near->gap = sc_mul(graph, gamma, v3_norm(graph, grad));
        near->n_local = count + (kind == EDGE ? 2 * dim : dim);
    }
    for (uint32_t i = 0; i < dim; i++)
        near->F[at++] = rest.v[i];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            near->J[i * count + j] =
                ex_diff(graph, near->F[i], ex_sym(graph, SYM_UNKNOWN, j, 0));
}

static size_t
put_point(struct mech *mech, const expr **out, size_t at,
          const struct nearest *near)
{
    for (uint32_t i = 0; i < mech->dim; i++)
        out[at++] = near->p.v[i];
    for (uint32_t i = 0; i < mech->dim; i++)
        out[at++] = near->N.v[i];
    return at;
}

static uint32_t
kkt_tape(struct mech *mech, const char *name, const struct nearest *near)
{
    const expr *out[MOST + MOST * MOST + 1 + 6];
    size_t n = 0;
    for (uint32_t i = 0; i < near->n; i++)
        out[n++] = near->F[i];
    for (uint32_t i = 0; i < near->n * near->n; i++)
        out[n++] = near->J[i];
    out[n++] = near->gap;
    n = put_point(mech, out, n, near);
    return mech_eval_tape(mech, name, near->n_local, out, n);
}

static uint32_t
event_tape(struct mech *mech, const char *name, const struct nearest *near)
{
    const expr *out[1 + MOST + 6];
    size_t n = 0;
    out[n++] = near->gap;
    for (uint32_t i = 0; i < near->n; i++)
        out[n++] = ex_sym(mech->graph, SYM_UNKNOWN, i, 0);
    n = put_point(mech, out, n, near);
    struct tape_spec spec = {.name = name,
                             .n_local = near->n_local,
                             .outs = out,
                             .n_outs = n,
                             .residual = near->F,
                             .jacobian = near->J,
                             .n_unknown = near->n};
    return mech_series_tape(mech, spec, NULL);
}

void
smooth_polytope_build(struct mech *mech, const struct tm_contact *decl,
                      const struct mbody *const body[2], uint32_t smooth,
                      imp_contact *out)
{
    assert(smooth <= 1 && out);
    static const char *const word[] = {"vertex", "edge", "face"};
    const struct mbody *curved = body[smooth], *polytope = body[1 - smooth];
    struct pose pose[2] = {pose_of_rows(mech, body[0], 0),
                           pose_of_rows(mech, body[1], 1)};
    struct nearest *near = NEW(mech->arena, struct nearest);
    graph_origin(mech->graph, decl->range);
    out->smooth = smooth;
    for (int i = VERTEX; i <= FACE; i++) {
        if (i == EDGE && mech->dim == 2)
            continue;
        const char *name =
            arena_printf(mech->arena, "%s.%s", decl->name, word[i]);
        nearest_build(mech, i, curved, &curved->form->pose,
                      &polytope->form->pose, near);
        out->feature_kkt[i] =
            kkt_tape(mech, arena_printf(mech->arena, "%s.closest", name), near);
        nearest_build(mech, i, curved, &pose[smooth], &pose[1 - smooth], near);
        out->feature_event[i] =
            event_tape(mech, arena_printf(mech->arena, "%s.gap", name), near);
    }
}
