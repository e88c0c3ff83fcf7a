/* SPDX-License-Identifier: MIT */
/* Contacts that stay closed, and impacts at several: both are complementarity
 * problems of the closed contacts' matrix W (symmetric, positive semidefinite,
 * so that accelerations and velocities after are unique although the forces
 * need not be). */
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/lcp.h"

/* single impacts in a row at one instant */
#define ACTIVE_SET_ENDLESS 100000L

/* How much an impulse at contact i does to contact j: 0 where it may come of
 * the rounding of the masses and gradients of the gaps, which are off by a unit
 * in their last place each: eps (|N_j| |M^-1 N_i| + |N_i| |M^-1 N_j| + |M^-1
 * N_i| |M| |M^-1 N_j|), entries by their moduli. */
double
active_set_coupling(const struct ballistic *l, int i, int j)
{
    int n = l->model.n;
    double W = l->k.W[i * l->model.m + j];
    if (fabs(W) > BALLISTIC_MINOR * l->k.root[i] * l->k.root[j])
        return W;
    const double *Bi = l->k.B + i * n, *Bj = l->k.B + j * n;
    double terms =
        dot_abs(n, l->model.N + j * n, Bi) + dot_abs(n, l->model.N + i * n, Bj);
    for (int k = 0; k < n; k++)
        terms += fabs(Bi[k]) * dot_abs(n, l->model.mass + k * n, Bj);
    double noise = BALLISTIC_NOISE * DBL_EPSILON * terms;
    /* those of an instant are taken where the motion has come to */
    if (l->w->instant)
        noise = greater(noise, BALLISTIC_CLOSED * l->k.root[i] * l->k.root[j]);
    return fabs(W) <= noise ? 0.0 : W;
}

/* contacts of w->closed into w->index; how many */
static int
gather(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    int k = 0;
    for (int i = 0; i < l->model.m; i++)
        if (w->closed[i])
            w->index[k++] = i;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            w->G[i * k + j] = active_set_coupling(l, w->index[i], w->index[j]);
    return k;
}

/* y'' += response to forces or impulses p of the k gathered contacts */
static void
respond(const struct ballistic *l, const double *p, int k, double *y)
{
    int r = l->k.r;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < r; j++)
            y[j] += l->k.H[l->w->index[i] * r + j] * p[i];
}

/* all contacts are open */
static bool
settle_free(struct ballistic *l)
{
    size_t m = (size_t)l->model.m;
    memset(l->on, 0, m);
    memset(l->force, 0, m * sizeof *l->force);
    memcpy(l->na, l->k.nf, m * sizeof *l->na);
    memcpy(l->ya, l->k.ay, (size_t)l->k.r * sizeof *l->ya);
    l->n_on = 0;
    ballistic_units(l);
    return true;
}

/* Contacts of w->calm do not accelerate beside those that are closed (walls
 * across a floor), and others have no rate: the state keeps to that. */
static void
keep_calm(struct ballistic *l)
{
    bool *calm = l->w->calm, any = false, still = false;
    for (int i = 0; i < l->model.m && l->n_on; i++) {
        any |= calm[i] && !l->on[i];
        calm[i] |= l->on[i];
    }
    if (any)
        projection_apply(l, projection_factor(l, calm), l->ya, NULL);
    for (int i = 0; i < l->model.m && l->n_on && !l->k.direct; i++) {
        calm[i] = l->on[i] || l->rate[i] == 0.0;
        still |= calm[i];
    }
    if (still)
        projection_apply(l, projection_factor(l, calm), l->z, l->d0l);
}

bool
active_set_settle(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m, k = gather(l);
    if (k == 0 && m > 0 && l->k.r > 0)
        return settle_free(l);
    for (int i = 0; i < k; i++)
        w->q[i] = l->k.nf[w->index[i]];
    int st = k ? lcp_solve(k, w->G, w->q, w->p, w->room) : 0;
    if (st == 1 || st == 3)
        return false;
    memset(l->on, 0, (size_t)m);
    memset(l->force, 0, (size_t)m * sizeof *l->force);
    l->n_on = 0;
    for (int j = 0; j < l->k.r; j++)
        l->ya[j] = l->k.ay[j];
    respond(l, w->p, k, l->ya);
    for (int j = 0; j < l->k.r; j++) { /* rest is no motion by rounding */
        double size = fabs(l->k.ay[j]);
        for (int i = 0; i < k; i++)
            size += fabs(l->k.H[w->index[i] * l->k.r + j] * w->p[i]);
        if (fabs(l->ya[j]) <= BALLISTIC_NOISE * (k + 1) * DBL_EPSILON * size)
            l->ya[j] = 0.0;
    }
    for (int i = 0; i < m; i++) {
        double size = l->k.size[i];
        l->na[i] = l->k.nf[i];
        for (int j = 0; j < k; j++) {
            double d = l->k.W[i * m + w->index[j]] * w->p[j];
            l->na[i] += d;
            size += fabs(d);
        }
        w->f[i] = size;
        double noise = BALLISTIC_NOISE * (k + 1) * DBL_EPSILON * size;
        w->calm[i] = k && size > 0.0 && fabs(l->na[i]) <= noise;
        if (w->calm[i])
            l->na[i] = 0.0;
    }
    for (int i = 0; i < k; i++) {
        int c = w->index[i];
        double noise = BALLISTIC_NOISE * m * DBL_EPSILON * w->f[c];
        l->on[c] = w->p[i] > 0.0 || !(l->na[c] > noise);
        l->fresh[c] = !l->on[c];
        l->force[c] = w->p[i];
        if (!l->on[c])
            continue;
        l->n_on++;
        l->na[c] = l->gap[c] = l->rate[c] = l->big[c] = 0.0;
        if (l->k.direct) {
            l->ya[c] = l->z[c] = 0.0;
            l->y[c] = 0.0 - l->c0l[c];
        }
    }
    if (l->n_on >= l->k.r && !l->k.direct && !w->instant)
        projection_rest(l);
    else
        keep_calm(l);
    ballistic_units(l);
    return true;
}

void
active_set_push(struct ballistic *l, const int *contact, const double *p, int k)
{
    int r = l->k.r, m = l->model.m;
    double zs = 0.0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < r; j++)
            l->z[j] += l->k.H[contact[i] * r + j] * p[i];
    for (int j = 0; j < r; j++)
        zs += fabs(l->z[j]);
    for (int i = 0; i < k; i++)
        l->impulse[contact[i]] = times2(p[i], l->ev);
    for (int i = 0; i < m; i++) {
        double u = l->rate[i], full = zs * l->k.root[i];
        if (l->on[i])
            continue;
        for (int j = 0; j < k; j++)
            u += active_set_coupling(l, i, contact[j]) * p[j];
        if (u != l->rate[i] &&
            (l->k.direct || !(fabs(u) < BALLISTIC_MINOR * full)))
            u = ballistic_of(l, i, l->z) + l->d0l[i];
        l->rate[i] = u;
    }
}

/* one after the other, the lowest number that approaches first: impulses p,
 * rates u; how many, or -1: endless */
static long
sequential(struct ballistic *l, int k)
{
    struct ballistic_workspace *w = l->w;
    memset(w->p, 0, (size_t)k * sizeof *w->p);
    for (long steps = 0; steps < ACTIVE_SET_ENDLESS; steps++) {
        int i = 0;
        while (i < k && !(w->u[i] < -BALLISTIC_NOISE * DBL_EPSILON *
                                        l->w->rsize[w->index[i]]))
            i++;
        if (i == k)
            return steps;
        int c = w->index[i];
        double arrive = w->u[i];
        double p = -(1.0 + l->model.e[c]) * arrive / w->G[i * k + i];
        for (int j = 0; j < k; j++) {
            double d = w->G[j * k + i] * p;
            w->u[j] += d;
            if (fabs(d) > l->w->rsize[w->index[j]])
                l->w->rsize[w->index[j]] = fabs(d);
        }
        w->u[i] = -l->model.e[c] * arrive;
        w->p[i] += p;
    }
    return -1;
}

int
active_set_impact(struct ballistic *l, enum ballistic_policy how,
                  const int *hit, int n)
{
    struct ballistic_workspace *w = l->w;
    memcpy(w->closed, l->on, (size_t)l->model.m);
    for (int i = 0; i < n; i++)
        w->closed[hit[i]] = true;
    int k = gather(l);
    for (int i = 0; i < k; i++) {
        int c = w->index[i];
        w->u[i] = l->rate[c];
        w->rsize[c] = fabs(w->u[i]);
        w->q[i] = (how == BALLISTIC_REST ? 1.0 : 1.0 + l->model.e[c]) * w->u[i];
    }
    if (how == BALLISTIC_SEQUENTIAL) {
        long steps = sequential(l, k);
        if (steps < 0)
            return 2;
        l->impacts += steps - n;
    } else {
        int st = lcp_solve(k, w->G, w->q, w->p, w->room);
        if (st == 1 || st == 3)
            return 1;
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++) {
                double d = w->G[i * k + j] * w->p[j];
                w->u[i] += d;
                w->rsize[w->index[i]] += fabs(d);
            }
        /* where an impulse acts the law says what is left, to the last digit:
         * contacts that close alike go on alike */
        for (int i = 0; i < k; i++)
            if (w->p[i] > 0.0)
                w->u[i] = how == BALLISTIC_REST || l->on[w->index[i]]
                              ? 0.0
                              : -l->model.e[w->index[i]] * l->rate[w->index[i]];
    }
    active_set_push(l, w->index, w->p, k);
    for (int i = 0; i < k; i++) {
        int c = w->index[i];
        l->rate[c] = w->u[i];
        if (fabs(l->rate[c]) <= BALLISTIC_NOISE * DBL_EPSILON * w->rsize[c])
            l->rate[c] = 0.0;
        if (l->k.direct)
            l->z[c] = l->rate[c];
        l->gap[c] = l->big[c] = 0.0;
    }
    return 0;
}

void
projection_rest(struct ballistic *l)
{
    int k = projection_factor(l, l->on);
    if (l->w->rank < l->k.r)
        return;
    projection_apply(l, k, l->y, l->c0l);
    memset(l->z, 0, (size_t)l->k.r * sizeof *l->z);
    memset(l->ya, 0, (size_t)l->k.r * sizeof *l->ya);
    ballistic_sense(l);
}
