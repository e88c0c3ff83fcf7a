/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level sets of polytopes, found by exact rewriting. The pieces of s*e, s =
 * +-1, are linear functions whose maximum is s*e:
 *   a + b:     sums of a piece of a and a piece of b
 *   a - b:     the same of s a and -s b
 *   max(a, b): all pieces of both (s = 1; min: s = -1)
 *   |u|:       u and -u, where u is linear
 *   c a, a/c:  c times the pieces where c >= 0; |c| times those of -a where c
 * <= 0; if the sign of c depends on values, 0 <= c is noted as a condition.
 * Anything else that contains x, y or z is refused. */
#include "calculus/linear.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

#define LINEAR_DIM 3
#define LINEAR_DEEP 2000

struct piece {
    const expr *c[LINEAR_DIM + 1]; /* coefficients, constant */
};
/* expressions that must not be negative: e, and those of a and b */
struct signs {
    const expr *e;
    struct signs *a, *b;
    bool seen;
};
struct pieces {
    struct piece *p;
    size_t n; /* 0: the formula is not linear by pieces */
    struct signs *signs;
};
enum form { FORM_CONST, FORM_LINEAR, FORM_PIECES, FORM_OTHER, FORM_UNKNOWN };
struct linear {
    struct graph *g;
    uint32_t d;
    unsigned char *form; /* per node */
    struct pieces *memo; /* per node and sign */
    bool *known;
    int deep;
};

/* Which kind of formula this is. Makes no node. */
static int
form(struct linear *linear, const expr *node)
{
    if (linear->form[node->id] != FORM_UNKNOWN)
        return linear->form[node->id];
    int left =
        node->a && node->op != IMP_OP_ENV ? form(linear, node->a) : FORM_CONST;
    int right =
        node->b && node->op != IMP_OP_ENV ? form(linear, node->b) : FORM_CONST;
    int third =
        node->c && node->op != IMP_OP_ENV ? form(linear, node->c) : FORM_CONST;
    int most = left > right ? left : right, result;
    most = most > third ? most : third;
    switch (node->op) {
    case IMP_OP_ENV:
        result = node->sym != SYM_LOCAL ? FORM_CONST
                 : node->i < linear->d  ? FORM_LINEAR
                                        : FORM_OTHER;
        break;
    case IMP_OP_ADD:
    case IMP_OP_SUB:
    case IMP_OP_NEG:
        result = most;
        break;
    case IMP_OP_MUL:
        result = left == FORM_CONST || right == FORM_CONST ? most : FORM_OTHER;
        break;
    case IMP_OP_DIV:
        result = right == FORM_CONST ? left : FORM_OTHER;
        break;
    case IMP_OP_MAX:
    case IMP_OP_MIN:
        result = most == FORM_LINEAR ? FORM_PIECES : most;
        break;
    case IMP_OP_ABS:
    case IMP_OP_ABSPOW:
        result = left == FORM_LINEAR && right == FORM_CONST ? FORM_PIECES
                 : most == FORM_CONST                       ? FORM_CONST
                                                            : FORM_OTHER;
        break;
    default:
        result = most == FORM_CONST ? FORM_CONST : FORM_OTHER;
        break;
    }
    linear->form[node->id] = (unsigned char)result;
    return result;
}

static bool
has_local(struct linear *linear, const expr *node)
{
    return form(linear, node) != FORM_CONST;
}

static struct pieces
none(void)
{
    return (struct pieces){NULL, 0, NULL};
}

static struct pieces
some(struct linear *linear, size_t n)
{
    if (n > LINEAR_PIECES)
        return none();
    return (struct pieces){NEW_N(graph_arena(linear->g), struct piece, n), n,
                           NULL};
}

static struct signs *
join(struct linear *linear, const expr *node, struct signs *a, struct signs *b)
{
    if (!node && (!a || !b || a == b))
        return a ? a : b;
    struct signs *r = NEW(graph_arena(linear->g), struct signs);
    *r = (struct signs){node, a, b, false};
    return r;
}

static const expr *
signed_by(struct linear *linear, const expr *node, int s)
{
    return s < 0 ? ex_neg(linear->g, node) : node;
}

/* Drops pieces that appear twice. */
static struct pieces
unique(struct pieces pieces)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < pieces.n; i++) {
        size_t k = 0;
        while (k < n_kept &&
               memcmp(pieces.p + k, pieces.p + i, sizeof *pieces.p) != 0)
            k++;
        if (k == n_kept)
            pieces.p[n_kept++] = pieces.p[i];
    }
    pieces.n = n_kept;
    return pieces;
}

static struct pieces
all_sums(struct linear *linear, struct pieces a, struct pieces b)
{
    if (!a.n || !b.n || a.n > LINEAR_PIECES / b.n)
        return none();
    struct pieces result = some(linear, a.n * b.n);
    for (size_t i = 0; i < a.n; i++)
        for (size_t j = 0; j < b.n; j++)
            for (uint32_t k = 0; k <= linear->d; k++)
                result.p[i * b.n + j].c[k] =
                    ex_add(linear->g, a.p[i].c[k], b.p[j].c[k]);
    result.signs = join(linear, NULL, a.signs, b.signs);
    return unique(result);
}

static struct pieces
both(struct linear *linear, struct pieces a, struct pieces b)
{
    if (!a.n || !b.n)
        return none();
    struct pieces result = some(linear, a.n + b.n);
    if (!result.n)
        return result;
    memcpy(result.p, a.p, a.n * sizeof *a.p);
    memcpy(result.p + a.n, b.p, b.n * sizeof *b.p);
    result.signs = join(linear, NULL, a.signs, b.signs);
    return unique(result);
}

/* The sign of a formula without locals: +1 if it is never negative, -1 if it is
 * never positive, 0 if only values can tell. */
static int
sign_of(const expr *node)
{
    int left, right;
    switch (node->op) {
    case IMP_OP_CONST:
        return node->num >= 0 ? 1 : -1;
    case IMP_OP_ABS:
    case IMP_OP_SQRT:
    case IMP_OP_EXP:
    case IMP_OP_ABSPOW:
    case IMP_OP_HYPOT:
    case IMP_OP_COSH:
        return 1;
    case IMP_OP_NEG:
        return -sign_of(node->a);
    case IMP_OP_MUL:
    case IMP_OP_DIV:
        if (node->op == IMP_OP_MUL && node->a == node->b)
            return 1;
        left = sign_of(node->a);
        right = sign_of(node->b);
        return left * right;
    case IMP_OP_ADD:
        left = sign_of(node->a);
        return left == sign_of(node->b) ? left : 0;
    default:
        return 0;
    }
}

static struct pieces find(struct linear *linear, const expr *node, int sign);

static struct pieces
scaled(struct linear *linear, struct pieces a, const expr *c, bool divide)
{
    struct pieces result = some(linear, a.n);
    for (size_t i = 0; i < result.n; i++)
        for (uint32_t k = 0; k <= linear->d; k++)
            result.p[i].c[k] = divide ? ex_div(linear->g, a.p[i].c[k], c)
                                      : ex_mul(linear->g, c, a.p[i].c[k]);
    return result;
}

/* The pieces of s*c*a or s*a/c, where c has no locals. */
static struct pieces
product(struct linear *linear, const expr *factor, const expr *a, int s,
        bool divide)
{
    struct pieces result = find(linear, a, s);
    /* a single linear function takes a factor of any sign */
    if (result.n == 1)
        return scaled(linear, result, factor, divide);
    int sign = sign_of(factor);
    if (sign < 0 || (sign == 0 && !result.n)) {
        result = find(linear, a, -s);
        factor = ex_neg(linear->g, factor);
    }
    if (!result.n)
        return result;
    struct signs *also = result.signs;
    result = scaled(linear, result, factor, divide);
    result.signs = join(linear, sign == 0 ? factor : NULL, also, NULL);
    return result;
}

static struct pieces
one(struct linear *linear, const expr *node, int sign)
{
    struct pieces result = some(linear, 1);
    for (uint32_t k = 0; k < linear->d; k++)
        result.p->c[k] =
            ex_num(linear->g, node->sym == SYM_LOCAL &&
                                      node->op == IMP_OP_ENV && node->i == k
                                  ? sign
                                  : 0);
    result.p->c[linear->d] = has_local(linear, node)
                                 ? ex_num(linear->g, 0)
                                 : signed_by(linear, node, sign);
    return result;
}

/* |u|, u linear */
static struct pieces
absolute(struct linear *linear, const expr *u, int s)
{
    struct pieces a = find(linear, u, 1);
    if (a.n != 1 || s < 0)
        return none();
    return both(linear, a, scaled(linear, a, ex_num(linear->g, -1), false));
}

static struct pieces
find(struct linear *linear, const expr *node, int sign)
{
    size_t slot = 2 * (size_t)node->id + (sign > 0);
    if (!has_local(linear, node))
        return one(linear, node, sign);
    if (linear->known[slot] || linear->deep > LINEAR_DEEP)
        return linear->memo[slot];
    linear->deep++;
    struct pieces result = none();
    switch (node->op) {
    case IMP_OP_ENV:
        result = node->i < linear->d ? one(linear, node, sign) : none();
        break;
    case IMP_OP_ADD:
        result = all_sums(linear, find(linear, node->a, sign),
                          find(linear, node->b, sign));
        break;
    case IMP_OP_SUB:
        result = all_sums(linear, find(linear, node->a, sign),
                          find(linear, node->b, -sign));
        break;
    case IMP_OP_NEG:
        result = find(linear, node->a, -sign);
        break;
    case IMP_OP_MAX:
    case IMP_OP_MIN:
        if ((node->op == IMP_OP_MAX) == (sign > 0))
            result = both(linear, find(linear, node->a, sign),
                          find(linear, node->b, sign));
        break;
    case IMP_OP_ABS:
        result = absolute(linear, node->a, sign);
        break;
    case IMP_OP_ABSPOW:
        if (ex_is_num(node->b, 1))
            result = absolute(linear, node->a, sign);
        break;
    case IMP_OP_MUL:
        if (!has_local(linear, node->a))
            result = product(linear, node->a, node->b, sign, false);
        else if (!has_local(linear, node->b))
            result = product(linear, node->b, node->a, sign, false);
        break;
    case IMP_OP_DIV:
        if (!has_local(linear, node->b))
            result = product(linear, node->b, node->a, sign, true);
        break;
    default:
        break;
    }
    linear->deep--;
    linear->known[slot] = true;
    return linear->memo[slot] = result;
}

/* Collects each sign condition once. */
static size_t
collect(struct signs *signs, const expr **out, size_t n_out)
{
    for (; signs && !signs->seen; signs = signs->b) {
        size_t k = 0;
        signs->seen = true;
        while (signs->e && k < n_out && out[k] != signs->e)
            k++;
        if (signs->e && k == n_out && n_out < LINEAR_PIECES)
            out[n_out++] = signs->e;
        n_out = collect(signs->a, out, n_out);
    }
    return n_out;
}

size_t
ex_half_spaces(struct graph *graph, const expr *node, uint32_t dim,
               const expr ***rows)
{
    assert(graph && node && rows && (dim == 2 || dim == 3));
    struct linear linear = {.g = graph, .d = dim};
    if (ex_depends(graph, node, SYM_TIME, UINT32_MAX, UINT32_MAX))
        return 0;
    struct arena *arena = graph_arena(graph);
    linear.form = arena_alloc(arena, (size_t)node->id + 1);
    memset(linear.form, FORM_UNKNOWN, (size_t)node->id + 1);
    if (form(&linear, node) == FORM_CONST || form(&linear, node) == FORM_OTHER)
        return 0;
    linear.memo = NEW_N(arena, struct pieces, 2 * ((size_t)node->id + 1));
    linear.known = NEW_N(arena, bool, 2 * ((size_t)node->id + 1));
    struct pieces pieces = find(&linear, node, 1);
    if (!pieces.n)
        return 0;
    const expr **sign = NEW_N(arena, const expr *, LINEAR_PIECES);
    size_t at = 0, n_sign = collect(pieces.signs, sign, 0);
    const expr **row =
        NEW_N(arena, const expr *, (pieces.n + n_sign) * ((size_t)dim + 1));
    for (size_t i = 0; i < pieces.n; i++) {
        for (uint32_t k = 0; k < dim; k++)
            row[at++] = pieces.p[i].c[k];
        row[at++] = ex_neg(graph, pieces.p[i].c[dim]);
    }
    for (size_t i = 0; i < n_sign; i++) {
        for (uint32_t k = 0; k < dim; k++)
            row[at++] = ex_num(graph, 0);
        row[at++] = sign[i];
    }
    *rows = row;
    return pieces.n + n_sign;
}
