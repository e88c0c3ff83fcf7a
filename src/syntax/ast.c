/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the kinds of nodes. */
#include "syntax/ast.h"

#include <assert.h>

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
