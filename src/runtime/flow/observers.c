/* SPDX-License-Identifier: MIT */
/* Observers of a system along its flow: variables that feel the motion and do
 * not act on it. Between events they are followed by Taylor series along those
 * that the flow has made of the motion: nothing of the motion is computed
 * again. So the numbers of the motion are the same with and without observers;
 * where a formula of the motion has a branch, a fractional power or a closed
 * contact, the flow has passed it already; and the variables do not depend on
 * the times at which they are asked for. A piece of theirs ends where the piece
 * of the motion ends. Within it the steps have their own length: that of a
 * stiff observer shrinks with its fastest rate (E0734). Those that are linear
 * have a closed form instead (linear_block.h).
 *
 * At impacts the jump tape adds to the variables. Before a limit of chatter
 * the impacts that the flow has summed up are followed one by one on a copy of
 * the parabola, until what remains is within the rounding of the time, or of
 * linear variables. What is left then acts at the limit, all at once. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow_priv.h"
#include "runtime/instance/compensated.h"
#include "runtime/linear/jump_notes.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"
#include "runtime/relays/relays.h"

/* the most steps of one run; a motion of 10^3 periods takes about 10^4 */
#define OBSERVE_STEPS 1000000L
/* the most impacts that are followed before one limit: enough for restitutions
 * up to 0.9996 */
#define OBSERVE_IMPACTS 100000L
/* Impacts within this share of the time before a limit are followed only while
 * they change the rates of the motion, and where it matters. */
#define LIMIT_NEAR (4.0 * DBL_EPSILON)
/* The probe may come to its limit a few units of the clock early: it has where
 * so many flights take no time. */
#define OBSERVE_STANDING 64
/* The probe, which is a parabola, may come to the limit later than the motion
 * by this many times that: limits are known to some 1e-14 of the time. */
#define LIMIT_LATE 1024.0
/* Jumps that do not shrink are told after this many impacts: by then jumps
 * that follow the speeds have halved. */
#define OBSERVE_ENOUGH 4
/* Jumps are also told if they are still this share of the greatest one when
 * the time to the limit is rounding. */
#define OBSERVE_LEFT 1e-6
/* So many of the last jumps of the motion itself are kept, for limits before
 * which no impact is followed but those of the motion. */
#define OBSERVE_LAST 8
/* roundings of a jump: those of the rates and of a few operations */
#define OBSERVE_ROUNDING (16.0 * DBL_EPSILON)
/* Do jumps add up? This is asked with the rates of the motion, and with so many
 * times these, of which a rule with `max` or a threshold makes something else:
 * all impacts that are left are together at most so many times the last one. As
 * rates shrink it is asked again after so many impacts.
 */
#define OBSERVE_AGAIN 64
#define OBSERVE_FASTER 0x1p20
/* A variable that has died away to this is set to 0: subnormal numbers have no
 * series. */
#define OBSERVE_NONE 1e-250

/* The series of the variables, which hold from a time on. */
struct observer_piece {
    bool known;
    double at, h;  /* from when on, and for how long */
    double *state; /* p rows */
    int order;     /* of these rows */
    double holds;  /* for how long a series to the full order holds: that of the
                      last piece that was made so far */
};
/* Before a limit: the motion follows the probe from impact to impact. */
struct observer_limit {
    bool alone; /* the observers go to the limit without the flow */
    double time;
    struct ballistic *probe; /* NULL until it is made */
    struct ballistic *room;  /* memory that a probe leaves for the next one */
    double begin;            /* when the flight to its next impact began */
    double *flight;          /* 2n rows: that flight */
    bool more; /* the probe has impacts to come, the next at probe->t */
    bool near; /* the time that is left is rounding, ... */
    bool adds; /* ... and what is left may act all at once */
    long impacts;
    long standing; /* so many of the last ones were at one time of the clock */
    struct jump_notes notes; /* of the impacts there, since `from` */
    double from;             /* when the probe began */
    double brief;  /* the impacts of this time to come may act all at once */
    bool rests;    /* limits of some contacts have come before that of all */
    bool together; /* what was left has acted all at once, at the limit */
};
struct observer_run {
    uint32_t p;     /* numbers that belong to the variables */
    double *x, *lo; /* p each, one behind the other: their values at the time
                       piece.at, and the low parts */
    struct observer_piece piece;
    /* or NULL; piece.known: `ahead` holds x and lo at the time ahead_at */
    struct linear_block *linear;
    double *ahead, ahead_at;
    double *from, begin; /* x and lo at the last event or end of a piece of the
                            motion, and its time */
    double from_holds;   /* piece.holds then */
    double *before;      /* n: the rates of the motion before an event */
    double *local, *jump;
    long steps;
    struct observer_limit limit;
    double *last;  /* p times OBSERVE_LAST: sizes of the last jumps */
    long n_jumped; /* jumps so far */
    bool told;     /* that jumps do not shrink: once per run */
};

/* the variables in env */
static double *
env_of(const struct flow *flow)
{
    return flow->run->env + flow->sys->env_state + 2 * flow->n;
}

/* -- steps ------------------------------------------------------------------
 */

static const double *
row_of(const struct flow *flow, uint32_t j)
{
    const struct rt *run = flow->run;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + flow->sys->observer;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    return run->rows.block[flow->sys->observer] +
           (size_t)row[j] * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

static void
copy_rows(struct flow *flow, int order)
{
    struct observer_run *observer = flow->observer;
    observer->piece.order = order;
    for (uint32_t j = 0; j < observer->p; j++)
        memcpy(observer->piece.state + j * ROW, row_of(flow, j),
               (size_t)(order + 1) * sizeof(double));
}

/* Takes the piece from the rows of the block. Its length is that for which it
 * holds if no branch changes, or `span` if that is less: what the motion, which
 * ends there, would leave of it. */
static void
take_rows(struct flow *flow, double span)
{
    struct observer_run *observer = flow->observer;
    struct observer_piece *piece = &observer->piece;
    double holds = INFINITY,
           parabola = motion_parabola(flow->run, flow->sys->observer);
    bool all = true;
    copy_rows(flow, MOTION_STEP_ORDER);
    for (uint32_t j = 0; j < observer->p && all; j++)
        all = series_holds_for(piece->state + j * ROW, MOTION_STEP_ORDER, span);
    for (uint32_t j = 0; j < observer->p; j++) {
        const double *c = piece->state + j * ROW;
        holds = fmin(holds, all ? series_holds_about(c, MOTION_STEP_ORDER)
                                : series_holds(c, MOTION_STEP_ORDER));
    }
    piece->h = fmin(parabola, all ? span : holds);
    piece->holds = holds;
}

/* Makes a piece that is known to end soon of fewer terms, where those that are
 * left out are below rounding. The piece before tells how many, and the terms
 * that are made whether it was right. */
static bool
take_few(struct flow *flow, double span)
{
    struct observer_run *observer = flow->observer;
    struct rt *run = flow->run;
    int order =
        series_order_for(span, observer->piece.holds, MOTION_STEP_ORDER);
    if (order >= MOTION_STEP_ORDER ||
        switching_count(run, flow->sys->observer) > 0 ||
        motion_rows(run, flow->sys->observer, order) != IMP_OK)
        return false;
    for (uint32_t j = 0; j < observer->p; j++)
        if (!series_holds_for(row_of(flow, j), order, span))
            return false;
    copy_rows(flow, order);
    observer->piece.h = span;
    return true;
}

/* The series of the motion about the time piece.at, for the tapes. Returns the
 * time until which it holds. */
static double
feel(struct flow *flow)
{
    double end = INFINITY;
    const struct observer_run *observer = flow->observer;
    const struct observer_limit *limit = &observer->limit;
    double *felt = system_n_felt(flow->run, flow->system)
                       ? system_felt(flow->run, flow->system)
                       : NULL;
    if (limit->alone && limit->probe)
        for (size_t j = 0; j < 2 * (size_t)flow->n && felt; j++)
            polynomial_about(limit->flight + j * IMP_ROW_STRIDE + IMP_ROW_PAD,
                             2, observer->piece.at - limit->begin,
                             felt + j * IMP_ROW_STRIDE + IMP_ROW_PAD);
    else
        end = flow->method->series(flow, observer->piece.at, felt);
    system_felt_rates(flow->run, flow->system, MOTION_STEP_ORDER);
    return end;
}

/* The piece from piece.at on, without the changes of relays. */
static int
take_once(struct flow *flow, double end)
{
    struct observer_run *observer = flow->observer;
    struct rt *run = flow->run;
    double least = switching_least(run),
           span = fmax(end - observer->piece.at, least);
    int branch, st = relays_settle_observers(run, flow->sys->observer, least,
                                             observer->x, observer->lo);
    if (!st)
        st = motion_series(run, flow->sys->observer, MOTION_STEP_ORDER,
                           &observer->piece.h);
    if (!st)
        take_rows(flow, span);
    /* a step that the clock does not see leads nowhere */
    if (!st && observer->piece.h < least)
        st = motion_blows_up(run, flow->sys->observer);
    if (!st && observer->piece.h < least &&
        motion_series_parabola(run, flow->sys->observer, MOTION_STEP_ORDER) ==
            IMP_OK)
        take_rows(flow, span);
    observer->piece.h = fmin(observer->piece.h, span);
    return st ? st
              : switching_end(run, flow->sys->observer, MOTION_STEP_ORDER,
                              &observer->piece.h, &branch);
}

/* Makes the piece from piece.at on to the full order. It ends at `end` at the
 * latest. Where a relay changes at once, it is made again. */
#define RELAY_ROUNDS 8
static int
take_full(struct flow *flow, double end)
{
    for (int round = 0; round < RELAY_ROUNDS; round++) {
        int st = take_once(flow, end);
        if (st || relays_end(flow->run, flow->sys->observer, MOTION_STEP_ORDER,
                             &flow->observer->piece.h))
            return st;
    }
    return observer_stuck(flow, flow->observer->piece.at);
}

/* Makes the piece from piece.at on. */
static int
expand(struct flow *flow)
{
    struct observer_run *observer = flow->observer;
    const struct observer_limit *limit = &observer->limit;
    struct rt *run = flow->run;
    double *time = run->env + run->im->layout.time, now = *time;
    *time = observer->piece.at;
    memcpy(env_of(flow), observer->x, observer->p * sizeof *observer->x);
    double end = feel(flow), least = switching_least(run);
    if (limit->alone && limit->probe)
        end = limit->more ? fmin(limit->probe->t, limit->time) : limit->time;
    int st = take_few(flow, fmax(end - observer->piece.at, least))
                 ? IMP_OK
                 : take_full(flow, end);
    *time = now;
    if (st)
        return st;
    observer->piece.known = true;
    if (!(observer->piece.h > 0.0))
        return observer_stuck(flow, flow->observer->piece.at);
    return ++observer->steps > OBSERVE_STEPS
               ? observer_stiff(flow, OBSERVE_STEPS, flow->observer->piece.at,
                                flow->observer->piece.h)
               : IMP_OK;
}

static double
grown(const struct observer_run *observer, uint32_t j, double s)
{
    const double *c = observer->piece.state + j * ROW;
    double d = 0.0;
    for (int k = observer->piece.order; k >= 1 && s > 0.0; k--)
        d = (d + c[k]) * s;
    return d;
}

static void
move(struct observer_run *observer, double time)
{
    double s = time - observer->piece.at;
    for (uint32_t j = 0; j < observer->p; j++) {
        if (observer->linear) {
            observer->x[j] = observer->ahead[j];
            observer->lo[j] = observer->ahead[observer->p + j];
        } else {
            state_add(&observer->x[j], &observer->lo[j], grown(observer, j, s));
        }
        if (fabs(observer->x[j]) < OBSERVE_NONE)
            observer->x[j] = observer->lo[j] = 0.0;
    }
    observer->piece.at = time;
    observer->piece.known = false;
}

/* The variables at a later time, in closed form, into observer->ahead. */
static bool
look_ahead(struct observer_run *observer, double time)
{
    if (observer->piece.known && observer->ahead_at == time)
        return true;
    memcpy(observer->ahead, observer->x, 2 * observer->p * sizeof *observer->x);
    observer->ahead_at = time;
    observer->piece.known =
        linear_block_move(observer->linear, time - observer->piece.at,
                          observer->ahead, observer->ahead + observer->p);
    for (uint32_t j = 0; j < observer->p; j++)
        if (fabs(observer->ahead[j]) < OBSERVE_NONE)
            observer->ahead[j] = observer->ahead[observer->p + j] = 0.0;
    return observer->piece.known;
}

/* Makes pieces until one reaches t. */
static int
reach(struct flow *flow, double time)
{
    struct observer_run *observer = flow->observer;
    if (observer->linear && time > observer->piece.at) {
        if (look_ahead(observer, time))
            return IMP_OK;
        observer->linear = NULL; /* the variables grow beyond all numbers */
    }
    while (time > observer->piece.at) {
        int st = observer->piece.known ? IMP_OK : expand(flow);
        if (st || time - observer->piece.at <= observer->piece.h)
            return st;
        double next = observer->piece.at + observer->piece.h;
        if (next == observer->piece.at)
            return observer_stuck(flow, flow->observer->piece.at);
        move(observer, next);
        if (rt_stopped(flow->run))
            return IMP_STOPPED;
    }
    return IMP_OK;
}

static int
move_to(struct flow *flow, double time)
{
    assert(!isnan(time));
    struct observer_run *observer = flow->observer;
    int st = reach(flow, time);
    if (!st && time > observer->piece.at)
        move(observer, time);
    return st;
}

/* -- impacts ----------------------------------------------------------------
 */

/* What an impact at the time `at` and the place flow->q that takes the rates
 * `before` to `after` adds to the variables, into observer->jump. */
static int
jump_of(struct flow *flow, double at, const double *before, const double *after)
{
    struct observer_run *observer = flow->observer;
    struct rt *run = flow->run;
    double *time = run->env + run->im->layout.time, now = *time;
    memcpy(observer->local, before, flow->n * sizeof *before);
    memcpy(observer->local + flow->n, after, flow->n * sizeof *after);
    *time = at;
    memcpy(run->env + flow->sys->env_state, flow->q, flow->n * sizeof *flow->q);
    memcpy(env_of(flow), observer->x, observer->p * sizeof *observer->x);
    int st = rt_eval(run, flow->sys->jump, observer->local, observer->jump);
    *time = now;
    return st;
}

/* Adds the jumps of an impact at observer->at. The rates before it stand in
 * observer->before, those after it in flow->v, the place in flow->q. */
static int
jump(struct flow *flow)
{
    struct observer_run *observer = flow->observer;
    struct rt *run = flow->run;
    observer->piece.known = false;
    if (flow->sys->jump == IMP_NO_TAPE)
        return IMP_OK;
    int st = jump_of(flow, observer->piece.at, observer->before, flow->v);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, flow->sys->jump, observer->local);
    for (uint32_t j = 0; j < observer->p && !st; j++)
        state_add(&observer->x[j], &observer->lo[j], observer->jump[j]);
    for (uint32_t j = 0; j < observer->p && !observer->limit.alone; j++)
        observer->last[j * OBSERVE_LAST + observer->n_jumped % OBSERVE_LAST] =
            fabs(observer->jump[j]);
    observer->n_jumped += !observer->limit.alone;
    if (!st && observer->limit.alone)
        jump_notes_add(&observer->limit.notes,
                       observer->piece.at - observer->limit.begin,
                       observer->before, flow->v, observer->jump);
    return st ? IMP_FAILED : IMP_OK;
}

/* Do the jumps of all variables (only: of variable `only`) add up: is that from
 * the first rates to the second ones, and from there to those of flow->v, that
 * from the first to the last, also at many times these rates? Then those that
 * are left may act all at once. */
static bool
adds_up(struct flow *flow, uint32_t only)
{
    struct observer_run *observer = flow->observer;
    const struct jump_notes *notes = &observer->limit.notes;
    const double *at[3] = {notes->first, notes->second, flow->v};
    double *rates = NEW_N(flow->run->brief, double, 3 * (size_t)flow->n + 1);
    double *sum = NEW_N(flow->run->brief, double, 2 * (size_t)observer->p + 1),
           *size = sum + observer->p;
    bool adds = flow->sys->jump != IMP_NO_TAPE;
    for (double times = 1.0; times <= OBSERVE_FASTER && adds;
         times *= OBSERVE_FASTER) {
        for (size_t k = 0; k < 3 * (size_t)flow->n; k++)
            rates[k] = times * at[k / flow->n][k % flow->n];
        for (int leg = 0; leg < 3 && adds; leg++) {
            const double *before = rates + (leg == 1 ? flow->n : 0),
                         *after = rates + (leg == 0 ? flow->n : 2 * flow->n);
            adds = !jump_of(flow, observer->piece.at, before, after);
            for (uint32_t j = 0; j < observer->p; j++) {
                double jump = leg == 2 ? -observer->jump[j] : observer->jump[j];
                sum[j] = (leg ? sum[j] : 0.0) + jump;
                size[j] = (leg ? size[j] : times * notes->most[j]) + fabs(jump);
            }
        }
        for (uint32_t j = 0; j < observer->p; j++)
            adds = adds && ((only < observer->p && only != j) ||
                            fabs(sum[j]) <= OBSERVE_ROUNDING * size[j]);
    }
    return adds;
}

/* Tells, once, about a variable whose jumps do not shrink towards the limit,
 * or shrink so slowly that much is left of them when no time is left. Such a
 * variable has no value behind the limit; what is given is its value after the
 * impacts that were followed. */
static void
tell_endless(struct flow *flow, double time)
{
    struct observer_run *observer = flow->observer;
    bool through = observer->limit.probe &&
                   time - observer->limit.probe->t <= LIMIT_NEAR * fabs(time);
    /* `late` itself halves at each impact at most */
    double kept = ldexp(4.0, -(int)fmin((double)observer->limit.impacts, 1e3));
    for (uint32_t which = 0; which < observer->p && !observer->told; which++) {
        bool lasts = observer->limit.notes.late[which] >=
                     0.5 * observer->limit.notes.most[which];
        bool slow = through && observer->limit.notes.late[which] >
                                   fmax(OBSERVE_LEFT, kept) *
                                       observer->limit.notes.most[which];
        if (observer->limit.impacts < OBSERVE_ENOUGH ||
            !(observer->limit.notes.late[which] > 0.0) || !(lasts || slow) ||
            adds_up(flow, which))
            continue;
        observer_endless(flow, which, time,
                         lasts ? "does not shrink"
                               : "shrinks more slowly than their "
                                 "speeds",
                         arena_printf(flow->run->brief,
                                      "the impacts before and of %ld more "
                                      "that were gone through",
                                      observer->limit.impacts),
                         observer->limit.notes.late[which]);
        observer->told = true;
    }
}

/* The same before a limit to which the motion alone has followed the impacts,
 * as with friction. */
static void
tell_followed(struct flow *flow, double time)
{
    struct observer_run *observer = flow->observer;
    const double *last = observer->last;
    if (observer->n_jumped < OBSERVE_LAST)
        return;
    for (uint32_t which = 0; which < observer->p && !observer->told;
         which++, last += OBSERVE_LAST) {
        double most = 0.0, late = last[(observer->n_jumped - 1) % OBSERVE_LAST];
        for (int k = 0; k < OBSERVE_LAST; k++)
            most = fmax(most, last[k]);
        if (late == 0.0 || late < 0.5 * most)
            continue;
        observer_endless(flow, which, time, "does not shrink",
                         "the impacts that were followed, and of one in place "
                         "of all others",
                         late);
        observer->told = true;
    }
}

/* Another piece of the motion begins at observer->piece.at. */
static void
begin(struct flow *flow)
{
    struct observer_run *observer = flow->observer;
    observer->begin = observer->piece.at;
    observer->from_holds = observer->piece.holds;
    observer->piece.known = false;
    memcpy(observer->from, observer->x, 2 * observer->p * sizeof *observer->x);
    relays_keep(flow->run, flow->sys->observer);
}

/* The rates of the motion at observer->piece.at, into observer->before. */
static void
rates_before(struct flow *flow)
{
    struct observer_run *observer = flow->observer;
    const struct observer_limit *limit = &observer->limit;
    double elapsed = observer->piece.at - limit->begin;
    if (!(limit->alone && limit->probe) || limit->together) {
        flow->method->at(flow, observer->piece.at);
        memcpy(observer->before, flow->v, flow->n * sizeof *flow->v);
        return;
    }
    for (size_t j = 0; j < flow->n; j++)
        observer->before[j] = polynomial_value(
            limit->flight + (flow->n + j) * IMP_ROW_STRIDE + IMP_ROW_PAD, 1,
            elapsed);
}

/* -- before a limit ---------------------------------------------------------
 */

/* Notes, once, whether jumps add up and, into notes->bends, how fast the place
 * changes them. The probe has just begun a flight. */
static void
ask_jumps(struct flow *flow)
{
    struct observer_run *observer = flow->observer;
    const struct observer_limit *limit = &observer->limit;
    struct jump_notes *notes = &observer->limit.notes;
    const double *before[] = {notes->third, notes->first},
                 *after[] = {notes->fourth, notes->second};
    uint32_t p = observer->p;
    double *jump = NEW_N(flow->run->brief, double, 2 * (size_t)p),
           left = limit->time - limit->begin;
    notes->asked = true;
    notes->adds = left > 0.0 && adds_up(flow, p);
    for (uint32_t i = 0; i < 2 && notes->adds; i++) {
        notes->adds = !jump_of(flow, limit->begin, before[i], after[i]);
        memcpy(jump + i * p, observer->jump, p * sizeof *jump);
    }
    flow->method->at(flow, limit->time);
    for (uint32_t i = 0; i < 2 && notes->adds; i++) {
        notes->adds = !jump_of(flow, limit->time, before[i], after[i]);
        jump_notes_bend(notes, jump + i * p, observer->jump, left);
    }
}

/* Goes on to the next impact of the probe by the time `latest`, or to a limit
 * of impacts at one contact that comes so soon that these may act all at once.
 */
static enum ballistic_event
probe_next(const struct flow *flow, double latest)
{
    const struct observer_limit *limit = &flow->observer->limit;
    double last = limit->notes.flight, soon = limit->begin + limit->brief;
    if (last > 0.0 && last <= limit->brief && soon < limit->time &&
        accumulation_bounces(limit->probe, soon))
        return BALLISTIC_ACCUMULATION;
    return accumulation_next(limit->probe, latest);
}

/* The probe has just begun a flight, with the state in flow->q and flow->v.
 * Looks for the next impact before the limit. Where flights shrink faster than
 * speeds, impacts at one time of the clock still add to the variables. */
static void
next_impact(struct flow *flow)
{
    struct observer_run *observer = flow->observer;
    struct observer_limit *limit = &observer->limit;
    double near = LIMIT_NEAR * fabs(limit->time);
    bool far = limit->time - limit->probe->t > near &&
               limit->standing < OBSERVE_STANDING;
    limit->begin = limit->probe->t;
    flow_parabola_write(flow, limit->probe, flow->q, flow->v, limit->flight);
    bool known = limit->impacts >= OBSERVE_ENOUGH;
    if (!far && known && !limit->adds &&
        (!limit->near || limit->impacts % OBSERVE_AGAIN == 0)) {
        limit->near = true;
        limit->adds = adds_up(flow, observer->p);
    }
    limit->more =
        limit->more && ++limit->impacts < OBSERVE_IMPACTS &&
        (far || !known || (!limit->adds && jump_notes_show(&limit->notes)));
    if (!limit->more)
        return;
    if (known && !limit->notes.asked && observer->linear)
        ask_jumps(flow);
    limit->brief = jump_notes_brief(&limit->notes, observer->linear,
                                    observer->x, limit->begin - limit->from);
    double latest = limit->time + LIMIT_LATE * near, earlier = limit->probe->t;
    enum ballistic_event what = probe_next(flow, latest);
    bool before = limit->time - limit->probe->t > LIMIT_LATE * near,
         inner = what == BALLISTIC_ACCUMULATION && before;
    /* Limits of some contacts come before that of all. They are taken where the
       flights before them are below the rounding of the time. */
    limit->rests |= inner;
    if (inner)
        accumulation_one_by_one(limit->probe, OBSERVE_IMPACTS);
    else if (before && limit->probe->t - earlier <= near)
        accumulation_resolve(limit->probe, ACCUMULATION_RESOLVE);
    limit->standing = limit->probe->t > earlier ? 0 : limit->standing + 1;
    limit->more =
        (inner || what == BALLISTIC_IMPACT || what == BALLISTIC_SEVERAL) &&
        limit->probe->t <= latest;
}

static int
tail_begin(struct flow *flow, double limit)
{
    struct observer_run *observer = flow->observer;
    struct observer_limit *tail = &observer->limit;
    tail->alone = true;
    tail->time = limit;
    tail->impacts = tail->standing = 0;
    tail->near = tail->adds = tail->rests = tail->together = false;
    tail->brief = 0.0;
    jump_notes_begin(&tail->notes);
    int st = flow_touching_parabola(flow, &tail->room, &tail->probe);
    tail->more = tail->probe != NULL;
    if (!st && tail->probe) {
        accumulation_one_by_one(tail->probe, OBSERVE_IMPACTS);
        ballistic_state(tail->probe, flow->q, flow->v);
        tail->from = tail->probe->t;
        next_impact(flow);
    }
    return st;
}

/* When the next impact of the probe counts. */
static double
probe_time(const struct observer_run *observer)
{
    return fmin(observer->limit.probe->t, observer->limit.time);
}

/* Acts all at once: what is left of the impacts, at the limit. Together they
 * change the rates by what the flights until then leave. (Where contacts come
 * to rest between impacts, their forces do a part of that.) */
static int
act_at_once(struct flow *flow)
{
    struct observer_limit *limit = &flow->observer->limit;
    begin(flow);
    int st = move_to(flow, limit->time);
    if (st)
        return st;
    rates_before(flow);
    flow->method->at(flow, limit->time);
    limit->together = true;
    return jump(flow);
}

/* Follows the impacts up to `time`: one by one, but for those that may act all
 * at once at the limit, where that is asked for. */
static int
tail_to(struct flow *flow, double time)
{
    struct observer_run *observer = flow->observer;
    const struct observer_limit *limit = &observer->limit;
    bool any = false;
    if (limit->together)
        return IMP_OK;
    for (; observer->limit.more && probe_time(observer) <= time; any = true) {
        if (time >= limit->time && !limit->rests &&
            limit->time - limit->begin < limit->brief)
            return act_at_once(flow);
        int st = move_to(flow, probe_time(observer));
        if (st)
            return st;
        rates_before(flow);
        ballistic_state(observer->limit.probe, flow->q, flow->v);
        if ((st = jump(flow)))
            return st;
        next_impact(flow);
    }
    if (any)
        begin(flow);
    return reach(flow, time);
}

/* -- for flow.c -------------------------------------------------------------
 */

int
flow_observer_new(struct flow *flow)
{
    assert(flow);
    struct arena *arena = flow->run->arena;
    flow->observer = NULL;
    if (flow->sys->observer == IMP_NO_BLOCK)
        return IMP_OK;
    struct observer_run *observer = flow->observer =
        NEW(arena, struct observer_run);
    size_t p = observer->p = flow->sys->n_observed;
    observer->x = NEW_N(arena, double, 6 * p);
    observer->lo = observer->x + p;
    observer->from = observer->x + 2 * p;
    observer->ahead = observer->x + 4 * p;
    observer->piece.state = NEW_N(arena, double, p *ROW);
    observer->before = NEW_N(arena, double, 3 * (size_t)flow->n);
    observer->local = observer->before + flow->n;
    observer->limit.flight =
        NEW_N(arena, double, 2 * (size_t)flow->n * IMP_ROW_STRIDE);
    observer->jump = NEW_N(arena, double, (1 + OBSERVE_LAST) * p);
    observer->last = observer->jump + p;
    jump_notes_new(&observer->limit.notes, arena, flow->n, observer->p);
    observer->piece.at = rt_time(flow->run);
    memcpy(observer->x, env_of(flow), observer->p * sizeof *observer->x);
    observer->linear =
        linear_block_new(flow->run, flow->sys->observer,
                         flow->sys->env_state + 2 * flow->n, observer->p);
    begin(flow);
    return IMP_OK;
}

int
flow_observer_at(struct flow *flow, double time)
{
    assert(flow->observer != NULL);
    struct observer_run *observer = flow->observer;
    double limit, *variables = env_of(flow);
    int st = IMP_OK;
    if (time < observer->piece.at) { /* begin at the event again */
        memcpy(observer->x, observer->from,
               2 * observer->p * sizeof *observer->x);
        observer->piece.at = observer->begin;
        observer->piece.holds = observer->from_holds;
        observer->piece.known = observer->limit.together = false;
        relays_back(flow->run, flow->sys->observer);
    }
    if (!observer->limit.alone && time > observer->piece.at &&
        flow->method->limit(flow, &limit))
        st = tail_begin(flow, limit);
    if (!st)
        st = observer->limit.alone ? tail_to(flow, time) : reach(flow, time);
    double s =
        observer->piece.known ? fmax(time - observer->piece.at, 0.0) : 0.0;
    bool ahead = observer->linear && s > 0.0;
    for (uint32_t j = 0; j < observer->p && !st; j++)
        variables[j] =
            ahead ? observer->ahead[j] + observer->ahead[observer->p + j]
                  : observer->x[j] + (observer->lo[j] + grown(observer, j, s));
    return st;
}

int
flow_observer_before(struct flow *flow, double time)
{
    assert(flow);
    struct observer_run *observer = flow->observer;
    double limit;
    int st = flow_observer_at(flow, time);
    /* the limit may come at the time of the last event */
    if (!st && !observer->limit.alone && flow->method->limit(flow, &limit) &&
        !(st = tail_begin(flow, limit)))
        st = tail_to(flow, time);
    if (st || (st = move_to(flow, time)))
        return st;
    rates_before(flow);
    return IMP_OK;
}

int
flow_observer_after(struct flow *flow, const struct flow_event *event)
{
    assert(event->time >= flow->observer->begin);
    struct observer_run *observer = flow->observer;
    bool hit = event->kind == FLOW_IMPACT || event->kind == FLOW_SEVERAL ||
               event->kind == FLOW_CHATTER;
    if (observer->limit.alone && event->kind == FLOW_CHATTER)
        tell_endless(flow, event->time);
    if (event->kind == FLOW_CHATTER &&
        !(observer->limit.alone && observer->limit.probe))
        tell_followed(flow, event->time);
    observer->limit.alone = false;
    observer->piece.at = event->time;
    flow->method->at(flow, event->time);
    int st = hit ? jump(flow) : IMP_OK;
    if (!st)
        begin(flow);
    return st;
}
