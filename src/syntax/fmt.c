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

#include <string.h>

#include "imp_parser.h"
#include "syntax/fmt_priv.h"
#include "syntax/parse.h"

/* keys that a block on one line may hold */
enum { INLINE_KEYS = 3, ALIGN_MOST = 12 };

struct fmt {
    const struct piece *v;
    size_t n;
    struct buf *out;
    size_t col;
    bool began;
};

/* -- output --------------------------------------------------------------- */

static void
new_line(struct fmt *f, size_t indent)
{
    if (f->began)
        buf_putc(f->out, '\n');
    f->began = true;
    for (size_t i = 0; i < indent; i++)
        buf_putc(f->out, ' ');
    f->col = indent;
}

static void
put(struct fmt *f, const char *s, size_t n, size_t cells)
{
    buf_put(f->out, s, n);
    f->col += cells;
}

static void
blanks(struct fmt *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(f, " ", 1, 1);
}

/* index of the first piece at or behind a byte of the source */
static size_t
piece_at(const struct fmt *f, uint32_t lo)
{
    size_t a = 0, b = f->n;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (f->v[m].lo < lo)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

/* -- runs of tokens ------------------------------------------------------- */

/* cells of pieces [i, j) on one line; a large number if they hold a comment */
static size_t
width_of(const struct fmt *f, size_t i, size_t j)
{
    size_t w = 0;
    for (size_t k = i; k < j; k++) {
        const struct piece *p = &f->v[k];
        if (p->kind == IMP_YYCOMMENT)
            return FMT_NEVER;
        /* two blanks between keys: counted at their = */
        w += (p->blank && k > i) + p->cells + (p->kind == IMP_YYASSIGN);
    }
    return w;
}

/* prints pieces [i, j) from the present column, breaking lines that grow over
 * the width where that costs least; `pad` blanks more before the first = */
static void
fill(struct fmt *f, size_t i, size_t j, size_t indent, size_t pad,
     size_t reserve)
{
    while (i < j) {
        /* how far does this line reach, and where may it break? */
        size_t col = f->col, k = i, best = 0;
        int penalty = FMT_NEVER;
        size_t padding = pad;
        bool over = false;
        for (; k < j && !over; k++) {
            const struct piece *p = &f->v[k];
            if (p->kind == IMP_YYCOMMENT)
                break;
            if (k > i && p->penalty <= penalty && p->penalty < FMT_NEVER) {
                best = k;
                penalty = p->penalty;
            }
            if (p->kind == IMP_YYASSIGN) {
                col += padding;
                padding = 0;
            }
            col += (p->blank && k > i) + p->cells;
            over = col + (k + 1 == j ? reserve : 0) > FMT_WIDTH;
        }
        /* what fits whole behind its = goes there whole */
        for (size_t b = i + 1; over && b < k; b++)
            if (f->v[b].penalty < 10 && /* outside all brackets */
                f->v[b - 1].kind == IMP_YYASSIGN) {
                size_t w = width_of(f, b, j);
                if (w < FMT_WIDTH &&
                    indent + FMT_CONTINUE + w + reserve <= FMT_WIDTH)
                    best = b;
                break;
            }
        size_t end = over && best ? best : k;
        if (over && !best) {
            /* nothing fits: on to the first place where a break is allowed */
            while (end < j && f->v[end].kind != IMP_YYCOMMENT &&
                   f->v[end].penalty == FMT_NEVER)
                end++;
        }
        for (k = i; k < end; k++) {
            const struct piece *p = &f->v[k];
            if (p->blank && k > i)
                blanks(f, 1);
            if (p->kind == IMP_YYASSIGN) {
                blanks(f, pad);
                pad = 0;
            }
            put(f, p->text, p->len, p->cells);
        }
        i = end;
        while (i < j && f->v[i].kind == IMP_YYCOMMENT) {
            if (f->out->n > 0 && f->out->s[f->out->n - 1] != ' ' &&
                f->col > 0) {
                if (f->v[i].alone)
                    new_line(f, indent + FMT_CONTINUE);
                else
                    blanks(f, 2);
            }
            put(f, f->v[i].text, f->v[i].len, f->v[i].cells);
            i++;
            if (i < j || reserve)
                new_line(f, indent + FMT_CONTINUE);
        }
        if (i < j && f->v[i - 1].kind != IMP_YYCOMMENT)
            new_line(f, indent + FMT_CONTINUE);
    }
}

/* -- what fits on a line -------------------------------------------------- */

static const struct ast_item *
block_holder(const struct ast_item *it)
{
    return it->has_block                           ? it
           : it->command && it->command->has_block ? it->command
                                                   : NULL;
}

/* keys in a block that may stay on one line; a large number if it may not */
static size_t
inline_keys(const struct ast_item *holder)
{
    size_t n = 0;
    for (size_t i = 0; i < holder->n_block && n <= INLINE_KEYS; i++) {
        const struct ast_item *it = holder->block[i];
        const struct ast_item *inner = block_holder(it);
        if (it->doc || (it->kind != AST_KEY && it->kind != AST_BLOCK))
            return FMT_NEVER;
        n += inner ? inline_keys(inner) : 1;
    }
    return n;
}

/* -- items ---------------------------------------------------------------- */

static void items(struct fmt *f, struct ast_item *const *v, size_t n, size_t lo,
                  size_t hi, size_t indent, bool top);

/* pieces of item it, doc strings included: [*s, *e) */
static void
extent(const struct fmt *f, const struct ast_item *it, size_t *s, size_t *e)
{
    *s = piece_at(f, it->doc ? it->doc_range.lo : it->range.lo);
    *e = piece_at(f, it->range.hi);
}

static bool
on_one_line(const struct fmt *f, const struct ast_item *it, size_t indent)
{
    size_t s = piece_at(f, it->head.lo), e = piece_at(f, it->range.hi);
    const struct ast_item *holder = block_holder(it);
    if (holder && inline_keys(holder) > INLINE_KEYS)
        return false;
    return indent + width_of(f, s, e) <= FMT_WIDTH;
}

/* the item on one line, blanks between keys doubled */
static void
put_flat(struct fmt *f, const struct ast_item *it, size_t pad)
{
    size_t s = piece_at(f, it->head.lo), e = piece_at(f, it->range.hi);
    const struct ast_item *holder = block_holder(it);
    size_t open = holder ? piece_at(f, holder->block_range.lo) : e;
    for (size_t k = s; k < open; k++) {
        if (f->v[k].blank && k > s)
            blanks(f, 1);
        if (f->v[k].kind == IMP_YYASSIGN) {
            blanks(f, pad);
            pad = 0;
        }
        put(f, f->v[k].text, f->v[k].len, f->v[k].cells);
    }
    if (!holder)
        return;
    put(f, " {", 2, 2);
    for (size_t i = 0; i < holder->n_block; i++) {
        blanks(f, i == 0 ? 1 : 2);
        put_flat(f, holder->block[i], 0);
    }
    put(f, " }", 2, 2);
}

static void
put_item(struct fmt *f, const struct ast_item *it, size_t indent, size_t pad)
{
    size_t s, e, h = piece_at(f, it->head.lo);
    extent(f, it, &s, &e);
    /* doc strings, with comments between them, a line each */
    for (; s < h; s++) {
        put(f, f->v[s].text, f->v[s].len, f->v[s].cells);
        new_line(f, indent);
    }
    if (on_one_line(f, it, indent)) {
        put_flat(f, it, pad);
        return;
    }
    const struct ast_item *holder = block_holder(it);
    if (!holder) {
        fill(f, h, e, indent, pad, 0);
        return;
    }
    size_t open = piece_at(f, holder->block_range.lo);
    fill(f, h, open, indent, pad, 2);
    put(f, f->out->s[f->out->n - 1] == ' ' ? "{" : " {",
        f->out->s[f->out->n - 1] == ' ' ? 1 : 2, 2);
    items(f, holder->block, holder->n_block, open + 1, e - 1,
          indent + FMT_INDENT, false);
    if (holder->n_block == 0 && open + 2 == e) {
        put(f, " }", 2, 2);
        return;
    }
    new_line(f, indent);
    put(f, "}", 1, 1);
}

/* of the comments [i, j) between two items prints the first if it stands behind
 * the one before; returns the first of those above the next item */
static size_t
comments_behind(struct fmt *f, size_t i, size_t j)
{
    if (i < j && !f->v[i].alone) {
        blanks(f, 2);
        put(f, f->v[i].text, f->v[i].len, f->v[i].cells);
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
    case AST_SHAPE:
    case AST_POINT:
        return GROUP_VALUE;
    case AST_COMMAND:
        return GROUP_COMMAND;
    default:
        return GROUP_BODY;
    }
}

/* blanks before the = of keys [i, ...), so that those of a run of keys on one
 * line each stand under one another; returns the end of the run */
static size_t
align_run(const struct fmt *f, struct ast_item *const *v, size_t i, size_t n,
          size_t *widest)
{
    size_t most = 0, least = FMT_WIDTH, j = i;
    for (; j < n && v[j]->kind == AST_KEY; j++) {
        size_t s, e;
        extent(f, v[j], &s, &e);
        if (j > i && f->v[s - 1].kind == IMP_YYCOMMENT && f->v[s - 1].alone)
            break;
        size_t w = 0;
        for (size_t k = s; k < e && f->v[k].kind != IMP_YYASSIGN; k++)
            w += f->v[k].cells;
        most = w > most ? w : most;
        least = w < least ? w : least;
    }
    *widest = most - least <= ALIGN_MOST ? most : 0;
    return j;
}

static size_t
key_width(const struct fmt *f, const struct ast_item *it)
{
    size_t w = 0;
    for (size_t k = piece_at(f, it->head.lo);
         k < f->n && f->v[k].kind != IMP_YYASSIGN; k++)
        w += f->v[k].cells;
    return w;
}

static void
items(struct fmt *f, struct ast_item *const *v, size_t n, size_t lo, size_t hi,
      size_t indent, bool top)
{
    size_t pos = lo, run_end = 0, widest = 0;
    bool flat_before = false;
    for (size_t i = 0; i < n; i++) {
        size_t s, e;
        extent(f, v[i], &s, &e);
        if (i > 0)
            pos = comments_behind(f, pos, s);
        bool flat = on_one_line(f, v[i], indent);
        if (top && i > 0 &&
            (pos < s || !flat || !flat_before ||
             group_of(v[i]) != group_of(v[i - 1])))
            buf_putc(f->out, '\n');
        bool header = top && i == 0 && pos < s;
        for (; pos < s; pos++) {
            new_line(f, indent);
            put(f, f->v[pos].text, f->v[pos].len, f->v[pos].cells);
        }
        if (header)
            buf_putc(f->out, '\n');
        if (v[i]->kind == AST_KEY && !top) {
            if (i >= run_end)
                run_end = align_run(f, v, i, n, &widest);
        } else {
            widest = 0;
        }
        new_line(f, indent);
        size_t own = widest ? key_width(f, v[i]) : 0;
        size_t pad = widest > own ? widest - own : 0;
        put_item(f, v[i], indent, pad);
        flat_before = flat;
        pos = e;
    }
    if (n > 0)
        pos = comments_behind(f, pos, hi);
    if (top && n > 0 && pos < hi)
        buf_putc(f->out, '\n');
    for (; pos < hi; pos++) {
        new_line(f, indent);
        put(f, f->v[pos].text, f->v[pos].len, f->v[pos].cells);
    }
}

/* -- the two questions ---------------------------------------------------- */

bool
fmt_file(struct arena *a, struct diags *ds, uint32_t file, struct buf *out)
{
    const struct source *src = source_get(ds->sources, file);
    int before = ds->errors;
    struct intern *names = intern_new(a);
    struct ast_file *tree = parse_file(a, names, ds, file, false);
    if (!src || ds->errors > before)
        return false;
    struct pieces ps = {0};
    fmt_scan(&ps, a, names, file, src->text, src->len, 0, false);
    struct fmt f = {.v = ps.v, .n = ps.n, .out = out};
    items(&f, tree->items, tree->n_items, 0, ps.n, 0, true);
    if (f.began)
        buf_putc(out, '\n');
    return true;
}

char *
fmt_expr(struct arena *a, const struct sources *s, const struct ast_expr *e)
{
    const struct source *src = source_get(s, e->range.file);
    if (!src || e->range.hi > src->len || e->range.lo > e->range.hi)
        return arena_strdup(a, "");
    struct pieces ps = {0};
    fmt_scan(&ps, a, intern_new(a), e->range.file, src->text + e->range.lo,
             e->range.hi - e->range.lo, e->range.lo, true);
    size_t n = 0;
    for (size_t i = 0; i < ps.n; i++)
        n += ps.v[i].len + 1;
    char *text = arena_alloc(a, n + 1), *q = text;
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
