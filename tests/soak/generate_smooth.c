/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models of ellipses, discs and polygons that roll, slide and come to
 * rest on each other, on floors and on a round hill, with friction; the same of
 * superellipses; and one such body on floors that may move. */
#include <math.h>

#include "generate_priv.h"

enum ground { PLANE, SLOPE, TROUGH, HILL, GROUNDS };

/* Floors at the origin, whose lowest place that is. */
static void
add_grounds(struct random *random, struct model *out, enum ground ground)
{
    for (int i = 0; i < (ground == TROUGH ? 2 : 1); i++) {
        double tilt = ground == SLOPE ? random_in(random, -0.4, 0.4)
                      : ground == TROUGH
                          ? (i ? 1 : -1) * random_in(random, 0.2, 1.2)
                          : 0;
        struct body *floor = scene_add_wall(out, random, tilt);
        floor->position[1] = ground == HILL ? -1 : 0;
    }
    if (ground != HILL)
        return;
    struct body *hill = scene_add_body(out, "hill");
    hill->shape = SHAPE_ELLIPSE;
    hill->size[0] = random_in(random, 1.5, 3);
    hill->size[1] = 1;
    hill->fixed = true;
    hill->position[1] = -1;
}

/* An ellipse, mostly; returns a radius about its centre. */
static double
add_shape(struct random *random, struct body *body)
{
    double long_way = random_in(random, 0.15, 0.5);
    double short_way = random_in(random, 0.1, 0.4);
    int kind = random_whole(random, 5);
    body->density = random_in(random, 0.3, 3);
    if (kind == 4) {
        scene_random_hull(random, 2, long_way, body);
        return long_way;
    }
    static const enum shape shapes[] = {SHAPE_ELLIPSE, SHAPE_ELLIPSE,
                                        SHAPE_BALL, SHAPE_BOX};
    body->shape = shapes[kind];
    bool box = body->shape == SHAPE_BOX;
    body->size[0] = box ? 2 * long_way : long_way;
    body->size[1] = box ? 2 * short_way : short_way;
    return box ? hypot(long_way, short_way) : fmax(long_way, short_way);
}

void
generate_smooth(struct random *random, struct model *out)
{
    static const double heights[GROUNDS] = {0, 0.2, 1.5, 0.1};
    enum ground ground = (enum ground)random_whole(random, GROUNDS);
    double height = heights[ground];
    int count = 1 + random_whole(random, 3);
    out->gravity[1] = -random_in(random, 3, 10);
    add_grounds(random, out, ground);
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, "body");
        double radius = add_shape(random, body);
        height += radius + random_in(random, 0.02, 0.5);
        body->position[0] = random_in(random, -0.3, 0.3);
        body->position[1] = height;
        body->angle = random_in(random, -3, 3);
        body->velocity[0] = random_in(random, -2, 2);
        body->velocity[1] = random_in(random, -2, 0.5);
        body->spin[2] =
            random_chance(random, 0.5) ? random_in(random, -6, 6) : 0;
        height += radius;
    }
    scene_add_contacts(out, random, 1);
    scene_add_friction(random, out);
    if (random_chance(random, 0.3))
        scene_add_stribeck(random, out);
    if (random_chance(random, 0.2))
        scene_add_approach(random, out);
    scene_choose_law(random, out);
    out->until = random_in(random, 0.5, 1.5);
}

/* A superellipsoid that falls on a floor; in space there is no friction. */
static void
stone_in_space(struct random *random, struct model *out)
{
    out->dimension = 3;
    out->gravity[2] = -random_in(random, 3, 10);
    scene_add_wall(out, random, random_in(random, 0, 0.3));
    struct body *body = scene_add_body(out, "stone");
    body->shape = SHAPE_SUPERELLIPSE;
    body->density = random_in(random, 0.3, 3);
    body->position[2] = random_in(random, 0.8, 1.5);
    for (int k = 0; k < 3; k++) {
        body->size[k] = random_in(random, 0.15, 0.4);
        body->velocity[k] = random_in(random, -1, 1);
        body->spin[k] = random_in(random, -4, 4);
    }
    for (int k = 0; k < 4; k++)
        body->quaternion[k] = round(random_in(random, -1, 1) * 100) / 100;
    scene_add_contacts(out, random, 1);
    if (random_chance(random, 0.6))
        out->contact[0].restitution = 0;
    out->until = random_in(random, 1, 2);
}

void
generate_stones(struct random *random, struct model *out)
{
    if (random_chance(random, 0.4)) {
        stone_in_space(random, out);
        return;
    }
    generate_smooth(random, out);
    for (int i = 0; i < out->bodies; i++) {
        struct body *body = &out->body[i];
        if (body->shape != SHAPE_ELLIPSE)
            continue;
        body->shape = SHAPE_SUPERELLIPSE;
        for (int k = 0; k < 2 && !body->fixed; k++)
            body->size[k] *= 0.8; /* its corners stand out */
    }
}

/* Forces of all kinds that a system states as well. */
static void
add_loads(struct random *random, struct body *body)
{
    struct load *load = &body->load;
    if (random_chance(random, 0.4)) {
        load->wave[0] = random_in(random, -2, 2) * body->density;
        load->wave[1] = random_in(random, -2, 2) * body->density;
        load->frequency = random_in(random, 2, 15);
        load->phase = random_in(random, 0, 6);
    }
    if (random_chance(random, 0.2))
        load->torque[2] = random_in(random, -0.3, 0.3) * body->density;
    if (random_chance(random, 0.2)) {
        load->spring = random_in(random, 0.5, 10) * body->density;
        load->anchor[0] = random_in(random, -0.5, 0.5);
    }
    if (random_chance(random, 0.2)) {
        load->drag = random_in(random, 0.1, 1) * body->density;
        load->wind[0] = random_in(random, -2, 2);
    }
}

/* One body that falls, bounces, slips and rolls on floors, which may swing or
 * run as belts, under loads: the relation `system` states its gaps by support
 * functions. */
void
generate_supports(struct random *random, struct model *out)
{
    enum ground ground = (enum ground)random_whole(random, TROUGH + 1);
    out->gravity[1] = -random_in(random, 3, 10);
    add_grounds(random, out, ground);
    for (int i = 0; i < out->bodies; i++) {
        struct body *floor = &out->body[i];
        if (random_chance(random, 0.3)) {
            floor->swing[0] = random_in(random, -0.1, 0.1);
            floor->swing[1] = random_in(random, -0.1, 0.1);
            floor->swing_rate = random_in(random, 2, 12);
            floor->swing_phase = random_in(random, 0, 6);
            if (random_chance(random, 0.5))
                floor->turning =
                    (struct ride){.size = random_in(random, 0.02, 0.3),
                                  .frequency = random_in(random, 2, 10),
                                  .phase = random_in(random, 0, 6)};
        } else if (random_chance(random, 0.3)) {
            double speed = random_in(random, -1, 1);
            floor->carry[0] = speed * cos(floor->angle);
            floor->carry[1] = speed * sin(floor->angle);
        }
    }
    struct body *body = scene_add_body(out, "body");
    double radius = add_shape(random, body);
    body->position[0] = random_in(random, -0.2, 0.2);
    body->position[1] =
        (ground == TROUGH ? 2.5 : 1.3) * radius + random_in(random, 0.2, 0.6);
    body->angle = random_in(random, -3, 3);
    body->velocity[0] = random_in(random, -2, 2);
    body->velocity[1] = random_in(random, -2, 0.5);
    body->spin[2] = random_chance(random, 0.5) ? random_in(random, -6, 6) : 0;
    if (random_chance(random, 0.5))
        add_loads(random, body);
    scene_add_contacts(out, random, 1);
    scene_add_friction(random, out);
    if (random_chance(random, 0.4))
        for (int i = 0; i < out->contacts; i++)
            out->contact[i].restitution = 0;
    scene_choose_law(random, out);
    out->until = random_in(random, 0.7, 2);
}
