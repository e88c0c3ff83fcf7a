/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gap series of two ellipsoids to order 20: motion series of both bodies
 * and the implicit series of the closest points, in machine code. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "runtime/gap/closest_points.h"
#include "runtime/motion/motion.h"
#include "runtime/setup/new_run.h"

#define ORDER 20
#define RUNS 11
#define TIMES 400

void
bench_gap(void)
{
    struct bench_random rnd = {1};
    double p[BENCH_PAIR], took[RUNS], out[ORDER + 1], h, sum = 0;
    struct closest_points c;
    struct model m;

    bench_model(&m, bench_pair_text, 1);
    bench_pair_draw(&rnd, p);
    if (rt_restart(m.rt, p) || closest_points_find(m.rt, 0, &c, true))
        exit(3);
    for (int i = 0; i < RUNS; i++) {
        double start = bench_cpu();
        for (int k = 0; k < TIMES; k++) {
            if (motion_series_all(m.rt, ORDER, &h) ||
                contact_gap_series(m.rt, 0, ORDER, out))
                exit(3);
            sum += out[ORDER];
        }
        took[i] = (bench_cpu() - start) / TIMES * 1e6;
    }
    double us = bench_median(took, RUNS);
    bench_line("gap series, two ellipsoids, order 20", us, "us", "under 30",
               us < 30 && isfinite(sum));
    bench_model_free(&m);
}
