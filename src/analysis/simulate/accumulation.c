/* SPDX-License-Identifier: MIT */
/* Chatter of bodies within `simulate`. Where the flights at a contact shrink,
 * the parabola that touches the motion (runtime/modes/accumulation_forecast.h)
 * tells where the impacts of its bodies come to a limit; when two such
 * predictions in a row agree to rounding they are the motion's. The run then
 * goes to the limit without these impacts, the velocities and gaps of the group
 * are projected onto rest against each other, which is what infinitely many
 * impulses along its normals leave, and the contacts that push from there on
 * are chosen as after any other event. Nothing is compared with an absolute
 * speed or time. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/modes/accumulation_forecast.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

/* A limit is taken after so many flights, or when one is so much shorter than
 * the first: every further impact costs digits of its time, as the rounding of
 * a place over the speed. */
#define CHATTER_FLIGHTS 8
#define CHATTER_SHORTER 0.1
/* looked ahead, in the last flights */
#define CHATTER_AHEAD 200.0
/* roundings of the gaps */
#define CHATTER_NOISE 32.0
/* The parabola may differ from the motion by so many of them. */
#define CHATTER_BLUR 64.0
/* spins turn normals and gyroscopic moments: share of the accelerations */
#define CHATTER_TURNS 4.0
/* a limit nearer than this share of the time for which the parabola is the
 * motion is taken as it is predicted */
#define CHATTER_SURE 0.125
/* bodies that overlap by more tolerances at a limit have passed something over
 */
#define CHATTER_DEEP 2.0
/* impacts between two looks that find no limit, at most about */
#define CHATTER_PAUSE 15
/* but no longer than until a flight is this share of that at the last look */
#define CHATTER_AGAIN 0.01

/* what one question gathers */
struct group {
    bool *contact, *body;
    struct contact_point spot[CONTACT_POINTS_MOST];
    struct contact_point_state point[CONTACT_POINTS_MOST];
    double G[CONTACT_POINTS_MOST * CONTACT_POINTS_MOST], e[CONTACT_POINTS_MOST],
        place[CONTACT_POINTS_MOST];
    int n;
};
struct accumulation_work {
    struct forecast_memory lines;
    struct group g;
};

static bool
moving(const struct rt *r, uint32_t body)
{
    return body != IMP_WORLD && !(rt_body(r, body)->flags & IMP_BODYF_FIXED);
}

/* the last flights of a contact; 0: they do not shrink. take: enough to go by
 */
static double
shrinks(const struct simulation *s, uint32_t c, bool *take)
{
    const struct flight_history *f = &s->ct[c].fl;
    const double *t = f->f;
    bool less =
        f->n == 1 || t[0] < t[1] || (f->n >= 4 && t[0] + t[1] < t[2] + t[3]);
    *take = f->n >= CHATTER_FLIGHTS ||
            (f->n >= 2 && t[0] <= CHATTER_SHORTER * f->first);
    if (f->n < 1 || !less || !(t[0] > 0.0))
        return 0.0;
    double sum = 0.0;
    for (int i = 0; i < 4 && i < f->n; i++)
        sum += t[i];
    return sum;
}

/* closed now, though nothing happened there: bodies that fly together */
static bool
touches(struct simulation *s, uint32_t c)
{
    struct closest_points cl;
    double tol, rate;
    const imp_contact *k = rt_contact(s->a->rt, c);
    if (k->system != IMP_NO_SYSTEM || k->flags & IMP_CONTACTF_STATED ||
        closest_points_find(s->a->rt, c, &cl, false))
        return false;
    gap_tolerances(s->a->rt, c, &tol, &rate);
    return cl.gap <= 2.0 * tol;
}

/* contacts whose impacts the motion of c's bodies may have to do with: held
 * ones, those that were hit lately, those that touch, and by joints */
static void
gather(struct simulation *s, uint32_t c, double window, struct group *g)
{
    struct rt *r = s->a->rt;
    const imp_joint *j = IMP_ARRAY(r->im, r->im->joints, imp_joint);
    memset(g->contact, 0, s->n_contacts * sizeof *g->contact);
    memset(g->body, 0, r->im->bodies.n * sizeof *g->body);
    g->contact[c] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->n_contacts; i++) {
            const imp_contact *k = rt_contact(r, i);
            const struct simulated_contact *t = &s->ct[i];
            bool one = moving(r, k->body[0]) && g->body[k->body[0]],
                 two = moving(r, k->body[1]) && g->body[k->body[1]];
            if (!g->contact[i] && (one || two) && t->watch != WATCH_OFF &&
                !t->through && !t->overlap &&
                (persistent_holds(r, i) ||
                 (t->fl.impacts && rt_time(r) - t->fl.last <= window) ||
                 touches(s, i)))
                g->contact[i] = more = true;
            for (int e = 0; e < 2 && g->contact[i]; e++)
                if (moving(r, k->body[e]) && !g->body[k->body[e]])
                    g->body[k->body[e]] = more = true;
        }
        for (uint32_t i = 0; i < r->im->joints.n; i++) {
            bool one = moving(r, j[i].body[0]) && g->body[j[i].body[0]],
                 two = moving(r, j[i].body[1]) && g->body[j[i].body[1]];
            if (one == two || !moving(r, j[i].body[0]) ||
                !moving(r, j[i].body[1]))
                continue;
            g->body[j[i].body[one ? 1 : 0]] = more = true;
        }
    }
}

static double
place_of(const struct rt *r, uint32_t c)
{
    double sum = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *b = rt_body(r, rt_contact(r, c)->body[e]);
        double radius = r->env[b->env_body + IMP_BODY_RADIUS];
        for (uint32_t i = 0; i < r->im->dim; i++)
            sum += fabs(r->env[b->env_state + i]);
        sum += isfinite(radius) ? radius : 0.0;
    }
    return sum;
}

/* the points of these contacts that may be hit within `ahead` */
static bool
points(struct simulation *s, struct group *g, double ahead)
{
    struct rt *r = s->a->rt;
    double tol, rate;
    g->n = 0;
    for (uint32_t c = 0; c < s->n_contacts; c++) {
        if (!g->contact[c])
            continue;
        if (g->n >= CONTACT_POINTS_MOST)
            return false;
        gap_tolerances(r, c, &tol, &rate);
        int k = contact_set_near(r, c, 2.0 * tol, INFINITY, g->spot + g->n,
                                 CONTACT_POINTS_MOST - g->n);
        if (k < 0)
            return false;
        g->n += k;
    }
    if (g->n == 0 || contact_point_states(r, g->spot, g->n, g->point, NULL))
        return false;
    int m = 0;
    for (int i = 0; i < g->n; i++) {
        const struct contact_point_state *p = &g->point[i];
        double low =
            CHATTER_NOISE * DBL_EPSILON * place_of(r, g->spot[i].contact);
        if (p->gap <= low + ahead * (fabs(p->rate) + ahead * fabs(p->free)))
            g->spot[m++] = g->spot[i];
    }
    g->n = m;
    if (m == 0 || contact_point_states(r, g->spot, m, g->point, g->G))
        return false;
    for (int i = 0; i < m; i++) {
        uint32_t c = g->spot[i].contact;
        g->e[i] = r->env[rt_contact(r, c)->env_contact + IMP_CONTACT_E];
        g->place[i] = place_of(r, c);
        /* what has just been hit, or is held, is closed */
        gap_tolerances(r, c, &tol, &rate);
        if (fabs(g->point[i].gap) <= CHATTER_NOISE * DBL_EPSILON * g->place[i])
            g->point[i].gap = 0.0;
        if (g->point[i].gap == 0.0 &&
            fabs(g->point[i].rate) <=
                CHATTER_NOISE * DBL_EPSILON * g->point[i].speed)
            g->point[i].rate = 0.0;
    }
    for (int i = 0; i < persistent_count(r); i++) {
        bool on;
        const struct contact_point *held = persistent_point(r, i, &on, NULL);
        for (int k = 0; k < m; k++)
            if (!memcmp(&g->spot[k], held, sizeof *held))
                g->point[k].gap = g->point[k].rate = 0.0;
    }
    return true;
}

/* Goes to the time `meet` with the group's contacts out of sight; false: there
 * is something else on the way, and nothing has moved */
static int
travel(struct simulation *s, const struct group *g, double meet, bool *there)
{
    struct rt *r = s->a->rt;
    struct saved_state here = saved_state_take(s->a->rt);
    struct event e, *more = NEW_N(r->brief, struct event, s->n_contacts + 1);
    uint32_t n;
    double end = meet, t;
    int st = r->im->systems.n ? simulate_systems_peek(s, meet, &end) : IMP_OK;
    *there = !st && !(rt_time(r) < meet); /* less than a rounding of t left */
    if (st || end < meet)
        return st;
    while (!st && rt_time(r) < meet) {
        if ((st = simulate_persistent_peek(s, meet, g->contact, &t)))
            break;
        bool other = s->slide.what != CHANGE_NONE;
        if (other && t < meet)
            break;
        for (uint32_t c = 0; c < s->n_contacts; c++)
            s->watch[c] = g->contact[c] || persistent_holds(r, c) ||
                                  (s->n_over && s->is_over[c])
                              ? WATCH_OFF
                              : s->ct[c].watch;
        st = event_next(r, s->watch, t, NULL, NULL, &e, more, &n);
        if (st || (e.kind != EVENT_NONE && e.kind != EVENT_EXCLUDED))
            break;
        if (rt_time(r) < t)
            st = motion_to(r, t);
        if (rt_time(r) >= meet)
            *there = !st;
    }
    s->slide.what = CHANGE_NONE;
    if (!*there)
        saved_state_restore(s->a->rt, &here);
    return st;
}

static void
tell(struct simulation *s, const struct group *g,
     const struct forecast_limit *l, uint32_t c, double error)
{
    struct rt *r = s->a->rt;
    struct flow_event e = {.kind = FLOW_CHATTER,
                           .time = rt_time(r),
                           .contact = c,
                           .chatter = l->chatter};
    uint32_t *list = NEW_N(r->brief, uint32_t, s->n_contacts + 1);
    for (uint32_t k = 0; k < s->n_contacts; k++) {
        bool in = false;
        for (int i = 0; i < g->n; i++)
            in |= l->group[i] && g->spot[i].contact == k;
        if (in)
            list[e.n++] = k;
    }
    e.chatter.impacts = s->ct[c].fl.impacts;
    e.chatter.remaining = l->remaining;
    e.chatter.error = error / l->remaining;
    simulate_limit_add(s, &e, list);
}

/* do bodies of the group overlap, each other or others, by more than what
 * counts as closed? */
static bool
overlaps(struct simulation *s, const struct group *g)
{
    for (uint32_t c = 0; c < s->n_contacts; c++) {
        const imp_contact *k = rt_contact(s->a->rt, c);
        const struct simulated_contact *t = &s->ct[c];
        struct closest_points cl;
        double tol, rate;
        bool on = (moving(s->a->rt, k->body[0]) && g->body[k->body[0]]) ||
                  (moving(s->a->rt, k->body[1]) && g->body[k->body[1]]);
        if (!on || t->watch == WATCH_OFF || t->through || t->overlap ||
            closest_points_find(s->a->rt, c, &cl, false))
            continue;
        gap_tolerances(s->a->rt, c, &tol, &rate);
        if (cl.gap < -CHATTER_DEEP * tol)
            return true;
    }
    return false;
}

/* The state at the limit: closed points at rest against each other, others that
 * were hit on the way as they were left. there: false where other points of the
 * same bodies would be passed over; the state is then that of `here` */
static int
arrive(struct simulation *s, struct group *g, const struct forecast_limit *l,
       uint32_t c, double error, const struct saved_state *here, bool *there)
{
    struct rt *r = s->a->rt;
    struct contact_point stop[CONTACT_POINTS_MOST], rest[CONTACT_POINTS_MOST];
    double gap[CONTACT_POINTS_MOST], rate[CONTACT_POINTS_MOST];
    uint32_t *list = NEW_N(r->brief, uint32_t, s->n_contacts + 1), n = 0, lost;
    bool planes = true;
    int m = 0, k = 0, st;
    for (int i = 0; i < g->n; i++) {
        if (l->closed[i])
            rest[k++] = g->spot[i];
        if (!l->moved[i])
            continue;
        gap[m] = l->gap[i];
        rate[m] = l->rate[i];
        stop[m++] = g->spot[i];
    }
    if ((st = persistent_close(r, stop, m, gap, rate)))
        return st;
    *there = !overlaps(s, g);
    if (!*there) {
        saved_state_restore(s->a->rt, here);
        return IMP_OK;
    }
    tell(s, g, l, c, error);
    for (uint32_t i = 0; i < s->n_contacts; i++) {
        if (!g->contact[i])
            continue;
        list[n++] = i;
        planes &= s->n_over && s->is_over[i];
        s->ct[i].watch = WATCH_LEAVE;
        s->ct[i].fl.impacts = 0;
    }
    s->row_fresh = false;
    return planes ? simulate_persistent_choose(s, c, rest, k, g->contact)
                  : simulate_persistent_settle(s, list, n, &lost);
}

static struct accumulation_work *
work_of(struct simulation *s)
{
    struct rt *r = s->a->rt;
    if (!s->work) {
        s->work = NEW(r->arena, struct accumulation_work);
        s->work->g.contact = NEW_N(r->arena, bool, s->n_contacts + 1);
        s->work->g.body = NEW_N(r->arena, bool, r->im->bodies.n + 1);
    }
    return s->work;
}

/* -- flights that rounding ends ----------------------------------------------
 */

/* may the last flight at c have been no higher than the gap's rounding? */
static bool
tiny(const struct simulation *s, uint32_t c)
{
    const struct rt *r = s->a->rt;
    const struct flight_history *f = &s->ct[c].fl;
    double low = CHATTER_NOISE * DBL_EPSILON * place_of(r, c);
    return f->impacts > 0 && (f->lost || f->impacts >= CHATTER_FLIGHTS) &&
           vec3_norm(r->gravity) * f->f[0] * f->f[0] / 8.0 <= low;
}

/* Points that are closed, as impacts take it, and fly no higher than the
 * rounding of their gap, u^2/(2 |a|) <= eps place: the times and the order of
 * further impacts are rounding. Accelerations are those under the forces of
 * what rests. With them those are at rest that are as slow and would open. The
 * flights of one point add up to 2 u/(|a| (1
 * - e)). */
static bool
lost(struct simulation *s, const struct group *g, struct forecast_limit *l)
{
    double T = 0.0, e = 0.0, acc[CONTACT_POINTS_MOST];
    bool any = false;
    if (!forecast_accelerations(s->a->rt, g->n, g->point, g->G, acc))
        return false;
    for (int i = 0; i < g->n; i++) {
        const struct contact_point_state *p = &g->point[i];
        uint32_t c = g->spot[i].contact;
        double tol, rate;
        gap_tolerances(s->a->rt, c, &tol, &rate);
        if (s->n_over && s->is_over[c])
            gap_rounding(s->a->rt, c, &tol, &rate);
        bool held = false, on;
        for (int k = 0; k < persistent_count(s->a->rt); k++)
            held |= !memcmp(persistent_point(s->a->rt, k, &on, NULL),
                            &g->spot[i], sizeof *g->spot);
        l->gap[i] = l->rate[i] = 0.0;
        bool low = fabs(p->gap) <= tol && g->e[i] < 1.0 &&
                   p->rate * p->rate <= 2.0 *
                                            fmax(fabs(p->free), fabs(acc[i])) *
                                            DBL_EPSILON * g->place[i];
        l->group[i] = low && p->rate != 0.0 && acc[i] < 0.0;
        l->closed[i] = l->moved[i] = low || held;
        if (!l->group[i])
            continue;
        any = true;
        e = fmax(e, g->e[i]);
        T = fmax(T, 2.0 * fabs(p->rate / acc[i]) / (1.0 - g->e[i]));
    }
    l->remaining = T;
    l->chatter = (struct accumulation_limit){.period = 0,
                                             .ratio = e,
                                             .depth = 1,
                                             .evidence = LIMIT_BELOW_ROUNDING,
                                             .remaining = T,
                                             .error = 1.0};
    return any;
}

static int
rounding(struct simulation *s, uint32_t c)
{
    struct group *g = &work_of(s)->g;
    struct forecast_limit l;
    bool there;
    double window = CHATTER_AHEAD * s->ct[c].fl.f[0];
    gather(s, c, window, g);
    if (!points(s, g, window) || !lost(s, g, &l))
        return IMP_OK;
    struct saved_state here = saved_state_take(s->a->rt);
    /* what comes back in as short a time is rounding again */
    for (uint32_t k = 0; k < s->n_contacts; k++)
        s->ct[k].fl.lost |= g->contact[k];
    return arrive(s, g, &l, c, l.remaining, &here, &there);
}

/* For how long the parabola is the motion to the rounding of gaps: |K| t^3/6, K
 * the rates at which accelerations change, of their own and with what impulses
 * turn. */
static double
window_of(const struct simulation *s, const struct group *g)
{
    const struct rt *r = s->a->rt;
    double spin = 0.0, acc = 0.0, jerk = 0.0, place = INFINITY;
    uint32_t d = r->im->dim;
    for (uint32_t b = 0; b < r->im->bodies.n; b++)
        if (g->body[b])
            spin = fmax(
                spin, d == 2
                          ? fabs(r->env[rt_body(r, b)->env_state + 5])
                          : vec3_norm(r->env + rt_body(r, b)->env_state + 10));
    for (int i = 0; i < g->n; i++) {
        acc = fmax(acc, fabs(g->point[i].free));
        jerk = fmax(jerk, fabs(g->point[i].jerk));
        place = fmin(place, g->place[i]);
    }
    double K = jerk + CHATTER_TURNS * spin * acc;
    return K > 0.0 ? cbrt(6.0 * CHATTER_BLUR * DBL_EPSILON * place / K)
                   : INFINITY;
}

/* which points are at rest at a limit, as a number to compare */
static uint64_t
signature(const struct group *g, const struct forecast_limit *l)
{
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < g->n; i++)
        if (l->closed[i]) {
            h = (h ^ g->spot[i].contact) * 1099511628211u;
            h = (h ^ g->spot[i].face) * 1099511628211u;
            h = (h ^ g->spot[i].vertex) * 1099511628211u;
        }
    return h;
}

/* Is the limit known? To rounding of the time, or as far as rounding of the
 * gaps lets it come; or the parabola is the motion until then, and further
 * impacts do not make it better known. */
static bool
known(struct flight_history *f, const struct group *g,
      const struct forecast_limit *l, double now, double window)
{
    double most = 0.0, least = INFINITY, was = f->meet, before = f->off;
    uint64_t mark = signature(g, l);
    bool same = mark == f->group;
    for (int i = 0; i < g->n; i++)
        if (l->group[i]) {
            most = fmax(most, g->place[i]);
            if (g->point[i].rate != 0.0)
                least = fmin(least, fabs(g->point[i].rate));
        }
    double low = DBL_EPSILON * CHATTER_NOISE * most / least;
    f->meet = now + l->remaining;
    f->group = mark;
    f->off = same ? fabs(f->meet - was) : INFINITY;
    if (f->off <= 4.0 * DBL_EPSILON * fabs(f->meet) ||
        (before <= f->off && f->off <= low))
        return true;
    return l->remaining <= window &&
           (f->off >= before || l->remaining <= CHATTER_SURE * window);
}

/* goes to the limit; false: there is something else on the way */
static int
take(struct simulation *s, struct group *g, struct forecast_limit *l,
     uint32_t c, double error, bool *there)
{
    double meet = rt_time(s->a->rt) + l->remaining;
    struct saved_state here = saved_state_take(s->a->rt);
    *there = false;
    if (meet > s->target)
        return IMP_OK;
    int st = travel(s, g, meet, there);
    return st || !*there ? st : arrive(s, g, l, c, error, &here, there);
}

/* the limit that the tangent parabolas lead to */
static int
limit(struct simulation *s, uint32_t c)
{
    struct rt *r = s->a->rt;
    struct flight_history *f = &s->ct[c].fl;
    bool enough, there = false;
    double shrunk = shrinks(s, c, &enough), now = rt_time(r);
    if (!(shrunk > 0.0) ||
        !(r->env[rt_contact(r, c)->env_contact + IMP_CONTACT_E] < 1.0)) {
        f->meet = -INFINITY;
        f->group = 0;
        return IMP_OK;
    }
    struct group *g = &work_of(s)->g;
    gather(s, c, shrunk, g);
    if (!points(s, g, CHATTER_AHEAD * shrunk))
        return IMP_OK;
    struct forecast_limit *l = NEW_N(r->brief, struct forecast_limit, 2);
    struct forecast_question ask = {.n = g->n,
                                    .p = g->point,
                                    .G = g->G,
                                    .e = g->e,
                                    .place = g->place,
                                    .policy = simultaneous_policy(s->a) ==
                                                      BALLISTIC_SEQUENTIAL
                                                  ? BALLISTIC_SEQUENTIAL
                                                  : BALLISTIC_COMPLEMENTARITY,
                                    .ahead = CHATTER_AHEAD * shrunk,
                                    .window = window_of(s, g)};
    if (f->wait > 0 && f->f[0] > CHATTER_AGAIN * f->looked) {
        f->wait--;
        return IMP_OK;
    }
    f->looked = f->f[0];
    if (!accumulation_forecast(r, &s->work->lines, &ask, &l[0], &l[1])) {
        /* far from one: looked for more seldom */
        f->pause = f->pause < CHATTER_PAUSE ? 2 * f->pause + 1 : f->pause;
        f->wait = f->pause;
        return IMP_OK;
    }
    f->pause = 0;
    double T = l[0].remaining, blur = fmin(1.0, T / ask.window);
    int st = IMP_OK;
    if (T > 0.0 && known(f, g, &l[0], now, ask.window) && enough)
        st = take(s, g, &l[0], c,
                  (isfinite(f->off) ? f->off : T * blur) +
                      l[0].chatter.error * T,
                  &there);
    if (!st && !there && l[1].remaining > 0.0 && enough)
        st = take(s, g, &l[1], c, l[1].remaining, &there);
    return st;
}

int
simulate_accumulation(struct simulation *s, uint32_t c)
{
    int st = limit(s, c);
    if (st)
        return st;
    if (tiny(s, c))
        return rounding(s, c);
    s->ct[c].fl.lost = false;
    return IMP_OK;
}
