/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records as text and JSON, columns as CSV, JSON lines and plots, refused file
 * names, sinks that fail. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/source.h"
#include "output/out.h"

/* an image made by hand: head, one command with fields, texts */
struct fake {
    imp_image im;
    imp_command c;
    imp_field f[8];
    char text[400];
    uint32_t used;
};
static imp_str
text(struct fake *k, const char *s)
{
    imp_str r = {(uint32_t)(offsetof(struct fake, text) + k->used),
                 (uint32_t)strlen(s)};
    memcpy(k->text + k->used, s, r.n + 1);
    k->used += r.n + 1;
    return r;
}
static void
field(struct fake *k, const char *name, const char *unit, uint32_t kind,
      uint32_t width)
{
    k->f[k->c.fields.n++] =
        (imp_field){text(k, name), text(k, unit), text(k, ""), kind, 0, width, 0, 0};
}

struct test {
    struct fake *k;
    struct arena *a;
    struct diags ds;
    struct record *r;
    struct output o;
    struct buf got;
    char dir[40];
};

static int
collect(void *ctx, const char *s, size_t n)
{
    buf_put(&((struct test *)ctx)->got, s, n);
    return 0;
}
static int
full(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return ENOSPC;
}

static int
begin(void **state)
{
    struct test *t = calloc(1, sizeof *t);
    struct fake *k = t->k = calloc(1, sizeof *k);
    t->a = arena_new();
    diags_init(&t->ds, t->a, sources_new(t->a));
    k->c.id = IMP_CMD_classify;
    k->c.bound = text(k, "r");
    k->c.fields.off = offsetof(struct fake, f);
    field(k, "time", "s", IMP_FIELD_NUM, 1);
    field(k, "class", "", IMP_FIELD_TEXT, 1);
    field(k, "good", "", IMP_FIELD_BOOL, 1);
    field(k, "P", "m", IMP_FIELD_VEC, 2);
    field(k, "series", "m/s^k", IMP_FIELD_LIST, 1);
    field(k, "S", "1/m", IMP_FIELD_MAT, 2);
    field(k, "warnings", "", IMP_FIELD_TEXTS, 1);
    field(k, "margin", "1", IMP_FIELD_NUM, 1);
    t->r = record_new(t->a, &k->im, &k->c);
    t->o = (struct output){.write = collect, .ctx = t, .width = 80};
    strcpy(t->dir, "/tmp/imp-output-XXXXXX");
    assert_non_null(mkdtemp(t->dir));
    *state = t;
    return 0;
}
static int
end(void **state)
{
    struct test *t = *state;
    char cmd[100];
    snprintf(cmd, sizeof cmd, "rm -rf %s", t->dir);
    assert_int_equal(system(cmd), 0);
    buf_free(&t->got);
    arena_free(t->a);
    free(t->k);
    free(t);
    return 0;
}

static void
fill(struct test *t)
{
    const double P[2] = {-1.5, 1.0 / 3.0}, s[3] = {0, 1e-9, -2},
                 S[4] = {1, 0.25, 0.25, 100};
    const char *w[] = {"one", "two"};
    record_set_number(t->r, "time", 0.1);
    record_set_text(t->r, "class", "C0\"0");
    record_set_bool(t->r, "good", true);
    record_set_vector(t->r, "P", P);
    record_set_list(t->r, "series", s, 3);
    record_set_matrix(t->r, "S", S, 2, 2);
    record_set_texts(t->r, "warnings", w, 2);
    record_set_number(t->r, "margin", INFINITY);
}

static void
record_as_text(void **state)
{
    struct test *t = *state;
    fill(t);
    out_record_text(&t->o, &t->k->im, t->r, "r = classify touch");
    assert_string_equal(buf_str(&t->got),
                        "r = classify touch\n"
                        "  time      0.1 s\n"
                        "  class     C0\"0\n"
                        "  good      true\n"
                        "  P         (-1.5, 0.333333333333) m\n"
                        "  series    [0, 1e-9, -2] m/s^k\n"
                        "  S         [[   1  0.25]\n"
                        "             [0.25   100]] 1/m\n"
                        "  warnings  one, two\n"
                        "  absent    margin: the value is not a finite "
                        "number\n");
}

static void
record_as_json(void **state)
{
    struct test *t = *state;
    fill(t);
    t->o.json = true;
    out_record_json(&t->o, &t->k->im, t->r);
    assert_string_equal(
        buf_str(&t->got),
        "{\"command\": \"classify\", \"name\": \"r\", \"time\": 0.1, "
        "\"class\": \"C0\\\"0\", \"good\": true, \"P\": [-1.5, "
        "0.3333333333333333], \"series\": [0, 1e-9, -2], \"S\": [[1, 0.25], "
        "[0.25, 100]], \"warnings\": [\"one\", \"two\"], \"margin\": null, "
        "\"units\": {\"time\": \"s\", \"P\": \"m\", \"series\": \"m/s^k\", "
        "\"S\": \"1/m\"}, \"why\": {\"margin\": \"the value is not a finite "
        "number\"}}\n");
}

static void
absent_until_set(void **state)
{
    struct test *t = *state;
    for (size_t i = 0; i < t->r->n; i++)
        assert_non_null(t->r->v[i].why);
    record_set_absent(t->r, "class", "because");
    assert_string_equal(t->r->v[1].why, "because");
    assert_int_equal(record_index(t->r, "none such"), -1);
}

static char *
slurp(struct test *t, const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", t->dir, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    char *s = arena_alloc(t->a, 100000);
    size_t n = fread(s, 1, 99999, f);
    s[n] = 0;
    fclose(f);
    return s;
}

static void
columns_as_files(void **state)
{
    struct test *t = *state;
    const double x[3] = {0, 0.1, NAN}, y[2] = {1.0 / 3.0, -1e300};
    struct out_column c[2] = {{"t", "s", x, 3, NULL},
                              {"a,\"b", "m", y, 2, NULL}};
    /* without --out nothing is written, and a line says so */
    assert_int_equal(out_save(&t->o, &t->ds, IMP_NOWHERE, "s.csv", c, 2), 0);
    assert_string_equal(buf_str(&t->got), "s.csv: not written: no --out\n");
    t->o.dir = t->dir;
    assert_int_equal(out_save(&t->o, &t->ds, IMP_NOWHERE, "sub/s.csv", c, 2),
                     0);
    assert_string_equal(slurp(t, "sub/s.csv"),
                        "t,\"a,\"\"b\"\n"
                        "0,0.33333333333333331\n"
                        "0.10000000000000001,-1.0000000000000001e300\n"
                        ",\n");
    assert_int_equal(out_save(&t->o, &t->ds, IMP_NOWHERE, "s.jsonl", c, 2), 0);
    assert_string_equal(slurp(t, "s.jsonl"),
                        "{\"t\": 0, \"a,\\\"b\": 0.3333333333333333}\n"
                        "{\"t\": 0.1, \"a,\\\"b\": -1e300}\n"
                        "{\"t\": null, \"a,\\\"b\": null}\n");
    assert_int_equal(t->ds.errors, 0);
}

static void
names_refused(void **state)
{
    struct test *t = *state;
    const double x[1] = {0};
    struct out_column c = {"t", "s", x, 1, NULL};
    static const char *const bad[] = {
        "",         "/tmp/x.csv", "../x.csv",  "a/../x.csv", "a//x.csv",
        "./x.csv",  "a\\b.csv",   "a\nb.csv",  "x.txt",      "x",
        "x.csv.sh", ".csv",       "a/./x.csv", "x.svg"};
    for (int with = 0; with < 2; with++) {
        t->o.dir = with ? t->dir : NULL;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            int errors = t->ds.errors;
            assert_int_equal(
                out_save(&t->o, &t->ds, IMP_NOWHERE, bad[i], &c, 1),
                IMP_BADMODEL);
            assert_int_equal(t->ds.errors, errors + 1);
        }
    }
    assert_int_equal(t->got.n, 0);
}

static void
folder_that_cannot_be(void **state)
{
    struct test *t = *state;
    const double x[1] = {0};
    struct out_column c = {"t", "s", x, 1, NULL};
    t->o.dir = "/dev/null/x";
    assert_int_equal(out_save(&t->o, &t->ds, IMP_NOWHERE, "a.csv", &c, 1),
                     IMP_FAILED);
    assert_int_equal(t->ds.first->code, DIAG_E0852);
}

static void
sink_that_fails(void **state)
{
    struct test *t = *state;
    t->o.write = full;
    out_write(&t->o, "x", 1);
    assert_int_equal(t->o.error, ENOSPC);
    assert_int_equal(out_check(&t->o, &t->ds), IMP_FAILED);
    assert_int_equal(t->ds.first->code, DIAG_E0855);
}

/* every line at most `width` cells, no NaN, the marks are there */
static void
check_plot(struct test *t, const char *mark)
{
    assert_non_null(strstr(buf_str(&t->got), mark));
    assert_null(strstr(buf_str(&t->got), "nan"));
    for (const char *s = buf_str(&t->got); *s;) {
        size_t n = strcspn(s, "\n");
        assert_true(n <= 84);
        s += n + (s[n] == '\n');
    }
    buf_clear(&t->got);
}

static void
text_plots(void **state)
{
    struct test *t = *state;
    double x[50], y[50], z[50];
    struct out_column cx = {"t", "s", x, 50, NULL},
                      cy[2] = {{"y", "m", y, 50, NULL},
                               {"z", "m", z, 50, NULL}};
    static const double scale[] = {1, 1e-300, 1e300, 1e-15, 0, -5};
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
        for (int i = 0; i < 50; i++) {
            x[i] = 0.01 * i;
            y[i] = scale[k] * sin(10.0 * x[i]);
            z[i] = scale[k];
        }
        out_plot(&t->o, &t->ds, IMP_NOWHERE, "a.svg", "title", &cx, cy, 2);
        check_plot(t, "o z [m]");
        /* constant data, and noise in the last digit */
        for (int i = 0; i < 50; i++)
            y[i] = 3.0 + (i % 2 ? DBL_EPSILON : 0.0);
        out_plot(&t->o, &t->ds, IMP_NOWHERE, NULL, "title", &cx, cy, 1);
        check_plot(t, "***");
    }
    for (int i = 0; i < 50; i++)
        y[i] = i % 3 ? NAN : i % 2 ? INFINITY : 1.0;
    out_plot(&t->o, &t->ds, IMP_NOWHERE, NULL, "title", &cx, cy, 1);
    assert_non_null(strstr(buf_str(&t->got), "points that are not finite"));
    check_plot(t, "*");
    cx.n = cy[0].n = 0;
    out_plot(&t->o, &t->ds, IMP_NOWHERE, NULL, "empty", &cx, cy, 1);
    check_plot(t, "empty");
    cx.n = cy[0].n = 1;
    y[0] = 1.0;
    out_plot(&t->o, &t->ds, IMP_NOWHERE, NULL, "one", &cx, cy, 1);
    check_plot(t, "*");
    y[0] = DBL_MAX;
    y[1] = -DBL_MAX;
    cx.n = cy[0].n = 2;
    out_plot(&t->o, &t->ds, IMP_NOWHERE, NULL, "huge", &cx, cy, 1);
    check_plot(t, "*");
}

static void
drawn_plots(void **state)
{
    struct test *t = *state;
    const double x[3] = {0, 1, 2}, y[3] = {1e-9, NAN, 2};
    struct out_column cx = {"t", "s", x, 3, NULL},
                      cy = {"it's `id`", "m", y, 3, NULL};
    if (system("command -v gnuplot >/dev/null 2>&1"))
        skip();
    t->o.dir = t->dir;
    /* nothing in a title or name is ever read as a command */
    const char *title = "'; system(\"touch /tmp/imp-pwned\") #`id` $(id) \"";
    assert_int_equal(
        out_plot(&t->o, &t->ds, IMP_NOWHERE, "a.svg", title, &cx, &cy, 1), 0);
    title =
        "'' . system(\"touch /tmp/imp-pwned\") . '\\\n!touch /tmp/imp-pwned";
    assert_int_equal(
        out_plot(&t->o, &t->ds, IMP_NOWHERE, "a.svg", title, &cx, &cy, 1), 0);
    assert_int_equal(
        out_plot(&t->o, &t->ds, IMP_NOWHERE, "b.svg", title, &cx, &cy, 1), 0);
    const char *a = slurp(t, "a.svg"), *b = slurp(t, "b.svg");
    assert_non_null(a);
    assert_non_null(strstr(a, "</svg>"));
    assert_string_equal(a, b);
    assert_int_not_equal(access("/tmp/imp-pwned", F_OK), 0);
    assert_int_equal(
        out_plot(&t->o, &t->ds, IMP_NOWHERE, "a.png", title, &cx, &cy, 1), 0);
    assert_int_equal(t->ds.errors, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(record_as_text, begin, end),
        cmocka_unit_test_setup_teardown(record_as_json, begin, end),
        cmocka_unit_test_setup_teardown(absent_until_set, begin, end),
        cmocka_unit_test_setup_teardown(columns_as_files, begin, end),
        cmocka_unit_test_setup_teardown(names_refused, begin, end),
        cmocka_unit_test_setup_teardown(folder_that_cannot_be, begin, end),
        cmocka_unit_test_setup_teardown(sink_that_fails, begin, end),
        cmocka_unit_test_setup_teardown(text_plots, begin, end),
        cmocka_unit_test_setup_teardown(drawn_plots, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
