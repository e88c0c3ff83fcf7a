/* SPDX-License-Identifier: MIT */
/* See flight_sum.h.
 *
 * The sum of the flights S(u) = u + S(e(u) u), with d = 1 - e, is the sum of
 * those that are gone through one by one and of a remainder. Where d goes like
 * u^p near the last speed, a series in d solves the equation:
 *     S = u/d (a_0 + a_1 d + a_2 d^2 + ...), a_0 = 1/(1 - p), a_1 = -p/2, ...
 * whose first term is the integral of du/d. It is finite for p < 1 alone: p = 0
 * is a constant restitution below 1; p = 1/5 the viscoelastic law 1 - C
 * u^(1/5), whose flights shrink ever more slowly and still have a finite sum;
 * under 1 - C u infinitely many impacts take infinitely long. The remainder may
 * be off by the last term of the series, and because d differs from the power
 * of u at lower speeds. */
#include "runtime/accumulation/flight_sum.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

/* the most flights that are gone through for one sum */
#define FLIGHTS_MOST 4096
/* The law at lower speeds is looked at after every so many flights: it costs
 * FLIGHTS_OCTAVES values of the law. */
#define FLIGHTS_TRY 8
/* Each speed is rounded once more than the one before: the sum is off by a
 * rounding error per flight of the first length, and by these. */
#define FLIGHTS_ROUNDING 4.0
/* octaves of speeds below the last one at which the law is looked at */
#define FLIGHTS_OCTAVES 108

/* A power below 1 by less than so many of its rounding errors may be 1. */
#define TAIL_SURE 64.0
/* terms of the series in d */
#define TAIL_TERMS 8

/* The end of a sum. */
struct tail {
    double speed, lost; /* u and d = 1 - e(u) */
    double power;       /* p */
    double rest;        /* the remainder from u on; INFINITY: none is known */
    double error;       /* of the series */
    double rounding;    /* of 1 - e, in the remainder */
};

/* The coefficients a_k of the series. With S_k = a_k C^(k-1) u^(1 + (k-1) p)
 * the terms of one order in Taylor's series of S(u) - S(u - u d) are to vanish:
 * the derivatives of order j count (-1)^(j+1)/j!. */
static void
tail_terms(double p, double a[TAIL_TERMS])
{
    a[0] = 1.0 / (1.0 - p);
    for (int k = 1; k < TAIL_TERMS; k++) {
        double sum = 0.0, factor = 1.0;
        for (int j = 2; j <= k + 1; j++) {
            double derivative = 1.0;
            for (int i = 0; i < j; i++)
                derivative *= 1.0 + (k - j) * p - i;
            factor = -factor / j;
            sum += factor * a[k + 1 - j] * derivative;
        }
        a[k] = -sum / (1.0 + (k - 1) * p);
    }
}

static struct tail
tail_at(double speed, const double law[2])
{
    struct tail tail = {.speed = speed, .lost = 1.0 - law[0]};
    double d = tail.lost, a[TAIL_TERMS], sum = 0.0, power = 1.0;
    tail.power = -speed * law[1] / d;
    tail.rest = tail.error = INFINITY;
    /* p is known to the rounding of 1 - e, as a share of d */
    double blur = 2.0 * DBL_EPSILON / d;
    if (!(d > 0.0) || !(1.0 - tail.power > TAIL_SURE * blur) ||
        !(tail.power > -1.0))
        return tail;
    tail_terms(tail.power, a);
    for (int k = 0; k < TAIL_TERMS - 1; k++, power *= d)
        sum += a[k] * power;
    tail.rest = speed / d * sum;
    tail.rounding = tail.rest * blur * a[0];
    tail.error = speed / d * fabs(a[TAIL_TERMS - 1] * power);
    return tail;
}

/* By how much is the remainder off because the law is no power of the speed
 * below this one? The sum over octaves stands for the integral; what lies below
 * the last octave is bounded by the power alone. */
static int
unlike_power(restitution_law *law, void *context, const struct tail *tail,
             double *off)
{
    double speed = tail->speed, power = tail->lost, at[2];
    double shrinks = exp2(-tail->power);
    *off = 0.0;
    for (int k = 1; k <= FLIGHTS_OCTAVES; k++) {
        speed *= 0.5;
        power *= shrinks;
        int st = law(context, speed, at);
        if (st)
            return st;
        double lost = 1.0 - at[0];
        /* 1 - e is known to the rounding of 1 */
        if (fabs(lost - power) > DBL_EPSILON)
            *off += M_LN2 * fabs(speed / fmax(lost, 0.0) - speed / power);
    }
    return 0;
}

/* Do the flights below this speed take infinitely long? They do where 1 - e
 * goes to 0 as the speed itself or faster: the derivative of e grows no more
 * towards lower speeds. */
static int
is_endless(restitution_law *law, void *context, double speed, bool *endless)
{
    double low[2], middle[2];
    int st = law(context, ldexp(speed, -FLIGHTS_OCTAVES), low);
    if (!st)
        st = law(context, ldexp(speed, -FLIGHTS_OCTAVES / 2), middle);
    if (!st)
        *endless = fabs(1.0 - low[0]) <= DBL_EPSILON &&
                   fabs(low[1]) <=
                       fabs(middle[1]) *
                           (1.0 + FLIGHTS_OCTAVES * TAIL_SURE * DBL_EPSILON);
    return st;
}

int
flight_sum(restitution_law *law, void *context, double speed,
           struct flight_sum *out)
{
    assert(law != NULL && out != NULL && speed > 0.0);
    double sum = 0.0, low = 0.0, at[2], first = speed;
    bool endless;
    *out = (struct flight_sum){.sum = INFINITY, .error = INFINITY};
    int st = is_endless(law, context, speed, &endless);
    if (st || endless)
        return st;
    for (int k = 0; k < FLIGHTS_MOST; k++) {
        st = law(context, speed, at);
        if (st)
            return st;
        struct tail tail = {.rest = speed};
        double off = 0.0;
        if (at[0] != 0.0)
            tail = k % FLIGHTS_TRY == 0 || k == FLIGHTS_MOST - 1
                       ? tail_at(speed, at)
                       : (struct tail){.rest = INFINITY};
        if (isfinite(tail.rest) && at[0] != 0.0)
            st = unlike_power(law, context, &tail, &off);
        if (st)
            return st;
        double total = sum + (low + tail.rest), error = off + tail.error;
        if (error < total && isfinite(total))
            *out = (struct flight_sum){
                .ends = true,
                .sum = total / first,
                .error = (error + tail.rounding) / total +
                         DBL_EPSILON * (FLIGHTS_ROUNDING + total / first)};
        if (isfinite(total) && error <= 0.5 * DBL_EPSILON * total)
            return 0;
        /* the sum of ever smaller flights, without its rounding */
        double more = sum + speed;
        low += speed - (more - sum);
        sum = more;
        speed *= at[0];
    }
    return 0;
}
