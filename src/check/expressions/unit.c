/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit in brackets behind a value. */
#include <assert.h>
#include <string.h>

#include "check/expressions/expressions.h"

/* Is the unit a number behind several values? There it is the index of other
 * languages, also as [1], which is the unit of one pure number. */
static bool
is_index(const struct ast_expr *unit, const struct value *value)
{
    const struct ast_expr *inner = unit;
    if (inner->kind == AST_MATRIX && inner->n_list == 1)
        inner = inner->list[0];
    if (inner->kind == AST_NEG)
        inner = inner->a;
    return inner->kind == AST_NUM && !inner->unit &&
           (value->kind == VALUE_LIST || value->kind == VALUE_COLUMN ||
            (value->kind == VALUE_NUM && value->rows * value->cols > 1));
}

struct value
unit_applied(struct check *ck, const struct ast_expr *node, struct value value)
{
    assert(ck && node);
    struct unit unit;
    if (!node->unit || value.kind == VALUE_POISON)
        return value;
    if (is_index(node->unit, &value)) {
        const char *index = expr_label(ck, node->unit);
        const char *label = expr_label(ck, node);
        const char *behind = strrchr(label, '[');
        struct diag *diag = check_error(
            ck, DIAG_E0208, node->unit->range,
            "behind a bracket stands a unit, but %s is a number", index);
        CHECK_HELP(ck, diag,
                   "an index stands behind a name: let v = %.*s, then v[%s]",
                   behind ? (int)(behind - label) - 1 : 0, label, index);
        return value_poison(node->range);
    }
    if (!unit_of_ast(ck, node->unit, &unit))
        return value_poison(node->range);
    if (value.kind != VALUE_NUM && value.kind != VALUE_LIST &&
        value.kind != VALUE_ANY) {
        check_error(ck, DIAG_E0209, node->range,
                    "a unit belongs to numbers, but this is %s",
                    value_kind_text(ck, &value));
        return value_poison(node->range);
    }
    if (!matrix_plain(ck, &value, node->range, "what a unit follows"))
        return value_poison(node->range);
    if (!value.bare &&
        !dim_unify(ck->dims, value.dim, dim_pure(ck->dims), node->range)) {
        struct diag *diag =
            check_error(ck, DIAG_E0207, node->unit->range,
                        "this has a dimension already: it is %s",
                        dim_say(ck->dims, value.dim));
        value_explain(ck, diag, node->a);
        CHECK_HELP(ck, diag, "leave the unit out");
        return value_poison(node->range);
    }
    struct value result = value;
    result.bare = false;
    result.series = NULL;
    result.dim = unit.dim;
    result.range = node->range;
    size_t count = (size_t)value.rows * value.cols;
    result.e = NEW_N(ck->arena, const expr *, count);
    for (size_t i = 0; i < count; i++)
        result.e[i] =
            ex_is_const(value.e[i])
                ? ex_num(ck->g, value.e[i]->num * unit.num / unit.den)
                : ex_div(ck->g,
                         ex_mul(ck->g, value.e[i], ex_num(ck->g, unit.num)),
                         ex_num(ck->g, unit.den));
    return result;
}
