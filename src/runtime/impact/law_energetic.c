/* SPDX-License-Identifier: MIT */
/* The energetic law: compression as far as no contact approaches, then the work
 * of expansion of each contact is -e^2 times its work of compression (Stronge
 * 1990 for one contact; energetic_expansion.c for several). */
#include <math.h>
#include <string.h>

#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/lcp.h"

void
impact_law_energetic(struct impact_solver *solver, const bool *on, int n)
{
    double *g = impact_law_room(solver), *rest = g + solver->nc * solver->nc,
           v[IMPACT_CONTACTS_MAX], z[IMPACT_CONTACTS_MAX],
           b[IMPACT_CONTACTS_MAX], x[IMPACT_CONTACTS_MAX],
           P[IMPACT_CONTACTS_MAX] = {0}, Pc[IMPACT_CONTACTS_MAX] = {0};
    int set[IMPACT_CONTACTS_MAX], k = 0;
    for (int c = 0; c < solver->nc; c++)
        if (on[c])
            set[k++] = c;
    for (int i = 0; i < n; i++) {
        v[i] = solver->v0[set[i]];
        for (int j = 0; j < n; j++)
            g[i * n + j] = solver->G[set[i] * solver->nc + set[j]];
    }
    if (impact_blocked(solver, n, set, v)) {
        impact_no_motion(solver, IMPACT_JAMMED);
        return;
    }
    /* what no impulse moves takes none */
    for (int i = 0; i < n; i++)
        if (!(solver->G[set[i] * (solver->nc + 1)] > 0)) {
            bool rest_on[IMPACT_CONTACTS_MAX];
            memcpy(rest_on, on, sizeof *on * (size_t)solver->nc);
            rest_on[set[i]] = false;
            impact_law_energetic(solver, rest_on, n - 1);
            return;
        }
    int st = lcp_solve(n, g, v, z, rest);
    if (st == 1 || st == 3) {
        impact_no_motion(solver, st == 1 ? IMPACT_JAMMED : IMPACT_UNSETTLED);
        return;
    }
    /* shares of the compression that are not unique matter if e differs */
    bool equal = true;
    for (int i = 1; i < n; i++)
        equal &= solver->in.contact[set[i]].e == solver->in.contact[set[0]].e;
    if (st == 2 && !equal) {
        impact_no_motion(solver, IMPACT_AMBIGUOUS);
        return;
    }
    if (st == 2)
        solver->determined = IMPACT_MOTION_UNIQUE;
    for (int i = 0; i < n; i++) {
        double e = solver->in.contact[set[i]].e;
        b[i] = fmax(0, -e * e * z[i] * v[i]);
        /* equal restitutions, all closed at the end: the exact solution */
        x[i] = e * z[i];
    }
    if (!equal && impact_energetic_expand(n, g, b, x, rest)) {
        impact_no_motion(solver, IMPACT_UNSETTLED);
        return;
    }
    for (int i = 0; i < n; i++) {
        Pc[set[i]] = z[i];
        P[set[i]] = z[i] + x[i];
    }
    impact_peak_at(solver, Pc, P);
    impact_motion_after(solver, P);
}
