/* SPDX-License-Identifier: MIT */
/* The map of one period of a chatter and its derivative. An order of contacts
 * that repeats is a map Phi of the gaps g and rates u of its group. It is
 * followed once more on a copy; the derivative goes along, of each impact by
 * implicit differentiation of the flight's end, d tau = -N (dq + dv tau)/(N
 * v-),  dq+ = dq + dv tau + v- d tau, dv- = dv + a d tau,               dv+ = U
 * dv-, of a limit by its projection, which does not depend on when it comes
 * (projection.c): so the orders of limits have a closed form, too.
 *
 * The motion of a group has scales: Phi(d^2 g, d u) = (d^2 g', d u') under
 * constant accelerations, Phi(b g, d u) = (b g', d u') without
 * (spec/chatter.md 3.2). A chatter that has converged is a fixed point of Psi =
 * Phi scaled back, stable when the other eigenvalues of D Psi are less than 1.
 * What remains is T(x) = tau(x) + l T(Psi(x)),   DT (I - l D Psi) = D tau, T(x)
 * (1 - l) = tau(x) + l DT (Psi(x) - x)  + O(distance^2), l the ratio of the
 * times; its value at the fixed point follows to the same order. From one
 * period to the next the distance falls by the greatest eigenvalue, so that two
 * predictions tell the error of the second. */
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/period_map_priv.h"
#include "runtime/accumulation/small_matrix.h"

/* a gravity-free fixed point is looked for when accelerations make this share
 * of the rates in a period */
#define MAP_LIGHT 1e-3
/* steps of Newton's method to the fixed point */
#define MAP_REFINE 6
/* squarings for the greatest eigenvalue */
#define MAP_SQUARE 10

static struct period_map *
map_of(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    if (w->map)
        return w->map;
    struct arena *a = w->arena;
    struct period_map *k = w->map = NEW(a, struct period_map);
    size_t r = (size_t)(l->model.m < l->model.n ? l->model.m : l->model.n);
    size_t n = 2 * r;
    double **at[] = {&k->dt, &k->x, &k->x1, &k->t, &k->v, &k->c};
    k->in_blocks = period_map_linear();
    k->s = ballistic_memory(a, l->model.n, l->model.m);
    k->b = NEW_N(a, int, r + 1);
    k->dy = NEW_N(a, double, n *r + 1);
    k->dz = NEW_N(a, double, n *r + 1);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        *at[i] = NEW_N(a, double, n + 2);
    k->M = NEW_N(a, double, n *n + 1);
    k->D = NEW_N(a, double, n *n + 1);
    k->P = NEW_N(a, double, n *n + 1);
    k->Q = NEW_N(a, double, n *n + 1);
    k->A = NEW_N(a, double, (n + 2) * (n + 4));
    k->one = NEW_N(a, double, r + 1);
    k->sel = NEW_N(a, bool, (size_t)l->model.m + 1);
    k->hit = NEW_N(a, bool, (size_t)l->model.m + 1);
    k->group = NEW_N(a, bool, (size_t)l->model.m + 1);
    k->sy = NEW_N(a, double, n *r + 4);
    k->sz = NEW_N(a, double, n *r + 1);
    return k;
}

/* -- what it says -----------------------------------------------------------
 */

/* Spectral radius of D without the directions of the scales, by squaring: the
 * norm of a power, which it is less than. below: only whether it is below 1, as
 * soon as a power says so. */
LANES_INLINE double
radius(struct period_map *k, int n, int scales, bool below)
{
    static const double ln2 = 0.69314718055994530942;
    int h = n / 2;
    double *D = k->P, *Q = k->Q, size = 0.0;
    memcpy(D, k->D, (size_t)(n * n) * sizeof *D);
    for (int s = 0; s < scales; s++) {
        double t2 = 0.0;
        int lo = scales == 2 && s ? h : 0, hi = scales == 2 && !s ? h : n;
        for (int i = lo; i < hi; i++)
            t2 += k->t[i] * k->t[i];
        for (int c = 0; c < n && t2 > 0.0; c += 2) {
            pair d = pair_of(0.0);
            for (int i = lo; i < hi; i++)
                d += pair_of(k->t[i]) * pair_load(D + i * n + c);
            for (int i = lo; i < hi; i++)
                pair_store(D + i * n + c,
                           pair_load(D + i * n + c) -
                               pair_of(k->t[i]) * d / pair_of(t2));
        }
    }
    double power = 1.0;
    for (int round = 0;; round++) {
        double most = round == MAP_SQUARE ? norm(D, n * n) : size_of(D, n * n);
        if (!(most > 0.0) || !isfinite(most))
            return most > 0.0 ? INFINITY : 0.0;
        if (below && size <= 0.0 && most < 1.0)
            return 0.0;
        if (round == MAP_SQUARE)
            return exp(size + log(most) / power);
        int by = exponent_of(most);
        pair down = pair_of(power2(-by));
        size += by * ln2 / power;
        for (int i = 0; i < n * n; i += 2)
            pair_store(D + i, pair_load(D + i) * down);
        square(n, D, Q);
        double *keep = D;
        D = Q;
        Q = keep;
        power *= 2.0;
    }
}

/* x, x1, M, tau and dt of one period. heavy: accelerations count. judge: only
 * whether kappa is below 1. False: no stable fixed point near. */
LANES_INLINE bool
read_of(struct period_map *k, int n, int scales, bool judge, struct reading *o)
{
    int h = n / 2;
    bool heavy = scales == 1;
    double U = norm(k->x + h, h), G = U * k->tau;
    double U1 = norm(k->x1 + h, h), G0 = norm(k->x, h), G1 = norm(k->x1, h);
    double *r = k->v;
    if (!(U > 0.0) || !(U1 > 0.0) || (!heavy && (!(G0 > 0.0) || !(G1 > 0.0))))
        return false;
    double b = U1 / U, a = heavy ? b * b : G1 / G0, l = a / b;
    if (!(l < 1.0) || !(a < 1.0))
        return false;
    for (int i = 0; i < n; i++) {
        double size = i < h ? G : U, back = i < h ? a : b;
        r[i] = (k->x1[i] / back - k->x[i]) / size;
        k->t[i] = k->x[i] / size * (heavy && i < h ? 2.0 : 1.0);
        double of_gap = G / (size * back), of_rate = U / (size * back);
        for (int c = 0; c < n; c++)
            k->D[i * n + c] = k->M[i * n + c] * (c < h ? of_gap : of_rate);
    }
    /* DT (I - l D) = D tau */
    int ld = SMALL_LD(n);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < n; c++)
            k->A[i * ld + c] = (i == c) - l * k->D[c * n + i];
        k->A[i * ld + n] = k->dt[i] * (i < h ? G : U);
        k->A[i * ld + n + 1] = 0.0;
    }
    double *DT = k->c;
    if (!eliminate(n, k->A, DT))
        return false;
    o->T = (k->tau + l * dot_of(n, DT, r)) / (1.0 - l);
    /* r = sum of e t - (D - I) d, d orthogonal to the t */
    int N = n + scales;
    ld = SMALL_LD(N);
    memset(k->A, 0, (size_t)(N * ld) * sizeof *k->A);
    for (int i = 0; i < n; i++) {
        int s = n + (scales == 2 && i >= h);
        for (int c = 0; c < n; c++)
            k->A[i * ld + c] = (i == c) - k->D[i * n + c];
        k->A[i * ld + s] = k->A[s * ld + i] = k->t[i];
        k->A[i * ld + N] = r[i];
    }
    double *x = k->c;
    if (!eliminate(N, k->A, x))
        return false;
    o->distance = norm(x, n);
    o->b = o->speed = b * exp(x[n + scales - 1]);
    o->a = heavy ? o->b * o->b : a * exp(x[n]);
    o->ratio = o->a / o->b;
    o->G = G;
    o->U = U;
    o->kappa = radius(k, n, scales, judge);
    return isfinite(o->T) && o->T > 0.0 && o->distance < MAP_NEAR &&
           o->kappa < 1.0 && o->ratio > 0.0 && o->ratio < 1.0;
}

static bool
read_map(struct period_map *k, bool heavy, bool judge, struct reading *o)
{
    int n = k->n;
    if (k->still)
        return k->in_blocks->read(k, o);
    if (heavy)
        return n == 6   ? read_of(k, 6, 1, judge, o)
               : n == 4 ? read_of(k, 4, 1, judge, o)
                        : read_of(k, n, 1, judge, o);
    return n == 6   ? read_of(k, 6, 2, judge, o)
           : n == 4 ? read_of(k, 4, 2, judge, o)
                    : read_of(k, n, 2, judge, o);
}

/* the state that accelerations no longer count in */
static void
weightless(struct ballistic *s)
{
    memset(s->na, 0, (size_t)s->model.m * sizeof *s->na);
    memset(s->nal, 0, (size_t)s->model.m * sizeof *s->nal);
    memset(s->ya, 0, (size_t)s->k.r * sizeof *s->ya);
    memset(s->yal, 0, (size_t)s->k.r * sizeof *s->yal);
}

/* is it a period of impacts without accelerations? */
static bool
is_still(const struct ballistic *l, const struct period_map *k, int period)
{
    const struct ballistic_workspace *w = l->w;
    if (!w->still || l->n_on || k->n > 2 * MAP_LINEAR_RANK)
        return false;
    for (unsigned long i = w->n_ring - (unsigned long)period; i < w->n_ring;
         i++)
        if (w->ring[i % HISTORY_KEPT].contact >= l->model.m)
            return false;
    return true;
}

/* a copy of l, which goes on from now */
static void
begin(const struct ballistic *l, struct period_map *k, int period,
      const bool *group)
{
    k->r = l->k.r;
    k->ex = l->ex;
    k->ev = l->ev;
    period_map_seeds(l, k, group);
    k->still = is_still(l, k, period);
    if (k->still)
        ballistic_copy_motion(k->s, l);
    else
        ballistic_copy(k->s, l);
}

/* follows the last `period` entries of the history of l once more */
static bool
replay(const struct ballistic *l, struct period_map *k, int period)
{
    return k->still ? k->in_blocks->follow(l, k, period)
                    : period_map_follow(l, k, period);
}

static bool
again(const struct ballistic *l, int period, struct reading *o)
{
    struct period_map *k = l->w->map;
    return replay(l, k, period) && read_map(k, k->heavy, false, o);
}

/* share of the rates that accelerations make in the period just followed */
static double
weight(const struct ballistic *l, const struct period_map *k, const bool *group)
{
    double acc = 0.0;
    int h = k->n / 2;
    for (int i = 0; i < l->model.m; i++)
        if (group[i])
            acc = greater(acc, fabs(times2(l->k.nf[i], l->ex - 2 * l->ev)) /
                                   l->k.root[i]);
    return acc * k->tau / norm(k->x + h, h);
}

/* How much greater than the group's are the gaps and rates that it is rounded
 * with? One that follows from y has the noise of y, until it is small enough to
 * be carried by itself. */
static double
blur(const struct ballistic *l, const bool *group)
{
    int r = l->k.r;
    double g = 0.0, u = 0.0;
    if (l->k.direct)
        return 0.0;
    for (int i = 0; i < l->model.m; i++)
        if (group[i]) {
            g = greater(g, fabs(l->gap[i]) / l->k.root[i]);
            u = greater(u, fabs(l->rate[i]) / l->k.root[i]);
        }
    double most = 1.0 / BALLISTIC_MINOR;
    g = norm(l->y, r) / g;
    u = norm(l->z, r) / u;
    return (g < most ? g : most) + (u < most ? u : most);
}

/* Newton's step: the copy, at the end of the period that `o` is of, to where
 * the fixed point would have come. */
static void
jump(struct period_map *k, const struct reading *o)
{
    struct ballistic *s = k->s;
    struct ballistic_workspace *w = s->w;
    int r = k->r, m = s->model.m, h = k->n / 2,
        n = projection_factor(s, k->group);
    for (int part = 0; part < 2; part++) {
        double *to = part ? s->z : s->y, *of = part ? s->rate : s->gap;
        double back = part ? o->b : o->a, unit = part ? o->U : o->G;
        int e = part ? k->ev - s->ev : k->ex - s->ex;
        memset(w->u, 0, (size_t)m * sizeof *w->u);
        for (int i = 0; i < h; i++) {
            int j = part * h + i;
            double x = back * (k->x[j] + k->c[j] * unit) - k->x1[j];
            w->u[k->b[i]] = times2(x * s->k.root[k->b[i]], e);
        }
        projection_solve(s, n, w->u);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < r; j++)
                to[j] += s->k.H[w->index[i] * r + j] * w->f[i];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n && !s->on[i]; j++)
                of[i] += s->k.W[i * m + w->index[j]] * w->f[j];
    }
    for (int i = 0; i < m; i++)
        if (s->fresh[i])
            s->gap[i] = 0.0;
}

/* A fixed point that is far away is one of this order only if the order repeats
 * there, too. */
static bool
is_there(const struct ballistic *l, int period, const struct reading *o)
{
    struct period_map *k = l->w->map;
    struct reading there;
    if (o->distance < MAP_NEAR)
        return true;
    jump(k, o);
    return again(l, period, &there) && there.distance < MAP_NEAR;
}

bool
period_map_limit(struct ballistic *l, int period, const bool *group,
                 struct fixed_point *out)
{
    struct period_map *k = map_of(l);
    struct reading one, two;
    const struct ballistic_workspace *w = l->w;
    begin(l, k, period, group);
    /* a limit is followed to its hits only, and begins after it: once more, so
     * that both ends are the same instant of a period */
    double start = 0.0, tau;
    if (w->ring[(w->n_ring - 1) % HISTORY_KEPT].contact >= l->model.m) {
        if (!replay(l, k, period))
            return false;
        start = k->tau;
    }
    if (!replay(l, k, period))
        return false;
    double light = k->still ? 0.0 : weight(l, k, group);
    tau = k->tau;
    k->heavy = light > 0.0;
    if (!read_map(k, k->heavy, true, &one)) {
        k->heavy = false;
        if (!(light > 0.0 && light < MAP_LIGHT) ||
            !read_map(k, false, true, &one))
            return false;
    }
    /* Of second order in the distance, where nobody asks for its digits; of the
     * stability the distance must not decide. */
    double near = one.distance / (1.0 - one.kappa);
    near *= near;
    if (k->still && near <= w->accept) {
        k->light = false;
        k->distance = one.distance;
        *out = (struct fixed_point){.T = start + one.T,
                                    .ratio = one.ratio,
                                    .speed = one.speed,
                                    .contraction = one.kappa,
                                    .off = near,
                                    .fall = one.kappa * one.kappa,
                                    .noise = DBL_EPSILON};
        return true;
    }
    if (!again(l, period, &two) || !is_there(l, period, &two))
        return false;
    /* the second is wrong by what the distance, and the weight of
     * accelerations, have become */
    double fall = two.kappa * two.kappa;
    if (!k->heavy && light > 0.0)
        fall = greater(fall, two.ratio / two.speed);
    if (!(fall < 1.0))
        return false;
    double T = tau + two.T, off = fabs(one.T - T), q = two.ratio * fall;
    double noise =
        8.0 * DBL_EPSILON * (period * (1.0 + 1.0 / two.ratio) + blur(l, group));
    k->light = !k->heavy && light > 0.0;
    k->distance = two.distance;
    *out = (struct fixed_point){.T = start + T,
                                .ratio = two.ratio,
                                .speed = two.speed,
                                .contraction = two.kappa,
                                .off = off * q / (1.0 - q) / T,
                                .fall = fall,
                                .noise = noise};
    return true;
}

int
period_map_order(struct ballistic *l, int period, const bool *group,
                 struct fixed_point *out)
{
    struct period_map *k = map_of(l);
    for (int i = 0; i < l->model.m; i++)
        if (!group[i] || l->c0l[i] != 0.0)
            return 0;
    k->r = l->k.r;
    period_map_seeds(l, k, group);
    if (k->n != 2 * k->r || !is_still(l, k, period))
        return 0;
    return k->in_blocks->order(l, k, period, out);
}

void
period_map_refine(struct ballistic *l, int period, struct fixed_point *out)
{
    struct period_map *k = l->w->map;
    struct reading o;
    double distance = k->light ? 1.0 : k->distance;
    if (k->light)
        weightless(k->s);
    for (int i = 0; i < MAP_REFINE && distance * distance > DBL_EPSILON; i++) {
        if (!again(l, period, &o))
            return;
        distance = o.distance;
        out->ratio = o.ratio;
        out->speed = o.speed;
        out->contraction = o.kappa;
        if (k->light) /* what accelerations make falls by this */
            out->contraction = greater(o.kappa, o.ratio / o.speed);
        jump(k, &o);
    }
}
