/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `seams`: a fixed half-plane or half-space, which may be
 * carried, becomes a floor of several boxes beside each other. What moves on it does not feel the seams. */
#include "seams.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vector.h"

/* the floor reaches so far, and is so deep */
#define REACH 5.0
#define DEPTH 4.0
/* half of what a body measures, and its way between two rows */
#define BODY 1.5
/* seams lie within this */
#define NEAR 1.5
#define PIECES 3

/* A floor that stays where it is, or is carried. Those that are hit by it
 * state it first or second, as they like. */
static bool
is_floor(const struct body *body)
{
    return body->there && body->fixed && body->shape == SHAPE_HALF &&
           body->path.knots == 0 && !ride_turns(&body->turning);
}

/* Makes the piece between two places along the first axis of the floor. */
static void
lay(const struct model *model, struct body *piece, double from, double to)
{
    double middle[3] = {(from + to) / 2, -DEPTH / 2, 0}, turn[3][3];
    piece->shape = SHAPE_BOX;
    piece->size[0] = to - from;
    piece->size[1] = DEPTH;
    if (model->dimension == 3) {
        piece->size[1] = 2 * REACH;
        piece->size[2] = DEPTH;
        middle[1] = 0;
        middle[2] = -DEPTH / 2;
        quaternion_matrix(piece->quaternion, turn);
    } else {
        angle_matrix(piece->angle, turn);
    }
    rotate(turn, middle, middle);
    add_scaled(piece->position, 1.0, middle, piece->position);
}

static bool
is_of(const struct contact *contact, int body)
{
    return contact->first == body || contact->second == body;
}

/* A smooth body near a seam touches both plates within the tolerance of a gap,
 * in directions that differ by its root. */
bool
contact_of_polytopes(const struct model *model, const struct contact *contact)
{
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? contact->first : contact->second;
        enum shape shape = model->body[body].shape;
        if (shape != SHAPE_HALF && shape != SHAPE_BOX && shape != SHAPE_HULL)
            return false;
    }
    return true;
}

bool
contact_by_formulas(const struct contact *contact)
{
    return contact->approach_speed != 0 || contact->stribeck_speed != 0;
}

/* Splits one floor; false: there is no room for its pieces, or what touches it
 * is round. */
static bool
split(struct trial *trial, int floor)
{
    struct model *other = &trial->other;
    int contacts = other->contacts, touches = 0;
    bool polytopes = true;
    double seam[PIECES + 1] = {-REACH, 0, 0, REACH};
    for (int k = 0; k < contacts; k++)
        if (other->contact[k].there && is_of(&other->contact[k], floor)) {
            touches++;
            polytopes = polytopes &&
                        contact_of_polytopes(other, &other->contact[k]);
        }
    if (!polytopes || other->bodies + PIECES - 1 > MAX_BODIES ||
        contacts + (PIECES - 1) * touches > MAX_CONTACTS)
        return false;
    seam[1] = random_in(&trial->random, -NEAR, 0);
    seam[2] = random_in(&trial->random, 0.05, NEAR);
    for (int i = 1; i < PIECES; i++) {
        int number = other->bodies++;
        struct body *piece = &other->body[number];
        *piece = other->body[floor];
        snprintf(piece->name, NAME_SIZE, "plate%d_%d", floor, i);
        lay(other, piece, seam[i], seam[i + 1]);
        for (int k = 0; k < contacts; k++) {
            const struct contact *old = &other->contact[k];
            if (!old->there || !is_of(old, floor))
                continue;
            struct contact *contact = &other->contact[other->contacts++];
            *contact = *old;
            if (contact->first == floor)
                contact->first = number;
            else
                contact->second = number;
            snprintf(contact->name, NAME_SIZE, "seam%d_%d", k, i);
        }
    }
    lay(other, &other->body[floor], seam[0], seam[1]);
    return true;
}

/* The last recorded time before a body comes near the end of the floor, as it
 * does not of a half-plane. */
static double
leaves(const struct trial *trial, int floor)
{
    const struct model *model = trial->model;
    const struct body *ground = &model->body[floor];
    for (int row = 0; row < trial->result->rows; row++) {
        double t = trial->result->t[row], origin[3];
        for (int k = 0; k < 3; k++)
            origin[k] =
                ground->position[k] + ground->carry[k] * t +
                ground->swing[k] *
                    sin(ground->swing_rate * t + ground->swing_phase);
        for (int i = 0; i < model->bodies; i++) {
            const struct state *state = result_state(trial->result, row, i);
            double away = 0;
            for (int k = 0; k < model->dimension && body_moves(model, i); k++)
                away = fmax(away, fabs(state->position[k] - origin[k]));
            if (away > REACH - BODY)
                return row > 0 ? trial->result->t[row - 1] : 0;
        }
    }
    return INFINITY;
}

bool
law_counts_contacts(const struct model *model)
{
    return model->law && !strcmp(model->law, "rest");
}

bool
make_seams(struct trial *trial)
{
    struct model *other = &trial->other;
    bool any = false;
    int bodies = other->bodies;
    if (other->found || other->as_system || other->systems ||
        law_counts_contacts(other))
        return false;
    for (int i = 0; i < other->contacts; i++)
        if (other->contact[i].row || other->contact[i].own_law ||
            contact_by_formulas(&other->contact[i]))
            return false;
    for (int i = 0; i < bodies; i++)
        if (is_floor(&other->body[i]) && other->body[i].member == 0 &&
            split(trial, i)) {
            trial->to = fmin(trial->to, leaves(trial, i));
            any = true;
        }
    trial->motion_alone = true;
    return any;
}
