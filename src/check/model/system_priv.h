/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between system.c (declaring, patterns, families), system_formula.c (energies,
 * forces, gaps) and system_start.c (starts). */
#ifndef IMP_CHECK_SYSTEM_PRIV_H
#define IMP_CHECK_SYSTEM_PRIV_H

#include "check/model/model_priv.h"
#include "check/quantities/systems.h"

/* energies, forces, mass matrix, gaps into the model */
void system_formulas(struct check *ck, struct system_work *work,
                     struct tm_system *system);
/* equations and jumps of the observers' variables */
void system_observers(struct check *ck, struct system_work *work,
                      const struct tm_system *system);
void system_starts(struct check *ck, struct system_work *work,
                   const struct tm_system *system);

#endif
