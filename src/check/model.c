/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_model: the order of the checker's work. Needs: parsed files. Gives: a
 * typed model, or diagnostics. The order matters in three places: params come
 * first (their dimensions are variables that every use may solve), shapes
 * before the rest of bodies (they decide between plane and space), units of
 * params and values last (when every use has been seen). */
#include <assert.h>
#include <string.h>

#include "check/check.h"
#include "check/check_priv.h"
#include "check/commands/commands.h"
#include "check/expressions/expressions.h"
#include "check/model/model.h"
#include "check/quantities/lists.h"

static void
check_start(struct check *ck, const struct check_input *in)
{
    memset(ck, 0, sizeof *ck);
    ck->in = in;
    ck->arena = in->arena;
    ck->ds = in->ds;
    ck->dims = dims_new(in->arena);
    ck->g = graph_new(in->arena);
    ck->m = NEW(in->arena, struct tm_model);
    ck->m->arena = in->arena;
    ck->m->graph = ck->g;
    ck->m->sources = in->sources;
    ck->m->name = in->model_name;
}

/* Writes the units that could not be known when the values were made. */
static void
write_units(struct check *ck)
{
    for (size_t i = 0; i < ck->notes.units.n; i++)
        *ck->notes.units.v[i].unit =
            ck->notes.units.v[i].dims
                ? matrix_units(ck, ck->notes.units.v[i].dims,
                               ck->notes.units.v[i].n)
                : dim_text(ck->dims, ck->notes.units.v[i].dim);
    for (size_t k = 0; k < ck->lists.commands.n; k++) {
        struct tm_command *cmd = &ck->lists.commands.v[k];
        const struct record *record = &ck->notes.records.v[k];
        for (size_t f = 0; f < cmd->n_fields && record->dims; f++)
            if (cmd->fields[f].column) {
                const struct record_dim *d =
                    &record->dims[cmd->fields[f].column - 1];
                cmd->fields[f].unit = d->own ? matrix_units(ck, d->own, d->n)
                                             : dim_text(ck->dims, d->all);
            }
        /* An argument may be a field of a record; it has that field's unit. */
        for (size_t i = 0; i < cmd->n_args; i++)
            if (cmd->args[i].kind == IMP_VAL_FIELD)
                cmd->args[i].unit = ck->lists.commands.v[cmd->args[i].ref]
                                        .fields[cmd->args[i].field]
                                        .unit;
        for (size_t i = 0; i < cmd->n_opts; i++)
            for (size_t j = 0; j < cmd->opts[i].val.n_items; j++) {
                struct tm_val *v = &cmd->opts[i].val.items[j];
                if (v->kind == IMP_VAL_FIELD)
                    v->unit =
                        ck->lists.commands.v[v->ref].fields[v->field].unit;
            }
    }
}

/* What a declaration reads may not be known yet where it stands, and then
 * nobody has said why it has no value. */
static void
tell_unexplained(struct check *ck)
{
    for (const struct module *module = ck->modules.first; module;
         module = module->next)
        for (const struct decl *decl = module->first; decl; decl = decl->next) {
            if (!decl->broken || ck->ds->errors > 0)
                continue;
            struct diag *diag =
                check_error(ck, DIAG_E0319, decl->range,
                            "what `%s` reads is not known where it is declared",
                            decl->name);
            CHECK_HELP(ck, diag, "use params, numbers and bodies there");
        }
}

struct tm_model *
check_model(const struct check_input *in)
{
    assert(in);
    struct check ck;
    check_start(&ck, in);
    struct tm_model *model = ck.m;

    scope_load(&ck);
    decl_params(&ck);
    check_data(&ck);
    decl_chains(&ck);
    decl_definitions(&ck, DECL_SHAPE);
    contacts_declare(&ck);
    rotors_declare(&ck);
    systems_declare(&ck);
    ck.progress.placed = true;
    check_bodies_begin(&ck);
    check_bodies_end(&ck);
    check_world(&ck);
    check_contacts(&ck);
    check_same_pairs(&ck);
    check_joints(&ck);
    check_rotors(&ck);
    check_all_contacts(&ck);
    ck.progress.joined = true;
    check_systems(&ck);
    check_commands(&ck);
    decl_lets(&ck);
    decl_definitions(&ck, DECL_FN);
    systems_done(&ck);
    decl_params_done(&ck);
    commands_late(&ck);
    commands_unread_keys(&ck);
    write_units(&ck);
    tell_unexplained(&ck);

    model->params = ck.lists.params.v;
    model->n_params = ck.lists.params.n;
    model->bodies = ck.lists.bodies.v;
    model->n_bodies = ck.lists.bodies.n;
    model->contacts = ck.lists.contacts.v;
    model->n_contacts = ck.lists.contacts.n;
    model->joints = ck.lists.joints.v;
    model->n_joints = ck.lists.joints.n;
    model->rotors = ck.lists.rotors.v;
    model->n_rotors = ck.lists.rotors.n;
    model->coordinates = ck.lists.coordinates.v;
    model->n_coordinates = ck.lists.coordinates.n;
    model->systems = ck.lists.systems.v;
    model->n_systems = ck.lists.systems.n;
    model->commands = ck.lists.commands.v;
    model->n_commands = ck.lists.commands.n;
    model->slots = ck.lists.slots.v;
    model->n_slots = ck.lists.slots.n;
    model->series = ck.lists.series.v;
    model->n_series = ck.lists.series.n;
    model->lists = ck.lists.lists.v;
    model->n_lists = ck.lists.lists.n;
    model->tables = ck.lists.tables.v;
    model->n_tables = ck.lists.tables.n;
    model->draws = ck.lists.draws.v;
    model->n_draws = ck.lists.draws.n;
    return in->ds->errors ? NULL : model;
}

void
check_rest(const struct check_input *in)
{
    assert(in);
    struct diags all;
    struct check_input rest = *in;
    diags_init(&all, in->arena, in->sources);
    rest.ds = &all;
    check_model(&rest);
    for (struct diag *diag = all.first, *next; diag; diag = next) {
        next = diag->next;
        if (!(diag->code >= DIAG_E0201 && diag->code <= DIAG_E0206) ||
            in->ds->errors >= in->ds->limit)
            continue;
        diag->next = NULL;
        if (in->ds->last)
            in->ds->last->next = diag;
        else
            in->ds->first = diag;
        in->ds->last = diag;
        in->ds->errors++;
    }
}

/* -- for doc.c ------------------------------------------------------------ */

void
check_scan(struct check *ck, const struct check_input *in)
{
    assert(ck && in);
    check_start(ck, in);
    ck->ds = NEW(in->arena, struct diags); /* Nobody asked for errors, so they
                                              go to a list that nobody reads. */
    diags_init(ck->ds, in->arena, in->sources);
    scope_load(ck);
    scope_libraries(ck);
}
