/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments of a command: contacts, systems, conditions, values, results. */
#include <assert.h>
#include <string.h>

#include "check/commands/commands_priv.h"

/* Takes r.field as a whole. Where the field is used as numbers, it is a value
 * like any other. */
static bool
whole_field(struct check *ck, const struct ast_expr *node, struct value *value)
{
    node = ast_unwrap(node);
    if (node->kind != AST_FIELD || value->kind == VALUE_POISON ||
        check_joint(ck, &ck->modules.top, node->a))
        return false;
    const struct ast_expr *of;
    const char *name = name_of_column(ck, &ck->modules.top, node, &of);
    struct value result = check_expr(ck, &ck->modules.top, of);
    if (result.kind != VALUE_RESULT)
        return false;
    const struct tm_command *cmd = &ck->lists.commands.v[result.ref];
    for (uint32_t i = 0; i < cmd->n_fields; i++)
        if (!strcmp(cmd->fields[i].name, name)) {
            *value = (struct value){.kind = VALUE_FIELD,
                                    .ref = result.ref,
                                    .field = i,
                                    .range = node->range};
            return true;
        }
    return false;
}

/* Is it an entry, or a part of one, of a list of a result: r.x[3].y? */
static bool
part_of_result(struct check *ck, const struct ast_expr *node)
{
    bool entry = false;
    while (node->kind == AST_FIELD || node->kind == AST_INDEX) {
        entry |= node->kind == AST_INDEX;
        node = ast_unwrap(node->a);
    }
    return entry && node->kind == AST_NAME &&
           check_expr(ck, &ck->modules.top, node).kind == VALUE_RESULT;
}

bool
contact_value(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    assert(ck && node && out);
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind == VALUE_CONTACT) {
        val_of(ck, &value, node, out);
        return true;
    }
    struct diag *diag = check_error(ck, DIAG_E0404, node->range,
                                    "a contact is wanted here, but this is %s",
                                    value_kind_text(ck, &value));
    check_help_contacts(ck, diag);
    return false;
}

static bool
system_value(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind != VALUE_SYSTEM) {
        struct diag *diag =
            check_error(ck, DIAG_E0417, node->range,
                        "a system is wanted here, but this is %s",
                        value_kind_text(ck, &value));
        const char *names[16];
        size_t count = 0;
        for (; count < ck->lists.systems.n && count < 16; count++)
            names[count] = ck->lists.systems.v[count].name;
        if (count)
            CHECK_HELP(ck, diag, "systems of this model: %s",
                       check_join(ck, names, count, "and"));
        else
            CHECK_HELP(ck, diag,
                       "declare one: system one { coordinate h  ... }");
        return false;
    }
    const struct tm_system *system = &ck->lists.systems.v[value.ref];
    if (!system->n_contact) {
        struct diag *diag = check_error(ck, DIAG_E0418, node->range,
                                        "`%s` has no contacts, so nothing can "
                                        "chatter",
                                        system->name);
        CHECK_NOTE(ck, diag, system->range, "the system");
        CHECK_HELP(ck, diag, "give it some: contact foot { gap = h }");
        return false;
    }
    val_of(ck, &value, node, out);
    return true;
}

/* The result of an earlier command that has a column with this name, `s.h` of a
 * sweep over h, or NULL. */
static const char *
column_of_result(struct check *ck, const char *label)
{
    for (uint32_t k = ck->progress.command; k-- > 0;) {
        const struct tm_command *cmd = &ck->lists.commands.v[k];
        for (size_t i = 0; *cmd->bound && i < cmd->n_fields; i++)
            if ((cmd->fields[i].column || !strcmp(label, "t")) &&
                !strcmp(cmd->fields[i].name, label))
                return arena_printf(ck->arena, "%s.%s", cmd->bound, label);
    }
    return NULL;
}

static void
not_recorded(struct check *ck, const struct ast_expr *node, const char *doing)
{
    const char *label = expr_label(ck, node);
    const char *column = column_of_result(ck, label);
    bool run = false;
    for (uint32_t k = 0; k < ck->progress.command; k++)
        run |= imp_command_has(ck->lists.commands.v[k].id,
                               IMP_TRAIT_RECORDS_MOTION);
    struct diag *diag = check_error(ck, DIAG_E0409, node->range,
                                    "`%s` has not been recorded, so there is "
                                    "nothing to %s",
                                    label, doing);
    if (column)
        CHECK_HELP(ck, diag, "the column of this name is %s", column);
    else if (doing[0] == 'c') /* within a condition: the whole is no column */
        CHECK_HELP(ck, diag,
                   "forces, slip, work and mode of contacts and joints are "
                   "told during "
                   "a run: record them, and compare the record, as in "
                   "r.c_work[-1]");
    else
        CHECK_HELP(
            ck, diag,
            run ? "add it to the `record` of the simulate before: record = "
                  "(..., %s)"
                : "record it first: simulate { until = 1  record = %s }",
            label);
}

struct told {
    bool any;
};
static void
told_leaf(void *ctx, const expr *leaf)
{
    struct told *told = ctx;
    told->any |=
        leaf->sym == SYM_JOINT ||
        (leaf->sym == SYM_CONTACT && leaf->j >= IMP_CONTACT_NORMAL_FORCE);
}

/* Forces, slip, work and mode of contacts and joints are told while a run goes
 * on, and nowhere else. Reports a value that reads them. */
static bool
outside_run(struct check *ck, const struct value *value,
            const struct ast_expr *node, const char *doing)
{
    struct told told = {false};
    if ((value->kind != VALUE_NUM && value->kind != VALUE_TRUTH) || !value->e)
        return true;
    for (size_t i = 0; i < (size_t)value->rows * value->cols; i++)
        if (value->e[i])
            ex_leaves(ck->g, &value->e[i], 1, told_leaf, &told);
    if (told.any)
        not_recorded(ck, node, doing);
    return !told.any;
}

static bool
shown(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind == VALUE_FIELD && value.rows) {
        /* one entry of a list of texts */
        val_of(ck, &value, node, out);
        out->rows = 1;
        out->cols = value.cols;
        return true;
    }
    if (value.kind == VALUE_ROTOR) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0405, node->range,
                               "%s has no value of its own",
                               value_kind_text(ck, &value)),
                   "it has rate and momentum: show %s.rate",
                   ck->lists.rotors.v[value.ref].name);
        return false;
    }
    if (!outside_run(ck, &value, node, "show"))
        return false;
    if (value.kind == VALUE_TABLE) {
        struct diag *diag = check_error(ck, DIAG_E0411, node->range,
                                        "this cannot be shown: it is %s",
                                        value_kind_text(ck, &value));
        const struct tm_table *table = &ck->lists.tables.v[value.ref];
        CHECK_HELP(ck, diag, "name a column, as %s.%s", table->name,
                   table->columns[0].name);
        return false;
    }
    whole_field(ck, node, &value);
    val_of(ck, &value, node, out);
    if (value.kind == VALUE_SYSTEM ||
        (value.kind == VALUE_FAMILY && !value.field) ||
        (value.kind == VALUE_CONTACT && ck->lists.contacts.v[value.ref].system))
        system_shown(ck, &value, out);
    return true;
}

/* Takes what plot and save may have: results, their fields, recorded
 * expressions. */
bool
recorded_value(struct check *ck, const struct ast_expr *node, const char *doing,
               struct tm_val *out)
{
    assert(ck && node && doing && out);
    struct value value = check_expr(ck, &ck->modules.top, node);
    bool plot = doing[0] == 'p';
    if (value.kind == VALUE_POISON)
        return false;
    const struct ast_expr *inner = ast_unwrap(node);
    bool whole = whole_field(ck, node, &value);
    val_of(ck, &value, node, out);
    if (value.kind == VALUE_RESULT) {
        const struct tm_command *cmd = &ck->lists.commands.v[value.ref];
        bool lists = !plot;
        for (size_t i = 0; i < cmd->n_fields; i++)
            lists |= cmd->fields[i].column != 0 ||
                     (!imp_command_has(cmd->id, IMP_TRAIT_ROWS) &&
                      cmd->fields[i].kind == IMP_FIELD_LIST);
        if (lists && cmd->n_fields)
            return true;
        struct diag *diag =
            check_error(ck, DIAG_E0413, node->range,
                        "there is nothing to %s in this result", doing);
        CHECK_HELP(ck, diag,
                   "name what to keep: simulate { ... record = "
                   "gap(touch) }");
        return false;
    }
    if (value.kind == VALUE_FIELD) {
        enum imp_field_kind k =
            ck->lists.commands.v[value.ref].fields[value.field].kind;
        if (!plot || k == IMP_FIELD_LIST || k == IMP_FIELD_VECS ||
            k == IMP_FIELD_TEXTS) /* A map may be drawn of texts. */
            return true;
    }
    if (value.kind == VALUE_LIST || value.kind == VALUE_COLUMN)
        return true;
    bool entry = value.kind != VALUE_WORDS && part_of_result(ck, inner);
    if (value.kind == VALUE_NUM && !whole && !entry && inner->kind != AST_NUM) {
        uint32_t command, field;
        if (record_find(ck, out, &command, &field)) {
            out->kind = IMP_VAL_FIELD;
            out->ref = command;
            out->field = field;
            out->e = NULL;
            out->rows = out->cols = 0;
            return true;
        }
        not_recorded(ck, node, doing);
        return false;
    }
    struct diag *d =
        check_error(ck, DIAG_E0411, node->range, "this cannot be %s: it is %s",
                    plot ? "plotted" : "saved",
                    whole   ? "a single value of a result"
                    : entry ? "one entry of a list of a result"
                            : value_kind_text(ck, &value));
    CHECK_HELP(ck, d,
               plot ? "plot takes recorded expressions, lists of a "
                      "result, or a result"
               : value.kind == VALUE_TEXT
                   ? "what is saved comes first: save r, \"r.csv\""
                   : "save takes results, their fields and recorded "
                     "expressions; `show` prints values");
    return false;
}

static bool
is_compare(const struct ast_expr *node)
{
    return node->kind == AST_BINARY && node->op >= AST_LT && node->op <= AST_NE;
}

static bool
condition(struct check *ck, const struct ast_expr *node, struct tm_val *out)
{
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind != VALUE_TRUTH) {
        struct diag *diag =
            check_error(ck, DIAG_E0410, node->range,
                        "expect needs a condition, but this is %s",
                        value_kind_text(ck, &value));
        const char *text = expr_label(ck, node);
        struct value entry = value;
        if (value.kind == VALUE_COLUMN)
            entry = list_entry(&value);
        if (entry.kind == VALUE_TRUTH)
            CHECK_HELP(ck, diag,
                       "count those that hold: expect count(%s) == "
                       "length(%s) asks for all of them, > 0 for any",
                       text, text);
        else if (value.kind == VALUE_COLUMN)
            CHECK_HELP(ck, diag,
                       "compare one number of it, as in expect max(%s) < 1e-9",
                       text);
        else
            CHECK_HELP(ck, diag, "compare it, as in expect %s < 1e-9", text);
        return false;
    }
    if (!outside_run(ck, &value, node, "compare"))
        return false;
    val_of(ck, &value, node, out);
    const struct ast_expr *inner = ast_unwrap(node);
    if (!is_compare(inner))
        return true;
    struct value left = check_expr(ck, &ck->modules.top, inner->a);
    struct value result = check_expr(ck, &ck->modules.top, inner->b);
    if (left.kind != VALUE_NUM || result.kind != VALUE_NUM ||
        !value_is_scalar(&left) || !value_is_scalar(&result))
        return true;
    const expr **three = NEW_N(ck->arena, const expr *, 3);
    three[0] = value.e[0];
    three[1] = left.e[0];
    three[2] = result.e[0];
    out->e = three;
    out->cols = 3;
    out->compare = true;
    if (!left.bare || !result.bare)
        val_set_unit(ck, out, left.bare ? result.dim : left.dim);
    return true;
}

/* `classify` and `eight` follow the gap of two surfaces along a motion. */
static bool
contact_suits(struct check *ck, enum imp_command_id id,
              const struct ast_expr *node, uint32_t contact)
{
    const struct tm_contact *asked = &ck->lists.contacts.v[contact];
    const struct tm_command *cmd = &ck->lists.commands.v[ck->progress.command];
    uint32_t first = cmd->n_args ? ck->lists.contacts.v[cmd->args[0].ref].system
                                 : asked->system;
    bool systems = imp_command_has(id, IMP_TRAIT_CONTACTS_OF_SYSTEM);
    if (systems && first != asked->system) {
        struct diag *diag =
            check_error(ck, DIAG_E0369, node->range,
                        "`%s` is asked at contacts of one system, or at "
                        "contacts between bodies",
                        command_row(id)->name);
        CHECK_NOTE(ck, diag, asked->range, "this contact");
        CHECK_NOTE(ck, diag, ck->lists.contacts.v[cmd->args[0].ref].range,
                   "and this one");
        CHECK_HELP(ck, diag, "ask about one after the other");
        return false;
    }
    if (systems && asked->system)
        return true;
    if (!contact_of_bodies(
            ck, contact, arena_printf(ck->arena, "`%s`", command_row(id)->name),
            node->range))
        return false;
    if (!imp_command_has(id, IMP_TRAIT_FOLLOWS_GAP))
        return true;
    const char *word = command_row(id)->name;
    if (asked->at.n) {
        struct diag *diag =
            check_error(ck, DIAG_E0343, node->range,
                        "the contact `%s` is stated at a point, so there is no "
                        "gap that `%s` could follow",
                        asked->name, word);
        CHECK_NOTE(ck, diag, asked->at.range, "the point");
        CHECK_HELP(ck, diag,
                   "ask `impact %s`, or leave out `at` and give the bodies "
                   "shapes",
                   asked->name);
        return false;
    }
    return true;
}

/* Is this the name of a body or of a system, which `record` takes? */
static bool
has_state(const struct check *ck, const struct ast_expr *node)
{
    if (node->kind != AST_NAME)
        return false;
    for (size_t b = 0; b < ck->lists.bodies.n; b++)
        if (!strcmp(ck->lists.bodies.v[b].name, node->name.text))
            return true;
    for (size_t s = 0; s < ck->lists.systems.n; s++)
        if (!strcmp(ck->lists.systems.v[s].name, node->name.text))
            return true;
    return false;
}

/* Is the number of arguments right? False: an error has been reported. */
static bool
argument_count(struct check *ck, const struct tm_command *cmd,
               const struct ast_item *it)
{
    const struct command_row *row = command_row(cmd->id);
    size_t count = it->n_args;
    if (row->args == ARGS_NONE && count) {
        struct diag *diag = check_error(ck, DIAG_E0403, it->args[0]->range,
                                        "`%s` takes no argument", row->name);
        const char *label = expr_label(ck, it->args[0]);
        if (imp_command_has(cmd->id, IMP_TRAIT_RECORDS_MOTION) &&
            has_state(ck, it->args[0]))
            CHECK_HELP(ck, diag,
                       "it follows all of the model; what it keeps stands in "
                       "its block: %s { until = 1  record = %s }",
                       row->name, label);
        else if (imp_command_has(cmd->id, IMP_TRAIT_VARIES_PARAMS) &&
                 !strncmp(label, "over", 4))
            CHECK_HELP(ck, diag,
                       "params that vary are a key of its block: %s { over = "
                       "(a in linspace(0, 1, 11))  run = ... }",
                       row->name);
        else if (imp_command_has(cmd->id, IMP_TRAIT_RECORDS_MOTION) &&
                 ast_unwrap(it->args[0])->kind == AST_NUM)
            CHECK_HELP(ck, diag,
                       "its end stands in its block: %s { until = %s }",
                       row->name, expr_label(ck, ast_unwrap(it->args[0])));
        else
            CHECK_HELP(ck, diag,
                       "what it needs stands in its block: %s { ... }",
                       row->name);
        return false;
    }
    bool one = row->args == ARGS_CONTACT || row->args == ARGS_CONDITION ||
               row->args == ARGS_SYSTEM;
    if (row->args == ARGS_NONE || (count && !(one && count > 1)))
        return true;
    const char *of =
        imp_command_has(cmd->id, IMP_TRAIT_ASKED_OF_IMPACT) ? " impact" : "";
    const char *what = row->args == ARGS_CONTACT     ? "one contact"
                       : row->args == ARGS_CONTACTS  ? "contacts"
                       : row->args == ARGS_CONDITION ? "one condition"
                       : row->args == ARGS_SYSTEM    ? "one system"
                                                     : "values";
    struct diag *d =
        check_error(ck, DIAG_E0403, count ? it->args[1]->range : it->name.range,
                    "`%s%s` takes %s", row->name, of, what);
    if (row->args == ARGS_CONTACT || row->args == ARGS_CONTACTS)
        CHECK_HELP(ck, d, "as in %s%s %s", row->name, of,
                   ck->lists.contacts.n ? ck->lists.contacts.v[0].name
                                        : "touch");
    else if (row->args == ARGS_CONDITION)
        CHECK_HELP(ck, d, "join conditions with `and`");
    else if (row->args == ARGS_SYSTEM)
        CHECK_HELP(ck, d, "as in %s %s", row->name,
                   ck->lists.systems.n ? ck->lists.systems.v[0].name : "one");
    return false;
}

/* Takes one contact of those that the command asks about. */
static bool
contact_argument(struct check *ck, const struct tm_command *cmd,
                 const struct ast_expr *node, struct tm_val *out)
{
    if (!contact_value(ck, node, out) ||
        !contact_suits(ck, cmd->id, node, out->ref))
        return false;
    for (size_t k = 0; k < cmd->n_args; k++)
        if (cmd->args[k].ref == out->ref) {
            struct diag *diag = check_error(ck, DIAG_E0403, node->range,
                                            "this contact is named twice");
            CHECK_HELP(ck, diag, "name each contact once");
            return false;
        }
    return true;
}

bool
command_arguments(struct check *ck, uint32_t command,
                  const struct command_rules *rules, const struct ast_item *it)
{
    assert(ck && it);
    assert(command < ck->lists.commands.n);
    struct tm_command *cmd = &ck->lists.commands.v[command];
    const struct command_row *row = command_row(cmd->id);
    size_t count = it->n_args;
    bool ok = true;
    cmd->args = NEW_N(ck->arena, struct tm_val, count + 1);
    if (!argument_count(ck, cmd, it))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct ast_expr *node = it->args[i];
        struct tm_val *val = &cmd->args[cmd->n_args];
        bool good;
        if (rules && rules->argument &&
            rules->argument(ck, command, i, node, &good)) {
            ok &= good;
            continue;
        }
        switch (row->args) {
        case ARGS_CONTACT:
        case ARGS_CONTACTS:
            good = contact_argument(ck, cmd, node, val);
            break;
        case ARGS_CONDITION:
            good = condition(ck, node, val);
            break;
        case ARGS_SYSTEM:
            good = system_value(ck, node, val);
            break;
        default:
            good = !(rules && rules->recorded)
                       ? shown(ck, node, val)
                       : recorded_value(ck, node, row->name, val);
        }
        ok &= good;
        cmd->n_args += good;
    }
    return ok;
}
