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
series_touch(const double *g, double size, double speed, double h, double *s)
{
    double d[ROW], d2[ROW], up[ROW], a, from = 0.0;
    const double eps = SERIES_NOISE * DBL_EPSILON;
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
series_touched(struct flow *f, struct flow_event *e)
{
    struct series_way *w = f->series;
    int c = w->hit[0];
    bool *on = NEW_N(f->r->arena, bool, 2 * f->m + 1), *fresh = on + f->m;
    memcpy(on, w->on, f->m);
    memcpy(fresh, w->fresh, f->m);
    on[c] = true;
    int st = series_look(f, on);
    if (st)
        return st;
    ballistic_stick(w->instant, on);
    enum ballistic_event what = ballistic_instant_impact(w->instant, NULL, 0);
    flow_tell(f, w->instant, what, e);
    bool slides = w->instant->on[c];
    e->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED
              : slides                 ? FLOW_SLIDE
                                       : FLOW_TOUCH;
    e->time = w->now;
    e->contact = f->s->contact + (uint32_t)c;
    e->impulse = 0.0;
    if (what == BALLISTIC_JAMMED)
        return IMP_OK;
    series_take_back(f);
    series_refresh(w, fresh, f->m);
    w->fresh[c] = !slides;
    w->most[c] = 0.0;
    if (slides)
        series_forget(w);
    return IMP_OK;
}
