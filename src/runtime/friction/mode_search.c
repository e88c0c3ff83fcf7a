/* SPDX-License-Identifier: MIT */
/* The search for consistent modes. Up to FRICTION_CHOICES_TRIED of them every
 * choice is tried, so the verdict is exact; beyond that the modes that were
 * there before are tried, and then a linear complementarity problem leads to
 * one choice (Stewart & Trinkle 1996: four complementary pairs per point
 * without slip), or sweeps over the points do (Jean 1999: nonsmooth
 * Gauss-Seidel), whose forces are checked like those of any other choice. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"

struct search {
    struct arena *arena;
    const struct mode_problem *in;
    struct mode_scratch *scratch;
    struct point_state *state;
    struct mode_solution trial;
    struct found_list { /* every consistent choice, as found */
        struct mode_found *v;
        size_t n, cap;
    } all;
};

/* -- what is found -------------------------------------------------------- */

static void
try_state(struct search *search)
{
    const struct mode_problem *in = search->in;
    mode_forces(search->scratch, in, search->state, &search->trial);
    if (!search->trial.consistent)
        return;
    size_t rows = 2 * (size_t)in->n;
    struct mode_found found = {.solution = search->trial, .goes_on = true};
    found.state = arena_copy(search->arena, search->state,
                             sizeof *search->state * (size_t)in->n);
    found.solution.force =
        arena_copy(search->arena, search->trial.force, sizeof(double) * rows);
    found.solution.acc =
        arena_copy(search->arena, search->trial.acc, sizeof(double) * rows);
    bool any = false;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        any |= point->held;
        if (point->held && !point->ended)
            found.goes_on &= mode_same_state(found.state[i], point->before);
    }
    found.goes_on &= any;
    VEC_PUSH_IN(search->arena, &search->all, found);
}

/* A violation by this share of the terms is clear, with pivots above this share
 * of theirs, by which rounding grows: mode_forces allows up to FRICTION_AT_ROOT
 * of them. */
#define ONE_CLEAR 1e-6

/* Forces of one point that no other one loads, in closed form. False: they are
 * left to mode_forces. */
static bool
one_force(const struct mode_problem *in, struct point_state state,
          double force[2])
{
    double C = in->W[0], B = in->W[1], A = in->W[3], mu = in->point->mu_slip,
           along = state.tangent == TANGENT_FORWARD    ? -mu
                   : state.tangent == TANGENT_BACKWARD ? mu
                                                       : 0.0,
           p = C + along * B, D = A * C - B * B;
    force[0] = force[1] = 0.0;
    if (!state.closed)
        return true;
    if (state.tangent == TANGENT_STICK) {
        force[0] = (in->free[1] * B - in->free[0] * A) / D;
        force[1] = (in->free[0] * B - in->free[1] * C) / D;
        return D > ONE_CLEAR * A * C;
    }
    force[0] = -in->free[0] / p;
    force[1] = along * force[0];
    return fabs(p) > ONE_CLEAR * (C + fabs(along * B));
}

/* Does one point clearly violate what this mode claims? */
static bool
clearly_out(const struct mode_problem *in, struct point_state state)
{
    const struct mode_point *point = in->point;
    const double *W = in->W;
    double force[2];
    if (!(W[0] > 0.0) || !(W[3] > 0.0) || !one_force(in, state, force))
        return false;
    double N = force[0], T = force[1], opens = mode_row_size(in, force, 0),
           slips = mode_row_size(in, force, 1);
    if (!state.closed)
        return in->free[0] < -ONE_CLEAR * opens;
    double known = ONE_CLEAR * (fabs(N) + opens / W[0]);
    if (N < -known)
        return true;
    if (state.tangent == TANGENT_STICK)
        return point->mu_stick * N - fabs(T) <
               -point->mu_stick * known - ONE_CLEAR * (fabs(T) + slips / W[3]);
    double begins = in->free[1] + W[2] * N + W[3] * T;
    begins = state.tangent == TANGENT_BACKWARD ? -begins : begins;
    return point->slip == 0.0 && state.tangent != TANGENT_NONE &&
           begins < -ONE_CLEAR * slips;
}

/* Tries the modes of one point that no other one loads. */
static void
enumerate_one(struct search *search)
{
    struct point_state may[MODE_STATES_MOST];
    int n = mode_states_of(search->in->point, may);
    for (int k = 0; k < n; k++)
        if (!clearly_out(search->in, may[k])) {
            search->state[0] = may[k];
            try_state(search);
        }
}

/* Tries all choices. False: there are too many. */
static bool
enumerate(struct search *search)
{
    struct mode_choices choices;
    const struct mode_point *point = search->in->point;
    if (search->in->n == 1 && !point->driven && point->offset == 0.0) {
        enumerate_one(search);
        return true;
    }
    if (!mode_tree(search->arena, search->in, &choices))
        return false;
    for (size_t k = 0; k < choices.n; k++) {
        memcpy(search->state, choices.kept[k].state,
               sizeof *search->state * (size_t)search->in->n);
        try_state(search);
    }
    return true;
}

/* -- many points ---------------------------------------------------------- */

static bool
try_modes(void *context)
{
    struct search *search = context;
    try_state(search);
    return search->all.n > 0;
}

/* Modes to which methods for many points lead. */
static void
by_methods(struct search *search)
{
    mode_by_methods(search->arena, search->in, search->state, try_modes,
                    search);
}

/* Does the point stick as far as its static coefficient allows? One that has
 * just broken loose slips on. */
static bool
holds_static(const struct mode_point *point)
{
    return mode_starts_at_rest(point) && point->mu_stick > point->mu_slip &&
           (!point->held ||
            (point->before.tangent == TANGENT_STICK && !point->ended));
}

/* The methods know one coefficient of each point. Where static ones are the
 * greater ones, points at rest have these at first; those that begin to slip so
 * have left their cones, and slip from then on, until no other ones do. With
 * dynamic coefficients from the beginning the methods would find a slip that
 * static friction prevents. */
static void
by_methods_from_rest(struct search *search)
{
    const struct mode_problem *in = search->in;
    size_t n = (size_t)in->n;
    struct mode_point *point =
        arena_copy(search->arena, in->point, sizeof *point * n);
    struct mode_problem raised = *in;
    bool any = false;
    raised.point = point;
    for (size_t i = 0; i < n; i++)
        if (holds_static(point + i)) {
            point[i].mu_slip = point[i].mu_stick;
            any = true;
        }
    while (any && !search->all.n) {
        struct search part = *search;
        part.in = &raised;
        by_methods(&part);
        if (!part.all.n)
            break;
        any = false;
        for (size_t i = 0; i < n; i++) {
            struct point_state state = search->state[i] = part.all.v->state[i];
            if (state.tangent == TANGENT_STICK ||
                point[i].mu_slip == in->point[i].mu_slip)
                continue;
            any |= state.tangent != TANGENT_NONE;
            if (state.tangent != TANGENT_NONE)
                point[i].mu_slip = in->point[i].mu_slip;
        }
        if (!any)
            try_state(search);
    }
    if (!search->all.n)
        by_methods(search);
}

/* May the point be in this state? */
static bool
may_be(const struct mode_point *point, struct point_state state)
{
    struct point_state may[MODE_STATES_MOST];
    int n = mode_states_of(point, may);
    for (int k = 0; k < n; k++)
        if (mode_same_state(may[k], state))
            return true;
    return false;
}

static void
as_before(struct search *search)
{
    const struct mode_problem *in = search->in;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        if (!point->held || point->ended || !may_be(point, point->before))
            return;
        search->state[i] = point->before;
    }
    try_state(search);
}

/* Are the modes of before enough? Not where static friction is the greater. */
static bool
goes_on_alone(const struct mode_problem *in)
{
    bool same = in->brief;
    for (int i = 0; i < in->n; i++)
        same &= in->point[i].mu_stick == in->point[i].mu_slip;
    return same;
}

/* Of more points hardly any impact lets all of them stick, and to ask that
 * takes as long as the methods that find what they do. */
#define REST_FIRST 24

/* Lets all points stick, or slide as they do: what rests. */
static void
all_closed(struct search *search)
{
    const struct mode_problem *in = search->in;
    for (int i = 0; i < in->n; i++) {
        struct point_state state[MODE_STATES_MOST];
        int count = mode_states_of(in->point + i, state), k = 0;
        while (k < count - 1 && !state[k].closed && !in->point[i].driven)
            k++;
        search->state[i] = state[k];
    }
    try_state(search);
}

/* Tries a choice that has not been found yet. */
static void
try_other(void *context)
{
    struct search *search = context;
    bool new = true;
    for (size_t f = 0; f < search->all.n && new; f++) {
        bool same = true;
        for (int i = 0; i < search->in->n && same; i++)
            same = mode_same_state(search->state[i], search->all.v[f].state[i]);
        new = !same;
    }
    if (new)
        try_state(search);
}

/* At the instant at which a mode ends it and what follows it have the same
 * accelerations, and only the search over all choices would have met both. So
 * all states of the points whose modes have just ended are tried, beside the
 * states of the first choice that was found, and beside what the others did
 * before: where several points come to the edges of their cones at one time, a
 * choice that lets one of them stick again for each that slips would come to no
 * end. */
static void
after_ends(struct search *search)
{
    const struct mode_problem *in = search->in;
    struct point_state *beside =
        NEW_N(search->arena, struct point_state, 2 * in->n);
    struct point_state *before = beside + in->n;
    bool found = search->all.n > 0, differs = false;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        if (!found && !point->held)
            return;
        beside[i] = found ? search->all.v[0].state[i] : point->before;
        before[i] = point->held && may_be(point, point->before) ? point->before
                                                                : beside[i];
        differs |= !point->ended && !mode_same_state(beside[i], before[i]);
    }
    mode_ends(search->arena, in, beside, beside, search->state, try_other,
              search);
    if (differs)
        mode_ends(search->arena, in, before, beside, search->state, try_other,
                  search);
}

/* Of so many points at most: the edges of a family are asked by a program each.
 */
#define WIDEST_POINTS 60

/* What was found may be an edge of a family of loads on which the motion
 * depends: tries the modes of that family. */
static void
widest(struct search *search)
{
    size_t before = search->all.n;
    if (before == 0 || search->in->n > WIDEST_POINTS ||
        !mode_widest(search->in, search->all.v->state, &search->all.v->solution,
                     search->state))
        return;
    for (int i = 0; i < search->in->n; i++)
        if (!may_be(search->in->point + i, search->state[i]))
            return;
    try_state(search);
    if (search->all.n > before && !search->all.v[before].solution.loads)
        search->all.n = before;
}

/* -- the verdict ---------------------------------------------------------- */

/* Does point i stick in `sticks`, where it slips in `slips`, only because the
 * static coefficient is the greater one? */
static bool
only_static(const struct mode_problem *in, const struct mode_found *slips,
            const struct mode_found *sticks, int i)
{
    const struct mode_point *point = in->point + i;
    struct point_state a = slips->state[i], b = sticks->state[i];
    const double *force = sticks->solution.force + 2 * i;
    return b.tangent == TANGENT_STICK && a.tangent != TANGENT_STICK &&
           a.closed == b.closed && point->mu_stick > point->mu_slip &&
           fabs(force[1]) > point->mu_slip * force[0];
}

/* A point that sticks only because the static coefficient is the greater one
 * does not slip at the same time: choices that differ from `stick` in such
 * points alone are none (specification friction.md, 1). One that has just
 * broken loose (broken) slips on. Do they differ in such points, and in no
 * others? */
static bool
shadowed(const struct mode_problem *in, const struct mode_found *slips,
         const struct mode_found *sticks, bool broken)
{
    bool any = false;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        if (mode_same_state(slips->state[i], sticks->state[i]))
            continue;
        bool loose = point->held && !point->ended &&
                     mode_same_state(slips->state[i], point->before);
        if (loose != broken || !only_static(in, slips, sticks, i))
            return false;
        any = true;
    }
    return any;
}

/* Has a mode of this choice just ended? */
static bool
has_ended(const struct mode_problem *in, const struct mode_found *found)
{
    for (int i = 0; i < in->n; i++)
        if (in->point[i].ended &&
            mode_same_state(found->state[i], in->point[i].before))
            return true;
    return false;
}

/* Forces come from one system of equations, whose entries are known as well as
 * the geometry: faces are parallel to some 1e-12. With rows scaled to a unit
 * diagonal all forces are known to as much of the greatest one, and where one
 * is 0, it is what this leaves. FRICTION_SAME of this share is 1e-11 of it. */
#define FORCE_KNOWN 1e-3

/* The size of the greatest force in an acceleration, with rows scaled so. */
static double
greatest_force(const struct mode_problem *in, const double *force)
{
    int rows = 2 * in->n;
    double most = 0.0;
    for (int r = 0; r < rows; r++)
        most = fmax(most, force[r] * force[r] * in->W[r * (rows + 1)]);
    return sqrt(most);
}

/* To which share of its terms each acceleration is known. A choice that only
 * holds to the looser tolerances of modes that have just ended is off its edges
 * by these, and so are all points that feel them. */
static double
known_share(const struct mode_problem *in, const struct mode_found *found)
{
    double share = 0.0;
    for (int i = 0; i < in->n && !found->solution.tight; i++)
        share += in->point[i].scale;
    return fmax(FRICTION_SAME, share);
}

static bool
same_motion(const struct mode_problem *in, const struct mode_found *a,
            const struct mode_found *b)
{
    double common = fmax(known_share(in, a), known_share(in, b));
    double known = FORCE_KNOWN * fmax(greatest_force(in, a->solution.force),
                                      greatest_force(in, b->solution.force));
    for (int r = 0; r < 2 * in->n; r++) {
        double share = fmax(common, in->point[r / 2].scale);
        double size = fmax(mode_row_size(in, a->solution.force, r),
                           mode_row_size(in, b->solution.force, r));
        /* |W_ij| is at most the mean of the diagonal entries */
        size = fmax(size, known * sqrt(in->W[r * (2 * in->n + 1)]));
        double apart = fabs(a->solution.acc[r] - b->solution.acc[r]);
        if (apart > share * size && apart > mode_row_noise(in, r))
            return false;
    }
    return true;
}

/* Which of two choices with the same motion names it better? */
static int
merit(const struct mode_problem *in, const struct mode_found *found)
{
    int merit = has_ended(in, found) ? -1000 : 0;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        /* by one more than a point gains that sticks and shares its load
         * instead: what goes on keeps its name */
        if (point->held && !point->ended)
            merit += 5 * mode_same_state(found->state[i], point->before);
        merit -=
            found->state[i].closed && found->state[i].tangent != TANGENT_STICK;
        /* where points share their loads, all that can bear some take part */
        merit += found->solution.shared ? 2 * found->state[i].closed
                                        : -(int)found->state[i].closed;
    }
    return merit;
}

/* Is choice b one of the motions of choice a, whose forces are a family that
 * moves accelerations? Then b only names edges of that family. */
static bool
in_family(const struct mode_problem *in, const struct mode_found *a,
          const struct mode_found *b)
{
    const double *force = b->solution.force, *acc = b->solution.acc;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        struct point_state state = a->state[i];
        double low[2], N = force[2 * i], T = force[2 * i + 1],
                       most = state.tangent == TANGENT_STICK ? point->mu_stick
                                                             : point->mu_slip;
        if (mode_same_state(state, b->state[i]))
            continue;
        for (int part = 0; part < 2; part++)
            low[part] = FRICTION_SAME * mode_row_size(in, force, 2 * i + part);
        if (state.tangent != TANGENT_STICK || fabs(acc[2 * i + 1]) > low[1] ||
            !state.closed || fabs(acc[2 * i]) > low[0] ||
            fabs(T) > most * N * (1.0 + FRICTION_SAME))
            return false;
    }
    return true;
}

static void
drop(struct found_list *all, bool *gone)
{
    size_t left = 0;
    for (size_t i = 0; i < all->n; i++)
        if (!gone[i])
            all->v[left++] = all->v[i];
    memset(gone, 0, all->n * sizeof *gone);
    all->n = left;
}

/* Takes out choices of modes that have just ended, if there are others; that
 * hold to the looser tolerance of such modes only, if others hold to the common
 * one; that others shadow; and edges of families. */
static void
thin_out(struct search *search)
{
    struct found_list *all = &search->all;
    const struct mode_problem *in = search->in;
    bool others = false, tight = false, above = false; /* static friction */
    bool *gone = NEW_N(search->arena, bool, all->n + 1);
    for (int i = 0; i < in->n; i++)
        above |= in->point[i].mu_stick > in->point[i].mu_slip;
    for (size_t i = 0; i < all->n; i++)
        others |= !has_ended(in, all->v + i);
    for (size_t i = 0; i < all->n; i++)
        gone[i] = others && has_ended(in, all->v + i);
    drop(all, gone);
    for (size_t i = 0; i < all->n; i++)
        tight |= all->v[i].solution.tight;
    for (size_t i = 0; i < all->n; i++)
        gone[i] = tight && !all->v[i].solution.tight;
    drop(all, gone);
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; above && j < all->n; j++)
            gone[i] |= i != j && (shadowed(in, all->v + i, all->v + j, false) ||
                                  shadowed(in, all->v + j, all->v + i, true));
    drop(all, gone);
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; j < all->n; j++)
            gone[i] |= i != j && !gone[j] && all->v[j].solution.loads &&
                       in_family(in, all->v + j, all->v + i);
    drop(all, gone);
}

/* Are the forces of `other` among those that the modes of `family` allow? */
static bool
is_member(const struct mode_problem *in, const struct mode_found *family,
          const struct mode_found *other)
{
    double most = 0.0;
    for (int i = 0; i < in->n; i++)
        most = fmax(most, fabs(other->solution.force[2 * i]));
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        struct point_state state = family->state[i];
        const double *acc = other->solution.acc + 2 * i,
                     *force = other->solution.force + 2 * i;
        double share = fmax(FRICTION_SAME, point->scale),
               opens = share * mode_row_size(in, other->solution.force, 2 * i),
               slips =
                   share * mode_row_size(in, other->solution.force, 2 * i + 1),
               mu = point->mu_slip, least = FRICTION_TOLERANCE * most;
        if (state.closed ? fabs(acc[0]) > opens : force[0] != point->offset)
            return false;
        if (state.tangent == TANGENT_STICK
                ? fabs(acc[1]) > slips ||
                      fabs(force[1]) > point->mu_stick * force[0] + least
                : fabs(force[1] - (state.tangent == TANGENT_FORWARD    ? -mu
                                   : state.tangent == TANGENT_BACKWARD ? mu
                                                                       : 0.0) *
                                      force[0]) > least)
            return false;
        bool begins = point->slip == 0.0 && state.tangent != TANGENT_STICK &&
                      state.tangent != TANGENT_NONE;
        if (begins &&
            (state.tangent == TANGENT_FORWARD ? acc[1] : -acc[1]) < -slips)
            return false;
    }
    return true;
}

/* Does a choice that is no member of a family go on with the motion of this
 * one? */
static bool
goes_on_beside(const struct search *search, const bool *gone, size_t member)
{
    const struct found_list *all = &search->all;
    for (size_t j = 0; j < all->n; j++)
        if (!gone[j] && all->v[j].goes_on && !all->v[j].solution.loads &&
            same_motion(search->in, all->v + j, all->v + member))
            return true;
    return false;
}

/* Is family a wider than b: does it allow forces at more points, those of b
 * among them? */
static bool
is_wider(const struct mode_problem *in, const struct mode_found *a,
         const struct mode_found *b)
{
    int more = 0;
    for (int i = 0; i < in->n; i++)
        more += (int)a->state[i].closed - (int)b->state[i].closed;
    return more > 0 && a->solution.loads && is_member(in, a, b);
}

/* Where the loads are a family and the motion depends on them, choices in
 * which some points carry nothing are members of it: one verdict on the loads,
 * and no motions beside each other. What goes on goes on in it, unless it does
 * so with forces off the edges, too. */
static void
gather_families(struct search *search)
{
    struct found_list *all = &search->all;
    bool *gone = NEW_N(search->arena, bool, all->n + 1);
    size_t *family = NEW_N(search->arena, size_t, all->n + 1), left = 0;
    for (size_t k = 0; k < all->n; k++)
        for (size_t i = 0; i < all->n && all->v[k].solution.loads && !gone[k];
             i++) {
            if (i == k || gone[i] ||
                !is_member(search->in, all->v + k, all->v + i) ||
                is_wider(search->in, all->v + i, all->v + k))
                continue; /* its least forces may leave a point without one */
            gone[i] = true;
            family[i] = k;
        }
    for (size_t i = 0; i < all->n; i++) {
        size_t of = i;
        while (gone[of])
            of = family[of];
        if (gone[i] && all->v[i].goes_on && !goes_on_beside(search, gone, i))
            all->v[of].goes_on = true;
    }
    for (size_t i = 0; i < all->n; i++)
        if (!gone[i])
            all->v[left++] = all->v[i];
    all->n = left;
}

/* Lists the different motions. */
static void
list_motions(const struct search *search, struct mode_result *out)
{
    const struct mode_problem *in = search->in;
    out->n = 0;
    for (size_t i = 0; i < search->all.n; i++) {
        const struct mode_found *found = search->all.v + i;
        int same = 0;
        while (same < out->n && !same_motion(in, out->found + same, found))
            same++;
        if (same == FRICTION_SETS_MOST)
            continue;
        if (same == out->n) {
            out->found[out->n++] = *found;
            continue;
        }
        bool goes_on = out->found[same].goes_on || found->goes_on;
        bool better = merit(in, found) > merit(in, out->found + same);
        if (better)
            out->found[same] = *found;
        out->found[same].goes_on = goes_on;
    }
}

/* Several motions, of which not one alone goes on, may be told apart by nothing
 * but the loads: where each of them is, or is an edge of, a family of loads
 * that meets those of the others, or meets what lies between them. */
static void
join_edges(struct search *search, struct mode_result *out)
{
    const struct mode_problem *in = search->in;
    size_t before = search->all.n;
    int going = 0;
    for (int k = 0; k < out->n; k++)
        going += out->found[k].goes_on;
    for (int how = 0; how < MODE_MERGES && going != 1; how++) {
        bool may = mode_merge(in, out->n, out->found, how, search->state);
        for (int i = 0; i < in->n && may; i++)
            may = may_be(in->point + i, search->state[i]);
        if (may)
            try_state(search);
    }
    int between = (int)(search->all.n - before);
    const struct mode_found *one =
        going == 1
            ? NULL
            : mode_connected(search->arena, in, going > 0, out->n, out->found,
                             between, search->all.v + before);
    search->all.n = before;
    if (!one)
        return;
    out->found[0] = *one;
    out->found[0].goes_on = going > 0;
    out->n = 1;
}

/* Counts the different motions, and decides which of them goes on. */
static void
verdict(struct search *search, bool complete, struct mode_result *out)
{
    int going = 0;
    thin_out(search);
    gather_families(search);
    list_motions(search, out);
    if (out->n > 1)
        join_edges(search, out);
    out->taken = out->n == 1 ? 0 : -1;
    for (int i = 0; i < out->n && out->n > 1; i++)
        if (out->found[i].goes_on) {
            going++;
            out->taken = i;
        }
    if (going > 1)
        out->taken = -1;
    const struct mode_solution *one = &out->found[0].solution;
    out->verdict = out->n == 0   ? complete ? FRICTION_NONE : FRICTION_UNKNOWN
                   : out->n > 1  ? FRICTION_SEVERAL
                   : one->loads  ? FRICTION_LOADS
                   : !complete   ? FRICTION_NOT_SHOWN
                   : one->shared ? FRICTION_SHARED
                                 : FRICTION_UNIQUE;
}

static struct search
search_new(struct arena *arena, const struct mode_problem *in)
{
    struct search search = {.arena = arena, .in = in};
    search.scratch = mode_scratch_new(arena, in);
    search.state = NEW_N(arena, struct point_state, in->n);
    search.trial.force = NEW_N(arena, double, 4 * (size_t)in->n);
    search.trial.acc = search.trial.force + 2 * in->n;
    return search;
}

/* The verdict, and what mode_search_near begins with. */
static void
finish(struct search *search, struct mode_result *out)
{
    const struct point_state **all =
        NEW_N(search->arena, const struct point_state *, search->all.n + 1);
    for (size_t i = 0; i < search->all.n; i++)
        all[i] = search->all.v[i].state;
    out->all = all;
    out->n_all = search->all.n;
    verdict(search, out->complete, out);
}

void
mode_search(struct arena *arena, const struct mode_problem *in,
            const struct point_state *only, struct mode_result *out)
{
    assert(arena && in && in->n > 0 && out);
    struct search search = search_new(arena, in);
    bool may = only != NULL;
    out->complete = out->widened = false;
    for (int i = 0; i < in->n && may; i++)
        may = may_be(in->point + i, search.state[i] = only[i]);
    if (may)
        try_state(&search);
    if (!only && goes_on_alone(in))
        as_before(&search);
    if (!only && !search.all.n)
        out->complete = enumerate(&search);
    out->widened = !only && !search.all.n && !out->complete;
    if (out->widened) {
        bool rest_last = in->unnamed && in->n > REST_FIRST;
        as_before(&search);
        if (!search.all.n && !rest_last)
            all_closed(&search);
        if (!search.all.n)
            by_methods_from_rest(&search);
        if (!search.all.n && rest_last)
            all_closed(&search);
    }
    out->n_first = search.all.n;
    if (out->widened) {
        widest(&search);
        after_ends(&search);
    }
    finish(&search, out);
}

void
mode_search_near(struct arena *arena, const struct mode_problem *in,
                 const struct mode_result *before, struct mode_result *out)
{
    assert(arena && in && out && before != out);
    struct search search = search_new(arena, in);
    size_t size = sizeof *search.state * (size_t)in->n;
    for (size_t k = 0; before && k < before->n_first; k++) {
        memcpy(search.state, before->all[k], size);
        try_state(&search);
    }
    if (!search.all.n) { /* nothing, or what was so by rounding alone */
        mode_search_kept(arena, in, out);
        return;
    }
    out->complete = before->complete;
    out->widened = before->widened;
    out->n_first = search.all.n;
    if (out->widened)
        widest(&search);
    for (size_t k = before->n_first; k < before->n_all; k++) {
        memcpy(search.state, before->all[k], size);
        try_other(&search);
    }
    finish(&search, out);
}
