/* SPDX-License-Identifier: MIT */
/* Polytopes over planes (plane.h).
 *
 * The height of vertex i over the half-space n.x <= d is
 *     H_i = n.c - d + g.r_i,   g = R^T n,   H_i' = n.c' + (g x w).r_i
 * with mass centre c, attitude R, spin w in body axes: once n.c, g and g x w
 * are known at a time, a vertex costs three products. They are read off the
 * series of the motion itself; no series of a height is made.
 *
 * On a step [0, h] the second derivative of H_i is at most
 *     M_i = max |n.c''| + |r_i| (max |w|^2 + max |w'|),
 * from the sums of the absolute coefficients. So H_i cannot vanish within
 *     H_i + H_i' u - M_i u^2/2 > 0,
 * and the search goes from one such time to the next: it cannot pass over a
 * root of any multiplicity (I3). Where H'^2 > 4 M H and no other vertex can
 * come down as soon, there is one root within 1.2 H/|H'|, a simple one, and
 * Newton's method converges to it (Kantorovich: M H/H'^2 <= 1/4). What is
 * within PLANE_CLEAR tolerances of a plane without that is not clear.
 *
 * In the plane g = (n_x c + n_y s, n_y c - n_x s), and w has one entry. */
#include "runtime/plane.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/closest_priv.h"
#include "runtime/corner_priv.h"
#include "runtime/event_priv.h"
#include "runtime/fn.h"
#include "runtime/motion.h"
#include "runtime/state.h"

#define PLANE_ORDER IMP_ORDER_MAX
/* of the tolerances of a gap: what is nearer than this needs a closer look */
#define PLANE_CLEAR 64.0
/* a rate below this share of the speeds needs one, too */
#define PLANE_SLOW 1e-6
/* places looked at on one step */
#define PLANE_ROUNDS 64
/* I1: energy of one impact against its law, relative */
#define PLANE_CONSERVES 1e-12

struct plane {
    uint32_t contact, body, block;
    bool flat;      /* the model is of the plane */
    double n[3], d; /* world; the half-space is n.x <= d */
    double e, length;
    uint32_t n_vertex;
    double *x[3], *far; /* of the vertices: coordinates, |r| */
    double radius;      /* greatest of `far` */
    /* coefficients 0 in r->work[block]: mass centre; quaternion, or cosine and
     * sine; spin */
    uint32_t place[3], turn[4], spin[3];
};
struct planes {
    struct rt *r;
    uint32_t n;
    struct plane *plane;
    struct course *course;
    bool *other; /* per contact: of another kind */
};
/* one contact on one step */
struct course {
    const struct plane *p;
    const double *work;
    double z[PLANE_ORDER + 2]; /* n.c - d */
    int degree;                /* of it */
    double clear;              /* heights below need a closer look */
    double fall, turn;         /* M_i = fall + |r_i| turn */
};
/* at one time of the step */
struct view {
    double z, dz, g[3], dg[3];
};

/* -- set-up -----------------------------------------------------------------
 */

static uint32_t
row_of(const struct rt *r, const imp_block *bl, uint32_t env)
{
    const uint32_t *state = IMP_ARRAY(r->im, bl->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(r->im, bl->rows, uint32_t);
    for (uint32_t i = 0; i < bl->state.n; i++)
        if (state[i] == env)
            return rows[i];
    return IMP_NO_ROW;
}

/* rows of the motion of the body; false if one is missing */
static bool
find_rows(const struct rt *r, struct plane *p)
{
    const imp_body *b = rt_body(r, p->body);
    uint32_t d = r->im->dim, turns = d == 2 ? 2 : 4, spins = d == 2 ? 1 : 3;
    if (b->block == IMP_NO_BLOCK || b->block >= r->im->blocks.n)
        return false;
    const imp_block *bl = IMP_ARRAY(r->im, r->im->blocks, imp_block) + b->block;
    bool all = true;
    p->block = b->block;
    for (uint32_t i = 0; i < d; i++)
        p->place[i] = b->pose[i];
    for (uint32_t i = 0; i < turns; i++)
        p->turn[i] = b->pose[d + i];
    for (uint32_t i = 0; i < spins; i++)
        p->spin[i] = row_of(r, bl, b->env_state + (d == 2 ? 5 : 10) + i);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t *row[] = {i < d ? &p->place[i] : NULL,
                           i < turns ? &p->turn[i] : NULL,
                           i < spins ? &p->spin[i] : NULL};
        for (int k = 0; k < 3; k++) {
            if (row[k] == NULL)
                continue;
            all = all && *row[k] != IMP_NO_ROW;
            *row[k] = *row[k] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        }
    }
    return all;
}

static void
take_vertices(struct rt *r, const struct polytope *t, struct plane *p)
{
    p->n_vertex = t->n_vertex;
    for (int i = 0; i < 3; i++)
        p->x[i] = NEW_N(r->arena, double, t->n_vertex);
    p->far = NEW_N(r->arena, double, t->n_vertex);
    for (uint32_t v = 0; v < t->n_vertex; v++) {
        for (int i = 0; i < 3; i++)
            p->x[i][v] = t->vertex[v][i];
        p->far[v] = cl_norm(t->vertex[v]);
        p->radius = fmax(p->radius, p->far[v]);
    }
}

/* a polytope that moves freely over a half-space at rest, with 0 < e <= 1 and
 * no friction */
static bool
take(struct rt *r, uint32_t c, struct plane *p)
{
    const imp_contact *k = rt_contact(r, c);
    const double *env = r->env + k->env_contact;
    memset(p, 0, sizeof *p);
    if (k->system != IMP_NO_SYSTEM || !(k->flags & IMP_CONTACTF_CORNERS) ||
        corner_is_smooth(r, k))
        return false;
    int flat = r->polytope[k->body[0]]->n_vertex == 0 ? 0 : 1;
    const imp_body *f = rt_body(r, k->body[flat]),
                   *b = rt_body(r, k->body[1 - flat]);
    const struct polytope *t = r->polytope[k->body[1 - flat]];
    struct cl_body w;
    p->contact = c;
    p->flat = r->im->dim == 2;
    p->body = k->body[1 - flat];
    p->e = env[IMP_CONTACT_E];
    if (r->polytope[k->body[flat]]->n_vertex != 0 || t->n_vertex == 0 ||
        !(f->flags & IMP_BODYF_FIXED) || (b->flags & IMP_BODYF_FIXED) ||
        ((f->flags | b->flags) & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME)) ||
        !(p->e > 0.0 && p->e <= 1.0) || env[IMP_CONTACT_MU] != 0.0 ||
        !find_rows(r, p))
        return false;
    const struct poly_face *face = r->polytope[k->body[flat]]->face;
    cl_body_get(r, k->body[flat], &w);
    cl_turn(&w, face->n, p->n);
    p->d = face->d + cl_dot(p->n, w.c);
    p->length = event_length(r, c);
    take_vertices(r, t, p);
    return true;
}

struct planes *
planes_new(struct rt *r)
{
    const imp_image *im = r->im;
    if (im->joints.n || im->systems.n || r->hold)
        return NULL;
    struct planes *p = NEW(r->arena, struct planes);
    p->r = r;
    p->plane = NEW_N(r->arena, struct plane, im->contacts.n + 1);
    p->other = NEW_N(r->arena, bool, im->contacts.n + 1);
    p->course = NEW_N(r->arena, struct course, im->contacts.n + 1);
    for (uint32_t c = 0; c < im->contacts.n; c++) {
        p->other[c] = !take(r, c, &p->plane[p->n]);
        p->n += !p->other[c];
    }
    return p->n ? p : NULL;
}

/* -- series -----------------------------------------------------------------
 */

typedef double pair __attribute__((vector_size(16)));

static inline pair
two(const double *x)
{
    pair p;
    memcpy(&p, x, sizeof p);
    return p;
}

/* even and odd terms side by side; entry PLANE_ORDER + 1 of a row is 0 */
static inline double
row_at(const double *c, double s)
{
    double z = s * s;
    pair zz = {z, z}, v = two(c + PLANE_ORDER);
    for (int k = PLANE_ORDER - 2; k >= 0; k -= 2)
        v = v * zz + two(c + k);
    return v[0] + s * v[1];
}

/* sums of |c_k| s^k and of k |c_k| s^(k-1) */
static inline void
row_bounds(const double *c, double s, double *sum, double *slope)
{
    double a = fabs(c[PLANE_ORDER]), b = 0.0;
    for (int k = PLANE_ORDER - 1; k >= 0; k--) {
        b = b * s + a;
        a = a * s + fabs(c[k]);
    }
    *sum = a;
    *slope = b;
}

/* -- one step of one contact ------------------------------------------------
 */

static void
begin(struct rt *r, const struct plane *p, double h, struct course *o)
{
    const double *x = r->env + rt_body(r, p->body)->env_state;
    const double *low = r->state_lo + (x - r->env - r->im->layout.state);
    uint32_t d = r->im->dim, spins = d == 2 ? 1 : 3;
    double where = 0.0, rest = 0.0, most = 0.0, rate = 0.0;
    o->p = p;
    o->work = r->work[p->block];
    memset(o->z, 0, sizeof o->z);
    o->degree = 0;
    for (uint32_t i = 0; i < d; i++) {
        const double *row = o->work + p->place[i];
        where += x[i] * x[i];
        rest += p->n[i] * low[i];
        if (p->n[i] == 0.0)
            continue;
        for (int k = 0; k <= PLANE_ORDER; k++)
            o->z[k] += p->n[i] * row[k];
    }
    o->z[0] = o->z[0] - p->d + rest;
    for (int k = PLANE_ORDER; k > 0 && o->degree == 0; k--)
        o->degree = o->z[k] != 0.0 ? k : 0;
    double noise = 4.0 * DBL_EPSILON * (p->length + sqrt(where));
    o->clear = PLANE_CLEAR *
               fmax(RT_GAP_SHARE * r->tolerance * p->length, 8.0 * noise);
    o->fall = 0.0;
    for (int k = o->degree; k >= 2; k--)
        o->fall = o->fall * h + k * (k - 1) * fabs(o->z[k]);
    for (uint32_t i = 0; i < spins; i++) {
        double sum, slope;
        row_bounds(o->work + p->spin[i], h, &sum, &slope);
        most += sum * sum;
        rate += slope * slope;
    }
    o->turn = most + sqrt(rate);
}

static void
cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* R^T n for a unit quaternion */
static void
turned_back(const double *q, const double *n, double *g)
{
    double t[3], u[3];
    cross(q + 1, n, t);
    for (int i = 0; i < 3; i++)
        t[i] *= 2.0;
    cross(q + 1, t, u);
    for (int i = 0; i < 3; i++)
        g[i] = n[i] - q[0] * t[i] + u[i];
}

static void
turned_back_plane(double c, double s, const double *n, double *g)
{
    g[0] = n[0] * c + n[1] * s;
    g[1] = n[1] * c - n[0] * s;
    g[2] = 0.0;
}

static void
look(const struct course *o, double s, struct view *v)
{
    const struct plane *p = o->p;
    double w[3] = {0.0, 0.0, 0.0}, y = o->z[o->degree], dy = 0.0;
    for (int k = o->degree - 1; k >= 0; k--) {
        dy = dy * s + y;
        y = y * s + o->z[k];
    }
    v->z = y;
    v->dz = dy;
    if (p->flat) {
        turned_back_plane(row_at(o->work + p->turn[0], s),
                          row_at(o->work + p->turn[1], s), p->n, v->g);
        w[2] = row_at(o->work + p->spin[0], s);
    } else {
        double q[4];
        for (int i = 0; i < 4; i++)
            q[i] = row_at(o->work + p->turn[i], s);
        for (int i = 0; i < 3; i++)
            w[i] = row_at(o->work + p->spin[i], s);
        turned_back(q, p->n, v->g);
    }
    cross(v->g, w, v->dg);
}

static inline double
height(const struct plane *p, const struct view *v, uint32_t i)
{
    return v->z +
           (v->g[0] * p->x[0][i] + v->g[1] * p->x[1][i] + v->g[2] * p->x[2][i]);
}

static inline double
rate(const struct plane *p, const struct view *v, uint32_t i)
{
    return v->dz + (v->dg[0] * p->x[0][i] + v->dg[1] * p->x[1][i] +
                    v->dg[2] * p->x[2][i]);
}

/* -- the first vertex that comes down ---------------------------------------
 */

enum found { FOUND_NONE, FOUND_ROOT, FOUND_UNCLEAR };

/* vertices but `but` stay above `least` for u from the time of v on */
static bool
others_stay(const struct course *o, const struct view *v, uint32_t but,
            double u, double least)
{
    const struct plane *p = o->p;
    for (uint32_t i = 0; i < p->n_vertex; i++) {
        double M = o->fall + p->far[i] * o->turn;
        if (i != but &&
            !(height(p, v, i) + u * (rate(p, v, i) - 0.5 * M * u) > least))
            return false;
    }
    return true;
}

/* the root of H_i near t, from v there on; v is left at the root */
static enum found
polish(const struct course *o, uint32_t i, double *t, struct view *v)
{
    const struct plane *p = o->p;
    for (int n = 0; n < 12; n++) {
        double H = height(p, v, i);
        if (fabs(H) <= 2.0 * DBL_EPSILON * (fabs(v->z) + p->far[i]))
            return FOUND_ROOT;
        *t -= H / rate(p, v, i);
        look(o, *t, v);
    }
    return FOUND_UNCLEAR;
}

static enum found
search(const struct course *o, double h, double *s, uint32_t *which)
{
    const struct plane *p = o->p;
    struct view v;
    double t = 0.0, steep = 4.0 * o->clear;
    for (int round = 0; round < PLANE_ROUNDS; round++) {
        double u = h - t, H0 = 0.0, D0 = 0.0, M0 = 0.0;
        bool any = false;
        look(o, t, &v);
        double ball = v.z - p->radius;
        if (ball > 0.0 && ball + u * (v.dz - 0.5 * o->fall * u) > 0.0)
            return FOUND_NONE;
        for (uint32_t i = 0; i < p->n_vertex; i++) {
            double H = height(p, &v, i), D = rate(p, &v, i);
            double M = o->fall + p->far[i] * o->turn;
            if (H + u * (D - 0.5 * M * u) > 0.0 && H > o->clear)
                continue;
            if (H < o->clear &&
                (D <= 0.0 || D * D < steep * M || H < -o->clear / PLANE_CLEAR))
                return FOUND_UNCLEAR;
            double root = sqrt(D * D + 2.0 * M * H);
            double until = D > 0.0 ? (D + root) / M : 2.0 * H / (root - D);
            if (until >= u)
                continue;
            u = until;
            any = true;
            *which = i;
            H0 = H;
            D0 = D;
            M0 = M;
        }
        if (!any)
            return FOUND_NONE;
        if (D0 < 0.0 && D0 * D0 > 4.0 * M0 * H0 &&
            others_stay(o, &v, *which, -1.2 * H0 / D0, o->clear)) {
            *s = t;
            if (polish(o, *which, s, &v) != FOUND_ROOT)
                return FOUND_UNCLEAR;
            if (*s > h)
                return FOUND_NONE;
            D0 = rate(p, &v, *which);
            return D0 < 0.0 && D0 * D0 > steep * M0 ? FOUND_ROOT
                                                    : FOUND_UNCLEAR;
        }
        if (!(t + u > t))
            return FOUND_UNCLEAR;
        t += u;
    }
    return FOUND_UNCLEAR;
}

/* every vertex well above the plane at s? */
static bool
clear_at(const struct course *o, double s)
{
    struct view v;
    look(o, s, &v);
    return others_stay(o, &v, UINT32_MAX, 0.0, o->clear);
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

/* the impulse (1 + e) |v_n|/W at a vertex that is on the plane now, W = 1/m +
 * (r x g).I^-1 (r x g); false where it is not plain */
static bool
impact(struct rt *r, const struct plane *p, uint32_t vertex,
       struct plane_touch *t)
{
    const imp_body *b = rt_body(r, p->body);
    const double *k = r->env + b->env_body, *s = r->env + b->env_state;
    const double *v = s + (p->flat ? 3 : 7);
    double w[3] = {0.0, 0.0, 0.0}, g[3], rn[3], m[3], Iw[3];
    double x[3] = {p->x[0][vertex], p->x[1][vertex], p->x[2][vertex]};
    double nv = 0.0, vv = 0.0;
    int d = p->flat ? 2 : 3;
    if (p->flat)
        turned_back_plane(imp_cos(s[2]), imp_sin(s[2]), p->n, g);
    else
        turned_back(s + 3, p->n, g);
    cross(x, g, rn);
    if (p->flat) {
        w[2] = s[5];
        m[0] = m[1] = 0.0;
        m[2] = k[IMP_BODY_INVINERTIA] * rn[2];
    } else {
        memcpy(w, s + 10, sizeof w);
        apply(k + IMP_BODY_INVINERTIA, rn, m);
    }
    for (int i = 0; i < d; i++) {
        nv += p->n[i] * v[i];
        vv += v[i] * v[i];
    }
    double W = k[IMP_BODY_INVMASS] + cl_dot(rn, m), u = nv + cl_dot(rn, w);
    if (!(u < -PLANE_SLOW * (sqrt(vv) + cl_norm(w) * p->radius)))
        return false;
    t->contact = p->contact;
    t->body = p->body;
    t->impulse = -(1.0 + p->e) * u / W;
    /* changes of energy: linear and quadratic in the changes of motion */
    double I[6] = {0.0, 0.0, k[IMP_BODY_INERTIA]}, sum[3], got = 0.0;
    for (int i = 0; i < 3; i++) {
        t->dv[i] = t->impulse * k[IMP_BODY_INVMASS] * p->n[i];
        t->dw[i] = t->impulse * m[i];
        sum[i] = 2.0 * w[i] + t->dw[i];
        got +=
            i < d ? k[IMP_BODY_MASS] * t->dv[i] * (2.0 * v[i] + t->dv[i]) : 0.0;
    }
    if (!p->flat)
        memcpy(I, k + IMP_BODY_INERTIA, sizeof I);
    apply(I, sum, Iw);
    got += cl_dot(t->dw, Iw);
    apply(I, w, Iw);
    double all = k[IMP_BODY_MASS] * vv + cl_dot(w, Iw);
    return fabs(got + (1.0 - p->e * p->e) * u * u / W) <= PLANE_CONSERVES * all;
}

void
planes_bounce(struct planes *p, const struct plane_touch *t)
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

/* the first touch within h, which is lowered to its time; *best: which plane,
 * p->n if none */
static enum found
first_touch(struct planes *p, const enum event_watch *watch, double *h,
            uint32_t *best, uint32_t *vertex)
{
    *best = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        struct course *o = &p->course[i];
        double s;
        uint32_t which = 0;
        o->p = &p->plane[i];
        if (watch[o->p->contact] == WATCH_OFF)
            continue;
        begin(p->r, o->p, *h, o);
        switch (search(o, *h, &s, &which)) {
        case FOUND_UNCLEAR:
            return FOUND_UNCLEAR;
        case FOUND_ROOT:
            *h = s;
            *best = i;
            *vertex = which;
            break;
        default:
            break;
        }
    }
    for (uint32_t i = 0; i < p->n && *best < p->n; i++)
        if (i != *best && watch[p->plane[i].contact] != WATCH_OFF &&
            !clear_at(&p->course[i], *h))
            return FOUND_UNCLEAR;
    return *best < p->n ? FOUND_ROOT : FOUND_NONE;
}

static bool
plain(const struct planes *p, const enum event_watch *watch)
{
    for (uint32_t c = 0; c < p->r->im->contacts.n; c++)
        if (watch[c] != WATCH_OFF && (p->other[c] || watch[c] == WATCH_OPEN))
            return false;
    return true;
}

int
planes_next(struct planes *p, const enum event_watch *watch, double until,
            enum plane_end *end, struct plane_touch *out)
{
    struct rt *r = p->r;
    *end = PLANE_UNCLEAR;
    while (plain(p, watch)) {
        double t0 = rt_time(r), h;
        uint32_t best, vertex = 0;
        if (rt_stopped(r))
            return IMP_STOPPED;
        if (t0 >= until) {
            *end = PLANE_UNTIL;
            return IMP_OK;
        }
        int st = motion_series_all(r, PLANE_ORDER, &h);
        if (st != IMP_OK)
            return st;
        bool last = h >= until - t0;
        h = last ? until - t0 : h;
        enum found what = first_touch(p, watch, &h, &best, &vertex);
        if (what == FOUND_UNCLEAR || (t0 + h == t0 && what == FOUND_NONE))
            return IMP_OK;
        if (what == FOUND_NONE) {
            motion_advance_by(r, PLANE_ORDER, h, last ? until : t0 + h);
            continue;
        }
        motion_advance_by(r, PLANE_ORDER, h, t0 + h);
        if (impact(r, &p->plane[best], vertex, out))
            *end = PLANE_TOUCH;
        return IMP_OK;
    }
    return IMP_OK;
}
