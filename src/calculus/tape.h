/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graph to tape: the linear form that evaluator and code generator share.
 * Dead code is left out, registers are in topological order, series rules are
 * laid down (CHAIN operands, states, implicit block), products are gathered
 * into DOT where a sum of products of time-varying factors has no other user,
 * rows are assigned. */
#ifndef IMP_CALCULUS_TAPE_H
#define IMP_CALCULUS_TAPE_H

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
    /* series: implicit block; unknown i is leaf SYM_UNKNOWN i, its order-0
     * value is local[i]. residual n, jacobian n*n row-major (exact) */
    const expr *const *residual;
    const expr *const *jacobian;
    size_t n_unknown;
    bool symmetric; /* see imp_tape.symmetric */
    /* in eval tapes SYM_UNKNOWN i reads local[i] and SYM_STATE env */
    /* env index of SYM_PARAM, SYM_TIME, SYM_CONTACT, SYM_SLOT, SYM_SERIES;
     * others (SYM_BODY, SYM_TOTAL) must have been substituted before */
    uint32_t (*env_of)(void *ctx, const expr *leaf);
    void *ctx;
};
/* returns the tape's number in the image; *rows (n_outs entries, may be NULL)
 * receives the row of each output (series tapes; IMP_NO_ROW never occurs for
 * outputs: constants get a row too) */
uint32_t tape_build(struct graph *graph, struct image_builder *ib,
                    const struct tape_spec *spec, uint32_t *rows);

#endif
