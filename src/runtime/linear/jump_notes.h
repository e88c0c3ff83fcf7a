/* SPDX-License-Identifier: MIT */
/* The jumps of observers at the impacts before one limit of impacts: do they
 * still show, and in which time may those to come act all at once? */
#ifndef IMP_RUNTIME_LINEAR_JUMP_NOTES_H
#define IMP_RUNTIME_LINEAR_JUMP_NOTES_H

#include "runtime/linear/linear_block.h"

struct jump_notes {
    uint32_t n, p;       /* rates of the motion, variables */
    double *most, *late; /* p: the greatest jump, and the greatest of the last
                            ones */
    double *sum;         /* p: the sizes of all jumps */
    double *first, *second;     /* n: rates before the last impact but one, and
                                   behind it */
    double *third, *fourth;     /* n: those of the last impact */
    double *taken, *taken_late; /* n: the greatest change of each rate by one
                                   impact, and of the last ones */
    double flight;              /* before the last impact */
    bool asked;                 /* whether ... */
    bool adds;     /* ... jumps add up long before the limit; then */
    double *bends; /* p: by which share the place changes jumps, 1/s */
    double *part;  /* 2 p, for a sum */
};

/* Memory for n rates and p variables. */
void jump_notes_new(struct jump_notes *notes, struct arena *arena, uint32_t n,
                    uint32_t p);
/* Forgets what was noted. */
void jump_notes_begin(struct jump_notes *notes);
/* Notes an impact behind a flight (s) that takes the rates `before` (n) to
 * `after` (n), and adds `jump` (p) to the variables. */
void jump_notes_add(struct jump_notes *notes, double flight,
                    const double *before, const double *after,
                    const double *jump);
/* Notes by how much the place changes jumps: an impact would add `then` (p) at
 * the limit, in a time `left` (s), where it adds `now` here. */
void jump_notes_bend(struct jump_notes *notes, const double *now,
                     const double *then, double left);
/* Do the last impacts still change the rates of the motion, or a variable whose
 * jumps shrink, beyond rounding? */
bool jump_notes_show(const struct jump_notes *notes);
/* The longest time (s) in which the impacts to come may act all at once, as the
 * variables behind them would be the same to their rounding. Their jumps are as
 * much of that time as those noted are of `since`, the time that these took, or
 * few times the last one: speeds may shrink more slowly than flights. Linear
 * variables, now x (p), differ by what they make of jumps that come later. 0:
 * none, as where linear is NULL, or jumps are not known to add up. */
double jump_notes_brief(const struct jump_notes *notes,
                        const struct linear_block *linear, const double *x,
                        double since);

#endif
