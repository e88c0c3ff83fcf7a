/* SPDX-License-Identifier: MIT */
/* How well the time of a limit is known. Limits with friction of several groups
 * of contacts that do not act on each other, at one time: each is foreseen
 * alone, and all are taken together, since no flights of one can be found that
 * come before the limit of another. Limits in series; rows before a limit. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "runtime/accumulation/flight_history.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/limit_path.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"

/* -- how well the time of a limit is known --------------------------------- */

/* Flights so many roundings of their gap high: the gap is off by two of these
 * at either end, which takes an eighth of their time; lower ones may be lost.
 */
#define CHATTER_CUT 8.0

/* Does a body of the contact meet others of the group, too? Their points are
 * hit together while they are within the tolerance of their gaps. */
static bool
has_neighbours(const struct simulation *sim, const struct limit_group *group,
               uint32_t contact)
{
    const struct rt *run = sim->run;
    const uint32_t *body = rt_contact(run, contact)->body;
    for (uint32_t other = 0; other < sim->n_contacts; other++)
        for (int side = 0;
             side < 4 && group->contact[other] && other != contact; side++)
            if (body[side % 2] == rt_contact(run, other)->body[side / 2] &&
                contact_point_body_moves(run, body[side % 2]))
                return true;
    return false;
}

/* Has the last impact brought the point to rest, if it was hit at all? */
static bool
is_held(const struct contact_point_state *state)
{
    return state->gap == 0.0 && state->rate == 0.0;
}

/* A point that was hit together with its neighbours may have been hit while its
 * gap was open still, by more than rounding but within the tolerance. Returns
 * how much too early (s) this was, at the most: the way over the speed of the
 * first impact of the present decrease, or the fall through it. Those that
 * follow keep the gap. Where flights shrink by one ratio, speeds do so, too,
 * and a change of the gap is one of a flight, which the ratio would show. What
 * comes down has not been hit, and corners of polytopes that nearly rest are
 * hit by their own gaps. */
static double
early_own(const struct simulation *sim, const struct limit_group *group,
          uint32_t contact)
{
    assert(sim != NULL && group != NULL && contact < sim->n_contacts);
    const struct flight_history *flights = &sim->contacts[contact].flights;
    double most = 0.0, first = flights->n_known > 0 ? flights->first : 0.0, tol,
           rounding, rate, steady, off,
           own = LIMIT_GROUP_NOISE * DBL_EPSILON *
                 limit_group_place(sim->run, contact);
    gap_tolerances(sim->run, contact, &tol, &rate);
    gap_rounding(sim->run, contact, &rounding, &rate);
    if (!has_neighbours(sim, group, contact) ||
        (sim->resting.n && sim->resting.is_over[contact]))
        return 0.0;
    bool ratio = flight_history_is_steady(flights, &off);
    for (int i = 0; i < group->n; i++) {
        const struct contact_point_state *state = &group->point[i];
        double gap = fabs(state->gap), fall = fabs(state->free),
               speed = fmax(fabs(state->rate), 0.5 * fall * first), early;
        bool noted = is_held(state) || fabs(state->gap - flights->gap) <= own;
        if (group->spot[i].contact != contact || state->rate < -rate ||
            (!noted && !(gap > rounding && gap <= tol && fall + speed > 0.0)))
            continue;
        early =
            noted ? flights->early : fmin(gap / speed, sqrt(2.0 * gap / fall));
        steady = fabs(state->rate) * flights->first / flights->flight[0];
        if (ratio && steady > 0.0)
            early = fmin(early, gap / steady + off);
        most = fmax(most, early);
    }
    return most;
}

/* The same of the other contacts of a limit that were hit lately, since the
 * flights began which tell it, whatever their gaps are now. The flights since
 * that impact are off, too, by no more than themselves. */
static double
early_beside(const struct simulation *sim, const struct limit_group *group,
             const struct forecast_limit *limit, uint32_t contact, double now)
{
    const struct flight_history *own = &sim->contacts[contact].flights;
    double lately = 0.0, most = 0.0;
    for (int k = 0; k < 4 && k < own->n_known; k++)
        lately += own->flight[k];
    for (int i = 0; i < group->n; i++) {
        uint32_t other = group->spot[i].contact;
        const struct flight_history *flights = &sim->contacts[other].flights;
        if (limit->closed[i] && other != contact &&
            limit_hit_within(sim, other, lately))
            most = fmax(most, flights->early +
                                  fmin(flights->early,
                                       now + limit->remaining - flights->last));
    }
    return most;
}

double
limit_early(const struct simulation *sim, const struct limit_group *group,
            const struct forecast_limit *limit, uint32_t contact)
{
    assert(sim != NULL && group != NULL && limit != NULL);
    return fmax(early_own(sim, group, contact),
                early_beside(sim, group, limit, contact, rt_time(sim->run)));
}

/* The time that is left for flights of a contact that sticks. */
static double
sticking_left(const struct simulation *sim, uint32_t contact)
{
    return impact_sticks(sim->run, contact)
               ? flight_history_left(&sim->contacts[contact].flights)
               : 0.0;
}

/* The time that is left for a body that rocks on points of this contact which
 * all close: one that flies higher ends the turns. The next flights are those
 * of the speeds that are left, or of `most`, which the rounding of gaps hides.
 */
static double
rocking_left(const struct simulation *sim, const struct limit_group *group,
             const struct forecast_limit *limit, uint32_t contact, double most,
             double fall)
{
    int points = 0;
    for (int i = 0; i < group->n; i++) {
        points += group->spot[i].contact == contact && limit->closed[i];
        if (limit->closed[i])
            most = fmax(most, fabs(group->point[i].rate));
    }
    return points > 1 ? flight_history_turns_left(
                            &sim->contacts[contact].flights, 4.0 * most / fall)
                      : 0.0;
}

/* A point that is hit with the speed u flies on for 2 u/(fall (1 - e)) in all.
 * Flights up to CHATTER_CUT roundings of the gap may be lost; and a point that
 * counts as closed beside others with a gap within the tolerance has that way
 * to fall yet, for u/fall, and to bounce with e u. */
double
limit_cut(struct simulation *sim, const struct limit_group *group,
          const struct forecast_limit *limit, int point, double fall)
{
    assert(sim != NULL && point >= 0 && point < group->n && fall > 0.0);
    uint32_t contact = group->spot[point].contact;
    double height = fmax(CHATTER_CUT * DBL_EPSILON * group->place[point],
                         has_neighbours(sim, group, contact)
                             ? fabs(group->point[point].gap)
                             : 0.0),
           speed = sqrt(2.0 * fall * height),
           left = fmax(sticking_left(sim, contact),
                       rocking_left(sim, group, limit, contact, speed, fall));
    return speed > fabs(group->point[point].rate)
               ? fmax(left, 2.0 * speed / fall *
                                limit_flights(sim, group, point, speed))
               : left;
}

/* Bound of the error of the time of a limit (s), beside what came before. Until
 * `window` the parabola is the motion; change: of the prediction, or INFINITY.
 * Where the limit was predicted before, the change is a sample of the error:
 * rounding that each impact adds, or what the parabola is not the motion. The
 * greatest of the last changes stands for those of 1/(1 - e^2) impacts, which
 * have comparable shares and add up as random errors do; twice that is told.
 * Changes of long ago that are no more than their impacts round are such
 * errors, too: what rounding has changed once, no further impact takes back.
 *
 * Where it was not, an impact comes with a gap of place roundings, at a time
 * that is rounded, too: off by d = eps (place/u + t). Its speed is then off by
 * a d, and the flights that follow, 2 e u/(a (1 - e)), by 2 e d/(1 - e). The
 * parabola is the motion within the window: its gaps are off by b = K T^3/6,
 * and flights under an acceleration a + K t last 2/3 K T^2/a less in sum. This
 * is 2 b/u at most, since T = 2 u/(a (1 - e)).
 *
 * Beside others a point may give back all of its speed (e = 1), and flights
 * shrink all the same. The time left is homogeneous in speeds u and roots of
 * gaps, so that a d changes it by its share a d/u, which is the same as
 * 2 d/(1 - e) where one point bounces. Impacts are then as
 * many as the ratio of the flights says.
 *
 * No change shows what the impacts at both ends of the first flight were off,
 * by d and their speed of then.
 *
 * The forecast has followed impacts of its own: of its limit it does not know
 * a share of what its last impact left (chatter.remaining).
 * Flights within the tolerance of gaps: limit_note_flat, limit_early. */
static double
limit_time_error(const struct simulation *sim, const struct limit_group *group,
                 const struct forecast_limit *limit, uint32_t contact,
                 double now, double window, double change)
{
    assert(sim != NULL && limit->remaining >= 0.0);
    const struct flight_history *flights = &sim->contacts[contact].flights;
    double place = 0.0, least = INFINITY, begun = INFINITY, e = 0.0,
           left = limit->remaining,
           flat = limit_early(sim, group, limit, contact), share = 0.0,
           fast = 0.0, low, none;
    for (int i = 0; i < group->n; i++)
        if (limit->group[i] || limit->earlier[i] > 0.0) {
            flat =
                fmax(flat, sim->contacts[group->spot[i].contact].flights.flat);
            place = fmax(place, group->place[i]);
            e = fmax(e, group->e[i]);
            gap_rounding(sim->run, group->spot[i].contact, &low, &none);
            if (fabs(group->point[i].rate) <= LIMIT_GROUP_NOISE * none)
                continue;
            least = fmin(least, fabs(group->point[i].rate));
            begun = fmin(
                begun, fmax(fabs(group->point[i].rate),
                            0.5 * fabs(group->point[i].free) * flights->first));
            fast = fmax(fast, fabs(group->point[i].rate));
            share = fmax(share, fabs(group->point[i].free) * left /
                                    fabs(group->point[i].rate));
        }
    /* what rests is hit in turns, in no time, once another point comes down */
    for (int i = 0; i < group->n && isinf(least); i++)
        if (limit_landing(&group->point[i]) > 0.0) {
            place = fmax(place, group->place[i]);
            fast = fmax(fast, limit_landing(&group->point[i]));
        }
    if (isinf(least) && fast > 0.0)
        least = begun = fast;
    change = fmax(change, flights->change.kept);
    if (e == 1.0 && limit->chatter.ratio < 1.0)
        e = pow(limit->chatter.ratio, 1.0 / fmax(1.0, limit->chatter.period));
    double all = fmin(e, 1.0 - DBL_EPSILON), many = 4.0 / sqrt(1.0 - all * all),
           longer = fmin((1.0 + all) / (1.0 - all), 1.0 + share),
           late = DBL_EPSILON * (now + left) + flat, far = left / window,
           most = left + late + (longer - 1.0) * flat +
                  (fast > 0.0 ? flight_cut(left, fast,
                                           CHATTER_CUT * DBL_EPSILON * place)
                              : 0.0),
           gap = CHATTER_BLUR * DBL_EPSILON * place * far * far * far;
    double off = isfinite(change)
                     ? many * (change + 2.0 * longer * late) +
                           2.0 * longer * DBL_EPSILON * place / begun
                     : many * longer * (DBL_EPSILON * place / least + late) +
                           2.0 * gap / least;
    /* rounding may decide which of several points with friction are hit
     * together, and slips bring down what rests */
    if (group->friction && (limit->chatter.error == 1.0 || isinf(least)))
        return most;
    return fmin(off + limit->chatter.error * limit->chatter.remaining, most);
}

double
limit_error(struct simulation *sim, struct limit_group *group,
            const struct forecast_question *ask, struct forecast_memory *lines,
            const struct forecast_limit *limit, uint32_t contact)
{
    assert(sim != NULL && group != NULL && limit != NULL);
    double told =
        limit_time_error(sim, group, limit, contact, rt_time(sim->run),
                         ask->window, limit->change);
    /* rounding takes no more than all that is left */
    return told >= limit->remaining && !group->friction
               ? told
               : fmax(told, limit_rounded(sim, group, ask, lines, limit));
}

/* -- limits of several groups at one time -----------------------------------
 */

/* Ratios that are read from the last flights are the same to this share. */
#define LIMIT_SAME_RATIO 1e-6

/* a group that is joined with others, its limit, and the question about it */
struct joined {
    struct limit_group *group;
    struct forecast_limit limit;
    struct forecast_question ask;
    uint32_t contact; /* of the group, which has been hit */
};

static struct limit_group *
limit_group_new(const struct simulation *sim)
{
    struct limit_group *group = NEW(sim->run->brief, struct limit_group);
    group->contact = NEW_N(sim->run->brief, bool, sim->n_contacts + 1);
    group->body = NEW_N(sim->run->brief, bool, sim->run->im->bodies.n + 1);
    return group;
}

/* The time before its limit from which on flights of the group cannot be found:
 * the first of them takes the share 1 - e of that time t, and rises by a ((1 -
 * e) t)^2/8, which has to be twice what the search takes for open, twice the
 * tolerance of the gap. */
static double
unseen(const struct simulation *sim, const struct limit_group *group)
{
    double most = 0.0, tol, rate;
    for (int i = 0; i < group->n; i++) {
        gap_tolerances(sim->run, group->spot[i].contact, &tol, &rate);
        if (group->point[i].free != 0.0 && group->e[i] < 1.0)
            most = fmax(most, sqrt(32.0 * tol / fabs(group->point[i].free)) /
                                  (1.0 - group->e[i]));
    }
    return most;
}

static bool
foresee(struct simulation *sim, struct joined *part, double until)
{
    part->ask.until = until;
    part->limit = forecast_limit_room(sim->run, part->group->n);
    return friction_forecast(sim->run, &part->ask, part->group->spot,
                             &part->limit, &part->group->slid);
}

/* Foresees the group of `contact` alone. False: it has no limit at the time of
 * the first one. */
static bool
joins(struct simulation *sim, uint32_t contact, double window,
      const struct joined *first, struct joined *part)
{
    part->group = limit_group_new(sim);
    part->contact = contact;
    limit_group_gather(sim, contact, window, NULL, part->group);
    if (!limit_group_points(sim, part->group, 2.0 * first->limit.remaining))
        return false;
    /* a point alone that comes down touches with no other: its gap, however
     * small, is part of the time that is left */
    struct contact_point_state *one = part->group->point;
    if (part->group->n == 1 && one->rate < 0.0 &&
        contact_point_states(sim->run, part->group->spot, 1, one, NULL))
        return false;
    part->ask = limit_question(sim, part->group);
    part->ask.ahead = first->ask.ahead;
    return foresee(sim, part, 0.0) &&
           fabs(part->limit.remaining - first->limit.remaining) <=
               unseen(sim, part->group);
}

#define COPY(TO, FROM, N) memcpy(TO, FROM, sizeof *(TO) * (size_t)(N))

/* Puts the points of a group behind `at` others of the whole, and its limit; a
 * time before the end is told as its own. */
static void
put_joined(const struct simulation *sim, const struct joined *part, double end,
           int at, struct limit_group *whole, struct forecast_limit *limit,
           struct accumulation_limit *on_way)
{
    const struct limit_group *group = part->group;
    int n = group->n;
    for (uint32_t i = 0; i < sim->n_contacts; i++)
        whole->contact[i] |= group->contact[i];
    for (uint32_t i = 0; i < sim->run->im->bodies.n; i++)
        whole->body[i] |= group->body[i];
    COPY(whole->spot + at, group->spot, n);
    COPY(whole->point + at, group->point, n);
    COPY(whole->e + at, group->e, n);
    COPY(whole->place + at, group->place, n);
    COPY(whole->feature + at, group->feature, n);
    for (int i = 0; i < n; i++)
        COPY(whole->G + (size_t)(at + i) * (size_t)whole->n + at,
             group->G + (size_t)i * (size_t)n, n);
    COPY(whole->slid.impulse + 2 * at, group->slid.impulse, 2 * n);
    COPY(whole->slid.moment + 2 * at, group->slid.moment, 2 * n);
    COPY(whole->slid.slip + at, group->slid.slip, n);
    COPY(whole->slid.work + at, group->slid.work, n);
    COPY(whole->slid.normal + at, group->slid.normal, n);
    whole->apart = fmax(whole->apart, group->apart);
    bool early = part->limit.remaining < end;
    for (int i = 0; i < n; i++) {
        limit->closed[at + i] = part->limit.closed[i];
        limit->moved[at + i] = part->limit.moved[i];
        limit->gap[at + i] = part->limit.gap[i];
        limit->rate[at + i] = part->limit.rate[i];
        limit->group[at + i] = !early && part->limit.group[i];
        limit->earlier[at + i] =
            early && part->limit.group[i] ? part->limit.remaining : 0.0;
        on_way[at + i] = part->limit.chatter;
    }
}

/* Makes one group and one limit of several. */
static void
put_together(struct simulation *sim, struct joined *part, int parts, double end,
             struct limit_group *group, struct forecast_limit *limit)
{
    struct rt *run = sim->run;
    struct limit_group all_parts = {.contact = group->contact,
                                    .body = group->body,
                                    .follows = group->follows},
                       *whole = &all_parts;
    for (int k = 0; k < parts; k++)
        whole->n += part[k].group->n;
    size_t size = (size_t)whole->n;
    whole->friction = true;
    whole->spot = NEW_N(run->brief, struct contact_point, size);
    whole->point = NEW_N(run->brief, struct contact_point_state, size);
    whole->G = NEW_N(run->brief, double, size *size);
    whole->e = NEW_N(run->brief, double, size);
    whole->place = NEW_N(run->brief, double, size);
    whole->feature = NEW_N(run->brief, uint32_t, size);
    whole->slid = (struct friction_forecast){
        NEW_N(run->brief, double, 2 * size),
        NEW_N(run->brief, double, 2 * size), NEW_N(run->brief, double, size),
        NEW_N(run->brief, double, size), NEW_N(run->brief, double, size)};
    struct forecast_limit all = forecast_limit_room(run, whole->n);
    struct accumulation_limit *on_way =
        NEW_N(run->brief, struct accumulation_limit, size);
    all.on_way = on_way;
    all.found = true;
    all.remaining = end;
    all.chatter = part[0].limit.chatter;
    for (int k = 0, at = 0; k < parts; at += part[k++].group->n) {
        const struct accumulation_limit *one = &part[k].limit.chatter;
        put_joined(sim, &part[k], end, at, whole, &all, on_way);
        if (one->evidence == LIMIT_BELOW_ROUNDING)
            all.chatter.evidence = one->evidence;
        all.chatter.period = one->period == 1 ? all.chatter.period : 0;
        if (!(fabs(one->ratio - all.chatter.ratio) <=
              LIMIT_SAME_RATIO * all.chatter.ratio))
            all.chatter.ratio = NAN;
    }
    all.chatter.remaining = end;
    *group = *whole;
    *limit = all;
}

struct clocks *
limit_watch(struct simulation *sim, const struct limit_group *group)
{
    assert(sim && group);
    sim->rewatched.only = false; /* this path looks for others */
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        bool off = group->contact[contact] ||
                   persistent_holds(sim->run, contact) ||
                   (sim->resting.n && sim->resting.is_over[contact]);
        sim->watch[contact] = off ? WATCH_OFF : sim->contacts[contact].watch;
    }
    return clocks_on(sim->clocks);
}

void
limit_group_join(struct simulation *sim, const bool *marked, double window,
                 const struct forecast_question *ask, struct limit_group *group,
                 struct forecast_limit *limit, double *state_window,
                 double *error)
{
    assert(sim != NULL && marked != NULL && limit->found);
    bool *seen = NEW_N(sim->run->brief, bool, sim->n_contacts + 1);
    struct joined *part =
        NEW_N(sim->run->brief, struct joined, sim->n_contacts + 1);
    part[0] = (struct joined){.group = group, .limit = *limit, .ask = *ask};
    double end = limit->remaining;
    int parts = 1;
    COPY(seen, group->contact, sim->n_contacts);
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        if (seen[contact] || !marked[contact] ||
            !limit_hit_within(sim, contact, window))
            continue;
        bool together = joins(sim, contact, window, &part[0], &part[parts]);
        for (uint32_t other = 0; other < sim->n_contacts; other++)
            seen[other] |= part[parts].group->contact[other];
        if (together)
            end = fmax(end, part[parts++].limit.remaining);
    }
    if (parts == 1)
        return;
    double now = rt_time(sim->run);
    for (int k = 0; k < parts; k++) {
        double far, state, own = part[k].limit.remaining;
        limit_window(sim, part[k].group, &far, &state);
        if (k > 0)
            *error = fmax(
                *error,
                limit_time_error(sim, part[k].group, &part[k].limit,
                                 part[k].contact, now, INFINITY,
                                 sim->contacts[part[k].contact].flights.noise));
        *state_window = fmin(*state_window, state);
        if (own < end && foresee(sim, &part[k], end))
            part[k].limit.remaining = own;
    }
    double low = *error + LIMIT_GROUP_NOISE * DBL_EPSILON * (now + end);
    for (int k = 0; k < parts; k++) /* the same time but for the error */
        for (int other = 0; other < parts; other++) {
            double later = part[other].limit.remaining;
            if (later > part[k].limit.remaining &&
                later - part[k].limit.remaining <= low)
                part[k].limit.remaining = later;
        }
    put_together(sim, part, parts, end, group, limit);
}

#undef COPY

/* -- rows on the way to a limit ---------------------------------------------
 *
 * The run goes to a limit at once, whatever times are asked for. The rows
 * before it show the flights: bodies that move freely, or as what is held lets
 * them, moved onto the gaps and rates that the forecast has at that time, as at
 * the limit itself. */

struct limit_row {
    double time, *gap, *rate; /* without friction: of the points that move */
    struct contact_point *spot;
    int n;
    struct friction_forecast slid; /* with friction, of all points */
    struct contact_point *rests;   /* n that are closed and have no rate */
};
struct limit_rows {
    size_t n;
    struct limit_row *row;
};

/* Rows with friction. False: the way is not determined. */
static bool
foresee_slid(struct simulation *sim, const struct limit_group *group,
             struct limit_rows *rows)
{
    struct rt *run = sim->run;
    const struct forecast_question ask = limit_question(sim, group);
    struct friction_way *way = friction_way_begin(run, &ask, group->spot);
    bool *rests = NEW_N(run->brief, bool, (size_t)group->n + 1);
    for (size_t k = 0; way && k < rows->n; k++) {
        struct limit_row *row = &rows->row[k];
        if (!friction_way_to(way, row->time - rt_time(run), &row->slid, rests))
            return false;
        row->rests =
            NEW_N(run->brief, struct contact_point, (size_t)group->n + 1);
        for (int i = 0; i < group->n; i++)
            if (rests[i])
                row->rests[row->n++] = group->spot[i];
    }
    return way != NULL;
}

static bool
foresee_flights(struct simulation *sim, const struct limit_group *group,
                struct forecast_memory *lines, struct limit_rows *rows)
{
    struct rt *run = sim->run;
    size_t n = (size_t)group->n;
    const struct forecast_question ask = limit_question(sim, group);
    struct forecast_way *way = forecast_way_begin(run, lines, &ask);
    bool *moved = NEW_N(run->brief, bool, n);
    double *gap = NEW_N(run->brief, double, 2 * n), *rate = gap + n;
    for (size_t k = 0; way && k < rows->n; k++) {
        struct limit_row *row = &rows->row[k];
        forecast_way_to(way, row->time - rt_time(run), moved, gap, rate);
        row->spot = NEW_N(run->brief, struct contact_point, n);
        row->gap = NEW_N(run->brief, double, 2 * n);
        row->rate = row->gap + n;
        for (size_t i = 0; i < n; i++)
            if (moved[i]) {
                row->spot[row->n] = group->spot[i];
                row->gap[row->n] = gap[i];
                row->rate[row->n++] = rate[i];
            }
    }
    return way != NULL;
}

bool
limit_rows_foresee(struct simulation *sim, struct limit_group *group,
                   struct forecast_memory *lines, double meet)
{
    assert(sim != NULL && group->n > 0);
    struct rt *run = sim->run;
    const struct numbers *times = &sim->rows.times;
    size_t first = sim->rows.next, n = 0;
    group->rows = NULL;
    while (first + n < times->n && times->v[first + n] < meet)
        n++;
    /* impacts are told until the limit is as near as rows of their own would
     * be, whatever is recorded */
    if (meet > simulate_next_step(sim))
        return false;
    if (n == 0 || !(sim->rows.n_items || sim->rows.keeps_states))
        return true;
    /* others that look at these times have states of their own */
    if (sim->rotors || sim->rubbing)
        return false;
    struct limit_rows *rows = NEW(run->brief, struct limit_rows);
    rows->n = n;
    rows->row = NEW_N(run->brief, struct limit_row, n + 1);
    for (size_t k = 0; k < n; k++)
        rows->row[k].time = times->v[first + k];
    if (group->friction ? !foresee_slid(sim, group, rows)
                        : !foresee_flights(sim, group, lines, rows))
        return false;
    group->rows = rows;
    return true;
}

/* Chooses the modes of what rests, for the forces that the row tells. */
static int
hold_rests(struct simulation *sim, const struct limit_row *row)
{
    struct rt *run = sim->run;
    int *end = NEW_N(run->brief, int, (size_t)row->n + 1), first = 0, st = 0;
    int n_group = persistent_split(run, row->rests, row->n, end);
    for (int i = 0; i < n_group && !st; first = end[i++]) {
        struct friction_modes *modes = NEW(run->brief, struct friction_modes);
        modes->which = -1;
        st = friction_modes_select(run, row->rests + first, end[i] - first,
                                   modes);
    }
    return st;
}

int
limit_rows_record(struct simulation *sim, struct limit_group *group,
                  const struct saved_state *here)
{
    assert(sim != NULL && here != NULL);
    struct rt *run = sim->run;
    const struct limit_rows *rows = group->rows;
    if (!rows || !rows->n)
        return IMP_OK;
    struct saved_state there = saved_state_take(run);
    /* an answer that is looked for anew, from itself, differs by rounding */
    struct closest_points_memory *closest = closest_points_remember(run);
    struct along *along = sim->along;
    struct trace *trace = run->trace;
    struct run_log *log = sim->trace;
    int st = IMP_OK;
    sim->along = NULL; /* it sums up the limit as a whole, */
    run->trace = NULL; /* and so does a page */
    sim->trace = NULL;
    for (size_t k = 0; k < rows->n && !st && !sim->stopped; k++) {
        const struct limit_row *row = &rows->row[k];
        saved_state_restore(run, here);
        st = motion_to(run, row->time);
        if (!st && group->friction)
            st =
                friction_forecast_apply(run, group->spot, group->n, &row->slid);
        if (!st)
            st = group->friction ? hold_rests(sim, row)
                                 : persistent_close(run, row->spot, row->n,
                                                    row->gap, row->rate, NULL);
        sim->rows.fresh = false;
        sim->rows.jumped = true; /* the way to the limit has its modes */
        if (!st)
            st = simulate_systems_at(sim, row->time);
        if (!st)
            st = simulate_asked_row(sim);
        if (group->friction)
            persistent_release(run, limit_group_blocks(sim, group));
    }
    sim->along = along;
    run->trace = trace;
    sim->trace = log;
    saved_state_restore(run, &there);
    closest_points_recall(run, closest);
    sim->rows.fresh = false;
    return st ? st : simulate_systems_at(sim, rt_time(run));
}

/* -- limits in turns --------------------------------------------------------
 */

/* The limits so far of the body that moves at this contact. */
static struct limit_series *
turns_of(const struct simulation *sim, struct limit_series *turns,
         uint32_t contact)
{
    const imp_contact *of = rt_contact(sim->run, contact);
    uint32_t body = of->body[1];
    if (body == IMP_WORLD || rt_body(sim->run, body)->flags & IMP_BODYF_FIXED)
        body = of->body[0];
    return body == IMP_WORLD ? turns : turns + body;
}

void
limit_turns_note(const struct simulation *sim, struct limit_series *turns,
                 const struct limit_group *group, uint32_t contact,
                 double error)
{
    assert(group != NULL && turns != NULL);
    const struct flight_history *flights = &sim->contacts[contact].flights;
    double place = 0.0, acc = 0.0;
    for (int i = 0; i < group->n; i++)
        if (group->spot[i].contact == contact) {
            place = fmax(place, group->place[i]);
            acc = fmax(acc, fabs(group->point[i].free));
        }
    /* A flight of T begins and ends with the rate a T/2. A limit that has been
     * foreseen with friction is known to rounding, though its error counts all
     * that it sums up (limit_time_error). */
    double rate = 0.5 * acc * flights->first,
           blur = rate > 0.0 ? DBL_EPSILON * place / rate + flights->flat
                             : INFINITY;
    limit_series_add(turns_of(sim, turns, contact), rt_time(sim->run),
                     group->friction ? blur : fmax(blur, error),
                     early_own(sim, group, contact), contact);
}

double
limit_turns_hidden(const struct simulation *sim, struct limit_series *all_turns,
                   uint32_t contact)
{
    assert(sim != NULL && all_turns != NULL);
    const struct limit_series *turns = turns_of(sim, all_turns, contact);
    return turns->known && turns->hidden
               ? fmax(turns->meet - rt_time(sim->run), 0.0)
               : 0.0;
}

/* Do bodies rise by no more than the tolerance of a gap between these limits?
 * Else other points of theirs are open there, which the group does not have. */
static bool
low_turns(const struct simulation *sim, const struct limit_series *turns,
          const struct limit_group *group)
{
    double longest = limit_series_longest(turns), tol, rate, high = 0.0;
    for (int i = 0; i < group->n; i++) {
        gap_tolerances(sim->run, group->spot[i].contact, &tol, &rate);
        high = fmax(high, fabs(group->point[i].free) / tol);
    }
    return high * longest * longest <= 8.0 * CHATTER_FLAT;
}

/* Closes the points of the group, which are followed no more. False: one of
 * them leaves the tolerance of its gap before the limit. */
static bool
close_hidden(const struct simulation *sim, const struct limit_series *turns,
             const struct limit_group *group, double left,
             struct forecast_limit *limit)
{
    double off = 0.0;
    for (int k = 0; k < turns->n && k < 2 * turns->period; k++)
        if (!group->contact[turns->who[k]])
            return false;
    for (int i = 0; i < group->n; i++) {
        const struct contact_point_state *state = &group->point[i];
        double tol, rate;
        gap_tolerances(sim->run, group->spot[i].contact, &tol, &rate);
        if (fabs(state->gap) > CHATTER_FLAT * tol ||
            fabs(state->rate) * left > CHATTER_FLAT * tol)
            return false;
    }
    for (int i = 0; i < group->n; i++) {
        const struct contact_point_state *state = &group->point[i];
        limit->closed[i] = limit->moved[i] = true;
        limit->group[i] = limit_series_has(turns, group->spot[i].contact);
        limit->gap[i] = limit->rate[i] = 0.0;
        off = fmax(off, fabs(state->gap) / group->place[i]);
    }
    limit->chatter = (struct accumulation_limit){
        .evidence = LIMIT_BELOW_ROUNDING,
        .state_error = off + DBL_EPSILON * LIMIT_GROUP_NOISE +
                       limit_slip_left(sim, group, left)};
    return true;
}

bool
limit_turns_end(const struct simulation *sim, struct limit_series *all_turns,
                const struct limit_group *group, uint32_t contact, bool few,
                struct forecast_limit *limit, double *error)
{
    assert(all_turns != NULL && limit != NULL && error != NULL);
    const struct limit_series *turns = turns_of(sim, all_turns, contact);
    double left = turns->meet - rt_time(sim->run);
    bool told = turns->known && turns->error < left &&
                (turns->hidden || (few && left > limit->remaining &&
                                   low_turns(sim, turns, group))),
         rests = true;
    for (int i = 0; i < group->n; i++)
        rests = rests && limit->closed[i];
    /* all at once, where turns were as short as flights that are lost */
    if (few && rests && rt_time(sim->run) - turns->time[0] <= *error) {
        struct limit_series with = *turns;
        limit_series_add(&with, rt_time(sim->run), *error, 0.0, contact);
        if (!limit_turns_on(sim, group, contact, limit_series_turns(&with)))
            *error = fmax(*error, limit_series_left(&with));
    }
    if (!told || (!turns->hidden && !rests) ||
        (turns->hidden && !close_hidden(sim, turns, group, left, limit)))
        return false;
    *error = turns->error;
    limit->remaining = limit->chatter.remaining = left;
    limit->chatter.error = fmin(1.0, turns->error / left);
    limit->chatter.depth = 2;
    limit->chatter.period = turns->period;
    limit->chatter.ratio = turns->ratio;
    limit->chatter.ratio_error = turns->ratio_error;
    return true;
}
