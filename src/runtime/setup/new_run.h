/* SPDX-License-Identifier: MIT */
/* The beginning of a run: new runs of a compiled model, further starts of the
 * same run with other params, and the way back to its time 0. */
#ifndef IMP_RUNTIME_SETUP_NEW_RUN_H
#define IMP_RUNTIME_SETUP_NEW_RUN_H

#include "runtime/instance/run.h"

/* set-up: params (SI, as many as the image has) -> env; checks masses,
 * inertias, shapes, overlaps nothing. IMP_OK or IMP_BADMODEL / IMP_FAILED. */
struct rt *rt_new(const imp_image *im, const imp_code *code,
                  const double *params, struct diags *ds, atomic_int *stop);
/* the same; code NULL: as `tier` decides */
struct rt *rt_new_tier(const imp_image *im, const imp_code *code,
                       struct rt_tier *tier, const double *params,
                       struct diags *ds, atomic_int *stop);
/* a new run of the same model in the memory of the last one; as rt_new, the
 * same numbers to the last bit */
int rt_restart(struct rt *run, const double *params);
/* Restitutions of all contacts of the model with these params; nothing of the
 * run changes. False: more than restitutions would differ from the run's last
 * set-up, or one is out of range, or nothing is known (before the second
 * start). Where it is true rt_restart is cheap, and keeps setup_version. */
bool rt_laws(struct rt *run, const double *params, double *e);
/* another seed, and the number of the run in a sweep (else 0): draws the random
 * numbers of the starts anew. After set-up, which took the world's and run 0 */
int rt_seed(struct rt *rt, double seed, uint64_t run);
/* back to time 0 and the initial state of the last set-up */
void rt_reset(struct rt *run);

#endif
