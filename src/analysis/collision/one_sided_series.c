/* SPDX-License-Identifier: MIT */
/* Touches at which the features of polytopes change at the touch itself, as
 * where a disc comes over a corner onto a side: the gap has a second derivative
 * on either side of the touch, and the two may differ. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "runtime/events/event.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"

/* how far from a touch its sides are read, as a share of the time in which the
 * bodies pass one length: beyond the lag of features (FEATURE_PAST) by far */
#define SIDE_SHARE 1e-6
/* second derivatives of both sides that differ by more than this share of their
 * terms do so by more than rounding, which the small shift leaves as it is */
#define SIDE_DIFFER 1e-7

/* the series at time + dt, seen from the touch; state and series are left there
 */
static int
side(struct analysis *a, const struct touch *t, double dt, double *jet)
{
    struct rt *r = a->rt;
    struct closest_points cl;
    double h;
    int st;
    if ((st = motion_to(r, t->time + dt)) ||
        (st = closest_points_find(r, t->contact, &cl, false)) ||
        (st = motion_series_all(r, t->order, &h)) ||
        (st = contact_gap_series(r, t->contact, t->order, jet)))
        return st;
    /* Taylor shift by -dt, by Horner's scheme */
    for (int i = 0; i < t->order; i++)
        for (int k = t->order - 1; k >= i; k--)
            jet[k] -= dt * jet[k + 1];
    return IMP_OK;
}

double
touch_time_aside(struct analysis *a, uint32_t contact, double *speed)
{
    struct rt *r = a->rt;
    double gap_tol, rate, length = gap_length(r, contact);
    gap_tolerances(r, contact, &gap_tol, &rate);
    *speed = rate / fmax(RT_GAP_SHARE * r->tolerance, 1e-14);
    double dt = SIDE_SHARE * length / *speed, t = rt_time(r);
    return isfinite(dt) && t + dt != t && t - dt != t ? dt : 0.0;
}

bool
touch_sides(struct analysis *a, struct touch *t, double *before)
{
    struct rt *r = a->rt;
    double jet[2][JET_MAX + 1], h, speed;
    if (!(rt_contact(r, t->contact)->flags & IMP_CONTACTF_CORNERS) ||
        t->open_text || t->order < 2)
        return false;
    double dt = touch_time_aside(a, t->contact, &speed);
    if (dt == 0.0)
        return false;
    struct saved_state here = saved_state_take(a->rt);
    bool good = true;
    for (int i = 0; i < 2; i++) {
        good = good && !side(a, t, i ? dt : -dt, jet[i]);
        saved_state_restore(a->rt, &here);
    }
    (void)motion_series_all(r, t->order, &h);
    double size =
        fmax(fmax(fabs(jet[0][2]), fabs(jet[1][2])), speed * speed / t->length);
    if (!good || !(fabs(jet[0][2] - jet[1][2]) > SIDE_DIFFER * size))
        return false;
    *before = 2.0 * jet[0][2];
    memcpy(t->jet, jet[1], sizeof *t->jet * (size_t)(t->order + 1));
    return true;
}
