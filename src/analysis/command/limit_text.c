/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts, in words: what a limit rests on, and the
 * source text of the gap at which the impacts accumulate. */
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
