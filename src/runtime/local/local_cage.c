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
#include "runtime/local/local_priv.h"
#include "runtime/numerics/vec3.h"

/* A ball is so many times as large as one that holds the body: larger ones last
 * longer and meet more others. */
#define CAGE_ROOM 3.0
/* Balls that do not meet are apart by this share of their sizes at least, which
 * is far above the tolerance of a gap and the rounding of places. */
#define CAGE_APART 1e-3

void
local_cage_make(struct local *local, uint32_t which, double t)
{
    assert(local && which < local->run->im->bodies.n);
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
    if (size > 0.0 && isfinite(size) && !body->held &&
        !(image_body->flags & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME))) {
        bool moves = body->block != IMP_NO_BLOCK;
        double way = (CAGE_ROOM - 1.0) * size;
        body->radius = moves ? CAGE_ROOM * size : size;
        for (uint32_t i = 0; moves && i < run->im->dim; i++)
            v2 += speed[i] * speed[i];
        double root = sqrt(v2) + sqrt(v2 + 2.0 * g * way);
        if (moves && root > 0.0)
            leaves = t + 2.0 * way / root;
    }
    local_set_key(local, local->n + which,
                  leaves < local->end ? leaves : INFINITY);
}

/* Are two bodies proved to be apart while both balls hold? */
static bool
apart(struct local *local, uint32_t one, uint32_t two)
{
    const struct local_body *a = local->body + one, *b = local->body + two;
    double way[3], room;
    if (isfinite(a->radius) && isfinite(b->radius)) {
        vec3_sub(a->centre, b->centre, way);
        double least = (1.0 + CAGE_APART) * (a->radius + b->radius);
        return vec3_dot(way, way) > least * least;
    }
    if (isfinite(a->radius) && event_room(local->run, two, a->centre, &room))
        return room > (1.0 + CAGE_APART) * a->radius;
    if (isfinite(b->radius) && event_room(local->run, one, b->centre, &room))
        return room > (1.0 + CAGE_APART) * b->radius;
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

void
local_cage_meet(struct local *local, uint32_t which,
                void (*met)(struct local *local, uint32_t contact))
{
    assert(local && which < local->run->im->bodies.n && met);
    struct local_body *body = local->body + which;
    for (uint32_t k = local->first[which]; k < local->first[which + 1]; k++) {
        uint32_t contact = local->of[k];
        struct local_pair *pair = local->pair + contact;
        uint32_t other = local->with[k];
        if (apart(local, which, other) == !pair->near)
            continue;
        pair->near = !pair->near;
        if (pair->near) {
            list_near(local, body, contact);
            list_near(local, local->body + other, contact);
            met(local, contact);
        } else {
            drop_near(body, contact);
            drop_near(local->body + other, contact);
            pair->event = false;
            pair->left = true;
            local_set_key(local, contact, INFINITY);
        }
    }
}
