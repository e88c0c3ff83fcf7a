/* SPDX-License-Identifier: MIT */
/* period_map_linear.h and period_map_order.h with what every processor has, and
 * the choice. */
#include "runtime/accumulation/period_map_order.h"

static bool
follow_narrow(const struct ballistic *l, struct period_map *k, int period)
{
    return follow_any(l, k, period);
}

static bool
read_narrow(struct period_map *k, struct reading *out)
{
    return read_any(k, out);
}

static int
order_narrow(const struct ballistic *l, const struct period_map *k, int period,
             struct fixed_point *out)
{
    return order_any(l, k, period, out);
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
