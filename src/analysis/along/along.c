/* SPDX-License-Identifier: MIT */
/* Expressions that are followed along a run by their Taylor series. From one
 * instant to the next the series is a polynomial whose extremes, integral and
 * zeros are found exactly; it is used as far as its last two coefficients say
 * that what is left out is rounding (Jorba & Zou 2005). */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/along/along.h"
#include "base/num.h"
#include "runtime/derivatives/series_along.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"

/* What the remainder of a series may be, as a share of its greatest term: the
 * motion itself is followed to some units of rounding. */
#define REMAINDER (4 * DBL_EPSILON)
/* How far a series may miss the value at its other end, as a share of its
 * terms: the errors that the motion gathers within a piece, and the change of
 * the contact's points that gap series are made for, are far smaller. */
#define MISSED 1e-9
/* Values of a series are rounded by less than this share of its terms. */
#define VALUE_ROUNDING (4 * (IMP_ALONG_ORDER + 1) * DBL_EPSILON)

struct followed {
    const imp_val *item;
    double c[IMP_ALONG_ORDER + 1]; /* of the last look */
    double value;                  /* so far: extreme, integral, or time */
    double at;                     /* of the extreme */
    bool any;
    size_t missed; /* pieces that the series did not follow */
    double from, to;
};
struct along {
    struct analysis *analysis;
    struct followed *v;
    uint32_t n;
    double time, reach; /* of the last look */
    bool begun;
};

struct along *
along_new(struct analysis *analysis, const imp_val *item, uint32_t n)
{
    assert(analysis && (item || !n));
    struct arena *arena = record_arena(analysis);
    struct along *along = NEW(arena, struct along);
    along->analysis = analysis;
    along->v = NEW_N(arena, struct followed, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (item[i].kind == IMP_VAL_ALONG)
            along->v[along->n++].item = &item[i];
    return along->n ? along : NULL;
}

void
along_forget(struct along *along)
{
    assert(along);
    for (uint32_t i = 0; i < along->n; i++)
        along->v[i] = (struct followed){.item = along->v[i].item};
    along->begun = false;
}

/* -- one piece ------------------------------------------------------------- */

/* The step for which |c_m| h^m is REMAINDER of an earlier term. */
static double
step_by(const double *c, int m)
{
    double best = 0, at[IMP_ALONG_ORDER / 2 + 1], most = -INFINITY;
    if (c[m] == 0)
        return INFINITY;
    /* rough logarithms tell which may be the greatest */
    for (int k = 0; k <= m / 2; k++) {
        double share = REMAINDER * fabs(c[k] / c[m]);
        bool plain = share > 0 && isfinite(share);
        at[k] = plain ? rough_log2(share) / (m - k) : INFINITY;
        if (plain)
            most = fmax(most, at[k]);
    }
    for (int k = 0; k <= m / 2; k++)
        if (c[k] != 0 && at[k] >= most - 4 * ROUGH_ERROR / m)
            best = fmax(best, pow(REMAINDER * fabs(c[k] / c[m]),
                                  1.0 / (m - k)));
    return best > 0 ? best : pow(DBL_MIN / fabs(c[m]), 1.0 / m);
}

/* A value at time t counts. */
static void
count_value(struct followed *followed, double value, double t)
{
    bool more = false;
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_SUP:
        more = value > followed->value;
        break;
    case IMP_ALONG_SUP_ABS:
        value = fabs(value);
        more = value > followed->value;
        break;
    case IMP_ALONG_INF:
        more = value < followed->value;
        break;
    case IMP_ALONG_FIRST:
        if (!followed->any && value >= 0) {
            followed->value = t;
            followed->any = true;
        }
        return;
    case IMP_ALONG_INTEGRAL:
        followed->any = true;
        return;
    }
    if (more || !followed->any) {
        followed->value = value;
        followed->at = t;
    }
    followed->any = true;
}

/* The sum of all terms beyond the first on 0 .. h. */
static double
changes(const double *c, double h)
{
    double sum = 0;
    for (int k = IMP_ALONG_ORDER; k >= 1; k--)
        sum = sum * h + fabs(c[k]);
    return sum * h;
}

/* The greatest sum of terms on 0 .. h, which rounding is measured by. */
static double
terms(const double *c, double h)
{
    return changes(c, h) + fabs(c[0]);
}

/* May there be a greater, or lesser, value within the piece than those so far?
 * Its first term is one of these. */
static bool
may_count(const struct followed *followed, double h)
{
    double change = changes(followed->c, h),
           sum = change + fabs(followed->c[0]), noise = VALUE_ROUNDING * sum;
    if (change == 0 || !followed->any)
        return change != 0;
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_SUP:
        return followed->c[0] + change + noise >= followed->value;
    case IMP_ALONG_SUP_ABS:
        return sum + noise >= followed->value;
    default:
        return followed->c[0] - change - noise <= followed->value;
    }
}

/* Takes extremes, integral or the first zero of the piece of length h that
 * begins at `start`. */
static void
take_piece(struct followed *followed, double start, double h)
{
    const double *c = followed->c;
    double slope[IMP_ALONG_ORDER + 1], root[IMP_ALONG_ORDER], s;
    double noise = 2 * DBL_EPSILON * terms(c, h);
    if (followed->item->field == IMP_ALONG_INTEGRAL) {
        double sum = 0;
        for (int k = IMP_ALONG_ORDER; k >= 0; k--)
            sum = sum * h + c[k] / (k + 1);
        followed->value += sum * h;
        return;
    }
    if (followed->item->field == IMP_ALONG_FIRST) {
        double down[IMP_ALONG_ORDER + 1]; /* the condition holds where >= 0 */
        for (int k = 0; k <= IMP_ALONG_ORDER; k++)
            down[k] = -c[k];
        if (!followed->any &&
            polynomial_below(down, IMP_ALONG_ORDER, 0, h, 0, &s))
            count_value(followed, 0, start + s);
        return;
    }
    if (!may_count(followed, h))
        return;
    int degree = polynomial_derivative(c, IMP_ALONG_ORDER, slope);
    int n = polynomial_roots(slope, degree, h, noise / h, root, degree);
    for (int i = 0; i < n; i++)
        count_value(followed, polynomial_value(c, IMP_ALONG_ORDER, root[i]),
                    start + root[i]);
}

/* The last piece ends at time t with this value. */
static void
end_piece(struct along *along, struct followed *followed, double t, double value)
{
    double h = t - along->time;
    double foreseen = polynomial_value(followed->c, IMP_ALONG_ORDER, h);
    if (!(fabs(foreseen - value) <=
          MISSED * (terms(followed->c, h) + fabs(value)))) {
        if (!followed->missed++)
            followed->from = along->time;
        followed->to = t;
        if (followed->item->field == IMP_ALONG_INTEGRAL)
            followed->value += h * (followed->c[0] + value) / 2;
        return;
    }
    take_piece(followed, along->time, h);
}

/* -- the run --------------------------------------------------------------- */

static int
look(struct along *along)
{
    double t = rt_time(along->analysis->rt), reach = INFINITY;
    double c[IMP_ALONG_ORDER + 1];
    for (uint32_t i = 0; i < along->n; i++) {
        struct followed *followed = &along->v[i];
        int st = arg_numbers(along->analysis, followed->item, c);
        if (st)
            return st;
        if (along->begun && t > along->time)
            end_piece(along, followed, t, c[0]);
        for (int k = 0; k <= IMP_ALONG_ORDER; k++)
            followed->c[k] = c[k];
        count_value(followed, c[0], t);
        reach = fmin(reach, fmin(step_by(c, IMP_ALONG_ORDER),
                                 step_by(c, IMP_ALONG_ORDER - 1)));
    }
    along->time = t;
    /* at least so far that time moves on */
    along->reach = fmax(t + reach, t + 64 * DBL_EPSILON * fabs(t) + DBL_MIN);
    along->begun = true;
    return IMP_OK;
}

int
along_look(struct along *along)
{
    assert(along);
    series_along_same(along->analysis->rt, true);
    int st = look(along);
    series_along_same(along->analysis->rt, false);
    return st;
}

double
along_reach(const struct along *along)
{
    assert(along);
    return along->begun ? along->reach : INFINITY;
}

void
along_put(struct along *along, struct record *out,
          void (*remark)(void *ctx, const char *text), void *ctx)
{
    assert(along && out && remark);
    const imp_image *im = along->analysis->rt->im;
    for (uint32_t i = 0; i < along->n; i++) {
        const struct followed *followed = &along->v[i];
        const char *name = imp_text(im, followed->item->name);
        char from[NUM_TEXT], to[NUM_TEXT];
        if (followed->any)
            SET_NUM(name, followed->value);
        else
            SET_ABSENT(name, followed->item->field == IMP_ALONG_FIRST
                                 ? "the condition held at no time of this run"
                                 : "the run has no motion");
        if (followed->missed)
            remark(ctx,
                   arena_printf(
                       record_arena(along->analysis),
                       "%s counts at both ends alone of %zu piece%s between t = "
                       "%s and %s: a limit of infinitely many impacts lies "
                       "there, or a kink",
                       imp_text(im, followed->item->label), followed->missed,
                       followed->missed == 1 ? "" : "s",
                       num_digits(from, followed->from, 9),
                       num_digits(to, followed->to, 9)));
    }
}
