/* SPDX-License-Identifier: MIT */
/* The motion of each body between events (local_priv.h). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/local/local_priv.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"

void
local_bodies_new(struct local *local)
{
    assert(local && local->run);
    struct rt *run = local->run;
    uint32_t count = run->im->bodies.n,
             n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    local->body = NEW_N(run->arena, struct local_body, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct local_body *body = local->body + i;
        *body = (struct local_body){.block = rt_body(run, i)->block,
                                    .at = rt_body(run, i)->env_state -
                                          run->im->layout.state,
                                    .n = n};
        if (body->block == IMP_NO_BLOCK)
            continue;
        size_t rows = rt_tape(run, block[body->block].motion)->n_rows;
        body->state = NEW_N(run->arena, double, n);
        body->low = NEW_N(run->arena, double, n);
        body->put = NEW_N(run->arena, double, n);
        body->first_state = NEW_N(run->arena, double, n);
        body->first_low = NEW_N(run->arena, double, n);
        body->rows = NEW_N(run->arena, double, (rows + 1) * IMP_ROW_STRIDE);
    }
}

static void
to_first(struct local_body *body)
{
    memcpy(body->state, body->first_state, body->n * sizeof *body->state);
    memcpy(body->low, body->first_low, body->n * sizeof *body->low);
    body->start = body->first;
    body->made = false;
}

bool
local_body_look(struct local *local, uint32_t which)
{
    assert(local && which < local->run->im->bodies.n);
    struct rt *run = local->run;
    struct local_body *body = local->body + which;
    const double *state = run->env + run->im->layout.state + body->at;
    bool first = !body->known, was_held = body->held;
    body->known = true;
    if (body->block == IMP_NO_BLOCK)
        return first;
    body->held = persistent_moves(run, body->block);
    if (body->held) {
        body->made = false;
        return first || !was_held;
    }
    if (!first && !was_held &&
        !memcmp(state, body->put, body->n * sizeof *state))
        return false;
    memcpy(body->first_state, state, body->n * sizeof *state);
    memcpy(body->put, state, body->n * sizeof *state);
    memcpy(body->first_low, run->state_lo + body->at, body->n * sizeof *state);
    body->first = rt_time(run);
    to_first(body);
    return true;
}

/* Puts the state at the start of the piece into env. */
static void
to_start(struct local *local, const struct local_body *body)
{
    struct rt *run = local->run;
    memcpy(run->env + run->im->layout.state + body->at, body->state,
           body->n * sizeof *body->state);
    memcpy(run->state_lo + body->at, body->low, body->n * sizeof *body->low);
}

int
local_body_put(struct local *local, uint32_t which, double t)
{
    assert(local && which < local->run->im->bodies.n);
    struct rt *run = local->run;
    struct local_body *body = local->body + which;
    if (body->block == IMP_NO_BLOCK || body->held)
        return IMP_OK;
    assert(t >= body->first);
    if (t < body->start)
        to_first(body);
    double *rows = run->rows.block[body->block], time = rt_time(run);
    int st = IMP_OK;
    run->rows.block[body->block] = body->rows;
    for (;;) {
        to_start(local, body);
        if (!body->made) {
            run->env[run->im->layout.time] = body->start;
            st = motion_series(run, body->block, MOTION_STEP_ORDER,
                               &body->holds);
            body->made = st == IMP_OK;
        }
        if (st || t - body->start <= body->holds)
            break;
        motion_advance_block(run, body->block, MOTION_STEP_ORDER, body->holds);
        memcpy(body->state, run->env + run->im->layout.state + body->at,
               body->n * sizeof *body->state);
        memcpy(body->low, run->state_lo + body->at,
               body->n * sizeof *body->low);
        body->start += body->holds;
        body->made = false;
    }
    if (!st && t > body->start)
        motion_advance_block(run, body->block, MOTION_STEP_ORDER,
                             t - body->start);
    run->rows.block[body->block] = rows;
    run->env[run->im->layout.time] = time;
    return st;
}

int
local_put_all(struct local *local, double t)
{
    assert(local);
    struct rt *run = local->run;
    for (uint32_t i = 0; i < run->im->bodies.n; i++) {
        struct local_body *body = local->body + i;
        int st = local_body_put(local, i, t);
        if (st)
            return st;
        if (body->block != IMP_NO_BLOCK && !body->held)
            memcpy(body->put, run->env + run->im->layout.state + body->at,
                   body->n * sizeof *body->put);
    }
    return IMP_OK;
}
