/* SPDX-License-Identifier: MIT */
/* Collecting diagnostics, and the table of codes. Printing is diag_print.c. */
#include "base/diag.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"

struct code_row {
    const char *name, *title, *text;
    enum diag_severity severity;
};
static const struct code_row rows[DIAG_COUNT] = {
    [DIAG_NONE] = {"", "", "", DIAG_ERROR},
#define CODE(code, sev, title, text)                                           \
    [DIAG_##code] = {#code, title, text, DIAG_##sev},
#include "base/codes.def"
};

void
diags_init(struct diags *ds, struct arena *arena, const struct sources *sources)
{
    assert(ds && arena);
    *ds = (struct diags){.arena = arena, .sources = sources, .limit = 20};
}

static const char *
format(struct arena *arena, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0)
        return "";
    char *s = arena_alloc(arena, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    return s;
}

struct diag *
diag_add(struct diags *diags, enum diag_code code, imp_range range,
         const char *fmt, ...)
{
    assert(diags && diags->arena && code > DIAG_NONE && code < DIAG_COUNT);
    struct diag *made = NEW(diags->arena, struct diag);
    made->code = code;
    made->severity = rows[code].severity;
    made->range = range;
    va_list ap;
    va_start(ap, fmt);
    made->message = format(diags->arena, fmt, ap);
    va_end(ap);
    int *count =
        made->severity == DIAG_ERROR ? &diags->errors : &diags->warnings;
    ++*count;
    /* beyond the limit a diagnostic is counted, but is not in the list */
    if (diags->limit > 0 && *count > diags->limit)
        return made;
    if (diags->last)
        diags->last->next = made;
    else
        diags->first = made;
    diags->last = made;
    return made;
}

void
diag_withdraw(struct diags *diags, struct diag *last)
{
    assert(diags && last && diags->last == last);
    struct diag *before = NULL;
    for (struct diag *diag = diags->first; diag != last; diag = diag->next)
        before = diag;
    if (before)
        before->next = NULL;
    else
        diags->first = NULL;
    diags->last = before;
    --*(last->severity == DIAG_ERROR ? &diags->errors : &diags->warnings);
}

void
diag_label(struct diags *diags, struct diag *diag, const char *fmt, ...)
{
    assert(diag && fmt);
    va_list ap;
    va_start(ap, fmt);
    diag->label = format(diags->arena, fmt, ap);
    va_end(ap);
}

void
diag_note(struct diags *diags, struct diag *diag, imp_range where,
          const char *fmt, ...)
{
    assert(diag && fmt);
    struct diag_note *n = NEW(diags->arena, struct diag_note);
    va_list ap;
    va_start(ap, fmt);
    n->text = format(diags->arena, fmt, ap);
    va_end(ap);
    n->range = where;
    struct diag_note **end = &diag->notes;
    while (*end)
        end = &(*end)->next;
    *end = n;
}

void
diag_help(struct diags *diags, struct diag *diag, const char *fmt, ...)
{
    assert(diag && fmt);
    va_list ap;
    va_start(ap, fmt);
    diag->help = format(diags->arena, fmt, ap);
    va_end(ap);
}

void
diag_fix(struct diags *diags, struct diag *diag, imp_range where,
         const char *replacement)
{
    assert(diag && replacement);
    diag->fix_range = where;
    diag->fix_text = arena_strdup(diags->arena, replacement);
}

const char *
diag_remedy(const struct diag *diag)
{
    assert(diag);
    static const char *const by_code[DIAG_COUNT] = {
#define REMEDY(code, text) [DIAG_##code] = text,
#include "base/remedies.def"
    };
    if (diag->help || diag->fix_text)
        return diag->help;
    return by_code[diag->code];
}

const char *
diag_code_name(enum diag_code c)
{
    return c < DIAG_COUNT ? rows[c].name : "";
}

const char *
diag_code_title(enum diag_code c)
{
    return c < DIAG_COUNT ? rows[c].title : "";
}

const char *
diag_code_text(enum diag_code c)
{
    return c < DIAG_COUNT ? rows[c].text : "";
}

enum diag_code
diag_code_find(const char *name)
{
    assert(name);
    for (int c = DIAG_NONE + 1; c < DIAG_COUNT; c++) {
        const char *p = rows[c].name, *q = name;
        while (*p && *q && (*p | 32) == (*q | 32)) {
            p++;
            q++;
        }
        if (!*p && !*q)
            return (enum diag_code)c;
    }
    return DIAG_NONE;
}
