/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tape under construction. tape.c lists the nodes that are needed and emits
 * instructions. tape_series.c decides what a series tape needs besides: which
 * nodes vary in time, the factors w of CHAIN operators, gathered products,
 * rows. */
#ifndef IMP_CALCULUS_TAPE_PRIV_H
#define IMP_CALCULUS_TAPE_PRIV_H

#include "abi/image.h"
#include "calculus/graph_priv.h"
#include "calculus/tape.h"

enum tape_mark {
    TM_KNOWN = 1,    /* VARIES and IMPLICIT are decided */
    TM_VARIES = 2,   /* has orders >= 1 in time */
    TM_IMPLICIT = 4, /* depends on an unknown */
    TM_NEED0 = 8,    /* value at order 0 is needed: it is in the list */
    TM_NEED1 = 16,   /* orders >= 1 are needed */
    TM_ROOT = 32,    /* an output, a rate ...: must not be dissolved in a DOT */
    TM_ROW = 64,     /* a constant that has a row: an output, a rate ... */
    TM_ABSORBED = 128 /* dissolved in the DOT of a user */
};

#define NO_REG UINT32_MAX
struct tape_node {
    uint32_t stamp; /* valid where it equals the scratch's epoch */
    uint32_t marks, uses, reg;
    uint32_t state;  /* 1 + number of the state variable */
    uint32_t gather; /* 1 + first entry in tape_build's terms */
    const expr *w;
};
struct tape_list {
    const expr **v;
    uint32_t n, cap;
};
/* per graph, reused from tape to tape */
struct tape_scratch {
    struct tape_node *v;
    uint32_t cap, epoch;
    struct tape_list list, todo;
    /* room for instructions */
    imp_instr *code;
    imp_range *origin;
    uint32_t code_cap;
};

/* one term of a gathered sum: b NULL for a term that is no product */
struct tape_term {
    const expr *a, *b;
    uint32_t minus;
};

struct tape_make {
    struct graph *g;
    const struct tape_spec *spec;
    struct tape_scratch *sc;
    struct tape_list *list, *todo; /* of the scratch */
    struct {
        struct tape_term *v;
        uint32_t n, cap;
    } terms; /* runs, each ended by a term with a == NULL */
};

struct tape_node *tape_node(struct tape_make *make, const expr *formula);
/* Marks a formula as needed at order 0 (and above, if `series` and it varies).
 */
void tape_need(struct tape_make *make, const expr *formula, bool series);

/* tape_series.c */
/* Decides TM_VARIES and TM_IMPLICIT of all nodes below the n formulas. */
void tape_classify(struct tape_make *make, const expr *const *e, size_t n);
/* Marks what a node with TM_NEED1 needs of its operands besides order 0, which
 * has been marked before. */
void tape_need_series(struct tape_make *make, const expr *formula);
/* tape_rows marks constants that need a row; tape_gather dissolves sums of
 * products, users first. Both need the list in the order of ids; tape_gather
 * needs `uses`. */
void tape_rows(struct tape_make *make);
void tape_gather(struct tape_make *make);

#endif
