/* SPDX-License-Identifier: MIT */
/* The next changes of the parts of a model (clocks.h). */
#include "runtime/clocks/clocks.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/clocks/clocks_priv.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"

/* Is there anything that acts on all bodies at once, or that is not followed by
 * pieces? */
static bool
goes_together(const struct rt *run)
{
    const imp_image *im = run->im;
    const imp_block *block = IMP_ARRAY(im, im->blocks, imp_block);
    if (!motion_by_weight(run) || im->rotors.n || run->table ||
        run->switching || run->forks || run->joints)
        return true;
    for (uint32_t i = 0; i < im->blocks.n; i++)
        if (block[i].bodies.n != 1 || block[i].guard != IMP_NO_TAPE ||
            block[i].state.n != clocks_state_size(run))
            return true;
    for (uint32_t i = 0; i < im->contacts.n; i++)
        if (rt_contact(run, i)->compliance != IMP_NO_TAPE ||
            rt_contact(run, i)->system != IMP_NO_SYSTEM ||
            rt_contact(run, i)->flags & IMP_CONTACTF_STATED)
            return true;
    return false;
}

/* A block of a contact that moves, or IMP_NO_BLOCK. */
static uint32_t
block_of(const struct rt *run, uint32_t contact, int side)
{
    uint32_t body = rt_contact(run, contact)->body[side];
    return contact_point_body_moves(run, body) ? rt_body(run, body)->block
                                               : IMP_NO_BLOCK;
}

struct clocks *
clocks_new(struct rt *run, double end)
{
    assert(run != NULL && isfinite(end));
    uint32_t n = run->im->blocks.n;
    if (n < CLOCKS_BODIES || goes_together(run))
        return NULL;
    struct clocks *clocks = NEW(run->arena, struct clocks);
    clocks->run = run;
    clocks->end = end;
    clocks->traced = run->trace != NULL;
    clocks->now = NAN;
    clocks->block = NEW_N(run->arena, struct clock_block, n);
    clocks->part = NEW_N(run->arena, struct clock_part, n);
    clocks->asked = NEW_N(run->arena, bool, n);
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    for (uint32_t i = 0; i < n; i++)
        clocks->part[i].went = NAN;
    for (uint32_t i = 0; i < n; i++)
        clocks->block[i].first =
            rt_body(run, *IMP_ARRAY(run->im, block[i].bodies, uint32_t))
                ->env_state;
    uint32_t n_contact = run->im->contacts.n;
    clocks->contact = NEW_N(run->arena, struct clock_contact, n_contact + 1);
    clocks->left = NEW_N(run->arena, double, n_contact + 1);
    clocks->reached = NAN;
    clocks->concerned = NEW_N(run->arena, uint32_t, n_contact + 1);
    clocks->found = NEW_N(run->arena, struct event, n_contact + 1);
    for (uint32_t i = 0; i < n_contact; i++) {
        struct clock_contact *contact = clocks->contact + i;
        clocks->left[i] = INFINITY;
        contact->one = block_of(run, i, 0);
        contact->two = block_of(run, i, 1);
        if (contact->one == IMP_NO_BLOCK)
            contact->one = contact->two;
        if (contact->two == IMP_NO_BLOCK)
            contact->two = contact->one;
    }
    clocks_near_new(clocks);
    return clocks;
}

struct clocks *
clocks_on(struct clocks *clocks)
{
    return clocks && !clocks->off ? clocks : NULL;
}

void
clocks_touches(struct clocks *clocks, uint32_t contact)
{
    assert(!clocks || contact < clocks->run->im->contacts.n);
    if (clocks)
        clocks->left[contact] = INFINITY;
}

/* -- pieces -----------------------------------------------------------------
 */

/* The next change of what is held and watched point by point in the part that
 * clocks->asked lists, or where its series have to begin anew. */
static int
look_for_change(struct clocks *clocks, uint32_t which,
                const struct clocks_question *asked, struct mode_change *change)
{
    struct rt *run = clocks->run;
    const struct clock_part *part = clocks->part + which;
    struct watched_contact *own =
        NEW_N(run->brief, struct watched_contact, (size_t)asked->n_over + 1);
    uint32_t n_own = 0;
    for (uint32_t i = 0; i < asked->n_over; i++)
        if (clocks_part_of(clocks, asked->over[i].faces.contact) == part)
            own[n_own++] = asked->over[i];
    int st =
        mode_change_next(run, clocks->end, asked->blind, own, n_own, change);
    if (st)
        return st;
    double ahead = rt_time(run) + persistent_read_ahead(run);
    if (ahead < change->time) {
        change->what = CHANGE_NONE;
        change->time = ahead;
    }
    return IMP_OK;
}

/* Handlers of these read series, which have to begin at the last event. */
static bool
is_read(const struct mode_change *change)
{
    return change->what == CHANGE_JAMS || change->what == CHANGE_FEATURE ||
           change->what == CHANGE_FACE_END;
}

/* The search for events at the contacts of the part goes on from where it has
 * come to, whoever has looked at them meanwhile. */
static void
find_again(struct clocks *clocks, const struct clock_part *part)
{
    struct rt *run = clocks->run;
    for (uint32_t i = part->contact; i != NONE; i = clocks->contact[i].next) {
        const struct clock_contact *contact = clocks->contact + i;
        run->closest.warm[i] = contact->warm;
        memcpy(run->closest.unknowns + 8 * (size_t)i, contact->u,
               sizeof contact->u);
    }
}

/* The next event of the part before its piece ends, which ends with the first
 * step of this search. The state stays as it is. */
static int
look_for_event(struct clocks *clocks, uint32_t which,
               const enum event_watch *watch)
{
    struct rt *run = clocks->run;
    struct clock_part *part = clocks->part + which;
    double now = rt_time(run);
    uint32_t *list = NEW_N(run->brief, uint32_t, run->im->contacts.n + 1),
             n = 0;
    double *work = NEW_N(run->brief, double, run->im->contacts.n + 1);
    for (uint32_t i = part->contact; i != NONE; i = clocks->contact[i].next) {
        work[n] = run->env[rt_contact(run, i)->env_contact + IMP_CONTACT_WORK];
        list[n++] = i;
    }
    if (part->room_more < n) {
        part->room_more = n;
        part->more = NEW_N(run->arena, struct event, n);
    }
    if (part->went == now)
        find_again(clocks, part);
    int st = event_of_part(run, list, n, watch, clocks->left, part->end,
                           &part->event, part->more, &part->n_more);
    part->closed = !st && part->event.kind != EVENT_EXCLUDED;
    if (!st && part->event.kind == EVENT_EXCLUDED)
        part->event.kind = EVENT_NONE;
    else if (!st)
        part->end = fmin(part->end, rt_time(run));
    for (uint32_t i = 0; i < n; i++) {
        run->env[rt_contact(run, list[i])->env_contact + IMP_CONTACT_WORK] =
            work[i];
        struct clock_contact *contact = clocks->contact + list[i];
        contact->warm = run->closest.warm[list[i]];
        memcpy(contact->u, run->closest.unknowns + 8 * (size_t)list[i],
               sizeof contact->u);
    }
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        if (clocks->asked[i]) {
            clocks_read_state(run, clocks->block + i, clocks->block[i].last);
            clocks_write_state(run, clocks->block + i, clocks->block[i].start);
        }
    run->env[run->im->layout.time] = now;
    return st;
}

/* Are forces of the part taken as impulses where the step ends that has been
 * made (constraint_projection.c), along what its groups know of its beginning?
 */
static bool
leaps(const struct clocks *clocks)
{
    const struct persistent_set *set = clocks->run->persistent;
    for (int i = 0; set && i < set->n; i++)
        if (set->group[i]->leaps && clocks->asked[*set->group[i]->moved.block])
            return true;
    return false;
}

/* A new piece of the part, from the present state on, to its next change or
 * event. */
static int
begin_piece(struct clocks *clocks, uint32_t which,
            const struct clocks_question *asked)
{
    struct rt *run = clocks->run;
    struct clock_part *part = clocks->part + which;
    double step;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        clocks->asked[i] = clocks->block[i].part == which;
        if (clocks->asked[i]) /* parts that it has taken in, too */
            clocks->part[i].known = false;
    }
    part->event.kind = EVENT_NONE;
    part->closed = false;
    motion_only(run, clocks->asked);
    struct mode_change *change = &part->change;
    int st = look_for_change(clocks, which, asked, change);
    part->row = change->what != CHANGE_NONE && change->which >= 0 &&
                        change->which < persistent_count(run)
                    ? run->persistent->row[change->which]
                    : NULL;
    part->order = change->order;
    part->end = change->time;
    clocks->off = leaps(clocks);
    if (clocks->off) {
        motion_only(run, NULL);
        return st;
    }
    if (!st && part->n_searched && part->end > rt_time(run)) {
        motion_stands(run, true); /* to the search, too */
        part->order = MOTION_STEP_ORDER;
        st = motion_series_all(run, part->order, &step);
        part->end = fmin(part->end, rt_time(run) + step);
        if (!st)
            clocks_keep_piece(clocks, which);
        if (!st)
            st = look_for_event(clocks, which, asked->watch);
        motion_stands(run, false);
        struct mode_change last = part->change;
        if (!st && is_read(&last))
            st = look_for_change(clocks, which, asked, &last);
    } else if (!st) {
        clocks_keep_piece(clocks, which);
    }
    motion_only(run, NULL);
    part->from = rt_time(run);
    part->made = part->mark;
    part->made_blind = part->blind;
    part->known = !st;
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        clocks->block[i].fresh |= clocks->asked[i];
    return st;
}

static int
renew(struct clocks *clocks, uint32_t which,
      const struct clocks_question *asked)
{
    struct trace *trace = clocks->run->trace;
    clocks->run->trace = NULL; /* the search goes ahead and comes back */
    int st = begin_piece(clocks, which, asked);
    clocks->run->trace = trace;
    return st;
}

/* -- the next change --------------------------------------------------------
 */

/* Renews the parts that are not where their pieces say, or are others now. */
static int
renew_those(struct clocks *clocks, const struct clocks_question *asked)
{
    struct rt *run = clocks->run;
    uint32_t n = run->im->blocks.n;
    double now = rt_time(run);
    bool *good = NEW_N(run->brief, bool, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct clock_part *part = clocks->part + i;
        good[i] = part->known && part->made == part->mark &&
                  part->made_blind == part->blind && part->from <= now &&
                  part->end >= now;
    }
    for (uint32_t i = 0; i < n; i++)
        good[clocks->block[i].part] =
            good[clocks->block[i].part] && clocks_stands(clocks, i);
    int st = IMP_OK;
    for (uint32_t i = 0; i < n && !st; i++)
        if (clocks->block[i].part == i && !good[i] && !clocks->off)
            st = renew(clocks, i, asked);
    clocks->now = now;
    return st;
}

/* The same with those that come near each other so. */
static int
renew_changed(struct clocks *clocks, const struct clocks_question *asked)
{
    int st;
    do {
        clocks_find_parts(clocks, asked);
        st = renew_those(clocks, asked);
    } while (!st && !clocks->off && clocks_near_look(clocks));
    return st;
}

/* The part whose piece ends first; that of an event before that of a change at
 * the same time. */
static uint32_t
first_part(const struct clocks *clocks)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < clocks->run->im->blocks.n; i++) {
        const struct clock_part *part = clocks->part + i,
                                *first = clocks->part + best;
        if (clocks->block[i].part == i &&
            (part->end < first->end ||
             (part->end == first->end && part->event.kind != EVENT_NONE &&
              first->event.kind == EVENT_NONE)))
            best = i;
    }
    return best;
}

/* Events of all parts that come with this one, to the rounding of the time. */
static void
gather_events(struct clocks *clocks, const struct clock_part *first)
{
    double t = first->end, low = 4.0 * DBL_EPSILON * fabs(t);
    clocks->found[0] = first->event;
    clocks->n_found = 1;
    for (uint32_t i = 0; i < clocks->run->im->blocks.n; i++) {
        struct clock_part *part = clocks->part + i;
        if (clocks->block[i].part != i || part->event.kind == EVENT_NONE ||
            part->end > t + low)
            continue;
        part->closed &= part->end == t;
        part->end = t;
        if (part != first)
            clocks->found[clocks->n_found++] = part->event;
        for (uint32_t k = 0; k < part->n_more; k++)
            clocks->found[clocks->n_found++] = part->more[k];
    }
    for (uint32_t i = 0; i < clocks->n_found; i++)
        clocks->found[i].time = t;
}

int
clocks_next(struct clocks *clocks, double until,
            const struct clocks_question *asked, struct mode_change *out)
{
    assert(clocks != NULL && out != NULL && asked->watch != NULL);
    assert(asked->over != NULL || asked->n_over == 0);
    struct rt *run = clocks->run;
    clocks_near_begin(clocks);
    clocks->n_found = 0;
    clocks->reached = NAN;
    int st = renew_changed(clocks, asked);
    while (!st && !clocks->off) {
        uint32_t best = first_part(clocks);
        const struct clock_part *part = clocks->part + best;
        bool event = part->event.kind != EVENT_NONE;
        double meet = fmin(part->end, until);
        *out = part->change;
        if (clocks_near_pass(clocks, &meet)) {
            out->what = CHANGE_NONE;
            out->time = meet;
            return IMP_OK;
        }
        out->time = part->end;
        if (event || !(part->end <= until) || part->end < part->change.time)
            out->what = CHANGE_NONE;
        if (!(part->end <= until)) {
            out->time = until;
            return IMP_OK;
        }
        if (event)
            gather_events(clocks, part);
        if (!is_read(out) || part->from == rt_time(run)) {
            for (int i = 0; part->row && i < persistent_count(run); i++)
                if (run->persistent->row[i] == part->row)
                    out->which = i;
            return IMP_OK;
        }
        st = renew(clocks, best, asked);
        if (!st && !clocks->off && clocks_near_look(clocks))
            st = renew_changed(clocks, asked);
    }
    *out = (struct mode_change){.what = CHANGE_NONE, .time = rt_time(run)};
    return st;
}

void
clocks_found(const struct clocks *clocks, struct event *out, struct event *more,
             uint32_t *n_more)
{
    assert(clocks != NULL && out != NULL && more != NULL && n_more != NULL);
    *n_more = 0;
    if (clocks->n_found == 0)
        return;
    *out = clocks->found[0];
    *n_more = clocks->n_found - 1;
    memcpy(more, clocks->found + 1, *n_more * sizeof *more);
}

void
clocks_go(struct clocks *clocks, double t)
{
    assert(clocks != NULL);
    struct rt *run = clocks->run;
    double time;
    if (clocks->off)
        return;
    if (run->trace)
        clocks_trace(clocks, t);
    while (looks_next(run, t, &time)) {
        clocks_put_all(clocks, time);
        looks_keep(run);
    }
    clocks_put_all(clocks, t);
    for (int i = 0; run->persistent && i < run->persistent->n; i++) {
        struct persistent_group *group = run->persistent->group[i];
        struct clock_part *part =
            clocks->part + clocks->block[group->moved.block[0]].part;
        if ((part->end > t && !part->blind) || (part->closed && part->end == t))
            continue; /* the search has done so */
        persistent_project_group(run, group);
    }
    clocks->reached = t;
    clocks->n_concerned = 0;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        struct clock_part *part = clocks->part + i;
        if (clocks->block[i].part != i || (part->end > t && !part->blind))
            continue;
        part->known = false;
        bool ends = part->n_searched && part->end == t;
        part->went = ends && part->event.kind == EVENT_NONE ? t : NAN;
        if (ends)
            find_again(clocks, part);
        for (uint32_t k = part->contact; k != NONE; k = clocks->contact[k].next)
            clocks->concerned[clocks->n_concerned++] = k;
    }
}

uint32_t
clocks_concerned(const struct clocks *clocks, const uint32_t **list)
{
    assert(clocks != NULL && list != NULL);
    bool here = clocks->reached == rt_time(clocks->run);
    *list = here ? clocks->concerned : NULL;
    return here ? clocks->n_concerned : clocks->run->im->contacts.n;
}
