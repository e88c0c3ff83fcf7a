/* SPDX-License-Identifier: MIT */
/* batch_run.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/ballistic/batch_run.h"

void
ballistic_batch_avx2(struct ballistic *motion, struct ballistic_batch *batch)
{
    batch_any(motion, batch);
}
#else
typedef int ballistic_batch_has_no_avx2;
#endif
