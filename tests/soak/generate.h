/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models. */
#ifndef SOAK_GENERATE_H
#define SOAK_GENERATE_H

#include "model.h"

/* The model of that seed: bodies that start apart, mostly in a trough or flying
 * at each other. */
void generate(uint64_t seed, struct model *out);

#endif
