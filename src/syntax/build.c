/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builders of tree nodes, called by the grammar's actions, with the checks that
 * need only the text: units on operands, matrices with rows of different
 * lengths, depth. All memory is the arena's. A list that grows is copied to
 * twice its size; the old copy stays in the arena. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "syntax/syntax_priv.h"

/* -- lists ----------------------------------------------------------------- */

static void *
grown(struct parse *parse, void *v, size_t n, size_t *cap, size_t item)
{
    if (n < *cap)
        return v;
    size_t more = *cap ? 2 * *cap : 4;
    char *w = arena_alloc(parse->arena, more * item);
    if (n)
        memcpy(w, v, n * item);
    *cap = more;
    return w;
}
#define PUSH(p, l, x)                                                          \
    do {                                                                       \
        (l)->v = grown(p, (l)->v, (l)->n, &(l)->cap, sizeof *(l)->v);          \
        (l)->v[(l)->n++] = (x);                                                \
    } while (0)

void
exprs_push(struct parse *parse, struct exprs *l, struct ast_expr *e)
{
    PUSH(parse, l, e);
}

void
items_push(struct parse *parse, struct items *l, struct ast_item *it)
{
    PUSH(parse, l, it);
}

void
argv_push(struct parse *parse, struct argv *l, struct ast_arg a)
{
    PUSH(parse, l, a);
}

void
formals_push(struct parse *parse, struct formals *l, struct ast_formal f)
{
    PUSH(parse, l, f);
}

void
namev_push(struct parse *parse, struct namev *l, struct ast_name n)
{
    PUSH(parse, l, n);
}

void
rows_push(struct parse *parse, struct rows *rows, struct exprs row,
          imp_range range)
{
    assert(rows->all.n == rows->rows * rows->cols);
    if (rows->rows == 0) {
        rows->cols = row.n;
    } else if (row.n != rows->cols) {
        struct diag *diag =
            parse_error(parse, DIAG_E0022, range,
                        "this row has %zu %s, the rows above have %zu", row.n,
                        row.n == 1 ? "entry" : "entries", rows->cols);
        if (diag)
            diag_help(parse->ds, diag,
                      "entries are divided by commas, rows by "
                      "semicolons: [1, 2; 3, 4]");
        /* the matrix stays rectangular: the last entry stands for the missing
         * ones */
        while (row.n < rows->cols)
            exprs_push(parse, &row, row.v[row.n - 1]);
    }
    rows->rows++;
    for (size_t i = 0; i < rows->cols; i++)
        exprs_push(parse, &rows->all, row.v[i]);
}

/* -- errors ---------------------------------------------------------------- */

struct diag *
parse_error(struct parse *parse, enum diag_code code, imp_range range,
            const char *fmt, ...)
{
    assert(parse && code > DIAG_NONE && code < DIAG_COUNT);
    parse->errors++;
    if (!parse->ds)
        return NULL;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(parse->ds, code, range, "%s", text);
}

void
too_deep(struct parse *parse, imp_range range)
{
    if (parse->fatal)
        return;
    parse->fatal = true;
    struct diag *diag =
        parse_error(parse, DIAG_E0981, range,
                    "this is nested more than %d levels deep", MAX_NESTING);
    if (diag)
        diag_help(parse->ds, diag,
                  "name parts of it with let or fn; of a long sum or product, "
                  "which nests to the left, put parts in brackets");
}

/* -- expressions ----------------------------------------------------------- */

struct ast_expr *
build_expr(struct parse *parse, enum ast_expr_kind kind, imp_range range)
{
    assert(parse && kind < AST_EXPR_KINDS);
    struct ast_expr *e = NEW(parse->arena, struct ast_expr);
    e->kind = kind;
    e->range = range;
    e->depth = 1;
    return e;
}

static void
deepen(struct parse *parse, struct ast_expr *e, const struct ast_expr *child)
{
    if (!child || child->depth < e->depth)
        return;
    e->depth = child->depth + 1;
    if (e->depth > MAX_NESTING) {
        /* No place inside is better than another, so the message points at the
         * beginning. */
        imp_range r = e->range;
        if (r.hi > r.lo + 40)
            r.hi = r.lo + 40;
        too_deep(parse, r);
    }
}

struct ast_expr *
build_num(struct parse *parse, imp_range literal, imp_range range, double num,
          struct ast_expr *unit)
{
    struct ast_expr *e = build_expr(parse, AST_NUM, range);
    e->num = num;
    e->op_range = literal;
    e->unit = unit;
    return e;
}

struct ast_expr *
build_text(struct parse *parse, imp_range range, const char *text)
{
    assert(text != NULL);
    struct ast_expr *e = build_expr(parse, AST_TEXT, range);
    e->text = text;
    return e;
}

struct ast_expr *
build_name(struct parse *parse, struct ast_name name)
{
    struct ast_expr *e = build_expr(parse, AST_NAME, name.range);
    e->name = name;
    return e;
}

struct ast_expr *
build_unary(struct parse *parse, enum ast_expr_kind kind, imp_range range,
            struct ast_expr *a)
{
    assert(a != NULL);
    struct ast_expr *e = build_expr(parse, kind, range);
    e->a = a;
    deepen(parse, e, a);
    return e;
}

/* The literal with a unit that this operand is, also under signs. */
static struct ast_expr *
united_literal(struct ast_expr *e)
{
    while (e->kind == AST_NEG)
        e = e->a;
    return e->kind == AST_NUM && e->unit ? e : NULL;
}

/* True for an expression of literals without units: `90/2 [deg]` may mean
 * either. */
static bool
bare_numbers(const struct ast_expr *e)
{
    while (e->kind == AST_NEG || (e->kind == AST_BINARY && bare_numbers(e->b)))
        e = e->a;
    return e->kind == AST_NUM && !e->unit;
}

/* `90/2 [deg]`: the unit may belong to 2 or to 90/2, so it is refused. */
static void
refuse_unit(struct parse *parse, const struct ast_expr *whole,
            const struct ast_expr *literal, bool whole_of_it)
{
    imp_range unit = {parse->file, literal->op_range.hi, literal->range.hi};
    while (unit.lo < unit.hi && parse->text[unit.lo] != '[')
        unit.lo++;
    static const char *const signs[] = {"+", "-", "*", "/", "^"};
    const char *op = whole->op <= AST_POW ? signs[whole->op] : "*";
    struct diag *diag =
        parse_error(parse, DIAG_E0020, unit,
                    "a unit binds to the number before it, and that number "
                    "is an operand of `%s`",
                    op);
    if (!diag)
        return;
    diag_label(parse->ds, diag, "of one number, or of all of it?");
    imp_range fix = whole_of_it ? whole->range : literal->range;
    size_t head = literal->op_range.hi - fix.lo;
    fix.hi = literal->range.hi;
    if (head > 200)
        return;
    if (whole_of_it) {
        diag_help(parse->ds, diag, "put brackets around what has the unit");
        diag_fix(parse->ds, diag, fix,
                 arena_printf(parse->arena, "(%.*s) %.*s", (int)head,
                              parse->text + fix.lo, (int)(unit.hi - unit.lo),
                              parse->text + unit.lo));
    } else {
        diag_help(parse->ds, diag, "put brackets around the quantity");
        diag_fix(parse->ds, diag, fix,
                 arena_printf(parse->arena, "(%.*s)", (int)(fix.hi - fix.lo),
                              parse->text + fix.lo));
    }
}

struct ast_expr *
build_binary(struct parse *parse, enum ast_binary op, imp_range op_range,
             imp_range range, struct ast_expr *left, struct ast_expr *right)
{
    assert(left != NULL && right != NULL);
    struct ast_expr *made = build_expr(parse, AST_BINARY, range);
    made->op = op;
    made->op_range = op_range;
    made->a = left;
    made->b = right;
    deepen(parse, made, left);
    deepen(parse, made, right);
    if (op == AST_MUL || op == AST_DIV || op == AST_POW) {
        /* a first factor, `3 [kg]*v`, reads one way only; `3 [m]^2` does not */
        struct ast_expr *l = op == AST_POW ? united_literal(left) : NULL,
                        *r = united_literal(right);
        if (r)
            refuse_unit(parse, made, r, bare_numbers(left));
        else if (l)
            refuse_unit(parse, made, l, false);
        made->refused = r || l;
    }
    return made;
}

struct ast_expr *
build_if(struct parse *parse, imp_range range, struct ast_expr *a,
         struct ast_expr *b, struct ast_expr *c)
{
    assert(a != NULL && b != NULL && c != NULL);
    struct ast_expr *e = build_expr(parse, AST_IF, range);
    e->a = a;
    e->b = b;
    e->c = c;
    deepen(parse, e, a);
    deepen(parse, e, b);
    deepen(parse, e, c);
    return e;
}

struct ast_expr *
build_list(struct parse *parse, enum ast_expr_kind kind, imp_range range,
           struct ast_expr *a, struct exprs list, struct ast_expr *unit)
{
    struct ast_expr *e = build_expr(parse, kind, range);
    e->a = a;
    e->list = list.v;
    e->n_list = list.n;
    e->unit = unit;
    deepen(parse, e, a);
    for (size_t i = 0; i < list.n; i++)
        deepen(parse, e, list.v[i]);
    return e;
}

struct ast_expr *
build_args(struct parse *parse, enum ast_expr_kind kind, imp_range range,
           struct ast_expr *a, struct argv args)
{
    struct ast_expr *e = build_expr(parse, kind, range);
    e->a = a;
    e->args = args.v;
    e->n_args = args.n;
    deepen(parse, e, a);
    for (size_t i = 0; i < args.n; i++)
        deepen(parse, e, args.v[i].value);
    return e;
}

struct ast_expr *
build_matrix(struct parse *parse, imp_range range, struct rows rows,
             struct ast_expr *unit)
{
    struct ast_expr *e =
        build_list(parse, AST_MATRIX, range, NULL, rows.all, unit);
    e->cols = rows.cols;
    return e;
}

/* -- items ----------------------------------------------------------------- */

struct ast_item *
build_item(struct parse *parse, enum ast_item_kind kind, imp_range range,
           imp_range head, struct ast_name name)
{
    assert(parse && kind < AST_ITEM_KINDS);
    struct ast_item *it = NEW(parse->arena, struct ast_item);
    it->kind = kind;
    it->range = range;
    it->head = head;
    it->name = name;
    return it;
}

void
build_formals(struct ast_item *it, struct formals f)
{
    assert(it);
    it->formals = f.v;
    it->n_formals = f.n;
    it->has_formals = true;
}

/* Keys with an index stand in drawings only. Elsewhere they are told, and count
 * as keys without one. */
static void
no_families(struct parse *parse, const struct ast_item *it)
{
    for (size_t i = 0; i < it->n_block; i++) {
        struct ast_item *key = it->block[i];
        if (key->kind != AST_KEYS)
            continue;
        struct diag *diag =
            parse_error(parse, DIAG_E0029, key->index.range,
                        "the key `%s` takes no index", key->name.text);
        if (diag)
            diag_help(parse->ds, diag,
                      "it has one value: %s = ...; drawings have families",
                      key->name.text);
        key->kind = AST_KEY;
    }
}

void
build_block(struct parse *parse, struct ast_item *it, struct items block,
            imp_range range)
{
    assert(parse && it);
    /* an absent block has an empty range */
    it->has_block = range.hi > range.lo;
    if (!it->has_block)
        return;
    it->block_range = range;
    it->block = block.v;
    it->n_block = block.n;
    if (it->kind != AST_BLOCK || strcmp(it->name.text, "draw") != 0)
        no_families(parse, it);
}

struct ast_item *
build_over(struct parse *parse, imp_range word, imp_range at,
           struct ast_arg arg)
{
    struct argv v = {0};
    argv_push(parse, &v, arg);
    return build_over_all(parse, word, at, v);
}

struct ast_item *
build_over_all(struct parse *parse, imp_range word, imp_range at, struct argv v)
{
    assert(parse && v.n);
    struct ast_item *key =
        build_item(parse, AST_KEY, at, word, (struct ast_name){"over", word});
    key->value = build_args(parse, AST_OVER, at, NULL, v);
    return key;
}

void
build_param_range(struct parse *parse, struct ast_item *it, struct ast_expr *lo,
                  struct ast_expr *hi, struct ast_expr *unit)
{
    assert(it);
    it->lo = lo;
    it->hi = hi;
    if (!lo || !unit)
        return;
    /* [0, 90] [deg]: the unit belongs to both ends */
    it->lo = build_unary(parse, AST_PAREN, lo->range, lo);
    it->hi = build_unary(parse, AST_PAREN, hi->range, hi);
    it->lo->unit = it->hi->unit = unit;
}

void
build_family(struct parse *parse, struct ast_item *it, struct ast_name index,
             struct ast_expr *range)
{
    assert(it);
    it->index = index;
    if (range->kind == AST_RANGE) {
        it->lo = range->a;
        it->hi = range->b;
        return;
    }
    struct diag *diag = parse_error(parse, DIAG_E0023, range->range,
                                    "the index %s needs a range", index.text);
    if (diag)
        diag_help(parse->ds, diag,
                  "write [%s in 0 .. n-1]: first and last value", index.text);
    it->lo = it->hi = range;
}

struct ast_item *
build_contacts(struct parse *parse, imp_range range, imp_range word,
               struct exprs bodies, struct ast_name between)
{
    assert(parse && bodies.n > 0);
    struct ast_name name = {intern(parse->names, "contacts", 8), word};
    struct ast_item *it = build_item(parse, AST_BLOCK, range, word, name);
    it->args = bodies.v;
    it->n_args = bodies.n;
    it->name2 = between;
    return it;
}

struct ast_name
build_primed(struct parse *parse, struct ast_name name, size_t primes,
             imp_range range)
{
    if (primes == 0)
        return name;
    /* a coordinate has at most a second derivative that a model can give */
    if (primes > 9)
        primes = 9;
    char text[MAX_NAME * 2 + 16];
    size_t n = strlen(name.text);
    if (n > MAX_NAME * 2)
        n = MAX_NAME * 2;
    memcpy(text, name.text, n);
    memset(text + n, '\'', primes);
    name.text = intern(parse->names, text, n + primes);
    name.range.hi = range.hi;
    return name;
}

const char *
build_docs(struct parse *parse, const char *above, const char *below)
{
    assert(parse);
    return arena_printf(parse->arena, "%s\n%s", above, below);
}
