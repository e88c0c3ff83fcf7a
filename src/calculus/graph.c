/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store of the expression graph: hash-consing, and passes without
 * recursion. Invariants: equal (op, symbol, literal bits, operands) are one
 * node; operands have lower ids than their users; ids depend only on the order
 * of calls, never on addresses, so every later order is reproducible (I7). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "calculus/graph_priv.h"

struct graph *
graph_new(struct arena *arena)
{
    assert(arena);
    struct graph *g = NEW(arena, struct graph);
    g->arena = arena;
    g->cap = 256;
    g->node = NEW_N(arena, const expr *, g->cap);
    g->table_cap = 1024;
    g->table = NEW_N(arena, const expr *, g->table_cap);
    g->memo_cap = 1024;
    g->memo = NEW_N(arena, struct memo, g->memo_cap);
    g->origin = IMP_NOWHERE;
    return g;
}

void
graph_origin(struct graph *graph, imp_range r)
{
    assert(graph);
    graph->origin = r;
}

imp_range
graph_origin_get(const struct graph *graph)
{
    assert(graph);
    return graph->origin;
}

uint32_t
graph_size(const struct graph *graph)
{
    assert(graph);
    return graph->n;
}

struct arena *
graph_arena(struct graph *graph)
{
    assert(graph);
    return graph->arena;
}

unsigned
ex_arity(uint32_t op)
{
    assert(op < IMP_OP_COUNT);
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
hash_of(const expr *node)
{
    uint64_t bits;
    memcpy(&bits, &node->num, sizeof bits);
    uint64_t h = mix(0x1234567, ((uint64_t)node->op << 16) | node->sym);
    h = mix(h, ((uint64_t)node->i << 32) | node->j);
    h = mix(h, bits);
    h = mix(h, ((uint64_t)(node->a ? node->a->id + 1 : 0) << 32) |
                   (node->b ? node->b->id + 1 : 0));
    h = mix(h, node->c ? node->c->id + 1 : 0);
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
table_grow(struct graph *graph)
{
    uint32_t cap = graph->table_cap * 2;
    const expr **t = arena_enlarge(graph->arena, NULL, 0, cap * sizeof *t);
    for (uint32_t i = 0; i < graph->n; i++) {
        uint32_t at = (uint32_t)hash_of(graph->node[i]) & (cap - 1);
        while (t[at])
            at = (at + 1) & (cap - 1);
        t[at] = graph->node[i];
    }
    arena_drop(graph->arena, graph->table);
    graph->table = t;
    graph->table_cap = cap;
}

const expr *
graph_cons(struct graph *graph, uint16_t op, uint16_t sym, uint32_t i,
           uint32_t j, double num, const expr *a, const expr *b, const expr *c)
{
    assert(graph);
    oom_look();
    expr key = {.op = op,
                .sym = sym,
                .i = i,
                .j = j,
                .num = num,
                .a = a,
                .b = b,
                .c = c};
    uint32_t at = (uint32_t)hash_of(&key) & (graph->table_cap - 1);
    while (graph->table[at]) {
        if (same(graph->table[at], &key))
            return graph->table[at];
        at = (at + 1) & (graph->table_cap - 1);
    }
    if (graph->n == graph->cap) {
        graph->cap *= 2;
        graph->node = arena_enlarge(graph->arena, graph->node,
                                    graph->n * sizeof *graph->node,
                                    graph->cap * sizeof *graph->node);
    }
    expr *e = NEW(graph->arena, expr);
    *e = key;
    e->id = graph->n;
    e->origin = graph->origin;
    graph->node[graph->n++] = e;
    graph->table[at] = e;
    if (graph->n > graph->table_cap / 2)
        table_grow(graph);
    return e;
}

const expr *
ex_num(struct graph *graph, double x)
{
    if (x != x)
        x = (double)NAN;
    return graph_cons(graph, IMP_OP_CONST, 0, 0, 0, x, NULL, NULL, NULL);
}

const expr *
ex_sym(struct graph *graph, enum expr_sym s, uint32_t i, uint32_t j)
{
    assert(s <= SYM_CELL);
    return graph_cons(graph, IMP_OP_ENV, (uint16_t)s, i, j, 0, NULL, NULL,
                      NULL);
}

bool
ex_is_num(const expr *node, double x)
{
    assert(node);
    return node->op == IMP_OP_CONST && node->num == x;
}

bool
ex_is_const(const expr *node)
{
    assert(node);
    return node->op == IMP_OP_CONST;
}

/* -- passes ---------------------------------------------------------------- */

struct walk *
walk_begin(struct graph *graph)
{
    assert(graph->depth < WALK_MAX);
    if (!graph->walks[graph->depth])
        graph->walks[graph->depth] = NEW(graph->arena, struct walk);
    return graph->walks[graph->depth++];
}

void
walk_end(struct graph *graph, struct walk *walk)
{
    assert(graph->depth && graph->walks[graph->depth - 1] == walk);
    (void)walk;
    graph->depth--;
}

/* Makes room for ids below n. What was stored there is lost; the caller begins
 * a new epoch. */
static void
walk_room(struct graph *graph, struct walk *walk, uint32_t n)
{
    if (n <= walk->cap)
        return;
    uint32_t cap = walk->cap ? walk->cap : 256;
    while (cap < n)
        cap *= 2;
    arena_drop(graph->arena, walk->mark);
    arena_drop(graph->arena, walk->val);
    arena_drop(graph->arena, walk->num);
    walk->mark = NEW_N(graph->arena, uint32_t, cap);
    walk->val = NEW_N(graph->arena, const expr *, cap);
    walk->num = NULL;
    walk->cap = cap;
    walk->epoch = 0;
}

double *
walk_numbers(struct graph *graph, struct walk *walk)
{
    if (!walk->num)
        walk->num = NEW_N(graph->arena, double, walk->cap);
    return walk->num;
}

static void
walk_push(struct graph *graph, struct walk *walk, uint32_t *depth,
          const expr *node)
{
    if (*depth == walk->stack_cap) {
        uint32_t cap = walk->stack_cap ? walk->stack_cap * 2 : 64;
        struct walk_frame *s = NEW_N(graph->arena, struct walk_frame, cap);
        if (*depth)
            memcpy(s, walk->stack, *depth * sizeof *s);
        walk->stack = s;
        walk->stack_cap = cap;
    }
    walk->mark[node->id] = walk->epoch;
    walk->stack[(*depth)++] = (struct walk_frame){node, 0};
}

void
walk_collect(struct graph *graph, struct walk *walk, const expr *const *roots,
             size_t n, bool (*stop)(void *ctx, const expr *node), void *ctx)
{
    assert(graph && walk);
    walk_room(graph, walk, graph->n);
    walk->epoch++;
    walk->n = 0;
    for (size_t r = 0; r < n; r++) {
        uint32_t depth = 0;
        if (walk->mark[roots[r]->id] == walk->epoch ||
            (stop && stop(ctx, roots[r])))
            continue;
        walk_push(graph, walk, &depth, roots[r]);
        while (depth) {
            struct walk_frame *frame = &walk->stack[depth - 1];
            const expr *k = frame->next == 0   ? frame->e->a
                            : frame->next == 1 ? frame->e->b
                            : frame->next == 2 ? frame->e->c
                                               : NULL;
            if (frame->next++ < 3) {
                if (k && walk->mark[k->id] != walk->epoch &&
                    !(stop && stop(ctx, k)))
                    walk_push(graph, walk, &depth, k);
                continue;
            }
            if (walk->n == walk->order_cap) {
                uint32_t cap = walk->order_cap ? walk->order_cap * 2 : 256;
                const expr **o = NEW_N(graph->arena, const expr *, cap);
                if (walk->n)
                    memcpy(o, walk->order, walk->n * sizeof *o);
                arena_drop(graph->arena, walk->order);
                walk->order = o;
                walk->order_cap = cap;
            }
            walk->order[walk->n++] = frame->e;
            depth--;
        }
    }
}
