/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard library: files of stdlib/, turned into bytes by embed.cmake, so
 * that an installed program needs no search path. */
#include <assert.h>
#include <string.h>

#include "check/context/stdlib.h"

/* in the generated stdlib_data.c */
const struct stdlib_file *stdlib_table(size_t *n);

const struct stdlib_file *
stdlib_get(size_t n)
{
    size_t count;
    const struct stdlib_file *t = stdlib_table(&count);
    return n < count ? t + n : NULL;
}

const struct stdlib_file *
stdlib_find(const char *name)
{
    assert(name);
    const struct stdlib_file *file;
    for (size_t i = 0; (file = stdlib_get(i)); i++)
        if (!strcmp(file->name, name))
            return file;
    return NULL;
}

const char *
stdlib_holder(const char *name, const char *const *words)
{
    assert(name && words);
    const struct stdlib_file *file;
    size_t len = strlen(name);
    for (size_t i = 0; (file = stdlib_get(i)); i++)
        for (const char *p = file->text; (p = strstr(p, name)); p += len)
            for (size_t k = 0; words[k] && p[len] == '('; k++) {
                size_t count = strlen(words[k]);
                if ((size_t)(p - file->text) >= count &&
                    !memcmp(p - count, words[k], count))
                    return file->name;
            }
    return NULL;
}
