/* SPDX-License-Identifier: MIT */
/* The motion with contacts that stay closed (persistent.h). With B = M^-1 N^T,
 * which varies along the motion, and forces lambda, acceleration = free + B
 * lambda,    gap_i'' = 0 for every point that pushes. Coefficient k of lambda
 * enters coefficient k + 2 of the gaps through B(0) alone, so order by order:
 * the series of the motion (the driven tape, whose accelerations have rows for
 * B lambda) and of the gaps with lambda_k = 0, then G lambda_k = -(k+1)(k+2)
 * gap_{k+2},    G = N M^-1 N^T at this instant. Where points depend on each
 * other (four feet), G is singular: the least lambda is taken, which is one of
 * many; the motion does not depend on it. Joints answer inside the tape; in G
 * they do by joints_response. All this for one group of points at a time:
 * others do not feel it. */
#include "runtime/motion/persistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/motion/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_priv.h"
#include "runtime/numerics/dense.h"

/* singular values of G below this share of the greatest: points that depend on
 * each other. A sine of 3e-6 between their directions; what rounding makes of
 * dependent ones is 10^4 times smaller */
#define SLIDE_RANK 1e-11
/* roundings of the coefficients of directions and gaps that do not change */
#define SLIDE_STEADY 64.0

/* -- pushes ----------------------------------------------------------------
 */

void
persistent_by_mass(const struct rt *r, uint32_t body, const double f[6],
                   double out[6])
{
    const double *k = r->env + rt_body(r, body)->env_body;
    const double *J = k + IMP_BODY_INVINERTIA;
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < 3; i++)
        out[i] = k[IMP_BODY_INVMASS] * f[i];
    if (r->im->dim == 2) {
        out[2] = 0.0;
        out[5] = J[0] * f[5];
        return;
    }
    out[3] = J[0] * f[3] + J[3] * f[4] + J[4] * f[5];
    out[4] = J[3] * f[3] + J[1] * f[4] + J[5] * f[5];
    out[5] = J[4] * f[3] + J[5] * f[4] + J[2] * f[5];
}

/* where the pushes on a body lie; NULL: nothing moves it */
static double *
push_of(const struct rt *r, uint32_t body)
{
    if (!contact_point_body_moves(r, body))
        return NULL;
    uint32_t b = rt_body(r, body)->block, n = persistent_block(r, b)->bodies.n;
    const uint32_t *in =
        IMP_ARRAY(r->im, persistent_block(r, b)->bodies, uint32_t);
    for (uint32_t i = 0; i < n; i++)
        if (in[i] == body)
            return r->persistent_memory->push[b] +
                   (size_t)i * persistent_per_body(r) * IMP_ROW_STRIDE +
                   IMP_ROW_PAD;
    return NULL;
}

/* coefficient k of the pushes += x (coefficient j of what opens the row) */
static void
push_add(struct rt *r, const struct persistent_row *row, int j, int k, double x)
{
    const imp_contact *c = rt_contact(r, row->spot.contact);
    for (int e = 0; e < 2; e++) {
        double *p = push_of(r, c->body[e]), f[6], a[6];
        if (!p || x == 0.0)
            continue;
        for (int i = 0; i < 6; i++)
            f[i] = row->open[e][i].c[j];
        persistent_by_mass(r, c->body[e], f, a);
        for (uint32_t i = 0; i < persistent_per_body(r); i++)
            p[(size_t)i * IMP_ROW_STRIDE + (size_t)k] +=
                x * a[persistent_entry(r, i)];
    }
}

static void
push_clear(struct rt *r, const struct persistent_group *s)
{
    for (uint32_t i = 0; i < s->n_block; i++)
        memset(r->persistent_memory->push[s->block[i]], 0,
               sizeof(double) * IMP_ROW_STRIDE * persistent_per_body(r) *
                   persistent_block(r, s->block[i])->bodies.n);
}

/* order 0 of the pushes into env, for the joints; or zeros */
static void
push_env(struct rt *r, const struct persistent_group *s, bool on)
{
    uint32_t d = r->im->dim;
    for (uint32_t i = 0; i < s->n_body; i++) {
        double *e = r->env + rt_body(r, s->body[i])->env_body + IMP_BODY_PUSH;
        const double *p = push_of(r, s->body[i]);
        for (uint32_t j = 0; j < persistent_per_body(r); j++)
            e[j < d ? j : 3 + j - d] = on ? p[(size_t)j * IMP_ROW_STRIDE] : 0.0;
    }
}

/* -- the motion ------------------------------------------------------------
 */

/* rows of the state and of cosines and sines from the driven tape */
static void
hand_over(struct rt *r, uint32_t b, double *to)
{
    const imp_block *o = persistent_block(r, b);
    const uint32_t *from = IMP_ARRAY(r->im, o->driven_rows, uint32_t);
    const uint32_t *rows = IMP_ARRAY(r->im, o->rows, uint32_t);
    const uint32_t *in = IMP_ARRAY(r->im, o->bodies, uint32_t);
    const double *driven = r->persistent_memory->driven[b];
    size_t bytes = IMP_ROW_STRIDE * sizeof(double), n = o->state.n;
    for (uint32_t i = 0; i < o->state.n; i++)
        memcpy(to + (size_t)rows[i] * IMP_ROW_STRIDE,
               driven + (size_t)from[i] * IMP_ROW_STRIDE, bytes);
    for (uint32_t i = 0; i < o->bodies.n && r->im->dim == 2; i++) {
        const imp_body *body = rt_body(r, in[i]);
        if (n + 1 >= o->driven_rows.n || body->pose[2] == IMP_NO_ROW)
            continue;
        for (int j = 0; j < 2; j++, n++)
            memcpy(to + (size_t)body->pose[2 + j] * IMP_ROW_STRIDE,
                   driven + (size_t)from[n] * IMP_ROW_STRIDE, bytes);
    }
}

/* series of the driven tapes, into r->work (the caller has put slides->own
 * there) */
static int
drive(struct rt *r, const struct persistent_group *s, int order)
{
    for (uint32_t i = 0; i < s->n_block; i++) {
        uint32_t b = s->block[i], tape = persistent_block(r, b)->driven;
        const double *lambda, *rows[1] = {r->persistent_memory->push[b]};
        int st = joints_multipliers(r, b, &lambda);
        if (!st)
            st = rt_series(r, tape, lambda, rows,
                           r->persistent_memory->driven[b], order);
        if (st == IMP_NONFINITE) {
            rt_nonfinite(r, persistent_block(r, b)->motion, lambda);
            return IMP_FAILED;
        }
        if (st)
            return st;
        hand_over(r, b, r->work[b]);
    }
    return IMP_OK;
}

static void
exchange(struct rt *r, const struct persistent_group *s)
{
    for (uint32_t i = 0; i < s->n_block; i++) {
        uint32_t b = s->block[i];
        double *w = r->work[b];
        r->work[b] = r->persistent_memory->own[b];
        r->persistent_memory->own[b] = w;
    }
}

static int
rows_series(struct rt *r, struct persistent_group *s, int n, int order)
{
    contact_point_poses_forget(s);
    for (int i = 0; i < n; i++) {
        int st = contact_point_series(r, s, &s->row[i], order);
        if (st == IMP_NONFINITE || st == IMP_SINGULAR) {
            rt_nonfinite(r, rt_gap_tape(r, s->row[i].spot.contact), NULL);
            st = IMP_FAILED;
        }
        if (st)
            return st;
    }
    return IMP_OK;
}

/* what a unit force at each row does to all bodies; G over n rows */
static int
answers(struct rt *r, struct persistent_group *s, int n, double *G)
{
    size_t nb = r->im->bodies.n;
    for (int i = 0; i < n; i++) {
        const imp_contact *k = rt_contact(r, s->row[i].spot.contact);
        double *a = s->answer + (size_t)i * 6 * nb, f[6];
        for (uint32_t b = 0; b < s->n_body; b++)
            memset(a + 6 * s->body[b], 0, 6 * sizeof *a);
        for (int e = 0; e < 2; e++) {
            if (!contact_point_body_moves(r, k->body[e]))
                continue;
            for (int j = 0; j < 6; j++)
                f[j] = s->row[i].open[e][j].c[0];
            persistent_by_mass(r, k->body[e], f, a + 6 * k->body[e]);
        }
        for (uint32_t b = 0; b < s->n_block; b++) {
            int st = joints_response(r, s->block[b], a);
            if (st)
                return st;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const imp_contact *k = rt_contact(r, s->row[j].spot.contact);
            const double *a = s->answer + (size_t)i * 6 * nb;
            double g = 0.0;
            for (int e = 0; e < 2; e++)
                for (uint32_t c = 0;
                     c < 6 && contact_point_body_moves(r, k->body[e]); c++)
                    g += s->row[j].open[e][c].c[0] * a[6 * k->body[e] + c];
            G[i * n + j] = g;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            G[i * n + j] = G[j * n + i] = 0.5 * (G[i * n + j] + G[j * n + i]);
    return IMP_OK;
}

int
persistent_instant(struct rt *r, struct persistent_group *s, int order,
                   double *G)
{
    exchange(r, s);
    push_clear(r, s);
    push_env(r, s, false);
    int st = drive(r, s, order);
    if (!st)
        st = rows_series(r, s, s->n, order);
    if (!st && G)
        st = answers(r, s, s->n, G);
    exchange(r, s);
    return st;
}

/* G of the rows that push, and its singular values */
static int
factor(struct rt *r, struct persistent_group *s)
{
    int n = s->n_on, st = answers(r, s, n, s->G);
    if (st)
        return st;
    memcpy(s->U, s->G, sizeof(double) * (size_t)(n * n));
    if (!dense_svd(n, n, s->U, s->V, s->s))
        return IMP_NONFINITE;
    s->rank = 0;
    while (s->rank < n && s->s[s->rank] > SLIDE_RANK * s->s[0])
        s->rank++;
    return IMP_OK;
}

int
persistent_rates(struct rt *r, struct persistent_group *s)
{
    exchange(r, s);
    push_clear(r, s);
    push_env(r, s, false);
    int st = drive(r, s, 1);
    if (!st)
        st = rows_series(r, s, s->n_on, 1);
    if (!st)
        st = factor(r, s);
    exchange(r, s);
    return st;
}

void
persistent_solve(const struct persistent_group *s, const double *b, double *x)
{
    int n = s->n_on;
    for (int i = 0; i < n; i++)
        s->a[i] = -b[i];
    dense_svd_solve(n, n, s->U, s->V, s->s, s->rank, s->a, x, s->c);
}

/* lambda_k of all rows, and their part of the pushes */
static int
one_order(struct rt *r, struct persistent_group *s, int k, int last)
{
    double *x = s->x;
    int st = drive(r, s, k + 2);
    if (!st)
        st = rows_series(r, s, s->n_on, k + 2);
    if (!st && k == 0)
        st = factor(r, s);
    if (st)
        return st;
    for (int i = 0; i < s->n_on; i++)
        s->b[i] = (k + 1.0) * (k + 2.0) * s->row[i].gap.c[k + 2];
    persistent_solve(s, s->b, x);
    for (int i = 0; i < s->n_on; i++) {
        s->row[i].force.c[k] = x[i];
        push_add(r, &s->row[i], 0, k, x[i]);
    }
    for (int i = 0; i < s->n_on && k < last; i++)
        for (int j = 1; j <= k + 1; j++)
            push_add(r, &s->row[i], j, k + 1, s->row[i].force.c[k + 1 - j]);
    if (k == 0)
        push_env(r, s, true);
    return IMP_OK;
}

/* spins of the bodies of a row, and their sizes */
static void
spin_of(const struct rt *r, const struct persistent_row *row, double *spin,
        double *size)
{
    const imp_contact *k = rt_contact(r, row->spot.contact);
    uint32_t d = r->im->dim;
    *spin = 0.0;
    *size = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *b = rt_body(r, k->body[e]);
        const double *w = r->env + b->env_state + (d == 2 ? 5 : 10);
        double radius = r->env[b->env_body + IMP_BODY_RADIUS];
        for (uint32_t i = 0; i < (d == 2 ? 1u : 3u); i++)
            *spin += fabs(w[i]);
        *size += isfinite(radius) ? radius : 0.0;
    }
}

/* With the forces of this instant kept as they are: do all gaps stay closed and
 * all directions as they are, to rounding? Terms of order j are those s^j/j! of
 * spins s, and what is left of accelerations A that cancel, A s^(j-2) 2/j!.
 * Bodies at rest, that only slide, or spin about the normal. */
static int
steady(struct rt *r, struct persistent_group *s, int order, bool *is)
{
    int st = drive(r, s, order), n = s->n_on;
    if (!st)
        st = rows_series(r, s, n, order);
    *is = !st;
    for (int i = 0; i < n && *is; i++) {
        const struct persistent_row *row = &s->row[i];
        double spin, size, low = SLIDE_STEADY * DBL_EPSILON;
        double push = low * fabs(row->force.c[0] * s->G[i * n + i]);
        spin_of(r, row, &spin, &size);
        spin += sqrt(push / size); /* those that are left turn it, too */
        for (int k = 1; k <= order && *is; k++) {
            low *= spin / k;
            push *= k > 2 ? spin / k : 1.0;
            double most = low * size + (k > 1 ? push : 0.0);
            *is = k < 2 || fabs(row->gap.c[k]) <= most;
            for (int e = 0; e < 12 && *is; e++)
                *is = fabs(row->open[e / 6][e % 6].c[k]) <=
                      (e % 6 < 3 ? most / size : most);
        }
    }
    return st;
}

int
persistent_group_series(struct rt *r, struct persistent_group *s, int order,
                        uint32_t block)
{
    int st = IMP_OK, last = order - 1;
    bool done = false;
    if (last + 2 > IMP_ORDER_MAX)
        last = IMP_ORDER_MAX - 2;
    exchange(r, s);
    push_clear(r, s);
    push_env(r, s, false);
    for (int i = 0; i < s->n; i++)
        taylor_const(IMP_ORDER_MAX, 0.0, &s->row[i].force);
    for (int k = 0; k <= last && !st && !done; k++) {
        if (k == 1 && s->steady) {
            for (int i = 0; i < s->n_on; i++) /* what order 0 left there */
                push_add(r, &s->row[i], 1, 1, -s->row[i].force.c[0]);
            if ((st = steady(r, s, order, &done)) || done)
                break;
            s->steady = false;
            for (int i = 0; i < s->n_on; i++)
                push_add(r, &s->row[i], 1, 1, s->row[i].force.c[0]);
        }
        st = one_order(r, s, k, last);
    }
    if (!st && !done)
        st = drive(r, s, order);
    push_env(r, s, false);
    exchange(r, s);
    for (uint32_t i = 0; i < s->n_block && !st; i++)
        if (block == UINT32_MAX || block == s->block[i])
            hand_over(r, s->block[i], r->work[s->block[i]]);
    return st;
}

int
persistent_series(struct rt *r, int order, uint32_t block)
{
    const struct persistent_set *set = r->persistent_memory;
    if (block != UINT32_MAX)
        return persistent_group_series(r, set->of[block], order, block);
    int st = IMP_OK;
    for (int i = 0; i < set->n && !st; i++)
        st = persistent_group_series(r, set->group[i], order, block);
    return st;
}

void
persistent_accelerations(const struct rt *r, uint32_t block, double push[2])
{
    const struct persistent_group *s = r->persistent_memory->of[block];
    push[0] = push[1] = 0.0;
    for (int i = 0; i < s->n_on; i++) {
        const struct persistent_row *row = &s->row[i];
        const imp_contact *k = rt_contact(r, row->spot.contact);
        for (int e = 0; e < 2; e++) {
            double f[6], a[6];
            if (!contact_point_body_moves(r, k->body[e]) ||
                rt_body(r, k->body[e])->block != block)
                continue;
            for (int j = 0; j < 6; j++)
                f[j] = row->open[e][j].c[0] * row->force.c[0];
            persistent_by_mass(r, k->body[e], f, a);
            double move = fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
            double spin = fabs(a[3]) + fabs(a[4]) + fabs(a[5]);
            double size =
                r->env[rt_body(r, k->body[e])->env_body + IMP_BODY_RADIUS];
            push[0] += move;
            push[1] += fmax(spin, size > 0.0 ? move / size : 0.0);
        }
    }
}
