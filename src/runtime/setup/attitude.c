/* SPDX-License-Identifier: MIT */
/* How a body is turned at the start: an angle, a quaternion, axes, or an axis
 * with an angle, as the text states it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/setup/setup_priv.h"
#include "runtime/tape/functions.h"

bool
setup_normalise(double *vector, int count)
{
    assert(vector && count > 0);
    double big = 0, s = 0;
    for (int i = 0; i < count; i++)
        big = fmax(big, fabs(vector[i]));
    if (!(big > 0))
        return false;
    for (int i = 0; i < count; i++)
        s += (vector[i] / big) * (vector[i] / big);
    s = big * sqrt(s);
    for (int i = 0; i < count; i++)
        vector[i] /= s;
    return true;
}

/* The quaternion of a rotation matrix (by rows, from body to world), from the
 * largest of its four entries (Shepperd 1978). */
static void
quat_of_matrix(const double m[9], double quat[4])
{
    double diagonal[4] = {m[0] + m[4] + m[8], m[0] - m[4] - m[8],
                          m[4] - m[0] - m[8], m[8] - m[0] - m[4]};
    int greatest = 0;
    for (int i = 1; i < 4; i++)
        if (diagonal[i] > diagonal[greatest])
            greatest = i;
    double a = m[7] - m[5], b = m[2] - m[6], c = m[3] - m[1];
    double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
    const double rows[4][4] = {{1 + diagonal[0], a, b, c},
                               {a, 1 + diagonal[1], xy, xz},
                               {b, xy, 1 + diagonal[2], yz},
                               {c, xz, yz, 1 + diagonal[3]}};
    memcpy(quat, rows[greatest], sizeof rows[greatest]);
    if (quat[0] < 0)
        for (int i = 0; i < 4; i++)
            quat[i] = -quat[i];
    setup_normalise(quat, 4);
}

/* The greatest entry of |M^T M - 1|; 2 is added for a left-handed M. */
static double
axes_error(const double axes[9])
{
    double error = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double s = i == j ? -1 : 0;
            for (int k = 0; k < 3; k++)
                s += axes[3 * k + i] * axes[3 * k + j];
            error = fmax(error, fabs(s));
        }
    double det = axes[0] * (axes[4] * axes[8] - axes[5] * axes[7]) -
                 axes[1] * (axes[3] * axes[8] - axes[5] * axes[6]) +
                 axes[2] * (axes[3] * axes[7] - axes[4] * axes[6]);
    return det < 0 ? 2 + error : error;
}

static int
orient_error(struct rt *run, const imp_body *body, enum diag_code code,
             const char *what, const char *help)
{
    struct diag *diag = diag_add(
        run->ds, code, imp_places_of(run->im, body)->orient, "the %s", what);
    diag_note(run->ds, diag, body->range, "of body `%s`",
              imp_text(run->im, body->name));
    diag_help(run->ds, diag, "%s", help);
    return IMP_BADMODEL;
}

int
setup_orientation(struct rt *run, const imp_body *body, double quat[4])
{
    assert(body->orient <= IMP_ORIENT_AXISANGLE);
    const double *raw = setup_raw(run, body) + IMP_RAW_ORIENT;
    double axis[3] = {0, 0, 1}, angle = 0;
    switch ((enum imp_orient)body->orient) {
    case IMP_ORIENT_NONE:
        break;
    case IMP_ORIENT_ANGLE:
        angle = raw[0];
        break;
    case IMP_ORIENT_QUATERNION:
        memcpy(quat, raw, 4 * sizeof *quat);
        if (setup_normalise(quat, 4))
            return IMP_OK;
        return orient_error(run, body, DIAG_E0519, "quaternion has length zero",
                            "(1, 0, 0, 0) is the attitude of a body that is "
                            "not turned");
    case IMP_ORIENT_AXES: {
        double e = axes_error(raw);
        quat_of_matrix(raw, quat);
        if (e <= AXES_SLACK)
            return IMP_OK;
        return orient_error(
            run, body, DIAG_E0520,
            e >= 2 ? "axes are left-handed" : "axes are not orthonormal",
            e >= 2 ? "turn the sign of one column"
                   : "columns are perpendicular unit vectors, to six digits "
                     "or better");
    }
    case IMP_ORIENT_AXISANGLE:
        memcpy(axis, raw, sizeof axis);
        angle = raw[3];
        if (!setup_normalise(axis, 3))
            return orient_error(run, body, DIAG_E0521,
                                "axis of the rotation has length zero",
                                "give a direction, such as (0, 0, 1)");
        break;
    }
    quat[0] = imp_cos(0.5 * angle);
    for (int i = 0; i < 3; i++)
        quat[i + 1] = imp_sin(0.5 * angle) * axis[i];
    return IMP_OK;
}
