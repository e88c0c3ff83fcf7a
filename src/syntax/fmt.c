/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formatter: tokens and comments in, canonical text out. Line breaks of
 * the input have no influence but one: a comment that stands alone on its line
 * is another token than one behind something.
 *
 * - One item per line; a block of at most three keys stays on its item's line
 *   when that fits in 80 columns, else one key per line, the = aligned.
 * - Items of one kind (uses, params, values, bodies and contacts, commands) on
 *   one line each stand together; otherwise a blank line divides them.
 * - Doc strings stand above their declaration.
 * - A comment alone on its line stands on a line of its own, above the item
 *   it precedes; one behind something stays behind it.
 */
#include "syntax/fmt.h"

#include <assert.h>
#include <string.h>

#include "imp_parser.h"
#include "syntax/fmt_priv.h"
#include "syntax/parse.h"

/* most keys of a block on one line */
enum { INLINE_KEYS = 3, ALIGN_MOST = 12 };

struct fmt {
    const struct piece *v;
    size_t n;
    struct buf *out;
    size_t col;
    bool began;
};

/* -- output ---------------------------------------------------------------- */

static void
new_line(struct fmt *fmt, size_t indent)
{
    if (fmt->began)
        buf_putc(fmt->out, '\n');
    fmt->began = true;
    for (size_t i = 0; i < indent; i++)
        buf_putc(fmt->out, ' ');
    fmt->col = indent;
}

static void
put(struct fmt *fmt, const char *s, size_t n, size_t cells)
{
    buf_put(fmt->out, s, n);
    fmt->col += cells;
}

static void
blanks(struct fmt *fmt, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(fmt, " ", 1, 1);
}

/* index of the first piece at or behind a byte of the source */
static size_t
piece_at(const struct fmt *fmt, uint32_t lo)
{
    size_t a = 0, b = fmt->n;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (fmt->v[m].lo < lo)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

/* -- runs of tokens -------------------------------------------------------- */

/* cells of pieces [i, j) on one line; a large number if they hold a comment */
static size_t
width_of(const struct fmt *fmt, size_t i, size_t j)
{
    size_t w = 0;
    for (size_t k = i; k < j; k++) {
        const struct piece *p = &fmt->v[k];
        if (p->kind == IMP_YYCOMMENT)
            return FMT_NEVER;
        /* the second blank between keys is counted at their = */
        w += (p->blank && k > i) + p->cells + (p->kind == IMP_YYASSIGN);
    }
    return w;
}

/* Prints the pieces [from, to) from the present column. Lines that pass the
 * width are broken where that costs least. `pad`: further blanks before the
 * first =. */
static void
fill(struct fmt *fmt, size_t from, size_t to, size_t indent, size_t pad,
     size_t reserve)
{
    while (from < to) {
        /* find how far this line reaches, and where it may break */
        size_t col = fmt->col, at = from, best = 0;
        int penalty = FMT_NEVER;
        size_t padding = pad;
        bool over = false;
        for (; at < to && !over; at++) {
            const struct piece *piece = &fmt->v[at];
            if (piece->kind == IMP_YYCOMMENT)
                break;
            if (at > from && piece->penalty <= penalty &&
                piece->penalty < FMT_NEVER) {
                best = at;
                penalty = piece->penalty;
            }
            if (piece->kind == IMP_YYASSIGN) {
                col += padding;
                padding = 0;
            }
            col += (piece->blank && at > from) + piece->cells;
            over = col + (at + 1 == to ? reserve : 0) > FMT_WIDTH;
        }
        /* what fits whole on the line behind its = goes there */
        for (size_t b = from + 1; over && b < at; b++)
            if (fmt->v[b].penalty < 10 && /* outside all brackets */
                fmt->v[b - 1].kind == IMP_YYASSIGN) {
                size_t w = width_of(fmt, b, to);
                if (w < FMT_WIDTH &&
                    indent + FMT_CONTINUE + w + reserve <= FMT_WIDTH)
                    best = b;
                break;
            }
        size_t end = over && best ? best : at;
        if (over && !best) {
            /* nothing fits: go on to the first place where a break is allowed
             */
            while (end < to && fmt->v[end].kind != IMP_YYCOMMENT &&
                   fmt->v[end].penalty == FMT_NEVER)
                end++;
        }
        for (at = from; at < end; at++) {
            const struct piece *piece = &fmt->v[at];
            if (piece->blank && at > from)
                blanks(fmt, 1);
            if (piece->kind == IMP_YYASSIGN) {
                blanks(fmt, pad);
                pad = 0;
            }
            put(fmt, piece->text, piece->len, piece->cells);
        }
        from = end;
        while (from < to && fmt->v[from].kind == IMP_YYCOMMENT) {
            if (fmt->out->n > 0 && fmt->out->s[fmt->out->n - 1] != ' ' &&
                fmt->col > 0) {
                if (fmt->v[from].alone)
                    new_line(fmt, indent + FMT_CONTINUE);
                else
                    blanks(fmt, 2);
            }
            put(fmt, fmt->v[from].text, fmt->v[from].len, fmt->v[from].cells);
            from++;
            if (from < to || reserve)
                new_line(fmt, indent + FMT_CONTINUE);
        }
        if (from < to && fmt->v[from - 1].kind != IMP_YYCOMMENT)
            new_line(fmt, indent + FMT_CONTINUE);
    }
}

/* -- what fits on a line --------------------------------------------------- */

static const struct ast_item *
block_holder(const struct ast_item *it)
{
    return it->has_block                           ? it
           : it->command && it->command->has_block ? it->command
                                                   : NULL;
}

static bool
is_key(const struct ast_item *it)
{
    return it->kind == AST_KEY || it->kind == AST_KEYS;
}

/* keys in a block that may stay on one line; a large number if it may not */
static size_t
inline_keys(const struct ast_item *holder)
{
    size_t n = 0;
    for (size_t i = 0; i < holder->n_block && n <= INLINE_KEYS; i++) {
        const struct ast_item *it = holder->block[i];
        const struct ast_item *inner = block_holder(it);
        if (it->doc || (!is_key(it) && it->kind != AST_BLOCK))
            return FMT_NEVER;
        n += inner ? inline_keys(inner) : 1;
    }
    return n;
}

/* -- items ----------------------------------------------------------------- */

static void items(struct fmt *fmt, struct ast_item *const *list, size_t count,
                  size_t lo, size_t hi, size_t indent, bool top);

/* The pieces of an item, with its doc strings: [*s, *e). */
static void
extent(const struct fmt *fmt, const struct ast_item *it, size_t *s, size_t *e)
{
    *s = piece_at(fmt, it->doc ? it->doc_range.lo : it->range.lo);
    *e = piece_at(fmt, it->range.hi);
}

static bool
on_one_line(const struct fmt *fmt, const struct ast_item *it, size_t indent)
{
    size_t s = piece_at(fmt, it->head.lo), e = piece_at(fmt, it->range.hi);
    const struct ast_item *holder = block_holder(it);
    if (holder && inline_keys(holder) > INLINE_KEYS)
        return false;
    return indent + width_of(fmt, s, e) <= FMT_WIDTH;
}

/* Prints the item on one line, with two blanks between keys. */
static void
put_flat(struct fmt *fmt, const struct ast_item *it, size_t pad)
{
    size_t s = piece_at(fmt, it->head.lo), e = piece_at(fmt, it->range.hi);
    const struct ast_item *holder = block_holder(it);
    size_t open = holder ? piece_at(fmt, holder->block_range.lo) : e;
    for (size_t k = s; k < open; k++) {
        if (fmt->v[k].blank && k > s)
            blanks(fmt, 1);
        if (fmt->v[k].kind == IMP_YYASSIGN) {
            blanks(fmt, pad);
            pad = 0;
        }
        put(fmt, fmt->v[k].text, fmt->v[k].len, fmt->v[k].cells);
    }
    if (!holder)
        return;
    put(fmt, " {", 2, 2);
    for (size_t i = 0; i < holder->n_block; i++) {
        blanks(fmt, i == 0 ? 1 : 2);
        put_flat(fmt, holder->block[i], 0);
    }
    put(fmt, " }", 2, 2);
}

static void
put_item(struct fmt *fmt, const struct ast_item *it, size_t indent, size_t pad)
{
    size_t start, end, head = piece_at(fmt, it->head.lo);
    extent(fmt, it, &start, &end);
    /* doc strings and the comments between them, one line each */
    for (; start < head; start++) {
        put(fmt, fmt->v[start].text, fmt->v[start].len, fmt->v[start].cells);
        new_line(fmt, indent);
    }
    if (on_one_line(fmt, it, indent)) {
        put_flat(fmt, it, pad);
        return;
    }
    const struct ast_item *holder = block_holder(it);
    if (!holder) {
        fill(fmt, head, end, indent, pad, 0);
        return;
    }
    size_t open = piece_at(fmt, holder->block_range.lo);
    fill(fmt, head, open, indent, pad, 2);
    put(fmt, fmt->out->s[fmt->out->n - 1] == ' ' ? "{" : " {",
        fmt->out->s[fmt->out->n - 1] == ' ' ? 1 : 2, 2);
    items(fmt, holder->block, holder->n_block, open + 1, end - 1,
          indent + FMT_INDENT, false);
    if (holder->n_block == 0 && open + 2 == end) {
        put(fmt, " }", 2, 2);
        return;
    }
    new_line(fmt, indent);
    put(fmt, "}", 1, 1);
}

/* Prints the first of the comments [i, j) between two items if it stands behind
 * the first item. Returns the first of those above the next item. */
static size_t
comments_behind(struct fmt *fmt, size_t i, size_t j)
{
    if (i < j && !fmt->v[i].alone) {
        blanks(fmt, 2);
        put(fmt, fmt->v[i].text, fmt->v[i].len, fmt->v[i].cells);
        i++;
    }
    return i;
}

enum group {
    GROUP_NONE,
    GROUP_USE,
    GROUP_PARAM,
    GROUP_VALUE,
    GROUP_BODY,
    GROUP_COMMAND
};

static enum group
group_of(const struct ast_item *it)
{
    switch (it->kind) {
    case AST_USE:
        return GROUP_USE;
    case AST_PARAM:
        return GROUP_PARAM;
    case AST_LET:
        return it->command ? GROUP_COMMAND : GROUP_VALUE;
    case AST_FN:
    case AST_LAW:
    case AST_SHAPE:
    case AST_POINT:
        return GROUP_VALUE;
    case AST_COMMAND:
        return GROUP_COMMAND;
    default:
        return GROUP_BODY;
    }
}

/* The width of the widest key of a run of keys on one line each that begins at
 * `first`, so that their = stand under one another. Returns the end of the run.
 */
static size_t
align_run(const struct fmt *fmt, struct ast_item *const *list, size_t first,
          size_t count, size_t *widest)
{
    size_t most = 0, least = FMT_WIDTH, end = first;
    for (; end < count && list[end]->kind == AST_KEY; end++) {
        size_t start, behind;
        extent(fmt, list[end], &start, &behind);
        if (end > first && fmt->v[start - 1].kind == IMP_YYCOMMENT &&
            fmt->v[start - 1].alone)
            break;
        size_t w = 0;
        for (size_t k = start; k < behind && fmt->v[k].kind != IMP_YYASSIGN;
             k++)
            w += fmt->v[k].cells;
        most = w > most ? w : most;
        least = w < least ? w : least;
    }
    *widest = most - least <= ALIGN_MOST ? most : 0;
    return end;
}

static size_t
key_width(const struct fmt *fmt, const struct ast_item *it)
{
    size_t w = 0;
    for (size_t k = piece_at(fmt, it->head.lo);
         k < fmt->n && fmt->v[k].kind != IMP_YYASSIGN; k++)
        w += fmt->v[k].cells;
    return w;
}

static void
items(struct fmt *fmt, struct ast_item *const *list, size_t count, size_t lo,
      size_t hi, size_t indent, bool top)
{
    size_t pos = lo, run_end = 0, widest = 0;
    bool flat_before = false;
    for (size_t which = 0; which < count; which++) {
        size_t start, end;
        extent(fmt, list[which], &start, &end);
        if (which > 0)
            pos = comments_behind(fmt, pos, start);
        bool flat = on_one_line(fmt, list[which], indent);
        if (top && which > 0 &&
            (pos < start || !flat || !flat_before ||
             group_of(list[which]) != group_of(list[which - 1])))
            buf_putc(fmt->out, '\n');
        bool header = top && which == 0 && pos < start;
        for (; pos < start; pos++) {
            new_line(fmt, indent);
            put(fmt, fmt->v[pos].text, fmt->v[pos].len, fmt->v[pos].cells);
        }
        if (header)
            buf_putc(fmt->out, '\n');
        if (list[which]->kind == AST_KEY && !top) {
            if (which >= run_end)
                run_end = align_run(fmt, list, which, count, &widest);
        } else {
            widest = 0;
        }
        new_line(fmt, indent);
        size_t own = widest ? key_width(fmt, list[which]) : 0;
        size_t pad = widest > own ? widest - own : 0;
        put_item(fmt, list[which], indent, pad);
        flat_before = flat;
        pos = end;
    }
    if (count > 0)
        pos = comments_behind(fmt, pos, hi);
    if (top && count > 0 && pos < hi)
        buf_putc(fmt->out, '\n');
    for (; pos < hi; pos++) {
        new_line(fmt, indent);
        put(fmt, fmt->v[pos].text, fmt->v[pos].len, fmt->v[pos].cells);
    }
}

/* -- the two questions ----------------------------------------------------- */

bool
fmt_file(struct arena *arena, struct diags *diags, uint32_t file,
         struct buf *out)
{
    assert(arena && diags && diags->sources && out);
    const struct source *src = source_get(diags->sources, file);
    int before = diags->errors;
    struct intern *names = intern_new(arena);
    struct ast_file *tree = parse_file(arena, names, diags, file, false);
    if (!src || diags->errors > before)
        return false;
    struct pieces ps = {0};
    fmt_scan(&ps, arena, names, file, src->text, src->len, 0, false);
    struct fmt f = {.v = ps.v, .n = ps.n, .out = out};
    items(&f, tree->items, tree->n_items, 0, ps.n, 0, true);
    if (f.began)
        buf_putc(out, '\n');
    return true;
}

char *
fmt_expr(struct arena *arena, struct intern *names,
         const struct sources *sources, const struct ast_expr *e)
{
    assert(arena && names && sources && e);
    const struct source *src = source_get(sources, e->range.file);
    if (!src || e->range.hi > src->len || e->range.lo > e->range.hi)
        return arena_strdup(arena, "");
    struct pieces ps = {0};
    fmt_scan(&ps, arena, names, e->range.file, src->text + e->range.lo,
             e->range.hi - e->range.lo, e->range.lo, true);
    size_t n = 0;
    for (size_t i = 0; i < ps.n; i++)
        n += ps.v[i].len + 1;
    char *text = arena_alloc(arena, n + 1), *q = text;
    for (size_t i = 0; i < ps.n; i++) {
        if (ps.v[i].kind == IMP_YYCOMMENT)
            continue;
        if (ps.v[i].blank && q > text)
            *q++ = ' ';
        memcpy(q, ps.v[i].text, ps.v[i].len);
        q += ps.v[i].len;
    }
    *q = 0;
    return text;
}
