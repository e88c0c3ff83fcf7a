/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C API and the session: options, params, results by path, threads, and
 * memory that runs out at any allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "imp/imp.h"

static const char model[] =
    "use shapes\n"
    "param v = 1 [m/s] in [0.1, 10]\n"
    "body one : circle(1) { density = 1  velocity = (v, 0) }\n"
    "body two : circle(1) { density = 1  position = (3, 0) }\n"
    "contact touch : one | two { restitution = 0.5 }\n"
    "let r = classify touch\n"
    "show r.time\n"
    "expect r.class == \"C-\"\n";

static imp *
loaded(void)
{
    imp *h = imp_new();

    assert_non_null(h);
    assert_int_equal(imp_option(h, "backend", "eval"), IMP_FINE);
    assert_int_equal(imp_load_text(h, "m.imp", model, strlen(model)), IMP_FINE);
    return h;
}

static void
test_results(void **state)
{
    imp *h = loaded();
    double x;
    size_t n;

    (void)state;
    assert_int_equal(imp_run(h), IMP_FINE);
    imp_output(h, &n);
    assert_true(n > 0);
    assert_int_equal(imp_get(h, "r.time", &x), IMP_FINE);
    assert_true(x > 1 - 1e-12 && x < 1 + 1e-12);
    assert_string_equal(imp_get_text(h, "r.class"), "C-");
    assert_int_equal(imp_get(h, "r.normal[0]", &x), IMP_FINE);
    assert_true(x > 1 - 1e-9 && x < 1 + 1e-9);
    assert_int_equal(imp_get(h, "r.normal[-2]", &x), IMP_FINE);
    assert_int_equal(imp_get(h, "r.normal[7]", &x), IMP_MODEL_WRONG);
    assert_int_equal(imp_get(h, "r.nothing", &x), IMP_MODEL_WRONG);
    assert_int_equal(imp_get(h, "q.time", &x), IMP_MODEL_WRONG);
    assert_int_equal(imp_get(h, "r", &x), IMP_MODEL_WRONG);
    assert_null(imp_get_text(h, "r.time"));
    imp_free(h);
}

static void
test_params(void **state)
{
    imp *h = loaded();
    double x;

    (void)state;
    assert_int_equal(imp_set(h, "v", 2), IMP_FINE);
    assert_int_equal(imp_run(h), IMP_FINE);
    assert_int_equal(imp_get(h, "r.time", &x), IMP_FINE);
    assert_true(x > 0.5 - 1e-12 && x < 0.5 + 1e-12);
    assert_int_equal(imp_set_text(h, "v", "250 [mm/s]"), IMP_FINE);
    assert_int_equal(imp_run(h), IMP_FINE);
    assert_int_equal(imp_get(h, "r.time", &x), IMP_FINE);
    assert_true(x > 4 - 1e-12 && x < 4 + 1e-12);
    assert_int_equal(imp_set(h, "v", 1000), IMP_MODEL_WRONG);
    assert_int_equal(imp_set(h, "w", 1), IMP_MODEL_WRONG);
    assert_int_equal(imp_set_text(h, "v", "3 [kg]"), IMP_MODEL_WRONG);
    assert_true(strstr(imp_diagnostics(h, NULL), "[m/s]") != NULL);
    /* what was refused is not kept */
    assert_int_equal(imp_set(h, "v", 2), IMP_FINE);
    assert_int_equal(imp_run(h), IMP_FINE);
    imp_free(h);
}

static void
test_errors(void **state)
{
    static const char wrong[] = "show lenght\n", unmet[] = "expect 1 > 2\n";
    imp *h = imp_new();

    (void)state;
    assert_int_equal(imp_run(h), IMP_MODEL_WRONG);
    assert_int_equal(imp_option(h, "backend", "tape"), IMP_MODEL_WRONG);
    assert_int_equal(imp_option(h, "colour", "1"), IMP_MODEL_WRONG);
    assert_int_equal(imp_option(h, "backend", "eval"), IMP_FINE);
    assert_int_equal(imp_load_file(h, "/no/such/file.imp"), IMP_MODEL_WRONG);
    assert_true(strstr(imp_diagnostics(h, NULL), "E0805") != NULL);
    assert_int_equal(imp_load_text(h, "w.imp", wrong, strlen(wrong)),
                     IMP_MODEL_WRONG);
    assert_true(strstr(imp_diagnostics(h, NULL), "lenght") != NULL);
    assert_int_equal(imp_run(h), IMP_MODEL_WRONG);
    assert_int_equal(imp_load_text(h, "u.imp", unmet, strlen(unmet)), IMP_FINE);
    assert_int_equal(imp_run(h), IMP_EXPECT_FAILED);
    imp_free(h);
    imp_free(NULL);
}

/* NULL, and lengths that no memory has, are refused; what was loaded stays. */
static void
test_no_arguments(void **state)
{
    imp *h = loaded();
    double x;
    size_t n;

    (void)state;
    assert_int_equal(imp_load_text(h, NULL, "show 1", 6), IMP_MODEL_WRONG);
    assert_int_equal(imp_load_text(h, "a.imp", NULL, 6), IMP_MODEL_WRONG);
    assert_int_equal(imp_load_text(h, "a.imp", "show 1", SIZE_MAX),
                     IMP_MODEL_WRONG);
    assert_int_equal(imp_load_text(h, "a.imp", "show 1", SIZE_MAX / 2),
                     IMP_MODEL_WRONG);
    assert_int_equal(imp_load_file(h, NULL), IMP_MODEL_WRONG);
    assert_true(strstr(imp_diagnostics(h, &n), "E0822") != NULL);
    assert_int_equal(n, strlen(imp_diagnostics(h, NULL)));
    assert_int_equal(imp_set(h, NULL, 1), IMP_MODEL_WRONG);
    assert_int_equal(imp_set_text(h, NULL, "1"), IMP_MODEL_WRONG);
    assert_int_equal(imp_set_text(h, "v", NULL), IMP_MODEL_WRONG);
    assert_int_equal(imp_option(h, NULL, "1"), IMP_MODEL_WRONG);
    assert_int_equal(imp_option(h, "json", NULL), IMP_MODEL_WRONG);
    assert_int_equal(imp_run(h), IMP_FINE);
    assert_int_equal(imp_get(h, "r.time", NULL), IMP_MODEL_WRONG);
    assert_int_equal(imp_get(h, NULL, &x), IMP_MODEL_WRONG);
    assert_int_equal(imp_get(h, "r.time", &x), IMP_FINE);
    assert_null(imp_get_text(h, NULL));
    imp_free(h);
    assert_int_equal(imp_run(NULL), IMP_MODEL_WRONG);
    assert_int_equal(imp_load_text(NULL, "a", "", 0), IMP_MODEL_WRONG);
    assert_int_equal(imp_load_file(NULL, "a"), IMP_MODEL_WRONG);
    assert_int_equal(imp_set(NULL, "v", 1), IMP_MODEL_WRONG);
    assert_int_equal(imp_set_text(NULL, "v", "1"), IMP_MODEL_WRONG);
    assert_int_equal(imp_option(NULL, "json", "1"), IMP_MODEL_WRONG);
    assert_int_equal(imp_get(NULL, "r.time", &x), IMP_MODEL_WRONG);
    assert_null(imp_get_text(NULL, "r.status"));
    assert_string_equal(imp_output(NULL, &n), "");
    assert_string_equal(imp_diagnostics(NULL, NULL), "");
    imp_stop(NULL);
}

/* A refused call says why, and that alone; the results of the last run stay. */
static void
test_refusals(void **state)
{
    static const char *const wrong[][2] = {
        {"backend", "tape"}, {"opt", "3"},       {"json", "yes"},
        {"seed", "2.5"},     {"seed", "-1"},     {"seed", "1e300"},
        {"threads", "0"},    {"threads", "257"}, {"diagnostics", ""},
        {"cache", NULL}};
    imp *h = loaded();
    double x;

    (void)state;
    assert_int_equal(imp_run(h), IMP_FINE);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(imp_option(h, wrong[i][0], wrong[i][1]),
                         IMP_MODEL_WRONG);
        assert_true(strstr(imp_diagnostics(h, NULL), "E0804") != NULL);
        assert_true(strstr(imp_diagnostics(h, NULL), wrong[i][0]) != NULL);
    }
    assert_int_equal(imp_option(h, "Backend", "eval"), IMP_MODEL_WRONG);
    assert_true(strstr(imp_diagnostics(h, NULL), "there are backend") != NULL);
    assert_int_equal(imp_load_file(h, NULL), IMP_MODEL_WRONG);
    assert_null(strstr(imp_diagnostics(h, NULL), "Backend"));
    assert_int_equal(imp_get(h, "r.time", &x), IMP_FINE);
    assert_int_equal(imp_option(h, "threads", "2"), IMP_FINE);
    assert_string_equal(imp_diagnostics(h, NULL), "");
    /* no model is left by a file that is not there, as by a wrong one */
    assert_int_equal(imp_load_file(h, "/no/such/file.imp"), IMP_MODEL_WRONG);
    assert_int_equal(imp_load_text(h, NULL, "", 0), IMP_MODEL_WRONG);
    assert_null(strstr(imp_diagnostics(h, NULL), "such/file"));
    assert_int_equal(imp_run(h), IMP_MODEL_WRONG);
    assert_int_equal(imp_set(h, "v", 1), IMP_MODEL_WRONG);
    imp_free(h);
}

/* Lists as a whole, and matrices row by row. */
static void
test_lists(void **state)
{
    static const char text[] =
        "body one { mass = 1  inertia = 1  velocity = (1, 2) }\n"
        "let r = simulate { until = 1  at = (0, 0.5, 1)  "
        "record = (one.position, energy) }\n";
    imp *h = imp_new();
    double x;
    size_t width = 7;

    (void)state;
    assert_int_equal(imp_option(h, "backend", "eval"), IMP_FINE);
    assert_int_equal(imp_load_text(h, "l.imp", text, strlen(text)), IMP_FINE);
    assert_int_equal(imp_count(h, "r.t", &width), 0);
    assert_int_equal(imp_run(h), IMP_FINE);
    assert_int_equal(imp_count(h, "r.t", &width), 3);
    assert_int_equal(width, 1);
    assert_int_equal(imp_count(h, "r.one_position", &width), 6);
    assert_int_equal(width, 2);
    const double *place = imp_get_list(h, "r.one_position");
    assert_non_null(place);
    for (size_t i = 0; i < 6; i++) {
        char path[32];
        snprintf(path, sizeof path, "r.one_position[%zu]", i);
        assert_true(place[i] == 0.5 * (double)(i / 2) * (double)(1 + i % 2));
        assert_int_equal(imp_get(h, path, &x), IMP_FINE);
        assert_true(x == place[i]);
    }
    assert_true(imp_get_list(h, "r.time")[0] == 1);
    assert_int_equal(imp_count(h, "r.time", NULL), 1);
    assert_int_equal(imp_count(h, "r.status", NULL), 1);
    assert_null(imp_get_list(h, "r.status"));
    assert_null(imp_get_list(h, "r.event_times"));
    assert_int_equal(imp_count(h, "r.event_kinds", NULL), 0);
    assert_int_equal(imp_count(h, "r.t[0]", NULL), 0);
    assert_int_equal(imp_count(h, "r.nothing", &width), 0);
    assert_null(imp_get_list(NULL, "r.t"));
    assert_int_equal(imp_count(NULL, NULL, NULL), 0);
    imp_free(h);
}

static void *
one_thread(void *ctx)
{
    imp *h = ctx;

    for (int i = 0; i < 5; i++)
        if (imp_run(h) != IMP_FINE)
            return NULL;
    return h;
}

static void
test_threads(void **state)
{
    pthread_t t[2];
    imp *h[2];
    void *back;

    (void)state;
    for (int i = 0; i < 2; i++) {
        h[i] = loaded();
        assert_int_equal(imp_set(h[i], "v", 1 + i), IMP_FINE);
        assert_int_equal(pthread_create(&t[i], NULL, one_thread, h[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        double x;
        assert_int_equal(pthread_join(t[i], &back), 0);
        assert_ptr_equal(back, h[i]);
        assert_int_equal(imp_get(h[i], "r.time", &x), IMP_FINE);
        assert_true(x * (1 + i) > 1 - 1e-12 && x * (1 + i) < 1 + 1e-12);
        imp_free(h[i]);
    }
}

/* the n-th allocation fails, for every n (every 7th, later): status 3, no
 * leak (seen by the sanitizer), and the handle can be used again */
static void
test_memory(void **state)
{
    bool fine = false;

    (void)state;
    for (long n = 1; n < 20000 && !fine; n += n < 200 ? 1 : n / 29) {
        imp *h = imp_new();
        imp_option(h, "backend", "eval");
        oom_fail_at(n);
        int status = imp_load_text(h, "m.imp", model, strlen(model));
        if (status == IMP_FINE)
            status = imp_run(h);
        fine = status == IMP_FINE;
        oom_fail_at(0);
        assert_true(status == IMP_FINE || status == IMP_RUN_FAILED);
        if (!fine && n % 5 == 0) {
            assert_int_equal(imp_load_text(h, "m.imp", model, strlen(model)),
                             IMP_FINE);
            assert_int_equal(imp_run(h), IMP_FINE);
        }
        imp_free(h);
    }
    assert_true(fine);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),  cmocka_unit_test(test_params),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_no_arguments),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
