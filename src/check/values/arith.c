/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic on checked values: sums, quotients, powers, comparisons, logic
 * and the choice between two values. Each rule of dimensions and bare
 * constants (language.md, principle 3) is applied here; products of vectors
 * and matrices are in linalg.c. */
#include <math.h>
#include <string.h>

#include "check/values/values.h"

static bool
numeric(const struct value *v)
{
    return v->kind == V_NUM || v->kind == V_ANY;
}

struct value
ck_no_arithmetic(struct check *ck, const struct ast_expr *at, const char *doing,
                 const struct value *v, const struct ast_expr *e)
{
    if (v->kind == V_POISON)
        return v_poison(at->range);
    bool record = v->kind == V_RESULT || v->kind == V_FIELD;
    struct diag *d =
        ck_error(ck, record ? DIAG_E0224 : DIAG_E0209, e->range,
                 "%s takes numbers, but this is %s", doing, v_kind(ck, v));
    if (v->kind == V_RESULT) {
        const struct tm_command *c = &ck->commands.v[v->ref];
        const char *names[64];
        size_t n = 0;
        for (; n < c->n_fields && n < 64; n++)
            names[n] = c->fields[n].name;
        if (n)
            CK_HELP(ck, d, "take one of its fields: %s",
                    ck_join(ck, names, n, "or"));
    } else if (v->kind == V_FIELD) {
        CK_HELP(ck, d, "take one entry, as in %s[0], or max(...), min(...)",
                ck_label(ck, e));
    } else if (v->kind == V_LIST) {
        CK_HELP(ck, d, "take one entry, as in v[0], or sum(...), max(...)");
    } else if (v->kind == V_BODY) {
        CK_HELP(ck, d, "take a quantity of it, as in %s.position",
                ck->bodies.v[v->ref].name);
    } else if (v->kind == V_CONTACT) {
        CK_HELP(ck, d, "its gap is gap(%s)", ck->contacts.v[v->ref].name);
    }
    return v_poison(at->range);
}

static struct value
add_sub(struct check *ck, const struct ast_expr *e, const struct value *a,
        const struct value *b)
{
    const struct dim *dim;
    bool bare, sub = e->op == AST_SUB;
    const char *doing = sub ? "a difference" : "a sum";
    if (!numeric(a))
        return ck_no_arithmetic(ck, e, doing, a, e->a);
    if (!numeric(b))
        return ck_no_arithmetic(ck, e, doing, b, e->b);
    bool any = a->kind == V_ANY || b->kind == V_ANY;
    if (any && (a->dims || b->dims))
        return v_any(ck, dim_fresh(ck->dims, e->range), e->range);
    if (!any && (a->rows != b->rows || a->cols != b->cols)) {
        struct diag *d = ck_error(ck, DIAG_E0210, e->op_range,
                                  "%s needs things of one size, but these are "
                                  "%s and %s",
                                  doing, v_kind(ck, a), v_kind(ck, b));
        CK_NOTE(ck, d, e->a->range, "%s", v_kind(ck, a));
        CK_NOTE(ck, d, e->b->range, "%s", v_kind(ck, b));
        return v_poison(e->range);
    }
    const struct dim **dims = NULL;
    if (!any && (a->dims || b->dims)) {
        dims = mx_agree(ck, e, doing, a, e->a, b, e->b);
        dim = dim_pure(ck->dims);
        bare = false;
        if (!dims)
            return v_poison(e->range);
    } else if (!v_agree(ck, e, doing, a, e->a, b, e->b, &dim, &bare)) {
        return v_poison(e->range);
    }
    if (any)
        return v_any(ck, dim, e->range);
    struct value r = v_array(ck, a->rows, a->cols, dim, e->range);
    r.bare = bare;
    r.dims = dims;
    for (size_t i = 0; i < (size_t)r.rows * r.cols; i++)
        r.e[i] = sub ? ex_sub(ck->g, a->e[i], b->e[i])
                     : ex_add(ck->g, a->e[i], b->e[i]);
    return mx_done(ck, r);
}

static struct value
divide(struct check *ck, const struct ast_expr *e, const struct value *a,
       const struct value *b)
{
    if (!numeric(a))
        return ck_no_arithmetic(ck, e, "a quotient", a, e->a);
    if (!numeric(b))
        return ck_no_arithmetic(ck, e, "a quotient", b, e->b);
    if (!v_is_scalar(b)) {
        struct diag *d = ck_error(ck, DIAG_E0210, e->b->range,
                                  "the divisor is one number, but this is %s",
                                  v_kind(ck, b));
        if (b->rows == b->cols && b->rows > 1)
            CK_HELP(ck, d, "write solve(M, v), or inv(M)*v");
        return v_poison(e->range);
    }
    double x;
    if (v_const(b, &x) && x == 0) {
        ck_error(ck, DIAG_E0216, e->op_range, "this divides by zero");
        return v_poison(e->range);
    }
    const struct dim *pure = dim_pure(ck->dims);
    const struct dim *dim =
        dim_div(ck->dims, a->bare ? pure : a->dim, b->bare ? pure : b->dim);
    if (a->kind == V_ANY || b->kind == V_ANY)
        return v_any(ck, dim, e->range);
    struct value r = v_array(ck, a->rows, a->cols, dim, e->range);
    size_t n = (size_t)r.rows * r.cols;
    r.bare = a->bare && b->bare;
    for (size_t i = 0; i < n; i++)
        r.e[i] = ex_div(ck->g, a->e[i], b->e[0]);
    if (!a->dims)
        return r;
    r.dims = NEW_N(ck->arena, const struct dim *, n);
    for (size_t i = 0; i < n; i++) {
        const struct dim *d = mx_dim(ck, a, i);
        r.dims[i] = d && !b->bare ? dim_div(ck->dims, d, b->dim) : d;
    }
    return mx_done(ck, r);
}

struct value
ck_power(struct check *ck, const struct ast_expr *e, struct value a,
         const struct ast_expr *ea, struct value b, const struct ast_expr *eb)
{
    if (!numeric(&a))
        return ck_no_arithmetic(ck, e, "a power", &a, ea);
    if (!numeric(&b))
        return ck_no_arithmetic(ck, e, "a power", &b, eb);
    if (!v_is_scalar(&a) || !v_is_scalar(&b)) {
        const struct value *w = v_is_scalar(&a) ? &b : &a;
        struct diag *d =
            ck_error(ck, DIAG_E0210, w == &a ? ea->range : eb->range,
                     "a power takes numbers, but this is %s", v_kind(ck, w));
        if (w == &a)
            CK_HELP(ck, d,
                    a.cols == 1 ? "the square of a vector is dot(v, v)"
                                : "write the product out: M*M");
        return v_poison(e->range);
    }
    const struct dim *pure = dim_pure(ck->dims);
    if (!b.bare && !dim_unify(ck->dims, b.dim, pure, eb->range)) {
        struct diag *d = ck_error(ck, DIAG_E0204, eb->range,
                                  "an exponent is a pure number, but this is "
                                  "%s",
                                  dim_say(ck->dims, b.dim));
        v_explain(ck, d, eb);
        return v_poison(e->range);
    }
    double x;
    struct ratio q;
    const struct dim *dim;
    if (v_const(&b, &x) && ratio_of(x, &q)) {
        dim = a.bare ? pure : dim_pow(ck->dims, a.dim, q);
    } else {
        dim = pure;
        if (!a.bare && !dim_unify(ck->dims, a.dim, pure, ea->range)) {
            struct diag *d = ck_error(
                ck, DIAG_E0205, ea->range,
                "this is %s, and its exponent is no simple number that "
                "is written out",
                dim_say(ck->dims, a.dim));
            CK_NOTE(ck, d, eb->range, "the exponent");
            v_explain(ck, d, ea);
            CK_HELP(ck, d,
                    "the dimension of the power would depend on a value: "
                    "divide the base by a scale, as in (x/a)^p");
            return v_poison(e->range);
        }
    }
    if (a.kind == V_ANY || b.kind == V_ANY)
        return v_any(ck, dim, e->range);
    struct value r = v_num(ck, ex_pow(ck->g, a.e[0], b.e[0]), dim, e->range);
    r.bare = a.bare && b.bare;
    return r;
}

static struct value
compare(struct check *ck, const struct ast_expr *e, const struct value *a,
        const struct value *b)
{
    const struct dim *dim;
    bool bare, eq = e->op == AST_EQ || e->op == AST_NE;
    if (a->kind == V_POISON || b->kind == V_POISON)
        return v_poison(e->range);
    if (a->kind == V_TRUTH && b->kind == V_TRUTH && eq)
        return v_truth(ck,
                       ex_op(ck->g, e->op == AST_EQ ? IMP_OP_EQ : IMP_OP_NE,
                             a->e[0], b->e[0], NULL),
                       e->range);
    if (!numeric(a))
        return ck_no_arithmetic(ck, e, "a comparison", a, e->a);
    if (!numeric(b))
        return ck_no_arithmetic(ck, e, "a comparison", b, e->b);
    if (!v_is_scalar(a) || !v_is_scalar(b)) {
        struct diag *d =
            ck_error(ck, DIAG_E0221, e->op_range,
                     "only single numbers are compared, but this is %s",
                     v_kind(ck, v_is_scalar(a) ? b : a));
        CK_HELP(ck, d, "compare a size: norm(a - b) < 1e-9");
        return v_poison(e->range);
    }
    if (!v_agree(ck, e, "a comparison", a, e->a, b, e->b, &dim, &bare))
        return v_poison(e->range);
    const expr *l = a->e[0], *r = b->e[0], *n;
    switch (e->op) {
    case AST_LT:
        n = ex_op(ck->g, IMP_OP_LT, l, r, NULL);
        break;
    case AST_LE:
        n = ex_op(ck->g, IMP_OP_LE, l, r, NULL);
        break;
    case AST_GT:
        n = ex_op(ck->g, IMP_OP_LT, r, l, NULL);
        break;
    case AST_GE:
        n = ex_op(ck->g, IMP_OP_LE, r, l, NULL);
        break;
    case AST_EQ:
        n = ex_op(ck->g, IMP_OP_EQ, l, r, NULL);
        break;
    default:
        n = ex_op(ck->g, IMP_OP_NE, l, r, NULL);
        break;
    }
    return v_truth(ck, n, e->range);
}

bool
ck_need_truth(struct check *ck, const struct value *v, const struct ast_expr *e,
              const char *what)
{
    if (v->kind == V_TRUTH || v->kind == V_ANY)
        return true;
    if (v->kind == V_POISON)
        return false;
    struct diag *d =
        ck_error(ck, DIAG_E0213, e->range,
                 "%s is true or false, but this is %s", what, v_kind(ck, v));
    CK_HELP(ck, d, "compare it with something, as in a < b");
    return false;
}

struct value
ck_binary(struct check *ck, const struct ast_expr *e, const struct value *a,
          const struct value *b)
{
    if (a->kind == V_POISON || b->kind == V_POISON)
        return v_poison(e->range);
    graph_origin(ck->g, e->range);
    switch (e->op) {
    case AST_ADD:
    case AST_SUB:
        return add_sub(ck, e, a, b);
    case AST_MUL:
        if (!numeric(a))
            return ck_no_arithmetic(ck, e, "a product", a, e->a);
        if (!numeric(b))
            return ck_no_arithmetic(ck, e, "a product", b, e->b);
        return lin_mul(ck, e, a, b);
    case AST_DIV:
        return divide(ck, e, a, b);
    case AST_POW:
        return ck_power(ck, e, *a, e->a, *b, e->b);
    case AST_AND:
    case AST_OR: {
        const char *what =
            e->op == AST_AND ? "each side of `and`" : "each side of `or`";
        bool ok = ck_need_truth(ck, a, e->a, what);
        if (!ck_need_truth(ck, b, e->b, what) || !ok)
            return v_poison(e->range);
        return v_truth(ck,
                       ex_op(ck->g, e->op == AST_AND ? IMP_OP_AND : IMP_OP_OR,
                             a->e[0], b->e[0], NULL),
                       e->range);
    }
    default:
        return compare(ck, e, a, b);
    }
}

struct value
ck_choice(struct check *ck, const struct ast_expr *e, const struct value *c,
          const struct value *a, const struct value *b)
{
    bool ok = ck_need_truth(ck, c, e->a, "the condition of `if`");
    if (!ok || a->kind == V_POISON || b->kind == V_POISON)
        return v_poison(e->range);
    graph_origin(ck->g, e->range);
    if (a->kind == V_TRUTH && b->kind == V_TRUTH)
        return v_truth(ck,
                       ex_op(ck->g, IMP_OP_SELECT, c->e[0], a->e[0], b->e[0]),
                       e->range);
    bool any = a->kind == V_ANY || b->kind == V_ANY;
    if (!numeric(a) || !numeric(b) ||
        (!any && (a->rows != b->rows || a->cols != b->cols))) {
        struct diag *d =
            ck_error(ck, DIAG_E0223, e->range,
                     "both branches of `if` are of one kind, but these are %s "
                     "and %s",
                     v_kind(ck, a), v_kind(ck, b));
        CK_NOTE(ck, d, e->b->range, "%s", v_kind(ck, a));
        CK_NOTE(ck, d, e->c->range, "%s", v_kind(ck, b));
        return v_poison(e->range);
    }
    const struct dim *dim;
    bool bare;
    if (any && (a->dims || b->dims))
        return v_any(ck, dim_fresh(ck->dims, e->range), e->range);
    const struct dim **dims = NULL;
    if (!any && (a->dims || b->dims)) {
        dims = mx_agree(ck, e, "an `if`", a, e->b, b, e->c);
        dim = dim_pure(ck->dims);
        bare = false;
        if (!dims)
            return v_poison(e->range);
    } else if (!v_agree(ck, e, "an `if`", a, e->b, b, e->c, &dim, &bare)) {
        return v_poison(e->range);
    }
    if (any || c->kind == V_ANY)
        return v_any(ck, dim, e->range);
    struct value r = v_array(ck, a->rows, a->cols, dim, e->range);
    r.bare = bare;
    r.dims = dims;
    for (size_t i = 0; i < (size_t)r.rows * r.cols; i++)
        r.e[i] = ex_op(ck->g, IMP_OP_SELECT, c->e[0], a->e[i], b->e[i]);
    return mx_done(ck, r);
}
