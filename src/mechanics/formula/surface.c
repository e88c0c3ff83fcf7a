/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where bodies and their surfaces are: the point of a surface that a contact
 * asks for, the level set and its gradient there, poses along a motion. */
#include "mechanics/formula/formula.h"

#include <assert.h>

bool
body_has_corners(const struct mbody *body)
{
    assert(body);
    return body->decl->shape.n_point || body->decl->shape.n_plane > 1;
}

vec3
contact_unknown(struct mech *mech, int part)
{
    assert(part >= 0 && part <= 2);
    vec3 r = v3_zero(mech->graph);
    uint32_t n = part == 2 ? 2 : mech->dim, at = (uint32_t)part * mech->dim;
    for (uint32_t i = 0; i < n; i++)
        r.v[i] = ex_sym(mech->graph, SYM_UNKNOWN, at + i, 0);
    return r;
}

static const expr *
point_leaf(void *ctx, const expr *leaf)
{
    const vec3 *x = ctx;
    return leaf->sym == SYM_LOCAL && leaf->i < 3 ? x->v[leaf->i] : NULL;
}

const expr *
surface_at(struct mech *mech, const expr *e, vec3 x)
{
    assert(mech);
    return ex_subst(mech->graph, e, point_leaf, &x);
}

vec3
surface_gradient(struct mech *mech, const struct mbody *body, vec3 x)
{
    assert(body->shape.G);
    vec3 r = v3_zero(mech->graph);
    for (uint32_t i = 0; i < mech->dim; i++)
        r.v[i] = surface_at(mech, body->shape.grad[i], x);
    return r;
}

struct pose
pose_of_rows(struct mech *mech, const struct mbody *body, uint32_t source)
{
    assert(body->fixed || body->row.pose[0] != IMP_NO_ROW);
    struct graph *graph = mech->graph;
    if (body->fixed)
        return body->form->pose;
    struct pose pose;
    const expr *row[7];
    for (uint32_t i = 0; i < (mech->dim == 2 ? 4u : 7u); i++)
        row[i] = ex_sym(graph, SYM_ROW, source, body->row.pose[i]);
    if (mech->dim == 2) {
        pose.c = v3(row[0], row[1], sc_zero(graph));
        pose.cs[0] = row[2];
        pose.cs[1] = row[3];
        pose.R = m3_plane(graph, row[2], row[3]);
        pose.q = (quat){{NULL, NULL, NULL, NULL}};
    } else {
        pose.c = v3(row[0], row[1], row[2]);
        pose.q = (quat){{row[3], row[4], row[5], row[6]}};
        pose.R = m3_of_quat(graph, pose.q);
        pose.cs[0] = pose.cs[1] = NULL;
    }
    return pose;
}

struct pose
pose_calm(struct mech *mech, const struct mbody *body, struct pose pose)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    const expr *at[7];
    if (!(body->flags & IMP_BODYF_ROUND))
        return pose;
    for (uint32_t i = 0; i < (mech->dim == 2 ? 3u : 7u); i++)
        at[i] = sym_env(mech, body->env.state + i);
    if (mech->dim == 2) {
        pose.cs[0] = ex_op(graph, IMP_OP_COS, at[2], NULL, NULL);
        pose.cs[1] = ex_op(graph, IMP_OP_SIN, at[2], NULL, NULL);
        pose.R = m3_plane(graph, pose.cs[0], pose.cs[1]);
    } else {
        pose.q = (quat){{at[3], at[4], at[5], at[6]}};
        pose.R = m3_of_quat(graph, pose.q);
    }
    return pose;
}

mat3
rotation_between(struct mech *mech, const struct pose *to,
                 const struct pose *from)
{
    assert(mech);
    struct graph *graph = mech->graph;
    if (mech->dim == 3)
        return m3_of_quat(graph, q_conj_mul(graph, to->q, from->q));
    /* cosine and sine of the difference of the two angles */
    const expr *c0 = to->cs[0], *s0 = to->cs[1];
    const expr *c1 = from->cs[0], *s1 = from->cs[1];
    const expr *c = sc_add(graph, sc_mul(graph, c0, c1), sc_mul(graph, s0, s1));
    const expr *s = sc_sub(graph, sc_mul(graph, s1, c0), sc_mul(graph, c1, s0));
    return m3_plane(graph, c, s);
}
