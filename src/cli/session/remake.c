/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See remake.h. The syntax trees of the session are checked once more, with the
 * params of the sweep's run as if they had been given by --set, and compiled to
 * an image of its own. Sources get the same numbers as in the session, so that
 * ranges mean the same places; a file that is used must not have changed since.
 * The sweep makes one model at a time. */
#include "cli/session/remake.h"

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
drop(void *ctx, struct model_made *m)
{
    struct remade *r = m->owner;
    (void)ctx;
    if (!r)
        return;
    model_code_free(r->code);
    arena_free(r->arena); /* holds r itself */
    *m = (struct model_made){0};
}

/* every param of the image as a value given from outside */
static struct check_set *
all_params(struct session *s, struct arena *a, const double *params, size_t *n)
{
    const imp_param *p = IMP_ARRAY(s->image, s->image->params, imp_param);
    struct check_set *v = NEW_N(a, struct check_set, s->image->params.n + 1);
    for (*n = 0; *n < s->image->params.n; ++*n)
        v[*n] = (struct check_set){
            .name = intern_str(s->names, imp_text(s->image, p[*n].name)),
            .value = params[*n]};
    return v;
}

static const char *
first_error(const struct diags *ds)
{
    for (const struct diag *d = ds->first; d; d = d->next)
        if (d->severity == DIAG_ERROR)
            return d->message;
    return "the model cannot be compiled";
}

/* the texts that were there before the session checked its model */
static struct sources *
same_sources(const struct session *s, struct arena *a)
{
    struct sources *v = sources_new(a);
    for (uint32_t k = 1; k <= s->n_sources; k++) {
        const struct source *x = source_get(s->sources, k);
        sources_add(v, x->name, x->text, x->len);
    }
    return v;
}

static bool
unchanged(const struct session *s, const struct sources *v)
{
    for (uint32_t k = s->n_sources + 1; k <= sources_count(v); k++) {
        const struct source *x = source_get(v, k),
                            *y = source_get(s->sources, k);
        if (!y || x->len != y->len || memcmp(x->text, y->text, x->len) != 0)
            return false;
    }
    return true;
}

static const char *
compile(struct session *s, struct remade *r, const double *params,
        struct model_made *m)
{
    struct diags ds;
    struct check_input in = session_input(s);
    const char *error = NULL;

    in.arena = r->arena;
    in.sources = same_sources(s, r->arena);
    diags_init(&ds, r->arena, in.sources);
    in.ds = &ds;
    in.sets = all_params(s, r->arena, params, &in.n_sets);
    struct tm_model *model = check_model(&in);
    if (!unchanged(s, in.sources))
        return "a file that the model uses has changed since the sweep began";
    m->image = model && !ds.errors ? mech_compile(model, &ds) : NULL;
    if (!m->image || ds.errors)
        return first_error(&ds);
    if (s->o.backend == SESSION_AUTO)
        r->code = model_code_later(m->image, s->o.opt, s->o.cache);
    else if (s->o.backend == SESSION_JIT &&
             !(r->code =
                   model_code_new(m->image, s->o.opt, s->o.cache, &error)))
        return error ? error : "machine code cannot be made";
    m->code = model_code_table(r->code);
    m->tier = model_code_tier(r->code);
    return NULL;
}

static const char *
make(void *ctx, const double *params, struct arena *a, struct model_made *m)
{
    struct arena *own = arena_new();
    struct remade *volatile r = NULL;
    struct oom_guard g;

    *m = (struct model_made){0};
    if (setjmp(g.env)) {
        oom_leave(&g);
        if (r)
            model_code_free(r->code);
        arena_free(own);
        oom_raise();
    }
    oom_enter(&g);
    r = NEW(own, struct remade);
    r->arena = own;
    m->owner = r;
    const char *why = compile(ctx, r, params, m);
    if (why)
        why = arena_strdup(a, why);
    oom_leave(&g);
    if (why)
        drop(ctx, m);
    return why;
}

const struct model_maker *
session_maker(struct session *s)
{
    struct model_maker *m = NEW(s->arena, struct model_maker);
    *m = (struct model_maker){.make = make, .drop = drop, .ctx = s};
    return m;
}
