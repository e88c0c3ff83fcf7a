/* SPDX-License-Identifier: MIT */
/* `show`: values and records, as the reader of the terminal or of JSON wants
 * them. Bodies and contacts show what the model made of them at the start. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/analysis_priv.h"
#include "runtime/gap/closest_points.h"

static void
show_text(struct analysis *a, const char *label, const char *text)
{
    struct buf b = {0};
    if (a->out->json) {
        buf_puts(&b, "{\"command\": \"show\", \"name\": \"\", "
                     "\"expression\": ");
        buf_json(&b, label, strlen(label));
        buf_puts(&b, ", \"value\": ");
        buf_json(&b, text, strlen(text));
        buf_puts(&b, ", \"units\": {}}\n");
    } else {
        buf_printf(&b, "%s\n", text);
    }
    out_write(a->out, b.s, b.n);
    buf_free(&b);
}

static void
show_part(struct analysis *a, const char *of, const char *part,
          const char *unit, const double *x, size_t n)
{
    const char *label = arena_printf(a->rt->arena, "%s.%s", of, part);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) {
            show_text(a, label,
                      arena_printf(a->rt->arena, "%s is infinite", label));
            return;
        }
    out_value(a->out, label, unit, x, n, 1, false);
}

static void
show_body(struct analysis *a, const imp_val *v)
{
    const imp_body *b = rt_body(a->rt, v->ref);
    const double *env = a->rt->env + b->env_body;
    const double *state = a->rt->env + b->env_state;
    const char *of = imp_text(a->rt->im, b->name);
    bool plane = a->rt->im->dim == 2;
    size_t d = plane ? 2 : 3;
    if (!(b->flags & IMP_BODYF_FIXED)) {
        show_part(a, of, "mass", "kg", env + IMP_BODY_MASS, 1);
        show_part(a, of, "inertia", "kg*m^2", env + IMP_BODY_INERTIA,
                  plane ? 1 : 6);
    }
    if (b->flags & IMP_BODYF_SHAPE)
        show_part(a, of, "volume", plane ? "m^2" : "m^3", env + IMP_BODY_VOLUME,
                  1);
    show_part(a, of, "centre", "m", env + IMP_BODY_CENTRE, d);
    show_part(a, of, "position", "m", state, d);
    show_part(a, of, plane ? "angle" : "quaternion", "", state + d,
              plane ? 1 : 4);
    show_part(a, of, "velocity", "m/s", state + (plane ? 3 : 7), d);
    show_part(a, of, plane ? "spin" : "spin_in_body_axes", "1/s",
              state + (plane ? 5 : 10), plane ? 1 : 3);
}

static int
show_contact(struct analysis *a, const imp_val *v)
{
    struct closest_points cl;
    const imp_contact *ct = rt_contact(a->rt, v->ref);
    const char *of = imp_text(a->rt->im, ct->name);
    size_t d = a->rt->im->dim == 2 ? 2 : 3;
    const double *env = a->rt->env + ct->env_contact;
    if (ct->flags & IMP_CONTACTF_STATED) {
        show_part(a, of, "at", "m", env + IMP_CONTACT_AT, d);
        show_part(a, of, "direction", "", env + IMP_CONTACT_DIRECTION, d);
        show_part(a, of, "restitution", "", env + IMP_CONTACT_E, 1);
        return IMP_OK;
    }
    int st = closest_points_find(a->rt, v->ref, &cl, true);
    if (st)
        return command_failed(a, st, v->range, "the closest points");
    show_part(a, of, "gap", "m", &cl.gap, 1);
    show_part(a, of, "P", "m", cl.P, d);
    show_part(a, of, "Q", "m", cl.Q, d);
    show_part(a, of, "normal", "", cl.n, d);
    show_part(a, of, "restitution", "", env + IMP_CONTACT_E, 1);
    return IMP_OK;
}

static int
show_value(struct analysis *a, const imp_val *v)
{
    const imp_image *im = a->rt->im;
    const char *label = imp_text(im, v->label), *unit = imp_text(im, v->unit);
    int st;
    switch (v->kind) {
    case IMP_VAL_TEXT:
    case IMP_VAL_WORD:
        show_text(a, label, imp_text(im, v->text));
        return IMP_OK;
    case IMP_VAL_BODY:
        show_body(a, v);
        return IMP_OK;
    case IMP_VAL_CONTACT:
        return show_contact(a, v);
    case IMP_VAL_RESULT: {
        const struct record *r = arg_record(a, v);
        if (!r)
            return IMP_FAILED;
        if (a->out->json)
            out_record_shown(a->out, im, r, label);
        else
            out_record_text(a->out, im, r, command_label(a, r->command));
        return IMP_OK;
    }
    case IMP_VAL_FIELD: {
        const struct record *r = arg_record(a, v);
        if (!r)
            return IMP_FAILED;
        out_field(a->out, im, r, v->field, label);
        return IMP_OK;
    }
    case IMP_VAL_LIST: {
        const imp_val *item = val_items(a, v);
        for (uint32_t i = 0; i < v->items.n; i++)
            if ((st = show_value(a, &item[i])))
                return st;
        return IMP_OK;
    }
    default: {
        size_t rows = v->rows ? v->rows : 1, cols = v->cols ? v->cols : 1;
        double *x = NEW_N(a->rt->arena, double, rows *cols + 2);
        if ((st = arg_numbers(a, v, x)))
            return st;
        out_value(a->out, label, unit, x, rows, cols, v->kind == IMP_VAL_BOOL);
        return IMP_OK;
    }
    }
}

static int
cmd_show(struct analysis *a, const imp_command *c, struct record *out)
{
    (void)out;
    const imp_val *v = arg_items(a, c);
    for (uint32_t i = 0; i < c->args.n; i++) {
        int st = show_value(a, &v[i]);
        if (st)
            return st;
    }
    return IMP_OK;
}

const struct command_functions command_show = {.run = cmd_show};
