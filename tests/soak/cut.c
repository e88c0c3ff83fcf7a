/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `cut`: an oscillator beside the model, as a system of its own.
 * Nothing joins them, but the series of the model end where those of the
 * oscillator do. */
#include "cut.h"

#include <stdio.h>

#include "beside.h"

bool
make_cut(struct trial *trial)
{
    struct model *other = &trial->other;
    if (other->question != ASK_SIMULATE || other->systems == MAX_SYSTEMS)
        return false;
    struct coordinate_system *system = &other->system[other->systems++];
    *system = (struct coordinate_system){.there = true, .coordinates = 1};
    struct formulas *formulas = &system->formulas;
    double rate = random_in(&trial->random, 2, 200);
    snprintf(system->name, sizeof system->name, "%scut", GUEST);
    snprintf(system->coordinate[0], sizeof system->coordinate[0], "q");
    formula_number(formulas, 0);
    int speed = formula_leaf(formulas, OP_RATE, 0),
        place = formula_leaf(formulas, OP_COORDINATE, 0);
    system->kinetic =
        formula_scaled(formulas, 0.5, formula_power(formulas, speed, 2));
    system->potential = formula_scaled(formulas, rate * rate / 2,
                                       formula_power(formulas, place, 2));
    system->start[0] = random_in(&trial->random, 0.1, 1);
    trial->frame.guests = true;
    return true;
}
