/* SPDX-License-Identifier: MIT */
/* Infinitely many impacts in finite time. The impacts of a chatter repeat a
 * pattern of contacts, and the times of successive patterns shrink by a ratio
 * that converges; nothing is compared with an absolute speed or time. Once the
 * ratio is known to rounding the rest of the series is a geometric sum, and the
 * limit follows from the impulses' directions alone: all of them lie in
 * span M^-1 N^T of the group, so velocity and position at the limit are the
 * projections, orthogonal in the metric of M, of what free motion would give:
 *     v* = P (v + a T),   x* = P (x + v T + a T^2/2),   N_group P = 0.
 * A single contact under constant acceleration has the ratio e at once
 * (spec/chatter.md 2.2, 2.6). A limit becomes one entry of the history, so that
 * limits can repeat in a pattern in their turn. */
#include <string.h>

#include "runtime/ballistic/ballistic_priv.h"
#include "runtime/numerics/dense.h"

/* the map of a period is asked when its ratio changes by less than this share
 */
#define PERIOD_NEAR 0.25
/* and later by so many impacts at most, where it finds nothing */
#define MAP_LATER 64
/* two successive ratios agree to this per impact of the pattern */
#define PERIOD_CONVERGED (64.0 * DBL_EPSILON)

static const struct impact_entry *
kept(const struct ballistic_workspace *w, int back)
{
    return &w->ring[(w->n_ring - 1 - (unsigned long)back) % HISTORY_KEPT];
}

double
impact_history_last_flight(const struct ballistic *l, int *exponent)
{
    if (l->w->n_ring == l->w->from)
        return *exponent = 0, 0.0;
    *exponent = kept(l->w, 0)->exponent;
    return kept(l->w, 0)->flight;
}

static int
n_kept(const struct ballistic_workspace *w)
{
    unsigned long n = w->n_ring - w->from;
    return n < HISTORY_KEPT ? (int)n : HISTORY_KEPT - 1;
}

/* impacts in a row equal to those p before, not counted beyond `most` */
static int
matches(const struct ballistic_workspace *w, int p, int most)
{
    int n = n_kept(w) - p, k = 0;
    n = most < n ? most : n;
    while (k < n) {
        /* in pieces that go down in the ring without a break */
        const struct impact_entry *a = kept(w, k), *b = kept(w, k + p);
        long down = a < b ? a - w->ring : b - w->ring;
        int end = down < n - k - 1 ? k + (int)down + 1 : n;
        for (; k < end; k++, a--, b--)
            if (a->contact != b->contact)
                return k;
    }
    return k;
}

/* the flight of entry i, in the local time of now: exponent e */
static inline double
flight_of(const struct ballistic_workspace *w, unsigned long i, int e)
{
    const struct impact_entry *f = &w->ring[i % HISTORY_KEPT];
    return f->exponent == e ? f->flight : times2(f->flight, f->exponent - e);
}

/* the flights of n impacts, `back` ones before the last */
static double
sum_of(const struct ballistic *l, int n, int back)
{
    const struct ballistic_workspace *w = l->w;
    unsigned long end = w->n_ring - (unsigned long)back;
    double s = 0.0;
    for (unsigned long i = end - (unsigned long)n; i < end; i++)
        s += flight_of(w, i, l->ex - l->ev);
    return s;
}

/* of the last three periods, the last one first */
static void
sums_of(const struct ballistic *l, int period, double sum[3])
{
    const struct ballistic_workspace *w = l->w;
    unsigned long n = (unsigned long)period, i = w->n_ring - 3 * n;
    for (int k = 2; k >= 0; k--) {
        double s = 0.0;
        for (unsigned long end = i + n; i < end; i++)
            s += flight_of(w, i, l->ex - l->ev);
        sum[k] = s;
    }
}

struct pattern {
    enum limit_evidence means;
    int period, match;
    double ratio, speed, contraction;
    double T, error; /* what remains, local; its relative error */
};

/* A flight under the acceleration that it leaves with takes 2 u/a: the speed
 * that the last impact left tells what remains. */
static bool
bouncing(const struct ballistic *l, struct pattern *p)
{
    const struct ballistic_workspace *w = l->w;
    int c = kept(w, 0)->contact;
    if (w->run < 3 || c >= l->model.m || !(l->na[c] < 0.0))
        return false;
    double e = l->model.e[c];
    *p = (struct pattern){.means = LIMIT_BY_LAW,
                          .period = 1,
                          .match = w->run - 1,
                          .ratio = e,
                          .T = -2.0 * l->rate[c] / (l->nal[c] * (1.0 - e)),
                          .error = 4.0 * DBL_EPSILON};
    return e < 1.0;
}

static void
group_of(const struct ballistic *l, int period, bool *group)
{
    memset(group, 0, (size_t)l->model.m);
    for (int i = 0; i < period; i++)
        impact_history_group_add(l, kept(l->w, i)->contact, group);
}

static bool
accelerates(const struct ballistic *l)
{
    int i = 0;
    while (i < l->model.m && l->k.nf[i] == 0.0)
        i++;
    return i < l->model.m;
}

/* two contacts in turns, without acceleration: the law of their rates is known
 */
static bool
in_turns(const struct ballistic *l, int period)
{
    const struct ballistic_workspace *w = l->w;
    int m = l->model.m;
    return period == 2 && kept(w, 0)->contact < m && kept(w, 1)->contact < m &&
           !accelerates(l);
}

/* The fixed point of such two, of the order, where nobody asks when it comes to
 * rest, or of the map. False: none is known. */
static bool
fixed(struct ballistic *l, const struct pattern *p, bool whenever,
      const bool *group, struct fixed_point *out)
{
    const struct ballistic_workspace *w = l->w;
    if (in_turns(l, p->period))
        return two_contacts_limit(l, kept(w, 0)->contact, kept(w, 1)->contact,
                                  out) > 0;
    *out = (struct fixed_point){.T = p->T, .off = DBL_EPSILON};
    int rests = whenever ? period_map_order(l, p->period, group, out) : 0;
    return rests ? rests > 0 : period_map_limit(l, p->period, group, out);
}

/* where the map finds nothing: more seldom, at first; a period costs little
 * beside the map of one */
static bool
not_yet(struct ballistic *l, int period)
{
    long wait = l->impacts / 2, round = HISTORY_LOOK * period;
    wait = wait < MAP_LATER ? wait : MAP_LATER;
    l->w->map_at = l->impacts + (wait > round ? wait : round);
    return false;
}

/* By the map of the pattern's period. True: good to rounding, of itself or of
 * the limit's time; else map_at says when it may be. known: its flights
 * have converged. */
static bool
by_map(struct ballistic *l, struct pattern *p, bool known, double until)
{
    struct ballistic_workspace *w = l->w;
    struct fixed_point fix, order;
    bool *group = w->marks->sel;
    group_of(l, p->period, group);
    bool whenever = w->verdict && !(until < INFINITY);
    if (!fixed(l, p, whenever, group, &fix))
        return not_yet(l, p->period);
    /* or the error is lost in the time since the start, of which what remains
     * becomes an ever smaller share */
    double T = times2(fix.T, l->ex - l->ev);
    double time = 0.5 * DBL_EPSILON * (l->t - l->start + T) / T;
    double good =
        greater(greater(time, fix.noise), accumulation_good_enough(w));
    /* without acceleration a fixed point that is only good beside the time may
     * be no more than a place where one is about to arise */
    bool sure = fix.off <= ACCUMULATION_KNOWN || accelerates(l);
    if (!known && !(fix.off <= good && sure)) {
        double more = log(greater(fix.noise, w->accept) / fix.off);
        double lost = log(time / fix.off) / log(fix.fall * fix.ratio);
        more /= log(fix.fall);
        more = lost < more ? lost : more;
        more = more < 0.0 ? 0.0 : more; /* to -inf */
        w->map_at =
            l->impacts + (long)((more < 32.0 ? more : 32.0) * p->period);
        return false;
    }
    bool turns = in_turns(l, p->period);
    /* stable where the state is, but not at the fixed point itself? */
    if (!whenever && !turns &&
        period_map_order(l, p->period, group, &order) < 0)
        return not_yet(l, p->period);
    if (!w->brief && !l->rough && !turns)
        period_map_refine(l, p->period, &fix);
    p->means = LIMIT_BY_MAP;
    p->match = matches(w, p->period, HISTORY_KEPT);
    p->ratio = fix.ratio;
    p->speed = fix.speed;
    p->contraction = fix.contraction;
    p->T = fix.T;
    p->error = fix.off + fix.noise;
    return true;
}

/* The ratio of a pattern, and how far it is from converged. The flights are
 * differences of gaps as large as a period ago, so that their rounding is
 * 1/ratio times as large. Convergence may be as slow as 1/k^2 in the number k
 * of periods (a double eigenvalue): then what is still to come is k times the
 * last change. */
enum outcome { NO_PATTERN, PATTERN, CONVERGED };
static enum outcome
by_flights(const struct ballistic *l, int period, struct pattern *p, bool *near)
{
    const struct ballistic_workspace *w = l->w;
    double sum[3];
    sums_of(l, period, sum);
    double now = sum[0], before = sum[1], last = sum[2];
    if (!(now < before && now > 0.0))
        return PATTERN;
    double noise = PERIOD_CONVERGED * period * (1.0 + before / now);
    p->ratio = now / before;
    p->T = now * p->ratio / (1.0 - p->ratio);
    double change = fabs(p->ratio - before / last), rest = 1.0 - p->ratio;
    *near = before < last && change <= PERIOD_NEAR * p->ratio;
    if (!(before < last &&
          (change <= noise * p->ratio || change <= w->accept * rest)))
        return PATTERN;
    p->match = matches(w, period, HISTORY_KEPT);
    double n = (double)(p->match / period + 1);
    p->error = n * (change + DBL_EPSILON * period) / rest + 4.0 * DBL_EPSILON;
    if (change > noise * p->ratio && p->error > w->accept)
        return PATTERN;
    if (in_turns(l, period) &&
        two_contacts_limit(l, kept(w, 0)->contact, kept(w, 1)->contact, NULL) <=
            0)
        return PATTERN;
    return p->error <= ACCUMULATION_KNOWN ? CONVERGED : PATTERN;
}

/* is a limit among the last entries? */
static bool
any_limit(const struct ballistic *l, int n)
{
    for (int i = 0; i < n; i++)
        if (kept(l->w, i)->contact >= l->model.m)
            return true;
    return false;
}

/* what the history says of a pattern of this period */
static enum outcome
repeats(const struct ballistic *l, int period, struct pattern *p, bool *near)
{
    const struct ballistic_workspace *w = l->w;
    int most = HISTORY_KEPT - 1 - period;
    long least = w->least - period;
    bool enough = least <= most || (long)w->n_ring >= w->least;
    least = least < most ? least : most;
    least = least > 2 * period ? least : 2 * period;
    int match = matches(w, period, (int)least);
    /* limits count for as many as they are */
    if (match < 2 * period ||
        ((match < least || !enough) && !any_limit(l, period)))
        return NO_PATTERN;
    *near = false;
    *p = (struct pattern){.means = LIMIT_BY_FLIGHTS, .period = period};
    return by_flights(l, period, p, near);
}

/* of the shortest period that there is; impacts: so many now */
static enum outcome
shortest(const struct ballistic *l, long impacts, struct pattern *p,
         bool *ask_map)
{
    const struct ballistic_workspace *w = l->w;
    enum outcome what = NO_PATTERN;
    int n = n_kept(w);
    bool near = false;
    for (int period = 1; period <= HISTORY_PERIOD && 3 * period <= n;
         period++) {
        if (kept(w, 0)->contact == kept(w, period)->contact &&
            kept(w, 1)->contact == kept(w, period + 1)->contact)
            what = repeats(l, period, p, &near);
        if (what != NO_PATTERN)
            break; /* longer ones are multiples of it */
    }
    *ask_map =
        near && (what == CONVERGED ? !(w->accept > 0.0) : impacts >= w->map_at);
    return what;
}

/* An order that never repeats: the flights of the last impacts against as many
 * before. The sum that is left is taken when it is lost in the rounding of the
 * time since the start. Without acceleration an impact that is lost in it may
 * still be the last one: impacts that repeat an order go on until its flights
 * come to a ratio, the others for w->doubt impacts. */
static bool
irregular(const struct ballistic *l, enum outcome what, struct pattern *p)
{
    const struct ballistic_workspace *w = l->w;
    int k = HISTORY_KEPT / 4; /* impact_history_period_due knows it */
    if (n_kept(w) < 2 * k || (long)w->n_ring < w->least)
        return false;
    bool again = what == PATTERN && matches(w, p->period, k) >= k - p->period;
    if ((again || l->impacts < w->doubt) && !accelerates(l))
        return false;
    double now = sum_of(l, k, 0), before = sum_of(l, k, k);
    if (!(now < 0.99 * before))
        return false;
    double ratio = now / before;
    *p = (struct pattern){.means = LIMIT_BELOW_ROUNDING,
                          .period = k,
                          .match = -1,
                          .ratio = pow(ratio, 1.0 / k),
                          .T = now * ratio / (1.0 - ratio),
                          .error = 1.0};
    return times2(p->T, l->ex - l->ev) <=
           0.25 * DBL_EPSILON * (l->t - l->start);
}

/* Or accumulations in accumulations, see history.c: then l->group is known
 */
static bool
lost(struct ballistic *l, struct pattern *p)
{
    double T, ratio;
    if (!impact_history_below_rounding(l, &T, &ratio))
        return false;
    *p = (struct pattern){.means = LIMIT_BELOW_ROUNDING,
                          .match = -1,
                          .ratio = ratio,
                          .T = times2(T, l->ev - l->ex),
                          .error = 1.0};
    return true;
}

/* no contact but those of l->group */
static bool
inside(const struct ballistic *l, int name)
{
    if (name < l->model.m)
        return l->group[name];
    for (int i = 0; i < l->model.m; i++)
        if (!l->group[i] && impact_history_group_has(l, name, i))
            return false;
    return true;
}

/* The impacts of the chatter, and those at its group that led to its order,
 * become one entry of the history: what was shared with another line is no
 * longer the same. */
static void
collapse(struct ballistic *l, double T, int composite)
{
    struct ballistic_workspace *w = l->w;
    int n = n_kept(w), gone = 0;
    while (gone < n && inside(l, kept(w, gone)->contact))
        gone++;
    T += sum_of(l, gone, 0);
    impact_history_limit(l, w->n_ring - (unsigned long)gone);
    unsigned long oldest = w->n_ring - (unsigned long)n;
    if (oldest > w->from)
        w->from = oldest;
    w->n_ring -= (unsigned long)gone;
    w->look = 0;
    w->quiet = w->n_ring;
    w->stamp++;
    w->twin = NULL;
    w->run = 0;
    impact_history_note(l, composite, T);
}

static bool
recognise(struct ballistic *l, struct pattern *p, double until)
{
    bool ask_map;
    if (bouncing(l, p))
        return p->match + 1 >= l->w->least;
    enum outcome what = shortest(l, l->impacts, p, &ask_map);
    struct pattern map = *p;
    if (ask_map && by_map(l, &map, what == CONVERGED, until)) {
        *p = map;
        return true;
    }
    if (what == CONVERGED)
        return true;
    return irregular(l, what, p);
}

static void
look_later(struct ballistic_workspace *w)
{
    /* more seldom where no pattern was found for long */
    unsigned long wait = (w->n_ring - w->quiet) / (8 * HISTORY_LOOK);
    w->look = w->n_ring + HISTORY_LOOK * (wait < 1      ? 1
                                          : wait < 16   ? wait
                                          : wait < 1024 ? 16
                                                        : 64);
}

bool
impact_history_period_due(struct ballistic *l, long impacts)
{
    struct ballistic_workspace *w = l->w;
    struct pattern p;
    bool ask_map;
    if (w->n_ring < w->look)
        return false;
    if (n_kept(w) >= HISTORY_KEPT / 2 || impact_history_marks_due(l, impacts) ||
        shortest(l, impacts, &p, &ask_map) == CONVERGED || ask_map)
        return true;
    look_later(w);
    return false;
}

/* *p and l->group */
static bool
look(struct ballistic *l, struct pattern *p, double until)
{
    look_later(l->w);
    if (n_kept(l->w) < 3)
        return false;
    if (!recognise(l, p, until))
        return lost(l, p);
    group_of(l, p->period, l->group);
    return true;
}

bool
impact_history_trend(const struct ballistic *l, int *period, double *ratio)
{
    int n = n_kept(l->w), p = 1;
    if (n < 3 * HISTORY_LOOK)
        return false;
    while (p <= HISTORY_PERIOD && 3 * p <= n && matches(l->w, p, 2 * p) < 2 * p)
        p++;
    *period = p <= HISTORY_PERIOD && 3 * p <= n ? p : 0;
    p = *period ? p : n / 2;
    *ratio = sum_of(l, p, 0) / sum_of(l, p, p);
    return isfinite(*ratio);
}

bool
accumulation_take(struct ballistic *l, double until)
{
    struct ballistic_workspace *w = l->w;
    struct pattern p;
    int m = l->model.m;
    if (!look(l, &p, until))
        return false;
    double real = times2(p.T, l->ex - l->ev);
    if (!(p.T >= 0.0) || !(l->t + l->t_lo + real <= until))
        return false;
    for (int i = 0; i < m; i++)
        w->closed[i] = l->group[i] || l->on[i];
    if (!projection_others_stay_open(l, p.T))
        return false;
    int depth = impact_history_depth(l, p.match < 0 ? HISTORY_KEPT : p.period),
        name = impact_history_group_name(l, depth);
    l->hit = impact_history_group_first(l);
    l->chatter = (struct accumulation_limit){
        .means = p.means,
        .impacts = p.match < 0 || p.match + p.period >= HISTORY_KEPT - 1
                       ? (long)w->n_ring
                       : p.match + p.period,
        .period = p.match < 0 ? 0 : p.period,
        .depth = depth,
        .ratio = p.ratio,
        .speed = p.speed,
        .contraction = p.contraction,
        .remaining = real,
        .error = p.error};
    if (p.means == LIMIT_BY_LAW)
        l->chatter.impacts = w->run;
    collapse(l, p.T, name);
    projection_take_limit(l, p.T);
    return true;
}
