/* SPDX-License-Identifier: MIT */
/* One contact after the other, until none approaches: the one with the smallest
 * `priority` first, then the one whose approach carries most energy, v^2/G. */
#include <math.h>
#include <string.h>

#include "runtime/impact/impact_priv.h"

/* single impacts before a sequence counts as endless */
#define SEQUENCE_MOST 100000L
/* two approaches count as equal: far above rounding, far below what data of
 * different contacts would give */
#define SEQUENCE_TIE 1e-9

/* Returns the contact whose turn it is; -1: none approaches. */
static int
turn(struct impact_solver *solver, const double *velocity)
{
    int best = -1;
    double most = 0;
    for (int contact = 0; contact < solver->nc; contact++) {
        if (!(velocity[contact] < -impact_velocity_tolerance(solver)))
            continue;
        double g = solver->delassus.G[contact * (solver->nc + 1)];
        if (!(g > 0) &&
            velocity[contact] >= -IMPACT_OUTSIDE * solver->approach.speed)
            continue;
        double size =
            g > 0 ? velocity[contact] * velocity[contact] / g : INFINITY;
        if (best >= 0) {
            double p = solver->in.contact[contact].priority,
                   q = solver->in.contact[best].priority;
            bool close = fabs(size - most) <= SEQUENCE_TIE * most;
            if (p == q && close && !solver->decision.tie &&
                !delassus_orthogonal(solver, contact, best)) {
                solver->decision.tie = true;
                solver->decision.tied[0] = best;
                solver->decision.tied[1] = contact;
            }
            if (p > q || (p == q && (close || size < most)))
                continue;
        }
        best = contact;
        most = size;
    }
    return best;
}

void
impact_law_sequential(struct impact_solver *solver, const bool *on, int n_on)
{
    (void)on;
    (void)n_on;
    double velocity[IMPACT_CONTACTS_MAX], impulse[IMPACT_CONTACTS_MAX] = {0};
    memcpy(velocity, solver->approach.v0,
           sizeof *velocity * (size_t)solver->nc);
    for (solver->decision.steps = 0; solver->decision.steps < SEQUENCE_MOST;
         solver->decision.steps++) {
        int c = turn(solver, velocity);
        if (c < 0)
            break;
        const double *g = solver->delassus.G + c * solver->nc;
        if (!(g[c] > 0)) {
            impact_no_motion(solver, IMPACT_JAMMED);
            return;
        }
        double e = impact_restitution_of(solver, c, -velocity[c]);
        double p = -(1 + e) * velocity[c] / g[c];
        impulse[c] += p;
        for (int i = 0; i < solver->nc; i++)
            velocity[i] += g[i] * p;
    }
    if (solver->decision.steps == SEQUENCE_MOST) {
        impact_no_motion(solver, IMPACT_ENDLESS);
        return;
    }
    /* a sequence that converges is left where its approaches are rounding, or
     * within the accuracy of the data */
    impact_end_approach(solver, velocity, impulse);
    solver->decision.determined =
        solver->decision.tie ? IMPACT_NOT_UNIQUE : IMPACT_UNIQUE;
    impact_motion_after(solver, impulse);
    if (solver->nc == 1)
        impact_peak_of_equal(solver, NULL);
}
