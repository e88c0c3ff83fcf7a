/* SPDX-License-Identifier: MIT */
/* Systems with friction at their events: what is applied where a mode ends, a
 * gap closes without an impact, a formula changes its branch, or a piece just
 * ends. Before modes are chosen the state is taken exactly onto what closed
 * contacts hold: gaps and their rates, the slip of those that stick, and the
 * slip that has just come to zero.
 *
 * Impacts: the contacts that hit and the closed ones, as one group
 * (friction_impact_group).
 *
 * Limits of chatter: every impact is followed until the flights that are left,
 * by the ratio at which they shrink, take so small a share of the time in which
 * the motion changes that what is left out is rounding. Then the last impact is
 * one without restitution, and the contacts stay closed: what the impacts to
 * come would do to the slip, the forces of closed contacts do. Where one
 * contact bounces alone and its slip keeps its direction, or ends in each
 * impact, the law of its impacts says when the limit comes
 * (painleve_bounces_find). The system flies until then, and one impulse takes
 * the place of all that were left out: they have the same sum, and the same
 * directions, so that only the squares of the time left out are lost. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/friction/paradox.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/motion/switching.h"

/* A limit of limits is taken where the gaps of its contacts are below so many
 * of their roundings: those of the limits that tell it were not. */
#define NESTED_LOW 4.0
/* ... and where it is known to this share of the time that is left. */
#define NESTED_SURE 0x1p-6

/* Modes that change so often at one time, without an impact and per contact,
 * come to no end. */
#define FRICTION_REPEATS 6

/* -- impacts ------------------------------------------------------------------
 */

/* Finds the impulses. False: nothing is decided. */
static bool
resolve(struct flow *flow, struct struck *struck, struct flow_event *event)
{
    struct arena *arena = flow->run->brief;
    struct taylor_friction *friction = flow->taylor->friction;
    int *contact = NEW_N(arena, int, flow->m);
    double *W = NEW_N(arena, double, 4 * (size_t)flow->m * (size_t)flow->m);
    struct friction_impact_point *point =
        NEW_N(arena, struct friction_impact_point, flow->m);
    struct friction_group_impact group;
    int n = friction_read_group(flow, struck, contact, W, point);
    friction_impact_group(arena, n, W, point, struck->law, NULL, &group);
    if (group.unstated && struck->law == IMP_IMPACT_UNDECLARED &&
        (event->low = taylor_low_speed(flow, friction->rows.speed,
                                       friction->rows.free, 2)) > 0.0)
        /* No energy is added, and what another law would do is a motion that
         * the tolerance does not tell from rest. */
        friction_impact_group(arena, n, W, point, IMP_IMPACT_ENERGETIC, NULL,
                              &group);
    loads_of_impact(flow->run->loads, &group);
    for (uint32_t i = 0; i < flow->m; i++)
        friction->approach[i] =
            struck->hits[i] ? fmax(0.0, -friction->rows.speed[2 * i]) : 0.0;
    event->loads |= group.loads && !group.why;
    friction->loads_open |= group.loads && group.why;
    event->tie |= group.tie;
    event->gain = group.gain;
    struck->may_gain = group.may_gain;
    if (group.why) {
        friction_undecided(
            flow, event,
            group.unstated ? NULL
                           : arena_printf(flow->run->arena,
                                          "the velocities after the impact: %s",
                                          group.why));
        return false;
    }
    for (int k = 0; k < n; k++) {
        uint32_t i = (uint32_t)contact[k];
        struck->impulse[2 * i] = group.impulse[2 * k];
        struck->impulse[2 * i + 1] = group.impulse[2 * k + 1];
        friction->zero[i] =
            friction->rub[i] >= 0 && group.after[2 * k + 1] == 0.0;
        if (friction->rub[i] >= 0)
            friction->work[i] += group.work[k];
    }
    return true;
}

/* Gives the impulses to the state. Contacts that do not separate from here on
 * are `on`: those that were closed, and those that the impact left closed. */
static int
strike(struct flow *flow, struct struck *struck, bool *on)
{
    struct taylor_flow *taylor = flow->taylor;
    struct friction_rows *rows = &taylor->friction->rows;
    struct taylor_friction *friction = taylor->friction;
    memcpy(friction->impulse, struck->impulse,
           2 * flow->m * sizeof *friction->impulse);
    friction->may_gain = struck->may_gain;
    /* a rate that a closed contact has already is rounding, and none */
    double *before = NEW_N(flow->run->brief, double, flow->m + 1);
    const bool *rests = friction_resting(flow, struck, before);
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!rests[i])
            before[i] = taylor->contacts.closed[i] && !struck->hits[i]
                            ? 2.0 * fabs(rows->speed[2 * i])
                            : 0.0;
        friction->may_gain |= struck->hits[i] && flow->instant.e[i] > 1.0;
    }
    friction_push(flow, struck->impulse);
    friction->struck = true;
    int st = friction_rows(flow);
    for (uint32_t i = 0; i < flow->m && !st; i++) {
        bool was = taylor->contacts.closed[i];
        double rate = rows->speed[2 * i],
               noise = fmax(before[i], TAYLOR_NOISE * DBL_EPSILON *
                                           rows->speed_terms[2 * i]);
        bool touches =
            rests[i] || (taylor->contacts.opening[i] && !struck->hits[i]);
        bool soft = friction_soft(flow, i);
        on[i] = soft ? was
                     : ((was || struck->hits[i]) && rate <= noise) ||
                           (was && struck->stays && struck->stays[i]) ||
                           (touches && fabs(rate) <= noise);
        if (soft) {
            taylor->contacts.closed[i] &=
                friction->mode[i] != CONTACT_STICK || friction->zero[i];
            continue;
        }
        friction->still[i] = taylor->contacts.released[i] = false;
        if (touches) /* or else it is hit now, too */
            taylor->contacts.opening[i] = rate > noise;
        if (was && !on[i]) { /* knocked off */
            taylor->contacts.closed[i] = false;
            taylor->contacts.opening[i] = true;
            friction_note(flow, i, "liftoff");
        } else if (was && friction->mode[i] == CONTACT_STICK &&
                   !friction->zero[i]) {
            taylor->contacts.closed[i] = false; /* it slips, as if new */
        } else if (struck->hits[i] && !on[i]) {
            taylor->contacts.opening[i] = true;
        }
    }
    return st;
}

/* Reports the contacts that take part, with their impulses along the normal. */
static void
report(struct flow *flow, const struct struck *struck, struct flow_event *event)
{
    flow->last.n_contacts = 0;
    for (uint32_t i = 0; i < flow->m; i++)
        if (struck->hits[i] || struck->impulse[2 * i] != 0.0) {
            flow->last.contacts[flow->last.n_contacts] = flow->sys->contact + i;
            flow->last.impulse[flow->last.n_contacts++] =
                struck->impulse[2 * i];
        }
    event->n = flow->last.n_contacts;
    event->contact = flow->last.contacts[0];
    event->impulse = flow->last.impulse[0];
}

struct struck
friction_new_struck(struct flow *flow)
{
    assert(flow);
    struct arena *arena = flow->run->brief;
    return (struct struck){.law =
                               (enum imp_impact_law)flow->run->im->impact_law,
                           .hits = NEW_N(arena, bool, flow->m + 1),
                           .impulse = NEW_N(arena, double, 2 * flow->m + 1)};
}

/* -- limits of chatter ------------------------------------------------------
 */

/* Has the rate with which a contact leaves, after as many impacts as tell that
 * its flights shrink, come down to rounding? */
static bool
bounces_no_more(const struct flow *flow, const bool *on)
{
    const struct taylor_flow *taylor = flow->taylor;
    bool any = false;
    for (int k = 0; k < taylor->next.n_hit; k++) {
        int i = taylor->next.hit[k];
        any |= on[i] && flow->instant.e[i] > 0.0;
    }
    return any && taylor->friction->flights.n > 2 * FRICTION_FLIGHTS;
}

/* A contact has come to rest. Do its limits and those of others in turns have a
 * limit of their own, and are the others so low that their flights soon are
 * rounding? Then the system goes there without them. */
static void
foresee_nested(struct flow *flow, const bool *on)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    struct limit_series *series = &friction->series;
    double left = series->meet - taylor->now;
    int contact = -1;
    memset(friction->group, 0, flow->m * sizeof *friction->group);
    if (!series->known || series->error > NESTED_SURE * left ||
        series->meet > flow->end)
        return;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (on[i] || !limit_series_has(series, flow->sys->contact + i))
            continue;
        if (flow->instant.gap[i] >
            NESTED_LOW * TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i])
            return;
        friction->group[i] = true;
        contact = (int)i;
    }
    if (contact < 0)
        return;
    double share = left / fmin(taylor->piece.h,
                               series->time[0] - series->time[series->n - 1]);
    friction->limit = (struct friction_limit){
        .contact = contact,
        .time = series->meet,
        .left = left,
        .nested = true,
        .is = {.evidence = LIMIT_BY_FLIGHTS,
               .impacts = flow->impacts,
               .period = series->period,
               .depth = 2,
               .ratio = series->ratio,
               .ratio_error = series->ratio_error,
               .remaining = left,
               .error = fmin(1.0, series->error / left),
               .state_error = share * share + TAYLOR_NOISE * DBL_EPSILON}};
}

/* The contacts of the group stay closed from here on: adds them to `on`. */
static void
close_group(struct flow *flow, struct flow_event *event, const bool *group,
            bool *on)
{
    struct taylor_flow *taylor = flow->taylor;
    struct friction_flights *flights = &taylor->friction->flights;
    flow->last.n_contacts = 0;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!group[i])
            continue;
        on[i] = true;
        taylor->contacts.opening[i] = false;
        flow->last.contacts[flow->last.n_contacts] = flow->sys->contact + i;
        flow->last.impulse[flow->last.n_contacts++] = 0.0;
    }
    event->kind = FLOW_CHATTER;
    event->impulse = 0.0;
    event->n = flow->last.n_contacts;
    event->contact = flow->last.contacts[0];
    if (flights->joined)
        event->chatter.before = taylor->now - flights->since;
    flights->joined = false;
    uint32_t first = event->contact - flow->sys->contact;
    double fastest =
        flights->fastest *
        sqrt(taylor->friction->rows
                 .W[2 * (size_t)first * (2 * (size_t)flow->m + 1)]);
    flights->n = 0;
    flights->longest = flights->fastest = flights->ratio = 0.0;
    if (event->n == 1)
        limit_series_add(&taylor->friction->series, taylor->now,
                         DBL_EPSILON * taylor->terms.gap[first] / fastest, 0.0,
                         event->contact);
    else
        taylor->friction->series = (struct limit_series){0};
    if (taylor->friction->series.n == 1)
        taylor->friction->several.since = taylor->now;
    foresee_nested(flow, on);
}

/* Settles anew without those contacts whose gaps have turned (taylor_gaps_turn)
 * since they were settled. */
static int
settle_turned(struct flow *flow, const bool *ended, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    bool *still = NEW_N(flow->run->brief, bool, 2 * flow->m + 1),
         *opens = still + flow->m;
    if (switching_count(flow->run, flow->sys->block) == 0)
        return IMP_OK;
    memcpy(still, taylor->contacts.closed, flow->m * sizeof *still);
    int st = friction_rows(flow);
    if (st || !taylor_gaps_turn(flow, still, opens))
        return st;
    st = friction_settle(flow, still, ended, event);
    for (uint32_t i = 0; i < flow->m; i++)
        taylor->contacts.opening[i] |= opens[i];
    return st;
}

/* Chooses the modes behind an impulse that the state has. Where none or several
 * are consistent, the impulse is an event of its own, which observers follow,
 * and the next one, at the same time, tells that the motion is not determined.
 */
static int
settle_struck(struct flow *flow, const bool *on, const bool *ended,
              struct flow_event *event)
{
    struct taylor_friction *friction = flow->taylor->friction;
    enum flow_kind kind = event->kind;
    int st = friction_settle(flow, on, ended, event);
    if (!st && event->kind != FLOW_UNDECIDED)
        st = settle_turned(flow, ended, event);
    if (st || event->kind != FLOW_UNDECIDED)
        return st;
    friction->why = event->why;
    friction->why_contact = event->contact;
    friction->policies = event->policies;
    event->kind = kind;
    event->why = NULL;
    event->open_loads = false;
    return IMP_OK;
}

static int
friction_impact(struct flow *flow, struct flow_event *event)
{
    assert(event != NULL);
    struct taylor_flow *taylor = flow->taylor;
    struct struck struck = friction_new_struck(flow);
    struct arena *arena = flow->run->brief;
    bool *on = NEW_N(arena, bool, flow->m + 1),
         *ended = NEW_N(arena, bool, flow->m + 1);
    int st = friction_rows(flow);
    if (st)
        return st;
    for (int k = 0; k < taylor->next.n_hit; k++)
        struck.hits[taylor->next.hit[k]] = true;
    memset(taylor->terms.gap_since, 0,
           flow->m * sizeof *taylor->terms.gap_since);
    event->kind = taylor->next.n_hit > 1 ? FLOW_SEVERAL : FLOW_IMPACT;
    bool faint = friction_note_impacts(flow),
         *group = NEW_N(arena, bool, flow->m + 1);
    bool merged = friction_hits_merge(flow, struck.hits);
    bool limit = struck.plastic =
        friction_limit_reached(flow, faint, merged, group, &event->chatter);
    if (limit) {
        memcpy(struck.hits, group, flow->m);
        struck.law = IMP_IMPACT_COMPLEMENTARITY;
        struck.stays = friction_hit_lately(flow);
    }
    bool decided = resolve(flow, &struck, event);
    report(flow, &struck, event);
    if (!decided)
        return IMP_OK;
    flow->impacts += taylor->next.n_hit;
    if ((st = strike(flow, &struck, on)))
        return st;
    if (!limit && bounces_no_more(flow, on))
        limit =
            friction_limit_reached(flow, true, false, group, &event->chatter);
    if (limit)
        close_group(flow, event, group, on);
    else {
        friction_foresee_limit(flow);
        friction_foresee_several(flow);
    }
    return settle_struck(flow, on, ended, event);
}

/* The limit of impacts at several contacts has come: what these have given
 * until now, in flights that the system has not made. */
static int
come_to_several(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    struct friction_turns *several = &friction->several;
    struct struck struck = friction_new_struck(flow);
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1),
         *ended = NEW_N(flow->run->brief, bool, flow->m + 1);
    int st = friction_rows(flow);
    if (st)
        return st;
    friction_take_moments(flow);
    if ((st = friction_rows(flow)))
        return st;
    memcpy(struck.hits, several->group, flow->m * sizeof *struck.hits);
    memcpy(struck.impulse, several->impulse,
           2 * flow->m * sizeof *struck.impulse);
    struck.plastic = true;
    struck.may_gain = several->may_gain;
    for (uint32_t i = 0; i < flow->m; i++) {
        friction->approach[i] = 0.0;
        friction->zero[i] = (several->group[i] || taylor->contacts.closed[i]) &&
                            friction->rub[i] >= 0 && several->slip[i] == 0.0;
        if (friction->rub[i] >= 0)
            friction->work[i] += several->work[i];
    }
    event->chatter = friction->limit.is;
    friction->limit.contact = -1;
    if ((st = strike(flow, &struck, on)))
        return st;
    for (uint32_t i = 0; i < flow->m; i++)
        if (several->hit[i] && !several->group[i])
            taylor->contacts.opening[i] |=
                flow->instant.gap[i] <=
                TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i];
    several->left = 0.0;
    several->wait = 0;
    close_group(flow, event, struck.hits, on);
    return settle_struck(flow, on, ended, event);
}

/* The limit of the impacts at one contact has come: one impulse, without
 * restitution, and the contact stays closed. */
static int
come_to_rest(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    struct friction_limit *limit = &friction->limit;
    uint32_t i = (uint32_t)limit->contact;
    bool nested = limit->nested;
    if (limit->several)
        return come_to_several(flow, event);
    struct struck struck = friction_new_struck(flow);
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1),
         *ended = NEW_N(flow->run->brief, bool, flow->m + 1);
    int st = friction_rows(flow);
    if (st)
        return st;
    struck.hits[i] = struck.plastic = true;
    struck.stays = friction_hit_lately(flow);
    if (nested) {
        memcpy(struck.hits, friction->group, flow->m);
        struck.law = IMP_IMPACT_COMPLEMENTARITY;
        for (uint32_t k = 0; k < flow->m; k++)
            struck.stays[k] |=
                limit_series_has(&friction->series, flow->sys->contact + k);
        friction->series = (struct limit_series){0};
    }
    event->chatter = limit->is;
    if (!resolve(flow, &struck, event))
        return IMP_OK;
    friction->zero[i] |= limit->sticks;
    if ((st = strike(flow, &struck, on)))
        return st;
    limit->contact = -1;
    close_group(flow, event, struck.hits, on);
    return settle_struck(flow, on, ended, event);
}

/* -- impacts without collision ---------------------------------------------
 */

/* The policy of the model ends the slip of contact friction->jump by an impact
 * without collision (after friction_rows). */
static int
jump(struct flow *flow, struct flow_event *event)
{
    struct taylor_friction *friction = flow->taylor->friction;
    uint32_t i = (uint32_t)friction->jump;
    const double *W = friction->rows.W;
    size_t N = 2 * (size_t)i, T = N + 1, all = 2 * (size_t)flow->m;
    struct struck struck = friction_new_struck(flow);
    struct friction_impact out;
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1),
         *ended = NEW_N(flow->run->brief, bool, flow->m + 1);
    struct friction_impact_point point =
        friction_point_of(flow, i, struck.law, false, friction->plastic);
    friction->open = event->why;
    event->why = friction->why = NULL;
    friction->jump = -1;
    friction->plastic = false;
    if (event->kind != FLOW_JAM)
        event->kind = FLOW_WITHOUT_COLLISION;
    paradox_jump(W[T * all + T], W[N * all + T], W[N * all + N], &point, &out);
    struck.hits[i] = true;
    for (uint32_t j = 0; j < flow->m; j++)
        friction->zero[j] = friction->mode[j] == CONTACT_STICK;
    struck.impulse[N] = out.normal[0] + out.normal[1];
    struck.impulse[T] = out.tangential;
    friction->work[i] += out.work[1];
    friction->zero[i] = true;
    report(flow, &struck, event);
    flow->impacts++;
    int st = strike(flow, &struck, on);
    return st ? st : settle_struck(flow, on, ended, event);
}

/* -- the end of a mode ------------------------------------------------------
 */

/* Has the slip of closed contact i come to its end, too? The time of a root is
 * rounded, and the slip with it. */
static bool
ends_too(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const double *slip = friction->piece.slip + (size_t)i * ROW;
    double rate = 0.0, power = 1.0;
    if (friction->rub[i] < 0 || !friction_slips(friction->mode[i]))
        return false;
    for (int k = 1; k <= MOTION_STEP_ORDER; k++, power *= friction->elapsed)
        rate += k * fabs(slip[k]) * power;
    return fabs(friction->rows.speed[2 * i + 1]) <=
           TAYLOR_NOISE * DBL_EPSILON * friction->rows.speed_terms[2 * i + 1] +
               FRICTION_TICKS * DBL_EPSILON * fabs(flow->taylor->now) * rate;
}

/* a normal force of this share of the greatest one is 0 */
#define PRESSED_SHARE 1e-11

/* Of contacts that depend on each other none ends by itself, but those that are
 * no longer pressed. Else those end that other modes follow. */
static void
shared_ended(const struct flow *flow, const bool *on, bool *ended)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    double most = 0.0;
    bool any = false, known = false;
    for (uint32_t i = 0; i < flow->m; i++)
        known |= on[i] && friction->fails[i];
    for (uint32_t i = 0; i < flow->m; i++)
        if (on[i])
            most = fmax(most, friction->normal_now[i]);
    for (int all = 0; all < 2 && !any; all++)
        for (uint32_t i = 0; i < flow->m; i++) {
            if (!on[i] || friction->mode[i] != CONTACT_STICK ||
                (all ? known && !friction->fails[i]
                     : fabs(friction->normal_now[i]) > PRESSED_SHARE * most))
                continue;
            ended[i] = any = true;
        }
}

/* A mode ends, or a force ceases, at the contacts of next.hit. */
static int
change(struct flow *flow, struct flow_event *event, enum taylor_next what,
       bool slid)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    struct arena *arena = flow->run->brief;
    bool *on = NEW_N(arena, bool, flow->m + 1),
         *ended = NEW_N(arena, bool, flow->m + 1),
         *soft = NEW_N(arena, bool, flow->m + 1);
    int st = friction_rows(flow);
    if (st)
        return st;
    for (uint32_t i = 0; i < flow->m; i++) {
        on[i] = taylor->contacts.closed[i] || friction_rests(flow, i);
        ended[i] = on[i] && ends_too(flow, i);
        friction->zero[i] = ended[i];
        ended[i] |= on[i] && friction->mode[i] == CONTACT_STICK &&
                    friction_unloaded(flow, i);
    }
    friction->shares_end = taylor->next.n_hit == 0;
    if (friction->shares_end)
        shared_ended(flow, on, ended);
    for (int k = 0; k < taylor->next.n_hit; k++) {
        int i = taylor->next.hit[k];
        soft[k] = friction_soft(flow, (uint32_t)i);
        if (soft[k] &&
            (what == NEXT_CEASES || friction_soft_ceased(flow, (uint32_t)i))) {
            friction_soft_release(flow, (uint32_t)i);
            on[i] = false;
            continue;
        }
        ended[i] = true;
        friction->zero[i] =
            what == NEXT_MODE_ENDS && friction_slips(friction->mode[i]);
    }
    event->kind = FLOW_MODES;
    event->contact = flow->sys->contact + (uint32_t)taylor->next.hit[0];
    st = friction_settle(flow, on, ended, event);
    friction->shares_end = false;
    if (st || event->kind == FLOW_UNDECIDED)
        return st;
    for (int k = 0; k < taylor->next.n_hit && what == NEXT_CEASES; k++)
        if (!taylor->contacts.closed[taylor->next.hit[k]] && !soft[k])
            taylor->contacts.released[taylor->next.hit[k]] = slid;
    return IMP_OK;
}

/* A gap comes to zero without a speed. */
static int
touched(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    struct arena *arena = flow->run->brief;
    bool *on = NEW_N(arena, bool, flow->m + 1),
         *ended = NEW_N(arena, bool, flow->m + 1);
    int which = taylor->next.hit[0], st = friction_rows(flow);
    if (st)
        return st;
    for (uint32_t i = 0; i < flow->m; i++)
        on[i] = taylor->contacts.closed[i] || (int)i == which;
    event->kind = FLOW_MODES;
    event->contact = flow->sys->contact + (uint32_t)which;
    st = friction_settle(flow, on, ended, event);
    taylor->terms.gap_since[which] = 0.0;
    if (!st && event->kind == FLOW_MODES && !taylor->contacts.closed[which])
        event->kind = FLOW_TOUCH;
    return st;
}

/* What the slip of contact i may be by the time that a change of branch is
 * late: it lies within a least step, and the new branch has acted for that
 * long. */
static double
late_slip(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    size_t all = 2 * (size_t)flow->m, T = 2 * (size_t)i + 1;
    double rate = rows->terms[T] +
                  fabs(rows->W[T * all + T] * friction->tangential[i]) +
                  fabs(rows->W[T * all + T - 1] * friction->normal[i]);
    return FRICTION_TICKS * switching_least(flow->run) * rate;
}

/* A formula changes its branch: forces, the slip of a belt and rates of gaps
 * may jump. */
static int
switched(struct flow *flow, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    struct arena *arena = flow->run->brief;
    bool *on = NEW_N(arena, bool, flow->m + 1),
         *ended = NEW_N(arena, bool, flow->m + 1), any = false;
    int st = taylor_switched(flow, event);
    if (st || (st = friction_rows(flow)))
        return st;
    struct friction_rows *rows = &taylor->friction->rows;
    for (uint32_t i = 0; i < flow->m; i++) {
        on[i] = taylor->contacts.closed[i] || friction_rests(flow, i);
        any |= on[i];
        if (event->kind == FLOW_LEAVE && taylor->contacts.opening[i])
            friction_note(flow, i, "liftoff");
        /* a belt that jumps takes a point that stuck out of its mode */
        if (on[i] && taylor->friction->mode[i] == CONTACT_STICK &&
            fabs(rows->speed[2 * i + 1]) >
                FRICTION_TOGETHER * rows->speed_terms[2 * i + 1] +
                    friction_held_slip(flow, i) + late_slip(flow, i)) {
            taylor->friction->mode[i] = rows->speed[2 * i + 1] > 0.0
                                            ? CONTACT_SLIP_POSITIVE
                                            : CONTACT_SLIP_NEGATIVE;
            friction_note(flow, i, "slip");
        }
    }
    if (event->kind == FLOW_LEAVE)
        event->kind = FLOW_MODES;
    if (!any)
        return st;
    st = friction_settle(flow, on, ended, event);
    if (!st && event->kind == FLOW_NONE && taylor->friction->n_change)
        event->kind = FLOW_MODES;
    return st;
}

/* Do modes change at this one time without end? */
static bool
endless(struct flow *flow)
{
    struct taylor_friction *friction = flow->taylor->friction;
    if (friction->last_time != flow->taylor->now) {
        friction->last_time = flow->taylor->now;
        friction->repeats = 0;
    }
    return ++friction->repeats > FRICTION_REPEATS * ((int)flow->m + 1);
}

static int
apply(struct flow *flow, struct flow_event *event, enum taylor_next what,
      bool slid)
{
    struct taylor_flow *taylor = flow->taylor;
    if (taylor->next.guard >= 0)
        return switched(flow, event);
    if (what != NEXT_CLOSES && what != NEXT_RESTS && what != NEXT_NOTHING &&
        endless(flow)) {
        friction_undecided(flow, event,
                           "no motion leads on: whichever modes are chosen "
                           "end at the same time");
        return IMP_OK;
    }
    switch (what) {
    case NEXT_MU_ENDS:
        return friction_bad_mu(flow, (uint32_t)taylor->next.hit[0], 0.0);
    case NEXT_UNDECIDED:
        friction_undecided(flow, event, taylor->friction->why);
        event->policies = taylor->friction->policies;
        if (!event->n)
            event->contact = taylor->friction->why_contact;
        return IMP_OK;
    case NEXT_CLOSES:
        return friction_impact(flow, event);
    case NEXT_RESTS:
        return come_to_rest(flow, event);
    case NEXT_TOUCHES:
        return touched(flow, event);
    case NEXT_JAMS:
        return friction_jam(flow, event);
    case NEXT_PRESSES:
    case NEXT_HOLDS:
    case NEXT_GIVES:
    case NEXT_LIFTS:
        return friction_soft_apply(flow, event, what);
    case NEXT_CEASES:
    case NEXT_MODE_ENDS:
        return change(flow, event, what, slid);
    default:
        return friction_hold(flow);
    }
}

int
friction_apply(struct flow *flow, struct flow_event *event,
               enum taylor_next what, bool slid)
{
    assert(flow);
    struct taylor_friction *friction = flow->taylor->friction;
    friction->n_change = friction->n_told = 0;
    friction->open = NULL;
    friction_fresh(flow);
    flow->last.n_contacts = 0;
    int st = what == NEXT_UNDECIDED && friction->jump >= 0 ? friction_rows(flow)
                                                           : IMP_OK;
    if (st || (st = apply(flow, event, what, slid)))
        return st;
    if (event->kind != FLOW_UNDECIDED && event->kind != FLOW_JAM)
        return IMP_OK;
    for (uint32_t i = 0; i < flow->m; i++)
        if (friction->yields[i]) {
            friction_soften(flow, event);
            return IMP_OK;
        }
    if (friction->jump < 0)
        return IMP_OK;
    flow->last.n_contacts = 0;
    return jump(flow, event);
}

int
friction_start(struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    struct arena *arena = flow->run->brief;
    bool *on = NEW_N(arena, bool, flow->m + 1),
         *ended = NEW_N(arena, bool, flow->m + 1), any = false;
    int st = friction_rows(flow);
    for (uint32_t i = 0; i < flow->m && !st; i++) {
        enum flow_start start =
            flow_start_of(flow, i, TAYLOR_NOISE * DBL_EPSILON,
                          taylor->terms.gap[i], taylor->terms.rate[i]);
        on[i] = start == FLOW_START_CLOSED;
        taylor->contacts.opening[i] = start == FLOW_START_OPENS;
        /* a run that begins the least step behind its start */
        if (taylor->now > 0.0 &&
            fabs(taylor->friction->rows.speed[2 * i + 1]) <= late_slip(flow, i))
            taylor->friction->zero[i] = true;
        if (friction_soft(flow, i)) {
            friction_soft_start(flow, i, on[i]);
            on[i] = false;
        }
        any |= on[i];
    }
    struct flow_event event = {.kind = FLOW_MODES};
    if (!st && any)
        st = friction_settle(flow, on, ended, &event);
    if (!st && event.kind == FLOW_UNDECIDED) {
        taylor->friction->why = event.why;
        taylor->friction->why_contact = event.contact;
        taylor->friction->policies = event.policies;
    }
    if (!st) {
        friction_tell(flow, taylor->now);
        st = friction_tell_points(flow, taylor->now);
    }
    return st;
}
