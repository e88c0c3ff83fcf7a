/* SPDX-License-Identifier: MIT */
/* The start of a ballistic motion from coordinates and velocities, and its use
 * for one instant of a motion that is not ballistic. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* Sets `out` to the part of x that no contact feels: x - off - E y, and 0 where
 * it is rounding error. */
static void
apart(const struct ballistic *motion, const double *x, const double *off,
      const double *y, double *out)
{
    int rank = motion->matrices.rank;
    for (int i = 0; i < motion->model.n; i++) {
        const double *E = motion->matrices.E + i * rank;
        double o = off ? off[i] : 0.0, s = x[i] - o;
        double size = fabs(x[i]) + fabs(o) + dot_abs(rank, E, y);
        s -= dot_of(rank, E, y);
        out[i] = fabs(s) <= BALLISTIC_NOISE * (rank + 1) * DBL_EPSILON * size
                     ? 0.0
                     : s;
    }
}

static void
forget_past(struct ballistic *motion, double time)
{
    struct ballistic_workspace *work = motion->work;
    motion->length_exponent = motion->rate_exponent = 0;
    motion->t = motion->t_start = time;
    motion->t_lo = 0.0;
    motion->impacts = 0;
    motion->event.contact = -1;
    motion->mode.n_persistent = 0;
    work->instant = work->flight.coasts = work->flight.last = false;
    work->batch_run = NULL;
    work->history.n = work->history.first = work->history.last_limit = 0;
    work->flight.standing = 0;
    work->history.next_look = impact_history_first_look(work);
    work->history.in_a_row = 0;
    work->history.limits = false;
    work->history.stamp++;
    work->history.twin = NULL;
    work->units.low_rate = INFINITY;
    impact_history_forget(motion);
    work->history.next_map = 0;
    memset(&motion->event.limit, 0, sizeof motion->event.limit);
}

static void
forget(struct ballistic *motion, double time)
{
    struct ballistic_workspace *work = motion->work;
    size_t contacts = (size_t)motion->model.m;
    forget_past(motion, time);
    if (!contacts)
        return;
    memset(motion->mode.persistent, 0, contacts);
    memset(motion->just_hit, 0, contacts);
    memset(motion->event.together, 0, contacts);
    memset(motion->event.group, 0, contacts);
    memset(work->set.closed, 0, contacts);
    memset(motion->event.impulse, 0, contacts * sizeof *motion->event.impulse);
    memset(motion->mode.force, 0, contacts * sizeof *motion->mode.force);
    memset(motion->mode.gap_acc, 0, contacts * sizeof *motion->mode.gap_acc);
    memset(motion->mode.y_acc, 0, contacts * sizeof *motion->mode.y_acc);
    memset(work->rate_terms, 0, contacts * sizeof *work->rate_terms);
}

/* The part of the rates that does not come from z, where gaps depend on the
 * time: matrices.rate_offset, in the motion's own memory. */
static void
drifts(struct ballistic *motion)
{
    int contacts = motion->model.m;
    for (int i = 0; i < contacts; i++) {
        double d = motion->rate[i] - ballistic_of(motion, i, motion->z);
        motion->matrices.rate_offset[i] =
            fabs(d) <= BALLISTIC_NOISE * contacts * DBL_EPSILON *
                           motion->work->rate_terms[i]
                ? 0.0
                : d;
    }
    for (int j = 0; j < motion->matrices.rank; j++)
        motion->matrices.rate_offset[motion->matrices.basis[j]] = 0.0;
}

/* Gaps that move apart with the time do not follow from each other: each is
 * carried by itself then. */
static const struct contact_basis *
first_basis(const struct ballistic *motion)
{
    for (int i = 0; i < motion->model.m; i++)
        if (motion->matrices.rate_offset[i] != 0.0)
            return NULL;
    return motion->matrices.direct ? NULL : motion->matrices.bases->basis[0];
}

/* Takes the state of the saved start. False: that was another start. */
static bool
begin_again(struct ballistic *motion, double time, const double *position,
            const double *velocity, double tol)
{
    struct ballistic_workspace *work = motion->work;
    const struct ballistic_saved_start *saved = &work->saved_start;
    int coordinates = motion->model.n;
    if (saved->version != motion->matrices.version || saved->t != time ||
        saved->tol != tol || !same_numbers(saved->q, position, coordinates) ||
        !same_numbers(saved->v, velocity, coordinates))
        return false;
    forget_past(motion, time);
    memcpy(motion->block, saved->block, work->block_bytes);
    memcpy(work->rate_terms, saved->rate_terms,
           (size_t)motion->model.m * sizeof *work->rate_terms);
    motion->length_exponent = saved->length_exponent;
    motion->rate_exponent = saved->rate_exponent;
    work->units.time = power2(motion->length_exponent - motion->rate_exponent);
    work->units.rate = power2(motion->rate_exponent);
    work->units.acc =
        power2(motion->length_exponent - 2 * motion->rate_exponent);
    work->units.low_rate = UNITS_SMALL;
    work->flight.unaccelerated = work->flight.coasts = saved->unaccelerated;
    work->flight.may_be_light = saved->may_be_light;
    motion->basis = saved->basis;
    work->batch_run = ballistic_batch_find(motion);
    return true;
}

static void
note_begun(struct ballistic *motion, const double *position,
           const double *velocity, double tol)
{
    struct ballistic_workspace *work = motion->work;
    struct ballistic_saved_start *saved = &work->saved_start;
    size_t n = (size_t)motion->model.n;
    if (work->batch)
        work->batch->n = 0;
    saved->version = motion->mode.n_persistent ? 0 : motion->matrices.version;
    saved->t = motion->t;
    saved->tol = tol;
    memcpy(saved->q, position, n * sizeof *position);
    memcpy(saved->v, velocity, n * sizeof *velocity);
    memcpy(saved->block, motion->block, work->block_bytes);
    memcpy(saved->rate_terms, work->rate_terms,
           (size_t)motion->model.m * sizeof *work->rate_terms);
    saved->length_exponent = motion->length_exponent;
    saved->rate_exponent = motion->rate_exponent;
    saved->basis = motion->basis;
    saved->unaccelerated = work->flight.unaccelerated;
    saved->may_be_light = work->flight.may_be_light;
}

bool
ballistic_start(struct ballistic *motion, double time, const double *position,
                const double *velocity, double tol)
{
    assert(motion && motion->work);
    assert(motion->model.n == 0 || (position && velocity));
    assert(tol >= 0.0);
    int coordinates = motion->model.n, contacts = motion->model.m;
    struct ballistic_workspace *work = motion->work;
    bool moving = false;
    for (int i = 0; i < contacts; i++)
        moving |= motion->model.drift && motion->model.drift[i] != 0.0;
    if (!moving && begin_again(motion, time, position, velocity, tol))
        return true;
    forget(motion, time);
    for (int contact = 0; contact < contacts; contact++) {
        const double *N = motion->model.N + contact * coordinates;
        double c = motion->model.c[contact];
        double drift = motion->model.drift ? motion->model.drift[contact] : 0.0;
        motion->gap[contact] = dot_of(coordinates, N, position) + c;
        motion->rate[contact] = dot_of(coordinates, N, velocity) + drift;
        motion->greatest[contact] = dot_abs(coordinates, N, position) + fabs(c);
        work->rate_terms[contact] =
            dot_abs(coordinates, N, velocity) + fabs(drift);
        if (fabs(motion->gap[contact]) <=
            BALLISTIC_NOISE * DBL_EPSILON * motion->greatest[contact])
            motion->gap[contact] = 0.0;
        if (fabs(motion->rate[contact]) <=
            BALLISTIC_NOISE * DBL_EPSILON * work->rate_terms[contact])
            motion->rate[contact] = 0.0;
        bool near = motion->gap[contact] <= tol;
        work->set.closed[contact] = near && motion->rate[contact] == 0.0;
        motion->just_hit[contact] = near && motion->rate[contact] > 0.0;
    }
    for (int j = 0; j < motion->matrices.rank; j++) {
        motion->y[j] = motion->gap[motion->matrices.basis[j]];
        motion->z[j] = motion->rate[motion->matrices.basis[j]];
    }
    matrices_coordinates(motion, motion->y);
    matrices_coordinates(motion, motion->z);
    if (moving)
        drifts(motion);
    else if (motion->matrices.rate_offset == work->own.matrices.rate_offset)
        memset(motion->matrices.rate_offset, 0,
               (size_t)contacts * sizeof *motion->matrices.rate_offset);
    motion->basis = first_basis(motion);
    apart(motion, position, motion->matrices.origin, motion->y,
          motion->free_position);
    apart(motion, velocity, NULL, motion->z, motion->free_velocity);
    /* the offsets in local units are those of an earlier start until here */
    ballistic_units(motion);
    ballistic_rescale(motion);
    if (!active_set_settle(motion)) /* makes the units of the mode, too */
        return false;
    work->flight.coasts =
        work->flight.unaccelerated && motion->mode.n_persistent == 0;
    note_begun(motion, position, velocity, tol);
    if (moving)
        work->saved_start.version = 0;
    return true;
}

int
ballistic_instant(struct ballistic *motion, const struct ballistic_model *model,
                  double time, const double *position, const double *velocity,
                  const bool *on)
{
    assert(motion && motion->work);
    assert(model && model->mass && model->acc);
    assert(model->n == 0 || (position && velocity));
    assert(on || model->m == 0);
    int coordinates = model->n, contacts = model->m;
    motion->model = *model; /* the caller keeps the arrays alive */
    motion->matrices = motion->work->own.matrices;
    motion->work->own.current = false;
    forget(motion, time);
    if (matrices_make(motion))
        return 1;
    /* the origin is the present state: gaps are offsets */
    motion->work->instant = true;
    motion->basis = NULL;
    memcpy(motion->matrices.origin, position,
           (size_t)coordinates * sizeof *position);
    memset(motion->free_position, 0,
           (size_t)coordinates * sizeof *motion->free_position);
    for (int i = 0; i < coordinates; i++) {
        motion->work->position[i] = position[i];
        motion->work->velocity[i] = velocity[i];
    }
    for (int contact = 0; contact < contacts; contact++) {
        const double *gradient = model->N + contact * coordinates;
        motion->matrices.gap_offset[contact] =
            model->c[contact] + dot_of(coordinates, gradient, position);
        motion->mode.persistent[contact] = on[contact];
        motion->mode.n_persistent += on[contact];
        double drift = model->drift ? model->drift[contact] : 0.0;
        motion->rate[contact] = dot_of(coordinates, gradient, velocity) + drift;
        motion->greatest[contact] =
            dot_abs(coordinates, gradient, position) + fabs(model->c[contact]);
        motion->work->rate_terms[contact] =
            dot_abs(coordinates, gradient, velocity) + fabs(drift);
    }
    for (int j = 0; j < motion->matrices.rank; j++) {
        motion->y[j] = 0.0;
        motion->z[j] = motion->rate[motion->matrices.basis[j]];
    }
    matrices_coordinates(motion, motion->z);
    drifts(motion);
    apart(motion, velocity, NULL, motion->z, motion->free_velocity);
    ballistic_units(motion);
    ballistic_sense(motion);
    return 0;
}
