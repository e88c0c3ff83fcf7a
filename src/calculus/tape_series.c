/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a series tape needs beyond its values at order 0; see "Series
 * semantics" in docs/internals.md. */
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

/* ---- who varies ---------------------------------------------------------- */

static bool
is_known(void *ctx, const expr *e)
{
    return tape_node(ctx, e)->marks & TM_KNOWN;
}

static uint32_t
leaf_marks(struct tape_make *m, const expr *e)
{
    if (e->op == IMP_OP_CONST)
        return 0;
    switch ((enum expr_sym)e->sym) {
    case SYM_TIME:
    case SYM_ROW:
        return TM_VARIES;
    case SYM_UNKNOWN:
        return TM_VARIES | TM_IMPLICIT;
    case SYM_STATE: {
        /* a variable whose rate is the literal 0 stands still */
        uint32_t s = tape_node(m, e)->state;
        assert(s && "state variable without a rate in a series tape");
        return ex_is_num(m->spec->rates[s - 1], 0) ? 0 : TM_VARIES;
    }
    default:
        return 0;
    }
}

void
tape_classify(struct tape_make *m, const expr *const *e, size_t n)
{
    struct walk *w = walk_begin(m->g);
    walk_collect(m->g, w, e, n, is_known, m);
    for (uint32_t i = 0; i < w->n; i++) {
        const expr *x = w->order[i];
        uint32_t marks = 0;
        if (!x->a) {
            marks = leaf_marks(m, x);
        } else {
            marks = tape_node(m, x->a)->marks;
            if (x->op == IMP_OP_SELECT)
                marks &= TM_IMPLICIT; /* the condition only chooses */
            if (x->b)
                marks |= tape_node(m, x->b)->marks;
            if (x->c)
                marks |= tape_node(m, x->c)->marks;
            marks &= TM_VARIES | TM_IMPLICIT;
            if (rule_of(x->op) == RULE_STEP)
                marks &= ~(uint32_t)TM_VARIES;
        }
        tape_node(m, x)->marks |= marks | TM_KNOWN;
    }
    walk_end(m->g, w);
}

/* ---- what is needed ------------------------------------------------------ */

static void
need_w(struct tape_make *m, const expr *e)
{
    struct graph *g = m->g;
    const expr *zero = ex_num(g, 0);
    imp_range keep = g->origin;
    g->origin = e->origin;
    const expr *w = ex_rule(g, e, ex_num(g, 1), zero, zero);
    g->origin = keep;
    tape_classify(m, &w, 1);
    tape_node(m, e)->w = w;
    tape_need(m, w, true);
    tape_node(m, w)->marks |= TM_ROOT | TM_ROW;
}

void
tape_need_series(struct tape_make *m, const expr *e)
{
    if (!e->a) {
        uint32_t s = e->op == IMP_OP_ENV && e->sym == SYM_STATE
                         ? tape_node(m, e)->state
                         : 0;
        if (s) {
            const expr *rate = m->spec->rates[s - 1];
            tape_need(m, rate, true);
            tape_node(m, rate)->marks |= TM_ROOT | TM_ROW;
        }
        return;
    }
    if (e->op != IMP_OP_SELECT)
        tape_need(m, e->a, true);
    if (e->b)
        tape_need(m, e->b, true);
    if (e->c)
        tape_need(m, e->c, true);
    if (rule_of(e->op) == RULE_CHAIN)
        need_w(m, e);
}

/* ---- rows ---------------------------------------------------------------- */

static bool
varies(struct tape_make *m, const expr *e)
{
    return tape_node(m, e)->marks & TM_VARIES;
}

/* what varies and is needed above order 0 gets its row on emission */
void
tape_rows(struct tape_make *m)
{
    for (uint32_t i = 0; i < m->list.n; i++) {
        const expr *e = m->list.v[i];
        if (!(tape_node(m, e)->marks & TM_NEED1) ||
            rule_of(e->op) != RULE_HELPER)
            continue;
        tape_node(m, e->a)->marks |= TM_ROW;
        if (e->b)
            tape_node(m, e->b)->marks |= TM_ROW;
    }
}

/* ---- sums of products ---------------------------------------------------- */

static bool
dissolves(struct tape_make *m, const expr *e)
{
    const struct tape_node *n = tape_node(m, e);
    return n->uses == 1 && (n->marks & TM_NEED1) && !(n->marks & TM_ROOT);
}

static bool
is_sum(const expr *e)
{
    return e->op == IMP_OP_ADD || e->op == IMP_OP_SUB || e->op == IMP_OP_NEG;
}

static bool
is_product(struct tape_make *m, const expr *e)
{
    return e->op == IMP_OP_MUL && varies(m, e->a) && varies(m, e->b);
}

static void
term(struct tape_make *m, const expr *a, const expr *b, uint32_t minus)
{
    if (m->terms.n == m->terms.cap) {
        uint32_t cap = m->terms.cap ? m->terms.cap * 2 : 64;
        struct tape_term *v = NEW_N(m->g->arena, struct tape_term, cap);
        if (m->terms.n)
            memcpy(v, m->terms.v, m->terms.n * sizeof *v);
        m->terms.v = v;
        m->terms.cap = cap;
    }
    m->terms.v[m->terms.n++] = (struct tape_term){a, b, minus};
}

struct side {
    const expr *e;
    uint32_t minus;
};

/* Lays the terms of the sum `top` down, from left to right; the number of
 * products among them. Inner nodes are not marked yet. */
static uint32_t
flatten(struct tape_make *m, const expr *top, struct side **stack,
        uint32_t *cap)
{
    uint32_t n = 0, products = 0;
    (*stack)[n++] = (struct side){top, 0};
    while (n) {
        struct side s = (*stack)[--n];
        const expr *e = s.e;
        if (n + 2 > *cap) {
            struct side *v = NEW_N(m->g->arena, struct side, *cap * 2);
            memcpy(v, *stack, n * sizeof *v);
            *stack = v;
            *cap *= 2;
        }
        if (is_sum(e) && varies(m, e) && (e == top || dissolves(m, e))) {
            if (e->op == IMP_OP_NEG) {
                (*stack)[n++] = (struct side){e->a, !s.minus};
                continue;
            }
            uint32_t right = e->op == IMP_OP_SUB ? !s.minus : s.minus;
            (*stack)[n++] = (struct side){e->b, right};
            (*stack)[n++] = (struct side){e->a, s.minus};
        } else if (is_product(m, e) && dissolves(m, e)) {
            term(m, e->a, e->b, s.minus);
            products++;
        } else {
            term(m, e, NULL, s.minus);
        }
    }
    term(m, NULL, NULL, 0);
    return products;
}

/* inner sums and products of `top` are no instructions of their own */
static void
absorb(struct tape_make *m, const expr *top, struct side *stack)
{
    uint32_t n = 0;
    stack[n++] = (struct side){top, 0};
    while (n) {
        const expr *e = stack[--n].e;
        bool sum = is_sum(e) && varies(m, e) && (e == top || dissolves(m, e));
        bool product = is_product(m, e) && dissolves(m, e);
        if (e != top && (sum || product))
            tape_node(m, e)->marks |= TM_ABSORBED;
        if (!sum)
            continue;
        if (e->b)
            stack[n++] = (struct side){e->b, 0};
        stack[n++] = (struct side){e->a, 0};
    }
}

void
tape_gather(struct tape_make *m)
{
    uint32_t cap = 64;
    struct side *stack = NEW_N(m->g->arena, struct side, cap);
    for (uint32_t i = m->list.n; i-- > 0;) {
        const expr *e = m->list.v[i];
        uint32_t marks = tape_node(m, e)->marks;
        if (!is_sum(e) || !(marks & TM_NEED1) || (marks & TM_ABSORBED))
            continue;
        uint32_t first = m->terms.n;
        if (flatten(m, e, &stack, &cap) < 2) {
            m->terms.n = first;
            continue;
        }
        tape_node(m, e)->gather = first + 1;
        absorb(m, e, stack);
    }
}
