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
ex_depends(struct graph *g, const expr *e, enum expr_sym s, uint32_t i,
           uint32_t j)
{
    bool found = false;
    struct walk *w = walk_begin(g);
    walk_collect(g, w, &e, 1, NULL, NULL);
    for (uint32_t k = 0; k < w->n && !found; k++) {
        const expr *x = w->order[k];
        found = ex_is_sym(x) && x->sym == (uint16_t)s &&
                (i == UINT32_MAX || x->i == i) &&
                (j == UINT32_MAX || x->j == j);
    }
    walk_end(g, w);
    return found;
}

void
ex_leaves(struct graph *g, const expr *const *es, size_t n,
          void (*each)(void *ctx, const expr *leaf), void *ctx)
{
    struct walk *w = walk_begin(g);
    walk_collect(g, w, es, n, NULL, NULL);
    for (uint32_t k = 0; k < w->n; k++)
        if (ex_is_sym(w->order[k]))
            each(ctx, w->order[k]);
    walk_end(g, w);
}

const expr *
ex_subst(struct graph *g, const expr *e,
         const expr *(*map)(void *ctx, const expr *leaf), void *ctx)
{
    struct walk *w = walk_begin(g);
    imp_range keep = g->origin;
    walk_collect(g, w, &e, 1, NULL, NULL);
    for (uint32_t k = 0; k < w->n; k++) {
        const expr *x = w->order[k], *y = x;
        if (ex_is_sym(x)) {
            const expr *to = map(ctx, x);
            y = to ? to : x;
        } else if (x->a) {
            const expr *a = w->val[x->a->id];
            const expr *b = x->b ? w->val[x->b->id] : NULL;
            const expr *c = x->c ? w->val[x->c->id] : NULL;
            if (a != x->a || b != x->b || c != x->c) {
                g->origin = x->origin;
                y = ex_op(g, (enum imp_op)x->op, a, b, c);
                g->origin = keep;
            }
        }
        w->val[x->id] = y;
    }
    const expr *y = w->val[e->id];
    walk_end(g, w);
    return y;
}

double
ex_value(struct graph *g, const expr *e,
         double (*leaf)(void *ctx, const expr *leaf), void *ctx)
{
    struct walk *w = walk_begin(g);
    walk_collect(g, w, &e, 1, NULL, NULL);
    double *v = walk_numbers(g, w);
    for (uint32_t k = 0; k < w->n; k++) {
        const expr *x = w->order[k];
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
    walk_end(g, w);
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
print_symbol(struct buf *b, const expr *e)
{
    static const char *const name[] = {"param", "t",       "local", "env",
                                       "body",  "contact", "slot",  "state",
                                       "row",   "u",       "total", "series"};
    if (e->sym == SYM_TIME) {
        buf_puts(b, "t");
    } else if (e->sym == SYM_LOCAL && e->i < 3) {
        buf_putc(b, "xyz"[e->i]);
    } else if (e->sym == SYM_BODY || e->sym == SYM_CONTACT ||
               e->sym == SYM_ROW || e->sym == SYM_SERIES) {
        buf_printf(b, "%s%u_%u", name[e->sym], e->i, e->j);
    } else {
        buf_printf(b, "%s%u", name[e->sym], e->i);
    }
}

static void
print(struct buf *b, const expr *e, int depth)
{
    if (depth > PRINT_DEPTH || b->n > PRINT_LENGTH) {
        buf_puts(b, "...");
        return;
    }
    if (e->op == IMP_OP_CONST) {
        char s[NUM_TEXT];
        buf_puts(b, num_shortest(s, e->num));
    } else if (ex_is_sym(e)) {
        print_symbol(b, e);
    } else if (infix(e->op)) {
        buf_putc(b, '(');
        print(b, e->a, depth + 1);
        buf_puts(b, infix(e->op));
        print(b, e->b, depth + 1);
        buf_putc(b, ')');
    } else if (e->op == IMP_OP_NEG) {
        buf_puts(b, "(-");
        print(b, e->a, depth + 1);
        buf_putc(b, ')');
    } else {
        buf_puts(b, op_word(e->op));
        buf_putc(b, '(');
        print(b, e->a, depth + 1);
        if (e->b) {
            buf_puts(b, ", ");
            print(b, e->b, depth + 1);
        }
        if (e->c) {
            buf_puts(b, ", ");
            print(b, e->c, depth + 1);
        }
        buf_putc(b, ')');
    }
}

void
ex_print(struct buf *b, const expr *e)
{
    print(b, e, 0);
}
