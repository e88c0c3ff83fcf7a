/* SPDX-License-Identifier: MIT */
/* Pairs and their next events (local.h). */
#include "runtime/local/local.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/local/local_priv.h"
#include "runtime/motion/motion.h"

/* -- the heap of pairs ------------------------------------------------------
 */

static bool
sooner(const struct local *local, uint32_t one, uint32_t two)
{
    double a = local->pair[one].key, b = local->pair[two].key;
    return a < b || (a == b && one < two);
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
    return local->body[body[0]].held || local->body[body[1]].held;
}

/* A pair of which a body moves in another way now, or that is watched in
 * another way: until when it stays apart. */
static void
renew(struct local *local, uint32_t contact)
{
    enum event_watch watch = local->watch[contact];
    local->pair[contact].event = false;
    if (watch == WATCH_OFF || held(local, contact) ||
        !local->pair[contact].near) {
        local_set_key(local, contact, INFINITY);
        return;
    }
    double apart = watch == WATCH_OPEN ? 0.0 : event_apart(local->run, contact);
    local_set_key(local, contact, rt_time(local->run) + apart);
}

/* A pair whose balls meet from the present place of the search on. */
static void
met(struct local *local, uint32_t contact)
{
    local->pair[contact].event = false;
    local_set_key(local, contact,
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

/* Looks which bodies move in another way than was known, and asks their pairs
 * again. */
static void
find_changes(struct local *local, const enum event_watch *watch,
             const uint32_t *list, uint32_t n)
{
    struct rt *run = local->run;
    uint32_t bodies = run->im->bodies.n;
    local->n_held = 0;
    local->met = local->now;
    for (uint32_t i = 0; i < bodies; i++) {
        local->body[i].changed = local_body_look(local, i);
        local->n_held += local->body[i].held;
        if (local->body[i].changed)
            local_cage_make(local, i, local->now);
    }
    find_watched(local, watch, list, n);
    for (uint32_t i = 0; i < bodies; i++)
        if (local->body[i].changed)
            local_cage_meet(local, i, met);
    for (uint32_t i = 0; i < bodies; i++)
        for (uint32_t k = 0;
             k < local->body[i].n_near && local->body[i].changed; k++)
            renew(local, local->body[i].near[k]);
}

/* -- going on ---------------------------------------------------------------
 */

/* Asks the pair whose time has come. */
static int
ask(struct local *local, uint32_t contact)
{
    struct rt *run = local->run;
    struct local_pair *pair = local->pair + contact;
    enum event_watch watch = local->watch[contact];
    double from = fmax(pair->key, local->now), entry;
    struct event found;
    bool open;
    /* A pair that is asked again right before it touches must not be taken for
     * one that has not left the last touch yet. */
    if (watch == WATCH_LEAVE && pair->left)
        watch = WATCH_CLOSE;
    if (!(from < local->end)) {
        local_set_key(local, contact, INFINITY);
        return IMP_OK;
    }
    run->env[run->im->layout.time] = from;
    /* its bodies have moved far since it was looked at: closest points of then
     * may lead to others than the closest ones */
    run->closest.warm[contact] = 0;
    for (int i = 0; i < 2; i++) {
        int st = local_body_put(local, rt_contact(run, contact)->body[i], from);
        if (st)
            return st;
    }
    if (watch != WATCH_OPEN) {
        bool below = false;
        double apart = event_apart(run, contact);
        if (!(apart > 0.0))
            apart = event_apart_by_gap(run, contact, &below);
        if (apart > 0.0) {
            pair->left = true;
            local_set_key(local, contact, from + apart);
            return IMP_OK;
        }
        /* Limits and points that are held move bodies by rounding. What is
         * below its band by that is hit now if it closes, and else on its way
         * out. */
        if (below)
            watch = WATCH_LEAVE;
    }
    int st = event_of_pair(run, contact, watch, local->end, 1, &found, &entry,
                           &open);
    if (st)
        return st;
    pair->left |= open;
    pair->event = found.kind != EVENT_NONE && found.kind != EVENT_EXCLUDED;
    pair->kind = found.kind;
    pair->touch = found.time;
    local_set_key(local, contact,
                  pair->event                    ? entry
                  : found.kind == EVENT_EXCLUDED ? INFINITY
                                                 : found.time);
    return IMP_OK;
}

/* The body leaves its ball, and is given a new one. */
static int
leave_cage(struct local *local, uint32_t body)
{
    local->met = fmax(local->pair[local->n + body].key, local->now);
    int st = local_body_put(local, body, local->met);
    if (st)
        return st;
    local_cage_make(local, body, local->met);
    local_cage_meet(local, body, met);
    return IMP_OK;
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
        uint32_t contact = local->heap[0];
        struct local_pair *pair = local->pair + contact;
        int st = IMP_OK;
        if (rt_stopped(local->run))
            return IMP_STOPPED;
        if (contact >= local->n) {
            st = leave_cage(local, contact - local->n);
        } else if (!pair->event) {
            st = ask(local, contact);
        } else {
            local->hit[local->n_hit++] = contact;
            *when = fmin(*when, pair->touch);
            pair->entry = pair->key;
            local_set_key(local, contact, INFINITY);
        }
        if (st)
            return st;
    }
    return IMP_OK;
}

/* The contacts of bodies that are held, and of whom they may meet, are searched
 * as ever. *when: falls to the time of what is found; the run stands there. */
static int
search_held(struct local *local, double *when, struct event *found,
            struct event *more, uint32_t *n_more)
{
    struct rt *run = local->run;
    for (uint32_t contact = 0; contact < local->n; contact++)
        local->mask[contact] =
            held(local, contact) ? local->watch[contact] : WATCH_OFF;
    run->env[run->im->layout.time] = local->now;
    int st = local_put_all(local, local->now);
    if (!st)
        st = event_next(run, local->mask, *when, NULL, NULL, found, more,
                        n_more);
    if (!st && found->kind == EVENT_EXCLUDED)
        found->kind = EVENT_NONE;
    if (!st && found->kind == EVENT_NONE && rt_time(run) < *when)
        st = motion_to(run, *when);
    *when = rt_time(run);
    return st;
}

/* The pairs that touch at the time `when`, into `out` and `more`; the others
 * stay as they are known. */
static void
report(struct local *local, double when, struct event *out, struct event *more,
       uint32_t *n_more)
{
    for (uint32_t i = 0; i < local->n_hit; i++) {
        uint32_t contact = local->hit[i];
        struct local_pair *pair = local->pair + contact;
        /* a gap without rate is in its band long before it touches */
        bool now = pair->touch == when ||
                   (pair->entry <= when && pair->kind != EVENT_TANGENT);
        if (!now) {
            local_set_key(local, contact, pair->entry);
            continue;
        }
        struct event event = {pair->kind, contact, when};
        pair->event = false;
        local_set_key(local, contact, when);
        if (out->kind == EVENT_NONE)
            *out = event;
        else
            more[(*n_more)++] = event;
    }
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

/* Marks the bodies of the events that were found. */
static void
mark(struct local *local, const struct event *out, const struct event *more,
     uint32_t n_more)
{
    const struct rt *run = local->run;
    local->quiet = out->kind == EVENT_NONE;
    for (uint32_t i = 0; i < run->im->bodies.n; i++)
        local->body[i].hit = false;
    for (uint32_t i = 0; i <= n_more && !local->quiet; i++) {
        uint32_t contact = i ? more[i - 1].contact : out->contact;
        for (int k = 0; k < 2; k++) {
            struct local_body *body =
                local->body + rt_contact(run, contact)->body[k];
            body->hit = body->block != IMP_NO_BLOCK;
        }
    }
}

uint32_t
local_near(const struct local *local, uint32_t which, const uint32_t **list)
{
    assert(local && which < local->run->im->bodies.n && list);
    const struct local_body *body = local->body + which;
    bool known = rt_time(local->run) == local->reached && !body->held;
    *list = known ? body->near : local->of + local->first[which];
    return known ? body->n_near : local->first[which + 1] - local->first[which];
}

/* Lists the contacts of these bodies, and of those that are held. */
static void
list_concerned(struct local *local)
{
    local->n_concerned = 0;
    for (uint32_t i = 0; i < local->run->im->bodies.n; i++) {
        if (!local->body[i].hit && !local->body[i].held)
            continue;
        const uint32_t *list;
        uint32_t n = local_near(local, i, &list);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t *body = rt_contact(local->run, list[k])->body;
            const struct local_body *other =
                local->body + (body[0] == i ? body[1] : body[0]);
            /* each once */
            if ((other->hit || other->held) && other < local->body + i)
                continue;
            local->concerned[local->n_concerned++] = list[k];
        }
    }
}

void
local_touches(struct local *local, uint32_t contact)
{
    assert(local && contact < local->n);
    local->pair[contact].left = false;
}

uint32_t
local_concerned(const struct local *local, const uint32_t **list)
{
    assert(local && list);
    *list = local->quiet ? NULL : local->concerned;
    return local->quiet ? local->n : local->n_concerned;
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
    find_changes(local, watch, changed, n_changed);
    int st = first_touch(local, until, &when);
    if (!st && local->n_held)
        st = search_held(local, &when, out, more, n_more);
    else if (!st && run->trace)
        st = trace_to(local, when);
    if (st)
        return st;
    run->env[run->im->layout.time] = when;
    st = local_put_all(local, when);
    local->reached = when;
    report(local, when, out, more, n_more);
    out->time = when;
    mark(local, out, more, *n_more);
    list_concerned(local);
    return st;
}

/* Lists the contacts of each body. */
static void
list_contacts(struct local *local)
{
    struct rt *run = local->run;
    uint32_t bodies = run->im->bodies.n, sum = 0;
    local->first = NEW_N(run->arena, uint32_t, bodies + 2);
    local->of = NEW_N(run->arena, uint32_t, 2 * (size_t)local->n + 1);
    local->with = NEW_N(run->arena, uint32_t, 2 * (size_t)local->n + 1);
    for (uint32_t i = 0; i < 2 * local->n; i++)
        local->first[rt_contact(run, i / 2)->body[i % 2] + 1]++;
    for (uint32_t i = 0; i <= bodies; i++)
        local->first[i] = sum += local->first[i];
    uint32_t *next = NEW_N(run->brief, uint32_t, bodies + 1);
    memcpy(next, local->first, bodies * sizeof *next);
    for (uint32_t i = 0; i < 2 * local->n; i++) {
        const uint32_t *body = rt_contact(run, i / 2)->body;
        uint32_t at = next[body[i % 2]]++;
        local->of[at] = i / 2;
        local->with[at] = body[1 - i % 2];
    }
}

struct local *
local_new(struct rt *run, double end)
{
    assert(run != NULL && isfinite(end));
    uint32_t n = run->im->contacts.n;
    if (!motion_by_weight(run) || n == 0 || run->im->rotors.n)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (rt_contact(run, i)->flags &
                (IMP_CONTACTF_RULE | IMP_CONTACTF_STATED) ||
            rt_contact(run, i)->system != IMP_NO_SYSTEM)
            return NULL;
    struct local *local = NEW(run->arena, struct local);
    local->run = run;
    local->n = n;
    local->end = end;
    local->n_heap = n + run->im->bodies.n;
    local->pair = NEW_N(run->arena, struct local_pair, local->n_heap + 1);
    local->heap = NEW_N(run->arena, uint32_t, local->n_heap + 1);
    local->hit = NEW_N(run->arena, uint32_t, n + 1);
    local->mask = NEW_N(run->arena, enum event_watch, n + 1);
    local->watch = NEW_N(run->arena, enum event_watch, n + 1);
    local->concerned = NEW_N(run->arena, uint32_t, n + 1);
    list_contacts(local);
    for (uint32_t i = 0; i < local->n_heap; i++) {
        if (i < n)
            local->watch[i] = WATCH_OFF;
        local->pair[i].key = INFINITY;
        put_at(local, i, i);
    }
    local_bodies_new(local);
    return local;
}
