/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `plot` draws besides columns: `levels` of contours and curves of an
 * `overlay`. Both need the columns of the picture, so they are checked when the
 * arguments and `against` are known. A curve is
 *   an expression of the param on the horizontal axis, in the dimension of the
 *     vertical one: ref is that param;
 *   an equation of the params of both axes, whose zeros are drawn: compare is
 *     set as for `expect`, ref and field are the params (UINT32_MAX: the axis
 *     shows none);
 *   a column of a sweep over one param, a field as for `plot` itself. */
#include <string.h>

#include "check/commands/commands_priv.h"

#define NO_PARAM UINT32_MAX

static const struct tm_val *
option_of(const struct tm_command *cmd, enum imp_option_id id)
{
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == id)
            return &cmd->opts[i].val;
    return NULL;
}

/* Returns the dimension of a column, or NULL where it is not known here. */
static const struct dim *
column_dim(struct check *ck, const struct tm_val *value)
{
    if (!value || value->kind != IMP_VAL_FIELD)
        return NULL;
    const struct tm_command *cmd = &ck->lists.commands.v[value->ref];
    const struct tm_field *field = &cmd->fields[value->field];
    return field->kind == IMP_FIELD_TEXTS
               ? NULL
               : field_dim(ck, cmd, field, UINT32_MAX, value->range);
}

static bool
is_axis(const struct tm_field *field)
{
    return field->column && (!strcmp(field->doc, "param of the run") ||
                             !strcmp(field->doc, "param of the run, drawn"));
}

/* Returns the param that a column shows, or NO_PARAM. */
static uint32_t
column_param(struct check *ck, const struct tm_val *value)
{
    if (!value || value->kind != IMP_VAL_FIELD ||
        !imp_command_has(ck->lists.commands.v[value->ref].id,
                         IMP_TRAIT_VARIES_PARAMS))
        return NO_PARAM;
    const struct tm_field *field =
        &ck->lists.commands.v[value->ref].fields[value->field];
    for (size_t i = 0; is_axis(field) && i < ck->lists.params.n; i++)
        if (!strcmp(ck->lists.params.v[i].name, field->name))
            return (uint32_t)i;
    return NO_PARAM;
}

/* -- levels ---------------------------------------------------------------- */

static bool
levels(struct check *ck, uint32_t command, const struct ast_expr *node,
       struct tm_val *out)
{
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct tm_val *of = option_of(cmd, IMP_OPT_plot_contours);
    of = of ? of->items : cmd->args;
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if ((value.kind != VALUE_NUM && value.kind != VALUE_LIST) || value.dims ||
        (value.rows != 1 && value.cols != 1) || !value.rows) {
        struct diag *diag =
            check_error(ck, DIAG_E0424, node->range,
                        "levels are a number or a list of numbers, "
                        "but this is %s",
                        value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "as in levels = (5, 10, 20)");
        return false;
    }
    size_t count = (size_t)value.rows * value.cols;
    const struct dim *dim = column_dim(ck, of);
    if ((dim &&
         !value_need_dim(ck, &value, node, dim,
                         arena_printf(ck->arena, "levels of %s", of->label))) ||
        !check_leaves(ck, value.e, count, MAY_PARAMS | MAY_RESULTS, node,
                      "the levels of a plot"))
        return false;
    value.rows = (uint32_t)count;
    value.cols = 1;
    val_of(ck, &value, node, out);
    return true;
}

/* -- overlay --------------------------------------------------------------- */

struct axes {
    uint32_t x, y; /* params */
    const struct dim *y_dim;
    const char *x_name, *y_name;
};
struct uses {
    uint32_t param;
    bool found;
};
static void
use_leaf(void *ctx, const expr *leaf)
{
    struct uses *u = ctx;
    u->found |= leaf->sym == SYM_PARAM && leaf->i == u->param;
}
static bool
uses(struct check *ck, const expr *expression, uint32_t param)
{
    struct uses u = {.param = param};
    ex_leaves(ck->g, &expression, 1, use_leaf, &u);
    return u.found;
}

static bool
equation(struct check *ck, const struct axes *axes,
         const struct ast_expr *inner, const struct ast_expr *node,
         struct tm_val *out)
{
    struct value left = check_expr(ck, &ck->modules.top, inner->a);
    struct value result = check_expr(ck, &ck->modules.top, inner->b);
    struct value value = check_expr(ck, &ck->modules.top, inner);
    if (value.kind == VALUE_POISON)
        return false;
    if (left.kind != VALUE_NUM || result.kind != VALUE_NUM ||
        !value_is_scalar(&left) || !value_is_scalar(&result)) {
        check_error(ck, DIAG_E0424, node->range,
                    "an equation of a curve is between numbers");
        return false;
    }
    const expr **three = NEW_N(ck->arena, const expr *, 3);
    three[0] = value.e[0];
    three[1] = left.e[0];
    three[2] = result.e[0];
    if (!check_leaves(ck, three, 3, MAY_PARAMS | MAY_RESULTS, node,
                      "a curve of a plot"))
        return false;
    bool ux = axes->x != NO_PARAM &&
              (uses(ck, three[1], axes->x) || uses(ck, three[2], axes->x));
    bool uy = axes->y != NO_PARAM &&
              (uses(ck, three[1], axes->y) || uses(ck, three[2], axes->y));
    if (!ux && !uy) {
        struct diag *diag =
            check_error(ck, DIAG_E0424, node->range,
                        "this equation has none of the params that "
                        "the axes show");
        CHECK_HELP(ck, diag, "the axes are %s and %s", axes->x_name,
                   axes->y_name);
        return false;
    }
    val_of(ck, &value, node, out);
    out->kind = IMP_VAL_NUM;
    out->e = three;
    out->cols = 3;
    out->compare = true;
    out->ref = axes->x;
    out->field = axes->y;
    return true;
}

/* Takes a column of another sweep, over the one param that varies there. */
static bool
data_curve(struct check *ck, const struct value *value,
           const struct ast_expr *node, struct tm_val *out)
{
    const struct tm_command *cmd = &ck->lists.commands.v[value->ref];
    size_t count = 0;
    for (size_t i = 0; i < cmd->n_fields; i++)
        count += is_axis(&cmd->fields[i]);
    if (imp_command_has(cmd->id, IMP_TRAIT_VARIES_PARAMS) && count == 1 &&
        cmd->fields[value->field].kind == IMP_FIELD_LIST) {
        val_of(ck, value, node, out);
        return true;
    }
    struct diag *diag =
        check_error(ck, DIAG_E0424, node->range,
                    "a column that is drawn over a picture belongs "
                    "to a sweep over one param");
    CHECK_HELP(
        ck, diag,
        "as in let b = sweep { over = (rho in linspace(0.1, 1, 50)) ... } "
        "and overlay = b.critical");
    return false;
}

static bool
curve(struct check *ck, const struct axes *axes, const struct ast_expr *node,
      struct tm_val *out)
{
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind == AST_BINARY && inner->op == AST_EQ)
        return equation(ck, axes, inner, node, out);
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind == VALUE_FIELD)
        return data_curve(ck, &value, node, out);
    if (!value_is_scalar(&value) || value.kind != VALUE_NUM) {
        struct diag *diag =
            check_error(ck, DIAG_E0424, node->range,
                        "a curve is an expression, an equation or a "
                        "column of a sweep, but this is %s",
                        value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "as in overlay = ((1 - rho)/(1 + rho))^2");
        return false;
    }
    if ((axes->y_dim &&
         !value_need_dim(
             ck, &value, node, axes->y_dim,
             arena_printf(ck->arena, "a curve over %s", axes->x_name))) ||
        !check_leaves(ck, value.e, 1, MAY_PARAMS | MAY_RESULTS, node,
                      "a curve of a plot"))
        return false;
    if (axes->x == NO_PARAM) {
        struct diag *diag =
            check_error(ck, DIAG_E0424, node->range,
                        "the horizontal axis, %s, shows no param of "
                        "a sweep, so nothing can be calculated along "
                        "it",
                        axes->x_name);
        CHECK_HELP(ck, diag, "give a param that varies: against = s.%s",
                   ck->notes.param_decls.n ? ck->notes.param_decls.v[0]->name
                                           : "rho");
        return false;
    }
    if (axes->y != NO_PARAM && uses(ck, value.e[0], axes->y)) {
        struct diag *diag = check_error(ck, DIAG_E0424, node->range,
                                        "this curve depends on `%s`, which the "
                                        "vertical axis shows",
                                        ck->lists.params.v[axes->y].name);
        CHECK_HELP(ck, diag, "write an equation: overlay = (%s == ...)",
                   ck->lists.params.v[axes->x].name);
        return false;
    }
    val_of(ck, &value, node, out);
    out->ref = axes->x;
    out->field = axes->y;
    return true;
}

static bool
overlay(struct check *ck, uint32_t command, const struct ast_expr *node,
        struct tm_val *out)
{
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct tm_val *against = option_of(cmd, IMP_OPT_plot_against);
    const struct tm_val *horizontal = against ? against->items : NULL;
    const struct tm_val *vertical =
        against && against->n_items == 2 ? horizontal + 1 : NULL;
    if (!horizontal) {
        struct diag *diag =
            check_error(ck, DIAG_E0424, node->range,
                        "a curve needs to know what the horizontal "
                        "axis shows");
        CHECK_HELP(ck, diag,
                   "add against = s.rho, or against = (s.rho, s.gamma) for "
                   "a map");
        return false;
    }
    struct axes ax = {column_param(ck, horizontal), column_param(ck, vertical),
                      column_dim(ck, vertical ? vertical : cmd->args),
                      horizontal->label,
                      vertical ? vertical->label : cmd->args->label};
    const struct ast_expr *inner = ast_unwrap(node);
    const struct ast_expr *const *list = &inner;
    size_t count = 1, kept = 0;
    if (inner->kind == AST_TUPLE && !inner->unit) {
        list = (const struct ast_expr *const *)inner->list;
        count = inner->n_list;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, count + 1);
    for (size_t i = 0; i < count; i++)
        kept += curve(ck, &ax, list[i], &items[kept]);
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = items,
                           .n_items = kept,
                           .range = node->range,
                           .label = expr_label(ck, node),
                           .text = "",
                           .unit = "",
                           .name = ""};
    return kept == count;
}

static bool
levels_and_overlay(struct check *ck, uint32_t command,
                   const struct ast_item *it)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    bool ok = true, seen[2] = {0};
    if (!cmd->n_args)
        return true; /* This has been reported. */
    for (size_t i = 0; i < it->n_block; i++) {
        const struct ast_item *key = it->block[i];
        if (key->kind != AST_KEY || !key->value)
            continue;
        bool l = !strcmp(key->name.text, "levels");
        if ((!l && strcmp(key->name.text, "overlay") != 0) || seen[l])
            continue;
        seen[l] = true;
        struct tm_opt *o = &cmd->opts[cmd->n_opts];
        o->id = l ? IMP_OPT_plot_levels : IMP_OPT_plot_overlay;
        bool good = l ? levels(ck, command, key->value, &o->val)
                      : overlay(ck, command, key->value, &o->val);
        cmd->n_opts += good;
        ok &= good;
    }
    return ok;
}

/* A view has a title and the name of a page; all other options are of curves
 * and maps. */
static bool
view(struct check *ck, uint32_t command, const struct ast_item *it)
{
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct tm_val *file = option_of(cmd, IMP_OPT_plot_file);
    bool ok = command_of_run(ck, command, it, "a view", "plot r { as = view }");
    for (size_t i = 0; i < it->n_block; i++) {
        const char *key = it->block[i]->name.text;
        if (it->block[i]->kind != AST_KEY || !strcmp(key, "as") ||
            !strcmp(key, "file") || !strcmp(key, "title"))
            continue;
        struct diag *diag = check_error(
            ck, DIAG_E0426, it->block[i]->name.range,
            "`%s` belongs to curves and maps, and this is a view", key);
        CHECK_HELP(ck, diag, "leave it out, or leave out `as = view`");
        ok = false;
    }
    if (!file || file_ends(file->text, ".html"))
        return ok;
    struct diag *diag =
        check_error(ck, DIAG_E0426, file->range,
                    "a view is a page, but \"%s\" is a picture", file->text);
    CHECK_HELP(ck, diag, "as in file = \"run.html\"");
    return false;
}

static bool
plot_arguments(struct check *ck, uint32_t command, const struct ast_item *it)
{
    return option_of(&ck->lists.commands.v[command], IMP_OPT_plot_as)
               ? view(ck, command, it)
               : levels_and_overlay(ck, command, it);
}

static enum option_taken
plot_option(struct check *ck, uint32_t command, const struct option_row *row,
            const struct ast_item *key, struct tm_val *out)
{
    static const char *const pages[] = {"view"};
    (void)command;
    if (!strcmp(row->key, "as")) {
        (void)key_word(ck, key, pages, 1); /* what is wrong is meant so, too */
        *out = (struct tm_val){.kind = IMP_VAL_WORD,
                               .text = pages[0],
                               .label = pages[0],
                               .unit = "",
                               .name = "",
                               .range = key->value->range};
        return OPTION_GOOD;
    }
    return row->kind == IMP_OPTK_NUMBERS || row->kind == IMP_OPTK_CURVES
               ? OPTION_WAITS
               : OPTION_PLAIN;
}

/* E0424, W0304: plot(x, y) of two lists, which other programs take for y over
 * x. False: it has been refused. */
static bool
two_lists(struct check *ck, const struct ast_expr *node)
{
    struct value value[2];
    const char *label[2];
    for (int k = 0; k < 2; k++) {
        value[k] = check_expr(ck, &ck->modules.top, node->list[k]);
        if (!value_is_list(ck, &value[k]))
            return true;
        value[k] = list_column(ck, &value[k], expr_label(ck, node->list[k]));
        if (value[k].kind != VALUE_COLUMN || value[k].rows != 1)
            return true;
        label[k] = expr_label(ck, node->list[k]);
    }
    bool alike = dim_unify(ck->dims, value[0].dim, value[1].dim, node->range);
    struct diag *diag =
        alike ? check_error(ck, DIAG_W0304, node->range,
                            "two curves beside each other, not "
                            "one list over the other")
              : check_error(ck, DIAG_E0424, node->range,
                            "two lists in brackets are two curves of one plot, "
                            "but these are %s and %s",
                            dim_say(ck->dims, value[0].dim),
                            dim_say(ck->dims, value[1].dim));
    CHECK_HELP(ck, diag,
               alike ? "one over the other is plot %s { against = %s }; two "
                       "curves without this remark are plot %s, %s"
                     : "one over the other is plot %s { against = %s }; two "
                       "plots are plot %s, %s",
               label[1], label[0], label[0], label[1]);
    return alike;
}

/* A view needs no recorded columns. */
static bool
plot_argument(struct check *ck, uint32_t command, size_t i,
              const struct ast_expr *node, bool *good)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    (void)i;
    if (!option_of(cmd, IMP_OPT_plot_as)) {
        *good = false;
        return node->kind == AST_TUPLE && node->n_list == 2 &&
               !option_of(cmd, IMP_OPT_plot_against) && !two_lists(ck, node);
    }
    *good = recorded_value(ck, node, "view", &cmd->args[cmd->n_args]);
    cmd->n_args += *good;
    return true;
}

const struct command_rules command_rules_plot = {.option = plot_option,
                                                 .argument = plot_argument,
                                                 .recorded = true,
                                                 .arguments = plot_arguments};
