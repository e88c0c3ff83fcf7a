/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impacts of random models, by `impact` and by `simulate`: none is refused, and
 * each obeys its law, momentum and energy. What the audits compare must be
 * measured against the terms of the sums: here the sums cancel, because a
 * contact point is the world's origin, discs meet nearly centrally, and masses
 * differ by powers of ten. */
#include "analysis_help.h"

static uint64_t seed = 20251122;
static double
uniform(double lo, double hi)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static double
restitution(void)
{
    double e = uniform(-0.5, 1.5);
    return e < 0 ? 0 : e > 1 ? 1 : e;
}

/* the same motion by both commands, and what Newton's law says of it */
static void
check(const char *model, double e)
{
    struct run r;
    run(&r, model, false);
    if (r.status != IMP_EXIT_OK) {
        complain(&r);
        fail_msg("refused:\n%s", model);
    }
    double before = field(&r, 0, "normal_velocities_before")->num[0];
    double after = field(&r, 0, "normal_velocities_after")->num[0];
    double mass = field(&r, 0, "effective_mass")->num[0];
    double energy = field(&r, 0, "energy_before")->num[0];
    double loss = field(&r, 0, "energy_loss")->num[0];
    assert_true(before < 0);
    double size = sqrt(2 * energy / mass);
    assert_true(fabs(after + e * before) <= 1e-14 * size);
    assert_true(fabs(loss - (1 - e * e) * mass * before * before / 2) <=
                1e-14 * energy);
    assert_true(field(&r, 0, "momentum_error")->num[0] <= 1e-15);
    assert_true(field(&r, 1, "count")->num[0] >= 1);
    double impulse = field(&r, 0, "impulses")->num[0];
    /* both find the touch by themselves, with places known to rounding */
    near(field(&r, 1, "event_impulses")->num[0], impulse, 1e-9 * mass * size);
    done(&r);
}

/* two free discs, nearly central, one of them heavy */
static void
nearly_central(void **state)
{
    (void)state;
    static const double masses[] = {1, 128, 1e4, 1e-6};
    for (int i = 0; i < 80; i++) {
        char text[1024];
        double a = uniform(-3, 3), off = pow(10, uniform(-17, -3));
        double v = uniform(0.5, 3), e = restitution();
        snprintf(text, sizeof text,
                 "use shapes\n"
                 "body a : circle(1) { mass = 1  spin = %.17g }\n"
                 "body b : circle(1) { mass = %.17g  position = (%.17g, %.17g)"
                 "  velocity = (%.17g, %.17g) }\n"
                 "contact k : a | b { restitution = %.17g }\n"
                 "impact k { until = 5 }\nsimulate { until = 5 }\n",
                 i % 2 ? 0 : uniform(-3, 3), masses[i % 4], 2.5 * cos(a),
                 2.5 * sin(a), -v * cos(a) + off * sin(a),
                 -v * sin(a) - off * cos(a), e);
        check(text, e);
    }
}

/* a disc on a tilted plane through the origin, which it hits at the origin */
static void
at_the_origin(void **state)
{
    (void)state;
    for (int i = 0; i < 80; i++) {
        char text[1024];
        double a = uniform(-3, 3), off = pow(10, uniform(-17, -3));
        double n[2] = {-sin(a), cos(a)}, r = uniform(0.1, 2);
        double h = r + uniform(0.1, 2), e = restitution();
        snprintf(text, sizeof text,
                 "use shapes\n"
                 "body f : half_plane { fixed = true  angle = %.17g }\n"
                 "body b : circle(%.17g) { mass = 2  position = (%.17g, %.17g)"
                 "  velocity = (%.17g, %.17g) }\n"
                 "contact k : f | b { restitution = %.17g }\n"
                 "impact k { until = 5 }\nsimulate { until = 5 }\n",
                 a, r, n[0] * h, n[1] * h, -1.3 * n[0] + off * n[1],
                 -1.3 * n[1] - off * n[0], e);
        check(text, e);
    }
}

/* ellipsoids of all kinds, needles and plates among them, anywhere in space */
static void
ellipsoids(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        char text[2048], body[2][512];
        double e = restitution(), far = i % 3 ? 0 : pow(10, uniform(0, 5));
        for (int b = 0; b < 2; b++) {
            double x = b ? far + 6 : far;
            snprintf(body[b], sizeof *body,
                     "ellipsoid(%.17g, %.17g, %.17g) { mass = %.17g  position ="
                     " (%.17g, %.17g, %.17g)  velocity = (%.17g, %.17g, %.17g)"
                     "  spin = (%.17g, %.17g, %.17g)  rotation = ((%.17g, "
                     "%.17g, %.17g), %.17g) }",
                     pow(10, uniform(-2, 0.3)), pow(10, uniform(-1, 0.3)),
                     uniform(0.8, 2), pow(10, uniform(-3, 3)), x,
                     far + uniform(-0.1, 0.1), uniform(-0.1, 0.1),
                     b ? -3.0 : 1.0, uniform(-0.1, 0.1), uniform(-0.1, 0.1),
                     uniform(-1, 1), uniform(-1, 1), uniform(-1, 1),
                     uniform(-1, 1), uniform(-1, 1), uniform(-1, 1),
                     uniform(-3, 3));
        }
        snprintf(text, sizeof text,
                 "use shapes\nbody a : %s\nbody b : %s\n"
                 "contact k : a | b { restitution = %.17g }\n"
                 "let c = classify k { until = 5 }\n",
                 body[0], body[1], e);
        struct run r;
        run(&r, text, false);
        bool hit =
            r.status == IMP_EXIT_OK && !strcmp(word(&r, 0, "class"), "C-");
        done(&r);
        if (!hit)
            continue;
        char *ask = strstr(text, "let c");
        snprintf(ask, (size_t)(text + sizeof text - ask),
                 "impact k { until = 5 }\nsimulate { until = 3 }\n");
        check(text, e);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_central),
        cmocka_unit_test(at_the_origin),
        cmocka_unit_test(ellipsoids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
