/* SPDX-License-Identifier: MIT */
/* Impacts at points with friction, and impacts without collision
 * (friction_modes.h): the rows of the points go to runtime/friction, and its
 * impulses to the bodies. */
#include "runtime/modes/friction_rows.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "runtime/friction/paradox.h"
#include "runtime/impact/friction_law.h"
#include "runtime/rubbing/rubbing.h"

/* What an impact leaves of the joints with friction: impulses, and then rates.
 */
static int
strike_joints(struct friction_rows *in, const struct friction_group_impact *out)
{
    int first = friction_rows_spots(in), st = IMP_OK;
    rubbing_joints_let_go(in->joint, (uint32_t)in->n_joint);
    for (int k = 0; k < in->n_joint && !st; k++)
        st = rubbing_joint_strike(in->joint + k,
                                  out->impulse[2 * (first + k) + 1]);
    rubbing_joints_keep(in->joint, (uint32_t)in->n_joint);
    for (int k = 0; k < in->n_joint && !st; k++)
        rubbing_joint_after(in->joint + k, out->after[2 * (first + k) + 1],
                            out->work[first + k]);
    return st;
}

/* The joints of these bodies after the impact. */
static int
joints_after(struct friction_rows *in, const struct friction_group_impact *out)
{
    bool *body = NEW_N(in->run->brief, bool, in->run->im->bodies.n + 1);
    const struct persistent_blocks *moved = &in->group->moved;
    int st = strike_joints(in, out);
    for (uint32_t i = 0; i < moved->n_body; i++)
        body[moved->body[i]] = true;
    return st ? st : rubbing_after_impact(in->run, body);
}

int
friction_modes_impact(struct rt *run, const struct contact_point *spot, int n,
                      int n_hit, const double *rest, enum imp_impact_law law,
                      struct friction_group_impact *out)
{
    assert(n > 0 && n_hit <= n && out != NULL && law < IMP_IMPACT_COUNT);
    struct friction_rows in = {
        .run = run, .n = n, .spot = spot, .with_joints = true};
    int st = friction_rows_read(&in);
    if (st)
        return st;
    struct friction_impact_point *point =
        NEW_N(run->brief, struct friction_impact_point, in.n);
    for (int i = 0; i < n; i++) {
        double *rate = in.rate + 2 * i;
        if (i >= n_hit || fabs(rate[0]) <= rest[i])
            rate[0] = 0.0;
        if ((st = friction_law_point(run, spot[i].contact, law, rate[0],
                                     rate[1], &point[i])) ||
            (in.n_joint && (st = friction_own_beside_joints(run, &point[i]))))
            return st;
    }
    for (int k = 0; k < in.n_joint; k++) {
        in.grip[k].load[0] = in.grip[k].load[1] = 0.0;
        point[n + k] =
            (struct friction_impact_point){.mu = in.point[n + k].mu_dynamic,
                                           .mu_static = in.joint[k].mu_rest,
                                           .slip = in.rate[2 * (n + k) + 1],
                                           .grip = in.grip + k};
    }
    friction_impact_group(run->brief, in.n, in.W, point, law, out);
    loads_of_impact(run->loads, out);
    if (out->why)
        return IMP_OK;
    const double *P = out->impulse;
    double *impulse = NEW_N(run->brief, double, in.group->n_unknown);
    for (int i = 0; i < in.group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &in.group->unknown[i];
        impulse[i] = P[2 * (unknown->row - in.group->row) +
                       (unknown->value != &unknown->row->gap)];
    }
    persistent_apply_impulses(run, impulse);
    uint32_t *contact = NEW_N(run->brief, uint32_t, n);
    for (int i = 0; i < n; i++) {
        const imp_contact *of = rt_contact(run, spot[i].contact);
        run->env[of->env_contact + IMP_CONTACT_WORK] += out->work[i];
        contact[i] = spot[i].contact;
    }
    friction_modes_struck(run, n, contact, out);
    return in.n_joint ? joints_after(&in, out) : IMP_OK;
}

int
friction_modes_jump(struct rt *run, const struct contact_point *spot, int n,
                    int which, bool plastic, double *impulse)
{
    assert(run != NULL && impulse != NULL && which >= 0 && which < n);
    struct friction_rows in = {.run = run, .n = n, .spot = spot};
    struct friction_impact_point point;
    struct friction_impact out;
    int st = friction_rows_read(&in);
    if (st)
        return st;
    size_t rows = 2 * (size_t)n, N = 2 * (size_t)which;
    if ((st = friction_law_point(run, spot[which].contact,
                                 (enum imp_impact_law)run->im->impact_law, 0.0,
                                 in.rate[N + 1], &point)))
        return st;
    point.e = plastic ? 0.0 : point.e;
    paradox_jump(in.W[(N + 1) * rows + N + 1], in.W[N * rows + N + 1],
                 in.W[N * rows + N], &point, &out);
    double *push = NEW_N(run->brief, double, in.group->n_unknown);
    for (int i = 0; i < in.group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &in.group->unknown[i];
        if (unknown->row - in.group->row == which)
            push[i] = unknown->value == &unknown->row->gap
                          ? out.normal[0] + out.normal[1]
                          : out.tangential;
    }
    persistent_apply_impulses(run, push);
    run->env[rt_contact(run, spot[which].contact)->env_contact +
             IMP_CONTACT_WORK] += out.work[1];
    *impulse = out.normal[0] + out.normal[1];
    friction_modes_forget(run);
    return IMP_OK;
}
