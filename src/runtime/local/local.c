/* SPDX-License-Identifier: MIT */
/* Pairs and their next events (local.h). */
#include "runtime/local/local.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/contact_table.h"
#include "runtime/instance/saved_state.h"
#include "runtime/local/local_priv.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"

/* -- the heap of pairs ------------------------------------------------------
 */

/* Contacts come before bodies, in their order. */
static uint64_t
rank(const struct local *local, uint32_t entry)
{
    return entry < local->n_body ? ((uint64_t)1 << 32) + entry : entry;
}

static bool
sooner(const struct local *local, uint32_t one, uint32_t two)
{
    double a = local->pair[one].key, b = local->pair[two].key;
    return a < b || (a == b && rank(local, one) < rank(local, two));
}

static void
put_at(struct local *local, uint32_t place, uint32_t entry)
{
    local->heap[place] = entry;
    local->pair[entry].place = place;
}

void
local_set_key(struct local *local, uint32_t entry, double key)
{
    assert(local && entry < local->n_heap);
    uint32_t at = local->pair[entry].place;
    local->pair[entry].key = key;
    while (at > 0 && sooner(local, entry, local->heap[(at - 1) / 2])) {
        put_at(local, at, local->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= local->n_heap)
            break;
        if (child + 1 < local->n_heap &&
            sooner(local, local->heap[child + 1], local->heap[child]))
            child++;
        if (!sooner(local, local->heap[child], entry))
            break;
        put_at(local, at, local->heap[child]);
        at = child;
    }
    put_at(local, at, entry);
}

/* -- what has changed -------------------------------------------------------
 */

/* Is a body of this contact held by another one? */
static bool
held(const struct local *local, uint32_t contact)
{
    const uint32_t *body = rt_contact(local->run, contact)->body;
    return rt_contact(local->run, contact)->system == IMP_NO_SYSTEM &&
           (local->body[body[0]].held || local->body[body[1]].held);
}

/* Do forces of its own move a body of this contact? */
static bool
pushed(const struct local *local, uint32_t contact)
{
    const uint32_t *body = rt_contact(local->run, contact)->body;
    return local->body[body[0]].pushed || local->body[body[1]].pushed;
}

static void
set_key(struct local *local, uint32_t contact, double key)
{
    local_set_key(local, local->n_body + contact, key);
}

/* Brings a body to the present time, as far as it is behind. */
static void
bring(struct local *local, uint32_t which)
{
    const uint32_t *with = &which;
    uint32_t n = 1;
    if (!local->behind || local->body[which].here)
        return;
    if (local->body[which].block != IMP_NO_BLOCK)
        n = local_body_members(local, which, &with);
    for (uint32_t i = 0; i < n; i++) {
        local->body[with[i]].here = true;
        local->here[local->n_here++] = with[i];
    }
    int st = local_body_put(local, which, local->reached, true);
    if (st)
        local->status = st;
}

/* No body is behind any longer. */
static void
forget_behind(struct local *local)
{
    for (uint32_t i = 0; i < local->n_here; i++)
        local->body[local->here[i]].here = false;
    local->n_here = 0;
    local->behind = false;
}

void
local_leaves_behind(struct local *local)
{
    assert(local);
    local->leaves = true;
}

int
local_all(struct local *local)
{
    if (!local || !local->behind)
        return IMP_OK;
    assert(rt_time(local->run) == local->reached);
    for (uint32_t i = 0; i < local->n_body; i++)
        bring(local, i);
    forget_behind(local);
    return local->status;
}

void
local_passed_over(struct local *local)
{
    if (!local)
        return;
    assert(!local->behind && !local->makes);
    local->reached = NAN;
    local->quiet = true;
}

/* Leaves behind all bodies that are not of these events, nor may touch theirs.
 * Nobody may read what they had: asserts make it no number. */
static void
leave_behind(struct local *local)
{
    local->behind = true;
#ifndef NDEBUG
    for (uint32_t i = 0; i < local->n_body; i++)
        local_body_hide(local, i);
#endif
    for (uint32_t i = 0; i < local->n_of_event; i++)
        bring(local, local->of_event[i]);
}

/* A pair of which a body moves in another way now, or that is watched in
 * another way: until when it stays apart. */
static void
renew(struct local *local, uint32_t contact)
{
    enum event_watch watch = local->watch[contact];
    struct local_pair *pair = local_pair_of(local, contact);
    pair->event = false;
    if (watch == WATCH_OFF || held(local, contact) || !pair->near) {
        set_key(local, contact, INFINITY);
        return;
    }
    double apart = 0.0;
    if (watch != WATCH_OPEN && !pushed(local, contact)) {
        bring(local, rt_contact(local->run, contact)->body[0]);
        bring(local, rt_contact(local->run, contact)->body[1]);
        apart = event_apart(local->run, contact);
    }
    set_key(local, contact, rt_time(local->run) + apart);
}

/* A pair whose balls meet from the present place of the search on. */
static void
met(struct local *local, uint32_t contact)
{
    local_pair_of(local, contact)->event = false;
    set_key(local, contact,
            local->watch[contact] == WATCH_OFF || held(local, contact)
                ? INFINITY
                : local->met);
}

/* Renews what is known of the contacts whose watch is another one. */
static void
find_watched(struct local *local, const enum event_watch *watch,
             const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t contact = list ? list[i] : i;
        if (local->watch[contact] != watch[contact]) {
            local->watch[contact] = watch[contact];
            renew(local, contact);
        }
    }
}

void
local_made(struct local *local, uint32_t contact)
{
    assert(local && local->makes);
    uint32_t entry = local->n_body + contact;
    if (contact == local->n) {
        local->n++;
        put_at(local, local->n_heap++, entry);
    }
    assert(contact < local->n);
    struct local_pair *pair = local_pair_of(local, contact);
    *pair = (struct local_pair){
        .place = pair->place, .key = pair->key, .left = true};
    local->watch[contact] = WATCH_CLOSE;
    event_forget(local->run, contact);
    set_key(local, contact, INFINITY);
}

/* E0756: so many bodies are near each other that contacts cannot be made. */
static int
no_room(struct local *local)
{
    struct rt *run = local->run;
    struct diag *diag =
        diag_add(run->ds, DIAG_E0756,
                 rt_contact(run, contact_table_rule(run, local->n - 1))->range,
                 "more than %u pairs of bodies are near each other",
                 rt_contact_room(run));
    diag_help(run->ds, diag,
              "use fewer bodies, or name the pairs that may touch: contacts "
              "between a, b { }");
    return IMP_FAILED;
}

/* a ball leaves the body this share of its size at least */
#define BALL_LEAST 1.01

/* Contacts have no room: all balls are made smaller, so that fewer of them
 * meet, and which do is looked at anew at the time t. */
static int
shrink(struct local *local, double t)
{
    for (bool good = false; !good;) {
        local->ball = 1.0 + 0.5 * (local->ball - 1.0);
        if (local->ball < BALL_LEAST)
            return no_room(local);
        for (uint32_t i = 0; i < local->n_body; i++) {
            int st = local_body_put(local, i, t, false);
            if (st)
                return st;
            local_cage_make(local, i, t);
        }
        good = true;
        for (uint32_t i = 0; i < local->n_body && good; i++)
            good = local_cage_meet(local, i, met);
    }
    return IMP_OK;
}

static int
by_number(const void *one, const void *two)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
    return (a > b) - (a < b);
}

/* Looks which bodies move in another way than was known, and asks their pairs
 * again. Those that are behind are as they were. The last search may have
 * looked further ahead than to where it ended, as bodies that are held do:
 * balls that others have from later on do not hold yet. */
static int
find_changes(struct local *local, const enum event_watch *watch,
             const uint32_t *list, uint32_t n)
{
    bool good = true, few = local->behind;
    uint32_t n_bodies = few ? local->n_here : local->n_body;
    local->n_held = 0;
    local->met = local->now;
    qsort(local->here, local->n_here, sizeof *local->here, by_number);
    for (uint32_t i = 0; i < n_bodies; i++) {
        uint32_t which = few ? local->here[i] : i;
        struct local_body *body = local->body + which;
        body->changed = local_body_look(local, which);
        local->n_held += body->held;
        if (body->changed || body->since > local->now)
            local_cage_make(local, which, local->now);
    }
    find_watched(local, watch, list, n);
    for (uint32_t i = 0; i < n_bodies && good; i++) {
        uint32_t which = few ? local->here[i] : i;
        if (local->body[which].since == local->now)
            good = local_cage_meet(local, which, met);
    }
    if (!good) {
        int st = shrink(local, local->now);
        if (st)
            return st;
    }
    for (uint32_t i = 0; i < n_bodies; i++) {
        const struct local_body *body =
            local->body + (few ? local->here[i] : i);
        for (uint32_t k = 0; k < body->n_near && body->changed; k++)
            renew(local, body->near[k]);
    }
    return local->status;
}

/* -- going on ---------------------------------------------------------------
 */

/* A time before which two bodies that are pushed stay apart, by how far they go
 * from where they are at the present time; not after that where nothing is
 * known. */
static double
pushed_apart(struct local *local, uint32_t contact)
{
    struct rt *run = local->run;
    double now = rt_time(run), room = event_open_by(run, contact);
    struct local_way way = {.holds = INFINITY};
    if (!(room > 0.0))
        return now;
    for (int i = 0; i < 2; i++) {
        uint32_t which = rt_contact(run, contact)->body[i];
        double size =
            run->env[rt_body(run, which)->env_body + IMP_BODY_RADIUS];
        local_way_add(local, which, now, size, &way);
    }
    return way.holds > 0.0 ? local_way_stays(local, &way, now, room) : now;
}

/* Asks the pair whose time has come. */
static int
ask(struct local *local, uint32_t contact)
{
    struct rt *run = local->run;
    struct local_pair *pair = local_pair_of(local, contact);
    enum event_watch watch = local->watch[contact];
    double from = fmax(pair->key, local->now), entry;
    struct event found;
    bool open;
    /* A pair that is asked again right before it touches must not be taken for
     * one that has not left the last touch yet. */
    if (watch == WATCH_LEAVE && pair->left)
        watch = WATCH_CLOSE;
    if (!(from < local->end)) {
        set_key(local, contact, INFINITY);
        return IMP_OK;
    }
    run->env[run->im->layout.time] = from;
    for (int i = 0; i < 2; i++) {
        int st = local_body_put(local, rt_contact(run, contact)->body[i], from,
                                false);
        if (st)
            return st;
    }
    if (watch != WATCH_OPEN && !pushed(local, contact)) {
        bool below = false;
        double apart = event_apart(run, contact);
        if (!(apart > 0.0))
            apart = event_apart_by_gap(run, contact, &below);
        if (apart > 0.0) {
            pair->left = true;
            set_key(local, contact, from + apart);
            return IMP_OK;
        }
        /* Limits and points that are held move bodies by rounding. What is
         * below its band by that is hit now if it closes, and else on its way
         * out. */
        if (below)
            watch = WATCH_LEAVE;
    }
    if (watch != WATCH_OPEN && pushed(local, contact)) {
        double until = pushed_apart(local, contact);
        if (until > from) {
            pair->left = true;
            set_key(local, contact, until);
            return IMP_OK;
        }
    }
    int st = event_of_pair(run, contact, watch, local->end, 1, &found, &entry,
                           &open);
    if (st)
        return st;
    pair->left |= open;
    pair->event = found.kind != EVENT_NONE && found.kind != EVENT_EXCLUDED;
    pair->kind = found.kind;
    pair->touch = found.time;
    set_key(local, contact,
            pair->event                    ? entry
            : found.kind == EVENT_EXCLUDED ? INFINITY
                                           : found.time);
    return IMP_OK;
}

/* The body leaves its ball, and is given a new one. */
static int
leave_cage(struct local *local, uint32_t body)
{
    local->met = fmax(local->pair[body].key, local->now);
    int st = local_body_put(local, body, local->met, false);
    if (st)
        return st;
    local_cage_make(local, body, local->met);
    return local_cage_meet(local, body, met) ? IMP_OK
                                             : shrink(local, local->met);
}

/* Goes through the pairs in their order until the first touch is known. Those
 * that come within their tolerance before it are local->hit[0..n_hit), and no
 * longer in their places in the heap. */
static int
first_touch(struct local *local, double until, double *when)
{
    *when = until;
    local->n_hit = 0;
    while (local->n_heap && local->pair[local->heap[0]].key <= *when) {
        uint32_t entry = local->heap[0], contact = entry - local->n_body;
        struct local_pair *pair = local->pair + entry;
        int st = IMP_OK;
        if (rt_stopped(local->run))
            return IMP_STOPPED;
        if (entry < local->n_body) {
            st = leave_cage(local, entry);
        } else if (!pair->event) {
            st = ask(local, contact);
        } else {
            local->hit[local->n_hit++] = contact;
            *when = fmin(*when, pair->touch);
            pair->entry = pair->key;
            set_key(local, contact, INFINITY);
        }
        if (st)
            return st;
    }
    return IMP_OK;
}

/* Where bodies that are held have balls: how far they certainly stay there. */
static int
stay(struct local *local, double *until)
{
    struct rt *run = local->run;
    double step;
    if (!local->balls_held)
        return IMP_OK;
    if (!local_cage_held(local, met)) {
        int st = shrink(local, rt_time(run));
        if (st)
            return st;
    }
    run->env[run->im->layout.time] = local->now;
    int st = motion_series_all(run, MOTION_STEP_ORDER, &step);
    if (st)
        return st;
    *until = fmin(*until, local->now + step);
    local_cage_holds(local, until);
    return IMP_OK;
}

/* The contacts of bodies that are held, and of whom they may meet, are searched
 * as ever. *when: falls to the time of what is found; the run stands there. */
static int
search_held(struct local *local, double *when, struct event *found,
            struct event *more, uint32_t *n_more)
{
    struct rt *run = local->run;
    for (;;) {
        double until = *when;
        run->env[run->im->layout.time] = local->now;
        int st = local_put_all(local, local->now);
        if (!st)
            st = stay(local, &until);
        for (uint32_t contact = 0; contact < local->n; contact++)
            local->mask[contact] =
                held(local, contact) && (!local->balls_held ||
                                         local_pair_of(local, contact)->near)
                    ? local->watch[contact]
                    : WATCH_OFF;
        if (!st)
            st = event_next(run, local->mask, until, NULL, NULL, found, more,
                            n_more);
        if (!st && found->kind == EVENT_EXCLUDED)
            found->kind = EVENT_NONE;
        if (!st && found->kind == EVENT_NONE && rt_time(run) < until)
            st = motion_to(run, until);
        if (st || found->kind != EVENT_NONE || rt_time(run) >= *when)
            return *when = rt_time(run), st;
        if (rt_time(run) == local->now)
            return motion_stuck(run);
        local->now = rt_time(run);
    }
}

/* The pairs that touch at the time `when`, into `out` and `more`; the others
 * stay as they are known. */
static void
report(struct local *local, double when, struct event *out, struct event *more,
       uint32_t *n_more)
{
    for (uint32_t i = 0; i < local->n_hit; i++) {
        uint32_t contact = local->hit[i];
        struct local_pair *pair = local_pair_of(local, contact);
        /* a gap without rate is in its band long before it touches */
        bool now = pair->touch == when ||
                   (pair->entry <= when && pair->kind != EVENT_TANGENT);
        if (!now) {
            set_key(local, contact, pair->entry);
            continue;
        }
        struct event event = {pair->kind, contact, when};
        pair->event = false;
        set_key(local, contact, when);
        if (out->kind == EVENT_NONE)
            *out = event;
        else
            more[(*n_more)++] = event;
    }
}

/* States on the way to this time, of bodies none of which is held. */
static int
look(struct local *local, double when)
{
    struct rt *run = local->run;
    double time;
    while (looks_next(run, when, &time)) {
        run->env[run->im->layout.time] = time;
        int st = local_put_all(local, time);
        if (st)
            return st;
        looks_keep(run);
    }
    return IMP_OK;
}

/* Hands the motion until this time to the trace of the run. */
static int
trace_to(struct local *local, double when)
{
    struct rt *run = local->run;
    run->env[run->im->layout.time] = local->now;
    int st = local_put_all(local, local->now);
    return st ? st : motion_to(run, when);
}

/* Marks a body, and what moves with it. */
static void
mark_body(struct local *local, uint32_t which)
{
    const uint32_t *with;
    if (local->body[which].block == IMP_NO_BLOCK || local->body[which].hit)
        return;
    uint32_t n = local_body_members(local, which, &with);
    for (uint32_t i = 0; i < n; i++) {
        local->body[with[i]].hit = true;
        local->of_event[local->n_of_event++] = with[i];
    }
}

/* Marks the bodies of the events that were found, and lists them. */
static void
mark(struct local *local, const struct event *out, const struct event *more,
     uint32_t n_more)
{
    const struct rt *run = local->run;
    local->quiet = out->kind == EVENT_NONE;
    for (uint32_t i = 0; i < local->n_of_event; i++)
        local->body[local->of_event[i]].hit = false;
    local->n_of_event = 0;
    for (uint32_t i = 0; i <= n_more && !local->quiet; i++) {
        uint32_t contact = i ? more[i - 1].contact : out->contact;
        for (int k = 0; k < 2; k++)
            mark_body(local, rt_contact(run, contact)->body[k]);
    }
    qsort(local->of_event, local->n_of_event, sizeof *local->of_event,
          by_number);
}

uint32_t
local_near(struct local *local, uint32_t which, const uint32_t **list)
{
    assert(local && which < local->run->im->bodies.n && list);
    const struct local_body *body = local->body + which;
    bool known = (rt_time(local->run) == local->reached && !body->held) ||
                 (local->balls_held && !isnan(local->reached));
    *list = known ? body->near : local->of + local->first[which];
    uint32_t n =
        known ? body->n_near : local->first[which + 1] - local->first[which];
    for (uint32_t k = 0; k < n && local->behind; k++) {
        bring(local, rt_contact(local->run, (*list)[k])->body[0]);
        bring(local, rt_contact(local->run, (*list)[k])->body[1]);
    }
    return n;
}

/* Lists the contacts of a body of the event, or that is held. */
static void
list_of_body(struct local *local, uint32_t which)
{
    const uint32_t *list;
    uint32_t n = local_near(local, which, &list);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t *body = rt_contact(local->run, list[k])->body;
        const struct local_body *other =
            local->body + (body[0] == which ? body[1] : body[0]);
        /* each once */
        if ((other->hit || other->held) && other < local->body + which)
            continue;
        local->concerned[local->n_concerned++] = list[k];
    }
}

/* Lists the contacts of these bodies, and of those that are held. */
static void
list_concerned(struct local *local)
{
    local->n_concerned = 0;
    for (uint32_t i = 0; i < local->n_of_event && !local->n_held; i++)
        list_of_body(local, local->of_event[i]);
    for (uint32_t i = 0; i < local->n_body && local->n_held; i++)
        if (local->body[i].hit || local->body[i].held)
            list_of_body(local, i);
}

void
local_touches(struct local *local, uint32_t contact)
{
    assert(!local || contact < local->n);
    if (local)
        local_pair_of(local, contact)->left = false;
}

uint32_t
local_concerned(const struct local *local, const uint32_t **list)
{
    assert(local && list);
    bool all = local->quiet && (!local->balls_held || isnan(local->reached));
    *list = all ? NULL : local->concerned;
    return *list ? local->n_concerned : local->n;
}

int
local_next(struct local *local, const enum event_watch *watch,
           const uint32_t *changed, uint32_t n_changed, double until,
           struct event *out, struct event *more, uint32_t *n_more)
{
    assert(local && watch && out && more && n_more && isfinite(until));
    struct rt *run = local->run;
    double when;
    *out = (struct event){.kind = EVENT_NONE};
    *n_more = 0;
    local->now = rt_time(run);
    assert(until >= local->now);
    assert(!local->behind || local->now == local->reached);
    int st = persistent_any(run) ? local_all(local) : local->status;
    if (!st)
        st = find_changes(local, watch, changed, n_changed);
    forget_behind(local);
    if (!st)
        st = first_touch(local, until, &when);
    if (!st && local->n_held)
        st = search_held(local, &when, out, more, n_more);
    else if (!st && !(st = look(local, when)) && run->trace)
        st = trace_to(local, when);
    if (st)
        return st;
    run->env[run->im->layout.time] = when;
    local->reached = when;
    report(local, when, out, more, n_more);
    out->time = when;
    mark(local, out, more, *n_more);
    if (local->leaves && !local->quiet && !local->n_held && !run->trace)
        leave_behind(local);
    else
        st = local_put_all(local, when);
    list_concerned(local);
    return st ? st : local->status;
}

/* Lists the contacts of each body that are of the model. */
static void
list_contacts(struct local *local)
{
    struct rt *run = local->run;
    uint32_t bodies = local->n_body, sum = 0, n = contact_table_stated(run);
    local->first = NEW_N(run->arena, uint32_t, bodies + 2);
    local->of = NEW_N(run->arena, uint32_t, 2 * (size_t)n + 1);
    local->with = NEW_N(run->arena, uint32_t, 2 * (size_t)n + 1);
    for (uint32_t i = 0; i < 2 * n; i++)
        if (rt_contact(run, i / 2)->system == IMP_NO_SYSTEM)
            local->first[rt_contact(run, i / 2)->body[i % 2] + 1]++;
    for (uint32_t i = 0; i <= bodies; i++)
        local->first[i] = sum += local->first[i];
    uint32_t *next = NEW_N(run->brief, uint32_t, bodies + 1);
    memcpy(next, local->first, bodies * sizeof *next);
    for (uint32_t i = 0; i < 2 * n; i++) {
        if (rt_contact(run, i / 2)->system != IMP_NO_SYSTEM)
            continue;
        const uint32_t *body = rt_contact(run, i / 2)->body;
        uint32_t at = next[body[i % 2]]++;
        local->of[at] = i / 2;
        local->with[at] = body[1 - i % 2];
    }
}

/* Is there a contact that only the search over all of them can follow? */
static bool
needs_all(const struct rt *run)
{
    const imp_pattern *pattern =
        IMP_ARRAY(run->im, run->im->patterns, imp_pattern);
    for (uint32_t i = 0; i < run->im->patterns.n; i++)
        if (pattern[i].contact.rub_guard != IMP_NO_TAPE)
            return true;
    for (uint32_t i = 0; i < run->im->contacts.n && !run->table; i++)
        if (rt_contact(run, i)->flags & IMP_CONTACTF_STATED ||
            rt_contact(run, i)->compliance != IMP_NO_TAPE ||
            rt_contact(run, i)->rub_guard != IMP_NO_TAPE)
            return true;
    return false;
}

/* Bodies that are held have balls, too, where there are so many contacts: with
 * fewer, all of theirs are searched. */
#define BALLS_HELD_FROM 1000

struct local *
local_new(struct rt *run, double end, double reach)
{
    assert(run != NULL && isfinite(end) && reach >= 0.0);
    uint32_t n = run->im->contacts.n, room = rt_contact_room(run);
    if (n == 0 || needs_all(run))
        return NULL;
    struct local *local = NEW(run->arena, struct local);
    local->run = run;
    local->n = n;
    local->n_body = run->im->bodies.n;
    local->end = end;
    local->reach = reach;
    local->makes = run->table != NULL;
    local->balls_held = local->makes || n >= BALLS_HELD_FROM;
    local->ball = local->makes ? LOCAL_BALL_MADE : LOCAL_BALL_MOST;
    local->n_heap = n + local->n_body;
    local->pair =
        NEW_N(run->arena, struct local_pair, (size_t)local->n_body + room + 1);
    local->heap = NEW_N(run->arena, uint32_t, (size_t)local->n_body + room + 1);
    local->hit = NEW_N(run->arena, uint32_t, room + 1);
    local->mask = NEW_N(run->arena, enum event_watch, room + 1);
    local->watch = NEW_N(run->arena, enum event_watch, room + 1);
    local->concerned = NEW_N(run->arena, uint32_t, room + 1);
    local->of_event = NEW_N(run->arena, uint32_t, local->n_body + 1);
    local->here = NEW_N(run->arena, uint32_t, local->n_body + 1);
    list_contacts(local);
    for (uint32_t i = 0; i < local->n_heap; i++) {
        local->pair[i].key = INFINITY;
        put_at(local, i, i);
    }
    for (uint32_t i = 0; i < n; i++)
        local->watch[i] = WATCH_OFF;
    local_bodies_new(local);
    if (local->makes)
        local->grid = local_grid_new(local);
    return local;
}

int
local_begin(struct local *local)
{
    assert(local && local->makes);
    local->now = local->reached = rt_time(local->run);
    local->quiet = true;
    return find_changes(local, local->watch, NULL, 0);
}

uint32_t
local_contact(struct local *local, uint32_t one, uint32_t two)
{
    assert(local && local->makes);
    struct rt *run = local->run;
    uint32_t contact = contact_table_find(run, one, two);
    if (contact != NO_CONTACT || !contact_table_wants(run, one, two))
        return contact;
    contact = contact_table_make(run, one, two);
    if (contact != NO_CONTACT)
        local_cage_join(local, contact);
    return contact;
}
