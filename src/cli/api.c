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
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/num.h"
#include "cli/code/version.h"
#include "cli/session/session.h"
#include "imp/imp.h"

struct imp {
    struct session s;
    struct session aside; /* for reading a value with a unit */
    struct session_options o;
    char *dir;         /* owned; o.dir */
    char *name, *text; /* the model's text, owned */
    size_t n_text;
    bool ready; /* s holds the checked and compiled model */
    struct {
        struct session_set *v;
        size_t n, cap;
    } sets; /* names and texts owned */
    struct buf out, diags;
    atomic_int stop;
};

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

/* Refuses a call; `why` is a text. What was loaded stays. */
static int
refused(imp *handle, const void *why)
{
    if (!handle->s.arena)
        session_open(&handle->s, &handle->o);
    session_clear(&handle->s);
    diag_add(&handle->s.ds, DIAG_E0822, IMP_NOWHERE, "%s", (const char *)why);
    return say(handle, IMP_MODEL_WRONG);
}

static int
refuse(imp *handle, const char *why)
{
    return handle ? guarded(handle, refused, why) : IMP_MODEL_WRONG;
}

static const char no_model[] = "no model has been loaded";

/* -- options --------------------------------------------------------------- */

static int
choose(const char *value, const char *const *choices, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(value, choices[i]) == 0)
            return i;
    return -1;
}

int
imp_option(imp *handle, const char *key, const char *value)
{
    static const char *const backends[] = {"auto", "jit", "eval"};
    static const char *const formats[] = {"text", "lines", "json"};
    static const char *const digits[] = {"0", "1", "2"};
    int choice = -1;

    if (!handle || !key)
        return IMP_MODEL_WRONG;
    if (strcmp(key, "out") == 0) {
        char *p = value && value[0] ? copy(value, strlen(value)) : NULL;
        if (value && value[0] && !p)
            return no_memory(handle);
        free(handle->dir);
        handle->o.dir = handle->dir = p;
        return IMP_FINE;
    }
    if (!value)
        return IMP_MODEL_WRONG;
    if (strcmp(key, "backend") == 0) {
        if ((choice = choose(value, backends, 3)) >= 0)
            handle->o.backend = (enum session_backend)choice;
    } else if (strcmp(key, "opt") == 0) {
        if ((choice = choose(value, digits, 3)) >= 0)
            handle->o.opt = choice;
        if (choice >= 0 && handle->o.backend == SESSION_AUTO)
            handle->o.backend = SESSION_JIT;
    } else if (strcmp(key, "json") == 0) {
        if ((choice = choose(value, digits, 2)) >= 0)
            handle->o.json = choice == 1;
    } else if (strcmp(key, "cache") == 0) {
        if ((choice = choose(value, digits, 2)) >= 0)
            handle->o.cache = choice == 1;
    } else if (strcmp(key, "diagnostics") == 0) {
        if ((choice = choose(value, formats, 3)) >= 0)
            handle->o.diagnostics = (enum diag_format)choice;
    } else if (strcmp(key, "seed") == 0) {
        double x;
        size_t n = strlen(value);
        if (n && num_read(value, n, &x) == n && x >= 0) {
            handle->o.has_seed = true;
            handle->o.seed = x;
            choice = 0;
        }
    }
    return choice < 0 ? IMP_MODEL_WRONG : IMP_FINE;
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

    if (status != IMP_FINE)
        return status;
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

/* -- results --------------------------------------------------------------- */

/* Finds `name.field` or `name.field[i]`; i begins at 0, negative numbers count
 * from the end. */
static const struct field_value *
find(const imp *handle, const char *path, const imp_field **field,
     bool *indexed, long *index)
{
    const char *dot = path ? strchr(path, '.') : NULL;

    if (!handle || !handle->s.result.recs || !handle->s.image || !dot)
        return NULL;
    const imp_image *image = handle->s.image;
    const imp_command *command = IMP_ARRAY(image, image->commands, imp_command);
    const char *bracket = strchr(dot, '[');
    size_t len = bracket ? (size_t)(bracket - dot - 1) : strlen(dot + 1);
    *indexed = bracket != NULL;
    if (bracket) {
        char *end;
        *index = strtol(bracket + 1, &end, 10);
        if (end == bracket + 1 || strcmp(end, "]") != 0)
            return NULL;
    }
    for (uint32_t i = image->commands.n; i-- > 0;) {
        const struct record *r = handle->s.result.recs[i];
        if (!r || !r->present || command[i].bound.n != (size_t)(dot - path) ||
            memcmp(imp_text(image, command[i].bound), path,
                   command[i].bound.n) != 0)
            continue;
        for (size_t k = 0; k < r->n; k++)
            if (r->schema[k].name.n == len &&
                memcmp(imp_text(image, r->schema[k].name), dot + 1, len) == 0) {
                *field = &r->schema[k];
                return r->v[k].why ? NULL : &r->v[k];
            }
        return NULL;
    }
    return NULL;
}

static bool
place(long index, bool indexed, size_t n, size_t *k)
{
    if (!indexed) {
        *k = 0;
        return n == 1;
    }
    if (index < 0)
        index += (long)n;
    *k = (size_t)index;
    return index >= 0 && (size_t)index < n;
}

int
imp_get(const imp *handle, const char *path, double *number)
{
    const imp_field *field;
    bool indexed;
    long index = 0;
    size_t k;
    const struct field_value *value =
        find(handle, path, &field, &indexed, &index);

    if (!number || !value || !value->num || field->kind == IMP_FIELD_TEXT ||
        field->kind == IMP_FIELD_TEXTS ||
        !place(index, indexed, field_value_count(field, value), &k))
        return IMP_MODEL_WRONG;
    *number = value->num[k];
    return IMP_FINE;
}

const char *
imp_get_text(const imp *handle, const char *path)
{
    const imp_field *field;
    bool indexed;
    long index = 0;
    size_t k;
    const struct field_value *value =
        find(handle, path, &field, &indexed, &index);

    if (!value)
        return NULL;
    if (field->kind == IMP_FIELD_TEXT && !indexed)
        return value->text;
    if (field->kind == IMP_FIELD_TEXTS && place(index, indexed, value->n, &k))
        return value->texts[k];
    return NULL;
}
