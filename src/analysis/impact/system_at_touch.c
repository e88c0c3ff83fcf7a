/* SPDX-License-Identifier: MIT */
/* Contacts of a system at their common touch: at the start, or at the end of a
 * motion that is followed as far as `until` allows. Then their impact as a
 * problem of runtime/impact, which serves bodies too. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/impact/system_at_touch.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"

/* A gap at the start that is below this share of its terms is closed, as in
 * runtime/flow; a rate below this share of its terms is rest, as it is of
 * bodies (runtime/impact). */
#define STRIKE_CLOSED 1e-9
#define STRIKE_RESTS 1e-9
/* a sum below so many roundings of its terms is 0, as in runtime/ballistic */
#define STRIKE_NOISE 8.0
/* events that are followed on the way to the impact */
#define STRIKE_EVENTS 100000

const char *
strike_name(const struct strike *strike, int i)
{
    assert(strike);
    const struct rt *run = strike->analysis->rt;
    return imp_text(
        run->im,
        rt_contact(run, strike->image_system->contact + (uint32_t)i)->name);
}

static int
gaps(struct strike *strike)
{
    struct rt *run = strike->analysis->rt;
    const double *position = run->env + strike->image_system->env_state,
                 *velocity = position + strike->n_coordinates;
    double *gradient = NEW_N(run->arena, double, strike->n_coordinates + 1);
    for (uint32_t i = 0; i < strike->n_contacts; i++) {
        int st = system_gap(run, strike->system, i, &strike->gap[i],
                            &strike->rate[i], gradient);
        if (st)
            return st;
        strike->size[i] = fmax(strike->size[i], fabs(strike->gap[i]));
        strike->speed[i] = fabs(strike->rate[i]);
        for (uint32_t j = 0; j < strike->n_coordinates; j++) {
            strike->size[i] =
                fmax(strike->size[i], fabs(gradient[j] * position[j]));
            strike->speed[i] =
                fmax(strike->speed[i], fabs(gradient[j] * velocity[j]));
        }
    }
    return IMP_OK;
}

static bool
is_closed(const struct strike *strike, int i)
{
    return strike->gap[i] <= STRIKE_CLOSED * strike->size[i];
}

bool
strike_overlaps(const struct strike *strike, int i)
{
    assert(strike);
    return strike->gap[i] < -STRIKE_CLOSED * strike->size[i];
}

int
strike_sense(const struct strike *strike, int i)
{
    assert(strike);
    double noise = STRIKE_RESTS * strike->speed[i];
    return (strike->rate[i] > noise) - (strike->rate[i] < -noise);
}

static int
not_closed(struct strike *strike, int contact)
{
    char g[NUM_TEXT], t[NUM_TEXT];
    struct analysis *analysis = strike->analysis;
    bool start = rt_time(analysis->rt) == 0.0;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0709, strike->command->range,
                 start ? "`%s` does not touch at the start: its gap is %s"
                       : "`%s` has no impact until t = %s",
                 strike_name(strike, contact),
                 start ? num_digits(g, strike->gap[contact], 6)
                       : rt_told(t, rt_time(analysis->rt), 9));
    diag_help(analysis->ds, diag,
              start ? "let the start close it, or say how far its motion is to "
                      "be followed: until = 2"
                    : "a larger `until` follows the motion further");
    return IMP_FAILED;
}

/* -- when -------------------------------------------------------------------
 */

/* Was one of the contacts that the command names among those of the last event?
 * Then strike->hit becomes all contacts of that event. */
static bool
struck(struct strike *strike, const struct flow *f,
       const struct flow_event *event)
{
    const double *impulse;
    const uint32_t *contacts = flow_contacts(f, &impulse);
    bool asked = false;
    for (uint32_t j = 0; j < event->n; j++)
        for (int i = 0; i < strike->n_hit; i++)
            asked |= contacts[j] ==
                     strike->image_system->contact + (uint32_t)strike->hit[i];
    for (uint32_t j = 0; j < event->n && asked; j++) {
        int i = 0, x = (int)(contacts[j] - strike->image_system->contact);
        while (i < strike->n_hit && strike->hit[i] != x)
            i++;
        if (i == strike->n_hit)
            strike->hit[strike->n_hit++] = x;
    }
    return asked;
}

static int
endless(struct strike *strike, const struct flow_event *event)
{
    char t[NUM_TEXT];
    struct diag *diag = diag_add(
        strike->analysis->ds, DIAG_E0709, strike->command->range,
        "before `%s` the motion comes to the limit of "
        "infinitely many impacts, t = %s",
        strike_name(strike, strike->hit[0]), rt_told(t, event->time, 9));
    diag_help(strike->analysis->ds, diag,
              "an impact is asked for before it: give a start nearer to it");
    return IMP_FAILED;
}

/* Follows the motion to the first impact at one of the contacts. The state is
 * then the one before the impact. */
static int
follow(struct strike *strike, double until)
{
    struct rt *run = strike->analysis->rt;
    double *time = run->env + run->im->layout.time, time_ahead;
    double *env = run->env + strike->image_system->env_state;
    double *before = NEW_N(run->arena, double, 2 * strike->n_coordinates + 1);
    struct flow *flow = flow_new(run, strike->system,
                                 simultaneous_policy(strike->analysis), until);
    struct flow_event event;
    if (!flow)
        return IMP_BADMODEL;
    for (long events = 0; events < STRIKE_EVENTS && !rt_stopped(run);) {
        int st = flow_peek(flow, until, &time_ahead);
        if (st)
            return st;
        *time = time_ahead;
        bool eventful = flow_eventful(flow);
        if (!eventful && !(time_ahead < until))
            return not_closed(strike, strike->hit[0]);
        if ((st = flow_at(flow, time_ahead)))
            return st;
        memcpy(before, env, 2 * (size_t)strike->n_coordinates * sizeof *env);
        if ((st = flow_apply(flow, &event)))
            return st;
        events += eventful;
        bool hits = event.kind == FLOW_IMPACT || event.kind == FLOW_SEVERAL ||
                    event.kind == FLOW_UNDECIDED;
        if (event.kind == FLOW_JAMMED)
            return flow_jammed(run, event.contact, event.time);
        if (hits && struck(strike, flow, &event)) {
            *time = time_ahead;
            memcpy(env, before,
                   2 * (size_t)strike->n_coordinates * sizeof *env);
            return IMP_OK;
        }
        if (event.kind == FLOW_CHATTER && struck(strike, flow, &event))
            return endless(strike, &event);
        if (event.kind == FLOW_UNDECIDED)
            return not_closed(strike, strike->hit[0]);
    }
    return rt_stopped(run) ? IMP_STOPPED : not_closed(strike, strike->hit[0]);
}

static int
bring(struct strike *strike, enum imp_option_id option)
{
    const imp_val *value =
        arg_option(strike->analysis, strike->command, option);
    double until;
    int st = gaps(strike);
    if (st)
        return st;
    int open = -1;
    for (int i = 0; i < strike->n_hit; i++)
        if (strike_overlaps(strike, strike->hit[i]))
            return flow_overlaps(strike->analysis->rt,
                                 strike->image_system->contact +
                                     (uint32_t)strike->hit[i],
                                 strike->gap[strike->hit[i]]);
    for (int i = 0; i < strike->n_hit; i++)
        open = is_closed(strike, strike->hit[i]) ? open : strike->hit[i];
    if (open < 0)
        return IMP_OK;
    if (!value)
        return not_closed(strike, open);
    if ((st = touch_option_until(strike->analysis, strike->command, option,
                                 &until)) ||
        (st = follow(strike, until)))
        return st;
    if ((st = gaps(strike)))
        return st;
    for (int i = 0; i < strike->n_hit;
         i++) /* those that hit are closed to rounding */
        strike->size[strike->hit[i]] = INFINITY;
    return IMP_OK;
}

int
strike_bring(struct analysis *analysis, const imp_command *command,
             enum imp_option_id until, struct strike *strike)
{
    assert(analysis != NULL && command != NULL && strike != NULL);
    assert(command->args.n > 0);
    struct rt *run = analysis->rt;
    uint32_t system =
        rt_contact(run, arg_contact(analysis, command, 0))->system;
    const imp_system *image_system = rt_system(run, system);
    size_t n_contacts = image_system->n_contact;
    *strike = (struct strike){.analysis = analysis,
                              .command = command,
                              .system = system,
                              .image_system = image_system,
                              .n_coordinates = image_system->n,
                              .n_contacts = image_system->n_contact,
                              .n_hit = (int)command->args.n};
    strike->hit = NEW_N(run->arena, int, n_contacts + 1);
    strike->rests = NEW_N(run->arena, bool, n_contacts + 1);
    strike->approaching = NEW_N(run->arena, int, n_contacts + 1);
    strike->gap = NEW_N(run->arena, double, 4 * n_contacts + 1);
    strike->rate = strike->gap + n_contacts;
    strike->size = strike->rate + n_contacts;
    strike->speed = strike->size + n_contacts;
    for (int i = 0; i < strike->n_hit; i++)
        strike->hit[i] = (int)(arg_contact(analysis, command, (uint32_t)i) -
                               image_system->contact);
    int st = bring(strike, until);
    if (st)
        return st;
    for (int i = 0; i < (int)n_contacts; i++)
        strike->rests[i] = is_closed(strike, i) &&
                           !strike_overlaps(strike, i) &&
                           strike_sense(strike, i) == 0;
    for (int i = 0; i < strike->n_hit; i++)
        if (strike_sense(strike, strike->hit[i]) < 0)
            strike->approaching[strike->n_approaching++] = strike->hit[i];
    return IMP_OK;
}

/* Lists the contacts of the impact: those that are named, then those that rest
 * beside them. Returns how many they are. */
static int
contacts_of_impact(const struct strike *strike, int *contact)
{
    int n = strike->n_hit;
    memcpy(contact, strike->hit, (size_t)n * sizeof *contact);
    for (int i = 0; i < (int)strike->n_contacts; i++) {
        bool named = false;
        for (int k = 0; k < strike->n_hit; k++)
            named |= strike->hit[k] == i;
        if (strike->rests[i] && !named)
            contact[n++] = i;
    }
    return n;
}

int
strike_problem(struct strike *strike, struct ballistic **motion,
               struct flow_impact *impact, bool *rests)
{
    assert(strike != NULL && motion != NULL && impact != NULL && rests != NULL);
    struct rt *run = strike->analysis->rt;
    size_t m = strike->n_contacts;
    int *contact = NEW_N(run->arena, int, m + 1);
    double *rate = NEW_N(run->arena, double, 2 * m + 1), *terms = rate + m;
    enum ballistic_event what;
    int st = flow_impact_now(run, strike->system, BALLISTIC_REPORT, NULL, 0,
                             strike->rests, motion, &what);
    if (st)
        return st;
    int n = contacts_of_impact(strike, contact);
    *rests = n > strike->n_hit;
    if (n > IMPACT_CONTACTS_MAX) {
        diag_add(strike->analysis->ds, DIAG_E0721, strike->command->range,
                 "one impact takes at most %d contacts; here are %d",
                 IMPACT_CONTACTS_MAX, n);
        return IMP_BADMODEL;
    }
    for (int i = 0; i < n; i++) {
        rate[i] = strike->rate[contact[i]];
        terms[i] = strike->speed[contact[i]];
    }
    flow_impact_new(run->arena, strike->n_coordinates, (uint32_t)n, impact);
    if (flow_impact_read(impact, run, strike->image_system->contact, *motion, n,
                         contact, rate, terms)) {
        diag_add(strike->analysis->ds, DIAG_E0700, strike->command->range,
                 "the singular values of this impact did not settle");
        return IMP_FAILED;
    }
    return IMP_OK;
}

void
strike_rates_after(const struct strike *strike, const struct ballistic *motion,
                   const struct flow_impact *impact, double *rates)
{
    assert(strike != NULL && motion != NULL && impact != NULL && rates != NULL);
    const struct rt *run = strike->analysis->rt;
    size_t n = strike->n_coordinates;
    memcpy(rates, run->env + strike->image_system->env_state + n,
           n * sizeof *rates);
    for (size_t x = 0; x < n; x++) {
        double terms = fabs(rates[x]);
        for (int k = 0; k < impact->solver->nc; k++) {
            size_t i =
                impact->problem.contact[k] - strike->image_system->contact;
            double change =
                motion->matrices.B[i * n + x] * impact->solver->impulse.P[k];
            rates[x] += change;
            terms += fabs(change);
        }
        if (fabs(rates[x]) <= STRIKE_NOISE * DBL_EPSILON * terms)
            rates[x] = 0.0;
    }
}

int
strike_energy(struct strike *strike, const double *rates, double *energy)
{
    assert(strike != NULL && rates != NULL && energy != NULL);
    struct rt *run = strike->analysis->rt;
    size_t n = strike->n_coordinates;
    double *state = run->env + strike->image_system->env_state + n, both[2];
    double *kept = NEW_N(run->arena, double, n + 1);
    memcpy(kept, state, n * sizeof *kept);
    memcpy(state, rates, n * sizeof *state);
    int st = rt_eval(run, strike->image_system->energy, NULL, both);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, strike->image_system->energy, NULL);
    memcpy(state, kept, n * sizeof *state);
    *energy = both[0];
    return st ? IMP_FAILED : IMP_OK;
}
