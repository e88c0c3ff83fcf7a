/* SPDX-License-Identifier: MIT */
/* The command `show`: values and records as text or as JSON. Bodies and
 * contacts are shown as the model has them at the start. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/command/lists.h"
#include "runtime/gap/closest_points.h"

static void
show_text(struct analysis *analysis, const char *label, const char *text)
{
    struct buf buf = {0};
    if (analysis->out->json) {
        buf_puts(&buf, "{\"command\": \"show\", \"name\": \"\", "
                       "\"expression\": ");
        buf_json(&buf, label, strlen(label));
        buf_puts(&buf, ", \"value\": ");
        buf_json(&buf, text, strlen(text));
        buf_puts(&buf, ", \"units\": {}}\n");
    } else {
        buf_printf(&buf, "%s\n", text);
    }
    out_write(analysis->out, buf.s, buf.n);
    buf_free(&buf);
}

static void
show_part(struct analysis *analysis, const char *of, const char *part,
          const char *unit, const double *numbers, size_t count)
{
    assert(count > 0);
    const char *label = arena_printf(analysis->rt->arena, "%s.%s", of, part);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) {
            show_text(
                analysis, label,
                arena_printf(analysis->rt->arena, "%s is infinite", label));
            return;
        }
    out_value(analysis->out, label, unit, numbers, count, 1, false);
}

static void
show_body(struct analysis *analysis, const imp_val *value)
{
    const imp_body *body = rt_body(analysis->rt, value->ref);
    const double *env = analysis->rt->env + body->env_body;
    const double *state = analysis->rt->env + body->env_state;
    const char *of = imp_text(analysis->rt->im, body->name);
    bool plane = analysis->rt->im->dim == 2;
    size_t dim = plane ? 2 : 3;
    if (!(body->flags & IMP_BODYF_FIXED)) {
        show_part(analysis, of, "mass", "kg", env + IMP_BODY_MASS, 1);
        show_part(analysis, of, "inertia", "kg*m^2", env + IMP_BODY_INERTIA,
                  plane ? 1 : 6);
    }
    if (body->flags & IMP_BODYF_SHAPE)
        show_part(analysis, of, "volume", plane ? "m^2" : "m^3",
                  env + IMP_BODY_VOLUME, 1);
    show_part(analysis, of, "centre", "m", env + IMP_BODY_CENTRE, dim);
    show_part(analysis, of, "position", "m", state, dim);
    show_part(analysis, of, plane ? "angle" : "quaternion", "", state + dim,
              plane ? 1 : 4);
    show_part(analysis, of, "velocity", "m/s", state + (plane ? 3 : 7), dim);
    show_part(analysis, of, plane ? "spin" : "spin_in_body_axes", "1/s",
              state + (plane ? 5 : 10), plane ? 1 : 3);
}

static int
show_contact(struct analysis *analysis, const imp_val *value)
{
    struct closest_points cl;
    const imp_contact *ct = rt_contact(analysis->rt, value->ref);
    const char *of = imp_text(analysis->rt->im, ct->name);
    size_t dim = analysis->rt->im->dim == 2 ? 2 : 3;
    const double *env = analysis->rt->env + ct->env_contact;
    if (ct->flags & IMP_CONTACTF_STATED) {
        show_part(analysis, of, "at", "m", env + IMP_CONTACT_AT, dim);
        show_part(analysis, of, "direction", "", env + IMP_CONTACT_DIRECTION,
                  dim);
        show_part(analysis, of, "restitution", "", env + IMP_CONTACT_E, 1);
        return IMP_OK;
    }
    int st = closest_points_find(analysis->rt, value->ref, &cl, true);
    if (st)
        return command_failed(analysis, st, value->range, "the closest points");
    show_part(analysis, of, "gap", "m", &cl.gap, 1);
    show_part(analysis, of, "P", "m", cl.P, dim);
    show_part(analysis, of, "Q", "m", cl.Q, dim);
    show_part(analysis, of, "normal", "", cl.n, dim);
    show_part(analysis, of, "restitution", "", env + IMP_CONTACT_E, 1);
    return IMP_OK;
}

/* Shows a list as the field of a record would be shown. texts: its entries, if
 * they are no numbers. */
static void
show_list(struct analysis *analysis, const imp_val *value,
          struct list_values values, const char *const *texts)
{
    const imp_image *im = analysis->rt->im;
    imp_command bare = {.id = IMP_CMD_show, .range = value->range};
    imp_field field = {.name = value->label,
                       .unit = value->unit,
                       .kind = texts              ? IMP_FIELD_TEXTS
                               : values.width > 1 ? IMP_FIELD_VECS
                                                  : IMP_FIELD_LIST,
                       .width = (uint32_t)values.width};
    struct field_value v = {
        .num = values.x, .texts = texts, .n = values.n, .cols = values.width};
    struct record one = {.image = im,
                         .command = &bare,
                         .schema = &field,
                         .v = &v,
                         .n = 1,
                         .present = true};
    out_field(analysis->out, im, &one, 0, imp_text(im, value->label));
}

/* A text of data or of a record; NaN: it is missing. One of data with a comma
 * stands in quotes. */
static const char *
word_shown(struct analysis *analysis, const imp_val *value,
           const struct list_words *words, double word)
{
    bool json = analysis->out->json;
    if (isnan(word))
        return json ? "" : "-";
    assert((size_t)word < words->n);
    const char *text = words->text[(size_t)word];
    return json || value->words - 1 == IMP_RECORD_TEXTS || !strchr(text, ',')
               ? text
               : arena_printf(record_arena(analysis), "\"%s\"", text);
}

static int
show_column(struct analysis *analysis, const imp_val *value)
{
    struct list_values values;
    int st = column_values_of(analysis, value, &values);
    if (st)
        return st;
    const char **texts = NULL;
    if (value->words) {
        const struct list_words words =
            list_words(analysis, value->words - 1, value->field);
        texts = NEW_N(record_arena(analysis), const char *, values.n + 1);
        for (size_t i = 0; i < values.n; i++)
            texts[i] = word_shown(analysis, value, &words, values.x[i]);
    }
    show_list(analysis, value, values, texts);
    return IMP_OK;
}

static int
show_value(struct analysis *analysis, const imp_val *value)
{
    const imp_image *im = analysis->rt->im;
    const char *label = imp_text(im, value->label),
               *unit = imp_text(im, value->unit);
    int st;
    switch (value->kind) {
    case IMP_VAL_TEXT:
    case IMP_VAL_WORD:
        show_text(analysis, label, imp_text(im, value->text));
        return IMP_OK;
    case IMP_VAL_BODY:
        show_body(analysis, value);
        return IMP_OK;
    case IMP_VAL_CONTACT:
        return show_contact(analysis, value);
    case IMP_VAL_COLUMN:
        return show_column(analysis, value);
    case IMP_VAL_RESULT: {
        const struct record *record = arg_record(analysis, value);
        if (!record)
            return IMP_FAILED;
        if (analysis->out->json)
            out_record_shown(analysis->out, im, record, label);
        else
            out_record_text(analysis->out, im, record,
                            command_label(analysis, record->command));
        return IMP_OK;
    }
    case IMP_VAL_FIELD: {
        const struct record *record = arg_record(analysis, value);
        if (!record)
            return IMP_FAILED;
        if (value->rows) {
            const char *text;
            if ((st = arg_text_entry(analysis, value, &text)) == IMP_OK)
                show_text(analysis, label,
                          analysis->out->json
                              ? text
                              : arena_printf(analysis->rt->arena, "%s = %s",
                                             label, text));
            return st;
        }
        out_field(analysis->out, im, record, value->field, label);
        return IMP_OK;
    }
    case IMP_VAL_LIST: {
        const imp_val *item = val_items(analysis, value);
        for (uint32_t i = 0; i < value->items.n; i++)
            if ((st = show_value(analysis, &item[i])))
                return st;
        return IMP_OK;
    }
    default: {
        size_t rows = value->rows ? value->rows : 1,
               cols = value->cols ? value->cols : 1;
        if (arg_is_empty(value)) {
            show_list(analysis, value, (struct list_values){.width = 1}, NULL);
            return IMP_OK;
        }
        double *x = NEW_N(analysis->rt->arena, double, rows *cols + 2);
        if ((st = arg_numbers(analysis, value, x)))
            return st;
        out_value(analysis->out, label, unit, x, rows, cols,
                  value->kind == IMP_VAL_BOOL);
        return IMP_OK;
    }
    }
}

static int
cmd_show(struct analysis *analysis, const imp_command *command,
         struct record *out)
{
    (void)out;
    const imp_val *value = arg_items(analysis, command);
    for (uint32_t i = 0; i < command->args.n; i++) {
        int st = show_value(analysis, &value[i]);
        if (st)
            return st;
    }
    return IMP_OK;
}

const struct command_functions command_show = {.run = cmd_show};
