/* SPDX-License-Identifier: MIT */
/* A ballistic motion from event to event: flights with acceleration or with
 * closed contacts, and their single impacts. The next impact is the least root
 * of the quadratic polynomials of the gaps. A contact that was just hit has a
 * gap of exactly 0 and the rate of its law, so its impact is never found again.
 * Flights without acceleration are followed by flight_lanes.h, which gives the
 * same numbers. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* -- the next impact --------------------------------------------------------
 */

/* Local time until a gap closes that has the value g, the rate u and the
 * acceleration al; INFINITY: never. *arrive is its rate then. fresh: the
 * contact was just hit. */
static inline __attribute__((always_inline)) double
closing(double gap, double rate, double al, bool fresh, double *arrive)
{
    *arrive = rate;
    if (!(gap > 0.0)) {
        if (rate < 0.0 && !fresh)
            return 0.0;
        if (!(al < 0.0))
            return INFINITY;
        if (rate < 0.0)
            rate = 0.0; /* The contact opens; its rate is negative only by
                           rounding. */
        *arrive = -rate;
        return -2.0 * rate / al;
    }
    if (al == 0.0)
        return rate < 0.0 ? -gap / rate : (double)INFINITY;
    double disc = rate * rate - 2.0 * al * gap;
    if (!(disc >= 0.0) || (al > 0.0 && !(rate < 0.0)) || isinf(gap))
        return INFINITY;
    if (al > 0.0 && disc <= 8.0 * DBL_EPSILON * rate * rate)
        return INFINITY; /* Within rounding the gap touches 0 without a rate, so
                            it does not close. */
    double root = sqrt(disc);
    *arrive = -root;
    return rate > 0.0 ? (rate + root) / -al : 2.0 * gap / (root - rate);
}

/* Moves gaps and rates on by the local `time`, in loops of constant length
 * where the numbers of contacts and the rank are known. Returns whether another
 * gap than `first` is closed within BALLISTIC_CLOSED of its greatest value;
 * ballistic_together must then decide. */
static inline __attribute__((always_inline)) bool
move(struct ballistic *motion, int contacts, int rank, bool direct,
     bool some_on, int first, double time)
{
    double *restrict gap = motion->gap, *restrict rate = motion->rate,
                     *restrict big = motion->greatest, half_time = 0.5 * time;
    const double *nal = motion->local.gap_acc;
    bool other = false;
    for (int j = 0; j < rank && direct; j++) {
        double a = motion->local.y_acc[j];
        motion->y[j] += (motion->z[j] + a * half_time) * time;
        motion->z[j] += a * time;
    }
    for (int contact = 0; contact < contacts; contact++) {
        if (some_on && motion->mode.persistent[contact])
            continue;
        double was = gap[contact];
        if (direct) {
            gap[contact] = motion->y[contact];
            rate[contact] = motion->z[contact];
        } else {
            gap[contact] += (rate[contact] + nal[contact] * half_time) * time;
            rate[contact] += nal[contact] * time;
        }
        big[contact] = greater(big[contact], greater(was, gap[contact]));
        /* an infinite gap gives NaN here, which counts as open */
        other |= contact != first &&
                 gap[contact] - BALLISTIC_CLOSED * big[contact] <= 0.0;
    }
    if (!direct)
        contact_basis_coordinates(motion);
    return other;
}

/* The impact at one contact alone, after move(). Letters: y, z, K of
 * ballistic.h; K gives the change of y and z by the impact. */
static inline __attribute__((always_inline)) void
bounce(struct ballistic *motion, int contacts, int rank, bool direct,
       int contact, double arrive)
{
    double up = -motion->model.e[contact] * arrive;
    double *restrict y = motion->y, *restrict z = motion->z;
    double *restrict gap = motion->gap, *restrict rate = motion->rate;
    if (direct) {
        const double *K = motion->matrices.K + contact * rank;
        for (int j = 0; j < rank; j++)
            rate[j] = z[j] += K[j] * arrive;
        y[contact] = 0.0;
        z[contact] = up;
    } else {
        const double *row =
            motion->matrices.rows + contact * motion->matrices.stride;
        double push = motion->matrices.law[contact] * arrive;
        for (int k = 0; k < contacts; k++)
            rate[k] += row[k] * push;
    }
    gap[contact] = motion->greatest[contact] = 0.0;
    rate[contact] = up;
    motion->work->rate_terms[contact] = -arrive;
    if (direct)
        return;
    motion->basis =
        contact_basis_enter(motion, motion->basis, contact, motion->greatest);
    contact_basis_derive(motion);
    contact_basis_coordinates(motion);
}

/* -- impacts ----------------------------------------------------------------
 */

/* -- from event to event ----------------------------------------------------
 */

/* How a flight has ended. */
enum flight_end {
    FLIGHT_IMPACT, /* by a single impact of a free system, which is resolved */
    FLIGHT_BEYOND, /* not before `until`: the state has not changed */
    FLIGHT_CLOSED  /* a gap has closed; the impact is left to the caller */
};
/* the flight: its local time, the contact whose gap closes first (-1: none),
 * and the rate at which it does */
struct step {
    double s, arrive;
    int first;
};

static inline __attribute__((always_inline)) enum flight_end
flight(struct ballistic *motion, int contacts, int rank, bool direct,
       bool some_on, double until, struct step *step)
{
    struct ballistic_workspace *work = motion->work;
    const double *gap = motion->gap, *rate = motion->rate,
                 *nal = motion->local.gap_acc;
    double time = INFINITY, arrive = 0.0, u;
    int first = -1;
    work->flight.coasts = false;
    for (int i = 0; i < contacts; i++) {
        if (some_on && motion->mode.persistent[i])
            continue;
        double si = closing(gap[i], rate[i], nal[i], motion->just_hit[i], &u);
        if (si < time) {
            time = si;
            first = i;
            arrive = u;
        }
    }
    *step = (struct step){time, arrive, first};
    double dt = time * work->units.time;
    if (first < 0 || !(dt <= until - motion->t - motion->t_lo))
        return FLIGHT_BEYOND;
    bool other = move(motion, contacts, rank, direct, some_on, first, time);
    ballistic_add_time(motion, dt);
    double e = motion->model.e[first];
    if (other || some_on || !(e * arrive < -DBL_MIN))
        return FLIGHT_CLOSED;
    bounce(motion, contacts, rank, direct, first, arrive);
    motion->impacts++;
    for (int i = 0; i < contacts; i++) {
        motion->event.impulse[i] = 0.0;
        motion->just_hit[i] = false;
    }
    motion->event.impulse[first] =
        -(1.0 + e) * arrive *
        (work->units.rate / motion->matrices.W[first * (contacts + 1)]);
    motion->event.contact = first;
    motion->just_hit[first] = true;
    work->flight.coasts = work->flight.unaccelerated;
    return FLIGHT_IMPACT;
}

/* The flight of a contact that is the only one and was just hit: it comes back
 * to the gap 0 as fast as it left, and nobody asks what happens on the way. The
 * numbers are those of flight(). False: it is not such a flight, and nothing
 * has changed. */
static bool
hop(struct ballistic *motion, double until, struct step *step)
{
    struct ballistic_workspace *work = motion->work;
    double rate = motion->rate[0], al = motion->local.gap_acc[0],
           restitution = motion->model.e[0];
    if (!motion->just_hit[0] || motion->mode.n_persistent ||
        !motion->matrices.direct || motion->gap[0] > 0.0 || !(al < 0.0) ||
        !(rate > 0.0))
        return false;
    double time = -2.0 * rate / al, dt = time * work->units.time;
    if (!(dt <= until - motion->t - motion->t_lo) ||
        !(restitution * -rate < -DBL_MIN))
        return false;
    *step = (struct step){time, -rate, 0};
    ballistic_add_time(motion, dt);
    motion->y[0] = motion->gap[0] = motion->greatest[0] = 0.0;
    motion->z[0] = motion->rate[0] = restitution * rate;
    work->rate_terms[0] = rate;
    motion->event.impulse[0] =
        (1.0 + restitution) * rate * (work->units.rate / motion->matrices.W[0]);
    motion->event.contact = 0;
    motion->impacts++;
    work->flight.coasts = work->flight.unaccelerated;
    return true;
}

static __attribute__((noinline)) enum flight_end
step_of(struct ballistic *motion, double until, struct step *step)
{
    int contacts = motion->model.m, rank = motion->matrices.rank;
    if (motion->mode.n_persistent)
        return flight(motion, contacts, rank, motion->matrices.direct, true,
                      until, step);
    if (motion->matrices.direct) {
        switch (contacts) {
        case 1:
            return flight(motion, 1, 1, true, false, until, step);
        case 2:
            return flight(motion, 2, 2, true, false, until, step);
        case 3:
            return flight(motion, 3, 3, true, false, until, step);
        default:
            return flight(motion, contacts, contacts, true, false, until, step);
        }
    }
    if (contacts == 4 && rank == 3)
        return flight(motion, 4, 3, false, false, until, step);
    return flight(motion, contacts, rank, false, false, until, step);
}

static enum ballistic_event
to_end(struct ballistic *motion, double until)
{
    double left = until - motion->t - motion->t_lo;
    if (left > 0.0) {
        move(motion, motion->model.m, motion->matrices.rank,
             motion->matrices.direct, true, -1,
             times2(left, motion->rate_exponent - motion->length_exponent));
        memset(motion->just_hit, 0, (size_t)motion->model.m);
        motion->t = until;
        motion->t_lo = 0.0;
        ballistic_rescale(motion);
    }
    return BALLISTIC_END;
}

/* no contact closes any more */
static enum ballistic_event
none(struct ballistic *motion, double until)
{
    motion->work->flight.standing = 0;
    ballistic_plain_units(motion);
    return isinf(until) ? BALLISTIC_FREE : to_end(motion, until);
}

/* Adapts the exponents to the sizes after an impact, when it is time. */
static enum ballistic_event
adjust(struct ballistic *motion, double arrive)
{
    struct ballistic_workspace *work = motion->work;
    if (-arrive < work->units.low_rate ||
        work->history.n % BALLISTIC_RESCALE == 0) {
        ballistic_rescale(motion);
        if (-arrive < work->units.low_rate)
            work->units.low_rate = -arrive * 0x1p-40;
    }
    return BALLISTIC_IMPACT;
}

enum ballistic_event
ballistic_run(struct ballistic *motion, double until, long most)
{
    assert(motion && motion->work);
    assert(!motion->work->instant);
    assert(most > 0);
    struct ballistic_workspace *work = motion->work;
    struct step step;
    bool coasts = work->flight.coasts;
    work->flight.all_open = coasts && work->flight.last;
    work->flight.coasts = work->flight.last = false;
    if (work->flight.standing >= BALLISTIC_STANDING)
        return ballistic_stand(motion);
    if (work->flight.all_open)
        return none(motion, until);
    if (coasts &&
        ((work->batch_run && ballistic_batch_take(motion, until, most)) ||
         work->coast(motion, until, most))) {
        work->flight.standing = 0;
        work->flight.coasts = true;
        return adjust(motion, work->flight.arrival);
    }
    if (work->flight.all_open)
        return none(motion, until);
    enum flight_end end = motion->model.m == 1 && hop(motion, until, &step)
                              ? FLIGHT_IMPACT
                              : step_of(motion, until, &step);
    if (end == FLIGHT_BEYOND && ballistic_plain_units(motion))
        end = step_of(motion, until, &step);
    work->flight.standing =
        end != FLIGHT_BEYOND && step.s == 0.0 ? work->flight.standing + 1 : 0;
    if (end == FLIGHT_BEYOND && step.first < 0)
        return none(motion, until);
    if (end == FLIGHT_BEYOND)
        return to_end(motion, until);
    if (end == FLIGHT_CLOSED) {
        int n = ballistic_together(motion, step.s, step.first, work->set.hit);
        if (n == 1 && work->set.hit[0] != step.first) {
            step.first = work->set.hit[0];
            step.arrive = motion->rate[step.first];
        }
        memset(motion->just_hit, 0, (size_t)motion->model.m);
        enum ballistic_event what =
            ballistic_collide(motion, work->set.hit, n, step.arrive);
        if (what != BALLISTIC_IMPACT || n > 1) {
            /* impacts at one instant: no time lies between them */
            if (what == BALLISTIC_SEVERAL || what == BALLISTIC_IMPACT) {
                for (int i = 0; i < n; i++)
                    impact_history_note(motion, work->set.hit[i],
                                        i ? 0.0 : step.s);
                ballistic_rescale(motion);
            }
            work->history.in_a_row = 0;
            return what;
        }
    }
    impact_history_note(motion, step.first, step.s);
    return adjust(motion, step.arrive);
}
