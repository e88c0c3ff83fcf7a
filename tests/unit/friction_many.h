/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random points with friction, and whether forces obey the law. */
#ifndef IMP_TESTS_UNIT_FRICTION_MANY_H
#define IMP_TESTS_UNIT_FRICTION_MANY_H

#include "impact_help.h"
#include "runtime/friction/friction.h"

#define MOST 36
struct many {
    int n;
    double W[4 * MOST * MOST], free[2 * MOST], terms[2 * MOST];
    struct friction_point point[MOST];
};

/* rows J (2 n x dof) over unit masses, free = J f */
static inline void
random_many(uint64_t *seed, int n, int dof, double most_mu, struct many *m)
{
    double J[2 * MOST][2 * MOST + 3], f[2 * MOST + 3];
    m->n = n;
    for (int d = 0; d < dof; d++)
        f[d] = multi_random(seed, -1, 1);
    for (int r = 0; r < 2 * n; r++)
        for (int d = 0; d < dof; d++)
            J[r][d] = multi_random(seed, -1, 1);
    for (int r = 0; r < 2 * n; r++) {
        m->free[r] = m->terms[r] = 0.0;
        for (int d = 0; d < dof; d++) {
            m->free[r] += J[r][d] * f[d];
            m->terms[r] += fabs(J[r][d] * f[d]);
        }
        for (int c = 0; c < 2 * n; c++) {
            m->W[r * 2 * n + c] = 0.0;
            for (int d = 0; d < dof; d++)
                m->W[r * 2 * n + c] += J[r][d] * J[c][d];
        }
    }
    for (int i = 0; i < n; i++) {
        double mu = multi_random(seed, 0, most_mu);
        m->point[i] =
            (struct friction_point){.mu_static = mu, .mu_dynamic = mu};
        double kind = multi_random(seed, 0, 3);
        m->point[i].slip = kind < 1 ? 0 : kind < 2 ? 1 : -1;
    }
}

/* Does this set obey the law? */
static inline void
obeys(const struct many *m, const struct friction_set *set, double tol)
{
    int n = m->n;
    for (int i = 0; i < n; i++) {
        double N = set->normal[i], T = set->tangential[i],
               mu = m->point[i].mu_dynamic, u = m->point[i].slip;
        double acc[2], size[2];
        for (int r = 0; r < 2; r++) {
            acc[r] = m->free[2 * i + r];
            size[r] = m->terms[2 * i + r];
            for (int j = 0; j < n; j++) {
                const double *w = m->W + (2 * i + r) * 2 * n + 2 * j;
                acc[r] += w[0] * set->normal[j] + w[1] * set->tangential[j];
                size[r] += fabs(w[0] * set->normal[j]) +
                           fabs(w[1] * set->tangential[j]);
            }
        }
        double force = tol * (size[0] / m->W[2 * i * (2 * n + 1)] + fabs(N));
        assert_true(N >= -force && acc[0] >= -tol * size[0]);
        assert_true(fabs(N * acc[0]) <=
                    fabs(acc[0]) * force + fabs(N) * tol * size[0]);
        assert_true(fabs(T) <= mu * N + (1 + mu) * force);
        if (u != 0.0)
            assert_true(fabs(T + (u > 0 ? mu : -mu) * N) <= (1 + mu) * force);
        else if (fabs(acc[1]) > 100 * tol * size[1])
            assert_true(fabs(T + (acc[1] > 0 ? mu : -mu) * N) <=
                        (1 + mu) * force);
    }
}

#endif
