/* SPDX-License-Identifier: MIT */
/* Bodies that come together for ever: they hit each other ever faster as the
 * room between them goes to zero, as a light body between a wall and a heavy
 * one does (inelastic collapse). Where no limit is foreseen, their impacts come
 * to gaps below the tolerance, at which contacts that close are one impact.
 * What they do from there on is decided by this tolerance, and a warning says
 * so.
 *
 * Chatter comes to such flights, too. It ends in rest or in a limit, whose
 * error counts what such impacts make of it. So what is suspected is told when
 * the bodies have parted for far longer than these flights, or the run is over,
 * and is forgotten where they rest on one another, or a limit sums up their
 * impacts, before. */
#include "runtime/collapse/collapse.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/bounces/bounces.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/contact_set.h"
#include "runtime/motion/contact_point.h"

/* A flight is low if it is no longer than so many tolerances of its gap: where
 * the next one ends is known to a sixteenth at best. */
#define FLIGHT_LOW 16.0
/* From the first flight of a polytope's contact of so few tolerances on points
 * are kept: flights that shrink by no less than 1e-5 are seen before. */
#define FLIGHT_KEPT 16777216.0
/* so many of them, the last ones: a limit hits fewer points in turns */
#define HITS 64
/* Bodies have parted if they do not rest after so many of the last flights: of
 * chatter that is an impact with a restitution of 0.999. */
#define PARTED 1000.0
/* at most so many pairs of contacts are suspected at one time */
#define SUSPECTS 8

/* What closes: how far it has come since its last impact (m, or INFINITY), how
 * fast, and when that was: of a polytope, of the points that touch now. */
struct came {
    uint32_t contact;
    double far, rate, last;
};

/* Contacts that were hit in turns, within the tolerance of their gaps. */
struct suspect {
    uint32_t contact, other; /* the one that is told, the one that closed */
    double time, until;      /* when; parted from then on (s) */
};

struct collapse {
    struct rt *run;
    bool told;
    struct came *came; /* of the present touch */
    uint32_t n_came, room;
    struct suspect suspect[SUSPECTS];
    uint32_t n_suspect;
    bool keeps; /* points of polytopes, from the first short flight on */
    struct {
        struct contact_point at;
        double time;
    } hit[HITS];
    uint32_t n_hit; /* so far, of which the last HITS are kept */
};

/* -- the points of polytopes -----------------------------------------------
 */

/* When a point was last hit before the present time; -INFINITY: it is not known
 * to have been. */
static double
point_last(const struct collapse *collapse, const struct contact_point *point)
{
    double now = rt_time(collapse->run), last = -INFINITY;
    for (uint32_t i = 0; i < HITS && i < collapse->n_hit; i++)
        if (collapse->hit[i].time < now &&
            contact_point_same(&collapse->hit[i].at, point))
            last = fmax(last, collapse->hit[i].time);
    return last;
}

/* The points of a polytope's contact that touch now. */
static int
points_now(struct rt *run, uint32_t contact, struct contact_point **at)
{
    int room = contact_set_room(run, contact);
    *at = NEW_N(run->brief, struct contact_point, room + 1);
    return contact_set_points(run, contact, contact_set_closed(run, contact),
                              *at, room);
}

static bool
has_corners(const struct collapse *collapse, uint32_t contact)
{
    return rt_contact(collapse->run, contact)->flags & IMP_CONTACTF_CORNERS;
}

/* Keeps the points of a contact that was taken by the present impact. */
static void
note_points(struct collapse *collapse, uint32_t contact)
{
    struct contact_point *at;
    int n = points_now(collapse->run, contact, &at);
    for (int i = 0; i < n; i++) {
        uint32_t to = collapse->n_hit++ % HITS;
        collapse->hit[to].at = at[i];
        collapse->hit[to].time = rt_time(collapse->run);
    }
}

/* The last impact at all points that touch now: a point that comes down for the
 * first time has had no flight, and so has what touches beside it. */
static double
points_last(const struct collapse *collapse, uint32_t contact)
{
    struct contact_point *at;
    int n = points_now(collapse->run, contact, &at);
    double last = n > 0 ? INFINITY : -INFINITY;
    for (int i = 0; i < n; i++)
        last = fmin(last, point_last(collapse, &at[i]));
    return last;
}

/* -- what is suspected -----------------------------------------------------
 */

bool
collapse_look(struct collapse *collapse, bool over,
              bool (*settled)(const void *ctx, uint32_t contact),
              const void *ctx, uint32_t *contact, double *time)
{
    assert(collapse && settled && contact && time);
    uint32_t kept = 0;
    bool tells = false;
    for (uint32_t i = 0; i < collapse->n_suspect; i++) {
        struct suspect suspect = collapse->suspect[i];
        bool parted = over || rt_time(collapse->run) > suspect.until;
        if (settled(ctx, suspect.contact) && settled(ctx, suspect.other))
            continue;
        if (!parted)
            collapse->suspect[kept++] = suspect;
        if (!parted || collapse->told)
            continue;
        collapse->told = tells = true;
        *contact = suspect.contact;
        *time = suspect.time;
    }
    collapse->n_suspect = kept;
    return tells;
}

static void
suspect(struct collapse *collapse, uint32_t contact, const struct came *came)
{
    double now = rt_time(collapse->run);
    if (collapse->told || collapse->n_suspect == SUSPECTS)
        return;
    for (uint32_t i = 0; i < collapse->n_suspect; i++)
        if (collapse->suspect[i].contact == contact &&
            collapse->suspect[i].other == came->contact)
            return;
    collapse->suspect[collapse->n_suspect++] = (struct suspect){
        contact, came->contact, now, now + PARTED * (now - came->last)};
}

/* Was this a low flight for the tolerance of a contact, however high it would
 * have fallen from? So it is where bodies hit each other ever faster as the
 * room between them goes to zero. */
static bool
is_low(const struct collapse *collapse, uint32_t contact,
       const struct came *came)
{
    double gap, slow;
    gap_tolerances(collapse->run, contact, &gap, &slow);
    return came->far <= FLIGHT_LOW * gap &&
           points_high(came->rate, gap_weight(collapse->run, contact), gap);
}

/* -- one touch ------------------------------------------------------------- */

struct collapse *
collapse_new(struct rt *run)
{
    assert(run);
    struct collapse *collapse = NEW(run->arena, struct collapse);
    collapse->run = run;
    return collapse;
}

void
collapse_begin(struct collapse *collapse)
{
    assert(collapse);
    collapse->n_came = 0;
}

static void
add_came(struct collapse *collapse, const struct came *came)
{
    if (collapse->n_came == collapse->room) {
        struct came *old = collapse->came;
        collapse->room = 2 * collapse->room + 4;
        collapse->came =
            NEW_N(collapse->run->arena, struct came, collapse->room);
        if (old)
            memcpy(collapse->came, old, collapse->n_came * sizeof *old);
    }
    collapse->came[collapse->n_came++] = *came;
}

void
collapse_comes(struct collapse *collapse, uint32_t contact, double rate,
               const struct flight_history *flights, bool hit)
{
    assert(collapse && flights);
    struct rt *run = collapse->run;
    struct came came = {contact, INFINITY, rate, flights->last};
    double gap, slow, flight = rt_time(run) - flights->last;
    if (flights->impacts == 0 || collapse->told)
        return;
    if (has_corners(collapse, contact)) {
        gap_tolerances(run, contact, &gap, &slow);
        collapse->keeps |= flight * -rate <= FLIGHT_KEPT * gap;
        came.last =
            collapse->keeps ? points_last(collapse, contact) : -INFINITY;
    }
    /* what is hit again at once, which the rounding of the time may part, has
     * had no flight */
    if (rt_time(run) - came.last > 4.0 * DBL_EPSILON * rt_time(run))
        came.far = (rt_time(run) - came.last) * -rate;
    if (is_low(collapse, contact, &came))
        suspect(collapse, contact, &came);
    if (hit)
        add_came(collapse, &came);
}

/* Suspects a contact that has been hit itself since what closes was, so that
 * they hit in turns, and is within the tolerance of its own gap still. */
void
collapse_takes(struct collapse *collapse, uint32_t contact,
               const struct flight_history *flights)
{
    assert(collapse && flights);
    bool turns = !collapse->told && flights->impacts > 0 &&
                 flights->last < rt_time(collapse->run);
    for (uint32_t k = 0; k < collapse->n_came && turns; k++)
        if (flights->last > collapse->came[k].last &&
            is_low(collapse, contact, &collapse->came[k]))
            suspect(collapse, contact, &collapse->came[k]);
    if (!collapse->told && collapse->keeps && has_corners(collapse, contact))
        note_points(collapse, contact);
}
