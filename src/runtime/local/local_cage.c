/* SPDX-License-Identifier: MIT */
/* Balls in which bodies stay for a while (local_priv.h): of a body that moves
 * by its weight alone, whatever its spin, the mass centre goes no further than
 * |v| t + |g| t^2/2 in the time t. Two bodies whose balls do not meet need not
 * be asked. A ball is renewed when its body may leave it, or moves in another
 * way. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/contact_table.h"
#include "runtime/local/local_priv.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

/* Balls that do not meet are apart by this share of their sizes at least, which
 * is far above the tolerance of a gap and the rounding of places. */
#define CAGE_APART 1e-3

/* Until when the mass centre of a body that is pushed goes no further than this
 * way. Errors are told later. */
static double
stays(struct local *local, uint32_t which, double t, double way)
{
    struct local_way goes = {.holds = INFINITY};
    if (local_body_put(local, which, t, false))
        return t;
    local_way_add(local, which, t, 0.0, &goes);
    return local_way_stays(local, &goes, t, way);
}

void
local_cage_make(struct local *local, uint32_t which, double t)
{
    assert(local && which < local->n_body);
    const struct rt *run = local->run;
    const imp_body *image_body = rt_body(run, which);
    struct local_body *body = local->body + which;
    const double *state = run->env + image_body->env_state,
                 *speed = state + (run->im->dim == 2 ? 3 : 7);
    double size = run->env[image_body->env_body + IMP_BODY_RADIUS], v2 = 0.0,
           g = vec3_norm(run->world.gravity);
    memset(body->centre, 0, sizeof body->centre);
    memcpy(body->centre, state, run->im->dim * sizeof *state);
    body->radius = INFINITY;
    double leaves = INFINITY;
    body->since = t;
    if (size > 0.0 && isfinite(size) && (!body->held || local->balls_held) &&
        !(image_body->flags & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME))) {
        bool moves = body->block != IMP_NO_BLOCK;
        double way = (local->ball - 1.0) * size;
        body->radius = moves ? local->ball * size : size;
        for (uint32_t i = 0; moves && i < run->im->dim; i++)
            v2 += speed[i] * speed[i];
        double root = sqrt(v2) + sqrt(v2 + 2.0 * g * way);
        if (moves && body->pushed && !body->held)
            leaves = stays(local, which, t, way);
        else if (moves && root > 0.0 && !body->held)
            leaves = t + 2.0 * way / root;
    }
    local_set_key(local, which, leaves < local->end ? leaves : INFINITY);
    if (local->grid)
        local_grid_put(local, which);
}

/* Are two bodies proved to be apart, by more than `reach`, while both balls
 * hold? */
static bool
apart(struct local *local, uint32_t one, uint32_t two)
{
    const struct local_body *a = local->body + one, *b = local->body + two;
    double way[3], room;
    if (isfinite(a->radius) && isfinite(b->radius)) {
        vec3_sub(a->centre, b->centre, way);
        double least =
            (1.0 + CAGE_APART) * (a->radius + b->radius) + local->reach;
        return vec3_dot(way, way) > least * least;
    }
    if (isfinite(a->radius) && event_room(local->run, two, a->centre, &room))
        return room > (1.0 + CAGE_APART) * a->radius + local->reach;
    if (isfinite(b->radius) && event_room(local->run, one, b->centre, &room))
        return room > (1.0 + CAGE_APART) * b->radius + local->reach;
    return false;
}

static void
list_near(struct local *local, struct local_body *body, uint32_t contact)
{
    if (body->n_near == body->room) {
        uint32_t room = 2 * body->room + 8,
                 *near = NEW_N(local->run->arena, uint32_t, room);
        if (body->n_near)
            memcpy(near, body->near, body->n_near * sizeof *near);
        body->near = near;
        body->room = room;
    }
    body->near[body->n_near++] = contact;
}

static void
drop_near(struct local_body *body, uint32_t contact)
{
    uint32_t i = 0;
    while (body->near[i] != contact)
        i++;
    body->near[i] = body->near[--body->n_near];
}

/* The balls of a contact's bodies meet no longer. */
static void
part(struct local *local, uint32_t contact)
{
    struct rt *run = local->run;
    struct local_pair *pair = local_pair_of(local, contact);
    const uint32_t *body = rt_contact(run, contact)->body;
    drop_near(local->body + body[0], contact);
    drop_near(local->body + body[1], contact);
    pair->near = pair->event = false;
    pair->left = true;
    local_set_key(local, local->n_body + contact, INFINITY);
    if (contact >= contact_table_stated(run))
        contact_table_drop(run, contact);
}

static void
join(struct local *local, uint32_t contact)
{
    const uint32_t *body = rt_contact(local->run, contact)->body;
    local_pair_of(local, contact)->near = true;
    list_near(local, local->body + body[0], contact);
    list_near(local, local->body + body[1], contact);
}

/* Two bodies whose balls may meet, and whose contact is not of the model. */
static bool
make(struct local *local, uint32_t which, uint32_t other)
{
    struct rt *run = local->run;
    if (apart(local, which, other) || !contact_table_wants(run, which, other) ||
        contact_table_find(run, which, other) != NO_CONTACT)
        return true;
    uint32_t contact = contact_table_make(run, which, other);
    if (contact == NO_CONTACT)
        return false;
    local_cage_join(local, contact);
    local->tell(local, contact);
    return true;
}

void
local_cage_join(struct local *local, uint32_t contact)
{
    assert(local && local->makes);
    local_made(local, contact);
    join(local, contact);
}

bool
local_cage_meet(struct local *local, uint32_t which,
                void (*met)(struct local *local, uint32_t contact))
{
    assert(local && which < local->n_body && met);
    struct local_body *body = local->body + which;
    for (uint32_t k = local->first[which]; k < local->first[which + 1]; k++) {
        uint32_t contact = local->of[k];
        bool near = local_pair_of(local, contact)->near;
        if (apart(local, which, local->with[k]) == !near)
            continue;
        if (near) {
            if (!local->balls_held || body->held ||
                !local->body[local->with[k]].held)
                part(local, contact);
        } else {
            join(local, contact);
            met(local, contact);
        }
    }
    if (!local->makes)
        return true;
    for (uint32_t k = body->n_near; k-- > 0;) {
        uint32_t contact = body->near[k];
        const uint32_t *of = rt_contact(local->run, contact)->body;
        /* What others watch, or pass through, stays; and what may meet a body
         * that is held before this ball is the one that holds. */
        bool free = (body->held || !local->body[of[of[0] == which]].held) &&
                    (local->watch[contact] == WATCH_CLOSE ||
                     local->watch[contact] == WATCH_LEAVE);
        if (contact >= contact_table_stated(local->run) && free &&
            apart(local, which, of[of[0] == which]))
            part(local, contact);
    }
    local->tell = met;
    return local_grid_near(local, which, make);
}

/* -- bodies that are held ---------------------------------------------------
 */

/* A body that is held gets a new ball when its centre has come so far, as a
 * share of the way that it may go. */
#define HELD_FAR 0.5

/* The way that a body may go in its ball. */
static double
way_of(const struct local *local, uint32_t which)
{
    const struct rt *run = local->run;
    double size = run->env[rt_body(run, which)->env_body + IMP_BODY_RADIUS];
    return (local->ball - 1.0) * size;
}

static double
gone(const struct local *local, uint32_t which)
{
    const double *x = local->run->env + rt_body(local->run, which)->env_state;
    double way[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < local->run->im->dim; i++)
        way[i] = x[i] - local->body[which].centre[i];
    return vec3_norm(way);
}

static bool
has_ball(const struct local *local, uint32_t which)
{
    const struct local_body *body = local->body + which;
    return body->held && body->block != IMP_NO_BLOCK && isfinite(body->radius);
}

bool
local_cage_held(struct local *local,
                void (*met)(struct local *local, uint32_t contact))
{
    assert(local && local->balls_held && met);
    double now = rt_time(local->run);
    bool any = false, good = true;
    for (uint32_t i = 0; i < local->n_body; i++)
        any |=
            has_ball(local, i) && gone(local, i) > HELD_FAR * way_of(local, i);
    if (!any)
        return true;
    /* balls that others have from later on do not hold yet */
    for (uint32_t i = 0; i < local->n_body; i++) {
        struct local_body *body = local->body + i;
        body->changed =
            body->since > now || (has_ball(local, i) &&
                                  gone(local, i) > HELD_FAR * way_of(local, i));
        if (body->changed)
            local_cage_make(local, i, now);
    }
    for (uint32_t i = 0; i < local->n_body && good; i++)
        if (local->body[i].changed)
            good = local_cage_meet(local, i, met);
    return good;
}

void
local_cage_holds(const struct local *local, double *until)
{
    assert(local && local->balls_held && until);
    const struct rt *run = local->run;
    double now = rt_time(run), ahead = *until - now;
    for (uint32_t i = 0; i < local->n_body; i++) {
        if (!has_ball(local, i))
            continue;
        const imp_body *body = rt_body(run, i);
        const double *rows = run->rows.block[body->block];
        double room = way_of(local, i) - gone(local, i), most;
        for (;; ahead *= 0.5) {
            most = 0.0;
            for (uint32_t j = 0; j < run->im->dim; j++) {
                const double *c =
                    rows + (size_t)body->pose[j] * IMP_ROW_STRIDE + IMP_ROW_PAD;
                double sum = 0.0;
                for (int k = MOTION_STEP_ORDER; k >= 1; k--)
                    sum = (sum + fabs(c[k])) * ahead;
                most += sum;
            }
            if (!(most > room) || now + ahead == now)
                break;
        }
    }
    *until = now + ahead;
}
