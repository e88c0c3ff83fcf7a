/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies with corners, told in other ways: the relation `corners` lists their
 * corners, in another order, and `halves` cuts them in two that are welded. */
#include "hulls.h"

#include <math.h>
#include <string.h>

#include "seams.h"
#include "solid.h"
#include "vector.h"

/* Neither half has less of the whole than this. */
static const double LEAST_SHARE = 0.1;

/* The corners of a rectangle or a box. */
static void
list_corners(struct body *body, int dimension)
{
    body->shape = SHAPE_HULL;
    body->corners = 1 << dimension;
    for (int i = 0; i < body->corners; i++)
        for (int k = 0; k < 3; k++)
            body->corner[i][k] = k >= dimension ? 0
                                 : i >> k & 1   ? body->size[k] / 2
                                                : -body->size[k] / 2;
}

/* Rectangles and boxes are hulls of their corners, which are listed in any
 * order. */
bool
make_corners(struct trial *trial)
{
    struct model *other = &trial->other;
    bool any = false;
    for (int i = 0; i < other->bodies; i++) {
        struct body *body = &other->body[i];
        if (!body->there ||
            (body->shape != SHAPE_BOX && body->shape != SHAPE_HULL))
            continue;
        any = true;
        if (body->shape == SHAPE_BOX)
            list_corners(body, other->dimension);
        for (int k = body->corners - 1; k > 0; k--) {
            int with = random_whole(&trial->random, k + 1);
            double corner[3];
            memcpy(corner, body->corner[k], sizeof corner);
            memcpy(body->corner[k], body->corner[with], sizeof corner);
            memcpy(body->corner[with], corner, sizeof corner);
        }
    }
    trial->to = fmin(trial->to, trial->result->choices);
    return any;
}

/* The corners of half a polygon, and the place of its mass centre. */
static void
take_corners(struct body *half, double list[][3], int count, double centre[3],
             double *area)
{
    double sum[3] = {0};
    *area = 0;
    half->shape = SHAPE_HULL;
    half->corners = count;
    memcpy(half->corner, list, (size_t)count * sizeof list[0]);
    for (int i = 0; i < count; i++) {
        double *a = list[i], *b = list[(i + 1) % count];
        double twice = a[0] * b[1] - a[1] * b[0];
        *area += twice / 2;
        add_scaled(sum, twice / 6, a, sum);
        add_scaled(sum, twice / 6, b, sum);
    }
    for (int k = 0; k < 3; k++)
        centre[k] = sum[k] / *area;
}

/* Cuts a polygon from one of its corners, or a place on a side, to another one.
 * `centre`: of both halves, from that of the whole. Returns the share of the
 * first half, or 0. */
static double
cut_polygon(struct random *random, const struct body *whole,
            struct body *half[2], double centre[2][3])
{
    struct solid solid;
    double end[2][3], area[2];
    int side[2], count = 0;
    bool inner[2];
    solid_make(whole, 2, &solid);
    solid_sort(&solid);
    int corners = solid.corners;
    side[0] = random_whole(random, corners);
    side[1] = (side[0] + 1 + random_whole(random, corners - 1)) % corners;
    for (int k = 0; k < 2; k++) {
        const double *from = solid.corner[side[k]];
        const double *to = solid.corner[(side[k] + 1) % corners];
        double way[3];
        inner[k] = random_chance(random, 0.5);
        add_scaled(to, -1, from, way);
        add_scaled(from, inner[k] ? random_in(random, 0.1, 0.9) : 0, way,
                   end[k]);
    }
    for (int h = 0; h < 2; h++) {
        double list[2 * MAX_CORNERS][3];
        count = 0;
        memcpy(list[count++], end[h], sizeof end[h]);
        for (int i = side[h]; i != side[1 - h]; i = (i + 1) % corners)
            memcpy(list[count++], solid.corner[(i + 1) % corners],
                   sizeof list[0]);
        if (inner[1 - h])
            memcpy(list[count++], end[1 - h], sizeof list[0]);
        if (count < 3 || count > MAX_CORNERS)
            return 0;
        take_corners(half[h], list, count, centre[h], &area[h]);
    }
    return area[0] / (area[0] + area[1]);
}

/* The same of a box, across one of its axes. */
static double
cut_box(struct random *random, const struct body *whole, struct body *half[2],
        double centre[2][3], int dimension)
{
    int axis = random_whole(random, dimension);
    double share = random_in(random, LEAST_SHARE, 1 - LEAST_SHARE);
    memset(centre, 0, 2 * sizeof centre[0]);
    half[0]->size[axis] = share * whole->size[axis];
    half[1]->size[axis] = (1 - share) * whole->size[axis];
    centre[0][axis] = (share - 1) * whole->size[axis] / 2;
    centre[1][axis] = share * whole->size[axis] / 2;
    return share;
}

/* Shares out a mass and moments of inertia that are stated. False: the halves
 * would have none left, or moments that no body has. */
static bool
share_inertia(const struct body *whole, struct body *half[2],
              double centre[2][3], double share, int dimension)
{
    double apart[3], moments[3], stated[3];
    double reduced = whole->mass * share * (1 - share);
    if (whole->density != 0)
        return true;
    add_scaled(centre[1], -1, centre[0], apart);
    memcpy(stated, whole->moments, sizeof stated);
    if (dimension == 2)
        stated[2] = whole->inertia;
    for (int k = 0; k < 3; k++)
        moments[k] =
            stated[k] - reduced * (dot(apart, apart) - apart[k] * apart[k]);
    for (int k = dimension == 2 ? 2 : 0; k < 3; k++)
        if (moments[k] <= LEAST_SHARE * stated[k] ||
            (dimension == 3 &&
             moments[k] > moments[(k + 1) % 3] + moments[(k + 2) % 3]))
            return false;
    for (int h = 0; h < 2; h++) {
        double part = h ? 1 - share : share;
        half[h]->mass = part * whole->mass;
        half[h]->inertia = part * moments[2];
        for (int k = 0; k < 3; k++)
            half[h]->moments[k] = part * moments[k];
    }
    return true;
}

/* What acts at the mass centre of the whole acts at those of the halves, by
 * their shares, without a moment. */
static void
share_load(const struct load *whole, struct load *half, double share)
{
    half->spring = share * whole->spring;
    for (int k = 0; k < 3; k++) {
        half->constant[k] = share * whole->constant[k];
        half->wave[k] = share * whole->wave[k];
        half->pull[k] = share * whole->pull[k];
    }
}

static void
place_half(const struct body *whole, struct body *half, const double centre[3],
           int dimension)
{
    double turn[3][3], arm[3], rate[3];
    if (dimension == 2)
        angle_matrix(whole->angle, turn);
    else
        quaternion_matrix(whole->quaternion, turn);
    rotate(turn, centre, arm);
    cross(whole->spin, arm, rate);
    add_scaled(whole->position, 1, arm, half->position);
    add_scaled(whole->velocity, 1, rate, half->velocity);
}

/* Has a convex body of the plane more inertia than its rotor, which counts with
 * it? */
static bool
bears_rotor(const struct body *body)
{
    struct solid solid;
    double inertia = 0;
    if (body->rotor.inertia == 0)
        return true;
    if (body->density == 0)
        return body->inertia > body->rotor.inertia;
    solid_make(body, 2, &solid);
    solid_sort(&solid);
    for (int i = 0; i < solid.corners; i++) {
        const double *p = solid.corner[i],
                     *q = solid.corner[(i + 1) % solid.corners];
        inertia += fabs(p[0] * q[1] - p[1] * q[0]) *
                   (p[0] * p[0] + p[1] * p[1] + p[0] * q[0] + p[1] * q[1] +
                    q[0] * q[0] + q[1] * q[1]) /
                   12;
    }
    return body->density * inertia > body->rotor.inertia;
}

/* May what meets that body meet two halves of it? */
static bool
can_be_cut(const struct model *model, int index)
{
    const struct body *body = &model->body[index];
    bool hull = body->shape == SHAPE_HULL && model->dimension == 2;
    int touches = 0;
    /* what slows down moves with the place where it acts */
    if (!body_moves(model, index) || body->member || body->load.drag != 0 ||
        !rail_is_none(&body->load.rail) || (body->shape != SHAPE_BOX && !hull))
        return false;
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (!contact->there ||
            (contact->first != index && contact->second != index))
            continue;
        touches++;
        if (!contact_of_polytopes(model, contact))
            return false;
    }
    return touches > 0 && model->bodies < MAX_BODIES &&
           model->joints < MAX_JOINTS &&
           model->contacts + touches <= MAX_CONTACTS;
}

static bool
cut(struct trial *trial, int index)
{
    struct model *other = &trial->other;
    struct random *random = &trial->random;
    const struct body whole = other->body[index];
    struct body half[2] = {whole, whole}, *halves[2] = {&half[0], &half[1]};
    int number = other->bodies, contacts = other->contacts;
    double centre[2][3];
    bool polygon = whole.shape == SHAPE_HULL ||
                   (other->dimension == 2 && random_chance(random, 0.5));
    double share =
        polygon ? cut_polygon(random, &whole, halves, centre)
                : cut_box(random, &whole, halves, centre, other->dimension);
    if (!(share >= LEAST_SHARE && share <= 1 - LEAST_SHARE) ||
        !share_inertia(&whole, halves, centre, share, other->dimension) ||
        !bears_rotor(&half[0]))
        return false;
    half[0].half = 1 + number;
    half[0].share = share;
    for (int h = 0; h < 2; h++) {
        share_load(&whole.load, &half[h].load, h ? 1 - share : share);
        place_half(&whole, &half[h], centre[h], other->dimension);
    }
    memset(half[1].load.torque, 0, sizeof half[1].load.torque);
    half[1].load.torque_drag = 0;
    half[1].rotor.inertia = 0;
    snprintf(half[1].name, NAME_SIZE, "half%d", index);
    other->body[index] = half[0];
    other->body[other->bodies++] = half[1];
    struct joint *joint = &other->joint[other->joints++];
    *joint = (struct joint){
        .there = true, .weld = true, .first = index, .second = number};
    snprintf(joint->name, NAME_SIZE, "seam%d", index);
    for (int i = 0; i < contacts; i++) {
        if (!other->contact[i].there || (other->contact[i].first != index &&
                                         other->contact[i].second != index))
            continue;
        struct contact *contact = &other->contact[other->contacts++];
        *contact = other->contact[i];
        if (contact->first == index)
            contact->first = number;
        else
            contact->second = number;
        snprintf(contact->name, NAME_SIZE, "half%u_%u", (unsigned)i % 999u,
                 (unsigned)index % 99u);
    }
    return true;
}

bool
make_halves(struct trial *trial)
{
    struct model *other = &trial->other;
    int bodies = other->bodies;
    bool any = false;
    if (other->found || other->as_system || other->systems ||
        law_counts_contacts(other) || !ride_is_rest(&other->carried))
        return false;
    for (int i = 0; i < other->contacts; i++)
        if (other->contact[i].row || other->contact[i].own_law ||
            contact_by_formulas(&other->contact[i]))
            return false;
    for (int i = 0; i < bodies; i++)
        if (can_be_cut(other, i))
            any |= cut(trial, i);
    trial->motion_alone = true;
    trial->to = fmin(trial->to, trial->result->choices);
    return any;
}
