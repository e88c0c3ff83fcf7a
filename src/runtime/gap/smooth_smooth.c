/* SPDX-License-Identifier: MIT */
/* Closest points and gap of two smooth bodies, such as two ellipsoids
 * (smooth_smooth_priv.h). The search has three steps: a guess (the last closest
 * points, or the support points for the direction of greatest separation),
 * Newton's method on the conditions of closest points until only rounding is
 * left, and a check that the stationary point found is the one asked for.
 *
 * The conditions (tape imp_contact.kkt): both points lie on their surfaces, the
 * normals there are opposite, and both lie along the line between the points.
 * Their Jacobian is regular if and only if K1 + K2 + gap K1 K2 is, with the
 * curvature matrices K1, K2 in the tangent plane. While convex bodies are
 * apart, only the closest points meet the conditions. While the bodies overlap,
 * every stationary direction of the separation sigma(n) meets them, and the gap
 * is the greatest of its values (Palffy-Muhoray et al. 2018, tangential.md
 * 0.C). Letters: K curvature matrices in the tangents T (t in body axes), e
 * their eigenvalues, W = K^-1, M a sum of two of these. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/features/separation_search.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/smooth_smooth_priv.h"
#include "runtime/geometry/pose.h"
#include "runtime/numerics/factors.h"
#include "runtime/numerics/vec3.h"
#include "runtime/tape/functions.h"

/* If a step is below this share and 100 times smaller than the one before, the
 * method converges so fast that the next step, of the square of this size, may
 * use the factors of the Jacobian that are there. */
#define SMOOTH_GAP_CHORD 1e-8
/* An overlap is deep when it is more than this share of the smallest of the
 * radii of curvature and half-widths of both bodies. Up to that depth the
 * direction of greatest separation stays near the last one; deeper, the search
 * looks at all directions. */
#define SMOOTH_GAP_DEEP 0.1
/* an overlap of this share of the length is rounding */
#define SMOOTH_GAP_ROUNDING 1e-14
/* A search from the last closest points is given up when a point moves by more
 * than this share of its body's size. */
#define SMOOTH_GAP_WARM_MOVE 0.3

/* The last answer for a contact with the state it belongs to. A run that moves
 * to an event and reads the gap there asks twice at the same state. */
struct closest_points_memo {
    bool good;
    double time, state[2 * IMP_STATE_SPACE], u[8];
    struct closest_points answer;
};

static bool
remembered(struct rt *run, uint32_t contact, struct closest_points *out)
{
    double state[2 * IMP_STATE_SPACE];
    if (!run->closest.smooth || !run->closest.warm[contact])
        return false;
    const struct closest_points_memo *memo = &run->closest.smooth[contact];
    const double *u = run->closest.unknowns + 8 * (size_t)contact;
    if (!memo->good || memo->time != rt_time(run) ||
        memcmp(memo->u, u, sizeof memo->u))
        return false;
    if (memcmp(memo->state, state,
               contact_bodies_state(run, rt_contact(run, contact), state)))
        return false;
    *out = memo->answer;
    return true;
}

static void
remember(struct rt *run, uint32_t contact, const struct closest_points *points)
{
    if (!run->closest.smooth)
        run->closest.smooth =
            NEW_N(run->own, struct closest_points_memo, rt_contact_room(run));
    struct closest_points_memo *memo = &run->closest.smooth[contact];
    memo->good = true;
    memo->time = rt_time(run);
    contact_bodies_state(run, rt_contact(run, contact), memo->state);
    memcpy(memo->u, points->u, sizeof memo->u);
    memo->answer = *points;
}

void
smooth_smooth_forget(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    if (run->closest.smooth)
        run->closest.smooth[contact].good = false;
}

void *
smooth_smooth_remember(struct rt *run)
{
    assert(run != NULL);
    return run->closest.smooth
               ? arena_copy(run->brief, run->closest.smooth,
                            run->im->contacts.n * sizeof *run->closest.smooth)
               : NULL;
}

void
smooth_smooth_recall(struct rt *run, const void *memory, uint32_t n)
{
    assert(run != NULL && n <= run->im->contacts.n);
    size_t n_now = run->closest.smooth ? run->im->contacts.n : 0,
           n_known = memory ? n : 0;
    if (memory)
        memcpy(run->closest.smooth, memory, n * sizeof *run->closest.smooth);
    for (size_t i = n_known; i < n_now; i++)
        run->closest.smooth[i].good = false;
}

void *
smooth_smooth_remember_one(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    return run->closest.smooth
               ? arena_copy(run->brief, run->closest.smooth + contact,
                            sizeof *run->closest.smooth)
               : NULL;
}

void
smooth_smooth_recall_one(struct rt *run, uint32_t contact, const void *memory)
{
    assert(run != NULL && contact < run->im->contacts.n);
    if (memory)
        memcpy(run->closest.smooth + contact, memory,
               sizeof *run->closest.smooth);
    else
        smooth_smooth_forget(run, contact);
}

/* Solves the kkt tape of the contact by Newton's method, from the unknowns on.
 * Sets *gap on success. */
static enum support_fault
newton(struct rt *run, const imp_contact *image_contact,
       const struct support_pair *pair, double *unknowns, double *gap)
{
    int count = (int)image_contact->n_unknown, dim = pair->b[0].d;
    double out[8 + 64 + 1], jacobian[64], last = INFINITY;
    struct support_steps steps = {0};
    bool factored = false;
    int piv[8];
    contact_bodies_enter(run, image_contact);
    for (int it = 0; it < 80; it++) {
        int st = rt_eval(run, image_contact->kkt, unknowns, out);
        if (st != IMP_OK)
            return SUPPORT_NONFINITE;
        *gap = out[count + count * count];
        if (!factored) {
            memcpy(jacobian, out + count,
                   sizeof(double) * (size_t)(count * count));
            if (imp_lu_factor(count, jacobian, piv) != 0)
                return SUPPORT_FLAT;
        }
        imp_lu_solve(count, jacobian, piv, out);
        double move = 0.0, scale = 0.0;
        for (int i = 0; i < 2 * dim; i++) {
            if (!isfinite(out[i]))
                return SUPPORT_LOST;
            move = fmax(move, fabs(out[i]));
            scale = fmax(scale, fabs(unknowns[i]));
        }
        if (move > 4.0 * pair->length)
            return SUPPORT_LOST;
        double share =
            support_steps_share(&steps, 2 * dim, out, move,
                                SUPPORT_SETTLED * (scale + pair->length));
        for (int i = 0; i < count; i++)
            unknowns[i] -= share * out[i];
        /* converged: the step is tiny, or does not shrink any more */
        if (move <= SUPPORT_STEP * (scale + pair->length) ||
            (move < SUPPORT_SETTLED * (scale + pair->length) &&
             move >= 0.25 * last)) {
            /* the gap at the corrected point is gamma |N0|; N0 has moved
             * little */
            if (move <= 1e-12 * (scale + pair->length) &&
                rt_eval(run, image_contact->kkt, unknowns, out) == IMP_OK)
                *gap = out[count + count * count];
            return SUPPORT_FINE;
        }
        /* near a point of vanishing curvature of order m each step lowers the
         * error by the factor (m - 1)/m only */
        bool stays = it > 12 && move > 0.95 * last;
        if (stays && move <= SUPPORT_FLAT_STEP * (scale + pair->length))
            return SUPPORT_FINE;
        if (stays && share == 1.0)
            return SUPPORT_LOST;
        factored = move <= SMOOTH_GAP_CHORD * (scale + pair->length) &&
                   move < 1e-2 * last;
        last = move;
    }
    return SUPPORT_LOST;
}

/* May the separation have other maxima, for an overlap of -gap at the support
 * points of the pair? */
static bool
is_deep(const struct support_pair *pair, double gap)
{
    double scale = INFINITY;
    if (gap >= -SMOOTH_GAP_ROUNDING * pair->length || pair->b[0].flat ||
        pair->b[1].flat)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct support_point *point = &pair->p[i];
        double N[3], T[2][3], K[3], e[2];
        for (int j = 0; j < 3; j++)
            N[j] = point->g[j] / point->norm;
        support_tangents(pair->b[i].d, N, T);
        support_curvature(&pair->b[i], point, T, K);
        support_principal_curvatures(pair->b[i].d, K, e);
        scale = fmin(scale, vec3_dot(N, point->x));
        if (e[1] > 0.0)
            scale = fmin(scale, 1.0 / e[1]);
    }
    return gap < -SMOOTH_GAP_DEEP * scale;
}

/* Fills *points from the unknowns, and checks what kind of stationary point it
 * is. SUPPORT_LOST: not the closest points. */
static enum support_fault
finish(struct support_pair *pair, const double *unknowns, double gap,
       struct closest_points *points)
{
    int dim = pair->b[0].d;
    if (!(unknowns[2 * dim + 1] > 0.0)) /* mu: normals must oppose */
        return SUPPORT_LOST;
    for (int body = 0; body < 2; body++) {
        double x[3] = {unknowns[body * dim], unknowns[body * dim + 1],
                       dim == 3 ? unknowns[body * dim + 2] : 0.0};
        enum support_fault fault =
            support_level(&pair->b[body], x, &pair->p[body]);
        if (fault != SUPPORT_FINE || !(pair->p[body].norm > 0.0))
            return SUPPORT_LOST;
        pair->have[body] = true;
        if (fabs(pair->p[body].G) >
            SUPPORT_OFF * pair->p[body].norm * (pair->length + vec3_norm(x)))
            return SUPPORT_LOST;
        support_to_world(&pair->b[body], x, body == 0 ? points->P : points->Q);
    }
    double n[3], T[2][3], t[2][3], K[2][3], e[2][2], eigenvalue[2], M[3];
    for (int i = 0; i < 3; i++)
        n[i] = pair->p[0].g[i] / pair->p[0].norm;
    support_rotate(&pair->b[0], n, points->n);
    points->gap = gap;
    memset(points->u, 0, sizeof points->u);
    memcpy(points->u, unknowns, sizeof(double) * (size_t)(2 * dim + 2));
    /* both bodies must be convex, and K1 + K2 + gap K1 K2 positive definite */
    support_tangents(dim, points->n, T);
    for (int i = 0; i < 2; i++) {
        support_rotate_back(&pair->b[i], T[0], t[0]);
        support_rotate_back(&pair->b[i], T[1], t[1]);
        support_curvature(&pair->b[i], &pair->p[i], t, K[i]);
        support_principal_curvatures(dim, K[i], e[i]);
    }
    double curved = fmax(fabs(e[0][1]), fabs(e[1][1]));
    for (int i = 0; i < 2; i++)
        if (e[i][0] < -SUPPORT_DENT * (1.0 / pair->length + curved))
            return SUPPORT_NOT_CONVEX;
    /* With W = K^-1, K1 + K2 + gap K1 K2 = K1 (W1 + W2 + gap) K2. For convex
     * bodies apart it is regular where K1 + K2 is. */
    for (int i = 0; i < 3; i++)
        M[i] = K[0][i] + K[1][i];
    support_principal_curvatures(dim, M, eigenvalue);
    points->condition = fmax(eigenvalue[1], 1.0 / pair->length) / eigenvalue[0];
    if (eigenvalue[0] * pair->length < SUPPORT_FLATNESS) {
        points->condition = INFINITY;
        return SUPPORT_FLAT;
    }
    if (gap >= 0.0)
        return SUPPORT_FINE;
    /* overlap: the separation has a maximum where W1 + W2 + gap > 0 */
    double W[2][3];
    for (int i = 0; i < 2; i++)
        support_radii(dim, K[i], SUPPORT_STRAIGHT / pair->length, W[i]);
    for (int i = 0; i < 3; i++)
        M[i] = W[0][i] + W[1][i] + (i == 1 ? 0.0 : gap);
    support_principal_curvatures(dim, M, eigenvalue);
    if (eigenvalue[0] <= 0.0)
        return SUPPORT_LOST;
    points->condition = fmax(points->condition, -gap / eigenvalue[0]);
    return SUPPORT_FINE;
}

/* Guesses the unknowns of the contact from the support points of a pair. */
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

/* The answer from the support points alone, for flat surfaces, where Newton's
 * method has no regular system: the gap is still right to second order. */
static void
from_pair(const struct support_pair *pair, struct closest_points *points)
{
    memset(points, 0, sizeof *points);
    guess(pair, points->u);
    points->gap = pair->sigma;
    memcpy(points->n, pair->n, sizeof points->n);
    support_to_world(&pair->b[0], pair->p[0].x, points->P);
    support_to_world(&pair->b[1], pair->p[1].x, points->Q);
    points->condition = INFINITY;
}

static enum support_fault
solve_cold(struct rt *run, const imp_contact *image_contact,
           struct support_pair *pair, struct closest_points *points)
{
    double unknowns[8], gap;
    enum support_fault fault = separation_search(pair), by_newton;
    /* an ascent that failed may still have come near enough for Newton's
     * method */
    if (fault != SUPPORT_FINE &&
        !(fault == SUPPORT_LOST && pair->have[0] && pair->have[1]))
        return fault;
    if (is_deep(pair, pair->sigma))
        separation_search_all(pair);
    /* Newton's method from a coarse direction, and from a finer one if that
     * fails */
    by_newton = SUPPORT_LOST;
    for (int round = 0; round < 3; round++) {
        struct support_pair t = *pair;
        guess(pair, unknowns);
        by_newton = newton(run, image_contact, pair, unknowns, &gap);
        if (by_newton == SUPPORT_FINE)
            by_newton = finish(&t, unknowns, gap, points);
        if (by_newton == SUPPORT_FINE &&
            (gap < pair->sigma - 1e-6 * pair->length ||
             !support_first_on_ray(&t.b[0], unknowns) ||
             !support_first_on_ray(&t.b[1], unknowns + pair->b[0].d)))
            by_newton = SUPPORT_LOST;
        if (by_newton == SUPPORT_FINE || by_newton == SUPPORT_NOT_CONVEX)
            return by_newton;
        if (pair->b[0].flat || pair->b[1].flat)
            break;
        fault =
            support_separation_maximise(pair, round == 0 ? 1e-6 : 1e-11, 100);
        if (fault != SUPPORT_FINE && fault != SUPPORT_LOST)
            return fault;
    }
    from_pair(pair, points);
    /* Whether the surfaces are flat is decided by their curvatures, not by an
     * iteration that failed. */
    struct support_pair t = *pair;
    struct closest_points c;
    fault = finish(&t, points->u, points->gap, &c);
    return fault == SUPPORT_FLAT || by_newton == SUPPORT_FLAT ? SUPPORT_FLAT
           : fault == SUPPORT_NOT_CONVEX                      ? fault
                                                              : SUPPORT_LOST;
}

/* The least principal curvature of a body at its point of the pair. */
static double
least_curvature(const struct support_pair *pair, int side)
{
    double T[2][3], K[3], e[2], N[3];
    const struct support_point *at = &pair->p[side];
    for (int j = 0; j < 3; j++)
        N[j] = at->norm > 0 ? at->g[j] / at->norm : j == 0;
    support_tangents(pair->b[side].d, N, T);
    support_curvature(&pair->b[side], at, T, K);
    support_principal_curvatures(pair->b[side].d, K, e);
    return e[0];
}

/* Do both surfaces curve, and is it only the depth of the overlap that leaves
 * more than one direction out of it, as between discs with one centre? */
static bool
one_centre(const struct support_pair *pair)
{
    const double curved = 1e-6;
    return pair->sigma < 0.0 && pair->have[0] && pair->have[1] &&
           least_curvature(pair, 0) * pair->length > curved &&
           least_curvature(pair, 1) * pair->length > curved;
}

static void
complain_flat(struct rt *run, const imp_contact *image_contact,
              const struct support_pair *pair)
{
    const char *n0 = imp_text(run->im, pair->b[0].b->name),
               *n1 = imp_text(run->im, pair->b[1].b->name);
    struct diag *diag;
    if (one_centre(pair)) {
        diag = diag_add(run->ds, DIAG_E0610, image_contact->range,
                        "`%s` and `%s` have one centre where they overlap: "
                        "every direction leads out of it alike",
                        n0, n1);
        diag_help(run->ds, diag,
                  "the depth has a kink there; let them pass a little beside "
                  "each other, or end the run before");
        return;
    }
    diag = diag_add(run->ds, DIAG_E0610, image_contact->range,
                    "`%s` and `%s` are flat where they face each other: no "
                    "unique closest points",
                    n0, n1);
    bool lies = (pair->b[0].b->flags | pair->b[1].b->flags) & IMP_BODYF_FLAT;
    diag_help(
        run->ds, diag, "%s",
        lies ? "turn or shift one of the bodies, or take a shape that curves "
               "everywhere; for what is straight and lies, as a capsule does, "
               "let two discs or spheres on a joint of kind `weld` stand for "
               "its ends"
             : "K1 + K2 must be positive in every tangent direction; turn "
               "or shift one of the bodies, or use a shape without flat "
               "points");
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
        complain_flat(run, image_contact, pair);
        break;
    case SUPPORT_NOT_CONVEX: {
        int bad = 0;
        for (int i = 0; i < 2; i++)
            if (least_curvature(pair, i) < 0.0)
                bad = i;
        const imp_body *body = pair->b[bad].b;
        diag =
            diag_add(run->ds, DIAG_E0611, imp_places_of(run->im, body)->shape,
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
            diag_add(run->ds, DIAG_E0612, imp_places_of(run->im, body)->shape,
                     "the level set of `%s` has no surface in some direction",
                     bad ? n1 : n0);
        diag_help(run->ds, diag,
                  "G must be negative at the shape's origin and positive far "
                  "from it on every ray");
        break;
    }
    case SUPPORT_LOST:
    case SUPPORT_NONFINITE: {
        double zero[3] = {0.0, 0.0, 0.0}, o[10];
        for (int i = 0; i < 2; i++)
            if (pair->have[i] &&
                support_tell_sharp(&pair->b[i], pair->p[i].x, pair->b[1 - i].b,
                                   image_contact->range))
                return;
        for (int i = 0; i < 2 && fault == SUPPORT_NONFINITE; i++)
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

int
smooth_smooth_closest(struct rt *run, uint32_t contact,
                      struct closest_points *out, bool loud)
{
    assert(rt_contact(run, contact)->n_unknown <= 8);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct support_pair pair;
    enum support_fault fault = SUPPORT_LOST;
    double *last = run->closest.unknowns + 8 * (size_t)contact;
    if (remembered(run, contact, out))
        return IMP_OK;
    memset(&pair, 0, sizeof pair);
    memset(out, 0, sizeof *out);
    out->gap = NAN;
    support_body_get(run, image_contact->body[0], &pair.b[0]);
    support_body_get(run, image_contact->body[1], &pair.b[1]);
    pair.length = support_length(&pair.b[0], &pair.b[1]);
    if (run->closest.warm[contact]) {
        double unknowns[8], gap;
        memcpy(unknowns, last, sizeof unknowns);
        fault = newton(run, image_contact, &pair, unknowns, &gap);
        bool near = true;
        for (int i = 0; i < 2 * pair.b[0].d && fault == SUPPORT_FINE; i++) {
            const struct support_body *b = &pair.b[i / pair.b[0].d];
            near &= !(b->size > 0.0 && fabs(unknowns[i] - last[i]) >
                                           SMOOTH_GAP_WARM_MOVE * b->size);
        }
        /* points across which a plane parts convex bodies are the closest
         * ones, wherever the search began */
        if (fault == SUPPORT_FINE && !near &&
            (run->dents || !(gap > 0.0) ||
             !support_first_on_ray(&pair.b[0], unknowns) ||
             !support_first_on_ray(&pair.b[1], unknowns + pair.b[0].d)))
            fault = SUPPORT_LOST;
        if (fault == SUPPORT_FINE)
            fault = finish(&pair, unknowns, gap, out);
        if (fault == SUPPORT_FINE && is_deep(&pair, gap))
            fault = SUPPORT_LOST;
    }
    if (fault != SUPPORT_FINE)
        fault = solve_cold(run, image_contact, &pair, out);
    if (fault == SUPPORT_FINE) {
        out->deep = is_deep(&pair, out->gap);
        memcpy(last, out->u, sizeof out->u);
        run->closest.warm[contact] = 1;
        remember(run, contact, out);
        return IMP_OK;
    }
    run->closest.warm[contact] = 0;
    if (loud) {
        complain(run, image_contact, &pair, fault);
        return IMP_FAILED;
    }
    return fault == SUPPORT_FLAT ? IMP_SINGULAR : IMP_DIVERGED;
}

/* -- the series of the gap: the event tape of the contact solves the conditions
 * of closest points order by order; its outputs are the gap and then the
 * unknowns of the contact ------------------------------------------------- */

/* Returns the coefficients of output i of the event tape of a contact. */
static const double *
event_row(struct rt *run, uint32_t contact, uint32_t i)
{
    return tape_output_row(run, rt_contact(run, contact)->event,
                           contact_work(run, contact), i);
}

/* Turns the foreseen point of a ball into its axes: the series of the gap takes
 * those of a ball as they were at the beginning (abi/image.h). It is a first
 * guess of the closest points. */
static void
turn_with(const struct rt *run, const imp_body *body, const double *row,
          int order, double dt, double point[3])
{
    int plane = run->im->dim == 2, n = plane ? 2 : 4;
    double q[2][4], out[3], between[4] = {0.0};
    if (!(body->flags & IMP_BODYF_ROUND) || !row)
        return;
    for (int i = 0; i < n; i++) {
        const double *c =
            row +
            (size_t)body->pose[run->im->dim + (uint32_t)i] * IMP_ROW_STRIDE +
            IMP_ROW_PAD;
        q[0][i] = c[0];
        q[1][i] = c[order];
        for (int k = order - 1; k >= 0; k--)
            q[1][i] = q[1][i] * dt + c[k];
    }
    if (plane) {
        double c = q[1][0] * q[0][0] + q[1][1] * q[0][1],
               s = q[1][1] * q[0][0] - q[1][0] * q[0][1], size = hypot(c, s);
        out[0] = (c * point[0] + s * point[1]) / size;
        out[1] = (c * point[1] - s * point[0]) / size;
    } else {
        /* the conjugate of the later one times the first, applied */
        const double *a = q[1], *b = q[0];
        between[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        between[1] = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
        between[2] = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
        between[3] = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
        double R[9], state[7] = {0.0};
        memcpy(state + 3, between, sizeof between);
        double size = sqrt(between[0] * between[0] + between[1] * between[1] +
                           between[2] * between[2] + between[3] * between[3]);
        for (int i = 3; i < 7; i++)
            state[i] /= size;
        pose_attitude(false, state, R);
        for (int i = 0; i < 3; i++)
            out[i] = vec3_dot(R + 3 * i, point);
    }
    for (int i = 0; i < (plane ? 2 : 3); i++)
        if (isfinite(out[i]))
            point[i] = out[i];
}

void
smooth_smooth_predict(struct rt *run, uint32_t contact, int order, double dt)
{
    assert(rt_contact(run, contact)->n_unknown <= 8);
    double *u = run->closest.unknowns + 8 * (size_t)contact;
    for (uint32_t i = 0; i < rt_contact(run, contact)->n_unknown; i++) {
        const double *c = event_row(run, contact, 1 + i);
        double y = c[order];
        for (int k = order - 1; k >= 0; k--)
            y = y * dt + c[k];
        if (isfinite(y))
            u[i] = y;
    }
    const double *rows[2] = {NULL, NULL};
    contact_bodies_rows(run, rt_contact(run, contact), rows);
    for (int side = 0; side < 2; side++)
        turn_with(run, rt_body(run, rt_contact(run, contact)->body[side]),
                  rows[side], order, dt, u + side * (int)run->im->dim);
}

int
smooth_smooth_series(struct rt *run, uint32_t contact, int order, double *gap)
{
    assert(contact < run->im->contacts.n && order >= 0 && gap != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    const double *rows[2] = {NULL, NULL};
    if (!run->closest.warm[contact]) {
        struct closest_points points;
        int st = smooth_smooth_closest(run, contact, &points, false);
        if (st != IMP_OK)
            return st;
    }
    contact_bodies_rows(run, image_contact, rows);
    contact_bodies_enter(run, image_contact);
    int st = rt_series(run, image_contact->event,
                       run->closest.unknowns + 8 * (size_t)contact, rows,
                       contact_work(run, contact), order);
    if (st != IMP_OK)
        return st;
    memcpy(gap, event_row(run, contact, 0),
           sizeof(double) * (size_t)(order + 1));
    return IMP_OK;
}
