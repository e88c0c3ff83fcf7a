/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models. */
#ifndef SOAK_GENERATE_H
#define SOAK_GENERATE_H

#include "model.h"

/* The model of that seed, of that kind if `kind` is not NULL. False: there is
 * no such kind. */
bool generate(uint64_t seed, const char *kind, struct model *out);

#endif
