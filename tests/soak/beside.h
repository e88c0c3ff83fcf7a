/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relations `beside`: another random mechanism far away in the same model,
 * and `doubled`: the same mechanism once more. */
#ifndef SOAK_BESIDE_H
#define SOAK_BESIDE_H

#include "relations.h"

/* Names of what is far away begin with this. */
#define GUEST "far_"

bool make_beside(struct trial *trial);
bool make_doubled(struct trial *trial);
/* Does a diagnostic of the model's run speak of what is far away, or point at a
 * line of it? */
bool guests_are_named(const struct model *model, const struct result *result);

#endif
