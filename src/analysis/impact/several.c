/* SPDX-License-Identifier: MIT */
/* `impact c1, c2, ...`: the impact at several contacts, at stated ones, or with
 * joints, under the law that was asked for. Where the law gives no unique
 * motion none is applied, and the choices are reported (I4). */

#include <assert.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"

int
impact_at_contacts(struct analysis *analysis, const imp_command *command,
                   struct record *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct impact_of_run problem;
    struct impact_solver *solver;
    enum imp_impact_law law;
    const char *text[64];
    const imp_val *own = arg_option(analysis, command, IMP_OPT_impact_impulse);
    int st;
    if (own) {
        struct diag *diag = diag_add(analysis->ds, DIAG_E0705, own->range,
                                     "`impulse` is for one contact of two free "
                                     "bodies with shapes");
        diag_help(analysis->ds, diag, "leave it out, or name a `law`");
        return IMP_BADMODEL;
    }
    if ((st = impact_law_of_command(analysis, command, &law)) ||
        (st = impact_bring_to_touch(analysis, command, IMP_OPT_impact_until,
                                    &problem, &solver)) ||
        (st = impact_law_of_contacts(analysis, command->range, problem.contact,
                                     problem.p.n_contact, &law)))
        return st;
    impact_solver_solve(solver, law);
    if (solver->decision.applied &&
        (st = impact_audit(analysis, command->range, &problem, solver)))
        return st;
    size_t n_remarks = impact_remarks(analysis, &problem, solver, text, 64);
    if ((st = impact_check(analysis, command, &problem, solver, text,
                           n_remarks)))
        return st;
    impact_record(analysis, &problem, solver,
                  solver->decision.applied ? NULL : impact_fault_text(solver),
                  out);
    impact_without_friction(out);
    SET_TEXTS("warnings", text, n_remarks);
    return IMP_OK;
}
