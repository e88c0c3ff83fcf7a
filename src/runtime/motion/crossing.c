/* SPDX-License-Identifier: MIT */
/* How far a series may be followed beyond its domain (switching.h).
 *
 * Let p be the followed motion, f the accelerations of the model, and d(h) =
 * f(p(h)) - p''(h) what is missed at time h. At a change of branch d grows like
 * a power of h: the zeroth where a force jumps, the first where a spring
 * begins, 3/2 for two spheres of Hertz. So the velocities are off by less than
 * h |d(h)|, and places by h times that. h is raised from the least step of the
 * clock for as long as h |d(h)| is within rounding of the velocities: the order
 * of the change need not be known.
 *
 * Velocities of a system are compared in the norm of the kinetic energy; those
 * of bodies speeds with speeds, spins with spins. What is at rest is measured
 * by what moves it. Observers have no such norm: each variable is compared with
 * itself. One that begins at 0 together with its rate has no size yet. Then h
 * is the shortest step to where a series exists; later ones grow (series.c). */

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

/* A velocity that comes to 0 within so many of the least steps, and is not
 * pushed on there by more than this share of the force that stops it, stays 0.
 */
#define CROSSING_STOP 64.0
#define CROSSING_ENDED 0x1p-10
/* Loads that closed contacts and joints take are cancelled to so many of their
 * rounding errors: those of a small linear system. */
#define CROSSING_CANCELLED 64.0
/* The step is raised by this factor, then by its square root, and so on down
 * to CROSSING_FINE. */
#define CROSSING_FACTOR 256.0
#define CROSSING_FINE 1.5
static const imp_block *
block_of(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

double
crossing_rate(const struct rt *run, uint32_t block, uint32_t i)
{
    const uint32_t *row =
        IMP_ARRAY(run->im, block_of(run, block)->rows, uint32_t);
    return run->rows
        .block[block][(size_t)row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
}

struct crossing *
crossing_of(struct rt *run, uint32_t block)
{
    const struct motion_block *moving = motion_block_of(run, block);
    struct crossing **own = run->motion->crossing + block;
    uint32_t n = block_of(run, block)->state.n;
    if (*own != NULL)
        return *own;
    struct crossing *made = NEW(run->own, struct crossing);
    uint32_t tape =
        motion_block_free(run, block)->tape; /* whose rows are swapped */
    made->rows = NEW_N(run->own, double,
                       rt_tape(run, tape)->n_rows *(size_t)IMP_ROW_STRIDE + 1);
    made->state = NEW_N(run->own, double, n + 1);
    made->off = NEW_N(run->own, double, n + 1);
    made->speed = NEW_N(run->own, double, n + 1);
    made->mass = NEW_N(run->own, double, (size_t)n *n + 1);
    if (moving->observer)
        made->felt =
            NEW_N(run->own, double,
                  system_felt_size(rt_system(run, moving->system)) + 1);
    return *own = made;
}

/* What is asked elsewhere comes into other rows; those that are followed stay,
 * and the state where they begin. Called again, it brings them back. */
static void
lay_aside(struct rt *run, uint32_t block, struct crossing *own)
{
    double *rows = run->rows.block[block];
    run->rows.block[block] = own->rows;
    own->rows = rows;
    relays_lay_aside(run, block);
}

void
crossing_follow(struct rt *run, uint32_t block, struct crossing *own)
{
    const imp_block *at = block_of(run, block);
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t);
    lay_aside(run, block, own);
    for (uint32_t i = 0; i < at->state.n; i++)
        own->state[i] = run->env[state[i]];
}

/* Observers feel the motion at `step` from the beginning. */
static void
feel_ahead(struct rt *run, uint32_t system, const struct crossing *own,
           double step)
{
    double *felt = system_felt(run, system);
    size_t n = (size_t)system_n_felt(run, system) * IMP_ROW_STRIDE;
    for (size_t at = 0; at < n; at += IMP_ROW_STRIDE)
        polynomial_about(own->felt + at + IMP_ROW_PAD, IMP_ORDER_MAX, step,
                         felt + at + IMP_ROW_PAD);
}

const double *
crossing_row(const struct crossing *own, const imp_block *block,
             const struct rt *run, uint32_t variable)
{
    return own->rows +
           (size_t)IMP_ARRAY(run->im, block->rows, uint32_t)[variable] *
               IMP_ROW_STRIDE +
           IMP_ROW_PAD;
}

/* Sums whose terms wait for each other: so many take as long as one. */
#define CROSSING_AT_ONCE 4
typedef double pair __attribute__((vector_size(16)));

/* What some rows change by until `step`, and their rates there. */
static void
changes(const double *const row[CROSSING_AT_ONCE], int order, double step,
        double change[CROSSING_AT_ONCE], double rate[CROSSING_AT_ONCE])
{
    pair zero = {0.0, 0.0}, by = {step, step}, moved[2] = {zero, zero},
         turned[2] = {zero, zero};
    for (int k = order; k >= 1; k--) {
        pair first = {row[0][k], row[1][k]}, second = {row[2][k], row[3][k]},
             times = {k, k};
        moved[0] = (moved[0] + first) * by;
        moved[1] = (moved[1] + second) * by;
        turned[0] = turned[0] * by + times * first;
        turned[1] = turned[1] * by + times * second;
    }
    memcpy(change, moved, sizeof moved);
    memcpy(rate, turned, sizeof turned);
}

void
crossing_move(struct rt *run, uint32_t block, const struct crossing *own,
              int order, double start, double step)
{
    const imp_block *at = block_of(run, block);
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t);
    const double *row[CROSSING_AT_ONCE];
    double change[CROSSING_AT_ONCE], rate[CROSSING_AT_ONCE];
    for (uint32_t first = 0; first < at->state.n; first += CROSSING_AT_ONCE) {
        uint32_t left = at->state.n - first;
        for (uint32_t j = 0; j < CROSSING_AT_ONCE; j++)
            row[j] = crossing_row(own, at, run, first + (j < left ? j : 0));
        changes(row, order, step, change, rate);
        for (uint32_t j = 0; j < CROSSING_AT_ONCE && j < left; j++) {
            uint32_t i = first + j;
            run->env[state[i]] = row[j][0] + change[j];
            own->speed[i] = row[j][0] + change[j];
            own->off[i] = rate[j];
        }
    }
    run->env[run->im->layout.time] = start + step;
}

bool
crossing_negligible(const struct rt *run, uint32_t block,
                    const struct crossing *own, double eps)
{
    const struct motion_block *moving = motion_block_of(run, block);
    uint32_t n = block_of(run, block)->state.n;
    for (uint32_t i = 0; moving->observer && i < n; i++)
        if (!(fabs(own->off[i]) <= eps * fabs(own->speed[i])))
            return false;
    if (moving->observer)
        return true;
    if (moving->system != IMP_NO_SYSTEM)
        return system_energy_norm(own->mass, own->off + n / 2, n / 2) <=
               eps * system_energy_norm(own->mass, own->speed + n / 2, n / 2);
    double off[2] = {0.0, 0.0}, speed[2] = {0.0, 0.0};
    for (uint32_t entry = 0; entry < n; entry++) {
        enum motion_what what = moving->what[entry];
        if (what != MOTION_SPEED && what != MOTION_SPIN)
            continue;
        /* fmax would pass over a NaN */
        if (!isfinite(own->off[entry]))
            return false;
        off[what == MOTION_SPIN] =
            fmax(off[what == MOTION_SPIN], fabs(own->off[entry]));
        speed[what == MOTION_SPIN] =
            fmax(speed[what == MOTION_SPIN], fabs(own->speed[entry]));
    }
    return off[0] <= eps * speed[0] && off[1] <= eps * speed[1];
}

/* May the rows be followed for this time? Those of observers may, if nothing
 * else leads to a place where there is a series. */
bool
crossing_holds(struct rt *run, uint32_t block, struct crossing *own, int order,
               double start, double step)
{
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at = block_of(run, block);
    crossing_move(run, block, own, order, start, step);
    if (moving->observer)
        feel_ahead(run, moving->system, own, step);
    if (motion_rates(run, block) != IMP_OK)
        return false;
    for (uint32_t i = 0; i < at->state.n; i++) {
        double rate = crossing_rate(run, block, i);
        own->off[i] = step * (rate - own->off[i]);
    }
    return crossing_negligible(run, block, own, CROSSING_NOISE * DBL_EPSILON) ||
           (moving->observer && motion_rows(run, block, order) != IMP_OK);
}

/* Is there a series of observers `step` from where the rows begin? */
static bool
leads_on(struct rt *run, uint32_t block, struct crossing *own, int order,
         double start, double step)
{
    crossing_move(run, block, own, order, start, step);
    feel_ahead(run, motion_block_of(run, block)->system, own, step);
    return motion_rows(run, block, order) == IMP_OK;
}

void
crossing_back(struct rt *run, uint32_t block, struct crossing *own, int order,
              double start)
{
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at = block_of(run, block);
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t);
    for (uint32_t i = 0; i < at->state.n; i++)
        run->env[state[i]] = own->state[i];
    run->env[run->im->layout.time] = start;
    if (moving->observer)
        feel_ahead(run, moving->system, own, 0.0);
    /* the forces of closed contacts, too, belong to the beginning again */
    else if (relays_act(run, block) || (moving->system != IMP_NO_SYSTEM &&
                                        system_slides(run, moving->system)))
        motion_rows(run, block, order);
    lay_aside(run, block, own);
}

double
crossing_length(struct rt *run, uint32_t block, int order, double least,
                double limit)
{
    assert(run != NULL && block < run->im->blocks.n && least > 0.0);
    assert(order >= 1 && order <= IMP_ORDER_MAX);
    const struct motion_block *moving = motion_block_of(run, block);
    if (!(limit > least) || persistent_moves(run, block))
        return least;
    struct crossing *own = crossing_of(run, block);
    double start = rt_time(run), step = least;
    struct diags unheard, *heard = run->ds;
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard; /* a state beyond the motion is no mistake of a user */
    if (moving->observer)
        memcpy(own->felt, system_felt(run, moving->system),
               system_felt_size(rt_system(run, moving->system)) *
                   sizeof *own->felt);
    else if (moving->system != IMP_NO_SYSTEM &&
             system_mass(run, moving->system, own->mass) != IMP_OK)
        limit = least;
    crossing_follow(run, block, own);
    for (double factor = CROSSING_FACTOR; factor >= CROSSING_FINE;
         factor = sqrt(factor))
        while (step * factor <= limit &&
               crossing_holds(run, block, own, order, start, step * factor))
            step *= factor;
    if (moving->observer && step * CROSSING_FINE <= limit &&
        !leads_on(run, block, own, order, start, step))
        step *= CROSSING_FINE;
    crossing_back(run, block, own, order, start);
    run->ds = heard;
    return step;
}

/* -- series of which the last orders are 0 ----------------------------------
 */

/* A state that is far from this one in each variable, as no symmetry has it. */
#define CROSSING_ELSEWHERE 1.37
#define CROSSING_ASIDE 0.61
/* What holds for no more than so many of the least steps is rounding of
 * accelerations that cancel. */
#define CROSSING_TOLD 1024.0

/* Do the accelerations of the block follow from its state and the time alone,
 * by formulas without branches? Beyond a branch they are others. */
static bool
plain(const struct rt *run, uint32_t block)
{
    const struct motion_block *moving = motion_block_of(run, block);
    return !moving->observer && !persistent_moves(run, block) &&
           block_of(run, block)->n_unknown == 0 &&
           branched_block(run, block).n == 0 &&
           !(moving->system != IMP_NO_SYSTEM &&
             system_slides(run, moving->system));
}

static void
elsewhere(struct rt *run, const imp_block *at, const struct crossing *own)
{
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t);
    for (uint32_t i = 0; i < at->state.n; i++)
        run->env[state[i]] = CROSSING_ELSEWHERE * own->state[i] +
                             CROSSING_ASIDE + 0.01 * (double)i;
    run->env[run->im->layout.time] += CROSSING_ASIDE;
}

/* Are the accelerations of all such variables the same elsewhere? own->rows and
 * own->state are those of here. */
static bool
same_elsewhere(struct rt *run, uint32_t block, struct crossing *own, int from,
               int order)
{
    const imp_block *at = block_of(run, block);
    for (uint32_t i = 0; i < at->state.n; i++)
        own->off[i] = motion_lacks(run, block, own->rows, i, from, order);
    elsewhere(run, at, own);
    bool same = motion_rows(run, block, 1) == IMP_OK;
    for (uint32_t i = 0; i < at->state.n && same; i++)
        same = own->off[i] == 0.0 ||
               crossing_rate(run, block, i) == crossing_row(own, at, run, i)[1];
    return same;
}

double
crossing_sparse(struct rt *run, uint32_t block, int order)
{
    assert(run != NULL && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at = block_of(run, block);
    const double *rows = run->rows.block[block];
    bool any = false;
    int from = order + 1 -
               (moving->system != IMP_NO_SYSTEM ? CROSSING_ASKED_OF_SYSTEMS
                                                : CROSSING_ASKED_OF_BODIES);
    if (order < MOTION_STEP_ORDER || !moving->n_series || !plain(run, block))
        return INFINITY;
    /* One that has these orders tells the step. Most often it is one of the
     * last, of the velocities. */
    for (uint32_t i = at->state.n; i-- > 0;) {
        bool velocity = motion_lacks(run, block, rows, i, 1, 0);
        if (velocity && !motion_lacks(run, block, rows, i, from, order))
            return INFINITY;
        any = any || velocity;
    }
    if (!any || motion_died_out(run, block, order))
        return INFINITY;
    struct crossing *own = crossing_of(run, block);
    struct diags unheard, *heard = run->ds;
    double start = rt_time(run), least = switching_least(run);
    crossing_follow(run, block, own);
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    bool same = same_elsewhere(run, block, own, from, order);
    crossing_back(run, block, own, order, start);
    run->ds = heard;
    double length =
        same ? INFINITY : crossing_length(run, block, order, least, INFINITY);
    return length > CROSSING_TOLD * least ? length : INFINITY;
}

/* A step changes a velocity by so large a share of it, or of what the step
 * gives it, where the series leaves out what its last orders do not tell: far
 * more than rounding, also where accelerations cancel, and than what is left
 * out near a singularity. */
#define CROSSING_MISSED 1e-9
/* a step of so many of the least ones is long */
#define CROSSING_LONG 0x1p20
/* the step is halved at most so many times */
#define CROSSING_HALVINGS 20

/* At rest accelerations are rounding of terms that cancel. Such terms may be
 * some thousand times the accelerations elsewhere. */
#define CROSSING_ROUNDING (0x1p14 * DBL_EPSILON)

/* Does the motion obey the accelerations at this time, to CROSSING_MISSED, or
 * so that no place is off by more than its rounding? miss: by how much not, of
 * each kind of velocity. */
static bool
obeys(struct rt *run, uint32_t block, struct crossing *own, int order,
      double start, double step, double miss[3])
{
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at = block_of(run, block);
    double off[3] = {0.0, 0.0, 0.0}, size[3] = {0.0, 0.0, 0.0};
    bool fine = true;
    memset(miss, 0, 3 * sizeof *miss);
    crossing_move(run, block, own, order, start, step);
    if (motion_rows(run, block, 1) != IMP_OK)
        return true; /* what is beyond the motion is told where it comes to */
    for (uint32_t i = 0; i < at->state.n; i++) {
        bool system = moving->system != IMP_NO_SYSTEM;
        if (system ? i < at->state.n / 2 : moving->what[i] == MOTION_POSE)
            continue;
        int kind = system ? 0 : (int)moving->what[i];
        double rate = crossing_rate(run, block, i);
        if (!isfinite(rate) || !isfinite(own->off[i]))
            return true;
        miss[kind] = fmax(miss[kind], fabs(rate - own->off[i]));
        off[kind] = fmax(off[kind], step * fabs(rate - own->off[i]));
        size[kind] = fmax(size[kind], fabs(own->speed[i]));
        size[kind] =
            fmax(size[kind], step * fabs(crossing_row(own, at, run, i)[1]));
        size[kind] =
            fmax(size[kind], DBL_EPSILON / CROSSING_MISSED *
                                 motion_place_size(run, block, i) / step);
        if (system) {
            fine = fine && off[0] <= CROSSING_MISSED * size[0];
            off[0] = size[0] = 0.0;
        }
    }
    for (int kind = 0; kind < 3; kind++)
        fine = fine && off[kind] <= CROSSING_MISSED * size[kind];
    return fine;
}

/* Is what a step misses rounding? It is as small as that of accelerations
 * elsewhere, and a step that is halved so often misses as much: what a series
 * leaves out would fall with it. */
static bool
misses_by_rounding(struct rt *run, uint32_t block, const struct crossing *own,
                   const double all[3], const double less[3], int halved)
{
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at = block_of(run, block);
    const uint32_t *row = IMP_ARRAY(run->im, at->rows, uint32_t);
    bool bodies = moving->system == IMP_NO_SYSTEM, rounding = true;
    double size[3] = {0.0, 0.0, 0.0};
    elsewhere(run, at, own);
    if (motion_rows(run, block, 1) != IMP_OK)
        return false;
    const double *rows = run->rows.block[block];
    for (uint32_t i = 0; i < at->state.n; i++)
        if (motion_lacks(run, block, rows, i, 1, 0)) {
            double *of = size + (bodies ? (int)moving->what[i] : 0);
            *of = fmax(
                *of,
                fabs(rows[(size_t)row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1]));
        }
    for (int kind = 0; kind < 3; kind++)
        rounding = rounding && all[kind] <= CROSSING_ROUNDING * size[kind] &&
                   ldexp(less[kind], halved) >= all[kind];
    return rounding;
}

double
crossing_checked(struct rt *run, uint32_t block, int order, double step)
{
    assert(run != NULL && block < run->im->blocks.n && step > 0.0);
    /* towards a singularity steps shrink down to the clock's, as told there */
    if (!motion_block_of(run, block)->n_series || !plain(run, block) ||
        !isfinite(step) || order < MOTION_STEP_ORDER ||
        step < CROSSING_LONG * switching_least(run) || relays_leave(run, block))
        return step;
    struct crossing *own = crossing_of(run, block);
    struct diags unheard, *heard = run->ds;
    double start = rt_time(run), less = step, first[3], miss[3];
    crossing_follow(run, block, own);
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    int halved = 0;
    bool fine = obeys(run, block, own, order, start, less, first);
    memcpy(miss, first, sizeof miss);
    while (halved < CROSSING_HALVINGS && !fine) {
        less *= 0.5;
        halved++;
        fine = obeys(run, block, own, order, start, less, miss);
    }
    if (halved && misses_by_rounding(run, block, own, first, miss, halved))
        less = step;
    crossing_back(run, block, own, order, start);
    run->ds = heard;
    /* no step is short enough: it is rounding */
    return halved < CROSSING_HALVINGS ? less : step;
}

/* -- blocks with joints, closed contacts or branches ------------------------
 */

/* A change of branch is asked this little before. */
#define CROSSING_BEFORE 0x1p-10

/* Blocks that move together: one, or those of a group of closed contacts. */
struct crossing_blocks {
    const uint32_t *block;
    uint32_t n;
    struct persistent_group *group; /* NULL: one block without one */
    int order;
    double start;
    double cancelled; /* what is left of loads that contacts take */
};

static int
rates_of(struct rt *run, const struct crossing_blocks *of, int order)
{
    return of->group
               ? persistent_group_series(run, of->group, order, UINT32_MAX)
           : order == 1 ? motion_rates(run, of->block[0])
                        : motion_rows(run, of->block[0], order);
}

/* Does the motion obey the accelerations at this time, to this share of the
 * velocities? `otherwise`, where there are none. */
static bool
follows(struct rt *run, const struct crossing_blocks *of, double step,
        double share, bool otherwise)
{
    double off = 0.0, speed = 0.0;
    for (uint32_t k = 0; k < of->n; k++)
        crossing_move(run, of->block[k], crossing_of(run, of->block[k]),
                      of->order, of->start, step);
    if (rates_of(run, of, 1) != IMP_OK)
        return otherwise;
    for (uint32_t k = 0; k < of->n; k++) {
        uint32_t block = of->block[k];
        struct crossing *own = crossing_of(run, block);
        const imp_block *at = block_of(run, block);
        for (uint32_t i = 0; i < at->state.n; i++) {
            double rate = crossing_rate(run, block, i);
            own->off[i] = step * (rate - own->off[i]);
        }
        off = hypot(off, motion_energy_norm(run, block, own->mass, own->off));
        speed =
            hypot(speed, motion_energy_norm(run, block, own->mass, own->speed));
    }
    return isfinite(off) && isfinite(speed)
               ? off <= share * speed + step * of->cancelled
               : otherwise;
}

/* Keeps the accelerations without contacts of all these blocks as `off`, and
 * finds what is left of such loads, in the norm of `follows` and per unit of
 * time, where closed contacts and joints take them: rounding. Are there any? */
static bool
loads(struct rt *run, struct crossing_blocks *of)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < of->n; k++) {
        uint32_t block = of->block[k];
        struct crossing *own = crossing_of(run, block);
        if (motion_rows_free(run, block, 1) != IMP_OK)
            return false;
        for (uint32_t i = 0; i < block_of(run, block)->state.n; i++)
            own->off[i] = crossing_rate(run, block, i);
        sum = hypot(sum, motion_energy_norm(run, block, own->mass, own->off));
    }
    of->cancelled = CROSSING_CANCELLED * DBL_EPSILON * sum;
    return isfinite(sum);
}

/* Lays the rows of all these blocks aside. Status. */
static int
keep(struct rt *run, const struct crossing_blocks *of)
{
    uint32_t system = motion_block_of(run, of->block[0])->system;
    struct crossing *first = crossing_of(run, of->block[0]);
    int st = system == IMP_NO_SYSTEM ? IMP_OK
                                     : system_mass(run, system, first->mass);
    for (uint32_t k = 0; k < of->n && !st; k++)
        crossing_follow(run, of->block[k], crossing_of(run, of->block[k]));
    return st;
}

/* Back to where the rows begin, and, where they were asked, with what is
 * remembered of reactions. */
static void
back_all(struct rt *run, const struct crossing_blocks *of, bool asked)
{
    for (uint32_t k = 0; k < of->n; k++) {
        struct crossing *own = crossing_of(run, of->block[k]);
        const imp_block *at = block_of(run, of->block[k]);
        const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t);
        for (uint32_t i = 0; i < at->state.n; i++)
            run->env[state[i]] = own->state[i];
    }
    run->env[run->im->layout.time] = of->start;
    bool reacts = of->group || relays_act(run, of->block[0]);
    uint32_t system = motion_block_of(run, of->block[0])->system;
    if (!reacts && system != IMP_NO_SYSTEM)
        reacts = system_slides(run, system);
    if (asked)
        rates_of(run, of, reacts ? of->order : 1);
    for (uint32_t k = 0; k < of->n; k++)
        lay_aside(run, of->block[k], crossing_of(run, of->block[k]));
}

/* For how long is the motion followed? `step`, where that does not show. In
 * short steps reactions leave rounding in speeds that come to 0. What is left
 * out is of orders above `order`: it is rounding not far from where it is
 * CROSSING_MISSED. */
static double
followed_for(struct rt *run, const struct crossing_blocks *of, double step)
{
    double length = 0.0,
           less = pow(CROSSING_NOISE * DBL_EPSILON / CROSSING_MISSED,
                      1.0 / (of->order - 1));
    for (double s = switching_least(run); s <= step && isfinite(s);
         s *= CROSSING_FACTOR)
        if (follows(run, of, s, CROSSING_MISSED, false))
            length = s;
        else if (length > 0.0)
            break;
    if (length == 0.0)
        return step;
    for (double factor = sqrt(CROSSING_FACTOR); factor >= CROSSING_FINE;
         factor = sqrt(factor))
        while (length * factor <= step &&
               follows(run, of, length * factor, CROSSING_MISSED, false))
            length *= factor;
    return length * CROSSING_FINE > step ? step : length * less;
}

/* Does this variable of the block come to 0 within `time`, by its rows? */
static bool
ends_within(const struct rt *run, uint32_t block, uint32_t variable,
            double time)
{
    const double *rows = run->rows.block[block],
                 *c = rows +
                      (size_t)IMP_ARRAY(run->im, block_of(run, block)->rows,
                                        uint32_t)[variable] *
                          IMP_ROW_STRIDE +
                      IMP_ROW_PAD;
    return c[0] != 0.0 && signbit(c[0]) != signbit(c[1]) &&
           fabs(c[0]) <= time * fabs(c[1]) &&
           motion_lacks(run, block, rows, variable, 1, 0);
}

/* The velocities that end within `time` are 0 now. How many of them does
 * nothing push on? stay: which. */
static uint32_t
count_stops(struct rt *run, const struct crossing_blocks *of, uint32_t block,
            bool *stay)
{
    const imp_block *at = block_of(run, block);
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t);
    struct crossing *own = crossing_of(run, block);
    uint32_t n = 0;
    for (uint32_t i = 0; i < at->state.n; i++)
        if (stay[i])
            run->env[state[i]] = 0.0;
    bool finite = rates_of(run, of, 1) == IMP_OK;
    for (uint32_t i = 0; i < at->state.n; i++) {
        double pushed = fabs(crossing_row(own, at, run, i)[1]);
        stay[i] = stay[i] && finite &&
                  fabs(crossing_rate(run, block, i)) <= CROSSING_ENDED * pushed;
        n += stay[i];
    }
    return n;
}

double
crossing_stops(struct rt *run, uint32_t block, int order)
{
    assert(run != NULL && block < run->im->blocks.n);
    const imp_block *at = block_of(run, block);
    struct crossing_blocks of = {&block, 1, NULL, order, rt_time(run), 0.0};
    /* a power of two, which the clock adds without rounding */
    double time = exp2(ceil(log2(CROSSING_STOP * switching_least(run))));
    bool *stay = NEW_N(run->brief, bool, at->state.n + 1), any = false;
    if (motion_block_of(run, block)->observer || relays_act(run, block) ||
        (at->n_unknown && persistent_moves(run, block)))
        return 0.0;
    for (uint32_t i = 0; i < at->state.n; i++)
        any |= stay[i] = ends_within(run, block, i, time);
    if (persistent_moves(run, block)) {
        of.group = run->persistent_memory->of[block];
        of.block = of.group->moved.block;
        of.n = of.group->moved.n_block;
    }
    if (!any || keep(run, &of) != IMP_OK)
        return 0.0;
    struct diags unheard, *heard = run->ds;
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    uint32_t n = count_stops(run, &of, block, stay);
    back_all(run, &of, true);
    run->ds = heard;
    for (uint32_t i = 0; i < at->state.n; i++) {
        double *c =
            run->rows.block[block] +
            (size_t)IMP_ARRAY(run->im, at->rows, uint32_t)[i] * IMP_ROW_STRIDE +
            IMP_ROW_PAD;
        if (!stay[i])
            continue;
        c[1] = -c[0] / time;
        for (int k = 2; k <= order; k++)
            c[k] = 0.0;
    }
    return n > 0 ? time : 0.0;
}

bool
crossing_stops_soon(struct rt *run, uint32_t block, int order, double *step)
{
    assert(run != NULL && step != NULL);
    if (order < MOTION_STEP_ORDER || motion_by_weight(run) ||
        !(*step <= CROSSING_STOP * switching_least(run)))
        return false;
    double time = crossing_stops(run, block, order);
    *step = time > 0.0 ? time : *step;
    return time > 0.0;
}

double
crossing_rests(struct rt *run, uint32_t block)
{
    assert(run != NULL && block < run->im->blocks.n);
    struct crossing_blocks of = {&block, 1, NULL, 2, rt_time(run), 0.0};
    if (persistent_moves(run, block)) {
        of.group = run->persistent_memory->of[block];
        of.block = of.group->moved.block;
        of.n = of.group->moved.n_block;
    }
    double length = 0.0, share = CROSSING_NOISE * DBL_EPSILON;
    struct diags unheard, *heard = run->ds;
    if (keep(run, &of) != IMP_OK)
        return 0.0;
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    bool known = loads(run, &of);
    for (double s = CROSSING_FACTOR * switching_least(run);
         known && isfinite(s) && follows(run, &of, s, share, false);
         s *= CROSSING_FACTOR)
        length = s;
    back_all(run, &of, true);
    run->ds = heard;
    return length;
}

/* Are the accelerations without contacts, kept as `off`, the same elsewhere? */
static bool
loads_stay(struct rt *run, uint32_t block)
{
    struct crossing *own = crossing_of(run, block);
    const imp_block *at = block_of(run, block);
    const enum motion_what *what = motion_block_of(run, block)->what;
    elsewhere(run, at, own);
    bool same = motion_rows_free(run, block, 1) == IMP_OK;
    for (uint32_t i = 0; i < at->state.n && same; i++)
        same = what[i] == MOTION_POSE ||
               crossing_rate(run, block, i) == own->off[i];
    return same;
}

double
crossing_bounded(struct rt *run, uint32_t block, int order, double step)
{
    assert(run != NULL && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    bool held = persistent_moves(run, block), same = false,
         system = moving->system != IMP_NO_SYSTEM,
         branches = branched_block(run, block).n > 0;
    struct crossing_blocks of = {&block, 1, NULL, order, rt_time(run), 0.0};
    if (moving->observer || plain(run, block) || order < MOTION_STEP_ORDER ||
        !(step >= CROSSING_LONG * switching_least(run)) ||
        relays_leave(run, block))
        return step;
    const double *rows = run->rows.block[block];
    int from = order + 1 -
               (system ? CROSSING_ASKED_OF_SYSTEMS : CROSSING_ASKED_OF_BODIES);
    bool lack = false;
    for (uint32_t i = 0; i < block_of(run, block)->state.n; i++)
        lack = lack || (motion_lacks(run, block, rows, i, from, order) &&
                        !motion_lacks(run, block, rows, i, 1, order));
    if (!lack) /* it takes as long as a step */
        return step;
    if (held) {
        of.group = run->persistent_memory->of[block];
        of.block = of.group->moved.block;
        of.n = of.group->moved.n_block;
    }
    struct diags unheard, *heard = run->ds;
    if (keep(run, &of) != IMP_OK)
        return step;
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    if (held || (system && system_slides(run, moving->system)))
        same = loads(run, &of) && held && loads_stay(run, block);
    if (!held && isinf(step))
        same = same_elsewhere(run, block, crossing_of(run, block), from, order);
    if (!same &&
        (isinf(step) ||
         !follows(run, &of, branches ? step - CROSSING_BEFORE * step : step,
                  CROSSING_MISSED, true)))
        step = followed_for(run, &of, step);
    back_all(run, &of, !held || !same || block_of(run, block)->n_unknown > 0);
    run->ds = heard;
    return step;
}
