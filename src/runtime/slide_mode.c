/* SPDX-License-Identifier: MIT */
/* Which closed points push, and what ends that. Forces lambda >= 0 and
 * accelerations a = free + G lambda >= 0 of the gaps with lambda a = 0: G is
 * semidefinite, so the motion is unique where there is one. Points that stay
 * closed without a force of their own (the fourth foot) are kept in sight: they
 * may have to push when another ceases. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/event.h"
#include "runtime/lcp.h"
#include "runtime/motion.h"
#include "runtime/poly.h"
#include "runtime/slide_priv.h"

/* accelerations and forces below this share of their terms are none: positions
 * and directions come from closest points, right to some 1e-13 */
#define SLIDE_NONE 1e-10
/* a force falls through 0 when it is below this share of its greatest */
#define SLIDE_CEASED 1e-13

int
slide_look(struct rt *r, const struct slide_spot *spot, int n,
           struct slide_point *out, double *G)
{
    struct slide *s = slide_get(r, SLIDE_LOOK, spot, n);
    uint32_t d = r->im->dim;
    int st = slide_instant(r, s, 3, G);
    for (int i = 0; i < n && !st; i++) {
        const struct slide_row *w = &s->row[i];
        const imp_contact *k = rt_contact(r, spot[i].contact);
        double speed = 0.0;
        for (int e = 0; e < 2; e++) {
            const imp_body *b = rt_body(r, k->body[e]);
            const double *v = r->env + b->env_state + (d == 2 ? 3 : 7);
            for (uint32_t j = 0; j < (d == 2 ? 3u : 6u); j++)
                speed += fabs(w->open[e][d == 2 && j == 2 ? 5 : j].c[0] * v[j]);
        }
        out[i] = (struct slide_point){.spot = spot[i],
                                      .gap = w->gap.c[0],
                                      .rate = w->gap.c[1],
                                      .speed = speed,
                                      .free = 2.0 * w->gap.c[2],
                                      .jerk = 6.0 * w->gap.c[3]};
    }
    return st;
}

/* -- the choice ------------------------------------------------------------
 */

struct choice {
    int n;
    const struct slide_point *p;
    const double *G;
    int left;
    double *force, *acc, *size; /* n */
};

static bool
complementary(struct rt *r, struct choice *c)
{
    int m = 0, *index = NEW_N(r->brief, int, (size_t)c->n + 1);
    double *G = NEW_N(r->brief, double, (size_t)c->n *(size_t)c->n + 1);
    double *q = NEW_N(r->brief, double, 2 * (size_t)c->n + 1);
    double *z = q + c->n;
    for (int i = 0; i < c->n; i++)
        if (i != c->left)
            index[m++] = i;
    for (int i = 0; i < m; i++) {
        q[i] = c->p[index[i]].free;
        for (int j = 0; j < m; j++)
            G[i * m + j] = c->G[index[i] * c->n + index[j]];
    }
    int st =
        m ? lcp_solve(m, G, q, z, NEW_N(r->brief, double, lcp_room(m) + 1)) : 0;
    if (st == 1 || st == 3)
        return false;
    for (int i = 0; i < c->n; i++)
        c->force[i] = 0.0;
    for (int i = 0; i < m; i++)
        c->force[index[i]] = z[i];
    for (int i = 0; i < c->n; i++) {
        c->acc[i] = c->p[i].free;
        c->size[i] = fabs(c->p[i].free);
        for (int j = 0; j < c->n; j++) {
            double x = c->G[i * c->n + j] * c->force[j];
            c->acc[i] += x;
            c->size[i] += fabs(x);
        }
    }
    return true;
}

/* points that push, then those that are kept by them alone */
static int
keep(struct rt *r, struct choice *c)
{
    struct slide_spot *spot = NEW_N(r->brief, struct slide_spot, c->n + 1);
    int n = 0, n_on;
    for (int i = 0; i < c->n; i++)
        if (c->force[i] * c->G[i * c->n + i] > SLIDE_NONE * c->size[i])
            spot[n++] = c->p[i].spot;
    n_on = n;
    for (int i = 0; i < c->n; i++) {
        bool held = false, same = false;
        for (int j = 0; j < n; j++) {
            same |= !memcmp(&spot[j], &c->p[i].spot, sizeof *spot);
            held |= j < n_on && spot[j].contact == c->p[i].spot.contact;
        }
        if (!same && held && c->acc[i] <= SLIDE_NONE * c->size[i])
            spot[n++] = c->p[i].spot;
    }
    if (n_on == 0) {
        slide_end(r);
        return IMP_OK;
    }
    /* closed means all of them, whatever pushes */
    int st = n > n_on ? slide_stop(r, spot, n, NULL, NULL) : IMP_OK;
    if (st)
        return st;
    r->slide = slide_get(r, SLIDE_HELD, spot, n);
    r->slide->n_on = n_on;
    for (int i = n_on; i < n; i++)
        r->slide->row[i].on = false;
    slide_project(r);
    return slide_series(r, 2, UINT32_MAX);
}

int
slide_choose(struct rt *r, const struct slide_spot *spot, int n, int left,
             enum slide_choice *choice)
{
    struct slide_spot *at = NEW_N(r->brief, struct slide_spot, n + 1);
    struct slide_point *p = NEW_N(r->brief, struct slide_point, n + 1);
    double *G = NEW_N(r->brief, double, (size_t)n *(size_t)n + 1);
    double *x = NEW_N(r->brief, double, 3 * (size_t)n + 1);
    struct choice c = {.n = n, .p = p, .G = G, .left = left};
    c.force = x;
    c.acc = x + n;
    c.size = x + 2 * n;
    *choice = SLIDE_FREE;
    memcpy(at, spot, sizeof *at * (size_t)n);
    slide_end(r);
    if (n == 0)
        return IMP_OK;
    int st = slide_look(r, at, n, p, G);
    if (st)
        return st;
    if (!complementary(r, &c)) {
        *choice = SLIDE_JAMMED;
        return IMP_OK;
    }
    /* where it ceased the force is 0 to rounding: it pulls or pushes again by
     * what the others leave to it */
    if (left >= 0 && c.acc[left] < -1e-6 * c.size[left]) {
        c.left = -1;
        if (!complementary(r, &c)) {
            *choice = SLIDE_JAMMED;
            return IMP_OK;
        }
    }
    if ((st = keep(r, &c)))
        return st;
    if (r->slide)
        *choice = r->slide->rank < r->slide->n_on ? SLIDE_SHARED : SLIDE_HOLDS;
    return IMP_OK;
}

/* -- what comes next -------------------------------------------------------
 */

/* first s in (0, h] where a polynomial that is positive at first, or 0 and
 * rising, comes to 0; values up to n0 and rates up to n1 are 0 at s = 0 */
static bool
falls(const double *c, double h, double n0, double n1, double *s)
{
    double p[RT_ORDER + 1];
    int drop = fabs(c[0]) <= n0 ? (fabs(c[1]) <= n1 ? 2 : 1) : 0;
    for (int k = drop; k <= RT_ORDER; k++)
        p[k - drop] = c[k];
    if (p[0] < 0.0) {
        *s = 0.0;
        return true;
    }
    if (!poly_below(p, RT_ORDER - drop, 0.0, h, 0.0, s))
        return false;
    poly_newton(p, RT_ORDER - drop, h, s);
    return true;
}

struct search {
    struct rt *r;
    struct slide_event *out;
    const struct slide_spot *on;
    const bool *blind;
    const struct slide_over *over;
    uint32_t n_over;
    double best; /* in time from now */
    double tol, rate;
};

/* its row; -1: free */
static int
held_at(const struct rt *r, const struct slide_spot *on, uint32_t vertex)
{
    for (int i = 0; r->slide && i < r->slide->n; i++) {
        const struct slide_spot *s = &r->slide->row[i].spot;
        if (s->contact == on->contact && s->kind == SLIDE_VERTEX &&
            s->face_of == on->face_of && s->face == on->face &&
            s->vertex == vertex)
            return i;
    }
    return -1;
}

static void
found(struct search *f, double s, enum slide_what what, int which,
      uint32_t contact)
{
    if (!(s < f->best))
        return;
    f->best = s;
    f->out->what = what;
    f->out->which = which;
    f->out->contact = contact;
}

/* a vertex of row i, which is kept closed by what the others push, sinks: it
 * has to push itself */
static void
sinks(struct search *f, int i, const double *c)
{
    double p[RT_ORDER + 1], s, low;
    if (f->r->slide->row[i].on)
        return;
    memcpy(p, c, sizeof p);
    p[0] = 0.0; /* to rounding, when it was taken */
    event_rounding(f->r, f->on->contact, &low, &s);
    if (poly_below(p, RT_ORDER, 0.0, f->best, -low, &s))
        found(f, s, SLIDE_SINKS, i, f->on->contact);
}

static void
other_vertex(void *ctx, uint32_t vertex, const struct jet *gap)
{
    struct search *f = ctx;
    double s;
    int row = held_at(f->r, f->on, vertex);
    if (row >= 0)
        sinks(f, row, gap->c);
    else if (falls(gap->c, f->best, f->tol, f->rate, &s))
        found(f, s, SLIDE_CLOSES, -1, f->on->contact);
}

/* first s in (0, best] where a vertex that is over its plane comes down. What
 * is closed now, by definition or to rounding while it rises, has its roots at
 * 0 divided out. */
static bool
comes_down(const struct search *f, uint32_t vertex, const double *c, double *s)
{
    double p[RT_ORDER + 1];
    bool marked = false;
    int drop = c[0] <= 0.0 && c[1] > -f->rate ? (c[1] <= f->rate ? 2 : 1) : 0;
    for (int i = 0; f->over->time == rt_time(f->r) && i < f->over->n; i++)
        if (f->over->vertex[i] == vertex) {
            drop = f->over->still[i] ? 2 : 1;
            marked = true;
        }
    for (int k = drop; k <= RT_ORDER; k++)
        p[k - drop] = c[k];
    if (p[0] <= 0.0) { /* what was let go has no push to 0 but rounding */
        *s = 0.0;
        return !(drop == 2 && marked);
    }
    return poly_below(p, RT_ORDER - drop, 0.0, f->best, 0.0, s);
}

static void
one_over(void *ctx, uint32_t vertex, const struct jet *gap)
{
    struct search *f = ctx;
    double s;
    int row = held_at(f->r, f->on, vertex);
    if (row >= 0)
        sinks(f, row, gap->c);
    else if (comes_down(f, vertex, gap->c, &s))
        found(f, s, SLIDE_HITS, (int)vertex, f->on->contact);
}

static int
one_plane(struct search *f)
{
    double gap, holds;
    f->on = &f->over->base;
    event_rounding(f->r, f->on->contact, &gap, &f->rate);
    int st = slide_vertices(f->r, f->on, RT_ORDER, one_over, f, &holds);
    if (!st && holds < f->best) {
        f->best = holds;
        f->out->what = SLIDE_NOTHING;
    }
    return st;
}

static bool
is_over(const struct search *f, uint32_t contact)
{
    for (uint32_t i = 0; i < f->n_over; i++)
        if (f->over[i].base.contact == contact)
            return true;
    return false;
}

static int
one_row(struct search *f, int i)
{
    struct slide_row *w = f->r->slide->row + i;
    double most = 0.0, sk = 1.0, s;
    if (w->valid < f->best) {
        f->best = w->valid;
        f->out->what = SLIDE_NOTHING;
    }
    if (f->blind && f->blind[w->spot.contact])
        return IMP_OK;
    for (int k = 0; k < RT_ORDER && isfinite(f->best); k++, sk *= f->best)
        most = fmax(most, fabs(w->force.c[k]) * sk);
    most = fmax(most, fabs(w->force.c[0]));
    if (w->on && isfinite(f->best) &&
        poly_below(w->force.c, RT_ORDER - 1, 0.0, f->best, -SLIDE_CEASED * most,
                   &s))
        found(f, s, SLIDE_CEASES, i, w->spot.contact);
    if (w->spot.kind != SLIDE_VERTEX || !isfinite(f->best))
        return IMP_OK;
    struct jet side[16];
    int n = slide_sides(f->r, &w->spot, RT_ORDER, side, 16);
    for (int k = 0; k < n; k++)
        if (poly_below(side[k].c, RT_ORDER, 0.0, f->best, 0.0, &s))
            found(f, s, SLIDE_OVER, i, w->spot.contact);
    for (int k = 0; k < i; k++) { /* each face once */
        const struct slide_spot *o = &f->r->slide->row[k].spot;
        if (o->contact == w->spot.contact && o->kind == SLIDE_VERTEX &&
            o->face_of == w->spot.face_of && o->face == w->spot.face)
            return IMP_OK;
    }
    if (is_over(f, w->spot.contact))
        return IMP_OK;
    f->on = &w->spot;
    event_tolerances(f->r, w->spot.contact, &f->tol, &f->rate);
    return slide_vertices(f->r, &w->spot, RT_ORDER, other_vertex, f, NULL);
}

int
slide_next(struct rt *r, double until, const bool *blind,
           const struct slide_over *over, uint32_t n_over,
           struct slide_event *out)
{
    double h, t0 = rt_time(r);
    struct search f = {
        .r = r, .out = out, .blind = blind, .over = over, .n_over = n_over};
    *out = (struct slide_event){.what = SLIDE_NOTHING, .time = until};
    int st = motion_series_all(r, RT_ORDER, &h);
    if (st)
        return st;
    f.best = fmin(h, until - t0);
    for (int i = 0; r->slide && i < r->slide->n && !st; i++)
        st = one_row(&f, i);
    for (uint32_t i = 0; i < n_over && !st; i++) {
        f.over = over + i;
        if (isfinite(f.best) && !(blind && blind[over[i].base.contact]))
            st = one_plane(&f);
    }
    if (st)
        return st;
    out->time = f.best < until - t0 ? t0 + f.best : until;
    return IMP_OK;
}
