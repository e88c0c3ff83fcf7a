/* SPDX-License-Identifier: MIT */
/* Joints as screws: what each kind reacts with (S) and how it may move
 * (Q, the rows of free_twist), spec screws.md 1.A; S^T eta Q = 0, which set-up
 * checks of every joint, a user's constraint included. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/vec3.h"

/* an axis shorter than this share of what it is made of has no direction */
#define AXIS_ZERO 1e-12

static bool
unit(const double a[3], double u[3])
{
    double n = vec3_norm(a);
    for (int i = 0; i < 3; i++)
        u[i] = n > 0 ? a[i] / n : 0;
    return n > 0 && isfinite(n);
}

/* Gives second and third: perpendicular to the axis and to each other. For the
 * axes themselves they are the other two in order, so that a hinge about z
 * reacts with x, y and the numbers read as in the paper. */
static void
basis(const double axis[3], double second[3], double third[3])
{
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(axis[i]) > fabs(axis[k]))
            k = i;
    double e[3] = {0, 0, 0};
    e[(k + 1) % 3] = 1;
    if (k == 1) {
        e[2] = 0;
        e[0] = 1;
    }
    double d = vec3_dot(axis, e);
    for (int i = 0; i < 3; i++)
        second[i] = e[i] - d * axis[i];
    unit(second, second);
    vec3_cross(axis, second, third);
}

static void
push(struct impact_joint *joint, const double *force, const double *moment)
{
    double *s = joint->S[joint->n++];
    memset(s, 0, 6 * sizeof *s);
    if (force)
        memcpy(s, force, 3 * sizeof *s);
    if (moment)
        memcpy(s + 3, moment, 3 * sizeof *s);
}

/* Keeps what acts in the plane: force x, y and moment z. Rows that do not act,
 * or act as those before them, are left out. */
static void
planar(struct impact_joint *joint)
{
    double kept[3][3];
    int n_kept = 0;
    for (int i = 0; i < joint->n && n_kept < 3; i++) {
        double row[3] = {joint->S[i][0], joint->S[i][1], joint->S[i][5]},
               rest[3];
        memcpy(rest, row, sizeof rest);
        for (int k = 0; k < n_kept; k++) {
            double d = vec3_dot(row, kept[k]);
            for (int c = 0; c < 3; c++)
                rest[c] -= d * kept[k][c];
        }
        double before = vec3_norm(row);
        double left = vec3_norm(rest);
        if (!(left > AXIS_ZERO * before))
            continue;
        for (int c = 0; c < 3; c++)
            kept[n_kept][c] = rest[c] / left;
        const double s[6] = {row[0], row[1], 0, 0, 0, row[2]};
        memcpy(joint->S[n_kept++], s, sizeof s);
    }
    joint->n = n_kept;
}

static const double E[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

bool
impact_joint_rows(struct impact_joint *joint, enum imp_joint_kind kind,
                  const double axis[3], const double axis2[3],
                  const double *user, int n_user, bool plane)
{
    assert(joint != NULL && axis != NULL);
    assert(n_user >= 0 && n_user <= 6);
    static const double z[3] = {0, 0, 1};
    double first[3] = {0, 0, 1}, a2[3], second[3], third[3];
    bool hinge = kind == IMP_JOINT_HINGE && plane;
    bool needs = kind != IMP_JOINT_BALL && kind != IMP_JOINT_WELD &&
                 kind != IMP_JOINT_CONSTRAINT;
    joint->n = 0;
    if (needs && !unit(hinge ? z : axis, first))
        return false;
    basis(first, second, third);
    switch (kind) {
    case IMP_JOINT_BALL:
    case IMP_JOINT_WELD:
    case IMP_JOINT_HINGE:
    case IMP_JOINT_UNIVERSAL:
        for (int i = 0; i < 3; i++)
            push(joint, E[i], NULL);
        break;
    case IMP_JOINT_SLIDER:
    case IMP_JOINT_CYLINDER:
        push(joint, second, NULL);
        push(joint, third, NULL);
        break;
    case IMP_JOINT_PLANAR:
        push(joint, first, NULL);
        break;
    case IMP_JOINT_CONSTRAINT:
        for (int i = 0; i < n_user; i++)
            push(joint, user + 6 * i, user + 6 * i + 3);
        break;
    }
    switch (kind) {
    case IMP_JOINT_WELD:
    case IMP_JOINT_SLIDER:
        for (int i = 0; i < 3; i++)
            push(joint, NULL, E[i]);
        break;
    case IMP_JOINT_HINGE:
    case IMP_JOINT_CYLINDER:
    case IMP_JOINT_PLANAR:
        push(joint, NULL, second);
        push(joint, NULL, third);
        break;
    case IMP_JOINT_UNIVERSAL:
        if (!unit(axis2, a2))
            return false;
        vec3_cross(first, a2, second);
        if (!(fabs(second[0]) + fabs(second[1]) + fabs(second[2]) > AXIS_ZERO))
            return false;
        unit(second, second);
        push(joint, NULL, second);
        break;
    default:
        break;
    }
    if (plane)
        planar(joint);
    return true;
}

int
impact_joint_free(enum imp_joint_kind kind, const double axis[3],
                  const double axis2[3], bool plane, double free_twist[6][6])
{
    assert(axis != NULL && axis2 != NULL && free_twist != NULL);
    static const double z[3] = {0, 0, 1};
    double first[3] = {0, 0, 1}, a2[3] = {0, 0, 1};
    unit(plane && kind == IMP_JOINT_HINGE ? z : axis, first);
    unit(axis2, a2);
    memset(free_twist, 0, 36 * sizeof **free_twist);
    switch (kind) {
    case IMP_JOINT_HINGE:
        memcpy(free_twist[0], first, sizeof first);
        return 1;
    case IMP_JOINT_SLIDER:
        memcpy(free_twist[0] + 3, first, sizeof first);
        return 1;
    case IMP_JOINT_CYLINDER:
        memcpy(free_twist[0], first, sizeof first);
        memcpy(free_twist[1] + 3, first, sizeof first);
        return 2;
    case IMP_JOINT_UNIVERSAL:
        memcpy(free_twist[0], first, sizeof first);
        memcpy(free_twist[1], a2, sizeof a2);
        return 2;
    case IMP_JOINT_BALL:
        if (plane) {
            free_twist[0][2] = 1;
            return 1;
        }
        for (int i = 0; i < 3; i++)
            free_twist[i][i] = 1;
        return 3;
    case IMP_JOINT_PLANAR: {
        /* spin about the normal, then a velocity: its part along the normal
         * must be none, which the consistency of the start checks */
        double second[3], third[3];
        basis(first, second, third);
        memcpy(free_twist[0], first, sizeof first);
        memcpy(free_twist[1] + 3, second, sizeof second);
        memcpy(free_twist[2] + 3, third, sizeof third);
        return 3;
    }
    default:
        return 0;
    }
}

double
impact_joint_check(const struct impact_joint *j, int n, double Q[6][6])
{
    assert(n >= 0 && n <= 6);
    double worst = 0;
    for (int i = 0; i < j->n; i++)
        for (int k = 0; k < n; k++) {
            double s = 0;
            for (int c = 0; c < 3; c++)
                s += j->S[i][c] * Q[k][3 + c] + j->S[i][3 + c] * Q[k][c];
            worst = fmax(worst, fabs(s));
        }
    return worst;
}

/* -- set-up's check ---------------------------------------------------------
 */

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

/* Checks S^T eta Q = 0 for every joint (screws.md 1.A), to rounding of the
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
