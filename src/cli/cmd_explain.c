/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp explain CODE: what a diagnostic means, with an example; imp doc NAME:
 * documentation of a name; imp lsp: not here yet. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "cli/commands.h"
#include "cli/session/open_page.h"
#include "cli/session/session.h"

/* -- explain --------------------------------------------------------------- */

static int
explain_all(void)
{
    for (int c = 1; c < DIAG_COUNT; c++)
        printf("%s  %s\n", diag_code_name((enum diag_code)c),
               diag_code_title((enum diag_code)c));
    return cli_flush();
}

static int
explain_one(const char *word)
{
    char name[16] = {0};

    for (size_t i = 0; i + 1 < sizeof name && word[i]; i++)
        name[i] = (char)toupper((unsigned char)word[i]);
    enum diag_code c = diag_code_find(name);
    /* a number without its letter: errors come first */
    bool digits = word[0] && word[strspn(word, "0123456789")] == 0;
    for (int i = 0; i < 2 && digits && strlen(word) <= 4 && c == DIAG_NONE;
         i++) {
        snprintf(name, sizeof name, "%c%04d", "EW"[i], atoi(word));
        c = diag_code_find(name);
    }
    if (c == DIAG_NONE) {
        cli_error(DIAG_E0814,
                  "`imp explain` lists all codes; `imp doc NAME` tells what a "
                  "name means",
                  "there is no diagnostic code `%s`", word);
        return IMP_EXIT_MODEL;
    }
    const char *text = diag_code_text(c);
    size_t n = strlen(text);
    printf("%s: %s\n\n%s%s", name, diag_code_title(c), text,
           n && text[n - 1] == '\n' ? "" : "\n");
    return IMP_EXIT_OK;
}

static int
run_explain(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    int status = IMP_EXIT_OK, words = 0, k;

    while ((k = cli_next(&a)) != CLI_END) {
        if (k != CLI_WORD)
            return k == CLI_HELP ? IMP_EXIT_OK : IMP_EXIT_MODEL;
        if (words++)
            putchar('\n');
        status = cli_worst(status, explain_one(a.value));
    }
    if (words == 0)
        return explain_all();
    return cli_worst(status, cli_flush());
}

const struct cli_command cli_explain = {
    .name = "explain",
    .run = run_explain,
    .words = "[CODE]...",
    .doc = "what a diagnostic code means",
    .text = "Without a code: all codes and their titles.\n",
};

/* -- doc ------------------------------------------------------------------- */

#define DOC_WORDS 8

struct job {
    struct session_options o;
    struct session s;
    const char *word[DOC_WORDS];
    size_t n_words;
    struct buf words; /* the name */
    const char *name, *model;
};

static int
work_doc(void *ctx)
{
    struct job *job = ctx;
    struct buf text = {0};

    session_open(&job->s, &job->o);
    if (job->model && !session_add_file(&job->s, job->model))
        return IMP_EXIT_MODEL;
    struct check_input in = session_input(&job->s);
    bool known = check_doc(&in, job->name, &text);
    if (known)
        cli_puts(buf_str(&text));
    if (known && text.n && text.s[text.n - 1] != '\n')
        cli_puts("\n");
    if (!known) {
        struct diag *diag =
            diag_add(&job->s.ds, DIAG_E0815, IMP_NOWHERE,
                     "nothing is known under the name `%s`", job->name);
        struct buf first = {0};
        if (text.n)
            diag_help(&job->s.ds, diag, "%s", buf_str(&text));
        else if (strchr(job->name, ' ') && check_doc(&in, job->word[0], &first))
            diag_help(&job->s.ds, diag, "one name at a time: `imp doc %s`",
                      job->word[0]);
        else
            diag_help(&job->s.ds, diag, "`imp doc` lists all names");
        buf_free(&first);
    }
    buf_free(&text);
    return known ? IMP_EXIT_OK : IMP_EXIT_MODEL;
}

static void
list_name(void *ctx, const char *kind, const char *name)
{
    size_t n = strlen(kind);
    (void)ctx;
    if (n < 3 || kind[n - 1] != '.') /* parts belong to a body or a contact */
        printf("%s\t%s\n", kind, name);
}

/* All names that Imp itself knows, with their kinds. */
static int
work_list(void *ctx)
{
    struct job *job = ctx;
    session_open(&job->s, &job->o);
    struct check_input in = session_input(&job->s);
    check_names(&in, list_name, NULL);
    check_terms(list_name, NULL);
    return IMP_EXIT_OK;
}

static bool
take_doc(void *ctx, int k, const char *value)
{
    struct job *job = ctx;
    (void)k; /* there are no options */
    if (job->n_words == DOC_WORDS) {
        cli_error(DIAG_E0822, "`imp doc NAME [MODEL]`",
                  "`imp doc` takes a name and at most one model");
        return false;
    }
    job->word[job->n_words++] = value;
    return true;
}

/* The last word is a model if it looks like one or is a file that is there; all
 * others are the name, such as `Delassus matrix`. */
static void
sort_words(struct job *job)
{
    size_t n = job->n_words;
    const char *last = n > 1 ? job->word[n - 1] : NULL;
    if (last && (page_ends(last, ".imp") || !strcmp(last, "-") ||
                 access(last, F_OK) == 0)) {
        job->model = last;
        n--;
    }
    for (size_t i = 0; i < n; i++)
        buf_printf(&job->words, i ? " %s" : "%s", job->word[i]);
    job->name = n ? buf_str(&job->words) : NULL;
}

static int
work_words(void *ctx)
{
    struct job *job = ctx;
    sort_words(job);
    return job->name ? work_doc(job) : work_list(job);
}

static int
run_doc(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct job job = {0};

    session_defaults(&job.o);
    int status = cli_read(&a, take_doc, &job);
    if (status >= 0)
        return status;
    status = cli_guard(work_words, &job);
    status = cli_worst(status, cli_flush());
    session_end(&job.s);
    buf_free(&job.words);
    return status;
}

const struct cli_command cli_doc = {
    .name = "doc",
    .run = run_doc,
    .words = "[NAME [MODEL]]",
    .doc = "documentation of a name",
    .text = "Knows the words of the language, commands, options and record "
            "fields,\nfunctions, units, the standard library, terms of the "
            "field, and the "
            "names of\nMODEL. Without a name: all that it knows, a kind and a "
            "name in each line.\n",
};

/* -- lsp ------------------------------------------------------------------- */

static int
run_lsp(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};

    if (cli_next(&a) == CLI_HELP)
        return IMP_EXIT_OK;
    cli_error(DIAG_E0990, NULL, "`imp lsp` is not available in this build");
    return IMP_EXIT_MODEL;
}

const struct cli_command cli_lsp = {
    .name = "lsp",
    .run = run_lsp,
    .words = "",
    .doc = "language server (not available in this build)",
};
