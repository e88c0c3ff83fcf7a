/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libimpgsl.so: the one exported function, and the memory of an engine. */
#include <assert.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <stdlib.h>

#include "gsl/engine.h"

static int
right_hand_side(double t, const double y[], double rate[], void *params)
{
    struct gsl_engine *engine = params;
    int st = engine->motion->rates(engine->motion->ctx, t, y, rate);
    if (st)
        engine->status = st;
    return st ? GSL_EBADFUNC : GSL_SUCCESS;
}

static void
close_engine(struct gsl_engine *engine)
{
    if (!engine)
        return;
    if (engine->rk)
        gsl_odeiv2_step_free(engine->rk);
    free(engine->numbers);
    free(engine->above);
    free(engine);
}

static struct gsl_engine *
open_engine(size_t n, size_t n_watch)
{
    assert(n > 0);
    size_t nodes = LOOK_DEPTH + 4;
    gsl_set_error_handler_off();
    struct gsl_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->n = n;
    engine->n_watch = n_watch;
    engine->numbers =
        calloc(7 * n + 2 * nodes * (n_watch + 1), sizeof *engine->numbers);
    engine->above = calloc(2 * n_watch + 1, sizeof *engine->above);
    engine->rk = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, n);
    if (!engine->numbers || !engine->above || !engine->rk) {
        close_engine(engine);
        return NULL;
    }
    engine->above_before = engine->above + n_watch;
    double *next = engine->numbers;
    double **arrays[] = {&engine->step.y0,    &engine->step.f0,
                         &engine->step.y1,    &engine->step.f1,
                         &engine->step.error, &engine->size,
                         &engine->y};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, next += n)
        *arrays[i] = next;
    for (size_t i = 0; i < nodes; i++, next += 2 * (n_watch + 1)) {
        engine->node[i].value = next;
        engine->node[i].rate = next + n_watch + 1;
    }
    engine->system = (gsl_odeiv2_system){
        .function = right_hand_side, .dimension = n, .params = engine};
    return engine;
}

const struct gsl_api *imp_gsl_api(void);

__attribute__((visibility("default"))) const struct gsl_api *
imp_gsl_api(void)
{
    static const struct gsl_api api = {.version = GSL_API_VERSION,
                                       .gsl = GSL_VERSION,
                                       .open = open_engine,
                                       .close = close_engine,
                                       .follow = follow};
    return &api;
}
