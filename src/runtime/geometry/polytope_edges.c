/* SPDX-License-Identifier: MIT */
/* Edges of two polytopes that cross (polytope.h). */
#include <assert.h>
#include <math.h>

#include "runtime/geometry/polytope.h"
#include "runtime/numerics/vec3.h"

/* If the lines of two edges cross within this share of their lengths beside
 * the edges, the edges may come to cross. */
#define CROSSING_ASIDE 0.25

/* Does the place, measured along the edge from its beginning, lie on it or
 * little beside it? */
static bool
is_on(const struct polytope *polytope, const struct polytope_edge *edge,
      double place)
{
    double along[3];
    vec3_sub(polytope->vertex[edge->v[1]], polytope->vertex[edge->v[0]], along);
    double length = vec3_norm(along);
    return place > -CROSSING_ASIDE * length &&
           place < (1.0 + CROSSING_ASIDE) * length;
}

bool
polytope_edges_meet(const struct polytope *polytope,
                    const struct polytope *other, uint32_t of_one,
                    uint32_t of_other, const double centre[3],
                    const double turn[9], int *inward)
{
    assert(of_one < polytope->n_edge && of_other < other->n_edge);
    const struct polytope_edge *edge = polytope->edge + of_one,
                               *crossing = other->edge + of_other;
    const double *begin = polytope->vertex[edge->v[0]],
                 *far = other->vertex[crossing->v[0]];
    double dir[3], apart[3], across[3], lever[3], outside[2] = {0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        dir[i] = vec3_dot(turn + 3 * i, crossing->dir);
        apart[i] = vec3_dot(turn + 3 * i, far) + centre[i] - begin[i];
    }
    vec3_cross(edge->dir, dir, across);
    double across2 = vec3_dot(across, across), sine = sqrt(across2);
    if (!(across2 > POLYTOPE_PARALLEL * POLYTOPE_PARALLEL))
        return false;
    vec3_cross(apart, dir, lever);
    if (!is_on(polytope, edge, vec3_dot(lever, across) / across2))
        return false;
    vec3_cross(apart, edge->dir, lever);
    if (!is_on(other, crossing, vec3_dot(lever, across) / across2))
        return false;
    for (int i = 0; i < 3; i++)
        across[i] /= sine;
    for (int k = 0; k < 2; k++) {
        const double *face = other->face[crossing->face[k]].n;
        double turned[3];
        for (int i = 0; i < 3; i++)
            turned[i] = vec3_dot(turn + 3 * i, face);
        outside[0] += vec3_dot(across, polytope->face[edge->face[k]].n);
        outside[1] += vec3_dot(across, turned);
    }
    *inward = outside[0] < 0.0;
    return outside[0] * outside[1] < 0.0;
}
