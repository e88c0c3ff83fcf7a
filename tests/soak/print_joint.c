/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints joints, and what is recorded of those with friction. */
#include "print.h"

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
            joint->ball     ? "ball"
            : joint->slider ? "slider"
                            : "hinge",
            joint->swapped ? second : first, joint->swapped ? first : second);
    print_vector(model, out, joint->at);
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
