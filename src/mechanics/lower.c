/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lowering: what a model asks of its bodies (one.velocity, energy ...) becomes
 * expressions of the state, and the commands' values become tapes and records
 * of the image. */
#include <stdlib.h>

#include "mechanics/mech_priv.h"

/* -- quantities of a body ----------------------------------------------------
 */

const expr *
body_kinetic(struct mech *mech, const struct mbody *body)
{
    struct graph *graph = mech->graph;
    const expr *lin =
        sc_mul(graph, body->mass, v3_dot(graph, body->v, body->v));
    const expr *rot = m3_form(graph, body->w_body, body->J, body->w_body);
    return sc_mul(graph, ex_num(graph, 0.5), sc_add(graph, lin, rot));
}

const expr *
body_potential(struct mech *mech, const struct mbody *body)
{
    return sc_neg(mech->graph,
                  sc_mul(mech->graph, body->mass,
                         v3_dot(mech->graph, mech->gravity, body->pose.c)));
}

vec3
body_momentum(struct mech *mech, const struct mbody *body)
{
    return v3_scale(mech->graph, body->mass, body->v);
}

/* about the world's origin: c x m v + R J w_body */
vec3
body_angular(struct mech *mech, const struct mbody *body)
{
    struct graph *graph = mech->graph;
    vec3 orbit = v3_cross(graph, body->pose.c, body_momentum(mech, body));
    vec3 own = m3_apply(graph, body->J, body->w_body);
    if (mech->dim == 3)
        own = m3_apply(graph, body->pose.R, own);
    return v3_add(graph, orbit, own);
}

static const expr *
vec_entry(struct mech *mech, vec3 v, uint32_t entry)
{
    return entry < 3 ? v.v[entry] : sc_zero(mech->graph);
}

/* spins and angular momenta are scalars in the plane */
static const expr *
spin_entry(struct mech *mech, vec3 v, uint32_t entry)
{
    return mech->dim == 2 ? v.v[2] : vec_entry(mech, v, entry);
}

static const expr *
angle_of(struct mech *mech, const struct mbody *body)
{
    struct graph *graph = mech->graph;
    if (mech->dim == 2)
        return body->angle;
    /* angle of rotation, 0 to 2 pi */
    vec3 im = v3(body->pose.q.q[1], body->pose.q.q[2], body->pose.q.q[3]);
    return sc_mul(graph, ex_num(graph, 2.0),
                  ex_op(graph, IMP_OP_ATAN2, v3_norm(graph, im),
                        body->pose.q.q[0], NULL));
}

static const expr *
body_quantity(struct mech *mech, const struct mbody *body, uint32_t quantity,
              uint32_t entry)
{
    struct graph *graph = mech->graph;
    uint32_t first = body->env_body;
    switch ((enum body_quantity)quantity) {
    case BODYQ_POSITION:
        return vec_entry(mech, body->pose.c, entry);
    case BODYQ_VELOCITY:
        return vec_entry(mech, body->v, entry);
    case BODYQ_SPIN:
        return spin_entry(mech, body->w, entry);
    case BODYQ_ANGLE:
        return angle_of(mech, body);
    case BODYQ_ENERGY:
        return sc_add(graph, body_kinetic(mech, body),
                      body_potential(mech, body));
    case BODYQ_MOMENTUM:
        return vec_entry(mech, body_momentum(mech, body), entry);
    case BODYQ_ANGULAR_MOMENTUM:
        return spin_entry(mech, body_angular(mech, body), entry);
    case BODYQ_MASS:
        return sym_env(mech, first + IMP_BODY_MASS);
    case BODYQ_VOLUME:
        return sym_env(mech, first + IMP_BODY_VOLUME);
    case BODYQ_INERTIA:
        return sym_env(mech, first + IMP_BODY_INERTIA + entry);
    case BODYQ_CENTRE:
        return sym_env(mech, first + IMP_BODY_CENTRE + entry);
    case BODYQ_QUATERNION:
        return mech->dim == 3 && entry < 4 ? body->pose.q.q[entry]
                                           : sc_zero(graph);
    case BODYQ_AXES:
        return body->pose.R.m[entry / mech->dim][entry % mech->dim];
    case BODYQ_BODY_VELOCITY:
        return vec_entry(mech, m3_apply_t(graph, body->pose.R, body->v), entry);
    case BODYQ_BODY_SPIN:
        return spin_entry(mech, body->w_body, entry);
    case BODYQ_BODY_MOMENTUM:
        return vec_entry(
            mech, m3_apply_t(graph, body->pose.R, body_momentum(mech, body)),
            entry);
    case BODYQ_BODY_ANGULAR_MOMENTUM:
        return spin_entry(mech, m3_apply(graph, body->J, body->w_body), entry);
    }
    abort();
}

static const expr *
total_quantity(struct mech *mech, uint32_t what)
{
    struct graph *graph = mech->graph;
    const expr *sum = sc_zero(graph);
    for (size_t i = 0; i < mech->model->n_bodies; i++) {
        const struct mbody *body = mech->bodies + i;
        if (what != TOTAL_POTENTIAL)
            sum = sc_add(graph, sum, body_kinetic(mech, body));
        if (what != TOTAL_KINETIC)
            sum = sc_add(graph, sum, body_potential(mech, body));
    }
    for (size_t i = 0; i < mech->model->n_systems; i++) {
        if (what != TOTAL_POTENTIAL)
            sum = sc_add(graph, sum, mech->systems[i].kinetic);
        if (what != TOTAL_KINETIC)
            sum = sc_add(graph, sum, mech->systems[i].potential);
    }
    return sum;
}

const expr *
lower_leaf(void *ctx, const expr *leaf)
{
    struct mech *mech = ctx;
    if (leaf->sym == SYM_BODY)
        return body_quantity(mech, mech->bodies + leaf->i,
                             leaf->j / BODYQ_STRIDE, leaf->j % BODYQ_STRIDE);
    if (leaf->sym == SYM_TOTAL)
        return total_quantity(mech, leaf->i);
    return system_leaf(mech, leaf);
}

/* replaces SYM_BODY and SYM_TOTAL by expressions of the state */
static const expr *
lower_expr(struct mech *mech, const expr *e)
{
    return ex_subst(mech->graph, e, lower_leaf, mech);
}

/* -- values -------------------------------------------------------------------
 */

/* which contacts (gap, points) and slots a tape reads, each once, in order */
struct reads {
    struct mech *mech;
    bool *contact, *slot;
};

static void
note_read(void *ctx, const expr *leaf)
{
    struct reads *r = ctx;
    if (leaf->sym == SYM_CONTACT && leaf->j < IMP_CONTACT_E)
        r->contact[leaf->i] = true;
    if (leaf->sym == SYM_SLOT)
        r->slot[leaf->i] = true;
}

static imp_ref
set_bits(struct mech *mech, const bool *bits, size_t n)
{
    uint32_t *v = NEW_N(mech->arena, uint32_t, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (bits[i])
            v[m++] = (uint32_t)i;
    return image_array(mech->image, v, m, sizeof *v);
}

static imp_str
text_or_empty(struct mech *mech, const char *s)
{
    return image_text(mech->image, s ? s : "");
}

/* n constants as such; false: some are none */
static bool
listed(struct mech *mech, const struct tm_val *val, size_t n, imp_ref *out)
{
    double *x = NEW_N(mech->arena, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!ex_is_const(val->e[i]))
            return false;
        x[i] = val->e[i]->num;
    }
    *out = image_array(mech->image, x, n, sizeof *x);
    return true;
}

static imp_val
lower_val(struct mech *mech, const struct tm_val *val)
{
    imp_val out = {.kind = (uint32_t)val->kind,
                   .rows = val->rows,
                   .cols = val->cols,
                   .tape = IMP_NO_TAPE,
                   .ref = val->ref,
                   .field = val->field,
                   .compare = val->compare,
                   .range = val->range};
    out.text = text_or_empty(mech, val->text);
    out.label = text_or_empty(mech, val->label);
    out.unit = text_or_empty(mech, val->unit);
    out.name = text_or_empty(mech, val->name);
    size_t count = (size_t)val->rows * val->cols;
    if (val->compare)
        count = 3;
    if (val->listed && listed(mech, val, count, &out.numbers))
        count = 0;
    if (val->e && count &&
        (val->kind == IMP_VAL_NUM || val->kind == IMP_VAL_BOOL)) {
        struct reads r = {mech,
                          NEW_N(mech->arena, bool, mech->model->n_contacts + 1),
                          NEW_N(mech->arena, bool, mech->model->n_slots + 1)};
        const expr **outs = NEW_N(mech->arena, const expr *, count);
        graph_origin(mech->graph, val->range);
        for (size_t i = 0; i < count; i++)
            outs[i] = lower_expr(mech, val->e[i]);
        ex_leaves(mech->graph, outs, count, note_read, &r);
        out.series = series_wants(mech, outs, count, r.contact, r.slot);
        out.contacts = set_bits(mech, r.contact, mech->model->n_contacts);
        out.slots = set_bits(mech, r.slot, mech->model->n_slots);
        out.tape = mech_eval_tape(
            mech, val->label && *val->label ? val->label : "value", 0, outs,
            count);
    }
    if (val->n_items) {
        imp_val *items = NEW_N(mech->arena, imp_val, val->n_items);
        for (size_t i = 0; i < val->n_items; i++)
            items[i] = lower_val(mech, val->items + i);
        out.items =
            image_array(mech->image, items, val->n_items, sizeof *items);
    }
    return out;
}

static imp_command
lower_command(struct mech *mech, const struct tm_command *command)
{
    imp_command out = {.id = (uint32_t)command->id,
                       .range = command->range,
                       .done = command->inner  ? IMP_DONE_INNER
                               : command->done ? IMP_DONE_EARLIER
                                               : IMP_DONE_NOT,
                       .bound = text_or_empty(mech, command->bound)};
    imp_val *args = NEW_N(mech->arena, imp_val, command->n_args + 1);
    imp_opt *opts = NEW_N(mech->arena, imp_opt, command->n_opts + 1);
    imp_field *fields = NEW_N(mech->arena, imp_field, command->n_fields + 1);
    for (size_t i = 0; i < command->n_args && !command->done; i++)
        args[i] = lower_val(mech, command->args + i);
    for (size_t i = 0; i < command->n_opts && !command->done; i++) {
        opts[i].id = (uint32_t)command->opts[i].id;
        opts[i].val = lower_val(mech, &command->opts[i].val);
    }
    for (size_t i = 0; i < command->n_fields; i++) {
        const struct tm_field *f = command->fields + i;
        fields[i] = (imp_field){.name = text_or_empty(mech, f->name),
                                .unit = text_or_empty(mech, f->unit),
                                .doc = text_or_empty(mech, f->doc),
                                .kind = (uint32_t)f->kind,
                                .column = f->column,
                                .width = f->width};
    }
    out.args = image_array(mech->image, args,
                           command->done ? 0 : command->n_args, sizeof *args);
    out.opts = image_array(mech->image, opts,
                           command->done ? 0 : command->n_opts, sizeof *opts);
    out.fields =
        image_array(mech->image, fields, command->n_fields, sizeof *fields);
    return out;
}

imp_ref
lower_commands(struct mech *mech)
{
    size_t n = mech->model->n_commands;
    imp_command *table = NEW_N(mech->arena, imp_command, n + 1);
    for (size_t i = 0; i < n; i++)
        table[i] = lower_command(mech, mech->model->commands + i);
    return image_array(mech->image, table, n, sizeof *table);
}

imp_ref
lower_slots(struct mech *mech)
{
    size_t count = mech->model->n_slots;
    imp_slot *table = NEW_N(mech->arena, imp_slot, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_slot *slot = mech->model->slots + i;
        table[i] = (imp_slot){.kind = (uint32_t)slot->kind,
                              .command = slot->command,
                              .field = slot->field,
                              .index = slot->index,
                              .text = text_or_empty(mech, slot->text),
                              .range = slot->range};
    }
    return image_array(mech->image, table, count, sizeof *table);
}
