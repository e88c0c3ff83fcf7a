/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level sets of polytopes, found by exact rewriting: the pieces of s*e, s =
 * +-1, are linear functions whose maximum it is. a + b:    sums of a piece of a
 * and a piece of b a - b:    of s a and -s b max(a, b): all pieces of both (s =
 * 1; min: s = -1) |u|:      u and -u, u linear c a, a/c: c times the pieces
 * where c >= 0; |c| times those of -a where c <= 0; if only values can tell, 0
 * <= c is noted as a condition Anything else that holds x, y or z is refused.
 */
#include "calculus/linear.h"

#include <string.h>

#include "base/arena.h"

#define LINEAR_DIM 3
#define LINEAR_DEEP 2000

struct piece {
    const expr *c[LINEAR_DIM + 1]; /* coefficients, constant */
};
/* what must not be negative: e, and what a and b say */
struct signs {
    const expr *e;
    struct signs *a, *b;
    bool seen;
};
struct pieces {
    struct piece *p;
    size_t n; /* 0: not of this kind */
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

/* what e is made of, without making a node */
static int
form(struct linear *linear, const expr *e)
{
    if (linear->form[e->id] != FORM_UNKNOWN)
        return linear->form[e->id];
    int a = e->a && e->op != IMP_OP_ENV ? form(linear, e->a) : FORM_CONST;
    int b = e->b && e->op != IMP_OP_ENV ? form(linear, e->b) : FORM_CONST;
    int c = e->c && e->op != IMP_OP_ENV ? form(linear, e->c) : FORM_CONST;
    int most = a > b ? a : b, r;
    most = most > c ? most : c;
    switch (e->op) {
    case IMP_OP_ENV:
        r = e->sym != SYM_LOCAL ? FORM_CONST
            : e->i < linear->d  ? FORM_LINEAR
                                : FORM_OTHER;
        break;
    case IMP_OP_ADD:
    case IMP_OP_SUB:
    case IMP_OP_NEG:
        r = most;
        break;
    case IMP_OP_MUL:
        r = a == FORM_CONST || b == FORM_CONST ? most : FORM_OTHER;
        break;
    case IMP_OP_DIV:
        r = b == FORM_CONST ? a : FORM_OTHER;
        break;
    case IMP_OP_MAX:
    case IMP_OP_MIN:
        r = most == FORM_LINEAR ? FORM_PIECES : most;
        break;
    case IMP_OP_ABS:
    case IMP_OP_ABSPOW:
        r = a == FORM_LINEAR && b == FORM_CONST ? FORM_PIECES
            : most == FORM_CONST                ? FORM_CONST
                                                : FORM_OTHER;
        break;
    default:
        r = most == FORM_CONST ? FORM_CONST : FORM_OTHER;
        break;
    }
    linear->form[e->id] = (unsigned char)r;
    return r;
}

static bool
has_local(struct linear *linear, const expr *e)
{
    return form(linear, e) != FORM_CONST;
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
join(struct linear *linear, const expr *e, struct signs *a, struct signs *b)
{
    if (!e && (!a || !b || a == b))
        return a ? a : b;
    struct signs *r = NEW(graph_arena(linear->g), struct signs);
    *r = (struct signs){e, a, b, false};
    return r;
}

static const expr *
signed_by(struct linear *linear, const expr *e, int s)
{
    return s < 0 ? ex_neg(linear->g, e) : e;
}

/* without repetitions */
static struct pieces
unique(struct pieces a)
{
    size_t n = 0;
    for (size_t i = 0; i < a.n; i++) {
        size_t k = 0;
        while (k < n && memcmp(a.p + k, a.p + i, sizeof *a.p) != 0)
            k++;
        if (k == n)
            a.p[n++] = a.p[i];
    }
    a.n = n;
    return a;
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

/* e without locals: +1 certainly not negative, -1 certainly not positive, 0
 * only values can tell */
static int
sign_of(const expr *e)
{
    int a, b;
    switch (e->op) {
    case IMP_OP_CONST:
        return e->num >= 0 ? 1 : -1;
    case IMP_OP_ABS:
    case IMP_OP_SQRT:
    case IMP_OP_EXP:
    case IMP_OP_ABSPOW:
    case IMP_OP_HYPOT:
    case IMP_OP_COSH:
        return 1;
    case IMP_OP_NEG:
        return -sign_of(e->a);
    case IMP_OP_MUL:
    case IMP_OP_DIV:
        if (e->op == IMP_OP_MUL && e->a == e->b)
            return 1;
        a = sign_of(e->a);
        b = sign_of(e->b);
        return a * b;
    case IMP_OP_ADD:
        a = sign_of(e->a);
        return a == sign_of(e->b) ? a : 0;
    default:
        return 0;
    }
}

static struct pieces find(struct linear *linear, const expr *e, int s);

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

/* s*c*a, or s*a/c; c without locals */
static struct pieces
product(struct linear *linear, const expr *c, const expr *a, int s, bool divide)
{
    struct pieces result = find(linear, a, s);
    /* a linear function takes a factor of any sign */
    if (result.n == 1)
        return scaled(linear, result, c, divide);
    int sign = sign_of(c);
    if (sign < 0 || (sign == 0 && !result.n)) {
        result = find(linear, a, -s);
        c = ex_neg(linear->g, c);
    }
    if (!result.n)
        return result;
    struct signs *also = result.signs;
    result = scaled(linear, result, c, divide);
    result.signs = join(linear, sign == 0 ? c : NULL, also, NULL);
    return result;
}

static struct pieces
one(struct linear *linear, const expr *e, int s)
{
    struct pieces result = some(linear, 1);
    for (uint32_t k = 0; k < linear->d; k++)
        result.p->c[k] = ex_num(
            linear->g,
            e->sym == SYM_LOCAL && e->op == IMP_OP_ENV && e->i == k ? s : 0);
    result.p->c[linear->d] =
        has_local(linear, e) ? ex_num(linear->g, 0) : signed_by(linear, e, s);
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
find(struct linear *linear, const expr *e, int s)
{
    size_t slot = 2 * (size_t)e->id + (s > 0);
    if (!has_local(linear, e))
        return one(linear, e, s);
    if (linear->known[slot] || linear->deep > LINEAR_DEEP)
        return linear->memo[slot];
    linear->deep++;
    struct pieces result = none();
    switch (e->op) {
    case IMP_OP_ENV:
        result = e->i < linear->d ? one(linear, e, s) : none();
        break;
    case IMP_OP_ADD:
        result = all_sums(linear, find(linear, e->a, s), find(linear, e->b, s));
        break;
    case IMP_OP_SUB:
        result =
            all_sums(linear, find(linear, e->a, s), find(linear, e->b, -s));
        break;
    case IMP_OP_NEG:
        result = find(linear, e->a, -s);
        break;
    case IMP_OP_MAX:
    case IMP_OP_MIN:
        if ((e->op == IMP_OP_MAX) == (s > 0))
            result = both(linear, find(linear, e->a, s), find(linear, e->b, s));
        break;
    case IMP_OP_ABS:
        result = absolute(linear, e->a, s);
        break;
    case IMP_OP_ABSPOW:
        if (ex_is_num(e->b, 1))
            result = absolute(linear, e->a, s);
        break;
    case IMP_OP_MUL:
        if (!has_local(linear, e->a))
            result = product(linear, e->a, e->b, s, false);
        else if (!has_local(linear, e->b))
            result = product(linear, e->b, e->a, s, false);
        break;
    case IMP_OP_DIV:
        if (!has_local(linear, e->b))
            result = product(linear, e->b, e->a, s, true);
        break;
    default:
        break;
    }
    linear->deep--;
    linear->known[slot] = true;
    return linear->memo[slot] = result;
}

/* every sign once */
static size_t
collect(struct signs *t, const expr **out, size_t n)
{
    for (; t && !t->seen; t = t->b) {
        size_t k = 0;
        t->seen = true;
        while (t->e && k < n && out[k] != t->e)
            k++;
        if (t->e && k == n && n < LINEAR_PIECES)
            out[n++] = t->e;
        n = collect(t->a, out, n);
    }
    return n;
}

size_t
ex_half_spaces(struct graph *graph, const expr *e, uint32_t d,
               const expr ***rows)
{
    struct linear l = {.g = graph, .d = d};
    if (ex_depends(graph, e, SYM_TIME, UINT32_MAX, UINT32_MAX))
        return 0;
    struct arena *arena = graph_arena(graph);
    l.form = arena_alloc(arena, (size_t)e->id + 1);
    memset(l.form, FORM_UNKNOWN, (size_t)e->id + 1);
    if (form(&l, e) == FORM_CONST || form(&l, e) == FORM_OTHER)
        return 0;
    l.memo = NEW_N(arena, struct pieces, 2 * ((size_t)e->id + 1));
    l.known = NEW_N(arena, bool, 2 * ((size_t)e->id + 1));
    struct pieces p = find(&l, e, 1);
    if (!p.n)
        return 0;
    const expr **sign = NEW_N(arena, const expr *, LINEAR_PIECES);
    size_t at = 0, n = collect(p.signs, sign, 0);
    const expr **v = NEW_N(arena, const expr *, (p.n + n) * ((size_t)d + 1));
    for (size_t i = 0; i < p.n; i++) {
        for (uint32_t k = 0; k < d; k++)
            v[at++] = p.p[i].c[k];
        v[at++] = ex_neg(graph, p.p[i].c[d]);
    }
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < d; k++)
            v[at++] = ex_num(graph, 0);
        v[at++] = sign[i];
    }
    *rows = v;
    return p.n + n;
}
