/* SPDX-License-Identifier: MIT */
/* What Coulomb friction adds to contact points that are held (persistent.h), in
 * the plane: the slip of a point as a series, the direction in which a point
 * that slips is pushed, the list of unknown forces that follows from the modes,
 * and how points share forces that are not unique. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

/* Terms of a coefficient of friction that are left out, as a share of it: as
 * MOTION_TRUNCATION of motion_plan.c. */
#define FRICTION_TRUNCATION 4e-16
/* The same of forces, whose cones are watched: a moving body's are known so
 * well through its motion. */
#define FORCE_TRUNCATION 1e-13

/* A series of less orders than this is none of a step. */
#define SLIP_ORDER 5

/* -- unknowns -------------------------------------------------------------- */

static void
enter(struct persistent_group *group, struct persistent_row *row, bool tangent,
      bool slips)
{
    struct persistent_unknown *unknown = &group->unknown[group->n_unknown++];
    struct persistent_friction *friction = row->friction;
    unknown->row = row;
    unknown->guess = tangent ? friction->guess : row->guess;
    unknown->drift = tangent ? friction->drift : row->drift;
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
        /* without a normal force nothing is held along the surface */
        bool sticks = friction && row->friction->mode == CONTACT_STICK &&
                      row->soft != CONTACT_SLACK;
        if (sticks && which == UNKNOWN_FORCES && row->friction->tied)
            sticks = false;
        if (!persistent_soft_given_row(row) || which != UNKNOWN_HELD)
            enter(group, row, false,
                  friction && !sticks && which == UNKNOWN_FORCES);
        if (friction && (sticks || which == UNKNOWN_ROWS))
            enter(group, row, true, false);
    }
}

void
persistent_drift(const struct rt *run, struct persistent_group *group)
{
    for (int i = 0; i < group->n_unknown && !isnan(group->drifts); i++)
        group->unknown[i].guess +=
            (rt_time(run) - group->drifts) * group->unknown[i].drift;
}

void
persistent_friction_read(struct rt *run, struct persistent_row *row,
                         bool looked)
{
    assert(run && row);
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    const double *env = run->env + contact->env_contact;
    double slips = env[IMP_CONTACT_MU], sticks = env[IMP_CONTACT_MU_STATIC];
    bool varies = contact->rub != IMP_NO_TAPE;
    /* impacts may have friction, or a law of their own, where slips have none
     */
    bool impacts =
        env[IMP_CONTACT_MU_IMPACT] != 0.0 || contact->own != IMP_NO_TAPE;
    if (slips == 0.0 && sticks == 0.0 && !varies && !(looked && impacts)) {
        row->friction = NULL;
        return;
    }
    if (!row->spare)
        row->spare = NEW(run->own, struct persistent_friction);
    row->friction = row->spare;
    row->friction->mu_static = sticks;
    row->friction->mu_dynamic = slips;
    /* the row may have stood for a point of another contact before */
    uint32_t n_rows =
        varies ? persistent_tape(run, contact->rub)->n_rows + 1 : 0;
    if (n_rows > row->friction->work_rows) {
        row->friction->work =
            NEW_N(run->own, double, (size_t)n_rows *IMP_ROW_STRIDE);
        row->friction->work_rows = n_rows;
    }
    row->friction->varies = varies;
    row->friction->looked = false;
    row->friction->mode = CONTACT_STICK;
    row->friction->tied = 0;
    row->friction->guess = row->guess = 0.0;
    row->friction->drift = row->drift = 0.0;
    row->friction->anchored = false;
    row->friction->onset = row->friction->jam_time = NAN;
}

/* -- slip ------------------------------------------------------------------ */

static void
derivative(int from, int order, const struct taylor *a, struct taylor *out)
{
    for (int k = from; k < order; k++)
        out->c[k] = (k + 1.0) * a->c[k + 1];
    out->c[order] = 0.0;
}

/* Sets out = a b, from this order on; b may be known to be constant. Zeros that
 * are left out are added all the same: they make a -0 a 0. */
static void
times(int from, int order, const struct taylor *a, const struct taylor *b,
      bool constant, struct taylor *out)
{
    if (!constant) {
        taylor_mul_from(from, order, a, b, out);
        return;
    }
    for (int k = from; k <= order; k++)
        out->c[k] = 0.0 + a->c[k] * b->c[0];
}

/* Sets out = a0 b0 + a1 b1, from this order on. */
static void
dot(int from, int order, const struct taylor a[2], const struct taylor b[2],
    bool constant, struct taylor *out)
{
    struct taylor product;
    times(from, order, &a[0], &b[0], constant, out);
    times(from, order, &a[1], &b[1], constant, &product);
    taylor_add_from(from, order, out, &product, out);
}

/* Sets out = a1 b0 - a0 b1: b along a turned by -90 degrees. */
static void
across(int from, int order, const struct taylor a[2], bool constant,
       const struct taylor b[2], struct taylor *out)
{
    struct taylor product;
    times(from, order, &b[0], &a[1], constant, out);
    times(from, order, &b[1], &a[0], constant, &product);
    taylor_sub_from(from, order, out, &product, out);
}

/* With the tangent t = (n1, -n0), the point p of body 1 moves against body 0 at
 * c' + w J (p - c), where w is the relative spin and J turns by 90 degrees:
 *     slip = t . c' - w n . (p - c)
 * A coefficient of a rate follows from the next one of a place. */
static void
slip_of(int from, int order, const struct taylor normal[2], bool constant,
        const struct taylor centre[2], const struct taylor turn[2],
        struct persistent_friction *friction)
{
    struct taylor product, *velocity = friction->velocity,
                           *turning = friction->turning,
                           *spin = &friction->spin, *slip = &friction->slip;
    from -= from > 0;
    for (int i = 0; i < 2; i++) {
        derivative(from, order, &centre[i], &velocity[i]);
        derivative(from, order, &turn[i], &turning[i]);
    }
    across(from, order, normal, constant, velocity, slip);
    taylor_mul_from(from, order, &turn[0], &turning[1], spin);
    taylor_mul_from(from, order, &turn[1], &turning[0], &product);
    taylor_sub_from(from, order, spin, &product, spin);
    taylor_mul_from(from, order, spin, &friction->reach[1], &product);
    taylor_sub_from(from, order, slip, &product, slip);
}

double
persistent_friction_share(const struct persistent_friction *friction)
{
    return friction->tied ? friction->tied * friction->mu_static
           : friction->mode == CONTACT_SLIP_POSITIVE ? -friction->mu_dynamic
                                                     : friction->mu_dynamic;
}

/* the share of a force that changes in time, times `of` */
static void
times_share(int from, int order, const struct persistent_friction *friction,
            const struct taylor *of, struct taylor *out)
{
    if (!friction->varies) {
        taylor_scale_from(from, order, persistent_friction_share(friction), of,
                          out);
        return;
    }
    struct taylor share;
    double sign = friction->tied                            ? friction->tied
                  : friction->mode == CONTACT_SLIP_POSITIVE ? -1.0
                                                            : 1.0;
    taylor_scale(order, sign,
                 friction->tied ? &friction->static_along
                                : &friction->dynamic_along,
                 &share);
    taylor_mul(order, &share, of, out);
}

/* what the tapes of its coefficients read */
static void
rows_of(const struct rt *run, const struct persistent_row *row,
        const double *rows[3])
{
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    for (int i = 0; i < 2; i++)
        rows[i] = contact_point_body_moves(run, contact->body[i])
                      ? run->rows.block[rt_body(run, contact->body[i])->block]
                      : NULL;
    rows[2] = row->friction->speed;
}

/* Series of so few orders tell what holds at this instant: there a coefficient
 * whose rates have no bound, as a power of the slip at its end, stays as it is.
 */
#define FRICTION_FEW 3

/* The coefficients of friction at this point. Its slip is 0 where it sticks,
 * and keeps its sign where it slips. */
static int
coefficients(struct rt *run, struct persistent_row *row, int order)
{
    struct persistent_friction *friction = row->friction;
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    int made = order;
    double first = friction->slip.c[0], now[3];
    double sign = friction->mode == CONTACT_SLIP_POSITIVE   ? 1.0
                  : friction->mode == CONTACT_SLIP_NEGATIVE ? -1.0
                  : friction->looked ? copysign(1.0, first)
                                     : 0.0;
    const double *rows[3];
    rows_of(run, row, rows);
    for (int k = 0; k <= order; k++)
        friction->speed[IMP_ROW_PAD + k] = sign * friction->slip.c[k];
    /* a slip that has passed its end, or begins, by rounding has a speed, too,
     * which changes as its mode says */
    if (sign != 0.0)
        friction->speed[IMP_ROW_PAD] = fabs(first);
    int st = rt_series(run, contact->rub, NULL, rows, friction->work, order);
    run->persistent_memory->rough |= st == IMP_NONFINITE;
    if (st == IMP_NONFINITE && order <= FRICTION_FEW)
        made = 0;
    else if (st) {
        rt_nonfinite_series(run, contact->rub, NULL, rows, friction->work,
                            order);
        return IMP_FAILED;
    }
    const imp_tape *tape = persistent_tape(run, contact->rub);
    const uint32_t *outs = IMP_ARRAY(run->im, tape->outs, uint32_t);
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    struct taylor *to[2] = {&friction->dynamic_along, &friction->static_along};
    for (int i = 0; i < 2; i++) {
        taylor_const(IMP_ORDER_MAX, 0.0, to[i]);
        memcpy(to[i]->c,
               friction->work + (size_t)code[outs[i]].row * IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               sizeof(double) * (size_t)(made + 1));
    }
    st = contact_friction_now(run, row->spot.contact, fabs(first), now);
    friction->mu_dynamic = friction->dynamic_along.c[0];
    friction->mu_static = friction->static_along.c[0];
    return st;
}

/* Gives the direction of the force at a point that slips. */
static void
push_of(int from, int order, struct persistent_row *row)
{
    struct persistent_friction *friction = row->friction;
    for (int i = 0; i < 6; i++) { /* velocity and spin; all others stay 0 */
        int at = i % 3 < 2 ? i % 3 : 5;
        struct taylor *push = &friction->push[i / 3][at];
        times_share(from, order, friction, &friction->open[i / 3][at], push);
        taylor_add_from(from, order, push, &row->open[i / 3][at], push);
    }
}

int
persistent_friction_series(struct rt *run, struct persistent_row *row, int from,
                           int order, const struct taylor place[2],
                           const struct taylor normal[2], bool constant,
                           const struct taylor centre[2],
                           const struct taylor turn[2])
{
    assert(row->friction != NULL && run->im->dim == 2);
    assert(order >= 1 && from >= 0 && from <= order);
    struct persistent_friction *friction = row->friction;
    struct taylor *arm = friction->arm, *reach = friction->reach;
    for (int i = 0; i < 2; i++)
        taylor_sub_from(from, order, &place[i], &centre[i], &arm[i]);
    dot(from, order, place, normal, constant, &reach[0]);
    dot(from, order, arm, normal, constant, &reach[1]);
    slip_of(from, order, normal, constant, centre, turn, friction);
    return persistent_friction_rows(run, row, from, order);
}

int
persistent_friction_rows(struct rt *run, struct persistent_row *row, int from,
                         int order)
{
    assert(row->friction != NULL && run->im->dim == 2);
    struct persistent_friction *friction = row->friction;
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    struct taylor *reach = friction->reach;
    friction->shift.c[0] =
        friction->anchored ? friction->place - friction->anchor : 0.0;
    for (int k = from - (from > 0); k < order; k++)
        friction->shift.c[k + 1] = friction->slip.c[k] / (k + 1.0);
    /* the force on body i is along its normal turned by -90 degrees */
    for (int i = 0; i < 2; i++) {
        struct taylor *open = friction->open[i];
        for (int j = 0; j < 3; j++)
            taylor_const_from(from, order, 0.0, &open[j < 2 ? j : 5]);
        if (!contact_point_body_moves(run, contact->body[i]))
            continue;
        taylor_scale_from(from, order, 1.0, &row->open[i][1], &open[0]);
        taylor_scale_from(from, order, -1.0, &row->open[i][0], &open[1]);
        taylor_scale_from(from, order, i == 0 ? 1.0 : -1.0, &reach[i],
                          &open[5]);
    }
    int st = friction->varies ? coefficients(run, row, order) : IMP_OK;
    if (!st)
        push_of(from, order, row);
    return st;
}

/* The size of what the series tells. */
static double
series_size(const double *c)
{
    return fmax(fabs(c[0]), fabs(c[1]));
}

/* The time for which the terms of this series that are left out stay below
 * this share of a size; infinite where the size is 0 and tells nothing. */
static double
series_hold(const double *c, int order, double share, double size)
{
    double holds = INFINITY;
    for (int k = order - 1; k <= order && order > 2 && size > 0.0; k++)
        if (c[k] != 0.0)
            holds = fmin(holds, pow(share * size / fabs(c[k]), 1.0 / k));
    return holds;
}

/* The same for the force of a contact that yields. Near the touch its law may
 * be steep, and the series of a power then ends with terms that are 0 by
 * chance: the last ones that are not tell what is left out. */
static double
law_hold(const double *c, int order, double share, double size)
{
    int last = order;
    while (last > order / 2 && c[last] == 0.0)
        last--;
    return last > order / 2 ? series_hold(c, last, share, size) : INFINITY;
}

/* Does this body move as a formula of time says? */
static bool
is_driven(const struct rt *run, uint32_t body)
{
    return body != IMP_WORLD && rt_body(run, body)->refresh != IMP_NO_TAPE;
}

/* How long the series of a slip holds whose ground is driven. That along the
 * ground shows in no force and in no gap. Infinite: it is a polynomial. */
static double
slip_hold(const struct rt *run, const struct persistent_row *row, int order)
{
    const double *c = row->friction->slip.c;
    const uint32_t *body = rt_contact(run, row->spot.contact)->body;
    int last = order;
    double longest = 0.0;
    if (order < SLIP_ORDER || row->friction->mode == CONTACT_STICK ||
        !(is_driven(run, body[0]) || is_driven(run, body[1])))
        return INFINITY;
    while (last >= order - 1 && c[last] == 0.0)
        last--;
    if (last < order - 1)
        return INFINITY;
    /* beyond this the last term is greater than all of the first half */
    for (int k = 0; k <= order / 2; k++)
        longest = fmax(longest, pow(fabs(c[k] / c[last]), 1.0 / (last - k)));
    return longest > 0.0 ? polynomial_holds(c, order, longest) : INFINITY;
}

double
persistent_forces_hold(const struct rt *run,
                       const struct persistent_group *group, int order)
{
    assert(run != NULL && group != NULL);
    double holds = INFINITY, size = 0.0;
    /* all are compared with the greatest of the group: a point that carries
     * nothing, and the friction of a disc which rolls, are rounding */
    for (int i = 0; i < group->n_on; i++) {
        const struct persistent_row *row = &group->row[i];
        size = fmax(size, series_size(row->force.c));
        if (row->friction)
            size = fmax(size, series_size(row->friction->force.c));
        /* a compliance begins with no force: what the load will ask for */
        if (persistent_soft_given_row(row) && group->delassus.given > 0.0)
            size =
                fmax(size, 2.0 * fabs(row->gap.c[2]) / group->delassus.given);
    }
    for (int i = 0; i < group->n_on; i++) {
        const struct persistent_row *row = &group->row[i];
        holds = fmin(holds,
                     (persistent_soft_given_row(row) ? law_hold : series_hold)(
                         row->force.c, order, FORCE_TRUNCATION, size));
        /* its law is watched although it does not push */
        if (row->soft == CONTACT_SLACK)
            holds = fmin(holds, law_hold(row->press->law.c, order,
                                         FORCE_TRUNCATION, size));
        if (row->friction)
            holds = fmin(holds, fmin(series_hold(row->friction->force.c, order,
                                                 FORCE_TRUNCATION, size),
                                     slip_hold(run, row, order)));
    }
    return holds;
}

int
persistent_friction_holds(struct rt *run, struct persistent_group *group,
                          int order)
{
    assert(group->varies);
    int st = IMP_OK;
    double *holds = &group->holds, end;
    for (int i = 0; i < group->n_on && !st; i++) {
        const struct persistent_row *row = &group->row[i];
        const struct persistent_friction *friction = row->friction;
        const double *rows[3];
        if (!friction || !friction->varies)
            continue;
        /* the slip, and what depends on it, is known to one order less */
        *holds =
            fmin(*holds, series_hold(friction->dynamic_along.c, order - 1,
                                     FRICTION_TRUNCATION,
                                     series_size(friction->dynamic_along.c)));
        *holds =
            fmin(*holds, series_hold(friction->static_along.c, order - 1,
                                     FRICTION_TRUNCATION,
                                     series_size(friction->static_along.c)));
        rows_of(run, row, rows);
        end = *holds;
        if (order > 2)
            st = switching_of_friction(run, row->spot.contact, rows, order - 1,
                                       &end);
        group->branches |= end < *holds;
        *holds = end;
    }
    return st;
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
        if (i < group->n_on)
            times_share(0, IMP_ORDER_MAX, friction, &row->force,
                        &friction->force);
        else
            taylor_scale(IMP_ORDER_MAX, 0.0, &row->force, &friction->force);
    }
}

/* -- work and slip --------------------------------------------------------- */

void
persistent_friction_work(struct rt *run, int order, double dt)
{
    assert(order >= 1 && order <= IMP_ORDER_MAX && isfinite(dt));
    for (int i = 0; run->persistent && i < run->persistent->n_row; i++) {
        const struct persistent_row *row = run->persistent->row[i];
        const struct persistent_friction *friction = row->friction;
        persistent_soft_pass(run, row, order, dt);
        if (!friction || !row->on || friction->mode == CONTACT_STICK)
            continue;
        const imp_contact *contact = rt_contact(run, row->spot.contact);
        uint32_t side = contact_point_body_moves(run, contact->body[0]) ? 0 : 1;
        if (!motion_lets(run, rt_body(run, contact->body[side])->block))
            continue;
        struct taylor power;
        double work = 0.0;
        taylor_mul(order - 1, &friction->force, &friction->slip, &power);
        for (int k = order - 1; k >= 0; k--)
            work = dt * (work + power.c[k] / (k + 1.0));
        run->env[contact->env_contact + IMP_CONTACT_WORK] += work;
    }
}

/* The row of an entry of a contact among those that it tells. */
static double *
told_row(double *rows, uint32_t entry)
{
    return rows + (size_t)(entry - IMP_CONTACT_NORMAL_FORCE) * IMP_ROW_STRIDE;
}

/* Adds the slip, where no point before told one, and the work of a point that
 * pushes to the rows of its contact (persistent_told_series). */
static void
persistent_slip_series(const struct persistent_friction *friction, int most,
                       double *rows)
{
    assert(friction && rows && most >= 1);
    double *slip = told_row(rows, IMP_CONTACT_SLIP),
           *work = told_row(rows, IMP_CONTACT_WORK),
           *open = rows + (size_t)IMP_CONTACTROW_OPEN * IMP_ROW_STRIDE;
    bool first = *open != 0.0, sticks = friction->mode == CONTACT_STICK;
    struct taylor power;
    if (first)
        memset(slip, 0, sizeof *slip * ((size_t)most + 1));
    *open = 0.0;
    if (sticks)
        return;
    if (first)
        memcpy(slip, friction->slip.c, sizeof *slip * ((size_t)most + 1));
    taylor_mul(most - 1, &friction->force, &friction->slip, &power);
    for (int k = 1; k <= most; k++)
        work[k] += power.c[k - 1] / k;
}

/* -- joints with friction ---------------------------------------------------
 */

size_t
persistent_joint_rows(const imp_block *block)
{
    size_t n = (size_t)block->n_rub * IMP_RUB_ROWS,
           told = (size_t)block->n_told * IMP_JOINT_ROWS;
    return told + (block->n_rub ? n + (block->share != IMP_NO_ROW) : 0);
}

void
persistent_joints_over(struct rt *run, uint32_t b, const uint32_t *from,
                       double *to)
{
    const imp_block *block = persistent_block(run, b);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    const double *driven = run->persistent_memory->driven[b];
    size_t bytes = IMP_ROW_STRIDE * sizeof(double);
    for (uint32_t i = 0; i < run->im->joints.n; i++) {
        if (!(joint[i].flags & IMP_JOINTF_RUBS) || joint[i].block != b)
            continue;
        for (uint32_t k = 0; k < IMP_RUB_ROWS; k++)
            memcpy(to + (size_t)joint[i].rows[k] * IMP_ROW_STRIDE,
                   driven + (size_t)*from++ * IMP_ROW_STRIDE, bytes);
    }
    if (block->n_rub && block->share != IMP_NO_ROW)
        memcpy(to + (size_t)block->share_row * IMP_ROW_STRIDE,
               driven + (size_t)*from++ * IMP_ROW_STRIDE, bytes);
    for (uint32_t i = 0; i < run->im->joints.n; i++) {
        if (!(joint[i].flags & IMP_JOINTF_TELLS) || joint[i].block != b)
            continue;
        for (uint32_t k = 0; k < IMP_JOINT_ROWS; k++)
            memcpy(to + (size_t)joint[i].rows[k] * IMP_ROW_STRIDE,
                   driven + (size_t)*from++ * IMP_ROW_STRIDE, bytes);
    }
}

bool
persistent_told_series(const struct rt *run, int i, int most, double *rows)
{
    assert(run->persistent && i >= 0 && i < run->persistent->n_row && rows);
    assert(most < IMP_ORDER_MAX);
    const struct persistent_row *row = run->persistent->row[i];
    const struct persistent_friction *friction = row->friction;
    double *normal = rows, *along = rows + IMP_ROW_STRIDE;
    for (int k = 1; k <= most && row->on; k++) {
        normal[k] += row->force.c[k];
        along[k] += friction ? friction->force.c[k] : 0.0;
    }
    if (row->on && friction)
        persistent_slip_series(friction, most, rows);
    return !row->on || !friction || friction->jam_time != rt_time(run);
}

/* -- velocities that are held at 0 -------------------------------------- */

/* Accelerations below this many rounding errors of what contacts add to them,
 * and speeds below as many of what these reach in the body's own size, are 0.
 */
#define REST_ROUNDING 64.0

/* What the variables of a block that is held are. */
static const enum motion_what *
what_of(const struct rt *run, uint32_t block)
{
    return run->motion->held[run->motion->place[block].kind].what;
}

/* How much the forces of order k accelerate this body, each for itself: its
 * place, or its attitude. Its weight is one, where contacts bear no load, too;
 * it alone is asked for by k = -1. */
static double
loads_of(const struct rt *run, const struct persistent_group *group,
         uint32_t place, bool spin, int k)
{
    const double *g = run->world.gravity;
    uint32_t env = rt_body(run, group->moved.body[place])->env_body;
    double weight = k > 0 ? 0.0 : hypot(hypot(g[0], g[1]), g[2]),
           size = run->env[env + IMP_BODY_RADIUS],
           sum = spin ? (size > 0.0 ? weight / size : 0.0) : weight;
    for (int i = k < 0 ? -1 : persistent_first(group, place, group->spreads);
         i >= 0; i = persistent_next(group, place, group->spreads, i)) {
        size_t at = (size_t)i * group->moved.n_body + place;
        const double *a = group->answer + 6 * at + (spin ? 3 : 0);
        sum += fabs(group->unknown[i].force->c[k]) *
               hypot(hypot(a[0], a[1]), a[2]);
    }
    return sum;
}

/* How much the forces of order k may leave where they cancel, in roundings: as
 * much as they are, and, where they are little themselves, as a load of this
 * size leaves that varies as fast as those of all orders up to k. */
static double
envelope_of(const struct rt *run, const struct persistent_group *group,
            uint32_t place, bool spin, int k)
{
    double first = loads_of(run, group, place, spin, 0), fastest = 0.0,
           last = first;
    for (int j = 1; j <= k; j++) {
        last = loads_of(run, group, place, spin, j);
        fastest = fmax(fastest, pow(last / first, 1.0 / j));
    }
    double whole = first * pow(fastest, k);
    return first > 0.0 && isfinite(whole) ? fmax(last, whole) : last;
}

/* The body, by its place in the group, whose velocity variable i of the block
 * is. */
static uint32_t
variable_body(const struct rt *run, const struct persistent_group *group,
              uint32_t block, uint32_t i)
{
    uint32_t state = IMP_ARRAY(run->im, persistent_block(run, block)->state,
                               uint32_t)[i],
             n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    for (uint32_t k = 0; k < group->moved.n_body; k++) {
        uint32_t first = rt_body(run, group->moved.body[k])->env_state;
        if (state >= first && state < first + n)
            return k;
    }
    return UINT32_MAX;
}

/* Is this velocity 0, and what all forces make of it, to rounding? */
static bool
rests(const struct rt *run, const struct persistent_group *group, bool pushed,
      uint32_t block, uint32_t i, const double *row)
{
    enum motion_what what = what_of(run, block)[i];
    uint32_t place = variable_body(run, group, block, i);
    if (what == MOTION_POSE || place == UINT32_MAX)
        return false;
    const imp_body *body = rt_body(run, group->moved.body[place]);
    double low = REST_ROUNDING * DBL_EPSILON,
           size = run->env[body->env_body + IMP_BODY_RADIUS],
           load = loads_of(run, group, place, false, pushed ? 0 : -1),
           speed = size > 0.0 ? sqrt(load * size) : 0.0;
    if (what == MOTION_SPIN) {
        load = loads_of(run, group, place, true, pushed ? 0 : -1);
        speed = size > 0.0 ? speed / size : 0.0;
    }
    /* what the end of a force leaves, whose time is rounded */
    double lowest = pushed ? low : RT_TOLERANCE;
    return fabs(row[0]) <= low * speed && fabs(row[1]) <= lowest * load;
}

uint32_t
persistent_rest_begin(struct rt *run, struct persistent_group *group,
                      bool pushed)
{
    assert(run && group && !group->rest);
    uint32_t n = 0;
    struct series_rest *rest =
        NEW_N(run->brief, struct series_rest, group->moved.n_block + 1);
    for (uint32_t b = 0; b < group->moved.n_block; b++) {
        uint32_t at = group->moved.block[b];
        const imp_block *block = persistent_block(run, at);
        uint32_t n_rows;
        const uint32_t *from = relays_driven_rows(run, at, &n_rows),
                       *rows = IMP_ARRAY(run->im, block->rows, uint32_t),
                       *state = IMP_ARRAY(run->im, block->state, uint32_t);
        rest[b].row = NEW_N(run->brief, bool, n_rows + 1);
        rest[b].left =
            NEW_N(run->brief, double, (size_t)(n_rows + 1) * IMP_ROW_STRIDE);
        for (uint32_t i = 0; i < block->state.n; i++) {
            const double *row = run->rows.block[at] +
                                (size_t)rows[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
            if (!rests(run, group, pushed, at, i, row))
                continue;
            rest[b].row[from[i]] = true;
            run->env[state[i]] = 0.0;
            n++;
        }
    }
    group->rest = n ? rest : NULL;
    return n;
}

void
persistent_rest_to(struct persistent_group *group, int order)
{
    assert(group && order >= 0);
    for (uint32_t b = 0; b < group->moved.n_block && group->rest; b++)
        group->rest[b].order = order;
}

bool
persistent_rest_stays(struct rt *run, struct persistent_group *group, int term)
{
    assert(run && group && group->rest && term >= 0);
    bool stays = true;
    for (uint32_t b = 0; b < group->moved.n_block && term > 0; b++) {
        uint32_t at = group->moved.block[b];
        const imp_block *block = persistent_block(run, at);
        uint32_t n_rows;
        const uint32_t *from = relays_driven_rows(run, at, &n_rows);
        struct series_rest *rest = group->rest + b;
        for (uint32_t i = 0; i < block->state.n; i++) {
            if (!rest->row[from[i]])
                continue;
            bool spin = what_of(run, at)[i] == MOTION_SPIN;
            double load =
                       envelope_of(run, group, variable_body(run, group, at, i),
                                   spin, term - 1),
                   left = rest->left[(size_t)from[i] * IMP_ROW_STRIDE +
                                     IMP_ROW_PAD + (size_t)term];
            if (fabs(term * left) <= REST_ROUNDING * DBL_EPSILON * load)
                continue;
            rest->row[from[i]] = stays = false;
        }
    }
    return stays;
}

bool
persistent_rates_cut(struct rt *run, uint32_t b)
{
    const imp_block *block = persistent_block(run, b);
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t),
                   *in = IMP_ARRAY(run->im, block->bodies, uint32_t);
    double *rows = run->rows.block[b] + IMP_ROW_PAD;
    bool finite = true;
    for (uint32_t i = 0; i < block->state.n; i++) {
        double *c = rows + (size_t)row[i] * IMP_ROW_STRIDE;
        c[3] = 0.0;
        if (what_of(run, b)[i] != MOTION_POSE)
            c[2] = 0.0;
        finite = finite && isfinite(c[1]) && isfinite(c[2]);
    }
    for (uint32_t k = 0; k < block->bodies.n && run->im->dim == 2; k++)
        for (int j = 2; j < 4 && rt_body(run, in[k])->pose[j] != IMP_NO_ROW;
             j++)
            rows[(size_t)rt_body(run, in[k])->pose[j] * IMP_ROW_STRIDE + 3] =
                0.0;
    return finite;
}

bool
persistent_rest_cut(struct rt *run, uint32_t block, int order)
{
    assert(run && order >= 1);
    const imp_block *at = persistent_block(run, block);
    const uint32_t *rows = IMP_ARRAY(run->im, at->rows, uint32_t);
    bool finite = true;
    for (uint32_t i = 0; i < at->state.n; i++) {
        double *c = run->rows.block[block] + (size_t)rows[i] * IMP_ROW_STRIDE +
                    IMP_ROW_PAD;
        if (what_of(run, block)[i] != MOTION_POSE)
            c[order] = 0.0;
        finite = finite && isfinite(c[order - 1]) && isfinite(c[order]);
    }
    return finite;
}
