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

/* F x of the tangents x: those of the gap or rate of one contact */
LANES_INLINE four
seen(int r, const double *F, const four *x)
{
    four s = four_of(F[0]) * x[0];
    for (int j = 1; j < r; j++)
        s += four_of(F[j]) * x[j];
    return s;
}

/* The next flight and impact of the copy: are they those of contact c alone?
 * Gaps that are carried by themselves must say so, too. */
LANES_INLINE bool
strike(struct lanes_shape sh, struct lanes_state *state, int c,
       struct lanes_step *step)
{
    uint64_t closed = 0;
    lanes_towards(sh, state, c, step);
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

/* carries the tangents over the flight of time tau and the impact at contact c,
 * and the rates z */
LANES_INLINE void
along(const struct ballistic *copy, int r, int c, double tau, double *z,
      struct tangents *d)
{
    const double *F = copy->matrices.F + c * r, *H = copy->matrices.H + c * r;
    double arrive = dot_of(r, F, z), back = -1.0 / arrive;
    double p =
        -(1.0 + copy->model.e[c]) / copy->matrices.W[c * (copy->model.m + 1)];
    for (int j = 0; j < r; j++)
        d->yu[j] += d->z[j] * four_of(tau);
    four tg = seen(r, F, d->yg) * four_of(back);
    four tu = seen(r, F, d->yu) * four_of(back);
    four push = seen(r, F, d->z) * four_of(p);
    d->tg += tg;
    d->tu += tu;
    for (int j = 0; j < r; j++) {
        d->yg[j] += four_of(z[j]) * tg;
        d->yu[j] += four_of(z[j]) * tu;
        d->z[j] += four_of(H[j]) * push;
        z[j] += H[j] * (p * arrive);
    }
}

LANES_INLINE void
begin(const struct period_map *map, int h, int r, struct tangents *d)
{
    for (int j = 0; j < r; j++) {
        memcpy(d->yg + j, map->seed_y + j * 2 * h, sizeof *d->yg);
        d->yu[j] = four_of(0.0);
        d->z[j] = d->yg[j];
    }
    d->tg = d->tu = four_of(0.0);
}

LANES_INLINE void
end(struct period_map *map, int h, int r, const struct tangents *d)
{
    const struct ballistic *copy = map->copy;
    for (int i = 0; i < h; i++) {
        int b = map->basis[i];
        four root = four_of(1.0 / copy->matrices.root[b]);
        const double *F = copy->matrices.F + b * r;
        four g = seen(r, F, d->yg) * root, u = seen(r, F, d->yu) * root;
        four z = seen(r, F, d->z) * root;
        memcpy(map->gg[i], &g, sizeof g);
        memcpy(map->gu[i], &u, sizeof u);
        memcpy(map->uu[i], &z, sizeof z);
    }
    memcpy(map->tg, &d->tg, sizeof map->tg);
    memcpy(map->tu, &d->tu, sizeof map->tu);
}

LANES_INLINE bool
follow(const struct ballistic *motion, struct period_map *map, int period,
       int h, int r, int nv, bool direct)
{
    struct ballistic *copy = map->copy;
    const struct ballistic_workspace *work = motion->work;
    struct tangents d;
    const struct lanes_shape sh = {LANES_OF_CONTACTS, motion->model.m, nv, r,
                                   direct};
    struct lanes_state state;
    struct lanes_step step;
    int c = -1;
    step.arrive = lanes_of(0.0);
    double z[BALLISTIC_LANES], total = 0.0;
    int exponent = copy->length_exponent - copy->rate_exponent -
                   (map->length_exponent - map->rate_exponent);
    begin(map, h, r, &d);
    for (int j = 0; j < r; j++)
        z[j] = times2(copy->z[j], copy->rate_exponent - map->rate_exponent);
    period_map_coordinates(map, map->before);
    lanes_load_state(sh, &state, copy);
    for (int i = period; i > 0; i--) {
        unsigned long was = work->history.n - (unsigned long)i;
        c = work->history.entry[was % HISTORY_KEPT].contact;
        if (!strike(sh, &state, c, &step))
            return false;
        double tau = times2(step.s[0], exponent);
        total += tau;
        along(copy, r, c, tau, z, &d);
    }
    double arrive = step.arrive[0];
    lanes_store_state(sh, &state, copy);
    ballistic_coasted(copy, c, arrive, period);
    if (-arrive < copy->work->units.low_rate)
        ballistic_rescale(copy);
    period_map_coordinates(map, map->after);
    end(map, h, r, &d);
    map->tau = total;
    return total > 0.0;
}

LANES_INLINE bool
follow_any(const struct ballistic *motion, struct period_map *map, int period)
{
    int m = motion->model.m, h = map->n / 2, r = map->rank,
        nv = (m + LANES - 1) / LANES;
    bool direct = motion->matrices.direct;
    if (direct && h == 3 && r == 3)
        return follow(motion, map, period, 3, 3, 4 / LANES, true);
    if (h == 3 && r == 3 && m == 4)
        return follow(motion, map, period, 3, 3, 4 / LANES, false);
    return follow(motion, map, period, h, r, nv, direct);
}

/* -- what it says -----------------------------------------------------------
 */

/* a block of D, the direction t of its scale, and a right side r */
struct block {
    double D[MAP_LINEAR_RANK][MAP_LINEAR_RANK], t[MAP_LINEAR_RANK],
        r[MAP_LINEAR_RANK];
};

/* h - 1 directions at right angles to t */
LANES_INLINE void
across(int h, const double *t, double p[][MAP_LINEAR_RANK])
{
    if (h == 2) {
        p[0][0] = -t[1];
        p[0][1] = t[0];
    } else if (h == 3) {
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

/* Solves (I - D) x + t e = r, x at right angles to t; x[h] = e. The equations
 * across t come first, without e. o: the eigenvalues of D across t, that is of
 * (I - t t^T/t^2) D, in the same directions. */
LANES_INLINE bool
to_fixed(int h, const struct block *b, double *x, struct others *o)
{
    double p[2][MAP_LINEAR_RANK] = {{0.0}}, q[2][MAP_LINEAR_RANK], m[2][2],
           s[2];
    double f[2] = {0.0, 0.0}, left[MAP_LINEAR_RANK];
    across(h, b->t, p);
    for (int k = 0; k < h - 1; k++)
        for (int i = 0; i < h; i++)
            q[k][i] = p[k][i] - dot_of(h, b->D[i], p[k]);
    for (int k = 0; k < h - 1; k++) {
        s[k] = dot_of(h, p[k], b->r);
        for (int j = 0; j < h - 1; j++)
            m[k][j] = dot_of(h, p[k], q[j]);
    }
    *o = (struct others){0.0, 0.0, 0.0};
    if (h == 2) {
        f[0] = s[0] / m[0][0];
        o->mean = 1.0 - m[0][0] / dot_of(2, p[0], p[0]);
        o->radius = fabs(o->mean);
    } else if (h == 3) {
        double rd = 1.0 / (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
        f[0] = (s[0] * m[1][1] - m[0][1] * s[1]) * rd;
        f[1] = (m[0][0] * s[1] - s[0] * m[1][0]) * rd;
        /* p[1] is the cross product of t and p[0] */
        double r0 = 1.0 / dot_of(3, p[0], p[0]);
        double r1 = r0 / dot_of(3, b->t, b->t);
        double d0 = 1.0 - m[0][0] * r0, d1 = 1.0 - m[1][1] * r1;
        double half = 0.5 * (d0 - d1), off = m[0][1] * r0 * (m[1][0] * r1);
        o->mean = 0.5 * (d0 + d1);
        o->disc = half * half + off;
        o->radius =
            o->disc < 0.0 ? sqrt(d0 * d1 - off) : fabs(o->mean) + sqrt(o->disc);
    }
    for (int i = 0; i < h; i++) {
        x[i] = 0.0;
        left[i] = b->r[i];
        for (int k = 0; k < h - 1; k++) {
            x[i] += f[k] * p[k][i];
            left[i] -= f[k] * q[k][i];
        }
    }
    x[h] = dot_of(h, b->t, left) / dot_of(h, b->t, b->t);
    return isfinite(x[h]);
}

/* solves (I - l D^T) x = r by the minors */
LANES_INLINE bool
transposed(int h, const struct block *b, double l, const double *r, double *x)
{
    double c[MAP_LINEAR_RANK][MAP_LINEAR_RANK] = {{0}}, n[3][3],
           det; /* columns of I - l D */
    for (int i = 0; i < h; i++)
        for (int j = 0; j < h; j++)
            c[j][i] = (i == j) - l * b->D[i][j];
    if (h == 3) {
        vec3_cross(c[1], c[2], n[0]);
        vec3_cross(c[2], c[0], n[1]);
        vec3_cross(c[0], c[1], n[2]);
        det = dot_of(3, c[0], n[0]);
    } else if (h == 2) {
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
    for (int i = 0; i < h; i++) {
        double sum = 0.0;
        for (int j = 0; j < h; j++)
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
read(struct period_map *map, int h, struct reading *reading)
{
    struct block g, u;
    struct others kg, ku;
    double gu[MAP_LINEAR_RANK][MAP_LINEAR_RANK], r[MAP_LINEAR_RANK],
        tg[MAP_LINEAR_RANK + 1], tu[MAP_LINEAR_RANK + 1],
        xg[MAP_LINEAR_RANK + 1], xu[MAP_LINEAR_RANK + 1];
    double U = norm(h, map->before + h), G = U * map->tau;
    double U1 = norm(h, map->after + h), G0 = norm(h, map->before),
           G1 = norm(h, map->after);
    if (!(U > 0.0) || !(U1 > 0.0) || !(G0 > 0.0) || !(G1 > 0.0))
        return false;
    double b = U1 / U, a = G1 / G0, l = a / b, ra = 1.0 / a, rb = 1.0 / b;
    double rG = 1.0 / G, rU = 1.0 / U, mixed = U * rG * ra;
    if (!(l < 1.0) || !(a < 1.0))
        return false;
    for (int i = 0; i < h; i++) {
        g.r[i] = (map->after[i] * ra - map->before[i]) * rG;
        u.r[i] = (map->after[h + i] * rb - map->before[h + i]) * rU;
        g.t[i] = map->before[i] * rG;
        u.t[i] = map->before[h + i] * rU;
        for (int c = 0; c < h; c++) {
            g.D[i][c] = map->gg[i][c] * ra;
            gu[i][c] = map->gu[i][c] * mixed;
            u.D[i][c] = map->uu[i][c] * rb;
        }
    }
    double rg[MAP_LINEAR_RANK], ru[MAP_LINEAR_RANK];
    memcpy(rg, g.r, sizeof rg);
    memcpy(ru, u.r, sizeof ru);
    /* solve r = sum of e t - (D - I) d, d orthogonal to the directions t */
    if (!to_fixed(h, &u, xu, &ku))
        return false;
    for (int i = 0; i < h; i++)
        g.r[i] += dot_of(h, gu[i], xu);
    if (!to_fixed(h, &g, xg, &kg))
        return false;
    memcpy(map->c, xg, (size_t)h * sizeof *xg);
    memcpy(map->c + h, xu, (size_t)h * sizeof *xu);
    reading->distance = sqrt(dot_of(h, xg, xg) + dot_of(h, xu, xu));
    reading->contraction = greater(kg.radius, ku.radius);
    if (!(reading->distance < MAP_FAR) || !(reading->contraction < 1.0))
        return false;
    /* solve DT (I - l D) = D tau */
    for (int i = 0; i < h; i++)
        r[i] = map->tg[i] * G;
    if (!transposed(h, &g, l, r, tg))
        return false;
    for (int i = 0; i < h; i++) {
        r[i] = map->tu[i] * U;
        for (int c = 0; c < h; c++)
            r[i] += l * gu[c][i] * tg[c];
    }
    if (!transposed(h, &u, l, r, tu))
        return false;
    reading->remaining =
        (map->tau + l * (dot_of(h, tg, rg) + dot_of(h, tu, ru))) / (1.0 - l);
    reading->rate_ratio = reading->speed = b * exp(xu[h]);
    reading->gap_ratio = a * exp(xg[h]);
    reading->ratio = reading->gap_ratio / reading->rate_ratio;
    reading->gap_unit = G;
    reading->rate_unit = U;
    return isfinite(reading->remaining) && reading->remaining > 0.0 &&
           reading->ratio > 0.0 && reading->ratio < 1.0;
}

LANES_INLINE bool
read_any(struct period_map *map, struct reading *out)
{
    int h = map->n / 2;
    return h == 3   ? read(map, 3, out)
           : h == 2 ? read(map, 2, out)
                    : read(map, h, out);
}
