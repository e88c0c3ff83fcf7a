/* SPDX-License-Identifier: MIT */
/* The gap of a smooth body and a polytope along the motion, and the contact
 * point. The series is that of the nearest feature
 * (mechanics/smooth_polytope.c), made order by order. The conditions of the
 * feature are linear in the nearest point and the normal, so their series are
 * sums of output rows, and the first one that fails ends the series of the gap.
 * Letters: p the nearest point of the smooth body, N the gradient there. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/smooth_polytope_priv.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"

/* The terms left out of the series of a condition stay below this share of
 * FEATURE_PAST. */
#define SMOOTH_POLYTOPE_TRUNCATION 0.1

/* A polynomial is searched at once over so many times the time at which its
 * first root may be, or in stretches that grow by a factor. What comes later
 * than that is of no interest. */
#define SEARCH_SPAN 1e6
#define SEARCH_GROWTH 16.0
#define SEARCH_FAR 1e40

/* Rows of the series of each kind of feature. It stands in struct
 * polytope_contact_memo. */
struct smooth_polytope_work {
    double *rows[3];
    struct polytope_feature f; /* the feature of the series made last */
    double end;   /* the time until the nearest point is at the end of it */
    double stays; /* for how long it is one of that feature */
};

static double *
work_of(struct rt *run, uint32_t contact, unsigned kind)
{
    struct polytope_contact_memo *memo = polytope_contact_memo(run, contact);
    if (memo->smooth == NULL)
        memo->smooth = NEW(run->own, struct smooth_polytope_work);
    struct smooth_polytope_work *work = memo->smooth;
    if (work->rows[kind] == NULL) {
        const imp_tape *tape = IMP_ARRAY(run->im, run->im->tapes, imp_tape) +
                               rt_contact(run, contact)->feature_event[kind];
        work->rows[kind] = NEW_N(run->own, double,
                                 ((size_t)tape->n_rows + 1) * IMP_ROW_STRIDE);
    }
    return work->rows[kind];
}

/* Returns the time for which the last terms of the series c stay below `least`.
 */
static double
holds(const double *c, int order, double least)
{
    double t = INFINITY;
    for (int k = order > 3 ? order - 3 : 1; k <= order; k++) {
        if (!isfinite(c[k]))
            return 0.0;
        t = term_time(t, c[k], k, least);
    }
    return t;
}

/* Returns the first time within the horizon (which may be infinite) at which a
 * polynomial falls to `level`; the horizon if there is none. Terms of rounding,
 * such as those of a spin of 1e-31, let the horizon, or roots, be as far away
 * as 1e25 s, and a search over all of that sees nothing near: so it goes on
 * from where the first root may be. */
static double
falls(const double *series, int order, double horizon, double level)
{
    double first = series[0] - level, near = INFINITY, last = 1.0, root;
    int degree = order;
    while (degree > 0 && series[degree] == 0.0)
        degree--;
    if (first <= 0.0)
        return 0.0;
    if (degree == 0)
        return horizon;
    for (int k = 1; k <= degree; k++)
        near = term_time(near, series[k], k, first);
    if (horizon <= SEARCH_SPAN * near)
        return polynomial_below(series, degree, 0.0, horizon, level, &root)
                   ? root
                   : horizon;
    for (int k = 0; k < degree; k++) /* Cauchy's bound of the roots */
        last = fmax(last, fabs((k == 0 ? first : series[k]) / series[degree]));
    last = fmin(fmin(last + 1.0, SEARCH_FAR * near), horizon);
    double from = 0.0, to = last <= SEARCH_SPAN * near ? last : near;
    while (!polynomial_below(series, degree, from, to, level, &root)) {
        if (to >= last)
            return horizon;
        from = to;
        to = fmin(to * SEARCH_GROWTH, last);
    }
    return root;
}

/* The time until the first condition of the feature fails, by more than what is
 * let pass. *end: when it does so at all, which may be just before now. p, N:
 * rows of the nearest point and of the gradient there. */
static double
stays(const struct smooth_polytope *pair, struct polytope_feature feature,
      const double *const *p, const double *const *N, int order, double *end)
{
    struct feature_condition condition;
    uint32_t at = 0;
    double until = INFINITY, norm = 0.0;
    *end = INFINITY;
    for (int j = 0; j < pair->d; j++)
        norm = hypot(norm, N[j][0]);
    while (smooth_polytope_condition(pair, feature, &at, &condition)) {
        const double *const *row = condition.of_normal ? N : p;
        double series[IMP_ORDER_MAX + 1];
        double past =
            condition.of_normal ? pair->past[0] * norm : pair->past[1];
        for (int k = 0; k <= order; k++) {
            series[k] = k == 0 ? condition.c : 0.0;
            for (int j = 0; j < pair->d; j++)
                series[k] += condition.a[j] * row[j][k];
        }
        double h = holds(series, order, SMOOTH_POLYTOPE_TRUNCATION * past);
        double fails = falls(series, order, fmin(h, until), -past);
        if (fails < fmin(h, until)) {
            *end = polynomial_crosses(series, order, fails);
        } else if (fails < until) {
            *end = INFINITY;
        }
        until = fmin(until, fails);
    }
    return until;
}

int
smooth_polytope_series(struct rt *run, uint32_t contact, int from, int order,
                       double *gap, double *valid)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX && gap != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    const double *rows[2] = {NULL, NULL}, *point_row[3], *gradient_row[3];
    double local[SMOOTH_POLYTOPE_LOCALS];
    struct smooth_polytope pair;
    if (valid != NULL)
        *valid = 0.0;
    if (!run->closest.warm[contact]) {
        struct nearest_features nearest;
        int st = smooth_polytope_closest(run, contact, &nearest, false);
        if (st != IMP_OK)
            return st;
    }
    smooth_polytope_get(run, contact, &pair);
    struct polytope_feature feature =
        smooth_polytope_warm_feature(run, contact);
    memcpy(local, run->closest.unknowns + 8 * (size_t)contact,
           SMOOTH_POLYTOPE_UNKNOWNS * sizeof *local);
    int count = smooth_polytope_local(&pair, feature, local);
    contact_bodies_rows(run, image_contact, rows);
    uint32_t tape = image_contact->feature_event[feature.kind];
    double *work = work_of(run, contact, feature.kind);
    struct smooth_polytope_work *kept =
        polytope_contact_memo(run, contact)->smooth;
    if (kept->f.kind != feature.kind || kept->f.index != feature.index)
        from = 0;
    kept->f = feature;
    kept->end = kept->stays = INFINITY;
    contact_bodies_enter(run, image_contact);
    int st = rt_series_from(run, tape, local, rows, work, from, order);
    if (st != IMP_OK)
        return st;
    memcpy(gap, tape_output_row(run, tape, work, 0),
           sizeof *gap * (size_t)(order + 1));
    for (int j = 0; j < pair.d; j++) {
        point_row[j] =
            tape_output_row(run, tape, work, (uint32_t)(1 + count + j));
        gradient_row[j] = tape_output_row(run, tape, work,
                                          (uint32_t)(1 + count + pair.d + j));
    }
    if (valid == NULL)
        return IMP_OK;
    struct smooth_polytope_nearest answer = {.f = feature, .gap = gap[0]};
    memcpy(answer.u, local, sizeof(double) * (size_t)count);
    for (int j = 0; j < pair.d; j++)
        answer.n[j] = gradient_row[j][0];
    double norm = vec3_norm(answer.n);
    for (int j = 0; j < pair.d; j++)
        answer.n[j] /= norm;
    kept->stays =
        stays(&pair, feature, point_row, gradient_row, order, &kept->end);
    /* in a deep overlap another direction may take over at any time */
    if (!smooth_polytope_deep(&pair, &answer))
        *valid = kept->stays;
    else
        kept->end = INFINITY;
    return IMP_OK;
}

double
smooth_polytope_stays(struct rt *run, uint32_t contact)
{
    assert(run);
    const struct smooth_polytope_work *kept =
        polytope_contact_memo(run, contact)->smooth;
    return kept ? kept->stays : INFINITY;
}

double
smooth_polytope_end(struct rt *run, uint32_t contact)
{
    assert(run);
    const struct smooth_polytope_work *kept =
        polytope_contact_memo(run, contact)->smooth;
    return kept ? kept->end : INFINITY;
}

void
smooth_polytope_predict(struct rt *run, uint32_t contact, int order, double dt)
{
    assert(run);
    const struct smooth_polytope_work *kept =
        polytope_contact_memo(run, contact)->smooth;
    struct polytope_feature feature =
        smooth_polytope_warm_feature(run, contact);
    double *unknowns = run->closest.unknowns + 8 * (size_t)contact;
    if (kept == NULL || !run->closest.warm[contact] ||
        kept->f.kind != feature.kind || kept->f.index != feature.index)
        return;
    uint32_t tape = rt_contact(run, contact)->feature_event[feature.kind];
    int count = (int)run->im->dim + (feature.kind == FEATURE_EDGE ? 2 : 1);
    for (int i = 0; i < count; i++) {
        double y = polynomial_value(tape_output_row(run, tape,
                                                    kept->rows[feature.kind],
                                                    (uint32_t)(1 + i)),
                                    order, dt);
        if (isfinite(y))
            unknowns[i] = y;
    }
}

void
smooth_polytope_point_series(struct rt *run, uint32_t contact, int order,
                             struct taylor point[3], struct taylor gradient[3])
{
    assert(order >= 0 && order <= IMP_ORDER_MAX);
    struct polytope_feature feature =
        smooth_polytope_warm_feature(run, contact);
    uint32_t tape = rt_contact(run, contact)->feature_event[feature.kind];
    const double *work = work_of(run, contact, feature.kind);
    int dim = (int)run->im->dim,
        count = dim + (feature.kind == FEATURE_EDGE ? 2 : 1);
    for (int axis = 0; axis < 3; axis++) {
        taylor_const(order, 0.0, &point[axis]);
        taylor_const(order, 0.0, &gradient[axis]);
        if (axis == dim)
            break;
        size_t size = sizeof(double) * (size_t)(order + 1);
        memcpy(point[axis].c,
               tape_output_row(run, tape, work, (uint32_t)(1 + count + axis)),
               size);
        memcpy(gradient[axis].c,
               tape_output_row(run, tape, work,
                               (uint32_t)(1 + count + dim + axis)),
               size);
    }
}

int
smooth_polytope_manifold(struct rt *run, uint32_t contact, double tol,
                         struct contact_manifold *out)
{
    assert(contact < run->im->contacts.n && tol >= 0.0 && out != NULL);
    struct nearest_features nearest;
    (void)tol;
    memset(out, 0, sizeof *out);
    int st = smooth_polytope_closest(run, contact, &nearest, true);
    if (st != IMP_OK)
        return st;
    out->kind = MANIFOLD_POINT;
    out->pair = nearest.pair;
    out->n_point = 1;
    memcpy(out->n, nearest.n, sizeof nearest.n);
    memcpy(out->P[0], nearest.P, sizeof nearest.P);
    memcpy(out->Q[0], nearest.Q, sizeof nearest.Q);
    return IMP_OK;
}
