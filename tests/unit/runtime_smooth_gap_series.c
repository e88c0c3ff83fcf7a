/* SPDX-License-Identifier: MIT */
/* The gap's series to full order against the gap itself (an error in any of the
 * first 15 orders shows): closest points found
 * anew after the bodies have moved, for random ellipses, superellipses, eggs
 * and their like in plane and space with random velocities and spins. */
#include <float.h>

#include "rt_fixture.h"

#define N MOTION_STEP_ORDER

static void
random_state(struct fix *f, uint64_t *seed, uint32_t b, const double *c)
{
    double *s = fix_state(f, b), l = 0.0;
    int d = f->d, spin = d == 2 ? 5 : 10;
    memset(s, 0, sizeof(double) * (d == 2 ? 6 : 13));
    memcpy(s, c, sizeof(double) * (size_t)d);
    if (d == 2)
        s[2] = fix_between(seed, 0.0, 6.28);
    for (int i = 3; i < 7 && d == 3; i++)
        s[i] = fix_between(seed, -1.0, 1.0);
    for (int i = 3; i < 7 && d == 3; i++)
        l += s[i] * s[i];
    for (int i = 3; i < 7 && d == 3; i++)
        s[i] /= sqrt(l);
    for (int i = d == 2 ? 3 : 7; i < spin; i++)
        s[i] = fix_between(seed, -1.0, 1.0);
    for (int i = spin; i < (d == 2 ? 6 : 13); i++)
        s[i] = fix_between(seed, -2.0, 2.0);
}

/* Time within which the coefficients fall as powers of it, by the upper half of
 * them: |g_k| rho^k <= scale there. */
static double
reach(const double *g, double scale)
{
    double rho = INFINITY;
    for (int k = N / 2; k <= N; k++)
        if (g[k] != 0.0)
            rho = fmin(rho, pow(scale / fabs(g[k]), 1.0 / k));
    return rho;
}

struct tally {
    int done, left_out;
    double worst; /* error over what truncation and rounding explain */
};

static void
check_case(struct fix *f, double size, struct tally *z)
{
    static const double share[] = {0.1, 0.25, 0.5};
    struct rt *r = f->rt;
    struct closest_points c;
    double g[N + 1], h, saved[64];
    uint32_t n = f->im->layout.contact - f->im->layout.state;
    assert_true(n <= 64);
    int st = closest_points_find(r, 0, &c, false);
    if (st != IMP_OK || c.deep || !(c.condition < 1e3)) {
        z->left_out++; /* flat, or overlapping in more than one way */
        return;
    }
    assert_int_equal(motion_series_all(r, N, &h), IMP_OK);
    assert_int_equal(contact_gap_series(r, 0, N, g), IMP_OK);
    double rho = reach(g, size);
    memcpy(saved, r->env + f->im->layout.state, sizeof(double) * n);
    for (int k = 0; k < 3; k++) {
        double t = share[k] * fmin(rho, 1.0), sum = 0.0, terms = 0.0;
        double q = t / rho;
        for (int i = N; i >= 0; i--) {
            sum = sum * t + g[i];
            terms = terms * t + fabs(g[i]);
        }
        memcpy(r->env + f->im->layout.state, saved, sizeof(double) * n);
        fix_fresh(f, 0.0);
        assert_int_equal(motion_to(r, t), IMP_OK);
        memset(r->closest.warm, 0, f->im->contacts.n);
        st = closest_points_find(r, 0, &c, false);
        if (st != IMP_OK || c.deep) {
            z->left_out++;
            return;
        }
        /* With |g_k| <= C rho^-k the radius read from orders N/2 .. N is too
         * great by up to C^(2/N): a quarter more covers C of ten sizes. The
         * rest is rounding of poses, closest points and coefficients. */
        q *= 1.25;
        double bound = size * pow(q, N + 1) / (1.0 - q) +
                       1e-13 * (size + terms) * fmax(1.0, c.condition / size);
        z->worst = fmax(z->worst, fabs(sum - c.gap) / bound);
    }
    z->done++;
}

static void
check_pairs(const char *name, int d, fix_shape s0, fix_shape s1, double power,
            uint64_t seed, int cases)
{
    struct fix f;
    struct tally z = {0, 0, 0.0};
    fix_open(&f, d, s0, s1, 0);
    for (int it = 0; it < cases; it++) {
        double R[2], n[3], c0[3] = {0.3, -0.2, 0.1}, c1[3];
        for (uint32_t b = 0; b < 2; b++) {
            double p[FIX_PARAMS], J[3];
            R[b] = 0.0;
            for (int i = 0; i < 3; i++) {
                p[i] = fix_between(&seed, 0.7, 1.8);
                J[i] = fix_between(&seed, 1.0, 1.9);
                R[b] += i < d ? p[i] * p[i] : 0.0;
            }
            p[3] = power;
            R[b] = 1.8 * sqrt(R[b]);
            fix_body(&f, b, p, R[b], J);
        }
        fix_unit(&seed, d, n);
        for (int i = 0; i < 3; i++)
            c1[i] = c0[i] + fix_between(&seed, 0.7, 1.2) * (R[0] + R[1]) * n[i];
        random_state(&f, &seed, 0, c0);
        random_state(&f, &seed, 1, c1);
        fix_fresh(&f, 0.0);
        check_case(&f, R[0] + R[1], &z);
    }
    print_message("%s: %d cases, %d left out, error at most %.2g of the "
                  "bound\n",
                  name, z.done, z.left_out, z.worst);
    fix_close(&f);
    assert_true(z.left_out <= cases / 10);
    assert_true(z.worst <= 1.0);
}

static void
plane(void **state)
{
    (void)state;
    int n = fix_cases(1000) / 6 + 1;
    check_pairs("ellipses", 2, fix_quadric2, fix_quadric2, 2, 1, n);
    check_pairs("superellipse, egg", 2, fix_super2, fix_egg2, 4, 2, n);
    check_pairs("cosh, egg", 2, fix_exp2, fix_egg2, 2, 3, n);
}

static void
space(void **state)
{
    (void)state;
    int n = fix_cases(1000) / 6 + 1;
    check_pairs("ellipsoids", 3, fix_quadric3, fix_quadric3, 2, 4, n);
    check_pairs("superellipsoid, ellipsoid", 3, fix_super3, fix_quadric3, 4, 5,
                n);
    check_pairs("logarithm, shifted", 3, fix_log3, fix_shifted3, 2, 6, n);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plane),
                                       cmocka_unit_test(space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
