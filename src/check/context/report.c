/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics of the checker. A mistake is reported once per place, and one
 * that shows inside a library is reported where the user's text calls the
 * library. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/source.h"
#include "check/context/context.h"
#include "syntax/fmt.h"

static bool
in_library(struct check *ck, imp_range range)
{
    const struct source *source =
        range.file ? source_get(ck->in->sources, range.file) : NULL;
    return source && source->name[0] == '<';
}

imp_range
check_user_range(struct check *ck, imp_range range)
{
    assert(ck);
    const struct frame *frame = ck->expansion.frames;
    if (!in_library(ck, range))
        return range;
    while (frame && (!frame->call.file || in_library(ck, frame->call)))
        frame = frame->up;
    return frame ? frame->call : range;
}

struct diag *
check_error(struct check *ck, enum diag_code code, imp_range range,
            const char *fmt, ...)
{
    assert(ck && fmt);
    struct seen **s =
        &ck->seen[((unsigned)code * 31u + range.lo * 7u + range.file) % 64];
    for (struct seen *p = *s; p; p = p->next)
        if (p->code == code && p->range.file == range.file &&
            p->range.lo == range.lo && p->range.hi == range.hi)
            return NEW(ck->arena,
                       struct diag); /* The same has been reported before, so
                                        this diagnostic goes nowhere. */
    struct seen *n = NEW(ck->arena, struct seen);
    *n = (struct seen){code, range, *s};
    *s = n;

    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    /* A mistake that shows inside a library is reported at the user's text that
     * calls the library. */
    imp_range inside = IMP_NOWHERE;
    const struct frame *frame = ck->expansion.frames;
    if (in_library(ck, range)) {
        inside = range;
        while (frame && (!frame->call.file || in_library(ck, frame->call)))
            frame = frame->up;
        if (frame)
            range = frame->call;
    }
    struct diag *diag = diag_add(ck->ds, code, range, "%s", text);
    if (frame && inside.file) {
        diag_note(ck->ds, diag, inside, "in `%s`, here", frame->decl->name);
        frame = frame->up;
    }
    /* Where a function or a shape of the user is being expanded, a note says
     * from where. */
    for (int shown = 0; frame && shown < 3; frame = frame->up)
        if (frame->call.file && frame->decl->kind != DECL_LET &&
            frame->call.lo != range.lo) {
            diag_note(ck->ds, diag, frame->call, "in `%s`, used here",
                      frame->decl->name);
            shown++;
        }
    return diag;
}

void
check_unavailable(struct check *ck, imp_range range, const char *what,
                  const char *instead)
{
    assert(ck && what && instead);
    CHECK_HELP(
        ck, check_error(ck, DIAG_E0901, range, "%s is not available yet", what),
        "%s", instead);
}

/* The one of the names that stands for a word of other programs and of
 * textbooks, or NULL. */
static const char *
foreign_key(const char *word, const char *const *names, size_t count)
{
    static const struct {
        const char *word, *ours;
    } row[] = {
#include "check/foreign_keys.def"
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        for (size_t k = 0; !strcmp(row[i].word, word) && k < count; k++)
            if (!strcmp(row[i].ours, names[k]))
                return names[k];
    return NULL;
}

/* Help from the one of the names that a word certainly stands for: in letters
 * that look alike, or in other programs. */
static bool
suggest_known(struct check *ck, struct diag *diag, imp_range range,
              const char *word, const char *const *names, size_t count)
{
    struct lookalike letters;
    for (size_t i = 0; i < count; i++)
        if (names[i] && lookalike(word, names[i], &letters)) {
            CHECK_HELP(ck, diag,
                       "it looks like `%s`, but has the letter U+%04X in place "
                       "of U+%04X",
                       names[i], (unsigned)letters.letter,
                       (unsigned)letters.ours);
            diag_fix(ck->ds, diag, range, names[i]);
            return true;
        }
    const char *text = foreign_key(word, names, count);
    if (!text)
        return false;
    CHECK_HELP(ck, diag, "did you mean `%s`?", text);
    diag_fix(ck->ds, diag, range, text);
    return true;
}

bool
check_suggest(struct check *ck, struct diag *diag, imp_range range,
              const char *word, const char *const *names, size_t count)
{
    assert(ck && diag && word);
    if (suggest_known(ck, diag, range, word, names, count))
        return true;
    const char *text = suggest(word, names, count);
    if (!text)
        return false;
    CHECK_HELP(ck, diag, "did you mean `%s`?", text);
    diag_fix(ck->ds, diag, range, text);
    return true;
}

/* help: which block has a key of this name; false: no other has one */
static bool
help_elsewhere(struct check *ck, struct diag *diag, const char *word)
{
    static const struct {
        const char *word, *text;
    } row[] = {
#include "check/elsewhere.def"
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].word, word)) {
            CHECK_HELP(ck, diag, "%s", row[i].text);
            return true;
        }
    return false;
}

bool
check_suggest_key(struct check *ck, struct diag *diag, imp_range range,
                  const char *word, const char *const *names, size_t count)
{
    assert(ck && diag && word);
    return suggest_known(ck, diag, range, word, names, count) ||
           help_elsewhere(ck, diag, word) ||
           check_suggest(ck, diag, range, word, names, count);
}

const char *
value_elsewhere(const char *name)
{
    static const struct {
        const char *name, *text;
    } row[] = {
#include "check/foreign_values.def"
    };
    assert(name);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].name, name))
            return row[i].text;
    return NULL;
}

const char *
check_join(struct check *ck, const char *const *names, size_t count,
           const char *word)
{
    assert(ck && word);
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        text = i == 0 ? names[i]
               : i + 1 == count
                   ? arena_printf(ck->arena, "%s %s %s", text, word, names[i])
                   : arena_printf(ck->arena, "%s, %s", text, names[i]);
    return text;
}

void
check_help_contacts(struct check *ck, struct diag *diag)
{
    assert(ck && diag);
    const char *names[16], *pair = NULL;
    size_t count = 0;
    for (size_t i = 0; i < ck->lists.contacts.n && count < 16; i++) {
        const char *name = ck->lists.contacts.v[i].name;
        if (!strchr(name, '|'))
            names[count++] = name;
        else if (!pair)
            pair = name; /* of a block `contacts`, which no question can name */
    }
    if (count)
        CHECK_HELP(ck, diag, "contacts of this model: %s",
                   check_join(ck, names, count, "and"));
    else if (pair)
        CHECK_HELP(
            ck, diag,
            "the pairs of `contacts` have no names: declare the one that "
            "you ask about, as in contact touch : %s { ... }",
            pair);
    else
        CHECK_HELP(ck, diag, "declare one: contact touch : one | two");
}

const char *
check_text_once(struct check *ck, const char *fmt, ...)
{
    assert(ck && fmt);
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!ck->notes.texts)
        ck->notes.texts = intern_new(ck->arena);
    return intern_str(ck->notes.texts, text);
}

/* The text of an expression, which all copies of it share: a shape or a
 * function of a library is checked anew for each body that uses it. */
struct label {
    struct label *next;
    imp_range range;
    const char *text;
};

static struct label **
bucket_of(struct check *ck, imp_range range)
{
    uint32_t hash = range.lo * 2654435761u ^ range.hi * 2246822519u ^
                    range.file * 3266489917u;
    return ck->label.v + (hash ^ hash >> 15) % ck->label.cap;
}

static void
more_buckets(struct check *ck)
{
    struct label **old = ck->label.v;
    uint32_t n = ck->label.cap;
    ck->label.cap = n ? 4 * n : 256;
    ck->label.v = NEW_N(ck->arena, struct label *, ck->label.cap);
    for (uint32_t i = 0; i < n; i++)
        for (struct label *l = old[i], *next; l; l = next) {
            struct label **bucket = bucket_of(ck, l->range);
            next = l->next;
            l->next = *bucket;
            *bucket = l;
        }
    arena_drop(ck->arena, old);
}

const char *
expr_label(struct check *ck, const struct ast_expr *node)
{
    assert(ck && node);
    imp_range range = node->range;
    if (ck->label.n == ck->label.cap)
        more_buckets(ck);
    struct label **bucket = bucket_of(ck, range);
    for (const struct label *l = *bucket; l; l = l->next)
        if (l->range.file == range.file && l->range.lo == range.lo &&
            l->range.hi == range.hi)
            return l->text;
    const char *text =
        fmt_expr(ck->arena, ck->in->names, ck->in->sources, node);
    struct label *added = NEW(ck->arena, struct label);
    *added = (struct label){*bucket, range, text ? text : ""};
    ck->label.n++;
    return (*bucket = added)->text;
}
