/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models with Coulomb's friction, of bodies in the plane and of
 * systems. */
#include <math.h>
#include <string.h>

#include "generate_priv.h"
#include "vector.h"

/* Coefficients as of ice to rubber; sometimes a contact sticks more than it
 * slips, or has another coefficient at impacts. */
static void
random_friction(struct random *random, struct contact *contact)
{
    contact->rough = true;
    contact->friction =
        random_in(random, 0.02, random_chance(random, 0.8) ? 0.7 : 2);
    if (random_chance(random, 0.25))
        contact->static_friction =
            contact->friction + random_in(random, 0, 0.5);
    if (random_chance(random, 0.15))
        contact->impact_friction = random_in(random, 0.02, 1);
}

/* All contacts alike, or each of its own. */
void
scene_add_friction(struct random *random, struct model *out)
{
    struct contact common = {0};
    static const char *const laws[] = {"newton", "poisson", "energetic"};
    bool own = random_chance(random, 0.4), dead = random_chance(random, 0.3);
    const char *law =
        random_chance(random, 0.15) ? laws[1 + random_whole(random, 2)] : NULL;
    random_friction(random, &common);
    for (int i = 0; i < out->contacts; i++) {
        struct contact *contact = &out->contact[i];
        struct contact rough = own ? (struct contact){0} : common;
        if (own)
            random_friction(random, &rough);
        contact->rough = true;
        contact->friction = rough.friction;
        contact->static_friction = rough.static_friction;
        contact->impact_friction = rough.impact_friction;
        contact->restitution_law = law;
        if (dead)
            contact->restitution = 0;
    }
}

void
scene_choose_law(struct random *random, struct model *out)
{
    static const char *const laws[] = {NULL, "complementarity", "sequential",
                                       "poisson"};
    out->law = laws[random_whole(random, out->systems ? 3 : 4)];
}

static void
random_round_or_cornered(struct random *random, struct body *body)
{
    double size = random_in(random, 0.15, 0.5);
    int kind = random_whole(random, 5);
    body->density = random_chance(random, 0.5) ? 1 : random_in(random, 0.3, 3);
    body->angle = random_in(random, -3, 3);
    if (kind < 2) {
        body->shape = SHAPE_BALL;
        body->size[0] = size;
    } else if (kind < 4) {
        body->shape = SHAPE_BOX;
        body->size[0] = 2 * size;
        body->size[1] = round(2e3 * size * random_in(random, 0.3, 1)) / 1e3;
    } else {
        scene_random_hull(random, 2, size, body);
    }
}

/* A floor, which may slope and may move along itself, and walls. */
static struct body *
add_ground(struct random *random, struct model *out, double slope)
{
    struct body *floor = scene_add_wall(out, random, slope);
    if (random_chance(random, 0.2)) {
        double speed = random_in(random, -2, 2);
        floor->carry[0] = speed * cos(slope);
        floor->carry[1] = speed * sin(slope);
    }
    return floor;
}

/* Bodies that fall on a rough floor, between rough walls or not. */
void
generate_rough(struct random *random, struct model *out)
{
    out->gravity[1] = -random_in(random, 3, 10);
    struct body *floor = add_ground(random, out, random_in(random, -0.4, 0.4));
    floor->position[1] = -1;
    int walls = random_whole(random, 3);
    for (int i = 0; i < walls; i++) {
        struct body *wall = scene_add_wall(
            out, random, (i ? -1 : 1) * random_in(random, 0.9, 1.6));
        wall->position[0] = (i ? -1 : 1) * random_in(random, 0.8, 1.4);
    }
    int moving = random_chance(random, 0.6) ? 1 : 2;
    for (int i = 0; i < moving; i++) {
        struct body *body = scene_add_body(out, "body");
        random_round_or_cornered(random, body);
        if (!scene_place(out, random, 1)) {
            out->bodies--;
            continue;
        }
        for (int k = 0; k < 2; k++)
            body->velocity[k] = random_in(random, -2, 2);
        body->spin[2] = random_in(random, -6, 6);
    }
    scene_add_contacts(out, random, 1);
    scene_add_friction(random, out);
    scene_choose_law(random, out);
    out->until = 2;
}

/* A box, or discs side by side, on a slope or a belt from the start, and
 * perhaps a box on the box. Nothing is random about which contacts are closed,
 * so the heights are exact where the slope is 0. */
void
generate_slopes(struct random *random, struct model *out)
{
    bool level = random_chance(random, 0.5);
    double slope = level ? 0 : random_in(random, -0.7, 0.7), height = 0;
    int count = 1 + random_whole(random, 3);
    out->gravity[1] = -random_in(random, 3, 10);
    out->exact_start = true;
    add_ground(random, out, slope);
    bool stacked = random_chance(random, 0.5);
    double speed = random_chance(random, 0.5) ? random_in(random, -2, 2) : 0;
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, "body");
        bool disc = !stacked && random_chance(random, 0.5);
        body->density = random_chance(random, 0.5) ? 1 : 2;
        body->shape = disc ? SHAPE_BALL : SHAPE_BOX;
        body->size[0] = random_in(random, 0.2, 0.5) * (disc ? 0.5 : 1);
        body->size[1] = random_in(random, 0.1, 0.5);
        double half = disc ? body->size[0] : body->size[1] / 2;
        double along = stacked ? random_in(random, -0.05, 0.05) : i;
        double place[3] = {along, height + half, 0}, turn[3][3];
        double own =
            random_chance(random, 0.4) ? random_in(random, -2, 2) : speed;
        double velocity[3] = {own, 0, 0};
        height += stacked ? 2 * half : 0;
        angle_matrix(slope, turn);
        rotate(turn, place, body->position);
        rotate(turn, velocity, body->velocity);
        body->angle = slope;
        if (disc && random_chance(random, 0.7))
            body->spin[2] = random_in(random, -8, 8);
    }
    scene_add_contacts(out, random, 1);
    scene_add_friction(random, out);
    /* without a loss what lies on something else never comes to rest */
    for (int i = 0; i < out->contacts; i++)
        out->contact[i].restitution *= 0.5;
    scene_choose_law(random, out);
    out->until = 1.5;
}

static int
add_scaled_leaf(struct formulas *formulas, int sum, double factor,
                enum operation operation, int coordinate)
{
    return formula_two(
        formulas, OP_ADD, sum,
        formula_scaled(formulas, factor,
                       formula_leaf(formulas, operation, coordinate)));
}

static struct contact *
add_rough_contact(struct random *random, struct model *out, int gap, int slide)
{
    struct contact *contact = &out->contact[out->contacts];
    *contact = (struct contact){
        .there = true,
        .system = 1,
        .gap = gap,
        .slide = slide,
        .restitution =
            random_chance(random, 0.4) ? 0 : random_in(random, 0.1, 0.9)};
    random_friction(random, contact);
    snprintf(contact->name, NAME_SIZE, "k%u", (unsigned)out->contacts++ % 100u);
    return contact;
}

static struct coordinate_system *
add_rigid_system(struct model *out, int coordinates)
{
    static const char *const names[] = {"X", "Y", "phi"};
    struct coordinate_system *system = &out->system[out->systems];
    *system =
        (struct coordinate_system){.there = true, .coordinates = coordinates};
    snprintf(system->name, NAME_SIZE, "s%u", (unsigned)out->systems++ % 9u);
    for (int i = 0; i < coordinates; i++)
        snprintf(system->coordinate[i], sizeof system->coordinate[i], "%s",
                 names[i]);
    return system;
}

static void
add_quadratic(struct formulas *formulas, int *sum, double factor,
              enum operation operation, int coordinate)
{
    *sum = formula_two(
        formulas, OP_ADD, *sum,
        formula_scaled(
            formulas, factor,
            formula_power(formulas,
                          formula_leaf(formulas, operation, coordinate), 2)));
}

/* A body with rough feet, in X, Y and phi, that falls on the ground. */
static void
generate_feet_of_system(struct random *random, struct model *out)
{
    struct coordinate_system *system = add_rigid_system(out, 3);
    struct formulas *formulas = &system->formulas;
    int kinetic = formula_number(formulas, 0),
        feet = 1 + random_whole(random, 3);
    double mass[3] = {1, 1, random_in(random, 0.05, 0.5)};
    double belt = random_chance(random, 0.3) ? random_in(random, -2, 2) : 0;
    for (int i = 0; i < 3; i++)
        add_quadratic(formulas, &kinetic, mass[i] / 2, OP_RATE, i);
    system->kinetic = kinetic;
    system->potential =
        add_scaled_leaf(formulas, formula_number(formulas, 0),
                        random_in(random, 3, 10), OP_COORDINATE, 1);
    int turn = formula_leaf(formulas, OP_COORDINATE, 2);
    int sine = formula_one(formulas, OP_SIN, turn);
    int cosine = formula_one(formulas, OP_COS, turn);
    for (int i = 0; i < feet; i++) {
        double across = random_in(random, -1, 1);
        double down = -random_in(random, 0, 0.6);
        int place[2];
        for (int k = 0; k < 2; k++) {
            place[k] = formula_leaf(formulas, OP_COORDINATE, k);
            place[k] = formula_two(
                formulas, OP_ADD, place[k],
                formula_scaled(formulas, across, k ? sine : cosine));
            place[k] = formula_two(
                formulas, OP_ADD, place[k],
                formula_scaled(formulas, k ? down : -down, k ? cosine : sine));
        }
        add_rough_contact(random, out, place[1], place[0])->belt = belt;
    }
    system->start[1] = 1.5;
    system->start[2] = random_in(random, -0.7, 0.7);
    for (int i = 0; i < 3; i++)
        system->rate[i] = random_in(random, -2, 2);
}

/* A mass on a spring that lies on a belt: it sticks and slips. */
static void
generate_oscillator(struct random *random, struct model *out)
{
    struct coordinate_system *system = add_rigid_system(out, 2);
    struct formulas *formulas = &system->formulas;
    int kinetic = formula_number(formulas, 0);
    int potential = add_scaled_leaf(formulas, kinetic, random_in(random, 3, 10),
                                    OP_COORDINATE, 1);
    for (int i = 0; i < 2; i++)
        add_quadratic(formulas, &kinetic, random_in(random, 0.3, 1), OP_RATE,
                      i);
    add_quadratic(formulas, &potential, random_in(random, 1, 30), OP_COORDINATE,
                  0);
    if (random_chance(random, 0.5)) {
        /* the spring pulls up or down, too */
        int sum = add_scaled_leaf(formulas, formula_number(formulas, 0), 1,
                                  OP_COORDINATE, 0);
        sum = add_scaled_leaf(formulas, sum, random_in(random, -0.5, 0.5),
                              OP_COORDINATE, 1);
        potential =
            formula_two(formulas, OP_ADD, potential,
                        formula_scaled(formulas, random_in(random, 0, 10),
                                       formula_power(formulas, sum, 2)));
    }
    system->kinetic = kinetic;
    system->potential = potential;
    if (random_chance(random, 0.3)) {
        int loss = formula_number(formulas, 0);
        add_quadratic(formulas, &loss, random_in(random, 0, 0.5), OP_RATE, 0);
        system->dissipation = loss;
    }
    add_rough_contact(random, out, formula_leaf(formulas, OP_COORDINATE, 1),
                      formula_leaf(formulas, OP_COORDINATE, 0))
        ->belt = random_in(random, -1, 1);
    system->start[0] = random_in(random, -0.5, 0.5);
    system->rate[0] = random_in(random, -2, 2);
    if (random_chance(random, 0.5))
        out->exact_start = true;
    else
        system->start[1] = random_in(random, 0.1, 0.5);
}

void
generate_rough_system(struct random *random, struct model *out)
{
    if (random_chance(random, 0.6))
        generate_feet_of_system(random, out);
    else
        generate_oscillator(random, out);
    if (random_chance(random, 0.7))
        scene_choose_law(random, out);
    out->until = 2;
}
