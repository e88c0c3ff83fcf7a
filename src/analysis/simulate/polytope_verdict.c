/* SPDX-License-Identifier: MIT */
/* The verdict of `simulate` on a touch of bodies with corners: from the normal
 * velocities of all contact points, and where none approaches from the series
 * of the gap. Where the normal is set-valued the bodies approach if they do
 * under one of the choices: the run stops there, under whichever they do not
 * (impacts.c). */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "analysis/impact/impact_priv.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"

/* normal velocities up to this share of the speeds are none, as in impact.c */
#define CORNER_RESTS 1e-9

static void
by_rate(double lo, double tol, struct verdict *v)
{
    v->v = lo;
    v->v_tol = tol;
    v->class = lo < -tol ? CLASS_MINUS : lo > tol ? CLASS_SEPARATING : CLASS_00;
}

/* what accelerations make of rest over the size of the bodies: speeds far below
 * come from rounding, and the flights they begin do not leave the band */
static int
floor_of(struct simulation *s, uint32_t c, double *speed)
{
    struct rt *r = s->a->rt;
    double h, jet[3];
    int st;
    if ((st = motion_series_all(r, 2, &h)) ||
        (st = contact_gap_series(r, c, 2, jet)))
        return st == IMP_NONFINITE ? IMP_OK : st;
    *speed = fmax(*speed, sqrt(2.0 * fabs(jet[2]) * gap_length(r, c)));
    return IMP_OK;
}

/* what the series of the gap says dt after now */
static int
see(struct simulation *s, uint32_t c, double dt, enum event_ahead *ahead,
    double *D)
{
    struct analysis *a = s->a;
    struct rt *r = a->rt;
    struct saved_state here = saved_state_take(a->rt);
    struct closest_points cl;
    double h, jet[3];
    int st = dt > 0.0 ? motion_to(r, rt_time(r) + dt) : IMP_OK;
    /* the features there, first */
    if (!st && !(st = closest_points_find(r, c, &cl, false)))
        st = event_ahead(r, c, s->until - rt_time(r), ahead);
    if (!st && !(st = motion_series_all(r, 2, &h)) &&
        !(st = contact_gap_series(r, c, 2, jet)))
        *D = 2.0 * jet[2];
    saved_state_restore(a->rt, &here);
    return st;
}

/* Where features change at the touch itself its series may end at once: those
 * that come then tell. */
static int
by_series(struct simulation *s, uint32_t c, struct verdict *v, bool *rests)
{
    enum event_ahead ahead;
    double speed, dt = touch_time_aside(s->a, c, &speed);
    int st = see(s, c, 0.0, &ahead, &v->D);
    if (!st && ahead == AHEAD_RESTS && dt > 0.0 &&
        rt_time(s->a->rt) + dt < s->until)
        st = see(s, c, dt, &ahead, &v->D);
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    *rests = ahead == AHEAD_RESTS;
    v->class = ahead == AHEAD_DRIFTS  ? CLASS_MINUS
               : ahead == AHEAD_RISES ? CLASS_0_PLUS
                                      : CLASS_0_MINUS;
    return IMP_OK;
}

/* an open normal: the bodies approach if they do under one of the choices */
static int
by_choice(struct simulation *s, uint32_t c, const struct impact_of_run *in,
          struct verdict *v, bool *rests)
{
    struct normal_choices o;
    int st = normal_choices_read(s->a, c, in->choice, &o);
    if (st)
        return command_failed(s->a, st, rt_contact(s->a->rt, c)->range,
                              "the series along the normals of a corner");
    v->open = true;
    v->class = o.closing   ? CLASS_MINUS
               : o.pressed ? CLASS_0_MINUS
               : o.apart   ? CLASS_SEPARATING
                           : CLASS_00;
    *rests = v->class == CLASS_00;
    return IMP_OK;
}

int
polytope_stop_open_normal(struct simulation *s, uint32_t c)
{
    struct impact_of_run in;
    char t[NUM_TEXT];
    int st = impact_read(s->a, &c, 1, &in);
    if (st)
        return st;
    impact_report_open_normal(s->a, &in, DIAG_W0724, s->c->range);
    simulate_log_event(s, c, "stop", touch_class_name[CLASS_0_MINUS], 0.0);
    s->stopped = true;
    simulate_remark(
        s, arena_printf(s->a->rt->arena,
                        "stopped at t = %s s: the normal of `%s` is "
                        "set-valued",
                        num_digits(t, rt_time(s->a->rt), 9),
                        imp_text(s->a->rt->im, rt_contact(s->a->rt, c)->name)));
    return IMP_OK;
}

int
polytope_verdict(struct simulation *s, uint32_t c, struct verdict *v,
                 bool *rests)
{
    struct impact_of_run in;
    struct impact_solver *m;
    int st = impact_read(s->a, &c, 1, &in);
    memset(v, 0, sizeof *v);
    v->class = CLASS_00;
    v->jerk_zero = true;
    if (st)
        return st;
    if (in.open != IMP_WORLD)
        return by_choice(s, c, &in, v, rests);
    if ((st = impact_prepare(s->a, &in, &m)))
        return st;
    double lo = INFINITY;
    for (int i = 0; i < m->nc; i++)
        lo = fmin(lo, m->v0[i]);
    double speed = m->speed;
    if ((st = floor_of(s, c, &speed)))
        return st;
    by_rate(lo, CORNER_RESTS * speed, v);
    return v->class == CLASS_00 ? by_series(s, c, v, rests) : IMP_OK;
}
