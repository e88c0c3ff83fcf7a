/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory's end in whole runs: the n-th allocation fails, for every n at first
 * and further apart later, over models that ask every command (those that
 * fuzzing begins with), with files written. Each run ends with status 3 and a
 * message or gives what it always gives, nothing is lost (which sanitizers
 * see), and the same handle then runs as if nothing had been. Threads of
 * sweeps, HDF5 and pictures: tests/oom.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "imp/imp.h"

#if defined __SANITIZE_ADDRESS__
#define WATCHED 1
#elif defined __has_feature
#define WATCHED __has_feature(address_sanitizer)
#else
#define WATCHED 0
#endif

/* every n up to FIRST, then steps of n/SHARE */
enum { FIRST = 20, SHARE = 8, MOST = 1000000 };

static char folder[] = "/tmp/imp-memory-XXXXXX";

static int
away(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st;
    (void)what;
    (void)at;
    return remove(path);
}

static imp *
handle(void)
{
    imp *h = imp_new();
    assert_non_null(h);
    imp_option(h, "backend", "eval");
    imp_option(h, "out", folder);
    return h;
}

static char *
copy_of(const char *s)
{
    char *p = malloc(strlen(s) + 1);
    assert_non_null(p);
    return strcpy(p, s);
}

/* the n-th allocation fails in loading or running; false: there was no n-th */
static bool
fails_at(const char *path, long n, const char *want, int want_status)
{
    imp *h = handle();
    oom_fail_at(n);
    int status = imp_load_file(h, path);
    if (status == IMP_FINE)
        status = imp_run(h);
    bool over = oom_fail_at(0);
    size_t said;
    imp_diagnostics(h, &said);
    if (status == IMP_RUN_FAILED && status != want_status)
        assert_true(said > 0);
    else
        assert_int_equal(status, want_status);
    if (over && status == want_status)
        assert_string_equal(imp_output(h, NULL), want);
    if (!over && n % 3 == 0) {
        assert_int_equal(imp_load_file(h, path), IMP_FINE);
        assert_int_equal(imp_run(h), want_status);
        assert_string_equal(imp_output(h, NULL), want);
    }
    imp_free(h);
    return !over;
}

static void
one_model(const char *path)
{
    imp *h = handle();
    if (imp_load_file(h, path) != IMP_FINE)
        fail_msg("%s: %s", path, imp_diagnostics(h, NULL));
    int status = imp_run(h);
    char *want = copy_of(imp_output(h, NULL));
    imp_free(h);
    for (long n = 1; n < MOST; n += n < FIRST ? 1 : n / SHARE)
        if (!fails_at(path, n, want, status))
            break;
    free(want);
}

static void
test_models(void **state)
{
    glob_t g;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(
        glob(IMP_SOURCE_DIR "/tests/fuzz/seeds/*.imp", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++)
        one_model(g.gl_pathv[i]);
    globfree(&g);
    nftw(folder, away, 8, FTW_DEPTH | FTW_PHYS);
}

/* Address space of this process, bytes: large pieces come from the system and
 * go back there. 0 where nobody tells it, or where the address sanitizer keeps
 * what is freed. */
static size_t
mapped(void)
{
    unsigned long pages = 0;
    FILE *file = WATCHED ? NULL : fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Large pieces go back at once, each alone; small ones stay. */
static void
test_drop(void **state)
{
    (void)state;
    enum { LARGE = 1 << 24, N = 5 };
    struct arena *arena = arena_new();
    char *piece[N], *small = arena_strdup(arena, "small");
    for (int i = 0; i < N; i++) {
        piece[i] = arena_alloc(arena, LARGE);
        memset(piece[i], i, LARGE);
    }
    size_t held = mapped();
    static const int order[] = {2, 0, 4};
    for (int i = 0; i < 3; i++) {
        arena_drop(arena, piece[order[i]]);
        assert_true(!held || mapped() + (size_t)(i + 1) * LARGE <= held);
    }
    arena_drop(arena, small);
    arena_drop(arena, NULL);
    assert_string_equal(small, "small");
    assert_true(piece[1][LARGE - 1] == 1 && piece[3][0] == 3);
    arena_free(arena);
}

/* A large piece changes its owner where it lies, a small one is copied; both
 * outlive the arena that they are from. */
static void
test_give(void **state)
{
    (void)state;
    enum { LARGE = 1 << 24 };
    for (int used = 0; used < 2; used++) {
        struct arena *from = arena_new(), *to = arena_new();
        char *beside = used ? arena_strdup(to, "beside") : NULL,
             *small = arena_strdup(from, "small"),
             *large = arena_alloc(from, LARGE);
        memset(large, 7, LARGE);
        size_t held = mapped();
        char *given = arena_give(from, large, LARGE / 2, to),
             *copied = arena_give(from, small, 6, to);
        assert_ptr_equal(given, large);
        assert_ptr_not_equal(copied, small);
        assert_true(mapped() <= held + LARGE / 2);
        arena_free(from);
        assert_true(given[0] == 7 && given[LARGE - 1] == 7);
        assert_string_equal(copied, "small");
        if (used)
            assert_string_equal(beside, "beside");
        assert_string_equal(arena_strdup(to, "more"), "more");
        arena_free(to);
        assert_true(!held || mapped() + LARGE <= held);
    }
}

/* A piece that becomes larger keeps its bytes, what is behind them is zero, and
 * a large one is not there twice while that is done. */
static void
test_enlarge(void **state)
{
    (void)state;
    enum { SMALL = 100, LARGE = 1 << 24, MORE = LARGE + LARGE / 4 };
    struct arena *arena = arena_new();
    char *piece = arena_enlarge(arena, NULL, 0, SMALL);
    memset(piece, 1, SMALL);
    piece = arena_enlarge(arena, piece, SMALL, LARGE);
    char *beside = arena_strdup(arena, "beside");
    assert_true(piece[0] == 1 && piece[SMALL - 1] == 1 && !piece[SMALL]);
    memset(piece, 2, LARGE);
    size_t held = mapped();
    piece = arena_enlarge(arena, piece, LARGE / 2, MORE);
    assert_true(!held || mapped() <= held + LARGE / 2);
    for (int i = 0; i < MORE; i++)
        if (piece[i] != (i < LARGE / 2 ? 2 : 0))
            fail_msg("byte %d is %d", i, piece[i]);
    assert_string_equal(beside, "beside");
    arena_drop(arena, piece);
    assert_true(!held || mapped() + LARGE <= held);
    assert_string_equal(arena_strdup(arena, "more"), "more");
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models), cmocka_unit_test(test_drop),
        cmocka_unit_test(test_give), cmocka_unit_test(test_enlarge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
