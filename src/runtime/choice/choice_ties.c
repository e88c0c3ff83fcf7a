/* SPDX-License-Identifier: MIT */
/* Points whose slip others hold (choice.h): slips that are none but in name,
 * and friction that is tied to the edge of its cone. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/choice/choice.h"
#include "runtime/numerics/dense.h"

/* Rows depend on others if so little of their W is left beside these, as
 * DELASSUS_RANK of motion/persistent.c. */
#define DEPENDS 1e-11
/* Of so many rows singular values cost more than all else. */
#define DEPENDS_FACTORED 12

bool
choice_depends(const struct choice_group *group, const bool *on,
               const bool *sticks, int point)
{
    assert(group && on && sticks && point >= 0 && point < group->instant.n);
    const double *W = group->instant.W;
    size_t n_held = 0, rows = 2 * (size_t)group->instant.n,
           self = 2 * (size_t)point + 1;
    size_t *held = NEW_N(group->arena, size_t, rows);
    for (int k = 0; k < group->instant.n; k++) {
        if (on[k])
            held[n_held++] = 2 * (size_t)k;
        if (on[k] && sticks[k] && k != point)
            held[n_held++] = 2 * (size_t)k + 1;
    }
    double *x = NEW_N(group->arena, double,
                      2 * n_held * n_held + 5 * n_held + 1),
           *V = x + n_held * n_held, *s = V + n_held * n_held, *b = s + n_held,
           *y = b + n_held, *work = y + n_held;
    for (size_t k = 0; k < n_held; k++) {
        b[k] = W[held[k] * rows + self];
        for (size_t l = 0; l < n_held; l++)
            x[k * n_held + l] = W[held[k] * rows + held[l]];
    }
    int n = (int)n_held, rank = 0;
    struct semidefinite factors;
    if (n >= DEPENDS_FACTORED &&
        semidefinite_factor(
            n, x, DEPENDS, &factors,
            NEW_N(group->arena, double, semidefinite_room(n)))) {
        semidefinite_solve(&factors, b, y,
                           NEW_N(group->arena, double, 3 * n_held));
    } else {
        if (!dense_svd(n, n, x, V, s))
            return false;
        while (rank < n && s[rank] > DEPENDS * s[0])
            rank++;
        dense_svd_solve(n, n, x, V, s, rank, b, y, work);
    }
    double own = W[self * rows + self], left = own;
    for (size_t k = 0; k < n_held; k++)
        left -= b[k] * y[k];
    return left <= DEPENDS * own;
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
        if (slips(set->mode[i]) && group->point[i].slip == 0.0 &&
            fabs(set->acc[row]) <= CHOICE_NONE * size &&
            choice_depends(group, on, sticks, i))
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
    for (int k = -1; k < n_order; k++) {
        int i = k < 0 ? 0 : k;
        while (k < 0 && i < n_order && order[i] != first)
            i++;
        if (i == n_order)
            continue;
        int point = order[i];
        if (side[point] || !sticks[point] ||
            !choice_at_edge(&group->point[point], set, point) ||
            comes_off_edge(group, set, drift, point) ||
            !choice_depends(group, on, sticks, point))
            continue;
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
