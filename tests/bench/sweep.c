/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts over the plane of radii of gyration and restitutions, through the
 * whole program, CSV included: the whole plane that bodies on feet can have, 0
 * < rho <= 1 and 0 < gamma < 1; alone, and with the number of impacts, for
 * which the limits must be known to rounding. And a smaller one with its
 * picture. Audited: all verdicts alone against those with impacts, and rows of
 * the latter against `chatter` asked once with the params of the row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define REPEATS 3
#define SIDE 1000
#define SAMPLES 16 /* rows that are audited */

static const char head[] = "use chatter\n"
                           "param rho = 0.3 in [0.001, 1]\n"
                           "param gamma = 0.1 in [0.001, 0.999]\n";

static void
give_up(const char *what)
{
    fprintf(stderr, "imp-bench: sweep: %s\n", what);
    exit(3);
}

static void
put_file(const char *path, const char *a, const char *b, const char *c)
{
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%s%s%s", a, b, c) < 0 || fclose(f))
        give_up("cannot write a model");
}

static void
slurp(const char *path, char *to, size_t most)
{
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(to, 1, most - 1, f) : 0;
    to[n] = 0;
    if (!f || fclose(f))
        give_up("cannot read what a run wrote");
}

/* rows of the file that a single run contradicts */
static int
audit(const char *imp, const char *folder, const char *system)
{
    char csv[300], model[300], out[300], line[256], text[4096], want[300];
    char rho[64], gamma[64], verdict[64], impacts[64];
    long row = 0;
    int wrong = 0, next = 0;
    snprintf(csv, sizeof csv, "%s/plane.csv", folder);
    snprintf(model, sizeof model, "%s/one.imp", folder);
    snprintf(out, sizeof out, "%s/one.txt", folder);
    put_file(model, head, system,
             "let r = chatter s\nshow r.verdict, r.impacts\n");
    FILE *f = fopen(csv, "r");
    if (!f || !fgets(line, sizeof line, f))
        give_up("no file of the sweep");
    for (; fgets(line, sizeof line, f); row++) {
        char set[2][80];
        if (row != (long)next * (SIDE * SIDE - 1) / (SAMPLES - 1))
            continue;
        next++;
        if (sscanf(line, "%63[^,],%63[^,],%63[^,],%63[^,\n]", rho, gamma,
                   verdict, impacts) != 4)
            give_up("a row is not one");
        snprintf(set[0], sizeof set[0], "--set=rho=%s", rho);
        snprintf(set[1], sizeof set[1], "--set=gamma=%s", gamma);
        bench_run(imp, (char *[]){"run", set[0], set[1], model, NULL}, out);
        slurp(out, text, sizeof text);
        snprintf(want, sizeof want, "r.verdict = %s\nr.impacts = %s\n", verdict,
                 impacts);
        wrong += strcmp(text, want) != 0;
    }
    fclose(f);
    return row == SIDE * SIDE ? wrong : SAMPLES;
}

/* the sweep that records this; median of verdicts per second, us of processor
 * time per verdict */
static void
sweep_of(const char *imp, const char *folder, const char *system,
         const char *record, double *rate, double *cpu)
{
    char model[300], out[300], dir[300], sweep[400];
    double rates[REPEATS], cpus[REPEATS];
    snprintf(model, sizeof model, "%s/plane.imp", folder);
    snprintf(out, sizeof out, "%s/plane.txt", folder);
    snprintf(dir, sizeof dir, "--out=%s", folder);
    snprintf(sweep, sizeof sweep,
             "let p = sweep {\n"
             "  over = (rho in linspace(0.001, 1, %d),\n"
             "          gamma in linspace(0.001, 0.999, %d))\n"
             "  run = chatter s  record = %s\n"
             "  save = \"plane.csv\"\n}\n",
             SIDE, SIDE, record);
    put_file(model, head, system, sweep);
    for (int k = 0; k < REPEATS; k++) {
        struct bench_spent s = bench_run(
            imp, (char *[]){"run", dir, "--threads=2", model, NULL}, out);
        rates[k] = SIDE * SIDE / s.wall;
        cpus[k] = 1e6 * s.cpu / (SIDE * SIDE);
    }
    *rate = bench_median(rates, REPEATS);
    *cpu = bench_median(cpus, REPEATS);
}

/* rows of both sweeps whose verdicts differ; what they are sorted by is equal
 */
static long
differ(const char *folder)
{
    char path[2][300], line[2][256], *verdict[2];
    FILE *f[2];
    long wrong = 0, rows = 0;
    snprintf(path[0], sizeof path[0], "%s/alone.csv", folder);
    snprintf(path[1], sizeof path[1], "%s/plane.csv", folder);
    for (int k = 0; k < 2; k++)
        if (!(f[k] = fopen(path[k], "r")) || !fgets(line[k], 256, f[k]))
            give_up("no file of the sweep");
    while (fgets(line[0], 256, f[0]) && fgets(line[1], 256, f[1])) {
        for (int k = 0; k < 2; k++) {
            verdict[k] = line[k];
            for (int comma = 0; comma < 3 && verdict[k]; comma++) {
                verdict[k] = strchr(verdict[k], ',');
                verdict[k] += verdict[k] != NULL;
            }
            if (!verdict[k])
                give_up("a row is not one");
            verdict[k][-1] = 0;
        }
        wrong += strcmp(line[0], line[1]) != 0;
        rows++;
    }
    fclose(f[0]);
    fclose(f[1]);
    return rows == SIDE * SIDE ? wrong : SIDE * SIDE;
}

static void
keep_alone(const char *folder)
{
    char from[300], to[300];
    snprintf(from, sizeof from, "%s/plane.csv", folder);
    snprintf(to, sizeof to, "%s/alone.csv", folder);
    if (rename(from, to))
        give_up("no file of the sweep");
}

static void
plane(const char *imp, const char *folder, const char *name, const char *system)
{
    char text[80];
    double rate, cpu;
    sweep_of(imp, folder, system, "verdict", &rate, &cpu);
    snprintf(text, sizeof text, "%s, verdicts of a sweep, two threads", name);
    bench_line(text, rate, "1/s", ">= 1e6", rate >= 1e6);
    bench_note("processor time %.2f us each", cpu);
    keep_alone(folder);
    sweep_of(imp, folder, system, "(verdict, impacts)", &rate, &cpu);
    snprintf(text, sizeof text, "%s, verdicts with impacts", name);
    bench_line(text, rate, "1/s", "", true);
    bench_note("processor time %.2f us each", cpu);
    snprintf(text, sizeof text, "%s, verdicts alone that differ", name);
    long other = differ(folder);
    bench_line(text, (double)other, "", "0", other == 0);
    snprintf(text, sizeof text, "%s, rows unlike single runs", name);
    int wrong = audit(imp, folder, system);
    bench_line(text, wrong, "", "0", wrong == 0);
}

static void
picture(const char *imp, const char *folder)
{
    static const char sweep[] =
        "let p = sweep {\n"
        "  over = (rho in linspace(0.005, 1, 200),\n"
        "          gamma in linspace(0.005, 0.995, 200))\n"
        "  run = chatter s  record = verdict\n}\n"
        "plot p.verdict { against = (p.rho, p.gamma) file = \"map.svg\" }\n";
    char model[300], out[300], dir[300];
    double took[REPEATS], cpu[REPEATS];
    snprintf(model, sizeof model, "%s/map.imp", folder);
    snprintf(out, sizeof out, "%s/map.txt", folder);
    snprintf(dir, sizeof dir, "--out=%s", folder);
    put_file(model, head, "system s : feet(4, rho, gamma)\n", sweep);
    for (int k = 0; k < REPEATS; k++) {
        struct bench_spent s =
            bench_run(imp, (char *[]){"run", dir, model, NULL}, out);
        took[k] = s.wall;
        cpu[k] = s.cpu;
    }
    double t = bench_median(took, REPEATS);
    bench_line("200 x 200 verdicts with picture", t, "s", "<= 2", t <= 2.0);
    bench_note("processor time %.2f s", bench_median(cpu, REPEATS));
}

void
bench_sweep(const char *build)
{
    char imp[4200], folder[] = "/tmp/imp-bench-XXXXXX", cmd[128];
    snprintf(imp, sizeof imp, "%s/imp", build);
    if (!mkdtemp(folder))
        give_up("no folder");
    plane(imp, folder, "rod", "system s : small_rod(rho, gamma)\n");
    plane(imp, folder, "square", "system s : feet(4, rho, gamma)\n");
    picture(imp, folder);
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", folder);
    if (system(cmd))
        exit(3);
}
