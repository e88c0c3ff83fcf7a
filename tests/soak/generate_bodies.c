/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models of rigid bodies that start apart. */
#include <math.h>
#include <string.h>

#include "generate_priv.h"
#include "solid.h"
#include "vector.h"

/* Start distances between bodies, beside the radii of the balls around them. */
static const double APART = 0.02;

static void
random_quaternion(struct random *random, double out[4])
{
    double axis[3], angle = random_in(random, -3, 3);
    random_direction(random, 3, axis);
    out[0] = round(cos(angle / 2) * 100) / 100;
    for (int k = 0; k < 3; k++)
        out[k + 1] = round(sin(angle / 2) * axis[k] * 100) / 100;
}

/* Corners on an ellipse or ellipsoid, which makes all of them corners of the
 * hull; three decimal places leave them there unless two are near. */
void
scene_random_hull(struct random *random, int dimension, double size,
                  struct body *out)
{
    double semi[3] = {1, random_in(random, 0.4, 1), random_in(random, 0.4, 1)};
    double offset[3] = {0};
    for (int k = 0; k < dimension && random_chance(random, 0.3); k++)
        offset[k] = random_in(random, -0.2, 0.2);
    struct solid solid;
    out->shape = SHAPE_HULL;
    out->corners = 0;
    int wanted = dimension + 1 + random_whole(random, 5);
    for (int tries = 0; out->corners < wanted && tries < 1000; tries++) {
        double corner[3];
        random_direction(random, dimension, corner);
        bool near = false;
        for (int k = 0; k < 3; k++)
            corner[k] =
                round((offset[k] + size * semi[k] * corner[k]) * 1e3) / 1e3;
        for (int i = 0; i < out->corners; i++)
            near |= distance(corner, out->corner[i]) < 0.45 * size;
        if (!near || tries > 500)
            memcpy(out->corner[out->corners++], corner, sizeof corner);
    }
    /* slivers are for other tests */
    solid_make(out, dimension, &solid);
    if (solid.area < 0.05 * pow(size, dimension))
        scene_random_hull(random, dimension, size, out);
}

static void
random_shape(struct random *random, int dimension, struct body *out)
{
    double size = random_in(random, 0.15, 0.5);
    switch (random_whole(random, 10)) {
    case 0:
    case 1:
        out->shape = SHAPE_BALL;
        out->size[0] = size;
        return;
    case 2:
        out->shape = SHAPE_ELLIPSE;
        break;
    case 3:
    case 4:
    case 5:
        out->shape = SHAPE_BOX;
        break;
    default:
        scene_random_hull(random, dimension, size, out);
        return;
    }
    for (int k = 0; k < dimension; k++)
        out->size[k] =
            fmax(0.1, round(size * random_in(random, 0.4, 1.6) * 1e3) / 1e3);
}

struct body *
scene_add_body(struct model *model, const char *letter)
{
    struct body *body = &model->body[model->bodies];
    *body = (struct body){.there = true, .quaternion = {1, 0, 0, 0}};
    snprintf(body->name, sizeof body->name, "%s%d", letter, model->bodies);
    model->bodies++;
    return body;
}

/* A half-plane or half-space whose normal is turned from "up". */
struct body *
scene_add_wall(struct model *model, struct random *random, double tilt)
{
    struct body *wall = scene_add_body(model, "wall");
    wall->shape = SHAPE_HALF;
    wall->fixed = true;
    if (model->dimension == 2) {
        wall->angle = tilt;
        return wall;
    }
    double turn = random_in(random, 0, 6.28);
    wall->quaternion[0] = round(cos(tilt / 2) * 100) / 100;
    wall->quaternion[1] = round(sin(tilt / 2) * cos(turn) * 100) / 100;
    wall->quaternion[2] = round(sin(tilt / 2) * sin(turn) * 100) / 100;
    return wall;
}

/* Tries places for the last body until it is apart from all others. */
bool
scene_place(struct model *model, struct random *random, double reach)
{
    int last = model->bodies - 1;
    struct body *body = &model->body[last];
    struct solid own, other;
    solid_make(body, model->dimension, &own);
    for (int tries = 0; tries < 200; tries++) {
        for (int k = 0; k < model->dimension; k++)
            body->position[k] = random_in(random, -reach, reach);
        struct state at = {0}, at_other = {0};
        angle_matrix(0, at.turn);
        memcpy(at.position, body->position, sizeof at.position);
        bool apart = true;
        for (int i = 0; i < last && apart; i++) {
            const struct body *them = &model->body[i];
            solid_make(them, model->dimension, &other);
            memcpy(at_other.position, them->position, sizeof at.position);
            if (model->dimension == 2)
                angle_matrix(them->angle, at_other.turn);
            else
                quaternion_matrix(them->quaternion, at_other.turn);
            if (them->shape == SHAPE_HALF) {
                struct solid ball = {.shape = SHAPE_BALL,
                                     .dimension = model->dimension,
                                     .size = {own.radius}};
                apart = solid_separation(&other, &at_other, &ball, &at) > APART;
            } else {
                apart = distance(at.position, at_other.position) >
                        own.radius + other.radius + APART;
            }
        }
        if (apart)
            return true;
    }
    return false;
}

static void
random_load(struct random *random, int dimension, struct body *body)
{
    struct load *load = &body->load;
    struct solid own;
    solid_make(body, dimension, &own);
    if (random_chance(random, 0.2))
        for (int k = 0; k < dimension; k++)
            load->constant[k] = random_in(random, -1, 1);
    if (random_chance(random, 0.3)) {
        load->spring = random_in(random, 1, 20);
        for (int k = 0; k < dimension; k++)
            load->anchor[k] = random_in(random, -0.5, 0.5);
    }
    if (random_chance(random, 0.2))
        load->drag = random_in(random, 0, 1);
    if (random_chance(random, 0.2)) {
        for (int k = 0; k < dimension; k++)
            load->wave[k] = random_in(random, -1, 1);
        load->frequency = random_in(random, 0.5, 10);
        load->phase = random_in(random, 0, 6);
    }
    /* one that is as large as the body's moment of inertia bears: a body that
     * spins ever faster takes ever shorter steps */
    if (random_chance(random, 0.2))
        load->torque[2] = random_in(random, -1, 1) * body->density *
                          pow(own.radius, dimension + 2);
}

static bool
add_moving(struct model *model, struct random *random, double speed,
           double reach)
{
    struct body *body = scene_add_body(model, "body");
    random_shape(random, model->dimension, body);
    body->density = random_chance(random, 0.5) ? 1 : random_in(random, 0.3, 3);
    if (model->dimension == 2)
        body->angle = random_in(random, -3, 3);
    else
        random_quaternion(random, body->quaternion);
    if (!scene_place(model, random, reach)) {
        model->bodies--;
        return false;
    }
    for (int k = 0; k < model->dimension; k++) {
        /* towards the middle, roughly */
        body->velocity[k] = random_in(random, -speed, speed) -
                            0.5 * speed * body->position[k] / reach;
        body->velocity[k] = round(body->velocity[k] * 1e3) / 1e3;
    }
    for (int k = model->dimension == 2 ? 2 : 0; k < 3; k++)
        body->spin[k] = random_in(random, -3, 3);
    return true;
}

void
scene_add_contacts(struct model *model, struct random *random, double share)
{
    double common =
        random_chance(random, 0.3) ? 1 : random_in(random, 0.2, 0.98);
    bool own = random_chance(random, 0.3);
    for (int i = 0; i < model->bodies; i++)
        for (int k = i + 1; k < model->bodies; k++) {
            if ((model->body[i].fixed && model->body[k].fixed) ||
                !random_chance(random, share) ||
                model->contacts == MAX_CONTACTS)
                continue;
            struct contact *contact = &model->contact[model->contacts];
            *contact = (struct contact){
                .there = true,
                .first = i,
                .second = k,
                .restitution = own ? random_in(random, 0.2, 1) : common};
            snprintf(contact->name, sizeof contact->name, "c%d",
                     model->contacts++);
        }
}

static void
add_surroundings(struct model *model, struct random *random)
{
    bool plane = model->dimension == 2;
    int walls = 1 + random_whole(random, plane ? 3 : 4);
    for (int i = 0; i < walls; i++) {
        double tilt =
            i == 0 ? random_in(random, -0.2, 0.2)
                   : random_in(random, 0.7, 1.6) * (plane && i % 2 ? -1 : 1);
        struct body *wall = scene_add_wall(model, random, tilt);
        double turn[3][3], normal[3] = {0, plane, !plane};
        if (plane)
            angle_matrix(wall->angle, turn);
        else
            quaternion_matrix(wall->quaternion, turn);
        rotate(turn, normal, normal);
        double away = random_in(random, 0.8, 1.4);
        for (int k = 0; k < 3; k++)
            wall->position[k] = round(-away * normal[k] * 1e3) / 1e3;
    }
    if (random_chance(random, 0.15)) {
        struct body *pin = scene_add_body(model, "pin");
        random_shape(random, model->dimension, pin);
        pin->fixed = true;
        if (!scene_place(model, random, 0.5))
            model->bodies--;
    }
}

void
generate_bodies(struct random *random, struct model *out)
{
    out->dimension = random_chance(random, 0.6) ? 2 : 3;
    bool falls = random_chance(random, 0.6);
    int down = out->dimension - 1;
    if (falls) {
        out->gravity[down] = -random_in(random, 3, 10);
        if (random_chance(random, 0.2))
            out->gravity[0] = random_in(random, -1, 1);
        add_surroundings(out, random);
    } else if (random_chance(random, 0.3)) {
        add_surroundings(out, random);
    }
    int moving = 1 + random_whole(random, out->bodies ? 3 : 4);
    if (!out->bodies && moving < 2)
        moving = 2;
    bool loads = random_chance(random, 0.15);
    for (int i = 0; i < moving; i++)
        if (add_moving(out, random, falls ? 1 : 2, falls ? 1.2 : 1.5) && loads)
            random_load(random, out->dimension, &out->body[out->bodies - 1]);
    scene_add_contacts(out, random, random_chance(random, 0.8) ? 1 : 0.7);
    if (random_chance(random, 0.3))
        out->law =
            random_chance(random, 0.5) ? "complementarity" : "sequential";
    out->until = falls ? 2 : 3;
}
