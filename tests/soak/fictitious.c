/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `ride`: the ground turns or is pushed along, and forces carry
 * all bodies with it. Where it rides already it rests in the other model, in
 * which the forces that one feels on such a ground act instead. */
#include "fictitious.h"

#include <math.h>
#include <string.h>

#include "vector.h"

struct ride
random_ride(struct random *random, int dimension)
{
    struct ride ride = {0};
    int way = dimension == 3 ? 2 : random_whole(random, 3);
    if (way == 0) {
        ride.rate = random_in(random, -1.5, 1.5);
    } else if (way == 1) {
        ride.frequency = random_in(random, 1, 15);
        ride.size = random_in(random, -1.5, 1.5) / ride.frequency;
    } else {
        random_direction(random, dimension, ride.acceleration);
        double size = random_in(random, 0.3, 4);
        for (int k = 0; k < 3; k++)
            ride.acceleration[k] *= size;
    }
    return ride;
}

static struct ride
opposite(const struct ride *ride)
{
    struct ride out = *ride;
    out.rate = -ride->rate;
    out.size = -ride->size;
    for (int k = 0; k < 3; k++)
        out.acceleration[k] = -ride->acceleration[k];
    return out;
}

static bool
can_ride(const struct body *body, const struct ride *ride)
{
    const struct load *load = &body->load;
    bool turns = ride_turns(ride);
    if (body->fixed)
        return length(body->swing) == 0 && !body->path.knots &&
               !ride_turns(&body->turning) &&
               !(turns && length(body->carry) > 0);
    if (load->spring != 0 || load->drag != 0 || !rail_is_none(&load->rail))
        return false;
    return !turns || (length(load->wave) == 0 && !load->table.knots &&
                      load->torque_drag == 0 && body->rotor.inertia == 0);
}

bool
make_ride(struct trial *trial)
{
    const struct model *model = trial->model;
    struct model *other = &trial->other;
    struct ride *ride = &trial->frame.ride;
    bool rides = !ride_is_rest(&model->ground);
    if (!model->bodies || model->systems || model->joints)
        return false;
    *ride = rides ? opposite(&model->ground)
                  : random_ride(&trial->random, model->dimension);
    /* to and fro from any angle, where nothing must be closed to rounding */
    if (!rides && !model->exact_start)
        ride->phase = random_in(&trial->random, -3, 3);
    for (int i = 0; i < model->bodies; i++)
        if (model->body[i].there && !can_ride(&model->body[i], ride))
            return false;
    other->carried = *ride;
    other->ground = rides ? (struct ride){0} : *ride;
    for (int i = 0; i < model->bodies; i++) {
        struct body *body = &other->body[i];
        if (body->fixed)
            continue;
        ride_along(ride, 0, body->position, body->velocity);
        body->angle += ride_angle(ride, 0);
        body->spin[2] += ride_spin(ride, 0);
    }
    return true;
}
