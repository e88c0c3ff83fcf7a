/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations between commands that ask about the same motion. */
#ifndef SOAK_COMMANDS_H
#define SOAK_COMMANDS_H

#include "compare.h"

/* A sweep prints the same bytes with any number of threads, and its runs are
 * those of `simulate`. */
void compare_sweep(const struct runner *runner, const struct model *model,
                   struct finding *finding);
/* Rows of a sweep over a number of the model, drawn by the seed, are its runs;
 * a summary is made of them. */
void compare_sweep_rows(const struct runner *runner, const struct model *model,
                        uint64_t seed, struct finding *finding);
/* `impact` finds the first event of the run, and the same impulse. */
void compare_impact(const struct runner *runner, const struct model *model,
                    const struct result *result, struct finding *finding);
/* The numbers of the text are those of JSON, to the digits that it has. */
void compare_text(const struct runner *runner, const struct model *model,
                  const struct result *result, struct finding *finding);
/* Integrals of velocities are the ways, to the errors that are told. */
void compare_integral(const struct runner *runner, const struct model *model,
                      struct finding *finding);
/* No place is beyond its `sup` and `inf` at dense rows, which are not beyond
 * what the speeds there lead to. */
void compare_extremes(const struct runner *runner, const struct model *model,
                      const struct result *result, struct finding *finding);
/* A question that is asked again, at once or behind another question, prints
 * the same bytes: a run leaves nothing behind. */
void compare_again(const struct runner *runner, const struct model *model,
                   uint64_t seed, const struct result *result,
                   struct finding *finding);

#endif
