/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that must agree: the dimensions of operands, and values of which a
 * dimension, a size or a kind is required. A message about dimensions names
 * both uses, and for each name in them whose dimension was inferred, the place
 * that decided it. */
#include <assert.h>

#include "check/values/values.h"

void
value_whole(struct check *ck, struct value *value)
{
    assert(ck && value);
    if (value->bare &&
        (value->kind == VALUE_NUM || value->kind == VALUE_LIST)) {
        value->bare = false;
        value->dim = dim_fresh(ck->dims, value->range);
    }
}

bool
value_explain_name(struct check *ck, struct diag *diag, const char *name,
                   const struct dim *dim)
{
    assert(ck && diag && name && dim);
    imp_range range;
    if (!dim_decided(ck->dims, dim, &range) ||
        (range.file == diag->range.file && range.lo == diag->range.lo))
        return false;
    CHECK_NOTE(ck, diag, range, "`%s` is %s by this use", name,
               dim_say(ck->dims, dim));
    return true;
}

/* Is the name one in the formulas of a system, such as a coordinate, whose
 * dimension a use has decided? Then the note says where. */
static bool
explain_formula(struct check *ck, struct diag *diag, const char *name,
                int *budget)
{
    const struct env *all = ck->notes.formulas;
    for (size_t i = 0; all && i < all->n; i++)
        if (!strcmp(all->names[i], name)) {
            if (all->vals[i].dim)
                *budget -= value_explain_name(ck, diag, name, all->vals[i].dim);
            return true;
        }
    return false;
}

/* Collects the first few names in the expression whose declared value had its
 * dimension inferred. */
static void
explain(struct check *ck, struct diag *diag, const struct ast_expr *node,
        int *budget)
{
    if (!node || *budget <= 0)
        return;
    if (node->kind == AST_NAME &&
        explain_formula(ck, diag, node->name.text, budget))
        return;
    if (node->kind == AST_NAME) {
        for (struct module *module = ck->modules.first; module;
             module = module->next) {
            struct decl *param = scope_own(module, node->name.text);
            if (!param ||
                (param->kind != DECL_PARAM && param->kind != DECL_LET) ||
                param->state != DECL_DONE || !param->val.dim ||
                !value_explain_name(ck, diag, param->name, param->val.dim))
                continue;
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
value_explain(struct check *ck, struct diag *diag, const struct ast_expr *node)
{
    assert(ck && diag);
    int budget = 2;
    /* Long sums are deep on the left, and their first terms would add nothing
     * to the message. */
    int deep = 0;
    for (const struct ast_expr *inner = node; inner; inner = inner->a)
        if (++deep > 200)
            return;
    explain(ck, diag, node, &budget);
}

/* The only param or let of the user's in the expressions; NULL where there are
 * several, or something else may have a dimension. */
static bool
find_only(struct check *ck, const struct ast_expr *node, struct decl **only)
{
    if (!node || node->kind == AST_NUM)
        return true;
    if (node->kind == AST_CALL || node->kind == AST_FIELD || node->n_list > 20)
        return false;
    if (node->kind == AST_NAME) {
        struct decl *found = NULL;
        for (struct module *module = ck->modules.first; module && !found;
             module = module->next) {
            found = scope_own(module, node->name.text);
            if (found && found->range.file != node->range.file)
                found = NULL;
        }
        if (!found || (found->kind != DECL_PARAM && found->kind != DECL_LET) ||
            (*only && *only != found))
            return false;
        *only = found;
        return true;
    }
    bool alone = find_only(ck, node->a, only) && find_only(ck, node->b, only) &&
                 find_only(ck, node->c, only);
    for (size_t i = 0; alone && i < node->n_list; i++)
        alone = find_only(ck, node->list[i], only);
    return alone;
}

/* A name whose dimension does not fit is told once, with the other places at
 * which it does not. True: it has been told, and the place at the range was
 * added. Otherwise *only is the name, or NULL, for the new message. */
static bool
told_before(struct check *ck, const struct ast_expr *one,
            const struct ast_expr *other, imp_range range, struct decl **only)
{
    enum { PLACES_MOST = 3 };
    int deep = 0;
    *only = NULL;
    for (const struct ast_expr *inner = one; inner; inner = inner->a)
        if (++deep > 200)
            return false;
    if (!find_only(ck, one, only) || !find_only(ck, other, only))
        *only = NULL;
    struct decl *name = *only;
    if (!name || !name->told)
        return false;
    if (name->told->range.file == range.file &&
        name->told->range.lo == range.lo && name->told->range.hi == range.hi)
        return true; /* the same place, reached again */
    for (const struct diag_note *note = name->told->notes; note;
         note = note->next)
        if (note->range.file == range.file && note->range.lo == range.lo &&
            note->range.hi == range.hi)
            return true;
    if (name->likewise++ < PLACES_MOST)
        CHECK_NOTE(ck, name->told, range, "nor does `%s` fit here", name->name);
    return true;
}

/* A column of data whose header has no unit, and of which the model states
 * none: says how. False: it is none. */
static bool
help_column(struct check *ck, struct diag *diag, const struct value *value)
{
    if (value->kind != VALUE_COLUMN && value->kind != VALUE_NUM)
        return false;
    const expr *e = value->rows == 1 ? value->e[0] : NULL;
    const struct tm_list *list = e && e->op == IMP_OP_ENV &&
                                         e->sym == SYM_CELL &&
                                         dim_is_pure(ck->dims, value->dim)
                                     ? &ck->lists.lists.v[e->i]
                                     : NULL;
    if (!list || list->kind != IMP_LIST_TABLE)
        return false;
    const struct tm_table *table = &ck->lists.tables.v[list->table];
    const struct tm_table_column *column = &table->columns[list->column];
    CHECK_HELP(ck, diag,
               "the column `%s` has no unit in the file: state it, data %s = "
               "\"%s\" { column %s : m = \"%s\" ... }",
               column->header, table->name, table->file, column->name,
               column->header);
    return true;
}

bool
value_agree(struct check *ck, const struct ast_expr *at, const char *doing,
            const struct value *left, const struct ast_expr *ea,
            const struct value *right, const struct ast_expr *eb,
            const struct dim **dim, bool *bare)
{
    assert(ck && at && doing && left && right && dim && bare);
    *bare = left->bare && right->bare;
    *dim = left->bare ? right->dim : left->dim;
    if (left->bare || right->bare ||
        dim_unify(ck->dims, left->dim, right->dim,
                  check_user_range(ck, at->range)))
        return true;
    struct decl *only;
    if (told_before(ck, ea, eb, at->op_range.file ? at->op_range : at->range,
                    &only))
        return false;
    struct diag *diag = check_error(
        ck, DIAG_E0201, at->op_range.file ? at->op_range : at->range,
        "%s needs equal dimensions, but these are %s and %s", doing,
        dim_say(ck->dims, left->dim), dim_say(ck->dims, right->dim));
    CHECK_NOTE(ck, diag, ea ? ea->range : left->range, "this is %s",
               dim_say(ck->dims, left->dim));
    CHECK_NOTE(ck, diag, eb ? eb->range : right->range, "this is %s",
               dim_say(ck->dims, right->dim));
    value_explain(ck, diag, ea);
    value_explain(ck, diag, eb);
    if (only && diag->message)
        only->told = diag;
    if (!help_column(ck, diag, left) && !help_column(ck, diag, right) &&
        !value_help_factor(ck, diag, eb, right->dim, left->dim))
        value_help_factor(ck, diag, ea, left->dim, right->dim);
    return false;
}

/* The unit that a value of this dimension is to have. That of a torque is
 * written N*m, though it is that of an energy. */
static const char *
unit_of_what(struct check *ck, const struct dim *dim, const char *what)
{
    const char *text = dim_text(ck->dims, dim);
    return !strcmp(text, "J") && strstr(what, "torque") ? "N*m" : text;
}

bool
value_need_dim(struct check *ck, struct value *value,
               const struct ast_expr *node, const struct dim *dim,
               const char *what)
{
    assert(ck && value && dim && what);
    if (value->kind == VALUE_POISON)
        return false;
    imp_range range = node ? node->range : value->range;
    if (!matrix_plain(ck, value, range, what))
        return false;
    if (value->bare) {
        value->bare = false;
        value->dim = dim;
        return true;
    }
    if (dim_unify(ck->dims, value->dim, dim, check_user_range(ck, range))) {
        return true;
    }
    struct decl *only;
    if (told_before(ck, node, NULL, range, &only))
        return false;
    struct diag *diag =
        dim_is_pure(ck->dims, dim)
            ? check_error(ck, DIAG_E0203, range,
                          "%s is a pure number, but this is %s", what,
                          dim_say(ck->dims, value->dim))
            : check_error(ck, DIAG_E0202, range, "%s is %s, but this is %s",
                          what, dim_say(ck->dims, dim),
                          dim_say(ck->dims, value->dim));
    CHECK_LABEL(ck, diag, "%s", dim_say(ck->dims, value->dim));
    if (node)
        value_explain(ck, diag, node);
    if (only && diag->message)
        only->told = diag;
    if (value_help_factor(ck, diag, node, value->dim, dim))
        return false;
    if (dim_is_pure(ck->dims, dim) && value_help_unit(ck, diag, node))
        return false;
    if (dim_is_pure(ck->dims, dim))
        CHECK_HELP(ck, diag,
                   "divide by a quantity of the same dimension, so that a "
                   "ratio is left");
    else if (!strcmp(dim_text(ck->dims, dim), "kg/m^2") &&
             !strcmp(dim_text(ck->dims, value->dim), "kg/m^3"))
        CHECK_HELP(ck, diag,
                   "in the plane it is the mass per area: multiply by the "
                   "thickness, as in (7850 [kg/m^3])*(0.01 [m])");
    else if (dim_known(ck->dims, dim) && !dim_is_pure(ck->dims, value->dim))
        CHECK_HELP(ck, diag, "give a value in [%s]",
                   unit_of_what(ck, dim, what));
    else if (dim_known(ck->dims, dim))
        CHECK_HELP(
            ck, diag,
            "give it its unit: a bracketed expression may be followed by "
            "[%s]",
            dim_text(ck->dims, dim));
    return false;
}

/* The text of an expression behind which an index may stand. */
static const char *
bracketed(struct check *ck, const struct ast_expr *node)
{
    const char *text = node ? expr_label(ck, node) : "a";
    bool loose = node && (node->kind == AST_BINARY || node->kind == AST_NEG ||
                          node->kind == AST_NOT || node->kind == AST_IF ||
                          node->kind == AST_RANGE);
    return loose ? arena_printf(ck->arena, "let a = %s and then a", text)
                 : text;
}

/* Is it a comparison of which is the greater one, `gap = x >= 0`? */
static bool
of_greater(const struct ast_expr *node)
{
    return node->kind == AST_BINARY &&
           (node->op == AST_LT || node->op == AST_LE || node->op == AST_GT ||
            node->op == AST_GE);
}

/* What is not negative where such a comparison holds. */
static const char *
difference_text(struct check *ck, const struct ast_expr *node)
{
    bool rising = node->op == AST_GT || node->op == AST_GE;
    const char *more = expr_label(ck, rising ? node->a : node->b);
    const char *less = expr_label(ck, rising ? node->b : node->a);
    enum ast_expr_kind kind = (rising ? node->b : node->a)->kind;
    bool sum = kind == AST_BINARY || kind == AST_NEG || kind == AST_IF;
    return !strcmp(less, "0")
               ? more
               : arena_printf(ck->arena, sum ? "%s - (%s)" : "%s - %s", more,
                              less);
}

bool
value_need_scalar(struct check *ck, struct value *value,
                  const struct ast_expr *node, const struct dim *dim,
                  const char *what)
{
    assert(ck && value && dim && what);
    if (value->kind == VALUE_POISON)
        return false;
    imp_range range = node ? node->range : value->range;
    if (!value_is_scalar(value)) {
        struct diag *diag = check_error(ck, DIAG_E0209, range,
                                        "%s is one number, but this is %s",
                                        what, value_kind_text(ck, value));
        if (value->kind == VALUE_RESULT)
            CHECK_HELP(ck, diag, "take one of its fields, as in `r.%s`",
                       ck->lists.commands.v[value->ref].n_fields
                           ? ck->lists.commands.v[value->ref].fields[0].name
                           : "time");
        else if (value->kind == VALUE_COLUMN && value->truth)
            CHECK_HELP(ck, diag,
                       "count(%s) says how many of these conditions hold",
                       node ? expr_label(ck, node) : "a");
        else if (value->kind == VALUE_COLUMN)
            CHECK_HELP(ck, diag,
                       "take one of its entries, %s[0], or a number that all "
                       "of them make, such as mean(%s)",
                       bracketed(ck, node), node ? expr_label(ck, node) : "a");
        else if (value->kind == VALUE_NUM && node && node->kind == AST_INDEX &&
                 node->n_list == 1)
            CHECK_HELP(ck, diag,
                       "take one of its entries, %s[0]; numbers that square "
                       "brackets hold are a matrix, of which one index takes "
                       "a row, and round ones make a list: (1, 2, 3)",
                       expr_label(ck, node));
        else if (value->kind == VALUE_TRUTH && node && of_greater(node))
            CHECK_HELP(ck, diag,
                       "a number is by how much the one side is the greater "
                       "one: %s",
                       difference_text(ck, node));
        else if (dim_known(ck->dims, dim) && !dim_is_pure(ck->dims, dim))
            CHECK_HELP(ck, diag, "give one number in [%s]",
                       unit_of_what(ck, dim, what));
        return false;
    }
    return value_need_dim(ck, value, node, dim, what);
}

bool
value_need_vector(struct check *ck, struct value *value,
                  const struct ast_expr *node, uint32_t count,
                  const struct dim *dim, const char *what)
{
    assert(ck && value && dim && what);
    if (value->kind == VALUE_POISON)
        return false;
    imp_range range = node ? node->range : value->range;
    if (value->kind == VALUE_ANY)
        return value_need_dim(ck, value, node, dim, what);
    if (value->kind != VALUE_NUM || value->cols != 1 || value->rows != count) {
        struct diag *diag = check_error(
            ck, DIAG_E0314, range, "%s needs %u numbers %s, but this is %s",
            what, count, count == 2 ? "in the plane" : "in space",
            value_kind_text(ck, value));
        CHECK_HELP(ck, diag,
                   count == 2 ? "write a pair: (1, 2)"
                              : "write three numbers: (1, 2, 3)");
        return false;
    }
    return value_need_dim(ck, value, node, dim, what);
}
