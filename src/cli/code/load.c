/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See load.h. Each library exports one function that returns a table whose
 * first member is the version of its interface. */
#include "cli/code/load.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/engines/gsl_api.h"
#include "cli/code/where.h"
#include "codegen/gen.h"
#include "output/h5.h"

struct library {
    const char *file, *entry; /* the exported function */
    int version;              /* of the interface that is needed */
    const char *what;         /* in messages */
    const char *missing;      /* the message where there is no such file */
    char message[WHERE_MAX + 512];
};

static struct library codegen = {
    .file = CODEGEN_FILE,
    .entry = GEN_ENTRY,
    .version = GEN_API_VERSION,
    .what = "the code generator",
    .missing = "the code generator libimpgen.so is neither beside this "
               "program nor in lib/imp"};
static struct library hdf5 = {
    .file = "libimph5.so",
    .entry = H5_ENTRY,
    .version = H5_API_VERSION,
    .what = "HDF5",
    .missing = "this Imp was built without HDF5 (libhdf5-dev), so there is "
               "no libimph5.so"};
static struct library second_engine = {
    .file = "libimpgsl.so",
    .entry = GSL_ENTRY,
    .version = GSL_API_VERSION,
    .what = "GSL",
    .missing = "this Imp was built without GSL (libgsl-dev), so there is "
               "no libimpgsl.so"};

/* Loads the library into *handle. Returns its exported function, or NULL; where
 * *handle is NULL, the message says why. */
static void *
find_entry(struct library *library, void **handle)
{
    char path[WHERE_MAX];

    *handle = NULL;
    if (!where_is(library->file, path)) {
        snprintf(library->message, sizeof library->message, "%s",
                 library->missing);
        return NULL;
    }
    *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!*handle) {
        const char *why = dlerror();
        snprintf(library->message, sizeof library->message,
                 "%s cannot be loaded: %.400s", library->what,
                 why ? why : path);
        return NULL;
    }
    return dlsym(*handle, library->entry);
}

/* False, after a message and closing the library, if its interface has another
 * version than the one needed; 0: it has none. */
static bool
right_version(struct library *library, void *handle, int version)
{
    char path[WHERE_MAX];

    if (version == library->version)
        return true;
    if (!where_is(library->file, path))
        path[0] = 0;
    snprintf(library->message, sizeof library->message,
             "%s belongs to another version of Imp (its interface is %d, "
             "%d is needed)",
             path, version, library->version);
    dlclose(handle);
    return false;
}

static pthread_once_t codegen_once = PTHREAD_ONCE_INIT;
static const struct gen_api *codegen_api;
static pthread_once_t hdf5_once = PTHREAD_ONCE_INIT;
static const struct h5_api *hdf5_api;
static pthread_once_t gsl_once = PTHREAD_ONCE_INIT;
static const struct gsl_api *gsl_api;

static void
open_codegen(void)
{
    union {
        void *object;
        gen_entry_fn function;
    } entry;
    void *handle;

    entry.object = find_entry(&codegen, &handle);
    if (!handle)
        return;
    const struct gen_api *api = entry.object ? entry.function() : NULL;
    if (right_version(&codegen, handle, api ? api->version : 0))
        codegen_api = api;
}

static void
open_hdf5(void)
{
    union {
        void *object;
        h5_entry_fn function;
    } entry;
    void *handle;

    entry.object = find_entry(&hdf5, &handle);
    if (!handle)
        return;
    const struct h5_api *api = entry.object ? entry.function() : NULL;
    if (right_version(&hdf5, handle, api ? api->version : 0))
        hdf5_api = api;
}

static void
open_gsl(void)
{
    union {
        void *object;
        gsl_entry_fn function;
    } entry;
    void *handle;

    entry.object = find_entry(&second_engine, &handle);
    if (!handle)
        return;
    const struct gsl_api *api = entry.object ? entry.function() : NULL;
    if (right_version(&second_engine, handle, api ? api->version : 0))
        gsl_api = api;
}

const struct gen_api *
load_codegen(const char **error)
{
    assert(error);
    pthread_once(&codegen_once, open_codegen);
    if (!codegen_api)
        *error = codegen.message;
    return codegen_api;
}

const struct h5_api *
load_hdf5(const char **error)
{
    assert(error);
    pthread_once(&hdf5_once, open_hdf5);
    if (!hdf5_api)
        *error = hdf5.message;
    return hdf5_api;
}

const struct table_h5 *
load_tables(const char **error)
{
    const struct h5_api *api = load_hdf5(error);
    return api ? api->table : NULL;
}

const struct gsl_api *
load_gsl(const char **error)
{
    assert(error);
    pthread_once(&gsl_once, open_gsl);
    if (!gsl_api)
        *error = second_engine.message;
    return gsl_api;
}
