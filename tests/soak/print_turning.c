/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the contacts of a body of the plane with a half-plane that turns, and
 * may swing or be carried, as contacts of a system. With the angle A of the
 * ground, its normal N = (-sin A, cos A) and T = (cos A, sin A), the gap is N
 * (place - ground) - h, where h is how far a round body reaches from its
 * centre. What is on the ground there moves along N alone as the ground turns:
 * the slip is T (velocity - that of the ground) + h spin. */
#include "print.h"
#include "solid.h"

static void
print_angle(const struct body *ground, FILE *out)
{
    fputs("(", out);
    print_number(out, ground->angle);
    fputs(" + ", out);
    ride_print_angle(&ground->turning, out);
    fputs(")", out);
}

/* The place of a point of the body against the ground, or its rate. */
static void
print_against(const struct body *ground, int number, const double *point,
              int axis, bool rate, FILE *out)
{
    const char *prime = rate ? "'" : "";
    fprintf(out, "(%c%d%s", "xy"[axis], number, prime);
    for (int k = 0; k < 2 && point; k++) {
        /* x cos p - y sin p, x sin p + y cos p, and their rates over p' */
        bool cosine = (axis == k) != rate;
        double sign = (axis == 0 && k == 1) || (rate && axis == k) ? -1 : 1;
        fputs(" + (", out);
        print_number(out, sign * point[k]);
        fprintf(out, ")*%s(p%d)", cosine ? "cos" : "sin", number);
        if (rate)
            fprintf(out, "*p%d'", number);
    }
    fputs(" - (", out);
    print_number(out, rate ? ground->carry[axis] : ground->position[axis]);
    fputs(rate ? " [1/s])" : ")", out);
    if (!rate) {
        fputs(" - (", out);
        print_number(out, ground->carry[axis]);
        fputs(" [1/s])*t", out);
    }
    fputs(" - (", out);
    print_number(out, ground->swing[axis] * (rate ? ground->swing_rate : 1));
    fprintf(out, "%s)*%s((", rate ? " [1/s]" : "", rate ? "cos" : "sin");
    print_number(out, ground->swing_rate);
    fputs(" [1/s])*t + ", out);
    print_number(out, ground->swing_phase);
    fputs("))", out);
}

/* How far a disc or an ellipse reaches from its centre against the normal. */
static void
print_reach(const struct body *ground, const struct body *body, int number,
            FILE *out)
{
    fputs("sqrt(", out);
    for (int k = 0; k < 2; k++) {
        fputs(k ? " + (" : "(", out);
        print_number(out, body->size[body->shape == SHAPE_BALL ? 0 : k]);
        fprintf(out, "*%s(p%d - ", k ? "cos" : "sin", number);
        print_angle(ground, out);
        fputs("))^2", out);
    }
    fputs(")", out);
}

void
print_on_turning_wall(const struct model *model, const struct contact *contact,
                      FILE *out)
{
    const struct body *ground = &model->body[contact->first];
    const struct body *body = &model->body[contact->second];
    int number = contact->second;
    struct solid solid;
    solid_make(body, model->dimension, &solid);
    bool round = body->shape == SHAPE_BALL || body->shape == SHAPE_ELLIPSE;
    for (int i = 0; i < (round ? 1 : solid.corners); i++) {
        const double *point = round ? NULL : solid.corner[i];
        fprintf(out, "  contact %s_%d { gap = cos", contact->name, i);
        print_angle(ground, out);
        fputs("*", out);
        print_against(ground, number, point, 1, false, out);
        fputs(" - sin", out);
        print_angle(ground, out);
        fputs("*", out);
        print_against(ground, number, point, 0, false, out);
        if (round) {
            fputs(" - ", out);
            print_reach(ground, body, number, out);
        }
        if (contact->rough) {
            fputs("  slide' = cos", out);
            print_angle(ground, out);
            fputs("*", out);
            print_against(ground, number, point, 0, true, out);
            fputs(" + sin", out);
            print_angle(ground, out);
            fputs("*", out);
            print_against(ground, number, point, 1, true, out);
            if (round) {
                fputs(" + ", out);
                print_reach(ground, body, number, out);
                fprintf(out, "*p%d'", number);
            }
        }
        fputs("  restitution = ", out);
        print_restitution(contact, out);
        print_friction(model, contact, out);
        fputs(" }\n", out);
    }
}
