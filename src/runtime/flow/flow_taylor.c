/* SPDX-License-Identifier: MIT */
/* Systems that are followed by Taylor series. A piece is one expansion:
 * polynomials of the state, of every gap, and of the forces of closed contacts,
 * with the time for which they hold. It ends at the least root of a gap that
 * closes or of a force that ceases, isolated on the polynomials (polynomial.h).
 * The gap of a contact that was just hit is 0, and its polynomial is divided by
 * s, so that its impact cannot be found again. Impacts and the choice of
 * contact modes are questions about one instant, which ballistic.h answers.
 * Limits of infinitely many impacts: flow_accumulation.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/relays/relays.h"

/* Several contacts open together if their gaps, rates and accelerations are
 * within this many roundings of zero. */
#define TAYLOR_TOGETHER 256.0

/* -- expanding --------------------------------------------------------------
 */

/* The length of the gradient of gap i (after flow_instant). */
static double
steepness(const struct flow *flow, uint32_t i)
{
    double s = 0.0;
    for (uint32_t j = 0; j < flow->n; j++)
        s = hypot(s, flow->instant.N[(size_t)i * flow->n + j]);
    return s;
}

/* A gap closes. Has it a gradient there, in which an impulse could push? */
static int
directed(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    taylor_to_env(flow);
    int st = flow_instant(flow);
    taylor->looked_at = !st && !taylor->friction;
    for (int k = 0; k < taylor->next.n_hit && !st; k++) {
        uint32_t i = (uint32_t)taylor->next.hit[k];
        taylor->looked_at =
            taylor->looked_at &&
            !contact_restitution_varies(flow->run, flow->sys->contact + i);
        if (steepness(flow, i) > TAYLOR_FLAT * taylor->terms.gradient_max[i]) {
            st = contact_restitution_at(flow->run, flow->sys->contact + i,
                                        -flow->instant.rate[i],
                                        &flow->instant.e[i]);
            continue;
        }
        const imp_contact *contact =
            rt_contact(flow->run, flow->sys->contact + i);
        char time_text[NUM_TEXT];
        struct diag *diag = diag_add(
            flow->run->ds, DIAG_E0739, contact->range,
            "the gradient of the gap of `%s` vanishes where it closes, at "
            "t = %s",
            imp_text(flow->run->im, contact->name),
            rt_told(time_text, taylor->now, 9));
        diag_help(flow->run->ds, diag,
                  "an impulse has no direction there: write the gap as a "
                  "distance, h and not h^3 or abs(h)");
        return IMP_FAILED;
    }
    return st;
}

/* The sizes of the terms of the gap of a contact and of its rate (after
 * flow_instant). */
static void
term_sizes(struct flow *flow, uint32_t which)
{
    struct taylor_terms *terms = &flow->taylor->terms;
    const double *state = flow->taylor->x,
                 *N = flow->instant.N + (size_t)which * flow->n;
    terms->gap[which] = fabs(flow->instant.c[which]);
    terms->rate[which] = 0.0;
    terms->gradient_max[which] =
        fmax(terms->gradient_max[which], steepness(flow, which));
    for (uint32_t j = 0; j < flow->n; j++) {
        terms->gap[which] += fabs(N[j] * state[j]);
        terms->rate[which] += fabs(N[j] * state[flow->n + j]);
    }
}

/* The series of the gap of a contact, or of the force that keeps it closed, and
 * the sizes of their terms (after flow_instant). Asks for how long they hold.
 */
static int
expand_contact(struct flow *flow, uint32_t which)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_terms *terms = &taylor->terms;
    double *gap = taylor->piece.gap + which * ROW,
           *force = taylor->piece.force + which * ROW;
    bool closed = taylor->contacts.closed[which],
         soft = friction_soft(flow, which);
    int st = IMP_OK;
    term_sizes(flow, which);
    if (!closed || soft)
        st = system_gap_series(flow->run, flow->system, which,
                               MOTION_STEP_ORDER, gap);
    if (st)
        return st;
    if (closed) {
        memcpy(force, system_force(flow->run, flow->system, which),
               ROW * sizeof *force);
        taylor_ask(&taylor->piece, force, 0.0, 0);
        if (taylor->friction)
            friction_expand(flow, which);
        if (soft && (st = friction_soft_check(flow, which, gap[0], gap[1])))
            return st;
    } else {
        taylor_ask(&taylor->piece, gap, 0.0, 0);
        if (taylor->friction &&
            taylor->friction->soft[which] == CONTACT_PRESSED)
            memcpy(force, friction_soft_row(flow, which), ROW * sizeof *force);
    }
    terms->gap_since[which] = fmax(terms->gap_since[which], terms->gap[which]);
    terms->gap_max[which] = fmax(terms->gap_max[which], terms->gap[which]);
    terms->rate_max[which] =
        fmax(terms->rate_max[which],
             terms->rate[which] + fabs(flow->instant.drift[which]));
    return IMP_OK;
}

/* What is 0 at the beginning of the piece is rounding in the series. */
static void
begin_rows(struct flow *flow, uint32_t which)
{
    const struct taylor_flow *taylor = flow->taylor;
    double *gap = taylor->piece.gap + which * ROW;
    if (taylor->contacts.opening[which]) {
        /* known as well as what an impact has taken from it */
        double noise =
            TAYLOR_NOISE * DBL_EPSILON * taylor->terms.rate_max[which];
        gap[0] = 0.0;
        gap[1] = gap[1] < 0.0 && gap[1] >= -noise ? 0.0 : gap[1];
        gap[2] = taylor_begins_to_open(flow, which) ? 0.0 : gap[2];
    }
    if (taylor->contacts.released[which])
        gap[1] = gap[2] = 0.0;
    if (taylor->friction && taylor->friction->still[which])
        gap[1] = 0.0;
    if (taylor->friction)
        friction_begin_row(flow, which);
}

/* Takes the piece from the rows of the block. Its length is that for which it
 * holds if no branch changes. */
static int
take_rows(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    struct rt *run = flow->run;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + flow->sys->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    const double *work = run->rows.block[flow->sys->block] + IMP_ROW_PAD;
    struct taylor_limit limit = {.time = INFINITY};
    taylor_limit_by(&limit, motion_parabola(run, flow->sys->block));
    if (taylor->friction)
        friction_memory_expand(flow);
    taylor->piece.n_asked = 0;
    int st = flow_instant(flow);
    /* the forces, which hold for less than the state, come first */
    for (uint32_t which = 0; which < flow->m && !st; which++)
        st = expand_contact(flow, which);
    bool parabolas = motion_by_parabolas(run, flow->sys->block) &&
                     !system_slides(run, flow->system) &&
                     !relays_act(run, flow->sys->block);
    taylor->piece.order = parabolas ? PARABOLA_ORDER : MOTION_STEP_ORDER;
    for (uint32_t j = 0; j < flow->n; j++) {
        double push = parabolas ? 0.0 : taylor_pushed(flow, j);
        for (uint32_t i = j; i < 2 * flow->n; i += flow->n) {
            double *c = taylor->piece.state + i * ROW;
            memcpy(c, work + (size_t)row[i] * IMP_ROW_STRIDE, ROW * sizeof *c);
            if (!parabolas)
                taylor_ask(&taylor->piece, c, push, i < flow->n ? 2 : 1);
        }
    }
    taylor_limit_asked(&taylor->piece, &limit);
    for (uint32_t which = 0; which < flow->m && !st; which++)
        begin_rows(flow, which);
    taylor->piece.h = limit.time;
    if (!st && limit.time > 0.0)
        taylor->piece.h = crossing_checked(run, flow->sys->block,
                                           MOTION_STEP_ORDER, limit.time);
    return st;
}

static int
expand_once(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    struct rt *run = flow->run;
    double time;
    taylor->piece.began = taylor->now;
    taylor_to_env(flow);
    taylor_set_active(flow);
    int st = taylor->relays ? taylor_relays_settle(flow) : IMP_OK;
    if (!st && taylor->relays)
        relays_tell_open(run, flow->sys->block, switching_least(run), NULL);
    if (!st)
        st = motion_series(run, flow->sys->block, MOTION_STEP_ORDER, &time);
    if (!st)
        st = take_rows(flow);
    /* a step that the clock does not see leads nowhere */
    if (!st && taylor->piece.h < switching_least(run))
        st = motion_blows_up(run, flow->sys->block);
    if (!st && taylor->piece.h < switching_least(run) &&
        motion_series_parabola(run, flow->sys->block, MOTION_STEP_ORDER) ==
            IMP_OK)
        st = take_rows(flow);
    if (!st)
        st = switching_end(run, flow->sys->block, MOTION_STEP_ORDER,
                           &taylor->piece.h, &taylor->next.guard);
    double stop = taylor->piece.h;
    if (!st &&
        crossing_stops_soon(run, flow->sys->block, MOTION_STEP_ORDER, &stop) &&
        !(st = take_rows(flow)))
        taylor->piece.h = stop;
    return st;
}

static int
stuck(struct flow *flow)
{
    char time_text[NUM_TEXT];
    struct diag *diag = diag_add(flow->run->ds, DIAG_E0603, flow->sys->range,
                                 "the motion of `%s` cannot be continued "
                                 "beyond t = %s",
                                 imp_text(flow->run->im, flow->sys->name),
                                 rt_told(time_text, flow->taylor->now, 9));
    diag_help(flow->run->ds, diag,
              "its time series has no radius of convergence there: a "
              "force or a speed grows without bound, the mass matrix is "
              "singular, or a formula is not smooth");
    return IMP_FAILED;
}

/* The piece from the present state on. Where a relay changes at once, it is
 * made again. */
#define RELAY_ROUNDS 8
static int
expand(struct flow *flow)
{
    for (int round = 0; round < RELAY_ROUNDS; round++) {
        int st = expand_once(flow);
        if (st || relays_end(flow->run, flow->sys->block, MOTION_STEP_ORDER,
                             &flow->taylor->piece.h))
            return st;
    }
    return stuck(flow);
}

/* -- what comes next --------------------------------------------------------
 */

/* The rounding of a force: that of the gap's acceleration in free motion, over
 * the entry of N M^-1 N^T. */
static double
force_noise(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    if (friction) {
        size_t row = 2 * (size_t)i;
        return TAYLOR_NOISE * DBL_EPSILON * friction->rows.terms[row] /
                   friction->rows.W[row * (2 * (size_t)flow->m + 1)] +
               friction->fuzz[i];
    }
    const struct ballistic *ballistic = flow->taylor->instant;
    double W = ballistic->matrices.W[i * (flow->m + 1)];
    return TAYLOR_NOISE * DBL_EPSILON * ballistic->matrices.gap_acc_terms[i] /
           W;
}

/* What ends the piece first, at most `best` from now: into what, hit. Returns
 * when, from now. */
static double
first_end(struct flow *flow, double best)
{
    struct taylor_flow *taylor = flow->taylor;
    const struct taylor_contacts *contacts = &taylor->contacts;
    for (uint32_t which = 0; which < flow->m; which++) {
        double root, eps = TAYLOR_NOISE * DBL_EPSILON;
        bool closed = contacts->closed[which];
        if ((closed && taylor->friction && taylor->friction->shared) ||
            friction_left_out(taylor->friction, which))
            continue; /* its force is not unique, or its impacts are left out */
        if (friction_soft(flow, which))
            friction_soft_end(flow, which, &best);
        if (friction_soft(flow, which)
                ? !closed || friction_held(flow, which)
                : !closed && taylor_gap_held(flow, which, best))
            continue;
        const double *row =
            (closed ? taylor->piece.force : taylor->piece.gap) + which * ROW;
        double noise_value = closed ? force_noise(flow, which)
                             : contacts->opening[which]
                                 ? 0.0
                                 : eps * taylor->terms.gap[which];
        double noise_rate = closed ? 0.0 : eps * taylor->terms.rate[which];
        if (!closed && !contacts->opening[which] && row[0] <= noise_value &&
            row[1] > noise_rate)
            /* The gap starts within its rounding, and opens. */
            noise_value = fmax(noise_value, fabs(row[0]));
        enum taylor_next how = closed ? NEXT_CEASES : NEXT_CLOSES;
        if (!closed && !contacts->opening[which] &&
            !contacts->released[which] &&
            taylor_touch(row, taylor->terms.gap[which],
                         taylor->terms.rate[which], best, &root))
            how = NEXT_TOUCHES;
        else if (!(closed ? taylor_falls_through : taylor_falls)(
                     row, best, noise_value, noise_rate, &root) ||
                 root > best)
            continue;
        best = root;
        taylor->next.what = how;
        taylor->next.n_hit = 0;
        taylor->next.hit[taylor->next.n_hit++] = (int)which;
    }
    return taylor->friction ? friction_first_end(flow, best) : best;
}

/* Adds the contacts that close at the same time as the first one, `best` from
 * now, within rounding. */
static void
close_together(const struct flow *flow, double best)
{
    struct taylor_flow *taylor = flow->taylor;
    for (uint32_t which = 0; which < flow->m; which++) {
        const double *gap = taylor->piece.gap + which * ROW;
        if ((int)which == taylor->next.hit[0] ||
            taylor->contacts.closed[which] || friction_soft(flow, which) ||
            (taylor->contacts.opening[which] && best == 0.0))
            continue;
        /* the rounding error is that of the greatest gap since the last impact
         */
        double size = taylor->terms.gap[which], sk = 1.0, slope[ROW];
        for (int k = 0; k <= MOTION_STEP_ORDER; k++, sk *= best)
            size += fabs(gap[k]) * sk;
        taylor->terms.gap_since[which] = size =
            fmax(size, taylor->terms.gap_since[which]);
        if (polynomial_value(gap, MOTION_STEP_ORDER, best) <=
                TAYLOR_NOISE * DBL_EPSILON * size &&
            polynomial_value(
                slope, polynomial_derivative(gap, MOTION_STEP_ORDER, slope),
                best) < 0.0)
            taylor->next.hit[taylor->next.n_hit++] = (int)which;
    }
}

/* first_end, of a system with friction: a limit of impacts that is foreseen
 * comes before all but its own branches, or the impacts are followed. */
static double
first_with_limit(struct flow *flow, double most)
{
    struct taylor_flow *taylor = flow->taylor;
    struct friction_limit *limit = &taylor->friction->limit;
    double best = first_end(flow, most), left = limit->time - taylor->now;
    if (limit->contact < 0)
        return best;
    if (left < best || (limit->switched && taylor->next.what == NEXT_NOTHING)) {
        taylor->next.what = NEXT_RESTS;
        taylor->next.n_hit = 0;
        taylor->next.hit[taylor->next.n_hit++] = limit->contact;
        return left;
    }
    limit->contact = -1;
    taylor->next.what = NEXT_NOTHING;
    taylor->next.n_hit = 0;
    return first_end(flow, most);
}

/* Expands the motion and finds what ends the piece. Neither depends on the
 * times that are asked for. */
static int
look(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_next_event *next = &taylor->next;
    if (taylor->friction && taylor->friction->why) {
        *next = (struct taylor_next_event){
            true, NEXT_UNDECIDED, taylor->now, next->hit, 0, -1, true, false};
        return IMP_OK;
    }
    int st = expand(flow);
    if (st)
        return st;
    double left = flow->end - taylor->now, best = fmin(taylor->piece.h, left);
    next->what = NEXT_NOTHING;
    next->n_hit = 0;
    if (!(best > 0.0) && left > 0.0)
        return stuck(flow);
    if ((st = taylor_parting(flow, best)) || next->known)
        return st;
    best =
        taylor->friction ? first_with_limit(flow, best) : first_end(flow, best);
    if (next->what == NEXT_CLOSES)
        close_together(flow, best);
    double jam = left;
    if (taylor->friction && friction_jam_ahead(flow, &jam) &&
        next->what == NEXT_NOTHING) {
        next->what = NEXT_JAMS;
        best = jam;
    }
    next->time = taylor->now + best;
    if (best == left)
        next->time = flow->end;
    if (!taylor->friction && next->what != NEXT_CEASES &&
        next->what != NEXT_TOUCHES && (st = taylor_accumulation_first(flow)))
        return st;
    if (next->what != NEXT_NOTHING || next->guard < 0 || best < taylor->piece.h)
        next->guard = -1; /* the change of branch is not reached */
    next->switched = next->guard < 0;
    if (next->what == NEXT_NOTHING && next->time == taylor->now && left > 0.0)
        return stuck(
            flow); /* the piece is shorter than the rounding of the time */
    next->known = true;
    return IMP_OK;
}

static int
way_peek(struct flow *flow, double until, double *time)
{
    struct taylor_next_event *next = &flow->taylor->next;
    int st = IMP_OK;
    flow->end = fmax(flow->end, until);
    if (!next->known && (st = look(flow)))
        return st;
    if (!next->switched && next->time <= until) {
        next->switched = true;
        st = taylor_switch_ahead(flow);
    }
    *time = fmin(next->time, until);
    return st;
}

/* -- moving -----------------------------------------------------------------
 */

static void
way_at(struct flow *flow, double time)
{
    struct taylor_flow *taylor = flow->taylor;
    double elapsed = taylor->next.known ? time - taylor->now : 0.0;
    if (taylor->next.known && taylor->next.what == NEXT_LIMIT &&
        time > taylor->now) {
        /* the impacts are averaged out */
        taylor_path_at(flow, time, taylor->path.x);
        memcpy(flow->q, taylor->path.x, flow->n * sizeof *flow->q);
        memcpy(flow->v, taylor->path.x + flow->n, flow->n * sizeof *flow->v);
        flow_set_active(flow, taylor->path.closed);
        return;
    }
    taylor_set_active(flow);
    if (!taylor->next.known || taylor->next.what == NEXT_UNDECIDED) {
        memcpy(flow->q, taylor->x, flow->n * sizeof *flow->q);
        memcpy(flow->v, taylor->x + flow->n, flow->n * sizeof *flow->v);
        return;
    }
    for (uint32_t j = 0; j < flow->n; j++) {
        flow->q[j] = polynomial_value(taylor->piece.state + j * ROW,
                                      taylor->piece.order, elapsed);
        flow->v[j] = polynomial_value(taylor->piece.state + (flow->n + j) * ROW,
                                      taylor->piece.order, elapsed);
    }
}

/* Which closed contacts stay closed after an impact? Accelerations depend on
 * the velocities, so those that the impact left are asked for. *jam: no forces
 * keep them closed. */
static int
settle(struct flow *flow, bool *jam)
{
    struct taylor_flow *taylor = flow->taylor;
    bool any = false;
    *jam = false;
    bool *still = NEW_N(flow->run->arena, bool, 2 * flow->m + 1);
    bool *fresh = still + flow->m;
    for (uint32_t i = 0; i < flow->m; i++) {
        still[i] =
            taylor->contacts.closed[i] ||
            (taylor->contacts.opening[i] && taylor->instant->rate[i] == 0.0);
        fresh[i] = taylor->contacts.opening[i] && !still[i];
        any |= still[i];
    }
    if (!any)
        return IMP_OK;
    int st = taylor_instant(flow, still);
    if (!st && taylor_gaps_turn(flow, still, fresh))
        st = taylor_instant(flow, still);
    if (st)
        return st;
    *jam =
        ballistic_instant_impact(taylor->instant, NULL, 0) == BALLISTIC_JAMMED;
    if (*jam)
        return IMP_OK;
    taylor_take_back(flow);
    for (uint32_t i = 0; i < flow->m; i++)
        taylor->contacts.opening[i] |= fresh[i];
    return IMP_OK;
}

static int
impact(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_next_event *next = &taylor->next;
    bool ends;
    int st = taylor_impacts_end(flow, &ends);
    if (st || (st = taylor_instant(flow, taylor->contacts.closed)))
        return st;
    enum ballistic_event what =
        ends ? taylor_instant_impact(flow, event) : BALLISTIC_JAMMED;
    long total = flow->impacts;
    memset(taylor->terms.gap_since, 0,
           flow->m * sizeof *taylor->terms.gap_since);
    flow_report(flow, taylor->instant, what, event);
    flow->impacts = total + next->n_hit;
    event->time = taylor->now;
    if (what == BALLISTIC_UNDECIDED || what == BALLISTIC_JAMMED)
        return IMP_OK;
    taylor_take_back(flow);
    bool jam;
    if ((st = settle(flow, &jam)))
        return st;
    if (jam) {
        event->kind = FLOW_JAMMED;
        return IMP_OK;
    }
    /* a gap may be negative by rounding, but it is opening */
    for (int k = 0; k < next->n_hit; k++)
        if (!taylor->contacts.closed[next->hit[k]] &&
            taylor->instant->rate[next->hit[k]] >= 0.0)
            taylor->contacts.opening[next->hit[k]] = true;
    taylor_accumulation_count(flow, next->hit[0], next->n_hit);
    return IMP_OK;
}

/* Is this contact closed while nothing moves or accelerates its gap (after
 * taylor_instant)? A plate leaves all its feet at once, and feet that carried
 * nothing are let go with the others. */
static bool
floats(const struct flow *flow, uint32_t contact)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct ballistic *ballistic = taylor->instant;
    double eps = TAYLOR_TOGETHER * DBL_EPSILON;
    return flow->instant.gap[contact] <=
               eps * taylor->terms.gap_since[contact] &&
           fabs(flow->instant.rate[contact]) <=
               eps * (taylor->terms.rate[contact] +
                      fabs(flow->instant.drift[contact])) &&
           fabs(ballistic->matrices.gap_acc[contact]) <=
               eps * (ballistic->matrices.gap_acc_terms[contact] +
                      fabs(flow->instant.bias[contact]));
}

/* A force has become zero. Which contacts stay closed from here on? */
static int
change(struct flow *flow, struct flow_event *event, bool slid)
{
    struct taylor_flow *taylor = flow->taylor;
    bool *fresh = NEW_N(flow->run->arena, bool, flow->m + 1);
    memcpy(fresh, taylor->contacts.opening, flow->m);
    int st = taylor_instant(flow, taylor->contacts.closed);
    if (st)
        return st;
    enum ballistic_event what =
        ballistic_instant_impact(taylor->instant, NULL, 0);
    flow_report(flow, taylor->instant, what, event);
    event->time = taylor->now;
    event->contact = flow->sys->contact + (uint32_t)taylor->next.hit[0];
    event->impulse = 0.0;
    event->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED : FLOW_LEAVE;
    /* contacts whose forces are zero within rounding open */
    flow->last.n_contacts = 0;
    for (uint32_t i = 0; i < flow->m; i++) {
        if ((int)i != taylor->next.hit[0] && !floats(flow, i))
            continue;
        if (taylor->contacts.closed[i]) {
            flow->last.contacts[flow->last.n_contacts] = flow->sys->contact + i;
            flow->last.impulse[flow->last.n_contacts++] = 0.0;
        }
        taylor->instant->mode.persistent[i] = false;
        taylor->instant->just_hit[i] = fresh[i] = true;
        taylor->contacts.released[i] = slid;
    }
    event->n = flow->last.n_contacts;
    event->contact = flow->last.contacts[0];
    taylor_take_back(flow);
    taylor_refresh(taylor, fresh, flow->m);
    taylor_accumulation_forget(taylor);
    return IMP_OK;
}

/* At the end of a piece: closed contacts hold the acceleration of their gaps,
 * so rounding would move these on and on. Takes gaps and rates back to zero. */
static int
hold(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    if (flow->m == 0 || !memchr(taylor->contacts.closed, true, flow->m))
        return IMP_OK;
    int st = taylor_instant(flow, taylor->contacts.closed);
    if (st || (st = taylor_has_place(flow)))
        return st;
    ballistic_stick(taylor->instant, taylor->contacts.closed);
    ballistic_state(taylor->instant, flow->q, flow->v);
    for (uint32_t j = 0; j < flow->n; j++) {
        uint32_t k = flow->n + j;
        state_add(&taylor->x[j], &taylor->lo[j], flow->q[j] - taylor->x[j]);
        state_add(&taylor->x[k], &taylor->lo[k], flow->v[j] - taylor->x[k]);
    }
    return IMP_OK;
}

static int
way_apply(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    enum taylor_next what = taylor->next.what;
    event->time = flow->ahead;
    if (flow->ahead < taylor->next.time)
        return IMP_OK; /* the piece goes on */
    if (what == NEXT_LIMIT)
        return taylor_accumulation(flow, event);
    bool moved = taylor->next.time > taylor->now, slid = moved;
    if (moved)
        taylor_open_on(flow, taylor->next.time - taylor->now);
    taylor_advance(flow, taylor->next.time);
    if (moved && taylor->friction)
        friction_begin_piece(flow);
    /* others were closed until now, too: several open at once */
    for (uint32_t i = 0; i < flow->m; i++)
        slid |= taylor->contacts.released[i];
    event->kind = FLOW_NONE;
    event->time = taylor->now;
    if (what == NEXT_SQUEEZED || what == NEXT_PARTS)
        return taylor_part(flow, event);
    int st =
        what == NEXT_CLOSES || what == NEXT_TOUCHES ? directed(flow) : IMP_OK;
    if (st)
        return st;
    if (taylor->friction)
        return friction_apply(flow, event, what, slid);
    if (taylor->next.guard >= 0)
        return taylor_switched(flow, event);
    return what == NEXT_CLOSES    ? impact(flow, event)
           : what == NEXT_TOUCHES ? taylor_touched(flow, event)
           : what == NEXT_CEASES  ? change(flow, event, slid)
                                  : hold(flow);
}

static bool
way_eventful(const struct flow *flow)
{
    return flow->taylor->next.known &&
           flow->taylor->next.what != NEXT_NOTHING &&
           flow->taylor->next.time <= flow->ahead;
}

static bool
way_ends(const struct flow *flow)
{
    return flow->taylor->next.known && flow->taylor->next.time <= flow->ahead;
}

static double
way_series(struct flow *flow, double time, double *rows)
{
    const struct taylor_flow *taylor = flow->taylor;
    double elapsed = time - taylor->now, end = taylor->next.time;
    const double *from = taylor->piece.state;
    if (taylor->next.known && taylor->next.what == NEXT_LIMIT) {
        from = taylor_path_rows(flow, time, &elapsed);
        if (time < taylor->path.land)
            end = fmin(end, taylor->path.land);
    }
    if (!rows)
        return end;
    memset(rows, 0, 2 * (size_t)flow->n * IMP_ROW_STRIDE * sizeof *rows);
    for (uint32_t j = 0; j < 2 * flow->n; j++)
        polynomial_about(from + (size_t)j * ROW, MOTION_STEP_ORDER, elapsed,
                         rows + (size_t)j * IMP_ROW_STRIDE + IMP_ROW_PAD);
    return end;
}

static bool
way_limit(const struct flow *flow, double *time)
{
    *time = flow->taylor->next.time;
    return flow->taylor->next.known && flow->taylor->next.what == NEXT_LIMIT;
}

static void
way_trace(struct flow *flow, double time)
{
    const struct taylor_flow *taylor = flow->taylor;
    if (taylor->next.known && taylor->next.what == NEXT_LIMIT)
        taylor_path_trace(flow, time);
    else if (taylor->next.known)
        taylor_rows_trace(flow, taylor->piece.state, taylor->now,
                          fmax(taylor->now, flow->traced), time);
}

static const struct flow_method taylor_method = {
    way_peek, way_apply,  way_at,    way_eventful,
    way_ends, way_series, way_limit, way_trace};

int
flow_taylor_new(struct flow *flow)
{
    assert(!(flow->sys->flags & IMP_SYSTEMF_LINE));
    struct arena *arena = flow->run->arena;
    struct taylor_flow *taylor = flow->taylor = NEW(arena, struct taylor_flow);
    size_t n_coordinate = flow->n, n_contact = flow->m;
    taylor->now = rt_time(flow->run);
    taylor->several.time = taylor->now;
    taylor->single.contact = -1;
    taylor->several.predicted = taylor->several.foreseen =
        taylor->several.limit = -INFINITY;
    taylor->x = NEW_N(arena, double, 2 * n_coordinate);
    taylor->lo = NEW_N(arena, double, 2 * n_coordinate);
    if (IMP_ARRAY(flow->run->im, flow->run->im->blocks,
                  imp_block)[flow->sys->block]
            .relays.n > 0)
        taylor->relays = NEW_N(arena, double, 2 * n_coordinate);
    memcpy(taylor->x, flow->run->env + flow->sys->env_state,
           2 * n_coordinate * sizeof *taylor->x);
    taylor->piece.state = NEW_N(arena, double, 2 * n_coordinate * ROW);
    taylor->piece.gap = NEW_N(arena, double, n_contact *ROW + 1);
    taylor->piece.force = NEW_N(arena, double, n_contact *ROW + 1);
    /* of a contact: its gap or force, friction, and slip or both distances from
     * the cone */
    taylor->piece.asked =
        NEW_N(arena, struct taylor_asked, 2 * n_coordinate + 4 * n_contact);
    taylor->terms.gap = NEW_N(arena, double, n_contact + 1);
    taylor->terms.rate = NEW_N(arena, double, n_contact + 1);
    taylor->terms.gap_since = NEW_N(arena, double, n_contact + 1);
    taylor->terms.gap_max = NEW_N(arena, double, n_contact + 1);
    taylor->terms.rate_max = NEW_N(arena, double, n_contact + 1);
    taylor->terms.gradient_max = NEW_N(arena, double, n_contact + 1);
    taylor->terms.gap_held = NEW_N(arena, double, n_contact + 1);
    taylor->terms.rate_held = NEW_N(arena, double, n_contact + 1);
    taylor->terms.slip_held = NEW_N(arena, double, n_contact + 1);
    taylor->contacts.closed = NEW_N(arena, bool, n_contact + 1);
    taylor->contacts.opening = NEW_N(arena, bool, n_contact + 1);
    taylor->contacts.released = NEW_N(arena, bool, n_contact + 1);
    taylor->next.hit = NEW_N(arena, int, n_contact + 1);
    taylor->branches.changed =
        NEW_N(arena, bool, switching_count(flow->run, flow->sys->block) + 1);
    taylor->branches.changed_before =
        NEW_N(arena, bool, switching_count(flow->run, flow->sys->block) + 1);
    taylor->several.group = NEW_N(arena, bool, n_contact + 1);
    taylor->single.group = NEW_N(arena, bool, n_contact + 1);
    taylor_path_new(flow);
    taylor->several.faint.contacts = NEW_N(arena, bool, n_contact + 1);
    flow->method = &taylor_method;
    taylor->friction = taylor_friction_new(flow);
    int st = taylor->friction ? friction_soft_new(flow) : IMP_OK;
    if (st)
        return st;
    /* contacts that touch at the start without a rate stay closed, or open */
    bool *on = NEW_N(arena, bool, n_contact + 1), any = false;
    st = expand(flow);
    if (st || taylor->friction)
        return st ? st : friction_start(flow);
    for (size_t j = 0; j < flow->n; j++) /* of free motion: none is closed */
        flow->instant.acc[j] = taylor->piece.state[(flow->n + j) * ROW + 1];
    for (uint32_t i = 0; i < flow->m; i++) {
        enum flow_start start =
            flow_start_of(flow, i, TAYLOR_NOISE * DBL_EPSILON,
                          taylor->terms.gap[i], taylor->terms.rate[i]);
        on[i] = start == FLOW_START_CLOSED;
        taylor->contacts.opening[i] = start == FLOW_START_OPENS;
        any |= on[i];
    }
    if ((st = taylor_instant(flow, on)) || !any)
        return st;
    bool *fresh = NEW_N(arena, bool, n_contact + 1);
    memcpy(fresh, taylor->contacts.opening, n_contact);
    if (ballistic_instant_impact(taylor->instant, NULL, 0) == BALLISTIC_JAMMED)
        return flow_jammed(flow->run, flow->sys->contact, taylor->now);
    taylor_take_back(flow);
    for (size_t i = 0; i < n_contact; i++)
        taylor->contacts.opening[i] |= fresh[i];
    return taylor_unload(flow);
}
