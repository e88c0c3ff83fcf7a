/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `fit F to D over (a, b)`: params that make F nearest to D, both lists. The
 * argument of the command becomes one column: F, F - D, and the derivatives of
 * F - D with respect to the params, which are exact; with a `run`, which has
 * none, F and F - D. `minimise F over (a in [0,
 * 1])`: params that make a number least, of an expression or of a run. Both
 * records get the params as columns. */
#include <assert.h>
#include <string.h>

#include "check/commands/commands_priv.h"

/* The values of `over`. Item i: ref is the param, e its two bounds, or no e. */
static const struct tm_val *
over_of(const struct tm_command *cmd)
{
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == IMP_OPT_fit_over ||
            cmd->opts[i].id == IMP_OPT_minimise_over)
            return &cmd->opts[i].val;
    return NULL;
}

/* Takes the two bounds of a param. */
static bool
bounds(struct check *ck, const struct ast_arg *arg, const struct dim *dim,
       struct tm_val *out)
{
    const struct ast_expr *node = arg->value;
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if ((value.kind != VALUE_NUM && value.kind != VALUE_LIST) || value.dims ||
        (size_t)value.rows * value.cols != 2) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0430, node->range,
                               "a param has two bounds, but this is %s",
                               value_kind_text(ck, &value)),
                   "as in over (%s in [0, 1])", arg->name.text);
        return false;
    }
    if (!value_need_dim(ck, &value, node, dim, "a bound of this param") ||
        !check_leaves(ck, value.e, 2, MAY_PARAMS | MAY_RESULTS, node,
                      "a bound"))
        return false;
    if (ex_is_const(value.e[0]) && ex_is_const(value.e[1]) &&
        !(value.e[0]->num < value.e[1]->num)) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0430, node->range,
                               "there is nothing between %g and %g",
                               value.e[0]->num, value.e[1]->num),
                   "the lower bound stands first");
        return false;
    }
    sweep_warn_of_values(ck, node, arg->name.text);
    value.rows = 2;
    value.cols = 1;
    val_of(ck, &value, node, out);
    out->kind = IMP_VAL_NUM;
    out->listed = true;
    return true;
}

static bool
one_param(struct check *ck, const struct ast_arg *arg, const char *doing,
          struct tm_val *out)
{
    struct decl *decl = sweep_param(ck, &arg->name, DIAG_E0430, doing);
    if (!decl)
        return false;
    struct value value = check_decl(ck, decl, arg->name.range);
    if (value.kind == VALUE_POISON)
        return false;
    *out = (struct tm_val){.kind = IMP_VAL_NUM,
                           .range = arg->name.range,
                           .label = decl->name,
                           .text = "",
                           .unit = ""};
    if (arg->value && !bounds(ck, arg, value.dim, out))
        return false;
    out->ref = decl->index;
    out->name = decl->name;
    return true;
}

/* Takes `over (a, b in [0, 1])`. */
static bool
over_option(struct check *ck, const struct ast_item *key, const char *word,
            struct tm_val *out)
{
    const struct ast_expr *node = ast_unwrap(key->value);
    struct ast_arg alone = {0};
    const struct ast_arg *args = node->args;
    size_t count = node->n_args;
    const char *doing = arena_printf(ck->arena, "`%s` varies params", word);
    if (node->kind == AST_NAME) {
        alone.name = node->name;
        args = &alone;
        count = 1;
    } else if (node->kind != AST_OVER) {
        CHECK_HELP(
            ck, check_error(ck, DIAG_E0430, node->range, "`over` names params"),
            "as in over (a, b), or over (a in [0, 1])");
        return false;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!one_param(ck, &args[i], doing, &items[i]))
            return false;
        for (size_t k = 0; k < i; k++)
            if (items[k].ref == items[i].ref) {
                check_error(ck, DIAG_E0430, args[i].name.range,
                            "the param `%s` is named twice", items[i].name);
                return false;
            }
    }
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = items,
                           .n_items = count,
                           .range = node->range,
                           .label = expr_label(ck, node),
                           .text = "",
                           .unit = "",
                           .name = ""};
    return true;
}

/* Where the fields of the command's run are names. */
static struct env
question_env(const struct check *ck, const struct tm_command *cmd,
             enum imp_option_id run)
{
    struct env env = ck->modules.top;
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == run)
            env.question = 1 + cmd->opts[i].val.ref;
    return env;
}

/* Does the command state a run which is wrong? That has been reported, and
 * names of its fields are not known. */
static bool
run_is_wrong(const struct ast_item *it, const struct env *env)
{
    bool stated = false;
    for (size_t i = 0; i < it->n_block; i++)
        stated |= it->block[i]->kind == AST_KEY &&
                  !strcmp(it->block[i]->name.text, "run");
    return stated && !env->question;
}

/* -- what an expression may read ------------------------------------------- */

struct reads {
    struct check *ck;
    const struct tm_val *over;
    bool hidden, other; /* a param within a list; something that moves */
};

static void reads_of(struct reads *reads, const expr *const *e, size_t n,
                     bool within);

/* Looks at what a list is made of. */
static void
list_reads(struct reads *reads, uint32_t number)
{
    const struct tm_list *list = &reads->ck->lists.lists.v[number];
    for (size_t i = 0; i < list->n_inputs; i++)
        reads_of(reads, list->inputs[i].e,
                 (size_t)list->inputs[i].rows * list->inputs[i].cols, true);
}

struct leaf_walk {
    struct reads *reads;
    bool within;
};

static void
walk_leaf(void *ctx, const expr *leaf)
{
    struct leaf_walk *walk = ctx;
    struct reads *reads = walk->reads;
    switch (leaf->sym) {
    case SYM_PARAM:
        for (size_t i = 0; walk->within && i < reads->over->n_items; i++)
            reads->hidden |= reads->over->items[i].ref == leaf->i;
        break;
    case SYM_CELL:
        list_reads(reads, leaf->i);
        break;
    case SYM_SLOT: {
        const struct tm_slot *slot = &reads->ck->lists.slots.v[leaf->i];
        if (slot->kind == IMP_SLOT_LIST)
            list_reads(reads, slot->command);
        break;
    }
    default:
        reads->other = true;
    }
}

static void
reads_of(struct reads *reads, const expr *const *e, size_t n, bool within)
{
    struct leaf_walk walk = {reads, within};
    ex_leaves(reads->ck->g, e, n, walk_leaf, &walk);
}

/* Is the expression of a fit made of params, numbers and lists, so that its
 * derivatives are known? False: reported. */
static bool
fit_reads(struct check *ck, const struct tm_val *over, const expr *residual,
          const struct ast_expr *node)
{
    struct reads reads = {ck, over, false, false};
    reads_of(&reads, &residual, 1, false);
    if (!reads.hidden && !reads.other)
        return true;
    struct diag *diag = check_error(
        ck, DIAG_E0431, node->range,
        reads.other
            ? "what is fitted is made of params, numbers and lists, and "
              "of nothing that moves"
            : "a param of this fit stands within a function of a whole "
              "list, or within a condition that selects");
    CHECK_HELP(
        ck, diag,
        reads.other
            ? "a fit of runs names them: fit x to d over a { run = simulate "
              "{ at = times  keep = 0  record = x } }"
            : "a fit needs derivatives entry by entry; minimise needs "
              "none: minimise sum((f - d)^2) over a");
    return false;
}

/* -- fit ------------------------------------------------------------------- */

static enum option_taken
fit_option(struct check *ck, uint32_t command, const struct option_row *row,
           const struct ast_item *key, struct tm_val *out)
{
    (void)command;
    if (row->kind == IMP_OPTK_AXES)
        return over_option(ck, key, "fit", out) ? OPTION_GOOD : OPTION_WRONG;
    if (row->kind == IMP_OPTK_QUESTION)
        return question_option(ck, key, "fit", out) ? OPTION_GOOD
                                                    : OPTION_WRONG;
    return row->kind == IMP_OPTK_NUMBERS ? OPTION_WAITS : OPTION_PLAIN;
}

static void
fit_missing(struct check *ck, struct diag *diag, const struct option_row *row,
            const struct ast_item *it)
{
    (void)row;
    CHECK_HELP(ck, diag, "as in %s %s%s over (a, b)", it->name.text,
               it->n_args ? expr_label(ck, it->args[0]) : "a*x + b",
               !strcmp(it->name.text, "fit") ? " to d.y" : "");
}

/* A list as a column, or one number; poison after an error. written: numbers in
 * brackets are a list, too. */
static struct value
list_of(struct check *ck, const struct env *env, const struct ast_expr *node,
        bool written, const char *what)
{
    struct value value = check_expr(ck, env, node);
    if (value.kind == VALUE_POISON)
        return value;
    if (written && value.kind == VALUE_NUM && value.cols == 1 &&
        value.rows > 1 && !value.dims)
        value.kind = VALUE_LIST;
    if (value_is_list(ck, &value))
        value = list_column(ck, &value, expr_label(ck, node));
    if (value_is_scalar(&value) ||
        (value.kind == VALUE_COLUMN && value.rows == 1 && !value.truth))
        return value;
    CHECK_HELP(ck,
               check_error(ck, DIAG_E0431, node->range,
                           "%s is a list of numbers, but this is %s", what,
                           value_kind_text(ck, &value)),
               "as in fit a + b*d.x to d.y over (a, b)");
    return value_poison(node->range);
}

static const struct ast_expr *
errors_of(const struct ast_item *it)
{
    for (size_t i = 0; i < it->n_block; i++)
        if (it->block[i]->kind == AST_KEY &&
            !strcmp(it->block[i]->name.text, "errors"))
            return it->block[i]->value;
    return NULL;
}

/* The standard errors of the data, as a column, become an option. */
static bool
take_errors(struct check *ck, uint32_t command, const struct ast_expr *node,
            const struct value *residual)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    struct value errors = list_of(ck, &ck->modules.top, node, true, "`errors`");
    if (errors.kind == VALUE_POISON ||
        !value_need_dim(ck, &errors, node, residual->dim,
                        "an error of the data"))
        return false;
    struct tm_opt *opt = &cmd->opts[cmd->n_opts];
    struct value list = errors;
    if (errors.kind != VALUE_COLUMN)
        list = list_of_entry(&errors, residual, 1);
    val_of(ck, &list, node, &opt->val);
    opt->id = IMP_OPT_fit_errors;
    cmd->n_opts++;
    return true;
}

/* The columns of a record that are known when the params are. */
static void
fit_columns(struct check *ck, uint32_t command, const struct tm_val *over,
            const struct dim *dim)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    for (size_t i = 0; i < cmd->n_fields; i++) {
        bool square = !strcmp(cmd->fields[i].name, "covariance");
        bool pair = !strcmp(cmd->fields[i].name, "confidence");
        if (square || pair)
            cmd->fields[i].width = square ? (uint32_t)over->n_items : 2;
    }
    for (size_t i = 0; i < over->n_items; i++) {
        const struct tm_val *item = &over->items[i];
        const struct dim *of = ck->notes.param_decls.v[item->ref]->val.dim;
        record_number(ck, command, item->name, "estimate of the param", of);
        record_number(ck, command,
                      arena_printf(ck->arena, "%s_error", item->name),
                      "its standard error", of);
    }
    record_list(ck, command, "fitted", "the expression at these params", dim);
    record_list(ck, command, "residuals", "fitted less data", dim);
    record_number(ck, command, "deviation",
                  "root of the squares of the residuals over the degrees of "
                  "freedom",
                  dim);
}

static bool
fit_argument(struct check *ck, uint32_t command, size_t i,
             const struct ast_expr *node, bool *good)
{
    (void)ck;
    (void)command;
    (void)i;
    (void)node;
    *good = true; /* fit_arguments takes it, with the data */
    return true;
}

static bool
fit_arguments(struct check *ck, uint32_t command, const struct ast_item *it)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct tm_val *over = over_of(cmd);
    if (it->n_args != 1 || !it->to) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0431, it->name.range,
                               "`fit` takes an expression, and behind `to` the "
                               "data"),
                   "as in fit a + b*d.x to d.y over (a, b)");
        return false;
    }
    struct env env = question_env(ck, cmd, IMP_OPT_fit_run);
    if (run_is_wrong(it, &env))
        return false;
    struct value fitted =
        list_of(ck, &env, it->args[0], false, "what is fitted");
    struct value data = list_of(ck, &env, it->to, true, "what follows `to`");
    cmd = &ck->lists.commands.v[command];
    if (!over || fitted.kind == VALUE_POISON || data.kind == VALUE_POISON)
        return false;
    const struct ast_expr minus = {.kind = AST_BINARY,
                                   .range = it->args[0]->range,
                                   .op = AST_SUB,
                                   .op_range = it->to->range,
                                   .a = it->args[0],
                                   .b = it->to};
    if (data.kind != VALUE_COLUMN && fitted.kind != VALUE_COLUMN) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0431, it->to->range,
                               "the data are a list, but this is %s",
                               value_kind_text(ck, &data)),
                   "as in fit a + b*d.x to d.y over (a, b)");
        return false;
    }
    struct value residual = list_binary(ck, &minus, &fitted, &data);
    bool run = env.question > 0;
    if (run && residual.kind == VALUE_COLUMN &&
        !check_leaves(ck, residual.e, 1, MAY_PARAMS | MAY_RESULTS, it->args[0],
                      "what is fitted to runs"))
        return false;
    if (residual.kind != VALUE_COLUMN ||
        (!run && !fit_reads(ck, over, residual.e[0], it->args[0])))
        return false;
    uint32_t n = run ? 0 : (uint32_t)over->n_items;
    struct value all =
        value_array(ck, n + 2, 1, residual.dim, it->args[0]->range);
    all.kind = VALUE_COLUMN;
    all.ref = residual.ref;
    all.e[0] = fitted.e[0];
    all.e[1] = residual.e[0];
    for (uint32_t k = 0; k < n; k++)
        all.e[2 + k] = ex_diff(ck->g, residual.e[0],
                               ex_sym(ck->g, SYM_PARAM, over->items[k].ref, 0));
    val_of(ck, &all, it->args[0], &cmd->args[cmd->n_args++]);
    const struct ast_expr *errors = errors_of(it);
    if (errors && !take_errors(ck, command, errors, &residual))
        return false;
    fit_columns(ck, command, over, residual.dim);
    return true;
}

/* -- minimise -------------------------------------------------------------- */

static enum option_taken
minimise_option(struct check *ck, uint32_t command,
                const struct option_row *row, const struct ast_item *key,
                struct tm_val *out)
{
    (void)command;
    if (row->kind == IMP_OPTK_AXES)
        return over_option(ck, key, "minimise", out) ? OPTION_GOOD
                                                     : OPTION_WRONG;
    if (row->kind == IMP_OPTK_QUESTION)
        return question_option(ck, key, "minimise", out) ? OPTION_GOOD
                                                         : OPTION_WRONG;
    return OPTION_PLAIN;
}

static bool
minimise_arguments(struct check *ck, uint32_t command,
                   const struct ast_item *it)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct tm_val *over = over_of(cmd);
    struct env env = question_env(ck, cmd, IMP_OPT_minimise_run);
    if (it->n_args != 1 || it->to) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0431, it->name.range,
                               "`minimise` takes one expression"),
                   "as in minimise (a - 1)^2 over a");
        return false;
    }
    if (!over || run_is_wrong(it, &env))
        return false;
    const struct ast_expr *node = it->args[0];
    struct value value = check_expr(ck, &env, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind != VALUE_NUM || !value_is_scalar(&value)) {
        CHECK_HELP(
            ck,
            check_error(ck, DIAG_E0431, node->range,
                        "what is minimised is one number, but this is %s",
                        value_kind_text(ck, &value)),
            value_is_list(ck, &value)
                ? "of a list take sum((f - d)^2), mean or max"
                : "a number made of params, lists, and fields of `run`");
        return false;
    }
    if (env.question > 0 &&
        !check_leaves(ck, value.e, 1, MAY_PARAMS | MAY_RESULTS, node,
                      "what is minimised of runs"))
        return false;
    cmd = &ck->lists.commands.v[command];
    val_of(ck, &value, node, &cmd->args[cmd->n_args++]);
    const struct dim *dim = value.bare ? dim_pure(ck->dims) : value.dim;
    record_number(ck, command, "value", "the least value", dim);
    for (size_t i = 0; i < cmd->n_fields; i++)
        if (!strcmp(cmd->fields[i].name, "minima"))
            cmd->fields[i].width = (uint32_t)over->n_items;
    record_list(ck, command, "values", "of all minima that were found, rising",
                dim);
    for (size_t i = 0; i < over->n_items; i++)
        record_number(ck, command, over->items[i].name,
                      "the param where the value is least",
                      ck->notes.param_decls.v[over->items[i].ref]->val.dim);
    record_list(ck, command, "grid_values",
                "at the points of the grid, the last param fastest", dim);
    for (size_t i = 0; i < over->n_items; i++)
        record_list(ck, command,
                    arena_printf(ck->arena, "%s_grid", over->items[i].name),
                    "of the points of the grid",
                    ck->notes.param_decls.v[over->items[i].ref]->val.dim);
    return true;
}

/* When the whole model has been read: no param of `over` is structural, and
 * those of its bounds that are known now lie within its own range. */
static void
late(struct check *ck, const struct tm_command *cmd)
{
    const struct tm_val *over = over_of(cmd);
    for (size_t i = 0; over && i < over->n_items; i++) {
        const struct tm_val *item = &over->items[i];
        const struct tm_param *param = &ck->lists.params.v[item->ref];
        if (param->structural) {
            struct diag *diag = check_error(
                ck, DIAG_E0430, item->range,
                "`%s` is structural: it fixes how many of something there are, "
                "and is not varied evenly",
                param->name);
            CHECK_NOTE(ck, diag, param->range, "the param");
            CHECK_HELP(ck, diag, "ask for each value by a sweep");
        }
        for (uint32_t k = 0; item->e && k < 2 && param->has_range; k++)
            if (ex_is_const(item->e[k]) && !(item->e[k]->num >= param->lo &&
                                             item->e[k]->num <= param->hi)) {
                struct diag *diag = check_error(
                    ck, DIAG_E0430, item->range,
                    "%g is outside the range [%g, %g] of the param `%s`",
                    item->e[k]->num, param->lo, param->hi, param->name);
                CHECK_NOTE(ck, diag, param->range, "the range is stated here");
            }
    }
}

const struct command_rules command_rules_fit = {.option = fit_option,
                                                .missing = fit_missing,
                                                .argument = fit_argument,
                                                .arguments = fit_arguments,
                                                .late = late};
const struct command_rules command_rules_minimise = {.option = minimise_option,
                                                     .missing = fit_missing,
                                                     .argument = fit_argument,
                                                     .arguments =
                                                         minimise_arguments,
                                                     .late = late};
