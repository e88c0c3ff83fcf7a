/* SPDX-License-Identifier: MIT */
/* For how long an extreme of a run surely stays what it is: longer than its
 * series holds to rounding, since the series need not be known that well to say
 * that the expression is far from the extreme. And what is at rest, but for
 * rounding. */
#include <assert.h>
#include <math.h>

#include "analysis/along/along_priv.h"
#include "runtime/derivatives/series_sum.h"
#include "runtime/instance/system.h"
#include "runtime/linear/linear_bound.h"
#include "runtime/numerics/polynomial.h"

/* Where the last QUIET_LAST terms are below this share of the greatest, the
 * terms that are left out fall: each is at most 0.82 of the one before, which
 * is what brings the 16 orders behind the greatest to this share. Together they
 * are less than all others, and less than QUIET_REST times the last ones. */
#define QUIET_SHARE 0x1p-6
#define QUIET_LAST 4
#define QUIET_REST 5.0
/* At so many places within the step it is asked first. */
#define QUIET_PLACES 4
/* so many variables of observers at most, and rounding of their bounds */
#define BOUND_VARIABLES 16
#define BOUND_ROUNDING 0x1p-40
/* A function that was this many times as large before is 0 to all rounding: the
 * square of 16 roundings, for it may be a square. */
#define VANISHED 0x1p-96

/* By how much may an extreme change without counting? */
static double
quiet_room(const struct followed *followed)
{
    double now = followed->c[0];
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_SUP:
        return followed->value - now;
    case IMP_ALONG_SUP_ABS:
        return followed->value - fabs(now);
    case IMP_ALONG_INF:
        return now - followed->value;
    default:
        return 0.0;
    }
}

/* Does the series, times `sign`, stay below `most` on 0 .. h? */
static bool
stays_below(const double *c, double sign, double h, double most)
{
    double down[ALONG_WIDTH], s;
    for (int k = 0; k <= IMP_ALONG_ORDER; k++)
        down[k] = -sign * c[k];
    down[0] += most;
    for (int i = 0; i <= QUIET_PLACES; i++)
        if (!(polynomial_value(down, IMP_ALONG_ORDER, h * i / QUIET_PLACES) >
              0.0))
            return false;
    return !polynomial_below(down, IMP_ALONG_ORDER, 0.0, h, 0.0, &s);
}

/* Do the terms of the series, and those that it leaves out, make nothing on
 * 0 .. h that counts, for which there is `room`? */
static bool
stays_within(const struct followed *followed, double h, double room)
{
    const double *c = followed->c;
    double most = 0.0, last = 0.0, sum = 0.0, power = 1.0;
    for (int k = 0; k <= IMP_ALONG_ORDER; k++, power *= h) {
        double term = fabs(c[k]) * power;
        most = fmax(most, term);
        sum += k ? term : 0.0;
        if (k > IMP_ALONG_ORDER - QUIET_LAST)
            last = fmax(last, term);
    }
    if (!(last <= QUIET_SHARE * most))
        return false;
    if (2.0 * sum <= room)
        return true;
    double left_out = QUIET_REST * last + ALONG_ROUNDING * (sum + fabs(c[0])),
           size = followed->value;
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_SUP:
        return stays_below(c, 1.0, h, size - left_out);
    case IMP_ALONG_SUP_ABS:
        return stays_below(c, 1.0, h, size - left_out) &&
               stays_below(c, -1.0, h, size - left_out);
    case IMP_ALONG_INF:
        return stays_below(c, -1.0, h, -size - left_out);
    default:
        return false;
    }
}

void
along_bound_new(struct rt *run, struct followed *followed)
{
    assert(run && followed && !followed->bound);
    enum imp_along_kind kind = (enum imp_along_kind)followed->item->field;
    double weight[BOUND_VARIABLES];
    uint32_t block;
    if ((kind != IMP_ALONG_SUP && kind != IMP_ALONG_SUP_ABS &&
         kind != IMP_ALONG_INF) ||
        followed->item->rows > ALONG_WIDTH ||
        !series_sum(run, followed->item, &block, weight, BOUND_VARIABLES,
                    &followed->middle))
        return;
    for (uint32_t i = 0; i < run->im->systems.n; i++) {
        const imp_system *sys = rt_system(run, i);
        if (sys->observer != block)
            continue;
        followed->variables = sys->env_state + 2 * sys->n;
        const struct linear_block *linear =
            linear_block_new(run, block, followed->variables, sys->n_observed);
        followed->bound = linear ? linear_bound_new(linear, weight) : NULL;
    }
}

bool
along_is_over(const struct rt *run, const struct followed *followed)
{
    assert(run && followed);
    if (along_is_time(followed))
        return followed->any;
    if (!followed->bound || !followed->any)
        return false;
    double off = linear_bound(followed->bound, run->env + followed->variables),
           middle = followed->middle;
    off += BOUND_ROUNDING * fabs(middle);
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_SUP:
        return middle + off <= followed->value;
    case IMP_ALONG_SUP_ABS:
        return fabs(middle) + off <= followed->value;
    default:
        return middle - off >= followed->value;
    }
}

bool
along_over(const struct along *along)
{
    assert(along);
    for (uint32_t i = 0; i < along->n; i++)
        if (!along->v[i].over)
            return false;
    return along->begun;
}

double
along_quiet_for(const struct followed *followed, double known)
{
    assert(followed && known >= 0.0);
    double h = known * (1 << QUIET_DOUBLINGS), room;
    if (followed->over)
        return INFINITY;
    if (along_is_time(followed))
        return 0.0;
    if (followed->item->rows > ALONG_WIDTH || !followed->any || !isfinite(h) ||
        !((room = quiet_room(followed)) > 0.0))
        return 0.0;
    while (h > known && !stays_within(followed, h, room))
        h /= 2.0;
    return h;
}

void
along_free_motion(struct followed *followed, double h)
{
    assert(followed);
    for (uint32_t i = 0; i < followed->item->rows / ALONG_WIDTH && h > 0.0;
         i++) {
        double size = terms(followed->c + (size_t)i * ALONG_WIDTH, h);
        followed->kink[i].size = fmax(followed->kink[i].size, size);
    }
}

bool
along_vanished(const struct followed *followed, double h)
{
    assert(followed);
    for (uint32_t i = 1; i < followed->item->rows / ALONG_WIDTH; i++) {
        double most = terms(followed->c + (size_t)i * ALONG_WIDTH, h);
        if (most > 0.0 && most <= VANISHED * followed->kink[i].size)
            return true;
    }
    return false;
}
