/* SPDX-License-Identifier: MIT */
/* See choice.h. */
#include "runtime/choice/choice.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"

/* Forces that differ by this share of the greatest one are the same: an event
 * is a root, which is known to less than they are (FRICTION_AT_ROOT of
 * friction_priv.h). */
#define FORCES_SAME 1e-7
/* Where forces can keep off all edges by no more than this share of their
 * terms, it is asked when the last of them come there: shares that keep off by
 * half of what is left would come there half as late each time. */
#define SHARES_NARROW 1e-3

bool
choice_is_empty(const struct friction_choice *choice)
{
    assert(choice);
    return choice->verdict == FRICTION_NONE ||
           choice->verdict == FRICTION_UNKNOWN;
}

void
choice_again(const struct choice_group *group, struct friction_choice *out)
{
    assert(group && out);
    friction_choose_gripped(group->arena, &group->instant, group->point,
                            group->n_grip, group->grip, out);
}

static bool
was_tied(const struct choice_group *group, int i)
{
    return group->tied && group->tied[i];
}

/* The mode of point `which` has just come to its end. */
static void
prepare(struct choice_group *group)
{
    if (group->which < 0 || group->cause == CHOICE_OTHER)
        return;
    struct friction_point *point = &group->point[group->which];
    point->ended = point->held;
    if (group->cause != CHOICE_UNLOADED)
        point->slip = 0.0;
}

/* Points that were tied are at the edge of their cones, and end with point
 * `which`: those that hold its slip by themselves (alone), or all that feel it.
 * choice: what was found without that. False: there are none. */
static bool
end_tied(struct choice_group *group, const struct friction_choice *choice,
         bool alone)
{
    if (group->which < 0 || group->cause != CHOICE_CONE)
        return false;
    int n = group->instant.n;
    bool *part = NEW_N(group->arena, bool, 3 * n), *on = part + n,
         *sticks = on + n, any = false;
    choice_part(group, group->which, part);
    for (int i = 0; i < n; i++)
        on[i] = choice->taken < 0 ||
                choice_pushes(group, choice->set + choice->taken, i);
    for (int i = 0; i < n; i++) {
        if (!part[i] || !was_tied(group, i))
            continue;
        sticks[i] = on[i] = true;
        if (!alone || choice_depends(group, on, sticks, group->which))
            any = group->point[i].ended = true;
        sticks[i] = false;
    }
    return any;
}

/* Points share their forces in a way in which they go on for a while, although
 * one of them has come to an edge. Where that is not long, they share them in
 * the way that lasts longest. */
static bool
shares_last(struct choice_group *group, struct friction_choice *choice)
{
    struct friction_set *set = choice->set + choice->taken;
    if ((!choice->roomy || choice->margin <= SHARES_NARROW) && group->rate &&
        choice->verdict != FRICTION_LOADS && set->shared)
        group->lasts =
            friction_lasting(group->arena, &group->instant, group->rate,
                             group->soon, group->again, set);
    return choice->roomy || group->lasts;
}

/* Does another point that was closed open in this set? Then forces jump, and
 * those of the modes until now, which met an edge, are not those of the set. */
static bool
lets_go(const struct choice_group *group, const struct friction_set *set)
{
    for (int i = 0; i < group->instant.n; i++) {
        const struct friction_point *point = group->point + i;
        if (i != group->which && point->held && !point->ended &&
            point->before != CONTACT_FREE && set->mode[i] == CONTACT_FREE)
            return true;
    }
    return false;
}

/* The force of point `which` has met its cone, or it presses no more. Does it
 * go on nevertheless, because the points share the forces in another way, or
 * does it stick because others hold its slip that are not at their edges, or
 * need not be? */
static bool
sticks_on(struct choice_group *group, struct friction_choice *choice)
{
    int which = group->which, n = group->instant.n;
    bool unloaded = group->cause == CHOICE_UNLOADED;
    if ((group->cause != CHOICE_CONE && !unloaded) || which < 0 ||
        choice->taken < 0)
        return false;
    const struct friction_set *set = &choice->set[choice->taken];
    if (unloaded)
        return set->mode[which] == group->point[which].before &&
               shares_last(group, choice);
    if (set->mode[which] != CONTACT_STICK)
        return false;
    if (which < choice_contacts(group) && lets_go(group, set) &&
        !choice_at_edge(&group->point[which], set, which))
        return true;
    /* of the two conditions of a bush one may hold it still */
    if (shares_last(group, choice) ||
        (which >= choice_contacts(group) &&
         !choice_at_edge(&group->point[which], set, which)))
        return true;
    bool *on = NEW_N(group->arena, bool, 2 * n), *sticks = on + n;
    for (int i = 0; i < n; i++) {
        on[i] = choice_pushes(group, set, i);
        sticks[i] =
            set->mode[i] == CONTACT_STICK &&
            !(was_tied(group, i) && choice_at_edge(&group->point[i], set, i));
    }
    return choice_depends(group, on, sticks, which);
}

/* The same from the forces until now: where hardly any others hold the points,
 * none may be found from those of least norm. */
static bool
still_sticks_on(struct choice_group *group, bool edge,
                struct friction_choice *choice)
{
    if (!edge || !group->until || !group->rate)
        return false;
    const double *near = group->instant.near;
    group->instant.near = group->until;
    choice_again(group, choice);
    bool on = sticks_on(group, choice);
    group->instant.near = near;
    return on;
}

/* Does point `which` break loose in this choice, with an acceleration that is
 * more than rounding, or as nothing that sticks holds its slip? Then what is
 * tied elsewhere need not slip with it. */
static bool
breaks_loose(const struct choice_group *group,
             const struct friction_choice *choice)
{
    int which = group->which, n = group->instant.n;
    if (group->cause != CHOICE_CONE || which < 0)
        return true;
    if (choice->taken < 0)
        return false;
    const struct friction_set *set = &choice->set[choice->taken];
    if (set->mode[which] == CONTACT_STICK)
        return false;
    if (fabs(set->acc[2 * which + 1]) >
        CHOICE_NONE * group->instant.terms[2 * which + 1])
        return true;
    bool *on = NEW_N(group->arena, bool, 2 * n), *sticks = on + n;
    for (int i = 0; i < n; i++) {
        on[i] = choice_pushes(group, set, i);
        sticks[i] = set->mode[i] == CONTACT_STICK;
    }
    return !choice_depends(group, on, sticks, which);
}

void
choice_make(struct choice_group *group, struct friction_choice *out)
{
    assert(group && out && group->which < group->instant.n);
    assert(group->instant.point == group->point);
    group->lasts = false;
    bool inner = group->instant.inner;
    /* least forces that points share would come to an edge again at once */
    bool edge = group->cause == CHOICE_CONE || group->cause == CHOICE_UNLOADED;
    group->instant.inner |= edge;
    if (edge)
        choice_again(group, out);
    if (sticks_on(group, out))
        return;
    group->instant.inner = inner;
    if (still_sticks_on(group, edge, out))
        return;
    prepare(group);
    choice_again(group, out);
    for (int alone = 1; alone >= 0 && !breaks_loose(group, out); alone--)
        if (end_tied(group, out, alone) || !alone)
            choice_again(group, out);
}

/* -- what goes on ---------------------------------------------------------- */

/* Do the accelerations of a family of forces differ by more than rounding? */
static bool
loads_matter(const struct choice_group *group,
             const struct friction_choice *choice)
{
    double size = 0.0;
    for (int r = 0; r < 2 * group->instant.n; r++)
        size = fmax(size, group->instant.terms[r]);
    double none = CHOICE_NONE * size;
    return friction_spread(group->arena, choice, none) > none;
}

/* Does a set have these forces (2 n)? */
static bool
has_forces(const struct choice_group *group, const double *force,
           const struct friction_set *set)
{
    size_t rows = 2 * (size_t)group->instant.n;
    double most = 0.0, apart = 0.0;
    for (size_t r = 0; r < rows; r++) {
        double now = r % 2 ? set->tangential[r / 2] : set->normal[r / 2],
               root = sqrt(fmax(group->instant.W[r * (rows + 1)], 0.0));
        most = fmax(most, root * fabs(force[r]));
        apart = fmax(apart, root * fabs(now - force[r]));
    }
    return apart <= FORCES_SAME * most;
}

/* Has the slip of a point just ended, as far as is known? */
static bool
has_stopped(const struct friction_point *point)
{
    return point->slip == 0.0 &&
           (!point->held || (point->ended && point->before != CONTACT_STICK));
}

/* Returns the only set in which all points stick whose slip has just ended and
 * that stick in any of them; -1: there are none, or several. */
static int
set_that_stays(const struct choice_group *group,
               const struct friction_choice *choice)
{
    int only = -1;
    for (int k = 0; k < choice->n; k++) {
        bool stays = true;
        for (int i = 0; i < group->instant.n && stays; i++)
            for (int other = 0; other < choice->n && stays; other++)
                stays = choice->set[other].mode[i] != CONTACT_STICK ||
                        choice->set[k].mode[i] == CONTACT_STICK ||
                        !has_stopped(group->point + i);
        if (stays && only >= 0)
            return -1;
        only = stays ? k : only;
    }
    return only;
}

/* Energies of accelerations that differ by no more than this share of their
 * terms are the same. */
#define LEAST_MARGIN 1e-9

/* Half of the sum of forces times the accelerations before and with them: by
 * how much half of the sum of masses times squares of accelerations grows, of
 * what rests. *terms: the size of its terms. */
static double
energy_of_accelerations(const struct friction_instant *in,
                        const struct friction_set *set, double *terms)
{
    double energy = 0.0;
    *terms = 0.0;
    for (int r = 0; r < 2 * in->n; r++) {
        double by = r % 2 ? set->tangential[r / 2] : set->normal[r / 2],
               part = 0.5 * by * (in->free[r] + set->acc[r]);
        energy += part;
        *terms += fabs(part);
    }
    return energy;
}

/* Returns the set in which what rests begins to move with the least energy, at
 * any small time; -1: there is no single one. */
static int
set_that_moves_least(const struct choice_group *group,
                     const struct friction_choice *choice)
{
    int least = -1;
    double least_energy = INFINITY, next = INFINITY, most = 0.0, terms;
    for (int k = 0; k < choice->n; k++) {
        double energy =
            energy_of_accelerations(&group->instant, choice->set + k, &terms);
        most = fmax(most, terms);
        next = fmin(next, fmax(energy, least_energy));
        if (energy < least_energy) {
            least_energy = energy;
            least = k;
        }
    }
    return next - least_energy > LEAST_MARGIN * most ? least : -1;
}

void
choice_keep(struct choice_group *group, struct friction_choice *out)
{
    assert(group && out);
    group->stays = false;
    if (out->verdict == FRICTION_LOADS && out->taken >= 0 &&
        !loads_matter(group, out))
        out->verdict = FRICTION_SHARED;
    if (out->verdict != FRICTION_LOADS && out->verdict != FRICTION_SEVERAL)
        return;
    if (group->until && !group->lasts) {
        group->instant.near = group->until;
        friction_choose_near(group->arena, &group->instant, out);
        for (int k = 0; k < out->n && out->taken < 0; k++)
            if (has_forces(group, group->until, out->set + k))
                out->taken = k;
    }
    if (out->taken < 0 && out->verdict == FRICTION_SEVERAL && group->slow) {
        out->taken = set_that_stays(group, out);
        if (out->taken < 0)
            out->taken = set_that_moves_least(group, out);
        group->stays = out->taken >= 0;
    }
}

double
choice_row_size(const struct friction_instant *in,
                const struct friction_set *set, int r)
{
    assert(in && set && r >= 0 && r < 2 * in->n);
    double size = in->terms[r];
    for (int k = 0; k < in->n; k++)
        size += fabs(in->W[r * 2 * in->n + 2 * k] * set->normal[k]) +
                fabs(in->W[r * 2 * in->n + 2 * k + 1] * set->tangential[k]);
    return size;
}

/* Do both sets have the same accelerations, to the digits of their terms? */
static bool
same_motion(const struct friction_instant *in, const struct friction_set *a,
            const struct friction_set *b)
{
    for (int r = 0; r < 2 * in->n; r++)
        if (fabs(a->acc[r] - b->acc[r]) >
            fmax(CHOICE_FLOATS * choice_row_size(in, a, r),
                 friction_row_noise(in, r)))
            return false;
    return true;
}

struct friction_choice *
choice_with_floating(const struct choice_group *group, const bool *ceased,
                     struct friction_choice *choice)
{
    assert(group && ceased && choice && choice->taken >= 0);
    const struct friction_set *set = choice->set + choice->taken;
    bool any = false;
    struct friction_instant other = group->instant;
    struct friction_point *points =
        NEW_N(group->arena, struct friction_point, (size_t)other.n);
    for (int k = 0; k < other.n; k++) {
        struct friction_point *point = points + k;
        bool floats =
            set->mode[k] == CONTACT_FREE &&
            fabs(set->acc[2 * k]) <=
                CHOICE_FLOATS * choice_row_size(&group->instant, set, 2 * k) &&
            !ceased[k];
        *point = group->point[k];
        point->held = true;
        point->ended = false;
        point->before = !floats                  ? set->mode[k]
                        : point->slip > 0.0      ? CONTACT_SLIP_POSITIVE
                        : point->slip < 0.0      ? CONTACT_SLIP_NEGATIVE
                        : point->mu_static > 0.0 ? CONTACT_STICK
                                                 : CONTACT_SLIDE;
        any |= floats;
    }
    if (!any)
        return choice;
    struct friction_choice *closed = NEW(group->arena, struct friction_choice);
    other.point = points;
    friction_choose(group->arena, &other, closed);
    return closed->taken >= 0 && closed->verdict != FRICTION_LOADS &&
                   same_motion(&group->instant, set,
                               closed->set + closed->taken)
               ? closed
               : choice;
}

/* The points of a group that are not `left`, as an instant of their own; at
 * (n): where they stand in the group. */
static struct friction_instant
instant_without(const struct choice_group *group, const bool *left, int *at)
{
    const struct friction_instant *in = &group->instant;
    size_t all = 2 * (size_t)in->n;
    struct friction_instant out = *in;
    out.n = 0;
    for (int i = 0; i < in->n; i++)
        if (!left[i])
            at[out.n++] = i;
    size_t rows = 2 * (size_t)out.n;
    struct friction_point *point =
        NEW_N(group->arena, struct friction_point, out.n + 1);
    double *W = NEW_N(group->arena, double, rows *rows + 3 * rows + 1),
           *free = W + rows * rows, *terms = free + rows, *near = terms + rows;
    for (size_t r = 0; r < rows; r++) {
        size_t row = 2 * (size_t)at[r / 2] + r % 2;
        point[r / 2] = in->point[at[r / 2]];
        free[r] = in->free[row];
        terms[r] = in->terms[row];
        near[r] = in->near ? in->near[row] : 0.0;
        for (size_t c = 0; c < rows; c++)
            W[r * rows + c] = in->W[row * all + 2 * (size_t)at[c / 2] + c % 2];
    }
    out.point = point;
    out.W = W;
    out.free = free;
    out.terms = terms;
    out.near = in->near ? near : NULL;
    return out;
}

/* Do the points that are not `left` keep the modes that they have had by
 * themselves? They are asked as all of them together were: other motions are
 * looked for where one of the group has a greater static friction. */
static bool
goes_on_apart(const struct choice_group *group, const bool *left)
{
    int *at = NEW_N(group->arena, int, group->instant.n + 1);
    struct choice_group part = *group;
    struct friction_choice *choice = NEW(group->arena, struct friction_choice);
    part.instant = instant_without(group, left, at);
    for (int i = 0; i < group->instant.n; i++)
        part.instant.brief &=
            group->point[i].mu_static == group->point[i].mu_dynamic;
    part.instant.point = part.point =
        arena_copy(group->arena, part.instant.point,
                   sizeof *part.point * (size_t)part.instant.n);
    friction_choose(group->arena, &part.instant, choice);
    if (choice->taken < 0)
        return false;
    struct friction_set *set = choice->set + choice->taken;
    bool same = true;
    choice_name_at_rest(&part, set);
    for (int k = 0; k < part.instant.n; k++)
        same &= set->mode[k] == part.point[k].before;
    return same;
}

void
choice_failing(const struct choice_group *group, bool *fails)
{
    assert(group && fails);
    int n = group->instant.n;
    bool *part = NEW_N(group->arena, bool, 3 * n), *left = part + n,
         *done = left + n;
    for (int i = 0; i < n; i++) {
        if (done[i])
            continue;
        choice_part(group, i, part);
        for (int k = 0; k < n; k++)
            left[k] = !part[k];
        bool failing = !goes_on_apart(group, left);
        for (int k = 0; k < n; k++)
            if (part[k]) {
                done[k] = true;
                fails[k] = failing;
            }
    }
}

/* A choice of the points `at` of a group as a set of all of them, of which the
 * others are free. */
static struct friction_set
set_of_all(const struct choice_group *group, const struct friction_set *some,
           const int *at, int n)
{
    const struct friction_instant *in = &group->instant;
    size_t rows = 2 * (size_t)in->n;
    double *numbers = NEW_N(group->arena, double, 2 * rows + 1);
    struct friction_set all = {
        .mode = NEW_N(group->arena, enum contact_mode, in->n + 1),
        .normal = numbers,
        .tangential = numbers + in->n,
        .acc = numbers + rows,
        .shared = some->shared};
    for (int i = 0; i < in->n; i++)
        all.mode[i] = CONTACT_FREE;
    for (int k = 0; k < n; k++) {
        all.mode[at[k]] = some->mode[k];
        all.normal[at[k]] = some->normal[k];
        all.tangential[at[k]] = some->tangential[k];
    }
    for (size_t r = 0; r < rows; r++) {
        all.acc[r] = in->free[r];
        for (size_t c = 0; c < rows; c++)
            all.acc[r] += in->W[r * rows + c] *
                          (c % 2 ? all.tangential[c / 2] : all.normal[c / 2]);
    }
    return all;
}

struct friction_choice *
choice_without_idle(const struct choice_group *group,
                    struct friction_choice *choice)
{
    assert(group && choice && choice->taken >= 0 && !group->n_grip);
    const struct friction_set *set = choice->set + choice->taken;
    int n = group->instant.n, *at = NEW_N(group->arena, int, n + 1);
    bool any = false, *left = NEW_N(group->arena, bool, n + 1);
    for (int i = 0; i < n; i++) {
        left[i] = !choice_pushes(group, set, i);
        any |= left[i] && set->mode[i] != CONTACT_FREE;
    }
    struct friction_instant others = instant_without(group, left, at);
    if (!any || !others.n)
        return choice;
    struct friction_choice *out = NEW(group->arena, struct friction_choice);
    friction_choose(group->arena, &others, out);
    if (out->taken < 0 || out->verdict == FRICTION_LOADS)
        return choice;
    struct friction_set all =
        set_of_all(group, out->set + out->taken, at, others.n);
    for (int r = 0; r < 2 * n; r++)
        if (fabs(all.acc[r] - set->acc[r]) >
            CHOICE_NONE * choice_row_size(&group->instant, &all, r))
            return choice;
    for (int r = 0; r < 2 * n; r++)
        all.acc[r] = set->acc[r];
    out->n = 1;
    out->taken = 0;
    out->set[0] = all;
    return out;
}

/* A force this small a share of the greatest one is none: the least forces are
 * found to 1e-10 (FRICTION_TOLERANCE). */
#define LOADS_IDLE 1e-9

bool
choice_take_least(const struct choice_group *group, struct friction_set *set)
{
    assert(group && set);
    int n = group->instant.n;
    double most = 0.0;
    for (int k = 0; k < n; k++)
        most = fmax(most, set->normal[k]);
    for (int k = 0; k < n; k++) {
        double cone = group->point[k].mu_static * set->normal[k];
        if (set->mode[k] == CONTACT_FREE || group->point[k].given)
            continue;
        if (set->normal[k] <= LOADS_IDLE * most)
            set->mode[k] = CONTACT_FREE;
        else if (set->mode[k] == CONTACT_STICK &&
                 fabs(set->tangential[k]) >= cone - LOADS_IDLE * most)
            return false;
    }
    return true;
}

double
choice_rates(const struct choice_group *group, const bool *held, double *rate,
             const double *force, const double *still)
{
    assert(group && held && rate && force);
    size_t rows = 2 * (size_t)group->instant.n;
    double left = 0.0;
    for (size_t r = 0; r < rows; r++) {
        double terms = 0.0, was = fabs(rate[r]);
        for (size_t c = 0; c < rows && held[r / 2]; c++) {
            double by = group->instant.W[r * rows + c] * force[c];
            rate[r] -= by;
            terms = fmax(terms, fmax(fabs(by), fabs(rate[r])));
        }
        if (still && was > still[r] && was > left * terms)
            left = was / terms;
    }
    return left;
}

bool
choice_by_policy(struct friction_choice *choice, int n,
                 enum friction_paradox policy, struct paradox_forks *forks,
                 struct arena *names, int *jump)
{
    assert(choice && jump);
    if (choice->taken < 0)
        choice->taken = policy == PARADOX_BRANCH && forks
                            ? paradox_branch(forks, names, choice, n, jump)
                            : paradox_choose(choice, n, policy);
    return (policy == PARADOX_JUMP || policy == PARADOX_BRANCH) &&
           choice->taken < 0 && *jump >= 0;
}
