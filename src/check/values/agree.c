/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that must agree: the dimensions of operands, and values of which a
 * dimension, a size or a kind is required. A message about dimensions names
 * both uses, and for each name in them whose dimension was inferred, the place
 * that decided it. */
#include <assert.h>

#include "check/values/values.h"

void
v_whole(struct check *ck, struct value *value)
{
    assert(ck && value);
    if (value->bare && (value->kind == V_NUM || value->kind == V_LIST)) {
        value->bare = false;
        value->dim = dim_fresh(ck->dims, value->range);
    }
}

/* the first few names in e whose declared value had its dimension inferred */
static void
explain(struct check *ck, struct diag *diag, const struct ast_expr *node,
        int *budget)
{
    if (!node || *budget <= 0)
        return;
    if (node->kind == AST_NAME) {
        for (struct module *module = ck->modules.first; module;
             module = module->next) {
            struct decl *param = scope_own(module, node->name.text);
            imp_range range;
            if (!param || (param->kind != D_PARAM && param->kind != D_LET) ||
                param->state != DECL_DONE || !param->val.dim ||
                !dim_decided(ck->dims, param->val.dim, &range))
                continue;
            CK_NOTE(ck, diag, range, "`%s` is %s by this use", param->name,
                    dim_say(ck->dims, param->val.dim));
            (*budget)--;
            return;
        }
        return;
    }
    if (node->kind == AST_CALL || node->kind == AST_FIELD)
        return;
    explain(ck, diag, node->a, budget);
    explain(ck, diag, node->b, budget);
    explain(ck, diag, node->c, budget);
}
void
v_explain(struct check *ck, struct diag *diag, const struct ast_expr *node)
{
    assert(ck && diag);
    int budget = 2;
    /* long sums are deep on the left; their first terms add nothing */
    int deep = 0;
    for (const struct ast_expr *inner = node; inner; inner = inner->a)
        if (++deep > 200)
            return;
    explain(ck, diag, node, &budget);
}

bool
v_agree(struct check *ck, const struct ast_expr *at, const char *doing,
        const struct value *left, const struct ast_expr *ea,
        const struct value *right, const struct ast_expr *eb,
        const struct dim **dim, bool *bare)
{
    assert(ck && at && doing && left && right && dim && bare);
    *bare = left->bare && right->bare;
    *dim = left->bare ? right->dim : left->dim;
    if (left->bare || right->bare ||
        dim_unify(ck->dims, left->dim, right->dim,
                  ck_user_range(ck, at->range)))
        return true;
    struct diag *diag =
        ck_error(ck, DIAG_E0201, at->op_range.file ? at->op_range : at->range,
                 "%s needs equal dimensions, but these are %s and %s", doing,
                 dim_say(ck->dims, left->dim), dim_say(ck->dims, right->dim));
    CK_NOTE(ck, diag, ea ? ea->range : left->range, "this is %s",
            dim_say(ck->dims, left->dim));
    CK_NOTE(ck, diag, eb ? eb->range : right->range, "this is %s",
            dim_say(ck->dims, right->dim));
    v_explain(ck, diag, ea);
    v_explain(ck, diag, eb);
    return false;
}

bool
v_need_dim(struct check *ck, struct value *value, const struct ast_expr *node,
           const struct dim *dim, const char *what)
{
    assert(ck && value && dim && what);
    if (value->kind == V_POISON)
        return false;
    imp_range range = node ? node->range : value->range;
    if (!mx_plain(ck, value, range, what))
        return false;
    if (value->bare) {
        value->bare = false;
        value->dim = dim;
        return true;
    }
    if (dim_unify(ck->dims, value->dim, dim, ck_user_range(ck, range))) {
        return true;
    }
    struct diag *diag =
        dim_is_pure(ck->dims, dim)
            ? ck_error(ck, DIAG_E0203, range,
                       "%s is a pure number, but this is %s", what,
                       dim_say(ck->dims, value->dim))
            : ck_error(ck, DIAG_E0202, range, "%s is %s, but this is %s", what,
                       dim_say(ck->dims, dim), dim_say(ck->dims, value->dim));
    CK_LABEL(ck, diag, "%s", dim_say(ck->dims, value->dim));
    if (node)
        v_explain(ck, diag, node);
    if (dim_is_pure(ck->dims, dim))
        CK_HELP(ck, diag,
                "divide by a quantity of the same dimension, so that a "
                "ratio is left");
    else if (dim_known(ck->dims, dim) && !dim_is_pure(ck->dims, value->dim))
        CK_HELP(ck, diag, "give a value in [%s]", dim_text(ck->dims, dim));
    else if (dim_known(ck->dims, dim))
        CK_HELP(ck, diag,
                "give it its unit: a bracketed expression may be followed by "
                "[%s]",
                dim_text(ck->dims, dim));
    return false;
}

bool
v_need_scalar(struct check *ck, struct value *value,
              const struct ast_expr *node, const struct dim *dim,
              const char *what)
{
    assert(ck && value && dim && what);
    if (value->kind == V_POISON)
        return false;
    imp_range range = node ? node->range : value->range;
    if (!v_is_scalar(value)) {
        struct diag *diag =
            ck_error(ck, DIAG_E0209, range, "%s is one number, but this is %s",
                     what, v_kind(ck, value));
        if (value->kind == V_RESULT)
            CK_HELP(ck, diag, "take one of its fields, as in `r.%s`",
                    ck->lists.commands.v[value->ref].n_fields
                        ? ck->lists.commands.v[value->ref].fields[0].name
                        : "time");
        return false;
    }
    return v_need_dim(ck, value, node, dim, what);
}

bool
v_need_vector(struct check *ck, struct value *value,
              const struct ast_expr *node, uint32_t count,
              const struct dim *dim, const char *what)
{
    assert(ck && value && dim && what);
    if (value->kind == V_POISON)
        return false;
    imp_range range = node ? node->range : value->range;
    if (value->kind == V_ANY)
        return v_need_dim(ck, value, node, dim, what);
    if (value->kind != V_NUM || value->cols != 1 || value->rows != count) {
        struct diag *diag = ck_error(
            ck, DIAG_E0314, range, "%s needs %u numbers %s, but this is %s",
            what, count, count == 2 ? "in the plane" : "in space",
            v_kind(ck, value));
        CK_HELP(ck, diag,
                count == 2 ? "write a pair: (1, 2)"
                           : "write three numbers: (1, 2, 3)");
        return false;
    }
    return v_need_dim(ck, value, node, dim, what);
}
