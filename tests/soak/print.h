/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that print models share. */
#ifndef SOAK_PRINT_H
#define SOAK_PRINT_H

#include "model.h"

/* with as few digits as give the number back */
void print_number(FILE *out, double x);
void print_system(const struct model *model, int index, FILE *out);

#endif
