/* SPDX-License-Identifier: MIT */
/* Polytopes over planes (vertex_plane.h): which contacts these are, their
 * flights (vertex_plane_search.c) and impacts. Contacts of other kinds are
 * passed over while balls around their bodies stay apart. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/events/event_priv.h"
#include "runtime/events/vertex_plane_priv.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/compensated.h"
#include "runtime/motion/motion.h"

/* a rate below this share of the speeds needs a closer look */
#define VERTEX_PLANE_SLOW 1e-6
/* I1: energy of one impact against its law, relative */
#define VERTEX_PLANE_CONSERVES 1e-12

struct vertex_planes {
    struct rt *r;
    uint32_t n;
    struct vertex_plane *plane;
    struct vertex_plane_course *course;
    bool *other; /* per contact: of another kind */
};
/* -- set-up -----------------------------------------------------------------
 */

/* rows of n entries of the state; false if one is missing */
static bool
find_rows(const struct rt *r, uint32_t block, uint32_t first, uint32_t n,
          uint32_t *out)
{
    const imp_block *bl = IMP_ARRAY(r->im, r->im->blocks, imp_block) + block;
    const uint32_t *state = IMP_ARRAY(r->im, bl->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(r->im, bl->rows, uint32_t);
    uint32_t found = 0;
    for (uint32_t i = 0; i < bl->state.n; i++)
        if (state[i] >= first && state[i] < first + n) {
            out[state[i] - first] = rows[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
            found++;
        }
    return found == n;
}

/* all of the motion of a body */
static bool
find_motion(const struct rt *r, struct vertex_plane *p)
{
    const imp_body *b = rt_body(r, p->body);
    uint32_t s = b->env_state;
    p->block = b->block;
    if (b->block == IMP_NO_BLOCK || b->block >= r->im->blocks.n)
        return false;
    if (p->flat)
        return find_rows(r, b->block, s, 2, p->place) &&
               find_rows(r, b->block, s + 2, 1, p->turn) &&
               find_rows(r, b->block, s + 5, 1, p->spin);
    return find_rows(r, b->block, s, 3, p->place) &&
           find_rows(r, b->block, s + 3, 4, p->turn) &&
           find_rows(r, b->block, s + 10, 3, p->spin);
}

static void
take_vertices(struct rt *r, const struct polytope *t, struct vertex_plane *p)
{
    p->n_vertex = t->n_vertex;
    p->n_eight = (t->n_vertex + EIGHT - 1) / EIGHT;
    p->eight = NEW_N(r->arena, struct vertex_eight, p->n_eight);
    for (uint32_t i = 0; i < p->n_eight * EIGHT; i++) {
        uint32_t v = i < t->n_vertex ? i : t->n_vertex - 1;
        struct vertex_eight *e = &p->eight[i / EIGHT];
        for (int k = 0; k < 3; k++)
            e->x[k][i % EIGHT] = t->vertex[v][k];
        e->far[i % EIGHT] = vec3_norm(t->vertex[v]);
        p->radius = fmax(p->radius, e->far[i % EIGHT]);
    }
}

/* a polytope that moves freely over a half-space that is fixed or driven, with
 * 0 < e <= 1 and no friction */
static bool
take(struct rt *r, uint32_t c, struct vertex_plane *p)
{
    const imp_contact *k = rt_contact(r, c);
    const double *env = r->env + k->env_contact;
    memset(p, 0, sizeof *p);
    if (k->system != IMP_NO_SYSTEM || !(k->flags & IMP_CONTACTF_CORNERS) ||
        polytope_contact_is_smooth(r, k))
        return false;
    int flat = r->polytope[k->body[0]]->n_vertex == 0 ? 0 : 1;
    const imp_body *f = rt_body(r, k->body[flat]),
                   *b = rt_body(r, k->body[1 - flat]);
    const struct polytope *t = r->polytope[k->body[1 - flat]];
    struct support_body w;
    p->contact = c;
    p->flat = r->im->dim == 2;
    p->body = k->body[1 - flat];
    p->e = env[IMP_CONTACT_E];
    if (r->polytope[k->body[flat]]->n_vertex != 0 || t->n_vertex == 0 ||
        !(f->flags & IMP_BODYF_FIXED) || (b->flags & IMP_BODYF_FIXED) ||
        (b->flags & IMP_BODYF_PRESCRIBED) ||
        ((f->flags | b->flags) & IMP_BODYF_GTIME) ||
        !(p->e > 0.0 && p->e <= 1.0) || env[IMP_CONTACT_MU] != 0.0 ||
        !find_motion(r, p))
        return false;
    const struct polytope_face *face = r->polytope[k->body[flat]]->face;
    p->driven = f->flags & IMP_BODYF_PRESCRIBED;
    p->floor = k->body[flat];
    p->side = (uint32_t)flat;
    memcpy(p->own_n, face->n, sizeof p->own_n);
    p->own_d = face->d;
    support_body_get(r, p->floor, &w);
    support_rotate(&w, face->n, p->n);
    p->d = face->d + vec3_dot(p->n, w.c);
    p->length = gap_length(r, c);
    take_vertices(r, t, p);
    return true;
}

struct vertex_planes *
vertex_planes_new(struct rt *r)
{
    const imp_image *im = r->im;
    if (im->joints.n || im->systems.n || r->joints)
        return NULL;
    struct vertex_planes *p = NEW(r->arena, struct vertex_planes);
    p->r = r;
    p->plane = NEW_N(r->arena, struct vertex_plane, im->contacts.n + 1);
    p->other = NEW_N(r->arena, bool, im->contacts.n + 1);
    p->course = NEW_N(r->arena, struct vertex_plane_course, im->contacts.n + 1);
    for (uint32_t c = 0; c < im->contacts.n; c++) {
        p->other[c] = !take(r, c, &p->plane[p->n]);
        p->n += !p->other[c];
    }
    return p->n ? p : NULL;
}

/* -- impact -----------------------------------------------------------------
 */

/* a times x for a symmetric matrix xx yy zz xy xz yz */
static void
apply(const double *a, const double *x, double *y)
{
    y[0] = a[0] * x[0] + a[3] * x[1] + a[4] * x[2];
    y[1] = a[3] * x[0] + a[1] * x[1] + a[5] * x[2];
    y[2] = a[4] * x[0] + a[5] * x[1] + a[2] * x[2];
}

/* normal of the plane now, and its velocity along it where it meets point x of
 * the body (body axes) */
static double
plane_now(struct rt *r, const struct vertex_plane *p, const double *x,
          double *n)
{
    struct support_body f, b;
    double w[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0}, at[3], turn[3];
    memcpy(n, p->n, sizeof p->n);
    if (!p->driven)
        return 0.0;
    support_body_get(r, p->floor, &f);
    support_body_get(r, p->body, &b);
    support_rotate(&f, p->own_n, n);
    support_rotate(&b, x, at);
    const double *s = r->env + f.b->env_state;
    for (int i = 0; i < 3; i++)
        at[i] += b.c[i] - f.c[i];
    memcpy(v, s + (p->flat ? 3 : 7), sizeof *v * (p->flat ? 2 : 3));
    if (p->flat)
        w[2] = s[5];
    else
        support_rotate(&f, s + 10, w);
    vertex_plane_cross(w, at, turn);
    return vertex_plane_dot(n, v) + vertex_plane_dot(n, turn);
}

/* the impulse (1 + e) |u|/W at a vertex that is on the plane now, u its normal
 * velocity against the plane, W = 1/m + (r x g).I^-1 (r x g); false where it is
 * not plain */
static bool
impact(struct rt *r, const struct vertex_plane *p, uint32_t vertex,
       struct vertex_plane_touch *t)
{
    const imp_body *b = rt_body(r, p->body);
    const double *k = r->env + b->env_body, *s = r->env + b->env_state;
    const double *v = s + (p->flat ? 3 : 7);
    double w[3] = {0.0, 0.0, 0.0}, n[3], g[3], rn[3], m[3], Iw[3];
    double x[3], nv = 0.0, vv = 0.0;
    int d = p->flat ? 2 : 3;
    for (int i = 0; i < 3; i++)
        x[i] = p->eight[vertex / EIGHT].x[i][vertex % EIGHT];
    double floor = plane_now(r, p, x, n);
    vertex_plane_turn_back(p->flat, s + (p->flat ? 2 : 3), n, g);
    vertex_plane_cross(x, g, rn);
    if (p->flat) {
        w[2] = s[5];
        m[0] = m[1] = 0.0;
        m[2] = k[IMP_BODY_INVINERTIA] * rn[2];
    } else {
        memcpy(w, s + 10, sizeof w);
        apply(k + IMP_BODY_INVINERTIA, rn, m);
    }
    for (int i = 0; i < d; i++) {
        nv += n[i] * v[i];
        vv += v[i] * v[i];
    }
    double W = k[IMP_BODY_INVMASS] + vertex_plane_dot(rn, m);
    double own = nv + vertex_plane_dot(rn, w), u = own - floor;
    if (!(u < -VERTEX_PLANE_SLOW *
                  (sqrt(vv) + vec3_norm(w) * p->radius + fabs(floor))))
        return false;
    double P = -(1.0 + p->e) * u / W;
    t->contact = p->contact;
    t->body = p->body;
    t->impulse = P;
    /* twice the change of energy: from the motion, and as work of P */
    double I[6] = {0.0, 0.0, k[IMP_BODY_INERTIA]}, sum[3], got = 0.0;
    for (int i = 0; i < 3; i++) {
        t->dv[i] = P * k[IMP_BODY_INVMASS] * n[i];
        t->dw[i] = P * m[i];
        sum[i] = 2.0 * w[i] + t->dw[i];
        got +=
            i < d ? k[IMP_BODY_MASS] * t->dv[i] * (2.0 * v[i] + t->dv[i]) : 0.0;
    }
    if (!p->flat)
        memcpy(I, k + IMP_BODY_INERTIA, sizeof I);
    apply(I, sum, Iw);
    got += vertex_plane_dot(t->dw, Iw);
    apply(I, w, Iw);
    double all = k[IMP_BODY_MASS] * vv + vertex_plane_dot(w, Iw) + P * P * W;
    return fabs(got - P * (2.0 * own + P * W)) <= VERTEX_PLANE_CONSERVES * all;
}

void
vertex_planes_impact(struct vertex_planes *p,
                     const struct vertex_plane_touch *t)
{
    struct rt *r = p->r;
    uint32_t first = rt_body(r, t->body)->env_state, d = r->im->dim;
    double *s = r->env + first, *lo = r->state_lo + first - r->im->layout.state;
    uint32_t v = d == 2 ? 3 : 7, w = d == 2 ? 5 : 10;
    for (uint32_t i = 0; i < d; i++)
        state_add(&s[v + i], &lo[v + i], t->dv[i]);
    if (d == 2)
        state_add(&s[w], &lo[w], t->dw[2]);
    for (uint32_t i = 0; i < 3 && d == 3; i++)
        state_add(&s[w + i], &lo[w + i], t->dw[i]);
}

/* -- flight -----------------------------------------------------------------
 */

/* contacts of other kinds: *h is lowered to what is sure to be free of them */
static bool
others_far(const struct vertex_planes *p, const enum event_watch *watch,
           double *h)
{
    for (uint32_t c = 0; c < p->r->im->contacts.n; c++) {
        if (watch[c] == WATCH_OPEN)
            return false;
        if (watch[c] == WATCH_OFF || !p->other[c])
            continue;
        double t = advancement_apart(p->r, c, *h, *h);
        if (!(t > 0.0))
            return false;
        *h = fmin(*h, t);
    }
    return true;
}

/* the first touch within *h, which is lowered to its time, or to what is known;
 * *best: which plane, p->n if none */
static enum found
first_touch(struct vertex_planes *p, const enum event_watch *watch, double *h,
            uint32_t *best, uint32_t *vertex)
{
    *best = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        struct vertex_plane_course *o = &p->course[i];
        enum event_watch w = watch[p->plane[i].contact];
        struct first_vertex f;
        double before = *h;
        if (w == WATCH_OFF)
            continue;
        if (!vertex_plane_begin(p->r, &p->plane[i], h, o))
            return FOUND_UNCLEAR;
        enum found what = vertex_plane_search(o, w == WATCH_LEAVE, h, &f);
        if (what == FOUND_UNCLEAR)
            return what;
        if (*h < before)
            *best = p->n;
        if (what == FOUND_ROOT) {
            *best = i;
            *vertex = f.i;
        }
    }
    for (uint32_t i = 0; i < p->n && *best < p->n; i++)
        if (i != *best && watch[p->plane[i].contact] != WATCH_OFF &&
            !vertex_plane_clear_at(&p->course[i], *h))
            return FOUND_UNCLEAR;
    return *best < p->n ? FOUND_ROOT : FOUND_NONE;
}

int
vertex_planes_next(struct vertex_planes *p, const enum event_watch *watch,
                   double until, enum vertex_plane_end *end,
                   struct vertex_plane_touch *out)
{
    struct rt *r = p->r;
    *end = VERTEX_PLANE_UNCLEAR;
    for (;;) {
        double t0 = rt_time(r), h;
        uint32_t best, vertex = 0;
        if (rt_stopped(r))
            return IMP_STOPPED;
        if (t0 >= until) {
            *end = VERTEX_PLANE_UNTIL;
            return IMP_OK;
        }
        int st = motion_series_all(r, VERTEX_PLANE_ORDER, &h);
        if (st != IMP_OK)
            return st;
        double left = until - t0;
        h = fmin(h, left);
        if (!others_far(p, watch, &h))
            return IMP_OK;
        enum found what = first_touch(p, watch, &h, &best, &vertex);
        double t1 = what == FOUND_NONE && h == left ? until : t0 + h;
        if (what == FOUND_UNCLEAR || (t1 == t0 && what == FOUND_NONE))
            return IMP_OK;
        motion_advance_by(r, VERTEX_PLANE_ORDER, h, t1);
        if (what == FOUND_NONE)
            continue;
        if (impact(r, &p->plane[best], vertex, out))
            *end = VERTEX_PLANE_TOUCH;
        return IMP_OK;
    }
}
