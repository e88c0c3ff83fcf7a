/* SPDX-License-Identifier: MIT */
/* Steps of the motion by its Taylor series (motion.h). A step is a sum of the
 * coefficients that the motion tape gives; nothing here knows which equations
 * they solve.
 *
 * Invariant: run->env holds the rounded state, and run->state_lo what was
 * rounded off (Neumaier). Between set-up and impacts only this file, joints.c
 * and constraint_projection.c write either. */
#include "runtime/motion/motion.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/saved_state.h"
#include "runtime/instance/system.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/relays/relays.h"

/* Makes the diagnostic of IMP_NONFINITE, at the state and the order of the last
 * motion_rows. */
static void
motion_rows_nonfinite(struct rt *run, uint32_t block, int order)
{
    assert(block < run->im->blocks.n && order >= 0);
    const struct motion_block *moving = motion_block_of(run, block);
    const double *lambda = NULL;
    motion_enter(run, block);
    if (moving->observer && !relays_act(run, block))
        system_observed_nonfinite(run, moving->system, order);
    else if (moving->system != IMP_NO_SYSTEM &&
             system_slides(run, moving->system))
        system_series_nonfinite(run, moving->system, order);
    else if (relays_act(run, block))
        relays_series_nonfinite(run, block, order);
    else if (joints_multipliers(run, block, &lambda) == IMP_OK)
        rt_nonfinite_series(run, moving->tape, lambda, NULL,
                            run->rows.block[block], order);
}

/* -- series, and how long they hold -----------------------------------------
 */

int
motion_series_parabola(struct rt *run, uint32_t block, int order)
{
    assert(run);
    return crossing_parabola(run, block, order, run->motion->parabola + block);
}

/* So often the series of one instant are made, where relays change at once;
 * the status that says so */
#define RELAY_ROUNDS 8
#define RELAY_NOW (-77)

static int
series_once(struct rt *run, uint32_t block, int order, double *step)
{
    assert(run != NULL && step != NULL && block < run->im->blocks.n);
    assert(order >= 1 && order <= IMP_ORDER_MAX);
    const struct motion_block *moving = motion_block_of(run, block);
    double *parabola = run->motion->parabola + block;
    *step = *parabola = INFINITY;
    if (moving->tape == IMP_NO_TAPE)
        return IMP_OK;
    int which, st = IMP_OK;
    if (run->relays && moving->system == IMP_NO_SYSTEM &&
        !persistent_moves(run, block))
        st = relays_settle_bodies(run, block, switching_least(run), NULL);
    if (!st)
        st = motion_rows(run, block, order);
    if (st == IMP_NONFINITE &&
        (st = motion_series_parabola(run, block, order)) != IMP_OK) {
        if (!motion_rows(run, block, MOTION_SINGULAR_ORDER))
            motion_note_singular(run, block);
        motion_rows(run, block, order);
        motion_rows_nonfinite(run, block, order);
        return IMP_FAILED;
    }
    if (st != IMP_OK)
        return st;
    if (isinf(*parabola) && !motion_by_weight(run))
        *parabola = crossing_sparse(run, block, order);
    /* Flows find changes of branch, and the length of a step, by themselves. */
    if (moving->system != IMP_NO_SYSTEM)
        return IMP_OK;
    motion_step(run, block, order, step);
    if (*step < switching_least(run) && order >= MOTION_SINGULAR_ORDER &&
        (st = motion_blows_up(run, block)))
        return st;
    /* two orders do not tell how far a series leads */
    if (*step < switching_least(run) && order > 2 &&
        motion_series_parabola(run, block, order) == IMP_OK)
        *step = INFINITY;
    *step = fmin(*step, *parabola);
    if (!motion_by_weight(run) && !moving->quadratic &&
        *step > switching_least(run))
        *step = crossing_checked(run, block, order, *step);
    st = switching_end(run, block, order, step, &which);
    if (!st)
        crossing_stops_soon(run, block, order, step);
    return st;
}

/* Does a relay of the bodies of the block change now? Else a step ends where it
 * does. */
static bool
relay_changes(struct rt *run, uint32_t block, int order, double *step)
{
    return run->relays && order >= MOTION_SINGULAR_ORDER &&
           motion_block_free(run, block)->system == IMP_NO_SYSTEM &&
           !relays_end(run, block, order, step);
}

int
motion_series(struct rt *run, uint32_t block, int order, double *step)
{
    for (int round = 0; round < RELAY_ROUNDS; round++) {
        int st = series_once(run, block, order, step);
        if (st || !relay_changes(run, block, order, step))
            return st;
    }
    return motion_stuck(run);
}

bool
motion_by_parabolas(const struct rt *run, uint32_t block)
{
    assert(run != NULL && block < run->im->blocks.n);
    return motion_block_free(run, block)->n_series == 0;
}

double
motion_ground_step(const struct rt *run)
{
    assert(run != NULL && run->motion != NULL);
    return run->motion->ground_step;
}

void
motion_ground_at(struct rt *run, double time)
{
    assert(run != NULL && !isnan(time));
    run->motion->ground = time;
}

void
motion_ground_due(struct rt *run, double time)
{
    assert(run != NULL);
    run->motion->ground_due = time;
}

bool
motion_ground_is_due(const struct rt *run)
{
    assert(run != NULL);
    return run->motion->ground_due == rt_time(run);
}

/* Is this switching function of the block one of the ground? */
static bool
of_ground(const struct rt *run, uint32_t block, int guard)
{
    return guard >= 0 && branched_block(run, block).guard[guard].gap;
}

/* The series of a block that contacts hold; they have been made. */
static int
series_of_held(struct rt *run, uint32_t block, int order, double *step)
{
    int which, st = IMP_OK;
    motion_step(run, block, order, step);
    double leap = order > 1 ? persistent_leap_time(run, block, *step) : 0.0;
    if (leap > 0.0 || (*step < switching_least(run) && order > 1))
        st = persistent_series_short(run, block, leap, order, step);
    if (!st || st == IMP_NONFINITE)
        st = switching_end(run, block, order, step, &which);
    if (!st)
        crossing_stops_soon(run, block, order, step);
    if (!st && relay_changes(run, block, order, step))
        return RELAY_NOW;
    if (!st && of_ground(run, block, which))
        run->motion->ground_step = fmin(run->motion->ground_step, *step);
    return st;
}

/* The series of all blocks; those of what is held have been made. */
static int
series_of_blocks(struct rt *run, int order, double *step)
{
    int st = IMP_OK;
    *step = run->motion->ground_step = INFINITY;
    for (uint32_t block = 0; block < run->im->blocks.n && st == IMP_OK;
         block++) {
        double hb;
        if (motion_block_free(run, block)->system != IMP_NO_SYSTEM ||
            !motion_asks(run, block))
            continue;
        if (persistent_moves(run, block)) {
            st = series_of_held(run, block, order, &hb);
        } else {
            st = motion_series(run, block, order, &hb);
        }
        if (st != IMP_OK)
            return st;
        *step = hb < *step ? hb : *step;
    }
    return st;
}

int
motion_series_all(struct rt *run, int order, double *step)
{
    assert(run != NULL && step != NULL);
    double standing = INFINITY;
    int st = IMP_OK;
    int round = 0;
    do {
        if (persistent_any(run) && !run->motion->stands)
            st = switching_relays_held(run);
        if (!st && persistent_any(run))
            st = run->motion->stands
                     ? persistent_series_standing(run, order, &standing)
                     : persistent_series(run, order, UINT32_MAX);
        *step = INFINITY;
        if (!st)
            st = series_of_blocks(run, order, step);
        if (st != RELAY_NOW)
            break;
        run->motion->stands = false;
    } while (++round < RELAY_ROUNDS);
    *step = fmin(*step, standing);
    if (!st)
        contact_point_surfaces_end(run, order, step, motion_look);
    return st == RELAY_NOW ? motion_stuck(run) : st;
}

void
motion_stands(struct rt *run, bool stands)
{
    assert(run != NULL && run->motion != NULL);
    run->motion->stands = stands;
}

int
motion_series_more(struct rt *run, int order, double *step)
{
    assert(run != NULL && step != NULL);
    int st = persistent_any(run) ? persistent_series_more(run, order) : IMP_OK;
    *step = INFINITY;
    if (!st)
        st = series_of_blocks(run, order, step);
    if (!st)
        contact_point_surfaces_end(run, order, step, motion_look);
    return st == RELAY_NOW ? motion_series_all(run, order, step) : st;
}

int
motion_series_two(struct rt *run, const uint32_t body[2], int order,
                  double *step)
{
    assert(run != NULL && body != NULL && step != NULL);
    uint32_t last = IMP_NO_BLOCK;
    int st = IMP_OK;
    *step = INFINITY;
    for (int i = 0; i < 2 && st == IMP_OK; i++) {
        uint32_t block =
            body[i] == IMP_WORLD ? IMP_NO_BLOCK : rt_body(run, body[i])->block;
        double h;
        if (block == IMP_NO_BLOCK || block == last)
            continue;
        st = motion_series(run, block, order, &h);
        *step = fmin(*step, h);
        last = block;
    }
    return st;
}

/* The poses of a block and their rates; what forces make of velocities beyond
 * may be infinite, as at rest beside a power of a speed. */
static int
poses_of(struct rt *run, uint32_t block)
{
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *row = IMP_ARRAY(run->im, at->rows, uint32_t);
    struct diag *last = run->ds->last;
    double step, sum = 0.0;
    int st = motion_series(run, block, 1, &step);
    if (st != IMP_FAILED || !motion_block_of(run, block)->what)
        return st;
    for (uint32_t i = 0; i < at->state.n; i++)
        if (motion_block_of(run, block)->what[i] == MOTION_POSE)
            sum += run->rows.block[block][(size_t)row[i] * IMP_ROW_STRIDE +
                                          IMP_ROW_PAD + 1];
    if (!isfinite(sum))
        return st;
    while (run->ds->last != last)
        diag_withdraw(run->ds, run->ds->last);
    return IMP_OK;
}

int
motion_poses_two(struct rt *run, const uint32_t body[2])
{
    assert(run != NULL && body != NULL);
    uint32_t last = IMP_NO_BLOCK;
    int st = IMP_OK;
    for (int i = 0; i < 2 && st == IMP_OK; i++) {
        uint32_t block =
            body[i] == IMP_WORLD ? IMP_NO_BLOCK : rt_body(run, body[i])->block;
        if (block == IMP_NO_BLOCK || block == last)
            continue;
        st = persistent_moves(run, block) ? persistent_poses(run, block)
                                          : poses_of(run, block);
        last = block;
    }
    return st;
}

/* Does the gap of this contact follow from the motion of its bodies alone? */
static bool
is_of_two(const struct rt *run, const imp_contact *contact)
{
    return motion_by_weight(run) ||
           (!run->motion->prescribed && contact->system == IMP_NO_SYSTEM &&
            !(contact->flags & IMP_CONTACTF_STATED) &&
            contact->rub == IMP_NO_TAPE);
}

bool
motion_touches_two(const struct rt *run)
{
    assert(run != NULL && run->motion != NULL);
    const imp_pattern *pattern =
        IMP_ARRAY(run->im, run->im->patterns, imp_pattern);
    for (uint32_t i = 0; i < run->im->patterns.n; i++)
        if (!is_of_two(run, &pattern[i].contact))
            return false;
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        if (!is_of_two(run, rt_contact(run, i)))
            return false;
    return true;
}

int
motion_series_of(struct rt *run, uint32_t contact, int order, double *step)
{
    assert(run != NULL && step != NULL && contact < run->im->contacts.n);
    const uint32_t *body = rt_contact(run, contact)->body;
    bool alone = is_of_two(run, rt_contact(run, contact));
    for (int i = 0; i < 2 && alone; i++)
        alone = body[i] != IMP_WORLD &&
                (rt_body(run, body[i])->block == IMP_NO_BLOCK ||
                 !persistent_moves(run, rt_body(run, body[i])->block));
    return alone ? motion_series_two(run, body, order, step)
                 : motion_series_all(run, order, step);
}

/* What the series of four variables add to them within dt: c_1 dt + c_2 dt^2 +
 * .. Odd and even terms are summed apart and four variables at a time, because
 * each sum waits for its own last term. Entry order + 1 of a row is 0. */
#define AT_ONCE 4
typedef double pair __attribute__((vector_size(16)));
static inline pair
two(const double *x)
{
    pair p;
    memcpy(&p, x, sizeof p);
    return p;
}

static void
increments(const double *const *series, int order, double dt, double *out)
{
    int k = (order - 1) | 1;
    double z = dt * dt;
    pair zz = {z, z}, p = two(series[0] + k), q = two(series[1] + k),
         r = two(series[2] + k), s = two(series[3] + k);
    for (k -= 2; k >= 1; k -= 2) {
        p = p * zz + two(series[0] + k);
        q = q * zz + two(series[1] + k);
        r = r * zz + two(series[2] + k);
        s = s * zz + two(series[3] + k);
    }
    out[0] = (p[0] + p[1] * dt) * dt;
    out[1] = (q[0] + q[1] * dt) * dt;
    out[2] = (r[0] + r[1] * dt) * dt;
    out[3] = (s[0] + s[1] * dt) * dt;
}

/* Does the same for a row that is a constant, a line or a parabola. Returns
 * false if it is none of these. */
static bool
short_increment(const double *c, int order, double dt, double *d)
{
    if (c[order] != 0.0 || !motion_zeros(c, 3, order))
        return false;
    *d = (c[2] * dt + c[1]) * dt;
    return true;
}

static void
advance_block(struct rt *run, uint32_t block, int order, double dt)
{
    const struct motion_block *moving = motion_block_of(run, block);
    const double *work = run->rows.block[block], *row[AT_ONCE];
    double *env = run->env, *lo = run->state_lo, change[AT_ONCE];
    uint32_t state0 = run->im->layout.state, at[AT_ONCE], waiting = 0,
             first = run->motion->place[block].first;
    for (uint32_t i = 0; i < moving->n_lines; i++) {
        uint32_t e = first + moving->lines[i].at;
        state_add(&env[e], &lo[e - state0],
                  work[moving->lines[i].row + 1] * dt);
    }
    for (uint32_t i = 0; i < moving->n_parabolas; i++) {
        uint32_t e = first + moving->parabolas[i].at;
        const double *c = work + moving->parabolas[i].row;
        state_add(&env[e], &lo[e - state0], (c[2] * dt + c[1]) * dt);
    }
    for (uint32_t i = 0; i < moving->n_series; i++) {
        uint32_t e = first + moving->series[i].at;
        row[waiting] = work + moving->series[i].row;
        at[waiting] = e;
        if (short_increment(row[waiting], order, dt, change))
            state_add(&env[e], &lo[e - state0], change[0]);
        else
            waiting++;
        if (waiting == 0 || (waiting < AT_ONCE && i + 1 < moving->n_series))
            continue;
        for (uint32_t j = waiting; j < AT_ONCE; j++)
            row[j] = row[0]; /* The result of these entries is not used. */
        increments(row, order, dt, change);
        for (uint32_t j = 0; j < waiting; j++)
            state_add(&env[at[j]], &lo[at[j] - state0], change[j]);
        waiting = 0;
    }
    for (uint32_t i = 0; i < moving->n_turning; i++)
        state_renormalise(env + first + moving->turning[i],
                          lo + (first + moving->turning[i] - state0));
}

/* Moves the state, the work of friction and the time. */
static void
move(struct rt *run, int order, double dt, double t)
{
    assert(order >= 1 && order <= IMP_ORDER_MAX);
    if (persistent_any(run) && run->im->dim == 2)
        persistent_friction_work(run, order, dt);
    if (run->joints)
        joint_friction_work(run, order, dt);
    for (uint32_t block = 0; block < run->im->blocks.n; block++)
        if (motion_block_free(run, block)->tape != IMP_NO_TAPE &&
            motion_block_free(run, block)->system == IMP_NO_SYSTEM &&
            motion_asks(run, block))
            advance_block(run, block, order, dt);
    run->env[run->im->layout.time] = t;
    motion_prescribed(run);
}

static void
advance(struct rt *run, int order, double dt, double t)
{
    if (run->trace)
        motion_trace(run, order, t);
    move(run, order, dt, t);
    if (persistent_any(run) && t < run->motion->ground)
        persistent_project(run);
    if (run->joints)
        joints_project(run);
}

void
motion_advance(struct rt *run, double dt, double t)
{
    advance(run, MOTION_STEP_ORDER, dt, t);
}

void
motion_advance_by(struct rt *run, int order, double dt, double t)
{
    advance(run, order, dt, t);
}

void
motion_look(struct rt *run, int order, double dt, double t)
{
    assert(run != NULL);
    move(run, order, dt, t);
}

void
motion_looks(struct rt *run, int order, double to)
{
    double from = rt_time(run), time;
    if (!looks_next(run, to, &time))
        return;
    struct saved_state here = saved_state_take(run);
    do {
        assert(time >= from);
        motion_look(run, order, time - from, time);
        looks_keep(run);
        saved_state_restore(run, &here);
    } while (looks_next(run, to, &time));
}

void
motion_look_settled(struct rt *run)
{
    assert(run != NULL);
    if (run->switching && persistent_any(run) &&
        rt_time(run) < run->motion->ground)
        persistent_project(run);
}

void
motion_advance_block(struct rt *run, uint32_t block, int order, double dt)
{
    assert(run != NULL && block < run->im->blocks.n);
    assert(order >= 1 && order <= IMP_ORDER_MAX);
    advance_block(run, block, order, dt);
}

bool
motion_short_of(const struct rt *run, uint32_t block, int order,
                struct motion_short *out)
{
    assert(run != NULL && out != NULL && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const struct motion_row *rows[] = {moving->lines, moving->parabolas,
                                       moving->series};
    const uint32_t count[] = {moving->n_lines, moving->n_parabolas,
                              moving->n_series};
    uint32_t first = run->motion->place[block].first - run->im->layout.state;
    out->n = 0;
    if (moving->n_turning > 0 ||
        count[0] + count[1] + count[2] > IMP_STATE_PLANE)
        return false;
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t i = 0; i < count[kind]; i++) {
            const double *c = run->rows.block[block] + rows[kind][i].row;
            if (kind == 2 && (c[order] != 0.0 || !motion_zeros(c, 3, order)))
                return false;
            out->term[out->n].entry = first + rows[kind][i].at;
            out->term[out->n].line = kind == 0;
            out->term[out->n].c[0] = c[1];
            out->term[out->n++].c[1] = c[2];
        }
    return true;
}

void
motion_short_go(const struct motion_short *motion, double dt, double *state,
                double *state_lo)
{
    assert(motion != NULL && state != NULL && state_lo != NULL);
    for (uint32_t i = 0; i < motion->n; i++) {
        const double *c = motion->term[i].c;
        uint32_t e = motion->term[i].entry;
        state_add(&state[e], &state_lo[e],
                  motion->term[i].line ? c[0] * dt : (c[1] * dt + c[0]) * dt);
    }
}

void
motion_advance_two(struct rt *run, const uint32_t body[2], int order, double dt,
                   double t)
{
    assert(run != NULL && body != NULL);
    uint32_t last = IMP_NO_BLOCK;
    for (int i = 0; i < 2; i++) {
        uint32_t block = rt_body(run, body[i])->block;
        if (block != IMP_NO_BLOCK && block != last)
            advance_block(run, block, order, dt);
        last = block;
    }
    run->env[run->im->layout.time] = t;
}

/* The same polynomial about dt in place of the copy of a row at this index. */
static void
row_ahead(const double *rows, uint32_t row, int order, double dt, double *to)
{
    const double *from = rows + (size_t)row * IMP_ROW_STRIDE;
    to += (size_t)row * IMP_ROW_STRIDE;
    memcpy(to, from, IMP_ROW_STRIDE * sizeof *to);
    polynomial_about(from + IMP_ROW_PAD, order, dt, to + IMP_ROW_PAD);
}

/* The rows of the block of a body of its own about the present time. Values are
 * those of the state, whose sums are compensated. */
static void
block_ahead(const struct rt *run, const imp_body *body, int order, double dt,
            double *to)
{
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + body->block;
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t),
                   *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    const double *rows = run->rows.block[body->block];
    for (uint32_t k = 0; k < block->state.n; k++) {
        row_ahead(rows, row[k], order, dt, to);
        to[(size_t)row[k] * IMP_ROW_STRIDE + IMP_ROW_PAD] = run->env[state[k]];
    }
    double angle = run->env[body->env_state + 2];
    for (int k = 2; k < 4 && run->im->dim == 2; k++) {
        if (body->pose[k] == IMP_NO_ROW)
            continue;
        row_ahead(rows, body->pose[k], order, dt, to);
        to[(size_t)body->pose[k] * IMP_ROW_STRIDE + IMP_ROW_PAD] =
            k == 2 ? cos(angle) : sin(angle);
    }
}

/* exchanges the rows of the blocks of both bodies with those of `ahead` */
static void
exchange_ahead(struct rt *run, const uint32_t body[2])
{
    for (int i = 0; i < 2; i++) {
        uint32_t block = rt_body(run, body[i])->block;
        if (block == IMP_NO_BLOCK)
            continue;
        double *rows = run->rows.block[block];
        run->rows.block[block] = run->motion->ahead[i];
        run->motion->ahead[i] = rows;
    }
}

void
motion_ahead_two(struct rt *run, const uint32_t body[2], int order, double dt)
{
    assert(run != NULL && body != NULL && motion_by_weight(run));
    struct motion_plan *plan = run->motion;
    for (int i = 0; i < 2; i++) {
        const imp_body *of = rt_body(run, body[i]);
        if (of->block == IMP_NO_BLOCK)
            continue;
        uint32_t tape =
            IMP_ARRAY(run->im, run->im->blocks, imp_block)[of->block].motion;
        size_t room = ((size_t)rt_tape(run, tape)->n_rows + 1) * IMP_ROW_STRIDE;
        if (room > plan->ahead_room[i]) {
            plan->ahead_room[i] = room;
            plan->ahead[i] = NEW_N(run->own, double, room);
        }
        block_ahead(run, of, order, dt, plan->ahead[i]);
    }
    exchange_ahead(run, body);
}

void
motion_ahead_end(struct rt *run, const uint32_t body[2])
{
    assert(run != NULL && body != NULL);
    exchange_ahead(run, body);
}

int
motion_stuck(struct rt *run)
{
    char t[NUM_TEXT];
    struct diag *diag = diag_add(run->ds, DIAG_E0603, IMP_NOWHERE,
                                 "the motion cannot be continued beyond t = %s",
                                 rt_told(t, rt_time(run), 9));
    diag_help(run->ds, diag,
              "its time series has no radius of convergence there: a force "
              "or a speed grows without bound, or a formula is not smooth");
    return IMP_FAILED;
}

int
motion_to(struct rt *run, double until)
{
    assert(!isnan(until));
    /* forces of contacts need two orders more */
    int full = persistent_any(run) ? MOTION_STEP_ORDER : MOTION_ORDER;
    while (rt_time(run) != until) {
        if (rt_stopped(run))
            return IMP_STOPPED;
        double h, t0 = rt_time(run), t1 = until;
        bool few = persistent_any(run) && motion_by_weight(run);
        int order = few ? MOTION_FEW_TERMS : full,
            st = motion_series_all(run, order, &h);
        if (!st && few && fabs(until - t0) > h)
            st = motion_series_more(run, order = full, &h);
        if (st != IMP_OK)
            return st;
        if (fabs(until - t0) > h) {
            t1 = until > t0 ? t0 + h : t0 - h;
            if (t1 == t0)
                return motion_stuck(run);
        }
        motion_looks(run, order, t1);
        advance(run, order, t1 - t0, t1);
    }
    return IMP_OK;
}

int
motion_totals(struct rt *run, struct motion_totals *out)
{
    assert(run != NULL && out != NULL);
    memset(out, 0, sizeof *out);
    for (uint32_t system = 0; system < run->im->systems.n; system++) {
        double sums[2];
        uint32_t tape = rt_system(run, system)->energy;
        int st = rt_eval(run, tape, NULL, sums);
        if (st == IMP_NONFINITE)
            rt_nonfinite(run, tape, NULL);
        if (st != IMP_OK)
            return IMP_FAILED;
        out->kinetic += sums[0];
        out->potential += sums[1];
    }
    for (uint32_t block = 0; block < run->im->bodies.n; block++) {
        const imp_body *body = rt_body(run, block);
        double sums[8];
        if (body->energy == IMP_NO_TAPE || (body->flags & IMP_BODYF_FIXED))
            continue;
        rt_enter(run, block);
        int st = rt_eval(run, body->energy, NULL, sums);
        if (st == IMP_NONFINITE) {
            rt_nonfinite(run, body->energy, NULL);
            return IMP_FAILED;
        }
        if (st != IMP_OK)
            return st;
        out->kinetic += sums[0];
        out->potential += sums[1];
        for (int i = 0; i < 3; i++) {
            out->momentum[i] += sums[2 + i];
            out->angular[i] += sums[5 + i];
        }
    }
    return IMP_OK;
}
