/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `space`: a plane model without friction as one in space, of
 * prisms, balls and ellipsoids that keep to the plane z = 0. Nothing pushes
 * them out of it, and their masses and moments about z are those of the plane.
 */
#include "space.h"

#include <math.h>
#include <string.h>

#include "print.h"
#include "vector.h"

/* moments of inertia about the two axes in the plane, as shares of the third */
static const double ACROSS[2] = {0.7, 0.8};

/* Has this shape a counterpart? (A superellipsoid is flat beside the plane.) */
static bool
can_rise(const struct body *body)
{
    bool few = 2 * body->corners <= MAX_CORNERS;
    return body->rotor.inertia == 0 && body->shape != SHAPE_SUPERELLIPSE &&
           !body->half && (body->shape != SHAPE_HULL || few);
}

/* A polygon between z = -depth and depth. */
static void
make_prism(struct body *body, double depth)
{
    int count = body->corners;
    for (int i = 0; i < count; i++) {
        memcpy(body->corner[count + i], body->corner[i],
               sizeof body->corner[i]);
        body->corner[i][2] = -depth;
        body->corner[count + i][2] = depth;
    }
    body->corners = 2 * count;
}

/* The attitude; a half-space is above z = 0, and a half-plane above y = 0. */
static void
make_attitude(struct body *body)
{
    double half = body->angle / 2;
    double up[4] = {sqrt(0.5), -sqrt(0.5), 0, 0};
    double turn[4] = {cos(half), 0, 0, sin(half)};
    memcpy(body->quaternion, turn, sizeof turn);
    if (body->shape == SHAPE_HALF)
        quaternion_product(turn, up, body->quaternion);
}

static void
raise_body(struct random *random, struct model *plane, int index,
           struct body *body)
{
    double depth = random_in(random, 0.1, 0.5), mass, inertia;
    if (!body->fixed) {
        plane_inertia(plane, index, &mass, &inertia);
        body->density = 0;
        body->mass = mass;
        body->moments[2] = inertia;
        for (int k = 0; k < 2; k++)
            body->moments[k] = ACROSS[k] * inertia;
    }
    if (body->shape == SHAPE_HULL)
        make_prism(body, depth);
    else if (body->shape != SHAPE_BALL)
        body->size[2] = body->shape == SHAPE_BOX ? 2 * depth : depth;
    make_attitude(body);
    body->spin[0] = body->spin[1] = 0; /* the plane reads none of them */
}

bool
make_space(struct trial *trial)
{
    struct model *other = &trial->other;
    static struct model plane;
    plane = *other;
    /* that law takes the corners of an edge one after the other */
    bool turns = other->law && !strcmp(other->law, "sequential");
    if (other->dimension != 2 || !other->bodies || other->systems ||
        other->question != ASK_SIMULATE || model_is_rough(other) ||
        other->rounded || turns || !ride_is_rest(&other->ground))
        return false;
    for (int i = 0; i < other->contacts; i++)
        if (other->contact[i].own_law || other->contact[i].restitution_law ||
            other->contact[i].sticks)
            return false;
    for (int i = 0; i < other->bodies; i++)
        if (!can_rise(&other->body[i]) ||
            ride_turns(&other->body[i].turning))
            return false;
    other->dimension = 3;
    for (int i = 0; i < other->bodies; i++)
        raise_body(&trial->random, &plane, i, &other->body[i]);
    for (int i = 0; i < other->joints; i++)
        if (!other->joint[i].slider)
            other->joint[i].axis[2] = 1;
    return true;
}
