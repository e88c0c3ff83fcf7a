/* SPDX-License-Identifier: MIT */
/* Nelder and Mead's search (1965) with the coefficients of Gao and Han (2012),
 * which suit many params, within bounds: a point beyond a bound is put on it. A
 * simplex that has become small may have collapsed before the minimum, so the
 * search is begun anew around the best point, until that changes nothing. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/fit/fit_priv.h"

struct simplex {
    struct trial *trial;
    uint32_t n;
    double *corner; /* (n + 1) rows of n */
    double *value;  /* of the corners */
    double *centre, *point, *other;
    size_t most, asked;
};

static double *
corner(const struct simplex *simplex, uint32_t k)
{
    return simplex->corner + (size_t)k * simplex->n;
}

/* Puts the point onto the bounds that it has passed, and asks for its value. */
static int
ask(struct simplex *simplex, double *x, double *value)
{
    for (uint32_t j = 0; j < simplex->n; j++)
        x[j] = fmin(fmax(x[j], simplex->trial->lo[j]), simplex->trial->hi[j]);
    simplex->asked++;
    return trial_value(simplex->trial, x, value);
}

/* A corner beside the first one, along param j, on the side that has room. */
static void
place_corner(struct simplex *simplex, uint32_t j, double step)
{
    const struct trial *trial = simplex->trial;
    double *x = corner(simplex, j + 1);
    memcpy(x, corner(simplex, 0), simplex->n * sizeof *x);
    if (x[j] + step > trial->hi[j] && x[j] - step < trial->lo[j])
        step = fmax(trial->hi[j] - x[j], x[j] - trial->lo[j]);
    x[j] += x[j] + step <= trial->hi[j] ? step : -step;
}

/* Sorts the corners by value; equals stay as they are. */
static void
sort_corners(struct simplex *simplex)
{
    uint32_t n = simplex->n;
    for (uint32_t i = 1; i <= n; i++)
        for (uint32_t k = i; k > 0 && simplex->value[k] < simplex->value[k - 1];
             k--) {
            double value = simplex->value[k];
            simplex->value[k] = simplex->value[k - 1];
            simplex->value[k - 1] = value;
            memcpy(simplex->point, corner(simplex, k), n * sizeof(double));
            memcpy(corner(simplex, k), corner(simplex, k - 1),
                   n * sizeof(double));
            memcpy(corner(simplex, k - 1), simplex->point, n * sizeof(double));
        }
}

/* centre + factor (centre - worst) */
static void
along(struct simplex *simplex, double factor, double *x)
{
    const double *worst = corner(simplex, simplex->n);
    for (uint32_t j = 0; j < simplex->n; j++)
        x[j] = simplex->centre[j] + factor * (simplex->centre[j] - worst[j]);
}

static void
replace_worst(struct simplex *simplex, const double *x, double value)
{
    memcpy(corner(simplex, simplex->n), x, simplex->n * sizeof *x);
    simplex->value[simplex->n] = value;
}

static int
shrink(struct simplex *simplex, double factor)
{
    for (uint32_t k = 1; k <= simplex->n; k++) {
        double *x = corner(simplex, k);
        const double *best = corner(simplex, 0);
        for (uint32_t j = 0; j < simplex->n; j++)
            x[j] = best[j] + factor * (x[j] - best[j]);
        int st = ask(simplex, x, &simplex->value[k]);
        if (st)
            return st;
    }
    return IMP_OK;
}

/* One move of the worst corner, or of all towards the best one. */
static int
move(struct simplex *simplex)
{
    uint32_t n = simplex->n;
    double size = n > 1 ? n : 2; /* one param: as two */
    double grow = 1 + 2 / size, contract = 0.75 - 0.5 / size;
    double reflected, further;
    int st;
    memset(simplex->centre, 0, n * sizeof(double));
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < n; j++)
            simplex->centre[j] += corner(simplex, k)[j] / n;
    along(simplex, 1, simplex->point);
    if ((st = ask(simplex, simplex->point, &reflected)))
        return st;
    if (reflected < simplex->value[0]) {
        along(simplex, grow, simplex->other);
        if ((st = ask(simplex, simplex->other, &further)))
            return st;
        if (further < reflected)
            replace_worst(simplex, simplex->other, further);
        else
            replace_worst(simplex, simplex->point, reflected);
        return IMP_OK;
    }
    if (n > 1 && reflected < simplex->value[n - 1]) {
        replace_worst(simplex, simplex->point, reflected);
        return IMP_OK;
    }
    bool outside = reflected < simplex->value[n];
    along(simplex, outside ? contract : -contract, simplex->other);
    if ((st = ask(simplex, simplex->other, &further)))
        return st;
    if (further < (outside ? reflected : simplex->value[n])) {
        replace_worst(simplex, simplex->other, further);
        return IMP_OK;
    }
    return shrink(simplex, 1 - 1 / size);
}

/* Is the simplex as small as its params can be told apart, or flat and small
 * enough that the square of what is left is rounding? */
static bool
small(const struct simplex *simplex)
{
    double spread = simplex->value[simplex->n] - simplex->value[0];
    bool flat = spread <= 4 * DBL_EPSILON * fabs(simplex->value[0]);
    double share = flat ? sqrt(DBL_EPSILON) : 4 * DBL_EPSILON;
    for (uint32_t j = 0; j < simplex->n; j++) {
        double lo = corner(simplex, 0)[j], hi = lo;
        for (uint32_t k = 1; k <= simplex->n; k++) {
            lo = fmin(lo, corner(simplex, k)[j]);
            hi = fmax(hi, corner(simplex, k)[j]);
        }
        if (hi - lo > share * fmax(fabs(lo), fabs(hi)) && hi - lo > DBL_MIN)
            return false;
    }
    return true;
}

/* One search from corner 0; *done: it came to an end. */
static int
search_once(struct simplex *simplex, const double *step, bool *done)
{
    int st;
    *done = false;
    for (uint32_t j = 0; j < simplex->n; j++) {
        place_corner(simplex, j, step[j]);
        if ((st = ask(simplex, corner(simplex, j + 1), &simplex->value[j + 1])))
            return st;
    }
    sort_corners(simplex);
    while (!(*done = small(simplex)) && simplex->asked < simplex->most) {
        if ((st = move(simplex)))
            return st;
        sort_corners(simplex);
    }
    return IMP_OK;
}

int
simplex_search(struct trial *trial, double *x, const double *step, size_t most,
               struct simplex_result *result)
{
    assert(trial && trial->n > 0 && x && step && result);
    struct arena *arena = record_arena(trial->of);
    uint32_t n = trial->n;
    struct simplex simplex = {.trial = trial,
                              .n = n,
                              .corner = NEW_N(arena, double, (n + 1) * n),
                              .value = NEW_N(arena, double, n + 1),
                              .centre = NEW_N(arena, double, n),
                              .point = NEW_N(arena, double, n),
                              .other = NEW_N(arena, double, n),
                              .most = most};
    double *steps = arena_copy(arena, step, n * sizeof *step);
    memcpy(simplex.corner, x, n * sizeof *x);
    int st = ask(&simplex, simplex.corner, &simplex.value[0]);
    bool done = false;
    for (int round = 0; !st && isfinite(simplex.value[0]) && round < 20;
         round++) {
        double before = simplex.value[0];
        memcpy(simplex.other, simplex.corner, n * sizeof *x);
        st = search_once(&simplex, steps, &done);
        double gained = before - simplex.value[0];
        if (!done || st ||
            (round > 0 && !(gained > 4 * DBL_EPSILON * fabs(before))))
            break;
        for (uint32_t j = 0; j < n; j++) /* as far as this round has moved */
            steps[j] = fmax(
                fmin(steps[j], fabs(simplex.corner[j] - simplex.other[j])),
                steps[j] / 16);
    }
    memcpy(x, simplex.corner, n * sizeof *x);
    *result = (struct simplex_result){simplex.value[0], simplex.asked, done};
    return st;
}
