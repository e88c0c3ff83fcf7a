/* SPDX-License-Identifier: MIT */
/* `eight`: the figure-of-eight curves near a tangential touch (Palffy-Muhoray
 * et al. 2018, eqs (49), (53); spec 0.C). For a unit tangent e at angle phi
 * with x_2eps = e.S.e/2, v_eps = b.e, at time t after the touch:
 *   zero set      eps = -v_eps t/x_2eps
 *   deepest set   eps = -v_eps t/(2 x_2eps)
 *   depth there   f = -v_eps^2 t^2/(4 x_2eps)
 * once with b_Q (distance of body 2's points to body 1), once with b_P. In the
 * plane there are two directions, phi = 0 and pi. */
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/verdict.h"
#include "base/num.h"
#include "runtime/numerics/vec3.h"

#define EIGHT_PI 3.14159265358979323846

struct curve {
    double *zero, *deepest, *depth;
};

static void
curve_point(const struct tangency *t, const double b[2], double phi,
            double time, struct curve *c, size_t i)
{
    double e0 = cos(phi), e1 = t->nt == 2 ? sin(phi) : 0.0;
    double x2 =
        (t->S[0] * e0 * e0 + 2.0 * t->S[1] * e0 * e1 + t->S[3] * e1 * e1) / 2.0;
    double v = b[0] * e0 + b[1] * e1;
    c->zero[i] = -v * time / x2;
    c->deepest[i] = -v * time / (2.0 * x2);
    c->depth[i] = -v * v * time * time / (4.0 * x2);
}

static int
options(struct analysis *a, const imp_command *c, double *time, double *points)
{
    int st = arg_number(a, c, IMP_OPT_eight_time, NAN, time);
    if (!st)
        st = arg_number(a, c, IMP_OPT_eight_points, 64.0, points);
    if (st)
        return st;
    if (!arg_option(a, c, IMP_OPT_eight_time)) {
        struct diag *d = diag_add(a->ds, DIAG_E0705, c->range,
                                  "`eight` needs a time after the touch");
        diag_help(a->ds, d, "write `eight %s { time = 0.01 }`",
                  imp_text(a->rt->im, arg_items(a, c)->label));
        return IMP_BADMODEL;
    }
    if (!(*points >= 1.0 && *points <= 100000.0) || *points != floor(*points)) {
        char s[NUM_TEXT];
        diag_add(a->ds, DIAG_E0705,
                 arg_option(a, c, IMP_OPT_eight_points)->range,
                 "`points` is %s: it must be a whole number from 1 to 100000",
                 num_shortest(s, *points));
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

static int
cmd_eight(struct analysis *a, const imp_command *c, struct record *out)
{
    struct touch t;
    struct verdict v;
    double until, time, points;
    int st;
    if ((st = options(a, c, &time, &points)) ||
        (st = touch_option_until(a, c, IMP_OPT_eight_until, &until)) ||
        (st = touch_find(a, arg_contact(a, c, 0), until, &t)))
        return st;
    if (t.found != TOUCH_YES) {
        struct diag *d = diag_add(a->ds, DIAG_E0709, c->range,
                                  "the bodies do not touch, so there are no "
                                  "curves to draw");
        diag_help(a->ds, d, "`classify` says how far the motion was followed");
        return IMP_FAILED;
    }
    if (!t.formulas) {
        struct diag *d =
            diag_add(a->ds, DIAG_E0709, c->range,
                     "the curves cannot be computed: %s", t.no_formulas);
        if (rt_contact(a->rt, t.contact)->flags & IMP_CONTACTF_CORNERS)
            diag_help(a->ds, d,
                      "the figure of eight belongs to two surfaces that curve; "
                      "`classify` tells the touch of corners by the series of "
                      "the gap");
        return IMP_FAILED;
    }
    if ((st = touch_agree(a, &t)))
        return st;
    touch_verdict(a, &t, &v);
    if (v.class == CLASS_MINUS || v.class == CLASS_SEPARATING) {
        struct diag *d = diag_add(a->ds, DIAG_E0709, c->range,
                                  "the touch is not tangential (%s): the "
                                  "figure of eight belongs to v = 0",
                                  touch_class_name[v.class]);
        char s[NUM_TEXT];
        diag_note(a->ds, d, IMP_NOWHERE, "v = %s m/s", num_digits(s, v.v, 6));
        return IMP_FAILED;
    }

    const struct tangency *g = &t.t;
    size_t n = g->nt == 2 ? (size_t)points : 2, nt = (size_t)g->nt;
    double *x = NEW_N(a->rt->arena, double, 7 * n);
    double *phi = x;
    struct curve P = {x + n, x + 2 * n, x + 3 * n},
                 Q = {x + 4 * n, x + 5 * n, x + 6 * n};
    for (size_t i = 0; i < n; i++) {
        phi[i] = 2.0 * EIGHT_PI * (double)i / (double)n;
        curve_point(g, g->b_P, phi[i], time, &P, i);
        curve_point(g, g->b_Q, phi[i], time, &Q, i);
    }
    const double K[3] = {g->S[0], g->S[1], g->S[3]};
    double deepest[2];
    sym2_solve(nt == 2 ? 2 : 1, K, g->b_Q, deepest);
    deepest[0] = -deepest[0];
    deepest[1] = nt == 2 ? -deepest[1] : 0.0;
    const double S[4] = {g->S[0], g->S[1], g->S[2], g->S[3]};
    SET_LIST("phi", phi, n);
    SET_VEC("tangent_1", g->t1);
    if (nt == 2)
        SET_VEC("tangent_2", g->t2);
    else
        SET_ABSENT("tangent_2", "the plane has one tangent");
    SET_MAT("S", S, nt, nt);
    SET_LIST("b_P", g->b_P, nt);
    SET_LIST("b_Q", g->b_Q, nt);
    SET_LIST("deepest_velocity", deepest, nt);
    SET_LIST("zero_P", P.zero, n);
    SET_LIST("zero_Q", Q.zero, n);
    SET_LIST("deepest_P", P.deepest, n);
    SET_LIST("deepest_Q", Q.deepest, n);
    SET_LIST("depth_P", P.depth, n);
    SET_LIST("depth_Q", Q.depth, n);
    return IMP_OK;
}

const struct command_functions command_eight = {.run = cmd_eight};
