/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a session: its machine code, the commands, results of earlier
 * runs, other values of its params. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/code/jit.h"
#include "cli/code/load.h"
#include "cli/session/remake.h"
#include "cli/session/session.h"
#include "runtime/instance/contact_table.h"
#include "view/page.h"

int
session_code(struct session *session)
{
    assert(session->image);
    const char *error = NULL;

    if (session->o.backend == SESSION_EVAL || session->code)
        return IMP_EXIT_OK;
    if (session->o.backend == SESSION_AUTO) {
        session->code =
            model_code_later(session->image, session->o.opt, session->o.cache);
        return IMP_EXIT_OK;
    }
    session->code = model_code_new(session->image, session->o.opt,
                                   session->o.cache, &error);
    if (session->code)
        return IMP_EXIT_OK;
    struct diag *diag =
        diag_add(&session->ds, DIAG_E0816, IMP_NOWHERE,
                 "machine code cannot be made: %s", error ? error : "unknown");
    diag_help(&session->ds, diag,
              "`--backend=eval` computes the same without it");
    return IMP_EXIT_RUN;
}

/* Gives the records of `done` commands the schema of this image. */
static void
hand_over(struct session *session, struct driver *driver)
{
    const imp_command *c =
        IMP_ARRAY(session->image, session->image->commands, imp_command);

    for (uint32_t which = 0, k = 0; which < session->image->commands.n;
         which++) {
        if (c[which].done != IMP_DONE_EARLIER || !session->earlier.recs ||
            k >= session->earlier.n_priors)
            continue;
        const struct record *old = session->earlier.recs[k++];
        struct record *r =
            record_new(session->result.arena, session->image, &c[which]);
        size_t n = old->n < r->n ? old->n : r->n;
        if (n)
            memcpy(r->v, old->v, n * sizeof *r->v);
        r->present = old->present;
        r->motion = old->motion;
        r->n_motion = old->n_motion;
        driver->recs[which] = r;
    }
}

void
session_clear(struct session *session)
{
    assert(session);
    session->result.recs = NULL;
    session->result.failed_expects = 0;
    if (!session->result.arena) {
        session->result.model_ds = session->ds;
        session->result.arena = arena_new();
    }
    arena_clear(session->result.arena);
    session->ds = session->result.model_ds;
    if (session->ds.last)
        session->ds.last->next = NULL;
    session->ds.arena = session->result.arena;
}

enum session_set_status
session_put(struct session *session, const char *name, double x)
{
    assert(session->image && session->params && name);
    uint32_t i = driver_find_param(session->image, name, strlen(name));

    session_clear(session);
    if (i != UINT32_MAX &&
        IMP_ARRAY(session->image, session->image->params, imp_param)[i]
            .structural)
        return SET_STRUCTURAL;
    return driver_set_number(session->image, session->params, name, x,
                             &session->ds)
               ? SET_DONE
               : SET_WRONG;
}

/* Reads the files of --data. False after a diagnostic. */
static bool
other_data(struct session *session, struct driver_options *options)
{
    struct data_columns *data = NULL;
    for (size_t i = 0; i < session->o.n_data; i++)
        if (!driver_data(session->image, session->text.sources, session->arena,
                         session->o.data[i], load_tables, &data, &session->ds))
            return false;
    options->data = data;
    return true;
}

int
session_run(struct session *session)
{
    assert(session->image && session->params);
    struct driver_options options = {.json = session->o.json,
                                     .out_dir = session->o.dir,
                                     .has_seed = session->o.has_seed,
                                     .seed = session->o.seed,
                                     .run = session->o.run,
                                     .stop = session->stop,
                                     .sweeps = session->o.sweeps,
                                     .hdf5 = load_hdf5,
                                     .gsl = load_gsl,
                                     .page = view_page,
                                     .picture = session->sink.picture,
                                     .trace_all = session->o.trace_all,
                                     .trace_in_case = session->o.trace_in_case,
                                     .write = session->sink.write,
                                     .ctx = session->sink.ctx,
                                     .tier = model_code_tier(session->code)};

    if (!session->maker)
        session->maker = session_maker(session);
    options.sweeps.maker = session->maker;
    session_clear(session);
    if (!other_data(session, &options))
        return IMP_EXIT_MODEL;
    int status;
    if (session->result.driver) {
        status =
            driver_restart(session->result.driver, session->params, &options);
    } else {
        session->result.driver = NEW(session->arena, struct driver);
        status = driver_open(session->result.driver, session->image,
                             model_code_table(session->code), session->params,
                             &options, &session->ds);
    }
    if (status == IMP_EXIT_OK) {
        hand_over(session, session->result.driver);
        status = driver_run_commands(session->result.driver);
        session->result.recs = session->result.driver->recs;
        session->result.failed_expects =
            session->result.driver->analysis.failed_expects;
    }
    /* a set-up that failed the first time left nothing to go on with */
    if (!session->result.driver->run) {
        driver_close(session->result.driver);
        session->result.driver = NULL;
    }
    return status;
}

/* Is a run of this model its only one? Those of a sweep begin while another one
 * goes on. */
static bool
runs_once(const imp_image *image)
{
    const imp_command *command = IMP_ARRAY(image, image->commands, imp_command);
    for (uint32_t i = 0; i < image->commands.n; i++)
        if (command[i].done == IMP_DONE_INNER)
            return false;
    return true;
}

/* Where many contacts are made as bodies come near, a large image gets room for
 * them: the run would else have another one beside it. */
#define IMAGE_LARGE ((size_t)1 << 18)
static void
make_room(struct session *session)
{
    const imp_image *image = session->image;
    size_t size = image->size,
           more = size < IMAGE_LARGE ? 0 : contact_table_behind(image);
    if (!more || more > UINT32_MAX - size || !runs_once(image))
        return;
    char *bytes = arena_alloc(session->arena, size + more);
    memcpy(bytes, image, size);
    arena_drop(session->arena, image);
    imp_image *made = (imp_image *)(void *)bytes;
    made->room = (uint32_t)more;
    session->image = made;
}

int
session_all(struct session *session)
{
    int status = session_check(session);

    if (status == IMP_EXIT_OK)
        status = session_compile(session);
    /* the image is all that a run needs; of many bodies the model is larger */
    arena_free(session->model_arena);
    session->model_arena = NULL;
    session->model = NULL;
    if (status == IMP_EXIT_OK)
        make_room(session);
    if (status == IMP_EXIT_OK && session->image->commands.n > 0)
        status = session_code(session);
    if (status == IMP_EXIT_OK)
        status = session_run(session);
    return status;
}
