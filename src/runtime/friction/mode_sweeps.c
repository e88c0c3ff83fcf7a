/* SPDX-License-Identifier: MIT */
/* Modes of many points by sweeps over them, in which each answers to the forces
 * of the others (Jean 1999: nonsmooth Gauss-Seidel). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"

/* Sweeps over all points that are made at most; after 1, 2, 4, ... of them, and
 * after each row, the modes that they stand at are tried. */
#define SWEEPS_MOST 4096
/* A leap comes after two rows of so many sweeps, which tell where they lead. */
#define SWEEPS_ROW 8
/* Changes by two rows whose directions differ by more than this share lead
 * nowhere yet. */
#define SWEEPS_ALIKE 0.25

/* One sweep: each point answers to the forces of the others. */
static void
sweep(const struct mode_problem *in, double *force)
{
    int rows = 2 * in->n;
    for (int r = 0; r < rows; r++) {
        const struct mode_point *point = in->point + r / 2;
        const double *w = in->W + (size_t)r * (size_t)rows;
        double *own = force + 2 * (r / 2), along = 0.0, acc = in->free[r];
        double sign = point->slip > 0.0 ? 1.0 : point->slip < 0.0 ? -1.0 : 0.0;
        double mu = point->mu_slip;
        if (r % 2 == 0 && !point->driven)
            along = w[r] - sign * mu * w[r + 1];
        else if (r % 2 == 1 && sign == 0.0)
            along = w[r];
        for (int c = 0; c < rows; c++)
            acc += w[c] * force[c];
        if (along > 0.0)
            force[r] -= acc / along;
        own[0] = fmax(own[0], point->offset);
        own[1] = sign != 0.0 ? -sign * mu * own[0]
                             : fmax(-mu * own[0], fmin(mu * own[0], own[1]));
    }
}

/* The modes that the forces of the sweeps stand at. True: others than before.
 */
static bool
read_sweeps(const struct mode_problem *in, const double *none,
            const double *force, struct point_state *states)
{
    bool others = false;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        double N = force[2 * i], T = force[2 * i + 1];
        struct point_state *state = states + i, was = *state;
        state->closed = N > point->offset + none[i];
        state->tangent = N <= none[i] || mode_frictionless(point) ? TANGENT_NONE
                         : fabs(T) < point->mu_slip * N ? TANGENT_STICK
                         : T < 0.0                      ? TANGENT_FORWARD
                                                        : TANGENT_BACKWARD;
        others |= !mode_same_state(*state, was);
    }
    return others;
}

/* How often the last change of the forces may be made once more until a point
 * opens, or comes to the edge of its cone. */
static double
until_edge(const struct mode_problem *in, const double *force,
           const double *change)
{
    double most = INFINITY;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        double N = force[2 * i] - point->offset, dN = change[2 * i],
               T = force[2 * i + 1], dT = change[2 * i + 1];
        if (!point->driven && N > 0.0 && dN < 0.0)
            most = fmin(most, N / -dN);
        for (int side = -1; side <= 1 && mode_starts_at_rest(point);
             side += 2) {
            double left = point->mu_slip * force[2 * i] + side * T,
                   falls = point->mu_slip * dN + side * dT;
            if (left > 0.0 && falls < 0.0)
                most = fmin(most, left / -falls);
        }
    }
    return most;
}

/* Sweeps creep where points depend on each other: where the conditions of
 * points that stick contradict each other by a little, forces grow by as little
 * with each sweep, until one of them comes to an edge. So what the last row of
 * sweeps has changed is changed many times at once: as often as a geometric row
 * of such changes would, but to the first edge at most; or, far: to that edge,
 * as what dies out beside such a growth looks like such a row. before: the
 * change by the row before. */
static void
leap(const struct mode_problem *in, double *force, const double *change,
     const double *before, bool far)
{
    int rows = 2 * in->n;
    double size = 0.0, along = 0.0, was = 0.0, times;
    for (int r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        size += w * change[r] * change[r];
        along += w * change[r] * before[r];
        was += w * before[r] * before[r];
    }
    /* |change - ratio before|^2, where the ratio makes it least */
    double ratio = along / was, differs = size - ratio * along;
    times = until_edge(in, force, change);
    if (!(was > 0.0) || !(differs < SWEEPS_ALIKE * SWEEPS_ALIKE * size) ||
        !(ratio > 0.0))
        return;
    if (ratio < 1.0 && !far)
        times = fmin(times, ratio / (1.0 - ratio));
    for (int r = 0; r < rows && isfinite(times); r++)
        force[r] += times * change[r];
}

void
mode_sweeps(struct arena *arena, const struct mode_problem *in,
            const double *none, struct point_state *state,
            bool (*try)(void *context), void *context)
{
    assert(arena && in && none && state && try);
    size_t rows = 2 * (size_t)in->n;
    double *force = NEW_N(arena, double, 4 * rows), *change = force + rows,
           *before = change + rows, *last = before + rows;
    memset(state, 0, sizeof *state * (size_t)in->n);
    for (long made = 1, wait = 1; made <= SWEEPS_MOST; made++) {
        sweep(in, force);
        bool row = made % SWEEPS_ROW == 0;
        if (made >= wait || row) {
            wait = made < wait ? wait : 2 * wait;
            if (read_sweeps(in, none, force, state) && try(context))
                return;
        }
        if (!row)
            continue;
        for (size_t r = 0; r < rows; r++) {
            before[r] = change[r];
            change[r] = force[r] - last[r];
        }
        if (made % (2 * SWEEPS_ROW) == 0)
            leap(in, force, change, before, made % (8 * SWEEPS_ROW) == 0);
        memcpy(last, force, rows * sizeof *last);
    }
}
