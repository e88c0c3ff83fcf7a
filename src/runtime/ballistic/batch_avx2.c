/* SPDX-License-Identifier: MIT */
/* batch.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/ballistic/batch.h"

void
line_many_wide(struct line *l, struct line_many *a)
{
    many_any(l, a);
}
#else
typedef int line_many_is_not_wide;
#endif
