/* SPDX-License-Identifier: MIT */
/* Which points of a contact are closed now, or may close soon (contact_set.h):
 * the vertices, faces and edges behind the points of a contact manifold, and
 * the vertices over a plane. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/pose.h"
#include "runtime/geometry/support.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/vec3.h"

/* an edge is across a normal if the cosine between them is below this */
#define CONTACT_SET_ALONG 1e-6
/* A shared point within this many tolerances of a vertex is that vertex. A
 * vertex gets much further past the end of its face before it is let go
 * (FACE_END_LAG). */
#define VERTEX_NEAR 8.0

/* -- which points touch ----------------------------------------------------
 */

static bool
near_point(const double a[3], const double b[3], double tol)
{
    return fabs(a[0] - b[0]) <= tol && fabs(a[1] - b[1]) <= tol &&
           fabs(a[2] - b[2]) <= tol;
}

/* Returns the vertex of body i at the point x (axes of body 0); UINT32_MAX if
 * there is none. */
static uint32_t
vertex_at(const struct polytope_scene *scene, int i, const double x[3],
          double tol)
{
    const struct polytope *polytope = scene->p[i];
    for (uint32_t v = 0; v < polytope->n_vertex; v++) {
        const double *at = i == 0 ? polytope->vertex[v] : scene->point[v];
        if (near_point(at, x, tol))
            return v;
    }
    return UINT32_MAX;
}

/* Returns the face of body i whose outward normal this is (axes of body 0);
 * UINT32_MAX if there is none. */
static uint32_t
face_along(const struct polytope_scene *scene, int i, const double normal[3])
{
    for (uint32_t f = 0; f < scene->p[i]->n_face; f++) {
        const double *m = scene->p[i]->face[f].n;
        double w[3];
        for (int j = 0; j < 3; j++)
            w[j] = i == 0
                       ? m[j]
                       : scene->R[3 * j] * m[0] + scene->R[3 * j + 1] * m[1] +
                             scene->R[3 * j + 2] * m[2];
        if (near_point(w, normal, 1e-6))
            return f;
    }
    return UINT32_MAX;
}

/* Turns a direction, or moves a point, from the world into the axes of body 0.
 */
static void
into_first(const struct rt *run, uint32_t body, const double x[3], bool point,
           double out[3])
{
    double R[9], d[3];
    const double *s = run->env + rt_body(run, body)->env_state;
    pose_rotation(run, body, R);
    for (uint32_t i = 0; i < 3; i++)
        d[i] = x[i] - (point && i < run->im->dim ? s[i] : 0.0);
    mat3_apply_transposed(R, d, out);
}

/* The edge of this body through the point that lies across the normal (axes of
 * body 0), and not along `other` (NULL: any). UINT32_MAX if there is none.
 * direction: that of the edge. */
static uint32_t
edge_at(const struct polytope_scene *scene, int body, const double point[3],
        const double normal[3], const double other[3], double tol,
        double direction[3])
{
    const struct polytope *polytope = scene->p[body];
    for (uint32_t edge = 0; edge < polytope->n_edge; edge++) {
        const double *along = polytope->edge[edge].dir, *from, *to;
        from = body == 0 ? polytope->vertex[polytope->edge[edge].v[0]]
                         : scene->point[polytope->edge[edge].v[0]];
        to = body == 0 ? polytope->vertex[polytope->edge[edge].v[1]]
                       : scene->point[polytope->edge[edge].v[1]];
        double offset[3], u[3], cross[3];
        for (int j = 0; j < 3; j++) {
            direction[j] = body == 0 ? along[j]
                                     : scene->R[3 * j] * along[0] +
                                           scene->R[3 * j + 1] * along[1] +
                                           scene->R[3 * j + 2] * along[2];
            offset[j] = point[j] - from[j];
            u[j] = to[j] - from[j];
        }
        double t = vec3_dot(offset, direction), l = vec3_norm(u);
        for (int j = 0; j < 3; j++)
            offset[j] -= t * direction[j];
        if (fabs(vec3_dot(normal, direction)) > CONTACT_SET_ALONG || t < -tol ||
            t > l + tol || vec3_norm(offset) > tol)
            continue;
        if (other) {
            vec3_cross(direction, other, cross);
            if (vec3_norm(cross) <= POLYTOPE_PARALLEL)
                continue;
        }
        return edge;
    }
    return UINT32_MAX;
}

/* Finds the edges that cross at P and Q along `normal` (axes of body 0). */
static bool
crossing_at(const struct polytope_scene *scene, uint32_t contact,
            const double P[3], const double Q[3], const double normal[3],
            double tol, struct contact_point *out)
{
    double d[2][3], c[3];
    uint32_t e[2];
    if (scene->dim == 2 ||
        (e[0] = edge_at(scene, 0, P, normal, NULL, tol, d[0])) == UINT32_MAX ||
        (e[1] = edge_at(scene, 1, Q, normal, d[0], tol, d[1])) == UINT32_MAX)
        return false;
    vec3_cross(d[0], d[1], c);
    *out = (struct contact_point){contact, POINT_EDGES,
                                  vec3_dot(c, normal) < 0.0, e[0], e[1]};
    return true;
}

/* The side at one end of the normals of corners on corners, and the corner on
 * it. */
static bool
beside_corners(struct rt *run, const struct contact_point *at, bool left,
               double tol, struct contact_point *next)
{
    int body;
    uint32_t face;
    if (!polytope_corners_end(run, at->contact, left, tol, &body, &face))
        return false;
    *next = (struct contact_point){at->contact, POINT_VERTEX, body, face,
                                   body == 0 ? at->vertex : at->face};
    return true;
}

bool
contact_set_corners_slip(struct rt *run, const struct contact_point *at,
                         int order, double slip[3])
{
    assert(run != NULL && at != NULL && at->kind == POINT_CORNERS);
    assert(order >= 1 && order <= 2);
    const imp_contact *image_contact = rt_contact(run, at->contact);
    struct taylor centre[3], turn[9], normal[3], place[3];
    if (polytope_relative_pose(run, at->contact, order, centre, turn, NULL) ||
        !polytope_corners_normal(run, at->contact, order, turn, normal))
        return false;
    if (contact_point_place(run, at, order, place))
        return false;
    const double *own = run->polytope[image_contact->body[0]]->vertex[at->face];
    double n[2] = {normal[0].c[0], normal[1].c[0]};
    slip[0] = n[1] * (place[0].c[0] - own[0]) - n[0] * (place[1].c[0] - own[1]);
    for (int k = 1; k <= order; k++)
        slip[k] = k * (n[1] * place[0].c[k] - n[0] * place[1].c[k]);
    /* the k-th derivative is k! times the coefficient: 1 and 2 */
    return true;
}

bool
contact_set_corners_leave(struct rt *run, const struct contact_point *at,
                          double slip, double tol, struct contact_point *next)
{
    assert(run != NULL && at != NULL && at->kind == POINT_CORNERS);
    assert(next != NULL && slip != 0.0);
    return beside_corners(run, at, slip < 0.0, tol, next);
}

static int
polytope_spots(struct rt *run, uint32_t contact, double tol,
               struct contact_point *out, int most)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    struct contact_manifold *manifold =
        NEW(run->brief, struct contact_manifold);
    struct polytope_scene scene;
    double normal[3], minus[3], place[2][3];
    if (polytope_contact_manifold(run, contact, tol, manifold))
        return -1;
    if (manifold->kind == MANIFOLD_OPEN && manifold->passes)
        return 0;
    if (manifold->kind == MANIFOLD_OPEN) {
        if (manifold->side) {
            int own = 1 - manifold->side_body;
            *out = (struct contact_point){
                contact, POINT_VERTEX, manifold->side_body, manifold->side_face,
                manifold->corner[own]};
            return 1;
        }
        if (!manifold->stated || !manifold->corners ||
            !polytope_corners_settled(run, contact, manifold->corner))
            return -1;
        *out = (struct contact_point){contact, POINT_CORNERS, 0,
                                      manifold->corner[0], manifold->corner[1]};
        return 1;
    }
    polytope_scene_get(run, contact, false, &scene);
    into_first(run, image_contact->body[0], manifold->n, false, normal);
    for (int j = 0; j < 3; j++)
        minus[j] = -normal[j];
    double room = VERTEX_NEAR * tol;
    int count = 0;
    for (int i = 0; i < manifold->n_point && count < most; i++) {
        into_first(run, image_contact->body[0], manifold->P[i], true, place[0]);
        into_first(run, image_contact->body[0], manifold->Q[i], true, place[1]);
        bool found = false;
        for (int body = 0; body < 2 && !found; body++) {
            /* the outward normal of body 0 is `normal`, that of body 1 is
             * `minus` */
            uint32_t f = face_along(&scene, body, body == 0 ? normal : minus);
            uint32_t v = f == UINT32_MAX ? f
                                         : vertex_at(&scene, 1 - body,
                                                     place[1 - body], room);
            if (v == UINT32_MAX)
                continue;
            out[count++] =
                (struct contact_point){contact, POINT_VERTEX, body, f, v};
            found = true;
        }
        if (!found && crossing_at(&scene, contact, place[0], place[1], normal,
                                  room, &out[count]))
            count++;
        else if (!found)
            return -1;
    }
    return count;
}

int
contact_set_points(struct rt *run, uint32_t contact, double tol,
                   struct contact_point *out, int most)
{
    assert(out != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct closest_points points;
    if (image_contact->system != IMP_NO_SYSTEM ||
        image_contact->flags & IMP_CONTACTF_STATED)
        return -1;
    if (closest_points_find(run, contact, &points, false))
        return -1;
    if (points.gap > tol || most < 1)
        return 0;
    if (!(image_contact->flags & IMP_CONTACTF_CORNERS)) {
        *out =
            (struct contact_point){.contact = contact, .kind = POINT_SURFACE};
        return image_contact->opening == IMP_NO_TAPE ? -1 : 1;
    }
    if (!polytope_contact_is_smooth(run, image_contact))
        return polytope_spots(run, contact, tol, out, most);
    *out = (struct contact_point){.contact = contact, .kind = POINT_SMOOTH};
    return 1;
}

int
contact_set_series(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    return motion_poses_two(run, rt_contact(run, contact)->body);
}

/* -- which may come to touch soon -------------------------------------------
 */

struct above {
    struct contact_point *out;
    struct contact_point base;
    double low, reach; /* the least and the greatest gap that count */
    int n, most;
    bool full; /* there was no room for some points */
};

static void
one_above(void *ctx, uint32_t vertex, const struct taylor *gap)
{
    struct above *found = ctx;
    if (gap->c[0] < found->low || gap->c[0] > found->reach)
        return;
    if (found->n >= found->most) {
        found->full = true;
        return;
    }
    found->out[found->n] = found->base;
    found->out[found->n++].vertex = vertex;
}

bool
contact_set_between(struct rt *run, const struct contact_point *at, double out)
{
    assert(run != NULL && at != NULL);
    struct taylor room[CONTACT_POINT_SIDES], *side = room;
    for (int j = contact_point_sides_in(run, at, 0, &side); j-- > 0;)
        if (side[j].c[0] < -out)
            return false;
    return true;
}

static void
append(struct above *found, const struct contact_point *at)
{
    for (int i = 0; i < found->n; i++)
        if (!memcmp(&found->out[i], at, sizeof *at))
            return;
    if (found->n < found->most)
        found->out[found->n++] = *at;
    else
        found->full = true;
}

/* Adds the vertices within reach of the plane or face of `base` that are
 * between its sides. */
static int
over_base(struct rt *run, struct above *found, const struct contact_point *base)
{
    const imp_contact *image_contact = rt_contact(run, base->contact);
    int most =
        (int)run->polytope[image_contact->body[1 - base->face_of]]->n_vertex;
    struct contact_point *room =
        NEW_N(run->brief, struct contact_point, (size_t)most);
    struct above all = {.out = room,
                        .base = *base,
                        .low = found->low,
                        .reach = found->reach,
                        .most = most};
    int st = contact_point_vertices(run, base, 0, NULL, one_above, &all, NULL);
    for (int i = 0; i < all.n && !st; i++)
        if (contact_set_between(run, &room[i], 0.0))
            append(found, &room[i]);
    return st;
}

/* Gives the outward normal of a face, in the axes of body 0. */
static void
outward(const struct polytope_scene *scene, int body, uint32_t face,
        double n[3])
{
    const double *m = scene->p[body]->face[face].n;
    for (int j = 0; j < 3; j++)
        n[j] = body == 0 ? m[j]
                         : scene->R[3 * j] * m[0] + scene->R[3 * j + 1] * m[1] +
                               scene->R[3 * j + 2] * m[2];
}

/* The vertex of a face of the plane that is nearest to a place (axes of body
 * 0), and the direction in which the face ends there. */
static uint32_t
end_of_face(const struct polytope_scene *scene, int body, uint32_t face,
            const double place[3], double over[3])
{
    const struct polytope *polytope = scene->p[body];
    const uint32_t *loop = polytope->loop + polytope->face[face].first;
    const double *end[2];
    double distance[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        end[i] = body == 0 ? polytope->vertex[loop[i]] : scene->point[loop[i]];
        for (int j = 0; j < 2; j++)
            distance[i] = fmax(distance[i], fabs(end[i][j] - place[j]));
    }
    int near = distance[1] < distance[0];
    for (int j = 0; j < 3; j++)
        over[j] = end[near][j] - end[1 - near][j];
    return loop[near];
}

bool
contact_set_next_corner(struct rt *run, const struct contact_point *at,
                        struct contact_point *next)
{
    assert(run != NULL && at != NULL && next != NULL);
    const imp_contact *image_contact = rt_contact(run, at->contact);
    struct taylor *roll;
    double tol, rate;
    if (at->kind == POINT_CORNERS) { /* to the end at which the normal is */
        gap_tolerances(run, at->contact, &tol, &rate);
        int ends = contact_point_sides(run, at, 0, &roll) - 2;
        if (ends < 2)
            return false;
        bool left = roll[3].c[0] < roll[2].c[0];
        return roll[2 + left].c[0] <= 2.0 * tol &&
               beside_corners(run, at, left, tol, next);
    }
    if (run->im->dim != 2 || at->kind != POINT_VERTEX ||
        run->polytope[image_contact->body[0]]->n_vertex == 0 ||
        run->polytope[image_contact->body[1]]->n_vertex == 0)
        return false;
    struct polytope_scene scene;
    double normal[3], over[3], other[3], least = INFINITY;
    polytope_scene_get(run, at->contact, false, &scene);
    int own = 1 - at->face_of;
    const double *place =
        own == 0 ? scene.p[0]->vertex[at->vertex] : scene.point[at->vertex];
    uint32_t end = end_of_face(&scene, at->face_of, at->face, place, over);
    outward(&scene, at->face_of, at->face, normal);
    for (int body = 0; body < 2; body++) {
        const struct polytope *polytope = scene.p[body];
        uint32_t corner = body == own ? at->vertex : end,
                 opposite = body == own ? end : at->vertex;
        double sign = body == own ? -1.0 : 1.0;
        for (uint32_t i = polytope->at[corner]; i < polytope->at[corner + 1];
             i++) {
            uint32_t face = polytope->around[i];
            outward(&scene, body, face, other);
            double turn =
                atan2(sign * vec3_dot(other, over),
                      sign * vec3_dot(other, normal) * vec3_norm(over));
            if ((body == at->face_of && face == at->face) ||
                !(turn > -CONTACT_SET_ALONG && turn < least))
                continue;
            least = turn;
            *next = (struct contact_point){at->contact, POINT_VERTEX, body,
                                           face, opposite};
        }
    }
    return isfinite(least) && least > CONTACT_SET_ALONG;
}

bool
contact_set_slips_over(struct rt *run, const struct contact_point *at,
                       double tol, double sign, struct contact_point *next)
{
    assert(run != NULL && at != NULL && next != NULL && sign != 0.0);
    if (!contact_set_next_corner(run, at, next))
        return false;
    struct polytope_scene scene;
    double normal[3], over[3], apart = 0.0;
    polytope_scene_get(run, at->contact, false, &scene);
    int own = 1 - at->face_of;
    const double *place =
        own == 0 ? scene.p[0]->vertex[at->vertex] : scene.point[at->vertex];
    uint32_t end = end_of_face(&scene, at->face_of, at->face, place, over);
    const double *there = own == 0 ? scene.point[end] : scene.p[0]->vertex[end];
    for (int j = 0; j < 3; j++)
        apart = fmax(apart, fabs(there[j] - place[j]));
    if (apart > tol)
        return false;
    /* slip: of body 1 against body 0, along the normal from 0 to 1, turned; the
     * vertex goes against the face, whose outward normal points to it */
    outward(&scene, at->face_of, at->face, normal);
    return sign * (normal[1] * over[0] - normal[0] * over[1]) > 0.0;
}

/* The corners of two polygons that are nearest to each other, if they are at
 * one place within tol. */
static bool
corners_meet(const struct polytope_scene *scene, double tol, uint32_t at[2])
{
    double least = INFINITY;
    for (uint32_t i = 0; i < scene->p[0]->n_vertex; i++)
        for (uint32_t j = 0; j < scene->p[1]->n_vertex; j++) {
            const double *a = scene->p[0]->vertex[i], *b = scene->point[j];
            double apart = fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
            if (apart < least) {
                least = apart;
                at[0] = i;
                at[1] = j;
            }
        }
    return least <= tol;
}

int
contact_set_corner(struct rt *run, uint32_t contact, double tol,
                   struct contact_point out[2])
{
    assert(run != NULL && out != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct polytope_scene scene;
    uint32_t at[2];
    int n = 0;
    if (run->im->dim != 2 || !(image_contact->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(run, image_contact))
        return 0;
    polytope_scene_get(run, contact, false, &scene);
    if (!corners_meet(&scene, tol, at))
        return 0;
    for (int body = 0; body < 2; body++) {
        const struct polytope *polytope = scene.p[body];
        for (uint32_t i = polytope->at[at[body]];
             i < polytope->at[at[body] + 1]; i++) {
            struct contact_point spot = {contact, POINT_VERTEX, body,
                                         polytope->around[i], at[1 - body]};
            double normal[3], other[3];
            outward(&scene, body, spot.face, normal);
            /* no side of the other body lies behind this one */
            bool apart = true;
            const struct polytope *q = scene.p[1 - body];
            for (uint32_t v = 0; v < q->n_vertex; v++) {
                const double *x = body == 0 ? scene.point[v] : q->vertex[v];
                const double *y =
                    body == 0 ? scene.point[at[1]] : q->vertex[at[0]];
                for (int k = 0; k < 3; k++)
                    other[k] = x[k] - y[k];
                apart &= vec3_dot(other, normal) >= -tol;
            }
            if (apart && n < 2)
                out[n++] = spot;
        }
    }
    return n;
}

void
contact_set_opposed(struct rt *run, const struct contact_point *at,
                    struct contact_point base[2])
{
    assert(at->kind == POINT_VERTEX || at->kind == POINT_EDGES);
    struct polytope_scene scene;
    double normal[2][3], most = INFINITY;
    polytope_scene_get(run, at->contact, false, &scene);
    uint32_t list[2][2], count[2];
    bool all[2] = {false, false};
    for (int body = 0; body < 2; body++) {
        base[body] =
            (struct contact_point){at->contact, POINT_VERTEX, body, 0, 0};
        count[body] = scene.p[body]->n_face;
        if (at->kind == POINT_EDGES) {
            const struct polytope_edge *edge =
                scene.p[body]->edge + (body == 0 ? at->face : at->vertex);
            list[body][0] = edge->face[0];
            list[body][1] = edge->face[1];
            count[body] = 2;
        } else if (body == at->face_of) {
            list[body][0] = at->face;
            count[body] = 1;
        } else {
            all[body] = true;
        }
    }
    for (uint32_t k = 0; k < count[0]; k++)
        for (uint32_t l = 0; l < count[1]; l++) {
            uint32_t f = all[0] ? k : list[0][k];
            uint32_t g = all[1] ? l : list[1][l];
            outward(&scene, 0, f, normal[0]);
            outward(&scene, 1, g, normal[1]);
            double d = vec3_dot(normal[0], normal[1]);
            if (d < most) {
                most = d;
                base[0].face = f;
                base[1].face = g;
            }
        }
}

struct crossings {
    struct rt *r;
    struct above *a;
    const struct contact_point *base; /* one face of each body */
};

static bool
of_faces(void *ctx, const struct contact_point *at)
{
    const struct crossings *crossings = ctx;
    const imp_contact *image_contact = rt_contact(crossings->r, at->contact);
    for (int b = 0; b < 2; b++) {
        const struct polytope_edge *edge =
            crossings->r->polytope[image_contact->body[b]]->edge +
            (b == 0 ? at->face : at->vertex);
        uint32_t f = crossings->base[b].face;
        if (edge->face[0] != f && edge->face[1] != f)
            return false;
    }
    return true;
}

static void
one_crossing(void *ctx, const struct contact_point *at,
             const struct taylor *gap)
{
    struct crossings *crossings = ctx;
    if (gap->c[0] >= crossings->a->low && gap->c[0] <= crossings->a->reach &&
        contact_set_between(crossings->r, at, 0.0))
        append(crossings->a, at);
}

/* Adds the vertices of each of two faces over the other one, and the crossings
 * of their edges. Returns as contact_set_near. */
static int
between_faces(struct rt *run, struct above *found,
              const struct contact_point base[2])
{
    uint32_t contact = base[0].contact;
    struct crossings crossings = {run, found, base};
    if (contact_set_series(run, contact) || over_base(run, found, &base[0]) ||
        over_base(run, found, &base[1]) ||
        contact_point_crossings(run, contact, 0, of_faces, one_crossing,
                                &crossings, NULL) ||
        found->full)
        return -1;
    return found->n;
}

int
contact_set_room(const struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    int room = MANIFOLD_POINTS;
    for (int i = 0; i < 2 && image_contact->system == IMP_NO_SYSTEM; i++)
        if (run->polytope[image_contact->body[i]] != NULL)
            room += (int)run->polytope[image_contact->body[i]]->n_vertex;
    return room;
}

int
contact_set_near(struct rt *run, uint32_t contact, double tol, double reach,
                 struct contact_point *out, int most)
{
    assert(out != NULL && most > 0 && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct closest_points points;
    struct contact_point base[2];
    /* a point behind a face does not count as apart */
    struct above found = {
        .out = out, .low = -tol, .reach = reach, .most = most};
    if (!(image_contact->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(run, image_contact)) {
        if (closest_points_find(run, contact, &points, false))
            return -1;
        return points.gap > reach
                   ? 0
                   : contact_set_points(run, contact, reach, out, most);
    }
    if (contact_set_plane(run, contact, &base[0])) {
        int st = contact_set_series(run, contact);
        return st || over_base(run, &found, &base[0]) || found.full ? -1
                                                                    : found.n;
    }
    /* first the points that touch, then all points of the faces on which they
     * lie */
    found.n = contact_set_points(run, contact, tol, out, most);
    if (found.n < 1 || out->kind == POINT_CORNERS)
        return found.n;
    int m = 0;
    while (m + 1 < found.n && out[m].kind != POINT_VERTEX)
        m++;
    contact_set_opposed(run, &out[m], base);
    return between_faces(run, &found, base);
}

int
contact_set_ahead(struct rt *run, uint32_t contact, struct contact_point *out,
                  int most)
{
    assert(out != NULL && most > 0 && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct nearest_features near;
    struct contact_point at = {contact, POINT_VERTEX, 0, 0, 0}, base[2];
    struct above found = {.out = out, .reach = INFINITY, .most = most};
    if (image_contact->system != IMP_NO_SYSTEM ||
        image_contact->flags & IMP_CONTACTF_STATED ||
        !(image_contact->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(run, image_contact) ||
        contact_set_plane(run, contact, &at) ||
        polytope_contact_closest(run, contact, &near, false))
        return 0;
    at.face_of = near.pair.kind[1] == FEATURE_FACE;
    if (near.pair.kind[at.face_of] != FEATURE_FACE ||
        near.pair.kind[1 - at.face_of] != FEATURE_VERTEX)
        return 0;
    at.face = near.pair.index[at.face_of];
    contact_set_opposed(run, &at, base);
    return between_faces(run, &found, base);
}

/* -- over a plane ------------------------------------------------------------
 */

bool
contact_set_plane(const struct rt *run, uint32_t contact,
                  struct contact_point *base)
{
    assert(contact < run->im->contacts.n && base != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    if (image_contact->system != IMP_NO_SYSTEM ||
        image_contact->flags & IMP_CONTACTF_STATED ||
        !(image_contact->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(run, image_contact))
        return false;
    for (int b = 0; b < 2; b++)
        if (run->polytope[image_contact->body[b]]->n_vertex == 0) {
            *base = (struct contact_point){contact, POINT_VERTEX, b, 0, 0};
            return run->polytope[image_contact->body[1 - b]]->n_vertex > 0;
        }
    return false;
}

/* -- faces at held points ---------------------------------------------------
 */

static bool
same_face(const struct contact_point *a, const struct contact_point *b)
{
    return a->contact == b->contact && a->kind == b->kind &&
           a->face_of == b->face_of && a->face == b->face;
}

static void
add_face(struct contact_point *base, int *n, struct contact_point at)
{
    for (int i = 0; i < *n; i++)
        if (same_face(&base[i], &at))
            return;
    base[(*n)++] = at;
}

size_t
contact_set_faces(const struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    size_t faces = 0;
    for (int i = 0; i < 2; i++)
        faces += run->polytope[rt_contact(run, contact)->body[i]]->n_face;
    return faces;
}

bool
contact_set_holds(const struct rt *run, const struct contact_point *at)
{
    assert(run != NULL && at != NULL);
    const struct persistent_group *group =
        persistent_group_of(run, at->contact);
    for (int i = 0; group && i < group->n; i++)
        if (contact_point_same(&group->row[i].spot, at))
            return true;
    return false;
}

int
contact_set_held_faces(const struct rt *run, uint32_t contact,
                       struct contact_point *base)
{
    assert(contact < run->im->contacts.n && base != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    const struct persistent_group *group = persistent_group_of(run, contact);
    int count = 0;
    for (int i = 0; group && i < group->n; i++) {
        const struct contact_point *held = &group->row[i].spot;
        if (held->contact != contact)
            continue;
        for (int b = 0; b < 2 && held->kind == POINT_CORNERS; b++) {
            const struct polytope *polytope =
                run->polytope[image_contact->body[b]];
            uint32_t v = b == 0 ? held->face : held->vertex;
            for (uint32_t f = polytope->at[v]; f < polytope->at[v + 1]; f++)
                add_face(base, &count,
                         (struct contact_point){contact, POINT_VERTEX, b,
                                                polytope->around[f], 0});
        }
        if (held->kind == POINT_VERTEX) {
            add_face(base, &count, *held);
            const struct polytope *polytope =
                run->polytope[image_contact->body[1 - held->face_of]];
            for (uint32_t f = polytope->at[held->vertex];
                 f < polytope->at[held->vertex + 1]; f++)
                add_face(base, &count,
                         (struct contact_point){contact, POINT_VERTEX,
                                                1 - held->face_of,
                                                polytope->around[f], 0});
        }
        for (int b = 0; b < 2 && held->kind == POINT_EDGES; b++) {
            const struct polytope_edge *edge =
                run->polytope[image_contact->body[b]]->edge +
                (b == 0 ? held->face : held->vertex);
            for (int f = 0; f < 2; f++)
                add_face(base, &count,
                         (struct contact_point){contact, POINT_VERTEX, b,
                                                edge->face[f], 0});
        }
    }
    return count;
}
