/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of commands: their fields by the command table, the columns that
 * `record` adds, and the column in which an expression was recorded. */
#include <string.h>

#include "check/quantities/quantities.h"

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

#define ANY                                                                    \
    {                                                                          \
        LIMIT_ANY, 0, 0                                                        \
    }
#define POSITIVE                                                               \
    {                                                                          \
        LIMIT_POSITIVE, 0, 0                                                   \
    }
#define SHARE                                                                  \
    {                                                                          \
        LIMIT_SHARE, 0, 1                                                      \
    }
#define WHOLE(from, to)                                                        \
    {                                                                          \
        LIMIT_WHOLE, from, to                                                  \
    }
static const struct option_row option_rows[] = {
#define OPTION(command, key, kind, limits, unit, dflt, doc)                    \
    {#command, #key, unit, dflt, doc, IMP_OPTK_##kind, limits},
#include "abi/commands.def"
};
#undef ANY
#undef POSITIVE
#undef SHARE
#undef WHOLE
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

bool
record_has(const struct check *ck, uint32_t command, const char *name)
{
    const struct tm_command *c = &ck->commands.v[command];
    for (uint32_t i = 0; i < c->n_fields; i++)
        if (!strcmp(c->fields[i].name, name))
            return true;
    return false;
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
