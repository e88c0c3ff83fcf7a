/* SPDX-License-Identifier: MIT */
/* See bounces.h. The points move by impacts and parabolas until those that
 * bounce are slower than rounding. */
#include "runtime/bounces/bounces.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/friction/painleve.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/numerics/factors.h"

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
/* What has not been hit by so many impacts of points that come to rest takes no
 * part in their limit. */
#define IMPACTS_SOME 4
#define COLLAPSE_TAIL 1000 /* most impacts at rest whose flights take time */
/* most pieces per point that are followed beyond the limit */
#define REST_PIECES 4

/* -- impacts --------------------------------------------------------------- */

/* Returns the rows of some points: W and friction points for these alone. */
static double *
part_of(struct bounces *bounce, const int *index, int m)
{
    size_t rows = 2 * (size_t)bounce->n;
    double *W = NEW_N(bounce->piece, double, 4 * (size_t)m * (size_t)m + 1);
    for (int i = 0; i < 2 * m; i++)
        for (int j = 0; j < 2 * m; j++)
            W[i * 2 * m + j] =
                bounce->W[(size_t)(2 * index[i / 2] + i % 2) * rows +
                          (size_t)(2 * index[j / 2] + j % 2)];
    return W;
}

static void
add_impulse(struct bounces *bounce, int row, double impulse)
{
    int rows = 2 * bounce->n;
    bounce->sum[row] += impulse;
    bounce->first[row] += impulse * bounce->time;
    for (int i = 0; i < rows; i++) {
        double term = bounce->W[i * rows + row] * impulse;
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

/* Notes what the impact of these points rounds rates by. Returns the greatest
 * terms of them all. */
static double
note_rounding(struct bounces *bounce, const int *index, int n_closed)
{
    double most = 0.0;
    for (int i = 0; i < n_closed; i++)
        most = fmax(most, bounce->sums[index[i]]);
    for (int i = 0; i < n_closed; i++)
        bounce->sums[index[i]] = most;
    for (int i = 0; i < bounce->n; i++)
        bounce->rounded[i] =
            fmax(bounce->rounded[i], sum_rounding(bounce->sums[i], n_closed));
    return most;
}

/* Do forces leave the speed of this point as it is, to rounding, until the
 * limit? Then flights take no time where impacts have no end. So it is where
 * flights shrink faster than speeds, as between two surfaces that close. */
static bool
collapses(const struct bounces *bounce, int i)
{
    double fall = fabs(bounce->free[2 * i]);
    return bounce->scale > 1.0 || fall * bounce->time <= bounce->rounded[i] ||
           fall * bounce->flown[i] <= FLIGHT_BLUR * fabs(bounce->rate[2 * i]);
}

/* The impact of all points that are closed now, or come down with them. False:
 * it is not determined. */
static bool
hit_closed(struct bounces *bounce)
{
    int n = bounce->n, n_closed = 0,
        *index = NEW_N(bounce->piece, int, (size_t)n);
    struct friction_impact_point *point =
        NEW_N(bounce->piece, struct friction_impact_point, n);
    for (int i = 0; i < n; i++) {
        bool down = bounce->gap[i] == 0.0 || bounce->together[i];
        bounce->together[i] = false;
        if (!down || bounce->rate[2 * i] > 0.0)
            continue;
        point[n_closed] = bounce->law[i];
        point[n_closed].normal = bounce->rate[2 * i];
        if (contact_restitution_at(bounce->run, bounce->contact[i],
                                   -point[n_closed].normal, &point[n_closed].e))
            return false;
        point[n_closed].slip = bounce->rate[2 * i + 1];
        double mu[3];
        if (!bounce->friction(bounce, i, fabs(point[n_closed].slip), false, mu))
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
    friction_impact_group(bounce->piece, n_closed,
                          part_of(bounce, index, n_closed), point,
                          (enum imp_impact_law)bounce->run->im->impact_law,
                          bounce->memory, &group);
    if (group.why || !isfinite(group.energy) || (bounce->some && group.tie))
        return false;
    bounce->may_gain |= group.may_gain;
    for (int i = 0; i < 2 * n_closed; i++)
        if (group.impulse[i] != 0.0)
            add_impulse(bounce, 2 * index[i / 2] + i % 2, group.impulse[i]);
    double most = note_rounding(bounce, index, n_closed);
    double now = 0.0; /* the greatest rate of those that bounce */
    for (int i = 0; i < n; i++)
        now = fmax(now, bounce->bounced[i] ? fabs(bounce->rate[2 * i]) : 0.0);
    for (int i = 0; i < n_closed; i++) {
        bounce->work[index[i]] += group.work[i];
        bounce->hits[index[i]] = bounce->impacts + 1;
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
hit(struct bounces *bounce)
{
    struct rt *run = bounce->run;
    struct diags quiet, *told = run->ds;
    int status = run->law_status;
    arena_clear(bounce->piece);
    diags_init(&quiet, bounce->piece, told->sources);
    run->ds = &quiet;
    bool good = hit_closed(bounce) && !run->law_status;
    run->ds = told;
    run->law_status = status;
    return good;
}

/* Notes the speeds of approach of the coming impact. False: they have not
 * shrunk for long. */
static bool
shrinks(struct bounces *bounce)
{
    double *look = bounce->look;
    for (int i = 0; i < bounce->n; i++)
        if (bounce->gap[i] == 0.0)
            look[0] = fmax(look[0], -bounce->rate[2 * i]);
    if (bounce->n == 1 || bounce->impacts == 0 ||
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
choose(struct bounces *bounce)
{
    int n = bounce->n, rows = 2 * n, n_closed = 0;
    arena_clear(bounce->piece);
    int *index = NEW_N(bounce->piece, int, (size_t)n);
    memset(bounce->force, 0, sizeof *bounce->force * (size_t)rows);
    memcpy(bounce->acc, bounce->free, sizeof *bounce->acc * (size_t)rows);
    for (int i = 0; i < n; i++) {
        if (bounce->gap[i] == 0.0 && bounce->rate[2 * i] == 0.0)
            index[n_closed++] = i;
        else
            bounce->held[i] = false;
    }
    if (n_closed == 0)
        return true;
    struct friction_point *point =
        NEW_N(bounce->piece, struct friction_point, n_closed);
    double *free = NEW_N(bounce->piece, double, 4 * (size_t)n_closed),
           *terms = free + 2 * n_closed;
    for (int i = 0; i < n_closed; i++) {
        int from = index[i];
        point[i] = bounce->point[from];
        point[i].slip = bounce->rate[2 * from + 1];
        double mu[3];
        if (!bounce->friction(bounce, from, fabs(point[i].slip),
                              point[i].slip == 0.0, mu))
            return false;
        if (point[i].slip != 0.0)
            mu[1] = fmax(mu[0], mu[1]);
        point[i].mu_dynamic = mu[0];
        point[i].mu_static = mu[1];
        point[i].held = bounce->held[from];
        point[i].before = bounce->mode[from];
        point[i].ended = false;
        for (int k = 0; k < 2; k++) {
            free[2 * i + k] = bounce->free[2 * from + k];
            terms[2 * i + k] = bounce->terms[2 * from + k];
        }
    }
    struct friction_instant instant = {.n = n_closed,
                                       .point = point,
                                       .W = part_of(bounce, index, n_closed),
                                       .free = free,
                                       .terms = terms,
                                       .brief = true,
                                       .memory = bounce->memory};
    struct friction_choice *choice = NEW(bounce->piece, struct friction_choice);
    friction_choose(bounce->piece, &instant, choice);
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
            bounce->acc[i] += bounce->W[i * rows + j] * bounce->force[j];
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
advance(struct bounces *bounce, double flight)
{
    int n = bounce->n;
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
mark_together(struct bounces *bounce, int down, double flight)
{
    double g = bounce->fall;
    for (int i = 0; i < bounce->n; i++) {
        double u = bounce->rate[2 * i],
               acc = fmax(g, fabs(bounce->free[2 * i]));
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
fly(struct bounces *bounce, double end)
{
    int n = bounce->n, down = -1, stops = -1;
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
        limit_joins_note(bounce->joins, down, bounce->gap, bounce->scale,
                         bounce->rate, bounce->held);
        mark_together(bounce, down, best);
    }
    if (stops >= 0)
        bounce->rate[2 * stops + 1] = 0.0;
    return true;
}

/* -- the limit ------------------------------------------------------------- */

/* Is this point, which has been hit, at rest to rounding? *late: it may be, in
 * flights that still take time. */
static bool
is_still(const struct bounces *bounce, int i, bool *late)
{
    double still = BOUNCE_REST * bounce->high, fall = fabs(bounce->free[2 * i]),
           rate = fabs(bounce->rate[2 * i]),
           least = DBL_EPSILON * bounce->time * bounce->scale;
    bool ends = collapses(bounce, i);
    if (ends)
        still = fmax(still, bounce->rounded[i]);
    /* not so of numbers that are none, either */
    if (!(rate <= still &&
          bounce->gap[i] / bounce->scale <= still * still / fall))
        return false;
    *late |= ends && bounce->gap[i] > rate * least;
    return true;
}

/* Have all points that bounce come to rest, to rounding? Where no force ends
 * them, flights of points whose speeds are rounding may still take time. */
static bool
at_rest(struct bounces *bounce)
{
    bool any = false, late = false;
    for (int i = 0; i < bounce->n; i++) {
        bounce->rests[i] = bounce->bounced[i] && is_still(bounce, i, &late);
        any |= bounce->rests[i];
        if (bounce->bounced[i] && !bounce->rests[i] &&
            !(bounce->some &&
              bounce->impacts - bounce->hits[i] >= IMPACTS_SOME)) {
            if (bounce->some) /* what rested has been hit again */
                bounce->tail = 0;
            return false;
        }
    }
    return any && (!late || ++bounce->tail > COLLAPSE_TAIL);
}

static bool
approaches(const struct bounces *bounce)
{
    bool any = false;
    for (int i = 0; i < bounce->n; i++)
        any |= bounce->gap[i] == 0.0 && bounce->rate[2 * i] < 0.0;
    return any;
}

/* Adds the impulses of all flights of the only point, which has just been hit
 * and comes to rest after this time, without anything between its flights. */
static void
add_flights(struct bounces *bounce, double mu, double time, bool sticks)
{
    const double *W = bounce->W, *free = bounce->free;
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
sum_flights(struct bounces *bounce)
{
    uint32_t contact = bounce->contact[0];
    const double *W = bounce->W, *free = bounce->free;
    double normal = bounce->rate[0], mu[3];
    if (bounce->n != 1 || !(normal > 0.0) || !(free[0] < 0.0) ||
        bounce->law[0].own ||
        !contact_is_plain(bounce->run, contact, CONTACT_LAW_APPROACH) ||
        contact_restitution_settled(bounce->run, contact, normal) ||
        !bounce->friction(bounce, 0, fabs(bounce->rate[1]), false, mu))
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
         fabs(free[1]) > SUM_LOAD * DBL_EPSILON * bounce->terms[1]))
        return false;
    bounce->summed = bounce->bounced[0] = bounce->rests[0] = true;
    bounce->error = sum.error * bounces.time;
    bounce->approach[0] = point.restitution;
    bounce->approach[1] = 1.0;
    add_flights(bounce, mu[2], bounces.time, bounces.sticks);
    return true;
}

/* Between bodies that come together for ever flights end long before speeds:
 * makes the gaps longer that are about to be no numbers. */
static void
magnify(struct bounces *bounce)
{
    double most = 0.0;
    for (int i = 0; i < bounce->n; i++)
        if (bounce->bounced[i] && !bounce->held[i])
            most = fmax(most, bounce->gap[i]);
    if (!(most > 0.0 && most < GAP_LEAST))
        return;
    bounce->scale = 1.0 / GAP_LEAST; /* or more: flights take no time */
    for (int i = 0; i < bounce->n; i++) {
        bounce->gap[i] /= GAP_LEAST;
        bounce->peak[i] /= GAP_LEAST;
    }
}

bool
bounces_follow(struct bounces *bounce)
{
    assert(bounce->n > 0 && bounce->friction);
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
        if (bounce->n == 1 && sum_flights(bounce))
            return bounce->time <= bounce->ahead;
        if (!choose(bounce) || !fly(bounce, bounce->ahead))
            break;
    }
    return bounce->tail > 0;
}

/* Where their motion is not one the run asks about it at the limit, and they
 * stay as they are. */
void
bounces_rest_until(struct bounces *bounce, double end)
{
    for (int i = 0; i < bounce->n; i++)
        if (bounce->some ? bounce->rests[i] : bounce->bounced[i])
            bounce->gap[i] = bounce->rate[2 * i] = 0.0;
    /* each point may change its mode a few times, as its slip stops */
    for (int left = REST_PIECES * bounce->n;
         left > 0 && bounce->time < end && choose(bounce); left--)
        if (!fly(bounce, end))
            advance(bounce, (end - bounce->time) * bounce->scale);
}

bool
bounces_until(struct bounces *bounce, double time, bool *over)
{
    assert(bounce != NULL && over != NULL);
    for (int piece = 0; piece < 4 * IMPACTS_MOST && !*over; piece++) {
        if (approaches(bounce)) {
            if (!hit(bounce))
                return false;
            *over = at_rest(bounce);
            continue;
        }
        if (!choose(bounce))
            return false;
        if (!fly(bounce, time))
            break;
    }
    if (*over)
        bounces_rest_until(bounce, time);
    else
        advance(bounce, (time - bounce->time) * bounce->scale);
    return true;
}

double
bounces_slip(const struct bounces *bounce, int point)
{
    assert(bounce != NULL && point < bounce->n);
    double slip = bounce->rate[2 * point + 1];
    return fabs(slip) <= RATE_NONE * bounce->fast ? 0.0 : slip;
}

void
bounces_sums(const struct bounces *bounce, double *impulse, double *moment)
{
    assert(bounce != NULL && impulse != NULL && moment != NULL);
    for (int i = 0; i < 2 * bounce->n; i++) {
        impulse[i] = bounce->sum[i];
        moment[i] = bounce->time * bounce->sum[i] - bounce->first[i];
    }
}

/* The rank of the gaps of n points. */
static int
gaps_rank(const struct bounces *bounce, const int *point, int n)
{
    struct arena *arena = bounce->run->brief;
    size_t rows = 2 * (size_t)bounce->n;
    double *W = NEW_N(arena, double, (size_t)(n * n) + 1);
    int *piv = NEW_N(arena, int, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            W[i * n + j] =
                bounce
                    ->W[(size_t)(2 * point[i]) * rows + (size_t)(2 * point[j])];
    return n == 0 || imp_ldlt_factor(n, W, piv) ? 0 : imp_ldlt_rank(n, piv);
}

bool
bounces_independent(const struct bounces *bounce, const bool *closed)
{
    assert(bounce != NULL && closed != NULL);
    int *point = NEW_N(bounce->run->brief, int, bounce->n), n_closed = 0;
    for (int i = 0; i < bounce->n; i++)
        if (closed[i] && !bounce->bounced[i])
            point[n_closed++] = i;
    int n = n_closed, held = gaps_rank(bounce, point, n_closed);
    for (int i = 0; i < bounce->n; i++)
        if (bounce->hits[i] > 0 && (!closed[i] || bounce->bounced[i]))
            point[n++] = i;
    return gaps_rank(bounce, point, n) == held + n - n_closed;
}

struct bounces *
bounces_new(struct rt *run, int points)
{
    assert(run != NULL && points > 0);
    static const char key; /* of the arena of pieces */
    size_t n = (size_t)points;
    struct bounces *bounce = NEW(run->brief, struct bounces);
    double *x = NEW_N(run->brief, double, 25 * n);
    *bounce = (struct bounces){.run = run,
                               .memory = friction_memory_new(run->brief),
                               .n = points,
                               .scale = 1.0};
    rt_keep(run, &key, 0, 1, &bounce->piece);
    double **lists[] = {&bounce->rate, &bounce->acc,   &bounce->force,
                        &bounce->sum,  &bounce->first, &bounce->free,
                        &bounce->terms};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++, x += 2 * n)
        *lists[i] = x;
    double **lists_of_points[] = {
        &bounce->gap,     &bounce->band,  &bounce->blur,
        &bounce->left_at, &bounce->work,  &bounce->sums,
        &bounce->rounded, &bounce->flown, &bounce->peak};
    for (size_t i = 0; i < sizeof lists_of_points / sizeof *lists_of_points;
         i++, x += n)
        *lists_of_points[i] = x;
    bounce->bounced = NEW_N(run->brief, bool, 4 * n);
    bounce->together = bounce->bounced + n;
    bounce->held = bounce->together + n;
    bounce->rests = bounce->held + n;
    bounce->hits = NEW_N(run->brief, int, n);
    bounce->mode = NEW_N(run->brief, enum contact_mode, n);
    bounce->law = NEW_N(run->brief, struct friction_impact_point, n);
    for (size_t i = 0; i < n; i++) {
        bounce->left_at[i] = -INFINITY;
        bounce->flown[i] = INFINITY;
    }
    return bounce;
}
