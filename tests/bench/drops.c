/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a restitution below 1 costs: a sweep of drops of a box on a floor, one
 * second each, through the whole program, at e = 1 and at e = 0.7 in turns. The
 * drops have about three impacts each, far from any limit of chatter. The same
 * of boxes that fall ten times as far and tumble. What a drop costs whose
 * greatest deflection is asked for: a rod falls on its ends until it lies, and
 * a damped oscillator feels some 70 impacts and their limit. */
#include <math.h>
#include <stdint.h>
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
    "param height = 1.6 [m]\n"
    "param end = 1 [s]\n"
    "param runs = 2000\n"
    "world { gravity = (0, 0, -9.81) }\n"
    "body floor : half_space { fixed = true }\n"
    "body crate : box(1, 0.8, 0.6) {\n"
    "  mass = 2  position = (0, 0, height)  rotation = ((1, 2, 3), phi)\n"
    "  spin = (1.5, 2.5, -2) }\n"
    "contact k : floor | crate { restitution = e }\n"
    "let s = sweep {\n"
    "  over = (phi in linspace(0, 3, runs))\n"
    "  run = simulate { until = end }\n"
    "  record = (count)\n}\n"
    "show sum(s.count)\n";

static const char deflections[] =
    "param rho = 1/3 in [0.01, 1]\n"
    "param gamma = 1/3 in [0, 1]\n"
    "param phi = 0.5 in [0, 1.6]\n"
    "param starts = 20\n"
    "world { law = sequential }\n"
    "system rod {\n"
    "  coordinate h, angle\n"
    "  kinetic = (h'^2 + rho^2*angle'^2)/2\n"
    "  potential = (1 [1/s^2])*h\n"
    "  contact left { gap = h + sin(angle)  restitution = gamma }\n"
    "  contact right { gap = h - sin(angle)  restitution = gamma }\n"
    "  observer {\n"
    "    coordinate u\n"
    "    u'' = -(100 [1/s^2])*u - (20 [1/s])*u'\n"
    "    jump { u' = -cos(angle)*jump(h') } }\n"
    "  start { h = 10  angle = phi } }\n"
    "let s = sweep {\n"
    "  over = (rho in (0.3, 0.6, 0.9), gamma in (0.3, 0.5, 0.7),"
    " phi in linspace(0.1, 1.5, starts))\n"
    "  run = simulate { until = 20  record = sup(abs(rod.u))  at = 20 }\n"
    "  record = (sup_abs_rod_u)\n}\n"
    "show max(s.sup_abs_rod_u)\n";
/* drops of a short sweep and of a long one, nine times the starts */
static char *const starts[] = {"--set=starts=20", "--set=starts=200"};
#define FEWER 180
#define MORE 1800

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

static void
write_model(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (!f || fputs(text, f) < 0 || fclose(f))
        exit(3);
}

/* The greatest deflections of many drops: what a further drop costs, without
 * the start of the program and the making of machine code. */
static void
greatest(const char *imp, const char *path, const char *out)
{
    double ms[REPEATS], start[REPEATS], cpu[2] = {0};

    write_model(path, deflections);
    for (int i = 0; i < REPEATS; i++) {
        for (int k = 0; k < 2; k++) {
            char *args[] = {"run", "--threads=1", starts[k],
                            (char *)(uintptr_t)path, NULL};
            cpu[k] = bench_run(imp, args, out).cpu;
        }
        ms[i] = 1e3 * (cpu[1] - cpu[0]) / (MORE - FEWER);
        start[i] = 1e3 * cpu[0] - FEWER * ms[i];
    }
    double once = bench_median(ms, REPEATS);
    bench_line("a drop of a rod with an oscillator, sup", once, "CPU ms",
               "at most 0.28", once <= 0.28);
    bench_note("beside %.3g ms once; greatest deflection %.12g",
               bench_median(start, REPEATS), printed(out));
}

/* Boxes that fall far and tumble for half a minute, e = 0.95 over e = 1. */
static void
tumbling(const char *imp, const char *path, const char *out)
{
    double ratio[REPEATS], cpu[2] = {0};

    write_model(path, model);
    for (int i = 0; i < REPEATS; i++) {
        for (int k = 0; k < 2; k++) {
            char *args[] = {"run",
                            "--threads=1",
                            "--set=height=16 [m]",
                            "--set=end=30 [s]",
                            "--set=runs=150",
                            k ? "--set=e=0.95" : "--set=e=1",
                            (char *)(uintptr_t)path,
                            NULL};
            cpu[k] = bench_run(imp, args, out).cpu;
        }
        ratio[i] = cpu[1] / cpu[0];
    }
    double x = bench_median(ratio, REPEATS);
    bench_line("a tumbling box, e = 0.95 over e = 1", x, "", "at most 2",
               x <= 2);
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
    write_model(path, model);
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
    tumbling(imp, path, out);
    greatest(imp, path, out);
    unlink(path);
    unlink(out);
    rmdir(folder);
}
