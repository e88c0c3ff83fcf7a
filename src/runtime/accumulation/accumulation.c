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
bouncing(const struct ballistic *l, struct pattern *p)
{
    const struct ballistic_workspace *w = l->w;
    int c = impact_history_entry(w, 0)->contact;
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
        impact_history_group_add(l, impact_history_entry(l->w, i)->contact,
                                 group);
}

/* The fixed point of such two, of the order, where nobody asks when it comes to
 * rest, or of the map. False: none is known. */
static bool
fixed(struct ballistic *l, const struct pattern *p, bool whenever,
      const bool *group, struct fixed_point *out)
{
    const struct ballistic_workspace *w = l->w;
    if (pattern_alternates(l, p->period))
        return two_contacts_limit(l, impact_history_entry(w, 0)->contact,
                                  impact_history_entry(w, 1)->contact, out) > 0;
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
    bool sure = fix.off <= ACCUMULATION_KNOWN || ballistic_accelerates(l);
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
    bool turns = pattern_alternates(l, p->period);
    /* stable where the state is, but not at the fixed point itself? */
    if (!whenever && !turns &&
        period_map_order(l, p->period, group, &order) < 0)
        return not_yet(l, p->period);
    if (!w->brief && !l->rough && !turns)
        period_map_refine(l, p->period, &fix);
    p->means = LIMIT_BY_MAP;
    p->match = impact_history_matches(w, p->period, HISTORY_KEPT);
    p->ratio = fix.ratio;
    p->speed = fix.speed;
    p->contraction = fix.contraction;
    p->T = fix.T;
    p->error = fix.off + fix.noise;
    return true;
}

/* An order that never repeats: the flights of the last impacts against as many
 * before. The sum that is left is taken when it is lost in the rounding of the
 * time since the start. Without acceleration an impact that is lost in it may
 * still be the last one: impacts that repeat an order go on until its flights
 * come to a ratio, the others for w->doubt impacts. */
static bool
irregular(const struct ballistic *l, enum pattern_state what, struct pattern *p)
{
    const struct ballistic_workspace *w = l->w;
    int k = HISTORY_KEPT / 4; /* impact_history_period_due knows it */
    if (impact_history_length(w) < 2 * k || (long)w->n_ring < w->least)
        return false;
    bool again = what == PATTERN_REPEATS &&
                 impact_history_matches(w, p->period, k) >= k - p->period;
    if ((again || l->impacts < w->doubt) && !ballistic_accelerates(l))
        return false;
    double now = impact_history_time(l, k, 0),
           before = impact_history_time(l, k, k);
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
    int n = impact_history_length(w), gone = 0;
    while (gone < n && inside(l, impact_history_entry(w, gone)->contact))
        gone++;
    T += impact_history_time(l, gone, 0);
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
    enum pattern_state what = pattern_shortest(l, l->impacts, p, &ask_map);
    struct pattern map = *p;
    if (ask_map && by_map(l, &map, what == PATTERN_CONVERGED, until)) {
        *p = map;
        return true;
    }
    if (what == PATTERN_CONVERGED)
        return true;
    return irregular(l, what, p);
}

/* *p and l->group */
static bool
look(struct ballistic *l, struct pattern *p, double until)
{
    pattern_look_later(l->w);
    if (impact_history_length(l->w) < 3)
        return false;
    if (!recognise(l, p, until))
        return lost(l, p);
    group_of(l, p->period, l->group);
    return true;
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
