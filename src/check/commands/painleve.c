/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `painleve C { over = theta }`: one contact, or two of one system or of
 * bodies; the coordinate is one of the contact's system, or the angle of one of
 * its bodies (over = rod.angle). */
#include <string.h>

#include "check/commands/commands_priv.h"

/* theta, or rod.angle; NULL: it is none of these. */
static const char *
coordinate_text(struct check *ck, const struct ast_expr *node)
{
    if (node->kind == AST_NAME)
        return node->name.text;
    const struct ast_expr *of =
        node->kind == AST_FIELD ? ast_unwrap(node->a) : NULL;
    return of && of->kind == AST_NAME
               ? arena_printf(ck->arena, "%s.%s", of->name.text,
                              node->name.text)
               : NULL;
}

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
    const char *name[2];
    for (size_t k = 0; k < 2; k++)
        name[k] = coordinate_text(ck, two ? ast_unwrap(node->list[k]) : node);
    if (!name[0] || !name[1] || (two && !strcmp(name[0], name[1]))) {
        struct diag *diag =
            check_error(ck, DIAG_E0405, node->range,
                        "`over` is the name of one coordinate, or of two");
        CHECK_HELP(ck, diag,
                   "as in over = theta, a coordinate of the system to which "
                   "the contact belongs, over = (th1, th2), or over = "
                   "rod.angle, of a body");
        return OPTION_WRONG;
    }
    /* two names stand with a blank between them */
    const char *text =
        two ? arena_printf(ck->arena, "%s %s", name[0], name[1]) : name[0];
    *out = (struct tm_val){.kind = IMP_VAL_WORD,
                           .text = text,
                           .label = text,
                           .unit = "",
                           .name = "",
                           .range = node->range};
    return OPTION_GOOD;
}

static struct tm_val *
over_of(struct tm_command *command)
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

/* Marks the bodies that move, and the bodies that joints connect with them. */
static void
follow_joints(const struct check *ck, uint32_t body, bool *marked)
{
    if (body == IMP_WORLD || ck->lists.bodies.v[body].fixed || marked[body])
        return;
    marked[body] = true;
    for (size_t i = 0; i < ck->lists.joints.n; i++) {
        const uint32_t *pair = ck->lists.joints.v[i].body;
        if (pair[0] == body || pair[1] == body)
            follow_joints(ck, pair[pair[0] == body], marked);
    }
}

/* The angles of the bodies of a contact that move, and of those that joints
 * connect with them, as texts. */
static size_t
angles_of(struct check *ck, const struct tm_contact *contact,
          const char ***names)
{
    size_t n = 0, count = ck->lists.bodies.n;
    bool *marked = NEW_N(ck->arena, bool, count + 1);
    *names = NEW_N(ck->arena, const char *, count + 1);
    for (int e = 0; e < 2; e++)
        follow_joints(ck, contact->body[e], marked);
    for (size_t i = 0; i < count; i++)
        if (marked[i])
            (*names)[n++] =
                arena_printf(ck->arena, "%s.angle", ck->lists.bodies.v[i].name);
    return n;
}

/* The names of `over`, of which those that are written with their system,
 * as in tool.theta, are left with the coordinate alone. */
static const char *
bare_coordinates(struct check *ck, const struct tm_system *owner,
                 const char *names)
{
    size_t length = strlen(owner->name);
    char *bare = arena_strdup(ck->arena, names), *to = bare;
    for (const char *at = names; *at;) {
        if ((at == names || at[-1] == ' ') &&
            !strncmp(at, owner->name, length) && at[length] == '.')
            at += length + 1;
        else
            *to++ = *at++;
    }
    *to = 0;
    return bare;
}

/* Does `over` name coordinates of the system, or angles of bodies that the
 * contact has? */
static bool
over_ok(struct check *ck, const struct tm_contact *contact,
        const struct tm_val *over)
{
    const struct tm_system *owner =
        contact->system ? ck->lists.systems.v + (contact->system - 1) : NULL;
    const char **angle = NULL, *names[16], *at = over->text, *wrong = NULL;
    size_t n_angles = owner ? 0 : angles_of(ck, contact, &angle), n = 0;
    for (int k = 0; k < 2 && *at && !wrong; k++) {
        size_t length = strcspn(at, " ");
        const char *name = arena_strndup(ck->arena, at, length);
        bool known = owner && coordinate_of(ck, owner, name, length);
        for (size_t i = 0; i < n_angles; i++)
            known |= !strcmp(angle[i], name);
        wrong = known ? NULL : name;
        at += length + (at[length] == ' ');
    }
    if (!wrong)
        return true;
    struct diag *diag =
        owner ? check_error(ck, DIAG_E0405, over->range,
                            "`%s` has no coordinate `%s`", owner->name, wrong)
              : check_error(
                    ck, DIAG_E0405, over->range,
                    "`%s` is no angle of a body of `%s` that moves, or is "
                    "jointed with one",
                    wrong, contact->name);
    for (; owner && n < owner->n && n < 16; n++) {
        const char *full = ck->lists.coordinates.v[owner->first + n].name;
        const char *dot = strrchr(full, '.');
        names[n] = dot ? dot + 1 : full;
    }
    for (; !owner && n < n_angles && n < 16; n++)
        names[n] = angle[n];
    if (n == 0)
        CHECK_HELP(ck, diag, "no body of this contact moves");
    else if (!check_suggest(ck, diag, over->range, wrong, names, n))
        CHECK_HELP(ck, diag, owner ? "its coordinates are %s" : "take %s",
                   check_join(ck, names, n, owner ? "and" : "or"));
    return false;
}

static bool
painleve_arguments(struct check *ck, uint32_t command,
                   const struct ast_item *it)
{
    struct tm_command *of = &ck->lists.commands.v[command];
    struct tm_val *over = over_of(of);
    const struct tm_contact *contact[2] = {NULL, NULL};
    for (size_t i = 0; i < of->n_args && i < 2; i++)
        contact[i] = ck->lists.contacts.v + of->args[i].ref;
    if (of->n_args > 2 ||
        (of->n_args == 2 && contact[0]->system != contact[1]->system)) {
        struct diag *diag =
            check_error(ck, DIAG_E0403, it->args[of->n_args > 2 ? 2 : 1]->range,
                        "`painleve` asks about one contact, or about two of "
                        "one system or of bodies");
        CHECK_HELP(ck, diag, "ask about each by itself: painleve %s",
                   expr_label(ck, it->args[0]));
        return false;
    }
    if (!over)
        return true;
    if (of->n_args == 1) {
        if (contact[0]->system)
            over->text = bare_coordinates(
                ck, &ck->lists.systems.v[contact[0]->system - 1], over->text);
        return over_ok(ck, contact[0], over);
    }
    struct diag *diag = check_error(
        ck, DIAG_E0405, over->range,
        "`over` is a coordinate, which two contacts are not asked about");
    CHECK_HELP(ck, diag, "leave `over` out; a sweep asks at other places");
    return false;
}

const struct command_rules command_rules_painleve = {
    .option = painleve_option, .arguments = painleve_arguments};

/* -- portrait, resolvable ---------------------------------------------------
 */

static enum option_taken
no_numbers(struct check *ck, const struct option_row *row,
           const struct value *value, const struct ast_expr *node)
{
    bool field = value->kind == VALUE_FIELD &&
                 ck->lists.commands.v[value->ref].fields[value->field].kind ==
                     IMP_FIELD_LIST,
         column = field || value->kind == VALUE_COLUMN;
    const char *is = value_kind_text(ck, value);
    struct diag *diag =
        column ? check_error(ck, DIAG_E0405, node->range,
                             "`%s` is a number or a list of numbers whose "
                             "length stands in the model, but only a run knows "
                             "the length of this list",
                             row->key)
        : value->dims
            ? check_error(ck, DIAG_E0405, node->range,
                          "`%s` is a number or a list of numbers of one "
                          "dimension, but these have several",
                          row->key)
            : check_error(
                  ck, DIAG_E0405, node->range,
                  "`%s` is a number or a list of numbers, but this is %s",
                  row->key, is);
    CHECK_HELP(ck, diag,
               column ? "single entries of it can be taken: %s = (list[0], "
                        "list[-1]), or as in linspace(list[0], list[-1], 5)"
                      : "as in %s = (0, 0.5, 1)",
               row->key);
    return OPTION_WRONG;
}

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
    bool numbers = (value.kind == VALUE_NUM || value.kind == VALUE_LIST) &&
                   !value.dims && (value.rows == 1 || value.cols == 1) &&
                   value.rows;
    if (!numbers)
        return no_numbers(ck, row, &value, node);
    size_t count = (size_t)value.rows * value.cols;
    /* the dimensions of the others follow from the contact */
    if ((!strcmp(row->key, "scales") &&
         !value_need_dim(ck, &value, node, dim_pure(ck->dims),
                         "the scales of a compliance")) ||
        !check_leaves(ck, value.e, count, MAY_PARAMS | MAY_RESULTS, node,
                      "the starts of a portrait"))
        return OPTION_WRONG;
    value.rows = (uint32_t)count;
    value.cols = 1;
    val_of(ck, &value, node, out);
    return OPTION_GOOD;
}

/* Depths of starts have the dimension of the gap, which is not a length where
 * coordinates are angles, and speeds that of its rate. */
static bool
starts_ok(struct check *ck, const struct tm_contact *contact,
          const struct ast_item *it)
{
    const struct dim *depth =
        contact->system ? contact->gap_dim : dim_mks(ck->dims, 1, 0, 0);
    bool ok = true;
    for (size_t k = 0; k < it->n_block && depth; k++) {
        const struct ast_item *key = it->block[k];
        bool depths = !strcmp(key->name.text, "depths");
        if (!depths && strcmp(key->name.text, "speeds") != 0)
            continue;
        struct value value = check_expr(ck, &ck->modules.top, key->value);
        ok &= value_need_dim(
            ck, &value, key->value,
            depths ? depth
                   : dim_div(ck->dims, depth, dim_mks(ck->dims, 0, 0, 1)),
            depths ? "the depth of a start" : "the speed of a start");
    }
    return ok;
}

/* The contact needs a compliance. */
static bool
portrait_arguments(struct check *ck, uint32_t command,
                   const struct ast_item *it)
{
    const struct tm_command *of = &ck->lists.commands.v[command];
    const struct tm_contact *contact = ck->lists.contacts.v + of->args[0].ref;
    if (contact->compliance.e)
        return ck->notes.records.v[command].broken ||
               starts_ok(ck, contact, it);
    if (contact->yields)
        return false; /* what is wrong has been reported */
    struct diag *diag =
        check_error(ck, DIAG_E0386, it->args[0]->range,
                    "the contact `%s` states no compliance", contact->name);
    CHECK_NOTE(ck, diag, contact->range, "declared here");
    CHECK_HELP(ck, diag,
               "add compliance = (1000 [N/m])*depth + (2 [N*s/m])*speed");
    return false;
}

const struct command_rules command_rules_portrait = {
    .option = portrait_option, .arguments = portrait_arguments};
const struct command_rules command_rules_resolvable = {
    .option = portrait_option, .arguments = portrait_arguments};
