/* SPDX-License-Identifier: MIT */
/* Rows of a piece: for how long they hold, and where they come to zero.
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
#include "runtime/flow/flow_taylor_priv.h"
#include "runtime/numerics/polynomial.h"

/* The terms that are left out are below the rounding of the state (compare
 * MOTION_TRUNCATION). */
#define TAYLOR_TRUNCATION 4e-16
/* how many orders before the last two are also asked for the radius */
#define TAYLOR_ORDERS_BEFORE 7

/* The sum of the sizes of a polynomial's terms. */
static double
terms(const double *c, int order, double at)
{
    double sum = 0.0;
    for (int k = order; k >= 0; k--)
        sum = sum * at + fabs(c[k]);
    return sum;
}

/* Numbers below this underflow soon: in a long chain the coordinates far from
 * what moves are powers of the time that no double can hold. They are no motion,
 * and ask for no step. */
#define ROW_UNDERFLOW 0x1p-900

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
    const double least = log(TAYLOR_TRUNCATION) / MOTION_STEP_ORDER;
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
        double exponent = INFINITY; /* of the time */
        for (int k = MOTION_STEP_ORDER - 1; k <= MOTION_STEP_ORDER; k++)
            if (row[k] != 0.0)
                exponent = fmin(
                    exponent, log(TAYLOR_TRUNCATION * size / fabs(row[k])) / k);
        for (int k = MOTION_STEP_ORDER - TAYLOR_ORDERS_BEFORE;
             k < MOTION_STEP_ORDER - 1; k++)
            if (row[k] != 0.0)
                exponent = fmin(exponent, log(size / fabs(row[k])) / k + least);
        time = exp(exponent);
    }
    return time;
}

/* Is the row nothing but rounding up to `length`? Then a contact is closed
 * without needing a force, or its gap stays closed by itself. */
static bool
none(const double *row, double length, double noise)
{
    double size = 0.0;
    for (int k = MOTION_STEP_ORDER; k >= 0; k--)
        size = size * length + fabs(row[k]);
    return size <= noise;
}

bool
taylor_falls(const double *row, double length, double noise0, double noise1,
             double *root)
{
    assert(row != NULL && root != NULL && length >= 0.0);
    double divided[ROW];
    if (none(row, length, noise0))
        return false;
    int drop = fabs(row[0]) <= noise0 ? (fabs(row[1]) <= noise1 ? 2 : 1) : 0;
    drop += drop == 2 && row[2] == 0.0;
    if (drop == 0 && row[0] < 0.0) {
        *root = 0.0;
        return true;
    }
    for (int k = drop; k <= MOTION_STEP_ORDER; k++)
        divided[k - drop] = row[k];
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
    int rate_order = polynomial_derivative(gap, MOTION_STEP_ORDER, rate),
        acceleration_order =
            polynomial_derivative(rate, rate_order, acceleration);
    double noise = eps * (size + terms(gap, MOTION_STEP_ORDER, length));
    double still = eps * (speed + terms(rate, rate_order, length));
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
