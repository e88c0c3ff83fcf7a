/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impact problems that tests write down directly, without a model. */
#ifndef IMPACT_HELP_H
#define IMPACT_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "runtime/impact/impact.h"

#define WORLD IMP_WORLD
#define PROBLEM_MOST 64

struct problem {
    struct impact_body b[PROBLEM_MOST];
    struct impact_contact c[PROBLEM_MOST];
    struct impact_joint j[PROBLEM_MOST];
    struct impact_problem p;
};

static inline void
problem_new(struct problem *o)
{
    memset(o, 0, sizeof *o);
    o->p.body = o->b;
    o->p.contact = o->c;
    o->p.joint = o->j;
}
/* R: body axes -> world, row-major, NULL: parallel; J: principal moments */
static inline uint32_t
add_body(struct problem *o, double mass, double jx, double jy, double jz,
         double x, double y, double z, const double *R)
{
    struct impact_body *b = &o->b[o->p.n_body];
    const double J[3] = {jx, jy, jz}, c[3] = {x, y, z};
    memset(b, 0, sizeof *b);
    b->mass = mass;
    b->invmass = mass > 0 ? 1 / mass : 0;
    memcpy(b->centre, c, sizeof c);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double r = R ? R[3 * i + k] : i == k;
            b->root[3 * i + k] = J[k] > 0 ? r / sqrt(J[k]) : 0;
            b->inroot[3 * i + k] = r * sqrt(J[k]);
        }
    return o->p.n_body++;
}
static inline void
set_motion(struct problem *o, uint32_t b, double wx, double wy, double wz,
           double vx, double vy, double vz)
{
    const double w[3] = {wx, wy, wz}, v[3] = {vx, vy, vz};
    memcpy(o->b[b].spin, w, sizeof w);
    memcpy(o->b[b].vel, v, sizeof v);
}
static inline void
add_contact(struct problem *o, uint32_t b0, uint32_t b1, double x, double y,
            double z, double ux, double uy, double uz, double e)
{
    struct impact_contact *c = &o->c[o->p.n_contact++];
    const double p[3] = {x, y, z}, u[3] = {ux, uy, uz};
    c->body[0] = b0;
    c->body[1] = b1;
    memcpy(c->p, p, sizeof p);
    memcpy(c->q, p, sizeof p);
    memcpy(c->dir, u, sizeof u);
    c->e = e;
    c->priority = INFINITY;
    c->stiffness = 1 + 0.25 * (double)o->p.n_contact;
    c->exponent = 1.5;
}
static inline void
add_joint(struct problem *o, enum imp_joint_kind kind, uint32_t b0, uint32_t b1,
          double x, double y, double z, double ax, double ay, double az,
          bool plane)
{
    struct impact_joint *j = &o->j[o->p.n_joint++];
    const double at[3] = {x, y, z}, axis[3] = {ax, ay, az};
    double Q[6][6];
    j->body[0] = b0;
    j->body[1] = b1;
    memcpy(j->at, at, sizeof at);
    assert_true(impact_joint_rows(j, kind, axis, (double[3]){ay, az, ax}, NULL,
                                  0, plane));
    int n = impact_joint_free(kind, axis, (double[3]){ay, az, ax}, plane, Q);
    assert_true(impact_joint_check(j, n, Q) < 1e-12);
    assert_int_equal(n + j->n, plane ? 3 : 6);
}

static inline double
multi_random(uint64_t *s, double lo, double hi)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}
static inline void
random_rotation(uint64_t *s, double R[9])
{
    double q[4], n;
    do {
        n = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = multi_random(s, -1, 1);
            n += q[i] * q[i];
        }
    } while (n > 1 || n < 0.01);
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(n);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),
                         2 * (x * z + w * y),     2 * (x * y + w * z),
                         1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),
                         1 - 2 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

/* force and moment about the mass centre that a unit of the reaction [f; t] at
 * `at` is on body b */
static inline void
wrench(const struct impact_body *b, const double *f, const double *t,
       const double *at, double sign, long double x[6])
{
    long double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = (long double)at[k] - b->centre[k];
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        x[k] = sign * f[k];
        x[3 + k] = sign * ((t ? t[k] : 0) + (r[p] * f[q] - r[q] * f[p]));
    }
}

/* The program's impulses as they act on body b less what they did: what is left
 * of momentum and angular momentum, and the size of the terms. */
static inline void
unbalanced(const struct problem *o, const struct impact_solver *m, uint32_t b,
           long double left[2], long double size[2])
{
    const struct impact_body *k = &o->b[b];
    long double sum[6] = {0}, x[6];
    left[0] = left[1] = size[0] = size[1] = 0;
    for (uint32_t c = 0; c < o->p.n_contact + o->p.n_joint; c++)
        for (int q = 0; q < 2; q++) {
            uint32_t j = c - o->p.n_contact;
            bool touch = c < o->p.n_contact;
            if ((touch ? o->c[c].body[q] : o->j[j].body[q]) != b)
                continue;
            if (touch)
                wrench(k, o->c[c].dir, NULL, o->c[c].p,
                       (q ? 1 : -1) * m->impulse.P[c], x);
            else
                wrench(k, m->impulse.xi + 6 * j, m->impulse.xi + 6 * j + 3,
                       o->j[j].at, q ? -1 : 1, x);
            for (int i = 0; i < 6; i++) {
                sum[i] += x[i];
                size[i / 3] += fabsl(x[i]);
            }
        }
    for (int i = 0; i < 3; i++) {
        const double *t = m->velocity.twist + 6 * b;
        long double h = 0;
        sum[i] -= k->mass * ((long double)t[3 + i] - k->vel[i]);
        size[0] += k->mass * (fabsl(k->vel[i]) + fabsl(t[3 + i]));
        for (int n = 0; n < 3; n++) {
            long double J = 0;
            for (int e = 0; e < 3; e++)
                J += (long double)k->inroot[3 * i + e] * k->inroot[3 * n + e];
            h += J * ((long double)t[n] - k->spin[n]);
            size[1] += fabsl(J) * (fabs(k->spin[n]) + fabs(t[n]));
        }
        sum[3 + i] -= h;
    }
    for (int i = 0; i < 6; i++)
        left[i / 3] = fmaxl(left[i / 3], fabsl(sum[i]));
}

#define CLOSE(a, b, tol)                                                       \
    do {                                                                       \
        double close_a = (a), close_b = (b);                                   \
        if (!(fabs(close_a - close_b) <= (tol)))                               \
            fail_msg("%s:%d: %s = %.17g, expected %.17g, off by %g", __FILE__, \
                     __LINE__, #a, close_a, close_b, close_a - close_b);       \
    } while (0)
/* eleven digits, as the reference values are given */
#define DIGITS(a, b) CLOSE(a, b, 1e-11 * fmax(1, fabs((double)(b))))

#endif
