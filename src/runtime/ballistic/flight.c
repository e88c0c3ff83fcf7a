/* SPDX-License-Identifier: MIT */
/* A ballistic motion from event to event: flights that begin at any state, with
 * acceleration or with closed contacts, and their single impacts. They are an
 * instance of flight_lanes.h, in the arrays of the motion. The next impact is
 * the least root of the quadratic polynomials of the gaps. A contact that was
 * just hit has a gap of exactly 0 and the rate of its law, so its impact is
 * never found again. */
#define LANES 1
#define FLIGHTS_IN_PLACE
#include "runtime/ballistic/flight_lanes.h"

/* The next flights are taken for light (coast_run.h) where the rate of arrival
 * is so many times what acceleration has made of it. */
#define FLIGHT_LIGHT 0x1p60

/* How a flight has ended. */
enum flight_end {
    FLIGHT_IMPACT, /* by a single impact of a free system, which is resolved */
    FLIGHT_BEYOND, /* not before `until`: the state has not changed */
    FLIGHT_CLOSED  /* a gap has closed; the impact is left to the caller */
};

/* What is asked of a flight: its local time, the contact whose gap closes first
 * (-1: none), and the rate at which it does. */
struct flown {
    double s, arrive;
    int contact;
};

/* -- one flight ------------------------------------------------------------ */

/* Lets the flight work in the arrays of the motion. */
LANES_INLINE void
begin(struct ballistic *motion, struct lanes_state *state,
      struct lanes_step *step)
{
    state->motion = state->in_place = motion;
    state->basis = motion->basis;
    state->gap = step->gap = motion->gap;
    state->rate = motion->rate;
    state->greatest = step->greatest = motion->greatest;
    state->terms = motion->work->rate_terms;
}

/* Does the flight end at or before the time `until`? */
LANES_INLINE bool
ends_before(const struct ballistic *motion, double until, double dt)
{
    return dt <= until - motion->t - motion->t_lo;
}

/* Resolves the single impact at the end of the flight, and notes it, but for
 * just_hit. */
LANES_INLINE enum flight_end
impact(struct lanes_shape sh, struct ballistic *motion,
       struct lanes_state *state, const struct lanes_step *step)
{
    struct ballistic_workspace *work = motion->work;
    int contact = step->contact;
    lanes_impact(sh, state, step);
    for (int i = 0; i < sh.m && sh.m > 1; i++)
        motion->event.impulse[i] = 0.0;
    motion->event.impulse[contact] =
        -(1.0 + motion->model.e[contact]) * step->arrive *
        (work->units.rate / motion->matrices.W[contact * (sh.m + 1)]);
    motion->event.contact = contact;
    motion->impacts++;
    work->flight.coasts =
        work->flight.unaccelerated ||
        (work->flight.may_be_light &&
         fabs(motion->local.gap_acc[contact]) * step->s * FLIGHT_LIGHT <=
             -step->arrive);
    return FLIGHT_IMPACT;
}

LANES_INLINE enum flight_end
flight(struct lanes_shape sh, struct ballistic *motion, double until,
       struct flown *flown)
{
    struct lanes_state state;
    struct lanes_step step;
    begin(motion, &state, &step);
    motion->work->flight.coasts = false;
    lanes_first(sh, &state, &step);
    *flown = (struct flown){step.s, step.arrive, step.contact};
    double dt = step.s * motion->work->units.time;
    if (step.contact < 0 || !ends_before(motion, until, dt))
        return FLIGHT_BEYOND;
    lanes_fly(sh, &state, &step);
    ballistic_add_time(motion, dt);
    if (lanes_bits(step.go)) {
        for (int i = 0; i < sh.m && sh.m > 1; i++)
            motion->just_hit[i] = false;
        motion->just_hit[step.contact] = true;
        return impact(sh, motion, &state, &step);
    }
    contact_basis_coordinates(motion);
    return FLIGHT_CLOSED;
}

/* The flight of a contact that is the only one and was just hit: it comes back
 * to the gap 0 as fast as it left, and nobody asks what happens on the way. The
 * numbers are those of flight(). False: it is not such a flight, and nothing
 * has changed. */
static bool
hop(struct ballistic *motion, double until, struct flown *flown)
{
    const struct lanes_shape sh = {
        .layout = LANES_IN_PLACE, .m = 1, .rows = 1, .rank = 1, .direct = true};
    struct lanes_state state;
    struct lanes_step step;
    double rate = motion->rate[0], acc = motion->local.gap_acc[0];
    if (!motion->just_hit[0] || motion->mode.n_persistent ||
        !motion->matrices.direct || motion->gap[0] > 0.0 || !(acc < 0.0) ||
        !(rate > 0.0))
        return false;
    begin(motion, &state, &step);
    step.s = lanes_return(rate, acc, &step.arrive);
    step.contact = 0;
    lanes_arrive(sh, &state, &step);
    double dt = step.s * motion->work->units.time;
    if (!ends_before(motion, until, dt) || !(step.up > DBL_MIN))
        return false;
    *flown = (struct flown){step.s, step.arrive, 0};
    ballistic_add_time(motion, dt);
    impact(sh, motion, &state, &step);
    return true;
}

/* -- flights with constant numbers of contacts and ranks ------------------- */

/* All contacts are open. */
LANES_INLINE enum flight_end
flight_open(struct ballistic *motion, int contacts, int rank, bool direct,
            double until, struct flown *flown)
{
    return flight((struct lanes_shape){.layout = LANES_IN_PLACE,
                                       .m = contacts,
                                       .rows = contacts,
                                       .rank = rank,
                                       .direct = direct},
                  motion, until, flown);
}

/* Any number of contacts, of which some may be closed. */
LANES_INLINE struct lanes_shape
any_shape(const struct ballistic *motion)
{
    int contacts = motion->model.m;
    return (struct lanes_shape){.layout = LANES_IN_PLACE,
                                .m = contacts,
                                .rows = contacts,
                                .rank = motion->matrices.rank,
                                .direct = motion->matrices.direct,
                                .some_closed = true};
}

static __attribute__((noinline)) enum flight_end
step_of(struct ballistic *motion, double until, struct flown *flown)
{
    int contacts = motion->model.m, rank = motion->matrices.rank;
    if (motion->mode.n_persistent)
        return flight(any_shape(motion), motion, until, flown);
    if (motion->matrices.direct) {
        switch (contacts) {
        case 1:
            return flight_open(motion, 1, 1, true, until, flown);
        case 2:
            return flight_open(motion, 2, 2, true, until, flown);
        case 3:
            return flight_open(motion, 3, 3, true, until, flown);
        default:
            return flight_open(motion, contacts, contacts, true, until, flown);
        }
    }
    if (contacts == 4 && rank == 3)
        return flight_open(motion, 4, 3, false, until, flown);
    return flight_open(motion, contacts, rank, false, until, flown);
}

/* -- from event to event --------------------------------------------------- */

/* Flies on to the time `until` without any impact. */
static enum ballistic_event
to_end(struct ballistic *motion, double until)
{
    double left = until - motion->t - motion->t_lo;
    if (left > 0.0) {
        struct lanes_state state;
        struct lanes_step step;
        begin(motion, &state, &step);
        step.s = times2(left, motion->rate_exponent - motion->length_exponent);
        step.contact = -1;
        step.go = lanes_all(false);
        lanes_fly_all(any_shape(motion), &state, &step);
        contact_basis_coordinates(motion);
        memset(motion->just_hit, 0, (size_t)motion->model.m);
        motion->t = until;
        motion->t_lo = 0.0;
        ballistic_rescale(motion);
    }
    return BALLISTIC_END;
}

/* Ends the motion: no contact closes any more. */
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

/* Counts the impacts in a row that come without a flight. */
static inline void
stand(struct ballistic_workspace *work, double s)
{
    work->flight.standing = s == 0.0 ? work->flight.standing + 1 : 0;
}

/* Notes a single impact. */
static inline enum ballistic_event
single(struct ballistic *motion, struct flown flown)
{
    impact_history_note(motion, flown.contact, flown.s);
    return adjust(motion, flown.arrive);
}

/* Resolves the impact at the end of a flight at which other gaps may be closed,
 * too. Returns whether it was an impact at one contact alone, which is still to
 * be noted; otherwise *what is the event. */
static __attribute__((noinline)) bool
collide(struct ballistic *motion, struct flown *flown,
        enum ballistic_event *what)
{
    struct ballistic_workspace *work = motion->work;
    int *hit = work->set.hit;
    int hits = ballistic_together(motion, flown->s, flown->contact, hit);
    if (hits == 1 && hit[0] != flown->contact) {
        flown->contact = hit[0];
        flown->arrive = motion->rate[flown->contact];
    }
    memset(motion->just_hit, 0, (size_t)motion->model.m);
    *what = ballistic_collide(motion, hit, hits, flown->arrive);
    if (*what == BALLISTIC_IMPACT && hits == 1)
        return true;
    /* impacts at one instant: no time lies between them */
    if (*what == BALLISTIC_SEVERAL || *what == BALLISTIC_IMPACT) {
        for (int i = 0; i < hits; i++)
            impact_history_note(motion, hit[i], i ? 0.0 : flown->s);
        ballistic_rescale(motion);
    }
    work->history.in_a_row = 0;
    return false;
}

enum ballistic_event
ballistic_run(struct ballistic *motion, double until, long most)
{
    assert(motion && motion->work);
    assert(!motion->work->instant);
    assert(most > 0);
    struct ballistic_workspace *work = motion->work;
    struct flown flown, hopped;
    bool coasts = work->flight.coasts;
    work->flight.before = 0;
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
    if (motion->model.m == 1 && hop(motion, until, &hopped)) {
        stand(work, hopped.s);
        return single(motion, hopped);
    }
    enum flight_end end = step_of(motion, until, &flown);
    if (end == FLIGHT_BEYOND && ballistic_plain_units(motion))
        end = step_of(motion, until, &flown);
    if (end == FLIGHT_BEYOND) {
        work->flight.standing = 0;
        return flown.contact < 0 ? none(motion, until) : to_end(motion, until);
    }
    stand(work, flown.s);
    if (end == FLIGHT_CLOSED) {
        enum ballistic_event what;
        if (!collide(motion, &flown, &what))
            return what;
    }
    return single(motion, flown);
}
