/* SPDX-License-Identifier: MIT */
/* Where two bodies of the plane that are not both discs come near each other,
 * for the steps of balls_steps.c: the closest points of the room `gap`, and
 * where a side of a polygon lies along another one, the two ends of what they
 * share. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "runtime/balls/balls_steps_priv.h"
#include "runtime/gap/closest_points.h"
#include "runtime/geometry/polytope.h"
#include "runtime/instance/contact_table.h"
#include "runtime/numerics/vec3.h"
#include "runtime/tape/functions.h"

/* The closest points of a side and a corner lie along the side's normal to
 * rounding; those of two corners lie elsewhere. This is the cosine of the
 * angle between them up to which they lie along it: 4e-5 rad. */
#define SIDE_ALONG (1.0 - 1e-9)
/* Ends of a shared side that are nearer than this share of it are one. */
#define ENDS_APART 1e-9

bool
balls_steps_shape(struct rt *run, uint32_t body, double *radius)
{
    const imp_body *of = rt_body(run, body);
    *radius = run->env[of->env_body + IMP_BODY_RADIUS];
    return run->im->dim == 2 &&
           (of->flags & (IMP_BODYF_SHAPE | IMP_BODYF_POLYTOPE)) &&
           !(of->flags & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME)) &&
           *radius > 0.0 && isfinite(*radius);
}

/* A polygon at the present state. */
struct polygon_pose {
    const struct polytope *polytope;
    double x[2], cosine, sine;
};

static struct polygon_pose
pose_of(const struct rt *run, uint32_t body)
{
    const double *state = run->env + rt_body(run, body)->env_state;
    return (struct polygon_pose){.polytope = run->polytope[body],
                                 .x = {state[0], state[1]},
                                 .cosine = imp_cos(state[2]),
                                 .sine = imp_sin(state[2])};
}

static void
turn(const struct polygon_pose *pose, const double a[3], double b[3])
{
    b[0] = pose->cosine * a[0] - pose->sine * a[1];
    b[1] = pose->sine * a[0] + pose->cosine * a[1];
    b[2] = 0.0;
}

static void
corner_at(const struct polygon_pose *pose, uint32_t vertex, double p[3])
{
    turn(pose, pose->polytope->vertex[vertex], p);
    p[0] += pose->x[0];
    p[1] += pose->x[1];
}

/* The side that faces n most; *along: the cosine between them. */
static const struct polytope_face *
side_along(const struct polygon_pose *pose, const double n[3], double sign,
           double *along, double normal[3])
{
    const struct polytope_face *best = NULL;
    *along = -INFINITY;
    for (uint32_t i = 0; i < pose->polytope->n_face; i++) {
        double m[3];
        turn(pose, pose->polytope->face[i].n, m);
        double share = sign * (m[0] * n[0] + m[1] * n[1]);
        if (share > *along) {
            *along = share;
            best = pose->polytope->face + i;
            vec3_copy(m, normal);
        }
    }
    return best;
}

/* Cuts the side from a to b off where it leaves that from c to d, along the
 * tangent t of the latter. False: they do not lie over each other. */
static bool
cut(double a[3], double b[3], const double c[3], const double d[3],
    const double t[3])
{
    double low = vec3_dot(t, c), high = vec3_dot(t, d),
           s[2] = {vec3_dot(t, a), vec3_dot(t, b)}, way[3], from[3];
    if (low > high) {
        double swap = low;
        low = high;
        high = swap;
    }
    vec3_sub(b, a, way);
    vec3_copy(a, from);
    double span = s[1] - s[0], ends[2] = {0.0, 1.0};
    if (fmax(s[0], s[1]) < low || fmin(s[0], s[1]) > high)
        return false;
    for (int k = 0; k < 2 && span != 0.0; k++) {
        double at = fmax(low, fmin(high, s[k]));
        if (at != s[k])
            ends[k] = (at - s[0]) / span;
    }
    for (int k = 0; k < 2; k++) {
        double *p = k == 0 ? a : b;
        vec3_copy(from, p);
        vec3_add_scaled(ends[k], way, p);
    }
    return true;
}

/* Two polygons, or one and a half-plane: the points of a side before a side.
 * Returns their number; 0: no side lies along the normal. */
static uint32_t
sides(const struct rt *run, const uint32_t body[2], const double n[3],
      double reach, struct grain_touch touch[2])
{
    struct polygon_pose pose[2] = {pose_of(run, body[0]),
                                   pose_of(run, body[1])};
    double along[2], normal[2][3], p[2][3];
    const struct polytope_face *side[2];
    if (!pose[0].polytope || !pose[1].polytope)
        return 0;
    for (int k = 0; k < 2; k++)
        side[k] =
            side_along(pose + k, n, k == 0 ? 1.0 : -1.0, along + k, normal[k]);
    /* `on`: whose side the normal belongs to */
    int on = pose[1].polytope->n_vertex == 0   ? 1
             : pose[0].polytope->n_vertex == 0 ? 0
                                               : along[1] > along[0];
    int of = 1 - on;
    if (along[on] < SIDE_ALONG || pose[of].polytope->n_vertex == 0 || !side[of])
        return 0;
    const double *m = normal[on];
    for (uint32_t k = 0; k < 2; k++)
        corner_at(pose + of, pose[of].polytope->loop[side[of]->first + k],
                  p[k]);
    double level = side[on]->d + m[0] * pose[on].x[0] + m[1] * pose[on].x[1],
           t[3] = {m[1], -m[0], 0.0};
    if (pose[on].polytope->n_vertex) {
        double c[3], d[3];
        corner_at(pose + on, pose[on].polytope->loop[side[on]->first], c);
        corner_at(pose + on, pose[on].polytope->loop[side[on]->first + 1], d);
        if (!cut(p[0], p[1], c, d, t))
            return 0;
    }
    double way[3];
    vec3_sub(p[1], p[0], way);
    bool one = vec3_norm(way) <= ENDS_APART * pose[of].polytope->radius;
    uint32_t count = 0;
    for (uint32_t k = 0; k < (one ? 1u : 2u); k++) {
        double gap = vec3_dot(m, p[k]) - level;
        if (gap > reach)
            continue;
        struct grain_touch *to = touch + count++;
        to->gap = gap;
        to->end = k;
        for (int i = 0; i < 3; i++) {
            to->n[i] = on == 0 ? m[i] : -m[i];
            to->point[of][i] = p[k][i];
            to->point[on][i] = p[k][i] - gap * m[i];
        }
    }
    return count;
}

/* Gives all contacts back that the run has made: those that are still near make
 * theirs anew. */
static void
drop_all(struct rt *run)
{
    for (uint32_t i = contact_table_stated(run); i < run->im->contacts.n; i++) {
        const imp_contact *of = rt_contact(run, i);
        if (contact_table_find(run, of->body[0], of->body[1]) == i)
            contact_table_drop(run, i);
    }
}

/* The contact that knows the pair: of many, the run makes it. */
static uint32_t
contact_of(struct rt *run, uint32_t contact, uint32_t one, uint32_t two)
{
    if (!(rt_contact(run, contact)->flags & IMP_CONTACTF_RULE))
        return contact;
    uint32_t found = contact_table_find(run, one, two);
    if (found != NO_CONTACT)
        return found;
    found = contact_table_make(run, one, two);
    if (found == NO_CONTACT) {
        drop_all(run);
        found = contact_table_make(run, one, two);
    }
    if (found != NO_CONTACT)
        closest_points_forget(run, found);
    return found;
}

int
balls_steps_touches(struct rt *run, uint32_t contact, uint32_t one,
                    uint32_t two, double reach, struct grain_touch touch[2],
                    uint32_t *n)
{
    assert(run != NULL && touch != NULL && n != NULL);
    struct closest_points points;
    *n = 0;
    uint32_t pair = contact_of(run, contact, one, two);
    if (pair == NO_CONTACT)
        return IMP_FAILED;
    int st = closest_points_find(run, pair, &points, true);
    if (st || points.gap > reach)
        return st;
    const imp_contact *of = rt_contact(run, pair);
    uint32_t body[2] = {of->body[0], of->body[1]};
    *n = sides(run, body, points.n, reach, touch);
    if (*n == 0) {
        touch[0].gap = points.gap;
        touch[0].end = 0;
        vec3_copy(points.n, touch[0].n);
        vec3_copy(points.P, touch[0].point[0]);
        vec3_copy(points.Q, touch[0].point[1]);
        *n = 1;
    }
    for (uint32_t k = 0; k < *n && body[0] != one; k++)
        for (int i = 0; i < 3; i++) {
            double swap = touch[k].point[0][i];
            touch[k].point[0][i] = touch[k].point[1][i];
            touch[k].point[1][i] = swap;
            touch[k].n[i] = -touch[k].n[i];
        }
    return IMP_OK;
}
