/* SPDX-License-Identifier: MIT */
/* libimph5.so: columns of an HDF5 file, whose bytes are in memory. A column is
 * a dataset of one dimension that holds numbers or texts, or one of the columns
 * of a dataset of two dimensions, NAME[k]. Groups stand in the names:
 * "run/height". */
#include <assert.h>
#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf5/h5table.h"

/* Columns of a dataset of two dimensions, at most: beyond that it is a picture. */
#define WIDTH_MOST 64
/* Entries of a column, at most: 1 GB. */
#define ROWS_MOST ((hsize_t)1 << 27)

struct column {
    char *name;     /* as it is asked for */
    char *dataset;  /* its path */
    char *unit;     /* of its attribute, or NULL */
    hsize_t rows;
    int64_t place;  /* of two dimensions: which column; -1: of one */
    bool text;
    const char *why; /* it is none that can be read */
};
struct h5_file {
    hid_t file;
    struct column *v;
    size_t n, cap;
    bool failed;
    H5E_auto2_t print;
    void *print_ctx;
};

static char *
copy(const char *text)
{
    char *own = malloc(strlen(text) + 1);
    return own ? strcpy(own, text) : NULL;
}

static void
add(struct h5_file *file, const char *dataset, const char *unit,
    struct column column)
{
    if (file->n == file->cap) {
        size_t cap = file->cap ? 2 * file->cap : 16;
        struct column *v = realloc(file->v, cap * sizeof *v);
        if (!v) {
            file->failed = true;
            return;
        }
        file->v = v;
        file->cap = cap;
    }
    size_t room = strlen(dataset) + 24;
    column.name = malloc(room);
    column.dataset = copy(dataset);
    column.unit = unit ? copy(unit) : NULL;
    file->failed |= unit && !column.unit;
    if (column.name && column.place >= 0)
        snprintf(column.name, room, "%s[%d]", dataset, (int)column.place);
    else if (column.name)
        strcpy(column.name, dataset);
    file->failed |= !column.name || !column.dataset;
    file->v[file->n++] = column;
}

/* Do the entries of a dataset stand in other files? */
static bool
is_elsewhere(hid_t set)
{
    hid_t made = H5Dget_create_plist(set);
    bool elsewhere = made < 0 || H5Pget_external_count(made) != 0 ||
                     H5Pget_layout(made) == H5D_VIRTUAL;
    if (made >= 0)
        H5Pclose(made);
    return elsewhere;
}

/* The longest text of a unit. */
#define UNIT_MOST 63

/* Reads the text of an attribute, at most UNIT_MOST bytes. False: there is none
 * of this name, or it is no short text. */
static bool
read_text(hid_t set, const char *name, char text[UNIT_MOST + 1])
{
    if (H5Aexists(set, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(set, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool good = H5Tget_class(type) == H5T_STRING &&
                H5Sget_simple_extent_npoints(space) == 1;
    memset(text, 0, UNIT_MOST + 1);
    if (good && H5Tis_variable_str(type) > 0) {
        char *own = NULL;
        good = H5Aread(attribute, type, &own) >= 0 && own &&
               strlen(own) <= UNIT_MOST;
        if (good)
            strcpy(text, own);
        if (own)
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, &own);
    } else if (good) {
        good = H5Tget_size(type) <= UNIT_MOST &&
               H5Aread(attribute, type, text) >= 0;
        for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
            text[n - 1] = 0;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return good;
}

/* Is it the type of truth values, an enumeration of 0 and 1? */
static bool
is_truth(hid_t type)
{
    if (H5Tget_class(type) != H5T_ENUM || H5Tget_nmembers(type) != 2)
        return false;
    bool seen[2] = {false, false};
    for (unsigned i = 0; i < 2; i++) {
        unsigned char value[16] = {0};
        int64_t number = -1;
        hid_t base = H5Tget_super(type);
        if (H5Tget_size(base) <= sizeof value &&
            H5Tget_member_value(type, i, value) >= 0 &&
            H5Tconvert(base, H5T_NATIVE_INT64, 1, value, NULL, H5P_DEFAULT) >=
                0)
            memcpy(&number, value, sizeof number);
        H5Tclose(base);
        if (number == 0 || number == 1)
            seen[number] = true;
    }
    return seen[0] && seen[1];
}

/* Notes the columns of one dataset. */
static void
note(struct h5_file *file, const char *path)
{
    hid_t set = H5Dopen2(file->file, path, H5P_DEFAULT);
    if (set < 0)
        return;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    H5T_class_t class = H5Tget_class(type);
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t dims[2] = {0, 0};
    struct column column = {.place = -1, .text = class == H5T_STRING};
    if (rank == 1 || rank == 2)
        H5Sget_simple_extent_dims(space, dims, NULL);
    column.rows = dims[0];
    char text[UNIT_MOST + 1];
    const char *unit =
        read_text(set, "unit", text) || read_text(set, "units", text) ? text
                                                                      : NULL;
    if (class != H5T_INTEGER && class != H5T_FLOAT && class != H5T_STRING &&
        !is_truth(type))
        column.why = class == H5T_COMPOUND
                         ? "its entries are compounds of several values"
                         : "its entries are neither numbers nor texts";
    else if (is_elsewhere(set))
        column.why = "its entries stand in other files";
    else if (rank < 1)
        column.why = "it is one value, no list";
    else if (rank > 2)
        column.why = "it has more than two dimensions";
    else if (dims[0] > ROWS_MOST)
        column.why = "it has more than 2^27 entries";
    else if (rank == 2 && dims[1] > WIDTH_MOST)
        column.why = "it has two dimensions and more than 64 columns";
    else if (rank == 2 && column.text)
        column.why = "it is a table of texts";
    if (rank != 2 || column.why)
        add(file, path, unit, column);
    else
        for (hsize_t k = 0; k < dims[1]; k++) {
            column.place = (int64_t)k;
            add(file, path, unit, column);
        }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
}

/* Links into other places and other files are not followed. */
static herr_t
visit(hid_t root, const char *name, const H5L_info_t *info, void *ctx)
{
    if (info->type != H5L_TYPE_HARD)
        return 0;
    hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    bool dataset = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    if (object >= 0)
        H5Oclose(object);
    if (dataset)
        note(ctx, name);
    return 0;
}

static void
close_file(struct h5_file *file)
{
    assert(file);
    for (size_t i = 0; i < file->n; i++) {
        free(file->v[i].name);
        free(file->v[i].dataset);
        free(file->v[i].unit);
    }
    free(file->v);
    if (file->file >= 0)
        H5Fclose(file->file);
    H5Eset_auto2(H5E_DEFAULT, file->print, file->print_ctx);
    free(file);
}

static struct h5_file *
open_here(const char *bytes, size_t n, const char **error)
{
    struct h5_file *file = calloc(1, sizeof *file);
    *error = "the memory has ended";
    if (!file)
        return NULL;
    if (H5open() < 0) {
        *error = "HDF5 cannot be started";
        free(file);
        return NULL;
    }
    /* the program's own error messages, not HDF5's; others may use it too */
    H5Eget_auto2(H5E_DEFAULT, &file->print, &file->print_ctx);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    file->file = -1;
    if (access >= 0 && H5Pset_fapl_core(access, (size_t)1 << 20, 0) >= 0 &&
        H5Pset_file_image(access, (void *)bytes, n) >= 0)
        file->file = H5Fopen("imp.h5", H5F_ACC_RDONLY, access);
    if (access >= 0)
        H5Pclose(access);
    if (file->file < 0)
        *error = "it is no HDF5 file, or it was cut short or changed";
    else if (H5Lvisit(file->file, H5_INDEX_NAME, H5_ITER_INC, visit, file) < 0)
        *error = "its datasets cannot be listed: it was cut short or changed";
    else if (!file->failed)
        return file;
    close_file(file);
    return NULL;
}

static size_t
count(const struct h5_file *file)
{
    return file->n;
}

static struct h5_table_column
shape(const struct h5_file *file, size_t i)
{
    assert(i < file->n);
    const struct column *column = &file->v[i];
    return (struct h5_table_column){column->name, (size_t)column->rows,
                                    column->text, column->why, column->unit};
}

/* Reads n numbers, or truth values, which stand for 0 and 1. */
static bool
read_numbers(hid_t set, hid_t to, hid_t from, size_t n, double *x)
{
    hid_t type = H5Dget_type(set);
    bool truths = H5Tget_class(type) == H5T_ENUM;
    hid_t base = truths ? H5Tget_super(type) : -1;
    bool good = !truths || H5Tget_size(base) <= sizeof *x;
    good = good && H5Dread(set, truths ? type : H5T_NATIVE_DOUBLE, to, from,
                           H5P_DEFAULT, x) >= 0;
    good = good && (!truths || H5Tconvert(base, H5T_NATIVE_DOUBLE, n, x, NULL,
                                          H5P_DEFAULT) >= 0);
    if (truths)
        H5Tclose(base);
    H5Tclose(type);
    return good;
}

static bool
numbers(struct h5_file *file, size_t i, double *x)
{
    assert(i < file->n && !file->v[i].text && !file->v[i].why);
    const struct column *column = &file->v[i];
    hid_t set = H5Dopen2(file->file, column->dataset, H5P_DEFAULT);
    if (set < 0)
        return false;
    hid_t from = H5Dget_space(set);
    hid_t to = H5Screate_simple(1, &column->rows, NULL);
    hsize_t begin[2] = {0, (hsize_t)(column->place < 0 ? 0 : column->place)},
            size[2] = {column->rows, 1};
    bool good =
        from >= 0 && to >= 0 &&
        (column->place < 0 || H5Sselect_hyperslab(from, H5S_SELECT_SET, begin,
                                                  NULL, size, NULL) >= 0) &&
        (!column->rows || read_numbers(set, to, from, (size_t)column->rows, x));
    H5Sclose(from);
    H5Sclose(to);
    H5Dclose(set);
    return good;
}

/* Texts of a fixed length, padded. */
static bool
fixed_texts(hid_t set, hid_t type, size_t rows,
            void (*each)(void *ctx, size_t row, const char *text, size_t len),
            void *ctx)
{
    size_t width = H5Tget_size(type);
    char *bytes = width ? calloc(rows + 1, width) : NULL;
    bool good = bytes && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 bytes) >= 0;
    bool blanks = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
    for (size_t row = 0; good && row < rows; row++) {
        const char *text = bytes + row * width, *end = memchr(text, 0, width);
        size_t len = end ? (size_t)(end - text) : width;
        while (blanks && len && text[len - 1] == ' ')
            len--;
        each(ctx, row, text, len);
    }
    free(bytes);
    return good;
}

static bool
free_texts(hid_t set, size_t rows,
           void (*each)(void *ctx, size_t row, const char *text, size_t len),
           void *ctx)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    char **texts = calloc(rows + 1, sizeof *texts);
    bool good = texts && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 texts) >= 0;
    for (size_t row = 0; good && row < rows; row++)
        each(ctx, row, texts[row] ? texts[row] : "",
             texts[row] ? strlen(texts[row]) : 0);
    if (good)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    free(texts);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool
texts(struct h5_file *file, size_t i,
      void (*each)(void *ctx, size_t row, const char *text, size_t len),
      void *ctx)
{
    assert(i < file->n && file->v[i].text && !file->v[i].why && each);
    const struct column *column = &file->v[i];
    hid_t set = H5Dopen2(file->file, column->dataset, H5P_DEFAULT);
    if (set < 0)
        return false;
    hid_t type = H5Dget_type(set);
    size_t rows = (size_t)column->rows;
    bool good = !rows || (H5Tis_variable_str(type) > 0
                              ? free_texts(set, rows, each, ctx)
                              : fixed_texts(set, type, rows, each, ctx));
    H5Tclose(type);
    H5Dclose(set);
    return good;
}

/* -- damaged files --------------------------------------------------------- */

static void
ignore_text(void *ctx, size_t row, const char *text, size_t len)
{
    (void)ctx;
    (void)row;
    (void)text;
    (void)len;
}

/* Reads all that a file holds. */
static void
read_all(const char *bytes, size_t n)
{
    const char *error;
    struct h5_file *file = open_here(bytes, n, &error);
    for (size_t i = 0; file && i < file->n; i++) {
        const struct column *column = &file->v[i];
        double *x = column->why || column->text
                        ? NULL
                        : malloc((size_t)column->rows * sizeof *x + 1);
        if (x)
            numbers(file, i, x);
        else if (!column->why && column->text)
            texts(file, i, ignore_text, NULL);
        free(x);
    }
    if (file)
        close_file(file);
}

/* HDF5's library itself may crash where bytes of a file were changed. So a
 * process of its own reads everything first; this one goes on if that has come
 * to its end. */
static bool
survives(const char *bytes, size_t n)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            signal(signals[i], SIG_DFL);
        fclose(stderr); /* the C library tells of a broken heap there */
        read_all(bytes, n);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return true;
    return child < 0 || WIFEXITED(status);
}

static struct h5_file *
open_file(const char *bytes, size_t n, const char **error)
{
    assert(bytes && error);
    *error = "it is damaged: HDF5's library ends where it reads all of it";
    return survives(bytes, n) ? open_here(bytes, n, error) : NULL;
}

const struct table_h5 h5_table = {open_file, count, shape,
                                  numbers,   texts, close_file};
