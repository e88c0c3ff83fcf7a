/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads what writes HDF5 files when the first of them is to be written: that
 * library takes 10 ms to load, and few runs have a use for it. Loaded once,
 * never unloaded; all threads share it. */
#include "cli/h5load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "cli/where.h"
#include "output/h5.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct h5_api *api;
static char message[WHERE_MAX + 512];

static void
load(void)
{
    char path[WHERE_MAX];
    union {
        void *object;
        h5_entry_fn function;
    } entry;

    if (!where_is("libimph5.so", path)) {
        snprintf(message, sizeof message,
                 "this Imp was built without HDF5 (libhdf5-dev), so there is "
                 "no libimph5.so");
        return;
    }
    void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!lib) {
        const char *why = dlerror();
        snprintf(message, sizeof message, "HDF5 cannot be loaded: %.400s",
                 why ? why : path);
        return;
    }
    entry.object = dlsym(lib, H5_ENTRY);
    const struct h5_api *a = entry.object ? entry.function() : NULL;
    if (!a || a->version != H5_API_VERSION) {
        snprintf(message, sizeof message,
                 "%s belongs to another version of Imp", path);
        dlclose(lib);
        return;
    }
    api = a;
}

const struct h5_api *
h5load(const char **error)
{
    pthread_once(&once, load);
    if (!api)
        *error = message;
    return api;
}
