/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values whose entries have dimensions of their own: screws and the matrices
 * that map them. value.dims holds one per entry; NULL stands for an exact 0,
 * which fits every dimension (and so for the zeros of M, eta, Q and S). A sum
 * of products is checked term by term, entry by entry; an exact 0 has no say in
 * it. A value without such a 0 and with one dimension only is a plain one: here
 * is the only place that decides between the two. */
#include <string.h>

#include "check/values/values.h"

const struct dim *
mx_dim(struct check *ck, const struct value *v, size_t i)
{
    if (v->kind == V_NUM && ex_is_num(v->e[i], 0))
        return NULL;
    return v->dims ? v->dims[i] : v->bare ? dim_pure(ck->dims) : v->dim;
}

struct value
mx_array(struct check *ck, uint32_t rows, uint32_t cols, imp_range r)
{
    struct value v = v_array(ck, rows, cols, dim_pure(ck->dims), r);
    v.dims = NEW_N(ck->arena, const struct dim *, (size_t)rows *cols);
    return v;
}

static bool
equal(struct check *ck, const struct dim *a, const struct dim *b)
{
    return a == b || dim_is_pure(ck->dims, dim_div(ck->dims, a, b));
}

/* the one dimension of what is not an exact 0; NULL when there is none, or
 * when entry *other differs from entry *first */
static const struct dim *
only(struct check *ck, const struct value *v, size_t *first, size_t *other)
{
    const struct dim *d = NULL;
    size_t n = (size_t)v->rows * v->cols;
    *first = *other = n;
    for (size_t i = 0; i < n; i++) {
        const struct dim *di = mx_dim(ck, v, i);
        if (!di)
            continue;
        if (!d) {
            d = di;
            *first = i;
        } else if (!equal(ck, d, di)) {
            *other = i;
            return NULL;
        }
    }
    return d;
}

struct value
mx_done(struct check *ck, struct value v)
{
    size_t n = (size_t)v.rows * v.cols, first, other, zeros = 0;
    if (v.kind != V_NUM || !v.dims)
        return v;
    const struct dim *d = only(ck, &v, &first, &other);
    for (size_t i = 0; i < n; i++)
        zeros += mx_dim(ck, &v, i) == NULL;
    if (other < n || (zeros && zeros < n))
        return v;
    v.dims = NULL;
    v.bare = !d;
    v.dim = d ? d : dim_pure(ck->dims);
    return v;
}

/* "entry [1, 2]" */
static const char *
mx_entry(struct check *ck, const struct value *v, size_t i)
{
    if (v->cols == 1)
        return arena_printf(ck->arena, "entry %zu", i);
    return arena_printf(ck->arena, "entry [%zu, %zu]", i / v->cols,
                        i % v->cols);
}

bool
mx_plain(struct check *ck, struct value *v, imp_range r, const char *what)
{
    size_t first, other;
    if (v->kind != V_NUM || !v->dims)
        return true;
    const struct dim *d = only(ck, v, &first, &other);
    if (other < (size_t)v->rows * v->cols) {
        struct diag *x = ck_error(
            ck, DIAG_E0227, r,
            "%s needs entries of one dimension, but %s is %s and %s is %s",
            what, mx_entry(ck, v, first),
            dim_say(ck->dims, mx_dim(ck, v, first)), mx_entry(ck, v, other),
            dim_say(ck->dims, mx_dim(ck, v, other)));
        CK_HELP(ck, x,
                "take entries of one dimension, or figures(...): the numbers "
                "in SI units, without their units");
        return false;
    }
    v->dims = NULL;
    v->bare = !d;
    v->dim = d ? d : dim_pure(ck->dims);
    return true;
}

const struct dim **
mx_agree(struct check *ck, const struct ast_expr *at, const char *doing,
         const struct value *a, const struct ast_expr *ea,
         const struct value *b, const struct ast_expr *eb)
{
    size_t n = (size_t)a->rows * a->cols;
    const struct dim **dims = NEW_N(ck->arena, const struct dim *, n);
    for (size_t i = 0; i < n; i++) {
        const struct dim *x = mx_dim(ck, a, i), *y = mx_dim(ck, b, i);
        if (a->bare && y)
            x = y;
        if (b->bare && x)
            y = x;
        dims[i] = x ? x : y;
        if (!x || !y || dim_unify(ck->dims, x, y, at->range))
            continue;
        struct diag *d = ck_error(
            ck, DIAG_E0227, at->op_range.file ? at->op_range : at->range,
            "%s needs equal dimensions entry by entry, but in %s these are %s "
            "and %s",
            doing, mx_entry(ck, a, i), dim_say(ck->dims, x),
            dim_say(ck->dims, y));
        CK_NOTE(ck, d, ea->range, "here %s is %s", mx_entry(ck, a, i),
                dim_say(ck->dims, x));
        CK_NOTE(ck, d, eb->range, "here %s is %s", mx_entry(ck, b, i),
                dim_say(ck->dims, y));
        CK_HELP(ck, d,
                "twists (spin, velocity) are added to twists, wrenches "
                "(force, moment) to wrenches of one kind");
        return NULL;
    }
    return dims;
}

/* dimension of sum_k a[i, k] b[k, j]; false: reported */
static bool
sum_dim(struct check *ck, const struct ast_expr *at, const struct value *a,
        const struct value *b, const struct value *r, size_t entry,
        const struct dim **out)
{
    size_t i = entry / r->cols, j = entry % r->cols, from = 0;
    *out = NULL;
    for (size_t k = 0; k < a->cols; k++) {
        const struct dim *x = mx_dim(ck, a, i * a->cols + k);
        const struct dim *y = mx_dim(ck, b, k * b->cols + j);
        if (!x || !y)
            continue;
        const struct dim *d = dim_mul(ck->dims, x, y);
        if (!*out) {
            *out = d;
            from = k;
        } else if (!dim_unify(ck->dims, *out, d, at->range)) {
            struct diag *e = ck_error(
                ck, DIAG_E0227, at->op_range.file ? at->op_range : at->range,
                "the terms of %s of this product have two dimensions: term "
                "%zu is %s, term %zu %s",
                mx_entry(ck, r, entry), from, dim_say(ck->dims, *out), k,
                dim_say(ck->dims, d));
            CK_HELP(ck, e,
                    "a wrench (f, m) and a twist (w, v) multiply through eta, "
                    "which exchanges halves: transpose(wrench)*eta*twist");
            return false;
        }
    }
    return true;
}

struct value
mx_mul(struct check *ck, const struct ast_expr *at, const struct value *a,
       const struct value *b, struct value r)
{
    size_t n = (size_t)r.rows * r.cols;
    r.dims = NEW_N(ck->arena, const struct dim *, n);
    r.bare = false;
    bool sa = v_is_scalar(a), sb = v_is_scalar(b);
    for (size_t i = 0; i < n; i++) {
        if (sa || sb) {
            const struct dim *x = mx_dim(ck, a, sa ? 0 : i);
            const struct dim *y = mx_dim(ck, b, sb ? 0 : i);
            r.dims[i] = x && y ? dim_mul(ck->dims, x, y) : NULL;
        } else if (!sum_dim(ck, at, a, b, &r, i, &r.dims[i])) {
            return v_poison(at->range);
        }
    }
    return mx_done(ck, r);
}

bool
mx_gauge(struct check *ck, const struct ast_expr *e, const struct value *m,
         const struct dim **row, const struct dim **col)
{
    uint32_t n = m->rows;
    for (uint32_t i = 0; i < n; i++)
        row[i] = col[i] = NULL;
    for (uint32_t start = 0; start < n; start++) {
        if (!row[start])
            row[start] = dim_pure(ck->dims);
        for (bool more = true; more;) {
            more = false;
            for (uint32_t k = 0; k < n * n; k++) {
                const struct dim *d = mx_dim(ck, m, k);
                uint32_t i = k / n, j = k % n;
                if (!d || (row[i] != NULL) == (col[j] != NULL))
                    continue;
                if (row[i])
                    col[j] = dim_div(ck->dims, d, row[i]);
                else
                    row[i] = dim_div(ck->dims, d, col[j]);
                more = true;
            }
        }
    }
    for (uint32_t k = 0; k < n * n; k++) {
        const struct dim *d = mx_dim(ck, m, k);
        uint32_t i = k / n, j = k % n;
        if (!d)
            continue;
        const struct dim *x = dim_mul(ck->dims, row[i], col[j]);
        if (dim_unify(ck->dims, d, x, e->range))
            continue;
        struct diag *t = ck_error(
            ck, DIAG_E0227, e->range,
            "this matrix maps no quantities to quantities: by its other "
            "entries %s would be %s, but it is %s",
            mx_entry(ck, m, k), dim_say(ck->dims, x), dim_say(ck->dims, d));
        CK_HELP(ck, t,
                "entry [i, j] is what comes out in i over what goes in at j: "
                "all twists or all wrenches, side by side");
        return false;
    }
    for (uint32_t j = 0; j < n; j++)
        if (!col[j])
            col[j] = dim_pure(ck->dims);
    return true;
}

const char *
mx_units(struct check *ck, const struct dim *const *dims, size_t n)
{
    const char *s = "", *one = NULL;
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        const char *u = dims[i] ? dim_text(ck->dims, dims[i]) : "";
        s = arena_printf(ck->arena, "%s%s%s", s, i ? ";" : "",
                         dims[i] && !*u ? "1" : u);
        if (dims[i]) {
            same &= !one || !strcmp(one, u);
            one = u;
        }
    }
    return same ? one ? one : "" : s;
}
