/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the expression graph, for the files of this room only.
 *
 * Passes over the graph never recurse (a user may write a sum of 10^5 terms):
 * walk_collect lists what is reachable from some roots with operands before
 * users, then the pass is a loop over that list. */
#ifndef IMP_CALCULUS_GRAPH_PRIV_H
#define IMP_CALCULUS_GRAPH_PRIV_H

#include "base/arena.h"
#include "calculus/expr.h"

/* What a pass over the graph needs, by node id. An entry is valid where
 * mark[id] == epoch. */
struct walk {
    uint32_t *mark, epoch, cap;
    const expr **val;   /* a pass's own result per node */
    double *num;        /* the same for numbers; made when asked for */
    const expr **order; /* reachable nodes, operands first */
    uint32_t n, order_cap;
    struct walk_frame {
        const expr *e;
        uint32_t next;
    } * stack;
    uint32_t stack_cap;
};

#define WALK_MAX 64 /* several: passes can be nested through callbacks */

struct memo {
    uint32_t node, leaf;
    const expr *d; /* NULL: free entry */
};

struct graph {
    struct arena *arena;
    const expr **node; /* by id */
    uint32_t n, cap;
    const expr **table; /* open addressing, capacity a power of two */
    uint32_t table_cap;
    struct memo *memo; /* derivatives, the same */
    uint32_t memo_n, memo_cap;
    imp_range origin;
    struct walk *walks[WALK_MAX];
    uint32_t depth;
    struct tape_scratch *tapes; /* of tape.c */
};

/* A walk that is not in use; walk_end gives it back. */
struct walk *walk_begin(struct graph *graph);
void walk_end(struct graph *graph, struct walk *walk);
/* Fills walk->order with all nodes reachable from the roots for which `stop`
 * (may be NULL) is false. A node for which it is true is neither listed nor
 * entered. */
void walk_collect(struct graph *graph, struct walk *walk,
                  const expr *const *roots, size_t n,
                  bool (*stop)(void *ctx, const expr *node), void *ctx);
/* walk->num, with room for every id that walk->order holds */
double *walk_numbers(struct graph *graph, struct walk *walk);

/* the node itself, without simplification */
const expr *graph_cons(struct graph *graph, uint16_t op, uint16_t sym,
                       uint32_t i, uint32_t j, double num, const expr *a,
                       const expr *b, const expr *c);
/* The derivative of y by the operator table, given those of its operands. dA =
 * 1 gives the factor w of a CHAIN operator. */
const expr *ex_rule(struct graph *graph, const expr *y, const expr *dA,
                    const expr *dB, const expr *dC);
/* |a|^b and sgn(a)|a|^b, simplified */
const expr *ex_abspow(struct graph *graph, const expr *a, const expr *b);
const expr *ex_sgnpow(struct graph *graph, const expr *a, const expr *b);
/* x |w|^c, where sign(w) is a factor of x, as a signed power; so where w is,
 * and c between -1 and 0 or no literal: sign(w) |w|^(c + 1) has a value where w
 * is 0. Else NULL. */
const expr *ex_times_power(struct graph *graph, const expr *x,
                           const expr *power);
/* number of operands of an operator, from the table */
unsigned ex_arity(uint32_t op);

static inline bool
ex_is_sym(const expr *node)
{
    return node->op == IMP_OP_ENV;
}

#endif
