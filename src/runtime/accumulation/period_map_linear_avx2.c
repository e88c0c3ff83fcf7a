/* SPDX-License-Identifier: MIT */
/* period_map_linear.h and period_map_order.h compiled for AVX2, where the
 * compiler can. */
#include "runtime/accumulation/period_map_order.h"

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

static int
order_wide(const struct line *l, const struct line_map *k, int period,
           struct line_fixed *out)
{
    return order_any(l, k, period, out);
}

const struct line_map_still line_map_wide = {follow_wide, read_wide,
                                             order_wide};
