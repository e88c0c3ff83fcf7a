/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first steps of the chain from text to results. Each step calls the room
 * that does it and turns its outcome into an exit status; nothing here knows a
 * shape or a command. Invariant: a step runs only when the one before
 * succeeded. Whoever gets a status other than 0 finds at least one diagnostic
 * in session->ds. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/num.h"
#include "cli/code/jit.h"
#include "cli/code/load.h"
#include "cli/session/remake.h"
#include "cli/session/session.h"
#include "mechanics/mech.h"
#include "syntax/parse.h"

void
session_defaults(struct session_options *options)
{
    *options = (struct session_options){
        .backend = SESSION_AUTO, .opt = 1, .cache = true};
}

void
session_open(struct session *session, const struct session_options *options)
{
    assert(session && options && !session->arena);
    session->o = *options;
    session->stop = options->stop;
    session->arena = arena_new();
    session->text.sources = sources_new(session->arena);
    session->text.names = intern_new(session->arena);
    session->text.model_name = "";
    diags_init(&session->ds, session->arena, session->text.sources);
}

void
session_close(struct session *s)
{
    assert(s);
    session_drop_code(s);
    arena_free(s->result.arena);
    arena_free(s->model_arena);
    arena_free(s->arena);
    *s = (struct session){0};
}

void
session_end(struct session *session)
{
    if (session->arena)
        driver_print_messages(&session->ds, session->o.diagnostics);
    session_close(session);
}

void
session_drop_code(struct session *session)
{
    /* a run holds pointers into its code */
    if (session->result.driver)
        driver_close(session->result.driver);
    session->result.driver = NULL;
    model_code_free(session->code);
    session->code = NULL;
}

/* -- reading --------------------------------------------------------------- */

/* A signal has come while a text is read. If it is one that stops the session,
 * this frees what was read and jumps to the guard. */
static void
give_way(struct session *session, char *heap)
{
    if (!session->stop || !atomic_load(session->stop))
        return;
    free(heap);
    (void)oom_watch(session->stop);
    oom_look();
}

static bool
read_fd(struct session *session, int fd, const char *path, const char **text,
        size_t *n_out)
{
    size_t cap = 1u << 16, len = 0;
    char *text_end =
        malloc(cap); /* not mem_alloc, because nothing here may jump */
    ssize_t got = 0;

    while (text_end && (got = read(fd, text_end + len, cap - len)) != 0) {
        if (got < 0 && errno == EINTR) {
            give_way(session, text_end);
            continue;
        }
        if (got < 0 || (len += (size_t)got) > SESSION_FILE_LIMIT)
            break;
        if (len == cap) {
            char *q = realloc(text_end, cap * 2);
            if (!q) {
                free(text_end);
                text_end = NULL;
                break;
            }
            text_end = q;
            cap *= 2;
        }
    }
    int error = errno;
    if (!text_end)
        oom_raise();
    if (got == 0) {
        /* the copy may jump, so the guard must know the heap block first */
        *text = text_end;
        *n_out = len;
        return true;
    }
    free(text_end);
    if (got < 0)
        diag_add(&session->ds, DIAG_E0805, IMP_NOWHERE, "cannot read `%s`: %s",
                 path, strerror(error));
    else
        diag_add(&session->ds, DIAG_E0807, IMP_NOWHERE,
                 "`%s` is larger than %u MiB: no model is", path,
                 SESSION_FILE_LIMIT >> 20);
    return false;
}

bool
session_read(struct session *session, const char *path, const char **text,
             size_t *len)
{
    assert(session && path && text && len);
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        struct diag *diag =
            diag_add(&session->ds, DIAG_E0805, IMP_NOWHERE,
                     "cannot open `%s`: %s", path, strerror(errno));
        const char *whole = arena_printf(session->arena, "%s.imp", path);
        if (access(path, F_OK) && access(whole, F_OK) == 0)
            diag_help(&session->ds, diag, "did you mean `%s`?", whole);
        else if (path[0] != '/')
            diag_help(&session->ds, diag,
                      "paths are relative to the folder `imp` is run in");
        return false;
    }
    bool ok = false;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        struct diag *diag = diag_add(&session->ds, DIAG_E0806, IMP_NOWHERE,
                                     "`%s` is a folder, not a model", path);
        if (is_stdin)
            diag_help(&session->ds, diag,
                      "`-` reads a model from the standard "
                      "input, which is a folder here");
        else
            diag_help(&session->ds, diag,
                      "give its models one by one, as in %s/*.imp; "
                      "`imp test %s` runs all that are below it",
                      path, path);
    } else if (S_ISREG(st.st_mode) && st.st_size > (off_t)SESSION_FILE_LIMIT) {
        diag_add(&session->ds, DIAG_E0807, IMP_NOWHERE,
                 "`%s` is larger than %u MiB: no model is", path,
                 SESSION_FILE_LIMIT >> 20);
    } else {
        ok = read_fd(session, fd, path, text, len);
    }
    if (!is_stdin)
        close(fd);
    if (!ok)
        return false;
    /* The arena takes over the text; if that jumps, the block is freed, too. */
    struct oom_guard guard;
    char *volatile heap = (char *)*text;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        free(heap);
        oom_raise();
    }
    oom_enter(&guard);
    *text = arena_strndup(session->arena, heap, *len);
    oom_leave(&guard);
    free(heap);
    if (memchr(*text, 0, *len)) {
        struct diag *diag =
            diag_add(&session->ds, DIAG_E0808, IMP_NOWHERE,
                     "`%s` is not a text: it holds zero bytes", path);
        diag_help(&session->ds, diag, "a model is a text in UTF-8");
        return false;
    }
    return true;
}

struct ast_file *
session_add_text(struct session *session, const char *name, const char *text,
                 size_t n, bool bare)
{
    assert(session->text.sources && name && (text || n == 0));
    atomic_int *before = oom_watch(session->stop);
    uint32_t file = sources_add(session->text.sources, name, text, n);
    struct ast_file *parsed = parse_file(session->arena, session->text.names,
                                         &session->ds, file, bare);
    struct session_texts *all = &session->text;

    if (all->n_files == all->room) {
        size_t room = all->room ? 2 * all->room : 8;
        const struct ast_file **files =
            NEW_N(session->arena, const struct ast_file *, room);
        if (all->n_files)
            memcpy(files, all->files, all->n_files * sizeof *files);
        all->files = files;
        all->room = room;
    }
    all->files[all->n_files++] = parsed;
    oom_watch(before);
    return parsed;
}

struct ast_file *
session_add_file(struct session *session, const char *path)
{
    assert(path != NULL);
    const char *text;
    size_t n;

    if (!session_read(session, path, &text, &n))
        return NULL;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (!session->text.model_name[0])
        session->text.model_name = arena_strdup(session->arena, name);
    return session_add_text(session, name, text, n, false);
}

/* -- values from outside --------------------------------------------------- */

static bool
plain_number(const char *text, double *x)
{
    size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
    size_t n = strlen(text + sign);

    if (n == 0 || num_read(text + sign, n, x) != n)
        return false;
    if (text[0] == '-')
        *x = -*x;
    return true;
}

bool
session_not_a_value(struct session *session, const char *param,
                    const char *text)
{
    struct diag *diag =
        diag_add(&session->ds, DIAG_E0811, IMP_NOWHERE,
                 "param `%s` wants a number; found `%s`", param, text);
    diag_help(&session->ds, diag,
              "write a number in SI units, or with a unit: `3 [mm]`");
    return false;
}

bool
session_quantity(struct session *session, const char *param, const char *text,
                 double *value, const char **unit)
{
    assert(param && text && value && unit);
    struct diags ds;

    *unit = NULL;
    if (plain_number(text, value))
        return true;
    /* everything else is read by the language itself */
    diags_init(&ds, session->arena, session->text.sources);
    uint32_t file =
        sources_add(session->text.sources, param, text, strlen(text));
    const struct ast_file *f =
        parse_file(session->arena, session->text.names, &ds, file, true);
    if (ds.errors || f->n_items != 1 || f->items[0]->kind != AST_COMMAND ||
        strcmp(f->items[0]->name.text, "show") != 0 || f->items[0]->n_args != 1)
        return session_not_a_value(session, param, text);
    struct check_input in = {.arena = session->arena,
                             .names = session->text.names,
                             .sources = session->text.sources,
                             .ds = &ds,
                             .model_name = param,
                             .files = &f,
                             .n_files = 1};
    struct tm_model *m = check_model(&in);
    if (!m || m->n_commands != 1 || m->commands[0].n_args != 1 ||
        m->commands[0].args[0].kind != IMP_VAL_NUM ||
        m->commands[0].args[0].rows * m->commands[0].args[0].cols != 1)
        return session_not_a_value(session, param, text);
    const struct tm_val *v = &m->commands[0].args[0];
    *value = ex_value(m->graph, v->e[0], NULL, NULL);
    if (v->unit && v->unit[0] && strcmp(v->unit, "1") != 0)
        *unit = v->unit;
    return true;
}

/* Reads the values of --set in SI units before the check, which needs those of
 * structural params. */
static bool
quantities(struct session *session, struct check_set *sets, const char **units)
{
    bool ok = true;

    for (size_t i = 0; i < session->o.n_sets; i++) {
        const struct session_set *q = &session->o.sets[i];
        sets[i].name = intern_str(session->text.names, q->name);
        if (q->value)
            ok &= session_quantity(session, q->name, q->value, &sets[i].value,
                                   &units[i]);
        else
            sets[i].value = q->number;
    }
    return ok;
}

void
session_wrong_unit(struct session *session, imp_range where, const char *param,
                   const char *given, const char *own)
{
    assert(param != NULL && given != NULL && own != NULL);
    struct diag *diag =
        diag_add(&session->ds, DIAG_E0812, where,
                 "param `%s` is in [%s], but the value that is set for it "
                 "is in [%s]",
                 param, own[0] ? own : "1", given);
    diag_help(&session->ds, diag,
              "give a bare number in SI units, or a unit of this dimension");
}

static bool
same_unit(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Compares the units of --set with those of the params, which are known now. */
static bool
check_units(struct session *session, const struct check_set *sets,
            const char *const *units)
{
    bool ok = true;

    for (size_t i = 0; i < session->o.n_sets; i++) {
        for (size_t k = 0; k < session->model->n_params; k++) {
            const struct tm_param *p = &session->model->params[k];
            if (strcmp(p->name, sets[i].name) != 0 || !units[i] ||
                same_unit(units[i], p->unit ? p->unit : ""))
                continue;
            session_wrong_unit(session, p->range, p->name, units[i], p->unit);
            ok = false;
        }
    }
    return ok;
}

/* -- the steps ------------------------------------------------------------- */

struct check_input
session_input(struct session *session)
{
    return (struct check_input){
        .arena = session->arena,
        .names = session->text.names,
        .sources = session->text.sources,
        .ds = &session->ds,
        .model_name = session->text.model_name,
        .files = session->text.files,
        .n_files = session->text.n_files,
        .redefine = session->earlier.redefine,
        .allow_read = session->o.allow_read,
        .hdf5 = load_tables,
        .priors = session->earlier.priors,
        .n_priors = session->earlier.n_priors,
    };
}

static int
check(struct session *session)
{
    size_t n_sets = session->o.n_sets;
    struct check_set *sets =
        NEW_N(session->arena, struct check_set, n_sets + 1);
    const char **units = NEW_N(session->arena, const char *, n_sets + 1);

    if (session->ds.errors) {
        struct check_input rest = session_input(session);
        check_rest(&rest);
        return IMP_EXIT_MODEL;
    }
    if (!quantities(session, sets, units))
        return IMP_EXIT_MODEL;
    struct check_input in = session_input(session);
    arena_free(session->model_arena);
    in.arena = session->model_arena = arena_new();
    in.sets = sets;
    in.n_sets = n_sets;
    session->text.n_sources = sources_count(session->text.sources);
    session->model = check_model(&in);
    if (!session->model || session->ds.errors ||
        !check_units(session, sets, units))
        return IMP_EXIT_MODEL;
    return IMP_EXIT_OK;
}

int
session_check(struct session *session)
{
    assert(session->arena && !session->model);
    atomic_int *before = oom_watch(session->stop);
    int status = check(session);
    oom_watch(before);
    return status;
}

static int
compile(struct session *session)
{
    const imp_image *image = mech_compile(session->model, &session->ds);
    if (!image || session->ds.errors)
        return IMP_EXIT_MODEL;
    session->image =
        arena_give(session->model_arena, image, image->size, session->arena);
    session->params =
        NEW_N(session->arena, double, driver_n_params(session->image) + 1);
    driver_defaults(session->image, session->params);
    bool ok = true;
    for (size_t i = 0; i < session->o.n_sets; i++) {
        const struct session_set *q = &session->o.sets[i];
        const char *unit;
        double x = q->number;
        if (q->value &&
            !session_quantity(session, q->name, q->value, &x, &unit))
            return IMP_EXIT_MODEL;
        ok &= driver_set_number(session->image, session->params, q->name, x,
                                &session->ds);
    }
    return ok ? IMP_EXIT_OK : IMP_EXIT_MODEL;
}

int
session_compile(struct session *session)
{
    assert(session->model && !session->image);
    atomic_int *before = oom_watch(session->stop);
    int status = compile(session);
    oom_watch(before);
    return status;
}

int
session_load(struct session *session, const struct session_options *options,
             const char *path)
{
    assert(session && options && path);
    session_open(session, options);
    if (!session_add_file(session, path))
        return IMP_EXIT_MODEL;
    int status = session_check(session);
    return status == IMP_EXIT_OK ? session_compile(session) : status;
}
