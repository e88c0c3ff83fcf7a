/* SPDX-License-Identifier: MIT */
/* The motion of each body between events (local_priv.h). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/joints/joints.h"
#include "runtime/local/local_priv.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/vec3.h"

uint32_t
local_body_members(const struct local *local, uint32_t which,
                   const uint32_t **list)
{
    assert(local && which < local->n_body && list);
    const struct rt *run = local->run;
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block) +
                             local->body[which].block;
    *list = IMP_ARRAY(run->im, block->bodies, uint32_t);
    return block->bodies.n;
}

/* The motion of a body that moves: it is kept with the first one of its block.
 */
static struct local_body *
motion_of(struct local *local, uint32_t which)
{
    return local->body + local->body[which].leader;
}

/* Does its block move by what joints and other bodies of the block do that have
 * no friction, no motor, no branches and no motion that is stated? */
static bool
moves_freely(const struct rt *run, uint32_t which)
{
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block) +
                             rt_body(run, which)->block;
    return block->guard == IMP_NO_TAPE && block->n_rub == 0;
}

static void
force(struct local *local, uint32_t which)
{
    if (which != IMP_WORLD && local->body[which].block != IMP_NO_BLOCK)
        motion_of(local, which)->forced = true;
}

/* Bodies whose motion is not their own: rotors act on them, joints that have
 * friction or that lead to what moves by a formula, or they are where a formula
 * says; and those whose forces change their branch, which the search over all
 * contacts looks for. Joints, and forces of their own, push the others. */
static void
find_forced(struct local *local)
{
    struct rt *run = local->run;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    const imp_rotor *rotor = IMP_ARRAY(run->im, run->im->rotors, imp_rotor);
    for (uint32_t i = 0; i < local->n_body; i++) {
        struct local_body *body = local->body + i;
        bool moves = body->block != IMP_NO_BLOCK;
        body->forced = rt_body(run, i)->refresh != IMP_NO_TAPE;
        if (moves && (body->forced || !moves_freely(run, i)))
            force(local, i);
        body->pushed = moves && (!(rt_body(run, i)->flags & IMP_BODYF_WEIGHT) ||
                                 body->n > local->each);
    }
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t body = joint[i].body[side],
                     others[2] = {joint[i].body[!side], joint[i].carrier};
            if (body == IMP_WORLD || local->body[body].block == IMP_NO_BLOCK)
                continue;
            local->body[body].pushed = true;
            for (int k = 0; k < 2; k++)
                if (others[k] != IMP_WORLD && others[k] != body &&
                    rt_body(run, others[k])->refresh != IMP_NO_TAPE)
                    force(local, body);
        }
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        force(local, rotor[i].body);
}

void
local_bodies_new(struct local *local)
{
    assert(local && local->run);
    struct rt *run = local->run;
    uint32_t count = run->im->bodies.n, most = 0;
    local->each = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    local->body = NEW_N(run->arena, struct local_body, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct local_body *body = local->body + i;
        const uint32_t *list;
        *body = (struct local_body){.block = rt_body(run, i)->block,
                                    .leader = i,
                                    .at = rt_body(run, i)->env_state -
                                          run->im->layout.state};
        if (body->block == IMP_NO_BLOCK)
            continue;
        body->n = local->each * local_body_members(local, i, &list);
        body->leader = *list;
        most = body->n > most ? body->n : most;
        if (body->leader == i)
            body->state = body->first_state =
                NEW_N(run->arena, double, body->n);
    }
    if (most > local->each)
        local->gathered = NEW_N(run->arena, double, 2 * (size_t)most);
    find_forced(local);
}

/* The state of all that moves with the body in env, or (low) its low parts. */
static const double *
present(struct local *local, const struct local_body *body, bool low)
{
    struct rt *run = local->run;
    const double *from = low ? run->state_lo : run->env + run->im->layout.state;
    const uint32_t *list;
    if (body->n == local->each)
        return from + body->at;
    double *to = local->gathered + (low ? body->n : 0);
    uint32_t n = local_body_members(local, body->leader, &list);
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + (size_t)i * local->each, from + local->body[list[i]].at,
               local->each * sizeof *to);
    return to;
}

/* Writes it. low: NULL for 0. */
static void
write_state(struct local *local, const struct local_body *body,
            const double *state, const double *low)
{
    struct rt *run = local->run;
    double *env = run->env + run->im->layout.state;
    uint32_t each = local->each;
    const uint32_t *list;
    uint32_t n = local_body_members(local, body->leader, &list);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = local->body[list[i]].at;
        memcpy(env + at, state + (size_t)i * each, each * sizeof *state);
        if (low)
            memcpy(run->state_lo + at, low + (size_t)i * each,
                   each * sizeof *low);
        else
            memset(run->state_lo + at, 0, each * sizeof *run->state_lo);
    }
}

/* Keeps the n numbers `from` in `to`, for which there is no room as long as
 * they are those that `to` stands for: `none`, or 0 where that is NULL. */
static void
keep(struct rt *run, double **to, const double *from, const double *none,
     uint32_t n)
{
    static const double zero[IMP_STATE_SPACE];
    bool same = none || n <= IMP_STATE_SPACE;
    if (!*to && same && !memcmp(from, none ? none : zero, n * sizeof *from))
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
    memcpy(body->state, present(local, body, false),
           body->n * sizeof *body->state);
    memcpy(body->low, present(local, body, true), body->n * sizeof *body->low);
    body->start += body->holds;
    body->made = false;
}

/* Looks at the motion that this body keeps. */
static bool
look(struct local *local, struct local_body *body)
{
    struct rt *run = local->run;
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
    const double *state = present(local, body, false);
    if (!first && !was_held &&
        !memcmp(state, body->put ? body->put : body->first_state,
                body->n * sizeof *state))
        return false;
    memcpy(body->first_state, state, body->n * sizeof *state);
    keep(run, &body->put, state, body->first_state, body->n);
    keep(run, &body->first_low, present(local, body, true), NULL, body->n);
    body->first = rt_time(run);
    to_first(body);
    return true;
}

bool
local_body_look(struct local *local, uint32_t which)
{
    assert(local && which < local->run->im->bodies.n);
    struct local_body *body = local->body + which;
    if (body->leader == which)
        return look(local, body);
    /* who keeps the motion has been looked at before the others */
    assert(body->leader < which);
    body->held = motion_of(local, which)->held;
    return motion_of(local, which)->changed;
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
local_body_put(struct local *local, uint32_t which, double t, bool ends)
{
    assert(local && which < local->run->im->bodies.n);
    struct rt *run = local->run;
    struct local_body *body = motion_of(local, which);
    if (body->block == IMP_NO_BLOCK || body->held)
        return IMP_OK;
    assert(t >= body->first);
    if (t < body->start)
        to_first(body);
    double time = rt_time(run);
    int st = IMP_OK;
    for (;;) {
        write_state(local, body, body->state, body->low);
        if (!body->made)
            st = make_piece(local, body);
        /* at its end the next piece says how the body goes on; a piece that the
         * clock does not see has no next one */
        double end = body->start + body->holds;
        if (st || end > t || !(end > body->start))
            break;
        go_on(local, body, body->holds);
        joints_project_block(run, body->block);
        to_next(local, body);
    }
    if (!st && t > body->start) {
        go_on(local, body, t - body->start);
        if (ends)
            joints_project_block(run, body->block);
    }
    run->env[run->im->layout.time] = time;
    keep(run, &body->put, present(local, body, false), body->first_state,
         body->n);
    return st;
}

void
local_body_hide(struct local *local, uint32_t which)
{
    assert(local && which < local->n_body);
    struct rt *run = local->run;
    struct local_body *body = local->body + which;
    if (body->block == IMP_NO_BLOCK || body->held || body->leader != which)
        return;
    double *none = NEW_N(run->brief, double, body->n);
    for (uint32_t i = 0; i < body->n; i++)
        none[i] = NAN;
    write_state(local, body, none, none);
    keep(run, &body->put, none, body->first_state, body->n);
}

int
local_put_all(struct local *local, double t)
{
    assert(local);
    int st = IMP_OK;
    for (uint32_t i = 0; i < local->n_body && !st; i++)
        if (local->body[i].leader == i)
            st = local_body_put(local, i, t, true);
    return st;
}

/* The sizes of the coefficients from orders 1 of `n` rows of a pose about the
 * time `from` since the piece began, times the arm, are added to those of
 * `way`. False: there is no such row. */
static bool
add_rows(const struct local_body *body, const uint32_t *pose, uint32_t n,
         double from, double arm, struct local_way *way)
{
    double square[MOTION_STEP_ORDER + 1] = {0.0}, c[MOTION_STEP_ORDER + 1];
    for (uint32_t j = 0; j < n; j++) {
        if (pose[j] == IMP_NO_ROW)
            return false;
        polynomial_about(body->rows + (size_t)pose[j] * IMP_ROW_STRIDE +
                             IMP_ROW_PAD,
                         MOTION_STEP_ORDER, from, c);
        for (int k = 1; k <= MOTION_STEP_ORDER; k++)
            square[k] += c[k] * c[k];
    }
    for (int k = 1; k <= MOTION_STEP_ORDER; k++)
        way->c[k] += arm * sqrt(square[k]);
    return true;
}

void
local_way_add(struct local *local, uint32_t which, double t, double arm,
              struct local_way *way)
{
    assert(local && which < local->n_body && arm >= 0.0 && way);
    const struct local_body *body = motion_of(local, which);
    const struct rt *run = local->run;
    const uint32_t *pose = rt_body(run, which)->pose;
    uint32_t dim = run->im->dim;
    if (body->block == IMP_NO_BLOCK)
        return;
    assert(body->made && t >= body->start);
    if (body->brief) { /* in the plane, by its weight alone */
        const double *speed = run->env + run->im->layout.state + body->at + 3;
        assert(dim == 2);
        way->c[1] += hypot(speed[0], speed[1]) + arm * fabs(speed[2]);
        way->c[2] += 0.5 * vec3_norm(run->world.gravity);
        return;
    }
    double from = t - body->start;
    way->holds = fmin(way->holds, body->holds - from);
    /* a point at this arm goes no further by a change of the cosine and the
     * sine than so many times as far, and by one of a quaternion than twice
     * that */
    if (!add_rows(body, pose, dim, from, 1.0, way) ||
        (arm > 0.0 && !add_rows(body, pose + dim, dim == 2 ? 2 : 4, from,
                                dim == 2 ? arm : 2.0 * arm, way)))
        way->holds = 0.0;
}

/* The least share of the room that is used. */
#define WAY_USED 0.99

double
local_way_stays(const struct local *local, const struct local_way *way,
                double t, double room)
{
    assert(local && way && room > 0.0);
    /* polynomials hold for ever: no further than the end, which is finite */
    double ahead = fmin(way->holds, local->end - t);
    if (way->c[1] > 0.0)
        ahead = fmin(ahead, room / way->c[1]);
    assert(isfinite(ahead));
    /* what grows ever faster is met from above (Newton) */
    for (;;) {
        double sum = 0.0, slope = 0.0;
        for (int k = MOTION_STEP_ORDER; k >= 1; k--) {
            slope = slope * ahead + k * way->c[k];
            sum = (sum + way->c[k]) * ahead;
        }
        if (sum <= room || !(t + ahead > t))
            break;
        ahead = fmin(ahead - (sum - WAY_USED * room) / slope, 0.999 * ahead);
    }
    /* the clock goes on in any case: within its next tick no body leaves */
    return fmax(t + ahead, nextafter(t, INFINITY));
}
