/* SPDX-License-Identifier: MIT */
/* Where an expression has a kink, or jumps: the functions that its branches
 * depend on, and what of them is rounding. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/along/along_priv.h"
#include "runtime/numerics/polynomial.h"

/* A series of a kink that misses the value at its other end by this share is
 * rounding, which is a small share of the greatest values of that function,
 * unless it happens again and again. */
#define FORESEEN 0x1p-10
#define ROUNDING 0x1p-30
#define MISSED_ROW 3
#define MISSED_OFTEN 100

/* By how much the series of a kink misses its value now, h later. */
double
along_kink_off(const struct followed *followed, uint32_t i, double h)
{
    const double *c = followed->c + (size_t)i * ALONG_WIDTH;
    return fabs(polynomial_value(c, IMP_ALONG_ORDER, h) -
                followed->next[(size_t)i * ALONG_WIDTH]);
}

/* Has a branch come to its change as its function foresaw, to this share of its
 * terms? Then the expression, where it does not, jumps there. */
bool
along_jumps(const struct followed *followed, double h, double share)
{
    for (uint32_t i = 1; i <= followed->item->ref; i++) {
        double little = share * terms(followed->c + (size_t)i * ALONG_WIDTH, h);
        if (along_kink_off(followed, i, h) <= little &&
            fabs(followed->next[(size_t)i * ALONG_WIDTH]) <= little)
            return true;
    }
    return false;
}

/* Has a branch come to its change at time t, h later, to the rounding of the
 * time, as its function foresaw? A row or an event may end the piece right
 * before. */
bool
along_jumps_now(const struct followed *followed, double h, double t)
{
    for (uint32_t i = 1; i <= followed->item->ref; i++) {
        const double *c = followed->c + (size_t)i * ALONG_WIDTH;
        double slope[ALONG_WIDTH],
            now = followed->next[(size_t)i * ALONG_WIDTH];
        int degree = polynomial_derivative(c, IMP_ALONG_ORDER, slope);
        double near =
            along_least_step(t) * fabs(polynomial_value(slope, degree, h));
        if (along_kink_off(followed, i, h) <= near && fabs(now) <= near)
            return true;
    }
    return false;
}

void
along_heed(struct followed *followed)
{
    for (uint32_t i = 1; i < followed->item->rows / ALONG_WIDTH; i++)
        followed->kink[i].row = 0;
}

bool
along_noisy(const struct followed *followed)
{
    bool noisy = false;
    for (uint32_t i = 1; i < followed->item->rows / ALONG_WIDTH; i++)
        noisy |= followed->kink[i].missed > MISSED_OFTEN &&
                 followed->kink[i].row >= MISSED_ROW;
    return noisy;
}

/* Is kink i, whose function has coefficients p, rounding alone within h? A gap
 * that stays closed changes its sign all the time. */
static bool
is_rounding(const struct followed *followed, uint32_t i, const double *p,
            double h)
{
    return terms(p, h) <= followed->kink[i].floor;
}

/* Until when is such a function, whose zeros are kinks, rounding of what it was
 * before, at most h? What sticks has a speed of 0 again and again, and between
 * a rate that is the rounding of its forces. */
static double
rounding_until(const struct followed *followed, uint32_t i, const double *p,
               double h)
{
    double little = ALONG_ROUNDING * followed->kink[i].size;
    if (!(fabs(p[0]) <= little))
        return 0;
    while (h > 0 && terms(p, h) > little)
        h /= 2;
    return h;
}

/* When the first kink comes within h; 0 also where one is now: at a zero
 * nothing says on which side the branch is. Extremes are those of squares,
 * whose roots have a kink where these are 0 alone. */
double
along_first_kink(const struct followed *followed, double h)
{
    const imp_val *item = followed->item;
    double first = INFINITY, s;
    for (uint32_t i = 1; i < item->rows / ALONG_WIDTH; i++) {
        const double *c = followed->c + (size_t)i * ALONG_WIDTH;
        double p[ALONG_WIDTH];
        int degree = IMP_ALONG_ORDER;
        bool any = false;
        memcpy(p, c, sizeof p);
        if (i > item->ref)
            degree = polynomial_derivative(c, IMP_ALONG_ORDER, p);
        double sign = p[0] < 0 ? -1 : 1;
        for (int k = 0; k <= degree; k++) {
            any |= p[k] != 0;
            p[k] *= sign;
        }
        if (!any || is_rounding(followed, i, c, h) ||
            (i > item->ref && changes(c, h) < fabs(c[0]) / 2)) /* far from 0 */
            continue;
        double from = i <= item->ref ? rounding_until(followed, i, p, h) : 0;
        if (from >= h && from > 0)
            continue;
        if (i <= item->ref && p[0] == 0)
            first = fmin(first, from);
        else if (polynomial_below(p, degree, from, h, 0, &s))
            first = fmin(first, s);
    }
    return first;
}

/* What the series of the kinks foresaw for now, h later, where nothing has
 * happened, tells their rounding. */
void
along_learn_rounding(struct followed *followed, double h)
{
    for (uint32_t i = 1; i < followed->item->rows / ALONG_WIDTH; i++) {
        const double *c = followed->c + (size_t)i * ALONG_WIDTH;
        struct along_kink *kink = &followed->kink[i];
        double now = followed->next[(size_t)i * ALONG_WIDTH],
               size = terms(c, h), off = along_kink_off(followed, i, h);
        kink->size = fmax(kink->size, size);
        if (!(off > FORESEEN * size)) {
            kink->row = 0;
            continue;
        }
        if (++kink->row < MISSED_ROW) /* an event, perhaps */
            continue;
        double most =
            ++kink->missed > MISSED_OFTEN ? INFINITY : ROUNDING * kink->size;
        kink->floor = fmax(kink->floor, fmin(4 * (size + fabs(now)), most));
    }
}
