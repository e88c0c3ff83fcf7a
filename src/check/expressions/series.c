/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time derivative `'` and series(): questions about the Taylor series in t
 * of an expression along the motion. What depends on t alone is differentiated
 * here, on the graph. Anything else becomes an entry of the model's table of
 * series, whose coefficient c_k is the leaf SYM_SERIES; the n-th derivative is
 * n! c_n. Equal expressions share one entry, so equal derivatives are equal
 * nodes. */
#include <math.h>
#include <string.h>

#include "check/expressions/expressions.h"

#define ORDER_MAX 20

struct reads {
    struct check *ck;
    bool time, motion, coordinates, result;
    uint32_t depth; /* what the series it reads need beyond its own order */
};

static void
read_leaf(void *ctx, const expr *l)
{
    struct reads *r = ctx;
    r->time |= l->sym == SYM_TIME;
    r->coordinates |= l->sym == SYM_LOCAL;
    r->result |= l->sym == SYM_SLOT;
    r->motion |= l->sym == SYM_BODY || l->sym == SYM_CONTACT ||
                 l->sym == SYM_TOTAL || l->sym == SYM_SERIES ||
                 l->sym == SYM_COORD || l->sym == SYM_SYSTEM;
    if (l->sym == SYM_SERIES) {
        uint32_t d = l->j + r->ck->series.v[l->i].depth;
        r->depth = d > r->depth ? d : r->depth;
    }
}

/* c_k is wanted: so are the coefficients of what it reads */
struct wanting {
    struct check *ck;
    uint32_t order;
};
static void want_order(struct check *ck, uint32_t i, uint32_t k);
static void
want_leaf(void *ctx, const expr *l)
{
    struct wanting *w = ctx;
    if (l->sym == SYM_SERIES)
        want_order(w->ck, l->i, l->j + w->order);
}
static void
want_order(struct check *ck, uint32_t i, uint32_t k)
{
    struct tm_series *s = &ck->series.v[i];
    if (k <= s->order)
        return;
    s->order = k;
    struct wanting w = {ck, k};
    ex_leaves(ck->g, &s->e, 1, want_leaf, &w);
}

static double
factorial_ratio(uint32_t n, uint32_t m) /* n!/m!, n >= m */
{
    double f = 1;
    for (uint32_t i = m + 1; i <= n; i++)
        f *= i;
    return f;
}

static void
too_high(struct check *ck, imp_range range)
{
    struct diag *d =
        ck_error(ck, DIAG_E0226, range,
                 "this takes time derivatives beyond order %d", ORDER_MAX);
    CK_HELP(ck, d, "derivatives of derivatives count together");
}

/* c_n of e, whose leaves are r; NULL after an error */
static const expr *
coefficient(struct check *ck, const expr *e, const struct reads *r, uint32_t n,
            imp_range range)
{
    if (n == 0)
        return e;
    if (n + r->depth > ORDER_MAX) {
        too_high(ck, range);
        return NULL;
    }
    size_t i = 0;
    while (i < ck->series.n && ck->series.v[i].e != e)
        i++;
    if (i == ck->series.n)
        APUSH(ck, &ck->series,
              (struct tm_series){.e = e, .depth = r->depth, .range = range});
    want_order(ck, (uint32_t)i, n);
    return ex_sym(ck->g, SYM_SERIES, (uint32_t)i, n);
}

/* the derivative of coordinate i that a formula of its system may not differ-
 * entiate any more */
static uint32_t
highest(const struct check *ck, uint32_t i, enum env_part part)
{
    if (part != PART_EQUATION)
        return COORD_RATE;
    uint32_t order = ck->coordinates.v[i].order;
    return order ? order - 1 : COORD_ACCELERATION;
}

/* Time derivative of a system's formula on the graph: coordinates become
 * rates, and rates accelerations in the equation of an observer. NULL after an
 * error. */
static const expr *
system_rate(struct check *ck, const expr *e, enum env_part part,
            imp_range range)
{
    struct reads r = {.ck = ck};
    size_t n = ck->coordinates.n, at = 0;
    const expr **leaf = NEW_N(ck->arena, const expr *, 2 * n + 1);
    const expr **rate = NEW_N(ck->arena, const expr *, 2 * n + 1);
    leaf[at] = ex_sym(ck->g, SYM_TIME, 0, 0);
    rate[at++] = ex_num(ck->g, 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t top = highest(ck, i, part);
        for (uint32_t j = 0; j < top; j++) {
            leaf[at] = ex_sym(ck->g, SYM_COORD, i, j);
            rate[at++] = ex_sym(ck->g, SYM_COORD, i, j + 1);
        }
        if (!ex_depends(ck->g, e, SYM_COORD, i, top))
            continue;
        struct diag *d = ck_error(
            ck, DIAG_E0364, range,
            part != PART_EQUATION ? "this is an acceleration: it follows from "
                                    "the system, it cannot define it"
            : top == COORD_ACCELERATION
                ? "this is a third derivative: an observer feels coordinates, "
                  "rates and accelerations"
                : "this derivative of an observer variable follows from its "
                  "equation");
        CK_HELP(ck, d,
                part == PART_EQUATION
                    ? "write that equation's right-hand side instead, or a "
                      "lower derivative"
                    : "coordinates and their first rates may stand here");
        return NULL;
    }
    ex_leaves(ck->g, &e, 1, read_leaf, &r);
    graph_origin(ck->g, range);
    return ex_diff_along(ck->g, e, leaf, rate, at);
}

/* n-th derivative of e; NULL after an error */
static const expr *
derivative(struct check *ck, const expr *e, uint32_t n, imp_range range)
{
    struct reads r = {.ck = ck};
    ex_leaves(ck->g, &e, 1, read_leaf, &r);
    if (r.coordinates) {
        struct diag *d = ck_error(ck, DIAG_E0225, range,
                                  "x, y and z are the places of a level set: "
                                  "they have no time derivative");
        CK_HELP(ck, d,
                "`'` follows the motion of bodies and t; the motion of a "
                "surface follows from its formula by itself");
        return NULL;
    }
    if (r.result && !r.motion && !r.time) {
        struct diag *d = ck_error(ck, DIAG_E0225, range,
                                  "the result of a command is a number: it "
                                  "does not change with t");
        CK_HELP(ck, d,
                "differentiate the expression itself, as in gap(touch)'");
        return NULL;
    }
    graph_origin(ck->g, range);
    if (r.motion && e->op == IMP_OP_MUL && ex_is_const(e->a)) {
        const expr *x = derivative(ck, e->b, n, range);
        return x ? ex_mul(ck->g, e->a, x) : NULL;
    }
    if (e->op == IMP_OP_ENV && e->sym == SYM_SERIES) {
        /* of a coefficient: (j + n)!/j! c_{j+n} */
        const struct tm_series *s = &ck->series.v[e->i];
        if (e->j + n + s->depth > ORDER_MAX) {
            too_high(ck, range);
            return NULL;
        }
        want_order(ck, e->i, e->j + n);
        return ex_mul(ck->g, ex_num(ck->g, factorial_ratio(e->j + n, e->j)),
                      ex_sym(ck->g, SYM_SERIES, e->i, e->j + n));
    }
    if (e->op == IMP_OP_ENV && e->sym == SYM_COORD && e->j + n == 1 &&
        ck->coordinates.v[e->i].order != 1)
        return ex_sym(ck->g, SYM_COORD, e->i, 1);
    if (r.motion) {
        const expr *c = coefficient(ck, e, &r, n, range);
        return c ? ex_mul(ck->g, ex_num(ck->g, factorial_ratio(n, 0)), c)
                 : NULL;
    }
    for (uint32_t k = 0; k < n; k++)
        e = ex_diff(ck->g, e, ex_sym(ck->g, SYM_TIME, 0, 0));
    return e;
}

static struct value
no_derivative(struct check *ck, const struct value *v, const struct ast_expr *a,
              imp_range range)
{
    if (v->kind == V_POISON)
        return v_poison(range);
    struct diag *d = ck_error(ck, DIAG_E0225, a->range,
                              "`'` differentiates numbers with respect to t, "
                              "but this is %s",
                              v_kind(ck, v));
    if (v->kind == V_BODY)
        CK_HELP(ck, d, "take a quantity of it, as in %s.position'",
                ck->bodies.v[v->ref].name);
    else if (v->kind == V_CONTACT)
        CK_HELP(ck, d, "its gap is gap(%s), the rate of it gap(%s)'",
                ck->contacts.v[v->ref].name, ck->contacts.v[v->ref].name);
    else if (v->kind == V_FIELD || v->kind == V_RESULT)
        CK_HELP(ck, d,
                "the result of a command is fixed: record the derivative "
                "itself, as in record = gap(touch)'");
    else if (v->kind == V_LIST)
        CK_HELP(ck, d, "differentiate one expression at a time");
    return v_poison(range);
}

struct value
series_prime(struct check *ck, const struct env *env, const struct ast_expr *e,
             const struct ast_expr *a, const struct value *of, uint32_t n)
{
    struct value v = *of;
    const struct dim *dim =
        v.kind == V_NUM || v.kind == V_ANY
            ? dim_mul(ck->dims, v.bare ? dim_pure(ck->dims) : v.dim,
                      dim_mks(ck->dims, 0, 0, n > 100 ? -100 : -(int)n))
            : NULL;
    if (v.kind == V_ANY)
        return v_any(ck, dim, e->range);
    if (v.kind != V_NUM)
        return no_derivative(ck, &v, a, e->range);
    struct value r = v_array(ck, v.rows, v.cols, dim, e->range);
    bool inside = false;
    for (const struct env *x = env; x; x = x->up)
        inside |= x->system;
    for (size_t i = 0; i < (size_t)v.rows * v.cols; i++) {
        r.e[i] = v.e[i];
        for (uint32_t k = 0; inside && k < n && r.e[i]; k++)
            r.e[i] = system_rate(ck, r.e[i], env_part(env), e->range);
        if (!inside)
            r.e[i] = derivative(ck, v.e[i], n, e->range);
        if (!r.e[i])
            return v_poison(e->range);
    }
    if (!v.dims)
        return r;
    const struct dim *per = dim_mks(ck->dims, 0, 0, n > 100 ? -100 : -(int)n);
    size_t count = (size_t)v.rows * v.cols;
    r.dims = NEW_N(ck->arena, const struct dim *, count);
    for (size_t i = 0; i < count; i++) {
        const struct dim *d = mx_dim(ck, &v, i);
        r.dims[i] = d ? dim_mul(ck->dims, d, per) : NULL;
    }
    return mx_done(ck, r);
}

struct value
series_call(struct check *ck, const struct ast_expr *e, struct value *a)
{
    const struct dim *pure = dim_pure(ck->dims);
    const struct ast_expr *what = e->args[0].value, *order = e->args[1].value;
    double n;
    if (!v_is_scalar(&a[0])) {
        struct diag *d = ck_error(ck, DIAG_E0218, what->range,
                                  "series takes a number, but this is %s",
                                  v_kind(ck, &a[0]));
        if (a[0].kind == V_CONTACT)
            CK_HELP(ck, d, "its gap is gap(%s)", ck->contacts.v[a[0].ref].name);
        else if (a[0].kind == V_NUM)
            CK_HELP(ck, d, "take one entry of it, as in v[0] or v.x");
        return v_poison(e->range);
    }
    if (!v_need_scalar(ck, &a[1], order, pure, "the order of a series"))
        return v_poison(e->range);
    if (a[0].kind == V_ANY || a[1].kind == V_ANY)
        return v_any(ck, pure, e->range);
    if (!ck_fixed(ck, a[1].e[0], &n) || n != floor(n) || n < 0 ||
        n > ORDER_MAX) {
        ck_error(ck, DIAG_E0222, order->range,
                 "the order is a whole number from 0 to %d, made of literals "
                 "and params",
                 ORDER_MAX);
        return v_poison(e->range);
    }
    struct reads r = {.ck = ck};
    ex_leaves(ck->g, a[0].e, 1, read_leaf, &r);
    if (r.coordinates) {
        derivative(ck, a[0].e[0], 1, what->range);
        return v_poison(e->range);
    }
    struct value out = v_array(ck, (uint32_t)n + 1, 1, pure, e->range);
    out.series = a[0].bare ? pure : a[0].dim;
    for (uint32_t k = 0; k < out.rows; k++) {
        out.e[k] = r.time || r.motion || !k
                       ? coefficient(ck, a[0].e[0], &r, k, what->range)
                       : ex_num(ck->g, 0);
        if (!out.e[k])
            return v_poison(e->range);
    }
    return out;
}
