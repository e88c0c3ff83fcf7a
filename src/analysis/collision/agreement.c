/* SPDX-License-Identifier: MIT */
/* Agreement of the two ways to the coefficients of a touch: the formulas of the
 * paper (tangency_formulas.c) and the series of the gap share no routine, so a
 * difference beyond rounding shows a mistake in one of them or in the model. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/verdict.h"
#include "base/num.h"
#include "runtime/numerics/vec3.h"

/* Rounding errors of both computations, in roundings of the sizes of the terms.
 * Closest points are known to eps, and over S where that is flat. S^-1 multiplies errors by the condition of
 * K1 + K2, once per order. A term of second order takes about 40 operations,
 * one of third order 200. */
#define AGREE_V 64.0
#define AGREE_D 512.0
#define AGREE_J 8192.0

/* The series is taken at the gap as it is, the formulas at gap 0. This is the
 * relative difference of coefficients of second and third order for a gap of
 * one over the curvature. */
#define AGREE_GAP 64.0

static bool
differ(struct analysis *analysis, const struct touch *touch, const char *what,
       double by_formulas, double by_series, double bound)
{
    if (fabs(by_formulas - by_series) <= bound)
        return false;
    char sx[NUM_TEXT], sy[NUM_TEXT], sb[NUM_TEXT];
    const imp_contact *image_contact = rt_contact(analysis->rt, touch->contact);
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0706, image_contact->range,
                 "%s of `%s` comes out as %s by the formulas and "
                 "as %s by the series of the gap",
                 what, imp_text(analysis->rt->im, image_contact->name),
                 num_shortest(sx, by_formulas), num_shortest(sy, by_series));
    diag_note(analysis->ds, diag, IMP_NOWHERE,
              "rounding explains a difference of %s", num_digits(sb, bound, 3));
    diag_help(analysis->ds, diag,
              "look whether the level sets are smooth at the "
              "contact; if they are, please report this model");
    return true;
}

/* How much more than their rounding closest points are off, where they lie on
 * surfaces that are flatter than one as round as the bodies are large. */
static double
flatness(const struct touch *touch)
{
    const double *S = touch->tangency.S;
    double half = (S[0] + S[3]) / 2.0, least = S[0];
    if (touch->tangency.nt == 2)
        least = half - hypot((S[0] - S[3]) / 2.0, S[1]);
    return fmax(1.0, 1.0 / (touch->length * least));
}

int
touch_agree(struct analysis *analysis, const struct touch *touch)
{
    assert(analysis != NULL && touch != NULL);
    const struct tangency *formulas = &touch->tangency;
    if (!touch->formulas || touch->order < 1)
        return IMP_OK;
    double eps = DBL_EPSILON, cond = formulas->condition;
    double kappa = fabs(formulas->kappa1[0]) + fabs(formulas->kappa2[0]);
    double shift = AGREE_GAP * fabs(touch->gap) * kappa;
    /* Points far from the origin of the world are known to eps of their
     * distance. The normal turns by this error times the curvature. */
    eps *= 1.0 + fmax(vec3_norm(touch->P), vec3_norm(touch->Q)) * kappa;
    bool bad = differ(analysis, touch, "the normal velocity", formulas->v,
                      touch->jet[1],
                      (AGREE_V * eps * flatness(touch) + shift) *
                          formulas->v_abs);
    /* the formulas of second and third order hold where v = 0 */
    if (fabs(formulas->v) <= touch_velocity_tolerance(analysis, touch) &&
        touch->order >= 3) {
        /* A v that is not exactly 0 adds terms of the size of v times a rate.
         */
        double rate =
            formulas->v_size > 0.0 ? fabs(formulas->v) / formulas->v_size : 0.0;
        double dD = (AGREE_D * eps * cond + shift * cond + AGREE_GAP * rate) *
                    formulas->D_size;
        double dj = (AGREE_J * eps * cond + shift * cond + AGREE_GAP * rate) *
                    cond * formulas->j_size;
        bad |= differ(analysis, touch, "the discriminant D seen from Q",
                      formulas->D_Q, 2.0 * touch->jet[2], dD);
        bad |= differ(analysis, touch, "the discriminant D seen from P",
                      formulas->D_P, 2.0 * touch->jet[2], dD);
        bad |= differ(analysis, touch, "the jerk seen from Q", formulas->jerk_Q,
                      6.0 * touch->jet[3], dj);
        bad |= differ(analysis, touch, "the jerk seen from P", formulas->jerk_P,
                      6.0 * touch->jet[3], dj);
    }
    return bad ? IMP_FAILED : IMP_OK;
}
