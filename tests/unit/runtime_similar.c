/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runtime/similar: the table of feasible motions under gravity, the gravity-free
 * eigenvalues (spec/chatter.md 2.2, 3.3, 3.4), the equations that define these
 * motions, and the product of their multipliers. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "runtime/similar.h"

static const double turn = 6.28318530717958647692;

/* n feet, or a rod: mass 1, radius 1; a_n: acceleration g of every gap over
 * sqrt(W_ii) */
static double
feet(struct arena *a, int n, double rho, double e, double g, struct relabel *s)
{
    double *W = NEW_N(a, double, (size_t)(n * n + n)), *r = W + n * n;
    for (int i = 0; i < n; i++) {
        r[i] = e;
        for (int j = 0; j < n; j++)
            W[i * n + j] = 1.0 + cos(turn * (j - i) / n) / (rho * rho);
    }
    relabel_find(a, n, W, r, s);
    assert_int_equal(s->found, RELABEL_YES);
    return -g / sqrt(W[0]);
}

static double
greatest(const struct similar_motion *o)
{
    return hypot(o->multiplier[0], o->multiplier_im[0]);
}

/* the equations (4.19), (4.20) on F in doubles */
static double
defect(const struct relabel *s, double acc, const struct similar_motion *o)
{
    int r = s->rank;
    double worst = 0.0, size = 0.0, d = 0.0, u[8], a[8] = {0}, slide;
    a[0] = acc / s->F[0];
    slide = s->e > 0.0 || acc >= 0.0 ? 0.0 : acc;
    for (int i = 0; i < r; i++) {
        a[i] -= slide * s->F[i];
        d += s->F[i] * o->p[i];
        size = fmax(size, fmax(fabs(o->q[i]), fabs(o->p[i])));
    }
    for (int i = 0; i < r; i++)
        u[i] = o->p[i] - (1.0 + s->e) * s->F[i] * d;
    for (int i = 0; i < r; i++) {
        double x = o->q[i] + u[i] + 0.5 * a[i], y = u[i] + a[i];
        for (int j = 0; j < r; j++) {
            x -= o->bq * s->R[i * r + j] * o->q[j];
            y -= o->bp * s->R[i * r + j] * o->p[j];
        }
        worst = fmax(worst, fmax(fabs(x), fabs(y)));
    }
    return worst / size;
}

static void
product(const struct relabel *s, bool scaled, const struct similar_motion *o)
{
    /* Liouville: e^2/bp on the plane of states, less the scalings */
    double x = 0.0, r = s->rank;
    if (!(s->e > 0.0))
        return;
    for (int i = 0; i < o->n_multiplier; i++)
        x += log(hypot(o->multiplier[i], o->multiplier_im[i]));
    double y = 2.0 * log(s->e) - (r + 1.0) * log(o->bp) -
               (r - 1.0) * log(o->bq);
    assert_int_equal(o->n_multiplier, 2 * s->rank - (scaled ? 2 : 3));
    if (fabs(x - y) > 1e-9)
        fail_msg("product of multipliers: %.15g, not %.15g", exp(x), exp(y));
}

static void
table(void **state)
{
    static const struct {
        int n;
        double rho, e, bp, multiplier; /* 0: not feasible */
    } row[] = {
        {3, .25, .1, .59369249, 0},       {3, .25, .5, .83616114, 1.093731},
        {3, .5, .1, .53682370, 1.370017}, {3, .5, .5, .81677865, 1.110295},
        {4, .5, 0, .56999359, .815371},   {5, .5, 0, .75530803, .901996},
        {10, .5, 0, .94555371, .974490},  {25, .5, 0, .99153331, .995811},
        {25, .25, 0, .99003910, .995025}, {25, .25, .5, .99629514, .999436},
        {25, .5, .1, .98926362, 0},       {25, .5, .1, .63959478, 0},
        {25, .5, .1, .10415205, 0},       {25, .5, .5, .99564524, 1.003022},
        {20, .5, .6, .99491843, 1.003501}, {30, .5, .6, .99772703, 1.001580}};
    (void)state;
    struct arena *a = arena_new();
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        struct relabel s;
        struct similar o;
        double acc = feet(a, row[k].n, row[k].rho, row[k].e, 1.0, &s);
        assert_int_equal(similar_find(a, &s, 1, acc, &o), 0);
        int i = 0;
        while (i < o.n && fabs(o.v[i].bp - row[k].bp) > 5.1e-9)
            i++;
        if (i == o.n)
            fail_msg("row %zu: no root %.8f", k, row[k].bp);
        print_message("%d %g %g: %.10f error %.1e %s, margin %.3g, %.7f\n", row[k].n,
                      row[k].rho, row[k].e, o.v[i].bp, o.v[i].error,
                      o.v[i].verdict == SIMILAR_FEASIBLE ? "yes" : "no",
                      o.v[i].margin, greatest(&o.v[i]));
        assert_int_equal(o.v[i].verdict == SIMILAR_FEASIBLE,
                         row[k].multiplier > 0.0);
        if (row[k].multiplier > 0.0)
            assert_true(fabs(greatest(&o.v[i]) - row[k].multiplier) < 5.1e-7);
        assert_true(o.v[i].error < 1e-12);
        for (int j = 0; j < o.n; j++) {
            assert_true(defect(&s, acc, &o.v[j]) < 1e-13);
            product(&s, true, &o.v[j]);
        }
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
