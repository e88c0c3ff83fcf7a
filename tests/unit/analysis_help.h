/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of whole models: from text to records, with the evaluator. */
#ifndef IMP_TESTS_ANALYSIS_HELP_H
#define IMP_TESTS_ANALYSIS_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/driver/commands.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/source.h"
#include "check/check.h"
#include "mechanics/mech.h"
#include "syntax/parse.h"

struct run {
    struct arena *a;
    struct diags ds;
    const imp_image *im;
    struct driver d;
    struct buf out;
    int status;
};

static inline int
collect(void *ctx, const char *s, size_t n)
{
    buf_put(ctx, s, n);
    return 0;
}

static inline void
complain(struct run *r)
{
    struct buf b = {0};
    diags_print(&r->ds, &b, DIAG_TEXT, false);
    print_message("%s\n", buf_str(&b));
    buf_free(&b);
}

/* compiles a model */
static inline void
compile(struct run *r, const char *text)
{
    memset(r, 0, sizeof *r);
    r->a = arena_new();
    struct sources *src = sources_new(r->a);
    struct intern *names = intern_new(r->a);
    diags_init(&r->ds, r->a, src);
    uint32_t f = sources_add(src, "test.imp", text, strlen(text));
    const struct ast_file *file = parse_file(r->a, names, &r->ds, f, false);
    struct check_input in = {.arena = r->a,
                             .names = names,
                             .sources = src,
                             .ds = &r->ds,
                             .model_name = "test.imp",
                             .files = &file,
                             .n_files = 1};
    struct tm_model *m = r->ds.errors ? NULL : check_model(&in);
    r->im = m ? mech_compile(m, &r->ds) : NULL;
    if (!r->im) {
        complain(r);
        fail_msg("the model does not compile");
    }
}

/* compiles and runs a model; records are in r->d.recs */
static inline void
run(struct run *r, const char *text, bool json)
{
    compile(r, text);
    double *p = NEW_N(r->a, double, driver_n_params(r->im) + 1);
    driver_defaults(r->im, p);
    struct driver_options o = {.json = json, .write = collect, .ctx = &r->out};
    r->status = driver_open(&r->d, r->im, NULL, p, &o, &r->ds);
    if (r->status == IMP_EXIT_OK)
        r->status = driver_run_commands(&r->d);
}
static inline void
done(struct run *r)
{
    driver_close(&r->d);
    buf_free(&r->out);
    arena_free(r->a);
}
static inline void
fine(struct run *r)
{
    if (r->status != IMP_EXIT_OK)
        complain(r);
    assert_int_equal(r->status, IMP_EXIT_OK);
}
static inline bool
has_code(const struct run *r, enum diag_code code)
{
    for (const struct diag *d = r->ds.first; d; d = d->next)
        if (d->code == code)
            return true;
    return false;
}
static inline const struct field_value *
field(const struct run *r, int command, const char *name)
{
    const struct record *rec = r->d.recs[command];
    assert_non_null(rec);
    int i = record_index(rec, name);
    assert_true(i >= 0);
    return &rec->v[i];
}
static inline double
number(const struct run *r, int command, const char *name)
{
    const struct field_value *v = field(r, command, name);
    if (v->why)
        fail_msg("%s is absent: %s", name, v->why);
    return v->num[0];
}
static inline const char *
word(const struct run *r, int command, const char *name)
{
    const struct field_value *v = field(r, command, name);
    return v->why ? v->why : v->text;
}
static inline void
near_at(double x, double y, double tol, int line)
{
    if (!(fabs(x - y) <= tol))
        fail_msg("line %d: %.17g, not %.17g, off by %g", line, x, y, x - y);
}
#define near(x, y, tol) near_at(x, y, tol, __LINE__)

#endif
