/* SPDX-License-Identifier: MIT */
/* Modes of many points by Newton's method for equations with corners (Alart and
 * Curnier 1991). Each point says in closed form which forces its law takes
 * where forces and accelerations stand as they do; what all of them say at once
 * are the modes of the next step, whose equations are linear. Where points
 * depend on each other these have many solutions or none: forces may move by as
 * much only as a share of the terms allows (proximal steps, Rockafellar 1976),
 * which gets less whenever the modes have settled. Only modes are asked for;
 * whoever asked finds their forces, and checks them. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"

/* The share begins with NEWTON_HOLDS and is NEWTON_LESS of that after each
 * settling, down to NEWTON_LEAST: what rounding makes of singular equations
 * with a unit diagonal. Modes that have not settled after NEWTON_PATIENCE steps
 * may go round in a circle, which shorter steps leave: the share becomes
 * NEWTON_MORE times as large, up to 1. */
#define NEWTON_HOLDS 1e-2
#define NEWTON_LESS 0.3
#define NEWTON_LEAST 1e-10
#define NEWTON_PATIENCE 6
#define NEWTON_MORE 3.0
/* steps at most; where they lead to an end it is 10 to 100 */
#define NEWTON_MOST 200

struct newton {
    const struct mode_problem *in;
    const double *none; /* n: a normal force up to this is rounding */
    double *force;      /* 2 n */
    struct point_state *state;
    double *scale; /* 2 n: 1/sqrt(W_ii) */
    double share;
    int k, *unknown;
    int *end;      /* k: one past the last entry of a row that is not 0 */
    double *A, *b; /* k x k by rows */
};

static double
friction_sign(enum tangential_state tangent)
{
    return tangent == TANGENT_FORWARD    ? -1.0
           : tangent == TANGENT_BACKWARD ? 1.0
                                         : 0.0;
}

static double
acceleration(const struct newton *at, int row)
{
    size_t rows = 2 * (size_t)at->in->n;
    return at->in->free[row] +
           dense_dot((int)rows, at->in->W + (size_t)row * rows, at->force);
}

/* The force of a row that would take its acceleration away by itself. */
static double
force_alone(const struct newton *at, int row)
{
    double scale = at->scale[row];
    return at->force[row] - acceleration(at, row) * scale * scale;
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
        if (state.closed)
            at->unknown[at->k++] = 2 * i;
        else
            force[0] = point->offset;
        if (state.tangent == TANGENT_STICK)
            at->unknown[at->k++] = 2 * i + 1;
        else
            force[1] = friction_sign(state.tangent) * point->mu_slip * force[0];
    }
}

/* The equations of the modes for the way from the forces, in rows and unknowns
 * scaled to a unit diagonal of W. */
static void
equations(struct newton *at)
{
    const struct mode_problem *in = at->in;
    size_t rows = 2 * (size_t)in->n, k = (size_t)at->k;
    for (size_t i = 0; i < k; i++) {
        int row = at->unknown[i];
        const double *w = in->W + (size_t)row * rows;
        double *a = at->A + i * k;
        at->b[i] = -at->scale[row] * acceleration(at, row);
        at->end[i] = (int)i + 1;
        for (size_t j = 0; j < k; j++) {
            int column = at->unknown[j];
            double value = w[column];
            if (column % 2 == 0)
                value += friction_sign(at->state[column / 2].tangent) *
                         in->point[column / 2].mu_slip * w[column + 1];
            a[j] = at->scale[row] * value * at->scale[column];
            if (a[j] != 0.0 && (int)j >= at->end[i])
                at->end[i] = (int)j + 1;
        }
        a[i] += at->share;
    }
}

/* Brings the greatest entry of a column, from its diagonal on, there. */
static void
bring_pivot(struct newton *at, int c)
{
    int k = at->k, p = c;
    for (int r = c + 1; r < k; r++)
        if (fabs(at->A[r * k + c]) > fabs(at->A[p * k + c]))
            p = r;
    if (p == c)
        return;
    for (int j = c; j < k; j++) {
        double kept = at->A[c * k + j];
        at->A[c * k + j] = at->A[p * k + j];
        at->A[p * k + j] = kept;
    }
    double kept = at->b[c];
    at->b[c] = at->b[p];
    at->b[p] = kept;
    int end = at->end[c];
    at->end[c] = at->end[p];
    at->end[p] = end;
}

/* Solves the equations; the way takes the place of b. Few entries are not 0, as
 * few points share a body. False: they are singular. */
static bool
solve(struct newton *at)
{
    int k = at->k;
    for (int c = 0; c < k; c++) {
        bring_pivot(at, c);
        const double *from = at->A + (size_t)c * (size_t)k;
        if (from[c] == 0.0)
            return false;
        for (int r = c + 1; r < k; r++) {
            double *row = at->A + (size_t)r * (size_t)k;
            if (row[c] == 0.0)
                continue;
            double share = row[c] / from[c];
            for (int j = c + 1; j < at->end[c]; j++)
                row[j] -= share * from[j];
            at->end[r] = at->end[c] > at->end[r] ? at->end[c] : at->end[r];
            at->b[r] -= share * at->b[c];
        }
    }
    for (int c = k - 1; c >= 0; c--) {
        const double *row = at->A + (size_t)c * (size_t)k;
        for (int j = c + 1; j < at->end[c]; j++)
            at->b[c] -= row[j] * at->b[j];
        at->b[c] /= row[c];
        if (!isfinite(at->b[c]))
            return false;
    }
    return true;
}

/* Goes to the forces of the modes. */
static bool
step(struct newton *at)
{
    onto_modes(at);
    equations(at);
    if (!solve(at))
        return false;
    for (int i = 0; i < at->k; i++)
        at->force[at->unknown[i]] += at->scale[at->unknown[i]] * at->b[i];
    for (int i = 0; i < at->in->n; i++) {
        double sign = friction_sign(at->state[i].tangent);
        if (sign != 0.0)
            at->force[2 * i + 1] =
                sign * at->in->point[i].mu_slip * at->force[2 * i];
    }
    return true;
}

bool
mode_newton(struct arena *arena, const struct mode_problem *in,
            const double *none, double *force, struct point_state *state,
            bool (*try)(void *context), void *context)
{
    assert(arena && in && none && force && state && try);
    size_t rows = 2 * (size_t)in->n;
    struct newton at = {.in = in,
                        .none = none,
                        .force = force,
                        .state = state,
                        .share = NEWTON_HOLDS};
    at.unknown = NEW_N(arena, int, 2 * rows);
    at.end = at.unknown + rows;
    at.scale = NEW_N(arena, double, rows *rows + 2 * rows);
    at.b = at.scale + rows;
    at.A = at.b + rows;
    for (size_t r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        at.scale[r] = w > 0.0 ? 1.0 / sqrt(w) : 1.0;
    }
    read_modes(&at);
    int unsettled = 0;
    for (int made = 0; made < NEWTON_MOST; made++) {
        if (!step(&at))
            return false;
        if (read_modes(&at)) {
            if (++unsettled % NEWTON_PATIENCE == 0)
                at.share = fmin(NEWTON_MORE * at.share, 1.0);
            continue;
        }
        unsettled = 0;
        if (try(context))
            return true;
        at.share *= NEWTON_LESS;
        if (at.share < NEWTON_LEAST)
            return false;
    }
    return false;
}
