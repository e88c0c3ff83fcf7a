/* SPDX-License-Identifier: MIT */
/* line_map_still.h compiled for AVX2, where the compiler can. */
#include "runtime/line_map_still.h"

static bool
follow_wide(const struct line *l, struct line_map *k, int period)
{
    return follow_any(l, k, period);
}

static bool
read_wide(struct line_map *k, struct reading *out)
{
    return read_any(k, out);
}

const struct line_map_still line_map_wide = {follow_wide, read_wide};
