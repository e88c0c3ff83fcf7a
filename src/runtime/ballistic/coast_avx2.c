/* SPDX-License-Identifier: MIT */
/* coast_run.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/ballistic/coast_run.h"

long
ballistic_coast_avx2(struct ballistic *motion, double until, long most)
{
    return coast_any(motion, until, most);
}
#else
typedef int ballistic_coast_has_no_avx2;
#endif
