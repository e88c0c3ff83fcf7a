/* SPDX-License-Identifier: MIT */
/* What the impacts before a limit, which are not followed, add to the extremes
 * and integrals of a run. The last flights before it tell: extremes go no
 * further from the value at the limit than in these, and what an integral still
 * changes by shrinks as the flights do (P. Wynn, "On a device for computing the
 * e_m(S_n) transformation", MTAC 10, 1956). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/along/along_priv.h"
#include "base/num.h"
#include "runtime/gap/tolerance.h"
#include "runtime/numerics/vec3.h"

/* Flights that ended no longer before the limit than this many times what is
 * left show how far values go. */
#define SHOWN 8.0
#define PERIODS 12     /* impacts of an order that repeats, at most */
#define EXTRAPOLATED 8 /* ends of flights, at most */
/* An integral is rounded to so many roundings of its terms. */
#define SUM_ROUNDED 4.0
/* the error of an estimate is told as so many times what its changes show */
#define ESTIMATE_SURE 4.0
/* An error of an integral that is told, as a share of it. */
#define INTEGRAL_TOLD 1e-12
/* Missed pieces that are, as far as they are known, below this share of an
 * extreme hide none. */
#define ROUNDING_MISSED 1e-12
#define REST_MISSED 0x1p-2
/* Forces of what rests leave this share of the weight, at most. */
#define WEIGHT_ROUNDED 0x1p-44

struct along_piece *
along_piece(struct followed *followed)
{
    assert(followed && followed->n_pieces);
    return &followed->piece[(followed->n_pieces - 1) % ALONG_KEPT];
}

/* Contacts share bits where they are more than these. */
static uint64_t
bit_of(uint32_t contact)
{
    return (uint64_t)1 << contact % 64;
}

void
along_flight_ends(struct along *along)
{
    assert(along);
    size_t last = (along->n_ends + ALONG_KEPT - 1) % ALONG_KEPT;
    uint64_t now = along->now_time == along->time ? along->now : 0;
    if (along->n_ends && along->end[last] == along->time) {
        along->of[last] |= now;
        return;
    }
    size_t place = along->n_ends++ % ALONG_KEPT;
    along->end[place] = along->time;
    along->of[place] = now;
    for (uint32_t i = 0; i < along->n; i++)
        along->v[i].sum[place] = along->v[i].value;
}

void
along_event(struct along *along, uint32_t contact)
{
    assert(along);
    double t = rt_time(along->analysis->rt);
    along->now = (along->now_time == t ? along->now : 0) | bit_of(contact);
    along->now_time = t;
}

/* When the last flight before the limit that was followed ended. */
static double
last_flight(const struct along *along, const struct followed *followed)
{
    for (size_t i = 0; i < along->n_ends && i < ALONG_KEPT; i++) {
        double end = along->end[(along->n_ends - 1 - i) % ALONG_KEPT];
        if (end < followed->last_to)
            return end;
    }
    return followed->last_from;
}

/* How far the expression may go from its value at the limit, `left` after the
 * last flight. */
static double
farthest(const struct followed *followed, double left)
{
    double most = 0;
    size_t n =
        followed->n_pieces < ALONG_KEPT ? followed->n_pieces : ALONG_KEPT;
    for (size_t i = 0; i < n; i++) {
        const struct along_piece *piece =
            &followed->piece[(followed->n_pieces - 1 - i) % ALONG_KEPT];
        if (i > 1 && piece->end < followed->last_to - SHOWN * left)
            break;
        most = fmax(most, fmax(fabs(piece->lo - followed->last_value),
                               fabs(piece->hi - followed->last_value)));
    }
    return most;
}

/* The ends of flights at contacts of the limit that lie `period` apart, oldest
 * first, and the integral there. Impacts elsewhere keep to no law of it.
 * Returns how many there are. */
static size_t
sums_at_ends(const struct along *along, const struct followed *followed,
             size_t period, double *time, double *sum)
{
    size_t kept = along->n_ends < ALONG_KEPT ? along->n_ends : ALONG_KEPT;
    size_t place[ALONG_KEPT], own = 0, n = 0;
    for (size_t back = 0; back < kept; back++) {
        size_t i = (along->n_ends - 1 - back) % ALONG_KEPT;
        /* but for the look at the limit itself */
        if (along->end[i] != followed->last_to &&
            along->of[i] & along->limit_of)
            place[own++] = i;
    }
    while (n < EXTRAPOLATED && n * period < own)
        n++;
    for (size_t i = 0; i < n; i++) {
        time[i] = along->end[place[(n - 1 - i) * period]];
        sum[i] = followed->sum[place[(n - 1 - i) * period]];
    }
    return n;
}

/* The error of the last of n estimates, oldest first, which come nearer to the
 * limit by one ratio or faster: the sum of the changes to come. What rounding
 * does to an estimate their changes show, too. INFINITY: too few, or too slow.
 */
static double
of_estimates(const double *estimate, size_t n, double rounding)
{
    if (n < 3)
        return INFINITY;
    double now = fabs(estimate[n - 1] - estimate[n - 2]),
           before = fabs(estimate[n - 2] - estimate[n - 3]);
    return fmax(now, before) <= rounding ? ESTIMATE_SURE * rounding
           : now <= before / 2
               ? ESTIMATE_SURE * (now / (1 - now / before) + rounding)
               : INFINITY;
}

/* The limit of n values that belong to the ends of flights. Times, places and
 * speeds each shrink by ratios of their own towards it, which need not be
 * powers of one another: an integral is a sum of geometric sequences, whose
 * limit Wynn's epsilon algorithm finds. Returns its error, by
 * how much an estimate differs from that with one end less and from that with
 * one sequence less, in sum, or as estimates that end earlier show; of the only
 * estimate, all that it adds to the last value, or by how much it is not what
 * is known `without` it: flights of another law, one in two, may come near
 * either. *limit: the limit. */
static double
extrapolated(const double *value, size_t n, double rounding, double without,
             double *limit)
{
    double epsilon[EXTRAPOLATED][EXTRAPOLATED] = {{0}}, error = INFINITY;
    memcpy(epsilon[0], value, n * sizeof *value);
    for (size_t order = 1; order < n; order++) {
        const double *was = epsilon[order - 1];
        size_t last = n - 1 - order; /* of this order */
        if (order % 2 && last > 0 && was[last + 1] == was[last] &&
            was[last] == was[last - 1]) {
            *limit = was[last + 1]; /* nothing changes any more */
            return 0;
        }
        for (size_t i = 0; i <= last; i++)
            epsilon[order][i] = (order > 1 ? epsilon[order - 2][i + 1] : 0) +
                                1 / (was[i + 1] - was[i]);
        if (order % 2)
            continue;
        double here = epsilon[order][last],
               off = last == 0
                         ? fmax(fabs(here - value[n - 1]), fabs(here - without))
                         : fabs(here - epsilon[order][last - 1]) +
                               fabs(here - epsilon[order - 2][last + 2]);
        off = fmin(off, of_estimates(epsilon[order], last + 1, rounding));
        if (off < error) {
            error = off;
            *limit = here;
        }
    }
    return error;
}

/* Flights whose lengths shrink by one ratio differ from it by this share, and
 * by so many roundings of their ends. What that does to an estimate, the
 * estimates before it show. */
#define RATIO_SHARE 1e-6
#define RATIO_ROUNDED 64.0

/* The ratio by which n - 1 flights shrink, one and all; 0: they do not. The
 * longest ones tell it best. */
static double
one_ratio(const double *time, size_t n)
{
    double first = n > 3 ? time[1] - time[0] : 0, ratio;
    if (!(first > 0))
        return 0;
    ratio = (time[2] - time[1]) / first;
    double flight = first, rounded = DBL_EPSILON * fabs(time[n - 1]);
    for (size_t i = 1; i + 1 < n; i++) {
        double next = time[i + 1] - time[i];
        if (fabs(next - ratio * flight) >
            RATIO_SHARE * flight + RATIO_ROUNDED * rounded)
            return 0;
        flight = next;
    }
    return ratio < 1 ? ratio : 0;
}

/* Where flights shrink by one ratio, each is the one before in a smaller scale,
 * and an integral until its end is a sum of powers of that scale: they are
 * taken out one after the other (L. F. Richardson and J. A. Gaunt, "The
 * deferred approach to the limit", Phil. Trans. R. Soc. A 226, 1927). Returns
 * the error of *limit, by how much it is not that of an end less and that of a
 * power less; INFINITY where values are too few. */
static double
without_powers(const double *value, size_t n, double ratio, double rounding,
               double *limit)
{
    double left[EXTRAPOLATED], power = 1, error = INFINITY, off = rounding;
    memcpy(left, value, n * sizeof *value);
    for (size_t m = 1; m + 1 < n; m++) {
        double was = left[n - m];
        power *= ratio;
        off *= (1 + power) / (1 - power);
        for (size_t i = 0; i + m < n; i++)
            left[i] = (left[i + 1] - power * left[i]) / (1 - power);
        double here = left[n - 1 - m],
               changes = fabs(here - was) + fabs(here - left[n - 2 - m]) + off;
        if (changes < error) {
            error = changes;
            *limit = here;
        }
    }
    return error;
}

/* Do the last three of n values differ by rounding alone? Then flights add
 * nothing, and there are no sequences whose differences the algorithm could
 * divide by. */
static bool
is_settled(const double *value, size_t n, double rounding)
{
    return n > 2 && fabs(value[n - 1] - value[n - 2]) <= rounding &&
           fabs(value[n - 2] - value[n - 3]) <= rounding;
}

/* The integral over the rest, which has been counted as if the expression were
 * linear there. Where the impacts keep to no one law, as before a limit of
 * limits, or where one contact has a limit after the impacts of several,
 * nothing better is known. Whether they do, the times of these ends show: the
 * limit, to which they lead, is known. The share of what is left by which the
 * algorithm misses it there counts as a share of the integral. Two sequences of
 * different signs mislead it, whose estimates agree by chance: where flights
 * shrink by one ratio, from the first or from one of the next ones on, their
 * powers are known instead. */
static void
rest_of_integral(const struct along *along, struct followed *followed,
                 double most, double left)
{
    double best = most * left, sum = followed->value;
    for (size_t period = 1;
         along->n_ends && along->regular && period <= PERIODS; period++) {
        double there = sum, at = INFINITY, time[EXTRAPOLATED],
               sums[EXTRAPOLATED];
        size_t n = sums_at_ends(along, followed, period, time, sums);
        double rounding =
            SUM_ROUNDED * DBL_EPSILON *
            (fabs(sum) + fmax(followed->kink->size, most) * followed->last_to);
        bool settled = is_settled(sums, n, rounding);
        double ratio = 0;
        size_t from = 0; /* impacts before it have no law yet */
        while (from < n && !(ratio = one_ratio(time + from, n - from)))
            from++;
        double error =
            settled ? rounding
            : ratio > 0
                ? without_powers(sums + from, n - from, ratio, rounding, &there)
                : extrapolated(sums, n, rounding, sum, &there);
        if (settled)
            there = sums[n - 1];
        extrapolated(time, n, 0, followed->last_to, &at);
        error = fmax(error, most * fabs(at - followed->last_to));
        double off = fabs(there - followed->value);
        if (!(error < best && fabs(there - sum) <= most * left))
            continue; /* flights of no law give estimates that cannot be */
        /* an estimate by more ends, whose error is greater, rules it out: all
         * that is known is that either may be right */
        if (off > best) {
            best = fmin(off, most * left);
            continue;
        }
        best = error;
        followed->value = there;
    }
    followed->beyond += best;
}

/* The last missed piece is one that ends at a limit. */
static void
at_limit(const struct along *along, struct followed *followed)
{
    double begin = last_flight(along, followed),
           left = followed->last_to - begin, most = farthest(followed, left),
           value = followed->last_value, top = 0;
    followed->missed--;
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_INTEGRAL:
        rest_of_integral(along, followed, most, left);
        return;
    case IMP_ALONG_SUP:
    case IMP_ALONG_FIRST:
    case IMP_ALONG_REACHED:
        top = value + most;
        break;
    case IMP_ALONG_EQUAL: /* it is 0 there, from above or below */
        top = most - fabs(value);
        break;
    case IMP_ALONG_SUP_ABS:
        top = fabs(value) + most;
        break;
    case IMP_ALONG_INF:
        top = -(value - most);
        break;
    }
    if (along_is_time(followed)
            ? (top < 0 ||
               (followed->any && followed->value < followed->last_to))
            : (followed->doubt && top <= followed->beyond))
        return;
    /* a time may lie before each of these limits */
    if (!along_is_time(followed) || !followed->doubt)
        followed->beyond_from = begin;
    followed->doubt = true;
    followed->limits++;
    followed->beyond = top;
    followed->beyond_to = followed->last_to;
}

void
along_add(struct followed *followed, double part)
{
    assert(followed);
    double all = part + followed->cut, sum = followed->value + all,
           added = sum - followed->value;
    followed->cut = (followed->value - (sum - added)) + (all - added);
    followed->value = sum;
}

void
along_by_ends(struct followed *followed, double h, double value)
{
    assert(followed && h > 0);
    if (followed->item->field == IMP_ALONG_INTEGRAL)
        along_add(followed, h * (followed->c[0] + value) / 2);
}

/* The greatest size of the last piece, of length h, at both ends and by its
 * series; infinite where it has none. */
static double
size_known(const struct followed *followed, double h, double value)
{
    double sum = 0;
    for (int k = IMP_ALONG_ORDER; k >= 0; k--)
        sum = sum * h + fabs(followed->c[k]);
    return (followed->blunt && !followed->noisy) || !isfinite(sum)
               ? INFINITY
               : fmax(sum, fabs(value));
}

void
along_missed(struct along *along, struct followed *followed, double t,
             double value)
{
    assert(along && followed && t > along->time);
    if (!followed->missed++)
        followed->from = along->time;
    followed->to = t;
    followed->last_from = along->time;
    followed->last_to = t;
    followed->last_value = value;
    double size = size_known(followed, t - along->time, value);
    followed->missed_most = fmax(followed->missed_most, size);
    followed->missed_sum += size * (t - along->time);
    along_by_ends(followed, t - along->time, value);
    if (t == along->limit)
        at_limit(along, followed);
}

void
along_limit(struct along *along, double time, bool regular,
            const uint32_t *contacts, uint32_t n)
{
    assert(along && contacts);
    along->limit_of = along->limit == time ? along->limit_of : 0;
    for (uint32_t i = 0; i < n; i++)
        along->limit_of |= bit_of(contacts[i]);
    along->regular = regular && (along->limit != time || along->regular);
    for (uint32_t i = 0; i < along->n; i++)
        if (along->limit != time && along->v[i].missed &&
            along->v[i].last_to == time)
            at_limit(along, &along->v[i]);
    along->limit = time;
}

/* -- what is told ---------------------------------------------------------- */

struct telling {
    const struct along *along;
    struct arena *arena;
    const char *label;
    void (*remark)(void *ctx, const char *text);
    void *ctx;
};

/* What of a place, a speed, a spin or an acceleration is rounding of what is at
 * rest, by its unit; 0 of other units. Throughout the run it moves nothing by
 * more than a small share of the least tolerance of a gap. */
static double
at_rest(const struct along *along, const char *unit)
{
    struct rt *run = along->analysis->rt;
    double least = INFINITY, gap, rate, span = along->until;
    bool turns = unit[0] == '1';
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        const imp_contact *contact = rt_contact(run, i);
        if (contact->system != IMP_NO_SYSTEM ||
            contact->flags & IMP_CONTACTF_STATED)
            continue;
        gap_tolerances(run, i, &gap, &rate);
        least = fmin(least, turns ? gap / gap_length(run, i) : gap);
    }
    if (!isfinite(least))
        return 0.0;
    return !strcmp(unit, "m") ? REST_MISSED * least
           : !strcmp(unit, "m/s") || !strcmp(unit, "1/s")
               ? REST_MISSED * least / span
           : !strcmp(unit, "m/s^2")
               ? WEIGHT_ROUNDED * vec3_norm(run->world.gravity)
               : 0.0;
}

/* Is all that was missed rounding beside the extreme, or the integral? So is
 * what a contact that sticks has moved. */
static bool
missed_rounding(const struct along *along, const struct followed *followed)
{
    struct rt *run = along->analysis->rt;
    double rest = at_rest(along, imp_text(run->im, followed->item->unit)),
           most = followed->missed_most;
    if (followed->item->field == IMP_ALONG_INTEGRAL) {
        most = followed->missed_sum;
        rest *= along->until;
    }
    return !along_is_time(followed) &&
           most <= fmax(ROUNDING_MISSED * fabs(followed->value), rest);
}

static void
tell_missed(const struct telling *telling, const struct followed *followed)
{
    char from[NUM_TEXT], to[NUM_TEXT];
    if (followed->missed && !missed_rounding(telling->along, followed))
        telling->remark(
            telling->ctx,
            arena_printf(telling->arena,
                         "%s counts at both ends alone of %zu piece%s between "
                         "t = %s and %s: a kink lies there",
                         telling->label, followed->missed,
                         followed->missed == 1 ? "" : "s",
                         rt_told(from, followed->from, 9),
                         rt_told(to, followed->to, 9)));
}

static void
tell_limit(const struct telling *telling, const struct followed *followed)
{
    char from[NUM_TEXT], to[NUM_TEXT], by[NUM_TEXT];
    enum imp_along_kind kind = (enum imp_along_kind)followed->item->field;
    double more = followed->beyond;
    bool tells = followed->doubt, time = along_is_time(followed);
    if (kind == IMP_ALONG_INTEGRAL)
        tells = more > INTEGRAL_TOLD * fabs(followed->value);
    else if (kind == IMP_ALONG_INF)
        more += followed->value;
    else if (!time)
        more -= followed->value;
    if (!tells || !(more > 0 || time) ||
        (!time && more <= 4 * DBL_EPSILON * fabs(followed->value)))
        return;
    rt_told(from, followed->beyond_from, 9);
    rt_told(to, followed->beyond_to, 9);
    num_bound(by, more, 2);
    const char *text =
        kind == IMP_ALONG_INTEGRAL
            ? arena_printf(telling->arena,
                           "%s is known to %s: impacts before a limit are not "
                           "followed one by one",
                           telling->label, by)
        : time
            ? arena_printf(telling->arena,
                           "%s may hold between t = %s and %s for the first "
                           "time, where impacts before %s are not followed one "
                           "by one",
                           telling->label, from, to,
                           followed->limits > 1
                               ? arena_printf(telling->arena, "%zu limits",
                                              followed->limits)
                               : "a limit")
            : arena_printf(telling->arena,
                           "%s may be passed by %s between t = %s and %s, "
                           "where impacts before a limit are not followed one "
                           "by one",
                           telling->label, by, from, to);
    telling->remark(telling->ctx, text);
}

void
along_put(struct along *along, struct record *out)
{
    assert(along && out);
    const imp_image *im = along->analysis->rt->im;
    for (uint32_t i = 0; i < along->n; i++) {
        const struct followed *followed = &along->v[i];
        const char *name = imp_text(im, followed->item->name);
        if (followed->any)
            SET_NUM(name, along_is_time(followed)
                              ? rt_told_time(followed->value)
                              : followed->value);
        else
            SET_ABSENT(name, along_is_time(followed)
                                 ? "the condition held at no time of this run"
                                 : "the run has no motion");
    }
}

void
along_tell(struct along *along, void (*remark)(void *ctx, const char *text),
           void *ctx)
{
    assert(along && remark);
    for (uint32_t i = 0; i < along->n; i++) {
        struct telling telling = {
            along, record_arena(along->analysis),
            imp_text(along->analysis->rt->im, along->v[i].item->label), remark,
            ctx};
        tell_missed(&telling, &along->v[i]);
        tell_limit(&telling, &along->v[i]);
    }
}
