/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of ellipsoids that touch, drawn at random: shapes, attitude and motion
 * are params of one object. */
#include <math.h>

#include "bench.h"

const char bench_pair_text[] =
    "use shapes\n"
    "param a1 = 1 [m]\nparam b1 = 1.5 [m]\nparam c1 = 2 [m]\n"
    "param a2 = 1 [m]\nparam b2 = 1.2 [m]\nparam c2 = 0.7 [m]\n"
    "param px = 2.3 [m]\nparam py = 0 [m]\nparam pz = 0 [m]\n"
    "param q0 = 1\nparam q1 = 0\nparam q2 = 0\nparam q3 = 0\n"
    "param vx = 0 [m/s]\nparam vy = 0 [m/s]\nparam vz = 0 [m/s]\n"
    "param s1x = 0 [1/s]\nparam s1y = 0 [1/s]\nparam s1z = 0 [1/s]\n"
    "param s2x = 0 [1/s]\nparam s2y = 0 [1/s]\nparam s2z = 0 [1/s]\n"
    "body one : ellipsoid(a1, b1, c1) { density = 1\n"
    "  spin = (s1x, s1y, s1z) }\n"
    "body two : ellipsoid(a2, b2, c2) { density = 1\n"
    "  position = (px, py, pz)  quaternion = (q0, q1, q2, q3)\n"
    "  velocity = (vx, vy, vz)  spin = (s2x, s2y, s2z) }\n"
    "contact touch : one | two { restitution = 1 }\n"
    "let r = classify touch\n";

void
bench_direction(struct bench_random *r, double d[3])
{
    double n;

    do {
        for (int i = 0; i < 3; i++)
            d[i] = bench_uniform(r, -1, 1);
        n = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    } while (n > 1 || n < 0.1);
    for (int i = 0; i < 3; i++)
        d[i] /= n;
}

/* the point of an ellipsoid whose outward normal is d: A^2 d/|A d| */
static void
support(const double *axes, const double *d, double *x)
{
    double n = 0;

    for (int i = 0; i < 3; i++)
        n += axes[i] * axes[i] * d[i] * d[i];
    for (int i = 0; i < 3; i++)
        x[i] = axes[i] * axes[i] * d[i] / sqrt(n);
}

void
bench_pair_draw(struct bench_random *r, double p[BENCH_PAIR])
{
    double n[3], m[3], P[3], Q[3], *q = p + 9, len = 0;

    for (int i = 0; i < 6; i++)
        p[i] = bench_uniform(r, 0.7, 2);
    do {
        len = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = bench_uniform(r, -1, 1);
            len += q[i] * q[i];
        }
    } while (len > 1 || len < 0.1);
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(len);
    const double R[3][3] = {
        {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
         2 * (q[1] * q[3] + q[0] * q[2])},
        {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
         2 * (q[2] * q[3] - q[0] * q[1])},
        {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
         1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
    bench_direction(r, n);
    support(p, n, P);
    for (int i = 0; i < 3; i++)
        m[i] = -(R[0][i] * n[0] + R[1][i] * n[1] + R[2][i] * n[2]);
    support(p + 3, m, Q);
    for (int i = 0; i < 3; i++)
        p[6 + i] = P[i] - (R[i][0] * Q[0] + R[i][1] * Q[1] + R[i][2] * Q[2]);
    for (int i = 13; i < BENCH_PAIR; i++)
        p[i] = bench_uniform(r, -1, 1);
}
