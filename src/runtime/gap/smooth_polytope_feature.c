/* SPDX-License-Identifier: MIT */
/* One feature of the polytope in a contact with a smooth body A
 * (smooth_polytope_priv.h): its numbers for the tapes of
 * mechanics/smooth_polytope.c, the conditions under which it is the nearest,
 * and the feature nearest to a given point.
 *
 * A, with normal n at its nearest point, is nearest to
 *
 *   - a vertex if and only if -n lies in the cone of normals of the vertex:
 *     n.w >= 0 along all edges w that leave it;
 *   - an edge if and only if the foot lies between its ends and n.t >= 0 along
 *     both faces (t lies in the face, across the edge, inwards);
 *   - a face if and only if the foot lies inside all its sides.
 *
 * None of these conditions needs the distance, so they hold through a touch and
 * into a slight overlap. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/gap/smooth_polytope_priv.h"
#include "runtime/numerics/vec3.h"

void
smooth_polytope_get(struct rt *run, uint32_t contact,
                    struct smooth_polytope *pair)
{
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    double away[3], where = 0.0;
    memset(pair, 0, sizeof *pair);
    pair->r = run;
    pair->k = image_contact;
    pair->contact = contact;
    pair->d = (int)run->im->dim;
    support_body_get(run, image_contact->body[image_contact->smooth], &pair->A);
    support_body_get(run, image_contact->body[1 - image_contact->smooth],
                     &pair->b);
    pair->B = run->polytope[image_contact->body[1 - image_contact->smooth]];
    pair->length = support_length(&pair->A, &pair->b);
    for (int i = 0; i < 3; i++) {
        double axis[3] = {pair->A.R[0][i], pair->A.R[1][i], pair->A.R[2][i]},
               t[3];
        support_rotate_back(&pair->b, axis, t);
        for (int j = 0; j < 3; j++)
            pair->Q[j][i] = t[j];
        away[i] = pair->A.c[i] - pair->b.c[i];
        where = fmax(where, fmax(fabs(pair->A.c[i]), fabs(pair->b.c[i])));
    }
    support_rotate_back(&pair->b, away, pair->c);
    pair->past[0] = FEATURE_PAST;
    pair->past[1] =
        fmax(FEATURE_PAST * pair->length, 256.0 * DBL_EPSILON * where);
}

void
smooth_polytope_from_smooth(const struct smooth_polytope *pair,
                            const double x[3], double p[3])
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = x[i] - pair->A.centre[i];
    for (int i = 0; i < 3; i++)
        p[i] = pair->c[i] + vec3_dot(pair->Q[i], y);
}

void
smooth_polytope_turn_to_smooth(const struct smooth_polytope *pair,
                               const double n[3], double m[3])
{
    for (int j = 0; j < 3; j++)
        m[j] =
            pair->Q[0][j] * n[0] + pair->Q[1][j] * n[1] + pair->Q[2][j] * n[2];
}

int
smooth_polytope_local(const struct smooth_polytope *pair,
                      struct polytope_feature feature, double *local)
{
    assert(feature.kind <= FEATURE_FACE);
    const struct polytope *polytope = pair->B;
    size_t dim = (size_t)pair->d,
           count = dim + (feature.kind == FEATURE_EDGE ? 2 : 1);
    double *to = local + count;
    switch (feature.kind) {
    case FEATURE_VERTEX:
        memcpy(to, polytope->vertex[feature.index], dim * sizeof *to);
        break;
    case FEATURE_EDGE:
        memcpy(to, polytope->vertex[polytope->edge[feature.index].v[0]],
               dim * sizeof *to);
        memcpy(to + dim, polytope->edge[feature.index].dir, dim * sizeof *to);
        break;
    default:
        memcpy(to, polytope->face[feature.index].n, dim * sizeof *to);
        to[dim] = polytope->face[feature.index].d;
    }
    return (int)count;
}

/* Gives the unit vector in face `side` of edge e, across the edge, into the
 * face. */
static void
inward(const struct polytope *polytope, const struct polytope_edge *edge,
       int side, double t[3])
{
    vec3_cross(polytope->face[edge->face[side]].n, edge->dir, t);
    if (vec3_dot(t, polytope->face[edge->face[1 - side]].n) > 0.0)
        for (int i = 0; i < 3; i++)
            t[i] = -t[i];
}

/* Makes, in the plane, the unit vector along side f from its end `from`, and
 * returns its length. */
static double
along_side(const struct polytope *polytope, uint32_t f, int from, double w[3])
{
    const uint32_t *v = polytope->loop + polytope->face[f].first;
    for (int i = 0; i < 3; i++)
        w[i] = polytope->vertex[v[1 - from]][i] - polytope->vertex[v[from]][i];
    double l = vec3_norm(w);
    for (int i = 0; i < 3; i++)
        w[i] /= l;
    return l;
}

static bool
vertex_condition(const struct polytope *polytope, uint32_t vertex, uint32_t *at,
                 struct feature_condition *condition)
{
    condition->of_normal = true;
    condition->c = 0.0;
    if (polytope->dim == 2) {
        uint32_t i = polytope->at[vertex] + (*at)++;
        if (i >= polytope->at[vertex + 1])
            return false;
        uint32_t f = polytope->around[i];
        along_side(polytope, f,
                   polytope->loop[polytope->face[f].first] == vertex ? 0 : 1,
                   condition->a);
        condition->next = (struct polytope_feature){FEATURE_FACE, f};
        return true;
    }
    for (uint32_t i = *at; i < polytope->n_edge; i++) {
        const struct polytope_edge *edge = polytope->edge + i;
        if (edge->v[0] != vertex && edge->v[1] != vertex)
            continue;
        for (int j = 0; j < 3; j++)
            condition->a[j] =
                edge->v[0] == vertex ? edge->dir[j] : -edge->dir[j];
        condition->next = (struct polytope_feature){FEATURE_EDGE, i};
        *at = i + 1;
        return true;
    }
    return false;
}

static bool
edge_condition(const struct polytope *polytope, uint32_t index, uint32_t *at,
               struct feature_condition *condition)
{
    const struct polytope_edge *edge = polytope->edge + index;
    uint32_t number = (*at)++;
    if (number >= 4)
        return false;
    condition->of_normal = number >= 2;
    condition->c = 0.0;
    if (number < 2) {
        /* the foot is not before this end */
        for (int j = 0; j < 3; j++)
            condition->a[j] = number == 0 ? edge->dir[j] : -edge->dir[j];
        condition->c =
            -vec3_dot(condition->a, polytope->vertex[edge->v[number]]);
        condition->next =
            (struct polytope_feature){FEATURE_VERTEX, edge->v[number]};
    } else {
        inward(polytope, edge, (int)number - 2, condition->a);
        condition->next =
            (struct polytope_feature){FEATURE_FACE, edge->face[number - 2]};
    }
    return true;
}

static bool
face_condition(const struct polytope *polytope, uint32_t face, uint32_t *at,
               struct feature_condition *condition)
{
    condition->of_normal = false;
    if (polytope->dim == 2) {
        uint32_t i = (*at)++;
        if (i >= polytope->face[face].count)
            return false;
        uint32_t v = polytope->loop[polytope->face[face].first + i];
        along_side(polytope, face, (int)i, condition->a);
        condition->c = -vec3_dot(condition->a, polytope->vertex[v]);
        condition->next = (struct polytope_feature){FEATURE_VERTEX, v};
        return true;
    }
    for (uint32_t i = *at; i < polytope->n_edge; i++) {
        const struct polytope_edge *edge = polytope->edge + i;
        if (edge->face[0] != face && edge->face[1] != face)
            continue;
        inward(polytope, edge, edge->face[0] == face ? 0 : 1, condition->a);
        condition->c = -vec3_dot(condition->a, polytope->vertex[edge->v[0]]);
        condition->next = (struct polytope_feature){FEATURE_EDGE, i};
        *at = i + 1;
        return true;
    }
    return false;
}

bool
smooth_polytope_condition(const struct smooth_polytope *pair,
                          struct polytope_feature feature, uint32_t *at,
                          struct feature_condition *condition)
{
    assert(feature.kind <= FEATURE_FACE && at != NULL);
    switch (feature.kind) {
    case FEATURE_VERTEX:
        return vertex_condition(pair->B, feature.index, at, condition);
    case FEATURE_EDGE:
        return edge_condition(pair->B, feature.index, at, condition);
    default:
        return face_condition(pair->B, feature.index, at, condition);
    }
}

uint32_t
smooth_polytope_vertex(const struct smooth_polytope *pair, const double n[3])
{
    assert(pair != NULL && n != NULL);
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < pair->B->n_vertex; i++) {
        double h = vec3_dot(n, pair->B->vertex[i]);
        if (h < least) {
            least = h;
            best = i;
        }
    }
    return best;
}

double
smooth_polytope_half_width(const struct smooth_polytope *pair,
                           const double n[3])
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < pair->B->n_vertex; i++) {
        double h = vec3_dot(n, pair->B->vertex[i]);
        least = fmin(least, h);
        most = fmax(most, h);
    }
    return 0.5 * (most - least);
}

/* Is a point in the plane of a face inside its sides? */
static bool
in_face(const struct polytope *polytope, uint32_t index, const double point[3])
{
    const struct polytope_face *face = polytope->face + index;
    const uint32_t *v = polytope->loop + face->first;
    if (polytope->dim == 2) {
        double inwards[3], l = along_side(polytope, index, 0, inwards),
                           h = -vec3_dot(inwards, polytope->vertex[v[0]]);
        h += vec3_dot(inwards, point);
        return h >= 0.0 && h <= l;
    }
    for (uint32_t i = 0; i < face->count; i++) {
        const double *a = polytope->vertex[v[i]],
                     *b = polytope->vertex[v[(i + 1) % face->count]];
        double e[3], to_point[3], t[3];
        for (int j = 0; j < 3; j++) {
            e[j] = b[j] - a[j];
            to_point[j] = point[j] - a[j];
        }
        vec3_cross(e, to_point, t);
        if (vec3_dot(t, face->n) < 0.0)
            return false;
    }
    return true;
}

/* Takes lengths whose squares have no number to ones that have. */
#define FAR_SHARE 0x1p-600

/* Takes y, of feature f, if it is nearer to x than *near. */
static void
nearer(const double x[3], const double y[3], struct polytope_feature feature,
       double *near, double best[3], struct polytope_feature *which)
{
    double w[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, l = vec3_norm(w);
    if (l >= *near)
        return;
    *near = l;
    memcpy(best, y, 3 * sizeof *y);
    *which = feature;
}

struct polytope_feature
smooth_polytope_project(const struct smooth_polytope *pair,
                        const double point[3], double nearest[3],
                        double direction[3])
{
    const struct polytope *polytope = pair->B;
    struct polytope_feature best = {FEATURE_FACE, 0};
    double near = INFINITY, depth = -INFINITY, foot[3];
    uint32_t over = polytope->n_face;
    for (uint32_t index = 0; index < polytope->n_face; index++) {
        const struct polytope_face *face = polytope->face + index;
        double height = vec3_dot(face->n, point) - face->d;
        if (height > depth) {
            depth = height;
            best.index = index;
        }
        for (int i = 0; i < 3; i++)
            foot[i] = point[i] - height * face->n[i];
        if (height > 0.0 && height < near && in_face(polytope, index, foot)) {
            near = height;
            over = index;
        }
    }
    if (depth <= 0.0 || over < polytope->n_face) {
        /* inside, or over a face: nothing is nearer than the foot on it */
        if (depth > 0.0)
            best.index = over;
        const struct polytope_face *face = polytope->face + best.index;
        double height = vec3_dot(face->n, point) - face->d;
        for (int i = 0; i < 3; i++) {
            nearest[i] = point[i] - height * face->n[i];
            direction[i] = -face->n[i];
        }
        return best;
    }
    /* so far away that squares have no number, one corner is as good as another
     */
    best = (struct polytope_feature){FEATURE_VERTEX, 0};
    memcpy(nearest, polytope->vertex[0], 3 * sizeof *nearest);
    for (uint32_t which = 0; which < polytope->n_edge; which++) {
        const struct polytope_edge *edge = polytope->edge + which;
        const double *start = polytope->vertex[edge->v[0]],
                     *b = polytope->vertex[edge->v[1]];
        double t = 0.0, l = 0.0;
        for (int j = 0; j < 3; j++) {
            t += (point[j] - start[j]) * edge->dir[j];
            l += (b[j] - start[j]) * edge->dir[j];
        }
        if (!(t > 0.0 && t < l))
            continue;
        for (int j = 0; j < 3; j++)
            foot[j] = start[j] + t * edge->dir[j];
        nearer(point, foot, (struct polytope_feature){FEATURE_EDGE, which},
               &near, nearest, &best);
    }
    for (uint32_t which = 0; which < polytope->n_vertex; which++)
        nearer(point, polytope->vertex[which],
               (struct polytope_feature){FEATURE_VERTEX, which}, &near, nearest,
               &best);
    bool far = isinf(near);
    for (int i = 0; i < 3; i++)
        direction[i] = far ? FAR_SHARE * (nearest[i] - point[i])
                           : (nearest[i] - point[i]) / near;
    if (far)
        vec3_normalise(direction);
    return best;
}
