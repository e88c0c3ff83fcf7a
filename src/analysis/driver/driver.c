/* SPDX-License-Identifier: MIT */
/* Parameters, the run, and exit statuses, for `imp run`, the REPL, the C API
 * and simulators alike. Invariant: whoever gets an exit status other than 0
 * finds a diagnostic in ds. */
#include "analysis/driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/commands.h"
#include "base/arena.h"
#include "base/io.h"
#include "base/num.h"
#include "base/source.h"
#include "runtime/setup/new_run.h"

static const imp_param *
param_at(const imp_image *im, uint32_t i)
{
    return IMP_ARRAY(im, im->params, imp_param) + i;
}

uint32_t
driver_n_params(const imp_image *im)
{
    return im->params.n;
}

uint32_t
driver_find_param(const imp_image *im, const char *name, size_t len)
{
    for (uint32_t i = 0; i < im->params.n; i++) {
        imp_str s = param_at(im, i)->name;
        if (s.n == len && !memcmp(imp_text(im, s), name, len))
            return i;
    }
    return UINT32_MAX;
}

void
driver_defaults(const imp_image *im, double *p)
{
    for (uint32_t i = 0; i < im->params.n; i++)
        p[i] = param_at(im, i)->dflt;
}

/* the range alone */
static bool
driver_check(const imp_image *im, uint32_t number, double value,
             struct diags *ds)
{
    const imp_param *param = param_at(im, number);
    const char *name = imp_text(im, param->name);
    char x[NUM_TEXT], lo[NUM_TEXT], hi[NUM_TEXT];

    if (!isfinite(value)) {
        struct diag *diag =
            diag_add(ds, DIAG_E0811, IMP_NOWHERE,
                     "param `%s` wants a finite number; found %s", name,
                     num_shortest(x, value));
        diag_help(ds, diag, "numbers reach up to about 1.8e308");
        return false;
    }
    if (!param->has_range || (value >= param->lo && value <= param->hi))
        return true;
    struct diag *d =
        diag_add(ds, DIAG_E0813, param->range,
                 "param `%s` = %s is outside its range [%s, %s]%s%s", name,
                 num_shortest(x, value), num_shortest(lo, param->lo),
                 num_shortest(hi, param->hi), param->unit.n ? " " : "",
                 imp_text(im, param->unit));
    diag_label(ds, d, "the range is stated here");
    diag_help(ds, d, "choose a value between %s and %s", lo, hi);
    return false;
}

static bool
unknown_param(const imp_image *im, const char *name, struct diags *ds)
{
    uint32_t n = im->params.n;
    const char **names = NEW_N(ds->arena, const char *, n + 1);

    for (uint32_t i = 0; i < n; i++)
        names[i] = imp_text(im, param_at(im, i)->name);
    const char *near = suggest(name, names, n);
    struct diag *diag = diag_add(ds, DIAG_E0810, IMP_NOWHERE,
                                 "the model has no param `%s`", name);
    if (near)
        diag_help(ds, diag, "did you mean `%s`?", near);
    else if (n == 0)
        diag_help(ds, diag,
                  "the model declares no param; a knob is declared as "
                  "`param gamma = 0.1 in [0, 1]`");
    else
        diag_help(ds, diag, "the first of its params is `%s`", names[0]);
    return false;
}

/* a decimal number and nothing else, with an optional sign */
static bool
number(const char *text, double *x)
{
    size_t sign = *text == '-' || *text == '+', n = strlen(text + sign);

    if (!n || text[sign] == '-' || text[sign] == '+' ||
        num_read(text + sign, n, x) != n)
        return false;
    if (*text == '-')
        *x = -*x;
    return true;
}

/* param i gets the value x, if it may */
static bool
put(const imp_image *im, double *p, uint32_t i, double x, struct diags *ds)
{
    const imp_param *param = param_at(im, i);
    const char *name = imp_text(im, param->name);

    if (!driver_check(im, i, x, ds))
        return false;
    if (param->structural && x != param->dflt) {
        char was[NUM_TEXT], now[NUM_TEXT];
        struct diag *diag = diag_add(
            ds, DIAG_E0830, param->range,
            "param `%s` is structural: this code was compiled for %s = %s, "
            "not %s",
            name, name, num_shortest(was, param->dflt), num_shortest(now, x));
        diag_help(ds, diag,
                  "compile the model with the new value: "
                  "`imp build MODEL --set %s=%s -o SIM`",
                  name, now);
        return false;
    }
    p[i] = x;
    return true;
}

bool
driver_set_number(const imp_image *im, double *p, const char *name, double x,
                  struct diags *ds)
{
    uint32_t i = driver_find_param(im, name, strlen(name));

    return i == UINT32_MAX ? unknown_param(im, name, ds) : put(im, p, i, x, ds);
}

bool
driver_set(const imp_image *im, double *p, const char *name, const char *text,
           struct diags *ds)
{
    uint32_t i = driver_find_param(im, name, strlen(name));
    double x = 0;

    if (i == UINT32_MAX)
        return unknown_param(im, name, ds);
    const imp_param *param = param_at(im, i);
    if (!number(text, &x)) {
        struct diag *diag =
            diag_add(ds, DIAG_E0811, IMP_NOWHERE,
                     "param `%s` wants a number; found `%s`", name, text);
        if (param->unit.n)
            diag_help(ds, diag, "write a bare number, in %s, as in `%s=%s`",
                      imp_text(im, param->unit), name,
                      num_shortest((char[NUM_TEXT]){0}, param->dflt));
        else
            diag_help(ds, diag, "write a bare number, as in `%s=%s`", name,
                      num_shortest((char[NUM_TEXT]){0}, param->dflt));
        return false;
    }
    return put(im, p, i, x, ds);
}

/* ---- the run --------------------------------------------------------------
 */

/* standard output, in pieces of at least 64 KiB; errno value */
#define PENDING_MAX ((size_t)1 << 16)

static int
flush(struct driver *driver)
{
    int e =
        io_write(STDOUT_FILENO, buf_str(&driver->pending), driver->pending.n);

    buf_clear(&driver->pending);
    return e;
}

static int
to_stdout(void *ctx, const char *s, size_t n)
{
    struct driver *driver = ctx;

    buf_put(&driver->pending, s, n);
    return driver->pending.n >= PENDING_MAX ? flush(driver) : 0;
}

/* the status of a set-up that failed: codes E05xx say that the model is wrong
 */
static int
setup_status(const struct diags *ds)
{
    for (const struct diag *diag = ds->first; diag; diag = diag->next)
        if (diag->severity == DIAG_ERROR)
            return strncmp(diag_code_name(diag->code), "E05", 3)
                       ? IMP_EXIT_RUN
                       : IMP_EXIT_MODEL;
    return IMP_EXIT_RUN;
}

static int
not_set_up(struct diags *ds)
{
    if (!ds->errors)
        diag_add(ds, DIAG_E0700, IMP_NOWHERE, "the model could not be set up");
    return setup_status(ds);
}

/* everything but d->rt, which is set up */
static int
begin(struct driver *driver, const struct driver_options *o)
{
    driver->recs =
        NEW_N(driver->ds->arena, struct record *, driver->im->commands.n + 1);
    driver->out =
        (struct output){.write = o->write ? o->write : to_stdout,
                        .ctx = o->write ? o->ctx : driver,
                        .json = o->json,
                        .dir = o->out_dir,
                        .width = o->width ? o->width : 80,
                        .hdf5 = o->hdf5,
                        .im = driver->im,
                        .params = driver->rt->env + driver->im->layout.params};
    if (o->has_seed && rt_seed(driver->rt, o->seed, 0))
        return not_set_up(driver->ds);
    driver->out.seed = driver->rt->seed;
    driver->an = (struct analysis){.rt = driver->rt,
                                   .out = &driver->out,
                                   .ds = driver->ds,
                                   .recs = driver->recs,
                                   .commands = all_commands,
                                   .sweeps = o->sweeps};
    return IMP_EXIT_OK;
}

int
driver_open(struct driver *driver, const imp_image *im, const imp_code *code,
            const double *params, const struct driver_options *o,
            struct diags *ds)
{
    *driver = (struct driver){.im = im, .ds = ds};
    driver->rt = rt_new_tier(im, code, o->tier, params, ds, o->stop);
    return driver->rt ? begin(driver, o) : not_set_up(ds);
}

int
driver_restart(struct driver *driver, const double *params,
               const struct driver_options *o)
{
    driver->rt->stop = o->stop;
    return rt_restart(driver->rt, params) == IMP_OK ? begin(driver, o)
                                                    : not_set_up(driver->ds);
}

int
driver_run_commands(struct driver *driver)
{
    int status = commands_run(&driver->an), e = flush(driver);

    if (e && !driver->out.error)
        driver->out.error = e;
    if (out_check(&driver->out, driver->ds) != IMP_OK)
        return IMP_EXIT_RUN;
    if (status == IMP_BADMODEL)
        return IMP_EXIT_MODEL;
    if (status != IMP_OK)
        return IMP_EXIT_RUN;
    return driver->an.failed_expects ? IMP_EXIT_EXPECT : IMP_EXIT_OK;
}

void
driver_close(struct driver *driver)
{
    rt_free(driver->rt);
    driver->rt = NULL;
    driver->an.rt = NULL;
    buf_free(&driver->pending);
}

int
driver_run(const imp_image *im, const imp_code *code, const double *params,
           const struct driver_options *o, struct diags *ds)
{
    struct driver d;
    int status = driver_open(&d, im, code, params, o, ds);

    if (status == IMP_EXIT_OK)
        status = driver_run_commands(&d);
    driver_close(&d);
    return status;
}

struct sources *
driver_sources(const imp_image *im, struct arena *arena)
{
    struct sources *s = sources_new(arena);
    const imp_source *v = IMP_ARRAY(im, im->sources, imp_source);

    for (uint32_t i = 0; i < im->sources.n; i++)
        sources_add(s, imp_text(im, v[i].name), imp_text(im, v[i].text),
                    v[i].text.n);
    return s;
}
