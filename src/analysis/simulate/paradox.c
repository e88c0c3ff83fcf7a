/* SPDX-License-Identifier: MIT */
/* What is told of bodies where Coulomb's law leaves their motion open: several
 * motions obey it, or none does, a slip jams, or forces are not unique. And
 * contacts that yield: a compliance tells then what happens. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/choice/choice.h"
#include "runtime/friction/paradox.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/instance/system.h"
#include "runtime/modes/friction_modes.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/rubbing/rubbing.h"

/* Of so many points and more those alone are told that differ, and as many. */
#define POINTS_TOLD 12

/* one line per point of each motion */
static void
list_sets(struct simulation *sim, struct diag *diag,
          const struct friction_choice *choice,
          const struct contact_point *spot, int n)
{
    char normal[NUM_TEXT], along[NUM_TEXT], opens[NUM_TEXT], slips[NUM_TEXT];
    int told = 0;
    for (int k = 0; k < choice->n; k++, told = 0) {
        const struct friction_set *set = &choice->set[k];
        for (int i = 0; i < n && told < POINTS_TOLD; i++) {
            if (n > POINTS_TOLD && friction_choice_alike(choice, i))
                continue;
            told++;
            diag_note(sim->analysis->ds, diag,
                      rt_contact(sim->run, spot[i].contact)->range,
                      "motion %d: `%s` %s, normal force %s N, friction %s N, "
                      "accelerations of gap and slip %s and %s m/s^2",
                      k + 1, simulate_contact_name(sim, spot[i].contact),
                      contact_mode_name(set->mode[i]),
                      num_digits(normal, set->normal[i], 6),
                      num_digits(along, set->tangential[i], 6),
                      num_digits(opens, set->acc[2 * i], 6),
                      num_digits(slips, set->acc[2 * i + 1], 6));
        }
        if (told < n)
            diag_note(sim->analysis->ds, diag,
                      rt_contact(sim->run, spot[0].contact)->range,
                      "motion %d: %d of %d points are left out here, first "
                      "those that all motions hold alike",
                      k + 1, n - told, n);
    }
}

/* `loads = report`: one line per point of the bounds of its forces. */
static void
list_ranges(struct simulation *sim, struct diag *diag,
            const struct friction_range *range,
            const struct contact_point *spot, int n)
{
    struct arena *arena = sim->run->brief;
    for (int i = 0; i < n && range; i++)
        diag_note(sim->analysis->ds, diag,
                  rt_contact(sim->run, spot[i].contact)->range,
                  "`%s` may bear a normal force of %s and friction of %s; "
                  "acceleration of its slip: %s",
                  simulate_contact_name(sim, spot[i].contact),
                  choice_range_text(arena, range[i].normal, " N"),
                  choice_range_text(arena, range[i].tangential, " N"),
                  choice_range_text(arena, range[i].slip, " m/s^2"));
}

void
simulate_paradox_policy(struct simulation *sim, uint32_t contact,
                        const struct friction_modes *modes)
{
    assert(sim != NULL && modes != NULL);
    char t[NUM_TEXT];
    if (sim->log.remarks.n >= SIMULATE_REMARKS) {
        sim->log.left_out++;
        return;
    }
    simulate_remark(
        sim, arena_printf(sim->run->brief,
                          "t = %s s: friction leaves the motion at `%s` open "
                          "(%s), and %s%s chooses",
                          rt_told(t, rt_time(sim->run), 9),
                          simulate_contact_name(sim, contact),
                          friction_verdict_cause(modes->choice.verdict),
                          modes->stays ? "" : "paradox = ",
                          modes->stays ? "capture"
                                       : paradox_word(sim->run->paradox)));
}

/* Does the run branch now? Then others go on, and nothing is to be told. */
static bool
branches(const struct simulation *sim)
{
    return sim->run->forks && sim->run->forks->ways > 0;
}

/* The coefficients of one point, its cell and its margin. */
static void
note_coefficients(struct simulation *sim, struct diag *diag, uint32_t contact,
                  const struct painleve_verdict *found)
{
    char tangential[NUM_TEXT], normal[NUM_TEXT], plus[NUM_TEXT],
        minus[NUM_TEXT], margin[NUM_TEXT];
    diag_note(
        sim->analysis->ds, diag, rt_contact(sim->run, contact)->range,
        "a = %s m/s^2, b = %s m/s^2, p+ = %s 1/kg, p- = %s 1/kg%s%s; "
        "margin %s",
        num_digits(tangential, found->a, 6), num_digits(normal, found->b, 6),
        num_digits(plus, found->p_plus, 6),
        num_digits(minus, found->p_minus, 6), *found->cell ? ", cell " : "",
        found->cell, num_digits(margin, found->margin, 3));
}

/* The first of n points whose contact has a compliance; else the first. */
static uint32_t
yielding_of(const struct simulation *sim, const struct contact_point *spot,
            int n)
{
    for (int i = 0; i < n; i++)
        if (rt_contact(sim->run, spot[i].contact)->compliance != IMP_NO_TAPE)
            return spot[i].contact;
    return spot[0].contact;
}

int
simulate_paradox_undecided(struct simulation *sim,
                           const struct contact_point *spot, int n,
                           const struct friction_modes *modes)
{
    assert(sim != NULL && spot != NULL && n > 0 && modes != NULL);
    char t[NUM_TEXT];
    const struct friction_choice *choice = &modes->choice;
    const char *verdict = friction_verdict_name(choice->verdict);
    rt_told(t, rt_time(sim->run), 9);
    simulate_log_event(sim, spot[0].contact, "undecided", verdict, 0.0);
    simulate_remark(sim,
                    arena_printf(sim->run->arena, "stopped at t = %s s: %s", t,
                                 friction_verdict_cause(choice->verdict)));
    sim->stopped = true;
    if (branches(sim))
        return IMP_OK;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_W0727,
        rt_contact(sim->run, spot[0].contact)->range,
        "the motion of the bodies of `%s` is %s at t = %s s: the run stops",
        simulate_contact_name(sim, spot[0].contact), verdict, t);
    diag_label(sim->analysis->ds, diag, "%s",
               friction_verdict_cause(choice->verdict));
    if (n == 1)
        note_coefficients(sim, diag, spot[0].contact, &modes->found[0]);
    list_sets(sim, diag, choice, spot, n);
    list_ranges(sim, diag, modes->range, spot, n);
    if (modes->jump >= 0)
        diag_note(sim->analysis->ds, diag,
                  rt_contact(sim->run, spot[modes->jump].contact)->range,
                  "an impact without collision at `%s` is possible",
                  simulate_contact_name(sim, spot[modes->jump].contact));
    if (choice->verdict == FRICTION_LOADS)
        diag_help(sim->analysis->ds, diag,
                  "rigid points do not say how they share loads: leave out a "
                  "contact, or take the forces of least norm: world { loads = "
                  "least_norm }");
    else
        diag_help(
            sim->analysis->ds, diag,
            "Coulomb friction at rigid bodies has such states (Painleve): "
            "use less friction, an `until` before that time, or %s%s",
            simulate_paradox_choices(
                sim->run, yielding_of(sim, spot, n),
                paradox_policies(choice, n, modes->jump >= 0)),
            simulate_steps_remedy(sim));
    return IMP_OK;
}

void
simulate_paradox_choice(struct simulation *sim, uint32_t contact,
                        const struct friction_choice *choice)
{
    assert(sim != NULL && choice != NULL);
    char t[NUM_TEXT];
    const char *name = simulate_contact_name(sim, contact);
    rt_told(t, rt_time(sim->run), 9);
    if (choice->verdict == FRICTION_LOADS && !sim->reported.loads) {
        sim->reported.loads = true;
        simulate_remark(
            sim, arena_printf(
                     sim->run->brief,
                     "t = %s s: accelerations at `%s` and what it "
                     "touches depend on how the points share the "
                     "loads, %s; the forces of least norm are taken",
                     t, name,
                     choice_spread_text(sim->run->brief, choice, 3, " m/s^2")));
    }
    if (choice->verdict == FRICTION_NOT_SHOWN && !sim->reported.not_shown) {
        sim->reported.not_shown = true;
        simulate_remark(
            sim,
            arena_printf(sim->run->brief,
                         "t = %s s: the points at `%s` and what it touches "
                         "have more than %ld choices of modes; a motion that "
                         "obeys Coulomb's law was found, and was not shown to "
                         "be the only one",
                         t, name, FRICTION_CHOICES_TRIED));
    }
}

void
simulate_paradox_ranges(struct simulation *sim,
                        const struct contact_point *spot, int n,
                        const struct friction_range *range)
{
    assert(sim != NULL && spot != NULL);
    struct arena *arena = sim->run->brief;
    char t[NUM_TEXT];
    const char *list = "";
    if (!range || sim->reported.shared_forces)
        return;
    sim->reported.shared_forces = true;
    for (int i = 0; i < n; i++)
        list = arena_printf(
            arena, "%s%s%s: normal force %s, friction %s", list, i ? "; " : "",
            simulate_contact_name(sim, spot[i].contact),
            choice_range_text(arena, range[i].normal, " N"),
            choice_range_text(arena, range[i].tangential, " N"));
    simulate_remark(sim, arena_printf(arena,
                                      "t = %s s: the motion is one, the loads "
                                      "are not: %s",
                                      rt_told(t, rt_time(sim->run), 9), list));
}

void
simulate_paradox_jam(struct simulation *sim, const struct friction_jam *jam,
                     bool stops)
{
    assert(sim != NULL && jam != NULL);
    char t[NUM_TEXT], slip[NUM_TEXT];
    struct arena *arena = sim->run->arena;
    uint32_t contact = jam->spot.contact;
    const char *force = painleve_jam_force(arena, jam->exponent, NAN);
    const char *text = arena_printf(
        arena,
        "`%s` jams at t = %s s: %s, the normal force %s, and "
        "the slip is %s m/s; %san impact without collision, or a jump into "
        "stick may follow",
        simulate_contact_name(sim, contact), rt_told(t, rt_time(sim->run), 9),
        jam->beside ? "with the contacts beside it p comes to 0 in slip, or a "
                      "surface is flat there"
                    : "p comes to 0 in slip",
        force, num_digits(slip, jam->slip, 9), jam->opens ? "lift-off, " : "");
    simulate_log_event(sim, contact, "jam", "", 0.0);
    simulate_verdict(sim, contact, &jam->found);
    simulate_remark(
        sim, arena_printf(arena, "%s%s", text, stops ? ": the run stops" : ""));
    if (!stops)
        return;
    sim->stopped = true;
    if (branches(sim))
        return;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0727,
                 rt_contact(sim->run, contact)->range, "%s", text);
    diag_help(sim->analysis->ds, diag,
              "use less friction, an `until` before that time, or %s",
              simulate_paradox_choices(
                  sim->run, contact,
                  jam->limit ? paradox_policies_after_jam(jam->opens) : 0));
}

/* -- contacts that yield -- */

static double *
softness(const struct simulation *sim, uint32_t contact)
{
    return sim->run->env + rt_contact(sim->run, contact)->env_contact +
           IMP_CONTACT_SOFT;
}

/* It touches: what it has done before is forgotten. */
static void
forget(const struct simulation *sim, uint32_t contact)
{
    double *env = sim->run->env + rt_contact(sim->run, contact)->env_contact;
    env[IMP_CONTACT_PUSHED] = env[IMP_CONTACT_COMPRESSED] = 0.0;
}

/* E0563: joints with friction choose their modes with rigid contacts. */
static int
beside_rough_joints(struct simulation *sim, uint32_t contact)
{
    const imp_contact *of = rt_contact(sim->run, contact);
    if (of->system != IMP_NO_SYSTEM || !(rubbing_moves(sim->run, of->body[0]) ||
                                         rubbing_moves(sim->run, of->body[1])))
        return IMP_OK;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0563, of->range_compliance,
                 "`%s` is to yield, and joints with friction hold its bodies",
                 simulate_contact_name(sim, contact));
    diag_help(sim->analysis->ds, diag,
              "a contact there is rigid: leave out its `compliance`, or the "
              "friction of the joints");
    return IMP_FAILED;
}

int
simulate_yield_start(struct simulation *sim)
{
    assert(sim != NULL);
    double scale;
    for (uint32_t i = 0; i < sim->n_contacts; i++) {
        sim->contacts[i].yields = false;
        if (rt_contact(sim->run, i)->press == IMP_NO_TAPE)
            continue;
        int st = contact_compliance_start(sim->run, i, &scale);
        if (!st && sim->run->compliant)
            st = beside_rough_joints(sim, i);
        if (st)
            return st;
        *softness(sim, i) = sim->run->compliant ? CONTACT_SOFT : CONTACT_RIGID;
        forget(sim, i);
    }
    return IMP_OK;
}

double
simulate_stored(struct simulation *sim)
{
    assert(sim != NULL);
    struct rt *run = sim->run;
    double gap, rate, sum = 0.0, energy;
    bool any = false;
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        any |= rt_contact(run, i)->compliance != IMP_NO_TAPE &&
               *softness(sim, i) != CONTACT_RIGID;
    if (!any || (run->persistent && friction_modes_tell(run)))
        return 0.0;
    for (uint32_t i = 0; i < run->im->systems.n; i++)
        for (uint32_t k = 0; k < rt_system(run, i)->n_contact; k++) {
            uint32_t contact = rt_system(run, i)->contact + k;
            if (rt_contact(run, contact)->compliance != IMP_NO_TAPE &&
                *softness(sim, contact) != CONTACT_RIGID &&
                !system_gap(run, i, k, &gap, &rate, NULL) &&
                !contact_compliance_energy(run, contact, gap, &energy))
                sum += energy;
        }
    const struct persistent_set *held = run->persistent;
    for (int i = 0; held && i < held->n_row; i++) {
        const struct persistent_row *row = held->row[i];
        if (row->soft != CONTACT_RIGID &&
            !contact_compliance_energy(run, row->spot.contact, row->gap.c[0],
                                       &energy))
            sum += energy;
    }
    return sum;
}

bool
simulate_yields_open(const struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    return rt_contact(sim->run, contact)->press != IMP_NO_TAPE &&
           *softness(sim, contact) == CONTACT_SOFT;
}

bool
simulate_yields_slack(const struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    return rt_contact(sim->run, contact)->press != IMP_NO_TAPE &&
           *softness(sim, contact) == CONTACT_SLACK;
}

bool
simulate_yields(const struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    return contact_compliance_gives(sim->run, contact);
}

int
simulate_yield_refuse(struct simulation *sim, uint32_t contact,
                      const char *what)
{
    assert(sim != NULL && contact < sim->n_contacts && what != NULL);
    char t[NUM_TEXT];
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0386,
        rt_contact(sim->run, contact)->range_compliance,
        "`%s` %s at t = %s s, and a contact that yields is one of a point",
        simulate_contact_name(sim, contact), what,
        rt_told(t, rt_time(sim->run), 9));
    diag_help(sim->analysis->ds, diag,
              "leave `compliance` out, use an `until` before that time, or "
              "weld a small circle to one of both, which has this contact");
    return IMP_FAILED;
}

int
simulate_yield_soften(struct simulation *sim, const struct contact_point *spot,
                      int n)
{
    assert(sim != NULL && spot != NULL);
    for (int i = 0; i < n; i++) {
        uint32_t contact = spot[i].contact;
        if (!friction_modes_may_yield(sim->run, &spot[i]))
            continue;
        struct contact_point_state point;
        int st = beside_rough_joints(sim, contact);
        if (st ||
            (st = contact_point_states(sim->run, &spot[i], 1, &point, NULL)))
            return st;
        /* else it opens at once */
        bool presses = point.free < 0.0;
        *softness(sim, contact) = presses ? CONTACT_PRESSED : CONTACT_SLACK;
        forget(sim, contact);
        sim->contacts[contact].yields = true;
        resting_polytopes_drop(sim, contact);
        simulate_log_event(sim, contact, "compliant", "", 0.0);
        if (presses)
            simulate_log_event(sim, contact, "pressed", "", 0.0);
    }
    return IMP_OK;
}

/* The one point at which a soft contact touches. */
static int
point_pressed(struct simulation *sim, uint32_t contact,
              struct contact_point_state *out)
{
    struct rt *run = sim->run;
    int room = contact_set_room(run, contact), st;
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)room);
    double gap, tol, rate;
    if ((st = touch_gap(sim->analysis, contact, &gap, NULL)))
        return st;
    gap_tolerances(run, contact, &tol, &rate);
    int n = contact_set_points(run, contact, fmax(gap, 0.0) + tol, spot, room);
    if (n > 1)
        return simulate_yield_refuse(sim, contact, "touches at several points");
    if (n < 1)
        return simulate_yield_refuse(sim, contact,
                                     "touches where its normal is not unique");
    return contact_point_states(run, spot, 1, out, NULL);
}

/* What is let go has a rate of so many roundings: it is not at rest. */
#define BEYOND_REST 2.0

/* A contact that is pressed in goes on to this side of rest, where its law has
 * this force. */
static int
go_on(struct simulation *sim, const struct contact_point *spot,
      enum held_side side, double force)
{
    uint32_t contact = spot->contact;
    double low, rate, *soft = softness(sim, contact), was = *soft;
    gap_rounding(sim->run, contact, &low, &rate);
    rate *= BEYOND_REST;
    int st = held_points_rate(sim->run, spot, side == HELD_IN ? -rate : rate);
    if (st)
        return st;
    *soft = force > 0.0 ? CONTACT_PRESSED : CONTACT_SLACK;
    if (*soft == was)
        return IMP_OK;
    simulate_log_event(sim, contact,
                       *soft == CONTACT_SLACK ? "liftoff"
                       : side == HELD_IN      ? "pressed"
                                              : "rebound",
                       "", 0.0);
    return simulate_persistent_choose(sim, contact, NULL, 0, NULL);
}

/* The gap of a point that is pressed in has no rate: is it held there? */
static int
rest_held(struct simulation *sim, const struct contact_point *spot)
{
    enum held_side side;
    struct contact_point_state point;
    double force[2], *soft = softness(sim, spot->contact);
    int st = held_points_try(sim->run, spot, &side);
    if (st || side == HELD_NOT ||
        (st = contact_point_states(sim->run, spot, 1, &point, NULL)) ||
        !held_points_sides(sim->run, spot->contact, point.gap, force))
        return st;
    /* what passes rest with the force of its law is left alone */
    bool pushes = force[side == HELD_IN] > 0.0;
    if (side != HELD_RESTS && pushes == (*soft == CONTACT_PRESSED) &&
        (side == HELD_IN ? point.rate < 0.0 : point.rate > 0.0))
        return IMP_OK;
    if (side != HELD_RESTS)
        return go_on(sim, spot, side, force[side == HELD_IN]);
    if ((st = simulate_row(sim)) ||
        (st = held_points_rate(sim->run, spot, 0.0)))
        return st;
    *soft = CONTACT_HELD;
    simulate_log_event(sim, spot->contact, "held", "", 0.0);
    return simulate_persistent_choose(sim, spot->contact, NULL, 0, NULL);
}

int
simulate_yield_press(struct simulation *sim, uint32_t contact)
{
    assert(simulate_yields_open(sim, contact));
    struct rt *run = sim->run;
    struct contact_point_state point;
    double tol, rate;
    int st = point_pressed(sim, contact, &point);
    if (st)
        return st;
    gap_tolerances(run, contact, &tol, &rate);
    double still = fmax(MODE_STILL * point.speed,
                        mode_still_rate(run, contact, point.free));
    simulate_watch(sim, contact, WATCH_LEAVE);
    if (point.gap >= -tol && point.rate >= -still &&
        (point.rate > still || point.free > 0.0))
        return IMP_OK; /* it opens */
    *softness(sim, contact) = CONTACT_PRESSED;
    forget(sim, contact);
    sim->contacts[contact].yields = true;
    simulate_log_event(sim, contact, "pressed", "", 0.0);
    st = simulate_persistent_choose(sim, contact, &point.spot, 1, NULL);
    return st || fabs(point.rate) > still ? st : rest_held(sim, &point.spot);
}

/* CHANGE_HOLDS, CHANGE_GIVES */
static int
rest_changes(struct simulation *sim, const struct mode_change *change)
{
    const struct persistent_row *row = sim->run->persistent->row[change->which];
    struct contact_point spot = row->spot;
    double force[2], normal = row->on ? row->force.c[0] : -INFINITY;
    if (change->what == CHANGE_HOLDS)
        return rest_held(sim, &spot);
    int st = simulate_row(sim);
    if (st || !held_points_sides(sim->run, spot.contact, row->gap.c[0], force))
        return st;
    bool in = force[1] - normal < normal - force[0];
    return go_on(sim, &spot, in ? HELD_IN : HELD_BACK, force[in]);
}

void
simulate_yield_shaken(struct simulation *sim, uint32_t contact, double rate)
{
    assert(sim != NULL && contact < sim->n_contacts);
    if (rt_contact(sim->run, contact)->press == IMP_NO_TAPE ||
        *softness(sim, contact) != CONTACT_HELD)
        return;
    *softness(sim, contact) = CONTACT_PRESSED;
    simulate_log_event(sim, contact, rate < 0.0 ? "pressed" : "rebound", "",
                       0.0);
}

int
simulate_yield_change(struct simulation *sim, const struct mode_change *change)
{
    assert(sim != NULL && change != NULL);
    if (change->what == CHANGE_HOLDS || change->what == CHANGE_GIVES)
        return rest_changes(sim, change);
    uint32_t contact = change->contact;
    bool opens = change->what == CHANGE_OPENS,
         pushed = *softness(sim, contact) == CONTACT_PRESSED,
         *out = NEW_N(sim->run->brief, bool, sim->n_contacts + 1);
    int st = simulate_row(sim);
    if (st)
        return st;
    if (change->what == CHANGE_PRESSES)
        simulate_log_event(sim, contact, "pressed", "", 0.0);
    else if (pushed)
        simulate_log_event(sim, contact, "liftoff", "", 0.0);
    *softness(sim, contact) = change->what == CHANGE_PRESSES ? CONTACT_PRESSED
                              : !opens                       ? CONTACT_SLACK
                              : sim->run->compliant          ? CONTACT_SOFT
                                                             : CONTACT_RIGID;
    if (opens && !sim->run->compliant)
        simulate_log_event(sim, contact, "rigid", "", 0.0);
    out[contact] = opens;
    st = simulate_persistent_choose(sim, contact, NULL, 0, opens ? out : NULL);
    sim->contacts[contact].yields = !opens;
    if (opens) /* it does not go on as it was pressed in */
        friction_modes_forget(sim->run);
    simulate_watch(sim, contact, WATCH_LEAVE);
    return st;
}

/* -- impacts with friction ------------------------------------------------- */

/* Says once that the velocities depend on how points share the impulses. */
static void
tell_loads(struct simulation *sim, uint32_t contact)
{
    struct rt *run = sim->run;
    const imp_contact *of = rt_contact(run, contact);
    char time[NUM_TEXT];
    if (sim->loads_told)
        return;
    sim->loads_told = true;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_W0733, of->range,
        "how contact points share the impact of `%s` is not determined at t = "
        "%s, and the motion depends on it",
        imp_text(run->im, of->name), rt_told(time, rt_time(run), 9));
    diag_note(sim->analysis->ds, diag, sim->command->range,
              "the run goes on with the impulses of least norm that keep the "
              "laws, here and wherever it happens again");
}

/* Says that the order of the points decided an impact with friction. */
static void
tell_tie(struct simulation *sim)
{
    char time[NUM_TEXT];
    if (sim->log.remarks.n >= SIMULATE_REMARKS) {
        sim->log.left_out++;
        return;
    }
    simulate_remark(
        sim, arena_printf(sim->run->brief,
                          "t = %s s: points that act on each other approach "
                          "alike: the order given decided (other laws take "
                          "them at once)",
                          rt_told(time, rt_time(sim->run), 9)));
}

void
simulate_tell_friction(struct simulation *sim, uint32_t contact,
                       const struct friction_group_impact *impact)
{
    assert(sim && impact && contact < sim->run->im->contacts.n);
    char energy[NUM_TEXT], time[NUM_TEXT];
    const imp_contact *of = rt_contact(sim->run, contact);
    sim->captures.alike += impact->apart > 0.0;
    sim->captures.apart = fmax(sim->captures.apart, impact->apart);
    if (impact->loads)
        tell_loads(sim, contact);
    if (impact->tie)
        tell_tie(sim);
    if (!simulate_gain_news(sim, impact->gain, sim->reported.gain))
        return;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_W0721, sim->command->range,
        "the impact of `%s` at t = %s s, with friction, raises the energy by "
        "%s J",
        imp_text(sim->run->im, of->name), rt_told(time, rt_time(sim->run), 9),
        num_digits(energy, impact->gain, 6));
    diag_note(sim->analysis->ds, diag, of->range,
              "Newton's law, Moreau's (complementarity), and poisson with "
              "restitutions that differ may do so; said again where it is "
              "far more");
}

/* -- capture: what an impact leaves more slowly than the speed u that the
 * option states comes to an end there, by the least change of the velocities,
 * which takes energy. What it closes may open other points, whose impacts part
 * the first ones again, in rounds that may shrink by 1e-4 each. -- */
#define CAPTURES_AT_ONCE 16 /* beyond, what an impact leaves stands */

/* Slips that have been ended may have turned points that part into points that
 * approach. Their impacts would let go what was held, and so on: such rounds
 * shrink by as little as 1e-5 each. So they are pushed apart here. */
bool
simulate_capture_apart(struct simulation *sim, const struct contact_point *spot,
                       int n)
{
    assert(sim && spot && n >= 0);
    struct motion_totals before, after;
    if (n == 0 || !sim->captures.ended ||
        sim->captures.rounds >= CAPTURES_AT_ONCE)
        return false;
    sim->captures.ended = false;
    if (motion_totals(sim->run, &before) ||
        !friction_modes_apart(sim->run, spot, n, sim->options.capture) ||
        motion_totals(sim->run, &after))
        return false;
    sim->captures.energy += before.kinetic - after.kinetic;
    sim->captures.rounds++;
    return true;
}

/* Have all bodies of a group whose points have friction come so far that none
 * of them is faster than u? Then they rest. */
static bool
rest(struct simulation *sim, const struct contact_point *spot, int n)
{
    for (int i = 0; i < n; i++)
        if (!friction_modes_contact(sim->run, spot[i].contact))
            return false;
    return persistent_rest(sim->run, spot, n, sim->options.capture);
}

int
simulate_capture_slips(struct simulation *sim, const struct contact_point *spot,
                       int n, struct friction_modes *modes)
{
    assert(sim != NULL && spot != NULL && n > 0 && modes != NULL);
    struct rt *run = sim->run;
    struct motion_totals before, after;
    if (!(sim->options.capture > 0.0))
        return friction_modes_select(run, spot, n, modes);
    for (int i = 0; i < n; i++)
        friction_modes_doubt(run, spot[i].contact, sim->options.capture);
    modes->without_doubt = sim->captures.now;
    modes->ends_slips = true;
    int st = motion_totals(run, &before);
    bool rests = !st && sim->captures.now && rest(sim, spot, n);
    if (st || (st = friction_modes_select(run, spot, n, modes)))
        return st;
    if (modes->choice.taken < 0 && !rests && (rests = rest(sim, spot, n)) &&
        (st = friction_modes_select(run, spot, n, modes)))
        return st;
    if (!(modes->doubted || rests) || (st = motion_totals(run, &after)))
        return st;
    if (modes->choice.taken >= 0)
        sim->captures.slip = fmax(sim->captures.slip, modes->ended);
    sim->captures.n++;
    sim->captures.ended = true;
    sim->captures.energy += before.kinetic - after.kinetic;
    return IMP_OK;
}

void
simulate_captures(struct simulation *sim, bool hit)
{
    assert(sim != NULL);
    double now = rt_time(sim->run);
    sim->captures.now = hit && sim->options.capture > 0.0;
    if (!sim->captures.now)
        return;
    sim->captures.rounds =
        sim->captures.time == now ? sim->captures.rounds + 1 : 1;
    sim->captures.time = now;
    sim->captures.now = sim->captures.rounds <= CAPTURES_AT_ONCE;
}

/* `capture`: points of one group that touch, and that the impact parts more
 * slowly than that, part not at all. Their rates are taken out by the impulses
 * along their normals that change the motion least, as if they were glued for
 * this instant: that costs energy, never gives any. Rates that this changes at
 * other points are looked at again. */
int
simulate_capture(struct simulation *sim, const struct contact_point *spot,
                 int n)
{
    assert(sim != NULL && sim->options.capture > 0.0 && n >= 0);
    struct rt *run = sim->run;
    size_t size = (size_t)n + 1;
    struct contact_point_state *p =
        NEW_N(run->brief, struct contact_point_state, size);
    struct contact_point *slow = NEW_N(run->brief, struct contact_point, size);
    struct motion_totals before, after;
    int n_slow = 0, was, st = motion_totals(run, &before);
    if (st || n == 0)
        return st;
    do {
        was = n_slow;
        bool any = false;
        if ((st = contact_point_states(run, spot, n, p, NULL)))
            return st;
        n_slow = 0;
        for (int i = 0; i < n; i++) {
            if (fabs(p[i].rate) > sim->options.capture ||
                simulate_yields(sim, spot[i].contact))
                continue;
            slow[n_slow++] = spot[i];
            any |= fabs(p[i].rate) > MODE_STILL * p[i].speed;
        }
        if (!any)
            break;
        if ((st = persistent_close(run, slow, n_slow, NULL, NULL, NULL)))
            return st;
        sim->captures.n++;
    } while (n_slow > was);
    if ((st = mode_push_apart(run, spot, n, p)) ||
        (st = motion_totals(run, &after)))
        return st;
    sim->captures.energy += before.kinetic - after.kinetic;
    return IMP_OK;
}
