/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints joints, and what is recorded of those with friction. */
#include <math.h>

#include "print.h"
#include "vector.h"

static void
print_screw(const struct model *model, const double force[3],
            const double moment[3], bool last, FILE *out)
{
    for (int k = 0; k < model->dimension; k++) {
        print_number(out, force[k]);
        fputs(", ", out);
    }
    for (int k = model->dimension == 2 ? 2 : 0; k < 3; k++) {
        print_number(out, moment[k]);
        fputs(k < 2 ? ", " : "", out);
    }
    fputs(last ? "]" : "; ", out);
}

/* A joint by the screws that it bears: forces along all axes, but the one of a
 * slider, and moments across that of a hinge. */
static void
print_screws(const struct model *model, const struct joint *joint, FILE *out)
{
    static const double none[3], unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double across[2][3];
    fputs("  screws = [", out);
    if (joint->slider) {
        const double normal[3] = {-joint->axis[1], joint->axis[0], 0};
        print_screw(model, normal, none, false, out);
        print_screw(model, none, unit[2], true, out);
        return;
    }
    bool hinge = model->dimension == 3 && !joint->ball;
    for (int k = 0; k < model->dimension; k++)
        print_screw(model, unit[k], none, !hinge && k + 1 == model->dimension,
                    out);
    if (!hinge)
        return;
    /* two directions across the axis: of the unit vector that is least along
     * it, and of the product of both */
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(joint->axis[k]) < fabs(joint->axis[least]))
            least = k;
    cross(joint->axis, unit[least], across[0]);
    cross(joint->axis, across[0], across[1]);
    for (int k = 0; k < 2; k++)
        print_screw(model, none, across[k], k == 1, out);
}

void
print_joint(const struct model *model, int index, FILE *out)
{
    const struct joint *joint = &model->joint[index];
    if (joint->weld) {
        fprintf(out, "joint %s : weld(%s, %s) { }\n", joint->name,
                model->body[joint->first].name,
                model->body[joint->second].name);
        return;
    }
    const char *first = model->body[joint->first].name;
    const char *second =
        joint->second < 0 ? "world" : model->body[joint->second].name;
    fprintf(out, "joint %s : %s(%s, %s) { at = ", joint->name,
            model->as_screws ? "constraint"
            : joint->ball    ? "ball"
            : joint->slider  ? "slider"
                             : "hinge",
            joint->swapped ? second : first, joint->swapped ? first : second);
    print_vector(model, out, joint->at);
    if (model->as_screws) {
        print_screws(model, joint, out);
        fputs(" }\n", out);
        return;
    }
    if (joint->slider || (model->dimension == 3 && !joint->ball)) {
        fputs("  axis = ", out);
        print_vector(model, out, joint->axis);
    }
    if (joint->friction != 0) {
        if (joint->static_friction != 0) {
            fputs("  friction = coulomb(static = ", out);
            print_number(out, joint->static_friction);
            fputs(", dynamic = ", out);
            print_number(out, joint->friction);
            fputs(")", out);
        } else {
            fputs("  friction = ", out);
            print_number(out, joint->friction);
        }
        fputs(joint->slider ? "  length = " : "  radius = ", out);
        print_number(out, joint->arm);
    }
    fputs("  rate = ", out);
    if (joint->ball)
        print_vector(model, out, joint->spin);
    else
        print_number(out, joint->swapped ? -joint->rate : joint->rate);
    fputs(" }\n", out);
}

void
print_bearing(const struct joint *joint, FILE *out)
{
    static const char *const what[2][6] = {
        {"rate", "work", "mode", "force", "friction_moment"},
        {"rate", "work", "mode", "normal_force", "friction_force", "moment"}};
    if (!joint->there || joint->friction == 0)
        return;
    for (int k = 0; k < (joint->slider ? 6 : 5); k++)
        fprintf(out, ",%s%s.%s", k ? " " : "\n    ", joint->name,
                what[joint->slider][k]);
}
