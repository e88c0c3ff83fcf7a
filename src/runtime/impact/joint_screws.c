/* SPDX-License-Identifier: MIT */
/* Joints as screws: what each kind reacts with (S) and how it may move (Q),
 * spec screws.md 1.A; S^T eta Q = 0. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/impact/impact.h"
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

/* b, c perpendicular to u; for the axes themselves the other two in order, so
 * that a hinge about z reacts with x, y and the numbers read as in the paper */
static void
basis(const double axis[3], double b[3], double c[3])
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
        b[i] = e[i] - d * axis[i];
    unit(b, b);
    vec3_cross(axis, b, c);
}

static void
push(struct impact_joint *j, const double *force, const double *moment)
{
    double *s = j->S[j->n++];
    memset(s, 0, 6 * sizeof *s);
    if (force)
        memcpy(s, force, 3 * sizeof *s);
    if (moment)
        memcpy(s + 3, moment, 3 * sizeof *s);
}

/* keeps what acts in the plane: force x, y, moment z; rows that do not act, or
 * act as those before, are left out */
static void
planar(struct impact_joint *j)
{
    double kept[3][3];
    int n = 0;
    for (int i = 0; i < j->n && n < 3; i++) {
        double r[3] = {j->S[i][0], j->S[i][1], j->S[i][5]}, x[3];
        memcpy(x, r, sizeof x);
        for (int k = 0; k < n; k++) {
            double d = vec3_dot(r, kept[k]);
            for (int c = 0; c < 3; c++)
                x[c] -= d * kept[k][c];
        }
        double before = vec3_norm(r);
        double left = vec3_norm(x);
        if (!(left > AXIS_ZERO * before))
            continue;
        for (int c = 0; c < 3; c++)
            kept[n][c] = x[c] / left;
        const double s[6] = {r[0], r[1], 0, 0, 0, r[2]};
        memcpy(j->S[n++], s, sizeof s);
    }
    j->n = n;
}

static const double E[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

bool
impact_joint_rows(struct impact_joint *j, enum imp_joint_kind kind,
                  const double axis[3], const double axis2[3],
                  const double *user, int n_user, bool plane)
{
    assert(j != NULL && axis != NULL);
    assert(n_user >= 0 && n_user <= 6);
    static const double z[3] = {0, 0, 1};
    double a[3] = {0, 0, 1}, a2[3], b[3], c[3];
    bool hinge = kind == IMP_JOINT_HINGE && plane;
    bool needs = kind != IMP_JOINT_BALL && kind != IMP_JOINT_WELD &&
                 kind != IMP_JOINT_CONSTRAINT;
    j->n = 0;
    if (needs && !unit(hinge ? z : axis, a))
        return false;
    basis(a, b, c);
    switch (kind) {
    case IMP_JOINT_BALL:
    case IMP_JOINT_WELD:
    case IMP_JOINT_HINGE:
    case IMP_JOINT_UNIVERSAL:
        for (int i = 0; i < 3; i++)
            push(j, E[i], NULL);
        break;
    case IMP_JOINT_SLIDER:
    case IMP_JOINT_CYLINDER:
        push(j, b, NULL);
        push(j, c, NULL);
        break;
    case IMP_JOINT_PLANAR:
        push(j, a, NULL);
        break;
    case IMP_JOINT_CONSTRAINT:
        for (int i = 0; i < n_user; i++)
            push(j, user + 6 * i, user + 6 * i + 3);
        break;
    }
    switch (kind) {
    case IMP_JOINT_WELD:
    case IMP_JOINT_SLIDER:
        for (int i = 0; i < 3; i++)
            push(j, NULL, E[i]);
        break;
    case IMP_JOINT_HINGE:
    case IMP_JOINT_CYLINDER:
    case IMP_JOINT_PLANAR:
        push(j, NULL, b);
        push(j, NULL, c);
        break;
    case IMP_JOINT_UNIVERSAL:
        if (!unit(axis2, a2))
            return false;
        vec3_cross(a, a2, b);
        if (!(fabs(b[0]) + fabs(b[1]) + fabs(b[2]) > AXIS_ZERO))
            return false;
        unit(b, b);
        push(j, NULL, b);
        break;
    default:
        break;
    }
    if (plane)
        planar(j);
    return true;
}

int
impact_joint_free(enum imp_joint_kind kind, const double axis[3],
                  const double axis2[3], bool plane, double Q[6][6])
{
    static const double z[3] = {0, 0, 1};
    double a[3] = {0, 0, 1}, a2[3] = {0, 0, 1};
    unit(plane && kind == IMP_JOINT_HINGE ? z : axis, a);
    unit(axis2, a2);
    memset(Q, 0, 36 * sizeof **Q);
    switch (kind) {
    case IMP_JOINT_HINGE:
        memcpy(Q[0], a, sizeof a);
        return 1;
    case IMP_JOINT_SLIDER:
        memcpy(Q[0] + 3, a, sizeof a);
        return 1;
    case IMP_JOINT_CYLINDER:
        memcpy(Q[0], a, sizeof a);
        memcpy(Q[1] + 3, a, sizeof a);
        return 2;
    case IMP_JOINT_UNIVERSAL:
        memcpy(Q[0], a, sizeof a);
        memcpy(Q[1], a2, sizeof a2);
        return 2;
    case IMP_JOINT_BALL:
        if (plane) {
            Q[0][2] = 1;
            return 1;
        }
        for (int i = 0; i < 3; i++)
            Q[i][i] = 1;
        return 3;
    case IMP_JOINT_PLANAR: {
        /* spin about the normal, then a velocity: its part along the normal
         * must be none, which the consistency of the start checks */
        double b[3], c[3];
        basis(a, b, c);
        memcpy(Q[0], a, sizeof a);
        memcpy(Q[1] + 3, b, sizeof b);
        memcpy(Q[2] + 3, c, sizeof c);
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
