/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole models, from text to records, with the evaluator: what examples cannot
 * say (gaps before the touch, diagnostics, exit statuses, random models). */
#include "analysis/collision/touch.h"
#include "analysis_help.h"
#include "runtime/motion/motion.h"
#include "runtime/setup/new_run.h"

#define ELLIPSES                                                               \
    "use shapes\n"                                                             \
    "body one : ellipse(2, 1) { density = 1 spin = -1 }\n"                     \
    "body two : ellipse(2, 1) { density = 1\n"                                 \
    "  position = (-1.4671103616817882, -1.9459065947411789)\n"                \
    "  angle = -45 [deg] velocity = (-0.2139701987389151, "                    \
    "0.9581598646385255)\n"                                                    \
    "  spin = -0.3787007446061675 }\n"                                         \
    "contact touch : one | two { restitution = 1 }\n"
#define SOLIDS                                                                 \
    "use shapes\n"                                                             \
    "body one : superellipsoid(1, 2, 3) { density = 1\n"                       \
    "  spin = (1.1740747914710616, 5.121119789388775, "                        \
    "1.2294234681418093) }\n"                                                  \
    "body two : ellipsoid(2, 1, 1) { density = 1\n"                            \
    "  position = (0.6988018183920255, 2.931541305218898, "                    \
    "1.3696016946556036)\n"                                                    \
    "  axes = [0, 0.6239979329820173, -0.781425991143224;\n"                   \
    "    0, 0.781425991143224, 0.6239979329820173; 1, 0, 0]\n"                 \
    "  velocity = (2.7414669205732727, -0.5956711297619547, "                  \
    "-0.1367990744145808)\n"                                                   \
    "  spin = (0, 0, 1) }\n"                                                   \
    "contact touch : one | two { restitution = 1 }\n"
#define DISC(mx, my, vx, vy)                                                   \
    "use shapes\n"                                                             \
    "body wall : half_plane() { fixed = true }\n"                              \
    "body disc : circle(1) { mass = 1 inertia = 0.5\n"                         \
    "  centre = (" mx ", " my " - 1) position = (" mx ", " my ")\n"            \
    "  velocity = (" vx ", " vy ") spin = -1 }\n"                              \
    "contact touch : wall | disc { restitution = 1 }\n"

/* gap of contact 0 at time t along the free motion from the start */
static double
gap_at(struct run *r, double t)
{
    double gap = NAN;
    rt_reset(r->d.run);
    assert_int_equal(motion_to(r->d.run, t), IMP_OK);
    assert_int_equal(touch_gap(&r->d.analysis, 0, &gap, NULL), IMP_OK);
    return gap;
}

/* tangential.md 0.E: sigma(t), also before the touch */
static void
printed_gaps(void **state)
{
    (void)state;
    struct run r;
    run(&r, ELLIPSES "let c = classify touch", false);
    fine(&r);
    near(gap_at(&r, -ldexp(1, -5)), 4.47239222391838e-6, 1e-12);
    near(gap_at(&r, ldexp(1, -3)), -2.60263896579287e-4, 1e-12);
    near(gap_at(&r, ldexp(1, -9)), -1.07102477503999e-9, 1e-12);
    for (double t = -6.0; t < -0.01; t += 0.25)
        assert_true(gap_at(&r, t) > 0.0);
    done(&r);
    run(&r, SOLIDS "let c = classify touch", false);
    fine(&r);
    near(gap_at(&r, -ldexp(1, -10)), 2.37545300594169e-9, 1e-12);
    near(gap_at(&r, ldexp(1, -6)), -9.81502351197769e-6, 1e-12);
    near(gap_at(&r, ldexp(1, -13)), -4.64474053742723e-12, 1e-12);
    for (double t = -1.0; t < -0.01; t += 0.05)
        assert_true(gap_at(&r, t) > 0.0);
    done(&r);
}

static void
disc_before_and_after(void **state)
{
    (void)state;
    struct run r;
    run(&r, DISC("0.5", "1", "0", "-0.5") "classify touch", false);
    fine(&r);
    near(gap_at(&r, -0.1), 8.32916765859238e-5, 1e-15);
    near(gap_at(&r, 0.1), -8.32916765859238e-5, 1e-15);
    done(&r);
    run(&r, DISC("0.5", "1.1", "0.25", "-0.5") "classify touch", false);
    fine(&r);
    assert_string_equal(word(&r, 0, "class"), "C0+");
    near(gap_at(&r, -0.1), 5.82875148783347e-4, 1e-15);
    near(gap_at(&r, 0.1), 4.162917956115e-4, 1e-15);
    done(&r);
    run(&r, DISC("0.5", "0.9", "0.25", "-0.5") "classify touch", false);
    fine(&r);
    assert_string_equal(word(&r, 0, "class"), "C0-");
    near(gap_at(&r, -0.1), -4.162917956115e-4, 1e-15);
    near(gap_at(&r, 0.1), -5.82875148783347e-4, 1e-15);
    /* the remark speaks of the overlap before */
    assert_non_null(strstr(field(&r, 0, "warnings")->texts[0], "before"));
    done(&r);
}

/* I1: energy and momentum over many elastic impacts, and bounce times */
static void
bouncing(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        "use shapes\n"
        "world { gravity = (0, -9.81) }\n"
        "body floor : half_plane() { fixed = true }\n"
        "body ball : circle(0.1) { mass = 1 position = (0, 1.1) }\n"
        "contact c : floor | ball { restitution = 1 }\n"
        "let s = simulate { until = 20 }\n",
        false);
    fine(&r);
    double T = sqrt(2 / 9.81);
    const struct field_value *t = field(&r, 0, "event_times");
    assert_int_equal(t->n, 22);
    for (size_t i = 0; i < t->n; i++)
        near(t->num[i], (2.0 * (double)i + 1.0) * T, 1e-12);
    near(number(&r, 0, "energy_after"), number(&r, 0, "energy_before"), 1e-11);
    done(&r);
}

static void
tumbling(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        "use shapes\n"
        "body one : ellipsoid(1, 0.8, 0.6) { mass = 2 velocity = (1, 0, 0)\n"
        "  position = (-3, 0.1, 0) spin = (0.3, -0.2, 0.5) }\n"
        "body two : ellipsoid(1.2, 0.7, 0.9) { mass = 3\n"
        "  velocity = (-0.5, 0, 0) spin = (-0.4, 0.6, 0.1) }\n"
        "body left : half_space() { fixed = true position = (-6, 0, 0)\n"
        "  rotation = ((0, 1, 0), 90 [deg]) }\n"
        "contact c : one | two { restitution = 1 }\n"
        "contact w1 : left | one { restitution = 1 }\n"
        "contact w2 : left | two { restitution = 1 }\n"
        "let s = simulate { until = 30 record = (gap(c), gap(w1)) }\n",
        false);
    fine(&r);
    assert_true(number(&r, 0, "count") >= 2);
    near(number(&r, 0, "energy_after") / number(&r, 0, "energy_before"), 1.0,
         1e-12);
    done(&r);
}

static void
what_stops_a_run(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum diag_code code;
        int status;
    } cases[] = {
        {"use shapes\nworld { gravity = (0, -9.81) }\n"
         "body floor : half_plane() { fixed = true }\n"
         "body ball : circle(0.1) { mass = 1 position = (0, 1.1) }\n"
         "contact c : floor | ball { restitution = 1 }\n"
         "simulate { until = 50 events = 4 }",
         DIAG_E0712, IMP_EXIT_RUN},
        {ELLIPSES "simulate { until = 0.5 }", DIAG_W0720, IMP_EXIT_OK},
        {ELLIPSES "simulate { until = 0.5 policy = enforce }", DIAG_W0721,
         IMP_EXIT_OK},
        {ELLIPSES "impact touch { impulse = 1 }", DIAG_W0721, IMP_EXIT_OK},
        {ELLIPSES "let r = classify touch\nexpect r.class == \"C-\"",
         DIAG_E0703, IMP_EXIT_EXPECT},
        {"use shapes\nbody a : circle(1) { mass = 1 }\n"
         "body b : circle(1) { mass = 1 position = (3, 0) velocity = (1, 0) }\n"
         "contact c : a | b {}\nlet r = classify c\nexpect r.class == "
         "\"apart\"\nexpect r.jerk < 0",
         DIAG_E0701, IMP_EXIT_EXPECT},
        {"use shapes\nbody a : circle(1) { mass = 1 }\n"
         "body b : circle(1) { mass = 1 position = (1.5, 0) }\n"
         "contact c : a | b {}\nclassify c",
         DIAG_E0620, IMP_EXIT_MODEL},
        {"use shapes\nbody a : circle(1) { mass = 1 }\n"
         "body b : circle(1) { mass = 1 position = (3, 0) velocity = (1, 0) }\n"
         "contact c : a | b {}\nimpact c",
         DIAG_E0709, IMP_EXIT_RUN},
        {ELLIPSES "let s = simulate { until = 1 through = touch }\n"
                  "expect s.event_times[5] > 0",
         DIAG_E0702, IMP_EXIT_EXPECT},
        {"use shapes\nbody floor : half_plane() { fixed = true }\n"
         "body a : superellipse(1, 1) { mass = 1 position = (0, 1) }\n"
         "contact c : floor | a {}\nclassify c",
         DIAG_NONE, IMP_EXIT_RUN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r;
        run(&r, cases[i].text, false);
        if (r.status != cases[i].status ||
            (cases[i].code && !has_code(&r, cases[i].code))) {
            complain(&r);
            fail_msg("case %zu: status %d", i, r.status);
        }
        done(&r);
    }
}

/* policies at C00 */
static void
policies(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        ELLIPSES "let a = simulate { until = 5 policy = through }\n"
                 "let b = simulate { until = 5 policy = stop }\n"
                 "let c = simulate { until = 3 policy = enforce record = "
                 "gap(touch) }\n",
        false);
    fine(&r);
    near(field(&r, 0, "event_times")->num[1], 3.98531223, 1e-7);
    near(number(&r, 0, "depth_max"), 0.4411, 1e-4);
    assert_string_equal(word(&r, 1, "status"), "stopped");
    near(number(&r, 1, "time"), 0, 0);
    double gain =
        number(&r, 2, "energy_after") - number(&r, 2, "energy_before");
    assert_true(gain > 0.0);
    const struct field_value *g = field(&r, 2, "gap_touch");
    for (size_t i = 0; i < g->n; i++)
        assert_true(g->num[i] > -1e-10);
    done(&r);
}

/* JSON: no NaN, one object per command */
static void
json_lines(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        ELLIPSES "let a = classify touch\nshow a, a.jerk, gap(touch)\n"
                 "expect a.jerk < 0\n"
                 "let s = simulate { until = 0.5 through = touch record = "
                 "gap(touch) at = 0.5 }\nplot gap(touch)\nsave s\n",
        true);
    fine(&r);
    int lines = 0;
    const char *s = buf_str(&r.out);
    assert_null(strstr(s, "nan"));
    assert_null(strstr(s, "inf"));
    for (; *s; s = strchr(s, '\n') + 1, lines++)
        assert_memory_equal(s, "{\"command\": \"", 13);
    assert_int_equal(lines, 8);
    done(&r);
}

/* splitmix64 in [0, 1) */
static uint64_t seed = 42;
static double
rnd(void)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 9007199254740992.0;
}

/* verdicts do not depend on the order of the bodies nor on the observer: discs
 * and ellipses approaching at random, in three descriptions */
static void
one_verdict(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        double a1 = 0.6 + rnd(), a2 = 0.6 + rnd(), th1 = 6 * rnd(),
               th2 = 6 * rnd(), w1 = rnd() - 0.5, w2 = rnd() - 0.5,
               y = 0.5 * rnd(), v = 0.5 + rnd(), bx = 3 * rnd(), by = 3 * rnd(),
               turn = 6 * rnd();
        double c = cos(turn), s = sin(turn);
        const struct field_value *jet[3];
        struct run r[3];
        for (int k = 0; k < 3; k++) {
            char text[2000];
            double A = k == 2 ? turn : 0, C = k == 2 ? c : 1,
                   S = k == 2 ? s : 0, X = k == 2 ? bx : 0, Y = k == 2 ? by : 0;
            double px = 4, py = y, vx = -v, vy = 0;
            snprintf(text, sizeof text,
                     "use shapes\n"
                     "body one : ellipse(%.17g, 1) { density = 1 angle = %.17g "
                     "spin = %.17g velocity = (%.17g, %.17g) }\n"
                     "body two : ellipse(%.17g, 1) { density = 1 position = "
                     "(%.17g, %.17g) angle = %.17g spin = %.17g velocity = "
                     "(%.17g, %.17g) }\n"
                     "contact touch : %s {}\nlet r = classify touch\n",
                     a1, th1 + A, w1, X, Y, a2, C * px - S * py,
                     S * px + C * py, th2 + A, w2, C * vx - S * vy + X,
                     S * vx + C * vy + Y, k == 1 ? "two | one" : "one | two");
            run(&r[k], text, false);
            fine(&r[k]);
            jet[k] = field(&r[k], 0, "gap_series");
        }
        for (int k = 1; k < 3; k++) {
            assert_string_equal(word(&r[0], 0, "class"),
                                word(&r[k], 0, "class"));
            assert_string_equal(word(&r[0], 0, "class"), "C-");
            near(number(&r[k], 0, "time"), number(&r[0], 0, "time"), 1e-11);
            for (size_t j = 1; j < 5; j++)
                near(jet[k]->num[j], jet[0]->num[j],
                     1e-9 * (1 + fabs(jet[0]->num[j])));
        }
        for (int k = 0; k < 3; k++)
            done(&r[k]);
    }
}

/* the search finds the disc's C00 touch (triple root) from any distance */
static void
approaches(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        double lead = 0.05 + rnd(), height = i % 2 ? 1.0 : 1.0 + 0.3 * rnd();
        double slide = rnd() - 0.5;
        char text[1000];
        snprintf(text, sizeof text,
                 "use shapes\nbody wall : half_plane() { fixed = true }\n"
                 "body disc : circle(1) { mass = 1 inertia = 0.5 centre = "
                 "(0.5, %.17g - 1) position = (%.17g, %.17g) velocity = "
                 "(%.17g, -0.5) angle = %.17g spin = -1 }\n"
                 "contact touch : wall | disc {}\nlet r = classify touch\n",
                 height, 0.5 - slide * lead, height + 0.5 * lead, slide, lead);
        struct run r;
        run(&r, text, false);
        fine(&r);
        assert_string_equal(word(&r, 0, "class"), i % 2 ? "C00" : "C0+");
        near(number(&r, 0, "time"), lead, 1e-7);
        near(number(&r, 0, "D"), height - 1, 1e-7);
        near(number(&r, 0, "jerk"), -0.5, 1e-6);
        done(&r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_gaps),
        cmocka_unit_test(bouncing),
        cmocka_unit_test(tumbling),
        cmocka_unit_test(what_stops_a_run),
        cmocka_unit_test(policies),
        cmocka_unit_test(json_lines),
        cmocka_unit_test(one_verdict),
        cmocka_unit_test(approaches),
        cmocka_unit_test(disc_before_and_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
