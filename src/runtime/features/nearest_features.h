/* SPDX-License-Identifier: MIT */
/* Two convex polytopes in one frame, their nearest features (vertices, edges,
 * faces), and the gap of a pair of features as a time series.
 *
 * All coordinates are in the axes of body 0, about its mass centre (m). A
 * half-space is a polytope with one face and no vertex. */
#ifndef IMP_RUNTIME_FEATURES_NEAREST_FEATURES_H
#define IMP_RUNTIME_FEATURES_NEAREST_FEATURES_H

#include "runtime/geometry/polytope.h"
#include "runtime/numerics/taylor.h"

/* Directions nearer than this (rad) count as one. Features within a tolerance
 * of 1e-11 of the size, at least 1e-5 of the size long, leave the direction of
 * a plane open by 1e-6. */
#define TOUCH_SAME 1e-6

enum feature_kind {
    FEATURE_VERTEX,
    FEATURE_EDGE,
    FEATURE_FACE,
    FEATURE_SURFACE /* the surface of a smooth body */
};
struct feature_pair {
    unsigned char kind[2]; /* enum feature_kind, of body 0 and of body 1 */
    uint32_t index[2];
};
struct nearest_features {
    struct feature_pair pair;
    double gap;              /* m */
    double P[3], Q[3], n[3]; /* nearest points of body 0 and of body 1, and the
                                unit normal from body 0 to body 1 */
};

/* Body 1 seen from body 0: its point x is at c + R x. */
struct polytope_scene {
    int dim;
    const struct polytope *p[2];
    double c[3], R[9];  /* R by rows */
    double (*point)[3]; /* the vertices of body 1; the caller's memory */
    double size;        /* size of the coordinates, which rounding errors are
                           shares of */
};
/* Fills the vertices and the size from p, c, R. */
void polytope_scene_place(struct polytope_scene *scene);
/* The nearest features if the bodies are apart, else those of least depth.
 * first: a pair to try first, or NULL. The answer does not depend on it beyond
 * rounding. */
void nearest_features_find(const struct polytope_scene *scene,
                           const struct feature_pair *first,
                           struct nearest_features *out);
/* Separation along the unit vector n: how far body 1 lies beyond body 0. at:
 * the vertices that decide it (UINT32_MAX for a half-space). Minus infinity
 * where a half-space has another normal. */
double polytope_separation(const struct polytope_scene *scene,
                           const double n[3], uint32_t at[2]);
/* Do the arcs of normals of edge e0 of body 0 and of edge e1 of body 1 (turned
 * round) cross on the sphere of directions? Then `normal` is
 * their common normal. */
bool polytope_edges_cross(const struct polytope_scene *scene, uint32_t e0,
                          uint32_t e1, double normal[3]);
/* The first edges of body 1 in the axes of body 0, for whoever asks this of all
 * pairs. */
#define POLYTOPE_TURNED 32
struct polytope_turned {
    uint32_t n;
    struct polytope_turned_edge {
        double dir[3], n[2][3]; /* n: of its faces */
    } edge[POLYTOPE_TURNED];
};
void polytope_turn_edges(const struct polytope_scene *scene,
                         struct polytope_turned *out);
/* polytope_edges_cross, for edge e1 of any number. */
bool polytope_turned_cross(const struct polytope_scene *scene,
                           const struct polytope_turned *turned, uint32_t e0,
                           uint32_t e1, double normal[3]);
/* Returns the i-th neighbour of a vertex, i < at[vertex + 1] - at[vertex]. */
uint32_t polytope_neighbour(const struct polytope *polytope, uint32_t vertex,
                            uint32_t i);
/* Gives the points P, Q nearest to each other on the lines of two edges. */
void polytope_edge_points(const struct polytope_scene *scene, uint32_t e0,
                          uint32_t e1, double P[3], double Q[3]);

/* How long a pair of features decides the gap. Each condition is a series in m
 * that is above 0 while the pair is the nearest; where the least condition is
 * below 0, the gap is off by no more than that. */
struct feature_validity {
    int order;
    double horizon; /* conditions are followed up to this time; 0: not at all */
    double slack;   /* m; a condition fails where it is below -slack */
    double worst;   /* the least condition at the start */
    double first;   /* the time at which the first condition fails */
    bool overlap;   /* the bodies overlap: the pair gives the greatest
                       separation, and its points may lie outside the
                       features */
};
/* The gap of a pair of features while body 1 moves along the pose c, R, given
 * as series. False: the edges are parallel, or the features coincide. */
bool feature_gap_series(const struct polytope_scene *scene,
                        const struct feature_pair *pair,
                        const struct taylor c[3], const struct taylor R[9],
                        struct feature_validity *validity, struct taylor *gap);
/* Adds one more condition. */
void feature_validity_add(struct feature_validity *validity,
                          const struct taylor *condition);

#endif
