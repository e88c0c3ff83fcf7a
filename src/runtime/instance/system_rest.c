/* SPDX-License-Identifier: MIT */
/* Rates of a system that its closed contacts hold at 0 (system.h).
 *
 * All forces together do not move such a rate, at any order. What is found of
 * it order by order is rounding of what cancels, and a power of it, as of the
 * damper -C sign(v) |v|^p, has no series there: it is divided by that rounding.
 * As series such rates are 0 here, and so the forces of the contacts have their
 * series, for as long as the contacts hold. Which rates rest is asked of each
 * order: what all forces make of them must be rounding of the loads without
 * contacts, in the norm of energies. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/system.h"
#include "runtime/tape/eval.h"

/* Rates below so many roundings of what the loads without contacts give are 0,
 * and rates of the coordinate's own size in the time in which it moves by that.
 */
#define STILL_ROUNDING 64.0

struct still {
    uint32_t system, n;    /* coordinates */
    bool *rests;           /* per variable; rates are the second half */
    double *mass, *weight; /* per coordinate: of a rate of 1 */
    double *load; /* per order: of all loads without contacts; in the norm of
                     energies, as `weight` */
    double *numbers, *left;
};

static const imp_block *
block_of(const struct rt *run, uint32_t system)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) +
           rt_system(run, system)->block;
}

/* The row of this variable in the rows made last. */
static const double *
row_of(const struct rt *run, uint32_t system, uint32_t i)
{
    const imp_block *block = block_of(run, system);
    return run->rows.block[rt_system(run, system)->block] +
           (size_t)IMP_ARRAY(run->im, block->rows, uint32_t)[i] *
               IMP_ROW_STRIDE +
           IMP_ROW_PAD;
}

static double
still_norm(const struct still *still)
{
    return system_energy_norm(still->mass, still->numbers, still->n);
}

/* Which rates rest, by the rows to order 1? They become 0. */
static bool
still_begin(struct rt *run, struct still *still)
{
    const imp_block *block = block_of(run, still->system);
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    uint32_t n = still->n;
    double *a = NEW_N(run->brief, double, n + 1), low;
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        a[i] = row_of(run, still->system, n + i)[1];
    int st =
        rt_series(run, block->motion, NULL, NULL,
                  run->rows.block[rt_system(run, still->system)->block], 1);
    if ((st != IMP_OK && st != IMP_NONFINITE) ||
        system_mass(run, still->system, still->mass) != IMP_OK)
        return false;
    for (uint32_t i = 0; i < n; i++)
        still->numbers[i] = row_of(run, still->system, n + i)[1];
    double load = still_norm(still);
    low = STILL_ROUNDING * DBL_EPSILON;
    memset(still->numbers, 0, n * sizeof *still->numbers);
    for (uint32_t i = 0; i < n; i++) {
        still->numbers[i] = 1.0;
        double w = still->weight[i] = still_norm(still),
               size = fabs(run->env[state[i]]),
               speed = fabs(run->env[state[n + i]]);
        still->numbers[i] = 0.0;
        if (!(w * fabs(a[i]) <= low * load) ||
            !(w * speed <= low * sqrt(load * w * size)))
            continue;
        still->rests[n + i] = any = true;
        run->env[state[n + i]] = 0.0;
    }
    return any && isfinite(load);
}

/* Finds the loads of all orders, without contacts, at this rest. */
static bool
still_loads(struct rt *run, struct still *still, int order)
{
    const imp_block *block = block_of(run, still->system);
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    size_t n_rows = rt_tape(run, block->motion)->n_rows;
    struct series_rest rest = {
        NEW_N(run->brief, bool, n_rows + 1),
        NEW_N(run->brief, double, (n_rows + 1) * IMP_ROW_STRIDE), order};
    for (uint32_t i = 0; i < 2 * still->n; i++)
        rest.row[row[i]] = still->rests[i];
    if (rt_series_resting(run, block->motion, NULL, NULL,
                          run->rows.block[rt_system(run, still->system)->block],
                          order, &rest) != IMP_OK)
        return false;
    for (int k = 1; k <= order; k++) {
        for (uint32_t i = 0; i < still->n; i++) {
            uint32_t v = still->n + i;
            const double *c =
                still->rests[v]
                    ? rest.left + (size_t)row[v] * IMP_ROW_STRIDE + IMP_ROW_PAD
                    : row_of(run, still->system, v);
            still->numbers[i] = k * c[k];
        }
        still->load[k] = still_norm(still);
    }
    /* where the loads of an order are little they are known as well as those
     * that vary as fast as all up to it */
    double first = still->load[1], fastest = 0.0;
    for (int k = 2; k <= order && first > 0.0; k++) {
        fastest = fmax(fastest, pow(still->load[k] / first, 1.0 / (k - 1)));
        double whole = first * pow(fastest, k - 1);
        if (isfinite(whole))
            still->load[k] = fmax(still->load[k], whole);
    }
    return true;
}

/* Do all forces together move none of the rates that rest? Those that they
 * move do not rest. */
static bool
still_holds(const struct still *still, int order)
{
    bool holds = true;
    for (uint32_t i = 0; i < still->n; i++) {
        const double *left =
            still->left + (size_t)(still->n + i) * IMP_ROW_STRIDE + IMP_ROW_PAD;
        for (int k = 1; k <= order && still->rests[still->n + i]; k++)
            if (!(still->weight[i] * fabs(k * left[k]) <=
                  STILL_ROUNDING * DBL_EPSILON * still->load[k]))
                still->rests[still->n + i] = holds = false;
    }
    return holds;
}

int
system_series_at_rest(struct rt *run, uint32_t system, int order, int high)
{
    assert(system < run->im->systems.n && order >= 1 && high >= order);
    size_t n = rt_system(run, system)->n;
    struct still still = {
        system,
        (uint32_t)n,
        NEW_N(run->brief, bool, 2 * n + 1),
        NEW_N(run->brief, double, n *n + 1),
        NEW_N(run->brief, double, n + 1),
        NEW_N(run->brief, double, (size_t)high + 1),
        NEW_N(run->brief, double, n + 1),
        NEW_N(run->brief, double, 2 * n * IMP_ROW_STRIDE + 1)};
    struct diags unheard, *heard = run->ds;
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    bool holds = false;
    int st = still_begin(run, &still) ? IMP_OK : IMP_NONFINITE;
    for (size_t tries = 0; tries <= n && !st && !holds; tries++) {
        st = still_loads(run, &still, high) ? IMP_OK : IMP_NONFINITE;
        if (!st)
            st = system_series_resting(run, system, high, still.rests,
                                       still.left);
        holds = !st && still_holds(&still, high);
    }
    if (holds && order < high)
        st = system_series_resting(run, system, order, still.rests, still.left);
    run->ds = heard;
    return holds && !st ? IMP_OK : IMP_NONFINITE;
}

double
system_energy_norm(const double *mass, const double *velocity, uint32_t count)
{
    assert(mass != NULL && velocity != NULL);
    double sum = 0.0, greatest = 0.0;
    for (uint32_t i = 0; i < count; i++)
        greatest = fmax(greatest, fabs(velocity[i]));
    if (!(greatest > 0.0) || !isfinite(greatest))
        return greatest;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            sum += (velocity[i] / greatest) * mass[(size_t)i * count + j] *
                   (velocity[j] / greatest);
    return sqrt(fmax(sum, 0.0)) * greatest;
}
