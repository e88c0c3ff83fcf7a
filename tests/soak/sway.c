/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `sway`: the ground swings, and all bodies with it, which forces
 * move as the ground moves. Seen from the ground nothing changes. */
#include "sway.h"

#include <math.h>
#include <string.h>

#include "solid.h"
#include "vector.h"

/* The area or the volume of a shape; NaN: not known in closed form here. */
static double
volume_of(const struct body *body, int dimension)
{
    static const double pi = 3.14159265358979323846;
    const double *size = body->size;
    bool flat = dimension == 2;
    struct solid solid;
    switch (body->shape) {
    case SHAPE_BALL:
        return flat ? pi * size[0] * size[0] : 4 * pi / 3 * pow(size[0], 3);
    case SHAPE_ELLIPSE:
        return flat ? pi * size[0] * size[1]
                    : 4 * pi / 3 * size[0] * size[1] * size[2];
    case SHAPE_BOX:
        return flat ? size[0] * size[1] : size[0] * size[1] * size[2];
    case SHAPE_HULL:
        solid_make(body, dimension, &solid);
        return solid.area;
    default:
        return NAN;
    }
}

static double
mass_of(const struct body *body, int dimension)
{
    return body->density == 0 ? body->mass
                              : body->density * volume_of(body, dimension);
}

/* Can the body be carried along by a force that swings? */
static bool
can_sway(const struct body *body, int dimension)
{
    const struct load *load = &body->load;
    if (body->fixed)
        return length(body->swing) == 0;
    return load->spring == 0 && load->drag == 0 && length(load->wave) == 0 &&
           rail_is_none(&load->rail) && isfinite(mass_of(body, dimension));
}

bool
make_sway(struct trial *trial)
{
    struct model *other = &trial->other;
    struct sway *sway = &trial->frame.sway;
    double direction[3], place[3], rate[3];
    if (!other->bodies || other->systems || other->joints ||
        !ride_is_rest(&other->ground))
        return false;
    for (int i = 0; i < other->bodies; i++)
        if (other->body[i].there &&
            !can_sway(&other->body[i], other->dimension))
            return false;
    sway->rate = random_in(&trial->random, 2, 12);
    sway->phase = random_in(&trial->random, 0, 6);
    random_direction(&trial->random, other->dimension, direction);
    add_scaled(sway->size,
               random_in(&trial->random, 0.2, 8) / pow(sway->rate, 2),
               direction, sway->size);
    sway_at(sway, 0, place, rate);
    for (int i = 0; i < other->bodies; i++) {
        struct body *body = &other->body[i];
        if (body->fixed) {
            memcpy(body->swing, sway->size, sizeof body->swing);
            body->swing_rate = sway->rate;
            body->swing_phase = sway->phase;
            continue;
        }
        double mass = mass_of(body, other->dimension);
        add_scaled(body->position, 1, place, body->position);
        add_scaled(body->velocity, 1, rate, body->velocity);
        add_scaled(body->load.wave, -mass * sway->rate * sway->rate, sway->size,
                   body->load.wave);
        body->load.frequency = sway->rate;
        body->load.phase = sway->phase;
    }
    return true;
}
