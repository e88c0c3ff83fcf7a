/* SPDX-License-Identifier: MIT */
/* Motion backward in time, `until` below 0: what bodies and systems did before
 * the start, up to where a gap was closed last. What was before that is not
 * known: many states lead to one impact. Where friction has acted, or a formula
 * changes its branch, the state of the start does not tell either, and the run
 * ends with an error. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/touch.h"
#include "analysis/simulate/simulate_priv.h"
#include "analysis/trace/run_file.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/instance/system.h"
#include "runtime/modes/friction_modes.h"
#include "runtime/motion/motion.h"
#include "runtime/rotors/rotors.h"
#include "runtime/rubbing/rubbing.h"

/* halvings that leave an ulp of a step */
#define HALVINGS 54

static int
refuse(struct simulation *sim, imp_range where, const char *why,
       const char *help)
{
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0770, where, "%s", why);
    diag_help(sim->analysis->ds, diag, "%s", help);
    return IMP_BADMODEL;
}

static int
no_further(struct simulation *sim)
{
    return refuse(sim, sim->command->range,
                  "the motion cannot be continued further back",
                  "a force or a speed grows without bound there");
}

/* Is there anything whose past does not follow from the start? */
static int
determined(struct simulation *sim)
{
    struct rt *run = sim->run;
    const imp_image *im = run->im;
    const imp_block *block = IMP_ARRAY(im, im->blocks, imp_block);
    imp_range where = sim->command->range;
    if (sim->along)
        return refuse(sim, where,
                      "sup, inf, integral and first are told of motion forward",
                      "record the expression itself, at many times");
    if (run_file_wanted(sim->analysis, sim->command))
        return refuse(sim, where,
                      "motion backward in time is not kept, so that it is not "
                      "shown either",
                      "leave out `trace` and the view, or go forward");
    for (uint32_t i = 0; i < im->blocks.n; i++)
        if (block[i].guard != IMP_NO_TAPE)
            return refuse(sim, where,
                          "a force changes its branch (if, abs, max ...), so "
                          "that the motion is not followed backward",
                          "let the model begin earlier, and go forward");
    for (uint32_t c = 0; c < sim->n_contacts; c++) {
        const imp_contact *contact = rt_contact(run, c);
        if (contact->flags & IMP_CONTACTF_RULE)
            return refuse(sim, contact->range,
                          "this stands for too many pairs to follow them "
                          "backward in time",
                          "name the bodies that may touch");
        if (friction_modes_contact(run, c) ||
            (contact->flags & IMP_CONTACTF_SLIP) ||
            (contact->system != IMP_NO_SYSTEM &&
             rt_system(run, contact->system)->n_rub))
            return refuse(sim, contact->range,
                          "a contact with friction has no motion backward in "
                          "time: what stuck may have slipped",
                          "leave out its friction, or go forward");
    }
    if (rubbing_any(run))
        return refuse(sim, where,
                      "a joint with friction has no motion backward in time: "
                      "what stuck may have slipped",
                      "leave out its friction, or go forward");
    if (rotors_at_rest(run))
        return refuse(sim, where,
                      "a rotor with friction has no rate: when it came to rest "
                      "is not known",
                      "give it a rate, or leave out its friction");
    return IMP_OK;
}

/* Has the way from the present state, at `from`, to the state at the time `to`
 * (saved) a closed gap? The present state stays. */
static int
closes_between(struct simulation *sim, const struct saved_state *at, double to,
               uint32_t *contact, bool *closes)
{
    struct rt *run = sim->run;
    uint32_t n_more;
    struct event event = {.kind = EVENT_NONE};
    struct event *more = NEW_N(run->brief, struct event, sim->n_contacts + 1);
    double gap, tol, rate;
    bool any = false;
    *closes = false;
    for (uint32_t c = 0; c < sim->n_contacts; c++) {
        sim->watch[c] = WATCH_OFF;
        if (rt_contact(run, c)->system != IMP_NO_SYSTEM ||
            (rt_contact(run, c)->flags & IMP_CONTACTF_STATED) ||
            sim->contacts[c].through)
            continue;
        int st = touch_gap(sim->analysis, c, &gap, NULL);
        if (st)
            return st;
        gap_tolerances(run, c, &tol, &rate);
        if (gap <= 0.0) {
            *closes = true;
            *contact = c;
            return IMP_OK;
        }
        sim->watch[c] = gap > tol ? WATCH_CLOSE : WATCH_LEAVE;
        any = true;
    }
    if (!any)
        return IMP_OK;
    int st = event_next(run, sim->watch, to, NULL, NULL, &event, more, &n_more);
    *closes = event.kind == EVENT_CROSS || event.kind == EVENT_TANGENT;
    *contact = event.contact;
    saved_state_restore(run, at);
    return st;
}

/* One step of the bodies back, to `target` at most. *closed: a gap was closed
 * there, and the state is that just after it opened. */
static int
bodies_back(struct simulation *sim, double target, bool *closed)
{
    struct rt *run = sim->run;
    double step, good = rt_time(run), bad;
    uint32_t contact = 0, other;
    struct saved_state start = saved_state_take(run);
    int st = motion_series_all(run, MOTION_STEP_ORDER, &step);
    if (st)
        return st;
    double end = fmax(target, good - step);
    if (end == good)
        return no_further(sim);
    motion_advance(run, end - good, end);
    struct saved_state here = saved_state_take(run);
    if ((st = closes_between(sim, &here, good, &contact, closed)))
        return st;
    bad = end;
    for (int i = 0; *closed && i < HALVINGS; i++) {
        double middle = 0.5 * (good + bad);
        bool closes;
        saved_state_restore(run, &start);
        double begin = rt_time(run);
        if ((st = motion_series_all(run, MOTION_STEP_ORDER, &step)))
            return st;
        motion_advance(run, middle - begin, middle);
        struct saved_state there = saved_state_take(run);
        if ((st = closes_between(sim, &there, begin, &other, &closes)))
            return st;
        if (closes) {
            bad = middle;
            contact = other;
        } else {
            good = middle;
            here = there;
        }
    }
    if (!*closed)
        return IMP_OK;
    saved_state_restore(run, good == start.v[0] ? &start : &here);
    simulate_log_event(sim, contact, "stop", "", 0.0);
    return IMP_OK;
}

/* One step of all that moves, as bodies_back. Bodies do not feel systems, whose
 * gaps say where their motion ends. */
static int
step_back(struct simulation *sim, double target, bool *closed)
{
    struct rt *run = sim->run;
    double now = rt_time(run), back = now - target;
    uint32_t contact = FLOW_NO_CONTACT, n = run->im->systems.n;
    for (uint32_t i = 0; i < n; i++) {
        double length = back;
        uint32_t closes;
        int st = flow_back_look(run, i, &length, &closes);
        if (st)
            return st;
        if (length < back || closes != FLOW_NO_CONTACT)
            contact = closes;
        back = fmin(back, length);
    }
    double end = back < now - target ? fmax(now - back, target) : target;
    if (end == now && contact == FLOW_NO_CONTACT)
        return no_further(sim);
    int st = end < now ? bodies_back(sim, end, closed) : IMP_OK;
    for (uint32_t i = 0; i < n && !st; i++)
        flow_back_move(run, i, now - rt_time(run));
    if (st || *closed || contact == FLOW_NO_CONTACT || rt_time(run) > end)
        return st;
    *closed = true;
    simulate_log_event(sim, contact, "stop", "", 0.0);
    return IMP_OK;
}

static int
back_to(struct simulation *sim, double target, bool *closed)
{
    struct rt *run = sim->run;
    while (rt_time(run) > target && !*closed) {
        if (rt_stopped(run))
            return IMP_STOPPED;
        int st = step_back(sim, target, closed);
        if (st)
            return st;
        sim->rows.fresh = false;
        if (!rotors_keep_sign(run))
            return refuse(
                sim, sim->command->range,
                "a rotor with friction was at rest before: since when "
                "is not known",
                "end the run later, or leave out the friction");
        rt_brief_end(run);
    }
    return IMP_OK;
}

int
simulate_backward(struct simulation *sim)
{
    assert(sim != NULL && sim->options.until < 0.0);
    struct rt *run = sim->run;
    bool closed = false;
    double gap, tol, rate;
    int st = determined(sim);
    for (uint32_t i = 0; i < run->im->systems.n && !st; i++) {
        bool touches;
        uint32_t contact;
        st = flow_back_start(run, i, &touches, &contact);
        if (!st && touches)
            st = refuse(sim, rt_contact(run, contact)->range,
                        "the gap is closed at the start: many motions lead to "
                        "this state",
                        "begin where it is open");
    }
    for (uint32_t c = 0; c < sim->n_contacts && !st; c++) {
        if (rt_contact(run, c)->system != IMP_NO_SYSTEM ||
            (rt_contact(run, c)->flags & IMP_CONTACTF_STATED) ||
            sim->contacts[c].through)
            continue;
        gap_tolerances(run, c, &tol, &rate);
        st = event_start_check(run, c, &gap);
        if (!st && gap <= tol)
            st = refuse(sim, rt_contact(run, c)->range,
                        "the bodies touch at the start: many motions lead to "
                        "this state",
                        "begin where they are apart");
    }
    sim->begun = !st;
    for (size_t i = 0; i < sim->rows.times.n && !st && !closed; i++) {
        st = back_to(sim, sim->rows.times.v[i], &closed);
        if (st)
            return st;
        sim->rows.asked = true;
        if (sim->rows.n_items && (st = simulate_row(sim)))
            return st;
        sim->rows.asked = false;
        simulate_keep_state(sim);
    }
    if (!st && !closed)
        st = back_to(sim, sim->options.until, &closed);
    sim->stopped = closed;
    rt_progress(run, 1.0);
    return st;
}
