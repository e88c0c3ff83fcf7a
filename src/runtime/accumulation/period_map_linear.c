/* SPDX-License-Identifier: MIT */
/* period_map_linear.h and period_map_order.h with what every processor has, and
 * the choice. */
#include "runtime/accumulation/period_map_order.h"

static bool
follow_narrow(const struct line *l, struct line_map *k, int period)
{
    return follow_any(l, k, period);
}

static bool
read_narrow(struct line_map *k, struct reading *out)
{
    return read_any(k, out);
}

static int
order_narrow(const struct line *l, const struct line_map *k, int period,
             struct line_fixed *out)
{
    return order_any(l, k, period, out);
}

const struct line_map_still *
line_map_still(void)
{
    static const struct line_map_still narrow = {follow_narrow, read_narrow,
                                                 order_narrow};
#ifdef LINE_WIDE
    if (__builtin_cpu_supports("avx2"))
        return &line_map_wide;
#endif
    return &narrow;
}
