/* SPDX-License-Identifier: MIT */
/* How deep the bodies interpenetrate at a C00 or C0- touch if nothing stops
 * them: the law |j*| t^3/6 or |D| t^2/2 against the gap itself, followed along
 * the free motion, and where the overlap ends.
 *
 * The times of comparison are T, T/2, T/4, T/8, on the side where the overlap
 * is (after the touch; before it at C00 with j* > 0). T is the largest power
 * of two (in seconds) at which the next term of the gap's series is at most
 * DEPTH_NEXT of the leading one, so the exponent, fitted to the four depths by
 * least squares of logarithms, differs from 2 or 3 by about that share. */
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/penetration_depth.h"
#include "base/num.h"
#include "runtime/events/event.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"

#define DEPTH_NEXT (1.0 / 64.0)
#define DEPTH_TIMES 4
/* samples of the overlap before its deepest point is refined */
#define DEPTH_SAMPLES 64
/* relative accuracy of the time of the deepest point: the rate of the gap is
 * known to rounding, its slope is of order 1 */
#define DEPTH_TIME 1e-13

static int
gap_at(struct analysis *a, uint32_t contact, double t, double *gap,
       double *rate)
{
    int st = motion_to(a->rt, t);
    return st ? st : touch_gap(a, contact, gap, rate);
}

/* T from the leading coefficient m and the next one that is not zero */
static double
compare_time(const struct touch *t, const struct verdict *v, int m)
{
    double lead = m == 2 ? fabs(v->D) / 2.0 : fabs(v->jerk) / 6.0, T = INFINITY;
    for (int k = m + 1; k <= t->order; k++)
        if (t->jet[k] != 0.0)
            T = fmin(T,
                     pow(DEPTH_NEXT * lead / fabs(t->jet[k]), 1.0 / (k - m)));
    if (!isfinite(T))
        T = pow(1e-3 * t->length / lead, 1.0 / m);
    /* deep enough to be measured, at T/8 too */
    double least = 8.0 * pow(1e2 * t->gap_tol / lead, 1.0 / m);
    return exp2(floor(log2(fmax(T, least))));
}

/* least-squares slope of log depth against log time over T 2^-i */
static double
exponent(const double depth[DEPTH_TIMES])
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < DEPTH_TIMES; i++) {
        double x = -i, y = log2(depth[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (DEPTH_TIMES * sxy - sx * sy) / (DEPTH_TIMES * sxx - sx * sx);
}

/* Deepest point within (lo, hi): the gap falls at lo and rises at hi; the root
 * of its rate by false position, where an end that stays twice has its rate
 * halved (Illinois; Dowell and Jarratt 1971, of order 1.44). */
int
penetration_depth_refine(struct analysis *a, uint32_t contact, double lo,
                         double hi, double *at, double *depth)
{
    double rl, rh, gap = 0.0, rate, t = lo, last = hi;
    int st, side = 0;
    if ((st = gap_at(a, contact, lo, &gap, &rl)) ||
        (st = gap_at(a, contact, hi, &gap, &rh)))
        return st;
    double close = DEPTH_TIME * (1.0 + fabs(hi));
    for (int i = 0; i < 80 && hi - lo > close; i++) {
        bool falls = rl < 0.0 && rh > 0.0;
        t = falls ? lo - rl * (hi - lo) / (rh - rl) : lo + (hi - lo) / 2.0;
        if (!(t > lo && t < hi) || i % 16 == 15)
            t = lo + (hi - lo) / 2.0;
        if ((st = gap_at(a, contact, t, &gap, &rate)))
            return st;
        if (rate == 0.0 || (falls && fabs(t - last) <= close))
            break;
        last = t;
        if (rate < 0.0) {
            lo = t;
            rl = rate;
            if (side < 0)
                rh /= 2.0;
            side = -1;
        } else {
            hi = t;
            rh = rate;
            if (side > 0)
                rl /= 2.0;
            side = 1;
        }
    }
    *at = t;
    *depth = -gap;
    return IMP_OK;
}

/* forward from inside the overlap to its end, and the deepest point before */
static int
follow(struct analysis *a, const struct touch *t, double from,
       struct record *out)
{
    static const char *const names[] = {"overlap_end", "depth_max",
                                        "depth_max_time"};
    struct rt *r = a->rt;
    uint32_t n = r->im->contacts.n, n_more = 0;
    enum event_watch *watch = NEW_N(r->arena, enum event_watch, n);
    struct event e, *more = NEW_N(r->arena, struct event, n + 1);
    for (uint32_t i = 0; i < n; i++)
        watch[i] = i == t->contact ? WATCH_OPEN : WATCH_OFF;
    double until = t->time + event_horizon(r), gap;
    int st = gap_at(a, t->contact, from, &gap, NULL);
    int errors = a->ds->errors;
    if (!st)
        st = event_next(r, watch, until, NULL, NULL, &e, more, &n_more);
    if (st == IMP_STOPPED || a->ds->errors > errors)
        return st;
    if (st) {
        record_set_absent_all(
            out, names, 3,
            "the closest points could not be followed to the end of "
            "the overlap");
        return IMP_OK;
    }
    if (e.kind != EVENT_OPEN) {
        char s[NUM_TEXT];
        record_set_absent_all(
            out, names, 3,
            arena_printf(r->arena, "the bodies still overlap at t = %s s",
                         num_digits(s, rt_time(r), 6)));
        return IMP_OK;
    }
    double end = rt_time(r), best = 0.0;
    int k = 0;
    SET_NUM("overlap_end", end);
    for (int i = 1; i < DEPTH_SAMPLES; i++) {
        double at = from + (end - from) * i / DEPTH_SAMPLES;
        if ((st = gap_at(a, t->contact, at, &gap, NULL)))
            return st;
        if (-gap > best) {
            best = -gap;
            k = i;
        }
    }
    double lo = from + (end - from) * (k - 1) / DEPTH_SAMPLES,
           hi = from + (end - from) * (k + 1) / DEPTH_SAMPLES, at, depth;
    if ((st = penetration_depth_refine(a, t->contact, k ? lo : from, hi, &at,
                                       &depth)))
        return st;
    SET_NUM("depth_max", fmax(depth, best));
    SET_NUM("depth_max_time", at);
    return IMP_OK;
}

int
penetration_depth_measure(struct analysis *a, const struct touch *t,
                          const struct verdict *v, struct record *out,
                          const char **remark)
{
    static const char *const after[] = {"overlap_end", "depth_max",
                                        "depth_max_time"};
    int m = v->class == CLASS_00 ? 3 : 2, st = IMP_OK;
    bool before = m == 3 && v->jerk > 0.0;
    double T = compare_time(t, v, m), depth[DEPTH_TIMES], gap;
    struct saved_state start = saved_state_take(a->rt);
    *remark = NULL;

    for (int i = DEPTH_TIMES - 1; i >= 0 && !st; i--) {
        double dt = ldexp(T, -i);
        st = gap_at(a, t->contact, t->time + (before ? -dt : dt), &gap, NULL);
        depth[i] = -gap;
    }
    if (st)
        goto done;
    SET_NUM("depth_time", T);
    SET_NUM("depth_predicted", m == 3 ? fabs(v->jerk) * T * T * T / 6.0
                                      : fabs(v->D) * T * T / 2.0);
    SET_NUM("depth_measured", depth[0]);
    if (depth[DEPTH_TIMES - 1] > 0.0)
        SET_NUM("exponent", exponent(depth));
    else
        SET_ABSENT("exponent", "the overlap is below what can be measured");

    if (m == 2) {
        /* C0-: there is an overlap before the touch as well */
        saved_state_restore(a->rt, &start);
        if ((st = gap_at(a, t->contact, t->time - T, &gap, NULL)))
            goto done;
        char s[NUM_TEXT], q[NUM_TEXT];
        /* corners: other features may have held then */
        if (gap < 0.0)
            *remark =
                arena_printf(record_arena(a),
                             "the bodies overlap before the touch too: by %s "
                             "m at %s s before it",
                             num_digits(s, -gap, 6), num_digits(q, T, 6));
    }
    saved_state_restore(a->rt, &start);
    if (before)
        record_set_absent_all(
            out, after, 3,
            "the overlap lies before the touch and ends with it");
    else
        st = follow(a, t, t->time + T, out);
done:
    saved_state_restore(a->rt, &start);
    return st;
}
