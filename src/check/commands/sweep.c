/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `sweep`: which params vary and over what values, the question
 * inside; what is kept of it: sweep_record.c. The question becomes a
 * command of its own behind the sweep (tm_command.inner) that nothing but the
 * sweep asks. An axis is an item of kind NUM: ref the param, e its values (or
 * the two bounds of a random one). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/commands/commands_priv.h"

static void
list_of(struct check *ck, const struct ast_expr *node, struct tm_val *items,
        size_t count, struct tm_val *out)
{
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = items,
                           .n_items = count,
                           .range = node->range,
                           .label = expr_label(ck, node),
                           .text = "",
                           .unit = "",
                           .name = ""};
}

/* W0306: two values in square brackets, which are a range elsewhere, and the
 * whole numbers of `0 .. 1` for a param whose default is none. */
static void
warn_of_range(struct check *ck, const struct ast_expr *node,
              const struct decl *decl)
{
    const struct ast_expr *inner = ast_unwrap(node);
    const struct tm_param *param = decl->index < ck->lists.params.n
                                       ? &ck->lists.params.v[decl->index]
                                       : NULL;
    bool whole =
        inner->kind == AST_RANGE && param && param->dflt != floor(param->dflt);
    if (!whole && (inner->kind != AST_MATRIX || inner->n_list != 2))
        return;
    const char *lo = expr_label(ck, whole ? inner->a : inner->list[0]);
    const char *hi = expr_label(ck, whole ? inner->b : inner->list[1]);
    struct diag *diag = check_error(
        ck, DIAG_W0306, node->range,
        "these are two values of `%s`, not the range between them", decl->name);
    CHECK_HELP(ck, diag,
               "11 values of the range are linspace(%s, %s, 11); two values "
               "stand in round brackets: (%s, %s)",
               lo, hi, lo, hi);
}

/* W0306: bounds in round brackets, which are two values elsewhere. */
void
sweep_warn_of_values(struct check *ck, const struct ast_expr *node,
                     const char *param)
{
    assert(ck && node && param);
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind != AST_TUPLE || inner->n_list != 2)
        return;
    struct diag *diag =
        check_error(ck, DIAG_W0306, node->range,
                    "`%s` is taken from the range between these, not from the "
                    "two values",
                    param);
    CHECK_HELP(ck, diag, "bounds stand in square brackets: %s in [%s, %s]",
               param, expr_label(ck, inner->list[0]),
               expr_label(ck, inner->list[1]));
}

/* Takes one axis: numbers, or a list whose length a run knows. `random`: it has
 * two bounds. The param's number is `field`, since a list has its own in `ref`.
 */
static bool
axis(struct check *ck, const struct ast_arg *arg, bool random,
     struct tm_val *out)
{
    struct decl *decl =
        sweep_param(ck, &arg->name, DIAG_E0421, "a sweep varies params");
    struct value value = check_expr(ck, &ck->modules.top, arg->value);
    if (!decl || value.kind == VALUE_POISON)
        return false;
    struct value param = check_decl(ck, decl, arg->name.range);
    if (param.kind == VALUE_POISON)
        return false;
    const char *what = arena_printf(ck->arena, "the param `%s`", decl->name);
    bool list = !random && value.kind == VALUE_COLUMN && !value.truth;
    if ((value.kind != VALUE_NUM && value.kind != VALUE_LIST && !list) ||
        value.dims || (value.rows != 1 && (list || value.cols != 1))) {
        struct diag *diag =
            check_error(ck, DIAG_E0423, arg->value->range,
                        "the values of %s are numbers, but this is "
                        "%s",
                        what, value_kind_text(ck, &value));
        CHECK_HELP(ck, diag,
                   "as in (%s in linspace(0, 1, 11)), (%s in (0.1, 0.2))",
                   decl->name, decl->name);
        return false;
    }
    size_t count = list ? 1 : (size_t)value.rows * value.cols;
    if (count == 0) {
        check_error(
            ck, DIAG_E0423, arg->value->range,
            "there are no values in this list, so nothing would be run");
        return false;
    }
    if (random && count != 2) {
        struct diag *diag = check_error(
            ck, DIAG_E0423, arg->value->range,
            "a random param is drawn between two bounds, but here "
            "%s %zu number%s",
            count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
        CHECK_HELP(ck, diag, "as in random = (%s in [0, 1])", decl->name);
        return false;
    }
    if (!value_need_dim(ck, &value, arg->value, param.dim, what) ||
        (!list && !check_leaves(ck, value.e, count, MAY_PARAMS | MAY_RESULTS,
                                arg->value, "the values of a sweep")))
        return false;
    if (random && ex_is_const(value.e[0]) && ex_is_const(value.e[1]) &&
        value.e[0]->num > value.e[1]->num) {
        struct diag *diag = check_error(
            ck, DIAG_E0423, arg->value->range,
            "the lower bound of `%s` lies above the upper one", decl->name);
        CHECK_HELP(ck, diag, "a random param is drawn from [lower, upper]");
        return false;
    }
    if (!random && !list && count == 2)
        warn_of_range(ck, arg->value, decl);
    if (random)
        sweep_warn_of_values(ck, arg->value, decl->name);
    value.rows = (uint32_t)count;
    value.cols = 1;
    val_of(ck, &value, arg->value, out);
    out->kind = list ? IMP_VAL_COLUMN : IMP_VAL_NUM;
    out->listed = !list;
    out->field = decl->index;
    out->name = decl->name;
    return true;
}

static bool
axes(struct check *ck, const struct option_row *option,
     const struct ast_item *key, struct tm_val *out)
{
    const struct ast_expr *node = key->value;
    bool random = !strcmp(option->key, "random"), ok = true;
    if (node->kind != AST_OVER) {
        struct diag *diag =
            check_error(ck, DIAG_E0421, node->range,
                        "`%s` names params and their values", option->key);
        CHECK_HELP(
            ck, diag,
            random && node->kind == AST_NUM
                ? "so many runs of each are repeat = 20; starts that "
                  "draw, and params of random = (a in [0, 1]), are drawn "
                  "anew in each"
            : random ? "as in random = (a in [0, 1], b in [-1, 1])"
                     : "as in over = (rho in linspace(0.1, 1, 10), gamma in "
                       "(0.2, 0.3))");
        return false;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, node->n_args + 1);
    size_t count = 0;
    for (size_t i = 0; i < node->n_args; i++) {
        bool good = axis(ck, &node->args[i], random, &items[count]);
        for (size_t k = 0; good && k < count; k++)
            if (items[k].field == items[count].field) {
                check_error(ck, DIAG_E0421, node->args[i].name.range,
                            "the param `%s` is named twice", items[count].name);
                good = false;
            }
        ok &= good;
        count += good;
    }
    list_of(ck, node, items, count, out);
    return ok;
}

/* Takes the edges of the bins of one number that is kept; which ones there are
 * is known later. */
static bool
bins_of(struct check *ck, const struct ast_arg *arg, struct tm_val *out)
{
    struct value value = check_expr(ck, &ck->modules.top, arg->value);
    if (value.kind == VALUE_POISON)
        return false;
    size_t count = (size_t)value.rows * value.cols;
    if ((value.kind != VALUE_NUM && value.kind != VALUE_LIST) || value.dims ||
        (value.rows != 1 && value.cols != 1) || count < 2) {
        struct diag *diag =
            check_error(ck, DIAG_E0423, arg->value->range,
                        "the edges of the bins of `%s` are two numbers at "
                        "least, but this is %s",
                        arg->name.text, value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "as in histograms = (%s in linspace(0, 1, 11))",
                   arg->name.text);
        return false;
    }
    if (!check_leaves(ck, value.e, count, MAY_PARAMS | MAY_RESULTS, arg->value,
                      "the edges of a histogram"))
        return false;
    value.rows = (uint32_t)count;
    value.cols = 1;
    val_of(ck, &value, arg->value, out);
    out->kind = IMP_VAL_NUM;
    out->listed = true;
    out->name = arg->name.text;
    return true;
}

static bool
histograms(struct check *ck, const struct ast_item *key, struct tm_val *out)
{
    const struct ast_expr *node = key->value;
    bool ok = true;
    if (node->kind != AST_OVER) {
        struct diag *diag =
            check_error(ck, DIAG_E0423, node->range,
                        "`histograms` names numbers that are kept, and edges");
        CHECK_HELP(ck, diag, "as in histograms = (time in linspace(0, 2, 21))");
        return false;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, node->n_args + 1);
    for (size_t i = 0; i < node->n_args; i++) {
        ok &= bins_of(ck, &node->args[i], &items[i]);
        for (size_t k = 0; ok && k < i; k++)
            if (!strcmp(items[k].name, items[i].name)) {
                check_error(ck, DIAG_E0423, node->args[i].name.range,
                            "`%s` is named twice", items[i].name);
                ok = false;
            }
    }
    list_of(ck, node, items, node->n_args, out);
    return ok;
}

static bool
repeat(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    double number;
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (!value_need_scalar(ck, &value, node, dim_pure(ck->dims), "`repeat`"))
        return false;
    if (!check_fixed(ck, value.e[0], &number) || number != floor(number) ||
        number < 1 || number > IMP_SWEEP_MOST) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0423, node->range,
                               "`repeat` is a whole number from 1 to 1e8, made "
                               "of literals and params"),
                   "write the number itself, as repeat = 100");
        return false;
    }
    val_of(ck, &value, node, out);
    return true;
}

/* Takes the name of a column; which ones there are is known later. */
static bool
column_word(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind != AST_NAME) {
        struct diag *diag =
            check_error(ck, DIAG_E0423, node->range,
                        "`worst` is the name of a number that the sweep keeps");
        CHECK_HELP(ck, diag,
                   "what is calculated stands in `record`, and has its "
                   "expression for a name: R/R0 is R_R0, -R is minus_R");
        return false;
    }
    *out = (struct tm_val){.kind = IMP_VAL_WORD,
                           .text = inner->name.text,
                           .label = inner->name.text,
                           .unit = "",
                           .name = "",
                           .range = node->range};
    return true;
}

/* Takes the shares of `quantiles`, which name columns and so must be known. */
static bool
quantiles(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    struct value value = check_expr(ck, &ck->modules.top, node);
    double share;
    if (value.kind == VALUE_POISON)
        return false;
    bool good = (value.kind == VALUE_NUM || value.kind == VALUE_LIST) &&
                !value.dims && value.cols == 1 && value.rows > 0;
    if (good && !value_need_dim(ck, &value, node, dim_pure(ck->dims),
                                "a share of the runs"))
        return false;
    for (uint32_t i = 0; i < value.rows && good; i++)
        good = check_fixed(ck, value.e[i], &share) && share >= 0 && share <= 1;
    if (!good) {
        struct diag *diag =
            check_error(ck, DIAG_E0423, node->range,
                        "`quantiles` are shares of the runs between 0 and 1, "
                        "made of literals and params");
        CHECK_HELP(ck, diag, "as in quantiles = (0.05, 0.5, 0.95)");
        return false;
    }
    val_of(ck, &value, node, out);
    return true;
}

bool
question_option(struct check *ck, const struct ast_item *key, const char *word,
                struct tm_val *out)
{
    assert(ck && key && word && out);
    const struct ast_item *it = key->command;
    const char *as = "as in run = simulate { until = 1 }";
    if (!it) {
        struct diag *diag =
            check_error(ck, DIAG_E0422, key->value->range,
                        "`run` is a command, but this is a value");
        CHECK_HELP(ck, diag, "%s", as);
        return false;
    }
    if (!strcmp(it->name.text, "sweep") && strcmp(word, "sweep") != 0) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0422, it->name.range,
                               "`%s` cannot run a sweep", word),
                   "ask one question of each run, as simulate");
        return false;
    }
    if (!strcmp(it->name.text, "sweep")) {
        struct diag *diag = check_error(ck, DIAG_E0422, it->name.range,
                                        "a sweep cannot run another sweep");
        CHECK_HELP(ck, diag,
                   "name all params in one `over`: every combination is "
                   "run");
        return false;
    }
    int errors = ck->ds->errors;
    uint32_t index = command_add(ck, it, NULL);
    if (index == UINT32_MAX || ck->notes.records.v[index].broken ||
        ck->ds->errors > errors)
        return false;
    struct tm_command *cmd = &ck->lists.commands.v[index];
    cmd->inner = true;
    if (!cmd->n_fields) {
        struct diag *diag =
            check_error(ck, DIAG_E0422, it->name.range,
                        "`%s` gives no record, so `%s` has nothing to go by",
                        it->name.text, word);
        CHECK_HELP(ck, diag, "%s; show, plot and save the sweep's own result",
                   as);
        return false;
    }
    for (size_t i = 0; i < cmd->n_opts; i++) {
        if (cmd->opts[i].id == IMP_OPT_simulate_trace) {
            struct diag *diag =
                check_error(ck, DIAG_E0422, cmd->opts[i].val.range,
                            "the motion of these runs is not kept");
            CHECK_HELP(ck, diag,
                       "leave out `trace` here; ask for one run outside of "
                       "`%s` to see its motion",
                       word);
            return false;
        }
        if (option_row(cmd->opts[i].id)->kind == IMP_OPTK_FILE) {
            struct diag *diag =
                check_error(ck, DIAG_E0422, cmd->opts[i].val.range,
                            "every run would write this file");
            CHECK_HELP(ck, diag,
                       "leave out `%s` here; `save` of the sweep keeps "
                       "what its runs find",
                       option_row(cmd->opts[i].id)->key);
            return false;
        }
    }
    *out = (struct tm_val){.kind = IMP_VAL_RESULT,
                           .ref = index,
                           .range = it->range,
                           .label = it->name.text,
                           .text = "",
                           .unit = "",
                           .name = ""};
    return true;
}

/* Checks one axis against its param. */
static void
late_axis(struct check *ck, const struct tm_val *axis, uint32_t option)
{
    const struct tm_param *param = &ck->lists.params.v[axis->field];
    if (param->structural && option != IMP_OPT_sweep_over) {
        struct diag *diag = check_error(
            ck, DIAG_E0421, axis->range,
            "`%s` is structural: it fixes how many of "
            "something there are, and is not %s",
            param->name,
            option == IMP_OPT_sweep_random ? "drawn at random"
                                           : "gone through within a row");
        CHECK_NOTE(ck, diag, param->range, "the param");
        CHECK_HELP(ck, diag, "give its values: over = (%s in (2, 3, 4))",
                   param->name);
        return;
    }
    for (uint32_t i = 0;
         axis->kind == IMP_VAL_NUM && i < axis->rows && param->has_range; i++) {
        double number;
        if (!ex_is_const(axis->e[i]))
            continue;
        number = axis->e[i]->num;
        if (number >= param->lo && number <= param->hi)
            continue;
        struct diag *diag =
            check_error(ck, DIAG_E0423, axis->range,
                        "%g is outside the range [%g, %g] of the "
                        "param `%s`",
                        number, param->lo, param->hi, param->name);
        CHECK_NOTE(ck, diag, param->range, "the range is stated here");
        return;
    }
}

static enum option_taken
sweep_option(struct check *ck, uint32_t command, const struct option_row *row,
             const struct ast_item *key, struct tm_val *out)
{
    bool good;
    (void)command;
    switch (row->kind) {
    case IMP_OPTK_AXES:
        good = !strcmp(row->key, "histograms") ? histograms(ck, key, out)
                                               : axes(ck, row, key, out);
        break;
    case IMP_OPTK_QUESTION:
        good = question_option(ck, key, "sweep", out);
        break;
    case IMP_OPTK_NUM:
        good = repeat(ck, key->value, out);
        break;
    case IMP_OPTK_WORD:
        good = column_word(ck, key->value, out);
        break;
    case IMP_OPTK_NUMBERS:
        good = quantiles(ck, key->value, out);
        break;
    case IMP_OPTK_VALUES:
        return OPTION_WAITS; /* The option `record` is read when the question is
                                known. */
    default:
        return OPTION_PLAIN;
    }
    return good ? OPTION_GOOD : OPTION_WRONG;
}

static void
sweep_missing(struct check *ck, struct diag *diag, const struct option_row *row,
              const struct ast_item *it)
{
    CHECK_HELP(ck, diag,
               "as in %s { over = (e in (0.1, 0.2))  %s = simulate { "
               "until = 1 } }",
               it->name.text, row->key);
}

static void
sweep_late(struct check *ck, const struct tm_command *cmd)
{
    for (size_t k = 0; k < cmd->n_opts; k++)
        if (cmd->opts[k].id == IMP_OPT_sweep_over ||
            cmd->opts[k].id == IMP_OPT_sweep_within ||
            cmd->opts[k].id == IMP_OPT_sweep_random)
            for (size_t j = 0; j < cmd->opts[k].val.n_items; j++)
                late_axis(ck, &cmd->opts[k].val.items[j], cmd->opts[k].id);
}

const struct command_rules command_rules_sweep = {.option = sweep_option,
                                                  .missing = sweep_missing,
                                                  .options = sweep_record,
                                                  .late = sweep_late};
