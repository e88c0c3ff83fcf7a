/* SPDX-License-Identifier: MIT */
/* One period of period_map.c on the copy k->s, by ballistic_next, and its
 * derivative: tangents lie by coordinate and go along. Whatever a period is
 * made of: impacts under accelerations, several that one impulse brings about,
 * limits.
 */
#include <string.h>

#include "runtime/accumulation/period_map_priv.h"
#include "runtime/accumulation/small_matrix.h"

/* impacts until each contact of a limit has been hit */
#define MAP_HITS 64

void
period_map_coordinates(const struct period_map *k, double *x)
{
    const struct ballistic *s = k->s;
    int h = k->n / 2;
    for (int i = 0; i < h; i++) {
        double root = s->k.root[k->b[i]];
        x[i] = times2(s->gap[k->b[i]], s->ex - k->ex) / root;
        x[h + i] = times2(s->rate[k->b[i]], s->ev - k->ev) / root;
    }
}

/* tangents: what the group's impulses can do to each gap and rate alone */
static void
seeds(const struct ballistic *l, struct period_map *k)
{
    struct ballistic_workspace *w = l->w;
    int r = k->r, n = projection_factor(l, k->group), h = 0;
    for (int i = 0; i < n; i++)
        if (w->rd[i] != 0.0)
            k->b[h++] = w->index[i];
    k->n = 2 * h;
    memset(k->sy, 0, (size_t)(k->n * r) * sizeof *k->sy);
    memset(k->sz, 0, (size_t)(k->n * r) * sizeof *k->sz);
    for (int c = 0; c < h; c++) {
        double *x = w->u; /* m */
        memset(x, 0, (size_t)l->model.m * sizeof *x);
        x[k->b[c]] = l->k.root[k->b[c]];
        projection_solve(l, n, x);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < r; j++) {
                double d = l->k.H[w->index[i] * r + j] * w->f[i];
                k->sy[j * k->n + c] += d;
                k->sz[j * k->n + h + c] += d;
            }
    }
}

void
period_map_seeds(const struct ballistic *l, struct period_map *k,
                 const bool *group)
{
    size_t m = (size_t)l->model.m;
    if (k->version == l->k.version && !memcmp(k->group, group, m))
        return;
    k->version = l->k.version;
    memcpy(k->group, group, m);
    seeds(l, k);
}

static void
seed(struct period_map *k)
{
    size_t size = (size_t)(k->n * k->r) * sizeof *k->dy;
    memset(k->dt, 0, (size_t)k->n * sizeof *k->dt);
    memcpy(k->dy, k->sy, size);
    memcpy(k->dz, k->sz, size);
}

/* of them all, what contact c sees */
LANES_INLINE void
seen_by(const struct ballistic *s, int n, int r, int c, const double *x,
        double *to)
{
    if (s->k.direct)
        memcpy(to, x + c * n, (size_t)n * sizeof *to);
    else
        seen(n, r, s->k.F + c * r, x, to);
}

static double *
take_one(const struct period_map *k, const double *x, int i)
{
    for (int j = 0; j < k->r; j++)
        k->one[j] = x[j * k->n + i];
    return k->one;
}

static void
put_one(const struct period_map *k, double *x, int i)
{
    for (int j = 0; j < k->r; j++)
        x[j * k->n + i] = k->one[j];
}

/* contacts that are closed have no gap, and those that slide no rate */
static void
hold(struct period_map *k, const bool *closed)
{
    int n = projection_factor(k->s, closed);
    for (int c = 0; c < k->n && n; c++) {
        projection_apply(k->s, n, take_one(k, k->dy, c), NULL);
        put_one(k, k->dy, c);
        projection_apply(k->s, n, take_one(k, k->dz, c), NULL);
        put_one(k, k->dz, c);
    }
}

/* The tangents over the flight to contact c, which takes tau; z: rates at its
 * end; a: accelerations; arrive: rate of c. single: and over the impulse of c
 * alone. */
LANES_INLINE void
fly_of(struct period_map *k, int n, int r, int c, double tau, double arrive,
       bool single)
{
    const struct ballistic *s = k->s;
    double *dy = k->dy, *dz = k->dz, *w = k->t;
    const double *z = k->v, *a = k->c, *H = s->k.H + c * r;
    for (int i = 0; i < n * r; i += 2)
        pair_store(dy + i,
                   pair_load(dy + i) + pair_load(dz + i) * pair_of(tau));
    seen_by(s, n, r, c, dy, w);
    for (int i = 0; i < n; i += 2) {
        pair dt = -pair_load(w + i) / pair_of(arrive);
        pair_store(w + i, dt);
        pair_store(k->dt + i, pair_load(k->dt + i) + dt);
    }
    along(n, r, dy, z, w);
    along(n, r, dz, a, w);
    if (!single)
        return;
    double rd = 1.0 / sqrt(s->k.W[c * (s->model.m + 1)]), e = s->model.e[c];
    seen_by(s, n, r, c, dz, w);
    for (int i = 0; i < n; i += 2)
        pair_store(w + i, pair_load(w + i) * pair_of(1.0 + e) * pair_of(rd) *
                              pair_of(rd));
    for (int j = 0; j < r; j++)
        for (int i = 0; i < n; i += 2)
            pair_store(dz + j * n + i, pair_load(dz + j * n + i) -
                                           pair_of(H[j]) * pair_load(w + i));
}

static void
fly(struct period_map *k, int c, double tau, double arrive, bool single)
{
    int n = k->n, r = k->r;
    if (n == 6 && r == 3)
        fly_of(k, 6, 3, c, tau, arrive, single);
    else if (n == 4 && r == 2)
        fly_of(k, 4, 2, c, tau, arrive, single);
    else
        fly_of(k, n, r, c, tau, arrive, single);
}

/* The rates of y that the tangents are moved along, base units. Where others
 * than the group move, the small rates of the group are known better by
 * themselves (BALLISTIC_MINOR) than from y: then the least y that has them. */
static void
rates_of(struct period_map *k, double *z)
{
    struct ballistic *s = k->s;
    struct ballistic_workspace *w = s->w;
    int r = k->r, ez = s->ev - k->ev;
    if (s->k.direct || k->n == 2 * r) {
        for (int j = 0; j < r; j++)
            z[j] = times2(s->z[j], ez);
        return;
    }
    int n = projection_factor(s, k->group);
    projection_solve(s, n, s->rate);
    memset(z, 0, (size_t)r * sizeof *z);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < r; j++)
            z[j] += s->k.H[w->index[i] * r + j] * times2(w->f[i], ez);
}

/* the next impact, which must be that of one contact of the entry `name` */
static bool
step_impact(struct period_map *k, int name)
{
    struct ballistic *s = k->s;
    int r = k->r, m = s->model.m;
    double *z = k->v, *a = k->c, tau;
    rates_of(k, z);
    for (int j = 0; j < r; j++)
        a[j] = times2(s->ya[j], k->ex - 2 * k->ev);
    long before = s->impacts;
    if (ballistic_run(s, INFINITY, 1) != BALLISTIC_IMPACT ||
        s->impacts != before + 1)
        return false;
    int c = s->hit;
    if (name < m ? c != name : !impact_history_group_has(s, name, c))
        return false;
    const struct impact_entry *e =
        &s->w->ring[(s->w->n_ring - 1) % HISTORY_KEPT];
    tau = times2(e->flight, e->exponent - (k->ex - k->ev));
    for (int j = 0; j < r; j++)
        z[j] += a[j] * tau;
    double arrive = ballistic_of(s, c, z);
    if (!(arrive < 0.0))
        return false;
    k->tau += tau;
    int hits = 0;
    for (int i = 0; i < m; i++)
        hits += k->sel[i] = s->impulse[i] != 0.0 || i == c;
    fly(k, c, tau, arrive, hits == 1);
    int n = hits == 1 ? 0 : projection_factor(s, k->sel);
    for (int i = 0; i < k->n && n; i++) {
        double *dz = take_one(k, k->dz, i), *u = s->w->u;
        for (int j = 0; j < m; j++)
            if (k->sel[j])
                u[j] = ballistic_of(s, j, dz) *
                       (j == c ? 1.0 + s->model.e[c] : 1.0);
        projection_solve(s, n, u);
        for (int q = 0; q < n; q++)
            for (int j = 0; j < r; j++)
                dz[j] -= s->k.H[s->w->index[q] * r + j] * s->w->f[q];
        put_one(k, k->dz, i);
    }
    if (s->n_on)
        hold(k, s->on);
    return true;
}

/* A limit: when each of its contacts has been hit again, those that still slide
 * do so to its end, and the rest is a projection. */
static bool
step_limit(struct period_map *k, int name)
{
    struct ballistic *s = k->s;
    int m = s->model.m, left = 0;
    bool *group = s->group, *closed = s->w->closed, *hit = k->hit;
    memset(hit, 0, (size_t)m);
    for (int i = 0; i < m; i++)
        left += impact_history_group_has(s, name, i);
    for (int i = 0; left > 0; i++) {
        if (i > MAP_HITS || !step_impact(k, name))
            return false;
        left -= !hit[s->hit];
        hit[s->hit] = true;
    }
    memcpy(group, s->on, (size_t)m);
    impact_history_group_add(s, name, group);
    memcpy(closed, group, (size_t)m);
    hold(k, closed);
    projection_take_limit(s, 0.0);
    return true;
}

/* M from the tangents */
LANES_INLINE void
sense_of(struct period_map *k, int n, int r)
{
    const struct ballistic *s = k->s;
    int h = n / 2;
    for (int i = 0; i < n; i++) {
        int b = k->b[i < h ? i : i - h];
        double root = s->k.root[b], *to = k->M + i * n;
        seen_by(s, n, r, b, i < h ? k->dy : k->dz, to);
        for (int c = 0; c < n; c += 2)
            pair_store(to + c, pair_load(to + c) / pair_of(root));
    }
}

bool
period_map_follow(const struct ballistic *l, struct period_map *k, int period)
{
    const struct ballistic_workspace *w = l->w;
    struct ballistic *s = k->s;
    seed(k);
    if (s->n_on)
        hold(k, s->on);
    period_map_coordinates(k, k->x);
    k->tau = 0.0;
    for (int i = period; i > 0; i--) {
        int name =
            w->ring[(w->n_ring - (unsigned long)i) % HISTORY_KEPT].contact;
        if (!(name < l->model.m ? step_impact(k, name) : step_limit(k, name)))
            return false;
    }
    period_map_coordinates(k, k->x1);
    if (k->n == 6 && k->r == 3)
        sense_of(k, 6, 3);
    else if (k->n == 4 && k->r == 2)
        sense_of(k, 4, 2);
    else
        sense_of(k, k->n, k->r);
    return k->tau > 0.0;
}
