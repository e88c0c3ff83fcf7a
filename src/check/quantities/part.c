/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that stand only in parts of a system's block: before, after and
 * jump in the jump of an observer, random in a start. */
#include <assert.h>
#include <string.h>

#include "check/quantities/quantities.h"

enum env_part
env_part(const struct env *env)
{
    for (; env; env = env->up)
        if (env->part)
            return env->part;
    return PART_NONE;
}

static bool
part_name(const char *name)
{
    return !strcmp(name, "before") || !strcmp(name, "after") ||
           !strcmp(name, "jump") || !strcmp(name, "random");
}

struct sides {
    struct check *ck;
    uint32_t part; /* of the leaves that are put in */
    bool observer;
};

static const expr *
side_leaf(void *ctx, const expr *leaf)
{
    struct sides *sides = ctx;
    if (leaf->sym != SYM_COORD)
        return NULL;
    sides->observer |= sides->ck->lists.coordinates.v[leaf->i].order > 0;
    return leaf->j == COORD_RATE
               ? ex_sym(sides->ck->g, SYM_COORD, leaf->i, sides->part)
               : NULL;
}

/* Returns the expression as it is on one side of the impact. *observer: it
 * reads a variable of an observer. */
static const expr *
on_side(struct check *ck, const expr *expression, uint32_t part, bool *observer)
{
    struct sides s = {ck, part, false};
    const expr *r = ex_subst(ck->g, expression, side_leaf, &s);
    *observer |= s.observer;
    return r;
}

static struct value
side_call(struct check *ck, const struct ast_expr *node, const char *name,
          const struct value *left)
{
    const struct ast_expr *entry = node->args[0].value;
    bool observer = false;
    struct value value = *left;
    value.range = node->range;
    if (!value_is_scalar(left)) {
        check_error(ck, DIAG_E0372, entry->range, "`%s` is of one number",
                    name);
        return value_poison(node->range);
    }
    if (left->kind != VALUE_NUM)
        return value;
    value.bare = false;
    value.e = NEW_N(ck->arena, const expr *, 1);
    value.e[0] = on_side(ck, left->e[0], COORD_BEFORE, &observer);
    if (!strcmp(name, "before"))
        return value;
    observer = false;
    const expr *after = on_side(ck, left->e[0], COORD_AFTER, &observer);
    if (observer) {
        struct diag *diag =
            check_error(ck, DIAG_E0372, entry->range,
                        "what an observer variable is after the "
                        "impact follows from this rule");
        CHECK_HELP(ck, diag, "%s is of coordinates; before(%s) may stand here",
                   name, expr_label(ck, entry));
        return value_poison(node->range);
    }
    value.e[0] = *name == 'a' ? after : ex_sub(ck->g, after, value.e[0]);
    return value;
}

static struct value
random_call(struct check *ck, const struct ast_expr *node, struct value *args)
{
    double bounds[2];
    bool bare = args[0].bare && args[1].bare;
    const struct dim *dim = bare           ? dim_pure(ck->dims)
                            : args[0].bare ? args[1].dim
                                           : args[0].dim;
    for (int i = 0; i < 2; i++)
        if (!value_need_scalar(ck, &args[i], node->args[i].value, dim,
                               "a bound of a random number"))
            return value_poison(node->range);
    if (args[0].kind == VALUE_ANY || args[1].kind == VALUE_ANY)
        return value_any(ck, dim, node->range);
    for (int i = 0; i < 2; i++)
        if (!check_leaves(ck, args[i].e, 1, MAY_PARAMS, node->args[i].value,
                          "a bound of a random number"))
            return value_poison(node->range);
    if (value_const(&args[0], &bounds[0]) &&
        value_const(&args[1], &bounds[1]) && !(bounds[0] < bounds[1])) {
        struct diag *diag = check_error(ck, DIAG_E0374, node->range,
                                        "there is no number between %g and %g",
                                        bounds[0], bounds[1]);
        CHECK_HELP(ck, diag,
                   bounds[0] == bounds[1] ? "give the number itself"
                                          : "the lower bound comes first");
        return value_poison(node->range);
    }
    struct tm_draw draw = {args[0].e[0], args[1].e[0], node->range};
    struct value value = value_num(ck, draw_new(ck, &draw), dim, node->range);
    value.bare = bare;
    return value;
}

const expr *
draw_new(struct check *ck, const struct tm_draw *draw)
{
    assert(ck && draw);
    size_t n = ck->lists.draws.n, cap = ck->lists.draws.cap;
    if (n == cap) {
        cap = cap ? cap + cap / 2 : 8;
        ck->lists.draws.v = arena_enlarge(ck->arena, ck->lists.draws.v,
                                          n * sizeof *draw, cap * sizeof *draw);
        ck->lists.draws.cap = cap;
    }
    ck->lists.draws.v[ck->lists.draws.n++] = *draw;
    return ex_sym(ck->g, SYM_DRAW, (uint32_t)(n - ck->lists.draws.from), 0);
}

bool
part_call(struct check *ck, const struct env *env, const struct ast_expr *node,
          const char *name, struct value *args, struct value *out)
{
    assert(ck && env && node && name && args && out);
    bool draw = !strcmp(name, "random");
    enum env_part part = env_part(env);
    if (!part_name(name))
        return false;
    *out = value_poison(node->range);
    if (draw && part != PART_START) {
        struct diag *diag =
            check_error(ck, DIAG_E0373, node->range,
                        "a random number stands in a start only");
        CHECK_HELP(ck, diag,
                   "system one : ... { start { h = random(1, 2) } }, or "
                   "position, orientation, velocity and spin of a body that "
                   "moves; a sweep draws params: random = (a in [0, 1])");
    } else if (!draw && part != PART_JUMP) {
        struct diag *diag = check_error(
            ck, DIAG_E0372, node->range,
            "`%s` asks for a side of an impact, but this is no rule "
            "of a jump",
            name);
        CHECK_HELP(ck, diag, "it stands in observer { ... jump { u' = ... } }");
    } else {
        *out = draw ? random_call(ck, node, args)
                    : side_call(ck, node, name, args);
    }
    return true;
}
