/* SPDX-License-Identifier: MIT */
/* See friction_forecast.h. The points move by impacts and parabolas until those
 * that bounce are slower than rounding. */
#include "runtime/modes/friction_forecast.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/friction/painleve.h"
#include "runtime/gap/tolerance.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/numerics/vec3.h"

/* Bouncing points are at rest when their speed is this share of the first. */
#define BOUNCE_REST DBL_EPSILON
/* A rate after an impact below this share of the speeds is 0. */
#define RATE_NONE 1e-13
/* most impacts that are followed */
#define IMPACTS_MOST 20000
/* What does not shrink from so many impacts to as many more, and again, is no
 * limit: they would have to shrink by 2^-52 within the most of them. */
#define IMPACTS_LOOKED 100
/* Gaps (m) are made longer by its inverse when all are shorter than this. */
#define GAP_LEAST 0x1p-400
/* Points come down together if less than this share of a flight is left. */
#define FLIGHT_BLUR 1e-9
/* A load along the surface of so many roundings of its terms is none. */
#define SUM_LOAD 64.0
#define COLLAPSE_TAIL 1000 /* most impacts at rest whose flights take time */
/* most pieces per point that are followed beyond the limit */
#define REST_PIECES 4

struct bounce {
    struct rt *run;
    struct friction_rows rows;
    const struct forecast_question *ask;
    struct friction_impact_point *law;
    double *gap, *rate, *acc, *force; /* n; 2 n each */
    double *sum, *first; /* 2 n: impulses, and their moments about the start */
    double *work;        /* n: of friction */
    double *sums;        /* n: of the terms of the rate after an impact */
    double *rounded;     /* n: what impacts round the rate at the most */
    bool *bounced;
    bool *together;          /* n: comes down with the one that is closed now */
    double *band, *blur;     /* n: tolerance and rounding of the gap */
    double *left_at;         /* n: time of the last impact; -INFINITY: none */
    double *flown;           /* n: the last flight between two impacts here */
    double *peak;            /* n: the greatest gap seen since then */
    enum contact_mode *mode; /* of the last piece */
    bool *held;              /* in the last piece */
    double scale;       /* gaps and flights are so many times as long here */
    double time, fast;  /* fast: the greatest speed so far */
    double high;        /* the greatest speed of approach so far */
    double approach[2]; /* of the point that came down last: its last speeds */
    double look[2]; /* of the last IMPACTS_LOOKED and those before: its most */
    int grown;      /* so many looks in turn have found it no less */
    int last, impacts, tail; /* tail: those at rest */
    bool joined;  /* tolerance or rounding has decided what is hit together */
    bool summed;  /* the last flights are a sum, */
    double error; /* known to this (s) */
};

/* -- impacts --------------------------------------------------------------- */

/* Returns the rows of some points: W and friction points for these alone. */
static double *
part_of(struct bounce *bounce, const int *index, int m)
{
    size_t rows = 2 * (size_t)bounce->rows.n;
    double *W =
        NEW_N(bounce->run->brief, double, 4 * (size_t)m * (size_t)m + 1);
    for (int i = 0; i < 2 * m; i++)
        for (int j = 0; j < 2 * m; j++)
            W[i * 2 * m + j] =
                bounce->rows.W[(size_t)(2 * index[i / 2] + i % 2) * rows +
                               (size_t)(2 * index[j / 2] + j % 2)];
    return W;
}

static void
add_impulse(struct bounce *bounce, int row, double impulse)
{
    int rows = 2 * bounce->rows.n;
    bounce->sum[row] += impulse;
    bounce->first[row] += impulse * bounce->time;
    for (int i = 0; i < rows; i++) {
        double term = bounce->rows.W[i * rows + row] * impulse;
        bounce->rate[i] += term;
        if (i % 2 == 0)
            bounce->sums[i / 2] += fabs(term);
    }
}

/* The rounding of a rate that is made of such terms: the velocity before an
 * impact, and two impulses at so many points. Each product and each addition
 * rounds half a bit (N. J. Higham, "Accuracy and Stability of Numerical
 * Algorithms", 2002, 3.1), and the equations that the impulses solve as much,
 * of the greatest terms of all points that are hit. */
static double
sum_rounding(double terms, int points)
{
    return (2.0 * points + 1.0) * DBL_EPSILON * terms;
}

/* Do forces leave the speed of this point as it is, to rounding, until the
 * limit? Then flights take no time where impacts have no end. So it is where
 * flights shrink faster than speeds, as between two surfaces that close. */
static bool
collapses(const struct bounce *bounce, int i)
{
    double fall = fabs(bounce->rows.free[2 * i]);
    return bounce->scale > 1.0 || fall * bounce->time <= bounce->rounded[i] ||
           fall * bounce->flown[i] <=
               FLIGHT_BLUR * fabs(bounce->rate[2 * i]);
}

/* The impact of all points that are closed now, or come down with them. False:
 * it is not determined. */
static bool
hit_closed(struct bounce *bounce)
{
    int n = bounce->rows.n, n_closed = 0,
        *index = NEW_N(bounce->run->brief, int, (size_t)n);
    struct friction_impact_point *point =
        NEW_N(bounce->run->brief, struct friction_impact_point, n);
    for (int i = 0; i < n; i++) {
        bool down = bounce->gap[i] == 0.0 || bounce->together[i];
        bounce->together[i] = false;
        if (!down || bounce->rate[2 * i] > 0.0)
            continue;
        point[n_closed] = bounce->law[i];
        point[n_closed].normal = bounce->rate[2 * i];
        if (contact_restitution_at(bounce->run, bounce->rows.spot[i].contact,
                                   -point[n_closed].normal, &point[n_closed].e))
            return false;
        point[n_closed].slip = bounce->rate[2 * i + 1];
        double mu[3];
        if (contact_friction_now(bounce->run, bounce->rows.spot[i].contact,
                                 fabs(point[n_closed].slip), mu))
            return false;
        point[n_closed].mu = mu[2];
        bounce->bounced[i] |= bounce->rate[2 * i] < 0.0;
        bounce->high = fmax(bounce->high, -bounce->rate[2 * i]);
        index[n_closed++] = i;
    }
    for (int i = 0; i < 2 * n; i++)
        bounce->fast = fmax(bounce->fast, fabs(bounce->rate[i]));
    for (int i = 0; i < n; i++)
        bounce->sums[i] = hypot(bounce->rate[2 * i], bounce->rate[2 * i + 1]);
    struct friction_group_impact group;
    friction_impact_group(
        bounce->run->brief, n_closed, part_of(bounce, index, n_closed), point,
        (enum imp_impact_law)bounce->run->im->impact_law, &group);
    if (group.why || !isfinite(group.energy))
        return false;
    for (int i = 0; i < 2 * n_closed; i++)
        if (group.impulse[i] != 0.0)
            add_impulse(bounce, 2 * index[i / 2] + i % 2, group.impulse[i]);
    double most = 0.0;
    for (int i = 0; i < n_closed; i++)
        most = fmax(most, bounce->sums[index[i]]);
    for (int i = 0; i < n_closed; i++)
        bounce->sums[index[i]] = most;
    for (int i = 0; i < n; i++)
        bounce->rounded[i] =
            fmax(bounce->rounded[i], sum_rounding(bounce->sums[i], n_closed));
    double now = 0.0; /* the greatest rate of those that bounce */
    for (int i = 0; i < n; i++)
        now = fmax(now, bounce->bounced[i] ? fabs(bounce->rate[2 * i]) : 0.0);
    for (int i = 0; i < n_closed; i++) {
        bounce->work[index[i]] += group.work[i];
        bounce->flown[index[i]] =
            isinf(bounce->flown[index[i]])
                ? DBL_MAX
                : bounce->time - bounce->left_at[index[i]];
        bounce->left_at[index[i]] = bounce->time;
        bounce->peak[index[i]] = 0.0;
        double *rate = bounce->rate + 2 * index[i],
               hits = fabs(point[i].normal),
               low = RATE_NONE * (hits > 0.0 ? hits : bounce->high);
        /* the limit of this point, on the way to that of all; without a force
         * that ends its flights it has none of its own */
        double still = BOUNCE_REST * bounce->high;
        if (collapses(bounce, index[i]))
            still = fmin(still, BOUNCE_REST * now);
        low = fmax(low, still);
        /* an impact leaves no approach but rounding */
        if (rate[0] <= low &&
            rate[0] >= -fmax(low, sum_rounding(most, n_closed)))
            rate[0] = 0.0;
        /* a point at rest that others knock off has to come back */
        bounce->bounced[index[i]] |= rate[0] != 0.0;
        if (fabs(rate[1]) <= RATE_NONE * bounce->fast)
            rate[1] = 0.0;
    }
    bounce->impacts++;
    return true;
}

/* What a law must not give is no mistake where the motion need not come. */
static bool
hit(struct bounce *bounce)
{
    struct rt *run = bounce->run;
    struct diags quiet, *told = run->ds;
    int status = run->law_status;
    diags_init(&quiet, run->brief, told->sources);
    run->ds = &quiet;
    bool good = hit_closed(bounce) && !run->law_status;
    run->ds = told;
    run->law_status = status;
    return good;
}

/* Notes the speeds of approach of the coming impact. False: they have not
 * shrunk for long. */
static bool
shrinks(struct bounce *bounce)
{
    double *look = bounce->look;
    for (int i = 0; i < bounce->rows.n; i++)
        if (bounce->gap[i] == 0.0)
            look[0] = fmax(look[0], -bounce->rate[2 * i]);
    if (bounce->rows.n == 1 || bounce->impacts == 0 ||
        bounce->impacts % IMPACTS_LOOKED != 0)
        return true;
    bool first = bounce->impacts == IMPACTS_LOOKED;
    bounce->grown = !first && look[0] >= look[1] ? bounce->grown + 1 : 0;
    look[1] = look[0];
    look[0] = 0.0;
    return bounce->grown < 2;
}

/* -- pieces between -------------------------------------------------------- */

/* Chooses the modes of the points that are closed and have no rate, and makes
 * all accelerations. False: there is no one motion. */
static bool
choose(struct bounce *bounce)
{
    int n = bounce->rows.n, rows = 2 * n, n_closed = 0;
    int *index = NEW_N(bounce->run->brief, int, (size_t)n);
    memset(bounce->force, 0, sizeof *bounce->force * (size_t)rows);
    memcpy(bounce->acc, bounce->rows.free, sizeof *bounce->acc * (size_t)rows);
    for (int i = 0; i < n; i++) {
        if (bounce->gap[i] == 0.0 && bounce->rate[2 * i] == 0.0)
            index[n_closed++] = i;
        else
            bounce->held[i] = false;
    }
    if (n_closed == 0)
        return true;
    struct friction_point *point =
        NEW_N(bounce->run->brief, struct friction_point, n_closed);
    double *free = NEW_N(bounce->run->brief, double, 4 * (size_t)n_closed),
           *terms = free + 2 * n_closed;
    for (int i = 0; i < n_closed; i++) {
        int from = index[i];
        point[i] = bounce->rows.point[from];
        point[i].slip = bounce->rate[2 * from + 1];
        double mu[3];
        if (contact_friction_now(bounce->run, bounce->rows.spot[from].contact,
                                 fabs(point[i].slip), mu))
            return false;
        if (point[i].slip != 0.0)
            mu[1] = fmax(mu[0], mu[1]);
        else if (contact_friction_at_rest(bounce->run,
                                          bounce->rows.spot[from].contact,
                                          rt_time(bounce->run), mu[0], &mu[1]))
            return false;
        point[i].mu_dynamic = mu[0];
        point[i].mu_static = mu[1];
        point[i].held = bounce->held[from];
        point[i].before = bounce->mode[from];
        point[i].ended = false;
        for (int k = 0; k < 2; k++) {
            free[2 * i + k] = bounce->rows.free[2 * from + k];
            terms[2 * i + k] = bounce->rows.terms[2 * from + k];
        }
    }
    struct friction_instant instant = {.n = n_closed,
                                       .point = point,
                                       .W = part_of(bounce, index, n_closed),
                                       .free = free,
                                       .terms = terms,
                                       .brief = true};
    struct friction_choice *choice =
        NEW(bounce->run->brief, struct friction_choice);
    friction_choose(bounce->run->brief, &instant, choice);
    if (choice->taken < 0)
        return false;
    const struct friction_set *set = &choice->set[choice->taken];
    for (int i = 0; i < n_closed; i++) {
        bounce->mode[index[i]] = set->mode[i];
        bounce->held[index[i]] = set->mode[i] != CONTACT_FREE;
        bounce->force[2 * index[i]] = set->normal[i];
        bounce->force[2 * index[i] + 1] = set->tangential[i];
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            bounce->acc[i] += bounce->rows.W[i * rows + j] * bounce->force[j];
    for (int i = 0; i < n_closed; i++) {
        if (bounce->held[index[i]])
            bounce->acc[2 * index[i]] = 0.0;
        if (set->mode[i] == CONTACT_STICK)
            bounce->acc[2 * index[i] + 1] = 0.0;
    }
    return true;
}

/* The first root of g + v t + a t^2/2 after now; infinite: none. */
static double
comes_down(double g, double v, double a)
{
    if (isinf(g))
        return INFINITY;
    if (g == 0.0)
        return v > 0.0 && a < 0.0 ? -2.0 * v / a : INFINITY;
    double d = v * v - 2.0 * a * g;
    if (d < 0.0)
        return INFINITY;
    double q = v <= 0.0 ? -v + sqrt(d) : -(v + sqrt(d));
    double one = q != 0.0 ? 2.0 * g / q : INFINITY,
           two = a != 0.0 ? q / a : INFINITY;
    double best = one > 0.0 ? one : INFINITY;
    return two > 0.0 && two < best ? two : best;
}

/* Moves on by a flight within the piece. */
static void
advance(struct bounce *bounce, double flight)
{
    int n = bounce->rows.n;
    double step = flight / bounce->scale;
    for (int i = 0; i < n; i++)
        if (!bounce->held[i])
            bounce->gap[i] += flight * (bounce->rate[2 * i] +
                                        0.5 * step * bounce->acc[2 * i]);
    for (int i = 0; i < n; i++)
        bounce->peak[i] = fmax(bounce->peak[i], bounce->gap[i]);
    for (int i = 0; i < n; i++)
        bounce->work[i] +=
            step * bounce->force[2 * i + 1] *
            (bounce->rate[2 * i + 1] + 0.5 * step * bounce->acc[2 * i + 1]);
    for (int i = 0; i < 2 * n; i++) {
        bounce->rate[i] += step * bounce->acc[i];
        bounce->sum[i] += step * bounce->force[i];
        bounce->first[i] +=
            step * (bounce->time + 0.5 * step) * bounce->force[i];
    }
    bounce->time += step;
}

/* Marks the points that a run hits with the one that has come down by a flight
 * of this length: those within the tolerance of their gaps, or, where flights
 * are so low that it does not tell them from rest, those that fall from high
 * above what is left, and within the rounding of gap and flight. */
static void
mark_together(struct bounce *bounce, int down, double flight)
{
    double g = vec3_norm(bounce->run->world.gravity);
    for (int i = 0; i < bounce->rows.n; i++) {
        double u = bounce->rate[2 * i],
               acc = fmax(g, fabs(bounce->rows.free[2 * i]));
        if (i == down || bounce->held[i] || !(u < 0.0))
            continue;
        double gap = bounce->gap[i] / bounce->scale,
               flown = fmax((bounce->time - bounce->left_at[i]) * -u,
                            bounce->peak[i] / bounce->scale);
        bool high = points_high(u, acc, bounce->band[i]),
             near = gap <= bounce->band[i];
        if (gap <= fmin(bounce->blur[i],
                        -u * FLIGHT_BLUR * flight / bounce->scale) ||
            (near && !high && points_high(u, acc, gap) &&
             flown > POINTS_HIGH * gap))
            bounce->gap[i] = 0.0;
        bounce->together[i] =
            near && high && flown > POINTS_HIGH * bounce->band[i];
        bounce->joined |= bounce->together[i] || bounce->gap[i] == 0.0;
    }
}

/* Moves to the next event of the piece. False: nothing comes until `end`. */
static bool
fly(struct bounce *bounce, double end)
{
    int n = bounce->rows.n, down = -1, stops = -1;
    double best = INFINITY;
    for (int i = 0; i < n; i++) {
        double *rate = bounce->rate + 2 * i, *acc = bounce->acc + 2 * i;
        double t = bounce->held[i] ? INFINITY
                                   : comes_down(bounce->gap[i], rate[0],
                                                acc[0] / bounce->scale);
        if (t < best) {
            best = t;
            down = i;
            stops = -1;
        }
        t = bounce->held[i] && rate[1] * acc[1] < 0.0
                ? -rate[1] / acc[1] * bounce->scale
                : INFINITY;
        if (t < best) {
            best = t;
            stops = i;
            down = -1;
        }
    }
    if (!(bounce->time + best / bounce->scale <= end))
        return false;
    advance(bounce, best);
    if (down >= 0) {
        bounce->gap[down] = 0.0;
        bounce->approach[1] = down == bounce->last ? bounce->approach[0] : NAN;
        bounce->approach[0] = fabs(bounce->rate[2 * down]);
        bounce->last = down;
        limit_joins_note(bounce->ask->joins, down, bounce->gap, bounce->scale,
                         bounce->rate, bounce->held);
        mark_together(bounce, down, best);
    }
    if (stops >= 0)
        bounce->rate[2 * stops + 1] = 0.0;
    return true;
}

/* -- the limit ------------------------------------------------------------- */

/* Have all points that bounce come to rest, to rounding? Where no force ends
 * them, flights of points whose speeds are rounding may still take time. */
static bool
at_rest(struct bounce *bounce)
{
    bool any = false, late = false;
    double least = DBL_EPSILON * bounce->time * bounce->scale;
    for (int i = 0; i < bounce->rows.n; i++) {
        if (!bounce->bounced[i])
            continue;
        double still = BOUNCE_REST * bounce->high,
               fall = fabs(bounce->rows.free[2 * i]);
        if (collapses(bounce, i)) {
            still = fmax(still, bounce->rounded[i]);
            late |= bounce->gap[i] > fabs(bounce->rate[2 * i]) * least;
        }
        any = true;
        /* not so of numbers that are none, either */
        if (!(fabs(bounce->rate[2 * i]) <= still &&
              bounce->gap[i] / bounce->scale <= still * still / fall))
            return false;
    }
    return any && (!late || ++bounce->tail > COLLAPSE_TAIL);
}

static bool
approaches(const struct bounce *bounce)
{
    bool any = false;
    for (int i = 0; i < bounce->rows.n; i++)
        any |= bounce->gap[i] == 0.0 && bounce->rate[2 * i] < 0.0;
    return any;
}

/* Adds the impulses of all flights of the only point, which has just been hit
 * and comes to rest after this time, without anything between its flights. */
static void
add_flights(struct bounce *bounce, double mu, double time, bool sticks)
{
    const double *W = bounce->rows.W, *free = bounce->rows.free;
    double slip = bounce->rate[1], side = sticks ? 0.0 : copysign(mu, slip),
           p = W[0] - side * W[1],
           impulse = -(bounce->rate[0] + free[0] * time) / p,
           /* the sum of impulses times the time from now to each of them */
        moment = time * impulse +
                 time * (bounce->rate[0] + 0.5 * free[0] * time) / p,
           last = slip + free[1] * time + (W[2] - side * W[3]) * impulse;
    const double share[2] = {1.0, -side};
    for (int row = 0; row < 2; row++) {
        bounce->sum[row] += share[row] * impulse;
        bounce->first[row] += share[row] * (moment + bounce->time * impulse);
    }
    bounce->work[0] -= side * impulse * 0.5 * (slip + last);
    bounce->rate[0] = 0.0;
    bounce->rate[1] = sticks ? 0.0 : last;
    bounce->time += time;
}

/* Has the only point, whose restitution changes with the speed, flights whose
 * sum is known? Their ratio comes to that of a vanishing speed, which may be 1,
 * so that they are too many to follow. Then it is at the limit. */
static bool
sum_flights(struct bounce *bounce)
{
    uint32_t contact = bounce->rows.spot[0].contact;
    const double *W = bounce->rows.W, *free = bounce->rows.free;
    double normal = bounce->rate[0], mu[3];
    if (bounce->rows.n != 1 || !(normal > 0.0) || !(free[0] < 0.0) ||
        bounce->law[0].own ||
        !contact_is_plain(bounce->run, contact, CONTACT_LAW_APPROACH) ||
        contact_restitution_settled(bounce->run, contact, normal) ||
        contact_friction_now(bounce->run, contact, fabs(bounce->rate[1]), mu))
        return false;
    struct flight_sum sum;
    contact_restitution_flights(bounce->run, contact, normal, &sum);
    if (!sum.ends)
        return false;
    struct painleve_point point = {
        .A = W[3],
        .B = W[1],
        .C = W[0],
        .a = free[1],
        .b = free[0],
        .mu = mu[2],
        .slip = bounce->rate[1],
        .restitution = contact_restitution_ahead(bounce->run, contact, normal),
        .law = bounce->law[0].law};
    struct painleve_bounces bounces = {
        .time = -2.0 * normal / free[0] * sum.sum, .ratio = point.restitution};
    if (!painleve_bounces_apart(&point, normal, &bounces) ||
        (bounces.sticks &&
         fabs(free[1]) > SUM_LOAD * DBL_EPSILON * bounce->rows.terms[1]))
        return false;
    bounce->summed = bounce->bounced[0] = true;
    bounce->error = sum.error * bounces.time;
    bounce->approach[0] = point.restitution;
    bounce->approach[1] = 1.0;
    add_flights(bounce, mu[2], bounces.time, bounces.sticks);
    return true;
}

/* Between bodies that come together for ever flights end long before speeds:
 * makes the gaps longer that are about to be no numbers. */
static void
magnify(struct bounce *bounce)
{
    double most = 0.0;
    for (int i = 0; i < bounce->rows.n; i++)
        if (bounce->bounced[i] && !bounce->held[i])
            most = fmax(most, bounce->gap[i]);
    if (!(most > 0.0 && most < GAP_LEAST))
        return;
    bounce->scale = 1.0 / GAP_LEAST; /* or more: flights take no time */
    for (int i = 0; i < bounce->rows.n; i++) {
        bounce->gap[i] /= GAP_LEAST;
        bounce->peak[i] /= GAP_LEAST;
    }
}

/* Follows the points to their limit. */
static bool
follow(struct bounce *bounce)
{
    const int most = IMPACTS_MOST;
    /* a piece may end without an impact: its slip stops, again and again */
    for (int piece = 0; bounce->impacts < most && piece < 4 * most; piece++) {
        if (approaches(bounce)) {
            if (!shrinks(bounce) || !hit(bounce))
                break;
            magnify(bounce);
            if (at_rest(bounce))
                return true;
            continue;
        }
        if (bounce->rows.n == 1 && sum_flights(bounce))
            return bounce->time <= bounce->ask->ahead;
        if (!choose(bounce) || !fly(bounce, bounce->ask->ahead))
            break;
    }
    return bounce->tail > 0;
}

/* The limit is over: follows the points at rest until a time. Where their
 * motion is not one the run asks about it at the limit, and they stay as they
 * are. */
static void
rest_until(struct bounce *bounce, double end)
{
    for (int i = 0; i < bounce->rows.n; i++)
        if (bounce->bounced[i])
            bounce->gap[i] = bounce->rate[2 * i] = 0.0;
    /* each point may change its mode a few times, as its slip stops */
    for (int left = REST_PIECES * bounce->rows.n;
         left > 0 && bounce->time < end && choose(bounce); left--)
        if (!fly(bounce, end))
            advance(bounce, (end - bounce->time) * bounce->scale);
}

/* Was it a single impact without rebound, from high above what the tolerance of
 * the gap hides? The run makes it itself. */
static bool
one_impact(const struct bounce *bounce)
{
    int i = bounce->last;
    double fall = fmax(vec3_norm(bounce->run->world.gravity),
                       fabs(bounce->rows.free[2 * i]));
    return bounce->impacts == 1 && !bounce->summed &&
           points_high(-bounce->look[0], fall, bounce->band[i]);
}

/* What forces and impulses have done so far. */
static void
put_sums(const struct bounce *bounce, struct friction_forecast *out)
{
    for (int i = 0; i < bounce->rows.n; i++)
        out->work[i] = bounce->work[i];
    for (int i = 0; i < 2 * bounce->rows.n; i++) {
        out->impulse[i] = bounce->sum[i];
        out->moment[i] = bounce->time * bounce->sum[i] - bounce->first[i];
    }
}

static void
put(const struct bounce *bounce, struct forecast_limit *all,
    struct friction_forecast *out)
{
    int n = bounce->rows.n;
    for (int i = 0; i < n; i++) {
        all->group[i] = bounce->bounced[i];
        all->closed[i] = bounce->bounced[i] || bounce->held[i];
        all->moved[i] = all->closed[i];
        all->gap[i] = all->rate[i] = all->earlier[i] = 0.0;
        /* What is left of a slip that shrinks with the impacts is none. */
        double slip = bounce->rate[2 * i + 1];
        out->slip[i] = fabs(slip) <= RATE_NONE * bounce->fast ? 0.0 : slip;
    }
    put_sums(bounce, out);
    all->found = true;
    all->remaining = bounce->time;
}

static struct friction_forecast
forecast_room(struct rt *run, int points)
{
    size_t n = (size_t)points;
    return (struct friction_forecast){
        NEW_N(run->brief, double, 2 * n), NEW_N(run->brief, double, 2 * n),
        NEW_N(run->brief, double, n), NEW_N(run->brief, double, n)};
}

/* The points at the present instant. False: the model has no numbers for it. */
static bool
begin(struct rt *run, const struct forecast_question *ask,
      const struct contact_point *spot, struct bounce *bounce)
{
    size_t n = (size_t)ask->n;
    *bounce = (struct bounce){.run = run, .ask = ask, .scale = 1.0};
    bounce->rows =
        (struct friction_rows){.run = run, .n = ask->n, .spot = spot};
    if (friction_rows_read(&bounce->rows))
        return false;
    double *x = NEW_N(run->brief, double, 16 * n);
    bounce->gap = x;
    bounce->rate = x + 2 * n;
    bounce->acc = x + 4 * n;
    bounce->force = x + 6 * n;
    bounce->sum = x + 8 * n;
    bounce->first = x + 10 * n;
    bounce->work = NEW_N(run->brief, double, 3 * n);
    bounce->sums = bounce->work + n;
    bounce->rounded = bounce->sums + n;
    bounce->bounced = NEW_N(run->brief, bool, n);
    bounce->together = NEW_N(run->brief, bool, n);
    bounce->band = NEW_N(run->brief, double, 5 * n);
    bounce->blur = bounce->band + n;
    bounce->left_at = bounce->blur + n;
    bounce->peak = bounce->left_at + n;
    bounce->flown = bounce->peak + n;
    bounce->held = NEW_N(run->brief, bool, n);
    bounce->mode = NEW_N(run->brief, enum contact_mode, n);
    bounce->law = NEW_N(run->brief, struct friction_impact_point, n);
    memcpy(bounce->rate, bounce->rows.rate, 2 * n * sizeof *bounce->rate);
    for (size_t i = 0; i < n; i++) {
        /* a gap below 0 is rounding: the point is closed */
        bounce->gap[i] = fmax(ask->p[i].gap, 0.0);
        bounce->rate[2 * i] = ask->p[i].rate;
        bounce->rows.free[2 * i] = ask->p[i].free;
        friction_forecast_slip(&bounce->rows, ask, (int)i,
                               &bounce->rate[2 * i + 1]);
        double rate;
        gap_tolerances(run, spot[i].contact, &bounce->band[i], &rate);
        gap_rounding(run, spot[i].contact, &bounce->blur[i], &rate);
        bounce->left_at[i] = ask->bounces[i] ? 0.0 : -INFINITY;
        bounce->peak[i] = bounce->gap[i];
        bounce->flown[i] = INFINITY;
        bounce->held[i] = bounce->rows.point[i].held;
        bounce->mode[i] = bounce->rows.point[i].before;
        if (friction_law_point(run, spot[i].contact,
                               (enum imp_impact_law)run->im->impact_law, 0.0,
                               bounce->rate[2 * i + 1], &bounce->law[i]))
            return false;
        bounce->high = fmax(bounce->high, fabs(bounce->rate[2 * i]));
    }
    return true;
}

bool
friction_forecast(struct rt *run, const struct forecast_question *ask,
                  const struct contact_point *spot, struct forecast_limit *all,
                  struct friction_forecast *out)
{
    assert(ask->n > 0 && all->group != NULL);
    struct bounce start, *bounce = &start;
    all->found = false;
    if (!begin(run, ask, spot, bounce))
        return false;
    *out = forecast_room(run, ask->n);
    if (!follow(bounce) || !(bounce->time > 0.0) || one_impact(bounce))
        return false;
    if (ask->until > bounce->time)
        rest_until(bounce, ask->until);
    put(bounce, all, out);
    all->chatter = (struct accumulation_limit){
        .period = bounce->ask->n == 1,
        .depth = 1,
        .ratio = bounce->ask->n == 1 ? bounce->approach[0] / bounce->approach[1]
                                     : NAN,
        .ratio_error = NAN,
        .evidence = bounce->summed        ? LIMIT_BY_LAW
                    : bounce->ask->n == 1 ? LIMIT_BY_FLIGHTS
                                          : LIMIT_BELOW_ROUNDING,
        .remaining = bounce->time,
        .error = bounce->joined ? 1.0 : bounce->error / bounce->time};
    return true;
}

/* -- the way to the limit -------------------------------------------------- */

struct friction_way {
    struct bounce bounce;
    bool over; /* a limit of all came before the time that was asked for */
};

struct friction_way *
friction_way_begin(struct rt *run, const struct forecast_question *ask,
                   const struct contact_point *spot)
{
    assert(run != NULL && ask->n > 0);
    struct friction_way *way = NEW(run->brief, struct friction_way);
    return begin(run, ask, spot, &way->bounce) ? way : NULL;
}

bool
friction_way_to(struct friction_way *way, double time,
                struct friction_forecast *out, bool *rests)
{
    assert(way != NULL && out != NULL && rests != NULL);
    struct bounce *bounce = &way->bounce;
    int n = bounce->rows.n, most = IMPACTS_MOST;
    for (int piece = 0; piece < 4 * most && !way->over; piece++) {
        if (approaches(bounce)) {
            if (!hit(bounce))
                return false;
            way->over = at_rest(bounce);
            continue;
        }
        if (!choose(bounce))
            return false;
        if (!fly(bounce, time))
            break;
    }
    if (way->over)
        rest_until(bounce, time);
    else
        advance(bounce, (time - bounce->time) * bounce->scale);
    *out = forecast_room(bounce->run, n);
    put_sums(bounce, out);
    for (int i = 0; i < n; i++) {
        out->slip[i] = bounce->rate[2 * i + 1];
        rests[i] = bounce->gap[i] == 0.0 && bounce->rate[2 * i] == 0.0;
    }
    return true;
}
