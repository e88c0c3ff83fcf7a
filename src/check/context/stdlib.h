/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard library: the files of stdlib/, embedded in the program. */
#ifndef IMP_CHECK_CONTEXT_STDLIB_H
#define IMP_CHECK_CONTEXT_STDLIB_H

#include <stddef.h>

/* the standard library, embedded: n-th file ("shapes") or NULL */
struct stdlib_file {
    const char *name, *text;
    size_t len;
};
const struct stdlib_file *stdlib_get(size_t count);
const struct stdlib_file *stdlib_find(const char *name);
/* The library whose text declares this name: with one of these words before it
 * (of which the last is NULL). NULL: none. A look at the text is enough for a
 * suggestion. */
const char *stdlib_holder(const char *name, const char *const *words);

#endif
