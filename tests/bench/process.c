/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole processes on the file of two ellipses: check, run without and with the
 * object cache. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define RUNS 15
#define MODEL IMP_SOURCE_DIR "/examples/tangential/two-ellipses.imp"

extern char **environ;

/* wall-clock milliseconds of one run; exits when it fails */
static double
once(char *const argv[])
{
    posix_spawn_file_actions_t fa;
    int status = 0;
    pid_t pid;

    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
    double start = bench_now();
    if (posix_spawn(&pid, argv[0], &fa, NULL, argv, environ) ||
        waitpid(pid, &status, 0) < 0 || status) {
        fprintf(stderr, "imp-bench: %s %s failed\n", argv[0], argv[1]);
        exit(3);
    }
    double took = (bench_now() - start) * 1e3;
    posix_spawn_file_actions_destroy(&fa);
    return took;
}

static void
measure(const char *name, const char *imp, const char *word, const char *flag,
        const char *promise, double limit)
{
    char *argv[] = {(char *)(uintptr_t)imp, (char *)(uintptr_t)word,
                    (char *)(uintptr_t)MODEL, (char *)(uintptr_t)flag, NULL};
    double took[RUNS];

    once(argv);
    for (int i = 0; i < RUNS; i++)
        took[i] = once(argv);
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
