/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set-up tape: what the user's expressions give for bodies, contacts,
 * joints and the world, in the order of imp_image.setup; and the joints of the
 * image. In the plane vectors get z = 0 and axes are along z. */
#include "mechanics/mech_priv.h"

static void
raw_vec(const expr **raw, uint32_t at, const struct tm_vec *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        raw[at + i] = v->e[i];
}

/* an inertia as xx yy zz xy xz yz from 1, 3 (diagonal), 6 or 9 entries */
static void
raw_inertia(const expr **raw, uint32_t at, const struct tm_vec *v)
{
    static const uint8_t of9[6] = {0, 4, 8, 1, 2, 5};
    for (uint32_t i = 0; i < 6 && v->n == 9; i++)
        raw[at + i] = v->e[of9[i]];
    if (v->n != 9)
        raw_vec(raw, at, v);
}

static void
raw_body(const struct tm_body *t, const expr **raw)
{
    if (t->mass.e || t->density.e)
        raw[IMP_RAW_MASS] = t->mass.e ? t->mass.e : t->density.e;
    if (t->volume.e)
        raw[IMP_RAW_VOLUME] = t->volume.e;
    raw_vec(raw, IMP_RAW_SCENTRE, &t->scentre);
    raw_inertia(raw, IMP_RAW_SINERTIA, &t->sinertia);
    raw_vec(raw, IMP_RAW_CENTRE, &t->centre);
    raw_inertia(raw, IMP_RAW_INERTIA, &t->inertia);
    raw_vec(raw, IMP_RAW_POSITION, &t->position);
    raw_vec(raw, IMP_RAW_ORIENT, &t->orient);
    raw_vec(raw, IMP_RAW_VELOCITY, &t->velocity);
    raw_vec(raw, IMP_RAW_SPIN, &t->spin);
}

/* -- contacts and joints -- */

/* e, mu, at (3), direction (3), priority */
enum { CONTACT_OUTS = 9 };

static void
raw_contact(struct mech *k, const struct tm_contact *c, const expr **out)
{
    out[0] = c->e.e ? c->e.e : ex_num(k->g, 1.0);
    if (c->mu.e)
        out[1] = c->mu.e;
    raw_vec(out, 2, &c->at);
    raw_vec(out, 5, &c->direction);
    if (c->priority.e)
        out[8] = c->priority.e;
}

/* IMP_JOINT_RAW entries; a plane screw (fx, fy, moment) in space */
static void
raw_joint(struct mech *k, const struct tm_joint *j, const expr **out)
{
    raw_vec(out, IMP_JOINT_AT, &j->at);
    raw_vec(out, IMP_JOINT_AXIS, &j->axis);
    raw_vec(out, IMP_JOINT_AXIS2, &j->axis2);
    raw_vec(out, IMP_JOINT_RATE, &j->rate);
    if (k->d == 2 && j->kind == IMP_JOINT_HINGE)
        out[IMP_JOINT_AXIS + 2] = ex_num(k->g, 1.0);
    for (uint32_t i = 0; i < 6 * j->n_user; i++)
        out[IMP_JOINT_USER + i] = j->user[i];
}

imp_ref
image_joints(struct mech *k)
{
    size_t n = k->m->n_joints;
    imp_joint *v = NEW_N(k->arena, imp_joint, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tm_joint *j = k->m->joints + i;
        v[i] = (imp_joint){.name = image_text(k->ib, j->name),
                           .kind = (uint32_t)j->kind,
                           .body = {j->body[0], j->body[1]},
                           .env_joint =
                               k->layout.joint + (uint32_t)i * IMP_JOINT_SIZE,
                           .n_rate = j->rate.n,
                           .n_user = j->n_user,
                           .range = j->range,
                           .range_at = mech_range(j->at.range, j->range),
                           .range_axis = mech_range(j->axis.range, j->range),
                           .range_axis2 = mech_range(j->axis2.range, j->range),
                           .range_rate = mech_range(j->rate.range, j->range)};
    }
    return image_array(k->ib, v, n, sizeof *v);
}

imp_ref
image_draws(struct mech *k)
{
    size_t n = k->m->n_draws;
    imp_draw *v = NEW_N(k->arena, imp_draw, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = (imp_draw){.range = k->m->draws[i].range};
    return image_array(k->ib, v, n, sizeof *v);
}

/* corners, or half-spaces, of a polytope; returns how many entries */
static size_t
raw_poly(struct mech *k, const struct tm_body *t, const expr **out)
{
    size_t n = t->n_point ? t->n_point : t->n_plane;
    size_t wide = t->n_point ? 3 : 4;
    const expr *const *e = t->poly;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < k->d; j++)
            out[i * wide + j] = *e++;
        if (!t->n_point)
            out[i * wide + 3] = *e++;
    }
    return n * wide;
}

uint32_t
setup_tape(struct mech *k)
{
    const struct tm_model *m = k->m;
    size_t n = m->n_bodies * IMP_RAW_SIZE + CONTACT_OUTS * m->n_contacts +
               IMP_JOINT_RAW * m->n_joints + 5 + k->layout.slots -
               k->layout.poly + 2 * (m->n_coordinates + m->n_draws);
    const expr **out = NEW_N(k->arena, const expr *, n);
    const expr *z = sc_zero(k->g);
    for (size_t i = 0; i < n; i++)
        out[i] = z;
    for (size_t i = 0; i < m->n_bodies; i++)
        raw_body(m->bodies + i, out + i * IMP_RAW_SIZE);
    size_t at = m->n_bodies * IMP_RAW_SIZE;
    for (size_t i = 0; i < m->n_contacts; i++, at += CONTACT_OUTS)
        raw_contact(k, m->contacts + i, out + at);
    for (size_t i = 0; i < m->n_joints; i++, at += IMP_JOINT_RAW)
        raw_joint(k, m->joints + i, out + at);
    for (uint32_t i = 0; i < 3; i++)
        out[at++] = k->gravity.v[i];
    out[at++] = m->world.tolerance.e ? m->world.tolerance.e : z;
    out[at++] = m->world.seed.e ? m->world.seed.e : z;
    for (size_t i = 0; i < m->n_bodies; i++)
        at += raw_poly(k, m->bodies + i, out + at);
    for (size_t i = 0; i < m->n_coordinates; i++) {
        out[at++] = m->coordinates[i].start.e;
        out[at++] = m->coordinates[i].start_rate.e;
    }
    for (size_t i = 0; i < m->n_draws; i++) {
        out[at++] = m->draws[i].lo;
        out[at++] = m->draws[i].hi;
    }
    return mech_eval_tape(k, "setup", 0, out, n);
}
