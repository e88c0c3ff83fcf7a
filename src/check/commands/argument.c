/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments of a command: contacts, systems, conditions, values, results. */
#include <string.h>

#include "check/commands/commands_priv.h"

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

bool
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
bool
recorded_value(struct check *ck, const struct ast_expr *e, const char *doing,
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
        val_set_unit(ck, out, l.bare ? r.dim : l.dim);
    return true;
}

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

/* is the number of arguments right? false: reported */
static bool
argument_count(struct check *ck, const struct tm_command *c,
               const struct ast_item *it)
{
    const struct command_row *row = command_row(c->id);
    size_t n = it->n_args;
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
    if (row->args == ARGS_NONE || (n && !(one && n > 1)))
        return true;
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

/* one contact of those that the command asks about */
static bool
contact_argument(struct check *ck, const struct tm_command *c,
                 const struct ast_expr *e, struct tm_val *out)
{
    if (!contact_value(ck, e, out) || !contact_suits(ck, c->id, e, out->ref))
        return false;
    for (size_t k = 0; k < c->n_args; k++)
        if (c->args[k].ref == out->ref) {
            struct diag *d = ck_error(ck, DIAG_E0403, e->range,
                                      "this contact is named twice");
            CK_HELP(ck, d, "an impact acts at each contact once");
            return false;
        }
    return true;
}

bool
command_arguments(struct check *ck, uint32_t command,
                  const struct command_rules *rules, const struct ast_item *it)
{
    struct tm_command *c = &ck->commands.v[command];
    const struct command_row *row = command_row(c->id);
    size_t n = it->n_args;
    bool ok = true;
    c->args = NEW_N(ck->arena, struct tm_val, n + 1);
    if (!argument_count(ck, c, it))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct ast_expr *e = it->args[i];
        struct tm_val *v = &c->args[c->n_args];
        bool good;
        if (rules && rules->argument &&
            rules->argument(ck, command, i, e, &good)) {
            ok &= good;
            continue;
        }
        switch (row->args) {
        case ARGS_CONTACT:
        case ARGS_CONTACTS:
            good = contact_argument(ck, c, e, v);
            break;
        case ARGS_CONDITION:
            good = condition(ck, e, v);
            break;
        case ARGS_SYSTEM:
            good = system_value(ck, e, v);
            break;
        default:
            good = !(rules && rules->recorded)
                       ? shown(ck, e, v)
                       : recorded_value(ck, e, row->name, v);
        }
        ok &= good;
        c->n_args += good;
    }
    return ok;
}
