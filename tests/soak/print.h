/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that print models share. */
#ifndef SOAK_PRINT_H
#define SOAK_PRINT_H

#include "model.h"

/* with as few digits as give the number back */
void print_number(FILE *out, double x);
void print_system(const struct model *model, int index, FILE *out);
/* Balls and half-planes or half-spaces, as one system called `all`: the
 * coordinates of body 3 are x3, y3 and z3. */
void print_balls_as_system(const struct model *model, FILE *out);

#endif
