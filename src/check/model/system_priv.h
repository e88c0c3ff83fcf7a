/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between system.c (declaring, patterns, families), system_point.c (points and
 * what they touch), system_formula.c (energies,
 * forces, gaps), system_matrix.c (masses, stiffness) and system_start.c (starts,
 * drawings). */
#ifndef IMP_CHECK_SYSTEM_PRIV_H
#define IMP_CHECK_SYSTEM_PRIV_H

#include "check/model/model_priv.h"
#include "check/quantities/systems.h"

/* block.c: checks what a formula of a system reads. `rates`: it may read the rates of
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
/* A contact or a point, and the index of a family, must have names that nothing
 * else in the system has; drawings may have any. False: an error has been reported. */
bool system_names(struct check *ck, const struct system_work *work,
                  const struct tm_system *system, const struct ast_item *it);
/* Declares `point P = (X, Y)` or `let k = ...`, so that its name may stand in
 * formulas. */
void system_name_declare(struct check *ck, struct system_work *work,
                         const struct tm_system *system,
                         const struct ast_item *it);
/* Reads the places of all points and the values of all lets, which formulas
 * that follow may name. */
void system_named_values(struct check *ck, struct system_work *work,
                         const struct tm_system *system);
/* The gap and the slip of `contact C : P | surface`. `stated` is a
 * key that says one of them all the same, or NULL. False: an
 * error has been reported. */
bool system_surface(struct check *ck, struct system_work *work,
                    const struct env *env, const struct tm_system *system,
                    const struct ast_item *it, const struct ast_item *stated,
                    struct tm_contact *contact);
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
