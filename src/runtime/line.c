/* SPDX-License-Identifier: MIT */
/* Flights and impacts of line.h. The next impact is the least root of the
 * gaps' quadratics; a contact that was just hit has a gap of exactly 0, so its
 * impact is never found again. Invariants: x and v of a contact that was hit
 * are put back on its plane and on its law, so that a gap of the pattern
 * carries no rounding of other coordinates; the exponents follow the sizes. */
#include "runtime/line.h"

#include <string.h>

#include "base/arena.h"
#include "runtime/dense.h"
#include "runtime/lcp.h"
#include "runtime/line_priv.h"

/* mantissas are kept above this */
#define LINE_SMALL 0x1p-40
#define LINE_STEP 40
/* exponents beyond: nothing is left of the numbers */
#define LINE_EXPONENTS 100000000

/* -- making -----------------------------------------------------------------
 */

static double *
copy(struct arena *a, const double *x, size_t n)
{
    double *y = NEW_N(a, double, (size_t)n + 1);
    if (n)
        memcpy(y, x, n * sizeof *y);
    return y;
}

/* rows of M^-1 N^T and W = N M^-1 N^T; false: M is not positive definite */
static bool
responses(struct line *l)
{
    int n = l->model.n, m = l->model.m, rank;
    double *L = l->w->L, *rd = l->w->rn;
    int *first = l->w->firstn;
    memcpy(L, l->model.mass, (size_t)(n * n) * sizeof *L);
    for (int i = 0; i < n; i++)
        if (!(L[i * n + i] > 0))
            return false;
    dense_cholesky(n, L, n, first, NULL, 4.0 * n * DBL_EPSILON, rd, &rank);
    if (rank < n)
        return false;
    for (int i = 0; i < m; i++) {
        double *b = l->B + i * n;
        memcpy(b, l->model.N + i * n, (size_t)n * sizeof *b);
        dense_forward(n, L, n, first, rd, 0, b);
        dense_backward(n, L, n, first, rd, b);
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            l->W[i * m + j] = line_dot(n, l->model.N + i * n, l->B + j * n);
    return true;
}

/* The point nearest to 0 (in the metric of M) where as many gaps vanish as can;
 * gaps that do not vanish there keep what is left. */
static void
find_origin(struct arena *a, struct line *l)
{
    int n = l->model.n, m = l->model.m;
    size_t um = (size_t)m;
    double *G = NEW_N(a, double, um *um + 1);
    double *rd = NEW_N(a, double, um + 1), *y = NEW_N(a, double, (size_t)m + 1);
    int *first = NEW_N(a, int, (size_t)m + 1), rank;
    bool any = false;
    memcpy(l->c0, l->model.c, (size_t)m * sizeof *l->c0);
    for (int i = 0; i < m; i++)
        any |= l->model.c[i] != 0.0;
    if (!any)
        return;
    memcpy(G, l->W, (size_t)(m * m) * sizeof *G);
    dense_cholesky(m, G, m, first, NULL, dense_tolerance(m, m), rd, &rank);
    for (int i = 0; i < m; i++)
        y[i] = rd[i] == 0.0 ? 0.0 : -l->model.c[i];
    dense_forward(m, G, m, first, rd, 0, y);
    dense_backward(m, G, m, first, rd, y);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            l->origin[j] += l->B[i * n + j] * y[i];
    for (int i = 0; i < m; i++) {
        const double *N = l->model.N + i * n;
        double g = line_dot(n, N, l->origin) + l->model.c[i];
        double size = line_abs(n, N, l->origin) + fabs(l->model.c[i]);
        l->c0[i] =
            rd[i] != 0.0 || fabs(g) <= 16.0 * m * DBL_EPSILON * size ? 0.0 : g;
    }
}

static struct line_work *
work_new(struct arena *a, int n, int m)
{
    struct line_work *w = NEW(a, struct line_work);
    w->L = NEW_N(a, double, (size_t)(n * n) + 1);
    w->rn = NEW_N(a, double, (size_t)n + 1);
    w->firstn = NEW_N(a, int, (size_t)n + 1);
    w->G = NEW_N(a, double, (size_t)(m * m) + 1);
    w->q = NEW_N(a, double, (size_t)m + 1);
    w->z = NEW_N(a, double, (size_t)m + 1);
    w->rd = NEW_N(a, double, (size_t)m + 1);
    w->y = NEW_N(a, double, (size_t)m + 1);
    w->p = NEW_N(a, double, (size_t)m + 1);
    w->room = NEW_N(a, double, lcp_room(m) + 1);
    w->index = NEW_N(a, int, (size_t)m + 1);
    w->first = NEW_N(a, int, (size_t)m + 1);
    w->xs = NEW_N(a, double, (size_t)n + 1);
    w->vs = NEW_N(a, double, (size_t)n + 1);
    w->closed = NEW_N(a, bool, (size_t)m + 1);
    w->longest = 2 * m < LINE_PERIOD ? 2 * m : LINE_PERIOD;
    if (m == 1)
        w->longest = 1;
    w->least = 16;
    return w;
}

int
line_new(struct arena *a, const struct line_model *model, struct line **out)
{
    int n = model->n, m = model->m;
    struct line *l = NEW(a, struct line);
    l->model = *model;
    l->model.bias = NULL;
    l->model.mass = copy(a, model->mass, (size_t)(n * n));
    l->model.acc = copy(a, model->acc, (size_t)n);
    l->model.N = copy(a, model->N, (size_t)(m * n));
    l->model.c = copy(a, model->c, (size_t)m);
    l->model.e = copy(a, model->e, (size_t)m);
    l->B = NEW_N(a, double, (size_t)(m * n) + 1);
    l->W = NEW_N(a, double, (size_t)(m * m) + 1);
    l->origin = NEW_N(a, double, (size_t)n + 1);
    l->c0 = NEW_N(a, double, (size_t)m + 1);
    l->x = NEW_N(a, double, (size_t)n + 1);
    l->v = NEW_N(a, double, (size_t)n + 1);
    l->a = NEW_N(a, double, (size_t)n + 1);
    l->na = NEW_N(a, double, (size_t)m + 1);
    l->on = NEW_N(a, bool, (size_t)m + 1);
    l->force = NEW_N(a, double, (size_t)m + 1);
    l->fresh = NEW_N(a, bool, (size_t)m + 1);
    l->impulse = NEW_N(a, double, (size_t)m + 1);
    l->group = NEW_N(a, bool, (size_t)m + 1);
    l->hits = NEW_N(a, bool, (size_t)m + 1);
    l->w = work_new(a, n, m);
    if (!responses(l))
        return 1;
    find_origin(a, l);
    *out = l;
    return 0;
}

void
line_resolve(struct line *l, long least)
{
    l->w->least = least;
}

/* -- sizes ------------------------------------------------------------------
 */

static void
new_scale(struct line *l)
{
    int s = l->ex - 2 * l->ev;
    l->w->scale = ldexp(1.0, s > 2000 ? 2000 : s < -2000 ? -2000 : s);
}

static double
largest(const double *x, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++)
        m = fabs(x[i]) > m ? fabs(x[i]) : m;
    return m;
}

void
line_rescale(struct line *l)
{
    int n = l->model.n;
    bool changed = false;
    while (largest(l->x, n) < LINE_SMALL && largest(l->x, n) > 0.0 &&
           l->ex > -LINE_EXPONENTS) {
        for (int i = 0; i < n; i++)
            l->x[i] *= 0x1p40;
        l->ex -= LINE_STEP;
        changed = true;
    }
    while (largest(l->v, n) < LINE_SMALL && largest(l->v, n) > 0.0 &&
           l->ev > -LINE_EXPONENTS) {
        for (int i = 0; i < n; i++)
            l->v[i] *= 0x1p40;
        l->ev -= LINE_STEP;
        changed = true;
    }
    while (largest(l->x, n) > 0x1p60) {
        for (int i = 0; i < n; i++)
            l->x[i] *= 0x1p-40;
        l->ex += LINE_STEP;
        changed = true;
    }
    while (largest(l->v, n) > 0x1p60) {
        for (int i = 0; i < n; i++)
            l->v[i] *= 0x1p-40;
        l->ev += LINE_STEP;
        changed = true;
    }
    if (changed)
        new_scale(l);
}

/* -- state ------------------------------------------------------------------
 */

bool
line_start(struct line *l, double t, const double *q, const double *v,
           double tol)
{
    int n = l->model.n, m = l->model.m;
    struct line_work *w = l->w;
    for (int i = 0; i < n; i++) {
        l->x[i] = q[i] - l->origin[i];
        l->v[i] = v[i];
    }
    l->ex = l->ev = 0;
    l->t = t;
    l->t_lo = 0.0;
    l->impacts = 0;
    l->hit = -1;
    w->n_ring = 0;
    w->began = t;
    memset(w->match, 0, sizeof w->match);
    memset(&l->chatter, 0, sizeof l->chatter);
    new_scale(l);
    line_rescale(l);
    memset(l->on, 0, (size_t)m);
    memset(l->fresh, 0, (size_t)m);
    memset(w->closed, 0, (size_t)m);
    for (int i = 0; i < m; i++) {
        double g = ldexp(gap_of(l, i), l->ex), u = rate_of(l, i);
        bool near = g <= fmax(tol, ldexp(gap_noise(l, i), l->ex));
        w->closed[i] = near && fabs(u) <= rate_noise(l, i);
        l->fresh[i] = near && u > 0.0 && !w->closed[i];
    }
    return line_settle(l);
}

void
line_state(const struct line *l, double *q, double *v)
{
    for (int i = 0; i < l->model.n; i++) {
        q[i] = l->origin[i] + ldexp(l->x[i], l->ex);
        v[i] = ldexp(l->v[i], l->ev);
    }
}

double
line_gap(const struct line *l, int i)
{
    return l->on[i] || l->fresh[i] ? 0.0 : ldexp(gap_of(l, i), l->ex);
}

double
line_rate(const struct line *l, int i, int *exponent)
{
    double u = l->on[i] ? 0.0 : rate_of(l, i);
    if (exponent) {
        *exponent = l->ev;
        return u;
    }
    return ldexp(u, l->ev);
}

static void
pass(struct line *l, double dt)
{
    double s = l->t + dt, back = s - l->t;
    double e = (l->t - (s - back)) + (dt - back) + l->t_lo;
    l->t = s + e;
    l->t_lo = e - (l->t - s);
}

void
line_advance(struct line *l, double s)
{
    double as = l->w->scale * s, h = 0.5 * s;
    for (int i = 0; i < l->model.n; i++) {
        double dv = l->a[i] * as;
        l->x[i] += (l->v[i] + l->a[i] * l->w->scale * h) * s;
        l->v[i] += dv;
    }
    pass(l, ldexp(s, l->ex - l->ev));
}

void
line_copy(struct line *to, const struct line *from)
{
    size_t n = (size_t)from->model.n * sizeof(double);
    size_t m = (size_t)from->model.m;
    struct line keep = *to;
    *to = *from;
#define KEEP(f, size) to->f = memcpy(keep.f, from->f, size)
    KEEP(x, n);
    KEEP(v, n);
    KEEP(a, n);
    KEEP(na, m * sizeof(double));
    KEEP(force, m * sizeof(double));
    KEEP(impulse, m * sizeof(double));
    KEEP(on, m);
    KEEP(fresh, m);
    KEEP(group, m);
    KEEP(hits, m);
#undef KEEP
    to->w = keep.w;
    to->w->scale = from->w->scale;
    to->w->n_ring = from->w->n_ring;
    to->w->longest = from->w->longest;
    to->w->least = from->w->least;
    to->w->began = from->w->began;
    memcpy(to->w->ring, from->w->ring, sizeof to->w->ring);
    memcpy(to->w->match, from->w->match, sizeof to->w->match);
}

void
line_between(struct line *l, const struct line *after, double t, double *q,
             double *v)
{
    double s = ldexp(t - l->t - l->t_lo, l->ev - l->ex), as = l->w->scale * s;
    int n = l->model.n;
    for (int i = 0; i < n; i++) {
        q[i] = l->x[i] + (l->v[i] + 0.5 * l->a[i] * as) * s;
        v[i] = l->v[i] + l->a[i] * as;
    }
    if (after)
        line_average(l, after, q, v);
    for (int i = 0; i < n; i++) {
        q[i] = l->origin[i] + ldexp(q[i], l->ex);
        v[i] = ldexp(v[i], l->ev);
    }
}

/* -- one instant ------------------------------------------------------------
 */

int
line_instant(struct line *l, const struct line_model *model, double t,
             const double *q, const double *v, const bool *on)
{
    int n = model->n, m = model->m;
    l->model = *model; /* the caller keeps the arrays */
    l->t = t;
    l->t_lo = 0.0;
    l->ex = l->ev = 0;
    l->w->scale = 1.0;
    l->hit = -1;
    for (int i = 0; i < n; i++) {
        l->origin[i] = q[i];
        l->x[i] = 0.0;
        l->v[i] = v[i];
    }
    for (int i = 0; i < m; i++) {
        l->c0[i] = model->c[i] + line_dot(n, model->N + i * n, q);
        l->on[i] = on[i];
        l->fresh[i] = false;
        l->impulse[i] = 0.0;
    }
    return !responses(l);
}

/* -- the next impact --------------------------------------------------------
 */

/* local time until gap i closes (INFINITY: never) and its rate then */
static double
closing(const struct line *l, int i, double *arrive)
{
    double g = l->fresh[i] ? 0.0 : gap_of(l, i), u = rate_of(l, i);
    double al = l->na[i] * l->w->scale;
    *arrive = u;
    if (!(g > 0.0)) {
        if (!l->fresh[i] && u < 0.0)
            return 0.0;
        if (!(al < 0.0))
            return INFINITY;
        if (u < 0.0)
            u = 0.0; /* rounding of a contact that opens */
        *arrive = -u;
        return -2.0 * u / al;
    }
    if (al == 0.0)
        return u < 0.0 ? -g / u : (double)INFINITY;
    double disc = u * u - 2.0 * al * g;
    if (disc < 0.0 || (al > 0.0 && !(u < 0.0)))
        return INFINITY;
    double root = sqrt(disc);
    *arrive = -root;
    return u > 0.0 ? (u + root) / -al : 2.0 * g / (root - u);
}

/* contacts that close within rounding of s and approach there, beside the
 * first: a gap (and the time to it) is known to its noise only */
static int
together(struct line *l, double s, int first, int *hit)
{
    int n = 0;
    for (int i = 0; i < l->model.m; i++) {
        if (i == first) {
            hit[n++] = i;
            continue;
        }
        if (l->on[i] || l->fresh[i])
            continue;
        double al = l->na[i] * l->w->scale, u = rate_of(l, i);
        double g = gap_of(l, i) + (u + 0.5 * al * s) * s;
        double noise = gap_noise(l, i) +
                       LINE_NOISE * DBL_EPSILON * (fabs(u) + fabs(al * s)) * s;
        if (g <= noise && u + al * s < -rate_noise(l, i))
            hit[n++] = i;
    }
    return n;
}

/* do none of these contacts feel each other's impulses? */
static bool
strangers(const struct line *l, const int *hit, int n)
{
    int m = l->model.m;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double w = l->W[hit[i] * m + hit[j]];
            double size = sqrt(l->W[hit[i] * (m + 1)] * l->W[hit[j] * (m + 1)]);
            if (fabs(w) > 4.0 * l->model.n * DBL_EPSILON * size)
                return false;
        }
    return true;
}

/* puts contact i on its plane */
static void
onto_plane(struct line *l, int i)
{
    int n = l->model.n;
    double k = gap_of(l, i) / l->W[i * (l->model.m + 1)];
    for (int j = 0; j < n; j++)
        l->x[j] -= l->B[i * n + j] * k;
}

static void
single(struct line *l, int i, double arrive)
{
    int n = l->model.n;
    double W = l->W[i * (l->model.m + 1)];
    double p = (-l->model.e[i] * arrive - rate_of(l, i)) / W;
    for (int j = 0; j < n; j++)
        l->v[j] += l->B[i * n + j] * p;
    l->impulse[i] = ldexp(-(1.0 + l->model.e[i]) * arrive / W, l->ev);
}

static bool
sliding(const struct line *l)
{
    for (int i = 0; i < l->model.m; i++)
        if (l->on[i])
            return true;
    return false;
}

/* what is closed after an impact: those hit and those that slid; they open, or
 * go on in contact */
static bool
after_impact(struct line *l, const int *hit, int n)
{
    struct line_work *w = l->w;
    int m = l->model.m;
    bool stay = false;
    for (int i = 0; i < m; i++)
        w->closed[i] = l->on[i];
    for (int i = 0; i < n; i++)
        w->closed[hit[i]] = true;
    for (int i = 0; i < m; i++) {
        l->fresh[i] = false;
        if (!w->closed[i])
            continue;
        w->closed[i] =
            fabs(rate_of(l, i)) <= rate_noise(l, i) || rate_of(l, i) < 0.0;
        l->fresh[i] = !w->closed[i];
        stay |= w->closed[i];
    }
    if (stay || sliding(l))
        return line_settle(l);
    return true;
}

static enum line_event
collide(struct line *l, const int *hit, int n, double arrive)
{
    l->hit = hit[0];
    for (int i = 0; i < l->model.m; i++)
        l->impulse[i] = 0.0;
    for (int i = 0; i < n; i++)
        onto_plane(l, hit[i]);
    bool alone = strangers(l, hit, n);
    memset(l->hits, 0, (size_t)l->model.m);
    for (int i = 0; i < n; i++)
        l->hits[hit[i]] = true;
    if (n > 1 && !alone && l->policy == LINE_REPORT)
        return LINE_UNDECIDED;
    l->impacts += n;
    if (alone && !sliding(l)) {
        for (int i = 0; i < n; i++)
            single(l, hit[i], n == 1 ? arrive : rate_of(l, hit[i]));
    } else {
        enum line_policy how =
            n == 1 || alone ? LINE_COMPLEMENTARITY : l->policy;
        if (line_collide(l, how, hit, n))
            return LINE_JAMMED;
    }
    if (n == 1 && l->model.e[hit[0]] > 0.0 && !sliding(l)) {
        /* the usual case: it opens, everything else is off the ground */
        memset(l->fresh, 0, (size_t)l->model.m);
        l->fresh[hit[0]] = true;
    } else if (!after_impact(l, hit, n)) {
        return LINE_JAMMED;
    }
    return n == 1 || alone ? LINE_IMPACT : LINE_SEVERAL;
}

enum line_event
line_hit(struct line *l, const int *hit, int n)
{
    struct line_work *w = l->w;
    if (n == 0) {
        for (int i = 0; i < l->model.m; i++)
            w->closed[i] = l->on[i];
        return line_settle(l) ? LINE_END : LINE_JAMMED;
    }
    return collide(l, hit, n, rate_of(l, hit[0]));
}

enum line_event
line_next(struct line *l, double until)
{
    struct line_work *w = l->w;
    double s = INFINITY, arrive = 0.0, u;
    int first = -1;
    if (line_limit(l, until))
        return LINE_CHATTER;
    for (int i = 0; i < l->model.m; i++) {
        if (l->on[i])
            continue;
        double si = closing(l, i, &u);
        if (si < s) {
            s = si;
            first = i;
            arrive = u;
        }
    }
    double left = until - l->t - l->t_lo, unit = ldexp(1.0, l->ev - l->ex);
    if (first < 0 && isinf(until))
        return LINE_FREE;
    if (first < 0 || (isfinite(until) && s > left * unit)) {
        if (left > 0.0) {
            line_advance(l, left * unit);
            memset(l->fresh, 0, (size_t)l->model.m);
            l->t = until;
            l->t_lo = 0.0;
            line_rescale(l);
        }
        return LINE_END;
    }
    int n = together(l, s, first, w->index);
    line_advance(l, s);
    enum line_event what = collide(l, w->index, n, arrive);
    if (what != LINE_IMPACT || n > 1)
        return what;
    line_note(l, first, s);
    line_rescale(l);
    return what;
}
