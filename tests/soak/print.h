/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that print models share. */
#ifndef SOAK_PRINT_H
#define SOAK_PRINT_H

#include "model.h"

/* with as few digits as give the number back */
void print_number(FILE *out, double x);
void print_system(const struct model *model, int index, FILE *out);
/* Parts of one body: "circle(0.2)", and its keys. */
void print_vector(const struct model *model, FILE *out, const double v[3]);
/* The family `fam` of bodies, and those of contacts of one body with its
 * members. */
void print_bodies_as_family(const struct model *model, FILE *out);
void print_contacts_as_family(const struct model *model, int first, FILE *out);
/* Which bodies can be one family? Sets `member` and names of bodies, `row` and
 * names of contacts; false: there are not two alike. */
bool make_members(struct model *model);
/* Places and angles on a ground that rides. */
void print_ridden_place(const struct model *model, const struct body *body,
                        FILE *out);
void print_ridden_angle(const struct model *model, const struct body *body,
                        FILE *out);
/* "((1, 2) [N])", turned as what is carried along turns. */
void print_carried(const struct model *model, const double v[3],
                   const char *unit, FILE *out);
/* The force that carries the body along, and its torque; false: there is none.
 */
bool print_carrying_force(const struct model *model, const struct body *body,
                          FILE *out);
bool print_carrying_torque(const struct model *model, const struct body *body,
                           FILE *out);
/* 0.5, newton(0.5) */
void print_restitution(const struct contact *contact, FILE *out);
/* The keys of friction, if the contact has any. */
void print_friction(const struct model *model, const struct contact *contact,
                    FILE *out);
/* The bodies as one system called `all`: the coordinates of body 3 are x3, y3
 * and z3, or p3, its angle in the plane. */
void print_bodies_as_system(const struct model *model, FILE *out);
/* The contacts of one of them with a half-plane that turns. */
void print_on_turning_wall(const struct model *model,
                           const struct contact *contact, FILE *out);
/* The mass and the inertia of a body in the plane, or of a ball. */
void plane_inertia(const struct model *model, int index, double *mass,
                   double *inertia);

/* A joint. */
void print_joint(const struct model *model, int index, FILE *out);
/* What a joint with friction bears, as columns of a record that has others. */
void print_bearing(const struct joint *joint, FILE *out);

#endif
