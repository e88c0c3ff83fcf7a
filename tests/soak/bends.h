/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See bends.c. */
#ifndef SOAK_BENDS_H
#define SOAK_BENDS_H

#include "relations.h"

bool make_bends(struct trial *trial);

#endif
