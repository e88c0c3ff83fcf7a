/* SPDX-License-Identifier: MIT */
/* period_map_linear.h and period_map_order.h compiled for AVX2, where the
 * compiler can. */
#include "runtime/accumulation/period_map_order.h"

static bool
follow_wide(const struct ballistic *motion, struct period_map *map, int period)
{
    return follow_any(motion, map, period);
}

static bool
read_wide(struct period_map *map, struct reading *out)
{
    return read_any(map, out);
}

static int
order_wide(const struct ballistic *motion, const struct period_map *map,
           int period, struct fixed_point *out)
{
    return order_any(motion, map, period, out);
}

const struct period_map_linear period_map_linear_avx2 = {follow_wide, read_wide,
                                                         order_wide};
