/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `beside`: another random mechanism far away in the same model.
 */
#ifndef SOAK_BESIDE_H
#define SOAK_BESIDE_H

#include "relations.h"

/* Names of what is far away begin with this. */
#define GUEST "far_"

bool make_beside(struct trial *trial);
/* Does a diagnostic of the model's run speak of what is far away, or point at a
 * line of it? */
bool guests_are_named(const struct model *model, const struct result *result);

#endif
