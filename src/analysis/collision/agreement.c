/* SPDX-License-Identifier: MIT */
/* Agreement of the two ways to the coefficients of a touch: the formulas of the
 * paper (tangency_formulas.c) and the series of the gap share no routine, so a
 * difference beyond rounding shows a mistake in one of them or in the model. */
#include <float.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/verdict.h"
#include "base/num.h"
#include "runtime/numerics/vec3.h"

/* Rounding of both ways, in units of the terms' sizes. Closest points are
 * known to eps; S^-1 amplifies errors by the condition of K1 + K2, once per
 * order; about 40 operations per term of second, 200 of third order. */
#define AGREE_V 64.0
#define AGREE_D 512.0
#define AGREE_J 8192.0

/* the jet is taken at the gap as it is, the formulas at gap 0: relative
 * difference of second and third order coefficients per gap times curvature */
#define AGREE_GAP 64.0

static bool
differ(struct analysis *a, const struct touch *t, const char *what, double x,
       double y, double bound)
{
    if (fabs(x - y) <= bound)
        return false;
    char sx[NUM_TEXT], sy[NUM_TEXT], sb[NUM_TEXT];
    const imp_contact *ct = rt_contact(a->rt, t->contact);
    struct diag *d = diag_add(a->ds, DIAG_E0706, ct->range,
                              "%s of `%s` comes out as %s by the formulas and "
                              "as %s by the series of the gap",
                              what, imp_text(a->rt->im, ct->name),
                              num_shortest(sx, x), num_shortest(sy, y));
    diag_note(a->ds, d, IMP_NOWHERE, "rounding explains a difference of %s",
              num_digits(sb, bound, 3));
    diag_help(a->ds, d,
              "look whether the level sets are smooth at the "
              "contact; if they are, please report this model");
    return true;
}

int
touch_agree(struct analysis *a, const struct touch *t)
{
    const struct tangency *f = &t->t;
    if (!t->formulas || t->order < 1)
        return IMP_OK;
    double eps = DBL_EPSILON, cond = f->condition;
    double kappa = fabs(f->kappa1[0]) + fabs(f->kappa2[0]);
    double shift = AGREE_GAP * fabs(t->gap) * kappa;
    /* points far from the origin of the world are known to eps of their
     * distance, and the normal turns by that times the curvature */
    eps *= 1.0 + fmax(vec3_norm(t->P), vec3_norm(t->Q)) * kappa;
    bool bad = differ(a, t, "the normal velocity", f->v, t->jet[1],
                      (AGREE_V * eps + shift) * f->v_abs);
    /* the formulas of second and third order hold where v = 0 */
    if (fabs(f->v) <= touch_velocity_tolerance(a, t) && t->order >= 3) {
        /* what a v that is not quite 0 does: terms v times a rate */
        double rate = f->v_size > 0.0 ? fabs(f->v) / f->v_size : 0.0;
        double dD = (AGREE_D * eps * cond + shift * cond + AGREE_GAP * rate) *
                    f->D_size;
        double dj = (AGREE_J * eps * cond + shift * cond + AGREE_GAP * rate) *
                    cond * f->j_size;
        bad |= differ(a, t, "the discriminant D seen from Q", f->D_Q,
                      2.0 * t->jet[2], dD);
        bad |= differ(a, t, "the discriminant D seen from P", f->D_P,
                      2.0 * t->jet[2], dD);
        bad |= differ(a, t, "the jerk seen from Q", f->jerk_Q, 6.0 * t->jet[3],
                      dj);
        bad |= differ(a, t, "the jerk seen from P", f->jerk_P, 6.0 * t->jet[3],
                      dj);
    }
    return bad ? IMP_FAILED : IMP_OK;
}
