/* SPDX-License-Identifier: MIT */
/* Flights from one single impact to the next: the one body of all flights and
 * of their impacts. lanes.c, lanes_avx2.c, coast_two.c and the linear period
 * maps follow flights without acceleration with it: the inner loop of every
 * accumulation and of every sweep. flight.c follows all others. Where two of
 * them apply they give the same numbers to the last bit.
 *
 * A vector of the processor has LANES numbers. What they stand for is the
 * layout: LANES_OF_CONTACTS, one motion, a vector holds several contacts;
 * LANES_OF_RUNS, several motions from one start that differ in their
 * restitutions, a vector holds one contact of each; LANES_IN_PLACE, one motion
 * of any number of contacts, a vector has one lane and lies in the arrays of
 * the motion, and a flight changes them. The last one begins at any state, and
 * gaps may accelerate or be closed. In all of them a state is an array of
 * `rows` vectors, and numbers of a whole motion (a time, the size of y) stand
 * in every lane of a vector. Which layout it is, only the functions under
 * "layouts" know; flights, impacts and choices in place are under "one motion
 * in place", because they have no masks of contacts.
 *
 * Without acceleration, rates do not change during a flight, so each impact
 * also makes the rates of the next arrival. What counts for speed is the way
 * from the rates through a division, the least time and the impact back to the
 * rates: nothing else may wait on it. So numbers of the contact that is hit are
 * picked by its mask and not by its number, and what is seldom needed is a
 * branch. Lanes beyond the last contact have an infinite gap and no rate. */
#ifndef IMP_RUNTIME_BALLISTIC_FLIGHT_LANES_H
#define IMP_RUNTIME_BALLISTIC_FLIGHT_LANES_H

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/simd.h"

/* A file that defines FLIGHTS_IN_PLACE follows flights in the arrays of the
 * motion. The layout is known where a file is compiled, so that the states of
 * all others have their own arrays, which compilers keep in registers. */
enum lanes_layout { LANES_OF_CONTACTS, LANES_OF_RUNS, LANES_IN_PLACE };
#ifdef FLIGHTS_IN_PLACE
#define LANES_ROWS(name) *name
#else
#define LANES_ROWS(name) name[BALLISTIC_LANES]
#endif

/* What is constant where a flight is compiled. direct: y are the gaps.
 * some_closed: contacts may be closed (LANES_IN_PLACE). light: gaps accelerate,
 * too little to change a number (coast_run.h). */
struct lanes_shape {
    enum lanes_layout layout;
    int m, rows, rank;
    bool direct, some_closed, light;
};

/* LANES_OF_RUNS: the numbers of each run's own restitutions; law is -(1 + e),
 * K what it does to rates (direct). Otherwise the one contact outside the
 * basis of each run, and what it has of the others (contact_basis.c). */
struct lanes_matrices {
    lanes e[BALLISTIC_LANES], law[BALLISTIC_LANES];
    lanes K[BALLISTIC_LANES * BALLISTIC_LANES];
    lanes_truth outside[BALLISTIC_LANES];
    lanes share[BALLISTIC_LANES], offset;
};

/* The state. Gaps and rates outside the basis follow from the others after each
 * impact. */
struct lanes_state {
    const struct ballistic *motion;
    const struct contact_basis *basis; /* one motion */
    struct lanes_matrices *own;        /* LANES_OF_RUNS */
    struct ballistic *in_place;        /* LANES_IN_PLACE: motion */
    lanes LANES_ROWS(gap), LANES_ROWS(rate);
    lanes LANES_ROWS(greatest), LANES_ROWS(terms);
    lanes_truth hit[BALLISTIC_LANES]; /* by the last impact; not in place */
};

/* One flight and its impact. */
struct lanes_step {
    lanes s;          /* local time of the flight */
    lanes arrive, up; /* rate of the contact before and after its impact */
    lanes_truth hit[BALLISTIC_LANES]; /* not in place */
    lanes_truth go;                   /* a single impact of a free system */
    lanes LANES_ROWS(gap), LANES_ROWS(greatest);
    /* One motion: number of the contact; bits of the others, bits of gaps that
     * are closed; in place, one bit for all others. */
    int contact;
    uint64_t others, closed;
};

/* -- layouts --------------------------------------------------------------- */

LANES_INLINE lanes
lanes_row(const double *x, int row)
{
    return lanes_load(x + LANES * row);
}
/* Returns, of numbers that are `apart`, that of the contact that is hit. */
LANES_INLINE lanes
lanes_picked(int contacts, const lanes_truth *hit, const lanes *x, int apart)
{
    lanes s = x[0];
    for (int i = 1; i < contacts; i++)
        s = lanes_select(hit[i], x[i * apart], s);
    return s;
}
/* Returns the same of numbers that all runs share. */
LANES_INLINE lanes
lanes_picked_of(int contacts, const lanes_truth *hit, const double *x,
                int apart)
{
    lanes s = lanes_of(x[0]);
    for (int i = 1; i < contacts; i++)
        s = lanes_select(hit[i], lanes_of(x[i * apart]), s);
    return s;
}
/* Returns F y: gaps or rates from y or z, without their offsets. */
LANES_INLINE lanes
lanes_from(const struct contact_matrices *matrices, int rank, const lanes *y,
           int row)
{
    lanes s = lanes_row(matrices->Ft, row) * y[0];
    for (int j = 1; j < rank; j++)
        s += lanes_row(matrices->Ft + j * matrices->stride, row) * y[j];
    return s;
}
/* The sum over all contacts, where rows hold contacts: those of each fourth
 * contact come first. */
LANES_INLINE lanes
lanes_total(int rows, const lanes *x)
{
    lanes sum[4 / LANES];
    for (int i = 0; i < 4 / LANES; i++)
        sum[i] = lanes_of(0.0);
    for (int i = 0; i < rows; i++)
        sum[i % (4 / LANES)] += x[i];
#if LANES == 4
    lanes two = sum[0] + LANES_HALVES(sum[0]);
    return two + LANES_NEXT(two);
#elif LANES == 2
    lanes two = sum[0] + sum[1];
    return two + LANES_NEXT(two);
#else
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
#endif
}
/* Gaps (rates) of contacts outside the basis from those inside. apart: with the
 * offsets of gaps. */
LANES_INLINE void
lanes_derive(struct lanes_shape sh, const struct lanes_state *state, bool apart,
             lanes *x)
{
    if (sh.layout == LANES_OF_RUNS) {
        lanes sum[4];
        for (int i = 0; i < 4; i++)
            sum[i] = lanes_of(0.0);
        for (int i = 0; i < sh.m; i++)
            sum[i & 3] += state->own->share[i] * x[i];
        lanes s = (sum[0] + sum[2]) + (sum[1] + sum[3]);
        if (apart)
            s += state->own->offset;
        for (int i = 0; i < sh.m; i++)
            x[i] = lanes_select(state->own->outside[i], s, x[i]);
        return;
    }
    const struct contact_basis *basis = state->basis;
    int stride = state->motion->matrices.stride;
    lanes kept[BALLISTIC_LANES], part[BALLISTIC_LANES];
    for (int i = 0; i < sh.rows; i++) {
        lanes_truth inside;
        memcpy(&inside, basis->inside + LANES * i, sizeof inside);
        kept[i] = lanes_where(inside, x[i]);
    }
    for (int k = 0; k < sh.m - sh.rank; k++) {
        for (int i = 0; i < sh.rows; i++)
            part[i] = lanes_row(basis->share + k * stride, i) * kept[i];
        lanes s = lanes_total(sh.rows, part);
        if (apart)
            s += lanes_of(
                contact_basis_offset(basis, k, state->motion->length_exponent));
        for (int i = 0; i < sh.rows; i++)
            x[i] = lanes_select(lanes_alone(basis->outside[k] - LANES * i), s,
                                x[i]);
    }
}
/* All gaps and rates outside the basis, and what else follows from the gaps. */
LANES_INLINE void
lanes_follow(struct lanes_shape sh, struct lanes_state *state)
{
    if (sh.layout == LANES_IN_PLACE) {
        state->in_place->basis = state->basis;
        contact_basis_derive(state->in_place);
        contact_basis_coordinates(state->in_place);
        return;
    }
    lanes_derive(sh, state, false, state->rate);
    lanes_derive(sh, state, true, state->gap);
}
/* Returns the greatest over all contacts of the motion, of one that is the
 * greatest in each lane. */
LANES_INLINE lanes
lanes_overall(struct lanes_shape sh, lanes most)
{
    return sh.layout == LANES_OF_RUNS ? most : lanes_most(most);
}
/* Sets the rate at which the contact arrives, and the one that its law leaves.
 */
LANES_INLINE void
lanes_arrive(struct lanes_shape sh, const struct lanes_state *state,
             struct lanes_step *step)
{
    if (sh.layout == LANES_OF_RUNS) {
        step->arrive = lanes_picked(sh.m, step->hit, state->rate, 1);
        step->up =
            -lanes_picked(sh.m, step->hit, state->own->e, 1) * step->arrive;
        return;
    }
    /* in place, lanes_first has found the rate */
    if (sh.layout == LANES_OF_CONTACTS)
        step->arrive = lanes_of(lanes_at(state->rate, step->contact));
    step->up = lanes_of(-state->motion->model.e[step->contact]) * step->arrive;
}
/* A gap beside that of the impact that is closed within BALLISTIC_CLOSED of
 * its greatest value: then it is no single impact. */
LANES_INLINE void
lanes_note_closed(struct lanes_shape sh, struct lanes_step *step, int row,
                  lanes gap, lanes greatest)
{
    /* an infinite gap gives NaN here, which counts as open */
    lanes_truth is =
        lanes_at_most(gap - BALLISTIC_CLOSED * greatest, lanes_of(0.0));
    if (sh.layout == LANES_OF_CONTACTS)
        step->closed |= lanes_bits(is) << LANES * row;
    else if (sh.layout == LANES_IN_PLACE)
        step->closed |= lanes_bits(is) & (row != step->contact);
    else
        step->go &= ~lanes_not(step->hit[row], is);
}
/* Returns what a unit rate of the contact does to that of contacts `row`
 * (direct). */
LANES_INLINE lanes
lanes_response(struct lanes_shape sh, const struct lanes_state *state,
               const struct lanes_step *step, int row)
{
    const struct contact_matrices *matrices = &state->motion->matrices;
    return sh.layout == LANES_OF_RUNS
               ? lanes_picked(sh.m, step->hit, state->own->K + row, sh.m)
               : lanes_row(matrices->rows + step->contact * matrices->stride,
                           row);
}
/* Returns what a unit change of the contact's rate, which its impulse makes,
 * does to the rates of contacts `row`. */
LANES_INLINE lanes
lanes_coupling(struct lanes_shape sh, const struct lanes_state *state,
               const struct lanes_step *step, int row)
{
    const struct contact_matrices *matrices = &state->motion->matrices;
    return sh.layout == LANES_OF_RUNS
               ? lanes_picked_of(sh.m, step->hit, matrices->rows + row,
                                 matrices->stride)
               : lanes_row(matrices->rows + step->contact * matrices->stride,
                           row);
}
/* Returns the change of the contact's rate. */
LANES_INLINE lanes
lanes_push(struct lanes_shape sh, const struct lanes_state *state,
           const struct lanes_step *step)
{
    return sh.layout == LANES_OF_RUNS
               ? lanes_picked(sh.m, step->hit, state->own->law, 1) *
                     step->arrive
               : lanes_of(state->motion->matrices.law[step->contact]) *
                     step->arrive;
}
/* The basis that has not been made yet. No pivot: the basis stays. */
LANES_INLINE const struct contact_basis *
lanes_exchange(const struct ballistic *motion,
               const struct contact_basis *basis, int contact, int leaves,
               lanes pivot)
{
    return lanes_at(&pivot, leaves) > 0.0
               ? contact_basis_exchange(motion, basis, contact, leaves)
               : basis;
}
/* Contacts that have been hit enter the basis (contact_basis_enter). */
LANES_INLINE void
lanes_enter(struct lanes_shape sh, struct lanes_state *state,
            const struct lanes_step *step)
{
    struct lanes_matrices *own = state->own;
    if (sh.layout != LANES_OF_RUNS) {
        const struct contact_basis *basis = state->basis;
        int contact = step->contact;
        if (sh.rows > 1 || sh.layout == LANES_IN_PLACE) {
            state->basis = contact_basis_enter(state->motion, basis, contact,
                                               (const double *)state->greatest);
            return;
        }
        /* without a branch: whether the contact is outside cannot be foreseen
         */
        lanes pivot =
            lanes_load(basis->pivot + contact * state->motion->matrices.stride);
        lanes size = lanes_select(lanes_below(lanes_of(0.0), pivot),
                                  pivot * state->greatest[0], lanes_of(-1.0));
        uint64_t most = lanes_bits(lanes_equal(size, lanes_most(size)));
        if (SELDOM(!most)) /* an error that is no number */
            return;
        int leaves = __builtin_ctzll(most);
        const struct contact_basis *next = basis->next[contact * sh.m + leaves];
        state->basis = SELDOM(!next) ? lanes_exchange(state->motion, basis,
                                                      contact, leaves, pivot)
                                     : next;
        return;
    }
    lanes_truth enters = lanes_all(false);
    for (int i = 0; i < sh.m; i++)
        enters |= own->outside[i] & step->hit[i];
    if (!lanes_bits(enters))
        return;
    const struct contact_bases *bases = state->motion->matrices.bases;
    lanes most = lanes_of(-1.0);
    lanes_truth leaves[BALLISTIC_LANES];
    for (int i = 0; i < sh.m; i++) {
        lanes size = lanes_abs(own->share[i]) * state->greatest[i];
        lanes_truth more = lanes_below(most, size) &
                           lanes_below(lanes_of(0.0), lanes_abs(own->share[i]));
        most = lanes_select(more, size, most);
        for (int j = 0; j < i; j++)
            leaves[j] = lanes_not(more, leaves[j]);
        leaves[i] = more;
    }
    for (int i = 0; i < sh.m; i++) {
        lanes share = lanes_picked_of(sh.m, leaves, bases->alone + i, sh.m);
        own->outside[i] =
            (enters & leaves[i]) | lanes_not(enters, own->outside[i]);
        own->share[i] = lanes_select(enters, share, own->share[i]);
    }
    lanes offset = lanes_picked_of(sh.m, leaves, bases->alone_offset, 1);
    own->offset = lanes_select(
        enters, offset * lanes_of(power2(-state->motion->length_exponent)),
        own->offset);
}

/* -- one motion in place --------------------------------------------------- */

/* Local time until a gap closes again that opens with `rate`, which is not
 * negative. *arrive is its rate then. */
LANES_INLINE double
lanes_return(double rate, double acc, double *arrive)
{
    *arrive = -rate;
    return -2.0 * rate / acc;
}

/* Local time until a gap closes; INFINITY: never. *arrive is its rate then.
 * fresh: the contact was just hit. */
LANES_INLINE double
lanes_closing(double gap, double rate, double acc, bool fresh, double *arrive)
{
    *arrive = rate;
    if (!(gap > 0.0)) {
        if (rate < 0.0 && !fresh)
            return 0.0;
        if (!(acc < 0.0))
            return INFINITY;
        /* The contact opens; its rate is negative only by rounding. */
        return lanes_return(rate < 0.0 ? 0.0 : rate, acc, arrive);
    }
    if (acc == 0.0)
        return rate < 0.0 ? -gap / rate : (double)INFINITY;
    double disc = rate * rate - 2.0 * acc * gap;
    if (!(disc >= 0.0) || (acc > 0.0 && !(rate < 0.0)) || isinf(gap))
        return INFINITY;
    if (acc > 0.0 && disc <= 8.0 * DBL_EPSILON * rate * rate)
        return INFINITY; /* Within rounding the gap touches 0 without a rate, so
                            it does not close. */
    double root = sqrt(disc);
    *arrive = -root;
    return rate > 0.0 ? (rate + root) / -acc : 2.0 * gap / (root - rate);
}

/* In place: local time until the first gap closes (INFINITY: never), whose it
 * is (-1: none), the lowest of several, and its rate then. */
LANES_INLINE void
lanes_first_in_place(struct lanes_shape sh, const struct lanes_state *state,
                     struct lanes_step *step)
{
    const struct ballistic *motion = state->motion;
    double least = INFINITY, arrive = 0.0, its_arrive;
    step->contact = -1;
    for (int i = 0; i < sh.m; i++) {
        if (sh.some_closed && motion->mode.persistent[i])
            continue;
        double time = lanes_closing(
            lanes_at(state->gap, i), lanes_at(state->rate, i),
            motion->local.gap_acc[i], motion->just_hit[i], &its_arrive);
        if (time < least) {
            least = time;
            step->contact = i;
            arrive = its_arrive;
        }
    }
    step->s = lanes_of(least);
    step->arrive = lanes_of(arrive);
    step->go = lanes_all(!sh.some_closed);
    step->others = 1;
}

/* Moves all gaps and rates on by a flight in place. Those of contacts that are
 * closed stay, but all of y move. */
LANES_INLINE void
lanes_fly_in_place(struct lanes_shape sh, struct lanes_state *state,
                   struct lanes_step *step)
{
    struct ballistic *motion = state->in_place;
    lanes *restrict gap = state->gap, *restrict rate = state->rate,
                    *restrict greatest = state->greatest;
    double *y = motion->y, *z = motion->z;
    const double *gap_acc = motion->local.gap_acc, *y_acc = motion->local.y_acc;
    lanes half_time = 0.5 * step->s;
    for (int j = 0; j < sh.rows && sh.direct; j++) {
        lanes acc = lanes_row(y_acc, j), was = lanes_row(z, j);
        lanes_store(y + LANES * j,
                    lanes_row(y, j) + (was + acc * half_time) * step->s);
        lanes_store(z + LANES * j, was + acc * step->s);
    }
    for (int i = 0; i < sh.rows; i++) {
        if (sh.some_closed && motion->mode.persistent[i])
            continue;
        lanes was = gap[i], now, now_rate;
        if (sh.direct) {
            now = lanes_row(y, i);
            now_rate = lanes_row(z, i);
        } else {
            lanes acc = lanes_row(gap_acc, i);
            now = was + (rate[i] + acc * half_time) * step->s;
            now_rate = rate[i] + acc * step->s;
        }
        lanes most = lanes_greater(greatest[i], lanes_greater(was, now));
        gap[i] = now;
        rate[i] = now_rate;
        greatest[i] = most;
        lanes_note_closed(sh, step, i, now, most);
    }
}

/* The impact in place, but for what follows from the gaps. direct: y and z are
 * the gaps and rates. */
LANES_INLINE void
lanes_impact_in_place(struct lanes_shape sh, struct lanes_state *state,
                      const struct lanes_step *step, lanes push)
{
    lanes *restrict rate = state->rate;
    double *restrict y = state->in_place->y, *restrict z = state->in_place->z;
    int contact = step->contact;
    for (int i = 0; i < sh.rows; i++) {
        lanes response = sh.direct ? lanes_response(sh, state, step, i)
                                   : lanes_coupling(sh, state, step, i);
        lanes after = (sh.direct ? lanes_row(z, i) : rate[i]) + response * push;
        rate[i] = after;
        if (sh.direct)
            lanes_store(z + LANES * i, after);
    }
    rate[contact] = step->up;
    state->terms[contact] = -step->arrive;
    state->gap[contact] = state->greatest[contact] = lanes_of(0.0);
    if (sh.direct) {
        lanes_store(y + contact, lanes_of(0.0));
        lanes_store(z + contact, step->up);
    }
}

/* -- the flight ------------------------------------------------------------ */

/* Local time until the first gap closes, and whose it is. go: it is one contact
 * alone, later than now; in place, no contact is closed. The contact that was
 * hit last opens. Times are negative here, so that none has to change its sign.
 */
LANES_INLINE void
lanes_first(struct lanes_shape sh, const struct lanes_state *state,
            struct lanes_step *step)
{
    lanes closing[BALLISTIC_LANES], most = lanes_of(-INFINITY);
    if (sh.layout == LANES_IN_PLACE) {
        lanes_first_in_place(sh, state, step);
        return;
    }
    for (int i = 0; i < sh.rows; i++) {
        lanes_truth closes = lanes_not(
            state->hit[i], lanes_below(state->rate[i], lanes_of(0.0)));
        closing[i] = lanes_select(closes, state->gap[i] / state->rate[i],
                                  lanes_of(-INFINITY));
        most = i ? lanes_greater(closing[i], most) : closing[i];
    }
    most = lanes_overall(sh, most);
    step->s = -most;
    step->go = lanes_below(lanes_of(0.0), step->s);
    if (sh.layout == LANES_OF_RUNS) {
        lanes_truth one = lanes_all(false), more = one;
        for (int i = 0; i < sh.rows; i++) {
            step->hit[i] = lanes_equal(closing[i], most);
            more |= one & step->hit[i];
            one |= step->hit[i];
        }
        step->go &= lanes_not(more, one);
        return;
    }
    uint64_t bits = 0, all = ~UINT64_C(0) >> (64 - sh.m);
    for (int i = 0; i < sh.rows; i++) {
        step->hit[i] = lanes_equal(closing[i], most);
        bits |= lanes_bits(step->hit[i]) << LANES * i;
    }
    if (SELDOM(!bits) || SELDOM(bits & (bits - 1)))
        step->go = lanes_all(false);
    else
        step->contact = __builtin_ctzll(bits);
    step->others = all & ~bits;
}

/* Does the same for a contact that is known to be the next one
 * (LANES_OF_CONTACTS). */
LANES_INLINE void
lanes_towards(struct lanes_shape sh, const struct lanes_state *state,
              int contact, struct lanes_step *step)
{
    assert(contact >= 0 && contact < sh.m);
    double s = -lanes_at(state->gap, contact) / lanes_at(state->rate, contact);
    step->s = lanes_of(s);
    step->go = lanes_all(s > 0.0 && s < INFINITY);
    for (int i = 0; i < sh.rows; i++)
        step->hit[i] = lanes_alone(contact - LANES * i);
    step->contact = contact;
    step->others = ~UINT64_C(0) >> (64 - sh.m) & ~(UINT64_C(1) << contact);
}

LANES_INLINE void
lanes_fly_all(struct lanes_shape sh, struct lanes_state *state,
              struct lanes_step *step)
{
    if (sh.layout == LANES_IN_PLACE) {
        lanes_fly_in_place(sh, state, step);
        return;
    }
    for (int i = 0; i < sh.rows; i++) {
        step->gap[i] = state->gap[i] + state->rate[i] * step->s;
        step->greatest[i] = lanes_greater(state->greatest[i], step->gap[i]);
        lanes_note_closed(sh, step, i, step->gap[i], step->greatest[i]);
    }
}

/* The flight to the contact that lanes_first has found. step->go: it is a
 * single impact. The state has not changed yet; in place it is the state at the
 * end of the flight. */
LANES_INLINE void
lanes_fly(struct lanes_shape sh, struct lanes_state *state,
          struct lanes_step *step)
{
    step->closed = 0;
    lanes_fly_all(sh, state, step);
    lanes_arrive(sh, state, step);
    step->go &= lanes_below(lanes_of(DBL_MIN), step->up);
    if (sh.layout != LANES_OF_RUNS && SELDOM(step->closed & step->others))
        step->go = lanes_all(false);
}

/* -- the impact ------------------------------------------------------------ */

/* Makes the state after the impact at the end of the flight. */
LANES_INLINE void
lanes_impact(struct lanes_shape sh, struct lanes_state *state,
             const struct lanes_step *step)
{
    lanes push = sh.direct ? step->arrive : lanes_push(sh, state, step);
    if (sh.layout == LANES_IN_PLACE)
        lanes_impact_in_place(sh, state, step, push);
    for (int i = 0; i < sh.rows && sh.layout != LANES_IN_PLACE; i++) {
        lanes response = sh.direct ? lanes_response(sh, state, step, i)
                                   : lanes_coupling(sh, state, step, i);
        state->rate[i] = lanes_select(step->hit[i], step->up,
                                      state->rate[i] + response * push);
        state->terms[i] =
            lanes_select(step->hit[i], -step->arrive, state->terms[i]);
        state->gap[i] = lanes_unless(step->hit[i], step->gap[i]);
        state->greatest[i] = lanes_unless(step->hit[i], step->greatest[i]);
        state->hit[i] = step->hit[i];
    }
    if (sh.direct)
        return;
    lanes_enter(sh, state, step);
    lanes_follow(sh, state);
}

#endif
