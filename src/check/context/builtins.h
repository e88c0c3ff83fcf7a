/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of the functions and shapes that are built in. */
#ifndef IMP_CHECK_CONTEXT_BUILTINS_H
#define IMP_CHECK_CONTEXT_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct builtin {
    const char *name, *args, *doc, *example;
    bool yields; /* a function of the user's may take this name */
};
const struct builtin *builtin_get(size_t n); /* NULL after the last */
const struct builtin *builtin_find(const char *name);

/* a shape given by its corners */
struct corner_shape {
    const char *name;
    uint32_t dim, least;
    const char *args, *doc, *example;
};
const struct corner_shape *corner_shape_get(size_t n); /* NULL after the last */
const struct corner_shape *corner_shape_find(const char *name);

#endif
