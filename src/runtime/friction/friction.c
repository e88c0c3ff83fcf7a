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

/* roundings of the sums that make an acceleration */
#define ROW_ROUNDING 64

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

static struct mode_problem
problem_of(struct arena *arena, const struct friction_instant *in)
{
    struct mode_point *point = NEW_N(arena, struct mode_point, in->n);
    for (int i = 0; i < in->n; i++) {
        const struct friction_point *from = in->point + i;
        assert(from->mu_static >= from->mu_dynamic && from->mu_dynamic >= 0.0);
        point[i] = (struct mode_point){
            .mu_stick = from->mu_static,
            .mu_slip = from->mu_dynamic,
            .slip = from->slip,
            .scale = from->ended ? FRICTION_AT_ROOT : FRICTION_TOLERANCE,
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
    return (struct mode_problem){in->n,     point,     in->W, in->free,
                                 in->terms, in->brief, false};
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
friction_room(struct arena *arena, const struct friction_instant *in,
              const struct friction_set *set, const double *rate)
{
    assert(arena && in && in->n > 0 && set && rate);
    struct mode_problem problem = problem_of(arena, in);
    return mode_room(arena, &problem, states_of(arena, in, set), rate);
}

double
friction_row_noise(const struct friction_instant *in, int row)
{
    assert(in && row >= 0 && row < 2 * in->n);
    int rows = 2 * in->n;
    double most = 0.0;
    for (int r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)],
               terms = in->terms ? in->terms[r] : fabs(in->free[r]);
        if (w > 0.0)
            most = fmax(most, terms / sqrt(w));
    }
    return ROW_ROUNDING * DBL_EPSILON * most *
           sqrt(fmax(in->W[row * (rows + 1)], 0.0));
}

void
friction_choose(struct arena *arena, const struct friction_instant *in,
                struct friction_choice *out)
{
    assert(arena && in && in->n > 0 && out);
    struct mode_result *result = NEW(arena, struct mode_result);
    struct mode_problem problem = problem_of(arena, in);
    mode_search(arena, &problem, result);
    out->verdict = result->verdict;
    out->n = result->n;
    out->taken = result->taken;
    for (int i = 0; i < result->n; i++)
        put_set(arena, in->n, in->point, result->found + i, out->set + i);
    const struct mode_solution *taken =
        &result->found[result->taken < 0 ? 0 : result->taken].solution;
    out->margin = result->n ? taken->margin : 0.0;
    out->roomy = result->n && taken->roomy;
    out->spread = 0.0;
    if (out->verdict != FRICTION_LOADS)
        return;
    struct friction_range *range = NEW_N(arena, struct friction_range, in->n);
    friction_ranges(arena, in, &out->set[0], range);
    for (int i = 0; i < in->n; i++)
        out->spread =
            fmax(out->spread, fmax(range[i].slip[1] - range[i].slip[0],
                                   range[i].opens[1] - range[i].opens[0]));
}
