/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models in which the ground moves: gaps, slides and loads of systems
 * that depend on the time; and plates that beat and turn among bodies. */
#include <math.h>

#include "generate_priv.h"
#include "solid.h"

/* A number that begins at 0 and swings. What is `gentle` has no speed at the
 * start. */
static int
add_swing(struct random *random, struct formulas *formulas, double size,
          bool gentle)
{
    double rate = random_in(random, 2, 15), phase = random_in(random, 0, 6);
    int turn =
        formula_scaled(formulas, rate, formula_leaf(formulas, OP_TIME, 0));
    size = random_in(random, 0.1 * size, size);
    if (gentle)
        return formula_two(formulas, OP_ADD, formula_number(formulas, size),
                           formula_scaled(formulas, -size,
                                          formula_one(formulas, OP_COS, turn)));
    turn = formula_two(formulas, OP_ADD, turn, formula_number(formulas, phase));
    double start = round(size * sin(phase) * 1e3) / 1e3;
    return formula_two(
        formulas, OP_ADD, formula_number(formulas, -start),
        formula_scaled(formulas, size, formula_one(formulas, OP_SIN, turn)));
}

/* One that swings, or that begins to change at once, and then evenly. */
static int
add_way(struct random *random, struct formulas *formulas, double size,
        bool gentle)
{
    if (!random_chance(random, 0.2))
        return add_swing(random, formulas, size, gentle);
    double begin = random_in(random, 0.1, 1.5);
    int late = formula_two(formulas, OP_ADD, formula_leaf(formulas, OP_TIME, 0),
                           formula_number(formulas, -begin));
    return formula_scaled(formulas, random_in(random, -4 * size, 4 * size),
                          formula_one(formulas, OP_RAMP, late));
}

/* A load that swings, along the coordinates. */
static void
add_load(struct random *random, struct coordinate_system *system)
{
    struct formulas *formulas = &system->formulas;
    int count = system->coordinates, along = random_whole(random, count);
    int load =
        formula_two(formulas, OP_MULTIPLY, add_way(random, formulas, 5, false),
                    formula_leaf(formulas, OP_COORDINATE, along));
    system->potential = system->potential ? formula_two(formulas, OP_ADD,
                                                        system->potential, load)
                                          : load;
}

/* A contact of the first system. */
static struct contact *
add_contact(struct model *out, int gap, double restitution)
{
    struct contact *contact = &out->contact[out->contacts];
    *contact = (struct contact){
        .there = true, .system = 1, .gap = gap, .restitution = restitution};
    snprintf(contact->name, NAME_SIZE, "k%u", (unsigned)out->contacts++ % 100u);
    return contact;
}

/* Walls that swing so far leave room between masses WIDTH apart. */
static const double WIDTH = 0.2, REACH = 0.09;

/* Masses in a line, each on a spring, under a load, between two walls that move
 * and always leave room for all of them. */
static void
generate_row(struct random *random, struct model *out)
{
    static const char *const names[] = {"a", "b", "c"};
    int count = 1 + random_whole(random, 3);
    struct coordinate_system *system = &out->system[out->systems++];
    *system = (struct coordinate_system){.there = true, .coordinates = count};
    snprintf(system->name, NAME_SIZE, "row");
    struct formulas *formulas = &system->formulas;
    double load = random_in(random, -10, 10);
    double restitution =
        random_chance(random, 0.5) ? 0 : random_in(random, 0, 0.6);
    int last = formula_number(formulas, 0);
    for (int i = 0; i < count; i++) {
        int place = formula_leaf(formulas, OP_COORDINATE, i);
        int rate =
            formula_power(formulas, formula_leaf(formulas, OP_RATE, i), 2);
        int square = formula_power(formulas, place, 2);
        double mass = random_in(random, 0.3, 2);
        snprintf(system->coordinate[i], sizeof system->coordinate[i], "%s",
                 names[i]);
        system->start[i] = WIDTH * (i + 1);
        system->rate[i] = random_in(random, -1, 1);
        system->kinetic = formula_two(formulas, OP_ADD, system->kinetic,
                                      formula_scaled(formulas, mass / 2, rate));
        system->potential = formula_two(
            formulas, OP_ADD, system->potential,
            formula_two(
                formulas, OP_ADD, formula_scaled(formulas, mass * load, place),
                formula_scaled(formulas, random_in(random, 0, 30), square)));
        int behind = i ? last : add_swing(random, formulas, REACH, false);
        int gap = formula_two(formulas, OP_ADD, place,
                              formula_scaled(formulas, -1, behind));
        add_contact(out,
                    i ? formula_two(formulas, OP_ADD, gap,
                                    formula_number(formulas, -WIDTH / 2))
                      : gap,
                    restitution);
        last = place;
    }
    int wall =
        formula_two(formulas, OP_ADD, add_swing(random, formulas, REACH, false),
                    formula_number(formulas, WIDTH * (count + 1)));
    add_contact(
        out,
        formula_two(formulas, OP_ADD, wall, formula_scaled(formulas, -1, last)),
        restitution);
    scene_choose_law(random, out);
}

/* Systems with random energies and gaps, or with friction, on grounds that move
 * under loads that change. */
void
generate_grounds(struct random *random, struct model *out)
{
    bool row = random_chance(random, 0.4), rough = random_chance(random, 0.4);
    out->until = 2;
    if (row) {
        generate_row(random, out);
        return;
    }
    if (rough)
        generate_rough_system(random, out);
    else
        generate_general_system(random, out);
    struct coordinate_system *system = &out->system[0];
    struct formulas *formulas = &system->formulas;
    int ground = add_way(random, formulas, 0.15, out->exact_start);
    int along = add_way(random, formulas, 0.15, false);
    bool slides = random_chance(random, 0.5);
    for (int i = 0; i < out->contacts; i++) {
        struct contact *contact = &out->contact[i];
        if (!rough && i) /* each on a ground of its own, or at rest */
            ground = random_chance(random, 0.4)
                         ? formula_number(formulas, 0)
                         : add_way(random, formulas, 0.15, false);
        contact->gap = formula_two(formulas, OP_ADD, contact->gap,
                                   formula_scaled(formulas, -1, ground));
        if (contact->rough && slides)
            contact->slide = formula_two(formulas, OP_ADD, contact->slide,
                                         formula_scaled(formulas, -1, along));
    }
    if (random_chance(random, 0.5))
        add_load(random, system);
    out->until = 2;
}

/* A fixed body swings along a direction, and turns to and fro or on and on. */
static void
drive(struct random *random, struct body *body, double size, double direction)
{
    size = random_in(random, 0.2 * size, size);
    body->swing[0] = size * cos(direction);
    body->swing[1] = size * sin(direction);
    body->swing_rate = random_in(random, 2, 15);
    body->swing_phase = random_in(random, 0, 6);
    for (int k = 0; k < 2; k++) /* at the start it is where it has been put */
        body->position[k] -= body->swing[k] * sin(body->swing_phase);
    if (random_chance(random, 0.4))
        return;
    body->turning.size = random_in(random, 0.05, 0.3);
    body->turning.frequency = random_in(random, 2, 10);
    body->turning.phase = random_in(random, 0, 6);
    if (random_chance(random, 0.3))
        body->turning = (struct ride){.rate = random_in(random, -6, 6)};
}

/* A body that fits into a circle of that radius. */
static void
random_shape(struct random *random, double radius, struct body *body)
{
    switch (random_whole(random, 4)) {
    case 0:
        body->shape = SHAPE_BALL;
        body->size[0] = radius;
        return;
    case 1:
        body->shape = SHAPE_ELLIPSE;
        body->size[0] = radius;
        body->size[1] = radius * random_in(random, 0.4, 0.9);
        return;
    case 2:
        scene_random_hull(random, 2, 0.7 * radius, body);
        return;
    default:
        body->shape = SHAPE_BOX;
        body->size[0] = 1.4 * radius;
        body->size[1] = 1.4 * radius * random_in(random, 0.3, 1);
    }
}

/* Bodies on a floor, between slopes; from above or from the side a plate or a
 * disc beats at them, which never leaves less room than each of them needs. */
void
generate_plates(struct random *random, struct model *out)
{
    out->gravity[1] = -random_in(random, 3, 10);
    struct body *floor = scene_add_wall(out, random, 0);
    floor->position[1] = -0.8;
    for (int i = 0; i < 2; i++) {
        struct body *wall = scene_add_wall(
            out, random, (i ? -1 : 1) * random_in(random, 0.5, 0.9));
        wall->position[0] = (i ? -1 : 1) * 1.5;
        wall->position[1] = -0.5;
    }
    struct body *plate = scene_add_body(out, "plate");
    plate->fixed = true;
    plate->shape = random_chance(random, 0.7) ? SHAPE_BOX : SHAPE_BALL;
    plate->size[0] = plate->shape == SHAPE_BOX ? random_in(random, 0.6, 1.5)
                                               : random_in(random, 0.1, 0.4);
    plate->size[1] =
        plate->shape == SHAPE_BOX ? random_in(random, 0.1, 0.3) : 0;
    struct solid solid;
    solid_make(plate, 2, &solid);
    double size = random_in(random, 0.05, 0.2), radius = 0.3;
    plate->position[0] = random_in(random, -0.5, 0.5);
    plate->position[1] =
        floor->position[1] + 2 * (radius + size) + solid.radius + 0.05;
    drive(random, plate, size, random_in(random, 0, 3));
    int count = 1 + random_whole(random, 2);
    for (int i = 0; i < count; i++) {
        struct body *body = scene_add_body(out, "body");
        random_shape(random, random_in(random, 0.1, radius), body);
        body->density = random_in(random, 0.3, 3);
        if (!scene_place(out, random, 1)) {
            out->bodies--;
            continue;
        }
        body->angle = random_in(random, -3, 3);
        for (int k = 0; k < 2; k++)
            body->velocity[k] = random_in(random, -1, 1);
        body->spin[2] = random_in(random, -3, 3);
    }
    scene_add_contacts(out, random, 1);
    if (random_chance(random, 0.6))
        scene_add_friction(random, out);
    if (random_chance(random, 0.4))
        for (int i = 0; i < out->contacts; i++)
            out->contact[i].restitution = 0;
    scene_choose_law(random, out);
    out->until = 1;
}
