/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typed models: the example of the language's design, independence of the
 * order of declarations, inferred units, expansion, and the exact moments of
 * the standard library against integrals over the level set. */
#include <math.h>

#include "base/buf.h"
#include "check_common.h"

#define PI 3.14159265358979323846

static double
num(const struct checked *c, const expr *e,
    double (*leaf)(void *, const expr *), void *ctx)
{
    return ex_value(c->m->graph, e, leaf, ctx);
}
static double
none(void *ctx, const expr *leaf)
{
    (void)ctx;
    (void)leaf;
    return NAN;
}
static double
value(const struct checked *c, const expr *e)
{
    return num(c, e, none, NULL);
}

/* -- the example ---------------------------------------------------------- */

static const char *const ellipses[] = {
    "use shapes\n",
    "body one : ellipse(2, 1) { density = 1 spin = -1 }\n",
    "body two : ellipse(2, 1) {\n density = 1\n"
    " position = (-1.4671103616817882, -1.9459065947411789)\n"
    " angle = -45 [deg]\n"
    " velocity = (-0.2139701987389151, 0.9581598646385255)\n"
    " spin = -0.3787007446061675\n}\n",
    "contact touch : one | two { restitution = 1 }\n",
    "let limit = 0.5 [s]\n",
};
static const char commands[] =
    "let r = classify touch\n"
    "show r\n"
    "expect r.class == \"C00\"\n"
    "expect r.type == \"II\" and r.jerk < 0\n"
    "expect r.jerk < -0.5\n"
    "simulate { until = limit through = touch\n"
    "           record = (gap(touch), one.position) }\n"
    "plot gap(touch)\n"
    "plot gap(touch) { against = one.position }\n";

static void
check_ellipses(const struct checked *c)
{
    const struct tm_model *m = c->m;
    assert_int_equal(m->dim, 2);
    assert_int_equal(m->n_bodies, 2);
    assert_int_equal(m->n_contacts, 1);
    assert_int_equal(m->n_commands, 8);
    const struct tm_body *one = &m->bodies[0], *two = &m->bodies[1];
    if (strcmp(one->name, "one")) {
        const struct tm_body *b = one;
        one = two;
        two = b;
    }
    assert_string_equal(one->name, "one");
    assert_true(one->shape.level_set && !one->shape.uses_z && !one->fixed);
    assert_true(value(c, one->start.spin.e[0]) == -1);
    assert_int_equal(one->start.position.n, 2);
    assert_true(ex_is_num(one->start.position.e[0], 0));
    assert_true(fabs(value(c, one->shape.volume.e) - 2 * PI) < 1e-14);
    assert_true(fabs(value(c, one->shape.inertia.e[0]) - 2.5 * PI) < 1e-14);
    assert_int_equal(two->start.orient_kind, IMP_ORIENT_ANGLE);
    assert_true(value(c, two->start.orient.e[0]) == -PI / 4);
    assert_true(value(c, two->start.velocity.e[1]) == 0.9581598646385255);
    assert_true(value(c, m->contacts[0].e.e) == 1);
    assert_string_equal(m->bodies[m->contacts[0].body[0]].name, "one");

    const struct tm_command *k = m->commands;
    assert_int_equal(k[0].id, IMP_CMD_classify);
    assert_string_equal(k[0].bound, "r");
    assert_int_equal(k[0].args[0].kind, IMP_VAL_CONTACT);
    assert_int_equal(k[1].args[0].kind, IMP_VAL_RESULT);
    assert_int_equal(k[2].args[0].kind, IMP_VAL_BOOL);
    assert_false(k[2].args[0].compare);
    assert_true(k[4].args[0].compare);
    assert_string_equal(k[4].args[0].unit, "m/s^3");
    assert_int_equal(m->slots[0].kind, IMP_SLOT_TEXTEQ);
    assert_string_equal(m->slots[0].text, "C00");

    const struct tm_command *s = &k[5];
    const struct tm_field *f = s->fields + s->n_fields;
    assert_int_equal(s->n_opts, 3);
    assert_string_equal(f[-2].name, "gap_touch");
    assert_int_equal(f[-2].column, 1);
    assert_int_equal(f[-2].kind, IMP_FIELD_LIST);
    assert_string_equal(f[-2].unit, "m");
    assert_string_equal(f[-1].name, "one_position");
    assert_int_equal(f[-1].column, 2);
    assert_int_equal(f[-1].kind, IMP_FIELD_VECS);
    assert_int_equal(f[-1].width, 2);
    for (int i = 6; i < 8; i++) {
        assert_int_equal(k[i].args[0].kind, IMP_VAL_FIELD);
        assert_int_equal(k[i].args[0].ref, 5);
        assert_int_equal(k[i].args[0].field, s->n_fields - 2);
        assert_string_equal(k[i].args[0].label, "gap(touch)");
    }
    const struct tm_val *against = &k[7].opts[0].val;
    assert_int_equal(against->kind, IMP_VAL_LIST);
    assert_int_equal(against->items[0].kind, IMP_VAL_FIELD);
}

/* every order of the declarations gives the same model */
static void
test_order(void **state)
{
    (void)state;
    for (int p = 0; p < 120; p++) {
        int left[5] = {0, 1, 2, 3, 4}, q = p;
        struct buf b = {0};
        for (int n = 5; n; n--) {
            int i = q % n;
            q /= n;
            buf_puts(&b, ellipses[left[i]]);
            left[i] = left[n - 1];
        }
        buf_puts(&b, commands);
        struct checked c;
        check_good(&c, buf_str(&b));
        check_ellipses(&c);
        checked_free(&c);
        buf_free(&b);
    }
}

/* -- dimensions ----------------------------------------------------------- */

static void
test_units(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c, "use shapes\n"
                   "param rho = 0.3 in [0.01, 1]\n"
                   "param k = 2\n"
                   "param q = 1\n"
                   "param lever : [m] = 300 [mm]\n"
                   "param damp = 1\n"
                   "param a = 2  param b = 1\n"
                   "let area = rho^2 + 4 [m^2]\n"
                   "fn square(x) = x^2\n"
                   "fn spring(x, c = 10 [N/m]) = -c*x\n"
                   "let w = square(3 [m]) + area\n"
                   "let v = square(3 [s]) + 1\n"
                   "let m = 2*k\n"
                   "body one : ellipse(a, b) { mass = m "
                   "  force = (spring(one.position.x), damp*one.velocity.y)\n"
                   "  position = (sqrt(w), lever) }\n"
                   "show exp(q)\n");
    static const char *const units[] = {"m", "kg", "", "m", "kg/s", "m", "m"};
    for (int i = 0; i < 7; i++)
        assert_string_equal(c.m->params[i].unit, units[i]);
    assert_true(c.m->params[3].dflt == 0.3);
    assert_true(c.m->params[0].has_range && !c.m->params[0].structural);
    checked_free(&c);
}

/* a literal constant as a whole takes any dimension; as a factor it is pure */
static void
test_bare(void **state)
{
    (void)state;
    static const char *const good[] = {
        "let a = 2 [m] + 1",
        "let a = (1, 2, 2)/3 + (1, 2, 3) [m]",
        "let a = max(1 [m], 0)",
        "let a = if t < 1 then 2 [m] else 0",
        "let a = 2*(3 [m]) + 2*3",
        "let a = (pi/2) + 1 [m]",
        "let a = hypot(3 [m], 4)",
        "let a = (1 [m])^(1/2)*(1 [m])^0.5 + 1 [m]",
        "let a = sqrt(4 [m^2]) + 1 [m]",
        "let a = atan2(1 [m], 2 [m]) + 1 [rad]",
        "let a = diag(1, 2 [m]) + [1, 0; 0, 1]",
        "let a = solve([2, 0; 0, 2] [kg], (1, 2) [N]) + (1, 2) [m/s^2]",
        "let a = det([1 [m], 0; 0, 1]) + 1 [m^2]",
        "let a = norm((3, 4) [m]) + 1 [m]",
        "let a = unit((3, 4) [m]) + (1, 0)",
        "let a = cross((1, 0) [m], (0, 1) [N]) + 1 [J]",
        "let a = rot(30 [deg])*(1, 0) [m]",
        "let a = rot((0, 0, 1), 90 [deg])*(1, 0, 0) [m]",
        "let a = sum(linspace(0, 1 [m], 3)) + 2 [m]",
        "let a = gamma(3/2) + exp(1)",
        "let a = (45 [deg])/2",
        "param gamma = 0.1\nlet a = gamma(2) + gamma",
        "fn f(x) = x^2 + 1 [m^2]\nlet a = f(2) + 1 [m^2]",
        "let a = abs(-2 [m])^2 + 1 [m^2]",
        "expect 1 [m] < 2 and not (2 > 3)",
        "let a = (1 .. 3)\nshow a[1]",
        "show \"text\", 1 [m], (1, 2), true",
        "let a = pow(2 [m], 3) + 1 [m^3]",
        "world { gravity = (0, -9.81) }",
        "shape s(r) = abs(x/r)^2.5 + abs(y/r)^2.5 - 1\n"
        "body b : s(2) { density = 1 }",
        "shape s(a, p) = abs(x/a)^p + (y/a)^2 - 1\nparam p = 3\n"
        "body b : s(2, p) { density = 1 }",
        "use shapes\nbody b : shapes.circle(r = 2) { density = 1 }",
        "use shapes\nbody w : half_plane { fixed = true "
        "position = (0, sin(t/(1 [s]))*(1 [m])) }",
        "use shapes\nbody b : sphere(1) { density = 1 "
        "rotation = ((0, 0, 1), 30 [deg]) inertia = diag(1, 2, 3) }",
        "body p { mass = 1 planar = true }\nshow p.energy + energy, p.position",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct checked c;
        if (!check_text(&c, good[i]))
            print_message("should be right: %s\n", good[i]);
        checked_free(&c);
        check_good(&c, good[i]);
        checked_free(&c);
    }
}

/* -- records --------------------------------------------------------------- */

static void
test_results(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c,
               "use shapes\n"
               "body a : circle(1) { density = 1 velocity = (1, 0) }\n"
               "body b : circle(1) { density = 1 position = (3, 0) }\n"
               "contact c : a | b\n"
               "let r = classify c { until = 5 order = 10 }\n"
               "let half = r.time/2\n"
               "let speed = norm(a.velocity)\n"
               "let s = simulate { until = 2*r.time at = linspace(0, 1, 5)\n"
               "  record = (speed, speed^2, gap(c), 2*gap(c)) policy = stop }\n"
               "show half, r.P, r.P.x, r.gap_series[2], s.speed[-1]\n"
               "expect max(s.gap_c) < 3 [m] and length(s.t) == 5\n"
               "expect s.event_kinds[0] == \"impact\"\n"
               "expect abs(r.gap_series[3]/r.jerk - 1/6) < 1e-9\n"
               "let h = impact c\n"
               "expect h.twists_after[0, 1] < 1 [m/s]\n"
               "expect h.twists_after[0, 0] < 1 [1/s]\n"
               "plot s\nplot s.speed, gap(c)\nsave s { file = \"s.csv\" }\n"
               "save r, \"r.json\"\n");
    const struct tm_command *s = &c.m->commands[1];
    const struct tm_field *f = s->fields + s->n_fields - 4;
    assert_string_equal(f[0].name, "speed");
    assert_string_equal(f[1].name, "speed_2");
    assert_string_equal(f[2].name, "gap_c");
    assert_string_equal(f[3].name, "c_2_gap_c");
    assert_string_equal(f[0].unit, "m/s");
    assert_string_equal(f[1].unit, "m^2/s^2");
    const struct tm_command *show = &c.m->commands[2];
    assert_string_equal(show->args[0].unit, "s");
    assert_int_equal(show->args[1].kind, IMP_VAL_FIELD);
    assert_string_equal(show->args[3].unit, "m/s^2");
    assert_string_equal(show->args[4].unit, "m/s");
    int last = 0;
    for (size_t i = 0; i < c.m->n_slots; i++)
        last |=
            c.m->slots[i].kind == IMP_SLOT_ITEM && c.m->slots[i].index == -1;
    assert_true(last);
    checked_free(&c);
}

/* a param that fixes a count is structural, and its --set counts at once */
static void
test_structural(void **state)
{
    (void)state;
    struct checked c;
    check_text_as(&c, "test.imp",
                  "param n = 4\nparam k = 1\nlet a = 0 .. n - 1\n"
                  "show length(a), k\n");
    struct check_set set = {"n", 7, IMP_NOWHERE};
    c.in.sets = &set;
    c.in.n_sets = 1;
    c.m = check_model(&c.in);
    assert_non_null(c.m);
    assert_true(c.m->params[0].structural && !c.m->params[1].structural);
    assert_true(c.m->params[0].dflt == 7);
    assert_true(ex_is_num(c.m->commands[0].args[0].e[0], 7));
    checked_free(&c);
}

/* -- moments of the library ----------------------------------------------- */

struct at {
    double x[3];
};
static double
coordinate(void *ctx, const expr *leaf)
{
    return leaf->sym == SYM_LOCAL ? ((struct at *)ctx)->x[leaf->i] : NAN;
}
/* where the ray along u leaves the shape */
static double
radius(const struct checked *c, const expr *g, const double *u)
{
    double lo = 0, hi = 1;
    struct at p;
    for (int k = -10; k < 50; k++) {
        double r = k < 0 ? hi : (lo + hi) / 2;
        for (int i = 0; i < 3; i++)
            p.x[i] = r * u[i];
        bool in = num(c, g, coordinate, &p) < 0;
        if (k < 0 && in) /* first outwards, then halving */
            hi *= 2;
        else if (in)
            lo = r;
        else
            hi = r;
    }
    return (lo + hi) / 2;
}

static void
test_moments_plane(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "circle(1.3)",
        "ellipse(2, 1)",
        "superellipse(1.2, 0.7)",
        "superellipse(1, 2, 2.5)",
        "superellipse(2, 1, p = 6)",
    };
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        struct checked c;
        char text[200];
        snprintf(text, sizeof text, "use shapes\nbody b : %s { density = 1 }\n",
                 heads[h]);
        check_good(&c, text);
        const struct tm_body *b = &c.m->bodies[0];
        assert_non_null(b->shape.volume.e); /* the list holds shapes that state
                                               their moments */
        double area = 0, polar = 0, mx = 0;
        int n = 720;
        for (int i = 0; i < n; i++) {
            double w = 2 * PI / n, a = (i + 0.5) * w;
            double u[3] = {cos(a), sin(a), 0};
            double r = radius(&c, b->shape.level_set, u);
            area += w * r * r / 2;
            polar += w * r * r * r * r / 4;
            mx += w * r * r * r / 3 * u[0];
        }
        double va = value(&c, b->shape.volume.e),
               vi = value(&c, b->shape.inertia.e[0]);
        assert_true(fabs(va / area - 1) < 1e-6);
        assert_true(fabs(vi / polar - 1) < 1e-6);
        assert_true(fabs(mx) < 1e-9 && b->shape.centre.n == 2);
        checked_free(&c);
    }
}

static void
test_moments_space(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "sphere(1.3)",
        "ellipsoid(2, 1, 0.5)",
        "superellipsoid(1, 2, 3)",
        "superellipsoid(1, 1.5, 0.8, 2.5)",
    };
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        struct checked c;
        char text[200];
        snprintf(text, sizeof text, "use shapes\nbody b : %s { density = 1 }\n",
                 heads[h]);
        check_good(&c, text);
        const struct tm_body *b = &c.m->bodies[0];
        assert_non_null(b->shape.volume.e);
        double volume = 0, xx = 0, yy = 0, zz = 0;
        int n = 48, m = 96;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                double z = -1 + (i + 0.5) * 2 / n, s = sqrt(1 - z * z);
                double a = (j + 0.5) * 2 * PI / m, w = 2.0 / n * 2 * PI / m;
                double u[3] = {s * cos(a), s * sin(a), z};
                double r = radius(&c, b->shape.level_set, u),
                       r5 = pow(r, 5) / 5;
                volume += w * r * r * r / 3;
                xx += w * r5 * u[0] * u[0];
                yy += w * r5 * u[1] * u[1];
                zz += w * r5 * u[2] * u[2];
            }
        assert_int_equal(b->shape.inertia.n, 6);
        assert_true(fabs(value(&c, b->shape.volume.e) / volume - 1) < 3e-3);
        const double j[3] = {yy + zz, xx + zz, xx + yy};
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(value(&c, b->shape.inertia.e[k]) / j[k] - 1) <
                        5e-3);
            assert_true(value(&c, b->shape.inertia.e[3 + k]) == 0);
        }
        if (h == 2) { /* tangential.md 0.B: quartic volume and k_4 */
            double v = value(&c, b->shape.volume.e);
            assert_true(fabs(v / (6 * 6.481987351786382) - 1) < 1e-13);
            double k4 = value(&c, b->shape.inertia.e[2]) / v / 5;
            assert_true(fabs(k4 / 0.27416794862667818 - 1) < 1e-13);
        }
        checked_free(&c);
    }
}

/* each shape of the library: doc string, origin inside, right normals */
static void
test_library(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c, "use shapes\n"
                   "body e : egg(2, 1) { density = 1 }\n"
                   "body w : half_plane { fixed = true }\n");
    struct at p = {{0, 0, 0}}, up = {{0, 1, 0}};
    assert_true(num(&c, c.m->bodies[0].shape.level_set, coordinate, &p) < 0);
    assert_true(num(&c, c.m->bodies[1].shape.level_set, coordinate, &up) > 0);
    assert_null(c.m->bodies[0].shape.volume.e);
    checked_free(&c);
    check_good(&c, "use shapes\nbody w : half_space { fixed = true }\n");
    struct at top = {{0, 0, 1}};
    assert_true(num(&c, c.m->bodies[0].shape.level_set, coordinate, &top) > 0);
    assert_int_equal(c.m->dim, 3);
    static const char *const all[] = {
        "circle",         "sphere", "ellipse",    "ellipsoid",  "superellipse",
        "superellipsoid", "egg",    "half_plane", "half_space",
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct buf b = {0};
        assert_true(check_doc(&c.in, all[i], &b));
        assert_non_null(strstr(buf_str(&b), "use shapes"));
        assert_non_null(strstr(buf_str(&b), "example"));
        buf_free(&b);
    }
    static const char *const names[] = {"classify", "simulate.until", "jerk",
                                        "sin",      "body",           "mm",
                                        "newton",   "density",        "shapes"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct buf b = {0};
        assert_true(check_doc(&c.in, names[i], &b));
        assert_true(b.n > 10);
        buf_free(&b);
    }
    struct buf b = {0};
    assert_false(check_doc(&c.in, "clasify", &b));
    assert_non_null(strstr(buf_str(&b), "classify"));
    buf_free(&b);
    checked_free(&c);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_structural),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_moments_plane),
        cmocka_unit_test(test_moments_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
