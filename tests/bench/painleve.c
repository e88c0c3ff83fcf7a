/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paradoxes of friction: all that `painleve` tells of one point, and the whole
 * command at a state of a system; the wedge of spins that jam (specification
 * painleve.md, 8); a picture of 10^6 cells over the loads (a, b), with the
 * program's start and the drawing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/driver/commands.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "bench.h"
#include "runtime/friction/painleve.h"
#include "runtime/instance/record.h"
#include "runtime/setup/new_run.h"

#define REPEATS 7

/* -- one point --------------------------------------------------------------
 */

#define INSTANTS 20000

static void
points(void)
{
    double took[REPEATS], sum = 0;
    struct arena *arena = arena_new();
    struct painleve *found = malloc(sizeof *found);

    for (int pass = 0; pass < REPEATS; pass++) {
        double start = bench_cpu();
        for (int i = 0; i < INSTANTS; i++) {
            struct painleve_point in = {.A = 1.1,
                                        .B = 0.3,
                                        .C = 0.1,
                                        .a = (i % 200) / 50. - 1.99,
                                        .b = (i / 200) / 50. - 0.99,
                                        .a_terms = 2,
                                        .b_terms = 1,
                                        .mu = 0.4,
                                        .restitution = 0.5,
                                        .law = FRICTION_ENERGETIC};
            painleve_find(arena, &in, found);
            sum += found->choice.n;
            if (i % 64 == 63)
                arena_clear(arena);
        }
        took[pass] = 1e9 * (bench_cpu() - start) / INSTANTS;
    }
    double x = bench_median(took, REPEATS);
    bench_line("all that painleve tells of one point", x, "ns", "at most 500",
               x <= 500);
    bench_note("%.4g modes per point", sum / REPEATS / INSTANTS);
    free(found);
    arena_free(arena);
}

/* -- commands ---------------------------------------------------------------
 */

/* Runs command `number` `times` times. Returns the CPU seconds of one, and its
 * last record, which is in `kept`. */
static double
command(struct model *m, int number, int times, struct arena *kept,
        struct record **out)
{
    struct arena *arena = arena_new();
    struct analysis a = {.rt = m->rt, .ds = &m->s.ds, .commands = all_commands};
    const imp_image *im = m->s.image;
    const imp_command *c = IMP_ARRAY(im, im->commands, imp_command) + number;
    double begin = bench_cpu();

    for (int i = 0; i < times; i++) {
        if (i % 64 == 63)
            arena_clear(arena);
        *out = record_new(i == times - 1 ? kept : arena, im, c);
        rt_reset(m->rt);
        if (all_commands[c->id]->run(&a, c, *out)) {
            driver_print_messages(&m->s.ds, DIAG_TEXT);
            exit(3);
        }
    }
    double took = (bench_cpu() - begin) / times;
    arena_free(arena);
    return took;
}

/* A rod that slips on its tip at mu = 2. Its wedge at theta = 0.3 is known by
 * an integration of its linear equation (painleve.md, 8). */
static const char rod_text[] =
    "use painleve\n"
    "system rod : falling_rod(2, 0.3, 0.8 [1/s], 100 [m/s])\n"
    "let all = painleve rod.tip\n"
    "let jams = painleve rod.tip { over = theta  wedge = true }\n";
static const double rod_wedge[2] = {0.3270291328934, 1.2663629873};

/* The same rod as a body, and one with a bob on a hinge at its middle. */
static const char body_text[] =
    "use shapes\n"
    "world { gravity = (0, -9.81)  law = poisson }\n"
    "let th = 0.6\n"
    "let w = 0.4 [1/s]\n"
    "let R = 1.2 [m]\n"
    "let up = R*sin(th)\n"
    "let flies = (3 [m/s] + w*R*sin(th), w*R*cos(th))\n"
    "body floor : half_plane { fixed = true }\n"
    "body pole : polygon((-1.2, 0), (1.2, 0), (0, 1)) {\n"
    "  mass = 0.8  inertia = 0.2  centre = (0, 0)  angle = -th\n"
    "  position = (0, up)  velocity = flies  spin = -w }\n"
    "contact corner : floor | pole { friction = 1.6  restitution = 0.4 }\n";
static const char bob_text[] =
    "body bob : circle(0.05) { mass = 0.1  inertia = 0.001\n"
    "  position = (0, up - 0.2 [m])  velocity = flies }\n"
    "joint pin : hinge(bob, pole) { at = (0, up) }\n";
static const char asks_text[] =
    "let jams = painleve corner { over = pole.angle  wedge = true }\n";

/* The wedge of a body, alone or in a joint. */
static void
wedge_of_body(bool jointed)
{
    double took[REPEATS];
    struct model m;
    struct record *r;
    struct arena *kept = arena_new();
    char text[2000];

    snprintf(text, sizeof text, "%s%s%s", body_text, jointed ? bob_text : "",
             asks_text);
    bench_model(&m, text, 2);
    for (int i = 0; i < REPEATS; i++)
        took[i] = 1e3 * command(&m, 0, 5, kept, &r);
    int field = record_index(r, "wedge");
    bench_line(jointed ? "wedge of a body in a joint" : "wedge of a free body",
               bench_median(took, REPEATS), "ms", "",
               field >= 0 && r->v[field].n == 2);
    arena_free(kept);
    bench_model_free(&m);
}

static void
commands(void)
{
    double took[REPEATS];
    struct model m;
    struct record *r;
    struct arena *kept = arena_new();

    bench_model(&m, rod_text, 2);
    for (int i = 0; i < REPEATS; i++)
        took[i] = 1e9 * command(&m, 0, 2000, kept, &r);
    double x = bench_median(took, REPEATS);
    bench_line("painleve of a rod at a state: the command", x, "ns", "", true);
    for (int i = 0; i < REPEATS; i++)
        took[i] = 1e3 * command(&m, 1, 5, kept, &r);
    x = bench_median(took, REPEATS);
    bench_line("wedge of the jam at one mu", x, "ms", "at most 5", x <= 5);
    int field = record_index(r, "wedge");
    double error = INFINITY;
    if (field >= 0 && r->v[field].n == 2)
        error = fmax(fabs(r->v[field].num[0] - rod_wedge[0]),
                     fabs(r->v[field].num[1] - rod_wedge[1]));
    bench_line("    its edges", error, "1/s", "at most 1e-8", error <= 1e-8);
    arena_free(kept);
    bench_model_free(&m);
    wedge_of_body(false);
    wedge_of_body(true);
}

/* -- a picture ---------------------------------------------------------------
 */

static const char picture_text[] =
    "use painleve\n"
    "param a = 1 in [-2, 4]\n"
    "param b = 0.1 in [-1, 1]\n"
    "system load : contact_point(1.1, 0.3, 0.1, a, b, 0.4, 0, 0)\n"
    "let cells = sweep {\n"
    "  over = (a in linspace(-1.95, 3.9, 1000), b in linspace(-0.95, 0.95, "
    "1000))\n"
    "  run = painleve load.touch  record = cell }\n"
    "plot cells.cell { against = (cells.a, cells.b)  file = \"cells.svg\" }\n";

static void
picture(const char *folder)
{
    char imp[4200], dir[] = "/tmp/imp-bench-XXXXXX", model[80], out[80],
        shown[80];
    double took[3], cpu[3];

    snprintf(imp, sizeof imp, "%s/imp", folder);
    if (!mkdtemp(dir))
        exit(3);
    snprintf(model, sizeof model, "%s/cells.imp", dir);
    snprintf(out, sizeof out, "--out=%s", dir);
    snprintf(shown, sizeof shown, "%s/shown", dir);
    FILE *f = fopen(model, "w");
    if (!f || fputs(picture_text, f) < 0 || fclose(f))
        exit(3);
    char *args[] = {"run", model, out, "--threads=2", NULL};
    for (int i = 0; i < 3; i++) {
        struct bench_spent spent = bench_run(imp, args, shown);
        took[i] = spent.wall;
        cpu[i] = spent.cpu;
    }
    double x = bench_median(took, 3);
    bench_line("10^6 cells over (a, b) with their picture", x, "s",
               "at most 1 on two cores", x <= 1);
    bench_note("%.3g s of processor time", bench_median(cpu, 3));
    unlink(model);
    unlink(shown);
    snprintf(model, sizeof model, "%s/cells.svg", dir);
    unlink(model);
    rmdir(dir);
}

void
bench_painleve(const char *folder)
{
    points();
    commands();
    picture(folder);
}
