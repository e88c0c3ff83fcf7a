/* SPDX-License-Identifier: MIT */
/* Where two polytopes touch (polytope_contact.h): the points that they share,
 * and the normals that keep them apart.
 *
 * A normal n is possible if n lies in the cone of normals of body 0 at the
 * touch, and -n in that of body 1. The corners of the intersection of these
 * two cones are normals of faces of either body, or common normals of two
 * edges, that separate the bodies. If there is one such direction only, it is
 * the normal; otherwise the normal is open. The shared points are found in the
 * plane between the bodies: the points of each body within tol of that plane
 * have a convex hull there, and the two hulls are intersected. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/features/contact_polygon.h"
#include "runtime/features/rounded_corner.h"
#include "runtime/features/wall_seam.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/geometry/pose.h"
#include "runtime/geometry/support.h"

/* room for so many choices of a normal at first */
#define CHOICES_FIRST 16

struct touching {
    const struct polytope_scene *s;
    struct polygon body[2], shared, tmp;
    double tol, n[3], T[2][3];
    double level[2]; /* where the touching planes are along n */
};

/* Collects the vertices of a body within tol of its touching plane. */
static void
collect(struct touching *touch, int body)
{
    const struct polytope *polytope = touch->s->p[body];
    double sign = body == 0 ? 1.0 : -1.0, most = -INFINITY;
    touch->body[body].n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t v = 0; v < polytope->n_vertex; v++) {
            const double *point =
                body == 0 ? polytope->vertex[v] : touch->s->point[v];
            double h = sign * vec3_dot(touch->n, point);
            if (pass == 0)
                most = fmax(most, h);
            if (pass == 0 || h < most - touch->tol)
                continue;
            struct polygon_point o = {
                {vec3_dot(touch->T[0], point), vec3_dot(touch->T[1], point)},
                {point[0], point[1], point[2]},
                {point[0], point[1], point[2]}};
            polygon_add(&touch->body[body], &o);
        }
    touch->level[body] = sign * most;
    if (polytope->n_vertex == 0)
        touch->level[body] = NAN;
    polygon_hull(&touch->body[body], &touch->tmp, touch->tol);
}

/* Puts the shared points into t->shared. */
static void
share(struct touching *touch)
{
    touch->shared.n = 0;
    for (int b = 0; b < 2; b++) {
        double level = touch->level[1 - b];
        if (isnan(level)) /* a half-space */
            level = touch->s->p[1 - b]->face[0].d * (b == 1 ? 1.0 : -1.0) +
                    (b == 1 ? 0.0 : vec3_dot(touch->n, touch->s->c));
        for (int i = 0; i < touch->body[b].n; i++) {
            struct polygon_point o = touch->body[b].v[i];
            if (!polygon_holds(&touch->body[1 - b], o.u, 2.0 * touch->tol))
                continue;
            double *other = b == 0 ? o.Q : o.P;
            double lift = level - vec3_dot(touch->n, other);
            for (int k = 0; k < 3; k++)
                other[k] += lift * touch->n[k];
            polygon_add(&touch->shared, &o);
        }
    }
    polygon_crossings(&touch->body[0], &touch->body[1], &touch->shared);
    polygon_hull(&touch->shared, &touch->tmp, 4.0 * touch->tol);
}

/* Finds the shared points for a normal. */
static void
points_along(struct touching *touch, const double normal[3])
{
    memcpy(touch->n, normal, sizeof touch->n);
    support_tangents(touch->s->dim, touch->n, touch->T);
    collect(touch, 0);
    collect(touch, 1);
    share(touch);
}

/* Adds a normal that keeps the bodies apart, unless it is there already. */
static void
choose(struct rt *run, struct contact_manifold *out,
       const struct manifold_choice *more)
{
    int count = out->n_choice;
    for (int i = 0; i < count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = out->choice[i].n[k] - more->n[k];
        if (vec3_norm(d) <= TOUCH_SAME)
            return;
    }
    /* the room is the power of two that is needed, and CHOICES_FIRST at least
     */
    if (count == 0 || (count >= CHOICES_FIRST && (count & (count - 1)) == 0)) {
        struct manifold_choice *old = out->choice;
        out->choice =
            NEW_N(run->brief, struct manifold_choice,
                  (size_t)(count < CHOICES_FIRST ? CHOICES_FIRST : 2 * count));
        if (count)
            memcpy(out->choice, old, sizeof *old * (size_t)count);
    }
    out->choice[out->n_choice++] = *more;
}

void
polytope_normal_choices(struct rt *run, const struct polytope_scene *scene,
                        double least, struct contact_manifold *out)
{
    assert(run != NULL && scene != NULL && out != NULL);
    uint32_t at[2];
    struct manifold_choice one = {.edge = 0};
    for (one.body = 0; one.body < 2; one.body++)
        for (one.face = 0; one.face < scene->p[one.body]->n_face; one.face++) {
            for (int i = 0; i < 3; i++)
                one.n[i] = one.body == 0
                               ? scene->p[0]->face[one.face].n[i]
                               : -vec3_dot(scene->R + 3 * i,
                                           scene->p[1]->face[one.face].n);
            if (polytope_separation(scene, one.n, at) >= least)
                choose(run, out, &one);
        }
    one.body = MANIFOLD_CROSSING;
    struct polytope_turned turned;
    polytope_turn_edges(scene, &turned);
    for (one.face = 0; one.face < scene->p[0]->n_edge; one.face++)
        for (one.edge = 0; one.edge < scene->p[1]->n_edge; one.edge++)
            if (polytope_turned_cross(scene, &turned, one.face, one.edge,
                                      one.n) &&
                polytope_separation(scene, one.n, at) >= least)
                choose(run, out, &one);
}

/* The normal for the shared points. Of two faces that are parallel to some
 * tolerances, the one that keeps the bodies further apart is taken: corners
 * that touch nothing may lie in the plane of the other. */
static const double *
best_of(const struct polytope_scene *scene, const struct contact_manifold *out,
        const struct nearest_features *at)
{
    uint32_t v[2];
    double d[3];
    if (out->n_choice != 1)
        return at->n;
    const double *first = out->choice[0].n;
    for (int i = 0; i < 3; i++)
        d[i] = at->n[i] - first[i];
    bool less = polytope_separation(scene, first, v) <
                at->gap - 64.0 * DBL_EPSILON * scene->size;
    return less && vec3_norm(d) <= TOUCH_SAME ? at->n : first;
}

/* Does this normal, which is the same to rounding, keep the bodies apart and
 * have a shared point? */
static bool
shares_along(struct touching *touch, const double first[3],
             const double other[3], double least)
{
    double d[3];
    uint32_t at[2];
    vec3_sub(other, first, d);
    if (vec3_norm(d) > TOUCH_SAME ||
        polytope_separation(touch->s, other, at) < least)
        return false;
    points_along(touch, other);
    return touch->shared.n > 0;
}

/* Faces that are parallel but for rounding have no shared point along the
 * normal of one of them where its body tilts by some tolerances, and the vertex
 * that is deepest there is just past the end of the other face. Then the normal
 * of that face has one. So has that of an edge at the vertex and of the side of
 * the face, where the edge nearly lies in the face. */
static void
try_parallel(const struct polytope_scene *scene, double least,
             struct touching *touch)
{
    double first[3], other[3];
    memcpy(first, touch->n, sizeof first);
    for (int body = 0; body < 2; body++)
        for (uint32_t face = 0; face < scene->p[body]->n_face; face++) {
            const double *normal = scene->p[body]->face[face].n;
            for (int i = 0; i < 3; i++)
                other[i] =
                    body == 0 ? normal[i] : -vec3_dot(scene->R + 3 * i, normal);
            if (shares_along(touch, first, other, least))
                return;
        }
    struct polytope_turned turned;
    if (scene->dim == 3)
        polytope_turn_edges(scene, &turned);
    for (uint32_t e0 = 0; e0 < scene->p[0]->n_edge && scene->dim == 3; e0++)
        for (uint32_t e1 = 0; e1 < scene->p[1]->n_edge; e1++)
            if (polytope_turned_cross(scene, &turned, e0, e1, other) &&
                shares_along(touch, first, other, least))
                return;
    points_along(touch, first);
}

/* Finds the feature of a body that the point lies on. */
static void
feature_at(const struct polytope_scene *scene, int body, const double point[3],
           double tol, struct feature_pair *out)
{
    const struct polytope *polytope = scene->p[body];
    double local[3], away[3];
    uint32_t on[2] = {0, 0}, count = 0, best = 0;
    for (int i = 0; i < 3; i++)
        away[i] = point[i] - scene->c[i];
    for (int i = 0; i < 3; i++)
        local[i] = body == 0
                       ? point[i]
                       : scene->R[i] * away[0] + scene->R[3 + i] * away[1] +
                             scene->R[6 + i] * away[2];
    for (uint32_t f = 0; f < polytope->n_face; f++)
        if (fabs(vec3_dot(polytope->face[f].n, local) - polytope->face[f].d) <=
            tol) {
            if (count < 2)
                on[count] = f;
            count++;
        }
    out->kind[body] = FEATURE_FACE;
    out->index[body] = on[0];
    if (count == 2 && polytope->dim == 3)
        for (uint32_t e = 0; e < polytope->n_edge; e++) {
            const uint32_t *face = polytope->edge[e].face;
            if ((face[0] == on[0] && face[1] == on[1]) ||
                (face[0] == on[1] && face[1] == on[0])) {
                out->kind[body] = FEATURE_EDGE;
                out->index[body] = e;
                return;
            }
        }
    if (count < 2)
        return;
    double least = INFINITY;
    for (uint32_t v = 0; v < polytope->n_vertex; v++) {
        for (int i = 0; i < 3; i++)
            away[i] = polytope->vertex[v][i] - local[i];
        if (vec3_norm(away) < least) {
            least = vec3_norm(away);
            best = v;
        }
    }
    out->kind[body] = FEATURE_VERTEX;
    out->index[body] = best;
}

/* Writes the shared points into the manifold, in world axes. */
static int
report(struct rt *run, const imp_contact *image_contact,
       const struct touching *touch, const struct nearest_features *at,
       struct contact_manifold *out)
{
    struct support_body support;
    double mid[2][3] = {{0.0}};
    support_body_get(run, image_contact->body[0], &support);
    out->n_point = touch->shared.n;
    if (touch->shared.n > MANIFOLD_POINTS || touch->shared.full) {
        struct diag *diag = diag_add(
            run->ds, DIAG_E0615, image_contact->range,
            "`%s` and `%s` share an area of %d corners",
            imp_text(run->im, rt_body(run, image_contact->body[0])->name),
            imp_text(run->im, rt_body(run, image_contact->body[1])->name),
            touch->shared.n);
        diag_help(run->ds, diag,
                  "at most %d can take part in an impact: use "
                  "shapes with fewer corners",
                  MANIFOLD_POINTS);
        return IMP_BADMODEL;
    }
    for (int i = 0; i < out->n_point || i == 0; i++) {
        bool shared = out->n_point > 0;
        const double *P = shared ? touch->shared.v[i].P : at->P;
        const double *Q = shared ? touch->shared.v[i].Q : at->Q;
        double n = shared ? out->n_point : 1;
        support_rotate(&support, P, out->P[i]);
        support_rotate(&support, Q, out->Q[i]);
        for (int j = 0; j < 3; j++) {
            out->P[i][j] += support.c[j];
            out->Q[i][j] += support.c[j];
            mid[0][j] += P[j] / n;
            mid[1][j] += Q[j] / n;
        }
    }
    if (out->n_point == 0)
        out->n_point = 1;
    feature_at(touch->s, 0, mid[0], 2.0 * touch->tol, &out->pair);
    feature_at(touch->s, 1, mid[1], 2.0 * touch->tol, &out->pair);
    return IMP_OK;
}

/* The normal that the model states, in the axes of body 0. IMP_BADMODEL after
 * a diagnostic if the bodies could overlap along it. */
static int
stated(struct rt *run, uint32_t contact, const struct polytope_scene *scene,
       double least, struct contact_manifold *out, double normal[3])
{
    const imp_contact *image_contact = rt_contact(run, contact);
    struct support_body support;
    double world[3], l;
    uint32_t at[2];
    pose_carry(run, image_contact->body[0], true,
               run->env + image_contact->env_contact + IMP_CONTACT_DIRECTION,
               world);
    support_body_get(run, image_contact->body[0], &support);
    l = vec3_norm(world);
    for (int i = 0; i < 3; i++)
        world[i] /= l;
    support_rotate_back(&support, world, normal);
    if (polytope_separation(scene, normal, at) >= least) {
        out->stated = true;
        return IMP_OK;
    }
    struct diag *diag =
        diag_add(run->ds, DIAG_E0614, image_contact->range_direction,
                 "with this normal `%s` and `%s` would not be kept apart",
                 imp_text(run->im, rt_body(run, image_contact->body[0])->name),
                 imp_text(run->im, rt_body(run, image_contact->body[1])->name));
    for (int i = 0; i < out->n_choice; i++) {
        char text[3][NUM_TEXT];
        support_rotate(&support, out->choice[i].n, world);
        if (scene->dim == 2)
            diag_note(run->ds, diag, IMP_NOWHERE,
                      "a normal that does: (%s, %s)",
                      num_digits(text[0], world[0], 6),
                      num_digits(text[1], world[1], 6));
        else
            diag_note(run->ds, diag, IMP_NOWHERE,
                      "a normal that does: (%s, %s, %s)",
                      num_digits(text[0], world[0], 6),
                      num_digits(text[1], world[1], 6),
                      num_digits(text[2], world[2], 6));
    }
    diag_help(run->ds, diag,
              "`normal` points from the first body to the second; take one of "
              "these or a direction between them");
    return IMP_BADMODEL;
}

/* What the model says of an open normal: it states one, or its corners are
 * rounded. */
static int
settle_open(struct rt *run, uint32_t contact,
            const struct polytope_scene *scene, double least, double tol,
            struct contact_manifold *out, double normal[3])
{
    polytope_corners_settle(run, contact, scene, tol, out, normal);
    return rt_contact(run, contact)->flags & IMP_CONTACTF_NORMAL
               ? stated(run, contact, scene, least, out, normal)
               : IMP_OK;
}

/* Puts into the manifold what a wall and its cover leave of the normals. One that
 * is left settles the normal. In the plane several are the ends of the cone that
 * both leave, which may lie at a face of the cover; with rounded corners, which
 * ask the corners of both bodies, the normals stay those of the pair. */
static void
take_common(struct rt *run, const struct polytope_scene *scene, int which,
            const struct wall_seam *seam, const struct seam_normals *left,
            struct contact_manifold *out)
{
    int total = left->kept + left->faces;
    if ((left->kept != 1 || left->faces > 0) &&
        (total < 2 || scene->dim != 2 || !left->convex ||
         run->corners == CORNERS_ROUNDED))
        return;
    struct manifold_choice *choice =
        NEW_N(run->brief, struct manifold_choice, (size_t)total);
    int n = 0;
    for (int i = 0; i < out->n_choice; i++)
        if (left->keep[i])
            choice[n++] = out->choice[i];
    for (int i = 0; i < left->faces; i++, n++) {
        choice[n] = (struct manifold_choice){.body = (uint32_t)which,
                                             .foreign = true};
        wall_seam_face(seam, scene, which, left->face[i], choice[n].n);
    }
    out->choice = choice;
    out->n_choice = n;
}

/* Asks one cover of a wall what it leaves of the normals. */
static void
ask_cover(struct rt *run, const struct polytope_scene *scene, int which,
          struct wall_seam *seam, const double (*place)[3], int n, double least,
          struct contact_manifold *out)
{
    size_t count = (size_t)out->n_choice;
    double(*normal)[3] = arena_alloc(run->brief, sizeof *normal * count);
    for (size_t i = 0; i < count; i++)
        memcpy(normal[i], out->choice[i].n, sizeof normal[i]);
    struct seam_normals left = {
        .keep = NEW_N(run->brief, bool, count),
        .face = NEW_N(run->brief, uint32_t, (size_t)seam->cover->n_face)};
    if (wall_seam_normals(seam, scene, which, place, n,
                          (const double(*)[3])normal, out->n_choice, least,
                          &left))
        take_common(run, scene, which, seam, &left, out);
}

/* Finds the next body, from contact *c on, that stands beside body `which` of
 * the contact as one wall, for what the other body belongs to. */
static bool
next_cover(struct rt *run, uint32_t contact, int which, uint32_t *c,
           struct wall_seam *seam)
{
    const imp_contact *own = rt_contact(run, contact);
    const uint32_t *group = rigid_groups(run);
    uint32_t wall = own->body[which], other = own->body[1 - which];
    for (; *c < run->im->contacts.n; ++*c) {
        const imp_contact *next = rt_contact(run, *c);
        if (*c == contact || next->system != IMP_NO_SYSTEM ||
            next->body[0] == IMP_WORLD || next->body[1] == IMP_WORLD)
            continue;
        bool second = group[next->body[0]] == group[other];
        uint32_t cover = next->body[second];
        if (cover == wall || group[next->body[!second]] != group[other] ||
            group[cover] != group[wall] || run->polytope[cover] == NULL)
            continue;
        seam->cover = run->polytope[cover];
        support_body_get(run, cover, &seam->cover_pose);
        ++*c;
        return true;
    }
    return false;
}

/* Body `which` of the contact as a wall; false: it is a half-space. */
static bool
take_wall(struct rt *run, uint32_t contact, int which, double tol,
          struct wall_seam *seam)
{
    uint32_t wall = rt_contact(run, contact)->body[which];
    *seam = (struct wall_seam){.wall = run->polytope[wall], .tol = 2.0 * tol};
    if (seam->wall->n_vertex == 0)
        return false;
    support_body_get(run, wall, &seam->wall_pose);
    return true;
}

void
polytope_cover_settle(struct rt *run, uint32_t contact,
                      const struct polytope_scene *scene,
                      const double (*place)[3], int n, double least, double tol,
                      struct contact_manifold *out)
{
    assert(run != NULL && scene != NULL && out != NULL && n > 0);
    for (int which = 0; which < 2; which++) {
        struct wall_seam seam;
        uint32_t c = 0;
        if (!take_wall(run, contact, which, tol, &seam))
            continue;
        while (out->n_choice > 1 && next_cover(run, contact, which, &c, &seam))
            ask_cover(run, scene, which, &seam, place, n, least, out);
    }
}

/* Puts a place of the world into the axes of a body. */
static void
into_body(const struct support_body *pose, const double place[3],
          double local[3])
{
    double away[3];
    for (int i = 0; i < 3; i++)
        away[i] = place[i] - pose->c[i];
    support_rotate_back(pose, away, local);
}

/* On how many faces of a body does the place lie? */
static int
faces_at(struct rt *run, uint32_t body, const double place[3], double tol)
{
    const struct polytope *polytope = run->polytope[body];
    struct support_body pose;
    double local[3];
    int count = 0;
    support_body_get(run, body, &pose);
    into_body(&pose, place, local);
    for (uint32_t f = 0; f < polytope->n_face; f++)
        count += fabs(vec3_dot(polytope->face[f].n, local) -
                      polytope->face[f].d) <= tol;
    return count;
}

bool
polytope_at_seam(struct rt *run, uint32_t contact, const double place[3],
                 double tol)
{
    assert(run != NULL && contact < run->im->contacts.n && place != NULL);
    const imp_contact *own = rt_contact(run, contact);
    for (int which = 0; which < 2; which++) {
        struct wall_seam seam;
        uint32_t c = 0;
        if (own->body[0] == IMP_WORLD || own->body[1] == IMP_WORLD ||
            run->polytope[own->body[0]] == NULL ||
            run->polytope[own->body[1]] == NULL ||
            !take_wall(run, contact, which, tol, &seam))
            continue;
        into_body(&seam.wall_pose, place, seam.place);
        while (next_cover(run, contact, which, &c, &seam))
            if (wall_seam_is_even(&seam) &&
                faces_at(run, own->body[1 - which], place, seam.tol) == 1)
                return true;
    }
    return false;
}

/* Does a seam of fixed bodies settle the normal? */
static bool
at_seam(struct rt *run, uint32_t contact, const struct touching *touch,
        const struct nearest_features *at, double least,
        struct contact_manifold *out)
{
    double place[MANIFOLD_POINTS][3];
    int n = 0;
    for (; n < touch->shared.n && n < MANIFOLD_POINTS; n++)
        memcpy(place[n], touch->shared.v[n].P, sizeof place[n]);
    if (n == 0)
        memcpy(place[n++], at->P, sizeof place[0]);
    polytope_cover_settle(run, contact, touch->s, (const double(*)[3])place, n,
                          least, touch->tol, out);
    return out->n_choice == 1;
}

static void
room(struct rt *run, uint32_t contact, struct touching *touch)
{
    struct polytope_contact_memo *memo = polytope_contact_memo(run, contact);
    int n = (int)(touch->s->p[0]->n_vertex + touch->s->p[1]->n_vertex) + 1;
    size_t each = (size_t)(4 * n + 4);
    if (memo->spot_room < each) {
        memo->spot_room = (uint32_t)each;
        memo->spot =
            arena_alloc(run->own, 4 * each * sizeof(struct polygon_point));
    }
    struct polygon *all[] = {&touch->body[0], &touch->body[1], &touch->shared,
                             &touch->tmp};
    for (size_t i = 0; i < 4; i++) {
        all[i]->v = (struct polygon_point *)memo->spot + i * each;
        all[i]->room = (int)each - 2;
    }
}

int
polytope_pair_manifold(struct rt *run, uint32_t contact, double tol,
                       struct contact_manifold *out)
{
    assert(out != NULL && tol >= 0.0);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct polytope_scene scene;
    struct touching touch = {.s = &scene};
    struct nearest_features at;
    struct support_body support;
    memset(out, 0, sizeof *out);
    int st = polytope_pair_closest(run, contact, &at);
    if (st)
        return st;
    polytope_scene_get(run, contact, false, &scene);
    nearest_features_find(&scene, &at.pair, &at);
    touch.tol = fmax(tol, 64.0 * DBL_EPSILON * scene.size);
    double least = fmin(at.gap, 0.0) - touch.tol;
    polytope_normal_choices(run, &scene, least, out);
    polytope_corners_leave_one(&scene, touch.tol, out);
    room(run, contact, &touch);
    points_along(&touch, best_of(&scene, out, &at));
    if (out->n_choice > 1 && at_seam(run, contact, &touch, &at, least, out))
        points_along(&touch, best_of(&scene, out, &at));
    if (touch.shared.n == 0 && out->n_choice == 1)
        try_parallel(&scene, least, &touch);
    double normal[3];
    memcpy(normal, touch.n, sizeof normal);
    if (out->n_choice > 1) {
        out->kind = MANIFOLD_OPEN;
        memset(normal, 0, sizeof normal);
        if ((st = settle_open(run, contact, &scene, least, touch.tol, out,
                              normal)))
            return st;
    } else {
        out->kind = touch.shared.n > 2    ? MANIFOLD_AREA
                    : touch.shared.n == 2 ? MANIFOLD_LINE
                                          : MANIFOLD_POINT;
    }
    if ((st = report(run, image_contact, &touch, &at, out)))
        return st;
    support_body_get(run, image_contact->body[0], &support);
    support_rotate(&support, normal, out->n);
    for (int i = 0; i < out->n_choice; i++) {
        double world[3];
        support_rotate(&support, out->choice[i].n, world);
        memcpy(out->choice[i].n, world, sizeof world);
    }
    if (out->kind != MANIFOLD_OPEN)
        out->n_choice = 0;
    return IMP_OK;
}
