/* SPDX-License-Identifier: MIT */
/* Expressions that are followed along a run by their Taylor series. From one
 * instant to the next the series is a polynomial whose extremes, integral and
 * zeros are found exactly; it is used as far as its last two coefficients say
 * that what is left out is rounding (Jorba & Zou 2005), and ends where the
 * expression has a kink. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/along/along_priv.h"
#include "runtime/derivatives/series_along.h"
#include "runtime/gap/tolerance.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"

/* What the remainder of a series may be, as a share of its greatest term: the
 * motion itself is followed to some units of rounding. */
#define REMAINDER (4 * DBL_EPSILON)
#define REMAINDER_LOG2 (-50.0)
/* The shortest piece beside a kink, as a share of what the series would reach:
 * what changes within it is below rounding, whatever the branch. Where the next
 * kink is nearer still, rounding decides on which side it is, and pieces
 * double. */
#define BESIDE_KINK 0x1p-48
#define DOUBLED_MOST 20
#define SWITCHES_AT_ONCE 4
/* Where there is no series at all, as of the norm of a vector that is 0 and
 * stays so, pieces double up to a thousandth of the run. */
#define DOUBLED_BLUNT 38
/* An integral that a piece without a series may change by is told where it is
 * this share of the greatest value times the length of the run. */
#define CHANGE_TOLD 1e-12
/* How far a series may miss the value at its other end, as a share of its
 * terms: the errors that the motion gathers within a piece, and the change of
 * the contact's points that gap series are made for, are far smaller. */
#define MISSED 1e-9
/* What a body at rest still shows of its motion is this share of the greatest
 * value at most, and no series foresees it. */
#define LEFT_OF_MOTION 0x1p-44
/* How far a piece goes between its ends tells what a limit may do to a first
 * time where its terms are this share of the distance from the level. */
#define NEAR_LEVEL 0.125
/* The terms of a gap that stays closed are so many of its tolerances in sum, at
 * most: its rounding alone. */
#define CLOSED_TERMS 8.0

struct along *
along_new(struct analysis *analysis, const imp_val *item, uint32_t n,
          double until)
{
    assert(analysis && (item || !n));
    struct arena *arena = record_arena(analysis);
    struct along *along = NEW(arena, struct along);
    along->analysis = analysis;
    along->until = until;
    along->closed = -1;
    along->v = NEW_N(arena, struct followed, n + 1);
    along->v_before = NEW_N(arena, struct followed, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (item[i].kind == IMP_VAL_ALONG) {
            struct followed *followed = &along->v[along->n++];
            followed->item = &item[i];
            followed->jumps = series_along_reads_force(analysis->rt, &item[i]);
            followed->c = NEW_N(arena, double, item[i].rows);
            followed->next = NEW_N(arena, double, item[i].rows);
            followed->kink =
                NEW_N(arena, struct along_kink, item[i].rows / ALONG_WIDTH);
            along_bound_new(analysis->rt, followed);
        }
    return along->n ? along : NULL;
}

void
along_forget(struct along *along)
{
    assert(along);
    for (uint32_t i = 0; i < along->n; i++)
        along->v[i] = (struct followed){.item = along->v[i].item,
                                        .jumps = along->v[i].jumps,
                                        .c = along->v[i].c,
                                        .next = along->v[i].next,
                                        .kink = along->v[i].kink,
                                        .bound = along->v[i].bound,
                                        .middle = along->v[i].middle,
                                        .variables = along->v[i].variables};
    along->begun = along->before.there = false;
    along->n_ends = 0;
    along->now = along->limit_of = 0;
}

/* -- one piece ------------------------------------------------------------- */

/* The step for which |c_m| h^m is REMAINDER of an earlier term. log2: rough
 * logarithms of the terms up to order m/2, which tell which may be it. */
static double
step_by(const double *c, int m, const double *log2)
{
    double best = 0, at[IMP_ALONG_ORDER / 2 + 1], most = -INFINITY, last;
    if (c[m] == 0)
        return INFINITY;
    last = rough_log2(fmin(fabs(c[m]), DBL_MAX));
    for (int k = 0; k <= m / 2; k++) {
        double share = log2[k] - last + REMAINDER_LOG2;
        bool plain = fabs(share) < DBL_MAX_EXP - 2;
        at[k] = plain ? share / (m - k) : INFINITY;
        if (plain)
            most = fmax(most, at[k]);
    }
    for (int k = 0; k <= m / 2; k++)
        if (c[k] != 0 && at[k] >= most - 8 * ROUGH_ERROR / m)
            best =
                fmax(best, pow(REMAINDER * fabs(c[k] / c[m]), 1.0 / (m - k)));
    return best > 0 ? best : pow(DBL_MIN / fabs(c[m]), 1.0 / m);
}

/* The condition holds at time t. */
static void
holds_first(struct followed *followed, double t)
{
    if (!followed->any)
        followed->value = t;
    followed->any = true;
}

/* A value at time t counts. */
static void
count_value(struct followed *followed, double value, double t)
{
    bool more = false;
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_SUP:
        more = value > followed->value;
        break;
    case IMP_ALONG_SUP_ABS:
        value = fabs(value);
        more = value > followed->value;
        break;
    case IMP_ALONG_INF:
        more = value < followed->value;
        break;
    case IMP_ALONG_FIRST:
    case IMP_ALONG_REACHED:
    case IMP_ALONG_EQUAL:
        if (value == 0 ? followed->item->field != IMP_ALONG_FIRST
                       : value > 0 && followed->item->field != IMP_ALONG_EQUAL)
            holds_first(followed, t);
        return;
    case IMP_ALONG_INTEGRAL:
        followed->any = true;
        return;
    }
    if (more || !followed->any) {
        followed->value = value;
        followed->at = t;
    }
    followed->any = true;
}

/* May there be a greater, or lesser, value within the piece than those so far?
 * Its first term is one of these. */
static bool
may_count(const struct followed *followed, double h)
{
    double change = changes(followed->c, h),
           sum = change + fabs(followed->c[0]), noise = ALONG_ROUNDING * sum;
    if (change == 0 || !followed->any)
        return change != 0;
    switch ((enum imp_along_kind)followed->item->field) {
    case IMP_ALONG_SUP:
        return followed->c[0] + change + noise >= followed->value;
    case IMP_ALONG_SUP_ABS:
        return sum + noise >= followed->value;
    default:
        return followed->c[0] - change - noise <= followed->value;
    }
}

/* Between which values the series of a piece stays within it. */
static void
piece_extremes(const double *c, double h, double noise,
               struct along_piece *piece)
{
    double slope[IMP_ALONG_ORDER + 1], root[IMP_ALONG_ORDER];
    if (changes(c, h) == 0)
        return;
    int degree = polynomial_derivative(c, IMP_ALONG_ORDER, slope),
        n = polynomial_roots(slope, degree, h, noise / h, root, degree);
    for (int i = 0; i < n; i++) {
        double value = polynomial_value(c, IMP_ALONG_ORDER, root[i]);
        piece->lo = fmin(piece->lo, value);
        piece->hi = fmax(piece->hi, value);
    }
}

/* Takes extremes, integral or the first zero of the piece of length h that
 * begins at `start`. */
static void
take_piece(struct followed *followed, double start, double h)
{
    const double *c = followed->c;
    double slope[IMP_ALONG_ORDER + 1], root[IMP_ALONG_ORDER], s;
    double noise = 2 * DBL_EPSILON * terms(c, h);
    struct along_piece *piece = along_piece(followed);
    double last = polynomial_value(c, IMP_ALONG_ORDER, h);
    piece->lo = fmin(c[0], last);
    piece->hi = fmax(c[0], last);
    if (followed->item->field == IMP_ALONG_INTEGRAL) {
        double sum = 0;
        for (int k = IMP_ALONG_ORDER; k >= 0; k--)
            sum = sum * h + c[k] / (k + 1);
        along_add(followed, sum * h);
        piece_extremes(c, h, noise, piece);
        return;
    }
    if (along_is_time(followed)) {
        if (changes(c, h) == 0) /* its value is counted; 0 > 0 never holds */
            return;
        if (changes(c, h) > NEAR_LEVEL * fabs(c[0]))
            piece_extremes(c, h, noise, piece);
        double down[IMP_ALONG_ORDER + 1]; /* the condition holds where < 0 */
        bool equal = followed->item->field == IMP_ALONG_EQUAL,
             touch = equal || followed->item->field == IMP_ALONG_REACHED;
        for (int k = 0; k <= IMP_ALONG_ORDER; k++)
            down[k] = equal && c[0] > 0 ? c[k] : -c[k];
        if (touch ? polynomial_below(down, IMP_ALONG_ORDER, 0, h, noise, &s)
                  : polynomial_through(down, IMP_ALONG_ORDER, h, noise, &s))
            holds_first(followed, start + s);
        return;
    }
    if (!may_count(followed, h))
        return;
    int degree = polynomial_derivative(c, IMP_ALONG_ORDER, slope);
    int n = polynomial_roots(slope, degree, h, noise / h, root, degree);
    for (int i = 0; i < n; i++) {
        double value = polynomial_value(c, IMP_ALONG_ORDER, root[i]);
        piece->lo = fmin(piece->lo, value);
        piece->hi = fmax(piece->hi, value);
        count_value(followed, value, start + root[i]);
    }
}

/* Is it a time that has been found? */
static bool
found(const struct followed *followed)
{
    return along_is_time(followed) && followed->any;
}

/* The least size up to which a gap of the run counts as closed, in m. */
static double
closed_gap(struct rt *run)
{
    const imp_contact *contact =
        IMP_ARRAY(run->im, run->im->contacts, imp_contact);
    double least = INFINITY, gap, rate;
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        if (contact[i].system != IMP_NO_SYSTEM ||
            contact[i].flags & IMP_CONTACTF_STATED)
            continue;
        gap_tolerances(run, i, &gap, &rate);
        least = fmin(least, gap);
    }
    return isfinite(least) ? least : 0;
}

/* Is this a gap that is closed at both ends of its piece of length h, and
 * foreseen to be so all the way? What is left of it is rounding, which no
 * series follows. (A flight is closed at both ends, too.) */
static bool
stays_closed(struct along *along, const struct followed *followed, double h,
             double foreseen, double value)
{
    struct rt *run = along->analysis->rt;
    if (along_is_time(followed) ||
        strcmp(imp_text(run->im, followed->item->unit), "m") != 0)
        return false;
    if (along->closed < 0)
        along->closed = closed_gap(run);
    return terms(followed->c, h) <= CLOSED_TERMS * along->closed &&
           fabs(followed->c[0]) <= along->closed &&
           fabs(foreseen) <= along->closed && fabs(value) <= along->closed;
}

/* These series of the expression and its kinks hold so far, by themselves. */
static double
series_known(const struct followed *followed, const double *series)
{
    double reach = INFINITY;
    for (uint32_t i = 0; i < followed->item->rows / ALONG_WIDTH; i++) {
        const double *c = series + (size_t)i * ALONG_WIDTH;
        double log2[IMP_ALONG_ORDER / 2 + 1];
        if (c[IMP_ALONG_ORDER] == 0 && c[IMP_ALONG_ORDER - 1] == 0)
            continue; /* it holds for ever */
        for (int k = 0; k <= IMP_ALONG_ORDER / 2; k++)
            log2[k] =
                c[k] != 0 && isfinite(c[k]) ? rough_log2(fabs(c[k])) : INFINITY;
        reach = fmin(reach, fmin(step_by(c, IMP_ALONG_ORDER, log2),
                                 step_by(c, IMP_ALONG_ORDER - 1, log2)));
    }
    return reach;
}

/* The series p from `s` later on (Horner, order by order). */
static void
move_series(double *p, double s)
{
    for (int from = 0; from < IMP_ALONG_ORDER; from++)
        for (int k = IMP_ALONG_ORDER - 1; k >= from; k--)
            p[k] += s * p[k + 1];
}

/* A piece of length h has led beyond its kink, as a limit of others is gone to
 * at once. Where what the kink depends on has gone on as its series said, and
 * the series from the end of the piece back to the kink meets the one from its
 * beginning there, these two are the piece: takes them. */
static bool
take_both_sides(struct along *along, struct followed *followed, double h)
{
    double *c = followed->c, back[ALONG_WIDTH], *of = c,
           at = along->reach - along->time;
    if (!along->to_kink || !(at > 0) || !(at < h) ||
        followed->known < along->time + h ||
        series_known(followed, followed->next) < h - at)
        return false;
    for (uint32_t i = 1; i < followed->item->rows / ALONG_WIDTH; i++)
        if (along_kink_off(followed, i, h) >
            MISSED * terms(c + (size_t)i * ALONG_WIDTH, h))
            return false;
    if (!(fabs(along_first_kink(followed, h) - at) <= MISSED * h))
        return false; /* the kink is one of others */
    memcpy(back, followed->next, sizeof back);
    double size = terms(c, at) + terms(back, h - at);
    move_series(back, at - h);
    if (fabs(back[0] - polynomial_value(c, IMP_ALONG_ORDER, at)) >
        MISSED * size)
        return false;
    take_piece(followed, along->time, at);
    followed->c = back;
    count_value(followed, back[0], along->reach);
    take_piece(followed, along->reach, h - at);
    followed->c = of;
    return true;
}

/* Does the last piece of length h, which ends with this value, lead from one
 * side of 0 to the other? Both sides are equal on the way, though no series
 * says so, or the root that it has lies behind the end by rounding. */
static void
passes_zero(const struct along *along, struct followed *followed, double h,
            double value)
{
    double from = followed->c[0];
    if (followed->item->field != IMP_ALONG_EQUAL || from == 0 || value == 0 ||
        (from > 0) == (value > 0))
        return;
    holds_first(followed, along->time + h * (from / (from - value)));
}

/* The last piece, which has no series, ends at time t with this value. Such
 * pieces are short, or nothing changes in them; what does is told. */
static void
without_series(struct along *along, struct followed *followed, double t,
               double value)
{
    double h = t - along->time, change = fabs(value - followed->c[0]),
           size = followed->kink[0].size, span = along->until;
    bool told = followed->item->field == IMP_ALONG_INTEGRAL
                    ? h * change / 2 > CHANGE_TOLD * size * span
                    : h > ldexp(fmax(BESIDE_KINK * span, along_least_step(t)),
                                DOUBLED_MOST) &&
                          change > MISSED * size;
    if (told) {
        along_missed(along, followed, t, value);
        return;
    }
    along_by_ends(followed, h, value);
    if (followed->item->rows == ALONG_WIDTH) /* no formula of it jumps */
        passes_zero(along, followed, h, value);
}

/* Notes the last piece, which ends at time t with this value. */
static void
note_piece(const struct along *along, struct followed *followed, double t,
           double value)
{
    followed->n_pieces++;
    *along_piece(followed) =
        (struct along_piece){along->time, t, fmin(followed->c[0], value),
                             fmax(followed->c[0], value)};
}

/* Are forces at both ends of the last piece, as those along the tangents of
 * bodies at rest, rounding of others? Then a series that does not lead from one
 * to the other is rounding, too. */
static bool
bears_nothing(const struct along *along, const struct followed *followed,
              double value)
{
    return fmax(fabs(followed->c[0]), fabs(value)) <=
           LEFT_OF_MOTION * series_along_greatest_force(along->analysis->rt);
}

/* The last piece ends in an event. Forces of contacts jump there: right before
 * it the points that bore them may be there no more, and the series tells what
 * they came to. Does it, and that is not the value then? */
static bool
ends_in_jump(const struct along *along, const struct followed *followed,
             double t, double value)
{
    double h = t - along->time;
    return followed->jumps && !followed->blunt && t <= along->reach &&
           t <= followed->known &&
           fabs(polynomial_value(followed->c, IMP_ALONG_ORDER, h) - value) >
               MISSED * (terms(followed->c, h) + fabs(value));
}

static void
take_jump(struct along *along, struct followed *followed, double t)
{
    double h = t - along->time,
           foreseen = polynomial_value(followed->c, IMP_ALONG_ORDER, h);
    if (found(followed))
        return;
    note_piece(along, followed, t, foreseen);
    take_piece(followed, along->time, h);
    count_value(followed, foreseen, t);
}

/* Does the last piece, of length h, end at time t because the motion changes
 * its branch there? It is beyond the change by its rounding. */
static bool
switched(const struct along *along, double h, double t)
{
    return fabs(t - along->switches) <= MISSED * h + along_least_step(t);
}

/* How far an item needs no look. */
static double
reach_of(const struct followed *followed)
{
    return fmax(followed->holds, along_quiet_for(followed, followed->holds));
}

/* The last piece ends at time t with this value. */
static void
end_piece(struct along *along, struct followed *followed, double t,
          double value)
{
    double h = t - along->time;
    /* a limit may have been gone to at once, from where the piece was to be
     * brief: beside a kink, or where values alone were read */
    bool brief = along->brief && t <= along->reach;
    if (found(followed))
        return;
    if (t > along->reach &&
        (followed->blunt || (along->brief && !along->to_kink))) {
        note_piece(along, followed, t, value);
        along_missed(along, followed, t, value);
        return;
    }
    if (t > followed->known && !along->brief && !followed->blunt) {
        note_piece(along, followed, t, value);
        if (t > along->reach && h > reach_of(followed))
            along_missed(along, followed, t, value);
        return;
    }
    double foreseen = polynomial_value(followed->c, IMP_ALONG_ORDER, h),
           *size = &followed->kink[0].size;
    *size = fmax(*size, fmax(fabs(followed->c[0]), fabs(value)));
    double little = fmax(MISSED * (terms(followed->c, h) + fabs(value)),
                         LEFT_OF_MOTION * *size);
    bool led = !brief && !followed->blunt && fabs(foreseen - value) <= little;
    note_piece(along, followed, t, value);
    if (stays_closed(along, followed, h, foreseen, value) ||
        (followed->jumps && !led && bears_nothing(along, followed, value))) {
        along_by_ends(followed, h, value);
        passes_zero(along, followed, h, value);
    } else if (led) {
        take_piece(followed, along->time, h);
        passes_zero(along, followed, h, value);
    } else if (brief || followed->blunt)
        without_series(along, followed, t, value);
    else if ((along->to_kink && t == along->reach &&
              along_jumps(followed, h, MISSED)) ||
             switched(along, h, t) ||
             along_jumps(followed, h, ALONG_ROUNDING) ||
             along_jumps_now(followed, h, t)) {
        take_piece(followed, along->time, h);
        count_value(followed, foreseen, t);
    } else if (!take_both_sides(along, followed, h)) {
        along_missed(along, followed, t, value);
    }
}

/* Where one of the series is not there, all that is known is the value. */
static bool
take_blunt(const struct followed *followed, double *c)
{
    bool blunt = false;
    for (uint32_t i = 0; i < followed->item->rows / ALONG_WIDTH; i++) {
        double *last = c + (size_t)i * ALONG_WIDTH + IMP_ALONG_ORDER;
        blunt |= fabs(*last) >= IMP_ALONG_BLUNT / 2;
        *last = fabs(*last) >= IMP_ALONG_BLUNT / 2 ? 0 : *last;
    }
    return blunt;
}

/* Has no item a kink, which would have to be looked for as far as that? */
static bool
no_kinks(const struct along *along)
{
    for (uint32_t i = 0; i < along->n; i++)
        if (along->v[i].blunt || along->v[i].item->rows > ALONG_WIDTH)
            return false;
    return true;
}

/* When the motion changes its branch next, as far as the series that were just
 * read, which hold for `known`, may be followed. What expressions tell has a
 * kink there, or jumps; where all of them are over, nothing looks there. What
 * comes at once again and again is rounding of what is held there. */
static double
next_switch(const struct along *along, double t, double known)
{
    double span = fmin(ldexp(known, QUIET_DOUBLINGS), along->until - t),
           least = along_least_step(t) + BESIDE_KINK * span;
    if (!(span > 0) || along_over(along))
        return INFINITY;
    double next = series_along_switch(along->analysis->rt, span);
    return next < t + least && along->doubled >= SWITCHES_AT_ONCE ? INFINITY
                                                                  : next;
}

/* When the next kink of an expression comes. Where pieces that have doubled as
 * often as they may still begin at one, it is rounding, as of the norm of a
 * difference of what moves alike, and the expression has no series there:
 * INFINITY. */
static double
kink_of(struct along *along, uint32_t i, double reach, double least)
{
    double kink = along_first_kink(&along->v[i], reach);
    if (!(kink < least) || along->doubled < DOUBLED_MOST)
        return kink;
    along->v[i].blunt = true;
    return INFINITY;
}

/* Sets how far the series that were just read hold. Those without one take
 * pieces that double, in which the others keep theirs. */
static void
set_reach(struct along *along, double t)
{
    double reach = along->until - t, kink = INFINITY, known = reach,
           least = along_least_step(t), step = INFINITY;
    bool later = no_kinks(along);
    for (uint32_t i = 0; i < along->n; i++) {
        struct followed *followed = &along->v[i];
        double holds =
            followed->blunt ? 0 : series_known(followed, followed->c);
        followed->known = t + holds;
        followed->holds = holds;
        followed->blunt |= holds < least && along->doubled >= DOUBLED_MOST;
        if (followed->blunt)
            continue;
        known = fmin(known, holds);
        reach = fmin(reach, !later            ? reach_of(followed)
                            : found(followed) ? INFINITY
                                              : holds);
    }
    for (uint32_t i = 0; i < along->n && reach > 0; i++)
        if (!found(&along->v[i]) && !along->v[i].blunt)
            kink = fmin(kink, kink_of(along, i, reach, least));
    for (uint32_t i = 0; i < along->n; i++)
        if (along->v[i].blunt && !found(&along->v[i]))
            step = ldexp(BESIDE_KINK * along->until, along->blunted);
    along->switches = next_switch(along, t, known);
    if (along->switches <= t + reach)
        kink = fmin(kink, along->switches - t);
    if (kink <= reach) {
        least += ldexp(BESIDE_KINK * reach, along->doubled);
        along->doubled = kink < least && along->doubled < DOUBLED_MOST
                             ? along->doubled + 1
                             : 0;
        reach = kink;
    } else if (reach < ldexp(least, along->doubled)) {
        /* Where a force has just begun with a power, the series hold for less
         * than the rounding of the time again and again. */
        least = ldexp(least, along->doubled);
        along->doubled += along->doubled < DOUBLED_MOST;
    } else if (isinf(step)) {
        along->doubled = 0;
    }
    along->blunted =
        isinf(step) ? 0 : along->blunted + (along->blunted < DOUBLED_BLUNT);
    along->to_kink = isfinite(kink) && step > fmax(reach, least);
    along->brief = reach < least;
    reach = fmin(fmax(reach, least), fmax(step, along_least_step(t)));
    along->reach = t + reach;
    along->known = t + fmin(reach, fmax(known, least));
    along->later = later && known > least && isinf(kink);
}

/* The longest piece without a series. */
static double
longest_blunt(const struct along *along)
{
    return ldexp(BESIDE_KINK * along->until, DOUBLED_BLUNT);
}

/* Keeps what stands before a look at the end of a piece. Behind a second look
 * at one time its series is no more. */
static void
keep_before(struct along *along, double t)
{
    along->before.there = along->begun && t > along->time;
    if (!along->before.there)
        return;
    memcpy(along->v_before, along->v, along->n * sizeof *along->v);
    along->before.time = along->time;
    along->before.reach = along->reach;
    along->before.known = along->known;
    along->before.switches = along->switches;
    along->before.doubled = along->doubled;
    along->before.blunted = along->blunted;
    along->before.brief = along->brief;
    along->before.to_kink = along->to_kink;
    along->before.later = along->later;
}

/* The last look was beyond the present time. */
static void
go_back(struct along *along)
{
    memcpy(along->v, along->v_before, along->n * sizeof *along->v);
    along->time = along->before.time;
    along->reach = along->before.reach;
    along->known = along->before.known;
    along->switches = along->before.switches;
    along->doubled = along->before.doubled;
    along->blunted = along->before.blunted;
    along->brief = along->before.brief;
    along->to_kink = along->before.to_kink;
    along->later = along->before.later;
}

static int
look(struct along *along, bool ends, size_t events)
{
    double t = rt_time(along->analysis->rt);
    if (along->before.there && t < along->time && t >= along->before.time)
        go_back(along);
    keep_before(along, t);
    /* a row that was asked for is looked at twice, too, and ends no flight */
    if (along->begun && t == along->time && events != along->events)
        along_flight_ends(along);
    bool event = ends || events != along->events;
    along->events = events;
    for (uint32_t i = 0; i < along->n; i++) {
        struct followed *followed = &along->v[i];
        double *c = followed->next;
        int st = arg_numbers(along->analysis, followed->item, c);
        if (st)
            return st;
        bool blunt = take_blunt(followed, c),
             jump = event && along->begun && t > along->time &&
                    ends_in_jump(along, followed, t, c[0]);
        if (followed->open && t > along->time)
            count_value(followed, followed->c[0], along->time);
        if (jump) {
            take_jump(along, followed, t);
        } else if (along->begun && t > along->time) {
            along_learn_rounding(followed, t - along->time);
            end_piece(along, followed, t, c[0]);
        }
        followed->next = followed->c;
        followed->c = c;
        if (!along->begun && !blunt)
            along_free_motion(followed, fmin(longest_blunt(along),
                                             series_known(followed, c)));
        if (event) /* it may set in motion what rested */
            along_heed(followed);
        followed->noisy = !blunt && !ends && along_noisy(followed);
        followed->blunt =
            blunt || followed->noisy ||
            (!ends && along_vanished(followed, longest_blunt(along)));
        followed->open = jump || (followed->open && ends && t == along->time);
        if (!followed->open)
            count_value(followed, c[0], t);
        followed->over = along_is_over(along->analysis->rt, followed);
    }
    along->time = t;
    along->begun = true;
    if (ends) {
        along->brief = true;
        along->to_kink = false;
        along->reach = along->known = t + along_least_step(t);
        along->later = false;
    } else {
        set_reach(along, t);
    }
    return IMP_OK;
}

int
along_look(struct along *along, bool ends, size_t events,
           void (*give)(void *ctx), void *ctx)
{
    assert(along && give);
    series_along_same(along->analysis->rt, true);
    if (ends)
        series_along_values(along->analysis->rt, true);
    else
        give(ctx);
    int st = look(along, ends, events);
    series_along_values(along->analysis->rt, false);
    series_along_same(along->analysis->rt, false);
    return st;
}

double
along_reach(struct along *along, bool followed)
{
    assert(along);
    if (!along->begun || !followed)
        return along->begun ? along->known : INFINITY;
    double reach = along->until - along->time;
    for (uint32_t i = 0; i < along->n && along->later; i++)
        reach = fmin(reach, reach_of(&along->v[i]));
    if (along->later)
        along->reach =
            fmax(along->reach, fmin(along->time + reach, along->switches));
    along->later = false;
    return along->reach;
}
