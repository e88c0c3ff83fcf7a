/* SPDX-License-Identifier: MIT */
/* What the set-up of many bodies reads beside its tape. Members of a family
 * differ in few numbers: so the image holds runs of numbers instead of an
 * instruction and a register for each, and what all members state at one place
 * of the text once. */
#ifndef IMP_ABI_SETUP_H
#define IMP_ABI_SETUP_H

#include <stdint.h>

#include "abi/range.h"

/* n numbers of the set-up (imp_image.setup), every to_step-th from `to` on,
 * are numbers `from`, from + from_step .. of what `kind` says. Those that no
 * run names are 0. */
enum imp_fill_kind {
    IMP_FILL_NUMBER, /* imp_image.numbers */
    IMP_FILL_ENV,    /* params and random numbers of the starts, in env */
    IMP_FILL_TAPE    /* outputs of the tape */
};
typedef struct imp_fill {
    uint32_t kind, n, to, to_step, from, from_step;
} imp_fill;

/* how the text states an attitude: IMP_RAW_ORIENT */
enum imp_orient {
    IMP_ORIENT_NONE,
    IMP_ORIENT_ANGLE,
    IMP_ORIENT_QUATERNION,
    IMP_ORIENT_AXES,
    IMP_ORIENT_AXISANGLE
};

/* random(lo, hi) in a start: env from layout.draws on has the value, a function
 * of seed, run and the draw's number */
typedef struct imp_draw {
    imp_range range;
} imp_draw;

/* where the text states what a body is (imp_body.places) */
typedef struct imp_places {
    imp_range shape, mass, inertia, centre, position, orient, velocity, spin;
} imp_places;

#endif
