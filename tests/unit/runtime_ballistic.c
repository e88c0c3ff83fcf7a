/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems whose motion between impacts is a parabola
 * (runtime/ballistic/ballistic.h): the reference values of chatter.md 2.2,
 * 2.6 and 2.8, limits in closed form, and precision after a thousand impacts
 * against a reference in quadruple precision with the true orders. */
#include "ballistic_help.h"

/* -- chatter.md 2.2, 2.8 -------------------------------------------------
 */

static void
rod_references(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct sys s = rod(0.3, 0.1, 0, 1.01, 0.99, -1.05, -0.95);
    struct ballistic *l = made(a, &s);
    struct run r = go(l, &s, INFINITY, 10000, 0);
    assert_int_equal(r.what, BALLISTIC_ACCUMULATION);
    close_to(l->t, 1.0046673812, 1e-10, "complete");
    assert_int_equal(l->event.limit.period, 2);
    /* (beta_q/beta_p)^2 */
    close_to(l->event.limit.ratio, pow(0.12624632 / 0.79210231, 2), 1e-8,
             "ratio");
    assert_true(l->mode.persistent[0] && l->mode.persistent[1]);
    assert_true(l->event.limit.error < 1e-9);
    s = rod(0.3, 0.3, 0, 1.01, 0.99, -1.05, -0.95);
    l = made(a, &s);
    r = go(l, &s, INFINITY, 10000, 0);
    assert_int_equal(r.what, BALLISTIC_FREE);
    assert_int_equal(r.impacts, 23);
    close_to(r.last, 1.0382842057, 1e-10, "incomplete .3");
    s = rod(0.3, 0.5, 0, 1.01, 0.99, -1.05, -0.95);
    l = made(a, &s);
    r = go(l, &s, INFINITY, 10000, 0);
    assert_int_equal(r.what, BALLISTIC_FREE);
    assert_int_equal(r.impacts, 7);
    close_to(r.last, 1.3218402283, 1e-10, "incomplete .5");
    s = square_reference(0.1);
    l = made(a, &s);
    r = go(l, &s, INFINITY, 10000, 0);
    assert_int_equal(r.what, BALLISTIC_ACCUMULATION);
    close_to(l->t, 1.0157257332, 1e-10, "square");
    assert_int_equal(l->mode.n_persistent, 4);
    s = square_reference(0.2);
    l = made(a, &s);
    /* the 12th is the one after which the centre moves up */
    r = go(l, &s, INFINITY, 12, 0);
    double q[3], v[3];
    ballistic_state(l, q, v);
    assert_true(v[2] > 0);
    close_to(r.last, 1.0396740222, 1e-10, "square incomplete");
    r = follow(l, INFINITY, 100, 0);
    assert_int_equal(r.what, BALLISTIC_FREE);
    assert_int_equal(r.impacts, 14);
    arena_free(a);
}

/* app. B.1: p0 an eigenvector, flights shrink by beta_q/beta_p at once */
static void
rod_self_similar(void **state)
{
    (void)state;
    static const double cases[][3] = {
        {0.1, 0.3, 1.189600}, {0.2, 0.2, 1.347587}, {0.05, 0.5, 1.209885}};
    struct arena *a = arena_new();
    for (int i = 0; i < 3; i++) {
        double g = cases[i][0], rho = cases[i][1], r2 = rho * rho;
        double k = (1 + g) / (1 + r2), tr = (1 + g) * (1 - r2) / (1 + r2);
        double root = sqrt(tr * tr - 4 * g), bp = 0.5 * (tr + root),
               bq = g / bp;
        /* eigenvectors of P U_0, U_0 = [[1-k, -k],[-r2 k, 1 - r2 k]] in
           (w, v) of end 0: P U_0 = [[k-1, k], [-r2 k, 1 - r2 k]] */
        double p[2] = {k, bp - (k - 1)}, s[2] = {k, bq - (k - 1)};
        if (p[1] > 0)
            p[0] = -p[0], p[1] = -p[1];
        double d = bp / (bq - bp), f = (p[0] + p[1]) / (s[0] + s[1]);
        double q[2] = {d * (p[0] - f * s[0]), d * (p[1] - f * s[1])};
        struct sys o = rod(rho, g, 0, 0, q[1] - q[0], p[0] + p[1], p[1] - p[0]);
        o.v[0] = p[0];
        o.v[1] = p[1];
        struct ballistic *l = made(a, &o);
        struct run r = go(l, &o, INFINITY, 1000, 0);
        assert_int_equal(r.what, BALLISTIC_ACCUMULATION);
        close_to(l->t, cases[i][2], 1e-6, "self-similar");
        close_to(l->t, 1 / (1 - bq / bp), 1e-12, "self-similar, closed form");
    }
    arena_free(a);
}

static void
rod_horizontal(void **state)
{
    (void)state;
    static const double cases[][5] = {{1. / 3, 1. / 3, .01239196, .00016676, 8},
                                      {2. / 3, 2. / 3, .55194794, .29509938, 3},
                                      {.9, .5, .778248, .607392, 3},
                                      {1, 1, 1, 0, 2}};
    struct arena *a = arena_new();
    for (int i = 0; i < 4; i++) {
        const double *k = cases[i];
        struct sys s = rod(k[1], k[0], 0, 1, 1, -1, -1);
        struct ballistic *l = made(a, &s);
        double q[2], v[2];
        if (k[1] == 1) { /* the ends do not feel each other */
            struct run r = go(l, &s, INFINITY, 1, 0);
            assert_int_equal(r.what, BALLISTIC_IMPACT);
            assert_int_equal(r.impacts, 2);
            continue;
        }
        l->policy = BALLISTIC_SEQUENTIAL;
        assert_true(ballistic_start(l, 0, s.q, s.v, 0));
        assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_SEVERAL);
        ballistic_state(l, q, v);
        close_to(v[1], k[2], 1e-6, "net rebound");
        close_to(fabs(v[0]), fabs(k[3]), 1e-6, "net spin");
        assert_int_equal(l->impacts, (int)k[4]);
        l->policy = BALLISTIC_COMPLEMENTARITY;
        ballistic_start(l, 0, s.q, s.v, 0);
        assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_SEVERAL);
        ballistic_state(l, q, v);
        close_to(v[1], k[0], 1e-15, "Moreau");
        close_to(v[0], 0, 1e-15, "Moreau's spin");
        l->policy = BALLISTIC_REST;
        ballistic_start(l, 0, s.q, s.v, 0);
        assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_SEVERAL);
        assert_int_equal(l->mode.n_persistent, 2);
        l->policy = BALLISTIC_REPORT;
        ballistic_start(l, 0, s.q, s.v, 0);
        assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_UNDECIDED);
        assert_true(l->event.together[0] && l->event.together[1]);
    }
    arena_free(a);
}

/* -- the bouncing ball ------------------------------------------------------
 */

static void
ball_limit(void **state)
{
    (void)state;
    static const double es[] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999};
    struct arena *a = arena_new();
    for (int i = 0; i < 7; i++) {
        double e = es[i], g = 9.81, h = 1.3, u = 0.7;
        struct sys s = ball(e, g, h, u);
        struct ballistic *l = made(a, &s);
        struct run r = go(l, &s, INFINITY, 100, 0);
        assert_int_equal(r.what, BALLISTIC_ACCUMULATION);
        long double U = sqrtl((long double)u * u + 2 * (long double)g * h);
        long double T = (u + U) / g + 2 * e * U / g / (1 - (long double)e);
        close_to(l->t, (double)T, 1e-14 * (double)T, "limit");
        assert_true(l->event.limit.error < 1e-14);
        assert_true(l->mode.persistent[0]);
        assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_FREE);
        /* resolved: relative speeds at the 1000th impact */
        accumulation_resolve(l, 1L << 60);
        ballistic_start(l, 0, s.q, s.v, 0);
        for (int k = 0; k < 1000; k++)
            assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_IMPACT);
        int ex;
        double rate = ballistic_rate(l, 0, &ex);
        long double ref = U * powl(e, 1000);
        long double off = ldexpl(rate, ex) / ref - 1;
        close_to((double)off, 0, 1e-12, "1000th impact");
    }
    arena_free(a);
}

static void
ball_elastic(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct sys s = ball(1, 9.81, 1.3, 0.7);
    struct ballistic *l = made(a, &s);
    double q, v, E0 = energy(&s, s.q, s.v);
    struct run r = go(l, &s, INFINITY, 1000000, 0);
    assert_int_equal(r.what, BALLISTIC_IMPACT);
    assert_int_equal(l->impacts, 1000000);
    ballistic_state(l, &q, &v);
    close_to(energy(&s, &q, &v), E0, 1e-12 * E0, "energy");
    arena_free(a);
}

/* -- a thousand impacts -----------------------------------------------------
 */

/* Reference: gravity-free, in quadruple precision with exponents of their own
 * kept by rescaling, in all three coordinates (feet) or gaps (rod). */
__extension__ typedef __float128 quad;

static void
thousand(struct arena *a, const struct sys *s, const char *what)
{
    struct ballistic *l = made(a, s);
    int n = s->n, m = s->m;
    quad q[3], v[3], B[8][3], W[8];
    long ev = 0;
    for (int i = 0; i < n; i++) {
        q[i] = s->q[i];
        v[i] = s->v[i];
    }
    for (int i = 0; i < m; i++) {
        W[i] = 0;
        for (int j = 0; j < n; j++) { /* masses are diagonal */
            B[i][j] = (quad)s->N[i * n + j] / s->mass[j * n + j];
            W[i] += B[i][j] * s->N[i * n + j];
        }
    }
    accumulation_resolve(l, 1L << 60);
    assert_true(ballistic_start(l, 0, s->q, s->v, 0));
    int last = -1;
    double worst = 0;
    for (int k = 0; k < 1000; k++) {
        quad best = -1, bestu = 0;
        int c = -1;
        for (int i = 0; i < m; i++) {
            quad g = 0, u = 0;
            for (int j = 0; j < n; j++) {
                g += q[j] * s->N[i * n + j];
                u += v[j] * s->N[i * n + j];
            }
            if (i == last || !(u < 0))
                continue;
            if (c < 0 || -g / u < best) {
                best = -g / u;
                c = i;
                bestu = u;
            }
        }
        assert_true(c >= 0);
        assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_IMPACT);
        assert_int_equal(l->event.contact, c);
        quad p = -(1 + (quad)s->e[c]) * bestu / W[c], g = 0;
        double qs = 0, vs = 0;
        for (int j = 0; j < n; j++) {
            q[j] += v[j] * best;
            v[j] += B[c][j] * p;
            g += q[j] * s->N[c * n + j];
        }
        for (int j = 0; j < n; j++) {
            q[j] -= g / W[c] * B[c][j];
            qs = fmax(qs, fabs((double)q[j]));
            vs = fmax(vs, fabs((double)v[j]));
        }
        last = c;
        int ex;
        double mine = ballistic_rate(l, c, &ex);
        double ref = (double)(-(quad)s->e[c] * bestu);
        worst = fmax(worst, fabs(ldexp(mine, (int)(ex - ev)) / ref - 1));
        int eq = ilogb(qs), el = ilogb(vs);
        for (int j = 0; j < n; j++) {
            q[j] *= (quad)ldexp(1, -eq);
            v[j] *= (quad)ldexp(1, -el);
        }
        ev += el;
    }
    close_to(worst, 0, 1e-12, what);
}

/* a rod comes to rest beside a weight that lies on the floor: all contacts are
 * closed then, and one of them carries */
static void
carried(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct sys r = rod(0.3, 0.05, 0, 1.01, 0.99, -1.05, -0.95);
    struct sys s = {.n = 3, .m = 3, .mass[8] = 2, .acc[2] = -3, .N[8] = 1};
    for (int i = 0; i < 2; i++) {
        s.e[i] = r.e[i];
        s.q[i] = r.q[i];
        s.v[i] = r.v[i];
        for (int j = 0; j < 2; j++) {
            s.mass[3 * i + j] = r.mass[2 * i + j];
            s.N[3 * i + j] = r.N[2 * i + j];
        }
    }
    struct ballistic *l = made(a, &s);
    assert_true(ballistic_start(l, 0, s.q, s.v, 0));
    enum ballistic_event what;
    while ((what = accumulation_next(l, INFINITY)) == BALLISTIC_IMPACT)
        ;
    assert_int_equal(what, BALLISTIC_ACCUMULATION);
    assert_int_equal(l->mode.n_persistent, 3);
    close_to(l->mode.force[2], 6, 1e-14, "weight");
    assert_true(l->mode.force[0] == 0 && l->mode.force[1] == 0);
    arena_free(a);
}

static void
thousand_impacts(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct sys s = rod(0.3, 0.1, 0, 1.01, 0.99, -1.05, -0.95);
    thousand(a, &s, "rod");
    s = rod(0.05, 0.6, 0, 1.01, 0.99, -1.005, -0.995);
    thousand(a, &s, "rod .6");
    s = square_reference(0.1);
    thousand(a, &s, "square");
    for (int n = 4; n <= 7; n++) {
        s = feet(n, 0.1, 0.2, 0);
        double q[] = {0.002, 0.001, 1}, v[] = {0.005, 0.003, -1};
        memcpy(s.q, q, sizeof q);
        memcpy(s.v, v, sizeof v);
        char what[32];
        snprintf(what, sizeof what, "%d feet", n);
        thousand(a, &s, what);
    }
    arena_free(a);
}

/* -- three feet -------------------------------------------------------------
 */

static void
three_feet(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    /* 2.6: below the boundary two feet can chatter for themselves */
    static const double rhos[] = {0.1, 0.2, 0.3, 0.5};
    for (int i = 0; i < 4; i++) {
        double rho = rhos[i], w = (-0.5 + rho * rho) / (1 + rho * rho);
        double edge = pow((1 - sqrt(1 - w * w)) / -w, 2);
        for (int side = -1; side <= 1; side += 2) {
            double e = edge + side * 1e-6;
            struct sys s = feet(3, rho, e, 0);
            /* feet 0 and 1 close with small rates; the third high above */
            /* along the greater eigenvalue of their map */
            double tr = -(1 + e) * w, root = tr * tr - 4 * e;
            double grow = 0.5 * (tr + sqrt(fmax(root, 0)));
            double h[3] = {1e-3, 1e-3, 1}, u[3] = {-1, e / grow, 0.5};
            /* q from the three heights: sum/3 etc. of a regular triangle */
            memset(s.q, 0, sizeof s.q);
            memset(s.v, 0, sizeof s.v);
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < 3; j++) {
                    double f = j == 2 ? 1. / 3 : 2. / 3 * s.N[3 * k + j];
                    s.q[j] += f * h[k];
                    s.v[j] += f * u[k];
                }
            struct ballistic *l = made(a, &s);
            struct run r = go(l, &s, INFINITY, 100000, 0);
            if (side < 0) {
                assert_int_equal(r.what, BALLISTIC_ACCUMULATION);
                assert_true(l->event.group[0] && l->event.group[1] &&
                            !l->event.group[2]);
            } else {
                assert_false(r.what == BALLISTIC_ACCUMULATION &&
                             !l->event.group[2]);
            }
        }
    }
    /* complete, in no regular order */
    struct sys s = feet(3, 0.3, 0.1, 0);
    double q[] = {0.02, 0.01, 1}, v[] = {0.05, 0.03, -1};
    memcpy(s.q, q, sizeof q);
    memcpy(s.v, v, sizeof v);
    struct ballistic *l = made(a, &s);
    struct run r = go(l, &s, INFINITY, 10000, 0);
    assert_int_equal(r.what, BALLISTIC_ACCUMULATION);
    assert_int_equal(l->mode.n_persistent, 3);
    arena_free(a);
}

/* a coordinate that no contact feels stays large while the rest shrinks */
static void
far_away(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct sys s = {.n = 2, .m = 1};
    s.mass[0] = s.mass[3] = 1;
    s.acc[1] = -1;
    s.N[1] = 1;
    s.e[0] = 0.5;
    s.q[0] = 1e9;
    s.v[0] = 1e5;
    s.q[1] = 1;
    struct ballistic *l = made(a, &s);
    accumulation_resolve(l, 1L << 60);
    ballistic_start(l, 0, s.q, s.v, 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(accumulation_next(l, INFINITY), BALLISTIC_IMPACT);
    int ex;
    double u = ballistic_rate(l, 0, &ex), q[2], v[2];
    close_to(ldexp(u, ex + 1000) / sqrt(2), 1, 1e-12, "1000th impact");
    ballistic_state(l, q, v);
    close_to(q[0], 1e9 + 1e5 * l->t, 2e-7, "far away");
    assert_true(v[0] == 1e5);
    arena_free(a);
}

/* a copy that takes turns with its original sees what the original would */
static void
turns(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    for (int k = 0; k < 3; k++) {
        struct sys s = k == 0   ? square_reference(0.1)
                       : k == 1 ? rod(0.4, 0.2, 1, 1.3, 0.9, 0.1, -0.2)
                                : ball(0.9, 1, 1, 0);
        struct ballistic *one = made(a, &s), *now = made(a, &s),
                         *next = made(a, &s);
        ballistic_start(one, 0, s.q, s.v, 0);
        ballistic_start(now, 0, s.q, s.v, 0);
        for (int i = 0; i < 3000; i++) {
            enum ballistic_event x = accumulation_next(one, 50), y;
            ballistic_copy(next, now);
            y = accumulation_next(next, now->t + 1e-3 * (i % 3));
            if (y == BALLISTIC_END) { /* not reached: again from the present */
                ballistic_copy(next, now);
                y = accumulation_next(next, 50);
            }
            assert_int_equal(x, y);
            assert_true(one->t == next->t &&
                        one->event.contact == next->event.contact);
            struct ballistic *keep = now;
            now = next;
            next = keep;
            if (x == BALLISTIC_END)
                break;
        }
    }
    arena_free(a);
}

/* A point in a box, whose walls come in any order: wherever it starts, also at
 * rest on walls and pressed against them, the start is the state that was
 * given, and so it is when the same memory has seen another start before. */
static void
start_stays(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    unsigned draw = 7;
    for (int round = 0; round < 200; round++) {
        struct sys s = {.n = 2, .m = 4};
        int first = (int)((draw = draw * 1664525u + 1013904223u) >> 30);
        s.mass[0] = s.mass[3] = 1.5;
        for (int k = 0; k < 4; k++) {
            int wall = (k + first) % 4, axis = wall / 2;
            s.N[2 * k + axis] = wall % 2 ? -1 : 1;
            s.c[k] = wall % 2 ? 5 + round % 7 : 0;
            s.e[k] = 0.5;
        }
        struct ballistic *l = made(a, &s);
        for (int start = 0; start < 4; start++) {
            double q[2], v[2];
            for (int axis = 0; axis < 2; axis++) {
                draw = draw * 1664525u + 1013904223u;
                int where = (int)(draw >> 30);
                double far = 5 + round % 7;
                s.q[axis] = where == 0 ? 0 : where == 1 ? far : 1.25;
                s.v[axis] = where < 2 ? 0 : 0.5;
            }
            assert_true(ballistic_start(l, 0, s.q, s.v, 0));
            ballistic_state(l, q, v);
            for (int axis = 0; axis < 2; axis++) {
                close_to(q[axis], s.q[axis], 1e-14, "place");
                close_to(v[axis], s.v[axis], 1e-14, "rate");
            }
        }
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_references), cmocka_unit_test(rod_self_similar),
        cmocka_unit_test(rod_horizontal), cmocka_unit_test(ball_limit),
        cmocka_unit_test(ball_elastic),   cmocka_unit_test(thousand_impacts),
        cmocka_unit_test(carried),        cmocka_unit_test(three_feet),
        cmocka_unit_test(far_away),       cmocka_unit_test(turns),
        cmocka_unit_test(start_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
