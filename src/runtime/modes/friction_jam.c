/* SPDX-License-Identifier: MIT */
/* The limit of a jam of bodies (friction_modes.h): p falls to 0 in slip, and
 * the run is taken to that instant. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/friction/painleve.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/motion/motion.h"

/* as in flow/friction_watch.c */
#define JAM_STEPS 40
#define JAM_RATIO 1e6
#define JAM_ROUNDING (64.0 * DBL_EPSILON)

/* The last of a slip: a point that is alone, and an impulse along its force. */
struct last {
    struct friction_rows in;
    double sign;  /* of the slip */
    double given; /* the impulse so far, along the normal */
};

/* Gives the point the impulse `more` along the force of slip, less what was
 * given before, and reads its rows again. */
static int
load_after(struct last *last, double more)
{
    struct friction_rows *in = &last->in;
    double push[2];
    assert(in->n == 1 && in->group->n_unknown == 2);
    for (int i = 0; i < 2; i++) {
        const struct persistent_unknown *unknown = &in->group->unknown[i];
        push[i] = (more - last->given) *
                  (unknown->value == &unknown->row->gap
                       ? 1.0
                       : -last->sign * in->point[0].mu_dynamic);
    }
    persistent_apply_impulses(in->run, push);
    last->given = more;
    return friction_rows_read(in);
}

/* What is 0 at the limit of a jam: b, so that the impulse stays finite where p
 * comes to 0 in time; or p itself, where the coefficient of friction grows as
 * the slip falls, and the impulse alone brings p to 0. Or the slip. *small: its
 * rounding. */
static double
ends_at_jam(const struct last *last, bool slip, double *small)
{
    const struct friction_rows *in = &last->in;
    double rubs = last->sign * in->point[0].mu_dynamic * in->W[1];
    bool by_slip = in->group->row[0].friction->varies;
    *small = slip      ? in->size[0]
             : by_slip ? JAM_ROUNDING * (in->W[0] + fabs(rubs))
                       : JAM_ROUNDING * in->terms[0];
    return slip ? in->rate[1] : by_slip ? in->W[0] - rubs : in->free[0];
}

/* Finds the impulse that leads to this end, and gives it. first: its size.
 * *limit: there is one. */
static int
to_end(struct last *last, bool slip, double first, bool *limit)
{
    double small, low = last->given, high = low + first,
                  left_low = ends_at_jam(last, slip, &small);
    *limit = false;
    int st = load_after(last, high);
    for (int k = 0; k < JAM_STEPS && !st; k++) {
        double left = ends_at_jam(last, slip, &small);
        if (fabs(left) <= small || high == low || left == left_low) {
            *limit = fabs(left) <= small;
            return IMP_OK;
        }
        double next = high - left * (high - low) / (left - left_low);
        low = high;
        left_low = left;
        high = next;
        st = load_after(last, high);
    }
    return st;
}

/* At the limit p is 0, and b, unless friction has grown as the slip fell: it
 * lies on the boundary. sign: of the slip. */
static void
tell(const struct friction_rows *in, double sign, struct painleve_verdict *out)
{
    double rubs = in->point[0].mu_dynamic * in->W[1];
    *out = (struct painleve_verdict){
        .verdict = "jam",
        .cell = "",
        .a = in->free[1],
        .b = in->group->row[0].friction->varies ? in->free[0] : 0.0,
        .p_plus = sign > 0.0 ? 0.0 : in->W[0] - rubs,
        .p_minus = sign < 0.0 ? 0.0 : in->W[0] + rubs};
}

/* Takes a point that is alone, and slips with this sign, to the limit, or to
 * where its slip comes to rest if that is before. */
static int
to_limit(struct rt *run, double sign, double first, struct friction_jam *out)
{
    struct last last = {.in = {.run = run, .n = 1, .spot = &out->spot},
                        .sign = sign};
    const struct friction_rows *in = &last.in;
    double small;
    int st = friction_rows_read(&last.in);
    if (st)
        return st;
    out->limit = first == 0.0;
    if (first > 0.0)
        st = to_end(&last, false, first, &out->limit);
    if (st)
        return st;
    ends_at_jam(&last, true, &small);
    out->stops = out->limit && sign * in->rate[1] < -small;
    if (out->stops)
        st = to_end(&last, true, -0.5 * fmax(first, DBL_MIN), &out->limit);
    out->limit &= last.given >= -first && last.given <= JAM_RATIO * first;
    out->opens = !st && in->group->row[0].gap.c[3] > 0.0 &&
                 !in->group->row[0].friction->varies;
    out->slip = st ? 0.0 : in->rate[1];
    if (!st)
        tell(in, sign, &out->found);
    return st;
}

static int
read_verdict(struct rt *run, double sign, struct friction_jam *out)
{
    struct friction_rows in = {.run = run, .n = 1, .spot = &out->spot};
    int st = friction_rows_read(&in);
    if (!st)
        tell(&in, sign, &out->found);
    return st;
}

int
friction_modes_jam(struct rt *run, int which, struct friction_jam *out)
{
    assert(which >= 0 && which < persistent_count(run) && out != NULL);
    const struct persistent_row *row = run->persistent->row[which];
    double left = row->friction->jam_left, force = row->force.c[0], step,
           sign = row->friction->mode == CONTACT_SLIP_POSITIVE ? 1.0 : -1.0;
    bool alone = persistent_group_of(run, row->spot.contact)->n == 1;
    *out = (struct friction_jam){.spot = row->spot,
                                 .exponent = row->friction->jam_exponent};
    if (fabs(out->exponent) < PAINLEVE_JAM_FINITE)
        out->exponent = 0.0;
    int st = motion_series_all(run, MOTION_STEP_ORDER, &step);
    if (st)
        return st;
    if (left > 0.0)
        motion_advance(run, left, rt_time(run) + left);
    if (!alone)
        st = read_verdict(run, sign, out);
    else
        st = to_limit(run, sign, force * left, out);
    if (!out->stops)
        friction_modes_forget(run);
    return st;
}
