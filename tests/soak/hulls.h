/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hulls.c. */
#ifndef SOAK_HULLS_H
#define SOAK_HULLS_H

#include "relations.h"

bool make_corners(struct trial *trial);
bool make_halves(struct trial *trial);

#endif
