/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic on checked values: sums, quotients, powers, comparisons, logic
 * and the choice between two values. Each rule of dimensions and bare
 * constants (language.md, principle 3) is applied here; products of vectors
 * and matrices are in linalg.c. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/values/values.h"

static bool
numeric(const struct value *value)
{
    return value->kind == V_NUM || value->kind == V_ANY;
}

struct value
ck_no_arithmetic(struct check *ck, const struct ast_expr *at, const char *doing,
                 const struct value *value, const struct ast_expr *node)
{
    assert(ck && at && doing && value && node);
    if (value->kind == V_POISON)
        return v_poison(at->range);
    bool record = value->kind == V_RESULT || value->kind == V_FIELD;
    struct diag *diag =
        ck_error(ck, record ? DIAG_E0224 : DIAG_E0209, node->range,
                 "%s takes numbers, but this is %s", doing, v_kind(ck, value));
    if (value->kind == V_RESULT) {
        const struct tm_command *cmd = &ck->lists.commands.v[value->ref];
        const char *names[64];
        size_t count = 0;
        for (; count < cmd->n_fields && count < 64; count++)
            names[count] = cmd->fields[count].name;
        if (count)
            CK_HELP(ck, diag, "take one of its fields: %s",
                    ck_join(ck, names, count, "or"));
    } else if (value->kind == V_FIELD) {
        CK_HELP(ck, diag, "take one entry, as in %s[0], or max(...), min(...)",
                ck_label(ck, node));
    } else if (value->kind == V_LIST) {
        CK_HELP(ck, diag, "take one entry, as in v[0], or sum(...), max(...)");
    } else if (value->kind == V_BODY) {
        CK_HELP(ck, diag, "take a quantity of it, as in %s.position",
                ck->lists.bodies.v[value->ref].name);
    } else if (value->kind == V_CONTACT) {
        CK_HELP(ck, diag, "its gap is gap(%s)",
                ck->lists.contacts.v[value->ref].name);
    }
    return v_poison(at->range);
}

static struct value
add_sub(struct check *ck, const struct ast_expr *node, const struct value *left,
        const struct value *right)
{
    const struct dim *dim;
    bool bare, sub = node->op == AST_SUB;
    const char *doing = sub ? "a difference" : "a sum";
    if (!numeric(left))
        return ck_no_arithmetic(ck, node, doing, left, node->a);
    if (!numeric(right))
        return ck_no_arithmetic(ck, node, doing, right, node->b);
    bool any = left->kind == V_ANY || right->kind == V_ANY;
    if (any && (left->dims || right->dims))
        return v_any(ck, dim_fresh(ck->dims, node->range), node->range);
    if (!any && (left->rows != right->rows || left->cols != right->cols)) {
        struct diag *diag =
            ck_error(ck, DIAG_E0210, node->op_range,
                     "%s needs things of one size, but these are "
                     "%s and %s",
                     doing, v_kind(ck, left), v_kind(ck, right));
        CK_NOTE(ck, diag, node->a->range, "%s", v_kind(ck, left));
        CK_NOTE(ck, diag, node->b->range, "%s", v_kind(ck, right));
        return v_poison(node->range);
    }
    const struct dim **dims = NULL;
    if (!any && (left->dims || right->dims)) {
        dims = mx_agree(ck, node, doing, left, node->a, right, node->b);
        dim = dim_pure(ck->dims);
        bare = false;
        if (!dims)
            return v_poison(node->range);
    } else if (!v_agree(ck, node, doing, left, node->a, right, node->b, &dim,
                        &bare)) {
        return v_poison(node->range);
    }
    if (any)
        return v_any(ck, dim, node->range);
    struct value result = v_array(ck, left->rows, left->cols, dim, node->range);
    result.bare = bare;
    result.dims = dims;
    for (size_t i = 0; i < (size_t)result.rows * result.cols; i++)
        result.e[i] = sub ? ex_sub(ck->g, left->e[i], right->e[i])
                          : ex_add(ck->g, left->e[i], right->e[i]);
    return mx_done(ck, result);
}

static struct value
divide(struct check *ck, const struct ast_expr *node, const struct value *left,
       const struct value *right)
{
    if (!numeric(left))
        return ck_no_arithmetic(ck, node, "a quotient", left, node->a);
    if (!numeric(right))
        return ck_no_arithmetic(ck, node, "a quotient", right, node->b);
    if (!v_is_scalar(right)) {
        struct diag *diag = ck_error(
            ck, DIAG_E0210, node->b->range,
            "the divisor is one number, but this is %s", v_kind(ck, right));
        if (right->rows == right->cols && right->rows > 1)
            CK_HELP(ck, diag, "write solve(M, v), or inv(M)*v");
        return v_poison(node->range);
    }
    double number;
    if (v_const(right, &number) && number == 0) {
        ck_error(ck, DIAG_E0216, node->op_range, "this divides by zero");
        return v_poison(node->range);
    }
    const struct dim *pure = dim_pure(ck->dims);
    const struct dim *dim = dim_div(ck->dims, left->bare ? pure : left->dim,
                                    right->bare ? pure : right->dim);
    if (left->kind == V_ANY || right->kind == V_ANY)
        return v_any(ck, dim, node->range);
    struct value result = v_array(ck, left->rows, left->cols, dim, node->range);
    size_t count = (size_t)result.rows * result.cols;
    result.bare = left->bare && right->bare;
    for (size_t i = 0; i < count; i++)
        result.e[i] = ex_div(ck->g, left->e[i], right->e[0]);
    if (!left->dims)
        return result;
    result.dims = NEW_N(ck->arena, const struct dim *, count);
    for (size_t i = 0; i < count; i++) {
        const struct dim *d = mx_dim(ck, left, i);
        result.dims[i] =
            d && !right->bare ? dim_div(ck->dims, d, right->dim) : d;
    }
    return mx_done(ck, result);
}

struct value
ck_power(struct check *ck, const struct ast_expr *node, struct value base,
         const struct ast_expr *ea, struct value exponent,
         const struct ast_expr *eb)
{
    assert(ck && node && ea && eb);
    if (!numeric(&base))
        return ck_no_arithmetic(ck, node, "a power", &base, ea);
    if (!numeric(&exponent))
        return ck_no_arithmetic(ck, node, "a power", &exponent, eb);
    if (!v_is_scalar(&base) || !v_is_scalar(&exponent)) {
        const struct value *w = v_is_scalar(&base) ? &exponent : &base;
        struct diag *diag =
            ck_error(ck, DIAG_E0210, w == &base ? ea->range : eb->range,
                     "a power takes numbers, but this is %s", v_kind(ck, w));
        if (w == &base)
            CK_HELP(ck, diag,
                    base.cols == 1 ? "the square of a vector is dot(v, v)"
                                   : "write the product out: M*M");
        return v_poison(node->range);
    }
    const struct dim *pure = dim_pure(ck->dims);
    if (!exponent.bare && !dim_unify(ck->dims, exponent.dim, pure, eb->range)) {
        struct diag *diag =
            ck_error(ck, DIAG_E0204, eb->range,
                     "an exponent is a pure number, but this is "
                     "%s",
                     dim_say(ck->dims, exponent.dim));
        v_explain(ck, diag, eb);
        return v_poison(node->range);
    }
    double number;
    struct ratio q;
    const struct dim *dim;
    if (v_const(&exponent, &number) && ratio_of(number, &q)) {
        dim = base.bare ? pure : dim_pow(ck->dims, base.dim, q);
    } else {
        dim = pure;
        if (!base.bare && !dim_unify(ck->dims, base.dim, pure, ea->range)) {
            struct diag *diag = ck_error(
                ck, DIAG_E0205, ea->range,
                "this is %s, and its exponent is no simple number that "
                "is written out",
                dim_say(ck->dims, base.dim));
            CK_NOTE(ck, diag, eb->range, "the exponent");
            v_explain(ck, diag, ea);
            CK_HELP(ck, diag,
                    "the dimension of the power would depend on a value: "
                    "divide the base by a scale, as in (x/a)^p");
            return v_poison(node->range);
        }
    }
    if (base.kind == V_ANY || exponent.kind == V_ANY)
        return v_any(ck, dim, node->range);
    struct value result =
        v_num(ck, ex_pow(ck->g, base.e[0], exponent.e[0]), dim, node->range);
    result.bare = base.bare && exponent.bare;
    return result;
}

static struct value
compare(struct check *ck, const struct ast_expr *node, const struct value *left,
        const struct value *right)
{
    const struct dim *dim;
    bool bare, eq = node->op == AST_EQ || node->op == AST_NE;
    if (left->kind == V_POISON || right->kind == V_POISON)
        return v_poison(node->range);
    if (left->kind == V_TRUTH && right->kind == V_TRUTH && eq)
        return v_truth(ck,
                       ex_op(ck->g, node->op == AST_EQ ? IMP_OP_EQ : IMP_OP_NE,
                             left->e[0], right->e[0], NULL),
                       node->range);
    if (!numeric(left))
        return ck_no_arithmetic(ck, node, "a comparison", left, node->a);
    if (!numeric(right))
        return ck_no_arithmetic(ck, node, "a comparison", right, node->b);
    if (!v_is_scalar(left) || !v_is_scalar(right)) {
        struct diag *diag =
            ck_error(ck, DIAG_E0221, node->op_range,
                     "only single numbers are compared, but this is %s",
                     v_kind(ck, v_is_scalar(left) ? right : left));
        CK_HELP(ck, diag, "compare a size: norm(a - b) < 1e-9");
        return v_poison(node->range);
    }
    if (!v_agree(ck, node, "a comparison", left, node->a, right, node->b, &dim,
                 &bare))
        return v_poison(node->range);
    const expr *left_leaf = left->e[0], *right_leaf = right->e[0], *truth;
    switch (node->op) {
    case AST_LT:
        truth = ex_op(ck->g, IMP_OP_LT, left_leaf, right_leaf, NULL);
        break;
    case AST_LE:
        truth = ex_op(ck->g, IMP_OP_LE, left_leaf, right_leaf, NULL);
        break;
    case AST_GT:
        truth = ex_op(ck->g, IMP_OP_LT, right_leaf, left_leaf, NULL);
        break;
    case AST_GE:
        truth = ex_op(ck->g, IMP_OP_LE, right_leaf, left_leaf, NULL);
        break;
    case AST_EQ:
        truth = ex_op(ck->g, IMP_OP_EQ, left_leaf, right_leaf, NULL);
        break;
    default:
        truth = ex_op(ck->g, IMP_OP_NE, left_leaf, right_leaf, NULL);
        break;
    }
    return v_truth(ck, truth, node->range);
}

bool
ck_need_truth(struct check *ck, const struct value *value,
              const struct ast_expr *node, const char *what)
{
    assert(ck && value && node && what);
    if (value->kind == V_TRUTH || value->kind == V_ANY)
        return true;
    if (value->kind == V_POISON)
        return false;
    struct diag *diag = ck_error(ck, DIAG_E0213, node->range,
                                 "%s is true or false, but this is %s", what,
                                 v_kind(ck, value));
    CK_HELP(ck, diag, "compare it with something, as in a < b");
    return false;
}

struct value
ck_binary(struct check *ck, const struct ast_expr *node,
          const struct value *left, const struct value *right)
{
    assert(ck && node && left && right);
    if (left->kind == V_POISON || right->kind == V_POISON)
        return v_poison(node->range);
    graph_origin(ck->g, node->range);
    switch (node->op) {
    case AST_ADD:
    case AST_SUB:
        return add_sub(ck, node, left, right);
    case AST_MUL:
        if (!numeric(left))
            return ck_no_arithmetic(ck, node, "a product", left, node->a);
        if (!numeric(right))
            return ck_no_arithmetic(ck, node, "a product", right, node->b);
        return lin_mul(ck, node, left, right);
    case AST_DIV:
        return divide(ck, node, left, right);
    case AST_POW:
        return ck_power(ck, node, *left, node->a, *right, node->b);
    case AST_AND:
    case AST_OR: {
        const char *what =
            node->op == AST_AND ? "each side of `and`" : "each side of `or`";
        bool ok = ck_need_truth(ck, left, node->a, what);
        if (!ck_need_truth(ck, right, node->b, what) || !ok)
            return v_poison(node->range);
        return v_truth(ck,
                       ex_op(ck->g,
                             node->op == AST_AND ? IMP_OP_AND : IMP_OP_OR,
                             left->e[0], right->e[0], NULL),
                       node->range);
    }
    default:
        return compare(ck, node, left, right);
    }
}

struct value
ck_choice(struct check *ck, const struct ast_expr *node,
          const struct value *condition, const struct value *left,
          const struct value *right)
{
    assert(ck && node && condition && left && right);
    bool ok = ck_need_truth(ck, condition, node->a, "the condition of `if`");
    if (!ok || left->kind == V_POISON || right->kind == V_POISON)
        return v_poison(node->range);
    graph_origin(ck->g, node->range);
    if (left->kind == V_TRUTH && right->kind == V_TRUTH)
        return v_truth(ck,
                       ex_op(ck->g, IMP_OP_SELECT, condition->e[0], left->e[0],
                             right->e[0]),
                       node->range);
    bool any = left->kind == V_ANY || right->kind == V_ANY;
    if (!numeric(left) || !numeric(right) ||
        (!any && (left->rows != right->rows || left->cols != right->cols))) {
        struct diag *diag =
            ck_error(ck, DIAG_E0223, node->range,
                     "both branches of `if` are of one kind, but these are %s "
                     "and %s",
                     v_kind(ck, left), v_kind(ck, right));
        CK_NOTE(ck, diag, node->b->range, "%s", v_kind(ck, left));
        CK_NOTE(ck, diag, node->c->range, "%s", v_kind(ck, right));
        return v_poison(node->range);
    }
    const struct dim *dim;
    bool bare;
    if (any && (left->dims || right->dims))
        return v_any(ck, dim_fresh(ck->dims, node->range), node->range);
    const struct dim **dims = NULL;
    if (!any && (left->dims || right->dims)) {
        dims = mx_agree(ck, node, "an `if`", left, node->b, right, node->c);
        dim = dim_pure(ck->dims);
        bare = false;
        if (!dims)
            return v_poison(node->range);
    } else if (!v_agree(ck, node, "an `if`", left, node->b, right, node->c,
                        &dim, &bare)) {
        return v_poison(node->range);
    }
    if (any || condition->kind == V_ANY)
        return v_any(ck, dim, node->range);
    struct value result = v_array(ck, left->rows, left->cols, dim, node->range);
    result.bare = bare;
    result.dims = dims;
    for (size_t i = 0; i < (size_t)result.rows * result.cols; i++)
        result.e[i] = ex_op(ck->g, IMP_OP_SELECT, condition->e[0], left->e[i],
                            right->e[i]);
    return mx_done(ck, result);
}
