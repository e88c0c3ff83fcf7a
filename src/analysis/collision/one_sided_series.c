/* SPDX-License-Identifier: MIT */
/* Touches at which the features of polytopes change at the touch itself, as
 * where a disc comes over a corner onto a side: the gap has a second derivative
 * on either side of the touch, and the two may differ. */
#include <assert.h>
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
/* When the second derivatives of both sides differ by more than this share of
 * their terms, the difference is more than rounding and more than the change
 * over the small shift. */
#define SIDE_DIFFER 1e-7

/* The series of the gap at time + dt, written as a series about the touch. The
 * state and the series of the motion are left at time + dt. */
static int
side(struct analysis *analysis, const struct touch *touch, double dt,
     double *jet)
{
    struct rt *run = analysis->rt;
    struct closest_points closest;
    double h;
    int st;
    if ((st = motion_to(run, touch->time + dt)) ||
        (st = closest_points_find(run, touch->contact, &closest, false)) ||
        (st = motion_series_of(run, touch->contact, touch->order, &h)) ||
        (st = contact_gap_series(run, touch->contact, touch->order, jet)))
        return st;
    /* Taylor shift by -dt, by Horner's scheme */
    for (int i = 0; i < touch->order; i++)
        for (int k = touch->order - 1; k >= i; k--)
            jet[k] -= dt * jet[k + 1];
    return IMP_OK;
}

double
touch_time_aside(struct analysis *analysis, uint32_t contact, double *speed)
{
    assert(analysis != NULL && speed != NULL);
    struct rt *run = analysis->rt;
    double gap_tol, rate, length = gap_length(run, contact);
    gap_tolerances(run, contact, &gap_tol, &rate);
    *speed = rate / fmax(RT_GAP_SHARE * run->world.tolerance, 1e-14);
    double dt = SIDE_SHARE * length / *speed, t = rt_time(run);
    return isfinite(dt) && t + dt != t && t - dt != t ? dt : 0.0;
}

bool
touch_sides(struct analysis *analysis, struct touch *touch, double *before)
{
    assert(analysis != NULL && touch != NULL && before != NULL);
    struct rt *run = analysis->rt;
    double jet[2][JET_MAX + 1], step, speed;
    if (!(rt_contact(run, touch->contact)->flags & IMP_CONTACTF_CORNERS) ||
        touch->open_text || touch->order < 2)
        return false;
    double dt = touch_time_aside(analysis, touch->contact, &speed);
    if (dt == 0.0)
        return false;
    struct saved_state here = saved_state_take(analysis->rt);
    bool good = true;
    for (int i = 0; i < 2; i++) {
        good = good && !side(analysis, touch, i ? dt : -dt, jet[i]);
        saved_state_restore(analysis->rt, &here);
    }
    (void)motion_series_of(run, touch->contact, touch->order, &step);
    double size = fmax(fmax(fabs(jet[0][2]), fabs(jet[1][2])),
                       speed * speed / touch->length);
    if (!good || !(fabs(jet[0][2] - jet[1][2]) > SIDE_DIFFER * size))
        return false;
    *before = 2.0 * jet[0][2];
    memcpy(touch->jet, jet[1], sizeof *touch->jet * (size_t)(touch->order + 1));
    return true;
}
