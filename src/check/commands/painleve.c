/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `painleve C { over = theta }`: one contact, or two of one system; the
 * coordinate is one of the contact's system. */
#include <string.h>

#include "check/commands/commands_priv.h"

static enum option_taken
painleve_option(struct check *ck, uint32_t command,
                const struct option_row *row, const struct ast_item *key,
                struct tm_val *out)
{
    (void)command;
    if (row->kind != IMP_OPTK_NUMBERS)
        return OPTION_PLAIN;
    const struct ast_expr *node = ast_unwrap(key->value);
    bool two = node->kind == AST_TUPLE && node->n_list == 2;
    const struct ast_expr *name[2] = {node, node};
    for (size_t k = 0; two && k < 2; k++)
        name[k] = ast_unwrap(node->list[k]);
    if (name[0]->kind != AST_NAME || name[1]->kind != AST_NAME ||
        (two && !strcmp(name[0]->name.text, name[1]->name.text))) {
        struct diag *diag =
            check_error(ck, DIAG_E0405, node->range,
                        "`over` is the name of one coordinate, or of two");
        CHECK_HELP(ck, diag,
                   "as in over = theta, a coordinate of the system to which "
                   "the contact belongs, or over = (th1, th2)");
        return OPTION_WRONG;
    }
    /* two names stand with a blank between them */
    const char *text =
        two ? arena_printf(ck->arena, "%s %s", name[0]->name.text,
                           name[1]->name.text)
            : node->name.text;
    *out = (struct tm_val){.kind = IMP_VAL_WORD,
                           .text = text,
                           .label = text,
                           .unit = "",
                           .name = "",
                           .range = node->range};
    return OPTION_GOOD;
}

static const struct tm_val *
over_of(const struct tm_command *command)
{
    for (size_t i = 0; i < command->n_opts; i++)
        if (command->opts[i].id == IMP_OPT_painleve_over)
            return &command->opts[i].val;
    return NULL;
}

/* Is it a coordinate of the system? The name of an instance's coordinate is
 * SYSTEM.NAME. */
static bool
coordinate_of(const struct check *ck, const struct tm_system *system,
              const char *name, size_t length)
{
    for (uint32_t j = 0; j < system->n; j++) {
        const char *full = ck->lists.coordinates.v[system->first + j].name;
        const char *dot = strrchr(full, '.');
        const char *own = dot ? dot + 1 : full;
        if (strlen(own) == length && !strncmp(own, name, length))
            return true;
    }
    return false;
}

static bool
painleve_arguments(struct check *ck, uint32_t command,
                   const struct ast_item *it)
{
    const struct tm_command *of = &ck->lists.commands.v[command];
    const struct tm_val *over = over_of(of);
    uint32_t system[2] = {0, 0};
    for (size_t i = 0; i < of->n_args && i < 2; i++)
        system[i] = ck->lists.contacts.v[of->args[i].ref].system;
    if (of->n_args > 2 ||
        (of->n_args == 2 && (system[0] != system[1] || system[0] == 0))) {
        struct diag *diag = check_error(
            ck, DIAG_E0403, it->args[of->n_args > 2 ? 2 : 1]->range,
            "`painleve` asks about one contact, or about two of one system");
        CHECK_HELP(ck, diag, "ask about each by itself: painleve %s",
                   expr_label(ck, it->args[0]));
        return false;
    }
    if (!over)
        return true;
    if (of->n_args != 1 || system[0] == 0) {
        struct diag *diag = check_error(
            ck, DIAG_E0405, over->range, "`over` is a coordinate, which %s",
            of->n_args == 1 ? "bodies do not have"
                            : "two contacts are not asked about");
        CHECK_HELP(ck, diag, "leave `over` out; a sweep asks at other places");
        return false;
    }
    const struct tm_system *owner = ck->lists.systems.v + (system[0] - 1);
    const char *blank = strchr(over->text, ' '), *wrong = over->text;
    size_t first = blank ? (size_t)(blank - over->text) : strlen(over->text);
    if (coordinate_of(ck, owner, over->text, first)) {
        if (!blank || coordinate_of(ck, owner, blank + 1, strlen(blank + 1)))
            return true;
        wrong = blank + 1;
    } else {
        wrong = arena_strndup(ck->arena, over->text, first);
    }
    struct diag *diag =
        check_error(ck, DIAG_E0405, over->range, "`%s` has no coordinate `%s`",
                    owner->name, wrong);
    const char *names[16];
    size_t n = 0;
    for (; n < owner->n && n < 16; n++) {
        const char *full = ck->lists.coordinates.v[owner->first + n].name;
        const char *dot = strrchr(full, '.');
        names[n] = dot ? dot + 1 : full;
    }
    if (!check_suggest(ck, diag, over->range, wrong, names, n))
        CHECK_HELP(ck, diag, "its coordinates are %s",
                   check_join(ck, names, n, "and"));
    return false;
}

const struct command_rules command_rules_painleve = {
    .option = painleve_option, .arguments = painleve_arguments};

/* -- portrait, resolvable ---------------------------------------------------
 */

/* `depths`, `speeds` of starts, `scales`: a number or a list of numbers. */
static enum option_taken
portrait_option(struct check *ck, uint32_t command,
                const struct option_row *row, const struct ast_item *key,
                struct tm_val *out)
{
    const struct ast_expr *node = key->value;
    (void)command;
    if (row->kind != IMP_OPTK_NUMBERS)
        return OPTION_PLAIN;
    struct value value = check_expr(ck, &ck->modules.top, node);
    if (value.kind == VALUE_POISON)
        return OPTION_WRONG;
    const struct dim *dim = !strcmp(row->key, "scales") ? dim_pure(ck->dims)
                            : !strcmp(row->key, "depths")
                                ? dim_mks(ck->dims, 1, 0, 0)
                                : dim_mks(ck->dims, 1, 0, -1);
    bool numbers = (value.kind == VALUE_NUM || value.kind == VALUE_LIST) &&
                   !value.dims && (value.rows == 1 || value.cols == 1) &&
                   value.rows;
    if (!numbers) {
        struct diag *diag =
            check_error(ck, DIAG_E0405, node->range,
                        "`%s` is a number or a list of numbers, but this is %s",
                        row->key, value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "as in %s = (0, 0.5, 1)", row->key);
        return OPTION_WRONG;
    }
    size_t count = (size_t)value.rows * value.cols;
    if (!value_need_dim(
            ck, &value, node, dim,
            arena_printf(ck->arena, "the %s of a start", row->key)) ||
        !check_leaves(ck, value.e, count, MAY_PARAMS | MAY_RESULTS, node,
                      "the starts of a portrait"))
        return OPTION_WRONG;
    value.rows = (uint32_t)count;
    value.cols = 1;
    val_of(ck, &value, node, out);
    return OPTION_GOOD;
}

/* The contact needs a compliance. */
static bool
portrait_arguments(struct check *ck, uint32_t command,
                   const struct ast_item *it)
{
    const struct tm_command *of = &ck->lists.commands.v[command];
    const struct tm_contact *contact = ck->lists.contacts.v + of->args[0].ref;
    if (contact->compliance.e)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0386, it->args[0]->range,
                    "the contact `%s` states no compliance", contact->name);
    CHECK_NOTE(ck, diag, contact->range, "declared here");
    if (contact->system)
        CHECK_HELP(ck, diag,
                   "add compliance = (1000 [N/m])*depth + (2 [N*s/m])*speed");
    else
        CHECK_HELP(ck, diag,
                   "contacts of systems have compliances, bodies' not yet");
    return false;
}

const struct command_rules command_rules_portrait = {
    .option = portrait_option, .arguments = portrait_arguments};
const struct command_rules command_rules_resolvable = {
    .option = portrait_option, .arguments = portrait_arguments};
