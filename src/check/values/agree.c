/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that must agree: the dimensions of operands, and values of which a
 * dimension, a size or a kind is required. A message about dimensions names
 * both uses, and for each name in them whose dimension was inferred, the place
 * that decided it. */
#include "check/values/values.h"

void
v_whole(struct check *ck, struct value *v)
{
    if (v->bare && (v->kind == V_NUM || v->kind == V_LIST)) {
        v->bare = false;
        v->dim = dim_fresh(ck->dims, v->range);
    }
}

/* the first few names in e whose declared value had its dimension inferred */
static void
explain(struct check *ck, struct diag *d, const struct ast_expr *e, int *budget)
{
    if (!e || *budget <= 0)
        return;
    if (e->kind == AST_NAME) {
        for (struct module *m = ck->modules; m; m = m->next) {
            struct decl *p = scope_own(m, e->name.text);
            imp_range r;
            if (!p || (p->kind != D_PARAM && p->kind != D_LET) ||
                p->state != DECL_DONE || !p->val.dim ||
                !dim_decided(ck->dims, p->val.dim, &r))
                continue;
            CK_NOTE(ck, d, r, "`%s` is %s by this use", p->name,
                    dim_say(ck->dims, p->val.dim));
            (*budget)--;
            return;
        }
        return;
    }
    if (e->kind == AST_CALL || e->kind == AST_FIELD)
        return;
    explain(ck, d, e->a, budget);
    explain(ck, d, e->b, budget);
    explain(ck, d, e->c, budget);
}
void
v_explain(struct check *ck, struct diag *d, const struct ast_expr *e)
{
    int budget = 2;
    /* long sums are deep on the left; their first terms add nothing */
    int deep = 0;
    for (const struct ast_expr *p = e; p; p = p->a)
        if (++deep > 200)
            return;
    explain(ck, d, e, &budget);
}

bool
v_agree(struct check *ck, const struct ast_expr *at, const char *doing,
        const struct value *a, const struct ast_expr *ea, const struct value *b,
        const struct ast_expr *eb, const struct dim **dim, bool *bare)
{
    *bare = a->bare && b->bare;
    *dim = a->bare ? b->dim : a->dim;
    if (a->bare || b->bare ||
        dim_unify(ck->dims, a->dim, b->dim, ck_user_range(ck, at->range)))
        return true;
    struct diag *d =
        ck_error(ck, DIAG_E0201, at->op_range.file ? at->op_range : at->range,
                 "%s needs equal dimensions, but these are %s and %s", doing,
                 dim_say(ck->dims, a->dim), dim_say(ck->dims, b->dim));
    CK_NOTE(ck, d, ea ? ea->range : a->range, "this is %s",
            dim_say(ck->dims, a->dim));
    CK_NOTE(ck, d, eb ? eb->range : b->range, "this is %s",
            dim_say(ck->dims, b->dim));
    v_explain(ck, d, ea);
    v_explain(ck, d, eb);
    return false;
}

bool
v_need_dim(struct check *ck, struct value *v, const struct ast_expr *e,
           const struct dim *d, const char *what)
{
    if (v->kind == V_POISON)
        return false;
    imp_range r = e ? e->range : v->range;
    if (!mx_plain(ck, v, r, what))
        return false;
    if (v->bare) {
        v->bare = false;
        v->dim = d;
        return true;
    }
    if (dim_unify(ck->dims, v->dim, d, ck_user_range(ck, r))) {
        return true;
    }
    struct diag *x =
        dim_is_pure(ck->dims, d)
            ? ck_error(ck, DIAG_E0203, r, "%s is a pure number, but this is %s",
                       what, dim_say(ck->dims, v->dim))
            : ck_error(ck, DIAG_E0202, r, "%s is %s, but this is %s", what,
                       dim_say(ck->dims, d), dim_say(ck->dims, v->dim));
    CK_LABEL(ck, x, "%s", dim_say(ck->dims, v->dim));
    if (e)
        v_explain(ck, x, e);
    if (dim_is_pure(ck->dims, d))
        CK_HELP(ck, x,
                "divide by a quantity of the same dimension, so that a "
                "ratio is left");
    else if (dim_known(ck->dims, d) && !dim_is_pure(ck->dims, v->dim))
        CK_HELP(ck, x, "give a value in [%s]", dim_text(ck->dims, d));
    else if (dim_known(ck->dims, d))
        CK_HELP(ck, x,
                "give it its unit: a bracketed expression may be followed by "
                "[%s]",
                dim_text(ck->dims, d));
    return false;
}

bool
v_need_scalar(struct check *ck, struct value *v, const struct ast_expr *e,
              const struct dim *d, const char *what)
{
    if (v->kind == V_POISON)
        return false;
    imp_range r = e ? e->range : v->range;
    if (!v_is_scalar(v)) {
        struct diag *x =
            ck_error(ck, DIAG_E0209, r, "%s is one number, but this is %s",
                     what, v_kind(ck, v));
        if (v->kind == V_RESULT)
            CK_HELP(ck, x, "take one of its fields, as in `r.%s`",
                    ck->commands.v[v->ref].n_fields
                        ? ck->commands.v[v->ref].fields[0].name
                        : "time");
        return false;
    }
    return v_need_dim(ck, v, e, d, what);
}

bool
v_need_vector(struct check *ck, struct value *v, const struct ast_expr *e,
              uint32_t n, const struct dim *d, const char *what)
{
    if (v->kind == V_POISON)
        return false;
    imp_range r = e ? e->range : v->range;
    if (v->kind == V_ANY)
        return v_need_dim(ck, v, e, d, what);
    if (v->kind != V_NUM || v->cols != 1 || v->rows != n) {
        struct diag *x = ck_error(
            ck, DIAG_E0314, r, "%s needs %u numbers %s, but this is %s", what,
            n, n == 2 ? "in the plane" : "in space", v_kind(ck, v));
        CK_HELP(ck, x,
                n == 2 ? "write a pair: (1, 2)"
                       : "write three numbers: (1, 2, 3)");
        return false;
    }
    return v_need_dim(ck, v, e, d, what);
}
