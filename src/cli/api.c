/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C API (include/imp/imp.h). A handle is a session and two texts: what it
 * printed and what it said. No function exits, prints or raises a signal; every
 * function has its own guard against memory that runs out.
 *
 * A model is checked and compiled when it is loaded; its code is loaded by the
 * first run. After that a param is a number that is stored, and a run is only a
 * run. A structural param changes the model itself, so it compiles the model
 * again.
 *
 * Invariant: handle->sets holds every value given since the model was loaded,
 * for the next compilation. While handle->ready, handle->s.params holds the
 * same values. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/num.h"
#include "cli/api_priv.h"
#include "cli/code/version.h"

const char *
imp_version(void)
{
    return version_of_imp();
}

static const char no_memory_text[] = "error[E0817]: out of memory\n";
static const char stopped_text[] =
    "error[E0717]: stopped before the run began\n";
enum { ROOM = sizeof stopped_text }; /* for the longer of both */
_Static_assert(sizeof no_memory_text <= ROOM, "room for the message");

imp *
imp_new(void)
{
    imp *handle = calloc(1, sizeof *handle);
    /* room for the message that memory has run out */
    char *room = malloc(ROOM);

    if (!handle || !room) {
        free(handle);
        free(room);
        return NULL;
    }
    handle->diags = (struct buf){.s = room, .cap = ROOM};
    buf_clear(&handle->diags);
    session_defaults(&handle->o);
    handle->o.stop = &handle->stop;
    return handle;
}

/* Why work was broken off; `size` counts the final 0. */
static int
unfinished(imp *handle, const char *text, size_t size)
{
    memcpy(handle->diags.s, text, size);
    handle->diags.n = size - 1;
    return IMP_RUN_FAILED;
}

static int
no_memory(imp *handle)
{
    return unfinished(handle, no_memory_text, sizeof no_memory_text);
}

static void
forget_sets(imp *handle)
{
    for (size_t i = 0; i < handle->sets.n; i++) {
        free((char *)handle->sets.v[i].name);
        free((char *)handle->sets.v[i].value);
    }
    handle->sets.n = 0;
}

void
imp_free(imp *handle)
{
    if (!handle)
        return;
    session_close(&handle->s);
    forget_sets(handle);
    free(handle->sets.v);
    free(handle->dir);
    free(handle->name);
    free(handle->text);
    buf_free(&handle->out);
    buf_free(&handle->diags);
    free(handle);
}

/* NULL when out of memory */
static char *
copy(const char *s, size_t n)
{
    char *p = malloc(n + 1);

    if (!p)
        return NULL;
    if (n)
        memcpy(p, s, n);
    p[n] = 0;
    return p;
}

/* -- the guard ------------------------------------------------------------- */

static int
guarded(imp *handle, int (*fn)(imp *handle, const void *arg), const void *arg)
{
    struct oom_guard guard;

    if (setjmp(guard.env)) {
        oom_watch(NULL);
        oom_leave(&guard);
        session_close(&handle->aside);
        session_close(&handle->s);
        handle->ready = false;
        if (!oom_stopped())
            return no_memory(handle);
        atomic_store(&handle->stop, 0);
        return unfinished(handle, stopped_text, sizeof stopped_text);
    }
    oom_enter(&guard);
    int status = fn(handle, arg);
    oom_leave(&guard);
    return status;
}

/* Turns the session's diagnostics into the handle's text. */
static int
say(imp *handle, int status)
{
    buf_clear(&handle->diags);
    if (handle->s.arena)
        diags_print(&handle->s.ds, &handle->diags, handle->o.diagnostics,
                    false);
    return status;
}

static int
collect(void *ctx, const char *s, size_t n)
{
    buf_put(&((imp *)ctx)->out, s, n);
    return 0;
}

/* Why a call is refused, and what to do instead, or NULL. */
struct refusal {
    const char *why, *help;
    enum diag_code code;
};

/* Refuses a call. What was loaded stays, and so do the results of its run. */
static int
refused(imp *handle, const void *arg)
{
    const struct refusal *refusal = arg;
    struct diags ds;

    if (!handle->s.arena)
        session_open(&handle->s, &handle->o);
    diags_init(&ds, handle->s.arena, handle->s.text.sources);
    struct diag *diag =
        diag_add(&ds, refusal->code, IMP_NOWHERE, "%s", refusal->why);
    if (refusal->help)
        diag_help(&ds, diag, "%s", refusal->help);
    buf_clear(&handle->diags);
    diags_print(&ds, &handle->diags, handle->o.diagnostics, false);
    return IMP_MODEL_WRONG;
}

static int
refuse(imp *handle, const char *why)
{
    struct refusal refusal = {.why = why, .code = DIAG_E0822};
    return handle ? guarded(handle, refused, &refusal) : IMP_MODEL_WRONG;
}

static const char no_model[] = "no model has been loaded";

/* -- options --------------------------------------------------------------- */

enum option {
    OPTION_BACKEND,
    OPTION_OPT,
    OPTION_JSON,
    OPTION_CACHE,
    OPTION_OUT,
    OPTION_DIAGNOSTICS,
    OPTION_SEED,
    OPTION_THREADS,
    N_OPTIONS
};

/* Of `n` words, or -1. */
static int
choose(const char *value, const char *const *choices, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(value, choices[i]) == 0)
            return i;
    return -1;
}

/* A whole number from `lo` to `hi`. */
static bool
whole(const char *value, double lo, double hi, double *number)
{
    size_t n = strlen(value);
    return n > 0 && num_read(value, n, number) == n && *number >= lo &&
           *number <= hi && *number == (double)(long long)*number;
}

/* Sets the option if the value is one of its own. */
static bool
apply(imp *handle, enum option option, const char *value)
{
    static const char *const backends[] = {"auto", "jit", "eval"};
    static const char *const formats[] = {"text", "lines", "json"};
    static const char *const digits[] = {"0", "1", "2"};
    struct session_options *o = &handle->o;
    double number;
    int choice = 0;

    switch (option) {
    case OPTION_BACKEND:
        if ((choice = choose(value, backends, 3)) >= 0)
            o->backend = (enum session_backend)choice;
        return choice >= 0;
    case OPTION_OPT:
        if ((choice = choose(value, digits, 3)) >= 0)
            o->opt = choice;
        if (choice >= 0 && o->backend == SESSION_AUTO)
            o->backend = SESSION_JIT;
        return choice >= 0;
    case OPTION_JSON:
        if ((choice = choose(value, digits, 2)) >= 0)
            o->json = choice == 1;
        return choice >= 0;
    case OPTION_CACHE:
        if ((choice = choose(value, digits, 2)) >= 0)
            o->cache = choice == 1;
        return choice >= 0;
    case OPTION_DIAGNOSTICS:
        if ((choice = choose(value, formats, 3)) >= 0)
            o->diagnostics = (enum diag_format)choice;
        return choice >= 0;
    case OPTION_SEED:
        if (!whole(value, 0, 9007199254740992.0, &number))
            return false;
        o->has_seed = true;
        o->seed = number;
        return true;
    case OPTION_THREADS:
        if (!whole(value, 1, 256, &number))
            return false;
        o->sweeps.threads = (int)number;
        return true;
    case OPTION_OUT:
    case N_OPTIONS:
        break;
    }
    return false;
}

static int
set_folder(imp *handle, const char *path)
{
    char *p = path && path[0] ? copy(path, strlen(path)) : NULL;

    if (path && path[0] && !p)
        return no_memory(handle);
    free(handle->dir);
    handle->o.dir = handle->dir = p;
    return IMP_FINE;
}

int
imp_option(imp *handle, const char *key, const char *value)
{
    static const char *const keys[N_OPTIONS] = {
        "backend", "opt",         "json", "cache",
        "out",     "diagnostics", "seed", "threads"};
    static const char *const values[N_OPTIONS] = {
        "auto, jit or eval",
        "0, 1 or 2",
        "0 or 1",
        "0 or 1",
        "the name of a folder",
        "text, lines or json",
        "a whole number from 0 to 2^53",
        "a whole number from 1 to 256"};
    char why[160];
    struct refusal refusal = {.why = why};

    if (!handle || !key)
        return refuse(handle, "`imp_option` wants a key, not NULL");
    int option = choose(key, keys, N_OPTIONS);
    if (option == OPTION_OUT)
        return set_folder(handle, value);
    if (option >= 0 && value && apply(handle, (enum option)option, value)) {
        buf_clear(&handle->diags);
        return IMP_FINE;
    }
    if (option < 0) {
        refusal.code = DIAG_E0802;
        refusal.help = "there are backend, opt, json, cache, out, "
                       "diagnostics, seed and threads";
        snprintf(why, sizeof why, "there is no option `%.80s`", key);
    } else {
        refusal.code = DIAG_E0804;
        snprintf(why, sizeof why, "option `%s` takes %s; found %s%.60s%s", key,
                 values[option], value ? "`" : "", value ? value : "NULL",
                 value ? "`" : "");
    }
    return guarded(handle, refused, &refusal);
}

/* The options that may change between two runs of one session. Code that was
 * made with other options is made again. */
static void
take_options(imp *handle)
{
    struct session_options *options = &handle->s.o;

    if (options->backend != handle->o.backend ||
        options->opt != handle->o.opt || options->cache != handle->o.cache)
        session_drop_code(&handle->s);
    *options = handle->o;
}

/* -- loading --------------------------------------------------------------- */

/* From the text to the checked and compiled model, with the params set so far.
 */
static int
prepare(imp *handle, const void *arg)
{
    (void)arg;
    session_close(&handle->s);
    handle->ready = false;
    handle->o.sets = handle->sets.v;
    handle->o.n_sets = handle->sets.n;
    session_open(&handle->s, &handle->o);
    handle->s.text.model_name = arena_strdup(handle->s.arena, handle->name);
    session_add_text(&handle->s, handle->name, handle->text, handle->n_text,
                     false);
    int status = session_check(&handle->s);
    if (status == IMP_EXIT_OK)
        status = session_compile(&handle->s);
    handle->ready = status == IMP_EXIT_OK;
    return say(handle, status);
}

/* Takes over name and text, which the handle frees. */
static int
load(imp *handle, char *name, char *text, size_t len)
{
    if (!name || !text) {
        free(name);
        free(text);
        return no_memory(handle);
    }
    free(handle->name);
    free(handle->text);
    handle->name = name;
    handle->text = text;
    handle->n_text = len;
    forget_sets(handle);
    buf_clear(&handle->out);
    return guarded(handle, prepare, NULL);
}

int
imp_load_text(imp *handle, const char *name, const char *text, size_t n)
{
    if (!handle || !name || (!text && n > 0))
        return refuse(handle,
                      "`imp_load_text` wants a name and a text, not NULL");
    if (n > SESSION_FILE_LIMIT)
        return refuse(handle, "the text is larger than 64 MiB: no model is");
    return load(handle, copy(name, strlen(name)), copy(text, n), n);
}

/* A file that cannot be read leaves no model, as a wrong one does. */
static void
forget_model(imp *handle)
{
    free(handle->name);
    free(handle->text);
    handle->name = handle->text = NULL;
    forget_sets(handle);
    buf_clear(&handle->out);
}

struct read_job {
    const char *path, *text;
    size_t n;
};

static int
read_model(imp *handle, const void *arg)
{
    struct read_job *j = (struct read_job *)arg;

    session_close(&handle->s);
    handle->ready = false;
    session_open(&handle->s, &handle->o);
    if (session_read(&handle->s, j->path, &j->text, &j->n))
        return IMP_FINE;
    return say(handle, IMP_MODEL_WRONG);
}

int
imp_load_file(imp *handle, const char *path)
{
    struct read_job j = {.path = path};
    if (!handle || !path)
        return refuse(handle, "`imp_load_file` wants a path, not NULL");
    int status = guarded(handle, read_model, &j);

    if (status != IMP_FINE) {
        forget_model(handle);
        return status;
    }
    return load(handle, copy(path, strlen(path)), copy(j.text, j.n), j.n);
}

/* -- params ---------------------------------------------------------------- */

/* One value on its way into the model: a number, or a text with a unit. */
struct assignment {
    const char *name, *text; /* the number counts where this is NULL */
    double number;
};

static struct session_set *
find_set(const imp *handle, const char *name)
{
    for (size_t i = 0; i < handle->sets.n; i++)
        if (strcmp(handle->sets.v[i].name, name) == 0)
            return &handle->sets.v[i];
    return NULL;
}

/* The entry of a param in handle->sets; a new one holds only the name. NULL
 * when memory runs out. */
static struct session_set *
make_set(imp *handle, const char *name)
{
    struct session_set *set = find_set(handle, name);

    if (set)
        return set;
    if (handle->sets.n == handle->sets.cap) {
        size_t cap = handle->sets.cap ? 2 * handle->sets.cap : 8;
        set = realloc(handle->sets.v, cap * sizeof *set);
        if (!set)
            return NULL;
        handle->sets.v = set;
        handle->sets.cap = cap;
    }
    set = &handle->sets.v[handle->sets.n];
    *set = (struct session_set){.name = copy(name, strlen(name))};
    if (!set->name)
        return NULL;
    handle->sets.n++;
    return set;
}

/* Compiles the model again with a value that changes it, or for the first time
 * since it was found to be wrong. A value that does not fit is not kept. */
static int
compile_with(imp *handle, const struct assignment *assignment)
{
    bool known = find_set(handle, assignment->name) != NULL;
    struct session_set *set = make_set(handle, assignment->name), was;
    char *text = assignment->text
                     ? copy(assignment->text, strlen(assignment->text))
                     : NULL;

    if (!set || (assignment->text && !text)) {
        free(text);
        return no_memory(handle);
    }
    was = *set;
    set->value = text;
    set->number = assignment->number;
    int status = guarded(handle, prepare, NULL);
    set = find_set(handle, assignment->name);
    if (status == IMP_FINE) {
        free((char *)was.value);
    } else {
        free(text);
        *set = was;
        if (!known) {
            free((char *)set->name);
            *set = handle->sets.v[--handle->sets.n];
        }
        handle->ready = false;
    }
    return status;
}

/* Turns a text into a number in SI units. It is parsed in a session of its own,
 * because what is parsed stays in its session. */
static int
read_value(imp *handle, struct assignment *assignment)
{
    const char *unit;
    uint32_t param = driver_find_param(handle->s.image, assignment->name,
                                       strlen(assignment->name));

    session_clear(&handle->s);
    if (param == UINT32_MAX) /* Here it is the name that is wrong. */
        return IMP_FINE;
    const imp_param *p =
        IMP_ARRAY(handle->s.image, handle->s.image->params, imp_param);
    const char *own = imp_text(handle->s.image, p[param].unit);
    session_open(&handle->aside, &handle->o);
    bool read = session_quantity(&handle->aside, assignment->name,
                                 assignment->text, &assignment->number, &unit);
    bool fits = read && (!unit || strcmp(unit, own) == 0);
    if (!read)
        session_not_a_value(&handle->s, assignment->name, assignment->text);
    else if (!fits)
        session_wrong_unit(&handle->s, p[param].range, assignment->name, unit,
                           own);
    session_close(&handle->aside);
    assignment->text = NULL;
    return fits ? IMP_FINE : IMP_MODEL_WRONG;
}

/* Puts the value into the compiled model; COMPILE asks the caller for
 * compile_with. */
enum { COMPILE = IMP_RUN_FAILED + 1 };

static int
assign(imp *handle, const void *arg)
{
    struct assignment *x = (struct assignment *)arg;

    if (x->text && read_value(handle, x) != IMP_FINE)
        return say(handle, IMP_MODEL_WRONG);
    enum session_set_status st = session_put(&handle->s, x->name, x->number);
    if (st == SET_STRUCTURAL)
        return COMPILE;
    if (st == SET_WRONG)
        return say(handle, IMP_MODEL_WRONG);
    buf_clear(&handle->diags);
    return IMP_FINE;
}

static int
set(imp *handle, struct assignment wanted)
{
    struct assignment again = wanted;

    if (!handle->text)
        return refuse(handle, no_model);
    if (!handle->ready)
        return compile_with(handle, &wanted);
    int status = guarded(handle, assign, &again);
    if (status == COMPILE)
        return compile_with(handle, &again);
    if (status != IMP_FINE)
        return status;
    struct session_set *set = make_set(handle, wanted.name);
    if (!set)
        return no_memory(handle);
    free((char *)set->value);
    set->value = NULL;
    set->number = again.number;
    return IMP_FINE;
}

int
imp_set_text(imp *handle, const char *param, const char *value)
{
    if (!handle || !param || !value)
        return refuse(handle,
                      "`imp_set_text` wants a param and a value, not NULL");
    return set(handle, (struct assignment){.name = param, .text = value});
}

int
imp_set(imp *handle, const char *param, double value)
{
    if (!handle || !param)
        return refuse(handle, "`imp_set` wants a param, not NULL");
    return set(handle, (struct assignment){.name = param, .number = value});
}

/* -- running --------------------------------------------------------------- */

static int
run(imp *handle, const void *arg)
{
    (void)arg;
    int status = IMP_EXIT_OK;

    if (!handle->ready)
        status = prepare(handle, NULL);
    if (status != IMP_EXIT_OK)
        return status;
    take_options(handle);
    handle->s.sink.write = collect;
    handle->s.sink.ctx = handle;
    session_clear(&handle->s);
    if (handle->s.image->commands.n > 0)
        status = session_code(&handle->s);
    if (status == IMP_EXIT_OK)
        status = session_run(&handle->s);
    return say(handle, status);
}

int
imp_run(imp *handle)
{
    if (!handle)
        return IMP_MODEL_WRONG;
    buf_clear(&handle->out);
    int status =
        handle->text ? guarded(handle, run, NULL) : refuse(handle, no_model);
    atomic_store(&handle->stop, 0);
    return status;
}

void
imp_stop(imp *handle)
{
    if (handle)
        atomic_store(&handle->stop, 1);
}

const char *
imp_output(const imp *handle, size_t *n)
{
    if (n)
        *n = handle ? handle->out.n : 0;
    return handle && handle->out.n ? handle->out.s : "";
}

const char *
imp_diagnostics(const imp *handle, size_t *n)
{
    if (n)
        *n = handle ? handle->diags.n : 0;
    return handle && handle->diags.n ? handle->diags.s : "";
}
