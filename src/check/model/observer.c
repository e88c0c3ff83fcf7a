/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observers of a system:
 *
 *   observer {
 *     coordinate u
 *     u'' = u*phi'^2 - cos(phi)*(h'' + 1) - w^2*u
 *     jump { u' = -cos(phi)*jump(h') }
 *   }
 *
 * A variable has one equation, for its first or second derivative, in which the
 * coordinates, their rates and accelerations may stand, and values and lower
 * derivatives of the observers' variables. `jump` gives what an impact adds.
 * Nothing of the motion reads a variable: formula_ok of system_formula.c. */
#include <string.h>

#include "check/model/system_priv.h"

/* -- equations and jumps --------------------------------------------------- */

/* the variable that a key is about, and how often it is primed; UINT32_MAX:
 * reported */
static uint32_t
variable(struct check *ck, const struct tm_system *s, const struct ast_item *k,
         bool jump, uint32_t *primes)
{
    const char *name = k->name.text;
    size_t len = strlen(name), all = len;
    uint32_t n = s->n + s->n_observer, i = 0;
    while (len > 1 && name[len - 1] == '\'')
        len--;
    *primes = (uint32_t)(all - len);
    for (; i < n; i++) {
        const char *q = ck->coordinates.v[s->first + i].name;
        if (strlen(q) == len && !strncmp(q, name, len))
            break;
    }
    if (i >= s->n && i < n)
        return s->first + i;
    enum diag_code code = jump ? DIAG_E0372 : DIAG_E0371;
    if (i < s->n) {
        struct diag *d = ck_error(ck, code, k->name.range,
                                  "`%s` is a coordinate of the system",
                                  ck->coordinates.v[s->first + i].name);
        CK_HELP(ck, d,
                jump ? "its jumps follow from the impact; rules are of the "
                       "observer's own variables"
                     : "its equation follows from the energies; an observer "
                       "has variables of its own: coordinate u  u'' = ...");
        return UINT32_MAX;
    }
    const char **names = NEW_N(ck->arena, const char *, s->n_observer + 1);
    for (uint32_t j = 0; j < s->n_observer; j++)
        names[j] = arena_printf(ck->arena, "%s%s",
                                ck->coordinates.v[s->first + s->n + j].name,
                                name + len);
    char *bare = arena_strndup(ck->arena, name, len);
    struct diag *d = ck_error(ck, code, k->name.range,
                              "`%s` is no variable of this observer", bare);
    if (!ck_suggest(ck, d, k->name.range, name, names, s->n_observer))
        CK_HELP(ck, d, "declare it: coordinate %s", bare);
    return UINT32_MAX;
}

struct felt {
    const struct check *ck;
    const struct tm_system *s;
    bool other, result, sides;
};
static void
felt_leaf(void *ctx, const expr *l)
{
    struct felt *f = ctx;
    if (l->sym == SYM_COORD && l->i >= f->s->first &&
        l->i < f->s->first + f->s->n + f->s->n_observer)
        f->sides |= l->j == COORD_RATE;
    else if (l->sym == SYM_SLOT)
        f->result = true;
    else
        f->other |= l->sym != SYM_PARAM && l->sym != SYM_TIME;
}

/* may an observer feel this? */
static bool
feels(struct check *ck, const struct tm_system *s, const expr *e, bool jump,
      const struct ast_expr *at)
{
    struct felt f = {.ck = ck, .s = s};
    if (ex_depends(ck->g, e, SYM_LOCAL, UINT32_MAX, UINT32_MAX))
        return true; /* of arguments without values: nothing is known */
    ex_leaves(ck->g, &e, 1, felt_leaf, &f);
    if (f.other || f.result) {
        struct diag *d =
            ck_error(ck, DIAG_E0364, at->range, "an observer reads %s",
                     f.result ? "the result of a command"
                              : "the motion of something else");
        CK_HELP(ck, d,
                "it feels the coordinates of its own system, t and "
                "params");
        return false;
    }
    if (!jump || !f.sides)
        return true;
    struct diag *d = ck_error(ck, DIAG_E0372, at->range,
                              "a rate has two values at an impact");
    CK_HELP(ck, d,
            "write before(h'), after(h') or jump(h'), the difference of both");
    return false;
}

static void
jump_rule(struct check *ck, const struct env *env, const struct tm_system *s,
          const struct ast_item *k)
{
    uint32_t primes, i = variable(ck, s, k, true, &primes);
    if (i == UINT32_MAX)
        return;
    struct tm_coordinate *u = &ck->coordinates.v[i];
    if (!u->order)
        return; /* no equation: told */
    if (primes >= u->order) {
        struct diag *d = ck_error(
            ck, DIAG_E0372, k->name.range,
            "`%s` follows from its equation at every time", k->name.text);
        CK_HELP(ck, d, u->order == 2 ? "%s and %s' may jump" : "%s may jump",
                u->name, u->name);
        return;
    }
    struct tm_num *to = primes ? &u->jump_rate : &u->jump;
    if (to->range.file) {
        struct diag *d = ck_error(ck, DIAG_E0372, k->name.range,
                                  "there are two rules for `%s`", k->name.text);
        CK_NOTE(ck, d, to->range, "the first one");
        return;
    }
    to->range = k->value->range;
    const struct dim *dim = ck->coordinate_dims.v[i];
    if (primes)
        dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1));
    struct value v = ck_expr(ck, env, k->value);
    if (v_need_scalar(ck, &v, k->value, dim, "what an impact adds") &&
        v.kind == V_NUM && feels(ck, s, v.e[0], true, k->value))
        take_num(to, &v, k->value);
}

/* Dimensions that are still open are told by their ratio: false: reported */
static bool
agrees(struct check *ck, const struct value *v, const struct ast_item *k,
       const struct dim *dim)
{
    if (v->kind != V_NUM || v->bare || v->dims || !v_is_scalar(v) ||
        dim_unify(ck->dims, v->dim, dim, k->value->range))
        return true;
    const struct dim *ratio = dim_div(ck->dims, dim, v->dim);
    if (dim_known(ck->dims, dim) || !dim_known(ck->dims, ratio))
        return true; /* the usual message can say it */
    struct diag *d = ck_error(ck, DIAG_E0202, k->value->range,
                              "what stands on the left is [%s] times this",
                              dim_text(ck->dims, ratio));
    CK_HELP(ck, d,
            "a derivative is per second: give factors their units, as in "
            "u'' = -w0^2*u with w0 = 5 [1/s]");
    return false;
}

static void
equation(struct check *ck, const struct env *env, const struct tm_system *s,
         const struct ast_item *k)
{
    uint32_t primes, i = variable(ck, s, k, false, &primes);
    if (i == UINT32_MAX ||
        ck->coordinates.v[i].equation.range.lo != k->value->range.lo)
        return; /* told */
    const struct dim *dim = dim_mul(ck->dims, ck->coordinate_dims.v[i],
                                    dim_mks(ck->dims, 0, 0, -(int)primes));
    struct value v = ck_expr(ck, env, k->value);
    if (agrees(ck, &v, k, dim) &&
        v_need_scalar(ck, &v, k->value, dim,
                      primes == 1 ? "this rate" : "this second derivative") &&
        v.kind == V_NUM && feels(ck, s, v.e[0], false, k->value))
        take_num(&ck->coordinates.v[i].equation, &v, k->value);
}

/* which derivative each equation is of, before anyone reads it */
static void
order_of(struct check *ck, const struct tm_system *s, const struct ast_item *k)
{
    uint32_t primes, i = variable(ck, s, k, false, &primes);
    if (i == UINT32_MAX)
        return;
    struct tm_coordinate *u = &ck->coordinates.v[i];
    if (primes < 1 || primes > 2) {
        struct diag *d = ck_error(ck, DIAG_E0371, k->name.range,
                                  "an equation is of the first or the second "
                                  "derivative");
        CK_HELP(ck, d,
                primes ? "make it two: a derivative of `%s` as a variable of "
                         "its own"
                       : "%s' = ... or %s'' = ...; its value at t = 0 is given "
                         "in start { ... }",
                u->name, u->name);
    } else if (u->order) {
        struct diag *d = ck_error(ck, DIAG_E0371, k->name.range,
                                  "there are two equations for `%s`", u->name);
        CK_NOTE(ck, d, u->equation.range, "the first one");
    } else {
        u->order = primes;
        u->equation.range = k->value->range;
        return;
    }
    u->order = u->order ? u->order : 2; /* told: it has an equation */
}

static void
not_in_observer(struct check *ck, const struct ast_item *it)
{
    struct diag *d =
        ck_error(ck, DIAG_E0361, it->head.file ? it->head : it->range,
                 "this cannot stand in the block of an observer");
    CK_HELP(ck, d,
            "an observer has variables, their equations and their jumps: "
            "coordinate u  u'' = -u  jump { u' = jump(h') }");
}

static bool
is_jump(const struct ast_item *x)
{
    return x->kind == AST_BLOCK && !strcmp(x->name.text, "jump");
}

static void
one_observer(struct check *ck, struct system_work *w, const struct tm_system *s,
             const struct ast_item *it)
{
    struct env eq = {.up = &w->env,
                     .module = w->env.module,
                     .system = true,
                     .part = PART_EQUATION};
    struct env jump = eq;
    jump.part = PART_JUMP;
    for (size_t i = 0; i < it->n_block; i++) {
        const struct ast_item *x = it->block[i];
        if (x->kind == AST_KEY && x->value && !x->command)
            equation(ck, &eq, s, x);
        else if (is_jump(x))
            for (size_t j = 0; j < x->n_block; j++) {
                const struct ast_item *k = x->block[j];
                if (k->kind == AST_KEY && k->value && !k->command)
                    jump_rule(ck, &jump, s, k);
                else
                    not_in_observer(ck, k);
            }
        else if (x->kind != AST_COORDINATE)
            not_in_observer(ck, x);
    }
}

void
system_observers(struct check *ck, struct system_work *w,
                 const struct tm_system *s)
{
    for (size_t i = 0; i < w->observers.n; i++) {
        const struct ast_item *it = w->observers.v[i];
        for (size_t j = 0; j < it->n_block; j++)
            if (it->block[j]->kind == AST_KEY && it->block[j]->value &&
                !it->block[j]->command)
                order_of(ck, s, it->block[j]);
    }
    for (uint32_t i = s->first + s->n; i < s->first + s->n + s->n_observer;
         i++) {
        struct tm_coordinate *u = &ck->coordinates.v[i];
        if (u->order)
            continue;
        struct diag *d =
            ck_error(ck, DIAG_E0371, u->range,
                     "the observer variable `%s` has no equation", u->name);
        CK_HELP(ck, d, "write one: %s'' = ..., or %s' = ...", u->name, u->name);
        u->order = 2;
        u->equation.range = u->range;
    }
    for (size_t i = 0; i < w->observers.n; i++)
        one_observer(ck, w, s, w->observers.v[i]);
    for (size_t i = 0; i < w->observers.n && !s->n_observer; i++) {
        if (w->observers.v[i]->n_block)
            continue; /* told what is wrong with it */
        struct diag *d = ck_error(ck, DIAG_E0371, w->observers.v[i]->name.range,
                                  "this observer has no variable");
        CK_HELP(ck, d, "name them: observer { coordinate u  u'' = ... }");
    }
}
