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
 * In the plane g = (n_x cos + n_y sin, n_y cos - n_x sin) of the angle, whose
 * series may hold for longer than one of its cosine; w has one entry.
 *
 * Contacts of other kinds are passed over while balls around their bodies stay
 * apart. */
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

/* of the series: flights of a step or two between touches; costs of steps and
 * of orders balance between 20 and 24 */
#define PLANE_ORDER 22
/* terms 0 .. PLANE_LOW + 1 tell roughly where a vertex is, within a bound */
#define PLANE_LOW 6
/* of the tolerances of a gap: what is nearer than this needs a closer look */
#define PLANE_CLEAR 64.0
/* a rate below this share of the speeds needs one, too */
#define PLANE_SLOW 1e-6
/* places looked at on one step */
#define PLANE_ROUNDS 64
/* of the time that is safe, this share is used */
#define PLANE_SHORT 0.95
/* I1: energy of one impact against its law, relative */
#define PLANE_CONSERVES 1e-12

/* vertices in eights: coordinates, |r|; the last ones are repeated */
#define EIGHT 8
struct eight {
    double x[3][EIGHT], far[EIGHT];
};
struct plane {
    uint32_t contact, body, block;
    bool flat;      /* the model is of the plane */
    double n[3], d; /* world; the half-space is n.x <= d */
    double e, length;
    uint32_t n_vertex, n_eight;
    struct eight *eight;
    double radius; /* greatest of `far` */
    /* coefficients 0 in r->work[block]: mass centre; quaternion or angle; spin
     */
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
    /* quaternion, or angle; spin, in the plane the third. The others are 0 */
    const double *turn_row[4], *spin_row[4];
    double z[PLANE_ORDER + 2]; /* n.c - d */
    int degree;                /* of it */
    double clear;              /* heights below need a closer look */
    double fall, turn;         /* M_i = fall + |r_i| turn */
    double off, doff;          /* heights over |r|, rates over |r| are off by no
                                  more where PLANE_LOW is enough */
};
/* at one time of the step */
enum sight { AT_START, ROUGHLY, FULLY };
struct view {
    double z, dz, g[3], dg[3];
    double off, doff; /* as above, or 0 */
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
find_motion(const struct rt *r, struct plane *p)
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
take_vertices(struct rt *r, const struct polytope *t, struct plane *p)
{
    p->n_vertex = t->n_vertex;
    p->n_eight = (t->n_vertex + EIGHT - 1) / EIGHT;
    p->eight = NEW_N(r->arena, struct eight, p->n_eight);
    for (uint32_t i = 0; i < p->n_eight * EIGHT; i++) {
        uint32_t v = i < t->n_vertex ? i : t->n_vertex - 1;
        struct eight *e = &p->eight[i / EIGHT];
        for (int k = 0; k < 3; k++)
            e->x[k][i % EIGHT] = t->vertex[v][k];
        e->far[i % EIGHT] = cl_norm(t->vertex[v]);
        p->radius = fmax(p->radius, e->far[i % EIGHT]);
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
        !find_motion(r, p))
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

#define ALWAYS_INLINE inline __attribute__((always_inline))
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_mask __attribute__((vector_size(16)));

static ALWAYS_INLINE double
dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static ALWAYS_INLINE pair
two(const double *x)
{
    pair p;
    memcpy(&p, x, sizeof p);
    return p;
}

/* The values of four rows at s, of terms up to `top` (even): even and odd terms
 * side by side, and four rows at once, since each sum waits for itself. Entry
 * PLANE_ORDER + 1 of a row is 0. */
static ALWAYS_INLINE void
four_at(const double *const *row, int top, double s, double *out)
{
    const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
    double z = s * s;
    pair zz = {z, z}, p = two(a + top), q = two(b + top), r = two(c + top),
         t = two(d + top);
    for (int k = top - 2; k >= 0; k -= 2) {
        p = p * zz + two(a + k);
        q = q * zz + two(b + k);
        r = r * zz + two(c + k);
        t = t * zz + two(d + k);
    }
    out[0] = p[0] + s * p[1];
    out[1] = q[0] + s * q[1];
    out[2] = r[0] + s * r[1];
    out[3] = t[0] + s * t[1];
}

static ALWAYS_INLINE pair
size_of(const double *x)
{
    return (pair)((pair_mask)two(x) & (pair_mask){INT64_MAX, INT64_MAX});
}

/* the sum over four rows of |c_k| s^k beyond the terms of PLANE_LOW */
static ALWAYS_INLINE double
four_tail(const double *const *row, double s)
{
    double z = s * s, lead = z;
    pair zz = {z, z}, v = {0.0, 0.0};
    for (int k = PLANE_ORDER; k > PLANE_LOW; k -= 2)
        v = v * zz + ((size_of(row[0] + k) + size_of(row[1] + k)) +
                      (size_of(row[2] + k) + size_of(row[3] + k)));
    for (int k = 0; k < PLANE_LOW; k += 2)
        lead *= z;
    return lead * (v[0] + s * v[1]);
}

/* Over three rows: sums of (sum of |c_k| s^k)^2 and (sum of k |c_k|
 * s^(k-1))^2, and the tail as above; with a(s) = e(z) + s o(z), z = s^2: a' =
 * 2 s e' + o + 2 z o' */
static ALWAYS_INLINE void
three_squared(const double *const *row, double s, double *sum, double *slope,
              double *tail)
{
    const double *a = row[0], *b = row[1], *c = row[2];
    double z = s * s, lead = z;
    pair zz = {z, z}, p = size_of(a + PLANE_ORDER),
         q = size_of(b + PLANE_ORDER), r = size_of(c + PLANE_ORDER),
         dp = {0.0, 0.0}, dq = dp, dr = dp, v;
    int k = PLANE_ORDER - 2;
    for (int part = 0; part < 2; part++) {
        for (; k > (part ? -2 : PLANE_LOW); k -= 2) {
            dp = dp * zz + p;
            p = p * zz + size_of(a + k);
            dq = dq * zz + q;
            q = q * zz + size_of(b + k);
            dr = dr * zz + r;
            r = r * zz + size_of(c + k);
        }
        v = part ? v : p + q + r;
    }
    for (k = 0; k < PLANE_LOW; k += 2)
        lead *= z;
    *tail = lead * (v[0] + s * v[1]);
    const double x[3] = {p[0] + s * p[1], q[0] + s * q[1], r[0] + s * r[1]};
    const double y[3] = {2.0 * s * dp[0] + p[1] + 2.0 * z * dp[1],
                         2.0 * s * dq[0] + q[1] + 2.0 * z * dq[1],
                         2.0 * s * dr[0] + r[1] + 2.0 * z * dr[1]};
    *sum = dot(x, x);
    *slope = dot(y, y);
}

/* -- one step of one contact ------------------------------------------------
 */

/* M_i of all vertices, and what the rough view is off by: with q (or the angle)
 * off by x and w by y, R^T n is off by at most 6 (1 + x) x, since it is n + 2
 * (v x (v x n) - q0 v x n) */
static void
bounds(struct course *o, double h)
{
    double W, W1, y, x = four_tail(o->turn_row, h);
    three_squared(o->spin_row, h, &W, &W1, &y);
    o->turn = W + sqrt(W1);
    o->off = 6.0 * (1.0 + x) * x;
    o->doff = o->off * sqrt(W) + (1.0 + o->off) * y;
}

/* of the polynomial of a row; a parabola is what it is most of the time */
static int
degree(const double *c)
{
    int k = PLANE_ORDER;
    pair_mask any = (pair_mask)two(c + 3);
    for (int i = 5; i < PLANE_ORDER; i += 2)
        any |= (pair_mask)two(c + i);
    if (((unsigned long long)(any[0] | any[1]) << 1) == 0)
        k = 2; /* all 0, of either sign */
    while (k > 0 && c[k] == 0.0)
        k--;
    return k;
}

static const double zeros[PLANE_ORDER + 2];

static void
begin(struct rt *r, const struct plane *p, double h, struct course *o)
{
    const double *x = r->env + rt_body(r, p->body)->env_state;
    const double *low = r->state_lo + (x - r->env - r->im->layout.state);
    uint32_t d = r->im->dim;
    const double *work = r->work[p->block];
    double where = 0.0, rest = 0.0;
    o->p = p;
    o->degree = 1;
    o->z[0] = -p->d;
    o->z[1] = 0.0;
    for (uint32_t i = 0; i < d; i++) {
        const double *row = work + p->place[i];
        int to = p->n[i] == 0.0 ? -1 : degree(row);
        where += x[i] * x[i];
        rest += p->n[i] * low[i];
        while (o->degree < to)
            o->z[++o->degree] = 0.0;
        for (int k = 0; k <= to; k++)
            o->z[k] += p->n[i] * row[k];
    }
    o->z[0] += rest;
    double noise = 4.0 * DBL_EPSILON * (p->length + sqrt(where));
    o->clear = PLANE_CLEAR *
               fmax(RT_GAP_SHARE * r->tolerance * p->length, 8.0 * noise);
    o->fall = 0.0;
    for (int k = o->degree; k >= 2; k--)
        o->fall = o->fall * h + k * (k - 1) * fabs(o->z[k]);
    for (int i = 0; i < 4; i++) {
        o->turn_row[i] = p->flat && i > 0 ? zeros : work + p->turn[i];
        o->spin_row[i] = p->flat || i == 3 ? zeros : work + p->spin[i];
    }
    if (p->flat)
        o->spin_row[2] = work + p->spin[0];
}

static ALWAYS_INLINE void
cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* R^T n for a unit quaternion */
static ALWAYS_INLINE void
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
turned_back_plane(double angle, const double *n, double *g)
{
    double c = imp_cos(angle), s = imp_sin(angle);
    g[0] = n[0] * c + n[1] * s;
    g[1] = n[1] * c - n[0] * s;
    g[2] = 0.0;
}

static ALWAYS_INLINE void
see(const struct course *o, double s, enum sight how, struct view *v)
{
    const struct plane *p = o->p;
    double x[4], w[4];
    for (int i = 0; i < 4 && how == AT_START; i++) {
        x[i] = o->turn_row[i][0];
        w[i] = o->spin_row[i][0];
    }
    if (how != AT_START) {
        int top = how == FULLY ? PLANE_ORDER : PLANE_LOW;
        four_at(o->turn_row, top, s, x);
        four_at(o->spin_row, top, s, w);
    }
    if (p->flat)
        turned_back_plane(x[0], p->n, v->g);
    else
        turned_back(x, p->n, v->g);
    cross(v->g, w, v->dg);
}

static void
look(const struct course *o, double s, enum sight how, struct view *v)
{
    double y = o->z[o->degree], dy = 0.0;
    for (int k = o->degree - 1; k >= 0; k--) {
        dy = dy * s + y;
        y = y * s + o->z[k];
    }
    v->z = y;
    v->dz = dy;
    v->off = how == ROUGHLY ? o->off : 0.0;
    v->doff = how == ROUGHLY ? o->doff : 0.0;
    if (how == AT_START)
        see(o, s, AT_START, v);
    else if (how == ROUGHLY)
        see(o, s, ROUGHLY, v);
    else
        see(o, s, FULLY, v);
}

/* heights and rates of eight vertices, what is not sure taken off */
struct low {
    double H[EIGHT], D[EIGHT], M[EIGHT];
};
static ALWAYS_INLINE void
lowest(const struct course *o, const struct view *v, const struct eight *e,
       struct low *l)
{
    for (int i = 0; i < EIGHT; i++)
        l->H[i] = v->z + (v->g[0] * e->x[0][i] + v->g[1] * e->x[1][i] +
                          v->g[2] * e->x[2][i] - v->off * e->far[i]);
    for (int i = 0; i < EIGHT; i++)
        l->D[i] = v->dz + (v->dg[0] * e->x[0][i] + v->dg[1] * e->x[1][i] +
                           v->dg[2] * e->x[2][i] - v->doff * e->far[i]);
    for (int i = 0; i < EIGHT; i++)
        l->M[i] = o->fall + e->far[i] * o->turn;
}

/* -- the first vertex that comes down ---------------------------------------
 */

enum found { FOUND_NONE, FOUND_ROOT, FOUND_UNCLEAR, FOUND_MORE };

static inline bool
same(const struct plane *p, uint32_t i, uint32_t j)
{
    return i == j || (i + 1 >= p->n_vertex && j + 1 >= p->n_vertex);
}

/* vertices but `but` stay above the band for u from the time of v on */
static bool
others_stay(const struct course *o, const struct view *v, uint32_t but,
            double u)
{
    for (uint32_t b = 0; b < o->p->n_eight; b++) {
        const struct eight *e = &o->p->eight[b];
        struct low l;
        lowest(o, v, e, &l);
        for (uint32_t i = 0; i < EIGHT; i++)
            if (!(l.H[i] > o->clear &&
                  l.H[i] + u * (l.D[i] - 0.5 * l.M[i] * u) > o->clear) &&
                !same(o->p, b * EIGHT + i, but))
                return false;
    }
    return true;
}

static void
one(const struct course *o, const struct view *v, uint32_t i, double *H,
    double *D)
{
    const struct eight *e = &o->p->eight[i / EIGHT];
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = e->x[k][i % EIGHT];
    *H = v->z + dot(v->g, x);
    *D = v->dz + dot(v->dg, x);
}

/* The root of H_i near *t. A step of Newton's method leaves H <= M dt^2/2; the
 * view v is of just before the root then. */
static enum found
polish(const struct course *o, uint32_t i, double M, double *t, struct view *v)
{
    double H, D, fine = DBL_EPSILON * (fabs(o->z[0]) + o->p->radius);
    enum sight how = ROUGHLY;
    for (int n = 0; n < 16; n++) {
        one(o, v, i, &H, &D);
        double dt = -H / D, left = 0.5 * M * dt * dt;
        *t += dt;
        if (how == FULLY && left <= fine)
            return FOUND_ROOT;
        if (left <= fmax(4.0 * o->p->radius * o->off, fine))
            how = FULLY;
        look(o, *t, how, v);
    }
    return FOUND_UNCLEAR;
}

/* a vertex at one time */
struct first {
    uint32_t i;
    double H, D, M;
};
/* how long its height stays above 0 at least */
static ALWAYS_INLINE double
lasts(const struct first *f)
{
    double root = sqrt(f->D * f->D + 2.0 * f->M * f->H);
    return f->D > 0.0 ? (f->D + root) / f->M : 2.0 * f->H / (root - f->D);
}

/* Lowers *u to what is safe from the view v on; f: the vertex that says so,
 * before: that of an earlier time, looked at first: most others are safe for as
 * long as it is. FOUND_UNCLEAR: a vertex is near the plane, and not on its way
 * up. */
static enum found
soonest(const struct course *o, const struct view *v, double *u,
        struct first *f)
{
    enum found any = FOUND_NONE;
    uint32_t hint = f->i % EIGHT;
    for (uint32_t b = 0; b < o->p->n_eight; b++) {
        struct low l;
        lowest(o, v, &o->p->eight[b], &l);
        for (uint32_t k = 0; k < EIGHT; k++) {
            uint32_t i = k ^ hint;
            double H = l.H[i], D = l.D[i], M = l.M[i];
            if (H < o->clear && (D <= 0.0 || D * D < 4.0 * o->clear * M ||
                                 H < -o->clear / PLANE_CLEAR))
                return FOUND_UNCLEAR;
            if (H + *u * (D - 0.5 * M * *u) > 0.0)
                continue;
            *f = (struct first){b * EIGHT + i, H, D, M};
            *u = lasts(f);
            any = FOUND_MORE;
        }
    }
    return any;
}

/* The root where f alone comes down soon after t; v: the view at t */
static enum found
comes_down(const struct course *o, const struct first *f, double *t, double h,
           struct view *v)
{
    double H, D;
    if (polish(o, f->i, f->M, t, v) != FOUND_ROOT)
        return FOUND_UNCLEAR;
    if (*t > h)
        return FOUND_NONE;
    one(o, v, f->i, &H, &D);
    return D < 0.0 && D * D > 4.0 * o->clear * f->M &&
                   others_stay(o, v, f->i, 0.0)
               ? FOUND_ROOT
               : FOUND_UNCLEAR;
}

/* The first vertex that comes down within *h: f->i, and *h when; else *h may be
 * lowered to what is known. A ball about the body is looked at first. `leaves`:
 * a vertex may stand on the plane at the start, if it rises. */
static enum found
search(struct course *o, bool leaves, double *h, struct first *f)
{
    struct view v;
    enum sight how = AT_START;
    double t = 0.0;
    *f = (struct first){0, o->z[0] - o->p->radius, o->z[1], o->fall};
    if (f->H > 0.0) {
        if (f->H + *h * (f->D - 0.5 * f->M * *h) > 0.0)
            return FOUND_NONE;
        t = lasts(f);
        how = ROUGHLY;
    }
    bounds(o, *h);
    for (int round = 0; round < PLANE_ROUNDS; round++) {
        double u = *h - t;
        look(o, t, how, &v);
        if (how == AT_START && !leaves && !others_stay(o, &v, UINT32_MAX, 0.0))
            return FOUND_UNCLEAR;
        enum found found = soonest(o, &v, &u, f);
        if (found == FOUND_UNCLEAR && how == ROUGHLY) {
            how = FULLY;
            continue;
        }
        if (found != FOUND_MORE)
            return found;
        /* from above, as they were from below */
        f->H += 2.0 * v.off * o->p->radius;
        f->D += 2.0 * v.doff * o->p->radius;
        if (f->D < 0.0 && f->D * f->D > 4.0 * f->M * f->H &&
            others_stay(o, &v, f->i, -1.2 * f->H / f->D)) {
            found = comes_down(o, f, &t, *h, &v);
            *h = found == FOUND_ROOT ? t : *h;
            return found;
        }
        /* not quite: where M_i is what the second derivative is, u would end
         * on the plane */
        u *= PLANE_SHORT;
        if (!(t + u > t))
            return FOUND_UNCLEAR;
        t += u;
        how = ROUGHLY;
    }
    *h = t;
    return FOUND_NONE;
}

/* every vertex well above the plane at s? */
static bool
clear_at(const struct course *o, double s)
{
    struct view v;
    look(o, s, FULLY, &v);
    return others_stay(o, &v, UINT32_MAX, 0.0);
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
    double x[3], nv = 0.0, vv = 0.0;
    int d = p->flat ? 2 : 3;
    for (int i = 0; i < 3; i++)
        x[i] = p->eight[vertex / EIGHT].x[i][vertex % EIGHT];
    if (p->flat)
        turned_back_plane(s[2], p->n, g);
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
    double W = k[IMP_BODY_INVMASS] + dot(rn, m), u = nv + dot(rn, w);
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
    got += dot(t->dw, Iw);
    apply(I, w, Iw);
    double all = k[IMP_BODY_MASS] * vv + dot(w, Iw);
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

/* contacts of other kinds: *h is lowered to what is sure to be free of them */
static bool
others_far(const struct planes *p, const enum event_watch *watch, double *h)
{
    for (uint32_t c = 0; c < p->r->im->contacts.n; c++) {
        if (watch[c] == WATCH_OPEN)
            return false;
        if (watch[c] == WATCH_OFF || !p->other[c])
            continue;
        double t = ev_far(p->r, c, *h, *h);
        if (!(t > 0.0))
            return false;
        *h = fmin(*h, t);
    }
    return true;
}

/* the first touch within *h, which is lowered to its time, or to what is known;
 * *best: which plane, p->n if none */
static enum found
first_touch(struct planes *p, const enum event_watch *watch, double *h,
            uint32_t *best, uint32_t *vertex)
{
    *best = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        struct course *o = &p->course[i];
        enum event_watch w = watch[p->plane[i].contact];
        struct first f;
        double before = *h;
        if (w == WATCH_OFF)
            continue;
        begin(p->r, &p->plane[i], *h, o);
        enum found what = search(o, w == WATCH_LEAVE, h, &f);
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
            !clear_at(&p->course[i], *h))
            return FOUND_UNCLEAR;
    return *best < p->n ? FOUND_ROOT : FOUND_NONE;
}

int
planes_next(struct planes *p, const enum event_watch *watch, double until,
            enum plane_end *end, struct plane_touch *out)
{
    struct rt *r = p->r;
    *end = PLANE_UNCLEAR;
    for (;;) {
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
        double left = until - t0;
        h = fmin(h, left);
        if (!others_far(p, watch, &h))
            return IMP_OK;
        enum found what = first_touch(p, watch, &h, &best, &vertex);
        double t1 = what == FOUND_NONE && h == left ? until : t0 + h;
        if (what == FOUND_UNCLEAR || (t1 == t0 && what == FOUND_NONE))
            return IMP_OK;
        motion_advance_by(r, PLANE_ORDER, h, t1);
        if (what == FOUND_NONE)
            continue;
        if (impact(r, &p->plane[best], vertex, out))
            *end = PLANE_TOUCH;
        return IMP_OK;
    }
}
