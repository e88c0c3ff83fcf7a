/* SPDX-License-Identifier: MIT */
/* The models of a sweep. Structural params are part of a compiled model, so
 * every combination of their values has a model of its own. A model is made
 * when the first of its runs is due and dropped after the last. All runs of one
 * model are visited one after another, so few models exist at one time. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/lists.h"
#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "base/num.h"

static bool
structural(const struct sweep *sweep, size_t k)
{
    const imp_image *im = sweep->analysis->rt->im;
    return IMP_ARRAY(im, im->params, imp_param)[sweep->grid.axis[k].param]
        .structural;
}

/* Returns the items of the option `record` of the sweep in this model. */
static const imp_val *
kept(const imp_image *im, const imp_command *sweep)
{
    const imp_opt *option = IMP_ARRAY(im, sweep->opts, imp_opt);
    for (uint32_t i = 0; i < sweep->opts.n; i++)
        if (option[i].id == IMP_OPT_sweep_record)
            return IMP_ARRAY(im, option[i].val.items, imp_val);
    return NULL;
}

/* -- the plan ---------------------------------------------------------------
 */

/* Gives the params of model g. */
static void
model_params(const struct sweep *sweep, size_t which, double *p)
{
    assert(which < sweep->models.n);
    uint64_t i = sweep_grid_visit(&sweep->grid, which * sweep->grid.per_model);
    memcpy(p, sweep->models.params,
           sweep->analysis->rt->im->params.n * sizeof *p);
    for (size_t k = 0; k < sweep->grid.n_axes; k++)
        if (sweep->grid.axis[k].structural)
            p[sweep->grid.axis[k].param] = sweep_grid_value(&sweep->grid, k, i);
}

/* Is model g the model that runs the sweep? */
static bool
is_base(const struct sweep *sweep, size_t which)
{
    assert(which < sweep->models.n);
    const imp_image *im = sweep->analysis->rt->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    for (size_t k = 0; k < sweep->grid.n_axes; k++)
        if (sweep->grid.axis[k].structural &&
            sweep->models.model[which].params[sweep->grid.axis[k].param] !=
                param[sweep->grid.axis[k].param].dflt)
            return false;
    return true;
}

/* Makes the diagnostic of a program that cannot compile the model g. */
static int
fixed(struct sweep *sweep, const struct sweep_axis *axis, size_t which)
{
    struct analysis *analysis = sweep->analysis;
    const imp_image *im = analysis->rt->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param) + axis->param;
    char was[NUM_TEXT], now[NUM_TEXT];
    const char *name = imp_text(im, param->name);
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0830, axis->range,
        "param `%s` is structural: this program was compiled for %s = %s, and "
        "a sweep over it needs %s = %s, too",
        name, name, num_shortest(was, param->dflt), name,
        num_shortest(now, sweep->models.model[which].params[axis->param]));
    diag_note(analysis->ds, diag, param->range, "the param");
    diag_help(analysis->ds, diag,
              "`imp run` compiles the model once per value");
    return IMP_BADMODEL;
}

int
sweep_models_plan(struct sweep *sweep)
{
    assert(sweep);
    struct arena *arena = sweep->analysis->rt->arena;
    /* the run's image may be one of its own (runtime/instance/contact_table.h)
     */
    const imp_image *im = sweep->analysis->rt->im,
                    *model_image = sweep->analysis->rt->model;
    const imp_command *was = IMP_ARRAY(im, im->commands, imp_command),
                      *own = IMP_ARRAY(model_image, model_image->commands,
                                       imp_command);
    sweep->models.n = 1;
    for (size_t k = 0; k < sweep->grid.n_axes; k++) {
        sweep->grid.axis[k].structural = structural(sweep, k);
        if (sweep->grid.axis[k].structural)
            sweep->models.n *= sweep->grid.axis[k].n;
    }
    sweep->grid.per_model = sweep->grid.total / sweep->models.n;
    sweep->models.model = NEW_N(arena, struct sweep_model, sweep->models.n);
    for (size_t which = 0; which < sweep->models.n; which++) {
        struct sweep_model *model = &sweep->models.model[which];
        model->params = NEW_N(arena, double, im->params.n + 1);
        model_params(sweep, which, model->params);
        if (is_base(sweep, which))
            *model = (struct sweep_model){
                .params = model->params,
                .im = model_image,
                .code = sweep->analysis->rt->code,
                .tier = sweep->analysis->rt->tier,
                .question = own + (sweep->question - was),
                .kept = kept(model_image, own + (sweep->command - was)),
                .made = true};
        else if (!sweep->analysis->sweeps.maker)
            for (size_t k = 0; k < sweep->grid.n_axes; k++)
                if (sweep->grid.axis[k].structural &&
                    model->params[sweep->grid.axis[k].param] !=
                        IMP_ARRAY(im, im->params,
                                  imp_param)[sweep->grid.axis[k].param]
                            .dflt)
                    return fixed(sweep, &sweep->grid.axis[k], which);
    }
    return IMP_OK;
}

void
sweep_models_count(struct sweep *sweep)
{
    for (size_t which = 0; which < sweep->models.n && !sweep->resumed; which++)
        sweep->models.model[which].left = sweep->grid.per_model;
    for (uint64_t v = 0; v < sweep->grid.total && sweep->resumed; v++)
        sweep->models.model[v / sweep->grid.per_model].left +=
            !sweep_run_done(sweep, sweep_grid_visit(&sweep->grid, v));
}

/* -- while threads run ------------------------------------------------------
 */

/* Does a question or its sweep read this field of an earlier record? */
struct reading {
    const imp_image *im;
    uint32_t command, field;
    bool found;
};

static void
see_field(void *ctx, uint32_t command, uint32_t field)
{
    struct reading *reading = ctx;
    reading->found |= command == reading->command && field == reading->field;
}

static void
list_read(struct reading *reading, uint32_t number)
{
    const imp_slot all = {.kind = IMP_SLOT_LIST, .command = number};
    slot_reads(reading->im, &all, see_field, reading);
}

static void
value_read(struct reading *reading, const imp_val *value)
{
    const imp_image *im = reading->im;
    const imp_val *item = IMP_ARRAY(im, value->items, imp_val);
    const uint32_t *slot = IMP_ARRAY(im, value->slots, uint32_t);
    const imp_cell *cell = IMP_ARRAY(im, value->cells, imp_cell);
    if (value->kind == IMP_VAL_FIELD)
        see_field(reading, value->ref, value->field);
    for (uint32_t i = 0; i < value->slots.n; i++)
        slot_reads(im, IMP_ARRAY(im, im->slots, imp_slot) + slot[i], see_field,
                   reading);
    for (uint32_t i = 0; i < value->cells.n; i++)
        list_read(reading, cell[i].list);
    if (value->kind == IMP_VAL_COLUMN)
        list_read(reading, value->ref);
    for (uint32_t i = 0; i < value->items.n; i++)
        value_read(reading, &item[i]);
}

static void
command_read(struct reading *reading, const imp_command *command)
{
    const imp_val *arg = IMP_ARRAY(reading->im, command->args, imp_val);
    const imp_opt *option = IMP_ARRAY(reading->im, command->opts, imp_opt);
    for (uint32_t i = 0; i < command->args.n; i++)
        value_read(reading, &arg[i]);
    for (uint32_t i = 0; i < command->opts.n; i++)
        value_read(reading, &option[i].val);
}

/* Must this field of command `c` be as long in the new model? A sweep keeps
 * columns of its own, and fields of its question, as its first model has them;
 * records of earlier commands are those of that model, too. What of these
 * nobody reads may be what it likes, as the places of a family whose number of
 * members varies. */
static bool
is_shared(const struct sweep *sweep, const imp_image *im, uint32_t c,
          uint32_t field)
{
    const imp_image *base = sweep->analysis->rt->im;
    const imp_command *was = IMP_ARRAY(base, base->commands, imp_command),
                      *now = IMP_ARRAY(im, im->commands, imp_command);
    uint32_t own = (uint32_t)(sweep->command - was);
    uint32_t question = (uint32_t)(sweep->question - was);
    const imp_val *items = kept(im, now + own);
    if (c == own || (c == question && !items))
        return true;
    if (c != question && c > own)
        return false;
    struct reading reading = {im, c, field, false};
    if (c != question) {
        command_read(&reading, now + question);
        command_read(&reading, now + own);
        return reading.found;
    }
    const imp_opt *option = IMP_ARRAY(im, now[own].opts, imp_opt);
    for (uint32_t i = 0; i < now[own].opts.n; i++)
        for (uint32_t k = 0;
             option[i].id == IMP_OPT_sweep_record && k < option[i].val.items.n;
             k++)
            if (items[k].kind == IMP_VAL_FIELD)
                see_field(&reading, c, items[k].field);
    return reading.found;
}

/* Why the new model does not answer the same question, or NULL. Records of
 * earlier commands and the fields that are kept are known by their numbers, so
 * commands, fields and params must be the same. */
static const char *
differs(const struct sweep *sweep, const imp_image *im)
{
    const imp_image *base = sweep->analysis->rt->im;
    const imp_command *x = IMP_ARRAY(base, base->commands, imp_command),
                      *y = IMP_ARRAY(im, im->commands, imp_command);
    if (im->commands.n != base->commands.n || im->params.n != base->params.n)
        return "the model made for it has other commands or params";
    for (uint32_t c = 0; c < base->commands.n; c++) {
        const imp_field *field = IMP_ARRAY(base, x[c].fields, imp_field),
                        *h = IMP_ARRAY(im, y[c].fields, imp_field);
        if (x[c].id != y[c].id || x[c].fields.n != y[c].fields.n)
            return "the model made for it asks other questions";
        for (uint32_t i = 0; i < x[c].fields.n; i++)
            if ((field[i].kind != h[i].kind ||
                 (field[i].width != h[i].width &&
                  field[i].kind != IMP_FIELD_MAT)) &&
                is_shared(sweep, im, c, i))
                return arena_printf(
                    sweep->analysis->rt->arena,
                    "`%s` has %u entries here and %u in the model that asks",
                    imp_text(base, field[i].name), h[i].width, field[i].width);
    }
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    for (size_t k = 0; k < sweep->grid.n_axes; k++)
        if (!sweep->grid.axis[k].structural &&
            param[sweep->grid.axis[k].param].structural)
            return arena_printf(
                sweep->analysis->rt->arena,
                "`%s` is structural here, and a number in the "
                "model that asks",
                imp_text(im, param[sweep->grid.axis[k].param].name));
    return NULL;
}

static void
make(struct sweep *sweep, struct sweep_model *model)
{
    const struct model_maker *k = sweep->analysis->sweeps.maker;
    model->made = true;
    model->why =
        k->make(k->ctx, model->params, sweep->analysis->rt->arena, &model->own);
    if (model->why)
        return;
    if ((model->why = differs(sweep, model->own.image))) {
        k->drop(k->ctx, &model->own);
        return;
    }
    const imp_image *im = model->own.image;
    model->im = im;
    model->code = model->own.code;
    model->tier = model->own.tier;
    const imp_image *base = sweep->analysis->rt->im;
    const imp_command *was = IMP_ARRAY(base, base->commands, imp_command),
                      *now = IMP_ARRAY(im, im->commands, imp_command);
    model->question = now + (sweep->question - was);
    model->kept = kept(im, now + (sweep->command - was));
}

static void
drop(struct sweep *sweep, struct sweep_model *model)
{
    if (model->own.owner)
        sweep->analysis->sweeps.maker->drop(sweep->analysis->sweeps.maker->ctx,
                                            &model->own);
    model->im = NULL;
}

struct sweep_model *
sweep_model_take(struct sweep *sweep, uint64_t v)
{
    assert(v < sweep->grid.total);
    struct sweep_model *model = &sweep->models.model[v / sweep->grid.per_model];
    struct oom_guard guard;
    pthread_mutex_lock(&sweep->models.lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&sweep->models.lock);
        oom_raise();
    }
    oom_enter(&guard);
    if (!model->made)
        make(sweep, model);
    model->users++;
    oom_leave(&guard);
    pthread_mutex_unlock(&sweep->models.lock);
    return model;
}

void
sweep_model_leave(struct sweep *sweep, struct sweep_model *model, uint64_t done)
{
    assert(model->users > 0 && done <= model->left);
    pthread_mutex_lock(&sweep->models.lock);
    model->users--;
    model->left -= done;
    if (!model->users && !model->left)
        drop(sweep, model);
    pthread_mutex_unlock(&sweep->models.lock);
}

void
sweep_models_free(struct sweep *sweep)
{
    for (size_t which = 0; sweep->models.model && which < sweep->models.n;
         which++)
        drop(sweep, &sweep->models.model[which]);
    sweep->models.n = 0;
}
