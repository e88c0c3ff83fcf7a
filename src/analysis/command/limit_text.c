/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts, in words: what a limit rests on, and the
 * source text of the gap at which the impacts accumulate. What remarks say of
 * several times stands once. */
#include "analysis/command/limit_text.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/source.h"

/* a gap is shown as it is written, up to this many bytes */
#define GAP_TEXT 60

const char *
limit_evidence_word(enum limit_evidence m)
{
    static const char *const words[] = {[LIMIT_BY_LAW] = "law",
                                        [LIMIT_BY_MAP] = "map",
                                        [LIMIT_BY_FLIGHTS] = "flights",
                                        [LIMIT_BELOW_ROUNDING] = "average"};
    return words[m];
}

const char *
gap_source_text(struct analysis *analysis, uint32_t contact)
{
    assert(analysis);
    imp_range range = rt_contact(analysis->rt, contact)->range_at;
    const struct source *source =
        range.file ? source_get(analysis->ds->sources, range.file) : NULL;
    if (!source || range.hi > source->len || range.lo > range.hi)
        return "";
    struct source_pos place =
        source_pos(analysis->ds->sources, range.file, range.lo);
    size_t length = range.hi - range.lo;
    char text[GAP_TEXT + 1];
    bool whole = length <= GAP_TEXT;
    length = whole ? length : GAP_TEXT;
    for (size_t i = 0; i < length; i++) {
        char c = source->text[range.lo + i];
        text[i] = c == '\n' || c == '\t' ? ' ' : c;
    }
    while (!whole && length > 0 && ((unsigned char)text[length - 1] & 0x80))
        length--; /* The text must not end within a code point. */
    text[length] = 0;
    const char *name = strrchr(source->name, '/');
    return arena_printf(analysis->rt->arena, "%s%s (%s:%u:%u)", text,
                        whole ? "" : " ...", name ? name + 1 : source->name,
                        place.line, place.col_cells);
}

/* -- remarks ----------------------------------------------------------------
 */

#define TIME "t = "
#define BEHIND ": "

/* What a remark says behind its time, which ends at *end. NULL: it has none. */
static const char *
behind_time(const char *text, const char **end)
{
    if (!text || strncmp(text, TIME, strlen(TIME)))
        return NULL;
    *end = strstr(text, BEHIND);
    return *end ? *end + strlen(BEHIND) : NULL;
}

size_t
remarks_join(const char **text, size_t n, struct arena *arena)
{
    assert((text || !n) && arena);
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        const char *end, *other_end, *said = behind_time(text[i], &end);
        const char *last = NULL; /* the last remark that says the same */
        size_t more = 0;
        for (size_t k = i + 1; said && k < n; k++) {
            const char *other = behind_time(text[k], &other_end);
            if (!other || strcmp(other, said))
                continue;
            more++;
            last = text[k];
            end = other_end;
            text[k] = NULL;
        }
        if (more)
            text[left++] = arena_printf(
                arena, "%s (so %zu time%s more, until %.*s)", text[i], more,
                more == 1 ? "" : "s", (int)(end - last), last);
        else if (text[i])
            text[left++] = text[i];
    }
    return left;
}
