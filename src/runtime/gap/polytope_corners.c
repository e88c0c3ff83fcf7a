/* SPDX-License-Identifier: MIT */
/* A corner of a polygon that meets a corner of another: which corners these
 * are, and the normal of corners that are rounded (rounded_corner.h). What has
 * brought them together says it: the velocity at which they meet, or, where
 * they rest on each other, their acceleration. It is kept for as long as they
 * stay together. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/features/rounded_corner.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/pose.h"
#include "runtime/geometry/support.h"

/* Velocities up to so many times what counts as none are what tolerances leave,
 * and velocities that differ by this factor have clearly different sizes. */
#define CORNERS_SLOW 1e3

/* Two corners at one place, in the plane. */
struct corners {
    uint32_t vertex[2];
    double place[3]; /* in the axes of body 0 */
    /* the normals at both ends of those that are possible, and of which face of
     * which body they are */
    double most[2][2];
    uint32_t body[2], face[2];
};

/* Finds the corners that touch, and the two normals that are furthest apart.
 * False: they are further apart than tol, or the model lies in space. */
static bool
corners_find(const struct polytope_scene *scene,
             const struct contact_manifold *manifold, double tol,
             struct corners *out)
{
    double least = INFINITY, widest = INFINITY;
    if (scene->dim != 2 || manifold->n_choice < 2)
        return false;
    for (uint32_t i = 0; i < scene->p[0]->n_vertex; i++)
        for (uint32_t j = 0; j < scene->p[1]->n_vertex; j++) {
            const double *a = scene->p[0]->vertex[i], *b = scene->point[j];
            double apart = fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
            if (apart < least) {
                least = apart;
                out->vertex[0] = i;
                out->vertex[1] = j;
                memcpy(out->place, a, sizeof out->place);
            }
        }
    for (int i = 0; i < manifold->n_choice; i++)
        for (int j = 0; j < i; j++) {
            double cosine =
                vec3_dot(manifold->choice[i].n, manifold->choice[j].n);
            if (cosine >= widest)
                continue;
            widest = cosine;
            for (int end = 0; end < 2; end++) {
                const struct manifold_choice *one =
                    &manifold->choice[end == 0 ? i : j];
                memcpy(out->most[end], one->n, sizeof out->most[end]);
                out->body[end] = one->body;
                out->face[end] = one->face;
            }
        }
    return least <= tol;
}

void
polytope_corners_leave_one(const struct polytope_scene *scene, double tol,
                           struct contact_manifold *out)
{
    assert(scene != NULL && out != NULL);
    struct corners at;
    uint32_t v[2];
    int best = 0;
    double most = -INFINITY;
    if (scene->dim != 2 || out->n_choice < 2 ||
        corners_find(scene, out, 2.0 * tol, &at))
        return;
    for (int i = 0; i < out->n_choice; i++) {
        double apart = polytope_separation(scene, out->choice[i].n, v);
        if (apart > most) {
            most = apart;
            best = i;
        }
    }
    out->choice[0] = out->choice[best];
    out->n_choice = 1;
}

/* The face of a third body on which this place of the world lies; false: on
 * none, or at its end. */
static bool
lies_on(struct rt *run, uint32_t third, const double place[3], double tol,
        double normal[3])
{
    const struct polytope *polytope = run->polytope[third];
    struct support_body support;
    double away[3], local[3];
    const struct polytope_face *on = NULL;
    support_body_get(run, third, &support);
    for (int i = 0; i < 3; i++)
        away[i] = place[i] - support.c[i];
    support_rotate_back(&support, away, local);
    for (uint32_t f = 0; f < polytope->n_face; f++) {
        const struct polytope_face *face = &polytope->face[f];
        double over = vec3_dot(face->n, local) - face->d;
        if (over > tol || (over >= -tol && on))
            return false;
        if (over >= -tol)
            on = face;
    }
    if (on)
        support_rotate(&support, on->n, normal);
    return on != NULL;
}

/* Moves the circle that rounds a corner of this body onto the side of a third
 * body on which the corner lies. `centre` is in the axes of body 0. False: it
 * lies on two of them. */
static bool
onto_third(struct rt *run, uint32_t contact, uint32_t body,
           const double place[3], double centre[2])
{
    struct support_body first;
    double world[3], normal[3], local[3], before[2] = {0.0, 0.0};
    bool any = false;
    support_body_get(run, rt_contact(run, contact)->body[0], &first);
    support_rotate(&first, place, world);
    for (int i = 0; i < 3; i++)
        world[i] += first.c[i];
    for (uint32_t c = 0; c < run->im->contacts.n; c++) {
        const imp_contact *other = rt_contact(run, c);
        double tol, rate;
        if (c == contact || other->system != IMP_NO_SYSTEM ||
            !(other->flags & IMP_CONTACTF_CORNERS) ||
            (other->body[0] != body && other->body[1] != body) ||
            polytope_contact_is_smooth(run, other))
            continue;
        gap_tolerances(run, c, &tol, &rate);
        if (!lies_on(run, other->body[other->body[0] == body], world, tol,
                     normal))
            continue;
        support_rotate_back(&first, normal, local);
        if (any &&
            hypot(local[0] - before[0], local[1] - before[1]) > TOUCH_SAME)
            return false;
        if (!any)
            rounded_corner_on_side(local, centre);
        any = true;
        memcpy(before, local, sizeof before);
    }
    return true;
}

/* The velocity of body 1 against body 0 at the corners, in the axes of body 0.
 */
static void
corners_velocity(struct rt *run, const imp_contact *image_contact,
                 const double place[3], double velocity[3])
{
    struct support_body first;
    double world[3], apart[3] = {0.0, 0.0, 0.0};
    support_body_get(run, image_contact->body[0], &first);
    support_rotate(&first, place, world);
    for (int which = 0; which < 2; which++) {
        const imp_body *body = rt_body(run, image_contact->body[which]);
        double sign = which == 0 ? -1.0 : 1.0, arm[3],
               spin[3] = {0.0, 0.0, 0.0};
        struct support_body support;
        if (body_rests(body))
            continue;
        support_body_get(run, image_contact->body[which], &support);
        spin[2] = run->env[body->env_state + 5];
        for (int i = 0; i < 3; i++)
            arm[i] = world[i] + first.c[i] - support.c[i];
        body_add_velocity(run, body, sign, apart);
        vec3_add_scaled_cross(sign, spin, arm, apart);
    }
    support_rotate_back(&first, apart, velocity);
}

/* The mean angle of both bodies, from which the kept normal is measured. */
static double
mean_angle(const struct rt *run, const imp_contact *image_contact)
{
    return 0.5 *
           (run->env[rt_body(run, image_contact->body[0])->env_state + 2] +
            run->env[rt_body(run, image_contact->body[1])->env_state + 2]);
}

/* Was it kept for these corners? */
static bool
is_of(const struct rounded_normal *kept, const imp_contact *image_contact,
      const uint32_t vertex[2])
{
    bool same = kept->known;
    for (int i = 0; i < 2; i++)
        same = same && kept->body[i] == image_contact->body[i] &&
               kept->vertex[i] == vertex[i];
    return same;
}

/* The normal that was kept for these corners, in the axes of body 0; where it
 * has rolled past the end of those that are possible, that end. */
static bool
kept_normal(const struct rt *run, const imp_contact *image_contact,
            const struct rounded_normal *kept, const struct corners *at,
            double normal[2])
{
    if (!is_of(kept, image_contact, at->vertex))
        return false;
    double angle =
        kept->angle + mean_angle(run, image_contact) -
        run->env[rt_body(run, image_contact->body[0])->env_state + 2];
    normal[0] = cos(angle);
    normal[1] = sin(angle);
    for (int end = 0; end < 2; end++) {
        const double *n = at->most[end], *other = at->most[1 - end];
        double turn = other[0] * n[1] - other[1] * n[0],
               past = n[0] * normal[1] - n[1] * normal[0];
        if (turn * past > 0.0)
            memcpy(normal, n, 2 * sizeof *normal);
    }
    return true;
}

static void
keep_normal(struct rt *run, const imp_contact *image_contact,
            struct rounded_normal *kept, const struct corners *at,
            const double normal[2])
{
    *kept = (struct rounded_normal){
        .known = true,
        .body = {image_contact->body[0], image_contact->body[1]},
        .vertex = {at->vertex[0], at->vertex[1]},
        .angle = atan2(normal[1], normal[0]) +
                 run->env[rt_body(run, image_contact->body[0])->env_state + 2] -
                 mean_angle(run, image_contact),
        .time = rt_time(run)};
}

/* Where the rounded corners meet that come together along `path`. */
static bool
come_together(struct rt *run, uint32_t contact,
              const struct polytope_scene *scene, const struct corners *at,
              const double path[2], bool *meet, double normal[2])
{
    const imp_contact *image_contact = rt_contact(run, contact);
    struct rounded_corners in = {.path = {path[0], path[1]}};
    double centre[2][2], own[2];
    memcpy(in.most, at->most, sizeof in.most);
    rounded_corner_centre(scene->p[0], at->vertex[0], centre[0]);
    rounded_corner_centre(scene->p[1], at->vertex[1], own);
    for (int i = 0; i < 2; i++)
        centre[1][i] = scene->R[3 * i] * own[0] + scene->R[3 * i + 1] * own[1];
    for (int which = 0; which < 2; which++)
        if (!onto_third(run, contact, image_contact->body[which], at->place,
                        centre[which]))
            return false;
    for (int i = 0; i < 2; i++)
        in.from[i] = centre[1][i] - centre[0][i];
    *meet = rounded_corners_meet(&in, normal);
    return true;
}

/* Which of both ends is on the left of the other, or on the right of it. */
static int
end_beside(const struct corners *at, bool left)
{
    const double *one = at->most[0], *other = at->most[1];
    return (one[0] * other[1] - one[1] * other[0] > 0.0) == left;
}

/* A velocity (m/s) at or below this is none: as in verdicts, RT_TOLERANCE of
 * the speeds, or of what the weight makes of rest over one length. */
static double
no_velocity(struct rt *run, uint32_t contact)
{
    double gap, rate;
    gap_tolerances(run, contact, &gap, &rate);
    return rate / RT_GAP_SHARE +
           RT_TOLERANCE *
               sqrt(2.0 * gap_weight(run, contact) * gap_length(run, contact));
}

/* Corners that slip along the side at one end leave each other: one of them
 * goes on as a corner on that side. Returns that end; -1: they do not. */
static int
slips_along(const struct corners *at, const double velocity[3], double none)
{
    for (int left = 0; left < 2; left++) {
        int end = end_beside(at, left);
        const double *n = at->most[end];
        double rate = n[0] * velocity[0] + n[1] * velocity[1],
               slip = n[1] * velocity[0] - n[0] * velocity[1];
        /* the side of the right end leads along its normal turned by -90
         * degrees, that of the left end the other way */
        if (left)
            slip = -slip;
        if (slip > none && fabs(rate) <= fmin(none, slip / CORNERS_SLOW))
            return end;
    }
    return -1;
}

/* What tolerances leave of a velocity may lead past a corner by less than a
 * tolerance of a gap, so that the side beside it comes nearer although the
 * corners part. Then the normal of that side is taken. */
static void
leave_slowly(struct rt *run, uint32_t contact, const struct corners *at,
             const double velocity[3], double normal[2])
{
    double gap, rate, least;
    gap_tolerances(run, contact, &gap, &rate);
    if (normal[0] * velocity[0] + normal[1] * velocity[1] < -rate)
        return;
    least = -rate;
    for (int end = 0; end < 2; end++) {
        const double *n = at->most[end];
        double closing = n[0] * velocity[0] + n[1] * velocity[1];
        if (closing < least) {
            least = closing;
            memcpy(normal, n, 2 * sizeof *normal);
        }
    }
}

/* Settles an open normal of rounded corners: by the side along which they slip;
 * by the normal that was kept for this instant, or while they stay together;
 * else by their velocity. *normal is in the axes of body 0. False: it stays
 * open. */
static bool
rounded(struct rt *run, uint32_t contact, const struct polytope_scene *scene,
        const struct corners *at, bool *meet, int *end, double normal[2])
{
    const imp_contact *image_contact = rt_contact(run, contact);
    const struct rounded_normal *kept = &run->closest.corner[contact];
    double velocity[3], none = no_velocity(run, contact);
    corners_velocity(run, image_contact, at->place, velocity);
    *meet = true;
    *end = slips_along(at, velocity, none);
    if (*end >= 0) {
        memcpy(normal, at->most[*end], 2 * sizeof *normal);
        return true;
    }
    bool rest = vec3_norm(velocity) <= none;
    if ((rest || kept->time == rt_time(run)) &&
        kept_normal(run, image_contact, kept, at, normal)) {
        if (vec3_norm(velocity) <= CORNERS_SLOW * none)
            leave_slowly(run, contact, at, velocity, normal);
        return true;
    }
    return !rest &&
           come_together(run, contact, scene, at, velocity, meet, normal);
}

void
polytope_corners_settle(struct rt *run, uint32_t contact,
                        const struct polytope_scene *scene, double tol,
                        struct contact_manifold *out, double normal[3])
{
    assert(scene != NULL && out != NULL && normal != NULL);
    struct corners at;
    bool meet;
    int end;
    out->corners = corners_find(scene, out, 2.0 * tol, &at);
    if (!out->corners)
        return;
    memcpy(out->corner, at.vertex, sizeof out->corner);
    if (run->corners != CORNERS_ROUNDED ||
        rt_contact(run, contact)->flags & IMP_CONTACTF_NORMAL ||
        !rounded(run, contact, scene, &at, &meet, &end, normal))
        return;
    if (end >= 0) {
        out->side = true;
        out->side_body = (int)at.body[end];
        out->side_face = at.face[end];
    }
    out->stated = meet;
    out->passes = !meet;
    if (!meet)
        memset(normal, 0, 3 * sizeof *normal);
}

/* The scene of a contact of two polygons with the normals that keep them apart,
 * and the corners that touch. False: their normal is not open. */
static bool
open_corners(struct rt *run, uint32_t contact, double tol,
             struct polytope_scene *scene, struct corners *at)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    struct contact_manifold manifold = {.n_choice = 0};
    struct nearest_features near;
    if (run->im->dim != 2 || !(image_contact->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(run, image_contact) ||
        run->polytope[image_contact->body[0]]->n_vertex == 0 ||
        run->polytope[image_contact->body[1]]->n_vertex == 0 ||
        polytope_pair_closest(run, contact, &near))
        return false;
    polytope_scene_get(run, contact, false, scene);
    nearest_features_find(scene, &near.pair, &near);
    double wide = fmax(tol, 64.0 * DBL_EPSILON * scene->size);
    double least = fmin(near.gap, 0.0) - wide;
    polytope_normal_choices(run, scene, least, &manifold);
    if (!corners_find(scene, &manifold, 2.0 * wide, at))
        return false;
    double place[1][3];
    memcpy(place[0], at->place, sizeof place[0]);
    polytope_cover_settle(run, contact, scene, (const double(*)[3])place, 1,
                          least, wide, &manifold);
    return manifold.n_choice > 1;
}

bool
polytope_corners_touch(struct rt *run, uint32_t contact, double tol)
{
    assert(run != NULL && contact < run->im->contacts.n);
    struct polytope_scene scene;
    struct corners at;
    return open_corners(run, contact, tol, &scene, &at);
}

void
polytope_corners_keep(struct rt *run, uint32_t contact, double tol)
{
    assert(run != NULL && contact < run->im->contacts.n);
    struct polytope_scene scene;
    struct corners at;
    double normal[2];
    bool meet;
    int end;
    if (run->corners == CORNERS_ROUNDED &&
        open_corners(run, contact, tol, &scene, &at) &&
        rounded(run, contact, &scene, &at, &meet, &end, normal) && meet)
        keep_normal(run, rt_contact(run, contact),
                    &run->closest.corner[contact], &at, normal);
}

void
polytope_corners_press(struct rt *run, uint32_t contact, double tol)
{
    assert(run != NULL && contact < run->im->contacts.n);
    struct polytope_scene scene;
    struct corners at;
    struct taylor centre[3], turn[9];
    double normal[2], path[2];
    bool meet;
    if (run->corners != CORNERS_ROUNDED ||
        !open_corners(run, contact, tol, &scene, &at) ||
        kept_normal(run, rt_contact(run, contact),
                    &run->closest.corner[contact], &at, normal) ||
        polytope_relative_pose(run, contact, 2, centre, turn, NULL))
        return;
    const double *own = scene.p[1]->vertex[at.vertex[1]];
    for (int i = 0; i < 2; i++)
        path[i] = centre[i].c[2] + turn[3 * i].c[2] * own[0] +
                  turn[3 * i + 1].c[2] * own[1];
    if ((path[0] != 0.0 || path[1] != 0.0) &&
        come_together(run, contact, &scene, &at, path, &meet, normal) && meet)
        keep_normal(run, rt_contact(run, contact),
                    &run->closest.corner[contact], &at, normal);
}

void
polytope_corners_choose(struct rt *run, uint32_t corners)
{
    assert(run != NULL && corners < CORNERS_COUNT);
    run->corners = corners;
    size_t n = rt_contact_room(run);
    if (corners == CORNERS_ROUNDED && run->closest.corner == NULL)
        run->closest.corner = NEW_N(run->own, struct rounded_normal, n + 1);
    if (run->closest.corner != NULL)
        memset(run->closest.corner, 0, n * sizeof *run->closest.corner);
}

bool
polytope_corners_settled(const struct rt *run, uint32_t contact,
                         const uint32_t vertex[2])
{
    assert(run != NULL && contact < run->im->contacts.n && vertex != NULL);
    if (rt_contact(run, contact)->flags & IMP_CONTACTF_NORMAL)
        return true;
    if (run->corners != CORNERS_ROUNDED)
        return false;
    return is_of(&run->closest.corner[contact], rt_contact(run, contact),
                 vertex);
}

/* Turns (1, 0), whose angle is `angle` now, by half of what `turn` turns from
 * now on. */
static void
half_turn(int order, const struct taylor turn[9], double angle,
          struct taylor normal[3])
{
    const struct taylor *c = &turn[0], *s = &turn[3];
    double c0 = c->c[0], s0 = s->c[0];
    struct taylor cosine, sine, term, half[2];
    taylor_scale(order, c0, c, &cosine);
    taylor_scale(order, s0, s, &term);
    taylor_add(order, &cosine, &term, &cosine);
    taylor_scale(order, c0, s, &sine);
    taylor_scale(order, -s0, c, &term);
    taylor_add(order, &sine, &term, &sine);
    /* cos(x/2) = sqrt((1 + cos x)/2), sin(x/2) = sin x/(2 cos(x/2)) */
    cosine.c[0] += 1.0;
    taylor_scale(order, 0.5, &cosine, &cosine);
    taylor_sqrt(order, &cosine, &half[0]);
    taylor_div(order, &sine, &half[0], &half[1]);
    taylor_scale(order, 0.5, &half[1], &half[1]);
    double x = cos(angle), y = sin(angle);
    taylor_scale(order, x, &half[0], &normal[0]);
    taylor_scale(order, -y, &half[1], &term);
    taylor_add(order, &normal[0], &term, &normal[0]);
    taylor_scale(order, y, &half[0], &normal[1]);
    taylor_scale(order, x, &half[1], &term);
    taylor_add(order, &normal[1], &term, &normal[1]);
    taylor_const(order, 0.0, &normal[2]);
}

bool
polytope_corners_normal(const struct rt *run, uint32_t contact, int order,
                        const struct taylor turn[9], struct taylor normal[3])
{
    assert(run != NULL && contact < run->im->contacts.n && normal != NULL);
    assert(run->im->dim == 2 && turn != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    double first =
        run->env[rt_body(run, image_contact->body[0])->env_state + 2];
    if (image_contact->flags & IMP_CONTACTF_NORMAL) {
        double world[3];
        pose_carry(run, image_contact->body[0], true,
                   run->env + image_contact->env_contact +
                       IMP_CONTACT_DIRECTION,
                   world);
        double angle = atan2(world[1], world[0]) - first;
        taylor_const(order, cos(angle), &normal[0]);
        taylor_const(order, sin(angle), &normal[1]);
        taylor_const(order, 0.0, &normal[2]);
        return true;
    }
    if (run->corners != CORNERS_ROUNDED || !run->closest.corner[contact].known)
        return false;
    half_turn(order, turn,
              run->closest.corner[contact].angle +
                  mean_angle(run, image_contact) - first,
              normal);
    return true;
}

int
polytope_corners_roll(struct rt *run, uint32_t contact, int order,
                      const struct taylor turn[9],
                      const struct taylor normal[3], struct taylor side[2])
{
    assert(run != NULL && turn != NULL && normal != NULL && side != NULL);
    double tol, rate;
    struct polytope_scene scene;
    struct corners at;
    gap_tolerances(run, contact, &tol, &rate);
    if (!open_corners(run, contact, tol, &scene, &at))
        return 0;
    for (int left = 0; left < 2; left++) {
        int end = end_beside(&at, left);
        const struct polytope *polytope = scene.p[at.body[end]];
        const double *n = polytope->face[at.face[end]].n;
        struct taylor along[2], term;
        for (int i = 0; i < 2; i++) {
            taylor_const(order, n[i], &along[i]);
            if (at.body[end] == 0)
                continue;
            taylor_scale(order, -n[0], &turn[3 * i], &along[i]);
            taylor_scale(order, -n[1], &turn[3 * i + 1], &term);
            taylor_add(order, &along[i], &term, &along[i]);
        }
        taylor_mul(order, &along[0], &normal[1], &side[left]);
        taylor_mul(order, &along[1], &normal[0], &term);
        taylor_sub(order, &side[left], &term, &side[left]);
        taylor_scale(order, left ? -scene.size : scene.size, &side[left],
                     &side[left]);
    }
    return 2;
}

bool
polytope_corners_end(struct rt *run, uint32_t contact, bool left, double tol,
                     int *body, uint32_t *face)
{
    assert(run != NULL && body != NULL && face != NULL);
    struct polytope_scene scene;
    struct corners at;
    if (!open_corners(run, contact, tol, &scene, &at))
        return false;
    int end = end_beside(&at, left);
    *body = (int)at.body[end];
    *face = at.face[end];
    return true;
}
