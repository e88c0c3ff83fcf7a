/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values whose entries have dimensions of their own: screws and the matrices
 * that map them. value.dims holds one per entry; NULL stands for an exact 0,
 * which fits every dimension (and so for the zeros of M, eta, Q and S). A sum
 * of products is checked term by term, entry by entry; an exact 0 has no say in
 * it. A value without such a 0 and with one dimension only is a plain one: here
 * is the only place that decides between the two. */
#include <assert.h>
#include <string.h>

#include "check/values/values.h"

const struct dim *
matrix_dim(struct check *ck, const struct value *value, size_t i)
{
    assert(ck && value);
    if (value->kind == VALUE_NUM && ex_is_num(value->e[i], 0))
        return NULL;
    return value->dims   ? value->dims[i]
           : value->bare ? dim_pure(ck->dims)
                         : value->dim;
}

struct value
matrix_array(struct check *ck, uint32_t rows, uint32_t cols, imp_range range)
{
    assert(ck);
    struct value value = value_array(ck, rows, cols, dim_pure(ck->dims), range);
    value.dims = NEW_N(ck->arena, const struct dim *, (size_t)rows *cols);
    return value;
}

static bool
equal(struct check *ck, const struct dim *left, const struct dim *right)
{
    return left == right ||
           dim_is_pure(ck->dims, dim_div(ck->dims, left, right));
}

/* Returns the one dimension of all entries that are no exact 0. NULL: there is
 * none, or entry *other differs from entry *first. */
static const struct dim *
only(struct check *ck, const struct value *value, size_t *first, size_t *other)
{
    const struct dim *dim = NULL;
    size_t count = (size_t)value->rows * value->cols;
    *first = *other = count;
    for (size_t i = 0; i < count; i++) {
        const struct dim *di = matrix_dim(ck, value, i);
        if (!di)
            continue;
        if (!dim) {
            dim = di;
            *first = i;
        } else if (!equal(ck, dim, di)) {
            *other = i;
            return NULL;
        }
    }
    return dim;
}

struct value
matrix_done(struct check *ck, struct value value)
{
    assert(ck);
    size_t count = (size_t)value.rows * value.cols, first, other, zeros = 0;
    if (value.kind != VALUE_NUM || !value.dims)
        return value;
    const struct dim *dim = only(ck, &value, &first, &other);
    for (size_t i = 0; i < count; i++)
        zeros += matrix_dim(ck, &value, i) == NULL;
    if (other < count || (zeros && zeros < count))
        return value;
    value.dims = NULL;
    value.bare = !dim;
    value.dim = dim ? dim : dim_pure(ck->dims);
    return value;
}

/* Writes "entry [1, 2]" for a message. */
static const char *
matrix_entry(struct check *ck, const struct value *value, size_t i)
{
    if (value->cols == 1)
        return arena_printf(ck->arena, "entry %zu", i);
    return arena_printf(ck->arena, "entry [%zu, %zu]", i / value->cols,
                        i % value->cols);
}

bool
matrix_plain(struct check *ck, struct value *value, imp_range range,
             const char *what)
{
    assert(ck && value && what);
    size_t first, other;
    if (value->kind != VALUE_NUM || !value->dims)
        return true;
    const struct dim *dim = only(ck, value, &first, &other);
    if (other < (size_t)value->rows * value->cols) {
        struct diag *diag = check_error(
            ck, DIAG_E0227, range,
            "%s needs entries of one dimension, but %s is %s and %s is %s",
            what, matrix_entry(ck, value, first),
            dim_say(ck->dims, matrix_dim(ck, value, first)),
            matrix_entry(ck, value, other),
            dim_say(ck->dims, matrix_dim(ck, value, other)));
        CHECK_HELP(
            ck, diag,
            "take entries of one dimension, or figures(...): the numbers "
            "in SI units, without their units");
        return false;
    }
    value->dims = NULL;
    value->bare = !dim;
    value->dim = dim ? dim : dim_pure(ck->dims);
    return true;
}

const struct dim **
matrix_agree(struct check *ck, const struct ast_expr *at, const char *doing,
             const struct value *left, const struct ast_expr *ea,
             const struct value *right, const struct ast_expr *eb)
{
    assert(ck && at && doing && left && right);
    size_t count = (size_t)left->rows * left->cols;
    const struct dim **dims = NEW_N(ck->arena, const struct dim *, count);
    for (size_t entry = 0; entry < count; entry++) {
        const struct dim *dim_left = matrix_dim(ck, left, entry),
                         *dim_right = matrix_dim(ck, right, entry);
        if (left->bare && dim_right)
            dim_left = dim_right;
        if (right->bare && dim_left)
            dim_right = dim_left;
        dims[entry] = dim_left ? dim_left : dim_right;
        if (!dim_left || !dim_right ||
            dim_unify(ck->dims, dim_left, dim_right, at->range))
            continue;
        struct diag *diag = check_error(
            ck, DIAG_E0227, at->op_range.file ? at->op_range : at->range,
            "%s needs equal dimensions entry by entry, but in %s these are %s "
            "and %s",
            doing, matrix_entry(ck, left, entry), dim_say(ck->dims, dim_left),
            dim_say(ck->dims, dim_right));
        CHECK_NOTE(ck, diag, ea->range, "here %s is %s",
                   matrix_entry(ck, left, entry), dim_say(ck->dims, dim_left));
        CHECK_NOTE(ck, diag, eb->range, "here %s is %s",
                   matrix_entry(ck, right, entry),
                   dim_say(ck->dims, dim_right));
        CHECK_HELP(ck, diag,
                   "twists (spin, velocity) are added to twists, wrenches "
                   "(force, moment) to wrenches of one kind");
        return NULL;
    }
    return dims;
}

/* Finds the dimension of this entry of the product left * right. False: an
 * error has been reported. */
static bool
sum_dim(struct check *ck, const struct ast_expr *at, const struct value *left,
        const struct value *right, const struct value *product, size_t entry,
        const struct dim **out)
{
    size_t i = entry / product->cols, j = entry % product->cols, from = 0;
    *out = NULL;
    for (size_t term = 0; term < left->cols; term++) {
        const struct dim *x = matrix_dim(ck, left, i * left->cols + term);
        const struct dim *y = matrix_dim(ck, right, term * right->cols + j);
        if (!x || !y)
            continue;
        const struct dim *dim = dim_mul(ck->dims, x, y);
        if (!*out) {
            *out = dim;
            from = term;
        } else if (!dim_unify(ck->dims, *out, dim, at->range)) {
            struct diag *e = check_error(
                ck, DIAG_E0227, at->op_range.file ? at->op_range : at->range,
                "the terms of %s of this product have two dimensions: term "
                "%zu is %s, term %zu %s",
                matrix_entry(ck, product, entry), from, dim_say(ck->dims, *out),
                term, dim_say(ck->dims, dim));
            CHECK_HELP(
                ck, e,
                "a wrench (f, m) and a twist (w, v) multiply through eta, "
                "which exchanges halves: transpose(wrench)*eta*twist");
            return false;
        }
    }
    return true;
}

struct value
matrix_mul(struct check *ck, const struct ast_expr *at,
           const struct value *left, const struct value *right,
           struct value result)
{
    assert(ck && at && left && right);
    size_t count = (size_t)result.rows * result.cols;
    result.dims = NEW_N(ck->arena, const struct dim *, count);
    result.bare = false;
    bool sa = value_is_scalar(left), sb = value_is_scalar(right);
    for (size_t i = 0; i < count; i++) {
        if (sa || sb) {
            const struct dim *x = matrix_dim(ck, left, sa ? 0 : i);
            const struct dim *y = matrix_dim(ck, right, sb ? 0 : i);
            result.dims[i] = x && y ? dim_mul(ck->dims, x, y) : NULL;
        } else if (!sum_dim(ck, at, left, right, &result, i, &result.dims[i])) {
            return value_poison(at->range);
        }
    }
    return matrix_done(ck, result);
}

bool
matrix_gauge(struct check *ck, const struct ast_expr *node,
             const struct value *matrix, const struct dim **row,
             const struct dim **col)
{
    assert(ck && node && matrix && row && col);
    uint32_t count = matrix->rows;
    for (uint32_t i = 0; i < count; i++)
        row[i] = col[i] = NULL;
    for (uint32_t start = 0; start < count; start++) {
        if (!row[start])
            row[start] = dim_pure(ck->dims);
        for (bool more = true; more;) {
            more = false;
            for (uint32_t entry = 0; entry < count * count; entry++) {
                const struct dim *dim = matrix_dim(ck, matrix, entry);
                uint32_t i = entry / count, j = entry % count;
                if (!dim || (row[i] != NULL) == (col[j] != NULL))
                    continue;
                if (row[i])
                    col[j] = dim_div(ck->dims, dim, row[i]);
                else
                    row[i] = dim_div(ck->dims, dim, col[j]);
                more = true;
            }
        }
    }
    for (uint32_t entry = 0; entry < count * count; entry++) {
        const struct dim *dim = matrix_dim(ck, matrix, entry);
        uint32_t i = entry / count, j = entry % count;
        if (!dim)
            continue;
        const struct dim *x = dim_mul(ck->dims, row[i], col[j]);
        if (dim_unify(ck->dims, dim, x, node->range))
            continue;
        struct diag *t = check_error(
            ck, DIAG_E0227, node->range,
            "this matrix maps no quantities to quantities: by its other "
            "entries %s would be %s, but it is %s",
            matrix_entry(ck, matrix, entry), dim_say(ck->dims, x),
            dim_say(ck->dims, dim));
        CHECK_HELP(
            ck, t,
            "entry [i, j] is what comes out in i over what goes in at j: "
            "all twists or all wrenches, side by side");
        return false;
    }
    for (uint32_t j = 0; j < count; j++)
        if (!col[j])
            col[j] = dim_pure(ck->dims);
    return true;
}

const char *
matrix_units(struct check *ck, const struct dim *const *dims, size_t count)
{
    assert(ck && dims);
    const char *text = "", *one = NULL;
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        const char *u = dims[i] ? dim_text(ck->dims, dims[i]) : "";
        text = arena_printf(ck->arena, "%s%s%s", text, i ? ";" : "",
                            dims[i] && !*u ? "1" : u);
        if (dims[i]) {
            same &= !one || !strcmp(one, u);
            one = u;
        }
    }
    return same ? one ? one : "" : text;
}
