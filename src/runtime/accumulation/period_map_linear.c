/* SPDX-License-Identifier: MIT */
/* period_map_linear.h and period_map_order.h with the vectors that every
 * processor has, and the choice of those for this processor. */
#include "runtime/accumulation/period_map_order.h"

static bool
follow_narrow(const struct ballistic *motion, struct period_map *map,
              int period)
{
    return follow_any(motion, map, period);
}

static bool
read_narrow(struct period_map *map, struct reading *out)
{
    return read_any(map, out);
}

static int
order_narrow(const struct ballistic *motion, const struct period_map *map,
             int period, struct fixed_point *out)
{
    return order_any(motion, map, period, out);
}

const struct period_map_linear *
period_map_linear(void)
{
    static const struct period_map_linear narrow = {follow_narrow, read_narrow,
                                                    order_narrow};
#ifdef HAVE_AVX2_FILES
    if (__builtin_cpu_supports("avx2"))
        return &period_map_linear_avx2;
#endif
    return &narrow;
}
