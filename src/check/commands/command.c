/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands: arguments and options against the command table, recorded
 * columns, what can be plotted and saved. Commands are checked in order, so
 * that each knows the records of those before it. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/context/context.h"

/* -- values of the typed model -------------------------------------------- */

static void
set_unit(struct check *ck, struct tm_val *out, const struct dim *dim)
{
    out->unit = "";
    if (dim)
        APUSH(ck, &ck->pending, (struct pending){&out->unit, dim, NULL, 0});
}

/* dimensions of all entries, exact zeros without one */
static const struct dim **
entry_dims(struct check *ck, const struct value *v)
{
    size_t n = (size_t)v->rows * v->cols;
    const struct dim **d = NEW_N(ck->arena, const struct dim *, n);
    for (size_t i = 0; i < n; i++)
        d[i] = mx_dim(ck, v, i);
    return d;
}

/* an identifier made of an expression's text: gap(touch) -> gap_touch */
static const char *
identifier(struct check *ck, const char *label)
{
    char s[48];
    size_t n = 0;
    for (const char *p = label; *p && n < sizeof s - 4; p++) {
        if (isalnum((unsigned char)*p) || (*p & 0x80))
            s[n++] = *p;
        else if (*p == '\'' && n < sizeof s - 8)
            n += (size_t)snprintf(s + n, 5, "%s",
                                  n && s[n - 1] == '_' ? "dot" : "_dot");
        else if (n && s[n - 1] != '_')
            s[n++] = '_';
    }
    while (n && (s[n - 1] & 0xc0) == 0x80 && label[0] && n >= sizeof s - 6)
        n--; /* a character may have been cut */
    while (n && s[n - 1] == '_')
        n--;
    s[n] = 0;
    if (!n || isdigit((unsigned char)s[0]))
        return arena_printf(ck->arena, "c_%s", s);
    return arena_strdup(ck->arena, s);
}

void
val_of(struct check *ck, const struct value *v, const struct ast_expr *e,
       struct tm_val *out)
{
    memset(out, 0, sizeof *out);
    out->range = e->range;
    out->label = ck_label(ck, e);
    out->name = identifier(ck, out->label);
    out->text = "";
    out->unit = "";
    out->ref = v->ref;
    out->field = v->field;
    switch (v->kind) {
    case V_NUM:
    case V_LIST:
        out->kind = IMP_VAL_NUM;
        out->rows = v->rows;
        out->cols = v->cols;
        out->e = v->e;
        set_unit(ck, out, v->bare || v->series || v->dims ? NULL : v->dim);
        if (v->dims)
            APUSH(ck, &ck->pending,
                  (struct pending){&out->unit, NULL, entry_dims(ck, v),
                                   (size_t)v->rows * v->cols});
        if (v->series) {
            const char *u = dim_text(ck->dims, v->series);
            out->unit =
                arena_printf(ck->arena, strchr(u, '/') ? "(%s)/s^k" : "%s/s^k",
                             *u ? u : "1");
        }
        break;
    case V_TRUTH:
        out->kind = IMP_VAL_BOOL;
        out->rows = out->cols = 1;
        out->e = v->e;
        break;
    case V_TEXT:
        out->kind = IMP_VAL_TEXT;
        out->text = v->text;
        break;
    case V_BODY:
        out->kind = IMP_VAL_BODY;
        break;
    case V_CONTACT:
        out->kind = IMP_VAL_CONTACT;
        break;
    case V_SYSTEM:
        out->kind = IMP_VAL_SYSTEM;
        break;
    case V_RESULT:
        out->kind = IMP_VAL_RESULT;
        break;
    case V_FIELD:
        out->kind = IMP_VAL_FIELD;
        out->unit = ck->commands.v[v->ref].fields[v->field].unit;
        break;
    default:
        break;
    }
}

/* r.field as a whole; numbers of a result are values otherwise */
static bool
whole_field(struct check *ck, const struct ast_expr *e, struct value *v)
{
    e = ast_unwrap(e);
    if (e->kind != AST_FIELD || v->kind == V_POISON ||
        ck_joint(ck, &ck->top, e->a))
        return false;
    struct value r = ck_expr(ck, &ck->top, e->a);
    if (r.kind != V_RESULT)
        return false;
    const struct tm_command *c = &ck->commands.v[r.ref];
    for (uint32_t i = 0; i < c->n_fields; i++)
        if (!strcmp(c->fields[i].name, e->name.text)) {
            *v = (struct value){
                .kind = V_FIELD, .ref = r.ref, .field = i, .range = e->range};
            return true;
        }
    return false;
}

/* -- arguments ------------------------------------------------------------ */

static bool
contact_value(struct check *ck, const struct ast_expr *e, struct tm_val *out)
{
    struct value v = ck_expr(ck, &ck->top, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind == V_CONTACT) {
        val_of(ck, &v, e, out);
        return true;
    }
    struct diag *d =
        ck_error(ck, DIAG_E0404, e->range,
                 "a contact is wanted here, but this is %s", v_kind(ck, &v));
    ck_help_contacts(ck, d);
    return false;
}

static bool
system_value(struct check *ck, const struct ast_expr *e, struct tm_val *out)
{
    struct value v = ck_expr(ck, &ck->top, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind != V_SYSTEM) {
        struct diag *d =
            ck_error(ck, DIAG_E0417, e->range,
                     "a system is wanted here, but this is %s", v_kind(ck, &v));
        const char *names[16];
        size_t n = 0;
        for (; n < ck->systems.n && n < 16; n++)
            names[n] = ck->systems.v[n].name;
        if (n)
            CK_HELP(ck, d, "systems of this model: %s",
                    ck_join(ck, names, n, "and"));
        else
            CK_HELP(ck, d, "declare one: system one { coordinate h  ... }");
        return false;
    }
    const struct tm_system *s = &ck->systems.v[v.ref];
    if (!s->n_contact) {
        struct diag *d = ck_error(ck, DIAG_E0418, e->range,
                                  "`%s` has no contacts, so nothing can "
                                  "chatter",
                                  s->name);
        CK_NOTE(ck, d, s->range, "the system");
        CK_HELP(ck, d, "give it some: contact foot { gap = h }");
        return false;
    }
    val_of(ck, &v, e, out);
    return true;
}

static bool
shown(struct check *ck, const struct ast_expr *e, struct tm_val *out)
{
    struct value v = ck_expr(ck, &ck->top, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind == V_FIELD && v.rows) { /* an entry of a list of texts */
        struct diag *d = ck_error(ck, DIAG_E0411, e->range,
                                  "one text of a list can only be compared");
        CK_HELP(ck, d, "as in %s == \"...\", or show the whole list",
                ck_label(ck, e));
        return false;
    }
    whole_field(ck, e, &v);
    val_of(ck, &v, e, out);
    if (v.kind == V_SYSTEM || v.kind == V_FAMILY ||
        (v.kind == V_CONTACT && ck->contacts.v[v.ref].system))
        system_shown(ck, &v, out);
    return true;
}

static void
not_recorded(struct check *ck, const struct ast_expr *e, const char *doing)
{
    const char *label = ck_label(ck, e);
    bool run = false;
    for (uint32_t k = 0; k < ck->now; k++)
        run |= imp_command_has(ck->commands.v[k].id, IMP_TRAIT_RECORDS_MOTION);
    struct diag *d = ck_error(ck, DIAG_E0409, e->range,
                              "`%s` has not been recorded, so there is "
                              "nothing to %s",
                              label, doing);
    CK_HELP(ck, d,
            run ? "add it to the `record` of the simulate before: record = "
                  "(..., %s)"
                : "record it first: simulate { until = 1  record = %s }",
            label);
}

/* what plot and save take: results, their fields, recorded expressions */
static bool
recorded(struct check *ck, const struct ast_expr *e, const char *doing,
         struct tm_val *out)
{
    struct value v = ck_expr(ck, &ck->top, e);
    bool plot = doing[0] == 'p';
    if (v.kind == V_POISON)
        return false;
    const struct ast_expr *p = ast_unwrap(e);
    bool whole = whole_field(ck, e, &v);
    val_of(ck, &v, e, out);
    if (v.kind == V_RESULT) {
        const struct tm_command *c = &ck->commands.v[v.ref];
        bool lists = !plot;
        for (size_t i = 0; i < c->n_fields; i++)
            lists |= c->fields[i].column != 0 ||
                     (!imp_command_has(c->id, IMP_TRAIT_ROWS) &&
                      c->fields[i].kind == IMP_FIELD_LIST);
        if (lists && c->n_fields)
            return true;
        struct diag *d =
            ck_error(ck, DIAG_E0413, e->range,
                     "there is nothing to %s in this result", doing);
        CK_HELP(ck, d,
                "name what to keep: simulate { ... record = "
                "gap(touch) }");
        return false;
    }
    if (v.kind == V_FIELD) {
        enum imp_field_kind k = ck->commands.v[v.ref].fields[v.field].kind;
        if (!plot || k == IMP_FIELD_LIST || k == IMP_FIELD_VECS ||
            (k == IMP_FIELD_TEXTS && /* the texts of a map */
             imp_command_has(ck->commands.v[v.ref].id,
                             IMP_TRAIT_VARIES_PARAMS)))
            return true;
    }
    if (v.kind == V_LIST)
        return true;
    if (v.kind == V_NUM && !whole && p->kind != AST_NUM) {
        uint32_t command, field;
        if (record_find(ck, out, &command, &field)) {
            out->kind = IMP_VAL_FIELD;
            out->ref = command;
            out->field = field;
            out->e = NULL;
            out->rows = out->cols = 0;
            return true;
        }
        not_recorded(ck, e, doing);
        return false;
    }
    struct diag *d =
        ck_error(ck, DIAG_E0411, e->range, "this cannot be %s: it is %s",
                 plot ? "plotted" : "saved",
                 whole ? "a single value of a result" : v_kind(ck, &v));
    CK_HELP(ck, d,
            plot ? "plot takes recorded expressions, lists of a "
                   "result, or a result"
                 : "save takes results, their fields and recorded "
                   "expressions; `show` prints values");
    return false;
}

static bool
is_compare(const struct ast_expr *e)
{
    return e->kind == AST_BINARY && e->op >= AST_LT && e->op <= AST_NE;
}

static bool
condition(struct check *ck, const struct ast_expr *e, struct tm_val *out)
{
    struct value v = ck_expr(ck, &ck->top, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind != V_TRUTH) {
        struct diag *d = ck_error(ck, DIAG_E0410, e->range,
                                  "expect needs a condition, but this is %s",
                                  v_kind(ck, &v));
        CK_HELP(ck, d, "compare it, as in expect %s < 1e-9", ck_label(ck, e));
        return false;
    }
    val_of(ck, &v, e, out);
    const struct ast_expr *p = ast_unwrap(e);
    if (!is_compare(p))
        return true;
    struct value l = ck_expr(ck, &ck->top, p->a);
    struct value r = ck_expr(ck, &ck->top, p->b);
    if (l.kind != V_NUM || r.kind != V_NUM || !v_is_scalar(&l) ||
        !v_is_scalar(&r))
        return true;
    const expr **three = NEW_N(ck->arena, const expr *, 3);
    three[0] = v.e[0];
    three[1] = l.e[0];
    three[2] = r.e[0];
    out->e = three;
    out->cols = 3;
    out->compare = true;
    if (!l.bare || !r.bare)
        set_unit(ck, out, l.bare ? r.dim : l.dim);
    return true;
}

/* -- options -------------------------------------------------------------- */

/* Does the name end as a format of files does that takes columns, or pictures?
 * *list gets these endings: ".svg or .png". */
static bool
known_ending(struct check *ck, const char *dot, bool picture, const char **list)
{
    enum { COLUMNS, PICTURE };
    static const struct {
        const char *ending;
        int takes;
    } formats[] = {
#define FORMAT(ending, takes, writer) {"." #ending, takes},
#include "output/formats.def"
    };
    const char *last = NULL, *text = "";
    bool known = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].takes != (picture ? PICTURE : COLUMNS))
            continue;
        if (last)
            text = arena_printf(ck->arena, "%s%s%s", text, *text ? ", " : "",
                                last);
        last = formats[i].ending;
        known |= !strcmp(dot, last);
    }
    *list = arena_printf(ck->arena, "%s or %s", text, last);
    return known;
}

/* a file under --out; false: reported */
static bool
file_name(struct check *ck, const struct ast_expr *e, const char *s, bool plot)
{
    const char *dot = strrchr(s, '.'), *endings;
    bool up = !strncmp(s, "../", 3) || strstr(s, "/../") || !strcmp(s, "..");
    const char *why =
        !*s         ? "it is empty"
        : *s == '/' ? "it is not relative to --out"
        : up        ? "it leads out of --out"
        : !dot      ? "it has no ending"
        : known_ending(ck, dot, plot, &endings)
            ? NULL
            : arena_printf(ck->arena, "%s in %s",
                           plot ? "a plot ends" : "saved data end", endings);
    if (!why)
        return true;
    struct diag *d = ck_error(ck, DIAG_E0414, e->range,
                              "\"%s\" is no file name to write to: %s", s, why);
    CK_HELP(ck, d,
            plot ? "as in file = \"gap.svg\"" : "as in file = \"gap.csv\"");
    return false;
}

static bool
number_option(struct check *ck, const struct option_row *o,
              const struct ast_expr *e, struct tm_val *out)
{
    struct unit u = {1, 1, dim_pure(ck->dims)};
    double x;
    unit_of_text(ck->dims, o->unit, &u);
    const char *what = arena_printf(ck->arena, "`%s`", o->key);
    struct value v = ck_expr(ck, &ck->top, e);
    if (!v_need_scalar(ck, &v, e, u.dim, what))
        return false;
    if (v_const(&v, &x)) {
        if (!strcmp(o->key, "tolerance") && !strcmp(o->command, "threshold") &&
            !(x > 0.0 && x < 1.0)) {
            ck_error(ck, DIAG_E0405, e->range,
                     "`tolerance` is between 0 and 1, but this is %g", x);
            return false;
        }
        bool positive =
            !strcmp(o->key, "until") || !strcmp(o->key, "every") ||
            !strcmp(o->key, "events") || !strcmp(o->key, "time") ||
            !strcmp(o->key, "resolve") || !strcmp(o->key, "tolerance") ||
            !strcmp(o->key, "iterations") || !strcmp(o->key, "flight");
        if (positive && x <= 0) {
            ck_error(ck, DIAG_E0405, e->range,
                     "`%s` is positive, but this is %g", o->key, x);
            return false;
        }
        bool grid = !strcmp(o->key, "grid");
        double lo = !strcmp(o->key, "order") ? 6 : grid ? 1 : 4;
        double hi = !strcmp(o->key, "order") ? 20 : 1e6;
        if ((!strcmp(o->key, "order") || !strcmp(o->key, "points") || grid) &&
            (x < lo || x > hi || x != floor(x))) {
            ck_error(ck, DIAG_E0405, e->range,
                     "`%s` is a whole number from %g to %g, but this is %g",
                     o->key, lo, hi, x);
            return false;
        }
    }
    val_of(ck, &v, e, out);
    return true;
}

static bool
times_option(struct check *ck, const struct ast_expr *e, struct tm_val *out)
{
    const struct dim *s = dim_mks(ck->dims, 0, 0, 1);
    struct value v = ck_expr(ck, &ck->top, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind == V_FIELD &&
        ck->commands.v[v.ref].fields[v.field].kind == IMP_FIELD_LIST) {
        val_of(ck, &v, e, out);
        return true;
    }
    if ((v.kind != V_NUM && v.kind != V_LIST) || v.cols != 1) {
        struct diag *d = ck_error(ck, DIAG_E0405, e->range,
                                  "times are a number or a list, but this is "
                                  "%s",
                                  v_kind(ck, &v));
        CK_HELP(ck, d, "as in at = (0.1, 0.2), at = linspace(0, 1, 11)");
        return false;
    }
    if (!v_need_dim(ck, &v, e, s, "a time"))
        return false;
    val_of(ck, &v, e, out);
    return true;
}

/* the entries of a tuple, or the expression itself */
static size_t
entries(const struct ast_expr *const *whole, const struct ast_expr *e,
        const struct ast_expr *const **list)
{
    if (e->kind == AST_TUPLE && !e->unit) {
        *list = (const struct ast_expr *const *)e->list;
        return e->n_list;
    }
    *list = whole;
    return 1;
}

const char *
column_name(struct check *ck, const struct tm_command *c,
            const struct tm_val *items, size_t n, const char *name)
{
    const char *s = name;
    for (int k = 2;; k++) {
        bool taken = false;
        for (size_t i = 0; i < c->n_fields; i++)
            taken |= !strcmp(c->fields[i].name, s);
        for (size_t i = 0; i < n; i++)
            taken |= items[i].name && !strcmp(items[i].name, s);
        if (!taken)
            return s;
        s = arena_printf(ck->arena, "%s_%d", name, k);
    }
}

static bool
record_option(struct check *ck, uint32_t command, const struct ast_expr *e,
              struct tm_val *out)
{
    const struct ast_expr *p = ast_unwrap(e);
    const struct ast_expr *const *list;
    size_t n = entries(&p, p, &list), k = 0;
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, n);
    struct record_dim *dims = NEW_N(ck->arena, struct record_dim, n);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const struct ast_expr *x = list[i];
        struct value v = ck_expr(ck, &ck->top, x);
        if (v.kind == V_POISON) {
            ok = false;
            continue;
        }
        if (v.kind == V_TRUTH)
            v.kind = V_NUM;
        if (v.kind != V_NUM || v.cols != 1) {
            struct diag *d =
                ck_error(ck, DIAG_E0405, x->range,
                         "a recorded column is a number or a vector, but "
                         "this is %s",
                         v_kind(ck, &v));
            if (v.kind == V_BODY)
                CK_HELP(ck, d, "record %s.position, for example",
                        ck->bodies.v[v.ref].name);
            else if (v.kind == V_CONTACT)
                CK_HELP(ck, d, "record gap(%s), for example",
                        ck->contacts.v[v.ref].name);
            ok = false;
            continue;
        }
        struct tm_val *t = &items[k];
        val_of(ck, &v, x, t);
        t->name = column_name(ck, &ck->commands.v[command], items, k, t->name);
        dims[k].all = v.bare ? dim_pure(ck->dims) : v.dim;
        dims[k].own = v.dims ? entry_dims(ck, &v) : NULL;
        dims[k].n = v.rows;
        k++;
    }
    for (size_t i = 0; i < k; i++)
        record_column(ck, command, &items[i], items[i].rows);
    out->kind = IMP_VAL_LIST;
    out->items = items;
    out->n_items = k;
    out->range = e->range;
    out->label = ck_label(ck, e);
    out->text = out->unit = out->name = "";
    struct record *r = &ck->records.v[command];
    r->columns = items;
    r->dims = dims;
    r->n = k;
    r->broken |= !ok;
    return ok;
}

static bool
list_option(struct check *ck, enum imp_command_id id,
            const struct option_row *o, const struct ast_expr *e,
            struct tm_val *out)
{
    const struct ast_expr *p = ast_unwrap(e);
    const struct ast_expr *const *list;
    size_t n = entries(&p, p, &list), k = 0;
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, n);
    for (size_t i = 0; i < n; i++)
        k += o->kind == IMP_OPTK_CONTACTS
                 ? contact_value(ck, list[i], &items[k]) &&
                       (imp_command_has(id, IMP_TRAIT_CONTACTS_OF_SYSTEM) ||
                        contact_of_bodies(
                            ck, items[k].ref,
                            arena_printf(ck->arena, "`%s`", o->key),
                            list[i]->range))
                 : recorded(ck, list[i], "plot", &items[k]);
    out->kind = IMP_VAL_LIST;
    out->items = items;
    out->n_items = k;
    out->range = e->range;
    out->label = ck_label(ck, e);
    out->text = out->unit = out->name = "";
    return k == n;
}

/* vectors, as many as there are; how long they must be is known at the run */
static bool
vectors_option(struct check *ck, const struct option_row *o,
               const struct ast_expr *e, struct tm_val *out)
{
    const struct ast_expr *p = ast_unwrap(e);
    const struct ast_expr *const *list;
    size_t n = entries(&p, p, &list), k = 0;
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, n + 1);
    struct value v = {.kind = V_POISON};
    if (n > 1) /* one vector of numbers? */
        v = ck_expr(ck, &ck->top, list[0]);
    if (v.kind == V_NUM && v_is_scalar(&v)) {
        list = &p;
        n = 1;
    }
    for (size_t i = 0; i < n; i++) {
        v = ck_expr(ck, &ck->top, list[i]);
        if (v.kind == V_POISON)
            continue;
        if (v.kind != V_NUM || v.cols != 1 || v.rows < 2) {
            struct diag *d = ck_error(ck, DIAG_E0405, list[i]->range,
                                      "`%s` takes vectors, but this is %s",
                                      o->key, v_kind(ck, &v));
            CK_HELP(ck, d, "one entry per coordinate: %s = ((1, 2), (3, 4))",
                    o->key);
            continue;
        }
        val_of(ck, &v, list[i], &items[k++]);
    }
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = items,
                           .n_items = k,
                           .range = e->range,
                           .label = ck_label(ck, e),
                           .text = "",
                           .unit = "",
                           .name = ""};
    return k == n;
}

static bool
option(struct check *ck, uint32_t command, const struct option_row *o,
       const struct ast_item *key, struct tm_val *out)
{
    static const char *const policies[] = {"through", "stop", "enforce"};
    bool law = !strcmp(o->key, "law");
    const char *const *words = law ? impact_laws : policies;
    const struct ast_expr *e = key->value;
    struct value v;
    int w;
    switch (o->kind) {
    case IMP_OPTK_AXES:
        if (ck->commands.v[command].id == IMP_CMD_threshold)
            return threshold_over(ck, command, key, out);
        return sweep_axes(ck, o, key, out);
    case IMP_OPTK_QUESTION:
        return sweep_question(ck, key, out);
    case IMP_OPTK_NUM:
        if (!strcmp(o->key, "repeat"))
            return sweep_repeat(ck, e, out);
        return number_option(ck, o, e, out);
    case IMP_OPTK_TIMES:
        return times_option(ck, e, out);
    case IMP_OPTK_VALUES:
        if (!strcmp(o->key, "record"))
            return record_option(ck, command, e, out);
        if (!strcmp(o->key, "from"))
            return vectors_option(ck, o, e, out);
        return list_option(ck, ck->commands.v[command].id, o, e, out);
    case IMP_OPTK_CONTACTS:
        return list_option(ck, ck->commands.v[command].id, o, e, out);
    case IMP_OPTK_WORD:
        w = key_word(ck, key, words, law ? N_IMPACT_LAWS : 3);
        if (w < 0)
            return false;
        out->kind = IMP_VAL_WORD;
        out->text = out->label = words[w];
        out->unit = out->name = "";
        out->range = e->range;
        return true;
    case IMP_OPTK_BOOL:
        v = ck_expr(ck, &ck->top, e);
        if (v.kind == V_TRUTH) {
            val_of(ck, &v, e, out);
            return true;
        }
        if (v.kind != V_POISON)
            ck_error(ck, DIAG_E0405, e->range,
                     "`%s` is true or false, but this is %s", o->key,
                     v_kind(ck, &v));
        return false;
    case IMP_OPTK_NUMBERS:
    case IMP_OPTK_CURVES:
        break; /* plot_options */
    case IMP_OPTK_TEXT:
        v = ck_expr(ck, &ck->top, e);
        if (v.kind == V_TEXT) {
            val_of(ck, &v, e, out);
            return (strcmp(o->key, "file") && strcmp(o->key, "save")) ||
                   file_name(ck, e, v.text, !strcmp(o->command, "plot"));
        }
        if (v.kind != V_POISON) {
            struct diag *d = ck_error(ck, DIAG_E0405, e->range,
                                      "`%s` is a text, but this is %s", o->key,
                                      v_kind(ck, &v));
            CK_HELP(ck, d, "put it in quotes");
        }
        return false;
    }
    return false;
}

static void
options(struct check *ck, uint32_t command, const struct ast_item *it)
{
    struct tm_command *c = &ck->commands.v[command];
    const struct command_row *row = command_row(c->id);
    const char *names[32];
    enum imp_option_id ids[32];
    const struct ast_item *given[32] = {0};
    size_t n = 0;
    const struct option_row *o;
    bool ok = true, misspelt = false;
    for (int i = 0; (o = option_row((enum imp_option_id)i)); i++)
        if (!strcmp(o->command, row->name) && n < 32) {
            names[n] = o->key;
            ids[n++] = (enum imp_option_id)i;
        }
    c->opts = NEW_N(ck->arena, struct tm_opt, n + 1);
    size_t over = it->command != NULL; /* `over x` stands before the block */
    for (size_t b = 0; b < it->n_block + over; b++) {
        const struct ast_item *k = b < over ? it->command : it->block[b - over];
        size_t i = 0;
        while (k->kind == AST_KEY && i < n && strcmp(names[i], k->name.text))
            i++;
        bool question = k->kind == AST_KEY && i < n &&
                        option_row(ids[i])->kind == IMP_OPTK_QUESTION;
        if (k->kind != AST_KEY || (!question && (k->command || !k->value))) {
            ck_error(ck, DIAG_E0303, k->head.file ? k->head : k->range,
                     "this cannot stand in the block of a command");
            ok = false;
            continue;
        }
        if (i == n) {
            struct diag *d =
                ck_error(ck, DIAG_E0401, k->name.range,
                         "`%s` has no option `%s`", row->name, k->name.text);
            if (!ck_suggest(ck, d, k->name.range, k->name.text, names, n)) {
                if (n)
                    CK_HELP(ck, d, "its options are %s",
                            ck_join(ck, names, n, "and"));
                else
                    CK_HELP(ck, d, "it takes none");
            }
            ok = false;
            misspelt = true;
            continue;
        }
        if (given[i]) {
            struct diag *d =
                ck_error(ck, DIAG_E0402, k->name.range,
                         "the option `%s` is given twice", k->name.text);
            CK_NOTE(ck, d, given[i]->name.range, "first here");
            ok = false;
            continue;
        }
        given[i] = k;
        if (ids[i] == IMP_OPT_sweep_record || ids[i] == IMP_OPT_plot_levels ||
            ids[i] == IMP_OPT_plot_overlay)
            continue; /* when the question, the picture is known */
        struct tm_opt *t = &c->opts[c->n_opts];
        t->id = ids[i];
        bool good = option(ck, command, option_row(ids[i]), k, &t->val);
        c = &ck->commands.v[command]; /* a question inside is added too */
        c->n_opts += good;
        ok &= good;
    }
    for (size_t i = 0; i < n; i++) {
        o = option_row(ids[i]);
        if (given[i] || misspelt || strncmp(o->dflt, "none: must", 10))
            continue;
        struct diag *d = ck_error(ck, DIAG_E0406, it->name.range,
                                  "`%s` needs the option `%s`: %s", row->name,
                                  o->key, o->doc);
        if (c->id == IMP_CMD_threshold)
            CK_HELP(ck, d, "as in threshold %s over gamma in [0, 1]",
                    it->n_args ? ck_label(ck, it->args[0]) : "one");
        else if (o->kind == IMP_OPTK_QUESTION)
            CK_HELP(ck, d,
                    "as in %s { over = (e in (0.1, 0.2))  %s = simulate { "
                    "until = 1 } }",
                    row->name, o->key);
        else
            CK_HELP(ck, d, "as in %s%s { %s = 1 }", row->name,
                    row->args == ARGS_CONTACT ? " touch" : "", o->key);
        ok = false;
    }
    if (c->id == IMP_CMD_sweep && ok)
        for (size_t i = 0; i < n; i++)
            if (ids[i] == IMP_OPT_sweep_record)
                ok = sweep_record(ck, command, it, given[i]);
    ck->records.v[command].broken |= !ok;
}

/* -- commands ------------------------------------------------------------- */

/* `classify` and `eight` follow the gap of two surfaces along a motion */
static bool
contact_suits(struct check *ck, enum imp_command_id id,
              const struct ast_expr *e, uint32_t contact)
{
    const struct tm_contact *c = &ck->contacts.v[contact];
    const struct tm_command *k = &ck->commands.v[ck->now];
    uint32_t first =
        k->n_args ? ck->contacts.v[k->args[0].ref].system : c->system;
    bool systems = imp_command_has(id, IMP_TRAIT_CONTACTS_OF_SYSTEM);
    if (systems && first != c->system) {
        struct diag *d =
            ck_error(ck, DIAG_E0369, e->range,
                     "an impact is at contacts of one system, or between "
                     "bodies");
        CK_NOTE(ck, d, c->range, "this contact");
        CK_NOTE(ck, d, ck->contacts.v[k->args[0].ref].range, "and this one");
        CK_HELP(ck, d, "ask for one impact after the other");
        return false;
    }
    if (systems && c->system)
        return true;
    if (!contact_of_bodies(
            ck, contact, arena_printf(ck->arena, "`%s`", command_row(id)->name),
            e->range))
        return false;
    if (!imp_command_has(id, IMP_TRAIT_FOLLOWS_GAP))
        return true;
    const char *word = command_row(id)->name;
    if (c->at.n) {
        struct diag *d =
            ck_error(ck, DIAG_E0343, e->range,
                     "the contact `%s` is stated at a point, so there is no "
                     "gap that `%s` could follow",
                     c->name, word);
        CK_NOTE(ck, d, c->at.range, "the point");
        CK_HELP(ck, d,
                "ask `impact %s`, or leave out `at` and give the bodies "
                "shapes",
                c->name);
        return false;
    }
    return true;
}

/* `compare` is asked of an impact, and nothing else of a command */
static bool
question(struct check *ck, enum imp_command_id id, const struct ast_item *it)
{
    const char *inner = it->name2.text;
    if (!imp_command_has(id, IMP_TRAIT_ASKED_OF_IMPACT) ||
        (inner && !strcmp(inner, "impact")))
        return true;
    struct diag *d =
        inner ? ck_error(ck, DIAG_E0416, it->name2.range,
                         "`compare` compares laws of impact, not `%s`", inner)
              : ck_error(ck, DIAG_E0416, it->name.range,
                         "`compare` is asked of an impact");
    CK_HELP(ck, d, "write compare impact %s",
            it->n_args ? ck_label(ck, it->args[0]) : "a, b");
    return false;
}

static bool
arguments(struct check *ck, uint32_t command, const struct ast_item *it)
{
    struct tm_command *c = &ck->commands.v[command];
    const struct command_row *row = command_row(c->id);
    size_t n = it->n_args;
    bool ok = true;
    c->args = NEW_N(ck->arena, struct tm_val, n + 1);
    if (row->args == ARGS_NONE && n) {
        struct diag *d = ck_error(ck, DIAG_E0403, it->args[0]->range,
                                  "`%s` takes no argument", row->name);
        CK_HELP(ck, d,
                "what it needs stands in its block: %s { until = 1  "
                "record = %s }",
                row->name, ck_label(ck, it->args[0]));
        return false;
    }
    bool one = row->args == ARGS_CONTACT || row->args == ARGS_CONDITION ||
               row->args == ARGS_SYSTEM;
    if (row->args != ARGS_NONE && (!n || (one && n > 1))) {
        const char *of =
            imp_command_has(c->id, IMP_TRAIT_ASKED_OF_IMPACT) ? " impact" : "";
        const char *what = row->args == ARGS_CONTACT     ? "one contact"
                           : row->args == ARGS_CONTACTS  ? "contacts"
                           : row->args == ARGS_CONDITION ? "one condition"
                           : row->args == ARGS_SYSTEM    ? "one system"
                                                         : "values";
        struct diag *d =
            ck_error(ck, DIAG_E0403, n ? it->args[1]->range : it->name.range,
                     "`%s%s` takes %s", row->name, of, what);
        if (row->args == ARGS_CONTACT || row->args == ARGS_CONTACTS)
            CK_HELP(ck, d, "as in %s%s %s", row->name, of,
                    ck->contacts.n ? ck->contacts.v[0].name : "touch");
        else if (row->args == ARGS_CONDITION)
            CK_HELP(ck, d, "join conditions with `and`");
        else if (row->args == ARGS_SYSTEM)
            CK_HELP(ck, d, "as in %s %s", row->name,
                    ck->systems.n ? ck->systems.v[0].name : "one");
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const struct ast_expr *e = it->args[i];
        struct tm_val *v = &c->args[c->n_args];
        bool good;
        if (c->id == IMP_CMD_save && i && e->kind == AST_TEXT) {
            /* save r, "r.csv" */
            good = file_name(ck, e, e->text, false);
            struct tm_opt *o = NEW_N(ck->arena, struct tm_opt, c->n_opts + 1);
            memcpy(o, c->opts, c->n_opts * sizeof *o);
            struct value t = ck_expr(ck, &ck->top, e);
            o[c->n_opts].id = IMP_OPT_save_file;
            val_of(ck, &t, e, &o[c->n_opts].val);
            c->opts = o;
            c->n_opts++;
            ok &= good;
            continue;
        }
        switch (row->args) {
        case ARGS_CONTACT:
        case ARGS_CONTACTS:
            good = contact_value(ck, e, v);
            good = good && contact_suits(ck, c->id, e, v->ref);
            for (size_t k = 0; good && k < c->n_args; k++)
                if (c->args[k].ref == v->ref) {
                    struct diag *d = ck_error(ck, DIAG_E0403, e->range,
                                              "this contact is named twice");
                    CK_HELP(ck, d, "an impact acts at each contact once");
                    good = false;
                }
            break;
        case ARGS_CONDITION:
            good = condition(ck, e, v);
            break;
        case ARGS_SYSTEM:
            good = system_value(ck, e, v);
            break;
        default:
            good = c->id == IMP_CMD_show ? shown(ck, e, v)
                                         : recorded(ck, e, row->name, v);
        }
        ok &= good;
        c->n_args += good;
    }
    return ok;
}

uint32_t
command_add(struct check *ck, const struct ast_item *it, struct decl *d)
{
    const char *word = it->name.text;
    unsigned id = 0;
    while (id < IMP_CMD_COUNT &&
           strcmp(command_row((enum imp_command_id)id)->name, word))
        id++;
    const struct command_row *row = command_row((enum imp_command_id)id);
    if (!row) {
        ck_error(ck, DIAG_E0403, it->name.range, "there is no command `%s`",
                 word);
    } else if (!row->available) {
        ck_unavailable(ck, it->name.range,
                       arena_printf(ck->arena, "`%s`", word));
    }
    if (!row || !row->available) {
        if (d)
            d->broken = true;
        return UINT32_MAX;
    }
    uint32_t n = (uint32_t)ck->commands.n;
    APUSH(ck, &ck->commands,
          (struct tm_command){.id = (enum imp_command_id)id,
                              .bound = d ? d->name : "",
                              .range = it->range});
    APUSH(ck, &ck->records, (struct record){0});
    ck->now = n;
    record_schema(ck, n);
    options(ck, n, it);
    if (!question(ck, (enum imp_command_id)id, it) || !arguments(ck, n, it) ||
        (id == IMP_CMD_plot && !plot_options(ck, n, it)))
        ck->records.v[n].broken = true;
    record_sizes(ck, n, it->n_args);
    if (d) {
        d->index = n;
        if (!ck->commands.v[n].n_fields && !d->broken) {
            struct diag *x =
                ck_error(ck, DIAG_E0415, it->name.range,
                         "`%s` gives no result to bind", row->name);
            CK_HELP(ck, x, "leave out `let %s =`", d->name);
            d->broken = true;
        }
    }
    ck->now = (uint32_t)ck->commands.n;
    return n;
}

void
check_commands(struct check *ck)
{
    for (size_t i = 0; i < ck->in->n_priors; i++) {
        struct tm_command c = *ck->in->priors[i].command;
        c.bound = ck->in->priors[i].bound;
        c.done = true;
        c.args = NULL;
        c.opts = NULL;
        c.n_args = c.n_opts = 0;
        APUSH(ck, &ck->commands, c);
        APUSH(ck, &ck->records, (struct record){0});
        if (*c.bound)
            scope_prior(ck, c.bound, (uint32_t)i);
    }
    ck->now = (uint32_t)ck->commands.n;
    for (size_t i = 0; i < ck->main->others.n; i++) {
        const struct ast_item *it = ck->main->others.v[i];
        if (it->kind == AST_COMMAND) {
            command_add(ck, it, NULL);
        } else if (it->kind == AST_LET) {
            struct decl *d = scope_own(ck->main, it->name.text);
            if (d && d->kind == D_RESULT && (d->item == it || ck->in->redefine))
                command_add(ck, it->command, d);
        }
    }
}
