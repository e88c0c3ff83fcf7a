/* SPDX-License-Identifier: MIT */
/* coast.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/ballistic/coast.h"

long
line_coast_wide(struct line *l, double until, long most)
{
    return coast_any(l, until, most);
}
#else
typedef int line_coast_is_not_wide;
#endif
