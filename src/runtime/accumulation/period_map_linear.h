/* SPDX-License-Identifier: MIT */
/* The period map where nothing accelerates. Rates do not change between
 * impacts, and an impact changes them whatever the gaps are. So the map of a
 * period is linear in the rates u, its derivative has the blocks
 *     d g'/d g   d g'/d u
 *         0      d u'/d u
 * and each system of equations falls apart into one for the gaps and one for
 * the rates. For two or three contacts the eigenvalues other than 1 are roots
 * of a quadratic equation. Compiled by period_map_linear.c and
 * period_map_linear_avx2.c. */
#include <math.h>
#include <string.h>

#include "runtime/accumulation/period_map_priv.h"
#include "runtime/ballistic/coast_run.h"
#include "runtime/numerics/vec3.h"

/* -- one period -------------------------------------------------------------
 */

/* Tangents of one coordinate, a lane per contact of the group and one to
 * spare: those that begin with a gap (g) or a rate (u): of y, z, the time */
struct tangents {
    four yg[BALLISTIC_LANES], yu[BALLISTIC_LANES], z[BALLISTIC_LANES], tg, tu;
};

/* Returns F x of the tangents x: those of the gap or rate of one contact. */
LANES_INLINE four
seen(int rank, const double *F, const four *x)
{
    four s = four_of(F[0]) * x[0];
    for (int j = 1; j < rank; j++)
        s += four_of(F[j]) * x[j];
    return s;
}

/* The next flight and impact of the copy: are they those of contact c alone?
 * Gaps that are carried by themselves must say so, too. */
LANES_INLINE bool
strike(struct lanes_shape sh, struct lanes_state *state, int contact,
       struct lanes_step *step)
{
    uint64_t closed = 0;
    lanes_towards(sh, state, contact, step);
    for (int i = 0; i < sh.rows; i++) {
        lanes g = state->gap[i] + state->rate[i] * step->s;
        closed |= lanes_bits(g <= lanes_of(0.0)) << LANES * i;
    }
    if (!lanes_bits(step->go) || closed & step->others)
        return false;
    lanes_fly(sh, state, step);
    if (!lanes_bits(step->go))
        return false;
    lanes_impact(sh, state, step);
    return true;
}

/* Carries the tangents over the flight of time tau and the impact at contact c,
 * and the `rates` of y. Letters: F, H and y of ballistic.h. */
LANES_INLINE void
along(const struct ballistic *copy, int rank, int contact, double tau,
      double *rates, struct tangents *tangents)
{
    const double *F = copy->matrices.F + contact * rank,
                 *H = copy->matrices.H + contact * rank;
    double arrive = dot_of(rank, F, rates), back = -1.0 / arrive;
    double per_rate = -(1.0 + copy->model.e[contact]) /
                      copy->matrices.W[contact * (copy->model.m + 1)];
    for (int j = 0; j < rank; j++)
        tangents->yu[j] += tangents->z[j] * four_of(tau);
    four tg = seen(rank, F, tangents->yg) * four_of(back);
    four tu = seen(rank, F, tangents->yu) * four_of(back);
    four push = seen(rank, F, tangents->z) * four_of(per_rate);
    tangents->tg += tg;
    tangents->tu += tu;
    for (int j = 0; j < rank; j++) {
        tangents->yg[j] += four_of(rates[j]) * tg;
        tangents->yu[j] += four_of(rates[j]) * tu;
        tangents->z[j] += four_of(H[j]) * push;
        rates[j] += H[j] * (per_rate * arrive);
    }
}

LANES_INLINE void
begin(const struct period_map *map, int half, int rank,
      struct tangents *tangents)
{
    for (int j = 0; j < rank; j++) {
        memcpy(tangents->yg + j, map->seed.y + j * 2 * half,
               sizeof *tangents->yg);
        tangents->yu[j] = four_of(0.0);
        tangents->z[j] = tangents->yg[j];
    }
    tangents->tg = tangents->tu = four_of(0.0);
}

LANES_INLINE void
end(struct period_map *map, int half, int rank, const struct tangents *tangents)
{
    struct period_blocks *block = &map->block;
    const struct ballistic *copy = map->copy;
    for (int i = 0; i < half; i++) {
        int b = map->basis[i];
        four root = four_of(1.0 / copy->matrices.root[b]);
        const double *F = copy->matrices.F + b * rank;
        four g = seen(rank, F, tangents->yg) * root,
             u = seen(rank, F, tangents->yu) * root;
        four z = seen(rank, F, tangents->z) * root;
        memcpy(block->gg[i], &g, sizeof g);
        memcpy(block->gu[i], &u, sizeof u);
        memcpy(block->uu[i], &z, sizeof z);
    }
    memcpy(block->tg, &tangents->tg, sizeof block->tg);
    memcpy(block->tu, &tangents->tu, sizeof block->tu);
}

LANES_INLINE bool
follow(const struct ballistic *motion, struct period_map *map, int period,
       int half, int rank, int nv, bool direct)
{
    struct ballistic *copy = map->copy;
    const struct ballistic_workspace *work = motion->work;
    struct tangents tangents;
    const struct lanes_shape sh = {.layout = LANES_OF_CONTACTS,
                                   .m = motion->model.m,
                                   .rows = nv,
                                   .rank = rank,
                                   .direct = direct};
    struct lanes_state state;
    struct lanes_step step;
    int contact = -1;
    step.arrive = lanes_of(0.0);
    double rates[BALLISTIC_LANES], total = 0.0;
    int exponent = copy->length_exponent - copy->rate_exponent -
                   (map->length_exponent - map->rate_exponent);
    begin(map, half, rank, &tangents);
    for (int j = 0; j < rank; j++)
        rates[j] = times2(copy->z[j], copy->rate_exponent - map->rate_exponent);
    period_map_coordinates(map, map->followed.before);
    lanes_load_state(sh, &state, copy);
    for (int i = period; i > 0; i--) {
        unsigned long was = work->history.n - (unsigned long)i;
        contact = work->history.entry[was % HISTORY_KEPT].contact;
        if (!strike(sh, &state, contact, &step))
            return false;
        double tau = times2(step.s[0], exponent);
        total += tau;
        along(copy, rank, contact, tau, rates, &tangents);
    }
    double arrive = step.arrive[0];
    lanes_store_state(sh, &state, copy);
    ballistic_coasted(copy, contact, arrive, period);
    if (-arrive < copy->work->units.low_rate)
        ballistic_rescale(copy);
    period_map_coordinates(map, map->followed.after);
    end(map, half, rank, &tangents);
    map->followed.tau = total;
    return total > 0.0;
}

LANES_INLINE bool
follow_any(const struct ballistic *motion, struct period_map *map, int period)
{
    int contacts = motion->model.m, half = map->n / 2, rank = map->rank,
        nv = (contacts + LANES - 1) / LANES;
    bool direct = motion->matrices.direct;
    if (direct && half == 3 && rank == 3)
        return follow(motion, map, period, 3, 3, 4 / LANES, true);
    if (half == 3 && rank == 3 && contacts == 4)
        return follow(motion, map, period, 3, 3, 4 / LANES, false);
    return follow(motion, map, period, half, rank, nv, direct);
}

/* -- what it says -----------------------------------------------------------
 */

/* a block of D, the direction t of its scale, and a right side r */
struct block {
    double D[MAP_LINEAR_RANK][MAP_LINEAR_RANK], t[MAP_LINEAR_RANK],
        r[MAP_LINEAR_RANK];
};

/* Gives h - 1 directions at right angles to t. */
LANES_INLINE void
across(int half, const double *t, double p[][MAP_LINEAR_RANK])
{
    if (half == 2) {
        p[0][0] = -t[1];
        p[0][1] = t[0];
    } else if (half == 3) {
        double axis[3] = {0.0, 0.0, 0.0};
        int i = fabs(t[1]) < fabs(t[0]) ? 1 : 0;
        axis[fabs(t[2]) < fabs(t[i]) ? 2 : i] = 1.0;
        vec3_cross(t, axis, p[0]);
        vec3_cross(t, p[0], p[1]);
    }
}

/* The eigenvalues of D other than that of the scale: mean +- sqrt(disc), or the
 * mean alone; radius: their greatest modulus. */
struct others {
    double mean, disc, radius;
};

/* Solves (I - D) x + t e = r, x at right angles to t; x[rows] = e. The
 * equations across t come first, without e. Letters: p the directions across t,
 * q = (I - D) p, m = p^T q, s = p^T r, f = m^-1 s, and x = sum of f p. others:
 * the eigenvalues of D across t, that is of (I - t t^T/t^2) D, in the same
 * directions. */
LANES_INLINE bool
to_fixed(int rows, const struct block *block, double *x, struct others *others)
{
    double p[2][MAP_LINEAR_RANK] = {{0.0}}, q[2][MAP_LINEAR_RANK], m[2][2],
           s[2];
    double f[2] = {0.0, 0.0}, left[MAP_LINEAR_RANK];
    across(rows, block->t, p);
    for (int k = 0; k < rows - 1; k++)
        for (int i = 0; i < rows; i++)
            q[k][i] = p[k][i] - dot_of(rows, block->D[i], p[k]);
    for (int k = 0; k < rows - 1; k++) {
        s[k] = dot_of(rows, p[k], block->r);
        for (int j = 0; j < rows - 1; j++)
            m[k][j] = dot_of(rows, p[k], q[j]);
    }
    *others = (struct others){0.0, 0.0, 0.0};
    if (rows == 2) {
        f[0] = s[0] / m[0][0];
        others->mean = 1.0 - m[0][0] / dot_of(2, p[0], p[0]);
        others->radius = fabs(others->mean);
    } else if (rows == 3) {
        double rd = 1.0 / (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
        f[0] = (s[0] * m[1][1] - m[0][1] * s[1]) * rd;
        f[1] = (m[0][0] * s[1] - s[0] * m[1][0]) * rd;
        /* p[1] is the cross product of t and p[0] */
        double r0 = 1.0 / dot_of(3, p[0], p[0]);
        double r1 = r0 / dot_of(3, block->t, block->t);
        double d0 = 1.0 - m[0][0] * r0, d1 = 1.0 - m[1][1] * r1;
        double half = 0.5 * (d0 - d1), off = m[0][1] * r0 * (m[1][0] * r1);
        others->mean = 0.5 * (d0 + d1);
        others->disc = half * half + off;
        others->radius = others->disc < 0.0
                             ? sqrt(d0 * d1 - off)
                             : fabs(others->mean) + sqrt(others->disc);
    }
    for (int i = 0; i < rows; i++) {
        x[i] = 0.0;
        left[i] = block->r[i];
        for (int k = 0; k < rows - 1; k++) {
            x[i] += f[k] * p[k][i];
            left[i] -= f[k] * q[k][i];
        }
    }
    x[rows] = dot_of(rows, block->t, left) / dot_of(rows, block->t, block->t);
    return isfinite(x[rows]);
}

/* Solves (I - l D^T) x = r by the minors. Letters: l the ratio, c the columns
 * of I - l D, n their cross products. */
LANES_INLINE bool
transposed(int half, const struct block *block, double ratio, const double *r,
           double *x)
{
    double c[MAP_LINEAR_RANK][MAP_LINEAR_RANK] = {{0}}, n[3][3], det;
    for (int i = 0; i < half; i++)
        for (int j = 0; j < half; j++)
            c[j][i] = (i == j) - ratio * block->D[i][j];
    if (half == 3) {
        vec3_cross(c[1], c[2], n[0]);
        vec3_cross(c[2], c[0], n[1]);
        vec3_cross(c[0], c[1], n[2]);
        det = dot_of(3, c[0], n[0]);
    } else if (half == 2) {
        n[0][0] = c[1][1];
        n[0][1] = -c[1][0];
        n[1][0] = -c[0][1];
        n[1][1] = c[0][0];
        det = dot_of(2, c[0], n[0]);
    } else {
        n[0][0] = 1.0;
        det = c[0][0];
    }
    double rd = 1.0 / det;
    for (int i = 0; i < half; i++) {
        double sum = 0.0;
        for (int j = 0; j < half; j++)
            sum += r[j] * n[j][i];
        x[i] = sum * rd;
    }
    return det != 0.0;
}

LANES_INLINE double
norm(int n, const double *x)
{
    return sqrt(dot_of(n, x, x));
}

LANES_INLINE bool
read(struct period_map *map, int half, struct reading *reading)
{
    const struct period_followed *followed = &map->followed;
    struct block gaps, rates;
    struct others kg, ku;
    double gu[MAP_LINEAR_RANK][MAP_LINEAR_RANK], right_side[MAP_LINEAR_RANK],
        tg[MAP_LINEAR_RANK + 1], tu[MAP_LINEAR_RANK + 1],
        xg[MAP_LINEAR_RANK + 1], xu[MAP_LINEAR_RANK + 1];
    double rate_unit = norm(half, followed->before + half),
           gap_unit = rate_unit * followed->tau;
    double U1 = norm(half, followed->after + half),
           G0 = norm(half, followed->before), G1 = norm(half, followed->after);
    if (!(rate_unit > 0.0) || !(U1 > 0.0) || !(G0 > 0.0) || !(G1 > 0.0))
        return false;
    double rate_fall = U1 / rate_unit, gap_fall = G1 / G0,
           ratio = gap_fall / rate_fall, ra = 1.0 / gap_fall,
           rb = 1.0 / rate_fall;
    double rG = 1.0 / gap_unit, rU = 1.0 / rate_unit,
           mixed = rate_unit * rG * ra;
    if (!(ratio < 1.0) || !(gap_fall < 1.0))
        return false;
    for (int i = 0; i < half; i++) {
        gaps.r[i] = (followed->after[i] * ra - followed->before[i]) * rG;
        rates.r[i] =
            (followed->after[half + i] * rb - followed->before[half + i]) * rU;
        gaps.t[i] = followed->before[i] * rG;
        rates.t[i] = followed->before[half + i] * rU;
        for (int column = 0; column < half; column++) {
            gaps.D[i][column] = map->block.gg[i][column] * ra;
            gu[i][column] = map->block.gu[i][column] * mixed;
            rates.D[i][column] = map->block.uu[i][column] * rb;
        }
    }
    double rg[MAP_LINEAR_RANK], ru[MAP_LINEAR_RANK];
    memcpy(rg, gaps.r, sizeof rg);
    memcpy(ru, rates.r, sizeof ru);
    /* solve r = sum of e t - (D - I) d, d orthogonal to the directions t */
    if (!to_fixed(half, &rates, xu, &ku))
        return false;
    for (int i = 0; i < half; i++)
        gaps.r[i] += dot_of(half, gu[i], xu);
    if (!to_fixed(half, &gaps, xg, &kg))
        return false;
    memcpy(map->scratch.c, xg, (size_t)half * sizeof *xg);
    memcpy(map->scratch.c + half, xu, (size_t)half * sizeof *xu);
    reading->distance = sqrt(dot_of(half, xg, xg) + dot_of(half, xu, xu));
    reading->contraction = greater(kg.radius, ku.radius);
    if (!(reading->distance < MAP_FAR) || !(reading->contraction < 1.0))
        return false;
    /* solve DT (I - l D) = D tau */
    for (int i = 0; i < half; i++)
        right_side[i] = map->block.tg[i] * gap_unit;
    if (!transposed(half, &gaps, ratio, right_side, tg))
        return false;
    for (int i = 0; i < half; i++) {
        right_side[i] = map->block.tu[i] * rate_unit;
        for (int column = 0; column < half; column++)
            right_side[i] += ratio * gu[column][i] * tg[column];
    }
    if (!transposed(half, &rates, ratio, right_side, tu))
        return false;
    reading->remaining = (followed->tau + ratio * (dot_of(half, tg, rg) +
                                                   dot_of(half, tu, ru))) /
                         (1.0 - ratio);
    reading->rate_ratio = reading->speed = rate_fall * exp(xu[half]);
    reading->gap_ratio = gap_fall * exp(xg[half]);
    reading->ratio = reading->gap_ratio / reading->rate_ratio;
    reading->gap_unit = gap_unit;
    reading->rate_unit = rate_unit;
    return isfinite(reading->remaining) && reading->remaining > 0.0 &&
           reading->ratio > 0.0 && reading->ratio < 1.0;
}

LANES_INLINE bool
read_any(struct period_map *map, struct reading *out)
{
    int half = map->n / 2;
    return half == 3   ? read(map, 3, out)
           : half == 2 ? read(map, 2, out)
                       : read(map, half, out);
}
