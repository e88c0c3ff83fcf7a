/* SPDX-License-Identifier: MIT */
/* What a sweep over the instructions of a series tape does at each of them,
 * read from the tape once: which vary, where the rows of their operands are,
 * which rule they follow. The orders are low and many, so that a sweep costs
 * little more than its sums. */
#ifndef IMP_RUNTIME_TAPE_SERIES_PLAN_H
#define IMP_RUNTIME_TAPE_SERIES_PLAN_H

#include <stdbool.h>

#include "abi/image.h"
#include "runtime/tape/series_sums.h"

enum series_step_kind {
    STEP_ROW,
    STEP_TIME,
    STEP_STATE,
    STEP_ADD,
    STEP_SUB,
    STEP_NEG,
    STEP_SCALE,
    STEP_MUL,
    STEP_DOT,
    STEP_OTHER /* by the instruction itself */
};

/* Rows are places of coefficient 0 in `work`. Whatever varies has one. */
struct series_step {
    uint32_t kind, number; /* of the instruction */
    uint32_t a, b; /* registers; ROW: a the array; SCALE: a the factor; DOT: b
                      pairs from number a on */
    uint32_t x, y; /* rows of the operands; ROW: of that array */
    uint32_t row;
};

struct series_plan {
    uint32_t n, n_block, n_fixed, n_row;
    struct series_step *step; /* of the instructions that vary */
    uint32_t *block;          /* those in the block but its unknowns */
    uint32_t *fixed;          /* those that are constant */
    uint32_t (*row)[2];       /* of all that have one: number, row */
    struct dot_pair *pair;
    /* Registers of constants are all that a sweep needs of order 0 but rows. */
    bool plain;
};

/* Doubles of room that a plan takes. */
size_t series_plan_room(const imp_tape *tape);
void series_plan_make(const imp_image *im, const imp_tape *tape,
                      struct series_plan *plan, double *room);

#endif
