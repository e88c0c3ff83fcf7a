/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors and matrices on the graph: products, dot cross norm unit det inv
 * solve transpose diag rot. Everything is written out in scalars (sizes are
 * those of mechanics: at most 6). Dimensions follow the products; where entries
 * have their own, mixed.c says what comes of them. */
#include <string.h>

#include "check/values/values.h"

#define SIZE_MAX_LIN 6 /* of matrices that are inverted */

static const struct dim *
dim_of(struct check *ck, const struct value *v)
{
    return v->bare ? dim_pure(ck->dims) : v->dim;
}

static const expr *
sum_products(struct check *ck, const expr *const *a, size_t sa,
             const expr *const *b, size_t sb, size_t n)
{
    const expr *s = ex_mul(ck->g, a[0], b[0]);
    for (size_t i = 1; i < n; i++)
        s = ex_add(ck->g, s, ex_mul(ck->g, a[i * sa], b[i * sb]));
    return s;
}

struct value
lin_mul(struct check *ck, const struct ast_expr *at, const struct value *a,
        const struct value *b)
{
    const struct dim *dim = dim_mul(ck->dims, dim_of(ck, a), dim_of(ck, b));
    bool bare = a->bare && b->bare;
    bool mixed = a->dims || b->dims;
    if (a->kind == V_ANY || b->kind == V_ANY)
        return v_any(ck, mixed ? dim_fresh(ck->dims, at->range) : dim,
                     at->range);
    if (v_is_scalar(a) || v_is_scalar(b)) {
        const struct value *s = v_is_scalar(a) ? a : b, *m = s == a ? b : a;
        struct value r = v_array(ck, m->rows, m->cols, dim, at->range);
        r.bare = bare;
        for (size_t i = 0; i < (size_t)r.rows * r.cols; i++)
            r.e[i] = s == a ? ex_mul(ck->g, s->e[0], m->e[i])
                            : ex_mul(ck->g, m->e[i], s->e[0]);
        return mixed ? mx_mul(ck, at, a, b, r) : r;
    }
    if (a->cols == 1 && b->cols == 1) {
        struct diag *d =
            ck_error(ck, DIAG_E0211, at->op_range,
                     "a product of two vectors can mean two things");
        CK_HELP(ck, d, "write dot(a, b) or cross(a, b)");
        return v_poison(at->range);
    }
    if (a->cols != b->rows) {
        struct diag *d =
            ck_error(ck, DIAG_E0210, at->op_range,
                     "the sizes of this product do not fit: %s times %s",
                     v_kind(ck, a), v_kind(ck, b));
        if (a->cols == 1)
            CK_HELP(ck, d, "a vector stands on the right: M*v");
        else
            CK_HELP(ck, d,
                    "the left one needs as many columns as the right "
                    "one has rows");
        return v_poison(at->range);
    }
    struct value r = v_array(ck, a->rows, b->cols, dim, at->range);
    r.bare = bare;
    for (uint32_t i = 0; i < r.rows; i++)
        for (uint32_t j = 0; j < r.cols; j++)
            r.e[i * r.cols + j] = sum_products(ck, a->e + i * a->cols, 1,
                                               b->e + j, b->cols, a->cols);
    return mixed ? mx_mul(ck, at, a, b, r) : r;
}

/* determinant by expansion along the first row; skip column set as bits */
static const expr *
minor_det(struct check *ck, const struct value *m, uint32_t row, uint32_t used)
{
    if (row == m->rows)
        return ex_num(ck->g, 1);
    const expr *s = NULL;
    bool minus = false;
    for (uint32_t j = 0; j < m->cols; j++) {
        if (used & (1u << j))
            continue;
        const expr *p = ex_mul(ck->g, m->e[row * m->cols + j],
                               minor_det(ck, m, row + 1, used | 1u << j));
        s = !s ? p : minus ? ex_sub(ck->g, s, p) : ex_add(ck->g, s, p);
        minus = !minus;
    }
    return s;
}

/* cofactor (i, j) with its sign */
static const expr *
cofactor(struct check *ck, const struct value *m, uint32_t i, uint32_t j)
{
    uint32_t n = m->rows;
    struct value s = v_array(ck, n - 1, n - 1, m->dim, m->range);
    size_t k = 0;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t c = 0; c < n; c++)
            if (r != i && c != j)
                s.e[k++] = m->e[r * n + c];
    const expr *d = minor_det(ck, &s, 0, 0);
    return (i + j) % 2 ? ex_neg(ck->g, d) : d;
}

static bool
square(struct check *ck, const struct ast_expr *e, const char *name,
       const struct value *m)
{
    if (m->kind == V_NUM && m->rows == m->cols && m->rows > 1 &&
        m->rows <= SIZE_MAX_LIN)
        return true;
    struct diag *d =
        ck_error(ck, DIAG_E0219, e->range,
                 "%s takes a square matrix of at most %d rows, but this is %s",
                 name, SIZE_MAX_LIN, v_kind(ck, m));
    CK_HELP(ck, d, "a matrix is written [1, 2; 3, 4]");
    return false;
}

static bool
vectors(struct check *ck, const struct ast_expr *e, const char *name,
        const struct value *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!v_is_vector(&v[i])) {
            ck_error(ck, DIAG_E0218, e->args[i].value->range,
                     "%s takes %s, but this is %s", name,
                     n > 1 ? "vectors" : "a vector", v_kind(ck, &v[i]));
            return false;
        }
    if (n == 2 && v[0].kind == V_NUM && v[1].kind == V_NUM &&
        v[0].rows != v[1].rows) {
        ck_error(ck, DIAG_E0210, e->range,
                 "%s takes vectors of one length, but these are %s and %s",
                 name, v_kind(ck, &v[0]), v_kind(ck, &v[1]));
        return false;
    }
    return true;
}

/* one dimension in each of n vectors? false: reported */
static bool
plain(struct check *ck, const struct ast_expr *e, const char *name,
      struct value *v, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        ok &= mx_plain(ck, &v[i], e->args[i].value->range, name);
    return ok;
}

static struct value
rotation(struct check *ck, const struct ast_expr *e, struct value *a, size_t n)
{
    struct graph *g = ck->g;
    const struct dim *pure = dim_pure(ck->dims);
    struct value *angle = &a[n - 1];
    if (!v_need_scalar(ck, angle, e->args[n - 1].value, pure,
                       "the angle of rot"))
        return v_poison(e->range);
    if (n == 2 && (!vectors(ck, e, "rot", a, 1) || !plain(ck, e, "rot", a, 1)))
        return v_poison(e->range);
    if (angle->kind == V_ANY || a[0].kind == V_ANY)
        return v_any(ck, pure, e->range);
    const expr *c = ex_op(g, IMP_OP_COS, angle->e[0], NULL, NULL);
    const expr *s = ex_op(g, IMP_OP_SIN, angle->e[0], NULL, NULL);
    if (n == 1) {
        struct value r = v_array(ck, 2, 2, pure, e->range);
        r.e[0] = r.e[3] = c;
        r.e[1] = ex_neg(g, s);
        r.e[2] = s;
        return r;
    }
    if (a[0].rows != 3) {
        ck_error(ck, DIAG_E0218, e->args[0].value->range,
                 "the axis of rot has three numbers, but this is %s",
                 v_kind(ck, &a[0]));
        return v_poison(e->range);
    }
    /* Rodrigues: c 1 + s [u]x + (1 - c) u u^T */
    const expr *len = ex_op(
        g, IMP_OP_SQRT, sum_products(ck, a[0].e, 1, a[0].e, 1, 3), NULL, NULL);
    const expr *u[3], *k = ex_sub(g, ex_num(g, 1), c);
    if (ex_is_num(len, 0)) {
        ck_error(ck, DIAG_E0216, e->args[0].value->range,
                 "the axis of a rotation cannot be zero");
        return v_poison(e->range);
    }
    for (int i = 0; i < 3; i++)
        u[i] = ex_div(g, a[0].e[i], len);
    struct value r = v_array(ck, 3, 3, pure, e->range);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            const expr *x = ex_mul(g, k, ex_mul(g, u[i], u[j]));
            if (i == j)
                x = ex_add(g, x, c);
            else {
                const expr *w = ex_mul(g, s, u[3 - i - j]);
                x = (j + 3 - i) % 3 == 1 ? ex_sub(g, x, w) : ex_add(g, x, w);
            }
            r.e[i * 3 + j] = x;
        }
    return r;
}

static struct value
diagonal(struct check *ck, const struct ast_expr *e, struct value *a, size_t n)
{
    struct value in = a[0];
    if (n > 1) {
        in = v_array(ck, (uint32_t)n, 1, dim_pure(ck->dims), e->range);
        in.bare = true;
        for (size_t i = 0; i < n; i++) {
            const struct dim *dim;
            bool bare;
            if (!v_is_scalar(&a[i])) {
                ck_error(ck, DIAG_E0218, e->args[i].value->range,
                         "diag takes numbers, but this is %s",
                         v_kind(ck, &a[i]));
                return v_poison(e->range);
            }
            if (!v_agree(ck, e->args[i].value, "a diagonal matrix", &in,
                         e->args[0].value, &a[i], e->args[i].value, &dim,
                         &bare))
                return v_poison(e->range);
            in.dim = dim;
            in.bare = bare;
            in.e[i] = a[i].e[0];
        }
    } else if (in.kind == V_ANY) {
        return v_any(ck, in.dim, e->range);
    } else if (!vectors(ck, e, "diag", a, 1)) {
        return v_poison(e->range);
    }
    struct value r = v_array(ck, in.rows, in.rows, in.dim, e->range);
    r.bare = in.bare;
    if (in.dims)
        r = mx_array(ck, in.rows, in.rows, e->range);
    for (uint32_t i = 0; i < in.rows * in.rows; i++) {
        uint32_t k = i / (in.rows + 1);
        bool off = i % (in.rows + 1) != 0;
        r.e[i] = off ? ex_num(ck->g, 0) : in.e[k];
        if (in.dims)
            r.dims[i] = off ? NULL : in.dims[k];
    }
    return mx_done(ck, r);
}

/* M^-1 and, if b, M^-1 b, by cofactors */
static struct value
solved(struct check *ck, const struct ast_expr *e, const char *name,
       struct value *m, struct value *b)
{
    struct graph *g = ck->g;
    const struct dim *one =
        dim_div(ck->dims, dim_pure(ck->dims), dim_of(ck, m));
    const struct dim *dim = b ? dim_mul(ck->dims, dim_of(ck, b), one) : one;
    bool bare = m->bare && (!b || b->bare);
    if (m->kind == V_ANY || (b && b->kind == V_ANY))
        return v_any(ck, dim, e->range);
    if (!b && v_is_scalar(m)) { /* 1 x 1: M_red of a hinge, for example */
        struct value r =
            v_num(ck, ex_div(g, ex_num(g, 1), m->e[0]), one, e->range);
        r.bare = bare;
        return r;
    }
    if (!square(ck, e, name, m))
        return v_poison(e->range);
    uint32_t n = m->rows;
    bool mixed = m->dims || (b && b->dims);
    const struct dim *row[SIZE_MAX_LIN], *col[SIZE_MAX_LIN];
    if (mixed && !mx_gauge(ck, e, m, row, col))
        return v_poison(e->range);
    if (b && (b->kind != V_NUM || b->rows != n)) {
        ck_error(ck, DIAG_E0210, e->args[1].value->range,
                 "the right side needs %u rows, but this is %s", n,
                 v_kind(ck, b));
        return v_poison(e->range);
    }
    const expr *det = minor_det(ck, m, 0, 0);
    if (ex_is_num(det, 0)) {
        struct diag *d =
            ck_error(ck, DIAG_E0216, e->range, "this matrix has no inverse");
        CK_HELP(ck, d, "its determinant is zero");
        return v_poison(e->range);
    }
    struct value inv = v_array(ck, n, n, one, e->range);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            inv.e[i * n + j] = cofactor(ck, m, j, i);
    struct value r = inv;
    if (b) {
        r = v_array(ck, n, b->cols, dim, e->range);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < b->cols; j++)
                r.e[i * b->cols + j] =
                    sum_products(ck, inv.e + i * n, 1, b->e + j, b->cols, n);
    }
    for (size_t i = 0; i < (size_t)r.rows * r.cols; i++)
        r.e[i] = ex_div(g, r.e[i], det);
    r.bare = bare;
    if (!mixed)
        return r;
    const struct dim *pure = dim_pure(ck->dims);
    inv.dims = NEW_N(ck->arena, const struct dim *, (size_t)n *n);
    for (uint32_t i = 0; i < n * n; i++)
        inv.dims[i] =
            dim_div(ck->dims, pure, dim_mul(ck->dims, row[i % n], col[i / n]));
    inv.bare = false;
    if (b)
        return mx_mul(ck, e, &inv, b, r);
    r.dims = inv.dims;
    r.bare = false;
    return mx_done(ck, r);
}

/* The parts of lin_call: *out stays poison where there is no value. */
static void
dot_or_cross(struct check *ck, const struct ast_expr *e, const char *name,
             struct value *a, struct value *out)
{
    struct graph *g = ck->g;
    bool dot = name[0] == 'd';
    if (!vectors(ck, e, name, a, 2))
        return;
    if (dot && (a[0].dims || a[1].dims) && a[0].kind == V_NUM &&
        a[1].kind == V_NUM) {
        struct value row = a[0], s;
        row.cols = row.rows;
        row.rows = 1;
        s = v_num(ck, sum_products(ck, a[0].e, 1, a[1].e, 1, a[0].rows),
                  dim_pure(ck->dims), e->range);
        *out = mx_mul(ck, e, &row, &a[1], s);
        return;
    }
    if (!plain(ck, e, name, a, 2))
        return;
    const struct dim *dim =
        dim_mul(ck->dims, dim_of(ck, &a[0]), dim_of(ck, &a[1]));
    if (a[0].kind == V_ANY || a[1].kind == V_ANY) {
        *out = v_any(ck, dim, e->range);
        return;
    }
    uint32_t k = a[0].rows;
    if (dot) {
        *out =
            v_num(ck, sum_products(ck, a[0].e, 1, a[1].e, 1, k), dim, e->range);
    } else if (k == 2) {
        *out = v_num(ck,
                     ex_sub(g, ex_mul(g, a[0].e[0], a[1].e[1]),
                            ex_mul(g, a[0].e[1], a[1].e[0])),
                     dim, e->range);
    } else if (k == 3) {
        *out = v_array(ck, 3, 1, dim, e->range);
        for (int i = 0; i < 3; i++) {
            int p = (i + 1) % 3, q = (i + 2) % 3;
            out->e[i] = ex_sub(g, ex_mul(g, a[0].e[p], a[1].e[q]),
                               ex_mul(g, a[0].e[q], a[1].e[p]));
        }
    } else {
        ck_error(ck, DIAG_E0218, e->range,
                 "cross takes vectors of 2 or 3 numbers");
        return;
    }
    out->bare = a[0].bare && a[1].bare;
}

static void
norm_or_unit(struct check *ck, const struct ast_expr *e, const char *name,
             struct value *a, struct value *out)
{
    struct graph *g = ck->g;
    bool norm = name[0] == 'n';
    if (!(norm && a[0].kind == V_NUM && a[0].cols > 1) &&
        !vectors(ck, e, name, a, 1))
        return;
    if (!plain(ck, e, name, a, 1))
        return;
    const struct dim *dim = norm ? a[0].dim : dim_pure(ck->dims);
    if (a[0].kind == V_ANY) {
        *out = v_any(ck, dim, e->range);
        return;
    }
    const expr *len = ex_op(
        g, IMP_OP_SQRT,
        sum_products(ck, a[0].e, 1, a[0].e, 1, (size_t)a[0].rows * a[0].cols),
        NULL, NULL);
    if (norm) {
        *out = v_num(ck, len, dim, e->range);
        out->bare = a[0].bare;
        return;
    }
    if (ex_is_num(len, 0)) {
        ck_error(ck, DIAG_E0216, e->range, "the zero vector has no direction");
        return;
    }
    *out = v_array(ck, a[0].rows, 1, dim, e->range);
    for (uint32_t i = 0; i < a[0].rows; i++)
        out->e[i] = ex_div(g, a[0].e[i], len);
}

static void
determinant(struct check *ck, const struct ast_expr *e, const char *name,
            struct value *a, struct value *out)
{
    if (a[0].kind == V_ANY) {
        *out = v_any(ck, dim_fresh(ck->dims, e->range), e->range);
        return;
    }
    if (!square(ck, e, name, &a[0]))
        return;
    if (a[0].dims) {
        const struct dim *row[SIZE_MAX_LIN], *col[SIZE_MAX_LIN];
        const struct dim *d = dim_pure(ck->dims);
        if (!mx_gauge(ck, e, &a[0], row, col))
            return;
        for (uint32_t i = 0; i < a[0].rows; i++)
            d = dim_mul(ck->dims, d, dim_mul(ck->dims, row[i], col[i]));
        *out = v_num(ck, minor_det(ck, &a[0], 0, 0), d, e->range);
        return;
    }
    *out = v_num(ck, minor_det(ck, &a[0], 0, 0),
                 dim_pow(ck->dims, dim_of(ck, &a[0]),
                         (struct ratio){(int32_t)a[0].rows, 1}),
                 e->range);
    out->bare = a[0].bare;
}

static void
transposed(struct check *ck, const struct ast_expr *e, struct value *a,
           struct value *out)
{
    if (v_is_scalar(&a[0]) || a[0].kind != V_NUM) {
        if (v_is_scalar(&a[0]))
            *out = a[0]; /* 1 x 1: M_red of a hinge, for example */
        else
            ck_error(ck, DIAG_E0218, e->range,
                     "transpose takes a matrix, but this is %s",
                     v_kind(ck, &a[0]));
        return;
    }
    *out = v_array(ck, a[0].cols, a[0].rows, a[0].dim, e->range);
    out->bare = a[0].bare;
    if (a[0].dims)
        *out = mx_array(ck, a[0].cols, a[0].rows, e->range);
    for (uint32_t i = 0; i < a[0].rows; i++)
        for (uint32_t j = 0; j < a[0].cols; j++) {
            size_t from = (size_t)i * a[0].cols + j;
            out->e[j * a[0].rows + i] = a[0].e[from];
            if (a[0].dims)
                out->dims[j * a[0].rows + i] = a[0].dims[from];
        }
}

bool
lin_call(struct check *ck, const struct ast_expr *e, const char *name,
         struct value *a, size_t n, struct value *out)
{
    *out = v_poison(e->range);
    if (!strcmp(name, "dot") || !strcmp(name, "cross")) {
        dot_or_cross(ck, e, name, a, out);
        return true;
    }
    if (!strcmp(name, "norm") || !strcmp(name, "unit")) {
        norm_or_unit(ck, e, name, a, out);
        return true;
    }
    if (!strcmp(name, "det")) {
        determinant(ck, e, name, a, out);
        return true;
    }
    if (!strcmp(name, "inv") || !strcmp(name, "solve")) {
        *out = solved(ck, e, name, &a[0], n > 1 ? &a[1] : NULL);
        return true;
    }
    if (!strcmp(name, "transpose")) {
        transposed(ck, e, a, out);
        return true;
    }
    if (!strcmp(name, "diag")) {
        *out = diagonal(ck, e, a, n);
        return true;
    }
    if (!strcmp(name, "rot")) {
        *out = rotation(ck, e, a, n);
        return true;
    }
    return false;
}
