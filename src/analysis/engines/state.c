/* SPDX-License-Identifier: MIT */
/* The state of a run as a vector, and its rates: the right-hand side of the
 * equations of motion, from coefficients 0 and 1 of the motion tapes. Closed
 * contacts of bodies are held by runtime/motion/persistent.h, those of systems
 * by system_instant.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/engines/second.h"
#include "base/arena.h"
#include "runtime/instance/system.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"

/* The greatest change of an angle, and of an entry of a quaternion, within one
 * step: gaps are looked at often enough then. */
#define TURN_ANGLE 0.5
#define TURN_QUATERNION 0.25
/* The least size of an error's measure, as a share of a length, of a length per
 * `until`, and so on: what is smaller is rounding of something else. */
#define LEAST_SIZE 1e-4

/* The same for speeds of bodies with weight, as a share of a fall's. */
#define LEAST_SPEED 0.1

static const imp_block *
block_at(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

/* -- sizes --------------------------------------------------------------------
 */

static void
set_sizes(struct second *second, uint32_t env, uint32_t n, int *group,
          double least, double turn)
{
    const struct rt *run = second->run;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = second->of_env[env + i - run->im->layout.state];
        if (number != IMP_WORLD)
            second->sizes[number] = (struct gsl_number){*group, least, turn};
    }
    (*group)++;
}

static void
body_sizes(struct second *second, const imp_body *body, int *group)
{
    const struct rt *run = second->run;
    uint32_t dim = run->im->dim, at = body->env_state;
    double radius = run->env[body->env_body + IMP_BODY_RADIUS];
    double until = second->sim->options.until, speed, weight = 0.0;
    if (!(radius > 0.0 && isfinite(radius)))
        radius = 1.0;
    /* A body rests where its weight and the forces of contacts cancel, but
     * their rounding errors still move it. So errors of speeds are also
     * measured against the speed of a fall by the size of a body. */
    for (int i = 0; i < 3; i++)
        weight += run->world.gravity[i] * run->world.gravity[i];
    speed = fmax(LEAST_SIZE * radius / until,
                 LEAST_SPEED * sqrt(sqrt(weight) * radius));
    set_sizes(second, at, dim, group, radius, INFINITY);
    at += dim;
    if (dim == 2)
        set_sizes(second, at, 1, group, LEAST_SIZE, TURN_ANGLE);
    else
        set_sizes(second, at, 4, group, 1.0, TURN_QUATERNION);
    at += dim == 2 ? 1 : 4;
    set_sizes(second, at, dim, group, speed, INFINITY);
    at += dim;
    set_sizes(second, at, dim == 2 ? 1 : 3, group, speed / radius, INFINITY);
}

/* Coordinates without a unit may be angles; those next to each other with one
 * unit share a size. */
static void
system_sizes(struct second *second, const imp_system *system, int *group)
{
    const struct rt *run = second->run;
    const imp_coordinate *coordinate =
        IMP_ARRAY(run->im, run->im->coordinates, imp_coordinate);
    double until = second->sim->options.until;
    for (uint32_t rates = 0; rates < 2; rates++)
        for (uint32_t i = 0, end; i < system->n + system->n_observer; i = end) {
            const imp_coordinate *first = &coordinate[system->first + i];
            const char *unit = imp_text(run->im, first->unit);
            bool pure = !*unit || !strcmp(unit, "1");
            int same = *group;
            for (end = i; end < system->n + system->n_observer; end++) {
                const imp_coordinate *one = &coordinate[system->first + end];
                uint32_t env = rates ? one->env_rate : one->env;
                if (strcmp(imp_text(run->im, one->unit), unit) ||
                    (end == system->n && end > i))
                    break;
                if (env == IMP_NO_RATE)
                    continue;
                *group = same;
                set_sizes(second, env, 1, group,
                          rates ? LEAST_SIZE / until : LEAST_SIZE,
                          pure && !rates ? TURN_ANGLE : INFINITY);
            }
        }
}

void
second_state_new(struct second *second)
{
    assert(second);
    struct rt *run = second->run;
    uint32_t n_env = (uint32_t)rt_state_size(run), n = 0;
    second->number = NEW_N(run->arena, struct second_number, n_env + 1);
    second->of_env = NEW_N(run->arena, uint32_t, n_env + 1);
    second->sizes = NEW_N(run->arena, struct gsl_number, n_env + 1);
    second->y = NEW_N(run->arena, double, n_env + 1);
    for (uint32_t i = 0; i < n_env; i++)
        second->of_env[i] = IMP_WORLD;
    for (uint32_t b = 0; b < run->im->blocks.n; b++) {
        const imp_block *block = block_at(run, b);
        const uint32_t *env = IMP_ARRAY(run->im, block->state, uint32_t);
        const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
        for (uint32_t i = 0;
             i < block->state.n && block_at(run, b)->motion != IMP_NO_TAPE;
             i++) {
            second->of_env[env[i] - run->im->layout.state] = n;
            second->number[n++] = (struct second_number){env[i], b, row[i]};
        }
    }
    second->motion.n = n;
    int group = 0;
    /* These sizes hold for numbers of which no body and no system says more. */
    for (uint32_t i = 0; i < n; i++)
        second->sizes[i] =
            (struct gsl_number){-1 - (int)i, LEAST_SIZE, INFINITY};
    for (uint32_t i = 0; i < run->im->bodies.n; i++)
        if (rt_body(run, i)->block != IMP_NO_BLOCK)
            body_sizes(second, rt_body(run, i), &group);
    for (uint32_t i = 0; i < run->im->systems.n; i++)
        system_sizes(second, rt_system(run, i), &group);
    second->motion.number = second->sizes;
}

/* -- env ----------------------------------------------------------------------
 */

void
second_read(struct second *second)
{
    for (size_t i = 0; i < second->motion.n; i++)
        second->y[i] = second->run->env[second->number[i].env];
}

int
second_write(struct second *second, double t, const double *y)
{
    assert(second);
    struct rt *run = second->run;
    for (size_t i = 0; i < second->motion.n; i++) {
        if (!isfinite(y[i]))
            return IMP_NONFINITE;
        run->env[second->number[i].env] = y[i];
    }
    memset(run->state_lo, 0, rt_state_size(run) * sizeof *run->state_lo);
    run->env[run->im->layout.time] = t;
    motion_prescribed(run);
    second->sim->rows.fresh = false;
    return IMP_OK;
}

/* -- rates --------------------------------------------------------------------
 */

static void
tell_held(struct second *second, uint32_t s, bool on)
{
    struct rt *run = second->run;
    for (uint32_t i = 0; i < second->system[s].m; i++)
        run->env[rt_contact(run, rt_system(run, s)->contact + i)->env_contact +
                 IMP_CONTACT_ACTIVE] =
            on && second->system[s].held[i] ? 1.0 : 0.0;
}

void
second_tell_held(struct second *second, bool on)
{
    for (uint32_t s = 0; s < second->run->im->systems.n; s++)
        tell_held(second, s, on);
}

/* the rows of one block; observers feel the forces of closed contacts */
static int
rows_of_block(struct second *second, uint32_t b, int order)
{
    struct rt *run = second->run;
    uint32_t system = system_of_block(run, b);
    if (system_felt_by(run, b) == NULL)
        return motion_rows(run, b, order);
    uint32_t motion = rt_system(run, system)->block;
    tell_held(second, system, true);
    int st = motion_rows(run, motion, order);
    system_feel(run, system, order);
    tell_held(second, system, false);
    if (!st)
        st = motion_rows(run, b, order);
    return st ? st : motion_rows(run, motion, order);
}

int
second_rows(struct second *second, int order)
{
    assert(second);
    struct rt *run = second->run;
    int st = persistent_any(run) ? persistent_series(run, order, UINT32_MAX)
                                 : IMP_OK;
    for (uint32_t b = 0; b < run->im->blocks.n && !st; b++)
        if (block_at(run, b)->motion != IMP_NO_TAPE &&
            !persistent_moves(run, b))
            st = rows_of_block(second, b, order);
    return st;
}

/* the accelerations that held contacts of systems add */
static int
hold_systems(struct second *second, double *rate)
{
    const struct rt *run = second->run;
    for (uint32_t s = 0; s < run->im->systems.n; s++) {
        struct second_system *system = &second->system[s];
        bool any = false;
        for (uint32_t i = 0; i < system->m; i++)
            any |= system->held[i];
        if (!any)
            continue;
        int st = second_instant(second, system, true);
        if (st || (st = second_forces(system)))
            return st;
        double *push = system->work;
        memset(push, 0, system->n * sizeof *push);
        second_push(system, system->force, push);
        for (uint32_t i = 0; i < system->n; i++)
            rate[second->of_env[rt_system(run, s)->env_state + system->n + i -
                                run->im->layout.state]] += push[i];
    }
    return IMP_OK;
}

static bool
has_quaternion(const struct rt *run, uint32_t body)
{
    return run->im->dim == 3 && rt_body(run, body)->block != IMP_NO_BLOCK;
}

static void
normalise(struct rt *run)
{
    for (uint32_t b = 0; b < run->im->bodies.n; b++) {
        if (!has_quaternion(run, b))
            continue;
        double *q = run->env + rt_body(run, b)->env_state + 3, sum = 0.0;
        for (int i = 0; i < 4; i++)
            sum += q[i] * q[i];
        for (int i = 0; i < 4 && sum > 0.0; i++)
            q[i] /= sqrt(sum);
    }
}

/* Inside a step quaternions are no unit ones, and what turns by them would be
 * no rotation. So all is asked of unit ones, and their rates, which are linear
 * in them, are those of the state y again. */
static void
lengthen(const struct second *second, const double *y, double *rate)
{
    const struct rt *run = second->run;
    for (uint32_t b = 0; b < run->im->bodies.n; b++) {
        if (!has_quaternion(run, b))
            continue;
        const uint32_t *number = second->of_env + rt_body(run, b)->env_state +
                                 3 - run->im->layout.state;
        double sum = 0.0;
        for (int i = 0; i < 4; i++)
            sum += y[number[i]] * y[number[i]];
        for (int i = 0; i < 4; i++)
            rate[number[i]] *= sqrt(sum);
    }
}

int
second_rates(void *ctx, double t, const double *y, double *rate)
{
    assert(ctx != NULL && y != NULL && rate != NULL);
    struct second *second = ctx;
    struct rt *run = second->run;
    int st = rt_stopped(run) ? IMP_STOPPED : second_write(second, t, y);
    normalise(run);
    if (!st)
        st = second_rows(second, 1);
    for (size_t i = 0; i < second->motion.n && !st; i++) {
        const struct second_number *number = &second->number[i];
        rate[i] =
            run->rows
                .block[number->block]
                      [(size_t)number->row * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
        if (!isfinite(rate[i]))
            st = IMP_NONFINITE;
    }
    lengthen(second, y, rate);
    return st ? st : hold_systems(second, rate);
}

/* -- constraints --------------------------------------------------------------
 */

/* Moves a system onto the gaps of its held contacts: positions by the least
 * change in the metric of the masses, then rates. */
static int
close_system(struct second *second, struct second_system *system)
{
    struct rt *run = second->run;
    double *state = run->env + rt_system(run, system->number)->env_state;
    int st = second_instant(second, system, true);
    if (st)
        return st;
    memcpy(system->bend, system->gap, system->m * sizeof *system->bend);
    if ((st = second_forces(system)))
        return st;
    second_push(system, system->force, state);
    if ((st = second_instant(second, system, true)))
        return st;
    memcpy(system->bend, system->rate, system->m * sizeof *system->bend);
    if ((st = second_forces(system)))
        return st;
    second_push(system, system->force, state + system->n);
    return IMP_OK;
}

int
second_place(void *ctx, double t, double *y)
{
    assert(ctx != NULL && y != NULL);
    rt_brief_end(((struct second *)ctx)->run);
    return second_close(ctx, t, y);
}

int
second_close(struct second *second, double t, double *y)
{
    assert(second);
    struct rt *run = second->run;
    int st = second_write(second, t, y);
    if (st)
        return st;
    normalise(run);
    if (persistent_any(run))
        persistent_project(run);
    if (run->joints)
        joints_project(run);
    for (uint32_t s = 0; s < run->im->systems.n && !st; s++) {
        bool any = false;
        for (uint32_t i = 0; i < second->system[s].m; i++)
            any |= second->system[s].held[i];
        if (any)
            st = close_system(second, &second->system[s]);
    }
    for (size_t i = 0; i < second->motion.n; i++)
        y[i] = run->env[second->number[i].env];
    return st;
}
