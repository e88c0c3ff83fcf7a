/* SPDX-License-Identifier: MIT */
/* Columns as an HDF5 file. This file gathers the content; libimph5.so
 * (output/h5.h) makes the bytes. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "output/h5.h"
#include "output/writer.h"

static const struct h5_api *
load_api(const struct output *output, struct diags *ds, imp_range where,
         const char *file)
{
    const char *why = "a simulator has no HDF5";
    const struct h5_api *api = output->hdf5 ? output->hdf5(&why) : NULL;
    if (api)
        return api;
    struct diag *diag = diag_add(ds, DIAG_E0856, where,
                                 "\"%s\" cannot be written: %s", file, why);
    diag_help(ds, diag, "save as .csv or .jsonl%s",
              output->hdf5 ? ", or install libhdf5 and build Imp again"
                           : ", or run the model with `imp run`");
    return NULL;
}

static int
available(const struct output *output, struct diags *ds, imp_range where,
          const char *file)
{
    return load_api(output, ds, where, file) ? IMP_OK : IMP_FAILED;
}

/* A unique name for HDF5, where `/` separates folders and `.` is a folder. */
static const char *
plain(struct arena *arena, const struct h5_column *columns, size_t n_columns,
      const char *name)
{
    char *base =
        arena_strdup(arena, *name && strcmp(name, ".") != 0 ? name : "column");
    for (char *p = base; *p; p++)
        if (*p == '/')
            *p = '|';
    const char *t = base;
    for (int k = 2;; k++) {
        size_t i = 0;
        while (i < n_columns && strcmp(columns[i].name, t) != 0)
            i++;
        if (i == n_columns)
            return t;
        t = arena_printf(arena, "%s_%d", base, k);
    }
}

static const char *
unit_of(const char *unit)
{
    return out_has_unit(unit) ? unit : "";
}

/* Is this column the one of a param: `e`, or `s.e` of the sweep s? */
static bool
column_of(const char *column, const char *param)
{
    size_t n = strlen(column), m = strlen(param);
    return n >= m && !strcmp(column + n - m, param) &&
           (n == m || column[n - m - 1] == '.');
}

/* The params that do not vary. Those that a sweep varies are columns, and so
 * are they where its record is saved. */
static size_t
params(const struct output *output, struct arena *arena,
       const struct out_table *table, struct h5_param **out)
{
    const imp_param *param =
        IMP_ARRAY(output->im, output->im->params, imp_param);
    struct h5_param *fixed =
        NEW_N(arena, struct h5_param, output->im->params.n + 1);
    size_t n_fixed = 0;
    for (uint32_t i = 0; i < output->im->params.n; i++) {
        const char *name = imp_text(output->im, param[i].name);
        bool varies = false;
        for (size_t k = 0; k < table->n_columns; k++)
            varies |= column_of(table->columns[k].name, name);
        if (!varies)
            fixed[n_fixed++] = (struct h5_param){
                name, unit_of(imp_text(output->im, param[i].unit)),
                output->params[i]};
    }
    *out = fixed;
    return n_fixed;
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int
save(struct output *output, struct diags *ds, imp_range where, const char *file,
     const struct out_table *table)
{
    assert(output->dir && table);
    const struct out_column *cols = table->columns;
    size_t n_columns = table->n_columns;
    const struct out_grid *grid = table->grid;
    const struct h5_api *api = load_api(output, ds, where, file);
    struct out_file opened;
    int st;
    if (!api)
        return IMP_FAILED;
    struct h5_column *columns =
        NEW_N(ds->arena, struct h5_column, n_columns + 1);
    for (size_t i = 0; i < n_columns; i++)
        columns[i] = (struct h5_column){
            .name = plain(ds->arena, columns, i, cols[i].name),
            .unit = unit_of(cols[i].unit),
            .x = cols[i].x,
            .texts = cols[i].texts,
            .n = cols[i].n};
    struct h5_param *p = NULL;
    size_t n_params = output->im ? params(output, ds->arena, table, &p) : 0;
    struct h5_content content = {
        .model =
            output->im ? base_name(imp_text(output->im, output->im->name)) : "",
        .command = grid ? "sweep" : "save",
        .seed = output->seed,
        .params = p,
        .n_params = n_params,
        .columns = columns,
        .n_columns = n_columns,
        .n_axes = grid ? grid->n_axes : 0,
        .shape = grid ? grid->shape : NULL};
    const char *why = NULL;
    size_t size = 0;
    char *bytes = api->file(&content, &size, &why);
    if (!bytes) {
        struct diag *diag = diag_add(ds, DIAG_E0856, where,
                                     "\"%s\" cannot be written: %s", file, why);
        diag_help(ds, diag, "save as .csv or .jsonl");
        return IMP_FAILED;
    }
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        free(bytes);
        oom_raise();
    }
    oom_enter(&guard);
    if (!(st = out_file_open(output, ds, where, file, &opened))) {
        int error = out_file_write(&opened, bytes, size);
        st = out_file_close(&opened, ds, where, file, error);
    }
    oom_leave(&guard);
    free(bytes);
    return st;
}

const struct out_writer out_hdf5 = {.save = save, .available = available};
