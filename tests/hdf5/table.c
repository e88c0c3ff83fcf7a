/* SPDX-License-Identifier: MIT */
/* Columns of HDF5 files as libimph5.so reads them: types, texts of both kinds,
 * columns of a table, groups; what is no column says why; bytes that are cut
 * short or changed are refused or read, and never crash. */
#include <dlfcn.h>
#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/h5.h"
#include "table/h5.h"

static const struct table_h5 *
table(void)
{
    union {
        void *object;
        h5_entry_fn function;
    } entry;
    void *lib = dlopen(IMP_BINARY_DIR "/libimph5.so", RTLD_NOW);
    assert_non_null(lib);
    entry.object = dlsym(lib, H5_ENTRY);
    assert_non_null(entry.object);
    return entry.function()->table;
}

static void
put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims,
    const void *x)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = rank ? H5Screate_simple(rank, dims, NULL)
                       : H5Screate(H5S_SCALAR);
    hid_t set =
        H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
}

/* Gives a dataset a text as an attribute, of a length of its own or fixed. */
static void
say(hid_t file, const char *set_name, const char *name, const char *text,
    bool fixed)
{
    hid_t set = H5Dopen2(file, set_name, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1),
          space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, fixed ? strlen(text) : H5T_VARIABLE);
    hid_t attribute =
        H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, fixed ? (const void *)text
                                                : (const void *)&text) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static char *
made(size_t *n)
{
    const hsize_t three = 3, table_dims[2] = {3, 2}, cube[3] = {1, 1, 1};
    const double x[] = {0.5, 1, 1.5}, xy[] = {1, 2, 3, 4, 5, 6};
    const int32_t whole[] = {-1, 0, 7};
    const float half[] = {0.25f, 0.5f, 1};
    const char *free_texts[] = {"a", "", "ccc"};
    const char fixed[] = "ab cd e  ";
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), text = H5Tcopy(H5T_C_S1),
          padded = H5Tcopy(H5T_C_S1);
    H5Pset_fapl_core(access, 1 << 16, 0);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_size(padded, 3);
    H5Tset_strpad(padded, H5T_STR_SPACEPAD);
    hid_t pair = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(pair, "a", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(pair, "b", 8, H5T_NATIVE_DOUBLE);
    hid_t file = H5Fcreate("made.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    put(file, "x", H5T_NATIVE_DOUBLE, 1, &three, x);
    hid_t truth = H5Tenum_create(H5T_NATIVE_INT8),
          colour = H5Tenum_create(H5T_NATIVE_INT8);
    const signed char no = 0, yes = 1, red = 7, truths[] = {1, 0, 1};
    H5Tenum_insert(truth, "FALSE", &no);
    H5Tenum_insert(truth, "TRUE", &yes);
    H5Tenum_insert(colour, "green", &no);
    H5Tenum_insert(colour, "red", &red);
    put(file, "truth", truth, 1, &three, truths);
    put(file, "colour", colour, 1, &three, truths);
    H5Tclose(truth);
    H5Tclose(colour);
    say(file, "x", "unit", "mm", false);
    put(file, "run/xy", H5T_NATIVE_DOUBLE, 2, table_dims, xy);
    put(file, "whole", H5T_STD_I32BE, 1, &three, whole);
    say(file, "run/xy", "units", "m/s", true);
    put(file, "half", H5T_NATIVE_FLOAT, 1, &three, half);
    put(file, "texts", text, 1, &three, free_texts);
    put(file, "fixed", padded, 1, &three, fixed);
    put(file, "one", H5T_NATIVE_DOUBLE, 0, NULL, x);
    put(file, "cube", H5T_NATIVE_DOUBLE, 3, cube, x);
    put(file, "pair", pair, 1, &three, xy);
    H5Lcreate_external("other.h5", "/x", file, "elsewhere", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    *n = (size_t)H5Fget_file_image(file, NULL, 0);
    char *bytes = malloc(*n);
    assert_true(H5Fget_file_image(file, bytes, *n) == (ssize_t)*n);
    H5Fclose(file);
    H5Tclose(text);
    H5Tclose(padded);
    H5Tclose(pair);
    H5Pclose(access);
    return bytes;
}

/* The column of this name; count: there is none. */
static size_t
find(struct h5_file *file, const char *name)
{
    size_t i = 0, n = table()->count(file);
    while (i < n && strcmp(table()->shape(file, i).name, name) != 0)
        i++;
    return i;
}

static void
numbers_are(struct h5_file *file, const char *name, double a, double b,
            double c)
{
    double x[3] = {0};
    size_t i = find(file, name);
    struct h5_table_column column = table()->shape(file, i);
    assert_null(column.why);
    assert_false(column.text);
    assert_int_equal(column.n, 3);
    assert_true(table()->numbers(file, i, x));
    assert_true(x[0] == a && x[1] == b && x[2] == c);
}

static void
append(void *ctx, size_t row, const char *text, size_t len)
{
    char *all = ctx;
    snprintf(all + strlen(all), 32, "%zu:%.*s|", row, (int)len, text);
}

static void
texts_are(struct h5_file *file, const char *name, const char *want)
{
    char all[128] = "";
    size_t i = find(file, name);
    assert_true(table()->shape(file, i).text);
    assert_true(table()->texts(file, i, append, all));
    assert_string_equal(all, want);
}

static void
test_columns(void **state)
{
    (void)state;
    size_t n;
    const char *why = NULL;
    char *bytes = made(&n);
    struct h5_file *file = table()->open(bytes, n, &why);
    assert_non_null(file);
    numbers_are(file, "x", 0.5, 1, 1.5);
    numbers_are(file, "run/xy[0]", 1, 3, 5);
    numbers_are(file, "run/xy[1]", 2, 4, 6);
    numbers_are(file, "half", 0.25, 0.5, 1);
    texts_are(file, "texts", "0:a|1:|2:ccc|");
    texts_are(file, "fixed", "0:ab|1:cd|2:e|");
    numbers_are(file, "truth", 1, 0, 1);
    assert_string_equal(table()->shape(file, find(file, "x")).unit, "mm");
    assert_string_equal(table()->shape(file, find(file, "run/xy[1]")).unit,
                        "m/s");
    assert_null(table()->shape(file, find(file, "half")).unit);
    static const char *const none[] = {"one", "cube", "pair", "colour"};
    for (size_t i = 0; i < 4; i++)
        assert_non_null(table()->shape(file, find(file, none[i])).why);
    assert_int_equal(find(file, "elsewhere"), table()->count(file));
    table()->close(file);
    free(bytes);
}

static void
test_damaged(void **state)
{
    (void)state;
    size_t n;
    const char *why = NULL;
    char *bytes = made(&n), *copy = malloc(n);
    uint32_t seed = 1;
    for (int k = 0; k < 200; k++) {
        size_t len = n;
        memcpy(copy, bytes, n);
        seed = seed * 1664525u + 1013904223u;
        if (k % 3 == 0)
            len = seed % n;
        else
            copy[(seed >> 4) % (n < 4096 ? n : 4096)] ^= (char)(1 << seed % 8);
        struct h5_file *file = table()->open(copy, len, &why);
        for (size_t i = 0; file && i < table()->count(file); i++) {
            struct h5_table_column column = table()->shape(file, i);
            if (column.why || column.n > 1000)
                continue;
            char all[40000] = "";
            double x[1000];
            if (!column.text)
                table()->numbers(file, i, x);
            else if (column.n < 4)
                table()->texts(file, i, append, all);
        }
        if (file)
            table()->close(file);
    }
    free(copy);
    free(bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
