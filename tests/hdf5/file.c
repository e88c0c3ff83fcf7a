/* SPDX-License-Identifier: MIT */
/* What libimph5.so makes is read back by HDF5 itself: numbers, texts, units,
 * axes, params; equal content, equal bytes. */
#include <dlfcn.h>
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/h5.h"

static const struct h5_api *
api(void)
{
    union {
        void *object;
        h5_entry_fn function;
    } entry;
    void *lib = dlopen(IMP_BINARY_DIR "/libimph5.so", RTLD_NOW);
    assert_non_null(lib);
    entry.object = dlsym(lib, H5_ENTRY);
    assert_non_null(entry.object);
    assert_int_equal(entry.function()->version, H5_API_VERSION);
    return entry.function();
}

static void
text_is(hid_t of, const char *name, const char *want)
{
    hid_t a = H5Aopen(of, name, H5P_DEFAULT), t = H5Aget_type(a);
    char *s = NULL;
    assert_true(a >= 0);
    assert_true(H5Aread(a, t, &s) >= 0);
    assert_string_equal(s, want);
    H5free_memory(s);
    H5Tclose(t);
    H5Aclose(a);
}

static void
number_is(hid_t of, const char *name, double want)
{
    double x = NAN;
    hid_t a = H5Aopen(of, name, H5P_DEFAULT);
    assert_true(a >= 0);
    assert_true(H5Aread(a, H5T_NATIVE_DOUBLE, &x) >= 0);
    assert_true(x >= want && x <= want);
    H5Aclose(a);
}

static hid_t
written(const char *s, size_t n)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_fapl_core(access, 1 << 16, 0) >= 0);
    assert_true(H5Pset_file_image(access, (void *)(uintptr_t)s, n) >= 0);
    hid_t f = H5Fopen("x.h5", H5F_ACC_RDONLY, access);
    assert_true(f >= 0);
    H5Pclose(access);
    return f;
}

enum { ROWS = 6 };

static void
round_trip(void **state)
{
    (void)state;
    static const double rho[ROWS] = {1, 1, 1, 2, 2, 2},
                        g[ROWS] = {0.1, 0.2, 0.3, 0.1, 0.2, 0.3},
                        z[ROWS] = {1e-300, NAN, 0.1, -1e300, 5e-324, 0};
    static const char *const verdict[ROWS] = {
        "complete", "", "\xc3\xa4, \"q\"", "partial", "complete", "x\ny"};
    const struct h5_column c[] = {{"rho", "", rho, NULL, ROWS},
                                  {"g", "m/s", g, NULL, ROWS},
                                  {"z", "m", z, NULL, ROWS},
                                  {"verdict", "", NULL, verdict, ROWS},
                                  {"error", "", NULL, verdict, 0}};
    const struct h5_param p[] = {{"l", "m", 2}, {"e", "", 0.1}};
    const uint64_t shape[] = {2, 3};
    const struct h5_content all = {.model = "m.imp",
                                   .command = "sweep",
                                   .seed = 7,
                                   .params = p,
                                   .n_params = 2,
                                   .columns = c,
                                   .n_columns = 5,
                                   .n_axes = 2,
                                   .shape = shape};
    const char *why = NULL;
    size_t n = 0, m = 0;
    char *s = api()->file(&all, &n, &why), *t = api()->file(&all, &m, &why);
    assert_non_null(s);
    assert_int_equal(n, m);
    assert_memory_equal(s, t, n);

    hid_t f = written(s, n);
    text_is(f, "model", "m.imp");
    text_is(f, "command", "sweep");
    number_is(f, "seed", 7);
    number_is(f, "param.l", 2);
    text_is(f, "param.l.unit", "m");
    number_is(f, "param.e", 0.1);
    assert_int_equal(H5Aexists(f, "param.e.unit"), 0);
    double x[ROWS];
    hid_t d = H5Dopen2(f, "z", H5P_DEFAULT);
    assert_true(
        H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    for (int i = 0; i < ROWS; i++)
        assert_true(isnan(z[i]) ? isnan(x[i]) : !(x[i] < z[i] || x[i] > z[i]));
    text_is(d, "unit", "m");
    assert_int_equal(H5Aexists(d, "axis"), 0);
    H5Dclose(d);
    d = H5Dopen2(f, "g", H5P_DEFAULT);
    number_is(d, "axis", 1);
    H5Dclose(d);
    char *text[ROWS];
    d = H5Dopen2(f, "verdict", H5P_DEFAULT);
    hid_t type = H5Dget_type(d);
    assert_true(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    for (int i = 0; i < ROWS; i++) {
        /* HDF5 gives an empty text as none */
        assert_string_equal(text[i] ? text[i] : "", verdict[i]);
        H5free_memory(text[i]);
    }
    H5Tclose(type);
    H5Dclose(d);
    H5Fclose(f);
    free(s);
    free(t);
}

/* 10^5 rows: memory grows, nothing is lost */
static void
large(void **state)
{
    (void)state;
    enum { N = 100000 };
    double *x = calloc(N, sizeof *x);
    const char **t = calloc(N, sizeof *t);
    for (int i = 0; i < N; i++) {
        x[i] = sqrt(i);
        t[i] = i % 3 ? "complete" : "incomplete";
    }
    const struct h5_column c[] = {{"x", "", x, NULL, N}, {"t", "", NULL, t, N}};
    const struct h5_content all = {
        .model = "m", .command = "save", .columns = c, .n_columns = 2};
    const char *why = NULL;
    size_t n = 0;
    char *s = api()->file(&all, &n, &why);
    assert_non_null(s);
    hid_t f = written(s, n);
    char **back = calloc(N, sizeof *back);
    hid_t d = H5Dopen2(f, "t", H5P_DEFAULT), type = H5Dget_type(d);
    assert_true(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (int i = 0; i < N; i++) {
        assert_string_equal(back[i], t[i]);
        H5free_memory(back[i]);
    }
    H5Tclose(type);
    H5Dclose(d);
    H5Fclose(f);
    free(back);
    free(s);
    free(x);
    free(t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip),
                                       cmocka_unit_test(large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
