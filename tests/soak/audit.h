/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold within one run, judged without Imp's own code. */
#ifndef SOAK_AUDIT_H
#define SOAK_AUDIT_H

#include "compare.h"

/* The end of the run: crashes, hangs, invalid records, errors that a valid
 * model cannot cause. */
void audit_end(const struct model *model, const struct result *result,
               struct finding *finding);
/* All else; rows should be dense. */
void audit_motion(const struct model *model, const struct result *result,
                  struct finding *finding);
/* That of systems: audit_motion calls it. */
void audit_systems(const struct model *model, const struct result *result,
                   struct finding *finding);
/* Observers that follow the coordinates agree with them. */
void audit_observers(const struct model *model, const struct result *result,
                     struct finding *finding);
/* That of friction. `mass` of each body; `energy`: there are no loads and no
 * moving walls. */
void audit_friction(const struct model *model, const struct result *result,
                    const double *mass, bool energy, struct finding *finding);
/* Is the force of that contact recorded? */
bool audit_has_force(const struct result *result, int row, int contact);
/* Does a rate, given at three rows that span `step`, add up to the change? */
typedef bool audit_sum(double step, const double rate[3], double change,
                       double *error);
/* Momenta of systems from `row` to row + 2, by the forces that are recorded. */
void audit_systems_balance(const struct model *model,
                           const struct result *result, int row,
                           audit_sum *balances, struct finding *finding);
/* Friction of rotors changes their momentum from one row to the next, and
 * nothing else does. */
void audit_rotors(const struct model *model, const struct result *result,
                  struct finding *finding);
/* Coulomb's law of joints with friction, at a row. */
void audit_bearings(const struct model *model, const struct result *result,
                    int row, struct finding *finding);
/* Their work, and the momenta of bodies on them, from `row` to row + 2. */
void audit_joint_sums(const struct model *model, const struct result *result,
                      const double *mass, int row, audit_sum *balances,
                      struct finding *finding);
/* The sum of their work so far. */
double audit_joint_work(const struct model *model, const struct result *result,
                        int row);
/* Adds what contacts do to a body: a force, and in [2] the torque, of which
 * *torque tells whether it is known. False: nor is the force. */
bool audit_contacts_load(const struct model *model, const struct result *result,
                         int row, int body, double out[3], bool *torque);
/* Is the row within a limit of chatter? Rows from the last impact before a
 * limit to the limit show the motion without the impacts that the limit sums
 * up. */
bool is_summed(const struct result *result, double time);
/* The run ended by one of the codes that docs/limits.md lists. */
bool is_known_limit(const struct result *result);

#endif
