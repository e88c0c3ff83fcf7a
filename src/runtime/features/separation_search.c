/* SPDX-License-Identifier: MIT */
/* The direction in which two smooth bodies are separated best
 * (separation_search.h). One ascent finds it while the bodies are apart,
 * because the separation has one maximum then. In a deep overlap it has
 * several, and the ascents start from many directions. */
#include <assert.h>
#include <math.h>

#include "runtime/features/direction_spread.h"
#include "runtime/features/separation_search.h"

/* How well (rad) the direction is found before Newton's method takes over. That
 * method converges quadratically, and one step of it costs half as much as a
 * step of the ascent. */
#define SEARCH_COARSE 3e-2

enum support_fault
separation_search(struct support_pair *pair)
{
    assert(pair != NULL && pair->length > 0.0);
    double direction[3];
    int flat = pair->b[0].flat ? 0 : pair->b[1].flat ? 1 : -1;
    pair->have[0] = pair->have[1] = false;
    if (flat >= 0) {
        struct support_point point;
        double zero[3] = {0.0, 0.0, 0.0}, g[3];
        if (pair->b[1 - flat].flat)
            return SUPPORT_FLAT;
        enum support_fault fault = support_level(&pair->b[flat], zero, &point);
        if (fault != SUPPORT_FINE || !(point.norm > 0.0))
            return fault != SUPPORT_FINE ? fault : SUPPORT_NO_ROOT;
        support_rotate(&pair->b[flat], point.g, g);
        for (int i = 0; i < 3; i++)
            direction[i] = (flat == 0 ? 1.0 : -1.0) * g[i] / point.norm;
        return support_separation(pair, direction);
    }
    for (int i = 0; i < 3; i++)
        direction[i] = pair->b[1].c[i] - pair->b[0].c[i];
    /* lengths whose squares have no number have a direction, too */
    for (int i = 0; i < 3 && isinf(vec3_norm(direction)); i++)
        for (int k = 0; k < 3; k++)
            direction[k] *= 0x1p-300;
    if (!(vec3_normalise(direction) > 0.0))
        direction[0] = 1.0;
    enum support_fault found = support_separation(pair, direction);
    return found == SUPPORT_FINE
               ? support_separation_maximise(pair, SEARCH_COARSE, 60)
               : found;
}

/* If the support points for one direction are P and Q, then w = Q - P bounds
 * the separation for every direction m: sigma(m) <= w.m. This is the greatest
 * value of the bound over all directions within `angle` (rad) of the unit
 * vector m.
 */
static double
bound_near(const double w[3], const double m[3], double angle)
{
    double along = vec3_dot(w, m), all = vec3_dot(w, w);
    double across = sqrt(fmax(all - along * along, 0.0));
    if (along > 0.0 && across <= along * tan(angle))
        return sqrt(all); /* The direction w lies in the cone itself. */
    return along * cos(angle) + across * sin(angle);
}

/* Sets w to the vector from the support point of the first body to that of the
 * second, in the world. */
static void
connect(const struct support_pair *pair, double w[3])
{
    double p[3], q[3];
    support_to_world(&pair->b[0], pair->p[0].x, p);
    support_to_world(&pair->b[1], pair->p[1].x, q);
    for (int i = 0; i < 3; i++)
        w[i] = q[i] - p[i];
}

void
separation_search_all(struct support_pair *best)
{
    enum { PLANE = 16, SPACE = 26 };
    int d = best->b[0].d, many = d == 2 ? PLANE : SPACE, known = 1;
    /* every direction is nearer than this (rad) to one of the spread */
    double angle = d == 2 ? 3.2 / PLANE : 0.54, bridge[SPACE + 1][3];
    assert(best->have[0] && best->have[1]);
    connect(best, bridge[0]);
    for (int i = 0; i < many; i++) {
        struct support_pair pair = *best;
        double n[3], least = best->sigma + 1e-9 * best->length;
        bool hopeless = false;
        direction_of_spread(d, i, many, n);
        for (int k = 0; k < known && !hopeless; k++)
            hopeless = bound_near(bridge[k], n, angle) < least;
        pair.have[0] = pair.have[1] = false;
        if (hopeless || support_separation(&pair, n) != SUPPORT_FINE)
            continue;
        connect(&pair, bridge[known++]);
        if (bound_near(bridge[known - 1], n, angle) >= least &&
            support_separation_maximise(&pair, 1e-5, 40) == SUPPORT_FINE &&
            pair.sigma > least)
            *best = pair;
    }
}
