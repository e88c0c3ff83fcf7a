/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a failing model small. */
#ifndef SOAK_SHRINK_H
#define SOAK_SHRINK_H

#include "check.h"

/* Deletes and simplifies parts of the model while the check still gives a
 * finding of the same kind, for at most `seconds`. Changes the model and the
 * finding. */
void shrink(const struct runner *runner, struct model *model, uint64_t seed,
            int check, struct finding *finding, int seconds);

#endif
