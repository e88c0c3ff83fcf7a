/* SPDX-License-Identifier: MIT */
/* The next change of a mode with friction (friction_modes.h): the end of slip,
 * the end of stick, and the jam, in which p comes to 0 in slip, and whose limit
 * the run is taken to. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/friction/painleve.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/relays/relays.h"

/* a force has left its cone when it is beyond it by this share of its greatest
 * value, as FORCE_CEASED of mode_change.c */
#define CONE_LEFT 1e-13
#define JAM_ORDER 10 /* the least order whose ratios are asked */
/* Where points move so many times as fast over a surface as on a round one, it
 * is the flat point ahead there that makes the force grow: no jam. */
#define JAM_FLAT 64.0
/* Exponents of two series count as one if they agree so well: another one is
 * off by 1. */
#define JAM_POWER 0.1
/* A change of branch is ahead within so many steps of the clock. */
#define JAM_BRANCH 64.0
/* of p and of b, in roundings of their terms */
#define JAM_ROUNDING (64.0 * DBL_EPSILON)

/* The rounding of the accelerations of a slip, as a share of `small`, which is
 * 10 CHOICE_NONE of their terms. */
#define ONSET_ROUNDING (64.0 * DBL_EPSILON / (10.0 * CHOICE_NONE))

/* -- the next change ------------------------------------------------------- */

/* Another part of the model has cut the motion right behind the onset of the
 * slip, which has not grown beyond the rounding of speeds since. How many
 * coefficients of its series are those of the onset? 0: that is not so. */
static int
has_just_begun(struct rt *run, const struct persistent_row *row, double sign,
               int order)
{
    const struct persistent_friction *friction = row->friction;
    const double *c = friction->slip.c;
    double since = rt_time(run) - friction->onset,
           noise = friction_rows_rounding(run, row->spot.contact, 0.0, c[1]);
    int drop = fabs(c[1]) <= friction->small ? 2 : 1;
    return drop <= order && sign * c[drop] > 0.0 && fabs(c[0]) <= noise &&
                   since * (fabs(c[1]) + since * fabs(c[2])) <= noise
               ? drop
               : 0;
}

/* The first s in (0, span] at which the slip ends. At its onset its series
 * begins with zeros to rounding, which are divided out. A slip that comes to 0
 * and grows again at once goes on: that is what was consistent until then, and
 * whether it falls below 0 in between is rounding. */
static bool
slip_ends(struct rt *run, const struct persistent_row *row, int order,
          double span, double *time)
{
    const struct persistent_friction *friction = row->friction;
    uint32_t contact = row->spot.contact;
    double slip[MOTION_STEP_ORDER + 1];
    int drop = 0;
    double sign = friction->mode == CONTACT_SLIP_POSITIVE ? 1.0 : -1.0;
    if (friction->onset == rt_time(run))
        drop = fabs(friction->slip.c[1]) <= friction->small ? 2 : 1;
    /* a series of this instant alone does not tell how it grows from 0 */
    bool brief = persistent_group_of(run, contact)->brief.time == rt_time(run);
    if (brief && (drop == 2 || (sign * friction->slip.c[0] <= 0.0 &&
                                sign * friction->slip.c[1] > 0.0)))
        return false;
    /* what rounding has left of the beginning, and rises from there */
    double left =
        ONSET_ROUNDING * friction->small * (rt_time(run) - friction->onset);
    if (sign * friction->slip.c[0] <= 0.0 &&
        fabs(friction->slip.c[0]) <= left && sign * friction->slip.c[1] > 0.0)
        drop = 1;
    if (drop == 0 && sign * friction->slip.c[0] <= 0.0)
        drop = has_just_begun(run, row, sign, order);
    for (int k = drop; k <= order; k++)
        slip[k - drop] = sign * friction->slip.c[k];
    if (slip[0] <= 0.0) {
        *time = 0.0;
        return true;
    }
    double noise =
        drop ? 0.0 : friction_rows_rounding(run, contact, slip[0], slip[1]);
    if (!polynomial_through(slip, order - drop, span, noise, time))
        return false;
    polynomial_newton(slip, order - drop, span, time);
    return true;
}

/* How relays that are held accelerate the slip of a point, by this order of
 * their shares. */
static double
relays_along(struct rt *run, const struct persistent_group *group,
             const struct persistent_row *row, int order)
{
    const uint32_t *body = rt_contact(run, row->spot.contact)->body;
    double *change = run->persistent_memory->change, sum = 0.0;
    for (uint32_t i = 0; i < group->moved.n_body; i++)
        memset(change + 6 * group->moved.body[i], 0, 6 * sizeof *change);
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        relays_pushes(run, group->moved.block[i], order, change);
    for (int e = 0; e < 2; e++)
        for (int c = 0; c < 6 && contact_point_body_moves(run, body[e]); c++)
            sum += row->friction->open[e][c].c[0] *
                   change[6 * (size_t)body[e] + (size_t)c];
    return sum;
}

/* Do relays hold the slip at 0 throughout the span, under a load that is more
 * than the point bears alone, which they bear together? It is no slip then that
 * could end. */
static bool
relays_hold(struct rt *run, const struct persistent_group *group,
            const struct persistent_row *row, int order, double span)
{
    bool any = false;
    double power = 1.0, none = row->friction->small,
           sign = row->friction->mode == CONTACT_SLIP_POSITIVE ? 1.0 : -1.0;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        any |= relays_act(run, group->moved.block[i]);
    for (int k = 1; k <= order && any; k++, power *= span)
        any = fabs(row->friction->slip.c[k]) * power <= none;
    if (!any || fabs(row->friction->slip.c[0]) >
                    friction_rows_rounding(run, row->spot.contact, 0.0, 0.0))
        return false;
    double along = sign * relays_along(run, group, row, 0);
    return fabs(along) > none ? along < 0.0
                              : sign * relays_along(run, group, row, 1) <= 0.0;
}

/* The first s in [0, span] at which the force leaves its cone. */
static bool
cone_left(const struct persistent_row *row, int order, double span,
          double *time)
{
    const struct persistent_friction *friction = row->friction;
    double margin[MOTION_STEP_ORDER], most = 0.0, best = INFINITY, power = 1.0;
    struct taylor edge; /* the most friction that the point bears */
    if (friction->varies)
        taylor_mul(order - 1, &friction->static_along, &row->force, &edge);
    else
        taylor_scale(order - 1, friction->mu_static, &row->force, &edge);
    for (int k = 0; k < order; k++, power *= span)
        most = fmax(most, fabs(row->force.c[k]) * power);
    most *= friction->mu_static;
    for (int side = -1; side <= 1; side += 2) {
        double at;
        for (int k = 0; k < order; k++)
            margin[k] = edge.c[k] + side * friction->force.c[k];
        double level = -CONE_LEFT * most;
        /* What the choice has taken for the edge is the edge as long as the
         * force comes back from there: else stick and slip take turns. */
        if (margin[0] < level && margin[0] >= -CHOICE_AT_EDGE * most &&
            order > 1 && margin[1] > 0.0)
            level += margin[0];
        if (!polynomial_below(margin, order - 1, 0.0, span, level, &at))
            continue;
        if (at > 0.0)
            polynomial_newton(margin, order - 1, span, &at);
        best = fmin(best, at);
    }
    *time = best;
    return best <= span;
}

/* Has the normal force of a contact that yields fallen to 0 by then? There its
 * cone is a point: the law ceases to push, and no slip begins. */
static bool
pushes_no_more(struct rt *run, const struct persistent_row *row, int order,
               double span, double time)
{
    double now = 0.0, most = 0.0, power = 1.0, low, rate, law[3];
    if (row->soft != CONTACT_PRESSED ||
        contact_compliance_at(run, row->spot.contact, row->press->scale,
                              row->gap.c[0], row->gap.c[1], law))
        return false;
    gap_rounding(run, row->spot.contact, &low, &rate);
    double noise = fabs(law[1]) * low / row->press->scale +
                   fabs(law[2]) * rate / sqrt(row->press->scale);
    for (int k = order - 1; k >= 0; k--)
        now = now * time + row->force.c[k];
    for (int k = 0; k < order; k++, power *= span)
        most = fmax(most, fabs(row->force.c[k]) * power);
    return now <= CONE_LEFT * most + noise;
}

/* The series of p at a point that slips, alone: what a unit of normal force
 * does to the gap, with its friction. Its size is written, too. */
static double
response(struct rt *run, const struct persistent_row *row, int order, double *p)
{
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    double size = 0.0;
    memset(p, 0, (size_t)(order + 1) * sizeof *p);
    for (int e = 0; e < 2; e++) {
        if (!contact_point_body_moves(run, contact->body[e]))
            continue;
        for (int l = 0; l <= order; l++) {
            double force[6], acceleration[6];
            for (int i = 0; i < 6; i++)
                force[i] = row->friction->push[e][i].c[l];
            persistent_by_mass(run, contact->body[e], force, acceleration);
            for (uint32_t i = 0; i < 3; i++) {
                uint32_t at = persistent_entry(run, i);
                const double *open = row->open[e][at].c;
                for (int k = l; k <= order; k++)
                    p[k] += open[k - l] * acceleration[at];
                size += l == 0 ? fabs(open[0] * acceleration[at]) : 0.0;
            }
        }
    }
    return size;
}

/* Does p come to 0 within the span, or so near that pieces, which end at a
 * sixth of what is left where the force grows, come no nearer? It falls where
 * b < 0, and rises where a slip with p < 0 and b > 0 goes on. */
static bool
p_ends(struct rt *run, struct persistent_row *row, int order, double span,
       double *time)
{
    double p[MOTION_STEP_ORDER + 1];
    struct persistent_friction *friction = row->friction;
    double size = response(run, row, order, p);
    friction->jam_left = 0.0;
    friction->jam_exponent = 0.0;
    if (p[0] == 0.0 || !(row->force.c[0] > 0.0))
        return false;
    for (int k = order; k >= 0; k--)
        p[k] = copysign(1.0, p[0]) * p[k];
    if (p[0] < PAINLEVE_JAM_SHARE * size && p[1] < 0.0) {
        friction->jam_left = -p[0] / p[1];
        friction->jam_exponent =
            -row->force.c[1] / row->force.c[0] * friction->jam_left;
        *time = 0.0;
        return true;
    }
    if (!polynomial_below(p, order, 0.0, span, 0.0, time))
        return false;
    polynomial_newton(p, order, span, time);
    return true;
}

/* Near a power of the time that is left, (t* - t)^nu, the last coefficients of
 * a series are those of the power: c[k + 1]/c[k] = (k - nu)/((k + 1) (t* - t)).
 * Two ratios give both, a third one must agree. `order` of them are known. */
static bool
power_ahead(const double *series, int order, double *left, double *nu)
{
    const double *c = series + order - 4;
    double m = order - 2;
    if (c[0] == 0.0 || c[1] == 0.0 || c[2] == 0.0)
        return false;
    double rate = (m + 1.0) * c[3] / c[2] - m * c[2] / c[1];
    *left = 1.0 / rate;
    *nu = m - (m + 1.0) * c[3] / c[2] * *left;
    double third = (m - 2.0 - *nu) / ((m - 1.0) * *left);
    return rate > 0.0 && *nu > -1.0 &&
           fabs(third * c[0] - c[1]) <= PAINLEVE_JAM_AGREES * fabs(c[1]);
}

/* Is it the friction of a point that has this power ahead? In a jam the slip
 * has the power nu + 1, and so has a friction that depends on it. */
static bool
of_friction(const struct persistent_group *group, int order, double left,
            double nu)
{
    for (int i = 0; i < group->n_on && group->varies; i++) {
        const struct persistent_friction *friction = group->row[i].friction;
        double own, power;
        if (friction && friction->varies &&
            power_ahead(friction->dynamic_along.c, order, &own, &power) &&
            fabs(own - left) <= PAINLEVE_JAM_AGREES * left &&
            fabs(power - nu) <= JAM_POWER)
            return true;
    }
    return false;
}

/* Does a formula of the motion change its branch by then? Behind that the force
 * has another series, and its power may be that of a force, as of a damper that
 * goes with a power of a speed which comes to 0. */
static bool
branch_changes(struct rt *run, const struct persistent_group *group, int order,
               double left)
{
    double span =
        left * (1.0 + PAINLEVE_JAM_AGREES) + JAM_BRANCH * switching_least(run);
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        if (switching_next(run, group->moved.block[i], order, span) <= span)
            return true;
    return false;
}

/* With other points and with joints only the force tells, and where p falls
 * with the slip, too: its own series has a root there then. In a jam the force
 * is a power of the time that is left. Is that near? */
static bool
force_ends(struct rt *run, const struct persistent_row *row, int order)
{
    struct persistent_friction *friction = row->friction;
    const double *force = row->force.c;
    double left, nu;
    if (order < JAM_ORDER || !(force[0] > 0.0) ||
        !power_ahead(force, order, &left, &nu))
        return false;
    double scale = fmin(rt_time(run), gap_length(run, row->spot.contact) /
                                          fabs(friction->slip.c[0]));
    const struct persistent_group *group =
        persistent_group_of(run, row->spot.contact);
    if (!(left < PAINLEVE_JAM_SHARE * scale) ||
        persistent_flatness(run, group) > JAM_FLAT ||
        /* rounding */
        !(fabs(force[order - 1]) * pow(left, order - 1) >
          DBL_EPSILON * force[0]) ||
        of_friction(group, order - 1, left, nu) ||
        branch_changes(run, group, order, left))
        return false;
    friction->jam_left = left;
    friction->jam_exponent = nu;
    return true;
}

static bool
jams(struct rt *run, struct persistent_row *row, int order, double span,
     double *time)
{
    const struct persistent_group *group =
        persistent_group_of(run, row->spot.contact);
    *time = 0.0;
    /* a step over a flat point is longer than its series hold */
    if (group->leaps)
        return false;
    return run->im->joints.n == 0 && !row->friction->varies && group->n == 1
               ? p_ends(run, row, order - 2, span, time)
               : force_ends(run, row, order);
}

int
friction_modes_change(struct rt *run, int index, int order, double span,
                      enum friction_change *what, double *time)
{
    assert(order >= 1 && order <= MOTION_STEP_ORDER);
    assert(index >= 0 && index < persistent_count(run));
    struct persistent_row *row = run->persistent->row[index];
    *what = FRICTION_GOES_ON;
    /* Without a normal force there is no friction, whichever way it slips: the
     * mode is chosen anew when the contact is pressed again. */
    if (!row->friction || !row->on || !isfinite(span) ||
        row->soft == CONTACT_SLACK)
        return IMP_OK;
    if (row->friction->mode == CONTACT_STICK) {
        if (!row->friction->tied && cone_left(row, order, span, time) &&
            !pushes_no_more(run, row, order, span, *time))
            *what = FRICTION_STICK_ENDS;
        return IMP_OK;
    }
    struct persistent_group *group =
        persistent_group_of(run, row->spot.contact);
    /* the series of the motion have left those of the point, to its forces */
    int st = persistent_points_kept(run, group, order)
                 ? IMP_OK
                 : contact_point_series(run, group, row, order);
    double jam;
    if (st)
        return st;
    if (!relays_hold(run, group, row, order - 1, span) &&
        slip_ends(run, row, order - 1, span, time))
        *what = FRICTION_SLIP_ENDS;
    /* a contact that yields does not jam */
    if (row->soft != CONTACT_RIGID || !jams(run, row, order, span, &jam) ||
        (*what == FRICTION_SLIP_ENDS && *time <= jam + row->friction->jam_left))
        return IMP_OK;
    *what = FRICTION_JAMS;
    *time = jam;
    return IMP_OK;
}

/* -- jam --------------------------------------------------------------- */

/* The last of a slip: a point that is alone. */
struct last {
    struct friction_rows in;
    double sign; /* of the slip */
};

/* Gives the point `more` of an impulse along the force of slip, and reads its
 * rows again. */
static int
load(void *context, double more)
{
    struct last *last = context;
    struct friction_rows *in = &last->in;
    double push[2];
    assert(in->n == 1 && in->group->n_unknown == 2);
    for (int i = 0; i < 2; i++) {
        const struct persistent_unknown *unknown = &in->group->unknown[i];
        push[i] = more * (unknown->value == &unknown->row->gap
                              ? 1.0
                              : -last->sign * in->point[0].mu_dynamic);
    }
    persistent_apply_impulses(in->run, push);
    return friction_rows_read(in);
}

static bool
by_slip(const struct friction_rows *in)
{
    return in->group->row[0].friction->varies;
}

static bool
read_end(void *context, struct painleve_jam_end *end)
{
    const struct last *last = context;
    const struct friction_rows *in = &last->in;
    double rubs = last->sign * in->point[0].mu_dynamic * in->W[1];
    *end = (struct painleve_jam_end){
        .jam = by_slip(in) ? in->W[0] - rubs : in->free[0],
        .jam_small =
            JAM_ROUNDING * (by_slip(in) ? in->W[0] + fabs(rubs) : in->terms[0]),
        .slip = in->rate[1],
        .slip_small = in->size[0]};
    return true;
}

static void
tell(const struct friction_rows *in, double sign, struct painleve_verdict *out)
{
    struct painleve_point point = {.B = in->W[1],
                                   .C = in->W[0],
                                   .a = in->free[1],
                                   .b = in->free[0],
                                   .mu = in->point[0].mu_dynamic,
                                   .slip = sign};
    *out = painleve_jam_verdict(&point, by_slip(in));
}

/* Takes a point that is alone, and slips with this sign, to the limit, or to
 * where its slip comes to rest if that is before. */
static int
to_limit(struct rt *run, double sign, double first, struct friction_jam *out)
{
    struct last at = {.in = {.run = run, .n = 1, .spot = &out->spot},
                      .sign = sign};
    const struct friction_rows *in = &at.in;
    struct painleve_last last = {
        .context = &at, .sign = sign, .load = load, .read = read_end};
    int st = friction_rows_read(&at.in);
    if (st || (st = painleve_jam_limit(&last, first)))
        return st;
    out->limit = last.limit;
    out->stops = last.stops;
    out->opens = in->group->row[0].gap.c[3] > 0.0 && !by_slip(in);
    out->slip = in->rate[1];
    tell(in, sign, &out->found);
    return IMP_OK;
}

static int
read_verdict(struct rt *run, double sign, struct friction_jam *out)
{
    struct friction_rows in = {.run = run, .n = 1, .spot = &out->spot};
    int st = friction_rows_read(&in);
    if (st)
        return st;
    tell(&in, sign, &out->found);
    /* Nothing has shown that p of this point comes to 0: what is told is what
     * it has, without the contacts beside it. */
    double rubs = in.point[0].mu_dynamic * in.W[1];
    out->found.b = in.free[0];
    out->found.p_plus = in.W[0] - rubs;
    out->found.p_minus = in.W[0] + rubs;
    out->slip = in.rate[1];
    out->beside = true;
    return IMP_OK;
}

int
friction_modes_jam(struct rt *run, int which, struct friction_jam *out)
{
    assert(which >= 0 && which < persistent_count(run) && out != NULL);
    struct persistent_row *row = run->persistent->row[which];
    double left = row->friction->jam_left, force = row->force.c[0], step,
           sign = row->friction->mode == CONTACT_SLIP_POSITIVE ? 1.0 : -1.0;
    bool alone = persistent_group_of(run, row->spot.contact)->n == 1;
    *out = (struct friction_jam){.spot = row->spot,
                                 .exponent = row->friction->jam_exponent};
    if (fabs(out->exponent) < PAINLEVE_JAM_FINITE)
        out->exponent = 0.0;
    int st = motion_series_all(run, MOTION_STEP_ORDER, &step);
    if (st)
        return st;
    if (left > 0.0)
        motion_advance(run, left, rt_time(run) + left);
    row->friction->jam_time = rt_time(run);
    row->friction->jam_force = force;
    if (!alone)
        st = read_verdict(run, sign, out);
    else
        st = to_limit(run, sign, force * left, out);
    if (!out->stops)
        friction_modes_forget(run);
    return st;
}

/* -- points whose contact yields, at rest
 * -------------------------------------- The point is looked at as if it were
 * rigid, with the points that are held beside it: the force that keeps its
 * depth is compared with both forces of its law (Filippov 1988, section 4). */

/* A force leaves its interval when it is beyond it by this share, as a force
 * ceases (mode_change.c). */
#define FORCE_BEYOND 1e-13

static double *
softness_of(struct rt *run, uint32_t contact)
{
    return run->env + rt_contact(run, contact)->env_contact + IMP_CONTACT_SOFT;
}

bool
held_points_sides(struct rt *run, uint32_t contact, double gap, double force[2])
{
    assert(run != NULL && force != NULL);
    double scale;
    return contact_compliance_scale(run, contact, &scale) == IMP_OK &&
           contact_compliance_sides(run, contact, scale, gap,
                                    run->env +
                                        rt_contact(run, contact)->env_contact +
                                        IMP_CONTACT_PUSHED,
                                    force);
}

/* The point and those that are held with it. Returns their number; the point is
 * the first. */
static int
with_others(struct rt *run, const struct contact_point *spot,
            struct contact_point **out)
{
    const struct persistent_group *group =
        persistent_group_of(run, spot->contact);
    int n = 1;
    *out = NEW_N(run->brief, struct contact_point,
                 (size_t)(group ? group->n_on : 0) + 1);
    (*out)[0] = *spot;
    for (int i = 0; group && i < group->n_on; i++)
        if (!contact_point_same(&group->row[i].spot, spot))
            (*out)[n++] = group->row[i].spot;
    return n;
}

/* What does the force that holds the first point say? */
static enum held_side
side_of(const struct friction_rows *in, const struct friction_choice *choice,
        const double force[2])
{
    if (choice->taken < 0)
        return HELD_NOT;
    const struct friction_set *set = choice->set + choice->taken;
    double sign = set->mode[0] == CONTACT_SLIP_POSITIVE   ? 1.0
                  : set->mode[0] == CONTACT_SLIP_NEGATIVE ? -1.0
                                                          : 0.0,
           p = in->W[0] - sign * in->point[0].mu_dynamic * in->W[1];
    if (set->mode[0] == CONTACT_FREE || set->normal[0] < force[0])
        return HELD_BACK;
    if (!(p > 0.0))
        return HELD_NOT;
    return set->normal[0] > force[1] ? HELD_IN : HELD_RESTS;
}

int
held_points_try(struct rt *run, const struct contact_point *spot,
                enum held_side *side)
{
    assert(run != NULL && spot != NULL && side != NULL);
    struct contact_point *all;
    struct friction_rows in = {.run = run, .still = true};
    double *soft = softness_of(run, spot->contact), was = *soft, force[2];
    in.n = with_others(run, spot, &all);
    in.spot = all;
    *side = HELD_NOT;
    int st = friction_modes_remember(run, CHOICE_OTHER);
    *soft = CONTACT_HELD;
    if (!st)
        st = friction_rows_read(&in);
    if (!st && held_points_sides(run, spot->contact, in.group->row[0].gap.c[0],
                                 force)) {
        struct friction_choice *choice =
            NEW(run->brief, struct friction_choice);
        struct friction_instant instant = {.n = in.n,
                                           .point = in.point,
                                           .W = in.W,
                                           .free = in.free,
                                           .terms = in.terms,
                                           .brief = true};
        friction_choose(run->brief, &instant, choice);
        *side = side_of(&in, choice, force);
    }
    *soft = was;
    return st;
}

int
held_points_rate(struct rt *run, const struct contact_point *spot, double rate)
{
    assert(run != NULL && spot != NULL);
    double *soft = softness_of(run, spot->contact), was = *soft;
    struct contact_point_state point;
    int st = contact_point_states(run, spot, 1, &point, NULL);
    if (st)
        return st;
    *soft = CONTACT_HELD;
    st = persistent_close(run, spot, 1, &point.gap, &rate, NULL);
    *soft = was;
    return st;
}

/* When does the force of a row that is held leave the interval? */
static bool
leaves(struct rt *run, const struct persistent_row *row, int order, double span,
       double *time)
{
    double force[2], most = fabs(row->force.c[0]), sk = 1.0;
    bool any = false;
    assert(order >= 1);
    if (!held_points_sides(run, row->spot.contact, row->gap.c[0], force))
        return false;
    for (int k = 0; k < order; k++, sk *= span)
        most = fmax(most, fabs(row->force.c[k]) * sk);
    for (int side = 0; side < 2; side++) {
        double series[MOTION_STEP_ORDER + 1] = {0.0}, at;
        for (int k = 0; k < order; k++)
            series[k] = side ? -row->force.c[k] : row->force.c[k];
        series[0] += side ? force[1] : -force[0];
        if (!polynomial_below(series, order - 1, 0.0, any ? *time : span,
                              -FORCE_BEYOND * fmax(most, force[1]), &at))
            continue;
        *time = at;
        any = true;
    }
    return any;
}

/* What a unit of one force of the group does to the acceleration of what
 * another one acts on. */
static double
effect_of(const struct rt *run, const struct persistent_group *group, int by,
          int on)
{
    const struct persistent_unknown *of = &group->unknown[on];
    const imp_contact *contact = rt_contact(run, of->row->spot.contact);
    const double *answer = group->answer + (size_t)by * 6 * group->moved.n_body;
    double sum = 0.0;
    for (int e = 0; e < 2; e++)
        for (int c = 0; c < 6; c++)
            if (contact_point_body_moves(run, contact->body[e]))
                sum +=
                    of->open[e][c].c[0] *
                    answer[6 * run->persistent_memory->place[contact->body[e]] +
                           (size_t)c];
    return sum;
}

/* The acceleration of the gap of a row by a unit of its normal force, in its
 * present mode; NAN: the row has none now. */
static double
mobility(const struct rt *run, const struct persistent_row *row)
{
    const struct persistent_group *group =
        persistent_group_of(run, row->spot.contact);
    int normal = -1, along = -1;
    for (int i = 0; group && i < group->n_unknown; i++)
        if (group->unknown[i].row == row)
            *(group->unknown[i].value == &row->gap ? &normal : &along) = i;
    if (normal < 0)
        return (double)NAN;
    double p = effect_of(run, group, normal, normal);
    if (along >= 0)
        p -= effect_of(run, group, normal, along) *
             effect_of(run, group, along, normal) /
             effect_of(run, group, along, along);
    return p;
}

enum held_next
held_points_next(struct rt *run, int index, int order, double span,
                 double *time)
{
    assert(time != NULL && index < persistent_count(run) && isfinite(span));
    const struct persistent_row *row = run->persistent->row[index];
    double rate[MOTION_STEP_ORDER + 1], force[2], low, noise;
    *time = 0.0;
    if (row->soft == CONTACT_HELD)
        return !row->on || leaves(run, row, order, span, time) ? HELD_GIVES
                                                               : HELD_GOES_ON;
    gap_rounding(run, row->spot.contact, &low, &noise);
    int last = polynomial_derivative(row->gap.c, order, rate);
    double side = rate[0] != 0.0 ? rate[0] : rate[1];
    for (int k = 0; k <= last && side < 0.0; k++)
        rate[k] = -rate[k];
    /* what begins to move is to come back to rest by more than rounding */
    bool begins = rate[0] <= noise && !(rate[1] < 0.0);
    if (!polynomial_below(rate, last, 0.0, span, begins ? -noise : 0.0, time))
        return HELD_GOES_ON;
    polynomial_newton(rate, last, span, time);
    if (!held_points_sides(run, row->spot.contact,
                           polynomial_value(row->gap.c, order, *time), force))
        return HELD_GOES_ON;
    double acceleration[MOTION_STEP_ORDER + 1], p = mobility(run, row);
    int n = polynomial_derivative(rate, last, acceleration);
    /* does the law on the other side drive it back? */
    return p * (force[1] - force[0]) <=
                   -polynomial_value(acceleration, n, *time)
               ? HELD_GOES_ON
               : HELD_HOLDS;
}
