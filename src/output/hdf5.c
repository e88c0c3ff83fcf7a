/* SPDX-License-Identifier: MIT */
/* Columns as an HDF5 file: what is in it is gathered here, its bytes come from
 * libimph5.so (output/h5.h), and it appears whole or not at all as all files
 * do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "output/h5.h"
#include "output/writer.h"

static const struct h5_api *
load_api(const struct output *o, struct diags *ds, imp_range where,
         const char *file)
{
    const char *why = "a simulator has no HDF5";
    const struct h5_api *api = o->hdf5 ? o->hdf5(&why) : NULL;
    if (api)
        return api;
    struct diag *d = diag_add(ds, DIAG_E0856, where,
                              "\"%s\" cannot be written: %s", file, why);
    diag_help(ds, d, "save as .csv or .jsonl%s",
              o->hdf5 ? ", or install libhdf5 and build Imp again"
                      : ", or run the model with `imp run`");
    return NULL;
}

static int
available(const struct output *o, struct diags *ds, imp_range where,
          const char *file)
{
    return load_api(o, ds, where, file) ? IMP_OK : IMP_FAILED;
}

/* a name for HDF5: `/` parts folders there, and `.` is one */
static const char *
plain(struct arena *a, const struct h5_column *v, size_t n, const char *name)
{
    char *s =
        arena_strdup(a, *name && strcmp(name, ".") != 0 ? name : "column");
    for (char *p = s; *p; p++)
        if (*p == '/')
            *p = '|';
    const char *t = s;
    for (int k = 2;; k++) {
        size_t i = 0;
        while (i < n && strcmp(v[i].name, t) != 0)
            i++;
        if (i == n)
            return t;
        t = arena_printf(a, "%s_%d", s, k);
    }
}

static const char *
unit_of(const char *unit)
{
    return out_has_unit(unit) ? unit : "";
}

/* params that do not vary; those of axes are columns */
static size_t
params(const struct output *o, struct arena *a, const struct out_grid *g,
       const struct out_column *cols, struct h5_param **out)
{
    const imp_param *p = IMP_ARRAY(o->im, o->im->params, imp_param);
    struct h5_param *v = NEW_N(a, struct h5_param, o->im->params.n + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < o->im->params.n; i++) {
        const char *name = imp_text(o->im, p[i].name);
        bool varies = false;
        for (size_t k = 0; g && k < g->n_varying; k++)
            varies |= !strcmp(cols[k].name, name);
        if (!varies)
            v[n++] = (struct h5_param){
                name, unit_of(imp_text(o->im, p[i].unit)), o->params[i]};
    }
    *out = v;
    return n;
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int
save(struct output *o, struct diags *ds, imp_range where, const char *file,
     const struct out_table *t)
{
    const struct out_column *cols = t->columns;
    size_t n = t->n_columns;
    const struct out_grid *g = t->grid;
    const struct h5_api *api = load_api(o, ds, where, file);
    struct out_file f;
    int st;
    if (!api)
        return IMP_FAILED;
    struct h5_column *v = NEW_N(ds->arena, struct h5_column, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct h5_column){plain(ds->arena, v, i, cols[i].name),
                                  unit_of(cols[i].unit), cols[i].x,
                                  cols[i].texts, cols[i].n};
    struct h5_param *p = NULL;
    size_t n_params = o->im ? params(o, ds->arena, g, cols, &p) : 0;
    struct h5_content c = {
        .model = o->im ? base_name(imp_text(o->im, o->im->name)) : "",
        .command = g ? "sweep" : "save",
        .seed = o->seed,
        .params = p,
        .n_params = n_params,
        .columns = v,
        .n_columns = n,
        .n_axes = g ? g->n_axes : 0,
        .shape = g ? g->shape : NULL};
    const char *why = NULL;
    size_t size = 0;
    char *s = api->file(&c, &size, &why);
    if (!s) {
        struct diag *d = diag_add(ds, DIAG_E0856, where,
                                  "\"%s\" cannot be written: %s", file, why);
        diag_help(ds, d, "save as .csv or .jsonl");
        return IMP_FAILED;
    }
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        free(s);
        oom_raise();
    }
    oom_enter(&guard);
    if (!(st = out_file_open(o, ds, where, file, &f))) {
        int error = out_file_write(&f, s, size);
        st = out_file_close(&f, ds, where, file, error);
    }
    oom_leave(&guard);
    free(s);
    return st;
}

const struct out_writer out_hdf5 = {.save = save, .available = available};
