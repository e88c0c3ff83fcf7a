/* SPDX-License-Identifier: MIT */
/* Statistics of lists of numbers. Means and sums of squares are taken in two
 * passes, so that what all entries share does not cost digits, and in a unit of
 * the list's own, so that no square is too large or too small for a number. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/command/lists.h"
#include "base/arena.h"

double
list_sum(const double *x, size_t n, size_t stride)
{
    assert(x || !n);
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double term = x[i * stride], next = sum + term;
        if (fabs(sum) >= fabs(term))
            rest += (sum - next) + term;
        else
            rest += (term - next) + sum;
        sum = next;
    }
    return sum + rest;
}

double
list_mean(const double *x, size_t n, size_t stride)
{
    assert(x && n > 0);
    double mean = list_sum(x, n, stride) / (double)n, rest = 0;
    for (size_t i = 0; i < n; i++)
        rest += x[i * stride] - mean;
    return mean + rest / (double)n;
}

double
list_unit(const double *x, size_t n, double about)
{
    assert(x || !n);
    double most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - about));
    if (!(most > 0) || !isfinite(most))
        return 1;
    frexp(most, &exponent);
    return ldexp(1.0, exponent - 1);
}

/* The mean of a list, and its unit about it. */
struct centre {
    double mean, unit;
};

static struct centre
centre_of(const double *x, size_t n)
{
    double mean = list_mean(x, n, 1);
    return (struct centre){mean, list_unit(x, n, mean)};
}

static double
from_centre(struct centre centre, double x)
{
    return (x - centre.mean) / centre.unit;
}

/* sum of (x - mean x)(y - mean y), in the units of both */
static double
product_sum(const double *x, struct centre of_x, const double *y,
            struct centre of_y, size_t n)
{
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double term = from_centre(of_x, x[i]) * from_centre(of_y, y[i]),
               next = sum + term;
        rest +=
            fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
    }
    return sum + rest;
}

double
list_variance_in_units(const double *x, size_t n, double *unit)
{
    assert(x && n > 1 && unit);
    struct centre centre = centre_of(x, n);
    *unit = centre.unit;
    return product_sum(x, centre, x, centre, n) / (double)(n - 1);
}

double
list_variance(const double *x, size_t n)
{
    double unit, variance = list_variance_in_units(x, n, &unit);
    return variance * unit * unit;
}

double
list_deviation(const double *x, size_t n)
{
    double unit, variance = list_variance_in_units(x, n, &unit);
    return sqrt(variance) * unit;
}

double
list_quantile(const double *sorted, size_t n, double p)
{
    assert(sorted && n > 0 && p >= 0 && p <= 1);
    double place = p * (double)(n - 1);
    size_t below = (size_t)place;
    if (below + 1 >= n)
        return sorted[n - 1];
    double share = place - (double)below;
    return (1 - share) * sorted[below] + share * sorted[below + 1];
}

double
list_emd(const double *a, size_t n_a, const double *b, size_t n_b)
{
    assert(a && b && n_a > 0 && n_b > 0);
    double area = 0;
    size_t i = 0, j = 0;
    double at = fmin(a[0], b[0]);
    while (i < n_a || j < n_b) {
        double next = i >= n_a ? b[j] : j >= n_b ? a[i] : fmin(a[i], b[j]);
        area += fabs((double)i / (double)n_a - (double)j / (double)n_b) *
                (next - at);
        while (i < n_a && a[i] == next)
            i++;
        while (j < n_b && b[j] == next)
            j++;
        at = next;
    }
    return area;
}

size_t
list_at_most(const double *sorted, size_t n, double x)
{
    assert(sorted || !n);
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (sorted[middle] <= x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

bool
list_regression(const double *x, const double *y, size_t n, double out[5])
{
    assert(x && y && n > 2 && out);
    struct centre of_x = centre_of(x, n), of_y = centre_of(y, n);
    double xx = product_sum(x, of_x, x, of_x, n);
    if (!(xx > 0))
        return false;
    double slope = product_sum(x, of_x, y, of_y, n) / xx, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double off = from_centre(of_y, y[i]) - slope * from_centre(of_x, x[i]);
        squares += off * off;
    }
    double variance = squares / (double)(n - 2), steep = of_y.unit / of_x.unit,
           at = of_x.mean / of_x.unit;
    out[0] = of_y.mean - slope * at * of_y.unit;
    out[1] = slope * steep;
    out[2] = sqrt(variance * (1.0 / (double)n + at * at / xx)) * of_y.unit;
    out[3] = sqrt(variance / xx) * steep;
    out[4] = sqrt(variance) * of_y.unit;
    return true;
}

bool
list_correlation(const double *x, const double *y, size_t n, double *out)
{
    assert(x && y && n > 1 && out);
    struct centre of_x = centre_of(x, n), of_y = centre_of(y, n);
    double xx = product_sum(x, of_x, x, of_x, n),
           yy = product_sum(y, of_y, y, of_y, n);
    if (!(xx > 0) || !(yy > 0))
        return false;
    *out = product_sum(x, of_x, y, of_y, n) / (sqrt(xx) * sqrt(yy));
    return true;
}

struct keyed {
    double x;
    size_t place;
};

static int
by_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->x < b->x || a->x > b->x)
        return a->x < b->x ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

void
list_order(struct arena *arena, const double *x, size_t n, size_t *order)
{
    assert(arena && (x || !n) && order);
    struct keyed *keyed = NEW_N(arena, struct keyed, n + 1);
    for (size_t i = 0; i < n; i++)
        keyed[i] = (struct keyed){x[i], i};
    qsort(keyed, n, sizeof *keyed, by_key);
    for (size_t i = 0; i < n; i++)
        order[i] = keyed[i].place;
}
