/* SPDX-License-Identifier: MIT */
/* Where would the parabola lead that touches the motion of bodies at this
 * instant (accumulation_forecast.h)? Its gaps are followed by
 * runtime/ballistic in the space that they span: with G = N M^-1 N^T = F F^T
 * (found by pivots, rank r) and coordinates y of unit mass, gap = F y + c. So
 * joints and any number of bodies look alike. The error of a forecast is of
 * the square of the time that is left; a caller who asks again after the next
 * impact sees how large it is. */
#include "runtime/modes/accumulation_forecast.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/modes/mode_select.h"
#include "runtime/numerics/lcp.h"

/* if a pivot is below this share of its diagonal, the row depends on those
 * before */
#define LIMIT_RANK 1e-11
/* a gap below this many rounding errors of its terms is 0 */
#define LIMIT_NOISE 64.0
/* Flights that agree to this share are the same: gaps that were closed
 * together open alike to the rounding of speeds and directions. */
#define LIMIT_ALIKE 1e-13
/* most impacts that a forecast follows */
#define LIMIT_IMPACTS 20000

struct space {
    int m, r;
    double *F, *rest; /* F is m x r; rest: the diagonal entries that are left */
    int *basis;
};

/* F F^T = G by pivots; the last entry of row basis[k] of F is at k */
static void
factor(struct space *s, const double *G)
{
    int m = s->m;
    for (int i = 0; i < m; i++)
        s->rest[i] = G[i * m + i];
    for (s->r = 0; s->r < m; s->r++) {
        int p = -1, k = s->r;
        double best = LIMIT_RANK;
        for (int i = 0; i < m; i++)
            if (s->rest[i] > best * G[i * m + i]) {
                best = s->rest[i] / G[i * m + i];
                p = i;
            }
        if (p < 0)
            break;
        double root = sqrt(s->rest[p]);
        for (int i = 0; i < m; i++) {
            double x = G[i * m + p];
            for (int j = 0; j < k; j++)
                x -= s->F[i * m + j] * s->F[p * m + j];
            bool taken = false;
            for (int j = 0; j < k; j++)
                taken |= s->basis[j] == i;
            s->F[i * m + k] = taken ? 0.0 : i == p ? root : x / root;
            s->rest[i] = taken || i == p
                             ? 0.0
                             : s->rest[i] - s->F[i * m + k] * s->F[i * m + k];
        }
        s->basis[k] = p;
    }
}

/* y with F y = g at the rows of the basis; off: the error at the other rows */
static void
coordinates(const struct space *s, const double *g, double *y, double *off)
{
    int m = s->m;
    for (int k = 0; k < s->r; k++) {
        int p = s->basis[k];
        double x = g[p];
        for (int j = 0; j < k; j++)
            x -= s->F[p * m + j] * y[j];
        y[k] = x / s->F[p * m + k];
    }
    for (int i = 0; i < m; i++) {
        off[i] = g[i];
        for (int j = 0; j < s->r; j++)
            off[i] -= s->F[i * m + j] * y[j];
    }
    for (int k = 0; k < s->r; k++)
        off[s->basis[k]] = 0.0;
}

static struct ballistic *
line_for(struct rt *run, struct forecast_memory *l,
         const struct ballistic_model *m)
{
    for (int i = 0; i < l->n; i++)
        if (l->line[i]->model.n == m->n && l->line[i]->model.m == m->m)
            return ballistic_renew(l->line[i], m) ? NULL : l->line[i];
    struct ballistic *new;
    if (ballistic_new(run->arena, m, &new))
        return NULL;
    if (l->n < FORECAST_MEMORIES)
        l->line[l->n++] = new;
    return new;
}

/* the limit that has just been taken, and the state of all points there */
static void
capture(const struct ballistic *l, const bool *moved,
        struct forecast_limit *out)
{
    for (int i = 0; i < l->model.m; i++) {
        out->group[i] = l->event.group[i];
        out->closed[i] = l->event.group[i] || l->mode.persistent[i];
        out->moved[i] = moved[i] || out->closed[i];
        out->gap[i] = out->closed[i] ? 0.0 : ballistic_gap(l, i);
        out->rate[i] = out->closed[i] ? 0.0 : ballistic_rate(l, i, NULL);
    }
    out->remaining = l->t;
    out->chatter = l->event.limit;
}

/* Follows the parabola to a limit at all points that were hit on the way.
 * Limits of some of them may come before. */
static void
look_ahead(struct ballistic *l, const struct forecast_question *a,
           struct forecast_limit *all, struct forecast_limit *some)
{
    bool hit[CONTACT_POINTS_MOST] = {false},
         moved[CONTACT_POINTS_MOST] = {false};
    int m = l->model.m;
    for (int k = 0; k < LIMIT_IMPACTS; k++) {
        for (int i = 0; i < m; i++)
            moved[i] |= l->mode.persistent[i];
        enum ballistic_event what = accumulation_next(l, a->ahead);
        if (what == BALLISTIC_IMPACT) {
            hit[l->event.contact] = moved[l->event.contact] = true;
        } else if (what == BALLISTIC_ACCUMULATION) {
            bool full = true;
            for (int i = 0; i < m; i++) {
                moved[i] |= l->event.group[i];
                full &= l->event.group[i] || !hit[i];
            }
            if (full || l->t <= a->window)
                capture(l, moved, full ? all : some);
            if (full)
                return;
        } else if (what != BALLISTIC_SEVERAL) {
            return;
        }
        for (int i = 0; i < m && what == BALLISTIC_SEVERAL; i++) {
            hit[i] |= l->event.together[i];
            moved[i] |= l->event.together[i];
        }
    }
}

bool
forecast_accelerations(struct rt *run, int n,
                       const struct contact_point_state *p, const double *G,
                       double *acc)
{
    assert(n > 0 && p != NULL && G != NULL && acc != NULL);
    int m = 0;
    size_t k = (size_t)n;
    int *index = NEW_N(run->brief, int, k + 1);
    double *M = NEW_N(run->brief, double, k *k + 2 * k + lcp_room(n) + 1);
    double *q = M + k * k, *z = q + k;
    for (int i = 0; i < n; i++)
        if (p[i].gap == 0.0 && p[i].rate == 0.0)
            index[m++] = i;
    for (int i = 0; i < m; i++) {
        q[i] = p[index[i]].free;
        for (int j = 0; j < m; j++)
            M[i * m + j] = G[index[i] * n + index[j]];
    }
    int st = m ? lcp_solve(m, M, q, z, z + k) : 0;
    for (int i = 0; i < n; i++) {
        acc[i] = p[i].free;
        for (int j = 0; j < m; j++)
            acc[i] += G[i * n + index[j]] * z[j];
    }
    return st == 0 || st == 2;
}

/* All points that were just hit are hit together again and again, none before
 * another: their flights 2 u/|a| shrink by one restitution e. */
static bool
together(struct rt *run, const struct forecast_question *a,
         struct forecast_limit *out)
{
    double T = 0.0, e = 0.0, acc[CONTACT_POINTS_MOST];
    int n = 0;
    if (!forecast_accelerations(run, a->n, a->p, a->G, acc))
        return false;
    for (int i = 0; i < a->n; i++) {
        const struct contact_point_state *p = &a->p[i];
        out->group[i] = p->gap == 0.0 && p->rate > 0.0;
        if (!out->group[i])
            continue;
        double t = acc[i] < 0.0 ? -2.0 * p->rate / acc[i] : INFINITY;
        if (n++ == 0) {
            T = t;
            e = a->e[i];
        }
        if (!(t < INFINITY) || a->e[i] != e || fabs(t - T) > LIMIT_ALIKE * T)
            return false;
    }
    if (n < 2 || !(e < 1.0))
        return false;
    T /= 1.0 - e;
    for (int i = 0; i < a->n; i++) {
        const struct contact_point_state *p = &a->p[i];
        bool rests = p->gap == 0.0 && p->rate == 0.0;
        if (!out->group[i] && !rests &&
            !(p->gap > T * (fabs(p->rate) + fabs(acc[i]) * T)))
            return false;
    }
    for (int i = 0; i < a->n; i++) {
        const struct contact_point_state *p = &a->p[i];
        out->closed[i] = out->moved[i] =
            out->group[i] || (p->gap == 0.0 && p->rate == 0.0);
        out->gap[i] = out->rate[i] = 0.0;
    }
    out->remaining = T;
    out->chatter = (struct accumulation_limit){.period = 1,
                                               .ratio = e,
                                               .depth = 1,
                                               .evidence = LIMIT_BY_LAW,
                                               .remaining = T,
                                               .error = LIMIT_ALIKE};
    return true;
}

bool
accumulation_forecast(struct rt *run, struct forecast_memory *lines,
                      const struct forecast_question *a,
                      struct forecast_limit *all, struct forecast_limit *some)
{
    assert(a->n > 0 && a->n <= CONTACT_POINTS_MOST);
    int m = a->n;
    size_t mm = (size_t)m;
    double *d = lines->room;
    if (!d)
        d = lines->room =
            NEW_N(run->arena, double,
                  CONTACT_POINTS_MOST *(2 * CONTACT_POINTS_MOST + 10));
    struct space s = {.m = m, .F = d, .rest = d + mm * mm};
    double *q = s.rest + m, *v = q + m, *acc = v + m, *c = acc + m;
    double *bias = c + m, *g = bias + m, *off = g + m, *N = off + m;
    double *e = N + mm * mm, most = 0.0;
    int basis[CONTACT_POINTS_MOST];
    all->remaining = some->remaining = 0.0;
    if (together(run, a, all))
        return true;
    all->remaining = 0.0;
    double *mass = NULL;
    s.basis = basis;
    factor(&s, a->G);
    for (int i = 0; i < m; i++)
        g[i] = a->p[i].gap;
    coordinates(&s, g, q, c);
    for (int i = 0; i < m; i++) {
        double size = a->place[i];
        for (int j = 0; j < s.r; j++)
            size += fabs(s.F[i * m + j] * q[j]);
        if (fabs(c[i]) <= LIMIT_NOISE * DBL_EPSILON * size)
            c[i] = 0.0;
        most = fmax(most, a->place[i]);
        e[i] = a->e[i];
        g[i] = a->p[i].rate;
    }
    coordinates(&s, g, v, off);
    for (int i = 0; i < m; i++)
        g[i] = a->p[i].free;
    coordinates(&s, g, acc, bias);
    if (!lines->mass)
        lines->mass =
            NEW_N(run->arena, double, CONTACT_POINTS_MOST *CONTACT_POINTS_MOST);
    mass = lines->mass;
    memset(mass, 0, sizeof *mass * (size_t)(s.r * s.r));
    for (int i = 0; i < s.r; i++)
        mass[i * s.r + i] = 1.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < s.r; j++)
            N[i * s.r + j] = s.F[i * m + j];
    struct ballistic_model model = {.n = s.r,
                                    .m = m,
                                    .mass = mass,
                                    .acc = acc,
                                    .N = N,
                                    .bias = bias,
                                    .c = c,
                                    .e = e};
    struct ballistic *l = s.r > 0 ? line_for(run, lines, &model) : NULL;
    if (!l || !ballistic_start(l, 0.0, q, v, LIMIT_NOISE * DBL_EPSILON * most))
        return false;
    l->policy = a->policy;
    look_ahead(l, a, all, some);
    return all->remaining > 0.0 || some->remaining > 0.0;
}
