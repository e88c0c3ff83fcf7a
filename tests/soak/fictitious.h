/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See fictitious.c. */
#ifndef SOAK_FICTITIOUS_H
#define SOAK_FICTITIOUS_H

#include "relations.h"

/* A ride that turns, evenly or to and fro, or in space one that is pushed. */
struct ride random_ride(struct random *random, int dimension);
/* Needs bodies without joints, springs and drag. */
bool make_ride(struct trial *trial);

#endif
