/* SPDX-License-Identifier: MIT */
/* Impacts in `simulate`. Contacts that close at one time, and contacts that
 * touch then, form one impact as far as moving bodies or joints connect them,
 * which goes to runtime/impact under the law of the world. Contacts that touch
 * and do not approach are asked for no impulse that would pull. Where the law
 * does not determine the outcome nothing is applied, and the run stops (I4). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "analysis/trace/run_log.h"
#include "base/num.h"
#include "runtime/friction/paradox.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/contact_point.h"
#include "runtime/rotors/rotors.h"
#include "runtime/rubbing/rubbing.h"

#define GROUP_CONSERVES 1e-12 /* of the greatest impulse: rounding */
#define GROUP_REMARKS 32      /* on one impact, at most */

enum part {
    PART_UNKNOWN,
    PART_OUT, /* open, let through, stated, or without influence here */
    PART_TOUCHES,
    PART_NEAR, /* open, by no more than `capture` leaves out of a flight */
    PART_HIT,
    PART_ASIDE, /* open normal, and approaches under none of the choices */
    PART_DONE   /* part of an impact of this event that has been applied */
};
struct group {
    struct simulation *sim;
    double reach;                  /* (m) of PART_NEAR */
    unsigned char *part;           /* per contact */
    bool let_go;                   /* is_let_go of one of them */
    struct marked_contacts *asked; /* those whose part is known */
    bool *body;                    /* per body: moved by this impact */
    uint32_t *reached, n_reached;  /* these bodies */
    struct marked_contacts *listed;
    uint32_t *contact, n; /* these */
};

static void
set_part(struct group *group, uint32_t contact, enum part part)
{
    simulate_mark(group->asked, contact);
    group->part[contact] = (unsigned char)part;
}

/* Has its force ended before this event, and nothing hit it since? */
static bool
is_let_go(const struct group *group, uint32_t contact)
{
    double time = group->sim->contacts[contact].gone;
    return time > 0.0 && time < rt_time(group->sim->run);
}

/* Does a contact touch, or nearly so, and not yield? */
static bool
touches(struct group *group, uint32_t contact)
{
    struct simulation *sim = group->sim;
    bool open = false;
    if (group->part[contact] == PART_UNKNOWN) {
        const struct simulated_contact *state = &sim->contacts[contact];
        bool out = state->watch == WATCH_OFF || state->through ||
                   state->overlap || simulate_is_soft(sim, contact) ||
                   (sim->local && group->reach == 0.0 &&
                    event_apart(sim->run, contact) > 0.0) ||
                   !resting_polytopes_part(sim, contact, group->reach, &open);
        set_part(group, contact,
                 out    ? PART_OUT
                 : open ? PART_NEAR
                        : PART_TOUCHES);
        group->let_go |= is_let_go(group, contact);
    }
    return group->part[contact] >= PART_TOUCHES &&
           group->part[contact] <= PART_HIT;
}

static bool
enter(struct group *group, uint32_t body)
{
    if (!contact_point_body_moves(group->sim->run, body) || group->body[body])
        return false;
    return group->body[body] = true;
}

/* Enters a body whose contacts and joints are then asked, too. */
static void
reach(struct group *group, uint32_t body)
{
    if (enter(group, body))
        group->reached[group->n_reached++] = body;
}

/* Enters the bodies that touch this one, or are joined to it; lists its
 * contacts. */
static void
from_body(struct group *group, uint32_t body)
{
    const struct simulation *sim = group->sim;
    struct rt *run = sim->run;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (int side = 0; side < 2; side++)
            if (joint[i].body[side] == body)
                reach(group, joint[i].body[1 - side]);
    const uint32_t *list = sim->of_body + sim->first_of_body[body];
    uint32_t n = sim->first_of_body[body + 1] - sim->first_of_body[body];
    if (sim->local)
        n = local_near(sim->local, body, &list);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t contact = list[k];
        const uint32_t *of = rt_contact(run, contact)->body;
        if (group->listed->on[contact] || !touches(group, contact))
            continue;
        simulate_mark(group->listed, contact);
        group->n = group->listed->n;
        reach(group, of[of[0] == body ? 1 : 0]);
    }
}

static int
by_number(const void *one, const void *two)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
    return (a > b) - (a < b);
}

/* Gathers all bodies and contacts that are connected to a contact of the event.
 */
static void
gather(struct group *group, uint32_t contact)
{
    struct rt *run = group->sim->run;
    for (uint32_t i = 0; i < group->n_reached; i++)
        group->body[group->reached[i]] = false;
    simulate_unmark(group->listed);
    group->n = group->n_reached = 0;
    for (int k = 0; k < 2; k++)
        reach(group, rt_contact(run, contact)->body[k]);
    for (uint32_t i = 0; i < group->n_reached; i++)
        from_body(group, group->reached[i]);
    /* The contacts stand in the order of the model, on whichever way they were
     * reached. */
    qsort(group->contact, group->n, sizeof *group->contact, by_number);
}

/* Under most laws a contact that separates has nothing to reverse and is no
 * part of the impact. Takes such contacts out, with friction those whose force
 * has ended before: their gaps are below the tolerance, but they are open, and
 * hit behind this impact. True: there was one. */
static bool
drop_open(struct group *group, const struct impact_of_run *problem,
          const struct impact_solver *solver, enum imp_impact_law law,
          bool friction)
{
    bool dropped = false;
    if (imp_impact_law_traits(law) & IMP_LAW_TRAIT_SEPARATING)
        return false;
    for (uint32_t i = 0; i < group->n; i++) {
        enum part part = (enum part)group->part[group->contact[i]];
        bool all = friction ? is_let_go(group, group->contact[i])
                            : part == PART_TOUCHES || part == PART_NEAR;
        for (int c = 0; c < solver->nc; c++)
            all &= problem->contact[c] != group->contact[i] ||
                   solver->approach.open[c];
        if (all) {
            set_part(group, group->contact[i], PART_OUT);
            if (part == PART_TOUCHES &&
                group->sim->options.capture > 0.0) /* it may be slow enough */
                simulate_mark(&group->sim->touching.touches, group->contact[i]);
            dropped = true;
        }
    }
    return dropped;
}

/* Adds the law's remarks to the record. */
static void
remarks(struct simulation *sim, const struct impact_of_run *problem,
        const struct impact_solver *solver)
{
    const char *text[GROUP_REMARKS];
    char t[NUM_TEXT];
    size_t n =
        impact_remarks(sim->analysis, problem, solver, text, GROUP_REMARKS);
    rt_told(t, rt_time(sim->run), 9);
    for (size_t i = 0; i < n; i++) {
        if (sim->log.remarks.n >= SIMULATE_REMARKS)
            sim->log.left_out++;
        else
            simulate_remark(
                sim, arena_printf(sim->run->brief, "t = %s s: %s", t, text[i]));
    }
}

static int
stop(struct simulation *sim, const struct group *group, const char *why)
{
    char t[NUM_TEXT];
    for (uint32_t i = 0; i < group->n; i++)
        if (group->part[group->contact[i]] == PART_HIT)
            simulate_log_event(sim, group->contact[i], "stop", "C-", 0.0);
    sim->stopped = true;
    simulate_remark(sim,
                    arena_printf(sim->run->arena,
                                 "stopped before an impact at t = %s s: %s",
                                 rt_told(t, rt_time(sim->run), 9), why));
    return IMP_OK;
}

static int
undetermined(struct simulation *sim, const struct group *group,
             const struct impact_solver *solver)
{
    char t[NUM_TEXT];
    struct diag *diag =
        impact_undetermined(sim->analysis, sim->command->range, solver);
    diag_note(sim->analysis->ds, diag,
              rt_contact(sim->run, group->contact[0])->range,
              "the impact of %s at t = %s s; the run stops before it",
              simulate_names(sim, group->contact, group->n),
              rt_told(t, rt_time(sim->run), 9));
    diag_help(sim->analysis->ds, diag,
              "in a simulation the law stands in the model: world { law = "
              "complementarity }, sequential or least_norm");
    return stop(sim, group, "its outcome is not determined");
}

/* problem: NULL with friction. */
static int
forbidden(struct simulation *sim, const struct group *group,
          const struct impact_of_run *problem,
          const struct impact_solver *solver)
{
    char t[NUM_TEXT];
    const char *text[GROUP_REMARKS];
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0723, sim->command->range,
                 "the world forbids the impact of %s at t = %s "
                 "s: the run stops before it",
                 simulate_names(sim, group->contact, group->n),
                 rt_told(t, rt_time(sim->run), 9));
    size_t n = problem ? impact_remarks(sim->analysis, problem, solver, text,
                                        GROUP_REMARKS)
                       : 0;
    for (size_t i = 0; i < n; i++)
        diag_note(sim->analysis->ds, diag, IMP_NOWHERE, "%s", text[i]);
    diag_help(sim->analysis->ds, diag,
              "name another `law`, or forbid less: `forbid` and `policy = "
              "stop` of the world");
    return stop(sim, group, "the world forbids it");
}

/* The impulse at point c of the problem (N s). */
static double
point_impulse(struct simulation *sim, const struct impact_of_run *problem,
              const struct impact_solver *solver, int c)
{
    double P = solver->impulse.P[c] * solver->approach.length[c];
    if (sim->trace)
        run_log_impact(sim->trace, problem, c, P);
    return P;
}

/* Sets the velocities after the impact, records the events and a row, and
 * counts the impacts. */
static int
after(struct simulation *sim, const struct group *group,
      const struct impact_of_run *problem, const struct impact_solver *solver,
      const char *const *class)
{
    double big = 0;
    int st;
    polytope_keep_corners(sim->run, group->contact, group->n);
    impact_of_run_write(sim->run, problem, solver->velocity.twist);
    sim->rows.fresh = false;
    for (int c = 0; c < solver->nc; c++)
        big =
            fmax(big, fabs(solver->impulse.P[c] * solver->approach.length[c]));
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t k = group->contact[i];
        double P = 0;
        /* hit so slowly that no law has an impulse: it comes to rest */
        sim->contacts[k].pressed |= big == 0.0 && group->part[k] == PART_HIT;
        for (int c = 0; c < solver->nc; c++)
            if (problem->contact[c] == k)
                P += point_impulse(sim, problem, solver, c);
        bool near = group->part[k] == PART_NEAR;
        if (P != 0.0)
            sim->contacts[k].gone = 0.0;
        if (P != 0.0 && !near &&
            (group->n > 1 || sim->contacts[k].flights.gap != 0.0))
            limit_note_early(sim, k, problem, solver);
        if (!near)
            simulate_watch(sim, k, WATCH_LEAVE);
        /* a contact that touched before and takes no impulse has no event */
        if (group->part[k] == PART_HIT || fabs(P) > GROUP_CONSERVES * big)
            simulate_log_event(sim, k, "impact", class[k] ? class[k] : "rest",
                               P);
    }
    if ((st = simulate_row(sim)))
        return st;
    for (uint32_t i = 0; i < group->n; i++)
        if (group->part[group->contact[i]] == PART_HIT &&
            (st = simulate_count_impact(sim, group->contact[i])))
            return st;
    return IMP_OK;
}

static int
stop_at_open_normal(struct simulation *sim, const struct group *group,
                    const struct impact_of_run *problem, const char *also)
{
    struct rt *run = sim->run;
    impact_report_open_normal(sim->analysis, problem, DIAG_W0724,
                              sim->command->range);
    return stop(
        sim, group,
        arena_printf(run->arena, "the normal of `%s` is set-valued%s",
                     imp_text(run->im, rt_contact(run, problem->open)->name),
                     also));
}

/* A contact with a set-valued normal that is not hit, and whose bodies approach
 * under none of the choices, takes no impulse, if that is still so after the
 * impact (aside_contact_closes). *aside: it is left out. */
static int
set_aside(struct group *group, uint32_t contact, bool *aside)
{
    bool closing = true;
    int st = group->part[contact] == PART_TOUCHES
                 ? polytope_approaches(group->sim, contact, &closing)
                 : IMP_OK;
    *aside = !closing;
    if (!closing)
        set_part(group, contact, PART_ASIDE);
    return st;
}

/* Sets *problem to that of a contact which was set aside and whose bodies
 * approach after the impact, under one of the choices of its normal. *closes is
 * false if there is none. The state is not changed. */
static int
aside_contact_closes(struct simulation *sim, const struct group *group,
                     const struct impact_solver *solver,
                     struct impact_of_run *problem, bool *closes)
{
    struct rt *run = sim->run;
    int st = IMP_OK;
    *closes = false;
    qsort(group->asked->contact, group->asked->n, sizeof *group->asked->contact,
          by_number);
    for (uint32_t k = 0; k < group->asked->n && !st && !*closes; k++) {
        uint32_t i = group->asked->contact[k];
        if (group->part[i] != PART_ASIDE)
            continue;
        struct saved_state here = saved_state_take(run);
        impact_of_run_write(run, problem, solver->velocity.twist);
        st = polytope_approaches(sim, i, closes);
        saved_state_restore(run, &here);
        if (!st && *closes)
            st = impact_read(sim->analysis, &i, 1, problem);
    }
    return st;
}

/* The impact has been solved: audits it. *stops: it makes the bodies of a
 * contact that was set aside approach; the run stops. */
static int
aside_stops(struct group *group, const struct impact_solver *solver,
            const struct impact_of_run *problem, bool *stops)
{
    struct impact_of_run other = *problem;
    int st = aside_contact_closes(group->sim, group, solver, &other, stops);
    if (st || !*stops)
        return st ? st
                  : impact_audit(group->sim->analysis,
                                 group->sim->command->range, problem, solver);
    return stop_at_open_normal(
        group->sim, group, &other,
        ", and the impact makes its bodies approach under a choice");
}

/* W0721 */
static void
report_gain(struct simulation *sim, const struct group *group,
            const struct impact_solver *solver)
{
    char e[NUM_TEXT], t[NUM_TEXT];
    if (!simulate_gain_news(sim, solver->balance.gained, sim->reported.gain))
        return;
    diag_add(sim->analysis->ds, DIAG_W0721, sim->command->range,
             "the impact of %s at t = %s s raises the energy by %s J under "
             "`%s`; more of this kind: see `warnings`",
             simulate_names(sim, group->contact, group->n),
             rt_told(t, rt_time(sim->run), 9),
             num_digits(e, solver->balance.gained, 6),
             imp_impact_law_word(solver->decision.law));
}

/* W0746, once per run: the model states no law for several contacts, and others
 * than the one taken give another motion (I4). LAWS_COMPARED impacts are asked
 * for it: a law of many contacts may take long. */
enum { LAWS_COMPARED = 64 };
static void
tell_law(struct simulation *sim, const struct group *group,
         struct impact_solver *solver, enum imp_impact_law law)
{
    char t[NUM_TEXT];
    if (sim->run->im->impact_law != IMP_IMPACT_UNDECLARED || solver->nc < 2 ||
        sim->reported.law || sim->reported.laws_compared >= LAWS_COMPARED)
        return;
    sim->reported.laws_compared++;
    sim->reported.law = impact_depends_on_law(solver, law, sim->run->brief);
    if (sim->reported.law)
        impact_report_law(sim->analysis, sim->command->range,
                          simulate_names(sim, group->contact, group->n),
                          arena_printf(sim->run->brief, "%s s",
                                       rt_told(t, rt_time(sim->run), 9)),
                          law);
}

/* W0722: why the outcome of an impact is open; impact: with friction. */
static int
open_outcome(struct simulation *sim, struct group *group,
             const struct impact_of_run *of, const char *why,
             const struct friction_group_impact *impact)
{
    char t[NUM_TEXT];
    const char *help =
        impact_friction_remedy(sim->analysis, impact, sim->run->im->impact_law);
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0722, sim->command->range,
                 "the impact of %s at t = %s s is not determined: %s",
                 simulate_names(sim, group->contact, group->n),
                 rt_told(t, rt_time(sim->run), 9), why);
    simulate_note_places(sim, diag, of);
    if (help)
        diag_help(sim->analysis->ds, diag, "%s%s", help,
                  simulate_steps_remedy(sim));
    return stop(sim, group, "its outcome is not determined");
}

static bool
has_friction(const struct group *group)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (friction_modes_contact(group->sim->run, group->contact[i]))
            return true;
    return false;
}

/* The impact of contacts of which one has friction. */
static int
with_friction(struct simulation *sim, struct group *group,
              const struct impact_of_run *normals, const char *const *class)
{
    struct impact_of_run problem;
    struct impact_solver *solver;
    struct friction_group_impact impact;
    bool closes, *hit = NEW_N(sim->run->brief, bool, normals->p.n_contact + 1);
    for (uint32_t i = 0; i < normals->p.n_contact; i++)
        hit[i] = group->part[normals->contact[i]] == PART_HIT;
    int st =
        impact_with_friction(sim->analysis, normals, hit, sim->options.capture,
                             (enum imp_impact_law)sim->run->im->impact_law,
                             &problem, &solver, &impact);
    if (st || (st = sim->run->law_status))
        return st;
    loads_of_impact(sim->run->loads, &impact);
    if (impact.why)
        return open_outcome(sim, group, normals, impact.why, &impact);
    if ((st = aside_stops(group, solver, &problem, &closes)) || closes)
        return st;
    if (impact_with_friction_forbidden(sim->analysis, &impact, solver->nc / 2))
        return forbidden(sim, group, NULL, solver);
    simulate_tell_friction(sim, group->contact[0], &impact);
    uint32_t *contact = NEW_N(sim->run->brief, uint32_t, solver->nc);
    for (int i = 0; i + 1 < solver->nc; i += 2) {
        const imp_contact *of = rt_contact(sim->run, problem.contact[i]);
        sim->run->env[of->env_contact + IMP_CONTACT_WORK] += impact.work[i / 2];
        contact[i / 2] = problem.contact[i];
    }
    friction_modes_struck(sim->run, solver->nc / 2, contact, &impact);
    return after(sim, group, &problem, solver, class);
}

static bool
sticks(const struct group *group)
{
    bool any = false;
    for (uint32_t i = 0; i < group->n; i++)
        any |= group->part[group->contact[i]] == PART_HIT &&
               impact_sticks(group->sim->run, group->contact[i]);
    return any;
}

/* The impact of contacts of which one that is hit sticks. */
static int
with_sticking(struct simulation *sim, struct group *group,
              const struct impact_of_run *normals, const char *const *class)
{
    struct impact_of_run problem;
    struct impact_solver *solver;
    const char *why;
    bool closes;
    int st = impact_with_sticking(sim->analysis, normals, true, &problem,
                                  &solver, &why);
    if (st || (st = sim->run->law_status))
        return st;
    if (why)
        return open_outcome(sim, group, normals, why, NULL);
    if ((st = aside_stops(group, solver, &problem, &closes)) || closes)
        return st;
    if (impact_sticking_pulls(&problem, solver)) {
        char t[NUM_TEXT];
        if (sim->run->im->forbid & IMP_FORBID_NEGATIVE)
            return forbidden(sim, group, NULL, solver);
        simulate_remark(sim, arena_printf(sim->run->brief, "t = %s s: %s",
                                          rt_told(t, rt_time(sim->run), 9),
                                          IMPACT_STICKING_PULLS));
    }
    report_gain(sim, group, solver);
    return after(sim, group, &problem, solver, class);
}

static bool
joints_rub(const struct simulation *sim, const struct group *group)
{
    for (uint32_t i = 0; i < sim->run->im->bodies.n; i++)
        if (group->body[i] && rubbing_moves(sim->run, i))
            return true;
    return false;
}

/* The closed points of an impact of bodies whose joints have friction. */
struct rough_impact {
    struct point_list list; /* those that approach come first */
    int n_hit;
    double *rest; /* n: a rate up to this is none */
    struct friction_group_impact impact;
};

/* Gathers them; those that separate take no part. False: a touch has none. */
static bool
rough_points(struct simulation *sim, const struct group *group,
             struct rough_impact *rough)
{
    struct rt *run = sim->run;
    struct point_list all = {0};
    struct closest_points near;
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t k = group->contact[i];
        double tol, unused;
        int room = contact_set_room(run, k), n = -1;
        struct contact_point *spot =
            NEW_N(run->brief, struct contact_point, (size_t)room);
        gap_tolerances(run, k, &tol, &unused);
        if (group->part[k] == PART_HIT && /* at a rounded time */
            !closest_points_find(run, k, &near, false))
            tol = fmax(tol, near.gap);
        for (double far = 2.0 * tol; n < 0 && far >= tol; far *= 0.5)
            n = contact_set_points(run, k, far, spot, room);
        if (n < 0)
            return false;
        for (int p = 0; p < n; p++)
            point_list_add(sim, &all, &spot[p]);
    }
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)all.n + 1);
    rough->rest = NEW_N(run->brief, double, (size_t)all.n + 1);
    if (all.n == 0 || contact_point_states(run, all.spot, all.n, state, NULL))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < all.n; p++) {
            uint32_t k = all.spot[p].contact;
            double gap, rest;
            gap_rounding(run, k, &gap, &rest);
            rest = fmax(rest, MODE_STILL * state[p].speed);
            /* of bodies at rest there is no speed to compare roundings with */
            if (group->part[k] != PART_HIT)
                rest = fmax(rest, mode_still_rate(run, k, state[p].free));
            if (!(pass == 0 ? state[p].rate < -rest
                            : fabs(state[p].rate) <= rest))
                continue;
            rough->rest[rough->list.n] = rest;
            point_list_add(sim, &rough->list, &all.spot[p]);
        }
        rough->n_hit = pass == 0 ? rough->list.n : rough->n_hit;
    }
    return true;
}

/* The impulse at a contact, shared by its points in the log of the motion. */
static double
rough_impulse(struct simulation *sim, const struct rough_impact *rough,
              const struct impact_of_run *problem, uint32_t contact)
{
    double P = 0.0, points = 0.0;
    for (int i = 0; i < rough->list.n; i++)
        if (rough->list.spot[i].contact == contact)
            P += rough->impact.impulse[2 * i];
    for (uint32_t c = 0; c < problem->p.n_contact; c++)
        points += problem->contact[c] == contact;
    for (uint32_t c = 0; sim->trace && c < problem->p.n_contact; c++)
        if (problem->contact[c] == contact)
            run_log_impact(sim->trace, problem, (int)c, P / points);
    return P;
}

/* Records the impact, and counts it. */
static int
after_rough(struct simulation *sim, const struct group *group,
            const struct rough_impact *rough,
            const struct impact_of_run *problem, const int *mode,
            const char *const *class)
{
    double most = 0.0;
    sim->rows.fresh = false;
    for (int i = 0; i < rough->list.n; i++)
        most = fmax(most, rough->impact.impulse[2 * i]);
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t k = group->contact[i];
        double P = rough_impulse(sim, rough, problem, k);
        simulate_watch(sim, k, WATCH_LEAVE);
        if (group->part[k] == PART_HIT || P > GROUP_CONSERVES * most)
            simulate_log_event(sim, k, "impact", class[k] ? class[k] : "rest",
                               P);
    }
    simulate_log_joint_modes(sim, mode);
    int st = simulate_row(sim);
    for (uint32_t i = 0; i < group->n && !st; i++)
        if (group->part[group->contact[i]] == PART_HIT)
            st = simulate_count_impact(sim, group->contact[i]);
    return st;
}

/* The impact of bodies whose joints have friction, which takes part in it. A
 * bare number as restitution means the energetic law, as where contacts have
 * friction. */
static int
with_rough_joints(struct simulation *sim, struct group *group,
                  const struct impact_of_run *problem, const char *const *class)
{
    struct rough_impact rough = {.n_hit = 0};
    struct rt *run = sim->run;
    if (!rough_points(sim, group, &rough))
        return problem->open != IMP_WORLD
                   ? stop_at_open_normal(sim, group, problem, "")
                   : open_outcome(sim, group, problem,
                                  "no points are known that touch", false);
    for (uint32_t i = 0; i < group->n && rough.n_hit == 0; i++) {
        uint32_t k = group->contact[i];
        sim->contacts[k].pressed |= group->part[k] == PART_HIT;
        simulate_watch(sim, k, WATCH_LEAVE);
    }
    if (rough.n_hit == 0) /* what was hit so slowly comes to rest */
        return IMP_OK;
    struct saved_state here = saved_state_take(run);
    int *mode = simulate_joint_modes(sim);
    int st = friction_modes_impact(
        run, rough.list.spot, rough.list.n, rough.n_hit, rough.rest,
        (enum imp_impact_law)run->im->impact_law, &rough.impact);
    if (st || (st = run->law_status))
        return st;
    if (rough.impact.why)
        return open_outcome(sim, group, NULL, rough.impact.why, &rough.impact);
    if (impact_with_friction_forbidden(sim->analysis, &rough.impact,
                                       rough.list.n)) {
        saved_state_restore(run, &here);
        return forbidden(sim, group, NULL, NULL);
    }
    simulate_tell_friction(sim, group->contact[0], &rough.impact);
    return after_rough(sim, group, &rough, problem, mode, class);
}

/* Corners touch. Does the motion not depend on the choice of their normals?
 * Then *problem has one of the choices. */
static int
normals_agree(const struct group *group, struct impact_of_run *problem,
              bool *agree)
{
    struct simulation *sim = group->sim;
    bool *hit = NEW_N(sim->run->brief, bool, sim->n_contacts + 1);
    for (uint32_t i = 0; i < group->n; i++)
        hit[group->contact[i]] = group->part[group->contact[i]] == PART_HIT;
    *agree = false;
    return !has_friction(group)
               ? IMP_OK
               : impact_with_any_normal(
                     sim->analysis, group->contact, group->n, hit,
                     (enum imp_impact_law)sim->run->im->impact_law, problem,
                     agree);
}

static int
together(struct simulation *sim, struct group *group, uint32_t contact,
         const char *const *class)
{
    struct analysis *analysis = sim->analysis;
    enum imp_impact_law law = (enum imp_impact_law)analysis->rt->im->impact_law;
    struct impact_of_run problem;
    struct impact_solver *solver;
    int st;
    bool aside, closes, friction, same;
    do {
        gather(group, contact);
        if (sticks(group)) /* what separates may come to approach by it */
            law = IMP_IMPACT_COMPLEMENTARITY;
        if ((st = impact_read(analysis, group->contact, group->n, &problem)))
            return st;
        aside = false;
        friction = has_friction(group);
        solver = NULL;
        if (problem.open != IMP_WORLD) {
            if ((st = normals_agree(group, &problem, &same)) ||
                (!same && (st = set_aside(group, problem.open, &aside))))
                return st;
            if (!same && !aside)
                return stop_at_open_normal(sim, group, &problem, "");
        } else if ((!friction || group->let_go) &&
                   (st = impact_prepare(analysis, &problem, &solver))) {
            return st;
        }
    } while (aside ||
             (solver && drop_open(group, &problem, solver, law, friction)));
    if (sticks(group) && (friction || joints_rub(sim, group)))
        return open_outcome(sim, group, &problem,
                            "friction beside a contact that sticks leaves "
                            "open how both share it",
                            false);
    if (sticks(group))
        return with_sticking(sim, group, &problem, class);
    if (joints_rub(sim, group))
        return with_rough_joints(sim, group, &problem, class);
    if (friction)
        return with_friction(sim, group, &problem, class);
    if ((st = impact_law_of_contacts(analysis, sim->command->range,
                                     group->contact, group->n, &law)))
        return st;
    impact_solver_solve_pushing(solver, law);
    if ((st = sim->run->law_status))
        return st;
    if (solver->decision.applied &&
        ((st = aside_stops(group, solver, &problem, &closes)) || closes))
        return st;
    if (solver->decision.applied && impact_forbidden(analysis, solver))
        return forbidden(sim, group, &problem, solver);
    remarks(sim, &problem, solver);
    if (!solver->decision.applied)
        return undetermined(sim, group, solver);
    report_gain(sim, group, solver);
    tell_law(sim, group, solver, law);
    return after(sim, group, &problem, solver, class);
}

int
simulate_impacts(struct simulation *sim, const uint32_t *hit, uint32_t n_hit,
                 const char *const *class, struct marked_contacts *done)
{
    assert(sim != NULL && hit != NULL && n_hit > 0 && n_hit <= sim->n_contacts);
    assert(class != NULL && done != NULL && sim->touching.asked.n == 0);
    struct rt *run = sim->run;
    struct group group = {.sim = sim,
                          .reach = sim->captures.reach,
                          .part = sim->touching.part,
                          .asked = &sim->touching.asked,
                          .listed = &sim->touching.listed,
                          .contact = sim->touching.listed.contact};
    int st = IMP_OK;
    group.body = NEW_N(run->brief, bool, run->im->bodies.n + 1);
    group.reached = NEW_N(run->brief, uint32_t, run->im->bodies.n + 1);
    for (uint32_t i = 0; i < n_hit; i++)
        set_part(&group, hit[i], PART_HIT);
    rotors_release(run);
    for (uint32_t i = 0; i < n_hit && !st; i++) {
        if (group.part[hit[i]] != PART_HIT)
            continue;
        st = together(sim, &group, hit[i], class);
        for (uint32_t k = 0; k < group.n && !st; k++) {
            if (group.part[group.contact[k]] != PART_NEAR)
                simulate_mark(done, group.contact[k]);
            set_part(&group, group.contact[k], PART_DONE);
        }
    }
    for (uint32_t i = 0; i < group.asked->n; i++)
        group.part[group.asked->contact[i]] = PART_UNKNOWN;
    simulate_unmark(group.asked);
    simulate_unmark(group.listed);
    return st;
}
