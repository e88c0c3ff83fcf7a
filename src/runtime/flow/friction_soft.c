/* SPDX-License-Identifier: MIT */
/* Contacts that are compliant for a while: where friction leaves the motion of
 * rigid contacts open, the policy of the model may let the contact be what it
 * is made of (specification painleve.md, 7). Its normal force is then the law
 * that it states, of its depth and speed; friction is as ever. A contact that
 * has opened again is rigid again.
 *
 * A compliant contact pushes (closed), or its gap is open (CONTACT_SOFT), or it
 * is still pressed in and its law has no force (CONTACT_PRESSED, open). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/numerics/polynomial.h"

/* A force is zero within so many of its roundings where something ends: the
 * state there has gone through a root and a piece of the motion. */
#define FRICTION_FUZZ 16.0

int
friction_soft_new(struct flow *flow)
{
    assert(flow && flow->taylor->friction);
    struct taylor_friction *friction = flow->taylor->friction;
    struct arena *arena = flow->run->arena;
    friction->soft = NEW_N(arena, enum contact_softness, flow->m);
    friction->scale = NEW_N(arena, double, flow->m);
    friction->yields = NEW_N(arena, bool, flow->m);
    friction->let_go = NEW_N(arena, bool, flow->m);
    friction->fuzz = NEW_N(arena, double, flow->m);
    friction->rest = NEW_N(arena, double, 2 * (size_t)flow->m);
    friction->gave = NEW_N(arena, double, flow->m);
    friction->memory = NEW_N(arena, double, 2 * (size_t)flow->m);
    friction->piece.memory = NEW_N(arena, double, 2 * (size_t)flow->m * ROW);
    for (uint32_t i = 0; i < flow->m; i++) {
        friction->gave[i] = NAN;
        if (rt_contact(flow->run, flow->sys->contact + i)->compliance ==
            IMP_NO_TAPE)
            continue;
        int st = contact_compliance_start(flow->run, flow->sys->contact + i,
                                          &friction->scale[i]);
        if (st)
            return st;
        if (flow->run->compliant)
            friction->soft[i] = CONTACT_SOFT;
    }
    return IMP_OK;
}

int
friction_soft_force(const struct flow *flow, uint32_t i, double *force)
{
    assert(force && friction_soft(flow, i));
    const struct taylor_flow *taylor = flow->taylor;
    double scale = taylor->friction->scale[i], root = sqrt(scale), out[3];
    int st =
        contact_compliance_at(flow->run, flow->sys->contact + i, scale,
                              flow->instant.gap[i], flow->instant.rate[i], out);
    *force = st ? 0.0 : fmax(out[0], 0.0);
    if (!st)
        taylor->friction->fuzz[i] =
            TAYLOR_NOISE * DBL_EPSILON *
            (fabs(out[1]) * taylor->terms.gap_max[i] / scale +
             fabs(out[2]) * taylor->terms.rate_max[i] / root);
    return st;
}

bool
friction_soft_yields(struct flow *flow, const int *contact, int n)
{
    assert(contact && n > 0);
    struct taylor_friction *friction = flow->taylor->friction;
    bool any = false;
    for (int k = 0; k < n; k++)
        if (friction->scale[contact[k]] > 0.0 &&
            friction->soft[contact[k]] == CONTACT_RIGID)
            any = friction->yields[contact[k]] = true;
    return any;
}

const double *
friction_soft_row(const struct flow *flow, uint32_t i)
{
    uint32_t before = 0;
    for (uint32_t j = 0; j < i; j++)
        before += rt_contact(flow->run, flow->sys->contact + j)->compliance !=
                  IMP_NO_TAPE;
    return system_pressed_row(flow->run, flow->system, before);
}

/* -- rest ---------------------------------------------------------------------
 * Contacts that come to rest while they are pressed in. The law of a compliance
 * may jump where the speed changes its sign: what gives back less than it takes
 * pushes with f- on the way back, and with f+ on the way in. At speed 0 its
 * force is any one between both (Filippov 1988, section 4): where the force
 * that keeps the depth lies there, either way leads back, and the contact is
 * CONTACT_HELD: it keeps its depth as a rigid one keeps its gap, until that
 * force leaves the interval. Where p of a slip is negative the force in between
 * holds nothing: either way leads away from speed 0. */

/* The forces of the law of contact i at this gap on the way back and on the way
 * in, with this memory (2). False: it does not jump upwards. */
static bool
sides(const struct flow *flow, uint32_t i, double gap, const double *memory,
      double force[2])
{
    return contact_compliance_sides(flow->run, flow->sys->contact + i,
                                    flow->taylor->friction->scale[i], gap,
                                    memory, force);
}

static double
rate_noise(const struct flow *flow, uint32_t i)
{
    return TAYLOR_NOISE * DBL_EPSILON * flow->taylor->terms.rate_max[i];
}

/* The acceleration of gap i by a unit of its own normal force: p, or that of a
 * contact which sticks. */
static double
mobility(const struct flow *flow, uint32_t i, enum contact_mode mode)
{
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    size_t all = 2 * (size_t)flow->m, N = 2 * (size_t)i, T = N + 1;
    const double *W = rows->W;
    if (mode == CONTACT_STICK)
        return W[N * all + N] -
               W[N * all + T] * W[N * all + T] / W[T * all + T];
    return W[N * all + N] -
           friction_sign(mode) * rows->slip[i].mu * W[N * all + T];
}

/* The mode of contact i as it is pressed. */
static enum contact_mode
mode_pressed(const struct flow *flow, uint32_t i)
{
    if (flow->taylor->contacts.closed[i])
        return flow->taylor->friction->mode[i];
    double slip = friction_present_slip(flow, i);
    return slip > 0.0   ? CONTACT_SLIP_POSITIVE
           : slip < 0.0 ? CONTACT_SLIP_NEGATIVE
           : flow->taylor->friction->rows.slip[i].mu_static > 0.0
               ? CONTACT_STICK
               : CONTACT_SLIDE;
}

/* Where the rate of gap i, which is pressed in, comes to 0 before `best`, the
 * law on the other side may drive it back: then *best is when. */
static void
held_ahead(struct flow *flow, uint32_t i, double *best)
{
    struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    const double *gap = taylor->piece.gap + i * ROW;
    double rate[ROW] = {0.0}, row[ROW], force[2], memory[2], root;
    if (friction->soft[i] != CONTACT_PRESSED)
        return;
    int n = polynomial_derivative(gap, MOTION_STEP_ORDER, rate);
    double noise = rate_noise(flow, i),
           side = fabs(rate[0]) > noise ? rate[0] : rate[1];
    if (side == 0.0 || friction->gave[i] == taylor->now)
        return;
    for (int k = 0; k < ROW; k++)
        row[k] = side > 0.0 ? rate[k] : -rate[k];
    if (!taylor_falls(row, *best, noise, 0.0, &root) || !(root <= *best) ||
        root == 0.0)
        return;
    for (uint32_t k = 0; k < 2; k++)
        memory[k] = friction->memory[2 * i + k] +
                    root * polynomial_value(friction->piece.memory +
                                                (2 * i + k) * ROW + 1,
                                            MOTION_STEP_ORDER - 1, root);
    if (!sides(flow, i, polynomial_value(gap, MOTION_STEP_ORDER, root), memory,
               force))
        return;
    double acceleration[ROW] = {0.0},
           p = mobility(flow, i, mode_pressed(flow, i));
    int order = polynomial_derivative(rate, n, acceleration);
    double now = polynomial_value(acceleration, order, root),
           jump = side > 0.0 ? force[1] - force[0] : force[0] - force[1];
    if (!(p > 0.0) || !(now * (now + p * jump) < 0.0))
        return;
    *best = root;
    taylor->next.what = NEXT_HOLDS;
    taylor->next.n_hit = 1;
    taylor->next.hit[0] = (int)i;
}

/* The rounding of the force that keeps contact i where it is. */
static double
held_noise(const struct flow *flow, uint32_t i)
{
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    size_t row = 2 * (size_t)i;
    return TAYLOR_NOISE * DBL_EPSILON * rows->terms[row] /
           rows->W[row * (2 * (size_t)flow->m + 1)];
}

/* When the force of contact i, which is held, leaves its interval. */
static void
held_end(struct flow *flow, uint32_t i, double *best)
{
    struct taylor_flow *taylor = flow->taylor;
    const double *force = taylor->piece.force + i * ROW,
                 *rest = taylor->friction->rest + 2 * (size_t)i;
    for (int side = 0; side < 2; side++) {
        double row[ROW], root;
        for (int k = 0; k < ROW; k++)
            row[k] = side ? -force[k] : force[k];
        row[0] += side ? rest[1] : -rest[0];
        if (!taylor_falls(row, *best, held_noise(flow, i), 0.0, &root) ||
            !(root < *best))
            continue;
        *best = root;
        taylor->next.what = NEXT_GIVES;
        taylor->next.n_hit = 1;
        taylor->next.hit[0] = (int)i;
    }
}

/* -- what comes next --------------------------------------------------------
 */

/* What pushes ceases where its gap opens, however small its force is there. */
static void
opens(struct flow *flow, uint32_t i, double *best)
{
    struct taylor_flow *taylor = flow->taylor;
    double eps = TAYLOR_NOISE * DBL_EPSILON, row[ROW], root;
    for (int k = 0; k < ROW; k++)
        row[k] = -taylor->piece.gap[i * ROW + (uint32_t)k];
    if (!taylor_falls(row, *best, eps * taylor->terms.gap_max[i],
                      eps * taylor->terms.rate[i], &root) ||
        !(root < *best))
        return;
    *best = root;
    taylor->next.what = NEXT_CEASES;
    taylor->next.n_hit = 1;
    taylor->next.hit[0] = (int)i;
}

void
friction_soft_end(struct flow *flow, uint32_t i, double *best)
{
    assert(friction_soft(flow, i) && best);
    struct taylor_flow *taylor = flow->taylor;
    if (friction_held(flow, i)) {
        held_end(flow, i, best);
        return;
    }
    if (taylor->contacts.closed[i]) {
        opens(flow, i, best);
        held_ahead(flow, i, best);
        return;
    }
    double eps = TAYLOR_NOISE * DBL_EPSILON, row[ROW], root;
    bool pressed = taylor->friction->soft[i] == CONTACT_PRESSED;
    double noise[2] = {eps * taylor->terms.gap[i], eps * taylor->terms.rate[i]};
    const double *gap = taylor->piece.gap + i * ROW,
                 *force = taylor->piece.force + i * ROW;
    if (taylor->contacts.opening[i])
        noise[0] = 0.0;
    for (int k = 0; k < ROW; k++)
        row[k] = pressed ? -gap[k] : gap[k];
    if (taylor_falls(row, *best, noise[0], noise[1], &root) && root <= *best) {
        *best = root;
        taylor->next.what = pressed ? NEXT_LIFTS : NEXT_PRESSES;
        taylor->next.n_hit = 1;
        taylor->next.hit[0] = (int)i;
    }
    for (int k = 0; k < ROW; k++)
        row[k] = -force[k];
    if (taylor->friction->let_go[i])
        row[0] = 0.0;
    if (pressed && taylor_falls(row, *best, 0.0, 0.0, &root) && root < *best) {
        *best = root;
        taylor->next.what = NEXT_PRESSES;
        taylor->next.n_hit = 1;
        taylor->next.hit[0] = (int)i;
    }
    held_ahead(flow, i, best);
}

int
friction_soft_check(struct flow *flow, uint32_t i, double gap, double rate)
{
    assert(friction_soft(flow, i));
    return contact_compliance_check(flow->run, flow->sys->contact + i,
                                    flow->taylor->friction->scale[i], gap,
                                    rate);
}

void
friction_soft_start(struct flow *flow, uint32_t i, bool touches)
{
    assert(friction_soft(flow, i));
    struct taylor_flow *taylor = flow->taylor;
    double rounding = TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i];
    if (touches && flow->instant.gap[i] >= -rounding)
        taylor->contacts.opening[i] = taylor->friction->still[i] = true;
    else if (flow->instant.gap[i] < -rounding)
        taylor->friction->soft[i] = CONTACT_PRESSED;
}

/* -- events -----------------------------------------------------------------
 */

static void
tell_contact(struct flow *flow, struct flow_event *event, uint32_t i)
{
    event->kind = FLOW_MODES;
    event->contact = flow->last.contacts[0] = flow->sys->contact + i;
    event->impulse = flow->last.impulse[0] = 0.0;
    event->n = flow->last.n_contacts = 1;
}

bool
friction_soft_ceased(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const double *force = flow->taylor->piece.force + i * ROW;
    double size = 0.0;
    if (!friction_soft(flow, i) || !flow->taylor->contacts.closed[i])
        return false;
    for (int k = MOTION_STEP_ORDER; k >= 0; k--)
        size = size * friction->elapsed + fabs(force[k]);
    /* what rounding makes of forces: below it no cone is known */
    size_t row = 2 * (size_t)i;
    double rounding = TAYLOR_NOISE * DBL_EPSILON * friction->rows.terms[row] /
                      friction->rows.W[row * (2 * (size_t)flow->m + 1)];
    return (friction->elapsed > 0.0 || force[1] < 0.0) &&
           friction->normal_now[i] <= FRICTION_TOGETHER * size + rounding +
                                          FRICTION_FUZZ * friction->fuzz[i];
}

/* The contact has opened, and is rigid from here on, unless the run keeps it
 * compliant. */
static void
open_rigid(struct flow *flow, uint32_t i)
{
    struct taylor_flow *taylor = flow->taylor;
    taylor->friction->soft[i] =
        flow->run->compliant ? CONTACT_SOFT : CONTACT_RIGID;
    taylor->friction->fuzz[i] = 0.0;
    taylor->contacts.closed[i] = false;
    taylor->contacts.opening[i] = true;
    if (!flow->run->compliant)
        friction_note(flow, i, "rigid");
}

void
friction_soft_release(struct flow *flow, uint32_t i)
{
    assert(friction_soft(flow, i));
    struct taylor_flow *taylor = flow->taylor;
    taylor->contacts.closed[i] = false;
    taylor->friction->let_go[i] = true;
    friction_note(flow, i, "liftoff");
    if (flow->instant.gap[i] >=
            -TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i] &&
        flow->instant.rate[i] > 0.0)
        open_rigid(flow, i);
}

/* Contact i is not held: it goes on to this side (-1: it is pressed in further,
 * 1: it goes back), with a rate that is rounding, so that its law is that of
 * this side. `on`: whether it pushes then. */
static int
let(struct flow *flow, uint32_t i, int side, bool *on)
{
    struct taylor_friction *friction = flow->taylor->friction;
    double *impulse = NEW_N(flow->run->brief, double, 2 * flow->m + 1);
    size_t row = 2 * (size_t)i;
    friction->soft[i] = CONTACT_PRESSED;
    if (side > 0 && friction->rest[row] == 0.0) {
        on[i] = false;
        if (flow->taylor->contacts.closed[i])
            friction_soft_release(flow, i);
        else
            friction->let_go[i] = true;
    }
    if (side == 0)
        return IMP_OK;
    impulse[row] = (side * rate_noise(flow, i) / TAYLOR_NOISE -
                    friction->rows.speed[row]) /
                   friction->rows.W[row * (2 * (size_t)flow->m + 1)];
    friction_push(flow, impulse);
    return friction_rows(flow);
}

/* To which side does a contact go that this force would hold? 0: it stays. */
static int
side_of(const double rest[2], enum contact_mode mode, double force)
{
    if (mode == CONTACT_FREE || force < rest[0])
        return 1;
    return force > rest[1] ? -1 : 0;
}

/* Contacts that have come to rest, or may have, as if all of them were held. */
static bool
tentative(struct flow *flow, const bool *on)
{
    struct taylor_friction *friction = flow->taylor->friction;
    bool any = false;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!on[i] || !friction_soft(flow, i))
            continue;
        bool rests = fabs(friction->rows.speed[2 * i]) <= rate_noise(flow, i) &&
                     friction->gave[i] != flow->taylor->now &&
                     sides(flow, i, flow->instant.gap[i],
                           friction->memory + 2 * (size_t)i,
                           friction->rest + 2 * (size_t)i);
        friction->soft[i] = rests ? CONTACT_HELD : CONTACT_PRESSED;
        any |= rests;
    }
    return any;
}

/* Lets those go that are not held. *again: some were. */
static int
sort_out(struct flow *flow, const bool *ended, bool *on, bool *again)
{
    struct taylor_friction *friction = flow->taylor->friction;
    struct arena *arena = flow->run->brief;
    double *normal = NEW_N(arena, double, flow->m + 1);
    enum contact_mode *mode = NEW_N(arena, enum contact_mode, flow->m + 1);
    int st = friction_try_modes(flow, on, ended, normal, mode);
    *again = false;
    for (uint32_t i = 0; i < flow->m && !st; i++) {
        if (!on[i] || !friction_held(flow, i))
            continue;
        bool leads = !isnan(normal[i]) && (mode[i] == CONTACT_FREE ||
                                           mobility(flow, i, mode[i]) > 0.0);
        int side =
            leads ? side_of(friction->rest + 2 * (size_t)i, mode[i], normal[i])
                  : 0;
        if (leads && side == 0)
            continue;
        *again = true;
        st = let(flow, i, side, on);
    }
    return st;
}

/* After friction_rows: which of the contacts `on` (m) that are pressed in are
 * held from here on? Of the others those that have no force are no longer on.
 */
static int
held_choose(struct flow *flow, const bool *ended, bool *on)
{
    struct taylor_friction *friction = flow->taylor->friction;
    bool *was = NEW_N(flow->run->brief, bool, flow->m + 1);
    for (uint32_t i = 0; i < flow->m; i++)
        was[i] = friction_held(flow, i);
    bool again = tentative(flow, on);
    int st = IMP_OK;
    while (again && !st)
        st = sort_out(flow, ended, on, &again);
    for (uint32_t i = 0; i < flow->m && !st; i++) {
        bool is = friction_held(flow, i);
        if (is)
            friction->fuzz[i] = 0.0;
        if (is && !was[i])
            friction_note(flow, i, "held");
        else if (was[i] && !is && on[i])
            friction_note(flow, i,
                          friction->rows.speed[2 * i] > 0.0 ? "rebound"
                                                            : "pressed");
    }
    return st;
}

/* Takes the state onto what the contacts `on` hold, and onto the slips that
 * have just ended (friction_rows came before), and fills the rows there. */
static int
onto_contacts(struct flow *flow, const bool *on)
{
    struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    bool *row = NEW_N(flow->run->brief, bool, 2 * flow->m + 1), any = false;
    for (uint32_t i = 0; i < flow->m; i++) {
        row[2 * i] = on[i] && !friction_given(flow, i);
        row[2 * i + 1] =
            on[i] && friction->rub[i] >= 0 &&
            (friction->zero[i] || (taylor->contacts.closed[i] &&
                                   friction->mode[i] == CONTACT_STICK));
        any |= on[i];
    }
    if (!any)
        return IMP_OK;
    friction_project(flow, row);
    return friction_rows(flow);
}

int
friction_settle(struct flow *flow, const bool *on, const bool *ended,
                struct flow_event *event)
{
    assert(on && ended && event);
    bool *pushes = NEW_N(flow->run->brief, bool, flow->m + 1);
    memcpy(pushes, on, flow->m * sizeof *pushes);
    int st = held_choose(flow, ended, pushes);
    if (!st)
        st = onto_contacts(flow, pushes);
    return st ? st : friction_choose_modes(flow, pushes, ended, event);
}

/* A contact comes to rest, if nothing else keeps it from that. */
static int
held_begin(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    uint32_t i = (uint32_t)taylor->next.hit[0];
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1),
         *ended = NEW_N(flow->run->brief, bool, flow->m + 1),
         *row = NEW_N(flow->run->brief, bool, 2 * flow->m + 1);
    int st = friction_rows(flow);
    if (st)
        return st;
    row[2 * i] = true;
    friction_project(flow, row);
    if ((st = friction_rows(flow)))
        return st;
    for (uint32_t j = 0; j < flow->m; j++)
        on[j] = taylor->contacts.closed[j] || j == i;
    event->contact = flow->sys->contact + i;
    st = friction_settle(flow, on, ended, event);
    if (!st && event->kind == FLOW_NONE && taylor->friction->n_change)
        event->kind = FLOW_MODES;
    return st;
}

/* A contact that was held is so no longer. */
static int
held_give(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    uint32_t i = (uint32_t)taylor->next.hit[0];
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1),
         *ended = NEW_N(flow->run->brief, bool, flow->m + 1);
    const double *rest = friction->rest + 2 * (size_t)i;
    double force = friction->normal_now[i];
    int side = force - rest[0] < rest[1] - force ? 1 : -1,
        st = friction_rows(flow);
    if (st)
        return st;
    for (uint32_t j = 0; j < flow->m; j++)
        on[j] = taylor->contacts.closed[j];
    friction->gave[i] = taylor->now;
    event->kind = FLOW_MODES;
    event->contact = flow->sys->contact + i;
    if ((st = let(flow, i, side, on)))
        return st;
    if (on[i])
        friction_note(flow, i, side > 0 ? "rebound" : "pressed");
    return friction_settle(flow, on, ended, event);
}

static int
press(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    uint32_t i = (uint32_t)taylor->next.hit[0];
    assert(friction_soft(flow, i));
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1),
         *ended = NEW_N(flow->run->brief, bool, flow->m + 1);
    int st = friction_rows(flow);
    if (st)
        return st;
    if (taylor->friction->soft[i] == CONTACT_SOFT) /* it touches */
        taylor->friction->memory[2 * i] = taylor->friction->memory[2 * i + 1] =
            0.0;
    taylor->friction->soft[i] = CONTACT_PRESSED;
    taylor->friction->let_go[i] = false;
    taylor->contacts.opening[i] = taylor->contacts.released[i] = false;
    for (uint32_t j = 0; j < flow->m; j++)
        on[j] = taylor->contacts.closed[j] || j == i;
    tell_contact(flow, event, i);
    friction_note(flow, i, "pressed");
    return friction_settle(flow, on, ended, event);
}

int
friction_soft_apply(struct flow *flow, struct flow_event *event,
                    enum taylor_next what)
{
    uint32_t i = (uint32_t)flow->taylor->next.hit[0];
    assert(friction_soft(flow, i));
    switch (what) {
    case NEXT_PRESSES:
        return press(flow, event);
    case NEXT_HOLDS:
        return held_begin(flow, event);
    case NEXT_GIVES:
        return held_give(flow, event);
    default:
        tell_contact(flow, event, i);
        open_rigid(flow, i);
        taylor_set_active(flow);
        return IMP_OK;
    }
}

void
friction_soften(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    friction->open = event->why;
    event->why = friction->why = NULL;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!friction->yields[i])
            continue;
        tell_contact(flow, event, i);
        friction->yields[i] = false;
        friction->soft[i] = CONTACT_SOFT;
        taylor->contacts.closed[i] = false;
        taylor->contacts.opening[i] = friction->still[i] = true;
        friction_note(flow, i, "compliant");
    }
    taylor_set_active(flow);
}
