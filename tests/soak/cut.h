/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cut.c. */
#ifndef SOAK_CUT_H
#define SOAK_CUT_H

#include "relations.h"

bool make_cut(struct trial *trial);

#endif
