/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of commands as values: fields of a record, their entries and
 * reductions. A number of a result is a SYM_SLOT leaf, filled before the tape
 * that reads it runs (abi/image.h, imp_slot). Entries are counted from 0; in
 * lists -1 is the last. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/quantities/lists.h"

/* -- slots ---------------------------------------------------------------- */

static const expr *
slot_of(struct check *ck, struct tm_slot wanted)
{
    for (size_t i = 0; i < ck->lists.slots.n; i++) {
        const struct tm_slot *s = &ck->lists.slots.v[i];
        if (s->kind == wanted.kind && s->command == wanted.command &&
            s->field == wanted.field && s->index == wanted.index &&
            s->n == wanted.n &&
            (wanted.text ? s->text && !strcmp(wanted.text, s->text) : !s->text))
            return ex_sym(ck->g, SYM_SLOT, (uint32_t)i,
                          wanted.n > 1 ? wanted.n : 0);
    }
    uint32_t count = (uint32_t)ck->lists.slots.n;
    if (wanted.kind == IMP_SLOT_LIST) {
        wanted.given = ck->lists.lists.v[wanted.command].given;
        wanted.moves = ck->lists.lists.v[wanted.command].moves;
    }
    APUSH(ck, &ck->lists.slots, wanted);
    return ex_sym(ck->g, SYM_SLOT, count, wanted.n > 1 ? wanted.n : 0);
}

static const expr *
slot(struct check *ck, enum imp_slot_kind kind, uint32_t command,
     uint32_t field, int32_t index, const char *text, imp_range range)
{
    return slot_of(ck, (struct tm_slot){.kind = kind,
                                        .command = command,
                                        .field = field,
                                        .index = index,
                                        .n = 1,
                                        .text = text,
                                        .range = range});
}

const expr *
list_slot(struct check *ck, uint32_t list, uint32_t index, imp_range range)
{
    assert(ck && list < ck->lists.lists.n);
    return slot(ck, IMP_SLOT_LIST, list, 0, (int32_t)index, NULL, range);
}

const expr *
list_slots(struct check *ck, uint32_t list, uint32_t component, uint32_t n,
           bool rises, imp_range range)
{
    assert(ck && list < ck->lists.lists.n && n > 1);
    return slot_of(ck, (struct tm_slot){.kind = IMP_SLOT_LIST,
                                        .command = list,
                                        .field = rises,
                                        .index = (int32_t)component,
                                        .n = n,
                                        .range = range});
}

/* the one param that an option of the command (`over` of `threshold`) varies;
 * NULL: not known */
static const struct decl *
param_of(const struct check *ck, const struct tm_command *cmd)
{
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (option_row(cmd->opts[i].id)->kind == IMP_OPTK_AXIS)
            return ck->notes.param_decls.v[cmd->opts[i].val.ref];
    return NULL;
}

/* The dimension of a field's entry. A unit with "s^k" depends on k, the index
 * of the entry; where the index is not known (UINT32_MAX), the dimension is
 * left open. */
const struct dim *
field_dim(struct check *ck, const struct tm_command *cmd,
          const struct tm_field *field, uint32_t index, imp_range range)
{
    assert(ck && cmd && field);
    char text[64];
    struct unit unit;
    const char *power = strstr(field->unit, "^k");
    if (!strncmp(field->name, "twists", 6) && field->width)
        return index != UINT32_MAX &&
                       index % field->width < (field->width == 3 ? 1u : 3u)
                   ? dim_mks(ck->dims, 0, 0, -1)
                   : dim_mks(ck->dims, 1, 0, -1);
    if (!strcmp(field->name, "joint_impulses") && field->width)
        return index != UINT32_MAX &&
                       index % field->width < (field->width == 3 ? 2u : 3u)
                   ? dim_mks(ck->dims, 1, 1, -1)
                   : dim_mks(ck->dims, 2, 1, -1);
    if (field->column) {
        const struct record *record =
            &ck->notes.records.v[cmd - ck->lists.commands.v];
        if (record->dims && record->dims[field->column - 1].own &&
            index != UINT32_MAX)
            return record->dims[field->column - 1].own[index % field->width];
        if (record->dims)
            return record->dims[field->column - 1].all;
    }
    if (!strcmp(field->unit, "param")) {
        const struct decl *p = param_of(ck, cmd);
        return p && !p->broken && p->state == DECL_DONE
                   ? p->val.dim
                   : dim_fresh(ck->dims, range);
    }
    if (power) {
        if (index == UINT32_MAX)
            return dim_fresh(ck->dims, range);
        snprintf(text, sizeof text, "%.*s^%u%s", (int)(power - field->unit),
                 field->unit, index, power + 2);
    } else {
        snprintf(text, sizeof text, "%s", field->unit);
    }
    if (!unit_of_text(ck->dims, text, &unit))
        return dim_fresh(ck->dims, range);
    return unit.dim;
}

/* The recorded columns of a body, joint or contact: `bob_angle` is one of
 * `bob`. Writes their names to `own` and returns how many they are. */
static size_t
columns_of(const struct tm_command *cmd, const char *name, const char **own)
{
    size_t length = strlen(name), count = 0;
    for (size_t k = 0; k < cmd->n_fields; k++)
        if (cmd->fields[k].column &&
            !strncmp(cmd->fields[k].name, name, length) &&
            cmd->fields[k].name[length] == '_')
            own[count++] = cmd->fields[k].name;
    return count;
}

/* Is `name` that of a thing of the model, alone or with a part behind it, such
 * as `ball` and `ball_angle`? *part gets the part, "" where there is none. */
static bool
begins_with(const char *name, const char *thing, const char **part)
{
    size_t length = strlen(thing);
    if (strncmp(name, thing, length) != 0 ||
        (name[length] && name[length] != '_'))
        return false;
    *part = name[length] ? name + length + 1 : "";
    return true;
}

static bool
body_has(const char *part)
{
    for (size_t k = 0; k < n_body_values; k++)
        if (!strcmp(body_values[k].name, part))
            return true;
    return false;
}

/* The coordinate of the system that is called so, or NULL. */
static const char *
coordinate_of(const struct check *ck, const struct tm_system *system,
              const char *name)
{
    for (uint32_t i = system->first; i < system->first + system->n; i++)
        if (!strcmp(ck->lists.coordinates.v[i].name, name))
            return ck->lists.coordinates.v[i].name;
    return NULL;
}

/* What a run would have to record to have a field of this name, such as
 * `ball.angle` for ball_angle; NULL: nothing of the model is called so. */
static const char *
recordable(struct check *ck, const char *name)
{
    const char *part;
    for (size_t b = 0; b < ck->lists.bodies.n; b++) {
        const char *body = ck->lists.bodies.v[b].name;
        if (begins_with(name, body, &part))
            return body_has(part) ? arena_printf(ck->arena, "%s.%s", body, part)
                                  : body;
    }
    for (size_t s = 0; s < ck->lists.systems.n; s++) {
        const struct tm_system *system = &ck->lists.systems.v[s];
        if (begins_with(name, system->name, &part) &&
            (!*part || coordinate_of(ck, system, part)))
            return *part ? arena_printf(ck->arena, "%s.%s", system->name, part)
                         : system->name;
        if (coordinate_of(ck, system, name))
            return arena_printf(ck->arena, "%s.%s", system->name, name);
    }
    for (size_t b = 0; b < ck->lists.bodies.n && body_has(name); b++)
        if (!ck->lists.bodies.v[b].fixed)
            return arena_printf(ck->arena, "%s.%s", ck->lists.bodies.v[b].name,
                                name);
    return NULL;
}

/* The field that a recorded expression becomes, or one of them. */
static const char *
field_of(struct check *ck, const char *recorded)
{
    const char *dot = strchr(recorded, '.');
    if (dot)
        return arena_printf(ck->arena, "%.*s_%s", (int)(dot - recorded),
                            recorded, dot + 1);
    for (size_t s = 0; s < ck->lists.systems.n; s++) {
        const struct tm_system *system = &ck->lists.systems.v[s];
        if (!strcmp(system->name, recorded))
            return arena_printf(ck->arena, "%s_%s", recorded,
                                ck->lists.coordinates.v[system->first].name);
    }
    return arena_printf(ck->arena, "%s_position", recorded);
}

/* Lists the fields of a record: of long ones the first, and what was recorded,
 * which stands behind the times `t`. */
static void
help_fields(struct check *ck, struct diag *diag, const struct tm_command *cmd,
            const char **names)
{
    enum { ALL = 24, FIRST = 8, RECORDED = 12 };
    size_t count = cmd->n_fields, from = 0;
    if (count <= ALL) {
        CHECK_HELP(ck, diag, "its fields are %s",
                   check_join(ck, names, count, "and"));
        return;
    }
    for (size_t k = FIRST; k < count; k++)
        if (!strcmp(names[k], "t"))
            from = k;
    size_t shown = FIRST;
    for (size_t k = from; from && k < count && shown < FIRST + RECORDED; k++)
        names[shown++] = names[k];
    CHECK_HELP(ck, diag, "it has, among others, %s; `imp doc %s` lists all",
               check_join(ck, names, shown, "and"), imp_command_word(cmd->id));
}

/* b_velocity_x or b_velocity_0, where the record has b_velocity, a list of
 * vectors, stand for b_velocity.x; NULL: the name is no such one. */
static const char *
part_meant(struct check *ck, const struct tm_command *cmd, const char *name)
{
    size_t length = strlen(name);
    if (length < 3 || name[length - 2] != '_')
        return NULL;
    static const char parts[] = "xyz012";
    const char *at = memchr(parts, name[length - 1], 6);
    for (size_t k = 0; at && k < cmd->n_fields; k++) {
        const struct tm_field *field = &cmd->fields[k];
        uint32_t part = (uint32_t)(at - parts) % 3;
        if (field->kind == IMP_FIELD_VECS && field->width <= 3 &&
            part < field->width && strlen(field->name) == length - 2 &&
            !strncmp(field->name, name, length - 2))
            return arena_printf(ck->arena, "%s.%c", field->name, "xyz"[part]);
    }
    return NULL;
}

/* E0408: the record has no such field. */
static void
no_field(struct check *ck, const struct tm_command *cmd, const char *name,
         imp_range name_range)
{
    const char **names = NEW_N(ck->arena, const char *, cmd->n_fields + 1);
    const char **own = NEW_N(ck->arena, const char *, cmd->n_fields + 1);
    const char *missing = imp_command_has(cmd->id, IMP_TRAIT_RECORDS_MOTION)
                              ? recordable(ck, name)
                              : NULL;
    for (size_t k = 0; k < cmd->n_fields; k++)
        names[k] = cmd->fields[k].name;
    struct diag *diag = check_error(ck, DIAG_E0408, name_range,
                                    "the record of `%s` has no field `%s`",
                                    imp_command_word(cmd->id), name);
    size_t n_own = columns_of(cmd, name, own);
    const char *part = part_meant(ck, cmd, name);
    if (part && check_suggest(ck, diag, name_range, name, &part, 1))
        return;
    if (n_own)
        CHECK_HELP(ck, diag, "the recorded columns of `%s`: %s", name,
                   check_join(ck, own, n_own, "and"));
    else if (!(missing && strchr(missing, '.')) &&
             check_suggest(ck, diag, name_range, name, names, cmd->n_fields))
        return;
    else if (missing)
        CHECK_HELP(
            ck, diag,
            "a run keeps what its block names: record = %s gives %s `%s`",
            missing, strchr(missing, '.') ? "the field" : "fields such as",
            field_of(ck, missing));
    else if (cmd->n_fields)
        help_fields(ck, diag, cmd, names);
    else
        CHECK_HELP(ck, diag, "this command gives no record");
}

struct value
result_field(struct check *ck, uint32_t command, const char *name,
             imp_range name_range, imp_range range)
{
    assert(ck && name);
    assert(command < ck->lists.commands.n);
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    uint32_t which = 0;
    while (which < cmd->n_fields && strcmp(cmd->fields[which].name, name))
        which++;
    if (which == cmd->n_fields) {
        no_field(ck, cmd, name, name_range);
        return value_poison(range);
    }
    const struct tm_field *field = &cmd->fields[which];
    struct value value = {
        .kind = VALUE_FIELD, .ref = command, .field = which, .range = range};
    if (field->kind == IMP_FIELD_NUM || field->kind == IMP_FIELD_VEC ||
        field->kind == IMP_FIELD_SPIN) {
        uint32_t count = field->width ? field->width : 1;
        value = value_array(
            ck, count, 1, field_dim(ck, cmd, field, UINT32_MAX, range), range);
        for (uint32_t k = 0; k < count; k++)
            value.e[k] =
                slot(ck, IMP_SLOT_NUM, command, which, (int32_t)k, NULL, range);
    } else if (field->kind == IMP_FIELD_BOOL) {
        value = value_truth(
            ck, slot(ck, IMP_SLOT_NUM, command, which, 0, NULL, range), range);
    }
    return value;
}

/* Takes this row of a matrix, or this entry of a list of vectors: `width`
 * numbers. */
static struct value
row_of(struct check *ck, const struct value *value,
       const struct tm_command *cmd, const struct tm_field *field, int32_t row,
       uint32_t width, imp_range range)
{
    bool mat = field->kind == IMP_FIELD_MAT;
    bool own = width > 1 && (mat || (field->column && field->width > 1));
    struct value result = value_array(
        ck, width, 1,
        field_dim(ck, cmd, field, row < 0 || own ? UINT32_MAX : (uint32_t)row,
                  range),
        range);
    result.dims = own ? NEW_N(ck->arena, const struct dim *, width) : NULL;
    for (uint32_t k = 0; k < width; k++) {
        result.e[k] =
            slot(ck, mat ? IMP_SLOT_NUM : IMP_SLOT_ITEM, value->ref,
                 value->field, row * (int32_t)width + (int32_t)k, NULL, range);
        if (own)
            result.dims[k] = field_dim(ck, cmd, field, k, range);
    }
    return matrix_done(ck, result);
}

bool
field_takes_indices(struct check *ck, const struct value *value, size_t count,
                    imp_range range)
{
    assert(ck && value);
    const struct tm_field *field =
        &ck->lists.commands.v[value->ref].fields[value->field];
    bool mat = field->kind == IMP_FIELD_MAT;
    if (field->kind != IMP_FIELD_TEXT && (count == 1 || (mat && count == 2)))
        return true;
    struct diag *diag = check_error(
        ck, DIAG_E0212, range,
        mat ? "a matrix has two indices, M[0, 1], or one for a row"
        : field->kind == IMP_FIELD_TEXT ? "a text has no entries"
        : field->kind == IMP_FIELD_VECS ? "a list of vectors has one index"
                                        : "a list has one index: r[0]");
    if (field->kind == IMP_FIELD_VECS)
        CHECK_HELP(ck, diag,
                   "a point takes their parts: r.p[-1].y is that of the last "
                   "one, r.p.y those of all");
    return false;
}

struct value
field_entry(struct check *ck, const struct value *value, const int32_t *index,
            size_t count, imp_range range)
{
    assert(ck && value && index);
    const struct tm_command *cmd = &ck->lists.commands.v[value->ref];
    const struct tm_field *field = &cmd->fields[value->field];
    bool mat = field->kind == IMP_FIELD_MAT, row = mat && count == 1;
    int32_t at = index[0], j = count > 1 ? index[1] : 0;
    if (mat) {
        if (at < 0 || j < 0 || j >= (int32_t)field->width) {
            check_error(ck, DIAG_E0212, range,
                        "this matrix has rows from 0 and columns 0 .. %u",
                        field->width - 1);
            return value_poison(range);
        }
        if (row)
            return row_of(ck, value, cmd, field, at, field->width, range);
        int32_t k = at * (int32_t)field->width + j;
        return value_num(
            ck,
            slot(ck, IMP_SLOT_NUM, value->ref, value->field, k, NULL, range),
            field_dim(ck, cmd, field, (uint32_t)k, range), range);
    }
    if (field->kind == IMP_FIELD_TEXTS) {
        /* The entry is a text, which only comparisons understand. */
        struct value result = *value;
        result.range = range;
        result.rows = 1;
        result.cols = (uint32_t)at;
        return result;
    }
    return row_of(ck, value, cmd, field, at,
                  field->kind == IMP_FIELD_VECS ? field->width : 1, range);
}

bool
field_reduce(struct check *ck, const char *op, const struct value *value,
             imp_range range, struct value *out)
{
    assert(ck && op && value && out);
    const struct tm_command *cmd = &ck->lists.commands.v[value->ref];
    const struct tm_field *field = &cmd->fields[value->field];
    static const struct {
        const char *op;
        enum imp_slot_kind kind;
    } ops[] = {{"min", IMP_SLOT_MIN},
               {"max", IMP_SLOT_MAX},
               {"sum", IMP_SLOT_SUM},
               {"length", IMP_SLOT_LENGTH}};
    for (int i = 0; i < 4; i++) {
        if (strcmp(ops[i].op, op))
            continue;
        bool list = field->kind == IMP_FIELD_LIST;
        bool any = list || ((field->kind == IMP_FIELD_TEXTS && !value->rows) ||
                            field->kind == IMP_FIELD_VECS);
        if (i == 3 ? !any : !list)
            return false;
        *out = value_num(
            ck, slot(ck, ops[i].kind, value->ref, value->field, 0, NULL, range),
            i == 3 ? dim_pure(ck->dims)
                   : field_dim(ck, cmd, field, UINT32_MAX, range),
            range);
        return true;
    }
    return false;
}

bool
field_present(struct check *ck, const struct value *value, imp_range range,
              struct value *out)
{
    assert(ck && value && out);
    const struct tm_slot *slots = ck->lists.slots.v;
    struct tm_slot found = {.kind = IMP_SLOT_PRESENT};
    if (value->kind == VALUE_FIELD && !value->rows) {
        uint32_t kind =
            ck->lists.commands.v[value->ref].fields[value->field].kind;
        if (kind != IMP_FIELD_TEXT && kind != IMP_FIELD_MAT)
            return false;
        found.command = value->ref;
        found.field = value->field;
    } else if ((value->kind == VALUE_NUM || value->kind == VALUE_TRUTH) &&
               value->rows == 1 && value->cols == 1) {
        size_t i = 0;
        while (i < ck->lists.slots.n &&
               (slots[i].kind != IMP_SLOT_NUM ||
                ex_sym(ck->g, SYM_SLOT, (uint32_t)i, 0) != value->e[0]))
            i++;
        if (i == ck->lists.slots.n)
            return false;
        found.command = slots[i].command;
        found.field = slots[i].field;
    } else {
        return false;
    }
    *out = value_truth(
        ck,
        slot(ck, IMP_SLOT_PRESENT, found.command, found.field, 0, NULL, range),
        range);
    return true;
}

bool
texts_compared(const struct check *ck, const struct value *left,
               const struct value *right)
{
    assert(ck && left && right);
    if ((left->kind != VALUE_TEXT && left->kind != VALUE_FIELD) ||
        (right->kind != VALUE_TEXT && right->kind != VALUE_FIELD))
        return false;
    return !value_is_list(ck, left) || !value_is_list(ck, right);
}

struct value
field_compare(struct check *ck, const struct ast_expr *at,
              const struct value *value, const struct value *text)
{
    assert(ck && at && value && text);
    const struct tm_field *field =
        &ck->lists.commands.v[value->ref].fields[value->field];
    bool item = field->kind == IMP_FIELD_TEXTS && value->rows;
    bool list = field->kind == IMP_FIELD_TEXTS && !value->rows;
    if ((field->kind != IMP_FIELD_TEXT && !item && !list) ||
        text->kind != VALUE_TEXT || value->kind != VALUE_FIELD) {
        struct diag *diag = check_error(ck, DIAG_E0412, at->range,
                                        "a text of a result is compared with "
                                        "another text");
        CHECK_HELP(ck, diag, "as in r.class == \"C00\"");
        return value_poison(at->range);
    }
    if (at->op != AST_EQ && at->op != AST_NE) {
        struct diag *diag =
            check_error(ck, DIAG_E0412, at->op_range,
                        "texts are equal or not; they have no order");
        CHECK_HELP(ck, diag, "use == or !=");
        return value_poison(at->range);
    }
    if (list) {
        struct value truths = list_text_is(ck, value, text->text, at->range);
        if (at->op == AST_NE)
            truths.e[0] = ex_op(ck->g, IMP_OP_NOT, truths.e[0], NULL, NULL);
        return truths;
    }
    const expr *expression = slot(
        ck, item ? IMP_SLOT_TEXTITEMEQ : IMP_SLOT_TEXTEQ, value->ref,
        value->field, item ? (int32_t)value->cols : 0, text->text, at->range);
    if (at->op == AST_NE)
        expression = ex_op(ck->g, IMP_OP_NOT, expression, NULL, NULL);
    return value_truth(ck, expression, at->range);
}
