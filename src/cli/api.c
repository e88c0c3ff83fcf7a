/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C API (include/imp/imp.h): a handle is a session and two texts, what it
 * printed and what it said. No function exits, prints or raises a signal;
 * every entry has its own out-of-memory guard. The model is parsed and checked
 * when it is loaded, and again when the params have changed before a run: a
 * structural param changes the model. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/num.h"
#include "cli/session.h"
#include "imp/imp.h"

#ifndef IMP_VERSION
#define IMP_VERSION "0"
#endif

struct imp {
    struct session s;
    struct session_options o;
    char *dir;         /* owned; o.dir */
    char *name, *text; /* the model's text, owned */
    size_t n_text;
    bool ready; /* s holds the checked and compiled model */
    struct {
        struct session_set *v;
        size_t n, cap;
    } sets; /* names and values owned */
    struct buf out, diags;
    atomic_int stop;
};

const char *
imp_version(void)
{
    return IMP_VERSION;
}

imp *
imp_new(void)
{
    imp *h = calloc(1, sizeof *h);

    if (h)
        session_defaults(&h->o);
    return h;
}

void
imp_free(imp *h)
{
    if (!h)
        return;
    session_close(&h->s);
    for (size_t i = 0; i < h->sets.n; i++) {
        free((char *)h->sets.v[i].name);
        free((char *)h->sets.v[i].value);
    }
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
        static const char text[] = "error[E0817]: out of memory\n";
        oom_leave(&g);
        session_close(&h->s);
        h->ready = false;
        buf_clear(&h->diags);
        if (h->diags.cap >= sizeof text) {
            memcpy(h->diags.s, text, sizeof text);
            h->diags.n = sizeof text - 1;
        }
        return IMP_RUN_FAILED;
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
    static const char *const backends[] = {"jit", "eval"};
    static const char *const formats[] = {"text", "lines", "json"};
    static const char *const digits[] = {"0", "1", "2"};
    int i = -1;

    if (strcmp(key, "out") == 0) {
        char *p = value && value[0] ? copy(value, strlen(value)) : NULL;
        if (value && value[0] && !p)
            return IMP_RUN_FAILED;
        free(h->dir);
        h->o.dir = h->dir = p;
        h->s.o.dir = p;
        return IMP_FINE;
    }
    if (!value)
        return IMP_MODEL_WRONG;
    if (strcmp(key, "backend") == 0) {
        if ((i = choose(value, backends, 2)) >= 0)
            h->o.backend = i == 0 ? SESSION_JIT : SESSION_EVAL;
    } else if (strcmp(key, "opt") == 0) {
        if ((i = choose(value, digits, 3)) >= 0)
            h->o.opt = i;
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
    if (i < 0)
        return IMP_MODEL_WRONG;
    /* code that was made with other options is made again */
    h->ready = false;
    return IMP_FINE;
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

static void
forget_sets(imp *h)
{
    for (size_t i = 0; i < h->sets.n; i++) {
        free((char *)h->sets.v[i].name);
        free((char *)h->sets.v[i].value);
    }
    h->sets.n = 0;
}

/* takes name and text over */
static int
load(imp *h, char *name, char *text, size_t n)
{
    if (!name || !text) {
        free(name);
        free(text);
        return IMP_RUN_FAILED;
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

int
imp_set_text(imp *h, const char *param, const char *value)
{
    char *v = copy(value, strlen(value));
    size_t i = 0;

    if (!v)
        return IMP_RUN_FAILED;
    while (i < h->sets.n && strcmp(h->sets.v[i].name, param) != 0)
        i++;
    if (i == h->sets.n) {
        char *name = copy(param, strlen(param));
        struct session_set *w = realloc(h->sets.v, (i + 1) * sizeof *h->sets.v);
        if (w)
            h->sets.v = w;
        if (!w || !name) {
            free(name);
            free(v);
            return IMP_RUN_FAILED;
        }
        h->sets.v[h->sets.n++] = (struct session_set){.name = name, .value = v};
    } else {
        free((char *)h->sets.v[i].value);
        h->sets.v[i].value = v;
    }
    if (!h->text)
        return IMP_FINE;
    int status = guarded(h, prepare, NULL);
    if (status != IMP_FINE && i < h->sets.n) {
        /* a value that does not fit is not kept */
        free((char *)h->sets.v[i].name);
        free((char *)h->sets.v[i].value);
        h->sets.v[i] = h->sets.v[--h->sets.n];
        h->ready = false;
    }
    return status;
}

int
imp_set(imp *h, const char *param, double value)
{
    char text[NUM_TEXT];

    return imp_set_text(h, param, num_shortest(text, value));
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
    h->s.o.dir = h->o.dir;
    h->s.o.json = h->o.json;
    h->s.write = collect;
    h->s.write_ctx = h;
    h->s.stop = &h->stop;
    if (h->s.image->commands.n > 0)
        status = session_code(&h->s);
    if (status == IMP_EXIT_OK)
        status = session_run(&h->s);
    status = say(h, status);
    /* the messages of this run are not those of the next */
    h->ready = false;
    return status;
}

int
imp_run(imp *h)
{
    if (!h->text)
        return IMP_MODEL_WRONG;
    buf_clear(&h->out);
    int status = guarded(h, run, NULL);
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
static const struct fieldval *
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
        const struct rec *r = h->s.recs[i];
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
entries(const imp_field *f, const struct fieldval *v)
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
    const struct fieldval *v = find(h, path, &f, &indexed, &index);

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
    const struct fieldval *v = find(h, path, &f, &indexed, &index);

    if (!v)
        return NULL;
    if (f->kind == IMP_FIELD_TEXT && !indexed)
        return v->text;
    if (f->kind == IMP_FIELD_TEXTS && place(index, indexed, v->n, &k))
        return v->texts[k];
    return NULL;
}
