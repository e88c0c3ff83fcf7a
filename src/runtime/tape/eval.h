/* SPDX-License-Identifier: MIT */
/* The reference evaluator of tapes, in plain C. It returns the same bits as
 * generated code (I6); docs/tape.md is the contract. */
#ifndef IMP_RUNTIME_TAPE_EVAL_H
#define IMP_RUNTIME_TAPE_EVAL_H

#include <stdbool.h>

#include "abi/image.h"
#include "abi/status.h"

/* Evaluates a tape at order 0; out as imp_eval_fn. */
int eval_tape(const imp_image *im, const imp_tape *tape, const double *env,
              const double *local, double *out);
int eval_series(const imp_image *im, const imp_tape *tape, const double *env,
                const double *local, const double *const *rows, double *work,
                int order);
/* The same from this order on. Coefficients below it stand in `work` (of all
 * instructions, not of the outputs alone) from a call before it of this
 * function or of eval_series, with the same env, locals and lower coefficients
 * of `rows`. */
int eval_series_from(const imp_image *im, const imp_tape *tape,
                     const double *env, const double *local,
                     const double *const *rows, double *work, int from,
                     int order);
/* The same with what was read of the tape before: a plan lasts as long as the
 * arena, and holds for any environment and work. */
struct series_plan;
struct arena;
struct series_plan *eval_series_plan(const imp_image *im, const imp_tape *tape,
                                     struct arena *arena);
int eval_series_planned(const imp_image *im, const imp_tape *tape,
                        const struct series_plan *plan, const double *env,
                        const double *local, const double *const *rows,
                        double *work, int from, int order);
/* Variables of a state that rest: the coefficients 1 to `order` of the STATE
 * instructions whose row (of n_rows of the tape) says so are 0. left: rows as
 * those of a series, of n_rows: what they would be. */
struct series_rest {
    bool *row;
    double *left;
    int order;
};
/* eval_series_planned from order 0 on, with variables that rest. */
int eval_series_resting(const imp_image *im, const imp_tape *tape,
                        const struct series_plan *plan, const double *env,
                        const double *local, const double *const *rows,
                        double *work, int order,
                        const struct series_rest *rest);
/* The same with powers |u|^p, p > 0, of sums u that cancel to rounding:
 * where all coefficients of u up to `order` are rounding of their terms, such a
 * power is 0. IMP_NONFINITE: there is none, or one of them is not. */
int eval_series_cancelled(const imp_image *im, const imp_tape *tape,
                          const struct series_plan *plan, const double *env,
                          const double *local, const double *const *rows,
                          double *work, int order);
/* The value of one operator (no leaf, no DOT), for the folding of constants. */
double eval_op(enum imp_op op, double a, double b, double c);
/* After IMP_NONFINITE: finds the first instruction whose value is not finite
 * although its operands are. Fills *where with its place in the text, *op, and
 * the values of its operands *first, *second. Returns its number, or -1 if
 * there is none. */
int eval_trace(const imp_image *im, const imp_tape *tape, const double *env,
               const double *local, const double *const *rows, imp_range *where,
               enum imp_op *op, double *first, double *second);
/* The entry of env, among those that are NaN, that the outputs of a tape
 * without locals depend on: not by the branch of a choice that is not taken,
 * nor by a side of `and` or `or` where the other one settles it. EVAL_KNOWN:
 * none. */
#define EVAL_KNOWN UINT32_MAX
uint32_t eval_unknown(const imp_image *im, const imp_tape *tape,
                      const double *env);

#endif
