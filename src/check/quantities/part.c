/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that stand only in parts of a system's block: before, after and
 * jump in the jump of an observer, random in a start. */
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
side_leaf(void *ctx, const expr *l)
{
    struct sides *s = ctx;
    if (l->sym != SYM_COORD)
        return NULL;
    s->observer |= s->ck->coordinates.v[l->i].order > 0;
    return l->j == COORD_RATE ? ex_sym(s->ck->g, SYM_COORD, l->i, s->part)
                              : NULL;
}

/* e on one side of the impact; *observer: it reads an observer's variable */
static const expr *
on_side(struct check *ck, const expr *e, uint32_t part, bool *observer)
{
    struct sides s = {ck, part, false};
    const expr *r = ex_subst(ck->g, e, side_leaf, &s);
    *observer |= s.observer;
    return r;
}

static struct value
side_call(struct check *ck, const struct ast_expr *e, const char *name,
          const struct value *a)
{
    const struct ast_expr *x = e->args[0].value;
    bool observer = false;
    struct value v = *a;
    v.range = e->range;
    if (!v_is_scalar(a)) {
        ck_error(ck, DIAG_E0372, x->range, "`%s` is of one number", name);
        return v_poison(e->range);
    }
    if (a->kind != V_NUM)
        return v;
    v.bare = false;
    v.e = NEW_N(ck->arena, const expr *, 1);
    v.e[0] = on_side(ck, a->e[0], COORD_BEFORE, &observer);
    if (!strcmp(name, "before"))
        return v;
    observer = false;
    const expr *after = on_side(ck, a->e[0], COORD_AFTER, &observer);
    if (observer) {
        struct diag *d = ck_error(ck, DIAG_E0372, x->range,
                                  "what an observer variable is after the "
                                  "impact follows from this rule");
        CK_HELP(ck, d, "%s is of coordinates; before(%s) may stand here", name,
                ck_label(ck, x));
        return v_poison(e->range);
    }
    v.e[0] = *name == 'a' ? after : ex_sub(ck->g, after, v.e[0]);
    return v;
}

static struct value
random_call(struct check *ck, const struct ast_expr *e, struct value *a)
{
    double x[2];
    bool bare = a[0].bare && a[1].bare;
    const struct dim *dim = bare        ? dim_pure(ck->dims)
                            : a[0].bare ? a[1].dim
                                        : a[0].dim;
    for (int i = 0; i < 2; i++)
        if (!v_need_scalar(ck, &a[i], e->args[i].value, dim,
                           "a bound of a random number"))
            return v_poison(e->range);
    if (a[0].kind == V_ANY || a[1].kind == V_ANY)
        return v_any(ck, dim, e->range);
    for (int i = 0; i < 2; i++)
        if (!check_leaves(ck, a[i].e, 1, MAY_PARAMS, e->args[i].value,
                          "a bound of a random number"))
            return v_poison(e->range);
    if (v_const(&a[0], &x[0]) && v_const(&a[1], &x[1]) && !(x[0] < x[1])) {
        struct diag *d =
            ck_error(ck, DIAG_E0374, e->range,
                     "there is no number between %g and %g", x[0], x[1]);
        CK_HELP(ck, d,
                x[0] == x[1] ? "give the number itself"
                             : "the lower bound comes first");
        return v_poison(e->range);
    }
    struct tm_draw draw = {a[0].e[0], a[1].e[0], e->range};
    uint32_t i = (uint32_t)ck->draws.n;
    APUSH(ck, &ck->draws, draw);
    struct value v = v_num(ck, ex_sym(ck->g, SYM_DRAW, i, 0), dim, e->range);
    v.bare = bare;
    return v;
}

bool
part_call(struct check *ck, const struct env *env, const struct ast_expr *e,
          const char *name, struct value *a, struct value *out)
{
    bool draw = !strcmp(name, "random");
    enum env_part part = env_part(env);
    if (!part_name(name))
        return false;
    *out = v_poison(e->range);
    if (draw && part != PART_START) {
        struct diag *d = ck_error(ck, DIAG_E0373, e->range,
                                  "a random number stands in a start only");
        CK_HELP(ck, d,
                "system one : ... { start { h = random(1, 2) } }; a sweep "
                "draws params: random = (a in [0, 1])");
    } else if (!draw && part != PART_JUMP) {
        struct diag *d =
            ck_error(ck, DIAG_E0372, e->range,
                     "`%s` asks for a side of an impact, but this is no rule "
                     "of a jump",
                     name);
        CK_HELP(ck, d, "it stands in observer { ... jump { u' = ... } }");
    } else {
        *out = draw ? random_call(ck, e, a) : side_call(ck, e, name, a);
    }
    return true;
}
