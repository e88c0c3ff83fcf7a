/* SPDX-License-Identifier: MIT */
/* The order in which impacts repeat, read off the history of impacts. A
 * pattern is a sequence of contacts that has been hit several times in a row;
 * its period is the number of impacts in the sequence. The times of successive
 * periods shrink by a ratio: it converges when the impacts accumulate
 * (spec/chatter.md 2.2, 2.6). Nothing is compared with an absolute speed or
 * time. What a pattern comes to is decided in the room accumulation. */
#include "runtime/ballistic/workspace.h"

/* the map of a period is asked when its ratio changes by less than this share
 */
#define PERIOD_NEAR 0.25
/* two successive ratios agree to this per impact of the pattern */
#define PERIOD_CONVERGED (64.0 * DBL_EPSILON)

double
impact_history_last_flight(const struct ballistic *motion, int *exponent)
{
    if (motion->work->history.n == motion->work->history.first)
        return *exponent = 0, 0.0;
    *exponent = impact_history_entry(motion->work, 0)->exponent;
    return impact_history_entry(motion->work, 0)->flight;
}

int
impact_history_length(const struct ballistic_workspace *work)
{
    unsigned long n = work->history.n - work->history.first;
    return n < HISTORY_KEPT ? (int)n : HISTORY_KEPT - 1;
}

/* impacts in a row equal to those p before, not counted beyond `most` */
int
impact_history_matches(const struct ballistic_workspace *work, int p, int most)
{
    int n = impact_history_length(work) - p, k = 0;
    n = most < n ? most : n;
    while (k < n) {
        /* in pieces that go down in the ring without a break */
        const struct impact_entry *a = impact_history_entry(work, k),
                                  *b = impact_history_entry(work, k + p);
        long down = a < b ? a - work->history.entry : b - work->history.entry;
        int end = down < n - k - 1 ? k + (int)down + 1 : n;
        for (; k < end; k++, a--, b--)
            if (a->contact != b->contact)
                return k;
    }
    return k;
}

/* the flight of entry i, in the local time of now: exponent e */
static inline double
flight_of(const struct ballistic_workspace *work, unsigned long i, int e)
{
    const struct impact_entry *f = &work->history.entry[i % HISTORY_KEPT];
    return f->exponent == e ? f->flight : times2(f->flight, f->exponent - e);
}

/* the flights of n impacts, `back` ones before the last */
double
impact_history_time(const struct ballistic *motion, int n, int back)
{
    const struct ballistic_workspace *work = motion->work;
    unsigned long end = work->history.n - (unsigned long)back;
    double s = 0.0;
    for (unsigned long i = end - (unsigned long)n; i < end; i++)
        s +=
            flight_of(work, i, motion->length_exponent - motion->rate_exponent);
    return s;
}

/* of the last three periods, the last one first */
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

/* two contacts in turns, without acceleration: the law of their rates is known
 */
bool
pattern_alternates(const struct ballistic *motion, int period)
{
    const struct ballistic_workspace *work = motion->work;
    int m = motion->model.m;
    return period == 2 && impact_history_entry(work, 0)->contact < m &&
           impact_history_entry(work, 1)->contact < m &&
           !ballistic_accelerates(motion);
}

/* The ratio of a pattern, and how far it is from converged. The flights are
 * differences of gaps as large as a period ago, so that their rounding is
 * 1/ratio times as large. Convergence may be as slow as 1/k^2 in the number k
 * of periods (a double eigenvalue): then what is still to come is k times the
 * last change. */
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
    if (!(before < last && (change <= noise * pattern->ratio ||
                            change <= work->limits.accepted_error * rest)))
        return PATTERN_REPEATS;
    pattern->matches = impact_history_matches(work, period, HISTORY_KEPT);
    double n = (double)(pattern->matches / period + 1);
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

/* is a limit among the last entries? */
static bool
any_limit(const struct ballistic *motion, int n)
{
    for (int i = 0; i < n; i++)
        if (impact_history_entry(motion->work, i)->contact >= motion->model.m)
            return true;
    return false;
}

/* what the history says of a pattern of this period */
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
    /* limits count for as many as they are */
    if (match < 2 * period ||
        ((match < least || !enough) && !any_limit(motion, period)))
        return PATTERN_NONE;
    *near = false;
    *pattern = (struct pattern){.evidence = LIMIT_BY_FLIGHTS, .period = period};
    return by_flights(motion, period, pattern, near);
}

/* of the shortest period that there is; impacts: so many now */
enum pattern_state
pattern_shortest(const struct ballistic *motion, long impacts,
                 struct pattern *pattern, bool *ask_map)
{
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
            break; /* longer ones are multiples of it */
    }
    *ask_map = near &&
               (what == PATTERN_CONVERGED ? !(work->limits.accepted_error > 0.0)
                                          : impacts >= work->history.next_map);
    return what;
}

void
pattern_look_later(struct ballistic_workspace *work)
{
    /* more seldom where no pattern was found for long */
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
    struct ballistic_workspace *work = motion->work;
    struct pattern p;
    bool ask_map;
    if (work->history.n < work->history.next_look)
        return false;
    if (impact_history_length(work) >= HISTORY_KEPT / 2 ||
        impact_history_marks_due(motion, impacts) ||
        pattern_shortest(motion, impacts, &p, &ask_map) == PATTERN_CONVERGED ||
        ask_map)
        return true;
    pattern_look_later(work);
    return false;
}

bool
impact_history_trend(const struct ballistic *motion, int *period, double *ratio)
{
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
