/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in expressions: what a declaration is worth, and what else a name can
 * mean where it stands. */
#include <assert.h>
#include <string.h>

#include "check/expressions/expressions.h"

static void
cycle(struct check *ck, struct decl *d, imp_range range)
{
    const char *way = d->name;
    for (struct frame *f = ck->frames; f; f = f->up) {
        way = arena_printf(ck->arena, "%s -> %s", f->decl->name, way);
        if (f->decl == d)
            break;
    }
    struct diag *x = ck_error(ck, DIAG_E0106, d->range,
                              "`%s` is defined by itself: %s", d->name, way);
    CK_NOTE(ck, x, range, "the circle closes here");
    d->broken = true;
}

static struct value
let_value(struct check *ck, struct decl *d, imp_range range)
{
    if (d->state == DECL_BUSY) {
        cycle(ck, d, range);
        return v_poison(range);
    }
    if (d->state == DECL_NEW) {
        struct frame f = {d, range, ck->frames};
        struct env env = {.module = d->module, .calm = true};
        ck->frames = &f;
        d->state = DECL_BUSY;
        struct value v = ck_expr(ck, &env, d->item->value);
        v_whole(ck, &v);
        d->val = v;
        d->state = DECL_DONE;
        d->broken |= v.kind == V_POISON;
        ck->frames = f.up;
    }
    struct value v = d->broken ? v_poison(range) : d->val;
    v.range = range;
    return v;
}

/* E0319: a body, contact or system is named before it has its number */
static struct value
too_early(struct check *ck, const struct decl *d, imp_range range)
{
    struct diag *x = ck_error(ck, DIAG_E0319, range,
                              "a shape or a default cannot depend on the %s "
                              "`%s`",
                              decl_kind_name(d->kind), d->name);
    if (d->kind == D_SYSTEM)
        CK_NOTE(ck, x, d->range, "declared here");
    CK_HELP(ck, x, "it may depend on params, constants and t");
    return v_poison(range);
}

/* a body, contact or system by its number */
static struct value
numbered(struct check *ck, const struct decl *d, enum vkind kind, bool broken,
         imp_range range)
{
    if (!ck->placed)
        return too_early(ck, d, range);
    return (struct value){.kind = d->index == UINT32_MAX || broken ? V_POISON
                                                                   : kind,
                          .ref = d->index,
                          .range = range};
}

static struct value
joint_alone(struct check *ck, const struct decl *d, imp_range range)
{
    struct diag *x =
        ck_error(ck, DIAG_E0344, range,
                 "`%s` is a joint; it has no value of its own", d->name);
    CK_NOTE(ck, x, d->range, "declared here");
    CK_HELP(ck, x,
            "it has %s.Q and %s.S; its impulses are in the record of an "
            "impact: r.joint_impulses",
            d->name, d->name);
    return v_poison(range);
}

static struct value
pattern_alone(struct check *ck, const struct decl *d, imp_range range)
{
    struct diag *x =
        ck_error(ck, DIAG_E0360, range,
                 "`%s` is a pattern of systems; it has no values", d->name);
    CK_NOTE(ck, x, d->range, "declared here");
    CK_HELP(ck, x, "ask an instance of it: system one : %s(...)", d->name);
    return v_poison(range);
}

static struct value
result_value(struct check *ck, const struct decl *d, imp_range range)
{
    if (d->module != ck->main) {
        struct diag *x = ck_error(
            ck, DIAG_E0407, range,
            "`%s` is the result of a command in a used file, and those are "
            "not run",
            d->name);
        CK_NOTE(ck, x, d->range, "it stands here");
        CK_HELP(ck, x, "give the command in this file");
        return v_poison(range);
    }
    if (d->broken)
        return v_poison(range);
    if (d->index == UINT32_MAX || d->index >= ck->now) {
        struct diag *x =
            ck_error(ck, DIAG_E0407, range,
                     "the result `%s` does not exist yet here", d->name);
        CK_NOTE(ck, x, d->range, "it is computed here");
        CK_HELP(ck, x, "commands run in order: move this below it");
        return v_poison(range);
    }
    if (ck->records.v[d->index].broken)
        return v_poison(range);
    return (struct value){.kind = V_RESULT, .ref = d->index, .range = range};
}

struct value
ck_decl(struct check *ck, struct decl *d, imp_range range)
{
    assert(ck && d);
    struct value v;
    switch (d->kind) {
    case D_PARAM:
        if (d->broken || d->state != DECL_DONE)
            return v_poison(range);
        v = d->val;
        v.range = range;
        return v;
    case D_LET:
        return let_value(ck, d, range);
    case D_BODY:
        return numbered(ck, d, V_BODY, false, range);
    case D_CONTACT:
        return numbered(ck, d, V_CONTACT, false, range);
    case D_JOINT:
        return joint_alone(ck, d, range);
    case D_SYSTEM:
        return d->item->has_formals
                   ? pattern_alone(ck, d, range)
                   : numbered(ck, d, V_SYSTEM, d->broken, range);
    case D_RESULT:
        return result_value(ck, d, range);
    default: /* reported where it stands */
        return v_poison(range);
    }
}

struct value
ck_name(struct check *ck, const struct env *env, const char *name,
        imp_range range)
{
    static const char *const totals[] = {"energy", "kinetic_energy",
                                         "potential_energy"};
    for (const struct env *e = env; e; e = e->up) {
        for (size_t i = 0; i < e->n; i++)
            if (!strcmp(e->names[i], name)) {
                struct value v = e->vals[i];
                v.range = range;
                return v;
            }
        if (e->question && record_has(ck, e->question - 1, name))
            return result_field(ck, e->question - 1, name, range, range);
        if (e->coords && name[1] == 0 && name[0] >= 'x' && name[0] <= 'z')
            return v_num(ck,
                         ex_sym(ck->g, SYM_LOCAL, (uint32_t)(name[0] - 'x'), 0),
                         dim_mks(ck->dims, 1, 0, 0), range);
    }
    if (!strcmp(name, "t"))
        return v_num(ck, ex_sym(ck->g, SYM_TIME, 0, 0),
                     dim_mks(ck->dims, 0, 0, 1), range);
    if (!strcmp(name, "pi") || !strcmp(name, "tau")) {
        struct value v =
            v_num(ck,
                  ex_num(ck->g, name[0] == 'p' ? 3.14159265358979323846
                                               : 6.28318530717958647693),
                  dim_pure(ck->dims), range);
        v.bare = true;
        return v;
    }
    bool reported;
    struct decl *d =
        scope_find(ck, env->module, name, WANT_VALUE, range, &reported);
    if (reported)
        return v_poison(range);
    if (d)
        return ck_decl(ck, d, range);
    if (!strcmp(name, "eta"))
        return screw_eta(ck, range);
    for (uint32_t i = 0; i < 3; i++)
        if (!strcmp(name, totals[i]))
            return v_num(ck, ex_sym(ck->g, SYM_TOTAL, i, 0),
                         dim_mks(ck->dims, 2, 1, -2), range);
    scope_unknown(ck, env, name, range, WANT_VALUE);
    return v_poison(range);
}

const struct decl *
ck_joint(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    bool reported;
    if (e->kind != AST_NAME)
        return NULL;
    for (const struct env *p = env; p; p = p->up)
        for (size_t i = 0; i < p->n; i++)
            if (!strcmp(p->names[i], e->name.text))
                return NULL;
    const struct decl *own = scope_own(env->module, e->name.text);
    if (own && own->kind != D_JOINT)
        return NULL;
    const struct decl *d = scope_find(ck, env->module, e->name.text, WANT_VALUE,
                                      e->range, &reported);
    return d && d->kind == D_JOINT ? d : NULL;
}
