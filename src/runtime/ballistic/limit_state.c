/* SPDX-License-Identifier: MIT */
/* The state after a limit of infinitely many impacts. All impulses of an
 * accumulation lie in the span of M^-1 N^T of its group of contacts, so
 * velocity and position at the limit are the projections, orthogonal in the
 * metric of M, of what free motion would give:
 *     v* = P (v + a T),   x* = P (x + v T + a T^2/2),   N_group P = 0,
 * whatever the impacts in between are. The motion after the limit is the
 * projected parabola; it does not depend on T (spec/chatter.md 2.2). */
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

/* Other contacts must stay clear of the accumulation by this many times what
 * the present motion of the group does to them. */
#define PROJECTION_CLEARANCE 4.0

void
ballistic_stick(struct ballistic *motion, const bool *closed)
{
    assert(motion && motion->work);
    assert(closed || motion->model.m == 0);
    int count = projection_factor(motion, closed);
    projection_apply(motion, count, motion->y, motion->local.gap_offset);
    projection_apply(motion, count, motion->z, motion->local.rate_offset);
    motion->mode.n_persistent = 0;
    for (int i = 0; i < motion->model.m; i++) {
        motion->mode.persistent[i] = closed[i];
        motion->mode.n_persistent += closed[i];
    }
    ballistic_sense(motion);
}

void
ballistic_steer(struct ballistic *motion, const bool *pushed,
                const double *rate)
{
    assert(motion && motion->work);
    assert((pushed && rate) || motion->model.m == 0);
    double *offset = motion->work->scratch.offset;
    int count = projection_factor(motion, pushed);
    for (int i = 0; i < motion->model.m; i++)
        offset[i] = motion->local.rate_offset[i] -
                    times2(rate[i], -motion->rate_exponent);
    projection_apply(motion, count, motion->z, offset);
    ballistic_sense(motion);
}

/* the least value of g + u s + a s^2/2 for s in 0 .. T */
static double
lowest(double g, double u, double a, double remaining)
{
    double least = fmin(g, g + (u + 0.5 * a * remaining) * remaining),
           s = -u / a;
    if (a > 0.0 && s > 0.0 && s < remaining)
        least = fmin(least, g + 0.5 * u * s);
    return least;
}

/* No impact of the factored contacts has met this one so far. Is its gap 0
 * wherever their gaps are 0, however the system moves? Where their impacts
 * repeat it then shrinks as they do, and is closed with them at the limit. */
static bool
follows(struct ballistic *motion, int count, int contact)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    double left = motion->matrices.W[contact * (contacts + 1)];
    for (int j = 0; j < contacts; j++)
        work->scratch.y[j] = motion->matrices.W[j * contacts + contact];
    projection_solve(motion, count, work->scratch.y);
    for (int j = 0; j < count; j++)
        left -= motion->matrices.W[contact * contacts + work->set.index[j]] *
                work->set.solution[j];
    bool none = work->flight.unaccelerated &&
                motion->local.gap_offset[contact] == 0.0; /* gaps have offsets
                                                           * at the limit */
    for (int j = 0; j < count; j++)
        none &= motion->local.gap_offset[work->set.index[j]] == 0.0;
    return none && left <= dense_tolerance(contacts, contacts) *
                               motion->matrices.W[contact * (contacts + 1)];
}

/* Looks along the projected parabola, and adds a margin for what the gaps and
 * rates of the group do to the other contacts. */
bool
projection_others_stay_open(struct ballistic *motion, double remaining)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, others = 0;
    int count = projection_factor(motion, work->set.closed);
    for (int i = 0; i < contacts; i++) {
        work->scratch.known[i] =
            !work->set.closed[i] && follows(motion, count, i);
        others += !work->set.closed[i] && !work->scratch.known[i];
    }
    for (int i = 0; i < contacts; i++)
        work->set.closed[i] |= work->scratch.known[i];
    if (!others)
        return true;
    count = projection_factor(motion, work->set.closed);
    memset(work->scratch.offset, 0,
           (size_t)contacts * sizeof *work->scratch.offset);
    /* take them from the gaps, which are known more precisely than y */
    const double *part[] = {motion->gap, motion->rate, motion->local.gap_acc};
    double *left[] = {work->scratch.y, work->scratch.z, work->scratch.acc},
           unit[] = {1.0, remaining, 0.5 * remaining * remaining};
    for (int s = 0; s < 3; s++) {
        projection_solve(motion, count, part[s]);
        for (int i = 0; i < contacts; i++) {
            left[s][i] = part[s][i];
            for (int j = 0; j < count; j++) {
                double d =
                    motion->matrices.W[i * contacts + work->set.index[j]] *
                    work->set.solution[j];
                left[s][i] -= d;
                work->scratch.offset[i] += fabs(d) * unit[s];
            }
        }
    }
    for (int i = 0; i < contacts; i++) {
        if (work->set.closed[i])
            continue;
        double g = work->scratch.y[i], u = work->scratch.z[i],
               a = work->scratch.acc[i];
        bool ahead = lowest(g, u, a, remaining) >
                     PROJECTION_CLEARANCE * work->scratch.offset[i];
        /* the gap is closed within rounding, and opens */
        bool opens =
            g <= 0.0 &&
            u * remaining > PROJECTION_CLEARANCE * work->scratch.offset[i] &&
            lowest(0.0, u, a, remaining) >= 0.0;
        if (!ahead && !opens)
            return false;
    }
    return true;
}

/* The limit where all contacts are closed and their gaps can all be 0: nothing
 * of the motion is left. False: it is not so. */
static bool
take_all(struct ballistic *motion, double remaining)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    for (int i = 0; i < contacts; i++)
        if (!work->set.closed[i] || motion->local.gap_offset[i] != 0.0 ||
            motion->local.rate_offset[i] != 0.0)
            return false;
    ballistic_add_time(motion, times2(remaining, motion->length_exponent -
                                                     motion->rate_exponent));
    memset(motion->y, 0, (size_t)motion->matrices.rank * sizeof *motion->y);
    memset(motion->z, 0, (size_t)motion->matrices.rank * sizeof *motion->z);
    memset(motion->just_hit, 0, (size_t)contacts);
    memset(motion->event.impulse, 0,
           (size_t)contacts * sizeof *motion->event.impulse);
    memcpy(motion->mode.persistent, work->set.closed, (size_t)contacts);
    ballistic_sense(motion);
    bool loaded = false; /* closed contacts may carry a load that keeps
                          * everything still */
    for (int i = 0; i < contacts; i++)
        loaded |= motion->matrices.gap_acc[i] != 0.0;
    if (loaded || !work->flight.unaccelerated) {
        active_set_settle(motion);
        ballistic_rescale(motion);
        return true;
    }
    /* and nothing moves the system from there */
    motion->mode.n_persistent = contacts;
    memset(motion->mode.force, 0,
           (size_t)contacts * sizeof *motion->mode.force);
    memset(motion->greatest, 0, (size_t)contacts * sizeof *motion->greatest);
    work->units.low_rate = INFINITY;
    return true;
}

/* Small gaps and rates of the contacts outside the group are carried by
 * themselves, as in flights. */
void
projection_take_limit(struct ballistic *motion, double remaining)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    if (take_all(motion, remaining))
        return;
    int contacts = motion->model.m,
        count = projection_factor(motion, work->set.closed);
    for (int i = 0; i < contacts; i++) {
        work->scratch.y[i] =
            motion->gap[i] +
            (motion->rate[i] + 0.5 * motion->local.gap_acc[i] * remaining) *
                remaining;
        work->scratch.z[i] =
            motion->rate[i] + motion->local.gap_acc[i] * remaining;
    }
    double *part[] = {work->scratch.y, work->scratch.z};
    bool any = false;
    for (int which = 0; which < 2; which++) {
        projection_solve(motion, count, part[which]);
        for (int contact = 0; contact < contacts; contact++) {
            double size = fabs(part[which][contact]);
            for (int j = 0; j < count; j++) {
                double d = motion->matrices
                               .W[contact * contacts + work->set.index[j]] *
                           work->set.solution[j];
                part[which][contact] -= d;
                size += fabs(d);
            }
            /* the contact has no rate beside that of the group: set it to 0 */
            work->scratch.calm[contact] =
                fabs(part[which][contact]) <=
                BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size;
            any |= which == 1 && work->scratch.calm[contact] &&
                   !work->set.closed[contact];
        }
    }
    ballistic_advance(motion, remaining);
    projection_apply(motion, count, motion->y, motion->local.gap_offset);
    projection_apply(
        motion, any ? projection_factor(motion, work->scratch.calm) : count,
        motion->z, motion->local.rate_offset);
    memset(motion->just_hit, 0, (size_t)contacts);
    memset(motion->event.impulse, 0,
           (size_t)contacts * sizeof *motion->event.impulse);
    memcpy(motion->mode.persistent, work->set.closed, (size_t)contacts);
    ballistic_sense(motion);
    double ys = 0.0, zs = 0.0;
    for (int j = 0; j < motion->matrices.rank; j++) {
        ys += fabs(motion->y[j]);
        zs += fabs(motion->z[j]);
    }
    for (int i = 0; i < contacts && !motion->matrices.direct; i++) {
        double size = motion->matrices.root[i];
        if (motion->mode.persistent[i])
            continue;
        if (fabs(work->scratch.y[i]) <
            BALLISTIC_MINOR * (ys * size + fabs(motion->local.gap_offset[i])))
            motion->gap[i] = work->scratch.y[i];
        if (work->scratch.calm[i])
            motion->rate[i] = 0.0;
        else if (fabs(work->scratch.z[i]) < BALLISTIC_MINOR * zs * size)
            motion->rate[i] = work->scratch.z[i];
    }
    active_set_settle(motion);
    ballistic_rescale(motion);
}
