/* SPDX-License-Identifier: MIT */
/* The fast ways of `simulate`: flights from one impact of a single vertex on a
 * plane to the next (runtime/events/vertex_plane.h), and of discs and spheres
 * (runtime/balls/balls.h). All other events are left, at the state before them,
 * to the general search. And rows at times that were asked for, with modes of
 * contacts and of joints with friction that change at such a time. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "analysis/trace/run_log.h"
#include "base/num.h"
#include "runtime/balls/balls.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/instance/contact_table.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"
#include "runtime/trace/trace.h"

/* -- rows on the way --------------------------------------------------------
 *
 * The run does not stop at times that are asked for: states that were kept on
 * the way are recorded once it is known where the way ends. */

/* W0728, once: the law does not say how joints with friction go on. */
static void
tell_open(struct simulation *sim, uint32_t joint)
{
    char time[NUM_TEXT];
    const imp_joint *of =
        IMP_ARRAY(sim->run->im, sim->run->im->joints, imp_joint) + joint;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_W0728, of->range_friction,
        "at t = %s the friction of joint `%s`, and of those beside it, leaves "
        "open how the motion goes on",
        rt_told(time, rt_time(sim->run), 9), imp_text(sim->run->im, of->name));
    diag_note(sim->analysis->ds, diag, sim->command->range,
              "the run stops there");
    diag_help(sim->analysis->ds, diag,
              "friction and the force that it depends on increase each other "
              "there: make the friction smaller, or the bush longer");
}

/* The mode of a joint with friction changes now. */
int
simulate_rubbing_changes(struct simulation *sim)
{
    assert(sim != NULL);
    struct rt *run = sim->run;
    struct rubbing_change change = sim->rub;
    int *before = simulate_joint_modes(sim), st = IMP_OK;
    if (change.what != RUBBING_LOAD)
        st = simulate_row(sim);
    sim->rub.what = RUBBING_NOTHING;
    uint32_t block =
        IMP_ARRAY(run->im, run->im->joints, imp_joint)[change.joint].block;
    if (!st && change.what != RUBBING_OPEN && persistent_moves(run, block))
        return rubbing_note(run, &change)
                   ? simulate_persistent_joint(sim, change.joint)
                   : IMP_OK;
    if (st || (st = rubbing_apply(run, &change)))
        return st;
    if (change.what == RUBBING_OPEN) {
        simulate_log_joint(sim, change.joint, "undecided");
        tell_open(sim, change.joint);
        sim->stopped = true;
        return IMP_OK;
    }
    sim->rows.fresh = false;
    return simulate_log_joint_modes(sim, before) ? simulate_row(sim) : IMP_OK;
}

/* Joints whose loads have jumped at this very instant have other modes from
 * here on: chooses them, where a row is asked for. */
static int
jumped_joints(struct simulation *sim, bool *changed)
{
    struct rt *run = sim->run;
    double end = rt_time(run);
    *changed = false;
    if (!sim->rubbing || !run->switching || !sim->rows.n_items)
        return IMP_OK;
    int st = rubbing_peek(run, &end, &sim->rub);
    *changed = !st && sim->rub.what != RUBBING_NOTHING;
    sim->rows.fresh |= *changed; /* no row of the modes before */
    return *changed ? simulate_rubbing_changes(sim) : st;
}

/* Records a row that was asked for. Where loads jump at this very instant it
 * tells the modes that hold from here on, which are chosen now: *changed. */
static int
asked_row(struct simulation *sim, bool *changed)
{
    int st = jumped_joints(sim, changed), most = persistent_count(sim->run);
    bool ceases;
    if (!st && !sim->stopped)
        st = simulate_asked_row(sim);
    for (; !st && !sim->stopped && sim->rows.jumped; most--) {
        int which = friction_modes_outside(sim->run, &ceases);
        *changed = true;
        sim->rows.jumped = false;
        sim->mode_change.what = CHANGE_NONE;
        st = ceases ? simulate_persistent_unloaded(sim, which, false)
                    : simulate_persistent_friction(sim, which, false);
        sim->rows.jumped = most <= 0; /* whatever they are */
        if (!st && !sim->stopped)
            st = simulate_asked_row(sim);
    }
    return st;
}

int
simulate_rows_looked(struct simulation *sim, bool *changed)
{
    assert(sim != NULL && changed != NULL);
    struct rt *run = sim->run;
    struct motion_looks *looks = run->looks;
    int st = IMP_OK;
    *changed = false;
    run->looks = NULL;
    if (!looks || looks->at.n == 0)
        return IMP_OK;
    struct saved_state here = saved_state_take(run);
    struct persistent_memory *memory = persistent_remember(run);
    for (size_t i = 0; i < looks->at.n && !st && !sim->stopped; i++) {
        struct saved_state *at = &looks->at.v[i];
        at->trace = here.trace; /* what is kept of the motion stays */
        saved_state_restore(run, at);
        motion_look_settled(run);
        sim->rows.fresh = false;
        st = run->im->systems.n ? simulate_systems_at(sim, rt_time(run))
                                : IMP_OK;
        if (!st && !sim->local)
            st = simulate_check_penetration(sim);
        if (!st && !sim->stopped && !(st = asked_row(sim, changed)) && *changed)
            return IMP_OK;
    }
    if (st || sim->stopped)
        return st;
    saved_state_restore(run, &here);
    persistent_recall(run, memory);
    sim->rows.fresh = false;
    return IMP_OK;
}

int
simulate_rows_now(struct simulation *sim)
{
    assert(sim != NULL);
    struct recorded_rows *rows = &sim->rows;
    size_t last = SIZE_MAX;
    bool changed;
    int st = IMP_OK;
    while (!st && !sim->stopped && rows->next != last &&
           rows->next < rows->times.n &&
           rows->times.v[rows->next] <= rt_time(sim->run)) {
        last = rows->next;
        st = sim->run->im->systems.n
                 ? simulate_systems_at(sim, rt_time(sim->run))
                 : local_all(sim->local);
        if (!st)
            st = asked_row(sim, &changed);
    }
    return st;
}

void
simulate_vertex_flights_start(struct simulation *sim)
{
    if (sim->run->table)
        return; /* which knows all contacts from the start on */
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        if (sim->contacts[contact].through || sim->contacts[contact].overlap)
            return;
    sim->planes = vertex_planes_new(sim->run);
}

static int
bounce(struct simulation *sim, const struct vertex_plane_touch *touch)
{
    int st = simulate_row(sim);
    if (st)
        return st;
    vertex_planes_impact(sim->planes, touch);
    sim->rows.fresh = false;
    simulate_log_event(sim, touch->contact, "impact",
                       touch_class_name[CLASS_MINUS], touch->impulse);
    simulate_watch(sim, touch->contact, WATCH_LEAVE);
    sim->watch[touch->contact] = WATCH_LEAVE;
    if ((st = simulate_row(sim)) ||
        (st = simulate_count_impact(sim, touch->contact)))
        return st;
    double e = sim->run->env[rt_contact(sim->run, touch->contact)->env_contact +
                             IMP_CONTACT_E];
    uint32_t lost;
    bool caught = sim->options.capture > 0.0;
    if (e > 0.0 && !caught)
        return simulate_accumulation(sim, touch->contact);
    simulate_captures(sim, caught);
    st = simulate_persistent_settle(sim, &touch->contact, 1, &lost);
    sim->captures.now = false;
    return st;
}

int
simulate_vertex_flights(struct simulation *sim, double until, double limit)
{
    assert(sim != NULL && sim->planes != NULL);
    struct rt *run = sim->run;
    while ((double)sim->log.total <= limit && rt_time(run) < until &&
           !persistent_any(run) && !simulate_looks_before(sim, until)) {
        simulate_pairs_look(sim);
        rt_brief_end(run);
        /* Motion up to a limit may have changed what is watched. */
        for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
            sim->watch[contact] = sim->contacts[contact].watch;
        struct vertex_plane_touch touch;
        enum vertex_plane_end end;
        struct motion_looks looks;
        bool changed;
        double before = rt_time(run);
        simulate_rows_look(sim, &looks);
        int st =
            vertex_planes_next(sim->planes, sim->watch, until, &end, &touch);
        if (rt_time(run) > before) {
            sim->rows.fresh = false;
            resting_polytopes_leave_faces(sim);
        }
        int looked = simulate_rows_looked(sim, &changed);
        if (st || (st = looked) || sim->stopped || changed)
            return st;
        if (end != VERTEX_PLANE_TOUCH)
            break;
        if ((st = bounce(sim, &touch)))
            return st;
    }
    return IMP_OK;
}

/* -- discs and spheres ---------------------------------------------------- */

/* The number of contacts from which local events of other shapes than balls
 * pay: the search over all pairs follows fewer in milliseconds. */
#define LOCAL_CONTACTS 32

/* Is the state of all bodies read at no event, but where limits are asked for
 * or bodies come to rest, and at the times of rows? */
static bool
reads_few(const struct simulation *sim)
{
    const struct rt *run = sim->run;
    bool rows = sim->rows.n_items && sim->options.keep == 1 && !sim->rows.only;
    return !rows && !sim->along && !sim->trace && !sim->pairs && !run->trace &&
           !run->forks && !run->im->systems.n && motion_touches_two(run);
}

void
simulate_ball_flights_start(struct simulation *sim)
{
    assert(sim != NULL && sim->balls == NULL);
    struct rt *run = sim->run;
    bool fast = !sim->options.all && !run->im->systems.n &&
                (run->table || sim->n_contacts > 0);
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        fast &=
            !sim->contacts[contact].through && !sim->contacts[contact].overlap;
    sim->balls = fast ? balls_new(run, false, NULL) : NULL;
    if (sim->local && !sim->balls && !sim->planes && reads_few(sim))
        local_leaves_behind(sim->local);
}

/* E0756: the search over all pairs is asked for, or needed, and the pairs are
 * not there. */
static int
too_many_pairs(struct simulation *sim)
{
    struct rt *run = sim->run;
    uint32_t rule = 0;
    while (!(rt_contact(run, rule)->flags & IMP_CONTACTF_RULE))
        rule++;
    const char *why = sim->options.all ? "`search = all` asks all pairs"
                      : run->forks     ? "`paradox = branch` follows a tree of "
                                         "motions"
                                       : "their friction is a formula with "
                                         "branches";
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0756, rt_contact(run, rule)->range,
        "these contacts are of too many pairs to keep, and are made as "
        "bodies come near, but %s",
        why);
    diag_note(sim->analysis->ds, diag, sim->command->range,
              "the run is asked for here");
    diag_help(sim->analysis->ds, diag, "%s",
              sim->options.all || run->forks
                  ? "leave that out, or use fewer bodies"
                  : "use fewer bodies, or friction without `if`, `abs`, `max` "
                    "and the like");
    return IMP_FAILED;
}

int
simulate_local_start(struct simulation *sim)
{
    assert(sim != NULL && sim->local == NULL);
    struct rt *run = sim->run;
    if (!run->table && (sim->options.all || sim->n_contacts < LOCAL_CONTACTS))
        return IMP_OK;
    bool cannot = sim->options.all || (run->table && run->forks);
    sim->local =
        cannot ? NULL : local_new(run, sim->options.until, sim->captures.reach);
    /* Over planes the fast way of polytopes asks all vertices at each event,
     * which pays where bodies fall on planes again and again. */
    if (sim->local && vec3_norm(run->world.gravity) == 0.0)
        sim->planes = NULL;
    if (!run->table)
        return IMP_OK;
    if (!sim->local)
        return too_many_pairs(sim);
    int st = local_begin(sim->local);
    simulate_contacts_made(sim);
    return st;
}

/* A trace keeps the energies at one of so many impacts per body: a sum over all
 * bodies must not be paid at each. */
#define ENERGY_SHARE 8

/* A row of the present instant. All states are needed if something is recorded
 * at it, or if a trace looks at it. */
static int
ball_row(struct simulation *sim, bool looks)
{
    sim->behind =
        !looks && !sim->along &&
        !(sim->rows.n_items && sim->options.keep == 1 && !sim->rows.only);
    if (!sim->behind)
        balls_put(sim->balls, rt_time(sim->run));
    int st = simulate_row(sim);
    sim->behind = false;
    return st;
}

/* Does the trace look at the energies before and after this impact? */
static bool
looks_at_energies(struct simulation *sim)
{
    if (!sim->trace ||
        ++sim->unseen * ENERGY_SHARE < (size_t)sim->run->im->bodies.n)
        return false;
    sim->unseen = 0;
    return true;
}

/* Bounces of a ball on what is fixed under it may come to a limit. *taken: they
 * did, and the state has changed. */
static int
ball_limit(struct simulation *sim, uint32_t contact, bool *taken)
{
    struct rt *run = sim->run;
    double now = rt_time(run);
    *taken = false;
    bool looks = simulate_accumulation_looks(sim, contact);
    size_t mark = run->trace ? trace_mark(run->trace) : 0;
    if (looks) {
        balls_put(sim->balls, now);
        balls_trace(sim->balls, now);
    }
    int st = simulate_accumulation(sim, contact);
    *taken = rt_time(run) != now || persistent_any(run) ||
             sim->contacts[contact].flights.impacts == 0;
    if (looks && !*taken)
        balls_trace_back(sim->balls, mark);
    return st;
}

/* Are the balls captured (option `capture`)? The general search does that. */
static bool
ball_caught(const struct simulation *sim, const struct balls_touch *touch)
{
    return sim->options.capture > 0.0 &&
           fabs(touch->rate) * contact_restitution_of(sim->run, touch->contact,
                                                      -touch->rate) <=
               sim->options.capture;
}

static int
ball_bounce(struct simulation *sim, const struct balls_touch *touch,
            bool *taken)
{
    struct rt *run = sim->run;
    const imp_contact *contact = rt_contact(run, touch->contact);
    double *env = run->env + contact->env_contact, work, e = env[IMP_CONTACT_E],
           mu = env[IMP_CONTACT_MU_IMPACT];
    *taken = false;
    run->env[run->im->layout.time] = touch->time;
    sim->rows.fresh = false;
    bool looks = looks_at_energies(sim);
    int st = ball_row(sim, looks);
    if (st ||
        (st = contact_restitution_at(run, touch->contact, -touch->rate, &e)))
        return st;
    double impulse = balls_bounce(sim->balls, touch, e, mu, &work);
    env[IMP_CONTACT_WORK] += work;
    sim->rows.fresh = false;
    if (sim->trace) {
        double place[3];
        balls_place(sim->balls, touch, place);
        run_log_point(sim->trace, touch->contact, place, touch->normal,
                      impulse);
    }
    simulate_log_pair(sim, touch->contact, touch->body, "impact",
                      touch_class_name[CLASS_MINUS], impulse);
    bool rests = touch->fixed && vec3_norm(run->world.gravity) > 0.0;
    uint32_t own = touch->contact;
    if (run->table) {
        /* only what may come to a limit has a history, and needs a contact */
        if (!rests)
            return ball_row(sim, looks);
        own = local_contact(sim->local, touch->body[0], touch->body[1]);
        simulate_contacts_made(sim);
        if (own == NO_CONTACT)
            return ball_row(sim, looks);
    }
    simulate_watch(sim, own, WATCH_LEAVE);
    if ((st = ball_row(sim, looks)) || (st = simulate_count_impact(sim, own)))
        return st;
    return rests ? ball_limit(sim, own, taken) : IMP_OK;
}

/* The rows that were asked for before the time `to`. */
static int
ball_rows(struct simulation *sim, double to)
{
    struct rt *run = sim->run;
    struct motion_looks looks;
    double time, now = rt_time(run);
    bool changed;
    simulate_rows_look(sim, &looks);
    while (looks_next(run, to, &time)) {
        balls_look(sim->balls, time);
        looks_keep(run);
    }
    run->env[run->im->layout.time] = now;
    return simulate_rows_looked(sim, &changed);
}

int
simulate_ball_flights(struct simulation *sim, double until, double limit)
{
    assert(sim != NULL && sim->balls != NULL);
    struct rt *run = sim->run;
    double now = rt_time(run);
    bool general = false;
    if (persistent_any(run) || !balls_begin(sim->balls))
        return rt_stopped(run) ? IMP_STOPPED : IMP_OK;
    while ((double)sim->log.total <= limit) {
        struct balls_touch touch;
        bool taken;
        enum balls_end end = balls_next(sim->balls, until, &touch, &now);
        int st = ball_rows(sim, end == BALLS_TOUCH     ? touch.time
                                : end == BALLS_GENERAL ? now
                                                       : until);
        if (st || sim->stopped)
            return st;
        if (end != BALLS_TOUCH) {
            general = end == BALLS_GENERAL;
            if (!general)
                now = until;
            if (now > rt_time(run))
                sim->rows.fresh = false;
            break;
        }
        if (ball_caught(sim, &touch)) {
            general = true;
            now = touch.time;
            sim->rows.fresh = false;
            break;
        }
        st = ball_bounce(sim, &touch, &taken);
        if (st || taken)
            return st;
        rt_brief_end(run);
        now = touch.time;
        simulate_progress(sim, now);
        if (rt_stopped(run)) {
            balls_put(sim->balls, now);
            return IMP_STOPPED;
        }
        if (simulate_looks_before(sim, until))
            break;
    }
    balls_put(sim->balls, now);
    if (!general)
        return IMP_OK;
    balls_trace(sim->balls, now);
    return rt_stopped(run) ? IMP_STOPPED : IMP_OK;
}
