/* SPDX-License-Identifier: MIT */
/* Accumulation: limits of infinitely many impacts of bodies in `simulate`.
 * Where the flights at a contact shrink, the parabola that touches the motion
 * (runtime/modes/accumulation_forecast.h) is followed to the limit of its
 * impacts. When two such predictions in a row agree to rounding, the limit of
 * the parabola is accepted as the limit of the motion.
 *
 * The run then goes to the limit without these impacts. There the velocities
 * and gaps of the group are projected onto rest against each other: this is
 * what infinitely many impulses along its normals leave. The contacts that
 * carry a force from there on are chosen as after any other event. Nothing is
 * compared with an absolute speed or time. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/instance/saved_state.h"
#include "runtime/modes/limit_path.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/vec3.h"
#include "runtime/rotors/rotors.h"
#include "runtime/rubbing/rubbing.h"

/* A limit is taken after so many flights, or when a flight is so much shorter
 * than the first. Every further impact costs digits of the time of the limit:
 * the rounding error of a place over the speed. */
#define CHATTER_FLIGHTS 8
#define CHATTER_SHORTER 0.1
/* how far a prediction looks ahead, in sums of the last flights */
#define CHATTER_AHEAD 200.0
/* the most impacts between two predictions that find no limit */
#define CHATTER_PAUSE 15
/* A prediction is tried at once when a flight is this share of the one at the
 * last prediction. */
#define CHATTER_AGAIN 0.01

/* Where the last path to a limit led (limit_path.c). */
struct limit_seen {
    uint64_t mark; /* which points rest there (signature); 0: no path yet */
    double left;   /* the time that was left, s */
    double meet;   /* the time of the limit, s */
    double error;  /* of the state, from this path and the one before */
    double *x;     /* the state of the limit */
};
struct accumulation_work {
    struct limit_group g;
    struct limit_seen *seen; /* per contact that is hit */
    bool *beside;            /* per contact: its impacts came before limits of
                                others, of bodies that it does not touch */
    bool blocked;            /* something came before the last limit */
    struct limit_series *turns; /* per body */
};

/* The most events of the parabola that a prediction follows: one from which a
 * limit may be taken, which saves as many events of the motion, of which each
 * costs far more; and one that is only compared with the next. Where the
 * parabola is no longer the motion all that it tells is compared. */
#define CHATTER_FOLLOWED 4000
#define CHATTER_COMPARED 250
/* The same, beyond the first limit that the run may take. Near rest limits come
 * one after another, each after shorter flights; an event of the motion costs
 * some thirty times as much as one of the parabola, so a few more pay. */
#define CHATTER_BEYOND 100

/* Of more points than LIMIT_CROWD those are left out that bodies with so many
 * times their rates do not reach while the prediction is the motion: the cost
 * of a prediction grows with the cube of their number. */
#define LIMIT_CROWD 64
#define CROWD_REACH 4.0

/* The sum of the last flights; 0: they do not shrink. take: enough for a limit.
 */
static double
shrinks(const struct simulation *sim, uint32_t contact, bool *take)
{
    const struct flight_history *flights = &sim->contacts[contact].flights;
    const double *t = flights->flight;
    bool less = flights->n_known == 1 || t[0] < t[1] ||
                (flights->n_known >= 4 && t[0] + t[1] < t[2] + t[3]);
    *take = flights->n_known >= CHATTER_FLIGHTS ||
            (flights->n_known >= 2 && t[0] <= CHATTER_SHORTER * flights->first);
    if (flights->n_known < 1 || !less || !(t[0] > 0.0))
        return 0.0;
    double sum = 0.0;
    for (int i = 0; i < 4 && i < flights->n_known; i++)
        sum += t[i];
    return sum;
}

/* Goes to the time `meet` without looking at the group's contacts. *there is
 * false when another event comes first, or forces or the ground change their
 * branch on the way, as flights to come are not those that were foreseen then;
 * nothing has moved in this case. */
static int
travel(struct simulation *sim, const struct limit_group *group, double meet,
       bool *there)
{
    struct rt *run = sim->run;
    struct saved_state here = saved_state_take(sim->run);
    struct event event,
        *more = NEW_N(run->brief, struct event, sim->n_contacts + 1);
    uint32_t n_more;
    const struct switching_sides *sides =
        switching_sides_now(run, limit_group_blocks(sim, group));
    double far = fmax(meet, simulate_next_step(sim)), end = far, piece_end,
           low = 4.0 * DBL_EPSILON * meet;
    int st =
        run->im->systems.n ? simulate_systems_peek(sim, far, &end) : IMP_OK;
    *there = !st && !(rt_time(run) <
                      meet); /* the time left is below the rounding of t */
    if ((sim->accumulation->blocked = !st && end < meet - low) || st)
        return st;
    while (!st && rt_time(run) < meet) {
        struct clocks *clocks = limit_watch(sim, group);
        if ((st = simulate_persistent_peek(sim, clocks, meet, group->contact,
                                           &piece_end)))
            break;
        bool other = sim->mode_change.what != CHANGE_NONE;
        if (other && piece_end < meet) {
            /* points that are watched one by one touch so, too, and what they
             * come in the way of comes in theirs */
            bool hits = sim->mode_change.what == CHANGE_HITS,
                 *beside = sim->accumulation->beside;
            if (hits)
                beside[sim->mode_change.contact] = true;
            for (uint32_t k = 0; k < sim->n_contacts; k++)
                beside[k] |= hits && group->contact[k];
            break;
        }
        event.kind = EVENT_NONE;
        motion_stands(run, true); /* what the search for changes has made */
        if (clocks) {
            clocks_go(clocks, piece_end);
            clocks_found(clocks, &event, more, &n_more);
        } else
            st = event_next(run, sim->watch, piece_end, NULL, NULL, &event,
                            more, &n_more);
        bool none = event.kind == EVENT_NONE || event.kind == EVENT_EXCLUDED;
        if (!st && none && rt_time(run) < piece_end)
            st = motion_to(run, piece_end);
        motion_stands(run, false);
        if (st || !none) {
            for (uint32_t i = 0; i < n_more && !st; i++)
                sim->accumulation->beside[more[i].contact] = true;
            if (!st)
                sim->accumulation->beside[event.contact] = true;
            break;
        }
        if (rt_time(run) >= meet)
            *there = !st;
    }
    sim->mode_change.what = CHANGE_NONE;
    *there = *there && !switching_sides_left(run, sides);
    sim->accumulation->blocked = !st && !*there;
    if (!*there)
        saved_state_restore(sim->run, &here);
    return st;
}

/* Moves points that were hit on the way to where the limit finds them, with the
 * rates that it leaves them. */
static int
close_points(struct simulation *sim, const struct limit_group *group,
             const struct forecast_limit *limit)
{
    size_t size = (size_t)group->n + 1;
    struct contact_point *stop =
        NEW_N(sim->run->brief, struct contact_point, size);
    double *gap = NEW_N(sim->run->brief, double, 2 * size), *rate = gap + size;
    bool *slips = NEW_N(sim->run->brief, bool, size);
    int n_moved = 0;
    for (int i = 0; i < group->n; i++) {
        if (!limit->moved[i])
            continue;
        gap[n_moved] = limit->gap[i];
        rate[n_moved] = limit->rate[i];
        slips[n_moved] = group->friction && group->slid.slip[i] != 0.0;
        stop[n_moved++] = group->spot[i];
    }
    int st = group->friction ? friction_forecast_apply(sim->run, group->spot,
                                                       group->n, &group->slid)
                             : IMP_OK;
    return st ? st
              : persistent_close(sim->run, stop, n_moved, gap, rate,
                                 group->friction ? slips : NULL);
}

/* Does the limit move a point of this contact? *acted: or one on which a point
 * of this contact acts? */
static bool
moves(const struct limit_group *group, const struct forecast_limit *limit,
      uint32_t contact, bool *acted)
{
    bool moved = false;
    *acted = false;
    for (int i = 0; i < group->n; i++)
        for (int k = 0; k < group->n && group->spot[i].contact == contact; k++)
            if (limit->moved[k]) {
                moved |= k == i;
                *acted |= group->G[i * group->n + k] != 0.0;
            }
    return moved;
}

/* What the limit does not move is no part of it if it was followed, or is of
 * another mechanism: it is watched on the way. */
static void
leave_others(const struct simulation *sim, struct limit_group *group,
             const struct forecast_limit *limit)
{
    bool acted;
    for (uint32_t i = 0; i < sim->n_contacts; i++)
        if (group->contact[i] && !moves(group, limit, i, &acted) &&
            (group->follows[i] || !acted))
            group->contact[i] = false;
}

/* Makes the state that of the limit: closed points are at rest against each
 * other; points that were hit on the way move as they were left. *there is
 * false when other points of the same bodies would be passed over; then the
 * state is that of `here` again. */
static int
arrive(struct simulation *sim, struct limit_group *group,
       const struct forecast_limit *limit, uint32_t contact, double error,
       const struct saved_state *here, bool *there)
{
    assert(group->n >= 0);
    struct rt *run = sim->run;
    struct contact_point *rest =
        NEW_N(run->brief, struct contact_point, (size_t)group->n + 1);
    uint32_t *list = NEW_N(run->brief, uint32_t, sim->n_contacts + 1),
             n_list = 0, lost;
    bool planes = true, acted;
    int n_rest = 0, st = close_points(sim, group, limit);
    if (st)
        return st;
    for (int i = 0; i < group->n; i++)
        if (limit->closed[i])
            rest[n_rest++] = group->spot[i];
    limit_slips_open(sim, group, limit);
    *there = !limit_group_overlaps(sim, group) && rotors_turn_on(run) &&
             !limit_group_past_end(sim, group, limit->closed);
    if (!*there) {
        saved_state_restore(sim->run, here);
        return IMP_OK;
    }
    if ((st = limit_rows_record(sim, group, here)))
        return st;
    simulate_limits_tell(sim, group, limit, contact, error);
    limit_turns_note(sim, sim->accumulation->turns, group, contact, error);
    for (uint32_t i = 0; i < sim->n_contacts; i++) {
        if (!group->contact[i])
            continue;
        list[n_list++] = i;
        planes &= sim->resting.n && sim->resting.is_over[i];
        simulate_watch(sim, i, WATCH_LEAVE);
        if (moves(group, limit, i, &acted)) {
            sim->contacts[i].flights.impacts = 0;
            sim->contacts[i].flights.gap = 0.0;
        }
        sim->accumulation->beside[i] = false;
    }
    sim->rows.fresh = false;
    st = planes ? simulate_persistent_choose(sim, contact, rest, n_rest,
                                             group->contact)
                : simulate_persistent_settle(sim, list, n_list, &lost);
    return st ? st : limit_energy_kept(sim, group, limit, contact, here);
}

static struct accumulation_work *
work_of(struct simulation *sim)
{
    struct rt *run = sim->run;
    uint32_t room = rt_contact_room(run);
    if (!sim->accumulation) {
        sim->accumulation = NEW(run->arena, struct accumulation_work);
        sim->accumulation->g.contact = NEW_N(run->arena, bool, room + 1);
        sim->accumulation->g.follows = NEW_N(run->arena, bool, room + 1);
        sim->accumulation->g.body =
            NEW_N(run->arena, bool, run->im->bodies.n + 1);
        sim->accumulation->beside = NEW_N(run->arena, bool, room + 1);
        sim->accumulation->seen =
            NEW_N(run->arena, struct limit_seen, room + 1);
        sim->accumulation->turns =
            NEW_N(run->arena, struct limit_series, run->im->bodies.n + 1);
    }
    return sim->accumulation;
}

void
simulate_accumulation_forget(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    if (sim->accumulation)
        sim->accumulation->seen[contact] = (struct limit_seen){0};
}

/* Are further impacts at the contact lost in rounding? One short flight says
 * little: it may begin the motion after another impact. */
static bool
tiny(const struct simulation *sim, uint32_t contact)
{
    const struct flight_history *flights = &sim->contacts[contact].flights;
    return (flights->lost || flights->impacts >= CHATTER_FLIGHTS) &&
           simulate_short_flight(sim, contact);
}

/* The points of the group as they fly. Those whose flights the impact of now
 * has ended, all of their contact, do so barely. */
static const struct contact_point_state *
flying(struct simulation *sim, const struct limit_group *group, uint32_t hit)
{
    struct contact_point_state *state =
        NEW_N(sim->run->brief, struct contact_point_state, group->n + 1);
    memcpy(state, group->point, (size_t)group->n * sizeof *state);
    const struct flight_history *flights = &sim->contacts[hit].flights;
    bool now = flights->last >= rt_time(sim->run) && flights->n_known > 2;
    for (int i = 0; i < group->n; i++)
        now &= group->spot[i].contact != hit ||
               (state[i].gap == 0.0 && state[i].rate == 0.0);
    for (int i = 0; i < group->n && now; i++)
        if (group->spot[i].contact == hit && group->e[i] > 0.0)
            state[i].rate = DBL_MIN;
    return state;
}

/* Close to a limit, impacts are smaller than the rounding error of the gap:
 * points that are closed and fly no higher than u^2/(2 |a|) <= eps place. Times
 * and order of further impacts would be rounding. Their accelerations are those
 * under the forces of the points that rest. Such points are at rest, with those
 * that are as slow and would open. The flights of one point add up to 2 u/(|a|
 * (1 - e)). *error: of the time, from these and what the gap may have cut. What
 * has just been hit may rest already, as its rebound counts as none. */
static bool
lost(struct simulation *sim, const struct limit_group *group, uint32_t hit,
     struct forecast_limit *limit, double *error)
{
    double sum = 0.0, greatest_e = 0.0, off = 0.0, blur = 0.0, low_force = 0.0,
           *acc = NEW_N(sim->run->brief, double, (size_t)group->n + 1);
    int bounce = 0;
    bool stated = true; /* the ratio, and not taken from the last flights */
    const struct contact_point_state *states = flying(sim, group, hit);
    if (!mode_accelerations(sim->run, group->n, states, group->G, acc))
        return false;
    for (int point = 0; point < group->n; point++)
        low_force = fmax(low_force, LIMIT_GROUP_NOISE * DBL_EPSILON *
                                        fabs(states[point].free));
    for (int point = 0; point < group->n; point++) {
        const struct contact_point_state *state = &states[point];
        uint32_t contact = group->spot[point].contact;
        double tol, rate, speed = fabs(state->rate), fall = fabs(acc[point]);
        gap_tolerances(sim->run, contact, &tol, &rate);
        if (sim->resting.n && sim->resting.is_over[contact])
            gap_rounding(sim->run, contact, &tol, &rate);
        bool held = false, on;
        for (int k = 0; k < persistent_count(sim->run); k++)
            held |= !memcmp(persistent_point(sim->run, k, &on, NULL),
                            &group->spot[point], sizeof *group->spot);
        limit->gap[point] = limit->rate[point] = 0.0;
        bool low = fabs(state->gap) <= tol && group->e[point] < 1.0 &&
                   state->rate * state->rate <=
                       2.0 * fmax(fabs(state->free), fabs(acc[point])) *
                           DBL_EPSILON * group->place[point];
        limit->group[point] = low && state->rate != 0.0 && acc[point] < 0.0;
        limit->closed[point] = limit->moved[point] = low || held;
        if (limit->moved[point])
            off = fmax(off, fabs(state->gap) / group->place[point]);
        if (!limit->group[point])
            continue;
        bounce++;
        stated &=
            contact_is_plain(sim->run, contact, ~(unsigned)CONTACT_LAW_OWN);
        greatest_e = fmax(greatest_e, group->e[point]);
        /* forces balance: the fall is rounding; flights before tell the time */
        double left = flight_history_left(&sim->contacts[contact].flights);
        if (fall > low_force && speed > DBL_MIN)
            left = 2.0 * speed / fall * limit_flights(sim, group, point, speed);
        sum = fmax(sum, left);
    }
    for (int i = 0; i < group->n; i++)
        if (limit->group[i] && -acc[i] > low_force)
            blur = fmax(blur, limit_cut(sim, group, limit, i, -acc[i]));
    limit->remaining = sum;
    *error = fmax(sum, blur);
    limit->chatter = (struct accumulation_limit){
        .period = 0,
        .ratio = bounce == 1 ? greatest_e : NAN,
        .ratio_error = bounce == 1 && stated ? DBL_EPSILON : NAN,
        .depth = 1,
        .evidence = LIMIT_BELOW_ROUNDING,
        .remaining = sum,
        .error = 1.0};
    /* the gap is moved to 0, and the squares of the time left count */
    limit->chatter.state_error =
        off +
        DBL_EPSILON * (LIMIT_GROUP_NOISE +
                       8.0 / ((1.0 - greatest_e) * (1.0 - greatest_e))) +
        limit_slip_left(sim, group, sum);
    return bounce > 0;
}

static int
rounding(struct simulation *sim, uint32_t contact)
{
    struct limit_group *group = &work_of(sim)->g;
    bool there;
    double error,
        window =
            fmax(CHATTER_AHEAD * sim->contacts[contact].flights.flight[0],
                 2.0 * limit_turns_hidden(sim, work_of(sim)->turns, contact));
    limit_group_gather(sim, contact, window, work_of(sim)->beside, group);
    if (!limit_group_points(sim, group, window))
        return IMP_OK;
    struct forecast_limit limit = forecast_limit_room(sim->run, group->n);
    bool few = lost(sim, group, contact, &limit, &error);
    error += few ? limit_early(sim, group, &limit, contact) : 0.0;
    bool turns = limit_turns_end(sim, work_of(sim)->turns, group, contact, few,
                                 &limit, &error);
    if (!few && !turns)
        return IMP_OK;
    group->friction = false;
    group->rows = NULL; /* it is now */
    limit_slips_lost(sim, group, &limit);
    struct saved_state here = saved_state_take(sim->run);
    /* A later flight that is as short as these is below rounding, too. */
    for (uint32_t k = 0; k < sim->n_contacts; k++)
        sim->contacts[k].flights.lost |= group->contact[k];
    double left = limit.remaining;
    int st = turns ? travel(sim, group, rt_time(sim->run) + left, &there) : 0;
    if (st)
        return st;
    error = !turns || there ? error : left;
    return arrive(sim, group, &limit, contact, error, &here, &there);
}

static struct limit_points
points_of(const struct limit_group *group)
{
    return (struct limit_points){.n = group->n,
                                 .spot = group->spot,
                                 .point = group->point,
                                 .G = group->G,
                                 .place = group->place,
                                 .body = group->body};
}

/* Is the state at the end of the path known to rounding, but for the error of
 * the time, during which bodies go on to turn? It is where the parabola is
 * the motion, and where this path and an earlier one, with at least twice the
 * time left, agree: their errors are of the third order, of the first where
 * others squeeze a body. Every impact rounds the state once, and the time of
 * the limit is rounded, too. */
static bool
state_known(struct simulation *sim, const struct limit_group *group,
            struct forecast_limit *limit, uint32_t contact, double time_error,
            double window)
{
    struct rt *run = sim->run;
    struct limit_seen *seen = &sim->accumulation->seen[contact];
    const struct flight_history *flights = &sim->contacts[contact].flights;
    const struct limit_points points = points_of(group);
    uint64_t mark = limit_signature(&points, limit, NULL, 0);
    double left = limit->remaining, ratio = left / seen->left,
           share = window > 0.0 ? ratio * ratio * ratio : ratio,
           blur = left / window, length = INFINITY, speed = 0.0;
    for (int i = 0; i < group->n; i++) {
        length = fmin(length, group->place[i]);
        speed = fmax(speed, group->point[i].speed);
    }
    double low = DBL_EPSILON * (LIMIT_GROUP_NOISE + (double)flights->impacts +
                                4.0 * rt_time(run) * speed / length);
    /* a path to a time that has passed led to an earlier limit */
    double error =
        seen->mark == mark && ratio < 1.0 && seen->meet > rt_time(run) - left
            ? 2.0 * share / (1.0 - share) *
                  limit_path_apart(run, &points, seen->x, flights->first)
            : INFINITY;
    if (!seen->x)
        seen->error = INFINITY;
    if (!seen->x)
        seen->x = NEW_N(run->arena, double, limit_path_state_size(run));
    limit_path_state(run, seen->x);
    seen->mark = mark;
    seen->left = left;
    seen->meet = rt_time(run);
    /* after twice the way it is no better known: it is rounding */
    bool settled = isfinite(error) && error > 0.5 * seen->error;
    seen->error = error;
    error = fmin(error, CHATTER_BLUR * DBL_EPSILON * blur * blur * blur);
    /* behind the limit a squeezed body may turn no more */
    double turned = window > 0.0 ? 0.0 : time_error * speed / length;
    limit->chatter.state_error = error + low + turned;
    return error <= low || left <= window || settled ||
           limit_flat(sim, group, limit);
}

/* Goes to the limit along its path. *there is false, and nothing has moved,
 * when the path cannot be made or another event comes first; *wait tells that
 * the state is not known well enough yet. */
static int
take_path(struct simulation *sim, struct limit_group *group,
          struct forecast_limit *limit, uint32_t contact, double error,
          double window, bool *there, bool *wait)
{
    struct rt *run = sim->run;
    const struct limit_seen *seen = &work_of(sim)->seen[contact];
    const struct limit_points points = points_of(group);
    double left = limit->remaining, meet = rt_time(run) + left;
    *there = false;
    *wait = left > window &&
            seen->mark == limit_signature(&points, limit, NULL, 0) &&
            seen->meet > rt_time(run) && left > 0.5 * seen->left &&
            left <= seen->left && !limit_flat(sim, group, limit);
    if (*wait)
        return IMP_OK;
    struct saved_state here = saved_state_take(run);
    struct persistent_held *held =
        persistent_held_now(run, limit_group_blocks(sim, group));
    int st = limit_path_begin(run, &points, limit)
                 ? travel(sim, group, meet, there)
                 : IMP_OK;
    if (!st && *there)
        st = persistent_hold_again(run, held);
    if (!st && *there)
        st = close_points(sim, group, limit);
    if (!st && *there &&
        !state_known(sim, group, limit, contact, error, window)) {
        *wait = true;
        *there = false;
    }
    if (!*there)
        saved_state_restore(run, &here);
    int again = persistent_hold_again(run, held);
    return st ? st : again;
}

/* Sets free what is held of the group, and remembers its modes. */
static int
let_go(struct simulation *sim, const struct limit_group *group)
{
    int st = friction_modes_remember(sim->run, CHOICE_OTHER);
    persistent_release(sim->run, limit_group_blocks(sim, group));
    return st;
}

/* Have the coefficients of friction changed so little since the forecast that
 * the slips are known to rounding? What a coefficient changes takes the same
 * share of what friction does in the time left, at the most. If not, nothing
 * has moved. */
static bool
coefficients_kept(struct simulation *sim, const struct limit_group *group,
                  struct forecast_limit *limit, uint32_t contact,
                  const double *mu, const struct saved_state *here)
{
    double off = friction_forecast_changed(sim->run, group->spot, group->n,
                                           &group->slid, mu) *
                 limit_slip_left(sim, group, limit->remaining);
    limit->chatter.state_error += off;
    if (off <= DBL_EPSILON * (LIMIT_GROUP_NOISE +
                              (double)sim->contacts[contact].flights.impacts))
        return true;
    saved_state_restore(sim->run, here);
    return false;
}

/* Goes to the limit. Within `window` seconds from now the parabola is the
 * motion. *there is false when another event comes first, or when the state at
 * the limit will be known better after further impacts. */
static int
take(struct simulation *sim, struct limit_group *group,
     struct forecast_limit *limit, uint32_t contact, double error,
     double window, bool *there)
{
    struct rt *run = sim->run;
    double meet = rt_time(run) + limit->remaining;
    struct saved_state here = saved_state_take(run);
    bool wait = false;
    int st = IMP_OK;
    double friction_error = 0.0, *mu = NULL;
    *there = false;
    leave_others(sim, group, limit);
    if ((group->friction && !limit_friction_known(sim, group, limit, contact,
                                                  window, &friction_error)) ||
        !limit_rows_foresee(sim, group, &sim->lines, meet))
        return IMP_OK;
    if (group->friction)
        mu = friction_forecast_coefficients(run, group->spot, group->n,
                                            &group->slid);
    if (group->friction) /* the forecast has the forces of what is held */
        st = let_go(sim, group);
    else if (isfinite(window) && limit->remaining > 0.0)
        st = take_path(sim, group, limit, contact, error, window, there, &wait);
    if (!st && !*there && !wait) {
        /* Where impulses do not turn, places may be moved onto the gaps at the
         * limit. Elsewhere this is an error of the second order, and nothing
         * bounds it. */
        limit->chatter.state_error =
            group->friction ? friction_error + group->apart
            : isfinite(window) && limit->remaining > 0.0
                ? NAN
                : DBL_EPSILON *
                      (LIMIT_GROUP_NOISE +
                       (double)sim->contacts[contact].flights.impacts);
        st = travel(sim, group, meet, there);
    }
    if (!st && *there && mu)
        *there = coefficients_kept(sim, group, limit, contact, mu, &here);
    return st || !*there
               ? st
               : arrive(sim, group, limit, contact, error, &here, there);
}

/* Is it too early for a prediction? Where no limit was near, they are rarer. */
static bool
is_early(struct flight_history *flights)
{
    bool waits = flights->wait > 0 &&
                 flights->flight[0] > CHATTER_AGAIN * flights->looked;
    if (flights->flight[0] > flights->far)
        return true;
    flights->wait -= waits;
    return waits;
}

/* Are there too few flights for a limit, and is the next one not expected to
 * make them enough? A prediction would only be compared with the next one, and
 * with the one before: where a limit has been foreseen it may be known better
 * than what the next impacts leave. */
static bool
compares_nothing(const struct flight_history *flights, bool enough)
{
    double next =
        flights->n_known < 2
            ? INFINITY
            : flights->flight[0] / flights->flight[1] * flights->flight[0];
    return !enough && !(flights->group != 0 && flights->meet > flights->last) &&
           flights->n_known + 1 < CHATTER_FLIGHTS &&
           !(next <= 2.0 * CHATTER_SHORTER * flights->first);
}

/* Gathers the points whose impacts may have a limit, and reads them. With
 * friction they are those that act on each other alone; what has a limit of its
 * own at the same time joins later. False: they cannot be followed. */
static bool
gather(struct simulation *sim, uint32_t contact, double shrunk,
       struct limit_group *group)
{
    const bool *beside = work_of(sim)->beside;
    limit_group_gather(sim, contact, shrunk, beside, group);
    limit_group_follow(sim, CHATTER_AHEAD * shrunk, group);
    if (!limit_group_points(sim, group, CHATTER_AHEAD * shrunk))
        return false;
    group->friction = friction_modes_any(sim->run, group->spot, group->n);
    if (!group->friction)
        return true;
    limit_group_gather(sim, contact, shrunk, NULL, group);
    return limit_group_points(sim, group, CHATTER_AHEAD * shrunk);
}

/* Leaves out what is not reached within CROWD_REACH * far. False as in gather.
 */
static bool
thin_out(struct simulation *sim, double shrunk, double far,
         struct limit_group *group)
{
    return group->n <= LIMIT_CROWD ||
           CROWD_REACH * far >= CHATTER_AHEAD * shrunk ||
           limit_group_points(sim, group, CROWD_REACH * far);
}

/* Predicts the limit from the parabola that touches the motion, and goes there
 * once it is known. */
static int
limit(struct simulation *sim, uint32_t contact)
{
    struct rt *run = sim->run;
    struct flight_history *flights = &sim->contacts[contact].flights;
    bool enough, there = false;
    double shrunk = shrinks(sim, contact, &enough);
    if (!(shrunk > 0.0) || contact_restitution_elastic(run, contact)) {
        flights->meet = -INFINITY;
        flights->group = 0;
        return IMP_OK;
    }
    int st = IMP_OK;
    if (is_early(flights) || compares_nothing(flights, enough) ||
        (st = local_all(sim->local)))
        return st;
    struct limit_group *group = &work_of(sim)->g;
    if (!gather(sim, contact, shrunk, group) ||
        limit_hit_next(sim, contact, shrunk, group))
        return IMP_OK;
    double far, state_window,
        window = limit_window(sim, group, &far, &state_window);
    if (flights->flight[0] <= far && !thin_out(sim, shrunk, far, group))
        return IMP_OK;
    flights->far = INFINITY;
    for (int i = 0; i < group->n; i++)
        if (group->spot[i].contact == contact && far > 0.0 &&
            limit_turning(&group->point[i]))
            flights->far = far;
    if (flights->flight[0] > far)
        return IMP_OK;
    struct forecast_limit found[2] = {forecast_limit_room(run, group->n),
                                      forecast_limit_room(run, group->n)};
    struct forecast_question ask = limit_question(sim, group);
    ask.most = enough ? CHATTER_FOLLOWED : CHATTER_COMPARED;
    ask.beyond = CHATTER_BEYOND;
    ask.compared = CHATTER_COMPARED;
    ask.ahead = fmin(CHATTER_AHEAD * shrunk, far);
    ask.window = window;
    const struct limit_points points = points_of(group);
    ask.joins = limit_joins_of(sim, group, &points, contact);
    sim->accumulation->blocked = false;
    flights->looked = flights->flight[0];
    if (group->friction ? !friction_forecast(run, &ask, group->spot, &found[0],
                                             &group->slid)
                        : !accumulation_forecast(run, &sim->lines, &ask,
                                                 &found[0], &found[1])) {
        /* No limit is near: the next predictions are rarer. One that did not
         * look as far as it might has cost little, and says less. */
        if (ask.ahead < far && flights->pause < CHATTER_PAUSE)
            flights->pause = 2 * flights->pause + 1;
        flights->wait = flights->pause;
        return IMP_OK;
    }
    flights->pause = 0;
    bool sure = limits_known(sim, contact, group, &points, found, window,
                             state_window, enough, ask.joins);
    ask.joins = NULL;
    if (sure) {
        double error =
            limit_error(sim, group, &ask, &sim->moved, &found[0], contact);
        if (group->friction)
            limit_group_join(sim, sim->accumulation->beside, shrunk, &ask,
                             group, &found[0], &state_window, &error);
        st = take(sim, group, &found[0], contact, error, state_window, &there);
    }
    if (!st && !there && found[1].found && (enough || found[1].blurred))
        st =
            take(sim, group, &found[1], contact,
                 limit_error(sim, group, &ask, &sim->moved, &found[1], contact),
                 state_window, &there);
    if (!there && sim->accumulation->blocked)
        limit_note_flat(sim, group);
    return st;
}

bool
simulate_accumulation_looks(const struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    bool enough;
    if (sim->options.capture > 0.0)
        return false;
    return shrinks(sim, contact, &enough) > 0.0 ||
           simulate_short_flight(sim, contact);
}

int
simulate_accumulation(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct flight_history *flights = &sim->contacts[contact].flights;
    if (sim->options.capture > 0.0)
        return IMP_OK; /* the last bounce is captured */
    struct limit_series *turns = work_of(sim)->turns;
    bool is_short = simulate_short_flight(sim, contact);
    const imp_contact *of = rt_contact(sim->run, contact);
    const struct persistent_group *at = persistent_group_of(sim->run, contact);
    bool followed = rubbing_moves(sim->run, of->body[0]) ||
                    rubbing_moves(sim->run, of->body[1]) || (at && at->yields);
    int st = followed || limit_turns_hidden(sim, turns, contact) > 0.0
                 ? IMP_OK
                 : limit(sim, contact);
    if (st)
        return st;
    if (tiny(sim, contact) ||
        (!followed && limit_turns_hidden(sim, turns, contact) > 0.0))
        return (st = local_all(sim->local)) ? st : rounding(sim, contact);
    /* A limit of short flights has been taken: others that follow, such as
     * those of a body that tips from corner to corner, are lost, too. */
    flights->lost = is_short && flights->impacts == 0;
    return IMP_OK;
}
