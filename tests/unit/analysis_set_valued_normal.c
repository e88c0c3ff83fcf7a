/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies with corners. Where the normal is open: `classify`, `simulate` and
 * `impact` say the same about corner on corner, for every direction of motion,
 * exactly past one another, too. Dropped at any tilt and restitution they
 * bounce, chatter or rest: never many impacts at one time, never an overlap,
 * never energy. */
#include "analysis_help.h"

static uint64_t seed = 88172645463325252u;
static double
uniform(double lo, double hi)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return lo + (hi - lo) * ((double)(seed >> 11) * 0x1p-53);
}

static long
cases(long usual)
{
    const char *n = getenv("IMP_TEST_CASES");
    return n && atol(n) < usual ? atol(n) : usual;
}

/* Two boxes, turned by phi about z, meet corner on corner after the time T with
 * the velocity `rate` along their axes. */
static void
corners(struct run *r, int dim, double T, const double *rate,
        const char *command)
{
    double phi = uniform(-3, 3), c = cos(phi), s = sin(phi), a[3], b[3], d[3];
    char text[1024], pos[128], vel[128];
    for (int i = 0; i < 3; i++) {
        a[i] = uniform(0.5, 2);
        b[i] = uniform(0.5, 2);
        d[i] = 0.5 * (a[i] + b[i]) - T * rate[i];
    }
    if (dim == 2) {
        snprintf(pos, sizeof pos, "%.17g, %.17g", c * d[0] - s * d[1],
                 s * d[0] + c * d[1]);
        snprintf(vel, sizeof vel, "%.17g, %.17g", c * rate[0] - s * rate[1],
                 s * rate[0] + c * rate[1]);
        snprintf(text, sizeof text,
                 "use shapes\n"
                 "body one : rectangle(%.17g, %.17g) { mass = 1 angle = %.17g "
                 "}\n"
                 "body two : rectangle(%.17g, %.17g) { mass = 2 angle = %.17g\n"
                 "  position = (%s) velocity = (%s) }\n"
                 "contact k : one | two\n%s\n",
                 a[0], a[1], phi, b[0], b[1], phi, pos, vel, command);
    } else {
        snprintf(pos, sizeof pos, "%.17g, %.17g, %.17g", c * d[0] - s * d[1],
                 s * d[0] + c * d[1], d[2]);
        snprintf(vel, sizeof vel, "%.17g, %.17g, %.17g",
                 c * rate[0] - s * rate[1], s * rate[0] + c * rate[1], rate[2]);
        snprintf(text, sizeof text,
                 "use shapes\n"
                 "body one : box(%.17g, %.17g, %.17g) { mass = 1\n"
                 "  rotation = ((0, 0, 1), %.17g) }\n"
                 "body two : box(%.17g, %.17g, %.17g) { mass = 2\n"
                 "  rotation = ((0, 0, 1), %.17g)\n"
                 "  position = (%s) velocity = (%s) }\n"
                 "contact k : one | two\n%s\n",
                 a[0], a[1], a[2], phi, b[0], b[1], b[2], phi, pos, vel,
                 command);
    }
    run(r, text, false);
}

static void
open_touch(void **state)
{
    static const char *const command[] = {
        "classify k", "simulate { until = 1.5 }", "impact k { until = 1.5 }"};
    (void)state;
    long met = 0, mixed = 0, n = cases(240);
    for (long i = 0; i < n; i++) {
        struct run r;
        int dim = i % 2 ? 3 : 2, zeros = 0, in = 0, out = 0;
        double rate[3], T = i % 3 ? 1 : 0;
        for (int k = 0; k < dim; k++) {
            rate[k] = uniform(0, 1) < 0.3 ? 0 : uniform(-1, 1);
            zeros += rate[k] == 0;
            in += rate[k] < 0;
            out += rate[k] > 0;
        }
        if (dim == 2)
            rate[2] = 0;
        /* from afar they come to the corner only if something closes, and the
         * other sides were not in one another before */
        if (T > 0 && in == 0)
            continue;
        uint64_t keep = seed;
        for (int k = 0; k < 3; k++) {
            seed = keep;
            corners(&r, dim, T, rate, command[k]);
            if (k == 0) {
                fine(&r);
                const char *class = word(&r, 0, "class");
                assert_string_equal(class, in             ? "C-"
                                           : zeros == dim ? "C00"
                                                          : "separating");
            } else if (k == 1) {
                fine(&r);
                assert_string_equal(word(&r, 0, "status"),
                                    in ? "stopped" : "done");
                assert_int_equal(has_code(&r, DIAG_W0724), in > 0);
                if (in)
                    near(number(&r, 0, "time"), T, 1e-9);
            } else {
                /* touching is enough: an impact is asked for */
                assert_int_equal(r.status, IMP_EXIT_RUN);
                assert_true(has_code(&r, DIAG_E0724));
            }
            done(&r);
        }
        met += in > 0;
        mixed += in > 0 && in < dim;
    }
    assert_true(met > n / 5 && mixed > n / 10);
}

/* an edge that passes exactly at the height of another: a stop, both normals
 * told; a little higher, nothing */
static void
past_an_edge(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[512];
        struct run r;
        snprintf(text, sizeof text,
                 "use shapes\n"
                 "body one : box(1, 1, 1) { mass = 1 }\n"
                 "body two : box(1, 2, 1) { mass = 2 position = (3, 0.2, %s)\n"
                 "  velocity = (-1, 0, 0) }\n"
                 "contact k : one | two\n"
                 "simulate { until = 5 }\n",
                 i ? "1.000001" : "1");
        run(&r, text, false);
        fine(&r);
        assert_string_equal(word(&r, 0, "status"), i ? "done" : "stopped");
        assert_int_equal(has_code(&r, DIAG_W0724), i == 0);
        near(number(&r, 0, "time"), i ? 5 : 2, 1e-9);
        done(&r);
    }
}

/* dropped at tilts from rounding to half a radian */
static void
tilts(void **state)
{
    static const char *const shape[] = {
        "polygon((0, 0), (1, 0), (0, 1))", "rectangle(1, 0.6)",
        "polygon((-0.5, -0.3), (0.5, -0.3), (0.7, 0), (0.5, 0.3), (-0.5, 0.3))",
        "box(1, 0.7, 0.4)"};
    static const double restitution[] = {0, 0.3, 1};
    (void)state;
    for (long i = 0; i < cases(240); i++) {
        int which = (int)(i % 4);
        bool space = which == 3;
        double e = restitution[i / 4 % 3];
        double tilt = uniform(0, 1) < 0.1 ? 0 : pow(10, uniform(-16, -0.3));
        char text[1024], turn[96];
        struct run r;
        if (space)
            snprintf(turn, sizeof turn, "rotation = ((1, %.17g, 0), %.17g)",
                     uniform(0, 1) < 0.5 ? 0 : 0.7, tilt);
        else
            snprintf(turn, sizeof turn, "angle = %.17g", tilt);
        snprintf(text, sizeof text,
                 "use shapes\nworld { gravity = (0, %s-9.81) }\n"
                 "body d : %s { mass = 1 position = (3, %s2) %s }\n"
                 "body floor : %s { fixed = true }\n"
                 "contact k : floor | d { restitution = %g }\n"
                 "simulate { until = 4 }\n",
                 space ? "0, " : "", shape[which], space ? "0, " : "", turn,
                 space ? "half_space" : "half_plane", e);
        run(&r, text, false);
        if (e == 1) {
            fine(&r);
            near(number(&r, 0, "energy_after"), number(&r, 0, "energy_before"),
                 1e-12 * number(&r, 0, "energy_before"));
            const struct field_value *t = field(&r, 0, "event_times");
            for (size_t k = 4; k < t->n; k++)
                assert_true(t->num[k] > t->num[k - 4]);
        } else {
            /* comes to rest, by chatter or at once, and stays */
            if (r.status != IMP_EXIT_OK)
                print_error("%s", text);
            fine(&r);
            assert_string_equal(word(&r, 0, "status"), "done");
            const double *x = r.d.run->env + r.im->layout.state;
            const double *v = x + (space ? 7 : 3);
            for (int k = 0; k < (space ? 6 : 3); k++) {
                if (!(fabs(v[k]) < 1e-12))
                    print_error("%s v[%d] = %g\n", text, k, v[k]);
                near(v[k], 0, 1e-12);
            }
        }
        done(&r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_touch),
        cmocka_unit_test(past_an_edge),
        cmocka_unit_test(tilts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
