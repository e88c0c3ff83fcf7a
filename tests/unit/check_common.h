/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model text through parser and checker, for the tests of the checker. */
#ifndef TESTS_CHECK_COMMON_H
#define TESTS_CHECK_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/source.h"
#include "check/check.h"
#include "syntax/parse.h"

struct checked {
    struct arena *arena;
    struct intern *names;
    struct sources *sources;
    struct diags ds;
    struct check_input in;
    struct tm_model *m;
};

static inline void
check_text_as(struct checked *c, const char *name, const char *text)
{
    memset(c, 0, sizeof *c);
    c->arena = arena_new();
    c->sources = sources_new(c->arena);
    c->names = intern_new(c->arena);
    diags_init(&c->ds, c->arena, c->sources);
    c->ds.limit = 100;
    uint32_t f = sources_add(c->sources, name, text, strlen(text));
    const struct ast_file **files = NEW(c->arena, const struct ast_file *);
    files[0] = parse_file(c->arena, c->names, &c->ds, f, false);
    c->in = (struct check_input){.arena = c->arena,
                                 .names = c->names,
                                 .sources = c->sources,
                                 .ds = &c->ds,
                                 .model_name = name,
                                 .files = files,
                                 .n_files = 1};
}
static inline struct tm_model *
check_text(struct checked *c, const char *text)
{
    check_text_as(c, "test.imp", text);
    c->m = check_model(&c->in);
    return c->m;
}
static inline void
checked_free(struct checked *c)
{
    arena_free(c->arena);
}
/* shows what went wrong when a model that should pass does not */
static inline struct tm_model *
check_good(struct checked *c, const char *text)
{
    if (!check_text(c, text)) {
        struct buf b = {0};
        diags_print(&c->ds, &b, DIAG_TEXT, false);
        print_message("%s\n", buf_str(&b));
        buf_free(&b);
        fail();
    }
    return c->m;
}

#endif
