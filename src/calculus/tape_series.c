/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a series tape needs beyond its values at order 0; see "Series of the
 * operators" in docs/tape.md. */
#include <assert.h>
#include <string.h>

#include "calculus/tape_priv.h"

enum series_rule {
    RULE_LEAF,
    RULE_LINEAR,
    RULE_CONV,
    RULE_DIV,
    RULE_CHAIN,
    RULE_HELPER,
    RULE_PICK,
    RULE_STEP
};

static enum series_rule
rule_of(uint32_t op)
{
    static const unsigned char rule[] = {
#define OP(name, word, n, dim, series, guard, eval, deriv) RULE_##series,
#include "abi/ops.def"
    };
    return (enum series_rule)rule[op];
}

/* -- who varies ------------------------------------------------------------ */

static bool
is_known(void *ctx, const expr *node)
{
    return tape_node(ctx, node)->marks & TM_KNOWN;
}

static uint32_t
leaf_marks(struct tape_make *make, const expr *node)
{
    if (node->op == IMP_OP_CONST)
        return 0;
    switch ((enum expr_sym)node->sym) {
    case SYM_TIME:
    case SYM_ROW:
        return TM_VARIES;
    case SYM_UNKNOWN:
        return TM_VARIES | TM_IMPLICIT;
    case SYM_STATE: {
        /* a variable whose rate is the literal 0 does not vary */
        uint32_t s = tape_node(make, node)->state;
        assert(s && "state variable without a rate in a series tape");
        return ex_is_num(make->spec->rates[s - 1], 0) ? 0 : TM_VARIES;
    }
    default:
        return 0;
    }
}

void
tape_classify(struct tape_make *make, const expr *const *e, size_t n)
{
    assert(make);
    struct walk *walk = walk_begin(make->g);
    walk_collect(make->g, walk, e, n, is_known, make);
    for (uint32_t i = 0; i < walk->n; i++) {
        const expr *node = walk->order[i];
        uint32_t marks = 0;
        if (!node->a) {
            marks = leaf_marks(make, node);
        } else {
            marks = tape_node(make, node->a)->marks;
            if (node->op == IMP_OP_SELECT)
                marks &= TM_IMPLICIT; /* the condition only chooses a branch */
            if (node->b)
                marks |= tape_node(make, node->b)->marks;
            if (node->c)
                marks |= tape_node(make, node->c)->marks;
            marks &= TM_VARIES | TM_IMPLICIT;
            if (rule_of(node->op) == RULE_STEP)
                marks &= ~(uint32_t)TM_VARIES;
        }
        tape_node(make, node)->marks |= marks | TM_KNOWN;
    }
    walk_end(make->g, walk);
}

/* -- what is needed -------------------------------------------------------- */

static void
need_w(struct tape_make *make, const expr *node)
{
    struct graph *graph = make->g;
    const expr *zero = ex_num(graph, 0);
    imp_range keep = graph->origin;
    graph->origin = node->origin;
    const expr *w = ex_rule(graph, node, ex_num(graph, 1), zero, zero);
    graph->origin = keep;
    tape_classify(make, &w, 1);
    tape_node(make, node)->w = w;
    tape_need(make, w, true);
    tape_node(make, w)->marks |= TM_ROOT | TM_ROW;
}

void
tape_need_series(struct tape_make *make, const expr *node)
{
    assert(node != NULL);
    if (!node->a) {
        uint32_t s = node->op == IMP_OP_ENV && node->sym == SYM_STATE
                         ? tape_node(make, node)->state
                         : 0;
        if (s) {
            const expr *rate = make->spec->rates[s - 1];
            tape_need(make, rate, true);
            tape_node(make, rate)->marks |= TM_ROOT | TM_ROW;
        }
        return;
    }
    if (node->op != IMP_OP_SELECT)
        tape_need(make, node->a, true);
    if (node->b)
        tape_need(make, node->b, true);
    if (node->c)
        tape_need(make, node->c, true);
    if (rule_of(node->op) == RULE_CHAIN)
        need_w(make, node);
}

/* -- rows ------------------------------------------------------------------ */

static bool
varies(struct tape_make *make, const expr *node)
{
    return tape_node(make, node)->marks & TM_VARIES;
}

/* what varies and is needed above order 0 gets its row when it is emitted */
void
tape_rows(struct tape_make *make)
{
    for (uint32_t i = 0; i < make->list->n; i++) {
        const expr *node = make->list->v[i];
        if (!(tape_node(make, node)->marks & TM_NEED1) ||
            rule_of(node->op) != RULE_HELPER)
            continue;
        tape_node(make, node->a)->marks |= TM_ROW;
        if (node->b)
            tape_node(make, node->b)->marks |= TM_ROW;
    }
}

/* -- sums of products ------------------------------------------------------ */

static bool
dissolves(struct tape_make *make, const expr *e)
{
    const struct tape_node *node = tape_node(make, e);
    return node->uses == 1 && (node->marks & TM_NEED1) &&
           !(node->marks & TM_ROOT);
}

static bool
is_sum(const expr *node)
{
    return node->op == IMP_OP_ADD || node->op == IMP_OP_SUB ||
           node->op == IMP_OP_NEG;
}

static bool
is_product(struct tape_make *make, const expr *node)
{
    return node->op == IMP_OP_MUL && varies(make, node->a) &&
           varies(make, node->b);
}

static void
term(struct tape_make *make, const expr *a, const expr *b, uint32_t minus)
{
    if (make->terms.n == make->terms.cap) {
        uint32_t cap = make->terms.cap ? make->terms.cap * 2 : 64;
        struct tape_term *v = NEW_N(make->g->arena, struct tape_term, cap);
        if (make->terms.n)
            memcpy(v, make->terms.v, make->terms.n * sizeof *v);
        make->terms.v = v;
        make->terms.cap = cap;
    }
    make->terms.v[make->terms.n++] = (struct tape_term){a, b, minus};
}

struct side {
    const expr *e;
    uint32_t minus;
};

/* Writes the terms of the sum `top` down, from left to right; returns how many
 * of them are products. The nodes inside the sum are not marked yet. */
static uint32_t
flatten(struct tape_make *make, const expr *top, struct side **stack,
        uint32_t *cap)
{
    uint32_t depth = 0, products = 0;
    (*stack)[depth++] = (struct side){top, 0};
    while (depth) {
        struct side part = (*stack)[--depth];
        const expr *node = part.e;
        if (depth + 2 > *cap) {
            struct side *v = NEW_N(make->g->arena, struct side, *cap * 2);
            memcpy(v, *stack, depth * sizeof *v);
            *stack = v;
            *cap *= 2;
        }
        if (is_sum(node) && varies(make, node) &&
            (node == top || dissolves(make, node))) {
            if (node->op == IMP_OP_NEG) {
                (*stack)[depth++] = (struct side){node->a, !part.minus};
                continue;
            }
            uint32_t right = node->op == IMP_OP_SUB ? !part.minus : part.minus;
            (*stack)[depth++] = (struct side){node->b, right};
            (*stack)[depth++] = (struct side){node->a, part.minus};
        } else if (is_product(make, node) && dissolves(make, node)) {
            term(make, node->a, node->b, part.minus);
            products++;
        } else {
            term(make, node, NULL, part.minus);
        }
    }
    term(make, NULL, NULL, 0);
    return products;
}

/* Marks the sums and products inside `top`: they are no instructions of their
 * own. */
static void
absorb(struct tape_make *make, const expr *top, struct side *stack)
{
    uint32_t depth = 0;
    stack[depth++] = (struct side){top, 0};
    while (depth) {
        const expr *node = stack[--depth].e;
        bool sum = is_sum(node) && varies(make, node) &&
                   (node == top || dissolves(make, node));
        bool product = is_product(make, node) && dissolves(make, node);
        if (node != top && (sum || product))
            tape_node(make, node)->marks |= TM_ABSORBED;
        if (!sum)
            continue;
        if (node->b)
            stack[depth++] = (struct side){node->b, 0};
        stack[depth++] = (struct side){node->a, 0};
    }
}

void
tape_gather(struct tape_make *make)
{
    assert(make);
    uint32_t cap = 64;
    struct side *stack = NEW_N(make->g->arena, struct side, cap);
    for (uint32_t i = make->list->n; i-- > 0;) {
        const expr *node = make->list->v[i];
        uint32_t marks = tape_node(make, node)->marks;
        if (!is_sum(node) || !(marks & TM_NEED1) || (marks & TM_ABSORBED))
            continue;
        uint32_t first = make->terms.n;
        if (flatten(make, node, &stack, &cap) < 2) {
            make->terms.n = first;
            continue;
        }
        tape_node(make, node)->gather = first + 1;
        absorb(make, node, stack);
    }
}
