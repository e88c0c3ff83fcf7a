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
 * Invariant: k->env and the numbers of the world are those of the last set-up
 * that succeeded; k->reg has the constants of the part, and is a number
 * everywhere. */
#include "runtime/setup/restart.h"

#include <float.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/tape/eval_priv.h"

/* outputs of the set-up tape per contact; the first is e (imp_image.setup) */
#define CONTACT_OUTS 9

struct param_read {
    uint32_t reg, param;
};
struct law {
    uint32_t contact, env, reg; /* env: its entry */
};
struct restart {
    bool any;   /* some param is light */
    bool known; /* a set-up has been kept */
    const imp_tape *tape;
    uint32_t *heavy, *light; /* params */
    uint32_t n_heavy, n_light;
    struct param_read *reads; /* of the part: reg = param, then the operators */
    uint32_t *ops;
    uint32_t n_reads, n_ops;
    struct law *laws;  /* contacts whose e is made of params */
    struct law *fixed; /* the others */
    uint32_t *e;       /* registers of laws, each once */
    uint32_t n_laws, n_fixed, n_e;
    double *reg; /* of the set-up tape */
    double *env, gravity[3], tolerance, seed;
};

static const imp_tape *
tape_at(const struct rt *r, uint32_t tape)
{
    return IMP_ARRAY(r->im, r->im->tapes, imp_tape) + tape;
}

/* -- which params are light -------------------------------------------------
 */

static void
mark_values(const struct rt *r, const imp_val *v, unsigned char *value)
{
    const imp_val *item = IMP_ARRAY(r->im, v->items, imp_val);
    if (v->tape < r->im->tapes.n)
        value[v->tape] = 1;
    for (uint32_t i = 0; i < v->items.n; i++)
        mark_values(r, item + i, value);
}

/* value[t] = 1: tape t is that of a value of a command, or of a series of one
 */
static void
find_values(const struct rt *r, unsigned char *value)
{
    const imp_image *im = r->im;
    const imp_command *c = IMP_ARRAY(im, im->commands, imp_command);
    const imp_series *s = IMP_ARRAY(im, im->series, imp_series);
    for (uint32_t i = 0; i < im->commands.n; i++) {
        const imp_val *a = IMP_ARRAY(im, c[i].args, imp_val);
        const imp_opt *o = IMP_ARRAY(im, c[i].opts, imp_opt);
        for (uint32_t k = 0; k < c[i].args.n; k++)
            mark_values(r, a + k, value);
        for (uint32_t k = 0; k < c[i].opts.n; k++)
            mark_values(r, &o[k].val, value);
    }
    for (uint32_t i = 0; i < im->series.n; i++)
        if (s[i].tape < im->tapes.n)
            value[s[i].tape] = 1;
}

/* read[i] = 1: a tape of the model reads entry i of env */
static void
find_reads(const struct rt *r, const unsigned char *value, unsigned char *read)
{
    for (uint32_t t = 0; t < r->im->tapes.n; t++) {
        const imp_tape *tape = tape_at(r, t);
        const imp_instr *in = IMP_ARRAY(r->im, tape->code, imp_instr);
        for (uint32_t i = 0; i < tape->code.n; i++)
            if (!value[t] && t != r->im->setup && in[i].op == IMP_OP_ENV)
                read[in[i].a] = 1;
    }
}

static void
mark_ancestors(const struct rt *r, const imp_tape *t, unsigned char *mark)
{
    for (uint32_t i = t->code.n; i-- > 0;)
        if (mark[i])
            eval_mark_operands(r->im, t, i, mark);
}

/* is output i of the set-up tape a restitution? */
static bool
is_law(const struct rt *r, uint32_t i)
{
    return i < CONTACT_OUTS * r->im->contacts.n && i % CONTACT_OUTS == 0;
}

/* Marks of registers of the set-up tape: law, what restitutions are made of;
 * other, what all the rest is. read: entries of env. */
static void
find_params(const struct rt *r, struct restart *k, const unsigned char *other,
            const unsigned char *read)
{
    const imp_instr *in = IMP_ARRAY(r->im, k->tape->code, imp_instr);
    uint32_t first = r->im->layout.params, n = r->im->params.n;
    unsigned char *heavy = NEW_N(r->own, unsigned char, n + 1);
    memcpy(heavy, read + first, n);
    for (uint32_t i = 0; i < k->tape->code.n; i++)
        if (other[i] && in[i].op == IMP_OP_ENV && in[i].a - first < n)
            heavy[in[i].a - first] = 1;
    k->heavy = NEW_N(r->own, uint32_t, n + 1);
    k->light = NEW_N(r->own, uint32_t, n + 1);
    for (uint32_t p = 0; p < n; p++)
        if (heavy[p])
            k->heavy[k->n_heavy++] = p;
        else
            k->light[k->n_light++] = p;
}

/* false: restitutions are made of something that is no param */
static bool
find_part(const struct rt *r, struct restart *k, const unsigned char *law)
{
    const imp_tape *t = k->tape;
    const imp_instr *in = IMP_ARRAY(r->im, t->code, imp_instr);
    const double *consts = IMP_ARRAY(r->im, t->consts, double);
    const uint32_t *out = IMP_ARRAY(r->im, t->outs, uint32_t);
    uint32_t first = r->im->layout.params, n = t->code.n;
    k->reads = NEW_N(r->own, struct param_read, n + 1);
    k->ops = NEW_N(r->own, uint32_t, n + 1);
    k->laws = NEW_N(r->own, struct law, r->im->contacts.n + 1);
    k->fixed = NEW_N(r->own, struct law, r->im->contacts.n + 1);
    k->e = NEW_N(r->own, uint32_t, r->im->contacts.n + 1);
    k->reg = NEW_N(r->own, double, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!law[i])
            continue;
        if (in[i].op == IMP_OP_CONST)
            k->reg[i] = consts[in[i].a];
        else if (in[i].op == IMP_OP_ENV && in[i].a - first < r->im->params.n)
            k->reads[k->n_reads++] = (struct param_read){i, in[i].a - first};
        else if (in[i].op > IMP_OP_UNKNOWN)
            k->ops[k->n_ops++] = i;
        else
            return false;
    }
    for (uint32_t c = 0; c < r->im->contacts.n; c++) {
        uint32_t reg = out[CONTACT_OUTS * c], i = 0;
        struct law one = {c, rt_contact(r, c)->env_contact + IMP_CONTACT_E,
                          reg};
        if (in[reg].op == IMP_OP_CONST) {
            k->fixed[k->n_fixed++] = one;
            continue;
        }
        k->laws[k->n_laws++] = one;
        while (i < k->n_e && k->e[i] != reg)
            i++;
        if (i == k->n_e)
            k->e[k->n_e++] = reg;
    }
    return true;
}

static bool
look(const struct rt *r, struct restart *k)
{
    const imp_image *im = r->im;
    const imp_tape *t = k->tape = tape_at(r, im->setup);
    const uint32_t *out = IMP_ARRAY(im, t->outs, uint32_t);
    uint32_t n = t->code.n;
    if (!im->contacts.n || im->bodies.n || im->joints.n || im->draws.n ||
        t->unknowns.n)
        return false;
    unsigned char *value = NEW_N(r->own, unsigned char, im->tapes.n + 1);
    unsigned char *read = NEW_N(r->own, unsigned char, im->layout.n_env + 1);
    unsigned char *law = NEW_N(r->own, unsigned char, n + 1);
    unsigned char *other = NEW_N(r->own, unsigned char, n + 1);
    find_values(r, value);
    find_reads(r, value, read);
    for (uint32_t i = 0; i < t->outs.n; i++)
        (is_law(r, i) ? law : other)[out[i]] = 1;
    mark_ancestors(r, t, law);
    mark_ancestors(r, t, other);
    /* a tape of the model that reads a restitution from env itself */
    for (uint32_t c = 0; c < im->contacts.n; c++)
        if (read[rt_contact(r, c)->env_contact + IMP_CONTACT_E])
            return false;
    find_params(r, k, other, read);
    return k->n_light && find_part(r, k, law);
}

/* -- starts ------------------------------------------------------------------
 */

void
restart_note(struct rt *r)
{
    struct restart *k = r->again;
    if (!k) {
        k = NEW(r->own, struct restart);
        k->any = look(r, k);
        if (k->any)
            k->env = NEW_N(r->own, double, r->im->layout.n_env + 1);
        r->again = k;
    }
    if (!k->any)
        return;
    memcpy(k->env, r->env, r->im->layout.n_env * sizeof *r->env);
    memcpy(k->gravity, r->gravity, sizeof k->gravity);
    k->tolerance = r->tolerance;
    k->seed = r->seed;
    k->known = true;
}

/* restitutions of these params into k->reg; false: more is another */
static inline bool
part(const struct rt *r, struct restart *k, const double *params)
{
    const double *was;
    uint64_t other = 0, x, y;
    if (!k || !k->known)
        return false;
    was = k->env + r->im->layout.params;
    for (uint32_t i = 0; i < k->n_heavy; i++) {
        memcpy(&x, params + k->heavy[i], sizeof x);
        memcpy(&y, was + k->heavy[i], sizeof y);
        other |= x ^ y;
    }
    if (other)
        return false;
    for (uint32_t i = 0; i < k->n_reads; i++)
        k->reg[k->reads[i].reg] = params[k->reads[i].param];
    if (k->n_ops)
        eval_some(r->im, k->tape, k->ops, k->n_ops, k->reg);
    double most = r->im->gain_allowed ? DBL_MAX : 1.0;
    for (uint32_t i = 0; i < k->n_e; i++) {
        double e = k->reg[k->e[i]];
        if (!(e >= 0.0 && e <= most))
            return false;
    }
    return true;
}

bool
restart_laws(struct rt *r, const double *params)
{
    struct restart *k = r->again;
    if (!part(r, k, params))
        return false;
    double *to = r->env + r->im->layout.params;
    memcpy(r->env, k->env, r->im->layout.n_env * sizeof *r->env);
    for (uint32_t i = 0; i < k->n_light; i++)
        to[k->light[i]] = params[k->light[i]];
    for (uint32_t i = 0; i < k->n_laws; i++)
        r->env[k->laws[i].env] = k->reg[k->laws[i].reg];
    memcpy(r->gravity, k->gravity, sizeof r->gravity);
    r->tolerance = k->tolerance;
    r->seed = k->seed;
    return true;
}

bool
rt_laws(struct rt *r, const double *params, double *e)
{
    struct restart *k = r->again;
    if (!part(r, k, params))
        return false;
    for (uint32_t i = 0; i < k->n_fixed; i++)
        e[k->fixed[i].contact] = k->env[k->fixed[i].env];
    for (uint32_t i = 0; i < k->n_laws; i++)
        e[k->laws[i].contact] = k->reg[k->laws[i].reg];
    return true;
}
