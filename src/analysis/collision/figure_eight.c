/* SPDX-License-Identifier: MIT */
/* `eight`: the figure-of-eight curves near a tangential touch (Palffy-Muhoray
 * et al. 2018, eqs (49), (53); tangential.md 0.C). For a unit tangent e at
 * angle phi with x_2eps = e.S.e/2, v_eps = b.e, at time t after the touch: zero
 * set      eps = -v_eps t/x_2eps deepest set   eps = -v_eps t/(2 x_2eps) depth
 * there   f = -v_eps^2 t^2/(4 x_2eps) once with b_Q (distance of body 2's
 * points to body 1), once with b_P. In the plane there are two directions, phi
 * = 0 and pi. */
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
curve_point(const struct tangency *tangency, const double b[2], double phi,
            double time, struct curve *c, size_t i)
{
    double e0 = cos(phi), e1 = tangency->nt == 2 ? sin(phi) : 0.0;
    double x2 = (tangency->S[0] * e0 * e0 + 2.0 * tangency->S[1] * e0 * e1 +
                 tangency->S[3] * e1 * e1) /
                2.0;
    double v = b[0] * e0 + b[1] * e1;
    c->zero[i] = -v * time / x2;
    c->deepest[i] = -v * time / (2.0 * x2);
    c->depth[i] = -v * v * time * time / (4.0 * x2);
}

static int
options(struct analysis *analysis, const imp_command *command, double *time,
        double *points)
{
    int st = arg_number(analysis, command, IMP_OPT_eight_time, NAN, time);
    if (!st)
        st = arg_number(analysis, command, IMP_OPT_eight_points, 64.0, points);
    if (st)
        return st;
    if (!arg_option(analysis, command, IMP_OPT_eight_time)) {
        struct diag *diag = diag_add(analysis->ds, DIAG_E0705, command->range,
                                     "`eight` needs a time after the touch");
        diag_help(
            analysis->ds, diag, "write `eight %s { time = 0.01 }`",
            imp_text(analysis->rt->im, arg_items(analysis, command)->label));
        return IMP_BADMODEL;
    }
    if (!(*points >= 1.0 && *points <= 100000.0) || *points != floor(*points)) {
        char s[NUM_TEXT];
        diag_add(analysis->ds, DIAG_E0705,
                 arg_option(analysis, command, IMP_OPT_eight_points)->range,
                 "`points` is %s: it must be a whole number from 1 to 100000",
                 num_shortest(s, *points));
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* Brings the model to a tangential touch of curved bodies; IMP_FAILED after a
 * diagnostic when there is none. */
static int
find_tangential(struct analysis *analysis, const imp_command *command,
                struct touch *touch)
{
    struct verdict verdict;
    double until;
    int st;
    if ((st = touch_option_until(analysis, command, IMP_OPT_eight_until,
                                 &until)) ||
        (st = touch_find(analysis, arg_contact(analysis, command, 0), until,
                         touch)))
        return st;
    if (touch->found != TOUCH_YES) {
        struct diag *diag = diag_add(analysis->ds, DIAG_E0709, command->range,
                                     "the bodies do not touch, so there are no "
                                     "curves to draw");
        diag_help(analysis->ds, diag,
                  "`classify` says how far the motion was followed");
        return IMP_FAILED;
    }
    if (!touch->formulas) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0709, command->range,
                     "the curves cannot be computed: %s", touch->no_formulas);
        if (rt_contact(analysis->rt, touch->contact)->flags &
            IMP_CONTACTF_CORNERS)
            diag_help(analysis->ds, diag,
                      "the figure of eight belongs to two surfaces that curve; "
                      "`classify` tells the touch of corners by the series of "
                      "the gap");
        return IMP_FAILED;
    }
    if ((st = touch_agree(analysis, touch)))
        return st;
    touch_verdict(analysis, touch, &verdict);
    if (verdict.class == CLASS_MINUS || verdict.class == CLASS_SEPARATING) {
        struct diag *diag = diag_add(analysis->ds, DIAG_E0709, command->range,
                                     "the touch is not tangential (%s): the "
                                     "figure of eight belongs to v = 0",
                                     touch_class_name[verdict.class]);
        char speed[NUM_TEXT];
        diag_note(analysis->ds, diag, IMP_NOWHERE, "v = %s m/s",
                  num_digits(speed, verdict.v, 6));
        return IMP_FAILED;
    }
    return IMP_OK;
}

/* Sets the fields that do not depend on the direction. */
static void
set_tangent_plane(const struct tangency *tangency, struct record *out)
{
    size_t nt = (size_t)tangency->nt;
    const double K[3] = {tangency->S[0], tangency->S[1], tangency->S[3]};
    const double curvature_sum[4] = {tangency->S[0], tangency->S[1],
                                     tangency->S[2], tangency->S[3]};
    double deepest[2]; /* velocity of the deepest point, -S^-1 b_Q */
    sym2_solve(nt == 2 ? 2 : 1, K, tangency->b_Q, deepest);
    deepest[0] = -deepest[0];
    deepest[1] = nt == 2 ? -deepest[1] : 0.0;
    SET_VEC("tangent_1", tangency->t1);
    if (nt == 2)
        SET_VEC("tangent_2", tangency->t2);
    else
        SET_ABSENT("tangent_2", "the plane has one tangent");
    SET_MAT("S", curvature_sum, nt, nt);
    SET_LIST("b_P", tangency->b_P, nt);
    SET_LIST("b_Q", tangency->b_Q, nt);
    SET_LIST("deepest_velocity", deepest, nt);
}

static int
cmd_eight(struct analysis *analysis, const imp_command *command,
          struct record *out)
{
    struct touch touch;
    double time, points;
    int st;
    if ((st = options(analysis, command, &time, &points)) ||
        (st = find_tangential(analysis, command, &touch)))
        return st;
    const struct tangency *tangency = &touch.tangency;
    size_t n_directions = tangency->nt == 2 ? (size_t)points : 2;
    double *phi = NEW_N(analysis->rt->arena, double, 7 * n_directions);
    struct curve curve_P = {phi + n_directions, phi + 2 * n_directions,
                            phi + 3 * n_directions},
                 curve_Q = {phi + 4 * n_directions, phi + 5 * n_directions,
                            phi + 6 * n_directions};
    for (size_t i = 0; i < n_directions; i++) {
        phi[i] = 2.0 * EIGHT_PI * (double)i / (double)n_directions;
        curve_point(tangency, tangency->b_P, phi[i], time, &curve_P, i);
        curve_point(tangency, tangency->b_Q, phi[i], time, &curve_Q, i);
    }
    SET_LIST("phi", phi, n_directions);
    set_tangent_plane(tangency, out);
    SET_LIST("zero_P", curve_P.zero, n_directions);
    SET_LIST("zero_Q", curve_Q.zero, n_directions);
    SET_LIST("deepest_P", curve_P.deepest, n_directions);
    SET_LIST("deepest_Q", curve_Q.deepest, n_directions);
    SET_LIST("depth_P", curve_P.depth, n_directions);
    SET_LIST("depth_Q", curve_Q.depth, n_directions);
    return IMP_OK;
}

const struct command_functions command_eight = {.run = cmd_eight};
