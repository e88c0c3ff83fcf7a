/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See remake.h. The syntax trees of the session are checked once more, with the
 * params of the sweep's run as if they had been given by --set, and compiled to
 * an image of their own. Sources get the same numbers as in the session, so
 * ranges mean the same places. A file that the model uses must not have changed
 * since. The sweep makes one model at a time. */
#include "cli/session/remake.h"

#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "cli/code/jit.h"
#include "mechanics/mech.h"

struct remade {
    struct arena *arena;
    struct model_code *code;
};

static void
drop(void *ctx, struct model_made *made)
{
    struct remade *remade = made->owner;
    (void)ctx;
    if (!remade)
        return;
    model_code_free(remade->code);
    arena_free(remade->arena); /* the arena holds `remade` itself */
    *made = (struct model_made){0};
}

/* All params of the image as values that are given from outside. */
static struct check_set *
all_params(struct session *session, struct arena *arena, const double *params,
           size_t *n)
{
    const imp_param *p =
        IMP_ARRAY(session->image, session->image->params, imp_param);
    struct check_set *v =
        NEW_N(arena, struct check_set, session->image->params.n + 1);
    for (*n = 0; *n < session->image->params.n; ++*n)
        v[*n] = (struct check_set){
            .name = intern_str(session->text.names,
                               imp_text(session->image, p[*n].name)),
            .value = params[*n]};
    return v;
}

static const char *
first_error(const struct diags *diags)
{
    for (const struct diag *diag = diags->first; diag; diag = diag->next)
        if (diag->severity == DIAG_ERROR)
            return diag->message;
    return "the model cannot be compiled";
}

/* The texts that were there before the session checked its model. */
static struct sources *
same_sources(const struct session *session, struct arena *arena)
{
    struct sources *v = sources_new(arena);
    for (uint32_t k = 1; k <= session->text.n_sources; k++) {
        const struct source *x = source_get(session->text.sources, k);
        sources_add(v, x->name, x->text, x->len);
    }
    return v;
}

static bool
unchanged(const struct session *session, const struct sources *v)
{
    for (uint32_t k = session->text.n_sources + 1; k <= sources_count(v); k++) {
        const struct source *x = source_get(v, k),
                            *y = source_get(session->text.sources, k);
        if (!y || x->len != y->len || memcmp(x->text, y->text, x->len) != 0)
            return false;
    }
    return true;
}

static const char *
compile(struct session *session, struct remade *remade, const double *params,
        struct model_made *made)
{
    struct diags ds;
    struct check_input in = session_input(session);
    const char *error = NULL;

    in.arena = remade->arena;
    in.sources = same_sources(session, remade->arena);
    diags_init(&ds, remade->arena, in.sources);
    in.ds = &ds;
    in.sets = all_params(session, remade->arena, params, &in.n_sets);
    struct tm_model *model = check_model(&in);
    if (!unchanged(session, in.sources))
        return "a file that the model uses has changed since the sweep began";
    made->image = model && !ds.errors ? mech_compile(model, &ds) : NULL;
    if (!made->image || ds.errors)
        return first_error(&ds);
    if (session->o.backend == SESSION_AUTO)
        remade->code =
            model_code_later(made->image, session->o.opt, session->o.cache);
    else if (session->o.backend == SESSION_JIT &&
             !(remade->code = model_code_new(made->image, session->o.opt,
                                             session->o.cache, &error)))
        return error ? error : "machine code cannot be made";
    made->code = model_code_table(remade->code);
    made->tier = model_code_tier(remade->code);
    return NULL;
}

static const char *
make(void *ctx, const double *params, struct arena *caller,
     struct model_made *made)
{
    struct arena *own = arena_new();
    struct remade *volatile own_model = NULL;
    struct oom_guard guard;

    *made = (struct model_made){0};
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        if (own_model)
            model_code_free(own_model->code);
        arena_free(own);
        oom_raise();
    }
    oom_enter(&guard);
    own_model = NEW(own, struct remade);
    own_model->arena = own;
    made->owner = own_model;
    const char *why = compile(ctx, own_model, params, made);
    if (why)
        why = arena_strdup(caller, why);
    oom_leave(&guard);
    if (why)
        drop(ctx, made);
    return why;
}

const struct model_maker *
session_maker(struct session *session)
{
    assert(session && session->image);
    struct model_maker *m = NEW(session->arena, struct model_maker);
    *m = (struct model_maker){.make = make, .drop = drop, .ctx = session};
    return m;
}
