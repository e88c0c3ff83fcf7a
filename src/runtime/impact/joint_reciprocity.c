/* SPDX-License-Identifier: MIT */
/* Set-up's check of joints as screws: what a joint bears does no work on what
 * it leaves free, S^T eta Q = 0 (spec screws 1.A), a user's constraint
 * included. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/numerics/dense.h"

/* S^T eta Q, as a share of the greatest entry of S: a user's screws have a
 * singular value of up to 6, and what counts as 0 beside it is dense_tolerance,
 * 96 units of rounding; twice that for the products */
#define RECIPROCAL (1152 * DBL_EPSILON)

static const imp_joint *
joint_of(const struct rt *run, const struct impact_of_run *o, uint32_t j)
{
    return IMP_ARRAY(run->im, run->im->joints, imp_joint) + o->joint[j];
}

/* The motions that joint j leaves free, about `at`: of its kind, or all on
 * which a user's screws do no work. Q receives them (a user's: the null space,
 * by the last vectors V of an SVD). Returns how many. */
static int
motions(const struct rt *run, const struct impact_of_run *o, uint32_t j,
        double Q[6][6])
{
    const imp_joint *image_joint = joint_of(run, o, j);
    const struct impact_joint *joint = &o->p.joint[j];
    const double *e = run->env + image_joint->env_joint;
    if (image_joint->kind != IMP_JOINT_CONSTRAINT)
        return impact_joint_free((enum imp_joint_kind)image_joint->kind,
                                 e + IMP_JOINT_AXIS, e + IMP_JOINT_AXIS2,
                                 run->im->dim == 2, Q);
    double A[36] = {0}, V[36], sv[6];
    int rank = 0, n_free = 0;
    for (int i = 0; i < joint->n; i++) {
        double size = 0;
        for (int c = 0; c < 6; c++)
            size = fmax(size, fabs(joint->S[i][c]));
        for (int c = 0; c < 6 && size > 0; c++)
            A[6 * c + i] = joint->S[i][(c + 3) % 6] / size;
    }
    if (!dense_svd(6, 6, A, V, sv))
        return 0;
    while (rank < 6 && sv[rank] > dense_tolerance(6, 6) * sv[0])
        rank++;
    for (int i = rank; i < 6; i++)
        memcpy(Q[n_free++], V + 6 * i, 6 * sizeof *V);
    return n_free;
}

/* Checks S^T eta Q = 0 for every joint (spec screws 1.A), to rounding of the
 * entries it is made of. */
int
impact_of_run_reciprocal(struct rt *run, const struct impact_of_run *problem)
{
    assert(problem != NULL);
    for (uint32_t j = 0; j < problem->p.n_joint; j++) {
        const struct impact_joint *m = &problem->p.joint[j];
        double Q[6][6], size = 0, off;
        int n = motions(run, problem, j, Q);
        for (int i = 0; i < 6 * m->n; i++)
            size = fmax(size, fabs(m->S[i / 6][i % 6]));
        off = impact_joint_check(m, n, Q);
        if (off <= RECIPROCAL * size)
            continue;
        const imp_joint *k = joint_of(run, problem, j);
        char x[NUM_TEXT];
        struct diag *diag = diag_add(run->ds, DIAG_E0560, k->range,
                                     "joint `%s` bears a motion that it leaves "
                                     "free",
                                     imp_text(run->im, k->name));
        diag_note(run->ds, diag, k->range,
                  "the greatest entry of S^T eta Q is %s, and it should be 0",
                  num_digits(x, off, 6));
        diag_help(run->ds, diag,
                  "its axes or screws are of too different sizes, or not "
                  "finite: state unit vectors");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}
