/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands of the REPL: those that begin with a colon, and ?name. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/code/jit.h"
#include "cli/code/load.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/open_page.h"
#include "cli/session/put_file.h"
#include "cli/session/runopts.h"
#include "codegen/gen.h"

struct colon {
    const char *name, *words, *doc;
    int (*run)(struct repl *r, const char *arg);
};
#define COLON(name, words, doc)                                                \
    static int colon_##name(struct repl *r, const char *arg);
REPL_COMMANDS(COLON)
#undef COLON
#define COLON(name, words, doc) {#name, words, doc, colon_##name},
static const struct colon table[] = {
    REPL_COMMANDS(COLON){NULL, NULL, NULL, NULL}};
#undef COLON
enum { N_COLON = sizeof table / sizeof *table };

/* Reports a command that went wrong. */
static int
wrong(struct repl *repl, enum diag_code code, const char *help,
      const char *text)
{
    fflush(stdout);
    (void)repl;
    cli_error(code, help, "%s", text);
    return IMP_EXIT_MODEL;
}

/* -- :help ?name ----------------------------------------------------------- */

static int
colon_help(struct repl *repl, const char *arg)
{
    (void)repl;
    (void)arg;
    for (const struct colon *c = table; c->name; c++) {
        struct buf text = {0};
        buf_printf(&text, ":%s %s", c->name, c->words);
        printf("%-22s %s\n", buf_str(&text), c->doc);
        buf_free(&text);
    }
    printf("%-22s %s\n", "?NAME", "documentation of a name");
    printf(
        "The beginning of a command is enough, as `:q`. Everything else is "
        "Imp: a declaration\n(also again), a command, or an expression, which "
        "is shown. `ans` is what was shown\nlast. Ctrl-C stops a command, "
        "Ctrl-D leaves. At a terminal Tab completes names, and\n\\theta as "
        "well; the arrows look for entries that begin as the line does.\n");
    return IMP_EXIT_OK;
}

struct name_job {
    struct repl *r;
    const char *name;
};

static int
doc_work(void *ctx)
{
    struct name_job *job = ctx;
    struct buf text = {0};

    repl_open(job->r);
    struct check_input in = session_input(&job->r->s);
    bool known = check_doc(&in, job->name, &text);
    /* look for a result first, because its name may be that of a unit, too */
    for (size_t i = 0; i < job->r->results.n; i++) {
        const struct tm_command *c = job->r->results.v[i].command;
        if (strcmp(c->bound, job->name) != 0)
            continue;
        buf_clear(&text);
        buf_printf(&text, "result %s\n  fields:", job->name);
        for (size_t k = 0; k < c->n_fields; k++)
            buf_printf(&text, " %s", c->fields[k].name);
        known = true;
    }
    if (!known && !strcmp(job->name, "ans")) {
        buf_clear(&text);
        buf_puts(&text, "ans\n  what was shown last");
        known = true;
    }
    if (known) {
        cli_puts(buf_str(&text));
        if (text.n && text.s[text.n - 1] != '\n')
            cli_puts("\n");
    } else {
        struct diag *diag =
            diag_add(&job->r->s.ds, DIAG_E0815, IMP_NOWHERE,
                     "nothing is known under the name `%s`", job->name);
        if (text.n)
            diag_help(&job->r->s.ds, diag, "%s", buf_str(&text));
    }
    buf_free(&text);
    return known ? IMP_EXIT_OK : IMP_EXIT_MODEL;
}

/* What `:set` has made of a param, or of all of them. */
static void
say_sets(const struct repl *repl, const char *name)
{
    for (size_t i = 0; i < repl->o.n_sets; i++)
        if (!name || !strcmp(repl->o.sets[i].name, name))
            printf("# :set %s=%s\n", repl->o.sets[i].name,
                   repl->o.sets[i].value);
}

static int
question(struct repl *repl, const char *name)
{
    struct name_job j = {repl, name};

    if (!name[0])
        return wrong(repl, DIAG_E0821, NULL, "`?NAME`, as in `?ellipse`");
    int status = cli_guard(doc_work, &j);
    if (status == IMP_EXIT_OK)
        say_sets(repl, name);
    repl_say(repl);
    session_close(&repl->s);
    return status;
}

/* -- :show :save :load ----------------------------------------------------- */

struct listing {
    const char *name; /* the only item to list, or NULL */
    struct buf *out;
    int found;
};

static void
list_item(void *ctx, const struct ast_item *item, const char *text, size_t n)
{
    struct listing *l = ctx;

    if (l->name && (!item->name.text || strcmp(item->name.text, l->name) != 0))
        return;
    buf_put(l->out, text, n);
    buf_putc(l->out, '\n');
    l->found++;
}

struct list_job {
    struct repl *r;
    struct listing l;
};

static int
list_work(void *ctx)
{
    struct list_job *j = ctx;

    repl_open(j->r);
    repl_items(j->r, list_item, &j->l);
    return IMP_EXIT_OK;
}

static int
list(struct repl *repl, const char *name, struct buf *out, int *found)
{
    struct list_job j = {repl, {name, out, 0}};
    int status = cli_guard(list_work, &j);

    session_close(&repl->s);
    *found = j.l.found;
    return status;
}

static int
colon_show(struct repl *repl, const char *arg)
{
    struct buf text = {0};
    int found;
    int status = list(repl, arg[0] ? arg : NULL, &text, &found);

    cli_puts(buf_str(&text));
    buf_free(&text);
    if (status != IMP_EXIT_OK)
        return status;
    say_sets(repl, arg[0] ? arg : NULL);
    for (size_t i = 0; !arg[0] && i < repl->results.n; i++)
        if (repl->results.v[i].command->bound[0])
            printf("# result %s\n", repl->results.v[i].command->bound);
    if (arg[0] && !found) {
        struct buf e = {0};
        buf_printf(&e, "show %s", arg);
        status = repl_eval(repl, "<:show>", e.s, e.n, false);
        buf_free(&e);
    }
    return status;
}

static int
colon_save(struct repl *repl, const char *arg)
{
    struct buf text = {0};
    int found;

    if (!arg[0])
        return wrong(repl, DIAG_E0821, NULL, "the form is `:save FILE`");
    bool overwrite = arg[0] == '!';
    arg += overwrite;
    arg += strspn(arg, " \t");
    int status = list(repl, NULL, &text, &found);
    if (status == IMP_EXIT_OK) {
        int e = !overwrite && !access(arg, F_OK)
                    ? EEXIST
                    : cli_put_file(arg, buf_str(&text), text.n);
        if (e == EEXIST && !overwrite) {
            cli_error(DIAG_E0819, "`:save ! FILE` overwrites a file",
                      "`%s` is there already", arg);
            status = IMP_EXIT_RUN;
        } else if (e) {
            cli_cannot_write(arg, e);
            status = IMP_EXIT_RUN;
        }
    }
    buf_free(&text);
    return status;
}

struct load_job {
    struct repl *r;
    const char *path;
    char *text; /* heap */
    size_t n;
};

static int
load_work(void *ctx)
{
    struct load_job *j = ctx;
    const char *text;

    session_close(&j->r->s);
    session_open(&j->r->s, &j->r->o);
    if (!session_read(&j->r->s, j->path, &text, &j->n))
        return IMP_EXIT_MODEL;
    j->text = mem_alloc(j->n + 1);
    if (j->n)
        memcpy(j->text, text, j->n);
    return IMP_EXIT_OK;
}

static int
colon_load(struct repl *repl, const char *arg)
{
    struct load_job j = {.r = repl, .path = arg};

    if (!arg[0])
        return wrong(repl, DIAG_E0821, NULL, "the form is `:load FILE`");
    int status = cli_guard(load_work, &j);
    repl_say(repl);
    session_close(&repl->s);
    if (status == IMP_EXIT_OK)
        status = repl_eval(repl, arg, j.text, j.n, true);
    free(j.text);
    return status;
}

/* -- :set ------------------------------------------------------------------ */

static int
check_work(void *ctx)
{
    struct repl *repl = ctx;

    repl_open(repl);
    int status = session_check(&repl->s);
    return status == IMP_EXIT_OK ? session_compile(&repl->s) : status;
}

/* the params that are set must fit the model */
static int
set_param(struct repl *repl, const char *arg)
{
    struct session_options before = repl->o;
    /* work on a copy, so that a wrong value changes nothing */
    repl->o.sets = NULL;
    repl->o.n_sets = 0;
    for (size_t i = 0; i < before.n_sets; i++) {
        struct buf text = {0};
        buf_printf(&text, "%s=%s", before.sets[i].name, before.sets[i].value);
        (void)runopts_apply(&repl->o, RUNOPT_SET, text.s);
        buf_free(&text);
    }
    int status = IMP_EXIT_MODEL;
    if (runopts_apply(&repl->o, RUNOPT_SET, arg)) {
        status = cli_guard(check_work, repl);
        repl_say(repl);
        session_close(&repl->s);
    }
    if (status == IMP_EXIT_OK) {
        repl->changes++;
        runopts_free(&before);
    } else {
        struct session_options bad = repl->o;
        runopts_free(&bad);
        repl->o.sets = before.sets;
        repl->o.n_sets = before.n_sets;
    }
    return status;
}

static int
colon_set(struct repl *repl, const char *arg)
{
    static const char *const switches[] = {"0",    "1",   "false",
                                           "true", "off", "on"};
    static const struct {
        const char *name;
        enum runopt opt;
    } keys[] = {{"backend", RUNOPT_BACKEND},
                {"opt", RUNOPT_OPT},
                {"seed", RUNOPT_SEED},
                {"diagnostics", RUNOPT_DIAGNOSTICS}};
    const char *eq = strchr(arg, '=');

    if (!arg[0]) {
        for (size_t i = 0; i < repl->o.n_sets; i++)
            printf("%s=%s\n", repl->o.sets[i].name, repl->o.sets[i].value);
        static const char *const backends[] = {"auto", "jit", "eval"};
        printf("# backend=%s opt=%d cache=%d json=%d\n",
               backends[repl->o.backend], repl->o.opt, repl->o.cache,
               repl->o.json);
        return IMP_EXIT_OK;
    }
    if (!eq || eq == arg)
        return wrong(repl, DIAG_E0821, NULL,
                     "the form is `:set PARAM=VALUE` or `:set OPTION=VALUE` "
                     "(backend, opt, cache, json, seed, diagnostics)");
    size_t len = (size_t)(eq - arg);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].name) == len && memcmp(keys[i].name, arg, len) == 0)
            return runopts_apply(&repl->o, (int)keys[i].opt, eq + 1)
                       ? IMP_EXIT_OK
                       : IMP_EXIT_MODEL;
    if ((len == 4 && memcmp(arg, "json", len) == 0) ||
        (len == 5 && memcmp(arg, "cache", len) == 0)) {
        int k = -1;
        for (int i = 0; i < 6 && k < 0; i++)
            k = strcmp(eq + 1, switches[i]) ? k : i;
        if (k < 0)
            k = cli_choice(len == 4 ? "json" : "cache", eq + 1, switches, 2);
        if (k < 0)
            return IMP_EXIT_MODEL;
        *(len == 4 ? &repl->o.json : &repl->o.cache) = k % 2 == 1;
        return IMP_EXIT_OK;
    }
    return set_param(repl, arg);
}

/* -- :view ----------------------------------------------------------------- */

static int
colon_view(struct repl *repl, const char *arg)
{
    const struct repl_result *found = NULL;
    for (size_t i = 0; i < repl->results.n; i++) {
        const struct tm_command *command = repl->results.v[i].command;
        if (imp_command_has(command->id, IMP_TRAIT_RECORDS_MOTION) &&
            (!arg[0] || !strcmp(command->bound, arg)))
            found = &repl->results.v[i];
    }
    if (!found)
        return wrong(repl, DIAG_E0833, "let r = simulate { until = 1 }",
                     arg[0]
                         ? "no run of this name has a motion to view"
                         : "no `simulate` has run: there is nothing to view");
    const char *bound = found->command->bound;
    if (!found->rec->motion)
        return wrong(repl, DIAG_E0753,
                     "write trace = true in its `simulate` block and run it "
                     "again",
                     "the motion of this run was not kept");
    struct buf path = {0};
    buf_printf(&path, "imp-%s.html", bound[0] ? bound : "run");
    struct page_file file = {.path = path.s, .open = true};
    int status = page_show(&file, bound[0] ? bound : "run", found->rec->motion,
                           found->rec->n_motion);
    buf_free(&path);
    return cli_worst(status, cli_flush());
}

/* -- :time :ir :complete :quit --------------------------------------------- */

static int
colon_time(struct repl *repl, const char *arg)
{
    struct timespec a, b;

    if (!arg[0])
        return wrong(repl, DIAG_E0821, NULL, "the form is `:time ENTRY`");
    clock_gettime(CLOCK_MONOTONIC, &a);
    int status = repl_entry(repl, arg, strlen(arg));
    clock_gettime(CLOCK_MONOTONIC, &b);
    double s =
        (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    fflush(stdout);
    cli_say("%.3f ms\n", s * 1e3);
    return status;
}

static int
ir_llvm(struct repl *repl)
{
    const char *error = NULL;
    const struct gen_api *g = load_codegen(&error);
    struct gen_options o = {.opt = repl->o.opt, .pic = true, .output = GEN_IR};
    struct gen_bytes bytes = {0};

    if (g) {
        bytes = g->emit(repl->s.image, &o);
        error = bytes.error;
    }
    if (!bytes.s) {
        diag_add(&repl->s.ds, DIAG_E0816, IMP_NOWHERE,
                 "machine code cannot be made: %s", error ? error : "unknown");
        return IMP_EXIT_RUN;
    }
    (void)cli_write(NULL, bytes.s, bytes.n);
    free(bytes.s);
    return IMP_EXIT_OK;
}

static int
ir_work(void *ctx)
{
    struct name_job *job = ctx;
    struct buf text = {0};
    int status = check_work(job->r);

    if (status != IMP_EXIT_OK)
        return status;
    if (strcmp(job->name, "llvm") == 0)
        return ir_llvm(job->r);
    if (!ir_tapes(job->r->s.image, job->name, &text)) {
        struct diag *diag = diag_add(&job->r->s.ds, DIAG_E0821, IMP_NOWHERE,
                                     "the model has no tape `%s`", job->name);
        diag_help(&job->r->s.ds, diag,
                  "`:ir` lists the tapes; `:ir llvm` prints the whole model's "
                  "LLVM IR");
        status = IMP_EXIT_MODEL;
    }
    cli_puts(buf_str(&text));
    buf_free(&text);
    return status;
}

static int
colon_ir(struct repl *repl, const char *arg)
{
    struct name_job j = {repl, arg};
    int status = cli_guard(ir_work, &j);

    repl_say(repl);
    session_close(&repl->s);
    return status;
}

static int
colon_complete(struct repl *repl, const char *arg)
{
    struct completions c = {0};
    size_t word;

    repl_complete(repl, arg, strlen(arg), &c, &word);
    for (size_t i = 0; i < c.n; i++)
        printf("%s\n", c.v[i]);
    completions_free(&c);
    return IMP_EXIT_OK;
}

static int
colon_quit(struct repl *repl, const char *arg)
{
    (void)arg;
    repl->quit = true;
    return IMP_EXIT_OK;
}

/* The command of this name, or the only one that begins so; else the empty row
 * at the end. */
static const struct colon *
find_colon(const char *name)
{
    const struct colon *only = NULL;
    size_t n = strlen(name), found = 0;
    const struct colon *colon = table;
    for (; colon->name && strcmp(colon->name, name) != 0; colon++)
        if (n && strncmp(colon->name, name, n) == 0) {
            only = colon;
            found++;
        }
    return !colon->name && found == 1 ? only : colon;
}

/* Takes a :command or ?name. */
static int
colon_command(struct repl *repl, const char *text, size_t n)
{
    assert(repl && n > 0 && (text[0] == ':' || text[0] == '?'));
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    char *line = mem_alloc(n + 1);
    memcpy(line, text, n);
    char *name = line + 1;
    name += strspn(name, " \t");
    int status = IMP_EXIT_MODEL;

    if (line[0] == '?') {
        status = question(repl, name);
    } else {
        char *arg = name + strcspn(name, " \t\n");
        if (*arg)
            *arg++ = 0;
        arg += strspn(arg, " \t\n");
        const struct colon *colon = find_colon(name);
        if (!colon->name) {
            const char *names[N_COLON];
            for (size_t i = 0; i + 1 < N_COLON; i++)
                names[i] = table[i].name;
            const char *near = suggest(name, names, N_COLON - 1);
            fflush(stdout);
            cli_error(DIAG_E0820, "`:help` lists the commands",
                      "there is no command `:%s`%s%s%s", name,
                      near ? ": did you mean `:" : "", near ? near : "",
                      near ? "`?" : "");
        } else {
            status = colon->run(repl, arg);
        }
    }
    free(line);
    return status;
}

int
repl_entry(struct repl *repl, const char *text, size_t len)
{
    assert(repl && (text || len == 0));
    char name[32];
    size_t i = 0;

    while (i < len && strchr(" \t\r\n", text[i]))
        i++;
    if (i == len)
        return IMP_EXIT_OK;
    static const struct {
        const char *word, *command;
    } words[] = {{"exit", ":quit"}, {"quit", ":quit"}, {"help", ":help"}};
    size_t n = len;
    while (strchr(" \t\r\n", text[n - 1]))
        n--;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (n - i == strlen(words[k].word) &&
            !memcmp(text + i, words[k].word, n - i))
            return colon_command(repl, words[k].command,
                                 strlen(words[k].command));
    int status;
    if (text[i] == ':' || text[i] == '?') {
        status = colon_command(repl, text + i, len - i);
    } else {
        snprintf(name, sizeof name, "<%d>", ++repl->entries);
        status = repl_eval(repl, name, text, len, true);
    }
    repl->worst = cli_worst(repl->worst, status);
    return status;
}
