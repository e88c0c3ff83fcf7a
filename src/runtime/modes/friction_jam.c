/* SPDX-License-Identifier: MIT */
/* The limit of a jam of bodies (friction_modes.h): p falls to 0 in slip, and
 * the run is taken to that instant. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/modes/friction_rows.h"
#include "runtime/motion/motion.h"

/* as in flow/friction_watch.c */
#define JAM_STEPS 40
#define JAM_RATIO 1e6
#define JAM_ROUNDING (64.0 * DBL_EPSILON)

/* Gives the point the impulse `more` along the force of slip, less what was
 * given before, and reads its rows again. */
static int
load_after(struct friction_rows *in, double more, double *given)
{
    double push[2], sign = in->rate[1] > 0.0 ? 1.0 : -1.0;
    assert(in->n == 1 && in->group->n_unknown == 2);
    for (int i = 0; i < 2; i++) {
        const struct persistent_unknown *unknown = &in->group->unknown[i];
        push[i] = (more - *given) * (unknown->value == &unknown->row->gap
                                         ? 1.0
                                         : -sign * in->point[0].mu_dynamic);
    }
    persistent_apply_impulses(in->run, push);
    *given = more;
    return friction_rows_read(in);
}

/* What is 0 at the limit of a jam: b, so that the impulse stays finite where p
 * comes to 0 in time; or p itself, where the coefficient of friction grows as
 * the slip falls, and the impulse alone brings p to 0. *small: its rounding. */
static double
ends_at_jam(const struct friction_rows *in, double *small)
{
    double sign = in->rate[1] > 0.0 ? 1.0 : -1.0,
           rubs = sign * in->point[0].mu_dynamic * in->W[1];
    bool by_slip = in->group->row[0].friction->varies;
    *small = JAM_ROUNDING * (by_slip ? in->W[0] + fabs(rubs) : in->terms[0]);
    return by_slip ? in->W[0] - rubs : in->free[0];
}

/* Finds the impulse that leads to the limit, and gives it to a point that is
 * alone. */
static int
to_limit(struct rt *run, double first, struct friction_jam *out)
{
    struct friction_rows in = {.run = run, .n = 1, .spot = &out->spot};
    double given = 0.0, low = 0.0, high = first, left, left_low, small;
    int st = friction_rows_read(&in);
    if (st)
        return st;
    left_low = ends_at_jam(&in, &small);
    out->limit = first == 0.0;
    if (first > 0.0)
        st = load_after(&in, high, &given);
    for (int k = 0; k < JAM_STEPS && !st && first > 0.0; k++) {
        left = ends_at_jam(&in, &small);
        if (fabs(left) <= small || high == low || left == left_low) {
            out->limit = fabs(left) <= small && high >= -first &&
                         high <= JAM_RATIO * first;
            break;
        }
        double next = high - left * (high - low) / (left - left_low);
        low = high;
        left_low = left;
        high = next;
        st = load_after(&in, high, &given);
    }
    out->opens = !st && in.group->row[0].gap.c[3] > 0.0 &&
                 !in.group->row[0].friction->varies;
    out->slip = st ? 0.0 : in.rate[1];
    return st;
}

int
friction_modes_jam(struct rt *run, int which, struct friction_jam *out)
{
    assert(which >= 0 && which < persistent_count(run) && out != NULL);
    const struct persistent_row *row = run->persistent->row[which];
    double left = row->friction->jam_left, force = row->force.c[0], step;
    bool alone = persistent_group_of(run, row->spot.contact)->n == 1;
    *out = (struct friction_jam){.spot = row->spot,
                                 .exponent = row->friction->jam_exponent};
    int st = motion_series_all(run, MOTION_STEP_ORDER, &step);
    if (st)
        return st;
    if (left > 0.0)
        motion_advance(run, left, rt_time(run) + left);
    if (alone)
        st = to_limit(run, force * left, out);
    friction_modes_forget(run);
    return st;
}
