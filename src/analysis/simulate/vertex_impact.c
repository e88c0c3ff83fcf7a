/* SPDX-License-Identifier: MIT */
/* One impact at vertices of a resting polytope. Impacts from a height that is
 * large against the tolerance of a gap are those of touches.c, where contacts
 * that close within the tolerance are one impact. Below that height a vertex is
 * hit alone, or with those that come down with it (points_high) and then are at
 * one height to rounding, while the points that are held stay closed as far as
 * that takes a push: Newton's law as a complementarity problem, whose motion is
 * unique. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"
#include "runtime/numerics/vec3.h"
#include "runtime/rotors/rotors.h"

/* the most single impacts of the law `sequential`, and what counts as equal
 * among them, as in runtime/impact/law_sequential.c */
#define OVER_ROUNDS 100000
#define OVER_TIE 1e-9
/* rates of two points are alike within this share of their sizes */
#define OVER_ALIKE 1e-12
/* rates depend on each other if so little is left of a point beside the others
 */
#define OVER_DEPENDS 1e-9
/* a flight of so many roundings of the time is none */
#define HIT_TICKS 8.0
/* a fall through so many roundings of a gap is none where a contact sticks */
#define STICKING_CUT 64.0

struct blow {
    int n, n_hit; /* points; the first n_hit come down, the others are held */
    struct contact_point *spot;
    struct contact_point_state *point;
    double *P, *after;
    double *rest; /* a rate up to this counts as zero */
    bool apart;   /* what comes down is not at one height to rounding */
    double *G;
    bool *block; /* the blocks of the bodies that these points connect */
};

static bool
is_held(const struct rt *run, const struct contact_point *spot)
{
    bool on;
    for (int k = 0; k < persistent_count(run); k++)
        if (contact_point_same(persistent_point(run, k, &on, NULL), spot))
            return true;
    return false;
}

/* Was the contact hit so few roundings of the time ago that no flight lies
 * between? */
static bool
hit_now(const struct simulation *sim, uint32_t contact)
{
    const struct flight_history *flights = &sim->contacts[contact].flights;
    double now = rt_time(sim->run);
    return flights->impacts > 0 &&
           now - flights->last <= HIT_TICKS * DBL_EPSILON * fabs(now);
}

/* How fast a point is made to fall, at the most (m/s^2). */
static double
fall(const struct rt *run, const struct contact_point_state *point)
{
    return fmax(vec3_norm(run->world.gravity), fabs(point->free));
}

/* Lists what comes down now, the point `first` first, without points that
 * others of the body fall faster than their weight: forces beside it may take
 * them from what is high for their weight alone. */
static int
comes_down(struct simulation *sim, const struct contact_point *first,
           struct blow *blow, struct point_list *list)
{
    struct rt *run = sim->run;
    struct point_list closed = {0};
    blow->block = NEW_N(run->brief, bool, run->im->blocks.n + 1);
    persistent_mark(run, first->contact, blow->block);
    point_list_add(sim, list, first);
    if (resting_polytopes_points(sim, blow->block, false, &closed))
        return IMP_FAILED;
    for (int i = 0; i < closed.n; i++) {
        struct contact_point_state point;
        double open, rate;
        if (is_held(run, &closed.spot[i]) ||
            contact_point_same(&closed.spot[i], first))
            continue;
        gap_rounding(run, closed.spot[i].contact, &open, &rate);
        if (contact_point_states(run, &closed.spot[i], 1, &point, NULL))
            return IMP_FAILED;
        if (point.gap > open &&
            !points_high(point.rate, fall(run, &point), point.gap))
            continue;
        blow->apart |= point.gap > open;
        point_list_add(sim, list, &closed.spot[i]);
    }
    return IMP_OK;
}

/* Has a point that carries no force, of a contact that is held at others, risen
 * from its face? It has no part in the impact. */
static int
has_risen(struct rt *run, const struct contact_point *spot, bool *risen)
{
    struct contact_point_state point;
    double open, rest;
    gap_rounding(run, spot->contact, &open, &rest);
    int st = contact_point_states(run, spot, 1, &point, NULL);
    rest = fmax(rest, mode_still_rate(run, spot->contact, point.free));
    *risen = !st && point.gap > open && point.rate > rest;
    return st;
}

/* Gathers what comes down now and all points that are held, of the bodies that
 * are connected to its bodies. What is held does not come down, however its
 * rate is rounded. */
static int
gather(struct simulation *sim, const struct contact_point *first,
       struct blow *blow)
{
    struct rt *run = sim->run;
    struct point_list list = {0};
    bool on, risen;
    if (comes_down(sim, first, blow, &list))
        return IMP_FAILED;
    int hit = list.n, st;
    for (int k = 0; k < persistent_count(run); k++) {
        const struct contact_point *p = persistent_point(run, k, &on, NULL);
        if (!persistent_marked(run, p->contact, blow->block))
            continue;
        if (!on && (st = has_risen(run, p, &risen)))
            return st;
        if (on || !risen)
            point_list_add(sim, &list, p);
    }
    size_t size = (size_t)list.n;
    blow->n = list.n;
    blow->spot = list.spot;
    blow->n_hit = hit;
    blow->point = NEW_N(run->brief, struct contact_point_state, size);
    blow->G = NEW_N(run->brief, double, size *size + 3 * size);
    blow->P = blow->G + size * size;
    blow->after = blow->P + size;
    blow->rest = blow->after + size;
    st = contact_point_states(run, blow->spot, blow->n, blow->point, blow->G);
    for (int i = 0; i < blow->n && !st; i++) {
        uint32_t k = blow->spot[i].contact;
        double gap;
        gap_rounding(run, k, &gap, &blow->rest[i]);
        /* what is closed beside it may be at rest, and so may be what was hit
         * at this time, to some roundings of it: such a flight is none */
        if (i > 0 || hit_now(sim, k))
            blow->rest[i] = fmax(blow->rest[i],
                                 mode_still_rate(run, k, blow->point[i].free));
        if (i >= hit)
            blow->point[i].rate = 0.0;
    }
    return st;
}

/* Does another contact of these bodies, which is left to the search, close at
 * this time? Then both are one impact, which is that of a touch: what one of
 * them did alone would decide if the other is hit at all. */
static bool
another_closes(struct simulation *sim, const struct blow *blow)
{
    struct rt *run = sim->run;
    for (uint32_t i = 0; i < sim->n_contacts; i++) {
        struct closest_points closest;
        double open, rest;
        if (sim->contacts[i].watch != WATCH_CLOSE || sim->resting.is_over[i] ||
            !persistent_marked(run, i, blow->block) ||
            persistent_holds(run, i) ||
            (sim->local && event_apart(run, i) > 0.0) ||
            closest_points_find(run, i, &closest, false))
            continue;
        gap_rounding(run, i, &open, &rest);
        if (closest.gap <= open && gap_rate(run, i, &closest) < -rest)
            return true;
    }
    return false;
}

/* Applies impulses at once to the points that are `in`: no rate ends below -e
 * times that before, and no impulse pulls (a linear complementarity problem).
 * False: they jam. */
static bool
at_once(struct rt *run, struct blow *blow, const bool *in, double *rate)
{
    assert(blow->n > 0);
    int n_points = blow->n, n_in = 0;
    size_t size = (size_t)n_points;
    int *index = NEW_N(run->brief, int, size);
    double *matrix = NEW_N(run->brief, double, size *size + 2 * size);
    double *rates = matrix + size * size, *impulses = rates + size;
    for (int i = 0; i < n_points; i++)
        if (in[i])
            index[n_in++] = i;
    for (int i = 0; i < n_in; i++) {
        double u = rate[index[i]];
        double e =
            contact_restitution_of(run, blow->spot[index[i]].contact, -u);
        rates[i] = u < 0.0 ? (1.0 + e) * u : u;
        for (int j = 0; j < n_in; j++)
            matrix[i * n_in + j] = blow->G[index[i] * n_points + index[j]];
    }
    int st = lcp_solve(n_in, matrix, rates, impulses,
                       NEW_N(run->brief, double, lcp_room(n_in) + 1));
    if (st != 0 && st != 2)
        return false;
    for (int j = 0; j < n_in; j++) {
        blow->P[index[j]] += impulses[j];
        for (int i = 0; i < n_points; i++)
            rate[i] += blow->G[i * n_points + index[j]] * impulses[j];
    }
    return true;
}

/* Are the rates of all points independent? Where they are not (four corners of
 * a face in space), resting points that are hit in turns come to rest in no
 * number of impacts, and take theirs at once. */
static bool
independent(struct rt *run, const struct blow *blow)
{
    size_t size = (size_t)blow->n;
    double *G = NEW_N(run->brief, double, size *size + size),
           *rd = G + size * size;
    int *first = NEW_N(run->brief, int, size), rank;
    memcpy(G, blow->G, size * size * sizeof *G);
    (void)dense_cholesky(blow->n, G, blow->n, first, NULL, OVER_DEPENDS, rd,
                         &rank);
    return rank == blow->n;
}

/* The law `sequential`: which of the first n points has its turn, as in
 * runtime/impact/law_sequential.c: the one whose approach carries most energy;
 * -1: none approaches. */
static int
turn(const struct blow *blow, const double *rate, int n)
{
    int best = -1;
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double size = rate[i] * rate[i] / blow->G[i * (blow->n + 1)];
        if (!(rate[i] < -blow->rest[i]) ||
            (best >= 0 && size <= (1.0 + OVER_TIE) * most))
            continue;
        best = i;
        most = size;
    }
    return best;
}

/* Is point k in the place of another one, or between two others, of contacts
 * that state the same? Then it moves as their mean does. */
static bool
is_mean(struct rt *run, const struct blow *blow, int k, int i, int j)
{
    const double *G = blow->G, *a = G + i * blow->n, *b = G + j * blow->n;
    double most = 0.0, share = 1.0;
    for (int c = 0; c < blow->n; c++) {
        double way = a[c] - b[c], size = fabs(way) / sqrt(G[c * (blow->n + 1)]);
        if (size > most) {
            most = size;
            share = (G[k * blow->n + c] - b[c]) / way;
        }
    }
    bool mean = share >= 0.0 && share <= 1.0;
    for (int c = 0; c < blow->n && mean; c++) {
        double size = sqrt(G[c * (blow->n + 1)] * fmax(a[i], b[j]));
        mean = fabs(G[k * blow->n + c] - share * a[c] - (1.0 - share) * b[c]) <=
               OVER_ALIKE * size;
    }
    uint32_t of[3] = {blow->spot[k].contact, blow->spot[i].contact,
                      blow->spot[j].contact};
    for (int m = 0; m < 3; m++)
        mean = mean && !contact_restitution_varies(run, of[m]) &&
               contact_restitution_of(run, of[m], 0.0) ==
                   contact_restitution_of(run, of[0], 0.0);
    return mean;
}

/* Takes points out that move as others do, or as the mean of two of them: a
 * floor of several pieces is hit as one of one piece is. *in: which points
 * stay. */
static struct blow *
without_means(struct rt *run, const struct blow *blow, bool *in)
{
    struct blow *out = NEW(run->brief, struct blow);
    int *index = NEW_N(run->brief, int, (size_t)blow->n), n = 0;
    *out = *blow;
    out->n_hit = 0;
    for (int k = 0; k < blow->n; k++) {
        in[k] = true;
        for (int i = 0; i < blow->n && in[k]; i++)
            for (int j = 0; j <= i && in[k]; j++)
                in[k] = i == k || j == k || (i == j && i > k) ||
                        !is_mean(run, blow, k, i, j);
        if (in[k])
            index[n++] = k;
    }
    size_t size = (size_t)n;
    out->n = n;
    out->spot = NEW_N(run->brief, struct contact_point, size);
    out->G = NEW_N(run->brief, double, size *size + 3 * size);
    out->P = out->G + size * size;
    out->after = out->P + size;
    out->rest = out->after + size;
    for (int i = 0; i < n; i++) {
        out->n_hit += index[i] < blow->n_hit;
        out->spot[i] = blow->spot[index[i]];
        out->after[i] = blow->point[index[i]].rate;
        out->rest[i] = blow->rest[index[i]];
        for (int j = 0; j < n; j++)
            out->G[i * n + j] = blow->G[index[i] * blow->n + index[j]];
    }
    return out;
}

/* The law `sequential`. blow->after begins as the rates before. */
static bool
in_turns(struct rt *run, struct blow *blow)
{
    bool *in = NEW_N(run->brief, bool, (size_t)blow->n),
         alone = independent(run, blow);
    double *rate = blow->after;
    for (int i = 0; i < blow->n; i++)
        in[i] = true;
    if (!alone && blow->n_hit <= 1)
        return at_once(run, blow, in, rate);
    for (int round = 0; round < OVER_ROUNDS; round++) {
        int next = turn(blow, rate, alone ? blow->n : blow->n_hit);
        if (next < 0)
            return true;
        for (int i = 0; i < blow->n; i++) {
            in[i] = i == next || (!alone && i >= blow->n_hit);
            if (!alone && i >= blow->n_hit && fabs(rate[i]) <= blow->rest[i])
                rate[i] = 0.0;
        }
        if (!at_once(run, blow, in, rate))
            return false;
    }
    return false;
}

static bool
solve(struct simulation *sim, struct blow *blow)
{
    assert(blow->n_hit > 0 && blow->n_hit <= blow->n);
    struct rt *run = sim->run;
    bool *in = NEW_N(run->brief, bool, (size_t)blow->n);
    memset(blow->P, 0, (size_t)blow->n * sizeof *blow->P);
    for (int i = 0; i < blow->n; i++) {
        blow->after[i] = blow->point[i].rate;
        in[i] = true;
    }
    if (simultaneous_policy(sim->analysis) != BALLISTIC_SEQUENTIAL)
        return at_once(run, blow, in, blow->after);
    struct blow *few = without_means(run, blow, in);
    if (few->n_hit == 0)
        return in_turns(run, blow);
    if (!in_turns(run, few))
        return false;
    for (int i = 0, k = 0; i < blow->n; i++)
        if (in[i]) {
            blow->P[i] = few->P[k];
            blow->after[i] = few->after[k++];
        } else {
            for (int j = 0, at = 0; j < blow->n; j++)
                if (in[j])
                    blow->after[i] += blow->G[i * blow->n + j] * few->P[at++];
        }
    return true;
}

/* Newton's law for all points at once would pull at a point that comes down and
 * rises faster than its restitution has it. That one takes no impulse here,
 * which is told once in a run. */
static void
tell_no_pull(struct simulation *sim, const struct blow *blow)
{
    struct rt *run = sim->run;
    enum imp_impact_law law = (enum imp_impact_law)run->im->impact_law;
    char t[NUM_TEXT];
    bool newton = law == IMP_IMPACT_NEWTON || law == IMP_IMPACT_UNDECLARED;
    for (int i = 0; i < blow->n_hit && newton; i++) {
        uint32_t contact = blow->spot[i].contact;
        double u = -blow->point[i].rate, low = blow->rest[i];
        if (sim->reported.no_pull || !(u > low) || blow->P[i] != 0.0 ||
            blow->after[i] <= contact_restitution_of(run, contact, u) * u + low)
            continue;
        sim->reported.no_pull = true;
        simulate_remark(
            sim,
            arena_printf(
                run->arena,
                "t = %s s: the impulse at a point of `%s` would pull under "
                "`newton`; it falls from so little above the tolerance of the "
                "gap that points which are pulled would not come to rest, and "
                "none is pulled, here and wherever this happens again",
                rt_told(t, rt_time(run), 9),
                imp_text(run->im, rt_contact(run, contact)->name)));
    }
}

/* Records the events, and what the search looks for at each contact. */
static int
record(struct simulation *sim, const struct blow *blow)
{
    int st;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        double impulse = 0.0, most = 0.0;
        bool hit = false;
        for (int i = 0; i < blow->n; i++) {
            most = fmax(most, blow->P[i]);
            if (blow->spot[i].contact == contact) {
                impulse += blow->P[i];
                hit |= i < blow->n_hit;
            }
        }
        if (!hit && !(impulse > 1e-12 * most))
            continue;
        simulate_log_event(sim, contact, "impact",
                           hit ? touch_class_name[CLASS_MINUS] : "rest",
                           impulse);
        simulate_watch(sim, contact, WATCH_LEAVE);
        sim->contacts[contact].gone = 0.0;
        if (hit && (st = simulate_count_impact(sim, contact)))
            return st;
    }
    return IMP_OK;
}

/* What rests by the measure of the choice, but is given no force, would go on
 * to come down by the rate that it has, where the load does not bear on it (a
 * box that is held on a diagonal of its corners): it comes to rest with all
 * that is held beside it, as an impact does it. */
static int
sinks_no_more(struct simulation *sim, const struct blow *blow,
              const struct contact_point *stay, int n_stay)
{
    struct rt *run = sim->run;
    struct point_list list = {0};
    bool on, sinks = false;
    double gap, rest;
    for (int i = 0; i < n_stay; i++) {
        struct contact_point_state point;
        int st = contact_point_states(run, &stay[i], 1, &point, NULL);
        if (st)
            return st;
        gap_rounding(run, stay[i].contact, &gap, &rest);
        sinks |= !is_held(run, &stay[i]) && point.rate < -rest;
        point_list_add(sim, &list, &stay[i]);
    }
    for (int k = 0; k < persistent_count(run) && sinks; k++) {
        const struct contact_point *p = persistent_point(run, k, &on, NULL);
        if (on && persistent_marked(run, p->contact, blow->block))
            point_list_add(sim, &list, p);
    }
    if (!sinks)
        return IMP_OK;
    int st = persistent_close(run, list.spot, list.n, NULL, NULL, NULL);
    simulate_motion_changes(sim, blow->block);
    sim->rows.fresh = false;
    return st ? st : simulate_row(sim);
}

/* Chooses which of the points that rest after the impact carry a force. The
 * others rise. What counts as zero is measured by the speeds before and after
 * the impact: bodies may have been at rest before it. */
static int
after(struct simulation *sim, const struct blow *blow)
{
    struct contact_point *stay =
        NEW_N(sim->run->brief, struct contact_point, (size_t)blow->n);
    int n_stay = 0;
    bool *out = NEW_N(sim->run->brief, bool, sim->n_contacts + 1), any = false;
    for (int i = 0; i < blow->n; i++) {
        double gap, rest;
        gap_rounding(sim->run, blow->spot[i].contact, &gap, &rest);
        blow->rest[i] = fmax(blow->rest[i], rest);
        if (blow->after[i] <= fmax(blow->rest[i], sim->options.capture))
            stay[n_stay++] = blow->spot[i];
        else
            resting_polytopes_release(sim, &blow->spot[i], false);
        any |= i >= blow->n_hit || n_stay > 0;
        out[blow->spot[i].contact] = true;
    }
    simulate_captures(sim, true);
    int st = any ? simulate_persistent_choose(sim, blow->spot[0].contact, stay,
                                              n_stay, out)
                 : IMP_OK;
    sim->captures.now = false;
    return st ? st : sinks_no_more(sim, blow, stay, n_stay);
}

/* Points that come down together are at one height from here on, so that what
 * has set them apart does not decide over lower impacts, too. What this changes
 * is told as an error of the limit: each is hit too early by its way over its
 * speed, or by its fall through it. */
static int
bring_together(struct simulation *sim, struct blow *blow)
{
    struct rt *run = sim->run;
    double *rate = NEW_N(run->brief, double, (size_t)blow->n);
    for (int i = 0; i < blow->n; i++) {
        const struct contact_point_state *state = &blow->point[i];
        rate[i] = state->rate;
        struct flight_history *flights =
            &sim->contacts[blow->spot[i].contact].flights;
        double gap = fabs(state->gap), fall = fabs(state->free);
        if (i < blow->n_hit && rate[i] < 0.0)
            flights->flat = fmax(flights->flat,
                                 fmin(-gap / rate[i], sqrt(2.0 * gap / fall)));
    }
    int st = persistent_close(run, blow->spot, blow->n, NULL, rate, NULL);
    return st ? st
              : contact_point_states(run, blow->spot, blow->n, blow->point,
                                     blow->G);
}

/* Does the vertex come down from so high that the tolerance of a gap is small
 * against its flight? Not what is slower than a touch takes note of. */
static bool
high(struct simulation *sim, const struct blow *blow)
{
    struct rt *run = sim->run;
    double tol, rate, u = blow->point[0].rate;
    double acc = fall(run, &blow->point[0]);
    gap_tolerances(run, blow->spot[0].contact, &tol, &rate);
    double still = mode_still_rate(run, blow->spot[0].contact, acc);
    return u < -fmax(still, rate) && points_high(u, acc, tol);
}

bool
simulate_open_normal(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct rt *run = sim->run;
    int room = contact_set_room(run, contact);
    double tol, rate;
    gap_tolerances(run, contact, &tol, &rate);
    return contact_set_points(
               run, contact, tol,
               NEW_N(run->brief, struct contact_point, (size_t)room), room) < 0;
}

/* Does a face that is watched touch another within the tolerance so that the
 * normal is not unique? The faces are not parallel to rounding, and a corner of
 * one is at a side of the other: two directions that differ by almost nothing
 * keep the bodies apart. The points that are watched have normals of their own,
 * and so has a point that comes down where the bodies are held. */
static bool
open_normals(struct simulation *sim, const struct blow *blow)
{
    if (persistent_holds(sim->run, blow->spot[0].contact) &&
        simulate_open_normal(sim, blow->spot[0].contact))
        return true;
    for (uint32_t i = 0; i < sim->resting.n; i++) {
        const struct watched_faces *faces = &sim->resting.over[i].faces;
        if (faces->n_base == 2 &&
            persistent_marked(sim->run, faces->contact, blow->block) &&
            simulate_open_normal(sim, faces->contact))
            return true;
    }
    return false;
}

/* Does a contact of these points take the slip of its impacts, too? Newton's
 * law along the normals is not its own, from whatever height it is hit. */
static bool
sticks(const struct simulation *sim, const struct blow *blow)
{
    for (int i = 0; i < blow->n; i++)
        if (impact_sticks(sim->run, blow->spot[i].contact))
            return true;
    return false;
}

/* A touch of what comes down from below the tolerance of its gap. What takes no
 * longer than a free fall through some roundings of the gap has had no flight:
 * it comes to rest there, as rounding would go on with such impacts for good,
 * and no limit of impacts that stick is foreseen. */
static void
low_touch(struct simulation *sim, const struct blow *blow)
{
    assert(blow->n_hit > 0);
    struct rt *run = sim->run;
    const struct contact_point_state *first = &blow->point[0];
    double gap, rate;
    gap_rounding(run, first->spot.contact, &gap, &rate);
    double speed = sqrt(2.0 * STICKING_CUT * gap * fall(run, first));
    run->low_impact = true;
    if (!sticks(sim, blow) || -first->rate > speed)
        return;
    sim->options.capture = fmax(sim->options.capture, speed);
    sim->captures.fastest = fmax(sim->captures.fastest, speed);
}

/* The greatest speed of the points that come down, if all do so from less than
 * the tolerance of their gaps, which does not tell such flights from rest; else
 * 0. */
static double
low_speed(struct simulation *sim, const struct blow *blow)
{
    double fastest = 0.0;
    for (int i = 0; i < blow->n_hit; i++) {
        double tol, rate, speed = fmax(0.0, -blow->point[i].rate);
        gap_tolerances(sim->run, blow->spot[i].contact, &tol, &rate);
        if (!(speed * speed <= -2.0 * blow->point[i].free * tol))
            return 0.0;
        fastest = fmax(fastest, speed);
    }
    return fastest;
}

/* The impact of points with friction. Where no law of several is stated, and
 * those that there are do not agree, impacts from below the tolerance of the
 * gaps go by the energetic law, which adds no energy: what another law would do
 * is a motion that this tolerance does not tell from rest. */
static int
rough_blow(struct simulation *sim, struct blow *blow,
           struct friction_group_impact *impact)
{
    struct rt *run = sim->run;
    enum imp_impact_law law = (enum imp_impact_law)run->im->impact_law;
    double low;
    int st = friction_modes_impact(run, blow->spot, blow->n, blow->n_hit,
                                   blow->rest, law, impact);
    if (!st && impact->why && impact->unstated &&
        law == IMP_IMPACT_UNDECLARED && (low = low_speed(sim, blow)) > 0.0) {
        st = friction_modes_impact(run, blow->spot, blow->n, blow->n_hit,
                                   blow->rest, IMP_IMPACT_ENERGETIC, impact);
        if (!st && !impact->why)
            simulate_tell_low(sim, low);
    }
    return st ? st : run->law_status;
}

int
simulate_vertex_impact(struct simulation *sim, const struct contact_point *at,
                       enum next_step *next)
{
    assert(sim != NULL && next != NULL && at->contact < sim->n_contacts);
    struct rt *run = sim->run;
    uint32_t contact = at->contact;
    struct blow *blow = NEW(run->brief, struct blow);
    *next = STEP_AS_TOUCH;
    rotors_release(run);
    int st = gather(sim, at, blow);
    *next = STEP_DONE;
    if (st)
        return st;
    bool down = false;
    for (int i = 0; i < blow->n_hit; i++)
        down |= blow->point[i].rate < -blow->rest[i];
    bool falls = high(sim, blow);
    if ((falls && !open_normals(sim, blow)) || (down && sticks(sim, blow)) ||
        (down && another_closes(sim, blow))) {
        *next = STEP_AS_TOUCH;
        if (!falls)
            low_touch(sim, blow);
        return IMP_OK;
    }
    if (blow->apart && (st = bring_together(sim, blow)))
        return st;
    if ((st = simulate_row(sim)))
        return st;
    if (!down)
        return simulate_persistent_choose(sim, contact, blow->spot, blow->n,
                                          NULL);
    if (friction_modes_any(run, blow->spot, blow->n)) {
        struct friction_group_impact impact;
        if ((st = rough_blow(sim, blow, &impact)))
            return st;
        if (impact.why) {
            *next = STEP_AS_TOUCH;
            return IMP_OK;
        }
        simulate_tell_friction(sim, contact, &impact);
        for (int i = 0; i < blow->n; i++) {
            blow->P[i] = impact.impulse[2 * i];
            blow->after[i] = impact.after[2 * i];
        }
    } else if (solve(sim, blow)) {
        tell_no_pull(sim, blow);
        persistent_apply_impulses(run, blow->P);
    } else {
        *next = STEP_AS_TOUCH;
        return IMP_OK;
    }
    rotors_struck(run);
    sim->rows.fresh = false;
    if ((st = record(sim, blow)) || (st = simulate_row(sim)) ||
        (st = after(sim, blow)))
        return st;
    return simulate_accumulation(sim, contact);
}
