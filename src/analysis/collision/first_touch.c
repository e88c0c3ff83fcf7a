/* SPDX-License-Identifier: MIT */
/* Following the motion from the start to the first touch of a contact.
 *
 * A touch found by search lies where the gap is within rounding of zero. At a
 * double root this leaves the time free to 1e-8 of the time scale, at a triple
 * root to 1e-5. There v and D are not small enough to be distinguished from
 * zero (tangential.md 0.F). The time is therefore moved to the simple root of
 * the derivative that decides: gap'' at C00, gap' at C0+ and C0-. This root is
 * accepted only if the gap and its lower derivatives are zero there within
 * tolerance. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/verdict.h"
#include "base/num.h"
#include "runtime/events/event.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/rotors/rotors.h"
#include "runtime/rubbing/rubbing.h"
#include "runtime/setup/new_run.h"

#define POLISH_ORDER 8
/* a normal velocity above this share of its terms belongs to a normal
 * collision, whose time is a simple root already */
#define POLISH_FAST 1e-3

int
touch_option_until(struct analysis *analysis, const imp_command *command,
                   enum imp_option_id id, double *until)
{
    assert(analysis != NULL && command != NULL && until != NULL);
    int st = arg_number(analysis, command, id, -1.0, until);
    if (st)
        return st;
    const imp_val *value = arg_option(analysis, command, id);
    if (!value) {
        *until = NAN; /* A search finds its own horizon. */
    } else if (!(*until >= 0.0)) {
        char s[NUM_TEXT];
        diag_add(analysis->ds, DIAG_E0705, value->range,
                 "`until` is %s s: motion is followed forward, from t = 0",
                 num_shortest(s, *until));
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* Moves the model by dt from the touch and reads the coefficients there. */
static int
move(struct analysis *analysis, struct touch *touch, double dt)
{
    double to = touch->time + dt;
    if (to == touch->time)
        return IMP_OK;
    if (to < 0.0)
        to = 0.0;
    int st = motion_to(analysis->rt, to);
    return st ? st : touch_read(analysis, touch, touch->order);
}

/* Moves the model to the root of the derivative that decides (tangential.md
 * 0.F). */
static int
touch_polish(struct analysis *analysis, struct touch *touch)
{
    double v_size, D_size, j_size, d1[JET_MAX + 1], d2[JET_MAX + 1];
    if (touch->order < 4)
        return IMP_OK;
    touch_term_sizes(touch, &v_size, &D_size, &j_size);
    if (fabs(touch->jet[1]) > POLISH_FAST * v_size)
        return IMP_OK;
    int order = touch->order < POLISH_ORDER ? touch->order : POLISH_ORDER;
    int n1 = polynomial_derivative(touch->jet, order, d1);
    int n2 = polynomial_derivative(d1, n1, d2);
    /* at the root of gap'' the rate is -D^2/(2 j*): for C00 it must be rounding
     * alone, and the tolerance of v is too wide for that */
    double still =
        fmax(gap_c00_share(analysis->rt) * v_size, touch_velocity_floor(touch));

    /* C00: the simple root of gap'' */
    double lead = fabs(touch->jet[3]), root = 0.0;
    double reach = lead > 0.0 ? 10.0 * cbrt(touch->gap_tol / lead) : 0.0;
    if (reach > 0.0 && polynomial_newton(d2, n2, reach, &root) &&
        fabs(polynomial_value(touch->jet, order, root)) <= touch->gap_tol &&
        fabs(polynomial_value(d1, n1, root)) <= still)
        return move(analysis, touch, root);

    /* C0+, C0-: the simple root of gap' */
    lead = fabs(touch->jet[2]);
    root = 0.0;
    reach = lead > 0.0 ? 10.0 * sqrt(touch->gap_tol / lead) : 0.0;
    if (reach > 0.0 && polynomial_newton(d1, n1, reach, &root) &&
        fabs(polynomial_value(touch->jet, order, root)) <= touch->gap_tol)
        return move(analysis, touch, root);
    return IMP_OK;
}

int
touch_require_movable(struct analysis *analysis, uint32_t contact)
{
    assert(analysis != NULL && contact < analysis->rt->im->contacts.n);
    const struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    struct diag *diag;
    if (image_contact->flags & IMP_CONTACTF_STATED) {
        diag =
            diag_add(analysis->ds, DIAG_E0722, image_contact->range,
                     "the contact `%s` is stated at the start, but the bodies "
                     "of another one touch later",
                     imp_text(run->im, image_contact->name));
        diag_help(analysis->ds, diag, "place the bodies where they touch");
        return IMP_FAILED;
    }
    return IMP_OK;
}

/* -- on the way ------------------------------------------------------------ */

/* The next change of a mode of rotors and joints with friction. */
struct mode_end {
    uint32_t rotor; /* or IMP_NO_ROTOR */
    struct rubbing_change joint;
    double rotor_time, joint_time;
};

/* Shortens *end to the first such change. */
static int
modes_peek(struct rt *run, double *end, struct mode_end *next)
{
    next->rotor = IMP_NO_ROTOR;
    next->joint.what = RUBBING_NOTHING;
    int st = rotors_rub(run)
                 ? rotors_peek(run, MOTION_STEP_ORDER, end, &next->rotor)
                 : IMP_OK;
    next->rotor_time = *end;
    if (!st && rubbing_any(run))
        st = rubbing_peek(run, end, &next->joint);
    next->joint_time = *end;
    return st;
}

/* E0562: the law of friction does not say how joints go on. */
static int
left_open(struct analysis *analysis, uint32_t contact, uint32_t joint)
{
    char time[NUM_TEXT];
    const struct rt *run = analysis->rt;
    const imp_joint *of =
        IMP_ARRAY(run->im, run->im->joints, imp_joint) + joint;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0562, of->range_friction,
        "at t = %s the friction of joint `%s`, and of those beside it, leaves "
        "open how the motion goes on, and `%s` has not touched yet",
        rt_told(time, rt_time(run), 9), imp_text(run->im, of->name),
        imp_text(run->im, rt_contact(run, contact)->name));
    diag_help(analysis->ds, diag,
              "friction and the force that it depends on increase each other "
              "there: make the friction smaller, or the bush longer");
    return IMP_FAILED;
}

/* Makes the changes of modes that fall on the present time. */
static int
modes_change(struct analysis *analysis, uint32_t contact, struct mode_end *next)
{
    struct rt *run = analysis->rt;
    int st = IMP_OK;
    if (next->rotor != IMP_NO_ROTOR && rt_time(run) == next->rotor_time)
        st = rotors_change(run, next->rotor);
    if (st || next->joint.what == RUBBING_NOTHING ||
        rt_time(run) != next->joint_time)
        return st;
    st = rubbing_apply(run, &next->joint);
    return !st && next->joint.what == RUBBING_OPEN
               ? left_open(analysis, contact, next->joint.joint)
               : st;
}

/* Does friction of a rotor or joint act on a body of the contact? */
static bool
rubs(const struct rt *run, const imp_contact *contact)
{
    return rotors_rub(run) || rubbing_moves(run, contact->body[0]) ||
           rubbing_moves(run, contact->body[1]);
}

/* Moves to the first event of the contacts that are watched, or to `until`,
 * from one change of a mode to the next; other contacts are passed over.
 * contact: the one that is asked about. */
static int
follow(struct analysis *analysis, uint32_t contact,
       const enum event_watch *watch, double until, struct event *event)
{
    struct rt *run = analysis->rt;
    uint32_t n = run->im->contacts.n, n_more = 0;
    struct event *more = NEW_N(run->arena, struct event, n + 1);
    bool modes = rotors_rub(run) || rubbing_any(run);
    struct mode_end next;
    if (!modes)
        return event_next(run, watch, until, NULL, NULL, event, more, &n_more);
    int st = rotors_settle(run);
    event->kind = EVENT_NONE;
    while (!st && rt_time(run) < until) {
        double end = until;
        rt_brief_end(run);
        if ((st = modes_peek(run, &end, &next)) ||
            (st =
                 event_next(run, watch, end, NULL, NULL, event, more, &n_more)))
            return st;
        if (event->kind == EVENT_EXCLUDED &&
            !rubs(run, rt_contact(run, contact)))
            return IMP_OK;
        if (event->kind != EVENT_NONE && event->kind != EVENT_EXCLUDED)
            return IMP_OK;
        event->kind = EVENT_NONE;
        if (rt_time(run) < end)
            st = motion_to(run, end);
        if (!st)
            st = modes_change(analysis, contact, &next);
    }
    return st;
}

/* -- contacts that are passed over ------------------------------------------
 */

/* Is this another contact of bodies that move together with those of `contact`?
 * Only such ones can change the motion to its touch. */
static bool
beside(const struct rt *run, uint32_t other, uint32_t contact)
{
    const imp_contact *a = rt_contact(run, other),
                      *b = rt_contact(run, contact);
    if (other == contact || a->system != IMP_NO_SYSTEM ||
        a->flags & (IMP_CONTACTF_STATED | IMP_CONTACTF_RULE))
        return false;
    for (int k = 0; k < 4; k++) {
        uint32_t block = rt_body(run, a->body[k / 2])->block;
        if (block != IMP_NO_BLOCK &&
            block == rt_body(run, b->body[k % 2])->block)
            return true;
    }
    return false;
}

/* W0765: the motion to the touch goes on as if a contact were not there. */
static void
tell_passed(struct analysis *analysis, uint32_t contact,
            const struct event *event)
{
    char time[NUM_TEXT];
    const struct rt *run = analysis->rt;
    const imp_contact *passed = rt_contact(run, event->contact);
    struct diag *diag = diag_add(
        analysis->ds, DIAG_W0765, passed->range,
        "the motion that is followed to a touch of `%s` passes over `%s`, "
        "which %s",
        imp_text(run->im, rt_contact(run, contact)->name),
        imp_text(run->im, passed->name),
        event->time > 0.0 ? arena_printf(run->arena, "closes at t = %s s",
                                         rt_told(time, event->time, 6))
                          : "is closed and pressed at the start");
    diag_help(analysis->ds, diag,
              "`simulate` counts all contacts; or place the bodies as they are "
              "right before the touch");
}

/* Looks whether contacts that the search has passed over would have changed the
 * motion before its end, and tells the first one. The present state stays. An
 * error of this look is none of the question. */
static void
look_beside(struct analysis *analysis, uint32_t contact, double end)
{
    struct rt *run = analysis->rt;
    uint32_t n = run->im->contacts.n, beside_it = 0;
    enum event_watch *watch = NEW_N(run->arena, enum event_watch, n);
    for (uint32_t i = 0; i < n; i++) {
        watch[i] = beside(run, i, contact) ? WATCH_CLOSE : WATCH_OFF;
        beside_it += watch[i] != WATCH_OFF;
    }
    if (!beside_it)
        return;
    struct saved_state here = saved_state_keep(run);
    struct diag *last = analysis->ds->last;
    struct event event = {.kind = EVENT_NONE};
    int st = IMP_OK;
    rt_reset(run);
    for (uint32_t i = 0; i < n && !st; i++) {
        double gap, tol, rate;
        if (watch[i] == WATCH_OFF)
            continue;
        gap_tolerances(run, i, &tol, &rate);
        st = touch_gap(analysis, i, &gap, NULL);
        watch[i] = st || gap < -tol ? WATCH_OFF
                   : gap <= tol     ? WATCH_LEAVE
                                    : WATCH_CLOSE;
    }
    if (!st)
        st = follow(analysis, contact, watch, end, &event);
    while (analysis->ds->last != last)
        diag_withdraw(analysis->ds, analysis->ds->last);
    if (!st && event.kind != EVENT_NONE && event.kind != EVENT_EXCLUDED &&
        event.time < end)
        tell_passed(analysis, contact, &event);
    saved_state_restore(run, &here);
}

int
touch_find(struct analysis *analysis, uint32_t contact, double until,
           struct touch *touch)
{
    assert(analysis != NULL && touch != NULL);
    assert(contact < analysis->rt->im->contacts.n);
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    memset(touch, 0, sizeof *touch);
    touch->contact = contact;
    touch->length = gap_length(run, contact);
    touch->order = POLISH_ORDER;
    rt_reset(run);
    double gap = NAN, rate;
    gap_tolerances(run, contact, &touch->gap_tol, &rate);
    int st = event_start_check(run, contact, &gap);
    if (st)
        return gap < -touch->gap_tol
                   ? IMP_BADMODEL
                   : command_failed(analysis, st, image_contact->range,
                                    "the closest points at the start");
    if (gap <= touch->gap_tol) {
        touch->at_start = true;
        return touch_read(analysis, touch, POLISH_ORDER);
    }
    if (isnan(until))
        until = event_horizon(run);
    struct event event;
    enum event_watch *watch =
        NEW_N(run->arena, enum event_watch, run->im->contacts.n);
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        watch[i] = i == contact ? WATCH_CLOSE : WATCH_OFF;
    st = follow(analysis, contact, watch, until, &event);
    if (st)
        return command_failed(analysis, st, image_contact->range,
                              "following the motion");
    touch->time = rt_time(run);
    look_beside(analysis, contact,
                event.kind == EVENT_EXCLUDED ? until : touch->time);
    if (event.kind == EVENT_NONE || event.kind == EVENT_EXCLUDED) {
        touch->found = event.kind == EVENT_NONE ? TOUCH_NONE : TOUCH_NEVER;
        return IMP_OK;
    }
    st = touch_read(analysis, touch, POLISH_ORDER);
    return st ? st : touch_polish(analysis, touch);
}
