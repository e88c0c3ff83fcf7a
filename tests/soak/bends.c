/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two contacts of a system without friction are one, whose gap is the lesser of
 * both: ground with a corner, as `min`, `abs` or `max` say it. */
#include "bends.h"

#include <math.h>
#include <string.h>

#include "events.h"

/* Events nearer than this, s, are one. */
static const double BESIDE = 1e-6;

/* Can both be one contact? */
static bool
are_alike(const struct contact *a, const struct contact *b)
{
    return a->there && b->there && a->system && a->system == b->system &&
           !a->rough && !b->rough && !a->slide && !b->slide && !a->row &&
           !b->row && a->restitution == b->restitution && !a->own_law &&
           !b->own_law && !a->own_newton && !b->own_newton && !a->sticks &&
           !b->sticks && !a->restitution_law && !b->restitution_law &&
           a->approach_speed == 0 && b->approach_speed == 0;
}

/* The lesser of both gaps. */
static int
lesser(struct formulas *formulas, struct random *random, int one, int two)
{
    int apart =
        formula_two(formulas, OP_ADD, one, formula_scaled(formulas, -1, two));
    if (random_chance(random, 0.5)) /* one - max(0, one - two) */
        return formula_two(
            formulas, OP_ADD, one,
            formula_scaled(formulas, -1,
                           formula_one(formulas, OP_RAMP, apart)));
    int sum = formula_two(formulas, OP_ADD, one, two),
        size = formula_one(formulas, OP_ABS, apart);
    return formula_scaled(
        formulas, 0.5,
        formula_two(formulas, OP_ADD, sum, formula_scaled(formulas, -1, size)));
}

/* The first time at which one of both is hit while the other one rests, or
 * together with it: these are one impact at two contacts, and at a corner one
 * after the other. */
static double
first_in_the_corner(const struct trial *trial, int one, int two)
{
    const struct result *result = trial->result;
    bool closed[2] = {false, false};
    double last[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < result->events; i++) {
        const struct event *event = &result->event[i];
        if (event->contact != one && event->contact != two)
            continue;
        int which = event->contact == two;
        bool hit = !strcmp(event->kind, "impact");
        last[which] = event->time;
        if (!hit)
            closed[which] = strcmp(event->kind, "leave") != 0 &&
                            strcmp(event->kind, "liftoff") != 0;
        if ((closed[0] && closed[1]) || (hit && closed[!which]) ||
            event->time - last[!which] < BESIDE)
            return event->time - BESIDE;
    }
    return INFINITY;
}

bool
make_bends(struct trial *trial)
{
    struct model *other = &trial->other;
    bool any = false;
    for (int i = 0; i < other->contacts; i++)
        for (int k = i + 1; k < other->contacts; k++) {
            struct contact *one = &other->contact[i], *two = &other->contact[k];
            if (!are_alike(one, two))
                continue;
            struct formulas *formulas =
                &other->system[one->system - 1].formulas;
            one->gap = lesser(formulas, &trial->random, one->gap, two->gap);
            two->there = false;
            any = true;
            trial->to = fmin(trial->to, first_in_the_corner(trial, i, k));
            break; /* two straights make a bend; the next contact begins one */
        }
    /* what comes to rest in a corner takes impacts without end there */
    if (!(trial->to > other->at[0]))
        return false;
    while (other->times > 1 && other->at[other->times - 1] > trial->to)
        other->times--;
    other->until = fmin(other->until, trial->to);
    other->bent = any;
    trial->motion_alone = true;
    return any && trial->model->question == ASK_SIMULATE;
}
