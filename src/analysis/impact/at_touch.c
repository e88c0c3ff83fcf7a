/* SPDX-License-Identifier: MIT */
/* The impact problem at a touch: contacts with shapes are followed to their
 * touch, stated ones are where they are; all must be closed at that time. Then
 * the problem is read from the run (runtime/impact/impact_of_run.h) and
 * prepared for a law. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/events/event.h"
#include "runtime/gap/tolerance.h"
#include "runtime/rotors/rotors.h"
#include "runtime/setup/new_run.h"

int
impact_read(struct analysis *analysis, const uint32_t *contact, uint32_t n,
            struct impact_of_run *problem)
{
    assert(analysis != NULL && contact != NULL && n > 0 && problem != NULL);
    int st = impact_of_run_read(analysis->rt, contact, n, problem);
    return st ? command_failed(analysis, st,
                               rt_contact(analysis->rt, contact[0])->range,
                               "the closest points")
              : IMP_OK;
}

int
impact_prepare(struct analysis *analysis, const struct impact_of_run *problem,
               struct impact_solver **solver)
{
    assert(analysis != NULL && problem != NULL && solver != NULL);
    assert(problem->open == IMP_WORLD && problem->p.n_contact > 0);
    imp_range where = rt_contact(analysis->rt, problem->contact[0])->range;
    uint32_t n = problem->p.n_contact;
    if (n > IMPACT_CONTACTS_MAX) {
        diag_add(analysis->ds, DIAG_E0721, where,
                 "one impact takes at most %d contact points; here are %u",
                 IMPACT_CONTACTS_MAX, n);
        return IMP_BADMODEL;
    }
    *solver = impact_solver_new(analysis->rt->brief, problem->p.n_body, n,
                                problem->p.n_joint);
    if (impact_solver_prepare(*solver, &problem->p)) {
        diag_add(analysis->ds, DIAG_E0700, where,
                 "the singular values of this impact did not settle");
        return IMP_FAILED;
    }
    return IMP_OK;
}

void
impact_report_no_touch(struct analysis *analysis, const imp_command *command,
                       const struct touch *touch)
{
    assert(analysis != NULL && command != NULL && touch->found != TOUCH_YES);
    char t[NUM_TEXT];
    bool never = touch->found == TOUCH_NEVER;
    const char *name = imp_text(analysis->rt->im,
                                rt_contact(analysis->rt, touch->contact)->name);
    struct diag *diag =
        never ? diag_add(analysis->ds, DIAG_E0709, command->range,
                         "the bodies of `%s` never touch, so there is no "
                         "impact",
                         name)
              : diag_add(analysis->ds, DIAG_E0709, command->range,
                         "the bodies of `%s` do not touch until t = %s s, so "
                         "there is no impact",
                         name, rt_told(t, touch->time, 9));
    diag_help(analysis->ds, diag,
              never ? "their start moves them apart, or past each other: "
                      "change `position` or `velocity` of one"
                    : "a larger `until` follows the motion further");
}

/* Follows the first contact with shapes to its touch. The others must be closed
 * at that time. */
static int
together(struct analysis *analysis, const imp_command *command,
         const uint32_t *contact, uint32_t n_contacts, double until)
{
    struct rt *run = analysis->rt;
    uint32_t lead = n_contacts;
    struct touch touch;
    int st;
    for (uint32_t other = 0; other < n_contacts && lead == n_contacts; other++)
        if (!(rt_contact(run, contact[other])->flags & IMP_CONTACTF_STATED))
            lead = other;
    rt_reset(run);
    if (lead == n_contacts)
        return IMP_OK;
    if ((st = touch_find(analysis, contact[lead], until, &touch)))
        return st;
    const char *name = imp_text(run->im, rt_contact(run, contact[lead])->name);
    if (touch.found != TOUCH_YES) {
        impact_report_no_touch(analysis, command, &touch);
        return IMP_FAILED;
    }
    for (uint32_t other = 0; other < n_contacts; other++) {
        const imp_contact *image_contact = rt_contact(run, contact[other]);
        double gap, tol, rate;
        if (!touch.at_start &&
            (st = touch_require_movable(analysis, contact[other])))
            return st;
        if (other == lead || image_contact->flags & IMP_CONTACTF_STATED)
            continue;
        if ((st = touch_gap(analysis, contact[other], &gap, NULL)))
            return command_failed(analysis, st, image_contact->range,
                                  "the closest points");
        gap_tolerances(run, contact[other], &tol, &rate);
        if (fabs(gap) <= tol)
            continue;
        char g[NUM_TEXT], at[NUM_TEXT];
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0718, image_contact->range,
                     "`%s` is not closed when `%s` touches, at t = %s s",
                     imp_text(run->im, image_contact->name), name,
                     rt_told(at, rt_time(run), 9));
        diag_note(analysis->ds, diag, command->range, "its gap is %s m then",
                  num_digits(g, gap, 6));
        diag_help(analysis->ds, diag,
                  "ask for the impact of `%s` alone, or place the "
                  "bodies so that both touch",
                  name);
        return IMP_FAILED;
    }
    return IMP_OK;
}

int
impact_bring_to_touch(struct analysis *analysis, const imp_command *command,
                      enum imp_option_id until, struct impact_of_run *problem,
                      struct impact_solver **solver)
{
    assert(analysis != NULL && command != NULL && command->args.n > 0);
    uint32_t n_contacts = command->args.n;
    uint32_t *contact = NEW_N(analysis->rt->arena, uint32_t, n_contacts + 1);
    double end;
    int st;
    if (n_contacts > IMPACT_CONTACTS_MAX) {
        diag_add(analysis->ds, DIAG_E0721, command->range,
                 "one impact takes at most %d contacts; here are %u",
                 IMPACT_CONTACTS_MAX, n_contacts);
        return IMP_BADMODEL;
    }
    for (uint32_t i = 0; i < n_contacts; i++)
        contact[i] = arg_contact(analysis, command, i);
    if ((st = touch_option_until(analysis, command, until, &end)) ||
        (st = together(analysis, command, contact, n_contacts, end)))
        return st;
    rotors_release(analysis->rt); /* friction gives no impulse */
    if ((st = impact_read(analysis, contact, n_contacts, problem)))
        return st;
    if (problem->open == IMP_WORLD)
        return impact_prepare(analysis, problem, solver);
    impact_report_open_normal(analysis, problem, DIAG_E0724, command->range);
    return IMP_FAILED;
}
