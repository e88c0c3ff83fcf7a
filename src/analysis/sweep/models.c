/* SPDX-License-Identifier: MIT */
/* The models of a sweep. Structural params are part of the compiled model: for
 * every combination of theirs there is a model of its own, made when the first
 * of its runs is due, and dropped after the last. All runs of one model stand
 * together in the order in which runs are visited, so that few are alive. */
#include <string.h>

#include "abi/status.h"
#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "base/num.h"

static bool
structural(const struct sweep *s, size_t k)
{
    const imp_image *im = s->a->rt->im;
    return IMP_ARRAY(im, im->params, imp_param)[s->axis[k].param].structural;
}

/* the number of digit `of` (structural or not) runs among all runs */
static uint64_t
spread(const struct sweep *s, uint64_t i, bool of)
{
    uint64_t run = 0, weight = s->repeat;
    if (!of) {
        run = i % s->repeat;
        i /= s->repeat;
    }
    for (size_t k = s->n_axes; k-- > 0;) {
        const struct sweep_axis *x = &s->axis[k];
        if (x->random)
            continue;
        if (x->structural == of) {
            run += i % x->n * weight;
            i /= x->n;
        }
        weight *= x->n;
    }
    return run;
}

uint64_t
sweep_run_number(const struct sweep *s, uint64_t v)
{
    return s->n_models == 1 ? v
                            : spread(s, v / s->per_model, true) +
                                  spread(s, v % s->per_model, false);
}

/* what the sweep of this model keeps: items of its option `record` */
static const imp_val *
kept(const imp_image *im, const imp_command *sweep)
{
    const imp_opt *o = IMP_ARRAY(im, sweep->opts, imp_opt);
    for (uint32_t i = 0; i < sweep->opts.n; i++)
        if (o[i].id == IMP_OPT_sweep_record)
            return IMP_ARRAY(im, o[i].val.items, imp_val);
    return NULL;
}

/* -- the plan ---------------------------------------------------------------
 */

/* the values of structural params in model g */
static void
model_params(const struct sweep *s, size_t g, double *p)
{
    uint64_t i = sweep_run_number(s, g * s->per_model);
    memcpy(p, s->params, s->a->rt->im->params.n * sizeof *p);
    for (size_t k = 0; k < s->n_axes; k++)
        if (s->axis[k].structural)
            p[s->axis[k].param] = sweep_axis_value(s, k, i);
}

/* the model that runs already, if it has the values of g */
static bool
is_base(const struct sweep *s, size_t g)
{
    const imp_image *im = s->a->rt->im;
    const imp_param *p = IMP_ARRAY(im, im->params, imp_param);
    for (size_t k = 0; k < s->n_axes; k++)
        if (s->axis[k].structural &&
            s->model[g].params[s->axis[k].param] != p[s->axis[k].param].dflt)
            return false;
    return true;
}

/* nobody compiles for the program that runs this */
static int
fixed(struct sweep *s, const struct sweep_axis *x, size_t g)
{
    struct analysis *a = s->a;
    const imp_image *im = a->rt->im;
    const imp_param *p = IMP_ARRAY(im, im->params, imp_param) + x->param;
    char was[NUM_TEXT], now[NUM_TEXT];
    const char *name = imp_text(im, p->name);
    struct diag *d = diag_add(
        a->ds, DIAG_E0830, x->range,
        "param `%s` is structural: this program was compiled for %s = %s, and "
        "a sweep over it needs %s = %s, too",
        name, name, num_shortest(was, p->dflt), name,
        num_shortest(now, s->model[g].params[x->param]));
    diag_note(a->ds, d, p->range, "the param");
    diag_help(a->ds, d, "`imp run` compiles the model once per value");
    return IMP_BADMODEL;
}

int
sweep_models_plan(struct sweep *s)
{
    struct arena *ar = s->a->rt->arena;
    const imp_image *im = s->a->rt->im;
    s->n_models = 1;
    for (size_t k = 0; k < s->n_axes; k++) {
        s->axis[k].structural = structural(s, k);
        if (s->axis[k].structural)
            s->n_models *= s->axis[k].n;
    }
    s->per_model = s->total / s->n_models;
    s->model = NEW_N(ar, struct sweep_model, s->n_models);
    for (size_t g = 0; g < s->n_models; g++) {
        struct sweep_model *m = &s->model[g];
        m->params = NEW_N(ar, double, im->params.n + 1);
        model_params(s, g, m->params);
        if (is_base(s, g))
            *m = (struct sweep_model){.params = m->params,
                                      .im = im,
                                      .code = s->a->rt->code,
                                      .tier = s->a->rt->tier,
                                      .question = s->question,
                                      .kept = kept(im, s->c),
                                      .made = true};
        else if (!s->a->sweeps.maker)
            for (size_t k = 0; k < s->n_axes; k++)
                if (s->axis[k].structural &&
                    m->params[s->axis[k].param] !=
                        IMP_ARRAY(im, im->params, imp_param)[s->axis[k].param]
                            .dflt)
                    return fixed(s, &s->axis[k], g);
    }
    return IMP_OK;
}

void
sweep_models_count(struct sweep *s)
{
    for (size_t g = 0; g < s->n_models && !s->resumed; g++)
        s->model[g].left = s->per_model;
    for (uint64_t v = 0; v < s->total && s->resumed; v++)
        s->model[v / s->per_model].left +=
            s->state[sweep_run_number(s, v)] != SWEEP_DONE;
}

/* -- while threads run ------------------------------------------------------
 */

/* Why the model made does not answer the same question, or NULL: records of
 * earlier commands, and the fields kept, are known by their numbers. */
static const char *
differs(const struct sweep *s, const imp_image *im)
{
    const imp_image *base = s->a->rt->im;
    const imp_command *x = IMP_ARRAY(base, base->commands, imp_command),
                      *y = IMP_ARRAY(im, im->commands, imp_command);
    if (im->commands.n != base->commands.n || im->params.n != base->params.n)
        return "the model made for it has other commands or params";
    for (uint32_t c = 0; c < base->commands.n; c++) {
        const imp_field *f = IMP_ARRAY(base, x[c].fields, imp_field),
                        *h = IMP_ARRAY(im, y[c].fields, imp_field);
        if (x[c].id != y[c].id || x[c].fields.n != y[c].fields.n)
            return "the model made for it asks other questions";
        for (uint32_t i = 0; i < x[c].fields.n; i++)
            if (f[i].kind != h[i].kind ||
                (f[i].width != h[i].width && f[i].kind != IMP_FIELD_MAT))
                return arena_printf(
                    s->a->rt->arena,
                    "`%s` has %u entries here and %u in the model that asks",
                    imp_text(base, f[i].name), h[i].width, f[i].width);
    }
    const imp_param *p = IMP_ARRAY(im, im->params, imp_param);
    for (size_t k = 0; k < s->n_axes; k++)
        if (!s->axis[k].structural && p[s->axis[k].param].structural)
            return arena_printf(s->a->rt->arena,
                                "`%s` is structural here, and a number in the "
                                "model that asks",
                                imp_text(im, p[s->axis[k].param].name));
    return NULL;
}

static void
make(struct sweep *s, struct sweep_model *m)
{
    const struct model_maker *k = s->a->sweeps.maker;
    m->made = true;
    m->why = k->make(k->ctx, m->params, s->a->rt->arena, &m->own);
    if (m->why)
        return;
    if ((m->why = differs(s, m->own.image))) {
        k->drop(k->ctx, &m->own);
        return;
    }
    const imp_image *im = m->own.image;
    m->im = im;
    m->code = m->own.code;
    m->tier = m->own.tier;
    const imp_image *base = s->a->rt->im;
    const imp_command *was = IMP_ARRAY(base, base->commands, imp_command),
                      *now = IMP_ARRAY(im, im->commands, imp_command);
    m->question = now + (s->question - was);
    m->kept = kept(im, now + (s->c - was));
}

static void
drop(struct sweep *s, struct sweep_model *m)
{
    if (m->own.owner)
        s->a->sweeps.maker->drop(s->a->sweeps.maker->ctx, &m->own);
    m->im = NULL;
}

struct sweep_model *
sweep_model_take(struct sweep *s, uint64_t v)
{
    struct sweep_model *m = &s->model[v / s->per_model];
    struct oom_guard g;
    pthread_mutex_lock(&s->code_lock);
    if (setjmp(g.env)) {
        oom_leave(&g);
        pthread_mutex_unlock(&s->code_lock);
        oom_raise();
    }
    oom_enter(&g);
    if (!m->made)
        make(s, m);
    m->users++;
    oom_leave(&g);
    pthread_mutex_unlock(&s->code_lock);
    return m;
}

void
sweep_model_leave(struct sweep *s, struct sweep_model *m, uint64_t done)
{
    pthread_mutex_lock(&s->code_lock);
    m->users--;
    m->left -= done;
    if (!m->users && !m->left)
        drop(s, m);
    pthread_mutex_unlock(&s->code_lock);
}

void
sweep_models_free(struct sweep *s)
{
    for (size_t g = 0; s->model && g < s->n_models; g++)
        drop(s, &s->model[g]);
    s->n_models = 0;
}
