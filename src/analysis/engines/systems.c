/* SPDX-License-Identifier: MIT */
/* Events of systems in the second engine. The law of impact is asked of
 * runtime/flow (flow_impact_now); which closed contacts push is found here, as
 * a complementarity problem of the instant. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/engines/second.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/instance/system.h"
#include "runtime/numerics/lcp.h"

/* Gaps within so many roundings of their greatest value since the last impact,
 * or within TOGETHER_TERMS of their terms, close together. */
#define TOGETHER 64.0
#define TOGETHER_TERMS 4.0
/* Gaps within this share of their length may stay closed, if they have no rate
 * either: the errors of the steps. */
#define CLOSED 1e-11
/* Flights that shrink by no more than this are taken for ones that do not. */
#define SHRINKS 0.98
/* Errors of the steps in a rate, as a share of its greatest value so far. */
#define SPEED_ERROR 1e-12
/* forces and accelerations up to this share of their terms are none */
#define FORCE_NONE 1e-10

static uint32_t
first_contact(const struct second *second, const struct second_system *system)
{
    return rt_system(second->run, system->number)->contact;
}

/* the sizes of the terms of a gap and of its rate */
static void
terms(const struct second *second, const struct second_system *system,
      uint32_t i, double *size, double *speed)
{
    const double *state =
        second->run->env + rt_system(second->run, system->number)->env_state;
    *size = fmax(fabs(system->gap[i]),
                 second->contact[first_contact(second, system) + i].length);
    *speed = fmax(fabs(system->rate[i]),
                  SPEED_ERROR / SECOND_STILL *
                      second->contact[first_contact(second, system) + i].speed);
    for (uint32_t k = 0; k < system->n; k++) {
        double N = system->N[i * system->n + k];
        *size = fmax(*size, fabs(N * state[k]));
        *speed = fmax(*speed, fabs(N * state[system->n + k]));
    }
}

/* Does the rate of the gap count as none? It is measured against the greatest
 * rates of this contact, and against the rate that its acceleration makes over
 * its length. */
static bool
is_still(const struct second *second, const struct second_system *system,
         uint32_t i)
{
    double size, speed;
    terms(second, system, i, &size, &speed);
    speed = fmax(speed, sqrt(2.0 * fabs(system->bend[i]) * size));
    return fabs(system->rate[i]) <= SECOND_STILL * speed;
}

static bool
is_closed(const struct second *second, const struct second_system *system,
          uint32_t i, double share)
{
    double size, speed;
    terms(second, system, i, &size, &speed);
    return system->gap[i] <= share * size;
}

/* Does it close now, with the contact that has come to zero? */
static bool
is_together(const struct second *second, const struct second_system *system,
            uint32_t i)
{
    const double *q =
        second->run->env + rt_system(second->run, system->number)->env_state;
    double size = 0.0;
    for (uint32_t k = 0; k < system->n; k++)
        size = fmax(size, fabs(system->N[i * system->n + k] * q[k]));
    return system->gap[i] <=
           DBL_EPSILON *
               fmax(TOGETHER_TERMS * size,
                    TOGETHER *
                        second->contact[first_contact(second, system) + i]
                            .since);
}

/* -- which closed contacts push
 * -------------------------------------------------- */

/* Contacts that close or open by an impact, or by a limit of impacts, have no
 * event of their own. */
static void
log_held(struct second *second, struct second_system *system,
         const bool *before, const int *hit, int n_hit)
{
    bool *was_hit = NEW_N(second->run->brief, bool, system->m + 1);
    for (int k = 0; k < n_hit; k++)
        was_hit[hit[k]] = true;
    for (uint32_t i = 0; i < system->m; i++)
        if (system->held[i] != before[i] &&
            (system->held[i] ? !was_hit[i] : n_hit == 0))
            simulate_log_event(second->sim, first_contact(second, system) + i,
                               system->held[i] ? "slide" : "leave", "", 0.0);
}

/* Chooses among the closed contacts that have no rate, after second_instant
 * with `bend`. `left`: a contact whose force has just become zero, or -1. */
static int
choose(struct second *second, struct second_system *system, int left,
       const int *hit, int n_hit)
{
    struct rt *run = second->run;
    uint32_t n_contacts = system->m;
    int n = 0, *index = NEW_N(run->brief, int, n_contacts + 1);
    double *delassus =
               NEW_N(run->brief, double, (size_t)n_contacts *n_contacts + 1),
           *tendency = NEW_N(run->brief, double, 2 * (size_t)n_contacts + 1),
           *force = tendency + n_contacts;
    bool *before = NEW_N(run->brief, bool, n_contacts + 1);
    memcpy(before, system->held, n_contacts * sizeof *before);
    memset(system->held, 0, n_contacts * sizeof *before);
    for (uint32_t i = 0; i < n_contacts; i++)
        if (is_closed(second, system, i, CLOSED) &&
            is_still(second, system, i) && (int)i != left)
            index[n++] = (int)i;
    /* Where nothing bends a gap, the next derivative decides: forces that are
     * zero now push from then on. Nothing else asks for it: at rest, a force
     * that goes with a power of the speed has none. */
    bool late = n > 0;
    for (int i = 0; i < n; i++)
        late &= fabs(system->bend[index[i]]) <=
                FORCE_NONE * second
                                 ->contact[first_contact(second, system) +
                                           (uint32_t)index[i]]
                                 .speed;
    int st = late ? second_tendencies(second, system) : IMP_OK;
    if (st == IMP_NONFINITE)
        return second_cannot(second,
                             first_contact(second, system) + (uint32_t)index[0],
                             "what presses it has no derivatives here");
    if (st)
        return st;
    for (int i = 0; i < n; i++) {
        tendency[i] = late ? system->beyond[index[i]] : system->bend[index[i]];
        for (int j = 0; j < n; j++)
            delassus[i * n + j] =
                system->G[(uint32_t)index[i] * n_contacts + (uint32_t)index[j]];
    }
    st = n ? lcp_solve(n, delassus, tendency, force,
                       NEW_N(run->brief, double, lcp_room(n) + 1))
           : 0;
    if (st == 1 || st == 3)
        return flow_jammed(run,
                           first_contact(second, system) + (uint32_t)index[0],
                           rt_time(run));
    for (int i = 0; i < n; i++) {
        double size = fabs(tendency[i]);
        for (int j = 0; j < n; j++)
            size = fmax(size, fabs(delassus[i * n + j] * force[j]));
        system->held[index[i]] =
            force[i] * delassus[i * n + i] > FORCE_NONE * size;
    }
    log_held(second, system, before, hit, n_hit);
    second_read(second);
    return second_close(second, rt_time(run), second->y);
}

/* -- impacts
 * --------------------------------------------------------------------- */

static int
undecided(struct second *second, struct second_system *system, const int *hit,
          int n_hit)
{
    struct simulation *sim = second->sim;
    for (int i = 0; i < n_hit; i++)
        simulate_log_event(sim,
                           first_contact(second, system) + (uint32_t)hit[i],
                           "stop", "", 0.0);
    sim->stopped = true;
    simulate_remark(sim, arena_printf(second->run->arena,
                                      "stopped where %d contacts close "
                                      "together: the outcome depends on their "
                                      "order",
                                      n_hit));
    return IMP_OK;
}

/* Adds the jumps of observers, whose tape reads the rates before and after. */
static int
observers_jump(struct second *second, struct second_system *system,
               const double *before, const double *after)
{
    struct rt *run = second->run;
    const imp_system *image = rt_system(run, system->number);
    if (image->n_observed == 0 || image->jump == IMP_NO_TAPE)
        return IMP_OK;
    double *local = NEW_N(run->brief, double, 2 * (size_t)system->n + 1);
    double *jump = NEW_N(run->brief, double, image->n_observed + 1);
    memcpy(local, before, system->n * sizeof *local);
    memcpy(local + system->n, after, system->n * sizeof *local);
    int st = rt_eval(run, image->jump, local, jump);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, image->jump, local);
    for (uint32_t i = 0; i < image->n_observed && !st; i++)
        run->env[image->env_state + 2 * system->n + i] += jump[i];
    return st ? IMP_FAILED : IMP_OK;
}

/* One impact at the contacts `hit`; the others that are closed may push. */
static int
impact(struct second *second, struct second_system *system, const int *hit,
       int n_hit)
{
    struct rt *run = second->run;
    uint32_t n = system->n, m = system->m;
    double *velocity = run->env + rt_system(run, system->number)->env_state + n;
    double *place = NEW_N(run->brief, double, 2 * (size_t)n + 1),
           *after = place + n;
    bool *rests = NEW_N(run->brief, bool, m + 1);
    struct ballistic *motion;
    enum ballistic_event what;
    for (uint32_t i = 0; i < m; i++)
        rests[i] = system->held[i] || (is_closed(second, system, i, CLOSED) &&
                                       is_still(second, system, i));
    int st = flow_impact_now(run, system->number,
                             simultaneous_policy(second->sim->analysis), hit,
                             n_hit, rests, &motion, &what);
    if (st)
        return st;
    if (what == BALLISTIC_UNDECIDED)
        return undecided(second, system, hit, n_hit);
    if (what == BALLISTIC_JAMMED)
        return flow_jammed(run,
                           first_contact(second, system) + (uint32_t)hit[0],
                           rt_time(run));
    ballistic_state(motion, place, after);
    if ((st = observers_jump(second, system, velocity, after)))
        return st;
    memcpy(velocity, after, n * sizeof *after);
    for (uint32_t i = 0; i < m; i++) {
        struct second_contact *contact =
            &second->contact[first_contact(second, system) + i];
        if (motion->event.impulse[i] == 0.0)
            continue;
        simulate_log_event(second->sim, first_contact(second, system) + i,
                           "impact", "C-", motion->event.impulse[i]);
        contact->flight =
            contact->impacts++ ? rt_time(run) - contact->last : 0.0;
        contact->last = rt_time(run);
        contact->length = fmax(contact->length, contact->since);
        contact->since = 0.0;
        memmove(system->impact_time + 1, system->impact_time,
                (SECOND_IMPACTS - 1) * sizeof *system->impact_time);
        memmove(system->impact_at + 1, system->impact_at,
                (SECOND_IMPACTS - 1) * sizeof *system->impact_at);
        system->impact_time[0] = rt_time(run);
        system->impact_at[0] = i;
        system->n_impacts++;
    }
    second->sim->rows.fresh = false;
    return second_instant(second, system, true);
}

/* After an impact at a contact: are the bounces that come too low to be
 * followed? */
static bool
too_low(const struct second *second, const struct second_system *system,
        uint32_t i, struct second_end *end)
{
    struct rt *run = second->run;
    uint32_t c = first_contact(second, system) + i;
    double restitution =
        run->env[rt_contact(run, c)->env_contact + IMP_CONTACT_E];
    double bend = system->bend[i], rate = system->rate[i], size, speed;
    terms(second, system, i, &size, &speed);
    /* The forces of held contacts accelerate this gap, too. */
    for (uint32_t j = 0; j < system->m; j++)
        if (system->held[j])
            bend += system->G[i * system->m + j] * system->force[j];
    bool varies = contact_restitution_varies(run, c);
    if ((!varies && !(restitution > 0.0 && restitution < 1.0)) ||
        !(bend < 0.0) || !(rate > 0.0) ||
        rate * rate / (-2.0 * bend) > SECOND_FLOOR * size)
        return false;
    *end = (struct second_end){2.0 * rate / (-bend * (1.0 - restitution)),
                               restitution,
                               sqrt(8.0 * SECOND_FLOOR * size / -bend)};
    if (!varies)
        return true;
    struct flight_sum flights;
    contact_restitution_flights(run, c, rate, &flights);
    end->remaining = 2.0 * rate / -bend * flights.sum;
    return flights.ends;
}

/* The shortest order that the last impacts repeat; 0: none, or one contact
 * alone (too_low). */
static int
period_of(const struct second_system *system, int known)
{
    for (int period = 2; period <= known / 4; period++) {
        bool repeats = true;
        for (int i = 0; i < 3 * period && repeats; i++)
            repeats = system->impact_at[i] == system->impact_at[i + period];
        if (repeats)
            return period;
    }
    return 0;
}

/* Contacts that are hit in turn, whose flights shrink until their gaps are too
 * low to be followed: they end by infinitely many impacts, also where nothing
 * accelerates them. Marks them in low (m). *end: the sum of the flights that
 * come, if they go on to shrink from period to period, or from one half of
 * the last impacts to the next. */
static bool
shrinks_away(const struct second *second, const struct second_system *system,
             bool *low, struct second_end *end)
{
    const double *t = system->impact_time;
    const uint32_t *at = system->impact_at;
    int known = system->n_impacts < SECOND_IMPACTS ? (int)system->n_impacts
                                                   : SECOND_IMPACTS;
    int period = period_of(system, known);
    if (period == 0)
        period = SECOND_CROWD / 2;
    if (2 * period >= known)
        return false;
    double last = t[0] - t[period], before = t[period] - t[2 * period];
    bool alone = true;
    double ratio = last / before;
    /* flights below the rounding of the time have no ratio */
    if (!(last > 0.0) || before < 1e3 * DBL_EPSILON * fabs(t[0]))
        ratio = 0.5;
    else if (!(ratio < SHRINKS))
        return false;
    for (int i = 0; i < period; i++) {
        double size, speed;
        terms(second, system, at[i], &size, &speed);
        /* the gap, and how far it may open before the next impact */
        if (system->gap[at[i]] > SECOND_FLOOR * size ||
            fabs(system->rate[at[i]]) * last > SECOND_FLOOR * size)
            return false;
        low[at[i]] = true;
        alone &= at[i] == at[0];
    }
    *end = (struct second_end){last * ratio / (1.0 - ratio), ratio, last};
    return !alone;
}

/* Takes the rates of the gaps of these contacts, and of those that are held,
 * away. */
static int
stop_rates(struct second *second, struct second_system *system, const bool *low)
{
    struct rt *run = second->run;
    double *velocity =
        run->env + rt_system(run, system->number)->env_state + system->n;
    bool *held = NEW_N(run->brief, bool, system->m + 1);
    memcpy(held, system->held, system->m * sizeof *held);
    for (uint32_t i = 0; i < system->m; i++)
        system->held[i] |= low[i];
    memcpy(system->bend, system->rate, system->m * sizeof *system->bend);
    int st = second_forces(system);
    if (!st)
        second_push(system, system->force, velocity);
    memcpy(system->held, held, system->m * sizeof *held);
    return st ? st : second_instant(second, system, true);
}

/* Between its last two impacts, this contact was hit in turn with others. Do
 * all of them bounce too low to be followed, too? Then they come to rest
 * together, and are marked in `low`; *together is their number. *end: the time
 * until they rest; for several contacts it follows from the last two
 * flights of this one. */
static bool
group_is_low(const struct second *second, const struct second_system *system,
             uint32_t i, bool *low, int *together, struct second_end *end)
{
    const double *t = system->impact_time;
    double flight[2] = {0.0, 0.0}, last = t[0], rest;
    int found = 0;
    long known =
        system->n_impacts < SECOND_IMPACTS ? system->n_impacts : SECOND_IMPACTS;
    if (!too_low(second, system, i, end))
        return false;
    *together = 1;
    low[i] = true;
    for (long k = 1; k < known && found < 2; k++) {
        uint32_t j = system->impact_at[k];
        if (j == i) {
            flight[found++] = last - t[k];
            last = t[k];
        } else if (found == 0 && !low[j]) {
            double size, speed, bend = fabs(system->bend[j]);
            terms(second, system, j, &size, &speed);
            if (system->gap[j] > 2.0 * SECOND_FLOOR * size ||
                system->rate[j] * system->rate[j] >
                    4.0 * bend * SECOND_FLOOR * size)
                return false;
            low[j] = true;
            (*together)++;
        }
    }
    rest = flight[0] < flight[1]
               ? flight[0] * flight[0] / (flight[1] - flight[0])
               : end->remaining;
    if (*together > 1)
        end->remaining = rest;
    return true;
}

static void
later(struct second_end *end, const struct second_end *other)
{
    end->remaining = fmax(end->remaining, other->remaining);
    end->ratio = fmax(end->ratio, other->ratio);
    end->unseen = fmax(end->unseen, other->unseen);
}

/* Marks the contacts whose bounces end now. */
static int
find_low(const struct second *second, const struct second_system *system,
         const int *hit, int n_hit, bool *low, struct second_end *end)
{
    bool *group = NEW_N(second->run->brief, bool, system->m + 1);
    struct second_end own;
    int n = 0;
    for (int k = 0; k < n_hit; k++) {
        int together = 0;
        memset(group, 0, system->m * sizeof *group);
        if (!group_is_low(second, system, (uint32_t)hit[k], group, &together,
                          &own))
            continue;
        later(end, &own);
        for (uint32_t i = 0; i < system->m; i++)
            low[i] |= group[i];
    }
    if (n_hit && shrinks_away(second, system, group, &own)) {
        later(end, &own);
        for (uint32_t i = 0; i < system->m; i++)
            low[i] |= group[i];
    }
    for (uint32_t i = 0; i < system->m; i++)
        n += low[i];
    return n;
}

static int
settle(struct second *second, struct second_system *system, const int *hit,
       int n_hit)
{
    struct rt *run = second->run;
    bool *low = NEW_N(run->brief, bool, system->m + 1);
    uint32_t *contacts = NEW_N(run->brief, uint32_t, system->m + 1), n = 0;
    int *all_hit = NEW_N(run->brief, int, system->m + 1), n_all = 0;
    struct second_end end = {0.0, 0.0, 0.0};
    size_t after = second->sim->log.time.n;
    int st = second_forces(system);
    if (!st && find_low(second, system, hit, n_hit, low, &end))
        st = stop_rates(second, system, low);
    for (int k = 0; k < n_hit; k++)
        all_hit[n_all++] = hit[k];
    for (uint32_t i = 0; i < system->m; i++)
        if (low[i]) {
            /* what was closed before this impact has no flights */
            if (!system->held[i])
                contacts[n++] = first_contact(second, system) + i;
            bool listed = false;
            for (int k = 0; k < n_hit; k++)
                listed |= hit[k] == (int)i;
            if (!listed)
                all_hit[n_all++] = (int)i;
        }
    if (!st)
        st = choose(second, system, -1, all_hit, n_all);
    if (!st && n)
        second_limit(second, contacts, n, &end, after);
    return st;
}

/* A contact that was closed without pushing has sunk by the errors of the
 * steps: moves the system back onto its gap. */
static int
put_on_gap(struct second *second, struct second_system *system, uint32_t i)
{
    double *state =
        second->run->env + rt_system(second->run, system->number)->env_state;
    double square = system->G[i * system->m + i], size, speed;
    terms(second, system, i, &size, &speed);
    if (system->gap[i] >= -TOGETHER * DBL_EPSILON * size)
        return IMP_OK;
    double down = system->gap[i] < 0.0 ? -system->gap[i] / square : 0.0,
           slow = system->rate[i] < 0.0 ? -system->rate[i] / square : 0.0;
    bool still = is_still(second, system, i);
    for (uint32_t k = 0; k < system->n && square > 0.0; k++) {
        state[k] += system->B[i * system->n + k] * down;
        if (still)
            state[system->n + k] += system->B[i * system->n + k] * slow;
    }
    return second_instant(second, system, true);
}

int
second_system_touch(struct second *second, uint32_t number, uint32_t due,
                    bool falls)
{
    assert(second != NULL && number < second->run->im->systems.n);
    struct second_system *system = &second->system[number];
    struct simulation *sim = second->sim;
    int *hit = NEW_N(second->run->brief, int, system->m + 1), n_hit = 0;
    uint32_t first = first_contact(second, system);
    int st = second_instant(second, system, true);
    for (uint32_t i = 0; i < system->m && !st; i++) {
        bool here = first + i == due;
        if (system->held[i] || (!here && !is_together(second, system, i)))
            continue;
        if (system->rate[i] < 0.0 && !is_still(second, system, i))
            hit[n_hit++] = (int)i;
        else if (here && !falls)
            simulate_log_event(sim, due, "touch", "", 0.0);
        else if (due == IMP_WORLD && system->bend[i] == 0.0 &&
                 is_still(second, system, i))
            simulate_log_event(sim, first + i, "slide", "", 0.0);
    }
    if (st)
        return st;
    if (due != IMP_WORLD && (st = simulate_row(sim)))
        return st;
    if (due != IMP_WORLD && falls &&
        (st = put_on_gap(second, system, due - first)))
        return st;
    if (n_hit && (st = impact(second, system, hit, n_hit)))
        return st;
    if (!sim->stopped && (falls || due == IMP_WORLD))
        st = settle(second, system, hit, n_hit);
    sim->rows.fresh = false;
    return st;
}

int
second_system_change(struct second *second, uint32_t due)
{
    assert(second);
    uint32_t number = rt_contact(second->run, due)->system;
    struct second_system *system = &second->system[number];
    int st = second_instant(second, system, true);
    if (!st)
        st = simulate_row(second->sim);
    return st ? st
              : choose(second, system,
                       (int)(due - first_contact(second, system)), NULL, 0);
}
