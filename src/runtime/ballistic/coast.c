/* SPDX-License-Identifier: MIT */
/* coast_run.h with what every processor has, and the choice of the one for this
 * processor. */
#include "runtime/ballistic/coast_run.h"

static long
coast_narrow(struct ballistic *motion, double until, long most)
{
    return coast_any(motion, until, most);
}

ballistic_coast_fn *
ballistic_coast(int m)
{
    if (m == 2)
        return ballistic_coast_two;
#ifdef HAVE_AVX2_FILES
    if (m > 2 && __builtin_cpu_supports("avx2"))
        return ballistic_coast_avx2;
#endif
    return coast_narrow;
}
