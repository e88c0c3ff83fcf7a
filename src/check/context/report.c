/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics of the checker. A mistake is reported once per place, and one
 * that shows inside a library is reported where the user's text calls the
 * library. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/source.h"
#include "check/context/context.h"
#include "syntax/fmt.h"

static bool
in_library(struct check *ck, imp_range r)
{
    const struct source *s =
        r.file ? source_get(ck->in->sources, r.file) : NULL;
    return s && s->name[0] == '<';
}

imp_range
ck_user_range(struct check *ck, imp_range r)
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
