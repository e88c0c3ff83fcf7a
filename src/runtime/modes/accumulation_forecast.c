/* SPDX-License-Identifier: MIT */
/* Where would the parabola lead that touches the motion of bodies at this
 * instant (accumulation_forecast.h)? Its gaps are followed by
 * runtime/ballistic in the space that they span: with G = N M^-1 N^T = F F^T
 * (found by pivots, rank r) and coordinates y of unit mass, gap = F y + c; g
 * stands for the gaps, their rates or their free accelerations. So joints and
 * any number of bodies look alike. The error of a forecast is of the square of
 * the time that is left; a caller who asks again after the next impact sees how
 * large it is. */
#include "runtime/modes/accumulation_forecast.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/modes/mode_select.h"

/* if a pivot is below this share of its diagonal, the row depends on those
 * before */
#define LIMIT_RANK 1e-11
/* A point at rest is taken as a pivot first if this share of its diagonal is
 * left: half of the digits of a quotient by its root stay. */
#define LIMIT_REST 1e-6
/* a gap below this many rounding errors of its terms is 0 */
#define LIMIT_NOISE 64.0
/* what points do to each other is rounding below this many rounding errors */
#define LIMIT_ROUNDING 16.0
/* Flights that agree to this share are the same: gaps that were closed
 * together open alike to the rounding of speeds and directions. So are flights
 * that agree to half of the digits, of which one ends where the gap of the
 * other is rounding: Newton's law at two near points leaves them alike to the
 * rounding of their great impulses. */
#define LIMIT_ALIKE 1e-13
#define LIMIT_NEAR 1e-8
/* The impacts of a pattern that a forecast follows one by one at least, once
 * it has come to a limit: the fewest that show a law. Nobody sees the others,
 * and limits on the way to other limits come in hundreds. */
#define LIMIT_RESOLVE 3
/* Others must stay away by so many times what impacts at one do to them. */
#define FORECAST_CLEAR 4.0

struct space {
    int m, r;
    double *F, *rest; /* F is m x r; rest: the diagonal entries that are left */
    int *basis;
};

/* Returns the row with the greatest share of its diagonal left, above `best`;
 * rests: among these points alone; -1: there is none. */
static int
pivot_of(const struct space *space, const double *G, const bool *rests,
         double best)
{
    int count = space->m, pivot = -1;
    for (int row = 0; row < count; row++)
        if ((!rests || rests[row]) &&
            space->rest[row] > best * G[row * count + row]) {
            best = space->rest[row] / G[row * count + row];
            pivot = row;
        }
    return pivot;
}

/* F F^T = G by pivots; the last entry of row basis[k] of F is at k. Points at
 * rest come first: their coordinates are then exactly 0, as their gaps and
 * rates are, whatever the rounding errors of the other points. A rate of
 * rounding would be a flight, and its end a limit. */
static void
factor(struct space *space, const double *G, const bool *rests)
{
    int count = space->m;
    for (int row = 0; row < count; row++)
        space->rest[row] = G[row * count + row];
    for (space->r = 0; space->r < count; space->r++) {
        int column = space->r;
        int pivot = pivot_of(space, G, rests, LIMIT_REST);
        if (pivot < 0)
            pivot = pivot_of(space, G, NULL, LIMIT_RANK);
        if (pivot < 0)
            break;
        double root = sqrt(space->rest[pivot]);
        for (int row = 0; row < count; row++) {
            double x = G[row * count + pivot];
            /* A row that depends on those before has no part in others, but
             * for rounding: at rest it would move with them. */
            bool taken = space->rest[row] <= (column + 1) * LIMIT_ROUNDING *
                                                 DBL_EPSILON *
                                                 G[row * count + row];
            for (int j = 0; j < column; j++)
                x -= space->F[row * count + j] * space->F[pivot * count + j];
            for (int j = 0; j < column; j++)
                taken |= space->basis[j] == row;
            space->F[row * count + column] = taken          ? 0.0
                                             : row == pivot ? root
                                                            : x / root;
            space->rest[row] =
                taken || row == pivot
                    ? 0.0
                    : space->rest[row] - space->F[row * count + column] *
                                             space->F[row * count + column];
        }
        space->basis[column] = pivot;
    }
}

/* Finds y with F y = g at the rows of the basis; off: the error at the other
 * rows. */
static void
coordinates(const struct space *space, const double *g, double *y, double *off)
{
    int count = space->m;
    for (int k = 0; k < space->r; k++) {
        int p = space->basis[k];
        double x = g[p];
        for (int j = 0; j < k; j++)
            x -= space->F[p * count + j] * y[j];
        y[k] = x / space->F[p * count + k];
    }
    for (int i = 0; i < count; i++) {
        off[i] = g[i];
        for (int j = 0; j < space->r; j++)
            off[i] -= space->F[i * count + j] * y[j];
    }
    for (int k = 0; k < space->r; k++)
        off[space->basis[k]] = 0.0;
}

/* Copies the Delassus matrix. Points that act on each other by no more than the
 * rounding of their normals do not: a point at rest would be lifted by that
 * much at every impact of the other one, and come to a limit of its own. */
static void
without_rounding(const struct forecast_question *question, double *G)
{
    int n = question->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double size = sqrt(question->G[i * n + i] * question->G[j * n + j]),
                   entry = question->G[i * n + j];
            G[i * n + j] = fabs(entry) <= LIMIT_ROUNDING * DBL_EPSILON * size
                               ? 0.0
                               : entry;
        }
}

/* The motion of a model in the memory. Of many sizes those before are let go:
 * a long run asks for hundreds, and each for fresh pages of memory. */
static struct ballistic *
line_for(struct forecast_memory *memory, const struct ballistic_model *m)
{
    for (int i = 0; i < memory->n; i++)
        if (memory->line[i]->model.n == m->n &&
            memory->line[i]->model.m == m->m)
            return ballistic_renew(memory->line[i], m) ? NULL : memory->line[i];
    if (!memory->arena)
        memory->arena = arena_new();
    if (memory->n == FORECAST_LINES) {
        arena_clear(memory->arena);
        memory->n = 0;
    }
    if (ballistic_new(memory->arena, m, &memory->line[memory->n]))
        return NULL;
    return memory->line[memory->n++];
}

/* Keeps the limit that has just been taken, and the state of all points there.
 * deep: the depth of limits on the way whose points have been hit again. */
static void
capture(const struct ballistic *line, const bool *moved, const double *earlier,
        int deep, struct forecast_limit *out)
{
    for (int i = 0; i < line->model.m; i++) {
        bool in = out->group[i] = line->event.group[i];
        out->earlier[i] = line->mode.persistent[i] && !in ? earlier[i] : 0.0;
        out->closed[i] = in || line->mode.persistent[i];
        out->moved[i] = moved[i] || out->closed[i];
        out->gap[i] = out->closed[i] ? 0.0 : ballistic_gap(line, i);
        out->rate[i] = out->closed[i] ? 0.0 : ballistic_rate(line, i, NULL);
    }
    out->found = true;
    out->remaining = line->t;
    out->chatter = line->event.limit;
    if (out->chatter.depth <= deep)
        out->chatter.depth = deep + 1;
}

/* Does a point fly behind the limit that has just been taken which has been hit
 * before? It may come back, open those that rest, and have a limit with them.
 */
static bool
one_flies(const struct ballistic *line,
          const struct forecast_question *question)
{
    for (int i = 0; i < line->model.m; i++)
        if (question->bounces[i] && !line->event.group[i] &&
            !line->mode.persistent[i])
            return true;
    return false;
}

/* A limit of all points that were hit so far is not the last one: it becomes
 * *some. way: the limits before that which comes now. */
static void
not_the_last(struct forecast_limit *all, struct forecast_limit *some,
             const struct accumulation_limit *way)
{
    struct forecast_limit other = *some;
    *some = *all;
    *all = other;
    all->on_way = way;
}

/* Ends the limits on the way whose points are hit again at this event. Returns
 * the greatest depth of these; 0: there are none. */
static int
undone(const struct ballistic *line, enum ballistic_event what,
       const struct accumulation_limit *way, double *earlier)
{
    int depth = 0;
    for (int i = 0; i < line->model.m; i++) {
        bool again = what == BALLISTIC_IMPACT    ? i == line->event.contact
                     : what == BALLISTIC_SEVERAL ? line->event.together[i]
                                                 : false;
        if (again && earlier[i] > 0.0 && way[i].depth > depth)
            depth = way[i].depth;
        earlier[i] = again ? 0.0 : earlier[i];
    }
    return depth;
}

/* Follows the parabola to a limit at all points that were hit on the way.
 * Limits of some of them may come before; and where a point flies on behind it,
 * one of all that bounce may come behind: then the first is that of some.
 * apart: what comes is not followed where one of these moves before the first
 * limit (NULL: none). */
static void
look_ahead(struct rt *run, struct ballistic *line,
           const struct forecast_question *question, const bool *apart,
           struct accumulation_limit *on_way, struct forecast_limit *all,
           struct forecast_limit *some)
{
    int count = line->model.m, most = question->most;
    struct accumulation_limit *way = on_way;
    bool within = true, first = true; /* no limit of all so far */
    int deep = 0; /* the depth of limits that an impact has undone */
    double *earlier = NEW_N(run->brief, double, (size_t)count + 1);
    bool *hit = NEW_N(run->brief, bool, 2 * (size_t)count + 1),
         *moved = hit + count;
    for (int k = 0; k < most; k++) {
        bool parts = false;
        for (int i = 0; i < count; i++) {
            moved[i] |= line->mode.persistent[i];
            parts |= apart && apart[i] && moved[i];
        }
        if (parts && !all->found && !some->found)
            return;
        enum ballistic_event what = accumulation_next(line, question->ahead);
        limit_joins_event(question->joins, line, what);
        if (within && line->t > question->window) {
            within = false;
            if (k + question->compared < most)
                most = k + question->compared;
        }
        int depth = undone(line, what, way, earlier);
        deep = depth > deep ? depth : deep;
        if (what == BALLISTIC_IMPACT) {
            hit[line->event.contact] = moved[line->event.contact] = true;
        } else if (what == BALLISTIC_ACCUMULATION) {
            bool full = true;
            accumulation_resolve(line, LIMIT_RESOLVE);
            for (int i = 0; i < count; i++) {
                moved[i] |= line->event.group[i];
                full &= line->event.group[i] || !hit[i];
            }
            if (!first && full)
                not_the_last(all, some, way);
            if (full || (first && line->t <= question->window))
                capture(line, moved, earlier, deep, full ? all : some);
            if (full && (!first || line->t > question->window ||
                         !one_flies(line, question)))
                return;
            if (full) {
                way = on_way + count;
                memcpy(way, on_way, (size_t)count * sizeof *way);
                first = false;
            }
            if ((some->found || !first) && k + question->beyond < most)
                most = k + question->beyond;
            for (int i = 0; i < count; i++)
                if (line->event.group[i]) {
                    earlier[i] = line->t;
                    way[i] = line->event.limit;
                }
        } else if (what != BALLISTIC_SEVERAL) {
            return;
        }
        for (int i = 0; i < count && what == BALLISTIC_SEVERAL; i++) {
            hit[i] |= line->event.together[i];
            moved[i] |= line->event.together[i];
        }
    }
}

/* Have two points one law of restitution? */
static bool
same_law(const struct rt *run, const struct forecast_question *question, int i,
         int j)
{
    uint32_t one = question->spot[i].contact, two = question->spot[j].contact;
    return one == two || (!contact_restitution_varies(run, one) &&
                          !contact_restitution_varies(run, two));
}

/* Does a point of the question fly whose restitution depends on the approach?
 */
static bool
varies(struct rt *run, const struct forecast_question *question)
{
    for (int point = 0; point < question->n; point++)
        if (!contact_restitution_settled(run, question->spot[point].contact,
                                         fabs(question->p[point].rate)))
            return true;
    return false;
}

/* The greatest change of the rate of point i by all impacts at another one
 * alone, each of which is weaker than the one before: their sum makes up for
 * what it has `fallen`, acceleration times time, and for its rate now; 0 where
 * they do not act on each other beyond rounding. */
static double
felt(const struct forecast_question *question, int i, int other, double fallen)
{
    int n = question->n;
    double entry = fabs(question->G[i * n + other]),
           own = question->G[other * (n + 1)];
    double size = sqrt(question->G[i * (n + 1)] * own);
    return entry <= LIMIT_ROUNDING * DBL_EPSILON * size
               ? 0.0
               : entry / own *
                     (FORECAST_CLEAR * question->p[other].rate + fallen);
}

/* All points that were just hit are hit together again and again, none before
 * another: their flights 2 u/|a| shrink by one restitution e, or by one that
 * depends on the speed u. */
static bool
together(struct rt *run, const struct forecast_question *question,
         struct forecast_limit *out)
{
    double span = 0.0, restitution = 0.0,
           *acc = NEW_N(run->brief, double, (size_t)question->n + 1);
    int hits = 0, first = 0, n_pressed = 0;
    if (!mode_accelerations(run, question->n, question->p, question->G, acc))
        return false;
    for (int point = 0; point < question->n; point++) {
        const struct contact_point_state *states = &question->p[point];
        out->group[point] = states->gap == 0.0 && states->rate > 0.0;
        if (!out->group[point])
            continue;
        double t =
            acc[point] < 0.0 ? -2.0 * states->rate / acc[point] : INFINITY;
        if (hits++ == 0) {
            first = point;
            span = t;
            restitution = question->e[point];
        }
        if (!(t < INFINITY) || question->e[point] != restitution ||
            !same_law(run, question, first, point) ||
            (fabs(t - span) > LIMIT_ALIKE * span &&
             (fabs(t - span) > LIMIT_NEAR * span ||
              fabs(t - span) * states->rate >
                  LIMIT_NOISE * DBL_EPSILON * question->place[point])))
            return false;
    }
    struct flight_sum flights = {.error = 0.0};
    bool changes = varies(run, question);
    if ((hits < 2 && !changes) || hits == 0 || !(restitution < 1.0))
        return false;
    if (changes) {
        uint32_t contact = question->spot[first].contact;
        contact_restitution_flights(run, contact, question->p[first].rate,
                                    &flights);
        restitution = contact_restitution_ahead(run, contact, 0.0);
        if (!flights.ends)
            return false;
        span *= flights.sum;
    } else {
        span /= 1.0 - restitution;
    }
    for (int i = 0; i < question->n; i++) {
        const struct contact_point_state *states = &question->p[i];
        bool rests = states->gap == 0.0 && states->rate == 0.0;
        double pushed = 0.0;
        if (hits == 1)
            pushed = felt(question, i, first, fabs(acc[first]) * span);
        /* one that rests stays if the impacts press it down, and it alone; in
         * a sequence it would be hit in its turn */
        if (!out->group[i] && rests && pushed > 0.0 &&
            (n_pressed++ > 0 || question->policy == BALLISTIC_SEQUENTIAL ||
             question->G[i * question->n + first] > 0.0))
            return false;
        if (!out->group[i] && !rests &&
            !(states->gap >
              span * (fabs(states->rate) + pushed + fabs(acc[i]) * span)))
            return false;
    }
    for (int i = 0; i < question->n; i++) {
        const struct contact_point_state *states = &question->p[i];
        out->closed[i] = out->moved[i] =
            out->group[i] || (states->gap == 0.0 && states->rate == 0.0);
        out->gap[i] = out->rate[i] = out->earlier[i] = 0.0;
    }
    out->found = true;
    out->remaining = span;
    out->chatter =
        (struct accumulation_limit){.period = 1,
                                    .ratio = restitution,
                                    .ratio_error = DBL_EPSILON * restitution,
                                    .depth = 1,
                                    .evidence = LIMIT_BY_LAW,
                                    .remaining = span,
                                    .error = LIMIT_ALIKE + flights.error};
    return true;
}

/* The motion of the parabola in the space of the gaps, at its start. NULL: it
 * has none. */
static struct ballistic *
line_of(struct rt *run, struct forecast_memory *lines,
        const struct forecast_question *question)
{
    int count = question->n;
    size_t mm = (size_t)count;
    double *d = NEW_N(run->brief, double, 4 * mm * mm + 10 * mm);
    struct space space = {.m = count, .F = d, .rest = d + mm * mm};
    double *place = space.rest + count, *velocity = place + count,
           *acc = velocity + count, *gap = acc + count;
    double *bias = gap + count, *g = bias + count, *off = g + count,
           *gradients = off + count;
    double *restitution = gradients + mm * mm, *G = restitution + mm,
           *mass = G + mm * mm, most = 0.0;
    bool *rests = NEW_N(run->brief, bool, mm);
    space.basis = NEW_N(run->brief, int, mm);
    for (int i = 0; i < count; i++)
        rests[i] = question->p[i].gap == 0.0 && question->p[i].rate == 0.0;
    without_rounding(question, G);
    factor(&space, G, rests);
    for (int i = 0; i < count; i++)
        g[i] = question->p[i].gap;
    coordinates(&space, g, place, gap);
    for (int i = 0; i < count; i++) {
        double size = question->place[i];
        for (int j = 0; j < space.r; j++)
            size += fabs(space.F[i * count + j] * place[j]);
        if (fabs(gap[i]) <= LIMIT_NOISE * DBL_EPSILON * size)
            gap[i] = 0.0;
        most = fmax(most, question->place[i]);
        restitution[i] = question->e[i];
        g[i] = question->p[i].rate;
    }
    coordinates(&space, g, velocity, off);
    for (int i = 0; i < count; i++)
        g[i] = question->p[i].free;
    coordinates(&space, g, acc, bias);
    for (int i = 0; i < space.r; i++)
        mass[i * space.r + i] = 1.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < space.r; j++)
            gradients[i * space.r + j] = space.F[i * count + j];
    struct ballistic_model model = {.n = space.r,
                                    .m = count,
                                    .mass = mass,
                                    .acc = acc,
                                    .N = gradients,
                                    .bias = bias,
                                    .c = gap,
                                    .e = restitution};
    struct ballistic *line = space.r > 0 ? line_for(lines, &model) : NULL;
    if (!line || !ballistic_start(line, 0.0, place, velocity,
                                  LIMIT_NOISE * DBL_EPSILON * most))
        return NULL;
    line->policy = question->policy;
    return line;
}

static bool
forecast(struct rt *run, struct forecast_memory *lines,
         const struct forecast_question *question, const bool *apart,
         struct forecast_limit *all, struct forecast_limit *some)
{
    int count = question->n;
    all->found = some->found = false;
    if (together(run, question, all))
        return true;
    if (varies(run, question))
        return false; /* the parabola has other restitutions than the motion */
    struct ballistic *line = line_of(run, lines, question);
    if (!line)
        return false;
    accumulation_resolve(line, ACCUMULATION_RESOLVE);
    if (lines->points < count) {
        lines->points = 2 * count;
        lines->on_way =
            NEW_N(run->arena, struct accumulation_limit, 4 * (size_t)count);
    }
    all->on_way = some->on_way = lines->on_way;
    look_ahead(run, line, question, apart, lines->on_way, all, some);
    return all->found || some->found;
}

/* -- points that are hit together for ever ----------------------------------
 */

/* Do two points of the question, which act on each other, fly alike: is the way
 * between them rounding for the whole time that is asked for? */
static bool
fly_alike(const struct rt *run, const struct forecast_question *question, int i,
          int j)
{
    const struct contact_point_state *one = &question->p[i],
                                     *two = &question->p[j];
    double noise = LIMIT_NOISE * DBL_EPSILON *
                   fmax(question->place[i], question->place[j]),
           time = question->ahead, rate = fabs(one->rate - two->rate),
           free = fabs(one->free - two->free);
    double own = sqrt(question->G[i * (question->n + 1)] *
                      question->G[j * (question->n + 1)]);
    return fabs(question->G[i * question->n + j]) >
               LIMIT_ROUNDING * DBL_EPSILON * own &&
           question->e[i] == question->e[j] && same_law(run, question, i, j) &&
           (one->gap == 0.0) == (two->gap == 0.0) &&
           (one->rate == 0.0) == (two->rate == 0.0) &&
           fabs(one->gap - two->gap) <= noise &&
           rate <= LIMIT_NEAR * fabs(one->rate) && rate * time <= noise &&
           free <= LIMIT_NEAR * fabs(one->free) && free * time * time <= noise;
}

/* The question about groups of twins, each as one point: its row is the mean of
 * theirs, by their shares. */
static struct forecast_question
question_of_groups(struct rt *run, const struct forecast_question *question,
                   const int *group, const double *share, int groups)
{
    size_t n = (size_t)groups;
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, n);
    struct contact_point *spot = NEW_N(run->brief, struct contact_point, n);
    double *G = NEW_N(run->brief, double, n *n + 2 * n), *e = G + n * n,
           *place = e + n;
    bool *bounces = NEW_N(run->brief, bool, n);
    for (int i = question->n - 1; i >= 0; i--) {
        int k = group[i];
        bounces[k] |= question->bounces[i];
        state[k] = question->p[i];
        spot[k] = question->spot[i];
        e[k] = question->e[i];
        place[k] = fmax(place[k], question->place[i]);
    }
    for (int i = 0; i < question->n; i++)
        for (int j = 0; j < question->n; j++)
            G[group[i] * groups + group[j]] +=
                question->G[i * question->n + j] * share[i] * share[j];
    struct forecast_question reduced = *question;
    reduced.n = groups;
    reduced.p = state;
    reduced.spot = spot;
    reduced.G = G;
    reduced.e = e;
    reduced.bounces = bounces;
    reduced.place = place;
    return reduced;
}

/* A limit of groups as one of all their points. */
static void
spread(struct rt *run, const struct forecast_limit *of, const int *group, int n,
       struct forecast_limit *out)
{
    out->found = of->found;
    if (!of->found)
        return;
    struct accumulation_limit *on_way =
        NEW_N(run->brief, struct accumulation_limit, (size_t)n);
    for (int i = 0; i < n; i++) {
        out->group[i] = of->group[group[i]];
        out->closed[i] = of->closed[group[i]];
        out->moved[i] = of->moved[group[i]];
        out->gap[i] = of->gap[group[i]];
        out->rate[i] = of->rate[group[i]];
        out->earlier[i] = of->earlier[group[i]];
        if (of->on_way)
            on_way[i] = of->on_way[group[i]];
    }
    out->remaining = of->remaining;
    out->chatter = of->chatter;
    out->on_way = of->on_way ? on_way : NULL;
}

/* The question with twins as one point; *group: which point each one is (n).
 * Twins fly alike, and impacts at any of these groups change them alike: they
 * are hit at once, at every impact. Followed as points of their own they would
 * part by rounding, and be hit in turns, as the law `sequential` does. uneven:
 * of each group, may impacts there part others? NULL: of no interest. */
static struct forecast_question
without_twins(struct rt *run, const struct forecast_question *question,
              int **group, bool **uneven)
{
    int n = question->n, groups = 0, *of = NEW_N(run->brief, int, (size_t)n);
    double *share = NEW_N(run->brief, double, (size_t)n);
    bool *parts = NEW_N(run->brief, bool, (size_t)n),
         in_turns = question->policy == BALLISTIC_SEQUENTIAL;
    for (int i = 0; i < n; i++) {
        of[i] = -1;
        for (int j = 0; j < i && of[i] < 0 && !in_turns; j++)
            if (fly_alike(run, question, j, i))
                of[i] = of[j];
        if (of[i] < 0)
            of[i] = groups++;
    }
    *group = of;
    if (uneven)
        *uneven = parts;
    if (groups < n &&
        mode_even_shares(run, n, question->G, of, groups, share, parts))
        return question_of_groups(run, question, of, share, groups);
    for (int i = 0; i < n; i++)
        of[i] = i;
    return *question;
}

void
forecast_groups(struct rt *run, const struct forecast_question *question,
                int *group)
{
    assert(run != NULL && question->n > 0 && group != NULL);
    int *of;
    without_twins(run, question, &of, NULL);
    memcpy(group, of, (size_t)question->n * sizeof *group);
}

/* Is one of these groups hit, or held, on the way to the limit? */
static bool
comes_to(const struct forecast_limit *limit, const bool *group, int groups)
{
    bool any = false;
    for (int k = 0; k < groups; k++)
        any |= group[k] && (!limit->found || limit->moved[k]);
    return any;
}

bool
accumulation_forecast(struct rt *run, struct forecast_memory *lines,
                      const struct forecast_question *question,
                      struct forecast_limit *all, struct forecast_limit *some)
{
    assert(question->n > 0 && question->most > 0);
    assert(all->group != NULL && some->group != NULL);
    int *group;
    bool *uneven;
    struct forecast_question reduced =
        without_twins(run, question, &group, &uneven);
    int groups = reduced.n;
    limit_joins_begin(question->joins, group);
    lines->apart = groups == question->n;
    if (lines->apart)
        return forecast(run, lines, question, NULL, all, some);
    struct forecast_limit found[2] = {forecast_limit_room(run, groups),
                                      forecast_limit_room(run, groups)};
    bool any = forecast(run, lines, &reduced, uneven, &found[0], &found[1]);
    /* impacts that part twins make each of them a point of its own */
    lines->apart =
        comes_to(found[0].found || !found[1].found ? &found[0] : &found[1],
                 uneven, groups);
    if (lines->apart) {
        limit_joins_begin(question->joins, NULL);
        return forecast(run, lines, question, NULL, all, some);
    }
    spread(run, &found[0], group, question->n, all);
    spread(run, &found[1], group, question->n, some);
    return any;
}

/* -- the way to a limit ---------------------------------------------------- */

/* most events from one time to the next that are followed */
#define WAY_FOLLOWED 20000

struct forecast_way {
    struct rt *run;
    struct forecast_question ask; /* without twins */
    int n, *group; /* points, and which of the question each is */
    /* restitutions change with the speed: all that flies does so by itself,
     * hit together again and again (see `together`) */
    bool apart;
    struct ballistic *line; /* otherwise */
    bool *moved;
    double *begun, *speed, *acc; /* apart: of the present flight of each */
};

struct forecast_way *
forecast_way_begin(struct rt *run, struct forecast_memory *lines,
                   const struct forecast_question *question)
{
    assert(run != NULL && question->n > 0);
    struct forecast_way *way = NEW(run->brief, struct forecast_way);
    int *group;
    struct forecast_question reduced =
        without_twins(run, question, &group, NULL);
    for (int i = 0; i < question->n && lines->apart; i++)
        group[i] = i;
    const struct forecast_question *ask = lines->apart ? question : &reduced;
    size_t size = (size_t)ask->n;
    double *numbers = NEW_N(run->brief, double, 3 * size);
    *way = (struct forecast_way){.run = run,
                                 .ask = *ask,
                                 .n = question->n,
                                 .group = group,
                                 .apart = varies(run, ask),
                                 .moved = NEW_N(run->brief, bool, size),
                                 .begun = numbers,
                                 .speed = numbers + size,
                                 .acc = numbers + 2 * size};
    if (!way->apart) {
        way->line = line_of(run, lines, ask);
        if (way->line)
            accumulation_resolve(way->line, ACCUMULATION_RESOLVE);
        return way->line ? way : NULL;
    }
    if (!mode_accelerations(run, ask->n, ask->p, ask->G, way->acc))
        return NULL;
    for (int i = 0; i < ask->n; i++) {
        way->speed[i] = ask->p[i].rate;
        way->moved[i] = ask->p[i].gap == 0.0 &&
                        (ask->p[i].rate == 0.0 ||
                         (ask->p[i].rate > 0.0 && way->acc[i] < 0.0));
    }
    return way;
}

/* Goes on with the flights of point i. */
static void
fly_apart(struct forecast_way *way, int i, double time, double *gap,
          double *rate)
{
    double acc = way->acc[i];
    uint32_t contact = way->ask.spot[i].contact;
    *gap = *rate = 0.0;
    if (way->speed[i] == 0.0)
        return; /* it rests */
    for (int k = 0; k < WAY_FOLLOWED; k++) {
        double flight = -2.0 * way->speed[i] / acc;
        if (!(way->begun[i] + flight <= time) || !(flight > 0.0))
            break;
        way->begun[i] += flight;
        way->speed[i] *=
            contact_restitution_ahead(way->run, contact, way->speed[i]);
    }
    double left = time - way->begun[i];
    *gap = left * (way->speed[i] + 0.5 * left * acc);
    *rate = way->speed[i] + left * acc;
}

void
forecast_way_to(struct forecast_way *way, double time, bool *moved, double *gap,
                double *rate)
{
    assert(way != NULL && time >= 0.0);
    int n = way->ask.n;
    struct ballistic *line = way->line;
    for (int k = 0; line && k < WAY_FOLLOWED && line->t < time; k++) {
        for (int i = 0; i < n; i++)
            way->moved[i] |= line->mode.persistent[i];
        enum ballistic_event what = accumulation_next(line, time);
        if (what == BALLISTIC_IMPACT)
            way->moved[line->event.contact] = true;
        for (int i = 0; i < n; i++)
            way->moved[i] |=
                what == BALLISTIC_ACCUMULATION ? line->event.group[i]
                : what == BALLISTIC_SEVERAL    ? line->event.together[i]
                                               : false;
        if (what != BALLISTIC_IMPACT && what != BALLISTIC_ACCUMULATION &&
            what != BALLISTIC_SEVERAL)
            break;
    }
    for (int i = 0; i < way->n; i++) {
        int k = way->group[i];
        bool flies = line && !line->mode.persistent[k];
        gap[i] = flies ? ballistic_gap(line, k) : 0.0;
        rate[i] = flies ? ballistic_rate(line, k, NULL) : 0.0;
        if (!line && way->moved[k])
            fly_apart(way, k, time, &gap[i], &rate[i]);
        /* the points that fly now have just been hit, before `now` */
        moved[i] = way->moved[k];
    }
}
