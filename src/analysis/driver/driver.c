/* SPDX-License-Identifier: MIT */
/* The life of one run: open, run the commands, restart, close. Invariant:
 * whoever gets an exit status other than 0 finds a diagnostic in ds. */
#include "analysis/driver/driver.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/command/lists.h"
#include "analysis/driver/commands.h"
#include "base/arena.h"
#include "base/io.h"
#include "base/num.h"
#include "base/source.h"
#include "runtime/setup/new_run.h"

/* ---- the run --------------------------------------------------------------
 */

/* Results go to the standard output in pieces of at least 64 KiB. 0 or an errno
 * value. */
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

/* The exit status of a set-up that failed: codes E05xx mean that the model is
 * wrong. */
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

/* Prepares everything but the run itself, which is set up already. */
static int
begin(struct driver *driver, const struct driver_options *options)
{
    assert(driver->run && options);
    driver->recs =
        NEW_N(driver->ds->arena, struct record *, driver->im->commands.n + 1);
    driver->out =
        (struct output){.write = options->write ? options->write : to_stdout,
                        .ctx = options->write ? options->ctx : driver,
                        .json = options->json,
                        .dir = options->out_dir,
                        .width = options->width ? options->width : 80,
                        .hdf5 = options->hdf5,
                        .page = options->page,
                        .picture = options->picture,
                        .im = driver->im,
                        .params = driver->run->env + driver->im->layout.params};
    int wrong = options->out_dir ? out_folder_wrong(options->out_dir) : 0;
    if (wrong) { /* told now, and not when hours of work are to be kept */
        struct diag *diag =
            diag_add(driver->ds, DIAG_E0852, IMP_NOWHERE,
                     "cannot write under the folder of --out, `%s`: %s",
                     options->out_dir, strerror(wrong));
        diag_help(driver->ds, diag, "name a folder that you may write to");
        return IMP_EXIT_RUN;
    }
    double seed = options->has_seed ? options->seed : driver->run->world.seed;
    if ((options->has_seed || options->run) &&
        rt_seed(driver->run, seed, options->run))
        return not_set_up(driver->ds);
    driver->out.seed = driver->run->world.seed;
    driver->analysis =
        (struct analysis){.rt = driver->run,
                          .out = &driver->out,
                          .ds = driver->ds,
                          .recs = driver->recs,
                          .commands = all_commands,
                          .trace_all = options->trace_all,
                          .trace_in_case = options->trace_in_case,
                          .sweeps = options->sweeps,
                          .data = options->data,
                          .gsl = options->gsl};
    return IMP_EXIT_OK;
}

int
driver_open(struct driver *driver, const imp_image *im, const imp_code *code,
            const double *params, const struct driver_options *options,
            struct diags *ds)
{
    assert(driver && im && params && options && ds);
    *driver = (struct driver){.im = im, .ds = ds};
    /* until there is a run, nothing is lost when it is stopped */
    atomic_int *before = oom_watch(options->stop);
    driver->given = (struct rt_given){list_slots_given, options->data};
    driver->run = rt_new_tier(im, code, options->tier, &driver->given, params,
                              ds, options->stop);
    oom_watch(before);
    return driver->run ? begin(driver, options) : not_set_up(ds);
}

int
driver_restart(struct driver *driver, const double *params,
               const struct driver_options *options)
{
    assert(driver->run && params && options);
    driver->run->stop = options->stop;
    driver->given.ctx = options->data;
    return rt_restart(driver->run, params) == IMP_OK ? begin(driver, options)
                                                     : not_set_up(driver->ds);
}

int
driver_run_commands(struct driver *driver)
{
    assert(driver->run && driver->recs);
    int status = commands_run(&driver->analysis), e = flush(driver);

    if (e && !driver->out.error)
        driver->out.error = e;
    if (out_check(&driver->out, driver->ds) != IMP_OK)
        return IMP_EXIT_RUN;
    if (status == IMP_BADMODEL)
        return IMP_EXIT_MODEL;
    if (status != IMP_OK)
        return IMP_EXIT_RUN;
    return driver->analysis.failed_expects ? IMP_EXIT_EXPECT : IMP_EXIT_OK;
}

void
driver_close(struct driver *driver)
{
    assert(driver);
    rt_free(driver->run);
    driver->run = NULL;
    driver->analysis.rt = NULL;
    buf_free(&driver->pending);
}

int
driver_run(const imp_image *im, const imp_code *code, const double *params,
           const struct driver_options *options, struct diags *ds)
{
    assert(im != NULL && options != NULL && ds != NULL);
    struct driver d;
    int status = driver_open(&d, im, code, params, options, ds);

    if (status == IMP_EXIT_OK)
        status = driver_run_commands(&d);
    driver_close(&d);
    return status;
}

struct sources *
driver_sources(const imp_image *im, struct arena *arena)
{
    assert(im && arena);
    struct sources *s = sources_new(arena);
    const imp_source *v = IMP_ARRAY(im, im->sources, imp_source);

    for (uint32_t i = 0; i < im->sources.n; i++)
        sources_add(s, imp_text(im, v[i].name), imp_text(im, v[i].text),
                    v[i].text.n);
    return s;
}
