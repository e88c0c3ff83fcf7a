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
#include <math.h>

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

/* normal velocities up to this share of the speeds are rest, impulses up to
 * this share of the greatest one pull by rounding only */
#define PUSHING_RESTS 1e-9

void
impact_solver_solve_pushing(struct impact_solver *solver,
                            enum imp_impact_law law)
{
    assert(solver != NULL && solver->nc > 0);
    const struct impact_approach *approach = &solver->approach;
    bool may_pull = !(imp_impact_law_traits(law) & IMP_LAW_TRAIT_PUSHES);
    double still = PUSHING_RESTS * approach->speed;
    for (int round = 0; round < 4 * solver->nc + 8; round++) {
        int worst = -1;
        double most = 0, big = 0;
        impact_solver_solve(solver, law);
        if (!may_pull || !solver->decision.applied)
            return;
        for (int c = 0; c < solver->nc; c++)
            big = fmax(big, fabs(solver->impulse.P[c] * approach->length[c]));
        for (int c = 0; c < solver->nc; c++) {
            if (fabs(approach->v0[c]) > still)
                continue;
            double off = approach->open[c]
                             ? -solver->velocity.after[c] /
                                   approach->length[c] / fmax(still, 1e-300)
                             : -solver->impulse.P[c] * approach->length[c] /
                                   (PUSHING_RESTS * big);
            if (off > 1 && off > most) {
                most = off;
                worst = c;
            }
        }
        if (worst < 0)
            return;
        approach->open[worst] = !approach->open[worst];
    }
    impact_no_motion(solver, IMPACT_UNSETTLED);
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
