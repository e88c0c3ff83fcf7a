/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of checked expressions: kinds, agreement of dimensions, and the
 * messages when they do not agree. A clash names both uses, and for each name
 * in them whose dimension was inferred, the place that decided it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/source.h"
#include "check/context/context.h"
#include "syntax/fmt.h"

/* -- diagnostics ---------------------------------------------------------- */

static bool
in_library(struct check *ck, imp_range r)
{
    const struct source *s =
        r.file ? source_get(ck->in->sources, r.file) : NULL;
    return s && s->name[0] == '<';
}

/* for the place that decides a dimension: the caller's, not the library's */
static imp_range
place(struct check *ck, imp_range r)
{
    const struct frame *f = ck->frames;
    if (!in_library(ck, r))
        return r;
    while (f && (!f->call.file || in_library(ck, f->call)))
        f = f->up;
    return f ? f->call : r;
}

struct diag *
ck_error(struct check *ck, enum diag_code code, imp_range range,
         const char *fmt, ...)
{
    struct seen **s =
        &ck->seen[((unsigned)code * 31u + range.lo * 7u + range.file) % 64];
    for (struct seen *p = *s; p; p = p->next)
        if (p->code == code && p->range.file == range.file &&
            p->range.lo == range.lo && p->range.hi == range.hi)
            return NEW(ck->arena, struct diag); /* said before */
    struct seen *n = NEW(ck->arena, struct seen);
    *n = (struct seen){code, range, *s};
    *s = n;

    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    /* a mistake that shows inside a library is one of its caller */
    imp_range inside = IMP_NOWHERE;
    const struct frame *f = ck->frames;
    if (in_library(ck, range)) {
        inside = range;
        while (f && (!f->call.file || in_library(ck, f->call)))
            f = f->up;
        if (f)
            range = f->call;
    }
    struct diag *d = diag_add(ck->ds, code, range, "%s", text);
    if (f && inside.file) {
        diag_note(ck->ds, d, inside, "in `%s`, here", f->decl->name);
        f = f->up;
    }
    /* where a user function or shape is being expanded, say from where */
    for (int shown = 0; f && shown < 3; f = f->up)
        if (f->call.file && f->decl->kind != D_LET && f->call.lo != range.lo) {
            diag_note(ck->ds, d, f->call, "in `%s`, used here", f->decl->name);
            shown++;
        }
    return d;
}

void
ck_unavailable(struct check *ck, imp_range range, const char *what)
{
    ck_error(ck, DIAG_E0901, range, "%s is not available in this build", what);
}

bool
ck_suggest(struct check *ck, struct diag *d, imp_range range, const char *word,
           const char *const *names, size_t n)
{
    const char *s = suggest(word, names, n);
    if (!s)
        return false;
    CK_HELP(ck, d, "did you mean `%s`?", s);
    diag_fix(ck->ds, d, range, s);
    return true;
}

const char *
ck_join(struct check *ck, const char *const *names, size_t n, const char *word)
{
    const char *s = "";
    for (size_t i = 0; i < n; i++)
        s = i == 0 ? names[i]
            : i + 1 == n
                ? arena_printf(ck->arena, "%s %s %s", s, word, names[i])
                : arena_printf(ck->arena, "%s, %s", s, names[i]);
    return s;
}

void
ck_help_contacts(struct check *ck, struct diag *d)
{
    const char *names[16];
    size_t n = 0;
    for (; n < ck->contacts.n && n < 16; n++)
        names[n] = ck->contacts.v[n].name;
    if (n)
        CK_HELP(ck, d, "contacts of this model: %s",
                ck_join(ck, names, n, "and"));
    else
        CK_HELP(ck, d, "declare one: contact touch : one | two");
}

const char *
ck_label(struct check *ck, const struct ast_expr *e)
{
    const char *s = fmt_expr(ck->arena, ck->in->sources, e);
    return s ? s : "";
}

/* -- making --------------------------------------------------------------- */

struct value
v_poison(imp_range r)
{
    return (struct value){.kind = V_POISON, .range = r};
}
struct value
v_array(struct check *ck, uint32_t rows, uint32_t cols, const struct dim *d,
        imp_range r)
{
    return (struct value){
        .kind = V_NUM,
        .rows = rows,
        .cols = cols,
        .e = NEW_N(ck->arena, const expr *, (size_t)rows *cols),
        .dim = d,
        .range = r};
}
struct value
v_num(struct check *ck, const expr *e, const struct dim *d, imp_range r)
{
    struct value v = v_array(ck, 1, 1, d, r);
    v.e[0] = e;
    return v;
}
struct value
v_truth(struct check *ck, const expr *e, imp_range r)
{
    struct value v = v_num(ck, e, dim_pure(ck->dims), r);
    v.kind = V_TRUTH;
    return v;
}
struct value
v_any(struct check *ck, const struct dim *d, imp_range r)
{
    struct value v = v_num(ck, ex_sym(ck->g, SYM_LOCAL, 1000, 0), d, r);
    v.kind = V_ANY;
    return v;
}

/* -- asking --------------------------------------------------------------- */

bool
v_is_scalar(const struct value *v)
{
    return v->kind == V_ANY ||
           (v->kind == V_NUM && v->rows == 1 && v->cols == 1);
}
bool
v_is_vector(const struct value *v)
{
    return v->kind == V_ANY ||
           (v->kind == V_NUM && v->rows > 1 && v->cols == 1);
}
bool
v_const(const struct value *v, double *x)
{
    if (v->kind != V_NUM || v->rows != 1 || v->cols != 1 ||
        !ex_is_const(v->e[0]))
        return false;
    *x = v->e[0]->num;
    return true;
}
const char *
v_kind(struct check *ck, const struct value *v)
{
    switch (v->kind) {
    case V_NUM:
        if (v->rows == 1 && v->cols == 1)
            return "a number";
        if (v->cols == 1)
            return arena_printf(ck->arena, "a vector of %u numbers", v->rows);
        return arena_printf(ck->arena, "a %u x %u matrix", v->rows, v->cols);
    case V_TRUTH:
        return "a truth value";
    case V_TEXT:
        return "a text";
    case V_LIST:
        return "a list of numbers";
    case V_BODY:
        return arena_printf(ck->arena, "the body `%s`",
                            ck->bodies.v[v->ref].name);
    case V_SYSTEM:
        return arena_printf(ck->arena, "the system `%s`",
                            ck->systems.v[v->ref].name);
    case V_FAMILY:
        return arena_printf(ck->arena, "the family of contacts `%s`", v->text);
    case V_CONTACT:
        return arena_printf(ck->arena, "the contact `%s`",
                            ck->contacts.v[v->ref].name);
    case V_RESULT:
        return "the record of a command";
    case V_FIELD:
        switch (ck->commands.v[v->ref].fields[v->field].kind) {
        case IMP_FIELD_TEXT:
            return "a text of a result";
        case IMP_FIELD_TEXTS:
            return "a list of texts of a result";
        case IMP_FIELD_LIST:
            return "a list of numbers of a result";
        case IMP_FIELD_VECS:
            return "a list of vectors of a result";
        default:
            return "a part of a result";
        }
    default:
        return "a value";
    }
}

/* -- dimensions ----------------------------------------------------------- */

void
v_whole(struct check *ck, struct value *v)
{
    if (v->bare && (v->kind == V_NUM || v->kind == V_LIST)) {
        v->bare = false;
        v->dim = dim_fresh(ck->dims, v->range);
    }
}

/* the first few names in e whose declared value had its dimension inferred */
static void
explain(struct check *ck, struct diag *d, const struct ast_expr *e, int *budget)
{
    if (!e || *budget <= 0)
        return;
    if (e->kind == AST_NAME) {
        for (struct module *m = ck->modules; m; m = m->next) {
            struct decl *p = scope_own(m, e->name.text);
            imp_range r;
            if (!p || (p->kind != D_PARAM && p->kind != D_LET) ||
                p->state != DECL_DONE || !p->val.dim ||
                !dim_decided(ck->dims, p->val.dim, &r))
                continue;
            CK_NOTE(ck, d, r, "`%s` is %s by this use", p->name,
                    dim_say(ck->dims, p->val.dim));
            (*budget)--;
            return;
        }
        return;
    }
    if (e->kind == AST_CALL || e->kind == AST_FIELD)
        return;
    explain(ck, d, e->a, budget);
    explain(ck, d, e->b, budget);
    explain(ck, d, e->c, budget);
}
void
v_explain(struct check *ck, struct diag *d, const struct ast_expr *e)
{
    int budget = 2;
    /* long sums are deep on the left; their first terms add nothing */
    int deep = 0;
    for (const struct ast_expr *p = e; p; p = p->a)
        if (++deep > 200)
            return;
    explain(ck, d, e, &budget);
}

bool
v_agree(struct check *ck, const struct ast_expr *at, const char *doing,
        const struct value *a, const struct ast_expr *ea, const struct value *b,
        const struct ast_expr *eb, const struct dim **dim, bool *bare)
{
    *bare = a->bare && b->bare;
    *dim = a->bare ? b->dim : a->dim;
    if (a->bare || b->bare ||
        dim_unify(ck->dims, a->dim, b->dim, place(ck, at->range)))
        return true;
    struct diag *d =
        ck_error(ck, DIAG_E0201, at->op_range.file ? at->op_range : at->range,
                 "%s needs equal dimensions, but these are %s and %s", doing,
                 dim_say(ck->dims, a->dim), dim_say(ck->dims, b->dim));
    CK_NOTE(ck, d, ea ? ea->range : a->range, "this is %s",
            dim_say(ck->dims, a->dim));
    CK_NOTE(ck, d, eb ? eb->range : b->range, "this is %s",
            dim_say(ck->dims, b->dim));
    v_explain(ck, d, ea);
    v_explain(ck, d, eb);
    return false;
}

bool
v_need_dim(struct check *ck, struct value *v, const struct ast_expr *e,
           const struct dim *d, const char *what)
{
    if (v->kind == V_POISON)
        return false;
    imp_range r = e ? e->range : v->range;
    if (!mx_plain(ck, v, r, what))
        return false;
    if (v->bare) {
        v->bare = false;
        v->dim = d;
        return true;
    }
    if (dim_unify(ck->dims, v->dim, d, place(ck, r))) {
        return true;
    }
    struct diag *x =
        dim_is_pure(ck->dims, d)
            ? ck_error(ck, DIAG_E0203, r, "%s is a pure number, but this is %s",
                       what, dim_say(ck->dims, v->dim))
            : ck_error(ck, DIAG_E0202, r, "%s is %s, but this is %s", what,
                       dim_say(ck->dims, d), dim_say(ck->dims, v->dim));
    CK_LABEL(ck, x, "%s", dim_say(ck->dims, v->dim));
    if (e)
        v_explain(ck, x, e);
    if (dim_is_pure(ck->dims, d))
        CK_HELP(ck, x,
                "divide by a quantity of the same dimension, so that a "
                "ratio is left");
    else if (dim_known(ck->dims, d) && !dim_is_pure(ck->dims, v->dim))
        CK_HELP(ck, x, "give a value in [%s]", dim_text(ck->dims, d));
    else if (dim_known(ck->dims, d))
        CK_HELP(ck, x,
                "give it its unit: a bracketed expression may be followed by "
                "[%s]",
                dim_text(ck->dims, d));
    return false;
}

bool
v_need_scalar(struct check *ck, struct value *v, const struct ast_expr *e,
              const struct dim *d, const char *what)
{
    if (v->kind == V_POISON)
        return false;
    imp_range r = e ? e->range : v->range;
    if (!v_is_scalar(v)) {
        struct diag *x =
            ck_error(ck, DIAG_E0209, r, "%s is one number, but this is %s",
                     what, v_kind(ck, v));
        if (v->kind == V_RESULT)
            CK_HELP(ck, x, "take one of its fields, as in `r.%s`",
                    ck->commands.v[v->ref].n_fields
                        ? ck->commands.v[v->ref].fields[0].name
                        : "time");
        return false;
    }
    return v_need_dim(ck, v, e, d, what);
}

bool
v_need_vector(struct check *ck, struct value *v, const struct ast_expr *e,
              uint32_t n, const struct dim *d, const char *what)
{
    if (v->kind == V_POISON)
        return false;
    imp_range r = e ? e->range : v->range;
    if (v->kind == V_ANY)
        return v_need_dim(ck, v, e, d, what);
    if (v->kind != V_NUM || v->cols != 1 || v->rows != n) {
        struct diag *x = ck_error(
            ck, DIAG_E0314, r, "%s needs %u numbers %s, but this is %s", what,
            n, n == 2 ? "in the plane" : "in space", v_kind(ck, v));
        CK_HELP(ck, x,
                n == 2 ? "write a pair: (1, 2)"
                       : "write three numbers: (1, 2, 3)");
        return false;
    }
    return v_need_dim(ck, v, e, d, what);
}
