/* SPDX-License-Identifier: MIT */
/* The first n digits (1..17) of y > 0, finite, correctly rounded, and the
 * exponent of the first: what "%.*e" gives, without it in nearly all cases.
 * False: the rounding hangs on more than is looked at; nothing is there. */
#ifndef IMP_BASE_DIGITS_H
#define IMP_BASE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

bool digits_of(double y, int count, char *digits, int *exponent);

#endif
