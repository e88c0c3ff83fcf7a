/* SPDX-License-Identifier: MIT */
/* Closest points of a smooth body A and a convex polytope B. The search tries
 * the feature of the last answer first. If that fails, an ascent looks for the
 * direction n of greatest separation,
 *
 *     sigma(n) = min over B of n.y - max over A of n.x
 *
 * One step of the ascent puts a ball in the place of A. The ball touches A from
 * inside (or from outside) at the support point of A. The direction in which
 * the ball is separated best from B leads from its centre to the nearest point
 * of B: all features are compared at once, and the step is exact where A is a
 * ball. If sigma does not grow, a larger ball gives a shorter step. On the way
 * Newton's method is tried on the feature found and on its neighbours: whatever
 * meets all conditions of a nearest point is the answer. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/features/direction_spread.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/smooth_polytope_priv.h"

/* A search from the last point is given up if it moves the point by more than
 * this share of the size of A. */
#define SMOOTH_POLYTOPE_WARM_MOVE 0.3
#define ASCENT_SUPPORT 1e-10
#define ASCENT_STEPS 200 /* most steps of one ascent */
#define SMOOTH_POLYTOPE_WALK                                                   \
    6 /* most neighbours that Newton's method goes on to */

/* where an ascent stands */
struct climber {
    struct support_point p; /* support point of A along n */
    bool have;
    double n[3], place[3], sigma;
};

struct polytope_feature
smooth_polytope_warm_feature(const struct rt *run, uint32_t contact)
{
    assert(run);
    const double *u = run->closest.unknowns + 8 * (size_t)contact;
    return (struct polytope_feature){(unsigned)u[6], (uint32_t)u[7]};
}

static void
keep(struct rt *run, uint32_t contact,
     const struct smooth_polytope_nearest *nearest)
{
    double *u = run->closest.unknowns + 8 * (size_t)contact;
    memset(u, 0, 8 * sizeof *u);
    memcpy(u, nearest->u, sizeof nearest->u);
    u[6] = nearest->f.kind;
    u[7] = nearest->f.index;
    run->closest.warm[contact] = 1;
}

/* Finds sigma and the support point of A, whose normal is `direction` within
 * `tol` (rad). Then sigma is off by less than tol times the sizes. */
static enum support_fault
separation(const struct smooth_polytope *pair, struct climber *climber,
           const double direction[3], double tol)
{
    double turned[3];
    memcpy(climber->n, direction, sizeof climber->n);
    smooth_polytope_turn_to_smooth(pair, direction, turned);
    enum support_fault fault =
        support_find(&pair->A, turned, tol, climber->have, &climber->p);
    if (fault != SUPPORT_FINE)
        return fault;
    climber->have = true;
    smooth_polytope_from_smooth(pair, climber->p.x, climber->place);
    climber->sigma =
        vec3_dot(direction,
                 pair->B->vertex[smooth_polytope_vertex(pair, direction)]) -
        vec3_dot(direction, climber->place);
    return SUPPORT_FINE;
}

/* The greatest radius of curvature of A at the point p, kept within bounds
 * that follow from the sizes. */
static double
ball_radius(const struct smooth_polytope *pair,
            const struct support_point *point)
{
    double N[3], T[2][3], K[3], e[2];
    for (int i = 0; i < 3; i++)
        N[i] = point->g[i] / point->norm;
    support_tangents(pair->d, N, T);
    support_curvature(&pair->A, point, T, K);
    support_principal_curvatures(pair->d, K, e);
    return 1.0 / fmin(fmax(e[0], 0.1 / pair->length), 1e9 / pair->length);
}

/* One ascent from `start`. SUPPORT_FINE: *nearest is a stationary point of the
 * separation, and the greatest one if the bodies are apart. Otherwise *climber
 * says where the ascent ended. */
static enum support_fault
climb(const struct smooth_polytope *pair, const double start[3],
      struct climber *climber, struct smooth_polytope_nearest *nearest)
{
    double larger = 1.0;
    struct polytope_feature tried = {FEATURE_SURFACE, 0};
    climber->have = false;
    enum support_fault fault = separation(pair, climber, start, ASCENT_SUPPORT),
                       last = SUPPORT_LOST;
    if (fault != SUPPORT_FINE)
        return fault;
    for (int it = 0; it < ASCENT_STEPS; it++) {
        double r = larger * ball_radius(pair, &climber->p), c[3], y[3],
               better[3];
        for (int i = 0; i < 3; i++)
            c[i] = climber->place[i] - r * climber->n[i];
        struct polytope_feature feature =
            smooth_polytope_project(pair, c, y, better);
        if (feature.kind != tried.kind || feature.index != tried.index ||
            it % 4 == 3) {
            struct smooth_polytope_nearest answer;
            tried = feature;
            last = smooth_polytope_walk(pair, feature, &climber->p,
                                        SMOOTH_POLYTOPE_WALK, &answer);
            if (last == SUPPORT_FINE &&
                answer.gap >= climber->sigma - 1e-9 * (pair->length +
                                                       fabs(climber->sigma))) {
                *nearest = answer;
                return SUPPORT_FINE;
            }
            if (last == SUPPORT_NOT_CONVEX)
                return last;
        }
        struct climber next = *climber;
        fault = separation(pair, &next, better, ASCENT_SUPPORT);
        double tiny = 4.0 * DBL_EPSILON * (pair->length + fabs(climber->sigma));
        if (fault == SUPPORT_FINE && next.sigma > climber->sigma) {
            double rise = next.sigma - climber->sigma;
            *climber = next;
            larger = fmax(1.0, 0.5 * larger);
            if (rise <= tiny && it % 4 == 2)
                break;
        } else if (larger > 1e9) {
            break;
        } else {
            larger *= 2.0;
        }
    }
    return last == SUPPORT_FINE ? SUPPORT_LOST : last;
}

/* Gives the direction from the mass centre of A to that of B. */
static void
first_direction(const struct smooth_polytope *pair, double n[3])
{
    double y[3];
    smooth_polytope_project(pair, pair->c, y, n);
}

/* For a deep overlap: the greatest of the separations that are reached from
 * the normals of all faces and from an even spread of directions. */
static void
search_all(const struct smooth_polytope *pair,
           struct smooth_polytope_nearest *best)
{
    uint32_t spread = pair->d == 2 ? 16 : 26, nf = pair->B->n_face;
    for (uint32_t i = 0; i < nf + spread; i++) {
        struct climber climber;
        struct smooth_polytope_nearest answer;
        double n[3];
        if (i < nf)
            for (int j = 0; j < 3; j++)
                n[j] = -pair->B->face[i].n[j];
        else
            direction_of_spread(pair->d, (int)(i - nf), (int)spread, n);
        if (climb(pair, n, &climber, &answer) == SUPPORT_FINE &&
            answer.gap > best->gap)
            *best = answer;
    }
}

/* The answer where flat places face each other and the conditions are
 * singular: the gap is right, the points are some of many. */
static void
from_climber(const struct smooth_polytope *pair, const struct climber *climber,
             struct smooth_polytope_nearest *nearest)
{
    double y[3], normal[3], c[3];
    memset(nearest, 0, sizeof *nearest);
    for (int i = 0; i < 3; i++)
        c[i] = climber->place[i] - 2.0 * pair->length * climber->n[i];
    nearest->f = smooth_polytope_project(pair, c, y, normal);
    nearest->gap = climber->sigma;
    for (int i = 0; i < pair->d; i++)
        nearest->u[i] = climber->p.x[i];
    memcpy(nearest->p, climber->place, sizeof nearest->p);
    memcpy(nearest->n, climber->n, sizeof nearest->n);
    smooth_polytope_project(pair, climber->place, nearest->foot, normal);
}

static enum support_fault
solve_cold(const struct smooth_polytope *pair,
           struct smooth_polytope_nearest *nearest)
{
    struct climber climber;
    double direction[3];
    first_direction(pair, direction);
    enum support_fault fault = climb(pair, direction, &climber, nearest);
    if (fault == SUPPORT_FINE) {
        if (smooth_polytope_deep(pair, nearest))
            search_all(pair, nearest);
        return SUPPORT_FINE;
    }
    if (!climber.have)
        return fault;
    /* The ascent failed, or the surfaces are flat. Where a face is the nearest
     * feature, its own normal is the exact direction. */
    for (uint32_t i = 0; i < pair->B->n_face; i++) {
        struct climber t = climber;
        double m[3];
        for (int j = 0; j < 3; j++)
            m[j] = -pair->B->face[i].n[j];
        if (vec3_dot(m, climber.n) > 0.99 &&
            separation(pair, &t, m, ASCENT_SUPPORT) == SUPPORT_FINE &&
            t.sigma >= climber.sigma)
            climber = t;
    }
    memcpy(direction, climber.n, sizeof direction);
    separation(pair, &climber, direction, 4.0 * DBL_EPSILON);
    from_climber(pair, &climber, nearest);
    struct smooth_polytope_nearest fine;
    if (smooth_polytope_walk(pair, nearest->f, &climber.p, SMOOTH_POLYTOPE_WALK,
                             &fine) == SUPPORT_FINE &&
        fine.gap >= climber.sigma -
                        ASCENT_SUPPORT * (pair->length + fabs(climber.sigma))) {
        *nearest = fine;
        return SUPPORT_FINE;
    }
    /* Whether the surfaces are flat is decided by their curvatures, not by an
     * iteration that failed. */
    struct smooth_polytope_nearest t = *nearest;
    t.u[pair->d] = 1.0;
    enum support_fault flatness = smooth_polytope_check(pair, &t);
    return flatness == SUPPORT_FLAT || flatness == SUPPORT_NOT_CONVEX ? flatness
                                                                      : fault;
}

static enum support_fault
solve_warm(struct smooth_polytope *pair,
           struct smooth_polytope_nearest *nearest)
{
    const double *last = pair->r->closest.unknowns + 8 * (size_t)pair->contact;
    double u[SMOOTH_POLYTOPE_UNKNOWNS];
    memcpy(u, last, sizeof u);
    enum support_fault fault = smooth_polytope_newton(
        pair, smooth_polytope_warm_feature(pair->r, pair->contact), u, nearest);
    for (int i = 0; i < pair->d && fault == SUPPORT_FINE; i++)
        if (pair->A.size > 0.0 && fabs(nearest->u[i] - last[i]) >
                                      SMOOTH_POLYTOPE_WARM_MOVE * pair->A.size)
            fault = SUPPORT_LOST;
    if (fault == SUPPORT_FINE)
        fault = smooth_polytope_check(pair, nearest);
    if (fault == SUPPORT_FINE && nearest->violated > FEATURE_TAKEN) {
        struct support_point point;
        double x[3] = {0.0, 0.0, 0.0};
        memcpy(x, nearest->u, sizeof(double) * (size_t)pair->d);
        fault = support_level(&pair->A, x, &point);
        if (fault == SUPPORT_FINE)
            fault = smooth_polytope_walk(pair, nearest->next, &point,
                                         SMOOTH_POLYTOPE_WALK, nearest);
    }
    return fault == SUPPORT_FINE && smooth_polytope_deep(pair, nearest)
               ? SUPPORT_LOST
               : fault;
}

static void
complain(struct rt *run, const struct smooth_polytope *pair,
         const struct smooth_polytope_nearest *nearest,
         enum support_fault fault)
{
    const char *smooth_name = imp_text(run->im, pair->A.b->name);
    const char *polytope_name = imp_text(run->im, pair->b.b->name);
    struct diag *diag;
    switch (fault) {
    case SUPPORT_FLAT:
        diag = diag_add(run->ds, DIAG_E0610, pair->k->range,
                        "`%s` is flat where it faces `%s`: no unique closest "
                        "points",
                        smooth_name, polytope_name);
        diag_help(run->ds, diag,
                  "a smooth body must curve where it faces a side or an edge; "
                  "turn or shift one of the bodies, or use a shape without "
                  "flat points");
        break;
    case SUPPORT_NOT_CONVEX:
        diag = diag_add(run->ds, DIAG_E0611,
                        imp_places_of(run->im, pair->A.b)->shape,
                        "`%s` is not convex where `%s` is closest to it",
                        smooth_name, polytope_name);
        diag_note(run->ds, diag, pair->k->range, "asked for by this contact");
        diag_help(run->ds, diag,
                  "bodies in contact must be convex; choose a level set or "
                  "parameters for which they are");
        break;
    case SUPPORT_NO_ROOT:
        diag = diag_add(
            run->ds, DIAG_E0612, imp_places_of(run->im, pair->A.b)->shape,
            "the level set of `%s` has no surface in some direction",
            smooth_name);
        diag_help(run->ds, diag,
                  "G must be negative at the shape's origin and positive far "
                  "from it on every ray");
        break;
    case SUPPORT_LOST:
    case SUPPORT_NONFINITE: {
        double x[3] = {nearest->u[0], nearest->u[1],
                       pair->d == 3 ? nearest->u[2] : 0.0},
               out[10];
        if (support_tell_sharp(&pair->A, x, pair->b.b, pair->k->range))
            return;
        if (fault == SUPPORT_NONFINITE &&
            rt_eval(run, pair->A.b->g2, x, out) == IMP_NONFINITE) {
            rt_nonfinite(run, pair->A.b->g2, x);
            return;
        }
    }
        /* fall through */
    default:
        diag = diag_add(run->ds, DIAG_E0613, pair->k->range,
                        "no closest points of `%s` and `%s` were found",
                        smooth_name, polytope_name);
        diag_help(run->ds, diag,
                  "`%s` must be smooth and strictly convex, with the shape's "
                  "origin well inside",
                  smooth_name);
    }
}

static void
to_corner(const struct smooth_polytope *pair,
          const struct smooth_polytope_nearest *answer,
          struct nearest_features *out)
{
    uint32_t smooth = pair->k->smooth;
    double *on_smooth = smooth == 0 ? out->P : out->Q,
           *on_polytope = smooth == 0 ? out->Q : out->P;
    memset(out, 0, sizeof *out);
    out->pair.kind[smooth] = FEATURE_SURFACE;
    out->pair.kind[1 - smooth] = (unsigned char)answer->f.kind;
    out->pair.index[1 - smooth] = answer->f.index;
    out->gap = answer->gap;
    support_rotate(&pair->b, answer->p, on_smooth);
    support_rotate(&pair->b, answer->foot, on_polytope);
    support_rotate(&pair->b, answer->n, out->n);
    for (int j = 0; j < 3; j++) {
        on_smooth[j] += pair->b.c[j];
        on_polytope[j] += pair->b.c[j];
        out->n[j] = smooth == 0 ? out->n[j] : -out->n[j];
    }
}

int
smooth_polytope_closest(struct rt *run, uint32_t contact,
                        struct nearest_features *out, bool loud)
{
    assert(run != NULL && out != NULL && contact < run->im->contacts.n);
    assert(polytope_contact_is_smooth(run, rt_contact(run, contact)));
    struct smooth_polytope pair;
    struct smooth_polytope_nearest answer;
    enum support_fault fault = SUPPORT_LOST;
    smooth_polytope_get(run, contact, &pair);
    memset(&answer, 0, sizeof answer);
    answer.gap = NAN;
    if (run->closest.warm[contact])
        fault = solve_warm(&pair, &answer);
    if (fault != SUPPORT_FINE)
        fault = solve_cold(&pair, &answer);
    to_corner(&pair, &answer, out);
    if (fault == SUPPORT_FINE) {
        keep(run, contact, &answer);
        return IMP_OK;
    }
    run->closest.warm[contact] = 0;
    if (loud) {
        complain(run, &pair, &answer, fault);
        return IMP_FAILED;
    }
    return fault == SUPPORT_FLAT ? IMP_SINGULAR : IMP_DIVERGED;
}
