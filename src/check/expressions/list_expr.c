/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions with lists whose length only a run knows: an operation is checked
 * for one entry, and its result is a list (check/quantities/lists.h). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/context/builtins.h"
#include "check/expressions/expressions.h"

struct value
list_entry_or_value(struct check *ck, const struct value *value,
                    const struct ast_expr *at, struct value *list)
{
    *list = (struct value){.kind = VALUE_POISON};
    if (!value_is_list(ck, value))
        return *value;
    *list = list_column(ck, value, expr_label(ck, at));
    return list_entry(list);
}

/* A list of a record as a column, of which it is known whether its entries are
 * numbers or vectors; anything else as it is. */
static struct value
field_as_column(struct check *ck, const struct value *value,
                const struct ast_expr *at)
{
    return value->kind == VALUE_FIELD && value_is_list(ck, value)
               ? list_column(ck, value, expr_label(ck, at))
               : *value;
}

/* Beside a list of single numbers, a tuple is a list, too, where a vector would
 * make no sense: anywhere but in a product. */
static struct value
tuple_as_list(const struct check *ck, const struct ast_expr *node,
              const struct value *value, const struct value *other)
{
    struct value list = *value;
    if (value->kind == VALUE_NUM && value->cols == 1 && value->rows > 1 &&
        !value->dims && node->op != AST_MUL && value_is_list(ck, other) &&
        (other->kind != VALUE_COLUMN || other->rows == 1))
        list.kind = VALUE_LIST;
    return list;
}

struct value
list_binary(struct check *ck, const struct ast_expr *node,
            const struct value *left, const struct value *right)
{
    assert(ck && node && left && right);
    struct value lists[2];
    struct value left_column = field_as_column(ck, left, node->a);
    struct value right_column = field_as_column(ck, right, node->b);
    struct value left_list =
        tuple_as_list(ck, node, &left_column, &right_column);
    struct value right_list =
        tuple_as_list(ck, node, &right_column, &left_column);
    struct value one = list_entry_or_value(ck, &left_list, node->a, &lists[0]);
    struct value two = list_entry_or_value(ck, &right_list, node->b, &lists[1]);
    struct value result = check_binary(ck, node, &one, &two);
    return list_of_entry(&result, lists, 2);
}

struct value
list_choice(struct check *ck, const struct ast_expr *node,
            const struct value *condition, const struct value *left,
            const struct value *right)
{
    assert(ck && node && condition && left && right);
    struct value lists[3];
    if (!value_is_list(ck, condition) && !value_is_list(ck, left) &&
        !value_is_list(ck, right))
        return check_choice(ck, node, condition, left, right);
    struct value c = list_entry_or_value(ck, condition, node->a, &lists[0]);
    struct value a = list_entry_or_value(ck, left, node->b, &lists[1]);
    struct value b = list_entry_or_value(ck, right, node->c, &lists[2]);
    struct value result = check_choice(ck, node, &c, &a, &b);
    return list_of_entry(&result, lists, 3);
}

/* Is this a number that the run of a command tells, r.count - 1? */
struct told {
    bool slot, other;
};
static void
told_leaf(void *ctx, const expr *leaf)
{
    struct told *told = ctx;
    told->slot |= leaf->sym == SYM_SLOT;
    told->other |= leaf->sym != SYM_SLOT && leaf->sym != SYM_PARAM;
}
static bool
is_told(struct check *ck, const struct value *at)
{
    struct told told = {false, false};
    if (at->kind != VALUE_NUM || at->rows != 1 || at->cols != 1 || at->dims)
        return false;
    ex_leaves(ck->g, at->e, 1, told_leaf, &told);
    return told.slot && !told.other;
}

bool
list_indexed(struct check *ck, const struct ast_expr *node,
             const struct value *list, const struct value *at,
             struct value *out)
{
    assert(ck && node && node->n_list == 1 && list && at && out);
    if (value_is_open(ck, at)) { /* an entry, or those that a condition takes */
        *out = value_any(ck, dim_fresh(ck->dims, node->range), node->range);
        return true;
    }
    if (at->kind == VALUE_COLUMN && at->truth) {
        struct value column = list_column(ck, list, expr_label(ck, node->a));
        *out = list_select(ck, node, &column, at);
        return true;
    }
    bool several = at->kind == VALUE_NUM && at->rows > 1 && at->cols == 1;
    if (value_is_list(ck, list) && (several || value_is_list(ck, at))) {
        struct value column = list_column(ck, list, expr_label(ck, node->a));
        struct value places =
            several ? *at : list_column(ck, at, expr_label(ck, node));
        *out = list_pick(ck, node, &column, &places);
        return true;
    }
    if (value_is_list(ck, list) && is_told(ck, at)) {
        struct value column = list_column(ck, list, expr_label(ck, node->a));
        struct value one = list_pick(ck, node, &column, at);
        *out = one.kind == VALUE_COLUMN ? list_item(ck, node, &one, 0) : one;
        return true;
    }
    if (list->kind != VALUE_COLUMN)
        return false;
    *out = value_poison(node->range);
    if (at->kind == VALUE_POISON)
        return true;
    int32_t index;
    struct value number = *at;
    if (index_number(ck, &number, node->list[0], &index))
        *out = list_item(ck, node, list, index);
    return true;
}

bool
index_number(struct check *ck, struct value *value, const struct ast_expr *node,
             int32_t *whole)
{
    assert(ck && value && node && whole);
    double number;
    if (value->kind == VALUE_TRUTH) {
        struct diag *diag =
            check_error(ck, DIAG_E0209, node->range,
                        "an index is one number, but this is a truth value");
        CHECK_HELP(ck, diag,
                   "conditions select where there is one for each entry, as of "
                   "another list: r.x[r.t > 0.5 [s]]; `t` alone is one time");
        return false;
    }
    if (value->kind == VALUE_NUM && value->rows == 1 && value->cols == 1 &&
        value->dim == dim_mks(ck->dims, 0, 0, 1)) {
        struct diag *diag =
            check_error(ck, DIAG_E0203, node->range,
                        "an index is a pure number, but this is a time [s]");
        CHECK_HELP(ck, diag,
                   "the row of a time is selected by the times of all rows: "
                   "r.x[r.t == %s]; a run has such a row where `at` or `every` "
                   "of its block asks for it",
                   expr_label(ck, node));
        return false;
    }
    if (!value_need_scalar(ck, value, node, dim_pure(ck->dims), "an index"))
        return false;
    if (!check_fixed(ck, value->e[0], &number) || number != floor(number) ||
        fabs(number) > 1e8) {
        struct diag *diag = check_error(
            ck, DIAG_E0212, node->range,
            "an index is a whole number made of literals and params");
        if (node->kind == AST_NUM)
            CHECK_HELP(ck, diag,
                       "entries are counted from 0; the row of a time is "
                       "selected: r.x[r.t == %s [s]]",
                       expr_label(ck, node));
        return false;
    }
    *whole = (int32_t)number;
    return true;
}

/* -- what was meant -------------------------------------------------------- */

/* Does it change along a motion? */
static bool
moves(const struct check *ck, const struct value *value)
{
    static const uint32_t of[] = {SYM_BODY,  SYM_CONTACT, SYM_COORD, SYM_SYSTEM,
                                  SYM_TOTAL, SYM_JOINT,   SYM_ROTOR};
    bool any = false;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        any |= ex_depends(ck->g, value->e[0], of[i], UINT32_MAX, UINT32_MAX);
    return any;
}

/* Is this an index, as 3, -1 and 0 .. 5 are, and no unit? */
static bool
counts(struct ast_expr *const *list, size_t n)
{
    const struct ast_expr *node = n == 1 ? list[0] : NULL;
    return n > 1 || node->kind == AST_NUM || node->kind == AST_NEG ||
           node->kind == AST_RANGE;
}

struct value
value_no_entries(struct check *ck, const struct ast_expr *node,
                 const struct value *value, const char *recorded)
{
    assert(ck && node && value);
    struct diag *diag = check_error(ck, DIAG_E0212, node->range,
                                    "this has no entries: it is %s",
                                    value_kind_text(ck, value));
    if (recorded)
        CHECK_HELP(ck, diag, "what the run has recorded of it is the list `%s`",
                   recorded);
    else if (value->kind == VALUE_NUM && node->a->kind == AST_FIELD &&
             !strcmp(node->a->name.text, "time"))
        CHECK_HELP(ck, diag,
                   "of a run it is the time that was reached; the times of the "
                   "recorded rows are the list `t`: %s.t",
                   expr_label(ck, node->a->a));
    else if (value->kind == VALUE_NUM && moves(ck, value) &&
             counts(node->list, node->n_list))
        CHECK_HELP(ck, diag,
                   "what a run makes of it is recorded: let r = simulate { "
                   "until = 1  record = %s }, then its column, as in [-1]",
                   expr_label(ck, node->a));
    else if (value->kind == VALUE_NUM && node->n_list == 1 &&
             node->list[0]->kind != AST_NUM)
        CHECK_HELP(
            ck, diag,
            "behind a name [ ] is an index; a unit may follow a number or "
            "a bracket: (%s) [%s]",
            expr_label(ck, node->a), expr_label(ck, node->list[0]));
    else if (value->kind == VALUE_NUM)
        CHECK_HELP(ck, diag, "leave the index out: %s",
                   expr_label(ck, node->a));
    else if (value->kind == VALUE_RESULT)
        CHECK_HELP(ck, diag, "take one of its fields first");
    else if (value->kind == VALUE_TABLE)
        CHECK_HELP(ck, diag, "a column stands behind a point: %s.%s",
                   expr_label(ck, node->a),
                   ck->lists.tables.v[value->ref].n_columns
                       ? ck->lists.tables.v[value->ref].columns[0].name
                       : "x");
    return value_poison(node->range);
}

bool
called_behind(struct check *ck, const struct ast_expr *callee,
              struct diag *diag)
{
    assert(ck && callee);
    const char *name = callee->kind == AST_FIELD ? callee->name.text : NULL;
    const char *foreign = name ? foreign_function(name) : NULL;
    bool ours =
        name && (list_kind_of(name) < IMP_LIST_KINDS || builtin_find(name));
    if (!diag)
        return ours || foreign;
    if (ours)
        CHECK_HELP(ck, diag, "a function stands before what it takes: %s(%s)",
                   name, expr_label(ck, callee->a));
    else if (foreign)
        CHECK_HELP(ck, diag, "%s", foreign);
    else
        return false;
    return true;
}

/* -- ranges ---------------------------------------------------------------- */

#define LIST_MAX 100000

static bool
literal(const struct ast_expr *node)
{
    return node->kind == AST_NUM;
}

/* W0308: `5 .. 1` has no numbers. Once where an expression is checked again. */
static void
warn_of_descent(struct check *ck, const struct ast_expr *node, double lo,
                double hi)
{
    for (const struct diag *d = ck->ds->first; d; d = d->next)
        if (d->code == DIAG_W0308 && d->range.file == node->range.file &&
            d->range.lo == node->range.lo)
            return;
    struct diag *diag =
        check_error(ck, DIAG_W0308, node->range,
                    "a range counts upwards: this one has no numbers");
    CHECK_HELP(ck, diag, "downwards goes linspace(%g, %g, %g)", lo, hi,
               lo - hi + 1);
}

struct value
list_range(struct check *ck, const struct ast_expr *node, struct value *a,
           struct value *b)
{
    assert(ck && node && node->kind == AST_RANGE && a && b);
    const struct dim *pure = dim_pure(ck->dims);
    double lo, hi;
    bool ok = value_need_scalar(ck, a, node->a, pure, "the start of a range");
    if (!value_need_scalar(ck, b, node->b, pure, "the end of a range") || !ok)
        return value_poison(node->range);
    if (a->kind == VALUE_ANY || b->kind == VALUE_ANY)
        return value_any(ck, pure, node->range);
    if (!check_fixed(ck, a->e[0], &lo) || !check_fixed(ck, b->e[0], &hi)) {
        struct diag *diag = check_error(
            ck, DIAG_E0222, node->range,
            "the bounds of a range are made of literals and params");
        CHECK_HELP(ck, diag,
                   "the entries of a list `a` from the second to the last are "
                   "a[1 .. -1]; a condition takes others, a[a > 0]");
        return value_poison(node->range);
    }
    if (lo != floor(lo) || hi != floor(hi) || hi - lo >= LIST_MAX) {
        struct diag *diag = check_error(
            ck, DIAG_E0222, node->range,
            "the bounds of a range are whole numbers, %d apart at most",
            LIST_MAX);
        CHECK_HELP(ck, diag,
                   "for other steps there is linspace(from, to, count)");
        return value_poison(node->range);
    }
    if (0 <= hi && hi < lo && literal(node->a) && literal(node->b))
        warn_of_descent(ck, node, lo, hi);
    uint32_t count = hi < lo ? 0 : (uint32_t)(hi - lo) + 1;
    struct value result = value_array(ck, count, 1, pure, node->range);
    result.kind = VALUE_LIST;
    result.bare = true;
    for (uint32_t i = 0; i < count; i++)
        result.e[i] = ex_num(ck->g, lo + i);
    return result;
}
