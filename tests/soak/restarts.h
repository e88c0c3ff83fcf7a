/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations whose other model begins with a recorded state. */
#ifndef SOAK_RESTARTS_H
#define SOAK_RESTARTS_H

#include "relations.h"

/* Is no contact near to be closed in that row of the run? */
bool all_apart(const struct trial *trial, int row);
/* Begins where nothing touches; where something rests on something else; at an
 * impact. */
bool make_restart(struct trial *trial);
bool make_restart_closed(struct trial *trial);
bool make_restart_impact(struct trial *trial);

#endif
