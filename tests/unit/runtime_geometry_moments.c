/* SPDX-License-Identifier: MIT */
/* Moments by quadrature against closed forms, and the error estimate: never
 * below the true error. Families: superellipsoids (Dirichlet's integral),
 * ellipsoids bent by x -> x + k y^2 (which keeps volumes), all of them also
 * off their middle. */
#include "model.h"
#include "runtime/geometry/moments.h"

struct shape {
    double a[3], p, bend, off[3];
};

static const expr *
level_set(struct model *o, const struct shape *s)
{
    const expr *x[3], *sum = num(o, -1);
    for (uint32_t i = 0; i < o->m->dim; i++)
        x[i] = s->off[i] != 0 ? ex_sub(o->g, loc(o, i), par(o, s->off[i]))
                              : loc(o, i);
    if (s->bend != 0)
        x[0] = ex_sub(o->g, x[0],
                      ex_mul(o->g, par(o, s->bend), ex_mul(o->g, x[1], x[1])));
    for (uint32_t i = 0; i < o->m->dim; i++) {
        const expr *u = ex_div(o->g, x[i], par(o, s->a[i]));
        const expr *t = s->p == 2
                            ? ex_mul(o->g, u, u)
                            : ex_op(o->g, IMP_OP_ABSPOW, u, par(o, s->p), NULL);
        sum = ex_add(o->g, sum, t);
    }
    return sum;
}

static void
exact(int n, const struct shape *s, struct moments *m)
{
    double p = s->p, V, m2[3] = {0}, y4;
    memset(m, 0, sizeof *m);
    double g1 = tgamma(1 / p);
    V = pow(2 * g1 / p, n) / tgamma(1 + n / p);
    double k =
        tgamma(3 / p) * tgamma(1 + n / p) / (g1 * tgamma(1 + (n + 2) / p));
    y4 = tgamma(5 / p) * tgamma(1 + n / p) / (g1 * tgamma(1 + (n + 4) / p));
    for (int i = 0; i < n; i++) {
        V *= s->a[i];
        m2[i] = k * s->a[i] * s->a[i];
        m->centre[i] = s->off[i];
    }
    double b4 = s->a[1] * s->a[1] * s->a[1] * s->a[1];
    m->centre[0] += s->bend * m2[1];
    m2[0] += s->bend * s->bend * (y4 * b4 - m2[1] * m2[1]);
    m->volume = V;
    if (n == 2) {
        m->inertia[0] = V * (m2[0] + m2[1]);
    } else {
        m->inertia[0] = V * (m2[1] + m2[2]);
        m->inertia[1] = V * (m2[0] + m2[2]);
        m->inertia[2] = V * (m2[0] + m2[1]);
    }
}

static double
true_error(const struct moments *a, const struct moments *b)
{
    double big = fmax(b->inertia[0], fmax(b->inertia[1], b->inertia[2]));
    double len = sqrt(big / b->volume), e = fabs(a->volume / b->volume - 1);
    for (int i = 0; i < 3; i++)
        e = fmax(e, fabs(a->centre[i] - b->centre[i]) / len);
    for (int i = 0; i < 6; i++)
        e = fmax(e, fabs(a->inertia[i] - b->inertia[i]) / big);
    return e;
}

static struct shape
random_shape(uint64_t *seed, int n, int kind)
{
    struct shape s = {.p = 2};
    double size = pow(10, uniform(seed, -3, 3));
    for (int i = 0; i < n; i++)
        s.a[i] = size * uniform(seed, 1, 3);
    if (kind == 1 || kind == 4)
        s.p = uniform(seed, 2, 6);
    if (kind == 2 || kind == 5)
        s.bend = uniform(seed, -0.3, 0.3) * s.a[0] / (s.a[1] * s.a[1]);
    if (kind >= 3)
        for (int i = 0; i < n; i++)
            s.off[i] = uniform(seed, -0.4, 0.4) * s.a[i];
    return s;
}

static void
try_shapes(uint32_t n, int count, uint64_t seed, bool report)
{
    double worst = 0, worst_est = 0, worst_p = 0;
    for (int t = 0; t < count; t++) {
        int kind = t % 6;
        struct shape s = random_shape(&seed, (int)n, kind);
        struct model o;
        struct moments m, x;
        model_new(&o, n);
        struct tm_body *b = body(&o, "a", level_set(&o, &s));
        b->stated.mass = scal(&o, 1);
        /* all stated, so that set-up itself integrates nothing */
        b->shape.volume = scal(&o, 1);
        b->stated.centre = vec(&o, n, s.off);
        b->stated.inertia = vec(&o, n == 2 ? 1 : 6, (double[6]){1, 1, 1});
        model_run(&o);
        assert_int_equal(moments_find(o.r, 0, &m, NULL), RAY_OK);
        exact((int)n, &s, &x);
        double e = true_error(&m, &x);
        if (report && (e > m.error || (kind != 1 && kind != 4 && e > 1e-11)))
            print_message("n %u kind %d p %g bend %g: true %g estimate %g\n", n,
                          kind, s.p, s.bend, e, m.error);
        if (s.p == 2) {
            worst = fmax(worst, e);
            worst_est = fmax(worst_est, m.error);
            assert_true(e <= 1e-10);
        } else {
            worst_p = fmax(worst_p, e);
        }
        if (e > m.error)
            fail_msg("n %u kind %d p %g: true %g > estimate %g", n, kind, s.p,
                     e, m.error);
        model_free(&o);
    }
    print_message("n = %u: smooth: error %.2g, estimate %.2g; |x|^p: error "
                  "%.2g\n",
                  n, worst, worst_est, worst_p);
}

static void
plane(void **unused)
{
    (void)unused;
    try_shapes(2, getenv("IMP_MOMENTS") ? 6000 : 600, 1, true);
}

static void
space(void **unused)
{
    (void)unused;
    try_shapes(3, getenv("IMP_MOMENTS") ? 1002 : 12, 2, true);
}

/* the ball that holds the body */
static void
radius(void **unused)
{
    (void)unused;
    uint64_t seed = 5;
    for (int t = 0; t < 60; t++) {
        uint32_t n = t % 2 ? 3 : 2;
        struct shape s = random_shape(&seed, (int)n, t % 6);
        struct model o;
        model_new(&o, n);
        struct tm_body *b = body(&o, "a", level_set(&o, &s));
        b->stated.mass = scal(&o, 1);
        b->shape.volume = scal(&o, 1);
        b->stated.centre = vec(&o, n, s.off);
        b->stated.inertia = vec(&o, n == 2 ? 1 : 6, (double[6]){1, 1, 1});
        model_run(&o);
        double R = o.r->env[rt_body(o.r, 0)->env_body + IMP_BODY_RADIUS];
        double far = 0, diag = 0;
        for (int k = 0; k < 2000; k++) {
            double d[3] = {uniform(&seed, -1, 1), uniform(&seed, -1, 1),
                           n == 3 ? uniform(&seed, -1, 1) : 0};
            double l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), q = 0;
            struct ray_hit h;
            for (int i = 0; i < 3; i++)
                d[i] /= l;
            assert_int_equal(ray_hit(o.r, 0, (double[3]){0}, d, 0, &h), RAY_OK);
            for (int i = 0; i < 3; i++)
                q += (h.x[i] - s.off[i]) * (h.x[i] - s.off[i]);
            far = fmax(far, sqrt(q));
        }
        for (uint32_t i = 0; i < n; i++)
            diag += s.a[i] * s.a[i];
        assert_true(R >= far);
        if (s.bend == 0)
            assert_true(R <= 2 * sqrt(diag));
        model_free(&o);
    }
}

/* a centred ellipsoid has principal axes and centre exactly, and density
 * gives its mass */
static void
setup_uses_moments(void **unused)
{
    (void)unused;
    struct model o;
    static const double a[3] = {1, 2, 3};
    const double pi = 3.14159265358979323846, m = 8 * pi;
    model_new(&o, 3);
    body(&o, "a", superellipsoid(&o, a, 2))->stated.density = scal(&o, 1);
    model_run(&o);
    const double *e = o.r->env + rt_body(o.r, 0)->env_body;
    NEAR(e[IMP_BODY_MASS], m, 1e-11 * m);
    NEAR(e[IMP_BODY_INERTIA], m / 5 * 13, 1e-10 * m);
    NEAR(e[IMP_BODY_INERTIA + 1], m / 5 * 10, 1e-10 * m);
    NEAR(e[IMP_BODY_INERTIA + 2], m / 5 * 5, 1e-10 * m);
    for (int i = 3; i < 6; i++)
        NEAR(e[IMP_BODY_INERTIA + i], 0, 0);
    for (int i = 0; i < 3; i++)
        NEAR(e[IMP_BODY_CENTRE + i], 0, 0);
    model_free(&o);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane),
        cmocka_unit_test(space),
        cmocka_unit_test(radius),
        cmocka_unit_test(setup_uses_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
