/* SPDX-License-Identifier: MIT */
/* Contacts in which a polytope takes part: with another polytope, with a half-
 * space, with a smooth body (IMP_CONTACTF_CORNERS). While the bodies are apart
 * the gap is the distance of their nearest features; while they overlap it is
 * minus the least depth over all directions. Its series is that of one pair of
 * features, and holds until another pair takes over. Letters: P, Q nearest
 * points of body 0 and of body 1, n the unit normal between them; p the nearest
 * point of a smooth body and N the gradient there; (a, u) the line through a
 * along u. */
#include "runtime/gap/polytope_contact.h"

#include <assert.h>
#include <string.h>

#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/geometry/support.h"

int
polytope_contact_closest(struct rt *run, uint32_t contact,
                         struct nearest_features *out, bool loud)
{
    assert(rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS);
    return polytope_contact_is_smooth(run, rt_contact(run, contact))
               ? smooth_polytope_closest(run, contact, out, loud)
               : polytope_pair_closest(run, contact, out);
}

int
polytope_contact_series(struct rt *run, uint32_t contact, int order,
                        double *gap, double *valid)
{
    assert(contact < run->im->contacts.n && order >= 0 && gap != NULL);
    struct nearest_features at;
    double never;
    if (polytope_contact_is_smooth(run, rt_contact(run, contact)))
        return smooth_polytope_series(run, contact, 0, order, gap,
                                      valid ? valid : &never);
    int st = polytope_pair_closest(run, contact, &at);
    if (st)
        return st;
    return polytope_pair_series(run, contact, order, &at.pair, gap, valid);
}

void
polytope_contact_predict(struct rt *run, uint32_t contact, int order, double dt)
{
    assert(contact < run->im->contacts.n && order >= 0);
    if (polytope_contact_is_smooth(run, rt_contact(run, contact)))
        smooth_polytope_predict(run, contact, order, dt);
}

int
polytope_contact_manifold(struct rt *run, uint32_t contact, double tol,
                          struct contact_manifold *out)
{
    assert(rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS);
    return polytope_contact_is_smooth(run, rt_contact(run, contact))
               ? smooth_polytope_manifold(run, contact, tol, out)
               : polytope_pair_manifold(run, contact, tol, out);
}

/* -- gap, nearest points and normal as series, for expressions along the motion
 * (derivatives/series_along.c): of the pair of features that is the nearest
 * now, in the axes of body 0 about its mass centre. Where features meet in a
 * point with an open normal (gap 0) the normal has no series: its coefficients
 * are not finite, and the caller says so. */

/* the pose of body 1 in the axes of body 0 */
struct seen {
    int order;
    struct taylor c[3], R[9];
};

static void
turned(const struct seen *seen, const struct taylor x[3], struct taylor out[3])
{
    for (int i = 0; i < 3; i++)
        taylor_dot(seen->order, seen->R + 3 * i, x, &out[i]);
}

static void
constant(int order, const double x[3], struct taylor out[3])
{
    for (int i = 0; i < 3; i++)
        taylor_const(order, x[i], &out[i]);
}

/* Gives a direction of body 0 or 1 in the axes of body 0. */
static void
direction_of(const struct seen *seen, int body, const double x[3],
             struct taylor out[3])
{
    struct taylor y[3];
    constant(seen->order, x, y);
    if (body == 0)
        memcpy(out, y, sizeof y);
    else
        turned(seen, y, out);
}

static void
point_of(const struct seen *seen, int body, const double x[3],
         struct taylor out[3])
{
    direction_of(seen, body, x, out);
    for (int i = 0; i < 3 && body == 1; i++)
        taylor_add(seen->order, &out[i], &seen->c[i], &out[i]);
}

static void
make_unit(int order, struct taylor n[3])
{
    struct taylor l2, l;
    taylor_dot(order, n, n, &l2);
    taylor_sqrt(order, &l2, &l);
    for (int i = 0; i < 3; i++) {
        struct taylor y = n[i];
        taylor_div(order, &y, &l, &n[i]);
    }
}

/* Sets out = p + s n. */
static void
beyond(int order, const struct taylor p[3], const struct taylor *s,
       const struct taylor n[3], struct taylor out[3])
{
    for (int i = 0; i < 3; i++) {
        struct taylor y;
        taylor_mul(order, s, &n[i], &y);
        taylor_add(order, &p[i], &y, &out[i]);
    }
}

static void
minus(int order, struct taylor x[3])
{
    for (int i = 0; i < 3; i++)
        taylor_scale(order, -1.0, &x[i], &x[i]);
}

/* Returns a point of a feature: the vertex itself, or the first end of the
 * edge. */
static const double *
base_of(const struct polytope *polytope, unsigned kind, uint32_t i)
{
    return polytope->vertex[kind == FEATURE_EDGE ? polytope->edge[i].v[0] : i];
}

/* Gives the point nearest to x on the edge through a with unit direction u. */
static void
foot(int order, const struct taylor a[3], const struct taylor u[3],
     const struct taylor x[3], struct taylor out[3])
{
    struct taylor w[3], s;
    for (int i = 0; i < 3; i++)
        taylor_sub(order, &x[i], &a[i], &w[i]);
    taylor_dot(order, w, u, &s);
    beyond(order, a, &s, u, out);
}

/* Gives the point of the edge (a, u) nearest to the edge (b, w). */
static void
crossing(int order, const struct taylor a[3], const struct taylor u[3],
         const struct taylor b[3], const struct taylor w[3],
         struct taylor out[3])
{
    struct taylor m[3], q[3], x[3], m2, s, t;
    taylor_cross(order, u, w, m);
    taylor_dot(order, m, m, &m2);
    for (int i = 0; i < 3; i++)
        taylor_sub(order, &b[i], &a[i], &q[i]);
    taylor_cross(order, q, w, x);
    taylor_dot(order, x, m, &s);
    taylor_div(order, &s, &m2, &t);
    beyond(order, a, &t, u, out);
}

/* Fills the rows of nearest points and normal of two polytopes whose gap is
 * known. */
static void
flat_rows(const struct rt *run, const imp_contact *image_contact,
          const struct seen *seen, const struct feature_pair *pair,
          const struct taylor *gap, struct taylor P[3], struct taylor Q[3],
          struct taylor normal[3])
{
    int order = seen->order;
    struct taylor base[2][3], dir[2][3], back;
    taylor_scale(order, -1.0, gap, &back);
    for (int body = 0; body < 2; body++) {
        const struct polytope *polytope =
            run->polytope[image_contact->body[body]];
        unsigned kind = pair->kind[body];
        if (kind == FEATURE_FACE) {
            direction_of(seen, body, polytope->face[pair->index[body]].n,
                         normal);
            if (body == 1)
                minus(order, normal);
            continue;
        }
        point_of(seen, body, base_of(polytope, kind, pair->index[body]),
                 base[body]);
        if (kind == FEATURE_EDGE)
            direction_of(seen, body, polytope->edge[pair->index[body]].dir,
                         dir[body]);
    }
    bool edge[2] = {pair->kind[0] == FEATURE_EDGE,
                    pair->kind[1] == FEATURE_EDGE};
    if (pair->kind[0] == FEATURE_FACE) {
        memcpy(Q, base[1], sizeof base[1]);
        beyond(order, Q, &back, normal, P);
        return;
    }
    if (pair->kind[1] == FEATURE_FACE) {
        memcpy(P, base[0], sizeof base[0]);
        beyond(order, P, gap, normal, Q);
        return;
    }
    if (edge[0] && edge[1]) {
        crossing(order, base[0], dir[0], base[1], dir[1], P);
        crossing(order, base[1], dir[1], base[0], dir[0], Q);
        taylor_cross(order, dir[0], dir[1], normal);
        make_unit(order, normal);
        return; /* up to the sign, which the caller decides */
    }
    memcpy(P, base[0], sizeof base[0]);
    memcpy(Q, base[1], sizeof base[1]);
    if (edge[0])
        foot(order, base[0], dir[0], Q, P);
    if (edge[1])
        foot(order, base[1], dir[1], P, Q);
    for (int i = 0; i < 3; i++)
        taylor_sub(order, &Q[i], &P[i], &normal[i]);
    make_unit(order, normal);
}

/* The same for a smooth body: its nearest point and gradient, in the axes
 * of the polytope, come from its own series. */
static void
smooth_rows(const imp_contact *image_contact, const struct seen *seen,
            const struct taylor point[3], const struct taylor N[3],
            const struct taylor *gap, struct taylor P[3], struct taylor Q[3],
            struct taylor normal[3])
{
    int order = seen->order;
    memcpy(normal, N, 3 * sizeof *normal);
    make_unit(order, normal);
    if (image_contact->smooth == 1) {
        memcpy(Q, point, 3 * sizeof *Q);
        beyond(order, point, gap, normal, P);
        minus(order, normal);
        return;
    }
    /* the polytope is body 1 */
    struct taylor foot_b[3], m[3];
    beyond(order, point, gap, normal, foot_b);
    turned(seen, point, P);
    turned(seen, foot_b, Q);
    turned(seen, normal, m);
    memcpy(normal, m, sizeof m);
    for (int i = 0; i < 3; i++) {
        taylor_add(order, &P[i], &seen->c[i], &P[i]);
        taylor_add(order, &Q[i], &seen->c[i], &Q[i]);
    }
}

int
polytope_contact_rows(struct rt *run, uint32_t contact, int order, double *rows)
{
    assert(rows != NULL && order >= 0 && order <= IMP_ORDER_MAX);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct seen seen;
    struct nearest_features at;
    struct taylor gap, P[3], Q[3], normal[3], point[3], gradient[3];
    double valid;
    seen.order = order;
    int st = polytope_contact_closest(run, contact, &at, true);
    if (st == IMP_OK)
        st = polytope_contact_series(run, contact, order, gap.c, &valid);
    if (st == IMP_OK && polytope_contact_is_smooth(run, image_contact))
        smooth_polytope_point_series(run, contact, order, point, gradient);
    if (st == IMP_OK)
        st = polytope_relative_pose(run, contact, order, seen.c, seen.R, NULL);
    if (st != IMP_OK)
        return st;
    if (polytope_contact_is_smooth(run, image_contact)) {
        smooth_rows(image_contact, &seen, point, gradient, &gap, P, Q, normal);
    } else {
        struct support_body support;
        double m[3], w[3];
        flat_rows(run, image_contact, &seen, &at.pair, &gap, P, Q, normal);
        for (int i = 0; i < 3; i++)
            m[i] = normal[i].c[0];
        support_body_get(run, image_contact->body[0], &support);
        support_rotate(&support, m, w);
        if (vec3_dot(w, at.n) < 0.0)
            minus(order, normal);
    }
    for (int i = 0; i < IMP_CONTACT_E; i++) {
        const struct taylor *from = i == 0                   ? &gap
                                    : i < IMP_CONTACT_Q      ? &P[i - 1]
                                    : i < IMP_CONTACT_NORMAL ? &Q[i - 4]
                                                             : &normal[i - 7];
        memcpy(rows + i * IMP_ROW_STRIDE + IMP_ROW_PAD, from->c,
               sizeof(double) * (size_t)(order + 1));
    }
    return IMP_OK;
}
