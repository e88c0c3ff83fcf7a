/* SPDX-License-Identifier: MIT */
/* The verdict on a touch of polytopes in `simulate`: from the normal velocities
 * of all contact points and, where none approaches, from the series of the gap.
 * Where the normal is not unique the bodies approach if they do under one of
 * the choices at least; the run stops there (impacts.c). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/features/rounded_corner.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

/* Normal velocities up to this share of the speeds count as zero, as in
 * analysis/impact. */
#define CORNER_RESTS 1e-9
/* Of corners on corners, whose places and normals are right to some 1e-13, an
 * acceleration below so many times its rounding is none. */
#define CORNERS_PRESSED 2e3

static void
by_rate(double lo, double tol, struct verdict *verdict)
{
    verdict->v = lo;
    verdict->v_tol = tol;
    verdict->class = lo < -tol  ? CLASS_MINUS
                     : lo > tol ? CLASS_SEPARATING
                                : CLASS_00;
}

/* Raises *speed to the speed that the accelerations reach from rest over the
 * size of the bodies, also the weight, which what lies below holds up. Far
 * slower velocities are rounding, and the flights that they begin stay within
 * the tolerance of the gap. */
static int
floor_of(struct simulation *sim, uint32_t contact, double *speed)
{
    struct rt *run = sim->run;
    double h, jet[3];
    int st;
    if ((st = motion_series_two(run, rt_contact(run, contact)->body, 2, &h)) ||
        (st = contact_gap_series(run, contact, 2, jet)))
        return st == IMP_NONFINITE ? IMP_OK : st;
    double acceleration = fmax(2.0 * fabs(jet[2]), gap_weight(run, contact));
    *speed = fmax(*speed, sqrt(acceleration * gap_length(run, contact)));
    return IMP_OK;
}

/* Reads the series of the gap dt after now. The state is not changed. */
static int
see(struct simulation *sim, uint32_t contact, double dt,
    enum event_ahead *ahead, double *second)
{
    struct analysis *analysis = sim->analysis;
    struct rt *run = analysis->rt;
    struct saved_start start = saved_start_take(run, contact);
    struct saved_state here = {NULL, 0, 0};
    if (dt > 0.0)
        here = saved_state_take(run);
    struct closest_points closest;
    double h, jet[3];
    int st = dt > 0.0 ? motion_to(run, rt_time(run) + dt) : IMP_OK;
    /* the features that touch there must be known first */
    if (!st && !(st = closest_points_find(run, contact, &closest, false)))
        st =
            event_ahead(run, contact, sim->options.until - rt_time(run), ahead);
    if (!st &&
        !(st = motion_series_two(run, rt_contact(run, contact)->body, 2, &h)) &&
        !(st = contact_gap_series(run, contact, 2, jet)))
        *second = 2.0 * jet[2];
    if (dt > 0.0)
        saved_state_restore(run, &here);
    else
        saved_start_restore(run, &start);
    return st;
}

/* The series of one feature may end before it tells anything, as where faces
 * touch and a moment turns the bodies. Then the accelerations of all the points
 * that are closed tell whether the bodies are pressed together. */
static int
by_points(struct simulation *sim, uint32_t contact, struct verdict *verdict,
          bool *rests)
{
    struct rt *run = sim->run;
    double gap, rate;
    int room = contact_set_room(run, contact);
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)room);
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)room + 1);
    gap_tolerances(run, contact, &gap, &rate);
    int n = contact_set_points(run, contact, gap, spot, room);
    int st = n > 0 ? contact_point_states(run, spot, n, state, NULL) : IMP_OK;
    double least = 0.0;
    for (int i = 0; i < n && !st; i++)
        least = fmin(least, state[i].free);
    if (!st && -least > mode_still_acceleration(run, contact)) {
        verdict->D = least;
        verdict->class = CLASS_0_MINUS;
        *rests = false;
    }
    return st;
}

/* Where features change at the touch itself its series may end at once. Then
 * the series of the features that come next decides. */
static int
by_series(struct simulation *sim, uint32_t contact, struct verdict *verdict,
          bool *rests)
{
    enum event_ahead ahead;
    double speed, dt = touch_time_aside(sim->analysis, contact, &speed);
    int st = see(sim, contact, 0.0, &ahead, &verdict->D);
    /* Other features may take over before the gap has sunk below its band, of
     * which these do not rise: an acceleration that closes it decides. */
    if (!st && ahead == AHEAD_RESTS &&
        verdict->D <
            -CORNERS_PRESSED * mode_still_acceleration(sim->run, contact))
        ahead = AHEAD_FALLS;
    if (!st && ahead == AHEAD_RESTS && dt > 0.0 &&
        rt_time(sim->run) + dt < sim->options.until)
        st = see(sim, contact, dt, &ahead, &verdict->D);
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    *rests = ahead == AHEAD_RESTS;
    verdict->class = ahead == AHEAD_DRIFTS  ? CLASS_MINUS
                     : ahead == AHEAD_RISES ? CLASS_0_PLUS
                                            : CLASS_0_MINUS;
    return *rests ? by_points(sim, contact, verdict, rests) : IMP_OK;
}

/* The normal is not unique: the bodies approach if they do under one choice. */
static int
by_choice(struct simulation *sim, uint32_t contact,
          const struct impact_of_run *problem, struct verdict *verdict,
          bool *rests)
{
    struct normal_choices choices;
    int st =
        normal_choices_read(sim->analysis, contact, problem->choice, &choices);
    if (st)
        return command_failed(sim->analysis, st,
                              rt_contact(sim->run, contact)->range,
                              "the series along the normals of a corner");
    verdict->open = true;
    if (problem->choice->passes)
        choices.closing = choices.pressed = 0;
    verdict->class = choices.closing   ? CLASS_MINUS
                     : choices.pressed ? CLASS_0_MINUS
                     : choices.apart   ? CLASS_SEPARATING
                                       : CLASS_00;
    *rests = verdict->class == CLASS_00;
    return IMP_OK;
}

/* Rounded corners that rest on each other have the normal with which their
 * acceleration brings them together, where they are pressed. */
static int
rest_on_corner(struct simulation *sim, uint32_t contact,
               struct impact_of_run *problem)
{
    struct rt *run = sim->run;
    struct normal_choices choices;
    double gap, rate;
    if (run->corners != CORNERS_ROUNDED || problem->choice->passes)
        return IMP_OK;
    int st =
        normal_choices_read(sim->analysis, contact, problem->choice, &choices);
    if (st || choices.closing || !choices.pressed)
        return st == IMP_NONFINITE ? IMP_OK : st;
    gap_tolerances(run, contact, &gap, &rate);
    polytope_corners_press(run, contact, gap);
    return impact_read(sim->analysis, &contact, 1, problem);
}

int
polytope_stop_open_normal(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct impact_of_run problem;
    char time[NUM_TEXT];
    int st = impact_read(sim->analysis, &contact, 1, &problem);
    if (st)
        return st;
    impact_report_open_normal(sim->analysis, &problem, DIAG_W0724,
                              sim->command->range);
    simulate_log_event(sim, contact, "stop", touch_class_name[CLASS_0_MINUS],
                       0.0);
    sim->stopped = true;
    simulate_remark(
        sim, arena_printf(
                 sim->run->arena,
                 "stopped at t = %s s: the normal of `%s` is "
                 "set-valued",
                 rt_told(time, rt_time(sim->run), 9),
                 imp_text(sim->run->im, rt_contact(sim->run, contact)->name)));
    return IMP_OK;
}

/* Corners on corners whose normal is settled, without a rate along it: they
 * part where they slip; else the acceleration along it decides. *rests:
 * neither. */
static int
by_corners(struct simulation *sim, uint32_t contact,
           const struct contact_point *spot, struct verdict *verdict,
           bool *rests)
{
    struct rt *run = sim->run;
    struct contact_point_state state;
    double slip[3], gap, rate;
    int st = contact_point_states(run, spot, 1, &state, NULL);
    if (!st)
        st = contact_set_series(run, contact);
    if (st)
        return st;
    if (spot->kind != POINT_CORNERS ||
        !contact_set_corners_slip(run, spot, 1, slip))
        slip[1] = 0.0;
    verdict->D = state.free;
    double none =
        fmax(verdict->v_tol, mode_still_rate(run, contact, state.free));
    double least = CORNERS_PRESSED * mode_still_acceleration(run, contact);
    gap_tolerances(run, contact, &gap, &rate);
    bool slips = fabs(slip[1]) > none;
    if (!slips && verdict->D < -least)
        verdict->class = CLASS_0_MINUS;
    else if (verdict->v < -rate) /* they drift together */
        verdict->class = CLASS_MINUS;
    else
        verdict->class = slips                ? CLASS_SEPARATING
                         : verdict->D > least ? CLASS_0_PLUS
                                              : CLASS_00;
    *rests = verdict->class == CLASS_00;
    return IMP_OK;
}

int
polytope_verdict(struct simulation *sim, uint32_t contact,
                 struct verdict *verdict, bool *rests)
{
    assert(sim != NULL && verdict != NULL && rests != NULL);
    struct impact_of_run problem;
    struct impact_solver *solver;
    int st = impact_read(sim->analysis, &contact, 1, &problem);
    memset(verdict, 0, sizeof *verdict);
    verdict->class = CLASS_00;
    verdict->jerk_zero = true;
    if (st)
        return st;
    if (problem.open != IMP_WORLD)
        st = rest_on_corner(sim, contact, &problem);
    if (st)
        return st;
    if (problem.open != IMP_WORLD)
        return by_choice(sim, contact, &problem, verdict, rests);
    if ((st = impact_prepare(sim->analysis, &problem, &solver)))
        return st;
    double lo = INFINITY;
    for (int i = 0; i < solver->nc; i++)
        lo = fmin(lo, solver->approach.v0[i]);
    double speed = solver->approach.speed;
    if ((st = floor_of(sim, contact, &speed)))
        return st;
    struct gap_tolerance tolerance;
    gap_tolerance_get(sim->run, contact, &tolerance);
    by_rate(lo, fmax(CORNER_RESTS * speed, GAP_FALL_FOUND * tolerance.fall),
            verdict);
    if (verdict->class != CLASS_00)
        return IMP_OK;
    struct contact_point *spot =
        NEW_N(sim->run->brief, struct contact_point,
              (size_t)contact_set_room(sim->run, contact));
    return polytope_corners_touch(sim->run, contact, tolerance.gap) &&
                   contact_set_points(sim->run, contact, tolerance.gap, spot,
                                      contact_set_room(sim->run, contact)) == 1
               ? by_corners(sim, contact, spot, verdict, rests)
               : by_series(sim, contact, verdict, rests);
}

int
polytope_approaches(struct simulation *sim, uint32_t contact, bool *closing)
{
    assert(sim != NULL && contact < sim->n_contacts && closing != NULL);
    struct verdict verdict;
    bool rests;
    int st = polytope_verdict(sim, contact, &verdict, &rests);
    *closing = verdict.class == CLASS_MINUS && verdict.open;
    return st;
}

void
polytope_keep_corners(struct rt *run, const uint32_t *contact, uint32_t n)
{
    assert(run != NULL && (n == 0 || contact != NULL));
    double gap, rate;
    for (uint32_t i = 0; i < n; i++)
        if (rt_contact(run, contact[i])->flags & IMP_CONTACTF_CORNERS) {
            gap_tolerances(run, contact[i], &gap, &rate);
            polytope_corners_keep(run, contact[i], gap);
        }
}
