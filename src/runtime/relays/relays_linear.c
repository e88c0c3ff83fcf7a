/* SPDX-License-Identifier: MIT */
/* What all kinds of relays are asked: linear equations among those that are
 * held, and how far their series reach. */
#include <assert.h>
#include <math.h>

#include "runtime/numerics/factors.h"
#include "runtime/relays/relays_priv.h"

/* Solves K x = -b among relays that are held. */
bool
relays_solve(const struct relays *relays, const bool *held, const double *K,
             const double *b, double *x)
{
    uint32_t n = relays->of->n, of[IMP_RELAYS_MAX], m = 0;
    double a[IMP_RELAYS_MAX * IMP_RELAYS_MAX], y[IMP_RELAYS_MAX];
    int pivot[IMP_RELAYS_MAX];
    for (uint32_t i = 0; i < n; i++)
        if (held[i])
            of[m++] = i;
    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j < m; j++)
            a[i * m + j] = K[of[i] * n + of[j]];
        y[i] = -b[of[i]];
    }
    if (m > 0 && imp_lu_factor((int)m, a, pivot))
        return false;
    if (m > 0)
        imp_lu_solve((int)m, a, pivot, y);
    for (uint32_t i = 0; i < m; i++)
        x[of[i]] = y[i];
    return true;
}

/* A step that is more than so many times longer than that in which a term of a
 * share changes by more than its range has no end. */
#define RELAY_FAR 64.0

double
relays_with_end(const double *share, int order, double step)
{
    double end = INFINITY;
    for (int k = 1; k <= order; k++)
        if (share[k] != 0.0)
            end = fmin(end, pow(2.0 / fabs(share[k]), 1.0 / k));
    return step > RELAY_FAR * end ? end : step;
}

/* Fujiwara's bound: steps may be longer than any power of them is told. */
double
relays_root_bound(const double *c, int n)
{
    double bound = 0.0;
    while (n > 0 && c[n] == 0.0)
        n--;
    for (int k = 0; k < n; k++)
        if (c[k] != 0.0)
            bound = fmax(bound, pow(fabs(c[k] / c[n]), 1.0 / (n - k)));
    return 2.0 * bound;
}
