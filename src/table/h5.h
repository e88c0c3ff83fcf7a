/* SPDX-License-Identifier: MIT */
/* What libimph5.so (src/hdf5) offers to read columns of HDF5 files. */
#ifndef IMP_TABLE_H5_H
#define IMP_TABLE_H5_H

#include <stdbool.h>
#include <stddef.h>

struct h5_file;
struct h5_table_column {
    const char *name;
    size_t n;
    bool text;
    const char *why;  /* it cannot be read; NULL: it can */
    const char *unit; /* its attribute `unit`, or `units`; NULL: it has none */
};
struct table_h5 {
    /* Opens a file of n bytes, which stay as they are until it is closed. NULL:
     * *error says why (static text). */
    struct h5_file *(*open)(const char *bytes, size_t n, const char **error);
    size_t (*count)(const struct h5_file *file);
    /* of column i; its texts live as long as the file is open */
    struct h5_table_column (*shape)(const struct h5_file *file, size_t i);
    /* All entries of a column. False: they cannot be read. */
    bool (*numbers)(struct h5_file *file, size_t i, double *x);
    bool (*texts)(struct h5_file *file, size_t i,
                  void (*each)(void *ctx, size_t row, const char *text,
                               size_t len),
                  void *ctx);
    void (*close)(struct h5_file *file);
};

#endif
