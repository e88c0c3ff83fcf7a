/* SPDX-License-Identifier: MIT */
/* Contacts of bodies that stay closed, within `simulate`: which of those that
 * touch without rate push from here on (runtime/motion/persistent.h), and what
 * ends that: a force that ceases, another vertex that comes down, the end of a
 * face. What cannot be followed ends the run and says so. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/vec3.h"

/* a closed gap, in tolerances of its contact */
#define SLIDE_CLOSED 2.0

static const char *
name_of(const struct simulation *s, uint32_t c)
{
    return imp_text(s->a->rt->im, rt_contact(s->a->rt, c)->name);
}

bool
simulate_persistent_holds(const struct simulation *s, uint32_t c)
{
    return persistent_holds(s->a->rt, c);
}

void
point_list_add(struct simulation *s, struct point_list *list,
               const struct contact_point *at)
{
    for (int i = 0; i < list->n; i++)
        if (!memcmp(&list->spot[i], at, sizeof *at))
            return;
    if (list->n == list->room) {
        struct contact_point *old = list->spot;
        list->room = list->room ? 2 * list->room : CONTACT_POINTS_MOST;
        list->spot =
            NEW_N(s->a->rt->brief, struct contact_point, (size_t)list->room);
        if (old)
            memcpy(list->spot, old, sizeof *old * (size_t)list->n);
    }
    list->spot[list->n++] = *at;
}

/* spots of contact c, appended; false: the touch is none that can be followed
 */
static bool
gather(struct simulation *s, uint32_t c, struct point_list *list)
{
    struct contact_point spot[CONTACT_POINTS_MOST + 1];
    double tol, rate;
    gap_tolerances(s->a->rt, c, &tol, &rate);
    int k = contact_set_points(s->a->rt, c, SLIDE_CLOSED * tol, spot,
                               CONTACT_POINTS_MOST + 1);
    for (int i = 0; i < k; i++)
        point_list_add(s, list, &spot[i]);
    return k >= 0;
}

/* those without rate stay in spot */
static int
still(struct simulation *s, struct contact_point *spot, int *n)
{
    struct rt *r = s->a->rt;
    struct contact_point_state *p =
        NEW_N(r->brief, struct contact_point_state, *n + 1);
    int m = 0, st = *n ? contact_point_states(r, spot, *n, p, NULL) : IMP_OK;
    for (int i = 0; i < *n && !st; i++) {
        if (fabs(p[i].rate) <=
            fmax(MODE_STILL * p[i].speed,
                 mode_still_rate(r, spot[i].contact, p[i].free)))
            spot[m++] = spot[i];
    }
    *n = m;
    return st;
}

static int
jammed(struct simulation *s, uint32_t c)
{
    char t[NUM_TEXT];
    struct diag *d =
        diag_add(s->a->ds, DIAG_E0731, rt_contact(s->a->rt, c)->range,
                 "no forces >= 0 keep the bodies of `%s` apart at t = %s s",
                 name_of(s, c), num_digits(t, rt_time(s->a->rt), 9));
    diag_help(s->a->ds, d,
              "the body is squeezed between others that give no way; look at "
              "what moves them");
    return IMP_FAILED;
}

static int
too_many(struct simulation *s, const struct contact_point *spot, int n)
{
    struct rt *r = s->a->rt;
    char t[NUM_TEXT];
    uint32_t last = 0;
    for (int i = 0; i < n; i++)
        last = spot[i].contact > last ? spot[i].contact : last;
    struct diag *d =
        diag_add(s->a->ds, DIAG_E0710, rt_contact(r, last)->range,
                 "`%s` is one of the contacts with %d points at rest that are "
                 "connected by moving bodies at t = %s s",
                 name_of(s, last), n, num_digits(t, rt_time(r), 9));
    diag_note(s->a->ds, d, s->c->range,
              "forces are found for all points of one such group together, up "
              "to %d",
              CONTACT_POINTS_MOST);
    diag_help(s->a->ds, d,
              "bodies that touch fixed ones alone are groups of their own: let "
              "fewer bodies rest on one another, use an `until` before that "
              "time, or let a contact pass with `through = %s`",
              name_of(s, last));
    return IMP_FAILED;
}

/* contacts that are held now and were not, or the other way round; shared: per
 * contact, its forces are not determined */
static void
tell(struct simulation *s, const bool *before, const bool *shared)
{
    struct rt *r = s->a->rt;
    const char *list = NULL;
    for (uint32_t c = 0; c < s->n_contacts; c++) {
        bool now = persistent_holds(r, c);
        if (now != before[c]) {
            simulate_log_event(s, c, now ? "slide" : "leave", "", 0.0);
            s->ct[c].watch = WATCH_LEAVE;
        }
        if (now)
            resting_polytopes_enter(s, c);
        if (now && shared[c])
            list = list ? arena_printf(r->brief, "%s, %s", list, name_of(s, c))
                        : name_of(s, c);
    }
    if (list && !s->told_shared) {
        char t[NUM_TEXT];
        s->told_shared = true;
        simulate_remark(s,
                        arena_printf(r->brief,
                                     "t = %s s: the forces at the points of %s "
                                     "are not determined, the motion is",
                                     num_digits(t, rt_time(r), 9), list));
    }
}

/* which of the points of one group push */
static int
choose_group(struct simulation *s, struct contact_point *spot, int n,
             const struct contact_point *gone, bool *shared)
{
    struct rt *r = s->a->rt;
    struct contact_point *all =
        NEW_N(r->brief, struct contact_point, (size_t)n + 1);
    enum mode_choice choice;
    int st, at = -1, n_all = n;
    memcpy(all, spot, sizeof *all * (size_t)n);
    if ((st = still(s, spot, &n)))
        return st;
    if (n > CONTACT_POINTS_MOST)
        return too_many(s, spot, n);
    for (int i = 0; i < n && gone; i++)
        if (!memcmp(&spot[i], gone, sizeof *gone))
            at = i;
    if ((st = mode_select(r, spot, n, at, &choice)))
        return st;
    if (choice == MODE_JAMMED)
        return jammed(s, n ? spot[0].contact : 0);
    resting_polytopes_let_go(s, all, n_all, spot, n);
    for (int i = 0; i < n && choice == MODE_SHARED; i++)
        shared[spot[i].contact] = true;
    return IMP_OK;
}

/* Which points push from here on: of those held on marked blocks, without
 * contacts `out` (per contact; NULL: none), of the points `more`, and of those
 * that are closed to rounding. What is held elsewhere stays as it is. gone: a
 * point whose force has just ceased, or NULL */
static int
choose(struct simulation *s, bool *block, const bool *out,
       const struct point_list *more, const struct contact_point *gone)
{
    struct rt *r = s->a->rt;
    struct point_list list = {0}, closed = {0};
    bool *before = NEW_N(r->brief, bool, s->n_contacts + 1), on;
    bool *shared = NEW_N(r->brief, bool, s->n_contacts + 1);
    struct contact_point was;
    for (int i = 0; i < more->n; i++)
        persistent_mark(r, more->spot[i].contact, block);
    int st = resting_polytopes_points(s, block, true, &closed);
    for (int i = 0; i < persistent_count(r); i++) {
        const struct contact_point *p = persistent_point(r, i, &on, NULL);
        if (persistent_marked(r, p->contact, block) &&
            !(out && out[p->contact]))
            point_list_add(s, &list, p);
    }
    for (int i = 0; i < more->n; i++)
        point_list_add(s, &list, &more->spot[i]);
    for (int i = 0; i < closed.n; i++)
        point_list_add(s, &list, &closed.spot[i]);
    for (uint32_t c = 0; c < s->n_contacts; c++)
        before[c] = persistent_holds(r, c);
    if (gone) {
        was = *gone;
        gone = &was;
    }
    persistent_release(r, block);
    resting_polytopes_ask_again(s, block);
    int *end = NEW_N(r->brief, int, (size_t)list.n + 1), first = 0;
    int groups = persistent_split(r, list.spot, list.n, end);
    for (int i = 0; i < groups && !st; first = end[i++])
        st = choose_group(s, list.spot + first, end[i] - first, gone, shared);
    if (st)
        return st;
    tell(s, before, shared);
    s->row_fresh = false;
    return simulate_row(s);
}

/* The points held so far together with contacts `more`, and theirs: which push
 * from here on? unknown: a contact that is pressed together and cannot be
 * followed, or UINT32_MAX */
static int
settle(struct simulation *s, const uint32_t *more, uint32_t n_more,
       uint32_t *unknown)
{
    struct rt *r = s->a->rt;
    struct point_list list = {0};
    bool *in = NEW_N(r->brief, bool, s->n_contacts + 1);
    bool *block = NEW_N(r->brief, bool, r->im->blocks.n + 1);
    *unknown = UINT32_MAX;
    /* all points of these that are closed now, in place of those before */
    for (uint32_t i = 0; i < n_more; i++) {
        in[more[i]] = true;
        persistent_mark(r, more[i], block);
    }
    for (uint32_t c = 0; c < s->n_contacts; c++)
        /* of a touch of another kind nothing is asked while nothing presses */
        if (in[c] && !gather(s, c, &list) && s->ct[c].pressed)
            *unknown = c;
    return *unknown != UINT32_MAX ? IMP_OK : choose(s, block, in, &list, NULL);
}

int
simulate_persistent_choose(struct simulation *s, uint32_t c,
                           const struct contact_point *point, int n,
                           const bool *out)
{
    struct rt *r = s->a->rt;
    struct point_list list = {0};
    bool *block = NEW_N(r->brief, bool, r->im->blocks.n + 1);
    persistent_mark(r, c, block);
    for (int i = 0; i < n; i++)
        point_list_add(s, &list, &point[i]);
    return choose(s, block, out, &list, NULL);
}

int
simulate_persistent_settle(struct simulation *s, const uint32_t *c, uint32_t n,
                           uint32_t *lost)
{
    return settle(s, c, n, lost);
}

int
simulate_persistent_peek(struct simulation *s, double until, const bool *blind,
                         double *t)
{
    *t = until;
    s->slide.what = CHANGE_NONE;
    if (!persistent_any(s->a->rt) && !s->n_over)
        return IMP_OK;
    int st =
        mode_change_next(s->a->rt, until, blind, s->over, s->n_over, &s->slide);
    *t = s->slide.time;
    return st;
}

/* A held point is past the end of its face or edge: what touches there now is
 * looked for anew. A corner alone leaves, and so does one whose normal is open
 * there: what comes then is for the search. */
static int
over(struct simulation *s, uint32_t c, int which)
{
    struct rt *r = s->a->rt;
    struct point_list all = {0}, list = {0};
    bool *out = NEW_N(r->brief, bool, s->n_contacts + 1), on;
    bool *block = NEW_N(r->brief, bool, r->im->blocks.n + 1);
    struct contact_point gone = *persistent_point(r, which, &on, NULL);
    resting_polytopes_drop(s, c);
    out[c] = true;
    persistent_mark(r, c, block);
    if (!gather(s, c, &all))
        all.n = 0;
    for (int i = 0; i < all.n; i++)
        if (memcmp(&all.spot[i], &gone, sizeof gone))
            point_list_add(s, &list, &all.spot[i]);
    return choose(s, block, out, &list, NULL);
}

/* the force of a held point has fallen through 0 */
static int
ceases(struct simulation *s, int which)
{
    struct rt *r = s->a->rt;
    struct point_list none = {0};
    bool *block = NEW_N(r->brief, bool, r->im->blocks.n + 1), on;
    const struct contact_point *gone = persistent_point(r, which, &on, NULL);
    persistent_mark(r, gone->contact, block);
    return choose(s, block, NULL, &none, gone);
}

int
simulate_persistent_apply(struct simulation *s)
{
    struct rt *r = s->a->rt;
    struct mode_change e = s->slide;
    struct event hit = {EVENT_CROSS, e.contact, rt_time(r)};
    int st;
    s->slide.what = CHANGE_NONE;
    switch (e.what) {
    case CHANGE_CEASES:
        s->row_fresh = false;
        if ((st = simulate_row(s)))
            return st;
        return ceases(s, e.which);
    case CHANGE_SINKS:
        s->row_fresh = false;
        return simulate_persistent_choose(s, e.contact, NULL, 0, NULL);
    case CHANGE_BESIDE:
        return resting_polytopes_beside(s, e.contact);
    case CHANGE_HITS:
        s->row_fresh = false;
        return simulate_vertex_impact(s, e.contact, (uint32_t)e.which);
    case CHANGE_CLOSES:
        s->row_fresh = false;
        return simulate_touches(s, &hit, &hit, 0);
    case CHANGE_FACE_END:
        s->row_fresh = false;
        return over(s, e.contact, e.which);
    default:
        return IMP_OK;
    }
}
