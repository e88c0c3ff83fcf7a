/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of commands: their fields by the command table, the columns that
 * `record` adds, and the column in which an expression was recorded. */
#include <assert.h>
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
#define FIELD(command, name, kind, of, unit, doc)                              \
    {#command, #name, unit, doc, IMP_FIELD_##kind, OF_##of},
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

/* Returns the number of entries per item of VEC, SPIN and VECS, or of columns
 * of a MAT. */
static uint32_t
field_width(const struct field_row *field, uint32_t dim)
{
    uint32_t axes = dim == 2 ? 2 : 3;
    switch (field->kind) {
    case IMP_FIELD_VEC:
    case IMP_FIELD_VECS:
        return axes;
    case IMP_FIELD_SPIN:
        return axes == 2 ? 1 : 3;
    case IMP_FIELD_MAT: /* Twists have spin and velocity, impulses of joints
                           force and moment. Points, normals and impulses
                           have an entry per axis, S the tangent basis. The
                           other matrices get their width from record_sizes. */
        if (!strncmp(field->name, "twists", 6) ||
            !strcmp(field->name, "joint_impulses"))
            return axes == 2 ? 3 : 6;
        return strcmp(field->name, "points") &&
                       strcmp(field->name, "normals") &&
                       strcmp(field->name, "impulse_vectors")
                   ? axes - 1
                   : axes;
    default:
        return 1;
    }
}

/* Makes the units of a screw, one per column: of "1/s;m/s" it makes
 * "1/s;m/s;m/s" in the plane. */
static const char *
field_unit(struct check *ck, const struct field_row *field)
{
    const char *half = strchr(field->unit, ';');
    if (!half)
        return field->unit;
    int width = (int)field_width(field, ck->m->dim);
    int first = width == 6 ? 3 : strncmp(field->name, "twists", 6) ? 2 : 1;
    const char *text = "";
    for (int i = 0; i < width; i++) {
        const char *u = i < first ? field->unit : half + 1;
        int n = i < first ? (int)(half - field->unit) : (int)strlen(half + 1);
        text = arena_printf(ck->arena, "%s%s%.*s", text, i ? ";" : "", n, u);
    }
    return text;
}

bool
contact_has_friction(const struct tm_contact *contact)
{
    assert(contact);
    const struct tm_num *mu[] = {&contact->mu, &contact->mu_static,
                                 &contact->mu_impact};
    for (int i = 0; i < 3; i++)
        if (mu[i]->e && !ex_is_num(mu[i]->e, 0))
            return true;
    return contact->own[0].e != NULL || contact->compliance.e != NULL;
}

/* Has one of the contacts that the command names friction, or another contact
 * of their system, or does the command name a law with a tangential impulse? */
static bool
names_friction(const struct check *ck, const struct tm_command *cmd)
{
    const struct tm_contact *all = ck->lists.contacts.v;
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].val.kind == IMP_VAL_LAW)
            return true;
    for (size_t i = 0; i < cmd->n_args; i++)
        for (size_t c = 0; c < ck->lists.contacts.n; c++) {
            const struct tm_contact *asked = &all[cmd->args[i].ref];
            bool there = &all[c] == asked ||
                         (asked->system && all[c].system == asked->system);
            if (there && (contact_has_friction(&all[c]) || all[c].sticks))
                return true;
        }
    return false;
}

/* Does the record have this field, where the contacts that the command names
 * are those of a system, or of bodies? */
static bool
is_field_of(const struct check *ck, const struct tm_command *cmd,
            const char *name, bool system)
{
    const struct field_row *field;
    for (size_t i = 0; (field = field_row(i)); i++)
        if (!strcmp(field->command, command_rows[cmd->id].name) &&
            !strcmp(field->name, name))
            return field->of == OF_FRICTION ||
                           (field->of == OF_BODIES_FRICTION && !system)
                       ? names_friction(ck, cmd)
                       : field->of == OF_ALL ||
                             (field->of == OF_SYSTEM) == system;
    return true;
}

/* Returns the text of a dimension which no later line can settle. */
static const char *
settled(struct check *ck, const struct dim *dim, imp_range range)
{
    if (!dim_known(ck->dims, dim))
        dim_unify(ck->dims, dim, dim_pure(ck->dims), range);
    return dim_text(ck->dims, dim);
}

/* The dimensions that quantities of a contact of a system have, beside the SI
 * units that the table of commands states for bodies. */
struct contact_dims {
    const struct dim *gap, *second, *energy;
};

/* What stands for an SI unit of the table; NULL: the unit stays. */
static const struct dim *
dim_in_system(struct check *ck, const struct contact_dims *of, const char *unit)
{
    struct dims *dims = ck->dims;
    const struct dim *rate = dim_div(dims, of->gap, of->second),
                     *force = dim_div(dims, of->energy, of->gap),
                     *acc = dim_div(dims, rate, of->second),
                     *mass = dim_div(dims, force, acc);
    const struct {
        const char *unit;
        const struct dim *dim;
    } row[] = {{"m", of->gap},
               {"m/s", rate},
               {"m/s^2", acc},
               {"N", force},
               {"N*s", dim_div(dims, of->energy, rate)},
               {"J", of->energy},
               {"kg", mass},
               {"1/kg", dim_div(dims, acc, force)},
               {"1/kg^2", dim_div(dims, dim_div(dims, acc, force), mass)}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].unit, unit))
            return row[i].dim;
    return NULL;
}

/* Sets units and widths in the record of a question at contacts of a system. */
static void
system_contact_fields(struct check *ck, struct tm_command *cmd)
{
    const struct tm_contact *contact = &ck->lists.contacts.v[cmd->args[0].ref];
    uint32_t number = contact->system - 1;
    const struct tm_system *system = &ck->lists.systems.v[number];
    const struct contact_dims of = {.gap = contact->gap_dim,
                                    .second = dim_mks(ck->dims, 0, 0, 1),
                                    .energy = system_energy(ck, number)};
    if (!of.gap || !of.energy)
        return;
    const char *rates = "";
    for (uint32_t i = 0; i < system->n; i++) {
        uint32_t q = system->first + i;
        const char *u = settled(
            ck, dim_div(ck->dims, ck->notes.coordinate_dims.v[q], of.second),
            contact->range);
        rates = i ? arena_printf(ck->arena, "%s;%s", rates, u) : u;
    }
    size_t count = 0;
    for (size_t i = 0; i < cmd->n_fields; i++) {
        struct tm_field *field = &cmd->fields[i];
        if (!is_field_of(ck, cmd, field->name, true))
            continue;
        const struct dim *dim = dim_in_system(ck, &of, field->unit);
        if (dim)
            field->unit = settled(ck, dim, contact->range);
        if (!strcmp(field->name, "rates"))
            field->unit = rates;
        if (!strcmp(field->name, "rates") || !strcmp(field->name, "map"))
            field->width = system->n;
        cmd->fields[count++] = *field;
    }
    cmd->n_fields = count;
}

void
record_schema(struct check *ck, uint32_t command)
{
    assert(ck);
    assert(command < ck->lists.commands.n);
    struct tm_command *cmd = &ck->lists.commands.v[command];
    const char *name = command_rows[cmd->id].name;
    const struct field_row *field;
    size_t count = 0;
    for (size_t i = 0; (field = field_row(i)); i++)
        count += !strcmp(field->command, name);
    cmd->fields = NEW_N(ck->arena, struct tm_field, count + 1);
    cmd->n_fields = 0;
    for (size_t i = 0; (field = field_row(i)); i++)
        if (!strcmp(field->command, name))
            cmd->fields[cmd->n_fields++] =
                (struct tm_field){.name = field->name,
                                  .unit = field_unit(ck, field),
                                  .doc = field->doc,
                                  .kind = field->kind,
                                  .width = field_width(field, ck->m->dim)};
}

/* Does the command ask about contacts? */
static bool
names_contacts(enum imp_command_id id)
{
    return command_rows[id].args == ARGS_CONTACTS ||
           command_rows[id].args == ARGS_CONTACT;
}

static void
impact_fields(struct check *ck, struct tm_command *cmd)
{
    size_t count = 0;
    if (cmd->n_args && ck->lists.contacts.v[cmd->args[0].ref].system) {
        system_contact_fields(ck, cmd);
        return;
    }
    for (size_t i = 0; i < cmd->n_fields; i++)
        if (is_field_of(ck, cmd, cmd->fields[i].name, false))
            cmd->fields[count++] = cmd->fields[i];
    cmd->n_fields = count;
}

void
record_sizes(struct check *ck, uint32_t command, size_t n_contacts)
{
    assert(ck);
    assert(command < ck->lists.commands.n);
    if (names_contacts(ck->lists.commands.v[command].id))
        impact_fields(ck, &ck->lists.commands.v[command]);
    static const char *const square[] = {"G",
                                         "null_space",
                                         "impulses",
                                         "normal_velocities_after",
                                         "friction_impulses",
                                         "slips_after",
                                         "friction_work",
                                         "kinetic_angles"};
    struct tm_command *cmd = &ck->lists.commands.v[command];
    if (imp_command_has(cmd->id, IMP_TRAIT_COLUMN_PER_COORDINATE) &&
        cmd->n_args) {
        /* The columns are coordinates, except in the fields that hold the parts
         * of a sum. */
        uint32_t count = ck->lists.systems.v[cmd->args[0].ref].n;
        for (size_t i = 0; i < cmd->n_fields; i++)
            if (cmd->fields[i].kind == IMP_FIELD_MAT)
                cmd->fields[i].width =
                    strcmp(cmd->fields[i].name, "parts") &&
                            strcmp(cmd->fields[i].name, "weights")
                        ? count
                        : 3;
    }
    if (!imp_command_has(cmd->id, IMP_TRAIT_COLUMN_PER_CONTACT))
        return;
    for (size_t i = 0; i < cmd->n_fields; i++)
        for (size_t k = 0; k < sizeof square / sizeof square[0]; k++)
            if (cmd->fields[i].kind == IMP_FIELD_MAT &&
                !strcmp(cmd->fields[i].name, square[k]))
                cmd->fields[i].width = (uint32_t)n_contacts;
}

void
record_column(struct check *ck, uint32_t command, const struct tm_val *col,
              const struct record_dim *dims, uint32_t width)
{
    assert(ck && col && dims);
    assert(command < ck->lists.commands.n);
    struct tm_command *cmd = &ck->lists.commands.v[command];
    struct tm_field *fields =
        NEW_N(ck->arena, struct tm_field, cmd->n_fields + 1);
    memcpy(fields, cmd->fields, cmd->n_fields * sizeof *fields);
    uint32_t column = 1;
    for (size_t i = 0; i < cmd->n_fields; i++)
        column += fields[i].column != 0;
    fields[cmd->n_fields] = (struct tm_field){
        .name = col->name,
        .unit = col->unit,
        .doc = arena_printf(ck->arena, "recorded: %s", col->label),
        .kind = col->kind == IMP_VAL_ALONG ? IMP_FIELD_NUM
                : width > 1                ? IMP_FIELD_VECS
                                           : IMP_FIELD_LIST,
        .column = column,
        .width = col->kind == IMP_VAL_ALONG ? 1 : width,
        .member = dims->of_each,
        .first = dims->first};
    cmd->fields = fields;
    cmd->n_fields++;
}

bool
record_has(const struct check *ck, uint32_t command, const char *name)
{
    assert(ck && name);
    assert(command < ck->lists.commands.n);
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    for (uint32_t i = 0; i < cmd->n_fields; i++)
        if (!strcmp(cmd->fields[i].name, name))
            return true;
    return false;
}

bool
record_find(struct check *ck, const struct tm_val *value, uint32_t *command,
            uint32_t *field)
{
    assert(ck && value && command && field);
    for (uint32_t earlier = ck->progress.command; earlier-- > 0;) {
        const struct record *record = &ck->notes.records.v[earlier];
        const struct tm_command *cmd = &ck->lists.commands.v[earlier];
        if (!imp_command_has(cmd->id, IMP_TRAIT_RECORDS_MOTION) || cmd->inner)
            continue;
        /* Of an earlier line of the prompt only the texts are left. */
        for (uint32_t f = 0; cmd->done && f < cmd->n_fields; f++)
            if (cmd->fields[f].column && value->label &&
                !strncmp(cmd->fields[f].doc, "recorded: ", 10) &&
                !strcmp(cmd->fields[f].doc + 10, value->label)) {
                *command = earlier;
                *field = f;
                return true;
            }
        for (size_t i = 0; i < record->n; i++) {
            const struct tm_val *c = &record->columns[i];
            bool same = c->rows == value->rows && c->cols == value->cols;
            for (uint32_t j = 0; same && j < c->rows * c->cols; j++)
                same = c->e[j] == value->e[j];
            if (!same)
                continue;
            for (uint32_t f = 0; f < cmd->n_fields; f++)
                if (cmd->fields[f].column == i + 1) {
                    *command = earlier;
                    *field = f;
                    return true;
                }
        }
        return false; /* Where several commands have recorded the expression,
                         the last one counts. */
    }
    return false;
}
