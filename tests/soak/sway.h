/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sway.c. */
#ifndef SOAK_SWAY_H
#define SOAK_SWAY_H

#include "relations.h"

/* Needs bodies without joints, springs and drag. */
bool make_sway(struct trial *trial);

#endif
