/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp-bench [top|gyro|gap|classify|process|multi|linkage|line|sweep|box|
 * friction|painleve|drops|stacks|many ...]: all without arguments. Exit status 1 when a
 * promise was not kept.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "bench.h"
#include "cli/code/jit.h"
#include "runtime/setup/new_run.h"

static int broken;

double
bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
bench_cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double
bench_median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

void
bench_line(const char *name, double value, const char *unit,
           const char *promise, bool ok)
{
    printf("%-44s %12.4g %-10s %s%s\n", name, value, unit, promise,
           ok ? "" : "   NOT KEPT");
    fflush(stdout);
    broken |= !ok;
}

void
bench_note(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    printf("    ");
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
}

static void
give_up(struct model *m)
{
    driver_print_messages(&m->s.ds, DIAG_TEXT);
    exit(3);
}

void
bench_model(struct model *m, const char *text, int opt)
{
    struct session_options o;

    session_defaults(&o);
    o.opt = opt < 0 ? 0 : opt;
    o.cache = false;
    o.backend = opt < 0 ? SESSION_EVAL : SESSION_JIT;
    memset(m, 0, sizeof *m);
    session_open(&m->s, &o);
    session_add_text(&m->s, "<bench>", text, strlen(text), false);
    if (session_check(&m->s) || session_compile(&m->s) || session_code(&m->s))
        give_up(m);
    m->code = model_code_table(m->s.code);
    m->rt = rt_new(m->s.image, m->code, m->s.params, &m->s.ds, NULL);
    if (!m->rt)
        give_up(m);
}

void
bench_model_free(struct model *m)
{
    rt_free(m->rt);
    session_close(&m->s);
}

uint32_t
bench_param(const struct model *m, const char *name)
{
    uint32_t i = driver_find_param(m->s.image, name, strlen(name));

    if (i == UINT32_MAX)
        abort();
    return i;
}

double
bench_uniform(struct bench_random *r, double lo, double hi)
{
    /* splitmix64 */
    unsigned long long z = r->s += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

extern char **environ;

struct bench_spent
bench_run(const char *imp, char *const *args, const char *to)
{
    char *argv[12] = {(char *)(uintptr_t)imp};
    posix_spawn_file_actions_t fa;
    struct rusage used;
    int status = 0;
    pid_t pid;

    for (int n = 1; *args; args++)
        argv[n++] = *args;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 1, to, O_WRONLY | O_CREAT | O_TRUNC,
                                     0644);
    double start = bench_now();
    if (posix_spawn(&pid, imp, &fa, NULL, argv, environ) ||
        wait4(pid, &status, 0, &used) < 0 || status) {
        fprintf(stderr, "imp-bench: %s %s failed\n", imp, argv[1]);
        exit(3);
    }
    posix_spawn_file_actions_destroy(&fa);
    return (struct bench_spent){
        bench_now() - start,
        (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec)};
}

static void
print_machine(void)
{
    char line[256], host[64] = "";
    FILE *f = fopen("/proc/cpuinfo", "r");

    gethostname(host, sizeof host - 1);
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!strncmp(line, "model name", 10) && colon) {
            line[strcspn(line, "\n")] = 0;
            printf("%s,%s, %ld cores\n", host, colon + 1,
                   sysconf(_SC_NPROCESSORS_ONLN));
            break;
        }
    }
    if (f)
        fclose(f);
}

int
main(int argc, char **argv)
{
    char folder[4096];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);

    if (n < 0)
        return 3;
    folder[n] = 0;
    *strrchr(folder, '/') = 0;
    print_machine();
    for (int i = 1; i < argc || i == 1; i++) {
        const char *what = argc > 1 ? argv[i] : "all";
        bool all = !strcmp(what, "all"), any = all;
        if (all || !strcmp(what, "process"))
            bench_process(folder), any = true;
        if (all || !strcmp(what, "gap"))
            bench_gap(), any = true;
        if (all || !strcmp(what, "classify"))
            bench_classify(), any = true;
        if (all || !strcmp(what, "top"))
            bench_top(), any = true;
        if (all || !strcmp(what, "gyro"))
            bench_gyro(), any = true;
        if (all || !strcmp(what, "multi"))
            bench_multi(), any = true;
        if (all || !strcmp(what, "linkage"))
            bench_linkage(), any = true;
        if (all || !strcmp(what, "line"))
            bench_chatter(), any = true;
        if (all || !strcmp(what, "sweep"))
            bench_sweep(folder), any = true;
        if (all || !strcmp(what, "box"))
            bench_box(), any = true;
        if (all || !strcmp(what, "friction"))
            bench_friction(), any = true;
        if (all || !strcmp(what, "painleve"))
            bench_painleve(folder), any = true;
        if (all || !strcmp(what, "drops"))
            bench_drops(folder), any = true;
        if (all || !strcmp(what, "stacks"))
            bench_stacks(folder), any = true;
        if (all || !strcmp(what, "many"))
            bench_many(folder), any = true;
        if (!any) {
            fprintf(stderr,
                    "imp-bench: no benchmark `%s`; there are process, "
                    "gap, classify, top, gyro, multi, linkage, line, sweep, "
                    "box, friction, painleve, drops, stacks, many\n",
                    what);
            return 2;
        }
    }
    return broken;
}
