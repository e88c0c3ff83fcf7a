/* SPDX-License-Identifier: MIT */
/* The impact of some contacts at the present state: its problem, its law, and
 * what is said about its outcome. Shared by `impact`, `compare` and `simulate`.
 */
#ifndef IMP_ANALYSIS_IMPACT_IMPACT_OF_CONTACTS_H
#define IMP_ANALYSIS_IMPACT_IMPACT_OF_CONTACTS_H

#include "abi/laws.h"
#include "analysis/collision/verdict.h"
#include "runtime/friction/friction.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/instance/saved_state.h"
#include "runtime/modes/mode_select.h"

/* Reads the problem of contacts[0..n), n > 0, at the present state. Where the
 * normal of one is not unique, in->open is its number and the problem is not
 * complete. IMP_FAILED after a diagnostic. */
int impact_read(struct analysis *analysis, const uint32_t *contact, uint32_t n,
                struct impact_of_run *problem);
/* Prepares a solver in run->brief for a problem whose normals are unique.
 * IMP_BADMODEL after E0721 when there are too many contact points. */
int impact_prepare(struct analysis *analysis,
                   const struct impact_of_run *problem,
                   struct impact_solver **solver);
/* Solves the impact of `normals`, of which a contact has friction, in the
 * plane, under the law of the world or of a command. *problem and *solver have
 * a row along the tangent after each normal one, whose contact is UINT32_MAX.
 * hit: for each point of `normals`, whether a verdict has found that it is hit,
 * however slowly: rank and condition are not found then; or NULL. alike: as in
 * friction_impact_alike, or 0. group->why is NULL, or tells why nothing is
 * applied. */
int impact_with_friction(struct analysis *analysis,
                         const struct impact_of_run *normals, const bool *hit,
                         double alike, enum imp_impact_law law,
                         struct impact_of_run *problem,
                         struct impact_solver **solver,
                         struct friction_group_impact *group);
/* Does the contact say `restitution = sticking`? */
bool impact_sticks(const struct rt *run, uint32_t contact);
/* Solves the impact of `normals`, of which a contact sticks. *problem and
 * *solver have a row per tangent after each normal one, whose contact is
 * UINT32_MAX. hit: has a verdict found that one of them is hit, however slowly?
 * *why is NULL, or tells why nothing is applied. */
int impact_with_sticking(struct analysis *analysis,
                         const struct impact_of_run *normals, bool hit,
                         struct impact_of_run *problem,
                         struct impact_solver **out, const char **why);
/* Is a point pulled in such an impact, that loses more velocity than a push can
 * take? And what is said of it. */
bool impact_sticking_pulls(const struct impact_of_run *problem,
                           const struct impact_solver *solver);
#define IMPACT_STICKING_PULLS                                                  \
    "a point that sticks is pulled: no push takes all of its velocity"
/* Corners that touch corners leave their normals open. Where all choices of the
 * normals of contact[0..n), of which one has friction, lead to the same motion,
 * as where the corners stick under each of them, then the normals do not
 * matter: *same, and *normals is the problem with one of the choices. normals:
 * as read without a choice. hit: of each contact of the model. */
int impact_with_any_normal(struct analysis *analysis, const uint32_t *contact,
                           uint32_t n, const bool *hit, enum imp_impact_law law,
                           struct impact_of_run *normals, bool *same);
/* Which of the things that the world's `forbid` names happen in such an impact:
 * a set of IMP_FORBID_... */
uint32_t
impact_with_friction_forbidden(const struct analysis *analysis,
                               const struct friction_group_impact *group,
                               int n);
/* Where *law is undeclared: the law that all of contact[0..n) carry.
 * IMP_BADMODEL after a diagnostic at `where` if they carry different ones. */
int impact_law_of_contacts(struct analysis *analysis, imp_range where,
                           const uint32_t *contact, uint32_t n,
                           enum imp_impact_law *law);
/* The remedy of an impact with friction whose outcome is open; NULL without a
 * group. */
const char *impact_friction_remedy(const struct analysis *analysis,
                                   const struct friction_group_impact *group,
                                   enum imp_impact_law law);
/* The remedy of an impact at several points whose outcome this law leaves open:
 * others to state. */
const char *impact_laws_remedy(const struct analysis *analysis,
                               enum imp_impact_law law);
/* Do other laws settle an impact, which has been solved under `law`, with
 * another motion? Asked are `sequential` and `poisson`; the solver is left as
 * it was. */
bool impact_depends_on_law(struct impact_solver *solver,
                           enum imp_impact_law law, struct arena *arena);
/* Warning W0746: the motion after the impact of `who` depends on the law, and
 * the model names none; `law` was taken; IMP_IMPACT_UNDECLARED: what rests was
 * pushed only. time: with its unit. */
void impact_report_law(struct analysis *analysis, imp_range where,
                       const char *who, const char *time,
                       enum imp_impact_law law);
/* Checks I1 for an impact that was solved and not yet applied. IMP_FAILED after
 * a diagnostic. where: of the command. */
int impact_audit(struct analysis *analysis, imp_range where,
                 const struct impact_of_run *problem,
                 const struct impact_solver *solver);
/* A limit of infinitely many impacts: which bodies take part; the contact of
 * the last impact that was followed; how many contacts the run has; the points,
 * as they were then, with their Delassus matrix and restitutions, and which of
 * them are hit on the way; the error of the state, a share (NAN: it is not
 * known). */
struct limit_of {
    const bool *body, *moved;
    uint32_t contact, n_contacts;
    int n;
    const struct contact_point_state *point;
    const double *G, *e;
    double state_error;
};
/* Checks I2 there: the state is that of the limit, `before` that behind the
 * last impact. IMP_FAILED after a diagnostic. */
int impact_audit_limit(struct analysis *analysis, const struct limit_of *limit,
                       const struct saved_state *before);
/* Reports that a normal is not unique: which contact, what touches, the
 * choices, and how to state one. code: E0724 or W0724. */
void impact_report_open_normal(struct analysis *analysis,
                               const struct impact_of_run *problem,
                               enum diag_code code, imp_range where);
/* Remarks on the outcome of one law: what is wrong or not unique, with amounts.
 * At most `most` > 0 of them, in the arena of the records; returns how many. */
size_t impact_remarks(struct analysis *analysis,
                      const struct impact_of_run *problem,
                      const struct impact_solver *solver, const char **text,
                      size_t most);
/* Which of the things that the world's `forbid` names happen: a set of
 * IMP_FORBID_... */
uint32_t impact_forbidden(const struct analysis *analysis,
                          const struct impact_solver *solver);
/* Warning W0722: nothing was applied, and what the choices are (I4). The caller
 * may add notes. */
struct diag *impact_undetermined(struct analysis *analysis, imp_range where,
                                 const struct impact_solver *solver);

#endif
