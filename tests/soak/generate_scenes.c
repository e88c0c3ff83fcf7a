/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models of bodies for places where programs go wrong: polytopes that
 * meet again and again, masses far apart, hinges of little inertia. */
#include <math.h>
#include <string.h>

#include "generate_priv.h"
#include "vector.h"

/* A wall of a trough: its normal is turned by `tilt` from "up", in space about
 * the horizontal axis at the angle `turn`. */
static void
trough_wall(struct model *out, struct random *random, double tilt, double turn)
{
    bool plane = out->dimension == 2;
    struct body *wall = scene_add_wall(out, random, tilt);
    double normal[3] = {0, plane, !plane}, matrix[3][3];
    if (plane) {
        angle_matrix(wall->angle, matrix);
    } else {
        double share = round(sin(tilt / 2) * 100) / 100;
        wall->quaternion[1] = round(share * cos(turn) * 1e3) / 1e3;
        wall->quaternion[2] = round(share * sin(turn) * 1e3) / 1e3;
        quaternion_matrix(wall->quaternion, matrix);
    }
    rotate(matrix, normal, normal);
    for (int k = 0; k < 3; k++)
        wall->position[k] =
            round(-(tilt != 0 ? 0.9 : 1) * normal[k] * 1e3) / 1e3;
}

static void
add_polytope(struct model *out, struct random *random)
{
    struct body *body = scene_add_body(out, "body");
    scene_random_hull(random, out->dimension, random_in(random, 0.3, 0.5),
                      body);
    body->density = 1;
    if (out->dimension == 2) {
        body->angle = random_in(random, 0, 6.28);
    } else {
        double axis[3];
        random_direction(random, 3, axis);
        body->quaternion[0] = random_in(random, -1, 1);
        for (int k = 0; k < 3; k++)
            body->quaternion[k + 1] = round(axis[k] * 100) / 100;
    }
    body->spin[2] = random_in(random, -2, 2);
    if (!scene_place(out, random, 1.4))
        out->bodies--;
}

/* Polytopes in a trough that loses little energy. */
static void
trough(struct random *random, int count, struct model *out)
{
    int sides = out->dimension == 2 ? 2 : 4;
    out->gravity[out->dimension - 1] = -5;
    trough_wall(out, random, 0, 0);
    for (int i = 0; i < sides; i++)
        trough_wall(out, random, sides == 2 && i ? -1.6 : 1.6,
                    acos(-1) / 2 * i);
    for (int i = 0; i < count; i++)
        add_polytope(out, random);
    scene_add_contacts(out, random, 1);
    for (int i = 0; i < out->contacts; i++)
        out->contact[i].restitution = 0.98;
    out->until = 4;
}

void
generate_polytopes(struct random *random, struct model *out)
{
    out->dimension = random_chance(random, 0.7) ? 2 : 3;
    trough(random, 2 + random_chance(random, 0.3), out);
}

void
generate_polygons(struct random *random, struct model *out)
{
    out->dimension = 2;
    trough(random, 2, out);
}

void
generate_polyhedra(struct random *random, struct model *out)
{
    out->dimension = 3;
    trough(random, 2, out);
}

/* Rectangles or boxes that fall on one another, nearly flat. */
void
generate_stacks(struct random *random, struct model *out)
{
    out->dimension = random_chance(random, 0.6) ? 2 : 3;
    int up = out->dimension - 1, count = 2 + random_whole(random, 2);
    double height = 0;
    out->gravity[up] = -random_in(random, 3, 10);
    scene_add_wall(out, random, 0);
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, "box");
        body->shape = SHAPE_BOX;
        body->density = random_chance(random, 0.5) ? 1 : 2;
        for (int k = 0; k < out->dimension; k++)
            body->size[k] = random_in(random, 0.3, 0.8);
        height += random_in(random, 0.05, 0.3) + body->size[up] / 2;
        for (int k = 0; k < up; k++)
            body->position[k] = random_in(random, -0.1, 0.1);
        body->position[up] = height;
        height += body->size[up] / 2;
        if (out->dimension == 2 && random_chance(random, 0.7))
            body->angle = random_in(random, -0.05, 0.05);
    }
    scene_add_contacts(out, random, 1);
    out->law = random_chance(random, 0.5) ? "complementarity" : "sequential";
    out->until = 1;
}

/* A box that lies on a table, or falls on it, near one of its sides, and tips
 * over that or slides off. */
void
generate_tables(struct random *random, struct model *out)
{
    out->dimension = random_chance(random, 0.5) ? 2 : 3;
    int up = out->dimension - 1;
    out->gravity[up] = -random_in(random, 3, 10);
    scene_add_wall(out, random, 0)->position[up] = -1;
    struct body *table = scene_add_body(out, "table");
    table->shape = SHAPE_BOX;
    table->fixed = true;
    for (int k = 0; k < out->dimension; k++)
        table->size[k] = k == up ? 0.2 : 2;
    table->position[up] = -0.1;
    struct body *box = scene_add_body(out, "box");
    box->shape = SHAPE_BOX;
    box->density = 1;
    for (int k = 0; k < out->dimension; k++)
        box->size[k] = random_in(random, 0.1, 0.6);
    box->position[0] = 1 + random_in(random, -0.4, 0.6) * box->size[0] / 2;
    box->position[up] = box->size[up] / 2;
    if (random_chance(random, 0.6))
        box->position[up] += random_in(random, 0.01, 0.3);
    box->velocity[0] = random_in(random, -0.5, 1);
    if (random_chance(random, 0.5))
        box->spin[0] = random_in(random, -1, 1);
    scene_add_contacts(out, random, 1);
    out->until = 1.5;
}

/* Two boxes that come to rest on each other in a trough. */
void
generate_troughs(struct random *random, struct model *out)
{
    out->gravity[1] = -random_in(random, 5, 10);
    scene_add_wall(out, random, random_in(random, -0.2, 0.2));
    for (int side = -1; side <= 1; side += 2) {
        struct body *wall =
            scene_add_wall(out, random, side * random_in(random, 0.2, 1.5));
        wall->position[0] = 0.8 * side;
    }
    for (int i = 0; i < 2; i++) {
        struct body *box = scene_add_body(out, "box");
        box->shape = SHAPE_BOX;
        box->density = i == 0 ? 1 : random_in(random, 0.3, 3);
        for (int k = 0; k < 2; k++)
            box->size[k] = random_in(random, 0.2, 0.6);
        box->position[0] = i * random_in(random, -0.3, 0.3);
        box->position[1] = random_in(random, 0.7, 0.9) + 1.1 * i;
        box->angle = random_in(random, -3, 3);
        box->spin[2] = random_in(random, -3, 3);
    }
    scene_add_contacts(out, random, 1);
    out->until = 2;
}

/* Discs of masses far apart that hit each other, or a wall, nearly centrally,
 * and where the world's origin is. */
void
generate_hits(struct random *random, struct model *out)
{
    double across[3], along[3] = {0}, place = 0;
    random_direction(random, 2, along);
    across[0] = -along[1];
    across[1] = along[0];
    across[2] = 0;
    if (random_chance(random, 0.5)) {
        struct body *wall = scene_add_wall(out, random, 0);
        wall->angle = atan2(-along[0], along[1]);
    }
    double offset =
        random_chance(random, 0.4) ? 0 : pow(10, -random_in(random, 1, 6));
    int count = 2 + random_chance(random, 0.3);
    for (int i = 0; i < count; i++) {
        struct body *disc = scene_add_body(out, "disc");
        disc->shape = SHAPE_BALL;
        disc->size[0] = random_in(random, 0.1, 0.5);
        disc->density = pow(2, random_whole(random, 10)) /
                        (disc->size[0] * disc->size[0] * acos(-1));
        place += disc->size[0] + random_in(random, 0.1, 0.5);
        for (int k = 0; k < 2; k++)
            disc->position[k] = place * along[k] +
                                offset * random_in(random, -1, 1) * across[k];
        place += disc->size[0];
        double speed = i == count - 1 || random_chance(random, 0.3)
                           ? -random_in(random, 0.5, 2)
                           : 0;
        add_scaled(disc->velocity, speed, along, disc->velocity);
        if (random_chance(random, 0.5))
            disc->spin[2] = random_in(random, -3, 3);
    }
    scene_add_contacts(out, random, 1);
    for (int i = 0; i < out->contacts && random_chance(random, 0.7); i++)
        out->contact[i].restitution = 1;
    out->until = 3;
}

/* A pendulum of one or two links, whose inertia about the centre of mass may be
 * as good as none. */
void
generate_pendulum(struct random *random, struct model *out)
{
    int links = 1 + random_whole(random, 2);
    double pin[3] = {random_in(random, -1, 1), random_in(random, -1, 1), 0};
    out->gravity[1] = -random_in(random, 1, 10);
    for (int i = 0; i < links; i++) {
        struct body *link = scene_add_body(out, "link");
        double direction[3], length = random_in(random, 0.3, 1.5);
        random_direction(random, 2, direction);
        link->shape = SHAPE_NONE;
        link->mass = random_in(random, 0.5, 2);
        link->inertia = random_chance(random, 0.5)
                            ? random_in(random, 0.05, 1)
                            : pow(10, -random_whole(random, 13));
        add_scaled(pin, length, direction, link->position);
        struct joint *joint = &out->joint[out->joints];
        *joint = (struct joint){.there = true,
                                .first = i,
                                .second = i - 1,
                                .rate = random_in(random, -3, 3)};
        snprintf(joint->name, NAME_SIZE, "pin%u", (unsigned)out->joints++ % 9u);
        memcpy(joint->at, pin, sizeof joint->at);
        add_scaled(link->position, random_in(random, 0, 1), direction, pin);
    }
    out->until = 3;
}

/* Links in space that hang on one another and on the world by hinges and ball
 * joints. */
void
generate_linkage(struct random *random, struct model *out)
{
    int links = 1 + random_whole(random, 3);
    double pin[3];
    out->dimension = 3;
    for (int k = 0; k < 3; k++)
        pin[k] = random_in(random, -1, 1);
    if (random_chance(random, 0.8))
        out->gravity[2] = -random_in(random, 1, 10);
    for (int i = 0; i < links; i++) {
        struct body *link = scene_add_body(out, "link");
        double direction[3], length = random_in(random, 0.3, 1.5), square[3];
        random_direction(random, 3, direction);
        link->shape = SHAPE_NONE;
        link->mass = random_in(random, 0.5, 2);
        /* moments that a body can have: sums of pairs */
        for (int k = 0; k < 3; k++)
            square[k] = random_in(random, 0.02, 0.3);
        for (int k = 0; k < 3; k++)
            link->moments[k] = square[(k + 1) % 3] + square[(k + 2) % 3];
        for (int k = 0; k < 4; k++)
            link->quaternion[k] = random_in(random, -1, 1) + (k ? 0 : 1.5);
        add_scaled(pin, length, direction, link->position);
        struct joint *joint = &out->joint[out->joints];
        *joint = (struct joint){.there = true,
                                .first = i,
                                .second = i - 1,
                                .ball = random_chance(random, 0.5),
                                .rate = random_in(random, -3, 3)};
        random_direction(random, 3, joint->axis);
        for (int k = 0; k < 3; k++)
            joint->spin[k] = random_in(random, -2, 2);
        snprintf(joint->name, NAME_SIZE, "pin%u", (unsigned)out->joints++ % 9u);
        memcpy(joint->at, pin, sizeof joint->at);
        add_scaled(link->position, random_in(random, 0, 1), direction, pin);
    }
    out->until = 2;
}
