/* SPDX-License-Identifier: MIT */
/* The limit of a jam of bodies (friction_modes.h): p falls to 0 in slip, and
 * the run is taken to that instant. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/friction/painleve.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/motion/motion.h"

/* of p and of b, in roundings of their terms */
#define JAM_ROUNDING (64.0 * DBL_EPSILON)

/* The last of a slip: a point that is alone. */
struct last {
    struct friction_rows in;
    double sign; /* of the slip */
};

/* Gives the point `more` of an impulse along the force of slip, and reads its
 * rows again. */
static int
load(void *context, double more)
{
    struct last *last = context;
    struct friction_rows *in = &last->in;
    double push[2];
    assert(in->n == 1 && in->group->n_unknown == 2);
    for (int i = 0; i < 2; i++) {
        const struct persistent_unknown *unknown = &in->group->unknown[i];
        push[i] = more * (unknown->value == &unknown->row->gap
                              ? 1.0
                              : -last->sign * in->point[0].mu_dynamic);
    }
    persistent_apply_impulses(in->run, push);
    return friction_rows_read(in);
}

static bool
by_slip(const struct friction_rows *in)
{
    return in->group->row[0].friction->varies;
}

static bool
read_end(void *context, struct painleve_jam_end *end)
{
    const struct last *last = context;
    const struct friction_rows *in = &last->in;
    double rubs = last->sign * in->point[0].mu_dynamic * in->W[1];
    *end = (struct painleve_jam_end){
        .jam = by_slip(in) ? in->W[0] - rubs : in->free[0],
        .jam_small =
            JAM_ROUNDING * (by_slip(in) ? in->W[0] + fabs(rubs) : in->terms[0]),
        .slip = in->rate[1],
        .slip_small = in->size[0]};
    return true;
}

static void
tell(const struct friction_rows *in, double sign, struct painleve_verdict *out)
{
    struct painleve_point point = {.B = in->W[1],
                                   .C = in->W[0],
                                   .a = in->free[1],
                                   .b = in->free[0],
                                   .mu = in->point[0].mu_dynamic,
                                   .slip = sign};
    *out = painleve_jam_verdict(&point, by_slip(in));
}

/* Takes a point that is alone, and slips with this sign, to the limit, or to
 * where its slip comes to rest if that is before. */
static int
to_limit(struct rt *run, double sign, double first, struct friction_jam *out)
{
    struct last at = {.in = {.run = run, .n = 1, .spot = &out->spot},
                      .sign = sign};
    const struct friction_rows *in = &at.in;
    struct painleve_last last = {
        .context = &at, .sign = sign, .load = load, .read = read_end};
    int st = friction_rows_read(&at.in);
    if (st || (st = painleve_jam_limit(&last, first)))
        return st;
    out->limit = last.limit;
    out->stops = last.stops;
    out->opens = in->group->row[0].gap.c[3] > 0.0 && !by_slip(in);
    out->slip = in->rate[1];
    tell(in, sign, &out->found);
    return IMP_OK;
}

static int
read_verdict(struct rt *run, double sign, struct friction_jam *out)
{
    struct friction_rows in = {.run = run, .n = 1, .spot = &out->spot};
    int st = friction_rows_read(&in);
    if (st)
        return st;
    tell(&in, sign, &out->found);
    /* Nothing has shown that p of this point comes to 0: what is told is what
     * it has, without the contacts beside it. */
    double rubs = in.point[0].mu_dynamic * in.W[1];
    out->found.b = in.free[0];
    out->found.p_plus = in.W[0] - rubs;
    out->found.p_minus = in.W[0] + rubs;
    out->slip = in.rate[1];
    out->beside = true;
    return IMP_OK;
}

int
friction_modes_jam(struct rt *run, int which, struct friction_jam *out)
{
    assert(which >= 0 && which < persistent_count(run) && out != NULL);
    struct persistent_row *row = run->persistent->row[which];
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
    row->friction->jam_time = rt_time(run);
    row->friction->jam_force = force;
    if (!alone)
        st = read_verdict(run, sign, out);
    else
        st = to_limit(run, sign, force * left, out);
    if (!out->stops)
        friction_modes_forget(run);
    return st;
}
