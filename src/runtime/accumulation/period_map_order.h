/* SPDX-License-Identifier: MIT */
/* The fixed point of an order of single impacts, from the order alone;
 * period_map_linear.h finds it from the present state. Over a period the rates
 * change by u' = A u, whatever the gaps are. At an eigenvector of A all flights
 * are linear in the gaps, g' = B g. Eigenvectors of A and B together are a
 * motion that shrinks by the same factors in each period. It attracts motions
 * near it when the other eigenvalues of A and of B are less; it exists when the
 * flights from it come in this order. The time of the limit is not found: this
 * is for runs that ask only whether all contacts chatter to rest. Letters: A
 * and B as here, M either of them; y and z the coordinates of the gaps and
 * their rates (ballistic.h). */
#include "runtime/accumulation/period_map_linear.h"

/* Number of Newton steps to an eigenvector; the last step must be below this
 * share of the distance of the other eigenvalues from 1: the error that is left
 * is its square. */
#define ORDER_ROUNDS 8
#define ORDER_STEP 1e-3

/* an eigenvector of a matrix */
struct order_way {
    double x[MAP_LINEAR_RANK], value; /* of length 1, and its eigenvalue */
    struct others others;             /* the other eigenvalues over this one */
    double back[MAP_LINEAR_RANK]
               [MAP_LINEAR_RANK]; /* the matrix over this eigenvalue */
    double moved;                 /* square of the distance from the first guess
                                   */
};

/* Finds the eigenvector of the matrix M next to `from` by Newton's method.
 * False: there is none near. */
LANES_INLINE bool
order_way(int half, double M[][4], const double *from, struct order_way *found)
{
    double size = norm(half, from);
    if (!(size > 0.0))
        return false;
    for (int i = 0; i < half; i++)
        found->x[i] = from[i] / size;
    for (int round = 0; round < ORDER_ROUNDS; round++) {
        struct block block;
        double y[MAP_LINEAR_RANK], correction[MAP_LINEAR_RANK + 1];
        for (int i = 0; i < half; i++)
            y[i] = dot_of(half, M[i], found->x);
        found->value = norm(half, y);
        if (!(found->value > 0.0))
            return false;
        double back = 1.0 / found->value;
        for (int i = 0; i < half; i++) {
            block.t[i] = found->x[i];
            block.r[i] = y[i] * back - found->x[i];
            for (int column = 0; column < half; column++)
                block.D[i][column] = M[i][column] * back;
        }
        if (!to_fixed(half, &block, correction, &found->others))
            return false;
        double step = dot_of(half, correction, correction);
        double good = ORDER_STEP * (1.0 - found->others.radius);
        if (!(step < 1.0))
            return false;
        found->value += found->value * correction[half];
        double rl = 1.0 / sqrt(1.0 + step); /* the correction is at
                                             * right angles to x */
        for (int i = 0; i < half; i++)
            found->x[i] = (found->x[i] + correction[i]) * rl;
        if (!(step <= good * good))
            continue;
        memcpy(found->back, block.D, sizeof found->back);
        found->moved = 0.0;
        for (int i = 0; i < half; i++) {
            double by = found->x[i] - from[i] / size;
            found->moved += by * by;
        }
        return true;
    }
    return false;
}

/* Another eigenvalue of M is greater: if it is real and positive, finds the
 * eigenvector that takes over from `from`, with its sign. False: none does. */
LANES_INLINE bool
order_greatest(int half, double M[][4], const double *from,
               struct order_way *found)
{
    double part[MAP_LINEAR_RANK], source[MAP_LINEAR_RANK], root;
    if (found->others.disc < 0.0 || found->others.mean < 0.0)
        return false;
    root = sqrt(found->others.disc);
    for (int i = 0; i < half;
         i++) /* removes the part of the least eigenvalue */
        part[i] = dot_of(half, found->back[i], from) -
                  (half == 3 ? found->others.mean - root : 0.0) * from[i];
    memcpy(source, half == 3 ? part : from, sizeof source);
    for (int i = 0; i < half; i++)
        part[i] = dot_of(half, found->back[i], source) -
                  source[i]; /* and that of this eigenvalue
                              */
    return order_way(half, M, part, found) && found->others.radius < 1.0;
}

/* Returns the contact of the entry that comes again i impacts from now. */
LANES_INLINE int
order_of(const struct ballistic *motion, int period, int i)
{
    const struct ballistic_workspace *work = motion->work;
    return work->history
        .entry[(work->history.n - (unsigned long)(period - i)) % HISTORY_KEPT]
        .contact;
}

/* Returns the impulse of a unit rate of contact c. */
LANES_INLINE double
order_push(const struct ballistic *motion, int contact)
{
    return -(1.0 + motion->model.e[contact]) /
           motion->matrices.W[contact * (motion->model.m + 1)];
}

/* Makes the matrix A of the rates. */
LANES_INLINE void
order_rates(const struct ballistic *motion, const struct period_map *map,
            int period, int half, double A[][4])
{
    four rates[MAP_LINEAR_RANK];
    for (int j = 0; j < half; j++)
        memcpy(rates + j, map->seed.y + j * 2 * half, sizeof *rates);
    for (int i = 0; i < period; i++) {
        int contact = order_of(motion, period, i);
        const double *H = motion->matrices.H + contact * half;
        four push = seen(half, motion->matrices.F + contact * half, rates) *
                    four_of(order_push(motion, contact));
        for (int j = 0; j < half; j++)
            rates[j] += four_of(H[j]) * push;
    }
    for (int i = 0; i < half; i++) {
        int b = map->basis[i];
        four row = seen(half, motion->matrices.F + b * half, rates) *
                   four_of(1.0 / motion->matrices.root[b]);
        memcpy(A[i], &row, sizeof row);
    }
}

/* Turns gaps or rates of the basis, in the metric of the masses, into y or z.
 */
LANES_INLINE void
order_from(const struct period_map *map, int half, const double *x, double *y)
{
    for (int j = 0; j < half; j++)
        y[j] = dot_of(half, map->seed.y + j * 2 * half, x);
}

/* The matrix B of the gaps for these rates of y. False: a contact of the
 * order does not close. */
LANES_INLINE bool
order_gaps(const struct ballistic *motion, const struct period_map *map,
           int period, int half, double *rates, double B[][4])
{
    four gaps[MAP_LINEAR_RANK];
    for (int j = 0; j < half; j++)
        memcpy(gaps + j, map->seed.y + j * 2 * half, sizeof *gaps);
    for (int i = 0; i < period; i++) {
        int contact = order_of(motion, period, i);
        const double *F = motion->matrices.F + contact * half,
                     *H = motion->matrices.H + contact * half;
        double arrive = dot_of(half, F, rates),
               push = order_push(motion, contact) * arrive;
        if (!(arrive < 0.0))
            return false;
        four t = seen(half, F, gaps) * four_of(-1.0 / arrive);
        for (int j = 0; j < half; j++) {
            gaps[j] += four_of(rates[j]) * t;
            rates[j] += H[j] * push;
        }
    }
    for (int i = 0; i < half; i++) {
        int b = map->basis[i];
        four row = seen(half, motion->matrices.F + b * half, gaps) *
                   four_of(1.0 / motion->matrices.root[b]);
        memcpy(B[i], &row, sizeof row);
    }
    return true;
}

/* Do the flights that begin with y and z come in this order? */
LANES_INLINE bool
order_comes(const struct ballistic *motion, int period, int half, int nv,
            double *y, double *z)
{
    uint64_t all = ~UINT64_C(0) >> (64 - motion->model.m);
    for (int i = 0; i < period; i++) {
        int contact = order_of(motion, period, i);
        const double *F = motion->matrices.F + contact * half,
                     *H = motion->matrices.H + contact * half;
        double arrive = dot_of(half, F, z),
               push = order_push(motion, contact) * arrive;
        double t = dot_of(half, F, y) / -arrive;
        if (!(arrive < 0.0) || !(t > 0.0))
            return false;
        lanes at[MAP_LINEAR_RANK];
        for (int j = 0; j < half; j++) {
            y[j] += z[j] * t;
            z[j] += H[j] * push;
            at[j] = lanes_of(y[j]);
        }
        lanes size = lanes_sizes(at, half);
        uint64_t shut = 0;
        for (int v = 0; v < nv; v++) {
            lanes full = size;
            if (!motion->matrices.direct)
                full *= lanes_row(motion->matrices.root, v);
            lanes g = lanes_from(&motion->matrices, half, at, v);
            shut |= lanes_bits(g <= BALLISTIC_CLOSED * full) << LANES * v;
        }
        if (shut & all & ~(UINT64_C(1) << contact))
            return false;
    }
    return true;
}

LANES_INLINE int
order(const struct ballistic *motion, const struct period_map *map, int period,
      int half, int nv, struct fixed_point *out)
{
    double M[MAP_LINEAR_RANK][4], guess[MAP_LINEAR_RANK], y[MAP_LINEAR_RANK],
        z[MAP_LINEAR_RANK];
    struct order_way rates, gaps;
    bool other = false;
    order_rates(motion, map, period, half, M);
    for (int i = 0; i < half; i++)
        guess[i] =
            motion->rate[map->basis[i]] / motion->matrices.root[map->basis[i]];
    if (!order_way(half, M, guess, &rates))
        return 0;
    if (!(rates.others.radius < 1.0))
        return rates.others.disc < 0.0 || rates.others.mean < 0.0 ? -1 : 0;
    order_from(map, half, rates.x, z);
    if (!order_gaps(motion, map, period, half, z, M))
        return -1;
    for (int i = 0; i < half; i++)
        guess[i] =
            motion->gap[map->basis[i]] / motion->matrices.root[map->basis[i]];
    if (!order_way(half, M, guess, &gaps))
        return 0;
    if (!(gaps.others.radius < 1.0)) {
        other = true;
        if (!order_greatest(half, M, guess, &gaps))
            return -1;
    }
    if (!(gaps.value < rates.value))
        return -1;
    order_from(map, half, rates.x, z);
    order_from(map, half, gaps.x, y);
    if (!order_comes(motion, period, half, nv, y, z))
        return other ? -1 : 0;
    memcpy(y, motion->y, (size_t)half * sizeof *y);
    memcpy(z, motion->z, (size_t)half * sizeof *z);
    out->ratio = gaps.value / rates.value;
    out->rate_ratio = rates.value;
    out->contraction = greater(rates.others.radius, gaps.others.radius);
    out->error_fall = out->contraction * out->contraction;
    /* The gaps of one order are a convex cone: all gaps between two of them lie
     * in it. */
    double moved = rates.moved + (other ? 0.0 : gaps.moved);
    return moved < MAP_FAR * MAP_FAR &&
           order_comes(motion, period, half, nv, y, z);
}

LANES_INLINE int
order_any(const struct ballistic *motion, const struct period_map *map,
          int period, struct fixed_point *out)
{
    int contacts = motion->model.m, half = map->n / 2,
        nv = (contacts + LANES - 1) / LANES;
    if (half == 3 && contacts <= 4)
        return order(motion, map, period, 3, 4 / LANES, out);
    if (half == 2 && contacts <= 4)
        return order(motion, map, period, 2, 4 / LANES, out);
    return order(motion, map, period, half, nv, out);
}
