/* SPDX-License-Identifier: MIT */
/* Relays of bodies with joints: what a share does, joints pass on. The unknowns
 * of both are those of one linear problem at each instant. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "runtime/numerics/factors.h"
#include "runtime/relays/relays_priv.h"

void
relays_jointed(struct rt *run, uint32_t block, struct relays *relays)
{
    const imp_block *of = block_of(run, block);
    size_t n = (size_t)of->n_unknown + relays->of->n;
    if (of->n_unknown == 0 || of->bodies.n == 0)
        return;
    relays->unknown = NEW_N(run->own, double, n + 2 * relays->of->n);
    relays->out = NEW_N(run->own, double, n *(n + 1));
    relays->rates = NEW_N(run->own, double, relays->of->n_state + (size_t)1);
    relays->pivot = NEW_N(run->own, int, 2 * n);
}

int
relays_unknowns(struct rt *run, uint32_t block, const double **unknown)
{
    assert(unknown != NULL);
    struct relays *relays = relays_of(run, block);
    assert(relays != NULL);
    *unknown = relays->unknown;
    if (!relays->unknown)
        return IMP_OK;
    uint32_t m = relays->of->n, n = block_of(run, block)->n_unknown + m;
    double *x = relays->unknown;
    memset(x, 0, n * sizeof *x);
    for (uint32_t i = 0; i < 2 * m; i++)
        x[n + i] = *mode_of(relays, i);
    int st = rt_eval(run, relays->of->solve, x, relays->out);
    if (st)
        return st;
    if (imp_rank_factor((int)n, relays->out + n, relays->pivot))
        return IMP_SINGULAR;
    for (uint32_t i = 0; i < n; i++)
        x[i] = -relays->out[i];
    imp_rank_solve((int)n, relays->out + n, relays->pivot, x);
    return IMP_OK;
}

/* The coefficient of order 1 of row k of the series made last. */
static double
rate_made(const struct rt *run, const struct relays *relays, uint32_t k)
{
    const uint32_t *row = IMP_ARRAY(run->im, relays->of->rows, uint32_t);
    return relays->work[(size_t)row[k] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
}

int
relays_through_joints(struct rt *run, uint32_t block, struct relays *relays)
{
    uint32_t n = relays->of->n, n_state = relays->of->n_state;
    double keep[2 * IMP_RELAYS_MAX], *told = relays->told,
                                     *K = told + (size_t)n * IMP_RELAY_TOLD,
                                     *push = K + (size_t)n * n;
    bool act = relays->act;
    int st = IMP_OK;
    if (!relays->unknown)
        return IMP_OK;
    for (uint32_t i = 0; i < 2 * n; i++) {
        keep[i] = *mode_of(relays, i);
        *mode_of(relays, i) = 0.0;
    }
    relays->act = true;
    for (uint32_t j = n + 1; j-- > 0 && !st;) { /* no relay, then each */
        double *side = mode_of(relays, n + j % n);
        *side = j < n;
        st = relays_rates_made(run, block);
        *side = 0.0;
        for (uint32_t k = 0; k < n_state && !st; k++)
            if (j < n)
                push[(size_t)j * n_state + k] =
                    rate_made(run, relays, k) - relays->rates[k];
            else
                relays->rates[k] = rate_made(run, relays, k);
        for (uint32_t i = 0; i < n && !st; i++) {
            double rate = rate_made(run, relays, n_state + n + i);
            if (j < n)
                K[i * n + j] = rate - told[i * IMP_RELAY_TOLD + 2];
            else
                told[i * IMP_RELAY_TOLD + 2] = rate;
        }
    }
    for (uint32_t i = 0; i < n && !st; i++) {
        double *terms = told + i * IMP_RELAY_TOLD + 3;
        *terms += fabs(told[i * IMP_RELAY_TOLD + 2]);
    }
    for (uint32_t i = 0; i < 2 * n; i++)
        *mode_of(relays, i) = keep[i];
    relays->act = act;
    return st;
}
