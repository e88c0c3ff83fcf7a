/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dimensions: rational powers of m, kg, s, A, K, mol, cd and of inference
 * variables; unification is linear algebra over the rationals (Kennedy 1996).
 * Radians are pure. A dim is immutable once made; what a variable stands for
 * is kept in struct dims, so dim_resolve gives today's knowledge. */
#ifndef IMP_CHECK_DIM_H
#define IMP_CHECK_DIM_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/range.h"

#define DIM_BASES 7
enum dim_base { DIM_M, DIM_KG, DIM_S, DIM_A, DIM_K, DIM_MOL, DIM_CD };
struct ratio {
    int32_t p, q; /* q > 0, lowest terms */
};
struct dim_power { /* of a variable */
    uint32_t var;
    struct ratio e;
};
struct dim {
    struct ratio base[DIM_BASES];
    struct dim_power *vars; /* NULL if none; by increasing var */
    uint32_t n_vars;
};

struct arena;
/* the state of one inference; owned by the arena, as every dim made with it */
struct dims;
struct dims *dims_new(struct arena *arena);

struct ratio ratio_make(int64_t p, int64_t q);
/* the rational with the smallest denominator (at most 64) that is x to
 * rounding; false if there is none */
bool ratio_of(double number, struct ratio *ratio);

const struct dim *dim_pure(struct dims *ds);
/* m^a kg^b s^c: all of mechanics */
const struct dim *dim_mks(struct dims *ds, int m, int kg, int s);
const struct dim *dim_unit(struct dims *ds, enum dim_base b);
/* a new variable; `where` is what asked for it */
const struct dim *dim_fresh(struct dims *ds, imp_range where);
const struct dim *dim_mul(struct dims *ds, const struct dim *left,
                          const struct dim *right);
const struct dim *dim_div(struct dims *ds, const struct dim *left,
                          const struct dim *right);
const struct dim *dim_pow(struct dims *ds, const struct dim *left,
                          struct ratio exponent);
/* solved variables replaced */
const struct dim *dim_resolve(struct dims *ds, const struct dim *dim);
/* makes a and b equal by solving at most one variable; false if they differ
 * (then nothing has changed). `where`: the use that decides */
bool dim_unify(struct dims *ds, const struct dim *left, const struct dim *right,
               imp_range where);
bool dim_is_pure(struct dims *ds, const struct dim *dim);
/* no unsolved variable left? */
bool dim_known(struct dims *ds, const struct dim *dim);
/* where the variable of a lone-variable dim was decided, if it was */
bool dim_decided(struct dims *ds, const struct dim *dim, imp_range *where);
/* canonical SI text: "kg*m^2/s^2", "1/s", "m^(1/2)", "" if pure; unsolved
 * variables count as pure. Owned by the arena. */
const char *dim_text(struct dims *ds, const struct dim *dim);
/* for messages: "an acceleration [m/s^2]", "a pure number" */
const char *dim_say(struct dims *ds, const struct dim *dim);
/* an exponent left the range of a ratio since the last call? */
bool dims_overflowed(struct dims *ds);

#endif
