/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in expressions: what a declaration is worth, and what else a name can
 * mean where it stands. */
#include <assert.h>
#include <string.h>

#include "check/expressions/expressions.h"

static void
cycle(struct check *ck, struct decl *decl, imp_range range)
{
    const char *way = decl->name;
    for (struct frame *frame = ck->expansion.frames; frame; frame = frame->up) {
        way = arena_printf(ck->arena, "%s -> %s", frame->decl->name, way);
        if (frame->decl == decl)
            break;
    }
    struct diag *diag =
        check_error(ck, DIAG_E0106, decl->range,
                    "`%s` is defined by itself: %s", decl->name, way);
    CHECK_NOTE(ck, diag, range, "the circle closes here");
    decl->broken = true;
}

static struct value
let_value(struct check *ck, struct decl *decl, imp_range range)
{
    /* lists of what moves are written out along a run, and nowhere else */
    bool again =
        ck->progress.along && decl->state == DECL_DONE && !decl->broken;
    struct value before = decl->val;
    if (decl->state == DECL_BUSY) {
        cycle(ck, decl, range);
        return value_poison(range);
    }
    if (decl->state == DECL_NEW || again) {
        struct frame frame = {decl, range, ck->expansion.frames};
        struct env env = {.module = decl->module, .calm = true};
        ck->expansion.frames = &frame;
        decl->state = DECL_BUSY;
        struct value value = check_expr(ck, &env, decl->item->value);
        value_whole(ck, &value);
        decl->val = value;
        decl->state = DECL_DONE;
        decl->broken |= value.kind == VALUE_POISON;
        ck->expansion.frames = frame.up;
    }
    struct value v = decl->broken ? value_poison(range) : decl->val;
    v.range = range;
    if (ck->progress.along && !decl->broken) {
        decl->val = before;
        decl->state = again ? DECL_DONE : DECL_NEW;
    }
    return v;
}

/* E0319: a body, contact or system is named before it has its number. */
static struct value
too_early(struct check *ck, const struct decl *decl, imp_range range)
{
    struct diag *diag =
        check_error(ck, DIAG_E0319, range,
                    "a shape or a default cannot depend on the %s "
                    "`%s`",
                    decl_kind_name(decl->kind), decl->name);
    if (decl->kind == DECL_SYSTEM)
        CHECK_NOTE(ck, diag, decl->range, "declared here");
    CHECK_HELP(ck, diag, "it may depend on params, constants and t");
    return value_poison(range);
}

/* Gives a body, a contact or a system by its number. */
static struct value
numbered(struct check *ck, const struct decl *decl, enum value_kind kind,
         bool broken, imp_range range)
{
    if (!ck->progress.placed)
        return too_early(ck, decl, range);
    return (struct value){
        .kind = decl->index == UINT32_MAX || broken ? VALUE_POISON : kind,
        .ref = decl->index,
        .range = range};
}

/* Gives all members of a family of bodies or of contacts. */
static struct value
family(struct check *ck, const struct decl *decl, bool bodies, imp_range range)
{
    struct value value = numbered(ck, decl, VALUE_FAMILY, decl->broken, range);
    value.rows = decl->count;
    value.cols = (uint32_t)decl->lo;
    value.field = bodies;
    value.text = decl->name;
    return value;
}

static struct value
joint_alone(struct check *ck, const struct decl *decl, imp_range range)
{
    struct diag *diag =
        check_error(ck, DIAG_E0344, range,
                    "`%s` is a joint; it has no value of its own", decl->name);
    CHECK_NOTE(ck, diag, decl->range, "declared here");
    CHECK_HELP(ck, diag,
               "it has %s.Q and %s.S; its impulses are in the record of an "
               "impact: r.joint_impulses",
               decl->name, decl->name);
    return value_poison(range);
}

static struct value
pattern_alone(struct check *ck, const struct decl *decl, imp_range range)
{
    struct diag *diag = check_error(
        ck, DIAG_E0360, range, "`%s` is a pattern of systems; it has no values",
        decl->name);
    CHECK_NOTE(ck, diag, decl->range, "declared here");
    CHECK_HELP(ck, diag, "ask an instance of it: system one : %s(...)",
               decl->name);
    return value_poison(range);
}

static struct value
result_value(struct check *ck, const struct decl *decl, imp_range range)
{
    if (decl->module != ck->modules.main) {
        struct diag *diag = check_error(
            ck, DIAG_E0407, range,
            "`%s` is the result of a command in a used file, and those are "
            "not run",
            decl->name);
        CHECK_NOTE(ck, diag, decl->range, "it stands here");
        CHECK_HELP(ck, diag, "give the command in this file");
        return value_poison(range);
    }
    if (decl->broken)
        return value_poison(range);
    if (decl->index == UINT32_MAX || decl->index >= ck->progress.command) {
        struct diag *diag =
            check_error(ck, DIAG_E0407, range,
                        "the result `%s` does not exist yet here", decl->name);
        CHECK_NOTE(ck, diag, decl->range, "it is computed here");
        CHECK_HELP(ck, diag, "commands run in order: move this below it");
        return value_poison(range);
    }
    if (ck->notes.records.v[decl->index].broken)
        return value_poison(range);
    return (struct value){
        .kind = VALUE_RESULT, .ref = decl->index, .range = range};
}

struct value
check_decl(struct check *ck, struct decl *decl, imp_range range)
{
    assert(ck && decl);
    struct value value;
    switch (decl->kind) {
    case DECL_PARAM:
        if (decl->broken || decl->state != DECL_DONE)
            return value_poison(range);
        value = decl->val;
        value.range = range;
        return value;
    case DECL_LET:
        return let_value(ck, decl, range);
    case DECL_BODY:
        return decl->item->index.text
                   ? family(ck, decl, true, range)
                   : numbered(ck, decl, VALUE_BODY, false, range);
    case DECL_CONTACT:
        return decl->item->index.text
                   ? family(ck, decl, false, range)
                   : numbered(ck, decl, VALUE_CONTACT, false, range);
    case DECL_JOINT:
        return joint_alone(ck, decl, range);
    case DECL_ROTOR:
        return numbered(ck, decl, VALUE_ROTOR, decl->broken, range);
    case DECL_SYSTEM:
        return decl->item->has_formals
                   ? pattern_alone(ck, decl, range)
                   : numbered(ck, decl, VALUE_SYSTEM, decl->broken, range);
    case DECL_RESULT:
        return result_value(ck, decl, range);
    case DECL_DATA:
        return (struct value){.kind = decl->broken || decl->index == UINT32_MAX
                                          ? VALUE_POISON
                                          : VALUE_TABLE,
                              .ref = decl->index,
                              .range = range};
    default: /* The mistake has been reported where the declaration stands. */
        return value_poison(range);
    }
}

struct value
check_name(struct check *ck, const struct env *env, const char *name,
           imp_range range)
{
    assert(ck && env && name);
    static const char *const totals[] = {"energy", "kinetic_energy",
                                         "potential_energy"};
    for (const struct env *scope = env; scope; scope = scope->up) {
        for (size_t i = 0; i < scope->n; i++)
            if (!strcmp(scope->names[i], name)) {
                struct value value = scope->vals[i];
                value.range = range;
                return value;
            }
        if (scope->question && record_has(ck, scope->question - 1, name))
            return result_field(ck, scope->question - 1, name, range, range);
        if (scope->coords && name[1] == 0 && name[0] >= 'x' && name[0] <= 'z')
            return value_num(
                ck, ex_sym(ck->g, SYM_LOCAL, (uint32_t)(name[0] - 'x'), 0),
                dim_mks(ck->dims, 1, 0, 0), range);
    }
    if (env->module->reserved && name_is_reserved(name))
        return value_poison(range); /* it may be what was to be declared */
    if (!strcmp(name, "t"))
        return value_num(ck, ex_sym(ck->g, SYM_TIME, 0, 0),
                         dim_mks(ck->dims, 0, 0, 1), range);
    if (!strcmp(name, "pi") || !strcmp(name, "tau")) {
        struct value value =
            value_num(ck,
                      ex_num(ck->g, name[0] == 'p' ? 3.14159265358979323846
                                                   : 6.28318530717958647693),
                      dim_pure(ck->dims), range);
        value.bare = true;
        return value;
    }
    bool reported;
    struct decl *decl =
        scope_find(ck, env->module, name, WANT_VALUE, range, &reported);
    if (reported)
        return value_poison(range);
    if (decl)
        return check_decl(ck, decl, range);
    if (!strcmp(name, "eta"))
        return screw_eta(ck, range);
    for (uint32_t i = 0; i < 3; i++)
        if (!strcmp(name, totals[i]))
            return value_num(ck, ex_sym(ck->g, SYM_TOTAL, i, 0),
                             dim_mks(ck->dims, 2, 1, -2), range);
    scope_unknown(ck, env, name, range, WANT_VALUE);
    return value_poison(range);
}

const struct decl *
check_joint(struct check *ck, const struct env *env,
            const struct ast_expr *node)
{
    assert(ck && node);
    bool reported;
    if (node->kind == AST_INDEX)
        node = node->a;
    if (node->kind != AST_NAME)
        return NULL;
    for (const struct env *scope = env; scope; scope = scope->up)
        for (size_t i = 0; i < scope->n; i++)
            if (!strcmp(scope->names[i], node->name.text))
                return NULL;
    const struct decl *own = scope_own(env->module, node->name.text);
    if (own && own->kind != DECL_JOINT)
        return NULL;
    const struct decl *decl = scope_find(ck, env->module, node->name.text,
                                         WANT_VALUE, node->range, &reported);
    return decl && decl->kind == DECL_JOINT ? decl : NULL;
}

const char *
name_recorded(struct check *ck, const struct env *env,
              const struct ast_expr *node)
{
    assert(ck && env && node);
    char *name = arena_printf(ck->arena, "%s", expr_label(ck, node));
    for (char *p = name; *p; p++)
        if (*p == '.')
            *p = '_';
    for (; env; env = env->up)
        if (env->question && record_has(ck, env->question - 1, name))
            return name;
    return NULL;
}

/* Appends the name of the thing of a record that node calls r.b or r.b[3], `b`
 * or `b_3`, and returns what stands before it, r; NULL: it is no such one. */
static const struct ast_expr *
thing_of(struct check *ck, const struct ast_expr *node, const char **name)
{
    const char *index = "";
    if (node->kind == AST_INDEX && node->n_list == 1 &&
        node->list[0]->kind == AST_NUM) {
        index = arena_printf(ck->arena, "_%.17g", node->list[0]->num);
        node = node->a;
    }
    if (node->kind != AST_FIELD || node->a->kind != AST_NAME)
        return NULL;
    *name = arena_printf(ck->arena, "%s%s", node->name.text, index);
    return node->a;
}

const char *
name_of_column(struct check *ck, const struct env *env,
               const struct ast_expr *node, const struct ast_expr **of)
{
    assert(ck && env && node && node->kind == AST_FIELD && of);
    *of = node->a;
    const char *thing, *column;
    const struct ast_expr *record = thing_of(ck, node->a, &thing);
    for (const struct env *scope = env; record && scope; scope = scope->up)
        for (size_t i = 0; i < scope->n; i++)
            if (!strcmp(scope->names[i], record->name.text))
                return node->name.text;
    const struct decl *own =
        record ? scope_own(env->module, record->name.text) : NULL;
    if (!own || own->kind != DECL_RESULT || own->broken ||
        own->index >= ck->progress.command || record_has(ck, own->index, thing))
        return node->name.text;
    column = arena_printf(ck->arena, "%s_%s", thing, node->name.text);
    if (!record_has(ck, own->index, column))
        return node->name.text;
    *of = record;
    return column;
}

/* -- families ------------------------------------------------------------- */

bool
expr_of_family(struct check *ck, const struct env *env,
               const struct ast_expr *node)
{
    assert(ck && env && node);
    const struct ast_expr *inner = ast_unwrap(node);
    while (inner->kind == AST_PRIME)
        inner = ast_unwrap(inner->a);
    if (inner->kind != AST_FIELD)
        return false;
    const struct ast_expr *of;
    name_of_column(ck, env, inner, &of);
    if (check_joint(ck, env, of))
        return true;
    struct value value = check_expr(ck, env, of);
    return value.kind == VALUE_FAMILY;
}

uint32_t
expr_members(struct check *ck, const struct env *env,
             const struct ast_expr *node, int32_t *first)
{
    assert(ck && env && node && first);
    const struct ast_expr *inner = ast_unwrap(node), *of = NULL;
    while (inner->kind == AST_PRIME)
        inner = ast_unwrap(inner->a);
    if (inner->kind == AST_FIELD)
        name_of_column(ck, env, inner, &of);
    else if (inner->kind == AST_CALL && inner->n_args == 1 &&
             inner->a->kind == AST_NAME && !strcmp(inner->a->name.text, "gap"))
        of = inner->args[0].value;
    if (!of)
        return 0;
    const struct decl *joint = check_joint(ck, env, of);
    if (joint) {
        *first = joint->lo;
        return joint->item->index.text && of->kind != AST_INDEX ? joint->count
                                                                : 0;
    }
    struct value value = check_expr(ck, env, of);
    if (value.kind == VALUE_NUM && inner->kind == AST_FIELD)
        return expr_members(ck, env, of, first); /* ball.position.x */
    *first = (int32_t)value.cols;
    return value.kind == VALUE_FAMILY ? value.rows : 0;
}

bool
expr_rows_reduced(struct check *ck, const struct env *env,
                  const struct ast_expr *node, const char *name,
                  const struct value *args, struct value *out)
{
    assert(ck && env && node && name && args && out);
    bool mean = !strcmp(name, "mean");
    if (node->n_args != 1 || (!mean && strcmp(name, "sum") != 0) ||
        args[0].kind != VALUE_NUM || args[0].cols < 2 || args[0].dims ||
        !expr_of_family(ck, env, node->args[0].value))
        return false;
    *out = value_array(ck, args[0].cols, 1, args[0].dim, node->range);
    for (uint32_t k = 0; k < args[0].cols; k++) {
        const expr *sum = args[0].e[k];
        for (uint32_t i = 1; i < args[0].rows; i++)
            sum = ex_add(ck->g, sum, args[0].e[i * args[0].cols + k]);
        out->e[k] =
            mean ? ex_div(ck->g, sum, ex_num(ck->g, args[0].rows)) : sum;
    }
    return true;
}
