/* SPDX-License-Identifier: MIT */
/* main of standalone simulators: the compiled model's image and code are in
 * the same executable (symbols of abi/image.h, made by codegen/). Flags, then
 * the run that `imp run` does too (analysis/driver/driver.h). Lies in
 * libimprt.a and is linked by no other program: they all have a main of their
 * own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/lists.h"
#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/num.h"
#include "base/source.h"
#include "base/stack.h"
#include "output/out.h"

extern const unsigned char imp_model_image[];
extern const imp_code imp_model_code;

static const struct flag {
    const char *name, *arg, *doc;
} flags[] = {
    {"help", NULL, "print this"},
    {"json", NULL, "one JSON object per command and line"},
    {"out", "DIR", "folder for files and plots; without it none is written"},
    {"set", "NAME=VALUE", "give a param a value, as --NAME does"},
    {"seed", "N", "seed of random numbers"},
    {"run", "N", "starts are drawn as in this run of a sweep (0)"},
    {"data", "NAME=FILE", "read data of the model from another file"},
    {"threads", "N", "threads of a sweep (as many as processors)"},
    {"resume", NULL, "go on with a sweep that was ended early"},
    {"diagnostics", "text|lines|json", "form of messages (text)"},
};
enum {
    FLAG_HELP,
    FLAG_JSON,
    FLAG_OUT,
    FLAG_SET,
    FLAG_SEED,
    FLAG_RUN,
    FLAG_DATA,
    FLAG_THREADS,
    FLAG_RESUME,
    FLAG_DIAG,
    N_FLAGS
};

struct simulation {
    const imp_image *im;
    struct arena *arena;
    struct sources *sources;
    struct diags ds;
    struct driver_options o;
    enum diag_format format;
    double *params;
    struct data_columns *data;
    bool help;
};

static int
find_flag(const char *name, size_t n)
{
    for (int i = 0; i < N_FLAGS; i++)
        if (strlen(flags[i].name) == n && !memcmp(flags[i].name, name, n))
            return i;
    return -1;
}

/* ---- help ---------------------------------------------------------------- */

static void
help_param(struct buf *buf, const imp_image *im, const imp_param *param)
{
    char lo[NUM_TEXT], hi[NUM_TEXT], digits[NUM_TEXT];
    const char *name = imp_text(im, param->name);
    bool taken = find_flag(name, strlen(name)) >= 0;

    buf_printf(buf, taken ? "  --set %s=X\n" : "  --%s X\n", name);
    if (param->doc.n)
        buf_printf(buf, "      %s\n", imp_text(im, param->doc));
    buf_printf(buf, "      default %s%s%s", num_shortest(digits, param->dflt),
               param->unit.n ? " " : "", imp_text(im, param->unit));
    if (param->has_range)
        buf_printf(buf, ", from %s to %s", num_shortest(lo, param->lo),
                   num_shortest(hi, param->hi));
    buf_puts(buf, "\n");
}

static void
help_data(struct buf *buf, const imp_image *im)
{
    const imp_table *table = IMP_ARRAY(im, im->tables, imp_table);
    if (im->tables.n)
        buf_puts(buf, "\ndata, which --data can replace:\n");
    for (uint32_t i = 0; i < im->tables.n; i++) {
        const imp_table_column *column =
            IMP_ARRAY(im, table[i].columns, imp_table_column);
        buf_printf(buf, "  %s: %s, columns", imp_text(im, table[i].name),
                   imp_text(im, table[i].file));
        for (uint32_t c = 0; c < table[i].columns.n; c++)
            buf_printf(buf, "%s \"%s\"", c ? "," : "",
                       imp_text(im, column[c].header));
        buf_puts(buf, "\n");
    }
}

static int
help(struct simulation *simulation, const char *program)
{
    const imp_image *im = simulation->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    const char *base = strrchr(program, '/');
    struct buf buf = {0};
    uint32_t fixed = 0;

    buf_printf(&buf,
               "usage: %s [OPTIONS]\n\nSimulates the model %s. Made by Imp.\n",
               base ? base + 1 : program, imp_text(im, im->name));
    buf_puts(&buf, "\noptions:\n");
    for (int i = 0; i < N_FLAGS; i++) {
        char left[48];
        snprintf(left, sizeof left, "--%s%s%s", flags[i].name,
                 flags[i].arg ? " " : "", flags[i].arg ? flags[i].arg : "");
        buf_printf(&buf, "  %-32s %s\n", left, flags[i].doc);
    }
    for (uint32_t i = 0; i < im->params.n; i++)
        fixed += param[i].structural != 0;
    if (fixed < im->params.n)
        buf_puts(&buf, "\nparams (X: a number in SI units, or with its unit as "
                       "'3 [mm]'):\n");
    for (uint32_t i = 0; i < im->params.n; i++)
        if (!param[i].structural)
            help_param(&buf, im, param + i);
    if (fixed)
        buf_puts(&buf, "\nfixed when the simulator was built:\n");
    for (uint32_t i = 0; i < im->params.n; i++)
        if (param[i].structural)
            buf_printf(&buf, "  %s = %s%s%s\n", imp_text(im, param[i].name),
                       num_shortest((char[NUM_TEXT]){0}, param[i].dflt),
                       param[i].doc.n ? ": " : "", imp_text(im, param[i].doc));
    help_data(&buf, im);
    buf_puts(&buf,
             "\nexit status: 0 fine; 1 an `expect` failed; 2 the model or "
             "the command line\nis wrong; 3 the computation failed\n");
    struct output output = {.error = io_write(STDOUT_FILENO, buf.s, buf.n)};
    buf_free(&buf);
    return out_check(&output, &simulation->ds) == IMP_OK ? IMP_EXIT_OK
                                                         : IMP_EXIT_RUN;
}

/* ---- flags --------------------------------------------------------------- */

static bool
unknown_flag(struct simulation *simulation, const char *word, const char *name)
{
    const imp_image *im = simulation->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    const char **names =
        NEW_N(simulation->arena, const char *, im->params.n + N_FLAGS);
    size_t n = 0;

    for (int i = 0; i < N_FLAGS; i++)
        names[n++] = flags[i].name;
    for (uint32_t i = 0; i < im->params.n; i++)
        names[n++] = imp_text(im, param[i].name);
    const char *near = suggest(name, names, n);
    struct diag *diag = diag_add(&simulation->ds, DIAG_E0802, IMP_NOWHERE,
                                 "there is no option `%s`", word);
    if (near)
        diag_help(&simulation->ds, diag, "did you mean `--%s`?", near);
    else
        diag_help(&simulation->ds, diag,
                  "`--help` lists all options and params");
    return false;
}

static bool
set_pair(struct simulation *simulation, const char *text)
{
    const char *eq = strchr(text, '=');

    if (!eq || eq == text || !eq[1]) {
        struct diag *diag =
            diag_add(&simulation->ds, DIAG_E0811, IMP_NOWHERE,
                     "`--set` wants NAME=VALUE; found `%s`", text);
        diag_help(&simulation->ds, diag, "as in `--set gamma=0.4`");
        return false;
    }
    return driver_set(
        simulation->im, simulation->params,
        arena_strndup(simulation->arena, text, (size_t)(eq - text)), eq + 1,
        &simulation->ds);
}

/* Reads a whole number from 0 to 2^53 into *number; false: it has been told
 * that it is none. */
static bool
read_whole(struct simulation *simulation, const char *flag, const char *text,
           double *number)
{
    size_t n = strlen(text);
    if (n && num_read(text, n, number) == n && *number >= 0 &&
        *number <= 9007199254740992.0 && *number == (double)(long long)*number)
        return true;
    diag_add(&simulation->ds, DIAG_E0804, IMP_NOWHERE,
             "`--%s` takes a whole number from 0 to 2^53; found `%s`", flag,
             text);
    return false;
}

static bool
set_seed(struct simulation *simulation, const char *text)
{
    if (!read_whole(simulation, "seed", text, &simulation->o.seed))
        return false;
    simulation->o.has_seed = true;
    return true;
}

static bool
set_run(struct simulation *simulation, const char *text)
{
    double number;
    if (!read_whole(simulation, "run", text, &number))
        return false;
    simulation->o.run = (uint64_t)number;
    return true;
}

static bool
set_threads(struct simulation *simulation, const char *text)
{
    double x = 0;
    size_t n = strlen(text);

    if (!n || num_read(text, n, &x) != n || !(x >= 1) || x > 256 ||
        x != (double)(int)x) {
        diag_add(&simulation->ds, DIAG_E0804, IMP_NOWHERE,
                 "`--threads` takes a whole number from 1 to 256; found `%s`",
                 text);
        return false;
    }
    simulation->o.sweeps.threads = (int)x;
    return true;
}

static bool
apply(struct simulation *simulation, int flag, const char *value)
{
    switch (flag) {
    case FLAG_HELP:
        simulation->help = true;
        return true;
    case FLAG_JSON:
        simulation->o.json = true;
        return true;
    case FLAG_OUT:
        if (!value[0]) {
            diag_add(&simulation->ds, DIAG_E0804, IMP_NOWHERE,
                     "`--out` takes the name of a folder");
            return false;
        }
        simulation->o.out_dir = value;
        return true;
    case FLAG_SET:
        return set_pair(simulation, value);
    case FLAG_SEED:
        return set_seed(simulation, value);
    case FLAG_RUN:
        return set_run(simulation, value);
    case FLAG_DATA:
        return driver_data(simulation->im, simulation->sources,
                           simulation->arena, value, driver_hdf5_tables,
                           &simulation->data, &simulation->ds);
    case FLAG_THREADS:
        return set_threads(simulation, value);
    case FLAG_RESUME:
        simulation->o.sweeps.resume = true;
        return true;
    default:
        if (driver_message_format(value, &simulation->format))
            return true;
        diag_add(&simulation->ds, DIAG_E0804, IMP_NOWHERE,
                 "`--diagnostics` takes text, lines or json; found `%s`",
                 value);
        return false;
    }
}

/* Reads one word of the command line, with its value. Returns false after a
 * diagnostic. */
static bool
read_flag(struct simulation *simulation, int argc, char **argv, int *which)
{
    const char *word = argv[*which], *name = word + 2;

    if (strncmp(word, "--", 2) || !*name) {
        struct diag *diag =
            diag_add(&simulation->ds, DIAG_E0822, IMP_NOWHERE,
                     "`%s` is no option: a simulator takes options only", word);
        diag_help(&simulation->ds, diag, "`--help` lists them");
        return false;
    }
    const char *eq = strchr(name, '=');
    size_t n = eq ? (size_t)(eq - name) : strlen(name);
    int flag = find_flag(name, n);
    const char *value = eq ? eq + 1 : NULL;
    name = arena_strndup(simulation->arena, name, n);
    if (flag < 0 && driver_find_param(simulation->im, name, n) == UINT32_MAX) {
        /* what looks like its value is not a mistake of its own */
        if (!eq && *which + 1 < argc && strncmp(argv[*which + 1], "--", 2))
            ++*which;
        return unknown_flag(simulation, word, name);
    }
    bool wants = flag < 0 || flags[flag].arg;
    if (wants && !value && *which + 1 < argc)
        value = argv[++*which];
    if (wants != (value != NULL)) {
        diag_add(&simulation->ds, DIAG_E0803, IMP_NOWHERE,
                 wants ? "option `--%s` needs a value"
                       : "option `--%s` takes no value",
                 name);
        return false;
    }
    if (flag < 0)
        return driver_set(simulation->im, simulation->params, name, value,
                          &simulation->ds);
    return apply(simulation, flag, value);
}

static int
run(struct simulation *simulation, int argc, char **argv)
{
    bool ok = true;

    simulation->params =
        NEW_N(simulation->arena, double, driver_n_params(simulation->im) + 1);
    driver_defaults(simulation->im, simulation->params);
    for (int i = 1; i < argc; i++)
        ok &= read_flag(simulation, argc, argv, &i);
    if (!ok)
        return IMP_EXIT_MODEL;
    if (simulation->help)
        return help(simulation, argc ? argv[0] : "simulator");
    if (simulation->o.sweeps.resume && !simulation->o.out_dir) {
        struct diag *diag = diag_add(&simulation->ds, DIAG_E0822, IMP_NOWHERE,
                                     "`--resume` needs `--out DIR`");
        diag_help(&simulation->ds, diag,
                  "name the folder that the sweep has been kept in");
        return IMP_EXIT_MODEL;
    }
    simulation->o.data = simulation->data;
    simulation->o.stop = driver_signals();
    simulation->o.hdf5 = driver_hdf5;
    simulation->o.sweeps.progress = isatty(STDERR_FILENO);
    return driver_run(simulation->im, &imp_model_code, simulation->params,
                      &simulation->o, &simulation->ds);
}

struct call {
    int argc;
    char **argv;
};

static int
whole(void *ctx)
{
    const struct call *call = ctx;
    struct simulation simulation = {
        .im = (const imp_image *)(const void *)imp_model_image};
    struct oom_guard guard;
    int status;

    if (setjmp(guard.env)) {
        const char *text = oom_stopped()
                               ? "error[E0717]: stopped before the run began\n"
                               : "error[E0817]: out of memory\n";
        ssize_t w = write(STDERR_FILENO, text, strlen(text));
        (void)w;
        return IMP_EXIT_RUN;
    }
    oom_enter(&guard);
    simulation.arena = arena_new();
    simulation.sources = driver_sources(simulation.im, simulation.arena);
    diags_init(&simulation.ds, simulation.arena, simulation.sources);
    status = run(&simulation, call->argc, call->argv);
    driver_print_messages(&simulation.ds, simulation.format);
    oom_leave(&guard);
    arena_free(simulation.arena);
    return status;
}

int
main(int argc, char **argv)
{
    struct call call = {argc, argv};

    io_open_standard();
    return stack_call(whole, &call);
}
