/* SPDX-License-Identifier: MIT */
/* Touches of class C00 with an overlap ahead: no law decides what follows. The
 * model's policy lets the bodies pass through each other, stops the run, or
 * enforces non-penetration by the least impulse that does so, whose gain of
 * energy is reported (I2, I4). */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/impact/impact_handler.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/instance/saved_state.h"

/* enforce: doublings of the impulse, then halvings of the bracket */
#define ENFORCE_DOUBLINGS 80
#define ENFORCE_HALVINGS 40

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

/* The policy `enforce`: finds the least impulse after which the two bodies,
 * moving freely, do not meet again for as long as they would overlap without it
 * (or until the end of the run). Found by doubling and bisection. */
static int
enforce(struct simulation *sim, uint32_t contact, const struct verdict *verdict)
{
    struct analysis *analysis = sim->analysis;
    struct saved_state here = saved_state_take(analysis->rt);
    struct event event;
    double now = rt_time(analysis->rt), one = 1.0, impulse, mobility,
           cs[IMP_CS_SIZE];
    int st = next_of_one(sim, contact, WATCH_OPEN, sim->options.until, &event);
    double end = !st && event.kind == EVENT_OPEN ? rt_time(analysis->rt)
                                                 : sim->options.until;
    saved_state_restore(analysis->rt, &here);
    if (st == IMP_STOPPED ||
        (st = impact_handler_compute(analysis, contact, &one, cs)))
        return st;

    /* the overlap is about |j*| T^3/6 deep: start far below its speed */
    double T = fmax(end - now, 1e-300);
    double lo = 0.0, hi = 1e-9 * fabs(verdict->jerk) * T * T / cs[IMP_CS_W];
    double found = 0.0;
    for (int i = 0; i < ENFORCE_DOUBLINGS + ENFORCE_HALVINGS; i++) {
        double al = found > 0.0 ? lo + (hi - lo) / 2.0 : hi;
        if (found <= 0.0 && i >= ENFORCE_DOUBLINGS)
            break;
        if (found > 0.0 && hi - lo <= 1e-9 * hi)
            break;
        if ((st = impact_handler_compute(analysis, contact, &al, cs)))
            return st;
        impact_handler_apply(analysis, contact, cs);
        st = next_of_one(sim, contact, WATCH_LEAVE, end, &event);
        saved_state_restore(analysis->rt, &here);
        if (st)
            return st;
        bool clear = event.kind == EVENT_NONE || event.kind == EVENT_EXCLUDED;
        if (clear) {
            found = hi = al;
        } else {
            lo = al;
            if (found <= 0.0)
                hi = 2.0 * al;
        }
    }
    if (!(found > 0.0)) {
        char m[NUM_TEXT];
        diag_add(analysis->ds, DIAG_E0716,
                 rt_contact(analysis->rt, contact)->range,
                 "no impulse up to %s N*s keeps the bodies of `%s` apart",
                 num_digits(m, hi, 3), simulate_contact_name(sim, contact));
        return IMP_FAILED;
    }
    if ((st =
             simulate_apply_handler(sim, contact, &found, &impulse, &mobility)))
        return st;
    double gain = found * found * mobility / 2.0 + found * verdict->v;
    char g[NUM_TEXT], al[NUM_TEXT], t[NUM_TEXT];
    diag_add(analysis->ds, DIAG_W0721, rt_contact(analysis->rt, contact)->range,
             "policy `enforce` at `%s`, t = %s s: an impulse of %s N*s keeps "
             "the bodies apart and adds %s J",
             simulate_contact_name(sim, contact), num_digits(t, now, 9),
             num_digits(al, found, 9), num_digits(g, gain, 9));
    simulate_remark(
        sim, arena_printf(analysis->rt->arena,
                          "enforce at %s: an impulse of %s N*s added %s J",
                          simulate_contact_name(sim, contact), al, g));
    simulate_log_event(sim, contact, "impact", "C00", impulse);
    sim->contacts[contact].watch = WATCH_LEAVE;
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
    struct diag *diag = diag_add(
        analysis->ds, DIAG_W0720, rt_contact(analysis->rt, contact)->range,
        "the touch of `%s` at t = %s s is C00: %s",
        simulate_contact_name(sim, contact),
        num_digits(time, rt_time(analysis->rt), 9), what);
    diag_note(analysis->ds, diag, sim->command->range,
              "j* = %s m/s^3; the run stops here, as no policy chooses",
              num_digits(jerk, verdict->jerk, 9));
    diag_help(analysis->ds, diag,
              "say world { policy = through }, stop or enforce; or let this "
              "contact pass with `through = %s`",
              simulate_contact_name(sim, contact));
    return IMP_OK;
}
