/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option `record` of a run: numbers and vectors that become columns. The
 * name of a body, of a family of bodies or of a system alone stands for its
 * whole state. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "check/commands/commands_priv.h"
#include "check/quantities/systems.h"

/* The columns so far. `room` is known before the first is made, since the units
 * of columns are written later, where they stand. */
struct columns {
    uint32_t command;
    struct tm_val *items;
    struct record_dim *dims;
    /* of the family that is added: entries of each member, as record_dim has
     * them, and the index of the first */
    uint32_t member, of_each;
    int32_t first;
    size_t n, room;
    bool ok;
};

/* The state of a body in the plane and in space. */
static const char *const state_in_plane[] = {"position", "angle", "velocity",
                                             "spin"},
                         *const state_in_space[] = {"position", "quaternion",
                                                    "velocity", "spin"};
enum { STATE_PARTS = 4 };

/* How many columns may an entry become? */
static size_t
room_of(const struct check *ck, const struct ast_expr *entry)
{
    const struct ast_expr *inner = ast_unwrap(entry);
    size_t most = STATE_PARTS;
    if (inner->kind != AST_NAME)
        return most;
    for (size_t s = 0; s < ck->lists.systems.n; s++) {
        const struct tm_system *system = &ck->lists.systems.v[s];
        size_t columns = 2 * ((size_t)system->n + system->n_observer);
        if (columns > most)
            most = columns;
    }
    return most;
}

/* E0405: nothing that a column can hold. */
static void
no_column(struct check *ck, const struct value *value,
          const struct ast_expr *entry)
{
    struct diag *diag =
        check_error(ck, DIAG_E0405, entry->range,
                    "a recorded column is a number or a vector, but this is %s",
                    value_kind_text(ck, value));
    if (value->kind == VALUE_CONTACT)
        CHECK_HELP(ck, diag, "record gap(%s), for example",
                   ck->lists.contacts.v[value->ref].name);
    else if (value->kind == VALUE_NUM)
        CHECK_HELP(ck, diag,
                   "record its rows, which are vectors, or its "
                   "entries: A[0], A[1], ..., or A[0][1]");
    else
        CHECK_HELP(ck, diag,
                   "as in record = (ball.position, gap(touch), energy)");
}

static void
add_number(struct check *ck, struct columns *columns, struct value *value,
           const struct ast_expr *entry, const char *label)
{
    assert(columns->n < columns->room);
    struct tm_val *item = &columns->items[columns->n];
    struct record_dim *dims = &columns->dims[columns->n];
    val_of(ck, value, entry, item);
    if (label)
        item->label = label;
    item->name = val_name(ck, item->label, true);
    item->name =
        column_name(ck, &ck->lists.commands.v[columns->command], columns->items,
                    columns->n, item->name, item->label);
    dims->all = value->bare ? dim_pure(ck->dims) : value->dim;
    dims->own = value->dims ? val_entry_dims(ck, value) : NULL;
    dims->n = value->rows;
    dims->member = columns->member;
    dims->of_each = columns->of_each;
    dims->first = columns->first;
    columns->n++;
}

static void add_entry(struct check *ck, struct columns *columns,
                      const struct ast_expr *entry, const char *label);

/* The expression `of.name`, as if it were written. */
static struct ast_expr *
part_of(struct check *ck, const struct ast_expr *of, const char *name)
{
    struct ast_expr *part = NEW(ck->arena, struct ast_expr);
    *part = (struct ast_expr){.kind = AST_FIELD,
                              .range = of->range,
                              .a = (struct ast_expr *)of,
                              .name = {.range = of->range, .text = name}};
    return part;
}

/* Adds the column `of.name`, or its rate. */
static void
add_part(struct check *ck, struct columns *columns, const struct ast_expr *of,
         const char *name, bool rate)
{
    struct ast_expr *part = part_of(ck, of, name);
    if (rate) {
        struct ast_expr *prime = NEW(ck->arena, struct ast_expr);
        *prime =
            (struct ast_expr){.kind = AST_PRIME, .range = of->range, .a = part};
        part = prime;
    }
    add_entry(ck, columns, part,
              arena_printf(ck->arena, "%s.%s%s", expr_label(ck, of), name,
                           rate ? "'" : ""));
}

/* The coordinates of a system with their rates; observers' variables of first
 * order have none. */
static void
add_system(struct check *ck, struct columns *columns,
           const struct tm_system *system, const struct ast_expr *entry)
{
    for (uint32_t i = system->first;
         i < system->first + system->n + system->n_observer; i++) {
        const char *name = ck->lists.coordinates.v[i].name;
        bool first_order = ck->lists.coordinates.v[i].order == 1;
        add_part(ck, columns, entry, name, false);
        if (!first_order)
            add_part(ck, columns, entry, name, true);
    }
}

/* Adds the columns of an entry; label: what it is called, NULL: as it is
 * written. */
static void
add_entry(struct check *ck, struct columns *columns,
          const struct ast_expr *entry, const char *label)
{
    struct value value = check_expr(ck, &ck->modules.top, entry);
    if (value.kind == VALUE_POISON) {
        columns->ok = false;
        return;
    }
    if (value.kind == VALUE_TRUTH)
        value.kind = VALUE_NUM;
    columns->member = columns->of_each = 0;
    uint32_t members =
        value.kind == VALUE_NUM && !value.dims
            ? expr_members(ck, &ck->modules.top, entry, &columns->first)
            : 0;
    if (members)
        columns->of_each = value.rows * value.cols / members;
    /* The matrix of a family is recorded as one vector. */
    if (value.kind == VALUE_NUM && value.cols != 1 && !value.dims &&
        expr_of_family(ck, &ck->modules.top, entry)) {
        columns->member = value.cols;
        value.rows *= value.cols;
        value.cols = 1;
    }
    bool bodies =
        value.kind == VALUE_BODY || (value.kind == VALUE_FAMILY && value.field);
    if (bodies) {
        const char *const *state =
            ck->m->dim == 3 ? state_in_space : state_in_plane;
        for (size_t part = 0; part < STATE_PARTS; part++)
            add_part(ck, columns, entry, state[part], false);
    } else if (value.kind == VALUE_SYSTEM) {
        add_system(ck, columns, &ck->lists.systems.v[value.ref], entry);
    } else if (value.kind != VALUE_NUM || value.cols != 1) {
        no_column(ck, &value, entry);
        columns->ok = false;
    } else {
        add_number(ck, columns, &value, entry, label);
    }
}

/* E0405: record = [a, b], which is one matrix. */
static void
in_square_brackets(struct check *ck, const struct ast_expr *node)
{
    struct buf text = {0};
    struct diag *diag = check_error(
        ck, DIAG_E0405, node->range,
        "columns of a record stand in round brackets: this is a matrix");
    for (size_t i = 0; i < node->n_list; i++)
        buf_printf(&text, "%s%s", i ? ", " : "(",
                   expr_label(ck, node->list[i]));
    buf_putc(&text, ')');
    CHECK_HELP(ck, diag, "write");
    diag_fix(ck->ds, diag, node->range,
             arena_strdup(ck->arena, buf_str(&text)));
    buf_free(&text);
}

bool
record_option(struct check *ck, uint32_t command, const struct ast_expr *node,
              struct tm_val *out)
{
    assert(ck && node && out);
    const struct ast_expr *inner = ast_unwrap(node);
    const struct ast_expr *const *list;
    if (inner->kind == AST_MATRIX && inner->n_list > 1 &&
        inner->cols == inner->n_list && !inner->unit) {
        in_square_brackets(ck, inner);
        ck->notes.records.v[command].broken = true;
        return false;
    }
    size_t count = option_entries(&inner, inner, &list);
    struct columns columns = {.command = command, .ok = true};
    for (size_t i = 0; i < count; i++)
        columns.room += room_of(ck, list[i]);
    columns.items = NEW_N(ck->arena, struct tm_val, columns.room);
    columns.dims = NEW_N(ck->arena, struct record_dim, columns.room);
    for (size_t i = 0; i < count; i++) {
        struct tm_val *item = &columns.items[columns.n];
        struct record_dim *dims = &columns.dims[columns.n];
        bool good;
        if (!along_item(ck, list[i], item, &dims->all, &good)) {
            add_entry(ck, &columns, list[i], NULL);
            continue;
        }
        columns.ok &= good;
        if (good) {
            item->name =
                column_name(ck, &ck->lists.commands.v[command], columns.items,
                            columns.n, item->name, item->label);
            dims->n = 1;
            columns.n++;
        }
    }
    for (size_t i = 0; i < columns.n; i++)
        record_column(ck, command, &columns.items[i], &columns.dims[i],
                      columns.items[i].rows);
    out->kind = IMP_VAL_LIST;
    out->items = columns.items;
    out->n_items = columns.n;
    out->range = node->range;
    out->label = expr_label(ck, node);
    out->text = out->unit = out->name = "";
    struct record *record = &ck->notes.records.v[command];
    record->columns = columns.items;
    record->dims = columns.dims;
    record->n = columns.n;
    record->broken |= !columns.ok;
    return columns.ok;
}
