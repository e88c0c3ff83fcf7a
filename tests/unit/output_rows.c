/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many rows as CSV and JSON lines: the same bytes from any number of threads,
 * with and without the shape of their grid, and those of a plain writer; memory
 * that ends while threads write; work in parts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/parts.h"
#include "base/source.h"
#include "output/out_priv.h"

enum { A = 40, B = 3, C = 173, ROWS = A * B * C, COLUMNS = 7 };

struct test {
    struct arena *a;
    struct diags ds;
    struct output o;
    char dir[40];
    struct out_column c[COLUMNS];
    uint64_t shape[3];
};

static int
nowhere(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return 0;
}

static void
fill(struct test *t)
{
    static const char *const word[] = {
        "complete",
        "",
        "a,b",
        "say \"no\"",
        "two\nlines",
        "a text that is longer than what is kept of texts that come again",
        "partial"};
    double *x[5];
    for (int k = 0; k < 5; k++)
        x[k] = NEW_N(t->a, double, ROWS);
    const char **s = NEW_N(t->a, const char *, ROWS),
               **own = NEW_N(t->a, const char *, ROWS);
    for (int i = 0; i < ROWS; i++) {
        x[0][i] = 0.1 * (i / (B * C));
        x[1][i] = i / C % B - 1.0; /* a zero among them */
        x[2][i] = 1.0 / (1 + i % C);
        x[3][i] = i % 7 == 3 ? NAN : i % 11 == 5 ? -0.0 : sin(i % 1000);
        x[4][i] = 1e-300 * i;
        s[i] = word[i * 31 % 7];
        own[i] = arena_printf(t->a, "%d", i);
    }
    t->c[0] = (struct out_column){"a", "", x[0], ROWS, NULL};
    t->c[1] = (struct out_column){"b,c", "", x[1], ROWS, NULL};
    t->c[2] = (struct out_column){"c", "", x[2], ROWS, NULL};
    t->c[3] = (struct out_column){"word", "", NULL, ROWS, s};
    t->c[4] = (struct out_column){"x", "", x[3], ROWS, NULL};
    t->c[5] = (struct out_column){"short", "", x[4], 5000, NULL};
    t->c[6] = (struct out_column){"own", "", NULL, ROWS, own};
    t->shape[0] = A;
    t->shape[1] = B;
    t->shape[2] = C;
}

static int
begin(void **state)
{
    struct arena *a = arena_new();
    struct test *t = NEW(a, struct test);
    t->a = a;
    diags_init(&t->ds, a, sources_new(a));
    strcpy(t->dir, "/tmp/imp-rows-XXXXXX");
    assert_non_null(mkdtemp(t->dir));
    t->o = (struct output){.write = nowhere, .width = 80, .dir = t->dir};
    fill(t);
    *state = t;
    return 0;
}

static int
end(void **state)
{
    struct test *t = *state;
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", t->dir);
    assert_int_equal(system(command), 0);
    arena_free(t->a);
    return 0;
}

static void
slurp(struct test *t, const char *name, struct buf *b)
{
    char path[100], piece[4096];
    size_t n;
    snprintf(path, sizeof path, "%s/%s", t->dir, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    buf_clear(b);
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_put(b, piece, n);
    fclose(f);
}

static void
plain_text(struct buf *b, const char *s)
{
    bool quotes = strpbrk(s, ",\"\n") != NULL;
    if (quotes)
        buf_putc(b, '"');
    for (; *s; s++) {
        if (*s == '"')
            buf_putc(b, '"');
        buf_putc(b, *s);
    }
    if (quotes)
        buf_putc(b, '"');
}

static void
plain(struct test *t, struct buf *b)
{
    char s[NUM_TEXT];
    for (int j = 0; j < COLUMNS; j++) {
        plain_text(b, t->c[j].name);
        buf_putc(b, j + 1 < COLUMNS ? ',' : '\n');
    }
    for (size_t i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const struct out_column *c = &t->c[j];
            if (i < c->n && c->texts)
                plain_text(b, c->texts[i]);
            else if (i < c->n && isfinite(c->x[i]))
                buf_puts(b, out_digits_17(s, c->x[i]));
            buf_putc(b, j + 1 < COLUMNS ? ',' : '\n');
        }
}

static const int threads[] = {1, 2, 3, 7, 100};
enum { TRIES = sizeof threads / sizeof *threads };

static int
save(struct test *t, const char *name, size_t axes, int n)
{
    struct out_grid g = {
        .n_varying = 3, .n_axes = axes, .shape = t->shape, .threads = n};
    return out_save_grid(&t->o, &t->ds, IMP_NOWHERE, name, t->c, COLUMNS, &g);
}

static void
as_a_plain_writer(void **state)
{
    struct test *t = *state;
    struct buf want = {0}, got = {0};
    plain(t, &want);
    for (int k = 0; k < TRIES; k++)
        for (size_t axes = 0; axes <= 3; axes += 3) {
            assert_int_equal(save(t, "s.csv", axes, threads[k]), IMP_OK);
            slurp(t, "s.csv", &got);
            assert_int_equal(got.n, want.n);
            assert_memory_equal(got.s, want.s, want.n);
        }
    buf_free(&want);
    buf_free(&got);
}

static void
lines_of_json(void **state)
{
    struct test *t = *state;
    struct buf want = {0}, got = {0};
    size_t lines = 0;
    assert_int_equal(
        out_save(&t->o, &t->ds, IMP_NOWHERE, "s.jsonl", t->c, COLUMNS), IMP_OK);
    slurp(t, "s.jsonl", &want);
    for (size_t i = 0; i < want.n; i++)
        lines += want.s[i] == '\n';
    assert_int_equal(lines, ROWS);
    for (int k = 0; k < TRIES; k++) {
        assert_int_equal(save(t, "s.jsonl", 3, threads[k]), IMP_OK);
        slurp(t, "s.jsonl", &got);
        assert_int_equal(got.n, want.n);
        assert_memory_equal(got.s, want.s, want.n);
    }
    buf_free(&want);
    buf_free(&got);
}

/* whichever allocation of the calling thread fails: what was there stays */
static void
memory_ends(void **state)
{
    struct test *t = *state;
    struct buf was = {0}, got = {0};
    struct oom_guard g;
    volatile int failed = 0;
    assert_int_equal(save(t, "s.csv", 3, 2), IMP_OK);
    slurp(t, "s.csv", &was);
    for (volatile long n = 1; n < 60; n++) {
        if (setjmp(g.env)) {
            oom_leave(&g);
            failed++;
        } else {
            oom_enter(&g);
            oom_fail_at(n);
            (void)save(t, "s.csv", 3, 2);
            oom_leave(&g);
        }
        oom_fail_at(0);
        slurp(t, "s.csv", &got);
        assert_int_equal(got.n, was.n);
        assert_memory_equal(got.s, was.s, was.n);
    }
    assert_true(failed > 5);
    buf_free(&was);
    buf_free(&got);
}

/* -- parts ------------------------------------------------------------------
 */

struct done {
    int threads;
    unsigned char times[1000];
    bool fail;
};

static void
do_part(void *ctx, int worker, size_t k)
{
    struct done *d = ctx;
    assert_in_range(worker, 0, d->threads - 1);
    d->times[k]++;
    if (d->fail && k == 500)
        oom_raise();
}

static void
each_part_once(void **state)
{
    (void)state;
    for (int k = 0; k < TRIES; k++) {
        struct done d = {.threads = threads[k]};
        parts_run(threads[k], 0, do_part, &d);
        assert_int_equal(d.times[0], 0);
        parts_run(threads[k], sizeof d.times, do_part, &d);
        for (size_t i = 0; i < sizeof d.times; i++)
            assert_int_equal(d.times[i], 1);
    }
}

static void
memory_ends_in_a_part(void **state)
{
    struct oom_guard g;
    (void)state;
    for (int k = 0; k < TRIES; k++) {
        struct done d = {.threads = threads[k], .fail = true};
        if (setjmp(g.env)) {
            oom_leave(&g);
            continue;
        }
        oom_enter(&g);
        parts_run(threads[k], sizeof d.times, do_part, &d);
        fail();
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_a_plain_writer, begin, end),
        cmocka_unit_test_setup_teardown(lines_of_json, begin, end),
        cmocka_unit_test_setup_teardown(memory_ends, begin, end),
        cmocka_unit_test(each_part_once),
        cmocka_unit_test(memory_ends_in_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
