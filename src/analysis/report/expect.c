/* SPDX-License-Identifier: MIT */
/* The command `expect`: a condition that must hold. A condition that does not
 * hold gives a diagnostic with the condition, both sides and their difference,
 * or the text that was found. The run goes on and ends with status 1. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/command/lists.h"
#include "base/num.h"

/* Adds a note with the text that is the only entry of a list of words. */
static void
say_word(struct analysis *analysis, const imp_val *input, uint32_t table,
         uint32_t column, struct diag *diag)
{
    struct list_values values;
    if (column_values_of(analysis, input, &values) != IMP_OK || values.n != 1 ||
        isnan(values.x[0]))
        return;
    const struct list_words words = list_words(analysis, table, column);
    diag_note(analysis->ds, diag, IMP_NOWHERE, "%s is \"%s\"",
              imp_text(analysis->rt->im, input->label),
              words.text[(size_t)values.x[0]]);
}

/* Two texts of results or of data that were compared with each other, or one
 * with a text that is written out. */
static void
say_words(struct analysis *analysis, const imp_slot *slot, struct diag *diag)
{
    const imp_image *im = analysis->rt->im;
    const imp_list *list = IMP_ARRAY(im, im->lists, imp_list) + slot->command;
    const imp_val *input = IMP_ARRAY(im, list->inputs, imp_val);
    if (list->kind == IMP_LIST_WORD && list->inputs.n == 1)
        say_word(analysis, input, list->table, list->column, diag);
    for (uint32_t k = 0; k < 2 && list->kind == IMP_LIST_SAME; k++)
        say_word(analysis, &input[k], input[k].words - 1, input[k].field, diag);
}

/* Adds notes with the texts that the condition compared. */
static void
say_texts(struct analysis *analysis, const imp_val *value, struct diag *diag)
{
    const imp_image *im = analysis->rt->im;
    const uint32_t *slot_number = IMP_ARRAY(im, value->slots, uint32_t);
    for (uint32_t i = 0; i < value->slots.n; i++) {
        const imp_slot *slot =
            IMP_ARRAY(im, im->slots, imp_slot) + slot_number[i];
        if (slot->kind == IMP_SLOT_LIST)
            say_words(analysis, slot, diag);
        if (slot->kind != IMP_SLOT_TEXTEQ && slot->kind != IMP_SLOT_TEXTITEMEQ)
            continue;
        const struct record *record = analysis->recs[slot->command];
        if (!record || !record->present)
            continue;
        const imp_command *command = record->command;
        const struct field_value *found = &record->v[slot->field];
        const char *field = imp_text(im, record->schema[slot->field].name);
        const char *of = command->bound.n ? imp_text(im, command->bound)
                                          : imp_command_word(command->id);
        if (found->why) {
            diag_note(analysis->ds, diag, IMP_NOWHERE, "%s.%s is absent: %s",
                      of, field, found->why);
        } else if (slot->kind == IMP_SLOT_TEXTEQ) {
            const char *other = imp_text(im, slot->text);
            bool same =
                !strcmp(found->text,
                        other); /* When they are the same, the comparison was
                                   `!=`, or another comparison failed. */
            diag_note(analysis->ds, diag, IMP_NOWHERE, "%s.%s is \"%s\"%s%s%s",
                      of, field, found->text, same ? "" : ", not \"",
                      same ? "" : other, same ? "" : "\"");
        } else {
            long k =
                slot->index < 0 ? (long)found->n + slot->index : slot->index;
            if (k >= 0 && (size_t)k < found->n)
                diag_note(analysis->ds, diag, IMP_NOWHERE,
                          "%s.%s[%d] is \"%s\"", of, field, (int)slot->index,
                          found->texts[k]);
        }
    }
}

static void
say_failed(struct analysis *analysis, const imp_val *value,
           const double sides[3])
{
    const char *label = imp_text(analysis->rt->im, value->label);
    struct diag *diag = diag_add(analysis->ds, DIAG_E0703, value->range,
                                 "expected %s, which does not hold", label);
    if (value->compare) {
        const char *unit = imp_text(analysis->rt->im, value->unit);
        const char *gap = *unit ? " " : "";
        char digits[NUM_TEXT], r[NUM_TEXT], e[NUM_TEXT];
        diag_note(analysis->ds, diag, IMP_NOWHERE,
                  "left side %s%s%s, right side %s%s%s, difference %s",
                  num_shortest(digits, sides[1]), gap, unit,
                  num_shortest(r, sides[2]), gap, unit,
                  num_digits(e, sides[1] - sides[2], 6));
        double size = fmax(fabs(sides[1]), fabs(sides[2]));
        if (strstr(label, " == ") && fabs(sides[1] - sides[2]) < 1e-9 * size)
            diag_help(analysis->ds, diag,
                      "numbers that are computed agree to rounding: expect "
                      "abs(a - b) < 1e-12");
    }
    say_texts(analysis, value, diag);
}

static int
cmd_expect(struct analysis *analysis, const imp_command *command,
           struct record *out)
{
    (void)out;
    const imp_val *value = arg_items(analysis, command);
    double sides[3] = {0, 0, 0};
    int errors = analysis->ds->errors;
    int st = arg_numbers(analysis, value, sides);
    if (st == IMP_STOPPED)
        return st;
    bool held = !st && sides[0] != 0.0;
    sides[1] += 0.0; /* a zero is printed without a sign */
    sides[2] += 0.0;
    if (st && analysis->ds->errors == errors)
        return st;
    if (!held) {
        /* A side without a value fails the condition, too; its own diagnostic
         * has said why. */
        if (!st)
            say_failed(analysis, value, sides);
        analysis->failed_expects++;
    }
    if (!analysis->out->json)
        return IMP_OK;
    const char *label = imp_text(analysis->rt->im, value->label);
    struct buf buf = {0};
    buf_puts(&buf, "{\"command\": \"expect\", \"name\": \"\", \"condition\": ");
    buf_json(&buf, label, strlen(label));
    buf_printf(&buf, ", \"held\": %s", held ? "true" : "false");
    if (value->compare && !st) {
        char digits[NUM_TEXT];
        buf_printf(&buf, ", \"left\": %s", num_shortest(digits, sides[1]));
        buf_printf(&buf, ", \"right\": %s", num_shortest(digits, sides[2]));
    }
    buf_puts(&buf, ", \"units\": {}}\n");
    out_write(analysis->out, buf.s, buf.n);
    buf_free(&buf);
    return IMP_OK;
}

const struct command_functions command_expect = {.run = cmd_expect};
