/* SPDX-License-Identifier: MIT */
/* The first `count` digits (1..17) of y > 0, finite, correctly rounded, and the
 * exponent of the first digit: what "%.*e" gives, in nearly all cases without
 * its cost. False if the bits that are looked at do not decide the rounding;
 * then nothing is written. */
#ifndef IMP_BASE_DIGITS_H
#define IMP_BASE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

bool digits_of(double y, int count, char *digits, int *exponent);

#endif
