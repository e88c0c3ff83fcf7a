/* SPDX-License-Identifier: MIT */
/* What can be asked of the state of a ballistic motion: coordinates, gaps,
 * rates. Invariants: gap and rate are those of y and z but for contacts that
 * stay closed (0) or were just hit (the rate of the law of impact, exactly). */
#include "runtime/ballistic/workspace.h"

void
ballistic_sense(struct ballistic *motion)
{
    for (int i = 0; i < motion->model.m; i++) {
        motion->gap[i] = motion->mode.persistent[i]
                             ? 0.0
                             : ballistic_of(motion, i, motion->y) +
                                   motion->local.gap_offset[i];
        motion->rate[i] = motion->mode.persistent[i]
                              ? 0.0
                              : ballistic_of(motion, i, motion->z) +
                                    motion->local.rate_offset[i];
    }
}

/* q and v at time `after` the state (y, z) now */
static void
put(const struct ballistic *motion, double after, const double *y,
    const double *z, double *q, double *v)
{
    double s = motion->t - motion->t_start + motion->t_lo + after;
    for (int i = 0; i < motion->model.n; i++) {
        const double *E = motion->matrices.E + i * motion->matrices.rank;
        q[i] = motion->matrices.origin[i] +
               (motion->free_position[i] +
                (motion->free_velocity[i] +
                 0.5 * motion->matrices.free_acc[i] * s) *
                    s) +
               times2(dot_of(motion->matrices.rank, E, y),
                      motion->length_exponent);
        v[i] =
            (motion->free_velocity[i] + motion->matrices.free_acc[i] * s) +
            times2(dot_of(motion->matrices.rank, E, z), motion->rate_exponent);
    }
}

void
ballistic_state(const struct ballistic *motion, double *q, double *v)
{
    put(motion, 0.0, motion->y, motion->z, q, v);
}

void
ballistic_between(struct ballistic *motion, const struct ballistic *after,
                  double t, double *q, double *v)
{
    struct ballistic_workspace *work = motion->work;
    /* a time within the rounding of now is now: in local time it may be far */
    double dt = t == motion->t ? 0.0 : t - motion->t - motion->t_lo;
    double s = times2(dt, motion->rate_exponent - motion->length_exponent);
    for (int i = 0; i < motion->matrices.rank; i++) {
        work->scratch.y[i] =
            motion->y[i] +
            (motion->z[i] + 0.5 * motion->local.y_acc[i] * s) * s;
        work->scratch.z[i] = motion->z[i] + motion->local.y_acc[i] * s;
    }
    if (after)
        projection_average(motion, after, work->scratch.y, work->scratch.z);
    put(motion, dt, work->scratch.y, work->scratch.z, q, v);
}

double
ballistic_gap(const struct ballistic *motion, int i)
{
    return motion->mode.persistent[i] || motion->just_hit[i]
               ? 0.0
               : times2(motion->gap[i], motion->length_exponent);
}

double
ballistic_rate(const struct ballistic *motion, int i, int *exponent)
{
    double u = motion->mode.persistent[i] ? 0.0 : motion->rate[i];
    if (exponent) {
        *exponent = motion->rate_exponent;
        return u;
    }
    return times2(u, motion->rate_exponent);
}

void
ballistic_advance(struct ballistic *motion, double s)
{
    for (int j = 0; j < motion->matrices.rank; j++) {
        motion->y[j] += (motion->z[j] + 0.5 * motion->local.y_acc[j] * s) * s;
        motion->z[j] += motion->local.y_acc[j] * s;
    }
    ballistic_add_time(
        motion, times2(s, motion->length_exponent - motion->rate_exponent));
}
