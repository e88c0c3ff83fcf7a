/* SPDX-License-Identifier: MIT */
/* An impact with friction of corners that touch corners. Any direction between
 * the normals of the sides beside them may be the normal. Where the corners
 * stick after it, with an impulse that lies in the cones of all choices, it is
 * the same impact under each of them: then the model has an answer.
 * That impulse and the motion obey the law at each contact by itself, so that
 * it is enough to try the choices of one contact after the other. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"

/* Velocities that differ by this share of the greatest are the same: what
 * with_friction.c takes for none. */
#define SAME_MOTION 1e-9

/* Are both motions after the impact the same? All bodies that the impact moves
 * are asked at once: n_body times spin and velocity. */
static bool
same_motion(const double *one, const double *two, uint32_t n_body)
{
    double size[2] = {0.0, 0.0}, differ[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < 6 * n_body; i++) {
        int kind = i % 6 < 3;
        size[kind] = fmax(size[kind], fmax(fabs(one[i]), fabs(two[i])));
        differ[kind] = fmax(differ[kind], fabs(one[i] - two[i]));
    }
    return differ[0] <= SAME_MOTION * size[0] &&
           differ[1] <= SAME_MOTION * size[1];
}

/* Solves the impact under one combination. *twist: the motion after it, or NULL
 * where it is not determined. */
static int
try_pick(struct analysis *analysis, const uint32_t *contact, uint32_t n,
         const uint32_t *pick, const bool *hit, enum imp_impact_law law,
         struct impact_of_run *normals, const double **twist)
{
    struct rt *run = analysis->rt;
    struct impact_of_run problem;
    struct impact_solver *solver;
    struct friction_group_impact group;
    int st = impact_of_run_read_picked(run, contact, n, pick, normals);
    if (st)
        return command_failed(analysis, st, rt_contact(run, contact[0])->range,
                              "the closest points");
    bool *struck = NEW_N(run->brief, bool, normals->p.n_contact + 1);
    for (uint32_t i = 0; i < normals->p.n_contact; i++)
        struck[i] = hit[normals->contact[i]];
    st = impact_with_friction(analysis, normals, struck, 0.0, law, &problem,
                              &solver, &group);
    *twist = st || group.why || group.loads || run->law_status
                 ? NULL
                 : solver->velocity.twist;
    return st ? st : run->law_status;
}

int
impact_with_any_normal(struct analysis *analysis, const uint32_t *contact,
                       uint32_t n, const bool *hit, enum imp_impact_law law,
                       struct impact_of_run *normals, bool *same)
{
    assert(analysis != NULL && contact != NULL && n > 0 && hit != NULL);
    assert(normals != NULL && normals->open != IMP_WORLD && same != NULL);
    const struct impact_of_run open = *normals;
    uint32_t *pick = NEW_N(analysis->rt->brief, uint32_t, n);
    struct impact_of_run first, other;
    const double *motion, *next;
    *same = false;
    for (uint32_t i = 0; i < open.n_open; i++)
        if (open.choices[i] == 0)
            return IMP_OK;
    int st = try_pick(analysis, contact, n, pick, hit, law, &first, &motion);
    for (uint32_t i = 0; i < open.n_open && !st && motion; i++) {
        uint32_t *choice = pick + open.which[i];
        while (++*choice < open.choices[i]) {
            st = try_pick(analysis, contact, n, pick, hit, law, &other, &next);
            if (st || !next || !same_motion(motion, next, first.p.n_body))
                return st;
        }
        *choice = 0;
    }
    *same = !st && motion != NULL;
    if (*same)
        *normals = first;
    return st;
}
