/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What two runs of one motion say of the errors of their limits of chatter. */
#ifndef SOAK_LIMITS_H
#define SOAK_LIMITS_H

#include "compare.h"

/* The times of the first limit of both runs, if it is before `to`, differ by no
 * more than both told errors and what the growth makes of rounding. Later
 * limits have the errors of earlier ones in them, which are not told again. */
void compare_limits(const struct comparison *comparison, double to,
                    const struct growth *growth, struct finding *finding);

#endif
