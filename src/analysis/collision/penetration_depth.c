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
#include <assert.h>
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
/* Relative accuracy of the time of the deepest point: the rate of the gap is
 * known to rounding, and its slope is of order 1. */
#define DEPTH_TIME 1e-13

static int
gap_at(struct analysis *analysis, uint32_t contact, double t, double *gap,
       double *rate)
{
    int st = motion_to(analysis->rt, t);
    return st ? st : touch_gap(analysis, contact, gap, rate);
}

/* Returns T, from the leading coefficient (of order 2 or 3) and the next one
 * that is not zero. */
static double
compare_time(const struct touch *touch, const struct verdict *verdict,
             int order)
{
    double lead =
               order == 2 ? fabs(verdict->D) / 2.0 : fabs(verdict->jerk) / 6.0,
           T = INFINITY;
    for (int k = order + 1; k <= touch->order; k++)
        if (touch->jet[k] != 0.0)
            T = fmin(T, pow(DEPTH_NEXT * lead / fabs(touch->jet[k]),
                            1.0 / (k - order)));
    if (!isfinite(T))
        T = pow(1e-3 * touch->length / lead, 1.0 / order);
    /* the overlap must be deep enough to be measured, at T/8 too */
    double least = 8.0 * pow(1e2 * touch->gap_tol / lead, 1.0 / order);
    return exp2(floor(log2(fmax(T, least))));
}

/* Returns the least-squares slope of log depth against log time over T 2^-i. */
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

/* The root of the gap's rate between lo and hi by false position, where an end
 * that stays twice has its rate halved (the Illinois method, Dowell and Jarratt
 * 1971, of order 1.44). */
int
penetration_depth_refine(struct analysis *analysis, uint32_t contact, double lo,
                         double hi, double *at, double *depth)
{
    assert(analysis != NULL && at != NULL && depth != NULL);
    assert(lo <= hi);
    double rl, rh, gap = 0.0, rate, time = lo, last = hi;
    int st, side = 0;
    if ((st = gap_at(analysis, contact, lo, &gap, &rl)) ||
        (st = gap_at(analysis, contact, hi, &gap, &rh)))
        return st;
    double close = DEPTH_TIME * (1.0 + fabs(hi));
    for (int i = 0; i < 80 && hi - lo > close; i++) {
        bool falls = rl < 0.0 && rh > 0.0;
        time = falls ? lo - rl * (hi - lo) / (rh - rl) : lo + (hi - lo) / 2.0;
        if (!(time > lo && time < hi) || i % 16 == 15)
            time = lo + (hi - lo) / 2.0;
        if ((st = gap_at(analysis, contact, time, &gap, &rate)))
            return st;
        if (rate == 0.0 || (falls && fabs(time - last) <= close))
            break;
        last = time;
        if (rate < 0.0) {
            lo = time;
            rl = rate;
            if (side < 0)
                rh /= 2.0;
            side = -1;
        } else {
            hi = time;
            rh = rate;
            if (side > 0)
                rl /= 2.0;
            side = 1;
        }
    }
    *at = time;
    *depth = -gap;
    return IMP_OK;
}

/* Follows the free motion from inside the overlap to its end, and finds the
 * deepest point on the way. */
static int
follow(struct analysis *analysis, const struct touch *touch, double from,
       struct record *out)
{
    static const char *const names[] = {"overlap_end", "depth_max",
                                        "depth_max_time"};
    struct rt *run = analysis->rt;
    uint32_t n = run->im->contacts.n, n_more = 0;
    enum event_watch *watch = NEW_N(run->arena, enum event_watch, n);
    struct event event, *more = NEW_N(run->arena, struct event, n + 1);
    for (uint32_t i = 0; i < n; i++)
        watch[i] = i == touch->contact ? WATCH_OPEN : WATCH_OFF;
    double until = touch->time + event_horizon(run), gap;
    int st = gap_at(analysis, touch->contact, from, &gap, NULL);
    int errors = analysis->ds->errors;
    if (!st)
        st = event_next(run, watch, until, NULL, NULL, &event, more, &n_more);
    if (st == IMP_STOPPED || analysis->ds->errors > errors)
        return st;
    if (st) {
        record_set_absent_all(
            out, names, 3,
            "the closest points could not be followed to the end of "
            "the overlap");
        return IMP_OK;
    }
    if (event.kind != EVENT_OPEN) {
        char s[NUM_TEXT];
        record_set_absent_all(
            out, names, 3,
            arena_printf(run->arena, "the bodies still overlap at t = %s s",
                         rt_told(s, rt_time(run), 6)));
        return IMP_OK;
    }
    double end = rt_time(run), best = 0.0;
    int deepest = 0;
    SET_NUM("overlap_end", end);
    for (int i = 1; i < DEPTH_SAMPLES; i++) {
        double at = from + (end - from) * i / DEPTH_SAMPLES;
        if ((st = gap_at(analysis, touch->contact, at, &gap, NULL)))
            return st;
        if (-gap > best) {
            best = -gap;
            deepest = i;
        }
    }
    double lo = from + (end - from) * (deepest - 1) / DEPTH_SAMPLES,
           hi = from + (end - from) * (deepest + 1) / DEPTH_SAMPLES, at, depth;
    if ((st = penetration_depth_refine(analysis, touch->contact,
                                       deepest ? lo : from, hi, &at, &depth)))
        return st;
    SET_NUM("depth_max", fmax(depth, best));
    SET_NUM("depth_max_time", at);
    return IMP_OK;
}

int
penetration_depth_measure(struct analysis *analysis, const struct touch *touch,
                          const struct verdict *verdict, struct record *out,
                          const char **remark)
{
    assert(analysis != NULL && touch != NULL && verdict != NULL);
    assert(verdict->class == CLASS_00 || verdict->class == CLASS_0_MINUS);
    static const char *const after[] = {"overlap_end", "depth_max",
                                        "depth_max_time"};
    int order = verdict->class == CLASS_00 ? 3 : 2, st = IMP_OK;
    bool before = order == 3 && verdict->jerk > 0.0;
    double span = compare_time(touch, verdict, order), depth[DEPTH_TIMES], gap;
    struct saved_state start = saved_state_take(analysis->rt);
    *remark = NULL;

    for (int i = DEPTH_TIMES - 1; i >= 0 && !st; i--) {
        double dt = ldexp(span, -i);
        st = gap_at(analysis, touch->contact, touch->time + (before ? -dt : dt),
                    &gap, NULL);
        depth[i] = -gap;
    }
    if (st)
        goto done;
    SET_NUM("depth_time", span);
    SET_NUM("depth_predicted",
            order == 3 ? fabs(verdict->jerk) * span * span * span / 6.0
                       : fabs(verdict->D) * span * span / 2.0);
    SET_NUM("depth_measured", depth[0]);
    if (depth[DEPTH_TIMES - 1] > 0.0)
        SET_NUM("exponent", exponent(depth));
    else
        SET_ABSENT("exponent", "the overlap is below what can be measured");

    if (order == 2) {
        /* C0-: there is an overlap before the touch as well */
        saved_state_restore(analysis->rt, &start);
        if ((st = gap_at(analysis, touch->contact, touch->time - span, &gap,
                         NULL)))
            goto done;
        char s[NUM_TEXT], q[NUM_TEXT];
        /* Where bodies have corners, other features may have touched before. */
        if (gap < 0.0)
            *remark =
                arena_printf(record_arena(analysis),
                             "the bodies overlap before the touch too: by %s "
                             "m at %s s before it",
                             num_digits(s, -gap, 6), num_digits(q, span, 6));
    }
    saved_state_restore(analysis->rt, &start);
    if (before)
        record_set_absent_all(
            out, after, 3,
            "the overlap lies before the touch and ends with it");
    else
        st = follow(analysis, touch, touch->time + span, out);
done:
    saved_state_restore(analysis->rt, &start);
    return st;
}
