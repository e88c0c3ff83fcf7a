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

#include "base/arena.h"
#include "runtime/flow/flow_friction_priv.h"

/* A force is zero within so many of its roundings where something ends: the
 * state there has gone through a root and a piece of the motion. */
#define FRICTION_FUZZ 16.0

const double *
friction_soft_row(const struct flow *flow, uint32_t i)
{
    uint32_t before = 0;
    for (uint32_t j = 0; j < i; j++)
        before += rt_contact(flow->run, flow->sys->contact + j)->compliance !=
                  IMP_NO_TAPE;
    return system_pressed_row(flow->run, flow->system, before);
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
    if (taylor->contacts.closed[i]) {
        opens(flow, i, best);
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

int
friction_soft_press(struct flow *flow, struct flow_event *event)
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

void
friction_soft_lift(struct flow *flow, struct flow_event *event)
{
    uint32_t i = (uint32_t)flow->taylor->next.hit[0];
    assert(friction_soft(flow, i));
    tell_contact(flow, event, i);
    open_rigid(flow, i);
    taylor_set_active(flow);
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
