/* SPDX-License-Identifier: MIT */
/* See restart.h. A param is *light* if restitutions are all that set-up makes
 * of it and no tape of the model reads it: only the outputs e of contacts
 * depend on it in the set-up tape, and otherwise nobody but values of commands,
 * which are evaluated whenever they are asked for. Then set-up with another
 * value differs in the param's entry of env and in entries IMP_CONTACT_E, which
 * a part of the set-up tape gives. The evaluator takes that part: generated
 * code returns the same bits. Found once per run (struct rt), from the tapes.
 *
 * No param is light where set-up is more than its tape: bodies, joints (their
 * start is solved for), draws.
 *
 * Invariant: the members of `full` are those of the last set-up that succeeded;
 * full.reg has the constants of the part, and holds numbers everywhere. */
#include "runtime/setup/restart.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/tape/eval_priv.h"

struct param_read {
    uint32_t reg, param;
};
struct law {
    uint32_t contact, env, reg; /* its entry in env */
};
/* The part of the set-up tape that light params change: registers that are
 * params, then operators. */
struct light_part {
    struct param_read *reads;
    uint32_t *ops;
    uint32_t n_reads, n_ops;
};
/* Where contacts have their restitutions. */
struct restitutions {
    struct law *laws;  /* contacts whose restitution is made of params */
    struct law *fixed; /* contacts whose restitution is not */
    uint32_t *e;       /* the registers that hold restitutions, each once */
    uint32_t n_laws, n_fixed, n_e;
};
/* What a full set-up gave. */
struct setup_values {
    bool known;
    double *reg; /* of the set-up tape */
    double *env, gravity[3], tolerance, seed;
};
struct restart {
    bool any; /* some param is light (see above) */
    const imp_tape *tape;
    uint32_t *heavy, *light; /* params */
    uint32_t n_heavy, n_light;
    struct light_part part;
    struct restitutions restitution;
    struct setup_values full;
};

static const imp_tape *
tape_at(const struct rt *run, uint32_t tape)
{
    return IMP_ARRAY(run->im, run->im->tapes, imp_tape) + tape;
}

/* -- which params are light -------------------------------------------------
 */

static void
mark_values(const struct rt *run, const imp_val *v, unsigned char *value)
{
    const imp_val *item = IMP_ARRAY(run->im, v->items, imp_val);
    if (v->tape < run->im->tapes.n)
        value[v->tape] = 1;
    for (uint32_t i = 0; i < v->items.n; i++)
        mark_values(run, item + i, value);
}

/* Sets value[t] = 1 where tape t gives a value of a command, or the series of
 * one. */
static void
find_values(const struct rt *run, unsigned char *value)
{
    const imp_image *im = run->im;
    const imp_command *command = IMP_ARRAY(im, im->commands, imp_command);
    const imp_series *series = IMP_ARRAY(im, im->series, imp_series);
    for (uint32_t i = 0; i < im->commands.n; i++) {
        const imp_val *a = IMP_ARRAY(im, command[i].args, imp_val);
        const imp_opt *o = IMP_ARRAY(im, command[i].opts, imp_opt);
        for (uint32_t k = 0; k < command[i].args.n; k++)
            mark_values(run, a + k, value);
        for (uint32_t k = 0; k < command[i].opts.n; k++)
            mark_values(run, &o[k].val, value);
    }
    for (uint32_t i = 0; i < im->series.n; i++)
        if (series[i].tape < im->tapes.n)
            value[series[i].tape] = 1;
}

/* Sets read[i] = 1 where a tape of the model reads entry i of env. */
static void
find_reads(const struct rt *run, const unsigned char *value,
           unsigned char *read)
{
    for (uint32_t t = 0; t < run->im->tapes.n; t++) {
        const imp_tape *tape = tape_at(run, t);
        const imp_instr *in = IMP_ARRAY(run->im, tape->code, imp_instr);
        for (uint32_t i = 0; i < tape->code.n; i++)
            if (!value[t] && t != run->im->setup && in[i].op == IMP_OP_ENV)
                read[in[i].a] = 1;
    }
}

static void
mark_ancestors(const struct rt *run, const imp_tape *tape, unsigned char *mark)
{
    for (uint32_t i = tape->code.n; i-- > 0;)
        if (mark[i])
            eval_mark_operands(run->im, tape, i, mark);
}

/* Is output i of the set-up tape a restitution? */
static bool
is_law(const struct rt *run, uint32_t i)
{
    return i < IMP_CONTACT_OUTS * run->im->contacts.n &&
           i % IMP_CONTACT_OUTS == 0;
}

/* Marks the registers of the set-up tape: `law` those that restitutions are
 * made of, `other` those that all the rest is made of. `read`: entries of env.
 */
static void
find_params(const struct rt *run, struct restart *restart,
            const unsigned char *other, const unsigned char *read)
{
    const imp_instr *in = IMP_ARRAY(run->im, restart->tape->code, imp_instr);
    uint32_t first = run->im->layout.params, n = run->im->params.n;
    unsigned char *heavy = NEW_N(run->own, unsigned char, n + 1);
    memcpy(heavy, read + first, n);
    for (uint32_t i = 0; i < restart->tape->code.n; i++)
        if (other[i] && in[i].op == IMP_OP_ENV && in[i].a - first < n)
            heavy[in[i].a - first] = 1;
    restart->heavy = NEW_N(run->own, uint32_t, n + 1);
    restart->light = NEW_N(run->own, uint32_t, n + 1);
    for (uint32_t p = 0; p < n; p++)
        if (heavy[p])
            restart->heavy[restart->n_heavy++] = p;
        else
            restart->light[restart->n_light++] = p;
}

/* Returns false if restitutions are made of something that is no param. */
static bool
find_part(const struct rt *run, struct restart *restart,
          const unsigned char *law)
{
    const imp_tape *tape = restart->tape;
    const imp_instr *in = IMP_ARRAY(run->im, tape->code, imp_instr);
    const double *consts = IMP_ARRAY(run->im, tape->consts, double);
    const uint32_t *out = IMP_ARRAY(run->im, tape->outs, uint32_t);
    uint32_t first = run->im->layout.params, n = tape->code.n;
    restart->part.reads = NEW_N(run->own, struct param_read, n + 1);
    restart->part.ops = NEW_N(run->own, uint32_t, n + 1);
    restart->restitution.laws =
        NEW_N(run->own, struct law, run->im->contacts.n + 1);
    restart->restitution.fixed =
        NEW_N(run->own, struct law, run->im->contacts.n + 1);
    restart->restitution.e = NEW_N(run->own, uint32_t, run->im->contacts.n + 1);
    restart->full.reg = NEW_N(run->own, double, n + 1);
    for (uint32_t entry = 0; entry < n; entry++) {
        if (!law[entry])
            continue;
        if (in[entry].op == IMP_OP_CONST)
            restart->full.reg[entry] = consts[in[entry].a];
        else if (in[entry].op == IMP_OP_ENV &&
                 in[entry].a - first < run->im->params.n)
            restart->part.reads[restart->part.n_reads++] =
                (struct param_read){entry, in[entry].a - first};
        else if (in[entry].op > IMP_OP_UNKNOWN)
            restart->part.ops[restart->part.n_ops++] = entry;
        else
            return false;
    }
    for (uint32_t c = 0; c < run->im->contacts.n; c++) {
        uint32_t reg = out[IMP_CONTACT_OUTS * c], i = 0;
        struct law one = {c, rt_contact(run, c)->env_contact + IMP_CONTACT_E,
                          reg};
        if (in[reg].op == IMP_OP_CONST) {
            restart->restitution.fixed[restart->restitution.n_fixed++] = one;
            continue;
        }
        restart->restitution.laws[restart->restitution.n_laws++] = one;
        while (i < restart->restitution.n_e && restart->restitution.e[i] != reg)
            i++;
        if (i == restart->restitution.n_e)
            restart->restitution.e[restart->restitution.n_e++] = reg;
    }
    return true;
}

static bool
look(const struct rt *run, struct restart *restart)
{
    const imp_image *im = run->im;
    const imp_tape *tape = restart->tape = tape_at(run, im->setup);
    const uint32_t *out = IMP_ARRAY(im, tape->outs, uint32_t);
    uint32_t n = tape->code.n;
    if (!im->contacts.n || im->bodies.n || im->joints.n || im->draws.n ||
        tape->unknowns.n)
        return false;
    unsigned char *value = NEW_N(run->own, unsigned char, im->tapes.n + 1);
    unsigned char *read = NEW_N(run->own, unsigned char, im->layout.n_env + 1);
    unsigned char *law = NEW_N(run->own, unsigned char, n + 1);
    unsigned char *other = NEW_N(run->own, unsigned char, n + 1);
    find_values(run, value);
    find_reads(run, value, read);
    for (uint32_t i = 0; i < tape->outs.n; i++)
        (is_law(run, i) ? law : other)[out[i]] = 1;
    mark_ancestors(run, tape, law);
    mark_ancestors(run, tape, other);
    /* Does a tape of the model read a restitution from env itself? */
    for (uint32_t c = 0; c < im->contacts.n; c++)
        if (read[rt_contact(run, c)->env_contact + IMP_CONTACT_E])
            return false;
    find_params(run, restart, other, read);
    return restart->n_light && find_part(run, restart, law);
}

/* -- starts ------------------------------------------------------------------
 */

void
restart_note(struct rt *run)
{
    assert(run->start.state != NULL);
    struct restart *restart = run->start.again;
    if (!restart) {
        restart = NEW(run->own, struct restart);
        restart->any = look(run, restart);
        if (restart->any)
            restart->full.env =
                NEW_N(run->own, double, run->im->layout.n_env + 1);
        run->start.again = restart;
    }
    if (!restart->any)
        return;
    memcpy(restart->full.env, run->env,
           run->im->layout.n_env * sizeof *run->env);
    memcpy(restart->full.gravity, run->world.gravity,
           sizeof restart->full.gravity);
    restart->full.tolerance = run->world.tolerance;
    restart->full.seed = run->world.seed;
    restart->full.known = true;
}

/* Calculates the restitutions of these params. Returns false if anything else
 * would change. */
static inline bool
part(const struct rt *run, struct restart *restart, const double *params)
{
    const double *was;
    uint64_t other = 0, x, y;
    if (!restart || !restart->full.known)
        return false;
    was = restart->full.env + run->im->layout.params;
    for (uint32_t i = 0; i < restart->n_heavy; i++) {
        memcpy(&x, params + restart->heavy[i], sizeof x);
        memcpy(&y, was + restart->heavy[i], sizeof y);
        other |= x ^ y;
    }
    if (other)
        return false;
    for (uint32_t i = 0; i < restart->part.n_reads; i++)
        restart->full.reg[restart->part.reads[i].reg] =
            params[restart->part.reads[i].param];
    if (restart->part.n_ops)
        eval_some(run->im, restart->tape, restart->part.ops,
                  restart->part.n_ops, restart->full.reg);
    double most = run->im->gain_allowed ? DBL_MAX : 1.0;
    for (uint32_t i = 0; i < restart->restitution.n_e; i++) {
        double e = restart->full.reg[restart->restitution.e[i]];
        if (!(e >= 0.0 && e <= most))
            return false;
    }
    return true;
}

bool
restart_laws(struct rt *run, const double *params)
{
    assert(run);
    struct restart *restart = run->start.again;
    if (!part(run, restart, params))
        return false;
    double *to = run->env + run->im->layout.params;
    memcpy(run->env, restart->full.env,
           run->im->layout.n_env * sizeof *run->env);
    for (uint32_t i = 0; i < restart->n_light; i++)
        to[restart->light[i]] = params[restart->light[i]];
    for (uint32_t i = 0; i < restart->restitution.n_laws; i++)
        run->env[restart->restitution.laws[i].env] =
            restart->full.reg[restart->restitution.laws[i].reg];
    memcpy(run->world.gravity, restart->full.gravity,
           sizeof run->world.gravity);
    run->world.tolerance = restart->full.tolerance;
    run->world.seed = restart->full.seed;
    return true;
}

bool
rt_laws(struct rt *run, const double *params, double *restitution)
{
    assert(restitution != NULL);
    struct restart *restart = run->start.again;
    if (!part(run, restart, params))
        return false;
    for (uint32_t i = 0; i < restart->restitution.n_fixed; i++)
        restitution[restart->restitution.fixed[i].contact] =
            restart->full.env[restart->restitution.fixed[i].env];
    for (uint32_t i = 0; i < restart->restitution.n_laws; i++)
        restitution[restart->restitution.laws[i].contact] =
            restart->full.reg[restart->restitution.laws[i].reg];
    return true;
}
