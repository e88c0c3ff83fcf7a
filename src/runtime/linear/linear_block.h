/* SPDX-License-Identifier: MIT */
/* Blocks of observers whose equations are linear with constant coefficients and
 * read nothing of the motion: between impacts they are followed in closed form,
 * over any time at once, however fast they die away. */
#ifndef IMP_RUNTIME_LINEAR_LINEAR_BLOCK_H
#define IMP_RUNTIME_LINEAR_LINEAR_BLOCK_H

#include "runtime/instance/run.h"

struct linear_block;

/* The equations of a block with p variables, from `env` on in the environment,
 * with the params of this run. NULL: they are not linear, or not with constant
 * coefficients. */
struct linear_block *linear_block_new(struct rt *run, uint32_t block,
                                      uint32_t env, uint32_t p);
/* The variables, x + lo each, after a time without impacts, which take the
 * place of those before. False: numbers are too large, and nothing is written.
 */
bool linear_block_move(struct linear_block *linear, double time, double *x,
                       double *lo);
/* Jumps of the variables, whose sizes add up to `sum` (p) at most, come later
 * by a time s: writes into off (p) by how much this changes the variables
 * behind them at most, per s, to the first order. Returns the longest s for
 * which the first order tells. */
double linear_block_later(const struct linear_block *linear, const double *sum,
                          double *off);

#endif
