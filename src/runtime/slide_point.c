/* SPDX-License-Identifier: MIT */
/* One contact point along the motion: its gap and what opens it as series in
 * time. Surfaces: an implicit series of its own (imp_contact.opening). Vertices
 * and features: from the relative pose (corner_priv.h), in the axes of either
 * body; a force's direction goes to the world by the body's own rotation. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/closest.h"
#include "runtime/corner_priv.h"
#include "runtime/event.h"
#include "runtime/motion.h"
#include "runtime/multi_rt.h"
#include "runtime/slide_priv.h"

bool
slide_body_moves(const struct rt *r, uint32_t body)
{
    return body != IMP_WORLD && !(rt_body(r, body)->flags & IMP_BODYF_FIXED);
}

/* -- jets ------------------------------------------------------------------ */

/* out = A x, or A^T x */
static void
turn(int order, const struct jet A[9], bool back, const struct jet x[3],
     struct jet out[3])
{
    for (int i = 0; i < 3; i++) {
        struct jet row[3];
        for (int j = 0; j < 3; j++)
            row[j] = A[back ? 3 * j + i : 3 * i + j];
        jet_dot(order, row, x, &out[i]);
    }
}

static void
constant(int order, const double x[3], double sign, struct jet out[3])
{
    for (int i = 0; i < 3; i++)
        jet_const(order, sign * x[i], &out[i]);
}

/* body -> world from the rows of its block's motion */
static void
rotation(const struct rt *r, uint32_t body, int order, struct jet R[9])
{
    const imp_body *b = rt_body(r, body);
    const double *work = r->work[b->block];
    struct jet q[4], p[16];
    bool plane = r->im->dim == 2;
    for (int i = 0; i < 9; i++)
        jet_const(order, i % 4 == 0, &R[i]);
    for (int i = 0; i < (plane ? 2 : 4); i++)
        memcpy(q[i].c,
               work + (size_t)b->pose[(plane ? 2 : 3) + i] * IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               sizeof(double) * (size_t)(order + 1));
    if (plane) {
        R[0] = R[4] = q[0];
        R[3] = q[1];
        jet_scale(order, -1.0, &q[1], &R[1]);
        return;
    }
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            jet_mul(order, &q[i], &q[j], &p[4 * i + j]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        /* 1 - 2 (qj qj + qk qk) */
        jet_add(order, &p[5 * (j + 1)], &p[5 * (k + 1)], &R[4 * i]);
        jet_scale(order, -2.0, &R[4 * i], &R[4 * i]);
        R[4 * i].c[0] += 1.0;
        /* 2 (qi qj -+ q0 qk) */
        int lo = i < j ? i : j, hi = i < j ? j : i;
        struct jet *xy = &p[4 * (lo + 1) + hi + 1], *w = &p[k + 1];
        jet_sub(order, xy, w, &R[3 * i + j]);
        jet_scale(order, 2.0, &R[3 * i + j], &R[3 * i + j]);
        jet_add(order, xy, w, &R[3 * j + i]);
        jet_scale(order, 2.0, &R[3 * j + i], &R[3 * j + i]);
    }
}

/* a force along n at the point x of a body, both in its own axes about its mass
 * centre */
static void
open_by(const struct rt *r, uint32_t body, int order, const struct jet R[9],
        const struct jet n[3], const struct jet x[3], struct jet out[6])
{
    for (int i = 0; i < 6; i++)
        jet_const(order, 0.0, &out[i]);
    if (!slide_body_moves(r, body))
        return;
    turn(order, R, false, n, out);
    jet_cross(order, x, n, out + 3);
}

/* -- surfaces --------------------------------------------------------------
 */

static int
surface_row(struct rt *r, struct slide_row *row, int order)
{
    uint32_t c = row->spot.contact, d = r->im->dim;
    const imp_contact *k = rt_contact(r, c);
    const imp_tape *t = IMP_ARRAY(r->im, r->im->tapes, imp_tape) + k->opening;
    const double *rows[2] = {NULL, NULL};
    struct closest cl;
    int st = closest_points(r, c, &cl, true);
    if (st)
        return st;
    for (int i = 0; i < 2; i++)
        if (slide_body_moves(r, k->body[i]))
            rows[i] = r->work[rt_body(r, k->body[i])->block];
    double *work = r->opening_work[c];
    if (!work)
        work = r->opening_work[c] =
            NEW_N(r->own, double, ((size_t)t->n_rows + 1) * IMP_ROW_STRIDE);
    st = rt_series(r, k->opening, r->contact_u + 8 * (size_t)c, rows, work,
                   order);
    if (st)
        return st;
    const uint32_t *outs = IMP_ARRAY(r->im, t->outs, uint32_t);
    const imp_instr *code = IMP_ARRAY(r->im, t->code, imp_instr);
    size_t bytes = sizeof(double) * (size_t)(order + 1), n = 0;
    for (int i = 0; i < 12; i++)
        jet_const(order, 0.0, &row->open[i / 6][i % 6]);
    for (int i = -1; i < (int)(d == 2 ? 6 : 12); i++, n++) {
        int per = d == 2 ? 3 : 6, s = i < 0 ? 0 : i / per, e = i % per;
        struct jet *to = i < 0              ? &row->gap
                         : d == 2 && e == 2 ? &row->open[s][5]
                                            : &row->open[s][e];
        memcpy(to->c,
               work + (size_t)code[outs[n]].row * IMP_ROW_STRIDE + IMP_ROW_PAD,
               bytes);
    }
    return IMP_OK;
}

/* -- polytopes -------------------------------------------------------------
 */

/* the vertices' frame against that of the face: y (axes of the face's body),
 * and the normal in the axes of the vertex's body */
struct over {
    int order;
    struct jet c[3], R[9];
    double holds;
};

static int
over_get(struct rt *r, const struct slide_spot *at, int order, struct over *o)
{
    o->order = order;
    return corner_pose(r, at->contact, order, o->c, o->R, &o->holds);
}

/* the poses that the rows of one contact share, of one series */
struct slide_poses {
    uint32_t contact;
    struct over over;
    struct jet R[2][9]; /* body -> world */
};

/* vertex x of the other body in the axes of the face's body */
static void
over_point(const struct over *o, int face_of, const double x[3],
           struct jet y[3])
{
    struct jet v[3], w[3];
    constant(o->order, x, 1.0, v);
    if (face_of == 0) {
        turn(o->order, o->R, false, v, y);
        for (int i = 0; i < 3; i++)
            jet_add(o->order, &y[i], &o->c[i], &y[i]);
        return;
    }
    for (int i = 0; i < 3; i++)
        jet_sub(o->order, &v[i], &o->c[i], &w[i]);
    turn(o->order, o->R, true, w, y);
}

static const struct poly_face *
face_of(const struct rt *r, const struct slide_spot *at,
        const struct polytope **other)
{
    const imp_contact *k = rt_contact(r, at->contact);
    *other = r->polytope[k->body[1 - at->face_of]];
    return r->polytope[k->body[at->face_of]]->face + at->face;
}

/* fills s->poses for this row's contact */
static int
poses(struct rt *r, struct slide *s, const struct slide_spot *at, int order)
{
    const imp_contact *k = rt_contact(r, at->contact);
    if (!s->poses) {
        s->poses = NEW(r->own, struct slide_poses);
        s->poses->contact = UINT32_MAX;
    }
    struct slide_poses *p = s->poses;
    if (p->contact == at->contact)
        return IMP_OK;
    int st = over_get(r, at, order, &p->over);
    for (int i = 0; i < 2 && !st; i++)
        if (slide_body_moves(r, k->body[i]))
            rotation(r, k->body[i], order, p->R[i]);
    p->contact = st ? UINT32_MAX : at->contact;
    return st;
}

void
slide_poses_forget(struct slide *s)
{
    if (s->poses)
        s->poses->contact = UINT32_MAX;
}

static int
vertex_row(struct rt *r, struct slide *s, struct slide_row *row, int order)
{
    const struct slide_spot *at = &row->spot;
    const imp_contact *k = rt_contact(r, at->contact);
    const struct polytope *p;
    const struct poly_face *f = face_of(r, at, &p);
    int b = at->face_of;
    struct jet y[3], n[3], m[3], x[3];
    int st = poses(r, s, at, order);
    if (st)
        return st;
    const struct over *o = &s->poses->over;
    over_point(o, b, p->vertex[at->vertex], y);
    jet_dotc(order, y, f->n, &row->gap);
    row->gap.c[0] -= f->d;
    constant(order, f->n, 1.0, n);
    turn(order, o->R, b == 0, n, m);
    constant(order, p->vertex[at->vertex], 1.0, x);
    open_by(r, k->body[1 - b], order, s->poses->R[1 - b], m, x,
            row->open[1 - b]);
    constant(order, f->n, -1.0, n);
    open_by(r, k->body[b], order, s->poses->R[b], n, y, row->open[b]);
    return IMP_OK;
}

int
slide_vertices(struct rt *r, const struct slide_spot *on, int order,
               void (*each)(void *, uint32_t, const struct jet *), void *ctx,
               double *holds)
{
    const struct polytope *p;
    const struct poly_face *f = face_of(r, on, &p);
    struct over o;
    int st = over_get(r, on, order, &o);
    for (uint32_t v = 0; v < p->n_vertex && !st; v++) {
        struct jet y[3], gap;
        over_point(&o, on->face_of, p->vertex[v], y);
        jet_dotc(order, y, f->n, &gap);
        gap.c[0] -= f->d;
        each(ctx, v, &gap);
    }
    if (holds)
        *holds = o.holds;
    return st;
}

int
slide_sides(struct rt *r, const struct slide_spot *at, int order,
            struct jet *side, int most)
{
    const imp_contact *k = rt_contact(r, at->contact);
    const struct polytope *q = r->polytope[k->body[at->face_of]], *p;
    const struct poly_face *f = face_of(r, at, &p);
    struct over o;
    struct jet y[3];
    int n = 0;
    if (q->n_vertex == 0 || over_get(r, at, order, &o))
        return 0;
    over_point(&o, at->face_of, p->vertex[at->vertex], y);
    for (uint32_t i = 0; i < f->count && n < most; i++) {
        const double *a = q->vertex[q->loop[f->first + i]];
        const double *b = q->vertex[q->loop[f->first + (i + 1) % f->count]];
        double e[3], in[3], len = 0.0, base = 0.0;
        for (int j = 0; j < 3; j++)
            e[j] = b[j] - a[j];
        for (int j = 0; j < 3; j++) {
            int u = (j + 1) % 3, v = (j + 2) % 3;
            in[j] = r->im->dim == 2 ? e[j] : f->n[u] * e[v] - f->n[v] * e[u];
            len += in[j] * in[j];
        }
        len = sqrt(len);
        for (int j = 0; j < 3; j++) {
            in[j] /= len;
            base += in[j] * a[j];
        }
        jet_dotc(order, y, in, &side[n]);
        side[n++].c[0] -= base;
    }
    return n;
}

/* -- a smooth body on a polytope -------------------------------------------
 */

static int
smooth_row(struct rt *r, struct slide *sl, struct slide_row *row, int order)
{
    uint32_t c = row->spot.contact;
    const imp_contact *k = rt_contact(r, c);
    uint32_t s = k->smooth;
    struct corner near;
    struct jet p[3], N[3], n2, len, x[3], m[3], w[3];
    int st = corner_closest(r, c, &near, true);
    if (!st)
        st = corner_smooth_series(r, c, order, row->gap.c,
                                  order >= RT_ORDER ? &row->valid : NULL);
    if (!st)
        st = poses(r, sl, &row->spot, order);
    if (st)
        return st;
    const struct over *o = &sl->poses->over;
    corner_smooth_point(r, c, order, p, N);
    jet_dot(order, N, N, &n2);
    jet_sqrt(order, &n2, &len);
    for (int i = 0; i < 3; i++) {
        struct jet u;
        jet_div(order, &N[i], &len, &u);
        N[i] = u;
    }
    /* the polytope is pushed along the smooth body's outward normal */
    open_by(r, k->body[1 - s], order, sl->poses->R[1 - s], N, p,
            row->open[1 - s]);
    for (int i = 0; i < 3; i++)
        jet_scale(order, -1.0, &N[i], &N[i]);
    if (s == 1) { /* pose: x of 1 is at c + R x in the polytope's axes */
        for (int i = 0; i < 3; i++)
            jet_sub(order, &p[i], &o->c[i], &w[i]);
        turn(order, o->R, true, w, x);
        turn(order, o->R, true, N, m);
    } else {
        turn(order, o->R, false, p, x);
        for (int i = 0; i < 3; i++)
            jet_add(order, &x[i], &o->c[i], &x[i]);
        turn(order, o->R, false, N, m);
    }
    open_by(r, k->body[s], order, sl->poses->R[s], m, x, row->open[s]);
    return IMP_OK;
}

int
slide_row_series(struct rt *r, struct slide *s, struct slide_row *row,
                 int order)
{
    row->valid = INFINITY;
    switch (row->spot.kind) {
    case SLIDE_SURFACE:
        return surface_row(r, row, order);
    case SLIDE_SMOOTH:
        return smooth_row(r, s, row, order);
    default:
        return vertex_row(r, s, row, order);
    }
}

/* -- which points touch ----------------------------------------------------
 */

static bool
near_point(const double a[3], const double b[3], double tol)
{
    return fabs(a[0] - b[0]) <= tol && fabs(a[1] - b[1]) <= tol &&
           fabs(a[2] - b[2]) <= tol;
}

/* the vertex of body i of the contact at world point x; UINT32_MAX: none */
static uint32_t
vertex_at(const struct corner_scene *s, int i, const double x[3], double tol)
{
    const struct polytope *p = s->p[i];
    for (uint32_t v = 0; v < p->n_vertex; v++) {
        const double *at = i == 0 ? p->vertex[v] : s->point[v];
        if (near_point(at, x, tol))
            return v;
    }
    return UINT32_MAX;
}

/* the face of body i whose outward normal is n (axes of body 0) */
static uint32_t
face_along(const struct corner_scene *s, int i, const double n[3])
{
    for (uint32_t f = 0; f < s->p[i]->n_face; f++) {
        const double *m = s->p[i]->face[f].n;
        double w[3];
        for (int j = 0; j < 3; j++)
            w[j] = i == 0 ? m[j]
                          : s->R[3 * j] * m[0] + s->R[3 * j + 1] * m[1] +
                                s->R[3 * j + 2] * m[2];
        if (near_point(w, n, 1e-6))
            return f;
    }
    return UINT32_MAX;
}

/* world -> axes of body 0 */
static void
into_first(const struct rt *r, uint32_t body, const double x[3], bool point,
           double out[3])
{
    double R[9], d[3];
    const double *s = r->env + rt_body(r, body)->env_state;
    multi_rotation(r, body, R);
    for (uint32_t i = 0; i < 3; i++)
        d[i] = x[i] - (point && i < r->im->dim ? s[i] : 0.0);
    for (int i = 0; i < 3; i++)
        out[i] = R[i] * d[0] + R[3 + i] * d[1] + R[6 + i] * d[2];
}

static int
polytope_spots(struct rt *r, uint32_t contact, double tol,
               struct slide_spot *out, int most)
{
    const imp_contact *k = rt_contact(r, contact);
    struct corner_touch *t = NEW(r->brief, struct corner_touch);
    struct corner_scene s;
    double n[3], minus[3], x[3];
    if (corner_touch(r, contact, tol, t) || t->kind == CORNER_OPEN)
        return -1;
    corner_scene_get(r, contact, false, &s);
    into_first(r, k->body[0], t->n, false, n);
    for (int j = 0; j < 3; j++)
        minus[j] = -n[j];
    double room = fmax(1e-9 * s.size, 4.0 * tol);
    int count = 0;
    for (int i = 0; i < t->n_point && count < most; i++) {
        into_first(r, k->body[0], t->P[i], true, x);
        bool found = false;
        for (int b = 0; b < 2 && !found; b++) {
            /* normal of body 0 is n, of body 1 the other way */
            uint32_t f = face_along(&s, b, b == 0 ? n : minus);
            uint32_t v = f == UINT32_MAX ? f : vertex_at(&s, 1 - b, x, room);
            if (v == UINT32_MAX)
                continue;
            out[count++] = (struct slide_spot){contact, SLIDE_VERTEX, b, f, v};
            found = true;
        }
        if (!found)
            return -1;
    }
    return count;
}

int
slide_spots(struct rt *r, uint32_t contact, double tol, struct slide_spot *out,
            int most)
{
    const imp_contact *k = rt_contact(r, contact);
    struct closest cl;
    if (k->system != IMP_NO_SYSTEM || k->flags & IMP_CONTACTF_STATED)
        return -1;
    if (closest_points(r, contact, &cl, false))
        return -1;
    if (cl.gap > tol || most < 1)
        return 0;
    if (!(k->flags & IMP_CONTACTF_CORNERS)) {
        *out = (struct slide_spot){.contact = contact, .kind = SLIDE_SURFACE};
        return k->opening == IMP_NO_TAPE ? -1 : 1;
    }
    if (!corner_is_smooth(r, k))
        return polytope_spots(r, contact, tol, out, most);
    *out = (struct slide_spot){.contact = contact, .kind = SLIDE_SMOOTH};
    return 1;
}

/* -- which may come to touch soon -------------------------------------------
 */

struct above {
    struct slide_spot *out;
    struct slide_spot base;
    double reach;
    int n, most;
};

static void
one_above(void *ctx, uint32_t vertex, const struct jet *gap)
{
    struct above *a = ctx;
    if (gap->c[0] > a->reach || a->n >= a->most)
        return;
    a->out[a->n] = a->base;
    a->out[a->n++].vertex = vertex;
}

int
slide_near(struct rt *r, uint32_t contact, double tol, double reach,
           struct slide_spot *out, int most)
{
    const imp_contact *k = rt_contact(r, contact);
    struct closest cl;
    struct above a = {.out = out, .reach = reach, .most = most};
    double h;
    if (!(k->flags & IMP_CONTACTF_CORNERS) || corner_is_smooth(r, k)) {
        if (closest_points(r, contact, &cl, false))
            return -1;
        return cl.gap > reach ? 0 : slide_spots(r, contact, reach, out, most);
    }
    for (int b = 0; b < 2; b++)
        if (r->polytope[k->body[b]]->n_vertex == 0)
            a.base = (struct slide_spot){contact, SLIDE_VERTEX, b, 0, 0};
    if (r->polytope[k->body[0]]->n_vertex &&
        r->polytope[k->body[1]]->n_vertex) {
        int n = slide_spots(r, contact, tol, out, most);
        if (n < 1)
            return n;
        a.base = out[0];
    }
    if (motion_series_all(r, 1, &h) ||
        slide_vertices(r, &a.base, 0, one_above, &a, NULL))
        return -1;
    int n = 0; /* over the face, or over a plane */
    for (int i = 0; i < a.n; i++) {
        struct jet side[16];
        bool in = true;
        for (int j = slide_sides(r, &out[i], 0, side, 16); j-- > 0;)
            in = in && side[j].c[0] >= 0.0;
        if (in)
            out[n++] = out[i];
    }
    return n;
}

/* -- over a plane ------------------------------------------------------------
 */

bool
slide_plane(const struct rt *r, uint32_t contact, struct slide_spot *base)
{
    const imp_contact *k = rt_contact(r, contact);
    if (k->system != IMP_NO_SYSTEM || k->flags & IMP_CONTACTF_STATED ||
        !(k->flags & IMP_CONTACTF_CORNERS) || corner_is_smooth(r, k))
        return false;
    for (int b = 0; b < 2; b++)
        if (r->polytope[k->body[b]]->n_vertex == 0) {
            *base = (struct slide_spot){contact, SLIDE_VERTEX, b, 0, 0};
            return r->polytope[k->body[1 - b]]->n_vertex > 0;
        }
    return false;
}

struct closed {
    struct above a;
    double rate;
    bool still;
};

static void
one_closed(void *ctx, uint32_t vertex, const struct jet *gap)
{
    struct closed *d = ctx;
    if (d->still ? fabs(gap->c[1]) <= d->rate : gap->c[1] < -d->rate)
        one_above(&d->a, vertex, gap);
}

int
slide_closed(struct rt *r, const struct slide_spot *base, bool still,
             struct slide_spot *out, int most)
{
    struct closed d = {.a = {.out = out, .base = *base, .most = most},
                       .still = still};
    double h;
    event_rounding(r, base->contact, &d.a.reach, &d.rate);
    if (motion_series_all(r, 1, &h) ||
        slide_vertices(r, base, 1, one_closed, &d, NULL))
        return -1;
    return d.a.n;
}
