/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the code generator when it is first needed: LLVM costs every process
 * that is linked with it some 20 ms, and `imp check` and `imp fmt` have no use
 * for it. Loaded once, never unloaded; all threads share it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "cli/session.h"
#include "cli/where.h"
#include "codegen/gen.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct gen_api *api;
static char message[WHERE_MAX + 512];

static void
load(void)
{
    char path[WHERE_MAX];
    union {
        void *object;
        gen_entry_fn function;
    } entry;

    if (!where_is("libimpgen.so", path)) {
        snprintf(message, sizeof message,
                 "the code generator libimpgen.so is neither beside this "
                 "program nor in lib/imp");
        return;
    }
    void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!lib) {
        const char *why = dlerror();
        snprintf(message, sizeof message,
                 "the code generator cannot be loaded: %.400s",
                 why ? why : path);
        return;
    }
    entry.object = dlsym(lib, GEN_ENTRY);
    const struct gen_api *a = entry.object ? entry.function() : NULL;
    if (!a || a->version != GEN_API_VERSION) {
        snprintf(message, sizeof message,
                 "%s belongs to another version of Imp (its interface is %d, "
                 "%d is needed)",
                 path, a ? a->version : 0, GEN_API_VERSION);
        dlclose(lib);
        return;
    }
    api = a;
}

const struct gen_api *
genload(const char **error)
{
    pthread_once(&once, load);
    if (!api)
        *error = message;
    return api;
}
