/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store of the expression graph: hash-consing, and passes without
 * recursion. Invariants: equal (op, symbol, literal bits, operands) are one
 * node; operands have lower ids than their users; ids depend only on the order
 * of calls, never on addresses, so every later order is reproducible (I7). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "calculus/graph_priv.h"

struct graph *
graph_new(struct arena *a)
{
    struct graph *g = NEW(a, struct graph);
    g->arena = a;
    g->cap = 256;
    g->node = NEW_N(a, const expr *, g->cap);
    g->table_cap = 1024;
    g->table = NEW_N(a, const expr *, g->table_cap);
    g->memo_cap = 1024;
    g->memo = NEW_N(a, struct memo, g->memo_cap);
    g->origin = IMP_NOWHERE;
    return g;
}

void
graph_origin(struct graph *g, imp_range r)
{
    g->origin = r;
}

imp_range
graph_origin_get(const struct graph *g)
{
    return g->origin;
}

uint32_t
graph_size(const struct graph *g)
{
    return g->n;
}

struct arena *
graph_arena(struct graph *g)
{
    return g->arena;
}

unsigned
ex_arity(uint32_t op)
{
    static const unsigned char arity[] = {
#define OP(name, word, n, dim, series, guard, eval, deriv) n,
#include "abi/ops.def"
    };
    assert(op < IMP_OP_COUNT);
    return arity[op];
}

static uint64_t
mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

static uint64_t
hash_of(const expr *e)
{
    uint64_t bits;
    memcpy(&bits, &e->num, sizeof bits);
    uint64_t h = mix(0x1234567, ((uint64_t)e->op << 16) | e->sym);
    h = mix(h, ((uint64_t)e->i << 32) | e->j);
    h = mix(h, bits);
    h = mix(h, ((uint64_t)(e->a ? e->a->id + 1 : 0) << 32) |
                   (e->b ? e->b->id + 1 : 0));
    h = mix(h, e->c ? e->c->id + 1 : 0);
    return h ^ (h >> 32);
}

static bool
same(const expr *x, const expr *y)
{
    return x->op == y->op && x->sym == y->sym && x->i == y->i && x->j == y->j &&
           x->a == y->a && x->b == y->b && x->c == y->c &&
           memcmp(&x->num, &y->num, sizeof x->num) == 0;
}

static void
table_grow(struct graph *g)
{
    uint32_t cap = g->table_cap * 2;
    const expr **t = NEW_N(g->arena, const expr *, cap);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t at = (uint32_t)hash_of(g->node[i]) & (cap - 1);
        while (t[at])
            at = (at + 1) & (cap - 1);
        t[at] = g->node[i];
    }
    g->table = t;
    g->table_cap = cap;
}

const expr *
graph_cons(struct graph *g, uint16_t op, uint16_t sym, uint32_t i, uint32_t j,
           double num, const expr *a, const expr *b, const expr *c)
{
    expr key = {.op = op,
                .sym = sym,
                .i = i,
                .j = j,
                .num = num,
                .a = a,
                .b = b,
                .c = c};
    uint32_t at = (uint32_t)hash_of(&key) & (g->table_cap - 1);
    while (g->table[at]) {
        if (same(g->table[at], &key))
            return g->table[at];
        at = (at + 1) & (g->table_cap - 1);
    }
    if (g->n == g->cap) {
        const expr **v = NEW_N(g->arena, const expr *, (size_t)g->cap * 2);
        memcpy(v, g->node, g->n * sizeof *v);
        g->node = v;
        g->cap *= 2;
    }
    expr *e = NEW(g->arena, expr);
    *e = key;
    e->id = g->n;
    e->origin = g->origin;
    g->node[g->n++] = e;
    g->table[at] = e;
    if (g->n > g->table_cap / 2)
        table_grow(g);
    return e;
}

const expr *
ex_num(struct graph *g, double x)
{
    if (x != x)
        x = (double)NAN;
    return graph_cons(g, IMP_OP_CONST, 0, 0, 0, x, NULL, NULL, NULL);
}

const expr *
ex_sym(struct graph *g, enum expr_sym s, uint32_t i, uint32_t j)
{
    return graph_cons(g, IMP_OP_ENV, (uint16_t)s, i, j, 0, NULL, NULL, NULL);
}

bool
ex_is_num(const expr *e, double x)
{
    return e->op == IMP_OP_CONST && e->num == x;
}

bool
ex_is_const(const expr *e)
{
    return e->op == IMP_OP_CONST;
}

/* ---- passes -------------------------------------------------------------- */

struct walk *
walk_begin(struct graph *g)
{
    assert(g->depth < WALK_MAX);
    if (!g->walks[g->depth])
        g->walks[g->depth] = NEW(g->arena, struct walk);
    return g->walks[g->depth++];
}

void
walk_end(struct graph *g, struct walk *w)
{
    assert(g->depth && g->walks[g->depth - 1] == w);
    (void)w;
    g->depth--;
}

/* room for ids below n; what lay there is forgotten (a new epoch follows) */
static void
walk_room(struct graph *g, struct walk *w, uint32_t n)
{
    if (n <= w->cap)
        return;
    uint32_t cap = w->cap ? w->cap : 256;
    while (cap < n)
        cap *= 2;
    w->mark = NEW_N(g->arena, uint32_t, cap);
    w->val = NEW_N(g->arena, const expr *, cap);
    w->num = NULL;
    w->cap = cap;
    w->epoch = 0;
}

double *
walk_numbers(struct graph *g, struct walk *w)
{
    if (!w->num)
        w->num = NEW_N(g->arena, double, w->cap);
    return w->num;
}

static void
walk_push(struct graph *g, struct walk *w, uint32_t *depth, const expr *e)
{
    if (*depth == w->stack_cap) {
        uint32_t cap = w->stack_cap ? w->stack_cap * 2 : 64;
        struct walk_frame *s = NEW_N(g->arena, struct walk_frame, cap);
        if (*depth)
            memcpy(s, w->stack, *depth * sizeof *s);
        w->stack = s;
        w->stack_cap = cap;
    }
    w->mark[e->id] = w->epoch;
    w->stack[(*depth)++] = (struct walk_frame){e, 0};
}

void
walk_collect(struct graph *g, struct walk *w, const expr *const *roots,
             size_t n, bool (*stop)(void *ctx, const expr *e), void *ctx)
{
    walk_room(g, w, g->n);
    w->epoch++;
    w->n = 0;
    for (size_t r = 0; r < n; r++) {
        uint32_t depth = 0;
        if (w->mark[roots[r]->id] == w->epoch || (stop && stop(ctx, roots[r])))
            continue;
        walk_push(g, w, &depth, roots[r]);
        while (depth) {
            struct walk_frame *f = &w->stack[depth - 1];
            const expr *k = f->next == 0   ? f->e->a
                            : f->next == 1 ? f->e->b
                            : f->next == 2 ? f->e->c
                                           : NULL;
            if (f->next++ < 3) {
                if (k && w->mark[k->id] != w->epoch && !(stop && stop(ctx, k)))
                    walk_push(g, w, &depth, k);
                continue;
            }
            if (w->n == w->order_cap) {
                uint32_t cap = w->order_cap ? w->order_cap * 2 : 256;
                const expr **o = NEW_N(g->arena, const expr *, cap);
                if (w->n)
                    memcpy(o, w->order, w->n * sizeof *o);
                w->order = o;
                w->order_cap = cap;
            }
            w->order[w->n++] = f->e;
            depth--;
        }
    }
}
