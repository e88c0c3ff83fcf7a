/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options common to all that run a model. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/num.h"
#include "cli/session/runopts.h"

static bool
is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool
add_set(struct session_options *options, const char *text)
{
    const char *eq = strchr(text, '=');

    if (!eq || eq == text || eq[1] == 0) {
        cli_error(DIAG_E0811, "as in `--set gamma=0.4` or `--set 'l=3 [mm]'`",
                  "`--set` wants NAME=VALUE; found `%s`", text);
        return false;
    }
    size_t n = (size_t)(eq - text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    char *name = mem_alloc(n + 1);
    memcpy(name, text, n);
    /* the last value given for a name counts */
    for (size_t i = 0; i < options->n_sets; i++)
        if (strcmp(options->sets[i].name, name) == 0) {
            free(name);
            free((char *)options->sets[i].value);
            options->sets[i].value = NULL;
            char *v = mem_alloc(strlen(eq + 1) + 1);
            memcpy(v, eq + 1, strlen(eq + 1));
            options->sets[i].value = v;
            return true;
        }
    struct session_set *sets = mem_alloc((options->n_sets + 1) * sizeof *sets);
    if (options->n_sets)
        memcpy(sets, options->sets, options->n_sets * sizeof *sets);
    char *value = mem_alloc(strlen(eq + 1) + 1);
    memcpy(value, eq + 1, strlen(eq + 1));
    sets[options->n_sets] = (struct session_set){.name = name, .value = value};
    free(options->sets);
    options->sets = sets;
    options->n_sets++;
    return true;
}

/* The text is one of the command line, and stays. */
static void
add_data(struct session_options *options, const char *text)
{
    const char **data = mem_alloc((options->n_data + 1) * sizeof *data);
    if (options->n_data)
        memcpy(data, options->data, options->n_data * sizeof *data);
    data[options->n_data++] = text;
    free(options->data);
    options->data = data;
}

/* Reads a whole number from 0 to 2^53 into *number; false: it has been told
 * that it is none. */
static bool
read_whole(const char *option, const char *value, double *number)
{
    size_t n = strlen(value);
    if (n > 0 && num_read(value, n, number) == n && *number >= 0 &&
        *number <= 9007199254740992.0 && *number == (double)(long long)*number)
        return true;
    cli_error(DIAG_E0804, NULL,
              "`%s` takes a whole number from 0 to 2^53; found `%s`", option,
              value);
    return false;
}

static bool
read_seed(struct session_options *options, const char *value)
{
    double seed;
    if (!read_whole("--seed", value, &seed))
        return false;
    options->has_seed = true;
    options->seed = seed;
    return true;
}

static bool
read_run(struct session_options *options, const char *value)
{
    double number;
    if (!read_whole("--run", value, &number))
        return false;
    options->run = (uint64_t)number;
    return true;
}

static bool
read_threads(struct session_options *options, const char *value)
{
    double x;
    size_t n = strlen(value);

    if (n == 0 || num_read(value, n, &x) != n || !(x >= 1) || x > 256 ||
        x != (double)(int)x) {
        cli_error(DIAG_E0804, NULL,
                  "`--threads` takes a whole number from 1 to 256; found `%s`",
                  value);
        return false;
    }
    options->sweeps.threads = (int)x;
    return true;
}

bool
runopts_apply(struct session_options *options, int which, const char *value)
{
    assert(options && which >= 0);
    static const char *const backends[] = {"auto", "jit", "eval"};
    static const char *const opts[] = {"0", "1", "2"};
    static const char *const formats[] = {"text", "lines", "json"};
    int choice;

    switch ((enum runopt)which) {
    case RUNOPT_SET:
        return add_set(options, value);
    case RUNOPT_JSON:
        options->json = true;
        return true;
    case RUNOPT_OUT:
        if (!value[0]) {
            cli_error(DIAG_E0804, NULL, "`--out` takes the name of a folder");
            return false;
        }
        options->dir = value;
        return true;
    case RUNOPT_BACKEND:
        if ((choice = cli_choice("--backend", value, backends, 3)) < 0)
            return false;
        options->backend = (enum session_backend)choice;
        return true;
    case RUNOPT_OPT:
        if ((choice = cli_choice("--opt", value, opts, 3)) < 0)
            return false;
        options->opt = choice;
        /* an option that says how to make code asks for code */
        if (options->backend == SESSION_AUTO)
            options->backend = SESSION_JIT;
        return true;
    case RUNOPT_NO_CACHE:
        options->cache = false;
        return true;
    case RUNOPT_SEED:
        return read_seed(options, value);
    case RUNOPT_DATA:
        add_data(options, value);
        return true;
    case RUNOPT_RUN:
        return read_run(options, value);
    case RUNOPT_THREADS:
        return read_threads(options, value);
    case RUNOPT_RESUME:
        options->sweeps.resume = true;
        return true;
    case RUNOPT_DIAGNOSTICS:
        if ((choice = cli_choice("--diagnostics", value, formats, 3)) < 0)
            return false;
        options->diagnostics = (enum diag_format)choice;
        return true;
    case RUNOPT_ALLOW_READ:
        if (!value[0]) {
            cli_error(DIAG_E0804, NULL,
                      "`--allow-read` takes the name of a folder");
            return false;
        }
        if (!is_folder(value)) {
            cli_error(DIAG_E0804,
                      "name a folder that is there, as in "
                      "`--allow-read=../models`",
                      "`--allow-read`: `%s` is no folder", value);
            return false;
        }
        options->allow_read = value;
        return true;
    case RUNOPT_COUNT:
        break;
    }
    return false;
}

void
runopts_free(struct session_options *options)
{
    for (size_t i = 0; i < options->n_sets; i++) {
        free((char *)options->sets[i].name);
        free((char *)options->sets[i].value);
    }
    free(options->sets);
    options->sets = NULL;
    options->n_sets = 0;
}
