/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for the program's own libraries. It reads no variable of the
 * environment, because what is loaded into the process must not depend on it.
 */
#include "cli/code/where.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef IMP_PREFIX
#define IMP_PREFIX "/usr/local"
#endif

static bool
try_in(const char *dir, const char *sub, const char *name, char path[WHERE_MAX])
{
    int n = snprintf(path, WHERE_MAX, "%s%s%s", dir, sub, name);

    return n > 0 && n < WHERE_MAX && access(path, R_OK) == 0;
}

/* Cuts the last component off; false if there is none. */
static bool
cut(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash)
        return false;
    *slash = 0;
    return true;
}

static bool
around(char *file, const char *name, char path[WHERE_MAX])
{
    return cut(file) && (try_in(file, "/", name, path) ||
                         try_in(file, "/../lib/imp/", name, path) ||
                         try_in(file, "/imp/", name, path));
}

bool
where_is(const char *name, char path[WHERE_MAX])
{
    assert(name && path);
    static const char marker = 0; /* This address lies inside this object. */
    char self[WHERE_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    Dl_info info;

    if (n > 0) {
        self[n] = 0;
        if (around(self, name, path))
            return true;
    }
    if (dladdr(&marker, &info) && info.dli_fname &&
        strlen(info.dli_fname) < sizeof self) {
        strcpy(self, info.dli_fname);
        if (around(self, name, path))
            return true;
    }
    return try_in(IMP_PREFIX, "/lib/imp/", name, path);
}
