/* SPDX-License-Identifier: MIT */
/* `impact`: the impulse at one contact of two free (or fixed) bodies and the
 * motion after it (Palffy-Muhoray et al. 2018, eqs (1)-(10), tangential.md
 * 0.A). This file holds the question and the tangential case: there the law
 * gives no impulse, and any other impulse alpha would add the energy alpha^2
 * n.M.n/2 (I2).
 *
 * Like every command it starts from the initial state; commands after it do not
 * see the motion after the impact. */
#include <assert.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/rotors/rotors.h"

/* one impact at one contact, as it is asked for */
struct question {
    const imp_contact *image_contact;
    uint32_t contact;
    const imp_val *user; /* option `impulse`, or NULL */
    double impulse;      /* what it states, N*s */
    struct touch touch;
    struct verdict verdict;
};

/* Brings the model to the touch and gives the verdict on it. */
static int
read_touch(struct analysis *analysis, const imp_command *command,
           struct question *question)
{
    double until;
    int st;
    if ((st = touch_option_until(analysis, command, IMP_OPT_impact_until,
                                 &until)) ||
        (st = arg_number(analysis, command, IMP_OPT_impact_impulse, 0.0,
                         &question->impulse)) ||
        (st = touch_find(analysis, question->contact, until, &question->touch)))
        return st;
    if (question->touch.found != TOUCH_YES) {
        impact_report_no_touch(analysis, command, &question->touch);
        return IMP_FAILED;
    }
    if ((st = touch_agree(analysis, &question->touch)))
        return st;
    touch_verdict(analysis, &question->touch, &question->verdict);
    rotors_release(analysis->rt); /* friction gives no impulse */
    return IMP_OK;
}

/* Warnings of the record into warn[0..4); returns how many. mobility: n.M.n.
 * Energy that the user's impulse adds is calculated from its terms, since the
 * difference of the energies may be rounding (I2). */
static size_t
warnings(struct analysis *analysis, const struct question *question,
         bool tangent, double mobility, const char **warn)
{
    double own = question->impulse;
    size_t count = 0;
    if (question->verdict.class == CLASS_SEPARATING)
        warn[count++] = "the bodies separate: the law gives no impulse";
    if (tangent)
        warn[count++] = "tangential touch: the law gives no impulse, any other "
                        "adds energy (energy_price)";
    if (question->user && own < 0.0)
        warn[count++] = "a negative impulse pulls the bodies together";
    double added = question->user
                       ? own * question->verdict.v + own * own * mobility / 2.0
                       : 0.0;
    if (added > 0.0) {
        char amount[NUM_TEXT];
        warn[count++] =
            arena_printf(record_arena(analysis), "this impulse adds %s J",
                         num_digits(amount, added, 6));
        diag_add(analysis->ds, DIAG_W0721, question->user->range,
                 "an impulse of your own at `%s` adds %s J",
                 imp_text(analysis->rt->im, question->image_contact->name),
                 amount);
    }
    return count;
}

/* Solves the impact: the user's impulse, none where the bodies do not approach,
 * or that of the law. */
static int
solve(struct analysis *analysis, const struct question *question,
      enum imp_impact_law law, struct impact_of_run *problem,
      struct impact_solver **solver)
{
    int st;
    bool approach = question->verdict.class == CLASS_MINUS;
    if ((st = impact_read(analysis, &question->contact, 1, problem)) ||
        (st = impact_prepare(analysis, problem, solver)))
        return st;
    if (law == IMP_IMPACT_UNDECLARED)
        law = (enum imp_impact_law)(IMP_IMPACT_NEWTON +
                                    question->image_contact->law);
    if (question->user || !approach)
        impact_solver_impose(*solver, law, &question->impulse);
    else
        impact_solver_solve(*solver, law);
    return impact_audit(analysis, question->image_contact->range, problem,
                        *solver);
}

/* Sets the fields that one contact has besides those of several. */
static void
set_fields(struct analysis *analysis, const struct question *question,
           double mobility, struct record *out)
{
    enum touch_class class = question->verdict.class;
    bool tangent = class != CLASS_MINUS && class != CLASS_SEPARATING;
    const char *warn[4];
    size_t n_warn = warnings(analysis, question, tangent, mobility, warn);
    if (tangent) {
        double impulse = question->user ? question->impulse : 1.0;
        SET_NUM("energy_price", impulse * impulse * mobility / 2.0);
    } else {
        SET_ABSENT("energy_price", "the touch is not tangential");
    }
    SET_TEXTS("warnings", warn, n_warn);
}

/* Is the contact found from the shapes, at one point, and are its bodies
 * without joints? */
static bool
is_plain(const struct rt *run, uint32_t contact)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    if (image_contact->flags & (IMP_CONTACTF_STATED | IMP_CONTACTF_CORNERS))
        return false;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (int s = 0; s < 4; s++)
            if (joint[i].body[s & 1] == image_contact->body[s >> 1])
                return false;
    return true;
}

static int
cmd_impact(struct analysis *analysis, const imp_command *command,
           struct record *out)
{
    assert(analysis != NULL && command != NULL && command->args.n > 0);
    uint32_t contact = arg_contact(analysis, command, 0);
    enum imp_impact_law law;
    struct impact_of_run problem;
    struct impact_solver *solver;
    int st;
    if (rt_contact(analysis->rt, contact)->system != IMP_NO_SYSTEM)
        return impact_of_system(analysis, command, out);
    if (impact_asked_sticks(analysis, command))
        return impact_sticking(analysis, command, out);
    if (impact_asked_rubs(analysis, command))
        return impact_frictional(analysis, command, out);
    if (command->args.n > 1 || !is_plain(analysis->rt, contact))
        return impact_at_contacts(analysis, command, out);
    struct question question = {
        .image_contact = rt_contact(analysis->rt, contact),
        .contact = contact,
        .user = arg_option(analysis, command, IMP_OPT_impact_impulse)};
    if ((st = impact_law_of_command(analysis, command, &law)) ||
        (st = read_touch(analysis, command, &question)) ||
        (st = solve(analysis, &question, law, &problem, &solver)))
        return st;
    double length = solver->approach.length[0];
    double mobility = solver->delassus.G[0] * length * length;
    impact_record(analysis, &problem, solver,
                  solver->decision.applied ? NULL : impact_fault_text(solver),
                  out);
    impact_without_friction(out);
    set_fields(analysis, &question, mobility, out);
    return IMP_OK;
}

const struct command_functions command_impact = {.run = cmd_impact};
