/* SPDX-License-Identifier: MIT */
/* Contacts that stick: an impact takes all of the velocity of their points,
 * along the normal and along the surface, as a foot does that digs in. Such a
 * point has a row of the problem for each direction. With S these rows and C
 * the normal rows of the other contacts, K = diag(e): (G P + v0)_S = 0, w = (G
 * P + v0 + K min(v0, 0))_C >= 0,   P_C >= 0,   P_C.w = 0, so S is eliminated by
 * a pseudoinverse, and a complementarity problem (Moreau 1988) with the Schur
 * complement of G is left for C. Points of one body may depend on each other:
 * the motion is unique even so. */
#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/lcp.h"

/* A diagonal entry of the Schur complement below this share of that of G is
 * rounding: the rows that stick hold such a contact. */
#define STICKING_HELD 1e-12

/* Rows that stick, the others, and what is left of G without the ones. */
struct sticking {
    const bool *stick;
    int other[IMPACT_CONTACTS_MAX], n_other;
    double *least; /* nc: the impulses of the rows that stick alone */
    double
        *answer; /* per other row, nc: impulses of those to a unit one there */
};

/* x := the least impulses of the rows that stick which give them the velocities
 * b; 0 for the other rows. *depend: there are others. False, and why: there are
 * none. */
static bool
hold(struct impact_solver *solver, const bool *stick, const double *b,
     double *x, bool *depend)
{
    double residual[IMPACT_CONTACTS_MAX];
    int rank = 0;
    bool any = false;
    for (int i = 0; i < solver->nc; i++) {
        any |= stick[i];
        x[i] = 0.0;
    }
    if (!any)
        return true;
    if (delassus_pseudoinverse(solver, stick, b, x, residual, &rank)) {
        impact_no_motion(solver, IMPACT_UNSETTLED);
        return false;
    }
    double size = 0.0, off = 0.0;
    int n = 0;
    for (int i = 0; i < solver->nc; i++)
        if (stick[i]) {
            n++;
            size = fmax(size, fabs(b[i]));
            off = fmax(off, fabs(residual[i]));
        }
    *depend = rank < n;
    if (off <= IMPACT_OUTSIDE * size)
        return true;
    impact_no_motion(solver, IMPACT_INCONSISTENT);
    return false;
}

/* What impulses x of the rows that stick do to row i. */
static double
felt(const struct impact_solver *solver, const bool *stick, int i,
     const double *x)
{
    double sum = 0.0;
    for (int j = 0; j < solver->nc; j++)
        if (stick[j])
            sum += solver->delassus.G[i * solver->nc + j] * x[j];
    return sum;
}

/* The impulses of the other contacts, into z. *shared: they are not unique.
 * False: there are none. */
static bool
others(struct impact_solver *solver, const struct sticking *in, double *z,
       bool *shared)
{
    struct arena *arena = solver->w->arena;
    int n = in->n_other, nc = solver->nc;
    const struct impact_approach *approach = &solver->approach;
    double *W = NEW_N(arena, double, (size_t)n *(size_t)n + 1),
           *q = NEW_N(arena, double, (size_t)n + 1),
           *room = NEW_N(arena, double, lcp_room(n) + 1);
    for (int a = 0; a < n; a++) {
        int i = in->other[a];
        const double *row = solver->delassus.G + i * nc;
        for (int b = 0; b < n; b++)
            W[a * n + b] = row[in->other[b]] -
                           felt(solver, in->stick, i, in->answer + b * nc);
        if (W[a * n + a] <= STICKING_HELD * row[i])
            for (int b = 0; b < n; b++)
                W[a * n + b] = W[b * n + a] = 0.0;
        q[a] = approach->v0[i] + felt(solver, in->stick, i, in->least);
        if (!approach->open[i])
            q[a] += approach->e[i] * fmin(0.0, approach->v0[i]);
        if (fabs(q[a]) <= IMPACT_OUTSIDE * approach->speed)
            q[a] = 0.0;
    }
    int st = lcp_solve(n, W, q, z, room);
    if (st == 1 || st == 3)
        impact_no_motion(solver, st == 1 ? IMPACT_JAMMED : IMPACT_UNSETTLED);
    *shared = st == 2;
    if (st != 0 && st != 2)
        return false;
    /* where W is singular to rounding, what is found need not solve it */
    for (int a = 0; a < n; a++) {
        double w = q[a], size = approach->speed;
        for (int b = 0; b < n; b++) {
            w += W[a * n + b] * z[b];
            size = fmax(size, fabs(W[a * n + b] * z[b]));
        }
        if (!(w >= -IMPACT_OUTSIDE * size)) {
            impact_no_motion(solver, IMPACT_UNSETTLED);
            return false;
        }
    }
    return true;
}

void
impact_solver_solve_sticking(struct impact_solver *solver, const bool *stick,
                             const bool *other)
{
    assert(solver != NULL && stick != NULL && other != NULL);
    assert(solver->nc > 0 && solver->nc <= IMPACT_CONTACTS_MAX);
    struct arena *arena = solver->w->arena;
    int nc = solver->nc;
    double b[IMPACT_CONTACTS_MAX], z[IMPACT_CONTACTS_MAX],
        P[IMPACT_CONTACTS_MAX] = {0};
    bool depend = false, shared = false;
    struct sticking in = {.stick = stick,
                          .least = NEW_N(arena, double, (size_t)nc)};
    impact_solver_impose(solver, IMP_IMPACT_COMPLEMENTARITY, P);
    for (int i = 0; i < nc; i++)
        if (other[i] && !stick[i])
            in.other[in.n_other++] = i;
    for (int i = 0; i < nc; i++)
        b[i] = -solver->approach.v0[i];
    if (!hold(solver, stick, b, in.least, &depend))
        return;
    in.answer = NEW_N(arena, double, (size_t)nc *(size_t)in.n_other + 1);
    for (int a = 0; a < in.n_other; a++) {
        for (int i = 0; i < nc; i++)
            b[i] = solver->delassus.G[i * nc + in.other[a]];
        if (!hold(solver, stick, b, in.answer + a * nc, &depend))
            return;
    }
    if (in.n_other > 0 && !others(solver, &in, z, &shared))
        return;
    for (int i = 0; i < nc; i++)
        P[i] = stick[i] ? in.least[i] : 0.0;
    for (int a = 0; a < in.n_other; a++) {
        P[in.other[a]] = z[a];
        for (int i = 0; i < nc; i++)
            if (stick[i])
                P[i] -= in.answer[a * nc + i] * z[a];
    }
    for (int i = 0; i < nc; i++)
        P[i] /= solver->approach.length[i];
    impact_solver_impose(solver, IMP_IMPACT_COMPLEMENTARITY, P);
    if (depend || shared)
        solver->decision.determined = IMPACT_MOTION_UNIQUE;
}
