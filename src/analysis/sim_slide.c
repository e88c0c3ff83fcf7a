/* SPDX-License-Identifier: MIT */
/* Contacts of bodies that stay closed, within `simulate`: which of those that
 * touch without rate push from here on (runtime/slide.h), and what ends that:
 * a force that ceases, another vertex that comes down, the end of a face. What
 * cannot be followed ends the run and says so. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/simulate_priv.h"
#include "analysis/vec.h"
#include "base/num.h"
#include "runtime/slide.h"

/* rates up to this share of the speeds, or of what the accelerations make of
 * rest over one length, are none, as in sim_corner.c */
#define SLIDE_STILL 1e-9
/* a closed gap, in tolerances of its contact */
#define SLIDE_CLOSED 2.0

static const char *
name_of(const struct sim *s, uint32_t c)
{
    return imp_text(s->a->rt->im, rt_contact(s->a->rt, c)->name);
}

bool
sim_slide_held(const struct sim *s, uint32_t c)
{
    return slide_holds(s->a->rt, c);
}

/* spots of contact c, appended; false: the touch is none that can be followed
 */
static bool
gather(struct sim *s, uint32_t c, struct slide_spot *spot, int *n)
{
    double tol, rate;
    if (*n >= SLIDE_MOST)
        return false;
    event_tolerances(s->a->rt, c, &tol, &rate);
    int k = slide_spots(s->a->rt, c, SLIDE_CLOSED * tol, spot + *n,
                        SLIDE_MOST - *n);
    *n += k > 0 ? k : 0;
    return k >= 0;
}

/* those without rate stay in spot */
static int
still(struct sim *s, struct slide_spot *spot, int *n)
{
    struct rt *r = s->a->rt;
    struct slide_point *p = NEW_N(r->brief, struct slide_point, *n + 1);
    int m = 0, st = *n ? slide_look(r, spot, *n, p, NULL) : IMP_OK;
    for (int i = 0; i < *n && !st; i++) {
        double size = event_length(r, spot[i].contact);
        double acc = fmax(fabs(p[i].free), v_norm(r->gravity));
        double speed = fmax(p[i].speed, sqrt(2.0 * acc * size));
        if (fabs(p[i].rate) <= SLIDE_STILL * speed)
            spot[m++] = spot[i];
    }
    *n = m;
    return st;
}

static int
jammed(struct sim *s, uint32_t c)
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

/* contacts that are held now and were not, or the other way round */
static void
tell(struct sim *s, const bool *before, bool shared)
{
    struct rt *r = s->a->rt;
    const char *list = NULL;
    for (uint32_t c = 0; c < s->n_contacts; c++) {
        bool now = slide_holds(r, c);
        if (now != before[c]) {
            sim_log(s, c, now ? "slide" : "leave", "", 0.0);
            s->ct[c].watch = WATCH_LEAVE;
        }
        if (now)
            sim_over_enter(s, c);
        if (now)
            list = list ? arena_printf(r->brief, "%s, %s", list, name_of(s, c))
                        : name_of(s, c);
    }
    if (shared && list && !s->told_shared) {
        char t[NUM_TEXT];
        s->told_shared = true;
        sim_remark(s, arena_printf(r->brief,
                                   "t = %s s: the forces at the points of %s "
                                   "are not determined, the motion is",
                                   num_digits(t, rt_time(r), 9), list));
    }
}

/* Which of these points push from here on, of SLIDE_MOST; left: one whose force
 * has just ceased, or -1 */
static int
choose(struct sim *s, struct slide_spot *spot, int n, int left)
{
    struct rt *r = s->a->rt;
    struct slide_spot *all = NEW_N(r->brief, struct slide_spot, SLIDE_MOST);
    struct slide_spot gone;
    bool *before = NEW_N(r->brief, bool, s->n_contacts + 1);
    enum slide_choice choice;
    n = sim_over_still(s, spot, n);
    int st, at = -1, n_all = n;
    memcpy(all, spot, sizeof *all * (size_t)n);
    for (uint32_t c = 0; c < s->n_contacts; c++)
        before[c] = slide_holds(r, c);
    if (left >= 0)
        gone = spot[left];
    slide_end(r);
    if ((st = still(s, spot, &n)))
        return st;
    for (int i = 0; i < n && left >= 0; i++)
        if (!memcmp(&spot[i], &gone, sizeof gone))
            at = i;
    if ((st = slide_choose(r, spot, n, at, &choice)))
        return st;
    if (choice == SLIDE_JAMMED)
        return jammed(s, n ? spot[0].contact : 0);
    sim_over_let_go(s, all, n_all, spot, n);
    tell(s, before, choice == SLIDE_SHARED);
    s->row_fresh = false;
    return sim_row(s);
}

/* points held now, without those of contacts `out` (per contact; NULL: none) */
static int
held_points(struct sim *s, const bool *out, struct slide_spot *spot)
{
    bool on;
    int n = 0;
    for (int i = 0; i < slide_count(s->a->rt); i++) {
        const struct slide_spot *p = slide_spot(s->a->rt, i, &on, NULL);
        if (!out || !out[p->contact])
            spot[n++] = *p;
    }
    return n;
}

/* The points held so far and those of contacts `more`: which push from here on?
 * left: the held point whose force has ceased, or -1. unknown: a contact that
 * is pressed together and cannot be followed, or UINT32_MAX */
static int
settle(struct sim *s, const uint32_t *more, uint32_t n_more, int left,
       uint32_t *unknown)
{
    struct rt *r = s->a->rt;
    struct slide_spot *spot = NEW_N(r->brief, struct slide_spot, SLIDE_MOST);
    bool *in = NEW_N(r->brief, bool, s->n_contacts + 1);
    *unknown = UINT32_MAX;
    /* all points of these that are closed now, in place of those before */
    for (uint32_t i = 0; i < n_more; i++)
        in[more[i]] = true;
    int n = held_points(s, n_more ? in : NULL, spot);
    for (uint32_t c = 0; c < s->n_contacts; c++)
        /* of a touch of another kind nothing is asked while nothing presses */
        if (in[c] && !gather(s, c, spot, &n) && s->ct[c].pressed)
            *unknown = c;
    return *unknown != UINT32_MAX ? IMP_OK : choose(s, spot, n, left);
}

int
sim_slide_points(struct sim *s, const struct slide_spot *point, int n,
                 const bool *out)
{
    struct slide_spot *spot =
        NEW_N(s->a->rt->brief, struct slide_spot, SLIDE_MOST);
    int m = held_points(s, out, spot);
    for (int i = 0; i < n; i++) {
        bool in = false;
        for (int k = 0; k < m; k++)
            in |= !memcmp(&spot[k], &point[i], sizeof *spot);
        if (!in && m < SLIDE_MOST)
            spot[m++] = point[i];
    }
    return choose(s, spot, m, -1);
}

int
sim_slide_settle(struct sim *s, const uint32_t *c, uint32_t n, uint32_t *lost)
{
    return settle(s, c, n, -1, lost);
}

int
sim_slide_peek(struct sim *s, double until, const bool *blind, double *t)
{
    *t = until;
    s->slide.what = SLIDE_NOTHING;
    if (!slide_any(s->a->rt) && !s->n_over)
        return IMP_OK;
    int st = slide_next(s->a->rt, until, blind, s->over, s->n_over, &s->slide);
    *t = s->slide.time;
    return st;
}

/* A held point is past the end of its face or edge: what touches there now is
 * looked for anew. A corner alone leaves, and so does one whose normal is open
 * there: what comes then is for the search. */
static int
over(struct sim *s, uint32_t c, int which)
{
    struct rt *r = s->a->rt;
    struct slide_spot *spot = NEW_N(r->brief, struct slide_spot, SLIDE_MOST);
    bool *out = NEW_N(r->brief, bool, s->n_contacts + 1), on;
    struct slide_spot gone = *slide_spot(r, which, &on, NULL);
    sim_over_drop(s, c);
    out[c] = true;
    int n = held_points(s, out, spot), all = n, m = n;
    if (!gather(s, c, spot, &all))
        all = n;
    for (int i = n; i < all; i++)
        if (memcmp(&spot[i], &gone, sizeof gone))
            spot[m++] = spot[i];
    return choose(s, spot, m, -1);
}

int
sim_slide_apply(struct sim *s)
{
    struct rt *r = s->a->rt;
    struct slide_event e = s->slide;
    struct event hit = {EVENT_CROSS, e.contact, rt_time(r)};
    uint32_t unknown;
    int st;
    s->slide.what = SLIDE_NOTHING;
    switch (e.what) {
    case SLIDE_CEASES:
        s->row_fresh = false;
        if ((st = sim_row(s)))
            return st;
        return settle(s, NULL, 0, e.which, &unknown);
    case SLIDE_SINKS:
        s->row_fresh = false;
        return sim_slide_points(s, NULL, 0, NULL);
    case SLIDE_BESIDE:
        return sim_over_beside(s, e.contact);
    case SLIDE_HITS:
        s->row_fresh = false;
        return sim_over_hit(s, e.contact, (uint32_t)e.which);
    case SLIDE_CLOSES:
        s->row_fresh = false;
        return sim_event(s, &hit, &hit, 0);
    case SLIDE_OVER:
        s->row_fresh = false;
        return over(s, e.contact, e.which);
    default:
        return IMP_OK;
    }
}
