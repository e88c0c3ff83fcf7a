/* SPDX-License-Identifier: MIT */
/* The start of jointed bodies. A body that states neither velocity nor spin
 * takes the motion that its joints give it: from the world, and from bodies
 * whose motion is known, across one joint after the other, each with its `rate`
 * (0 where none is stated). Loops whose rates are not all stated follow from
 * those that are: least squares of least change. What is stated must then agree
 * with every joint; it is never projected. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/dense.h"
#include "runtime/multi_rt.h"

/* stated velocities agree with a joint to this share of their size: data of 9
 * digits and more */
#define START_AGREES 1e-9

struct start {
    struct rt *r;
    struct multi_rt m;
    struct multi_body *b;
    bool *spin, *vel; /* known */
    double (*rel)[6]; /* per joint: spin, velocity at `at` that rates state */
};

static const imp_joint *
joint_of(const struct start *s, uint32_t j)
{
    return IMP_ARRAY(s->r->im, s->r->im->joints, imp_joint) + s->m.joint[j];
}

static void
cross(double r[3], const double a[3], const double b[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

static bool
given(const imp_body *b, imp_range x, const double *raw, int n)
{
    for (int i = 0; i < n; i++)
        if (raw[i] != 0)
            return true;
    return x.lo != b->range.lo || x.hi != b->range.hi ||
           x.file != b->range.file;
}

/* relative twist of the first body against the second, as `rate` has it */
static void
rates(const struct start *s, uint32_t j, double rel[6])
{
    const imp_joint *k = joint_of(s, j);
    const double *e = s->r->env + k->env_joint, *q = e + IMP_JOINT_RATE;
    bool plane = s->r->im->dim == 2;
    double Q[6][6];
    memset(rel, 0, 6 * sizeof *rel);
    if (!k->n_rate)
        return;
    int n = multi_joint_free((enum imp_joint_kind)k->kind, e + IMP_JOINT_AXIS,
                             e + IMP_JOINT_AXIS2, plane, Q);
    if (k->kind == IMP_JOINT_PLANAR) {
        for (int i = 0; i < 3; i++) {
            rel[i] = Q[0][i] * q[0];
            rel[3 + i] = q[1 + i];
        }
        return;
    }
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 6; c++)
            rel[c] += Q[i][c] * q[i];
}

/* twist of a body, its velocity taken at `at`; zero for the world */
static void
twist_at(const struct start *s, uint32_t b, const double at[3], double t[6])
{
    memset(t, 0, 6 * sizeof *t);
    if (b == IMP_WORLD)
        return;
    const struct multi_body *k = &s->b[b];
    double d[3] = {at[0] - k->centre[0], at[1] - k->centre[1],
                   at[2] - k->centre[2]};
    cross(t + 3, k->spin, d);
    for (int i = 0; i < 3; i++) {
        t[i] = k->spin[i];
        t[3 + i] += k->vel[i];
    }
}

static bool
known(const struct start *s, uint32_t b)
{
    return b == IMP_WORLD || (s->spin[b] && s->vel[b]);
}

/* motion of one side of joint j from the other */
static void
across(struct start *s, uint32_t j)
{
    const struct multi_joint *k = &s->m.p.joint[j];
    int to = known(s, k->body[0]) ? 1 : 0;
    struct multi_body *b = &s->b[k->body[to]];
    double t[6], d[3], c[3];
    twist_at(s, k->body[1 - to], k->at, t);
    for (int i = 0; i < 6; i++)
        t[i] += (to ? -1 : 1) * s->rel[j][i];
    if (!s->spin[k->body[to]])
        memcpy(b->spin, t, sizeof b->spin);
    for (int i = 0; i < 3; i++)
        d[i] = b->centre[i] - k->at[i];
    cross(c, b->spin, d);
    for (int i = 0; i < 3 && !s->vel[k->body[to]]; i++)
        b->vel[i] = t[3 + i] + c[i];
    s->spin[k->body[to]] = s->vel[k->body[to]] = true;
}

/* The next joint to go across: first those that leave nothing free or state
 * their rate, then the others. True if there was one. */
static bool
advance(struct start *s)
{
    for (int loose = 0; loose < 2; loose++)
        for (uint32_t j = 0; j < s->m.p.n_joint; j++) {
            const uint32_t *b = s->m.p.joint[j].body;
            if (known(s, b[0]) == known(s, b[1]))
                continue;
            if (!loose && !joint_of(s, j)->n_rate &&
                joint_of(s, j)->kind != IMP_JOINT_WELD)
                continue;
            across(s, j);
            return true;
        }
    return false;
}

/* Rows of a joint's conditions on its relative twist [spin; velocity at `at`]:
 * its reactions do no work, and what `rate` states. Residuals in res, sizes of
 * their terms in size. Returns how many. */
static int
conditions(const struct start *s, uint32_t j, double row[12][6], double res[12],
           double size[12])
{
    const struct multi_joint *k = &s->m.p.joint[j];
    double t[2][6];
    int n = 0;
    for (int i = 0; i < 2; i++)
        twist_at(s, k->body[i], k->at, t[i]);
    for (int i = 0; i < k->n; i++, n++)
        for (int c = 0; c < 6; c++)
            row[n][c] = k->S[i][(c + 3) % 6];
    if (joint_of(s, j)->n_rate)
        for (int i = 0; i < 6; i++, n++)
            for (int c = 0; c < 6; c++)
                row[n][c] = c == i;
    for (int i = 0; i < n; i++) {
        res[i] = size[i] = 0;
        for (int c = 0; c < 6; c++) {
            double rel = i < k->n ? 0 : s->rel[j][c];
            res[i] += row[i][c] * (t[0][c] - t[1][c] - rel);
            size[i] +=
                fabs(row[i][c]) * (fabs(t[0][c]) + fabs(t[1][c]) + fabs(rel));
        }
    }
    return n;
}

/* the joint whose conditions fail worst; n_joint: all hold */
static uint32_t
worst_joint(const struct start *s, double *off)
{
    uint32_t found = s->m.p.n_joint;
    double row[12][6], res[12], size[12], speed = 0, most = START_AGREES;
    for (uint32_t j = 0; j < s->m.p.n_joint; j++) {
        int n = conditions(s, j, row, res, size);
        for (int i = 0; i < n; i++)
            speed = fmax(speed, size[i]);
    }
    for (uint32_t j = 0; j < s->m.p.n_joint; j++) {
        int n = conditions(s, j, row, res, size);
        for (int i = 0; i < n; i++)
            if (fabs(res[i]) > most * speed) {
                most = fabs(res[i]) / speed;
                *off = fabs(res[i]);
                found = j;
            }
    }
    return found;
}

/* loops: the least change of the motions that are not stated after which the
 * joints hold */
static void
close_loops(struct start *s, const bool *fspin, const bool *fvel)
{
    uint32_t nb = s->m.p.n_body;
    int n = 0, rows = 0, *col = NEW_N(s->r->arena, int, 6 * nb + 1);
    for (uint32_t b = 0; b < nb; b++)
        for (int i = 0; i < 6; i++)
            col[6 * b + (uint32_t)i] = (i < 3 ? fspin[b] : fvel[b]) ? n++ : -1;
    int most = 12 * (int)s->m.p.n_joint;
    double *A = NEW_N(s->r->arena, double, most *n + n * n + 3 * n + most + 1);
    double *V = A + most * n, *sv = V + n * n, *x = sv + n, *w = x + n,
           *rhs = w + n;
    for (uint32_t j = 0; j < s->m.p.n_joint; j++) {
        const struct multi_joint *k = &s->m.p.joint[j];
        double row[12][6], res[12], size[12];
        int m = conditions(s, j, row, res, size);
        for (int i = 0; i < m; i++, rows++) {
            rhs[rows] = -res[i];
            for (int side = 0; side < 2; side++) {
                uint32_t b = k->body[side];
                if (b == IMP_WORLD)
                    continue;
                double sign = side ? -1 : 1, d[3], t[3];
                for (int c = 0; c < 3; c++)
                    d[c] = k->at[c] - s->b[b].centre[c];
                /* r.(w x d) = w.(d x r) */
                cross(t, d, row[i] + 3);
                for (int c = 0; c < 6; c++) {
                    int q = col[6 * b + (uint32_t)c];
                    if (q >= 0)
                        A[q * most + rows] +=
                            sign * (row[i][c] + (c < 3 ? t[c] : 0));
                }
            }
        }
    }
    if (!n || !dense_svd(most, n, A, V, sv))
        return;
    int rank = 0;
    while (rank < n && sv[rank] > dense_tolerance(most, n) * sv[0])
        rank++;
    dense_svd_solve(most, n, A, V, sv, rank, rhs, x, w);
    for (uint32_t b = 0; b < nb; b++)
        for (uint32_t i = 0; i < 6; i++)
            if (col[6 * b + i] >= 0)
                *(i < 3 ? &s->b[b].spin[i] : &s->b[b].vel[i - 3]) +=
                    x[col[6 * b + i]];
}

static int
disagree(const struct start *s, uint32_t j, double off)
{
    struct rt *r = s->r;
    const imp_joint *k = joint_of(s, j);
    char x[NUM_TEXT];
    struct diag *d =
        diag_add(r->ds, DIAG_E0542, k->n_rate ? k->range_rate : k->range,
                 "the velocities at the start do not agree with joint `%s`",
                 imp_text(r->im, k->name));
    diag_note(r->ds, d, k->range,
              "what it connects would come apart, or differ from its `rate`, "
              "by %s m/s or rad/s",
              num_digits(x, off, 6));
    for (int i = 0; i < 2; i++) {
        if (k->body[i] == IMP_WORLD)
            continue;
        const imp_body *b = rt_body(r, k->body[i]);
        const double *raw = r->env + b->env_raw;
        if (given(b, b->range_velocity, raw + IMP_RAW_VELOCITY, 3))
            diag_note(r->ds, d, b->range_velocity,
                      "`%s` states its velocity here",
                      imp_text(r->im, b->name));
        if (given(b, b->range_spin, raw + IMP_RAW_SPIN, 3))
            diag_note(r->ds, d, b->range_spin, "`%s` states its spin here",
                      imp_text(r->im, b->name));
    }
    diag_help(r->ds, d,
              "leave `velocity` and `spin` of the bodies out and state the "
              "joint's `rate`: they follow from it");
    return IMP_BADMODEL;
}

static void
tell_redundant(const struct start *s)
{
    struct rt *r = s->r;
    struct multi *m = multi_new(r->arena, s->m.p.n_body, 0, s->m.p.n_joint);
    if (multi_prepare(m, &s->m.p) || m->joint_rank == m->nr)
        return;
    const imp_joint *k = joint_of(s, s->m.p.n_joint - 1);
    struct diag *d = diag_add(r->ds, DIAG_W0503, k->range,
                              "%d of the %d constraints of the joints are "
                              "redundant",
                              m->nr - m->joint_rank, m->nr);
    diag_help(r->ds, d,
              "the motion is determined all the same; impulses in the joints "
              "are the least that give it. Joints that leave more free (ball, "
              "cylinder) in the loop make them unique");
}

int
start_joints(struct rt *r)
{
    struct start s = {.r = r};
    if (!r->im->joints.n)
        return IMP_OK;
    int st = multi_from_rt(r, NULL, 0, &s.m);
    if (st)
        return st;
    uint32_t nb = s.m.p.n_body;
    bool *fspin = NEW_N(r->arena, bool, nb + 1),
         *fvel = NEW_N(r->arena, bool, nb + 1), any = false;
    double *twist = NEW_N(r->arena, double, 6 * nb + 1);
    s.b = NEW_N(r->arena, struct multi_body, nb + 1);
    memcpy(s.b, s.m.p.body, sizeof *s.b * nb);
    s.m.p.body = s.b;
    s.spin = NEW_N(r->arena, bool, nb + 1);
    s.vel = NEW_N(r->arena, bool, nb + 1);
    s.rel = arena_alloc(r->arena, sizeof *s.rel * (s.m.p.n_joint + 1));
    for (uint32_t j = 0; j < s.m.p.n_joint; j++)
        rates(&s, j, s.rel[j]);
    for (uint32_t i = 0; i < nb; i++) {
        const imp_body *b = rt_body(r, s.m.body[i]);
        const double *raw = r->env + b->env_raw;
        bool fixed = (b->flags & IMP_BODYF_FIXED) != 0;
        s.vel[i] =
            fixed || given(b, b->range_velocity, raw + IMP_RAW_VELOCITY, 3);
        s.spin[i] = fixed || given(b, b->range_spin, raw + IMP_RAW_SPIN, 3);
        fvel[i] = !s.vel[i];
        fspin[i] = !s.spin[i];
    }
    /* bodies that no joint holds, and one of each group that floats, rest */
    for (bool more = true; more;) {
        while (advance(&s))
            any = true;
        more = false;
        for (uint32_t i = 0; i < nb && !more; i++)
            if (!s.spin[i] || !s.vel[i])
                more = s.spin[i] = s.vel[i] = true;
    }
    double off = 0;
    uint32_t bad = worst_joint(&s, &off);
    if (bad < s.m.p.n_joint) {
        close_loops(&s, fspin, fvel);
        bad = worst_joint(&s, &off);
        any = true;
    }
    if (bad < s.m.p.n_joint)
        return disagree(&s, bad, off);
    tell_redundant(&s);
    for (uint32_t i = 0; i < nb; i++) {
        memcpy(twist + 6 * i, s.b[i].spin, 3 * sizeof *twist);
        memcpy(twist + 6 * i + 3, s.b[i].vel, 3 * sizeof *twist);
    }
    if (any)
        multi_to_rt(r, &s.m, twist);
    return IMP_OK;
}
