/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models whose ground is driven, crowds of equal bodies, and systems of
 * two kinds in one model. */
#include <math.h>

#include "generate_priv.h"

/* Fast enough to throw a body, or slow enough to carry it. */
static void
swing(struct random *random, struct body *wall, bool along_alone)
{
    double size = random_in(random, 0.01, 0.15);
    double turn = along_alone ? 0 : random_in(random, -3, 3);
    wall->swing[0] = size * cos(wall->angle + turn);
    wall->swing[1] = size * sin(wall->angle + turn);
    wall->swing_rate = random_in(random, 2, 15);
    wall->swing_phase = random_in(random, 0, 6);
}

static void
add_round_or_box(struct random *random, struct model *out)
{
    struct body *body = scene_add_body(out, "body");
    double size = random_in(random, 0.15, 0.4);
    bool round = random_chance(random, 0.5);
    body->density = random_in(random, 0.3, 3);
    body->angle = random_in(random, -3, 3);
    body->shape = round ? SHAPE_BALL : SHAPE_BOX;
    body->size[0] = round ? size : 2 * size;
    body->size[1] = round ? 0 : size * random_in(random, 0.6, 2);
    /* what swings may be higher at the start */
    body->size[0] += 0.2;
    if (!scene_place(out, random, 0.9)) {
        out->bodies--;
        return;
    }
    body->size[0] -= 0.2;
    for (int k = 0; k < 2; k++)
        body->velocity[k] = random_in(random, -1, 1);
    body->spin[2] = random_in(random, -5, 5);
}

/* Bodies on a floor that swings, along itself or in any direction, between
 * walls that may be belts. */
void
generate_driven(struct random *random, struct model *out)
{
    out->gravity[1] = -random_in(random, 3, 10);
    struct body *floor =
        scene_add_wall(out, random, random_in(random, -0.2, 0.2));
    floor->position[1] = -1.2;
    swing(random, floor, random_chance(random, 0.4));
    for (int i = 0; i < 2; i++) {
        double tilt = (i ? -1 : 1) * random_in(random, 0.9, 1.5);
        struct body *wall = scene_add_wall(out, random, tilt);
        wall->position[0] = (i ? -1 : 1) * 1.6;
        if (random_chance(random, 0.5)) {
            double speed = random_in(random, -2, 2);
            wall->carry[0] = speed * cos(tilt);
            wall->carry[1] = speed * sin(tilt);
        }
    }
    add_round_or_box(random, out);
    if (random_chance(random, 0.4))
        add_round_or_box(random, out);
    scene_add_contacts(out, random, 1);
    if (random_chance(random, 0.7)) {
        scene_add_friction(random, out);
        if (random_chance(random, 0.3))
            scene_add_stribeck(random, out);
    }
    if (random_chance(random, 0.3))
        scene_add_approach(random, out);
    scene_choose_law(random, out);
    out->until = 2;
}

static void
random_table(struct random *random, struct table *out)
{
    double time = random_in(random, -0.1, 0.3);
    out->knots = 2 + random_whole(random, 4);
    for (int i = 0; i < out->knots; i++) {
        out->at[i] = time;
        out->value[i] = random_in(random, -1, 1);
        time += random_in(random, 0.1, 0.6);
    }
}

/* Bodies on a floor that moves as a table says, under forces that tables
 * give. */
void
generate_tabled(struct random *random, struct model *out)
{
    out->gravity[1] = -random_in(random, 3, 10);
    struct body *floor =
        scene_add_wall(out, random, random_in(random, -0.2, 0.2));
    floor->position[1] = -1.2;
    if (random_chance(random, 0.7)) {
        double turn =
            floor->angle +
            (random_chance(random, 0.5) ? random_in(random, -3, 3) : 0);
        random_table(random, &floor->path);
        floor->along[0] = random_in(random, 0.2, 1) * cos(turn);
        floor->along[1] = random_in(random, 0.2, 1) * sin(turn);
    }
    int count = 1 + random_whole(random, 2);
    for (int i = 0; i < count; i++) {
        add_round_or_box(random, out);
        struct load *load = &out->body[out->bodies - 1].load;
        if (out->body[out->bodies - 1].fixed || random_chance(random, 0.3))
            continue;
        random_table(random, &load->table);
        load->pull[0] = random_in(random, -3, 3);
        load->pull[1] = random_in(random, -1, 1);
    }
    scene_add_contacts(out, random, 1);
    if (random_chance(random, 0.7))
        scene_add_friction(random, out);
    scene_choose_law(random, out);
    out->until = 2;
}

/* Discs that roll in a trough of two belts, with restitutions that fall with
 * the approach. */
void
generate_belts(struct random *random, struct model *out)
{
    out->gravity[1] = -random_in(random, 3, 10);
    for (int i = 0; i < 2; i++) {
        double tilt = (i ? -1 : 1) * random_in(random, 0.2, 0.9);
        double speed = random_in(random, -2, 2);
        struct body *wall = scene_add_wall(out, random, tilt);
        wall->position[1] = -0.8;
        wall->carry[0] = speed * cos(tilt);
        wall->carry[1] = speed * sin(tilt);
    }
    int count = 1 + random_whole(random, 2);
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, "disc");
        body->shape = SHAPE_BALL;
        body->size[0] = random_in(random, 0.15, 0.4);
        body->density = random_in(random, 0.3, 3);
        if (!scene_place(out, random, 1)) {
            out->bodies--;
            continue;
        }
        body->spin[2] = random_in(random, -10, 10);
    }
    scene_add_contacts(out, random, 1);
    scene_add_friction(random, out);
    if (random_chance(random, 0.5))
        scene_add_stribeck(random, out);
    if (random_chance(random, 0.5))
        scene_add_approach(random, out);
    scene_choose_law(random, out);
    out->until = 2;
}

/* Those whose places in the lattice are no further apart may meet. */
enum { NEAR = 2 };

/* Contacts between neighbours of a lattice, and of all with the walls. */
static void
add_crowd_contacts(struct random *random, struct model *out, int walls,
                   int columns)
{
    double restitution = random_in(random, 0.3, 1);
    for (int i = walls; i < out->bodies; i++)
        for (int k = 0; k < i && out->contacts < MAX_CONTACTS; k++) {
            int row = (i - walls) / columns, column = (i - walls) % columns;
            int off = row - (k - walls) / columns,
                aside = column - (k - walls) % columns;
            if (k >= walls && (off > NEAR || aside > NEAR || aside < -NEAR))
                continue;
            struct contact *contact = &out->contact[out->contacts];
            *contact = (struct contact){.there = true,
                                        .first = k,
                                        .second = i,
                                        .restitution = restitution};
            snprintf(contact->name, NAME_SIZE, "c%u",
                     (unsigned)out->contacts++ % 1000u);
        }
}

/* 14 to 17 equal discs in a lattice that falls into a trough, for so short a
 * time that none passes its neighbours. Each check runs them three times or
 * more, so that more of them, or a heap of discs without a rebound, would leave
 * no time for a second model. */
void
generate_crowd(struct random *random, struct model *out)
{
    enum { COLUMNS = 5 };
    int count = 14 + random_whole(random, 4);
    double size = random_in(random, 0.05, 0.08);
    out->gravity[1] = -random_in(random, 1, 10);
    for (int i = 0; i < 2; i++) {
        struct body *wall = scene_add_wall(
            out, random, (i ? -1 : 1) * random_in(random, 0.1, 0.5));
        wall->position[1] = -1;
    }
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, "disc");
        body->shape = SHAPE_BALL;
        body->size[0] = size;
        body->density = 1;
        body->position[0] = 3 * size * (i % COLUMNS - 2);
        body->position[1] = 3 * size * (i / COLUMNS) - 0.4;
        for (int k = 0; k < 2; k++)
            body->velocity[k] = random_in(random, -0.5, 0.5);
        body->spin[2] = random_in(random, -5, 5);
    }
    add_crowd_contacts(random, out, 2, COLUMNS);
    double restitution = out->contact[0].restitution;
    if (random_chance(random, 0.4))
        scene_add_friction(random, out);
    for (int i = 0; i < out->contacts; i++)
        out->contact[i].restitution = restitution;
    out->law = "sequential";
    out->until = 0.4;
}

/* A system with random energies and gaps, and a system with friction. */
void
generate_several(struct random *random, struct model *out)
{
    generate_general_system(random, out);
    int first = out->contacts;
    double until = out->until;
    const char *law = out->law;
    generate_rough_system(random, out);
    for (int i = first; i < out->contacts; i++) {
        out->contact[i].system = 2;
        snprintf(out->contact[i].name, NAME_SIZE, "r%u", (unsigned)i % 100u);
    }
    out->law = law;
    out->until = fmin(until, out->until);
}
