/* SPDX-License-Identifier: MIT */
/* The energetic law: compression as far as no contact approaches, then the work
 * of expansion of each contact is -e^2 times its work of compression (Stronge
 * 1990 for one contact; energetic_expansion.c for several). */
#include <math.h>
#include <string.h>

#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/lcp.h"

void
impact_law_energetic(struct impact_solver *solver, const bool *on, int n_on)
{
    double *delassus = impact_law_room(solver),
           *rest = delassus + solver->nc * solver->nc,
           velocity[IMPACT_CONTACTS_MAX], compression[IMPACT_CONTACTS_MAX],
           work[IMPACT_CONTACTS_MAX], expansion[IMPACT_CONTACTS_MAX],
           impulse[IMPACT_CONTACTS_MAX] = {0}, Pc[IMPACT_CONTACTS_MAX] = {0};
    int set[IMPACT_CONTACTS_MAX], k = 0;
    for (int c = 0; c < solver->nc; c++)
        if (on[c])
            set[k++] = c;
    for (int i = 0; i < n_on; i++) {
        velocity[i] = solver->approach.v0[set[i]];
        for (int j = 0; j < n_on; j++)
            delassus[i * n_on + j] =
                solver->delassus.G[set[i] * solver->nc + set[j]];
    }
    if (impact_blocked(solver, n_on, set, velocity)) {
        impact_no_motion(solver, IMPACT_JAMMED);
        return;
    }
    /* A contact that no impulse moves takes none. */
    for (int i = 0; i < n_on; i++)
        if (!(solver->delassus.G[set[i] * (solver->nc + 1)] > 0)) {
            bool rest_on[IMPACT_CONTACTS_MAX];
            memcpy(rest_on, on, sizeof *on * (size_t)solver->nc);
            rest_on[set[i]] = false;
            impact_law_energetic(solver, rest_on, n_on - 1);
            return;
        }
    int st = lcp_solve(n_on, delassus, velocity, compression, rest);
    if (st == 1 || st == 3) {
        impact_no_motion(solver, st == 1 ? IMPACT_JAMMED : IMPACT_UNSETTLED);
        return;
    }
    /* shares of the compression that are not unique matter if e differs */
    bool equal = true;
    for (int i = 1; i < n_on; i++)
        equal &= solver->approach.e[set[i]] == solver->approach.e[set[0]];
    if (st == 2 && !equal) {
        impact_no_motion(solver, IMPACT_AMBIGUOUS);
        return;
    }
    if (st == 2)
        solver->decision.determined = IMPACT_MOTION_UNIQUE;
    for (int i = 0; i < n_on; i++) {
        double e = solver->approach.e[set[i]];
        work[i] = fmax(0, -e * e * compression[i] * velocity[i]);
        /* equal restitutions, all closed at the end: the exact solution */
        expansion[i] = e * compression[i];
    }
    if (!equal &&
        impact_energetic_expand(n_on, delassus, work, expansion, rest)) {
        impact_no_motion(solver, IMPACT_UNSETTLED);
        return;
    }
    for (int i = 0; i < n_on; i++) {
        Pc[set[i]] = compression[i];
        impulse[set[i]] = compression[i] + expansion[i];
    }
    impact_peak_at(solver, Pc, impulse);
    impact_motion_after(solver, impulse);
}
