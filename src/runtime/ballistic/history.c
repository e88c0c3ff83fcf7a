/* SPDX-License-Identifier: MIT */
/* The history of a motion, where accumulations contain accumulations: a contact
 * chatters to a limit, slides, is lifted by the impact of another contact,
 * chatters again, faster and faster. The impacts of such a limit of limits need
 * not repeat any order. Two things of the past are kept for the room
 * accumulation:
 *
 * Groups. A limit of several contacts becomes one entry of the history. Every
 * set of contacts has a name of its own, so that the order of limits can
 * repeat.
 *
 * Marks: the gaps and rates at a few earlier times, most of them recent. Under
 * constant accelerations the motion of a group of contacts is the same at every
 * scale: gaps are d^2 times as large, rates and times d times (chatter.md
 * 3.2). So the time that remains is a number times the scale of the state. The
 * marks tell this number: how long it took from the scale of each mark to the
 * present scale. Where no order repeats there is no ratio that converges; the
 * sum is then taken when it is below the rounding error of the time. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/ballistic/workspace.h"

/* number of impacts from one mark to the next */
#define HISTORY_MARK_DISTANCE 64
/* From the oldest mark used to the present the scale must have fallen to this
 * share, and it must have fallen from one mark to the next at least this many
 * times. */
#define HISTORY_SCALE_FALLEN 0x1p-16
#define HISTORY_SCALE_FALLS 3

struct past_states *
impact_history_new(struct arena *arena, int contacts)
{
    assert(arena && contacts >= 0);
    size_t m = (size_t)contacts;
    struct past_states *past = NEW(arena, struct past_states);
    past->last_hit = NEW_N(arena, long, m + 1);
    past->selected = NEW_N(arena, bool, m + 1);
    past->group = NEW_N(arena, bool, (size_t)HISTORY_GROUPS *m + 1);
    past->state = NEW_N(arena, double, 2 * (size_t)HISTORY_MARKS * m + 1);
    return past;
}

void
impact_history_forget(struct ballistic *motion)
{
    assert(motion);
    struct past_states *past = motion->work->past;
    past->version = 0;
    past->n = past->n_group = 0;
    past->looked_at = 0;
    past->scanned = 0;
    memset(past->last_hit, 0, (size_t)motion->model.m * sizeof *past->last_hit);
}

void
impact_history_copy(struct ballistic *to, const struct ballistic *from)
{
    assert(to && from && to != from);
    struct past_states *past = to->work->past;
    const struct past_states *from_past = from->work->past;
    size_t contacts = (size_t)from->model.m;
    past->looked_at = from_past->looked_at;
    past->scanned = from_past->scanned;
    if (past->version == from_past->version &&
        past->changed_at == from_past->changed_at)
        return;
    past->version = from_past->version;
    past->changed_at = from_past->changed_at;
    past->n = from_past->n;
    past->n_group = from_past->n_group;
    memcpy(past->last_hit, from_past->last_hit,
           contacts * sizeof *past->last_hit);
    memcpy(past->group, from_past->group, (size_t)past->n_group * contacts);
    memcpy(past->depth, from_past->depth, sizeof past->depth);
    memcpy(past->mark, from_past->mark, (size_t)past->n * sizeof *past->mark);
    memcpy(past->state, from_past->state,
           2 * (size_t)past->n * contacts * sizeof *past->state);
}

static void
changed(struct ballistic *motion)
{
    struct past_states *past = motion->work->past;
    past->version++;
    past->changed_at = motion->t;
}

/* -- groups -----------------------------------------------------------------
 */

int
impact_history_group_first(const struct ballistic *motion)
{
    int i = 0;
    while (!motion->event.group[i])
        i++;
    return i;
}

int
impact_history_group_name(struct ballistic *motion, int depth)
{
    assert(motion && motion->work);
    assert(depth > 0);
    struct past_states *past = motion->work->past;
    int contacts = motion->model.m, n = 0;
    for (int i = 0; i < contacts; i++)
        n += motion->event.group[i];
    if (n == 1)
        return contacts + impact_history_group_first(motion);
    for (int i = 0; i < past->n_group; i++)
        if (!memcmp(past->group + i * contacts, motion->event.group,
                    (size_t)contacts)) {
            if (depth > past->depth[i])
                past->depth[i] = depth;
            return 2 * contacts + i;
        }
    if (past->n_group ==
        HISTORY_GROUPS) { /* No name is left. The history begins anew, since a
                             name must mean one set. */
        past->n_group = 0;
        motion->work->history.first = motion->work->history.n;
    }
    memcpy(past->group + past->n_group * contacts, motion->event.group,
           (size_t)contacts);
    past->depth[past->n_group] = depth;
    changed(motion);
    return 2 * contacts + past->n_group++;
}

/* The depth of a limit of event.group: one more than that of the limits among
 * the last entries of the history, or the same as that of a limit of the same
 * group. */
int
impact_history_depth(const struct ballistic *motion, int entries)
{
    assert(motion);
    const struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, depth = 1;
    unsigned long most = work->history.n - work->history.first;
    bool limits = false;
    for (unsigned long i = 1;
         i <= most && i < HISTORY_KEPT && (int)i <= entries; i++)
        limits |=
            work->history.entry[(work->history.n - i) % HISTORY_KEPT].contact >=
            contacts;
    if (!limits)
        return 1;
    for (unsigned long i = 1;
         i <= most && i < HISTORY_KEPT && (int)i <= entries; i++) {
        int name =
            work->history.entry[(work->history.n - i) % HISTORY_KEPT].contact;
        int level = name < contacts ? 0
                    : name < 2 * contacts
                        ? 1
                        : work->past->depth[name - 2 * contacts];
        bool in = true, same = name >= contacts;
        for (int contact = 0; contact < contacts; contact++) {
            bool has = impact_history_group_has(motion, name, contact);
            in &= motion->event.group[contact] || !has;
            same &= motion->event.group[contact] == has;
        }
        if (!in)
            break;
        level += !same;
        depth = level > depth ? level : depth;
    }
    return depth;
}

bool
impact_history_group_has(const struct ballistic *motion, int name, int contact)
{
    assert(name >= 0);
    assert(contact >= 0 && contact < motion->model.m);
    assert(name < 2 * motion->model.m + HISTORY_GROUPS);
    int contacts = motion->model.m;
    return name < 2 * contacts
               ? name % contacts == contact
               : motion->work->past
                     ->group[(name - 2 * contacts) * contacts + contact];
}

void
impact_history_group_add(const struct ballistic *motion, int name, bool *sel)
{
    assert(name >= 0);
    assert(name < 2 * motion->model.m + HISTORY_GROUPS);
    int contacts = motion->model.m;
    if (name < 2 * contacts)
        sel[name % contacts] = true;
    else
        for (int i = 0; i < contacts; i++)
            sel[i] |=
                motion->work->past->group[(name - 2 * contacts) * contacts + i];
}

/* -- marks ------------------------------------------------------------------
 */

/* Notes when contacts were hit last, by the entries since the last call up to
 * number `to`. */
static void
scan(struct ballistic *motion, unsigned long to)
{
    struct ballistic_workspace *work = motion->work;
    struct past_states *past = work->past;
    unsigned long i = past->scanned;
    if (work->history.n - i > HISTORY_KEPT)
        i = work->history.n - HISTORY_KEPT;
    for (; i < to; i++) {
        int name = work->history.entry[i % HISTORY_KEPT].contact;
        if (name < motion->model.m)
            past->last_hit[name] = motion->impacts;
        for (int contact = 0;
             contact < motion->model.m && name >= motion->model.m; contact++)
            if (impact_history_group_has(motion, name, contact))
                past->last_hit[contact] = motion->impacts;
    }
    past->scanned = to;
}

void
impact_history_limit(struct ballistic *motion, unsigned long n_ring)
{
    assert(n_ring <= motion->work->history.n);
    struct past_states *past = motion->work->past;
    scan(motion, n_ring); /* Entries beyond these belong to the group itself. */
    for (int contact = 0; contact < motion->model.m; contact++)
        if (motion->event.group[contact])
            past->last_hit[contact] = motion->impacts;
    past->scanned = n_ring;
    changed(motion);
}

static double
span(const struct ballistic *motion, const struct impact_history_mark *k)
{
    return (motion->t - k->t) + (motion->t_lo - k->t_lo);
}

/* Makes room for one mark. The distances of the marks from now should grow as a
 * geometric series: drops the mark that this series misses least. */
static void
thin(struct ballistic *motion)
{
    struct past_states *past = motion->work->past;
    size_t contacts = (size_t)motion->model.m;
    int least = 1;
    double share = INFINITY;
    for (int i = 1; i + 1 < past->n; i++) {
        double now = span(motion, &past->mark[i + 1]);
        double growth =
            now > 0.0 ? span(motion, &past->mark[i - 1]) / now : INFINITY;
        if (growth < share) {
            share = growth;
            least = i;
        }
    }
    size_t rest = (size_t)(past->n - least - 1);
    memmove(&past->mark[least], &past->mark[least + 1],
            rest * sizeof *past->mark);
    memmove(past->state + 2 * contacts * (size_t)least,
            past->state + 2 * contacts * (size_t)(least + 1),
            rest * 2 * contacts * sizeof(double));
    past->n--;
}

static void
mark(struct ballistic *motion)
{
    struct past_states *past = motion->work->past;
    size_t contacts = (size_t)motion->model.m;
    if (past->n == HISTORY_MARKS)
        thin(motion);
    double *state = past->state + 2 * contacts * (size_t)past->n;
    memcpy(state, motion->gap, contacts * sizeof *state);
    memcpy(state + contacts, motion->rate, contacts * sizeof *state);
    past->mark[past->n++] = (struct impact_history_mark){
        motion->t, motion->t_lo, motion->length_exponent, motion->rate_exponent,
        motion->impacts};
    changed(motion);
}

/* The scale of a state in the contacts `sel`, as a time: that of a fall from
 * rest to the gaps, or back to the rates, at the acceleration acc. Gaps and
 * rates over the square roots of W_ii are lengths and speeds in the metric of
 * the masses. */
static double
scale(const struct ballistic *motion, const bool *sel, const double *gap,
      const double *rate, int ex, int ev, double acc)
{
    double scale_now = 0.0, rate_now = 0.0;
    for (int i = 0; i < motion->model.m; i++)
        if (sel[i]) {
            scale_now =
                greater(scale_now, fabs(gap[i]) / motion->matrices.root[i]);
            rate_now =
                greater(rate_now, fabs(rate[i]) / motion->matrices.root[i]);
        }
    /* the exponents may be large: take the root of the mantissa and halve the
     * exponent */
    int odd = ex & 1;
    return greater(times2(sqrt(times2(scale_now / acc, odd)), (ex - odd) / 2),
                   times2(rate_now / acc, ev));
}

/* Do the contacts that were hit since mark number `first` accumulate? Then
 * *remaining is the true time that remains. */
static bool
accumulates(struct ballistic *motion, int first, double *remaining)
{
    struct past_states *past = motion->work->past;
    int contacts = motion->model.m, falls = 0;
    double acc = 0.0, most = 0.0;
    for (int i = 0; i < contacts; i++) {
        past->selected[i] = past->last_hit[i] > past->mark[first].impacts;
        if (past->selected[i] && motion->matrices.root[i] > 0.0)
            acc = greater(acc, fabs(motion->matrices.gap_acc[i]) /
                                   motion->matrices.root[i]);
    }
    if (!(acc > 0.0))
        return false;
    double now = scale(motion, past->selected, motion->gap, motion->rate,
                       motion->length_exponent, motion->rate_exponent, acc);
    double before = INFINITY, whole = 0.0;
    for (int j = first; j < past->n; j++) {
        const struct impact_history_mark *mark = &past->mark[j];
        const double *state = past->state + 2 * contacts * j;
        double scale_now =
            scale(motion, past->selected, state, state + contacts,
                  mark->length_exponent, mark->rate_exponent, acc);
        if (scale_now > before)
            return false; /* the scale does not fall steadily */
        if (!(scale_now > 16.0 * now))
            break;
        whole = greater(whole, scale_now);
        if (scale_now < 0.25 * before) {
            falls++;
            before = scale_now;
        }
        most = greater(most, span(motion, mark) / scale_now);
    }
    *remaining = most * now;
    return falls >= HISTORY_SCALE_FALLS && now <= HISTORY_SCALE_FALLEN * whole;
}

bool
impact_history_marks_due(const struct ballistic *motion, long impacts)
{
    /* in runs that find no pattern for thousands of impacts, more and more
     * rarely */
    long apart = impacts >> 6;
    apart = apart > HISTORY_MARK_DISTANCE ? apart : HISTORY_MARK_DISTANCE;
    return impacts - motion->work->past->looked_at >= apart &&
           impacts >= motion->work->limits.resolve;
}

bool
impact_history_below_rounding(struct ballistic *motion, double *remaining)
{
    assert(motion);
    struct past_states *past = motion->work->past;
    if (!impact_history_marks_due(motion, motion->impacts))
        return false;
    past->looked_at = motion->impacts;
    scan(motion, motion->work->history.n);
    for (int i = 0; i < past->n; i++)
        if (accumulates(motion, i, remaining) &&
            *remaining <= 0.25 * DBL_EPSILON * (motion->t - motion->t_start)) {
            memcpy(motion->event.group, past->selected,
                   (size_t)motion->model.m);
            return true;
        }
    mark(motion);
    return false;
}
