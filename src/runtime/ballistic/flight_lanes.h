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

/* LANES_OF_RUNS: the matrices in every lane, as far as they are used; K is of
 * the run's own restitutions (direct: m x m) or the same for all (m x rank) */
struct lanes_matrices {
    lanes e[BALLISTIC_LANES];
    lanes K[BALLISTIC_LANES * BALLISTIC_LANES];
    lanes F[BALLISTIC_LANES * BALLISTIC_LANES];
    lanes root[BALLISTIC_LANES], offset[BALLISTIC_LANES];
};

/* The state. The rate of the contact that was hit last is what the law of
 * impact says until the end of the next flight. */
struct lanes_state {
    const struct ballistic *motion;
    const struct lanes_matrices *own; /* LANES_OF_RUNS */
    lanes gap[BALLISTIC_LANES], rate[BALLISTIC_LANES];
    lanes greatest[BALLISTIC_LANES], terms[BALLISTIC_LANES];
    lanes next[BALLISTIC_LANES]; /* rates at the end of the next flight */
    lanes of_z[BALLISTIC_LANES]; /* rates as they follow from z */
    lanes y[BALLISTIC_LANES], z[BALLISTIC_LANES];
    lanes y_size, z_size;             /* sums of |y|, |z| */
    lanes_truth carried;              /* a gap is carried by itself */
    lanes_truth hit[BALLISTIC_LANES]; /* by the last impact */
};

/* One flight and its impact. */
struct lanes_step {
    lanes s;          /* local time of the flight */
    lanes arrive, up; /* rate of the contact before and after its impact */
    lanes_truth hit[BALLISTIC_LANES];
    lanes_truth go; /* it is a single impact of a free system */
    lanes_truth carried;
    lanes y[BALLISTIC_LANES], gap[BALLISTIC_LANES], greatest[BALLISTIC_LANES];
    lanes of_y[BALLISTIC_LANES]; /* gaps as they follow from y */
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
LANES_INLINE lanes
lanes_root(struct lanes_shape sh, const struct lanes_state *state, int row)
{
    return sh.layout == LANES_OF_RUNS
               ? state->own->root[row]
               : lanes_row(state->motion->matrices.root, row);
}
LANES_INLINE lanes
lanes_offset(struct lanes_shape sh, const struct lanes_state *state, int row)
{
    return sh.layout == LANES_OF_RUNS
               ? state->own->offset[row]
               : lanes_row(state->motion->local.gap_offset, row);
}
/* F y: gaps or rates from y or z, without their offsets */
LANES_INLINE lanes
lanes_from(struct lanes_shape sh, const struct lanes_state *state,
           const lanes *y, int row)
{
    const struct contact_matrices *matrices = &state->motion->matrices;
    bool runs = sh.layout == LANES_OF_RUNS;
    const lanes *F = runs ? state->own->F + row * sh.rank : NULL;
    lanes s = (runs ? F[0] : lanes_row(matrices->Ft, row)) * y[0];
    for (int j = 1; j < sh.rank; j++)
        s += (runs ? F[j]
                   : lanes_row(matrices->Ft + j * matrices->stride, row)) *
             y[j];
    return s;
}
/* is it so for any contact of the motion? */
LANES_INLINE lanes_truth
lanes_any(struct lanes_shape sh, lanes_truth is)
{
    return sh.layout == LANES_OF_RUNS ? is : lanes_all(lanes_bits(is) != 0);
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
    lanes_truth is =
        lanes_at_most(step->gap[row], BALLISTIC_CLOSED * step->greatest[row]);
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
/* The impact changes z by K times the change of the contact's rate, and y by
 * -K times the gap that y leaves it (K of ballistic.h). */
LANES_INLINE void
lanes_impulse(struct lanes_shape sh, struct lanes_state *state,
              const struct lanes_step *step)
{
    const struct contact_matrices *matrices = &state->motion->matrices;
    if (sh.layout == LANES_OF_RUNS) {
        lanes down = lanes_picked(sh.m, step->hit, step->of_y, 1);
        lanes push = step->up - lanes_picked(sh.m, step->hit, state->of_z, 1);
        for (int j = 0; j < sh.rank; j++) {
            lanes k = lanes_picked(sh.m, step->hit, state->own->K + j, sh.rank);
            state->z[j] += k * push;
            state->y[j] = step->y[j] - k * down;
        }
        return;
    }
    lanes push[BALLISTIC_LANES];
    lanes down = lanes_of(lanes_at(step->of_y, step->contact));
    const double *K = matrices->K + step->contact * sh.rank;
    for (int v = 0; v < sh.rows; v++)
        push[v] = -lanes_row(state->motion->model.e, v) * state->rate[v] -
                  state->of_z[v];
    for (int j = 0; j < sh.rank; j++) {
        const double *Kt = matrices->Kt + j * matrices->stride;
        lanes k = lanes_where(step->hit[0], lanes_row(Kt, 0) * push[0]);
        for (int v = 1; v < sh.rows; v++)
            k = lanes_either(
                k, lanes_where(step->hit[v], lanes_row(Kt, v) * push[v]));
        state->z[j] += lanes_spread(k);
        state->y[j] = step->y[j] - lanes_of(K[j]) * down;
    }
}
/* what the impulse of the contact does to the rates of contacts `row`: W_row,h
 * times q */
LANES_INLINE lanes
lanes_coupling(struct lanes_shape sh, const struct lanes_state *state,
               const struct lanes_step *step, int row)
{
    const struct contact_matrices *matrices = &state->motion->matrices;
    return sh.layout == LANES_OF_RUNS
               ? lanes_picked_of(sh.m, step->hit, matrices->W + row, sh.m)
               : lanes_row(matrices->rows + step->contact * matrices->stride,
                           row);
}
LANES_INLINE lanes
lanes_own_coupling(struct lanes_shape sh, const struct lanes_state *state,
                   const struct lanes_step *step)
{
    const double *W = state->motion->matrices.W;
    return sh.layout == LANES_OF_RUNS
               ? lanes_picked_of(sh.m, step->hit, W, sh.m + 1)
               : lanes_of(W[step->contact * (sh.m + 1)]);
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
            state->hit[i], lanes_below(state->next[i], lanes_of(0.0)));
        closing[i] = lanes_select(closes, state->gap[i] / state->next[i],
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
lanes_fly_direct(struct lanes_shape sh, const struct lanes_state *state,
                 struct lanes_step *step)
{
    for (int i = 0; i < sh.rows; i++) {
        step->gap[i] = state->gap[i] + state->rate[i] * step->s;
        step->greatest[i] = lanes_greater(state->greatest[i], step->gap[i]);
        lanes_note_closed(sh, step, i);
    }
}

/* Gaps follow from y, so that they stay gaps of one state; but a gap that is
 * small beside y is carried on by itself, and keeps its digits. */
LANES_INLINE void
lanes_fly_general(struct lanes_shape sh, const struct lanes_state *state,
                  struct lanes_step *step)
{
    for (int j = 0; j < sh.rank; j++)
        step->y[j] = state->y[j] + state->z[j] * step->s;
    lanes size = lanes_sizes(step->y, sh.rank), top = size;
    lanes_truth fallen = lanes_below(size, BALLISTIC_FALL * state->y_size);
    if (SELDOM(lanes_bits(fallen))) {
        step->go &= ~(
            fallen & state->carried); /* These lanes stop here, and
                                         projection_regain goes on with them. */
        top = lanes_select(fallen, state->y_size, size);
    }
    step->carried = lanes_all(false);
    for (int row = 0; row < sh.rows; row++) {
        lanes root = lanes_root(sh, state, row),
              offset = lanes_offset(sh, state, row);
        lanes full = size * root + lanes_abs(offset);
        lanes of_y = lanes_from(sh, state, step->y, row) + offset;
        lanes kept = state->gap[row] + state->rate[row] * step->s;
        lanes_truth known =
            lanes_below(lanes_abs(kept), BALLISTIC_MINOR * full);
        known = lanes_not(step->hit[row], known);
        step->of_y[row] = step->gap[row] = of_y;
        step->greatest[row] =
            lanes_greater(state->greatest[row], top * root + lanes_abs(offset));
        if (SELDOM(lanes_bits(known))) {
            step->gap[row] = lanes_select(known, kept, of_y);
            step->greatest[row] =
                lanes_select(known, state->greatest[row], step->greatest[row]);
            step->carried |= lanes_any(sh, known);
        }
        step->greatest[row] =
            lanes_greater(step->greatest[row], step->gap[row]);
        lanes_note_closed(sh, step, row);
    }
}

/* The flight to the contact that lanes_first has found. st->go: it is a single
 * impact; the state has not changed yet. */
LANES_INLINE void
lanes_fly(struct lanes_shape sh, const struct lanes_state *state,
          struct lanes_step *step)
{
    step->closed = 0;
    if (sh.direct)
        lanes_fly_direct(sh, state, step);
    else
        lanes_fly_general(sh, state, step);
    lanes_arrive(sh, state, step);
    step->go &= lanes_below(lanes_of(DBL_MIN), step->up);
    if (sh.layout == LANES_OF_CONTACTS && SELDOM(step->closed & step->others))
        step->go = lanes_all(false);
}

/* -- the impact ------------------------------------------------------------ */

LANES_INLINE void
lanes_impact_direct(struct lanes_shape sh, struct lanes_state *state,
                    const struct lanes_step *step)
{
    for (int i = 0; i < sh.rows; i++) {
        lanes u =
            state->next[i] + lanes_response(sh, state, step, i) * step->arrive;
        state->next[i] = lanes_select(step->hit[i], step->up, u);
        state->terms[i] =
            lanes_select(step->hit[i], -step->arrive, state->terms[i]);
    }
}

/* rates where some may be so small that they are carried by themselves */
LANES_INLINE void
lanes_small_rates(struct lanes_shape sh, struct lanes_state *state,
                  lanes_truth small, const struct lanes_step *step)
{
    lanes q = (step->up - step->arrive) / lanes_own_coupling(sh, state, step);
    for (int i = 0; i < sh.rows; i++) {
        lanes root = lanes_root(sh, state, i), full = state->z_size * root;
        lanes u = state->next[i] + lanes_coupling(sh, state, step, i) * q;
        u = lanes_select(step->hit[i], step->up, u);
        lanes size = lanes_select(step->hit[i], -step->arrive, state->terms[i]);
        lanes_truth known =
            lanes_below(lanes_abs(u), BALLISTIC_MINOR * state->z_size * root);
        known &= small;
        state->next[i] = lanes_select(known, u, state->of_z[i]);
        state->terms[i] = lanes_select(known, size, full);
    }
}

LANES_INLINE void
lanes_impact_general(struct lanes_shape sh, struct lanes_state *state,
                     const struct lanes_step *step)
{
    lanes was = state->z_size;
    lanes_impulse(sh, state, step);
    state->y_size = lanes_sizes(state->y, sh.rank);
    state->carried = step->carried;
    lanes size = state->z_size = lanes_sizes(state->z, sh.rank);
    lanes_truth small = lanes_all(false);
    for (int i = 0; i < sh.rows; i++) {
        lanes rough =
            (size + was) * (BALLISTIC_ROUGH * lanes_root(sh, state, i));
        state->of_z[i] = lanes_from(sh, state, state->z, i);
        small |= lanes_below(lanes_abs(state->of_z[i]), rough);
    }
    if (SELDOM(lanes_bits(small))) {
        lanes_small_rates(sh, state, lanes_any(sh, small), step);
        return;
    }
    for (int i = 0; i < sh.rows; i++) {
        state->next[i] = state->of_z[i];
        state->terms[i] = size * lanes_root(sh, state, i);
    }
}

/* the impact at the end of the flight: the state after it */
LANES_INLINE void
lanes_impact(struct lanes_shape sh, struct lanes_state *state,
             const struct lanes_step *step)
{
    if (sh.direct)
        lanes_impact_direct(sh, state, step);
    else
        lanes_impact_general(sh, state, step);
    for (int i = 0; i < sh.rows; i++) {
        state->rate[i] = lanes_select(step->hit[i], step->up, state->next[i]);
        state->gap[i] = lanes_unless(step->hit[i], step->gap[i]);
        state->greatest[i] = lanes_unless(step->hit[i], step->greatest[i]);
        state->hit[i] = step->hit[i];
    }
}

#endif
