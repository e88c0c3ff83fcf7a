/* SPDX-License-Identifier: MIT */
/* The choice of contact modes at one instant (friction.h), as a search over
 * the states of all points (mode_search.c). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"

const char *
contact_mode_name(enum contact_mode mode)
{
    static const char *const name[] = {"free", "slide", "stick", "slip +",
                                       "slip -"};
    assert((unsigned)mode < sizeof name / sizeof *name);
    return name[mode];
}

const char *
friction_verdict_name(enum friction_verdict verdict)
{
    static const char *const name[] = {"consistent",
                                       "consistent (loads are shared)",
                                       "indeterminate (loads)",
                                       "indeterminate",
                                       "inconsistent",
                                       "not shown unique",
                                       "unknown"};
    assert((unsigned)verdict < sizeof name / sizeof *name);
    return name[verdict];
}

const char *
friction_verdict_cause(enum friction_verdict verdict)
{
    switch (verdict) {
    case FRICTION_NONE:
        return "no choice of stick, slip and separation obeys Coulomb's law";
    case FRICTION_SEVERAL:
        return "several motions obey Coulomb's law";
    case FRICTION_LOADS:
        return "the motion depends on how the points share the loads";
    default:
        return "no motion was found that obeys Coulomb's law, and it was not "
               "shown that there is none";
    }
}

bool
friction_choice_alike(const struct friction_choice *choice, int point)
{
    bool is = choice->n > 1;
    for (int k = 1; k < choice->n && is; k++)
        is = choice->set[k].mode[point] == choice->set[0].mode[point];
    return is;
}

/* A force that is there, however small: its friction has a direction. */
#define GIVEN_LEAST 1e-200

static struct point_state
state_of_mode(enum contact_mode mode)
{
    static const struct point_state state[] = {
        [CONTACT_FREE] = {false, TANGENT_NONE},
        [CONTACT_SLIDE] = {true, TANGENT_NONE},
        [CONTACT_STICK] = {true, TANGENT_STICK},
        [CONTACT_SLIP_POSITIVE] = {true, TANGENT_FORWARD},
        [CONTACT_SLIP_NEGATIVE] = {true, TANGENT_BACKWARD}};
    return state[mode];
}

static enum contact_mode
mode_of_state(struct point_state state)
{
    return !state.closed                       ? CONTACT_FREE
           : state.tangent == TANGENT_STICK    ? CONTACT_STICK
           : state.tangent == TANGENT_FORWARD  ? CONTACT_SLIP_POSITIVE
           : state.tangent == TANGENT_BACKWARD ? CONTACT_SLIP_NEGATIVE
                                               : CONTACT_SLIDE;
}

static void
put_set(struct arena *arena, int n, const struct friction_point *point,
        const struct mode_found *found, struct friction_set *set)
{
    set->shared = found->solution.shared;
    set->mode = NEW_N(arena, enum contact_mode, n);
    set->normal = NEW_N(arena, double, n);
    set->tangential = NEW_N(arena, double, n);
    set->acc = found->solution.acc;
    for (int i = 0; i < n; i++) {
        struct point_state state = found->state[i];
        state.closed |= point[i].given;
        set->mode[i] = mode_of_state(state);
        set->normal[i] = found->solution.force[2 * i];
        set->tangential[i] = found->solution.force[2 * i + 1];
    }
}

/* To which share of their terms the accelerations at a point are known. */
static double
known_to(const struct friction_point *point)
{
    if (!point->ended)
        return FRICTION_TOLERANCE;
    return point->fuzz > FRICTION_AT_ROOT * point->normal
               ? fmin(point->fuzz / point->normal, 1.0)
               : FRICTION_AT_ROOT;
}

static struct mode_problem
problem_of(struct arena *arena, const struct friction_instant *in)
{
    struct mode_point *point = NEW_N(arena, struct mode_point, in->n);
    for (int i = 0; i < in->n; i++) {
        const struct friction_point *from = in->point + i;
        assert(from->mu_static >= from->mu_dynamic && from->mu_dynamic >= 0.0);
        point[i] = (struct mode_point){.mu_stick = from->mu_static,
                                       .mu_slip = from->mu_dynamic,
                                       .slip = from->slip,
                                       .scale = known_to(from),
                                       .held = from->held,
                                       .ended = from->ended,
                                       .varies = from->varies,
                                       .before = state_of_mode(from->before)};
        if (!from->given)
            continue;
        point[i].driven = true;
        point[i].offset = fmax(from->normal, GIVEN_LEAST);
        point[i].before.closed = false;
    }
    struct mode_problem problem = {.n = in->n,
                                   .point = point,
                                   .W = in->W,
                                   .free = in->free,
                                   .terms = in->terms,
                                   .brief = in->brief,
                                   .inner = in->inner,
                                   .near = in->near,
                                   .memory = in->memory};
    mode_find_pattern(arena, &problem);
    return problem;
}

/* The modes of a set, with the forces that are given as such. */
static struct point_state *
states_of(struct arena *arena, const struct friction_instant *in,
          const struct friction_set *set)
{
    struct point_state *state = NEW_N(arena, struct point_state, in->n);
    for (int i = 0; i < in->n; i++) {
        state[i] = state_of_mode(set->mode[i]);
        state[i].closed &= !in->point[i].given;
    }
    return state;
}

void
friction_ranges(struct arena *arena, const struct friction_instant *in,
                const struct friction_set *set, struct friction_range *range)
{
    assert(arena && in && in->n > 0 && set && range);
    struct mode_problem problem = problem_of(arena, in);
    mode_ranges(arena, &problem, states_of(arena, in, set), range);
}

double
friction_spread(struct arena *arena, const struct friction_choice *choice,
                double enough)
{
    assert(arena && choice && choice->verdict == FRICTION_LOADS && choice->of);
    struct mode_problem problem = problem_of(arena, choice->of);
    return fmax(choice->apart,
                mode_spread(arena, &problem,
                            states_of(arena, choice->of, &choice->set[0]),
                            enough));
}

bool
friction_forces_of(struct arena *arena, const struct friction_instant *in,
                   const struct friction_set *set, struct friction_set *out)
{
    assert(arena && in && in->n > 0 && set && out);
    struct mode_result *result = NEW(arena, struct mode_result);
    struct mode_problem problem = problem_of(arena, in);
    mode_search(arena, &problem, states_of(arena, in, set), result);
    if (result->n != 1)
        return false;
    put_set(arena, in->n, in->point, result->found, out);
    return true;
}

double
friction_room(struct arena *arena, const struct friction_instant *in,
              const struct friction_set *set, const double *rate)
{
    assert(arena && in && in->n > 0 && set && rate);
    struct mode_problem problem = problem_of(arena, in);
    return mode_room(arena, &problem, states_of(arena, in, set), rate);
}

bool
friction_lasting(struct arena *arena, const struct friction_instant *in,
                 const double *rate, double soon, bool again,
                 struct friction_set *set)
{
    assert(arena && in && in->n > 0 && rate && set);
    struct mode_problem problem = problem_of(arena, in);
    double *force = NEW_N(arena, double, 2 * (size_t)in->n);
    if (!mode_lasting(arena, &problem, states_of(arena, in, set), rate, soon,
                      again, force))
        return false;
    for (int i = 0; i < in->n; i++) {
        set->normal[i] = force[2 * i];
        set->tangential[i] = force[2 * i + 1];
    }
    return true;
}

/* What a search has found, for whoever asked. */
static void
put_result(struct arena *arena, const struct friction_instant *in,
           const struct mode_result *result, struct friction_choice *out)
{
    out->verdict = result->verdict;
    out->n = result->n;
    out->taken = result->taken;
    for (int i = 0; i < result->n; i++)
        put_set(arena, in->n, in->point, result->found + i, out->set + i);
    const struct mode_solution *taken =
        &result->found[result->taken < 0 ? 0 : result->taken].solution;
    out->margin = result->n ? taken->margin : 0.0;
    out->roomy = result->n && taken->roomy;
    out->apart = result->apart;
    out->of = NULL;
    out->result = result;
    if (out->verdict != FRICTION_LOADS)
        return;
    struct friction_instant *of = arena_copy(arena, in, sizeof *in);
    of->point = arena_copy(arena, in->point, sizeof *in->point * (size_t)in->n);
    out->of = of;
}

void
friction_choose(struct arena *arena, const struct friction_instant *in,
                struct friction_choice *out)
{
    assert(arena && in && in->n > 0 && out);
    out->result = NULL;
    friction_choose_near(arena, in, out);
}

void
friction_choose_near(struct arena *arena, const struct friction_instant *in,
                     struct friction_choice *choice)
{
    assert(arena && in && in->n > 0 && choice);
    struct mode_result *result = NEW(arena, struct mode_result);
    struct mode_problem problem = problem_of(arena, in);
    mode_search_near(arena, &problem, choice->result, result);
    put_result(arena, in, result, choice);
}

/* -- what goes on -----------------------------------------------------------
 * Which points stick and which slip where forces are at edges of their cones.
 * There modes that obey the law now may end now. The rows are a = free + W f,
 * and free grows by s times its rate. Modes that obey the law at this instant
 * and at s obey it in between: what they ask for is linear in forces and
 * accelerations, and these go on a straight way from the ones to the others. So
 * they go on, to the first order. Where forces are not unique, those at s keep
 * off the edges, and those of now are the nearest to them. */

/* s is this share of the time in which accelerations change by themselves, or
 * shares that are each less than the one before by NEXT_LESS, NEXT_TRIES in
 * all. The last one moves margins by 1e-8 of their terms, above the tolerance of
 * a choice (friction_priv.h). */
#define NEXT_SHARE 1e-2
#define NEXT_LESS 0.1
#define NEXT_TRIES 7

/* Accelerations are about to vanish when less than this share of their terms is
 * left of them. */
#define NEXT_VANISHES 1e-2

/* The time in which accelerations change by as much as they are, in the norm of
 * the energy: the same in every frame, as their terms are not, which stand in
 * where they vanish. */
static double
time_of(const struct friction_instant *in, const double *rate)
{
    size_t rows = 2 * (size_t)in->n;
    double free = 0.0, terms = 0.0, rates = 0.0;
    for (size_t r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        if (!(w > 0.0))
            continue;
        free = fmax(free, fabs(in->free[r]) / sqrt(w));
        terms = fmax(terms, in->terms[r] / sqrt(w));
        rates = fmax(rates, fabs(rate[r]) / sqrt(w));
    }
    if (!(free > NEXT_VANISHES * terms))
        free = terms;
    return rates > 0.0 ? free / rates : INFINITY;
}

/* Points that slip in name alone stick: their slips are not accelerated at s
 * either, as others hold them. Finds forces of these modes. */
static void
name_sticks(struct arena *arena, const struct friction_instant *later,
            struct friction_set *set)
{
    size_t rows = 2 * (size_t)later->n;
    struct friction_set stick = *set, found;
    stick.mode = arena_copy(arena, set->mode, sizeof *set->mode * rows / 2);
    for (size_t i = 0; i < rows / 2; i++) {
        double size = later->terms[2 * i + 1];
        const double *w = later->W + (2 * i + 1) * rows;
        for (size_t c = 0; c < rows / 2; c++)
            size += fabs(w[2 * c] * set->normal[c]) +
                    fabs(w[2 * c + 1] * set->tangential[c]);
        bool slips = set->mode[i] == CONTACT_SLIP_POSITIVE ||
                     set->mode[i] == CONTACT_SLIP_NEGATIVE;
        if (slips && later->point[i].slip == 0.0 &&
            fabs(set->acc[2 * i + 1]) <= FRICTION_SAME * size)
            stick.mode[i] = CONTACT_STICK;
    }
    if (friction_forces_of(arena, later, &stick, &found))
        *set = found;
}

/* Are there modes that obey the law now and at s? */
static bool
try_later(struct arena *arena, const struct friction_instant *in,
          const double *rate, double s, struct friction_going *out)
{
    size_t n = (size_t)in->n;
    double *free = NEW_N(arena, double, 2 * n);
    double *then = NEW_N(arena, double, 2 * n);
    struct friction_point *point =
        arena_copy(arena, in->point, n * sizeof *point);
    struct friction_instant later = *in, now = *in;
    struct friction_choice *choice = NEW(arena, struct friction_choice);
    for (size_t i = 0; i < n; i++)
        point[i].ended = false;
    for (size_t r = 0; r < 2 * n; r++)
        free[r] = in->free[r] + s * rate[r];
    later.free = free;
    later.point = point;
    later.inner = true;
    friction_choose(arena, &later, choice);
    if (choice->taken < 0)
        return false;
    struct friction_set *set = choice->set + choice->taken;
    name_sticks(arena, &later, set);
    for (size_t i = 0; i < n; i++) {
        then[2 * i] = set->normal[i];
        then[2 * i + 1] = set->tangential[i];
    }
    now.near = then;
    if (!friction_forces_of(arena, &now, set, &out->set))
        return false;
    for (size_t i = 0; i < n; i++) {
        out->drift[2 * i] = (then[2 * i] - out->set.normal[i]) / s;
        out->drift[2 * i + 1] = (then[2 * i + 1] - out->set.tangential[i]) / s;
    }
    out->span = s;
    return true;
}

bool
friction_goes_on(struct arena *arena, const struct friction_instant *in,
                 const double *rate, struct friction_going *out)
{
    assert(arena && in && in->n > 0 && in->terms && rate && out);
    double s = NEXT_SHARE * time_of(in, rate);
    out->drift = NEW_N(arena, double, 2 * (size_t)in->n);
    for (int k = 0; k < NEXT_TRIES && isfinite(s); k++, s *= NEXT_LESS)
        if (try_later(arena, in, rate, s, out))
            return true;
    return false;
}

/* -- joints ----------------------------------------------------------------
 */

/* Grips are followed until they move by less than this share: rounding of the
 * forces. */
#define GRIP_SETTLED 0x1p-44
/* or by this share of the greatest force */
#define GRIP_LEAST 0x1p-50
/* where points share forces, each look at the edges may move them: so many
 * looks
 */
#define GRIP_AGAIN 4
/* most choices for one start. They converge linearly, by mu r m c/J. */
#define GRIP_ROUNDS 300
/* so far from 1 the ratio of two moves in a row is extrapolated */
#define GRIP_RATIO 0.95
/* A grip below this share of the greatest force is none: there friction holds
 * nothing. */
#define GRIP_NONE 0x1p-40
/* an acceleration below this share of its terms is none */
#define RATE_NONE 1e-10
/* Two motions differ if an acceleration does by this share. */
#define GRIP_DIFFERS 1e-8

/* The size of the force of a grip under these forces. */
static double
friction_grip_of(const struct friction_grip *grip, int rows,
                 const double *force)
{
    assert(grip && force);
    double sum[2] = {grip->load[0], grip->load[1]};
    for (int k = 0; k < 2; k++)
        for (int r = 0; r < rows; r++)
            sum[k] += grip->by[k][r] * force[r];
    return grip->bush ? fmax(fabs(sum[0]), fabs(sum[1]))
                      : hypot(sum[0], sum[1]);
}

/* The search, as grips follow from forces and these from grips. */
struct gripping {
    struct arena *arena;
    const struct mode_problem *in;
    struct mode_point *joint; /* n */
    const struct friction_grip *grip;
    int n;
    double *now, *last;      /* n: grips of the forces found, the last move */
    struct mode_point *data; /* n: as given */
};

/* Joints that nothing loads have no friction now. most: the greatest force. */
static void
find_idle(struct gripping *at, double most)
{
    for (int k = 0; k < at->n; k++) {
        struct mode_point *joint = at->joint + k;
        bool idle = !(joint->offset > fmax(GRIP_NONE * most, GIVEN_LEAST));
        joint->mu_stick = idle ? 0.0 : at->data[k].mu_stick;
        joint->mu_slip = idle ? 0.0 : at->data[k].mu_slip;
        joint->varies = idle ? false : at->data[k].varies;
        joint->held = idle ? false : at->data[k].held;
    }
}

/* Writes the next grips: extrapolated where two moves in a row are alike. */
static void
next_grips(const struct gripping *at)
{
    double along = 0.0, square = 0.0, ratio = 0.0;
    for (int k = 0; k < at->n; k++) {
        along += (at->now[k] - at->joint[k].offset) * at->last[k];
        square += at->last[k] * at->last[k];
    }
    if (square > 0.0 && fabs(along) < GRIP_RATIO * square)
        ratio = along / square;
    for (int k = 0; k < at->n; k++) {
        double move = at->now[k] - at->joint[k].offset;
        /* a move that is extrapolated says nothing of the next ratio */
        at->last[k] = ratio != 0.0 ? 0.0 : move;
        at->joint[k].offset =
            fmax(at->joint[k].offset + move / (1.0 - ratio), GIVEN_LEAST);
    }
}

/* The greatest error of a grip of which the solution makes use: of joints that
 * slip, and of those that stick with a friction beyond what their grip bears.
 */
static double
grip_error(const struct gripping *at, const struct mode_found *found)
{
    double most = 0.0;
    int first = at->in->n - at->n;
    for (int k = 0; k < at->n; k++) {
        double error = fabs(at->now[k] - at->joint[k].offset),
               friction = fabs(found->solution.force[2 * (first + k) + 1]);
        if (found->state[first + k].tangent == TANGENT_STICK &&
            friction <= at->joint[k].mu_stick * at->now[k])
            error = 0.0;
        most = fmax(most, error);
    }
    return most;
}

/* Returns the set that has these modes, or (NULL) the one that is taken, or the
 * first; -1: there is none. */
static int
followed(const struct gripping *at, const struct mode_result *out,
         const struct point_state *modes)
{
    if (!modes)
        return out->n == 0 ? -1 : out->taken < 0 ? 0 : out->taken;
    for (int k = 0; k < out->n; k++) {
        bool same = true;
        for (int i = 0; i < at->in->n; i++)
            same &= out->found[k].state[i].closed == modes[i].closed &&
                    out->found[k].state[i].tangent == modes[i].tangent;
        if (same)
            return k;
    }
    return -1;
}

/* Joints that stick have grips of which nothing depends but the edges of their
 * cones. Takes over what follows from the forces. True: that is a change, so
 * that where the edges are is to be looked at once more. */
static bool
takes_grips(struct gripping *at, double least)
{
    bool any = false;
    for (int k = 0; k < at->n; k++) {
        any |= fabs(at->now[k] - at->joint[k].offset) > least;
        at->joint[k].offset = fmax(at->now[k], GIVEN_LEAST);
    }
    return any;
}

/* Finds a choice whose grips are those of its forces, from those that stand in
 * `joint`: one with these modes, or (NULL) any. *which: its number; -1: there
 * is none. False: grips come to no end. From round to round the modes are tried
 * that were found last; sure: at the end others are looked for once more. */
static bool
settle(struct gripping *at, const struct point_state *modes, bool sure,
       struct mode_result *out, int *which)
{
    double before = INFINITY, force_most = 0.0,
           none = GRIP_LEAST * mode_force_terms(at->in);
    int again = 0, n = at->in->n;
    bool one = false; /* only the modes of the last round are looked at */
    struct point_state *last = NEW_N(at->arena, struct point_state, n);
    memset(at->last, 0, sizeof *at->last * (size_t)at->n);
    for (int round = 0; round < GRIP_ROUNDS; round++) {
        double moved = 0.0, most = 0.0;
        find_idle(at, force_most);
        if (one)
            mode_search(at->arena, at->in, last, out);
        if (!one || out->n == 0) {
            mode_search(at->arena, at->in, NULL, out);
            one = false;
        }
        if ((*which = followed(at, out, modes)) < 0)
            return true;
        const struct mode_found *found = out->found + *which;
        const double *force = found->solution.force;
        force_most = 0.0;
        for (int r = 0; r < 2 * n; r++)
            force_most = fmax(force_most, fabs(force[r]));
        for (int k = 0; k < at->n; k++) {
            at->now[k] = friction_grip_of(at->grip + k, 2 * at->in->n, force);
            most = fmax(most, at->now[k]);
        }
        moved = grip_error(at, found);
        if (!(moved >
              fmax(GRIP_SETTLED * most, fmax(GRIP_LEAST * force_most, none))) ||
            (moved < GRIP_DIFFERS * most && !(moved < before))) {
            if (one && sure) {
                one = false;
                round--;
                continue;
            }
            if (!takes_grips(at, GRIP_SETTLED * most) || again++ == GRIP_AGAIN)
                return true;
            continue;
        }
        before = round % 2 ? before : moved;
        one = out->n == 1;
        memcpy(last, found->state, sizeof *last * (size_t)n);
        next_grips(at);
    }
    return false;
}

/* Of several sets each has to keep to its own grips: drops those that do not.
 */
static void
keep_own_grips(struct gripping *at, struct mode_result *out)
{
    struct mode_result *own = NEW(at->arena, struct mode_result);
    double *grip = NEW_N(at->arena, double, at->n);
    int kept = 1, which;
    for (int k = 0; k < at->n; k++)
        grip[k] = at->joint[k].offset;
    for (int k = 1; k < out->n; k++) {
        for (int i = 0; i < at->n; i++)
            at->joint[i].offset = grip[i];
        if (settle(at, out->found[k].state, true, own, &which) && which >= 0)
            out->found[kept++] = own->found[which];
    }
    for (int i = 0; i < at->n; i++)
        at->joint[i].offset = grip[i];
    if (out->n > 1 && kept == 1) {
        const struct mode_solution *one = &out->found[0].solution;
        out->verdict = one->loads    ? FRICTION_LOADS
                       : one->shared ? FRICTION_SHARED
                                     : FRICTION_UNIQUE;
        out->taken = 0;
    }
    out->n = out->n > 1 ? kept : out->n;
}

/* By how much two motions differ; 0: by rounding. */
static double
apart(const struct mode_problem *in, const struct mode_solution *one,
      const struct mode_solution *other)
{
    double most = 0.0, far = 0.0;
    for (int r = 0; r < 2 * in->n; r++) {
        most = fmax(most, fmax(fabs(one->acc[r]), fabs(other->acc[r])));
        most = fmax(most, in->terms ? in->terms[r] : fabs(in->free[r]));
        far = fmax(far, fabs(one->acc[r] - other->acc[r]));
    }
    return far <= GRIP_DIFFERS * most ? 0.0 : far;
}

/* The same of what is the only motion of each; else 0. */
static double
apart_alone(const struct mode_problem *in, const struct mode_result *one,
            const struct mode_result *other)
{
    return one->n == 1 && other->n == 1
               ? apart(in, &one->found[0].solution, &other->found[0].solution)
               : 0.0;
}

/* settle, of joints that nothing loads at first. */
static bool
from_none(struct gripping *at, bool sure, struct mode_result *out)
{
    int which;
    for (int k = 0; k < at->n; k++)
        at->joint[k].offset = GIVEN_LEAST;
    return settle(at, NULL, sure, out, &which);
}

/* Two beginnings have led to two motions: forces that points share differ, and
 * with them what loads the joints, or there are several. */
static void
two_motions(struct mode_result *out, const struct mode_result *other,
            double far)
{
    const struct mode_solution *one = &out->found[0].solution,
                               *two = &other->found[0].solution;
    if (one->shared || one->loads || two->shared || two->loads) {
        out->verdict = FRICTION_LOADS;
        out->found[0].solution.loads = true;
        out->apart = far;
        return;
    }
    out->verdict = FRICTION_SEVERAL;
    out->found[out->n++] = other->found[0];
    out->taken = -1;
}

/* The modes of all points as they were until now; NULL: some have no such, or
 * have just ended. */
static struct point_state *
modes_until(struct arena *arena, const struct mode_problem *in)
{
    struct point_state *modes = NEW_N(arena, struct point_state, in->n);
    for (int i = 0; i < in->n; i++) {
        if (!in->point[i].held || in->point[i].ended)
            return NULL;
        modes[i] = in->point[i].before;
    }
    return modes;
}

/* Joints that stick may bear more than those that slip, and so hold what
 * smaller grips do not. What has been until now goes on where it still obeys
 * the law, by its own grips: looks for it from grips that are twice as large,
 * if it has not been found. */
static void
goes_on_by_own_grips(struct gripping *at, struct mode_result *out)
{
    const struct point_state *modes = modes_until(at->arena, at->in);
    struct mode_result *own;
    struct mode_point *kept = NEW_N(at->arena, struct mode_point, at->n);
    int which = -1;
    if (!modes || out->n == 0 || out->n == FRICTION_SETS_MOST ||
        followed(at, out, modes) >= 0)
        return;
    own = NEW(at->arena, struct mode_result);
    memcpy(kept, at->joint, sizeof *kept * (size_t)at->n);
    for (int k = 0; k < at->n; k++)
        at->joint[k].offset *= 2.0;
    if (!settle(at, modes, true, own, &which) || which < 0 ||
        apart(at->in, &out->found[0].solution, &own->found[which].solution) ==
            0.0) {
        memcpy(at->joint, kept, sizeof *kept * (size_t)at->n);
        return;
    }
    memmove(out->found + 1, out->found, sizeof *out->found * (size_t)out->n);
    out->found[0] = own->found[which];
    out->n++;
    out->taken = 0;
    out->verdict = FRICTION_SEVERAL;
}

void
mode_search_gripped(struct arena *arena, const struct mode_problem *in,
                    struct mode_point *point, int n_grip,
                    const struct friction_grip *grip, struct mode_result *out)
{
    assert(arena && in && in->point == point && out);
    assert(n_grip >= 0 && n_grip <= in->n && (grip || n_grip == 0));
    if (n_grip == 0) {
        mode_search_kept(arena, in, out);
        return;
    }
    struct gripping at = {.arena = arena,
                          .in = in,
                          .joint = point + (in->n - n_grip),
                          .grip = grip,
                          .n = n_grip,
                          .now = NEW_N(arena, double, n_grip),
                          .last = NEW_N(arena, double, n_grip),
                          .data = NEW_N(arena, struct mode_point, n_grip)};
    memcpy(at.data, at.joint, sizeof *at.data * (size_t)n_grip);
    struct mode_result *other = NEW(arena, struct mode_result);
    double *none = NEW_N(arena, double, 2 * (size_t)in->n);
    size_t size = sizeof *at.joint * (size_t)n_grip;
    struct mode_point *kept = NEW_N(arena, struct mode_point, n_grip);
    bool found = from_none(&at, false, other);
    int which;
    memcpy(kept, at.joint, size);
    for (int k = 0; k < n_grip; k++)
        at.joint[k].offset =
            fmax(friction_grip_of(grip + k, 2 * in->n, none), GIVEN_LEAST);
    bool given = settle(&at, NULL, true, out, &which);
    if ((!given || out->n == 0) && found && other->n == 1) {
        /* the given loads lead to nothing, those that begin with none do: to a
         * motion that is not shown to be the only one */
        *out = *other;
        out->verdict = FRICTION_NOT_SHOWN;
        memcpy(at.joint, kept, size);
        return;
    }
    if (!given) {
        *out = (struct mode_result){.verdict = FRICTION_UNKNOWN, .taken = -1};
        return;
    }
    if (out->taken < 0)
        keep_own_grips(&at, out);
    double far = found ? apart_alone(in, out, other) : 0.0;
    if (far > 0.0) { /* one that is not the only one there does not count */
        memcpy(kept, at.joint, size);
        found = from_none(&at, true, other);
        memcpy(at.joint, kept, size);
        far = found ? apart_alone(in, out, other) : 0.0;
    }
    if (far > 0.0)
        two_motions(out, other, far);
    goes_on_by_own_grips(&at, out);
}

/* A joint that nothing loads slips as it does, begins to, or rests. */
static void
name_idle(const struct friction_instant *in, int n_grip,
          struct friction_set *set)
{
    for (int i = in->n - n_grip; i < in->n; i++) {
        double rate = in->point[i].slip, change = set->acc[2 * i + 1];
        if (set->mode[i] != CONTACT_SLIDE)
            continue;
        if (rate == 0.0 && fabs(change) > RATE_NONE * in->terms[2 * i + 1])
            rate = change;
        set->mode[i] = rate > 0.0   ? CONTACT_SLIP_POSITIVE
                       : rate < 0.0 ? CONTACT_SLIP_NEGATIVE
                                    : CONTACT_STICK;
    }
}

void
friction_choose_gripped(struct arena *arena, const struct friction_instant *in,
                        struct friction_point *point, int n_grip,
                        const struct friction_grip *grip,
                        struct friction_choice *out)
{
    assert(arena && in && in->point == point && out);
    assert(n_grip >= 0 && n_grip <= in->n);
    struct mode_result *result = NEW(arena, struct mode_result);
    struct mode_problem problem = problem_of(arena, in);
    struct mode_point *of_mode = NEW_N(arena, struct mode_point, in->n);
    memcpy(of_mode, problem.point, sizeof *of_mode * (size_t)in->n);
    problem.point = of_mode;
    mode_search_gripped(arena, &problem, of_mode, n_grip, grip, result);
    for (int i = in->n - n_grip; i < in->n; i++)
        point[i].normal = of_mode[i].offset;
    put_result(arena, in, result, out);
    out->result = n_grip ? NULL : result;
    for (int k = 0; k < out->n; k++)
        name_idle(in, n_grip, out->set + k);
}
