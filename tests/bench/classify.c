/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `classify` of random pairs of ellipsoids at contact, on one core: set-up from
 * the params, closest points, both computations of the coefficients, verdict
 * and record, by one object. */
#include <stdlib.h>
#include <string.h>

#include "analysis/command/analysis.h"
#include "analysis/driver/commands.h"
#include "base/arena.h"
#include "bench.h"
#include "runtime/setup/new_run.h"

#define RUNS 7
#define PAIRS 4000
#define PER_ARENA 200 /* records go with their arena */

static int
sink(void *ctx, const char *s, size_t n)
{
    (void)ctx, (void)s, (void)n;
    return 0;
}

static int
classify(struct model *m, const double *p, struct diags *ds, struct output *out,
         struct record **recs)
{
    struct analysis a = {.rt = m->rt,
                         .out = out,
                         .ds = ds,
                         .recs = recs,
                         .commands = all_commands};

    m->rt->ds = ds;
    if (rt_restart(m->rt, p))
        return 1;
    return commands_run(&a);
}

void
bench_classify(void)
{
    struct bench_random rnd = {7};
    double(*p)[BENCH_PAIR] = calloc(PAIRS, sizeof *p), rate[RUNS];
    int failed = 0, closing = 0;
    struct model m;

    bench_model(&m, bench_pair_text, 1);
    for (int i = 0; i < PAIRS; i++)
        bench_pair_draw(&rnd, p[i]);
    for (int run = 0; run < RUNS; run++) {
        double start = bench_cpu();
        failed = closing = 0;
        for (int i = 0; i < PAIRS; i += PER_ARENA) {
            struct arena *a = arena_new();
            struct output out = {.write = sink, .width = 80};
            struct record *recs[2] = {NULL, NULL};
            struct diags ds;
            diags_init(&ds, a, m.s.text.sources);
            for (int k = i; k < i + PER_ARENA; k++) {
                failed += classify(&m, p[k], &ds, &out, recs) != 0;
                int f = recs[0] ? record_index(recs[0], "class") : -1;
                closing += f >= 0 && recs[0]->v[f].text &&
                           !strcmp(recs[0]->v[f].text, "C-");
            }
            arena_free(a);
        }
        rate[run] = PAIRS / (bench_cpu() - start);
    }
    double x = bench_median(rate, RUNS);
    bench_line("classify, random ellipsoids at contact", x, "1/s",
               "at least 1e5", x >= 1e5 && failed == 0);
    bench_note("%d of %d pairs close, %d failed", closing, PAIRS, failed);
    free(p);
    bench_model_free(&m);
}
