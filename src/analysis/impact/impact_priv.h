/* SPDX-License-Identifier: MIT */
/* Impacts at several contacts, with joints: shared by `impact`, `compare` and
 * `simulate`. */
#ifndef IMP_ANALYSIS_IMPACT_IMPACT_PRIV_H
#define IMP_ANALYSIS_IMPACT_IMPACT_PRIV_H

#include "analysis/collision/verdict.h"
#include "runtime/impact/impact_of_run.h"

extern const char *const impact_law_name[];

/* The contacts of a command, brought to their common touch: those with shapes
 * are followed, stated ones are where they are. Fills the problem and prepares
 * m. Status after a diagnostic otherwise. */
int impact_bring_to_touch(struct analysis *a, const imp_command *c,
                          enum imp_option_id until, struct impact_of_run *in,
                          struct impact_solver **m);
/* A normal that is not unique: which contact, what touches, the choices, and
 * how to state one. `code`: E0724 or W0724. */
void impact_report_open_normal(struct analysis *a,
                               const struct impact_of_run *in,
                               enum diag_code code, imp_range where);
/* the problem at the present state; in->open may be set */
int impact_read(struct analysis *a, const uint32_t *contact, uint32_t n,
                struct impact_of_run *in);
int impact_prepare(struct analysis *a, const struct impact_of_run *in,
                   struct impact_solver **m);
/* law of the command's option, else of the world; IMP_OK or IMP_BADMODEL */
int impact_law_of_command(struct analysis *a, const imp_command *c,
                          enum imp_impact_law *law);
/* Where no law was declared: the one that all contacts carry. IMP_BADMODEL
 * after a diagnostic at `where` if they carry different ones. */
int impact_law_of_contacts(struct analysis *a, imp_range where,
                           const uint32_t *contact, uint32_t n,
                           enum imp_impact_law *law);
/* everything of the record that comes from m; `skip_main`: leave the fields
 * that `impact` of two free bodies has set itself */
void impact_record(struct analysis *a, const struct impact_of_run *in,
                   struct impact_solver *m, struct record *out, bool skip_main);
/* Remarks of one law: what is wrong or not unique, with amounts. At most
 * `most` of them; returns how many. */
size_t impact_remarks(struct analysis *a, const struct impact_of_run *in,
                      const struct impact_solver *m, const char **text,
                      size_t most);
/* which of the things that `forbid` of the world names happen: IMP_FORBID_...
 */
uint32_t impact_forbidden(const struct analysis *a,
                          const struct impact_solver *m);
/* does contact i of the problem separate before the impact? */
bool impact_separates(const struct impact_solver *m, int i);
/* warning W0722: nothing was applied, and what the choices are */
struct diag *impact_undetermined(struct analysis *a, imp_range where,
                                 const struct impact_solver *m);
/* does a contact, or a body of it, need more than the handler of two free
 * bodies? */
bool impact_is_plain(const struct rt *r, uint32_t contact);
/* `impact` at contacts of a system */
int impact_of_system(struct analysis *a, const imp_command *c,
                     struct record *out);
/* `impact` at several contacts, stated ones, or with joints */
int impact_at_contacts(struct analysis *a, const imp_command *c,
                       struct record *out);

#endif
