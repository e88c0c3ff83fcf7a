/* SPDX-License-Identifier: MIT */
/* The contacts, bodies and points whose impacts one limit may sum up
 * (accumulation.c): those of one contact, and all that touches, is held, or was
 * hit of late on bodies that it moves. And the flights between the impacts at a
 * contact: their count, and the error that ends a run whose impacts accumulate
 * without a limit that was found. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/derivatives/body_kinematics.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/gap/tolerance.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/friction_forecast.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/vec3.h"

/* At a limit, an overlap of more tolerances than this shows that the way to the
 * limit has passed over a touch. */
#define CHATTER_DEEP 2.0

/* Is the contact held, or closed now, though it had no event? So are bodies
 * that fly together. */
static bool
touches(struct simulation *sim, uint32_t contact)
{
    struct closest_points closest;
    double tol, rate;
    const imp_contact *image_contact = rt_contact(sim->run, contact);
    bool stated = image_contact->system != IMP_NO_SYSTEM ||
                  image_contact->flags & IMP_CONTACTF_STATED;
    if (!stated && event_far(sim->run, contact))
        return false;
    if (persistent_holds(sim->run, contact))
        return true;
    if (stated || closest_points_find(sim->run, contact, &closest, false))
        return false;
    gap_tolerances(sim->run, contact, &tol, &rate);
    return closest.gap <= 2.0 * tol;
}

/* Has the contact been hit, since its last limit or before? */
static bool
has_bounced(const struct simulation *sim, uint32_t contact)
{
    const struct flight_history *flights = &sim->contacts[contact].flights;
    return flights->impacts > 0 || flights->n_known > 0;
}

struct forecast_question
limit_question(const struct simulation *sim, const struct limit_group *group)
{
    assert(sim != NULL && group->n > 0);
    bool in_turns = simultaneous_policy(sim->analysis) == BALLISTIC_SEQUENTIAL,
         *bounces = NEW_N(sim->run->brief, bool, (size_t)group->n);
    for (int i = 0; i < group->n; i++)
        bounces[i] = has_bounced(sim, group->spot[i].contact);
    return (struct forecast_question){
        .n = group->n,
        .p = group->point,
        .spot = group->spot,
        .G = group->G,
        .e = group->e,
        .bounces = bounces,
        .place = group->place,
        .policy = in_turns ? BALLISTIC_SEQUENTIAL : BALLISTIC_COMPLEMENTARITY,
        .memory =
            group->friction ? friction_memory_new(sim->run->brief) : NULL};
}

bool
limit_hit_within(const struct simulation *sim, uint32_t contact, double window)
{
    assert(sim != NULL && contact < sim->n_contacts);
    const struct simulated_contact *t = &sim->contacts[contact];
    return t->flights.impacts > 0 && t->watch != WATCH_OFF && !t->through &&
           !t->overlap && rt_time(sim->run) - t->flights.last <= window;
}

/* The contacts of each body that moves: of body i those at of[first[i]] ..
 * of[first[i + 1] - 1]; and the bodies of the group that are still to be
 * asked. */
struct reach {
    uint32_t *first, *of, *waiting, n_waiting;
};

static struct reach
reach_of(const struct simulation *sim)
{
    const struct rt *run = sim->run;
    uint32_t n = run->im->bodies.n, sum = 0;
    struct reach reach = {
        .first = NEW_N(run->brief, uint32_t, (size_t)n + 2),
        .of = NEW_N(run->brief, uint32_t, 2 * (size_t)sim->n_contacts + 1),
        .waiting = NEW_N(run->brief, uint32_t, (size_t)n + 1)};
    for (int list = 0; list < 2; list++) {
        for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
            for (int e = 0; e < 2; e++) {
                uint32_t body = rt_contact(run, contact)->body[e];
                if (!contact_point_body_moves(run, body))
                    continue;
                uint32_t at = reach.first[body + 1]++;
                if (list)
                    reach.of[at] = contact;
            }
        /* first[i + 1] is where the contacts of body i begin, until they are
         * listed */
        for (uint32_t i = 1; i <= n && !list; i++) {
            uint32_t count = reach.first[i];
            reach.first[i] = sum;
            sum += count;
        }
    }
    return reach;
}

static void
enter(const struct rt *run, struct limit_group *group, struct reach *reach,
      uint32_t body)
{
    if (!contact_point_body_moves(run, body) || group->body[body])
        return;
    group->body[body] = true;
    reach->waiting[reach->n_waiting++] = body;
}

static void
enter_contact(const struct rt *run, struct limit_group *group,
              struct reach *reach, uint32_t contact)
{
    group->contact[contact] = true;
    for (int e = 0; e < 2; e++)
        enter(run, group, reach, rt_contact(run, contact)->body[e]);
}

/* Bodies that joints connect to this one. */
static void
enter_jointed(const struct rt *run, struct limit_group *group,
              struct reach *reach, uint32_t body)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (int e = 0; e < 2; e++)
            if (joint[i].body[e] == body)
                enter(run, group, reach, joint[i].body[1 - e]);
}

void
limit_group_gather(struct simulation *sim, uint32_t contact, double window,
                   const bool *beside, struct limit_group *group)
{
    assert(sim != NULL && contact < sim->n_contacts && group != NULL);
    struct rt *run = sim->run;
    struct reach reach = reach_of(sim);
    memset(group->contact, 0, sim->n_contacts * sizeof *group->contact);
    if (group->follows)
        memset(group->follows, 0, sim->n_contacts * sizeof *group->follows);
    memset(group->body, 0, run->im->bodies.n * sizeof *group->body);
    for (uint32_t other = 0; other < sim->n_contacts && beside; other++)
        if (beside[other] && limit_hit_within(sim, other, window))
            enter_contact(run, group, &reach, other);
    enter_contact(run, group, &reach, contact);
    while (reach.n_waiting > 0) {
        uint32_t body = reach.waiting[--reach.n_waiting];
        for (uint32_t i = reach.first[body]; i < reach.first[body + 1]; i++) {
            uint32_t other = reach.of[i];
            const struct simulated_contact *t = &sim->contacts[other];
            /* what yields is no part of a limit: its force acts on it */
            if (!group->contact[other] && t->watch != WATCH_OFF &&
                !simulate_is_soft(sim, other) && !t->through && !t->overlap &&
                (limit_hit_within(sim, other, window) || touches(sim, other)))
                enter_contact(run, group, &reach, other);
        }
        enter_jointed(run, group, &reach, body);
    }
}

/* Are points of the group that act on each other about to be hit at this very
 * time, in a mechanism of their own, on whose time the impact of the contact
 * falls? Their law is asked there, and the limit of both behind it. */
bool
limit_hit_next(struct simulation *sim, uint32_t contact, double window,
               const struct limit_group *group)
{
    assert(sim != NULL && contact < sim->n_contacts && group != NULL);
    struct limit_group own = {0};
    double low, tol, rate, none;
    bool *next = NEW_N(sim->run->brief, bool, (size_t)group->n + 1);
    for (int i = 0; i < group->n; i++) {
        uint32_t of = group->spot[i].contact;
        gap_rounding(sim->run, of, &low, &none);
        gap_tolerances(sim->run, of, &tol, &rate);
        next[i] = group->point[i].rate < -rate && group->point[i].gap <= low;
        for (int k = 0; k < i && next[i]; k++) {
            if (!next[k] || group->G[i * group->n + k] == 0.0)
                continue;
            if (!own.contact) {
                struct rt *run = sim->run;
                own.contact = NEW_N(run->brief, bool, sim->n_contacts + 1);
                own.body = NEW_N(run->brief, bool, run->im->bodies.n + 1);
                limit_group_gather(sim, contact, window, NULL, &own);
            }
            if (!own.contact[of])
                return true;
        }
    }
    return false;
}

void
limit_group_follow(const struct simulation *sim, double window,
                   struct limit_group *group)
{
    assert(sim != NULL && group != NULL && group->follows != NULL);
    const struct rt *run = sim->run;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        const uint32_t *body = rt_contact(run, contact)->body;
        const struct simulated_contact *t = &sim->contacts[contact];
        bool flies = !group->contact[contact] && has_bounced(sim, contact) &&
                     rt_time(run) - t->flights.last <= window &&
                     t->watch != WATCH_OFF && !t->through && !t->overlap &&
                     !simulate_is_soft(sim, contact);
        for (int e = 0; e < 2; e++)
            flies &=
                !contact_point_body_moves(run, body[e]) || group->body[body[e]];
        group->contact[contact] |= flies;
        group->follows[contact] = flies;
    }
}

bool *
limit_group_blocks(struct simulation *sim, const struct limit_group *group)
{
    assert(sim != NULL && group != NULL);
    bool *block = NEW_N(sim->run->brief, bool, sim->run->im->blocks.n + 1);
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        if (group->contact[contact])
            persistent_mark(sim->run, contact, block);
    return block;
}

double
limit_group_place(const struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    double sum = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, rt_contact(run, contact)->body[e]);
        double radius = run->env[body->env_body + IMP_BODY_RADIUS];
        for (uint32_t i = 0; i < run->im->dim; i++)
            sum += fabs(run->env[body->env_state + i]);
        sum += isfinite(radius) ? radius : 0.0;
    }
    return sum;
}

/* Lists all points of the group's contacts that may come to touch at all.
 * False: those of one contact cannot be followed. */
static bool
list_points(struct simulation *sim, const struct limit_group *group,
            struct point_list *list)
{
    struct rt *run = sim->run;
    double tol, rate;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        if (!group->contact[contact])
            continue;
        int most = contact_set_room(run, contact);
        struct contact_point *spot =
            NEW_N(run->brief, struct contact_point, (size_t)most);
        gap_tolerances(run, contact, &tol, &rate);
        int k = contact_set_near(run, contact, 2.0 * tol, INFINITY, spot, most);
        /* as points are chosen that hold: near a change of features the normal
         * may be set-valued to two tolerances alone; or nothing moves there */
        if (k < 0)
            k = contact_set_near(run, contact, tol, INFINITY, spot, most);
        if (k == 0)
            k = contact_set_ahead(run, contact, spot, most);
        if (k < 0 && simulate_corners_rest(sim, contact, spot))
            k = 2;
        if (k < 0)
            return false;
        for (int i = 0; i < k; i++)
            point_list_add(sim, list, &spot[i]);
    }
    return list->n > 0;
}

/* The ratio to which the flights at the point shrink. Where a law of the user's
 * gives the impulses, the last two flights tell it, not the stated restitution.
 */
static double
shrinking(const struct simulation *sim, const struct contact_point_state *state,
          uint32_t contact)
{
    const struct flight_history *flights = &sim->contacts[contact].flights;
    bool own = !contact_is_plain(sim->run, contact, ~(unsigned)CONTACT_LAW_OWN);
    return own && flights->n_known >= 2 &&
                   flights->flight[0] < flights->flight[1]
               ? flights->flight[0] / flights->flight[1]
               : contact_restitution_ahead(sim->run, contact,
                                           fabs(state->rate));
}

/* Which feature of the polytope is nearest to the smooth body of the point, as
 * a number; 0 for points of other kinds. */
static uint32_t
near_feature(struct rt *run, const struct contact_point *spot)
{
    struct nearest_features near;
    if (spot->kind != POINT_SMOOTH ||
        polytope_contact_closest(run, spot->contact, &near, false))
        return 0;
    uint32_t polytope = 1 - rt_contact(run, spot->contact)->smooth;
    return 1 + 4 * near.pair.index[polytope] + near.pair.kind[polytope];
}

/* Adds to the free accelerations of n points what contacts that yield push.
 * Status of the tapes. */
static int
yielding_push(struct simulation *sim, const struct contact_point *spot, int n,
              struct contact_point_state *state)
{
    struct rt *run = sim->run;
    int rows = persistent_count(run), all = n;
    struct contact_point *at =
        NEW_N(run->brief, struct contact_point, (size_t)(n + rows) + 1);
    memcpy(at, spot, sizeof *at * (size_t)n);
    for (int i = 0; i < rows; i++)
        if (run->persistent->row[i]->soft != CONTACT_RIGID)
            at[all++] = run->persistent->row[i]->spot;
    size_t size = (size_t)all;
    struct contact_point_state *p =
        NEW_N(run->brief, struct contact_point_state, size + 1);
    double *G = NEW_N(run->brief, double, size *size + 1), law[3], scale;
    int st = all > n ? contact_point_states(run, at, all, p, G) : IMP_OK;
    for (int k = n; k < all && !st; k++) {
        st = contact_compliance_scale(run, at[k].contact, &scale);
        if (!st)
            st = contact_compliance_at(run, at[k].contact, scale, p[k].gap,
                                       p[k].rate, law);
        for (int i = 0; i < n && !st; i++)
            state[i].free +=
                G[(size_t)i * size + (size_t)k] * fmax(law[0], 0.0);
    }
    return st;
}

bool
limit_group_points(struct simulation *sim, struct limit_group *group,
                   double ahead)
{
    assert(sim != NULL && group != NULL && ahead >= 0.0);
    struct rt *run = sim->run;
    struct point_list list = {0};
    double tol, rate;
    int near = 0;
    group->n = 0;
    if (!list_points(sim, group, &list))
        return false;
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)list.n);
    if (contact_point_states(run, list.spot, list.n, state, NULL))
        return false;
    for (int point = 0; point < list.n; point++) {
        const struct contact_point_state *p = &state[point];
        double low = LIMIT_GROUP_NOISE * DBL_EPSILON *
                     limit_group_place(run, list.spot[point].contact);

        if (p->gap > low + ahead * (fabs(p->rate) + ahead * fabs(p->free)))
            continue;
        list.spot[near++] = list.spot[point];
    }
    if (near == 0)
        return false;
    size_t size = (size_t)near;
    group->n = near;
    group->spot = list.spot;
    group->point = state;
    group->G = NEW_N(run->brief, double, size *size + 2 * size);
    group->e = group->G + size * size;
    group->place = group->e + size;
    group->feature = NEW_N(run->brief, uint32_t, size);
    if (contact_point_states(run, group->spot, near, group->point, group->G) ||
        yielding_push(sim, group->spot, near, group->point))
        return false;
    /* impacts hand the rounding of their speeds on from point to point */
    double speed = 0.0, acc = 0.0;
    for (int point = 0; point < near; point++) {
        speed = fmax(speed, group->point[point].speed);
        acc =
            fmax(acc, mode_still_acceleration(run, group->spot[point].contact));
    }
    for (int point = 0; point < near; point++) {
        uint32_t contact = group->spot[point].contact;
        group->e[point] = shrinking(sim, group->point + point, contact);
        group->place[point] = limit_group_place(run, contact);
        group->feature[point] = near_feature(run, &group->spot[point]);
        /* a point that has just been hit, or is held, is closed; one that
         * comes down has so far to go yet, however little it is */
        gap_tolerances(run, contact, &tol, &rate);
        if (fabs(group->point[point].gap) <=
                LIMIT_GROUP_NOISE * DBL_EPSILON * group->place[point] &&
            !(group->point[point].gap > 0.0 &&
              group->point[point].rate <
                  -LIMIT_GROUP_NOISE * DBL_EPSILON * speed))
            group->point[point].gap = 0.0;
        if (group->point[point].gap == 0.0 &&
            fabs(group->point[point].rate) <=
                LIMIT_GROUP_NOISE * DBL_EPSILON * speed)
            group->point[point].rate = 0.0;
        if (group->point[point].gap == 0.0 && group->point[point].rate == 0.0 &&
            fabs(group->point[point].free) <= acc)
            group->point[point].free = 0.0;
    }
    for (int point = 0; point < persistent_count(run); point++) {
        bool on;
        const struct contact_point *held =
            persistent_point(run, point, &on, NULL);
        for (int k = 0; k < near; k++)
            if (!memcmp(&group->spot[k], held, sizeof *held))
                group->point[k].gap = group->point[k].rate = 0.0;
    }
    return true;
}

bool
limit_group_overlaps(struct simulation *sim, const struct limit_group *group)
{
    assert(sim != NULL && group != NULL);
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        const imp_contact *image_contact = rt_contact(sim->run, contact);
        const struct simulated_contact *t = &sim->contacts[contact];
        struct closest_points closest;
        double tol, rate;
        bool on = (contact_point_body_moves(sim->run, image_contact->body[0]) &&
                   group->body[image_contact->body[0]]) ||
                  (contact_point_body_moves(sim->run, image_contact->body[1]) &&
                   group->body[image_contact->body[1]]);
        if (!on || t->watch == WATCH_OFF || t->through || t->overlap ||
            (image_contact->system == IMP_NO_SYSTEM &&
             !(image_contact->flags & IMP_CONTACTF_STATED) &&
             event_far(sim->run, contact)) ||
            closest_points_find(sim->run, contact, &closest, false))
            continue;
        gap_tolerances(sim->run, contact, &tol, &rate);
        if (closest.gap < -CHATTER_DEEP * tol)
            return true;
    }
    return false;
}

bool
limit_group_past_end(struct simulation *sim, const struct limit_group *group,
                     const bool *closed)
{
    assert(sim != NULL && group != NULL && closed != NULL);
    uint32_t last = UINT32_MAX;
    for (int i = 0; i < group->n; i++) {
        const struct contact_point *spot = &group->spot[i];
        double tol, rate;
        if (closed[i] && near_feature(sim->run, spot) != group->feature[i])
            return true;
        if (!closed[i] ||
            (spot->kind != POINT_VERTEX && spot->kind != POINT_EDGES &&
             spot->kind != POINT_CORNERS))
            continue;
        if (spot->contact != last &&
            contact_set_series(sim->run, spot->contact))
            continue;
        last = spot->contact;
        gap_tolerances(sim->run, spot->contact, &tol, &rate);
        if (!contact_set_between(sim->run, spot, CHATTER_DEEP * tol))
            return true;
    }
    return false;
}

double
limit_flights(struct simulation *sim, const struct limit_group *group,
              int point, double speed)
{
    assert(sim != NULL && point >= 0 && point < group->n && speed > 0.0);
    struct rt *run = sim->run;
    uint32_t contact = group->spot[point].contact;
    double left = 1.0 / (1.0 - group->e[point]);
    struct friction_impact_point at = {
        .contact = contact,
        .e = group->e[point],
        .own = friction_own_law(run, contact,
                                (enum imp_impact_law)run->im->impact_law)};
    if (!at.own && !contact_restitution_varies(run, contact))
        return left;
    struct own_flights flights = {.sum = {.ends = false}};
    struct friction_rows rows = {
        .run = run, .n = 1, .spot = group->spot + point};
    if (at.own && !friction_rows_read(&rows)) {
        at.slip = rows.rate[1];
        at.mu = rows.point[0].mu_dynamic;
        own_flights_find(run, &at, rows.W[3], rows.W[1], rows.W[0], speed,
                         &flights);
    } else if (!at.own) {
        contact_restitution_flights(run, contact, speed, &flights.sum);
    }
    return flights.sum.ends ? flights.sum.sum : left;
}

void
limit_slips_lost(struct simulation *sim, const struct limit_group *group,
                 const struct forecast_limit *limit)
{
    assert(sim != NULL && group->n >= 0 && limit != NULL);
    for (int i = 0; i < group->n; i++) {
        double acc = fmax(fabs(group->point[i].free),
                          vec3_norm(sim->run->world.gravity));
        if (limit->closed[i])
            friction_modes_lost(
                sim->run, group->spot[i].contact,
                sqrt(2.0 * acc * DBL_EPSILON * group->place[i]));
    }
}

void
limit_slips_open(struct simulation *sim, const struct limit_group *group,
                 const struct forecast_limit *limit)
{
    assert(sim != NULL && group->n >= 0 && limit != NULL);
    if (!group->friction || group->n == 1)
        return;
    for (int i = 0; i < group->n; i++)
        if (limit->closed[i])
            friction_modes_doubt(sim->run, group->spot[i].contact,
                                 fmax(fabs(group->point[i].free),
                                      vec3_norm(sim->run->world.gravity)) *
                                     limit->remaining);
}

/* -- for how long the parabola is the motion --------------------------------
 */

/* Spins turn the normals and the gyroscopic moments: their share of the
 * accelerations. */
#define CHATTER_TURNS 4.0
/* Impulses that accelerate a point so many times more than it accelerates
 * freely are those of bodies that squeeze another one. */
#define CHATTER_SQUEEZE 16.0
/* No limit is looked for beyond so many times the time for which the parabola
 * is the motion. There the gaps are off by the cube of this number times
 * CHATTER_BLUR rounding errors, so two predictions cannot agree to rounding. */
#define CHATTER_FAR 100.0

/* Returns the time for which an error K t^3/6 of the gaps stays below their
 * rounding. */
static double
blurs(double K, double place)
{
    return K > 0.0 ? cbrt(6.0 * CHATTER_BLUR * DBL_EPSILON * place / K)
                   : INFINITY;
}

bool
limit_turning(const struct contact_point_state *state)
{
    assert(state != NULL);
    return state->turning > MODE_STILL * state->speed;
}

/* How fast the normal at the point turns because the bodies pass each other,
 * where both surfaces may curve (1/s). */
static double
bending(struct rt *run, const struct contact_point *spot)
{
    const imp_contact *image_contact = rt_contact(run, spot->contact);
    double velocity[3] = {0.0, 0.0, 0.0};
    struct closest_points at;
    if (spot->kind != POINT_SURFACE && spot->kind != POINT_SMOOTH)
        return 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, image_contact->body[e]);
        if (!isfinite(run->env[body->env_body + IMP_BODY_RADIUS]))
            return 0.0; /* a plane */
        body_add_velocity(run, body, e == 0 ? -1.0 : 1.0, velocity);
    }
    if (!closest_points_find(run, spot->contact, &at, false))
        vec3_add_scaled(-vec3_dot(velocity, at.n), at.n, velocity);
    return vec3_norm(velocity) / gap_length(run, spot->contact);
}

/* Does the group have contacts whose impacts take the slip of their points,
 * too? No parabola tells what these leave. */
static bool
group_sticks(const struct simulation *sim, const struct limit_group *group)
{
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        if (group->contact[contact] && impact_sticks(sim->run, contact))
            return true;
    return false;
}

/* How fast accelerations along the surfaces change, of points with friction
 * (m/s^3): the ground may be driven along itself, and forces may change, which
 * no gap shows. That of the centres and of the turning; INFINITY: not known. */
static double
jerk_along(const struct simulation *sim, const struct limit_group *group)
{
    double most = 0.0;
    for (int i = 0; i < group->n && group->friction; i++) {
        const imp_contact *contact =
            rt_contact(sim->run, group->spot[i].contact);
        double apart[3] = {0.0, 0.0, 0.0}, turns = 0.0, motion[18];
        for (int e = 0; e < 2; e++) {
            const imp_body *body = rt_body(sim->run, contact->body[e]);
            if (body->kinematics == IMP_NO_TAPE && body->block == IMP_NO_BLOCK)
                continue; /* it does not move */
            if (body_kinematics(sim->run, contact->body[e], motion))
                return INFINITY;
            vec3_add_scaled(e == 0 ? -1.0 : 1.0, motion + 6, apart);
            turns += vec3_norm(motion + 15) * group->place[i];
        }
        most = fmax(most, vec3_norm(apart) + turns);
    }
    return most;
}

double
limit_window(const struct simulation *sim, struct limit_group *group,
             double *far, double *state)
{
    assert(sim != NULL && group->n > 0 && far != NULL && state != NULL);
    struct rt *run = sim->run;
    double spin = 0.0, acc = 0.0, jerk = 0.0, place = INFINITY, bend = 0.0,
           push = 0.0, flight = 0.0;
    bool turns = false;
    uint32_t d = run->im->dim;
    *far = *state = 0.0;
    if (group_sticks(sim, group))
        return 0.0;
    for (uint32_t b = 0; b < run->im->bodies.n; b++)
        if (group->body[b])
            spin = fmax(
                spin,
                d == 2 ? fabs(run->env[rt_body(run, b)->env_state + 5])
                       : vec3_norm(run->env + rt_body(run, b)->env_state + 10));
    for (int i = 0; i < group->n; i++) {
        const struct flight_history *flights =
            &sim->contacts[group->spot[i].contact].flights;
        acc = fmax(acc, fabs(group->point[i].free));
        jerk = fmax(jerk, fabs(group->point[i].jerk));
        place = fmin(place, group->place[i]);
        turns |= limit_turning(&group->point[i]);
        bend = fmax(bend, bending(run, &group->spot[i]));
        flight = fmax(flight, flights->flight[0]);
        if (flights->n_known > 0 && flights->flight[0] > 0.0)
            push = fmax(push, fabs(group->point[i].rate) / flights->flight[0]);
    }
    double turned = CHATTER_TURNS * spin * acc;
    double K = turns ? jerk + turned : jerk;
    *far = CHATTER_FAR * blurs(K, place);
    bool squeezed = push > CHATTER_SQUEEZE * acc;
    /* impulses that turn by no more than rounding are those of a parabola */
    group->turn = bend + (turns ? spin : 0.0);
    *state = squeezed && group->turn * flight > LIMIT_GROUP_NOISE * DBL_EPSILON
                 ? 0.0
                 : blurs(fmax(K, jerk_along(sim, group)), place);
    return blurs(jerk + turned, place);
}

/* -- flights ----------------------------------------------------------------
 */

/* Impacts that come to no limit (accumulation.c) end the run when a flight is
 * this much shorter than the one with which the decrease began, and no limit
 * waits for its state to be known. */
#define CHATTER_SHORTEST 1e-9
/* but for flights below rounding, not before so many */
#define CHATTER_LOST 64

int
simulate_report_endless(struct simulation *sim, uint32_t contact, double ratio)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(ratio < 1.0);
    const struct flight_history *flights = &sim->contacts[contact].flights;
    char ratio_text[NUM_TEXT], time_text[NUM_TEXT], end_text[NUM_TEXT];
    double end = flights->last + flights->flight[0] * ratio / (1.0 - ratio);
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0712, rt_contact(sim->run, contact)->range,
        "chatter at `%s`: after %ld impacts the flights "
        "shrink by a ratio of %s each",
        simulate_contact_name(sim, contact), flights->impacts,
        num_digits(ratio_text, ratio, 6));
    diag_note(sim->analysis->ds, diag, sim->command->range,
              "the impacts pile up at t = %s s; the run has come to %s s",
              rt_told(end_text, end, 9),
              rt_told(time_text, rt_time(sim->run), 9));
    diag_help(sim->analysis->ds, diag,
              "no limit of them was found that can be passed: use an `until` "
              "before that time%s",
              simulate_steps_remedy(sim));
    return IMP_FAILED;
}

int
simulate_count_impact(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct flight_history *flights = &sim->contacts[contact].flights;
    sim->impacts++;
    sim->contacts[contact].gone = 0.0;
    simulate_limits_meet(sim, contact);
    if (!flight_history_add(flights, rt_time(sim->run)))
        return IMP_OK;
    double ratio;
    if (!flight_history_is_geometric(flights, &ratio) ||
        flights->flight[0] >= CHATTER_SHORTEST * flights->first)
        return IMP_OK;
    /* Flights that the rounding of the gap hides are no motion to be followed:
     * accumulation.c takes them to rest where it can. */
    flights->lost |= simulate_short_flight(sim, contact);
    return (flights->lost && flights->n_known <= CHATTER_LOST) ||
                   flight_history_foresees(flights)
               ? IMP_OK
               : simulate_report_endless(sim, contact, ratio);
}

bool
simulate_short_flight(const struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    const struct rt *run = sim->run;
    const struct flight_history *flights = &sim->contacts[contact].flights;
    double low =
        LIMIT_GROUP_NOISE * DBL_EPSILON * limit_group_place(run, contact);
    /* bodies without weight that nothing holds have no height to fall from */
    if (vec3_norm(run->world.gravity) == 0.0 && motion_by_weight(run) &&
        !persistent_any(run))
        return false;
    double height = vec3_norm(run->world.gravity) * flights->flight[0] *
                    flights->flight[0] / 8.0;
    return flights->impacts > 0 && height <= low;
}

/* Notes how fast a point comes (m/s) to whose gap the impact does nothing: as
 * before the impact, or, if that is more, as the impulses of all others leave
 * it. What they push together would have been hit so much later. */
static void
note_approach(const struct impact_solver *solver, int c, struct gap_left *left)
{
    double length = solver->approach.length[c],
           after = solver->velocity.after[c] / length,
           before = solver->approach.v0[c],
           own =
               solver->delassus.G[(size_t)c * (size_t)solver->nc + (size_t)c] *
               solver->impulse.P[c] * length,
           speed = before < 0.0 ? fmax(-before, own - after) : 0.0;
    if (speed > left->speed)
        *left =
            (struct gap_left){.before = before, .after = after, .speed = speed};
}

void
limit_note_early(struct simulation *sim, uint32_t contact,
                 const struct impact_of_run *problem,
                 const struct impact_solver *solver)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct closest_points closest;
    struct gap_left left = {0};
    for (int c = 0; c < solver->nc; c++)
        if (problem->contact[c] == contact)
            note_approach(solver, c, &left);
    if (left.speed == 0.0 || (sim->resting.n && sim->resting.is_over[contact]))
        return;
    struct saved_start start = saved_start_take(sim->run, contact);
    int st = closest_points_find(sim->run, contact, &closest, false);
    saved_start_restore(sim->run, &start);
    if (st)
        return;
    left.time = rt_time(sim->run);
    left.gap = closest.gap;
    left.rounding = DBL_EPSILON * limit_group_place(sim->run, contact);
    flight_history_note_gap(&sim->contacts[contact].flights, &left);
}
