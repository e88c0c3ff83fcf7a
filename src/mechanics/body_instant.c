/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `painleve` asks about a contact of bodies in the plane beyond its rows
 * of gap and slip, which the runtime makes: forces, friction and joints of all
 * bodies that move together with those of the contact, with their exact
 * derivatives (imp_contact.instant). */
#include "mechanics/mech_priv.h"

#include <assert.h>

/* places and an angle of a body */
enum { PER_BODY = IMP_STATE_PLANE / 2 };

/* All bodies that move together with the two of the contact, block by block. */
struct together {
    struct mech *mech;
    uint32_t block[2], n_block;
    uint32_t n, n_row; /* coordinates, conditions of joints */
    const expr **q, **v;
    const expr **phi, **dphi, **ddphi; /* n_row each; phi NULL: none */
};

/* False: what holds these bodies, or turns in them, is not of this kind. */
static bool
find_blocks(const struct tm_contact *decl, struct together *out)
{
    struct mech *mech = out->mech;
    for (int e = 0; e < 2; e++) {
        const struct mbody *body =
            decl->body[e] == IMP_WORLD ? NULL : mech->bodies + decl->body[e];
        if (!body || body->fixed ||
            (out->n_block && out->block[0] == body->block))
            continue;
        const struct mblock *block = mech->blocks + body->block;
        out->block[out->n_block++] = body->block;
        out->n += PER_BODY * block->n;
        out->n_row += block->n_row;
        if (block->n_rub)
            return false;
        for (uint32_t i = 0; i < block->n; i++)
            mech->form(mech, mech->bodies + block->bodies[i]);
        for (uint32_t i = 0; i < block->n; i++)
            if (rotors_any(mech, mech->bodies + block->bodies[i]))
                return false;
    }
    return out->n > 0 && out->n_row + out->n / PER_BODY <= IMP_UNKNOWN_MAX;
}

/* The second derivatives of the conditions of a block where nothing
 * accelerates but what is prescribed. */
static void
conditions_at_rest(struct mech *mech, uint32_t index, const expr **out)
{
    struct mblock *block = mech->blocks + index;
    vec3 *kept = NEW_N(mech->arena, vec3, 2 * (size_t)block->n + 1);
    for (uint32_t i = 0; i < block->n; i++) {
        struct body_rates *rate = &mech->bodies[block->bodies[i]].form->rate;
        kept[2 * i] = rate->acc;
        kept[2 * i + 1] = rate->alpha;
        rate->acc = rate->alpha = v3_zero(mech->graph);
    }
    joint_conditions(mech, index, out);
    for (uint32_t i = 0; i < block->n; i++) {
        struct body_rates *rate = &mech->bodies[block->bodies[i]].form->rate;
        rate->acc = kept[2 * i];
        rate->alpha = kept[2 * i + 1];
    }
}

static void
read_blocks(struct together *out)
{
    struct mech *mech = out->mech;
    uint32_t n = 0, row = 0;
    out->q = NEW_N(mech->arena, const expr *, 2 * (size_t)out->n);
    out->v = out->q + out->n;
    out->phi = NEW_N(mech->arena, const expr *, 3 * (size_t)out->n_row + 1);
    out->dphi = out->phi + out->n_row;
    out->ddphi = out->dphi + out->n_row;
    for (uint32_t k = 0; k < out->n_block; k++) {
        const struct mblock *block = mech->blocks + out->block[k];
        for (uint32_t i = 0; i < block->n; i++)
            for (uint32_t c = 0; c < PER_BODY; c++, n++) {
                uint32_t state = mech->bodies[block->bodies[i]].env.state + c;
                out->q[n] = sym_state(mech, state);
                out->v[n] = sym_state(mech, state + PER_BODY);
            }
        if (block->n_row)
            conditions_at_rest(mech, out->block[k], out->ddphi + row);
        for (uint32_t i = 0; i < block->n_row; i++, row++) {
            out->phi[row] = block->phi[i];
            out->dphi[row] = block->dphi[i];
        }
    }
}

/* The forces and torques on all bodies without contacts and joints. */
static void
forces(const struct together *of, const expr **out)
{
    struct mech *mech = of->mech;
    for (uint32_t k = 0; k < of->n_block; k++) {
        const struct mblock *block = mech->blocks + of->block[k];
        for (uint32_t i = 0; i < block->n; i++, out += PER_BODY) {
            const struct mbody *body = mech->bodies + block->bodies[i];
            vec3 force = v3_add(
                mech->graph, body->form->rate.force,
                v3_scale(mech->graph, body->form->inertia.mass, mech->gravity));
            out[0] = force.v[0];
            out[1] = force.v[1];
            out[2] = body_moment(mech, body).v[2];
        }
    }
}

/* The formula at an instant: the speed of slip is the local 0. */
static const expr *
now_leaf(void *ctx, const expr *leaf)
{
    struct mech *mech = ctx;
    if (leaf->sym == SYM_SLIP)
        return ex_sym(mech->graph, SYM_UNKNOWN, 0, 0);
    return leaf->sym == SYM_BODY ? quantity_leaf(mech, leaf) : NULL;
}

/* Appends the derivatives of e with respect to n leaves. */
static const expr **
gradient(struct graph *graph, const expr *e, const expr *const *leaf,
         uint32_t n, const expr **out)
{
    for (uint32_t j = 0; j < n; j++)
        *out++ = ex_diff(graph, e, leaf[j]);
    return out;
}

/* Appends what the conditions of the joints are, and what all of them do with
 * the multipliers that stand behind the local 0. */
static const expr **
conditions(const struct together *of, const expr **out)
{
    struct graph *graph = of->mech->graph;
    const expr *zero = sc_zero(graph), *one = ex_num(graph, 1.0),
               *time = sym_time(of->mech), *rate = zero, *change = zero;
    for (uint32_t i = 0; i < of->n_row; i++) {
        const expr *multiplier = ex_sym(graph, SYM_UNKNOWN, 1 + i, 0);
        rate = sc_add(graph, rate, sc_mul(graph, multiplier, of->dphi[i]));
        change = sc_add(graph, change, sc_mul(graph, multiplier, of->ddphi[i]));
        *out++ = of->phi[i] ? of->phi[i] : zero;
        *out++ = of->phi[i] ? one : zero;
        out = gradient(graph, of->dphi[i], of->v, of->n, out);
    }
    const expr **pull = NEW_N(of->mech->arena, const expr *, of->n);
    gradient(graph, rate, of->v, of->n, pull);
    for (uint32_t j = 0; j < of->n; j++)
        out = gradient(graph, pull[j], of->q, of->n, out);
    for (uint32_t j = 0; j < of->n; j++)
        *out++ = ex_diff(graph, pull[j], time);
    return gradient(graph, change, of->v, of->n, out);
}

/* What a slip needs at each of its steps. */
static uint32_t
slide_tape(const struct together *of, const struct tm_contact *decl,
           const expr *mu, const expr *const *force)
{
    struct mech *mech = of->mech;
    size_t count = 1 + of->n + (1 + (size_t)of->n) * of->n_row;
    const expr **out = NEW_N(mech->arena, const expr *, count), **next = out;
    *next++ = mu;
    for (size_t j = 0; j < of->n; j++)
        *next++ = force[j];
    for (uint32_t i = 0; i < of->n_row; i++) {
        next = gradient(mech->graph, of->dphi[i], of->v, of->n, next);
        *next++ = of->ddphi[i];
    }
    return mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.slide", decl->name), 1, out, count);
}

uint32_t
body_instant_tape(struct mech *mech, uint32_t contact, uint32_t *slide)
{
    assert(mech && contact < mech->model->n_contacts && slide);
    const struct tm_contact *decl = mech->model->contacts + contact;
    struct together of = {.mech = mech};
    if (mech->dim != 2 || !contact_asked_by_painleve(mech, contact) ||
        !find_blocks(decl, &of))
        return IMP_NO_TAPE;
    struct graph *graph = mech->graph;
    size_t n = of.n, count = 2 + 3 * n + 2 * n * n;
    if (of.n_row)
        count += (2 + n) * of.n_row + n * n + 2 * n;
    const expr **out = NEW_N(mech->arena, const expr *, count + n),
               **force = out + count, **next = out;
    graph_origin(graph, mech_range(decl->mu.range, decl->range));
    read_blocks(&of);
    forces(&of, force);
    const expr *mu = decl->mu.e ? ex_subst(graph, decl->mu.e, now_leaf, mech)
                                : sc_zero(graph);
    *next++ = ex_diff(graph, mu, sym_time(mech));
    *next++ = ex_diff(graph, mu, ex_sym(graph, SYM_UNKNOWN, 0, 0));
    next = gradient(graph, mu, of.q, of.n, next);
    next = gradient(graph, mu, of.v, of.n, next);
    for (size_t j = 0; j < n; j++)
        *next++ = force[j];
    for (size_t j = 0; j < n; j++)
        next = gradient(graph, force[j], of.q, of.n, next);
    for (size_t j = 0; j < n; j++)
        next = gradient(graph, force[j], of.v, of.n, next);
    if (of.n_row)
        next = conditions(&of, next);
    *slide = slide_tape(&of, decl, mu, force);
    assert(next == out + count);
    return mech_eval_tape(mech,
                          arena_printf(mech->arena, "%s.instant", decl->name),
                          1 + of.n_row, out, count);
}
