/* SPDX-License-Identifier: MIT */
/* The state of a ballistic motion: its units, its coordinates, gaps and rates,
 * copies of it.
 *
 * Gaps and rates are mantissas with one binary exponent each, which follows
 * the sizes, so that thousands of impacts of shrinking size lose no digits.
 * Invariants: gap and rate are those of y and z but for contacts that stay
 * closed (0) or were just hit (the rate of the law of impact, exactly). */
#include <assert.h>
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* exponents change in steps of this size */
#define UNITS_STEP 40
/* no exponent is below minus this: the numbers are 0 in effect */
#define UNITS_EXPONENTS 100000000
/* local accelerations stay below this */
#define UNITS_STEEP 0x1p200

/* A flight of time s with acceleration a is light where |a| s times this is at
 * most the rate |u|, at every contact: 2^-54 of a number is the least that can
 * change it, and a factor of 16 keeps that from gaps that close after a time of
 * 2 s. Rates are no smaller than the second number, so that their squares are
 * rounded as any other. */
#define UNITS_LIGHT 0x1p58
#define UNITS_LIGHT_RATE 0x1p-480

/* -- units ----------------------------------------------------------------- */

void
ballistic_units(struct ballistic *motion)
{
    assert(motion);
    struct ballistic_workspace *work = motion->work;
    work->units.time = power2(motion->length_exponent - motion->rate_exponent);
    work->units.rate = power2(motion->rate_exponent);
    work->units.acc =
        power2(motion->length_exponent - 2 * motion->rate_exponent);
    bool few = motion->model.m > 0 && motion->model.m <= BALLISTIC_LANES;
    work->flight.unaccelerated = few;
    work->flight.may_be_light = few && motion->matrices.direct;
    for (int contact = 0; contact < motion->model.m; contact++) {
        motion->local.gap_acc[contact] =
            motion->mode.gap_acc[contact] == 0.0
                ? 0.0
                : motion->mode.gap_acc[contact] * work->units.acc;
        motion->local.gap_offset[contact] =
            motion->matrices.gap_offset[contact] == 0.0
                ? 0.0
                : times2(motion->matrices.gap_offset[contact],
                         -motion->length_exponent);
        motion->local.rate_offset[contact] =
            motion->matrices.rate_offset[contact] == 0.0
                ? 0.0
                : times2(motion->matrices.rate_offset[contact],
                         -motion->rate_exponent);
        motion->local.light_acc[contact] =
            fabs(motion->local.gap_acc[contact]) * UNITS_LIGHT;
        motion->local.light_rate[contact] = UNITS_LIGHT_RATE;
        bool moves = motion->local.rate_offset[contact] != 0.0;
        work->flight.unaccelerated &=
            motion->local.gap_acc[contact] == 0.0 && !moves;
        work->flight.may_be_light &= !moves;
    }
    for (int j = 0; j < motion->matrices.rank; j++) {
        motion->local.y_acc[j] = motion->mode.y_acc[j] == 0.0
                                     ? 0.0
                                     : motion->mode.y_acc[j] * work->units.acc;
        work->flight.unaccelerated &= motion->local.y_acc[j] == 0.0;
        work->flight.may_be_light &=
            motion->local.y_acc[j] == motion->local.gap_acc[j];
    }
}

static double
largest(const double *x, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++)
        m = greater(fabs(x[i]), m);
    return m;
}

/* Returns the largest of gaps or rates, or of y or z where these are the same.
 */
static double
largest_of(const struct ballistic *motion, const double *of_contact,
           const double *of_y)
{
    const struct contact_basis *basis = motion->basis;
    double m = 0.0;
    if (!basis)
        return largest(of_y, motion->matrices.rank);
    for (int j = 0; j < motion->matrices.rank; j++)
        m = greater(fabs(of_contact[basis->contact[j]]), m);
    return m;
}

/* Brings mantissas whose largest is `size` back into their range by changing
 * their *exponent, which does not go below `least`. Returns the change. */
static int
fit(double size, int *exponent, int least)
{
    int by = 0;
    while (size < UNITS_SMALL && size > 0.0 && *exponent + by > least) {
        size *= 0x1p40;
        by -= UNITS_STEP;
    }
    while (size > 0x1p60 && isfinite(size)) {
        size *= 0x1p-40;
        by += UNITS_STEP;
    }
    *exponent += by;
    return by;
}

void
ballistic_rescale(struct ballistic *motion)
{
    assert(motion);
    struct ballistic_workspace *work = motion->work;
    int rank = motion->matrices.rank, contacts = motion->model.m,
        ex = motion->length_exponent, ev = motion->rate_exponent;
    double greatest_acc = largest(motion->mode.gap_acc, contacts);
    double size = largest_of(motion, motion->gap, motion->y);
    bool rest = !(size > 0.0);
    /* local accelerations, which are those in true units times
     * 2^(length_exponent - 2 rate_exponent), stay finite */
    int least = -UNITS_EXPONENTS;
    int by = fit(size, &motion->length_exponent, least);
    bool any = by != 0;
    for (int j = 0; j < rank && by; j++)
        motion->y[j] = times2(motion->y[j], -by);
    least = -UNITS_EXPONENTS;
    if (greatest_acc > 0.0 && !rest)
        least = (motion->length_exponent + ilogb(greatest_acc) -
                 ilogb(UNITS_STEEP)) /
                    2 +
                UNITS_STEP;
    by = fit(largest_of(motion, motion->rate, motion->z),
             &motion->rate_exponent, least);
    any |= by != 0;
    for (int j = 0; j < rank && by; j++)
        motion->z[j] = times2(motion->z[j], -by);
    if (any && rest) /* there is no length: take the one that belongs to the
                      * rate */
        motion->length_exponent = greatest_acc > 0.0 ? 2 * motion->rate_exponent
                                                     : motion->rate_exponent;
    work->units.low_rate = UNITS_SMALL;
    if (!any)
        return;
    for (int i = 0; i < contacts; i++) {
        motion->gap[i] = times2(motion->gap[i], ex - motion->length_exponent);
        motion->greatest[i] =
            times2(motion->greatest[i], ex - motion->length_exponent);
        motion->rate[i] = times2(motion->rate[i], ev - motion->rate_exponent);
        work->rate_terms[i] =
            times2(work->rate_terms[i], ev - motion->rate_exponent);
    }
    if (motion->basis)
        contact_basis_coordinates(motion);
    ballistic_units(motion);
    work->flight.coasts &=
        work->flight.unaccelerated || work->flight.may_be_light;
}

bool
ballistic_plain_units(struct ballistic *motion)
{
    assert(motion);
    int rank = motion->matrices.rank, contacts = motion->model.m,
        ex = motion->length_exponent, ev = motion->rate_exponent;
    if (ex == 0 && ev == 0)
        return false;
    motion->length_exponent = motion->rate_exponent = 0;
    for (int j = 0; j < rank; j++) {
        motion->y[j] = times2(motion->y[j], ex);
        motion->z[j] = times2(motion->z[j], ev);
    }
    ballistic_units(motion);
    for (int contact = 0; contact < contacts; contact++) {
        motion->gap[contact] = isfinite(motion->gap[contact])
                                   ? times2(motion->gap[contact], ex)
                                   : ballistic_of(motion, contact, motion->y) +
                                         motion->local.gap_offset[contact];
        motion->greatest[contact] =
            isfinite(motion->greatest[contact])
                ? times2(motion->greatest[contact], ex)
                : fabs(motion->gap[contact]) +
                      fabs(motion->local.gap_offset[contact]);
        motion->rate[contact] = times2(motion->rate[contact], ev);
        motion->work->rate_terms[contact] =
            times2(motion->work->rate_terms[contact], ev);
    }
    contact_basis_derive(motion);
    contact_basis_coordinates(motion);
    return true;
}

void
instant_move(struct ballistic *motion, const int *contact, const double *by,
             int count, bool place)
{
    assert(motion);
    int n = motion->model.n;
    double *x = place ? motion->work->position : motion->work->velocity;
    for (int i = 0; i < n && motion->work->instant; i++) {
        double size = fabs(x[i]);
        for (int j = 0; j < count; j++) {
            double d = motion->matrices.B[contact[j] * n + i] * by[j];
            x[i] += d;
            size += fabs(d);
        }
        /* what is left may be rounding */
        if (fabs(x[i]) <= BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size)
            x[i] = 0.0;
    }
}

void
instant_rest(struct ballistic *motion)
{
    assert(motion);
    bool rest = motion->work->instant;
    for (int i = 0; i < motion->model.m && motion->model.drift; i++)
        rest &= motion->model.drift[i] == 0.0;
    if (rest)
        memset(motion->work->velocity, 0,
               (size_t)motion->model.n * sizeof *motion->work->velocity);
}

/* -- questions ------------------------------------------------------------- */

void
ballistic_sense(struct ballistic *motion)
{
    assert(motion != NULL);
    for (int i = 0; i < motion->model.m; i++) {
        motion->gap[i] = motion->mode.persistent[i]
                             ? 0.0
                             : ballistic_of(motion, i, motion->y) +
                                   motion->local.gap_offset[i];
        motion->rate[i] = motion->mode.persistent[i]
                              ? 0.0
                              : ballistic_of(motion, i, motion->z) +
                                    motion->local.rate_offset[i];
    }
}

/* Position and velocity at the time `after` beyond the state, for y and z there
 * and their exponents. */
static void
put(const struct ballistic *motion, double after, const double *y,
    int y_exponent, const double *z, int z_exponent, double *position,
    double *velocity)
{
    double time = motion->t - motion->t_start + motion->t_lo + after;
    for (int i = 0; i < motion->model.n; i++) {
        const double *E = motion->matrices.E + i * motion->matrices.rank;
        position[i] = motion->matrices.origin[i] +
                      (motion->free_position[i] +
                       (motion->free_velocity[i] +
                        0.5 * motion->matrices.free_acc[i] * time) *
                           time) +
                      times2(dot_of(motion->matrices.rank, E, y), y_exponent);
        velocity[i] =
            (motion->free_velocity[i] + motion->matrices.free_acc[i] * time) +
            times2(dot_of(motion->matrices.rank, E, z), z_exponent);
    }
}

/* Moves a position onto the gaps of the contacts that stay closed. Where gaps
 * depend on each other the place follows from others than these, and would keep
 * the rounding of what those are made of: a body at rest on its floor would lie
 * above it by the rounding of the way to its ceiling. */
static void
close_gaps(const struct ballistic *motion, double *position)
{
    const struct ballistic_model *model = &motion->model;
    struct ballistic_workspace *work = motion->work;
    if (motion->matrices.direct || motion->mode.n_persistent == 0)
        return;
    for (int i = 0; i < model->m; i++) {
        if (model->drift && model->drift[i] != 0.0)
            return;
        work->scratch.offset[i] = model->c[i];
        for (int k = 0; k < model->n; k++)
            work->scratch.offset[i] += model->N[i * model->n + k] * position[k];
    }
    int count = projection_factor(motion, motion->mode.persistent);
    projection_solve(motion, count, work->scratch.offset);
    for (int k = 0; k < model->n; k++) {
        double size = fabs(position[k]);
        for (int j = 0; j < count; j++) {
            double d = motion->matrices.B[work->set.index[j] * model->n + k] *
                       work->set.solution[j];
            position[k] -= d;
            size += fabs(d);
        }
        if (fabs(position[k]) <=
            BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size)
            position[k] = 0.0;
    }
}

/* The same where gaps depend on each other: y may be beyond all numbers in
 * local units while gaps of the basis are small. */
static void
put_basis(struct ballistic *motion, const struct ballistic *group, double after,
          double *position, double *velocity)
{
    double *y = motion->work->scratch.y, *z = motion->work->scratch.z;
    contact_basis_true(motion, y, z);
    for (int i = 0; i < motion->matrices.rank; i++) {
        y[i] += (z[i] + 0.5 * motion->mode.y_acc[i] * after) * after;
        z[i] += motion->mode.y_acc[i] * after;
    }
    if (group)
        projection_average(motion, group, y, motion->matrices.gap_offset, z,
                           motion->matrices.rate_offset);
    put(motion, after, y, 0, z, 0, position, velocity);
    close_gaps(motion, position);
}

double
ballistic_acceleration(const struct ballistic *motion, int i)
{
    assert(motion && i >= 0 && i < motion->model.n);
    int rank = motion->matrices.rank;
    return motion->matrices.free_acc[i] +
           dot_of(rank, motion->matrices.E + i * rank, motion->mode.y_acc);
}

void
ballistic_state(const struct ballistic *motion, double *position,
                double *velocity)
{
    assert(motion && motion->work);
    assert(motion->model.n == 0 || (position && velocity));
    for (int i = 0; i < motion->model.n && motion->work->instant; i++) {
        position[i] = motion->work->position[i];
        velocity[i] = motion->work->velocity[i];
    }
    if (motion->work->instant)
        return;
    if (motion->basis)
        put_basis((struct ballistic *)(uintptr_t)motion, NULL, 0.0, position,
                  velocity);
    else
        put(motion, 0.0, motion->y, motion->length_exponent, motion->z,
            motion->rate_exponent, position, velocity);
    if (!motion->basis)
        close_gaps(motion, position);
}

void
ballistic_between(struct ballistic *motion, const struct ballistic *after,
                  double time, double *position, double *velocity)
{
    assert(motion && motion->work);
    assert(motion->model.n == 0 || (position && velocity));
    struct ballistic_workspace *work = motion->work;
    /* a time equal to the present one is now: the low part of the time may be
     * large in local units */
    double dt = time == motion->t ? 0.0 : time - motion->t - motion->t_lo;
    double s = times2(dt, motion->rate_exponent - motion->length_exponent);
    if (motion->basis) {
        put_basis(motion, after, dt, position, velocity);
        return;
    }
    for (int i = 0; i < motion->matrices.rank; i++) {
        work->scratch.y[i] =
            motion->y[i] +
            (motion->z[i] + 0.5 * motion->local.y_acc[i] * s) * s;
        work->scratch.z[i] = motion->z[i] + motion->local.y_acc[i] * s;
    }
    if (after)
        projection_average(motion, after, work->scratch.y,
                           motion->local.gap_offset, work->scratch.z,
                           motion->local.rate_offset);
    put(motion, dt, work->scratch.y, motion->length_exponent, work->scratch.z,
        motion->rate_exponent, position, velocity);
    close_gaps(motion, position);
}

double
ballistic_gap(const struct ballistic *motion, int i)
{
    assert(motion && motion->work);
    assert(i >= 0 && i < motion->model.m);
    return motion->mode.persistent[i] || motion->just_hit[i]
               ? 0.0
               : times2(motion->gap[i], motion->length_exponent);
}

double
ballistic_rate(const struct ballistic *motion, int i, int *exponent)
{
    assert(motion && motion->work);
    assert(i >= 0 && i < motion->model.m);
    double u = motion->mode.persistent[i] ? 0.0 : motion->rate[i];
    if (exponent) {
        *exponent = motion->rate_exponent;
        return u;
    }
    return times2(u, motion->rate_exponent);
}

void
ballistic_advance(struct ballistic *motion, double s)
{
    assert(motion != NULL && s >= 0.0);
    for (int j = 0; j < motion->matrices.rank; j++) {
        motion->y[j] += (motion->z[j] + 0.5 * motion->local.y_acc[j] * s) * s;
        motion->z[j] += motion->local.y_acc[j] * s;
    }
    ballistic_add_time(
        motion, times2(s, motion->length_exponent - motion->rate_exponent));
}

/* -- copies ---------------------------------------------------------------- */

/* Copies the history; entries that both have had in common since one was copied
 * from the other need not be copied again. */
static void
copy_ring(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *work = to->work, *from_work = from->work;
    unsigned long same = 0, entries = from_work->history.n;
    if (work->history.twin == from &&
        work->history.twin_stamp == from_work->history.stamp)
        same = work->history.shared;
    else if (from_work->history.twin == to &&
             from_work->history.twin_stamp == work->history.stamp)
        same = from_work->history.shared;
    if (same > entries)
        same = entries;
    if (entries - same >= HISTORY_KEPT)
        memcpy(work->history.entry, from_work->history.entry,
               sizeof work->history.entry);
    /* the entry before may have been overwritten in `to` */
    for (unsigned long i = same ? same - 1 : 0;
         entries - same < HISTORY_KEPT && i < entries; i++)
        work->history.entry[i % HISTORY_KEPT] =
            from_work->history.entry[i % HISTORY_KEPT];
    work->history.n = entries;
    work->history.stamp++;
    work->history.twin = from;
    work->history.twin_stamp = from_work->history.stamp;
    work->history.shared = entries;
}

void
ballistic_copy_motion(struct ballistic *to, const struct ballistic *from)
{
    assert(to && from && to != from);
    assert(to->work->block_bytes == from->work->block_bytes);
    struct ballistic_workspace *work = to->work, *from_work = from->work;
    memcpy(to->block, from->block, from_work->block_bytes);
    memcpy(work->rate_terms, from_work->rate_terms,
           (size_t)from->model.m * sizeof *work->rate_terms);
    work->saved_start.version = 0;
    work->batch_run = NULL;
    work->flight.last = from_work->flight.last;
    to->model = from->model;
    to->matrices = from->matrices;
    to->basis = from->basis;
    to->length_exponent = from->length_exponent;
    to->rate_exponent = from->rate_exponent;
    to->t = from->t;
    to->t_lo = from->t_lo;
    to->t_start = from->t_start;
    to->mode.n_persistent = from->mode.n_persistent;
    to->event.contact = from->event.contact;
    to->impacts = from->impacts;
    work->units.time = from_work->units.time;
    work->units.rate = from_work->units.rate;
    work->units.acc = from_work->units.acc;
    work->units.low_rate = from_work->units.low_rate;
    work->flight.unaccelerated = from_work->flight.unaccelerated;
    work->flight.may_be_light = from_work->flight.may_be_light;
    work->flight.coasts = from_work->flight.coasts;
}

void
ballistic_copy(struct ballistic *to, const struct ballistic *from)
{
    assert(to && from && to != from);
    struct ballistic_workspace *work = to->work, *from_work = from->work;
    ballistic_copy_motion(to, from);
    copy_ring(to, from);
    impact_history_copy(to, from);
    to->policy = from->policy;
    to->law = from->law;
    to->rough_rates = from->rough_rates;
    to->each_told = from->each_told;
    to->event.limit = from->event.limit;
    work->history.first = from_work->history.first;
    work->history.last_limit = from_work->history.last_limit;
    work->flight.standing = from_work->flight.standing;
    work->history.next_look = from_work->history.next_look;
    work->history.in_a_row = from_work->history.in_a_row;
    work->history.limits = from_work->history.limits;
    work->history.next_map = from_work->history.next_map;
    work->limits.resolve = from_work->limits.resolve;
    work->limits.accepted_error = from_work->limits.accepted_error;
    work->limits.accepted_time = from_work->limits.accepted_time;
    work->limits.doubt = from_work->limits.doubt;
    work->limits.skip_rates = from_work->limits.skip_rates;
    work->limits.verdict_only = from_work->limits.verdict_only;
}
