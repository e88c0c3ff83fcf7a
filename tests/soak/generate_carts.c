/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random carts on a rail, under forces along it: springs, dampers of powers,
 * dry friction as a force, soft stops, tables and waves; between hard stops,
 * too. From each hangs a bob that turns a wheel and may touch a belt below. The
 * relation `system` writes them with the coordinates of joints and rotors. */
#include <math.h>
#include <string.h>

#include "generate_priv.h"
#include "vector.h"

static double
rounded(struct random *random, double low, double high)
{
    return round(random_in(random, low, high) * 1e3) / 1e3;
}

static void
add_forces(struct random *random, struct body *cart, const double axis[3])
{
    static const double powers[] = {1.5, 2, 0.7, 0.5, 3};
    struct load *load = &cart->load;
    struct rail *rail = &load->rail;
    memcpy(rail->axis, axis, sizeof rail->axis);
    rail->power = 1;
    if (random_chance(random, 0.4)) {
        load->spring = rounded(random, 5, 60);
        memcpy(load->anchor, cart->position, sizeof load->anchor);
    }
    if (random_chance(random, 0.4)) {
        rail->damper = rounded(random, 0.2, 3);
        rail->power = powers[random_whole(random, 5)];
    }
    if (random_chance(random, 0.4))
        rail->dry = rounded(random, 0.1, 2);
    if (random_chance(random, 0.3)) {
        rail->stop = rounded(random, 50, 500);
        rail->stop_at = dot(cart->position, axis) + rounded(random, 0, 0.2);
    }
    if (random_chance(random, 0.3)) {
        load->frequency = rounded(random, 3, 20);
        load->phase = rounded(random, 0, 3);
        add_scaled(load->wave, rounded(random, 1, 10), axis, load->wave);
    }
    if (!random_chance(random, 0.3))
        return;
    struct table *table = &load->table;
    table->knots = 4 + random_whole(random, 3);
    for (int i = 0; i < table->knots; i++) {
        table->at[i] = i ? table->at[i - 1] + rounded(random, 0.05, 0.5) : 0;
        table->value[i] = rounded(random, -8, 8);
    }
    memcpy(load->pull, axis, sizeof load->pull);
}

/* A wall that ends the way of the cart on that side (1 or -1). */
static int
add_stop(struct random *random, struct model *out, const struct body *cart,
         const double axis[3], int side)
{
    struct body *wall = scene_add_body(out, "stop");
    wall->fixed = true;
    wall->shape = SHAPE_HALF;
    /* its normal, which is "up" before it turns, is against the way */
    wall->angle = atan2(axis[1], axis[0]) + side * acos(0);
    add_scaled(cart->position,
               side * (cart->size[0] + rounded(random, 0.25, 0.6)), axis,
               wall->position);
    return out->bodies - 1;
}

static void
add_contact(struct model *model, int first, int second, double restitution)
{
    struct contact *contact = &model->contact[model->contacts];
    *contact = (struct contact){.there = true,
                                .first = first,
                                .second = second,
                                .restitution = restitution};
    snprintf(contact->name, NAME_SIZE, "k%d", model->contacts++);
}

static struct joint *
add_joint(struct model *model, int first, int second, const double at[3])
{
    struct joint *joint = &model->joint[model->joints];
    *joint = (struct joint){.there = true, .first = first, .second = second};
    snprintf(joint->name, NAME_SIZE, "j%d", model->joints++);
    memcpy(joint->at, at, sizeof joint->at);
    return joint;
}

static void
add_wheel(struct random *random, struct body *bob)
{
    struct rotor *rotor = &bob->rotor;
    rotor->inertia =
        round(bob->inertia * random_in(random, 0.1, 0.6) * 1e6) * 1e-6;
    rotor->rate = rounded(random, -60, 60);
    rotor->friction = rounded(random, 0.001, 0.05);
    if (random_chance(random, 0.5)) {
        rotor->motor = rounded(random, 0.005, 0.08);
        rotor->frequency = rounded(random, 2, 15);
    }
}

/* The belt: at rest, even, or to and fro. */
static void
add_belt(struct random *random, struct model *out, double height)
{
    struct body *belt = scene_add_body(out, "belt");
    int way = random_whole(random, 3);
    belt->fixed = true;
    belt->shape = SHAPE_HALF;
    belt->position[1] = height;
    if (way == 1)
        belt->carry[0] = rounded(random, -1, 1);
    if (way == 2) {
        belt->swing[0] = rounded(random, 0.02, 0.1);
        belt->swing_rate = rounded(random, 3, 12);
    }
}

void
generate_carts(struct random *random, struct model *out)
{
    double lean = random_chance(random, 0.6) ? 0 : random_in(random, -0.5, 0.5);
    double axis[3] = {cos(lean), sin(lean), 0}, arm, angle, floor;
    int stops[2] = {-1, -1};
    out->gravity[1] = -9.81;
    struct body *cart = scene_add_body(out, "cart");
    cart->shape = SHAPE_BALL;
    cart->size[0] = 0.05;
    cart->mass = rounded(random, 0.5, 3);
    cart->inertia = 0.01;
    add_scaled(cart->position, rounded(random, -0.2, 0.2), axis,
               cart->position);
    add_forces(random, cart, axis);
    struct body *bob = scene_add_body(out, "bob");
    bob->shape = SHAPE_BALL;
    bob->size[0] = rounded(random, 0.05, 0.15);
    bob->mass = rounded(random, 0.2, 2);
    bob->inertia = rounded(random, 0.002, 0.02);
    arm = rounded(random, 0.3, 0.8);
    floor = -arm * random_in(random, 0.6, 0.98) - bob->size[0];
    do {
        angle = rounded(random, -2.4, 2.4);
        bob->position[0] = cart->position[0] + arm * sin(angle);
        bob->position[1] = cart->position[1] - arm * cos(angle);
    } while (bob->position[1] - bob->size[0] < floor + 0.01);
    bob->angle = angle;
    if (random_chance(random, 0.7))
        add_wheel(random, bob);
    struct joint *rail = add_joint(out, 0, -1, cart->position);
    rail->slider = true;
    memcpy(rail->axis, axis, sizeof rail->axis);
    rail->rate = rounded(random, -1, 1);
    add_joint(out, 1, 0, cart->position)->rate = rounded(random, -3, 3);
    add_belt(random, out, floor);
    for (int i = 0; i < 2 && random_chance(random, 0.8); i++)
        stops[i] = add_stop(random, out, &out->body[0], axis, i ? 1 : -1);
    add_contact(out, 2, 1,
                random_chance(random, 0.5) ? 0 : rounded(random, 0, 0.8));
    out->contact[0].rough = random_chance(random, 0.6);
    out->contact[0].friction = rounded(random, 0.05, 0.8);
    double restitution = rounded(random, 0, 0.9);
    for (int i = 0; i < 2; i++)
        if (stops[i] >= 0)
            add_contact(out, stops[i], 0, restitution);
    scene_choose_law(random, out);
    out->until = 1.5;
}
