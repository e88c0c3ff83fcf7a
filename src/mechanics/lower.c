/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lowering: what a model asks of its bodies (one.velocity, energy ...) becomes
 * expressions of the state, and the commands' values become tapes and records
 * of the image. */
#include <stdlib.h>

#include "mechanics/mech_priv.h"

/* -- quantities of a body ----------------------------------------------------
 */

const expr *
body_kinetic(struct mech *k, const struct mbody *b)
{
    struct graph *g = k->g;
    const expr *lin = sc_mul(g, b->mass, v3_dot(g, b->v, b->v));
    const expr *rot = m3_form(g, b->w_body, b->J, b->w_body);
    return sc_mul(g, ex_num(g, 0.5), sc_add(g, lin, rot));
}

const expr *
body_potential(struct mech *k, const struct mbody *b)
{
    return sc_neg(k->g,
                  sc_mul(k->g, b->mass, v3_dot(k->g, k->gravity, b->pose.c)));
}

vec3
body_momentum(struct mech *k, const struct mbody *b)
{
    return v3_scale(k->g, b->mass, b->v);
}

/* about the world's origin: c x m v + R J w_body */
vec3
body_angular(struct mech *k, const struct mbody *b)
{
    struct graph *g = k->g;
    vec3 orbit = v3_cross(g, b->pose.c, body_momentum(k, b));
    vec3 own = m3_apply(g, b->J, b->w_body);
    if (k->d == 3)
        own = m3_apply(g, b->pose.R, own);
    return v3_add(g, orbit, own);
}

static const expr *
vec_entry(struct mech *k, vec3 v, uint32_t c)
{
    return c < 3 ? v.v[c] : sc_zero(k->g);
}

/* spins and angular momenta are scalars in the plane */
static const expr *
spin_entry(struct mech *k, vec3 v, uint32_t c)
{
    return k->d == 2 ? v.v[2] : vec_entry(k, v, c);
}

static const expr *
angle_of(struct mech *k, const struct mbody *b)
{
    struct graph *g = k->g;
    if (k->d == 2)
        return b->angle;
    /* angle of rotation, 0 to 2 pi */
    vec3 im = v3(b->pose.q.q[1], b->pose.q.q[2], b->pose.q.q[3]);
    return sc_mul(g, ex_num(g, 2.0),
                  ex_op(g, IMP_OP_ATAN2, v3_norm(g, im), b->pose.q.q[0], NULL));
}

static const expr *
body_quantity(struct mech *k, const struct mbody *b, uint32_t quantity,
              uint32_t c)
{
    struct graph *g = k->g;
    uint32_t e = b->env_body;
    switch ((enum body_quantity)quantity) {
    case BODYQ_POSITION:
        return vec_entry(k, b->pose.c, c);
    case BODYQ_VELOCITY:
        return vec_entry(k, b->v, c);
    case BODYQ_SPIN:
        return spin_entry(k, b->w, c);
    case BODYQ_ANGLE:
        return angle_of(k, b);
    case BODYQ_ENERGY:
        return sc_add(g, body_kinetic(k, b), body_potential(k, b));
    case BODYQ_MOMENTUM:
        return vec_entry(k, body_momentum(k, b), c);
    case BODYQ_ANGULAR_MOMENTUM:
        return spin_entry(k, body_angular(k, b), c);
    case BODYQ_MASS:
        return sym_env(k, e + IMP_BODY_MASS);
    case BODYQ_VOLUME:
        return sym_env(k, e + IMP_BODY_VOLUME);
    case BODYQ_INERTIA:
        return sym_env(k, e + IMP_BODY_INERTIA + c);
    case BODYQ_CENTRE:
        return sym_env(k, e + IMP_BODY_CENTRE + c);
    case BODYQ_QUATERNION:
        return k->d == 3 && c < 4 ? b->pose.q.q[c] : sc_zero(g);
    case BODYQ_AXES:
        return b->pose.R.m[c / k->d][c % k->d];
    case BODYQ_BODY_VELOCITY:
        return vec_entry(k, m3_apply_t(g, b->pose.R, b->v), c);
    case BODYQ_BODY_SPIN:
        return spin_entry(k, b->w_body, c);
    case BODYQ_BODY_MOMENTUM:
        return vec_entry(k, m3_apply_t(g, b->pose.R, body_momentum(k, b)), c);
    case BODYQ_BODY_ANGULAR_MOMENTUM:
        return spin_entry(k, m3_apply(g, b->J, b->w_body), c);
    }
    abort();
}

static const expr *
total_quantity(struct mech *k, uint32_t what)
{
    struct graph *g = k->g;
    const expr *s = sc_zero(g);
    for (size_t i = 0; i < k->m->n_bodies; i++) {
        const struct mbody *b = k->bodies + i;
        if (what != TOTAL_POTENTIAL)
            s = sc_add(g, s, body_kinetic(k, b));
        if (what != TOTAL_KINETIC)
            s = sc_add(g, s, body_potential(k, b));
    }
    for (size_t i = 0; i < k->m->n_systems; i++) {
        if (what != TOTAL_POTENTIAL)
            s = sc_add(g, s, k->systems[i].kinetic);
        if (what != TOTAL_KINETIC)
            s = sc_add(g, s, k->systems[i].potential);
    }
    return s;
}

const expr *
lower_leaf(void *ctx, const expr *leaf)
{
    struct mech *k = ctx;
    if (leaf->sym == SYM_BODY)
        return body_quantity(k, k->bodies + leaf->i, leaf->j / BODYQ_STRIDE,
                             leaf->j % BODYQ_STRIDE);
    if (leaf->sym == SYM_TOTAL)
        return total_quantity(k, leaf->i);
    return system_leaf(k, leaf);
}

/* replaces SYM_BODY and SYM_TOTAL by expressions of the state */
static const expr *
lower_expr(struct mech *k, const expr *e)
{
    return ex_subst(k->g, e, lower_leaf, k);
}

/* -- values -------------------------------------------------------------------
 */

/* which contacts (gap, points) and slots a tape reads, each once, in order */
struct reads {
    struct mech *k;
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
set_bits(struct mech *k, const bool *bits, size_t n)
{
    uint32_t *v = NEW_N(k->arena, uint32_t, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (bits[i])
            v[m++] = (uint32_t)i;
    return image_array(k->ib, v, m, sizeof *v);
}

static imp_str
text_or_empty(struct mech *k, const char *s)
{
    return image_text(k->ib, s ? s : "");
}

/* n constants as such; false: some are none */
static bool
listed(struct mech *k, const struct tm_val *v, size_t n, imp_ref *out)
{
    double *x = NEW_N(k->arena, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!ex_is_const(v->e[i]))
            return false;
        x[i] = v->e[i]->num;
    }
    *out = image_array(k->ib, x, n, sizeof *x);
    return true;
}

static imp_val
lower_val(struct mech *k, const struct tm_val *v)
{
    imp_val o = {.kind = (uint32_t)v->kind,
                 .rows = v->rows,
                 .cols = v->cols,
                 .tape = IMP_NO_TAPE,
                 .ref = v->ref,
                 .field = v->field,
                 .compare = v->compare,
                 .range = v->range};
    o.text = text_or_empty(k, v->text);
    o.label = text_or_empty(k, v->label);
    o.unit = text_or_empty(k, v->unit);
    o.name = text_or_empty(k, v->name);
    size_t n = (size_t)v->rows * v->cols;
    if (v->compare)
        n = 3;
    if (v->listed && listed(k, v, n, &o.numbers))
        n = 0;
    if (v->e && n && (v->kind == IMP_VAL_NUM || v->kind == IMP_VAL_BOOL)) {
        struct reads r = {k, NEW_N(k->arena, bool, k->m->n_contacts + 1),
                          NEW_N(k->arena, bool, k->m->n_slots + 1)};
        const expr **outs = NEW_N(k->arena, const expr *, n);
        graph_origin(k->g, v->range);
        for (size_t i = 0; i < n; i++)
            outs[i] = lower_expr(k, v->e[i]);
        ex_leaves(k->g, outs, n, note_read, &r);
        o.series = series_wants(k, outs, n, r.contact, r.slot);
        o.contacts = set_bits(k, r.contact, k->m->n_contacts);
        o.slots = set_bits(k, r.slot, k->m->n_slots);
        o.tape = mech_eval_tape(k, v->label && *v->label ? v->label : "value",
                                0, outs, n);
    }
    if (v->n_items) {
        imp_val *items = NEW_N(k->arena, imp_val, v->n_items);
        for (size_t i = 0; i < v->n_items; i++)
            items[i] = lower_val(k, v->items + i);
        o.items = image_array(k->ib, items, v->n_items, sizeof *items);
    }
    return o;
}

static imp_command
lower_command(struct mech *k, const struct tm_command *c)
{
    imp_command o = {.id = (uint32_t)c->id,
                     .range = c->range,
                     .done = c->inner  ? IMP_DONE_INNER
                             : c->done ? IMP_DONE_EARLIER
                                       : IMP_DONE_NOT,
                     .bound = text_or_empty(k, c->bound)};
    imp_val *args = NEW_N(k->arena, imp_val, c->n_args + 1);
    imp_opt *opts = NEW_N(k->arena, imp_opt, c->n_opts + 1);
    imp_field *fields = NEW_N(k->arena, imp_field, c->n_fields + 1);
    for (size_t i = 0; i < c->n_args && !c->done; i++)
        args[i] = lower_val(k, c->args + i);
    for (size_t i = 0; i < c->n_opts && !c->done; i++) {
        opts[i].id = (uint32_t)c->opts[i].id;
        opts[i].val = lower_val(k, &c->opts[i].val);
    }
    for (size_t i = 0; i < c->n_fields; i++) {
        const struct tm_field *f = c->fields + i;
        fields[i] = (imp_field){.name = text_or_empty(k, f->name),
                                .unit = text_or_empty(k, f->unit),
                                .doc = text_or_empty(k, f->doc),
                                .kind = (uint32_t)f->kind,
                                .column = f->column,
                                .width = f->width};
    }
    o.args = image_array(k->ib, args, c->done ? 0 : c->n_args, sizeof *args);
    o.opts = image_array(k->ib, opts, c->done ? 0 : c->n_opts, sizeof *opts);
    o.fields = image_array(k->ib, fields, c->n_fields, sizeof *fields);
    return o;
}

imp_ref
lower_commands(struct mech *k)
{
    size_t n = k->m->n_commands;
    imp_command *v = NEW_N(k->arena, imp_command, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = lower_command(k, k->m->commands + i);
    return image_array(k->ib, v, n, sizeof *v);
}

imp_ref
lower_slots(struct mech *k)
{
    size_t n = k->m->n_slots;
    imp_slot *v = NEW_N(k->arena, imp_slot, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tm_slot *s = k->m->slots + i;
        v[i] = (imp_slot){.kind = (uint32_t)s->kind,
                          .command = s->command,
                          .field = s->field,
                          .index = s->index,
                          .text = text_or_empty(k, s->text),
                          .range = s->range};
    }
    return image_array(k->ib, v, n, sizeof *v);
}
