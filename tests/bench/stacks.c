/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What boxes that lie on one another cost, through the whole program. Four boxes
 * that drop on one another, beside each other's middles: the law
 * `complementarity`, under which all that touches is hit, over `sequential`.
 * Boxes at rest: a stack over as many boxes alone, and ten times as many boxes
 * in stacks over the others. Every run is done in the end, and has lost no
 * energy but that of its falls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define REPEATS 3

/* where the model and what it prints lie */
struct place {
    char imp[4200], folder[32], model[64], out[64];
};
/* so many boxes in stacks of this height, each `apart` above the one below */
struct boxes {
    int n, high;
    bool plane;
    double apart;
    const char *law;
};

static void
write_boxes(const struct place *at, const struct boxes *boxes)
{
    FILE *f = fopen(at->model, "w");

    if (!f)
        exit(3);
    fprintf(f,
            "use shapes\nworld { gravity = (%s0, -9.81)  law = %s }\n"
            "body floor : half_%s { fixed = true }\n",
            boxes->plane ? "" : "0, ", boxes->law,
            boxes->plane ? "plane" : "space");
    for (int i = 0; i < boxes->n; i++) {
        int k = i % boxes->high;
        double x = 2.0 * (i - k) / boxes->high + 0.1 * (k * 7 % 3 - 1),
               y = 0.05 * (k * 5 % 3 - 1),
               z = 0.25 + 0.5 * k + boxes->apart * (k + 1);
        if (boxes->plane)
            fprintf(f, "body b%d : rectangle(1, 0.5) { position = (%g, %g)", i,
                    x, z);
        else
            fprintf(f, "body b%d : box(1, 1, 0.5) { position = (%g, %g, %g)", i,
                    x, y, z);
        fprintf(f, "  density = 1 }\ncontact c%d : ", i);
        fprintf(f, k ? "b%d" : "floor", i - 1);
        fprintf(f, " | b%d { restitution = 0.3 }\n", i);
    }
    fprintf(f, "let r = simulate { until = 1 }\n"
               "expect r.status == \"done\"\n"
               "show r.energy_after/r.energy_before\n");
    if (fclose(f))
        exit(3);
}

/* Returns the processor seconds of one run. Aborts where the energy at the end
 * is not that of the boxes on one another, but for 1e-4 of it that is left in
 * sliding. */
static double
spent(const struct place *at, const struct boxes *boxes)
{
    char line[256] = "", *args[] = {"run", (char *)at->model, NULL};
    double before = 0.0, after = 0.0;

    write_boxes(at, boxes);
    double cpu = bench_run(at->imp, args, at->out).cpu;
    FILE *f = fopen(at->out, "r");
    if (!f || !fgets(line, sizeof line, f) || fclose(f) || !strchr(line, '='))
        abort();
    for (int i = 0; i < boxes->n; i++) {
        int k = i % boxes->high;
        after += 0.25 + 0.5 * k;
        before += 0.25 + 0.5 * k + boxes->apart * (k + 1);
    }
    if (!(fabs(atof(strchr(line, '=') + 1) - after / before) < 1e-4))
        abort();
    return cpu;
}

/* Compares the costs of two models in turns, in *first the median of the first.
 */
static double
over(const struct place *at, const struct boxes *one, const struct boxes *two,
     double *first)
{
    double cpu[REPEATS], ratio[REPEATS];

    for (int i = 0; i < REPEATS; i++) {
        cpu[i] = spent(at, one);
        ratio[i] = cpu[i] / spent(at, two);
    }
    *first = bench_median(cpu, REPEATS);
    return bench_median(ratio, REPEATS);
}

void
bench_stacks(const char *build)
{
    const struct boxes all = {4, 4, false, 0.1, "complementarity"},
                       each = {4, 4, false, 0.1, "sequential"},
                       stack = {16, 16, false, 0.0, "complementarity"},
                       alone = {16, 1, false, 0.0, "complementarity"},
                       many = {1000, 10, true, 0.0, "complementarity"},
                       few = {100, 10, true, 0.0, "complementarity"};
    struct place at;
    double cpu;

    snprintf(at.imp, sizeof at.imp, "%s/imp", build);
    strcpy(at.folder, "/tmp/imp-bench-XXXXXX");
    if (!mkdtemp(at.folder))
        exit(3);
    snprintf(at.model, sizeof at.model, "%s/stacks.imp", at.folder);
    snprintf(at.out, sizeof at.out, "%s/stacks.txt", at.folder);
    double x = over(&at, &all, &each, &cpu);
    bench_line("four offset boxes drop, complementarity", cpu, "CPU s",
               "at most 0.1", cpu <= 0.1);
    bench_note("%.3g times what `sequential` takes", x);
    x = over(&at, &stack, &alone, &cpu);
    bench_line("16 boxes at rest in a stack over 16 alone", x, "", "at most 12",
               x <= 12);
    bench_note("%.3g s for 200 rows", cpu);
    x = over(&at, &many, &few, &cpu);
    bench_line("1000 boxes in stacks of 10 over 100", x, "", "at most 12",
               x <= 12);
    bench_note("%.3g s for 200 rows", cpu);
    unlink(at.model);
    unlink(at.out);
    rmdir(at.folder);
}
