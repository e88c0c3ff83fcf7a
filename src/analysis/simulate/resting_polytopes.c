/* SPDX-License-Identifier: MIT */
/* Polytopes over planes, and over faces on which they have come down, e < 1,
 * within `simulate`: the search looks at every vertex by its own gap
 * (runtime/motion/persistent.h), so nothing is taken together that is
 * not closed to rounding. Impacts from a height that is large against the
 * tolerance of a gap are those of event.c, where contacts that close within
 * it are one impact; below, a vertex is hit alone, or with those that are
 * closed to rounding, while the points that are held keep closed as far as that
 * takes a push: Newton's law as a complementarity problem, whose motion is
 * unique. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/simulate/simulate_priv.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/numerics/lcp.h"
#include "runtime/numerics/vec3.h"

/* impacts from heights of more tolerances than this are taken by the general
 * rules: there what closes within one of them is a share of 10^-2 of a flight
 */
#define OVER_HIGH 16384.0
/* rounds of `sequential` */
#define OVER_ROUNDS 1000

void
resting_polytopes_start(struct simulation *s)
{
    struct rt *r = s->a->rt;
    uint32_t n = s->n_contacts;
    s->over = NEW_N(r->arena, struct released_vertices, n + 1);
    s->is_over = NEW_N(r->arena, bool, n + 1);
    for (uint32_t c = 0; c < n; c++) {
        const imp_contact *k = rt_contact(r, c);
        struct released_vertices *o = &s->over[s->n_over];
        double e = r->env[k->env_contact + IMP_CONTACT_E];
        bool body = k->system == IMP_NO_SYSTEM;
        if (!body || s->ct[c].through || s->ct[c].overlap ||
            !(e >= 0.0 && e < 1.0) || !contact_set_plane(r, c, &o->base))
            continue;
        for (int i = 0; i < 2; i++)
            body &= !(rt_body(r, k->body[i])->flags & IMP_BODYF_GTIME);
        s->is_over[c] = body;
        s->n_over += body;
    }
}

void
resting_polytopes_enter(struct simulation *s, uint32_t c)
{
    struct rt *r = s->a->rt;
    const imp_contact *k = rt_contact(r, c);
    struct contact_point base;
    double tol, rate, e = r->env[k->env_contact + IMP_CONTACT_E];
    if (!s->is_over || s->is_over[c] || s->ct[c].through || s->ct[c].overlap ||
        !(e >= 0.0 && e < 1.0))
        return;
    for (int i = 0; i < 2; i++)
        if (rt_body(r, k->body[i])->flags & IMP_BODYF_GTIME)
            return;
    gap_tolerances(r, c, &tol, &rate);
    if (!contact_set_face(r, c, 2.0 * tol, &base))
        return;
    s->over[s->n_over++] =
        (struct released_vertices){.base = base, .time = -INFINITY};
    s->is_over[c] = true;
}

/* a vertex comes down beside the face */
int
resting_polytopes_beside(struct simulation *s, uint32_t c)
{
    struct closest_points cl;
    double tol, rate;
    resting_polytopes_drop(s, c);
    gap_tolerances(s->a->rt, c, &tol, &rate);
    bool near =
        closest_points_find(s->a->rt, c, &cl, false) || cl.gap <= 2.0 * tol;
    s->ct[c].watch = near ? WATCH_LEAVE : WATCH_CLOSE;
    return IMP_OK;
}

void
resting_polytopes_drop(struct simulation *s, uint32_t c)
{
    if (!s->is_over || !s->is_over[c])
        return;
    uint32_t m = 0;
    for (uint32_t i = 0; i < s->n_over; i++)
        if (s->over[i].base.contact != c)
            s->over[m++] = s->over[i];
    s->n_over = m;
    s->is_over[c] = false;
}

static void
mark(struct simulation *s, const struct contact_point *p, bool still)
{
    double now = rt_time(s->a->rt);
    for (uint32_t i = 0; i < s->n_over; i++) {
        struct released_vertices *o = &s->over[i];
        if (o->base.contact != p->contact)
            continue;
        if (o->time != now)
            o->n = 0;
        o->time = now;
        int k = 0;
        while (k < o->n && o->vertex[k] != p->vertex)
            k++;
        if (k == RELEASED_MOST)
            return;
        o->n = k == o->n ? k + 1 : o->n;
        o->vertex[k] = p->vertex;
        o->still[k] = still;
    }
}

void
resting_polytopes_ask_again(struct simulation *s, const bool *block)
{
    for (uint32_t i = 0; i < s->n_over; i++) {
        struct released_vertices *o = &s->over[i];
        int n = 0;
        if (!persistent_marked(s->a->rt, o->base.contact, block))
            continue;
        for (int k = 0; k < o->n; k++)
            if (!o->still[k])
                o->vertex[n++] = o->vertex[k];
        memset(o->still, 0, sizeof o->still);
        o->n = n;
    }
}

void
resting_polytopes_let_go(struct simulation *s, const struct contact_point *all,
                         int n_all, const struct contact_point *still, int n)
{
    struct rt *r = s->a->rt;
    for (int i = 0; i < n_all && s->n_over; i++) {
        bool held = false, rests = false, on;
        for (int k = 0; k < persistent_count(r); k++)
            held |= !memcmp(persistent_point(r, k, &on, NULL), &all[i],
                            sizeof *all);
        for (int k = 0; k < n; k++)
            rests |= !memcmp(&still[k], &all[i], sizeof *all);
        if (!held && rests && all[i].kind == POINT_VERTEX)
            mark(s, &all[i], true);
    }
}

int
resting_polytopes_points(struct simulation *s, bool *block, bool still,
                         struct point_list *list)
{
    struct rt *r = s->a->rt;
    struct contact_point spot[CONTACT_POINTS_MOST + 1];
    bool *seen = NEW_N(r->brief, bool, s->n_over + 1);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->n_over; i++) {
            const struct contact_point *base = &s->over[i].base;
            if (seen[i] || !persistent_marked(r, base->contact, block))
                continue;
            seen[i] = true;
            int n = contact_set_closed(r, base, still, spot,
                                       CONTACT_POINTS_MOST + 1);
            if (n < 0 && !still)
                return IMP_FAILED;
            for (int k = 0; k < n; k++)
                point_list_add(s, list, &spot[k]);
            more |= n > 0 && persistent_mark(r, base->contact, block);
        }
    }
    return IMP_OK;
}

/* -- one impact --------------------------------------------------------------
 */

struct blow {
    int n, n_hit; /* points; the first n_hit come down, the others are held */
    struct contact_point spot[CONTACT_POINTS_MOST];
    struct contact_point_state point[CONTACT_POINTS_MOST];
    double e[CONTACT_POINTS_MOST], P[CONTACT_POINTS_MOST],
        after[CONTACT_POINTS_MOST];
    double rest[CONTACT_POINTS_MOST]; /* a rate up to this is none */
    double *G;
};

/* what comes down now, c's vertex first, and all that is held, of the bodies
 * that are connected to c's; more than CONTACT_POINTS_MOST: b->n is 0 */
static int
gather(struct simulation *s, uint32_t c, uint32_t vertex, struct blow *b)
{
    struct rt *r = s->a->rt;
    struct point_list list = {0};
    bool *block = NEW_N(r->brief, bool, r->im->blocks.n + 1), on;
    for (uint32_t i = 0; i < s->n_over; i++)
        if (s->over[i].base.contact == c) {
            struct contact_point at = s->over[i].base;
            at.vertex = vertex;
            point_list_add(s, &list, &at);
        }
    persistent_mark(r, c, block);
    if (resting_polytopes_points(s, block, false, &list))
        return IMP_FAILED;
    int hit = list.n;
    for (int k = 0; k < persistent_count(r); k++) {
        const struct contact_point *p = persistent_point(r, k, &on, NULL);
        if (persistent_marked(r, p->contact, block))
            point_list_add(s, &list, p);
    }
    if (list.n > CONTACT_POINTS_MOST)
        return IMP_OK;
    b->n = list.n;
    memcpy(b->spot, list.spot, sizeof *list.spot * (size_t)list.n);
    b->n_hit = hit;
    b->G = NEW_N(r->brief, double, (size_t)b->n *(size_t)b->n + 1);
    int st = contact_point_states(r, b->spot, b->n, b->point, b->G);
    for (int i = 0; i < b->n && !st; i++) {
        uint32_t k = b->spot[i].contact;
        double gap;
        gap_rounding(r, k, &gap, &b->rest[i]);
        b->e[i] = r->env[rt_contact(r, k)->env_contact + IMP_CONTACT_E];
        if (i >= hit)
            b->point[i].rate = 0.0;
    }
    return st;
}

/* rates after impulses on those that are `in`: at once, none below -e times
 * that before, no impulse pulls. False: they jam */
static bool
at_once(struct rt *r, struct blow *b, const bool *in, double *rate)
{
    int n = b->n, m = 0, index[CONTACT_POINTS_MOST];
    double *M = NEW_N(r->brief, double, (size_t)n *(size_t)n + 1);
    double q[CONTACT_POINTS_MOST], z[CONTACT_POINTS_MOST];
    for (int i = 0; i < n; i++)
        if (in[i])
            index[m++] = i;
    for (int i = 0; i < m; i++) {
        double u = rate[index[i]];
        q[i] = u < 0.0 ? (1.0 + b->e[index[i]]) * u : u;
        for (int j = 0; j < m; j++)
            M[i * m + j] = b->G[index[i] * n + index[j]];
    }
    int st = lcp_solve(m, M, q, z, NEW_N(r->brief, double, lcp_room(m) + 1));
    if (st != 0 && st != 2)
        return false;
    for (int j = 0; j < m; j++) {
        b->P[index[j]] += z[j];
        for (int i = 0; i < n; i++)
            rate[i] += b->G[i * n + index[j]] * z[j];
    }
    return true;
}

static bool
solve(struct simulation *s, struct blow *b)
{
    struct rt *r = s->a->rt;
    bool in[CONTACT_POINTS_MOST];
    double *rate = b->after;
    memset(b->P, 0, sizeof b->P);
    for (int i = 0; i < b->n; i++)
        rate[i] = b->point[i].rate;
    bool each =
        simultaneous_policy(s->a) == BALLISTIC_SEQUENTIAL && b->n_hit > 1;
    for (int round = 0; round < OVER_ROUNDS; round++) {
        int first = -1;
        for (int i = 0; i < b->n; i++) {
            bool down = i < b->n_hit && rate[i] < -b->rest[i];
            if (down && first < 0)
                first = i;
            in[i] = each ? i >= b->n_hit || first == i : true;
            if (i >= b->n_hit && fabs(rate[i]) <= b->rest[i])
                rate[i] = 0.0;
        }
        if (first < 0)
            return true;
        if (!at_once(r, b, in, rate))
            return false;
        if (!each)
            return true;
    }
    return false;
}

/* events, and how each contact goes on */
static int
record(struct simulation *s, const struct blow *b)
{
    int st;
    for (uint32_t c = 0; c < s->n_contacts; c++) {
        double P = 0.0, most = 0.0;
        bool hit = false;
        for (int i = 0; i < b->n; i++) {
            most = fmax(most, b->P[i]);
            if (b->spot[i].contact == c) {
                P += b->P[i];
                hit |= i < b->n_hit;
            }
        }
        if (!hit && !(P > 1e-12 * most))
            continue;
        simulate_log_event(s, c, "impact",
                           hit ? touch_class_name[CLASS_MINUS] : "rest", P);
        s->ct[c].watch = WATCH_LEAVE;
        if (hit && (st = simulate_count_impact(s, c)))
            return st;
    }
    return IMP_OK;
}

/* the points that rest after an impact: which push? The others rise */
static int
after(struct simulation *s, const struct blow *b)
{
    struct contact_point stay[CONTACT_POINTS_MOST];
    int n = 0;
    bool *out = NEW_N(s->a->rt->brief, bool, s->n_contacts + 1), any = false;
    for (int i = 0; i < b->n; i++) {
        if (b->after[i] <= b->rest[i])
            stay[n++] = b->spot[i];
        else if (b->spot[i].kind == POINT_VERTEX)
            mark(s, &b->spot[i], false);
        any |= i >= b->n_hit || b->after[i] <= b->rest[i];
        out[b->spot[i].contact] = true;
    }
    return any ? simulate_persistent_choose(s, b->spot[0].contact, stay, n, out)
               : IMP_OK;
}

/* does it come down from higher than the tolerance of a gap lets one tell? */
static bool
high(struct simulation *s, const struct blow *b)
{
    struct rt *r = s->a->rt;
    double tol, rate, u = b->point[0].rate;
    double acc = fmax(vec3_norm(r->gravity), fabs(b->point[0].free));
    gap_tolerances(r, b->spot[0].contact, &tol, &rate);
    return u * u > 2.0 * acc * OVER_HIGH * tol;
}

int
simulate_vertex_impact(struct simulation *s, uint32_t c, uint32_t vertex)
{
    struct rt *r = s->a->rt;
    struct blow *b = NEW(r->brief, struct blow);
    struct event hit = {EVENT_CROSS, c, rt_time(r)};
    int st = gather(s, c, vertex, b);
    if (st)
        return st;
    bool down = false;
    for (int i = 0; i < b->n_hit; i++)
        down |= b->point[i].rate < -b->rest[i];
    if (b->n == 0 || high(s, b))
        return simulate_touches(s, &hit, &hit, 0);
    if ((st = simulate_row(s)))
        return st;
    if (!down)
        return simulate_persistent_choose(s, c, b->spot, b->n, NULL);
    if (!solve(s, b))
        return simulate_touches(s, &hit, &hit, 0);
    persistent_apply_impulses(r, b->P);
    s->row_fresh = false;
    if ((st = record(s, b)) || (st = simulate_row(s)) || (st = after(s, b)))
        return st;
    return simulate_accumulation(s, c);
}
