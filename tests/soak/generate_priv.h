/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of random models. Each fills an empty model, except for the times
 * of its record. */
#ifndef SOAK_GENERATE_PRIV_H
#define SOAK_GENERATE_PRIV_H

#include "model.h"
#include "random.h"

void generate_bodies(struct random *random, struct model *out);
void generate_general_system(struct random *random, struct model *out);
void generate_kepler(struct random *random, struct model *out);
void generate_feet(struct random *random, struct model *out);

#endif
