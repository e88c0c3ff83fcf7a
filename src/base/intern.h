/* SPDX-License-Identifier: MIT */
/* Interned names: equal text, equal pointer within one table. */
#ifndef IMP_BASE_INTERN_H
#define IMP_BASE_INTERN_H

#include <stddef.h>

struct intern;
struct arena;
struct intern *intern_new(struct arena *arena); /* owned by the arena */
const char *intern(struct intern *table, const char *chars, size_t len);
const char *intern_str(struct intern *table, const char *s);

#endif
