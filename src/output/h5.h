/* SPDX-License-Identifier: MIT */
/* What libimph5.so (src/hdf5) offers: columns as an HDF5 file, and columns of
 * one. That library is the only part that knows HDF5. It is loaded when the
 * first such file is written or read, so programs start fast and work without it. */
#ifndef IMP_OUTPUT_H5_H
#define IMP_OUTPUT_H5_H

#include <stddef.h>
#include <stdint.h>

#define H5_API_VERSION 4
#define H5_ENTRY "imp_hdf5_api"

struct h5_param {
    const char *name, *unit;
    double x;
};
struct h5_column {
    const char *name, *unit;
    const double *x; /* NaN: no value there */
    const char *const *texts;
    size_t n;
    const uint8_t *small; /* instead of x: whole numbers */
    size_t width;         /* numbers of one entry; 0: one, in a list */
};
/* An attribute of a dataset or a group: a text, or a number. */
struct h5_note {
    const char *of, *name, *text;
    double x;
};
/* Every name is unique among its kind; `/` in the name of a column leads into a
 * group. The first n_axes columns are the axes of a grid of this shape, the
 * last axis fastest. */
struct h5_content {
    const char *model, *command;
    double seed;
    const struct h5_param *params;
    size_t n_params;
    const struct h5_column *columns;
    size_t n_columns;
    size_t n_axes;
    const uint64_t *shape;
    const struct h5_note *notes;
    size_t n_notes;
};
struct table_h5;
struct h5_api {
    int version;
    /* The whole file, *n bytes that the caller frees. NULL: *error says why
     * (static text). Equal content gives equal bytes. */
    char *(*file)(const struct h5_content *c, size_t *n, const char **error);
    const struct table_h5 *table; /* reads columns (table/h5.h) */
};
typedef const struct h5_api *(*h5_entry_fn)(void);

#endif
