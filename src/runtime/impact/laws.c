/* SPDX-License-Identifier: MIT */
/* The laws of restitution at several contacts (spec screws.md 1.B, 1.E), chosen
 * by number from the table abi/laws.def. With v the normal
 * velocity (approach negative) and K = diag(e) the restitutions:
 *   newton          G P = -(1 + K) v0                          eqs (8), (11)
 *   poisson         G Pc = -v0, P = (1 + K) Pc
 *   least_norm      Newton's equations by least squares, least impulses
 *   energetic       compression as far as no contact approaches, then each
 *                   contact's work of expansion is -e^2 that of compression
 *                   (Stronge 1990)
 *   complementarity w = G P + v0 + K min(v0, 0) >= 0, P >= 0, P.w = 0
 *                   (Moreau 1988)
 *   rest            the same without restitution at several contacts
 *   sequential      one contact at a time, until none approaches
 * Contacts that separate before the impact take no part in Newton's, Poisson's
 * and the energetic law, because there is nothing to reverse. */
#include "runtime/impact/impact_priv.h"
#include <assert.h>

/* Forgets the decision before, for this law. */
static void
begin(struct impact_solver *solver, enum imp_impact_law law)
{
    solver->decision = (struct impact_decision){
        .law = law == IMP_IMPACT_UNDECLARED ? IMP_IMPACT_NEWTON : law,
        .fault = IMPACT_FINE,
        .determined = IMPACT_UNIQUE,
        .applied = true};
    solver->velocity.peak = false;
    for (int c = 0; c < solver->nc; c++)
        solver->velocity.residual[c] = 0;
}

void
impact_solver_solve(struct impact_solver *solver, enum imp_impact_law law)
{
    /* by the number of the law; without one it is Newton's */
    static impact_law_function *const function[] = {
        impact_law_newton,
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) impact_law_##word,
#include "abi/laws.def"
    };
    assert(solver != NULL && law < IMP_IMPACT_COUNT);
    assert(solver->nc >= 0 && solver->nc <= IMPACT_CONTACTS_MAX);
    bool on[IMPACT_CONTACTS_MAX];
    int n_on = 0;
    begin(solver, law);
    for (int c = 0; c < solver->nc; c++) {
        on[c] = !solver->approach.open[c];
        n_on += on[c];
    }
    function[solver->decision.law](solver, on, n_on);
    impact_momentum_balance(solver);
}

void
impact_solver_impose(struct impact_solver *solver, enum imp_impact_law law,
                     const double *P)
{
    assert(solver != NULL && law < IMP_IMPACT_COUNT && P != NULL);
    assert(solver->nc > 0 && solver->nc <= IMPACT_CONTACTS_MAX);
    double unit[IMPACT_CONTACTS_MAX];
    begin(solver, law);
    for (int c = 0; c < solver->nc; c++)
        unit[c] = P[c] * solver->approach.length[c];
    impact_motion_after(solver, unit);
    impact_momentum_balance(solver);
}
