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
    return value->kind == VALUE_NUM || value->kind == VALUE_ANY;
}

struct value
check_no_arithmetic(struct check *ck, const struct ast_expr *at,
                    const char *doing, const struct value *value,
                    const struct ast_expr *node)
{
    assert(ck && at && doing && value && node);
    if (value->kind == VALUE_POISON)
        return value_poison(at->range);
    bool record = value->kind == VALUE_RESULT || value->kind == VALUE_FIELD;
    struct diag *diag = check_error(
        ck, record ? DIAG_E0224 : DIAG_E0209, node->range,
        "%s takes numbers, but this is %s", doing, value_kind_text(ck, value));
    if (value->kind == VALUE_RESULT) {
        const struct tm_command *cmd = &ck->lists.commands.v[value->ref];
        const char *names[64];
        size_t count = 0;
        for (; count < cmd->n_fields && count < 64; count++)
            names[count] = cmd->fields[count].name;
        if (count)
            CHECK_HELP(ck, diag, "take one of its fields: %s",
                       check_join(ck, names, count, "or"));
    } else if (value->kind == VALUE_FIELD) {
        CHECK_HELP(ck, diag,
                   "take one entry, as in %s[0], or max(...), min(...)",
                   expr_label(ck, node));
    } else if (value->kind == VALUE_LIST) {
        CHECK_HELP(ck, diag,
                   "take one entry, as in v[0], or sum(...), max(...)");
    } else if (value->kind == VALUE_TEXT && !strcmp(doing, "a sum")) {
        CHECK_HELP(ck, diag,
                   "texts are not joined; `show` takes several values: show "
                   "\"a is\", a");
    } else if (value->kind == VALUE_TRUTH) {
        CHECK_HELP(ck, diag, "a condition as a number: if %s then 1 else 0",
                   expr_label(ck, node->kind == AST_PAREN ? node->a : node));
    } else if (value->kind == VALUE_BODY) {
        CHECK_HELP(ck, diag, "take a quantity of it, as in %s.position",
                   ck->lists.bodies.v[value->ref].name);
    } else if (value->kind == VALUE_CONTACT) {
        CHECK_HELP(ck, diag, "its gap is gap(%s)",
                   ck->lists.contacts.v[value->ref].name);
    }
    return value_poison(at->range);
}

/* The name or field of which a term is a multiple; NULL: it is made of others.
 */
static const struct ast_expr *
entry_named(const struct ast_expr *node)
{
    while (node->kind == AST_PAREN ||
           (node->kind == AST_BINARY &&
            (node->op == AST_MUL || node->op == AST_DIV)))
        node = node->kind == AST_PAREN || node->op == AST_DIV ||
                       node->b->kind == AST_NUM
                   ? node->a
                   : node->b;
    return node->kind == AST_NAME || node->kind == AST_FIELD ||
                   node->kind == AST_INDEX
               ? node
               : NULL;
}

static struct value
add_sub(struct check *ck, const struct ast_expr *node, const struct value *left,
        const struct value *right)
{
    const struct dim *dim;
    bool bare, sub = node->op == AST_SUB;
    const char *doing = sub ? "a difference" : "a sum";
    if (!numeric(left))
        return check_no_arithmetic(ck, node, doing, left, node->a);
    if (!numeric(right))
        return check_no_arithmetic(ck, node, doing, right, node->b);
    bool any = left->kind == VALUE_ANY || right->kind == VALUE_ANY;
    if (any && (left->dims || right->dims))
        return value_any(ck, dim_fresh(ck->dims, node->range), node->range);
    if (!any && (left->rows != right->rows || left->cols != right->cols)) {
        struct diag *diag = check_error(
            ck, DIAG_E0210, node->op_range,
            "%s needs things of one size, but these are "
            "%s and %s",
            doing, value_kind_text(ck, left), value_kind_text(ck, right));
        CHECK_NOTE(ck, diag, node->a->range, "%s", value_kind_text(ck, left));
        CHECK_NOTE(ck, diag, node->b->range, "%s", value_kind_text(ck, right));
        bool one = left->rows == 1 && right->rows > 1;
        const struct ast_expr *vector =
            one ? entry_named(node->b) : entry_named(node->a);
        bool plain = left->cols == 1 && right->cols == 1 &&
                     (one || right->rows == 1) && vector;
        if (plain && value_is_entry(ck, one ? right : left))
            CHECK_HELP(ck, diag,
                       "each vector takes a vector, %s %s %s; lists of numbers "
                       "are its parts, %s.x, and the lengths, norm(%s)",
                       expr_label(ck, vector), sub ? "-" : "+",
                       (one ? right : left)->rows == 2 ? "(1, 2)" : "(1, 2, 3)",
                       expr_label(ck, vector), expr_label(ck, vector));
        else if (plain)
            CHECK_HELP(ck, diag,
                       "take one entry, as in %s[0], or its length, norm(%s)",
                       expr_label(ck, vector), expr_label(ck, vector));
        else if (left->cols == 1 && right->cols == 1 &&
                 (left->rows == 1 || right->rows == 1))
            CHECK_HELP(ck, diag,
                       "if it is a list of numbers, whose entries are meant "
                       "one by one: entries((1, 2, 3)) + 1");
        return value_poison(node->range);
    }
    const struct dim **dims = NULL;
    if (!any && (left->dims || right->dims)) {
        dims = matrix_agree(ck, node, doing, left, node->a, right, node->b);
        dim = dim_pure(ck->dims);
        bare = false;
        if (!dims)
            return value_poison(node->range);
    } else if (!value_agree(ck, node, doing, left, node->a, right, node->b,
                            &dim, &bare)) {
        return value_poison(node->range);
    }
    if (any)
        return value_any(ck, dim, node->range);
    struct value result =
        value_array(ck, left->rows, left->cols, dim, node->range);
    result.bare = bare;
    result.dims = dims;
    for (size_t i = 0; i < (size_t)result.rows * result.cols; i++)
        result.e[i] = sub ? ex_sub(ck->g, left->e[i], right->e[i])
                          : ex_add(ck->g, left->e[i], right->e[i]);
    return matrix_done(ck, result);
}

static struct value
divide(struct check *ck, const struct ast_expr *node, const struct value *left,
       const struct value *right)
{
    if (!numeric(left))
        return check_no_arithmetic(ck, node, "a quotient", left, node->a);
    if (!numeric(right))
        return check_no_arithmetic(ck, node, "a quotient", right, node->b);
    if (!value_is_scalar(right)) {
        struct diag *diag =
            check_error(ck, DIAG_E0210, node->b->range,
                        "the divisor is one number, but this is %s",
                        value_kind_text(ck, right));
        if (right->rows == right->cols && right->rows > 1)
            CHECK_HELP(ck, diag, "write solve(M, v), or inv(M)*v");
        return value_poison(node->range);
    }
    double number;
    if (value_const(right, &number) && number == 0) {
        check_error(ck, DIAG_E0216, node->op_range, "this divides by zero");
        return value_poison(node->range);
    }
    const struct dim *pure = dim_pure(ck->dims);
    const struct dim *dim = dim_div(ck->dims, left->bare ? pure : left->dim,
                                    right->bare ? pure : right->dim);
    if (left->kind == VALUE_ANY || right->kind == VALUE_ANY)
        return value_any(ck, dim, node->range);
    struct value result =
        value_array(ck, left->rows, left->cols, dim, node->range);
    size_t count = (size_t)result.rows * result.cols;
    result.bare = left->bare && right->bare;
    for (size_t i = 0; i < count; i++)
        result.e[i] = ex_div(ck->g, left->e[i], right->e[0]);
    if (!left->dims)
        return result;
    result.dims = NEW_N(ck->arena, const struct dim *, count);
    for (size_t i = 0; i < count; i++) {
        const struct dim *d = matrix_dim(ck, left, i);
        result.dims[i] =
            d && !right->bare ? dim_div(ck->dims, d, right->dim) : d;
    }
    return matrix_done(ck, result);
}

struct value
check_power(struct check *ck, const struct ast_expr *node, struct value base,
            const struct ast_expr *ea, struct value exponent,
            const struct ast_expr *eb)
{
    assert(ck && node && ea && eb);
    if (!numeric(&base))
        return check_no_arithmetic(ck, node, "a power", &base, ea);
    if (!numeric(&exponent))
        return check_no_arithmetic(ck, node, "a power", &exponent, eb);
    if (!value_is_scalar(&base) || !value_is_scalar(&exponent)) {
        const struct value *w = value_is_scalar(&base) ? &exponent : &base;
        struct diag *diag = check_error(
            ck, DIAG_E0210, w == &base ? ea->range : eb->range,
            "a power takes numbers, but this is %s", value_kind_text(ck, w));
        if (w == &base)
            CHECK_HELP(ck, diag,
                       base.cols == 1 ? "the square of a vector is dot(v, v), "
                                        "its entries one by one are "
                                        "entries(v)^2"
                                      : "write the product out: M*M");
        return value_poison(node->range);
    }
    const struct dim *pure = dim_pure(ck->dims);
    if (!exponent.bare && !dim_unify(ck->dims, exponent.dim, pure, eb->range)) {
        struct diag *diag =
            check_error(ck, DIAG_E0204, eb->range,
                        "an exponent is a pure number, but this is "
                        "%s",
                        dim_say(ck->dims, exponent.dim));
        value_explain(ck, diag, eb);
        return value_poison(node->range);
    }
    double number;
    struct ratio q;
    const struct dim *dim;
    if (value_const(&exponent, &number) && ratio_of(number, &q)) {
        dim = base.bare ? pure : dim_pow(ck->dims, base.dim, q);
    } else {
        dim = pure;
        if (!base.bare && !dim_unify(ck->dims, base.dim, pure, ea->range)) {
            struct diag *diag = check_error(
                ck, DIAG_E0205, ea->range,
                "this is %s, and its exponent is no simple number that "
                "is written out",
                dim_say(ck->dims, base.dim));
            CHECK_NOTE(ck, diag, eb->range, "the exponent");
            value_explain(ck, diag, ea);
            CHECK_HELP(ck, diag,
                       "the dimension of the power would depend on a value: "
                       "divide the base by a scale, as in (x/a)^p");
            return value_poison(node->range);
        }
    }
    if (base.kind == VALUE_ANY || exponent.kind == VALUE_ANY)
        return value_any(ck, dim, node->range);
    struct value result = value_num(ck, ex_pow(ck->g, base.e[0], exponent.e[0]),
                                    dim, node->range);
    result.bare = base.bare && exponent.bare;
    return result;
}

/* What else can be compared of a vector. */
static void
vector_helps(struct check *ck, struct diag *diag, const struct ast_expr *node,
             const struct value *left, const struct value *right)
{
    const struct value *of = value_is_scalar(left) ? right : left;
    const char *text = expr_label(ck, of == left ? node->a : node->b);
    if (of->kind == VALUE_NUM && of->cols == 1)
        CHECK_HELP(ck, diag,
                   "compare a size, norm(a - b) < 1e-9, or its entries one by "
                   "one, as in count(entries(%s) < 1)",
                   text);
    else
        CHECK_HELP(ck, diag, "compare a size: norm(a - b) < 1e-9");
}

static struct value
compare(struct check *ck, const struct ast_expr *node, const struct value *left,
        const struct value *right)
{
    const struct dim *dim;
    bool bare, eq = node->op == AST_EQ || node->op == AST_NE;
    if (left->kind == VALUE_POISON || right->kind == VALUE_POISON)
        return value_poison(node->range);
    if (left->kind == VALUE_TRUTH && right->kind == VALUE_TRUTH && eq)
        return value_truth(ck,
                           ex_op(ck->g,
                                 node->op == AST_EQ ? IMP_OP_EQ : IMP_OP_NE,
                                 left->e[0], right->e[0], NULL),
                           node->range);
    const struct value *open = left->kind == VALUE_ANY ? left : right,
                       *text = left->kind == VALUE_ANY ? right : left;
    if (open->kind == VALUE_ANY && text->kind == VALUE_TEXT && eq)
        return value_truth(
            ck, ex_op(ck->g, IMP_OP_EQ, open->e[0], ex_num(ck->g, 0), NULL),
            node->range);
    if (!numeric(left))
        return check_no_arithmetic(ck, node, "a comparison", left, node->a);
    if (!numeric(right))
        return check_no_arithmetic(ck, node, "a comparison", right, node->b);
    if (!value_is_scalar(left) || !value_is_scalar(right)) {
        struct diag *diag = check_error(
            ck, DIAG_E0221, node->op_range,
            "only single numbers are compared, but this is %s",
            value_kind_text(ck, value_is_scalar(left) ? right : left));
        vector_helps(ck, diag, node, left, right);
        return value_poison(node->range);
    }
    if (!value_agree(ck, node, "a comparison", left, node->a, right, node->b,
                     &dim, &bare))
        return value_poison(node->range);
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
    return value_truth(ck, truth, node->range);
}

bool
check_need_truth(struct check *ck, const struct value *value,
                 const struct ast_expr *node, const char *what)
{
    assert(ck && value && node && what);
    if (value->kind == VALUE_TRUTH || value->kind == VALUE_ANY)
        return true;
    if (value->kind == VALUE_POISON)
        return false;
    struct diag *diag = check_error(ck, DIAG_E0213, node->range,
                                    "%s is true or false, but this is %s", what,
                                    value_kind_text(ck, value));
    CHECK_HELP(ck, diag, "compare it with something, as in a < b");
    return false;
}

struct value
check_binary(struct check *ck, const struct ast_expr *node,
             const struct value *left, const struct value *right)
{
    assert(ck && node && left && right);
    if (left->kind == VALUE_POISON || right->kind == VALUE_POISON)
        return value_poison(node->range);
    graph_origin(ck->g, node->range);
    switch (node->op) {
    case AST_ADD:
    case AST_SUB:
        return add_sub(ck, node, left, right);
    case AST_MUL:
        if (!numeric(left))
            return check_no_arithmetic(ck, node, "a product", left, node->a);
        if (!numeric(right))
            return check_no_arithmetic(ck, node, "a product", right, node->b);
        return lin_mul(ck, node, left, right);
    case AST_DIV:
        return divide(ck, node, left, right);
    case AST_POW:
        return check_power(ck, node, *left, node->a, *right, node->b);
    case AST_AND:
    case AST_OR: {
        const char *what =
            node->op == AST_AND ? "each side of `and`" : "each side of `or`";
        bool ok = check_need_truth(ck, left, node->a, what);
        if (!check_need_truth(ck, right, node->b, what) || !ok)
            return value_poison(node->range);
        return value_truth(ck,
                           ex_op(ck->g,
                                 node->op == AST_AND ? IMP_OP_AND : IMP_OP_OR,
                                 left->e[0], right->e[0], NULL),
                           node->range);
    }
    default:
        return compare(ck, node, left, right);
    }
}

static bool
is_text(const struct check *ck, const struct value *value)
{
    if (value->kind != VALUE_FIELD)
        return value->kind == VALUE_TEXT || value->kind == VALUE_WORDS;
    int kind = ck->lists.commands.v[value->ref].fields[value->field].kind;
    return kind == IMP_FIELD_TEXT || kind == IMP_FIELD_TEXTS;
}

static struct value
no_choice_of_texts(struct check *ck, const struct ast_expr *node)
{
    struct diag *diag = check_error(
        ck, DIAG_E0223, node->range,
        "`if` chooses between numbers and conditions, but these are texts");
    CHECK_HELP(ck, diag,
               "show the condition itself, or a number for each text, "
               "if c then 1 else 0; what is compared with a text is chosen "
               "afterwards: if c then a == \"x\" else b == \"x\"");
    return value_poison(node->range);
}

struct value
check_choice(struct check *ck, const struct ast_expr *node,
             const struct value *condition, const struct value *left,
             const struct value *right)
{
    assert(ck && node && condition && left && right);
    bool ok = check_need_truth(ck, condition, node->a, "the condition of `if`");
    if (!ok || left->kind == VALUE_POISON || right->kind == VALUE_POISON)
        return value_poison(node->range);
    graph_origin(ck->g, node->range);
    if (left->kind == VALUE_TRUTH && right->kind == VALUE_TRUTH)
        return value_truth(ck,
                           ex_op(ck->g, IMP_OP_SELECT, condition->e[0],
                                 left->e[0], right->e[0]),
                           node->range);
    bool any = left->kind == VALUE_ANY || right->kind == VALUE_ANY;
    if (!numeric(left) || !numeric(right) ||
        (!any && (left->rows != right->rows || left->cols != right->cols))) {
        if (is_text(ck, left) && is_text(ck, right))
            return no_choice_of_texts(ck, node);
        struct diag *diag = check_error(
            ck, DIAG_E0223, node->range,
            "both branches of `if` are of one kind, but these are %s "
            "and %s",
            value_kind_text(ck, left), value_kind_text(ck, right));
        CHECK_NOTE(ck, diag, node->b->range, "%s", value_kind_text(ck, left));
        CHECK_NOTE(ck, diag, node->c->range, "%s", value_kind_text(ck, right));
        return value_poison(node->range);
    }
    const struct dim *dim;
    bool bare;
    if (any && (left->dims || right->dims))
        return value_any(ck, dim_fresh(ck->dims, node->range), node->range);
    const struct dim **dims = NULL;
    if (!any && (left->dims || right->dims)) {
        dims = matrix_agree(ck, node, "an `if`", left, node->b, right, node->c);
        dim = dim_pure(ck->dims);
        bare = false;
        if (!dims)
            return value_poison(node->range);
    } else if (!value_agree(ck, node, "an `if`", left, node->b, right, node->c,
                            &dim, &bare)) {
        return value_poison(node->range);
    }
    if (any || condition->kind == VALUE_ANY)
        return value_any(ck, dim, node->range);
    struct value result =
        value_array(ck, left->rows, left->cols, dim, node->range);
    result.bare = bare;
    result.dims = dims;
    for (size_t i = 0; i < (size_t)result.rows * result.cols; i++)
        result.e[i] = ex_op(ck->g, IMP_OP_SELECT, condition->e[0], left->e[i],
                            right->e[i]);
    return matrix_done(ck, result);
}
