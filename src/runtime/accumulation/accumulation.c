/* SPDX-License-Identifier: MIT */
/* Infinitely many impacts in finite time. The impacts of an accumulation repeat
 * a pattern of contacts, and the times of successive periods shrink by a ratio
 * that converges. No absolute speed or time is used. When the ratio is known to
 * rounding, the rest of the series is a geometric sum, and the state at the
 * limit is a projection (ballistic/projection.c). A single contact under
 * constant acceleration has the ratio e at once (chatter.md 2.2, 2.6). A
 * limit becomes one entry of the history, so limits can repeat in a pattern in
 * their turn. */
#include <string.h>

#include "runtime/accumulation/accumulation_priv.h"
#include "runtime/numerics/dense.h"

/* When the period map finds nothing, it is asked again after this many impacts
 * at most. */
#define MAP_LATER 64
/* A mean ratio is compared with the flights of so many parts of its impacts. */
#define RATIO_PARTS 8

/* One contact is hit again and again under constant acceleration: a flight
 * takes 2 u/a, so the speed after the last impact tells the time that remains.
 */
static bool
bouncing(const struct ballistic *motion, struct pattern *pattern)
{
    const struct ballistic_workspace *work = motion->work;
    int contact = impact_history_entry(work, 0)->contact;
    if (work->history.in_a_row < 3 || contact >= motion->model.m ||
        !(motion->mode.gap_acc[contact] < 0.0))
        return false;
    double e = motion->model.e[contact];
    *pattern = (struct pattern){
        .evidence = LIMIT_BY_LAW,
        .period = 1,
        .matches = work->history.in_a_row - 1,
        .ratio = e,
        .ratio_error = DBL_EPSILON * e,
        .remaining = -2.0 * motion->rate[contact] /
                     (motion->local.gap_acc[contact] * (1.0 - e)),
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

/* The fixed point of two contacts in turns, or of the order alone where nobody
 * asks when the limit comes, or of the period map. False: none is known. */
static bool
fixed(struct ballistic *motion, const struct pattern *pattern, bool whenever,
      const bool *group, struct fixed_point *out)
{
    const struct ballistic_workspace *work = motion->work;
    if (pattern_alternates(motion, pattern->period))
        return two_contacts_limit(
                   motion, impact_history_entry(work, 0)->contact,
                   impact_history_entry(work, 1)->contact, out) > 0;
    *out = (struct fixed_point){.remaining = pattern->remaining,
                                .error = DBL_EPSILON};
    int rests =
        whenever ? period_map_order(motion, pattern->period, group, out) : 0;
    return rests ? rests > 0
                 : period_map_limit(motion, pattern->period, group, out);
}

/* The map has found nothing: ask it later, and more rarely in time. A period
 * costs little beside the map of one. */
static bool
not_yet(struct ballistic *motion, int period)
{
    long wait = motion->impacts / 2, round = HISTORY_LOOK * period;
    wait = wait < MAP_LATER ? wait : MAP_LATER;
    motion->work->history.next_map =
        motion->impacts + (wait > round ? wait : round);
    return false;
}

/* Looks for the limit by the period map. True: the remaining time is known to
 * its own rounding error or to that of the time; otherwise history.next_map
 * says when this may be so. known: the flights have converged. */
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
    /* or the error is below the rounding error of the time since the start, of
     * which the remaining time becomes an ever smaller share */
    double remaining =
        times2(fix.remaining, motion->length_exponent - motion->rate_exponent);
    double time =
        greater(0.5 * DBL_EPSILON * (motion->t - motion->t_start + remaining),
                work->limits.accepted_time) /
        remaining;
    double good =
        greater(greater(time, fix.rounding), accumulation_good_enough(work));
    /* without acceleration a fixed point with a large relative error may be a
     * place where one is only about to arise */
    bool sure =
        fix.error <= ACCUMULATION_KNOWN || ballistic_accelerates(motion);
    if (!known && !(fix.error <= good && sure)) {
        double more =
            log(greater(fix.rounding, work->limits.accepted_error) / fix.error);
        double lost = log(time / fix.error) / log(fix.error_fall * fix.ratio);
        more /= log(fix.error_fall);
        more = lost < more ? lost : more;
        more = more < 0.0 ? 0.0 : more; /* The logarithms may be -infinity. */
        work->history.next_map =
            motion->impacts +
            (long)((more < 32.0 ? more : 32.0) * pattern->period);
        return false;
    }
    bool turns = pattern_alternates(motion, pattern->period);
    /* is the map stable at the present state, but not at the fixed point? */
    if (!whenever && !turns &&
        period_map_order(motion, pattern->period, group, &order) < 0)
        return not_yet(motion, pattern->period);
    if (!work->limits.skip_rates && !motion->rough_rates && !turns)
        period_map_refine(motion, pattern->period, &fix);
    pattern->evidence = LIMIT_BY_MAP;
    pattern->matches =
        impact_history_matches(work, pattern->period, HISTORY_KEPT);
    pattern->ratio = fix.ratio;
    pattern->ratio_error = fix.ratio_error;
    pattern->speed = fix.rate_ratio;
    pattern->contraction = fix.contraction;
    pattern->remaining = fix.remaining;
    pattern->error = fix.error + fix.rounding;
    return true;
}

/* The mean ratio from impact to impact, over so many flights and as many
 * before, says how fast the motion shrinks as far as the logarithms of its
 * flights stay near a line: their distance from it counts at both ends. Returns
 * the error of the logarithm of the ratio. */
static double
scatter(const struct ballistic *motion, int compared, double log_ratio)
{
    double part[2 * RATIO_PARTS], mean = 0.0, most = 0.0;
    int length = compared / RATIO_PARTS;
    for (int i = 0; i < 2 * RATIO_PARTS; i++) {
        part[i] = log(impact_history_time(motion, length, i * length)) +
                  i * length * log_ratio;
        mean += part[i] / (2 * RATIO_PARTS);
    }
    for (int i = 0; i < 2 * RATIO_PARTS; i++)
        most = greater(most, fabs(part[i] - mean));
    return 2.0 * most / compared;
}

/* An order that never repeats: compares the flights of the last impacts with
 * those of as many impacts before. The sum that is left is taken when it is
 * below the rounding error of the time since the start. Without acceleration
 * such an impact may still be the last one: impacts that repeat an order then
 * go on until their flights come to a ratio, all others for limits.doubt
 * impacts. */
static bool
irregular(const struct ballistic *motion, enum pattern_state what,
          struct pattern *pattern)
{
    const struct ballistic_workspace *work = motion->work;
    int compared =
        HISTORY_KEPT / 4; /* impact_history_period_due uses the same number
                           */
    if (impact_history_length(work) < 2 * compared ||
        (long)work->history.n < work->limits.resolve)
        return false;
    bool again = what == PATTERN_REPEATS &&
                 impact_history_matches(work, pattern->period, compared) >=
                     compared - pattern->period;
    if ((again || motion->impacts < work->limits.doubt) &&
        !ballistic_accelerates(motion))
        return false;
    double now = impact_history_time(motion, compared, 0),
           before = impact_history_time(motion, compared, compared);
    if (!(now < 0.99 * before))
        return false;
    double ratio = now / before, remaining = now * ratio / (1.0 - ratio);
    if (!(times2(remaining, motion->length_exponent - motion->rate_exponent) <=
          0.25 * DBL_EPSILON * (motion->t - motion->t_start)))
        return false;
    double average = now > 0.0 ? pow(ratio, 1.0 / compared) : NAN;
    double off = scatter(motion, compared, log(average));
    *pattern = (struct pattern){.evidence = LIMIT_BELOW_ROUNDING,
                                .period = compared,
                                .matches = -1,
                                .ratio = average,
                                .ratio_error = average * expm1(off),
                                .remaining = remaining,
                                .error = 1.0};
    return true;
}

/* The same for accumulations in accumulations (history.c); event.group is then
 * known. The ratio per impact is not determined where limits are among them:
 * how many impacts of a limit were resolved is a choice. */
static bool
lost(struct ballistic *motion, struct pattern *pattern)
{
    double remaining;
    if (!impact_history_below_rounding(motion, &remaining))
        return false;
    *pattern = (struct pattern){
        .evidence = LIMIT_BELOW_ROUNDING,
        .matches = -1,
        .ratio = NAN,
        .ratio_error = NAN,
        .remaining =
            times2(remaining, motion->rate_exponent - motion->length_exponent),
        .error = 1.0};
    return true;
}

/* Has the entry no contact but those of event.group? */
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

/* The impacts of the accumulation, and those at its group before, become one
 * entry of the history. A history that was shared with another motion is no
 * longer shared. */
static void
collapse(struct ballistic *motion, double remaining, int composite)
{
    struct ballistic_workspace *work = motion->work;
    int n = impact_history_length(work), gone = 0;
    while (gone < n &&
           inside(motion, impact_history_entry(work, gone)->contact))
        gone++;
    remaining += impact_history_time(motion, gone, 0);
    impact_history_limit(motion, work->history.n - (unsigned long)gone);
    unsigned long oldest = work->history.n - (unsigned long)n;
    if (oldest > work->history.first)
        work->history.first = oldest;
    work->history.n -= (unsigned long)gone;
    work->history.next_look = 0;
    work->history.last_limit = work->history.n;
    work->history.limits = true;
    work->history.stamp++;
    work->history.twin = NULL;
    work->history.in_a_row = 0;
    impact_history_note(motion, composite, remaining);
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

/* Looks for a limit. True: there is one, and *pattern and event.group are
 * known. */
static bool
look(struct ballistic *motion, struct pattern *pattern, double until)
{
    pattern_look_later(motion->work);
    if (impact_history_length(motion->work) < 3)
        return false;
    /* a limit is made of so many impacts, unless there are limits among them */
    bool early = !motion->work->history.limits &&
                 (long)motion->work->history.n < motion->work->limits.resolve;
    if (early || !recognise(motion, pattern, until))
        return lost(motion, pattern);
    group_of(motion, pattern->period, motion->event.group);
    return true;
}

bool
accumulation_take(struct ballistic *motion, double until)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    struct pattern pattern;
    int contacts = motion->model.m;
    if (!look(motion, &pattern, until))
        return false;
    double real = times2(pattern.remaining,
                         motion->length_exponent - motion->rate_exponent);
    if (!(pattern.remaining >= 0.0) ||
        !(motion->t + motion->t_lo + real <= until))
        return false;
    for (int i = 0; i < contacts; i++)
        work->set.closed[i] =
            motion->event.group[i] || motion->mode.persistent[i];
    if (!projection_others_stay_open(motion, pattern.remaining))
        return false;
    int depth = impact_history_depth(
            motion, pattern.matches < 0 ? HISTORY_KEPT : pattern.period),
        name = impact_history_group_name(motion, depth);
    if (pattern.matches < 0 && depth > 1)
        pattern.ratio = pattern.ratio_error = NAN;
    motion->event.contact = impact_history_group_first(motion);
    motion->event.limit = (struct accumulation_limit){
        .evidence = pattern.evidence,
        .impacts = pattern.matches < 0 ||
                           pattern.matches + pattern.period >= HISTORY_KEPT - 1
                       ? (long)work->history.n
                       : pattern.matches + pattern.period,
        .period = pattern.matches < 0 ? 0 : pattern.period,
        .depth = depth,
        .ratio = pattern.ratio,
        .ratio_error = pattern.ratio_error,
        .speed = pattern.speed,
        .contraction = pattern.contraction,
        .remaining = real,
        .error = pattern.error};
    if (pattern.evidence == LIMIT_BY_LAW)
        motion->event.limit.impacts = work->history.in_a_row;
    collapse(motion, pattern.remaining, name);
    projection_take_limit(motion, pattern.remaining);
    return true;
}
