/* SPDX-License-Identifier: MIT */
/* Inside the impact room: what the commands `impact` and `compare` share. */
#ifndef IMP_ANALYSIS_IMPACT_IMPACT_PRIV_H
#define IMP_ANALYSIS_IMPACT_IMPACT_PRIV_H

#include "analysis/impact/impact_of_contacts.h"
#include "runtime/rubbing/rubbing.h"
#include "runtime/rubbing/rubbing_beside.h"

/* Brings the contacts of a command to their common touch: those with shapes are
 * followed, stated ones are where they are. Reads the problem and prepares the
 * solver. Status after a diagnostic otherwise. */
int impact_bring_to_touch(struct analysis *analysis, const imp_command *command,
                          enum imp_option_id until,
                          struct impact_of_run *problem,
                          struct impact_solver **solver);
struct touch;
/* E0709: the bodies do not touch, or not so early. */
void impact_report_no_touch(struct analysis *analysis,
                            const imp_command *command,
                            const struct touch *touch);
/* The law of the command's option, else of the world, which may be undeclared.
 * IMP_BADMODEL after a diagnostic when the option names no law. */
int impact_law_of_command(struct analysis *analysis, const imp_command *command,
                          enum imp_impact_law *law);
/* Sets the fields that come from the solver, which impact_solver_measure then
 * leaves with another G. Rows along tangents are passed over. why: nothing was
 * applied, or NULL. */
void impact_record(struct analysis *analysis,
                   const struct impact_of_run *problem,
                   struct impact_solver *solver, const char *why,
                   struct record *out);
/* Why the solver has applied nothing; static text. */
const char *impact_fault_text(const struct impact_solver *solver);
/* Tells what the solver's outcome asks for: W0722 where nothing is applied,
 * W0721 where the energy rises. IMP_FAILED after E0719 where the world forbids
 * it; `text`: the remarks on it, n of them. */
int impact_check(struct analysis *analysis, const imp_command *command,
                 const struct impact_of_run *problem,
                 const struct impact_solver *solver, const char *const *text,
                 size_t n);
/* Answers `impact` at contacts of a system. */
int impact_of_system(struct analysis *analysis, const imp_command *command,
                     struct record *out);
/* Answers `impact` at several contacts, at stated ones, or with joints. */
int impact_at_contacts(struct analysis *analysis, const imp_command *command,
                       struct record *out);

/* Joints with friction in the problem of an impact (rough_joints.c). */
struct rough_joints {
    uint32_t n;
    struct rubbing_joint *joint; /* at the present state */
};
/* Adds a row of each behind those of the points. Status of the tapes. */
int rough_joints_add(struct rt *run, struct impact_of_run *problem,
                     struct rough_joints *out);
/* After the solver is prepared: the joints behind the points, of two rows each,
 * and the matrix W of all, (2 n)^2 for n points and joints. */
void rough_joints_points(const struct rt *run, const struct rough_joints *rough,
                         const struct impact_of_run *problem,
                         struct impact_solver *solver, enum imp_impact_law law,
                         struct friction_impact_point *point, double *W);
/* Gives the impulses of the joints their friction, as they are told. */
void rough_joints_told(const struct impact_of_run *problem,
                       struct impact_solver *solver);

/* Has one of the contacts between bodies that the command names friction, or a
 * joint that holds them? */
bool impact_asked_rubs(struct analysis *analysis, const imp_command *command);
/* Answers `compare` at such contacts. */
int impact_compare_frictional(struct analysis *analysis,
                              const imp_command *command, struct record *out);
/* Answers `impact` at such contacts. */
int impact_frictional(struct analysis *analysis, const imp_command *command,
                      struct record *out);
/* Says one of the contacts between bodies that the command names `restitution =
 * sticking`? */
bool impact_asked_sticks(struct analysis *analysis, const imp_command *command);
/* Answers `impact` at such contacts. */
int impact_sticking(struct analysis *analysis, const imp_command *command,
                    struct record *out);
/* The law that gave the impulses at n points; law: that of world or command. */
const char *impact_friction_law(const struct friction_group_impact *group,
                                int n,
                                const struct friction_impact_point *point,
                                enum imp_impact_law law);
/* What is to be said of the outcome, into text (at most 8); returns how many.
 */
size_t impact_friction_remarks(struct analysis *analysis,
                               const struct friction_group_impact *group,
                               const char **text);
/* Warns at `where` of what the record says in its warnings. IMP_FAILED after
 * E0719 where the world forbids the impact. */
int impact_friction_check(struct analysis *analysis, imp_range where,
                          const struct friction_group_impact *group, int n,
                          enum imp_impact_law law);
/* The field `determined`. */
const char *
impact_friction_determined(const struct friction_group_impact *group);
/* Says in a record of a model that states friction why its fields are not
 * there. */
void impact_without_friction(struct record *out);

#endif
