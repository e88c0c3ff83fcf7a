/* SPDX-License-Identifier: MIT */
/* The flights of flight_lanes.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/ballistic/lanes_shapes.h"

long
ballistic_coast_avx2(struct ballistic *motion, double until, long most)
{
    return coast_any(motion, until, most);
}

void
ballistic_batch_avx2(struct ballistic *motion, struct ballistic_batch *batch)
{
    batch_any(motion, batch);
}
#else
typedef int ballistic_lanes_avx2_is_empty;
#endif
