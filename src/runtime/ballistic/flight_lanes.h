/* SPDX-License-Identifier: MIT */
/* Flights without acceleration from one single impact to the next: the inner
 * loop of every accumulation and of every sweep. This is the one body of them;
 * lanes.c, lanes_avx2.c, coast_two.c and the linear period maps are made of
 * it. flight.c follows all other flights; where both apply they give the same
 * numbers to the last bit.
 *
 * A vector of the processor has LANES numbers. What they stand for is the
 * layout: LANES_OF_CONTACTS, one motion, a vector holds several contacts;
 * LANES_OF_RUNS, several motions from one start that differ in their
 * restitutions, a vector holds one contact of each. In both a state is an
 * array of `rows` vectors, and numbers of a whole motion (a time, the size of
 * y) stand in every lane of a vector. Only the functions under "layouts" know
 * which layout it is.
 *
 * Rates do not change during a flight, so each impact also makes the rates of
 * the next arrival. What counts for speed is the way from the rates through a
 * division, the least time and the impact back to the rates: nothing else may
 * wait on it. So numbers of the contact that is hit are picked by its mask and
 * not by its number, and what is seldom needed is a branch. Lanes beyond the
 * last contact have an infinite gap and no rate. */
#ifndef IMP_RUNTIME_BALLISTIC_FLIGHT_LANES_H
#define IMP_RUNTIME_BALLISTIC_FLIGHT_LANES_H

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/simd.h"

enum lanes_layout { LANES_OF_CONTACTS, LANES_OF_RUNS };

/* What is constant where a flight is compiled. direct: y are the gaps. */
struct lanes_shape {
    enum lanes_layout layout;
    int m, rows, rank;
    bool direct;
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
    const struct contact_basis *basis; /* LANES_OF_CONTACTS */
    struct lanes_matrices *own;        /* LANES_OF_RUNS */
    lanes gap[BALLISTIC_LANES], rate[BALLISTIC_LANES];
    lanes greatest[BALLISTIC_LANES], terms[BALLISTIC_LANES];
    lanes_truth hit[BALLISTIC_LANES]; /* by the last impact */
};

/* One flight and its impact. */
struct lanes_step {
    lanes s;          /* local time of the flight */
    lanes arrive, up; /* rate of the contact before and after its impact */
    lanes_truth hit[BALLISTIC_LANES];
    lanes_truth go; /* it is a single impact of a free system */
    lanes gap[BALLISTIC_LANES], greatest[BALLISTIC_LANES];
    /* LANES_OF_CONTACTS: number of the contact, bits of the others; bits of
     * gaps that are closed */
    int contact;
    uint64_t others, closed;
};

/* -- layouts --------------------------------------------------------------- */

LANES_INLINE lanes
lanes_row(const double *x, int row)
{
    return lanes_load(x + LANES * row);
}
/* of numbers that are `apart`, that of the contact that is hit */
LANES_INLINE lanes
lanes_picked(int contacts, const lanes_truth *hit, const lanes *x, int apart)
{
    lanes s = x[0];
    for (int i = 1; i < contacts; i++)
        s = lanes_select(hit[i], x[i * apart], s);
    return s;
}
/* the same of numbers that all runs share */
LANES_INLINE lanes
lanes_picked_of(int contacts, const lanes_truth *hit, const double *x,
                int apart)
{
    lanes s = lanes_of(x[0]);
    for (int i = 1; i < contacts; i++)
        s = lanes_select(hit[i], lanes_of(x[i * apart]), s);
    return s;
}
/* F y: gaps or rates from y or z, without their offsets */
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
/* the greatest over all contacts of the motion, of one that is the greatest in
 * each lane */
LANES_INLINE lanes
lanes_overall(struct lanes_shape sh, lanes most)
{
    return sh.layout == LANES_OF_RUNS ? most : lanes_most(most);
}
/* the rate at which the contact arrives, and the one that its law leaves */
LANES_INLINE void
lanes_arrive(struct lanes_shape sh, const struct lanes_state *state,
             struct lanes_step *step)
{
    if (sh.layout == LANES_OF_RUNS) {
        step->arrive = lanes_picked(sh.m, step->hit, state->rate, 1);
        step->up =
            -lanes_picked(sh.m, step->hit, state->own->e, 1) * step->arrive;
    } else {
        double arrive = lanes_at(state->rate, step->contact);
        step->arrive = lanes_of(arrive);
        step->up = lanes_of(-state->motion->model.e[step->contact] * arrive);
    }
}
/* A gap beside that of the impact that is closed within BALLISTIC_CLOSED of
 * its greatest value: then it is no single impact. */
LANES_INLINE void
lanes_note_closed(struct lanes_shape sh, struct lanes_step *step, int row)
{
    /* an infinite gap gives NaN here, which counts as open */
    lanes_truth is = lanes_at_most(
        step->gap[row] - BALLISTIC_CLOSED * step->greatest[row], lanes_of(0.0));
    if (sh.layout == LANES_OF_RUNS)
        step->go &= ~lanes_not(step->hit[row], is);
    else
        step->closed |= lanes_bits(is) << LANES * row;
}
/* direct: what a unit rate of the contact does to that of contacts `row` */
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
/* what a unit change of the contact's rate, which its impulse makes, does to
 * the rates of contacts `row` */
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
/* the change of the contact's rate */
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
    if (sh.layout == LANES_OF_CONTACTS) {
        const struct contact_basis *basis = state->basis;
        int contact = step->contact;
        if (sh.rows > 1) {
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

/* -- the flight ------------------------------------------------------------ */

/* Local time until the first gap closes, and whose it is. go: it is one
 * contact alone, later than now. The contact that was hit last opens. Times are
 * negative here, so that none has to change its sign. */
LANES_INLINE void
lanes_first(struct lanes_shape sh, const struct lanes_state *state,
            struct lanes_step *step)
{
    lanes closing[BALLISTIC_LANES], most = lanes_of(-INFINITY);
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

/* LANES_OF_CONTACTS: the same for a contact that is known to be the next */
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
lanes_fly_all(struct lanes_shape sh, const struct lanes_state *state,
              struct lanes_step *step)
{
    for (int i = 0; i < sh.rows; i++) {
        step->gap[i] = state->gap[i] + state->rate[i] * step->s;
        step->greatest[i] = lanes_greater(state->greatest[i], step->gap[i]);
        lanes_note_closed(sh, step, i);
    }
}

/* The flight to the contact that lanes_first has found. st->go: it is a single
 * impact; the state has not changed yet. */
LANES_INLINE void
lanes_fly(struct lanes_shape sh, const struct lanes_state *state,
          struct lanes_step *step)
{
    step->closed = 0;
    lanes_fly_all(sh, state, step);
    lanes_arrive(sh, state, step);
    step->go &= lanes_below(lanes_of(DBL_MIN), step->up);
    if (sh.layout == LANES_OF_CONTACTS && SELDOM(step->closed & step->others))
        step->go = lanes_all(false);
}

/* -- the impact ------------------------------------------------------------ */

/* the impact at the end of the flight: the state after it */
LANES_INLINE void
lanes_impact(struct lanes_shape sh, struct lanes_state *state,
             const struct lanes_step *step)
{
    lanes push = sh.direct ? step->arrive : lanes_push(sh, state, step);
    for (int i = 0; i < sh.rows; i++) {
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
    lanes_derive(sh, state, false, state->rate);
    lanes_derive(sh, state, true, state->gap);
}

#endif
