/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models of many discs or spheres in a box, and models of the other
 * kinds whose contacts state laws by formulas. */
#include <math.h>

#include "generate_priv.h"

/* Half the width of the box. */
static const double HALF_WIDTH = 1.5;

void
scene_add_approach(struct random *random, struct model *out)
{
    double speed = random_in(random, 0.3, 10);
    for (int i = 0; i < out->contacts; i++)
        out->contact[i].approach_speed = speed;
}

void
scene_add_stribeck(struct random *random, struct model *out)
{
    double speed = random_in(random, 0.1, 2);
    for (int i = 0; i < out->contacts; i++)
        if (out->contact[i].static_friction != 0)
            out->contact[i].stribeck_speed = speed;
}

/* The sides of the box; the first is the floor. */
static void
add_box(struct random *random, struct model *out)
{
    static const double normal[][3] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    static const double quaternion[][4] = {{1, 0, 0, 0},  {0, 1, 0, 0},
                                           {1, 0, 1, 0},  {1, 0, -1, 0},
                                           {1, -1, 0, 0}, {1, 1, 0, 0}};
    static const double up[][3] = {{0, 0, 1},  {0, 0, -1}, {1, 0, 0},
                                   {-1, 0, 0}, {0, 1, 0},  {0, -1, 0}};
    bool plane = out->dimension == 2;
    for (int i = 0; i < 2 * out->dimension; i++) {
        struct body *wall = scene_add_wall(out, random, 0);
        const double *inward = plane ? normal[i] : up[i];
        for (int k = 0; k < 3; k++)
            wall->position[k] = -HALF_WIDTH * inward[k];
        if (plane)
            wall->angle = atan2(-inward[0], inward[1]);
        for (int k = 0; k < 4 && !plane; k++)
            wall->quaternion[k] = quaternion[i][k];
        if (plane && random_chance(random, 0.3))
            wall->angle += random_in(random, -0.2, 0.2);
    }
}

static void
add_balls(struct random *random, struct model *out, int count, bool fixed)
{
    bool alike = random_chance(random, 0.3);
    double common = random_in(random, 0.1, 0.25);
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, fixed ? "peg" : "disc");
        body->shape = SHAPE_BALL;
        body->size[0] = alike ? common : random_in(random, 0.08, 0.3);
        body->fixed = fixed;
        body->density = fixed ? 0 : alike ? 1 : random_in(random, 0.3, 3);
        if (!scene_place(out, random, HALF_WIDTH)) {
            out->bodies--;
            continue;
        }
        for (int k = 0; k < out->dimension && !fixed; k++)
            body->velocity[k] = random_in(random, -2, 2);
        for (int k = out->dimension == 2 ? 2 : 0; k < 3 && !fixed; k++)
            body->spin[k] = random_in(random, -5, 5);
    }
}

/* Ellipses, boxes, hulls and balls. */
static void
add_mixture(struct random *random, struct model *out, int count)
{
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, "mixed");
        double size = random_in(random, 0.15, 0.35);
        static const enum shape shapes[] = {SHAPE_BALL, SHAPE_ELLIPSE,
                                            SHAPE_BOX};
        body->shape = shapes[random_whole(random, 3)];
        for (int k = 0; k < out->dimension; k++)
            body->size[k] = round(1e3 * size * random_in(random, 0.5, 1)) / 1e3;
        if (random_chance(random, 0.25))
            scene_random_hull(random, out->dimension, size, body);
        body->density = random_in(random, 0.3, 3);
        if (out->dimension == 2)
            body->angle = random_in(random, -3, 3);
        if (!scene_place(out, random, HALF_WIDTH)) {
            out->bodies--;
            continue;
        }
        for (int k = 0; k < out->dimension; k++)
            body->velocity[k] = random_in(random, -2, 2);
        for (int k = out->dimension == 2 ? 2 : 0; k < 3; k++)
            body->spin[k] = random_in(random, -5, 5);
    }
}

/* Bodies of all shapes, whose pairs keep their next events. */
void
generate_mixtures(struct random *random, struct model *out)
{
    out->dimension = random_chance(random, 0.6) ? 2 : 3;
    bool plane = out->dimension == 2;
    if (random_chance(random, 0.4))
        out->gravity[out->dimension - 1] = -random_in(random, 1, 10);
    add_box(random, out);
    add_balls(random, out, random_whole(random, 3), true);
    add_mixture(random, out, plane ? 8 : 6);
    scene_add_contacts(out, random, 1);
    if (plane && random_chance(random, 0.4))
        scene_add_friction(random, out);
    scene_choose_law(random, out);
    out->until = 1;
}

void
generate_discs(struct random *random, struct model *out)
{
    out->dimension = random_chance(random, 0.6) ? 2 : 3;
    bool plane = out->dimension == 2, falls = random_chance(random, 0.4);
    if (falls)
        out->gravity[out->dimension - 1] = -random_in(random, 1, 10);
    add_box(random, out);
    add_balls(random, out, random_whole(random, 3), true);
    add_balls(random, out, plane ? 8 : 7, false);
    scene_add_contacts(out, random, 1);
    if (plane && random_chance(random, 0.4)) {
        scene_add_friction(random, out);
        if (random_chance(random, 0.3))
            scene_add_stribeck(random, out);
    }
    if (random_chance(random, 0.4))
        scene_add_approach(random, out);
    if (random_chance(random, 0.5))
        scene_choose_law(random, out);
    out->until = 1;
}

/* Laws of impacts that the contacts state themselves. With several points at
 * one time only `sequential` follows them. */
static void
add_own_laws(struct random *random, struct model *out)
{
    static const char *const laws[] = {"sticking", "turning", "fixed_ratio"};
    const char *law = laws[random_whole(random, 3)];
    double share = random_in(random, 0.05, 0.5);
    for (int i = 0; i < out->contacts; i++) {
        out->contact[i].own_law = law;
        out->contact[i].own_share = share;
        out->contact[i].rough = false;
    }
    out->law = "sequential";
}

void
generate_laws(struct random *random, struct model *out)
{
    int kind = random_whole(random, 5);
    if (kind == 0) {
        generate_bodies(random, out);
    } else if (kind == 1) {
        generate_slopes(random, out);
        scene_add_stribeck(random, out);
    } else {
        generate_rough(random, out);
        if (kind == 2)
            add_own_laws(random, out);
        else
            scene_add_stribeck(random, out);
    }
    for (int i = 0; i < out->contacts; i++)
        out->contact[i].restitution_law = NULL;
    if (kind == 0 || random_chance(random, 0.5))
        scene_add_approach(random, out);
}

/* Systems whose contacts state restitutions of the approach, and Stribeck's
 * curve where they have friction. */
void
generate_system_laws(struct random *random, struct model *out)
{
    switch (random_whole(random, 4)) {
    case 0:
        generate_general_system(random, out);
        break;
    case 1:
        generate_resting(random, out);
        break;
    default:
        generate_rough_system(random, out);
        scene_add_stribeck(random, out);
    }
    if (random_chance(random, 0.8))
        scene_add_approach(random, out);
}
