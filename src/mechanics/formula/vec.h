/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Algebra of 3-vectors, 3 x 3 matrices and quaternions whose entries are nodes
 * of the expression graph. The plane is the same algebra with literal zeros:
 * factors 0 and 1 are dropped here, so no product with them reaches a tape.
 * Sums of products are written as chains of a*b +- c*d, the form that the tape
 * builder gathers into one DOT instruction. */
#ifndef IMP_MECHANICS_FORMULA_VEC_H
#define IMP_MECHANICS_FORMULA_VEC_H

#include "calculus/expr.h"

typedef struct vec3 {
    const expr *v[3];
} vec3;
typedef struct mat3 { /* row-major */
    const expr *m[3][3];
} mat3;
typedef struct quat { /* w x y z */
    const expr *q[4];
} quat;

/* scalars; a literal 0 or 1 leaves no operation behind */
const expr *sc_mul(struct graph *graph, const expr *a, const expr *b);
const expr *sc_add(struct graph *graph, const expr *a, const expr *b);
const expr *sc_sub(struct graph *graph, const expr *a, const expr *b);
const expr *sc_neg(struct graph *graph, const expr *a);
const expr *sc_zero(struct graph *graph);
bool sc_is_zero(const expr *a);

vec3 v3(const expr *x, const expr *y, const expr *z);
vec3 v3_zero(struct graph *graph);
bool v3_is_zero(vec3 a);
vec3 v3_add(struct graph *graph, vec3 a, vec3 b);
vec3 v3_sub(struct graph *graph, vec3 a, vec3 b);
vec3 v3_scale(struct graph *graph, const expr *s, vec3 a);
const expr *v3_dot(struct graph *graph, vec3 a, vec3 b);
vec3 v3_cross(struct graph *graph, vec3 a, vec3 b);
const expr *v3_norm(struct graph *graph, vec3 a);
/* total derivative of each entry, see ex_diff_along */
vec3 v3_along(struct graph *graph, vec3 a, const expr *const *leaf,
              const expr *const *rate, size_t n);

/* symmetric matrix from xx yy zz xy xz yz */
mat3 m3_sym(const expr *const s[6]);
vec3 m3_apply(struct graph *graph, mat3 a, vec3 x);   /* a x */
vec3 m3_apply_t(struct graph *graph, mat3 a, vec3 x); /* a^T x */
/* x . (a y) */
const expr *m3_form(struct graph *graph, vec3 x, mat3 a, vec3 y);

/* rotation about z from cosine and sine */
mat3 m3_plane(struct graph *graph, const expr *c, const expr *s);
/* The rotation matrix of a unit quaternion (10 products, shared), from squares
 * that cancel: quarter turns about the axes give zeros that are exact. */
mat3 m3_of_quat(struct graph *graph, quat q);
/* conj(a) b */
quat q_conj_mul(struct graph *graph, quat a, quat b);
/* 1/2 q (0, w): rate of a quaternion with spin w in body axes */
quat q_rate(struct graph *graph, quat q, vec3 spin);

/* L D L^T of a symmetric n x n matrix, row-major, without pivoting, which a
 * positive definite matrix does not need. M is overwritten by L (below the
 * diagonal) and D (on it). */
void ldl_factor(struct graph *graph, const expr **M, uint32_t size);
/* a = M^-1 f for the factored matrix LD; f and a have n entries */
void ldl_solve(struct graph *graph, const expr *const *LD, uint32_t size,
               const expr *const *f, const expr **x);

#endif
