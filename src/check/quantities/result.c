/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of commands as values: fields of a record, their entries and
 * reductions. A number of a result is a SYM_SLOT leaf, filled before the tape
 * that reads it runs (abi/image.h, imp_slot). Entries are counted from 0; in
 * lists -1 is the last. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/context/context.h"

/* -- the command table ---------------------------------------------------- */

#define NONE ARGS_NONE
#define CONTACT ARGS_CONTACT
#define CONTACTS ARGS_CONTACTS
#define SYSTEM ARGS_SYSTEM
#define VALUES ARGS_VALUES
#define CONDITION ARGS_CONDITION
static const struct command_row command_rows[] = {
#define COMMAND(name, args, avail, rules, traits, doc)                         \
    {#name, doc, args, avail != 0},
#include "abi/commands.def"
};
#undef NONE
#undef CONTACT
#undef CONTACTS
#undef SYSTEM
#undef VALUES
#undef CONDITION

static const struct option_row option_rows[] = {
#define OPTION(command, key, kind, unit, dflt, doc)                            \
    {#command, #key, unit, dflt, doc, IMP_OPTK_##kind},
#include "abi/commands.def"
};
static const struct field_row field_rows[] = {
#define FIELD(command, name, kind, unit, doc)                                  \
    {#command, #name, unit, doc, IMP_FIELD_##kind},
#include "abi/commands.def"
};

const struct command_row *
command_row(enum imp_command_id id)
{
    return (unsigned)id < IMP_CMD_COUNT ? &command_rows[id] : NULL;
}
const struct option_row *
option_row(enum imp_option_id id)
{
    return (unsigned)id < IMP_OPT_COUNT ? &option_rows[id] : NULL;
}
const struct field_row *
field_row(size_t i)
{
    return i < sizeof field_rows / sizeof field_rows[0] ? &field_rows[i] : NULL;
}

/* entries per item: VEC, SPIN, VECS; columns of a MAT */
static uint32_t
field_width(const struct field_row *f, uint32_t dim)
{
    uint32_t d = dim == 2 ? 2 : 3;
    switch (f->kind) {
    case IMP_FIELD_VEC:
    case IMP_FIELD_VECS:
        return d;
    case IMP_FIELD_SPIN:
        return d == 2 ? 1 : 3;
    case IMP_FIELD_MAT: /* twists: spin and velocity; joint impulses: force and
                           moment; S: tangent basis; others: record_sizes */
        if (!strncmp(f->name, "twists", 6) ||
            !strcmp(f->name, "joint_impulses"))
            return d == 2 ? 3 : 6;
        return d - 1;
    default:
        return 1;
    }
}

/* "1/s;m/s" of a screw: a unit per column, "1/s;m/s;m/s" in the plane */
static const char *
field_unit(struct check *ck, const struct field_row *f)
{
    const char *half = strchr(f->unit, ';');
    if (!half)
        return f->unit;
    int width = (int)field_width(f, ck->m->dim);
    int first = width == 6 ? 3 : strncmp(f->name, "twists", 6) ? 2 : 1;
    const char *s = "";
    for (int i = 0; i < width; i++) {
        const char *u = i < first ? f->unit : half + 1;
        int n = i < first ? (int)(half - f->unit) : (int)strlen(half + 1);
        s = arena_printf(ck->arena, "%s%s%.*s", s, i ? ";" : "", n, u);
    }
    return s;
}

/* The record of an impact at contacts of a system has fields of its own, and
 * lacks what is of bodies. */
static bool
of_impact(const char *name, bool system)
{
    static const char *const own[] = {"contacts", "coordinates", "rates",
                                      "map"};
    static const char *const both[] = {"time",
                                       "impulses",
                                       "normal_velocities_before",
                                       "normal_velocities_after",
                                       "energy_before",
                                       "energy_after",
                                       "energy_loss",
                                       "effective_mass",
                                       "law",
                                       "G",
                                       "determined",
                                       "warnings"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i]))
            return system;
    for (size_t i = 0; system && i < sizeof both / sizeof *both; i++)
        if (!strcmp(name, both[i]))
            return true;
    return !system;
}

/* text of a dimension that later lines will not settle any more */
static const char *
settled(struct check *ck, const struct dim *d, imp_range range)
{
    if (!dim_known(ck->dims, d))
        dim_unify(ck->dims, d, dim_pure(ck->dims), range);
    return dim_text(ck->dims, d);
}

/* units and widths of an impact at contacts of a system */
static void
system_impact(struct check *ck, struct tm_command *c)
{
    const struct tm_contact *k = &ck->contacts.v[c->args[0].ref];
    uint32_t number = k->system - 1;
    const struct tm_system *s = &ck->systems.v[number];
    const struct dim *second = dim_mks(ck->dims, 0, 0, 1);
    const struct dim *e = system_energy(ck, number);
    if (!k->gap_dim || !e)
        return;
    const struct dim *v = dim_div(ck->dims, k->gap_dim, second);
    const struct dim *p = dim_div(ck->dims, e, v);
    const char *rates = "";
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t q = s->first + i;
        const char *u = settled(
            ck, dim_div(ck->dims, ck->coordinate_dims.v[q], second), k->range);
        rates = i ? arena_printf(ck->arena, "%s;%s", rates, u) : u;
    }
    size_t n = 0;
    for (size_t i = 0; i < c->n_fields; i++) {
        struct tm_field *f = &c->fields[i];
        const char *name = f->name;
        if (!of_impact(name, true))
            continue;
        if (!strcmp(name, "impulses"))
            f->unit = settled(ck, p, k->range);
        else if (!strncmp(name, "normal", 6))
            f->unit = settled(ck, v, k->range);
        else if (!strncmp(name, "energy", 6))
            f->unit = settled(ck, e, k->range);
        else if (!strcmp(name, "effective_mass"))
            f->unit = settled(ck, dim_div(ck->dims, p, v), k->range);
        else if (!strcmp(name, "G"))
            f->unit = settled(ck, dim_div(ck->dims, v, p), k->range);
        else if (!strcmp(name, "rates"))
            f->unit = rates;
        if (!strcmp(name, "rates") || !strcmp(name, "map"))
            f->width = s->n;
        c->fields[n++] = *f;
    }
    c->n_fields = n;
}

void
record_schema(struct check *ck, uint32_t command)
{
    struct tm_command *c = &ck->commands.v[command];
    const char *name = command_rows[c->id].name;
    const struct field_row *f;
    size_t n = 0;
    for (size_t i = 0; (f = field_row(i)); i++)
        n += !strcmp(f->command, name);
    c->fields = NEW_N(ck->arena, struct tm_field, n + 1);
    c->n_fields = 0;
    for (size_t i = 0; (f = field_row(i)); i++)
        if (!strcmp(f->command, name))
            c->fields[c->n_fields++] =
                (struct tm_field){.name = f->name,
                                  .unit = field_unit(ck, f),
                                  .doc = f->doc,
                                  .kind = f->kind,
                                  .width = field_width(f, ck->m->dim)};
}

/* does the command ask about contacts, which may be those of a system? */
static bool
names_contacts_of_system(enum imp_command_id id)
{
    return command_rows[id].args == ARGS_CONTACTS &&
           imp_command_has(id, IMP_TRAIT_CONTACTS_OF_SYSTEM);
}

static void
impact_fields(struct check *ck, struct tm_command *c)
{
    size_t n = 0;
    if (c->n_args && ck->contacts.v[c->args[0].ref].system) {
        system_impact(ck, c);
        return;
    }
    for (size_t i = 0; i < c->n_fields; i++)
        if (of_impact(c->fields[i].name, false))
            c->fields[n++] = c->fields[i];
    c->n_fields = n;
}

void
record_sizes(struct check *ck, uint32_t command, size_t n_contacts)
{
    if (names_contacts_of_system(ck->commands.v[command].id))
        impact_fields(ck, &ck->commands.v[command]);
    static const char *const square[] = {"G", "null_space", "impulses",
                                         "normal_velocities_after",
                                         "kinetic_angles"};
    struct tm_command *c = &ck->commands.v[command];
    if (imp_command_has(c->id, IMP_TRAIT_COLUMN_PER_COORDINATE) && c->n_args) {
        /* columns are coordinates, but for the parts of a sum */
        uint32_t n = ck->systems.v[c->args[0].ref].n;
        for (size_t i = 0; i < c->n_fields; i++)
            if (c->fields[i].kind == IMP_FIELD_MAT)
                c->fields[i].width =
                    strcmp(c->fields[i].name, "parts") &&
                            strcmp(c->fields[i].name, "weights")
                        ? n
                        : 3;
    }
    if (!imp_command_has(c->id, IMP_TRAIT_COLUMN_PER_CONTACT))
        return;
    for (size_t i = 0; i < c->n_fields; i++)
        for (size_t k = 0; k < sizeof square / sizeof square[0]; k++)
            if (c->fields[i].kind == IMP_FIELD_MAT &&
                !strcmp(c->fields[i].name, square[k]))
                c->fields[i].width = (uint32_t)n_contacts;
}

void
record_column(struct check *ck, uint32_t command, const struct tm_val *col,
              uint32_t width)
{
    struct tm_command *c = &ck->commands.v[command];
    struct tm_field *f = NEW_N(ck->arena, struct tm_field, c->n_fields + 1);
    memcpy(f, c->fields, c->n_fields * sizeof *f);
    uint32_t column = 1;
    for (size_t i = 0; i < c->n_fields; i++)
        column += f[i].column != 0;
    f[c->n_fields] = (struct tm_field){
        .name = col->name,
        .unit = col->unit,
        .doc = arena_printf(ck->arena, "recorded: %s", col->label),
        .kind = width > 1 ? IMP_FIELD_VECS : IMP_FIELD_LIST,
        .column = column,
        .width = width};
    c->fields = f;
    c->n_fields++;
}

/* -- slots ---------------------------------------------------------------- */

static const expr *
slot(struct check *ck, enum imp_slot_kind kind, uint32_t command,
     uint32_t field, int32_t index, const char *text, imp_range range)
{
    for (size_t i = 0; i < ck->slots.n; i++) {
        const struct tm_slot *s = &ck->slots.v[i];
        if (s->kind == kind && s->command == command && s->field == field &&
            s->index == index &&
            (text ? s->text && !strcmp(text, s->text) : !s->text))
            return ex_sym(ck->g, SYM_SLOT, (uint32_t)i, 0);
    }
    uint32_t n = (uint32_t)ck->slots.n;
    APUSH(ck, &ck->slots,
          (struct tm_slot){kind, command, field, index, text, range});
    return ex_sym(ck->g, SYM_SLOT, n, 0);
}

/* dimension of a field's entry; "s^k" in a unit: k is the entry's index, any
 * dimension where it is not known (UINT32_MAX) */
const struct dim *
field_dim(struct check *ck, const struct tm_command *c,
          const struct tm_field *f, uint32_t index, imp_range range)
{
    char text[64];
    struct unit u;
    const char *k = strstr(f->unit, "^k");
    if (!strncmp(f->name, "twists", 6) && f->width)
        return index != UINT32_MAX &&
                       index % f->width < (f->width == 3 ? 1u : 3u)
                   ? dim_mks(ck->dims, 0, 0, -1)
                   : dim_mks(ck->dims, 1, 0, -1);
    if (!strcmp(f->name, "joint_impulses") && f->width)
        return index != UINT32_MAX &&
                       index % f->width < (f->width == 3 ? 2u : 3u)
                   ? dim_mks(ck->dims, 1, 1, -1)
                   : dim_mks(ck->dims, 2, 1, -1);
    if (f->column) {
        const struct record *r = &ck->records.v[c - ck->commands.v];
        if (r->dims && r->dims[f->column - 1].own && index != UINT32_MAX)
            return r->dims[f->column - 1].own[index % f->width];
        if (r->dims)
            return r->dims[f->column - 1].all;
    }
    if (!strcmp(f->unit, "param")) {
        const struct dim *d = threshold_dim(ck, c);
        return d ? d : dim_fresh(ck->dims, range);
    }
    if (k) {
        if (index == UINT32_MAX)
            return dim_fresh(ck->dims, range);
        snprintf(text, sizeof text, "%.*s^%u%s", (int)(k - f->unit), f->unit,
                 index, k + 2);
    } else {
        snprintf(text, sizeof text, "%s", f->unit);
    }
    if (!unit_of_text(ck->dims, text, &u))
        return dim_fresh(ck->dims, range);
    return u.dim;
}

bool
record_has(const struct check *ck, uint32_t command, const char *name)
{
    const struct tm_command *c = &ck->commands.v[command];
    for (uint32_t i = 0; i < c->n_fields; i++)
        if (!strcmp(c->fields[i].name, name))
            return true;
    return false;
}

struct value
result_field(struct check *ck, uint32_t command, const char *name,
             imp_range name_range, imp_range range)
{
    const struct tm_command *c = &ck->commands.v[command];
    uint32_t i = 0;
    while (i < c->n_fields && strcmp(c->fields[i].name, name))
        i++;
    if (i == c->n_fields) {
        const char **names = NEW_N(ck->arena, const char *, c->n_fields + 1);
        for (size_t k = 0; k < c->n_fields; k++)
            names[k] = c->fields[k].name;
        struct diag *d = ck_error(ck, DIAG_E0408, name_range,
                                  "the record of `%s` has no field `%s`",
                                  command_rows[c->id].name, name);
        if (!ck_suggest(ck, d, name_range, name, names, c->n_fields)) {
            if (c->n_fields)
                CK_HELP(ck, d, "its fields are %s",
                        ck_join(ck, names, c->n_fields, "and"));
            else
                CK_HELP(ck, d, "this command gives no record");
        }
        return v_poison(range);
    }
    const struct tm_field *f = &c->fields[i];
    struct value v = {
        .kind = V_FIELD, .ref = command, .field = i, .range = range};
    if (f->kind == IMP_FIELD_NUM || f->kind == IMP_FIELD_VEC ||
        f->kind == IMP_FIELD_SPIN) {
        uint32_t n = f->width ? f->width : 1;
        v = v_array(ck, n, 1, field_dim(ck, c, f, UINT32_MAX, range), range);
        for (uint32_t k = 0; k < n; k++)
            v.e[k] =
                slot(ck, IMP_SLOT_NUM, command, i, (int32_t)k, NULL, range);
    } else if (f->kind == IMP_FIELD_BOOL) {
        v = v_truth(ck, slot(ck, IMP_SLOT_NUM, command, i, 0, NULL, range),
                    range);
    }
    return v;
}

static bool
whole_number(struct check *ck, const struct env *env, const struct ast_expr *e,
             int32_t *i)
{
    double x;
    struct value v = ck_expr(ck, env, e);
    if (!v_need_scalar(ck, &v, e, dim_pure(ck->dims), "an index"))
        return false;
    if (!ck_fixed(ck, v.e[0], &x) || x != floor(x) || fabs(x) > 1e8) {
        ck_error(ck, DIAG_E0212, e->range,
                 "an index is a whole number made of literals and params");
        return false;
    }
    *i = (int32_t)x;
    return true;
}

/* row i of a matrix, an entry of a list of vectors: w numbers */
static struct value
row_of(struct check *ck, const struct value *v, const struct tm_command *c,
       const struct tm_field *f, int32_t i, uint32_t w, imp_range range)
{
    bool mat = f->kind == IMP_FIELD_MAT;
    bool own = w > 1 && (mat || (f->column && f->width > 1));
    struct value r = v_array(
        ck, w, 1,
        field_dim(ck, c, f, i < 0 || own ? UINT32_MAX : (uint32_t)i, range),
        range);
    r.dims = own ? NEW_N(ck->arena, const struct dim *, w) : NULL;
    for (uint32_t k = 0; k < w; k++) {
        r.e[k] = slot(ck, mat ? IMP_SLOT_NUM : IMP_SLOT_ITEM, v->ref, v->field,
                      i * (int32_t)w + (int32_t)k, NULL, range);
        if (own)
            r.dims[k] = field_dim(ck, c, f, k, range);
    }
    return mx_done(ck, r);
}

struct value
field_index(struct check *ck, const struct env *env, const struct value *v,
            const struct ast_expr *e)
{
    const struct tm_command *c = &ck->commands.v[v->ref];
    const struct tm_field *f = &c->fields[v->field];
    int32_t i = 0, j = 0;
    bool mat = f->kind == IMP_FIELD_MAT;
    bool row = mat && e->n_list == 1;
    if (f->kind == IMP_FIELD_TEXT || (e->n_list != (mat ? 2u : 1u) && !row)) {
        ck_error(ck, DIAG_E0212, e->range,
                 mat ? "a matrix has two indices, M[0, 1], or one for a row"
                 : f->kind == IMP_FIELD_TEXT ? "a text has no entries"
                                             : "a list has one index: r[0]");
        return v_poison(e->range);
    }
    if (!whole_number(ck, env, e->list[0], &i) ||
        (mat && !row && !whole_number(ck, env, e->list[1], &j)))
        return v_poison(e->range);
    if (mat) {
        if (i < 0 || j < 0 || j >= (int32_t)f->width) {
            ck_error(ck, DIAG_E0212, e->range,
                     "this matrix has rows from 0 and columns 0 .. %u",
                     f->width - 1);
            return v_poison(e->range);
        }
        if (row)
            return row_of(ck, v, c, f, i, f->width, e->range);
        int32_t k = i * (int32_t)f->width + j;
        return v_num(
            ck, slot(ck, IMP_SLOT_NUM, v->ref, v->field, k, NULL, e->range),
            field_dim(ck, c, f, (uint32_t)k, e->range), e->range);
    }
    if (f->kind == IMP_FIELD_TEXTS) {
        /* an entry: a text that comparisons understand */
        struct value r = *v;
        r.range = e->range;
        r.rows = 1;
        r.cols = (uint32_t)i;
        return r;
    }
    return row_of(ck, v, c, f, i, f->kind == IMP_FIELD_VECS ? f->width : 1,
                  e->range);
}

bool
field_reduce(struct check *ck, const char *op, const struct value *v,
             imp_range range, struct value *out)
{
    const struct tm_command *c = &ck->commands.v[v->ref];
    const struct tm_field *f = &c->fields[v->field];
    static const struct {
        const char *op;
        enum imp_slot_kind kind;
    } ops[] = {{"min", IMP_SLOT_MIN},
               {"max", IMP_SLOT_MAX},
               {"sum", IMP_SLOT_SUM},
               {"length", IMP_SLOT_LENGTH}};
    for (int i = 0; i < 4; i++) {
        if (strcmp(ops[i].op, op))
            continue;
        bool list = f->kind == IMP_FIELD_LIST;
        bool any = list || ((f->kind == IMP_FIELD_TEXTS && !v->rows) ||
                            f->kind == IMP_FIELD_VECS);
        if (i == 3 ? !any : !list)
            return false;
        *out =
            v_num(ck, slot(ck, ops[i].kind, v->ref, v->field, 0, NULL, range),
                  i == 3 ? dim_pure(ck->dims)
                         : field_dim(ck, c, f, UINT32_MAX, range),
                  range);
        return true;
    }
    return false;
}

struct value
field_compare(struct check *ck, const struct ast_expr *at,
              const struct value *v, const struct value *text)
{
    const struct tm_field *f = &ck->commands.v[v->ref].fields[v->field];
    bool item = f->kind == IMP_FIELD_TEXTS && v->rows;
    if ((f->kind != IMP_FIELD_TEXT && !item) || text->kind != V_TEXT ||
        v->kind != V_FIELD) {
        struct diag *d = ck_error(ck, DIAG_E0412, at->range,
                                  "a text of a result is compared with a "
                                  "text that is written out");
        CK_HELP(ck, d, "as in r.class == \"C00\"");
        return v_poison(at->range);
    }
    if (at->op != AST_EQ && at->op != AST_NE) {
        struct diag *d = ck_error(ck, DIAG_E0412, at->op_range,
                                  "texts are equal or not; they have no order");
        CK_HELP(ck, d, "use == or !=");
        return v_poison(at->range);
    }
    const expr *e =
        slot(ck, item ? IMP_SLOT_TEXTITEMEQ : IMP_SLOT_TEXTEQ, v->ref, v->field,
             item ? (int32_t)v->cols : 0, text->text, at->range);
    if (at->op == AST_NE)
        e = ex_op(ck->g, IMP_OP_NOT, e, NULL, NULL);
    return v_truth(ck, e, at->range);
}

bool
record_find(struct check *ck, const struct tm_val *v, uint32_t *command,
            uint32_t *field)
{
    for (uint32_t k = ck->now; k-- > 0;) {
        const struct record *r = &ck->records.v[k];
        const struct tm_command *cmd = &ck->commands.v[k];
        if (!imp_command_has(cmd->id, IMP_TRAIT_RECORDS_MOTION) || cmd->inner)
            continue;
        /* of an earlier turn only the texts are left */
        for (uint32_t f = 0; cmd->done && f < cmd->n_fields; f++)
            if (cmd->fields[f].column && v->label &&
                !strncmp(cmd->fields[f].doc, "recorded: ", 10) &&
                !strcmp(cmd->fields[f].doc + 10, v->label)) {
                *command = k;
                *field = f;
                return true;
            }
        for (size_t i = 0; i < r->n; i++) {
            const struct tm_val *c = &r->columns[i];
            bool same = c->rows == v->rows && c->cols == v->cols;
            for (uint32_t j = 0; same && j < c->rows * c->cols; j++)
                same = c->e[j] == v->e[j];
            if (!same)
                continue;
            for (uint32_t f = 0; f < cmd->n_fields; f++)
                if (cmd->fields[f].column == i + 1) {
                    *command = k;
                    *field = f;
                    return true;
                }
        }
        return false; /* the latest run counts */
    }
    return false;
}
