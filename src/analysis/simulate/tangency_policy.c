/* SPDX-License-Identifier: MIT */
/* Touches of class C00 with an overlap ahead: no law decides what follows. The
 * model's policy lets the bodies pass through each other, stops the run, or
 * enforces non-penetration by the least impulse that does so, whose gain of
 * energy is reported (I2, I4). */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/instance/saved_state.h"

/* enforce: doublings of the impulse, then halvings of the bracket */
#define ENFORCE_DOUBLINGS 80
#define ENFORCE_HALVINGS 40
/* to which share of itself the impulse is found: the touch is known to no more
 */
#define ENFORCE_KNOWN RT_TOLERANCE

static int
next_of_one(struct simulation *sim, uint32_t contact, enum event_watch how,
            double until, struct event *event)
{
    struct rt *run = sim->run;
    enum event_watch *w = NEW_N(run->brief, enum event_watch, sim->n_contacts);
    struct event *more = NEW_N(run->brief, struct event, sim->n_contacts + 1);
    uint32_t n;
    w[contact] = how;
    return event_next(run, w, until, NULL, NULL, event, more, &n);
}

/* one impulse at one contact, and what it is tried on */
struct enforced {
    struct simulation *sim;
    uint32_t contact;
    const struct verdict *verdict;
    struct saved_state here;
    struct impact_of_run problem;
    struct impact_solver *solver;
    double now, end; /* of the overlap that free motion would make */
};

/* When the bodies, moving freely, would be apart again. This does not depend on
 * the end of the run: what happens now cannot. */
static int
find_end(struct enforced *enforced)
{
    struct simulation *sim = enforced->sim;
    struct rt *run = sim->run;
    struct event event;
    char time[NUM_TEXT];
    double horizon = enforced->now + event_horizon(run);
    int st = next_of_one(sim, enforced->contact, WATCH_OPEN, horizon, &event);
    enforced->end = rt_time(run);
    saved_state_restore(run, &enforced->here);
    if (st)
        return st;
    if (event.kind == EVENT_OPEN)
        return IMP_OK;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0716,
        rt_contact(run, enforced->contact)->range,
        "no impulse of policy `enforce` at `%s` is the least: free motion lets "
        "the bodies overlap until t = %s s and beyond",
        simulate_contact_name(sim, enforced->contact),
        num_digits(time, horizon, 6));
    struct rt_passing pass =
        rt_passing(run, simulate_contact_name(sim, enforced->contact));
    diag_help(sim->analysis->ds, diag,
              "choose `policy = through` or `stop`, or let this contact pass "
              "with `through = %s`%s",
              pass.name, pass.more);
    return IMP_FAILED;
}

/* Do the bodies, moving freely after this impulse, stay apart until the end of
 * the overlap? */
static int
keeps_apart(struct enforced *enforced, double impulse, bool *apart)
{
    struct rt *run = enforced->sim->run;
    struct event event;
    impact_solver_impose(enforced->solver, IMP_IMPACT_NEWTON, &impulse);
    impact_of_run_write(run, &enforced->problem,
                        enforced->solver->velocity.twist);
    int st = next_of_one(enforced->sim, enforced->contact, WATCH_LEAVE,
                         enforced->end, &event);
    saved_state_restore(run, &enforced->here);
    *apart = event.kind == EVENT_NONE || event.kind == EVENT_EXCLUDED;
    return st;
}

/* The least such impulse, by doubling and bisection. */
static int
find_impulse(struct enforced *enforced, double *found)
{
    /* the overlap is about |j*| T^3/6 deep: start far below its speed */
    double T = fmax(enforced->end - enforced->now, 1e-300);
    double lo = 0.0, hi = 1e-9 * fabs(enforced->verdict->jerk) * T * T /
                          enforced->solver->delassus.G[0];
    *found = 0.0;
    for (int i = 0; i < ENFORCE_DOUBLINGS + ENFORCE_HALVINGS; i++) {
        bool known = *found > 0.0, apart;
        double impulse = known ? lo + (hi - lo) / 2.0 : hi;
        if (known ? hi - lo <= ENFORCE_KNOWN * hi : i >= ENFORCE_DOUBLINGS)
            break;
        int st = keeps_apart(enforced, impulse, &apart);
        if (st)
            return st;
        if (apart)
            *found = hi = impulse;
        else
            lo = impulse;
        if (!apart && !known)
            hi = 2.0 * impulse;
    }
    if (*found > 0.0)
        return IMP_OK;
    char most[NUM_TEXT];
    struct simulation *sim = enforced->sim;
    diag_add(sim->analysis->ds, DIAG_E0716,
             rt_contact(sim->run, enforced->contact)->range,
             "no impulse up to %s N*s keeps the bodies of `%s` apart",
             num_digits(most, hi, 3),
             simulate_contact_name(sim, enforced->contact));
    return IMP_FAILED;
}

/* Tells what the impulse costs. */
static void
report_gain(const struct enforced *enforced, double impulse)
{
    struct simulation *sim = enforced->sim;
    const char *name = simulate_contact_name(sim, enforced->contact);
    double gain = impulse * (impulse * enforced->solver->delassus.G[0] / 2.0 +
                             enforced->verdict->v);
    char gain_text[NUM_TEXT], al[NUM_TEXT], t[NUM_TEXT];
    diag_add(sim->analysis->ds, DIAG_W0721,
             rt_contact(sim->run, enforced->contact)->range,
             "policy `enforce` at `%s`, t = %s s: an impulse of %s N*s keeps "
             "the bodies apart and adds %s J",
             name, rt_told(t, enforced->now, 9), num_digits(al, impulse, 9),
             num_digits(gain_text, gain, 9));
    simulate_remark(
        sim, arena_printf(sim->run->arena,
                          "enforce at %s: an impulse of %s N*s added %s J",
                          name, al, gain_text));
}

/* The policy `enforce`: finds the least impulse after which the two bodies,
 * moving freely, do not meet again for as long as they would overlap without
 * it, and applies it. */
static int
enforce(struct simulation *sim, uint32_t contact, const struct verdict *verdict)
{
    struct analysis *analysis = sim->analysis;
    struct enforced enforced = {.sim = sim,
                                .contact = contact,
                                .verdict = verdict,
                                .here = saved_state_take(analysis->rt),
                                .now = rt_time(analysis->rt)};
    double impulse;
    int st;
    if ((st = find_end(&enforced)) ||
        (st = impact_read(analysis, &contact, 1, &enforced.problem)) ||
        (st = impact_prepare(analysis, &enforced.problem, &enforced.solver)) ||
        (st = find_impulse(&enforced, &impulse)))
        return st;
    impact_solver_impose(enforced.solver, IMP_IMPACT_NEWTON, &impulse);
    if ((st = impact_audit(analysis, sim->command->range, &enforced.problem,
                           enforced.solver)))
        return st;
    impact_of_run_write(sim->run, &enforced.problem,
                        enforced.solver->velocity.twist);
    sim->rows.fresh = false;
    report_gain(&enforced, impulse);
    simulate_log_event(sim, contact, "impact", "C00", impulse);
    simulate_watch(sim, contact, WATCH_LEAVE);
    return simulate_row(sim);
}

int
simulate_tangency_policy(struct simulation *sim, uint32_t contact,
                         const struct verdict *verdict)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(verdict != NULL && verdict->class == CLASS_00);
    struct analysis *analysis = sim->analysis;
    bool through =
        sim->contacts[contact].through ||
        (sim->options.has_policy && sim->options.policy == IMP_POLICY_THROUGH);
    if (through) {
        simulate_log_event(sim, contact, "overlap begins", "C00", 0.0);
        simulate_begin_overlap(sim, contact);
        return IMP_OK;
    }
    if (sim->options.has_policy && sim->options.policy == IMP_POLICY_ENFORCE &&
        !verdict->jerk_zero)
        return enforce(sim, contact, verdict);
    simulate_log_event(sim, contact, "stop", "C00", 0.0);
    sim->stopped = true;
    char jerk[NUM_TEXT], time[NUM_TEXT];
    const char *what =
        verdict->jerk_zero
            ? "v, D and j* of the gap are zero: higher orders decide"
            : "free motion leads into overlap, any impulse adds "
              "energy";
    simulate_remark(sim,
                    arena_printf(analysis->rt->arena,
                                 "stopped at a C00 touch of %s: %s; policies: "
                                 "through, stop, enforce",
                                 simulate_contact_name(sim, contact), what));
    if (sim->options.has_policy)
        return IMP_OK;
    struct diag *diag = diag_add(analysis->ds, DIAG_W0720,
                                 rt_contact(analysis->rt, contact)->range,
                                 "the touch of `%s` at t = %s s is C00: %s",
                                 simulate_contact_name(sim, contact),
                                 rt_told(time, rt_time(analysis->rt), 9), what);
    diag_note(analysis->ds, diag, sim->command->range,
              "j* = %s m/s^3; the run stops here, as no policy chooses",
              num_digits(jerk, verdict->jerk, 9));
    diag_help(analysis->ds, diag,
              "say world { policy = through }, stop or enforce; or let this "
              "contact pass with `through = %s`",
              simulate_contact_name(sim, contact));
    return IMP_OK;
}
