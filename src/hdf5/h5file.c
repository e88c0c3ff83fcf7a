/* SPDX-License-Identifier: MIT */
/* libimph5.so: columns as an HDF5 file, made in memory. A dataset per column,
 * its unit (and its place among the axes) as attributes; texts are strings of
 * variable length in UTF-8. Attributes of the file: model, command, seed, the
 * params (param.NAME, param.NAME.unit), axes and shape of the grid. Neither
 * times nor paths enter. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/h5.h"

struct making {
    hid_t file, text, place; /* place: creation of datasets, without times */
    bool failed;
};

/* an attribute of `n` values of a type (n 0: a single one) */
static void
attribute(struct making *making, hid_t of, const char *name, hid_t type,
          size_t n, const void *x)
{
    hsize_t dims = n;
    hid_t space = n ? H5Screate_simple(1, &dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    making->failed |= a < 0 || H5Awrite(a, type, x) < 0;
    if (a >= 0)
        H5Aclose(a);
    H5Sclose(space);
}

static void
text_attribute(struct making *making, hid_t of, const char *name, const char *s)
{
    attribute(making, of, name, making->text, 0, &s);
}

static void
param(struct making *making, const struct h5_param *p)
{
    size_t n = strlen(p->name) + 16;
    char *name = malloc(n);
    if (!name) {
        making->failed = true;
        return;
    }
    strcat(strcpy(name, "param."), p->name);
    attribute(making, making->file, name, H5T_NATIVE_DOUBLE, 0, &p->x);
    if (*p->unit)
        text_attribute(making, making->file, strcat(name, ".unit"), p->unit);
    free(name);
}

static void
column(struct making *making, const struct h5_column *c, int64_t axis)
{
    hsize_t dims = c->n;
    hid_t type = c->texts ? making->text : H5T_NATIVE_DOUBLE;
    hid_t space = H5Screate_simple(1, &dims, NULL);
    hid_t d = H5Dcreate2(making->file, c->name, type, space, H5P_DEFAULT,
                         making->place, H5P_DEFAULT);
    const void *x = c->texts ? (const void *)c->texts : (const void *)c->x;
    making->failed |= d < 0 || (c->n && H5Dwrite(d, type, H5S_ALL, H5S_ALL,
                                                 H5P_DEFAULT, x) < 0);
    if (d >= 0 && *c->unit)
        text_attribute(making, d, "unit", c->unit);
    if (d >= 0 && axis >= 0)
        attribute(making, d, "axis", H5T_NATIVE_INT64, 0, &axis);
    if (d >= 0)
        H5Dclose(d);
    H5Sclose(space);
}

static void
content(struct making *making, const struct h5_content *content)
{
    text_attribute(making, making->file, "model", content->model);
    text_attribute(making, making->file, "command", content->command);
    attribute(making, making->file, "seed", H5T_NATIVE_DOUBLE, 0,
              &content->seed);
    for (size_t i = 0; i < content->n_params; i++)
        param(making, &content->params[i]);
    if (content->n_axes) {
        const char **names = calloc(content->n_axes, sizeof *names);
        making->failed |= !names;
        for (size_t i = 0; names && i < content->n_axes; i++)
            names[i] = content->columns[i].name;
        if (names)
            attribute(making, making->file, "axes", making->text,
                      content->n_axes, names);
        free(names);
        attribute(making, making->file, "shape", H5T_NATIVE_UINT64,
                  content->n_axes, content->shape);
    }
    for (size_t i = 0; i < content->n_columns && !making->failed; i++)
        column(making, &content->columns[i],
               i < content->n_axes ? (int64_t)i : -1);
}

/* the bytes of the file */
static char *
image(struct making *making, size_t *n)
{
    char *s = NULL;
    ssize_t size = -1;
    if (!making->failed && H5Fflush(making->file, H5F_SCOPE_GLOBAL) >= 0)
        size = H5Fget_file_image(making->file, NULL, 0);
    if (size > 0 && (s = malloc((size_t)size)) &&
        H5Fget_file_image(making->file, s, (size_t)size) != size) {
        free(s);
        s = NULL;
    }
    *n = s ? (size_t)size : 0;
    return s;
}

static char *
made(const struct h5_content *c, size_t *n)
{
    struct making m = {-1, -1, -1, false};
    char *s = NULL;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    m.place = H5Pcreate(H5P_DATASET_CREATE);
    m.text = H5Tcopy(H5T_C_S1);
    /* in memory, growing by a mebibyte, never to a disk */
    m.failed = access < 0 || m.place < 0 || m.text < 0 ||
               H5Pset_fapl_core(access, (size_t)1 << 20, 0) < 0 ||
               H5Pset_obj_track_times(m.place, 0) < 0 ||
               H5Tset_size(m.text, H5T_VARIABLE) < 0 ||
               H5Tset_cset(m.text, H5T_CSET_UTF8) < 0;
    if (!m.failed)
        m.file = H5Fcreate("imp.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (m.file >= 0) {
        content(&m, c);
        s = image(&m, n);
        H5Fclose(m.file);
    }
    if (m.text >= 0)
        H5Tclose(m.text);
    if (m.place >= 0)
        H5Pclose(m.place);
    if (access >= 0)
        H5Pclose(access);
    return s;
}

static char *
file(const struct h5_content *content, size_t *n, const char **error)
{
    H5E_auto2_t print = NULL;
    void *ctx = NULL;
    char *s = NULL;
    *error = "HDF5 could not make the file; memory may have ended";
    if (H5open() < 0) {
        *error = "HDF5 cannot be started";
        return NULL;
    }
    /* the program's own error messages, not HDF5's; others may use it too */
    H5Eget_auto2(H5E_DEFAULT, &print, &ctx);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    s = made(content, n);
    H5Eset_auto2(H5E_DEFAULT, print, ctx);
    return s;
}

__attribute__((visibility("default"))) const struct h5_api *imp_hdf5_api(void);

const struct h5_api *
imp_hdf5_api(void)
{
    static const struct h5_api api = {H5_API_VERSION, file};
    return &api;
}
