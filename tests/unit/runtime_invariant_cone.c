/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effectively invariant cones: the cones of flights against Lemma 3 and against
 * random flights, the maps' characteristic polynomial (chatter.md 2.4,
 * 2.5), reference numbers of the search (2.9), the square's cone (2.10), and
 * the verdict against the eigenvalue on the (rho, gamma) plane. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "impact_help.h"
#include "runtime/returnmap/invariant_cone.h"

#define MOST 12
#define assert_near(a, b, tol) assert_true(fabs((a) - (b)) <= (tol))
static const double pi = 3.14159265358979323846;

/* n feet (2: a rod) of a body of mass 1 */
static enum invariant_cone_refused
feet(struct arena *a, int n, double rho, double e, struct symmetry *s,
     struct invariant_cone_problem *p)
{
    double W[MOST * MOST], es[MOST];
    for (int i = 0; i < n; i++) {
        es[i] = e;
        for (int j = 0; j < n; j++)
            W[i * n + j] = 1.0 + cos(2.0 * pi * (i - j) / n) / (rho * rho);
    }
    symmetry_find(a, n, W, es, s);
    assert_int_equal(s->found, SYMMETRY_YES);
    return invariant_cone_problem(a, s, p);
}

static double
dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void
cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* 3 x 3, of rates X or, from the left, of forms */
static void
times(const double *A, const double *v, double *w)
{
    for (int i = 0; i < 3; i++)
        w[i] = dot(A + 3 * i, v);
}
static void
form(const double *c, const double *A, double *d)
{
    for (int k = 0; k < 3; k++)
        d[k] = c[0] * A[k] + c[1] * A[3 + k] + c[2] * A[6 + k];
    double l = sqrt(dot(d, d));
    for (int k = 0; k < 3; k++)
        d[k] /= l;
}

/* the point where gaps k and k + 1 vanish, at mean height 1 */
static void
corner(const struct invariant_cone_problem *p, int k, double *m)
{
    double b = 2.0 * pi * (k + 0.5) / p->m, c = cos(pi / p->m);
    m[0] = 1.0;
    m[1] = -cos(b) / c;
    m[2] = -sin(b) / c;
}

/* are the rates X those of a flight? */
static bool
inside(const struct invariant_cone_problem *p,
       const struct invariant_cone_flight *f, const double *X, double tol)
{
    for (int i = 0; i < f->n; i++) {
        double c[3];
        form(f->h[i].c, p->x_of, c);
        if (dot(c, X) < -tol * sqrt(dot(X, X)))
            return false;
    }
    return true;
}

/* Lemma 3: the four rays, and the four half-spaces (3.34) .. (3.37) */
static void
lemma_3(void **state)
{
    (void)state;
    for (int n = 3; n <= 8; n++) {
        struct arena *a = arena_new();
        struct symmetry s;
        struct invariant_cone_problem p;
        assert_int_equal(feet(a, n, 0.3, 0.2, &s, &p), INVARIANT_CONE_FITS);
        double last[3], first[3], u[3] = {1, 0, 0};
        corner(&p, n - 1, last);
        corner(&p, 0, first);
        for (int j = 1; j < n; j++) {
            const struct invariant_cone_flight *f = &p.flight[j];
            double before[3], after[3], ray[4][3], h[4][3];
            corner(&p, j - 1, before);
            corner(&p, j, after);
            for (int k = 0; k < 3; k++) {
                ray[0][k] = before[k] - last[k];
                ray[1][k] = -last[k];
                ray[2][k] = -first[k];
                ray[3][k] = after[k] - first[k];
            }
            cross(last, first, h[0]);
            for (int k = 0; k < 3; k++)
                h[1][k] = -u[k];
            cross(after, first, h[2]);
            cross(last, before, h[3]);
            for (int i = 0; i < 4; i++) {
                assert_true(inside(&p, f, ray[i], 1e-13));
                /* orientation: every generator satisfies every inequality */
                double side = 0.0;
                for (int k = 0; k < 4; k++)
                    if (fabs(dot(h[i], ray[k])) > fabs(side))
                        side = dot(h[i], ray[k]);
                for (int k = 0; k < 4; k++)
                    assert_true(dot(h[i], ray[k]) * copysign(1.0, side) >
                                -1e-13);
                /* and is one of the half-spaces found, unless it is void */
                double l = sqrt(dot(h[i], h[i])), best = 1.0;
                for (int k = 0; k < f->n && l > 1e-9; k++) {
                    double c[3];
                    form(f->h[k].c, p.x_of, c);
                    best = fmin(best,
                                1.0 - dot(h[i], c) / l * copysign(1.0, side));
                }
                assert_true(l < 1e-9 || best < 1e-13);
            }
        }
        arena_free(a);
    }
}

/* flights that fall, from a point of facet 0: where they end, their velocity
 * lies in C_j */
static void
random_flights(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int seen = 0;
    for (int t = 0; t < 20000; t++) {
        int n = 2 + t % 7;
        struct arena *a = arena_new();
        struct symmetry s;
        struct invariant_cone_problem p;
        feet(a, n, multi_random(&seed, 0.1, 0.9), multi_random(&seed, 0.1, 0.9),
             &s, &p);
        double q[3], v[3], best = INFINITY;
        int hit = -1;
        bool fits = true;
        for (int k = 0; k < 3; k++) {
            q[k] = k < p.dim ? multi_random(&seed, -1, 1) : 0.0;
            v[k] = k < p.dim ? multi_random(&seed, -1, 1) : 0.0;
        }
        /* onto facet 0, along the mean */
        q[0] -= dot(p.gap[0], q);
        for (int i = 1; i < n; i++)
            fits &= dot(p.gap[i], q) > 0.0;
        fits &= dot(p.gap[0], v) > 0.0 && v[0] <= 0.0;
        for (int i = 1; i < n && fits; i++) {
            double r = dot(p.gap[i], v), g = dot(p.gap[i], q);
            if (r < 0.0 && -g / r < best) {
                best = -g / r;
                hit = i;
            }
        }
        if (hit > 0) {
            assert_true(inside(&p, &p.flight[hit], v, 1e-12));
            seen++;
        }
        arena_free(a);
    }
    assert_true(seen > 500);
}

/* l^3 - (a - s) l^2 + (s - e a) l + e of U_0 R^-k; a rod: l^2 - t l + e */
static void
polynomial(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int t = 0; t < 3000; t++) {
        struct arena *ar = arena_new();
        struct symmetry s;
        struct invariant_cone_problem p;
        int n = 2 + t % 9;
        double rho = multi_random(&seed, 0.05, 1.5);
        double e = multi_random(&seed, 0.01, 1.0), q = rho * rho;
        assert_int_equal(feet(ar, n, rho, e, &s, &p), INVARIANT_CONE_FITS);
        for (int k = 1; k < n; k++) {
            const double *A = p.flight[k].map;
            double c = cos(2.0 * pi * k / n), a = 1.0 + 2.0 * c;
            double w = (1.0 + e) * (c + q) / (1.0 + q);
            double trace = A[0] + A[4] + A[8];
            double minors = A[0] * A[4] - A[1] * A[3] + A[4] * A[8] -
                            A[5] * A[7] + A[0] * A[8] - A[2] * A[6];
            double m[3];
            cross(A, A + 3, m);
            if (n == 2) {
                assert_near(trace, (1.0 + e) * (1.0 - q) / (1.0 + q), 1e-13);
                assert_near(minors, e, 1e-13);
                continue;
            }
            assert_near(trace, a - w, 1e-13);
            assert_near(minors, w - e * a, 1e-13);
            assert_near(dot(m, A + 6), -e, 1e-13);
        }
        arena_free(ar);
    }
}

static struct invariant_cone_result
find(struct arena *a, int n, double e, double rho, double tolerance,
     struct invariant_cone_problem *p)
{
    struct symmetry s;
    struct invariant_cone_result r;
    struct invariant_cone_options o = {.tolerance = tolerance,
                                       .iterations = 1000};
    assert_int_equal(feet(a, n, rho, e, &s, p), INVARIANT_CONE_FITS);
    invariant_cone_find(a, p, &o, true, &r);
    return r;
}

static void
references(void **state)
{
    (void)state;
    static const struct {
        int n;
        double e, rho, angle;
        int corners;
    } known[] = {{3, 0.1, 0.3, 0.21156, 0},
                 {4, 0.05, 0.3, 0.09684, 4},
                 {5, 0.05, 0.2, 0.08358, 10}};
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct invariant_cone_problem p;
        struct invariant_cone_result r =
            find(a, known[i].n, known[i].e, known[i].rho, 1e-5, &p);
        assert_int_equal(r.verdict, INVARIANT_CONE_YES);
        assert_near(r.least.angle, known[i].angle, 1e-5);
        if (known[i].corners) {
            assert_int_equal(r.least.n, known[i].corners);
            assert_int_equal(r.proven.n, known[i].corners);
        }
        assert_true(r.margin > 1e4 * r.rounding);
        assert_true(r.proven.angle > r.least.angle);
        assert_true(r.proven.angle < 1.01 * r.least.angle);
    }
    arena_free(a);
}

/* a rod: K = cone(start, p_max), Theorem 3's p_max = ((1 - e)(1 + rho^2) -
 * sqrt(sigma))/(2 rho^2 (1 + e)) */
static void
rod(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int t = 0; t < 200; t++) {
        struct arena *a = arena_new();
        struct invariant_cone_problem p;
        double rho = multi_random(&seed, 0.05, 0.9), q = rho * rho;
        double e = multi_random(&seed, 0.02, 0.9) *
                   symmetry_critical_restitution(2, rho);
        struct invariant_cone_result r = find(a, 2, e, rho, 1e-12, &p);
        assert_int_equal(r.verdict, INVARIANT_CONE_YES);
        double u = (1.0 - q) * (1.0 + e), w = 1.0 + q;
        double sigma = sqrt(u * u - 4.0 * e * w * w);
        double pmax = ((1.0 - e) * w - sigma) / (2.0 * q * (1.0 + e));
        /* X_1 of (-1, x) */
        double last = p.rates[4] * r.least.v[1].x - p.rates[3];
        double first = p.rates[4] * r.least.v[0].x - p.rates[3];
        assert_near(last / pmax, 1.0, 1e-9);
        assert_near(first, (1.0 + e) / (1.0 - e * q), 1e-9);
        arena_free(a);
    }
}

/* what the weights say, and that images are in the cone, in doubles */
static void
certificates(void **state)
{
    (void)state;
    uint64_t seed = 9;
    int yes = 0;
    for (int t = 0; t < 300; t++) {
        struct arena *a = arena_new();
        struct invariant_cone_problem p;
        int n = 2 + t % 7;
        double rho = multi_random(&seed, 0.05, 0.45);
        double e = multi_random(&seed, 0.02, 0.5);
        struct invariant_cone_result r = find(a, n, e, rho, 1e-4, &p);
        if (r.verdict == INVARIANT_CONE_YES) {
            yes++;
            for (int i = 0; i < r.n_image; i++) {
                const struct invariant_cone_image *im = &r.image[i];
                double of[3] = {-1.0, im->of.x, im->of.y}, d[3];
                times(p.rates, of, d);
                assert_true(inside(&p, &p.flight[im->j], d, 1e-11));
                for (int k = 0; k < 3; k++)
                    d[k] = dot(p.flight[im->j].map + 3 * k, of);
                assert_true(d[0] < 0.0);
                for (int k = 0; k < p.dim; k++) {
                    struct polygon2d_point g = r.proven.v[im->g[k]];
                    assert_true(im->weight[k] >= 0.0);
                    d[0] += im->weight[k];
                    d[1] -= im->weight[k] * g.x;
                    d[2] -= im->weight[k] * g.y;
                }
                assert_true(sqrt(dot(d, d)) < 1e-13);
            }
        }
        arena_free(a);
    }
    assert_true(yes > 80);
}

/* is x in the cone over the polygon? */
static bool
in_cone(const struct invariant_cone_set *k, int dim, const double *x)
{
    double X = -x[1] / x[0], Y = -x[2] / x[0];
    if (!(x[0] < 0.0))
        return false;
    if (dim == 2)
        return X > k->v[0].x && X < k->v[1].x;
    for (int i = 0; i < k->n; i++) {
        struct polygon2d_point a = k->v[i], b = k->v[(i + 1) % k->n];
        if ((b.x - a.x) * (Y - a.y) - (b.y - a.y) * (X - a.x) <= 0.0)
            return false;
    }
    return true;
}

/* what the cone is for: motions in it after an impact, from any position on
 * the floor, are in it after the next 25 */
static void
motions(void **state)
{
    (void)state;
    static const double known[][3] = {
        {2, 0.3, 0.2}, {3, 0.3, 0.05}, {3, 0.3, 0.18},  {4, 0.3, 0.12},
        {5, 0.2, 0.2}, {6, 0.2, 0.1},  {7, 0.15, 0.18}, {8, 0.1, 0.3}};
    uint64_t seed = 21;
    for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
        struct arena *a = arena_new();
        struct invariant_cone_problem p;
        int n = (int)known[t][0], done = 0;
        struct invariant_cone_result r =
            find(a, n, known[t][2], known[t][1], 1e-4, &p);
        assert_int_equal(r.verdict, INVARIANT_CONE_YES);
        while (done < 300) {
            double x[3] = {0}, v[3], q[3] = {0}, w;
            for (int i = 0; i < r.proven.n; i++) {
                w = -log(multi_random(&seed, 1e-9, 1));
                x[0] -= w;
                x[1] += w * r.proven.v[i].x;
                x[2] += w * r.proven.v[i].y;
            }
            times(p.rates, x, v);
            for (int k = 0; k < p.dim; k++)
                q[k] = multi_random(&seed, -1, 1);
            q[0] -= dot(p.gap[0], q);
            bool fits = true;
            for (int i = 1; i < n; i++)
                fits &= dot(p.gap[i], q) > 0.0;
            if (!fits)
                continue;
            done++;
            for (int k = 0; k < 25; k++) {
                double best = INFINITY, y[3], u[3];
                int hit = 0;
                for (int i = 1; i < n; i++) {
                    double rate = dot(p.gap[i], v), g = dot(p.gap[i], q);
                    if (rate < 0.0 && -g / rate < best) {
                        best = -g / rate;
                        hit = i;
                    }
                }
                assert_true(hit > 0);
                for (int i = 0; i < 3; i++)
                    q[i] += best * v[i];
                double b = 2.0 * pi * hit / n, co = cos(b), si = sin(b);
                double c[3] = {q[0], co * q[1] + si * q[2],
                               co * q[2] - si * q[1]};
                if (p.dim == 2)
                    c[2] = 0.0;
                c[1] -= p.gap[0][0] * c[0] + c[1]; /* on the floor */
                w = sqrt(dot(c, c));
                times(p.x_of, v, x);
                times(p.flight[hit].map, x, y);
                assert_true(in_cone(&r.proven, p.dim, y));
                times(p.rates, y, u);
                double l = sqrt(dot(u, u));
                for (int i = 0; i < 3; i++) {
                    q[i] = c[i] / w;
                    v[i] = u[i] / l;
                }
            }
        }
        arena_free(a);
    }
}

/* thin cones: as flat as the restitution */
static void
small_restitution(void **state)
{
    (void)state;
    for (int n = 2; n <= 6; n++) {
        double last = 0.0;
        for (double e = 1e-3; e > 1e-13; e *= 0.1) {
            struct arena *a = arena_new();
            struct invariant_cone_problem p;
            struct invariant_cone_result r = find(a, n, e, 0.2, 1e-5, &p);
            assert_int_equal(r.verdict, INVARIANT_CONE_YES);
            double flat = r.least.angle / e;
            assert_true(last == 0.0 ||
                        fabs(flat / last - 1.0) < 200.0 * e + 1e-4);
            last = flat;
            arena_free(a);
        }
    }
}

/* K = cone(d_1, d_3, x_2, y_2) of the square is effectively invariant (Lemma
 * 8): the search adds nothing to it */
static void
square(void **state)
{
    (void)state;
    static const double known[][5] = {
        {0.02, 0.35, 0.7245640620, 1.4744044851, 1.0683005027},
        {0.1, 0.3, 0.7379989539, 1.8846579823, 1.3908756194},
        {0.3, 0.15, 0.9049749668, 2.3218152633, 2.1011846908}};
    for (int i = 0; i < 3; i++) {
        struct arena *a = arena_new();
        struct symmetry s;
        struct invariant_cone_problem p;
        double e = known[i][0], rho = known[i][1], q = rho * rho;
        assert_int_equal(feet(a, 4, rho, e, &s, &p), INVARIANT_CONE_FITS);
        struct eigen v;
        double map[9];
        symmetry_map(&s, 1, map);
        assert_int_equal(eigen_solve(a, 3, map, &v), 0);
        double l = v.re[0];
        double e1 = (e + 1.0) / (l * l * q + l * l + q - e), e2 = l * e1;
        assert_near(l, known[i][2], 1e-10);
        assert_near(e1, known[i][3], 1e-10);
        assert_near(e2, known[i][4], 1e-10);
        /* (phix, phiy, h) is (b, -a, v) of the rates v + a cos + b sin */
        double g[4][2] = {{e1, -e2}, {-e1, -e2}, {e1, -1.0}, {-e1, -1.0}};
        struct polygon2d_point from[4];
        for (int k = 0; k < 4; k++) {
            double x[3], X[3] = {-1.0, -g[k][1], g[k][0]};
            times(p.x_of, X, x);
            from[k] = (struct polygon2d_point){.x = x[1], .y = x[2]};
        }
        struct invariant_cone_options o = {
            .tolerance = 1e-9, .iterations = 100, .from = from, .n_from = 4};
        struct invariant_cone_result r;
        invariant_cone_find(a, &p, &o, true, &r);
        assert_int_equal(r.verdict, INVARIANT_CONE_YES);
        assert_int_equal(r.least.n, 4);
        assert_true(r.growth < 1e-12);
        for (int k = 0; k < 4; k++) {
            double best = 1.0;
            for (int c = 0; c < 4; c++)
                best = fmin(best, hypot(r.least.v[k].x - from[c].x,
                                        r.least.v[k].y - from[c].y));
            assert_true(best < 1e-12);
        }
        arena_free(a);
    }
}

/* Conjecture 1 on 840 points for n = 3, 4, 5, and rods: wherever the search has
 * a verdict it is that of the eigenvalue, and it has one away from the border
 */
static void
plane(void **state)
{
    (void)state;
    for (int n = 2; n <= 5; n++) {
        int open = 0;
        for (int i = 0; i < 28; i++)
            for (int k = 0; k < 10; k++) {
                struct arena *a = arena_new();
                struct invariant_cone_problem p;
                double rho = 0.02 + 0.68 * i / 27.0, e = 0.025 + 0.05 * k;
                struct invariant_cone_result r = find(a, n, e, rho, 1e-3, &p);
                struct symmetry s;
                struct eigen v;
                double map[9];
                feet(a, n, rho, e, &s, &p);
                symmetry_map(&s, 1, map);
                assert_int_equal(eigen_solve(a, s.rank, map, &v), 0);
                struct eigen_cone c = eigen_cone(&v);
                assert_false(c.tied);
                bool some = c.dominant == EIGEN_POSITIVE;
                if (r.verdict == INVARIANT_CONE_YES ||
                    r.verdict == INVARIANT_CONE_NO) {
                    assert_int_equal(r.verdict == INVARIANT_CONE_YES, some);
                } else {
                    open++;
                    assert_near(e, symmetry_critical_restitution(n, rho), 1e-3);
                }
                arena_free(a);
            }
        assert_true(open <= 2);
    }
}

/* what there is no cone for */
static void
refusals(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct symmetry s;
    struct invariant_cone_problem p;
    assert_int_equal(feet(a, 4, 0.3, 0.0, &s, &p), INVARIANT_CONE_NO_REBOUND);
    /* cosines c[k] of four contacts */
    static const double c[][4] = {
        {1.0, 0.5, 0.2, 0.5},   /* four dimensions */
        {1.0, -0.2, 1.0, -0.2}, /* opposite ones alike */
        {1.0, 0.0, -1.0, 0.0},  /* no mean */
    };
    static const enum invariant_cone_refused why[] = {
        INVARIANT_CONE_DIMENSION, INVARIANT_CONE_ALIKE, INVARIANT_CONE_NO_MEAN};
    for (int t = 0; t < 3; t++) {
        double W[16], e[4] = {0.5, 0.5, 0.5, 0.5};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                W[4 * i + j] = c[t][(i - j + 4) % 4];
        symmetry_find(a, 4, W, e, &s);
        assert_int_equal(s.found, SYMMETRY_YES);
        assert_int_equal(invariant_cone_problem(a, &s, &p), why[t]);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lemma_3),    cmocka_unit_test(random_flights),
        cmocka_unit_test(polynomial), cmocka_unit_test(references),
        cmocka_unit_test(rod),        cmocka_unit_test(certificates),
        cmocka_unit_test(square),     cmocka_unit_test(plane),
        cmocka_unit_test(motions),    cmocka_unit_test(small_restitution),
        cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
