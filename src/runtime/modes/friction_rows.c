/* SPDX-License-Identifier: MIT */
/* See friction_rows.h. */
#include "runtime/modes/friction_rows.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/joints/joints.h"
#include "runtime/numerics/vec3.h"

/* A slip velocity below this many rounding errors of its terms, or of what the
 * accelerations make of rest over one length, is exactly 0. */
#define SLIP_ROUNDING 64.0
/* One impulse changes slips as fast as normal rates, but for the levers of the
 * points: where rates are taken for 0, slips up to so many of them are, too. */
#define SLIP_STILL 8.0
/* Accelerations that change by a smaller share of their terms, in the time in
 * which these pass a length of the bodies, do not change. */
#define RATE_NONE 1e-10
/* nor those of which so small a share of their terms is left: as FORCES_SAME of
 * runtime/choice */
#define LEFT_NONE 1e-7

/* -- slips that an impact has ended
 * -----------------------------------------
 */

static struct persistent_stuck *
stuck_now(struct rt *run, uint32_t contact)
{
    struct persistent_set *set = persistent_set_of(run);
    double now = rt_time(run);
    if (!set->stuck) {
        set->stuck =
            NEW_N(run->own, struct persistent_stuck, rt_contact_room(run));
        for (uint32_t i = 0; i < rt_contact_room(run); i++)
            set->stuck[i].time = NAN;
    }
    struct persistent_stuck *stuck = &set->stuck[contact];
    if (stuck->time != now)
        *stuck = (struct persistent_stuck){now, 0.0, 0.0};
    return stuck;
}

void
friction_modes_lost(struct rt *run, uint32_t contact, double slip)
{
    assert(run != NULL && contact < run->im->contacts.n && slip >= 0.0);
    struct persistent_stuck *stuck = stuck_now(run, contact);
    stuck->slip = fmax(stuck->slip, slip);
}

void
friction_modes_doubt(struct rt *run, uint32_t contact, double slip)
{
    assert(run != NULL && contact < run->im->contacts.n && slip >= 0.0);
    struct persistent_stuck *stuck = stuck_now(run, contact);
    stuck->doubt = fmax(stuck->doubt, slip);
}

void
friction_modes_struck(struct rt *run, int n, const uint32_t *contact,
                      const struct friction_group_impact *impact)
{
    assert(run != NULL && (n == 0 || (contact != NULL && impact != NULL)));
    friction_modes_forget(run);
    for (int i = 0; i < n; i++)
        friction_modes_lost(run, contact[i], impact->stuck[i]);
}

/* The speed up to which an impact has just ended a slip here; else 0. */
static double
friction_rows_stuck(const struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    const struct persistent_set *set = run->persistent_memory;
    return set && set->stuck && set->stuck[contact].time == rt_time(run)
               ? set->stuck[contact].slip
               : 0.0;
}

/* -- the instant ----------------------------------------------------------- */

double
friction_rows_rounding(struct rt *run, uint32_t contact, double speed,
                       double acceleration)
{
    assert(run != NULL && contact < run->im->contacts.n);
    double acc = fmax(fabs(acceleration), gap_weight(run, contact)),
           natural = sqrt(2.0 * acc * gap_length(run, contact));
    return SLIP_ROUNDING * DBL_EPSILON * fmax(fabs(speed), natural);
}

/* Gives the sizes of the terms of a rate, and of the accelerations that turning
 * makes. */
static void
rate_terms(const struct rt *run, const struct persistent_row *row,
           struct taylor (*open)[6], double *speed, double *turning)
{
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    *speed = *turning = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, contact->body[e]);
        const double *v = run->env + body->env_state + 3;
        double size = run->env[body->env_body + IMP_BODY_RADIUS];
        for (uint32_t j = 0; j < 3; j++)
            *speed += fabs(open[e][persistent_entry(run, j)].c[0] * v[j]);
        if (isfinite(size))
            *turning += v[2] * v[2] * size;
    }
}

/* The acceleration `value` of a row whose change by velocities is `open`, in
 * parts that belong to the coordinates of the bodies, and the rest, without
 * signs: the same in every frame, and as for systems. The bodies move freely
 * here (persistent_instant). */
static double
parts_of(const struct rt *run, const struct persistent_row *row,
         struct taylor (*open)[6], double value)
{
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    double rest = value, size = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, contact->body[e]);
        if (!contact_point_body_moves(run, contact->body[e]))
            continue;
        const double *pose[4], *work = run->persistent_memory->own[body->block];
        for (int k = 0; k < 4; k++)
            pose[k] =
                work + (size_t)body->pose[k] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        double along = 2.0 * (open[e][0].c[0] * pose[0][2] +
                              open[e][1].c[0] * pose[1][2]),
               turn = 2.0 * open[e][5].c[0] *
                      (pose[2][0] * pose[3][2] - pose[3][0] * pose[2][2]);
        rest -= along + turn;
        size += fabs(along) + fabs(turn);
    }
    return size + fabs(rest);
}

/* The force of a point whose contact yields is known. */
static int
read_given(struct rt *run, const struct persistent_row *row,
           struct friction_point *point)
{
    double law[3];
    if (!persistent_soft_given_row(row))
        return IMP_OK;
    int st = contact_compliance_at(run, row->spot.contact, row->press->scale,
                                   row->gap.c[0], row->gap.c[1], law);
    point->given = true;
    point->normal =
        row->soft == CONTACT_PRESSED && !st ? fmax(law[0], 0.0) : 0.0;
    return st;
}

/* Reads point i. A slip up to the speed `rest` is none. */
static int
read_point(struct friction_rows *in, int i, double rest)
{
    struct rt *run = in->run;
    struct persistent_row *row = &in->group->row[i];
    struct friction_point *point = &in->point[i];
    double speed, turning, g = gap_weight(run, in->spot[i].contact);
    rate_terms(run, row, row->open, &speed, &turning);
    in->free[2 * i] = 2.0 * row->gap.c[2];
    in->rate[2 * i] = row->gap.c[1];
    in->terms[2 * i] = fabs(in->free[2 * i]) + g + turning;
    in->parts[2 * i] = parts_of(run, row, row->open, in->free[2 * i]);
    in->free[2 * i + 1] = in->terms[2 * i + 1] = 0.0;
    *point = (struct friction_point){0};
    const struct persistent_mode *before =
        friction_rows_before(run, &in->spot[i]);
    int st = read_given(run, row, point);
    if (st)
        return st;
    point->held = before != NULL;
    if (before)
        point->before = before->mode;
    if (!row->friction)
        return IMP_OK;
    point->mu_static = row->friction->mu_static;
    point->mu_dynamic = row->friction->mu_dynamic;
    point->varies = row->friction->varies;
    rate_terms(run, row, row->friction->open, &speed, &turning);
    in->free[2 * i + 1] = row->friction->slip.c[1];
    in->parts[2 * i + 1] =
        parts_of(run, row, row->friction->open, in->free[2 * i + 1]);
    in->terms[2 * i + 1] = fabs(in->free[2 * i + 1]) + g + turning;
    in->size[i] = friction_rows_rounding(run, in->spot[i].contact, speed,
                                         in->free[2 * i + 1]);
    in->size[i] = fmax(fmax(in->size[i], rest),
                       friction_rows_stuck(run, in->spot[i].contact));
    double slip = row->friction->slip.c[0];
    point->slip = fabs(slip) <= in->size[i] ? 0.0 : slip;
    in->rate[2 * i + 1] = point->slip;
    /* a slip that has come to 0 has ended, whichever point was watched */
    point->ended = before && !before->onset && point->slip == 0.0 &&
                   (before->mode == CONTACT_SLIP_POSITIVE ||
                    before->mode == CONTACT_SLIP_NEGATIVE);
    if (point->slip == 0.0) {
        double mu[3] = {point->mu_dynamic, point->mu_static};
        /* the row has the coefficient of the slip that counts as none here */
        if (slip != 0.0 &&
            (st = contact_friction_now(run, in->spot[i].contact, 0.0, mu)))
            return st;
        point->mu_dynamic = mu[0];
        point->mu_static = mu[1];
        return contact_friction_at_rest(run, in->spot[i].contact, rt_time(run),
                                        point->mu_dynamic, &point->mu_static);
    }
    point->mu_static = fmax(point->mu_static, point->mu_dynamic);
    return IMP_OK;
}

static int
end_slip(struct friction_rows *in, int i)
{
    struct friction_point *point = &in->point[i];
    point->slip = 0.0;
    return contact_friction_at_rest(in->run, in->spot[i].contact,
                                    rt_time(in->run), point->mu_dynamic,
                                    &point->mu_static);
}

int
friction_rows_end_slowest(struct friction_rows *in, double *speed)
{
    assert(in != NULL && speed != NULL);
    int slowest = -1;
    for (int i = 0; i < friction_rows_spots(in); i++)
        if (in->point[i].slip != 0.0 &&
            (slowest < 0 ||
             fabs(in->point[i].slip) < fabs(in->point[slowest].slip)))
            slowest = i;
    *speed = slowest < 0 ? 0.0 : fabs(in->point[slowest].slip);
    return slowest < 0 ? IMP_OK : end_slip(in, slowest);
}

int
friction_rows_without_doubt(struct friction_rows *in, bool *any)
{
    assert(in != NULL && any != NULL);
    const struct persistent_set *set = in->run->persistent_memory;
    int st = IMP_OK;
    *any = false;
    for (int i = 0; i < friction_rows_spots(in) && set->stuck && !st; i++) {
        const struct friction_point *point = &in->point[i];
        const struct persistent_stuck *stuck = &set->stuck[in->spot[i].contact];
        if (point->slip == 0.0 || stuck->time != rt_time(in->run) ||
            fabs(point->slip) > stuck->doubt)
            continue;
        *any = true;
        st = end_slip(in, i);
    }
    return st;
}

/* -- joints with friction among the rows ----------------------------------- */

/* What velocities change by `change` does to the rows of contacts. */
static void
felt_by_contacts(struct friction_rows *in, size_t column, const double *change)
{
    const struct persistent_group *group = in->group;
    size_t rows = 2 * (size_t)in->n;
    for (int i = 0; i < group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &group->unknown[i];
        const imp_contact *contact =
            rt_contact(in->run, unknown->row->spot.contact);
        size_t row = 2 * (size_t)(unknown->row - group->row) +
                     (unknown->value != &unknown->row->gap);
        double sum = 0.0;
        for (int side = 0; side < 2; side++)
            for (int c = 0;
                 contact_point_body_moves(in->run, contact->body[side]) &&
                 c < 6;
                 c++)
                sum += unknown->open[side][c].c[0] *
                       change[6 * (size_t)contact->body[side] + (size_t)c];
        in->W[row * rows + column] = in->W[column * rows + row] = sum;
    }
}

/* What one unit of force does to the joints of a block, into the column of its
 * row. x: unknowns, or NULL. */
static int
felt_by_joints(struct friction_rows *in, uint32_t block, size_t column,
               const double *x, const double *change)
{
    size_t rows = 2 * (size_t)in->n,
           first = 2 * (size_t)friction_rows_spots(in);
    double *slip = NEW_N(in->run->brief, double, (size_t)in->n_joint);
    double(*load)[2] =
        (double(*)[2])NEW_N(in->run->brief, double, 2 * (size_t)in->n_joint);
    int st = rubbing_joint_feel(in->joint, (uint32_t)in->n_joint, block, x,
                                change, slip, load);
    for (size_t k = 0; k < (size_t)in->n_joint && !st; k++) {
        size_t row = first + 2 * k + 1;
        if (rubbing_joint_block(in->joint + k) != block)
            continue;
        if (column >= first)
            in->W[row * rows + column] = slip[k];
        for (int c = 0; c < 2; c++)
            ((double *)in->grip[k].by[c])[column] = load[k][c];
    }
    return st;
}

/* What the forces of contacts do to what loads the joints. */
static int
loads_by_contacts(struct friction_rows *in, double *change)
{
    struct rt *run = in->run;
    const struct persistent_group *group = in->group;
    int st = IMP_OK;
    for (int i = 0; i < group->n_unknown && !st; i++) {
        const struct persistent_unknown *unknown = &group->unknown[i];
        const imp_contact *contact =
            rt_contact(run, unknown->row->spot.contact);
        size_t column = 2 * (size_t)(unknown->row - group->row) +
                        (unknown->value != &unknown->row->gap);
        memset(change, 0, sizeof *change * 6 * run->im->bodies.n);
        for (int side = 0; side < 2; side++) {
            double force[6];
            uint32_t body = contact->body[side];
            if (!contact_point_body_moves(run, body))
                continue;
            for (int c = 0; c < 6; c++)
                force[c] = unknown->open[side][c].c[0];
            persistent_by_mass(run, body, force, change + 6 * (size_t)body);
        }
        for (uint32_t k = 0; k < group->moved.n_block && !st; k++) {
            uint32_t block = group->moved.block[k];
            st = joints_response(run, block, change);
            if (!st && persistent_block(run, block)->n_rub)
                st = felt_by_joints(in, block, column, NULL, change);
        }
    }
    return st;
}

/* The rows of the joints, which are let go. */
static int
joint_rows(struct friction_rows *in)
{
    struct rt *run = in->run;
    size_t n_spot = (size_t)friction_rows_spots(in), rows = 2 * (size_t)in->n;
    double *change = NEW_N(run->brief, double, 6 * (size_t)run->im->bodies.n);
    int st = rubbing_joints_free(in->joint, (uint32_t)in->n_joint);
    for (int k = 0; k < in->n_joint; k++) {
        in->grip[k] = in->joint[k].grip;
        for (int c = 0; c < 2; c++)
            in->grip[k].by[c] = NEW_N(run->brief, double, rows);
    }
    for (size_t k = 0; k < (size_t)in->n_joint && !st; k++) {
        size_t column = 2 * (n_spot + k) + 1;
        memset(change, 0, sizeof *change * 6 * run->im->bodies.n);
        st = rubbing_joint_push(in->joint + k, change);
        felt_by_contacts(in, column, change);
        if (!st)
            st = felt_by_joints(in, rubbing_joint_block(in->joint + k), column,
                                rubbing_joint_unknowns(in->joint + k), change);
    }
    /* rounding makes the part of the joints unsymmetric */
    for (size_t k = 2 * n_spot; k < rows; k++)
        for (size_t l = 2 * n_spot; l < k; l++)
            in->W[k * rows + l] = in->W[l * rows + k] =
                0.5 * (in->W[k * rows + l] + in->W[l * rows + k]);
    return st ? st : loads_by_contacts(in, change);
}

/* What joints bring to the choice, after the rows of the contacts. A slip up to
 * the speed `rest` is none. */
static void
joint_points(struct friction_rows *in, double rest)
{
    int n_spot = friction_rows_spots(in);
    size_t rows = 2 * (size_t)in->n;
    double energy = 0.0;
    for (size_t r = 0; r < 2 * (size_t)n_spot; r++)
        if (in->W[r * (rows + 1)] > 0.0)
            energy = fmax(energy, in->terms[r] / sqrt(in->W[r * (rows + 1)]));
    for (int k = 0; k < in->n_joint; k++) {
        const struct rubbing_joint *joint = in->joint + k;
        struct friction_point *point = in->point + n_spot + k;
        size_t row = 2 * (size_t)(n_spot + k) + 1;
        bool struck = rubbing_joint_struck(joint);
        double noise = fmax(joint->noise, rest),
               slip = fabs(joint->rate) <= noise ? 0.0 : joint->rate;
        *point = (struct friction_point){
            .mu_static = fmax(joint->mu_static, joint->mu),
            .mu_dynamic = joint->mu,
            .slip = slip,
            .held = !struck,
            .ended = !struck && rubbing_joint_end(joint) == RUBBING_HAS_STOPPED,
            .before = joint->before,
            .given = true,
            .varies = true};
        in->rate[row] = slip;
        in->size[n_spot + k] = noise;
        in->free[row] = joint->free;
        in->terms[row] =
            fabs(joint->free) + energy * sqrt(in->W[row * (rows + 1)]);
        in->parts[row] = in->terms[row];
    }
}

/* The points, their rows and W at this instant, without forces. */
static int
rows_read(struct friction_rows *in, int n_spot)
{
    struct rt *run = in->run;
    size_t n = (size_t)in->n;
    in->point = NEW_N(run->brief, struct friction_point, n);
    in->W = NEW_N(run->brief, double, 4 * n * n);
    in->free = NEW_N(run->brief, double, 2 * n);
    in->terms = NEW_N(run->brief, double, 2 * n);
    in->parts = NEW_N(run->brief, double, 2 * n);
    in->size = NEW_N(run->brief, double, n);
    in->rate = NEW_N(run->brief, double, 2 * n);
    double *G = NEW_N(run->brief, double, 4 * n * n);
    int st = persistent_instant(run, in->group, 3, UNKNOWN_ROWS, G);
    if (st)
        return st;
    /* points without friction have no tangential unknown; their row of W stays
     * 0 */
    int m = in->group->n_unknown, *at = NEW_N(run->brief, int, (size_t)m + 1);
    for (int i = 0; i < m; i++) {
        const struct persistent_unknown *unknown = &in->group->unknown[i];
        at[i] = 2 * (int)(unknown->row - in->group->row) +
                (unknown->value != &unknown->row->gap);
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            in->W[(size_t)at[i] * 2 * n + (size_t)at[j]] = G[i * m + j];
    if (in->n_joint && (st = joint_rows(in)))
        return st;
    double rest = 0.0;
    for (int i = 0; i < n_spot; i++)
        if (!persistent_soft_given_row(&in->group->row[i]))
            rest = fmax(rest, fabs(in->group->row[i].gap.c[1]));
    for (int i = 0; i < n_spot && !st; i++)
        st = read_point(in, i, in->still ? SLIP_STILL * rest : 0.0);
    if (!st)
        joint_points(in, in->still ? SLIP_STILL * rest : 0.0);
    return st;
}

int
friction_rows_read(struct friction_rows *in)
{
    assert(in != NULL && in->n > 0);
    struct rt *run = in->run;
    int n_spot = in->n;
    uint32_t n_joint;
    struct rubbing_joint *joint;
    in->group = persistent_look_at(run, in->spot, n_spot);
    n_joint = rubbing_joints(run, in->group->moved.block,
                             in->group->moved.n_block, &joint);
    int st = rubbing_joints_read(joint, n_joint);
    if (st)
        return st;
    if (in->with_joints) {
        in->n_joint = (int)n_joint;
        in->n += (int)n_joint;
        in->joint = joint;
        in->grip = NEW_N(run->brief, struct friction_grip, n_joint + 1);
    }
    rubbing_joints_let_go(joint, n_joint);
    st = rows_read(in, n_spot);
    rubbing_joints_keep(joint, n_joint);
    return st;
}

/* -- what goes on ---------------------------------------------------------- */

/* The row of the group that stands for a point, or NULL. */
static struct persistent_row *
row_of(const struct friction_rows *in, struct persistent_group *group, int i)
{
    for (int k = 0; k < group->n; k++)
        if (contact_point_same(&group->row[k].spot, &in->spot[i]))
            return &group->row[k];
    return NULL;
}

/* Writes the derivatives of the accelerations of all rows, and of their forces
 * (2 n each). held (n): the point is one of the group; others open now, with an
 * acceleration, and have 0. still (2 n): what is rounding of the derivative of
 * a row that is held; NAN of others. */
static int
rates_of(const struct friction_rows *in, struct persistent_group *group,
         bool *held, double *rate, double *force, double *still)
{
    struct rt *run = in->run;
    int st = persistent_group_series(run, group, 3, UINT32_MAX);
    for (int i = 0; i < in->n && !st; i++) {
        struct persistent_row *row = row_of(in, group, i);
        held[i] = row != NULL;
        still[2 * i] = still[2 * i + 1] = NAN;
        if (!row)
            continue;
        if (!row->on)
            st = contact_point_series(run, group, row, 3);
        double length = gap_length(run, in->spot[i].contact);
        for (int k = 0; k < 2 && row->on; k++)
            if (k == 0 ||
                (row->friction && row->friction->mode == CONTACT_STICK))
                still[2 * i + k] = RATE_NONE * in->terms[2 * i + k] /
                                   sqrt(length / in->terms[2 * i + k]);
        rate[2 * i] = 6.0 * row->gap.c[3];
        force[2 * i] = row->on ? row->force.c[1] : 0.0;
        if (!row->friction)
            continue;
        rate[2 * i + 1] = 2.0 * row->friction->slip.c[2];
        force[2 * i + 1] = row->on ? row->friction->force.c[1] : 0.0;
    }
    return st;
}

/* Does a point of the group that does not push, and whose gap has no
 * acceleration, come to overlap at the rates (2 n) of the accelerations? */
static bool
any_closes(const struct friction_rows *in, struct persistent_group *group,
           const double *rate)
{
    bool closes = false;
    for (int i = 0; i < in->n && !closes; i++) {
        const struct persistent_row *row = row_of(in, group, i);
        if (!row || row->on)
            continue;
        double terms = in->terms[2 * i],
               length = gap_length(in->run, in->spot[i].contact);
        closes = fabs(2.0 * row->gap.c[2]) <= CHOICE_NONE * terms &&
                 rate[2 * i] < -RATE_NONE * terms / sqrt(length / terms);
    }
    return closes;
}

static bool
any_tied(const struct persistent_group *group)
{
    for (int i = 0; i < group->n_on; i++)
        if (group->row[i].friction && group->row[i].friction->tied)
            return true;
    return false;
}

int
friction_rows_next(const struct friction_rows *in, bool asked, bool *found,
                   struct friction_going *out)
{
    assert(in != NULL && found != NULL && out != NULL);
    struct rt *run = in->run;
    *found = false;
    struct persistent_group *group =
        persistent_group_of(run, in->spot[0].contact);
    if (in->n_joint > 0 || !group || group->varies || group->yields ||
        !(asked || group->n_on < group->n || any_tied(group)))
        return IMP_OK;
    size_t rows = 2 * (size_t)in->n;
    double *rate = NEW_N(run->brief, double, 3 * rows), *force = rate + rows,
           *still = force + rows;
    bool *held = NEW_N(run->brief, bool, in->n);
    int st = rates_of(in, group, held, rate, force, still);
    if (st)
        return st;
    asked |= any_closes(in, group, rate);
    double left = choice_rates(&in->choice, held, rate, force, still);
    if (asked || left > LEFT_NONE)
        *found = friction_goes_on(run->brief, &in->choice.instant, rate, out);
    return IMP_OK;
}

const double *
friction_rows_until(const struct friction_rows *in, double **rate)
{
    assert(in != NULL && rate != NULL);
    double *force = NEW_N(in->run->brief, double, 4 * (size_t)in->n),
           *change = force + 2 * (size_t)in->n;
    bool any = false;
    for (int i = 0; i < friction_rows_spots(in); i++) {
        const struct persistent_mode *before =
            friction_rows_before(in->run, &in->spot[i]);
        for (int k = 0; k < 2; k++) {
            force[2 * i + k] = before ? before->force[k] : 0.0;
            change[2 * i + k] = before ? before->rate[k] : 0.0;
        }
        any |= before != NULL;
    }
    *rate = any && in->n_joint == 0 ? change : NULL;
    return any && in->n_joint == 0 ? force : NULL;
}

/* -- what is told ---------------------------------------------------------- */

/* Is a contact told as one that rubs, or because a record asks for its load, or
 * for what it has stored or remembers? Of one whose coefficients are 0 all is
 * told that of one with friction is. */
static bool
contact_told(const struct rt *run, uint32_t contact)
{
    return rt_contact(run, contact)->flags &
           (IMP_CONTACTF_FRICTION | IMP_CONTACTF_LOAD | IMP_CONTACTF_STORED |
            IMP_CONTACTF_REMEMBERS);
}

static void
tell_row(struct rt *run, const struct persistent_row *row)
{
    const struct persistent_friction *friction = row->friction;
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    double *env = run->env + contact->env_contact;
    if (!contact_told(run, row->spot.contact))
        return;
    if (contact->flags & IMP_CONTACTF_STORED && row->soft != CONTACT_RIGID)
        contact_compliance_energy(run, row->spot.contact, row->gap.c[0],
                                  &env[IMP_CONTACT_STORED]);
    if (!friction) {
        /* without friction, or with a coefficient of 0: a normal force alone */
        env[IMP_CONTACT_NORMAL_FORCE] += row->force.c[0];
        env[IMP_CONTACT_MODE] = CONTACT_TOLD_SLIDE;
        return;
    }
    double normal = row->force.c[0], along = friction->force.c[0];
    if (friction->jam_time == rt_time(run)) {
        /* at the limit of a jam the state gives no force: the last one */
        normal = friction->jam_force;
        along = friction->mode == CONTACT_SLIP_POSITIVE
                    ? -friction->mu_dynamic * normal
                    : friction->mu_dynamic * normal;
    }
    env[IMP_CONTACT_NORMAL_FORCE] += normal;
    env[IMP_CONTACT_FRICTION_FORCE] += along;
    if (env[IMP_CONTACT_MODE] != CONTACT_TOLD_FREE)
        return;
    bool sticks = friction->mode == CONTACT_STICK;
    env[IMP_CONTACT_SLIP] = sticks ? 0.0 : friction->slip.c[0];
    env[IMP_CONTACT_MODE] = sticks ? CONTACT_TOLD_STICK
                            : friction->mode == CONTACT_SLIP_POSITIVE
                                ? CONTACT_TOLD_SLIP_POSITIVE
                                : CONTACT_TOLD_SLIP_NEGATIVE;
}

/* p and b of the contact of this point, if a record asks for them: of its first
 * point that is closed. */
static int
tell_coefficients(struct rt *run, const struct contact_point *spot)
{
    const imp_contact *contact = rt_contact(run, spot->contact);
    double *env = run->env + contact->env_contact;
    struct friction_rows rows = {.run = run, .n = 1, .spot = spot};
    if (!(contact->flags & IMP_CONTACTF_POINT) ||
        env[IMP_CONTACT_MOBILITY] != 0.0)
        return IMP_OK;
    int st = friction_rows_read(&rows);
    if (st)
        return st;
    double rubs = rows.point[0].mu_dynamic * rows.W[1],
           mode = env[IMP_CONTACT_MODE];
    env[IMP_CONTACT_MOBILITY] =
        rows.W[0] - (mode == CONTACT_TOLD_SLIP_POSITIVE   ? rubs
                     : mode == CONTACT_TOLD_SLIP_NEGATIVE ? -rubs
                                                          : fabs(rubs));
    env[IMP_CONTACT_LOAD] = rows.free[0];
    return IMP_OK;
}

/* The slip of a contact that is open, if a record asks for it: how fast its
 * closest points pass each other along the tangent, the normal turned by -90
 * degrees. Stated contacts are not watched, and have none. */
static int
tell_open_slip(struct rt *run, uint32_t number)
{
    const imp_contact *contact = rt_contact(run, number);
    struct closest_points points;
    if (!(contact->flags & IMP_CONTACTF_SLIP) ||
        contact->flags & IMP_CONTACTF_STATED)
        return IMP_OK;
    int st = closest_points_find(run, number, &points, false);
    if (st == IMP_DIVERGED)
        st = closest_points_find(run, number, &points, true);
    if (st && st != IMP_SINGULAR)
        return st;
    double across = points.n[0];
    points.n[0] = points.n[1];
    points.n[1] = -across;
    run->env[contact->env_contact + IMP_CONTACT_SLIP] =
        gap_rate(run, number, &points);
    return IMP_OK;
}

/* Does a contact of this group tell anything? */
static bool
is_told(const struct rt *run, const struct persistent_group *group)
{
    bool told = group->friction;
    for (int i = 0; i < group->n && !told; i++)
        told = contact_told(run, group->row[i].spot.contact);
    return told;
}

int
friction_modes_tell(struct rt *run)
{
    assert(run != NULL);
    for (uint32_t c = 0; c < run->im->contacts.n; c++) {
        const imp_contact *contact = rt_contact(run, c);
        double *env = run->env + contact->env_contact;
        if (contact->system != IMP_NO_SYSTEM || !contact_told(run, c))
            continue;
        env[IMP_CONTACT_NORMAL_FORCE] = env[IMP_CONTACT_FRICTION_FORCE] =
            env[IMP_CONTACT_SLIP] = env[IMP_CONTACT_MOBILITY] =
                env[IMP_CONTACT_LOAD] = env[IMP_CONTACT_STORED] = 0.0;
        env[IMP_CONTACT_MODE] = CONTACT_TOLD_FREE;
        for (int k = 0; k < 2; k++)
            env[IMP_CONTACT_IMPULSE + k] = env[IMP_CONTACT_PUSHED + k];
        int st = tell_open_slip(run, c);
        if (st)
            return st;
    }
    for (int i = 0; run->persistent && i < run->persistent->n; i++) {
        struct persistent_group *group = run->persistent->group[i];
        if (!is_told(run, group))
            continue;
        int st = persistent_group_series(run, group, 2, UINT32_MAX);
        for (int k = 0; k < group->n_on && !st; k++)
            tell_row(run, &group->row[k]);
        for (int k = 0; k < group->n_on && !st; k++)
            st = tell_coefficients(run, &group->row[k].spot);
        if (st)
            return st;
    }
    return IMP_OK;
}

/* Beyond its cone by this share of itself no mode has a force by rounding. */
#define FORCE_OUTSIDE 1e-6

/* The size of the force at a row (N): what it was, the weights that it may
 * bear, how it grows. */
static double
force_size(const struct rt *run, const struct persistent_row *row)
{
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    double size = fmax(fabs(row->guess), fabs(row->force.c[1]) * rt_time(run)),
           g = vec3_norm(run->world.gravity);
    for (int side = 0; side < 2; side++)
        if (contact_point_body_moves(run, contact->body[side]))
            size = fmax(
                size, g * run->env[rt_body(run, contact->body[side])->env_body +
                                   IMP_BODY_MASS]);
    return size;
}

/* Is the force of a row that has been told none of its mode? *ceases: it pulls.
 */
static bool
is_outside(const struct rt *run, const struct persistent_row *row, bool *ceases)
{
    const struct persistent_friction *friction = row->friction;
    double normal = row->force.c[0], size = force_size(run, row);
    *ceases = normal < -FORCE_OUTSIDE * size && size > 0.0;
    if (*ceases || !friction || friction->mode != CONTACT_STICK ||
        friction->tied)
        return *ceases;
    double mu = friction->varies ? friction->static_along.c[0]
                                 : friction->mu_static,
           most = mu * fmax(normal, 0.0), along = fabs(friction->force.c[0]);
    return along - most > FORCE_OUTSIDE * (along + most + mu * size);
}

int
friction_modes_outside(const struct rt *run, bool *ceases)
{
    assert(run != NULL && ceases != NULL);
    const struct persistent_set *set = run->persistent;
    /* without branches forces do not jump */
    for (int i = 0; set && run->switching && i < persistent_count(run); i++)
        if (set->row[i]->on && set->row[i]->soft == CONTACT_RIGID &&
            is_told(run, persistent_group_of(run, set->row[i]->spot.contact)) &&
            is_outside(run, set->row[i], ceases))
            return i;
    return -1;
}
