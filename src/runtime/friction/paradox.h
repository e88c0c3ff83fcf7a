/* SPDX-License-Identifier: MIT */
/* What goes on where Coulomb's law allows several motions, or none: a policy of
 * the model may choose among what is possible, and only that; else nothing is
 * chosen (I4). And the impact without collision of Champneys and Varkonyi
 * (specification painleve.md, 4.1): a slip that ends within no time, although
 * the gap is closed and has no rate. */
#ifndef IMP_RUNTIME_FRICTION_PARADOX_H
#define IMP_RUNTIME_FRICTION_PARADOX_H

#include <stdint.h>

#include "runtime/friction/friction.h"

enum friction_paradox {
#define PARADOX(ID, word, doc) PARADOX_##ID,
#include "abi/paradox.def"
    PARADOX_COUNT
};
enum friction_loads {
#define LOADS(ID, word, doc) LOADS_##ID,
#include "abi/loads.def"
    LOADS_COUNT
};
/* The word of a row of abi/loads.def, or NULL for none. */
const char *loads_word(uint32_t loads);
/* LOADS_REPORT: an impact after which the velocities depend on how the points
 * share the impulses is not determined. */
void loads_of_impact(uint32_t loads, struct friction_group_impact *impact);
/* A run that goes on in every possible way is one run per way: each takes what
 * `take` says where the motion is open for the first, second ... time, and the
 * first time beyond that is where it branches. */
#define PARADOX_WAYS_MOST 20
struct paradox_forks {
    const int *take; /* n: the number of the way */
    int n, met;      /* met: how often the motion was open so far */
    int ways; /* where it branches: how many there are, and their names */
    const char *name[PARADOX_WAYS_MOST];
};
/* The same among n points that have these consistent choices of modes, and an
 * impact without collision at point *jump (-1: there is none): the choice that
 * the run takes, or -1; then *jump is the impact that it takes, or -1. names:
 * memory that outlives the run. */
int paradox_branch(struct paradox_forks *forks, struct arena *names,
                   const struct friction_choice *choice, int n, int *jump);
/* The same after a jam, behind which the gap may open or not: the policy that
 * the run takes; PARADOX_REPORT: it branches here. */
enum friction_paradox paradox_after_jam(struct paradox_forks *forks,
                                        bool may_open);
/* The word of a policy, or NULL for none. */
const char *paradox_word(uint32_t paradox);
/* The consistent choice of modes of n points that a policy singles out: the
 * only one in which all points are free (liftoff), or stick, in which the
 * choices differ. -1: there is none. */
int paradox_choose(const struct friction_choice *choice, int n,
                   enum friction_paradox paradox);
/* Which policies have something to choose here: bit 1 << P for policy P. jumps:
 * an impact without collision is possible. */
unsigned paradox_policies(const struct friction_choice *choice, int n,
                          bool jumps);
/* The same after a jam, behind which the gap may open or not. */
unsigned paradox_policies_after_jam(bool may_open);
/* The point at which an impact without collision is possible, with the
 * coefficients of impacts mu (n): it slips, p < 0 in its direction, and no
 * other point acts on it. -1: there is none, or several. */
int paradox_jump_of(const struct friction_instant *in, const double *mu);
/* That impact of one point, whose `normal` is not read: compression ends the
 * slip, restitution follows the point's law (Newton's gives nothing back). In
 * the direction of its slip p < 0, or 0 to rounding. A, B, C as for
 * friction_impact_one. */
void paradox_jump(double A, double B, double C,
                  const struct friction_impact_point *point,
                  struct friction_impact *out);

#endif
