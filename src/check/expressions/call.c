/* SPDX-License-Identifier: GPL-3.0-or-later */
/* User functions and shapes: binding of arguments to formals, expansion at
 * each use (so each use has dimensions of its own), recursion refused. */
#include <assert.h>
#include <string.h>

#include "check/expressions/expressions.h"

bool
call_enter(struct check *ck, struct decl *decl, imp_range call,
           struct frame *frame)
{
    assert(ck && decl && frame);
    for (struct frame *p = ck->expansion.frames; p; p = p->up) {
        if (p->decl != decl)
            continue;
        const char *way = decl->name;
        for (struct frame *q = ck->expansion.frames; q; q = q->up) {
            way = arena_printf(ck->arena, "%s -> %s", q->decl->name, way);
            if (q->decl == decl)
                break;
        }
        if (!decl->broken) {
            struct diag *diag =
                check_error(ck, DIAG_E0107, decl->range,
                            "`%s` calls itself: %s", decl->name, way);
            CHECK_NOTE(ck, diag, call, "the circle closes here");
            CHECK_HELP(ck, diag,
                       "functions are expanded where they are used, so "
                       "they cannot be recursive");
        }
        decl->broken = true;
        return false;
    }
    *frame = (struct frame){decl, call, ck->expansion.frames};
    ck->expansion.frames = frame;
    ck->expansion.open++;
    return true;
}
void
call_leave(struct check *ck, struct frame *frame)
{
    assert(ck && frame);
    ck->expansion.frames = frame->up;
    ck->expansion.open--;
}

static const char *
signature(struct check *ck, const struct decl *decl,
          const struct ast_formal *formals, size_t count)
{
    const char *text = arena_printf(ck->arena, "%s(", decl->name);
    for (size_t i = 0; i < count; i++)
        text = formals[i].dflt
                   ? arena_printf(ck->arena, "%s%s%s = %s", text, i ? ", " : "",
                                  formals[i].name.text,
                                  expr_label(ck, formals[i].dflt))
                   : arena_printf(ck->arena, "%s%s%s", text, i ? ", " : "",
                                  formals[i].name.text);
    return arena_printf(ck->arena, "%s)", text);
}

/* The doc string tells what the arguments mean, and may name the sister that
 * was meant. */
static void
say_what_it_is(struct check *ck, struct diag *diag, const struct decl *decl)
{
    if (!decl->item || !decl->item->doc)
        return;
    char *line = arena_printf(ck->arena, "%s", decl->item->doc);
    for (char *at = strchr(line, '\n'); at; at = strchr(at, '\n'))
        *at = ' ';
    CHECK_HELP(ck, diag, "%s: %s", decl->name, line);
}

/* E0215: the call names an argument that the declaration does not have. */
static void
no_such_argument(struct check *ck, const struct decl *decl,
                 const struct ast_formal *formals, size_t count,
                 const struct ast_name *name)
{
    const char **names = NEW_N(ck->arena, const char *, count + 1);
    for (size_t j = 0; j < count; j++)
        names[j] = formals[j].name.text;
    struct diag *diag =
        check_error(ck, DIAG_E0215, name->range,
                    "`%s` has no argument named `%s`", decl->name, name->text);
    if (!check_suggest(ck, diag, name->range, name->text, names, count))
        CHECK_HELP(ck, diag, "it is declared as %s",
                   signature(ck, decl, formals, count));
}

enum matched { ARGUMENTS_MATCH, ARGUMENTS_WRONG, ARGUMENTS_TOO_MANY };

/* Fills given[formal] with the expression that the call gives for this formal,
 * or NULL. If the result is not ARGUMENTS_MATCH, an error has been reported. */
static enum matched
match_arguments(struct check *ck, const struct decl *decl,
                const struct ast_formal *formals, size_t count,
                const struct ast_expr *call, const struct ast_expr **given)
{
    bool ok = true;
    size_t n_args = call->kind == AST_CALL ? call->n_args : 0, place = 0;
    for (size_t number = 0; number < n_args; number++) {
        const struct ast_arg *arg = &call->args[number];
        size_t formal = 0;
        if (arg->in) {
            check_unavailable(ck, arg->name.range,
                              "`name in values` as an argument",
                              "(name in values) stands in `over` of a sweep, a "
                              "threshold or a fit: "
                              "over = (a in linspace(0, 1, 11))");
            ok = false;
            continue;
        }
        if (arg->name.text) {
            while (formal < count &&
                   strcmp(formals[formal].name.text, arg->name.text))
                formal++;
            if (formal == count) {
                no_such_argument(ck, decl, formals, count, &arg->name);
                ok = false;
                continue;
            }
        } else {
            formal = place++;
        }
        if (formal >= count) {
            struct diag *diag =
                check_error(ck, DIAG_E0214, arg->value->range,
                            "`%s` takes %zu argument%s, but this is one more",
                            decl->name, count, count == 1 ? "" : "s");
            CHECK_NOTE(ck, diag, decl->range, "declared as %s",
                       signature(ck, decl, formals, count));
            say_what_it_is(ck, diag, decl);
            if (number && arg->value->kind == AST_NUM &&
                call->args[number - 1].value->kind == AST_NUM)
                CHECK_HELP(ck, diag,
                           "a decimal number is written with a point, as "
                           "in 1.5");
            return ARGUMENTS_TOO_MANY;
        }
        if (given[formal]) {
            struct diag *diag = check_error(ck, DIAG_E0215, arg->value->range,
                                            "the argument `%s` is given twice",
                                            formals[formal].name.text);
            CHECK_NOTE(ck, diag, given[formal]->range, "first here");
            CHECK_HELP(ck, diag,
                       "arguments without a name fill the others in their "
                       "order: leave one of the two out");
            ok = false;
            continue;
        }
        given[formal] = arg->value;
    }
    return ok ? ARGUMENTS_MATCH : ARGUMENTS_WRONG;
}

bool
call_bind(struct check *ck, const struct decl *decl,
          const struct ast_formal *formals, size_t count,
          const struct ast_expr *call, const struct env *caller,
          struct env *out)
{
    assert(ck && decl && (formals || !count) && call && caller && out);
    const struct ast_expr **given =
        NEW_N(ck->arena, const struct ast_expr *, count + 1);
    *out = (struct env){.module = decl->module,
                        .names = NEW_N(ck->arena, const char *, count + 1),
                        .vals = NEW_N(ck->arena, struct value, count + 1)};
    enum matched matched =
        match_arguments(ck, decl, formals, count, call, given);
    if (matched == ARGUMENTS_TOO_MANY)
        return false;
    bool ok = matched == ARGUMENTS_MATCH;
    for (size_t formal = 0; formal < count; formal++) {
        struct value value;
        if (given[formal]) {
            value = check_expr(ck, caller, given[formal]);
        } else if (formals[formal].dflt) {
            out->n = formal; /* A default may use the formals before its own. */
            value = check_expr(ck, out, formals[formal].dflt);
        } else if (!ok) {
            return false;
        } else {
            struct diag *diag = check_error(
                ck, DIAG_E0214, call->range, "`%s` needs a value for `%s`",
                decl->name, formals[formal].name.text);
            CHECK_NOTE(ck, diag, decl->range, "declared as %s",
                       signature(ck, decl, formals, count));
            say_what_it_is(ck, diag, decl);
            return false;
        }
        ok &= value.kind != VALUE_POISON;
        value_whole(ck, &value);
        out->names[formal] = formals[formal].name.text;
        out->vals[formal] = value;
        out->n = formal + 1;
    }
    return ok;
}

void
call_open(struct check *ck, const struct decl *decl,
          const struct ast_formal *formals, size_t count, struct env *out)
{
    assert(ck && decl && out);
    *out = (struct env){.module = decl->module,
                        .names = NEW_N(ck->arena, const char *, count + 1),
                        .vals = NEW_N(ck->arena, struct value, count + 1)};
    for (size_t formal = 0; formal < count; formal++) {
        const char *name = formals[formal].name.text;
        for (size_t k = 0; k < formal; k++)
            if (!strcmp(formals[k].name.text, name)) {
                struct diag *diag =
                    check_error(ck, DIAG_E0103, formals[formal].name.range,
                                "the argument `%s` is declared twice", name);
                CHECK_NOTE(ck, diag, formals[k].name.range, "first here");
            }
        if (name_is_reserved(name) || (decl->kind == DECL_SHAPE && !name[1] &&
                                       name[0] >= 'x' && name[0] <= 'z')) {
            struct diag *diag = check_error(
                ck, DIAG_E0105, formals[formal].name.range,
                "`%s` cannot be an argument: it is %s", name,
                name_is_reserved(name) ? name[0] == 't' && !name[1]
                                             ? "time, everywhere"
                                             : "a constant"
                                       : "a coordinate of the shape");
            CHECK_HELP(ck, diag, "choose another name");
        }
        struct value value =
            value_any(ck, dim_fresh(ck->dims, formals[formal].name.range),
                      formals[formal].name.range);
        if (formals[formal].dflt) {
            struct value dv = check_expr(ck, out, formals[formal].dflt);
            if (dv.kind == VALUE_NUM || dv.kind == VALUE_ANY) {
                if (!dv.bare)
                    dim_unify(ck->dims, value.dim, dv.dim,
                              formals[formal].dflt->range);
            } else {
                value = dv; /* This is a text, a truth value, or an error that
                               has been reported. */
            }
        }
        out->names[formal] = name;
        out->vals[formal] = value;
        out->n = formal + 1;
    }
}

void
call_help_parts(struct check *ck, struct diag *diag, const struct value *value,
                const struct ast_expr *node)
{
    assert(ck && diag && value && node && node->kind == AST_FIELD);
    const struct builtin *builtin = builtin_find(node->name.text);
    bool number = value->kind == VALUE_NUM || value->kind == VALUE_COLUMN;
    /* functions of one value, as r.x.max of others who know methods */
    if (builtin &&
        (!strchr(builtin->args, ',') || strstr(builtin->args, "...")))
        CHECK_HELP(ck, diag, "`%s` is a function: %s(%s)", builtin->name,
                   builtin->name, expr_label(ck, node->a));
    else if (number && value->rows > 1 && value->rows < 4 && value->cols == 1)
        CHECK_HELP(ck, diag,
                   value->rows == 2 ? "its parts are .x and .y"
                                    : "its parts are .x, .y and .z");
}

struct value
call_fn(struct check *ck, const struct env *env, struct decl *decl,
        const struct ast_expr *node)
{
    assert(ck && env && decl && node);
    struct env in;
    struct frame frame;
    const struct ast_item *it = decl->item;
    if (!call_bind(ck, decl, it->formals, it->n_formals, node, env, &in) ||
        decl->broken)
        return value_poison(node->range);
    if (!check_enter(ck, node->range))
        return value_poison(node->range);
    in.coords = decl->kind == DECL_SHAPE;
    /* a function that draws stands where `random` may */
    if (env_part(env) == PART_START)
        in.part = PART_START;
    struct value value = value_poison(node->range);
    if (call_enter(ck, decl, node->range, &frame)) {
        value = check_expr(ck, &in, it->value);
        value.range = node->range;
        call_leave(ck, &frame);
    }
    check_leave(ck);
    return value;
}
