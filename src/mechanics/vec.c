/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See vec.h. The dropping of literals is done here and not left to the graph:
 * 0 * x is 0 for every finite x, and entries that are not finite are caught
 * where they arise (I5). */
#include "mechanics/vec.h"

bool
sc_is_zero(const expr *a)
{
    return ex_is_num(a, 0.0);
}

const expr *
sc_zero(struct graph *g)
{
    return ex_num(g, 0.0);
}

const expr *
sc_neg(struct graph *g, const expr *a)
{
    return sc_is_zero(a) ? a : ex_neg(g, a);
}

const expr *
sc_add(struct graph *g, const expr *a, const expr *b)
{
    if (sc_is_zero(a))
        return b;
    return sc_is_zero(b) ? a : ex_add(g, a, b);
}

const expr *
sc_sub(struct graph *g, const expr *a, const expr *b)
{
    if (sc_is_zero(b))
        return a;
    return sc_is_zero(a) ? ex_neg(g, b) : ex_sub(g, a, b);
}

const expr *
sc_mul(struct graph *g, const expr *a, const expr *b)
{
    if (sc_is_zero(a) || sc_is_zero(b))
        return sc_zero(g);
    if (ex_is_num(a, 1.0))
        return b;
    return ex_is_num(b, 1.0) ? a : ex_mul(g, a, b);
}

vec3
v3(const expr *x, const expr *y, const expr *z)
{
    return (vec3){{x, y, z}};
}

vec3
v3_zero(struct graph *g)
{
    const expr *z = sc_zero(g);
    return v3(z, z, z);
}

bool
v3_is_zero(vec3 a)
{
    return sc_is_zero(a.v[0]) && sc_is_zero(a.v[1]) && sc_is_zero(a.v[2]);
}

vec3
v3_add(struct graph *g, vec3 a, vec3 b)
{
    return v3(sc_add(g, a.v[0], b.v[0]), sc_add(g, a.v[1], b.v[1]),
              sc_add(g, a.v[2], b.v[2]));
}

vec3
v3_sub(struct graph *g, vec3 a, vec3 b)
{
    return v3(sc_sub(g, a.v[0], b.v[0]), sc_sub(g, a.v[1], b.v[1]),
              sc_sub(g, a.v[2], b.v[2]));
}

vec3
v3_scale(struct graph *g, const expr *s, vec3 a)
{
    return v3(sc_mul(g, s, a.v[0]), sc_mul(g, s, a.v[1]), sc_mul(g, s, a.v[2]));
}

const expr *
v3_dot(struct graph *g, vec3 a, vec3 b)
{
    const expr *s = sc_mul(g, a.v[0], b.v[0]);
    s = sc_add(g, s, sc_mul(g, a.v[1], b.v[1]));
    return sc_add(g, s, sc_mul(g, a.v[2], b.v[2]));
}

/* a b - c d */
static const expr *
det2(struct graph *g, const expr *a, const expr *b, const expr *c,
     const expr *d)
{
    return sc_sub(g, sc_mul(g, a, b), sc_mul(g, c, d));
}

vec3
v3_cross(struct graph *g, vec3 a, vec3 b)
{
    return v3(det2(g, a.v[1], b.v[2], a.v[2], b.v[1]),
              det2(g, a.v[2], b.v[0], a.v[0], b.v[2]),
              det2(g, a.v[0], b.v[1], a.v[1], b.v[0]));
}

const expr *
v3_norm(struct graph *g, vec3 a)
{
    return ex_op(g, IMP_OP_SQRT, v3_dot(g, a, a), NULL, NULL);
}

vec3
v3_along(struct graph *g, vec3 a, const expr *const *leaf,
         const expr *const *rate, size_t n)
{
    return v3(ex_diff_along(g, a.v[0], leaf, rate, n),
              ex_diff_along(g, a.v[1], leaf, rate, n),
              ex_diff_along(g, a.v[2], leaf, rate, n));
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
m3_apply(struct graph *g, mat3 a, vec3 x)
{
    vec3 r;
    for (int i = 0; i < 3; i++)
        r.v[i] = v3_dot(g, v3(a.m[i][0], a.m[i][1], a.m[i][2]), x);
    return r;
}

vec3
m3_apply_t(struct graph *g, mat3 a, vec3 x)
{
    return m3_apply(g, m3_transpose(a), x);
}

const expr *
m3_form(struct graph *g, vec3 x, mat3 a, vec3 y)
{
    return v3_dot(g, x, m3_apply(g, a, y));
}

mat3
m3_plane(struct graph *g, const expr *c, const expr *s)
{
    const expr *z = sc_zero(g), *one = ex_num(g, 1.0);
    return (mat3){{{c, sc_neg(g, s), z}, {s, c, z}, {z, z, one}}};
}

mat3
m3_of_quat(struct graph *g, quat q)
{
    const expr *one = ex_num(g, 1.0), *two = ex_num(g, 2.0);
    const expr *w = q.q[0], *x = q.q[1], *y = q.q[2], *z = q.q[3];
    const expr *xx = sc_mul(g, x, x), *yy = sc_mul(g, y, y);
    const expr *zz = sc_mul(g, z, z), *xy = sc_mul(g, x, y);
    const expr *xz = sc_mul(g, x, z), *yz = sc_mul(g, y, z);
    const expr *wx = sc_mul(g, w, x), *wy = sc_mul(g, w, y);
    const expr *wz = sc_mul(g, w, z);
    mat3 r;
#define TWICE(e) sc_mul(g, two, (e))
    r.m[0][0] = sc_sub(g, one, TWICE(sc_add(g, yy, zz)));
    r.m[1][1] = sc_sub(g, one, TWICE(sc_add(g, xx, zz)));
    r.m[2][2] = sc_sub(g, one, TWICE(sc_add(g, xx, yy)));
    r.m[0][1] = TWICE(sc_sub(g, xy, wz));
    r.m[1][0] = TWICE(sc_add(g, xy, wz));
    r.m[0][2] = TWICE(sc_add(g, xz, wy));
    r.m[2][0] = TWICE(sc_sub(g, xz, wy));
    r.m[1][2] = TWICE(sc_sub(g, yz, wx));
    r.m[2][1] = TWICE(sc_add(g, yz, wx));
#undef TWICE
    return r;
}

/* +-a0 b0 +- a1 b1 +- a2 b2 +- a3 b3 */
static const expr *
sum4(struct graph *g, quat a, const int ia[4], quat b, const int ib[4],
     const int sign[4])
{
    const expr *s = sc_zero(g);
    for (int k = 0; k < 4; k++) {
        const expr *p = sc_mul(g, a.q[ia[k]], b.q[ib[k]]);
        s = sign[k] > 0 ? sc_add(g, s, p) : sc_sub(g, s, p);
    }
    return s;
}

quat
q_conj_mul(struct graph *g, quat a, quat b)
{
    static const int id[4] = {0, 1, 2, 3};
    static const int perm[4][4] = {
        {0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int sign[4][4] = {
        {1, 1, 1, 1}, {1, -1, -1, 1}, {1, 1, -1, -1}, {1, -1, 1, -1}};
    quat r;
    for (int i = 0; i < 4; i++)
        r.q[i] = sum4(g, a, id, b, perm[i], sign[i]);
    return r;
}

quat
q_rate(struct graph *g, quat q, vec3 w)
{
    const expr *half = ex_num(g, 0.5);
    const expr *a = q.q[0], *b = q.q[1], *c = q.q[2], *d = q.q[3];
    quat r;
    r.q[0] = sc_neg(g, v3_dot(g, v3(b, c, d), w));
    r.q[1] = sc_sub(g, sc_add(g, sc_mul(g, a, w.v[0]), sc_mul(g, c, w.v[2])),
                    sc_mul(g, d, w.v[1]));
    r.q[2] = sc_sub(g, sc_add(g, sc_mul(g, a, w.v[1]), sc_mul(g, d, w.v[0])),
                    sc_mul(g, b, w.v[2]));
    r.q[3] = sc_sub(g, sc_add(g, sc_mul(g, a, w.v[2]), sc_mul(g, b, w.v[1])),
                    sc_mul(g, c, w.v[0]));
    for (int i = 0; i < 4; i++)
        r.q[i] = sc_mul(g, half, r.q[i]);
    return r;
}
