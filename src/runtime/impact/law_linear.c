/* SPDX-License-Identifier: MIT */
/* The laws that state normal velocities or impulses by linear equations:
 * Newton's, Poisson's, and Newton's by least squares (spec screws.md 1.B, eqs
 * (8), (11)). */
#include <math.h>
#include <string.h>

#include "runtime/impact/impact_priv.h"

static bool
reached(const struct impact_solver *solver, const double *residual)
{
    double off = 0;
    for (int c = 0; c < solver->nc; c++)
        off = fmax(off, fabs(residual[c]));
    return off <= IMPACT_OUTSIDE * solver->approach.speed;
}

/* P := pinv(G) b among the contacts `on`, of which there are n_on, and what it
 * says about uniqueness. *fits: the equations have a solution; where they have
 * none, the residual stays. False: the pseudoinverse did not settle. */
static bool
least_squares(struct impact_solver *solver, const bool *on, int n_on,
              const double *b, double *P, int *rank, bool *fits)
{
    if (delassus_pseudoinverse(solver, on, b, P, solver->velocity.residual,
                               rank)) {
        impact_no_motion(solver, IMPACT_UNSETTLED);
        return false;
    }
    *fits = *rank == n_on || reached(solver, solver->velocity.residual);
    solver->decision.determined = *rank == n_on ? IMPACT_UNIQUE
                                  : *fits       ? IMPACT_MOTION_UNIQUE
                                                : IMPACT_NOT_UNIQUE;
    for (int c = 0; c < solver->nc; c++)
        if (*fits)
            solver->velocity.residual[c] = 0;
        else
            solver->velocity.residual[c] *= solver->approach.length[c];
    return true;
}

/* Solves Newton's equations. Where they contradict each other, `nearest` asks
 * for the nearest velocities; otherwise there is no motion. */
static void
newton(struct impact_solver *solver, const bool *on, int n_on, bool nearest)
{
    double rhs[IMPACT_CONTACTS_MAX], impulse[IMPACT_CONTACTS_MAX];
    int rank;
    bool fits;
    for (int c = 0; c < solver->nc; c++)
        rhs[c] = -(1 + solver->approach.e[c]) * solver->approach.v0[c];
    if (!least_squares(solver, on, n_on, rhs, impulse, &rank, &fits))
        return;
    if (!fits && !nearest) {
        impact_no_motion(solver, IMPACT_INCONSISTENT);
        return;
    }
    if (!fits)
        solver->decision.fault = IMPACT_INCONSISTENT;
    impact_motion_after(solver, impulse);
    if (!fits)
        return;
    for (int c = 0; c < solver->nc; c++)
        rhs[c] += solver->approach.v0[c];
    impact_reach(solver, on, rhs);
    impact_peak_of_equal(solver, on);
}

void
impact_law_newton(struct impact_solver *solver, const bool *on, int n_on)
{
    newton(solver, on, n_on, false);
}

void
impact_law_least_norm(struct impact_solver *solver, const bool *on, int n_on)
{
    newton(solver, on, n_on, true);
}

void
impact_law_poisson(struct impact_solver *solver, const bool *on, int n_on)
{
    double rhs[IMPACT_CONTACTS_MAX], impulse[IMPACT_CONTACTS_MAX],
        Pc[IMPACT_CONTACTS_MAX];
    int rank;
    bool fits;
    for (int c = 0; c < solver->nc; c++)
        rhs[c] = -solver->approach.v0[c];
    if (!least_squares(solver, on, n_on, rhs, Pc, &rank, &fits))
        return;
    if (!fits) {
        impact_no_motion(solver, IMPACT_INCONSISTENT);
        return;
    }
    if (!delassus_keeps_null(solver, on, rank)) {
        impact_no_motion(solver, IMPACT_AMBIGUOUS);
        return;
    }
    for (int c = 0; c < solver->nc; c++)
        impulse[c] = Pc[c] * (1 + solver->approach.e[c]);
    impact_peak_at(solver, Pc, impulse);
    impact_motion_after(solver, impulse);
}
