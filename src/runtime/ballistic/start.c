/* SPDX-License-Identifier: MIT */
/* The start of a ballistic motion from coordinates and velocities, and its use
 * for one instant of a motion that is not ballistic. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

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
    w->look = impact_history_first_look(w);
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
        !same_numbers(b->q, q, n) || !same_numbers(b->v, v, n))
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
