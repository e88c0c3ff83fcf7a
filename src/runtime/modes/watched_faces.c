/* SPDX-License-Identifier: MIT */
/* Points of polytopes that nearly rest on one another (watched_faces.h).
 *
 * Two bodies that lie on one another by faces touch at the corners of what the
 * faces share: vertices of either face over the other, and crossings of their
 * edges. While the faces are almost parallel no other features can touch, so
 * these points are all that has to be watched. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/polytope.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/friction_forecast.h"
#include "runtime/modes/mode_select.h"
#include "runtime/modes/watched_faces.h"
#include "runtime/numerics/vec3.h"

/* Vertices that are nearer to the plane of a face than this share of the
 * length have to be between its sides by as much, where no crossings of edges
 * are watched. */
#define FACE_NEAR 1e-6
/* Two faces are watched until a vertex of one gets as far from the other as
 * this share of the height at which the next vertex of its body is. */
#define FACE_HIGH 1e-2
/* A vertex this many tolerances past a side is on it, and a crossing this near
 * to the end of an edge is that end. A vertex that is held gets much further
 * before it is let go (FACE_END_LAG). */
#define FACE_SLACK 8.0
/* Edges of the two faces are watched if the sine between them is not below the
 * first, and their common normal is along that of the face by this cosine, or
 * keeps the bodies apart. Others run along each other, or cross at an inner
 * side of one of them. */
#define CROSSING_SINE 1e-6
#define CROSSING_ALONG 0.1

typedef void each_point(void *ctx, const struct contact_point *at,
                        const struct taylor *gap);

/* -- the points -------------------------------------------------------------
 */

static bool
on_face(const struct polytope *polytope, uint32_t face, uint32_t vertex)
{
    const struct polytope_face *at = &polytope->face[face];
    for (uint32_t i = 0; i < at->count; i++)
        if (polytope->loop[at->first + i] == vertex)
            return true;
    return false;
}

static const struct polytope *
polytope_of(const struct rt *run, uint32_t contact, int body)
{
    return run->polytope[rt_contact(run, contact)->body[body]];
}

/* places of vertices of body 1 that are on the face of body 0 now */
struct taken {
    int n, room;
    double (*place)[3];
};

struct points {
    struct rt *run;
    const struct watched_faces *faces;
    const struct contact_point *base;
    each_point *each;
    void *ctx;
    struct taken taken;
    struct polytope_scene scene; /* of two faces */
    bool apart;                  /* what is open counts for itself */
};

/* Where the point is now, without its height above the face of body 0. */
static bool
place_on_face(struct points *points, const struct contact_point *at,
              double place[3])
{
    const struct watched_faces *faces = points->faces;
    const double *normal = polytope_of(points->run, faces->contact, 0)
                               ->face[faces->base[0].face]
                               .n;
    struct taylor series[3];
    double height = 0.0;
    if (contact_point_place(points->run, at, 0, series))
        return false;
    for (int i = 0; i < 3; i++)
        height += (place[i] = series[i].c[0]) * normal[i];
    for (int i = 0; i < 3; i++)
        place[i] -= height * normal[i];
    return true;
}

/* Is a vertex of body 1 at the same place, which is on the face of body 0? */
static bool
is_taken(struct points *points, const struct contact_point *at)
{
    double place[3], near = 2.0 * points->faces->slack;
    if (!points->taken.n || !place_on_face(points, at, place))
        return false;
    for (int i = 0; i < points->taken.n; i++) {
        const double *other = points->taken.place[i];
        if (fabs(place[0] - other[0]) <= near &&
            fabs(place[1] - other[1]) <= near &&
            fabs(place[2] - other[2]) <= near)
            return true;
    }
    return false;
}

/* Does this point rest on its face? Points of two faces that are open, or about
 * to be, may be at one place now, and where they come down it may be one alone
 * that is on the face. */
static bool
lies(const struct points *points, const struct contact_point *at,
     const struct taylor *gap)
{
    double tol, rate;
    gap_tolerances(points->run, at->contact, &tol, &rate);
    return fabs(gap->c[0]) <= 2.0 * tol &&
           fabs(gap->c[1]) <=
               fmax(rate, mode_still_rate(points->run, at->contact, 0.0));
}

static void
take(struct points *points, const struct contact_point *at)
{
    struct taken *taken = &points->taken;
    if (taken->n < taken->room &&
        contact_set_between(points->run, at, points->faces->slack) &&
        place_on_face(points, at, taken->place[taken->n]))
        taken->n++;
}

/* Is this vertex one of the other face? Of one face alone all are asked. */
static bool
on_it(void *ctx, uint32_t vertex)
{
    const struct points *points = ctx;
    const struct watched_faces *faces = points->faces;
    int other = 1 - points->base->face_of;
    return faces->n_base != 2 ||
           on_face(polytope_of(points->run, points->base->contact, other),
                   faces->base[other].face, vertex);
}

static void
one_vertex(void *ctx, uint32_t vertex, const struct taylor *gap)
{
    struct points *points = ctx;
    const struct watched_faces *faces = points->faces;
    struct contact_point at = *points->base;
    at.vertex = vertex;
    if (faces->n_base == 2) {
        if (at.face_of == 0)
            take(points, &at);
        else if (is_taken(points, &at) &&
                 (!points->apart || lies(points, &at, gap)))
            return;
    }
    points->each(points->ctx, &at, gap);
}

/* Is this a pair of edges of the two faces? */
static bool
of_faces(void *ctx, const struct contact_point *at)
{
    const struct points *points = ctx;
    for (int body = 0; body < 2; body++) {
        const struct polytope_edge *edge =
            polytope_of(points->run, at->contact, body)->edge +
            (body == 0 ? at->face : at->vertex);
        uint32_t face = points->faces->base[body].face;
        if (edge->face[0] != face && edge->face[1] != face)
            return false;
    }
    return !(points->apart && contact_set_holds(points->run, at));
}

/* Do these edges, which cross now, not run along each other? */
static bool
clearly_cross(const struct points *points, const struct contact_point *at)
{
    const struct polytope *polytope = polytope_of(points->run, at->contact, 0);
    double other[3], cross[3];
    mat3_apply(points->scene.R,
               polytope_of(points->run, at->contact, 1)->edge[at->vertex].dir,
               other);
    vec3_cross(polytope->edge[at->face].dir, other, cross);
    double sine = vec3_norm(cross);
    const double *normal = polytope->face[points->faces->base[0].face].n;
    return sine >= CROSSING_SINE &&
           (fabs(vec3_dot(cross, normal)) >= CROSSING_ALONG * sine ||
            polytope_edges_cross(&points->scene, at->face, at->vertex, other));
}

/* Edges that lie in one plane to rounding have a common normal across it, along
 * which the bodies overlap by far more than faces do that lie on one another:
 * that is no direction that keeps them apart. */
static void
one_crossing(void *ctx, const struct contact_point *at,
             const struct taylor *gap)
{
    struct points *points = ctx;
    if (!clearly_cross(points, at) ||
        (gap->c[0] < -points->faces->high &&
         contact_set_between(points->run, at, points->faces->slack)))
        return;
    points->each(points->ctx, at, gap);
}

int
watched_faces_points(struct rt *run, const struct watched_faces *faces,
                     int order, bool apart, each_point *each, void *ctx,
                     double *holds)
{
    assert(run != NULL && faces != NULL && each != NULL);
    assert(faces->n_base == 1 || faces->n_base == 2);
    struct contact_point_ahead ahead = {holds ? *holds : 0.0, 0.0};
    struct points points = {
        .run = run, .faces = faces, .each = each, .ctx = ctx, .apart = apart};
    if (faces->n_base == 2) {
        polytope_scene_get(run, faces->contact, false, &points.scene);
        points.taken.room = (int)polytope_of(run, faces->contact, 1)
                                ->face[faces->base[1].face]
                                .count;
        points.taken.place = arena_alloc(
            run->brief, sizeof *points.taken.place * (size_t)points.taken.room);
    }
    int st = IMP_OK;
    for (int i = 0; i < faces->n_base && !st; i++) {
        points.base = &faces->base[i];
        st = contact_point_vertices(run, points.base, order, on_it, one_vertex,
                                    &points, holds);
    }
    if (st || faces->n_base == 1)
        return st;
    if (holds) {
        ahead.span = fmin(ahead.span, *holds);
        ahead.speed = mode_speeds(run, faces->contact, ahead.span);
    }
    st = contact_point_crossings(run, faces->contact, order, of_faces,
                                 one_crossing, &points, holds ? &ahead : NULL);
    if (holds)
        *holds = fmin(*holds, ahead.span);
    return st;
}

/* -- which of them ----------------------------------------------------------
 */

double
watched_faces_past_end(const struct watched_faces *faces,
                       const struct contact_point *at, double rounding)
{
    assert(rounding >= 0.0);
    if (faces->n_base == 1)
        return rounding;
    return at->kind == POINT_EDGES ? -faces->slack
                                   : fmax(faces->slack, rounding);
}

struct wanted {
    struct contact_point *out;
    double reach, rate; /* of gaps; the rate that counts as none */
    double far, acc; /* what falls from high comes down within this gap, too */
    int n, most;
    bool still;
};

static void
one_wanted(void *ctx, const struct contact_point *at, const struct taylor *gap)
{
    struct wanted *wanted = ctx;
    if (gap->c[0] > wanted->reach &&
        !(gap->c[0] <= wanted->far &&
          points_high(gap->c[1], wanted->acc, gap->c[0])))
        return;
    if (wanted->still ? fabs(gap->c[1]) > wanted->rate
                      : gap->c[1] >= -wanted->rate)
        return;
    if (wanted->n < wanted->most)
        wanted->out[wanted->n++] = *at;
}

/* Keeps those that are between the ends of their faces. */
static int
keep_between(struct rt *run, const struct watched_faces *faces, double out,
             struct wanted *wanted)
{
    int n = 0;
    for (int i = 0; i < wanted->n; i++)
        if (contact_set_between(
                run, &wanted->out[i],
                watched_faces_past_end(faces, &wanted->out[i], out)))
            wanted->out[n++] = wanted->out[i];
    return n;
}

int
watched_faces_closed(struct rt *run, const struct watched_faces *faces,
                     bool still, struct contact_point *out, int most)
{
    assert(faces != NULL && out != NULL && most > 0);
    struct wanted wanted = {.out = out, .most = most, .still = still};
    double tol, rate;
    gap_tolerances(run, faces->contact, &tol, &rate);
    gap_rounding(run, faces->contact, &wanted.reach, &wanted.rate);
    /* what is still is so by the measure of the choice that follows */
    if (still)
        wanted.rate =
            fmax(wanted.rate, mode_still_rate(run, faces->contact, 0.0));
    wanted.far = still ? 0.0 : tol;
    wanted.acc = gap_weight(run, faces->contact);
    if (contact_set_series(run, faces->contact) ||
        watched_faces_points(run, faces, 1, false, one_wanted, &wanted, NULL))
        return -1;
    return keep_between(run, faces, tol, &wanted);
}

/* -- which faces ------------------------------------------------------------
 */

struct beyond {
    struct rt *run;
    struct contact_point base;
    double low, near;
    bool all;
};

static void
one_beyond(void *ctx, uint32_t vertex, const struct taylor *gap)
{
    struct beyond *beyond = ctx;
    struct contact_point at = beyond->base;
    at.vertex = vertex;
    if (gap->c[0] < -beyond->low ||
        (gap->c[0] <= beyond->near &&
         !contact_set_between(beyond->run, &at, -beyond->near)))
        beyond->all = false;
}

/* Are all points vertices of one body on one face of the other, while all
 * vertices are beyond the plane of that face and those near it between its
 * sides? */
static bool
one_face(struct rt *run, uint32_t contact, const struct contact_point *spot,
         int n, double tol, struct watched_faces *out)
{
    for (int i = 0; i < n; i++)
        if (spot[i].kind != POINT_VERTEX ||
            spot[i].face_of != spot[0].face_of || spot[i].face != spot[0].face)
            return false;
    struct beyond beyond = {run, spot[0], tol,
                            FACE_NEAR * gap_length(run, contact), true};
    if (contact_point_vertices(run, &beyond.base, 0, NULL, one_beyond, &beyond,
                               NULL))
        return false;
    *out = (struct watched_faces){
        .contact = contact, .n_base = 1, .base = {beyond.base, beyond.base}};
    return beyond.all;
}

struct aside {
    struct rt *run;
    const struct contact_point *base;
    double tol;
    bool clear; /* of the sides of the other body */
    const struct polytope *polytope;
    uint32_t face;          /* of the body whose vertices these are */
    double next;            /* the least height of its other vertices */
    double least, greatest; /* of vertices of the face */
};

static void
one_aside(void *ctx, uint32_t vertex, const struct taylor *gap)
{
    struct aside *aside = ctx;
    if (!on_face(aside->polytope, aside->face, vertex)) {
        aside->next = fmin(aside->next, gap->c[0]);
        return;
    }
    aside->least = fmin(aside->least, gap->c[0]);
    aside->greatest = fmax(aside->greatest, gap->c[0]);
    if (gap->c[0] < -aside->tol) {
        struct contact_point at = *aside->base;
        struct taylor *side;
        bool clear = false;
        at.vertex = vertex;
        for (int k = contact_point_sides(aside->run, &at, 0, &side); k-- > 0;)
            clear |= side[k].c[0] < WATCHED_FACES_LEAN * gap->c[0];
        aside->clear &= clear;
    }
}

/* Do two faces lie on one another, almost parallel, with all else of both
 * bodies far beyond their planes? */
static bool
two_faces(struct rt *run, uint32_t contact, const struct contact_point *spot,
          int n, double tol, struct watched_faces *out)
{
    int first = 0;
    while (first + 1 < n && spot[first].kind != POINT_VERTEX)
        first++;
    *out = (struct watched_faces){.contact = contact,
                                  .n_base = 2,
                                  .high = INFINITY,
                                  .slack = FACE_SLACK * tol};
    if (spot[first].kind == POINT_CORNERS)
        return false;
    contact_set_opposed(run, &spot[first], out->base);
    for (int body = 0; body < 2; body++) {
        struct aside aside = {.run = run,
                              .base = &out->base[body],
                              .tol = tol,
                              .clear = true,
                              .polytope = polytope_of(run, contact, 1 - body),
                              .face = out->base[1 - body].face,
                              .next = INFINITY,
                              .least = INFINITY,
                              .greatest = -INFINITY};
        if (contact_point_vertices(run, &out->base[body], 0, NULL, one_aside,
                                   &aside, NULL) ||
            !aside.clear)
            return false;
        double high = FACE_HIGH * aside.next;
        if (!(2.0 * fmax(aside.greatest, -aside.least) < high))
            return false;
        out->high = fmin(out->high, high);
    }
    return true;
}

bool
watched_faces_find(struct rt *run, uint32_t contact, double tol,
                   struct watched_faces *out)
{
    assert(out != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    int room = contact_set_room(run, contact);
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)room);
    if (image_contact->system != IMP_NO_SYSTEM ||
        image_contact->flags & IMP_CONTACTF_STATED ||
        !(image_contact->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(run, image_contact) ||
        polytope_of(run, contact, 0)->n_vertex == 0 ||
        polytope_of(run, contact, 1)->n_vertex == 0)
        return false;
    int n = contact_set_points(run, contact, tol, spot, room);
    if (n < 1 || contact_set_series(run, contact))
        return false;
    return one_face(run, contact, spot, n, tol, out) ||
           two_faces(run, contact, spot, n, tol, out);
}

/* in tolerances of a gap */
#define SET_CLOSED 2.0

double
contact_set_closed(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    double tol, rate;
    gap_tolerances(run, contact, &tol, &rate);
    return SET_CLOSED * tol;
}
