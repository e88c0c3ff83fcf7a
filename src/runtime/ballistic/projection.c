/* SPDX-License-Identifier: MIT */
/* Equations with the matrix W of a set of contacts, and what is made with them:
 * projections, orthogonal in the metric of M, onto the states in which the gaps
 * or rates of these contacts vanish; and the state after a limit of infinitely
 * many impacts, which is such a projection. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

/* Other contacts must stay clear of the accumulation by this many times what
 * the present motion of the group does to them. */
#define PROJECTION_CLEARANCE 4.0

/* -- factors that are kept ---------------------------------------------------
 *
 * A few sets of contacts come again and again. The matrices are compared number
 * by number. */

#define SETS_KEPT 8
#define SETS_LEAST                                                             \
    3 /* rows; fewer are factored as fast as they are compared                 \
       */
#define SETS_MOST 32

struct projection_memory {
    struct arena *arena;
    int most, next;
    struct kept_set {
        int count, rank, most_rank; /* count 0: none yet */
        double *W, *factor, *reciprocal;
        int *first;
    } set[SETS_KEPT];
};

struct projection_memory *
projection_memory_new(struct arena *arena, int contacts)
{
    assert(arena && contacts >= 0);
    struct projection_memory *memory = NEW(arena, struct projection_memory);
    memory->arena = arena;
    memory->most = contacts < SETS_MOST ? contacts : SETS_MOST;
    return memory;
}

/* Takes the factors of set.W, if they are kept. */
static bool
recall(struct ballistic_workspace *work, int count, int most_rank)
{
    struct projection_memory *memory = work->set.factored;
    size_t n = (size_t)count, bytes = n * n * sizeof(double);
    for (int i = 0; i < SETS_KEPT; i++) {
        const struct kept_set *set = &memory->set[i];
        if (set->count != count || set->most_rank != most_rank ||
            memcmp(set->W, work->set.W, bytes))
            continue;
        memcpy(work->set.W, set->factor, bytes);
        memcpy(work->set.reciprocal, set->reciprocal, n * sizeof(double));
        memcpy(work->set.first, set->first, n * sizeof(int));
        work->set.rank = set->rank;
        return true;
    }
    return false;
}

/* Begins to keep the factors of set.W; keep_factors() ends. */
static struct kept_set *
keep_matrix(struct ballistic_workspace *work, int count, int most_rank)
{
    struct projection_memory *memory = work->set.factored;
    struct kept_set *set = &memory->set[memory->next];
    size_t n = (size_t)memory->most;
    memory->next = (memory->next + 1) % SETS_KEPT;
    if (!set->W) {
        set->W = NEW_N(memory->arena, double, 2 * n * n + n);
        set->factor = set->W + n * n;
        set->reciprocal = set->factor + n * n;
        set->first = NEW_N(memory->arena, int, n);
    }
    set->count = count;
    set->most_rank = most_rank;
    memcpy(set->W, work->set.W, (size_t)(count * count) * sizeof(double));
    return set;
}

static void
keep_factors(const struct ballistic_workspace *work, struct kept_set *set)
{
    size_t n = (size_t)set->count;
    memcpy(set->factor, work->set.W, n * n * sizeof(double));
    memcpy(set->reciprocal, work->set.reciprocal, n * sizeof(double));
    memcpy(set->first, work->set.first, n * sizeof(int));
    set->rank = work->set.rank;
}

static void
gather(const struct ballistic *motion, int count)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    for (int i = 0; i < count; i++) {
        const double *row = motion->matrices.W + work->set.index[i] * contacts;
        work->set.first[i] = 0;
        for (int j = 0; j < count; j++)
            work->set.W[i * count + j] = row[work->set.index[j]];
    }
}

int
projection_factor(const struct ballistic *motion, const bool *sel)
{
    assert(motion && motion->work);
    assert(sel || motion->model.m == 0);
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, count = 0,
        most_rank = motion->matrices.rank;
    for (int i = 0; i < contacts; i++)
        if (sel[i])
            work->set.index[count++] = i;
    gather(motion, count);
    bool keeps = count >= SETS_LEAST && count <= SETS_MOST;
    if (keeps && recall(work, count, most_rank))
        return count;
    struct kept_set *set = keeps ? keep_matrix(work, count, most_rank) : NULL;
    /* rounding must not make more of the contacts independent than there are
     * dimensions */
    for (double tol = dense_tolerance(count, count);;) {
        dense_cholesky(count, work->set.W, count, work->set.first, NULL, tol,
                       work->set.reciprocal, &work->set.rank);
        tol *= 16.0;
        if (work->set.rank <= most_rank || !(tol < 1.0))
            break;
        gather(motion, count);
    }
    if (set)
        keep_factors(work, set);
    return count;
}

void
projection_solve(const struct ballistic *motion, int count, const double *x)
{
    assert(count >= 0 && count <= motion->model.m);
    struct ballistic_workspace *work = motion->work;
    for (int i = 0; i < count; i++)
        work->set.solution[i] =
            work->set.reciprocal[i] == 0.0 ? 0.0 : x[work->set.index[i]];
    dense_forward(count, work->set.W, count, work->set.first,
                  work->set.reciprocal, 0, work->set.solution);
    dense_backward(count, work->set.W, count, work->set.first,
                   work->set.reciprocal, work->set.solution);
}

/* Sets set.solution := W^-1 (gaps or rates y of the factored contacts, plus
 * off). */
static void
solve(const struct ballistic *motion, int count, const double *y,
      const double *off)
{
    struct ballistic_workspace *work = motion->work;
    for (int i = 0; i < count; i++)
        work->set.solution[i] =
            work->set.reciprocal[i] == 0.0
                ? 0.0
                : ballistic_of(motion, work->set.index[i], y) +
                      (off ? off[work->set.index[i]] : 0.0);
    dense_forward(count, work->set.W, count, work->set.first,
                  work->set.reciprocal, 0, work->set.solution);
    dense_backward(count, work->set.W, count, work->set.first,
                   work->set.reciprocal, work->set.solution);
}

void
projection_apply(const struct ballistic *motion, int count, double *vector,
                 const double *off)
{
    assert(count >= 0 && count <= motion->model.m);
    struct ballistic_workspace *work = motion->work;
    int rank = motion->matrices.rank;
    solve(motion, count, vector, off);
    for (int coordinate = 0; coordinate < rank; coordinate++) {
        double s = 0.0, size = fabs(vector[coordinate]);
        for (int i = 0; i < count; i++) {
            double d =
                motion->matrices.H[work->set.index[i] * rank + coordinate] *
                work->set.solution[i];
            s += d;
            size += fabs(d);
        }
        vector[coordinate] -= s;
        if (fabs(vector[coordinate]) <=
            BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size)
            vector[coordinate] = 0.0;
    }
    for (int i = 0; i < count && motion->matrices.direct; i++)
        vector[work->set.index[i]] = off ? -off[work->set.index[i]] : 0.0;
}

/* Two columns at once. */
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_mask __attribute__((vector_size(16)));

static inline pair
load(const double *p)
{
    pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline pair
both(double x)
{
    return (pair){x, x};
}

static inline pair
size_of(pair v)
{
    return (pair)((pair_mask)v & (pair_mask){INT64_MAX, INT64_MAX});
}

/* dense_dot of a row with columns. */
static inline pair
dot_pairs(int n, const double *left, const pair *right)
{
    pair s0 = {0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += both(left[i]) * right[i];
        s1 += both(left[i + 1]) * right[i + 1];
        s2 += both(left[i + 2]) * right[i + 2];
        s3 += both(left[i + 3]) * right[i + 3];
    }
    for (; i < n; i++)
        s0 += both(left[i]) * right[i];
    return (s0 + s2) + (s1 + s3);
}

/* Makes of set.W x = solution, in place, two columns. */
static void
solve_pairs(const struct ballistic_workspace *work, int count, pair *solution)
{
    const double *W = work->set.W;
    for (int i = 0; i < count; i++)
        solution[i] = (solution[i] - dot_pairs(i, W + i * count, solution)) *
                      both(work->set.reciprocal[i]);
    for (int i = count - 1; i >= 0; i--) {
        pair x = solution[i] *= both(work->set.reciprocal[i]);
        pair_mask some = x != both(0.0);
        for (int j = 0; j < i; j++) {
            pair left = solution[j] - both(W[i * count + j]) * x;
            solution[j] = (pair)(((pair_mask)left & some) |
                                 ((pair_mask)solution[j] & ~some));
        }
    }
}

void
projection_apply_columns(const struct ballistic *motion, int count, int n,
                         double *columns)
{
    assert(count >= 0 && count <= motion->model.m);
    assert(n % 2 == 0 && columns);
    const struct ballistic_workspace *work = motion->work;
    const struct contact_matrices *matrices = &motion->matrices;
    int rank = matrices->rank;
    double tol = BALLISTIC_NOISE * (count + 1) * DBL_EPSILON;
    pair *solution = (pair *)(void *)work->set.pairs;
    for (int column = 0; column < n; column += 2) {
        for (int i = 0; i < count; i++) {
            int contact = work->set.index[i];
            const double *F = matrices->F + contact * rank;
            pair sum = {0.0, 0.0};
            for (int j = 0; j < rank && !matrices->direct; j++)
                sum += both(F[j]) * load(columns + j * n + column);
            if (matrices->direct)
                sum = load(columns + contact * n + column);
            solution[i] =
                work->set.reciprocal[i] == 0.0 ? both(0.0) : sum + both(0.0);
        }
        solve_pairs(work, count, solution);
        for (int j = 0; j < rank; j++) {
            double *at = columns + j * n + column;
            pair was = load(at), sum = both(0.0), size = size_of(was);
            for (int i = 0; i < count; i++) {
                pair d = both(matrices->H[work->set.index[i] * rank + j]) *
                         solution[i];
                sum += d;
                size += size_of(d);
            }
            was -= sum;
            was = (pair)((pair_mask)was & ~(size_of(was) <= both(tol) * size));
            memcpy(at, &was, sizeof was);
        }
        for (int i = 0; i < count && matrices->direct; i++)
            memset(columns + work->set.index[i] * n + column, 0, sizeof(pair));
    }
}

/* Moves the state of an instant by the solution of a projection. */
static void
project_instant(struct ballistic *motion, int count, bool place)
{
    struct ballistic_workspace *work = motion->work;
    for (int i = 0; i < count; i++)
        work->set.solution[i] = -work->set.solution[i];
    instant_move(motion, work->set.index, work->set.solution, count, place);
}

void
projection_average(struct ballistic *motion, const struct ballistic *after,
                   double *y, const double *gap_offset, double *z,
                   const double *rate_offset)
{
    assert(motion);
    bool *sel = motion->work->set.closed;
    for (int i = 0; i < motion->model.m; i++)
        sel[i] = after->event.group[i] || motion->mode.persistent[i];
    int count = projection_factor(motion, sel);
    projection_apply(motion, count, y, gap_offset);
    projection_apply(motion, count, z, rate_offset);
}

/* -- the state after a limit ------------------------------------------------
 */

/* The state after a limit of infinitely many impacts. All impulses of an
 * accumulation lie in the span of M^-1 N^T of its group of contacts, so
 * velocity and position at the limit are the projections, orthogonal in the
 * metric of M, of what free motion would give:
 *     v* = P (v + a T),   x* = P (x + v T + a T^2/2),   N_group P = 0,
 * whatever the impacts in between are. The motion after the limit is the
 * projected parabola; it does not depend on T (chatter.md 2.2). */

void
ballistic_stick(struct ballistic *motion, const bool *closed)
{
    assert(motion && motion->work);
    assert(closed || motion->model.m == 0);
    int count = projection_factor(motion, closed);
    projection_apply(motion, count, motion->y, motion->local.gap_offset);
    project_instant(motion, count, true);
    projection_apply(motion, count, motion->z, motion->local.rate_offset);
    project_instant(motion, count, false);
    if (motion->work->set.rank == motion->model.n)
        instant_rest(motion);
    motion->mode.n_persistent = 0;
    for (int i = 0; i < motion->model.m; i++) {
        motion->mode.persistent[i] = closed[i];
        motion->mode.n_persistent += closed[i];
    }
    ballistic_sense(motion);
}

void
ballistic_steer(struct ballistic *motion, const bool *pushed,
                const double *rate)
{
    assert(motion && motion->work);
    assert((pushed && rate) || motion->model.m == 0);
    double *offset = motion->work->scratch.offset;
    int count = projection_factor(motion, pushed);
    for (int i = 0; i < motion->model.m; i++)
        offset[i] = motion->local.rate_offset[i] -
                    times2(rate[i], -motion->rate_exponent);
    projection_apply(motion, count, motion->z, offset);
    project_instant(motion, count, false);
    ballistic_sense(motion);
}

/* Returns the least value of g + u s + a s^2/2 for s in 0 .. T. */
static double
lowest(double g, double u, double a, double remaining)
{
    double least = fmin(g, g + (u + 0.5 * a * remaining) * remaining),
           s = -u / a;
    if (a > 0.0 && s > 0.0 && s < remaining)
        least = fmin(least, g + 0.5 * u * s);
    return least;
}

/* No impact of the factored contacts has met this one so far. Is its gap 0
 * wherever their gaps are 0, however the system moves? Where their impacts
 * repeat it then shrinks as they do, and is closed with them at the limit. */
static bool
follows(struct ballistic *motion, int count, int contact)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    double left = motion->matrices.W[contact * (contacts + 1)];
    for (int j = 0; j < contacts; j++)
        work->scratch.y[j] = motion->matrices.W[j * contacts + contact];
    projection_solve(motion, count, work->scratch.y);
    for (int j = 0; j < count; j++)
        left -= motion->matrices.W[contact * contacts + work->set.index[j]] *
                work->set.solution[j];
    if (left > dense_tolerance(contacts, contacts) *
                   motion->matrices.W[contact * (contacts + 1)])
        return false;
    /* its gap where the gaps of the group are 0 */
    const double *c = motion->model.c;
    double gap = c[contact], size = fabs(gap);
    projection_solve(motion, count, c);
    for (int j = 0; j < count; j++) {
        double d = motion->matrices.W[contact * contacts + work->set.index[j]] *
                   work->set.solution[j];
        gap -= d;
        size += fabs(d);
    }
    return fabs(gap) <= 16.0 * contacts * DBL_EPSILON * size;
}

/* Looks along the projected parabola, and adds a margin for what the gaps and
 * rates of the group do to the other contacts. */
bool
projection_others_stay_open(struct ballistic *motion, double remaining)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, others = 0;
    int count = projection_factor(motion, work->set.closed);
    for (int i = 0; i < contacts; i++) {
        work->scratch.known[i] =
            !work->set.closed[i] && follows(motion, count, i);
        others += !work->set.closed[i] && !work->scratch.known[i];
    }
    for (int i = 0; i < contacts; i++)
        work->set.closed[i] |= work->scratch.known[i];
    if (!others)
        return true;
    count = projection_factor(motion, work->set.closed);
    memset(work->scratch.offset, 0,
           (size_t)contacts * sizeof *work->scratch.offset);
    /* take them from the gaps, which are known more precisely than y */
    const double *part[] = {motion->gap, motion->rate, motion->local.gap_acc};
    double *left[] = {work->scratch.y, work->scratch.z, work->scratch.acc},
           unit[] = {1.0, remaining, 0.5 * remaining * remaining};
    for (int s = 0; s < 3; s++) {
        projection_solve(motion, count, part[s]);
        for (int i = 0; i < contacts; i++) {
            left[s][i] = part[s][i];
            for (int j = 0; j < count; j++) {
                double d =
                    motion->matrices.W[i * contacts + work->set.index[j]] *
                    work->set.solution[j];
                left[s][i] -= d;
                work->scratch.offset[i] += fabs(d) * unit[s];
            }
        }
    }
    for (int contact = 0; contact < contacts; contact++) {
        if (work->set.closed[contact])
            continue;
        double g = work->scratch.y[contact], u = work->scratch.z[contact],
               a = work->scratch.acc[contact];
        bool ahead = lowest(g, u, a, remaining) >
                     PROJECTION_CLEARANCE * work->scratch.offset[contact];
        /* the gap is closed within rounding, and opens */
        bool opens = g <= 0.0 &&
                     u * remaining >
                         PROJECTION_CLEARANCE * work->scratch.offset[contact] &&
                     lowest(0.0, u, a, remaining) >= 0.0;
        if (!ahead && !opens)
            return false;
    }
    return true;
}

/* The limit where all contacts are closed and their gaps can all be 0: nothing
 * of the motion is left. False: it is not so. */
static bool
take_all(struct ballistic *motion, double remaining)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    for (int i = 0; i < contacts; i++)
        if (!work->set.closed[i] || motion->local.gap_offset[i] != 0.0 ||
            motion->local.rate_offset[i] != 0.0)
            return false;
    ballistic_add_time(motion, times2(remaining, motion->length_exponent -
                                                     motion->rate_exponent));
    memset(motion->y, 0, (size_t)motion->matrices.rank * sizeof *motion->y);
    memset(motion->z, 0, (size_t)motion->matrices.rank * sizeof *motion->z);
    memset(motion->just_hit, 0, (size_t)contacts);
    memset(motion->event.impulse, 0,
           (size_t)contacts * sizeof *motion->event.impulse);
    memcpy(motion->mode.persistent, work->set.closed, (size_t)contacts);
    ballistic_sense(motion);
    bool loaded = false; /* closed contacts may carry a load that keeps
                          * everything still */
    for (int i = 0; i < contacts; i++)
        loaded |= motion->matrices.gap_acc[i] != 0.0;
    if (loaded || !work->flight.unaccelerated) {
        active_set_settle(motion);
        ballistic_rescale(motion);
        return true;
    }
    /* and nothing moves the system from there */
    motion->mode.n_persistent = contacts;
    memset(motion->mode.force, 0,
           (size_t)contacts * sizeof *motion->mode.force);
    memset(motion->greatest, 0, (size_t)contacts * sizeof *motion->greatest);
    work->units.low_rate = INFINITY;
    return true;
}

/* The limit where gaps depend on each other: each is projected by itself
 * (scratch.y and z, with the sizes of the terms in scratch.offset), and the
 * basis decides. set: of the closed contacts, factored. */
static void
take_each(struct ballistic *motion, double remaining)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    /* the closed contacts leave no motion that any contact feels */
    bool rest = work->set.rank == motion->matrices.rank;
    ballistic_add_time(motion, times2(remaining, motion->length_exponent -
                                                     motion->rate_exponent));
    for (int i = 0; i < contacts; i++) {
        bool closed = work->set.closed[i];
        motion->gap[i] = closed ? 0.0 : work->scratch.y[i];
        motion->rate[i] =
            closed || rest || work->scratch.calm[i] ? 0.0 : work->scratch.z[i];
        motion->greatest[i] =
            closed ? 0.0
                   : greater(motion->greatest[i], work->scratch.offset[i]);
    }
    for (int i = 0; i < contacts; i++)
        if (work->set.closed[i])
            motion->basis =
                contact_basis_enter(motion, motion->basis, i, motion->greatest);
    contact_basis_derive(motion);
    contact_basis_coordinates(motion);
}

void
projection_take_limit(struct ballistic *motion, double remaining)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    if (take_all(motion, remaining))
        return;
    int contacts = motion->model.m,
        count = projection_factor(motion, work->set.closed);
    for (int i = 0; i < contacts; i++) {
        work->scratch.y[i] =
            motion->gap[i] +
            (motion->rate[i] + 0.5 * motion->local.gap_acc[i] * remaining) *
                remaining;
        work->scratch.z[i] =
            motion->rate[i] + motion->local.gap_acc[i] * remaining;
    }
    double *part[] = {work->scratch.y, work->scratch.z};
    bool any = false;
    for (int which = 0; which < 2; which++) {
        projection_solve(motion, count, part[which]);
        for (int contact = 0; contact < contacts; contact++) {
            double size = fabs(part[which][contact]);
            for (int j = 0; j < count; j++) {
                double d = motion->matrices
                               .W[contact * contacts + work->set.index[j]] *
                           work->set.solution[j];
                part[which][contact] -= d;
                size += fabs(d);
            }
            /* the contact has no rate beside that of the group: set it to 0 */
            if (which == 0)
                work->scratch.offset[contact] = size;
            work->scratch.calm[contact] =
                fabs(part[which][contact]) <=
                BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size;
            any |= which == 1 && work->scratch.calm[contact] &&
                   !work->set.closed[contact];
        }
    }
    if (motion->basis) {
        take_each(motion, remaining);
    } else {
        ballistic_advance(motion, remaining);
        projection_apply(motion, count, motion->y, motion->local.gap_offset);
        projection_apply(
            motion, any ? projection_factor(motion, work->scratch.calm) : count,
            motion->z, motion->local.rate_offset);
    }
    memset(motion->just_hit, 0, (size_t)contacts);
    memset(motion->event.impulse, 0,
           (size_t)contacts * sizeof *motion->event.impulse);
    memcpy(motion->mode.persistent, work->set.closed, (size_t)contacts);
    if (!motion->basis)
        ballistic_sense(motion);
    active_set_settle(motion);
    motion->work->flight.coasts = false;
    ballistic_rescale(motion);
}
