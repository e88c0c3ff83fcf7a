/* SPDX-License-Identifier: GPL-3.0-or-later */
/* User functions and shapes: binding of arguments to formals, expansion at
 * each use (so each use has dimensions of its own), recursion refused. */
#include <assert.h>
#include <string.h>

#include "check/expressions/expressions.h"

bool
call_enter(struct check *ck, struct decl *d, imp_range call, struct frame *f)
{
    for (struct frame *p = ck->frames; p; p = p->up) {
        if (p->decl != d)
            continue;
        const char *way = d->name;
        for (struct frame *q = ck->frames; q; q = q->up) {
            way = arena_printf(ck->arena, "%s -> %s", q->decl->name, way);
            if (q->decl == d)
                break;
        }
        if (!d->broken) {
            struct diag *x = ck_error(ck, DIAG_E0107, d->range,
                                      "`%s` calls itself: %s", d->name, way);
            CK_NOTE(ck, x, call, "the circle closes here");
            CK_HELP(ck, x,
                    "functions are expanded where they are used, so "
                    "they cannot be recursive");
        }
        d->broken = true;
        return false;
    }
    *f = (struct frame){d, call, ck->frames};
    ck->frames = f;
    ck->expanding++;
    return true;
}
void
call_leave(struct check *ck, struct frame *f)
{
    ck->frames = f->up;
    ck->expanding--;
}

static const char *
signature(struct check *ck, const struct decl *d, const struct ast_formal *f,
          size_t n)
{
    const char *s = arena_printf(ck->arena, "%s(", d->name);
    for (size_t i = 0; i < n; i++)
        s = f[i].dflt ? arena_printf(ck->arena, "%s%s%s = %s", s, i ? ", " : "",
                                     f[i].name.text, ck_label(ck, f[i].dflt))
                      : arena_printf(ck->arena, "%s%s%s", s, i ? ", " : "",
                                     f[i].name.text);
    return arena_printf(ck->arena, "%s)", s);
}

/* E0215: the call names an argument that the declaration does not have */
static void
no_such_argument(struct check *ck, const struct decl *d,
                 const struct ast_formal *f, size_t n,
                 const struct ast_name *name)
{
    const char **names = NEW_N(ck->arena, const char *, n + 1);
    for (size_t j = 0; j < n; j++)
        names[j] = f[j].name.text;
    struct diag *x =
        ck_error(ck, DIAG_E0215, name->range, "`%s` has no argument named `%s`",
                 d->name, name->text);
    if (!ck_suggest(ck, x, name->range, name->text, names, n))
        CK_HELP(ck, x, "it is declared as %s", signature(ck, d, f, n));
}

enum matched { ARGUMENTS_MATCH, ARGUMENTS_WRONG, ARGUMENTS_TOO_MANY };

/* given[k]: the expression that the call gives for formal k, or NULL. Anything
 * but ARGUMENTS_MATCH: an error has been reported. */
static enum matched
match_arguments(struct check *ck, const struct decl *d,
                const struct ast_formal *f, size_t n,
                const struct ast_expr *call, const struct ast_expr **given)
{
    bool ok = true;
    size_t n_args = call->kind == AST_CALL ? call->n_args : 0, place = 0;
    for (size_t i = 0; i < n_args; i++) {
        const struct ast_arg *a = &call->args[i];
        size_t k = 0;
        if (a->in) {
            ck_unavailable(ck, a->name.range, "`name in values`");
            ok = false;
            continue;
        }
        if (a->name.text) {
            while (k < n && strcmp(f[k].name.text, a->name.text))
                k++;
            if (k == n) {
                no_such_argument(ck, d, f, n, &a->name);
                ok = false;
                continue;
            }
        } else {
            k = place++;
        }
        if (k >= n) {
            struct diag *x =
                ck_error(ck, DIAG_E0214, a->value->range,
                         "`%s` takes %zu argument%s, but this is one more",
                         d->name, n, n == 1 ? "" : "s");
            CK_NOTE(ck, x, d->range, "declared as %s", signature(ck, d, f, n));
            if (i && a->value->kind == AST_NUM &&
                call->args[i - 1].value->kind == AST_NUM)
                CK_HELP(ck, x,
                        "a decimal number is written with a point, as "
                        "in 1.5");
            return ARGUMENTS_TOO_MANY;
        }
        if (given[k]) {
            struct diag *x =
                ck_error(ck, DIAG_E0215, a->value->range,
                         "the argument `%s` is given twice", f[k].name.text);
            CK_NOTE(ck, x, given[k]->range, "first here");
            ok = false;
            continue;
        }
        given[k] = a->value;
    }
    return ok ? ARGUMENTS_MATCH : ARGUMENTS_WRONG;
}

bool
call_bind(struct check *ck, const struct decl *d, const struct ast_formal *f,
          size_t n, const struct ast_expr *call, const struct env *caller,
          struct env *out)
{
    assert(ck && d && (f || !n) && call && caller && out);
    const struct ast_expr **given =
        NEW_N(ck->arena, const struct ast_expr *, n + 1);
    *out = (struct env){.module = d->module,
                        .names = NEW_N(ck->arena, const char *, n + 1),
                        .vals = NEW_N(ck->arena, struct value, n + 1)};
    enum matched matched = match_arguments(ck, d, f, n, call, given);
    if (matched == ARGUMENTS_TOO_MANY)
        return false;
    bool ok = matched == ARGUMENTS_MATCH;
    for (size_t i = 0; i < n; i++) {
        struct value v;
        if (given[i]) {
            v = ck_expr(ck, caller, given[i]);
        } else if (f[i].dflt) {
            out->n = i; /* earlier formals are known in a default */
            v = ck_expr(ck, out, f[i].dflt);
        } else if (!ok) {
            return false;
        } else {
            struct diag *x = ck_error(ck, DIAG_E0214, call->range,
                                      "`%s` needs a value for `%s`", d->name,
                                      f[i].name.text);
            CK_NOTE(ck, x, d->range, "declared as %s", signature(ck, d, f, n));
            return false;
        }
        ok &= v.kind != V_POISON;
        v_whole(ck, &v);
        out->names[i] = f[i].name.text;
        out->vals[i] = v;
        out->n = i + 1;
    }
    return ok;
}

void
call_open(struct check *ck, const struct decl *d, const struct ast_formal *f,
          size_t n, struct env *out)
{
    *out = (struct env){.module = d->module,
                        .names = NEW_N(ck->arena, const char *, n + 1),
                        .vals = NEW_N(ck->arena, struct value, n + 1)};
    for (size_t i = 0; i < n; i++) {
        const char *name = f[i].name.text;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(f[k].name.text, name)) {
                struct diag *x =
                    ck_error(ck, DIAG_E0103, f[i].name.range,
                             "the argument `%s` is declared twice", name);
                CK_NOTE(ck, x, f[k].name.range, "first here");
            }
        if (name_is_reserved(name) || (d->kind == D_SHAPE && !name[1] &&
                                       name[0] >= 'x' && name[0] <= 'z')) {
            struct diag *x =
                ck_error(ck, DIAG_E0105, f[i].name.range,
                         "`%s` cannot be an argument: it is %s", name,
                         name_is_reserved(name) ? name[0] == 't' && !name[1]
                                                      ? "time, everywhere"
                                                      : "a constant"
                                                : "a coordinate of the shape");
            CK_HELP(ck, x, "choose another name");
        }
        struct value v =
            v_any(ck, dim_fresh(ck->dims, f[i].name.range), f[i].name.range);
        if (f[i].dflt) {
            struct value dv = ck_expr(ck, out, f[i].dflt);
            if (dv.kind == V_NUM || dv.kind == V_ANY) {
                if (!dv.bare)
                    dim_unify(ck->dims, v.dim, dv.dim, f[i].dflt->range);
            } else {
                v = dv; /* a text, a truth value, or wrong already */
            }
        }
        out->names[i] = name;
        out->vals[i] = v;
        out->n = i + 1;
    }
}

struct value
call_fn(struct check *ck, const struct env *env, struct decl *d,
        const struct ast_expr *e)
{
    struct env in;
    struct frame f;
    const struct ast_item *it = d->item;
    if (!call_bind(ck, d, it->formals, it->n_formals, e, env, &in) || d->broken)
        return v_poison(e->range);
    if (!ck_enter(ck, e->range))
        return v_poison(e->range);
    struct value v = v_poison(e->range);
    if (call_enter(ck, d, e->range, &f)) {
        v = ck_expr(ck, &in, it->value);
        v.range = e->range;
        call_leave(ck, &f);
    }
    ck_leave(ck);
    return v;
}
