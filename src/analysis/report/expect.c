/* SPDX-License-Identifier: MIT */
/* `expect`: a condition that must hold. One that does not is a diagnostic with
 * the condition, both sides and their difference, or the text that was there;
 * the run goes on and ends with status 1. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/analysis_priv.h"
#include "base/num.h"

/* the texts that the condition compared, as notes */
static void
say_texts(struct analysis *a, const imp_val *v, struct diag *d)
{
    const imp_image *im = a->rt->im;
    const uint32_t *slot = IMP_ARRAY(im, v->slots, uint32_t);
    for (uint32_t i = 0; i < v->slots.n; i++) {
        const imp_slot *s = IMP_ARRAY(im, im->slots, imp_slot) + slot[i];
        if (s->kind != IMP_SLOT_TEXTEQ && s->kind != IMP_SLOT_TEXTITEMEQ)
            continue;
        const struct record *r = a->recs[s->command];
        if (!r || !r->present)
            continue;
        const imp_command *c = r->command;
        const struct field_value *f = &r->v[s->field];
        const char *field = imp_text(im, r->schema[s->field].name);
        const char *of =
            c->bound.n ? imp_text(im, c->bound) : imp_command_word(c->id);
        if (f->why) {
            diag_note(a->ds, d, IMP_NOWHERE, "%s.%s is absent: %s", of, field,
                      f->why);
        } else if (s->kind == IMP_SLOT_TEXTEQ) {
            const char *other = imp_text(im, s->text);
            bool same = !strcmp(f->text, other); /* of `!=`, or beside it */
            diag_note(a->ds, d, IMP_NOWHERE, "%s.%s is \"%s\"%s%s%s", of, field,
                      f->text, same ? "" : ", not \"", same ? "" : other,
                      same ? "" : "\"");
        } else {
            long k = s->index < 0 ? (long)f->n + s->index : s->index;
            if (k >= 0 && (size_t)k < f->n)
                diag_note(a->ds, d, IMP_NOWHERE, "%s.%s[%d] is \"%s\"", of,
                          field, (int)s->index, f->texts[k]);
        }
    }
}

static void
say_failed(struct analysis *a, const imp_val *v, const double x[3])
{
    const char *label = imp_text(a->rt->im, v->label);
    struct diag *d = diag_add(a->ds, DIAG_E0703, v->range,
                              "expected %s, which does not hold", label);
    if (v->compare) {
        const char *unit = imp_text(a->rt->im, v->unit);
        const char *gap = *unit ? " " : "";
        char l[NUM_TEXT], r[NUM_TEXT], e[NUM_TEXT];
        diag_note(a->ds, d, IMP_NOWHERE,
                  "left side %s%s%s, right side %s%s%s, difference %s",
                  num_shortest(l, x[1]), gap, unit, num_shortest(r, x[2]), gap,
                  unit, num_digits(e, x[1] - x[2], 6));
    }
    say_texts(a, v, d);
}

static int
cmd_expect(struct analysis *a, const imp_command *c, struct record *out)
{
    (void)out;
    const imp_val *v = arg_items(a, c);
    double x[3] = {0, 0, 0};
    int errors = a->ds->errors;
    int st = arg_numbers(a, v, x);
    if (st == IMP_STOPPED)
        return st;
    bool held = !st && x[0] != 0.0;
    x[1] += 0.0; /* no sign at a zero, as in all that is printed */
    x[2] += 0.0;
    if (st && a->ds->errors == errors)
        return st;
    if (!held) {
        /* a side that has no value fails the condition; its own diagnostic has
         * said why */
        if (!st)
            say_failed(a, v, x);
        a->failed_expects++;
    }
    if (!a->out->json)
        return IMP_OK;
    const char *label = imp_text(a->rt->im, v->label);
    struct buf b = {0};
    buf_puts(&b, "{\"command\": \"expect\", \"name\": \"\", \"condition\": ");
    buf_json(&b, label, strlen(label));
    buf_printf(&b, ", \"held\": %s", held ? "true" : "false");
    if (v->compare && !st) {
        char s[NUM_TEXT];
        buf_printf(&b, ", \"left\": %s", num_shortest(s, x[1]));
        buf_printf(&b, ", \"right\": %s", num_shortest(s, x[2]));
    }
    buf_puts(&b, ", \"units\": {}}\n");
    out_write(a->out, b.s, b.n);
    buf_free(&b);
    return IMP_OK;
}

const struct command_functions command_expect = {.run = cmd_expect};
