/* SPDX-License-Identifier: MIT */
/* The gap near a touch as a polynomial in time: how long its series holds,
 * whether an entry into the band |gap| <= tolerance is a crossing, a
 * tangential touch or a C00, and at which time it happens. The time of a
 * triple root is that of the simple root of g'', the time of a double root
 * that of g' (Palffy-Muhoray et al. 2018, tangential.md 0.F). */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/events/event_priv.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"

/* The terms left out of the polynomial of a gap stay below this share of the
 * tolerance of the gap. */
#define ROOT_TRUNCATION 1e-2
/* The terms of the polynomial stay below this many lengths, so that its
 * rounding error (1e-16 of the largest term) stays below the tolerance of the
 * gap. */
#define ROOT_LARGEST 1e3

int
contact_root_series(struct rt *run, uint32_t contact,
                    const struct gap_tolerance *tol, double *gap,
                    double *horizon)
{
    assert(tol != NULL && gap != NULL && horizon != NULL);
    *horizon = 0.0;
    /* `until` is when other features of the polytopes take over. */
    double until = INFINITY;
    int st = IMP_OK;
    if (rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS)
        st = polytope_contact_series(run, contact, MOTION_STEP_ORDER, gap,
                                     &until);
    else if (!persistent_any(run) ||
             !contact_point_balls_gap(run, contact, MOTION_STEP_ORDER, gap))
        st = contact_gap_series(run, contact, MOTION_STEP_ORDER, gap);
    if (st != IMP_OK)
        return st;
    double most = fmax(ROOT_LARGEST * tol->length, 8.0 * fabs(gap[0]));
    for (int k = 1; k <= 4; k++)
        until = term_time(until, gap[k], k, most);
    for (int k = MOTION_STEP_ORDER - 3; k <= MOTION_STEP_ORDER; k++) {
        if (!isfinite(gap[k]))
            return IMP_NONFINITE;
        until = term_time(until, gap[k], k, ROOT_TRUNCATION * tol->gap);
    }
    *horizon = until;
    return IMP_OK;
}

void
contact_root_predict(struct rt *run, uint32_t contact, double dt)
{
    assert(run != NULL);
    /* their gap needs no unknowns, and the search for closest points finds them
     * at once */
    if (!persistent_any(run) || !contact_point_balls(run, contact))
        closest_points_predict(run, contact, MOTION_STEP_ORDER, dt);
}

/* The first time in [0, horizon] at which the gap leaves the band: upwards
 * through twice the tolerance (the gap may stand at the tolerance now), or
 * downwards through minus the tolerance. *side: 1 above, -1 below, 0 if the gap
 * does not leave it (the answer is the horizon then). */
static double
leave(const double *gap, double horizon, double tol, int *side)
{
    double neg[MOTION_STEP_ORDER + 1], below = horizon, above = horizon;
    for (int k = 0; k <= MOTION_STEP_ORDER; k++)
        neg[k] = -gap[k];
    bool down =
        polynomial_below(gap, MOTION_STEP_ORDER, 0.0, horizon, -tol, &below);
    bool up = polynomial_below(neg, MOTION_STEP_ORDER, 0.0, horizon, -2.0 * tol,
                               &above);
    *side = 0;
    if (up && (!down || above < below)) {
        *side = 1;
        return above;
    }
    if (down) {
        *side = -1;
        return below;
    }
    return horizon;
}

void
contact_root_in_band(const double *gap, double horizon,
                     const struct gap_tolerance *tol, int sign,
                     struct contact_root *out)
{
    assert(sign == 1 || sign == -1);
    assert(tol->gap > 0.0 && out != NULL);
    double signed_gap[MOTION_STEP_ORDER + 1], d1[MOTION_STEP_ORDER + 1],
        d2[MOTION_STEP_ORDER + 1];
    double root[MOTION_STEP_ORDER + 1];
    int side;
    for (int k = 0; k <= MOTION_STEP_ORDER; k++)
        signed_gap[k] = sign * gap[k];
    double end = leave(signed_gap, horizon, tol->gap, &side);
    int n1 = polynomial_derivative(signed_gap, MOTION_STEP_ORDER, d1);
    int n2 = polynomial_derivative(d1, n1, d2);
    *out = (struct contact_root){EVENT_NONE, 0.0, 0};

    /* C00: the second derivative vanishes where the gap and its rate do. The
     * root may lie a little before the start if the gap is inside the band
     * already. */
    double quick = tol->rate;
    int n_root = polynomial_roots(d2, n2, end, 0.0, root, MOTION_STEP_ORDER);
    for (int i = 0; i < n_root; i++)
        if (fabs(polynomial_value(signed_gap, MOTION_STEP_ORDER, root[i])) <=
                tol->gap &&
            fabs(polynomial_value(d1, n1, root[i])) <= tol->rate_c00) {
            out->kind = EVENT_TANGENT;
            out->s = root[i];
            out->order = 2;
            return;
        }
    /* tangential touch: a minimum within the band */
    n_root = polynomial_roots(d1, n1, end, 0.0, root, MOTION_STEP_ORDER);
    for (int i = 0; i < n_root; i++)
        if (polynomial_value(d2, n2, root[i]) > 0.0) {
            out->kind = EVENT_TANGENT;
            out->s = root[i];
            out->order = 1;
            return;
        }
    /* The gap closes before the series ends, where other features take over,
     * and so fast that it cannot turn within the band: the square of the rate
     * is far above twice the acceleration times the tolerance. */
    double at, v;
    if (side == 0 && signed_gap[0] > 0.0 &&
        polynomial_below(signed_gap, MOTION_STEP_ORDER, 0.0, end, 0.0, &at) &&
        (v = polynomial_value(d1, n1, at)) < -quick &&
        v * v > 8.0 * fabs(polynomial_value(d2, n2, at)) * tol->gap) {
        out->s = at;
        out->kind = sign > 0 ? EVENT_CROSS : EVENT_OPEN;
        return;
    }
    if (side >= 0) {
        /* The gap stays inside the band for as long as the series holds: this
         * is a touch without rate, or one so slow that the next series must
         * decide. Or it leaves the band without turning: it was least where it
         * began. */
        if (fabs(signed_gap[1]) <= quick) {
            out->kind = EVENT_TANGENT;
            out->order = -1;
        }
        return;
    }
    /* crossing: the gap goes to the other side of the band without turning */
    double s = 0.0;
    if (signed_gap[0] > 0.0)
        polynomial_below(signed_gap, MOTION_STEP_ORDER, 0.0, end, 0.0, &s);
    out->s = s;
    out->kind = fabs(polynomial_value(d1, n1, s)) <= quick ? EVENT_TANGENT
                : sign > 0                                 ? EVENT_CROSS
                                                           : EVENT_OPEN;
    out->order = signed_gap[0] > 0.0 ? 0 : -1;
}

/* Does a gap that is pressed to fall rise by less than a rounding of its own
 * rounding? Of bodies that have just come to rest the tolerance of the rate is
 * none. */
static bool
hardly_rises(const double *gap, const struct gap_tolerance *tol)
{
    return gap[1] > 0.0 && gap[2] < 0.0 &&
           gap[1] * gap[1] <=
               -4.0 * gap[2] * DBL_EPSILON * tol->gap_rounding;
}

bool
contact_root_returns(const double *signed_gap, double floor, bool handled,
                     const struct gap_tolerance *tol, double horizon, double *s)
{
    assert(signed_gap != NULL && tol != NULL && s != NULL);
    assert(horizon >= 0.0);
    double above[MOTION_STEP_ORDER + 1], slope[MOTION_STEP_ORDER + 1];
    int drop = 0; /* roots at 0 */
    if (signed_gap[0] - floor <= tol->gap_rounding)
        drop = fabs(signed_gap[1]) <= tol->rate || hardly_rises(signed_gap, tol)
                   ? 2
                   : 1;
    if (signed_gap[drop] <= 0.0 && (drop == 2 || (drop == 1 && handled)))
        return false;
    for (int k = drop; k <= MOTION_STEP_ORDER; k++)
        above[k - drop] = signed_gap[k] - (k == 0 ? floor : 0.0);
    if (!polynomial_below(above, MOTION_STEP_ORDER - drop, 0.0, horizon, 0.0,
                          s))
        return false;
    int degree = polynomial_derivative(signed_gap, MOTION_STEP_ORDER, slope);
    return polynomial_value(slope, degree, *s) < -tol->rate;
}

bool
contact_root_polish(const double *gap, int order, double reach, double *s)
{
    assert(order >= 0 && order <= 2 && s != NULL);
    double d[MOTION_STEP_ORDER + 1];
    int n = MOTION_STEP_ORDER;
    for (int k = 0; k <= MOTION_STEP_ORDER; k++)
        d[k] = gap[k];
    for (int i = 0; i < order; i++)
        n = polynomial_derivative(d, n, d);
    return polynomial_newton(d, n, reach, s);
}

int
event_ahead(struct rt *run, uint32_t contact, double most,
            enum event_ahead *out)
{
    assert(run != NULL && out != NULL && contact < run->im->contacts.n);
    struct gap_tolerance tol;
    double gap[MOTION_STEP_ORDER + 1], horizon, hm;
    int side, st = motion_series_two(run, rt_contact(run, contact)->body,
                                     MOTION_STEP_ORDER, &hm);
    *out = AHEAD_RESTS;
    gap_tolerance_get(run, contact, &tol);
    if (st || (st = contact_root_series(run, contact, &tol, gap, &horizon)))
        return st;
    horizon = fmin(fmin(horizon, hm), most);
    /* Where the gap is within the band does not matter, so it is set to 0. */
    gap[0] = 0.0;
    leave(gap, horizon, tol.gap, &side);
    if (side == 0)
        return IMP_OK;
    gap[1] = 0.0;
    if (side < 0) {
        leave(gap, horizon, tol.gap, &side);
        *out = side < 0 ? AHEAD_FALLS : AHEAD_DRIFTS;
        return IMP_OK;
    }
    leave(gap, horizon, tol.gap, &side);
    *out = side > 0 ? AHEAD_RISES : AHEAD_RESTS;
    return IMP_OK;
}
