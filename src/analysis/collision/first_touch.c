/* SPDX-License-Identifier: MIT */
/* From the start to the first touch, and the verdict on it.
 *
 * A touch found by search lies where the gap is within rounding of zero; for a
 * double root that leaves the time free to 1e-8, for a triple root to 1e-5 of
 * the time scale. There v and D are not small enough to be told from zero
 * (spec 0.F), so the time is moved to the simple root of the derivative that
 * decides: gap'' at C00, gap' at C0+ and C0-. It is taken only if the gap and
 * its lower derivatives are then zero within tolerance. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/verdict.h"
#include "base/num.h"
#include "runtime/events/event.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/setup/new_run.h"

#define POLISH_ORDER 8
/* normal velocities above this share of the terms' size are no candidates */
#define POLISH_FAST 1e-3

int
touch_option_until(struct analysis *a, const imp_command *c,
                   enum imp_option_id id, double *until)
{
    int st = arg_number(a, c, id, -1.0, until);
    if (st)
        return st;
    const imp_val *v = arg_option(a, c, id);
    if (!v) {
        *until = NAN; /* the horizon: only a search has to know it */
    } else if (!(*until >= 0.0)) {
        char s[NUM_TEXT];
        diag_add(a->ds, DIAG_E0705, v->range,
                 "`until` is %s s: motion is followed forward, from t = 0",
                 num_shortest(s, *until));
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* moves the model by dt from the touch and reads it anew */
static int
move(struct analysis *a, struct touch *t, double dt)
{
    double to = t->time + dt;
    if (to == t->time)
        return IMP_OK;
    if (to < 0.0)
        to = 0.0;
    int st = motion_to(a->rt, to);
    return st ? st : touch_read(a, t, t->order);
}

/* Moves the model to the root of the derivative that decides (spec 0.F). */
static int
touch_polish(struct analysis *a, struct touch *t)
{
    double v_size, D_size, j_size, d1[JET_MAX + 1], d2[JET_MAX + 1];
    if (t->order < 4)
        return IMP_OK;
    touch_term_sizes(t, &v_size, &D_size, &j_size);
    if (fabs(t->jet[1]) > POLISH_FAST * v_size)
        return IMP_OK;
    int n = t->order < POLISH_ORDER ? t->order : POLISH_ORDER;
    int n1 = polynomial_derivative(t->jet, n, d1);
    int n2 = polynomial_derivative(d1, n1, d2);
    /* in C00 the rate is -D^2/(2 j*): the tolerance of v is too wide for it */
    double still = fmax(gap_c00_share(a->rt) * v_size, touch_velocity_floor(t));

    /* C00: the simple root of gap'' */
    double c = fabs(t->jet[3]), s = 0.0;
    double reach = c > 0.0 ? 10.0 * cbrt(t->gap_tol / c) : 0.0;
    if (reach > 0.0 && polynomial_newton(d2, n2, reach, &s) &&
        fabs(polynomial_value(t->jet, n, s)) <= t->gap_tol &&
        fabs(polynomial_value(d1, n1, s)) <= still)
        return move(a, t, s);

    /* C0+, C0-: the simple root of gap' */
    c = fabs(t->jet[2]);
    s = 0.0;
    reach = c > 0.0 ? 10.0 * sqrt(t->gap_tol / c) : 0.0;
    if (reach > 0.0 && polynomial_newton(d1, n1, reach, &s) &&
        fabs(polynomial_value(t->jet, n, s)) <= t->gap_tol)
        return move(a, t, s);
    return IMP_OK;
}

int
touch_require_movable(struct analysis *a, uint32_t contact)
{
    const struct rt *r = a->rt;
    const imp_contact *k = rt_contact(r, contact);
    struct diag *d;
    if (k->flags & IMP_CONTACTF_STATED) {
        d = diag_add(a->ds, DIAG_E0722, k->range,
                     "the contact `%s` is stated at the start, but the bodies "
                     "of another one touch later",
                     imp_text(r->im, k->name));
        diag_help(a->ds, d, "place the bodies where they touch");
        return IMP_FAILED;
    }
    return IMP_OK;
}

int
touch_find(struct analysis *a, uint32_t contact, double until, struct touch *t)
{
    struct rt *r = a->rt;
    const imp_contact *ct = rt_contact(r, contact);
    memset(t, 0, sizeof *t);
    t->contact = contact;
    t->length = gap_length(r, contact);
    t->order = POLISH_ORDER;
    rt_reset(r);
    double gap = NAN, rate;
    gap_tolerances(r, contact, &t->gap_tol, &rate);
    int st = event_start_check(r, contact, &gap);
    if (st)
        return gap < -t->gap_tol
                   ? IMP_BADMODEL
                   : command_failed(a, st, ct->range,
                                    "the closest points at the start");
    if (gap <= t->gap_tol) {
        t->at_start = true;
        return touch_read(a, t, POLISH_ORDER);
    }
    if (isnan(until))
        until = event_horizon(r);
    uint32_t n = r->im->contacts.n, n_more = 0;
    enum event_watch *watch = NEW_N(r->arena, enum event_watch, n);
    struct event e, *more = NEW_N(r->arena, struct event, n + 1);
    for (uint32_t i = 0; i < n; i++)
        watch[i] = i == contact ? WATCH_CLOSE : WATCH_OFF;
    st = event_next(r, watch, until, NULL, NULL, &e, more, &n_more);
    if (st)
        return command_failed(a, st, ct->range, "following the motion");
    t->time = rt_time(r);
    if (e.kind == EVENT_NONE || e.kind == EVENT_EXCLUDED) {
        t->found = e.kind == EVENT_NONE ? TOUCH_NONE : TOUCH_NEVER;
        return IMP_OK;
    }
    st = touch_read(a, t, POLISH_ORDER);
    return st ? st : touch_polish(a, t);
}
