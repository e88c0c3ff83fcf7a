/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `threshold S over x in [lo, hi]`: the param, and the bounds between which its
 * critical values are looked for. Fields of the record with the unit "param"
 * have the param's own dimension. What depends on the values of params is asked
 * when all are known (threshold_late). */
#include <math.h>
#include <string.h>

#include "check/commands/commands_priv.h"

#define AS "as in threshold %s over gamma in [0.1, 0.9]"

static const char *
system_name(const struct check *ck)
{
    return ck->lists.systems.n ? ck->lists.systems.v[0].name : "one";
}

/* Takes the two bounds. False: an error has been reported. */
static bool
bounds(struct check *ck, const struct ast_arg *arg, const struct dim *dim,
       struct tm_val *out)
{
    const struct ast_expr *node = arg->value;
    struct value value = check_expr(ck, &ck->modules.top, node);
    double lo, hi;
    if (value.kind == VALUE_POISON)
        return false;
    size_t count = (size_t)value.rows * value.cols;
    if ((value.kind != VALUE_NUM && value.kind != VALUE_LIST) || value.dims ||
        count != 2) {
        struct diag *diag = check_error(
            ck, DIAG_E0425, node->range,
            "a threshold is looked for between two bounds, but this "
            "is %s",
            value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, AS, system_name(ck));
        return false;
    }
    const char *what =
        arena_printf(ck->arena, "the param `%s`", arg->name.text);
    if (!value_need_dim(ck, &value, node, dim, what) ||
        !check_leaves(ck, value.e, count, MAY_PARAMS | MAY_RESULTS, node,
                      "the bounds of a threshold"))
        return false;
    if (ex_is_const(value.e[0]) && ex_is_const(value.e[1])) {
        lo = value.e[0]->num;
        hi = value.e[1]->num;
        if (!(lo < hi)) {
            struct diag *diag =
                check_error(ck, DIAG_E0425, node->range,
                            "there is nothing between %g and %g", lo, hi);
            CHECK_HELP(ck, diag, "the lower bound stands first");
            return false;
        }
    }
    value.rows = 2;
    value.cols = 1;
    val_of(ck, &value, node, out);
    out->kind = IMP_VAL_NUM;
    out->listed = true;
    return true;
}

static bool
over_option(struct check *ck, uint32_t command, const struct ast_item *key,
            struct tm_val *out)
{
    const struct ast_expr *node = key->value;
    if (node->kind != AST_OVER || node->n_args != 1) {
        struct diag *diag = check_error(ck, DIAG_E0425, node->range,
                                        "a threshold is a value of one param");
        CHECK_HELP(ck, diag, AS, system_name(ck));
        return false;
    }
    const struct ast_arg *arg = &node->args[0];
    struct decl *param = sweep_param(ck, &arg->name, DIAG_E0425,
                                     "a threshold is a value of a param");
    if (!param)
        return false;
    struct value value = check_decl(ck, param, arg->name.range);
    if (value.kind == VALUE_POISON)
        return false;
    struct tm_val *item = NEW_N(ck->arena, struct tm_val, 1);
    if (arg->value && !bounds(ck, arg, value.dim, item))
        return false;
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = item,
                           .n_items = arg->value != NULL,
                           .range = node->range,
                           .ref = param->index,
                           .label = param->name,
                           .text = "",
                           .unit = "",
                           .name = param->name};
    struct tm_command *cmd = &ck->lists.commands.v[command];
    for (size_t i = 0; i < cmd->n_fields; i++)
        if (!strcmp(cmd->fields[i].unit, "param"))
            APUSH(ck, &ck->notes.units,
                  (struct pending){&cmd->fields[i].unit, value.dim, NULL, 0});
    return true;
}

static const struct tm_val *
over(const struct tm_command *cmd)
{
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == IMP_OPT_threshold_over)
            return &cmd->opts[i].val;
    return NULL;
}

static void
late(struct check *ck, const struct tm_val *over)
{
    const struct tm_param *param = &ck->lists.params.v[over->ref];
    struct diag *diag;
    if (param->structural) {
        diag = check_error(
            ck, DIAG_E0425, over->range,
            "`%s` is structural: it fixes how many of something there "
            "are, and nothing lies between two values of it",
            param->name);
        CHECK_NOTE(ck, diag, param->range, "the param");
        CHECK_HELP(ck, diag,
                   "ask at each value: sweep { over = (%s in (2, 3, 4))  "
                   "run = threshold ... }",
                   param->name);
        return;
    }
    if (!over->n_items) {
        if (param->has_range)
            return;
        diag = check_error(
            ck, DIAG_E0425, over->range,
            "the param `%s` states no range, so it must be said where "
            "to look",
            param->name);
        CHECK_NOTE(ck, diag, param->range, "the param");
        CHECK_HELP(ck, diag, "over %s in [0, 1]", param->name);
        return;
    }
    const struct tm_val *b = &over->items[0];
    for (uint32_t i = 0; i < 2 && param->has_range; i++) {
        if (!ex_is_const(b->e[i]) ||
            (b->e[i]->num >= param->lo && b->e[i]->num <= param->hi))
            continue;
        diag = check_error(ck, DIAG_E0425, b->range,
                           "%g is outside the range [%g, %g] of the param `%s`",
                           b->e[i]->num, param->lo, param->hi, param->name);
        CHECK_NOTE(ck, diag, param->range, "the range is stated here");
        return;
    }
}

static enum option_taken
threshold_option(struct check *ck, uint32_t command,
                 const struct option_row *row, const struct ast_item *key,
                 struct tm_val *out)
{
    if (row->kind == IMP_OPTK_AXIS)
        return over_option(ck, command, key, out) ? OPTION_GOOD : OPTION_WRONG;
    return OPTION_PLAIN;
}

static void
threshold_missing(struct check *ck, struct diag *diag,
                  const struct option_row *row, const struct ast_item *it)
{
    (void)row;
    CHECK_HELP(ck, diag, "as in threshold %s over gamma in [0, 1]",
               it->n_args ? expr_label(ck, it->args[0]) : "one");
}

static void
threshold_late(struct check *ck, const struct tm_command *cmd)
{
    const struct tm_val *o = over(cmd);
    if (o)
        late(ck, o);
}

const struct command_rules command_rules_threshold = {
    .option = threshold_option,
    .missing = threshold_missing,
    .late = threshold_late};
