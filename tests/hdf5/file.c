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
    const struct h5_column c[] = {
        {.name = "rho", .unit = "", .x = rho, .n = ROWS},
        {.name = "g", .unit = "m/s", .x = g, .n = ROWS},
        {.name = "z", .unit = "m", .x = z, .n = ROWS},
        {.name = "verdict", .unit = "", .texts = verdict, .n = ROWS},
        {.name = "error", .unit = "", .texts = verdict, .n = 0}};
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
    const struct h5_column c[] = {
        {.name = "x", .unit = "", .x = x, .n = N},
        {.name = "t", .unit = "", .texts = t, .n = N}};
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

/* Numbers of a dataset of a file, which must have this shape. */
static void
numbers(hid_t f, const char *name, size_t n, size_t width, double *x)
{
    hid_t d = H5Dopen2(f, name, H5P_DEFAULT), space = H5Dget_space(d);
    hsize_t dims[2] = {0, 0};
    assert_true(d >= 0);
    assert_int_equal(H5Sget_simple_extent_ndims(space), width ? 2 : 1);
    H5Sget_simple_extent_dims(space, dims, NULL);
    assert_int_equal(dims[0], n);
    assert_int_equal(dims[1], width);
    assert_true(
        H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Sclose(space);
    H5Dclose(d);
}

/* Groups, tables of two dimensions, small whole numbers, notes. */
static void
groups(void **state)
{
    (void)state;
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    static const uint8_t order[4] = {0, 1, 2, 255};
    const struct h5_column c[] = {
        {.name = "bodies/a/position", .unit = "m", .x = x, .n = 3, .width = 2},
        {.name = "bodies/a/order", .unit = "", .small = order, .n = 4}};
    const struct h5_note notes[] = {{"bodies/a", "mass", NULL, 2.5},
                                    {"bodies/a", "kind", "moving", 0},
                                    {"alone", "kind", "none", 0}};
    const struct h5_content all = {.model = "m",
                                   .command = "run",
                                   .columns = c,
                                   .n_columns = 2,
                                   .notes = notes,
                                   .n_notes = 3};
    const char *why = NULL;
    size_t n = 0, m = 0;
    char *s = api()->file(&all, &n, &why), *t = api()->file(&all, &m, &why);
    assert_non_null(s);
    assert_int_equal(n, m);
    assert_memory_equal(s, t, n);
    hid_t f = written(s, n);
    double back[6];
    numbers(f, "bodies/a/position", 3, 2, back);
    assert_memory_equal(back, x, sizeof x);
    numbers(f, "bodies/a/order", 4, 0, back);
    for (int i = 0; i < 4; i++)
        assert_true((uint8_t)back[i] == order[i]);
    hid_t a = H5Oopen(f, "bodies/a", H5P_DEFAULT);
    number_is(a, "mass", 2.5);
    text_is(a, "kind", "moving");
    H5Oclose(a);
    H5Fclose(f);
    free(s);
    free(t);
}

static const char model[] =
    "use shapes\nworld { gravity = (0, 0, -9.81) }\n"
    "body floor : half_space { fixed = true }\n"
    "body egg : ellipsoid(0.2, 0.15, 0.1) { mass = 1  position = (0, 0, 1)\n"
    "  velocity = (0.3, 0, 0)  spin = (1, 2, 0.5) }\n"
    "contact c : floor | egg { restitution = 0.5 }\n"
    "system ball {\n  coordinate x, y\n  kinetic = (x'^2 + y'^2)/2\n"
    "  potential = (9.81 [m/s^2])*y\n  start { y = 1 [m]  x' = 0.5 } }\n"
    "let r = simulate { until = 1  every = 0.01  keep = 0\n"
    "  record = (egg.position, egg.quaternion, ball.x) }\n";

/* A run as HDF5 holds the poses that the run records, and its events. */
static void
run_of_imp(void **state)
{
    (void)state;
    char folder[] = "/tmp/imp-h5-XXXXXX", path[64], command[600];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.imp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(model, file);
    fclose(file);
    snprintf(command, sizeof command,
             IMP_BINARY_DIR "/imp view --no-open --every 0.01 -o %s/m.h5 "
                            "%s > %s/said",
             folder, path, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/m.h5", folder);
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(f >= 0);
    enum { N = 101 };
    static const struct {
        const char *poses, *recorded;
        size_t width;
    } pair[] = {{"bodies/egg/position", "columns/egg_position", 3},
                {"bodies/egg/quaternion", "columns/egg_quaternion", 4},
                {"systems/ball/x", "columns/ball_x", 0},
                {"t", "columns/t", 0}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        double one[N * 4], other[N * 4];
        size_t width = pair[k].width ? pair[k].width : 1;
        numbers(f, pair[k].poses, N, pair[k].width, one);
        numbers(f, pair[k].recorded, N, pair[k].width, other);
        for (size_t i = 0; i < N * width; i++)
            assert_true(fabs(one[i] - other[i]) <= 1e-13);
    }
    hid_t kind = H5Dopen2(f, "events/kind", H5P_DEFAULT),
          type = H5Dget_type(kind), space = H5Dget_space(kind);
    hssize_t events = H5Sget_simple_extent_npoints(space);
    assert_true(events > 2 && events < 1000);
    char *text[1000];
    assert_true(H5Dread(kind, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text[0], "impact");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(kind);
    H5Fclose(f);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip), cmocka_unit_test(large),
        cmocka_unit_test(groups), cmocka_unit_test(run_of_imp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
