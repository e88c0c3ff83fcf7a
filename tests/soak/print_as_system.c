/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints bodies as one system in generalised coordinates: those of body 3 are
 * x3, y3 and, in space, z3, or p3, its angle in the plane. Corners of a body
 * are contacts of their own there, called after the contact and the corner.
 * What hangs on a joint has one coordinate, q3 of joint 3, and a rotor has
 * its angle against its body, r3 in body 3. The gap of an
 * ellipse from a half-plane is its support function. */
#include "print.h"

#include <math.h>
#include <string.h>

#include "solid.h"
#include "vector.h"

/* Mass, and in the plane the moment of inertia, about the centre of mass: sums
 * over the triangles between the centre and the sides. */
void
plane_inertia(const struct model *model, int index, double *mass,
              double *inertia)
{
    const struct body *body = &model->body[index];
    struct solid solid;
    double size = body->size[0], moment = 0, area = 0;
    *mass = body->mass;
    *inertia = body->inertia;
    if (body->density == 0)
        return;
    if (body->shape == SHAPE_BALL) {
        *mass = body->density * acos(-1) * size * size *
                (model->dimension == 3 ? 4 * size / 3 : 1);
        *inertia = *mass * size * size / 2;
        return;
    }
    if (body->shape == SHAPE_ELLIPSE) {
        *mass = body->density * acos(-1) * size * body->size[1];
        *inertia = *mass * (size * size + body->size[1] * body->size[1]) / 4;
        return;
    }
    solid_make(body, model->dimension, &solid);
    solid_sort(&solid);
    for (int i = 0; i < solid.corners; i++) {
        const double *a = solid.corner[i];
        const double *b = solid.corner[(i + 1) % solid.corners];
        double twice = a[0] * b[1] - a[1] * b[0];
        area += twice / 2;
        moment += twice * (dot(a, a) + dot(a, b) + dot(b, b)) / 12;
    }
    *mass = body->density * area;
    *inertia = body->density * moment;
}

static void
print_energies(const struct model *model, FILE *out)
{
    bool begun = false;
    double mass, inertia;
    fputs("  kinetic = ", out);
    for (int i = 0; i < model->bodies; i++) {
        if (!body_moves(model, i))
            continue;
        plane_inertia(model, i, &mass, &inertia);
        for (int k = 0; k < 3; k++) {
            fputs(begun ? " + " : "", out);
            /* the inertia of a body counts its rotor, which turns more */
            print_number(out, k < model->dimension
                                  ? mass
                                  : inertia - model->body[i].rotor.inertia);
            fprintf(out, "*%c%d'^2/2",
                    model->dimension == 2 ? "xyp"[k] : "xyz"[k], i);
            begun = true;
        }
        if (model->body[i].rotor.inertia == 0)
            continue;
        fputs(" + ", out);
        print_number(out, model->body[i].rotor.inertia);
        fprintf(out, "*(p%d' + r%d')^2/2", i, i);
    }
    fputs("\n  potential = (1 [1/s^2])*(0", out);
    for (int i = 0; i < model->bodies; i++)
        for (int k = 0; k < model->dimension && body_moves(model, i); k++) {
            plane_inertia(model, i, &mass, &inertia);
            fputs(" + (", out);
            print_number(out, -mass * model->gravity[k]);
            fprintf(out, ")*%c%d", "xyz"[k], i);
        }
    fputs(")\n", out);
}

/* A force on a body along one axis, or its torque (axis 2), as a number. */
static void
print_load(const struct body *body, int number, int axis, FILE *out)
{
    const struct load *load = &body->load;
    if (axis == 2) {
        print_number(out, load->torque[2]);
        fputs(" [1/s^2] - (", out);
        print_number(out, load->torque_drag);
        fprintf(out, " [1/s])*p%d'", number);
        return;
    }
    print_number(out, load->constant[axis]);
    fputs(" [1/s^2]", out);
    if (load->spring != 0) {
        fputs(" - (", out);
        print_number(out, load->spring);
        fprintf(out, " [1/s^2])*(%c%d - (", "xy"[axis], number);
        print_number(out, load->anchor[axis]);
        fputs(") - (", out);
        print_number(out, load->anchor_rate[axis]);
        fputs(" [1/s])*t)", out);
    }
    if (load->drag != 0) {
        fputs(" - (", out);
        print_number(out, load->drag);
        fprintf(out, " [1/s])*(%c%d' - (", "xy"[axis], number);
        print_number(out, load->wind[axis]);
        fputs(" [1/s]))", out);
    }
    if (load->wave[axis] != 0) {
        fputs(" + (", out);
        print_number(out, load->wave[axis]);
        fputs(" [1/s^2])*sin((", out);
        print_number(out, load->frequency);
        fputs(" [1/s])*t + ", out);
        print_number(out, load->phase);
        fputs(")", out);
    }
    if (load->table.knots && load->pull[axis] != 0) {
        fputs(" + (", out);
        print_number(out, load->pull[axis]);
        fputs(" [1/s^2])*", out);
        table_print(&load->table, out);
    }
}

/* The force along the axis of a slider on the world, of what acts on its body,
 * which does not turn. */
static void
print_joint_load(const struct model *model, const struct joint *joint,
                 FILE *out)
{
    const struct body *body = &model->body[joint->first];
    for (int k = 0; k < 2; k++) {
        fputs(k ? " + (" : "(", out);
        print_number(out, joint->axis[k] / length(joint->axis));
        fputs(")*(", out);
        print_load(body, joint->first, k, out);
        fputs(")", out);
    }
    rail_print_as_system(&body->load.rail, joint->first, out);
}

static void
print_rotor_load(const struct rotor *rotor, int number, FILE *out)
{
    fputs("(", out);
    print_number(out, rotor->motor);
    fputs(" [1/s^2])*sin((", out);
    print_number(out, rotor->frequency);
    fputs(" [1/s])*t + ", out);
    print_number(out, rotor->phase);
    fputs(") - (", out);
    print_number(out, rotor->friction);
    fprintf(out, " [1/s^2])*sign(r%d')", number);
}

static void
print_loads(const struct model *model, FILE *out)
{
    static const struct load none;
    bool any = false, begun = false;
    for (int i = 0; i < model->bodies; i++)
        any |= body_moves(model, i) &&
               (model->body[i].rotor.inertia != 0 ||
                memcmp(&model->body[i].load, &none, sizeof none) != 0);
    if (!any)
        return;
    fputs("  force = (", out);
    for (int i = 0; i < model->bodies; i++)
        for (int k = 0; k < 3 && body_moves(model, i); k++) {
            if (body_is_jointed(model, i))
                continue;
            fputs(begun ? ",\n    " : "", out);
            print_load(&model->body[i], i, k, out);
            begun = true;
        }
    for (int i = 0; i < model->joints; i++, begun = true) {
        fputs(begun ? ",\n    " : "", out);
        if (model->joint[i].slider && model->joint[i].second < 0)
            print_joint_load(model, &model->joint[i], out);
        else
            fputs("0 [1/s^2]", out);
    }
    for (int i = 0; i < model->bodies; i++)
        if (body_moves(model, i) && model->body[i].rotor.inertia != 0) {
            fputs(begun ? ",\n    " : "", out);
            print_rotor_load(&model->body[i].rotor, i, out);
            begun = true;
        }
    fputs(")\n", out);
}

/* A coordinate of a point that is fixed to the body, `point` from its centre of
 * mass, or the number where a body that does not move is. */
static void
print_place(const struct model *model, int body, const double *point, int axis,
            FILE *out)
{
    if (!body_moves(model, body)) {
        fputs("(", out);
        print_number(out, model->body[body].position[axis]);
        fputs(")", out);
        return;
    }
    fprintf(out, "(%c%d", "xyz"[axis], body);
    for (int k = 0; k < 2 && point; k++) {
        fputs(" + (", out);
        print_number(out, axis == 0 && k == 1 ? -point[k] : point[k]);
        fprintf(out, ")*%s(p%d)", axis == k ? "cos" : "sin", body);
    }
    fputs(")", out);
}

static void
print_swing_phase(const struct body *ground, const char *function, FILE *out)
{
    fprintf(out, "*%s((", function);
    print_number(out, ground->swing_rate);
    fputs(" [1/s])*t + ", out);
    print_number(out, ground->swing_phase);
    fputs(")", out);
}

/* direction.(point of the second body - place of the first), which goes with
 * the first one's prescribed motion */
static void
print_along(const struct model *model, const struct contact *contact,
            const double direction[3], const double *point, FILE *out)
{
    const struct body *ground = &model->body[contact->first];
    double carry = dot(direction, ground->carry);
    double swing = dot(direction, ground->swing);
    for (int k = 0; k < model->dimension; k++) {
        fputs(k ? " + (" : "(", out);
        print_number(out, direction[k]);
        fputs(")*(", out);
        print_place(model, contact->second, point, k, out);
        fputs(" - ", out);
        print_place(model, contact->first, NULL, k, out);
        fputs(")", out);
    }
    if (carry != 0) {
        fputs(" - (", out);
        print_number(out, carry);
        fputs(" [1/s])*t", out);
    }
    if (swing != 0) {
        fputs(" - (", out);
        print_number(out, swing);
        fputs(")", out);
        print_swing_phase(ground, "sin", out);
    }
}

static void
print_end(const struct model *model, const struct contact *contact, FILE *out)
{
    fputs("  restitution = ", out);
    print_restitution(contact, out);
    print_friction(model, contact, out);
    fputs(" }\n", out);
}

/* How far an ellipse reaches from its centre against the normal. */
static void
print_support(const struct body *ellipse, int number, const double normal[3],
              FILE *out)
{
    fputs("sqrt(", out);
    for (int k = 0; k < 2; k++) {
        fputs(k ? " + (" : "(", out);
        print_number(out, ellipse->size[k]);
        fputs("*((", out);
        print_number(out, normal[k]);
        fprintf(out, ")*cos(p%d) + (", number);
        print_number(out, k ? -normal[0] : normal[1]);
        fprintf(out, ")*sin(p%d)))^2", number);
    }
    fputs(")", out);
}

/* Its lowest point moves along the ground as its centre does and, as far as
 * that is above it, with the spin. */
static void
print_ellipse_on_wall(const struct model *model, const struct contact *contact,
                      const double normal[3], const double tangent[3],
                      FILE *out)
{
    const struct body *ground = &model->body[contact->first];
    const struct body *ellipse = &model->body[contact->second];
    fprintf(out, "  contact %s_0 { gap = ", contact->name);
    print_along(model, contact, normal, NULL, out);
    fputs(" - ", out);
    print_support(ellipse, contact->second, normal, out);
    if (contact->rough) {
        fputs("  slide' = ", out);
        for (int k = 0; k < 2; k++) {
            fputs(k ? " + (" : "(", out);
            print_number(out, tangent[k]);
            fprintf(out, ")*%c%d'", "xy"[k], contact -> second);
        }
        fputs(" - (", out);
        print_number(out, dot(tangent, ground->carry));
        fputs(" [1/s]) - (", out);
        print_number(out, dot(tangent, ground->swing) * ground->swing_rate);
        fputs(" [1/s])", out);
        print_swing_phase(ground, "cos", out);
        fputs(" + ", out);
        print_support(ellipse, contact->second, normal, out);
        fprintf(out, "*p%d'", contact->second);
    }
    print_end(model, contact, out);
}

/* A ball, an ellipse, or the corners of a polygon, on a half-plane or
 * half-space. */
static void
print_on_wall(const struct model *model, const struct contact *contact,
              FILE *out)
{
    const struct body *wall = &model->body[contact->first];
    bool plane = model->dimension == 2;
    double turn[3][3], normal[3] = {0, plane, !plane};
    struct solid solid;
    solid_make(&model->body[contact->second], model->dimension, &solid);
    if (plane)
        angle_matrix(wall->angle, turn);
    else
        quaternion_matrix(wall->quaternion, turn);
    rotate(turn, normal, normal);
    const double tangent[3] = {normal[1], -normal[0], 0};
    if (model->body[contact->second].shape == SHAPE_ELLIPSE) {
        print_ellipse_on_wall(model, contact, normal, tangent, out);
        return;
    }
    for (int i = 0; i < (solid.corners ? solid.corners : 1); i++) {
        const double *point = solid.corners ? solid.corner[i] : NULL;
        fprintf(out, "  contact %s_%d { gap = ", contact->name, i);
        print_along(model, contact, normal, point, out);
        if (!point) {
            fputs(" - ", out);
            print_number(out, solid.size[0]);
        }
        if (contact->rough) {
            fputs("  slide = ", out);
            print_along(model, contact, tangent, point, out);
            if (!point) {
                fputs(" + ", out);
                print_number(out, solid.size[0]);
                fprintf(out, "*p%d", contact->second);
            }
        }
        print_end(model, contact, out);
    }
}

/* (second - first) in `axis`, of places, or of rates */
static void
print_difference(const struct model *model, const struct contact *contact,
                 int axis, bool rates, FILE *out)
{
    if (!rates) {
        fputs("(", out);
        print_place(model, contact->second, NULL, axis, out);
        fputs(" - ", out);
        print_place(model, contact->first, NULL, axis, out);
        fputs(")", out);
        return;
    }
    bool first = body_moves(model, contact->first);
    bool second = body_moves(model, contact->second);
    fputs("(", out);
    if (second)
        fprintf(out, "%c%d'", "xyz"[axis], contact -> second);
    if (first)
        fprintf(out, " - %c%d'", "xyz"[axis], contact -> first);
    fputs(")", out);
}

static void
print_two_balls(const struct model *model, const struct contact *contact,
                FILE *out)
{
    int pair[2] = {contact->first, contact->second};
    fprintf(out, "  contact %s_0 { gap = sqrt(", contact->name);
    for (int k = 0; k < model->dimension; k++) {
        fputs(k ? " + " : "", out);
        print_difference(model, contact, k, false, out);
        fputs("^2", out);
    }
    fputs(") - ", out);
    print_number(out,
                 model->body[pair[0]].size[0] + model->body[pair[1]].size[0]);
    if (contact->rough) {
        /* along the normal turned by -90 degrees, and what the spins add */
        fputs("  slide' = (", out);
        print_difference(model, contact, 1, false, out);
        fputs("*", out);
        print_difference(model, contact, 0, true, out);
        fputs(" - ", out);
        print_difference(model, contact, 0, false, out);
        fputs("*", out);
        print_difference(model, contact, 1, true, out);
        fputs(")/sqrt(", out);
        print_difference(model, contact, 0, false, out);
        fputs("^2 + ", out);
        print_difference(model, contact, 1, false, out);
        fputs("^2)", out);
        for (int k = 0; k < 2; k++) {
            if (!body_moves(model, pair[k]))
                continue;
            fputs(" + ", out);
            print_number(out, model->body[pair[k]].size[0]);
            fprintf(out, "*p%d'", pair[k]);
        }
    }
    print_end(model, contact, out);
}

static void
print_start(const struct model *model, FILE *out)
{
    fputs("  start {", out);
    for (int i = 0; i < model->bodies; i++) {
        const struct body *body = &model->body[i];
        for (int k = 0; k < 3 && body_moves(model, i); k++) {
            bool turn = k >= model->dimension;
            char letter = turn ? 'p' : "xyz"[k];
            if (body_is_jointed(model, i))
                continue;
            fprintf(out, " %c%d = ", letter, i);
            print_number(out, turn ? body->angle : body->position[k]);
            fprintf(out, " %c%d' = ", letter, i);
            print_number(out, turn ? body->spin[2] : body->velocity[k]);
        }
    }
    for (int i = 0; i < model->joints; i++) {
        fprintf(out, " q%d = 0 q%d' = ", i, i);
        print_number(out, model->joint[i].rate);
    }
    for (int i = 0; i < model->bodies; i++)
        if (body_moves(model, i) && model->body[i].rotor.inertia != 0) {
            fprintf(out, " r%d = 0 r%d' = ", i, i);
            print_number(out, model->body[i].rotor.rate);
        }
    fputs(" }\n", out);
}

/* "A + B*cos(p3) + C*sin(p3)": an arm that turns with a body, as it lies at the
 * start, in one axis. */
static void
print_arm(const struct model *model, int body, const double arm[3], int axis,
          FILE *out)
{
    double angle = model->body[body].angle, turn[3][3], own[3];
    angle_matrix(angle, turn);
    rotate_back(turn, arm, own);
    fputs("(", out);
    print_number(out, own[axis]);
    fprintf(out, ")*cos(p%d) + (", body);
    print_number(out, axis == 0 ? -own[1] : own[0]);
    fprintf(out, ")*sin(p%d)", body);
}

/* Places and angle of a body on a joint, by the coordinate of that joint: how
 * far it has turned, or slid, since the start. */
static void
print_jointed(const struct model *model, int number, FILE *out)
{
    const struct joint *joint = &model->joint[number];
    const struct body *body = &model->body[joint->first];
    int base = joint->second;
    double arm[3];
    fprintf(out, "  let p%d = ", joint->first);
    print_number(out, body->angle - (base < 0 ? 0 : model->body[base].angle));
    if (base >= 0)
        fprintf(out, " + p%d", base);
    if (!joint->slider)
        fprintf(out, " + q%d", number);
    fputs("\n", out);
    for (int k = 0; k < 2; k++) {
        fprintf(out, "  let %c%d = ", "xy"[k], joint -> first);
        if (base >= 0) {
            add_scaled(joint->at, -1, model->body[base].position, arm);
            fprintf(out, "%c%d + ", "xy"[k], base);
            print_arm(model, base, arm, k, out);
        } else {
            print_number(out, joint->at[k]);
        }
        if (joint->slider) {
            fputs(" + (", out);
            print_number(out, joint->axis[k] / length(joint->axis));
            fprintf(out, ")*q%d", number);
        }
        add_scaled(body->position, -1, joint->at, arm);
        fputs(" + ", out);
        print_arm(model, joint->first, arm, k, out);
        fputs("\n", out);
    }
}

void
print_bodies_as_system(const struct model *model, FILE *out)
{
    bool begun = false;
    fputs("system all {\n  coordinate ", out);
    for (int i = 0; i < model->bodies; i++)
        for (int k = 0; k < 3 && body_moves(model, i); k++) {
            if (body_is_jointed(model, i))
                continue;
            fprintf(out, "%s%c%d", begun ? ", " : "",
                    k < model->dimension ? "xyz"[k] : 'p', i);
            begun = true;
        }
    for (int i = 0; i < model->joints; i++, begun = true)
        fprintf(out, "%sq%d", begun ? ", " : "", i);
    for (int i = 0; i < model->bodies; i++)
        if (body_moves(model, i) && model->body[i].rotor.inertia != 0) {
            fprintf(out, "%sr%d", begun ? ", " : "", i);
            begun = true;
        }
    fputs("\n", out);
    for (int i = 0; i < model->joints; i++)
        print_jointed(model, i, out);
    print_energies(model, out);
    print_loads(model, out);
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (!contact->there)
            continue;
        const struct body *first = &model->body[contact->first];
        if (first->shape == SHAPE_HALF && ride_turns(&first->turning))
            print_on_turning_wall(model, contact, out);
        else if (first->shape == SHAPE_HALF)
            print_on_wall(model, contact, out);
        else
            print_two_balls(model, contact, out);
    }
    print_start(model, out);
    fputs("}\n", out);
}

/* Do the joints make trees, in which each body comes after the one that it
 * hangs on? */
static bool
are_chains(const struct model *model)
{
    bool hangs[MAX_BODIES] = {false};
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        bool known = joint->second < 0 || hangs[joint->second];
        if (!joint->there || joint->ball || joint->weld ||
            joint->friction != 0 || model->dimension != 2 || !known ||
            hangs[joint->first] || model->body[joint->first].fixed)
            return false;
        hangs[joint->first] = true;
    }
    return true;
}

/* Does the body ride on a slider of the world alone? */
static bool
rides_on_rail(const struct model *model, int body)
{
    for (int i = 0; i < model->joints; i++)
        if (model->joint[i].there && model->joint[i].first == body)
            return model->joint[i].slider && model->joint[i].second < 0;
    return false;
}

/* Is the load one that a system states: of a plane body without joints, or on a
 * rail, whose drag goes with the speed? */
static bool
can_be_force(const struct model *model, int index)
{
    static const struct load none;
    const struct load *load = &model->body[index].load;
    bool rail = rides_on_rail(model, index);
    return memcmp(load, &none, sizeof none) == 0 ||
           (model->dimension == 2 && (rail || model->joints == 0) &&
            (rail || rail_is_none(&load->rail)) &&
            (load->drag == 0 || load->drag_law == DRAG_LINEAR));
}

bool
can_be_system(const struct model *model)
{
    bool any = false;
    if (model->systems || !are_chains(model) || !ride_is_rest(&model->ground))
        return false;
    for (int i = 0; i < model->bodies; i++) {
        const struct body *body = &model->body[i];
        any |= body_moves(model, i);
        if (body->there &&
            (!can_be_force(model, i) ||
             (body->rotor.inertia != 0 && model->dimension != 2)))
            return false;
    }
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (!contact->there)
            continue;
        if (contact->approach_speed != 0 || contact->own_law ||
            contact->stribeck_speed != 0 || contact->sticks)
            return false;
        const struct body *first = &model->body[contact->first];
        const struct body *second = &model->body[contact->second];
        bool plane = model->dimension == 2 && (second->shape == SHAPE_BOX ||
                                               second->shape == SHAPE_HULL ||
                                               second->shape == SHAPE_ELLIPSE);
        bool on_wall = first->shape == SHAPE_HALF && first->fixed &&
                       (second->shape == SHAPE_BALL || plane);
        bool balls = first->shape == SHAPE_BALL &&
                     second->shape == SHAPE_BALL && length(first->carry) == 0 &&
                     length(first->swing) == 0;
        if ((!on_wall && !balls) || length(second->carry) > 0 ||
            first->path.knots || length(second->swing) > 0 ||
            (ride_turns(&first->turning) &&
             (!on_wall || model->dimension != 2)) ||
            ride_turns(&second->turning))
            return false;
    }
    return any;
}
