/* SPDX-License-Identifier: MIT */
/* libimph5.so: columns as an HDF5 file, made in memory. A dataset per column,
 * its unit (and its place among the axes) as attributes; texts are strings of
 * variable length in UTF-8. Attributes of the file: model, command, seed, the
 * params (param.NAME, param.NAME.unit), axes and shape of the grid. Neither
 * times nor paths enter. */
#include <assert.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5/h5table.h"
#include "output/h5.h"

struct making {
    hid_t file, text, place; /* place: creation of datasets, without times */
    hid_t links, group;      /* creation of names, with the groups on the way */
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
text_attribute(struct making *making, hid_t of, const char *name,
               const char *bytes)
{
    attribute(making, of, name, making->text, 0, &bytes);
}

static void
param(struct making *making, const struct h5_param *param)
{
    size_t n = strlen(param->name) + 16;
    char *name = malloc(n);
    if (!name) {
        making->failed = true;
        return;
    }
    strcat(strcpy(name, "param."), param->name);
    attribute(making, making->file, name, H5T_NATIVE_DOUBLE, 0, &param->x);
    if (*param->unit)
        text_attribute(making, making->file, strcat(name, ".unit"),
                       param->unit);
    free(name);
}

static void
column(struct making *making, const struct h5_column *column, int64_t axis)
{
    hsize_t dims[2] = {column->n, column->width};
    hid_t type = column->texts   ? making->text
                 : column->small ? H5T_NATIVE_UINT8
                                 : H5T_NATIVE_DOUBLE;
    hid_t space = H5Screate_simple(column->width ? 2 : 1, dims, NULL);
    hid_t set = H5Dcreate2(making->file, column->name, type, space,
                           making->links, making->place, H5P_DEFAULT);
    const void *x = column->texts   ? (const void *)column->texts
                    : column->small ? (const void *)column->small
                                    : (const void *)column->x;
    making->failed |=
        set < 0 || (column->n &&
                    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0);
    if (set >= 0 && *column->unit)
        text_attribute(making, set, "unit", column->unit);
    if (set >= 0 && axis >= 0)
        attribute(making, set, "axis", H5T_NATIVE_INT64, 0, &axis);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
}

/* An attribute of a dataset or a group, which is made if it is not there. */
static void
note(struct making *making, const struct h5_note *note)
{
    hid_t of = H5Oopen(making->file, note->of, H5P_DEFAULT);
    if (of < 0)
        of = H5Gcreate2(making->file, note->of, making->links, making->group,
                        H5P_DEFAULT);
    if (of < 0) {
        making->failed = true;
        return;
    }
    if (note->text)
        text_attribute(making, of, note->name, note->text);
    else
        attribute(making, of, note->name, H5T_NATIVE_DOUBLE, 0, &note->x);
    H5Oclose(of);
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
    for (size_t i = 0; i < content->n_notes && !making->failed; i++)
        note(making, &content->notes[i]);
}

/* the bytes of the file */
static char *
image(struct making *making, size_t *n_bytes)
{
    char *bytes = NULL;
    ssize_t size = -1;
    if (!making->failed && H5Fflush(making->file, H5F_SCOPE_GLOBAL) >= 0)
        size = H5Fget_file_image(making->file, NULL, 0);
    if (size > 0 && (bytes = malloc((size_t)size)) &&
        H5Fget_file_image(making->file, bytes, (size_t)size) != size) {
        free(bytes);
        bytes = NULL;
    }
    *n_bytes = bytes ? (size_t)size : 0;
    return bytes;
}

static char *
made(const struct h5_content *what, size_t *size)
{
    struct making making = {-1, -1, -1, -1, -1, false};
    char *bytes = NULL;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    making.place = H5Pcreate(H5P_DATASET_CREATE);
    making.links = H5Pcreate(H5P_LINK_CREATE);
    making.group = H5Pcreate(H5P_GROUP_CREATE);
    making.text = H5Tcopy(H5T_C_S1);
    /* in memory, growing by a mebibyte, never to a disk */
    making.failed = access < 0 || making.place < 0 || making.text < 0 ||
                    making.links < 0 || making.group < 0 ||
                    H5Pset_create_intermediate_group(making.links, 1) < 0 ||
                    H5Pset_obj_track_times(making.group, 0) < 0 ||
                    H5Pset_fapl_core(access, (size_t)1 << 20, 0) < 0 ||
                    H5Pset_obj_track_times(making.place, 0) < 0 ||
                    H5Tset_size(making.text, H5T_VARIABLE) < 0 ||
                    H5Tset_cset(making.text, H5T_CSET_UTF8) < 0;
    if (!making.failed)
        making.file = H5Fcreate("imp.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (making.file >= 0) {
        content(&making, what);
        bytes = image(&making, size);
        H5Fclose(making.file);
    }
    if (making.text >= 0)
        H5Tclose(making.text);
    if (making.place >= 0)
        H5Pclose(making.place);
    if (making.links >= 0)
        H5Pclose(making.links);
    if (making.group >= 0)
        H5Pclose(making.group);
    if (access >= 0)
        H5Pclose(access);
    return bytes;
}

static char *
file(const struct h5_content *content, size_t *size, const char **error)
{
    assert(content && size && error);
    H5E_auto2_t print = NULL;
    void *ctx = NULL;
    char *bytes = NULL;
    *error = "HDF5 could not make the file; memory may have ended";
    if (H5open() < 0) {
        *error = "HDF5 cannot be started";
        return NULL;
    }
    /* the program's own error messages, not HDF5's; others may use it too */
    H5Eget_auto2(H5E_DEFAULT, &print, &ctx);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    bytes = made(content, size);
    H5Eset_auto2(H5E_DEFAULT, print, ctx);
    return bytes;
}

__attribute__((visibility("default"))) const struct h5_api *imp_hdf5_api(void);

const struct h5_api *
imp_hdf5_api(void)
{
    static const struct h5_api api = {H5_API_VERSION, file, &h5_table};
    return &api;
}
