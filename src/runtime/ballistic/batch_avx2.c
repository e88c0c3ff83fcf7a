/* SPDX-License-Identifier: MIT */
/* batch.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/ballistic/batch.h"

void
ballistic_batch_avx2(struct ballistic *motion, struct ballistic_batch *batch)
{
    many_any(motion, batch);
}
#else
typedef int ballistic_batch_has_no_avx2;
#endif
