/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C API (include/imp/imp.h): a handle is a session and two texts, what it
 * printed and what it said. No function exits, prints or raises a signal;
 * every entry has its own out-of-memory guard.
 *
 * A model is checked and compiled when it is loaded, its code is loaded by the
 * first run. From then on a param is a number stored, and a run is a run; only
 * a structural param, which changes the model itself, compiles it again.
 *
 * Invariant: h->sets holds every value given since the model was loaded, for
 * the next compilation; while h->ready, h->s.params holds the same values. */
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
    struct session aside; /* of a value with a unit while it is read */
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

imp *
imp_new(void)
{
    imp *h = calloc(1, sizeof *h);
    /* room to say that memory has run out */
    char *room = malloc(sizeof no_memory_text);

    if (!h || !room) {
        free(h);
        free(room);
        return NULL;
    }
    h->diags = (struct buf){.s = room, .cap = sizeof no_memory_text};
    buf_clear(&h->diags);
    session_defaults(&h->o);
    return h;
}

static int
no_memory(imp *h)
{
    memcpy(h->diags.s, no_memory_text, sizeof no_memory_text);
    h->diags.n = sizeof no_memory_text - 1;
    return IMP_RUN_FAILED;
}

static void
forget_sets(imp *h)
{
    for (size_t i = 0; i < h->sets.n; i++) {
        free((char *)h->sets.v[i].name);
        free((char *)h->sets.v[i].value);
    }
    h->sets.n = 0;
}

void
imp_free(imp *h)
{
    if (!h)
        return;
    session_close(&h->s);
    forget_sets(h);
    free(h->sets.v);
    free(h->dir);
    free(h->name);
    free(h->text);
    buf_free(&h->out);
    buf_free(&h->diags);
    free(h);
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

/* ---- the guard ------------------------------------------------------------
 */

static int
guarded(imp *h, int (*fn)(imp *h, const void *arg), const void *arg)
{
    struct oom_guard g;

    if (setjmp(g.env)) {
        oom_leave(&g);
        session_close(&h->aside);
        session_close(&h->s);
        h->ready = false;
        return no_memory(h);
    }
    oom_enter(&g);
    int status = fn(h, arg);
    oom_leave(&g);
    return status;
}

/* the session's diagnostics become the handle's text */
static int
say(imp *h, int status)
{
    buf_clear(&h->diags);
    if (h->s.arena)
        diags_print(&h->s.ds, &h->diags, h->o.diagnostics, false);
    return status;
}

static int
collect(void *ctx, const char *s, size_t n)
{
    buf_put(&((imp *)ctx)->out, s, n);
    return 0;
}

/* a call that needs a model, without one */
static int
no_model(imp *h, const void *arg)
{
    (void)arg;
    if (!h->s.arena)
        session_open(&h->s, &h->o);
    session_clear(&h->s);
    diag_add(&h->s.ds, DIAG_E0822, IMP_NOWHERE, "no model has been loaded");
    return say(h, IMP_MODEL_WRONG);
}

/* ---- options --------------------------------------------------------------
 */

static int
choose(const char *value, const char *const *choices, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(value, choices[i]) == 0)
            return i;
    return -1;
}

int
imp_option(imp *h, const char *key, const char *value)
{
    static const char *const backends[] = {"auto", "jit", "eval"};
    static const char *const formats[] = {"text", "lines", "json"};
    static const char *const digits[] = {"0", "1", "2"};
    int i = -1;

    if (strcmp(key, "out") == 0) {
        char *p = value && value[0] ? copy(value, strlen(value)) : NULL;
        if (value && value[0] && !p)
            return no_memory(h);
        free(h->dir);
        h->o.dir = h->dir = p;
        return IMP_FINE;
    }
    if (!value)
        return IMP_MODEL_WRONG;
    if (strcmp(key, "backend") == 0) {
        if ((i = choose(value, backends, 3)) >= 0)
            h->o.backend = (enum session_backend)i;
    } else if (strcmp(key, "opt") == 0) {
        if ((i = choose(value, digits, 3)) >= 0)
            h->o.opt = i;
        if (i >= 0 && h->o.backend == SESSION_AUTO)
            h->o.backend = SESSION_JIT;
    } else if (strcmp(key, "json") == 0) {
        if ((i = choose(value, digits, 2)) >= 0)
            h->o.json = i == 1;
    } else if (strcmp(key, "cache") == 0) {
        if ((i = choose(value, digits, 2)) >= 0)
            h->o.cache = i == 1;
    } else if (strcmp(key, "diagnostics") == 0) {
        if ((i = choose(value, formats, 3)) >= 0)
            h->o.diagnostics = (enum diag_format)i;
    } else if (strcmp(key, "seed") == 0) {
        double x;
        size_t n = strlen(value);
        if (n && num_read(value, n, &x) == n && x >= 0) {
            h->o.has_seed = true;
            h->o.seed = x;
            i = 0;
        }
    }
    return i < 0 ? IMP_MODEL_WRONG : IMP_FINE;
}

/* the options that may change between two runs of one session; code that was
 * made with others is made again */
static void
take_options(imp *h)
{
    struct session_options *o = &h->s.o;

    if (o->backend != h->o.backend || o->opt != h->o.opt ||
        o->cache != h->o.cache)
        session_drop_code(&h->s);
    *o = h->o;
}

/* ---- loading --------------------------------------------------------------
 */

/* text -> checked and compiled model, with the params set so far */
static int
prepare(imp *h, const void *arg)
{
    (void)arg;
    session_close(&h->s);
    h->ready = false;
    h->o.sets = h->sets.v;
    h->o.n_sets = h->sets.n;
    session_open(&h->s, &h->o);
    h->s.model_name = arena_strdup(h->s.arena, h->name);
    session_add_text(&h->s, h->name, h->text, h->n_text, false);
    int status = session_check(&h->s);
    if (status == IMP_EXIT_OK)
        status = session_compile(&h->s);
    h->ready = status == IMP_EXIT_OK;
    return say(h, status);
}

/* takes name and text over */
static int
load(imp *h, char *name, char *text, size_t n)
{
    if (!name || !text) {
        free(name);
        free(text);
        return no_memory(h);
    }
    free(h->name);
    free(h->text);
    h->name = name;
    h->text = text;
    h->n_text = n;
    forget_sets(h);
    buf_clear(&h->out);
    return guarded(h, prepare, NULL);
}

int
imp_load_text(imp *h, const char *name, const char *text, size_t n)
{
    return load(h, copy(name, strlen(name)), copy(text, n), n);
}

struct read_job {
    const char *path, *text;
    size_t n;
};

static int
read_model(imp *h, const void *arg)
{
    struct read_job *j = (struct read_job *)arg;

    session_close(&h->s);
    h->ready = false;
    session_open(&h->s, &h->o);
    if (session_read(&h->s, j->path, &j->text, &j->n))
        return IMP_FINE;
    return say(h, IMP_MODEL_WRONG);
}

int
imp_load_file(imp *h, const char *path)
{
    struct read_job j = {.path = path};
    int status = guarded(h, read_model, &j);

    if (status != IMP_FINE)
        return status;
    return load(h, copy(path, strlen(path)), copy(j.text, j.n), j.n);
}

/* ---- params ---------------------------------------------------------------
 */

/* One value on its way into the model: a number, or a text with a unit. */
struct assignment {
    const char *name, *text; /* text NULL: the number */
    double number;
};

static struct session_set *
find_set(const imp *h, const char *name)
{
    for (size_t i = 0; i < h->sets.n; i++)
        if (strcmp(h->sets.v[i].name, name) == 0)
            return &h->sets.v[i];
    return NULL;
}

/* the entry of a param in h->sets; a new one has the name alone. NULL when out
 * of memory */
static struct session_set *
make_set(imp *h, const char *name)
{
    struct session_set *s = find_set(h, name);

    if (s)
        return s;
    if (h->sets.n == h->sets.cap) {
        size_t cap = h->sets.cap ? 2 * h->sets.cap : 8;
        s = realloc(h->sets.v, cap * sizeof *s);
        if (!s)
            return NULL;
        h->sets.v = s;
        h->sets.cap = cap;
    }
    s = &h->sets.v[h->sets.n];
    *s = (struct session_set){.name = copy(name, strlen(name))};
    if (!s->name)
        return NULL;
    h->sets.n++;
    return s;
}

/* The model compiled anew with a value that changes it, or for the first time
 * since it was found wrong. A value that does not fit is not kept. */
static int
compile_with(imp *h, const struct assignment *x)
{
    bool known = find_set(h, x->name) != NULL;
    struct session_set *s = make_set(h, x->name), was;
    char *text = x->text ? copy(x->text, strlen(x->text)) : NULL;

    if (!s || (x->text && !text)) {
        free(text);
        return no_memory(h);
    }
    was = *s;
    s->value = text;
    s->number = x->number;
    int status = guarded(h, prepare, NULL);
    s = find_set(h, x->name);
    if (status == IMP_FINE) {
        free((char *)was.value);
    } else {
        free(text);
        *s = was;
        if (!known) {
            free((char *)s->name);
            *s = h->sets.v[--h->sets.n];
        }
        h->ready = false;
    }
    return status;
}

/* a text to a number in SI units: in a session of its own, for what is parsed
 * stays with its session */
static int
read_value(imp *h, struct assignment *x)
{
    const char *unit;
    uint32_t i = driver_find_param(h->s.image, x->name, strlen(x->name));

    session_clear(&h->s);
    if (i == UINT32_MAX) /* the name is what is wrong */
        return IMP_FINE;
    const imp_param *p = IMP_ARRAY(h->s.image, h->s.image->params, imp_param);
    const char *own = imp_text(h->s.image, p[i].unit);
    session_open(&h->aside, &h->o);
    bool read =
        session_quantity(&h->aside, x->name, x->text, &x->number, &unit);
    bool fits = read && (!unit || strcmp(unit, own) == 0);
    if (!read)
        session_not_a_value(&h->s, x->name, x->text);
    else if (!fits)
        session_wrong_unit(&h->s, p[i].range, x->name, unit, own);
    session_close(&h->aside);
    x->text = NULL;
    return fits ? IMP_FINE : IMP_MODEL_WRONG;
}

/* the value goes into the compiled model; COMPILE asks for compile_with */
enum { COMPILE = IMP_RUN_FAILED + 1 };

static int
assign(imp *h, const void *arg)
{
    struct assignment *x = (struct assignment *)arg;

    if (x->text && read_value(h, x) != IMP_FINE)
        return say(h, IMP_MODEL_WRONG);
    enum session_set_status st = session_put(&h->s, x->name, x->number);
    if (st == SET_STRUCTURAL)
        return COMPILE;
    if (st == SET_WRONG)
        return say(h, IMP_MODEL_WRONG);
    buf_clear(&h->diags);
    return IMP_FINE;
}

static int
set(imp *h, struct assignment x)
{
    struct assignment y = x;

    if (!h->text)
        return guarded(h, no_model, NULL);
    if (!h->ready)
        return compile_with(h, &x);
    int status = guarded(h, assign, &y);
    if (status == COMPILE)
        return compile_with(h, &y);
    if (status != IMP_FINE)
        return status;
    struct session_set *s = make_set(h, x.name);
    if (!s)
        return no_memory(h);
    free((char *)s->value);
    s->value = NULL;
    s->number = y.number;
    return IMP_FINE;
}

int
imp_set_text(imp *h, const char *param, const char *value)
{
    return set(h, (struct assignment){.name = param, .text = value});
}

int
imp_set(imp *h, const char *param, double value)
{
    return set(h, (struct assignment){.name = param, .number = value});
}

/* ---- running --------------------------------------------------------------
 */

static int
run(imp *h, const void *arg)
{
    (void)arg;
    int status = IMP_EXIT_OK;

    if (!h->ready)
        status = prepare(h, NULL);
    if (status != IMP_EXIT_OK)
        return status;
    take_options(h);
    h->s.write = collect;
    h->s.write_ctx = h;
    h->s.stop = &h->stop;
    session_clear(&h->s);
    if (h->s.image->commands.n > 0)
        status = session_code(&h->s);
    if (status == IMP_EXIT_OK)
        status = session_run(&h->s);
    return say(h, status);
}

int
imp_run(imp *h)
{
    buf_clear(&h->out);
    int status = guarded(h, h->text ? run : no_model, NULL);
    atomic_store(&h->stop, 0);
    return status;
}

void
imp_stop(imp *h)
{
    atomic_store(&h->stop, 1);
}

const char *
imp_output(const imp *h, size_t *n)
{
    if (n)
        *n = h->out.n;
    return h->out.n ? h->out.s : "";
}

const char *
imp_diagnostics(const imp *h, size_t *n)
{
    if (n)
        *n = h->diags.n;
    return h->diags.n ? h->diags.s : "";
}

/* ---- results --------------------------------------------------------------
 */

/* `name.field` or `name.field[i]`, i from 0, negative from the end */
static const struct field_value *
find(const imp *h, const char *path, const imp_field **field, bool *indexed,
     long *index)
{
    const char *dot = strchr(path, '.');

    if (!h->s.recs || !h->s.image || !dot)
        return NULL;
    const imp_image *im = h->s.image;
    const imp_command *c = IMP_ARRAY(im, im->commands, imp_command);
    const char *bracket = strchr(dot, '[');
    size_t n = bracket ? (size_t)(bracket - dot - 1) : strlen(dot + 1);
    *indexed = bracket != NULL;
    if (bracket) {
        char *end;
        *index = strtol(bracket + 1, &end, 10);
        if (end == bracket + 1 || strcmp(end, "]") != 0)
            return NULL;
    }
    for (uint32_t i = im->commands.n; i-- > 0;) {
        const struct record *r = h->s.recs[i];
        if (!r || !r->present || c[i].bound.n != (size_t)(dot - path) ||
            memcmp(imp_text(im, c[i].bound), path, c[i].bound.n) != 0)
            continue;
        for (size_t k = 0; k < r->n; k++)
            if (r->schema[k].name.n == n &&
                memcmp(imp_text(im, r->schema[k].name), dot + 1, n) == 0) {
                *field = &r->schema[k];
                return r->v[k].why ? NULL : &r->v[k];
            }
        return NULL;
    }
    return NULL;
}

/* how many numbers (or texts) a value has */
static size_t
entries(const imp_field *f, const struct field_value *v)
{
    switch ((enum imp_field_kind)f->kind) {
    case IMP_FIELD_NUM:
    case IMP_FIELD_BOOL:
        return 1;
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        return f->width;
    case IMP_FIELD_LIST:
    case IMP_FIELD_TEXTS:
        return v->n;
    case IMP_FIELD_VECS:
        return v->n * f->width;
    case IMP_FIELD_MAT:
        return v->n * v->cols;
    case IMP_FIELD_TEXT:
        break;
    }
    return 0;
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
imp_get(const imp *h, const char *path, double *x)
{
    const imp_field *f;
    bool indexed;
    long index = 0;
    size_t k;
    const struct field_value *v = find(h, path, &f, &indexed, &index);

    if (!v || !v->num || f->kind == IMP_FIELD_TEXT ||
        f->kind == IMP_FIELD_TEXTS || !place(index, indexed, entries(f, v), &k))
        return IMP_MODEL_WRONG;
    *x = v->num[k];
    return IMP_FINE;
}

const char *
imp_get_text(const imp *h, const char *path)
{
    const imp_field *f;
    bool indexed;
    long index = 0;
    size_t k;
    const struct field_value *v = find(h, path, &f, &indexed, &index);

    if (!v)
        return NULL;
    if (f->kind == IMP_FIELD_TEXT && !indexed)
        return v->text;
    if (f->kind == IMP_FIELD_TEXTS && place(index, indexed, v->n, &k))
        return v->texts[k];
    return NULL;
}
