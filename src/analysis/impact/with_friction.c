/* SPDX-License-Identifier: MIT */
/* An impact at contacts of which one has friction, in the plane. The problem of
 * runtime/impact gets a second row per point, along the tangent; its matrix, in
 * which joints are eliminated, and its velocities go to runtime/friction, whose
 * impulses are imposed. So momenta and energies are audited like those of any
 * impact. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_of_contacts.h"
#include "runtime/impact/friction_law.h"

/* Normal velocities up to this share of the speeds count as zero, as in
 * `simulate`, */
#define NORMAL_RESTS 1e-9
/* and slips up to this one, which is rounding. */
#define SLIP_RESTS (64.0 * DBL_EPSILON)

/* The problem with a tangential row behind each normal one. */
static void
with_tangents(struct rt *run, const struct impact_of_run *from,
              struct impact_of_run *to)
{
    uint32_t n = from->p.n_contact;
    struct impact_contact *row =
        NEW_N(run->brief, struct impact_contact, 2 * n);
    *to = *from;
    to->contact = NEW_N(run->brief, uint32_t, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        struct impact_contact *normal = &row[2 * i], *tangent = normal + 1;
        *normal = *tangent = from->p.contact[i];
        double length = hypot(normal->dir[0], normal->dir[1]);
        tangent->dir[0] = normal->dir[1] / length;
        tangent->dir[1] = -normal->dir[0] / length;
        tangent->dir[2] = 0.0;
        tangent->recede = tangent->e = 0.0;
        to->contact[2 * i] = from->contact[i];
        to->contact[2 * i + 1] = UINT32_MAX;
    }
    to->p.contact = row;
    to->p.n_contact = 2 * n;
}

/* NULL after a diagnostic about a coefficient. */
static struct friction_impact_point *
read_points(struct rt *run, const struct impact_of_run *problem,
            const struct impact_solver *solver)
{
    int n = solver->nc / 2;
    struct friction_impact_point *point =
        NEW_N(run->brief, struct friction_impact_point, n);
    double speed = solver->approach.speed;
    for (int i = 0; i < n; i++) {
        const double *v0 = solver->approach.v0 + 2 * i;
        double normal = fabs(v0[0]) <= NORMAL_RESTS * speed ? 0.0 : v0[0];
        double slip = fabs(v0[1]) <= SLIP_RESTS * speed ? 0.0 : v0[1];
        if (friction_law_point(run, problem->contact[2 * i], normal, slip,
                               &point[i]))
            return NULL;
    }
    return point;
}

int
impact_with_friction(struct analysis *analysis,
                     const struct impact_of_run *normals,
                     struct impact_of_run *problem, struct impact_solver **out,
                     struct friction_group_impact *group)
{
    assert(analysis != NULL && normals != NULL && normals->p.n_contact > 0);
    struct rt *run = analysis->rt;
    enum imp_impact_law law = (enum imp_impact_law)run->im->impact_law;
    with_tangents(run, normals, problem);
    int st = impact_prepare(analysis, problem, out);
    if (st)
        return st;
    struct impact_solver *solver = *out;
    struct friction_impact_point *point = read_points(run, problem, solver);
    if (!point)
        return IMP_FAILED;
    friction_impact_group(run->brief, solver->nc / 2, solver->delassus.G, point,
                          law, group);
    if (group->why)
        return IMP_OK;
    /* impulses refer to the directions of the problem */
    double *P = group->impulse;
    for (int i = 0; i < solver->nc; i++)
        P[i] /= solver->approach.length[i];
    impact_solver_impose(solver, law, P);
    return IMP_OK;
}
