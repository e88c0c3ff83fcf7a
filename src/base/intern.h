/* SPDX-License-Identifier: MIT */
/* Interned names: equal text, equal pointer within one table. */
#ifndef IMP_BASE_INTERN_H
#define IMP_BASE_INTERN_H

#include <stddef.h>

struct intern;
struct arena;
struct intern *intern_new(struct arena *a); /* owned by the arena */
const char *intern(struct intern *t, const char *s, size_t n);
const char *intern_str(struct intern *t, const char *s);

#endif
