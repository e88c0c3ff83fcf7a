/* SPDX-License-Identifier: MIT */
/* A system at one instant, for the second engine: mass matrix, gaps, gradients,
 * and the forces that keep closed contacts closed, made here from values of the
 * model's tapes alone. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/engines/second.h"
#include "base/arena.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/factors.h"

/* The first derivative of a gap that is not zero tells whether it opens or
 * closes. Derivatives up to this order are looked at. */
#define TENDENCY_ORDER 8
/* A coefficient up to this share of the greatest one, over the time of the run,
 * is none. */
#define TENDENCY_NONE 1e-12

void
second_systems_new(struct second *second)
{
    assert(second);
    struct rt *run = second->run;
    struct arena *arena = run->arena;
    second->system = NEW_N(arena, struct second_system, run->im->systems.n + 1);
    for (uint32_t s = 0; s < run->im->systems.n; s++) {
        struct second_system *system = &second->system[s];
        size_t n = rt_system(run, s)->n, m = rt_system(run, s)->n_contact;
        *system = (struct second_system){
            .number = s,
            .n = (uint32_t)n,
            .m = (uint32_t)m,
            .mass = NEW_N(arena, double, n *n + 1),
            .N = NEW_N(arena, double, m *n + 1),
            .B = NEW_N(arena, double, m *n + 1),
            .G = NEW_N(arena, double, m *m + 1),
            .pivot = NEW_N(arena, int, n + m + 1),
            .gap = NEW_N(arena, double, m + 1),
            .rate = NEW_N(arena, double, m + 1),
            .bend = NEW_N(arena, double, m + 1),
            .beyond = NEW_N(arena, double, m + 1),
            .force = NEW_N(arena, double, m + 1),
            .work = NEW_N(arena, double, m *(m + 2) + n + 3),
            .held = NEW_N(arena, bool, m + 1)};
    }
}

/* the second derivatives of the gaps along the motion without forces */
static int
bends(struct second *second, struct second_system *system)
{
    struct rt *run = second->run;
    double series[3];
    int st = motion_rows(run, rt_system(run, system->number)->block, 2);
    for (uint32_t i = 0; i < system->m && !st; i++) {
        st = system_gap_series(run, system->number, i, 2, series);
        system->bend[i] = 2.0 * series[2];
    }
    return st;
}

int
second_tendencies(struct second *second, struct second_system *system)
{
    assert(second && system);
    struct rt *run = second->run;
    double series[TENDENCY_ORDER + 1];
    int st =
        motion_rows(run, rt_system(run, system->number)->block, TENDENCY_ORDER);
    for (uint32_t i = 0; i < system->m && !st; i++) {
        double size = 0.0, span = second->sim->options.until;
        st = system_gap_series(run, system->number, i, TENDENCY_ORDER, series);
        for (int k = TENDENCY_ORDER; k >= 2; k--) {
            size = fmax(size, fabs(series[k]) * pow(span, k));
            series[k] *= pow(span, k);
        }
        system->beyond[i] = 0.0;
        for (int k = 2; k <= TENDENCY_ORDER && system->beyond[i] == 0.0; k++)
            if (fabs(series[k]) > TENDENCY_NONE * size)
                system->beyond[i] = series[k];
    }
    return st;
}

int
second_instant(struct second *second, struct second_system *system, bool bend)
{
    assert(second && system);
    struct rt *run = second->run;
    size_t n = system->n, m = system->m;
    int st = system_mass(run, system->number, system->mass);
    if (!st && imp_ldlt_factor((int)n, system->mass, system->pivot))
        st = IMP_SINGULAR;
    for (uint32_t i = 0; i < m && !st; i++) {
        double *N = system->N + i * n, *B = system->B + i * n;
        st = system_gap(run, system->number, i, &system->gap[i],
                        &system->rate[i], N);
        memcpy(B, N, n * sizeof *B);
        imp_ldlt_solve((int)n, system->mass, system->pivot, B);
    }
    for (size_t i = 0; i < m && !st; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++)
                sum += system->N[i * n + k] * system->B[j * n + k];
            system->G[i * m + j] = sum;
        }
    return st || !bend ? st : bends(second, system);
}

int
second_forces(struct second_system *system)
{
    assert(system);
    size_t n_contacts = system->m;
    double *delassus = system->work,
           *forces = system->work + n_contacts * n_contacts;
    int count = 0, *pivot = system->pivot + system->n;
    memset(system->force, 0, n_contacts * sizeof *system->force);
    for (size_t i = 0; i < n_contacts; i++)
        count += system->held[i];
    size_t row = 0;
    for (size_t i = 0; i < n_contacts; i++) {
        size_t column = 0;
        for (size_t j = 0; j < n_contacts && system->held[i]; j++)
            if (system->held[j])
                delassus[row * (size_t)count + column++] =
                    system->G[i * n_contacts + j];
        if (system->held[i])
            forces[row++] = -system->bend[i];
    }
    if (imp_ldlt_factor(count, delassus, pivot))
        return IMP_NONFINITE;
    imp_ldlt_solve(count, delassus, pivot, forces);
    row = 0;
    for (size_t i = 0; i < n_contacts; i++)
        if (system->held[i])
            system->force[i] = forces[row++];
    return IMP_OK;
}

void
second_push(const struct second_system *system, const double *lambda,
            double *velocity)
{
    assert(lambda != NULL && velocity != NULL);
    for (size_t i = 0; i < system->m; i++)
        for (size_t k = 0; k < system->n; k++)
            velocity[k] += system->B[i * system->n + k] * lambda[i];
}
