/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts in which a body is a polytope. Gap and points follow from pairs of
 * features (runtime/gap/polytope_contact.h); of tapes they need the motion of
 * one body in the axes of the other, d = R0^T (c1 - c0),  Q = R0^T R1, so that
 * features of body 0 stand still: a point x1 of body 1 is at d + Q x1.
 */
#include "mechanics/mech_priv.h"

bool
body_has_corners(const struct mbody *b)
{
    return b->tm->n_point || b->tm->n_plane > 1;
}

/* series: d (d entries), Q by rows (d*d) */
static uint32_t
relative_tape(struct mech *k, uint32_t c)
{
    struct graph *g = k->g;
    const struct tm_contact *t = k->m->contacts + c;
    struct pose p0 = contact_pose_rows(k, k->bodies + t->body[0], 0);
    struct pose p1 = contact_pose_rows(k, k->bodies + t->body[1], 1);
    vec3 apart = m3_apply_t(g, p0.R, v3_sub(g, p1.c, p0.c));
    mat3 Q = contact_rotation(k, &p0, &p1);
    const expr *out[12];
    size_t n = 0;
    for (uint32_t i = 0; i < k->d; i++)
        out[n++] = apart.v[i];
    for (uint32_t i = 0; i < k->d; i++)
        for (uint32_t j = 0; j < k->d; j++)
            out[n++] = Q.m[i][j];
    struct tape_spec spec = {.name =
                                 arena_printf(k->arena, "%s.relative", t->name),
                             .series = true,
                             .outs = out,
                             .n_outs = n,
                             .env_of = mech_env_of,
                             .ctx = k};
    return tape_build(g, k->ib, &spec, NULL);
}

/* a surface that curves, or bends at edges of its own */
static bool
smooth(const struct mbody *b)
{
    return b->G && !b->tm->n_plane && !(b->flags & IMP_BODYF_FLAT);
}

void
corner_build(struct mech *k, uint32_t c, imp_contact *out)
{
    const struct tm_contact *t = k->m->contacts + c;
    out->relative = relative_tape(k, c);
    for (uint32_t i = 0; i < 2; i++)
        if (smooth(k->bodies + t->body[i]))
            corner_smooth_build(k, c, i, out);
}
