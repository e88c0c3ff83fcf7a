/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints bodies of a scene that is carried along, and the forces that move
 * bodies as if they were carried along. */
#include "print.h"
#include "vector.h"

/* "((1, 2) [m])*cos(ANGLE) + ((-2, 1) [m])*sin(ANGLE)" */
static void
print_turned(const struct model *model, const struct ride *ride,
             const double v[3], const char *unit, FILE *out)
{
    double across[3] = {-v[1], v[0], 0};
    fputs("((", out);
    print_vector(model, out, v);
    fprintf(out, " [%s])", unit);
    if (ride_turns(ride)) {
        fputs("*cos(", out);
        ride_print_angle(ride, out);
        fputs(") + (", out);
        print_vector(model, out, across);
        fprintf(out, " [%s])*sin(", unit);
        ride_print_angle(ride, out);
        fputs(")", out);
    }
    fputs(")", out);
}

void
print_ridden_place(const struct model *model, const struct body *body,
                   FILE *out)
{
    const struct ride *ride = &model->ground;
    double half[3] = {0};
    fputs("  position = ", out);
    print_turned(model, ride, body->position, "m", out);
    if (length(body->carry) > 0) {
        fputs(" + (", out);
        print_vector(model, out, body->carry);
        fputs(" [m/s])*t", out);
    }
    if (length(ride->acceleration) == 0)
        return;
    add_scaled(half, 0.5, ride->acceleration, half);
    fputs(" + (", out);
    print_vector(model, out, half);
    fputs(" [m/s^2])*t^2", out);
}

void
print_ridden_angle(const struct model *model, const struct body *body,
                   FILE *out)
{
    fputs("  angle = ", out);
    print_number(out, body->angle);
    fputs(" + ", out);
    ride_print_angle(&model->ground, out);
}

void
print_carried(const struct model *model, const double v[3], const char *unit,
              FILE *out)
{
    print_turned(model, &model->carried, v, unit, out);
}

bool
print_carrying_force(const struct model *model, const struct body *body,
                     FILE *out)
{
    const struct ride *ride = &model->carried;
    const char *name = body->name;
    if (ride_is_rest(ride))
        return false;
    fprintf(out, "  force = %s.mass*(", name);
    if (ride_turns(ride)) {
        print_turned(model, ride, model->gravity, "m/s^2", out);
        fputs(" + 2*", out);
        ride_print_spin(ride, out);
        fprintf(out, "*(-%s.velocity[1], %s.velocity[0]) + ", name, name);
        ride_print_spin(ride, out);
        fprintf(out, "^2*%s.position + ", name);
        ride_print_growth(ride, out);
        fprintf(out, "*(-%s.position[1], %s.position[0])", name, name);
    } else {
        fputs("(", out);
        print_vector(model, out, ride->acceleration);
        fputs(" [m/s^2])", out);
    }
    fputs(")", out);
    return true;
}

bool
print_carrying_torque(const struct model *model, const struct body *body,
                      FILE *out)
{
    if (model->carried.size == 0)
        return false;
    fprintf(out, "  torque = %s.inertia*", body->name);
    ride_print_growth(&model->carried, out);
    return true;
}
