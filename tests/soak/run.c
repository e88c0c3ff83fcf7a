/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a text of Imp in a child process. */
#include "run.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A hang that takes no processor time must end too. */
enum { WALL_SECONDS = 300 };

static char *
read_all(FILE *in)
{
    long size = (fseek(in, 0, SEEK_END), ftell(in));
    char *text = calloc((size_t)size + 1, 1);
    rewind(in);
    if (fread(text, 1, (size_t)size, in) != (size_t)size)
        text[0] = 0;
    return text;
}

static _Noreturn void
child(const struct runner *runner, char *const arguments[], FILE *in, FILE *out,
      FILE *err)
{
    struct rlimit time = {runner->seconds, runner->seconds};
    struct rlimit memory = {runner->memory, runner->memory}, core = {0, 0};
    setrlimit(RLIMIT_CPU, &time);
    if (runner->memory)
        setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
    alarm(WALL_SECONDS);
    dup2(fileno(in), 0);
    dup2(fileno(out), 1);
    dup2(fileno(err), 2);
    execv(arguments[0], arguments);
    _exit(127);
}

static void
start(const struct runner *runner, char *const arguments[], FILE *in,
      struct result *result)
{
    FILE *out = tmpfile(), *err = tmpfile();
    if (!in || !out || !err) {
        perror("soak: temporary file");
        exit(3);
    }
    fflush(NULL);
    rewind(in);
    pid_t pid = fork();
    if (pid == 0)
        child(runner, arguments, in, out, err);
    int state = 0;
    if (pid < 0 || waitpid(pid, &state, 0) != pid) {
        perror("soak: child process");
        exit(3);
    }
    if (WIFSIGNALED(state)) {
        result->signal = WTERMSIG(state);
        result->status = result->signal == SIGXCPU ||
                                 result->signal == SIGALRM ||
                                 result->signal == SIGKILL
                             ? EXIT_TIME
                             : EXIT_SIGNAL;
    } else {
        result->status = WEXITSTATUS(state);
    }
    result->out = read_all(out);
    result->err = read_all(err);
    fclose(out);
    fclose(err);
    if (result->status == 127) {
        fprintf(stderr, "soak: cannot run %s\n", arguments[0]);
        exit(3);
    }
}

/* Builds a simulator from the text and runs it. */
static void
run_simulator(const struct runner *runner, FILE *in, struct result *result)
{
    char path[] = "/tmp/imp-soak-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror("soak: temporary file");
        exit(3);
    }
    close(file);
    char *build[] = {(char *)runner->imp, "build", "-", "-o", path, NULL};
    start(runner, build, in, result);
    if (result->status == 0) {
        char *simulator[] = {path, "--json", NULL};
        result_free(result);
        *result = (struct result){0};
        start(runner, simulator, in, result);
    }
    unlink(path);
}

char *
run_format(const struct runner *runner, char *text)
{
    struct result result = {0};
    char *arguments[] = {(char *)runner->imp, "fmt", "--stdout", "-", NULL};
    FILE *in = tmpfile();
    if (!in || fputs(text, in) < 0) {
        perror("soak: temporary file");
        exit(3);
    }
    start(runner, arguments, in, &result);
    fclose(in);
    free(text);
    char *out = result.status ? calloc(1, 1) : result.out;
    if (!result.status)
        result.out = NULL;
    result_free(&result);
    return out;
}

void
run_text(const struct runner *runner, const char *text, struct result *result)
{
    *result = (struct result){.sums_until = INFINITY};
    FILE *in = tmpfile();
    if (!in || fputs(text, in) < 0) {
        perror("soak: temporary file");
        exit(3);
    }
    if (!strcmp(runner->backend, "build")) {
        run_simulator(runner, in, result);
    } else {
        char backend[32], opt[16], threads[32], folder[64];
        snprintf(folder, sizeof folder, "--allow-read=%s",
                 runner->folder ? runner->folder : ".");
        snprintf(threads, sizeof threads, "--threads=%d", runner->threads);
        snprintf(backend, sizeof backend, "--backend=%s", runner->backend);
        snprintf(opt, sizeof opt, "--opt=%d", runner->opt);
        bool jit = !strcmp(runner->backend, "jit");
        char *arguments[] = {(char *)runner->imp,
                             "run",
                             runner->plain ? "--diagnostics=lines" : "--json",
                             "--no-cache",
                             "--diagnostics=lines",
                             folder,
                             "-",
                             backend,
                             jit ? opt : NULL,
                             NULL,
                             NULL};
        if (runner->threads)
            arguments[jit ? 9 : 8] = threads;
        start(runner, arguments, in, result);
    }
    fclose(in);
}
