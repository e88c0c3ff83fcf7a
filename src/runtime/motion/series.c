/* SPDX-License-Identifier: MIT */
/* The series of one instant: of a block, of a group of closed contacts, of all
 * groups. And the way over a place where there is none that leads on, at least
 * none that a double holds (switching.h).
 *
 * A power of a speed, as of the damper -C sign(v) |v|^p with p below 1, has
 * rates without bound where the speed passes 0, and so where the motion begins
 * at rest. The force itself is finite there. At a distance h in time the series
 * reach no further than h, and their orders k go with h^-k: near enough a
 * double does not hold the last ones. So nearer and nearer to such a place
 * there are
 *
 * - series of lower order, for as long as they obey the accelerations to
 *   rounding;
 * - parabolas of the present acceleration, for as long as they do (crossing.c);
 * - one parabola over the place, of some steps of the clock.
 *
 * What the last one misses is the change of a finite force in the time that the
 * clock does not tell. */

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/system.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/relays/relays.h"

/* The orders of series whose last orders are beyond a double. Those below
 * LOWER_FIRST lead less far: they are followed where a parabola leads less. */
static const int lower_order[] = {20, 16, 12, 9, 7, 5};
#define N_LOWER (sizeof lower_order / sizeof *lower_order)
#define LOWER_FIRST 16
#define LOWER_LAST 5
/* Such a series is halved at most so many times to where it obeys. */
#define LOWER_HALVINGS 8

/* Where the clock cannot tell what a parabola misses (late, and slow), it is
 * followed for at most so many of the least steps. */
#define FIRST_CLOCK 64.0
/* At time 0 the clock tells everything; there it is followed for at most this
 * share of the run, whose clock is that fine at its end. */
#define FIRST_BEGIN 0x1p-52
/* Where the motion begins at rest and in balance, forces that grow with time
 * have moved nothing after this share of the run: a speed that grows with the
 * square of the time is then below rounding of what it is at the end. Where a
 * power of the speed holds it back the share is doubled so many times, for as
 * long as the speed is no more than that. */
#define FIRST_BALANCED 0x1p-27
#define BALANCED_DOUBLINGS 20
#define FIRST_CANCELLED 0x1p-12
#define BALANCED_HALVINGS 100
/* That is so where the forces are finite: in so many steps they change the
 * velocities by less than this share, or themselves by less than half. At a
 * pole they change them at once. */
#define FIRST_REGULAR 0x1p-32
#define FIRST_CHANGE 0.5

static const imp_block *
block_of(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

/* -- the coefficients: of free bodies, of bodies with closed contacts, of a
 * system, or of its observers -----------------------------------------------
 */

static int
free_rows(struct rt *run, uint32_t block, uint32_t tape, int order)
{
    const double *lambda;
    motion_enter(run, block);
    int st = joints_multipliers(run, block, &lambda);
    if (st != IMP_OK)
        return st;
    if (motion_block_of(run, block)->powers &&
        rt_series_cancelled(run, tape, lambda, NULL, run->rows.block[block],
                            order) == IMP_OK)
        return IMP_OK;
    return rt_series(run, tape, lambda, NULL, run->rows.block[block], order);
}

/* The series of a system with closed contacts that has none while rates that
 * they hold are the rounding of 0. Status. */
static int
system_rests_or_not(struct rt *run, uint32_t system, int order)
{
    /* high orders tell which rates rest */
    int high = order < MOTION_STEP_ORDER ? MOTION_STEP_ORDER : order;
    return system_series_at_rest(run, system, order, high) == IMP_OK
               ? IMP_OK
               : system_series(run, system, order);
}

int
motion_rows(struct rt *run, uint32_t block, int order)
{
    assert(run != NULL && block < run->im->blocks.n);
    assert(order >= 1 && order <= IMP_ORDER_MAX);
    const struct motion_block *moving = motion_block_of(run, block);
    if (persistent_moves(run, block))
        return persistent_series(run, order, block);
    if (moving->observer && relays_act(run, block))
        return relays_series(run, block, order);
    if (moving->observer) {
        relays_unslide(run, block);
        return system_observed(run, moving->system, order);
    }
    bool system = moving->system != IMP_NO_SYSTEM;
    if (system && system_slides(run, moving->system)) {
        int st = system_series(run, moving->system, order);
        return st == IMP_NONFINITE
                   ? system_rests_or_not(run, moving->system, order)
                   : st;
    }
    if (relays_act(run, block))
        return relays_series(run, block, order);
    relays_unslide(run, block);
    if (system)
        system_unslide(run, moving->system);
    return free_rows(run, block, moving->tape, order);
}

int
motion_rates(struct rt *run, uint32_t block)
{
    assert(run != NULL && block < run->im->blocks.n);
    uint32_t system = motion_block_of(run, block)->system;
    int st = motion_rows(run, block, 1);
    bool finite = st == IMP_NONFINITE && system != IMP_NO_SYSTEM &&
                  system_slides(run, system);
    for (uint32_t i = 0; i < block_of(run, block)->state.n && finite; i++)
        finite = isfinite(crossing_rate(run, block, i));
    return finite ? IMP_OK : st;
}

int
motion_rows_free(struct rt *run, uint32_t block, int order)
{
    assert(run != NULL && block < run->im->blocks.n && order >= 1);
    return free_rows(run, block, motion_block_free(run, block)->tape, order);
}

/* -- the first step -------------------------------------------------------- */

/* The greatest order, at most this one and at least `lowest`, of a series here
 * that is finite, which is made; 0: there is none. */
static int
finite_order(struct rt *run, uint32_t block, int order, int lowest)
{
    if (motion_rows(run, block, order) == IMP_OK)
        return order;
    for (size_t i = 0; i < N_LOWER && lower_order[i] >= lowest; i++)
        if (lower_order[i] < order &&
            motion_rows(run, block, lower_order[i]) == IMP_OK)
            return lower_order[i];
    return 0;
}

/* Do the forces change by little over a step to the present state? own->off:
 * what they change by. Rounding of the greatest of a kind counts for nothing.
 */
static bool
changes_little(const struct rt *run, uint32_t block, const struct crossing *own)
{
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at = block_of(run, block);
    double most[3] = {0.0, 0.0, 0.0};
    bool little = true;
    for (int look = 0; look < 2; look++)
        for (uint32_t i = 0; i < at->state.n; i++) {
            int kind = moving->system != IMP_NO_SYSTEM
                           ? (int)(i >= at->state.n / 2)
                           : (int)moving->what[i];
            double from = fabs(crossing_row(own, at, run, i)[1]);
            if (kind == 0)
                continue; /* a place */
            if (look == 0)
                most[kind] = fmax(most[kind], from);
            else
                little = little && fabs(own->off[i]) <=
                                       FIRST_CHANGE * from + CROSSING_NOISE *
                                                                 DBL_EPSILON *
                                                                 most[kind];
        }
    return little;
}

/* Are the forces finite at both ends of a step to the present state? At a speed
 * that passes 0 nothing measures them but themselves. */
static bool
is_regular(const struct rt *run, uint32_t block, struct crossing *own,
           double step)
{
    const imp_block *at = block_of(run, block);
    for (uint32_t i = 0; i < at->state.n; i++)
        own->off[i] =
            crossing_rate(run, block, i) - crossing_row(own, at, run, i)[1];
    if (changes_little(run, block, own))
        return true;
    for (uint32_t i = 0; i < at->state.n; i++)
        own->off[i] = step * crossing_rate(run, block, i);
    bool regular = crossing_negligible(run, block, own, FIRST_REGULAR);
    for (uint32_t i = 0; i < at->state.n; i++)
        own->off[i] = step * crossing_row(own, at, run, i)[1];
    return regular && crossing_negligible(run, block, own, FIRST_REGULAR);
}

/* Is there a series at the end of a step along the rows that are followed,
 * which leads on by so much, and are the forces of the step finite? */
static bool
leads_on(struct rt *run, uint32_t block, struct crossing *own, int order,
         double start, double step, double by)
{
    double span;
    crossing_move(run, block, own, order, start, step);
    int made = finite_order(run, block, order, LOWER_FIRST);
    if (made == 0)
        return false;
    motion_step(run, block, made, &span);
    return span >= by && is_regular(run, block, own, step);
}

/* -- from a rest in balance -------------------------------------------------
 */

/* The coefficient of the acceleration of a variable in the rows that are
 * followed; NULL: it is a place. */
static double *
acceleration_of(const struct rt *run, uint32_t block, struct crossing *own,
                uint32_t i)
{
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at = block_of(run, block);
    bool place = moving->system != IMP_NO_SYSTEM
                     ? i < at->state.n / 2
                     : moving->what[i] == MOTION_POSE;
    return place ? NULL
                 : own->rows +
                       (size_t)IMP_ARRAY(run->im, at->rows, uint32_t)[i] *
                           IMP_ROW_STRIDE +
                       IMP_ROW_PAD + 1;
}

/* A step from a rest in balance. */
struct from_rest {
    int order;
    double start, step;
    bool *rests;  /* per variable: is it a velocity that rests in balance? */
    bool beside;  /* others move beside these */
    double *now;  /* per variable: its acceleration at the beginning, */
    double *push; /* and by the forces after the step, without a speed */
};

/* Which velocities rest, and in balance? What acts on them now is then no more
 * than FIRST_CANCELLED of what their loads have become after the first step:
 * rounding of what cancels. Where all rest, it is all of them or none. */
static bool
balances(struct rt *run, uint32_t block, struct crossing *own,
         struct from_rest *rest)
{
    uint32_t n = block_of(run, block)->state.n,
             system = motion_block_of(run, block)->system;
    bool any = false;
    if (system != IMP_NO_SYSTEM && system_mass(run, system, own->mass))
        return false;
    if (!rest->beside)
        return motion_energy_norm(run, block, own->mass, rest->now) <=
               FIRST_CANCELLED *
                   motion_energy_norm(run, block, own->mass, rest->push);
    for (uint32_t i = 0; i < n; i++) {
        rest->rests[i] =
            rest->rests[i] &&
            fabs(rest->now[i]) <= FIRST_CANCELLED * fabs(rest->push[i]);
        any = any || (rest->rests[i] && rest->push[i] != 0.0);
    }
    return any;
}

/* The accelerations that are followed become this share of `push` where the
 * velocities rest, and what they are now elsewhere. */
static void
follow_share(const struct rt *run, uint32_t block, struct crossing *own,
             const struct from_rest *rest, const double *push, double share)
{
    for (uint32_t i = 0; i < block_of(run, block)->state.n; i++) {
        double *c = acceleration_of(run, block, own, i);
        if (c)
            *c = rest->rests[i] ? share * push[i] : rest->now[i];
    }
}

/* After the rates at the end of a step: do velocities that do not rest keep to
 * the accelerations that are followed, to rounding? */
static bool
others_keep(struct rt *run, uint32_t block, struct crossing *own,
            const struct from_rest *rest)
{
    if (!rest->beside)
        return true;
    for (uint32_t i = 0; i < block_of(run, block)->state.n; i++)
        own->off[i] =
            rest->rests[i] || !acceleration_of(run, block, own, i)
                ? 0.0
                : rest->step * (crossing_rate(run, block, i) - rest->now[i]);
    return crossing_negligible(run, block, own, CROSSING_NOISE * DBL_EPSILON);
}

/* With what share of the mean acceleration does a rest in balance end, whose
 * forces grow so? The greatest of at most `share` at which they still push on.
 * 0: there is none, or, if what moves is to be held back already at this share,
 * it is not. */
static double
share_of(struct rt *run, uint32_t block, struct crossing *own,
         const struct from_rest *rest, double share, bool held_back)
{
    for (int k = 0; k < BALANCED_HALVINGS; k++, share *= 0.5) {
        double span, along = 0.0;
        follow_share(run, block, own, rest, rest->push, 0.5 * share);
        crossing_move(run, block, own, rest->order, rest->start, rest->step);
        int made = finite_order(run, block, rest->order, LOWER_FIRST);
        /* parts that are pushed alike, or not yet, still have no series */
        if (made == 0 && motion_rows(run, block, 1) != IMP_OK)
            return 0.0;
        for (uint32_t i = 0; i < block_of(run, block)->state.n; i++)
            if (rest->rests[i])
                along += crossing_rate(run, block, i) * rest->push[i];
        if (!isfinite(along) || (k == 0 && held_back && along >= 0.0) ||
            !others_keep(run, block, own, rest))
            return 0.0;
        if (along < 0.0)
            continue;
        if (made)
            motion_step(run, block, made, &span);
        return !made || span > switching_least(run) ? share : 0.0;
    }
    return 0.0;
}

/* Fills what a step from a rest in balance begins with. False: no velocity is
 * 0. */
static bool
from_rest_begin(struct rt *run, uint32_t block, struct crossing *own,
                struct from_rest *rest)
{
    uint32_t n = block_of(run, block)->state.n;
    bool any = false;
    rest->rests = NEW_N(run->brief, bool, n + 1);
    rest->now = NEW_N(run->brief, double, n + 1);
    rest->push = NEW_N(run->brief, double, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const double *c = acceleration_of(run, block, own, i);
        if (!c)
            continue;
        rest->now[i] = c[0];
        rest->rests[i] = c[-1] == 0.0;
        rest->beside = rest->beside || !rest->rests[i];
        any = any || rest->rests[i];
    }
    return any;
}

/* How long a step from a rest in balance is, whose rows are followed then; 0:
 * there is none. Velocities that move beside it follow their accelerations. */
static double
balanced_step(struct rt *run, uint32_t block, struct crossing *own, int order,
              double start)
{
    uint32_t n = block_of(run, block)->state.n;
    struct from_rest rest = {.order = order, .start = start};
    double found = 0.0, best = 0.0, *taken = NEW_N(run->brief, double, n + 1);
    if (!from_rest_begin(run, block, own, &rest))
        return 0.0;
    for (int k = 0; k <= BALANCED_DOUBLINGS; k++) {
        rest.step = ldexp(FIRST_BALANCED * run->motion->horizon, k);
        follow_share(run, block, own, &rest, rest.push, 0.0);
        crossing_move(run, block, own, order, start, rest.step);
        if (motion_rows(run, block, 1) != IMP_OK)
            break;
        for (uint32_t i = 0; i < n; i++)
            rest.push[i] = rest.rests[i] ? crossing_rate(run, block, i) : 0.0;
        follow_share(run, block, own, &rest, rest.now, 1.0);
        if (k == 0 && !balances(run, block, own, &rest))
            return 0.0;
        double share =
            share_of(run, block, own, &rest, ldexp(1.0, -2 * k), k > 0);
        if (share == 0.0)
            break;
        found = rest.step;
        best = share;
        memcpy(taken, rest.push, n * sizeof *taken);
    }
    if (found > 0.0)
        follow_share(run, block, own, &rest, taken, 0.5 * best);
    else
        follow_share(run, block, own, &rest, rest.now, 1.0);
    return found;
}

/* The shortest time after which there is a series that leads on by more than
 * the least step; `length` if there is none. The rates that are missed until
 * then change the velocities by no more than an error of the clock does. From a
 * rest in balance the rows become those that lead there. */
static double
first_step(struct rt *run, uint32_t block, int order, double least,
           double length)
{
    struct crossing *own = crossing_of(run, block);
    double start = rt_time(run), found = length, horizon = run->motion->horizon,
           most = fmax(FIRST_CLOCK * least,
                       start == 0.0 ? FIRST_BEGIN * horizon : 0.0);
    struct diags unheard, *heard = run->ds;
    crossing_follow(run, block, own);
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    for (double step = 2.0 * length; step <= most && found == length;
         step *= 2.0)
        if (leads_on(run, block, own, order, start, step, least))
            found = step;
    if (found <= least)
        found = fmax(found, balanced_step(run, block, own, order, start));
    if (found <= least) {
        double brief = motion_brief(run, run->motion->briefs + block, NULL);
        crossing_move(run, block, own, order, start, brief);
        if (motion_rows(run, block, 1) == IMP_OK &&
            is_regular(run, block, own, brief))
            found = fmax(found, brief);
    }
    crossing_back(run, block, own, order, start);
    run->ds = heard;
    return found;
}

/* Leaves the series of a lower order, at least `lowest`, in the rows of the
 * block. How long it obeys; 0: there is none, or for the least step alone. */
static double
lower_series(struct rt *run, uint32_t block, int order, int lowest,
             double least)
{
    const struct motion_block *moving = motion_block_of(run, block);
    struct crossing *own = crossing_of(run, block);
    double start = rt_time(run), length;
    int made = finite_order(run, block, order, lowest);
    if (made == 0 || made == order)
        return 0.0;
    motion_step(run, block, made, &length);
    uint32_t n_rows = rt_tape(run, moving->tape)->n_rows;
    for (uint32_t i = 0; i < n_rows; i++)
        for (int k = made + 1; k <= order; k++)
            run->rows.block[block][(size_t)i * IMP_ROW_STRIDE + IMP_ROW_PAD +
                                   (size_t)k] = 0.0;
    motion_cut_joints(run, block, made, 0.0);
    if (!isfinite(length) || !(length > least) ||
        (moving->system != IMP_NO_SYSTEM &&
         system_mass(run, moving->system, own->mass) != IMP_OK))
        return 0.0;
    struct diags unheard, *heard = run->ds;
    bool obeys = false;
    crossing_follow(run, block, own);
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard; /* a state beyond the motion is no mistake of a user */
    for (int i = 0; i < LOWER_HALVINGS && !obeys; i++) {
        obeys = crossing_holds(run, block, own, made, start, length);
        length *= obeys ? 1.0 : 0.5;
    }
    crossing_back(run, block, own, made, start);
    run->ds = heard;
    return obeys && length > least ? length : 0.0;
}

/* -- forces of closed contacts along a parabola ------------------------------
 */

/* What holds contacts closed may change while no acceleration does, as friction
 * on what sticks to a belt and stretches a spring. Along a parabola of the
 * motion forces are parabolas, too, through their values at its beginning,
 * halfway and at its end, for as long as they keep to these at the quarters, to
 * this share of the greatest force. A power of a rate that a contact holds at
 * its rounding has a rounding above that of the force. */
#define FORCES_KEPT 0x1p-26
/* Slips below this share of the rates are rounding. */
#define FORCES_SLIP 0x1p-40

/* The values of the forces at the quarters of a step along the rows that are
 * followed. False: they have none. */
static bool
forces_along(struct rt *run, uint32_t block, const struct crossing *own,
             int order, double start, double step, double *quarter[5])
{
    uint32_t system = motion_block_of(run, block)->system;
    for (int k = 0; k < 5; k++) {
        crossing_move(run, block, own, order, start, 0.25 * k * step);
        if (motion_rates(run, block) != IMP_OK)
            return false;
        system_forces(run, system, quarter[k]);
    }
    return true;
}

/* Do they keep to parabolas? */
static bool
are_parabolas(const struct rt *run, uint32_t block, const struct crossing *own,
              double *const quarter[5])
{
    uint32_t system = motion_block_of(run, block)->system,
             n = block_of(run, block)->state.n;
    double most[2] = {0.0, 0.0};
    for (uint32_t i = n / 2; i < n; i++)
        most[1] =
            fmax(most[1], FORCES_SLIP / FORCES_KEPT * fabs(own->speed[i]));
    for (int look = 0; look < 2; look++)
        for (uint32_t i = 0; i < system_n_forces(run, system); i++) {
            bool slip = system_force_is_slip(run, system, i);
            double a = quarter[0][i], b = quarter[2][i], c = quarter[4][i];
            most[slip] =
                fmax(most[slip], fmax(fabs(a), fmax(fabs(b), fabs(c))));
            double off =
                fmax(fabs(quarter[1][i] - (3.0 * a + 6.0 * b - c) / 8.0),
                     fabs(quarter[3][i] - (3.0 * c + 6.0 * b - a) / 8.0));
            if (look == 1 && !(off <= FORCES_KEPT * most[slip]))
                return false;
        }
    return true;
}

/* Makes the forces of the closed contacts of a system, whose motion is a
 * parabola for `length`, parabolas. For how long they are: `least` or less,
 * where they are none. */
static double
follow_forces(struct rt *run, uint32_t block, int order, double least,
              double length)
{
    uint32_t system = motion_block_of(run, block)->system,
             n = system_n_forces(run, system);
    struct crossing *own = crossing_of(run, block);
    double start = rt_time(run), *quarter[5], horizon = run->motion->horizon,
           step = fmin(length, horizon > 0.0 ? horizon : 1.0);
    struct diags unheard, *heard = run->ds;
    for (int k = 0; k < 5; k++)
        quarter[k] = NEW_N(run->brief, double, n + 1);
    crossing_follow(run, block, own);
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    while (step > least &&
           !(forces_along(run, block, own, order, start, step, quarter) &&
             are_parabolas(run, block, own, quarter)))
        step *= 0.25;
    crossing_back(run, block, own, order, start);
    run->ds = heard;
    system_series_cut(run, system, 1, order);
    if (step > least)
        system_forces_through(run, system, step, quarter[2], quarter[4]);
    return step;
}

int
crossing_parabola(struct rt *run, uint32_t block, int order, double *length)
{
    assert(run != NULL && length != NULL && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    double least = switching_least(run);
    bool slides = !moving->observer && moving->system != IMP_NO_SYSTEM &&
                  system_slides(run, moving->system),
         rough = block_of(run, block)->n_rub > 0;
    if (persistent_moves(run, block) || order < 2)
        return IMP_NONFINITE;
    /* how far a series leads on only high orders tell */
    order = order < MOTION_STEP_ORDER ? MOTION_STEP_ORDER : order;
    bool lower = !moving->observer && !slides && !relays_act(run, block);
    if (lower &&
        (*length = lower_series(run, block, order, LOWER_FIRST, least)) > 0.0)
        return IMP_OK;
    double later = lower && moving->system != IMP_NO_SYSTEM
                       ? lower_series(run, block, order, LOWER_LAST, least)
                       : 0.0;
    /* the rates of accelerations may be infinite, as those of a root of 0 */
    int first = motion_rows(run, block, 1);
    if (first != IMP_OK && !((slides || rough) && first == IMP_NONFINITE))
        return IMP_NONFINITE;
    int st = motion_rows(run, block, 2);
    if ((st != IMP_OK && st != IMP_NONFINITE) || !motion_cut(run, block, order))
        return IMP_NONFINITE;
    *length = crossing_length(run, block, order, least, INFINITY);
    if (!moving->observer)
        *length = first_step(run, block, order, least, *length);
    if (later > *length) {
        *length = lower_series(run, block, order, LOWER_LAST, least);
        return IMP_OK;
    }
    if (*length <= least)
        *length = fmax(*length, crossing_stops(run, block, order));
    bool known = slides && *length > FIRST_CLOCK * least;
    if (known)
        *length = follow_forces(run, block, order, least, *length);
    if (*length <= least && (slides || rough))
        *length = motion_brief(run, run->motion->briefs + block, NULL);
    if (!(*length > least) && slides) {
        *length = crossing_rests(run, block);
        known = *length > 0.0;
        if (known)
            *length = follow_forces(run, block, order, least, *length);
    }
    if (slides && !known)
        system_series_cut(run, moving->system, first ? 1 : 2, order);
    relays_cut(run, block, 2, order);
    motion_cut_joints(run, block, 2, fmax(*length, least));
    return *length > least || moving->observer ? IMP_OK : IMP_NONFINITE;
}

/* -- where series lead nowhere --------------------------------------------- */

/* The motion of the group under the forces of this instant. Status. */
static int
group_instant(struct rt *run, struct persistent_group *group, bool lets_go)
{
    group->first = true;
    int st = persistent_orders(run, group, 0, 2, UINT32_MAX);
    group->first = false;
    if (!st && lets_go)
        st = persistent_let_go(run, group);
    persistent_cut(run, group, 2);
    for (uint32_t i = 0; i < group->moved.n_block; i++) {
        motion_cut(run, group->moved.block[i], 2);
        relays_cut(run, group->moved.block[i], 2, IMP_ORDER_MAX);
        motion_cut_joints(run, group->moved.block[i], 2, switching_least(run));
    }
    return st;
}

/* The group under the forces of this instant. Where many pieces have led
 * nowhere it may rest. */
static int
short_of(struct rt *run, struct persistent_group *group, double least)
{
    /* what yields leads on or not */
    if (group->yields)
        return IMP_NONFINITE;
    double length = fmax(least, motion_brief(run, &group->brief, group));
    int st = group_instant(run, group, least > 0.0);
    if (!st && !(length > 0.0)) {
        length = crossing_rests_alike(run, group);
        st = group_instant(run, group, false);
    }
    group->holds = fmin(group->holds, length);
    group->parabola = true;
    return st || length > 0.0 ? st : IMP_NONFINITE;
}

/* The series of the group where velocities rest under forces that have no
 * series where such a velocity is the rounding of 0. IMP_NONFINITE: there are
 * none. */
static int
series_resting(struct rt *run, struct persistent_group *group, int order,
               uint32_t block)
{
    struct diags unheard, *heard = run->ds;
    if (group->yields)
        return IMP_NONFINITE;
    diags_init(&unheard, run->brief, heard->sources);
    run->ds = &unheard;
    group->first = true;
    int st = persistent_orders(run, group, 0, 2, UINT32_MAX);
    group->first = false;
    uint32_t n = st ? 0 : persistent_rest_begin(run, group, true);
    st = IMP_NONFINITE;
    bool steady = group->steady;
    group->steady = false;
    /* each time a velocity less may rest; high orders tell it */
    int high = order < MOTION_STEP_ORDER ? MOTION_STEP_ORDER : order;
    for (uint32_t tries = 0; tries < n && st; tries++)
        st = persistent_orders(run, group, 0, high, block);
    if (!st && order < high)
        st = persistent_orders(run, group, 0, order, block);
    group->rest = NULL;
    group->made = group->driven = 0;
    group->steady = steady && st;
    run->ds = heard;
    return st;
}

int
persistent_series_short(struct rt *run, uint32_t block, double least, int order,
                        double *step)
{
    assert(run && step && persistent_moves(run, block) && least >= 0.0);
    struct persistent_group *group = run->persistent_memory->of[block];
    if (least == 0.0 && !series_resting(run, group, order, UINT32_MAX)) {
        motion_step(run, block, order, step);
        if (*step >= switching_least(run)) /* none of the others passes 0 */
            return IMP_OK;
    }
    int st = short_of(run, group, least);
    *step = st ? *step : group->holds;
    return st;
}

/* Forces of orders below `made` stand from the last call. Where there are no
 * such series, those of persistent_series_short. */
static int
series_from(struct rt *run, struct persistent_group *group, int made, int order,
            uint32_t block)
{
    assert(run && group && order >= 1);
    struct diag *last = run->ds->last;
    run->persistent_memory->rough = group->parabola = false;
    int st = persistent_orders(run, group, made, order, block);
    if (st != IMP_FAILED || !run->persistent_memory->rough)
        return st;
    if (series_resting(run, group, order, block) == IMP_OK) {
        while (run->ds->last != last)
            diag_withdraw(run->ds, run->ds->last);
        return IMP_OK;
    }
    while (run->ds->last != last)
        diag_withdraw(run->ds, run->ds->last);
    if (order > 3 && short_of(run, group, 0.0) == IMP_OK)
        return IMP_OK;
    while (run->ds->last != last)
        diag_withdraw(run->ds, run->ds->last);
    return persistent_orders(run, group, 0, order, block);
}

int
persistent_group_series(struct rt *run, struct persistent_group *group,
                        int order, uint32_t block)
{
    assert(group != NULL && order >= 1);
    return series_from(run, group, 0, order, block);
}

int
persistent_series(struct rt *run, int order, uint32_t block)
{
    assert(order >= 1 && order < IMP_ORDER_MAX);
    const struct persistent_set *set = run->persistent_memory;
    if (block != UINT32_MAX)
        return persistent_group_series(run, set->of[block], order, block);
    int st = IMP_OK;
    for (int i = 0; i < set->n && !st; i++) {
        if (!motion_asks(run, *set->group[i]->moved.block))
            continue;
        st = persistent_group_series(run, set->group[i], order, block);
        persistent_keeps(run, set->group[i], st ? 0 : order);
    }
    run->persistent_memory->series_uses = set->uses;
    return st;
}

int
persistent_series_standing(struct rt *run, int order, double *step)
{
    assert(run != NULL && step != NULL);
    const struct persistent_set *set = run->persistent;
    int st = IMP_OK;
    *step = INFINITY;
    for (int i = 0; i < set->n && !st; i++) {
        struct persistent_group *group = set->group[i];
        bool simple =
            !group->yields && !group->varies && !group->rubs && !run->joints;
        if (!motion_asks(run, *group->moved.block))
            continue;
        if (!simple || !persistent_kept(run, group, 0)) {
            st = persistent_group_series(run, group, order, UINT32_MAX);
            persistent_keeps(run, group, st ? 0 : order);
        } else if (group->kept_order < order) {
            for (uint32_t k = 0; k < group->moved.n_block; k++) {
                double holds;
                motion_step(run, group->moved.block[k], group->kept_order,
                            &holds);
                *step = fmin(*step, holds);
            }
            persistent_cut(run, group, group->kept_order);
        }
    }
    return st;
}

int
persistent_series_more(struct rt *run, int order)
{
    assert(order >= 1 && order < IMP_ORDER_MAX);
    const struct persistent_set *set = run->persistent_memory;
    bool stands = set->uses == set->series_uses;
    int st = IMP_OK;
    for (int i = 0; i < set->n && !st; i++) {
        if (!motion_asks(run, *set->group[i]->moved.block) ||
            (stands && persistent_kept(run, set->group[i], order)))
            continue;
        st = series_from(run, set->group[i], stands ? set->group[i]->made : 0,
                         order, UINT32_MAX);
        persistent_keeps(run, set->group[i], st ? 0 : order);
    }
    return st;
}
