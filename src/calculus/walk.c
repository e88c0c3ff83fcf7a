/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to an expression: what does it depend on, what becomes of it when
 * symbols are replaced, what is its value, how does it look. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "calculus/graph_priv.h"
#include "runtime/tape/eval.h"

bool
ex_depends(struct graph *graph, const expr *e, enum expr_sym s, uint32_t i,
           uint32_t j)
{
    bool found = false;
    struct walk *walk = walk_begin(graph);
    walk_collect(graph, walk, &e, 1, NULL, NULL);
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
ex_leaves(struct graph *graph, const expr *const *es, size_t n,
          void (*each)(void *ctx, const expr *leaf), void *ctx)
{
    struct walk *walk = walk_begin(graph);
    walk_collect(graph, walk, es, n, NULL, NULL);
    for (uint32_t k = 0; k < walk->n; k++)
        if (ex_is_sym(walk->order[k]))
            each(ctx, walk->order[k]);
    walk_end(graph, walk);
}

const expr *
ex_subst(struct graph *graph, const expr *e,
         const expr *(*map)(void *ctx, const expr *leaf), void *ctx)
{
    struct walk *walk = walk_begin(graph);
    imp_range keep = graph->origin;
    walk_collect(graph, walk, &e, 1, NULL, NULL);
    for (uint32_t k = 0; k < walk->n; k++) {
        const expr *x = walk->order[k], *y = x;
        if (ex_is_sym(x)) {
            const expr *to = map(ctx, x);
            y = to ? to : x;
        } else if (x->a) {
            const expr *a = walk->val[x->a->id];
            const expr *b = x->b ? walk->val[x->b->id] : NULL;
            const expr *c = x->c ? walk->val[x->c->id] : NULL;
            if (a != x->a || b != x->b || c != x->c) {
                graph->origin = x->origin;
                y = ex_op(graph, (enum imp_op)x->op, a, b, c);
                graph->origin = keep;
            }
        }
        walk->val[x->id] = y;
    }
    const expr *y = walk->val[e->id];
    walk_end(graph, walk);
    return y;
}

double
ex_value(struct graph *graph, const expr *e,
         double (*leaf)(void *ctx, const expr *leaf), void *ctx)
{
    struct walk *walk = walk_begin(graph);
    walk_collect(graph, walk, &e, 1, NULL, NULL);
    double *v = walk_numbers(graph, walk);
    for (uint32_t k = 0; k < walk->n; k++) {
        const expr *x = walk->order[k];
        double y;
        if (x->op == IMP_OP_CONST)
            y = x->num;
        else if (ex_is_sym(x))
            y = leaf ? leaf(ctx, x) : (double)NAN;
        else
            y = eval_op((enum imp_op)x->op, v[x->a->id], x->b ? v[x->b->id] : 0,
                        x->c ? v[x->c->id] : 0);
        v[x->id] = y;
    }
    double y = v[e->id];
    walk_end(graph, walk);
    return y;
}

/* ---- text ---------------------------------------------------------------- */

/* text is for people and tests: deeper or longer ones are cut with "..." */
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
print_symbol(struct buf *buf, const expr *e)
{
    static const char *const name[] = {"param", "t",       "local", "env",
                                       "body",  "contact", "slot",  "state",
                                       "row",   "u",       "total", "series"};
    if (e->sym == SYM_TIME) {
        buf_puts(buf, "t");
    } else if (e->sym == SYM_LOCAL && e->i < 3) {
        buf_putc(buf, "xyz"[e->i]);
    } else if (e->sym == SYM_BODY || e->sym == SYM_CONTACT ||
               e->sym == SYM_ROW || e->sym == SYM_SERIES) {
        buf_printf(buf, "%s%u_%u", name[e->sym], e->i, e->j);
    } else {
        buf_printf(buf, "%s%u", name[e->sym], e->i);
    }
}

static void
print(struct buf *buf, const expr *e, int depth)
{
    if (depth > PRINT_DEPTH || buf->n > PRINT_LENGTH) {
        buf_puts(buf, "...");
        return;
    }
    if (e->op == IMP_OP_CONST) {
        char s[NUM_TEXT];
        buf_puts(buf, num_shortest(s, e->num));
    } else if (ex_is_sym(e)) {
        print_symbol(buf, e);
    } else if (infix(e->op)) {
        buf_putc(buf, '(');
        print(buf, e->a, depth + 1);
        buf_puts(buf, infix(e->op));
        print(buf, e->b, depth + 1);
        buf_putc(buf, ')');
    } else if (e->op == IMP_OP_NEG) {
        buf_puts(buf, "(-");
        print(buf, e->a, depth + 1);
        buf_putc(buf, ')');
    } else {
        buf_puts(buf, op_word(e->op));
        buf_putc(buf, '(');
        print(buf, e->a, depth + 1);
        if (e->b) {
            buf_puts(buf, ", ");
            print(buf, e->b, depth + 1);
        }
        if (e->c) {
            buf_puts(buf, ", ");
            print(buf, e->c, depth + 1);
        }
        buf_putc(buf, ')');
    }
}

void
ex_print(struct buf *buf, const expr *e)
{
    print(buf, e, 0);
}
