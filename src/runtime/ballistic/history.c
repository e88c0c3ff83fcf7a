/* SPDX-License-Identifier: MIT */
/* Accumulations within accumulations. A contact chatters to a limit, slides, is
 * lifted by the impact of another one, chatters again, faster and faster: a
 * limit of limits, whose impacts need not repeat any order. Two things are kept
 * of its past for accumulation.c.
 *
 * Groups: a limit of several contacts becomes one entry of the history, with a
 * name of its own for every set of contacts, so that orders of limits can
 * repeat.
 *
 * Marks: the gaps and rates at a few earlier times, dense near the present.
 * Under constant accelerations the motion of a group of contacts is the same at
 * every scale: gaps d^2 times as large, rates and times d times
 * (spec/chatter.md 3.2). So what remains is a number times the scale of the
 * state, and the marks tell this number: how long it took from the scale of
 * each to that of now. Where no order repeats there is no ratio to converge,
 * and the sum is taken when it is lost in the rounding of the time. */
#include <string.h>

#include "base/arena.h"
#include "runtime/ballistic/workspace.h"

/* impacts from mark to mark */
#define HISTORY_MARK_DISTANCE 64
/* the scale must have fallen by this in the marks that are asked, and between
 * one and the next of at least so many of them */
#define HISTORY_SCALE_FALLEN 0x1p-16
#define HISTORY_SCALE_FALLS 3

struct impact_history *
impact_history_new(struct arena *a, int contacts)
{
    size_t m = (size_t)contacts;
    struct impact_history *k = NEW(a, struct impact_history);
    k->when = NEW_N(a, long, m + 1);
    k->sel = NEW_N(a, bool, m + 1);
    k->group = NEW_N(a, bool, (size_t)HISTORY_GROUPS *m + 1);
    k->state = NEW_N(a, double, 2 * (size_t)HISTORY_MARKS * m + 1);
    return k;
}

void
impact_history_forget(struct ballistic *l)
{
    struct impact_history *k = l->w->marks;
    k->version = 0;
    k->n = k->n_group = 0;
    k->from = 0;
    k->seen = 0;
    memset(k->when, 0, (size_t)l->model.m * sizeof *k->when);
}

void
impact_history_copy(struct ballistic *to, const struct ballistic *from)
{
    struct impact_history *k = to->w->marks;
    const struct impact_history *o = from->w->marks;
    size_t m = (size_t)from->model.m;
    k->from = o->from;
    k->seen = o->seen;
    if (k->version == o->version && k->at == o->at)
        return;
    k->version = o->version;
    k->at = o->at;
    k->n = o->n;
    k->n_group = o->n_group;
    memcpy(k->when, o->when, m * sizeof *k->when);
    memcpy(k->group, o->group, (size_t)k->n_group * m);
    memcpy(k->depth, o->depth, sizeof k->depth);
    memcpy(k->mark, o->mark, (size_t)k->n * sizeof *k->mark);
    memcpy(k->state, o->state, 2 * (size_t)k->n * m * sizeof *k->state);
}

static void
changed(struct ballistic *l)
{
    struct impact_history *k = l->w->marks;
    k->version++;
    k->at = l->t;
}

/* -- groups -----------------------------------------------------------------
 */

/* the first contact of l->group */
int
impact_history_group_first(const struct ballistic *l)
{
    int i = 0;
    while (!l->group[i])
        i++;
    return i;
}

int
impact_history_group_name(struct ballistic *l, int depth)
{
    struct impact_history *k = l->w->marks;
    int m = l->model.m, n = 0;
    for (int i = 0; i < m; i++)
        n += l->group[i];
    if (n == 1)
        return m + impact_history_group_first(l);
    for (int i = 0; i < k->n_group; i++)
        if (!memcmp(k->group + i * m, l->group, (size_t)m)) {
            if (depth > k->depth[i])
                k->depth[i] = depth;
            return 2 * m + i;
        }
    if (k->n_group == HISTORY_GROUPS) { /* begins anew: a name is one set */
        k->n_group = 0;
        l->w->from = l->w->n_ring;
    }
    memcpy(k->group + k->n_group * m, l->group, (size_t)m);
    k->depth[k->n_group] = depth;
    changed(l);
    return 2 * m + k->n_group++;
}

/* Depth of a limit of l->group: 1 + that of the limits among the last n entries
 * of the history, or as deep as one of the same group. */
int
impact_history_depth(const struct ballistic *l, int n)
{
    const struct ballistic_workspace *w = l->w;
    int m = l->model.m, depth = 1;
    unsigned long most = w->n_ring - w->from;
    bool limits = false;
    for (unsigned long i = 1; i <= most && i < HISTORY_KEPT && (int)i <= n; i++)
        limits |= w->ring[(w->n_ring - i) % HISTORY_KEPT].contact >= m;
    if (!limits)
        return 1;
    for (unsigned long i = 1; i <= most && i < HISTORY_KEPT && (int)i <= n;
         i++) {
        int name = w->ring[(w->n_ring - i) % HISTORY_KEPT].contact;
        int d = name < m ? 0 : name < 2 * m ? 1 : w->marks->depth[name - 2 * m];
        bool in = true, same = name >= m;
        for (int c = 0; c < m; c++) {
            bool has = impact_history_group_has(l, name, c);
            in &= l->group[c] || !has;
            same &= l->group[c] == has;
        }
        if (!in)
            break;
        d += !same;
        depth = d > depth ? d : depth;
    }
    return depth;
}

bool
impact_history_group_has(const struct ballistic *l, int name, int contact)
{
    int m = l->model.m;
    return name < 2 * m ? name % m == contact
                        : l->w->marks->group[(name - 2 * m) * m + contact];
}

void
impact_history_group_add(const struct ballistic *l, int name, bool *sel)
{
    int m = l->model.m;
    if (name < 2 * m)
        sel[name % m] = true;
    else
        for (int i = 0; i < m; i++)
            sel[i] |= l->w->marks->group[(name - 2 * m) * m + i];
}

/* -- marks ------------------------------------------------------------------
 */

/* when contacts were hit last, of the entries since the last call, until `to`
 */
static void
scan(struct ballistic *l, unsigned long to)
{
    struct ballistic_workspace *w = l->w;
    struct impact_history *k = w->marks;
    unsigned long i = k->seen;
    if (w->n_ring - i > HISTORY_KEPT)
        i = w->n_ring - HISTORY_KEPT;
    for (; i < to; i++) {
        int name = w->ring[i % HISTORY_KEPT].contact;
        if (name < l->model.m)
            k->when[name] = l->impacts;
        for (int c = 0; c < l->model.m && name >= l->model.m; c++)
            if (impact_history_group_has(l, name, c))
                k->when[c] = l->impacts;
    }
    k->seen = to;
}

void
impact_history_limit(struct ballistic *l, unsigned long n_ring)
{
    struct impact_history *k = l->w->marks;
    scan(l, n_ring); /* the others are of the group */
    for (int c = 0; c < l->model.m; c++)
        if (l->group[c])
            k->when[c] = l->impacts;
    k->seen = n_ring;
    changed(l);
}

static double
span(const struct ballistic *l, const struct impact_history_mark *k)
{
    return (l->t - k->t) + (l->t_lo - k->t_lo);
}

/* makes room: of the marks, whose distances from now should grow as a geometric
 * series, the one that is missed least */
static void
thin(struct ballistic *l)
{
    struct impact_history *k = l->w->marks;
    size_t m = (size_t)l->model.m;
    int least = 1;
    double share = INFINITY;
    for (int i = 1; i + 1 < k->n; i++) {
        double now = span(l, &k->mark[i + 1]);
        double s = now > 0.0 ? span(l, &k->mark[i - 1]) / now : INFINITY;
        if (s < share) {
            share = s;
            least = i;
        }
    }
    size_t rest = (size_t)(k->n - least - 1);
    memmove(&k->mark[least], &k->mark[least + 1], rest * sizeof *k->mark);
    memmove(k->state + 2 * m * (size_t)least,
            k->state + 2 * m * (size_t)(least + 1),
            rest * 2 * m * sizeof(double));
    k->n--;
}

static void
mark(struct ballistic *l)
{
    struct impact_history *k = l->w->marks;
    size_t m = (size_t)l->model.m;
    if (k->n == HISTORY_MARKS)
        thin(l);
    double *state = k->state + 2 * m * (size_t)k->n;
    memcpy(state, l->gap, m * sizeof *state);
    memcpy(state + m, l->rate, m * sizeof *state);
    k->mark[k->n++] =
        (struct impact_history_mark){l->t, l->t_lo, l->ex, l->ev, l->impacts};
    changed(l);
}

/* The scale of a state in the contacts `sel`, as a time: that of a fall from
 * rest to the gaps, or back to the rates, at acceleration a; gaps and rates
 * over the roots of W are lengths and speeds in the metric of the masses. */
static double
scale(const struct ballistic *l, const bool *sel, const double *gap,
      const double *rate, int ex, int ev, double a)
{
    double s = 0.0, u = 0.0;
    for (int i = 0; i < l->model.m; i++)
        if (sel[i]) {
            s = greater(s, fabs(gap[i]) / l->k.root[i]);
            u = greater(u, fabs(rate[i]) / l->k.root[i]);
        }
    /* the exponents may be far out: the root halves them */
    int odd = ex & 1;
    return greater(ldexp(sqrt(ldexp(s / a, odd)), (ex - odd) / 2),
                   ldexp(u / a, ev));
}

/* The contacts hit since mark k: do they accumulate? T: what remains, true
 * time; ratio: of the scale per impact, on the average. */
static bool
accumulates(struct ballistic *l, int first, double *T, double *ratio)
{
    struct impact_history *k = l->w->marks;
    int m = l->model.m, falls = 0;
    double a = 0.0, most = 0.0;
    for (int i = 0; i < m; i++) {
        k->sel[i] = k->when[i] > k->mark[first].impacts;
        if (k->sel[i] && l->k.root[i] > 0.0)
            a = greater(a, fabs(l->k.nf[i]) / l->k.root[i]);
    }
    if (!(a > 0.0))
        return false;
    double now = scale(l, k->sel, l->gap, l->rate, l->ex, l->ev, a);
    double before = INFINITY, whole = 0.0, hits = 0.0;
    for (int j = first; j < k->n; j++) {
        const struct impact_history_mark *o = &k->mark[j];
        const double *state = k->state + 2 * m * j;
        double s = scale(l, k->sel, state, state + m, o->ex, o->ev, a);
        if (s > before)
            return false; /* no steady fall */
        if (!(s > 16.0 * now))
            break;
        if (s > whole) {
            whole = s;
            hits = (double)(l->impacts - o->impacts);
        }
        if (s < 0.25 * before) {
            falls++;
            before = s;
        }
        most = greater(most, span(l, o) / s);
    }
    *T = most * now;
    *ratio = pow(now / whole, 1.0 / hits);
    return falls >= HISTORY_SCALE_FALLS && now <= HISTORY_SCALE_FALLEN * whole;
}

bool
impact_history_marks_due(const struct ballistic *l, long impacts)
{
    /* ever more seldom in runs that find none for thousands of impacts */
    long apart = impacts >> 6;
    apart = apart > HISTORY_MARK_DISTANCE ? apart : HISTORY_MARK_DISTANCE;
    return impacts - l->w->marks->from >= apart && impacts >= l->w->least;
}

bool
impact_history_below_rounding(struct ballistic *l, double *T, double *ratio)
{
    struct impact_history *k = l->w->marks;
    if (!impact_history_marks_due(l, l->impacts))
        return false;
    k->from = l->impacts;
    scan(l, l->w->n_ring);
    for (int i = 0; i < k->n; i++)
        if (accumulates(l, i, T, ratio) &&
            *T <= 0.25 * DBL_EPSILON * (l->t - l->start)) {
            memcpy(l->group, k->sel, (size_t)l->model.m);
            return true;
        }
    mark(l);
    return false;
}
