/* SPDX-License-Identifier: MIT */
/* line_coast.h with what every processor has, and the choice. */
#include "runtime/line_coast.h"

static long
narrow(struct line *l, double until, long most)
{
    return coast_any(l, until, most);
}

line_coast_fn *
line_coast(int m)
{
    (void)m;
#ifdef LINE_WIDE
    if (m > 2 && __builtin_cpu_supports("avx2"))
        return line_coast_wide;
#endif
    return narrow;
}
