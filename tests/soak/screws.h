/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `screws`: joints as constraints. */
#ifndef SOAK_SCREWS_H
#define SOAK_SCREWS_H

#include "relations.h"

/* Joints without friction are constraints, by the screws that they bear, whose
 * bodies state the motions with which the run begins. */
bool make_screws(struct trial *trial);

#endif
