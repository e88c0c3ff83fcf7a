/* SPDX-License-Identifier: MIT */
/* The order in which impacts repeat, read off the history of impacts. A pattern
 * is a sequence of contacts that has been hit several times in a row; its
 * period is the number of impacts in the sequence. The times of successive
 * periods shrink by a ratio, which converges when the impacts accumulate
 * (chatter.md 2.2, 2.6). No absolute speed or time is used. What a pattern
 * comes to is decided in the room accumulation.
 *
 * Two contacts that are hit in turns without acceleration have a law of their
 * own, which tells whether the impacts ever end, and when their limit is. Right
 * after an impact at i the rates in the metric of the masses are p = u_i/|N_i|
 * > 0 and s = -u_j/|N_j| > 0. The impact at j turns them into
 *     p' = e_j s,   s' = b_j s - p,   b = (1 + e) w,
 *     w = -W_ij/(|N_i| |N_j|),
 * whatever the gaps are, and the next impact is at i as long as s' > 0. So x =
 * s/p changes by x' = b_j/e_j - 1/(e_j x), which rises with x. Over a period
 * the matrix A = A_i A_j has
 *     tr A = b_i b_j - e_i - e_j,   det A = e_i e_j,
 * and the map has the fixed points x = (l + e_i)/(e_i b_j), where l are the
 * eigenvalues of A, if these are real and positive. Above the lesser fixed
 * point the impacts never end, below it they do; without fixed points they
 * always end (chatter.md 2.2, 2.6; here for any two restitutions). A
 * flight takes the time t = g/s, where g is the gap of j in that metric. It
 * leaves the gap g' = p t, so t' = t p/s'; these times are summed until x has
 * come to the greater fixed point. */
#include "runtime/ballistic/workspace.h"

#include <assert.h>

/* The period map is asked when the ratio changes by less than this share. */
#define PERIOD_NEAR 0.25
/* Two successive ratios are equal when they agree to this, per impact of the
 * pattern. */
#define PERIOD_CONVERGED (64.0 * DBL_EPSILON)

double
impact_history_last_flight(const struct ballistic *motion, int *exponent)
{
    assert(motion && motion->work);
    assert(exponent);
    if (motion->work->history.n == motion->work->history.first)
        return *exponent = 0, 0.0;
    *exponent = impact_history_entry(motion->work, 0)->exponent;
    return impact_history_entry(motion->work, 0)->flight;
}

long
ballistic_impacts_before(const struct ballistic *motion)
{
    assert(motion && motion->work);
    return motion->work->flight.before;
}

void
ballistic_impact_before(const struct ballistic *motion, long back,
                        struct ballistic_impact *impact)
{
    assert(motion && motion->work && impact);
    assert(motion->each_told);
    assert(back > 0 && back <= motion->work->flight.before);
    assert(back < BALLISTIC_RESCALE);
    const struct ballistic_workspace *work = motion->work;
    unsigned long at = work->history.n - 1 - (unsigned long)back;
    const struct impact_entry *entry = &work->history.entry[at % HISTORY_KEPT];
    *impact = (struct ballistic_impact){
        .contact = entry->contact,
        .flight = entry->flight,
        .rate = work->flight.up[at % BALLISTIC_RESCALE],
        .flight_exponent = entry->exponent,
        .rate_exponent = work->flight.up_exponent};
}

int
impact_history_length(const struct ballistic_workspace *work)
{
    assert(work->history.first <= work->history.n);
    unsigned long n = work->history.n - work->history.first;
    return n < HISTORY_KEPT ? (int)n : HISTORY_KEPT - 1;
}

int
impact_history_matches(const struct ballistic_workspace *work, int period,
                       int most)
{
    assert(period > 0 && most >= 0);
    int compared = impact_history_length(work) - period, matched = 0;
    compared = most < compared ? most : compared;
    while (matched < compared) {
        /* in pieces that lie in the ring without a break */
        const struct impact_entry *a = impact_history_entry(work, matched),
                                  *b = impact_history_entry(work,
                                                            matched + period);
        long down = a < b ? a - work->history.entry : b - work->history.entry;
        int end =
            down < compared - matched - 1 ? matched + (int)down + 1 : compared;
        for (; matched < end; matched++, a--, b--)
            if (a->contact != b->contact)
                return matched;
    }
    return matched;
}

/* Returns the flight of entry i, in the local time with exponent e. */
static inline double
flight_of(const struct ballistic_workspace *work, unsigned long i, int e)
{
    const struct impact_entry *f = &work->history.entry[i % HISTORY_KEPT];
    return f->exponent == e ? f->flight : times2(f->flight, f->exponent - e);
}

double
impact_history_time(const struct ballistic *motion, int n, int back)
{
    assert(n >= 0 && back >= 0);
    assert(n + back <= HISTORY_KEPT);
    const struct ballistic_workspace *work = motion->work;
    unsigned long end = work->history.n - (unsigned long)back;
    double s = 0.0;
    for (unsigned long i = end - (unsigned long)n; i < end; i++)
        s +=
            flight_of(work, i, motion->length_exponent - motion->rate_exponent);
    return s;
}

/* Sums up the times of the last three periods, the last one first. */
static void
sums_of(const struct ballistic *motion, int period, double sum[3])
{
    const struct ballistic_workspace *work = motion->work;
    unsigned long n = (unsigned long)period, i = work->history.n - 3 * n;
    for (int k = 2; k >= 0; k--) {
        double s = 0.0;
        for (unsigned long end = i + n; i < end; i++)
            s += flight_of(work, i,
                           motion->length_exponent - motion->rate_exponent);
        sum[k] = s;
    }
}

bool
ballistic_accelerates(const struct ballistic *motion)
{
    int i = 0;
    while (i < motion->model.m && motion->matrices.gap_acc[i] == 0.0)
        i++;
    return i < motion->model.m;
}

bool
pattern_alternates(const struct ballistic *motion, int period)
{
    assert(motion);
    const struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    return period == 2 && impact_history_entry(work, 0)->contact < contacts &&
           impact_history_entry(work, 1)->contact < contacts &&
           !ballistic_accelerates(motion);
}

/* How far the flights of the last period are from those of the one before times
 * the ratio: the greatest difference, as a share of the period before. Contacts
 * that do not feel each other, and whose impacts accumulate at different times,
 * repeat an order for long. The times of its periods may then have one ratio,
 * while those between the impacts of one contact and of another do not. */
static double
unlike(const struct ballistic *motion, int period, double ratio, double before)
{
    const struct ballistic_workspace *work = motion->work;
    unsigned long n = (unsigned long)period, last = work->history.n;
    int e = motion->length_exponent - motion->rate_exponent;
    double most = 0.0;
    for (unsigned long i = last - n; i < last; i++)
        most = greater(most, fabs(flight_of(work, i, e) -
                                  ratio * flight_of(work, i - n, e)));
    return most / before;
}

/* The ratio of a pattern, and how far it is from converged. The flights are
 * differences of gaps that are as large as a period ago, so their rounding
 * error is 1/ratio times as large. Convergence may be as slow as 1/k^2 in the
 * number k of periods (at a double eigenvalue): what is still to come is then k
 * times the last change. */
static enum pattern_state
by_flights(const struct ballistic *motion, int period, struct pattern *pattern,
           bool *near)
{
    const struct ballistic_workspace *work = motion->work;
    double sum[3];
    sums_of(motion, period, sum);
    double now = sum[0], before = sum[1], last = sum[2];
    if (!(now < before && now > 0.0))
        return PATTERN_REPEATS;
    double noise = PERIOD_CONVERGED * period * (1.0 + before / now);
    pattern->ratio = now / before;
    pattern->remaining = now * pattern->ratio / (1.0 - pattern->ratio);
    double change = fabs(pattern->ratio - before / last),
           rest = 1.0 - pattern->ratio;
    *near = before < last && change <= PERIOD_NEAR * pattern->ratio;
    change = greater(change, unlike(motion, period, pattern->ratio, before));
    if (!(before < last && (change <= noise * pattern->ratio ||
                            change <= work->limits.accepted_error * rest)))
        return PATTERN_REPEATS;
    pattern->matches = impact_history_matches(work, period, HISTORY_KEPT);
    double n = (double)(pattern->matches / period + 1);
    pattern->ratio_error = n * change + noise * pattern->ratio;
    pattern->error =
        n * (change + DBL_EPSILON * period) / rest + 4.0 * DBL_EPSILON;
    if (change > noise * pattern->ratio &&
        pattern->error > work->limits.accepted_error)
        return PATTERN_REPEATS;
    if (pattern_alternates(motion, period) &&
        two_contacts_limit(motion, impact_history_entry(work, 0)->contact,
                           impact_history_entry(work, 1)->contact, NULL) <= 0)
        return PATTERN_REPEATS;
    return pattern->error <= ACCUMULATION_KNOWN ? PATTERN_CONVERGED
                                                : PATTERN_REPEATS;
}

/* Is there a limit among the last n entries? */
static bool
any_limit(const struct ballistic *motion, int n)
{
    for (int i = 0; i < n; i++)
        if (impact_history_entry(motion->work, i)->contact >= motion->model.m)
            return true;
    return false;
}

/* Says what the history tells about patterns of this period. */
static enum pattern_state
repeats(const struct ballistic *motion, int period, struct pattern *pattern,
        bool *near)
{
    const struct ballistic_workspace *work = motion->work;
    int most = HISTORY_KEPT - 1 - period;
    long least = work->limits.resolve - period;
    bool enough =
        least <= most || (long)work->history.n >= work->limits.resolve;
    least = least < most ? least : most;
    least = least > 2 * period ? least : 2 * period;
    int match = impact_history_matches(work, period, (int)least);
    /* a limit counts for all its impacts */
    if (match < 2 * period ||
        ((match < least || !enough) && !any_limit(motion, period)))
        return PATTERN_NONE;
    *near = false;
    *pattern = (struct pattern){.evidence = LIMIT_BY_FLIGHTS, .period = period};
    return by_flights(motion, period, pattern, near);
}

enum pattern_state
pattern_shortest(const struct ballistic *motion, long impacts,
                 struct pattern *pattern, bool *ask_map)
{
    assert(pattern && ask_map);
    const struct ballistic_workspace *work = motion->work;
    enum pattern_state what = PATTERN_NONE;
    int n = impact_history_length(work);
    bool near = false;
    for (int period = 1; period <= HISTORY_PERIOD && 3 * period <= n;
         period++) {
        if (impact_history_entry(work, 0)->contact ==
                impact_history_entry(work, period)->contact &&
            impact_history_entry(work, 1)->contact ==
                impact_history_entry(work, period + 1)->contact)
            what = repeats(motion, period, pattern, &near);
        if (what != PATTERN_NONE)
            break; /* longer periods are multiples of this one */
    }
    *ask_map = near &&
               (what == PATTERN_CONVERGED ? !(work->limits.accepted_error > 0.0)
                                          : impacts >= work->history.next_map);
    return what;
}

void
pattern_look_later(struct ballistic_workspace *work)
{
    /* look more rarely where no pattern was found for long */
    unsigned long wait =
        (work->history.n - work->history.last_limit) / (8 * HISTORY_LOOK);
    work->history.next_look =
        work->history.n + HISTORY_LOOK * (wait < 1      ? 1
                                          : wait < 16   ? wait
                                          : wait < 1024 ? 16
                                                        : 64);
}

bool
impact_history_period_due(struct ballistic *motion, long impacts)
{
    assert(motion);
    struct ballistic_workspace *work = motion->work;
    struct pattern pattern;
    bool ask_map;
    if (work->history.n < work->history.next_look)
        return false;
    if (impact_history_length(work) >= HISTORY_KEPT / 2 ||
        impact_history_marks_due(motion, impacts) ||
        pattern_shortest(motion, impacts, &pattern, &ask_map) ==
            PATTERN_CONVERGED ||
        ask_map)
        return true;
    pattern_look_later(work);
    return false;
}

bool
impact_history_trend(const struct ballistic *motion, int *period, double *ratio)
{
    assert(motion && motion->work);
    assert(period && ratio);
    int n = impact_history_length(motion->work), p = 1;
    if (n < 3 * HISTORY_LOOK)
        return false;
    while (p <= HISTORY_PERIOD && 3 * p <= n &&
           impact_history_matches(motion->work, p, 2 * p) < 2 * p)
        p++;
    *period = p <= HISTORY_PERIOD && 3 * p <= n ? p : 0;
    p = *period ? p : n / 2;
    *ratio =
        impact_history_time(motion, p, 0) / impact_history_time(motion, p, p);
    return isfinite(*ratio);
}

/* -- two contacts in turns --------------------------------------------------
 */

/* rounding error of a rate, beside the terms of the conditions above */
#define PAIR_NOISE (64.0 * DBL_EPSILON)
/* number of periods that are summed one by one */
#define PAIR_MOST 10000

struct pair_law {
    double e, b; /* of an impact */
};

/* Sum of the flights from now on, in units of the first one. quotient: s/p now;
 * x1: the fixed point to which it converges; ratio: that of the times of
 * periods there. The functions below call p the rate `away` and s the rate
 * `approach`. *off: the relative error of the sum apart from rounding; the
 * sum goes on until it is below `good`. */
static double
sum(const struct pair_law law[2], double quotient, double x1, double ratio,
    double good, double *off)
{
    double t = 1.0, total = 0.0, rest = 0.0;
    *off = INFINITY;
    for (int k = 0; k < PAIR_MOST && good < *off; k++) {
        double part = 0.0;
        for (int contact = 0; contact < 2; contact++) {
            part += t;
            double to =
                (law[contact].b - 1.0 / quotient) / law[contact].e; /* s'/p' */
            t /= law[contact].e * quotient * to;
            quotient = to;
        }
        total += part;
        /* the times of further periods shrink by the ratio, except for what
         * the quotient still lacks */
        rest = part * ratio / (1.0 - ratio);
        *off =
            rest / (total + rest) * fabs(quotient - x1) / (x1 * (1.0 - ratio));
    }
    return total + rest;
}

int
two_contacts_limit(const struct ballistic *motion, int first, int second,
                   struct fixed_point *out)
{
    assert(first >= 0 && first < motion->model.m);
    assert(second >= 0 && second < motion->model.m);
    assert(first != second);
    int contacts = motion->model.m;
    double ei = motion->model.e[first], ej = motion->model.e[second];
    double w = -motion->matrices.W[first * contacts + second] /
               (motion->matrices.root[first] * motion->matrices.root[second]);
    double bi = (1.0 + ei) * w, bj = (1.0 + ej) * w;
    double away = motion->rate[first] / motion->matrices.root[first],
           approach = -motion->rate[second] / motion->matrices.root[second];
    double tr = bi * bj - ei - ej, det = ei * ej;
    if (!(away > 0.0) || !(det > 0.0))
        return 0;
    if (!(approach > 0.0) || !(w > 0.0))
        return -1;
    double disc = tr * tr - 4.0 * det;
    double noise = PAIR_NOISE * (tr * tr + bi * bj * fabs(tr) + 4.0 * det);
    if (disc < -noise || tr < 0.0)
        return -1;
    if (!(disc > noise))
        return 0;
    double root = sqrt(disc), great = 0.5 * (tr + root), less = det / great;
    double least = (less + ei) / (ei * bj), quotient = approach / away;
    double off = PAIR_NOISE * (least + quotient) + noise / root / (ei * bj);
    if (!(quotient > least + off))
        return quotient < least - off ? -1 : 0;
    if (!out)
        return 1;
    struct pair_law law[2] = {{ej, bj}, {ei, bi}};
    double ratio = less / great, x1 = (great + ei) / (ei * bj), lacks;
    double good = greater(accumulation_good_enough(motion->work), DBL_EPSILON);
    double T = motion->gap[second] / -motion->rate[second] *
               sum(law, quotient, x1, ratio, good, &lacks);
    *out = (struct fixed_point){
        .remaining = T,
        .ratio = ratio,
        .rate_ratio = great,
        .contraction = ratio,
        .error_fall = ratio * ratio,
        .error = DBL_EPSILON, /* more impacts would not give a better value */
        .rounding = lacks + noise / disc + PAIR_NOISE / (1.0 - ratio),
        /* less and great change by noise/root, in opposite directions */
        .ratio_error = ratio * (PAIR_NOISE + noise / (root * great))};
    return T > 0.0 && isfinite(T) && ratio < 1.0 ? 1 : 0;
}
