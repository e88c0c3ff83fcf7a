/* SPDX-License-Identifier: MIT */
/* The map of one period of an accumulation and its derivative. An order of
 * contacts that repeats is a map Phi of the gaps g and rates u of its group.
 * The period is followed once more on a copy. The derivative is carried along:
 * that of an impact follows by implicit differentiation of the end of the
 * flight,
 *     d tau = -N (dq + dv tau)/(N v-),   dq+ = dq + dv tau + v- d tau,
 *     dv- = dv + a d tau,                dv+ = U dv-,
 * that of a limit by its projection, which does not depend on the time of the
 * limit. So orders of limits have a closed form, too.
 *
 * The motion of a group has scales: Phi(d^2 g, d u) = (d^2 g', d u') under
 * constant accelerations, Phi(b g, d u) = (b g', d u') without (chatter.md
 * 3.2). An accumulation that has converged is a fixed point of Psi, which is
 * Phi scaled back. It is stable when the other eigenvalues of D Psi are less
 * than 1 (3.4). The remaining time T satisfies
 *     T(x) = tau(x) + l T(Psi(x)),   DT (I - l D Psi) = D tau,
 *     T(x) (1 - l) = tau(x) + l DT (Psi(x) - x) + O(distance^2),
 * where l is the ratio of the times. The ratio at the fixed point follows to
 * the same order. From one period to the next the distance from the fixed point
 * falls by the greatest eigenvalue, so two predictions tell the error of the
 * second. */
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/period_map_priv.h"
#include "runtime/accumulation/small_matrix.h"

/* A fixed point without acceleration is looked for when accelerations change
 * the rates by less than this share in a period. */
#define MAP_LIGHT 1e-3
/* number of Newton steps to the fixed point */
#define MAP_REFINE 6
/* number of squarings for the greatest eigenvalue */
#define MAP_SQUARE 10

static struct period_map *
map_of(struct ballistic *motion)
{
    struct ballistic_workspace *work = motion->work;
    if (work->period_map)
        return work->period_map;
    struct arena *arena = work->arena;
    struct period_map *map = work->period_map = NEW(arena, struct period_map);
    size_t rank = (size_t)(motion->model.m < motion->model.n ? motion->model.m
                                                             : motion->model.n);
    size_t rows = 2 * rank;
    double **at[] = {&map->followed.dt,    &map->followed.before,
                     &map->followed.after, &map->scaled.t,
                     &map->scratch.v,      &map->scratch.c};
    map->linear = period_map_linear();
    map->copy = ballistic_memory(arena, motion->model.n, motion->model.m);
    map->basis = NEW_N(arena, int, rank + 1);
    map->tangent.y = NEW_N(arena, double, rows *rank + 1);
    map->tangent.z = NEW_N(arena, double, rows *rank + 1);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        *at[i] = NEW_N(arena, double, rows + 2);
    map->followed.derivative = NEW_N(arena, double, rows *rows + 1);
    map->scaled.D = NEW_N(arena, double, rows *rows + 1);
    map->scaled.P = NEW_N(arena, double, rows *rows + 1);
    map->scaled.Q = NEW_N(arena, double, rows *rows + 1);
    map->scratch.equations = NEW_N(arena, double, (rows + 2) * (rows + 4));
    map->tangent.one = NEW_N(arena, double, rank + 1);
    map->scratch.selected = NEW_N(arena, bool, (size_t)motion->model.m + 1);
    map->scratch.hit = NEW_N(arena, bool, (size_t)motion->model.m + 1);
    map->seed.group = NEW_N(arena, bool, (size_t)motion->model.m + 1);
    map->seed.y = NEW_N(arena, double, rows *rank + 4);
    map->seed.z = NEW_N(arena, double, rows *rank + 1);
    return map;
}

/* -- what it says -----------------------------------------------------------
 */

/* The spectral radius of D across the directions of the scales, by squaring:
 * the norm of a power is an upper bound. Letters: Q = D D, the next power of
 * the matrix D. below: only whether it is below 1; the first power that shows
 * this ends the search. */
LANES_INLINE double
radius(struct period_map *map, int rows, int scales, bool below)
{
    struct period_scaled *scaled = &map->scaled;
    static const double ln2 = 0.69314718055994530942;
    int half = rows / 2;
    double *D = scaled->P, *Q = scaled->Q, size = 0.0;
    memcpy(D, scaled->D, (size_t)(rows * rows) * sizeof *D);
    for (int s = 0; s < scales; s++) {
        double t2 = 0.0;
        int lo = scales == 2 && s ? half : 0,
            hi = scales == 2 && !s ? half : rows;
        for (int i = lo; i < hi; i++)
            t2 += scaled->t[i] * scaled->t[i];
        for (int column = 0; column < rows && t2 > 0.0; column += 2) {
            pair d = pair_of(0.0);
            for (int i = lo; i < hi; i++)
                d += pair_of(scaled->t[i]) * pair_load(D + i * rows + column);
            for (int i = lo; i < hi; i++)
                pair_store(D + i * rows + column,
                           pair_load(D + i * rows + column) -
                               pair_of(scaled->t[i]) * d / pair_of(t2));
        }
    }
    double power = 1.0;
    for (int round = 0;; round++) {
        double most = round == MAP_SQUARE ? norm(D, rows * rows)
                                          : size_of(D, rows * rows);
        if (!(most > 0.0) || !isfinite(most))
            return most > 0.0 ? INFINITY : 0.0;
        if (below && size <= 0.0 && most < 1.0)
            return 0.0;
        if (round == MAP_SQUARE)
            return exp(size + log(most) / power);
        int by = exponent_of(most);
        pair down = pair_of(power2(-by));
        size += by * ln2 / power;
        for (int i = 0; i < rows * rows; i += 2)
            pair_store(D + i, pair_load(D + i) * down);
        square(rows, D, Q);
        double *keep = D;
        D = Q;
        Q = keep;
        power *= 2.0;
    }
}

/* Reads what one period says: before, after, derivative, tau and dt of the map.
 * judge: only whether the contraction is below 1. False: there is no stable
 * fixed point near. */
LANES_INLINE bool
read_of(struct period_map *map, int rows, int scales, bool judge,
        struct reading *reading)
{
    struct period_scratch *scratch = &map->scratch;
    const struct period_followed *followed = &map->followed;
    int half = rows / 2;
    bool heavy = scales == 1;
    double rate_unit = norm(followed->before + half, half),
           gap_unit = rate_unit * followed->tau;
    double U1 = norm(followed->after + half, half),
           G0 = norm(followed->before, half), G1 = norm(followed->after, half);
    double *residual = scratch->v;
    if (!(rate_unit > 0.0) || !(U1 > 0.0) ||
        (!heavy && (!(G0 > 0.0) || !(G1 > 0.0))))
        return false;
    double rate_fall = U1 / rate_unit,
           gap_fall = heavy ? rate_fall * rate_fall : G1 / G0,
           ratio = gap_fall / rate_fall;
    if (!(ratio < 1.0) || !(gap_fall < 1.0))
        return false;
    for (int row = 0; row < rows; row++) {
        double size = row < half ? gap_unit : rate_unit,
               back = row < half ? gap_fall : rate_fall;
        residual[row] =
            (followed->after[row] / back - followed->before[row]) / size;
        map->scaled.t[row] =
            followed->before[row] / size * (heavy && row < half ? 2.0 : 1.0);
        double of_gap = gap_unit / (size * back),
               of_rate = rate_unit / (size * back);
        for (int column = 0; column < rows; column++)
            map->scaled.D[row * rows + column] =
                followed->derivative[row * rows + column] *
                (column < half ? of_gap : of_rate);
    }
    /* solve DT (I - l D) = D tau */
    int ld = SMALL_LD(rows);
    for (int i = 0; i < rows; i++) {
        for (int column = 0; column < rows; column++)
            scratch->equations[i * ld + column] =
                (i == column) - ratio * map->scaled.D[column * rows + i];
        scratch->equations[i * ld + rows] =
            followed->dt[i] * (i < half ? gap_unit : rate_unit);
        scratch->equations[i * ld + rows + 1] = 0.0;
    }
    double *DT = scratch->c;
    if (!eliminate(rows, scratch->equations, DT))
        return false;
    reading->remaining =
        (followed->tau + ratio * dot_of(rows, DT, residual)) / (1.0 - ratio);
    /* solve r = sum of e t - (D - I) d, d orthogonal to the directions t */
    int unknowns = rows + scales;
    ld = SMALL_LD(unknowns);
    memset(scratch->equations, 0,
           (size_t)(unknowns * ld) * sizeof *scratch->equations);
    for (int i = 0; i < rows; i++) {
        int s = rows + (scales == 2 && i >= half);
        for (int column = 0; column < rows; column++)
            scratch->equations[i * ld + column] =
                (i == column) - map->scaled.D[i * rows + column];
        scratch->equations[i * ld + s] = scratch->equations[s * ld + i] =
            map->scaled.t[i];
        scratch->equations[i * ld + unknowns] = residual[i];
    }
    double *x = scratch->c;
    if (!eliminate(unknowns, scratch->equations, x))
        return false;
    reading->distance = norm(x, rows);
    reading->rate_ratio = reading->speed =
        rate_fall * exp(x[rows + scales - 1]);
    reading->gap_ratio = heavy ? reading->rate_ratio * reading->rate_ratio
                               : gap_fall * exp(x[rows]);
    reading->ratio = reading->gap_ratio / reading->rate_ratio;
    reading->gap_unit = gap_unit;
    reading->rate_unit = rate_unit;
    reading->contraction = radius(map, rows, scales, judge);
    return isfinite(reading->remaining) && reading->remaining > 0.0 &&
           reading->distance < MAP_NEAR && reading->contraction < 1.0 &&
           reading->ratio > 0.0 && reading->ratio < 1.0;
}

static bool
read_map(struct period_map *map, bool heavy, bool judge,
         struct reading *reading)
{
    int n = map->n;
    if (map->regime.unaccelerated)
        return map->linear->read(map, reading);
    if (heavy)
        return n == 6   ? read_of(map, 6, 1, judge, reading)
               : n == 4 ? read_of(map, 4, 1, judge, reading)
                        : read_of(map, n, 1, judge, reading);
    return n == 6   ? read_of(map, 6, 2, judge, reading)
           : n == 4 ? read_of(map, 4, 2, judge, reading)
                    : read_of(map, n, 2, judge, reading);
}

/* Removes the accelerations from a state in which they no longer count. */
static void
weightless(struct ballistic *copy)
{
    memset(copy->mode.gap_acc, 0,
           (size_t)copy->model.m * sizeof *copy->mode.gap_acc);
    memset(copy->local.gap_acc, 0,
           (size_t)copy->model.m * sizeof *copy->local.gap_acc);
    memset(copy->mode.y_acc, 0,
           (size_t)copy->matrices.rank * sizeof *copy->mode.y_acc);
    memset(copy->local.y_acc, 0,
           (size_t)copy->matrices.rank * sizeof *copy->local.y_acc);
}

/* Is the period made of single impacts without accelerations? */
static bool
is_still(const struct ballistic *motion, const struct period_map *map,
         int period)
{
    const struct ballistic_workspace *work = motion->work;
    if (!work->flight.unaccelerated || motion->mode.n_persistent ||
        map->n > 2 * MAP_LINEAR_RANK)
        return false;
    for (unsigned long i = work->history.n - (unsigned long)period;
         i < work->history.n; i++)
        if (work->history.entry[i % HISTORY_KEPT].contact >= motion->model.m)
            return false;
    return true;
}

/* Makes the copy, which goes on from the present state. */
static void
begin(const struct ballistic *motion, struct period_map *map, int period,
      const bool *group)
{
    map->rank = motion->matrices.rank;
    map->length_exponent = motion->length_exponent;
    map->rate_exponent = motion->rate_exponent;
    period_map_seeds(motion, map, group);
    map->regime.unaccelerated = is_still(motion, map, period);
    if (map->regime.unaccelerated)
        ballistic_copy_motion(map->copy, motion);
    else
        ballistic_copy(map->copy, motion);
}

/* Follows the last `period` entries of the history once more on the copy. */
static bool
replay(const struct ballistic *motion, struct period_map *map, int period)
{
    return map->regime.unaccelerated ? map->linear->follow(motion, map, period)
                                     : period_map_follow(motion, map, period);
}

static bool
again(const struct ballistic *motion, int period, struct reading *reading)
{
    struct period_map *map = motion->work->period_map;
    return replay(motion, map, period) &&
           read_map(map, map->regime.accelerated, false, reading);
}

/* Returns the share of the rates that accelerations make in the period just
 * followed. */
static double
weight(const struct ballistic *motion, const struct period_map *map,
       const bool *group)
{
    double acc = 0.0;
    int half = map->n / 2;
    for (int i = 0; i < motion->model.m; i++)
        if (group[i])
            acc = greater(acc, fabs(times2(motion->matrices.gap_acc[i],
                                           motion->length_exponent -
                                               2 * motion->rate_exponent)) /
                                   motion->matrices.root[i]);
    return acc * map->followed.tau / norm(map->followed.before + half, half);
}

/* How much greater are the numbers with which the gaps and rates of the group
 * are rounded? A gap that follows from others has the rounding errors of those.
 */
static double
blur(const struct ballistic *motion, const bool *group)
{
    double gap_size = 0.0, gap_terms = 0.0, rate_size = 0.0, rate_terms = 0.0;
    if (!motion->basis)
        return 0.0;
    for (int i = 0; i < motion->model.m; i++)
        if (group[i]) {
            double root = motion->matrices.root[i];
            gap_size = greater(gap_size, fabs(motion->gap[i]) / root);
            gap_terms =
                greater(gap_terms, contact_basis_terms(motion, i) / root);
            rate_size = greater(rate_size, fabs(motion->rate[i]) / root);
            rate_terms =
                greater(rate_terms, contact_basis_rate_terms(motion, i) / root);
        }
    double most = 1.0 / DBL_EPSILON; /* nothing is known */
    return (gap_terms < most * gap_size ? gap_terms / gap_size : most) +
           (rate_terms < most * rate_size ? rate_terms / rate_size : most);
}

/* Newton's step: moves the copy, which is at the end of the period that was
 * read, to where the fixed point would have come. */
static void
jump(struct period_map *map, const struct reading *reading)
{
    struct ballistic *copy = map->copy;
    struct ballistic_workspace *work = copy->work;
    int rank = map->rank, contacts = copy->model.m, half = map->n / 2,
        factored = projection_factor(copy, map->seed.group);
    for (int part = 0; part < 2; part++) {
        double *to = part ? copy->z : copy->y,
               *of = part ? copy->rate : copy->gap;
        double back = part ? reading->rate_ratio : reading->gap_ratio,
               unit = part ? reading->rate_unit : reading->gap_unit;
        int e = part ? map->rate_exponent - copy->rate_exponent
                     : map->length_exponent - copy->length_exponent;
        memset(work->set.rate, 0, (size_t)contacts * sizeof *work->set.rate);
        for (int i = 0; i < half; i++) {
            int j = part * half + i;
            double x =
                back * (map->followed.before[j] + map->scratch.c[j] * unit) -
                map->followed.after[j];
            work->set.rate[map->basis[i]] =
                times2(x * copy->matrices.root[map->basis[i]], e);
        }
        projection_solve(copy, factored, work->set.rate);
        for (int i = 0; i < factored; i++)
            for (int j = 0; j < rank; j++)
                to[j] += copy->matrices.H[work->set.index[i] * rank + j] *
                         work->set.solution[i];
        for (int i = 0; i < contacts; i++)
            for (int j = 0; j < factored && !copy->mode.persistent[i]; j++)
                of[i] += copy->matrices.W[i * contacts + work->set.index[j]] *
                         work->set.solution[j];
    }
    for (int i = 0; i < contacts; i++)
        if (copy->just_hit[i])
            copy->gap[i] = 0.0;
    work->flight.coasts = false;
}

/* A fixed point that is far away belongs to this order only if the order
 * repeats there, too. */
static bool
is_there(const struct ballistic *motion, int period,
         const struct reading *reading)
{
    struct period_map *map = motion->work->period_map;
    struct reading there;
    if (reading->distance < MAP_NEAR)
        return true;
    jump(map, reading);
    return again(motion, period, &there) && there.distance < MAP_NEAR;
}

bool
period_map_limit(struct ballistic *motion, int period, const bool *group,
                 struct fixed_point *out)
{
    assert(motion && motion->work);
    assert(group && out);
    assert(period > 0 && period <= HISTORY_PERIOD);
    struct period_map *map = map_of(motion);
    struct reading one, two;
    const struct ballistic_workspace *work = motion->work;
    begin(motion, map, period, group);
    /* A limit is followed as far as its impacts and begins after it. The period
     * is followed once more, so that both ends are the same instant of a
     * period. */
    double start = 0.0, tau;
    if (work->history.entry[(work->history.n - 1) % HISTORY_KEPT].contact >=
        motion->model.m) {
        if (!replay(motion, map, period))
            return false;
        start = map->followed.tau;
    }
    if (!replay(motion, map, period))
        return false;
    double light = map->regime.unaccelerated ? 0.0 : weight(motion, map, group);
    tau = map->followed.tau;
    map->regime.accelerated = light > 0.0;
    if (!read_map(map, map->regime.accelerated, true, &one)) {
        map->regime.accelerated = false;
        if (!(light > 0.0 && light < MAP_LIGHT) ||
            !read_map(map, false, true, &one))
            return false;
    }
    /* The error is of second order in the distance where nobody asks for more
     * digits. The distance must not decide about the stability. */
    double near = one.distance / (1.0 - one.contraction);
    near *= near;
    if (map->regime.unaccelerated && near <= work->limits.accepted_error) {
        map->regime.almost_free = false;
        map->scaled.distance = one.distance;
        *out = (struct fixed_point){.remaining = start + one.remaining,
                                    .ratio = one.ratio,
                                    .rate_ratio = one.speed,
                                    .contraction = one.contraction,
                                    .error = near,
                                    .ratio_error = near + DBL_EPSILON,
                                    .error_fall =
                                        one.contraction * one.contraction,
                                    .rounding = DBL_EPSILON};
        return true;
    }
    if (!again(motion, period, &two) || !is_there(motion, period, &two))
        return false;
    /* the error of the second prediction comes from the distance that is left,
     * and from the accelerations that are neglected */
    double fall = two.contraction * two.contraction;
    if (!map->regime.accelerated && light > 0.0)
        fall = greater(fall, two.ratio / two.speed);
    if (!(fall < 1.0))
        return false;
    double remaining = tau + two.remaining,
           off = fabs(one.remaining - remaining), q = two.ratio * fall;
    double change = fabs(two.ratio - one.ratio);
    double noise = 8.0 * DBL_EPSILON *
                   (period * (1.0 + 1.0 / two.ratio) + blur(motion, group));
    map->regime.almost_free = !map->regime.accelerated && light > 0.0;
    map->scaled.distance = two.distance;
    *out = (struct fixed_point){.remaining = start + remaining,
                                .ratio = two.ratio,
                                .rate_ratio = two.speed,
                                .contraction = two.contraction,
                                .error = off * q / (1.0 - q) / remaining,
                                .error_fall = fall,
                                .rounding = noise,
                                .ratio_error = change * fall / (1.0 - fall) +
                                               noise * two.ratio};
    return true;
}

int
period_map_order(struct ballistic *motion, int period, const bool *group,
                 struct fixed_point *out)
{
    assert(motion && motion->work);
    assert(group && out);
    assert(period > 0 && period <= HISTORY_PERIOD);
    struct period_map *map = map_of(motion);
    for (int i = 0; i < motion->model.m; i++)
        if (!group[i] || motion->local.gap_offset[i] != 0.0)
            return 0;
    map->rank = motion->matrices.rank;
    period_map_seeds(motion, map, group);
    if (map->n != 2 * map->rank || !is_still(motion, map, period))
        return 0;
    return map->linear->order(motion, map, period, out);
}

void
period_map_refine(struct ballistic *motion, int period, struct fixed_point *out)
{
    assert(motion && motion->work);
    assert(out);
    assert(motion->work->period_map);
    assert(period > 0 && period <= HISTORY_PERIOD);
    struct period_map *map = motion->work->period_map;
    struct reading reading;
    double distance = map->regime.almost_free ? 1.0 : map->scaled.distance;
    if (map->regime.almost_free)
        weightless(map->copy);
    for (int i = 0; i < MAP_REFINE && distance * distance > DBL_EPSILON; i++) {
        if (!again(motion, period, &reading))
            return;
        /* what a reading lacks is of the second order of the distance */
        double change = fabs(reading.ratio - out->ratio),
               nearer = reading.distance / distance, share = nearer * nearer;
        distance = reading.distance;
        out->ratio_error =
            (share < 0.5 ? 2.0 * share : 1.0) * change + out->rounding;
        out->ratio = reading.ratio;
        out->rate_ratio = reading.speed;
        out->contraction = reading.contraction;
        if (map->regime.almost_free) /* Per period the effect of the
                                        accelerations falls by this ratio. */
            out->contraction =
                greater(reading.contraction, reading.ratio / reading.speed);
        jump(map, &reading);
    }
}
