/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors and matrices on the graph: products, dot cross norm unit det inv
 * solve transpose diag rot. Everything is written out in scalars (sizes are
 * those of mechanics: at most 6). Dimensions follow the products; where entries
 * have their own, mixed.c says what comes of them. */
#include <assert.h>
#include <string.h>

#include "check/values/values.h"

#define SIZE_MAX_LIN 6 /* of matrices that are inverted */

static const struct dim *
dim_of(struct check *ck, const struct value *value)
{
    return value->bare ? dim_pure(ck->dims) : value->dim;
}

static const expr *
sum_products(struct check *ck, const expr *const *a, size_t sa,
             const expr *const *b, size_t sb, size_t count)
{
    const expr *sum = ex_mul(ck->g, a[0], b[0]);
    for (size_t i = 1; i < count; i++)
        sum = ex_add(ck->g, sum, ex_mul(ck->g, a[i * sa], b[i * sb]));
    return sum;
}

struct value
lin_mul(struct check *ck, const struct ast_expr *at, const struct value *left,
        const struct value *right)
{
    assert(ck && at && left && right);
    const struct dim *dim =
        dim_mul(ck->dims, dim_of(ck, left), dim_of(ck, right));
    bool bare = left->bare && right->bare;
    bool mixed = left->dims || right->dims;
    if (left->kind == VALUE_ANY || right->kind == VALUE_ANY)
        return value_any(ck, mixed ? dim_fresh(ck->dims, at->range) : dim,
                         at->range);
    if (value_is_scalar(left) || value_is_scalar(right)) {
        const struct value *s = value_is_scalar(left) ? left : right,
                           *matrix = s == left ? right : left;
        struct value result =
            value_array(ck, matrix->rows, matrix->cols, dim, at->range);
        result.bare = bare;
        for (size_t i = 0; i < (size_t)result.rows * result.cols; i++)
            result.e[i] = s == left ? ex_mul(ck->g, s->e[0], matrix->e[i])
                                    : ex_mul(ck->g, matrix->e[i], s->e[0]);
        return mixed ? matrix_mul(ck, at, left, right, result) : result;
    }
    if (left->cols == 1 && right->cols == 1) {
        struct diag *diag =
            check_error(ck, DIAG_E0211, at->op_range,
                        "a product of two vectors can mean two things");
        CHECK_HELP(ck, diag,
                   "write dot(a, b) or cross(a, b), or entry by entry "
                   "entries(a)*entries(b)");
        return value_poison(at->range);
    }
    if (left->cols != right->rows) {
        struct diag *diag =
            check_error(ck, DIAG_E0210, at->op_range,
                        "the sizes of this product do not fit: %s times %s",
                        value_kind_text(ck, left), value_kind_text(ck, right));
        if (left->cols == 1)
            CHECK_HELP(ck, diag, "a vector stands on the right: M*v");
        else
            CHECK_HELP(ck, diag,
                       "the left one needs as many columns as the right "
                       "one has rows");
        return value_poison(at->range);
    }
    struct value r = value_array(ck, left->rows, right->cols, dim, at->range);
    r.bare = bare;
    for (uint32_t i = 0; i < r.rows; i++)
        for (uint32_t j = 0; j < r.cols; j++)
            r.e[i * r.cols + j] =
                sum_products(ck, left->e + i * left->cols, 1, right->e + j,
                             right->cols, left->cols);
    return mixed ? matrix_mul(ck, at, left, right, r) : r;
}

/* Returns the determinant by expansion along the first row. `used` has a bit
 * for each column that is left out. */
static const expr *
minor_det(struct check *ck, const struct value *matrix, uint32_t row,
          uint32_t used)
{
    if (row == matrix->rows)
        return ex_num(ck->g, 1);
    const expr *sum = NULL;
    bool minus = false;
    for (uint32_t j = 0; j < matrix->cols; j++) {
        if (used & (1u << j))
            continue;
        const expr *p = ex_mul(ck->g, matrix->e[row * matrix->cols + j],
                               minor_det(ck, matrix, row + 1, used | 1u << j));
        sum = !sum ? p : minus ? ex_sub(ck->g, sum, p) : ex_add(ck->g, sum, p);
        minus = !minus;
    }
    return sum;
}

/* Returns the cofactor (row, column) with its sign. */
static const expr *
cofactor(struct check *ck, const struct value *matrix, uint32_t row,
         uint32_t column)
{
    uint32_t count = matrix->rows;
    struct value s =
        value_array(ck, count - 1, count - 1, matrix->dim, matrix->range);
    size_t k = 0;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t c = 0; c < count; c++)
            if (r != row && c != column)
                s.e[k++] = matrix->e[r * count + c];
    const expr *d = minor_det(ck, &s, 0, 0);
    return (row + column) % 2 ? ex_neg(ck->g, d) : d;
}

static bool
square(struct check *ck, const struct ast_expr *node, const char *name,
       const struct value *matrix)
{
    if (matrix->kind == VALUE_NUM && matrix->rows == matrix->cols &&
        matrix->rows > 1 && matrix->rows <= SIZE_MAX_LIN)
        return true;
    struct diag *diag = check_error(
        ck, DIAG_E0219, node->range,
        "%s takes a square matrix of at most %d rows, but this is %s", name,
        SIZE_MAX_LIN, value_kind_text(ck, matrix));
    CHECK_HELP(ck, diag, "a matrix is written [1, 2; 3, 4]");
    return false;
}

static bool
vectors(struct check *ck, const struct ast_expr *node, const char *name,
        const struct value *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!value_is_vector(&value[i])) {
            check_error(ck, DIAG_E0218, node->args[i].value->range,
                        "%s takes %s, but this is %s", name,
                        count > 1 ? "vectors" : "a vector",
                        value_kind_text(ck, &value[i]));
            return false;
        }
    if (count == 2 && value[0].kind == VALUE_NUM &&
        value[1].kind == VALUE_NUM && value[0].rows != value[1].rows) {
        check_error(ck, DIAG_E0210, node->range,
                    "%s takes vectors of one length, but these are %s and %s",
                    name, value_kind_text(ck, &value[0]),
                    value_kind_text(ck, &value[1]));
        return false;
    }
    return true;
}

/* Do all n vectors have one dimension each? False: an error has been reported.
 */
static bool
plain(struct check *ck, const struct ast_expr *node, const char *name,
      struct value *value, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok &= matrix_plain(ck, &value[i], node->args[i].value->range, name);
    return ok;
}

static struct value
rotation(struct check *ck, const struct ast_expr *node, struct value *args,
         size_t count)
{
    struct graph *graph = ck->g;
    const struct dim *pure = dim_pure(ck->dims);
    struct value *angle = &args[count - 1];
    if (!value_need_scalar(ck, angle, node->args[count - 1].value, pure,
                           "the angle of rot"))
        return value_poison(node->range);
    if (count == 2 && (!vectors(ck, node, "rot", args, 1) ||
                       !plain(ck, node, "rot", args, 1)))
        return value_poison(node->range);
    if (angle->kind == VALUE_ANY || args[0].kind == VALUE_ANY)
        return value_any(ck, pure, node->range);
    const expr *cosine = ex_op(graph, IMP_OP_COS, angle->e[0], NULL, NULL);
    const expr *sine = ex_op(graph, IMP_OP_SIN, angle->e[0], NULL, NULL);
    if (count == 1) {
        struct value result = value_array(ck, 2, 2, pure, node->range);
        result.e[0] = result.e[3] = cosine;
        result.e[1] = ex_neg(graph, sine);
        result.e[2] = sine;
        result.bare = ex_is_const(angle->e[0]);
        return result;
    }
    if (args[0].rows != 3) {
        check_error(ck, DIAG_E0218, node->args[0].value->range,
                    "the axis of rot has three numbers, but this is %s",
                    value_kind_text(ck, &args[0]));
        return value_poison(node->range);
    }
    /* Rodrigues' formula: cosine 1 + sine [axis]x + (1 - cosine) axis axis^T.
     */
    const expr *len =
        ex_op(graph, IMP_OP_SQRT,
              sum_products(ck, args[0].e, 1, args[0].e, 1, 3), NULL, NULL);
    const expr *axis[3], *rest = ex_sub(graph, ex_num(graph, 1), cosine);
    if (ex_is_num(len, 0)) {
        check_error(ck, DIAG_E0216, node->args[0].value->range,
                    "the axis of a rotation cannot be zero");
        return value_poison(node->range);
    }
    for (int i = 0; i < 3; i++)
        axis[i] = ex_div(graph, args[0].e[i], len);
    struct value matrix = value_array(ck, 3, 3, pure, node->range);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            const expr *x =
                ex_mul(graph, rest, ex_mul(graph, axis[i], axis[j]));
            if (i == j)
                x = ex_add(graph, x, cosine);
            else {
                const expr *w = ex_mul(graph, sine, axis[3 - i - j]);
                x = (j + 3 - i) % 3 == 1 ? ex_sub(graph, x, w)
                                         : ex_add(graph, x, w);
            }
            matrix.e[i * 3 + j] = x;
        }
    matrix.bare = ex_is_const(angle->e[0]) && args[0].bare;
    return matrix;
}

static struct value
diagonal(struct check *ck, const struct ast_expr *node, struct value *args,
         size_t count)
{
    struct value in = args[0];
    if (count > 1) {
        in = value_array(ck, (uint32_t)count, 1, dim_pure(ck->dims),
                         node->range);
        in.bare = true;
        for (size_t entry = 0; entry < count; entry++) {
            const struct dim *dim;
            bool bare;
            if (!value_is_scalar(&args[entry])) {
                check_error(ck, DIAG_E0218, node->args[entry].value->range,
                            "diag takes numbers, but this is %s",
                            value_kind_text(ck, &args[entry]));
                return value_poison(node->range);
            }
            if (!value_agree(ck, node->args[entry].value, "a diagonal matrix",
                             &in, node->args[0].value, &args[entry],
                             node->args[entry].value, &dim, &bare))
                return value_poison(node->range);
            in.dim = dim;
            in.bare = bare;
            in.e[entry] = args[entry].e[0];
        }
    } else if (in.kind == VALUE_ANY) {
        return value_any(ck, in.dim, node->range);
    } else if (!vectors(ck, node, "diag", args, 1)) {
        return value_poison(node->range);
    }
    struct value result =
        value_array(ck, in.rows, in.rows, in.dim, node->range);
    result.bare = in.bare;
    if (in.dims)
        result = matrix_array(ck, in.rows, in.rows, node->range);
    for (uint32_t i = 0; i < in.rows * in.rows; i++) {
        uint32_t k = i / (in.rows + 1);
        bool off = i % (in.rows + 1) != 0;
        result.e[i] = off ? ex_num(ck->g, 0) : in.e[k];
        if (in.dims)
            result.dims[i] = off ? NULL : in.dims[k];
    }
    return matrix_done(ck, result);
}

/* Returns the inverse of the matrix or, if `right` is given, its inverse times
 * `right`. It is made of cofactors. */
static struct value
solved(struct check *ck, const struct ast_expr *node, const char *name,
       struct value *matrix, struct value *right)
{
    struct graph *graph = ck->g;
    const struct dim *one =
        dim_div(ck->dims, dim_pure(ck->dims), dim_of(ck, matrix));
    const struct dim *dim =
        right ? dim_mul(ck->dims, dim_of(ck, right), one) : one;
    bool bare = matrix->bare && (!right || right->bare);
    if (matrix->kind == VALUE_ANY || (right && right->kind == VALUE_ANY))
        return value_any(ck, dim, node->range);
    if (!right &&
        value_is_scalar(
            matrix)) { /* The matrix is 1 x 1, as M_red of a hinge is. */
        struct value result =
            value_num(ck, ex_div(graph, ex_num(graph, 1), matrix->e[0]), one,
                      node->range);
        result.bare = bare;
        return result;
    }
    if (!square(ck, node, name, matrix))
        return value_poison(node->range);
    uint32_t count = matrix->rows;
    bool mixed = matrix->dims || (right && right->dims);
    const struct dim *row[SIZE_MAX_LIN], *col[SIZE_MAX_LIN];
    if (mixed && !matrix_gauge(ck, node, matrix, row, col))
        return value_poison(node->range);
    if (right && (right->kind != VALUE_NUM || right->rows != count)) {
        check_error(ck, DIAG_E0210, node->args[1].value->range,
                    "the right side needs %u rows, but this is %s", count,
                    value_kind_text(ck, right));
        return value_poison(node->range);
    }
    const expr *det = minor_det(ck, matrix, 0, 0);
    if (ex_is_num(det, 0)) {
        struct diag *diag = check_error(ck, DIAG_E0216, node->range,
                                        "this matrix has no inverse");
        CHECK_HELP(ck, diag, "its determinant is zero");
        return value_poison(node->range);
    }
    struct value inv = value_array(ck, count, count, one, node->range);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            inv.e[i * count + j] = cofactor(ck, matrix, j, i);
    struct value answer = inv;
    if (right) {
        answer = value_array(ck, count, right->cols, dim, node->range);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < right->cols; j++)
                answer.e[i * right->cols + j] = sum_products(
                    ck, inv.e + i * count, 1, right->e + j, right->cols, count);
    }
    for (size_t i = 0; i < (size_t)answer.rows * answer.cols; i++)
        answer.e[i] = ex_div(graph, answer.e[i], det);
    answer.bare = bare;
    if (!mixed)
        return answer;
    const struct dim *pure = dim_pure(ck->dims);
    inv.dims = NEW_N(ck->arena, const struct dim *, (size_t)count *count);
    for (uint32_t i = 0; i < count * count; i++)
        inv.dims[i] = dim_div(
            ck->dims, pure, dim_mul(ck->dims, row[i % count], col[i / count]));
    inv.bare = false;
    if (right)
        return matrix_mul(ck, node, &inv, right, answer);
    answer.dims = inv.dims;
    answer.bare = false;
    return matrix_done(ck, answer);
}

/* These functions are the parts of lin_call. They leave *out as poison where
 * there is no value. */
static void
dot_or_cross(struct check *ck, const struct ast_expr *node, const char *name,
             struct value *args, struct value *out)
{
    struct graph *graph = ck->g;
    bool dot = name[0] == 'd';
    if (!vectors(ck, node, name, args, 2))
        return;
    if (dot && (args[0].dims || args[1].dims) && args[0].kind == VALUE_NUM &&
        args[1].kind == VALUE_NUM) {
        struct value row = args[0], s;
        row.cols = row.rows;
        row.rows = 1;
        s = value_num(
            ck, sum_products(ck, args[0].e, 1, args[1].e, 1, args[0].rows),
            dim_pure(ck->dims), node->range);
        *out = matrix_mul(ck, node, &row, &args[1], s);
        return;
    }
    if (!plain(ck, node, name, args, 2))
        return;
    const struct dim *dim =
        dim_mul(ck->dims, dim_of(ck, &args[0]), dim_of(ck, &args[1]));
    if (args[0].kind == VALUE_ANY || args[1].kind == VALUE_ANY) {
        *out = value_any(ck, dim, node->range);
        return;
    }
    uint32_t k = args[0].rows;
    if (dot) {
        *out = value_num(ck, sum_products(ck, args[0].e, 1, args[1].e, 1, k),
                         dim, node->range);
    } else if (k == 2) {
        *out =
            value_num(ck,
                      ex_sub(graph, ex_mul(graph, args[0].e[0], args[1].e[1]),
                             ex_mul(graph, args[0].e[1], args[1].e[0])),
                      dim, node->range);
    } else if (k == 3) {
        *out = value_array(ck, 3, 1, dim, node->range);
        for (int i = 0; i < 3; i++) {
            int p = (i + 1) % 3, q = (i + 2) % 3;
            out->e[i] = ex_sub(graph, ex_mul(graph, args[0].e[p], args[1].e[q]),
                               ex_mul(graph, args[0].e[q], args[1].e[p]));
        }
    } else {
        check_error(ck, DIAG_E0218, node->range,
                    "cross takes vectors of 2 or 3 numbers");
        return;
    }
    out->bare = args[0].bare && args[1].bare;
}

/* Is it made of rates, which are all 0 at rest? */
static bool
rests(struct graph *graph, const expr *node)
{
    for (uint32_t j = 0; j < BODYQ_STRIDE; j++)
        if (ex_depends(graph, node, SYM_BODY, UINT32_MAX,
                       BODYQ_VELOCITY * BODYQ_STRIDE + j))
            return true;
    return ex_depends(graph, node, SYM_COORD, UINT32_MAX, COORD_RATE);
}

/* The length of a vector. That of a velocity is `hypot`, which has a series at
 * rest and where it leaves rest. */
static const expr *
length(struct check *ck, const struct value *vector)
{
    size_t n = (size_t)vector->rows * vector->cols;
    const expr *sum = sum_products(ck, vector->e, 1, vector->e, 1, n), *len;
    if (n < 2 || !rests(ck->g, sum))
        return ex_op(ck->g, IMP_OP_SQRT, sum, NULL, NULL);
    len = vector->e[0];
    for (size_t i = 1; i < n; i++)
        len = ex_op(ck->g, IMP_OP_HYPOT, len, vector->e[i], NULL);
    return len;
}

static void
norm_or_unit(struct check *ck, const struct ast_expr *node, const char *name,
             struct value *args, struct value *out)
{
    struct graph *graph = ck->g;
    bool norm = name[0] == 'n';
    if (!(norm && args[0].kind == VALUE_NUM && args[0].cols > 1) &&
        !vectors(ck, node, name, args, 1))
        return;
    if (!plain(ck, node, name, args, 1))
        return;
    const struct dim *dim = norm ? args[0].dim : dim_pure(ck->dims);
    if (args[0].kind == VALUE_ANY) {
        *out = value_any(ck, dim, node->range);
        return;
    }
    const expr *len = length(ck, &args[0]);
    if (norm) {
        *out = value_num(ck, len, dim, node->range);
        out->bare = args[0].bare;
        return;
    }
    if (ex_is_num(len, 0)) {
        check_error(ck, DIAG_E0216, node->range,
                    "the zero vector has no direction");
        return;
    }
    *out = value_array(ck, args[0].rows, 1, dim, node->range);
    for (uint32_t i = 0; i < args[0].rows; i++)
        out->e[i] = ex_div(graph, args[0].e[i], len);
}

static void
determinant(struct check *ck, const struct ast_expr *node, const char *name,
            struct value *args, struct value *out)
{
    if (args[0].kind == VALUE_ANY) {
        *out = value_any(ck, dim_fresh(ck->dims, node->range), node->range);
        return;
    }
    if (!square(ck, node, name, &args[0]))
        return;
    if (args[0].dims) {
        const struct dim *row[SIZE_MAX_LIN], *col[SIZE_MAX_LIN];
        const struct dim *dim = dim_pure(ck->dims);
        if (!matrix_gauge(ck, node, &args[0], row, col))
            return;
        for (uint32_t i = 0; i < args[0].rows; i++)
            dim = dim_mul(ck->dims, dim, dim_mul(ck->dims, row[i], col[i]));
        *out = value_num(ck, minor_det(ck, &args[0], 0, 0), dim, node->range);
        return;
    }
    *out = value_num(ck, minor_det(ck, &args[0], 0, 0),
                     dim_pow(ck->dims, dim_of(ck, &args[0]),
                             (struct ratio){(int32_t)args[0].rows, 1}),
                     node->range);
    out->bare = args[0].bare;
}

static void
transposed(struct check *ck, const struct ast_expr *node, struct value *args,
           struct value *out)
{
    if (value_is_scalar(&args[0]) || args[0].kind != VALUE_NUM) {
        if (value_is_scalar(&args[0]))
            *out = args[0]; /* The matrix is 1 x 1, as M_red of a hinge is. */
        else
            check_error(ck, DIAG_E0218, node->range,
                        "transpose takes a matrix, but this is %s",
                        value_kind_text(ck, &args[0]));
        return;
    }
    *out =
        value_array(ck, args[0].cols, args[0].rows, args[0].dim, node->range);
    out->bare = args[0].bare;
    if (args[0].dims)
        *out = matrix_array(ck, args[0].cols, args[0].rows, node->range);
    for (uint32_t i = 0; i < args[0].rows; i++)
        for (uint32_t j = 0; j < args[0].cols; j++) {
            size_t from = (size_t)i * args[0].cols + j;
            out->e[j * args[0].rows + i] = args[0].e[from];
            if (args[0].dims)
                out->dims[j * args[0].rows + i] = args[0].dims[from];
        }
}

bool
lin_call(struct check *ck, const struct ast_expr *node, const char *name,
         struct value *args, size_t count, struct value *out)
{
    assert(ck && node && name && args && out);
    *out = value_poison(node->range);
    if (!strcmp(name, "dot") || !strcmp(name, "cross")) {
        dot_or_cross(ck, node, name, args, out);
        return true;
    }
    if (!strcmp(name, "norm") || !strcmp(name, "unit")) {
        norm_or_unit(ck, node, name, args, out);
        return true;
    }
    if (!strcmp(name, "det")) {
        determinant(ck, node, name, args, out);
        return true;
    }
    if (!strcmp(name, "inv") || !strcmp(name, "solve")) {
        *out = solved(ck, node, name, &args[0], count > 1 ? &args[1] : NULL);
        return true;
    }
    if (!strcmp(name, "transpose")) {
        transposed(ck, node, args, out);
        return true;
    }
    if (!strcmp(name, "diag")) {
        *out = diagonal(ck, node, args, count);
        return true;
    }
    if (!strcmp(name, "rot")) {
        *out = rotation(ck, node, args, count);
        return true;
    }
    return false;
}
