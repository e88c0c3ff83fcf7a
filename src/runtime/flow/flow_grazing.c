/* SPDX-License-Identifier: MIT */
/* Touches without a speed in systems that Taylor series follow: gap and rate
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

/* The sum of the sizes of a polynomial's terms. */
static double
terms(const double *c, int order, double at)
{
    double sum = 0.0;
    for (int k = order; k >= 0; k--)
        sum = sum * at + fabs(c[k]);
    return sum;
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
