/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an impact costs among many discs, beside a program written by hand for
 * this motion alone (discs.c), in turns. Equal discs in a square box, one per
 * unit of area. Imp goes through the whole program; what it takes to start is
 * measured with an empty run and subtracted. Both must find the same number of
 * impacts in a time before rounding decides which discs meet, and about the
 * same number after. Then the same with bodies of other shapes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "discs.h"

#define REPEATS 5
#define RADIUS 0.2
/* Each disc meets about one other until then: errors of 1e-16 have grown to
 * about 1e-14, and the order of impacts is the same. */
#define SHORT 1.0
/* Discs have about .9 impacts per second, so that this gives about as many. */
#define IMPACTS 200000.0

/* where the model and what it prints lie */
struct place {
    char imp[4200], folder[32], model[64], out[64];
};
struct cost {
    double imp, discs; /* s per impact */
    double start;      /* of Imp, s */
    double over;       /* median of the ratios */
};

/* shape: of the bodies, and how they turn at first */
static void
write_gas(const struct place *at, int n, int side, const char *shape,
          const char *turns)
{
    FILE *f = fopen(at->model, "w");

    if (!f)
        exit(3);
    fprintf(f,
            "use shapes\nparam last = 1 [s]\n"
            "body low : half_plane { fixed = true }\n"
            "body left : half_plane { fixed = true  angle = -pi/2 }\n"
            "body right : half_plane {\n"
            "  fixed = true  angle = pi/2  position = (%d, 0) }\n"
            "body high : half_plane {\n"
            "  fixed = true  angle = pi  position = (0, %d) }\n"
            "body disc[i in 0 .. %d] : %s {\n  mass = 1  %s\n"
            "  position = (0.5 + i - %d*floor(i/%d), 0.5 + floor(i/%d))\n"
            "  velocity = (cos(2.4*i*i), sin(2.4*i*i)) }\n"
            "contacts { }\n"
            "let r = simulate { until = last  every = last  keep = 0\n"
            "  events = 10000000 }\n"
            "show r.count\n"
            "expect abs(r.energy_after/r.energy_before - 1) < 1e-11\n",
            side, side, n - 1, shape, turns, side, side, side);
    if (fclose(f))
        exit(3);
}

/* Processor seconds and impacts of one run of Imp up to the time `last`. */
static double
run_imp(const struct place *at, double last, long *impacts)
{
    char set[64], line[256] = "",
                  *args[] = {"run", set, (char *)at->model, NULL};

    snprintf(set, sizeof set, "--set=last=%.17g", last);
    double cpu = bench_run(at->imp, args, at->out).cpu;
    FILE *f = fopen(at->out, "r");
    if (!f || !fgets(line, sizeof line, f) || fclose(f) || !strchr(line, '='))
        abort();
    *impacts = atol(strchr(line, '=') + 1);
    return cpu;
}

/* The same of the program written by hand, without its start. */
static double
run_discs(int n, int side, double last, long *impacts)
{
    double(*x)[2] = calloc((size_t)n, sizeof *x),
    (*v)[2] = calloc((size_t)n, sizeof *v);

    if (!x || !v)
        exit(3);
    for (int i = 0; i < n; i++) {
        x[i][0] = 0.5 + i % side;
        x[i][1] = 0.5 + (double)(i / side);
        v[i][0] = cos(2.4 * i * i);
        v[i][1] = sin(2.4 * i * i);
    }
    struct discs *all = discs_new(n, RADIUS, side, x, v);
    double start = bench_cpu(), before = discs_energy(all);
    *impacts = discs_run(all, last);
    double cpu = bench_cpu() - start;
    if (!(fabs(discs_energy(all) / before - 1.0) < 1e-11))
        abort();
    discs_free(all);
    free(x);
    free(v);
    return cpu;
}

static struct cost
cost_of(const struct place *at, int n)
{
    int side = (int)ceil(sqrt(n));
    double imp[REPEATS], discs[REPEATS], over[REPEATS], start[REPEATS];
    double last = IMPACTS / 0.9 / n;
    long by_imp, by_discs;

    char shape[32];

    snprintf(shape, sizeof shape, "circle(%g)", RADIUS);
    write_gas(at, n, side, shape, "");
    run_imp(at, SHORT, &by_imp);
    run_discs(n, side, SHORT, &by_discs);
    if (by_imp != by_discs || by_imp < n / 4)
        abort();
    for (int i = 0; i < REPEATS; i++) {
        start[i] = run_imp(at, 1e-3, &by_imp);
        imp[i] = run_imp(at, last, &by_imp) - start[i];
        discs[i] = run_discs(n, side, last, &by_discs);
        if (!(fabs((double)by_imp / (double)by_discs - 1.0) < 0.05))
            abort();
        imp[i] /= (double)by_imp;
        discs[i] /= (double)by_discs;
        over[i] = imp[i] / discs[i];
    }
    return (struct cost){
        bench_median(imp, REPEATS), bench_median(discs, REPEATS),
        bench_median(start, REPEATS), bench_median(over, REPEATS)};
}

/* Bodies of other shapes, that turn: what an event costs once machine code is
 * made, in the second half of a run of about one impact per body and second. */
#define SHAPES 1000
#define HALF 4.0
static void
other_shape(const struct place *at, const char *name, const char *shape)
{
    double cost[REPEATS];
    long some, all;
    char title[64];

    write_gas(at, SHAPES, (int)ceil(sqrt(SHAPES)), shape,
              "angle = 3*sin(i*i)  spin = sin(i)");
    for (int i = 0; i < REPEATS; i++) {
        double first = run_imp(at, HALF, &some),
               both = run_imp(at, 2.0 * HALF, &all);
        if (all < some + SHAPES)
            abort();
        cost[i] = (both - first) / (double)(all - some);
    }
    double rate = 1.0 / bench_median(cost, REPEATS);
    snprintf(title, sizeof title, "%d %s", SHAPES, name);
    bench_line(title, rate, "events/s", "at least 5e3", rate >= 5e3);
}

void
bench_many(const char *build)
{
    static const int count[] = {36, 100, 1000, 10000};
    struct place at;
    struct cost cost, few = {0};
    char name[64];

    snprintf(at.imp, sizeof at.imp, "%s/imp", build);
    strcpy(at.folder, "/tmp/imp-bench-XXXXXX");
    if (!mkdtemp(at.folder))
        exit(3);
    snprintf(at.model, sizeof at.model, "%s/many.imp", at.folder);
    snprintf(at.out, sizeof at.out, "%s/many.txt", at.folder);
    for (int i = 0; i < 4; i++) {
        cost = cost_of(&at, count[i]);
        if (i == 0)
            few = cost;
        snprintf(name, sizeof name, "%d discs", count[i]);
        bench_line(name, 1.0 / cost.imp, "events/s", "at least 1e5",
                   cost.imp <= 1e-5);
        snprintf(name, sizeof name, "%d discs over a program by hand",
                 count[i]);
        bench_line(name, cost.over, "", "at most 5", cost.over <= 5.0);
        bench_note("by hand %.3g events/s; Imp starts in %.3g s",
                   1.0 / cost.discs, cost.start);
    }
    double x = cost.imp / few.imp;
    bench_line("an event of 10000 discs over one of 36", x, "", "at most 2",
               x <= 2.0);
    bench_line("10000 discs, checked and started", cost.start, "CPU s",
               "at most 2", cost.start <= 2.0);
    other_shape(&at, "ellipses", "ellipse(0.25, 0.16)");
    other_shape(&at, "pentagons", "regular_polygon(5, 0.2)");
    unlink(at.model);
    unlink(at.out);
    rmdir(at.folder);
}
