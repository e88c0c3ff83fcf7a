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
 * Nothing of the motion reads a variable: system_formula_ok of block.c. */
#include <assert.h>
#include <string.h>

#include "check/model/system_priv.h"

/* -- equations and jumps --------------------------------------------------- */

/* Finds the variable that a key is about, and how many primes the key has.
 * UINT32_MAX: an error has been reported. */
static uint32_t
variable(struct check *ck, const struct tm_system *system,
         const struct ast_item *key, bool jump, uint32_t *primes)
{
    const char *name = key->name.text;
    size_t len = strlen(name), all = len;
    uint32_t count = system->n + system->n_observer, index = 0;
    while (len > 1 && name[len - 1] == '\'')
        len--;
    *primes = (uint32_t)(all - len);
    for (; index < count; index++) {
        const char *coordinate =
            ck->lists.coordinates.v[system->first + index].name;
        if (strlen(coordinate) == len && !strncmp(coordinate, name, len))
            break;
    }
    if (index >= system->n && index < count)
        return system->first + index;
    enum diag_code code = jump ? DIAG_E0372 : DIAG_E0371;
    if (index < system->n) {
        struct diag *diag = check_error(
            ck, code, key->name.range, "`%s` is a coordinate of the system",
            ck->lists.coordinates.v[system->first + index].name);
        CHECK_HELP(ck, diag,
                   jump ? "its jumps follow from the impact; rules are of the "
                          "observer's own variables"
                        : "its equation follows from the energies; an observer "
                          "has variables of its own: coordinate u  u'' = ...");
        return UINT32_MAX;
    }
    const char **names = NEW_N(ck->arena, const char *, system->n_observer + 1);
    for (uint32_t j = 0; j < system->n_observer; j++)
        names[j] = arena_printf(
            ck->arena, "%s%s",
            ck->lists.coordinates.v[system->first + system->n + j].name,
            name + len);
    char *bare = arena_strndup(ck->arena, name, len);
    struct diag *d = check_error(ck, code, key->name.range,
                                 "`%s` is no variable of this observer", bare);
    if (!check_suggest(ck, d, key->name.range, name, names, system->n_observer))
        CHECK_HELP(ck, d, "declare it: coordinate %s", bare);
    return UINT32_MAX;
}

struct felt {
    const struct check *ck;
    const struct tm_system *s;
    bool other, sides;
    const char *result;
};
static void
felt_leaf(void *ctx, const expr *leaf)
{
    struct felt *felt = ctx;
    if (leaf->sym == SYM_COORD && leaf->i >= felt->s->first &&
        leaf->i < felt->s->first + felt->s->n + felt->s->n_observer)
        felt->sides |= leaf->j == COORD_RATE;
    else if (leaf->sym == SYM_SLOT)
        felt->result =
            felt->result ? felt->result : leaf_result(felt->ck, leaf);
    else
        felt->other |= leaf->sym != SYM_PARAM && leaf->sym != SYM_TIME;
}

/* May an observer read this? */
static bool
feels(struct check *ck, const struct tm_system *system, const expr *expression,
      bool jump, const struct ast_expr *at)
{
    struct felt felt = {.ck = ck, .s = system};
    if (ex_depends(ck->g, expression, SYM_LOCAL, UINT32_MAX, UINT32_MAX))
        return true; /* The arguments have no values yet, so nothing is known.
                      */
    ex_leaves(ck->g, &expression, 1, felt_leaf, &felt);
    if (felt.other || felt.result) {
        struct diag *diag = check_error(
            ck, DIAG_E0364, at->range, "an observer reads %s",
            felt.result ? felt.result : "the motion of something else");
        const char *remedy = leaf_result_remedy(felt.result);
        CHECK_HELP(ck, diag, "%s",
                   remedy ? remedy
                          : "it feels the coordinates of its own system, t "
                            "and params");
        return false;
    }
    if (!jump || !felt.sides)
        return true;
    struct diag *d = check_error(ck, DIAG_E0372, at->range,
                                 "a rate has two values at an impact");
    CHECK_HELP(
        ck, d,
        "write before(h'), after(h') or jump(h'), the difference of both");
    return false;
}

/* Is this the variable itself, or what it is before the impact? */
static bool
is_itself(const struct ast_expr *node, const char *name)
{
    node = ast_unwrap(node);
    if (node->kind == AST_CALL && node->n_args == 1 &&
        node->a->kind == AST_NAME && !strcmp(node->a->name.text, "before"))
        node = ast_unwrap(node->args[0].value);
    return node->kind == AST_NAME && !strcmp(node->name.text, name);
}

/* Warns of a rule that says what a variable becomes, n = n + 1: it is what an
 * impact adds. */
static void
rule_adds(struct check *ck, const struct ast_item *key, const char *name)
{
    const struct ast_expr *sum = ast_unwrap(key->value);
    const char *rest = NULL;
    if (sum->kind == AST_BINARY && sum->op == AST_ADD &&
        is_itself(sum->a, name))
        rest = expr_label(ck, sum->b);
    else if (sum->kind == AST_BINARY && sum->op == AST_ADD &&
             is_itself(sum->b, name))
        rest = expr_label(ck, sum->a);
    if (!rest)
        return;
    struct diag *diag = check_error(ck, DIAG_W0305, key->value->range,
                                    "a rule of a jump says what the impact "
                                    "adds to `%s`, so this doubles it",
                                    name);
    CHECK_HELP(ck, diag, "as in %s = %s", name, rest);
    diag_fix(ck->ds, diag, key->value->range, rest);
}

static void
jump_rule(struct check *ck, const struct env *env,
          const struct tm_system *system, const struct ast_item *key)
{
    uint32_t primes, index = variable(ck, system, key, true, &primes);
    if (index == UINT32_MAX)
        return;
    struct tm_coordinate *coordinate = &ck->lists.coordinates.v[index];
    if (!coordinate->order)
        return; /* The variable has no equation, which has been reported. */
    if (primes >= coordinate->order) {
        struct diag *diag = check_error(
            ck, DIAG_E0372, key->name.range,
            "`%s` follows from its equation at every time", key->name.text);
        CHECK_HELP(ck, diag,
                   coordinate->order == 2 ? "%s and %s' may jump"
                                          : "%s may jump",
                   coordinate->name, coordinate->name);
        return;
    }
    struct tm_num *to = primes ? &coordinate->jump_rate : &coordinate->jump;
    if (to->range.file) {
        struct diag *diag =
            check_error(ck, DIAG_E0372, key->name.range,
                        "there are two rules for `%s`", key->name.text);
        CHECK_NOTE(ck, diag, to->range, "the first one");
        return;
    }
    to->range = key->value->range;
    const struct dim *dim = ck->notes.coordinate_dims.v[index];
    if (primes)
        dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1));
    struct value value = check_expr(ck, env, key->value);
    if (value_need_scalar(ck, &value, key->value, dim, "what an impact adds") &&
        value.kind == VALUE_NUM &&
        feels(ck, system, value.e[0], true, key->value)) {
        take_num(to, &value, key->value);
        if (!primes)
            rule_adds(ck, key, coordinate->name);
    }
}

/* Reports two dimensions that are not known yet by their ratio. False: it has
 * been reported. */
static bool
agrees(struct check *ck, const struct value *value, const struct ast_item *key,
       const struct dim *dim)
{
    if (value->kind != VALUE_NUM || value->bare || value->dims ||
        !value_is_scalar(value) ||
        dim_unify(ck->dims, value->dim, dim, key->value->range))
        return true;
    const struct dim *ratio = dim_div(ck->dims, dim, value->dim);
    if (dim_known(ck->dims, dim) || !dim_known(ck->dims, ratio))
        return true; /* The usual message can name both dimensions. */
    struct diag *diag =
        check_error(ck, DIAG_E0202, key->value->range,
                    "what stands on the left is [%s] times this",
                    dim_text(ck->dims, ratio));
    CHECK_HELP(ck, diag,
               "a derivative is per second: give factors their units, as in "
               "u'' = -w0^2*u with w0 = 5 [1/s]");
    return false;
}

static void
equation(struct check *ck, const struct env *env,
         const struct tm_system *system, const struct ast_item *key)
{
    uint32_t primes, index = variable(ck, system, key, false, &primes);
    if (index == UINT32_MAX ||
        ck->lists.coordinates.v[index].equation.range.lo !=
            key->value->range.lo)
        return; /* This has been reported. */
    const struct dim *dim =
        dim_mul(ck->dims, ck->notes.coordinate_dims.v[index],
                dim_mks(ck->dims, 0, 0, -(int)primes));
    struct value value = check_expr(ck, env, key->value);
    if (agrees(ck, &value, key, dim) &&
        value_need_scalar(ck, &value, key->value, dim,
                          primes == 1 ? "this rate"
                                      : "this second derivative") &&
        value.kind == VALUE_NUM &&
        feels(ck, system, value.e[0], false, key->value))
        take_num(&ck->lists.coordinates.v[index].equation, &value, key->value);
}

/* Notes for each equation which derivative it gives, before any expression is
 * checked. */
static void
order_of(struct check *ck, const struct tm_system *system,
         const struct ast_item *key)
{
    uint32_t primes, index = variable(ck, system, key, false, &primes);
    if (index == UINT32_MAX)
        return;
    struct tm_coordinate *coordinate = &ck->lists.coordinates.v[index];
    if (primes < 1 || primes > 2) {
        struct diag *diag =
            check_error(ck, DIAG_E0371, key->name.range,
                        "an equation is of the first or the second "
                        "derivative");
        CHECK_HELP(ck, diag,
                   primes
                       ? "make it two: a derivative of `%s` as a variable of "
                         "its own"
                       : "%s' = ... or %s'' = ...; its value at t = 0 is given "
                         "in start { ... }",
                   coordinate->name, coordinate->name);
    } else if (coordinate->order) {
        struct diag *diag =
            check_error(ck, DIAG_E0371, key->name.range,
                        "there are two equations for `%s`", coordinate->name);
        CHECK_NOTE(ck, diag, coordinate->equation.range, "the first one");
    } else {
        coordinate->order = primes;
        coordinate->equation.range = key->value->range;
        return;
    }
    coordinate->order = coordinate->order
                            ? coordinate->order
                            : 2; /* The equation is there, and what is wrong
                                    with it has been reported. */
}

static void
not_in_observer(struct check *ck, const struct ast_item *it)
{
    struct diag *diag =
        check_error(ck, DIAG_E0361, it->head.file ? it->head : it->range,
                    "this cannot stand in the block of an observer");
    CHECK_HELP(ck, diag,
               "an observer has variables, their equations and their jumps: "
               "coordinate u  u'' = -u  jump { u' = jump(h') }");
}

static bool
is_jump(const struct ast_item *item)
{
    return item->kind == AST_BLOCK && !strcmp(item->name.text, "jump");
}

static void
one_observer(struct check *ck, struct system_work *work,
             const struct tm_system *system, const struct ast_item *it)
{
    struct env eq = {.up = &work->env,
                     .module = work->env.module,
                     .system = true,
                     .part = PART_EQUATION};
    struct env jump = eq;
    jump.part = PART_JUMP;
    for (size_t i = 0; i < it->n_block; i++) {
        const struct ast_item *item = it->block[i];
        if (item->kind == AST_KEY && item->value && !item->command)
            equation(ck, &eq, system, item);
        else if (is_jump(item))
            for (size_t j = 0; j < item->n_block; j++) {
                const struct ast_item *key = item->block[j];
                if (key->kind == AST_KEY && key->value && !key->command)
                    jump_rule(ck, &jump, system, key);
                else
                    not_in_observer(ck, key);
            }
        else if (item->kind != AST_COORDINATE)
            not_in_observer(ck, item);
    }
}

void
system_observers(struct check *ck, struct system_work *work,
                 const struct tm_system *system)
{
    assert(ck && work && system);
    for (size_t i = 0; i < work->observers.n; i++) {
        const struct ast_item *it = work->observers.v[i];
        for (size_t j = 0; j < it->n_block; j++)
            if (it->block[j]->kind == AST_KEY && it->block[j]->value &&
                !it->block[j]->command)
                order_of(ck, system, it->block[j]);
    }
    for (uint32_t i = system->first + system->n;
         i < system->first + system->n + system->n_observer; i++) {
        struct tm_coordinate *variable = &ck->lists.coordinates.v[i];
        if (variable->order)
            continue;
        struct diag *diag = check_error(
            ck, DIAG_E0371, variable->range,
            "the observer variable `%s` has no equation", variable->name);
        CHECK_HELP(ck, diag, "write one: %s'' = ..., or %s' = ...",
                   variable->name, variable->name);
        variable->order = 2;
        variable->equation.range = variable->range;
    }
    for (size_t i = 0; i < work->observers.n; i++)
        one_observer(ck, work, system, work->observers.v[i]);
    for (size_t i = 0; i < work->observers.n && !system->n_observer; i++) {
        if (work->observers.v[i]->n_block)
            continue; /* What is wrong with the observer has been reported. */
        struct diag *diag =
            check_error(ck, DIAG_E0371, work->observers.v[i]->name.range,
                        "this observer has no variable");
        CHECK_HELP(ck, diag, "name them: observer { coordinate u  u'' = ... }");
    }
}
