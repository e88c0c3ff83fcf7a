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

#include "runtime/accumulation/accumulation_priv.h"
#include "runtime/numerics/dense.h"

/* where the map of a period finds nothing, it is asked again after so many
 * impacts at most */
#define MAP_LATER 64

/* A flight under the acceleration that it leaves with takes 2 u/a: the speed
 * that the last impact left tells what remains. */
static bool
bouncing(const struct ballistic *motion, struct pattern *pattern)
{
    const struct ballistic_workspace *work = motion->work;
    int c = impact_history_entry(work, 0)->contact;
    if (work->history.in_a_row < 3 || c >= motion->model.m ||
        !(motion->mode.gap_acc[c] < 0.0))
        return false;
    double e = motion->model.e[c];
    *pattern =
        (struct pattern){.evidence = LIMIT_BY_LAW,
                         .period = 1,
                         .matches = work->history.in_a_row - 1,
                         .ratio = e,
                         .remaining = -2.0 * motion->rate[c] /
                                      (motion->local.gap_acc[c] * (1.0 - e)),
                         .error = 4.0 * DBL_EPSILON};
    return e < 1.0;
}

static void
group_of(const struct ballistic *motion, int period, bool *group)
{
    memset(group, 0, (size_t)motion->model.m);
    for (int i = 0; i < period; i++)
        impact_history_group_add(
            motion, impact_history_entry(motion->work, i)->contact, group);
}

/* The fixed point of such two, of the order, where nobody asks when it comes to
 * rest, or of the map. False: none is known. */
static bool
fixed(struct ballistic *motion, const struct pattern *p, bool whenever,
      const bool *group, struct fixed_point *out)
{
    const struct ballistic_workspace *work = motion->work;
    if (pattern_alternates(motion, p->period))
        return two_contacts_limit(
                   motion, impact_history_entry(work, 0)->contact,
                   impact_history_entry(work, 1)->contact, out) > 0;
    *out =
        (struct fixed_point){.remaining = p->remaining, .error = DBL_EPSILON};
    int rests = whenever ? period_map_order(motion, p->period, group, out) : 0;
    return rests ? rests > 0 : period_map_limit(motion, p->period, group, out);
}

/* where the map finds nothing: more seldom, at first; a period costs little
 * beside the map of one */
static bool
not_yet(struct ballistic *motion, int period)
{
    long wait = motion->impacts / 2, round = HISTORY_LOOK * period;
    wait = wait < MAP_LATER ? wait : MAP_LATER;
    motion->work->history.next_map =
        motion->impacts + (wait > round ? wait : round);
    return false;
}

/* By the map of the pattern's period. True: good to rounding, of itself or of
 * the limit's time; else map_at says when it may be. known: its flights
 * have converged. */
static bool
by_map(struct ballistic *motion, struct pattern *pattern, bool known,
       double until)
{
    struct ballistic_workspace *work = motion->work;
    struct fixed_point fix, order;
    bool *group = work->past->selected;
    group_of(motion, pattern->period, group);
    bool whenever = work->limits.verdict_only && !(until < INFINITY);
    if (!fixed(motion, pattern, whenever, group, &fix))
        return not_yet(motion, pattern->period);
    /* or the error is lost in the time since the start, of which what remains
     * becomes an ever smaller share */
    double T =
        times2(fix.remaining, motion->length_exponent - motion->rate_exponent);
    double time = 0.5 * DBL_EPSILON * (motion->t - motion->t_start + T) / T;
    double good =
        greater(greater(time, fix.rounding), accumulation_good_enough(work));
    /* without acceleration a fixed point that is only good beside the time may
     * be no more than a place where one is about to arise */
    bool sure =
        fix.error <= ACCUMULATION_KNOWN || ballistic_accelerates(motion);
    if (!known && !(fix.error <= good && sure)) {
        double more =
            log(greater(fix.rounding, work->limits.accepted_error) / fix.error);
        double lost = log(time / fix.error) / log(fix.error_fall * fix.ratio);
        more /= log(fix.error_fall);
        more = lost < more ? lost : more;
        more = more < 0.0 ? 0.0 : more; /* to -inf */
        work->history.next_map =
            motion->impacts +
            (long)((more < 32.0 ? more : 32.0) * pattern->period);
        return false;
    }
    bool turns = pattern_alternates(motion, pattern->period);
    /* stable where the state is, but not at the fixed point itself? */
    if (!whenever && !turns &&
        period_map_order(motion, pattern->period, group, &order) < 0)
        return not_yet(motion, pattern->period);
    if (!work->limits.skip_rates && !motion->rough_rates && !turns)
        period_map_refine(motion, pattern->period, &fix);
    pattern->evidence = LIMIT_BY_MAP;
    pattern->matches =
        impact_history_matches(work, pattern->period, HISTORY_KEPT);
    pattern->ratio = fix.ratio;
    pattern->speed = fix.rate_ratio;
    pattern->contraction = fix.contraction;
    pattern->remaining = fix.remaining;
    pattern->error = fix.error + fix.rounding;
    return true;
}

/* An order that never repeats: the flights of the last impacts against as many
 * before. The sum that is left is taken when it is lost in the rounding of the
 * time since the start. Without acceleration an impact that is lost in it may
 * still be the last one: impacts that repeat an order go on until its flights
 * come to a ratio, the others for w->doubt impacts. */
static bool
irregular(const struct ballistic *motion, enum pattern_state what,
          struct pattern *pattern)
{
    const struct ballistic_workspace *work = motion->work;
    int k = HISTORY_KEPT / 4; /* impact_history_period_due knows it */
    if (impact_history_length(work) < 2 * k ||
        (long)work->history.n < work->limits.resolve)
        return false;
    bool again =
        what == PATTERN_REPEATS &&
        impact_history_matches(work, pattern->period, k) >= k - pattern->period;
    if ((again || motion->impacts < work->limits.doubt) &&
        !ballistic_accelerates(motion))
        return false;
    double now = impact_history_time(motion, k, 0),
           before = impact_history_time(motion, k, k);
    if (!(now < 0.99 * before))
        return false;
    double ratio = now / before;
    *pattern = (struct pattern){.evidence = LIMIT_BELOW_ROUNDING,
                                .period = k,
                                .matches = -1,
                                .ratio = pow(ratio, 1.0 / k),
                                .remaining = now * ratio / (1.0 - ratio),
                                .error = 1.0};
    return times2(pattern->remaining,
                  motion->length_exponent - motion->rate_exponent) <=
           0.25 * DBL_EPSILON * (motion->t - motion->t_start);
}

/* Or accumulations in accumulations, see history.c: then l->group is known
 */
static bool
lost(struct ballistic *motion, struct pattern *pattern)
{
    double T, ratio;
    if (!impact_history_below_rounding(motion, &T, &ratio))
        return false;
    *pattern = (struct pattern){
        .evidence = LIMIT_BELOW_ROUNDING,
        .matches = -1,
        .ratio = ratio,
        .remaining = times2(T, motion->rate_exponent - motion->length_exponent),
        .error = 1.0};
    return true;
}

/* no contact but those of l->group */
static bool
inside(const struct ballistic *motion, int name)
{
    if (name < motion->model.m)
        return motion->event.group[name];
    for (int i = 0; i < motion->model.m; i++)
        if (!motion->event.group[i] &&
            impact_history_group_has(motion, name, i))
            return false;
    return true;
}

/* The impacts of the chatter, and those at its group that led to its order,
 * become one entry of the history: what was shared with another line is no
 * longer the same. */
static void
collapse(struct ballistic *motion, double T, int composite)
{
    struct ballistic_workspace *work = motion->work;
    int n = impact_history_length(work), gone = 0;
    while (gone < n &&
           inside(motion, impact_history_entry(work, gone)->contact))
        gone++;
    T += impact_history_time(motion, gone, 0);
    impact_history_limit(motion, work->history.n - (unsigned long)gone);
    unsigned long oldest = work->history.n - (unsigned long)n;
    if (oldest > work->history.first)
        work->history.first = oldest;
    work->history.n -= (unsigned long)gone;
    work->history.next_look = 0;
    work->history.last_limit = work->history.n;
    work->history.stamp++;
    work->history.twin = NULL;
    work->history.in_a_row = 0;
    impact_history_note(motion, composite, T);
}

static bool
recognise(struct ballistic *motion, struct pattern *pattern, double until)
{
    bool ask_map;
    if (bouncing(motion, pattern))
        return pattern->matches + 1 >= motion->work->limits.resolve;
    enum pattern_state what =
        pattern_shortest(motion, motion->impacts, pattern, &ask_map);
    struct pattern map = *pattern;
    if (ask_map && by_map(motion, &map, what == PATTERN_CONVERGED, until)) {
        *pattern = map;
        return true;
    }
    if (what == PATTERN_CONVERGED)
        return true;
    return irregular(motion, what, pattern);
}

/* *p and l->group */
static bool
look(struct ballistic *motion, struct pattern *pattern, double until)
{
    pattern_look_later(motion->work);
    if (impact_history_length(motion->work) < 3)
        return false;
    if (!recognise(motion, pattern, until))
        return lost(motion, pattern);
    group_of(motion, pattern->period, motion->event.group);
    return true;
}

bool
accumulation_take(struct ballistic *motion, double until)
{
    struct ballistic_workspace *work = motion->work;
    struct pattern p;
    int m = motion->model.m;
    if (!look(motion, &p, until))
        return false;
    double real =
        times2(p.remaining, motion->length_exponent - motion->rate_exponent);
    if (!(p.remaining >= 0.0) || !(motion->t + motion->t_lo + real <= until))
        return false;
    for (int i = 0; i < m; i++)
        work->set.closed[i] =
            motion->event.group[i] || motion->mode.persistent[i];
    if (!projection_others_stay_open(motion, p.remaining))
        return false;
    int depth = impact_history_depth(motion,
                                     p.matches < 0 ? HISTORY_KEPT : p.period),
        name = impact_history_group_name(motion, depth);
    motion->event.contact = impact_history_group_first(motion);
    motion->event.limit = (struct accumulation_limit){
        .evidence = p.evidence,
        .impacts = p.matches < 0 || p.matches + p.period >= HISTORY_KEPT - 1
                       ? (long)work->history.n
                       : p.matches + p.period,
        .period = p.matches < 0 ? 0 : p.period,
        .depth = depth,
        .ratio = p.ratio,
        .speed = p.speed,
        .contraction = p.contraction,
        .remaining = real,
        .error = p.error};
    if (p.evidence == LIMIT_BY_LAW)
        motion->event.limit.impacts = work->history.in_a_row;
    collapse(motion, p.remaining, name);
    projection_take_limit(motion, p.remaining);
    return true;
}
