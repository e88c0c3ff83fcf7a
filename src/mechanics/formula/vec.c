/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See vec.h. Literals are dropped here and not in the graph: 0 * x is 0 for
 * every finite x only, and entries that are not finite are caught where they
 * arise (I5). */
#include "mechanics/formula/vec.h"

#include <assert.h>

bool
sc_is_zero(const expr *a)
{
    return ex_is_num(a, 0.0);
}

const expr *
sc_zero(struct graph *graph)
{
    return ex_num(graph, 0.0);
}

const expr *
sc_neg(struct graph *graph, const expr *a)
{
    return sc_is_zero(a) ? a : ex_neg(graph, a);
}

const expr *
sc_add(struct graph *graph, const expr *a, const expr *b)
{
    assert(a != NULL && b != NULL);
    if (sc_is_zero(a))
        return b;
    return sc_is_zero(b) ? a : ex_add(graph, a, b);
}

const expr *
sc_sub(struct graph *graph, const expr *a, const expr *b)
{
    assert(a != NULL && b != NULL);
    if (sc_is_zero(b))
        return a;
    return sc_is_zero(a) ? ex_neg(graph, b) : ex_sub(graph, a, b);
}

const expr *
sc_mul(struct graph *graph, const expr *a, const expr *b)
{
    assert(a != NULL && b != NULL);
    if (sc_is_zero(a) || sc_is_zero(b))
        return sc_zero(graph);
    if (ex_is_num(a, 1.0))
        return b;
    return ex_is_num(b, 1.0) ? a : ex_mul(graph, a, b);
}

vec3
v3(const expr *x, const expr *y, const expr *z)
{
    assert(x != NULL && y != NULL && z != NULL);
    return (vec3){{x, y, z}};
}

vec3
v3_zero(struct graph *graph)
{
    const expr *z = sc_zero(graph);
    return v3(z, z, z);
}

bool
v3_is_zero(vec3 a)
{
    return sc_is_zero(a.v[0]) && sc_is_zero(a.v[1]) && sc_is_zero(a.v[2]);
}

vec3
v3_add(struct graph *graph, vec3 a, vec3 b)
{
    return v3(sc_add(graph, a.v[0], b.v[0]), sc_add(graph, a.v[1], b.v[1]),
              sc_add(graph, a.v[2], b.v[2]));
}

vec3
v3_sub(struct graph *graph, vec3 a, vec3 b)
{
    return v3(sc_sub(graph, a.v[0], b.v[0]), sc_sub(graph, a.v[1], b.v[1]),
              sc_sub(graph, a.v[2], b.v[2]));
}

vec3
v3_scale(struct graph *graph, const expr *s, vec3 a)
{
    return v3(sc_mul(graph, s, a.v[0]), sc_mul(graph, s, a.v[1]),
              sc_mul(graph, s, a.v[2]));
}

const expr *
v3_dot(struct graph *graph, vec3 a, vec3 b)
{
    const expr *s = sc_mul(graph, a.v[0], b.v[0]);
    s = sc_add(graph, s, sc_mul(graph, a.v[1], b.v[1]));
    return sc_add(graph, s, sc_mul(graph, a.v[2], b.v[2]));
}

/* a b - c d */
static const expr *
det2(struct graph *graph, const expr *a, const expr *b, const expr *c,
     const expr *d)
{
    return sc_sub(graph, sc_mul(graph, a, b), sc_mul(graph, c, d));
}

vec3
v3_cross(struct graph *graph, vec3 a, vec3 b)
{
    return v3(det2(graph, a.v[1], b.v[2], a.v[2], b.v[1]),
              det2(graph, a.v[2], b.v[0], a.v[0], b.v[2]),
              det2(graph, a.v[0], b.v[1], a.v[1], b.v[0]));
}

const expr *
v3_norm(struct graph *graph, vec3 a)
{
    return ex_op(graph, IMP_OP_SQRT, v3_dot(graph, a, a), NULL, NULL);
}

vec3
v3_along(struct graph *graph, vec3 a, const expr *const *leaf,
         const expr *const *rate, size_t n)
{
    return v3(ex_diff_along(graph, a.v[0], leaf, rate, n),
              ex_diff_along(graph, a.v[1], leaf, rate, n),
              ex_diff_along(graph, a.v[2], leaf, rate, n));
}

mat3
m3_sym(const expr *const s[6])
{
    return (mat3){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}

static mat3
m3_transpose(mat3 a)
{
    mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[j][i];
    return r;
}

vec3
m3_apply(struct graph *graph, mat3 a, vec3 x)
{
    vec3 r;
    for (int i = 0; i < 3; i++)
        r.v[i] = v3_dot(graph, v3(a.m[i][0], a.m[i][1], a.m[i][2]), x);
    return r;
}

vec3
m3_apply_t(struct graph *graph, mat3 a, vec3 x)
{
    return m3_apply(graph, m3_transpose(a), x);
}

const expr *
m3_form(struct graph *graph, vec3 x, mat3 a, vec3 y)
{
    return v3_dot(graph, x, m3_apply(graph, a, y));
}

mat3
m3_plane(struct graph *graph, const expr *c, const expr *s)
{
    const expr *z = sc_zero(graph), *one = ex_num(graph, 1.0);
    return (mat3){{{c, sc_neg(graph, s), z}, {s, c, z}, {z, z, one}}};
}

mat3
m3_of_quat(struct graph *graph, quat q)
{
    const expr *two = ex_num(graph, 2.0);
    const expr *w = q.q[0], *x = q.q[1], *y = q.q[2], *z = q.q[3];
    const expr *ww = sc_mul(graph, w, w), *xx = sc_mul(graph, x, x);
    const expr *yy = sc_mul(graph, y, y), *zz = sc_mul(graph, z, z);
    const expr *xy = sc_mul(graph, x, y);
    const expr *xz = sc_mul(graph, x, z), *yz = sc_mul(graph, y, z);
    const expr *wx = sc_mul(graph, w, x), *wy = sc_mul(graph, w, y);
    const expr *wz = sc_mul(graph, w, z);
    mat3 result;
#define TWICE(e) sc_mul(graph, two, (e))
    result.m[0][0] =
        sc_add(graph, sc_sub(graph, ww, zz), sc_sub(graph, xx, yy));
    result.m[1][1] =
        sc_add(graph, sc_sub(graph, ww, zz), sc_sub(graph, yy, xx));
    result.m[2][2] =
        sc_sub(graph, sc_add(graph, ww, zz), sc_add(graph, xx, yy));
    result.m[0][1] = TWICE(sc_sub(graph, xy, wz));
    result.m[1][0] = TWICE(sc_add(graph, xy, wz));
    result.m[0][2] = TWICE(sc_add(graph, xz, wy));
    result.m[2][0] = TWICE(sc_sub(graph, xz, wy));
    result.m[1][2] = TWICE(sc_sub(graph, yz, wx));
    result.m[2][1] = TWICE(sc_add(graph, yz, wx));
#undef TWICE
    return result;
}

/* +-a0 b0 +- a1 b1 +- a2 b2 +- a3 b3 */
static const expr *
sum4(struct graph *graph, quat a, const int ia[4], quat b, const int ib[4],
     const int sign[4])
{
    const expr *s = sc_zero(graph);
    for (int k = 0; k < 4; k++) {
        const expr *p = sc_mul(graph, a.q[ia[k]], b.q[ib[k]]);
        s = sign[k] > 0 ? sc_add(graph, s, p) : sc_sub(graph, s, p);
    }
    return s;
}

quat
q_conj_mul(struct graph *graph, quat a, quat b)
{
    static const int id[4] = {0, 1, 2, 3};
    static const int perm[4][4] = {
        {0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int sign[4][4] = {
        {1, 1, 1, 1}, {1, -1, -1, 1}, {1, 1, -1, -1}, {1, -1, 1, -1}};
    quat r;
    for (int i = 0; i < 4; i++)
        r.q[i] = sum4(graph, a, id, b, perm[i], sign[i]);
    return r;
}

quat
q_rate(struct graph *graph, quat q, vec3 spin)
{
    const expr *half = ex_num(graph, 0.5);
    const expr *q0 = q.q[0], *q1 = q.q[1], *q2 = q.q[2], *q3 = q.q[3];
    quat result;
    result.q[0] = sc_neg(graph, v3_dot(graph, v3(q1, q2, q3), spin));
    result.q[1] = sc_sub(graph,
                         sc_add(graph, sc_mul(graph, q0, spin.v[0]),
                                sc_mul(graph, q2, spin.v[2])),
                         sc_mul(graph, q3, spin.v[1]));
    result.q[2] = sc_sub(graph,
                         sc_add(graph, sc_mul(graph, q0, spin.v[1]),
                                sc_mul(graph, q3, spin.v[0])),
                         sc_mul(graph, q1, spin.v[2]));
    result.q[3] = sc_sub(graph,
                         sc_add(graph, sc_mul(graph, q0, spin.v[2]),
                                sc_mul(graph, q1, spin.v[1])),
                         sc_mul(graph, q2, spin.v[0]));
    for (int i = 0; i < 4; i++)
        result.q[i] = sc_mul(graph, half, result.q[i]);
    return result;
}

void
ldl_factor(struct graph *graph, const expr **M, uint32_t size)
{
    assert(M && size > 0);
    for (uint32_t col = 0; col < size; col++) {
        for (uint32_t i = col; i < size; i++) {
            const expr *s = M[i * size + col];
            for (uint32_t m = 0; m < col; m++)
                s = sc_sub(
                    graph, s,
                    sc_mul(graph,
                           sc_mul(graph, M[i * size + m], M[m * size + m]),
                           M[col * size + m]));
            M[i * size + col] = i == col || sc_is_zero(s)
                                    ? s
                                    : ex_div(graph, s, M[col * size + col]);
        }
    }
}

void
ldl_solve(struct graph *graph, const expr *const *LD, uint32_t size,
          const expr *const *f, const expr **x)
{
    assert(LD && f && x && size > 0);
    for (uint32_t i = 0; i < size; i++) {
        x[i] = f[i];
        for (uint32_t m = 0; m < i; m++)
            x[i] = sc_sub(graph, x[i], sc_mul(graph, LD[i * size + m], x[m]));
    }
    for (uint32_t i = 0; i < size; i++)
        if (!sc_is_zero(x[i]))
            x[i] = ex_div(graph, x[i], LD[i * size + i]);
    for (uint32_t i = size; i-- > 0;)
        for (uint32_t m = i + 1; m < size; m++)
            x[i] = sc_sub(graph, x[i], sc_mul(graph, LD[m * size + i], x[m]));
}
