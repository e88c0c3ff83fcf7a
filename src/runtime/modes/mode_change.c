/* SPDX-License-Identifier: MIT */
/* The next change of contacts that stay closed (mode_change.h), within one
 * expansion of the motion. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/polytope.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/friction_modes.h"
#include "runtime/modes/mode_change.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"

/* a gap of so many roundings has risen, */
#define RISEN 4.0
#define RISEN_LATE 1e3 /* within so many times what a term takes to one */
/* a force has ceased when it is below minus this share of its greatest value */
#define FORCE_CEASED 1e-13

/* The first s in (0, span] at which a polynomial that is positive at first, or
 * 0 and rising, comes to 0. Values up to n0 and rates up to n1 at s = 0 count
 * as 0. */
static bool
falls(const double *c, int order, double span, double n0, double n1,
      double *time)
{
    double gap_series[MOTION_STEP_ORDER + 1];
    int drop = fabs(c[0]) <= n0 ? (fabs(c[1]) <= n1 ? 2 : 1) : 0;
    for (int k = drop; k <= order; k++)
        gap_series[k - drop] = c[k];
    if (gap_series[0] < 0.0) {
        *time = 0.0;
        return true;
    }
    if (!polynomial_below(gap_series, order - drop, 0.0, span, 0.0, time))
        return false;
    polynomial_newton(gap_series, order - drop, span, time);
    return true;
}

/* A point is let go this many tolerances past the end of its face, so that
 * what touches from there on can be told apart. Until then the face counts as
 * a plane. */
#define FACE_END_LAG 64.0

/* The terms left out of a gap stay below this share of what it is known to. */
#define GAP_TRUNCATION 1e-2
/* so many terms at the end of a series tell what it leaves out */
#define LAST_TERMS 4
/* A change of the ground that comes within so many roundings of the time comes
 * now: more than the least step beyond a change of branch. */
#define GROUND_ROUNDING 16.0
/* the shortest step that is made for such a gap, in roundings of the time */
#define CROSSING_ULPS 64.0
/* A point has got over a face when it is past the end by this share of what is
 * allowed less than that, so that it does not take a time below rounding. */
#define OVER_CLEARLY 0.125

struct search {
    struct rt *r;
    struct mode_change *out;
    const struct contact_point *on;
    const bool *blind;
    const struct watched_contact *over;
    uint32_t n_over;
    int order;                  /* of the series */
    double holds, enough, best; /* times from now; enough: mode_change_few */
    double tol, rate, lag, low; /* low: the rounding of the gap */
};

static bool
is_over(const struct search *search, uint32_t contact)
{
    for (uint32_t i = 0; i < search->n_over; i++)
        if (search->over[i].faces.contact == contact)
            return true;
    return false;
}

/* Roots may be refined to right before now: time does not go back. */
static void
found(struct search *search, double s, enum mode_change_kind what, int which,
      uint32_t contact)
{
    if (!(s < search->best))
        return;
    search->best = fmax(s, 0.0);
    search->out->what = what;
    search->out->which = which;
    search->out->contact = contact;
}

/* CHANGE_HITS or CHANGE_CLOSES at a point; which: its row, or -1 */
static void
comes(struct search *search, double s, enum mode_change_kind what, int which,
      const struct contact_point *at)
{
    if (s < search->best)
        search->out->at = *at;
    found(search, s, what, which, at->contact);
}

/* The time (s) for which the terms left out of the series of a gap, which is
 * known to `known` (m), do not matter; it may be infinite. */
static double
truncation_time(const double *gap, int order, double known)
{
    double until = INFINITY;
    for (int k = order - LAST_TERMS + 1; k <= order; k++)
        until = term_time(until, gap[k], k, GAP_TRUNCATION * known);
    return until;
}

/* Does the gap of a row that does not push rise from here on? Where a force has
 * ceased it begins with the third power of the time and comes out of its
 * rounding long after. So it is followed while nothing else changes, beyond
 * `until`, too: what is told does not depend on when one looks. Its change is
 * known better than the gap, by the rounding of its rate and acceleration,
 * until the latter is that of the gap. *risen: when it is open beyond doubt. */
static bool
opens(struct search *search, const struct persistent_row *row, double *risen)
{
    double up[MOTION_STEP_ORDER + 1], low, rate, sunk;
    uint32_t contact = row->spot.contact;
    double none = mode_still_acceleration(search->r, contact);
    double horizon = search->out->what == CHANGE_NONE
                         ? fmin(search->holds, row->valid)
                         : search->best;
    gap_rounding(search->r, contact, &low, &rate);
    horizon = fmin(horizon, truncation_time(row->gap.c, search->order, low));
    if (none > 0.0) /* polynomials have no end */
        horizon = fmin(horizon, sqrt(2.0 * low / none));
    low = fmin(low, (rate + none * horizon) * horizon);
    double term = polynomial_moves(row->gap.c, search->order, low);
    if (!isfinite(horizon = fmin(horizon, RISEN_LATE * term)))
        return false;
    for (int k = 0; k <= search->order; k++)
        up[k] = -row->gap.c[k];
    return polynomial_below(up, search->order, 0.0, horizon, -RISEN * low,
                            risen) &&
           !polynomial_below(row->gap.c, search->order, 0.0, *risen, -low,
                             &sunk);
}

/* No point of the contact of this row, its first, pushes: it leaves now if all
 * its gaps rise from now on. Of others each point is let go when it has risen.
 * All points of a contact are rows of one group. */
static void
leaves(struct search *search, int first)
{
    const struct persistent_set *set = search->r->persistent;
    uint32_t contact = set->row[first]->spot.contact;
    double risen, earliest = INFINITY;
    int which = -1;
    bool all = true;
    if (set->row[first]->on)
        return;
    const struct persistent_group *group =
        persistent_group_of(search->r, contact);
    int begin = first - (int)(set->row[first] - group->row);
    for (int i = begin; i < begin + group->n; i++) {
        if (set->row[i]->spot.contact != contact)
            continue;
        if (i < first || set->row[i]->on)
            return;
        if (!opens(search, set->row[i], &risen)) {
            all = false;
        } else if (risen < earliest) {
            earliest = risen;
            which = i;
        }
    }
    if (which >= 0)
        found(search, all ? 0.0 : earliest, all ? CHANGE_LEAVES : CHANGE_CEASES,
              which, contact);
}

/* Is the point between the ends of its face or edges at the time s, or past
 * them by at most `out`? */
static bool
within(struct search *search, const struct contact_point *at, double s,
       double out)
{
    struct taylor *side;
    int n = contact_point_sides(search->r, at, search->order, &side);
    for (int k = 0; k < n; k++)
        if (taylor_at(search->order, &side[k], s) < -out)
            return false;
    return true;
}

static void
place_at(struct search *search, const struct contact_point *at, double s,
         double x[3])
{
    struct taylor p[3];
    bool there = contact_point_place(search->r, at, search->order, p) == IMP_OK;
    for (int i = 0; i < 3; i++)
        x[i] = there ? taylor_at(search->order, &p[i], s) : NAN;
}

/* Is a point of this contact held at the same place already? A corner that
 * slides past one of the other body gets behind another of its faces, too; what
 * touches from there on is decided where the held point has passed its end. */
static bool
held_there(struct search *search, const struct contact_point *at, double time)
{
    double here[3], there[3];
    if (at->kind == POINT_SURFACE || at->kind == POINT_SMOOTH)
        return false; /* the one point of its contact */
    place_at(search, at, time, here);
    const struct persistent_group *group =
        persistent_group_of(search->r, at->contact);
    for (int i = 0; group && i < group->n; i++) {
        const struct contact_point *held = &group->row[i].spot;
        if (held->contact != at->contact || contact_point_same(held, at))
            continue;
        place_at(search, held, time, there);
        int k = 0; /* a place that is not known is none */
        while (k < 3 && fabs(here[k] - there[k]) <= 8.0 * search->lag)
            k++;
        if (k == 3)
            return true;
    }
    return false;
}

/* This row does not push. If its gap falls, it has to push; if its gap has
 * risen, it closes where the gap comes down again. */
static int
sinks(struct search *search, int index)
{
    struct persistent_row *row = search->r->persistent->row[index];
    double time, low;
    int st = contact_point_series(
        search->r, persistent_group_of(search->r, row->spot.contact), row,
        search->order);
    if (st)
        return st == IMP_SINGULAR ? IMP_OK : st;
    gap_rounding(search->r, row->spot.contact, &low, &time);
    bool up = row->gap.c[0] > low;
    if (!up) /* The gap was 0 within rounding when the point was taken. */
        row->gap.c[0] = 0.0;
    if (!isfinite(search->best) ||
        !polynomial_below(row->gap.c, search->order, 0.0, search->best,
                          up ? 0.0 : -low, &time))
        return IMP_OK;
    /* what comes to where another is held, at the end of its face, passes it */
    gap_tolerances(search->r, row->spot.contact, &search->tol, &low);
    search->lag = FACE_END_LAG * search->tol;
    if ((up || row->spot.kind == POINT_VERTEX) &&
        held_there(search, &row->spot, time))
        return IMP_OK;
    if (up && is_over(search, row->spot.contact))
        comes(search, time, CHANGE_HITS, -1, &row->spot);
    else
        comes(search, time, up ? CHANGE_CLOSES : CHANGE_SINKS, index,
              &row->spot);
    return IMP_OK;
}

/* Does a point that was apart, within the tolerance, come down between the
 * ends of its face or edges? A point behind the face comes down elsewhere
 * first. One in the plane of what is held, and needs no push, closes where it
 * gets beyond the tolerance. */
static bool
closes(struct search *search, const struct contact_point *at, const double *gap,
       double *time)
{
    bool down;
    if (gap[0] < -2.0 * search->tol)
        return false;
    if (fabs(gap[0]) <= 2.0 * search->tol &&
        fabs(gap[1]) <=
            fmax(search->rate,
                 mode_still_rate(search->r, at->contact, 2.0 * gap[2]))) {
        double p[MOTION_STEP_ORDER + 1];
        memcpy(p, gap, sizeof p);
        p[0] = 0.0;
        if (fabs(gap[1]) <= search->rate)
            p[1] = 0.0;
        down = polynomial_below(p, search->order, 0.0, search->best,
                                -2.0 * search->tol, time);
    } else if (gap[0] <= search->low &&
               gap[1] > search->rate) { /* The point moves away. */
        down = polynomial_below(gap + 1, search->order - 1, 0.0, search->best,
                                0.0, time);
    } else {
        down = falls(gap, search->order, search->best, search->low,
                     search->rate, time);
    }
    /* A corner that comes down at an edge comes down on the face that it is
     * over. */
    return down && within(search, at, *time, search->low) &&
           !held_there(search, at, *time);
}

static void
other_vertex(void *ctx, uint32_t vertex, const struct taylor *gap)
{
    struct search *search = ctx;
    double s;
    struct contact_point at = *search->on;
    at.vertex = vertex;
    if (!contact_set_holds(search->r, &at) && closes(search, &at, gap->c, &s))
        comes(search, s, CHANGE_CLOSES, -1, &at);
}

/* The gap where two edges cross has a series that may hold for a shorter time
 * than that of the motion: edges that are almost parallel turn about each other
 * fast. For how long it does, or longer, where the gap cannot close. */
static double
crossing_holds(struct search *search, const struct contact_point *at,
               const double *gap)
{
    double reach = fmax(gap[0], 0.0),
           until = fmin(search->best,
                        truncation_time(gap, search->order, search->tol));
    if (!(until < search->best))
        return search->best;
    double safe = reach / mode_speeds(search->r, at->contact, search->best);
    double least = CROSSING_ULPS * DBL_EPSILON * fabs(rt_time(search->r));
    until = fmax(fmax(until, safe), least);
    return fmin(until, search->best);
}

struct edges {
    struct search *f;
    const struct contact_point *base;
    int n;
};

static bool
has_edge(const struct edges *edges, int b, const struct polytope_edge *k)
{
    for (int i = 0; i < edges->n; i++)
        if (edges->base[i].face_of == b && (edges->base[i].face == k->face[0] ||
                                            edges->base[i].face == k->face[1]))
            return true;
    return false;
}

/* Is this a pair with an edge of these faces that is not held yet? */
static bool
edges_wanted(void *ctx, const struct contact_point *at)
{
    const struct edges *edges = ctx;
    const struct rt *run = edges->f->r;
    const imp_contact *image_contact = rt_contact(run, at->contact);
    const struct persistent_group *group =
        persistent_group_of(run, at->contact);
    for (int h = 0; group && h < group->n; h++) {
        const struct contact_point *held = &group->row[h].spot;
        if (held->contact == at->contact && held->kind == POINT_EDGES &&
            held->face == at->face && held->vertex == at->vertex)
            return false;
    }
    return has_edge(edges, 0,
                    &run->polytope[image_contact->body[0]]->edge[at->face]) ||
           has_edge(edges, 1,
                    &run->polytope[image_contact->body[1]]->edge[at->vertex]);
}

static void
edges_cross(void *ctx, const struct contact_point *at, const struct taylor *gap)
{
    struct search *search = ((struct edges *)ctx)->f;
    double s, until = crossing_holds(search, at, gap->c);
    if (closes(search, at, gap->c, &s) && s <= until)
        comes(search, s, CHANGE_CLOSES, -1, at);
    else
        found(search, until, CHANGE_NONE, -1, at->contact);
}

/* Finds what else of two polytopes that are held at a point comes to touch. */
static int
others(struct search *search, uint32_t contact)
{
    struct contact_point *base = NEW_N(search->r->brief, struct contact_point,
                                       contact_set_faces(search->r, contact));
    int n = contact_set_held_faces(search->r, contact, base), st = IMP_OK;
    for (int i = 0; i < n && !st; i++) {
        search->on = &base[i];
        st = contact_point_vertices(search->r, search->on, search->order, NULL,
                                    other_vertex, search, NULL);
    }
    struct edges edges = {search, base, n};
    double span = fmax(search->best, 0.0); /* a row may have ended before now */
    struct contact_point_ahead ahead = {span,
                                        mode_speeds(search->r, contact, span)};
    if (!st)
        st = contact_point_crossings(search->r, contact, search->order,
                                     edges_wanted, edges_cross, &edges, &ahead);
    if (!st && ahead.span < span)
        found(search, ahead.span, CHANGE_NONE, -1, contact);
    return st;
}

/* The first s in (0, best] at which a watched point comes down. If it is closed
 * now, by definition or to rounding while it rises, its roots at 0 are divided
 * out. A point that had no rate when it was let go may have one by now: of an
 * impact elsewhere at the same time. */
static bool
comes_down(const struct search *search, const struct contact_point *at,
           const double *gap, double *time)
{
    double reduced[MOTION_STEP_ORDER + 1];
    bool marked = false;
    int drop = gap[0] <= 0.0 && gap[1] > -search->rate
                   ? (gap[1] <= search->rate ? 2 : 1)
                   : 0;
    for (int i = 0;
         search->over->time == rt_time(search->r) && i < search->over->n; i++)
        if (contact_point_same(&search->over->released[i].at, at)) {
            bool falls_now =
                gap[1] < -mode_still_rate(search->r, at->contact, 2.0 * gap[2]);
            drop = search->over->released[i].still && !falls_now ? 2 : 1;
            marked = true;
        }
    for (int k = drop; k <= search->order; k++)
        reduced[k - drop] = gap[k];
    /* It rests, and nothing presses it: what comes later has to be seen. */
    if (drop == 2 && 2.0 * fabs(reduced[0]) <=
                         mode_still_acceleration(search->r, at->contact)) {
        memset(reduced, 0, 3 * sizeof *reduced);
        memcpy(reduced + 3, gap + 3,
               (size_t)(search->order - 2) * sizeof *reduced);
        return polynomial_below(reduced, search->order, 0.0, search->best,
                                -search->low, time);
    }
    /* a point that was let go comes back to 0 by rounding only */
    if (reduced[0] <= 0.0) {
        *time = 0.0;
        return !(drop == 2 && marked);
    }
    return polynomial_below(reduced, search->order - drop, 0.0, search->best,
                            0.0, time);
}

/* A point that would come down past the end of its face or edge touches
 * nothing there. It may get over the face later: the search ends there, to look
 * again. A vertex below the plane must stay clear of the sides of the other
 * body. */
static void
outside(struct search *search, const struct contact_point *at,
        const struct taylor *gap, double out)
{
    struct taylor *side;
    double time, last = 0.0, beside[MOTION_STEP_ORDER + 1];
    double lean = at->kind == POINT_VERTEX ? WATCHED_FACES_LEAN : 0.0;
    int n = contact_point_sides(search->r, at, search->order, &side);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i <= search->order; i++)
            beside[i] = lean * gap->c[i] - side[k].c[i];
        if (beside[0] <= out)
            continue;
        if (!polynomial_below(beside, search->order, 0.0, search->best,
                              out - OVER_CLEARLY * search->over->faces.slack,
                              &time))
            time = INFINITY;
        last = fmax(last, time);
    }
    if (at->kind == POINT_VERTEX &&
        polynomial_below(gap->c, search->order, 0.0, search->best,
                         -search->over->faces.high, &time) &&
        time <= last)
        found(search, time, CHANGE_BESIDE, -1, at->contact);
    if (last > 0.0 && last < search->best)
        found(search, last,
              at->kind == POINT_VERTEX &&
                      taylor_at(search->order, gap, last) < -search->tol
                  ? CHANGE_BESIDE
                  : CHANGE_NONE,
              -1, at->contact);
}

static void
one_watched(void *ctx, const struct contact_point *at, const struct taylor *gap)
{
    struct search *search = ctx;
    const struct watched_faces *faces = &search->over->faces;
    double time, out = watched_faces_past_end(faces, at, search->low);
    if (contact_set_holds(search->r, at))
        return;
    if (faces->n_base == 2 && at->kind == POINT_VERTEX) {
        double up[MOTION_STEP_ORDER + 1];
        for (int k = 0; k <= search->order; k++)
            up[k] = -gap->c[k];
        if (polynomial_below(up, search->order, 0.0, search->best, -faces->high,
                             &time))
            found(search, time, CHANGE_BESIDE, -1, at->contact);
    }
    /* what is below the plane beside the face is not closed */
    if (faces->n_base == 2 && gap->c[0] < 0.0 &&
        !within(search, at, 0.0, out)) {
        outside(search, at, gap, out);
        return;
    }
    double until = at->kind == POINT_EDGES ? crossing_holds(search, at, gap->c)
                                           : search->best;
    if (!comes_down(search, at, gap->c, &time) || !(time < until)) {
        found(search, until, CHANGE_NONE, -1, at->contact);
        return;
    }
    if (within(search, at, time, out)) {
        /* a corner that slides over a side is held by a crossing there until
         * that passes its end */
        if (!held_there(search, at, time))
            comes(search, time, CHANGE_HITS, -1, at);
    } else if (faces->n_base == 1)
        found(search, time, CHANGE_BESIDE, -1, at->contact);
    else
        outside(search, at, gap, out);
    found(search, until, CHANGE_NONE, -1, at->contact);
}

static int
one_contact(struct search *search)
{
    const struct watched_faces *faces = &search->over->faces;
    double holds = search->best;
    gap_tolerances(search->r, faces->contact, &search->tol, &search->rate);
    gap_rounding(search->r, faces->contact, &search->low, &search->rate);
    search->lag = FACE_END_LAG * search->tol;
    int st = watched_faces_points(search->r, faces, search->order, true,
                                  one_watched, search, &holds);
    if (!st && holds < search->best) {
        search->best = holds;
        search->out->what = CHANGE_NONE;
    }
    return st;
}

/* Finds, with friction, the end of slip or of stick. */
static int
slip_or_stick(struct search *search, int index)
{
    const struct persistent_row *row = search->r->persistent->row[index];
    enum friction_change what;
    double time;
    if (!row->friction)
        return IMP_OK;
    int st = friction_modes_change(search->r, index, search->order,
                                   search->best, &what, &time);
    if (!st && what != FRICTION_GOES_ON)
        found(search, time,
              what == FRICTION_SLIP_ENDS ? CHANGE_SLIP_ENDS
              : what == FRICTION_JAMS    ? CHANGE_JAMS
                                         : CHANGE_STICK_ENDS,
              index, row->spot.contact);
    return st;
}

/* of a contact's length: where a law without a series is told to cease */
#define CEASES_NEAR 1e-8

/* Finds where a row whose contact yields opens, and where its law ceases to
 * push or begins to. */
static int
yields(struct search *search, int index)
{
    const struct persistent_row *row = search->r->persistent->row[index];
    uint32_t contact = row->spot.contact;
    double series[MOTION_STEP_ORDER + 1], low, rate, time, most = 0.0, sk = 1.0,
                                                           last = 0.0;
    bool pushes = row->soft == CONTACT_PRESSED;
    if (!isfinite(search->best))
        return IMP_OK;
    gap_rounding(search->r, contact, &low, &rate);
    enum held_next next =
        held_points_next(search->r, index, search->order, search->best, &time);
    if (next != HELD_GOES_ON)
        found(search, time, next == HELD_GIVES ? CHANGE_GIVES : CHANGE_HOLDS,
              index, contact);
    if (row->soft == CONTACT_HELD)
        return IMP_OK;
    for (int k = 0; k <= search->order; k++)
        series[k] = -row->gap.c[k];
    /* a gap that closes has not been met to the last digit */
    if (series[0] < 0.0 && series[1] > rate)
        series[0] = 0.0;
    bool opens = falls(series, search->order, search->best, low, rate, &time);
    if (opens)
        found(search, time, CHANGE_OPENS, index, contact);
    for (int k = 0; k < search->order; k++, sk *= search->best) {
        most = fmax(most, fabs(row->press->law.c[k]) * sk);
        if (k >= search->order - LAST_TERMS)
            last = fmax(last, fabs(row->press->law.c[k]) * sk);
        series[k] = pushes ? row->press->law.c[k] : -row->press->law.c[k];
    }
    /* what has just been pressed in begins to push: below 0 it is rounding */
    if (pushes && series[0] < 0.0 && series[1] > 0.0)
        series[0] = 0.0;
    /* what the rounding of the gap and of its rate make of the law, too, and
     * what its series leaves out: a law that is steep where the contact touches
     * may be known worse than the motion that it makes */
    double law[3], root = sqrt(row->press->scale);
    int st = contact_compliance_at(search->r, contact, row->press->scale,
                                   row->gap.c[0], row->gap.c[1], law);
    double noise =
        fabs(law[1]) * low / row->press->scale + fabs(law[2]) * rate / root;
    /* a law that is 0, as of a contact that has let go, does not press, nor
     * does one such as depth^1.5, told to cease too early, while its gap opens
     */
    bool nothing =
        !pushes &&
        (most == 0.0 ||
         ((opens || 2.0 * fabs(row->gap.c[2]) * search->best < row->gap.c[1]) &&
          contact_compliance_rough(search->r, contact) &&
          row->gap.c[1] > rate &&
          -row->gap.c[0] <= CEASES_NEAR * gap_length(search->r, contact)));
    if (!st && !nothing &&
        polynomial_below(series, search->order - 1, 0.0, search->best,
                         -(FORCE_CEASED * most + noise + last), &time))
        found(search, time, pushes ? CHANGE_SLACKENS : CHANGE_PRESSES, index,
              contact);
    return st ? st
              : contact_compliance_check(search->r, contact, row->press->scale,
                                         row->gap.c[0], row->gap.c[1]);
}

/* The point of a row gets past the end of its face at the time `past`. side:
 * its distance to that end. The series may be read as far back as ahead. */
static void
ends(struct search *search, double past, int index, const double *side)
{
    if (!(past < search->best))
        return;
    found(search, past, CHANGE_FACE_END, index,
          search->r->persistent->row[index]->spot.contact);
    search->out->face_end =
        rt_time(search->r) +
        fmax(polynomial_crosses(side, search->order, past), -search->holds);
}

static int
one_row(struct search *search, int index)
{
    struct persistent_row *row = search->r->persistent->row[index];
    double most = 0.0, sk = 1.0, time;
    if (row->valid < search->best) {
        search->best = row->valid;
        search->out->what = isfinite(row->end) ? CHANGE_FEATURE : CHANGE_NONE;
        search->out->contact = row->spot.contact;
        search->out->face_end = rt_time(search->r) + row->end;
    }
    if (search->blind && search->blind[row->spot.contact])
        return IMP_OK;
    int st =
        row->on || row->soft == CONTACT_HELD ? IMP_OK : sinks(search, index);
    if (st)
        return st;
    for (int k = 0; k < search->order && isfinite(search->best);
         k++, sk *= search->best)
        most = fmax(most, fabs(row->force.c[k]) * sk);
    most = fmax(most, fabs(row->force.c[0]));
    if (row->soft != CONTACT_RIGID)
        st = yields(search, index);
    else if (row->on && isfinite(search->best) &&
             polynomial_below(row->force.c, search->order - 1, 0.0,
                              search->best, -FORCE_CEASED * most, &time))
        found(search, time, CHANGE_CEASES, index, row->spot.contact);
    if (st || (st = slip_or_stick(search, index)))
        return st;
    if (row->spot.kind == POINT_SURFACE || row->spot.kind == POINT_SMOOTH ||
        !isfinite(search->best))
        return IMP_OK;
    gap_tolerances(search->r, row->spot.contact, &search->tol, &search->rate);
    gap_rounding(search->r, row->spot.contact, &search->low, &time);
    search->lag = FACE_END_LAG * search->tol;
    struct taylor *side;
    int n = contact_point_sides(search->r, &row->spot, search->order, &side);
    for (int k = 0; k < n; k++)
        if (polynomial_below(side[k].c, search->order, 0.0, search->best,
                             -search->lag, &time))
            ends(search, time, index, side[k].c);
    if (is_over(search, row->spot.contact))
        return IMP_OK;
    const struct persistent_group *group =
        persistent_group_of(search->r, row->spot.contact);
    for (int k = 0; &group->row[k] != row; k++) /* ask each contact once */
        if (group->row[k].spot.contact == row->spot.contact)
            return IMP_OK;
    return others(search, row->spot.contact);
}

/* Looks for the first change within `span` (s) from now, by the series that
 * have been made, which hold for search->holds. */
static int
look(struct search *search, const struct watched_contact *over, double span)
{
    struct rt *run = search->r;
    int st = IMP_OK, n_row = persistent_count(run);
    search->best = fmin(search->holds, span);
    search->out->what = CHANGE_NONE;
    for (int i = 0; run->persistent && i < run->persistent->n; i++)
        contact_point_poses_forget(run->persistent->group[i]);
    for (int g = 0, i = 0; i < n_row; i += run->persistent->group[g++]->n)
        for (int k = 0; k < run->persistent->group[g]->n && !st; k++)
            if (motion_asks(run, *run->persistent->group[g]->moved.block))
                st = one_row(search, i + k);
    for (uint32_t i = 0; i < search->n_over && !st; i++) {
        search->over = over + i;
        if (isfinite(search->best) &&
            !(search->blind && search->blind[over[i].faces.contact]))
            st = one_contact(search);
    }
    search->over = over;
    for (int g = 0, i = 0; i < n_row; i += run->persistent->group[g++]->n)
        for (int k = 0; k < run->persistent->group[g]->n && !st; k++)
            if (motion_asks(run, *run->persistent->group[g]->moved.block) &&
                (!search->blind ||
                 !search->blind[run->persistent->row[i + k]->spot.contact]))
                leaves(search, i + k);
    return st;
}

/* The same by series that are made now: of few orders, if `few`, and by more of
 * them where these do not last. Where they did not last before (`on`), more are
 * asked first, and few only if a change comes while these hold. */
static int
look_twice(struct search *search, const struct watched_contact *over,
           double span, bool few, bool on)
{
    search->order = few ? MOTION_FEW_TERMS : MOTION_STEP_ORDER;
    int st = motion_series_all(search->r, search->order, &search->holds);
    double lasts = search->holds;
    on = on && few && lasts < span;
    if (!st && !on)
        st = look(search, over, span);
    if (st || !few ||
        (!on && (search->out->what != CHANGE_NONE ||
                 !(search->best < fmin(span, search->enough)))))
        return st;
    search->order = MOTION_STEP_ORDER;
    st = motion_series_more(search->r, search->order, &search->holds);
    if (!st)
        st = look(search, over, span);
    return !st && on && search->best <= lasts
               ? look_twice(search, over, span, few, false)
               : st;
}

int
mode_change_next(struct rt *run, double until, const bool *blind,
                 const struct watched_contact *over, uint32_t n_over,
                 struct mode_change *out)
{
    assert(run != NULL && out != NULL && (over != NULL || n_over == 0));
    double t0 = rt_time(run), span = until - t0;
    struct search search = {
        .r = run, .out = out, .blind = blind, .over = over, .n_over = n_over};
    bool few = mode_change_few(run, out, &search.enough), on = out->lasts;
    *out = (struct mode_change){.what = CHANGE_NONE, .time = until};
    motion_ground_at(run, INFINITY);
    int st = look_twice(&search, over, span, few, on);
    if (st)
        return st;
    out->order = search.order;
    out->from = t0;
    out->holds = search.holds;
    out->lasts = few && isinf(search.enough) &&
                 search.order == MOTION_STEP_ORDER && out->what == CHANGE_NONE;
    out->time = search.best < span ? t0 + search.best : until;
    /* A time that is asked for may be that of the change to rounding; what the
     * ground does is known just beyond it. */
    double ground = motion_ground_step(run),
           low = GROUND_ROUNDING * DBL_EPSILON * fabs(t0 + search.best);
    if (motion_ground_is_due(run) && ground > low) {
        /* a time that the run was asked for lies beyond it, by rounding */
        motion_ground_at(run, t0);
        out->time = t0;
        out->what = CHANGE_GROUND;
    } else if (ground <= GROUND_ROUNDING * DBL_EPSILON * fabs(t0)) {
        /* It comes now: the place of the ground may be known behind it already,
         * and what else seems to change has not. */
        out->time = fmin(t0 + ground, until);
        out->what = out->time < until ? CHANGE_GROUND : CHANGE_NONE;
        motion_ground_at(run, out->time - low);
        if (out->what == CHANGE_NONE)
            motion_ground_due(run, until);
    } else if (out->what == CHANGE_NONE && ground <= search.best + low) {
        /* A recorded time may end the step by rounding before the change, where
         * the formula of the ground's place is that of behind it already. */
        motion_ground_at(run, out->time - low);
        if (search.best < span || ground <= span)
            out->what = CHANGE_GROUND;
        else
            motion_ground_due(run, out->time);
    }
    return IMP_OK;
}
