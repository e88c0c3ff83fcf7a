/* SPDX-License-Identifier: MIT */
/* The motion with contacts that stay closed (slide.h). With B = M^-1 N^T, which
 * varies along the motion, and forces lambda,
 *   acceleration = free + B lambda,    gap_i'' = 0 for every point that pushes.
 * Coefficient k of lambda enters coefficient k + 2 of the gaps through B(0)
 * alone, so order by order: the series of the motion (the driven tape, whose
 * accelerations have rows for B lambda) and of the gaps with lambda_k = 0, then
 *   G lambda_k = -(k+1)(k+2) gap_{k+2},    G = N M^-1 N^T at this instant.
 * Where points depend on each other (four feet), G is singular: the least
 * lambda is taken, which is one of many; the motion does not depend on it.
 * Joints answer inside the tape; in G they do by hold_answer. */
#include "runtime/slide.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/dense.h"
#include "runtime/hold.h"
#include "runtime/motion.h"
#include "runtime/slide_priv.h"

/* singular values of G below this share of the greatest: points that depend on
 * each other. A sine of 3e-6 between their directions; what rounding makes of
 * dependent ones is 10^4 times smaller */
#define SLIDE_RANK 1e-11
/* a gap this many roundings of the bodies' size from 0 is 0 */
#define SLIDE_ROUND 1.0
/* rounds of Newton's method onto the gaps: from what is left of a chatter;
 * after a step, which leaves rounding */
#define SLIDE_ROUNDS 3
#define SLIDE_PROJECT 1
/* roundings of the coefficients of directions and gaps that do not change */
#define SLIDE_STEADY 64.0
/* roundings of what spins do to a direction */
#define SLIDE_TURNS 64.0

static const imp_block *
block_at(const struct rt *r, uint32_t b)
{
    return IMP_ARRAY(r->im, r->im->blocks, imp_block) + b;
}

static const imp_tape *
tape_at(const struct rt *r, uint32_t t)
{
    return IMP_ARRAY(r->im, r->im->tapes, imp_tape) + t;
}

static uint32_t
per_body(const struct rt *r)
{
    return r->im->dim == 2 ? 3 : 6;
}

/* entry of `open` for velocity c of a body */
static uint32_t
entry(const struct rt *r, uint32_t c)
{
    return r->im->dim == 2 && c == 2 ? 5 : c;
}

/* -- memory ----------------------------------------------------------------
 */

static double *
rows_for(struct rt *r, size_t n)
{
    return NEW_N(r->own, double, (n + 1) * IMP_ROW_STRIDE);
}

static struct slide *
make(struct rt *r)
{
    struct slide *s = NEW(r->own, struct slide);
    uint32_t nb = r->im->blocks.n;
    size_t m = SLIDE_MOST;
    s->row = NEW_N(r->own, struct slide_row, m);
    s->block = NEW_N(r->own, bool, nb + 1);
    s->push = NEW_N(r->own, double *, nb + 1);
    s->driven = NEW_N(r->own, double *, nb + 1);
    s->own = NEW_N(r->own, double *, nb + 1);
    s->answer = NEW_N(r->own, double, m * 6 * r->im->bodies.n + 1);
    s->G = NEW_N(r->own, double, m *m);
    s->U = NEW_N(r->own, double, m *m);
    s->V = NEW_N(r->own, double, m *m);
    s->s = NEW_N(r->own, double, m);
    s->a = NEW_N(r->own, double, m);
    s->b = NEW_N(r->own, double, m);
    s->c = NEW_N(r->own, double, m);
    return s;
}

static void
enter_block(struct rt *r, struct slide *s, uint32_t b)
{
    const imp_block *o = block_at(r, b);
    s->block[b] = true;
    if (s->push[b])
        return;
    s->push[b] = rows_for(r, (size_t)per_body(r) * o->bodies.n);
    s->driven[b] = rows_for(r, tape_at(r, o->driven)->n_rows);
    s->own[b] = rows_for(r, tape_at(r, o->motion)->n_rows);
}

struct slide *
slide_get(struct rt *r, enum slide_use use, const struct slide_spot *spot,
          int n)
{
    struct slide *s = r->slides[use];
    if (!s)
        s = r->slides[use] = make(r);
    memset(s->block, 0, r->im->blocks.n * sizeof *s->block);
    s->n = s->n_on = n;
    s->steady = true;
    for (int i = 0; i < n; i++) {
        const imp_contact *k = rt_contact(r, spot[i].contact);
        s->row[i].spot = spot[i];
        s->row[i].on = true;
        s->row[i].valid = INFINITY; /* rows that do not push have no series */
        for (int e = 0; e < 2; e++)
            if (slide_body_moves(r, k->body[e]))
                enter_block(r, s, rt_body(r, k->body[e])->block);
    }
    return s;
}

/* -- pushes ----------------------------------------------------------------
 */

/* M^-1 of a body: velocity entries 0 .. 2, spin 3 .. 5 (plane: 5) */
static void
divide_by_mass(const struct rt *r, uint32_t body, const double f[6],
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
push_of(const struct rt *r, const struct slide *s, uint32_t body)
{
    if (!slide_body_moves(r, body))
        return NULL;
    uint32_t b = rt_body(r, body)->block, n = block_at(r, b)->bodies.n;
    const uint32_t *in = IMP_ARRAY(r->im, block_at(r, b)->bodies, uint32_t);
    for (uint32_t i = 0; i < n; i++)
        if (in[i] == body)
            return s->push[b] + (size_t)i * per_body(r) * IMP_ROW_STRIDE +
                   IMP_ROW_PAD;
    return NULL;
}

/* coefficient k of the pushes += x (coefficient j of what opens the row) */
static void
push_add(struct rt *r, struct slide *s, const struct slide_row *row, int j,
         int k, double x)
{
    const imp_contact *c = rt_contact(r, row->spot.contact);
    for (int e = 0; e < 2; e++) {
        double *p = push_of(r, s, c->body[e]), f[6], a[6];
        if (!p || x == 0.0)
            continue;
        for (int i = 0; i < 6; i++)
            f[i] = row->open[e][i].c[j];
        divide_by_mass(r, c->body[e], f, a);
        for (uint32_t i = 0; i < per_body(r); i++)
            p[(size_t)i * IMP_ROW_STRIDE + (size_t)k] += x * a[entry(r, i)];
    }
}

static void
push_clear(struct rt *r, struct slide *s)
{
    for (uint32_t b = 0; b < r->im->blocks.n; b++)
        if (s->block[b])
            memset(s->push[b], 0,
                   sizeof(double) * IMP_ROW_STRIDE * per_body(r) *
                       block_at(r, b)->bodies.n);
}

/* order 0 of the pushes into env, for the joints; or zeros */
static void
push_env(struct rt *r, struct slide *s, bool on)
{
    uint32_t d = r->im->dim;
    for (uint32_t b = 0; b < r->im->blocks.n; b++) {
        const imp_block *o = block_at(r, b);
        const uint32_t *in = IMP_ARRAY(r->im, o->bodies, uint32_t);
        for (uint32_t i = 0; i < o->bodies.n && s->block[b]; i++) {
            double *e = r->env + rt_body(r, in[i])->env_body + IMP_BODY_PUSH;
            const double *p = push_of(r, s, in[i]);
            for (uint32_t j = 0; j < per_body(r); j++)
                e[j < d ? j : 3 + j - d] =
                    on ? p[(size_t)j * IMP_ROW_STRIDE] : 0.0;
        }
    }
}

/* -- the motion ------------------------------------------------------------
 */

/* rows of the state and of cosines and sines from the driven tape */
static void
hand_over(struct rt *r, const struct slide *s, uint32_t b, double *to)
{
    const imp_block *o = block_at(r, b);
    const uint32_t *from = IMP_ARRAY(r->im, o->driven_rows, uint32_t);
    const uint32_t *rows = IMP_ARRAY(r->im, o->rows, uint32_t);
    const uint32_t *in = IMP_ARRAY(r->im, o->bodies, uint32_t);
    size_t bytes = IMP_ROW_STRIDE * sizeof(double), n = o->state.n;
    for (uint32_t i = 0; i < o->state.n; i++)
        memcpy(to + (size_t)rows[i] * IMP_ROW_STRIDE,
               s->driven[b] + (size_t)from[i] * IMP_ROW_STRIDE, bytes);
    for (uint32_t i = 0; i < o->bodies.n && r->im->dim == 2; i++) {
        const imp_body *body = rt_body(r, in[i]);
        if (n + 1 >= o->driven_rows.n || body->pose[2] == IMP_NO_ROW)
            continue;
        for (int j = 0; j < 2; j++, n++)
            memcpy(to + (size_t)body->pose[2 + j] * IMP_ROW_STRIDE,
                   s->driven[b] + (size_t)from[n] * IMP_ROW_STRIDE, bytes);
    }
}

/* series of the driven tapes, into r->work (the caller has put s->own there) */
static int
drive(struct rt *r, struct slide *s, int order)
{
    for (uint32_t b = 0; b < r->im->blocks.n; b++) {
        const double *lambda, *rows[1] = {s->push[b]};
        uint32_t tape = block_at(r, b)->driven;
        if (!s->block[b])
            continue;
        int st = hold_solve(r, b, &lambda);
        if (!st)
            st = rt_series(r, tape, lambda, rows, s->driven[b], order);
        if (st == IMP_NONFINITE) {
            rt_nonfinite(r, block_at(r, b)->motion, lambda);
            return IMP_FAILED;
        }
        if (st)
            return st;
        hand_over(r, s, b, r->work[b]);
    }
    return IMP_OK;
}

static void
exchange(struct rt *r, struct slide *s)
{
    for (uint32_t b = 0; b < r->im->blocks.n; b++)
        if (s->block[b]) {
            double *w = r->work[b];
            r->work[b] = s->own[b];
            s->own[b] = w;
        }
}

static int
rows_series(struct rt *r, struct slide *s, int n, int order)
{
    slide_poses_forget(s);
    for (int i = 0; i < n; i++) {
        int st = slide_row_series(r, s, &s->row[i], order);
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
answers(struct rt *r, struct slide *s, int n, double *G)
{
    size_t nb = r->im->bodies.n;
    memset(s->answer, 0, (size_t)n * 6 * nb * sizeof *s->answer);
    for (int i = 0; i < n; i++) {
        const imp_contact *k = rt_contact(r, s->row[i].spot.contact);
        double *a = s->answer + (size_t)i * 6 * nb, f[6];
        for (int e = 0; e < 2; e++) {
            if (!slide_body_moves(r, k->body[e]))
                continue;
            for (int j = 0; j < 6; j++)
                f[j] = s->row[i].open[e][j].c[0];
            divide_by_mass(r, k->body[e], f, a + 6 * k->body[e]);
        }
        for (uint32_t b = 0; b < r->im->blocks.n; b++) {
            int st = s->block[b] ? hold_answer(r, b, a) : IMP_OK;
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
                for (uint32_t c = 0; c < 6 && slide_body_moves(r, k->body[e]);
                     c++)
                    g += s->row[j].open[e][c].c[0] * a[6 * k->body[e] + c];
            G[i * n + j] = g;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            G[i * n + j] = G[j * n + i] = 0.5 * (G[i * n + j] + G[j * n + i]);
    return IMP_OK;
}

int
slide_instant(struct rt *r, struct slide *s, int order, double *G)
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
factor(struct rt *r, struct slide *s)
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

/* least x with G x = -b */
static void
solve(const struct slide *s, const double *b, double *x)
{
    int n = s->n_on;
    for (int i = 0; i < n; i++)
        s->a[i] = -b[i];
    dense_svd_solve(n, n, s->U, s->V, s->s, s->rank, s->a, x, s->c);
}

/* lambda_k of all rows, and their part of the pushes */
static int
one_order(struct rt *r, struct slide *s, int k, int last)
{
    double x[SLIDE_MOST];
    int st = drive(r, s, k + 2);
    if (!st)
        st = rows_series(r, s, s->n_on, k + 2);
    if (!st && k == 0)
        st = factor(r, s);
    if (st)
        return st;
    for (int i = 0; i < s->n_on; i++)
        s->b[i] = (k + 1.0) * (k + 2.0) * s->row[i].gap.c[k + 2];
    solve(s, s->b, x);
    for (int i = 0; i < s->n_on; i++) {
        s->row[i].force.c[k] = x[i];
        push_add(r, s, &s->row[i], 0, k, x[i]);
    }
    for (int i = 0; i < s->n_on && k < last; i++)
        for (int j = 1; j <= k + 1; j++)
            push_add(r, s, &s->row[i], j, k + 1, s->row[i].force.c[k + 1 - j]);
    if (k == 0)
        push_env(r, s, true);
    return IMP_OK;
}

/* spins of the bodies of a row, and their sizes */
static void
spin_of(const struct rt *r, const struct slide_row *row, double *spin,
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
steady(struct rt *r, struct slide *s, int order, bool *is)
{
    int st = drive(r, s, order), n = s->n_on;
    if (!st)
        st = rows_series(r, s, n, order);
    *is = !st;
    for (int i = 0; i < n && *is; i++) {
        const struct slide_row *row = &s->row[i];
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
slide_series(struct rt *r, int order, uint32_t block)
{
    struct slide *s = r->slide;
    int st = IMP_OK, last = order - 1;
    bool done = false;
    if (last + 2 > IMP_ORDER_MAX)
        last = IMP_ORDER_MAX - 2;
    exchange(r, s);
    push_clear(r, s);
    push_env(r, s, false);
    for (int i = 0; i < s->n; i++)
        jet_const(IMP_ORDER_MAX, 0.0, &s->row[i].force);
    for (int k = 0; k <= last && !st && !done; k++) {
        if (k == 1 && s->steady) {
            for (int i = 0; i < s->n_on; i++) /* what order 0 left there */
                push_add(r, s, &s->row[i], 1, 1, -s->row[i].force.c[0]);
            if ((st = steady(r, s, order, &done)) || done)
                break;
            s->steady = false;
            for (int i = 0; i < s->n_on; i++)
                push_add(r, s, &s->row[i], 1, 1, s->row[i].force.c[0]);
        }
        st = one_order(r, s, k, last);
    }
    if (!st && !done)
        st = drive(r, s, order);
    push_env(r, s, false);
    exchange(r, s);
    for (uint32_t b = 0; b < r->im->blocks.n && !st; b++)
        if (s->block[b] && (block == UINT32_MAX || block == b))
            hand_over(r, s, b, r->work[b]);
    return st;
}

void
slide_pushes(const struct rt *r, uint32_t block, double push[2])
{
    const struct slide *s = r->slide;
    push[0] = push[1] = 0.0;
    for (int i = 0; i < s->n_on; i++) {
        const struct slide_row *row = &s->row[i];
        const imp_contact *k = rt_contact(r, row->spot.contact);
        for (int e = 0; e < 2; e++) {
            double f[6], a[6];
            if (!slide_body_moves(r, k->body[e]) ||
                rt_body(r, k->body[e])->block != block)
                continue;
            for (int j = 0; j < 6; j++)
                f[j] = row->open[e][j].c[0] * row->force.c[0];
            divide_by_mass(r, k->body[e], f, a);
            double move = fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
            double spin = fabs(a[3]) + fabs(a[4]) + fabs(a[5]);
            double size =
                r->env[rt_body(r, k->body[e])->env_body + IMP_BODY_RADIUS];
            push[0] += move;
            push[1] += fmax(spin, size > 0.0 ? move / size : 0.0);
        }
    }
}

/* -- onto the gaps ---------------------------------------------------------
 */

/* A pose that is turned by t (body axes): spins are in body axes, so what keeps
 * the momentum L in the world is  w += I^-1 (L x t + (L x t) x t / 2). Only of
 * bodies without joints, which would answer. */
static void
keep_momentum(struct rt *r, uint32_t body, const double t[3])
{
    const imp_body *b = rt_body(r, body);
    const double *I = r->env + b->env_body + IMP_BODY_INERTIA;
    const double *w = r->env + b->env_state + 10;
    double L[3], u[3], f[6] = {0}, a[6];
    if (r->im->dim == 2 || r->hold)
        return;
    L[0] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
    L[1] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
    L[2] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        u[i] = L[j] * t[k] - L[k] * t[j];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        f[3 + i] = u[i] + 0.5 * (u[j] * t[k] - u[k] * t[j]);
    }
    divide_by_mass(r, body, f, a);
    hold_shift(r, body, a, true);
}

/* the state += sum of x_i times what a force at row i does */
static void
shift(struct rt *r, const struct slide *s, const double *x, bool velocity)
{
    for (uint32_t b = 0; b < r->im->bodies.n; b++) {
        double c[6] = {0};
        if (!slide_body_moves(r, b) || !s->block[rt_body(r, b)->block])
            continue;
        for (int i = 0; i < s->n_on; i++)
            for (int j = 0; j < 6; j++)
                c[j] += x[i] * s->answer[((size_t)i * r->im->bodies.n + b) * 6 +
                                         (size_t)j];
        hold_shift(r, b, c, velocity);
        if (!velocity)
            keep_momentum(r, b, c + 3);
    }
}

/* sizes of the numbers that a row's gap and its rate are made of */
static void
sizes(const struct rt *r, const struct slide_row *row, double *place,
      double *speed)
{
    const imp_contact *k = rt_contact(r, row->spot.contact);
    uint32_t d = r->im->dim;
    *place = *speed = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *b = rt_body(r, k->body[e]);
        const double *v = r->env + b->env_state + (d == 2 ? 3 : 7);
        double size = r->env[b->env_body + IMP_BODY_RADIUS];
        if (isfinite(size))
            *place += size;
        for (uint32_t i = 0; i < per_body(r); i++)
            *speed += fabs(row->open[e][entry(r, i)].c[0] * v[i]);
    }
}

/* rows that push, to order 1, with G and its factors */
static int
look_rows(struct rt *r, struct slide *s)
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

/* gaps, or their rates, beyond `want` (NULL: 0) into s->b; true: more than
 * rounding */
static bool
deviation(const struct rt *r, struct slide *s, bool velocity,
          const double *want)
{
    double place, speed;
    bool off = false;
    for (int i = 0; i < s->n_on; i++) {
        sizes(r, &s->row[i], &place, &speed);
        s->b[i] = s->row[i].gap.c[velocity ? 1 : 0] - (want ? want[i] : 0.0);
        off |= fabs(s->b[i]) >
               SLIDE_ROUND * DBL_EPSILON * (velocity ? speed : place);
    }
    return off;
}

/* How directions and torques of a unit force at a row change in the world, in
 * the axes they are kept in; what is only rounding is none. */
static void
turning(const struct rt *r, const struct slide_row *row, int e, double out[6])
{
    uint32_t d = r->im->dim, body = rt_contact(r, row->spot.contact)->body[e];
    const double *w = r->env + rt_body(r, body)->env_state + (d == 2 ? 5 : 10);
    double size = r->env[rt_body(r, body)->env_body + IMP_BODY_RADIUS];
    double spin = d == 2 ? fabs(w[0]) : fabs(w[0]) + fabs(w[1]) + fabs(w[2]);
    double low = SLIDE_TURNS * DBL_EPSILON * spin;
    for (int j = 0; j < 6; j++)
        out[j] = row->open[e][j].c[1];
    for (int j = 0; j < 3 && d == 3; j++) { /* w x torque */
        int u = (j + 1) % 3, v = (j + 2) % 3;
        out[3 + j] +=
            w[u] * row->open[e][3 + v].c[0] - w[v] * row->open[e][3 + u].c[0];
    }
    for (int j = 0; j < 6; j++)
        if (fabs(out[j]) <= low * (j < 3 || !isfinite(size) ? 1.0 : size))
            out[j] = 0.0;
}

/* Impulses P_k at times t_k before now have directions N(t_k) = N - N' (T -
 * t_k): with x = sum of P_k (T - t_k), which is what moves the poses, the
 * momenta are off by -N'^T x when they are applied now. Where joints answer
 * this is left out. */
static void
in_their_time(struct rt *r, const struct slide *s, const double *x)
{
    for (int i = 0; i < s->n_on && !r->hold; i++) {
        const struct slide_row *row = &s->row[i];
        const imp_contact *k = rt_contact(r, row->spot.contact);
        for (int e = 0; e < 2; e++) {
            double f[6], a[6];
            if (!slide_body_moves(r, k->body[e]))
                continue;
            turning(r, row, e, f);
            for (int j = 0; j < 6; j++)
                f[j] *= -x[i];
            divide_by_mass(r, k->body[e], f, a);
            hold_shift(r, k->body[e], a, true);
        }
    }
}

/* the least change in the metric of the masses that makes all gaps, and then
 * their rates, what they should be */
static int
project(struct rt *r, struct slide *s, int rounds, const double *gap,
        const double *rate, bool timed)
{
    double x[SLIDE_MOST];
    for (int round = 0;; round++) {
        int st = look_rows(r, s);
        if (st)
            return st;
        if (round == rounds || !deviation(r, s, false, gap))
            break;
        solve(s, s->b, x);
        if (timed && round == 0)
            in_their_time(r, s, x);
        shift(r, s, x, false);
    }
    if (deviation(r, s, true, rate)) {
        solve(s, s->b, x);
        shift(r, s, x, true);
    }
    return IMP_OK;
}

void
slide_project(struct rt *r)
{
    /* failures are silent here: the series of the next step meets them */
    (void)project(r, r->slide, SLIDE_PROJECT, NULL, NULL, false);
}

void
slide_push(struct rt *r, const double *impulse)
{
    shift(r, r->slides[SLIDE_LOOK], impulse, true);
}

int
slide_stop(struct rt *r, const struct slide_spot *spot, int n,
           const double *gap, const double *rate)
{
    struct slide *s = slide_get(r, SLIDE_LOOK, spot, n);
    s->n_on = n;
    if (n == 0)
        return IMP_OK;
    /* the impulses first, where the bodies are */
    int st = look_rows(r, s);
    if (st)
        return st;
    if (deviation(r, s, true, rate)) {
        double x[SLIDE_MOST];
        solve(s, s->b, x);
        shift(r, s, x, true);
    }
    return project(r, s, SLIDE_ROUNDS, gap, rate, true);
}

/* Rows that a free motion leaves alone (constants, lines) are as at first again
 */
void
slide_end(struct rt *r)
{
    for (uint32_t b = 0; slide_any(r) && b < r->im->blocks.n; b++)
        if (r->slide->block[b])
            memset(r->work[b], 0,
                   sizeof(double) * IMP_ROW_STRIDE *
                       tape_at(r, block_at(r, b)->motion)->n_rows);
    r->slide = NULL;
}

/* -- who is held -----------------------------------------------------------
 */

bool
slide_holds(const struct rt *r, uint32_t contact)
{
    for (int i = 0; r->slide && i < r->slide->n; i++)
        if (r->slide->row[i].spot.contact == contact)
            return true;
    return false;
}

bool
slide_moves(const struct rt *r, uint32_t block)
{
    return r->slide && r->slide->block[block];
}

int
slide_count(const struct rt *r)
{
    return r->slide ? r->slide->n : 0;
}

const struct slide_spot *
slide_spot(const struct rt *r, int i, bool *on, double *force)
{
    const struct slide_row *row = r->slide->row + i;
    if (on)
        *on = row->on;
    if (force)
        *force = row->force.c[0];
    return &row->spot;
}
