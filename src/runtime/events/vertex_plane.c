/* SPDX-License-Identifier: MIT */
/* Polytopes over planes (vertex_plane.h): which contacts these are, their
 * flights (vertex_plane_search.c) and their impacts. Contacts of other kinds
 * are passed over while balls around their bodies stay apart. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/events/event_priv.h"
#include "runtime/events/vertex_plane_priv.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

/* a touch with a rate below this share of the speeds is left to the general
 * search */
#define VERTEX_PLANE_SLOW 1e-6
/* I1: energy of one impact against its law, relative */
#define VERTEX_PLANE_CONSERVES 1e-12

struct vertex_planes {
    struct rt *r;
    uint32_t n;
    struct vertex_plane *plane;
    struct vertex_plane_course *course;
    bool *other; /* per contact: is it of another kind? */
};
/* -- set-up -----------------------------------------------------------------
 */

/* Finds the offsets of `count` entries of the state. Returns false if one is
 * missing. */
static bool
find_rows(const struct rt *run, uint32_t block, uint32_t first, uint32_t count,
          uint32_t *out)
{
    const imp_block *bl =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *state = IMP_ARRAY(run->im, bl->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, bl->rows, uint32_t);
    uint32_t found = 0;
    for (uint32_t i = 0; i < bl->state.n; i++)
        if (state[i] >= first && state[i] < first + count) {
            out[state[i] - first] = rows[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
            found++;
        }
    return found == count;
}

/* Finds the offsets of the whole motion of a body. */
static bool
find_motion(const struct rt *run, struct vertex_plane *plane)
{
    const imp_body *body = rt_body(run, plane->body);
    uint32_t state = body->env_state;
    plane->block = body->block;
    if (body->block == IMP_NO_BLOCK || body->block >= run->im->blocks.n)
        return false;
    if (plane->flat)
        return find_rows(run, body->block, state, 2, plane->place) &&
               find_rows(run, body->block, state + 2, 1, plane->turn) &&
               find_rows(run, body->block, state + 5, 1, plane->spin);
    return find_rows(run, body->block, state, 3, plane->place) &&
           find_rows(run, body->block, state + 3, 4, plane->turn) &&
           find_rows(run, body->block, state + 10, 3, plane->spin);
}

static void
take_vertices(struct rt *run, const struct polytope *polytope,
              struct vertex_plane *plane)
{
    plane->n_vertex = polytope->n_vertex;
    plane->n_eight = (polytope->n_vertex + EIGHT - 1) / EIGHT;
    plane->eight = NEW_N(run->arena, struct vertex_eight, plane->n_eight);
    for (uint32_t i = 0; i < plane->n_eight * EIGHT; i++) {
        uint32_t v = i < polytope->n_vertex ? i : polytope->n_vertex - 1;
        struct vertex_eight *eight = &plane->eight[i / EIGHT];
        for (int k = 0; k < 3; k++)
            eight->x[k][i % EIGHT] = polytope->vertex[v][k];
        eight->far[i % EIGHT] = vec3_norm(polytope->vertex[v]);
        plane->radius = fmax(plane->radius, eight->far[i % EIGHT]);
    }
}

/* Is the contact one of a polytope that moves freely over a half-space, which
 * is fixed or driven, with 0 < e <= 1 and without friction? Then fills *plane.
 */
static bool
take(struct rt *run, uint32_t contact, struct vertex_plane *plane)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    const double *env = run->env + image_contact->env_contact;
    memset(plane, 0, sizeof *plane);
    if (image_contact->system != IMP_NO_SYSTEM ||
        !(image_contact->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(run, image_contact))
        return false;
    int flat = run->polytope[image_contact->body[0]]->n_vertex == 0 ? 0 : 1;
    const imp_body *floor = rt_body(run, image_contact->body[flat]),
                   *body = rt_body(run, image_contact->body[1 - flat]);
    const struct polytope *polytope =
        run->polytope[image_contact->body[1 - flat]];
    struct support_body floor_support;
    plane->contact = contact;
    plane->flat = run->im->dim == 2;
    plane->body = image_contact->body[1 - flat];
    plane->e = env[IMP_CONTACT_E];
    if (run->polytope[image_contact->body[flat]]->n_vertex != 0 ||
        polytope->n_vertex == 0 || !(floor->flags & IMP_BODYF_FIXED) ||
        (body->flags & IMP_BODYF_FIXED) ||
        (body->flags & IMP_BODYF_PRESCRIBED) ||
        ((floor->flags | body->flags) & IMP_BODYF_GTIME) ||
        !(plane->e > 0.0 && plane->e <= 1.0) ||
        !contact_is_plain(run, contact, 0) || env[IMP_CONTACT_MU] != 0.0 ||
        env[IMP_CONTACT_MU_STATIC] != 0.0 ||
        env[IMP_CONTACT_MU_IMPACT] != 0.0 || !find_motion(run, plane))
        return false;
    const struct polytope_face *face =
        run->polytope[image_contact->body[flat]]->face;
    plane->driven = floor->flags & IMP_BODYF_PRESCRIBED;
    plane->floor = image_contact->body[flat];
    plane->side = (uint32_t)flat;
    memcpy(plane->own_n, face->n, sizeof plane->own_n);
    plane->own_d = face->d;
    support_body_get(run, plane->floor, &floor_support);
    support_rotate(&floor_support, face->n, plane->n);
    plane->d = face->d + vec3_dot(plane->n, floor_support.c);
    plane->length = gap_length(run, contact);
    take_vertices(run, polytope, plane);
    return true;
}

struct vertex_planes *
vertex_planes_new(struct rt *run)
{
    assert(run != NULL && run->im != NULL);
    const imp_image *im = run->im;
    if (im->joints.n || im->rotors.n || im->systems.n || run->joints)
        return NULL;
    struct vertex_planes *planes = NEW(run->arena, struct vertex_planes);
    planes->r = run;
    planes->plane = NEW_N(run->arena, struct vertex_plane, im->contacts.n + 1);
    planes->other = NEW_N(run->arena, bool, im->contacts.n + 1);
    planes->course =
        NEW_N(run->arena, struct vertex_plane_course, im->contacts.n + 1);
    for (uint32_t contact = 0; contact < im->contacts.n; contact++) {
        planes->other[contact] = !take(run, contact, &planes->plane[planes->n]);
        planes->n += !planes->other[contact];
    }
    return planes->n ? planes : NULL;
}

/* -- impact -----------------------------------------------------------------
 */

/* Sets `normal` to that of the plane now. Returns the velocity of the plane
 * along its normal at a point of the body (body axes). */
static double
plane_now(struct rt *run, const struct vertex_plane *plane, const double *point,
          double *normal)
{
    struct support_body floor, support;
    double spin[3] = {0.0, 0.0, 0.0}, velocity[3] = {0.0, 0.0, 0.0}, at[3],
           turn[3];
    memcpy(normal, plane->n, sizeof plane->n);
    if (!plane->driven)
        return 0.0;
    support_body_get(run, plane->floor, &floor);
    support_body_get(run, plane->body, &support);
    support_rotate(&floor, plane->own_n, normal);
    support_rotate(&support, point, at);
    const double *s = run->env + floor.b->env_state;
    for (int i = 0; i < 3; i++)
        at[i] += support.c[i] - floor.c[i];
    memcpy(velocity, s + (plane->flat ? 3 : 7),
           sizeof *velocity * (plane->flat ? 2 : 3));
    if (plane->flat)
        spin[2] = s[5];
    else
        support_rotate(&floor, s + 10, spin);
    vec3_cross(spin, at, turn);
    return vec3_dot(normal, velocity) + vec3_dot(normal, turn);
}

/* The impulse P = (1 + e) |u| / W at a vertex that is on the plane now, with
 * its normal velocity u against the plane and W = 1/m + (r x g).I^-1 (r x g)
 * (Palffy-Muhoray et al. 2018, eq. (7), with restitution). False if the touch
 * is too slow, or if the energy is not right (I1). */
static bool
impact(struct rt *run, const struct vertex_plane *plane, uint32_t vertex,
       struct vertex_plane_touch *touch)
{
    const imp_body *body = rt_body(run, plane->body);
    const double *constants = run->env + body->env_body,
                 *state = run->env + body->env_state;
    const double *velocity = state + (plane->flat ? 3 : 7);
    double spin[3] = {0.0, 0.0, 0.0}, normal[3], g[3], rn[3], turned[3], Iw[3];
    double x[3], nv = 0.0, vv = 0.0;
    int dim = plane->flat ? 2 : 3;
    for (int i = 0; i < 3; i++)
        x[i] = plane->eight[vertex / EIGHT].x[i][vertex % EIGHT];
    double floor = plane_now(run, plane, x, normal);
    vertex_plane_turn_back(plane->flat, state + (plane->flat ? 2 : 3), normal,
                           g);
    vec3_cross(x, g, rn);
    if (plane->flat) {
        spin[2] = state[5];
        turned[0] = turned[1] = 0.0;
        turned[2] = constants[IMP_BODY_INVINERTIA] * rn[2];
    } else {
        memcpy(spin, state + 10, sizeof spin);
        sym3_apply(constants + IMP_BODY_INVINERTIA, rn, turned);
    }
    for (int i = 0; i < dim; i++) {
        nv += normal[i] * velocity[i];
        vv += velocity[i] * velocity[i];
    }
    double W = constants[IMP_BODY_INVMASS] + vec3_dot(rn, turned);
    double own = nv + vec3_dot(rn, spin), u = own - floor;
    if (!(u < -VERTEX_PLANE_SLOW *
                  (sqrt(vv) + vec3_norm(spin) * plane->radius + fabs(floor))))
        return false;
    double impulse = -(1.0 + plane->e) * u / W;
    touch->contact = plane->contact;
    touch->body = plane->body;
    touch->impulse = impulse;
    /* twice the change of energy, from the motion and as the work of P */
    double inertia[6] = {0.0, 0.0, constants[IMP_BODY_INERTIA]}, sum[3],
           got = 0.0;
    for (int i = 0; i < 3; i++) {
        touch->dv[i] = impulse * constants[IMP_BODY_INVMASS] * normal[i];
        touch->dw[i] = impulse * turned[i];
        sum[i] = 2.0 * spin[i] + touch->dw[i];
        got += i < dim ? constants[IMP_BODY_MASS] * touch->dv[i] *
                             (2.0 * velocity[i] + touch->dv[i])
                       : 0.0;
    }
    if (!plane->flat)
        memcpy(inertia, constants + IMP_BODY_INERTIA, sizeof inertia);
    sym3_apply(inertia, sum, Iw);
    got += vec3_dot(touch->dw, Iw);
    sym3_apply(inertia, spin, Iw);
    double all = constants[IMP_BODY_MASS] * vv + vec3_dot(spin, Iw) +
                 impulse * impulse * W;
    return fabs(got - impulse * (2.0 * own + impulse * W)) <=
           VERTEX_PLANE_CONSERVES * all;
}

void
vertex_planes_impact(struct vertex_planes *planes,
                     const struct vertex_plane_touch *touch)
{
    assert(planes != NULL && touch != NULL);
    struct rt *run = planes->r;
    uint32_t first = rt_body(run, touch->body)->env_state, d = run->im->dim;
    double *s = run->env + first,
           *lo = run->state_lo + first - run->im->layout.state;
    uint32_t v = d == 2 ? 3 : 7, w = d == 2 ? 5 : 10;
    for (uint32_t i = 0; i < d; i++)
        state_add(&s[v + i], &lo[v + i], touch->dv[i]);
    if (d == 2)
        state_add(&s[w], &lo[w], touch->dw[2]);
    for (uint32_t i = 0; i < 3 && d == 3; i++)
        state_add(&s[w + i], &lo[w + i], touch->dw[i]);
}

/* -- flight -----------------------------------------------------------------
 */

/* Lowers *horizon to a time without touches of contacts of other kinds. Returns
 * false if there is none. */
static bool
others_far(const struct vertex_planes *planes, const enum event_watch *watch,
           double *horizon)
{
    for (uint32_t contact = 0; contact < planes->r->im->contacts.n; contact++) {
        if (watch[contact] == WATCH_OPEN)
            return false;
        if (watch[contact] == WATCH_OFF || !planes->other[contact])
            continue;
        double t = advancement_apart(planes->r, contact, *horizon, *horizon);
        if (!(t > 0.0))
            return false;
        *horizon = fmin(*horizon, t);
    }
    return true;
}

/* The first touch within *horizon. *horizon is lowered to its time, or to the
 * time that is known to be free. *best: the plane, planes->n if there is no
 * touch. */
static enum found
first_touch(struct vertex_planes *planes, const enum event_watch *watch,
            double *horizon, uint32_t *best, uint32_t *vertex)
{
    *best = planes->n;
    for (uint32_t which = 0; which < planes->n; which++) {
        struct vertex_plane_course *course = &planes->course[which];
        enum event_watch watched = watch[planes->plane[which].contact];
        struct first_vertex first;
        double before = *horizon;
        if (watched == WATCH_OFF)
            continue;
        if (!vertex_plane_begin(planes->r, &planes->plane[which], horizon,
                                course))
            return FOUND_UNCLEAR;
        enum found what = vertex_plane_search(course, watched == WATCH_LEAVE,
                                              horizon, &first);
        if (what == FOUND_UNCLEAR)
            return what;
        if (*horizon < before)
            *best = planes->n;
        if (what == FOUND_ROOT) {
            *best = which;
            *vertex = first.i;
        }
    }
    for (uint32_t which = 0; which < planes->n && *best < planes->n; which++)
        if (which != *best &&
            watch[planes->plane[which].contact] != WATCH_OFF &&
            !vertex_plane_clear_at(&planes->course[which], *horizon))
            return FOUND_UNCLEAR;
    return *best < planes->n ? FOUND_ROOT : FOUND_NONE;
}

int
vertex_planes_next(struct vertex_planes *planes, const enum event_watch *watch,
                   double until, enum vertex_plane_end *end,
                   struct vertex_plane_touch *out)
{
    assert(planes != NULL && watch != NULL && end != NULL && out != NULL);
    struct rt *run = planes->r;
    *end = VERTEX_PLANE_UNCLEAR;
    for (;;) {
        double t0 = rt_time(run), horizon;
        uint32_t best, vertex = 0;
        if (rt_stopped(run))
            return IMP_STOPPED;
        if (t0 >= until) {
            *end = VERTEX_PLANE_UNTIL;
            return IMP_OK;
        }
        int st = motion_series_all(run, VERTEX_PLANE_ORDER, &horizon);
        if (st != IMP_OK)
            return st;
        double left = until - t0;
        horizon = fmin(horizon, left);
        if (!others_far(planes, watch, &horizon))
            return IMP_OK;
        enum found what = first_touch(planes, watch, &horizon, &best, &vertex);
        double t1 =
            what == FOUND_NONE && horizon == left ? until : t0 + horizon;
        if (what == FOUND_UNCLEAR || (t1 == t0 && what == FOUND_NONE))
            return IMP_OK;
        motion_looks(run, VERTEX_PLANE_ORDER, t1);
        motion_advance_by(run, VERTEX_PLANE_ORDER, horizon, t1);
        if (what == FOUND_NONE)
            continue;
        if (impact(run, &planes->plane[best], vertex, out))
            *end = VERTEX_PLANE_TOUCH;
        return IMP_OK;
    }
}
