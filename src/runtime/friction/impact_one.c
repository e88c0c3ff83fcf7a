/* SPDX-License-Identifier: MIT */
/* The impact at one point with friction (specification painleve.md, 4): the
 * impulse process d(u, v)/dI = (B + A T/N, C + B T/N) is a path of at most two
 * straight pieces, before and after the slip first comes to 0. Compression ends
 * where v = 0; restitution ends by the law. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/friction/friction.h"

/* A velocity after an own law that is below so many roundings of its terms is
 * 0.
 */
#define OWN_ROUNDING 16.0

/* A piece of the path: rates per unit of normal impulse. */
struct piece {
    double slip, normal; /* of u and v */
    double tangential;   /* of the tangential impulse */
    bool stick;
};

static struct piece
slipping(double A, double B, double C, double mu, double sign)
{
    return (struct piece){B - sign * mu * A, C - sign * mu * B, -sign * mu,
                          false};
}

/* Returns the piece that begins where the slip is 0. */
static struct piece
from_rest(double A, double B, double C, double mu)
{
    if (fabs(B) > mu * A)
        return slipping(A, B, C, mu, B > 0.0 ? 1.0 : -1.0);
    double ratio = A > 0.0 ? B / A : 0.0;
    return (struct piece){0.0, C - ratio * B, -ratio, true};
}

/* What the process has done so far. */
struct process {
    double impulse, slip, normal, tangential;
    double work; /* of the normal impulse since the phase began */
};

/* Moves along a piece by the normal impulse I. */
static void
move(struct process *at, const struct piece *piece, double I)
{
    double v = at->normal + piece->normal * I;
    at->work += 0.5 * (at->normal + v) * I;
    at->normal = v;
    at->slip = piece->stick ? 0.0 : at->slip + piece->slip * I;
    at->tangential += piece->tangential * I;
    at->impulse += I;
}

/* The impulse after which a phase on this piece ends; INFINITY: never. `goal`
 * is a normal velocity, an impulse or a work, by the law. */
static double
to_velocity(const struct process *at, const struct piece *piece, double goal)
{
    double I = (goal - at->normal) / piece->normal;
    return piece->normal > 0.0 && I >= 0.0 ? I : INFINITY;
}

/* Returns the impulse at which the work still to be done along a piece is done:
 * v I + p I^2/2 = left, v >= 0. */
static double
to_work(const struct process *at, const struct piece *piece, double goal)
{
    double left = goal - at->work, v = at->normal, p = piece->normal;
    double root = v * v + 2.0 * p * left;
    if (left <= 0.0)
        return 0.0;
    return root >= 0.0 && v + sqrt(root) > 0.0 ? 2.0 * left / (v + sqrt(root))
                                               : INFINITY;
}

static double
phase_end(const struct process *at, const struct piece *piece,
          enum friction_law law, double goal)
{
    switch (law) {
    case FRICTION_NEWTON:
        return to_velocity(at, piece, goal);
    case FRICTION_POISSON:
        return fmax(0.0, goal - at->impulse);
    case FRICTION_ENERGETIC:
        break;
    }
    return to_work(at, piece, goal);
}

/* Follows the path to the end of a phase. *reach: the impulse that is left on
 * the first piece; *second: the slip has come to 0. */
static void
follow(struct process *at, const struct piece piece[2], double *reach,
       bool *second, enum friction_law law, double goal)
{
    if (!*second) {
        double I = phase_end(at, &piece[0], law, goal);
        if (I <= *reach) {
            move(at, &piece[0], I);
            *reach -= I;
            return;
        }
        move(at, &piece[0], *reach);
        at->slip = 0.0;
        *second = true;
    }
    double I = phase_end(at, &piece[1], law, goal);
    move(at, &piece[1], isfinite(I) ? I : 0.0);
}

/* Returns the region, 1 to 10; even ones begin with slip < 0. */
static int
region_of(double sign, bool first, bool second, bool stick)
{
    int odd = !second ? 1 : stick ? (first ? 5 : 3) : (first ? 9 : 7);
    return odd + (sign < 0.0);
}

/* The impact by a law of the user's own. What it fails to say is no impulse:
 * the run ends by its diagnostic. */
static void
own_law(double A, double B, double C, const struct friction_impact_point *point,
        struct friction_impact *out)
{
    double argument[7] = {
        -point->normal, point->slip, point->e, point->mu, A, B, C};
    double P[2];
    if (!point->own->impulse(point->own->context, point->contact, argument, P))
        return;
    out->normal[0] = P[0];
    out->tangential = P[1];
    out->after[0] = point->normal + C * P[0] + B * P[1];
    out->after[1] = point->slip + B * P[0] + A * P[1];
    /* what sticks or stays closed but for rounding does so */
    double terms[2] = {fabs(point->normal) + fabs(C * P[0]) + fabs(B * P[1]),
                       fabs(point->slip) + fabs(B * P[0]) + fabs(A * P[1])};
    for (int i = 0; i < 2; i++) {
        if (fabs(out->after[i]) <= OWN_ROUNDING * DBL_EPSILON * terms[i])
            out->after[i] = 0.0;
        double before = i ? point->slip : point->normal;
        out->work[i] = 0.5 * P[i] * (before + out->after[i]);
    }
}

void
friction_impact_one(double A, double B, double C,
                    const struct friction_impact_point *point,
                    struct friction_impact *out)
{
    assert(point && out && C > 0.0 && A >= 0.0 && point->mu >= 0.0);
    double slip = point->slip, normal = point->normal, mu = point->mu,
           e = point->e;
    *out = (struct friction_impact){.after = {normal, slip}};
    if (!(normal < 0.0))
        return;
    if (point->own) {
        own_law(A, B, C, point, out);
        return;
    }
    struct piece rest = from_rest(A, B, C, mu);
    double sign = slip > 0.0 ? 1.0 : slip < 0.0 ? -1.0 : 0.0;
    double start = sign;
    if (sign == 0.0 && !rest.stick)
        start = rest.tangential < 0.0 ? 1.0 : -1.0;
    struct piece piece[2] = {slipping(A, B, C, mu, start), rest};
    double rate = -start * piece[0].slip;
    double reach = sign == 0.0  ? 0.0
                   : rate > 0.0 ? fabs(slip) / rate
                                : INFINITY;
    bool second = sign == 0.0;
    struct process at = {0.0, slip, normal, 0.0, 0.0};
    follow(&at, piece, &reach, &second, FRICTION_NEWTON, 0.0);
    bool in_compression = second;
    at.normal = 0.0;
    out->normal[0] = at.impulse;
    out->work[0] = at.work;
    double goal = point->law == FRICTION_NEWTON    ? -e * normal
                  : point->law == FRICTION_POISSON ? (1.0 + e) * at.impulse
                                                   : -e * e * at.work;
    at.work = 0.0;
    follow(&at, piece, &reach, &second, point->law, goal);
    if (point->law == FRICTION_NEWTON)
        at.normal = goal;
    out->normal[1] = at.impulse - out->normal[0];
    out->work[0] += at.work;
    out->tangential = at.tangential;
    out->after[0] = at.normal;
    out->after[1] = at.slip;
    out->region = region_of(start, in_compression, second, rest.stick);
    if (sign == 0.0 && !rest.stick) /* slips from the beginning */
        out->region = start > 0.0 ? 1 : 2;
    /* work of the tangential impulse: what is left of the change of energy,
     * P.(w + w')/2 over both rows */
    double energy = 0.5 * at.impulse * (normal + at.normal) +
                    0.5 * at.tangential * (slip + at.slip);
    out->work[1] = energy - out->work[0];
}
