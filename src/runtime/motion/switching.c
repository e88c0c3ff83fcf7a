/* SPDX-License-Identifier: MIT */
/* Where a block's formulas change their branch (switching.h; branches.c finds
 * the change). Where only forces change, the branch that is left may be
 * followed a little further. */
#include "runtime/motion/switching.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/polynomial.h"

/* -- pieces of some steps of the clock ------------------------------------- */

/* A piece so many steps of the clock long: finite forces, and their powers of
 * a speed, change places and speeds by less than their rounding. */
#define BRIEF_CLOCK 64.0
#define BRIEF_STEP 4.0 /* a step of the clock in roundings of the time */
/* So many of them in a row lead out of where the series are that short, as each
 * doubles the time since they were. */
#define BRIEF_MANY 64

static double
brief_length(const struct rt *run, const struct persistent_group *group)
{
    assert(run);
    double square = INFINITY, push[2]; /* of the least time */
    uint32_t n = group ? group->moved.n_block : 0;
    for (uint32_t i = 0; i < n; i++) {
        const imp_block *at = IMP_ARRAY(run->im, run->im->blocks, imp_block) +
                              group->moved.block[i];
        const uint32_t *body = IMP_ARRAY(run->im, at->bodies, uint32_t);
        persistent_accelerations(run, group->moved.block[i], push);
        for (uint32_t b = 0; b < at->bodies.n; b++) {
            uint32_t env = rt_body(run, body[b])->env_body + IMP_BODY_RADIUS;
            if (run->env[env] > 0.0 && run->env[env] / push[0] < square)
                square = run->env[env] / push[0];
        }
    }
    double time = isfinite(square) ? sqrt(square) : 0.0;
    return BRIEF_CLOCK *
           fmax(switching_least(run), BRIEF_STEP * DBL_EPSILON * time);
}

double
motion_brief(const struct rt *run, struct motion_brief *brief,
             const struct persistent_group *group)
{
    assert(run && brief);
    double now = rt_time(run), length = brief_length(run, group),
           gone = now - brief->time;
    /* what others end sooner counts together */
    if (!(gone >= 0.0 && gone < 0.5 * length)) {
        brief->many = fabs(gone) <= 2.0 * length ? brief->many + 1 : 1;
        brief->time = now;
    }
    return brief->many > BRIEF_MANY ? 0.0 : length;
}

/* Does friction hold a rotor of the block? */
static bool
holds_rotors(const struct rt *run, uint32_t block)
{
    const imp_rotor *rotor = IMP_ARRAY(run->im, run->im->rotors, imp_rotor);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if (rt_body(run, rotor[i].body)->block == block &&
            run->env[rotor[i].env_rotor + IMP_ROTOR_HELD] != 0.0)
            return true;
    return false;
}

/* Do contacts, joints, rotors or relays at rest take part of the forces? What
 * these have changed by shows in no velocity while it is held, and decides how
 * long that is. Where the motion stays at the change it is no other. */
static bool
constrained(const struct rt *run, uint32_t block)
{
    const struct motion_block *moving = motion_block_of(run, block);
    if (relays_holding(run, block))
        return true;
    if (moving->observer)
        return false;
    if (moving->system != IMP_NO_SYSTEM)
        return system_slides(run, moving->system);
    return IMP_ARRAY(run->im, run->im->blocks, imp_block)[block].n_unknown >
               0 ||
           holds_rotors(run, block);
}

/* What is left of loads that are held is so many of their roundings. */
#define HELD_NOISE 64.0
/* A motion that rests is followed for this share of what its series say, or
 * more. */
#define HELD_SHORT 0x1p-40

/* A block of which contacts hold a part, aside from what is kept of its motion.
 */
struct aside {
    double *rows, *work, *state, *mass;
    double *load, *high, *low; /* accelerations without contacts: here, and with
                                  velocities on both sides of a change */
    double *push; /* the loads, as if they acted on any of the velocities:
                     contacts that take them in one direction leave rounding of
                     that in others */
    const uint32_t *at, *row;
    uint32_t n;
};

static struct aside
aside_of(struct rt *run, uint32_t block, const struct branched *formulas)
{
    static const char key = 0;
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    uint32_t tape = motion_block_free(run, block)->tape;
    size_t n = of->state.n,
           rows = (size_t)rt_tape(run, tape)->n_rows * IMP_ROW_STRIDE,
           work = ((size_t)rt_tape(run, formulas->tape)->n_rows + 1) *
                  IMP_ROW_STRIDE;
    struct arena *arena;
    double *memory =
        rt_keep(run, &key, block,
                (rows + work + 5 * n + n * n + 1) * sizeof(double), &arena);
    struct aside aside = {.rows = memory, .n = (uint32_t)n};
    aside.work = aside.rows + rows;
    aside.state = aside.work + work;
    aside.load = aside.state + n;
    aside.high = aside.load + n;
    aside.low = aside.high + n;
    aside.push = aside.low + n;
    aside.mass = aside.push + n;
    aside.at = IMP_ARRAY(run->im, of->state, uint32_t);
    aside.row = IMP_ARRAY(run->im, of->rows, uint32_t);
    return aside;
}

/* The rates of all variables without forces of contacts, after a time in which
 * `push` has changed the velocities; false: none. */
static bool
loads(struct rt *run, uint32_t block, const struct aside *aside, double time,
      double *to)
{
    double *rows = run->rows.block[block];
    for (uint32_t i = 0; i < aside->n; i++) {
        aside->state[i] = run->env[aside->at[i]];
        run->env[aside->at[i]] += time * aside->push[i];
        /* nobody writes the rates of what is constant */
        aside->rows[(size_t)aside->row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1] =
            0.0;
    }
    run->rows.block[block] = aside->rows;
    bool known = motion_rows_free(run, block, 1) == IMP_OK;
    run->rows.block[block] = rows;
    for (uint32_t i = 0; i < aside->n; i++) {
        run->env[aside->at[i]] = aside->state[i];
        to[i] = aside->rows[(size_t)aside->row[i] * IMP_ROW_STRIDE +
                            IMP_ROW_PAD + 1];
    }
    return known;
}

double
motion_energy_norm(const struct rt *run, uint32_t block, const double *mass,
                   const double *numbers)
{
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t),
                   *body = IMP_ARRAY(run->im, at->bodies, uint32_t);
    const enum motion_what *what = motion_block_of(run, block)->what;
    if (motion_block_of(run, block)->system != IMP_NO_SYSTEM)
        return system_energy_norm(mass, numbers + at->state.n / 2,
                                  at->state.n / 2);
    bool plane = run->im->dim == 2;
    uint32_t size = plane ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    double sum = 0.0;
    for (uint32_t i = 0; i < at->state.n; i++) {
        const imp_body *of = NULL;
        for (uint32_t b = 0; b < at->bodies.n && !of; b++)
            if (state[i] - rt_body(run, body[b])->env_state < size)
                of = rt_body(run, body[b]);
        if (!of || what[i] == MOTION_POSE)
            continue;
        const double *constants = run->env + of->env_body;
        /* the three spins are the last entries of a state in space */
        uint32_t axis = plane ? 0 : state[i] - of->env_state - (size - 3);
        sum += (what[i] == MOTION_SPIN ? constants[IMP_BODY_INERTIA + axis]
                                       : constants[IMP_BODY_MASS]) *
               numbers[i] * numbers[i];
    }
    return sqrt(sum);
}

/* The rate of a switching function, with the rates of the variables that stand
 * in the rows of `aside`. NAN: it has no series. */
static double
rate_of(struct rt *run, const struct branched *formulas,
        const double *const rows[3], const struct aside *aside, int guard)
{
    const double *from[] = {aside->rows, rows[1], rows[2]};
    return rt_series(run, formulas->tape, NULL, from, aside->work, 1) == IMP_OK
               ? branched_series(run, formulas, aside->work, guard)[1]
               : NAN;
}

/* How fast a switching function would change if they did. NAN: it has no
 * series. */
static double
driven(struct rt *run, uint32_t block, const struct branched *formulas,
       const double *const rows[3], const struct aside *aside, int guard)
{
    double load = motion_energy_norm(run, block, aside->mass, aside->load);
    memset(aside->low, 0, aside->n * sizeof *aside->low);
    for (uint32_t i = 0; i < aside->n; i++) {
        aside->low[i] = 1.0;
        double weight = motion_energy_norm(run, block, aside->mass, aside->low);
        aside->low[i] = 0.0;
        aside->push[i] = weight > 0.0 ? load / weight : 0.0;
        if (weight > 0.0) /* a velocity */
            aside->rows[(size_t)aside->row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD +
                        1] = aside->push[i];
    }
    return rate_of(run, formulas, rows, aside, guard);
}

/* Do the loads, which are `high` less those on the side from which `push`
 * leads, drive the motion back where they jump at this change, as dry friction
 * does? */
static bool
opposes(struct rt *run, const struct branched *formulas,
        const double *const rows[3], const struct aside *aside, int guard,
        double rate)
{
    double away[2]; /* the rates without the jump and with it */
    for (int jump = 0; jump < 2; jump++) {
        for (uint32_t i = 0; i < aside->n; i++)
            aside->rows[(size_t)aside->row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD +
                        1] = jump ? aside->high[i] : 0.0;
        away[jump] = rate_of(run, formulas, rows, aside, guard);
    }
    return rate > 0.0 ? away[1] < away[0] : away[1] > away[0];
}

/* Is u at rest for ever, but for a rate within this one, which is rounding? */
static bool
drifts(const double *u, int order, double rate)
{
    return u[0] == 0.0 && fabs(u[1]) <= rate && motion_zeros(u, 2, order);
}

/* Does the motion stay at this change of branch throughout a step, which may
 * become shorter, because contacts hold it there? Where the loads are the same
 * on both sides, it is rounding that leads to and fro, and no branch ends.
 * Where they jump and drive the motion back, rest is what both sides lead to:
 * what contacts hold under a load between both stays where it is. */
static bool
rests_at(struct rt *run, uint32_t block, const struct branched *formulas,
         const double *const rows[3], int guard, int order, double *span)
{
    const struct motion_block *moving = motion_block_of(run, block);
    bool system = moving->system != IMP_NO_SYSTEM;
    const double *u = branched_series(run, formulas, NULL, guard);
    if (moving->observer || !(system ? system_slides(run, moving->system)
                                     : persistent_moves(run, block)))
        return false;
    struct aside aside = aside_of(run, block, formulas);
    if ((system && system_mass(run, moving->system, aside.mass) != IMP_OK) ||
        !loads(run, block, &aside, 0.0, aside.load))
        return false;
    double load = motion_energy_norm(run, block, aside.mass, aside.load),
           towards = driven(run, block, formulas, rows, &aside, guard),
           rate = fabs(towards), share = HELD_NOISE * DBL_EPSILON,
           time = 4.0 * fabs(u[0]) / rate + switching_least(run);
    if (!(rate > 0.0 && loads(run, block, &aside, time, aside.high) &&
          loads(run, block, &aside, -time, aside.low)))
        return false;
    for (uint32_t i = 0; i < aside.n; i++)
        aside.high[i] -= aside.low[i];
    if (!(motion_energy_norm(run, block, aside.mass, aside.high) <=
          share * load) &&
        !opposes(run, formulas, rows, &aside, guard, towards))
        return false;
    /* series of what rests may seem to hold for ever */
    if (!isfinite(*span))
        return drifts(u, order, share * rate);
    for (double length = *span;
         length >= fmax(*span * HELD_SHORT, switching_least(run));
         length *= 0.5)
        if (polynomial_size(u, order, length) <= share * rate * length) {
            *span = length;
            return true;
        }
    return false;
}

static int
branches_end(struct rt *run, uint32_t block, int order, double *step,
             int *which)
{
    struct branched formulas = branched_block(run, block);
    *which = -1;
    if (formulas.tape == IMP_NO_TAPE)
        return IMP_OK;
    const double *rows[] = {run->rows.block[block], system_felt_by(run, block),
                            system_memory_by(run, block)};
    struct branch_end first, soft;
    double span = *step;
    bool parabola = isfinite(motion_parabola(run, block));
    int st;
    for (uint32_t i = 0; i < formulas.n; i++)
        if (relays_minds(run, block, (int)i))
            branched_leave_out(&formulas, (int)i);
    for (uint32_t left = formulas.n;; left--) {
        st = branched_first_end(run, &formulas, rows, order, parabola, step,
                                &first, &soft);
        const struct branch_end *next = soft.guard >= 0 ? &soft : &first;
        if (st || left == 0 || next->guard < 0 ||
            (!branched_lingers(&formulas, next->guard) &&
             branched_series(run, &formulas, NULL, next->guard)[0] != 0.0) ||
            !rests_at(run, block, &formulas, rows, next->guard, order, &span))
            break;
        branched_leave_out(&formulas, next->guard);
        *step = span;
    }
    branched_leave_out(&formulas, -1);
    if (st)
        return st;
    if (soft.guard >= 0) {
        first = soft;
        double least = fmax(soft.s, switching_least(run));
        if (!parabola)
            /* a branch that changes at once: a piece that the clock sees */
            *step = constrained(run, block) &&
                            !branched_returns(&formulas, first.guard)
                        ? least
                        : crossing_length(run, block, order, least, *step);
        else if (persistent_moves(run, block) &&
                 relays_has(run, block, first.guard) &&
                 !branched_returns(&formulas, first.guard))
            /* the rate may come to rest there, and is far beyond at the end */
            *step = fmin(*step, least);
    }
    *which = first.guard;
    return branched_held(run, &formulas, &first, span, *step);
}

double
switching_next(struct rt *run, uint32_t block, int order, double span)
{
    assert(run != NULL && block < run->im->blocks.n);
    struct branched formulas = branched_block(run, block);
    if (formulas.tape == IMP_NO_TAPE)
        return INFINITY;
    const double *rows[] = {run->rows.block[block], system_felt_by(run, block),
                            system_memory_by(run, block)};
    bool *held = NEW_N(run->brief, bool, formulas.n + 1);
    for (uint32_t i = 0; i < formulas.n; i++)
        held[i] = relays_minds(run, block, (int)i);
    return fmin(branched_next(run, &formulas, rows, order, span, held),
                relays_next(run, block, order, span));
}

/* Is the length of a step told by the series of the block, or by series that
 * parts of it have of their own: soft, curved, rough joints? */
static bool
tells(const struct rt *run, uint32_t block)
{
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    uint32_t system = motion_block_of(run, block)->system;
    const struct persistent_group *group =
        persistent_moves(run, block) ? run->persistent_memory->of[block] : NULL;
    if (group || at->n_rub > 0)
        return !group || group->rubs || group->yields ||
               !persistent_corners_only(group);
    if (system == IMP_NO_SYSTEM && at->n_unknown == 0 &&
        branched_block(run, block).n == 0)
        return true;
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        if (rt_contact(run, i)->system == system &&
            rt_contact(run, i)->compliance != IMP_NO_TAPE)
            return true;
    return false;
}

int
switching_end(struct rt *run, uint32_t block, int order, double *step,
              int *which)
{
    assert(step != NULL && which != NULL && block < run->im->blocks.n);
    int st = branches_end(run, block, order, step, which);
    if (st || motion_by_weight(run) || tells(run, block))
        return st;
    if (persistent_moves(run, block) &&
        (run->persistent_memory->of[block]->parabola ||
         *step <= brief_length(run, run->persistent_memory->of[block])))
        return IMP_OK;
    double length = crossing_bounded(run, block, order, *step);
    if (length < *step)
        *which = -1; /* no branch changes so early */
    *step = length;
    return IMP_OK;
}

/* -- sides of changes ------------------------------------------------------
 */

struct switching_sides {
    const bool *block;
    double *side; /* per guard of these blocks, one block after the other
                     (branched_sides) */
    size_t n;
};

/* The sides of all guards of these blocks, from the rates of the motion without
 * closed contacts. Where it has none, they are on no side; or, of the state
 * alone, those that ask for no rates are. */
static void
sides_fill(struct rt *run, const struct switching_sides *sides, bool alone)
{
    double *side = sides->side;
    for (size_t i = 0; i < sides->n; i++)
        side[i] = NAN;
    for (uint32_t b = 0; b < run->im->blocks.n; b++) {
        uint32_t n = sides->block[b] ? switching_count(run, b) : 0;
        if (n == 0)
            continue;
        struct branched formulas = branched_block(run, b);
        struct aside aside = aside_of(run, b, &formulas);
        const double *rows[] = {aside.rows, NULL, NULL};
        double *kept = run->rows.block[b];
        run->rows.block[b] = aside.rows;
        int st = motion_rows_free(run, b, 1);
        run->rows.block[b] = kept;
        if (st == IMP_OK || (alone && st == IMP_NONFINITE))
            branched_sides(run, &formulas, rows, side);
        side += n;
    }
}

struct switching_sides *
switching_sides_now(struct rt *run, const bool *block)
{
    assert(run != NULL && block != NULL);
    struct switching_sides *sides = NEW(run->brief, struct switching_sides);
    for (uint32_t b = 0; run->switching && b < run->im->blocks.n; b++)
        sides->n += block[b] ? switching_count(run, b) : 0;
    if (sides->n == 0)
        return NULL;
    sides->block = block;
    sides->side = NEW_N(run->brief, double, sides->n);
    sides_fill(run, sides, false);
    return sides;
}

bool
switching_sides_left(struct rt *run, const struct switching_sides *then)
{
    assert(run != NULL);
    if (!then)
        return false;
    struct switching_sides now = *then;
    now.side = NEW_N(run->brief, double, now.n);
    sides_fill(run, &now, false);
    for (size_t i = 0; i < now.n; i++)
        if (fabs(now.side[i] - then->side[i]) > 0.0)
            return true;
    return false;
}

/* Does a run begin behind a change of this guard? Of systems those of gaps and
 * slides count for nothing, since these would have moved; so do those of gaps
 * in models with joints: what joints take along where a body changes its speed
 * at once is seen where a run comes to that time. */
static bool
begins_behind(const struct rt *run, uint32_t block, const imp_guard *guard)
{
    return !guard->gap ||
           (motion_block_of(run, block)->system == IMP_NO_SYSTEM &&
            run->im->joints.n == 0);
}

/* Is one of these guards on a side now that was on none then? */
static bool
sides_come(const struct rt *run, const struct switching_sides *sides,
           const double *then)
{
    const double *now = sides->side;
    for (uint32_t b = 0; b < run->im->blocks.n; b++) {
        uint32_t n = sides->block[b] ? switching_count(run, b) : 0;
        struct branched formulas = branched_block(run, b);
        for (uint32_t i = 0; i < n; i++, then++, now++)
            if (isnan(*then) && !isnan(*now) &&
                begins_behind(run, b, formulas.guard + i))
                return true;
    }
    return false;
}

void
switching_begin(struct rt *run)
{
    assert(run != NULL && rt_time(run) == 0.0);
    uint32_t n = run->im->blocks.n;
    bool *block = NEW_N(run->brief, bool, n + 1);
    /* not of what follows the motion of others, or remembers */
    for (uint32_t b = 0; b < n; b++)
        block[b] = !motion_block_of(run, b)->observer &&
                   system_memory_by(run, b) == NULL;
    struct switching_sides *at = switching_sides_now(run, block);
    if (!at)
        return;
    sides_fill(run, at, true);
    double *here = at->side;
    at->side = NEW_N(run->brief, double, at->n);
    run->env[run->im->layout.time] = switching_least(run);
    sides_fill(run, at, true);
    if (!sides_come(run, at, here))
        run->env[run->im->layout.time] = 0.0;
    motion_prescribed(run);
    switching_reset(run); /* sizes of terms have been noted on both sides */
}

/* -- singularities ---------------------------------------------------------
 */

/* A place whose exponent is below 1 by this has a rate without bound. */
#define UNBOUNDED 1e-3
/* How many of the least steps of the clock it may be away. */
#define SINGULAR_STEPS 64.0

/* Is this entry of env a place, and no rate? */
static bool
is_place(const struct rt *run, uint32_t env)
{
    const imp_image *im = run->im;
    uint32_t size = im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE,
             pose = im->dim == 2 ? 3 : 7;
    const imp_coordinate *coordinate =
        IMP_ARRAY(im, im->coordinates, imp_coordinate);
    if (env - im->layout.state < im->bodies.n * size)
        return (env - im->layout.state) % size < pose;
    for (uint32_t i = 0; i < im->coordinates.n; i++)
        if (coordinate[i].env == env)
            return true;
    return false;
}

/* Notes which places of the block run into a singularity, from its rows. */
void
motion_note_singular(struct rt *run, uint32_t block)
{
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *state = IMP_ARRAY(run->im, of->state, uint32_t),
                   *row = IMP_ARRAY(run->im, of->rows, uint32_t);
    struct run_singular *found = NEW(run->arena, struct run_singular);
    run->singular = found;
    found->time = rt_time(run);
    found->v = NEW_N(run->arena, struct singular_variable, of->state.n + 1);
    for (uint32_t i = 0; i < of->state.n; i++) {
        struct singular_variable *variable = &found->v[found->n];
        variable->env = state[i];
        if (is_place(run, state[i]))
            found->n += singularity_of(run->rows.block[block] +
                                           (size_t)row[i] * IMP_ROW_STRIDE +
                                           IMP_ROW_PAD,
                                       MOTION_SINGULAR_ORDER, &variable->is);
    }
}

int
motion_blows_up(struct rt *run, uint32_t block)
{
    assert(run && block < run->im->blocks.n);
    double near = SINGULAR_STEPS * switching_least(run);
    char now[NUM_TEXT];
    motion_note_singular(run, block);
    const struct run_singular *found = run->singular;
    bool ends = false;
    for (uint32_t i = 0; i < found->n; i++)
        ends |= found->v[i].is.left <= near &&
                found->v[i].is.exponent < 1.0 - UNBOUNDED;
    run->singular = ends ? run->singular : NULL;
    if (!ends)
        return IMP_OK;
    const struct motion_block *moving = motion_block_of(run, block);
    imp_range where = moving->system != IMP_NO_SYSTEM
                          ? rt_system(run, moving->system)->range
                          : IMP_NOWHERE;
    struct diag *diag = diag_add(
        run->ds, DIAG_E0602, where,
        "the motion comes to a singularity at t = %s: a rate grows without "
        "bound",
        rt_told(now, found->time, 9));
    diag_help(run->ds, diag,
              "end the run before it (`until`), or keep the motion away from "
              "there");
    return IMP_FAILED;
}

/* -- relays of bodies beside closed contacts --------------------------------
 */

/* Makes the series of the block to order 1. */
static int
first_order(struct rt *run, uint32_t block)
{
    return persistent_series(run, 1, block);
}

/* What unit forces of all points that push do to the state of the block. */
static void
lift(const struct rt *run, uint32_t block, double *to)
{
    const struct persistent_group *group = run->persistent_memory->of[block];
    const imp_block *at = persistent_block(run, block);
    const uint32_t *in = IMP_ARRAY(run->im, at->bodies, uint32_t);
    uint32_t per = persistent_per_body(run), size = at->state.n / at->bodies.n;
    memset(to, 0, at->state.n * sizeof *to);
    for (int i = 0; i < group->n_unknown; i++) {
        const double *answer =
            group->answer + (size_t)i * 6 * group->moved.n_body;
        for (uint32_t k = 0;
             group->unknown[i].value == &group->unknown[i].row->gap &&
             k < group->moved.n_body;
             k++)
            for (uint32_t b = 0; b < at->bodies.n; b++)
                for (uint32_t c = 0; in[b] == group->moved.body[k] && c < per;
                     c++)
                    to[b * size + size - per + c] +=
                        answer[6 * k + persistent_entry(run, c)];
    }
}

/* A force beyond a cone by less than this share of it may be rounding. */
#define CLEARLY_BEYOND 1e-9

/* Would a contact all of whose points stick have to slip, by the forces of the
 * series made last? */
static bool
slips(const struct rt *run, uint32_t block)
{
    const struct persistent_group *group = run->persistent_memory->of[block];
    for (int i = 0; i < group->n; i++) {
        uint32_t contact = group->row[i].spot.contact;
        double along = 0.0, most = 0.0;
        bool sticks = true;
        for (int j = 0; j < group->n; j++) {
            const struct persistent_row *row = group->row + j;
            if (row->spot.contact != contact || !row->on)
                continue;
            sticks =
                sticks && row->friction && row->friction->mode == CONTACT_STICK;
            if (!sticks)
                break;
            along += row->friction->force.c[0];
            most += row->friction->mu_static * row->force.c[0];
        }
        if (sticks && fabs(along) > most + CLEARLY_BEYOND * fabs(most))
            return true;
    }
    return false;
}

/* Is this row the first one of its contact? */
static bool
begins_contact(const struct persistent_group *group, int i)
{
    for (int j = 0; j < i; j++)
        if (group->row[j].spot.contact == group->row[i].spot.contact)
            return false;
    return true;
}

/* The normal force of each contact of the group, of all its points that push.
 */
static uint32_t
normal_forces(const struct rt *run, uint32_t block, double *out)
{
    const struct persistent_group *group = run->persistent_memory->of[block];
    uint32_t n = 0;
    for (int i = 0; i < group->n; i++) {
        if (!begins_contact(group, i))
            continue;
        double sum = 0.0;
        for (int j = i; j < group->n; j++)
            if (group->row[j].on &&
                group->row[j].spot.contact == group->row[i].spot.contact)
                sum += group->row[j].force.c[0];
        if (out)
            out[n] = sum;
        n++;
    }
    return n;
}

int
switching_relays_held(struct rt *run)
{
    const struct relay_contacts contacts = {first_order, lift, slips,
                                            normal_forces};
    int st = IMP_OK;
    for (uint32_t block = 0; run->relays && block < run->im->blocks.n && !st;
         block++)
        if (persistent_moves(run, block) && motion_lets(run, block))
            st = relays_settle_bodies(run, block, switching_least(run),
                                      &contacts);
    return st;
}

/* -- rests ------------------------------------------------------------------
 */

/* Forces that differ by so many roundings of the greatest are the same. */
#define REST_LOADED 64.0

/* The normal forces at closed contacts, and those along slips, by the rows made
 * last. */
static void
forces_at(const struct persistent_group *group, double *force)
{
    for (int i = 0; i < group->n_on; i++) {
        const struct persistent_row *row = group->row + i;
        *force++ = row->force.c[0];
        *force++ = row->friction ? row->friction->force.c[0] : 0.0;
    }
}

double
crossing_rests_alike(struct rt *run, struct persistent_group *group)
{
    assert(run != NULL && group != NULL);
    size_t n = 2 * (size_t)group->n_on;
    double *now = NEW_N(run->brief, double, n + 1),
           *then = NEW_N(run->brief, double, n + 1), start = rt_time(run),
           length = crossing_rests(run, *group->moved.block), most = 0.0,
           off = 0.0;
    forces_at(group, now);
    for (int end = 1; end >= 0 && length > 0.0; end--) {
        run->env[run->im->layout.time] = end ? start + length : start;
        int st = persistent_group_series(run, group, 1, UINT32_MAX);
        if (end && !st)
            forces_at(group, then);
        else if (end)
            off = INFINITY;
    }
    for (size_t i = 0; i < n && length > 0.0; i++) {
        most = fmax(most, fabs(now[i]));
        off = fmax(off, fabs(then[i] - now[i]));
    }
    return off <= REST_LOADED * DBL_EPSILON * most ? length : 0.0;
}
