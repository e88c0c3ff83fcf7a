/* SPDX-License-Identifier: MIT */
/* Modes of many points by Newton's method for equations with corners (Alart and
 * Curnier 1991). Each point says in closed form which forces its law takes
 * where forces and accelerations stand as they do; what all of them say at once
 * are the modes of the next step, whose equations are linear. Where points
 * depend on each other these have many solutions or none: so forces are asked
 * for that a spring holds near others, the center, with a share of what the
 * terms do (proximal steps, Rockafellar 1976). Where the modes settle, their
 * forces are the next center, and the spring gets weaker; where they do not,
 * the way to them was too long, and is begun anew with a stronger one. Where
 * conditions contradict each other, centers go on until a point comes to an
 * edge. Only modes are asked for; whoever asked finds their forces, and checks
 * them. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/sparse/sparse.h"
#include "runtime/sparse/sparse_blocks.h"

/* The share begins with NEWTON_HOLDS and is NEWTON_LESS of that after modes
 * that settle within NEWTON_SOON steps, down to NEWTON_LEAST: what rounding
 * makes of singular equations with a unit diagonal. After NEWTON_PATIENCE steps
 * that settle nowhere the share becomes NEWTON_MORE times as large, up to 1,
 * and the forces go back to their center. Where nothing leads on from there
 * they are one themselves: centers may have to leap, as with friction there may
 * be several solutions, or none near by. */
#define NEWTON_HOLDS 1e-2
#define NEWTON_LESS 0.3
#define NEWTON_SOON 2
#define NEWTON_LEAST 1e-10
#define NEWTON_PATIENCE 5
#define NEWTON_MORE 3.5
/* Steps at most; where they lead to an end among some 30 points it is 10 to
 * 300. Of more points those that come to edges one after the other are more:
 * so many for each. */
#define NEWTON_MOST 400
#define NEWTON_EACH 10
/* Equations of so many points are eliminated in an order that is found once,
 * which takes a third of the time of one that is found with the pivots; of
 * fewer there is little to gain. */
#define NEWTON_BLOCKS 64
/* Such a solution is off by no more than this share of the right-hand sides;
 * else pivots are chosen. */
#define NEWTON_OFF 1e-8

struct newton {
    const struct mode_problem *in;
    const double *none; /* n: a normal force up to this is rounding */
    double *force;      /* 2 n */
    struct point_state *state, *tried;
    double *scale;  /* 2 n: 1/sqrt(W_ii) */
    double *center; /* 2 n */
    double share;
    int k, *unknown;
    int *which; /* 2 n: of a row, its unknown; -1: none */
    struct sparse_system *system;
    struct sparse_blocks *blocks; /* NULL: of few points */
    double *way;                  /* k: of the unknowns, scaled */
    double *right, *moved;        /* k; 2 n */
};

static double
acceleration(const struct newton *at, int row)
{
    return mode_row_sum(at->in, row, at->in->free[row], at->force);
}

/* The spring of a row, in the unit of its force. */
static double
spring(const struct newton *at, int row)
{
    return at->share * (at->force[row] - at->center[row]);
}

/* The force of a row that would take its acceleration away by itself. */
static double
force_alone(const struct newton *at, int row)
{
    double scale = at->scale[row];
    return at->force[row] -
           (acceleration(at, row) * scale * scale + spring(at, row)) /
               (1.0 + at->share);
}

/* Reads the modes. True: others than before. */
static bool
read_modes(struct newton *at)
{
    bool others = false;
    for (int i = 0; i < at->in->n; i++) {
        const struct mode_point *point = at->in->point + i;
        struct point_state *state = at->state + i, was = *state;
        double N = force_alone(at, 2 * i), T = force_alone(at, 2 * i + 1);
        state->closed = !point->driven && N > point->offset + at->none[i];
        bool none = !state->closed && point->offset == 0.0;
        state->tangent = none || mode_frictionless(point) ? TANGENT_NONE
                         : point->slip > 0.0              ? TANGENT_FORWARD
                         : point->slip < 0.0              ? TANGENT_BACKWARD
                         : fabs(T) <= point->mu_slip * fmax(N, point->offset)
                             ? TANGENT_STICK
                         : T < 0.0 ? TANGENT_FORWARD
                                   : TANGENT_BACKWARD;
        others |= !mode_same_state(*state, was);
    }
    return others;
}

/* Brings the forces onto what the modes allow. */
static void
onto_modes(struct newton *at)
{
    at->k = 0;
    for (int i = 0; i < at->in->n; i++) {
        const struct mode_point *point = at->in->point + i;
        struct point_state state = at->state[i];
        double *force = at->force + 2 * i;
        int *which = at->which + 2 * i;
        which[0] = which[1] = -1;
        if (state.closed)
            at->unknown[which[0] = at->k++] = 2 * i;
        else
            force[0] = point->offset;
        if (state.tangent == TANGENT_STICK)
            at->unknown[which[1] = at->k++] = 2 * i + 1;
        else
            force[1] =
                mode_slip_sign(state.tangent) * point->mu_slip * force[0];
    }
}

/* Writes the entries of equation i. */
static void
equation(struct newton *at, int i)
{
    const struct mode_problem *in = at->in;
    int row = at->unknown[i];
    const double *w = in->W + (size_t)row * 2 * (size_t)in->n;
    const int *first = in->pattern->first + row;
    for (int p = first[0]; p < first[1]; p++) {
        int point = in->pattern->point[p], N = 2 * point, T = N + 1;
        double along = mode_slip_sign(at->state[point].tangent) *
                       in->point[point].mu_slip,
               value[2] = {w[N] + along * w[T], w[T]};
        for (int part = 0; part < 2; part++) {
            int j = at->which[N + part];
            double scaled = at->scale[row] * value[part] * at->scale[N + part] +
                            (j == i ? at->share : 0.0);
            if (j >= 0 && scaled != 0.0)
                sparse_put(at->system, i, j, scaled);
        }
    }
}

/* Writes the entries of equation i into the blocks of its point. */
static void
block_equation(struct newton *at, int i)
{
    const struct mode_problem *in = at->in;
    int row = at->unknown[i];
    const double *w = in->W + (size_t)row * 2 * (size_t)in->n;
    const int *first = in->pattern->first + row;
    for (int p = first[0]; p < first[1]; p++) {
        int point = in->pattern->point[p], N = 2 * point, T = N + 1;
        double along = mode_slip_sign(at->state[point].tangent) *
                       in->point[point].mu_slip,
               scale = at->scale[row],
               *to = sparse_blocks_at(at->blocks, row / 2, point) + row % 2 * 2;
        if (at->which[N] >= 0)
            to[0] = scale * (w[N] + along * w[T]) * at->scale[N];
        if (at->which[T] >= 0)
            to[1] = scale * w[T] * at->scale[T];
    }
    sparse_blocks_at(at->blocks, row / 2, row / 2)[row % 2 * 3] += at->share;
}

/* Does the way solve the equations? */
static bool
way_holds(struct newton *at)
{
    double most = 0.0, off = 0.0;
    for (int r = 0; r < 2 * at->in->n; r++)
        at->moved[r] =
            at->which[r] < 0 ? 0.0 : at->scale[r] * at->way[at->which[r]];
    for (int i = 0; i < at->in->n; i++)
        if (at->which[2 * i + 1] < 0)
            at->moved[2 * i + 1] = mode_slip_sign(at->state[i].tangent) *
                                   at->in->point[i].mu_slip * at->moved[2 * i];
    for (int i = 0; i < at->k; i++) {
        int row = at->unknown[i];
        double sum = at->share * at->way[i] +
                     at->scale[row] * mode_row_sum(at->in, row, 0.0, at->moved);
        if (!isfinite(sum))
            return false;
        most = fmax(most, fabs(at->right[i]));
        off = fmax(off, fabs(sum - at->right[i]));
    }
    return off <= NEWTON_OFF * most;
}

/* Solves the equations of many points without a choice of pivots. False: these
 * would have to be chosen. */
static bool
solve_blocks(struct newton *at)
{
    int rows = 2 * at->in->n;
    if (!at->blocks)
        return false;
    sparse_blocks_clear(at->blocks);
    for (int r = 0; r < rows; r++) {
        int i = at->which[r];
        at->moved[r] = i < 0 ? 0.0 : at->right[i];
        if (i < 0)
            sparse_blocks_at(at->blocks, r / 2, r / 2)[r % 2 * 3] = 1.0;
    }
    for (int i = 0; i < at->k; i++)
        block_equation(at, i);
    if (!sparse_blocks_solve(at->blocks, at->moved))
        return false;
    for (int i = 0; i < at->k; i++)
        at->way[i] = at->moved[at->unknown[i]];
    return way_holds(at);
}

/* Solves the equations of the modes for the way from the forces, in rows and
 * unknowns scaled to a unit diagonal of W. False: they are singular. */
static bool
solve(struct newton *at)
{
    for (int i = 0; i < at->k; i++) {
        int row = at->unknown[i];
        at->right[i] = -at->scale[row] * acceleration(at, row) -
                       spring(at, row) / at->scale[row];
    }
    if (solve_blocks(at))
        return true;
    sparse_clear(at->system, at->k);
    memcpy(at->system->right, at->right, sizeof *at->right * (size_t)at->k);
    for (int i = 0; i < at->k; i++)
        equation(at, i);
    sparse_eliminate(at->system, 0.0);
    if (at->system->rank < at->k)
        return false;
    sparse_back(at->system, at->system->right, at->way);
    for (int i = 0; i < at->k; i++)
        if (!isfinite(at->way[i]))
            return false;
    return true;
}

/* Goes to the forces of the modes. */
static bool
step(struct newton *at)
{
    onto_modes(at);
    if (!solve(at))
        return false;
    for (int i = 0; i < at->k; i++)
        at->force[at->unknown[i]] += at->scale[at->unknown[i]] * at->way[i];
    for (int i = 0; i < at->in->n; i++) {
        double sign = mode_slip_sign(at->state[i].tangent);
        if (sign != 0.0)
            at->force[2 * i + 1] =
                sign * at->in->point[i].mu_slip * at->force[2 * i];
    }
    return true;
}

static struct newton
newton_new(struct arena *arena, const struct mode_problem *in,
           const double *none, double *force, struct point_state *state)
{
    size_t rows = 2 * (size_t)in->n;
    struct newton at = {.in = in,
                        .none = none,
                        .force = force,
                        .state = state,
                        .tried = NEW_N(arena, struct point_state, in->n)};
    at.unknown = NEW_N(arena, int, 2 * rows);
    at.which = at.unknown + rows;
    at.system = sparse_new(arena, (int)rows);
    at.scale = NEW_N(arena, double, 5 * rows);
    at.center = at.scale + rows;
    at.way = at.center + rows;
    at.right = at.way + rows;
    at.moved = at.right + rows;
    if (in->n >= NEWTON_BLOCKS)
        at.blocks = sparse_blocks_new(arena, in->n, in->pattern->first,
                                      in->pattern->point);
    for (size_t r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        at.scale[r] = w > 0.0 ? 1.0 / sqrt(w) : 1.0;
    }
    return at;
}

/* Steps until the modes settle. Returns how many; -1: they do not, or equations
 * are singular. */
static int
settle(struct newton *at)
{
    for (int made = 1; made <= NEWTON_PATIENCE; made++) {
        if (!step(at))
            return -1;
        if (!read_modes(at))
            return made;
    }
    return -1;
}

static bool
same_states(int n, const struct point_state *a, const struct point_state *b)
{
    for (int i = 0; i < n; i++)
        if (!mode_same_state(a[i], b[i]))
            return false;
    return true;
}

/* Follows centers, from the forces. back: forces that settle nowhere go back to
 * their center; else they are one themselves. */
static bool
follow(struct newton *at, bool back, bool (*try)(void *context), void *context)
{
    int n = at->in->n,
        most = n > NEWTON_MOST / NEWTON_EACH ? NEWTON_EACH * n : NEWTON_MOST;
    size_t size = 2 * sizeof *at->force * (size_t)n;
    at->share = NEWTON_HOLDS;
    memcpy(at->center, at->force, size);
    for (int made = 0, trials = 0; made < most;) {
        read_modes(at);
        int steps = settle(at);
        made += steps < 0 ? NEWTON_PATIENCE : steps;
        if (steps < 0) {
            if (back && at->share < 1.0)
                memcpy(at->force, at->center, size);
            else
                memcpy(at->center, at->force, size);
            at->share = fmin(NEWTON_MORE * at->share, 1.0);
            continue;
        }
        bool others = trials++ == 0 || !same_states(n, at->state, at->tried);
        if (!others && at->share == NEWTON_LEAST)
            return false;
        memcpy(at->tried, at->state, sizeof *at->state * (size_t)n);
        if (others && try(context))
            return true;
        memcpy(at->center, at->force, size);
        if (steps <= NEWTON_SOON)
            at->share = fmax(NEWTON_LESS * at->share, NEWTON_LEAST);
    }
    return false;
}

bool
mode_newton(struct arena *arena, const struct mode_problem *in,
            const double *none, double *force, struct point_state *state,
            bool (*try)(void *context), void *context)
{
    assert(arena && in && in->pattern && none && force && state && try);
    size_t size = 2 * sizeof *force * (size_t)in->n;
    struct newton at = newton_new(arena, in, none, force, state);
    const double *start = arena_copy(arena, force, size);
    if (follow(&at, true, try, context))
        return true;
    memcpy(force, start, size);
    return follow(&at, false, try, context);
}
