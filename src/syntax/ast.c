/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the kinds of nodes; blocks that say the same. */
#include "syntax/ast.h"

#include <assert.h>
#include <string.h>

const char *
ast_expr_kind_name(enum ast_expr_kind k)
{
    assert(k < AST_EXPR_KINDS);
    static const char *const names[] = {
#define X(kind) #kind,
        AST_EXPRS(X)
#undef X
    };
    return k < AST_EXPR_KINDS ? names[k] : "?";
}

const char *
ast_item_kind_name(enum ast_item_kind k)
{
    assert(k < AST_ITEM_KINDS);
    static const char *const names[] = {
#define X(kind) #kind,
        AST_ITEMS(X)
#undef X
    };
    return k < AST_ITEM_KINDS ? names[k] : "?";
}

/* Are these the same bodies, as they are written in blocks of contacts? */
static bool
same_bodies(const struct ast_expr *one, const struct ast_expr *two)
{
    while (one->kind == AST_PAREN && !one->unit)
        one = one->a;
    while (two->kind == AST_PAREN && !two->unit)
        two = two->a;
    if (one->kind != two->kind || one->n_list != two->n_list)
        return false;
    for (size_t i = 0; i < one->n_list; i++)
        if (!same_bodies(one->list[i], two->list[i]))
            return false;
    if (one->kind == AST_INDEX)
        return same_bodies(one->a, two->a);
    return one->kind == AST_TUPLE ||
           (one->kind == AST_NAME && !strcmp(one->name.text, two->name.text)) ||
           (one->kind == AST_NUM && one->num == two->num);
}

bool
ast_same_block(const struct ast_item *one, const struct ast_item *two)
{
    assert(one && two);
    if (one->kind != two->kind || one->n_args != two->n_args ||
        one->name2.text != two->name2.text)
        return false;
    for (size_t i = 0; i < one->n_args; i++)
        if (!same_bodies(one->args[i], two->args[i]))
            return false;
    return true;
}
