/* SPDX-License-Identifier: MIT */
/* Complementarity at several contacts (Moreau 1988): with K = diag(e),
 *     w = G P + v0 + K min(v0, 0) >= 0,   P >= 0,   P.w = 0.
 * The law `rest` is the same without restitution. */
#include <math.h>

#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/lcp.h"

/* Without `restitution` it puts to rest what closes together. */
static void
complementarity(struct impact_solver *solver, bool restitution)
{
    double offset[IMPACT_CONTACTS_MAX], impulse[IMPACT_CONTACTS_MAX],
        *rest = impact_law_room(solver);
    for (int c = 0; c < solver->nc; c++) {
        double e = restitution ? solver->approach.e[c] : 0;
        offset[c] =
            solver->approach.v0[c] +
            (solver->approach.open[c] ? 0
                                      : e * fmin(0, solver->approach.v0[c]));
    }
    if (impact_blocked(solver, solver->nc, NULL, offset)) {
        impact_no_motion(solver, IMPACT_JAMMED);
        return;
    }
    int st =
        lcp_solve_any(solver->nc, solver->delassus.G, offset, impulse, rest);
    if (st == 1 || st == 3) {
        impact_no_motion(solver, st == 1 ? IMPACT_JAMMED : IMPACT_UNSETTLED);
        return;
    }
    solver->decision.determined =
        st == 0 ? IMPACT_UNIQUE : IMPACT_MOTION_UNIQUE;
    solver->decision.some = st == 4;
    impact_motion_after(solver, impulse);
    if (solver->nc == 1)
        impact_peak_of_equal(solver, NULL);
}

void
impact_law_complementarity(struct impact_solver *solver, const bool *on,
                           int n_on)
{
    (void)on;
    (void)n_on;
    complementarity(solver, true);
}

void
impact_law_rest(struct impact_solver *solver, const bool *on, int n_on)
{
    (void)on;
    (void)n_on;
    complementarity(solver, solver->nc == 1);
}
