/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole processes on the file of two ellipses: check, run without and with the
 * object cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define RUNS 15
#define MODEL IMP_SOURCE_DIR "/examples/tangential/two-ellipses.imp"

static void
measure(const char *name, const char *imp, const char *word, const char *flag,
        const char *promise, double limit)
{
    char *args[] = {(char *)(uintptr_t)word, (char *)(uintptr_t)MODEL,
                    (char *)(uintptr_t)flag, NULL};
    double took[RUNS];

    bench_run(imp, args, "/dev/null");
    for (int i = 0; i < RUNS; i++)
        took[i] = 1e3 * bench_run(imp, args, "/dev/null").wall;
    double ms = bench_median(took, RUNS);
    bench_line(name, ms, "ms", promise, ms < limit);
}

void
bench_process(const char *folder)
{
    char imp[4200], cache[] = "/tmp/imp-bench-XXXXXX", cmd[128];

    snprintf(imp, sizeof imp, "%s/imp", folder);
    if (!mkdtemp(cache) || setenv("XDG_CACHE_HOME", cache, 1))
        exit(3);
    measure("imp check, two ellipses", imp, "check", NULL, "under 10", 10);
    measure("imp run, cold (--no-cache)", imp, "run", "--no-cache", "under 150",
            150);
    measure("imp run, object code in the cache", imp, "run", "--backend=jit",
            "under 60", 60);
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", cache);
    if (system(cmd))
        exit(3);
}
