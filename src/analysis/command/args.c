/* SPDX-License-Identifier: MIT */
/* Arguments and options of commands. Numbers are values of tapes; what a tape
 * reads from contacts (gap, closest points) and from earlier results (slots) is
 * put into the environment before it is evaluated. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/command/lists.h"
#include "base/num.h"
#include "runtime/derivatives/series_along.h"
#include "runtime/gap/closest_points.h"
#include "runtime/instance/saved_state.h"
#include "runtime/tape/eval.h"

const imp_val *
arg_option(const struct analysis *analysis, const imp_command *command,
           enum imp_option_id id)
{
    assert(analysis && command);
    const imp_opt *option = IMP_ARRAY(analysis->rt->im, command->opts, imp_opt);
    for (uint32_t i = 0; i < command->opts.n; i++)
        if (option[i].id == (uint32_t)id)
            return &option[i].val;
    return NULL;
}

uint32_t
arg_contact(const struct analysis *analysis, const imp_command *command,
            uint32_t i)
{
    assert(i < command->args.n);
    return arg_items(analysis, command)[i].ref;
}

static const imp_command *
command_at(const struct analysis *analysis, uint32_t i)
{
    return IMP_ARRAY(analysis->rt->im, analysis->rt->im->commands,
                     imp_command) +
           i;
}

/* Returns "r.jerk" of a slot. */
static const char *
slot_name(const struct analysis *analysis, const imp_slot *slot)
{
    const imp_image *im = analysis->rt->im;
    const imp_command *command = command_at(analysis, slot->command);
    const imp_field *field =
        IMP_ARRAY(im, command->fields, imp_field) + slot->field;
    return arena_printf(analysis->rt->arena, "%s.%s",
                        command->bound.n ? imp_text(im, command->bound)
                                         : imp_command_word(command->id),
                        imp_text(im, field->name));
}

static int
absent(struct analysis *analysis, imp_range where, const char *name,
       const char *why)
{
    struct diag *diag = diag_add(analysis->ds, DIAG_E0701, where,
                                 "`%s` is absent, so nothing can be calculated "
                                 "with it",
                                 name);
    diag_note(analysis->ds, diag, IMP_NOWHERE, "it is absent because: %s", why);
    diag_help(analysis->ds, diag,
              "`show` the whole record to see what it found");
    return IMP_FAILED;
}

/* The place *k of the slot's entry among n rows of `width`; a negative index
 * counts from the end. IMP_FAILED after a diagnostic when there is no such
 * entry. */
static int
entry(struct analysis *analysis, const imp_slot *slot, size_t rows,
      size_t width, size_t *k)
{
    assert(k && slot);
    long w = width ? (long)width : 1, all = (long)rows * w;
    long i = slot->index < 0 ? all + slot->index : (long)slot->index;
    if (i >= 0 && i < all) {
        *k = (size_t)i;
        return IMP_OK;
    }
    long row = slot->index < 0 ? (slot->index - w + 1) / w : slot->index / w;
    const char *one = w > 1 ? "row" : "entry",
               *many = w > 1 ? "rows" : "entries";
    struct diag *diag = diag_add(analysis->ds, DIAG_E0702, slot->range,
                                 "`%s` has %zu %s, so there is no %s %ld",
                                 slot_name(analysis, slot), rows,
                                 rows == 1 ? one : many, one, row);
    if (rows && slot->kind == IMP_SLOT_NUM)
        diag_help(analysis->ds, diag, "%s are numbered from 0 to %zu", many,
                  rows - 1);
    else if (!rows && arg_option(analysis, command_at(analysis, slot->command),
                                 IMP_OPT_simulate_keep))
        diag_help(analysis->ds, diag,
                  "`keep` leaves events out of the record; its `count` says "
                  "how many took place");
    else if (rows)
        diag_help(analysis->ds, diag,
                  "%s are numbered 0 to %zu, or -1 to -%zu from the end", many,
                  rows - 1, rows);
    else
        diag_help(analysis->ds, diag,
                  "where there may be none, ask for the length first: if "
                  "length(%s) > 0 then ... else ...",
                  slot_name(analysis, slot));
    return IMP_FAILED;
}

static double
reduce(uint32_t kind, const double *x, size_t n)
{
    double r = kind == IMP_SLOT_SUM ? 0.0 : x[0];
    for (size_t i = 0; i < n; i++)
        r = kind == IMP_SLOT_SUM   ? r + x[i]
            : kind == IMP_SLOT_MIN ? fmin(r, x[i])
                                   : fmax(r, x[i]);
    return r;
}

static int
slot_value(struct analysis *analysis, const imp_slot *slot, double *result)
{
    if (slot->kind == IMP_SLOT_LIST)
        return list_slot_value(analysis, slot, result);
    assert(slot->command < analysis->rt->im->commands.n);
    const imp_image *im = analysis->rt->im;
    const struct record *record = analysis->recs[slot->command];
    if (!record || !record->present)
        return absent(analysis, slot->range, slot_name(analysis, slot),
                      "the command has not been run");
    const struct field_value *value = &record->v[slot->field];
    const imp_field *field = &record->schema[slot->field];
    size_t place;
    int st;
    switch (slot->kind) {
    case IMP_SLOT_PRESENT:
        *result = value->why ? 0.0 : 1.0;
        return IMP_OK;
    case IMP_SLOT_TEXTEQ:
        *result = !value->why && !strcmp(value->text, imp_text(im, slot->text))
                      ? 1.0
                      : 0.0;
        return IMP_OK;
    default:
        if (value->why)
            return absent(analysis, slot->range, slot_name(analysis, slot),
                          value->why);
    }
    switch (slot->kind) {
    case IMP_SLOT_TEXTITEMEQ:
        if ((st = entry(analysis, slot, value->n, 1, &place)))
            return st;
        *result =
            !strcmp(value->texts[place], imp_text(im, slot->text)) ? 1.0 : 0.0;
        return IMP_OK;
    case IMP_SLOT_NUM: {
        size_t width = field->kind == IMP_FIELD_MAT ? value->cols : 1;
        if ((st = entry(analysis, slot, value->n, width, &place)))
            return st;
        *result = value->num[place];
        return IMP_OK;
    }
    case IMP_SLOT_ITEM: {
        size_t width = field->kind == IMP_FIELD_VECS ? value->cols : 1;
        if ((st = entry(analysis, slot, value->n, width, &place)))
            return st;
        *result = value->num[place];
        return IMP_OK;
    }
    case IMP_SLOT_LENGTH:
        *result = (double)value->n;
        return IMP_OK;
    default:
        if (value->n == 0 && slot->kind != IMP_SLOT_SUM) {
            struct diag *diag = diag_add(
                analysis->ds, DIAG_E0702, slot->range,
                "`%s` is empty: it has no smallest and no largest entry",
                slot_name(analysis, slot));
            diag_help(analysis->ds, diag,
                      "where there may be none, ask for the length first: if "
                      "length(%s) > 0 then ... else ...",
                      slot_name(analysis, slot));
            return IMP_FAILED;
        }
        *result = value->n ? reduce(slot->kind, value->num, value->n) : 0.0;
        return IMP_OK;
    }
}

/* Puts the numbers that a value takes from earlier records into the
 * environment. With `guarded` those that cannot be told are NaN there, and the
 * diagnostics are left out; *untold says whether there are any. */
static int
slots_ready(struct analysis *analysis, const imp_val *value, bool guarded,
            bool *untold)
{
    const imp_image *im = analysis->rt->im;
    const uint32_t *slot_number = IMP_ARRAY(im, value->slots, uint32_t);
    *untold = false;
    for (uint32_t i = 0; i < value->slots.n; i++) {
        const imp_slot *slot =
            IMP_ARRAY(im, im->slots, imp_slot) + slot_number[i];
        double *entry = &analysis->rt->env[im->layout.slots + slot->at];
        struct diag *last = analysis->ds->last;
        int st = slot_value(analysis, slot, entry);
        if (st == IMP_FAILED && guarded) {
            while (analysis->ds->last != last)
                diag_withdraw(analysis->ds, analysis->ds->last);
            for (uint32_t k = 0; k < slot->n || k < 1; k++)
                entry[k] = NAN;
            *untold = true;
        } else if (st) {
            return st;
        }
    }
    return IMP_OK;
}

/* Says what cannot be told, where that matters: r.times[-1] of no times does
 * not in `if length(r.times) == 0 then 0 else r.times[-1]`. */
static int
untold_slot(struct analysis *analysis, const imp_val *value)
{
    const imp_image *im = analysis->rt->im;
    const uint32_t *slot_number = IMP_ARRAY(im, value->slots, uint32_t);
    double *env = analysis->rt->env;
    uint32_t at = eval_unknown(im, rt_tape(analysis->rt, value->tape), env);
    for (uint32_t i = 0; i < value->slots.n && at != EVAL_KNOWN; i++) {
        const imp_slot *slot =
            IMP_ARRAY(im, im->slots, imp_slot) + slot_number[i];
        uint32_t first = im->layout.slots + slot->at;
        if (at >= first && at - first < (slot->n ? slot->n : 1))
            return slot_value(analysis, slot, &env[first]);
    }
    return IMP_OK;
}

static int
ready(struct analysis *analysis, const imp_val *value, bool guarded)
{
    assert(analysis && value);
    const imp_image *im = analysis->rt->im;
    const uint32_t *contact = IMP_ARRAY(im, value->contacts, uint32_t);
    for (uint32_t i = 0; i < value->contacts.n; i++) {
        /* what is read changes nothing: the next search begins as without */
        struct saved_start start = saved_start_take(analysis->rt, contact[i]);
        int st = closest_points_to_env(analysis->rt, contact[i]);
        saved_start_restore(analysis->rt, &start);
        if (st)
            return command_failed(analysis, st, value->range,
                                  "the closest points of a contact");
    }
    bool untold;
    int st = slots_ready(analysis, value, guarded, &untold);
    if (st)
        return st;
    if ((st = series_along_fill(analysis->rt, value)))
        return command_failed(analysis, st, value->range,
                              "time derivatives of a contact");
    return untold ? untold_slot(analysis, value) : IMP_OK;
}

int
arg_ready(struct analysis *analysis, const imp_val *value)
{
    return ready(analysis, value, false);
}

bool
arg_is_empty(const imp_val *value)
{
    assert(value != NULL);
    return value->kind == IMP_VAL_NUM && value->tape == IMP_NO_TAPE &&
           value->numbers.n == 0;
}

int
arg_eval(struct analysis *analysis, const imp_val *value, double *out)
{
    assert(value != NULL && out != NULL);
    bool guarded = value->tape != IMP_NO_TAPE &&
                   !rt_tape(analysis->rt, value->tape)->unknowns.n;
    int st = ready(analysis, value, guarded);
    if (st)
        return st;
    if (arg_is_empty(value))
        return IMP_OK;
    st = rt_eval(analysis->rt, value->tape, NULL, out);
    if (st == IMP_NONFINITE) {
        rt_nonfinite(analysis->rt, value->tape, NULL);
        return IMP_FAILED;
    }
    return st;
}

const struct record *
arg_record(struct analysis *analysis, const imp_val *value)
{
    assert(value->ref < analysis->rt->im->commands.n);
    const struct record *record = analysis->recs[value->ref];
    if (record && record->present)
        return record;
    absent(analysis, value->range, imp_text(analysis->rt->im, value->label),
           "the command has not been run");
    return NULL;
}

int
arg_numbers(struct analysis *analysis, const imp_val *value, double *out)
{
    assert(analysis && value && out);
    switch (value->kind) {
    case IMP_VAL_PARAM:
        *out = analysis->rt->env[analysis->rt->im->layout.params + value->ref];
        return IMP_OK;
    case IMP_VAL_FIELD: {
        const struct record *record = arg_record(analysis, value);
        if (!record)
            return IMP_FAILED;
        const struct field_value *found = &record->v[value->field];
        if (found->why)
            return absent(analysis, value->range,
                          imp_text(analysis->rt->im, value->label), found->why);
        memcpy(out, found->num,
               sizeof *out * (found->cols && found->n ? found->cols * found->n
                                                      : found->n));
        return IMP_OK;
    }
    default:
        return arg_eval(analysis, value, out);
    }
}

int
arg_text_entry(struct analysis *analysis, const imp_val *value,
               const char **text)
{
    assert(value->kind == IMP_VAL_FIELD && value->rows == 1 && text);
    const struct record *record = arg_record(analysis, value);
    if (!record)
        return IMP_FAILED;
    const struct field_value *found = &record->v[value->field];
    imp_slot slot = {.kind = IMP_SLOT_ITEM,
                     .command = value->ref,
                     .field = value->field,
                     .index = (int32_t)value->cols,
                     .range = value->range};
    size_t place;
    if (found->why)
        return absent(analysis, value->range,
                      imp_text(analysis->rt->im, value->label), found->why);
    int st = entry(analysis, &slot, found->n, 1, &place);
    if (st == IMP_OK)
        *text = found->texts[place];
    return st;
}

int
arg_number(struct analysis *analysis, const imp_command *command,
           enum imp_option_id id, double dflt, double *out)
{
    assert(command != NULL && out != NULL);
    const imp_val *value = arg_option(analysis, command, id);
    *out = dflt;
    return value ? arg_numbers(analysis, value, out) : IMP_OK;
}

int
arg_instant(struct analysis *analysis, const imp_command *command,
            enum imp_option_id id, double *out)
{
    int st = arg_number(analysis, command, id, NAN, out);
    if (st || !(*out < 0.0))
        return st;
    char text[NUM_TEXT];
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0705, arg_option(analysis, command, id)->range,
        "`at` is an instant of the motion, which begins at t = 0, but "
        "this is %s s",
        num_digits(text, *out, 9));
    diag_help(analysis->ds, diag,
              "leave `at` out to ask at the start, or where the gap is open "
              "there at its first closure");
    return IMP_FAILED;
}

const char *
arg_text(const struct analysis *analysis, const imp_command *command,
         enum imp_option_id id, const char *dflt)
{
    const imp_val *value = arg_option(analysis, command, id);
    return value ? imp_text(analysis->rt->im, value->text) : dflt;
}

/* Is it copied into the set-up as it is? */
static bool
setup_copies(const imp_image *im, uint32_t env)
{
    const imp_fill *fill = IMP_ARRAY(im, im->fills, imp_fill);
    for (uint32_t k = 0; k < im->fills.n; k++)
        for (uint32_t i = 0; fill[k].kind == IMP_FILL_ENV && i < fill[k].n; i++)
            if (fill[k].from + i * fill[k].from_step == env)
                return true;
    return false;
}

bool
model_reads_param(const imp_image *im, uint32_t param)
{
    assert(param < im->params.n);
    if (setup_copies(im, im->layout.params + param))
        return true;
    const imp_tape *t = IMP_ARRAY(im, im->tapes, imp_tape);
    for (uint32_t k = 0; k < im->tapes.n; k++) {
        const imp_instr *x = IMP_ARRAY(im, t[k].code, imp_instr);
        for (uint32_t i = 0; i < t[k].code.n; i++)
            if (x[i].op == IMP_OP_ENV && x[i].a == im->layout.params + param)
                return true;
    }
    return false;
}
