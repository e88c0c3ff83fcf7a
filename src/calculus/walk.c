/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an expression depends on, the expression with symbols replaced, its
 * value, its text. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "calculus/graph_priv.h"
#include "runtime/tape/eval.h"

bool
ex_depends(struct graph *graph, const expr *node, enum expr_sym s, uint32_t i,
           uint32_t j)
{
    bool found = false;
    struct walk *walk = walk_begin(graph);
    walk_collect(graph, walk, &node, 1, NULL, NULL);
    for (uint32_t k = 0; k < walk->n && !found; k++) {
        const expr *x = walk->order[k];
        found = ex_is_sym(x) && x->sym == (uint16_t)s &&
                (i == UINT32_MAX || x->i == i) &&
                (j == UINT32_MAX || x->j == j);
    }
    walk_end(graph, walk);
    return found;
}

void
ex_nodes(struct graph *graph, const expr *node,
         void (*each)(void *ctx, const expr *node), void *ctx)
{
    assert(graph && node && each);
    struct walk *walk = walk_begin(graph);
    walk_collect(graph, walk, &node, 1, NULL, NULL);
    uint32_t n = walk->n;
    const expr **order = NEW_N(graph_arena(graph), const expr *, n + 1);
    for (uint32_t k = 0; k < n; k++)
        order[k] = walk->order[k];
    walk_end(graph, walk);
    for (uint32_t k = 0; k < n; k++) /* `each` may make nodes */
        each(ctx, order[k]);
}

void
ex_leaves(struct graph *graph, const expr *const *es, size_t n,
          void (*each)(void *ctx, const expr *leaf), void *ctx)
{
    assert(graph && each && (es || n == 0));
    struct walk *walk = walk_begin(graph);
    walk_collect(graph, walk, es, n, NULL, NULL);
    for (uint32_t k = 0; k < walk->n; k++)
        if (ex_is_sym(walk->order[k]))
            each(ctx, walk->order[k]);
    walk_end(graph, walk);
}

const expr *
ex_subst(struct graph *graph, const expr *node,
         const expr *(*map)(void *ctx, const expr *leaf), void *ctx)
{
    assert(graph && node && map);
    struct walk *walk = walk_begin(graph);
    imp_range keep = graph->origin;
    walk_collect(graph, walk, &node, 1, NULL, NULL);
    for (uint32_t k = 0; k < walk->n; k++) {
        const expr *old = walk->order[k], *new = old;
        if (ex_is_sym(old)) {
            const expr *to = map(ctx, old);
            new = to ? to : old;
        } else if (old->a) {
            const expr *a = walk->val[old->a->id];
            const expr *b = old->b ? walk->val[old->b->id] : NULL;
            const expr *c = old->c ? walk->val[old->c->id] : NULL;
            if (a != old->a || b != old->b || c != old->c) {
                graph->origin = old->origin;
                new = ex_op(graph, (enum imp_op)old->op, a, b, c);
                graph->origin = keep;
            }
        }
        walk->val[old->id] = new;
    }
    const expr *new = walk->val[node->id];
    walk_end(graph, walk);
    return new;
}

double
ex_value(struct graph *graph, const expr *node,
         double (*leaf)(void *ctx, const expr *leaf), void *ctx)
{
    assert(node != NULL);
    struct walk *walk = walk_begin(graph);
    walk_collect(graph, walk, &node, 1, NULL, NULL);
    double *value = walk_numbers(graph, walk);
    for (uint32_t k = 0; k < walk->n; k++) {
        const expr *x = walk->order[k];
        double y;
        if (x->op == IMP_OP_CONST)
            y = x->num;
        else if (ex_is_sym(x))
            y = leaf ? leaf(ctx, x) : (double)NAN;
        else
            y = eval_op((enum imp_op)x->op, value[x->a->id],
                        x->b ? value[x->b->id] : 0, x->c ? value[x->c->id] : 0);
        value[x->id] = y;
    }
    double y = value[node->id];
    walk_end(graph, walk);
    return y;
}

/* -- text ------------------------------------------------------------------ */

/* Text is for people and tests: what is too deep or too long is cut with "...".
 */
#define PRINT_DEPTH 200
#define PRINT_LENGTH 100000

static const char *
op_word(uint32_t op)
{
    static const char *const word[] = {
#define OP(name, w, n, dim, series, guard, eval, deriv) (w)[0] ? (w) : #name,
#include "abi/ops.def"
    };
    return word[op];
}

static const char *
infix(uint32_t op)
{
    switch (op) {
    case IMP_OP_ADD:
        return " + ";
    case IMP_OP_SUB:
        return " - ";
    case IMP_OP_MUL:
        return "*";
    case IMP_OP_DIV:
        return "/";
    case IMP_OP_LT:
        return " < ";
    case IMP_OP_LE:
        return " <= ";
    case IMP_OP_EQ:
        return " == ";
    case IMP_OP_NE:
        return " != ";
    case IMP_OP_AND:
        return " and ";
    case IMP_OP_OR:
        return " or ";
    default:
        return NULL;
    }
}

static void
print_symbol(struct buf *buf, const expr *node)
{
    static const char *const name[] = {"param", "t",       "local", "env",
                                       "body",  "contact", "slot",  "state",
                                       "row",   "u",       "total", "series"};
    if (node->sym == SYM_TIME) {
        buf_puts(buf, "t");
    } else if (node->sym == SYM_LOCAL && node->i < 3) {
        buf_putc(buf, "xyz"[node->i]);
    } else if (node->sym == SYM_BODY || node->sym == SYM_CONTACT ||
               node->sym == SYM_ROW || node->sym == SYM_SERIES) {
        buf_printf(buf, "%s%u_%u", name[node->sym], node->i, node->j);
    } else {
        buf_printf(buf, "%s%u", name[node->sym], node->i);
    }
}

static void
print(struct buf *buf, const expr *node, int depth)
{
    if (depth > PRINT_DEPTH || buf->n > PRINT_LENGTH) {
        buf_puts(buf, "...");
        return;
    }
    if (node->op == IMP_OP_CONST) {
        char s[NUM_TEXT];
        buf_puts(buf, num_shortest(s, node->num));
    } else if (ex_is_sym(node)) {
        print_symbol(buf, node);
    } else if (infix(node->op)) {
        buf_putc(buf, '(');
        print(buf, node->a, depth + 1);
        buf_puts(buf, infix(node->op));
        print(buf, node->b, depth + 1);
        buf_putc(buf, ')');
    } else if (node->op == IMP_OP_NEG) {
        buf_puts(buf, "(-");
        print(buf, node->a, depth + 1);
        buf_putc(buf, ')');
    } else {
        buf_puts(buf, op_word(node->op));
        buf_putc(buf, '(');
        print(buf, node->a, depth + 1);
        if (node->b) {
            buf_puts(buf, ", ");
            print(buf, node->b, depth + 1);
        }
        if (node->c) {
            buf_puts(buf, ", ");
            print(buf, node->c, depth + 1);
        }
        buf_putc(buf, ')');
    }
}

void
ex_print(struct buf *buf, const expr *node)
{
    assert(buf != NULL && node != NULL);
    print(buf, node, 0);
}
