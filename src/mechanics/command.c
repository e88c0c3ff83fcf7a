/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands: their arguments and options become tapes and records of the image.
 * What they read of bodies and systems becomes functions of the state first. */
#include <assert.h>
#include <stdlib.h>

#include "mechanics/mech_priv.h"

/* e as a function of the state: without SYM_BODY, SYM_TOTAL, SYM_COORD and
 * SYM_SYSTEM. */
static const expr *
lower_expr(struct mech *mech, const expr *e)
{
    return ex_subst(mech->graph, e, quantity_leaf, mech);
}

/* -- values ---------------------------------------------------------------- */

/* The contacts (gap, points) and slots that a tape reads; each is listed once,
 * in order. */
struct reads {
    struct mech *mech;
    bool *contact, *slot;
};

static void
note_read(void *ctx, const expr *leaf)
{
    struct reads *r = ctx;
    if (leaf->sym == SYM_CONTACT && leaf->j < IMP_CONTACT_E)
        r->contact[leaf->i] = true;
    if (leaf->sym == SYM_SLOT)
        r->slot[leaf->i] = true;
}

imp_ref
command_numbers(struct mech *mech, const bool *bits, size_t n)
{
    assert(mech && bits);
    uint32_t *v = NEW_N(mech->arena, uint32_t, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (bits[i])
            v[m++] = (uint32_t)i;
    return image_array(mech->image, v, m, sizeof *v);
}

static imp_str
text_or_empty(struct mech *mech, const char *s)
{
    return image_text(mech->image, s ? s : "");
}

/* Puts n values into the image if all of them are constants; false otherwise.
 */
static bool
listed(struct mech *mech, const struct tm_val *val, size_t n, imp_ref *out)
{
    double *x = NEW_N(mech->arena, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!ex_is_const(val->e[i]))
            return false;
        x[i] = val->e[i]->num;
    }
    *out = image_array(mech->image, x, n, sizeof *x);
    return true;
}

/* The cells of lists that the expressions of a column read become locals of its
 * tape. */
struct cells {
    struct mech *mech;
    struct {
        imp_cell *v;
        size_t n, cap;
    } found;
};

static const expr *
cell_local(void *ctx, const expr *leaf)
{
    struct cells *cells = ctx;
    if (leaf->sym != SYM_CELL)
        return NULL;
    size_t i = 0;
    while (i < cells->found.n && (cells->found.v[i].list != leaf->i ||
                                  cells->found.v[i].component != leaf->j))
        i++;
    if (i == cells->found.n)
        VEC_PUSH_IN(cells->mech->arena, &cells->found,
                    (imp_cell){leaf->i, leaf->j});
    return ex_sym(cells->mech->graph, SYM_LOCAL, (uint32_t)i, 0);
}

static imp_val
lower_val(struct mech *mech, const struct tm_val *val)
{
    imp_val out = {.kind = (uint32_t)val->kind,
                   .rows = val->rows,
                   .cols = val->cols,
                   .tape = IMP_NO_TAPE,
                   .ref = val->ref,
                   .field = val->field,
                   .compare = val->compare || val->truth,
                   .words = val->words,
                   .range = val->range};
    out.text = text_or_empty(mech, val->text);
    out.label = text_or_empty(mech, val->label);
    out.unit = text_or_empty(mech, val->unit);
    out.name = text_or_empty(mech, val->name);
    size_t count = (size_t)val->rows * val->cols;
    if (val->compare)
        count = 3;
    if (val->listed && listed(mech, val, count, &out.numbers))
        count = 0;
    if (val->e && count &&
        (val->kind == IMP_VAL_NUM || val->kind == IMP_VAL_BOOL ||
         val->kind == IMP_VAL_COLUMN || val->kind == IMP_VAL_ALONG)) {
        struct reads r = {mech,
                          NEW_N(mech->arena, bool, mech->model->n_contacts + 1),
                          NEW_N(mech->arena, bool, mech->model->n_slots + 1)};
        const expr **outs = NEW_N(mech->arena, const expr *, count);
        struct cells cells = {.mech = mech};
        graph_origin(mech->graph, val->range);
        for (size_t i = 0; i < count; i++)
            outs[i] = lower_expr(
                mech, ex_subst(mech->graph, val->e[i], cell_local, &cells));
        out.cells = image_array(mech->image, cells.found.v, cells.found.n,
                                sizeof *cells.found.v);
        ex_leaves(mech->graph, outs, count, note_read, &r);
        out.series = series_wants(mech, outs, count, r.contact, r.slot);
        out.contacts =
            command_numbers(mech, r.contact, mech->model->n_contacts);
        out.slots = command_numbers(mech, r.slot, mech->model->n_slots);
        out.tape = mech_eval_tape(
            mech, val->label && *val->label ? val->label : "value",
            (uint32_t)cells.found.n, outs, count);
    }
    if (val->kind == IMP_VAL_LAW)
        out.tape = impact_law_named(mech, val->text, val->range, val->e);
    if (val->n_items) {
        imp_val *items = NEW_N(mech->arena, imp_val, val->n_items);
        for (size_t i = 0; i < val->n_items; i++)
            items[i] = lower_val(mech, val->items + i);
        out.items =
            image_array(mech->image, items, val->n_items, sizeof *items);
    }
    return out;
}

/* An argument of a command that was asked in an earlier model: its text alone,
 * for what names the result. */
static imp_val
label_val(struct mech *mech, const struct tm_val *val)
{
    return (imp_val){.kind = IMP_VAL_NONE,
                     .tape = IMP_NO_TAPE,
                     .range = val->range,
                     .text = text_or_empty(mech, NULL),
                     .label = text_or_empty(mech, val->label),
                     .unit = text_or_empty(mech, NULL),
                     .name = text_or_empty(mech, NULL)};
}

static imp_command
lower_command(struct mech *mech, const struct tm_command *command)
{
    imp_command out = {.id = (uint32_t)command->id,
                       .range = command->range,
                       .done = command->inner  ? IMP_DONE_INNER
                               : command->done ? IMP_DONE_EARLIER
                                               : IMP_DONE_NOT,
                       .bound = text_or_empty(mech, command->bound)};
    imp_val *args = NEW_N(mech->arena, imp_val, command->n_args + 1);
    imp_opt *opts = NEW_N(mech->arena, imp_opt, command->n_opts + 1);
    imp_field *fields = NEW_N(mech->arena, imp_field, command->n_fields + 1);
    for (size_t i = 0; i < command->n_args; i++)
        args[i] = command->done ? label_val(mech, command->args + i)
                                : lower_val(mech, command->args + i);
    for (size_t i = 0; i < command->n_opts && !command->done; i++) {
        opts[i].id = (uint32_t)command->opts[i].id;
        opts[i].val = lower_val(mech, &command->opts[i].val);
    }
    for (size_t i = 0; i < command->n_fields; i++) {
        const struct tm_field *f = command->fields + i;
        fields[i] = (imp_field){.name = text_or_empty(mech, f->name),
                                .unit = text_or_empty(mech, f->unit),
                                .doc = text_or_empty(mech, f->doc),
                                .kind = (uint32_t)f->kind,
                                .column = f->column,
                                .width = f->width,
                                .member = f->member,
                                .first = f->first};
    }
    out.args = image_array(mech->image, args, command->n_args, sizeof *args);
    out.opts = image_array(mech->image, opts,
                           command->done ? 0 : command->n_opts, sizeof *opts);
    out.fields =
        image_array(mech->image, fields, command->n_fields, sizeof *fields);
    return out;
}

imp_ref
command_table(struct mech *mech)
{
    assert(mech);
    size_t n = mech->model->n_commands;
    imp_command *table = NEW_N(mech->arena, imp_command, n + 1);
    for (size_t i = 0; i < n; i++)
        table[i] = lower_command(mech, mech->model->commands + i);
    return image_array(mech->image, table, n, sizeof *table);
}

imp_ref
slot_table(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_slots;
    imp_slot *table = NEW_N(mech->arena, imp_slot, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_slot *slot = mech->model->slots + i;
        table[i] = (imp_slot){.kind = (uint32_t)slot->kind,
                              .command = slot->command,
                              .field = slot->field,
                              .index = slot->index,
                              .at = mech->slot_at[i],
                              .n = slot->n,
                              .text = text_or_empty(mech, slot->text),
                              .range = slot->range};
    }
    return image_array(mech->image, table, count, sizeof *table);
}

imp_ref
list_table(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_lists;
    imp_list *table = NEW_N(mech->arena, imp_list, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_list *list = mech->model->lists + i;
        imp_val *inputs = NEW_N(mech->arena, imp_val, list->n_inputs + 1);
        for (size_t k = 0; k < list->n_inputs; k++)
            inputs[k] = lower_val(mech, list->inputs + k);
        table[i] =
            (imp_list){.kind = (uint32_t)list->kind,
                       .width = list->width,
                       .command = list->command,
                       .field = list->field,
                       .table = list->table,
                       .column = list->column,
                       .inputs = image_array(mech->image, inputs,
                                             list->n_inputs, sizeof *inputs),
                       .text = text_or_empty(mech, list->text),
                       .name = text_or_empty(mech, list->name),
                       .range = list->range};
    }
    return image_array(mech->image, table, count, sizeof *table);
}

static imp_ref
words_of(struct mech *mech, const struct tm_table_column *column)
{
    imp_str *words = NEW_N(mech->arena, imp_str, column->n_words + 1);
    for (size_t i = 0; i < column->n_words; i++)
        words[i] = text_or_empty(mech, column->words[i]);
    return image_array(mech->image, words, column->n_words, sizeof *words);
}

imp_ref
data_table(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_tables;
    imp_table *tables = NEW_N(mech->arena, imp_table, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_table *from = mech->model->tables + i;
        imp_table_column *columns =
            NEW_N(mech->arena, imp_table_column, from->n_columns + 1);
        for (size_t c = 0; c < from->n_columns; c++)
            columns[c] = (imp_table_column){
                .name = text_or_empty(mech, from->columns[c].name),
                .unit = text_or_empty(mech, from->columns[c].unit),
                .header = text_or_empty(mech, from->columns[c].header),
                .unit_num = from->columns[c].unit_num,
                .unit_den = from->columns[c].unit_den,
                .stated = text_or_empty(mech, from->columns[c].stated),
                .said = text_or_empty(mech, from->columns[c].said),
                .text = from->columns[c].text,
                .words = words_of(mech, &from->columns[c]),
                .values = image_array(mech->image, from->columns[c].x,
                                      from->n_rows, sizeof(double))};
        tables[i] = (imp_table){
            .name = text_or_empty(mech, from->name),
            .file = text_or_empty(mech, from->file),
            .missing = text_or_empty(mech, from->missing),
            .has_missing = from->missing != NULL,
            .whole = from->whole ? (uint32_t)from->n_rows : 0,
            .columns = image_array(mech->image, columns, from->n_columns,
                                   sizeof *columns)};
    }
    return image_array(mech->image, tables, count, sizeof *tables);
}
