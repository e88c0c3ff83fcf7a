/* SPDX-License-Identifier: MIT */
/* What Coulomb friction adds to contact points that are held (persistent.h), in
 * the plane: the slip of a point as a series, the direction in which a point
 * that slips is pushed, and the list of unknown forces that follows from the
 * modes. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/motion/persistent_group.h"

/* -- unknowns -------------------------------------------------------------- */

static void
enter(struct persistent_group *group, struct persistent_row *row, bool tangent,
      bool slips)
{
    struct persistent_unknown *unknown = &group->unknown[group->n_unknown++];
    struct persistent_friction *friction = row->friction;
    unknown->row = row;
    unknown->guess = !friction ? 0.0 : tangent ? friction->guess : row->guess;
    unknown->value = tangent ? &friction->shift : &row->gap;
    unknown->force = tangent ? &friction->force : &row->force;
    unknown->open = tangent ? friction->open : row->open;
    unknown->push = slips ? friction->push : unknown->open;
}

void
persistent_unknowns(struct persistent_group *group,
                    enum persistent_unknowns which)
{
    assert(group != NULL && group->n_on <= group->n);
    bool all = which == UNKNOWN_NORMALS || which == UNKNOWN_ROWS;
    group->n_unknown = 0;
    for (int i = 0; i < (all ? group->n : group->n_on); i++) {
        struct persistent_row *row = &group->row[i];
        bool friction = row->friction && which != UNKNOWN_NORMALS;
        bool sticks = friction && row->friction->mode == CONTACT_STICK;
        if (sticks && which == UNKNOWN_FORCES && row->friction->tied)
            sticks = false;
        enter(group, row, false,
              friction && !sticks && which == UNKNOWN_FORCES);
        if (friction && (sticks || which == UNKNOWN_ROWS))
            enter(group, row, true, false);
    }
}

void
persistent_friction_read(struct rt *run, struct persistent_row *row)
{
    assert(run && row);
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    const double *env = run->env + contact->env_contact;
    double slips = env[IMP_CONTACT_MU], sticks = env[IMP_CONTACT_MU_STATIC];
    if (slips == 0.0 && sticks == 0.0) {
        row->friction = NULL;
        return;
    }
    if (!row->spare)
        row->spare = NEW(run->own, struct persistent_friction);
    row->friction = row->spare;
    row->friction->mu_static = sticks;
    row->friction->mu_dynamic = slips;
    row->friction->mode = CONTACT_STICK;
    row->friction->tied = 0;
    row->friction->guess = row->guess = 0.0;
    row->friction->anchored = false;
    row->friction->onset = NAN;
}

/* -- slip ------------------------------------------------------------------ */

static void
derivative(int order, const struct taylor *a, struct taylor *out)
{
    for (int k = 0; k < order; k++)
        out->c[k] = (k + 1.0) * a->c[k + 1];
    out->c[order] = 0.0;
}

/* Sets out = a0 b0 + a1 b1. */
static void
dot(int order, const struct taylor a[2], const struct taylor b[2],
    struct taylor *out)
{
    struct taylor product;
    taylor_mul(order, &a[0], &b[0], out);
    taylor_mul(order, &a[1], &b[1], &product);
    taylor_add(order, out, &product, out);
}

/* Sets out = a1 b0 - a0 b1: b along a turned by -90 degrees. */
static void
across(int order, const struct taylor a[2], const struct taylor b[2],
       struct taylor *out)
{
    struct taylor product;
    taylor_mul(order, &a[1], &b[0], out);
    taylor_mul(order, &a[0], &b[1], &product);
    taylor_sub(order, out, &product, out);
}

/* With the tangent t = (n1, -n0), the point p of body 1 moves against body 0 at
 * c' + w J (p - c), where w is the relative spin and J turns by 90 degrees:
 *     slip = t . c' - w n . (p - c) */
static void
slip_of(int order, const struct taylor normal[2], const struct taylor centre[2],
        const struct taylor turn[2], const struct taylor *reach,
        struct taylor *slip)
{
    struct taylor velocity[2], turning[2], spin, product;
    for (int i = 0; i < 2; i++) {
        derivative(order, &centre[i], &velocity[i]);
        derivative(order, &turn[i], &turning[i]);
    }
    across(order, normal, velocity, slip);
    taylor_mul(order, &turn[0], &turning[1], &spin);
    taylor_mul(order, &turn[1], &turning[0], &product);
    taylor_sub(order, &spin, &product, &spin);
    taylor_mul(order, &spin, reach, &product);
    taylor_sub(order, slip, &product, slip);
}

/* the force along the tangent per force along the normal, where it is on the
 * edge of the cone */
static double
share_of(const struct persistent_friction *friction)
{
    return friction->tied ? friction->tied * friction->mu_static
           : friction->mode == CONTACT_SLIP_POSITIVE ? -friction->mu_dynamic
                                                     : friction->mu_dynamic;
}

/* Gives the direction of the force at a point that slips. */
static void
push_of(int order, struct persistent_row *row)
{
    struct persistent_friction *friction = row->friction;
    double share = share_of(friction);
    for (int i = 0; i < 12; i++) {
        struct taylor *push = &friction->push[i / 6][i % 6];
        taylor_scale(order, share, &friction->open[i / 6][i % 6], push);
        taylor_add(order, push, &row->open[i / 6][i % 6], push);
    }
}

void
persistent_friction_series(const struct rt *run, struct persistent_row *row,
                           int order, const struct taylor place[2],
                           const struct taylor normal[2],
                           const struct taylor centre[2],
                           const struct taylor turn[2])
{
    assert(row->friction != NULL && run->im->dim == 2 && order >= 1);
    struct persistent_friction *friction = row->friction;
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    struct taylor arm[2], reach[2];
    for (int i = 0; i < 2; i++)
        taylor_sub(order, &place[i], &centre[i], &arm[i]);
    dot(order, place, normal, &reach[0]);
    dot(order, arm, normal, &reach[1]);
    slip_of(order, normal, centre, turn, &reach[1], &friction->slip);
    friction->shift.c[0] =
        friction->anchored ? friction->place - friction->anchor : 0.0;
    for (int k = 0; k < order; k++)
        friction->shift.c[k + 1] = friction->slip.c[k] / (k + 1.0);
    /* the force on body i is along its normal turned by -90 degrees */
    for (int i = 0; i < 2; i++) {
        struct taylor *open = friction->open[i];
        for (int j = 0; j < 6; j++)
            taylor_const(order, 0.0, &open[j]);
        if (!contact_point_body_moves(run, contact->body[i]))
            continue;
        taylor_scale(order, 1.0, &row->open[i][1], &open[0]);
        taylor_scale(order, -1.0, &row->open[i][0], &open[1]);
        taylor_scale(order, i == 0 ? 1.0 : -1.0, &reach[i], &open[5]);
    }
    push_of(order, row);
}

void
persistent_friction_forces(struct persistent_group *group)
{
    assert(group->friction);
    for (int i = 0; i < group->n; i++) {
        struct persistent_row *row = &group->row[i];
        struct persistent_friction *friction = row->friction;
        if (!friction || (i < group->n_on && friction->mode == CONTACT_STICK &&
                          !friction->tied))
            continue;
        double share = i < group->n_on ? share_of(friction) : 0.0;
        taylor_scale(IMP_ORDER_MAX, share, &row->force, &friction->force);
    }
}
