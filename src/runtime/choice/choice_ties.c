/* SPDX-License-Identifier: MIT */
/* Points whose slip others hold (choice.h): slips that are none but in name,
 * and friction that is tied to the edge of its cone. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/choice/choice.h"
#include "runtime/numerics/dense.h"
#include "runtime/sparse/sparse.h"

/* Rows depend on others if so little of their W is left beside these, as
 * DELASSUS_RANK of motion/persistent.c. */
#define DEPENDS 1e-11
/* Of so many rows singular values cost more than all else, */
#define DEPENDS_FACTORED 12
/* and of so many factors of all entries cost more than those of the few that
 * are not 0. */
#define DEPENDS_SPARSE 64
/* A row of which so many times as much is left does not depend on the others,
 * whatever rounding is, if it has no more than this share in any that does:
 * what is left of these, which is DEPENDS of them at most, would be as many
 * times as great as the square of the inverse. */
#define ALONE_MARGIN 16.0
#define ALONE_SHARE 1e-5

/* Rows that are held: the normal rows of points that push, and the tangential
 * rows of those that stick. They are factored once for all slips that they are
 * asked about. */
struct held_rows {
    const struct choice_group *group;
    int n;
    size_t *row; /* n, of W */
    enum {
        HELD_UNKNOWN, /* singular values were not found */
        HELD_PROVEN,  /* of a rank that is beyond doubt */
        HELD_PIVOTS,  /* by pivots above DEPENDS */
        HELD_SPARSE,  /* by pivots of an elimination above DEPENDS */
        HELD_SINGULAR /* by singular values above DEPENDS */
    } how;
    struct semidefinite factors;
    struct sparse_system *system;
    double *null; /* what leaves a system as it is, n numbers for each unknown
                     without a pivot; NULL: not asked for */
    int rank;
    double *G, *V, *s, *b, *y, *work;
};

/* Factors many rows. */
static void
hold_many(struct held_rows *held)
{
    const struct choice_group *group = held->group;
    size_t rows = 2 * (size_t)group->instant.n;
    held->how = HELD_SPARSE;
    held->system = sparse_new(group->arena, held->n);
    sparse_clear(held->system, held->n);
    for (int k = 0; k < held->n; k++) {
        const double *w = group->instant.W + held->row[k] * rows;
        for (int l = 0; l < held->n; l++)
            if (w[held->row[l]] != 0.0)
                sparse_put(held->system, k, l, w[held->row[l]]);
    }
    sparse_eliminate(held->system, DEPENDS);
}

/* Lists and factors them, but for the tangential row of point `without` (-1:
 * none is left out). */
static struct held_rows
hold(const struct choice_group *group, const bool *on, const bool *sticks,
     int without)
{
    struct held_rows held = {.group = group};
    size_t rows = 2 * (size_t)group->instant.n;
    held.row = NEW_N(group->arena, size_t, rows);
    for (int k = 0; k < group->instant.n; k++) {
        if (on[k])
            held.row[held.n++] = 2 * (size_t)k;
        if (on[k] && sticks[k] && k != without)
            held.row[held.n++] = 2 * (size_t)k + 1;
    }
    size_t n = (size_t)held.n;
    held.b = NEW_N(group->arena, double, 5 * n + 1);
    held.y = held.b + n;
    held.work = held.y + n;
    if (held.n >= DEPENDS_SPARSE) {
        hold_many(&held);
        return held;
    }
    held.G = NEW_N(group->arena, double, n *n + 1);
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++)
            held.G[k * n + l] =
                group->instant.W[held.row[k] * rows + held.row[l]];
    if (held.n >= DEPENDS_FACTORED) {
        double *room = NEW_N(group->arena, double, semidefinite_room(held.n));
        held.how = HELD_PROVEN;
        if (semidefinite_factor(held.n, held.G, DEPENDS, &held.factors, room))
            return held;
        held.how = HELD_PIVOTS;
        semidefinite_pivots(held.n, held.G, DEPENDS, &held.factors, room);
        return held;
    }
    held.V = NEW_N(group->arena, double, n *n + n + 1);
    held.s = held.V + n * n;
    if (!dense_svd(held.n, held.n, held.G, held.V, held.s))
        return held;
    held.how = HELD_SINGULAR;
    while (held.rank < held.n && held.s[held.rank] > DEPENDS * held.s[0])
        held.rank++;
    return held;
}

/* What many rows that are held leave of a further row, whose diagonal is `own`
 * and whose entries in their columns are held->b. A residual of their solution
 * y counts once more: what is left then is off by the square of its error. */
static double
left_by_many(struct held_rows *held, double own)
{
    const double *W = held->group->instant.W;
    size_t rows = 2 * (size_t)held->group->instant.n;
    double left = own;
    memcpy(held->work, held->b, sizeof *held->b * (size_t)held->n);
    memset(held->y, 0, sizeof *held->y * (size_t)held->n);
    sparse_forward(held->system, held->work);
    sparse_back(held->system, held->work, held->y);
    for (int k = 0; k < held->n; k++) {
        const double *w = W + held->row[k] * rows;
        double residual = held->b[k];
        for (int l = 0; l < held->n; l++)
            residual -= w[held->row[l]] * held->y[l];
        left -= held->y[k] * (held->b[k] + residual);
    }
    return left;
}

/* Do they hold the slip of a point, which is none of them? */
static bool
holds(struct held_rows *held, int point)
{
    const double *W = held->group->instant.W;
    size_t rows = 2 * (size_t)held->group->instant.n,
           self = 2 * (size_t)point + 1;
    double own = W[self * rows + self], left = own;
    if (held->how == HELD_UNKNOWN)
        return false;
    for (int k = 0; k < held->n; k++)
        held->b[k] = W[held->row[k] * rows + self];
    if (held->how == HELD_SPARSE)
        return left_by_many(held, own) <= DEPENDS * own;
    if (held->how == HELD_PIVOTS)
        return semidefinite_left(&held->factors, held->b, own, held->y) <=
               DEPENDS * own;
    if (held->how == HELD_PROVEN)
        semidefinite_solve(&held->factors, held->b, held->y, held->work);
    else
        dense_svd_solve(held->n, held->n, held->G, held->V, held->s, held->rank,
                        held->b, held->y, held->work);
    for (int k = 0; k < held->n; k++)
        left -= held->b[k] * held->y[k];
    return left <= DEPENDS * own;
}

bool
choice_depends(const struct choice_group *group, const bool *on,
               const bool *sticks, int point)
{
    assert(group && on && sticks && point >= 0 && point < group->instant.n);
    struct held_rows held = hold(group, on, sticks, point);
    return holds(&held, point);
}

/* The greatest share, over the square roots of the diagonals, that row `at` of
 * many has in one that depends on others. INFINITY: it is such a row itself. */
static double
share_of_many(struct held_rows *held, int at)
{
    const double *W = held->group->instant.W;
    size_t rows = 2 * (size_t)held->group->instant.n, n = (size_t)held->n,
           free = n - (size_t)held->system->rank, k = 0;
    const int *place = held->system->place;
    bool made = held->null != NULL;
    double share = 0.0, own = W[held->row[at] * (rows + 1)];
    if (place[at] < 0)
        return INFINITY;
    if (!made)
        held->null = NEW_N(held->group->arena, double, free *n + 1);
    for (size_t j = 0; j < n; j++) {
        double *null = held->null + k * n, size = W[held->row[j] * (rows + 1)];
        if (place[j] >= 0)
            continue;
        null[j] = 1.0;
        if (!made)
            sparse_back(held->system, NULL, null);
        if (size > 0.0)
            share = fmax(share, sqrt(own / size) * fabs(null[at]));
        k++;
    }
    return share;
}

/* The same as stands_alone, of many rows. */
static bool
stands_alone_of_many(struct held_rows *held, int at, double own)
{
    size_t size = sizeof *held->y * (size_t)held->n;
    if (share_of_many(held, at) > ALONE_SHARE)
        return false;
    memset(held->work, 0, size);
    memset(held->y, 0, size);
    held->work[at] = 1.0;
    sparse_forward(held->system, held->work);
    sparse_back(held->system, held->work, held->y);
    return 1.0 > ALONE_MARGIN * DEPENDS * own * held->y[at];
}

/* Is the tangential row of a point, which is one of those that are held, given
 * by none of the others, without a doubt? It takes one factorisation to ask
 * this of all of them. */
static bool
stands_alone(struct held_rows *held, int point)
{
    size_t self = 2 * (size_t)point + 1,
           rows = 2 * (size_t)held->group->instant.n;
    double left, own = held->group->instant.W[self * rows + self];
    int at = 0;
    if (held->how != HELD_PROVEN && held->how != HELD_PIVOTS &&
        held->how != HELD_SPARSE)
        return false;
    while (at < held->n && held->row[at] != self)
        at++;
    if (held->how == HELD_SPARSE)
        return at < held->n && stands_alone_of_many(held, at, own);
    return at < held->n &&
           semidefinite_beside(&held->factors, at, &left, held->y) <=
               ALONE_SHARE &&
           left > ALONE_MARGIN * DEPENDS * own;
}

bool
choice_at_edge(const struct friction_point *point,
               const struct friction_set *set, int i)
{
    assert(point && set && i >= 0);
    return fabs(set->tangential[i]) >=
           (1.0 - CHOICE_AT_EDGE) * point->mu_static * set->normal[i];
}

bool
choice_pushes(const struct choice_group *group, const struct friction_set *set,
              int i)
{
    assert(group && set && i >= 0 && i < group->instant.n);
    size_t row = 2 * (size_t)i;
    double push = set->normal[i] *
                  group->instant.W[row * 2 * (size_t)group->instant.n + row];
    return group->point[i].given ||
           (set->mode[i] != CONTACT_FREE &&
            push > CHOICE_NONE * fmax(group->instant.terms[row], fabs(push)));
}

static bool
slips(enum contact_mode mode)
{
    return mode == CONTACT_SLIP_POSITIVE || mode == CONTACT_SLIP_NEGATIVE;
}

void
choice_name_held(const struct choice_group *group, struct friction_set *set)
{
    assert(group && set);
    int n = group->instant.n;
    bool *on = NEW_N(group->arena, bool, 2 * n), *sticks = on + n;
    struct held_rows held = {0};
    for (int i = 0; i < n; i++) {
        on[i] = choice_pushes(group, set, i);
        sticks[i] = set->mode[i] == CONTACT_STICK;
    }
    for (int i = 0; i < n; i++) {
        size_t rows = 2 * (size_t)n, row = 2 * (size_t)i + 1;
        double size = group->instant.terms[row];
        const double *by = group->instant.W + row * rows;
        for (size_t k = 0; k < (size_t)n; k++)
            size += fabs(by[2 * k] * set->normal[k]) +
                    fabs(by[2 * k + 1] * set->tangential[k]);
        if (!slips(set->mode[i]) || group->point[i].slip != 0.0 ||
            !(fabs(set->acc[row]) <= CHOICE_NONE * size))
            continue;
        if (!held.group)
            held = hold(group, on, sticks, -1);
        if (holds(&held, i))
            set->mode[i] = CONTACT_STICK;
    }
}

/* Do forces at one point change accelerations at another one? */
static bool
act(const struct choice_group *group, int one, int other)
{
    size_t rows = 2 * (size_t)group->instant.n;
    for (size_t r = 0; r < 2; r++)
        for (size_t c = 0; c < 2; c++)
            if (group->instant.W[(2 * (size_t)one + r) * rows +
                                 2 * (size_t)other + c] != 0.0)
                return true;
    return false;
}

/* Adds to `part` (n) what its points act on, through others, too. */
static void
spread(const struct choice_group *group, bool *part)
{
    int n = group->instant.n;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n && !part[i]; k++)
                more |= part[i] = part[k] && act(group, i, k);
    }
}

void
choice_part(const struct choice_group *group, int one, bool *part)
{
    assert(group && part && one >= 0 && one < group->instant.n);
    memset(part, 0, sizeof *part * (size_t)group->instant.n);
    part[one] = true;
    spread(group, part);
}

void
choice_name_at_rest(const struct choice_group *group, struct friction_set *set)
{
    assert(group && set);
    int n = group->instant.n;
    struct friction_set named = *set;
    named.mode =
        arena_copy(group->arena, set->mode, sizeof *set->mode * (size_t)n);
    choice_name_held(group, &named);
    /* points that slip, and what they act on, through others, too */
    bool *moves = NEW_N(group->arena, bool, n);
    for (int i = 0; i < n; i++)
        moves[i] = slips(named.mode[i]);
    spread(group, moves);
    for (int i = 0; i < n; i++)
        if (!moves[i])
            set->mode[i] = named.mode[i];
}

/* Do the forces of a point leave the edge of its cone? */
static bool
comes_off_edge(const struct choice_group *group, const struct friction_set *set,
               const double *drift, int i)
{
    if (!drift)
        return false;
    double normal = group->point[i].mu_static * drift[2 * i],
           along =
               set->tangential[i] > 0.0 ? drift[2 * i + 1] : -drift[2 * i + 1];
    return normal - along > CHOICE_AT_EDGE * (fabs(normal) + fabs(along));
}

void
choice_tie(const struct choice_group *group, const struct friction_set *set,
           const double *drift, int first, const int *order, int n_order,
           const bool *on, bool *sticks, int *side)
{
    assert(group && set && order && on && sticks && side);
    struct held_rows held = {0};
    for (int k = -1; k < n_order; k++) {
        int i = k < 0 ? 0 : k;
        while (k < 0 && i < n_order && order[i] != first)
            i++;
        if (i == n_order)
            continue;
        int point = order[i];
        if (side[point] || !sticks[point] ||
            !choice_at_edge(&group->point[point], set, point) ||
            comes_off_edge(group, set, drift, point))
            continue;
        if (!held.group)
            held = hold(group, on, sticks, -1);
        if (stands_alone(&held, point) ||
            !choice_depends(group, on, sticks, point))
            continue;
        held.group = NULL;
        sticks[point] = false;
        side[point] = set->tangential[point] > 0.0 ? 1 : -1;
    }
}

void
choice_at_cones(const struct choice_group *group,
                const struct friction_set *set, const double *rate,
                double within, bool *ends)
{
    assert(group && set && rate && ends);
    int n = group->instant.n;
    double *one = NEW_N(group->arena, double, 2 * (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        ends[i] = false;
        if (set->mode[i] != CONTACT_STICK || !(rate[2 * i + 1] > 0.0))
            continue;
        one[2 * i + 1] = rate[2 * i + 1];
        ends[i] =
            friction_room(group->arena, &group->instant, set, one) <= within;
        one[2 * i + 1] = 0.0;
    }
}
