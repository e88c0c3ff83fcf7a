/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See space.c. */
#ifndef SOAK_SPACE_H
#define SOAK_SPACE_H

#include "relations.h"

bool make_space(struct trial *trial);

#endif
