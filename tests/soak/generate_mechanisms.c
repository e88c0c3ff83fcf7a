/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random mechanisms whose joints have friction and that fall on a floor, on
 * which a box may lie; and bodies with rotors, or whose impacts stick, between
 * walls. */
#include <math.h>
#include <string.h>

#include "generate_priv.h"
#include "vector.h"

static struct joint *
add_joint(struct model *model, int first, int second, const double at[3])
{
    struct joint *joint = &model->joint[model->joints];
    *joint = (struct joint){.there = true, .first = first, .second = second};
    snprintf(joint->name, NAME_SIZE, "pin%u", (unsigned)model->joints++ % 9u);
    memcpy(joint->at, at, sizeof joint->at);
    return joint;
}

/* No box is as high as that. */
static const double CLEAR = 0.32;

/* The height of the lowest corner of a body that is a box. */
static double
lowest(const struct body *box)
{
    return box->position[1] - (fabs(box->size[0] * sin(box->angle)) +
                               fabs(box->size[1] * cos(box->angle))) /
                                  2;
}

/* Links that hang on one another, the first one by a pin or a rail on the
 * world, the other ones by pins. False: one of them is too low at the start. */
static bool
add_links(struct random *random, struct model *out, int links)
{
    double pin[3] = {0, random_in(random, 0.4, 0.8) + 0.3 * (links - 1), 0};
    double angle = random_in(random, -3.3, 0.2);
    bool clear = true;
    for (int i = 0; i < links; i++) {
        struct body *link = scene_add_body(out, "link");
        double length = random_in(random, 0.3, 0.9), direction[3] = {0};
        angle += i ? random_in(random, -1.2, 1.2) : 0;
        direction[0] = cos(angle);
        direction[1] = sin(angle);
        link->shape = SHAPE_BOX;
        link->size[0] = length;
        link->size[1] = random_in(random, 0.03, 0.1);
        link->density = random_in(random, 0.5, 3);
        link->angle = angle;
        add_scaled(pin, length / 2, direction, link->position);
        bool slider = i == 0 && random_chance(random, 0.4);
        struct joint *joint =
            add_joint(out, out->bodies - 1, i ? out->bodies - 2 : -1,
                      slider ? link->position : pin);
        joint->slider = slider;
        if (slider) {
            double lean = random_in(random, -0.5, 0.5);
            joint->axis[0] = sin(lean);
            joint->axis[1] = cos(lean);
        }
        joint->arm = slider ? random_in(random, 0.3, 0.6)
                            : random_in(random, 0.01, 0.06);
        joint->friction = random_in(random, 0.05, slider ? 0.3 : 0.5);
        add_scaled(pin, length, direction, pin);
        clear &= lowest(link) > CLEAR;
    }
    return clear;
}

void
generate_mechanisms(struct random *random, struct model *out)
{
    int links = 1 + random_whole(random, 3);
    out->gravity[1] = -random_in(random, 1, 10);
    struct body *floor = scene_add_wall(out, random, 0);
    memset(floor->position, 0, sizeof floor->position);
    while (!add_links(random, out, links)) {
        out->bodies -= links;
        out->joints = 0;
    }
    double end = out->body[out->bodies - 1].position[0];
    if (random_chance(random, 0.5)) {
        struct body *box = scene_add_body(out, "box");
        box->shape = SHAPE_BOX;
        box->size[0] = random_in(random, 0.2, 0.4);
        box->size[1] = random_in(random, 0.1, 0.3);
        box->density = random_in(random, 0.5, 3);
        box->position[0] = end + random_in(random, -0.4, 0.4);
        box->position[1] = box->size[1] / 2;
        out->exact_start = true;
    }
    scene_add_contacts(out, random, 1);
    for (int i = 0; i < out->contacts; i++) /* neighbours have a joint */
        for (int k = 0; k < out->joints; k++)
            if (out->joint[k].second >= 0 &&
                out->contact[i].first == out->joint[k].second &&
                out->contact[i].second == out->joint[k].first)
                out->contact[i].there = false;
    scene_add_friction(random, out);
    /* limits of chatter are not foreseen there, each impact is followed */
    double most = random_chance(random, 0.4) ? 0 : 0.5;
    for (int i = 0; i < out->contacts; i++)
        out->contact[i].restitution *= most;
    out->law = random_chance(random, 0.5)   ? "complementarity"
               : random_chance(random, 0.5) ? "poisson"
                                            : "energetic";
    out->until = 1.2;
}

/* Such links on pins and rails without friction, over a floor: the relation
 * `system` writes them as a system with the coordinates of the joints. */
void
generate_pendula(struct random *random, struct model *out)
{
    int links = 1 + random_whole(random, 3);
    out->gravity[1] = -random_in(random, 1, 10);
    struct body *floor = scene_add_wall(out, random, 0);
    memset(floor->position, 0, sizeof floor->position);
    floor->angle = random_in(random, -0.3, 0.3);
    while (!add_links(random, out, links)) {
        out->bodies -= links;
        out->joints = 0;
    }
    for (int i = 0; i < out->joints; i++) {
        out->joint[i].friction = out->joint[i].arm = 0;
        out->joint[i].rate = random_in(random, -3, 3);
    }
    scene_add_contacts(out, random, 1);
    for (int i = 0; i < out->contacts; i++) /* corners on the floor alone */
        out->contact[i].there = !body_moves(out, out->contact[i].first);
    if (random_chance(random, 0.5))
        scene_add_friction(random, out);
    out->law = random_chance(random, 0.5)   ? "complementarity"
               : random_chance(random, 0.5) ? "poisson"
                                            : "energetic";
    out->until = 1.2;
}

/* A fixed body without a shape that swings, or turns to and fro. */
static int
add_base(struct random *random, struct model *out)
{
    struct body *base = scene_add_body(out, "base");
    base->fixed = true;
    base->shape = SHAPE_NONE;
    base->swing[0] = random_in(random, -0.15, 0.15);
    base->swing[1] = random_in(random, -0.15, 0.15);
    base->swing_rate = random_in(random, 2, 10);
    base->swing_phase = random_in(random, 0, 6);
    if (random_chance(random, 0.5))
        base->turning = (struct ride){.size = random_in(random, 0.05, 0.3),
                                      .frequency = random_in(random, 2, 8),
                                      .phase = random_in(random, 0, 6)};
    return out->bodies - 1;
}

/* Links whose weights something else bears are carried by a base that swings
 * along a line, at their centres: the forces of their joints pass 0. */
static void
carry_alone(struct random *random, struct model *out)
{
    out->gravity[1] = 0;
    out->body[0].turning = (struct ride){0};
    for (int i = 0; i < out->joints; i++) {
        struct body *link = &out->body[out->joint[i].first];
        link->rotor = (struct rotor){0};
        memcpy(out->joint[i].at, link->position, sizeof link->position);
        if (random_chance(random, 0.3))
            out->joint[i].at[0] += random_in(random, -0.05, 0.05);
    }
}

/* Links on rough pins and rails, at rest or not, that touch nothing: on the
 * world, or on a base that moves. They may be branches of a tree, and have
 * rotors. */
void
generate_bearings(struct random *random, struct model *out)
{
    int base = random_chance(random, 0.4) ? add_base(random, out) : -1;
    int links = 1 + random_whole(random, 3);
    bool rests = random_chance(random, 0.3);
    out->gravity[1] = -random_in(random, 1, 10);
    for (int i = 0; i < links; i++) {
        int before = i ? out->bodies - 1 - random_whole(random, i) : base;
        double pin[3] = {0}, direction[3] = {0};
        double angle = random_in(random, -3, 3),
               size = random_in(random, 0.3, 1);
        struct body *link = scene_add_body(out, "link");
        bool slider = random_chance(random, 0.4);
        direction[0] = cos(angle);
        direction[1] = sin(angle);
        if (i)
            add_scaled(out->body[before].position,
                       random_in(random, -0.5, 0.5) * size, direction, pin);
        link->shape = SHAPE_BOX;
        link->size[0] = size;
        link->size[1] = random_in(random, 0.05, 0.2);
        link->density = random_in(random, 0.5, 3);
        link->angle = angle;
        add_scaled(pin, size * random_in(random, 0.1, 0.6), direction,
                   link->position);
        struct joint *joint = add_joint(out, out->bodies - 1, before, pin);
        joint->slider = slider;
        if (slider) {
            double lean = random_in(random, -3, 3);
            joint->axis[0] = cos(lean);
            joint->axis[1] = sin(lean);
        }
        joint->arm = slider ? random_in(random, 0.4, 0.9)
                            : random_in(random, 0.01, 0.06);
        joint->friction = random_in(random, 0.05, slider ? 0.3 : 0.5);
        if (random_chance(random, 0.3))
            joint->static_friction =
                joint->friction + random_in(random, 0.01, 0.2);
        joint->rate = rests ? 0 : random_in(random, -3, 3);
        if (random_chance(random, 0.25)) {
            link->rotor.inertia =
                link->density * 1e-4 * random_in(random, 0.1, 1);
            link->rotor.rate = random_in(random, -60, 60);
            link->rotor.friction =
                link->rotor.inertia * pow(10, random_in(random, 0, 3));
        }
    }
    if (base >= 0 && random_chance(random, 0.25))
        carry_alone(random, out);
    out->until = 1.5;
}

void
generate_rotors(struct random *random, struct model *out)
{
    generate_rough(random, out);
    bool sticks = random_chance(random, 0.3);
    for (int i = 0; i < out->bodies; i++) {
        struct body *body = &out->body[i];
        if (body->fixed || random_chance(random, 0.3))
            continue;
        /* far less than the body has, whose radius is some tenth */
        double size =
            body->density != 0 ? 1e-4 * body->density : 1e-2 * body->inertia;
        body->rotor.inertia = size * random_in(random, 0.3, 1);
        body->rotor.rate = random_in(random, -60, 60);
        body->rotor.friction =
            random_chance(random, 0.2)
                ? 0
                : body->rotor.inertia * pow(10, random_in(random, 0, 3.5));
    }
    for (int i = 0; i < out->contacts && sticks; i++) {
        out->contact[i].sticks = true;
        out->contact[i].rough = false;
        out->contact[i].restitution = 0;
        out->contact[i].restitution_law = NULL;
    }
}
