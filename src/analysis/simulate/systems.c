/* SPDX-License-Identifier: MIT */
/* Systems in generalised coordinates within `simulate`. Each system has a flow
 * of its own (runtime/flow/flow.h), which looks ahead to its next event; the
 * run goes from one time to the next over bodies and systems alike. An outcome
 * that is not unique stops the run with a diagnostic (I4). And singularities
 * that end a motion. */
#include <assert.h>
#include <math.h>

#include "abi/laws.h"
#include "abi/status.h"
#include "analysis/along/along.h"
#include "analysis/command/policy.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "analysis/trace/run_log.h"
#include "base/num.h"
#include "runtime/balls/balls.h"
#include "runtime/derivatives/series_along.h"
#include "runtime/flow/flow.h"
#include "runtime/friction/paradox.h"
#include "runtime/instance/system.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/switching.h"
#include "runtime/rubbing/rubbing.h"

/* the most remarks on one impact */
#define LAW_REMARKS 32

/* Logs the contacts with friction that change their modes. */
static void
changes(struct simulation *sim, const struct flow *flow)
{
    uint32_t n;
    const struct flow_change *change = flow_changes(flow, &n);
    for (uint32_t i = 0; i < n; i++)
        simulate_log_event(sim, change[i].contact, change[i].word, "", 0.0);
}

static void
verdicts(struct simulation *sim, const struct flow *flow)
{
    uint32_t n;
    const struct flow_verdict *told = flow_verdicts(flow, &n);
    for (uint32_t i = 0; i < n; i++)
        simulate_verdict(sim, told[i].contact, &told[i].is);
}

/* A policy has chosen where friction left the motion open. */
static void
resolved(struct simulation *sim, const struct flow *flow)
{
    char time[NUM_TEXT];
    const char *open = flow_resolved(flow);
    if (!open)
        return;
    if (sim->log.remarks.n >= SIMULATE_REMARKS) {
        sim->log.left_out++;
        return;
    }
    simulate_remark(
        sim, arena_printf(sim->run->brief,
                          "t = %s s: friction leaves the motion open, and "
                          "paradox = %s chooses: %s",
                          rt_told(time, rt_time(sim->run), 9),
                          paradox_word(sim->run->paradox), open));
}

/* The forces of closed contacts are not unique. The motion may depend on them,
 * or not: each is said once. */
static void
shared_loads(struct simulation *sim, const struct flow *flow)
{
    uint32_t system = 0;
    while (sim->flows[system] != flow)
        system++;
    char time[NUM_TEXT];
    bool matter, *told;
    const char *loads = flow_loads(flow, &matter);
    told = matter ? &sim->reported.loads : &sim->reported.shared_by[system];
    if (!loads || *told)
        return;
    *told = true;
    simulate_remark(sim,
                    arena_printf(sim->run->brief, "t = %s s: %s",
                                 rt_told(time, rt_time(sim->run), 9), loads));
}

int
simulate_systems_start(struct simulation *sim)
{
    assert(sim != NULL && sim->flows == NULL);
    struct rt *run = sim->run;
    uint32_t n = run->im->systems.n;
    enum ballistic_policy p = simultaneous_policy(sim->analysis);
    if (!n)
        return IMP_OK;
    sim->flows = NEW_N(run->arena, struct flow *, n);
    sim->reported.shared_by = NEW_N(run->arena, bool, n);
    for (uint32_t i = 0; i < n; i++)
        if (!(sim->flows[i] = flow_new(run, i, p, sim->options.until)))
            return IMP_BADMODEL;
    for (uint32_t i = 0; i < n; i++) {
        verdicts(sim, sim->flows[i]);
        changes(sim, sim->flows[i]);
        resolved(sim, sim->flows[i]);
        shared_loads(sim, sim->flows[i]);
    }
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        const imp_contact *contact = rt_contact(run, i);
        if (contact->system != IMP_NO_SYSTEM &&
            rt_system(run, contact->system)->n_rub == 0 &&
            run->env[contact->env_contact + IMP_CONTACT_ACTIVE] != 0.0)
            simulate_log_event(sim, i, "slide", "", 0.0);
    }
    return IMP_OK;
}

int
simulate_systems_peek(struct simulation *sim, double until, double *next)
{
    assert(sim != NULL && next != NULL);
    assert(sim->flows != NULL || sim->run->im->systems.n == 0);
    struct rt *run = sim->run;
    double *time = &run->env[run->im->layout.time], now = *time;
    *next = until;
    double asked;
    do {
        asked = *next;
        for (uint32_t i = 0; i < run->im->systems.n; i++) {
            double ti;
            /* a limit ahead is none where another system ends before it */
            if (asked < until && !flow_limit_ahead(sim->flows[i]))
                continue;
            int st = flow_peek(sim->flows[i], *next, &ti);
            *time = now;
            if (st)
                return st;
            *next = fmin(*next, ti);
        }
    } while (*next < asked && run->im->systems.n > 1);
    return IMP_OK;
}

int
simulate_systems_limit_ahead(struct simulation *sim, double until, double *next,
                             bool *limit)
{
    assert(sim != NULL && next != NULL && limit != NULL);
    int st = simulate_systems_peek(sim, until, next);
    *limit = false;
    for (uint32_t i = 0; i < sim->run->im->systems.n && sim->flows && !st; i++)
        *limit = *limit || flow_limit_ahead(sim->flows[i]);
    return st;
}

int
simulate_systems_at(struct simulation *sim, double t)
{
    assert(sim != NULL && !isnan(t));
    int st = IMP_OK;
    bool row = sim->rows.asked && !sim->along; /* these follow the averages */
    for (uint32_t i = 0; i < sim->run->im->systems.n && sim->flows && !st; i++)
        st = row ? flow_row_at(sim->flows[i], t) : flow_at(sim->flows[i], t);
    return st;
}

/* Hands over the series of the systems, where their flows have them. */
static void
give_rows(void *ctx)
{
    struct simulation *sim = ctx;
    for (uint32_t i = 0; i < sim->run->im->systems.n && sim->flows; i++) {
        double *room = series_along_room(sim->run, i);
        if (room && flow_rows(sim->flows[i], rt_time(sim->run), room))
            series_along_given(sim->run, i, flow_switch(sim->flows[i]));
    }
}

int
simulate_look_along(struct simulation *sim)
{
    assert(sim != NULL && sim->along != NULL);
    bool tells = series_along_forces(sim->run);
    /* where a relay changes, forces are those of the motion that goes on */
    int st = tells && persistent_any(sim->run) ? switching_relays_held(sim->run)
                                               : IMP_OK;
    if (!st && tells)
        st = friction_modes_tell(sim->run);
    if (!st && tells)
        st = rubbing_tell(sim->run);
    if (st)
        return st;
    return along_look(sim->along, sim->rows.before, sim->log.total, give_rows,
                      sim);
}

static const char *
list(struct simulation *sim, const uint32_t *contacts, uint32_t count)
{
    const char *text = simulate_contact_name(sim, contacts[0]);
    for (uint32_t i = 1; i < count; i++)
        text = arena_printf(sim->run->arena, "%s%s%s", text,
                            i + 1 == count ? " and " : ", ",
                            simulate_contact_name(sim, contacts[i]));
    return text;
}

/* Stops where contacts with friction leave the motion open. */
static void
modes_undecided(struct simulation *sim, const struct flow_event *event)
{
    struct analysis *analysis = sim->analysis;
    char time[NUM_TEXT];
    const imp_contact *contact = rt_contact(analysis->rt, event->contact);
    const char *name = imp_text(analysis->rt->im,
                                rt_system(analysis->rt, contact->system)->name);
    if (event->kind != FLOW_JAM)
        simulate_log_event(sim, event->contact, "undecided", "", 0.0);
    sim->stopped = true;
    rt_told(time, event->time, 9);
    simulate_remark(sim, arena_printf(analysis->rt->arena,
                                      "stopped at t = %s s, where friction "
                                      "leaves the motion of %s open: %s",
                                      time, name, event->why));
    if (analysis->rt->forks && analysis->rt->forks->ways > 0)
        return; /* other runs go on from here */
    struct diag *diag = diag_add(analysis->ds, DIAG_W0727, contact->range,
                                 "with friction the motion of `%s` is not "
                                 "determined at t = %s",
                                 name, time);
    diag_note(analysis->ds, diag, sim->command->range, "%s", event->why);
    if (event->open_loads)
        diag_help(analysis->ds, diag,
                  "rigid contacts do not say how they share loads: leave out a "
                  "contact, let one yield (`compliance`), or take the forces "
                  "of least norm: world { loads = least_norm }");
    else
        diag_help(analysis->ds, diag,
                  "rigid bodies with Coulomb's friction can have several "
                  "motions or none (Painleve): use less friction, an `until` "
                  "before that time, or %s",
                  simulate_paradox_choices(sim->run, event->contact,
                                           event->policies));
}

/* Stops where the law of the world gives no motion, or one that the world
 * forbids. */
static void
law_undecided(struct simulation *sim, const struct flow_impact *impact,
              const char *who, const char *time)
{
    struct analysis *analysis = sim->analysis;
    const char *text[LAW_REMARKS];
    struct diag *diag;
    const char *why = "its outcome is not determined";
    if (!impact->solver->decision.applied) {
        diag =
            impact_undetermined(analysis, sim->command->range, impact->solver);
        diag_note(analysis->ds, diag, IMP_NOWHERE,
                  "the impact of %s at t = %s; the run stops before it", who,
                  time);
    } else {
        why = "the world forbids it";
        diag = diag_add(analysis->ds, DIAG_W0723, sim->command->range,
                        "the world forbids the impact of %s at t = %s: the run "
                        "stops before it",
                        who, time);
        size_t n = impact_remarks(analysis, &impact->problem, impact->solver,
                                  text, LAW_REMARKS);
        for (size_t i = 0; i < n; i++)
            diag_note(analysis->ds, diag, IMP_NOWHERE, "%s", text[i]);
        diag_help(analysis->ds, diag,
                  "name another `law`, or forbid less: `forbid` and `policy = "
                  "stop` of the world");
    }
    simulate_remark(sim, arena_printf(analysis->rt->arena,
                                      "stopped before an impact at t = %s: %s",
                                      time, why));
}

/* The remarks on an impact under the law of the world, and on energy that it
 * adds. */
static void
law_remarks(struct simulation *sim, const struct flow *flow,
            const struct flow_event *event, const uint32_t *contacts)
{
    const struct flow_impact *impact = flow_last_impact(flow, event);
    struct analysis *analysis = sim->analysis;
    const char *text[LAW_REMARKS];
    char time[NUM_TEXT], gain[NUM_TEXT];
    if (!impact)
        return;
    rt_told(time, event->time, 9);
    size_t n = impact_remarks(analysis, &impact->problem, impact->solver, text,
                              LAW_REMARKS);
    for (size_t i = 0; i < n; i++) {
        if (sim->log.remarks.n >= SIMULATE_REMARKS)
            sim->log.left_out++;
        else
            simulate_remark(sim, arena_printf(analysis->rt->arena, "t = %s: %s",
                                              time, text[i]));
    }
    if (!simulate_gain_news(sim, impact->solver->balance.gained,
                            sim->reported.gain))
        return;
    diag_add(analysis->ds, DIAG_W0721, sim->command->range,
             "the impact of %s at t = %s raises the energy by %s under `%s`; "
             "more of this kind: see `warnings`",
             list(sim, contacts, event->n), time,
             num_digits(gain, impact->solver->balance.gained, 6),
             imp_impact_law_word(impact->solver->decision.law));
}

static void
undecided(struct simulation *sim, const struct flow *flow,
          const struct flow_event *event, const uint32_t *contacts)
{
    struct analysis *analysis = sim->analysis;
    const struct flow_impact *impact = flow_last_impact(flow, event);
    char time[NUM_TEXT];
    if (event->why) {
        modes_undecided(sim, event);
        return;
    }
    const char *who = list(sim, contacts, event->n);
    if (impact) {
        simulate_log_event(sim, event->contact, "stop", "", 0.0);
        sim->stopped = true;
        law_undecided(sim, impact, who, rt_told(time, event->time, 9));
        return;
    }
    simulate_log_event(sim, event->contact, "stop", "", 0.0);
    sim->stopped = true;
    simulate_remark(sim,
                    arena_printf(analysis->rt->arena,
                                 "stopped where %s close together: the outcome "
                                 "depends on their order",
                                 who));
    struct diag *diag =
        diag_add(analysis->ds, DIAG_W0730,
                 rt_contact(analysis->rt, event->contact)->range,
                 "%s close at the same time, t = %s", who,
                 rt_told(time, event->time, 9));
    diag_note(analysis->ds, diag, sim->command->range,
              "what follows depends on their order, so the run stops here");
    diag_help(analysis->ds, diag,
              "choose: world { law = sequential } takes one after the other, "
              "complementarity all at once, rest stops them");
}

/* Several contacts were put to rest: adds a remark on the energy that this
 * cost. */
static void
rested(struct simulation *sim, const struct flow_event *event,
       const uint32_t *contacts, double before)
{
    char time[NUM_TEXT], lost[NUM_TEXT];
    struct motion_totals totals;
    if (simultaneous_policy(sim->analysis) != BALLISTIC_REST ||
        motion_totals(sim->run, &totals))
        return;
    if (sim->log.remarks.n >= SIMULATE_REMARKS) {
        sim->log.left_out++;
        return;
    }
    simulate_remark(
        sim,
        arena_printf(
            sim->run->arena,
            "%s closed together at t = %s s and were put to rest "
            "(law rest): the energy falls by %s",
            list(sim, contacts, event->n), rt_told(time, event->time, 9),
            num_digits(lost, before - (totals.kinetic + totals.potential), 6)));
}

/* Tells that the order of the declarations decided an impact. */
static void
tie(struct simulation *sim, const struct flow_event *event)
{
    char time[NUM_TEXT];
    const struct rt *run = sim->run;
    if (!event->tie)
        return;
    if (sim->log.remarks.n >= SIMULATE_REMARKS) {
        sim->log.left_out++;
        return;
    }
    simulate_remark(
        sim,
        arena_printf(
            sim->run->arena,
            "t = %s s: contacts of `%s` approach alike and act on each other: "
            "the order given decided (other laws take them at once)",
            rt_told(time, event->time, 9),
            imp_text(run->im,
                     rt_system(run, rt_contact(run, event->contact)->system)
                         ->name)));
}

/* Tells once that a resting contact was hit by way of another and did not
 * rebound, as the model names no law of impacts at several contacts (I4). */
static void
pushed(struct simulation *sim, const struct flow_event *event,
       const uint32_t *contacts)
{
    struct rt *run = sim->run;
    char time[NUM_TEXT];
    if (!event->pushed || run->im->impact_law != IMP_IMPACT_UNDECLARED ||
        sim->reported.law)
        return;
    sim->reported.law = true;
    impact_report_law(sim->analysis, sim->command->range,
                      list(sim, contacts, event->n),
                      rt_told(time, event->time, 9), IMP_IMPACT_UNDECLARED);
}

/* Tells once that the motion depends on how contacts share an impact. */
static void
loads(struct simulation *sim, const struct flow_event *event)
{
    struct analysis *analysis = sim->analysis;
    const imp_contact *contact = rt_contact(analysis->rt, event->contact);
    char time[NUM_TEXT];
    if (!event->loads || sim->loads_told)
        return;
    sim->loads_told = true;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_W0733, contact->range,
                 "how contacts of `%s` share the impact is not determined at "
                 "t = %s, and the motion depends on it",
                 imp_text(analysis->rt->im,
                          rt_system(analysis->rt, contact->system)->name),
                 rt_told(time, event->time, 9));
    diag_note(analysis->ds, diag, sim->command->range,
              "the run goes on with the impulses of least norm that keep "
              "the laws, here and wherever it happens again");
}

/* Tells that an impact adds energy. */
static void
gains(struct simulation *sim, const struct flow_event *event)
{
    struct analysis *analysis = sim->analysis;
    const imp_contact *contact = rt_contact(analysis->rt, event->contact);
    char time[NUM_TEXT], gain[NUM_TEXT];
    if (!simulate_gain_news(sim, event->gain, sim->reported.gain + 1))
        return;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_W0734, contact->range,
        "an impact of `%s` with friction adds %s to the energy, at t = %s",
        imp_text(analysis->rt->im,
                 rt_system(analysis->rt, contact->system)->name),
        num_digits(gain, event->gain, 6), rt_told(time, event->time, 9));
    diag_note(analysis->ds, diag, sim->command->range,
              "Newton's law, Moreau's (complementarity), and poisson with "
              "restitutions that differ may do so; the run goes on, and says "
              "it again where it is far more");
    diag_help(analysis->ds, diag,
              "restitution = energetic(e) adds none at one contact; world { "
              "law = sequential } takes several one after the other");
}

static int
happened(struct simulation *sim, struct flow *flow,
         const struct flow_event *event, double before)
{
    const double *impulse;
    const uint32_t *contacts = flow_contacts(flow, &impulse);
    switch (event->kind) {
    case FLOW_NONE:
        return IMP_OK;
    case FLOW_MODES:
        break;
    case FLOW_IMPACT:
    case FLOW_SEVERAL:
        for (uint32_t i = 0; i < event->n; i++)
            simulate_log_event(sim, contacts[i], "impact", "C-", impulse[i]);
        pushed(sim, event, contacts);
        if (event->kind == FLOW_SEVERAL) {
            rested(sim, event, contacts, before);
            law_remarks(sim, flow, event, contacts);
        }
        break;
    case FLOW_JAM:
        simulate_log_event(sim, event->contact, "jam", "", 0.0);
        if (event->why)
            modes_undecided(sim, event);
        else if (event->impulse > 0.0)
            simulate_log_event(sim, event->contact, "impact without collision",
                               "", event->impulse);
        break;
    case FLOW_WITHOUT_COLLISION:
        simulate_log_event(sim, event->contact, "impact without collision", "",
                           event->impulse);
        break;
    case FLOW_UNDECIDED:
        undecided(sim, flow, event, contacts);
        break;
    case FLOW_CHATTER:
        simulate_limit_add(sim, event, contacts);
        break;
    case FLOW_JAMMED:
        return flow_jammed(sim->run, event->contact, event->time);
    case FLOW_TOUCH:
        simulate_log_event(sim, event->contact, "touch", "", 0.0);
        break;
    case FLOW_SLIDE:
        simulate_log_event(sim, event->contact, "slide", "", 0.0);
        break;
    case FLOW_LEAVE:
        for (uint32_t i = 0; i < event->n; i++)
            simulate_log_event(sim, contacts[i], "leave", "", 0.0);
        break;
    }
    verdicts(sim, flow);
    resolved(sim, flow);
    shared_loads(sim, flow);
    changes(sim, flow);
    tie(sim, event);
    loads(sim, event);
    if (event->low > 0.0 && event->kind != FLOW_UNDECIDED)
        simulate_tell_low(sim, event->low);
    gains(sim, event);
    sim->rows.fresh = false;
    return simulate_row(sim);
}

/* The motion of a system has come to a time at which nothing happens to it. A
 * look of what is told of the whole run asks for its state anyway. */
static int
piece_goes_on(struct simulation *sim, uint32_t system, double now)
{
    sim->rows.fresh = false;
    return sim->along ? IMP_OK : flow_at(sim->flows[system], now);
}

/* A row of the state to which an event comes. */
static int
before_event(struct simulation *sim, double now)
{
    int st = simulate_systems_at(sim, now);
    sim->rows.fresh = false;
    sim->rows.before = true;
    if (!st)
        st = simulate_row(sim);
    sim->rows.before = false;
    return st;
}

/* A piece of the only thing that moves has come to its end, and the next one
 * begins: does nobody ask for the state there? */
static bool
unseen(const struct simulation *sim, double now)
{
    const struct rt *run = sim->run;
    return run->im->systems.n == 1 && run->im->bodies.n == 0 &&
           now < sim->target && !sim->along && !sim->trace;
}

int
simulate_systems_apply(struct simulation *sim, double now)
{
    assert(sim != NULL && now >= 0.0);
    struct rt *run = sim->run;
    double *time = &run->env[run->im->layout.time];
    for (uint32_t system = 0; system < run->im->systems.n && !sim->stopped;
         system++) {
        double ti;
        int st = flow_peek(sim->flows[system], now, &ti);
        *time = now;
        if (st)
            return st;
        if (ti > now)
            continue;
        if (!flow_ends(sim->flows[system])) {
            if ((st = piece_goes_on(sim, system, now)))
                return st;
            continue;
        }
        struct flow_event event;
        struct motion_totals totals = {0};
        /* one row before the event and one after it */
        if (flow_eventful(sim->flows[system]) && (st = before_event(sim, now)))
            return st;
        sim->rows.fresh = false;
        if (simultaneous_policy(sim->analysis) == BALLISTIC_REST &&
            (st = motion_totals(run, &totals)))
            return st;
        if ((st = flow_apply(sim->flows[system], &event)))
            return st;
        *time = now;
        if (event.kind == FLOW_NONE && unseen(sim, now))
            continue;
        if ((st = simulate_systems_at(sim, now)) ||
            (st = happened(sim, sim->flows[system], &event,
                           totals.kinetic + totals.potential)))
            return st;
    }
    return IMP_OK;
}

int
simulate_traced(struct simulation *sim)
{
    assert(sim != NULL && sim->trace != NULL);
    int st = sim->run->im->systems.n
                 ? simulate_systems_at(sim, rt_time(sim->run))
                 : IMP_OK;
    if (!st)
        run_log_instant(sim->trace);
    return st;
}

void
simulate_traced_end(struct simulation *sim)
{
    assert(sim != NULL && sim->trace != NULL);
    for (uint32_t i = 0; i < sim->run->im->systems.n && sim->flows; i++)
        if (sim->flows[i])
            flow_trace(sim->flows[i], rt_time(sim->run));
    if (sim->balls)
        balls_trace(sim->balls, rt_time(sim->run));
}

void
simulate_systems_trend(struct simulation *sim, struct diag *diag)
{
    assert(sim);
    struct rt *run = sim->run;
    for (uint32_t i = 0; i < run->im->systems.n && sim->flows; i++) {
        const struct ballistic *motion = flow_ballistic(sim->flows[i]);
        const imp_system *sys = rt_system(run, i);
        const char *name = imp_text(run->im, sys->name);
        char text[NUM_TEXT];
        double ratio;
        int period;
        if (!motion || !impact_history_trend(motion, &period, &ratio))
            continue;
        if (period && fabs(ratio - 1.0) < 1e-9)
            diag_note(sim->analysis->ds, diag, sys->range,
                      "in `%s` an order of %d impacts repeats and takes as "
                      "long each time: it accumulates nothing",
                      name, period);
        else if (period)
            diag_note(sim->analysis->ds, diag, sys->range,
                      "in `%s` an order of %d impacts repeats, %s times as "
                      "long each time",
                      name, period, num_digits(text, ratio, 6));
        else
            diag_note(sim->analysis->ds, diag, sys->range,
                      "the last impacts of `%s` repeat no order", name);
    }
}

/* -- singularities --------------------------------------------------------- */

struct singular {
    const char *of;
    struct singularity is;
};
struct singular_table {
    struct singular *v;
    size_t n, cap;
    double time; /* where the motion was followed to */
};

/* A singularity that ends a motion is as near as this share of the time. */
#define SINGULAR_NEAR 1e-6

/* The place whose entry of env this is, or NULL. */
static const char *
place_name(const struct simulation *sim, uint32_t env)
{
    const struct rt *run = sim->run;
    const imp_image *im = run->im;
    const imp_coordinate *coordinate =
        IMP_ARRAY(im, im->coordinates, imp_coordinate);
    for (uint32_t s = 0; s < im->systems.n; s++) {
        const imp_system *system = rt_system(run, s);
        uint32_t n = system->n + system->n_observer;
        for (uint32_t i = system->first; i < system->first + n; i++)
            if (coordinate[i].env == env)
                return arena_printf(run->arena, "%s.%s",
                                    imp_text(im, system->name),
                                    imp_text(im, coordinate[i].name));
    }
    for (uint32_t b = 0; b < im->bodies.n; b++) {
        const imp_body *body = rt_body(run, b);
        if (env < body->env_state || env >= body->env_state + (uint32_t)im->dim)
            continue;
        return arena_printf(run->arena, "%s.position[%u]",
                            imp_text(im, body->name), env - body->env_state);
    }
    return NULL;
}

/* Gathers the places of the block that could not go on. */
static void
look_at_block(struct simulation *sim, struct singular_table *table)
{
    struct rt *run = sim->run;
    const struct run_singular *found = run->singular;
    table->time = found->time;
    for (uint32_t i = 0; i < found->n; i++) {
        const char *name = place_name(sim, found->v[i].env);
        if (name && found->v[i].is.left <= SINGULAR_NEAR * found->time)
            VEC_PUSH_IN(run->arena, table,
                        (struct singular){name, found->v[i].is});
    }
}

/* Leaves what is singular at the first of the times that were found. */
static void
keep_first(struct singular_table *table)
{
    double first = INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < table->n; i++)
        first = fmin(first, table->v[i].is.left);
    for (size_t i = 0; i < table->n; i++)
        if (table->v[i].is.left <= 2 * first)
            table->v[n++] = table->v[i];
    table->n = n;
}

static void
tell_singular(struct simulation *sim, const struct singular_table *table,
              imp_range where)
{
    char time[NUM_TEXT], power[NUM_TEXT], error[NUM_TEXT];
    const char *all = "";
    for (size_t i = 0; i < table->n; i++)
        all = arena_printf(
            sim->run->arena, "%s%s`%s` as (t_end - t)^%s (+- %s)", all,
            i ? ", " : "", table->v[i].of,
            num_digits(power, table->v[i].is.exponent, 6),
            num_digits(error, table->v[i].is.exponent_error + DBL_EPSILON, 2));
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0729, where,
                 "the motion ends in a singularity at t_end = %s s: %s",
                 num_digits(time, table->time + table->v[0].is.left, 9), all);
    diag_help(sim->analysis->ds, diag,
              "the run stops there; an exponent of 0 is a logarithm, one of 1, "
              "2, ... has a logarithm beside the power");
    simulate_remark(sim, diag->message);
}

bool
simulate_singular(struct simulation *sim)
{
    assert(sim != NULL && !sim->stopped);
    struct analysis *analysis = sim->analysis;
    struct diag *last = analysis->ds->last;
    if (!last || last->code != DIAG_E0602 ||
        analysis->ds->errors != sim->errors + 1)
        return false;
    struct singular_table *table = NEW(sim->run->arena, struct singular_table);
    if (!sim->run->singular)
        return false;
    look_at_block(sim, table);
    if (!table->n)
        return false;
    keep_first(table);
    imp_range where = last->range;
    diag_withdraw(analysis->ds, last);
    tell_singular(sim, table, where);
    sim->taken.singular = table;
    sim->stopped = true;
    return true;
}

void
simulate_put_singular(struct simulation *sim, struct record *out)
{
    assert(sim && out);
    const struct singular_table none = {0}, *table = sim->taken.singular
                                                         ? sim->taken.singular
                                                         : &none;
    struct arena *arena = sim->run->arena;
    double *time = NEW_N(arena, double, table->n + 1),
           *error = NEW_N(arena, double, table->n + 1),
           *power = NEW_N(arena, double, table->n + 1),
           *power_error = NEW_N(arena, double, table->n + 1);
    const char **of = NEW_N(arena, const char *, table->n + 1);
    for (size_t i = 0; i < table->n; i++) {
        const struct singularity *is = &table->v[i].is;
        of[i] = table->v[i].of;
        time[i] = table->time + is->left;
        error[i] = is->left_error + DBL_EPSILON * time[i];
        power[i] = is->exponent;
        power_error[i] = is->exponent_error + DBL_EPSILON;
    }
    SET_TEXTS("singular", of, table->n);
    SET_LIST("singular_times", time, table->n);
    SET_LIST("singular_errors", error, table->n);
    SET_LIST("singular_exponents", power, table->n);
    SET_LIST("singular_exponent_errors", power_error, table->n);
}
