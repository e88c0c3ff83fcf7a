/* SPDX-License-Identifier: MIT */
/* Follows one period on the copy, by ballistic_run, and its derivative:
 * tangents are stored by coordinate. The period may consist of impacts under
 * acceleration, several impacts that one impulse causes, and limits. */
#include <assert.h>
#include <string.h>

#include "runtime/accumulation/period_map_priv.h"
#include "runtime/accumulation/small_matrix.h"

/* greatest number of impacts until each contact of a limit has been hit */
#define MAP_HITS 64

void
period_map_coordinates(const struct period_map *map, double *x)
{
    assert(map);
    const struct ballistic *copy = map->copy;
    int half = map->n / 2;
    for (int i = 0; i < half; i++) {
        double root = copy->matrices.root[map->basis[i]];
        x[i] = times2(copy->gap[map->basis[i]],
                      copy->length_exponent - map->length_exponent) /
               root;
        x[half + i] = times2(copy->rate[map->basis[i]],
                             copy->rate_exponent - map->rate_exponent) /
                      root;
    }
}

/* Sets the tangents at the beginning: what the impulses of the group can do to
 * each gap and each rate alone. */
static void
seeds(const struct ballistic *motion, struct period_map *map)
{
    struct ballistic_workspace *work = motion->work;
    int rank = map->rank, factored = projection_factor(motion, map->seed.group),
        half = 0;
    for (int i = 0; i < factored; i++)
        if (work->set.reciprocal[i] != 0.0)
            map->basis[half++] = work->set.index[i];
    map->n = 2 * half;
    memset(map->seed.y, 0, (size_t)(map->n * rank) * sizeof *map->seed.y);
    memset(map->seed.z, 0, (size_t)(map->n * rank) * sizeof *map->seed.z);
    for (int column = 0; column < half; column++) {
        double *x = work->set.rate; /* m numbers */
        memset(x, 0, (size_t)motion->model.m * sizeof *x);
        x[map->basis[column]] = motion->matrices.root[map->basis[column]];
        projection_solve(motion, factored, x);
        for (int i = 0; i < factored; i++)
            for (int j = 0; j < rank; j++) {
                double d = motion->matrices.H[work->set.index[i] * rank + j] *
                           work->set.solution[i];
                map->seed.y[j * map->n + column] += d;
                map->seed.z[j * map->n + half + column] += d;
            }
    }
}

void
period_map_seeds(const struct ballistic *motion, struct period_map *map,
                 const bool *group)
{
    assert(motion && map && group);
    size_t contacts = (size_t)motion->model.m;
    if (map->seed.version == motion->matrices.version &&
        !memcmp(map->seed.group, group, contacts))
        return;
    map->seed.version = motion->matrices.version;
    memcpy(map->seed.group, group, contacts);
    seeds(motion, map);
}

static void
seed(struct period_map *map)
{
    size_t size = (size_t)(map->n * map->rank) * sizeof *map->tangent.y;
    memset(map->followed.dt, 0, (size_t)map->n * sizeof *map->followed.dt);
    memcpy(map->tangent.y, map->seed.y, size);
    memcpy(map->tangent.z, map->seed.z, size);
}

/* Gives the tangents of the gap or rate of contact c. */
LANES_INLINE void
seen_by(const struct ballistic *copy, int n, int rank, int contact,
        const double *x, double *to)
{
    if (copy->matrices.direct)
        memcpy(to, x + contact * n, (size_t)n * sizeof *to);
    else
        seen(n, rank, copy->matrices.F + contact * rank, x, to);
}

static double *
take_one(const struct period_map *map, const double *x, int i)
{
    for (int j = 0; j < map->rank; j++)
        map->tangent.one[j] = x[j * map->n + i];
    return map->tangent.one;
}

static void
put_one(const struct period_map *map, double *x, int i)
{
    for (int j = 0; j < map->rank; j++)
        x[j * map->n + i] = map->tangent.one[j];
}

/* Projects the tangents, so that contacts which are closed keep their gap and
 * rate at 0. */
static void
hold(struct period_map *map, const bool *closed)
{
    int n = projection_factor(map->copy, closed);
    if (n == 0)
        return;
    projection_apply_columns(map->copy, n, map->n, map->tangent.y);
    projection_apply_columns(map->copy, n, map->n, map->tangent.z);
}

/* Carries the tangents over the flight to the contact, which takes tau. rates:
 * at its end; acc: accelerations; arrive: rate of the contact. single: over the
 * impact at it alone, too. Letter: H of ballistic.h. */
LANES_INLINE void
fly_of(struct period_map *map, int tangents, int rank, int contact, double tau,
       double arrive, bool single)
{
    const struct ballistic *copy = map->copy;
    double *dy = map->tangent.y, *dz = map->tangent.z, *shift = map->scaled.t;
    const double *rates = map->scratch.v, *acc = map->scratch.c,
                 *H = copy->matrices.H + contact * rank;
    for (int i = 0; i < tangents * rank; i += 2)
        pair_store(dy + i,
                   pair_load(dy + i) + pair_load(dz + i) * pair_of(tau));
    seen_by(copy, tangents, rank, contact, dy, shift);
    for (int i = 0; i < tangents; i += 2) {
        pair dt = -pair_load(shift + i) / pair_of(arrive);
        pair_store(shift + i, dt);
        pair_store(map->followed.dt + i, pair_load(map->followed.dt + i) + dt);
    }
    along(tangents, rank, dy, rates, shift);
    along(tangents, rank, dz, acc, shift);
    if (!single)
        return;
    double rd = 1.0 / sqrt(copy->matrices.W[contact * (copy->model.m + 1)]),
           e = copy->model.e[contact];
    seen_by(copy, tangents, rank, contact, dz, shift);
    for (int i = 0; i < tangents; i += 2)
        pair_store(shift + i, pair_load(shift + i) * pair_of(1.0 + e) *
                                  pair_of(rd) * pair_of(rd));
    for (int j = 0; j < rank; j++)
        for (int i = 0; i < tangents; i += 2)
            pair_store(dz + j * tangents + i,
                       pair_load(dz + j * tangents + i) -
                           pair_of(H[j]) * pair_load(shift + i));
}

static void
fly(struct period_map *map, int contact, double tau, double arrive, bool single)
{
    int n = map->n, rank = map->rank;
    if (n == 6 && rank == 3)
        fly_of(map, 6, 3, contact, tau, arrive, single);
    else if (n == 4 && rank == 2)
        fly_of(map, 4, 2, contact, tau, arrive, single);
    else
        fly_of(map, n, rank, contact, tau, arrive, single);
}

/* The rates along which tangents are moved, in the map's units. Where other
 * contacts than the group's move, small rates of the group are known more
 * precisely by themselves than from z: then the least z is taken that has them.
 */
static void
rates_of(struct period_map *map, double *rates)
{
    struct ballistic *copy = map->copy;
    struct ballistic_workspace *work = copy->work;
    int rank = map->rank, ez = copy->rate_exponent - map->rate_exponent;
    if (copy->matrices.direct || map->n == 2 * rank) {
        for (int j = 0; j < rank; j++)
            rates[j] = times2(copy->z[j], ez);
        return;
    }
    int n = projection_factor(copy, map->seed.group);
    projection_solve(copy, n, copy->rate);
    memset(rates, 0, (size_t)rank * sizeof *rates);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < rank; j++)
            rates[j] += copy->matrices.H[work->set.index[i] * rank + j] *
                        times2(work->set.solution[i], ez);
}

/* Follows the next impact. False: it is not that of one contact of the entry
 * `name`. */
static bool
step_impact(struct period_map *map, int name)
{
    struct ballistic *copy = map->copy;
    int rank = map->rank, contacts = copy->model.m;
    double *rates = map->scratch.v, *acc = map->scratch.c, tau;
    rates_of(map, rates);
    for (int j = 0; j < rank; j++)
        acc[j] = times2(copy->mode.y_acc[j],
                        map->length_exponent - 2 * map->rate_exponent);
    long before = copy->impacts;
    if (ballistic_run(copy, INFINITY, 1) != BALLISTIC_IMPACT ||
        copy->impacts != before + 1)
        return false;
    int contact = copy->event.contact;
    if (name < contacts ? contact != name
                        : !impact_history_group_has(copy, name, contact))
        return false;
    const struct impact_entry *e =
        &copy->work->history.entry[(copy->work->history.n - 1) % HISTORY_KEPT];
    tau = times2(e->flight,
                 e->exponent - (map->length_exponent - map->rate_exponent));
    for (int j = 0; j < rank; j++)
        rates[j] += acc[j] * tau;
    double arrive = ballistic_of(copy, contact, rates);
    if (!(arrive < 0.0))
        return false;
    map->followed.tau += tau;
    int hits = 0;
    for (int i = 0; i < contacts; i++)
        hits += map->scratch.selected[i] =
            copy->event.impulse[i] != 0.0 || i == contact;
    fly(map, contact, tau, arrive, hits == 1);
    int n = hits == 1 ? 0 : projection_factor(copy, map->scratch.selected);
    for (int tangent = 0; tangent < map->n && n; tangent++) {
        double *dz = take_one(map, map->tangent.z, tangent),
               *u = copy->work->set.rate;
        for (int j = 0; j < contacts; j++)
            if (map->scratch.selected[j])
                u[j] = ballistic_of(copy, j, dz) *
                       (j == contact ? 1.0 + copy->model.e[contact] : 1.0);
        projection_solve(copy, n, u);
        for (int q = 0; q < n; q++)
            for (int j = 0; j < rank; j++)
                dz[j] -= copy->matrices.H[copy->work->set.index[q] * rank + j] *
                         copy->work->set.solution[q];
        put_one(map, map->tangent.z, tangent);
    }
    if (copy->mode.n_persistent)
        hold(map, copy->mode.persistent);
    return true;
}

/* A limit: when each of its contacts has been hit again, those that are still
 * closed stay so until the limit, and the rest is a projection. */
static bool
step_limit(struct period_map *map, int name)
{
    struct ballistic *copy = map->copy;
    int contacts = copy->model.m, left = 0;
    bool *group = copy->event.group, *closed = copy->work->set.closed,
         *hit = map->scratch.hit;
    memset(hit, 0, (size_t)contacts);
    for (int i = 0; i < contacts; i++)
        left += impact_history_group_has(copy, name, i);
    for (int i = 0; left > 0; i++) {
        if (i > MAP_HITS || !step_impact(map, name))
            return false;
        left -= !hit[copy->event.contact];
        hit[copy->event.contact] = true;
    }
    memcpy(group, copy->mode.persistent, (size_t)contacts);
    impact_history_group_add(copy, name, group);
    memcpy(closed, group, (size_t)contacts);
    hold(map, closed);
    projection_take_limit(copy, 0.0);
    return true;
}

/* Makes the derivative of the map from the tangents. */
LANES_INLINE void
sense_of(struct period_map *map, int numbers, int rank)
{
    const struct ballistic *copy = map->copy;
    int half = numbers / 2;
    for (int i = 0; i < numbers; i++) {
        int b = map->basis[i < half ? i : i - half];
        double root = copy->matrices.root[b],
               *to = map->followed.derivative + i * numbers;
        seen_by(copy, numbers, rank, b,
                i < half ? map->tangent.y : map->tangent.z, to);
        for (int contact = 0; contact < numbers; contact += 2)
            pair_store(to + contact, pair_load(to + contact) / pair_of(root));
    }
}

bool
period_map_follow(const struct ballistic *motion, struct period_map *map,
                  int period)
{
    assert(motion && map && map->copy);
    assert(period > 0 && period <= HISTORY_PERIOD);
    assert(map->n <= 2 * map->rank);
    const struct ballistic_workspace *work = motion->work;
    struct ballistic *copy = map->copy;
    seed(map);
    if (copy->mode.n_persistent)
        hold(map, copy->mode.persistent);
    period_map_coordinates(map, map->followed.before);
    map->followed.tau = 0.0;
    for (int i = period; i > 0; i--) {
        int name =
            work->history
                .entry[(work->history.n - (unsigned long)i) % HISTORY_KEPT]
                .contact;
        if (!(name < motion->model.m ? step_impact(map, name)
                                     : step_limit(map, name)))
            return false;
    }
    period_map_coordinates(map, map->followed.after);
    if (map->n == 6 && map->rank == 3)
        sense_of(map, 6, 3);
    else if (map->n == 4 && map->rank == 2)
        sense_of(map, 4, 2);
    else
        sense_of(map, map->n, map->rank);
    return map->followed.tau > 0.0;
}
