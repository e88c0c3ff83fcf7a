/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a restitution below 1 costs: a sweep of drops of a box on a floor, one
 * second each, through the whole program, at e = 1 and at e = 0.7 in turns. The
 * drops have about three impacts each, far from any limit of chatter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define REPEATS 5

static const char model[] =
    "use shapes\n"
    "param e = 1 in [0, 1]\n"
    "param phi = 0 in [0, 3]\n"
    "world { gravity = (0, 0, -9.81) }\n"
    "body floor : half_space { fixed = true }\n"
    "body crate : box(1, 0.8, 0.6) {\n"
    "  mass = 2  position = (0, 0, 1.6)  rotation = ((1, 2, 3), phi)\n"
    "  spin = (1.5, 2.5, -2) }\n"
    "contact k : floor | crate { restitution = e }\n"
    "let s = sweep {\n"
    "  over = (phi in linspace(0, 3, 2000))\n"
    "  run = simulate { until = 1 }\n"
    "  record = (count)\n}\n"
    "show sum(s.count)\n";

/* The number that the run has printed after a `=`. */
static double
printed(const char *path)
{
    char line[256] = "";
    FILE *f = fopen(path, "r");

    if (!f || !fgets(line, sizeof line, f) || fclose(f) || !strchr(line, '='))
        abort();
    return atof(strchr(line, '=') + 1);
}

void
bench_drops(const char *build)
{
    char imp[4200], folder[] = "/tmp/imp-bench-XXXXXX", path[300], out[300];
    double cpu[2][REPEATS], ratio[REPEATS], impacts[2] = {0};

    snprintf(imp, sizeof imp, "%s/imp", build);
    if (!mkdtemp(folder))
        exit(3);
    snprintf(path, sizeof path, "%s/drops.imp", folder);
    snprintf(out, sizeof out, "%s/drops.txt", folder);
    FILE *f = fopen(path, "w");
    if (!f || fputs(model, f) < 0 || fclose(f))
        exit(3);
    for (int i = 0; i < REPEATS; i++) {
        for (int k = 0; k < 2; k++) {
            char *args[] = {"run", "--threads=1",
                            k ? "--set=e=0.7" : "--set=e=1", path, NULL};
            cpu[k][i] = bench_run(imp, args, out).cpu;
            impacts[k] = printed(out);
        }
        ratio[i] = cpu[1][i] / cpu[0][i];
    }
    double once = bench_median(cpu[1], REPEATS);
    bench_line("2000 drops of a box, e = 0.7", once, "CPU s", "at most 0.4",
               once <= 0.4);
    double x = bench_median(ratio, REPEATS);
    bench_line("2000 drops of a box, e = 0.7 over e = 1", x, "", "at most 2",
               x <= 2);
    bench_note("e = 1: %.3g s for %g impacts; e = 0.7: %g impacts",
               bench_median(cpu[0], REPEATS), impacts[0], impacts[1]);
    unlink(path);
    unlink(out);
    rmdir(folder);
}
