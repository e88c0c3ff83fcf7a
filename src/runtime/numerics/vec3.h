/* SPDX-License-Identifier: MIT */
/* Vectors of three entries and 3 x 3 matrices (row-major, nine entries), as
 * inline functions. The result stands last and may be one of the operands.
 * The order of the floating-point operations is part of the contract: sums run
 * from the first entry to the last. */
#ifndef IMP_RUNTIME_NUMERICS_VEC3_H
#define IMP_RUNTIME_NUMERICS_VEC3_H

#include <math.h>

static inline double
vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double
vec3_norm(const double a[3])
{
    return sqrt(vec3_dot(a, a));
}

static inline void
vec3_cross(const double a[3], const double b[3], double out[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
           z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void
vec3_copy(const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i];
}

/* Sets out := a - b. */
static inline void
vec3_sub(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

/* Adds factor a to out. */
static inline void
vec3_add_scaled(double factor, const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] += factor * a[i];
}

/* Adds factor (a x b) to out. */
static inline void
vec3_add_scaled_cross(double factor, const double a[3], const double b[3],
                      double out[3])
{
    double c[3];
    vec3_cross(a, b, c);
    vec3_add_scaled(factor, c, out);
}

/* Sets a := a/|a|. A vector of length 0 stays. Returns the length it had. */
static inline double
vec3_normalise(double a[3])
{
    double length = vec3_norm(a);
    for (int i = 0; i < 3 && length > 0; i++)
        a[i] /= length;
    return length;
}

/* Sets out := M a. */
static inline void
mat3_apply(const double M[9], const double a[3], double out[3])
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = M[3 * i] * a[0] + M[3 * i + 1] * a[1] + M[3 * i + 2] * a[2];
    vec3_copy(x, out);
}

/* Sets out := M^T a. */
static inline void
mat3_apply_transposed(const double M[9], const double a[3], double out[3])
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = M[i] * a[0] + M[3 + i] * a[1] + M[6 + i] * a[2];
    vec3_copy(x, out);
}

/* Sets out := A B; out is neither of them. */
static inline void
mat3_product(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] +
                             A[3 * i + 2] * B[6 + j];
}

/* Returns a . M b. */
static inline double
mat3_quadratic(const double a[3], const double M[9], const double b[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += a[i] *
               (M[3 * i] * b[0] + M[3 * i + 1] * b[1] + M[3 * i + 2] * b[2]);
    return sum;
}

/* Sets out := S a, where S is symmetric, stored as xx yy zz xy xz yz like the
 * inertia of a body; out is not a. */
static inline void
sym3_apply(const double S[6], const double a[3], double out[3])
{
    out[0] = S[0] * a[0] + S[3] * a[1] + S[4] * a[2];
    out[1] = S[3] * a[0] + S[1] * a[1] + S[5] * a[2];
    out[2] = S[4] * a[0] + S[5] * a[1] + S[2] * a[2];
}

/* Sets out := S / 2^k, whose largest entry is near 1, so that its determinant
 * is a number, and returns k. */
static inline int
sym3_near_1(const double S[6], double out[6])
{
    double most = 0.0;
    int k = 0;
    for (int i = 0; i < 6; i++)
        most = fmax(most, fabs(S[i]));
    if (isfinite(most))
        frexp(most, &k);
    for (int i = 0; i < 6; i++)
        out[i] = ldexp(S[i], -k);
    return k;
}

/* Sets out := M^-1, where M is symmetric, stored as above. */
static inline void
sym3_inverse(const double M[6], double out[6])
{
    if (M[3] == 0.0 && M[4] == 0.0 && M[5] == 0.0) {
        for (int i = 0; i < 6; i++)
            out[i] = i < 3 ? 1.0 / M[i] : 0.0;
        return;
    }
    double S[6];
    int k = sym3_near_1(M, S);
    double xx = S[1] * S[2] - S[5] * S[5], yy = S[0] * S[2] - S[4] * S[4],
           zz = S[0] * S[1] - S[3] * S[3], xy = S[4] * S[5] - S[3] * S[2],
           xz = S[3] * S[5] - S[4] * S[1], yz = S[3] * S[4] - S[0] * S[5];
    double det = S[0] * xx + S[3] * xy + S[4] * xz;
    const double c[6] = {xx, yy, zz, xy, xz, yz};
    for (int i = 0; i < 6; i++)
        out[i] = ldexp(c[i] / det, -k);
}

/* Sets x := K^-1 b for a symmetric n x n matrix, n = 1 or 2, stored as K11 K12
 * K22; with n = 1 x[1] is 0. The result is not finite where K is singular. */
static inline void
sym2_solve(int n, const double K[3], const double b[2], double x[2])
{
    if (n == 1) {
        x[0] = b[0] / K[0];
        x[1] = 0.0;
        return;
    }
    double det = K[0] * K[2] - K[1] * K[1];
    x[0] = (K[2] * b[0] - K[1] * b[1]) / det;
    x[1] = (K[0] * b[1] - K[1] * b[0]) / det;
}

/* Sets out := R^T a with the rotation R of the unit quaternion q = (w, x, y,
 * z): a direction of the world in the axes of a body; out is not a. */
static inline void
quaternion_rotate_back(const double q[4], const double a[3], double out[3])
{
    double t[3], u[3];
    vec3_cross(q + 1, a, t);
    for (int i = 0; i < 3; i++)
        t[i] *= 2.0;
    vec3_cross(q + 1, t, u);
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - q[0] * t[i] + u[i];
}

/* The rotation matrix R (body axes to world axes) of a unit quaternion q
 * (w, x, y, z), the attitude of a body in space. Quarter turns about the axes
 * give zeros that are exact. */
static inline void
mat3_of_quaternion(const double q[4], double R[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = (w * w - z * z) + (x * x - y * y);
    R[1] = 2 * (x * y - w * z);
    R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z);
    R[4] = (w * w - z * z) + (y * y - x * x);
    R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y);
    R[7] = 2 * (y * z + w * x);
    R[8] = (w * w + z * z) - (x * x + y * y);
}

/* The same of an angle in the plane, from its cosine and sine. */
static inline void
mat3_of_angle(double cosine, double sine, double R[9])
{
    R[0] = cosine;
    R[1] = -sine;
    R[2] = 0;
    R[3] = sine;
    R[4] = cosine;
    R[5] = 0;
    R[6] = 0;
    R[7] = 0;
    R[8] = 1;
}

#endif
