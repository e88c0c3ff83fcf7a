/* SPDX-License-Identifier: MIT */
/* The motion of each body between events (local_priv.h). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/local/local_priv.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"

/* Bodies whose motion is not their own: joints, rotors or other bodies act on
 * them, or they are where a formula says; and those whose forces change their
 * branch, which the search over all contacts looks for. Forces of their own
 * push the others. */
static void
find_forced(struct local *local)
{
    struct rt *run = local->run;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    const imp_rotor *rotor = IMP_ARRAY(run->im, run->im->rotors, imp_rotor);
    uint32_t *of_block = NEW_N(run->brief, uint32_t, run->im->blocks.n + 1);
    for (uint32_t i = 0; i < local->n_body; i++)
        if (local->body[i].block != IMP_NO_BLOCK)
            of_block[local->body[i].block]++;
    for (uint32_t i = 0; i < local->n_body; i++) {
        struct local_body *body = local->body + i;
        bool moves = body->block != IMP_NO_BLOCK;
        body->forced = rt_body(run, i)->refresh != IMP_NO_TAPE ||
                       (moves && (of_block[body->block] > 1 ||
                                  block[body->block].guard != IMP_NO_TAPE));
        body->pushed = moves && !(rt_body(run, i)->flags & IMP_BODYF_WEIGHT);
    }
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (int side = 0; side < 2; side++)
            if (joint[i].body[side] != IMP_WORLD &&
                local->body[joint[i].body[side]].block != IMP_NO_BLOCK)
                local->body[joint[i].body[side]].forced = true;
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if (local->body[rotor[i].body].block != IMP_NO_BLOCK)
            local->body[rotor[i].body].forced = true;
}

void
local_bodies_new(struct local *local)
{
    assert(local && local->run);
    struct rt *run = local->run;
    uint32_t count = run->im->bodies.n,
             n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    local->body = NEW_N(run->arena, struct local_body, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct local_body *body = local->body + i;
        *body = (struct local_body){.block = rt_body(run, i)->block,
                                    .at = rt_body(run, i)->env_state -
                                          run->im->layout.state,
                                    .n = n};
        if (body->block == IMP_NO_BLOCK)
            continue;
        body->state = body->first_state = NEW_N(run->arena, double, n);
    }
    find_forced(local);
}

/* Keeps the n numbers `from` in `to`, for which there is no room as long as
 * they are those that `to` stands for: `none`, or 0 where that is NULL. */
static void
keep(struct rt *run, double **to, const double *from, const double *none,
     uint32_t n)
{
    static const double zero[IMP_STATE_SPACE];
    assert(n <= IMP_STATE_SPACE);
    if (!*to && !memcmp(from, none ? none : zero, n * sizeof *from))
        return;
    if (!*to)
        *to = NEW_N(run->arena, double, n);
    memcpy(*to, from, n * sizeof *from);
}

static void
to_first(struct local_body *body)
{
    body->state = body->first_state;
    body->low = body->first_low;
    body->start = body->first;
    body->made = false;
}

/* The present state, at the end of a piece, is the start of the next one. */
static void
to_next(struct local *local, struct local_body *body)
{
    struct rt *run = local->run;
    if (!body->later)
        body->later = NEW_N(run->arena, double, 2 * (size_t)body->n);
    body->state = body->later;
    body->low = body->later + body->n;
    memcpy(body->state, run->env + run->im->layout.state + body->at,
           body->n * sizeof *body->state);
    memcpy(body->low, run->state_lo + body->at, body->n * sizeof *body->low);
    body->start += body->holds;
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
    body->held = body->forced || (body->block != IMP_NO_BLOCK &&
                                  persistent_moves(run, body->block));
    if (body->block == IMP_NO_BLOCK)
        return first;
    if (body->held) {
        body->made = false;
        return first || !was_held;
    }
    if (!first && !was_held &&
        !memcmp(state, body->put ? body->put : body->first_state,
                body->n * sizeof *state))
        return false;
    memcpy(body->first_state, state, body->n * sizeof *state);
    keep(run, &body->put, state, body->first_state, body->n);
    keep(run, &body->first_low, run->state_lo + body->at, NULL, body->n);
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
    if (body->low)
        memcpy(run->state_lo + body->at, body->low,
               body->n * sizeof *body->low);
    else
        memset(run->state_lo + body->at, 0, body->n * sizeof *run->state_lo);
}

static size_t
room_for_rows(const struct rt *run, const struct local_body *body)
{
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    return (rt_tape(run, block[body->block].motion)->n_rows + 1) *
           (size_t)IMP_ROW_STRIDE;
}

/* Room for the series of any body, which stands for those of bodies that have
 * flown along parabolas only. */
static void
make_rows(struct local *local)
{
    size_t most = 0;
    for (uint32_t i = 0; i < local->n_body; i++)
        if (local->body[i].block != IMP_NO_BLOCK) {
            size_t room = room_for_rows(local->run, local->body + i);
            most = room > most ? room : most;
        }
    local->rows = NEW_N(local->run->arena, double, most);
    local->rows_tape = IMP_NO_TAPE;
}

/* The series of the piece that begins at the present state. */
static int
make_piece(struct local *local, struct local_body *body)
{
    struct rt *run = local->run;
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    uint32_t tape = block[body->block].motion;
    double *kept = run->rows.block[body->block];
    size_t room = room_for_rows(run, body);
    if (!body->rows) {
        if (!local->rows)
            make_rows(local);
        /* tapes expect rows that are 0 where they write nothing */
        if (local->rows_tape != tape)
            memset(local->rows, 0, room * sizeof *local->rows);
        local->rows_tape = tape;
    }
    run->rows.block[body->block] = body->rows ? body->rows : local->rows;
    run->env[run->im->layout.time] = body->start;
    int st = motion_series(run, body->block, MOTION_STEP_ORDER, &body->holds);
    body->made = st == IMP_OK;
    if (!body->motion)
        body->motion = NEW(run->arena, struct motion_short);
    body->brief =
        body->made && !body->pushed &&
        motion_short_of(run, body->block, MOTION_STEP_ORDER, body->motion);
    run->rows.block[body->block] = kept;
    if (body->made && !body->brief && !body->rows) {
        body->rows = NEW_N(run->arena, double, room);
        memcpy(body->rows, local->rows, room * sizeof *body->rows);
    }
    return st;
}

/* Moves the body by dt from where the piece begins, which is its state. */
static void
go_on(struct local *local, const struct local_body *body, double dt)
{
    struct rt *run = local->run;
    double *kept = run->rows.block[body->block];
    if (body->brief) {
        motion_short_go(body->motion, dt, run->env + run->im->layout.state,
                        run->state_lo);
        return;
    }
    run->rows.block[body->block] = body->rows;
    motion_advance_block(run, body->block, MOTION_STEP_ORDER, dt);
    run->rows.block[body->block] = kept;
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
    double time = rt_time(run);
    int st = IMP_OK;
    for (;;) {
        to_start(local, body);
        if (!body->made)
            st = make_piece(local, body);
        /* at its end the next piece says how the body goes on; a piece that the
         * clock does not see has no next one */
        double end = body->start + body->holds;
        if (st || end > t || !(end > body->start))
            break;
        go_on(local, body, body->holds);
        to_next(local, body);
    }
    if (!st && t > body->start)
        go_on(local, body, t - body->start);
    run->env[run->im->layout.time] = time;
    keep(run, &body->put, run->env + run->im->layout.state + body->at,
         body->first_state, body->n);
    return st;
}

void
local_body_hide(struct local *local, uint32_t which)
{
    assert(local && which < local->n_body);
    struct rt *run = local->run;
    struct local_body *body = local->body + which;
    double *state = run->env + run->im->layout.state + body->at;
    if (body->block == IMP_NO_BLOCK || body->held)
        return;
    for (uint32_t i = 0; i < body->n; i++)
        state[i] = NAN;
    keep(run, &body->put, state, body->first_state, body->n);
}

int
local_put_all(struct local *local, double t)
{
    assert(local);
    int st = IMP_OK;
    for (uint32_t i = 0; i < local->n_body && !st; i++)
        st = local_body_put(local, i, t);
    return st;
}

double
local_body_stays(struct local *local, uint32_t which, double t, double way)
{
    assert(local && which < local->n_body && way > 0.0);
    const struct local_body *body = local->body + which;
    const imp_body *image_body = rt_body(local->run, which);
    assert(body->made && t >= body->start);
    double c[3][MOTION_STEP_ORDER + 1], from = t - body->start;
    /* polynomials hold for ever: no further than the end, which is finite */
    double ahead = fmin(body->holds - from, local->end - t);
    assert(isfinite(ahead));
    uint32_t dim = local->run->im->dim;
    for (uint32_t j = 0; j < dim; j++) {
        memcpy(c[j],
               body->rows + (size_t)image_body->pose[j] * IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               sizeof c[j]);
        /* the same polynomial about t */
        for (int k = 0; k < MOTION_STEP_ORDER; k++)
            for (int i = MOTION_STEP_ORDER - 1; i >= k; i--)
                c[j][i] += from * c[j][i + 1];
    }
    for (; ahead > 0.0 && t + ahead > t; ahead *= 0.5) {
        double most = 0.0;
        for (uint32_t j = 0; j < dim; j++) {
            double sum = 0.0;
            for (int k = MOTION_STEP_ORDER; k >= 1; k--)
                sum = (sum + fabs(c[j][k])) * ahead;
            most += sum;
        }
        if (most <= way)
            break;
    }
    /* the clock goes on in any case: within its next tick no body leaves */
    return fmax(t + ahead, nextafter(t, INFINITY));
}
