/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of the functions that are built in. */
#ifndef IMP_CHECK_CONTEXT_BUILTINS_H
#define IMP_CHECK_CONTEXT_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>

struct builtin {
    const char *name, *args, *doc, *example;
    bool yields; /* a function of the user's may take this name */
};
const struct builtin *builtin_get(size_t count); /* NULL after the last */
const struct builtin *builtin_find(const char *name);

#endif
