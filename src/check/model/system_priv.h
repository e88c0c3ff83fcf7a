/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between system.c (declaring, patterns, families), system_formula.c (energies,
 * forces, gaps), system_matrix.c (masses, stiffness) and system_start.c (starts,
 * drawings). */
#ifndef IMP_CHECK_SYSTEM_PRIV_H
#define IMP_CHECK_SYSTEM_PRIV_H

#include "check/model/model_priv.h"
#include "check/quantities/systems.h"

/* system_reads.c: checks what a formula of a system reads. `rates`: it may read the rates of
 * the coordinates. */
bool system_formula_ok(struct check *ck, const struct tm_system *system,
                       const expr *expression, bool rates,
                       const struct ast_expr *at, const char *what);
/* system_matrix.c: the keys `mass`, and `stiffness`, which adds to the potential
 * energy. False: an error has been reported. */
bool system_mass_key(struct check *ck, struct system_work *work,
                     struct tm_system *system);
bool system_stiffness_key(struct check *ck, struct system_work *work,
                          struct tm_system *system);
/* The keys slide and slide' of a contact. False: an error has been reported. */
bool system_slide(struct check *ck, const struct env *env,
                  const struct tm_system *system, const struct ast_item *slide,
                  const struct ast_item *velocity, struct tm_contact *contact);
/* energies, forces, mass matrix, gaps into the model */
void system_formulas(struct check *ck, struct system_work *work,
                     struct tm_system *system);
/* equations and jumps of the observers' variables */
void system_observers(struct check *ck, struct system_work *work,
                      const struct tm_system *system);
/* what it looks like */
void system_drawings(struct check *ck, struct system_work *work,
                     struct tm_system *system);
void system_starts(struct check *ck, struct system_work *work,
                   const struct tm_system *system);

#endif
