/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions: syntax to values. A value's numbers are nodes of the graph in
 * SI units, with one dimension (or the freedom of a bare constant, see
 * language.md, principle 3). Long sums are walked in a loop; other recursion
 * is limited, as is the total work of expansions. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/context/corners.h"
#include "check/context/stdlib.h"
#include "check/expressions/expressions.h"

#define DEPTH_MAX 1200
#define STEPS_MAX 2000000u

bool
check_enter(struct check *ck, imp_range range)
{
    assert(ck);
    ck->expansion.steps += ck->expansion.open != 0;
    if (!ck->expansion.spent && ck->expansion.depth < DEPTH_MAX &&
        ck->expansion.steps < STEPS_MAX) {
        ck->expansion.depth++;
        return true;
    }
    if (!ck->expansion.spent) {
        ck->expansion.spent = true;
        struct diag *diag = check_error(
            ck, DIAG_E0910, range,
            ck->expansion.depth >= DEPTH_MAX
                ? "this is nested too deeply (more than %u levels)"
                : "the functions of this model expand to more than %u steps",
            ck->expansion.depth >= DEPTH_MAX ? DEPTH_MAX : STEPS_MAX);
        CHECK_HELP(ck, diag, "%s",
                   ck->expansion.depth < DEPTH_MAX
                       ? "each call is expanded anew: give what is needed "
                         "twice a name with `let`, or take `sum` of a list"
                       : "give parts of it names of their own with `let`, each "
                         "behind those that it reads");
    }
    return false;
}

const struct ast_expr *
ast_unwrap(const struct ast_expr *node)
{
    assert(node != NULL);
    while (node && node->kind == AST_PAREN && !node->unit)
        node = node->a;
    return node;
}

/* -- constants ------------------------------------------------------------ */

static double
no_leaf(void *ctx, const expr *leaf)
{
    (void)ctx;
    (void)leaf;
    return NAN;
}
/* Is the constant finite? The graph keeps an operation of literals that has no
 * finite value. */
static bool
finite_constant(struct check *ck, const expr *expression)
{
    if (ex_is_const(expression))
        return isfinite(expression->num);
    if (!expression->a || !ex_is_const(expression->a) ||
        (expression->b && !ex_is_const(expression->b)) ||
        (expression->c && !ex_is_const(expression->c)))
        return true;
    return isfinite(ex_value(ck->g, expression, no_leaf, NULL));
}

/* A result of literals that is no number is the user's mistake, and is reported
 * here. */
static struct value
folded(struct check *ck, const struct ast_expr *node, struct value value)
{
    if (value.kind != VALUE_NUM)
        return value;
    for (size_t i = 0; i < (size_t)value.rows * value.cols; i++)
        if (!finite_constant(ck, value.e[i])) {
            struct diag *diag = check_error(ck, DIAG_E0217, node->range,
                                            "this has no finite value");
            CHECK_HELP(ck, diag,
                       "the numbers written here give an infinity or no number "
                       "at all, as sqrt(-1) or log(0) do");
            return value_poison(node->range);
        }
    return value;
}

/* -- compound ------------------------------------------------------------- */

/* Texts of results are compared here. Everything else is arithmetic of values.
 */
static struct value
binary(struct check *ck, const struct ast_expr *node, const struct value *left,
       const struct value *right)
{
    bool compared = node->op >= AST_LT && node->op <= AST_NE;
    struct value same;
    if (compared && texts_compare(ck, node, left, right, &same))
        return same;
    if (compared && texts_compared(ck, left, right))
        return left->kind == VALUE_FIELD ? field_compare(ck, node, left, right)
                                         : field_compare(ck, node, right, left);
    if (compared && left->kind != VALUE_POISON && right->kind != VALUE_POISON &&
        (left->kind == VALUE_WORDS || right->kind == VALUE_WORDS))
        return left->kind == VALUE_WORDS ? words_compare(ck, node, left, right)
                                         : words_compare(ck, node, right, left);
    if (left->kind == VALUE_COLUMN || right->kind == VALUE_COLUMN ||
        ((value_is_list(ck, left) || value_is_list(ck, right)) &&
         left->kind != VALUE_POISON && right->kind != VALUE_POISON))
        return list_binary(ck, node, left, right);
    return check_binary(ck, node, left, right);
}

/* The left side of a + b + c ... is followed in a loop, because it may have
 * 10^5 terms. */
static struct value
spine(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    size_t count = 0;
    const struct ast_expr *inner = node, *at = node;
    for (; inner->kind == AST_BINARY && !inner->refused; inner = inner->a)
        count++;
    const struct ast_expr **nodes =
        NEW_N(ck->arena, const struct ast_expr *, count);
    for (size_t k = count; k > 0; at = at->a)
        nodes[--k] = at;
    struct value value = check_expr(ck, env, inner);
    for (size_t i = 0; i < count; i++) {
        struct value b = check_expr(ck, env, nodes[i]->b);
        bool of_all = value.of_all || b.of_all;
        value = folded(ck, nodes[i], binary(ck, nodes[i], &value, &b));
        value.of_all = of_all;
        if (dims_overflowed(ck->dims)) {
            check_error(ck, DIAG_E0220, nodes[i]->range,
                        "the exponents of this dimension are too large");
            value = value_poison(node->range);
        }
    }
    return value;
}

static struct value
array(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    uint32_t count = (uint32_t)node->n_list;
    bool matrix = node->kind == AST_MATRIX;
    uint32_t cols = matrix ? (uint32_t)(node->cols ? node->cols : count) : 1;
    if (!count || count % cols)
        return value_poison(node->range); /* The parser has reported this. */
    struct value result =
        value_array(ck, count / cols, cols, NULL, node->range);
    const struct ast_expr *first = NULL;
    struct value like = {.kind = VALUE_POISON}; /* an entry that is a list */
    bool ok = true;
    result.bare = true;
    result.dim = dim_pure(ck->dims);
    for (uint32_t entry = 0; entry < count; entry++) {
        struct value value = check_expr(ck, env, node->list[entry]);
        if (value.kind == VALUE_POISON) {
            ok = false;
            continue;
        }
        if (!matrix && value_is_list(ck, &value)) {
            value = list_column(ck, &value, expr_label(ck, node->list[entry]));
            like = value;
            value = list_entry(&value);
        }
        if (!value_is_scalar(&value)) {
            struct diag *diag = check_error(
                ck, DIAG_E0209, node->list[entry]->range,
                "an entry of a %s is one number, but this is %s",
                matrix ? "matrix" : "vector", value_kind_text(ck, &value));
            if (value.kind == VALUE_NUM)
                CHECK_HELP(ck, diag,
                           "a matrix is written with its rows apart by "
                           "semicolons: [1, 2; 3, 4]");
            ok = false;
            break; /* The other entries are of the same kind, and would give the
                      same error. */
        }
        result.e[entry] = value.e[0];
        if (value.bare)
            continue;
        if (result.bare) {
            result.bare = false;
            result.dim = value.dim;
            first = node->list[entry];
        } else if (!dim_unify(ck->dims, result.dim, value.dim,
                              node->list[entry]->range)) {
            struct diag *diag = check_error(
                ck, DIAG_E0201, node->list[entry]->range,
                "the entries of a %s have one dimension, but these are %s "
                "and %s",
                matrix ? "matrix" : "vector", dim_say(ck->dims, result.dim),
                dim_say(ck->dims, value.dim));
            CHECK_NOTE(ck, diag, first->range, "this is %s",
                       dim_say(ck->dims, result.dim));
            value_explain(ck, diag, first);
            value_explain(ck, diag, node->list[entry]);
            ok = false;
        }
    }
    if (!ok)
        return value_poison(node->range);
    result = unit_applied(ck, node, result);
    return like.kind == VALUE_COLUMN ? list_of_entry(&result, &like, 1)
                                     : result;
}

/* The number of an entry among `count`. Those of lists count from the end, too:
 * -1 is the last. */
static bool
index_of(struct check *ck, const struct env *env, const struct ast_expr *node,
         uint32_t count, bool list, uint32_t *index)
{
    struct value value = check_expr(ck, env, node);
    double number;
    if (!value_need_scalar(ck, &value, node, dim_pure(ck->dims), "an index"))
        return false;
    if (value.kind == VALUE_ANY) {
        *index = 0;
        return true;
    }
    if (!check_fixed(ck, value.e[0], &number) || number != floor(number)) {
        check_error(ck, DIAG_E0212, node->range,
                    "an index is a whole number made of literals and params");
        return false;
    }
    double place = list && number < 0 ? number + count : number;
    if (place < 0 || place >= count) {
        struct diag *diag =
            check_error(ck, DIAG_E0212, node->range,
                        "there is no entry %.0f among %u", number, count);
        if (!count)
            CHECK_HELP(ck, diag, "this list has no entries");
        else if (count == 1 && !list)
            CHECK_HELP(ck, diag,
                       "[a, b, c] is a matrix of one row, number 0: numbers "
                       "that are counted are written (a, b, c)");
        else
            CHECK_HELP(ck, diag, "entries are counted from 0: 0 .. %u%s",
                       count - 1, list ? "; the last one is -1" : "");
        return false;
    }
    *index = (uint32_t)place;
    return true;
}

static struct value
entry_of(struct check *ck, const struct value *value, size_t i, imp_range range)
{
    struct value result = value_num(ck, value->e[i], value->dim, range);
    result.bare = value->bare;
    if (value->dims) {
        result.dims = value->dims + i;
        result = matrix_done(ck, result);
    }
    return result;
}

/* Are several texts of a result taken, r.event_kinds[1 .. 3]? Then it is a list
 * of words. */
static void
texts_as_words(struct check *ck, const struct env *env,
               const struct ast_expr *node, struct value *value)
{
    if (!value_is_texts(ck, value) || node->n_list != 1)
        return;
    struct value at = check_expr(ck, env, node->list[0]);
    if (node->list[0]->kind == AST_RANGE || value_is_list(ck, &at) ||
        (at.kind == VALUE_NUM && at.rows > 1))
        *value = words_of_field(ck, value, expr_label(ck, node->a));
}

/* Takes entries of a field of a record. */
static struct value
field_indexed(struct check *ck, const struct env *env,
              const struct value *value, const struct ast_expr *node)
{
    int32_t index[2] = {0, 0};
    if (!field_takes_indices(ck, value, node->n_list, node->range))
        return value_poison(node->range);
    for (size_t k = 0; k < node->n_list; k++) {
        struct value at = check_expr(ck, env, node->list[k]);
        if (!index_number(ck, &at, node->list[k], &index[k]))
            return value_poison(node->range);
    }
    return field_entry(ck, value, index, node->n_list, node->range);
}

/* Is the index of an argument, of which nothing is known, one too, a condition,
 * a range or another list of places? */
static bool
may_select(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    if (node->n_list != 1)
        return false;
    struct value at = check_expr(ck, env, node->list[0]);
    return value_is_open(ck, &at) || value_is_list(ck, &at) ||
           (at.kind == VALUE_NUM && at.rows > 1 && at.cols == 1);
}

/* Is this a list with a range from an entry to one that is counted from the
 * end, as in a[1 .. -2]? Then `ends` has both numbers. */
static bool
range_to_end(struct check *ck, const struct env *env,
             const struct ast_expr *node, const struct value *list,
             double ends[2])
{
    if (node->n_list != 1 || node->list[0]->kind != AST_RANGE ||
        !(value_is_list(ck, list) || list->kind == VALUE_WORDS))
        return false;
    struct value from = check_expr(ck, env, node->list[0]->a),
                 to = check_expr(ck, env, node->list[0]->b);
    return from.kind == VALUE_NUM && from.rows == 1 && from.cols == 1 &&
           to.kind == VALUE_NUM && to.rows == 1 && to.cols == 1 &&
           dim_is_pure(ck->dims, from.dim) && dim_is_pure(ck->dims, to.dim) &&
           check_fixed(ck, from.e[0], &ends[0]) &&
           check_fixed(ck, to.e[0], &ends[1]) && ends[0] >= 0 && ends[1] < 0 &&
           ends[0] == floor(ends[0]) && ends[1] == floor(ends[1]);
}

/* Are several entries of this vector taken, v[1 .. 2]? Then it is a list. */
static bool
vector_as_list(struct check *ck, const struct env *env,
               const struct ast_expr *node, const struct value *value)
{
    if (value->kind != VALUE_NUM || value->cols != 1 || value->rows < 2 ||
        value->dims || value->series || node->n_list != 1)
        return false;
    struct value at = check_expr(ck, env, node->list[0]);
    return value_is_list(ck, &at) || (at.kind == VALUE_NUM && at.rows > 1);
}

static struct value
indexed(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    struct value value = check_expr(ck, env, node->a);
    if (vector_as_list(ck, env, node, &value))
        value.kind = VALUE_LIST;
    texts_as_words(ck, env, node, &value);
    uint32_t row, column;
    if (value.kind == VALUE_ANY && may_select(ck, env, node))
        return value_any(ck, value.dim, node->range);
    double ends[2];
    if (range_to_end(ck, env, node, &value, ends))
        return list_slice(ck, node, &value, ends);
    if (value_is_list(ck, &value) && node->n_list == 1) {
        struct value entries, at = check_expr(ck, env, node->list[0]);
        if (list_indexed(ck, node, &value, &at, &entries))
            return entries;
    }
    if (value.kind == VALUE_WORDS && node->n_list == 1) {
        struct value texts, at = check_expr(ck, env, node->list[0]);
        if (words_indexed(ck, node, &value, &at, &texts))
            return texts;
    }
    switch (value.kind) {
    case VALUE_POISON:
        return value_poison(node->range);
    case VALUE_ANY:
        for (size_t k = 0; k < node->n_list; k++)
            if (!index_of(ck, env, node->list[k], UINT32_MAX, true, &row))
                return value_poison(node->range);
        return value_any(ck, value.dim, node->range);
    case VALUE_FIELD:
        return field_indexed(ck, env, &value, node);
    case VALUE_FAMILY: {
        if (node->n_list != 1) {
            check_error(ck, DIAG_E0212, node->range, "a family has one index");
            return value_poison(node->range);
        }
        struct value at = check_expr(ck, env, node->list[0]);
        return family_member(ck, &value, &at, node->list[0], node->range);
    }
    case VALUE_NUM:
    case VALUE_LIST:
        if (value.rows * value.cols == 1 && value.kind == VALUE_NUM)
            break;
        if (node->n_list == 2 && value.cols > 1) {
            if (!index_of(ck, env, node->list[0], value.rows, false, &row) ||
                !index_of(ck, env, node->list[1], value.cols, false, &column))
                return value_poison(node->range);
            return entry_of(ck, &value, (size_t)row * value.cols + column,
                            node->range);
        }
        if (node->n_list != 1) {
            check_error(ck, DIAG_E0212, node->range,
                        value.cols > 1 ? "a matrix has two indices: M[0, 1]"
                                       : "a vector has one index: v[0]");
            return value_poison(node->range);
        }
        if (!index_of(ck, env, node->list[0], value.rows,
                      value.kind == VALUE_LIST, &row))
            return value_poison(node->range);
        struct value result =
            value_array(ck, value.cols, 1, value.dim, node->range);
        result.bare = value.bare;
        if (value.series) {
            result.dim = dim_mul(ck->dims, value.series,
                                 dim_mks(ck->dims, 0, 0, -(int)row));
            result.bare = false;
        }
        for (column = 0; column < value.cols; column++)
            result.e[column] = value.e[row * value.cols + column];
        result.dims = value.dims ? value.dims + (size_t)row * value.cols : NULL;
        return matrix_done(ck, result);
    default:
        break;
    }
    return value_no_entries(ck, node, &value, name_recorded(ck, env, node->a));
}

/* Makes the number of a family the one of the member that the expression names.
 * How many joints it names; 0: an error has been reported. */
static uint32_t
joint_member(struct check *ck, const struct env *env, const struct decl *decl,
             const struct ast_expr *node, uint32_t *index)
{
    bool family = decl->item->index.text != NULL;
    if (node->kind != AST_INDEX)
        return family ? decl->count : 1;
    if (!family || node->n_list != 1) {
        CHECK_HELP(
            ck,
            check_error(ck, DIAG_E0212, node->range,
                        family ? "a family has one index" : "`%s` is one joint",
                        decl->name),
            family ? "as in %s[%d]" : "%s alone", decl->name, decl->lo);
        return 0;
    }
    if (*index == UINT32_MAX)
        return 1; /* it is told that joints have no values yet */
    const struct value all = {.kind = VALUE_FAMILY,
                              .ref = *index,
                              .rows = decl->count,
                              .cols = (uint32_t)decl->lo,
                              .text = decl->name};
    struct value at = check_expr(ck, env, node->list[0]),
                 one = family_member(ck, &all, &at, node->list[0], node->range);
    *index = one.ref;
    return one.kind != VALUE_POISON ? 1 : 0;
}

/* What is asked of a joint, or of a family of joints. */
static struct value
field_of_joint(struct check *ck, const struct env *env,
               const struct decl *joint, const struct ast_expr *node)
{
    uint32_t index = joint->index, count = 0;
    if (index != UINT32_MAX || !ck->progress.joined)
        count = joint_member(ck, env, joint, node->a, &index);
    if (!count)
        return value_poison(node->range);
    struct value told = joint_field(ck, index, count, node->name.text,
                                    node->name.range, node->range);
    told.of_all = joint->item->index.text && node->a->kind == AST_NAME;
    return told;
}

static struct value
field(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    if (node->a->kind == AST_NAME) {
        struct module *lib = scope_library(env->module, node->a->name.text);
        if (lib && !scope_own(env->module, node->a->name.text)) {
            struct decl *decl = scope_own(lib, node->name.text);
            if (decl && (decl->kind == DECL_LET || decl->kind == DECL_PARAM))
                return check_decl(ck, decl, node->range);
            struct env le = {.module = lib};
            scope_unknown(ck, &le, node->name.text, node->name.range,
                          WANT_VALUE);
            return value_poison(node->range);
        }
    }
    const struct decl *joint = check_joint(ck, env, node->a);
    if (joint)
        return field_of_joint(ck, env, joint, node);
    const struct ast_expr *of;
    const char *name = name_of_column(ck, env, node, &of);
    struct value part, value = check_expr(ck, env, of);
    switch (value.kind) {
    case VALUE_POISON:
        return value_poison(node->range);
    case VALUE_BODY:
        return body_field(ck, value.ref, name, node->name.range, node->range);
    case VALUE_FAMILY:
        part = family_field(ck, &value, name, node->name.range, node->range);
        part.of_all = true;
        return part;
    case VALUE_CONTACT:
        return contact_field(ck, value.ref, name, node->name.range,
                             node->range);
    case VALUE_SYSTEM:
        return system_field(ck, value.ref, name, node->name.range, node->range);
    case VALUE_ROTOR:
        return rotor_field(ck, value.ref, name, node->name.range, node->range);
    case VALUE_RESULT:
        return result_field(ck, value.ref, name, node->name.range, node->range);
    case VALUE_TABLE:
        return table_field(ck, value.ref, name, node->name.range, node->range);
    case VALUE_ANY:
        if (name[1] == 0 && name[0] >= 'x' && name[0] <= 'z')
            return value_any(ck, value.dim, node->range);
        return value_any(ck, dim_fresh(ck->dims, node->range), node->range);
    case VALUE_FIELD:
        if (family_part(ck, &value, name, node, &part))
            return part;
        if (value_is_list(ck, &value))
            value = list_column(ck, &value, expr_label(ck, node->a));
        /* fall through */
    case VALUE_NUM:
    case VALUE_COLUMN:
        if (value.kind == VALUE_NUM && value.cols > 1 && name[1] == 0 &&
            name[0] >= 'x' && (uint32_t)(name[0] - 'x') < value.cols) {
            part = value_column(ck, &value, (uint32_t)(name[0] - 'x'),
                                node->range);
            part.of_all = value.of_all;
            return part;
        }
        if (value.kind != VALUE_FIELD && value.cols == 1 && value.rows > 1 &&
            name[1] == 0 && name[0] >= 'x' && name[0] <= 'z' &&
            (uint32_t)(name[0] - 'x') < value.rows) {
            part = entry_of(ck, &value, (size_t)(name[0] - 'x'), node->range);
            return value.kind == VALUE_COLUMN ? list_of_entry(&part, &value, 1)
                                              : part;
        }
        break;
    default:
        break;
    }
    struct diag *diag =
        check_error(ck, DIAG_E0112, node->name.range, "%s has no `%s`",
                    value_kind_text(ck, &value), name);
    call_help_parts(ck, diag, &value, node);
    return value_poison(node->range);
}

/* Checks the arguments of a function that is built in. */
static struct value *
arguments(struct check *ck, const struct env *env,
          const struct builtin *builtin, const struct ast_expr *node)
{
    struct value *args = NEW_N(ck->arena, struct value, node->n_args + 1);
    for (size_t i = 0; i < node->n_args; i++) {
        const struct ast_arg *arg = &node->args[i];
        if (arg->name.text)
            check_error(ck, DIAG_E0215, arg->name.range,
                        "%s takes its arguments by place: %s(%s)",
                        builtin->name, builtin->name, builtin->args);
        args[i] = check_expr(ck, env, arg->value);
        if (arg->name.text)
            args[i] = value_poison(node->range);
    }
    return args;
}

/* E0114: what is called is no function, as in d.x(1). */
static void
refuse_call(struct check *ck, const struct env *env,
            const struct ast_expr *callee)
{
    const char *library = callee->kind == AST_FIELD &&
                                  callee->a->kind == AST_NAME &&
                                  stdlib_find(callee->a->name.text)
                              ? callee->a->name.text
                              : NULL;
    bool behind = called_behind(ck, callee, NULL);
    struct value value = {.kind = VALUE_NUM};
    if (!library && !behind)
        value = check_expr(ck, env, callee);
    if (value.kind == VALUE_POISON) /* which has been told */
        return;
    struct diag *diag = check_error(ck, DIAG_E0114, callee->range,
                                    "this cannot be called: it is no function");
    if (library)
        CHECK_HELP(ck, diag, "add `use %s`", library);
    else if (behind)
        called_behind(ck, callee, diag);
    else if (value_is_list(ck, &value))
        CHECK_HELP(ck, diag,
                   "an entry stands in square brackets, the first one is "
                   "%s[0]; a product is written with `*`",
                   expr_label(ck, callee));
    else
        CHECK_HELP(ck, diag, "a product is written with `*`");
}

static struct value
call(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    const struct ast_expr *callee = node->a;
    struct module *module = env->module;
    struct ast_name name = callee->name;
    struct decl *decl = NULL;
    bool reported = false;
    if (callee->kind == AST_NAME) {
        decl =
            scope_find(ck, module, name.text, WANT_CALL, name.range, &reported);
    } else if (callee->kind == AST_FIELD && callee->a->kind == AST_NAME &&
               (module = scope_library(module, callee->a->name.text))) {
        decl = scope_own(module, name.text);
        if (decl && decl->kind != DECL_FN && decl->kind != DECL_SHAPE)
            decl = NULL;
        if (!decl) {
            struct env le = {.module = module};
            scope_unknown(ck, &le, name.text, name.range, WANT_CALL);
            return value_poison(node->range);
        }
    } else {
        refuse_call(ck, env, callee);
        return value_poison(node->range);
    }
    if (reported || (decl && decl->kind == DECL_OTHER))
        return value_poison(node->range);
    struct corner_shape corners;
    bool takes_corners = decl && corner_shape_of(ck, decl, &corners);
    /* In the formula of a shape another shape is its level set. */
    if (decl && (decl->kind == DECL_FN || (env->coords && !takes_corners)))
        return call_fn(ck, env, decl, node);
    if (decl) {
        struct diag *diag =
            check_error(ck, DIAG_E0111, node->range,
                        "`%s` is a shape, not a value", name.text);
        if (takes_corners)
            CHECK_HELP(ck, diag,
                       "it stands alone: body b : %s { ... }, or shape s = %s",
                       expr_label(ck, node), expr_label(ck, node));
        else
            CHECK_HELP(ck, diag,
                       "a shape stands behind the colon of a body: body b : "
                       "%s; a name is given by shape s = %s",
                       expr_label(ck, node), expr_label(ck, node));
        return value_poison(node->range);
    }
    const struct builtin *builtin = builtin_find(name.text);
    if (builtin) {
        struct value *args = arguments(ck, env, builtin, node), rows;
        return expr_rows_reduced(ck, env, node, builtin->name, args, &rows)
                   ? rows
                   : builtin_call(ck, env, builtin, node, args);
    }
    scope_unknown(ck, env, name.text, name.range, WANT_CALL);
    for (size_t i = 0; i < node->n_args; i++)
        if (node->args[i].value)
            check_expr(ck, env, node->args[i].value);
    return value_poison(node->range);
}

/* Takes the derivatives a', a'', ... */
static struct value
prime(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    uint32_t count = 0;
    const struct ast_expr *operand = node;
    for (; operand->kind == AST_PRIME; operand = operand->a)
        count++;
    struct value value = check_expr(ck, env, operand);
    struct value rate = series_prime(ck, env, node, operand, &value, count);
    rate.of_all = value.of_all;
    return rate;
}

static struct value
negated_entries(struct check *ck, const struct ast_expr *node,
                const struct value *value)
{
    struct value result = *value;
    size_t n = (size_t)value->rows * value->cols;
    result.range = node->range;
    graph_origin(ck->g, node->range);
    result.e = NEW_N(ck->arena, const expr *, n);
    for (size_t i = 0; i < n; i++)
        result.e[i] = ex_neg(ck->g, value->e[i]);
    return result;
}

static struct value
negated(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    struct value value = check_expr(ck, env, node->a);
    if (value_is_list(ck, &value)) {
        struct value list = list_column(ck, &value, expr_label(ck, node->a));
        value = list_entry(&list);
        if (value.kind == VALUE_NUM) {
            value = negated_entries(ck, node, &value);
            return list_of_entry(&value, &list, 1);
        }
    }
    if (value.kind != VALUE_NUM && value.kind != VALUE_ANY)
        return check_no_arithmetic(ck, node, "a minus sign", &value, node->a);
    return negated_entries(ck, node, &value);
}

/* not a */
static struct value
inverted(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    struct value value = check_expr(ck, env, node->a), list = value;
    if (value.kind == VALUE_COLUMN)
        value = list_entry(&list);
    if (!check_need_truth(ck, &value, node->a, "what follows `not`"))
        return value_poison(node->range);
    value = value_truth(ck, ex_op(ck->g, IMP_OP_NOT, value.e[0], NULL, NULL),
                        node->range);
    return list.kind == VALUE_COLUMN ? list_of_entry(&value, &list, 1) : value;
}

struct value
check_expr(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    assert(ck && env);
    if (!node)
        return value_poison(IMP_NOWHERE);
    if (node->refused || !check_enter(ck, node->range))
        return value_poison(node->range);
    struct value value = value_poison(node->range);
    graph_origin(ck->g, node->range);
    switch (node->kind) {
    case AST_NUM:
        value = value_num(ck, ex_num(ck->g, node->num), dim_pure(ck->dims),
                          node->range);
        value.bare = true;
        value = folded(ck, node, unit_applied(ck, node, value));
        break;
    case AST_TEXT:
        value.kind = VALUE_TEXT;
        value.text = node->text;
        break;
    case AST_TRUTH:
        value = value_truth(ck, ex_num(ck->g, node->num), node->range);
        break;
    case AST_NAME:
        value = check_name(ck, env, node->name.text, node->range);
        break;
    case AST_FIELD:
        value = field(ck, env, node);
        break;
    case AST_INDEX:
        value = indexed(ck, env, node);
        break;
    case AST_PRIME:
        value = prime(ck, env, node);
        break;
    case AST_CALL:
        value = folded(ck, node, call(ck, env, node));
        break;
    case AST_NEG:
        value = negated(ck, env, node);
        break;
    case AST_NOT:
        value = inverted(ck, env, node);
        break;
    case AST_BINARY:
        value = spine(ck, env, node);
        break;
    case AST_IF: {
        struct value c = check_expr(ck, env, node->a);
        struct value a = check_expr(ck, env, node->b);
        struct value b = check_expr(ck, env, node->c);
        value = list_choice(ck, node, &c, &a, &b);
    } break;
    case AST_PAREN:
        value = unit_applied(ck, node, check_expr(ck, env, node->a));
        break;
    case AST_TUPLE:
    case AST_MATRIX:
        value = array(ck, env, node);
        break;
    case AST_RANGE: {
        struct value a = check_expr(ck, env, node->a);
        struct value b = check_expr(ck, env, node->b);
        value = list_range(ck, node, &a, &b);
    } break;
    case AST_OVER:
        check_unavailable(ck, node->range, "`name in values` as a value",
                          "(name in values) stands in `over` of a sweep, a "
                          "threshold or a fit: "
                          "over = (a in linspace(0, 1, 11))");
        break;
    case AST_EXPR_KINDS:
        break;
    }
    check_leave(ck);
    return value;
}
