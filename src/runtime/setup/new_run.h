/* SPDX-License-Identifier: MIT */
/* The beginning of a run: new runs of a compiled model, further starts of the
 * same run with other params, and the way back to its time 0. */
#ifndef IMP_RUNTIME_SETUP_NEW_RUN_H
#define IMP_RUNTIME_SETUP_NEW_RUN_H

#include "runtime/instance/run.h"

/* A new run, set up with these params (SI units, as many as the image has).
 * Masses, inertias and shapes are checked; overlaps are not. Returns NULL
 * after a diagnostic. The caller frees the run with rt_free. */
struct rt *rt_new(const imp_image *im, const imp_code *code,
                  const double *params, struct diags *ds, atomic_int *stop);
/* The same; where `code` is NULL, `tier` decides when there will be code, and
 * `given` fills what the model reads of its data. */
struct rt *rt_new_tier(const imp_image *im, const imp_code *code,
                       struct rt_tier *tier, const struct rt_given *given,
                       const double *params, struct diags *ds,
                       atomic_int *stop);
/* A new start of the same model in the memory of the last one, with the same
 * numbers as rt_new would give, to the last bit. Returns IMP_OK, IMP_BADMODEL
 * or IMP_FAILED, the last two after a diagnostic. */
int rt_restart(struct rt *run, const double *params);
/* The restitutions of all contacts of the model with these params; the
 * run does not change. Returns false if more than restitutions would differ
 * from the last set-up of the run, if one of them is out of range, or if
 * nothing is known before the second start. Where it returns true, rt_restart
 * is cheap and keeps the version of the start. */
bool rt_laws(struct rt *run, const double *params, double *restitution);
/* Draws the random numbers of the starts anew, with another seed and the
 * number of the run in a sweep (else 0). Set-up itself takes the world's seed
 * and run 0. Returns IMP_OK, or a status after a diagnostic. */
int rt_seed(struct rt *rt, double seed, uint64_t run);
/* Takes the run back to time 0 and the initial state of the last set-up. */
void rt_reset(struct rt *run);
/* After rt_reset: moves each number of the state of what moves by up to 8
 * roundings, by the same in each run of a model. Speeds of 0 stay 0. Is in
 * perturbed_start.c. */
void rt_perturb(struct rt *run);

#endif
