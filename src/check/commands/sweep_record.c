/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep keeps of its runs: the columns of its record. They are the
 * params that vary, then fields of the question's record, or expressions in
 * which such fields are names (env.question). Checked when all else of the
 * sweep is known. */
#include <assert.h>
#include <string.h>

#include "check/commands/commands_priv.h"

static bool
kept_kind(enum imp_field_kind k)
{
    return k == IMP_FIELD_NUM || k == IMP_FIELD_VEC || k == IMP_FIELD_SPIN ||
           k == IMP_FIELD_BOOL || k == IMP_FIELD_TEXT;
}

/* Finds a field of the question's record by its name; a name that is none is
 * reported. */
static bool
field_of(struct check *ck, uint32_t question, const struct ast_expr *node,
         uint32_t *field)
{
    const struct tm_command *cmd = &ck->lists.commands.v[question];
    const char *word = command_row(cmd->id)->name;
    const char **names = NEW_N(ck->arena, const char *, cmd->n_fields + 1);
    size_t count = 0;
    const struct ast_expr *inner = ast_unwrap(node);
    for (uint32_t i = 0; i < cmd->n_fields; i++) {
        if (kept_kind(cmd->fields[i].kind))
            names[count++] = cmd->fields[i].name;
        if (inner->kind != AST_NAME ||
            strcmp(cmd->fields[i].name, inner->name.text))
            continue;
        if (kept_kind(cmd->fields[i].kind)) {
            *field = i;
            return true;
        }
        struct diag *diag =
            check_error(ck, DIAG_E0408, node->range,
                        "`%s` of `%s` is a list, and a sweep keeps "
                        "single values of each run",
                        inner->name.text, word);
        if (cmd->fields[i].kind == IMP_FIELD_TEXTS)
            CHECK_HELP(ck, diag,
                       "one of them is kept, as %s[-1], or a number made of "
                       "them, as length(%s) or count(%s == \"...\")",
                       inner->name.text, inner->name.text, inner->name.text);
        else
            CHECK_HELP(ck, diag,
                       "one number of it is kept, as max(%s) or %s[-1]; its "
                       "single values are listed by imp doc %s",
                       inner->name.text, inner->name.text, word);
        return false;
    }
    if (inner->kind != AST_NAME) {
        struct diag *diag =
            check_error(ck, DIAG_E0408, node->range,
                        "`record` of a sweep names fields of the "
                        "record of `%s`",
                        word);
        CHECK_HELP(ck, diag, "as in record = (%s)", count ? names[0] : "time");
        return false;
    }
    struct diag *d = check_error(ck, DIAG_E0408, node->range,
                                 "the record of `%s` has no field "
                                 "`%s`",
                                 word, inner->name.text);
    if (!check_suggest(ck, d, node->range, inner->name.text, names, count))
        CHECK_HELP(ck, d, "a sweep can keep %s",
                   check_join(ck, names, count, "and"));
    return false;
}

/* Adds a column to the record of a command. */
static void
add_column(struct check *ck, uint32_t command, enum imp_field_kind kind,
           uint32_t width, const char *name, const char *unit, const char *doc,
           const struct dim *dim)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    struct record *record = &ck->notes.records.v[command];
    struct tm_field *fields =
        NEW_N(ck->arena, struct tm_field, cmd->n_fields + 1);
    struct record_dim *dims =
        NEW_N(ck->arena, struct record_dim, record->n + 1);
    memcpy(fields, cmd->fields, cmd->n_fields * sizeof *fields);
    if (record->n)
        memcpy(dims, record->dims, record->n * sizeof *dims);
    dims[record->n] = (struct record_dim){.all = dim, .n = width};
    fields[cmd->n_fields] =
        (struct tm_field){.name = column_name(ck, cmd, NULL, 0, name, NULL),
                          .unit = unit,
                          .doc = doc,
                          .kind = kind,
                          .column = (uint32_t)++record->n,
                          .width = width};
    cmd->fields = fields;
    cmd->n_fields++;
    record->dims = dims;
}

void
record_number(struct check *ck, uint32_t command, const char *name,
              const char *doc, const struct dim *dim)
{
    assert(ck && name && doc && dim);
    add_column(ck, command, IMP_FIELD_NUM, 1, name, "", doc, dim);
}

void
record_list(struct check *ck, uint32_t command, const char *name,
            const char *doc, const struct dim *dim)
{
    assert(ck && name && doc && dim);
    add_column(ck, command, IMP_FIELD_LIST, 1, name, "", doc, dim);
}

/* Makes a column of the sweep's record, of what is `kind` in each run. */
static void
column(struct check *ck, uint32_t command, enum imp_field_kind kind,
       uint32_t width, const char *name, const char *unit, const char *doc,
       const struct dim *dim)
{
    add_column(ck, command,
               kind == IMP_FIELD_TEXT ? IMP_FIELD_TEXTS
               : width > 1            ? IMP_FIELD_VECS
                                      : IMP_FIELD_LIST,
               width, name, unit, doc, dim);
}

/* Does the option `summary` ask for one row per combination? */
static bool
summarised(struct check *ck, const struct tm_command *cmd)
{
    double number = 0;
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == IMP_OPT_sweep_summary)
            check_fixed(ck, cmd->opts[i].val.e[0], &number);
    return number > 0;
}

/* Returns an option of a sweep, or NULL. */
static const struct tm_val *
option_of(const struct tm_command *cmd, uint32_t id)
{
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == id)
            return &cmd->opts[i].val;
    return NULL;
}

/* Makes a column for each of the option `quantiles`: time_q5, time_q97_5. */
static void
quantile_columns(struct check *ck, uint32_t command, const char *name,
                 const char *unit, const struct dim *dim)
{
    const struct tm_val *shares =
        option_of(&ck->lists.commands.v[command], IMP_OPT_sweep_quantiles);
    for (uint32_t i = 0; shares && i < shares->rows; i++) {
        double share = 0;
        check_fixed(ck, shares->e[i], &share);
        const char *percent = arena_printf(ck->arena, "%.10g", 100 * share);
        char *label = arena_printf(ck->arena, "%s_q%s", name, percent);
        for (char *at = label; *at; at++)
            if (*at == '.' || *at == '-' || *at == '+')
                *at = '_';
        column(
            ck, command, IMP_FIELD_NUM, 1, label, unit,
            arena_printf(ck->arena, "quantile of %s %% of the runs", percent),
            dim);
    }
}

/* Finds the item of the block that gives an option. NULL: there is none. */
static const struct ast_item *
block_key(const struct ast_item *it, const char *name)
{
    for (size_t i = 0; i < it->n_block; i++)
        if (it->block[i]->kind == AST_KEY &&
            !strcmp(it->block[i]->name.text, name))
            return it->block[i];
    return NULL;
}

/* The number that is kept under this name, as a column of the record; NULL
 * after E0408. `names`: those that there are. */
static const struct tm_field *
kept_number(struct check *ck, uint32_t command, const struct ast_arg *arg,
            const char *const *names, size_t count)
{
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    const char *name = arg->name.text;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < cmd->n_fields && !strcmp(names[i], name); k++)
            if (cmd->fields[k].column && !strcmp(cmd->fields[k].name, name))
                return &cmd->fields[k];
    struct diag *diag =
        check_error(ck, DIAG_E0408, arg->name.range,
                    "`histograms` names numbers that this sweep keeps, and "
                    "`%s` is none",
                    name);
    if (!check_suggest(ck, diag, arg->name.range, name, names, count) && count)
        CHECK_HELP(ck, diag, "it keeps %s",
                   check_join(ck, names, count, "and"));
    return NULL;
}

/* Makes the columns of `histograms`, one each: a count per bin. */
static bool
histogram_columns(struct check *ck, uint32_t command, const struct ast_item *it,
                  const char *const *names, size_t count)
{
    const struct tm_val *option =
        option_of(&ck->lists.commands.v[command], IMP_OPT_sweep_histograms);
    const struct ast_item *key = block_key(it, "histograms");
    for (size_t i = 0; option && key && i < option->n_items; i++) {
        const struct ast_arg *arg = &key->value->args[i];
        const struct tm_field *field =
            kept_number(ck, command, arg, names, count);
        if (!field)
            return false;
        const struct dim *dim =
            ck->notes.records.v[command].dims[field->column - 1].all;
        struct value edges = check_expr(ck, &ck->modules.top, arg->value);
        if (!value_need_dim(
                ck, &edges, arg->value, dim,
                arena_printf(ck->arena, "an edge of `%s`", field->name)))
            return false;
        column(ck, command, IMP_FIELD_NUM, option->items[i].rows - 1,
               arena_printf(ck->arena, "%s_histogram", field->name), "",
               "runs in each bin", dim_pure(ck->dims));
    }
    return true;
}

/* The names of the numbers among what is kept, `items`. */
static const char *const *
kept_numbers(struct check *ck, const struct tm_val *items, size_t n_items,
             size_t *count)
{
    const char **names = NEW_N(ck->arena, const char *, n_items + 1);
    *count = 0;
    for (size_t i = 0; i < n_items; i++) {
        const struct tm_field *field =
            items[i].kind == IMP_VAL_FIELD
                ? &ck->lists.commands.v[items[i].ref].fields[items[i].field]
                : NULL;
        if (field ? field->kind != IMP_FIELD_TEXT &&
                        field->kind != IMP_FIELD_TEXTS && field->width <= 1
                  : items[i].rows <= 1)
            names[(*count)++] = items[i].name;
    }
    return names;
}

/* Makes the columns of `worst`: the params of the run in which it is greatest,
 * and how that run is made again. */
static bool
worst_columns(struct check *ck, uint32_t command, const char *const *names,
              size_t count)
{
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct tm_val *worst = option_of(cmd, IMP_OPT_sweep_worst);
    bool found = false;
    if (!worst)
        return true;
    for (size_t i = 0; i < count; i++)
        found |= !strcmp(names[i], worst->text);
    if (!found) {
        struct diag *diag =
            check_error(ck, DIAG_E0408, worst->range,
                        "`worst` names a number that this sweep keeps, and "
                        "`%s` is none",
                        worst->text);
        if (!check_suggest(ck, diag, worst->range, worst->text, names, count) &&
            count)
            CHECK_HELP(ck, diag, "it keeps %s",
                       check_join(ck, names, count, "and"));
        return false;
    }
    for (size_t i = 0; i < cmd->n_opts; i++) {
        const struct tm_opt *o = &cmd->opts[i];
        if (o->id != IMP_OPT_sweep_random && o->id != IMP_OPT_sweep_within)
            continue;
        for (size_t k = 0; k < o->val.n_items; k++) {
            const struct tm_val *axis = &o->val.items[k];
            struct value param = check_decl(
                ck, ck->notes.param_decls.v[axis->field], axis->range);
            column(ck, command, IMP_FIELD_NUM, 1,
                   arena_printf(ck->arena, "worst_%s", axis->name), "",
                   arena_printf(ck->arena,
                                "param of the run with the greatest "
                                "%s",
                                worst->text),
                   param.dim);
        }
    }
    column(ck, command, IMP_FIELD_TEXT, 1, "worst_run", "",
           "options of `imp run` with which a model makes that run alone",
           dim_pure(ck->dims));
    return true;
}

/* Makes the columns of what is kept: one column, or those of a summary. */
static void
kept_columns(struct check *ck, uint32_t command, enum imp_field_kind kind,
             uint32_t width, const char *name, const char *unit,
             const char *doc, const struct dim *dim)
{
    static const char *const of[][2] = {{"min", "smallest"},
                                        {"max", "greatest"},
                                        {"deviation", "standard deviation"}};
    column(ck, command, kind, width, name, unit, doc, dim);
    if (!summarised(ck, &ck->lists.commands.v[command]))
        return;
    if (kind == IMP_FIELD_TEXT) {
        column(ck, command, IMP_FIELD_NUM, 1,
               arena_printf(ck->arena, "%s_share", name), "",
               "share of the runs with this text", dim_pure(ck->dims));
        return;
    }
    for (int i = 0; i < 3; i++)
        column(ck, command, kind, width,
               arena_printf(ck->arena, "%s_%s", name, of[i][0]), unit,
               arena_printf(ck->arena, "%s of the runs", of[i][1]), dim);
    if (width == 1)
        quantile_columns(ck, command, name, unit, dim);
}

/* Makes the columns of the params that vary. Returns the number of runs, in
 * which a list whose length a run knows counts once. */
static double
axis_columns(struct check *ck, uint32_t command)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    double runs = 1, repeat = 1;
    bool summary = summarised(ck, cmd);
    for (size_t i = 0; i < cmd->n_opts; i++) {
        const struct tm_opt *o = &cmd->opts[i];
        if (o->id == IMP_OPT_sweep_repeat)
            check_fixed(ck, o->val.e[0], &repeat);
        bool over = o->id == IMP_OPT_sweep_over;
        for (size_t k = 0; k < o->val.n_items && o->id == IMP_OPT_sweep_within;
             k++)
            runs *= o->val.items[k].rows;
        if (!over && (o->id != IMP_OPT_sweep_random || summary))
            continue;
        for (size_t k = 0; k < o->val.n_items; k++) {
            const struct tm_val *a = &o->val.items[k];
            struct value param =
                check_decl(ck, ck->notes.param_decls.v[a->field], a->range);
            runs *= over ? a->rows : 1;
            column(ck, command, IMP_FIELD_NUM, 1, a->name, "",
                   over ? "param of the run" : "param of the run, drawn",
                   param.dim);
        }
    }
    if (summary)
        column(ck, command, IMP_FIELD_NUM, 1, "runs", "",
               "runs that gave values", dim_pure(ck->dims));
    else if (repeat > 1)
        column(ck, command, IMP_FIELD_NUM, 1, "repeat", "",
               "number of the run, from 0", dim_pure(ck->dims));
    return runs * repeat;
}

/* Checks that `summary` is known before anything runs, and that there is
 * something to summarise. */
static bool
summary_fits(struct check *ck, const struct tm_command *cmd)
{
    const struct tm_opt *of = NULL;
    double number = 0, repeat = 1;
    for (size_t i = 0; i < cmd->n_opts; i++) {
        const struct tm_opt *o = &cmd->opts[i];
        of = o->id == IMP_OPT_sweep_summary ? o : of;
        if (o->id == IMP_OPT_sweep_repeat)
            check_fixed(ck, o->val.e[0], &repeat);
    }
    if (of && !check_fixed(ck, of->val.e[0], &number)) {
        check_error(ck, DIAG_E0423, of->val.range,
                    "`summary` is true or false, made of literals and params");
        return false;
    }
    for (size_t i = 0; i < cmd->n_opts && !(number > 0); i++) {
        const struct tm_opt *o = &cmd->opts[i];
        if (o->id != IMP_OPT_sweep_within && o->id != IMP_OPT_sweep_quantiles &&
            o->id != IMP_OPT_sweep_histograms && o->id != IMP_OPT_sweep_worst)
            continue;
        struct diag *diag = check_error(
            ck, DIAG_E0423, o->val.range,
            "`%s` is of summaries, but this sweep has a row per run",
            option_row(o->id)->key);
        CHECK_HELP(ck, diag, "ask for a row per combination: summary = true");
        return false;
    }
    if (number > 0 && repeat <= 1 && !option_of(cmd, IMP_OPT_sweep_within)) {
        struct diag *diag =
            check_error(ck, DIAG_E0423, of->val.range,
                        "every combination has one run, so there is "
                        "nothing to summarise");
        CHECK_HELP(ck, diag,
                   "say how many runs: repeat = 100, or which: within = "
                   "(PARAM in linspace(0, 1, 21))");
        return false;
    }
    return true;
}

/* Checks that no param stands in two options. */
static bool
vary_apart(struct check *ck, const struct tm_val *first,
           const struct tm_val *second, const char *key, const char *other)
{
    for (size_t i = 0; i < first->n_items; i++)
        for (size_t k = 0; k < second->n_items; k++)
            if (first->items[i].field == second->items[k].field) {
                check_error(ck, DIAG_E0421, second->items[k].range,
                            "the param `%s` stands in `%s` and in `%s`",
                            first->items[i].name, key, other);
                return false;
            }
    return true;
}

/* Checks that no param is both stepped and drawn, and that something varies. */
static bool
varied(struct check *ck, const struct tm_command *cmd,
       const struct ast_item *it)
{
    static const uint32_t of[] = {IMP_OPT_sweep_over, IMP_OPT_sweep_random,
                                  IMP_OPT_sweep_within};
    enum { AXES = sizeof of / sizeof *of };
    const struct tm_val *axes[AXES];
    bool some = option_of(cmd, IMP_OPT_sweep_repeat) != NULL;
    for (int i = 0; i < AXES; i++) {
        axes[i] = option_of(cmd, of[i]);
        some |= axes[i] != NULL;
    }
    if (!some && it->n_args)
        return false; /* That it takes no argument has been reported. */
    if (!some) {
        struct diag *diag = check_error(ck, DIAG_E0421, it->name.range,
                                        "this sweep has nothing to vary");
        if (ck->notes.param_decls.n)
            CHECK_HELP(ck, diag,
                       "say which param: over = (%s in linspace(0, 1, 11))",
                       ck->notes.param_decls.v[0]->name);
        else
            CHECK_HELP(ck, diag,
                       "declare a knob, param e = 0.5 in [0, 1], and say "
                       "over = (e in linspace(0, 1, 11))");
        return false;
    }
    for (int first = 0; first < AXES; first++)
        for (int second = first + 1; second < AXES; second++)
            if (axes[first] && axes[second] &&
                !vary_apart(ck, axes[first], axes[second],
                            option_row(of[first])->key,
                            option_row(of[second])->key))
                return false;
    return true;
}

/* Keeps a field of the question as it is. */
static void
keep_field(struct check *ck, uint32_t command, uint32_t question,
           uint32_t field, imp_range range, struct tm_val *out)
{
    const struct tm_command *asked = &ck->lists.commands.v[question];
    const struct tm_field *source = &asked->fields[field];
    bool text = source->kind == IMP_FIELD_TEXT;
    *out = (struct tm_val){.kind = IMP_VAL_FIELD,
                           .ref = question,
                           .field = field,
                           .range = range,
                           .label = source->name,
                           .text = "",
                           .unit = "",
                           .name = source->name};
    kept_columns(ck, command, source->kind, text ? 1 : source->width,
                 source->name, source->unit, source->doc,
                 text ? dim_pure(ck->dims)
                      : field_dim(ck, asked, source, UINT32_MAX, range));
}

/* Is this a name that can only mean a field? */
static bool
is_field(struct check *ck, uint32_t question, const struct ast_expr *node)
{
    const struct tm_command *q = &ck->lists.commands.v[question];
    const struct ast_expr *inner = ast_unwrap(node);
    bool reported = false;
    if (inner->kind != AST_NAME)
        return false;
    for (uint32_t i = 0; i < q->n_fields; i++)
        if (!strcmp(q->fields[i].name, inner->name.text))
            return true;
    return !scope_find(ck, ck->modules.main, inner->name.text, WANT_VALUE,
                       inner->range, &reported) &&
           !reported && strcmp(inner->name.text, "pi") != 0;
}

/* Reports what an expression gives when it is no number. */
static void
no_number(struct check *ck, uint32_t question, const struct ast_expr *node,
          const struct value *value)
{
    const struct tm_command *asked = &ck->lists.commands.v[question];
    const char *word = command_row(asked->id)->name;
    struct diag *diag;
    if (value->kind == VALUE_FIELD && value->ref != question) {
        diag = check_error(
            ck, DIAG_E0408, node->range,
            "`%s` belongs to the record of an earlier command, which "
            "is the same in all runs",
            expr_label(ck, node));
        CHECK_HELP(
            ck, diag, "name the field of `%s` alone, as in record = (%s)", word,
            asked->fields[value->field < asked->n_fields ? value->field : 0]
                .name);
        return;
    }
    diag = check_error(
        ck, DIAG_E0408, node->range,
        "a sweep keeps numbers, vectors and truths of each run, but "
        "this is %s",
        value_kind_text(ck, value));
    if (value->kind == VALUE_FIELD &&
        asked->fields[value->field].kind == IMP_FIELD_TEXTS)
        CHECK_HELP(ck, diag,
                   "one of these texts is kept, %s[-1], or how often one "
                   "comes, count(%s == \"...\")",
                   asked->fields[value->field].name,
                   asked->fields[value->field].name);
    else
        CHECK_HELP(
            ck, diag,
            "fields of the record of `%s` and what is calculated from them "
            "and from params: imp doc %s lists them",
            word, word);
}

/* Does the record have an entry from the end, s_x[-1], whose name would be that
 * of another one, s_x[1]? Then indices below 0 say their sign. */
static bool
says_signs(struct check *ck, const struct ast_expr *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *label = expr_label(ck, list[i]);
        if (!strstr(label, "[-"))
            continue;
        const char *name = val_name(ck, label, false),
                   *sign = val_name(ck, label, true);
        for (size_t k = 0; k < count; k++) {
            const char *other = expr_label(ck, list[k]);
            if (!strcmp(val_name(ck, other, false), name) &&
                strcmp(val_name(ck, other, true), sign) != 0)
                return true;
        }
    }
    return false;
}

/* Keeps one entry of a list of texts, event_kinds[-1]. */
static void
keep_entry(struct check *ck, uint32_t command, const struct value *entry,
           const struct ast_expr *node, bool sign, struct tm_val *out)
{
    val_of(ck, entry, node, out);
    out->rows = 1;
    out->cols = entry->cols;
    out->name = column_name(ck, &ck->lists.commands.v[command], NULL, 0,
                            val_name(ck, out->label, sign), out->label);
    kept_columns(ck, command, IMP_FIELD_TEXT, 1, out->name, "",
                 arena_printf(ck->arena, "of each run: %s", out->label),
                 dim_pure(ck->dims));
}

/* Keeps an expression of fields and params. */
static bool
expression(struct check *ck, uint32_t command, uint32_t question,
           const struct ast_expr *node, bool sign, struct tm_val *out)
{
    struct env env = ck->modules.top;
    env.question = 1 + question;
    struct value value = check_expr(ck, &env, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind == VALUE_TRUTH)
        value.kind = VALUE_NUM;
    if (value.kind == VALUE_FIELD && value.ref == question && value.rows) {
        keep_entry(ck, command, &value, node, sign, out);
        return true;
    }
    if (value.kind != VALUE_NUM || value.cols != 1) {
        no_number(ck, question, node, &value);
        return false;
    }
    if (!matrix_plain(ck, &value, node->range, "what a sweep keeps") ||
        !check_leaves(ck, value.e, value.rows, MAY_PARAMS | MAY_RESULTS, node,
                      "what a sweep keeps"))
        return false;
    val_of(ck, &value, node, out);
    out->name = column_name(ck, &ck->lists.commands.v[command], NULL, 0,
                            val_name(ck, out->label, sign), out->label);
    kept_columns(ck, command, IMP_FIELD_NUM, value.rows, out->name, "",
                 arena_printf(ck->arena, "calculated: %s", out->label),
                 value.bare ? dim_pure(ck->dims) : value.dim);
    return true;
}

bool
sweep_record(struct check *ck, uint32_t command, const struct ast_item *it)
{
    assert(ck && it);
    assert(command < ck->lists.commands.n);
    const struct ast_item *key = block_key(it, "record");
    struct tm_command *cmd = &ck->lists.commands.v[command];
    uint32_t question = command, field;
    for (size_t entry = 0; entry < cmd->n_opts; entry++)
        if (cmd->opts[entry].id == IMP_OPT_sweep_run)
            question = cmd->opts[entry].val.ref;
    if (!varied(ck, cmd, it) || !summary_fits(ck, cmd))
        return false;
    double runs = axis_columns(ck, command);
    if (runs > IMP_SWEEP_MOST) {
        struct diag *diag =
            check_error(ck, DIAG_E0423, it->name.range,
                        "this sweep has %g runs; at most 1e8 are "
                        "made",
                        runs);
        CHECK_HELP(ck, diag, "take fewer values, or several sweeps");
        return false;
    }
    const struct ast_expr *node = key ? ast_unwrap(key->value) : NULL;
    const struct ast_expr *const *list = &node;
    size_t count = 1, kept = 0;
    if (node && node->kind == AST_TUPLE && !node->unit) {
        list = (const struct ast_expr *const *)node->list;
        count = node->n_list;
    } else if (!node) {
        count = ck->lists.commands.v[question].n_fields;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, count + 1);
    bool ok = true, signs = node && says_signs(ck, list, count);
    for (size_t entry = 0; entry < count; entry++) {
        field = (uint32_t)entry;
        if (!node &&
            !kept_kind(ck->lists.commands.v[question].fields[field].kind))
            continue;
        if (node && !is_field(ck, question, list[entry])) {
            bool good = expression(ck, command, question, list[entry], signs,
                                   &items[kept]);
            ok &= good;
            kept += good;
            continue;
        }
        if (node && !field_of(ck, question, list[entry], &field)) {
            ok = false;
            continue;
        }
        keep_field(ck, command, question, field,
                   node ? list[entry]->range : it->range, &items[kept++]);
    }
    size_t n_names;
    const char *const *names = kept_numbers(ck, items, kept, &n_names);
    ok = ok && histogram_columns(ck, command, it, names, n_names) &&
         worst_columns(ck, command, names, n_names);
    cmd = &ck->lists.commands.v[command];
    struct tm_opt *o = &cmd->opts[cmd->n_opts++];
    o->id = IMP_OPT_sweep_record;
    o->val = (struct tm_val){.kind = IMP_VAL_LIST,
                             .items = items,
                             .n_items = kept,
                             .range = it->range,
                             .text = "",
                             .label = "",
                             .unit = "",
                             .name = ""};
    return ok;
}
