/* SPDX-License-Identifier: MIT */
/* Inside the impact room: what the commands `impact` and `compare` share. */
#ifndef IMP_ANALYSIS_IMPACT_IMPACT_PRIV_H
#define IMP_ANALYSIS_IMPACT_IMPACT_PRIV_H

#include "analysis/impact/impact_of_contacts.h"

/* Brings the contacts of a command to their common touch: those with shapes are
 * followed, stated ones are where they are. Reads the problem and prepares the
 * solver. Status after a diagnostic otherwise. */
int impact_bring_to_touch(struct analysis *analysis, const imp_command *command,
                          enum imp_option_id until,
                          struct impact_of_run *problem,
                          struct impact_solver **solver);
/* E0709: the bodies do not touch. */
void impact_report_no_touch(struct analysis *analysis,
                            const imp_command *command, uint32_t contact);
/* The law of the command's option, else of the world, which may be undeclared.
 * IMP_BADMODEL after a diagnostic when the option names no law. */
int impact_law_of_command(struct analysis *analysis, const imp_command *command,
                          enum imp_impact_law *law);
/* Sets the fields that come from the solver, which impact_solver_measure then
 * leaves with another G. */
void impact_record(struct analysis *analysis,
                   const struct impact_of_run *problem,
                   struct impact_solver *solver, struct record *out);
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

/* IMP_BADMODEL after E0727 if one of the contacts has friction. where: of the
 * command. */
int impact_without_friction(struct analysis *analysis, imp_range where,
                            const uint32_t *contact, uint32_t n);

#endif
