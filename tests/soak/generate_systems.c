/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models of systems in generalised coordinates. */
#include "generate_priv.h"

#include <math.h>
#include <string.h>

static int
coordinate(struct formulas *formulas, int index)
{
    return formula_leaf(formulas, OP_COORDINATE, index);
}

static int
rate(struct formulas *formulas, int index)
{
    return formula_leaf(formulas, OP_RATE, index);
}

static int
add(struct formulas *formulas, int a, int b)
{
    return formula_two(formulas, OP_ADD, a, b);
}

/* a sum of all coordinates with random factors */
static int
linear(struct formulas *formulas, struct random *random, int count, double size)
{
    int sum = formula_number(formulas, 0);
    for (int i = 0; i < count; i++)
        sum = add(formulas, sum,
                  formula_scaled(formulas, random_in(random, -size, size),
                                 coordinate(formulas, i)));
    return sum;
}

/* A small wave, for masses and gaps that are not constant. */
static int
wave(struct formulas *formulas, struct random *random, int count, double size)
{
    enum operation operation = random_chance(random, 0.5) ? OP_SIN : OP_COS;
    return formula_scaled(
        formulas, random_in(random, -size, size),
        formula_one(formulas, operation, linear(formulas, random, count, 2)));
}

/* T = sum over i of (sum over k of A_ik v_k)^2/2, where the diagonal of A
 * outweighs its other entries, so that the mass matrix is positive. */
static int
kinetic(struct formulas *formulas, struct random *random, int count,
        bool constant)
{
    int sum = formula_number(formulas, 0);
    for (int i = 0; i < count; i++) {
        int row = formula_scaled(formulas, random_in(random, 0.7, 2),
                                 rate(formulas, i));
        for (int k = 0; k < count; k++) {
            if (k == i || !random_chance(random, 0.4))
                continue;
            int factor = constant ? formula_number(formulas,
                                                   random_in(random, -0.2, 0.2))
                                  : wave(formulas, random, count, 0.2);
            row = add(
                formulas, row,
                formula_two(formulas, OP_MULTIPLY, factor, rate(formulas, k)));
        }
        sum =
            add(formulas, sum,
                formula_scaled(formulas, 0.5, formula_power(formulas, row, 2)));
    }
    return sum;
}

static int
potential(struct formulas *formulas, struct random *random, int count,
          bool constant)
{
    int sum = linear(formulas, random, count, 6);
    if (constant)
        return sum;
    for (int i = 0; i < count; i++)
        sum = add(
            formulas, sum,
            formula_scaled(formulas, random_in(random, 0.5, 6),
                           formula_power(formulas, coordinate(formulas, i),
                                         random_chance(random, 0.8) ? 2 : 4)));
    if (random_chance(random, 0.4))
        sum = add(formulas, sum, wave(formulas, random, count, 2));
    if (random_chance(random, 0.25)) {
        static const double exponents[] = {2, 2, 2.5, 3};
        int ramp = formula_one(
            formulas, OP_RAMP,
            add(formulas, linear(formulas, random, count, 2),
                formula_number(formulas, random_chance(random, 0.5)
                                             ? 0
                                             : random_in(random, -1, 1))));
        sum = add(
            formulas, sum,
            formula_scaled(formulas, random_in(random, 10, 500),
                           formula_power(formulas, ramp,
                                         exponents[random_whole(random, 4)])));
    }
    return sum;
}

/* Adds a contact whose gap at the start is `height`. */
static void
add_gap(struct model *model, struct random *random, bool constant,
        double restitution)
{
    struct coordinate_system *system = &model->system[0];
    struct formulas *formulas = &system->formulas;
    int gap = linear(formulas, random, system->coordinates, 1.5);
    /* factors of three digits may all be 0, and no gap is a number alone */
    if (formulas->node[gap].operation == OP_NUMBER)
        gap = coordinate(formulas, 0);
    if (!constant && random_chance(random, 0.4))
        gap = add(formulas, gap,
                  wave(formulas, random, system->coordinates, 0.5));
    struct hyper q[PLACES_COUNT] = {{0}}, v[MAX_COORDINATES] = {{0}};
    for (int i = 0; i < system->coordinates; i++)
        q[i].value = system->start[i];
    double now = formula_value(formulas, gap, q, v).value;
    double level = round((random_in(random, 0.1, 1.2) - now) * 1e3) / 1e3;
    gap = add(formulas, gap, formula_number(formulas, level));
    struct contact *contact = &model->contact[model->contacts];
    *contact = (struct contact){
        .there = true, .system = 1, .gap = gap, .restitution = restitution};
    snprintf(contact->name, NAME_SIZE, "k%d", model->contacts++);
}

static struct coordinate_system *
add_system(struct model *model, int coordinates)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct coordinate_system *system = &model->system[model->systems];
    *system =
        (struct coordinate_system){.there = true, .coordinates = coordinates};
    snprintf(system->name, NAME_SIZE, "s%d", model->systems++);
    for (int i = 0; i < coordinates; i++)
        snprintf(system->coordinate[i], sizeof system->coordinate[i], "%s",
                 names[i]);
    return system;
}

static void
random_start_of(struct coordinate_system *system, struct random *random)
{
    for (int i = 0; i < system->coordinates; i++) {
        system->start[i] = random_in(random, -0.5, 0.5);
        system->rate[i] = random_in(random, -2, 2);
    }
}

static double
random_restitution(struct random *random)
{
    return random_chance(random, 0.25) ? 1 : random_in(random, 0.1, 0.97);
}

void
generate_general_system(struct random *random, struct model *out)
{
    struct coordinate_system *system =
        add_system(out, 1 + random_whole(random, 3));
    bool constant = random_chance(random, 0.3);
    struct formulas *formulas = &system->formulas;
    int count = system->coordinates;
    random_start_of(system, random);
    system->kinetic = kinetic(formulas, random, count, constant);
    system->potential = potential(formulas, random, count,
                                  constant && random_chance(random, 0.5));
    if (random_chance(random, 0.2))
        system->dissipation = formula_scaled(
            formulas, random_in(random, 0.05, 0.5),
            formula_power(formulas, rate(formulas, random_whole(random, count)),
                          2));
    int contacts = 1 + random_whole(random, 3);
    double restitution = random_restitution(random);
    for (int i = 0; i < contacts; i++)
        add_gap(out, random, constant && random_chance(random, 0.7),
                restitution);
    if (random_chance(random, 0.6))
        out->law =
            random_chance(random, 0.5) ? "complementarity" : "sequential";
    out->until = 2;
}

/* Systems with dry friction at one rate or several, written as a dissipation of
 * absolute values, which holds what comes to rest. */
void
generate_dry(struct random *random, struct model *out)
{
    generate_general_system(random, out);
    struct coordinate_system *system = &out->system[0];
    struct formulas *formulas = &system->formulas;
    int count = system->coordinates, terms = 1 + random_whole(random, count),
        sum = formula_number(formulas, 0);
    for (int i = 0; i < terms; i++) {
        int slip = rate(formulas, i);
        if (count > 1 && random_chance(random, 0.3))
            slip = add(formulas, slip,
                       formula_scaled(formulas, random_in(random, -1, 1),
                                      rate(formulas, (i + 1) % count)));
        sum = add(formulas, sum,
                  formula_scaled(formulas, random_in(random, 0.1, 3),
                                 formula_one(formulas, OP_ABS, slip)));
    }
    system->dry = sum;
    out->until = 3;
}

/* c |slip|^(p + 1)/(p + 1): a damper whose force goes with the power p of the
 * slip. */
static int
damper(struct formulas *formulas, struct random *random, int slip)
{
    double power = random_chance(random, 0.2)
                       ? 0.5 + 0.5 * random_whole(random, 4)
                       : round(random_in(random, 0.3, 2.5) * 100) / 100;
    int size = formula_one(formulas, OP_ABS, formula_unit(formulas, slip, 1));
    return formula_scaled(
        formulas, random_in(random, 0.1, 3),
        formula_unit(formulas, formula_power(formulas, size, power + 1), -1));
}

/* Systems with dampers whose forces go with powers of rates, in flight, beside
 * closed contacts, on rough ground, and from rest. */
void
generate_powers(struct random *random, struct model *out)
{
    if (random_chance(random, 0.4))
        generate_rough_system(random, out);
    else
        generate_general_system(random, out);
    struct coordinate_system *system = &out->system[0];
    struct formulas *formulas = &system->formulas;
    int count = system->coordinates, terms = 1 + random_whole(random, count),
        sum = formula_number(formulas, 0);
    for (int i = 0; i < terms; i++) {
        int slip = rate(formulas, i);
        if (count > 1 && random_chance(random, 0.3))
            slip = add(formulas, slip,
                       formula_scaled(formulas, random_in(random, -1, 1),
                                      rate(formulas, (i + 1) % count)));
        sum = add(formulas, sum, damper(formulas, random, slip));
    }
    system->dry = sum;
    for (int i = 0; i < count && random_chance(random, 0.3); i++)
        system->rate[i] = 0;
    out->until = 2;
}

/* A bead, or what moves with more coordinates, falls into a valley of two
 * slopes, and on a ridge of two others beside it at times. */
void
generate_valleys(struct random *random, struct model *out)
{
    struct coordinate_system *system =
        add_system(out, 2 + random_whole(random, 2));
    struct formulas *formulas = &system->formulas;
    int count = system->coordinates;
    bool straight = random_chance(random, 0.5);
    double restitution =
        random_chance(random, 0.2) ? 0 : random_in(random, 0, 0.9);
    random_start_of(system, random);
    system->start[1] = 1.2;
    system->kinetic = kinetic(formulas, random, count, straight);
    int sum = formula_scaled(formulas, random_in(random, 3, 12),
                             coordinate(formulas, 1));
    for (int i = 0; i < count; i++)
        sum = add(formulas, sum,
                  formula_scaled(
                      formulas, random_in(random, 0.2, 4),
                      formula_power(formulas, coordinate(formulas, i), 2)));
    system->potential = sum;
    for (int i = 0; i < 2; i++) {
        double slope = random_in(random, 0.1, 1.5) * (i ? -1 : 1);
        int gap = add(formulas, coordinate(formulas, 1),
                      formula_scaled(formulas, slope, coordinate(formulas, 0)));
        if (!straight)
            gap = add(formulas, gap, wave(formulas, random, count, 0.2));
        gap = add(formulas, gap,
                  formula_number(formulas, random_in(random, -0.1, 0.1)));
        struct contact *contact = &out->contact[out->contacts];
        *contact = (struct contact){
            .there = true, .system = 1, .gap = gap, .restitution = restitution};
        snprintf(contact->name, NAME_SIZE, "k%d", out->contacts++);
    }
    out->until = 2;
}

/* Kepler's problem with a wall around the centre. */
void
generate_kepler(struct random *random, struct model *out)
{
    struct coordinate_system *system = add_system(out, 2);
    struct formulas *formulas = &system->formulas;
    double wall = random_in(random, 0.3, 0.7);
    int r = coordinate(formulas, 0);
    if (random_chance(random, 0.5)) {
        /* in x and y */
        int square = add(formulas, formula_power(formulas, r, 2),
                         formula_power(formulas, coordinate(formulas, 1), 2));
        system->kinetic = formula_scaled(
            formulas, 0.5,
            add(formulas, formula_power(formulas, rate(formulas, 0), 2),
                formula_power(formulas, rate(formulas, 1), 2)));
        r = formula_power(formulas, square, 0.5);
    } else {
        int turn = formula_two(formulas, OP_MULTIPLY, r, rate(formulas, 1));
        system->kinetic = formula_scaled(
            formulas, 0.5,
            add(formulas, formula_power(formulas, rate(formulas, 0), 2),
                formula_power(formulas, turn, 2)));
    }
    system->potential =
        formula_scaled(formulas, -1, formula_power(formulas, r, -1));
    system->start[0] = 1;
    system->rate[1] = random_in(random, 0.3, 0.7);
    struct contact *contact = &out->contact[out->contacts++];
    *contact = (struct contact){
        .there = true,
        .system = 1,
        .gap = add(formulas, r, formula_number(formulas, -wall)),
        .restitution = random_in(random, 0.2, 0.97)};
    snprintf(contact->name, NAME_SIZE, "wall");
    out->until = random_in(random, 3, 30);
}

/* A flat body on several feet that falls without gravity, or with it, and is
 * asked for its chatter. */
void
generate_feet(struct random *random, struct model *out)
{
    int feet = 2 + random_whole(random, 3);
    struct coordinate_system *system = add_system(out, feet == 2 ? 2 : 3);
    struct formulas *formulas = &system->formulas;
    double radius = random_in(random, 0.1, 0.6);
    double restitution = random_in(random, 0.05, 0.6);
    bool regular = random_chance(random, 0.5);
    int sum = formula_power(formulas, rate(formulas, 0), 2);
    for (int i = 1; i < system->coordinates; i++)
        sum =
            add(formulas, sum,
                formula_scaled(formulas, radius * radius,
                               formula_power(formulas, rate(formulas, i), 2)));
    system->kinetic = formula_scaled(formulas, 0.5, sum);
    if (random_chance(random, 0.3))
        system->potential = formula_scaled(formulas, random_in(random, 1, 10),
                                           coordinate(formulas, 0));
    for (int i = 0; i < feet; i++) {
        double angle = 2 * acos(-1) * i / feet;
        int gap = coordinate(formulas, 0);
        if (!regular)
            angle += random_in(random, -0.2, 0.2);
        gap =
            add(formulas, gap,
                formula_scaled(formulas, cos(angle), coordinate(formulas, 1)));
        if (system->coordinates == 3)
            gap = add(
                formulas, gap,
                formula_scaled(formulas, sin(angle), coordinate(formulas, 2)));
        struct contact *contact = &out->contact[out->contacts];
        *contact = (struct contact){
            .there = true, .system = 1, .gap = gap, .restitution = restitution};
        snprintf(contact->name, NAME_SIZE, "foot%d", out->contacts++);
    }
    system->start[0] = 1;
    system->rate[0] = -1;
    for (int i = 1; i < system->coordinates; i++) {
        system->start[i] = random_in(random, -0.1, 0.1);
        system->rate[i] = random_in(random, -0.1, 0.1);
    }
    out->question = random_chance(random, 0.7) ? ASK_CHATTER : ASK_SIMULATE;
    if (random_chance(random, 0.5))
        out->law =
            random_chance(random, 0.5) ? "complementarity" : "sequential";
    out->until = 3;
}

/* Masses on a line that touch, with springs that push only, one after the
 * other; the first one moves. */
void
generate_chain(struct random *random, struct model *out)
{
    struct coordinate_system *system =
        add_system(out, 2 + random_whole(random, 3));
    struct formulas *formulas = &system->formulas;
    static const double exponents[] = {2, 2, 2.5, 1.5 + 1, 3};
    double exponent = exponents[random_whole(random, 5)];
    int energy = formula_number(formulas, 0), sum = energy;
    for (int i = 0; i < system->coordinates; i++) {
        sum =
            add(formulas, sum,
                formula_scaled(formulas, random_in(random, 0.3, 2),
                               formula_power(formulas, rate(formulas, i), 2)));
        if (i == 0)
            continue;
        int overlap =
            add(formulas, coordinate(formulas, i - 1),
                formula_scaled(formulas, -1, coordinate(formulas, i)));
        energy = add(
            formulas, energy,
            formula_scaled(
                formulas, random_in(random, 10, 1000),
                formula_power(formulas, formula_one(formulas, OP_RAMP, overlap),
                              exponent)));
    }
    system->kinetic = sum;
    system->potential = energy;
    system->rate[0] = random_in(random, 0.2, 2);
    if (random_chance(random, 0.5))
        system->start[0] = -random_in(random, 0.1, 1);
    out->until = random_in(random, 0.5, 3);
}

/* A start with a closed contact, at rest or leaving. */
void
generate_resting(struct random *random, struct model *out)
{
    struct coordinate_system *system =
        add_system(out, 1 + random_whole(random, 2));
    struct formulas *formulas = &system->formulas;
    int count = system->coordinates;
    out->exact_start = true;
    system->kinetic = kinetic(formulas, random, count, true);
    system->potential = formula_scaled(formulas, random_in(random, 1, 10),
                                       coordinate(formulas, 0));
    for (int i = 1; i < count; i++) {
        system->start[i] = random_in(random, -0.5, 0.5);
        system->rate[i] = random_in(random, -2, 2);
    }
    if (random_chance(random, 0.4))
        system->rate[0] = random_in(random, 0.5, 4);
    double restitution = random_restitution(random);
    int ceiling = add(formulas, formula_number(formulas, 5),
                      formula_scaled(formulas, -1, coordinate(formulas, 0)));
    int order = random_whole(random, 2);
    for (int i = 0; i < 2; i++) {
        struct contact *contact = &out->contact[out->contacts];
        *contact = (struct contact){.there = true,
                                    .system = 1,
                                    .gap = i == order ? coordinate(formulas, 0)
                                                      : ceiling,
                                    .restitution = restitution};
        snprintf(contact->name, NAME_SIZE, i == order ? "floor" : "ceiling");
        out->contacts++;
    }
    out->law = "complementarity";
    out->until = 1;
}
