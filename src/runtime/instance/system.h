/* SPDX-License-Identifier: MIT */
/* A system in generalised coordinates at one instant: its series (with the
 * forces of contacts that slide), mass matrix, gaps and their gradients. */
#ifndef IMP_RUNTIME_INSTANCE_SYSTEM_H
#define IMP_RUNTIME_INSTANCE_SYSTEM_H

#include "runtime/instance/run.h"

struct system_run; /* per system; r->system */

/* memory, of r->own; NULL without systems */
struct system_run *system_new(struct rt *run);
static inline const imp_system *
rt_system(const struct rt *run, uint32_t s)
{
    return IMP_ARRAY(run->im, run->im->systems, imp_system) + s;
}
/* system of a block, its observers' too; IMP_NO_SYSTEM if it is one of bodies
 */
uint32_t system_of_block(const struct rt *run, uint32_t block);
/* do contacts slide (ACTIVE in env)? */
bool system_slides(const struct rt *run, uint32_t system);
/* Series of the sliding motion at the present state into the rows of the
 * system's block. IMP_OK, or a status (after a diagnostic if IMP_FAILED). */
int system_series(struct rt *run, uint32_t system, int order);
/* Clears the rows that system_series wrote, before the block's own tape, which
 * leaves out what is always 0. */
void system_unslide(struct rt *run, uint32_t system);
/* the same of the motion and the observers' variables, into the rows of their
 * block */
int system_observed(struct rt *run, uint32_t system, int order);
/* series of the force at contact i of the system (system_series before) */
const double *system_force(const struct rt *run, uint32_t system, uint32_t i);
/* mass matrix, n x n */
int system_mass(struct rt *run, uint32_t system, double *mass);
/* series of the gap of contact i; the block's series to that order before */
int system_gap_series(struct rt *run, uint32_t system, uint32_t i, int order,
                      double *series);
/* gap and its rate, gradient (n) of contact i of the system */
int system_gap(struct rt *run, uint32_t system, uint32_t i, double *gap,
               double *rate, double *gradient);

#endif
