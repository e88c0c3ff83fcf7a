/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See surfaces.c. */
#ifndef SOAK_SURFACES_H
#define SOAK_SURFACES_H

#include "relations.h"

bool make_surfaces(struct trial *trial);
/* The shape of a body whose `surface` is not 0, as a declaration. */
void print_surface(const struct model *model, const struct body *body,
                   FILE *out);

/* Squares, ramps and absolute values in formulas of systems are functions of
 * the model's own. */
bool make_functions(struct trial *trial);

#endif
