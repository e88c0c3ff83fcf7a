/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remedies are tried before they are offered. The fixes of all errors on one
 * line are made in a copy of the text, and the copy is parsed. They stay when
 * it has fewer errors and none on that line; otherwise the messages keep their
 * words alone. */
#include <assert.h>
#include <string.h>

#include "syntax/syntax_priv.h"

/* Longer texts are not parsed again, and no more lines than these are tried. */
enum { LONGEST = 1 << 20, MOST_LINES = 20, MOST_FIXES = 8 };

struct line {
    size_t lo, hi; /* bytes, without the line break */
};

static struct line
line_around(const char *text, size_t n, size_t at)
{
    struct line line = {at, at};
    while (line.lo > 0 && text[line.lo - 1] != '\n')
        line.lo--;
    while (line.hi < n && text[line.hi] != '\n')
        line.hi++;
    return line;
}

static bool
is_on(const struct diag *diag, uint32_t file, const struct line *line)
{
    return diag->fix_text && diag->fix_range.file == file &&
           diag->fix_range.lo >= line->lo && diag->fix_range.hi <= line->hi;
}

/* The fixes on a line, in the order of the text; returns how many. 0: there are
 * too many, or two of them overlap. */
static int
fixes_on(struct diag *from, uint32_t file, const struct line *line,
         struct diag *fix[MOST_FIXES])
{
    int n = 0;
    for (struct diag *diag = from; diag; diag = diag->next) {
        if (!is_on(diag, file, line))
            continue;
        if (n == MOST_FIXES)
            return 0;
        int i = n++;
        for (; i > 0 && fix[i - 1]->fix_range.lo > diag->fix_range.lo; i--)
            fix[i] = fix[i - 1];
        fix[i] = diag;
    }
    for (int i = 1; i < n; i++)
        if (fix[i]->fix_range.lo < fix[i - 1]->fix_range.hi)
            return 0;
    return n;
}

static char *
put(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

/* Do the fixes make the line right? */
static bool
fixes_help(const char *text, size_t length, bool bare, struct line line,
           struct diag *const *fix, int n_fixes, int errors)
{
    struct arena *arena = arena_new();
    struct oom_guard guard;
    oom_enter(&guard);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        arena_free(arena);
        oom_raise();
    }
    size_t room = length + 1, at = 0;
    for (int i = 0; i < n_fixes; i++)
        room += strlen(fix[i]->fix_text);
    char *mended = NEW_N(arena, char, room), *to = mended;
    for (int i = 0; i < n_fixes; i++) {
        to = put(to, text + at, fix[i]->fix_range.lo - at);
        to = put(to, fix[i]->fix_text, strlen(fix[i]->fix_text));
        at = fix[i]->fix_range.hi;
    }
    line.hi = (size_t)(to - mended) + (line.hi - at);
    to = put(to, text + at, length - at);
    *to = 0;
    struct parse_errors left = parse_count(arena, mended, (size_t)(to - mended),
                                           bare, line.lo, line.hi);
    oom_leave(&guard);
    arena_free(arena);
    return left.all < errors && left.between == 0;
}

void
remedies_try(struct diags *diags, struct diag *from, uint32_t file,
             const char *text, size_t n, bool bare, int errors)
{
    assert(diags && (text || n == 0));
    (void)diags;
    struct line done[MOST_LINES];
    int n_done = 0;
    for (struct diag *diag = from; diag; diag = diag->next) {
        if (!diag->fix_text || diag->fix_range.file != file)
            continue;
        struct line line = line_around(text, n, diag->fix_range.lo);
        bool seen = false;
        for (int i = 0; i < n_done; i++)
            seen |= done[i].lo == line.lo;
        if (seen)
            continue;
        struct diag *fix[MOST_FIXES];
        int count = n <= LONGEST && n_done < MOST_LINES
                        ? fixes_on(from, file, &line, fix)
                        : 0;
        if (count && fixes_help(text, n, bare, line, fix, count, errors)) {
            done[n_done++] = line;
            continue;
        }
        if (n_done < MOST_LINES)
            done[n_done++] = line;
        for (struct diag *other = from; other; other = other->next)
            if (is_on(other, file, &line))
                other->fix_text = NULL;
        diag->fix_text = NULL;
    }
}
