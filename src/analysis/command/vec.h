/* SPDX-License-Identifier: MIT */
/* Vectors of three entries, for the analyses. */
#ifndef IMP_ANALYSIS_COMMAND_VEC_H
#define IMP_ANALYSIS_COMMAND_VEC_H

#include <math.h>

static inline double
v_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double
v_norm(const double a[3])
{
    return sqrt(v_dot(a, a));
}
static inline void
v_cross(double r[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
           z = a[0] * b[1] - a[1] * b[0];
    r[0] = x;
    r[1] = y;
    r[2] = z;
}
/* r += s a */
static inline void
v_add(double r[3], double s, const double a[3])
{
    for (int i = 0; i < 3; i++)
        r[i] += s * a[i];
}
static inline void
v_sub(double r[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = a[i] - b[i];
}
static inline void
v_copy(double r[3], const double a[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = a[i];
}
/* r += s (a x b) */
static inline void
v_add_cross(double r[3], double s, const double a[3], const double b[3])
{
    double c[3];
    v_cross(c, a, b);
    v_add(r, s, c);
}
/* a . H . b, H 3 x 3 row-major */
static inline double
v_quad(const double a[3], const double h[9], const double b[3])
{
    double s = 0.0;
    for (int i = 0; i < 3; i++)
        s += a[i] *
             (h[3 * i] * b[0] + h[3 * i + 1] * b[1] + h[3 * i + 2] * b[2]);
    return s;
}
/* r = H b */
static inline void
v_mat(double r[3], const double h[9], const double b[3])
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = h[3 * i] * b[0] + h[3 * i + 1] * b[1] + h[3 * i + 2] * b[2];
    v_copy(r, x);
}

#endif
