/* SPDX-License-Identifier: MIT */
/* Joints with friction in the problem of an impact: each has a row behind those
 * of the points, whose unit impulse is a unit of friction. Friction along a
 * slider is a force at its bush. That of a hinge is a moment: the row is the
 * line of a force at the radius of its pin, and the pin takes the force itself
 * up, so that it is taken off the impulse of the pin again. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "runtime/friction/friction.h"
#include "runtime/numerics/vec3.h"

/* The blocks of the bodies of a problem, each once. */
static uint32_t
blocks_of(struct rt *run, const struct impact_of_run *problem, uint32_t *block)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < problem->p.n_body; b++) {
        uint32_t of = rt_body(run, problem->body[b])->block, i = 0;
        if (!rubbing_moves(run, problem->body[b]))
            continue;
        while (i < n && block[i] != of)
            i++;
        if (i == n)
            block[n++] = of;
    }
    return n;
}

static const imp_joint *
image_joint(const struct rt *run, uint32_t number)
{
    return IMP_ARRAY(run->im, run->im->joints, imp_joint) + number;
}

/* The row of joint k of the problem. */
static void
make_row(const struct rt *run, const struct impact_of_run *problem,
         const struct rubbing_joint *joint, uint32_t k,
         struct impact_contact *row)
{
    const struct impact_joint *of = &problem->p.joint[k];
    const imp_joint *image = image_joint(run, problem->joint[k]);
    double off[3] = {0.0, 0.0, 0.0};
    *row = (struct impact_contact){.priority = INFINITY, .dir = {0.0, 1.0}};
    memcpy(row->body, of->body, sizeof row->body);
    if (image->kind == IMP_JOINT_HINGE) {
        off[0] = joint->unit;
    } else { /* across what the bush bears */
        const double *across = of->S[0];
        for (int i = 1; i < of->n; i++)
            if (vec3_norm(of->S[i]) > vec3_norm(across))
                across = of->S[i];
        double length = vec3_norm(across);
        row->dir[0] = across[1] / length;
        row->dir[1] = -across[0] / length;
    }
    for (int i = 0; i < 3; i++)
        row->p[i] = row->q[i] = of->at[i] + off[i];
}

int
rough_joints_add(struct rt *run, struct impact_of_run *problem,
                 struct rough_joints *out)
{
    assert(run != NULL && problem != NULL && out != NULL);
    *out = (struct rough_joints){0};
    problem->n_rough = 0;
    if (!rubbing_any(run))
        return IMP_OK;
    uint32_t *block = NEW_N(run->brief, uint32_t, problem->p.n_body + 1);
    uint32_t n_block = blocks_of(run, problem, block), n = problem->p.n_contact;
    out->n = rubbing_joints(run, block, n_block, &out->joint);
    problem->rough = NEW_N(run->brief, uint32_t, out->n + 1);
    int st = rubbing_joints_read(out->joint, out->n);
    if (st || out->n == 0)
        return st;
    struct impact_contact *row =
        NEW_N(run->brief, struct impact_contact, n + out->n);
    uint32_t *contact = NEW_N(run->brief, uint32_t, n + out->n);
    memcpy(row, problem->p.contact, sizeof *row * n);
    memcpy(contact, problem->contact, sizeof *contact * n);
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t k = 0;
        while (problem->joint[k] != rubbing_joint_of(out->joint + i))
            k++;
        assert(k < problem->p.n_joint);
        problem->rough[i] = k;
        contact[n + i] = UINT32_MAX;
        make_row(run, problem, out->joint + i, k, &row[n + i]);
    }
    problem->p.contact = row;
    problem->contact = contact;
    problem->p.n_contact += out->n;
    problem->n_rough = out->n;
    return IMP_OK;
}

/* The impulse of joint k on its first body, [force; moment about its place],
 * with its friction, where this row has the impulse P. */
static void
with_friction(const struct impact_of_run *problem, uint32_t row, uint32_t k,
              double P, double impulse[6])
{
    const struct impact_contact *of = &problem->p.contact[row];
    double off[3], moment[3];
    vec3_sub(of->p, problem->p.joint[k].at, off);
    vec3_cross(off, of->dir, moment);
    vec3_add_scaled(-P, of->dir, impulse);
    vec3_add_scaled(-P, moment, impulse + 3);
}

void
rough_joints_told(const struct impact_of_run *problem,
                  struct impact_solver *solver)
{
    assert(problem != NULL && solver != NULL);
    uint32_t first = problem->p.n_contact - problem->n_rough;
    for (uint32_t i = 0; i < problem->n_rough; i++)
        with_friction(problem, first + i, problem->rough[i],
                      solver->impulse.P[first + i],
                      solver->impulse.xi + 6 * (size_t)problem->rough[i]);
}

/* What loads a joint under this impulse on its first body (friction_grip). */
static void
load_of(const struct rt *run, const struct impact_of_run *problem,
        const struct rubbing_joint *joint, uint32_t k, const double impulse[6],
        double load[2])
{
    const imp_joint *image = image_joint(run, problem->joint[k]);
    if (!joint->grip.bush) {
        load[0] = impulse[0];
        load[1] = impulse[1];
        return;
    }
    struct impact_contact row;
    make_row(run, problem, joint, k, &row);
    load[0] = row.dir[1] * impulse[0] - row.dir[0] * impulse[1];
    load[1] = 2.0 * impulse[5] / run->env[image->env_joint + IMP_JOINT_WIDTH];
}

void
rough_joints_points(const struct rt *run, const struct rough_joints *rough,
                    const struct impact_of_run *problem,
                    struct impact_solver *solver, enum imp_impact_law law,
                    struct friction_impact_point *point, double *W)
{
    assert(run != NULL && rough != NULL && point != NULL && W != NULL);
    size_t nc = (size_t)solver->nc, first = nc - rough->n, points = first / 2,
           rows = first + 2 * (size_t)rough->n;
    double *P = NEW_N(run->brief, double, nc);
    struct friction_grip *grip =
        NEW_N(run->brief, struct friction_grip, rough->n + 1);
    size_t *place = NEW_N(run->brief, size_t, nc); /* of each row, in W */
    for (size_t r = 0; r < nc; r++)
        place[r] = r < first ? r : first + 2 * (r - first) + 1;
    memset(W, 0, sizeof *W * rows * rows);
    for (size_t r = 0; r < nc; r++)
        for (size_t c = 0; c < nc; c++)
            W[place[r] * rows + place[c]] = solver->delassus.G[r * nc + c];
    for (uint32_t i = 0; i < rough->n; i++) {
        const struct rubbing_joint *joint = rough->joint + i;
        grip[i] = joint->grip;
        for (int c = 0; c < 2; c++) {
            grip[i].by[c] = NEW_N(run->brief, double, rows);
            grip[i].load[c] = 0.0;
        }
        point[points + i] = (struct friction_impact_point){
            .mu = joint->mu,
            .mu_static = joint->mu_rest,
            .slip = fabs(joint->rate) <= joint->noise
                        ? 0.0
                        : solver->approach.v0[first + i],
            .contact = UINT32_MAX,
            .grip = grip + i};
    }
    for (size_t r = 0; r < nc; r++) {
        P[r] = 1.0 / solver->approach.length[r];
        impact_solver_impose(solver, law, P);
        rough_joints_told(problem, solver);
        for (uint32_t i = 0; i < rough->n; i++) {
            double load[2];
            load_of(run, problem, rough->joint + i, problem->rough[i],
                    solver->impulse.xi + 6 * (size_t)problem->rough[i], load);
            for (int c = 0; c < 2; c++)
                ((double *)grip[i].by[c])[place[r]] = load[c];
        }
        P[r] = 0.0;
    }
}
