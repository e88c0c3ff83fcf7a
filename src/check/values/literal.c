/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers without a unit in formulas whose dimension does not fit: which of
 * them may have been meant with one. */
#include <assert.h>
#include <string.h>

#include "check/values/values.h"

enum { DEPTH_MOST = 200 };

/* A number, or several that are added and multiplied, or a vector of these: bare
 * itself. */
static bool
is_bare(const struct ast_expr *node, int depth)
{
    if (!node || depth > DEPTH_MOST)
        return false;
    switch (node->kind) {
    case AST_NUM:
        return !node->unit;
    case AST_PAREN:
        return !node->unit && is_bare(node->a, depth + 1);
    case AST_NEG:
        return is_bare(node->a, depth + 1);
    case AST_BINARY:
        return node->op <= AST_POW && is_bare(node->a, depth + 1) &&
               is_bare(node->b, depth + 1);
    case AST_TUPLE:
        for (size_t i = 0; i < node->n_list; i++)
            if (!is_bare(node->list[i], depth + 1))
                return false;
        return !node->unit;
    default:
        return false;
    }
}

/* The last number, or vector of numbers, without a unit among the factors: in
 * 0.5*9.81*t^2 that is 9.81. NULL: there is none. */
static const struct ast_expr *
last_factor(const struct ast_expr *node, int depth)
{
    if (!node || depth > DEPTH_MOST)
        return NULL;
    if (node->kind == AST_NUM)
        return node->unit ? NULL : node;
    if (node->kind == AST_TUPLE)
        return is_bare(node, depth) ? node : NULL;
    if (node->kind == AST_NEG || (node->kind == AST_PAREN && !node->unit))
        return last_factor(node->a, depth + 1);
    if (node->kind != AST_BINARY)
        return NULL;
    const struct ast_expr *found = NULL;
    if (node->op == AST_MUL)
        found = last_factor(node->b, depth + 1);
    if (!found && (node->op == AST_MUL || node->op == AST_DIV))
        found = last_factor(node->a, depth + 1);
    /* A bare number beside it takes the dimension of the sum. */
    if (node->op == AST_ADD || node->op == AST_SUB) {
        if (is_bare(node->a, depth + 1))
            found = last_factor(node->b, depth + 1);
        else if (is_bare(node->b, depth + 1))
            found = last_factor(node->a, depth + 1);
    }
    return found;
}

/* Does the formula state a unit anywhere? Then it is not known which number
 * lacks one. */
static bool
states_unit(const struct ast_expr *node, int depth)
{
    if (!node || depth > DEPTH_MOST)
        return false;
    return node->unit || states_unit(node->a, depth + 1) ||
           states_unit(node->b, depth + 1) || states_unit(node->c, depth + 1);
}

bool
value_help_factor(struct check *ck, struct diag *diag,
                  const struct ast_expr *node, const struct dim *have,
                  const struct dim *want)
{
    assert(ck && diag && have && want);
    const struct dim *ratio = dim_div(ck->dims, want, have);
    if (!node || !dim_known(ck->dims, ratio) || dim_is_pure(ck->dims, ratio) ||
        is_bare(node, 0) || states_unit(node, 0))
        return false;
    const struct ast_expr *number = last_factor(node, 0);
    if (!number)
        return false;
    const char *unit = dim_text(ck->dims, ratio);
    if (strstr(unit, "^(")) /* no unit that anybody writes */
        return false;
    const char *with =
        arena_printf(ck->arena, "(%s [%s])", expr_label(ck, number), unit);
    CHECK_HELP(ck, diag,
               "a number that is a factor has no unit unless it states one: %s "
               "in place of %s",
               with, expr_label(ck, number));
    diag_fix(ck->ds, diag, number->range, with);
    return true;
}

bool
value_help_unit(struct check *ck, struct diag *diag,
                const struct ast_expr *node)
{
    assert(ck && diag);
    while (node && node->kind == AST_PAREN && !node->unit)
        node = node->a;
    if (!node || node->kind != AST_NUM || !node->unit)
        return false;
    struct ast_expr plain = *node;
    plain.unit = NULL;
    plain.range = node->op_range;
    const char *text = expr_label(ck, &plain);
    CHECK_HELP(ck, diag, "a number here has no unit: %s", text);
    diag_fix(ck->ds, diag, node->range, text);
    return true;
}
