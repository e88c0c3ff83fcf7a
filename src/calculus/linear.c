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
form(struct linear *l, const expr *e)
{
    if (l->form[e->id] != FORM_UNKNOWN)
        return l->form[e->id];
    int a = e->a && e->op != IMP_OP_ENV ? form(l, e->a) : FORM_CONST;
    int b = e->b && e->op != IMP_OP_ENV ? form(l, e->b) : FORM_CONST;
    int c = e->c && e->op != IMP_OP_ENV ? form(l, e->c) : FORM_CONST;
    int most = a > b ? a : b, r;
    most = most > c ? most : c;
    switch (e->op) {
    case IMP_OP_ENV:
        r = e->sym != SYM_LOCAL ? FORM_CONST
            : e->i < l->d       ? FORM_LINEAR
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
    l->form[e->id] = (unsigned char)r;
    return r;
}

static bool
has_local(struct linear *l, const expr *e)
{
    return form(l, e) != FORM_CONST;
}

static struct pieces
none(void)
{
    return (struct pieces){NULL, 0, NULL};
}

static struct pieces
some(struct linear *l, size_t n)
{
    if (n > LINEAR_PIECES)
        return none();
    return (struct pieces){NEW_N(graph_arena(l->g), struct piece, n), n, NULL};
}

static struct signs *
join(struct linear *l, const expr *e, struct signs *a, struct signs *b)
{
    if (!e && (!a || !b || a == b))
        return a ? a : b;
    struct signs *r = NEW(graph_arena(l->g), struct signs);
    *r = (struct signs){e, a, b, false};
    return r;
}

static const expr *
signed_by(struct linear *l, const expr *e, int s)
{
    return s < 0 ? ex_neg(l->g, e) : e;
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
all_sums(struct linear *l, struct pieces a, struct pieces b)
{
    if (!a.n || !b.n || a.n > LINEAR_PIECES / b.n)
        return none();
    struct pieces r = some(l, a.n * b.n);
    for (size_t i = 0; i < a.n; i++)
        for (size_t j = 0; j < b.n; j++)
            for (uint32_t k = 0; k <= l->d; k++)
                r.p[i * b.n + j].c[k] = ex_add(l->g, a.p[i].c[k], b.p[j].c[k]);
    r.signs = join(l, NULL, a.signs, b.signs);
    return unique(r);
}

static struct pieces
both(struct linear *l, struct pieces a, struct pieces b)
{
    if (!a.n || !b.n)
        return none();
    struct pieces r = some(l, a.n + b.n);
    if (!r.n)
        return r;
    memcpy(r.p, a.p, a.n * sizeof *a.p);
    memcpy(r.p + a.n, b.p, b.n * sizeof *b.p);
    r.signs = join(l, NULL, a.signs, b.signs);
    return unique(r);
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

static struct pieces find(struct linear *l, const expr *e, int s);

static struct pieces
scaled(struct linear *l, struct pieces a, const expr *c, bool divide)
{
    struct pieces r = some(l, a.n);
    for (size_t i = 0; i < r.n; i++)
        for (uint32_t k = 0; k <= l->d; k++)
            r.p[i].c[k] = divide ? ex_div(l->g, a.p[i].c[k], c)
                                 : ex_mul(l->g, c, a.p[i].c[k]);
    return r;
}

/* s*c*a, or s*a/c; c without locals */
static struct pieces
product(struct linear *l, const expr *c, const expr *a, int s, bool divide)
{
    struct pieces r = find(l, a, s);
    /* a linear function takes a factor of any sign */
    if (r.n == 1)
        return scaled(l, r, c, divide);
    int sign = sign_of(c);
    if (sign < 0 || (sign == 0 && !r.n)) {
        r = find(l, a, -s);
        c = ex_neg(l->g, c);
    }
    if (!r.n)
        return r;
    struct signs *also = r.signs;
    r = scaled(l, r, c, divide);
    r.signs = join(l, sign == 0 ? c : NULL, also, NULL);
    return r;
}

static struct pieces
one(struct linear *l, const expr *e, int s)
{
    struct pieces r = some(l, 1);
    for (uint32_t k = 0; k < l->d; k++)
        r.p->c[k] = ex_num(
            l->g,
            e->sym == SYM_LOCAL && e->op == IMP_OP_ENV && e->i == k ? s : 0);
    r.p->c[l->d] = has_local(l, e) ? ex_num(l->g, 0) : signed_by(l, e, s);
    return r;
}

/* |u|, u linear */
static struct pieces
absolute(struct linear *l, const expr *u, int s)
{
    struct pieces a = find(l, u, 1);
    if (a.n != 1 || s < 0)
        return none();
    return both(l, a, scaled(l, a, ex_num(l->g, -1), false));
}

static struct pieces
find(struct linear *l, const expr *e, int s)
{
    size_t slot = 2 * (size_t)e->id + (s > 0);
    if (!has_local(l, e))
        return one(l, e, s);
    if (l->known[slot] || l->deep > LINEAR_DEEP)
        return l->memo[slot];
    l->deep++;
    struct pieces r = none();
    switch (e->op) {
    case IMP_OP_ENV:
        r = e->i < l->d ? one(l, e, s) : none();
        break;
    case IMP_OP_ADD:
        r = all_sums(l, find(l, e->a, s), find(l, e->b, s));
        break;
    case IMP_OP_SUB:
        r = all_sums(l, find(l, e->a, s), find(l, e->b, -s));
        break;
    case IMP_OP_NEG:
        r = find(l, e->a, -s);
        break;
    case IMP_OP_MAX:
    case IMP_OP_MIN:
        if ((e->op == IMP_OP_MAX) == (s > 0))
            r = both(l, find(l, e->a, s), find(l, e->b, s));
        break;
    case IMP_OP_ABS:
        r = absolute(l, e->a, s);
        break;
    case IMP_OP_ABSPOW:
        if (ex_is_num(e->b, 1))
            r = absolute(l, e->a, s);
        break;
    case IMP_OP_MUL:
        if (!has_local(l, e->a))
            r = product(l, e->a, e->b, s, false);
        else if (!has_local(l, e->b))
            r = product(l, e->b, e->a, s, false);
        break;
    case IMP_OP_DIV:
        if (!has_local(l, e->b))
            r = product(l, e->b, e->a, s, true);
        break;
    default:
        break;
    }
    l->deep--;
    l->known[slot] = true;
    return l->memo[slot] = r;
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
ex_half_spaces(struct graph *g, const expr *e, uint32_t d, const expr ***rows)
{
    struct linear l = {.g = g, .d = d};
    if (ex_depends(g, e, SYM_TIME, UINT32_MAX, UINT32_MAX))
        return 0;
    struct arena *a = graph_arena(g);
    l.form = arena_alloc(a, (size_t)e->id + 1);
    memset(l.form, FORM_UNKNOWN, (size_t)e->id + 1);
    if (form(&l, e) == FORM_CONST || form(&l, e) == FORM_OTHER)
        return 0;
    l.memo = NEW_N(a, struct pieces, 2 * ((size_t)e->id + 1));
    l.known = NEW_N(a, bool, 2 * ((size_t)e->id + 1));
    struct pieces p = find(&l, e, 1);
    if (!p.n)
        return 0;
    const expr **sign = NEW_N(a, const expr *, LINEAR_PIECES);
    size_t at = 0, n = collect(p.signs, sign, 0);
    const expr **v = NEW_N(a, const expr *, (p.n + n) * ((size_t)d + 1));
    for (size_t i = 0; i < p.n; i++) {
        for (uint32_t k = 0; k < d; k++)
            v[at++] = p.p[i].c[k];
        v[at++] = ex_neg(g, p.p[i].c[d]);
    }
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < d; k++)
            v[at++] = ex_num(g, 0);
        v[at++] = sign[i];
    }
    *rows = v;
    return p.n + n;
}
