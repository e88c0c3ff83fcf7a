/* SPDX-License-Identifier: MIT */
/* Rows of a piece: for how long they hold, where they come to zero, and what
 * follows where a formula changes its branch.
 *
 * Touches without a speed in systems that Taylor series follow: gap and rate
 * come to zero together, within rounding. There is no impact. Whether the
 * contact opens again or stays closed follows, as at any instant, from
 * complementarity between the acceleration of the gap in free motion (positive
 * at a minimum of the gap, negative behind an inflection) and the force that
 * keeps the contact closed (chatter.md, section 1.2). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"

/* The terms that are left out are below the rounding of the state (compare
 * MOTION_TRUNCATION). */
#define TAYLOR_TRUNCATION 4e-16
#define TAYLOR_TRUNCATION_LOG2 (-51.15) /* to ROUGH_ERROR */
/* its logarithm, and one over its root of order MOTION_STEP_ORDER, for which
 * every row would ask */
#define TAYLOR_TRUNCATION_LN (-35.45506712678484)
#define TAYLOR_TRUNCATION_ROOT 5.887040186524746
/* how many orders before the last two are also asked for the radius */
#define TAYLOR_ORDERS_BEFORE 7

/* Numbers below this underflow soon: in a long chain the coordinates far from
 * what moves are powers of the time that no double can hold. They are no
 * motion, and ask for no step. */
#define ROW_UNDERFLOW 0x1p-900

#define FIRST_ASKED (MOTION_STEP_ORDER - TAYLOR_ORDERS_BEFORE)
_Static_assert(TAYLOR_ORDERS_BEFORE + 1 == TAYLOR_ASKED && FIRST_ASKED == 13,
               "orders asked for");
/* a share by which powers and logarithms are not rounded wrong */
#define OUTLASTS_MARGIN 1e-9

/* The logarithm of the least time for which a term of one of the orders that
 * are asked for (rough_least) stays below the truncation of the size. */
static double
row_exponent(const double *row, double size, uint32_t asked)
{
    const double least = TAYLOR_TRUNCATION_LN / MOTION_STEP_ORDER;
    double exponent = INFINITY;
    for (int k = MOTION_STEP_ORDER - 1; k <= MOTION_STEP_ORDER; k++)
        if (row[k] != 0.0 && rough_asks(asked, k))
            exponent = fmin(exponent,
                            log(TAYLOR_TRUNCATION * size / fabs(row[k])) / k);
    for (int k = MOTION_STEP_ORDER - TAYLOR_ORDERS_BEFORE;
         k < MOTION_STEP_ORDER - 1; k++)
        if (row[k] != 0.0 && rough_asks(asked, k))
            exponent = fmin(exponent, log(size / fabs(row[k])) / k + least);
    return exponent;
}

/* The time for which the last two terms of a row stay below the truncation of
 * its size. The size is what the first terms of the row make of it. By
 * symmetry the last two terms can be 0 (a pendulum that is let go at 90
 * degrees has the orders 2, 6, 10 ... only), so the terms before them are
 * asked for the radius of convergence too.
 *
 * `push` is what the forces of closed contacts, which may cancel, add to the
 * rate of change of order `order` (1 for a rate, 2 for a coordinate). What
 * they leave of rest is rounding, so a size counts at least as what they would
 * make of it alone. */
double
taylor_row_time(const double *row, double push, int order)
{
    assert(row != NULL && push >= 0.0 &&
           (order == 1 || order == 2 || order == 0));
    double time = push > 0.0 ? 1.0 : INFINITY, was = NAN;
    struct rough_terms terms;
    rough_terms_make(&terms, row, MOTION_STEP_ORDER - TAYLOR_ORDERS_BEFORE,
                     MOTION_STEP_ORDER, TAYLOR_TRUNCATION_LOG2);
    for (int round = 0; round < 3; round++) {
        double size = fabs(row[0]), power = time;
        if (isfinite(time)) {
            for (int k = 1; k <= 4; k++, power *= time)
                size = fmax(size, fabs(row[k]) * power);
            size = fmax(size, push * time * (order == 1 ? 1.0 : 0.5 * time));
        }
        for (int k = 1; k <= MOTION_STEP_ORDER && size == 0.0; k++)
            size = fabs(row[k]) * (isfinite(time) ? pow(time, k) : 1.0);
        size = fmax(size, ROW_UNDERFLOW);
        if (size == was)
            break; /* so is the time */
        was = size;
        uint32_t asked = rough_least(&terms, size);
        double exponent = row_exponent(row, size, asked);
        time = exp(isfinite(exponent) ? exponent : row_exponent(row, size, 0));
    }
    return time;
}

/* Are the terms that are asked for, times these powers, below the truncation of
 * this size for certain? Two at a time. */
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_mask __attribute__((vector_size(16)));
static bool
all_below(const double *row, const double *power, double size)
{
    const double *asked = row + FIRST_ASKED;
    size *= 1.0 - OUTLASTS_MARGIN;
    if (!(size > ROW_UNDERFLOW))
        return false;
    const pair limit = {size, size};
    pair_mask below = {-1, -1};
    for (int k = 0; k < TAYLOR_ASKED; k += 2) {
        pair c, by;
        memcpy(&c, asked + k, sizeof c);
        memcpy(&by, power + k, sizeof by);
        c *= by;
        below &= (c < limit) & (-c < limit);
    }
    return (below[0] & below[1]) != 0;
}

/* What taylor_row_time takes for the size of a row at this time, or less. */
static double
size_at(const struct taylor_asked *asked, double time)
{
    const double *row = asked->row;
    double size = fabs(row[0]), power = time;
    for (int k = 1; k <= 4; k++, power *= time)
        size = fmax(size, fabs(row[k]) * power);
    return fmax(size,
                asked->push * time * (asked->order == 1 ? 1.0 : 0.5 * time));
}

/* Is the time of the row limit->time or longer for certain? It is so where the
 * size at the beginning, |c_0|, is enough. Where the row grows, taylor_row_time
 * asks three times, each time with the size at the last answer. The answers get
 * longer: if the first is at least 1/16 of the limit, that size makes it at
 * least 1/2, and this one the limit, then so is the third. */
static bool
outlasts(const struct taylor_asked *asked, const struct taylor_limit *limit)
{
    const double *row = asked->row;
    double first = fabs(row[0]), early = limit->time / 16.0;
    if (all_below(row, limit->power, first))
        return true;
    /* the first question is asked at the time 1 where forces push */
    bool begun = asked->push > 0.0 ? early <= 1.0
                                   : all_below(row, limit->sixteenth, first);
    return begun && all_below(row, limit->half, size_at(asked, early)) &&
           all_below(row, limit->power, size_at(asked, 0.5 * limit->time));
}

void
taylor_limit_by(struct taylor_limit *limit, double time)
{
    assert(limit != NULL);
    if (!(time < limit->time))
        return;
    static const double half[TAYLOR_ASKED] = {
        0x1p-13, 0x1p-14, 0x1p-15, 0x1p-16, 0x1p-17, 0x1p-18, 0x1p-19, 0x1p-20};
    limit->time = time;
    double near = time * TAYLOR_TRUNCATION_ROOT;
    for (int k = FIRST_ASKED; k <= MOTION_STEP_ORDER; k++) {
        bool last = k >= MOTION_STEP_ORDER - 1;
        double power = last ? 1.0 / TAYLOR_TRUNCATION : 1.0,
               base = last ? time : near;
        for (int n = k; n > 0; n >>= 1, base *= base)
            power *= n & 1 ? base : 1.0;
        int at = k - FIRST_ASKED;
        limit->power[at] = power;
        limit->half[at] = power * half[at];
        limit->sixteenth[at] =
            power * half[at] * half[at] * half[at] * half[at];
    }
}

/* Lets the limit fall to the time of a row. Does it? */
static bool
limit_row(struct taylor_limit *limit, const struct taylor_asked *asked)
{
    double before = limit->time;
    if (!(limit->time < INFINITY) || !outlasts(asked, limit))
        taylor_limit_by(limit,
                        taylor_row_time(asked->row, asked->push, asked->order));
    return limit->time < before;
}

void
taylor_ask(struct taylor_piece *piece, const double *row, double push,
           int order)
{
    assert(piece != NULL && row != NULL);
    piece->asked[piece->n_asked++] = (struct taylor_asked){row, push, order};
}

void
taylor_limit_asked(struct taylor_piece *piece, struct taylor_limit *limit)
{
    assert(piece != NULL && limit != NULL);
    const double *first = piece->tells;
    for (uint32_t i = 0; i < piece->n_asked && first; i++)
        if (piece->asked[i].row == first)
            limit_row(limit, piece->asked + i);
    for (uint32_t i = 0; i < piece->n_asked; i++)
        if (piece->asked[i].row != first && limit_row(limit, piece->asked + i))
            piece->tells = piece->asked[i].row;
}

/* Is the row nothing but rounding up to `length`? Then a contact is closed
 * without needing a force, or its gap stays closed by itself. */
static bool
none(const double *row, double length, double noise)
{
    /* most often one of the first two terms is more */
    return fabs(row[0]) <= noise && fabs(row[1]) * length <= noise &&
           polynomial_size(row, MOTION_STEP_ORDER, length) <= noise;
}

/* The size of the terms of the acceleration of an open gap: free motion, and
 * what the forces of closed contacts add; 0: none is closed. */
static double
held_acceleration(const struct flow *flow, uint32_t which)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    const struct ballistic *ballistic = taylor->instant;
    double terms = 0.0;
    bool any = false;
    for (size_t i = 0; i < flow->m; i++) {
        double normal = fabs(taylor->piece.force[i * ROW]);
        if (!taylor->contacts.closed[i])
            continue;
        any = true;
        if (!friction) {
            terms += fabs(ballistic->matrices.W[which * flow->m + i]) * normal;
            continue;
        }
        const double *W = friction->rows.W + 4 * (size_t)which * flow->m;
        terms += fabs(W[2 * i]) * normal;
        if (friction->rub[i] >= 0)
            terms += fabs(W[2 * i + 1] * friction->piece.friction[i * ROW]);
    }
    return !any       ? 0.0
           : friction ? terms + friction->rows.terms[2 * (size_t)which]
                      : terms + ballistic->matrices.gap_acc_terms[which];
}

bool
taylor_gap_held(const struct flow *flow, uint32_t which, double length)
{
    assert(flow && which < flow->m && length >= 0.0);
    const struct taylor_flow *taylor = flow->taylor;
    const double *row = taylor->piece.gap + (size_t)which * ROW,
                 eps = TAYLOR_NOISE * DBL_EPSILON;
    double load = eps * held_acceleration(flow, which);
    /* coordinates that are 0 have no rounding of their own */
    double noise =
        eps * (taylor->terms.gap[which] + length * taylor->terms.rate[which]) +
        0.5 * load * length * length;
    return 2.0 * fabs(row[2]) <= load && none(row, length, noise);
}

bool
taylor_falls(const double *row, double length, double noise0, double noise1,
             double *root)
{
    assert(row != NULL && root != NULL && length >= 0.0);
    double divided[ROW];
    if (none(row, length, noise0))
        return false;
    length = polynomial_reach(row, MOTION_STEP_ORDER, length, 0.0);
    int drop = fabs(row[0]) <= noise0 ? (fabs(row[1]) <= noise1 ? 2 : 1) : 0;
    while (drop >= 2 && drop < MOTION_STEP_ORDER && row[drop] == 0.0)
        drop++;
    if (drop == 0 && row[0] < 0.0) {
        *root = 0.0;
        return true;
    }
    for (int k = drop; k <= MOTION_STEP_ORDER; k++)
        divided[k - drop] = row[k];
    if (divided[0] == 0.0 &&
        polynomial_size(divided, MOTION_STEP_ORDER - drop, 1.0) == 0.0)
        return false; /* it was nothing but rounding */
    if (divided[0] < 0.0) {
        *root = 0.0;
        return true;
    }
    if (!polynomial_below(divided, MOTION_STEP_ORDER - drop, 0.0, length, 0.0,
                          root))
        return false;
    polynomial_newton(divided, MOTION_STEP_ORDER - drop, length, root);
    return true;
}

bool
taylor_falls_through(const double *row, double best, double noise0,
                     double noise1, double *root)
{
    assert(row != NULL && root != NULL && best >= 0.0);
    if (!(row[0] > noise0))
        return taylor_falls(row, best, noise0, noise1, root);
    if (polynomial_clearly_above(row, MOTION_STEP_ORDER, best, 0.0))
        return false;
    double noise =
        fmax(noise0, TAYLOR_NOISE * DBL_EPSILON *
                         polynomial_size(row, MOTION_STEP_ORDER, best));
    if (!polynomial_through(row, MOTION_STEP_ORDER, best, noise, root))
        return false;
    polynomial_newton(row, MOTION_STEP_ORDER, best, root);
    return true;
}

bool
taylor_touch(const double *gap, double size, double speed, double length,
             double *touch)
{
    assert(length >= 0.0);
    double rate[ROW], acceleration[ROW], up[ROW], enters, from = 0.0;
    const double eps = TAYLOR_NOISE * DBL_EPSILON;
    if (fabs(gap[0]) <= eps * size && fabs(gap[1]) <= eps * speed) {
        *touch = 0.0;
        return true;
    }
    length = polynomial_reach(gap, MOTION_STEP_ORDER, length, 0.0);
    int rate_order = polynomial_derivative(gap, MOTION_STEP_ORDER, rate),
        acceleration_order =
            polynomial_derivative(rate, rate_order, acceleration);
    /* A gap that bends down all the time has no minimum: where it comes below
     * the rounding after it has been above, it goes on to fall. */
    for (int k = 0; k <= acceleration_order; k++)
        up[k] = -acceleration[k];
    if (polynomial_clearly_above(up, acceleration_order, length, 0.0))
        return false;
    double noise =
        eps * (size + polynomial_size(gap, MOTION_STEP_ORDER, length));
    double still = eps * (speed + polynomial_size(rate, rate_order, length));
    /* nor does one that falls all the time stop before it is closed */
    for (int k = 0; k <= rate_order; k++)
        up[k] = -rate[k];
    if (polynomial_clearly_above(up, rate_order, length, still))
        return false;
    for (int k = 0; k <= MOTION_STEP_ORDER; k++)
        up[k] = -gap[k];
    /* the gap must first leave the rounding of the last touch */
    if (gap[0] <= 2.0 * noise && !polynomial_below(up, MOTION_STEP_ORDER, 0.0,
                                                   length, -2.0 * noise, &from))
        return false;
    if (!polynomial_below(gap, MOTION_STEP_ORDER, from, length, noise, &enters))
        return false;
    /* at an inflection the rounded gap has minima all around */
    if (polynomial_value(acceleration, acceleration_order, enters) > 0.0 &&
        polynomial_below(acceleration, acceleration_order, enters, length, 0.0,
                         touch)) {
        polynomial_newton(acceleration, acceleration_order, length, touch);
        if (fabs(polynomial_value(gap, MOTION_STEP_ORDER, *touch)) <= noise &&
            fabs(polynomial_value(rate, rate_order, *touch)) <= still)
            return true;
    }
    for (int k = 0; k <= rate_order; k++)
        up[k] = -rate[k];
    if (!(polynomial_value(rate, rate_order, enters) < 0.0) ||
        !polynomial_below(up, rate_order, enters, length, 0.0, touch))
        return false;
    polynomial_newton(rate, rate_order, length, touch);
    return fabs(polynomial_value(gap, MOTION_STEP_ORDER, *touch)) <= noise;
}

int
taylor_touched(struct flow *flow, struct flow_event *event)
{
    assert(flow->taylor->next.n_hit == 1);
    struct taylor_flow *taylor = flow->taylor;
    int which = taylor->next.hit[0];
    bool *on = NEW_N(flow->run->arena, bool, 2 * flow->m + 1),
         *fresh = on + flow->m;
    memcpy(on, taylor->contacts.closed, flow->m);
    memcpy(fresh, taylor->contacts.opening, flow->m);
    on[which] = true;
    int st = taylor_instant(flow, on);
    if (st)
        return st;
    ballistic_stick(taylor->instant, on);
    enum ballistic_event what =
        ballistic_instant_impact(taylor->instant, NULL, 0);
    flow_report(flow, taylor->instant, what, event);
    bool slides = taylor->instant->mode.persistent[which];
    event->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED
                  : slides                 ? FLOW_SLIDE
                                           : FLOW_TOUCH;
    event->time = taylor->now;
    event->contact = flow->sys->contact + (uint32_t)which;
    event->impulse = 0.0;
    if (what == BALLISTIC_JAMMED)
        return IMP_OK;
    taylor_take_back(flow);
    taylor_refresh(taylor, fresh, flow->m);
    taylor->contacts.opening[which] = !slides;
    taylor->terms.gap_since[which] = 0.0;
    if (slides)
        taylor_accumulation_forget(taylor);
    return IMP_OK;
}

void
taylor_open_on(struct flow *flow, double length)
{
    assert(flow && length > 0.0);
    struct taylor_flow *taylor = flow->taylor;
    const double eps = TAYLOR_NOISE * DBL_EPSILON;
    bool goes_on = !taylor->friction && taylor->next.what == NEXT_NOTHING;
    for (uint32_t i = 0; i < flow->m; i++) {
        const double *gap = taylor->piece.gap + (size_t)i * ROW;
        double rate[ROW];
        int order = polynomial_derivative(gap, MOTION_STEP_ORDER, rate);
        bool opening = goes_on && taylor->contacts.opening[i] &&
                       fabs(polynomial_value(gap, MOTION_STEP_ORDER, length)) <=
                           eps * taylor->terms.gap[i] &&
                       fabs(polynomial_value(rate, order, length)) <=
                           eps * taylor->terms.rate[i];
        taylor->contacts.opening[i] = opening;
        taylor->contacts.released[i] = false;
    }
}

bool
taylor_begins_to_open(const struct flow *flow, uint32_t which)
{
    assert(flow && which < flow->m);
    const struct taylor_flow *taylor = flow->taylor;
    const double *gap = taylor->piece.gap + (size_t)which * ROW;
    return !taylor->friction && gap[1] == 0.0 &&
           2.0 * fabs(gap[2]) <=
               TAYLOR_NOISE * DBL_EPSILON *
                   taylor->instant->matrices.gap_acc_terms[which];
}

/* -- branches ---------------------------------------------------------------
 *
 * A formula of the motion changes its branch (switching.h). A force that jumps
 * is answered by the next series. A gap whose rate jumps (over a table that is
 * stopped at once, say) opens, or closes with an impact. A gap that jumps
 * itself opens, or lies below the ground; from there no motion follows.
 * Compliant contacts are pressed in, and keep no gap. */

/* Gap and rate have not jumped if they change by less than this many roundings
 * of their terms; the change of branch is passed by some of them. */
#define SWITCH_NOISE 256.0

static int
below(struct flow *flow, uint32_t i)
{
    const imp_contact *contact = rt_contact(flow->run, flow->sys->contact + i);
    char time_text[NUM_TEXT], gap_text[NUM_TEXT];
    struct diag *diag =
        diag_add(flow->run->ds, DIAG_E0737, contact->range_at,
                 "the gap of `%s` jumps below zero at t = %s, to %s",
                 imp_text(flow->run->im, contact->name),
                 rt_told(time_text, flow->taylor->next.time, 9),
                 num_digits(gap_text, flow->instant.gap[i], 6));
    diag_help(flow->run->ds, diag,
              "nothing says how the system gets out of the ground: let the gap "
              "change at a finite rate");
    return IMP_FAILED;
}

/* The sizes of the terms of gap and rate of contact i, and what these have
 * been; flow_instant comes before. Both may vanish where a branch ends, as the
 * speed of a table does where it turns. */
static void
sizes(const struct flow *flow, uint32_t i, double *gap, double *rate)
{
    const struct taylor_flow *taylor = flow->taylor;
    *gap = fabs(flow->instant.c[i]) + taylor->terms.gap_max[i];
    *rate = fabs(flow->instant.drift[i]) + taylor->terms.rate_max[i];
    for (uint32_t j = 0; j < flow->n; j++) {
        *gap += fabs(flow->instant.N[(size_t)i * flow->n + j] * flow->q[j]);
        *rate += fabs(flow->instant.N[(size_t)i * flow->n + j] * flow->v[j]);
    }
    /* the change is passed by roundings of the time, */
    *gap += *rate * fabs(flow->taylor->next.time);
    /* and what a contact holds it holds to rounding */
    *gap += taylor->terms.gap_held[i];
    *rate += taylor->terms.rate_held[i];
}

/* The change lies within so many least steps of the time. */
#define SWITCH_LATE 8.0

/* How far gap and rate of contact i, which are those of env, may lie beside 0
 * by rounding: that of their terms, and what the new branch makes of them in
 * the time by which the change is late. That counts where all has been at rest.
 */
static void
roundings(struct flow *flow, uint32_t i, double *gap, double *rate)
{
    struct rt *run = flow->run;
    double *state = run->env + flow->sys->env_state,
           *time = run->env + run->im->layout.time, now = *time,
           late = SWITCH_LATE * switching_least(run), later[2];
    double *q = arena_copy(run->brief, state, flow->n * sizeof *q);
    const double eps = SWITCH_NOISE * DBL_EPSILON;
    sizes(flow, i, gap, rate);
    *gap *= eps;
    *rate *= eps;
    for (uint32_t j = 0; j < flow->n; j++)
        state[j] += late * state[flow->n + j];
    *time += late;
    if (!system_gap(run, flow->system, i, &later[0], &later[1], NULL)) {
        *gap += fabs(later[0] - flow->instant.gap[i]);
        *rate += fabs(later[1] - flow->instant.rate[i]);
    }
    *time = now;
    memcpy(state, q, flow->n * sizeof *q);
}

/* An energy jumps if it changes by more than this share of what it is made of
 * within so many least steps, and by so many times more than the other energy
 * makes up for. */
#define ENERGY_JUMP 1e-6
#define ENERGY_STEPS 64.0
#define ENERGY_OTHER 8.0
/* or within this share of the piece, where the time is near 0 */
#define ENERGY_SHARE 1e-12
/* what grows from 0 with the root of the time is 1.4 times as much after twice
 * the time */
#define ENERGY_GROWS 1.25

/* Kinetic and potential energy at coordinates q, rates v (NULL: none), and a
 * time. */
static int
energies(struct flow *flow, const double *q, const double *v, double time,
         double *out)
{
    double *env = flow->run->env, *state = env + flow->sys->env_state;
    env[flow->run->im->layout.time] = time;
    memcpy(state, q, flow->n * sizeof *q);
    memset(state + flow->n, 0, flow->n * sizeof *state);
    if (v)
        memcpy(state + flow->n, v, flow->n * sizeof *v);
    return rt_eval(flow->run, flow->sys->energy, NULL, out);
}

static int
energy_jumps(struct flow *flow, bool kinetic)
{
    struct rt *run = flow->run;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + flow->sys->block;
    imp_range where =
        IMP_ARRAY(run->im, block->guards, imp_guard)[flow->taylor->next.guard]
            .range;
    char time_text[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0768, where, "the %s energy of `%s` jumps at t = %s",
        kinetic ? "kinetic" : "potential", imp_text(run->im, flow->sys->name),
        rt_told(time_text, flow->taylor->next.time, 9));
    diag_help(run->ds, diag, "%s",
              kinetic ? "rates would have to jump with it: let masses change "
                        "at a finite rate, and say what happens at once as an "
                        "impact of a contact"
                      : "that is a step without a width, which throws back or "
                        "lets pass: write a wall as a contact, and let a "
                        "potential rise over a length");
    return IMP_FAILED;
}

/* The kinetic energy differs by `change` between `before` and `time`. What is
 * so in twice the time, too, is a jump; what then differs by more has grown
 * with the time, as where a body at rest is taken along. */
static bool
stays_so(struct flow *flow, double before, double time, double change)
{
    double old[2], late[2];
    return energies(flow, flow->q, flow->v, before, old) ||
           energies(flow, flow->q, flow->v, time + (time - before), late) ||
           fabs(late[0] - old[0]) < ENERGY_GROWS * change;
}

/* The same of the potential energy, at one time, from coordinates q on: where a
 * force lifts a body off its rest, it grows by more than the kinetic one. */
static bool
potential_stays(struct flow *flow, const double *q, double before, double time,
                double change)
{
    double old[2], late[2];
    flow->method->at(flow, time + (time - before));
    return energies(flow, q, NULL, time, old) ||
           energies(flow, flow->q, NULL, time, late) ||
           fabs(late[1] - old[1]) < ENERGY_GROWS * change;
}

/* Does an energy jump at the change of branch ahead? No acceleration shows
 * that: the motion would go on as if nothing had happened. A potential may jump
 * in time, but not where the coordinates pass. */
static int
energies_ahead(struct flow *flow)
{
    const struct taylor_flow *taylor = flow->taylor;
    struct rt *run = flow->run;
    double time = taylor->next.time, now = rt_time(run), at[5][2];
    run->env[run->im->layout.time] = time;
    double back = fmax(ENERGY_STEPS * switching_least(run),
                       ENERGY_SHARE * (time - taylor->now)),
           before = fmax(taylor->now, time - back);
    double *q = NEW_N(run->brief, double, 2 * (size_t)flow->n),
           *v = q + flow->n;
    flow->method->at(flow, before);
    memcpy(q, flow->q, flow->n * sizeof *q);
    memcpy(v, flow->v, flow->n * sizeof *v);
    flow->method->at(flow, time);
    /* with the same rates; at one time; without rates; as it was */
    bool known = !energies(flow, flow->q, flow->v, time, at[0]) &&
                 !energies(flow, q, flow->v, before, at[1]) &&
                 !energies(flow, q, flow->v, time, at[2]) &&
                 !energies(flow, q, NULL, before, at[3]) &&
                 !energies(flow, q, v, before, at[4]);
    run->env[run->im->layout.time] = now;
    if (!known)
        return IMP_OK; /* the next series meets what is not finite */
    double kinetic = fabs(at[0][0] - at[1][0]),
           potential = fabs(at[0][1] - at[2][1]),
           moved = fabs(at[0][0] - at[4][0]);
    double size = fmax(fmax(fabs(at[0][0]), fabs(at[1][0])), fabs(at[3][0]));
    bool jumps =
        kinetic > ENERGY_JUMP * size && stays_so(flow, before, time, kinetic);
    size = fabs(at[0][0]) + fabs(at[0][1]) + fabs(at[2][1]);
    bool steps = !jumps && potential > ENERGY_JUMP * size &&
                 potential > ENERGY_OTHER * moved &&
                 potential_stays(flow, q, before, time, potential);
    run->env[run->im->layout.time] = now;
    return jumps || steps ? energy_jumps(flow, jumps) : IMP_OK;
}

int
taylor_switch_ahead(struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_next_event *next = &taylor->next;
    double *env = flow->run->env, *time = env + flow->run->im->layout.time,
           now = *time;
    int st = energies_ahead(flow);
    if (st)
        return st;
    flow->method->at(flow, next->time);
    *time = next->time;
    for (uint32_t j = 0; j < flow->n; j++) {
        env[flow->sys->env_state + j] = flow->q[j];
        env[flow->sys->env_state + flow->n + j] = flow->v[j];
    }
    st = flow_instant(flow);
    for (uint32_t i = 0; i < flow->m && !st; i++) {
        double gap, rate;
        taylor_hold_terms(flow, i, next->time - taylor->now);
        if (friction_soft(flow, i))
            continue;
        roundings(flow, i, &gap, &rate);
        if (flow->instant.gap[i] < -gap)
            st = below(flow, i);
        else if (taylor->contacts.closed[i] && next->what == NEXT_NOTHING &&
                 (flow->instant.gap[i] > gap || flow->instant.rate[i] > rate)) {
            next->what = NEXT_OPENS;
            next->hit[0] = (int)i;
            next->n_hit = 1;
        }
    }
    *time = now;
    return st;
}

bool
taylor_gaps_turn(struct flow *flow, bool *still, bool *opens)
{
    assert(flow && still && opens);
    bool any = false;
    if (switching_count(flow->run, flow->sys->block) == 0)
        return false;
    flow_read_state(flow);
    for (uint32_t i = 0; i < flow->m; i++) {
        double gap, rate, now = flow->instant.rate[i];
        if (!still[i] || friction_soft(flow, i))
            continue;
        roundings(flow, i, &gap, &rate);
        if (fabs(now) <= rate)
            continue;
        still[i] = flow->taylor->contacts.closed[i] = false;
        opens[i] = now > 0.0;
        any = true;
    }
    return any;
}

int
taylor_switched(struct flow *flow, struct flow_event *event)
{
    assert(flow->taylor->next.guard >= 0);
    struct taylor_flow *taylor = flow->taylor;
    int which = taylor->next.guard;
    taylor->next.guard = -1;
    /* A limit that was predicted without this change holds no longer. */
    if (!taylor->branches.changed_before[which])
        taylor_accumulation_doubt(taylor);
    taylor->branches.changed[which] = true;
    int st = taylor_instant(flow, taylor->contacts.closed);
    if (st)
        return st;
    flow->last.n_contacts = 0;
    for (uint32_t which_contact = 0; which_contact < flow->m; which_contact++) {
        double gap, rate;
        flow_read_state(flow);
        roundings(flow, which_contact, &gap, &rate);
        bool opens = flow->instant.gap[which_contact] > gap ||
                     flow->instant.rate[which_contact] > rate;
        if (!taylor->contacts.closed[which_contact] ||
            friction_soft(flow, which_contact) ||
            (!opens && flow->instant.rate[which_contact] >= -rate))
            continue;
        /* Either the contact opens, or the body that comes will hit it. */
        taylor->contacts.closed[which_contact] = false;
        taylor->contacts.opening[which_contact] =
            flow->instant.gap[which_contact] <= gap && opens;
        if (!opens || flow->last.n_contacts)
            continue;
        flow->last.contacts[flow->last.n_contacts] =
            flow->sys->contact + which_contact;
        flow->last.impulse[flow->last.n_contacts++] = 0.0;
        event->kind = FLOW_LEAVE;
        event->contact = flow->sys->contact + which_contact;
        event->n = 1;
    }
    return IMP_OK;
}
