/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `sweep`: which params vary and over what values, the question
 * inside; what is kept of it: sweep_record.c. The question becomes a
 * command of its own behind the sweep (tm_command.inner) that nothing but the
 * sweep asks. An axis is an item of kind NUM: ref the param, e its values (or
 * the two bounds of a random one). */
#include <math.h>
#include <string.h>

#include "check/commands/commands_priv.h"

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

struct decl *
sweep_param(struct check *ck, const struct ast_name *name, enum diag_code code,
            const char *doing)
{
    bool reported = false;
    struct decl *d = scope_find(ck, ck->main, name->text, WANT_VALUE,
                                name->range, &reported);
    if (reported)
        return NULL;
    if (d && d->kind == D_PARAM)
        return d;
    struct diag *x = d ? ck_error(ck, code, name->range, "%s, but `%s` is a %s",
                                  doing, name->text, decl_kind_name(d->kind))
                       : ck_error(ck, code, name->range,
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
    struct decl *d =
        sweep_param(ck, &arg->name, DIAG_E0421, "a sweep varies params");
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

static bool
axes(struct check *ck, const struct option_row *o, const struct ast_item *key,
     struct tm_val *out)
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

static bool
repeat(struct check *ck, const struct ast_expr *e, struct tm_val *out)
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

static bool
question(struct check *ck, const struct ast_item *key, struct tm_val *out)
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
    for (size_t i = 0; i < c->n_opts; i++)
        if (c->opts[i].id == IMP_OPT_cone_save) {
            struct diag *d = ck_error(ck, DIAG_E0422, c->opts[i].val.range,
                                      "every run of the sweep would write "
                                      "this file");
            CK_HELP(ck, d,
                    "leave out `save` here; `save` of the sweep keeps "
                    "what its runs find");
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

static enum option_taken
sweep_option(struct check *ck, uint32_t command, const struct option_row *row,
             const struct ast_item *key, struct tm_val *out)
{
    bool good;
    (void)command;
    switch (row->kind) {
    case IMP_OPTK_AXES:
        good = axes(ck, row, key, out);
        break;
    case IMP_OPTK_QUESTION:
        good = question(ck, key, out);
        break;
    case IMP_OPTK_NUM:
        good = repeat(ck, key->value, out);
        break;
    case IMP_OPTK_VALUES:
        return OPTION_WAITS; /* `record`: until the question is known */
    default:
        return OPTION_PLAIN;
    }
    return good ? OPTION_GOOD : OPTION_WRONG;
}

static void
sweep_missing(struct check *ck, struct diag *d, const struct option_row *row,
              const struct ast_item *it)
{
    CK_HELP(ck, d,
            "as in %s { over = (e in (0.1, 0.2))  %s = simulate { "
            "until = 1 } }",
            it->name.text, row->key);
}

static void
sweep_late(struct check *ck, const struct tm_command *c)
{
    for (size_t k = 0; k < c->n_opts; k++)
        if (c->opts[k].id == IMP_OPT_sweep_over ||
            c->opts[k].id == IMP_OPT_sweep_random)
            for (size_t j = 0; j < c->opts[k].val.n_items; j++)
                late_axis(ck, &c->opts[k].val.items[j],
                          c->opts[k].id == IMP_OPT_sweep_random);
}

const struct command_rules command_rules_sweep = {.option = sweep_option,
                                                  .missing = sweep_missing,
                                                  .options = sweep_record,
                                                  .late = sweep_late};
