/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of a command: the items of its block against the command table. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/commands/commands_priv.h"

enum { OPTIONS_MOST = 32 }; /* of one command */

/* Does the name end as a file of this command must end: of columns or of a
 * motion, a picture or a page? *list gets these endings: ".svg or .png". */
static bool
known_ending(struct check *ck, const char *dot, const char *command,
             const char **list)
{
    enum { COLUMNS, PICTURE, MOTION, VIEW };
    static const struct {
        const char *ending;
        int takes;
    } formats[] = {
#define FORMAT(ending, takes, writer) {"." #ending, takes},
#include "output/formats.def"
    };
    bool plot = !strcmp(command, "plot"), save = !strcmp(command, "save");
    const char *last = NULL, *text = "";
    bool known = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        int takes = formats[i].takes;
        if (plot ? takes != PICTURE && takes != VIEW
                 : takes != COLUMNS && (takes != MOTION || !save))
            continue;
        if (last && !strcmp(last, formats[i].ending))
            continue; /* .html is of columns and of motions */
        if (last)
            text = arena_printf(ck->arena, "%s%s%s", text, *text ? ", " : "",
                                last);
        last = formats[i].ending;
        known |= !strcmp(dot, last);
    }
    *list = arena_printf(ck->arena, "%s or %s", text, last);
    return known;
}

bool
file_name(struct check *ck, const struct ast_expr *node, const char *text,
          const char *command)
{
    assert(ck && node && text && command);
    const char *dot = strrchr(text, '.'), *endings;
    bool plot = !strcmp(command, "plot");
    bool up =
        !strncmp(text, "../", 3) || strstr(text, "/../") || !strcmp(text, "..");
    const char *why =
        !*text         ? "it is empty"
        : *text == '/' ? "it is not relative to --out"
        : up           ? "it leads out of --out"
        : !dot         ? "it has no ending"
        : known_ending(ck, dot, command, &endings)
            ? NULL
            : arena_printf(ck->arena, "%s in %s",
                           plot ? "a plot ends" : "saved data end", endings);
    if (!why)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0414, node->range,
                    "\"%s\" is no file name to write to: %s", text, why);
    CHECK_HELP(ck, diag,
               plot                       ? "as in file = \"gap.svg\""
               : !strcmp(command, "save") ? "as in file = \"gap.csv\""
                                          : "as in save = \"runs.csv\"");
    return false;
}

bool
file_ends(const char *file, const char *ending)
{
    assert(file && ending);
    size_t n = strlen(file), m = strlen(ending);
    return n > m && !strcmp(file + n - m, ending);
}

bool
command_of_run(struct check *ck, uint32_t command, const struct ast_item *it,
               const char *what, const char *as)
{
    assert(ck && it && what && as);
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    if (!cmd->n_args)
        return true; /* This has been reported. */
    if (cmd->n_args == 1 && cmd->args[0].kind == IMP_VAL_RESULT &&
        imp_command_has(ck->lists.commands.v[cmd->args[0].ref].id,
                        IMP_TRAIT_RECORDS_MOTION))
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0426, it->args[0]->range,
                    "%s shows the one run of a `simulate`", what);
    CHECK_HELP(ck, diag, "as in let r = simulate { until = 1 [s] }  %s", as);
    return false;
}

/* Is a number that is known within the limits of its option? False: an error
 * has been reported. */
static bool
within_limits(struct check *ck, const struct option_row *option,
              const struct ast_expr *node, double number)
{
    const struct option_limits *limits = &option->limits;
    switch (limits->kind) {
    case LIMIT_SHARE:
        if (number > 0.0 && number < 1.0)
            return true;
        check_error(ck, DIAG_E0405, node->range,
                    "`%s` is between 0 and 1, but this is %g", option->key,
                    number);
        return false;
    case LIMIT_POSITIVE:
        if (!(number <= 0))
            return true;
        check_error(ck, DIAG_E0405, node->range,
                    "`%s` is positive, but this is %g", option->key, number);
        return false;
    case LIMIT_WHOLE:
        if (!(number < limits->from || number > limits->to ||
              number != floor(number)))
            return true;
        check_error(ck, DIAG_E0405, node->range,
                    "`%s` is a whole number from %g to %g, but this is %g",
                    option->key, limits->from, limits->to, number);
        return false;
    default:
        return true;
    }
}

static bool
number_option(struct check *ck, const struct option_row *option,
              const struct ast_expr *node, struct tm_val *out)
{
    struct unit unit = {1, 1, dim_pure(ck->dims)};
    double number;
    unit_of_text(ck->dims, option->unit, &unit);
    const char *what = arena_printf(ck->arena, "`%s`", option->key);
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (!value_need_scalar(ck, &value, node, unit.dim, what))
        return false;
    if (value_const(&value, &number) &&
        !within_limits(ck, option, node, number))
        return false;
    val_of(ck, &value, node, out);
    return true;
}

static bool
times_option(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    const struct dim *second = dim_mks(ck->dims, 0, 0, 1);
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind == VALUE_FIELD &&
        ck->lists.commands.v[value.ref].fields[value.field].kind ==
            IMP_FIELD_LIST) {
        val_of(ck, &value, node, out);
        return true;
    }
    bool column = value.kind == VALUE_COLUMN && value.rows == 1 && !value.truth;
    if (!column && ((value.kind != VALUE_NUM && value.kind != VALUE_LIST) ||
                    value.cols != 1)) {
        struct diag *diag =
            check_error(ck, DIAG_E0405, node->range,
                        "times are a number or a list, but this is "
                        "%s",
                        value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "as in at = (0.1, 0.2), at = linspace(0, 1, 11)");
        return false;
    }
    if (!value_need_dim(ck, &value, node, second, "a time"))
        return false;
    val_of(ck, &value, node, out);
    return true;
}

size_t
option_entries(const struct ast_expr *const *whole, const struct ast_expr *node,
               const struct ast_expr *const **list)
{
    assert(whole && node && list);
    if (node->kind == AST_TUPLE && !node->unit) {
        *list = (const struct ast_expr *const *)node->list;
        return node->n_list;
    }
    *list = whole;
    return 1;
}

const char *
column_name(struct check *ck, const struct tm_command *cmd,
            const struct tm_val *items, size_t count, const char *name,
            const char *label)
{
    assert(ck && cmd && name);
    const char *text = name;
    for (int k = 1;; k++) {
        bool taken = false;
        for (size_t i = 0; i < cmd->n_fields; i++)
            taken |= !strcmp(cmd->fields[i].name, text);
        for (size_t i = 0; i < count; i++)
            taken |= items[i].name && !strcmp(items[i].name, text);
        if (!taken)
            return text;
        text = k == 1 && label ? val_name_in_words(ck, label)
                               : arena_printf(ck->arena, "%s_%d", name,
                                              k + (label ? 0 : 1));
    }
}

static bool
list_option(struct check *ck, enum imp_command_id id,
            const struct option_row *option, const struct ast_expr *node,
            struct tm_val *out)
{
    const struct ast_expr *inner = ast_unwrap(node);
    const struct ast_expr *const *list;
    size_t count = option_entries(&inner, inner, &list), kept = 0;
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, count);
    for (size_t i = 0; i < count; i++)
        kept += option->kind == IMP_OPTK_CONTACTS
                    ? contact_value(ck, list[i], &items[kept]) &&
                          (imp_command_has(id, IMP_TRAIT_CONTACTS_OF_SYSTEM) ||
                           contact_of_bodies(
                               ck, items[kept].ref,
                               arena_printf(ck->arena, "`%s`", option->key),
                               list[i]->range))
                    : recorded_value(ck, list[i], "plot", &items[kept]);
    out->kind = IMP_VAL_LIST;
    out->items = items;
    out->n_items = kept;
    out->range = node->range;
    out->label = expr_label(ck, node);
    out->text = out->unit = out->name = "";
    return kept == count;
}

/* Takes any number of vectors. How long they must be is known when the model
 * runs. */
static bool
vectors_option(struct check *ck, const struct option_row *option,
               const struct ast_expr *node, struct tm_val *out)
{
    const struct ast_expr *inner = ast_unwrap(node);
    const struct ast_expr *const *list;
    size_t count = option_entries(&inner, inner, &list), kept = 0;
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, count + 1);
    struct value value = {.kind = VALUE_POISON};
    if (count > 1) /* Is this one vector of numbers? */
        value = check_expr(ck, &ck->modules.top, list[0]);
    if (value.kind == VALUE_NUM && value_is_scalar(&value)) {
        list = &inner;
        count = 1;
    }
    for (size_t entry = 0; entry < count; entry++) {
        value = check_expr(ck, &ck->modules.top, list[entry]);
        if (value.kind == VALUE_POISON)
            continue;
        if (value.kind != VALUE_NUM || value.cols != 1 || value.rows < 2) {
            struct diag *diag =
                check_error(ck, DIAG_E0405, list[entry]->range,
                            "`%s` takes vectors, but this is %s", option->key,
                            value_kind_text(ck, &value));
            CHECK_HELP(ck, diag,
                       "one entry per coordinate: %s = ((1, 2), (3, 4))",
                       option->key);
            continue;
        }
        val_of(ck, &value, list[entry], &items[kept++]);
    }
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

/* the words that an option takes */
static const char *const *
option_words(const char *key, size_t *n)
{
    static const char *const policies[] = {"through", "stop", "enforce"};
    static const char *const searches[] = {"local", "all"};
    static const char *const engines[] = {
#define ENGINE(ID, word, doc) #word,
#include "abi/engines.def"
    };
    if (!strcmp(key, "law")) {
        *n = N_IMPACT_LAWS;
        return impact_laws;
    }
    if (!strcmp(key, "search")) {
        *n = sizeof searches / sizeof *searches;
        return searches;
    }
    if (!strcmp(key, "paradox")) {
        *n = N_PARADOX;
        return paradox_words;
    }
    if (!strcmp(key, "loads")) {
        *n = N_LOADS;
        return loads_words;
    }
    if (!strcmp(key, "corners")) {
        *n = N_CORNERS;
        return corners_words;
    }
    if (!strcmp(key, "engine")) {
        *n = sizeof engines / sizeof *engines;
        return engines;
    }
    *n = sizeof policies / sizeof *policies;
    return policies;
}

/* Where true or false is due: a list, or the name of a function such as `mean`,
 * by which somebody chooses. */
static bool
names_choices(struct check *ck, const struct ast_expr *node)
{
    bool replaced;
    node = ast_unwrap(node);
    return node->kind == AST_TUPLE ||
           (node->kind == AST_NAME && builtin_find(node->name.text) &&
            !scope_find(ck, ck->modules.top.module, node->name.text, WANT_VALUE,
                        node->range, &replaced));
}

/* E0405: is this a text without its quotes, such as out.csv, or a word that
 * names nothing? */
static bool
text_without_quotes(struct check *ck, const struct option_row *row,
                    const struct ast_expr *node)
{
    static const char *const ending[] = {"csv",  "json",  "jsonl", "h5",
                                         "html", "svg",   "png",   "pdf",
                                         "gif",  "imprun"};
    bool known = false;
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        known |= node->kind == AST_FIELD && node->a->kind == AST_NAME &&
                 !strcmp(node->name.text, ending[i]);
    bool reported = false;
    bool word = node->kind == AST_NAME &&
                !scope_find(ck, ck->modules.top.module, node->name.text,
                            WANT_VALUE, node->range, &reported);
    if (reported || !(word || (known && row->kind == IMP_OPTK_FILE)))
        return false;
    const char *name = expr_label(ck, node);
    struct diag *diag =
        check_error(ck, DIAG_E0405, node->range,
                    "`%s` is a text, and `%s` has no quotes", row->key, name);
    CHECK_HELP(ck, diag, "put it in quotes");
    diag_fix(ck->ds, diag, node->range,
             arena_printf(ck->arena, "\"%s\"", name));
    return true;
}

static bool
option(struct check *ck, uint32_t command, const struct option_row *row,
       const struct ast_item *key, struct tm_val *out)
{
    const char *const *words;
    size_t n_words;
    const struct ast_expr *node = key->value;
    struct value value;
    int word;
    switch (row->kind) {
    case IMP_OPTK_NUM:
        return number_option(ck, row, node, out);
    case IMP_OPTK_TIMES:
        return times_option(ck, node, out);
    case IMP_OPTK_VALUES:
        if (!strcmp(row->key, "record"))
            return record_option(ck, command, node, out);
        if (!strcmp(row->key, "from"))
            return vectors_option(ck, row, node, out);
        return list_option(ck, ck->lists.commands.v[command].id, row, node,
                           out);
    case IMP_OPTK_CONTACTS:
        return list_option(ck, ck->lists.commands.v[command].id, row, node,
                           out);
    case IMP_OPTK_WORD:
        words = option_words(row->key, &n_words);
        word = key_word(ck, key, words, n_words);
        if (word < 0 ||
            (words == corners_words && !corners_fit(ck, word, node->range)))
            return false;
        out->kind = IMP_VAL_WORD;
        out->text = out->label = words[word];
        out->unit = out->name = "";
        out->range = node->range;
        return true;
    case IMP_OPTK_BOOL:
        if (names_choices(ck, node))
            value.kind = VALUE_ANY;
        else
            value = check_expr(ck, &ck->modules.top, node);
        if (value.kind == VALUE_TRUTH) {
            val_of(ck, &value, node, out);
            return true;
        }
        if (value.kind != VALUE_POISON) {
            struct diag *diag = check_error(
                ck, DIAG_E0405, node->range, "`%s` is true or false%s%s",
                row->key, value.kind == VALUE_ANY ? "" : ", but this is ",
                value.kind == VALUE_ANY ? "" : value_kind_text(ck, &value));
            CHECK_HELP(ck, diag, "`%s = true`: %s", row->key, row->doc);
        }
        return false;
    case IMP_OPTK_AXIS:
    case IMP_OPTK_AXES:
    case IMP_OPTK_QUESTION:
    case IMP_OPTK_NUMBERS:
    case IMP_OPTK_CURVES:
        break; /* Commands that have options of these kinds take them by rules
                  of their own. */
    case IMP_OPTK_TEXT:
    case IMP_OPTK_FILE:
        if (text_without_quotes(ck, row, node))
            return false;
        value = check_expr(ck, &ck->modules.top, node);
        if (value.kind == VALUE_TEXT) {
            val_of(ck, &value, node, out);
            return row->kind != IMP_OPTK_FILE ||
                   file_name(ck, node, value.text, row->command);
        }
        if (value.kind != VALUE_POISON) {
            struct diag *diag = check_error(
                ck, DIAG_E0405, node->range, "`%s` is a text, but this is %s",
                row->key, value_kind_text(ck, &value));
            CHECK_HELP(ck, diag, "put it in quotes");
        }
        return false;
    }
    return false;
}

/* What the block of a command gives for each option of its table. */
struct given {
    const char *name[OPTIONS_MOST];
    enum imp_option_id id[OPTIONS_MOST];
    const struct ast_item *key[OPTIONS_MOST];
    size_t n;
    bool misspelt;
};

static void
options_of(const struct command_row *row, struct given *given)
{
    const struct option_row *option;
    memset(given, 0, sizeof *given);
    for (int i = 0; (option = option_row((enum imp_option_id)i)); i++)
        if (!strcmp(option->command, row->name)) {
            assert(given->n < OPTIONS_MOST);
            given->name[given->n] = option->key;
            given->id[given->n++] = (enum imp_option_id)i;
        }
}

/* Is a question the last argument of a command that takes no options, as in
 * show simulate { until = 1 }? Then the block is the question's, and the word
 * has been told. */
static bool
block_of_question(const struct given *given, const struct ast_item *it)
{
    const struct ast_expr *last =
        it->n_args && !given->n ? it->args[it->n_args - 1] : NULL;
    for (uint32_t id = 0; last && id < IMP_CMD_COUNT; id++)
        if (last->kind == AST_NAME && imp_command_has(id, IMP_TRAIT_RECORD) &&
            !strcmp(last->name.text, imp_command_word(id)))
            return true;
    return false;
}

/* E0401: the command has no such option. */
static void
no_such_option(struct check *ck, const struct command_row *row,
               const struct given *given, const struct ast_item *key)
{
    struct diag *diag =
        check_error(ck, DIAG_E0401, key->name.range, "`%s` has no option `%s`",
                    row->name, key->name.text);
    static const char *const axes[] = {"x", "y", "xlabel", "ylabel"};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (!strcmp(row->name, "plot") && !strcmp(key->name.text, axes[i])) {
            CHECK_HELP(ck, diag,
                       "what is drawn stands behind the word, and what it is "
                       "drawn against in the block: plot r.x { against = r.t "
                       "}; axes are named after these");
            return;
        }
    /* plot y over x: the word alone is no remedy, for the option stands in a
     * block */
    if (key->value && key->value->kind == AST_OVER &&
        !strcmp(row->name, "plot")) {
        CHECK_HELP(ck, diag,
                   "what the horizontal axis shows stands in the block: plot "
                   "r.x { against = r.t }");
        return;
    }
    if (check_suggest_key(ck, diag, key->name.range, key->name.text,
                          given->name, given->n))
        return;
    if (given->n)
        CHECK_HELP(ck, diag, "its options are %s",
                   check_join(ck, given->name, given->n, "and"));
    else
        CHECK_HELP(ck, diag, "it takes none");
}

/* Finds the option that an item of the block gives. given->n: it is none, which
 * has been reported. */
static size_t
option_given(struct check *ck, const struct command_row *row,
             struct given *given, const struct ast_item *item)
{
    size_t chosen = 0, count = given->n;
    bool key = item->kind == AST_KEY;
    while (key && chosen < count &&
           strcmp(given->name[chosen], item->name.text))
        chosen++;
    bool question = key && chosen < count &&
                    option_row(given->id[chosen])->kind == IMP_OPTK_QUESTION;
    if (!key || (!question && (item->command || !item->value))) {
        struct diag *diag = check_error(
            ck, DIAG_E0303, item->head.file ? item->head : item->range,
            "this cannot stand in the block of a command");
        if (item->kind == AST_PARAM && !strcmp(row->name, "sweep"))
            CHECK_HELP(ck, diag,
                       "declare the param above the command, and name its "
                       "values here: over = (%s in linspace(0, 1, 11))",
                       item->name.text);
        else if (item->name.text && !strcmp(item->name.text, "over") &&
                 !strcmp(row->name, "sweep"))
            CHECK_HELP(ck, diag,
                       "a list in brackets names the params and their values: "
                       "over = (a in linspace(0, 1, 11))");
        else if (count)
            CHECK_HELP(ck, diag, "`%s` has options: %s", row->name,
                       check_join(ck, given->name, count, "and"));
        return count;
    }
    if (chosen == count) {
        no_such_option(ck, row, given, item);
        given->misspelt = true;
        return count;
    }
    if (given->key[chosen]) {
        struct diag *diag =
            check_error(ck, DIAG_E0402, item->name.range,
                        "the option `%s` is given twice", item->name.text);
        CHECK_NOTE(ck, diag, given->key[chosen]->name.range, "first here");
        return count;
    }
    given->key[chosen] = item;
    return chosen;
}

/* E0406: an option that must be given is missing. The message shows how it is
 * written. */
static void
option_missing(struct check *ck, const struct command_row *row,
               const struct option_row *option,
               const struct command_rules *rules, const struct ast_item *it)
{
    struct diag *diag = check_error(ck, DIAG_E0406, it->name.range,
                                    "`%s` needs the option `%s`: %s", row->name,
                                    option->key, option->doc);
    if (rules && rules->missing)
        rules->missing(ck, diag, option, it);
    else
        CHECK_HELP(ck, diag, "as in %s%s { %s = 1 }", row->name,
                   row->args == ARGS_CONTACT ? " touch" : "", option->key);
}

bool
command_options(struct check *ck, uint32_t command,
                const struct command_rules *rules, const struct ast_item *it)
{
    assert(ck && it);
    assert(command < ck->lists.commands.n);
    struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct command_row *row = command_row(cmd->id);
    struct given given;
    bool ok = true;
    options_of(row, &given);
    cmd->opts = NEW_N(ck->arena, struct tm_opt, given.n + 1);
    size_t over =
        it->command != NULL; /* The words `over x` stand before the block. */
    if (block_of_question(&given, it))
        return false;
    for (size_t b = 0; b < it->n_block + over; b++) {
        const struct ast_item *key =
            b < over ? it->command : it->block[b - over];
        size_t i = option_given(ck, row, &given, key);
        if (i == given.n) {
            ok = false;
            continue;
        }
        const struct option_row *entry = option_row(given.id[i]);
        enum option_taken taken = OPTION_PLAIN;
        struct tm_opt *t = &cmd->opts[cmd->n_opts];
        t->id = given.id[i];
        if (rules && rules->option)
            taken = rules->option(ck, command, entry, key, &t->val);
        if (taken == OPTION_WAITS)
            continue;
        bool good = taken == OPTION_PLAIN
                        ? option(ck, command, entry, key, &t->val)
                        : taken == OPTION_GOOD;
        cmd = &ck->lists.commands
                   .v[command]; /* A question inside the block adds a command,
                                   so the list may have moved. */
        cmd->n_opts += good;
        ok &= good;
    }
    for (size_t i = 0; i < given.n; i++) {
        const struct option_row *entry = option_row(given.id[i]);
        /* simulate(2) is told as an argument that does not belong there */
        if (given.key[i] || given.misspelt ||
            (row->args == ARGS_NONE && it->n_args) ||
            strncmp(entry->dflt, "none: must", 10) != 0)
            continue;
        option_missing(ck, row, entry, rules, it);
        ok = false;
    }
    return ok;
}
