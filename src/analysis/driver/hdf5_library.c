/* SPDX-License-Identifier: MIT */
/* What writes and reads HDF5 files, for simulators: libimph5.so, which was
 * linked into none of them. It is looked for where it was when the simulator was
 * built, and beside it. */
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>

#include "analysis/driver/driver.h"
#include "output/h5.h"

const struct h5_api *
driver_hdf5(const char **why)
{
    assert(why);
    union {
        void *object;
        h5_entry_fn function;
    } entry = {NULL};
    void *library = dlopen("libimph5.so", RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        *why = "libimph5.so, which knows HDF5, is neither beside this "
               "simulator nor where it was when Imp built it";
        return NULL;
    }
    entry.object = dlsym(library, H5_ENTRY);
    const struct h5_api *api = entry.object ? entry.function() : NULL;
    if (api && api->version == H5_API_VERSION)
        return api;
    *why = "libimph5.so belongs to another version of Imp";
    dlclose(library);
    return NULL;
}

const struct table_h5 *
driver_hdf5_tables(const char **why)
{
    const struct h5_api *api = driver_hdf5(why);
    return api ? api->table : NULL;
}
