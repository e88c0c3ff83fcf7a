/* SPDX-License-Identifier: MIT */
/* Polytopes over planes, and over faces on which they have come down, with e <
 * 1. A body that nearly rests moves by less than the tolerance of a gap. The
 * search therefore looks at every vertex by its own gap
 * (runtime/motion/persistent.h), and no two vertices are taken together unless
 * both are closed to rounding. vertex_impact.c has the impacts of such
 * vertices. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/modes/limit_path.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/lcp.h"
#include "runtime/numerics/vec3.h"

/* room for so many released vertices at first */
#define RELEASED_FIRST 8
/* room for so many points in a list at first */
#define POINT_LIST_FIRST 16

/* May bounces at the contact come to an end? What a law of the user's gives
 * back is not known here. */
static bool
may_rest(const struct rt *run, uint32_t contact)
{
    double e = run->env[rt_contact(run, contact)->env_contact + IMP_CONTACT_E];
    return (e >= 0.0 && e < 1.0) ||
           !contact_is_plain(run, contact, ~(unsigned)CONTACT_LAW_OWN);
}

void
resting_polytopes_start(struct simulation *sim)
{
    assert(sim != NULL && sim->resting.over == NULL);
    struct rt *run = sim->run;
    uint32_t n = sim->n_contacts, room = rt_contact_room(run);
    sim->resting.over = NEW_N(run->arena, struct watched_contact, room + 1);
    sim->resting.is_over = NEW_N(run->arena, bool, room + 1);
    sim->resting.memory = NEW_N(run->arena, struct watched_contact, room + 1);
    for (uint32_t contact = 0; contact < n; contact++) {
        const imp_contact *image_contact = rt_contact(run, contact);
        struct watched_contact *polytope = &sim->resting.over[sim->resting.n];
        bool body = image_contact->system == IMP_NO_SYSTEM;
        struct contact_point base;
        if (!body || sim->contacts[contact].through ||
            sim->contacts[contact].overlap || !may_rest(run, contact) ||
            simulate_is_soft(sim, contact) ||
            !contact_set_plane(run, contact, &base))
            continue;
        for (int i = 0; i < 2; i++)
            body &= !(rt_body(run, image_contact->body[i])->flags &
                      IMP_BODYF_GTIME);
        polytope->faces = (struct watched_faces){
            .contact = contact, .n_base = 1, .base = {base, base}};
        sim->resting.is_over[contact] = body;
        sim->resting.n += body;
    }
}

void
resting_polytopes_enter(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(sim->resting.n <= sim->n_contacts);
    struct rt *run = sim->run;
    const imp_contact *image_contact = rt_contact(run, contact);
    struct watched_faces faces;
    double tol, rate;
    sim->contacts[contact].has_left = false;
    if (!sim->resting.is_over || sim->resting.is_over[contact] ||
        sim->contacts[contact].through || sim->contacts[contact].overlap ||
        !may_rest(run, contact) || simulate_is_soft(sim, contact))
        return;
    for (int i = 0; i < 2; i++)
        if (rt_body(run, image_contact->body[i])->flags & IMP_BODYF_GTIME)
            return;
    gap_tolerances(run, contact, &tol, &rate);
    if (!watched_faces_find(run, contact, 2.0 * tol, &faces))
        return;
    sim->resting.over[sim->resting.n++] = (struct watched_contact){
        .faces = faces,
        .time = -INFINITY,
        .room = sim->resting.memory[contact].room,
        .released = sim->resting.memory[contact].released};
    sim->resting.is_over[contact] = true;
}

bool
resting_polytopes_part(struct simulation *sim, uint32_t contact, double reach,
                       bool *open)
{
    assert(sim != NULL && contact < sim->n_contacts && open != NULL);
    bool low = sim->run->low_impact;
    sim->run->low_impact |= sim->resting.n && sim->resting.is_over[contact];
    bool part = event_takes_part(sim->run, contact, reach, open);
    sim->run->low_impact = low;
    return part;
}

void
resting_polytopes_leave_face(struct simulation *sim, uint32_t contact)
{
    assert(sim);
    struct closest_points closest;
    double tol, rate;
    resting_polytopes_drop(sim, contact);
    gap_tolerances(sim->run, contact, &tol, &rate);
    bool near = closest_points_find(sim->run, contact, &closest, false) ||
                closest.gap <= 2.0 * tol;
    simulate_watch(sim, contact, near ? WATCH_LEAVE : WATCH_CLOSE);
}

void
resting_polytopes_leave_faces(struct simulation *sim)
{
    assert(sim != NULL);
    for (uint32_t i = sim->resting.n; i-- > 0;) {
        struct contact_point plane;
        uint32_t contact = sim->resting.over[i].faces.contact;
        if (!contact_set_plane(sim->run, contact, &plane))
            resting_polytopes_leave_face(sim, contact);
    }
}

void
resting_polytopes_drop(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    if (!sim->resting.is_over || !sim->resting.is_over[contact])
        return;
    uint32_t m = 0;
    for (uint32_t i = 0; i < sim->resting.n; i++)
        if (sim->resting.over[i].faces.contact != contact)
            sim->resting.over[m++] = sim->resting.over[i];
    sim->resting.n = m;
    sim->resting.is_over[contact] = false;
}

/* Doubles the room for released vertices. Each contact keeps it for the next
 * time that its vertices are watched. */
static void
grow(struct simulation *sim, struct watched_contact *polytope)
{
    struct released_point *old = polytope->released;
    size_t n = (size_t)polytope->n;
    polytope->room = polytope->room ? 2 * polytope->room : RELEASED_FIRST;
    polytope->released =
        NEW_N(sim->run->arena, struct released_point, (size_t)polytope->room);
    if (n)
        memcpy(polytope->released, old, n * sizeof *old);
    sim->resting.memory[polytope->faces.contact].room = polytope->room;
    sim->resting.memory[polytope->faces.contact].released = polytope->released;
}

void
resting_polytopes_release(struct simulation *sim,
                          const struct contact_point *point, bool still)
{
    assert(sim);
    double now = rt_time(sim->run);
    for (uint32_t i = 0; i < sim->resting.n; i++) {
        struct watched_contact *polytope = &sim->resting.over[i];
        if (polytope->faces.contact != point->contact)
            continue;
        if (polytope->time != now)
            polytope->n = 0;
        polytope->time = now;
        int k = 0;
        while (k < polytope->n &&
               !contact_point_same(&polytope->released[k].at, point))
            k++;
        if (k == polytope->room)
            grow(sim, polytope);
        polytope->n = k == polytope->n ? k + 1 : polytope->n;
        polytope->released[k] = (struct released_point){*point, still};
    }
}

void
resting_polytopes_ask_again(struct simulation *sim, const bool *block)
{
    for (uint32_t i = 0; i < sim->resting.n; i++) {
        struct watched_contact *polytope = &sim->resting.over[i];
        int n = 0;
        if (!persistent_marked(sim->run, polytope->faces.contact, block))
            continue;
        for (int k = 0; k < polytope->n; k++)
            if (!polytope->released[k].still)
                polytope->released[n++] = polytope->released[k];
        polytope->n = n;
    }
}

void
resting_polytopes_let_go(struct simulation *sim,
                         const struct contact_point *all, int n_all,
                         const struct contact_point *still, int n)
{
    assert(sim);
    struct rt *run = sim->run;
    for (int i = 0; i < n_all && sim->resting.n; i++) {
        bool held = false, rests = false, on;
        for (int k = 0; k < persistent_count(run); k++)
            held |= contact_point_same(persistent_point(run, k, &on, NULL),
                                       &all[i]);
        for (int k = 0; k < n; k++)
            rests |= contact_point_same(&still[k], &all[i]);
        if (!held && rests)
            resting_polytopes_release(sim, &all[i], true);
    }
}

int
resting_polytopes_points(struct simulation *sim, bool *block, bool still,
                         struct point_list *list)
{
    assert(sim != NULL && block != NULL && list != NULL);
    struct rt *run = sim->run;
    bool *seen = NEW_N(run->brief, bool, sim->resting.n + 1);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < sim->resting.n; i++) {
            const struct watched_faces *faces = &sim->resting.over[i].faces;
            if (seen[i] || !persistent_marked(run, faces->contact, block))
                continue;
            seen[i] = true;
            int room = contact_set_room(run, faces->contact);
            struct contact_point *spot =
                NEW_N(run->brief, struct contact_point, (size_t)room);
            int n = watched_faces_closed(run, faces, still, spot, room);
            if (n < 0 && !still)
                return IMP_FAILED;
            for (int k = 0; k < n; k++)
                point_list_add(sim, list, &spot[k]);
            more |= n > 0 && persistent_mark(run, faces->contact, block);
        }
    }
    return IMP_OK;
}

void
point_list_add(struct simulation *sim, struct point_list *list,
               const struct contact_point *at)
{
    assert(sim != NULL && list != NULL && at != NULL);
    assert(list->n <= list->room);
    for (int i = 0; i < list->n; i++)
        if (contact_point_same(&list->spot[i], at))
            return;
    if (list->n == list->room) {
        struct contact_point *old = list->spot;
        list->room = list->room ? 2 * list->room : POINT_LIST_FIRST;
        list->spot =
            NEW_N(sim->run->brief, struct contact_point, (size_t)list->room);
        if (old)
            memcpy(list->spot, old, sizeof *old * (size_t)list->n);
    }
    list->spot[list->n++] = *at;
}

/* Do two pairs of bodies belong to the same two groups? */
static bool
same_walls(const uint32_t *group, const uint32_t of[2], const uint32_t other[2])
{
    uint32_t a = group[of[0]], b = group[of[1]], c = group[other[0]],
             d = group[other[1]];
    return (a == c && b == d) || (a == d && b == c);
}

uint32_t
resting_polytopes_beside(struct simulation *sim, uint32_t contact,
                         uint32_t *list)
{
    assert(sim != NULL && contact < sim->n_contacts && list != NULL);
    struct rt *run = sim->run;
    const uint32_t *of = rt_contact(run, contact)->body,
                   *group = rigid_groups(run);
    uint32_t n = 0;
    for (uint32_t k = 0; k < sim->n_contacts; k++) {
        const imp_contact *next = rt_contact(run, k);
        const uint32_t *body = next->body;
        struct closest_points closest;
        if (!(next->flags & IMP_CONTACTF_CORNERS) || body[0] == IMP_WORLD ||
            body[1] == IMP_WORLD || !same_walls(group, of, body) ||
            (body[0] == of[0] && body[1] == of[1]) ||
            (body[0] == of[1] && body[1] == of[0]))
            continue;
        if (!closest_points_find(run, k, &closest, false) &&
            closest.gap <= contact_set_closed(run, k))
            list[n++] = k;
    }
    return n;
}

/* -- the next change ---------------------------------------------------------
 */

int
simulate_persistent_peek(struct simulation *sim, struct clocks *clocks,
                         double until, const bool *blind, double *t)
{
    assert(sim != NULL && t != NULL);
    struct resting_polytopes *resting = &sim->resting;
    *t = until;
    sim->mode_change.what = CHANGE_NONE;
    if (!clocks && !persistent_any(sim->run) && !resting->n)
        return IMP_OK;
    struct clocks_question asked = {blind, resting->over, resting->n,
                                    sim->watch};
    int st = clocks ? clocks_next(clocks, until, &asked, &sim->mode_change)
                    : mode_change_next(sim->run, until, blind, resting->over,
                                       resting->n, &sim->mode_change);
    *t = sim->mode_change.time;
    return st;
}

/* -- smooth bodies that slide to another feature ------------------------------
 */

void
simulate_slides(struct simulation *sim)
{
    assert(sim != NULL);
    const struct mode_change *change = &sim->mode_change;
    struct rt *run = sim->run;
    double until = change->time - change->from,
           low = 4.0 * DBL_EPSILON * fabs(change->time);
    for (int i = 0; i < persistent_count(run); i++) {
        const struct persistent_row *row = run->persistent->row[i];
        /* series of others may have begun sooner (runtime/clocks) */
        if (isfinite(row->end) && row->valid <= until + low &&
            persistent_group_of(run, row->spot.contact)->kept_time ==
                change->from)
            sim->contacts[row->spot.contact].slid_time = change->time;
    }
}

bool
simulate_slid_now(const struct simulation *sim)
{
    assert(sim != NULL);
    return sim->slid_time == rt_time(sim->run) && sim->slid_time > 0.0;
}

bool
simulate_slid_point(const struct simulation *sim, const bool *block,
                    struct contact_point *out)
{
    assert(sim != NULL && block != NULL && out != NULL);
    bool on;
    for (int i = 0; i < persistent_count(sim->run) && simulate_slid_now(sim);
         i++) {
        *out = *persistent_point(sim->run, i, &on, NULL);
        if (sim->contacts[out->contact].slid_time == sim->slid_time &&
            persistent_marked(sim->run, out->contact, block))
            return true;
    }
    return false;
}

void
simulate_motion_changes(struct simulation *sim, const bool *block)
{
    assert(sim != NULL && block != NULL);
    for (uint32_t i = 0; sim->changed && i < sim->run->im->blocks.n; i++)
        sim->changed[i] = block[i] ? rt_time(sim->run) : sim->changed[i];
}

/* -- what the impacts before a limit join
 * ------------------------------------ */

struct limit_joins *
limit_joins_of(const struct simulation *sim, const struct limit_group *group,
               const struct limit_points *points, uint32_t contact)
{
    assert(sim != NULL && group->n > 0 && points->n == group->n);
    struct rt *run = sim->run;
    size_t n = (size_t)group->n;
    double *band = NEW_N(run->brief, double, 3 * n), *near = band + 2 * n, rate;
    bool *low = NEW_N(run->brief, bool, 2 * n), *asks = low + n;
    uint32_t *contacts = NEW_N(run->brief, uint32_t, n);
    int *part = NEW_N(run->brief, int, n);
    limit_parts(run, points, part);
    struct limit_joins *joins = NEW(run->brief, struct limit_joins);
    for (int i = 0; i < group->n; i++) {
        const struct contact_point_state *p = &group->point[i];
        uint32_t of = group->spot[i].contact;
        double fall = fmax(fabs(p->free), vec3_norm(run->world.gravity));
        bool over = sim->resting.n && sim->resting.is_over[of];
        gap_tolerances(run, of, &band[i], &rate);
        near[i] = band[i];
        if (over)
            gap_rounding(run, of, &near[i], &rate);
        low[i] = over && !points_high(p->rate, fall, band[i]);
        contacts[i] = of;
        asks[i] = of == contact;
    }
    *joins = (struct limit_joins){.n = group->n,
                                  .of = contacts,
                                  .part = part,
                                  .band = band,
                                  .near = near,
                                  .low = low,
                                  .asks = asks,
                                  .early = band + n};
    return joins;
}
