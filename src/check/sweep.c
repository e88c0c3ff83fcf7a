/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `sweep`: which params vary and over what values, the question
 * inside, and the fields of its record that are kept. The question becomes a
 * command of its own behind the sweep (tm_command.inner) that nothing but the
 * sweep asks. An axis is an item of kind NUM: ref the param, e its values (or
 * the two bounds of a random one). */
#include <math.h>
#include <string.h>

#include "check/check_priv.h"

#define SWEEP_MOST 1e8 /* runs */

static void
list_of(struct check *ck, const struct ast_expr *e, struct tm_val *items,
        size_t n, struct tm_val *out)
{
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = items,
                           .n_items = n,
                           .range = e->range,
                           .label = ck_label(ck, e),
                           .text = "",
                           .unit = "",
                           .name = ""};
}

/* the param that a name means, or NULL (reported) */
static struct decl *
param_of(struct check *ck, const struct ast_name *name)
{
    bool reported = false;
    struct decl *d = scope_find(ck, ck->main, name->text, WANT_VALUE,
                                name->range, &reported);
    if (reported)
        return NULL;
    if (d && d->kind == D_PARAM)
        return d;
    struct diag *x = d ? ck_error(ck, DIAG_E0421, name->range,
                                  "a sweep varies params, but `%s` is a %s",
                                  name->text, decl_kind_name(d->kind))
                       : ck_error(ck, DIAG_E0421, name->range,
                                  "there is no param `%s`", name->text);
    size_t n = 0;
    const char **names = NEW_N(ck->arena, const char *, ck->param_decls.n + 1);
    for (size_t i = 0; i < ck->param_decls.n; i++)
        names[n++] = ck->param_decls.v[i]->name;
    if (ck_suggest(ck, x, name->range, name->text, names, n))
        return NULL;
    if (n)
        CK_HELP(ck, x, "params of this model: %s",
                ck_join(ck, names, n, "and"));
    else
        CK_HELP(ck, x, "declare it as a knob: param %s = 0.5 in [0, 1]",
                name->text);
    return NULL;
}

/* one axis; random: two bounds */
static bool
axis(struct check *ck, const struct ast_arg *arg, bool random,
     struct tm_val *out)
{
    struct decl *d = param_of(ck, &arg->name);
    struct value v = ck_expr(ck, &ck->top, arg->value);
    if (!d || v.kind == V_POISON)
        return false;
    struct value p = ck_decl(ck, d, arg->name.range);
    if (p.kind == V_POISON)
        return false;
    const char *what = arena_printf(ck->arena, "the param `%s`", d->name);
    if ((v.kind != V_NUM && v.kind != V_LIST) || v.dims ||
        (v.rows != 1 && v.cols != 1)) {
        struct diag *x = ck_error(ck, DIAG_E0423, arg->value->range,
                                  "the values of %s are numbers, but this is "
                                  "%s",
                                  what, v_kind(ck, &v));
        CK_HELP(ck, x, "as in (%s in linspace(0, 1, 11)), (%s in (0.1, 0.2))",
                d->name, d->name);
        return false;
    }
    size_t n = (size_t)v.rows * v.cols;
    if (n == 0) {
        ck_error(ck, DIAG_E0423, arg->value->range,
                 "there are no values in this list, so nothing would be run");
        return false;
    }
    if (random && n != 2) {
        struct diag *x =
            ck_error(ck, DIAG_E0423, arg->value->range,
                     "a random param is drawn between two bounds, but here "
                     "%s %zu number%s",
                     n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
        CK_HELP(ck, x, "as in random = (%s in [0, 1])", d->name);
        return false;
    }
    if (!v_need_dim(ck, &v, arg->value, p.dim, what) ||
        !check_leaves(ck, v.e, n, MAY_PARAMS, arg->value,
                      "the values of a sweep"))
        return false;
    v.rows = (uint32_t)n;
    v.cols = 1;
    val_of(ck, &v, arg->value, out);
    out->kind = IMP_VAL_NUM;
    out->listed = true;
    out->ref = d->index;
    out->name = d->name;
    return true;
}

bool
sweep_axes(struct check *ck, const struct option_row *o,
           const struct ast_item *key, struct tm_val *out)
{
    const struct ast_expr *e = key->value;
    bool random = !strcmp(o->key, "random"), ok = true;
    if (e->kind != AST_OVER) {
        struct diag *d = ck_error(ck, DIAG_E0421, e->range,
                                  "`%s` names params and their values", o->key);
        CK_HELP(ck, d,
                random ? "as in random = (a in [0, 1], b in [-1, 1])"
                       : "as in over = (rho in linspace(0.1, 1, 10), gamma in "
                         "(0.2, 0.3))");
        return false;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, e->n_args + 1);
    size_t n = 0;
    for (size_t i = 0; i < e->n_args; i++) {
        bool good = axis(ck, &e->args[i], random, &items[n]);
        for (size_t k = 0; good && k < n; k++)
            if (items[k].ref == items[n].ref) {
                ck_error(ck, DIAG_E0421, e->args[i].name.range,
                         "the param `%s` is named twice", items[n].name);
                good = false;
            }
        ok &= good;
        n += good;
    }
    list_of(ck, e, items, n, out);
    return ok;
}

bool
sweep_repeat(struct check *ck, const struct ast_expr *e, struct tm_val *out)
{
    double x;
    struct value v = ck_expr(ck, &ck->top, e);
    if (!v_need_scalar(ck, &v, e, dim_pure(ck->dims), "`repeat`"))
        return false;
    if (!ck_fixed(ck, v.e[0], &x) || x != floor(x) || x < 1 || x > SWEEP_MOST) {
        ck_error(ck, DIAG_E0423, e->range,
                 "`repeat` is a whole number from 1 to 1e8, made of literals "
                 "and params");
        return false;
    }
    val_of(ck, &v, e, out);
    return true;
}

bool
sweep_question(struct check *ck, const struct ast_item *key, struct tm_val *out)
{
    const struct ast_item *it = key->command;
    const char *as = "as in run = simulate { until = 1 }";
    if (!it) {
        struct diag *d = ck_error(ck, DIAG_E0422, key->value->range,
                                  "`run` is a command, but this is a value");
        CK_HELP(ck, d, "%s", as);
        return false;
    }
    if (!strcmp(it->name.text, "sweep")) {
        struct diag *d = ck_error(ck, DIAG_E0422, it->name.range,
                                  "a sweep cannot run another sweep");
        CK_HELP(ck, d,
                "name all params in one `over`: every combination is "
                "run");
        return false;
    }
    int errors = ck->ds->errors;
    uint32_t k = command_add(ck, it, NULL);
    if (k == UINT32_MAX || ck->records.v[k].broken || ck->ds->errors > errors)
        return false;
    struct tm_command *c = &ck->commands.v[k];
    c->inner = true;
    if (!c->n_fields) {
        struct diag *d =
            ck_error(ck, DIAG_E0422, it->name.range,
                     "`%s` gives no record, so a sweep has nothing to keep",
                     it->name.text);
        CK_HELP(ck, d, "%s; show, plot and save the sweep's own result", as);
        return false;
    }
    *out = (struct tm_val){.kind = IMP_VAL_RESULT,
                           .ref = k,
                           .range = it->range,
                           .label = it->name.text,
                           .text = "",
                           .unit = "",
                           .name = ""};
    return true;
}

static bool
kept_kind(enum imp_field_kind k)
{
    return k == IMP_FIELD_NUM || k == IMP_FIELD_VEC || k == IMP_FIELD_SPIN ||
           k == IMP_FIELD_BOOL || k == IMP_FIELD_TEXT;
}

/* a field of the question's record by its name; reported when it is none */
static bool
field_of(struct check *ck, uint32_t question, const struct ast_expr *e,
         uint32_t *field)
{
    const struct tm_command *c = &ck->commands.v[question];
    const char *word = command_row(c->id)->name;
    const char **names = NEW_N(ck->arena, const char *, c->n_fields + 1);
    size_t n = 0;
    const struct ast_expr *p = ast_unwrap(e);
    for (uint32_t i = 0; i < c->n_fields; i++) {
        if (kept_kind(c->fields[i].kind))
            names[n++] = c->fields[i].name;
        if (p->kind != AST_NAME || strcmp(c->fields[i].name, p->name.text))
            continue;
        if (kept_kind(c->fields[i].kind)) {
            *field = i;
            return true;
        }
        struct diag *d = ck_error(ck, DIAG_E0408, e->range,
                                  "`%s` of `%s` is a list, and a sweep keeps "
                                  "single values of each run",
                                  p->name.text, word);
        CK_HELP(ck, d, "its single values are listed by imp doc %s", word);
        return false;
    }
    if (p->kind != AST_NAME) {
        struct diag *d = ck_error(ck, DIAG_E0408, e->range,
                                  "`record` of a sweep names fields of the "
                                  "record of `%s`",
                                  word);
        CK_HELP(ck, d, "as in record = (%s)", n ? names[0] : "time");
        return false;
    }
    struct diag *d = ck_error(ck, DIAG_E0408, e->range,
                              "the record of `%s` has no field "
                              "`%s`",
                              word, p->name.text);
    if (!ck_suggest(ck, d, e->range, p->name.text, names, n))
        CK_HELP(ck, d, "a sweep can keep %s", ck_join(ck, names, n, "and"));
    return false;
}

/* a column of the sweep's record */
static void
column(struct check *ck, uint32_t command, enum imp_field_kind kind,
       uint32_t width, const char *name, const char *unit, const char *doc,
       const struct dim *dim)
{
    struct tm_command *c = &ck->commands.v[command];
    struct record *r = &ck->records.v[command];
    struct tm_field *f = NEW_N(ck->arena, struct tm_field, c->n_fields + 1);
    struct record_dim *d = NEW_N(ck->arena, struct record_dim, r->n + 1);
    memcpy(f, c->fields, c->n_fields * sizeof *f);
    if (r->n)
        memcpy(d, r->dims, r->n * sizeof *d);
    d[r->n] = (struct record_dim){.all = dim, .n = width};
    f[c->n_fields] =
        (struct tm_field){.name = column_name(ck, c, NULL, 0, name),
                          .unit = unit,
                          .doc = doc,
                          .kind = kind == IMP_FIELD_TEXT ? IMP_FIELD_TEXTS
                                  : width > 1            ? IMP_FIELD_VECS
                                                         : IMP_FIELD_LIST,
                          .column = (uint32_t)++r->n,
                          .width = width};
    c->fields = f;
    c->n_fields++;
    r->dims = d;
}

/* columns of the params that vary; the number of runs */
static double
axis_columns(struct check *ck, uint32_t command)
{
    struct tm_command *c = &ck->commands.v[command];
    double runs = 1, repeat = 1;
    for (size_t i = 0; i < c->n_opts; i++) {
        const struct tm_opt *o = &c->opts[i];
        if (o->id == IMP_OPT_sweep_repeat)
            ck_fixed(ck, o->val.e[0], &repeat);
        bool over = o->id == IMP_OPT_sweep_over;
        if (!over && o->id != IMP_OPT_sweep_random)
            continue;
        for (size_t k = 0; k < o->val.n_items; k++) {
            const struct tm_val *a = &o->val.items[k];
            struct value p = ck_decl(ck, ck->param_decls.v[a->ref], a->range);
            runs *= over ? a->rows : 1;
            column(ck, command, IMP_FIELD_NUM, 1, a->name, "",
                   over ? "param of the run" : "param of the run, drawn",
                   p.dim);
        }
    }
    if (repeat > 1)
        column(ck, command, IMP_FIELD_NUM, 1, "repeat", "",
               "number of the run, from 0", dim_pure(ck->dims));
    return runs * repeat;
}

/* a param is either stepped or drawn, and something must vary */
static bool
varied(struct check *ck, const struct tm_command *c, const struct ast_item *it)
{
    const struct tm_val *over = NULL, *random = NULL, *repeat = NULL;
    for (size_t i = 0; i < c->n_opts; i++) {
        const struct tm_opt *o = &c->opts[i];
        over = o->id == IMP_OPT_sweep_over ? &o->val : over;
        random = o->id == IMP_OPT_sweep_random ? &o->val : random;
        repeat = o->id == IMP_OPT_sweep_repeat ? &o->val : repeat;
    }
    if (!over && !random && !repeat) {
        struct diag *d = ck_error(ck, DIAG_E0421, it->name.range,
                                  "this sweep has nothing to vary");
        if (ck->param_decls.n)
            CK_HELP(ck, d, "say which param: over = (%s in linspace(0, 1, 11))",
                    ck->param_decls.v[0]->name);
        else
            CK_HELP(ck, d,
                    "declare a knob, param e = 0.5 in [0, 1], and say "
                    "over = (e in linspace(0, 1, 11))");
        return false;
    }
    for (size_t i = 0; over && random && i < over->n_items; i++)
        for (size_t k = 0; k < random->n_items; k++)
            if (over->items[i].ref == random->items[k].ref) {
                ck_error(ck, DIAG_E0421, random->items[k].range,
                         "the param `%s` stands in `over` and in `random`",
                         over->items[i].name);
                return false;
            }
    return true;
}

bool
sweep_record(struct check *ck, uint32_t command, const struct ast_item *it,
             const struct ast_item *key)
{
    struct tm_command *c = &ck->commands.v[command];
    uint32_t q = command, f;
    for (size_t i = 0; i < c->n_opts; i++)
        if (c->opts[i].id == IMP_OPT_sweep_run)
            q = c->opts[i].val.ref;
    if (!varied(ck, c, it))
        return false;
    double runs = axis_columns(ck, command);
    if (runs > SWEEP_MOST) {
        struct diag *d = ck_error(ck, DIAG_E0423, it->name.range,
                                  "this sweep has %g runs; at most 1e8 are "
                                  "made",
                                  runs);
        CK_HELP(ck, d, "take fewer values, or several sweeps");
        return false;
    }
    const struct ast_expr *e = key ? ast_unwrap(key->value) : NULL;
    const struct ast_expr *const *list = &e;
    size_t n = 1, k = 0;
    if (e && e->kind == AST_TUPLE) {
        list = (const struct ast_expr *const *)e->list;
        n = e->n_list;
    } else if (!e) {
        n = ck->commands.v[q].n_fields;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, n + 1);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        f = (uint32_t)i;
        if (e ? !field_of(ck, q, list[i], &f)
              : !kept_kind(ck->commands.v[q].fields[f].kind)) {
            ok &= !e;
            continue;
        }
        const struct tm_field *x = &ck->commands.v[q].fields[f];
        items[k++] = (struct tm_val){.kind = IMP_VAL_FIELD,
                                     .ref = q,
                                     .field = f,
                                     .range = e ? list[i]->range : it->range,
                                     .label = x->name,
                                     .text = "",
                                     .unit = "",
                                     .name = x->name};
        column(ck, command, x->kind, x->kind == IMP_FIELD_TEXT ? 1 : x->width,
               x->name, x->unit, x->doc,
               x->kind == IMP_FIELD_TEXT
                   ? dim_pure(ck->dims)
                   : field_dim(ck, &ck->commands.v[q], x, UINT32_MAX,
                               items[k - 1].range));
    }
    c = &ck->commands.v[command];
    struct tm_opt *o = &c->opts[c->n_opts++];
    o->id = IMP_OPT_sweep_record;
    o->val = (struct tm_val){.kind = IMP_VAL_LIST,
                             .items = items,
                             .n_items = k,
                             .range = it->range,
                             .text = "",
                             .label = "",
                             .unit = "",
                             .name = ""};
    return ok;
}

/* one axis against its param */
static void
late_axis(struct check *ck, const struct tm_val *a, bool random)
{
    const struct tm_param *p = &ck->params.v[a->ref];
    if (p->structural && random) {
        struct diag *d = ck_error(ck, DIAG_E0421, a->range,
                                  "`%s` is structural: it fixes how many of "
                                  "something there are, and is not drawn at "
                                  "random",
                                  p->name);
        CK_NOTE(ck, d, p->range, "the param");
        CK_HELP(ck, d, "give its values: over = (%s in (2, 3, 4))", p->name);
        return;
    }
    for (uint32_t i = 0; i < a->rows && p->has_range; i++) {
        double x;
        if (!ex_is_const(a->e[i]))
            continue;
        x = a->e[i]->num;
        if (x >= p->lo && x <= p->hi)
            continue;
        struct diag *d = ck_error(ck, DIAG_E0423, a->range,
                                  "%g is outside the range [%g, %g] of the "
                                  "param `%s`",
                                  x, p->lo, p->hi, p->name);
        CK_NOTE(ck, d, p->range, "the range is stated here");
        return;
    }
}

void
sweep_late(struct check *ck)
{
    for (size_t i = 0; i < ck->commands.n; i++) {
        const struct tm_command *c = &ck->commands.v[i];
        for (size_t k = 0; k < c->n_opts && c->id == IMP_CMD_sweep; k++)
            if (c->opts[k].id == IMP_OPT_sweep_over ||
                c->opts[k].id == IMP_OPT_sweep_random)
                for (size_t j = 0; j < c->opts[k].val.n_items; j++)
                    late_axis(ck, &c->opts[k].val.items[j],
                              c->opts[k].id == IMP_OPT_sweep_random);
    }
}
