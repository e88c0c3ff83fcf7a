/* SPDX-License-Identifier: MIT */
/* Arguments and options of commands: numbers through tapes, with what the tape
 * reads from contacts (gap, closest points) and from earlier results (slots)
 * put into the environment first. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/analysis_priv.h"
#include "runtime/gap/closest_points.h"
#include "runtime/motion/series_along.h"

const imp_val *
arg_option(const struct analysis *a, const imp_command *c,
           enum imp_option_id id)
{
    const imp_opt *o = IMP_ARRAY(a->rt->im, c->opts, imp_opt);
    for (uint32_t i = 0; i < c->opts.n; i++)
        if (o[i].id == (uint32_t)id)
            return &o[i].val;
    return NULL;
}

uint32_t
arg_contact(const struct analysis *a, const imp_command *c, uint32_t i)
{
    return arg_items(a, c)[i].ref;
}

static const imp_command *
command_at(const struct analysis *a, uint32_t i)
{
    return IMP_ARRAY(a->rt->im, a->rt->im->commands, imp_command) + i;
}

/* "r.jerk" of a slot */
static const char *
slot_name(const struct analysis *a, const imp_slot *s)
{
    const imp_image *im = a->rt->im;
    const imp_command *c = command_at(a, s->command);
    const imp_field *f = IMP_ARRAY(im, c->fields, imp_field) + s->field;
    return arena_printf(a->rt->arena, "%s.%s",
                        c->bound.n ? imp_text(im, c->bound)
                                   : imp_command_word(c->id),
                        imp_text(im, f->name));
}

static int
absent(struct analysis *a, imp_range where, const char *name, const char *why)
{
    struct diag *d = diag_add(a->ds, DIAG_E0701, where,
                              "`%s` is absent, so nothing can be calculated "
                              "with it",
                              name);
    diag_note(a->ds, d, IMP_NOWHERE, "it is absent because: %s", why);
    diag_help(a->ds, d, "`show` the whole record to see what it found");
    return IMP_FAILED;
}

/* entry `index` of n rows of `width`, from the end when negative */
static int
entry(struct analysis *a, const imp_slot *s, size_t n, size_t width, size_t *k)
{
    long w = width ? (long)width : 1, all = (long)n * w;
    long i = s->index < 0 ? all + s->index : (long)s->index;
    if (i >= 0 && i < all) {
        *k = (size_t)i;
        return IMP_OK;
    }
    long row = s->index < 0 ? (s->index - w + 1) / w : s->index / w;
    const char *one = w > 1 ? "row" : "entry",
               *many = w > 1 ? "rows" : "entries";
    struct diag *d = diag_add(
        a->ds, DIAG_E0702, s->range, "`%s` has %zu %s, so there is no %s %ld",
        slot_name(a, s), n, n == 1 ? one : many, one, row);
    if (n && s->kind == IMP_SLOT_NUM)
        diag_help(a->ds, d, "%s are numbered from 0 to %zu", many, n - 1);
    else if (n)
        diag_help(a->ds, d,
                  "%s are numbered 0 to %zu, or -1 to -%zu from the end", many,
                  n - 1, n);
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
slot_value(struct analysis *a, const imp_slot *s, double *x)
{
    const imp_image *im = a->rt->im;
    const struct record *r = a->recs[s->command];
    if (!r || !r->present)
        return absent(a, s->range, slot_name(a, s),
                      "the command has not been run");
    const struct field_value *v = &r->v[s->field];
    const imp_field *f = &r->schema[s->field];
    size_t k;
    int st;
    switch (s->kind) {
    case IMP_SLOT_PRESENT:
        *x = v->why ? 0.0 : 1.0;
        return IMP_OK;
    case IMP_SLOT_TEXTEQ:
        *x = !v->why && !strcmp(v->text, imp_text(im, s->text)) ? 1.0 : 0.0;
        return IMP_OK;
    default:
        if (v->why)
            return absent(a, s->range, slot_name(a, s), v->why);
    }
    switch (s->kind) {
    case IMP_SLOT_TEXTITEMEQ:
        if ((st = entry(a, s, v->n, 1, &k)))
            return st;
        *x = !strcmp(v->texts[k], imp_text(im, s->text)) ? 1.0 : 0.0;
        return IMP_OK;
    case IMP_SLOT_NUM: {
        size_t width = f->kind == IMP_FIELD_MAT ? v->cols : 1;
        if ((st = entry(a, s, v->n, width, &k)))
            return st;
        *x = v->num[k];
        return IMP_OK;
    }
    case IMP_SLOT_ITEM: {
        size_t width = f->kind == IMP_FIELD_VECS ? v->cols : 1;
        if ((st = entry(a, s, v->n, width, &k)))
            return st;
        *x = v->num[k];
        return IMP_OK;
    }
    case IMP_SLOT_LENGTH:
        *x = (double)v->n;
        return IMP_OK;
    default:
        if (v->n == 0 && s->kind != IMP_SLOT_SUM) {
            diag_add(a->ds, DIAG_E0702, s->range,
                     "`%s` is empty: it has no smallest and no largest entry",
                     slot_name(a, s));
            return IMP_FAILED;
        }
        *x = v->n ? reduce(s->kind, v->num, v->n) : 0.0;
        return IMP_OK;
    }
}

int
arg_ready(struct analysis *a, const imp_val *v)
{
    const imp_image *im = a->rt->im;
    const uint32_t *contact = IMP_ARRAY(im, v->contacts, uint32_t);
    for (uint32_t i = 0; i < v->contacts.n; i++) {
        int st = closest_points_to_env(a->rt, contact[i]);
        if (st)
            return command_failed(a, st, v->range,
                                  "the closest points of a contact");
    }
    const uint32_t *slot = IMP_ARRAY(im, v->slots, uint32_t);
    for (uint32_t i = 0; i < v->slots.n; i++) {
        const imp_slot *s = IMP_ARRAY(im, im->slots, imp_slot) + slot[i];
        int st = slot_value(a, s, &a->rt->env[im->layout.slots + slot[i]]);
        if (st)
            return st;
    }
    int st = series_along_fill(a->rt, v);
    return st ? command_failed(a, st, v->range, "time derivatives of a contact")
              : IMP_OK;
}

int
arg_eval(struct analysis *a, const imp_val *v, double *out)
{
    int st = arg_ready(a, v);
    if (st)
        return st;
    st = rt_eval(a->rt, v->tape, NULL, out);
    if (st == IMP_NONFINITE) {
        rt_nonfinite(a->rt, v->tape, NULL);
        return IMP_FAILED;
    }
    return st;
}

const struct record *
arg_record(struct analysis *a, const imp_val *v)
{
    const struct record *r = a->recs[v->ref];
    if (r && r->present)
        return r;
    absent(a, v->range, imp_text(a->rt->im, v->label),
           "the command has not been run");
    return NULL;
}

int
arg_numbers(struct analysis *a, const imp_val *v, double *out)
{
    switch (v->kind) {
    case IMP_VAL_PARAM:
        *out = a->rt->env[a->rt->im->layout.params + v->ref];
        return IMP_OK;
    case IMP_VAL_FIELD: {
        const struct record *r = arg_record(a, v);
        if (!r)
            return IMP_FAILED;
        const struct field_value *f = &r->v[v->field];
        if (f->why)
            return absent(a, v->range, imp_text(a->rt->im, v->label), f->why);
        memcpy(out, f->num,
               sizeof *out * (f->cols && f->n ? f->cols * f->n : f->n));
        return IMP_OK;
    }
    default:
        return arg_eval(a, v, out);
    }
}

int
arg_number(struct analysis *a, const imp_command *c, enum imp_option_id id,
           double dflt, double *out)
{
    const imp_val *v = arg_option(a, c, id);
    *out = dflt;
    return v ? arg_numbers(a, v, out) : IMP_OK;
}

const char *
arg_text(const struct analysis *a, const imp_command *c, enum imp_option_id id,
         const char *dflt)
{
    const imp_val *v = arg_option(a, c, id);
    return v ? imp_text(a->rt->im, v->text) : dflt;
}

bool
model_reads_param(const imp_image *im, uint32_t param)
{
    const imp_tape *t = IMP_ARRAY(im, im->tapes, imp_tape);
    for (uint32_t k = 0; k < im->tapes.n; k++) {
        const imp_instr *x = IMP_ARRAY(im, t[k].code, imp_instr);
        for (uint32_t i = 0; i < t[k].code.n; i++)
            if (x[i].op == IMP_OP_ENV && x[i].a == im->layout.params + param)
                return true;
    }
    return false;
}
