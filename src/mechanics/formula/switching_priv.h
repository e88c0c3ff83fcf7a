/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the gathering of what ends a step: switching functions (switching.c),
 * and functions that grow by orders of magnitude (growth.c). */
#ifndef IMP_MECHANICS_FORMULA_SWITCHING_PRIV_H
#define IMP_MECHANICS_FORMULA_SWITCHING_PRIV_H

#include "mechanics/formula/formula.h"

struct guards {
    struct mech *mech;
    const expr **u;
    imp_guard *g;
    size_t n, cap;
    bool gaps;           /* the formulas are gaps */
    bool branches_alone; /* leaves out what grows */
};
/* Adds a guard of this kind: a step ends where `level` passes 0, or a whole
 * number. formula: the place in the model that is to blame. */
void guards_add(struct guards *found, const expr *formula, uint32_t kind,
                const expr *level);
/* Does the formula depend on the state or on the time? */
bool formula_moves(struct mech *mech, const expr *formula);

/* -- growth.c -- */
/* Where the function of this node alone grows: exponentials and their like. */
void growth_add(struct guards *found, const expr *formula);
/* Where the function of this node comes to the end of its domain, and turns
 * back. */
void growth_add_ends(struct guards *found, const expr *formula);
/* Where high powers grow among n nodes, which hold their operands, too. They
 * are sorted. */
void growth_add_powers(struct guards *found, const expr **node, size_t n);

#endif
