/* SPDX-License-Identifier: MIT */
/* Units by name, as abi/units.def lists them, and as text: "mm", "kg*m/s^2",
 * "1/s". */
#ifndef IMP_BASE_UNITS_H
#define IMP_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* m, kg, s, A, K, mol, cd */
#define UNIT_BASES 7

/* What 1 of a unit is in SI: num/den, a fraction so that 3 [mm] is the double
 * nearest to 0.003, times these powers of the base units. */
struct unit_scale {
    double num, den;
    double power[UNIT_BASES];
};

/* The unit of this name, of n bytes, with a prefix perhaps. False: there is
 * none. */
bool unit_find(const char *name, size_t n, struct unit_scale *unit);

/* The unit that a text of names, `*`, `/`, `^` and brackets says; an empty text
 * is a pure number. False: it says none, or one whose powers are beyond all
 * use. */
bool unit_read(const char *text, struct unit_scale *unit);

/* Do both measure the same dimension? */
bool unit_alike(const struct unit_scale *one, const struct unit_scale *two);

/* Row `row` of the table: its name, and in *doc what it is. NULL behind the
 * last. */
const char *unit_listed(size_t row, const char **doc);

#endif
