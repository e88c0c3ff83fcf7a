/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts in which a body is a polytope. Gap and points follow from pairs of
 * features (runtime/gap). The compiler gives the motion of one body in the axes
 * of the other, d = R0^T (c1 - c0) and Q = R0^T R1, so the features of body 0
 * stand still: a point x1 of body 1 is at d + Q x1. */
#include "mechanics/mech_priv.h"

#include <assert.h>

/* The series of d (dim entries) and of Q by rows (dim*dim). */
static uint32_t
relative_tape(struct mech *mech, const struct tm_contact *decl,
              const struct mbody *const body[2])
{
    struct graph *graph = mech->graph;
    struct pose p0 = pose_of_rows(mech, body[0], 0);
    struct pose p1 = pose_of_rows(mech, body[1], 1);
    vec3 apart = m3_apply_t(graph, p0.R, v3_sub(graph, p1.c, p0.c));
    mat3 Q = rotation_between(mech, &p0, &p1);
    const expr *out[12];
    size_t n = 0;
    for (uint32_t i = 0; i < mech->dim; i++)
        out[n++] = apart.v[i];
    for (uint32_t i = 0; i < mech->dim; i++)
        for (uint32_t j = 0; j < mech->dim; j++)
            out[n++] = Q.m[i][j];
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.relative", decl->name),
        .outs = out,
        .n_outs = n};
    return mech_series_tape(mech, spec, NULL);
}

/* True for a body whose surface curves or has edges of its own level set. */
static bool
smooth(const struct mbody *body)
{
    return body->shape.G && !body->decl->shape.n_plane &&
           !(body->flags & IMP_BODYF_FLAT);
}

void
polytope_contact_build(struct mech *mech, const struct tm_contact *decl,
                       const struct mbody *const body[2], imp_contact *out)
{
    assert(mech && decl && body && out);
    out->relative = relative_tape(mech, decl, body);
    for (uint32_t i = 0; i < 2; i++)
        if (smooth(body[i]))
            smooth_polytope_build(mech, decl, body, i, out);
}
