/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code that comes while a run is under way (cli/code/jit.c): wherever
 * the change falls, the output is that of the evaluator to the last byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cli/code/jit.h"
#include "cli/code/load.h"
#include "cli/code/where.h"
#include "cli/session/session.h"
#include "runtime/instance/run.h"

static const char model[] =
    "world { gravity = (0, -9.81) }\n"
    "body one { planar = true  mass = 1  inertia = 0.1  position = (0.5, 0) }\n"
    "body two { planar = true  mass = 2  inertia = 0.05  position = (1.3, 0) "
    "}\n"
    "joint a : hinge(one, world) { at = (0, 0) }\n"
    "joint b : hinge(two, one) { at = (1, 0) }\n"
    "let s = simulate { until = 1  at = (0, 0.3, 1)\n"
    "  record = (one.angle, two.angle) }\n"
    "show s.one_angle[2], s.two_angle[2], s.joint_error\n";
/* many short simulations, none of which is worth machine code */
static const char sweep[] =
    "use shapes\n"
    "param turn = 0\n"
    "world { gravity = (0, 0, -9.81) }\n"
    "body floor : half_space { fixed = true }\n"
    "body crate : box(1, 0.8, 0.6) {\n"
    "  mass = 2  position = (0, 0, 1.6)  rotation = ((1, 2, 3), turn) }\n"
    "contact k : floor | crate { restitution = 0.7 }\n"
    "let s = sweep {\n"
    "  over = (turn in linspace(0, 3, 600))\n"
    "  run = simulate { until = 1 }\n"
    "  record = (count)\n}\n"
    "show sum(s.count)\n";

static int
collect(void *ctx, const char *s, size_t n)
{
    buf_put(ctx, s, n);
    return 0;
}

/* a run; ahead >= 0: code comes after so much more work of the evaluator.
 * *spent: what it has done; true if there is code at the end */
static bool
run_from(const char *text, enum session_backend backend, bool cache,
         double ahead, struct buf *out, double *spent)
{
    struct session_options o;
    struct session s = {0};
    struct oom_guard g;
    bool code = false;

    if (setjmp(g.env)) {
        oom_leave(&g);
        fail();
    }
    oom_enter(&g);
    session_defaults(&o);
    o.backend = backend;
    o.cache = cache;
    session_open(&s, &o);
    s.sink.write = collect;
    s.sink.ctx = out;
    session_add_text(&s, "m.imp", text, strlen(text), false);
    assert_int_equal(session_check(&s), IMP_EXIT_OK);
    assert_int_equal(session_compile(&s), IMP_EXIT_OK);
    assert_int_equal(session_code(&s), IMP_EXIT_OK);
    struct rt_tier *t = model_code_tier(s.code);
    double from = 0;
    if (ahead >= 0)
        from = t->spent = t->limit - ahead;
    assert_int_equal(session_run(&s), IMP_EXIT_OK);
    if (t)
        *spent = t->spent - from;
    code = model_code_table(s.code) != NULL;
    session_close(&s);
    oom_leave(&g);
    return code;
}

static bool
run(const char *text, enum session_backend backend, double ahead,
    struct buf *out, double *spent)
{
    return run_from(text, backend, false, ahead, out, spent);
}

/* Is the code generator, and LLVM with it, in this process? */
static bool
loaded(void)
{
    char path[WHERE_MAX];
    assert_true(where_is(CODEGEN_FILE, path));
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

/* How many objects are in the cache? */
static int
objects(const char *folder)
{
    int n = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return 0;
    for (struct dirent *at; (at = readdir(dir));)
        n += at->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* The cache is asked without LLVM, and what one way to machine code has put
 * there the other one finds. */
static void
cached(void **state)
{
    char root[] = "/tmp/imp-tier-XXXXXX", folder[64], cmd[64];
    struct buf out = {0};
    double spent;

    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/imp", root);
    assert_int_equal(setenv("XDG_CACHE_HOME", root, 1), 0);
    /* the cache has nothing, and this little work pays for no code */
    assert_false(run_from(model, SESSION_AUTO, true, 0, &out, &spent));
#ifdef __x86_64__
    assert_false(loaded());
#endif
    assert_int_equal(objects(folder), 0);
    run_from(model, SESSION_JIT, true, -1, &out, &spent);
    assert_true(loaded());
    assert_int_equal(objects(folder), 1);
    assert_true(run_from(model, SESSION_AUTO, true, 0, &out, &spent));
    assert_int_equal(objects(folder), 1);
    buf_free(&out);
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", root);
    assert_int_equal(system(cmd), 0);
}

static void
same_bytes(void **state)
{
    struct buf want = {0}, got = {0};
    double all = 0, spent;

    (void)state;
    run(model, SESSION_EVAL, -1, &want, &spent);
    /* too short for code */
    assert_false(run(model, SESSION_AUTO, -1, &got, &all));
    assert_true(all > 0);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.s, want.s, want.n);
    for (int i = 0; i < 5; i++) {
        buf_clear(&got);
        assert_true(run(model, SESSION_AUTO, all * i / 5, &got, &spent));
        assert_true(spent < all);
        assert_int_equal(got.n, want.n);
        assert_memory_equal(got.s, want.s, want.n);
    }
    buf_free(&want);
    buf_free(&got);
}

/* The simulations of a sweep are work together: that each is done soon does not
 * put the code off. */
static void
many_runs(void **state)
{
    struct buf want = {0}, got = {0};
    double spent;

    (void)state;
    run(sweep, SESSION_EVAL, -1, &want, &spent);
    assert_true(run(sweep, SESSION_AUTO, 2e6, &got, &spent));
    assert_true(spent < 4e6);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.s, want.s, want.n);
    buf_free(&want);
    buf_free(&got);
}

/* Where the work ahead is foreseen, code is asked for early if it saves its
 * cost, and not at all for a short rest; without a forecast, or against one
 * that never comes true, the work that has been spent decides. */
static void
forecast(void **state)
{
    struct rt_tier tier = {.limit = 100};
    struct rt rt = {.tier = &tier};

    (void)state;
    tier.spent = 99;
    assert_false(rt_tier_due(&tier));
    tier.spent = 100;
    assert_true(rt_tier_due(&tier));
    rt_progress(&rt, 0);
    tier.spent = 130;
    rt_progress(&rt, 0.01); /* 2970 to come */
    assert_true(rt_tier_due(&tier));
    rt_progress(&rt, 0.5); /* 30 to come */
    assert_false(rt_tier_due(&tier));
    rt_progress(&rt, 1);
    assert_false(rt_tier_due(&tier));
    tier.spent = 400;
    assert_true(rt_tier_due(&tier));
    rt_progress(&rt, 0);
    tier.spent = 20;
    tier.from = 0;
    rt_progress(&rt, 0.001); /* too early to be trusted */
    assert_false(rt_tier_due(&tier));
    tier = (struct rt_tier){.limit = 100, .part = true};
    rt_progress(&rt, 0);
    tier.spent = 50;
    rt_progress(&rt, 0.01); /* what is to come of one run of many */
    assert_false(rt_tier_due(&tier));
    tier.spent = 100;
    rt_progress(&rt, 1);
    assert_true(rt_tier_due(&tier));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cached), cmocka_unit_test(same_bytes),
        cmocka_unit_test(many_runs), cmocka_unit_test(forecast)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
