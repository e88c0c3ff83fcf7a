/* SPDX-License-Identifier: MIT */
/* period_map_linear.h and period_map_order.h compiled for AVX2, where the
 * compiler can. */
#include "runtime/accumulation/period_map_order.h"

static bool
follow_wide(const struct ballistic *l, struct period_map *k, int period)
{
    return follow_any(l, k, period);
}

static bool
read_wide(struct period_map *k, struct reading *out)
{
    return read_any(k, out);
}

static int
order_wide(const struct ballistic *l, const struct period_map *k, int period,
           struct fixed_point *out)
{
    return order_any(l, k, period, out);
}

const struct period_map_linear period_map_linear_avx2 = {follow_wide, read_wide,
                                                         order_wide};
