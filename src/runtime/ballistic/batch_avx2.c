/* SPDX-License-Identifier: MIT */
/* batch.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/ballistic/batch.h"

void
ballistic_batch_avx2(struct ballistic *l, struct ballistic_batch *a)
{
    many_any(l, a);
}
#else
typedef int ballistic_batch_has_no_avx2;
#endif
