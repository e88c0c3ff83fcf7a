/* SPDX-License-Identifier: MIT */
/* Standard errors of statistics of lists: by how much they scatter when as many
 * entries are drawn again from the same distribution. None supposes which
 * distribution that is. */
#include <assert.h>
#include <math.h>

#include "analysis/command/beta.h"
#include "analysis/command/lists.h"
#include "base/arena.h"

double
list_mean_error(const double *x, size_t n)
{
    double unit, variance = list_variance_in_units(x, n, &unit);
    return sqrt(variance / (double)n) * unit;
}

/* list_variance_error in squares of *unit, and the variance, too. */
static double
variance_error_in_units(const double *x, size_t n, double *unit,
                        double *variance)
{
    assert(x && n > 1);
    double mean = list_mean(x, n, 1),
           s2 = *variance = list_variance_in_units(x, n, unit);
    double fourth = 0, count = (double)n;
    for (size_t i = 0; i < n; i++) {
        double off = (x[i] - mean) / *unit, square = off * off;
        fourth += square * square;
    }
    /* never negative, as the fourth moment is at least the square of the
     * second one, and n^2 (n - 3) < (n - 1)^3 */
    double all = fourth / count - (count - 3) / (count - 1) * (s2 * s2);
    return sqrt(fmax(all, 0) / count);
}

double
list_variance_error(const double *x, size_t n)
{
    double unit, variance,
        error = variance_error_in_units(x, n, &unit, &variance);
    return error * unit * unit;
}

double
list_deviation_error(const double *x, size_t n)
{
    double unit, variance,
        error = variance_error_in_units(x, n, &unit, &variance);
    return variance > 0 ? error / (2 * sqrt(variance)) * unit : 0;
}

bool
list_correlation_error(const double *x, const double *y, size_t n, double *out)
{
    assert(x && y && n > 2 && out);
    double r, sum = 0, count = (double)n;
    if (!list_correlation(x, y, n, &r))
        return false;
    double mean_x = list_mean(x, n, 1), mean_y = list_mean(y, n, 1);
    /* deviations over n, of which the influence of all entries sums up to 0 */
    double scale = sqrt(count / (count - 1));
    double unit_x, to_x = scale / sqrt(list_variance_in_units(x, n, &unit_x));
    double unit_y, to_y = scale / sqrt(list_variance_in_units(y, n, &unit_y));
    for (size_t i = 0; i < n; i++) {
        double a = (x[i] - mean_x) / unit_x * to_x,
               b = (y[i] - mean_y) / unit_y * to_y;
        double influence = a * b - r * (a * a + b * b) / 2;
        sum += influence * influence;
    }
    *out = sqrt(sum / (count * (count - 1)));
    return true;
}

/* -- quantiles ------------------------------------------------------------- */

double
list_quantile_error(const double *sorted, size_t n, double p)
{
    assert(sorted && n > 1 && p > 0 && p < 1);
    double count = (double)n, place = 1 + p * (count - 1);
    double a = place, b = count + 1 - place;
    /* weights beyond 40 deviations are below exp(-40) */
    double middle = a / (a + b);
    double wide = 40 * sqrt(middle * (1 - middle) / (a + b + 1));
    size_t first = (size_t)fmax(0, floor((middle - wide) * count));
    size_t last = (size_t)fmin(count, ceil((middle + wide) * count));
    double weights = 0, mean = 0, squares = 0;
    double below = beta_below(a, b, (double)first / count);
    double about = list_quantile(sorted, n, p),
           unit = list_unit(sorted, n, about);
    for (size_t i = first; i < last; i++) {
        double next = beta_below(a, b, (double)(i + 1) / count);
        double weight = next - below, off = (sorted[i] - about) / unit;
        weights += weight;
        mean += weight * off;
        squares += weight * off * off;
        below = next;
    }
    mean /= weights;
    return sqrt(fmax(squares / weights - mean * mean, 0)) * unit;
}

/* -- distance of two distributions ------------------------------------------
 */

double
list_emd_error(struct arena *arena, const double *a, size_t n_a,
               const double *b, size_t n_b)
{
    assert(arena && a && b && n_a > 1 && n_b > 1);
    double *along_a = NEW_N(arena, double, n_a);
    double *along_b = NEW_N(arena, double, n_b);
    double at = fmin(a[0], b[0]), along = 0;
    size_t i = 0, j = 0;
    while (i < n_a || j < n_b) {
        double next = i >= n_a ? b[j] : j >= n_b ? a[i] : fmin(a[i], b[j]);
        double higher = (double)i / (double)n_a - (double)j / (double)n_b;
        along += (higher > 0 ? 1 : higher < 0 ? -1 : 0) * (next - at);
        while (i < n_a && a[i] == next)
            along_a[i++] = along;
        while (j < n_b && b[j] == next)
            along_b[j++] = along;
        at = next;
    }
    double unit_a, variance_a = list_variance_in_units(along_a, n_a, &unit_a);
    double unit_b, variance_b = list_variance_in_units(along_b, n_b, &unit_b);
    double unit = fmax(unit_a, unit_b), of_a = unit_a / unit,
           of_b = unit_b / unit;
    return sqrt(variance_a * of_a * of_a / (double)n_a +
                variance_b * of_b * of_b / (double)n_b) *
           unit;
}
