/* SPDX-License-Identifier: MIT */
/* line_many.h compiled for AVX2, where the compiler can. */
#ifdef __AVX2__
#include "runtime/line_many.h"

void
line_many_wide(struct line *l, struct line_many *a)
{
    many_any(l, a);
}
#else
typedef int line_many_is_not_wide;
#endif
