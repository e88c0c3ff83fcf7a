/* SPDX-License-Identifier: MIT */
/* Heights of the vertices of a polytope over a plane, and the first that comes
 * down (vertex_plane_priv.h).
 *
 * The height of vertex i over the half-space n.x <= d is
 *     H_i = n.c - d + g.r_i,   g = R^T n,   H_i' = n.c' + (g x w).r_i
 * with mass centre c, attitude R, spin w in body axes: once n.c, g and g x w
 * are known at a time, a vertex costs three products. They are read off the
 * series of the motion itself; no series of a height is made.
 *
 * On a step [0, horizon] the second derivative of H_i is at most
 *     M_i = max |n.c''| + |r_i| (max |w|^2 + max |w'|),
 * from the sums of the absolute coefficients. So H_i cannot vanish within
 *     H_i + H_i' u - M_i u^2/2 > 0,
 * and the search goes from one such time to the next: it cannot pass over a
 * root of any multiplicity (I3). Where H'^2 > 4 M H and no other vertex can
 * come down as soon, there is one root within 1.2 H/|H'|, a simple one, and
 * Newton's method converges to it (Kantorovich: M H/H'^2 <= 1/4). What is
 * within VERTEX_PLANE_CLEAR tolerances of a plane without that is not clear.
 *
 * In the plane g = (n_x cos + n_y sin, n_y cos - n_x sin) of the angle, whose
 * series may hold for longer than one of its cosine; w has one entry.
 *
 * Over a driven plane n.c - d and g are series of their own, from the relative
 * pose; M_i comes from their second derivatives, and they limit the step. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/events/vertex_plane_priv.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/numerics/vec3.h"

/* The terms 0 .. VERTEX_PLANE_LOW + 1 say roughly where a vertex is, within a
 * known bound. */
#define VERTEX_PLANE_LOW 6
/* most times that are looked at within one step */
#define VERTEX_PLANE_ROUNDS 64
/* this share of the time that is safe is used */
#define VERTEX_PLANE_SHORT 0.95
/* What the terms left out of g and of n.c - d may be worth, as a share of the
 * length (motion_plan.c bounds those of the motion). */
#define VERTEX_PLANE_TRUNCATION 4e-16

/* One time within the step. off, doff: as in struct vertex_plane_course, or 0.
 */
enum sight { AT_START, ROUGHLY, FULLY };
struct view {
    double z, dz, g[3], dg[3], off, doff;
};

/* -- series -----------------------------------------------------------------
 */

#define ALWAYS_INLINE inline __attribute__((always_inline))
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_mask __attribute__((vector_size(16)));

static ALWAYS_INLINE pair
two(const double *x)
{
    pair p;
    memcpy(&p, x, sizeof p);
    return p;
}

/* The values of four rows at a time, with the terms up to `top` (even). Even
 * and odd terms are summed side by side, and four rows at once, because each
 * sum waits for its own last term. Entry VERTEX_PLANE_ORDER + 1 of a row is 0.
 */
static ALWAYS_INLINE void
four_at(const double *const *row, int top, double time, double *out)
{
    const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
    double z = time * time;
    pair zz = {z, z}, p = two(a + top), q = two(b + top), r = two(c + top),
         t = two(d + top);
    for (int k = top - 2; k >= 0; k -= 2) {
        p = p * zz + two(a + k);
        q = q * zz + two(b + k);
        r = r * zz + two(c + k);
        t = t * zz + two(d + k);
    }
    out[0] = p[0] + time * p[1];
    out[1] = q[0] + time * q[1];
    out[2] = r[0] + time * r[1];
    out[3] = t[0] + time * t[1];
}

static ALWAYS_INLINE pair
size_of(const double *x)
{
    return (pair)((pair_mask)two(x) & (pair_mask){INT64_MAX, INT64_MAX});
}

/* Returns the sum over four rows of |c_k| s^k beyond the terms of
 * VERTEX_PLANE_LOW. */
static ALWAYS_INLINE double
four_tail(const double *const *row, double s)
{
    double z = s * s, lead = z;
    pair zz = {z, z}, v = {0.0, 0.0};
    for (int k = VERTEX_PLANE_ORDER; k > VERTEX_PLANE_LOW; k -= 2)
        v = v * zz + ((size_of(row[0] + k) + size_of(row[1] + k)) +
                      (size_of(row[2] + k) + size_of(row[3] + k)));
    for (int k = 0; k < VERTEX_PLANE_LOW; k += 2)
        lead *= z;
    return lead * (v[0] + s * v[1]);
}

/* Sums over three rows of (sum of |c_k| s^k)^2 and of (sum of k |c_k|
 * s^(k-1))^2, and the tail as above. With a(s) = e(z) + s o(z) and z = s^2, a'
 * = 2 s e' + o + 2 z o'. Letters: a, b, c the rows; p, q, r their sums, even
 * terms in entry 0 and odd terms in entry 1; dp, dq, dr the derivatives of
 * these by z. */
static ALWAYS_INLINE void
three_squared(const double *const *row, double s, double *sum, double *slope,
              double *tail)
{
    const double *a = row[0], *b = row[1], *c = row[2];
    double z = s * s, lead = z;
    pair zz = {z, z}, p = size_of(a + VERTEX_PLANE_ORDER),
         q = size_of(b + VERTEX_PLANE_ORDER),
         r = size_of(c + VERTEX_PLANE_ORDER), dp = {0.0, 0.0}, dq = dp, dr = dp,
         beyond;
    int term = VERTEX_PLANE_ORDER - 2;
    for (int part = 0; part < 2; part++) {
        for (; term > (part ? -2 : VERTEX_PLANE_LOW); term -= 2) {
            dp = dp * zz + p;
            p = p * zz + size_of(a + term);
            dq = dq * zz + q;
            q = q * zz + size_of(b + term);
            dr = dr * zz + r;
            r = r * zz + size_of(c + term);
        }
        beyond = part ? beyond : p + q + r;
    }
    for (term = 0; term < VERTEX_PLANE_LOW; term += 2)
        lead *= z;
    *tail = lead * (beyond[0] + s * beyond[1]);
    const double x[3] = {p[0] + s * p[1], q[0] + s * q[1], r[0] + s * r[1]};
    const double y[3] = {2.0 * s * dp[0] + p[1] + 2.0 * z * dp[1],
                         2.0 * s * dq[0] + q[1] + 2.0 * z * dq[1],
                         2.0 * s * dr[0] + r[1] + 2.0 * z * dr[1]};
    *sum = vec3_dot(x, x);
    *slope = vec3_dot(y, y);
}

/* Gives values and rates of four rows. */
static void
four_rates_at(const double *const *row, double time, double *out, double *rate)
{
    double z = time * time;
    for (int i = 0; i < 4; i++) {
        pair zz = {z, z}, p = {0.0, 0.0}, d = p;
        for (int k = VERTEX_PLANE_ORDER; k >= 0; k -= 2) {
            d = d * zz + p;
            p = p * zz + two(row[i] + k);
        }
        out[i] = p[0] + time * p[1];
        rate[i] = 2.0 * time * d[0] + p[1] + 2.0 * z * d[1];
    }
}

/* -- one step of one contact ------------------------------------------------
 */

/* The degree of the polynomial of a row, which is a parabola most of the time.
 */
static int
degree(const double *c)
{
    int k = VERTEX_PLANE_ORDER;
    pair_mask any = (pair_mask)two(c + 3);
    for (int i = 5; i < VERTEX_PLANE_ORDER; i += 2)
        any |= (pair_mask)two(c + i);
    if (((unsigned long long)(any[0] | any[1]) << 1) == 0)
        k = 2; /* All of them are 0, with either sign. */
    while (k > 0 && c[k] == 0.0)
        k--;
    return k;
}

static const double zeros[VERTEX_PLANE_ORDER + 2];

/* Returns the height below which a vertex needs a closer look. */
static double
clear(const struct rt *run, const struct vertex_plane *plane)
{
    const double *x = run->env + rt_body(run, plane->body)->env_state;
    double where = 0.0;
    for (uint32_t i = 0; i < run->im->dim; i++)
        where += x[i] * x[i];
    double noise = 4.0 * DBL_EPSILON * (plane->length + sqrt(where));
    return VERTEX_PLANE_CLEAR *
           fmax(RT_GAP_SHARE * run->world.tolerance * plane->length,
                8.0 * noise);
}

/* Returns the sum of k (k - 1) |c_k| s^(k-2). */
static double
bend(const double *c, int top, double s)
{
    double y = 0.0;
    for (int k = top; k >= 2; k--)
        y = y * s + k * (k - 1) * fabs(c[k]);
    return y;
}

/* The bounds M_i of all vertices, and the error of the rough view. If q (or the
 * angle) is off by x = turn_off and w by y = spin_off, then R^T n is off by at
 * most 6 (1 + x) x, because it is n + 2 (v x (v x n) - q0 v x n). */
static void
bounds(struct vertex_plane_course *course, double horizon)
{
    double spin_square, spin_slope, spin_off;
    if (course->p->driven) {
        course->off = course->doff = course->turn = 0.0;
        for (int i = 0; i < 3; i++) {
            double bent = bend(course->g[i], VERTEX_PLANE_ORDER, horizon);
            course->turn += bent * bent;
        }
        course->turn = sqrt(course->turn);
        return;
    }
    double turn_off = four_tail(course->turn_row, horizon);
    three_squared(course->spin_row, horizon, &spin_square, &spin_slope,
                  &spin_off);
    course->turn = spin_square + sqrt(spin_slope);
    course->off = 6.0 * (1.0 + turn_off) * turn_off;
    course->doff =
        course->off * sqrt(spin_square) + (1.0 + course->off) * spin_off;
}

static void
begin(struct rt *run, const struct vertex_plane *plane,
      struct vertex_plane_course *course)
{
    const double *x = run->env + rt_body(run, plane->body)->env_state;
    const double *low = run->state_lo + (x - run->env - run->im->layout.state);
    uint32_t d = run->im->dim;
    const double *work = run->rows.block[plane->block];
    double rest = 0.0;
    course->degree = 1;
    course->z[0] = -plane->d;
    course->z[1] = 0.0;
    for (uint32_t i = 0; i < d; i++) {
        const double *row = work + plane->place[i];
        int to = plane->n[i] == 0.0 ? -1 : degree(row);
        rest += plane->n[i] * low[i];
        while (course->degree < to)
            course->z[++course->degree] = 0.0;
        for (int k = 0; k <= to; k++)
            course->z[k] += plane->n[i] * row[k];
    }
    course->z[0] += rest;
    for (int i = 0; i < 4; i++) {
        course->turn_row[i] =
            plane->flat && i > 0 ? zeros : work + plane->turn[i];
        course->spin_row[i] =
            plane->flat || i == 3 ? zeros : work + plane->spin[i];
    }
    if (plane->flat)
        course->spin_row[2] = work + plane->spin[0];
}

/* Makes n.c - d and g over a driven plane, from the pose c, R of body 1 in the
 * axes of body 0. Polytope over the plane n.y = d: g = R^T n and n.c - d. Plane
 * under the polytope: g = R n and -g.c - d. *h is lowered to the time for
 * which both series hold. */
static bool
begin_driven(struct rt *run, const struct vertex_plane *plane, double *horizon,
             struct vertex_plane_course *course)
{
    const imp_contact *image_contact = rt_contact(run, plane->contact);
    const double *rows[2], *out[12];
    double *work = contact_work(run, plane->contact);
    uint32_t dim = run->im->dim;
    contact_bodies_rows(run, image_contact, rows);
    contact_bodies_enter(run, image_contact);
    if (rt_series(run, image_contact->relative, NULL, rows, work,
                  VERTEX_PLANE_ORDER))
        return false;
    for (uint32_t i = 0; i < dim + dim * dim; i++)
        out[i] = tape_output_row(run, image_contact->relative, work, i);
    memset(course->g, 0, sizeof course->g);
    memset(course->z, 0, sizeof course->z);
    course->degree = VERTEX_PLANE_ORDER;
    for (uint32_t i = 0; i < dim; i++)
        for (uint32_t j = 0; j < dim; j++) {
            const double *R =
                out[dim + (plane->side == 0 ? dim * j + i : dim * i + j)];
            for (int m = 0; m <= VERTEX_PLANE_ORDER; m++)
                course->g[i][m] += plane->own_n[j] * R[m];
        }
    for (uint32_t i = 0; i < dim; i++)
        for (int m = 0; m <= VERTEX_PLANE_ORDER; m++)
            for (int l = 0; l <= m && plane->side == 1; l++)
                course->z[m] -= course->g[i][l] * out[i][m - l];
    for (uint32_t i = 0; i < dim && plane->side == 0; i++)
        for (int m = 0; m <= VERTEX_PLANE_ORDER; m++)
            course->z[m] += plane->own_n[i] * out[i][m];
    course->z[0] -= plane->own_d;
    for (int m = VERTEX_PLANE_ORDER - 1; m <= VERTEX_PLANE_ORDER; m++) {
        double big = fabs(course->z[m]);
        for (int i = 0; i < 3; i++)
            big = fmax(big, fabs(course->g[i][m]) * plane->radius);
        if (!isfinite(big))
            return false;
        if (big > 0.0)
            *horizon = fmin(
                *horizon,
                exp(log(VERTEX_PLANE_TRUNCATION * plane->length / big) / m));
    }
    for (int i = 0; i < 4; i++)
        course->turn_row[i] = i < 3 ? course->g[i] : course->z;
    return true;
}

bool
vertex_plane_begin(struct rt *run, const struct vertex_plane *plane,
                   double *horizon, struct vertex_plane_course *course)
{
    assert(run != NULL && plane != NULL && horizon != NULL && course != NULL);
    course->p = plane;
    course->clear = clear(run, plane);
    if (plane->driven) {
        if (!begin_driven(run, plane, horizon, course))
            return false;
    } else {
        begin(run, plane, course);
    }
    course->fall = bend(course->z, course->degree, *horizon);
    return true;
}

static ALWAYS_INLINE void
see(const struct vertex_plane_course *course, double time, enum sight how,
    struct view *view)
{
    const struct vertex_plane *plane = course->p;
    double pose[4], spin[4];
    for (int i = 0; i < 4 && how == AT_START; i++) {
        pose[i] = course->turn_row[i][0];
        spin[i] = course->spin_row[i][0];
    }
    if (how != AT_START) {
        int top = how == FULLY ? VERTEX_PLANE_ORDER : VERTEX_PLANE_LOW;
        four_at(course->turn_row, top, time, pose);
        four_at(course->spin_row, top, time, spin);
    }
    vertex_plane_turn_back(plane->flat, pose, plane->n, view->g);
    vec3_cross(view->g, spin, view->dg);
}

static void
look_driven(const struct vertex_plane_course *course, double time,
            struct view *view)
{
    double x[4], dx[4];
    four_rates_at(course->turn_row, time, x, dx);
    memcpy(view->g, x, sizeof view->g);
    memcpy(view->dg, dx, sizeof view->dg);
    view->z = x[3];
    view->dz = dx[3];
    view->off = view->doff = 0.0;
}

static void
look(const struct vertex_plane_course *course, double time, enum sight how,
     struct view *view)
{
    if (course->p->driven) {
        look_driven(course, time, view);
        return;
    }
    double y = course->z[course->degree], dy = 0.0;
    for (int k = course->degree - 1; k >= 0; k--) {
        dy = dy * time + y;
        y = y * time + course->z[k];
    }
    view->z = y;
    view->dz = dy;
    view->off = how == ROUGHLY ? course->off : 0.0;
    view->doff = how == ROUGHLY ? course->doff : 0.0;
    if (how == AT_START)
        see(course, time, AT_START, view);
    else if (how == ROUGHLY)
        see(course, time, ROUGHLY, view);
    else
        see(course, time, FULLY, view);
}

/* heights and rates of eight vertices, less what they may be off by */
struct low {
    double H[EIGHT], D[EIGHT], M[EIGHT];
};
static ALWAYS_INLINE void
lowest(const struct vertex_plane_course *course, const struct view *view,
       const struct vertex_eight *eight, struct low *low)
{
    for (int i = 0; i < EIGHT; i++)
        low->H[i] = view->z +
                    (view->g[0] * eight->x[0][i] + view->g[1] * eight->x[1][i] +
                     view->g[2] * eight->x[2][i] - view->off * eight->far[i]);
    for (int i = 0; i < EIGHT; i++)
        low->D[i] =
            view->dz +
            (view->dg[0] * eight->x[0][i] + view->dg[1] * eight->x[1][i] +
             view->dg[2] * eight->x[2][i] - view->doff * eight->far[i]);
    for (int i = 0; i < EIGHT; i++)
        low->M[i] = course->fall + eight->far[i] * course->turn;
}

/* -- the first vertex that comes down ---------------------------------------
 */

static inline bool
same(const struct vertex_plane *plane, uint32_t i, uint32_t j)
{
    return i == j || (i + 1 >= plane->n_vertex && j + 1 >= plane->n_vertex);
}

/* Do all vertices except `but` stay above the band for the time `safe` from the
 * view on? */
static bool
others_stay(const struct vertex_plane_course *course, const struct view *view,
            uint32_t but, double safe)
{
    for (uint32_t group = 0; group < course->p->n_eight; group++) {
        const struct vertex_eight *eight = &course->p->eight[group];
        struct low low;
        lowest(course, view, eight, &low);
        for (uint32_t i = 0; i < EIGHT; i++)
            if (!(low.H[i] > course->clear &&
                  low.H[i] + safe * (low.D[i] - 0.5 * low.M[i] * safe) >
                      course->clear) &&
                !same(course->p, group * EIGHT + i, but))
                return false;
    }
    return true;
}

static void
one(const struct vertex_plane_course *course, const struct view *view,
    uint32_t i, double *H, double *D)
{
    const struct vertex_eight *eight = &course->p->eight[i / EIGHT];
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = eight->x[k][i % EIGHT];
    *H = view->z + vec3_dot(view->g, x);
    *D = view->dz + vec3_dot(view->dg, x);
}

/* The root of H_i near *time. A step dt of Newton's method leaves H <= M
 * dt^2/2. The view is of a time just before the root then. */
static enum found
polish(const struct vertex_plane_course *course, uint32_t i, double M,
       double *time, struct view *view)
{
    double H, D, fine = DBL_EPSILON * (fabs(course->z[0]) + course->p->radius);
    enum sight how = ROUGHLY;
    for (int n = 0; n < 16; n++) {
        one(course, view, i, &H, &D);
        double dt = -H / D, left = 0.5 * M * dt * dt;
        *time += dt;
        if (how == FULLY && left <= fine)
            return FOUND_ROOT;
        if (left <= fmax(4.0 * course->p->radius * course->off, fine))
            how = FULLY;
        look(course, *time, how, view);
    }
    return FOUND_UNCLEAR;
}

/* Returns a time for which the height of the vertex stays above 0. */
static ALWAYS_INLINE double
lasts(const struct first_vertex *first)
{
    double root = sqrt(first->D * first->D + 2.0 * first->M * first->H);
    return first->D > 0.0 ? (first->D + root) / first->M
                          : 2.0 * first->H / (root - first->D);
}

/* Lowers *safe to the time that is safe from the view on; first: the vertex
 * that limits it. The vertex that limited an earlier time is looked at first:
 * most others are safe for as long as it is. FOUND_UNCLEAR: a vertex is near
 * the plane, and not on its way up. */
static enum found
soonest(const struct vertex_plane_course *course, const struct view *view,
        double *safe, struct first_vertex *first)
{
    enum found any = FOUND_NONE;
    uint32_t hint = first->i % EIGHT;
    for (uint32_t group = 0; group < course->p->n_eight; group++) {
        struct low low;
        lowest(course, view, &course->p->eight[group], &low);
        for (uint32_t k = 0; k < EIGHT; k++) {
            uint32_t i = k ^ hint;
            double H = low.H[i], D = low.D[i], M = low.M[i];
            if (H < course->clear &&
                (D <= 0.0 || D * D < 4.0 * course->clear * M ||
                 H < -course->clear / VERTEX_PLANE_CLEAR))
                return FOUND_UNCLEAR;
            if (H + *safe * (D - 0.5 * M * *safe) > 0.0)
                continue;
            *first = (struct first_vertex){group * EIGHT + i, H, D, M};
            *safe = lasts(first);
            any = FOUND_MORE;
        }
    }
    return any;
}

/* The root at which the vertex `first`, and no other, comes down soon after
 * *time; view: at *time. */
static enum found
comes_down(const struct vertex_plane_course *course,
           const struct first_vertex *first, double *time, double horizon,
           struct view *view)
{
    double H, D;
    if (polish(course, first->i, first->M, time, view) != FOUND_ROOT)
        return FOUND_UNCLEAR;
    if (*time > horizon)
        return FOUND_NONE;
    one(course, view, first->i, &H, &D);
    return D < 0.0 && D * D > 4.0 * course->clear * first->M &&
                   others_stay(course, view, first->i, 0.0)
               ? FOUND_ROOT
               : FOUND_UNCLEAR;
}

/* A ball around the body is looked at first. */
enum found
vertex_plane_search(struct vertex_plane_course *course, bool leaves,
                    double *horizon, struct first_vertex *first)
{
    assert(horizon != NULL && first != NULL);
    struct view view;
    enum sight how = AT_START;
    double time = 0.0;
    *first = (struct first_vertex){0, course->z[0] - course->p->radius,
                                   course->z[1], course->fall};
    if (first->H > 0.0) {
        if (first->H + *horizon * (first->D - 0.5 * first->M * *horizon) > 0.0)
            return FOUND_NONE;
        time = lasts(first);
        how = ROUGHLY;
    }
    bounds(course, *horizon);
    for (int round = 0; round < VERTEX_PLANE_ROUNDS; round++) {
        double safe = *horizon - time;
        look(course, time, how, &view);
        if (how == AT_START && !leaves &&
            !others_stay(course, &view, UINT32_MAX, 0.0))
            return FOUND_UNCLEAR;
        enum found found = soonest(course, &view, &safe, first);
        if (found == FOUND_UNCLEAR && how == ROUGHLY) {
            how = FULLY;
            continue;
        }
        if (found != FOUND_MORE)
            return found;
        /* bounds from above: until here H and D were bounds from below */
        first->H += 2.0 * view.off * course->p->radius;
        first->D += 2.0 * view.doff * course->p->radius;
        if (first->D < 0.0 && first->D * first->D > 4.0 * first->M * first->H &&
            others_stay(course, &view, first->i, -1.2 * first->H / first->D)) {
            found = comes_down(course, first, &time, *horizon, &view);
            *horizon = found == FOUND_ROOT ? time : *horizon;
            return found;
        }
        /* A little less: if M_i is the second derivative itself, the safe time
         * ends on the plane. */
        safe *= VERTEX_PLANE_SHORT;
        if (!(time + safe > time))
            return FOUND_UNCLEAR;
        time += safe;
        how = ROUGHLY;
    }
    *horizon = time;
    return FOUND_NONE;
}

bool
vertex_plane_clear_at(const struct vertex_plane_course *course, double time)
{
    struct view view;
    look(course, time, FULLY, &view);
    return others_stay(course, &view, UINT32_MAX, 0.0);
}
