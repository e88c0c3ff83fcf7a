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

/* the offsets of n entries of the state; false if one is missing */
static bool
find_rows(const struct rt *run, uint32_t block, uint32_t first, uint32_t n,
          uint32_t *out)
{
    const imp_block *bl =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *state = IMP_ARRAY(run->im, bl->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, bl->rows, uint32_t);
    uint32_t found = 0;
    for (uint32_t i = 0; i < bl->state.n; i++)
        if (state[i] >= first && state[i] < first + n) {
            out[state[i] - first] = rows[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
            found++;
        }
    return found == n;
}

/* the offsets of the whole motion of a body */
static bool
find_motion(const struct rt *run, struct vertex_plane *plane)
{
    const imp_body *body = rt_body(run, plane->body);
    uint32_t s = body->env_state;
    plane->block = body->block;
    if (body->block == IMP_NO_BLOCK || body->block >= run->im->blocks.n)
        return false;
    if (plane->flat)
        return find_rows(run, body->block, s, 2, plane->place) &&
               find_rows(run, body->block, s + 2, 1, plane->turn) &&
               find_rows(run, body->block, s + 5, 1, plane->spin);
    return find_rows(run, body->block, s, 3, plane->place) &&
           find_rows(run, body->block, s + 3, 4, plane->turn) &&
           find_rows(run, body->block, s + 10, 3, plane->spin);
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
    struct support_body w;
    plane->contact = contact;
    plane->flat = run->im->dim == 2;
    plane->body = image_contact->body[1 - flat];
    plane->e = env[IMP_CONTACT_E];
    if (run->polytope[image_contact->body[flat]]->n_vertex != 0 ||
        polytope->n_vertex == 0 || !(floor->flags & IMP_BODYF_FIXED) ||
        (body->flags & IMP_BODYF_FIXED) ||
        (body->flags & IMP_BODYF_PRESCRIBED) ||
        ((floor->flags | body->flags) & IMP_BODYF_GTIME) ||
        !(plane->e > 0.0 && plane->e <= 1.0) || env[IMP_CONTACT_MU] != 0.0 ||
        !find_motion(run, plane))
        return false;
    const struct polytope_face *face =
        run->polytope[image_contact->body[flat]]->face;
    plane->driven = floor->flags & IMP_BODYF_PRESCRIBED;
    plane->floor = image_contact->body[flat];
    plane->side = (uint32_t)flat;
    memcpy(plane->own_n, face->n, sizeof plane->own_n);
    plane->own_d = face->d;
    support_body_get(run, plane->floor, &w);
    support_rotate(&w, face->n, plane->n);
    plane->d = face->d + vec3_dot(plane->n, w.c);
    plane->length = gap_length(run, contact);
    take_vertices(run, polytope, plane);
    return true;
}

struct vertex_planes *
vertex_planes_new(struct rt *run)
{
    assert(run != NULL && run->im != NULL);
    const imp_image *im = run->im;
    if (im->joints.n || im->systems.n || run->joints)
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

/* n: the present normal of the plane. Returns the velocity of the plane along
 * n at the point x of the body (body axes). */
static double
plane_now(struct rt *run, const struct vertex_plane *plane, const double *x,
          double *n)
{
    struct support_body f, support;
    double w[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0}, at[3], turn[3];
    memcpy(n, plane->n, sizeof plane->n);
    if (!plane->driven)
        return 0.0;
    support_body_get(run, plane->floor, &f);
    support_body_get(run, plane->body, &support);
    support_rotate(&f, plane->own_n, n);
    support_rotate(&support, x, at);
    const double *s = run->env + f.b->env_state;
    for (int i = 0; i < 3; i++)
        at[i] += support.c[i] - f.c[i];
    memcpy(v, s + (plane->flat ? 3 : 7), sizeof *v * (plane->flat ? 2 : 3));
    if (plane->flat)
        w[2] = s[5];
    else
        support_rotate(&f, s + 10, w);
    vec3_cross(w, at, turn);
    return vec3_dot(n, v) + vec3_dot(n, turn);
}

/* The impulse (1 + e) |u| / W at a vertex that is on the plane now, with its
 * normal velocity u against the plane and W = 1/m + (r x g).I^-1 (r x g)
 * (Palffy-Muhoray et al. 2018, eq. (7), with restitution). False if the touch
 * is too slow, or if the energy is not right (I1). */
static bool
impact(struct rt *run, const struct vertex_plane *plane, uint32_t vertex,
       struct vertex_plane_touch *touch)
{
    const imp_body *body = rt_body(run, plane->body);
    const double *k = run->env + body->env_body,
                 *s = run->env + body->env_state;
    const double *v = s + (plane->flat ? 3 : 7);
    double w[3] = {0.0, 0.0, 0.0}, n[3], g[3], rn[3], m[3], Iw[3];
    double x[3], nv = 0.0, vv = 0.0;
    int d = plane->flat ? 2 : 3;
    for (int i = 0; i < 3; i++)
        x[i] = plane->eight[vertex / EIGHT].x[i][vertex % EIGHT];
    double floor = plane_now(run, plane, x, n);
    vertex_plane_turn_back(plane->flat, s + (plane->flat ? 2 : 3), n, g);
    vec3_cross(x, g, rn);
    if (plane->flat) {
        w[2] = s[5];
        m[0] = m[1] = 0.0;
        m[2] = k[IMP_BODY_INVINERTIA] * rn[2];
    } else {
        memcpy(w, s + 10, sizeof w);
        sym3_apply(k + IMP_BODY_INVINERTIA, rn, m);
    }
    for (int i = 0; i < d; i++) {
        nv += n[i] * v[i];
        vv += v[i] * v[i];
    }
    double W = k[IMP_BODY_INVMASS] + vec3_dot(rn, m);
    double own = nv + vec3_dot(rn, w), u = own - floor;
    if (!(u < -VERTEX_PLANE_SLOW *
                  (sqrt(vv) + vec3_norm(w) * plane->radius + fabs(floor))))
        return false;
    double P = -(1.0 + plane->e) * u / W;
    touch->contact = plane->contact;
    touch->body = plane->body;
    touch->impulse = P;
    /* twice the change of energy, from the motion and as the work of P */
    double I[6] = {0.0, 0.0, k[IMP_BODY_INERTIA]}, sum[3], got = 0.0;
    for (int i = 0; i < 3; i++) {
        touch->dv[i] = P * k[IMP_BODY_INVMASS] * n[i];
        touch->dw[i] = P * m[i];
        sum[i] = 2.0 * w[i] + touch->dw[i];
        got += i < d ? k[IMP_BODY_MASS] * touch->dv[i] *
                           (2.0 * v[i] + touch->dv[i])
                     : 0.0;
    }
    if (!plane->flat)
        memcpy(I, k + IMP_BODY_INERTIA, sizeof I);
    sym3_apply(I, sum, Iw);
    got += vec3_dot(touch->dw, Iw);
    sym3_apply(I, w, Iw);
    double all = k[IMP_BODY_MASS] * vv + vec3_dot(w, Iw) + P * P * W;
    return fabs(got - P * (2.0 * own + P * W)) <= VERTEX_PLANE_CONSERVES * all;
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

/* lowers *h to a time without touches of contacts of other kinds; false if
 * there is none */
static bool
others_far(const struct vertex_planes *planes, const enum event_watch *watch,
           double *h)
{
    for (uint32_t contact = 0; contact < planes->r->im->contacts.n; contact++) {
        if (watch[contact] == WATCH_OPEN)
            return false;
        if (watch[contact] == WATCH_OFF || !planes->other[contact])
            continue;
        double t = advancement_apart(planes->r, contact, *h, *h);
        if (!(t > 0.0))
            return false;
        *h = fmin(*h, t);
    }
    return true;
}

/* The first touch within *h. *h is lowered to its time, or to the time that is
 * known to be free. *best: the plane, planes->n if there is no touch. */
static enum found
first_touch(struct vertex_planes *planes, const enum event_watch *watch,
            double *h, uint32_t *best, uint32_t *vertex)
{
    *best = planes->n;
    for (uint32_t i = 0; i < planes->n; i++) {
        struct vertex_plane_course *course = &planes->course[i];
        enum event_watch w = watch[planes->plane[i].contact];
        struct first_vertex first;
        double before = *h;
        if (w == WATCH_OFF)
            continue;
        if (!vertex_plane_begin(planes->r, &planes->plane[i], h, course))
            return FOUND_UNCLEAR;
        enum found what =
            vertex_plane_search(course, w == WATCH_LEAVE, h, &first);
        if (what == FOUND_UNCLEAR)
            return what;
        if (*h < before)
            *best = planes->n;
        if (what == FOUND_ROOT) {
            *best = i;
            *vertex = first.i;
        }
    }
    for (uint32_t i = 0; i < planes->n && *best < planes->n; i++)
        if (i != *best && watch[planes->plane[i].contact] != WATCH_OFF &&
            !vertex_plane_clear_at(&planes->course[i], *h))
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
        double t0 = rt_time(run), h;
        uint32_t best, vertex = 0;
        if (rt_stopped(run))
            return IMP_STOPPED;
        if (t0 >= until) {
            *end = VERTEX_PLANE_UNTIL;
            return IMP_OK;
        }
        int st = motion_series_all(run, VERTEX_PLANE_ORDER, &h);
        if (st != IMP_OK)
            return st;
        double left = until - t0;
        h = fmin(h, left);
        if (!others_far(planes, watch, &h))
            return IMP_OK;
        enum found what = first_touch(planes, watch, &h, &best, &vertex);
        double t1 = what == FOUND_NONE && h == left ? until : t0 + h;
        if (what == FOUND_UNCLEAR || (t1 == t0 && what == FOUND_NONE))
            return IMP_OK;
        motion_advance_by(run, VERTEX_PLANE_ORDER, h, t1);
        if (what == FOUND_NONE)
            continue;
        if (impact(run, &planes->plane[best], vertex, out))
            *end = VERTEX_PLANE_TOUCH;
        return IMP_OK;
    }
}
