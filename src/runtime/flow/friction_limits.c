/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts of systems with friction: the last flights,
 * and what rounding hides of them; when they are below what shows, which
 * contacts take part, and where the law of the impacts at one contact, or the
 * ratio of its flights, tells the limit before. What is done there:
 * flow_friction.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/friction/painleve.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_restitution.h"

/* A limit is taken when what is left is this share of the time in which the
 * motion changes. */
#define FRICTION_SHORT 0x1p-40
/* A gap is rounded by so many units of its terms. */
#define FRICTION_GAP_UNITS 4.0

/* -- what rounding hides of the last impacts ------------------------------ */

/* The time (s) in which the rates of contacts that hit now close the rounding
 * of their gaps. */
static double
gap_blur(const struct flow *flow, const bool *group)
{
    assert(group != NULL);
    const struct taylor_flow *taylor = flow->taylor;
    double blur = 0.0;
    for (uint32_t i = 0; i < flow->m; i++)
        if (group[i])
            blur =
                fmax(blur, TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i] /
                               fabs(taylor->friction->rows.speed[2 * i]));
    return blur;
}

/* The time that is left where flights cannot be told from rounding: that of the
 * clock, or of the gaps of the group, whose flights end when they are below it;
 * but no more than the last flights took. */
static double
time_left(const struct flow *flow, const bool *group, double tick)
{
    assert(group != NULL);
    const struct friction_flights *flights = &flow->taylor->friction->flights;
    long last =
        flights->n > FRICTION_FLIGHTS ? FRICTION_FLIGHTS : flights->n - 1;
    double span = flights->time[0] - flights->time[last];
    return fmax(tick, fmin(gap_blur(flow, group), span));
}

/* A flight of contact i as high as the rounding of its gap (s); 0: nothing
 * presses it down. */
static double
least_flight(const struct flow *flow, uint32_t i)
{
    const struct taylor_flow *taylor = flow->taylor;
    double height = FRICTION_GAP_UNITS * DBL_EPSILON * taylor->terms.gap[i],
           press = -taylor->friction->rows.free[2 * (size_t)i];
    return press > 0.0 ? 2.0 * sqrt(2.0 * height / press) : 0.0;
}

/* Notes by how much each of the last flights is shorter than the one before. */
static void
note_ratio(const struct flow *flow, double ratio)
{
    assert(ratio < 1.0);
    struct friction_flights *flights = &flow->taylor->friction->flights;
    double span = flights->time[0] - flights->time[FRICTION_FLIGHTS];
    if (span >
        FRICTION_FLIGHTS * least_flight(flow, (uint32_t)flights->contact[0]))
        flights->ratio = pow(ratio, 1.0 / FRICTION_FLIGHTS);
}

/* What flights that are no higher than the rounding of their gaps take in all:
 * the order of the last impacts, and their times, are not known better. */
static double
fall_left(const struct flow *flow, const bool *group)
{
    assert(group != NULL);
    const struct friction_flights *flights = &flow->taylor->friction->flights;
    double left = 0.0;
    for (uint32_t i = 0; i < flow->m; i++) {
        double ratio = fmax(flights->ratio, flow->instant.e[i]);
        if (group[i] && ratio < 1.0)
            left = fmax(left, least_flight(flow, i) / (1.0 - ratio));
    }
    return left;
}

/* Is contact i hit now because its gap is within the tolerance of gaps, though
 * it shows that its impact comes later, by a time that the clock tells? Which
 * of both impacts comes first is rounding, too, and what follows is another
 * motion. Contacts that hit at one time, as by symmetry, have no such gap. */
static bool
is_joined(const struct flow *flow, uint32_t i)
{
    const struct taylor_flow *taylor = flow->taylor;
    double gap = flow->instant.gap[i],
           rate = -taylor->friction->rows.speed[2 * (size_t)i],
           tick = FRICTION_TICKS * DBL_EPSILON * fabs(taylor->now);
    return gap > FRICTION_GAP_UNITS * DBL_EPSILON * taylor->terms.gap[i] &&
           gap > tick * rate;
}

bool
friction_note_impacts(const struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    struct friction_flights *flights = &taylor->friction->flights;
    double tick = FRICTION_TICKS * DBL_EPSILON * fabs(taylor->now);
    bool faint = false;
    taylor_branches_note(flow, flights->n > 0 ? taylor->now - flights->time[0]
                                              : INFINITY);
    for (int k = 0; k < taylor->next.n_hit; k++) {
        int i = taylor->next.hit[k];
        bool beside = flights->n > 0 && flights->time[0] == taylor->now;
        if (beside && !flights->joined && is_joined(flow, (uint32_t)i)) {
            flights->joined = true;
            flights->since = taylor->now;
        }
        memmove(flights->time + 1, flights->time,
                2 * FRICTION_FLIGHTS * sizeof *flights->time);
        memmove(flights->contact + 1, flights->contact,
                2 * FRICTION_FLIGHTS * sizeof *flights->contact);
        flights->time[0] = taylor->now;
        flights->contact[0] = i;
        flights->n++;
        faint |= taylor->now - flights->last[i] <= tick;
        flights->last[i] = taylor->now;
        flights->fastest =
            fmax(flights->fastest, friction_energy_rate(flow, (size_t)i));
    }
    return faint;
}

bool
friction_hits_merge(const struct flow *flow, const bool *hits)
{
    assert(hits != NULL);
    const struct taylor_flow *taylor = flow->taylor;
    const struct friction_flights *flights = &taylor->friction->flights;
    int last = taylor->next.n_hit;
    if (last < 2 || flights->n <= 2 * FRICTION_FLIGHTS)
        return false;
    double flight = flights->time[0] - flights->time[last],
           now = flights->time[0] - flights->time[FRICTION_FLIGHTS],
           before = flights->time[FRICTION_FLIGHTS] -
                    flights->time[2 * FRICTION_FLIGHTS];
    return now < before && flight <= FRICTION_FLIGHTS * gap_blur(flow, hits);
}

/* -- who takes part ------------------------------------------------------- */

/* The flights to come take up to this many times what the ratio of the last
 * ones says. */
#define ENDS_WITHIN 4.0

/* Contacts of the last flights whose impacts go on: those that are hit now, and
 * those that accelerations, or impacts to come at the others, can bring back.
 * An impact at contact k changes the rate of contact i by its share in W, and
 * all those to come take (1 + e)/(1 - e) of the rate of k. Into group (m). */
static void
friction_limit_group(const struct flow *flow, bool *group)
{
    assert(flow && group);
    const struct taylor_flow *taylor = flow->taylor;
    const struct friction_flights *flights = &taylor->friction->flights;
    const struct friction_rows *rows = &taylor->friction->rows;
    size_t all = 2 * (size_t)flow->m;
    long last = flights->n - 1;
    last = last > 2 * FRICTION_FLIGHTS ? 2 * FRICTION_FLIGHTS : last;
    long near = last > FRICTION_FLIGHTS ? FRICTION_FLIGHTS : last;
    double span = flights->time[0] - flights->time[last],
           ahead = flights->time[0] - flights->time[near];
    /* where flights shrink, no more comes than their sum, by the ratio of the
     * last two or four to as many before */
    double left = 0.0;
    for (long n = near / 4; n <= near / 2 && near == FRICTION_FLIGHTS; n *= 2) {
        double now = flights->time[0] - flights->time[n],
               before = flights->time[n] - flights->time[2 * n];
        left = fmax(left, now < before ? now * now / (before - now) : ahead);
    }
    if (near == FRICTION_FLIGHTS)
        ahead =
            fmin(ahead, ENDS_WITHIN * left + FRICTION_FLIGHTS * FRICTION_TICKS *
                                                 DBL_EPSILON * taylor->now);
    for (int k = 0; k < taylor->next.n_hit; k++)
        group[taylor->next.hit[k]] = true;
    for (bool more = true; more;) {
        more = false;
        for (long f = 0; f <= last; f++) {
            size_t i = (size_t)flights->contact[f];
            double reach = rows->terms[2 * i] * span;
            if (group[i] || taylor->contacts.closed[i])
                continue;
            for (size_t k = 0; k < flow->m; k++) {
                double e = flow->instant.e[k];
                if (group[k])
                    reach += fabs(rows->W[2 * i * all + 2 * k]) /
                             rows->W[2 * k * (all + 1)] *
                             fabs(rows->speed[2 * k]) * (1.0 + e) /
                             fmax(1.0 - e, 0.0);
            }
            /* it is to come down before the impacts end */
            if (rows->speed[2 * i] <= reach &&
                flow->instant.gap[i] <=
                    (fabs(rows->speed[2 * i]) + reach) * ahead)
                more = group[i] = true;
        }
    }
}

/* The share of the speeds that the impacts to come at the group still have to
 * take away. Without friction it does not matter which of them does. */
static double
friction_speed_left(const struct flow *flow, const bool *group)
{
    assert(flow && group);
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    double left = 0.0;
    bool rubs = false;
    for (uint32_t i = 0; i < flow->m; i++) {
        rubs |= (group[i] || flow->taylor->contacts.closed[i]) &&
                rows->slip[i].mu_impact > 0.0;
        left += group[i] ? friction_energy_rate(flow, i) : 0.0;
    }
    return rubs ? fmin(left / flow->taylor->friction->flights.fastest, 1.0)
                : 0.0;
}

/* -- when it comes -------------------------------------------------------- */

struct friction_impact_point
friction_point_of(const struct flow *flow, uint32_t i, enum imp_impact_law law,
                  bool hits, bool plastic)
{
    assert(flow && i < flow->m);
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    uint32_t number = flow->sys->contact + i;
    const imp_contact *contact = rt_contact(flow->run, number);
    return (struct friction_impact_point){
        .mu = rows->slip[i].mu_impact,
        .contact = number,
        .varies = plastic ? NULL : friction_varying_law(flow->run, number),
        .own = plastic ? NULL : friction_own_law(flow->run, number, law),
        .e = plastic ? 0.0 : flow->instant.e[i],
        .law = friction_law_of_point(law, (enum imp_law)contact->law,
                                     contact->flags & IMP_CONTACTF_LAW),
        .normal = hits ? rows->speed[2 * i] : 0.0,
        .slip = friction_present_slip(flow, i),
        .priority = INFINITY};
}

bool
friction_limit_reached(const struct flow *flow, bool faint, bool merged,
                       bool *group, struct accumulation_limit *limit)
{
    assert(group != NULL && limit != NULL);
    const struct taylor_flow *taylor = flow->taylor;
    struct friction_flights *flights = &taylor->friction->flights;
    double tick = FRICTION_TICKS * DBL_EPSILON * taylor->now;
    double now = flights->time[0] - flights->time[FRICTION_FLIGHTS],
           before = flights->time[FRICTION_FLIGHTS] -
                    flights->time[2 * FRICTION_FLIGHTS],
           ratio = now / before, left = now * ratio / (1.0 - ratio);
    left *= contact_restitution_slower(
        flow->run, flow->sys->contact + (uint32_t)flights->contact[0],
        fabs(taylor->friction->rows.speed[2 * flights->contact[0]]));
    bool known = flights->n > 2 * FRICTION_FLIGHTS;
    if (known && ratio < 1.0)
        note_ratio(flow, ratio);
    if (known)
        flights->longest =
            ratio < 1.0 ? fmax(flights->longest, fmax(now, before)) : now;
    double scale = fmin(taylor->piece.h, flights->longest);
    faint |= known && now <= FRICTION_FLIGHTS * tick;
    if (!faint && !merged &&
        !(known && ratio < 1.0 && left <= FRICTION_SHORT * scale))
        return false;
    friction_limit_group(flow, group);
    double share = friction_speed_left(flow, group),
           fall = fall_left(flow, group);
    bool others = false;
    for (uint32_t i = 0; i < flow->m; i++)
        others |= group[i] && (int)i != taylor->next.hit[0];
    if (!faint && !merged && others && share > FRICTION_SHORT)
        return false; /* speeds shrink more slowly than flights */
    if (faint)
        left = time_left(flow, group, tick);
    else if (merged) /* flights that have shrunk by this ratio go on to do so */
        left = fmax(left, time_left(flow, group, tick));
    left = fmax(left, fall);
    /* the time that the law of the impacts at one contact has told */
    const struct friction_limit *told = &taylor->friction->limit;
    bool by_law = (faint || merged) && !others &&
                  fabs(told->time - taylor->now) <= told->left;
    if (by_law)
        left = fmax(tick, fabs(told->time - taylor->now)) +
               told->is.error * told->is.remaining;
    *limit = (struct accumulation_limit){
        .evidence = LIMIT_BELOW_ROUNDING,
        .impacts = flights->n,
        .depth = 1,
        .ratio = by_law            ? told->is.ratio
                 : faint || !known ? NAN
                                   : pow(ratio, 1.0 / FRICTION_FLIGHTS),
        .ratio_error = NAN,
        .remaining = left,
        .error = 1.0,
        .state_error = fmin(left / scale, FRICTION_SHORT) +
                       (others ? share : 0.0) + TAYLOR_NOISE * DBL_EPSILON};
    return true;
}

/* Is contact i the only one of the last impacts, and is no other closed? */
static bool
bounces_alone(const struct flow *flow, int i)
{
    const struct friction_flights *flights = &flow->taylor->friction->flights;
    bool alone = flow->taylor->next.n_hit == 1 && flights->n > 1;
    for (int k = 0; k < flights->n && k <= FRICTION_FLIGHTS && alone; k++)
        alone &= flights->contact[k] == i;
    for (uint32_t j = 0; j < flow->m && alone; j++)
        alone &= !flow->taylor->contacts.closed[j];
    return alone;
}

/* The longest time between impacts at the contact that was hit last, one by one
 * and over FRICTION_FLIGHTS of them, since others were hit. */
static double
longest_flight(const struct friction_flights *flights)
{
    double longest = flights->n > FRICTION_FLIGHTS
                         ? flights->time[0] - flights->time[FRICTION_FLIGHTS]
                         : 0.0;
    for (int k = 1; k <= 2 * FRICTION_FLIGHTS && k < flights->n &&
                    flights->contact[k] == flights->contact[0];
         k++)
        longest = fmax(longest, flights->time[k - 1] - flights->time[k]);
    return longest;
}

/* The point that contact i is now (after friction_rows). */
static struct painleve_point
bouncing_point(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    size_t N = 2 * (size_t)i, T = N + 1, all = 2 * (size_t)flow->m;
    struct friction_impact_point point = friction_point_of(
        flow, i, (enum imp_impact_law)flow->run->im->impact_law, true, false);
    return (struct painleve_point){.A = rows->W[T * all + T],
                                   .B = rows->W[T * all + N],
                                   .C = rows->W[N * all + N],
                                   .a = rows->free[T],
                                   .b = rows->free[N],
                                   .a_terms = rows->parts[T],
                                   .b_terms = rows->parts[N],
                                   .mu = point.mu,
                                   .slip = friction->zero[i] ? 0.0 : point.slip,
                                   .restitution = point.e,
                                   .law = point.law};
}

/* Does the restitution of the impacts to come at this point, which leaves with
 * this normal velocity, differ from that of a vanishing one, or follow a law of
 * the contact's own? Their flights are summed up. */
static bool
is_summed(const struct flow *flow, const struct friction_impact_point *point,
          double normal)
{
    return point->own || !contact_restitution_settled(flow->run, point->contact,
                                                      fabs(normal));
}

/* What their flights would take if they went on to shrink as they do now.
 * Laws of a contact's own are summed without friction alone: else INFINITY. */
static double
rough_time(const struct flow *flow, const struct friction_impact_point *point,
           const struct painleve_point *at, double normal)
{
    return normal > 0.0 && at->b < 0.0 && (at->mu == 0.0 || !point->own)
               ? -2.0 * normal / at->b /
                     (1.0 - own_flights_restitution(flow->run, point, at->A,
                                                    at->B, at->C, normal))
               : INFINITY;
}

/* How the impacts go on, by the sum of their flights. *many: how many times the
 * first flight they take; *error: of the time, as a share of it. False: nothing
 * says how. */
static bool
sum_flights(const struct flow *flow, const struct friction_impact_point *point,
            const struct painleve_point *at, double normal,
            struct painleve_bounces *bounces, double *many, double *error)
{
    struct own_flights flights;
    own_flights_find(flow->run, point, at->A, at->B, at->C, normal, &flights);
    *bounces = (struct painleve_bounces){
        .time = -2.0 * normal / at->b * flights.sum.sum,
        .ratio = own_flights_restitution(flow->run, point, at->A, at->B, at->C,
                                         normal)};
    *error = flights.sum.error;
    *many = flights.sum.sum;
    return flights.sum.ends &&
           (flights.normal ||
            (!point->own && painleve_bounces_apart(at, normal, bounces)));
}

/* The limit at contact point->contact by the sum of its flights, where that
 * comes within `near` (s) if they shrink on as now, and in half of the time at
 * which the forecast `before` was made: else the next one comes later, and
 * knows no more than that one. Sets friction->limit.rough; the rest as
 * sum_flights. */
static bool
summed_ahead(const struct flow *flow, const struct friction_impact_point *point,
             const struct painleve_point *at, double near,
             const struct friction_limit *before,
             struct painleve_bounces *bounces, double *many, double *error)
{
    struct taylor_friction *friction = flow->taylor->friction;
    struct friction_limit *limit = &friction->limit;
    double normal =
        friction->rows.speed[2 * (point->contact - flow->sys->contact)];
    if (friction->flights.n <= FRICTION_FLIGHTS)
        return false;
    double rough = rough_time(flow, point, at, normal);
    if (!(rough <= near))
        return false;
    if (before->rough > 0.0 && rough > 0.5 * before->rough) {
        *limit = *before;
        limit->contact = -1;
        return false;
    }
    limit->rough = rough;
    return sum_flights(flow, point, at, normal, bounces, many, error);
}

/* Takes the limit of contact i that the last forecast tells. */
static void
take_switched(const struct flow *flow, uint32_t i, struct friction_limit *limit)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct friction_flights *flights = &taylor->friction->flights;
    double left = limit->time - taylor->now, error = limit->is.error,
           share = limit->left / left,
           scale = fmin(taylor->piece.h,
                        fmax(longest_flight(flights), flights->longest));
    limit->contact = (int)i;
    limit->switched = true;
    limit->left = left;
    limit->is = (struct accumulation_limit){
        .evidence = LIMIT_BY_LAW,
        .impacts = flights->n,
        .period = 1,
        .depth = 1,
        .ratio = limit->is.ratio,
        .speed = limit->is.ratio,
        .ratio_error = error * limit->is.ratio,
        .remaining = left,
        .error = fmin(1.0, error * share),
        .state_error =
            FAINT_BRANCHES * left / scale + TAYLOR_NOISE * DBL_EPSILON};
}

/* Forces change their branches within each flight of contact i, as dry friction
 * does at its top, so that no law of parabolas holds: the ratio of the last two
 * flights tells the limit, which flights are followed to until it is known to
 * rounding, or the next one is too low. *limit: the last forecast, and then
 * this one. */
static void
foresee_switched(const struct flow *flow, uint32_t i,
                 struct friction_limit *limit)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct friction_rows *rows = &taylor->friction->rows;
    const struct friction_flights *flights = &taylor->friction->flights;
    const double *time = flights->time;
    double flight = time[0] - time[1], ratio = flight / (time[1] - time[2]),
           normal = rows->speed[2 * i], last = limit->time,
           least = least_flight(flow, i), change = 0.0;
    double rounding = DBL_EPSILON * TAYLOR_NOISE * taylor->terms.gap[i];
    bool told = limit->left > 0.0,
         low = ratio < 1.0 && flight * ratio < SWITCHES_LOW * least;
    /* near to rounding the last forecast knows more */
    if (!told || !(low || flight < SWITCHES_HIGH * least)) {
        *limit = (struct friction_limit){.contact = -1};
        if (flights->n < 4 || !(ratio < 1.0) || !(normal > 0.0) ||
            contact_restitution_varies(flow->run, flow->sys->contact + i))
            return;
        limit->left = flight * ratio / (1.0 - ratio);
        limit->time = taylor->now + limit->left;
        rounding = (4.0 * DBL_EPSILON * limit->time + rounding / normal) /
                   ((1.0 - ratio) * (1.0 - ratio));
        change = fabs(limit->time - last);
        limit->is.ratio = ratio;
        limit->is.remaining = limit->left;
        limit->is.error = (change + rounding) / limit->left;
    }
    if (told && limit->time > taylor->now && limit->time <= flow->end &&
        (low || (change <= rounding &&
                 limit->time - taylor->now <= SWITCHES_HIGH * least)))
        take_switched(flow, i, limit);
}

void
friction_foresee_limit(struct flow *flow)
{
    assert(flow != NULL);
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    struct friction_limit *limit = &friction->limit, before = *limit;
    int i = taylor->next.hit[0];
    struct painleve_bounces bounces;
    limit->contact = -1;
    if (bounces_alone(flow, i) && taylor->branches.switches) {
        foresee_switched(flow, (uint32_t)i, limit);
        return;
    }
    *limit = (struct friction_limit){.contact = -1};
    if (!bounces_alone(flow, i))
        return;
    struct painleve_point point = bouncing_point(flow, (uint32_t)i);
    struct friction_impact_point law = friction_point_of(
        flow, (uint32_t)i, (enum imp_impact_law)flow->run->im->impact_law, true,
        false);
    double normal = friction->rows.speed[2 * i], law_error = 0.0, many;
    const struct friction_flights *flights = &friction->flights;
    if (!(normal > 0.0)) /* it does not leave, to rounding */
        return;
    double scale = fmin(taylor->piece.h,
                        fmax(longest_flight(flights), flights->longest)),
           near = FRICTION_LAW_SHORT * scale;
    bool summed = is_summed(flow, &law, normal);
    if (summed) {
        if (!summed_ahead(flow, &law, &point, near, &before, &bounces, &many,
                          &law_error))
            return;
    } else {
        if (!painleve_bounces_find(&point, normal, &bounces))
            return;
        many = 1.0 / (1.0 - bounces.ratio);
    }
    limit->time = taylor->now + bounces.time;
    limit->left = bounces.time;
    limit->sticks = bounces.sticks;
    limit->is.ratio = bounces.ratio;
    if (!(before.left > bounces.time) || before.sticks != bounces.sticks ||
        bounces.time > near || limit->time > flow->end ||
        !(limit->time > taylor->now))
        return;
    /* the time is rounded, and the rate after each impact */
    double share = bounces.time / scale, shrinks = bounces.time / before.left,
           noise = TAYLOR_NOISE * DBL_EPSILON *
                   (fabs(taylor->now) +
                    friction->rows.speed_terms[2 * i] / fabs(point.b)) *
                   many;
    limit->contact = i;
    limit->is = (struct accumulation_limit){
        .evidence = LIMIT_BY_LAW,
        .impacts = flights->n,
        .period = 1,
        .depth = 1,
        .ratio = bounces.ratio,
        .speed = bounces.ratio,
        .ratio_error =
            DBL_EPSILON * bounces.ratio +
            (bounces.sticks && !summed
                 ? 2.0 * fabs(bounces.ratio - before.is.ratio) / (1.0 - shrinks)
                 : 0.0),
        .remaining = bounces.time,
        .error = fmin(1.0, (2.0 * fabs(limit->time - before.time) /
                                (1.0 - shrinks * shrinks) +
                            noise) /
                                   bounces.time +
                               law_error),
        .state_error = share * share + TAYLOR_NOISE * DBL_EPSILON};
}

bool *
friction_hit_lately(const struct flow *flow)
{
    assert(flow);
    const struct friction_flights *flights = &flow->taylor->friction->flights;
    double now = flow->taylor->now,
           tick = FRICTION_TICKS * DBL_EPSILON * fabs(now);
    bool *lately = NEW_N(flow->run->brief, bool, flow->m + 1);
    for (long k = 0; k < flights->n && k <= 2 * FRICTION_FLIGHTS; k++)
        lately[flights->contact[k]] = true;
    for (uint32_t i = 0; i < flow->m; i++)
        lately[i] |= now - flights->last[i] <= FRICTION_FLIGHTS * tick;
    return lately;
}
