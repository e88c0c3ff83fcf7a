/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of typed models that tests write by hand. */
#ifndef IMP_TESTS_VEC_AT_H
#define IMP_TESTS_VEC_AT_H

#include "base/arena.h"
#include "check/context/typed_model.h"

/* The place of entry i of a vector, which gets room for all that it may have.
 */
static inline const expr **
vec_at(struct arena *arena, struct tm_vec *v, uint32_t i)
{
    const expr **e = NEW_N(arena, const expr *, 9);
    for (uint32_t k = 0; v->e && k < 9; k++)
        e[k] = v->e[k];
    v->e = e;
    return e + i;
}

#endif
