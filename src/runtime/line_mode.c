/* SPDX-License-Identifier: MIT */
/* Contacts that stay closed, and impacts at several: both are complementarity
 * problems of the closed contacts' matrix W (symmetric, positive semidefinite,
 * so that accelerations and velocities after are unique although the forces
 * need not be). */
#include "runtime/lcp.h"
#include "runtime/line_priv.h"

/* single impacts in a row at one instant */
#define LINE_ENDLESS 100000L

/* contacts of w->closed into w->index; how many */
static int
gather(struct line *l)
{
    struct line_work *w = l->w;
    int k = 0;
    for (int i = 0; i < l->model.m; i++)
        if (w->closed[i])
            w->index[k++] = i;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            w->G[i * k + j] = l->W[w->index[i] * l->model.m + w->index[j]];
    return k;
}

bool
line_settle(struct line *l)
{
    struct line_work *w = l->w;
    int n = l->model.n, m = l->model.m, k = gather(l);
    for (int j = 0; j < n; j++)
        l->a[j] = l->model.acc[j];
    for (int i = 0; i < k; i++)
        w->q[i] = line_dot(n, l->model.N + w->index[i] * n, l->a) +
                  bias_of(l, w->index[i]);
    int st = k ? lcp_solve(k, w->G, w->q, w->z, w->room) : 0;
    if (st == 1 || st == 3)
        return false;
    for (int i = 0; i < m; i++) {
        l->on[i] = false;
        l->force[i] = 0.0;
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++)
            l->a[j] += l->B[w->index[i] * n + j] * w->z[i];
    for (int i = 0; i < k; i++) {
        int c = w->index[i];
        const double *N = l->model.N + c * n;
        double opens = line_dot(n, N, l->a) + bias_of(l, c);
        double size = line_abs(n, N, l->a) + line_abs(n, N, l->model.acc) +
                      fabs(bias_of(l, c));
        l->on[c] =
            w->z[i] > 0.0 || !(opens > LINE_NOISE * m * DBL_EPSILON * size);
        l->fresh[c] = !l->on[c];
        l->force[c] = w->z[i];
    }
    for (int i = 0; i < m; i++)
        l->na[i] = l->on[i]
                       ? 0.0
                       : line_dot(n, l->model.N + i * n, l->a) + bias_of(l, i);
    return true;
}

/* impulses y of the gathered contacts onto the velocities */
static void
push(struct line *l, const double *y, int k)
{
    int n = l->model.n;
    for (int i = 0; i < k; i++) {
        int c = l->w->index[i];
        for (int j = 0; j < n; j++)
            l->v[j] += l->B[c * n + j] * y[i];
        l->impulse[c] += ldexp(y[i], l->ev);
    }
}

/* one after the other, the lowest number that approaches first */
static int
sequential(struct line *l, int k)
{
    struct line_work *w = l->w;
    for (long steps = 0; steps < LINE_ENDLESS; steps++) {
        int i = 0;
        double u = 0.0;
        for (; i < k; i++) {
            u = rate_of(l, w->index[i]);
            if (u < -rate_noise(l, w->index[i]))
                break;
        }
        if (i == k)
            return 0;
        int c = w->index[i];
        double p = -(1.0 + l->model.e[c]) * u / w->G[i * k + i];
        for (int j = 0; j < l->model.n; j++)
            l->v[j] += l->B[c * l->model.n + j] * p;
        l->impulse[c] += ldexp(p, l->ev);
    }
    return 2;
}

int
line_collide(struct line *l, enum line_policy how, const int *hit, int n)
{
    struct line_work *w = l->w;
    for (int i = 0; i < l->model.m; i++)
        w->closed[i] = l->on[i];
    for (int i = 0; i < n; i++)
        w->closed[hit[i]] = true;
    int k = gather(l);
    if (how == LINE_SEQUENTIAL)
        return sequential(l, k);
    for (int i = 0; i < k; i++) {
        int c = w->index[i];
        double u = l->on[c] ? 0.0 : rate_of(l, c);
        w->q[i] = how == LINE_REST || l->on[c] ? u : (1.0 + l->model.e[c]) * u;
    }
    int st = lcp_solve(k, w->G, w->q, w->p, w->room);
    if (st == 1 || st == 3)
        return 1;
    push(l, w->p, k);
    return 0;
}
