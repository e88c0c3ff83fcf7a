/* SPDX-License-Identifier: MIT */
/* Runs to come that differ from the one before in restitutions alone: a
 * question that can do a part of its work for all of them at once is told them
 * (command_functions). What it finds changes no run: it is only there sooner.
 */
#include <string.h>

#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "runtime/setup/new_run.h"

/* the params of the v-th run; false: it is not to be made, or another model's
 */
static bool
params_of(const struct sweep *s, uint64_t v, struct sweep_batch *x)
{
    uint64_t i = sweep_run_number(s, v);
    if (s->resumed && s->state[i] == SWEEP_DONE)
        return false;
    sweep_place_move(s, &x->place, i);
    for (size_t k = 0; k < s->n_axes; k++)
        x->params[s->axis[k].param] = sweep_place_value(s, &x->place, k);
    return true;
}

static void
memory(const struct sweep *s, struct sweep_batch *x, const imp_image *im)
{
    if (x->params)
        return;
    x->params =
        arena_copy(x->arena, s->params, (im->params.n + 1) * sizeof *s->params);
    x->place.digit = NEW_N(x->arena, size_t, s->n_axes + 1);
    x->e =
        NEW_N(x->arena, double, SWEEP_BATCH_RUNS *(size_t)im->contacts.n + 1);
}

uint64_t
sweep_batch_prepare(const struct sweep *s, struct sweep_batch *x,
                    struct analysis *a, const imp_command *question,
                    uint64_t from, uint64_t to)
{
    const struct command_functions *functions = a->commands[question->id];
    const imp_image *im = a->rt->im;
    uint32_t m = im->contacts.n;
    uint64_t v = from;
    int n = x->n = x->next = 0;
    if (!functions->batch_prepare || s->n_models > 1)
        return UINT64_MAX;
    memory(s, x, im);
    for (; v < to && n < SWEEP_BATCH_RUNS; v++) {
        if (!params_of(s, v, x))
            continue;
        if (!rt_laws(a->rt, x->params, x->e + (size_t)n * m))
            break;
        n++;
    }
    if (n > 1) {
        functions->batch_prepare(a, question, x->e, n, x->told);
        x->n = n;
    }
    return v > from ? v : from + 1;
}

bool
sweep_batch_record(struct sweep_batch *x, struct analysis *a,
                   const imp_command *question, struct record *r)
{
    int k = x->next++;
    if (k >= x->n || !x->told[k])
        return false;
    record_clear(r);
    return a->commands[question->id]->batch_answer(a, k, r);
}
