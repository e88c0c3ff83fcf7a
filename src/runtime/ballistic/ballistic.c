/* SPDX-License-Identifier: MIT */
/* Memory, units and state of ballistic.h. Invariants: gap and rate are those of
 * y and z but for contacts that slide (0) or were just hit (the law's rate,
 * exactly); the exponents follow the sizes. */
#include "runtime/ballistic/ballistic.h"

#include <string.h>

#include "base/arena.h"
#include "runtime/ballistic/ballistic_priv.h"
#include "runtime/numerics/lcp.h"

/* mantissas are kept above this */
#define UNITS_SMALL 0x1p-40
#define UNITS_STEP 40
/* exponents beyond: nothing is left of the numbers */
#define UNITS_EXPONENTS 100000000
/* local accelerations are kept below this */
#define UNITS_STEEP 0x1p200

/* -- making -----------------------------------------------------------------
 */

static double *
numbers(struct arena *a, int n)
{
    return NEW_N(a, double, (size_t)n + 1);
}

/* up to whole lanes */
static int
filled(int m)
{
    return (m + 3) / 4 * 4;
}

/* so many numbers where a load of whole lanes meets one line of the cache */
static double *
lanes_new(struct arena *a, int n)
{
    uintptr_t p = (uintptr_t)numbers(a, n + 3);
    return (double *)((p + 31) & ~(uintptr_t)31);
}

static void
made_new(struct arena *a, struct contact_matrices *k, int n, int m)
{
    k->B = numbers(a, m * n);
    k->W = numbers(a, m * m);
    k->F = numbers(a, m * m);
    k->stride = filled(m);
    k->root = lanes_new(a, k->stride);
    k->Ft = lanes_new(a, m * k->stride);
    k->Kt = lanes_new(a, m * k->stride);
    k->diagonal = lanes_new(a, k->stride);
    k->P = lanes_new(a, m * k->stride);
    k->H = numbers(a, m * m);
    k->K = numbers(a, m * m);
    k->E = numbers(a, n * m);
    k->ay = numbers(a, m);
    k->ap = numbers(a, n);
    k->nf = numbers(a, m);
    k->size = numbers(a, m);
    k->origin = numbers(a, n);
    k->c0 = numbers(a, m);
    k->d0 = numbers(a, m);
    k->basis = NEW_N(a, int, (size_t)m + 1);
}

static void
block_new(struct arena *a, struct ballistic *l, int n, int m)
{
    double **at[] = {&l->y,     &l->z,       &l->ya,  &l->gap, &l->rate,
                     &l->na,    &l->nal,     &l->yal, &l->c0l, &l->d0l,
                     &l->force, &l->impulse, &l->big};
    int stride = filled(m);
    int doubles = (int)(sizeof at / sizeof *at) * stride + 2 * n;
    size_t bytes = (size_t)doubles * sizeof(double) + 4 * (size_t)m;
    double *d = l->block = lanes_new(a, (int)(bytes / sizeof(double)) + 1);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++, d += stride)
        *at[i] = d;
    for (int i = m; i < stride; i++) /* contacts that are never there */
        l->gap[i] = l->c0l[i] = INFINITY;
    l->xp = d;
    l->vp = d + n;
    l->on = (bool *)(d + 2 * n);
    l->fresh = l->on + m;
    l->hits = l->fresh + m;
    l->group = l->hits + m;
    l->w->bytes = bytes;
    l->w->begun =
        (struct ballistic_saved_start){.q = numbers(a, n),
                                       .v = numbers(a, n),
                                       .block = lanes_new(a, doubles + m),
                                       .rsize = lanes_new(a, stride)};
}

static struct ballistic_workspace *
work_new(struct arena *a, int n, int m)
{
    struct ballistic_workspace *w = NEW(a, struct ballistic_workspace);
    double **at[] = {&w->q,  &w->u,  &w->rd, &w->f,  &w->p,
                     &w->ys, &w->zs, &w->as, &w->ds, &w->rsize};
    made_new(a, &w->own, n, m);
    w->mass = numbers(a, n * n);
    w->acc = numbers(a, n);
    w->N = numbers(a, m * n);
    w->c = numbers(a, m);
    w->e = lanes_new(a, filled(m));
    w->L = NEW_N(a, wide, (size_t)(n * n) + 1);
    w->B = NEW_N(a, wide, (size_t)(m * n) + 1);
    w->W = NEW_N(a, wide, (size_t)(m * m) + 1);
    w->C = NEW_N(a, wide, (size_t)(m * m) + 1);
    w->wf = NEW_N(a, wide, (size_t)m + 1);
    w->rc = NEW_N(a, wide, (size_t)m + 1);
    w->G = numbers(a, m * m);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        *at[i] = lanes_new(a, filled(m));
    w->room = NEW_N(a, double, lcp_room(m) + 1);
    w->index = NEW_N(a, int, (size_t)m + 1);
    w->first = NEW_N(a, int, (size_t)m + 1);
    w->hit = NEW_N(a, int, (size_t)m + 1);
    w->closed = NEW_N(a, bool, (size_t)m + 1);
    w->slight = NEW_N(a, bool, (size_t)m + 1);
    w->calm = NEW_N(a, bool, (size_t)m + 1);
    w->least = ACCUMULATION_RESOLVE;
    w->coast = ballistic_coast(m);
    return w;
}

/* are n numbers the same, bit for bit? */
static bool
same(const double *a, const double *b, int n)
{
    return !n || !memcmp(a, b, (size_t)n * sizeof *a);
}

int
ballistic_renew(struct ballistic *l, const struct ballistic_model *model)
{
    struct ballistic_workspace *w = l->w;
    int n = model->n, m = model->m;
    bool made = w->made && !model->bias && same(w->mass, model->mass, n * n) &&
                same(w->acc, model->acc, n) && same(w->N, model->N, m * n) &&
                same(w->c, model->c, m);
    l->model = *model;
#define KEEP(f, size)                                                          \
    l->model.f = memcpy(w->f, model->f, (size_t)(size) * sizeof(double))
    KEEP(mass, n * n);
    KEEP(acc, n);
    if (m) {
        KEEP(N, m * n);
        KEEP(c, m);
        KEEP(e, m);
    }
#undef KEEP
    if (made) {
        l->k = w->own;
        matrices_laws(l);
        return 0;
    }
    w->made = false;
    l->k = w->own;
    int bad = matrices_make(l);
    w->own.r = l->k.r;
    w->own.direct = l->k.direct;
    w->made = !bad && !model->bias;
    return bad;
}

void
ballistic_restitutions(struct ballistic *l, const double *e)
{
    if (same(l->w->e, e, l->model.m))
        return;
    memcpy(l->w->e, e, (size_t)l->model.m * sizeof *e);
    l->w->ahead = NULL;
    matrices_laws(l);
}

struct ballistic *
ballistic_memory(struct arena *a, int n, int m)
{
    struct ballistic *l = NEW(a, struct ballistic);
    l->w = work_new(a, n, m);
    l->w->arena = a;
    l->w->marks = impact_history_new(a, m);
    block_new(a, l, n, m);
    return l;
}

int
ballistic_new(struct arena *a, const struct ballistic_model *model,
              struct ballistic **out)
{
    struct ballistic *l = ballistic_memory(a, model->n, model->m);
    if (ballistic_renew(l, model))
        return 1;
    *out = l;
    return 0;
}

/* No pattern is looked for in fewer impacts: `least` of it are to be resolved.
 */
static unsigned long
first_look(const struct ballistic_workspace *w)
{
    return (unsigned long)(w->least > ACCUMULATION_RESOLVE
                               ? ACCUMULATION_RESOLVE
                               : w->least);
}

void
accumulation_resolve(struct ballistic *l, long least)
{
    l->w->least = least;
    l->w->look = l->w->n_ring ? 0 : first_look(l->w);
}

void
accumulation_skip_rates(struct ballistic *l, bool brief)
{
    l->w->brief = brief;
}

void
accumulation_verdict_only(struct ballistic *l, bool alone)
{
    l->w->verdict = alone;
}

void
accumulation_doubt(struct ballistic *l, long least)
{
    l->w->doubt = least;
}

void
accumulation_accept_error(struct ballistic *l, double error)
{
    l->w->accept = error;
}

/* -- units ------------------------------------------------------------------
 */

void
ballistic_units(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    w->tunit = power2(l->ex - l->ev);
    w->vunit = power2(l->ev);
    w->aunit = power2(l->ex - 2 * l->ev);
    w->still = l->model.m > 0 && l->model.m <= BALLISTIC_LANES;
    for (int i = 0; i < l->model.m; i++) {
        l->nal[i] = l->na[i] == 0.0 ? 0.0 : l->na[i] * w->aunit;
        l->c0l[i] = l->k.c0[i] == 0.0 ? 0.0 : times2(l->k.c0[i], -l->ex);
        l->d0l[i] = l->k.d0[i] == 0.0 ? 0.0 : times2(l->k.d0[i], -l->ev);
        w->still &= l->nal[i] == 0.0 && l->d0l[i] == 0.0;
    }
    for (int j = 0; j < l->k.r; j++) {
        l->yal[j] = l->ya[j] == 0.0 ? 0.0 : l->ya[j] * w->aunit;
        w->still &= l->yal[j] == 0.0;
    }
}

static double
largest(const double *x, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++)
        m = greater(fabs(x[i]), m);
    return m;
}

/* mantissas x of size back into their range by changes of *e; `least`: no
 * further down */
static bool
fit(double *x, int n, int *e, int least)
{
    double size = largest(x, n);
    int by = 0;
    while (size < UNITS_SMALL && size > 0.0 && *e + by > least) {
        size *= 0x1p40;
        by -= UNITS_STEP;
    }
    while (size > 0x1p60 && isfinite(size)) {
        size *= 0x1p-40;
        by += UNITS_STEP;
    }
    for (int i = 0; i < n && by; i++)
        x[i] = times2(x[i], -by);
    *e += by;
    return by != 0;
}

void
ballistic_rescale(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    int r = l->k.r, m = l->model.m, ex = l->ex, ev = l->ev;
    double a = largest(l->na, m);
    bool any, rest = !(largest(l->y, r) > 0.0);
    /* local accelerations a 2^(ex - 2 ev) stay finite */
    int least = -UNITS_EXPONENTS;
    any = fit(l->y, r, &l->ex, least);
    if (a > 0.0 && !rest)
        least = (l->ex + ilogb(a) - ilogb(UNITS_STEEP)) / 2 + UNITS_STEP;
    any |= fit(l->z, r, &l->ev, least);
    if (any && rest) /* no length: that of the speed */
        l->ex = a > 0.0 ? 2 * l->ev : l->ev;
    w->low_v = UNITS_SMALL;
    if (!any)
        return;
    for (int i = 0; i < m; i++) {
        l->gap[i] = times2(l->gap[i], ex - l->ex);
        l->big[i] = times2(l->big[i], ex - l->ex);
        l->rate[i] = times2(l->rate[i], ev - l->ev);
        w->rsize[i] = times2(w->rsize[i], ev - l->ev);
    }
    ballistic_units(l);
    w->coasts &= w->still;
}

bool
ballistic_plain_units(struct ballistic *l)
{
    int r = l->k.r, m = l->model.m, ex = l->ex, ev = l->ev;
    if (ex == 0 && ev == 0)
        return false;
    l->ex = l->ev = 0;
    for (int j = 0; j < r; j++) {
        l->y[j] = times2(l->y[j], ex);
        l->z[j] = times2(l->z[j], ev);
    }
    ballistic_units(l);
    for (int i = 0; i < m; i++) {
        l->gap[i] = isfinite(l->gap[i]) ? times2(l->gap[i], ex)
                                        : ballistic_of(l, i, l->y) + l->c0l[i];
        l->big[i] = isfinite(l->big[i]) ? times2(l->big[i], ex)
                                        : fabs(l->gap[i]) + fabs(l->c0l[i]);
        l->rate[i] = times2(l->rate[i], ev);
        l->w->rsize[i] = times2(l->w->rsize[i], ev);
    }
    return true;
}

/* -- state ------------------------------------------------------------------
 */

void
ballistic_sense(struct ballistic *l)
{
    for (int i = 0; i < l->model.m; i++) {
        l->gap[i] = l->on[i] ? 0.0 : ballistic_of(l, i, l->y) + l->c0l[i];
        l->rate[i] = l->on[i] ? 0.0 : ballistic_of(l, i, l->z) + l->d0l[i];
    }
}

/* a part of x that no contact feels: x - off - E y, 0 when it is rounding */
static void
apart(const struct ballistic *l, const double *x, const double *off,
      const double *y, double *out)
{
    int r = l->k.r;
    for (int i = 0; i < l->model.n; i++) {
        const double *E = l->k.E + i * r;
        double o = off ? off[i] : 0.0, s = x[i] - o;
        double size = fabs(x[i]) + fabs(o) + dot_abs(r, E, y);
        s -= dot_of(r, E, y);
        out[i] =
            fabs(s) <= BALLISTIC_NOISE * (r + 1) * DBL_EPSILON * size ? 0.0 : s;
    }
}

static void
forget_past(struct ballistic *l, double t)
{
    struct ballistic_workspace *w = l->w;
    l->ex = l->ev = 0;
    l->t = l->start = t;
    l->t_lo = 0.0;
    l->impacts = 0;
    l->hit = -1;
    l->n_on = 0;
    w->instant = w->coasts = w->ends = w->fine = false;
    w->ahead = NULL;
    w->n_ring = w->from = w->quiet = 0;
    w->standing = 0;
    w->look = first_look(w);
    w->run = 0;
    w->stamp++;
    w->twin = NULL;
    w->low_v = INFINITY;
    impact_history_forget(l);
    w->map_at = 0;
    memset(&l->chatter, 0, sizeof l->chatter);
}

static void
forget(struct ballistic *l, double t)
{
    struct ballistic_workspace *w = l->w;
    size_t m = (size_t)l->model.m;
    forget_past(l, t);
    if (!m)
        return;
    memset(l->on, 0, m);
    memset(l->fresh, 0, m);
    memset(l->hits, 0, m);
    memset(l->group, 0, m);
    memset(w->closed, 0, m);
    memset(l->impulse, 0, m * sizeof *l->impulse);
    memset(l->force, 0, m * sizeof *l->force);
    memset(l->na, 0, m * sizeof *l->na);
    memset(l->ya, 0, m * sizeof *l->ya);
    memset(w->rsize, 0, m * sizeof *w->rsize);
}

/* what rates have beyond those of y, where gaps hold the time: d0, in the
 * line's own memory */
static void
drifts(struct ballistic *l)
{
    int m = l->model.m;
    for (int i = 0; i < m; i++) {
        double d = l->rate[i] - ballistic_of(l, i, l->z);
        l->k.d0[i] =
            fabs(d) <= BALLISTIC_NOISE * m * DBL_EPSILON * l->w->rsize[i] ? 0.0
                                                                          : d;
    }
    for (int j = 0; j < l->k.r; j++)
        l->k.d0[l->k.basis[j]] = 0.0;
}

/* as the start before, if that was the same */
static bool
begin_again(struct ballistic *l, double t, const double *q, const double *v,
            double tol)
{
    struct ballistic_workspace *w = l->w;
    const struct ballistic_saved_start *b = &w->begun;
    int n = l->model.n;
    if (b->version != l->k.version || b->t != t || b->tol != tol ||
        !same(b->q, q, n) || !same(b->v, v, n))
        return false;
    forget_past(l, t);
    memcpy(l->block, b->block, w->bytes);
    memcpy(w->rsize, b->rsize, (size_t)l->model.m * sizeof *w->rsize);
    l->ex = b->ex;
    l->ev = b->ev;
    w->tunit = power2(l->ex - l->ev);
    w->vunit = power2(l->ev);
    w->aunit = power2(l->ex - 2 * l->ev);
    w->low_v = UNITS_SMALL;
    w->still = w->coasts = b->still;
    w->ahead = ballistic_batch_find(l);
    return true;
}

static void
note_begun(struct ballistic *l, const double *q, const double *v, double tol)
{
    struct ballistic_workspace *w = l->w;
    struct ballistic_saved_start *b = &w->begun;
    size_t n = (size_t)l->model.n;
    if (w->many)
        w->many->n = 0;
    b->version = l->n_on ? 0 : l->k.version;
    b->t = l->t;
    b->tol = tol;
    memcpy(b->q, q, n * sizeof *q);
    memcpy(b->v, v, n * sizeof *v);
    memcpy(b->block, l->block, w->bytes);
    memcpy(b->rsize, w->rsize, (size_t)l->model.m * sizeof *w->rsize);
    b->ex = l->ex;
    b->ev = l->ev;
    b->still = w->still;
}

bool
ballistic_start(struct ballistic *l, double t, const double *q, const double *v,
                double tol)
{
    int n = l->model.n, m = l->model.m;
    struct ballistic_workspace *w = l->w;
    bool moving = false;
    for (int i = 0; i < m; i++)
        moving |= l->model.drift && l->model.drift[i] != 0.0;
    if (!moving && begin_again(l, t, q, v, tol))
        return true;
    forget(l, t);
    for (int i = 0; i < m; i++) {
        const double *N = l->model.N + i * n;
        double c = l->model.c[i];
        double drift = l->model.drift ? l->model.drift[i] : 0.0;
        l->gap[i] = dot_of(n, N, q) + c;
        l->rate[i] = dot_of(n, N, v) + drift;
        l->big[i] = dot_abs(n, N, q) + fabs(c);
        w->rsize[i] = dot_abs(n, N, v) + fabs(drift);
        if (fabs(l->gap[i]) <= BALLISTIC_NOISE * DBL_EPSILON * l->big[i])
            l->gap[i] = 0.0;
        if (fabs(l->rate[i]) <= BALLISTIC_NOISE * DBL_EPSILON * w->rsize[i])
            l->rate[i] = 0.0;
        bool near = l->gap[i] <= tol;
        w->closed[i] = near && l->rate[i] == 0.0;
        l->fresh[i] = near && l->rate[i] > 0.0;
    }
    for (int j = 0; j < l->k.r; j++) {
        l->y[j] = l->gap[l->k.basis[j]];
        l->z[j] = l->rate[l->k.basis[j]];
    }
    matrices_coordinates(l, l->y);
    matrices_coordinates(l, l->z);
    if (moving)
        drifts(l);
    else if (l->k.d0 == w->own.d0)
        memset(l->k.d0, 0, (size_t)m * sizeof *l->k.d0);
    apart(l, q, l->k.origin, l->y, l->xp);
    apart(l, v, NULL, l->z, l->vp);
    ballistic_rescale(l);
    if (!active_set_settle(l)) /* and units */
        return false;
    w->coasts = w->still && l->n_on == 0;
    note_begun(l, q, v, tol);
    if (moving)
        w->begun.version = 0;
    return true;
}

/* q and v at time `after` the state (y, z) now */
static void
put(const struct ballistic *l, double after, const double *y, const double *z,
    double *q, double *v)
{
    double s = l->t - l->start + l->t_lo + after;
    for (int i = 0; i < l->model.n; i++) {
        const double *E = l->k.E + i * l->k.r;
        q[i] = l->k.origin[i] +
               (l->xp[i] + (l->vp[i] + 0.5 * l->k.ap[i] * s) * s) +
               times2(dot_of(l->k.r, E, y), l->ex);
        v[i] =
            (l->vp[i] + l->k.ap[i] * s) + times2(dot_of(l->k.r, E, z), l->ev);
    }
}

void
ballistic_state(const struct ballistic *l, double *q, double *v)
{
    put(l, 0.0, l->y, l->z, q, v);
}

void
ballistic_between(struct ballistic *l, const struct ballistic *after, double t,
                  double *q, double *v)
{
    struct ballistic_workspace *w = l->w;
    /* a time within the rounding of now is now: in local time it may be far */
    double dt = t == l->t ? 0.0 : t - l->t - l->t_lo;
    double s = times2(dt, l->ev - l->ex);
    for (int i = 0; i < l->k.r; i++) {
        w->ys[i] = l->y[i] + (l->z[i] + 0.5 * l->yal[i] * s) * s;
        w->zs[i] = l->z[i] + l->yal[i] * s;
    }
    if (after)
        projection_average(l, after, w->ys, w->zs);
    put(l, dt, w->ys, w->zs, q, v);
}

double
ballistic_gap(const struct ballistic *l, int i)
{
    return l->on[i] || l->fresh[i] ? 0.0 : times2(l->gap[i], l->ex);
}

double
ballistic_rate(const struct ballistic *l, int i, int *exponent)
{
    double u = l->on[i] ? 0.0 : l->rate[i];
    if (exponent) {
        *exponent = l->ev;
        return u;
    }
    return times2(u, l->ev);
}

void
ballistic_advance(struct ballistic *l, double s)
{
    for (int j = 0; j < l->k.r; j++) {
        l->y[j] += (l->z[j] + 0.5 * l->yal[j] * s) * s;
        l->z[j] += l->yal[j] * s;
    }
    ballistic_add_time(l, times2(s, l->ex - l->ev));
}

/* history of `from` into `to`: what both have had in common since one was
 * copied from the other need not be copied again */
static void
copy_ring(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *w = to->w, *o = from->w;
    unsigned long same = 0, n = o->n_ring;
    if (w->twin == from && w->twin_stamp == o->stamp)
        same = w->split;
    else if (o->twin == to && o->twin_stamp == w->stamp)
        same = o->split;
    if (same > n)
        same = n;
    if (n - same >= HISTORY_KEPT)
        memcpy(w->ring, o->ring, sizeof w->ring);
    /* the one before may have been written over in `to` */
    for (unsigned long i = same ? same - 1 : 0;
         n - same < HISTORY_KEPT && i < n; i++)
        w->ring[i % HISTORY_KEPT] = o->ring[i % HISTORY_KEPT];
    w->n_ring = n;
    w->stamp++;
    w->twin = from;
    w->twin_stamp = o->stamp;
    w->split = n;
}

void
ballistic_copy_motion(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *w = to->w, *o = from->w;
    memcpy(to->block, from->block, o->bytes);
    memcpy(w->rsize, o->rsize, (size_t)from->model.m * sizeof *w->rsize);
    w->begun.version = 0;
    w->ahead = NULL;
    w->ends = o->ends;
    w->fine = o->fine;
    to->model = from->model;
    to->k = from->k;
    to->ex = from->ex;
    to->ev = from->ev;
    to->t = from->t;
    to->t_lo = from->t_lo;
    to->start = from->start;
    to->n_on = from->n_on;
    to->hit = from->hit;
    to->impacts = from->impacts;
    w->tunit = o->tunit;
    w->vunit = o->vunit;
    w->aunit = o->aunit;
    w->low_v = o->low_v;
    w->still = o->still;
    w->coasts = o->coasts;
}

void
ballistic_copy(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *w = to->w, *o = from->w;
    ballistic_copy_motion(to, from);
    copy_ring(to, from);
    impact_history_copy(to, from);
    to->policy = from->policy;
    to->rough = from->rough;
    to->chatter = from->chatter;
    w->from = o->from;
    w->quiet = o->quiet;
    w->standing = o->standing;
    w->look = o->look;
    w->run = o->run;
    w->map_at = o->map_at;
    w->least = o->least;
    w->accept = o->accept;
    w->doubt = o->doubt;
    w->brief = o->brief;
    w->verdict = o->verdict;
}

/* -- one instant ------------------------------------------------------------
 */

int
ballistic_instant(struct ballistic *l, const struct ballistic_model *model,
                  double t, const double *q, const double *v, const bool *on)
{
    int n = model->n, m = model->m;
    l->model = *model; /* the caller keeps the arrays */
    l->k = l->w->own;
    l->w->made = false;
    forget(l, t);
    if (matrices_make(l))
        return 1;
    /* the origin is here: gaps are offsets */
    l->w->instant = true;
    memcpy(l->k.origin, q, (size_t)n * sizeof *q);
    memset(l->xp, 0, (size_t)n * sizeof *l->xp);
    for (int i = 0; i < m; i++) {
        const double *N = model->N + i * n;
        l->k.c0[i] = model->c[i] + dot_of(n, N, q);
        l->on[i] = on[i];
        l->n_on += on[i];
        double drift = model->drift ? model->drift[i] : 0.0;
        l->rate[i] = dot_of(n, N, v) + drift;
        l->big[i] = dot_abs(n, N, q) + fabs(model->c[i]);
        l->w->rsize[i] = dot_abs(n, N, v) + fabs(drift);
    }
    for (int j = 0; j < l->k.r; j++) {
        l->y[j] = 0.0;
        l->z[j] = l->rate[l->k.basis[j]];
    }
    matrices_coordinates(l, l->z);
    drifts(l);
    apart(l, v, NULL, l->z, l->vp);
    ballistic_units(l);
    ballistic_sense(l);
    return 0;
}
