/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graph to tape: the linear form that evaluator and code generator share. Nodes
 * without use are left out, registers are in topological order, the rules of
 * series are fixed (operands of CHAIN, states, the implicit block), and rows
 * are given. A sum of products of factors that vary in time becomes one DOT
 * instruction, if the products have no other user. */
#ifndef IMP_CALCULUS_TAPE_H
#define IMP_CALCULUS_TAPE_H

#include "abi/image.h"
#include "calculus/expr.h"

struct image_builder; /* abi image under construction, see calculus/image.h */

struct tape_spec {
    const char *name;
    bool series;
    uint32_t n_local;
    const expr *const *outs;
    size_t n_outs;
    /* series: state symbols (SYM_STATE leaves) and their time derivatives */
    const expr *const *states;
    const expr *const *rates;
    size_t n_states;
    /* series: the implicit block. Unknown i is leaf SYM_UNKNOWN i, and its
     * value at order 0 is local[i]. residual: n; jacobian: n*n, row-major,
     * exact */
    const expr *const *residual;
    const expr *const *jacobian;
    size_t n_unknown;
    enum imp_jacobian symmetric; /* see imp_tape.symmetric */
    /* in eval tapes SYM_UNKNOWN i reads local[i], and SYM_STATE reads env */
    /* The entry of env of a SYM_PARAM, SYM_TIME, SYM_CONTACT, SYM_SLOT or
     * SYM_SERIES leaf. Other symbols (SYM_BODY, SYM_TOTAL) must have been
     * substituted before. */
    uint32_t (*env_of)(void *ctx, const expr *leaf);
    void *ctx;
};
/* Adds the tape that spec describes to the image and returns its number. rows
 * (n_outs entries, or NULL) receives the row of each output of a series tape;
 * constants have a row, too. */
uint32_t tape_build(struct graph *graph, struct image_builder *ib,
                    const struct tape_spec *spec, uint32_t *rows);

#endif
