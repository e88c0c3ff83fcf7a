/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a session: its machine code, the commands, results of earlier
 * runs, other values of its params. */
#include <string.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/code/jit.h"
#include "cli/code/load.h"
#include "cli/session/remake.h"
#include "cli/session/session.h"

int
session_code(struct session *s)
{
    const char *error = NULL;

    if (s->o.backend == SESSION_EVAL || s->code)
        return IMP_EXIT_OK;
    if (s->o.backend == SESSION_AUTO) {
        s->code = model_code_later(s->image, s->o.opt, s->o.cache);
        return IMP_EXIT_OK;
    }
    s->code = model_code_new(s->image, s->o.opt, s->o.cache, &error);
    if (s->code)
        return IMP_EXIT_OK;
    struct diag *d =
        diag_add(&s->ds, DIAG_E0816, IMP_NOWHERE,
                 "machine code cannot be made: %s", error ? error : "unknown");
    diag_help(&s->ds, d, "`--backend=eval` computes the same without it");
    return IMP_EXIT_RUN;
}

/* the records of `done` commands get the schema of this image */
static void
hand_over(struct session *s, struct driver *d)
{
    const imp_command *c = IMP_ARRAY(s->image, s->image->commands, imp_command);

    for (uint32_t i = 0, k = 0; i < s->image->commands.n; i++) {
        if (c[i].done != IMP_DONE_EARLIER || !s->prior_recs || k >= s->n_priors)
            continue;
        const struct record *old = s->prior_recs[k++];
        struct record *r = record_new(s->run_arena, s->image, &c[i]);
        size_t n = old->n < r->n ? old->n : r->n;
        if (n)
            memcpy(r->v, old->v, n * sizeof *r->v);
        r->present = old->present;
        d->recs[i] = r;
    }
}

void
session_clear(struct session *s)
{
    s->recs = NULL;
    s->failed_expects = 0;
    if (!s->run_arena) {
        s->model_ds = s->ds;
        s->run_arena = arena_new();
    }
    arena_clear(s->run_arena);
    s->ds = s->model_ds;
    if (s->ds.last)
        s->ds.last->next = NULL;
    s->ds.arena = s->run_arena;
}

enum session_set_status
session_put(struct session *s, const char *name, double x)
{
    uint32_t i = driver_find_param(s->image, name, strlen(name));

    session_clear(s);
    if (i != UINT32_MAX &&
        IMP_ARRAY(s->image, s->image->params, imp_param)[i].structural)
        return SET_STRUCTURAL;
    return driver_set_number(s->image, s->params, name, x, &s->ds) ? SET_DONE
                                                                   : SET_WRONG;
}

int
session_run(struct session *s)
{
    struct driver_options o = {.json = s->o.json,
                               .out_dir = s->o.dir,
                               .has_seed = s->o.has_seed,
                               .seed = s->o.seed,
                               .stop = s->stop,
                               .sweeps = s->o.sweeps,
                               .hdf5 = load_hdf5,
                               .write = s->write,
                               .ctx = s->write_ctx,
                               .tier = model_code_tier(s->code)};

    if (!s->maker)
        s->maker = session_maker(s);
    o.sweeps.maker = s->maker;
    session_clear(s);
    int status;
    if (s->driver) {
        status = driver_restart(s->driver, s->params, &o);
    } else {
        s->driver = NEW(s->arena, struct driver);
        status = driver_open(s->driver, s->image, model_code_table(s->code),
                             s->params, &o, &s->ds);
    }
    if (status == IMP_EXIT_OK) {
        hand_over(s, s->driver);
        status = driver_run_commands(s->driver);
        s->recs = s->driver->recs;
        s->failed_expects = s->driver->an.failed_expects;
    }
    /* a set-up that failed the first time has left nothing to go on with */
    if (!s->driver->rt) {
        driver_close(s->driver);
        s->driver = NULL;
    }
    return status;
}

int
session_all(struct session *s)
{
    int status = session_check(s);

    if (status == IMP_EXIT_OK)
        status = session_compile(s);
    if (status == IMP_EXIT_OK && s->image->commands.n > 0)
        status = session_code(s);
    if (status == IMP_EXIT_OK)
        status = session_run(s);
    return status;
}
