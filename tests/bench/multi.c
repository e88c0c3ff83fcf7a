/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impacts at several contacts: the paper's three-point example and chains of 20
 * bodies with 19 contacts, from poses and velocities to impulses, joint
 * impulses and motion after; beside the same done with GSL calls on dense
 * matrices in hand-written C (G by Cholesky of the joints' part). */
#include <math.h>
#include <string.h>
#include <time.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "base/arena.h"
#include "bench.h"
#include "runtime/impact/impact.h"

#define RUNS 9
#define MOST 20

struct problem {
    struct impact_body b[MOST];
    struct impact_contact c[MOST];
    struct impact_joint j[MOST];
    struct impact_problem p;
};

static double
cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
body(struct problem *o, double m, const double J[3], double x, double y)
{
    struct impact_body *b = &o->b[o->p.n_body++];
    memset(b, 0, sizeof *b);
    b->mass = m;
    b->invmass = 1 / m;
    b->centre[0] = x;
    b->centre[1] = y;
    for (int i = 0; i < 3; i++) {
        b->inroot[4 * i] = sqrt(J[i]);
        b->root[4 * i] = 1 / sqrt(J[i]);
    }
}

static void
contact(struct problem *o, uint32_t b0, uint32_t b1, const double at[3],
        const double u[3])
{
    struct impact_contact *c = &o->c[o->p.n_contact++];
    c->body[0] = b0;
    c->body[1] = b1;
    memcpy(c->p, at, sizeof c->p);
    memcpy(c->q, at, sizeof c->q);
    memcpy(c->dir, u, sizeof c->dir);
    c->e = 0.5;
    c->priority = INFINITY;
}

static void
joint(struct problem *o, enum imp_joint_kind kind, uint32_t b0, uint32_t b1,
      double x, double y, bool plane)
{
    static const double z[3] = {0, 0, 1};
    struct impact_joint *j = &o->j[o->p.n_joint++];
    j->body[0] = b0;
    j->body[1] = b1;
    j->at[0] = x;
    j->at[1] = y;
    j->at[2] = 0;
    impact_joint_rows(j, kind, z, z, NULL, 0, plane);
}

static void
start(struct problem *o)
{
    memset(o, 0, sizeof *o);
    o->p.body = o->b;
    o->p.contact = o->c;
    o->p.joint = o->j;
}

static void
three_points(struct problem *o)
{
    static const double J1[3] = {.5, .4, .3}, J2[3] = {.7, .6, .5};
    static const double at[3][3] = {{0, 0, .8}, {0, 1.5, -.6}, {0, 0, -.6}};
    static const double u[3][3] = {{1. / 3, 2. / 3, 2. / 3},
                                   {2. / 3, -1. / 3, 2. / 3},
                                   {2. / 3, 2. / 3, -1. / 3}};
    start(o);
    body(o, 2, J1, 0, 0);
    body(o, 3, J2, 0, 1.5);
    joint(o, IMP_JOINT_BALL, 0, IMP_WORLD, 0, -1, false);
    joint(o, IMP_JOINT_HINGE, 1, IMP_WORLD, 0, 2.7, false);
    for (int i = 0; i < 3; i++)
        contact(o, 0, 1, at[i], u[i]);
    memcpy(o->b[0].spin, (double[3]){1, -2, -2}, sizeof o->b[0].spin);
    memcpy(o->b[0].vel, (double[3]){2, 0, 1}, sizeof o->b[0].vel);
    o->b[1].spin[2] = -1;
    o->b[1].vel[0] = -1.2;
}

/* balls in a row, or links on hinges whose ends strike the floor: in space
 * (five rows each) or in the plane (two) */
static void
chain(struct problem *o, bool hinges, bool plane)
{
    static const double J[3] = {.4, .5, .6}, x[3] = {1, 0, 0},
                        up[3] = {0, 1, 0};
    start(o);
    for (int i = 0; i < MOST; i++) {
        body(o, 1 + 0.01 * i, J, 2 * i, 0.1 * (i % 2));
        o->b[i].vel[hinges ? 1 : 0] = hinges ? -1 : i ? 0 : 1;
        for (int k = 0; k < 8 && plane; k += 4)
            o->b[i].inroot[k] = o->b[i].root[k] = 0;
    }
    for (uint32_t i = 0; i + 1 < MOST; i++) {
        if (hinges)
            joint(o, IMP_JOINT_HINGE, i, i + 1, 2 * i + 1, 0, plane);
        contact(o, hinges ? IMP_WORLD : i, i + 1,
                (double[3]){2 * i + (hinges ? 2.3 : 1), -0.1, 0},
                hinges ? up : x);
    }
}

/* the same with GSL: A = B B^T of all rows, Cholesky of the joints' part, its
 * Schur complement, Cholesky of that */
struct gsl {
    gsl_matrix *B, *A, *W, *G;
    gsl_vector *x, *y, *v;
};

static void
fill(struct gsl *g, size_t row, const struct problem *o, const uint32_t *b,
     const double *p, const double *q, const double *f, const double *t,
     double sign)
{
    for (int s = 0; s < 2; s++) {
        if (b[s] == IMP_WORLD)
            continue;
        const struct impact_body *k = &o->b[b[s]];
        const double *at = s ? q : p;
        double r[3], m[3], e = s ? -sign : sign;
        for (int i = 0; i < 3; i++)
            r[i] = at[i] - k->centre[i];
        for (int i = 0; i < 3; i++)
            m[i] = t[i] + r[(i + 1) % 3] * f[(i + 2) % 3] -
                   r[(i + 2) % 3] * f[(i + 1) % 3];
        for (int i = 0; i < 3; i++) {
            gsl_matrix_set(g->B, row, 6 * b[s] + (size_t)i,
                           e * sqrt(k->invmass) * f[i]);
            gsl_matrix_set(g->B, row, 6 * b[s] + 3 + (size_t)i,
                           e * k->root[4 * i] * m[i]);
        }
    }
}

static double
by_gsl(struct gsl *g, const struct problem *o, const double *v0)
{
    static const double none[3] = {0, 0, 0};
    size_t nr = 0, nc = o->p.n_contact;
    gsl_matrix_set_zero(g->B);
    for (uint32_t j = 0; j < o->p.n_joint; j++)
        for (int i = 0; i < o->j[j].n; i++)
            fill(g, nr++, o, o->j[j].body, o->j[j].at, o->j[j].at, o->j[j].S[i],
                 o->j[j].S[i] + 3, 1);
    for (uint32_t c = 0; c < nc; c++)
        fill(g, nr + c, o, o->c[c].body, o->c[c].p, o->c[c].q, o->c[c].dir,
             none, -1);
    gsl_blas_dsyrk(CblasLower, CblasNoTrans, 1, g->B, 0, g->A);
    gsl_matrix_view G = gsl_matrix_submatrix(g->A, nr, nr, nc, nc);
    if (nr) {
        gsl_matrix_view A = gsl_matrix_submatrix(g->A, 0, 0, nr, nr);
        gsl_matrix_view W = gsl_matrix_submatrix(g->A, nr, 0, nc, nr);
        gsl_linalg_cholesky_decomp1(&A.matrix);
        gsl_blas_dtrsm(CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1,
                       &A.matrix, &W.matrix);
        gsl_blas_dsyrk(CblasLower, CblasNoTrans, -1, &W.matrix, 1, &G.matrix);
    }
    for (size_t c = 0; c < nc; c++)
        gsl_vector_set(g->x, c, -(1 + o->c[c].e) * v0[c]);
    gsl_linalg_cholesky_decomp1(&G.matrix);
    gsl_linalg_cholesky_svx(&G.matrix, g->x);
    if (nr) {
        gsl_matrix_view A = gsl_matrix_submatrix(g->A, 0, 0, nr, nr);
        gsl_matrix_view W = gsl_matrix_submatrix(g->A, nr, 0, nc, nr);
        gsl_blas_dgemv(CblasTrans, -1, &W.matrix, g->x, 0, g->y);
        gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, &A.matrix, g->y);
    }
    /* motion after: the six numbers of each body */
    gsl_vector_set_zero(g->v);
    gsl_matrix_view C = gsl_matrix_submatrix(g->B, nr, 0, nc, g->B->size2);
    gsl_blas_dgemv(CblasTrans, 1, &C.matrix, g->x, 0, g->v);
    if (nr) {
        gsl_matrix_view J = gsl_matrix_submatrix(g->B, 0, 0, nr, g->B->size2);
        gsl_blas_dgemv(CblasTrans, 1, &J.matrix, g->y, 1, g->v);
    }
    return gsl_vector_get(g->x, 0);
}

static void
measure(const char *name, struct problem *o, double promise, int repeat)
{
    struct arena *a = arena_new();
    struct impact_solver *m =
        impact_solver_new(a, o->p.n_body, o->p.n_contact, o->p.n_joint);
    double t[RUNS], tg[RUNS], v0[MOST], error = 0, sum = 0;
    size_t nr = 0, nc = o->p.n_contact, nb = 6 * o->p.n_body;
    char line[80], want[40];

    for (uint32_t j = 0; j < o->p.n_joint; j++)
        nr += (size_t)o->j[j].n;
    struct gsl g = {.B = gsl_matrix_alloc(nr + nc, nb),
                    .A = gsl_matrix_alloc(nr + nc, nr + nc),
                    .x = gsl_vector_alloc(nc),
                    .y = gsl_vector_alloc(nr ? nr : 1),
                    .v = gsl_vector_alloc(nb)};
    for (int run = 0; run < RUNS; run++) {
        double begin = cpu();
        for (int i = 0; i < repeat; i++) {
            impact_solver_prepare(m, &o->p);
            impact_solver_solve(m, IMP_IMPACT_NEWTON);
        }
        t[run] = (cpu() - begin) / repeat * 1e6;
        memcpy(v0, m->approach.v0, sizeof *v0 * nc);
        begin = cpu();
        for (int i = 0; i < repeat / 4 + 1; i++)
            sum += by_gsl(&g, o, v0);
        tg[run] = (cpu() - begin) / (repeat / 4 + 1) * 1e6;
        for (size_t c = 0; c < nc; c++)
            error = fmax(error, fabs(m->impulse.P[c] - gsl_vector_get(g.x, c)));
    }
    double us = bench_median(t, RUNS);
    bool ok = m->delassus.regular && m->balance.momentum_error < 1e-13 &&
              error < 1e-9;
    snprintf(want, sizeof want, "under %g", promise);
    bench_line(name, us, "us", want, us < promise && ok);
    snprintf(line, sizeof line, "%s, GSL", name);
    bench_line(line, bench_median(tg, RUNS), "us", "", true);
    bench_note("impulses differ by %.2g, momentum by %.2g, %s", error,
               m->balance.momentum_error,
               m->delassus.regular ? "factored" : "by SVD");
    gsl_matrix_free(g.B);
    gsl_matrix_free(g.A);
    gsl_vector_free(g.x);
    gsl_vector_free(g.y);
    gsl_vector_free(g.v);
    arena_free(a);
}

void
bench_multi(void)
{
    struct problem o;

    three_points(&o);
    measure("impact, three points, two joints", &o, 2, 20000);
    chain(&o, false, false);
    measure("impact, chain of 20 bodies, 19 contacts", &o, 20, 4000);
    chain(&o, true, false);
    measure("impact, 20 links on 19 hinges, 3-D", &o, 20, 2000);
    chain(&o, true, true);
    measure("impact, 20 links on 19 hinges, 2-D", &o, 20, 2000);
}
