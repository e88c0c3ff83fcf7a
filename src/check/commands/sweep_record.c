/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep keeps of its runs: the columns of its record. They are the
 * params that vary, then fields of the question's record, or expressions in
 * which such fields are names (env.question). Checked when all else of the
 * sweep is known. */
#include <string.h>

#include "check/commands/commands_priv.h"

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

/* a row per combination: option `summary` */
static bool
summarised(struct check *ck, const struct tm_command *c)
{
    double x = 0;
    for (size_t i = 0; i < c->n_opts; i++)
        if (c->opts[i].id == IMP_OPT_sweep_summary)
            ck_fixed(ck, c->opts[i].val.e[0], &x);
    return x > 0;
}

/* the columns of what is kept: one, or those of a summary */
static void
kept_columns(struct check *ck, uint32_t command, enum imp_field_kind kind,
             uint32_t width, const char *name, const char *unit,
             const char *doc, const struct dim *dim)
{
    static const char *const of[][2] = {{"min", "smallest"},
                                        {"max", "greatest"},
                                        {"deviation", "standard deviation"}};
    column(ck, command, kind, width, name, unit, doc, dim);
    if (!summarised(ck, &ck->commands.v[command]))
        return;
    if (kind == IMP_FIELD_TEXT) {
        column(ck, command, IMP_FIELD_NUM, 1,
               arena_printf(ck->arena, "%s_share", name), "",
               "share of the runs with this text", dim_pure(ck->dims));
        return;
    }
    for (int i = 0; i < 3; i++)
        column(ck, command, kind, width,
               arena_printf(ck->arena, "%s_%s", name, of[i][0]), unit,
               arena_printf(ck->arena, "%s of the runs", of[i][1]), dim);
}

/* columns of the params that vary; the number of runs */
static double
axis_columns(struct check *ck, uint32_t command)
{
    struct tm_command *c = &ck->commands.v[command];
    double runs = 1, repeat = 1;
    bool summary = summarised(ck, c);
    for (size_t i = 0; i < c->n_opts; i++) {
        const struct tm_opt *o = &c->opts[i];
        if (o->id == IMP_OPT_sweep_repeat)
            ck_fixed(ck, o->val.e[0], &repeat);
        bool over = o->id == IMP_OPT_sweep_over;
        if (!over && (o->id != IMP_OPT_sweep_random || summary))
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
    if (summary)
        column(ck, command, IMP_FIELD_NUM, 1, "runs", "",
               "runs that gave values", dim_pure(ck->dims));
    else if (repeat > 1)
        column(ck, command, IMP_FIELD_NUM, 1, "repeat", "",
               "number of the run, from 0", dim_pure(ck->dims));
    return runs * repeat;
}

/* `summary` is decided before anything is run, and there is something to
 * summarise */
static bool
summary_fits(struct check *ck, const struct tm_command *c)
{
    const struct tm_opt *of = NULL;
    double x, repeat = 1;
    for (size_t i = 0; i < c->n_opts; i++) {
        const struct tm_opt *o = &c->opts[i];
        of = o->id == IMP_OPT_sweep_summary ? o : of;
        if (o->id == IMP_OPT_sweep_repeat)
            ck_fixed(ck, o->val.e[0], &repeat);
    }
    if (!of)
        return true;
    if (!ck_fixed(ck, of->val.e[0], &x)) {
        ck_error(ck, DIAG_E0423, of->val.range,
                 "`summary` is true or false, made of literals and params");
        return false;
    }
    if (x > 0 && repeat <= 1) {
        struct diag *d = ck_error(ck, DIAG_E0423, of->val.range,
                                  "every combination has one run, so there is "
                                  "nothing to summarise");
        CK_HELP(ck, d, "say how many runs: repeat = 100");
        return false;
    }
    return true;
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

/* a field of the question, as it is */
static void
keep_field(struct check *ck, uint32_t command, uint32_t question,
           uint32_t field, imp_range range, struct tm_val *out)
{
    const struct tm_command *q = &ck->commands.v[question];
    const struct tm_field *x = &q->fields[field];
    bool text = x->kind == IMP_FIELD_TEXT;
    *out = (struct tm_val){.kind = IMP_VAL_FIELD,
                           .ref = question,
                           .field = field,
                           .range = range,
                           .label = x->name,
                           .text = "",
                           .unit = "",
                           .name = x->name};
    kept_columns(
        ck, command, x->kind, text ? 1 : x->width, x->name, x->unit, x->doc,
        text ? dim_pure(ck->dims) : field_dim(ck, q, x, UINT32_MAX, range));
}

/* Is this a name that means a field, or nothing else? */
static bool
is_field(struct check *ck, uint32_t question, const struct ast_expr *e)
{
    const struct tm_command *q = &ck->commands.v[question];
    const struct ast_expr *p = ast_unwrap(e);
    bool reported = false;
    if (p->kind != AST_NAME)
        return false;
    for (uint32_t i = 0; i < q->n_fields; i++)
        if (!strcmp(q->fields[i].name, p->name.text))
            return true;
    return !scope_find(ck, ck->main, p->name.text, WANT_VALUE, p->range,
                       &reported) &&
           !reported && strcmp(p->name.text, "pi") != 0;
}

/* what an expression gives when it is no number */
static void
no_number(struct check *ck, uint32_t question, const struct ast_expr *e,
          const struct value *v)
{
    const struct tm_command *q = &ck->commands.v[question];
    const char *word = command_row(q->id)->name;
    struct diag *d;
    if (v->kind == V_FIELD && v->ref != question) {
        d = ck_error(ck, DIAG_E0408, e->range,
                     "`%s` belongs to the record of an earlier command, which "
                     "is the same in all runs",
                     ck_label(ck, e));
        CK_HELP(ck, d, "name the field of `%s` alone, as in record = (%s)",
                word, q->fields[v->field < q->n_fields ? v->field : 0].name);
        return;
    }
    d = ck_error(ck, DIAG_E0408, e->range,
                 "a sweep keeps numbers, vectors and truths of each run, but "
                 "this is %s",
                 v_kind(ck, v));
    CK_HELP(ck, d,
            "fields of the record of `%s` and what is calculated from them "
            "and from params: imp doc %s lists them",
            word, word);
}

/* an expression of fields and params */
static bool
expression(struct check *ck, uint32_t command, uint32_t question,
           const struct ast_expr *e, struct tm_val *out)
{
    struct env env = ck->top;
    env.question = 1 + question;
    struct value v = ck_expr(ck, &env, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind == V_TRUTH)
        v.kind = V_NUM;
    if (v.kind != V_NUM || v.cols != 1) {
        no_number(ck, question, e, &v);
        return false;
    }
    if (!mx_plain(ck, &v, e->range, "what a sweep keeps") ||
        !check_leaves(ck, v.e, v.rows, MAY_PARAMS | MAY_RESULTS, e,
                      "what a sweep keeps"))
        return false;
    val_of(ck, &v, e, out);
    out->name = column_name(ck, &ck->commands.v[command], NULL, 0, out->name);
    kept_columns(ck, command, IMP_FIELD_NUM, v.rows, out->name, "",
                 arena_printf(ck->arena, "calculated: %s", out->label),
                 v.bare ? dim_pure(ck->dims) : v.dim);
    return true;
}

/* the item of the block that gives the option `record`; NULL: none does */
static const struct ast_item *
record_key(const struct ast_item *it)
{
    for (size_t i = 0; i < it->n_block; i++)
        if (it->block[i]->kind == AST_KEY &&
            !strcmp(it->block[i]->name.text, "record"))
            return it->block[i];
    return NULL;
}

bool
sweep_record(struct check *ck, uint32_t command, const struct ast_item *it)
{
    const struct ast_item *key = record_key(it);
    struct tm_command *c = &ck->commands.v[command];
    uint32_t q = command, f;
    for (size_t i = 0; i < c->n_opts; i++)
        if (c->opts[i].id == IMP_OPT_sweep_run)
            q = c->opts[i].val.ref;
    if (!varied(ck, c, it) || !summary_fits(ck, c))
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
    if (e && e->kind == AST_TUPLE && !e->unit) {
        list = (const struct ast_expr *const *)e->list;
        n = e->n_list;
    } else if (!e) {
        n = ck->commands.v[q].n_fields;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, n + 1);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        f = (uint32_t)i;
        if (!e && !kept_kind(ck->commands.v[q].fields[f].kind))
            continue;
        if (e && !is_field(ck, q, list[i])) {
            bool good = expression(ck, command, q, list[i], &items[k]);
            ok &= good;
            k += good;
            continue;
        }
        if (e && !field_of(ck, q, list[i], &f)) {
            ok = false;
            continue;
        }
        keep_field(ck, command, q, f, e ? list[i]->range : it->range,
                   &items[k++]);
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
