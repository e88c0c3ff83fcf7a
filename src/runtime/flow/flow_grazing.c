/* SPDX-License-Identifier: MIT */
/* Touches without a speed in systems that Taylor series follow: a gap comes to
 * zero, within its rounding, where its rate is zero, too. There is no impact.
 * Whether the contact opens again or slides from there on follows, as at any
 * instant, from complementarity: the gap's acceleration of free motion, which
 * is positive where the gap has a minimum, negative behind an inflection, or
 * the force that keeps it closed (spec/chatter.md 1.2). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_taylor_priv.h"
#include "runtime/numerics/polynomial.h"

/* sum of the sizes of a polynomial's terms at h */
static double
terms(const double *c, int n, double h)
{
    double s = 0.0;
    for (int k = n; k >= 0; k--)
        s = s * h + fabs(c[k]);
    return s;
}

bool
taylor_touch(const double *g, double size, double speed, double h, double *s)
{
    double d[ROW], d2[ROW], up[ROW], a, from = 0.0;
    const double eps = TAYLOR_NOISE * DBL_EPSILON;
    if (fabs(g[0]) <= eps * size && fabs(g[1]) <= eps * speed) {
        *s = 0.0;
        return true;
    }
    int n = polynomial_derivative(g, MOTION_STEP_ORDER, d),
        n2 = polynomial_derivative(d, n, d2);
    double noise = eps * (size + terms(g, MOTION_STEP_ORDER, h));
    double still = eps * (speed + terms(d, n, h));
    for (int k = 0; k <= MOTION_STEP_ORDER; k++)
        up[k] = -g[k];
    /* out of the rounding of the last one first */
    if (g[0] <= 2.0 * noise &&
        !polynomial_below(up, MOTION_STEP_ORDER, 0.0, h, -2.0 * noise, &from))
        return false;
    if (!polynomial_below(g, MOTION_STEP_ORDER, from, h, noise, &a))
        return false;
    /* an inflection: the rounding of the gap has minima around it */
    if (polynomial_value(d2, n2, a) > 0.0 &&
        polynomial_below(d2, n2, a, h, 0.0, s)) {
        polynomial_newton(d2, n2, h, s);
        if (fabs(polynomial_value(g, MOTION_STEP_ORDER, *s)) <= noise &&
            fabs(polynomial_value(d, n, *s)) <= still)
            return true;
    }
    for (int k = 0; k <= n; k++)
        up[k] = -d[k];
    if (!(polynomial_value(d, n, a) < 0.0) ||
        !polynomial_below(up, n, a, h, 0.0, s))
        return false;
    polynomial_newton(d, n, h, s);
    return fabs(polynomial_value(g, MOTION_STEP_ORDER, *s)) <= noise;
}

int
taylor_touched(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    int c = taylor->hit[0];
    bool *on = NEW_N(flow->r->arena, bool, 2 * flow->m + 1),
         *fresh = on + flow->m;
    memcpy(on, taylor->on, flow->m);
    memcpy(fresh, taylor->fresh, flow->m);
    on[c] = true;
    int st = taylor_instant(flow, on);
    if (st)
        return st;
    ballistic_stick(taylor->instant, on);
    enum ballistic_event what =
        ballistic_instant_impact(taylor->instant, NULL, 0);
    flow_report(flow, taylor->instant, what, event);
    bool slides = taylor->instant->on[c];
    event->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED
                  : slides                 ? FLOW_SLIDE
                                           : FLOW_TOUCH;
    event->time = taylor->now;
    event->contact = flow->s->contact + (uint32_t)c;
    event->impulse = 0.0;
    if (what == BALLISTIC_JAMMED)
        return IMP_OK;
    taylor_take_back(flow);
    taylor_refresh(taylor, fresh, flow->m);
    taylor->fresh[c] = !slides;
    taylor->most[c] = 0.0;
    if (slides)
        taylor_accumulation_forget(taylor);
    return IMP_OK;
}
