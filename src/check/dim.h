/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dimensions: rational powers of m, kg, s, A, K, mol, cd and of inference
 * variables; unification is linear algebra over the rationals (Kennedy 1996).
 * Radians are pure. */
#ifndef IMP_CHECK_DIM_H
#define IMP_CHECK_DIM_H

#include <stdbool.h>
#include <stdint.h>

#define DIM_BASES 7
struct ratio {
    int32_t p, q; /* q > 0, lowest terms */
};
struct dim_power { /* of a variable */
    uint32_t var;
    struct ratio e;
};
struct dim {
    struct ratio base[DIM_BASES];
    struct dim_power *vars; /* NULL if none */
    uint32_t n_vars;
};

#endif
