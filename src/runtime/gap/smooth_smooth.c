/* SPDX-License-Identifier: MIT */
/* Closest points and gap of a contact (closest_points.h): a guess (the last
 * closest points, or the direction of greatest separation), Newton's method on
 * the conditions of closest points to rounding, and a check that the answer is
 * the one that was asked for.
 *
 * For convex bodies apart, points with opposite normals along their connecting
 * line are the closest points: the conditions are also sufficient. Where the
 * bodies overlap they hold at every stationary direction of the separation
 * sigma(n); the gap is its greatest value (spec 0.C), which deep inside has to
 * be looked for from several directions. */
#include "runtime/gap/closest_points.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/system.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/functions.h"

/* Newton steps, relative to the sizes: converged to rounding */
#define SMOOTH_GAP_STEP (8.0 * DBL_EPSILON)
/* a move of this size that was 100 times smaller than the one before: Newton's
 * method converges fast, and the next move, of the square of that size, is as
 * right with the factors there are */
#define SMOOTH_GAP_CHORD 1e-8
/* smallest eigenvalue of K1 + K2 times length that is not flat:
 * the closest points are then known to 1e-16/1e-9 = 1e-7 of the length and
 * the gap still to rounding */
#define SMOOTH_GAP_FLATNESS 1e-9
/* overlap, in units of the smallest of the bodies' radii of curvature and
 * half-widths there, up to which the separation has one greatest direction
 * near the last one; deeper, all directions are looked at */
#define SMOOTH_GAP_DEEP 0.1
/* an overlap of this share of the length is rounding */
#define SMOOTH_GAP_ROUNDING 1e-14
/* how well the direction of separation is found before Newton's method takes
 * over, as an angle: its own convergence is quadratic, and a step of it costs
 * half as much */
#define SMOOTH_GAP_COARSE 3e-2
/* a warm start may not move the points further than this share of the size */
#define SMOOTH_GAP_WARM_MOVE 0.3

/* An answer, and the question: poses and warm start. Who moves the model to an
 * event and reads it there asks twice at the same state. */
struct closest_points_memo {
    bool good;
    double time, state[2 * IMP_STATE_SPACE], u[8];
    struct closest_points answer;
};

/* the question of a contact, as it stands */
static size_t
question(const struct rt *run, const imp_contact *image_contact, double *state)
{
    size_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    for (int i = 0; i < 2; i++)
        memcpy(state + (size_t)i * n,
               run->env + rt_body(run, image_contact->body[i])->env_state,
               n * sizeof *state);
    return 2 * n * sizeof *state;
}

static bool
remembered(struct rt *run, uint32_t contact, struct closest_points *out)
{
    double state[2 * IMP_STATE_SPACE];
    if (!run->closest_points || !run->contact_warm[contact])
        return false;
    const struct closest_points_memo *m = &run->closest_points[contact];
    const double *u = run->contact_u + 8 * (size_t)contact;
    if (!m->good || m->time != rt_time(run) || memcmp(m->u, u, sizeof m->u))
        return false;
    if (memcmp(m->state, state, question(run, rt_contact(run, contact), state)))
        return false;
    *out = m->answer;
    return true;
}

static void
remember(struct rt *run, uint32_t contact, const struct closest_points *c)
{
    if (!run->closest_points)
        run->closest_points =
            NEW_N(run->own, struct closest_points_memo, run->im->contacts.n);
    struct closest_points_memo *m = &run->closest_points[contact];
    m->good = true;
    m->time = rt_time(run);
    question(run, rt_contact(run, contact), m->state);
    memcpy(m->u, c->u, sizeof m->u);
    m->answer = *c;
}

/* Newton on the contact's kkt tape from u; *gap on success */
static enum support_fault
newton(struct rt *run, const imp_contact *image_contact,
       const struct support_pair *pair, double *u, double *gap)
{
    int n = (int)image_contact->n_unknown, d = pair->b[0].d;
    double out[8 + 64 + 1], a[64], last = INFINITY;
    bool factored = false;
    int piv[8];
    for (int it = 0; it < 80; it++) {
        int st = rt_eval(run, image_contact->kkt, u, out);
        if (st != IMP_OK)
            return SUPPORT_NONFINITE;
        *gap = out[n + n * n];
        if (!factored) {
            memcpy(a, out + n, sizeof(double) * (size_t)(n * n));
            if (imp_lu_factor(n, a, piv) != 0)
                return SUPPORT_FLAT;
        }
        imp_lu_solve(n, a, piv, out);
        double move = 0.0, scale = 0.0;
        for (int i = 0; i < 2 * d; i++) {
            if (!isfinite(out[i]))
                return SUPPORT_LOST;
            move = fmax(move, fabs(out[i]));
            scale = fmax(scale, fabs(u[i]));
        }
        if (move > 4.0 * pair->length)
            return SUPPORT_LOST;
        for (int i = 0; i < n; i++)
            u[i] -= out[i];
        /* at rounding: the step is tiny, or stopped shrinking */
        if (move <= SMOOTH_GAP_STEP * (scale + pair->length) ||
            (move < 1e-11 * (scale + pair->length) && move >= 0.25 * last)) {
            /* the gap of the corrected point: gamma |N0|, N0 moved little */
            if (move <= 1e-12 * (scale + pair->length) &&
                rt_eval(run, image_contact->kkt, u, out) == IMP_OK)
                *gap = out[n + n * n];
            return SUPPORT_FINE;
        }
        /* near a point of vanishing curvature of order m the error falls
         * by (m - 1)/m only */
        if (it > 12 && move > 0.95 * last)
            return SUPPORT_LOST;
        factored = move <= SMOOTH_GAP_CHORD * (scale + pair->length) &&
                   move < 1e-2 * last;
        last = move;
    }
    return SUPPORT_LOST;
}

/* x is on the branch of G = 0 nearest to the origin */
static bool
first_on_ray(const struct support_body *b, const double *x)
{
    static const double share[] = {0.2, 0.5, 0.8, 0.95};
    if (b->flat)
        return true;
    for (int i = 0; i < 4; i++) {
        double y[3] = {share[i] * x[0], share[i] * x[1],
                       b->d == 3 ? share[i] * x[2] : 0.0},
               G;
        if (b->b->g0 == IMP_NO_TAPE)
            return true;
        if (rt_eval(b->r, b->b->g0, y, &G) != IMP_OK || G >= 0.0)
            return false;
    }
    return true;
}

/* may the separation have other maxima, for an overlap of -gap at the points
 * of s? */
static bool
is_deep(const struct support_pair *pair, double gap)
{
    double scale = INFINITY;
    if (gap >= -SMOOTH_GAP_ROUNDING * pair->length || pair->b[0].flat ||
        pair->b[1].flat)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct support_point *p = &pair->p[i];
        double N[3], T[2][3], K[3], e[2];
        for (int j = 0; j < 3; j++)
            N[j] = p->g[j] / p->norm;
        support_tangents(pair->b[i].d, N, T);
        support_curvature(&pair->b[i], p, T, K);
        support_principal_curvatures(pair->b[i].d, K, e);
        scale = fmin(scale, vec3_dot(N, p->x));
        if (e[1] > 0.0)
            scale = fmin(scale, 1.0 / e[1]);
    }
    return gap < -SMOOTH_GAP_DEEP * scale;
}

/* fills out from u, and checks what kind of stationary point it is */
static enum support_fault
finish(struct support_pair *pair, const double *u, double gap,
       struct closest_points *o)
{
    int d = pair->b[0].d;
    if (!(u[2 * d + 1] > 0.0)) /* mu: normals must oppose */
        return SUPPORT_LOST;
    for (int i = 0; i < 2; i++) {
        double x[3] = {u[i * d], u[i * d + 1], d == 3 ? u[i * d + 2] : 0.0};
        enum support_fault fault = support_level(&pair->b[i], x, &pair->p[i]);
        if (fault != SUPPORT_FINE || !(pair->p[i].norm > 0.0))
            return SUPPORT_LOST;
        pair->have[i] = true;
        if (fabs(pair->p[i].G) >
            1e-10 * pair->p[i].norm * (pair->length + vec3_norm(x)))
            return SUPPORT_LOST;
        support_to_world(&pair->b[i], x, i == 0 ? o->P : o->Q);
    }
    double n[3], T[2][3], t[2][3], K[2][3], e[2][2], m[2], M[3];
    for (int i = 0; i < 3; i++)
        n[i] = pair->p[0].g[i] / pair->p[0].norm;
    support_rotate(&pair->b[0], n, o->n);
    o->gap = gap;
    memset(o->u, 0, sizeof o->u);
    memcpy(o->u, u, sizeof(double) * (size_t)(2 * d + 2));
    /* curvatures: both convex, and K1 + K2 + gap K1 K2 positive definite */
    support_tangents(d, o->n, T);
    for (int i = 0; i < 2; i++) {
        support_rotate_back(&pair->b[i], T[0], t[0]);
        support_rotate_back(&pair->b[i], T[1], t[1]);
        support_curvature(&pair->b[i], &pair->p[i], t, K[i]);
        support_principal_curvatures(d, K[i], e[i]);
    }
    double curved = fmax(fabs(e[0][1]), fabs(e[1][1]));
    for (int i = 0; i < 2; i++)
        if (e[i][0] < -1e-7 * (1.0 / pair->length + curved))
            return SUPPORT_NOT_CONVEX;
    /* K1 + K2 + gap K1 K2 = K1 (W1 + W2 + gap) K2 with W = K^-1: for convex
     * bodies apart it is regular where K1 + K2 is */
    for (int i = 0; i < 3; i++)
        M[i] = K[0][i] + K[1][i];
    support_principal_curvatures(d, M, m);
    o->condition = fmax(m[1], 1.0 / pair->length) / m[0];
    if (m[0] * pair->length < SMOOTH_GAP_FLATNESS) {
        o->condition = INFINITY;
        return SUPPORT_FLAT;
    }
    if (gap >= 0.0)
        return SUPPORT_FINE;
    /* overlapping: the separation is greatest where W1 + W2 + gap > 0 */
    double W[2][3];
    for (int i = 0; i < 2; i++)
        support_radii(d, K[i], 1e-9 / pair->length, W[i]);
    for (int i = 0; i < 3; i++)
        M[i] = W[0][i] + W[1][i] + (i == 1 ? 0.0 : gap);
    support_principal_curvatures(d, M, m);
    if (m[0] <= 0.0)
        return SUPPORT_LOST;
    o->condition = fmax(o->condition, -gap / m[0]);
    return SUPPORT_FINE;
}

/* direction of greatest separation from scratch */
static enum support_fault
search(struct support_pair *pair)
{
    double n[3];
    int flat = pair->b[0].flat ? 0 : pair->b[1].flat ? 1 : -1;
    pair->have[0] = pair->have[1] = false;
    if (flat >= 0) {
        struct support_point p;
        double zero[3] = {0.0, 0.0, 0.0}, g[3];
        if (pair->b[1 - flat].flat)
            return SUPPORT_FLAT;
        enum support_fault fault = support_level(&pair->b[flat], zero, &p);
        if (fault != SUPPORT_FINE || !(p.norm > 0.0))
            return fault != SUPPORT_FINE ? fault : SUPPORT_NO_ROOT;
        support_rotate(&pair->b[flat], p.g, g);
        for (int i = 0; i < 3; i++)
            n[i] = (flat == 0 ? 1.0 : -1.0) * g[i] / p.norm;
        return support_separation(pair, n);
    }
    for (int i = 0; i < 3; i++)
        n[i] = pair->b[1].c[i] - pair->b[0].c[i];
    double l = vec3_norm(n);
    if (l > 0.0)
        for (int i = 0; i < 3; i++)
            n[i] /= l;
    else
        n[0] = 1.0;
    enum support_fault found = support_separation(pair, n);
    return found == SUPPORT_FINE
               ? support_separation_maximise(pair, SMOOTH_GAP_COARSE, 60)
               : found;
}

/* The separation is a concave function of a vector of any length: with w from
 * P to Q at one direction, sigma(m) <= w.m for every m. The greatest value of
 * that over directions within `angle` of the unit vector m. */
static double
bound_near(const double w[3], const double m[3], double angle)
{
    double along = vec3_dot(w, m), all = vec3_dot(w, w);
    double across = sqrt(fmax(all - along * along, 0.0));
    if (along > 0.0 && across <= along * tan(angle))
        return sqrt(all); /* w itself is among them */
    return along * cos(angle) + across * sin(angle);
}

/* from the point of the first body to that of the second */
static void
connect(const struct support_pair *pair, double w[3])
{
    double p[3], q[3];
    support_to_world(&pair->b[0], pair->p[0].x, p);
    support_to_world(&pair->b[1], pair->p[1].x, q);
    for (int i = 0; i < 3; i++)
        w[i] = q[i] - p[i];
}

/* deep overlap: the separation has several maxima; the greatest of those
 * reached from many directions, of which each stands for those near it */
static void
search_all(struct support_pair *best)
{
    enum { PLANE = 16, SPACE = 26 };
    int d = best->b[0].d, many = d == 2 ? PLANE : SPACE, known = 1;
    /* no direction is farther than this from the next one of the spread */
    double angle = d == 2 ? 3.2 / PLANE : 0.54, w[SPACE + 1][3];
    connect(best, w[0]);
    for (int i = 0; i < many; i++) {
        struct support_pair pair = *best;
        double n[3] = {0.0, 0.0, 0.0};
        double least = best->sigma + 1e-9 * best->length;
        bool hopeless = false;
        if (d == 2) {
            double a = 6.283185307179586 * (i + 0.25) / many;
            n[0] = cos(a);
            n[1] = sin(a);
        } else {
            /* even spread (golden spiral) */
            double z = 1.0 - (2 * i + 1) / (double)many;
            double q = sqrt(1.0 - z * z), a = 2.399963229728653 * i;
            n[0] = q * cos(a);
            n[1] = q * sin(a);
            n[2] = z;
        }
        for (int k = 0; k < known && !hopeless; k++)
            hopeless = bound_near(w[k], n, angle) < least;
        pair.have[0] = pair.have[1] = false;
        if (hopeless || support_separation(&pair, n) != SUPPORT_FINE)
            continue;
        connect(&pair, w[known++]);
        if (bound_near(w[known - 1], n, angle) >= least &&
            support_separation_maximise(&pair, 1e-5, 40) == SUPPORT_FINE &&
            pair.sigma > least)
            *best = pair;
    }
}

/* unknowns of the contact from a climbed pair */
static void
guess(const struct support_pair *pair, double *u)
{
    int d = pair->b[0].d;
    for (int i = 0; i < d; i++) {
        u[i] = pair->p[0].x[i];
        u[d + i] = pair->p[1].x[i];
    }
    u[2 * d] = pair->sigma / pair->p[0].norm;
    u[2 * d + 1] = pair->p[1].norm / pair->p[0].norm;
}

/* out from the climbed pair alone, where Newton's method has no regular
 * system (flat surfaces): the gap is still right to second order */
static void
from_pair(const struct support_pair *pair, struct closest_points *o)
{
    memset(o, 0, sizeof *o);
    guess(pair, o->u);
    o->gap = pair->sigma;
    memcpy(o->n, pair->n, sizeof o->n);
    support_to_world(&pair->b[0], pair->p[0].x, o->P);
    support_to_world(&pair->b[1], pair->p[1].x, o->Q);
    o->condition = INFINITY;
}

static enum support_fault
solve_cold(struct rt *run, const imp_contact *image_contact,
           struct support_pair *pair, struct closest_points *o)
{
    double u[8], gap;
    enum support_fault fault = search(pair), g;
    /* lost on the climb: near enough for Newton's method, perhaps */
    if (fault != SUPPORT_FINE &&
        !(fault == SUPPORT_LOST && pair->have[0] && pair->have[1]))
        return fault;
    if (is_deep(pair, pair->sigma))
        search_all(pair);
    /* Newton from a coarse direction, from a fine one if that fails */
    g = SUPPORT_LOST;
    for (int round = 0; round < 3; round++) {
        struct support_pair t = *pair;
        guess(pair, u);
        g = newton(run, image_contact, pair, u, &gap);
        if (g == SUPPORT_FINE)
            g = finish(&t, u, gap, o);
        if (g == SUPPORT_FINE && (gap < pair->sigma - 1e-6 * pair->length ||
                                  !first_on_ray(&t.b[0], u) ||
                                  !first_on_ray(&t.b[1], u + pair->b[0].d)))
            g = SUPPORT_LOST;
        if (g == SUPPORT_FINE || g == SUPPORT_NOT_CONVEX)
            return g;
        if (pair->b[0].flat || pair->b[1].flat)
            break;
        fault =
            support_separation_maximise(pair, round == 0 ? 1e-6 : 1e-11, 100);
        if (fault != SUPPORT_FINE && fault != SUPPORT_LOST)
            return fault;
    }
    from_pair(pair, o);
    /* flat is what the curvatures say, not what an iteration felt */
    struct support_pair t = *pair;
    struct closest_points c;
    fault = finish(&t, o->u, o->gap, &c);
    return fault == SUPPORT_FLAT || g == SUPPORT_FLAT ? SUPPORT_FLAT
           : fault == SUPPORT_NOT_CONVEX              ? fault
                                                      : SUPPORT_LOST;
}

static void
complain(struct rt *run, const imp_contact *image_contact,
         const struct support_pair *pair, enum support_fault fault)
{
    const imp_body *b0 = pair->b[0].b, *b1 = pair->b[1].b;
    const char *n0 = imp_text(run->im, b0->name),
               *n1 = imp_text(run->im, b1->name);
    struct diag *diag;
    switch (fault) {
    case SUPPORT_FLAT:
        diag = diag_add(run->ds, DIAG_E0610, image_contact->range,
                        "`%s` and `%s` are flat where they face each other: no "
                        "unique closest points",
                        n0, n1);
        diag_help(run->ds, diag,
                  "K1 + K2 must be positive in every tangent direction; turn "
                  "or shift one of the bodies, or use a shape without flat "
                  "points");
        break;
    case SUPPORT_NOT_CONVEX: {
        int bad = 0;
        for (int i = 0; i < 2; i++) {
            double T[2][3], K[3], e[2], N[3];
            for (int j = 0; j < 3; j++)
                N[j] = pair->p[i].norm > 0 ? pair->p[i].g[j] / pair->p[i].norm
                                           : j == 0;
            support_tangents(pair->b[i].d, N, T);
            support_curvature(&pair->b[i], &pair->p[i], T, K);
            support_principal_curvatures(pair->b[i].d, K, e);
            if (e[0] < 0.0)
                bad = i;
        }
        const imp_body *body = pair->b[bad].b;
        diag = diag_add(run->ds, DIAG_E0611, body->range_shape,
                        "`%s` is not convex where `%s` is closest to it",
                        bad ? n1 : n0, bad ? n0 : n1);
        diag_note(run->ds, diag, image_contact->range,
                  "asked for by this contact");
        diag_help(run->ds, diag,
                  "bodies in contact must be strictly convex; choose a level "
                  "set or parameters for which they are");
        break;
    }
    case SUPPORT_NO_ROOT: {
        int bad = pair->have[0] && !pair->have[1];
        const imp_body *body = pair->b[bad].b;
        diag =
            diag_add(run->ds, DIAG_E0612, body->range_shape,
                     "the level set of `%s` has no surface in some direction",
                     bad ? n1 : n0);
        diag_help(run->ds, diag,
                  "G must be negative at the shape's origin and positive far "
                  "from it on every ray");
        break;
    }
    case SUPPORT_NONFINITE: {
        double zero[3] = {0.0, 0.0, 0.0}, o[10];
        for (int i = 0; i < 2; i++)
            if (rt_eval(run, pair->b[i].b->g2,
                        pair->have[i] ? pair->p[i].x : zero,
                        o) == IMP_NONFINITE) {
                rt_nonfinite(run, pair->b[i].b->g2,
                             pair->have[i] ? pair->p[i].x : zero);
                return;
            }
    }
        /* fall through */
    default:
        diag =
            diag_add(run->ds, DIAG_E0613, image_contact->range,
                     "no closest points of `%s` and `%s` were found", n0, n1);
        diag_help(run->ds, diag,
                  "both bodies must be smooth and strictly convex, with the "
                  "shape's origin well inside");
    }
}

/* polytopes answer by features; u stays 0 */
static int
closest_corners(struct rt *run, uint32_t contact, struct closest_points *out,
                bool loud)
{
    struct nearest_features c;
    int st = polytope_contact_closest(run, contact, &c, loud);
    memset(out, 0, sizeof *out);
    out->gap = NAN;
    if (st != IMP_OK && st != IMP_SINGULAR)
        return st;
    out->gap = c.gap;
    memcpy(out->P, c.P, sizeof c.P);
    memcpy(out->Q, c.Q, sizeof c.Q);
    memcpy(out->n, c.n, sizeof c.n);
    out->condition = st == IMP_OK ? 1.0 : INFINITY;
    return st;
}

/* a gap in generalised coordinates: it has no points */
static int
gap_of_system(struct rt *run, const imp_contact *image_contact,
              uint32_t contact, struct closest_points *out)
{
    double rate;
    memset(out, 0, sizeof *out);
    return system_gap(run, image_contact->system,
                      contact - rt_system(run, image_contact->system)->contact,
                      &out->gap, &rate, NULL);
}

int
closest_points_find(struct rt *run, uint32_t contact,
                    struct closest_points *out, bool loud)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    struct support_pair pair;
    enum support_fault fault = SUPPORT_LOST;
    double *last = run->contact_u + 8 * (size_t)contact;
    if (image_contact->system != IMP_NO_SYSTEM)
        return gap_of_system(run, image_contact, contact, out);
    if (image_contact->flags & IMP_CONTACTF_CORNERS)
        return closest_corners(run, contact, out, loud);
    if (remembered(run, contact, out))
        return IMP_OK;
    memset(&pair, 0, sizeof pair);
    memset(out, 0, sizeof *out);
    out->gap = NAN;
    support_body_get(run, image_contact->body[0], &pair.b[0]);
    support_body_get(run, image_contact->body[1], &pair.b[1]);
    pair.length = support_length(&pair.b[0], &pair.b[1]);
    if (run->contact_warm[contact]) {
        double u[8], gap;
        memcpy(u, last, sizeof u);
        fault = newton(run, image_contact, &pair, u, &gap);
        for (int i = 0; i < 2 * pair.b[0].d && fault == SUPPORT_FINE; i++) {
            const struct support_body *b = &pair.b[i / pair.b[0].d];
            if (b->size > 0.0 &&
                fabs(u[i] - last[i]) > SMOOTH_GAP_WARM_MOVE * b->size)
                fault = SUPPORT_LOST;
        }
        if (fault == SUPPORT_FINE)
            fault = finish(&pair, u, gap, out);
        if (fault == SUPPORT_FINE && is_deep(&pair, gap))
            fault = SUPPORT_LOST;
    }
    if (fault != SUPPORT_FINE)
        fault = solve_cold(run, image_contact, &pair, out);
    if (fault == SUPPORT_FINE) {
        out->deep = is_deep(&pair, out->gap);
        memcpy(last, out->u, sizeof out->u);
        run->contact_warm[contact] = 1;
        remember(run, contact, out);
        return IMP_OK;
    }
    run->contact_warm[contact] = 0;
    if (loud) {
        complain(run, image_contact, &pair, fault);
        return IMP_FAILED;
    }
    return fault == SUPPORT_FLAT ? IMP_SINGULAR : IMP_DIVERGED;
}

int
closest_points_to_env(struct rt *run, uint32_t contact)
{
    struct closest_points c;
    int st = closest_points_find(run, contact, &c, true);
    if (st != IMP_OK)
        return st;
    double *e = run->env + rt_contact(run, contact)->env_contact;
    e[IMP_CONTACT_GAP] = c.gap;
    memcpy(e + IMP_CONTACT_P, c.P, sizeof c.P);
    memcpy(e + IMP_CONTACT_Q, c.Q, sizeof c.Q);
    memcpy(e + IMP_CONTACT_NORMAL, c.n, sizeof c.n);
    return IMP_OK;
}

/* coefficients of output i of the event tape of a contact */
static const double *
event_row(const struct rt *run, uint32_t contact, uint32_t i)
{
    const imp_tape *tape = IMP_ARRAY(run->im, run->im->tapes, imp_tape) +
                           rt_contact(run, contact)->event;
    uint32_t reg = IMP_ARRAY(run->im, tape->outs, uint32_t)[i];
    const imp_instr *in = IMP_ARRAY(run->im, tape->code, imp_instr) + reg;
    return run->event_work[contact] + (size_t)in->row * IMP_ROW_STRIDE +
           IMP_ROW_PAD;
}

void
closest_points_predict(struct rt *run, uint32_t contact, int order, double dt)
{
    double *u = run->contact_u + 8 * (size_t)contact;
    if (rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS) {
        polytope_contact_predict(run, contact, order, dt);
        return;
    }
    for (uint32_t i = 0; i < rt_contact(run, contact)->n_unknown; i++) {
        const double *c = event_row(run, contact, 1 + i);
        double y = c[order];
        for (int k = order - 1; k >= 0; k--)
            y = y * dt + c[k];
        if (isfinite(y))
            u[i] = y;
    }
}

int
contact_gap_series(struct rt *run, uint32_t contact, int order, double *out)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    const double *rows[2] = {NULL, NULL};
    if (image_contact->system != IMP_NO_SYSTEM)
        return system_gap_series(
            run, image_contact->system,
            contact - rt_system(run, image_contact->system)->contact, order,
            out);
    if (image_contact->flags & IMP_CONTACTF_CORNERS)
        return polytope_contact_series(run, contact, order, out, NULL);
    if (!run->contact_warm[contact]) {
        struct closest_points c;
        int st = closest_points_find(run, contact, &c, false);
        if (st != IMP_OK)
            return st;
    }
    for (int i = 0; i < 2; i++) {
        uint32_t b = rt_body(run, image_contact->body[i])->block;
        if (b != IMP_NO_BLOCK && b < run->im->blocks.n)
            rows[i] = run->work[b];
    }
    int st = rt_series(run, image_contact->event,
                       run->contact_u + 8 * (size_t)contact, rows,
                       run->event_work[contact], order);
    if (st != IMP_OK)
        return st;
    memcpy(out, event_row(run, contact, 0),
           sizeof(double) * (size_t)(order + 1));
    return IMP_OK;
}
