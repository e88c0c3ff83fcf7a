/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The factored way through large graphs: trees and loops of up to 14 bodies and
 * 13 contacts against elimination of all rows at once in long double, and the
 * balance of every body with joint impulses, computed here. */
#include <float.h>
#include <stdlib.h>

#include "impact_help.h"

#define ROWS 120

static int
cases(int n)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e ? atoi(e) : n;
}

static uint32_t
pick(uint64_t *s, uint32_t n)
{
    uint32_t k = (uint32_t)multi_random(s, 0, n);
    return k < n ? k : n - 1;
}

/* every body hangs on an earlier one, on the world or on nothing; sometimes a
 * joint closes a loop; contacts anywhere */
static void
random_graph(uint64_t *s, struct problem *o)
{
    problem_new(o);
    uint32_t nb = 4 + pick(s, 11), nc = 1 + pick(s, 13);
    for (uint32_t i = 0; i < nb; i++) {
        double R[9], a = multi_random(s, .5, 2), b = multi_random(s, .5, 2),
                     c = multi_random(s, .5, 2);
        random_rotation(s, R);
        add_body(o, multi_random(s, .2, 5), b + c, a + c, a + b,
                 multi_random(s, -3, 3), multi_random(s, -3, 3),
                 multi_random(s, -3, 3), R);
        set_motion(o, i, multi_random(s, -1, 1), multi_random(s, -1, 1),
                   multi_random(s, -1, 1), multi_random(s, -1, 1),
                   multi_random(s, -1, 1), multi_random(s, -1, 1));
    }
    for (uint32_t i = 0; i < nb + 2; i++) {
        uint32_t b0 = i < nb ? i : pick(s, nb), b1 = WORLD;
        enum imp_joint_kind kind = (enum imp_joint_kind)pick(s, IMP_JOINT_WELD);
        if (multi_random(s, 0, 1) < (i < nb ? .2 : .7))
            continue;
        if (i >= nb)
            kind = IMP_JOINT_PLANAR; /* three rows: few loops are redundant */
        if (b0 > 0 && multi_random(s, 0, 1) < .8)
            b1 = pick(s, b0);
        /* a joint's own order of bodies must not matter */
        bool swap = b1 != WORLD && multi_random(s, 0, 1) < .5;
        add_joint(o, kind, swap ? b1 : b0, swap ? b0 : b1,
                  multi_random(s, -3, 3), multi_random(s, -3, 3),
                  multi_random(s, -3, 3), multi_random(s, -1, 1),
                  multi_random(s, -1, 1), multi_random(s, -1, 1), false);
    }
    for (uint32_t i = 0; i < nc; i++) {
        uint32_t b1 = pick(s, nb), b0 = pick(s, nb + 1);
        add_contact(o, b0 == b1 || b0 == nb ? WORLD : b0, b1,
                    multi_random(s, -3, 3), multi_random(s, -3, 3),
                    multi_random(s, -3, 3), multi_random(s, -1, 1),
                    multi_random(s, -1, 1), multi_random(s, -1, 1),
                    multi_random(s, 0, 1));
    }
}

/* what the wrench x does to body b: change of velocity, of spin */
static void
answer(const struct impact_body *b, const long double x[6], long double d[6])
{
    for (int i = 0; i < 3; i++) {
        d[i] = x[i] * b->invmass;
        d[3 + i] = 0;
        for (int k = 0; k < 3; k++)
            for (int n = 0; n < 3; n++)
                d[3 + i] += (long double)b->root[3 * i + k] *
                            b->root[3 * n + k] * x[3 + n];
    }
}

/* rows of joints and of the contacts that approach, six numbers per body */
struct rows {
    int n, joints, of[ROWS]; /* contact of a row */
    long double w[ROWS][6 * PROBLEM_MOST];
    long double K[ROWS][ROWS + 1]; /* and the right-hand side */
};

static void
collect(const struct problem *o, const struct impact_solver *m, struct rows *z)
{
    memset(z, 0, sizeof *z);
    for (uint32_t j = 0; j < o->p.n_joint; j++)
        for (int i = 0; i < o->j[j].n; i++, z->n++)
            for (int q = 0; q < 2; q++)
                if (o->j[j].body[q] != WORLD)
                    wrench(&o->b[o->j[j].body[q]], o->j[j].S[i],
                           o->j[j].S[i] + 3, o->j[j].at, q ? -1 : 1,
                           z->w[z->n] + 6 * o->j[j].body[q]);
    z->joints = z->n;
    for (uint32_t c = 0; c < o->p.n_contact; c++) {
        long double v = 0;
        if (m->approach.open[c])
            continue;
        for (int q = 0; q < 2; q++) {
            if (o->c[c].body[q] == WORLD)
                continue;
            const struct impact_body *b = &o->b[o->c[c].body[q]];
            long double *x = z->w[z->n] + 6 * o->c[c].body[q];
            wrench(b, o->c[c].dir, NULL, o->c[c].p, q ? 1 : -1, x);
            for (int k = 0; k < 3; k++)
                v += x[k] * b->vel[k] + x[3 + k] * b->spin[k];
        }
        z->K[z->n][ROWS] = -(1 + (long double)o->c[c].e) * v;
        z->of[z->n++] = (int)c;
    }
    for (uint32_t b = 0; b < o->p.n_body; b++)
        for (int i = 0; i < z->n; i++) {
            long double d[6];
            answer(&o->b[b], z->w[i] + 6 * b, d);
            for (int j = 0; j < z->n; j++)
                for (int k = 0; k < 6; k++)
                    z->K[j][i] += z->w[j][6 * b + (uint32_t)k] * d[k];
        }
}

/* K x = rhs; x replaces the right-hand side. The matrix is definite. */
static void
eliminate(struct rows *z)
{
    int n = z->n;
    for (int c = 0; c < n; c++)
        for (int r = c + 1; r < n; r++) {
            long double f = z->K[r][c] / z->K[c][c];
            for (int j = c; f != 0 && j < n; j++)
                z->K[r][j] -= f * z->K[c][j];
            z->K[r][ROWS] -= f * z->K[c][ROWS];
        }
    for (int c = n - 1; c >= 0; c--) {
        for (int j = c + 1; j < n; j++)
            z->K[c][ROWS] -= z->K[c][j] * z->K[j][ROWS];
        z->K[c][ROWS] /= z->K[c][c];
    }
}

static void
against_long_double(void **state)
{
    (void)state;
    static struct rows z;
    uint64_t s = 21;
    int regular = 0, n = cases(1000);
    double momentum = 0;
    struct arena *a = arena_new();
    for (int t = 0; t < n; t++) {
        struct problem o;
        random_graph(&s, &o);
        arena_clear(a);
        struct impact_solver *m =
            impact_solver_new(a, o.p.n_body, o.p.n_contact, o.p.n_joint);
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        impact_solver_solve(m, IMP_IMPACT_NEWTON);
        if (!m->decision.applied)
            continue;
        for (uint32_t b = 0; b < o.p.n_body; b++) {
            long double left[2], size[2];
            unbalanced(&o, m, b, left, size);
            for (int i = 0; i < 2; i++)
                momentum = fmax(momentum, (double)(left[i] / size[i]));
        }
        if (!m->delassus.regular || m->delassus.joint_rank < m->nr)
            continue;
        regular++;
        collect(&o, m, &z);
        eliminate(&z);
        long double big = 0;
        for (int i = 0; i < z.n; i++)
            big = fmaxl(big, fabsl(z.K[i][ROWS]));
        /* rounding of the rows, times the condition that pivots tell */
        double tol =
            64 * DBL_EPSILON * z.n * m->delassus.condition * (double)big;
        for (int i = z.joints; i < z.n; i++)
            CLOSE(m->impulse.P[z.of[i]], (double)z.K[i][ROWS], tol);
        for (uint32_t j = 0, i = 0; j < o.p.n_joint; j++) {
            long double xi[6] = {0};
            for (int r = 0; r < o.j[j].n; r++, i++)
                for (int k = 0; k < 6; k++)
                    xi[k] += z.K[i][ROWS] * o.j[j].S[r][k];
            for (int k = 0; k < 6; k++)
                CLOSE(m->impulse.xi[6 * j + (uint32_t)k], (double)xi[k], tol);
        }
    }
    /* 1e-13 of the terms */
    assert_true(momentum < 1e-13);
    assert_true(regular > n / 4);
    arena_free(a);
}

/* Many contacts of few bodies depend on each other: their impulses by QR are
 * the least ones, and the rank is that of singular values. */
static void
many_dependent(void **state)
{
    (void)state;
    uint64_t s = 33;
    struct arena *a = arena_new();
    for (int t = 0; t < 100; t++) {
        struct problem o;
        problem_new(&o);
        uint32_t bodies = 2 + pick(&s, 3), contacts = 24 + pick(&s, 9);
        for (uint32_t i = 0; i < bodies; i++) {
            double R[9];
            random_rotation(&s, R);
            add_body(&o, multi_random(&s, .2, 5), 2, 2, 3,
                     multi_random(&s, -3, 3), multi_random(&s, -3, 3),
                     multi_random(&s, -3, 3), R);
            set_motion(&o, i, multi_random(&s, -1, 1), multi_random(&s, -1, 1),
                       multi_random(&s, -1, 1), multi_random(&s, -1, 1),
                       multi_random(&s, -1, 1), multi_random(&s, -1, 1));
        }
        for (uint32_t i = 0; i < contacts; i++) {
            uint32_t b1 = pick(&s, bodies), b0 = pick(&s, bodies + 1);
            add_contact(&o, b0 == b1 || b0 == bodies ? WORLD : b0, b1,
                        multi_random(&s, -3, 3), multi_random(&s, -3, 3),
                        multi_random(&s, -3, 3), multi_random(&s, -1, 1),
                        multi_random(&s, -1, 1), multi_random(&s, -1, 1), .5);
        }
        arena_clear(a);
        struct impact_solver *m =
            impact_solver_new(a, o.p.n_body, o.p.n_contact, 0);
        /* all approach: those that open are turned */
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        for (uint32_t i = 0; i < contacts; i++)
            for (int k = 0; k < 3 && m->approach.v0[i] > 0; k++)
                o.c[i].dir[k] = -o.c[i].dir[k];
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        impact_solver_solve(m, IMP_IMPACT_NEWTON);
        assert_true(m->decision.applied);
        double P[PROBLEM_MOST], big = 0, fast = 0;
        bool unique = m->decision.determined == IMPACT_UNIQUE;
        for (uint32_t i = 0; i < contacts; i++) {
            P[i] = m->impulse.P[i];
            big = fmax(big, fabs(P[i]));
            fast = fmax(fast, fabs(m->approach.v0[i]));
        }
        for (uint32_t i = 0; i < contacts; i++)
            CLOSE(m->velocity.after[i],
                  -.5 * m->approach.v0[i] * m->approach.length[i],
                  1e-11 * fast);
        assert_int_equal(impact_solver_measure(m), 0);
        assert_int_equal(unique, m->delassus.rank == (int)contacts);
        for (int d = 0; d < (int)contacts - m->delassus.rank; d++) {
            double along = 0;
            for (uint32_t i = 0; i < contacts; i++)
                along += P[i] * m->approach.length[i] * m->approach.length[i] *
                         m->delassus.null[(uint32_t)d * contacts + i];
            CLOSE(along, 0, 1e-11 * big * contacts);
        }
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_long_double),
                                       cmocka_unit_test(many_dependent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
