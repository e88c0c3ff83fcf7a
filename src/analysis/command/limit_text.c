/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts, in words: what a limit rests on, and the
 * source text of the gap at which the impacts accumulate. What remarks say of
 * several times stands once. */
#include "analysis/command/limit_text.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
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

/* The length of the number that begins at s; 0: none does. */
static size_t
number_length(const char *s)
{
    size_t digits = strspn(s, "0123456789"), n = digits;
    if (!digits)
        return 0;
    if (s[n] == '.')
        n += 1 + strspn(s + n + 1, "0123456789");
    if (s[n] == 'e') {
        size_t sign = s[n + 1] == '-' || s[n + 1] == '+';
        size_t power = strspn(s + n + 1 + sign, "0123456789");
        n += power ? 1 + sign + power : 0;
    }
    return n;
}

static double
value(const char *number)
{
    double x = 0;
    num_read(number, number_length(number), &x);
    return x;
}

/* Do both texts say the same but for numbers outside of quoted names and of
 * brackets, which hold places? Sets how many numbers differ, and where the last
 * of these stands in either. */
static bool
alike(const char *a, const char *b, size_t *differ, const char *at[2])
{
    bool quoted = false, bracket = false;
    *differ = 0;
    while (*a && *b) {
        size_t n = quoted || bracket ? 0 : number_length(a),
               m = quoted || bracket ? 0 : number_length(b);
        if (!n != !m || (!n && *a != *b))
            return false;
        if (n && (n != m || memcmp(a, b, n) != 0)) {
            ++*differ;
            at[0] = a;
            at[1] = b;
        }
        quoted ^= *a == '`';
        bracket = (bracket || *a == '(') && *a != ')';
        a += n ? n : 1;
        b += m ? m : 1;
    }
    return *a == *b;
}

/* The number and the unit behind it, where both end what is said. 0: they do
 * not. */
static size_t
quantity_length(const char *s)
{
    size_t n = number_length(s), unit = s[n] == ' ' ? 1 : 0;
    unit += unit ? strcspn(s + n + 1, " :;,") : 0;
    return !s[n + unit] || s[n + unit] == ':' ? n + unit : 0;
}

size_t
remarks_join(const char **text, size_t n, struct arena *arena)
{
    assert((text || !n) && arena);
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        const char *end, *other_end, *said = behind_time(text[i], &end);
        const char *last = NULL; /* the last remark that says the same */
        const char *greatest = NULL, *at[2];
        size_t more = 0, most_differ = 0, differ;
        for (size_t k = i + 1; said && k < n; k++) {
            const char *other = behind_time(text[k], &other_end);
            if (!other || !alike(said, other, &differ, at))
                continue;
            more++;
            last = text[k];
            end = other_end;
            text[k] = NULL;
            if (differ > most_differ)
                most_differ = differ;
            if (differ == 1 && (!greatest || value(at[1]) > value(greatest)))
                greatest = at[1];
        }
        const char *with = !most_differ ? "" : ", with other numbers";
        if (most_differ == 1 && quantity_length(greatest))
            with = arena_printf(arena, ", with %.*s at most",
                                (int)quantity_length(greatest), greatest);
        if (more)
            text[left++] = arena_printf(
                arena, "%s (so %zu time%s more%s, until %.*s)", text[i], more,
                more == 1 ? "" : "s", with, (int)(end - last), last);
        else if (text[i])
            text[left++] = text[i];
    }
    return left;
}
