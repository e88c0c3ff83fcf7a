/* SPDX-License-Identifier: MIT */
/* Printing diagnostics as text with carets, as file:line:col lines, as JSON.
 *
 * What comes from the user's text or from a message is never sent raw: control
 * and bidirectional characters and bytes that are not UTF-8 are shown as
 * escapes. Columns are terminal cells, counted from 1. A source line is shown
 * whole up to WHOLE cells, otherwise a window of it around the caret. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "base/utf8.h"

enum {
    WHOLE = 100, /* cells of a line shown whole */
    BEFORE = 30, /* cells of a window before the caret */
    WINDOW = 72  /* cells of a window */
};

static const char *const bold = "\033[1m", *const red = "\033[1;31m",
                         *const yellow = "\033[1;33m",
                         *const blue = "\033[1;34m",
                         *const green = "\033[1;32m", *const off = "\033[0m";

struct printer {
    struct arena *arena;
    const struct sources *sources;
    struct buf *out;
    bool colour;
};

static void
paint(const struct printer *printer, const char *with)
{
    if (printer->colour)
        buf_puts(printer->out, with);
}

/* Makes one code point (or invalid byte) at `text` visible. Returns the bytes
 * taken, adds the cells it fills to *cells. out NULL: only measures. */
static size_t
put_visible(struct buf *out, const char *text, size_t n, size_t *cells)
{
    char shown[16];
    uint32_t code = 0;
    size_t len = utf8_decode(text, n, &code);
    if (len == 0) {
        *cells += (size_t)snprintf(shown, sizeof shown, "\\x%02x",
                                   (unsigned char)*text);
        len = 1;
    } else if (code == '\t') {
        memcpy(shown, " ", 2);
        *cells += 1;
    } else if (utf8_unsafe(code)) {
        *cells += (size_t)snprintf(shown, sizeof shown,
                                   code < 0x80 ? "\\x%02x" : "\\u{%x}",
                                   (unsigned)code);
    } else {
        memcpy(shown, text, len);
        shown[len] = 0;
        *cells += (size_t)utf8_cells(code);
    }
    if (out)
        buf_puts(out, shown);
    return len;
}

/* Prints a message or a name. With `wrap` line breaks continue under an
 * indentation; otherwise they are escaped like other control characters. */
static void
put_text(struct buf *out, const char *s, const char *wrap)
{
    size_t n = strlen(s), cells = 0;
    for (size_t i = 0; i < n;) {
        if (wrap && s[i] == '\n') {
            buf_putc(out, '\n');
            buf_puts(out, wrap);
            i++;
        } else {
            i += put_visible(out, s + i, n - i, &cells);
        }
    }
}

/* -- source lines ---------------------------------------------------------- */

/* a piece of text with a marked range in it */
struct snippet {
    const char *s;
    size_t n, lo, hi;
};

/* The line around byte `at` of a source, without its line break. */
static struct snippet
line_at(const struct source *src, size_t at)
{
    if (at > src->len)
        at = src->len;
    size_t lo = at, hi = at;
    while (lo > 0 && src->text[lo - 1] != '\n')
        lo--;
    const char *end = memchr(src->text + hi, '\n', src->len - hi);
    hi = end ? (size_t)(end - src->text) : src->len;
    if (hi > lo && src->text[hi - 1] == '\r')
        hi--;
    /* a byte order mark is not part of what the user sees */
    if (lo == 0 && hi >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0)
        lo = at >= 3 ? 3 : 0;
    return (struct snippet){src->text + lo, hi - lo, at - lo, at - lo};
}

static size_t
step_back(const char *s, size_t i)
{
    size_t k = i - 1, least = i > 4 ? i - 4 : 0;
    while (k > least && ((unsigned char)s[k] & 0xc0) == 0x80)
        k--;
    uint32_t c;
    return utf8_decode(s + k, i - k, &c) == i - k ? k : i - 1;
}

/* Prints the snippet's line, and under it carets below [lo, hi) and a label. */
static void
put_snippet(const struct printer *printer, struct snippet snippet,
            const char *gutter, const char *number, const char *mark_colour,
            char first, char rest, const char *label)
{
    struct buf *out = printer->out;
    size_t from = 0, to = 0, cells = 0;
    /* the whole line, or a window around the mark */
    while (to < snippet.n && cells <= WHOLE)
        to += put_visible(NULL, snippet.s + to, snippet.n - to, &cells);
    bool cut_left = false, cut_right = false;
    if (cells > WHOLE) {
        from = snippet.lo;
        cells = 0;
        while (from > 0 && cells < BEFORE) {
            size_t k = step_back(snippet.s, from);
            put_visible(NULL, snippet.s + k, snippet.n - k, &cells);
            from = k;
        }
        for (cells = 0, to = from; to < snippet.n && cells < WINDOW;)
            to += put_visible(NULL, snippet.s + to, snippet.n - to, &cells);
        cut_left = from > 0;
        cut_right = to < snippet.n;
    }
    paint(printer, blue);
    buf_printf(out, "%s |", number);
    paint(printer, off);
    size_t start = 0, end = 0;
    bool more = to > from || cut_left || cut_right;
    if (more)
        buf_putc(out, ' ');
    cells = 0;
    if (cut_left) {
        buf_puts(out, "...");
        cells = 3;
    }
    size_t trim = out->n;
    start = end = cells;
    for (size_t i = from; i < to;) {
        if (i <= snippet.lo)
            start = cells;
        i += put_visible(out, snippet.s + i, snippet.n - i, &cells);
        if (i <= snippet.hi)
            end = cells;
    }
    if (snippet.lo >= to)
        start = cells;
    if (cut_right) {
        buf_puts(out, "...");
    } else {
        /* printed lines have no blanks at their ends */
        while (out->n > trim && out->s[out->n - 1] == ' ')
            out->s[--out->n] = 0;
    }
    if (snippet.hi > to && cut_right)
        end = cells + 3;
    if (end <= start)
        end = start + 1;
    buf_putc(out, '\n');
    paint(printer, blue);
    buf_printf(out, "%s | ", gutter);
    paint(printer, off);
    for (size_t i = 0; i < start; i++)
        buf_putc(out, ' ');
    paint(printer, mark_colour);
    for (size_t i = start; i < end; i++)
        buf_putc(out, i == start ? first : rest);
    if (label && *label) {
        buf_putc(out, ' ');
        put_text(out, label, NULL);
    }
    paint(printer, off);
    buf_putc(out, '\n');
}

/* The width of the gutter that fits the line numbers of this diagnostic. */
static int
number_width(const struct printer *printer, const struct diag *diag)
{
    uint32_t most =
        source_pos(printer->sources, diag->range.file, diag->range.lo).line;
    for (const struct diag_note *n = diag->notes; n; n = n->next) {
        uint32_t l =
            source_pos(printer->sources, n->range.file, n->range.lo).line;
        most = l > most ? l : most;
    }
    int w = 1;
    while (most >= 10) {
        most /= 10;
        w++;
    }
    return w;
}

static void
put_place(const struct printer *printer, imp_range range, int width)
{
    const struct source *src = source_get(printer->sources, range.file);
    struct source_pos at = source_pos(printer->sources, range.file, range.lo);
    paint(printer, blue);
    buf_printf(printer->out, "%*s--> ", width, "");
    paint(printer, off);
    put_text(printer->out, src->name, NULL);
    buf_printf(printer->out, ":%u:%u\n", at.line, at.col_cells);
}

/* Prints the line of a range with its carets; of several lines the first. */
static void
put_source(const struct printer *printer, imp_range range, int width,
           const char *colour, const char *label)
{
    const struct source *src = source_get(printer->sources, range.file);
    struct snippet snippet = line_at(src, range.lo);
    size_t len = range.hi > range.lo ? range.hi - range.lo : 0;
    snippet.hi =
        len > snippet.n - (snippet.lo < snippet.n ? snippet.lo : snippet.n)
            ? snippet.n
            : snippet.lo + len;
    char gutter[16], number[16];
    snprintf(gutter, sizeof gutter, "%*s", width, "");
    snprintf(number, sizeof number, "%*u", width,
             source_pos(printer->sources, range.file, range.lo).line);
    paint(printer, blue);
    buf_printf(printer->out, "%s |\n", gutter);
    paint(printer, off);
    put_snippet(printer, snippet, gutter, number, colour, '^', '~', label);
}

/* Prints the corrected line of a fix-it, with the new text marked. */
static void
put_fix(const struct printer *printer, const struct diag *diag, int width)
{
    const struct source *src =
        source_get(printer->sources, diag->fix_range.file);
    if (!src)
        return;
    struct snippet lines = line_at(src, diag->fix_range.lo);
    size_t cut = diag->fix_range.hi > diag->fix_range.lo
                     ? diag->fix_range.hi - diag->fix_range.lo
                     : 0;
    if (lines.lo > lines.n)
        lines.lo = lines.n;
    if (cut > lines.n - lines.lo) /* a fix over several lines is not shown */
        return;
    const char *eol = strchr(diag->fix_text, '\n');
    size_t len = eol ? (size_t)(eol - diag->fix_text) : strlen(diag->fix_text);
    size_t rest = eol ? 0 : lines.n - lines.lo - cut;
    char *line = arena_alloc(printer->arena, lines.lo + len + rest + 1);
    memcpy(line, lines.s, lines.lo);
    memcpy(line + lines.lo, diag->fix_text, len);
    memcpy(line + lines.lo + len, lines.s + lines.lo + cut, rest);
    struct snippet u = {line, lines.lo + len + rest, lines.lo, lines.lo + len};
    char gutter[16], number[16];
    snprintf(gutter, sizeof gutter, "%*s", width, "");
    snprintf(
        number, sizeof number, "%*u", width,
        source_pos(printer->sources, diag->fix_range.file, diag->fix_range.lo)
            .line);
    if (len > 0)
        put_snippet(printer, u, gutter, number, green, '+', '+', NULL);
    else
        put_snippet(printer, u, gutter, number, green, '^', '^', NULL);
}

static void
print_text(const struct printer *printer, const struct diag *diag)
{
    struct buf *out = printer->out;
    bool error = diag->severity == DIAG_ERROR;
    const char *colour = error ? red : yellow;
    int width = number_width(printer, diag);
    paint(printer, colour);
    buf_puts(out, error ? "error" : "warning");
    if (diag->code != DIAG_NONE)
        buf_printf(out, "[%s]", diag_code_name(diag->code));
    paint(printer, off);
    paint(printer, bold);
    buf_puts(out, ": ");
    put_text(out, diag->message, "  ");
    paint(printer, off);
    buf_putc(out, '\n');
    if (source_get(printer->sources, diag->range.file)) {
        put_place(printer, diag->range, width);
        put_source(printer, diag->range, width, colour, diag->label);
    }
    for (const struct diag_note *n = diag->notes; n; n = n->next) {
        buf_printf(out, "%*s ", width, "");
        paint(printer, bold);
        buf_puts(out, "= note");
        paint(printer, off);
        buf_puts(out, ": ");
        put_text(out, n->text, "    ");
        buf_putc(out, '\n');
        if (source_get(printer->sources, n->range.file)) {
            put_place(printer, n->range, width);
            put_source(printer, n->range, width, blue, NULL);
        }
    }
    const char *remedy = diag_remedy(diag);
    if (remedy || diag->fix_text) {
        buf_printf(out, "%*s ", width, "");
        paint(printer, bold);
        buf_puts(out, "= help");
        paint(printer, off);
        buf_puts(out, ": ");
        put_text(out, remedy ? remedy : "write", "    ");
        buf_putc(out, '\n');
    }
    if (diag->fix_text)
        put_fix(printer, diag, width);
}

static void
print_line(const struct printer *printer, const struct diag *diag,
           imp_range range, const char *kind, const char *text)
{
    const struct source *src = source_get(printer->sources, range.file);
    if (src) {
        struct source_pos at =
            source_pos(printer->sources, range.file, range.lo);
        put_text(printer->out, src->name, NULL);
        buf_printf(printer->out, ":%u:%u: ", at.line, at.col_cells);
    } else {
        buf_puts(printer->out, "imp: ");
    }
    buf_printf(printer->out, "%s: ", kind);
    char *one = arena_strdup(printer->arena, text);
    for (char *q = one; (q = strchr(q, '\n'));)
        *q = ' ';
    put_text(printer->out, one, NULL);
    if (diag && diag->code != DIAG_NONE)
        buf_printf(printer->out, " [%s]", diag_code_name(diag->code));
    buf_putc(printer->out, '\n');
}

static void
print_lines(const struct printer *printer, const struct diag *diag)
{
    print_line(printer, diag, diag->range,
               diag->severity == DIAG_ERROR ? "error" : "warning",
               diag->message);
    for (const struct diag_note *n = diag->notes; n; n = n->next)
        print_line(printer, NULL, n->range.file ? n->range : diag->range,
                   "note", n->text);
    if (diag_remedy(diag))
        print_line(printer, NULL, diag->range, "help", diag_remedy(diag));
}

static void
json_range(const struct printer *printer, imp_range range)
{
    const struct source *src = source_get(printer->sources, range.file);
    if (!src) {
        buf_puts(printer->out, "\"file\": null");
        return;
    }
    struct source_pos lo = source_pos(printer->sources, range.file, range.lo);
    struct source_pos hi = source_pos(printer->sources, range.file, range.hi);
    buf_puts(printer->out, "\"file\": ");
    buf_json(printer->out, src->name, strlen(src->name));
    buf_printf(printer->out,
               ", \"line\": %u, \"column\": %u, \"end_line\": %u, "
               "\"end_column\": %u, \"lo\": %u, \"hi\": %u",
               lo.line, lo.col_cells, hi.line, hi.col_cells, range.lo,
               range.hi);
}

static void
json_text(struct buf *out, const char *key, const char *s)
{
    buf_printf(out, "\"%s\": ", key);
    if (s)
        buf_json(out, s, strlen(s));
    else
        buf_puts(out, "null");
}

static void
print_json(const struct printer *printer, const struct diag *diag)
{
    struct buf *out = printer->out;
    buf_printf(out, "{\"severity\": \"%s\", \"code\": \"%s\", ",
               diag->severity == DIAG_ERROR ? "error" : "warning",
               diag_code_name(diag->code));
    json_text(out, "message", diag->message);
    buf_puts(out, ", ");
    json_range(printer, diag->range);
    buf_puts(out, ", ");
    json_text(out, "label", diag->label);
    buf_puts(out, ", \"notes\": [");
    for (const struct diag_note *n = diag->notes; n; n = n->next) {
        buf_putc(out, '{');
        json_text(out, "message", n->text);
        buf_puts(out, ", ");
        json_range(printer, n->range);
        buf_puts(out, n->next ? "}, " : "}");
    }
    buf_puts(out, "], ");
    json_text(out, "help", diag_remedy(diag));
    buf_puts(out, ", \"fix\": ");
    if (diag->fix_text) {
        buf_putc(out, '{');
        json_range(printer, diag->fix_range);
        buf_puts(out, ", ");
        json_text(out, "text", diag->fix_text);
        buf_puts(out, "}}\n");
    } else {
        buf_puts(out, "null}\n");
    }
}

/* -- the collection -------------------------------------------------------- */

struct ranked {
    const struct diag *d;
    size_t arrival;
};

static int
by_place(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    imp_range range = x->d->range, s = y->d->range;
    /* those without a place come last, in order of arrival */
    uint32_t f = range.file ? range.file : UINT32_MAX,
             g = s.file ? s.file : UINT32_MAX;
    if (f != g)
        return f < g ? -1 : 1;
    if (range.file && range.lo != s.lo)
        return range.lo < s.lo ? -1 : 1;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static bool
same(const struct diag *a, const struct diag *b)
{
    return a->code == b->code && a->range.file == b->range.file &&
           a->range.lo == b->range.lo && a->range.hi == b->range.hi &&
           strcmp(a->message, b->message) == 0;
}

static void
print_more(struct buf *out, enum diag_format format, int count,
           const char *what)
{
    if (count <= 0)
        return;
    if (format == DIAG_JSON)
        buf_printf(out,
                   "{\"severity\": \"%s\", \"code\": null, \"message\": "
                   "\"%d more %s%s\", \"file\": null}\n",
                   what, count, what, count == 1 ? "" : "s");
    else
        buf_printf(out, "%s%d more %s%s\n", format == DIAG_LINES ? "imp: " : "",
                   count, what, count == 1 ? "" : "s");
}

void
diags_print(const struct diags *diags, struct buf *out, enum diag_format format,
            bool colour)
{
    assert(diags && out && format <= DIAG_JSON);
    size_t count = 0;
    int kept_errors = 0, kept_warnings = 0;
    for (const struct diag *diag = diags->first; diag; diag = diag->next)
        count++;
    struct ranked *order = NEW_N(diags->arena, struct ranked, count);
    count = 0;
    for (const struct diag *diag = diags->first; diag; diag = diag->next) {
        order[count] = (struct ranked){diag, count};
        count++;
        ++*(diag->severity == DIAG_ERROR ? &kept_errors : &kept_warnings);
    }
    if (count)
        qsort(order, count, sizeof *order, by_place);
    struct printer printer = {diags->arena, diags->sources, out,
                              colour && format == DIAG_TEXT};
    bool first = true;
    for (size_t which = 0; which < count; which++) {
        /* the same finding, made twice (a function expanded twice), is printed
         * once */
        bool told = false;
        for (size_t j = which; j-- > 0 && !told;) {
            if (order[j].d->range.lo != order[which].d->range.lo ||
                order[j].d->range.file != order[which].d->range.file)
                break;
            told = same(order[j].d, order[which].d);
        }
        if (told)
            continue;
        if (format == DIAG_TEXT && !first)
            buf_putc(out, '\n');
        first = false;
        if (format == DIAG_TEXT)
            print_text(&printer, order[which].d);
        else if (format == DIAG_LINES)
            print_lines(&printer, order[which].d);
        else
            print_json(&printer, order[which].d);
    }
    print_more(out, format, diags->errors - kept_errors, "error");
    print_more(out, format, diags->warnings - kept_warnings, "warning");
}
