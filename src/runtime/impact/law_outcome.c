/* SPDX-License-Identifier: MIT */
/* What the laws of impact share: which velocities count as zero, an impact
 * without a motion after, the state at peak compression. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/lcp.h"

/* Normal velocities that are rounding are zero, those of contacts that no
 * impulse moves if they are within what the data leave open. True: one that
 * nothing can change approaches. */
bool
impact_blocked(const struct impact_solver *solver, int n, const int *set,
               double *q)
{
    assert(n >= 0 && (n == 0 || q != NULL));
    bool bad = false;
    for (int i = 0; i < n; i++) {
        int c = set ? set[i] : i;
        bool still = !(solver->delassus.G[c * (solver->nc + 1)] > 0);
        if (fabs(q[i]) <= (still ? IMPACT_OUTSIDE * solver->approach.speed
                                 : impact_velocity_tolerance(solver)))
            q[i] = 0;
        bad |= still && q[i] < 0;
    }
    return bad;
}

void
impact_no_motion(struct impact_solver *solver, enum impact_fault why)
{
    assert(why != IMPACT_FINE);
    double zero[IMPACT_CONTACTS_MAX] = {0};
    solver->decision.fault = why;
    solver->decision.determined = IMPACT_NOT_UNIQUE;
    solver->decision.applied = solver->velocity.peak = false;
    impact_motion_after(solver, zero);
}

void
impact_solver_refuse(struct impact_solver *solver, enum impact_fault why)
{
    assert(solver != NULL && why != IMPACT_FINE);
    impact_no_motion(solver, why);
}

/* normal velocities up to this share of the speeds count as zero */
#define RESTS 1e-9
/* impulses below this share of the greatest one are rounding */
#define PULLS 1e-12

bool
impact_solver_separates(const struct impact_solver *solver, int contact)
{
    assert(solver != NULL && contact >= 0 && contact < solver->nc);
    return solver->approach.open[contact] &&
           solver->approach.v0[contact] > RESTS * solver->approach.speed;
}

uint32_t
impact_solver_forbidden(const struct impact_solver *solver, uint32_t forbid)
{
    assert(solver != NULL);
    double big = 0;
    uint32_t did = solver->balance.gained > 0 ? IMP_FORBID_GAIN : 0;
    if (!solver->decision.applied)
        return 0;
    for (int c = 0; c < solver->nc; c++)
        big = fmax(big, fabs(solver->impulse.P[c]));
    for (int c = 0; c < solver->nc; c++) {
        did |= impact_solver_separates(solver, c) ? IMP_FORBID_SEPARATING : 0;
        did |= solver->impulse.P[c] < -PULLS * big ? IMP_FORBID_NEGATIVE : 0;
    }
    return did & forbid;
}

/* Sets the state at peak compression, by impulses Pc. */
void
impact_peak_at(struct impact_solver *solver, const double *Pc, const double *P)
{
    assert(solver);
    impact_motion_after(solver, Pc);
    memcpy(solver->velocity.at_peak, solver->velocity.after,
           sizeof *solver->velocity.after * (size_t)solver->nc);
    memcpy(solver->velocity.peak_twist, solver->velocity.twist,
           sizeof *solver->velocity.twist * 6 * solver->in.n_body);
    for (int c = 0; c < solver->nc; c++) {
        solver->impulse.load[c] = Pc[c] / solver->approach.length[c];
        solver->impulse.unload[c] = (P[c] - Pc[c]) / solver->approach.length[c];
    }
    solver->velocity.peak = true;
}

/* With equal restitutions the whole impact is a straight line in the space of
 * impulses, and peak compression lies at 1/(1 + e) of it. To be called after
 * impact_motion_after. */
void
impact_peak_of_equal(struct impact_solver *solver, const bool *on)
{
    double restitution = 0;
    bool any = false;
    for (int c = 0; c < solver->nc; c++) {
        if (on && !on[c])
            continue;
        if (any && solver->approach.e[c] != restitution)
            return;
        restitution = solver->approach.e[c];
        any = true;
    }
    if (!any)
        return;
    double share = 1 / (1 + restitution);
    for (int c = 0; c < solver->nc; c++) {
        solver->impulse.load[c] = share * solver->impulse.P[c];
        solver->impulse.unload[c] =
            solver->impulse.P[c] - solver->impulse.load[c];
        solver->velocity.at_peak[c] =
            share * (solver->velocity.after[c] +
                     restitution * solver->velocity.before[c]);
    }
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        for (uint32_t i = 0; i < 6; i++) {
            const struct impact_body *k = &solver->in.body[b];
            double before = i < 3 ? k->spin[i] : k->vel[i - 3];
            solver->velocity.peak_twist[6 * b + i] =
                share *
                (solver->velocity.twist[6 * b + i] + restitution * before);
        }
    solver->velocity.peak = true;
}

double *
impact_law_room(struct impact_solver *solver)
{
    assert(solver);
    struct impact_work *work = solver->w;
    size_t n = (size_t)work->ld;
    if (!work->scratch.lcp)
        work->scratch.lcp =
            NEW_N(work->arena, double,
                  lcp_room((int)n) + impact_energetic_room((int)n) + n * n);
    return work->scratch.lcp;
}

void
impact_end_approach(struct impact_solver *solver, double *velocity,
                    double *impulse)
{
    assert(solver && velocity && impulse);
    double rest[IMPACT_CONTACTS_MAX];
    bool any = false;
    for (int c = 0; c < solver->nc; c++)
        any |= velocity[c] < 0 && solver->delassus.G[c * (solver->nc + 1)] > 0;
    if (!any || lcp_solve(solver->nc, solver->delassus.G, velocity, rest,
                          impact_law_room(solver)) == 1)
        return;
    for (int c = 0; c < solver->nc; c++)
        impulse[c] += rest[c];
}
