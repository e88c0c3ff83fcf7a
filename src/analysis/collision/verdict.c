/* SPDX-License-Identifier: MIT */
/* The verdict on a touch from its coefficients v, D and j* (spec 0.D), each
 * compared with the size of the terms that make it. */
#include "analysis/collision/verdict.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

const char *const touch_class_name[] = {"separating", "C-", "C0+", "C0-",
                                        "C00"};

/* sizes of the terms: from the formulas, else from the jet, as powers of the
 * fastest rate in it */
void
touch_term_sizes(const struct touch *t, double *v, double *D, double *j)
{
    if (t->formulas) {
        *j = t->t.j_size;
        /* bodies that come to rest at the touch have no terms left of low
         * order: what the next order makes of them over one length counts */
        *D = fmax(t->t.D_size, cbrt(*j * *j * t->length));
        *v = fmax(t->t.v_size, sqrt(*D * t->length));
        return;
    }
    double rate = 0.0;
    for (int k = 1; k <= t->order; k++)
        rate = fmax(rate, pow(fabs(t->jet[k]) / t->length, 1.0 / k));
    *v = t->length * rate;
    *D = *v * rate;
    *j = *D * rate;
}

/* a velocity rounds as the speeds it is the difference of */
double
touch_velocity_floor(const struct touch *t)
{
    return t->formulas ? 64.0 * DBL_EPSILON * t->t.v_abs : 0.0;
}

double
touch_velocity_tolerance(const struct analysis *a, const struct touch *t)
{
    double v, D, j;
    touch_term_sizes(t, &v, &D, &j);
    return fmax(a->rt->tolerance * v, touch_velocity_floor(t));
}

void
touch_verdict(const struct analysis *a, const struct touch *t,
              struct verdict *v)
{
    double tol = a->rt->tolerance, v_size, D_size, j_size;
    memset(v, 0, sizeof *v);
    touch_term_sizes(t, &v_size, &D_size, &j_size);
    v->v_tol = touch_velocity_tolerance(a, t);
    v->D_tol = tol * D_size;
    v->j_tol = tol * j_size;
    v->v = t->formulas ? t->t.v : t->jet[1];
    bool tangent = fabs(v->v) <= v->v_tol;
    /* with v != 0 the formulas of higher order do not hold */
    bool paper = t->formulas && (tangent || t->order < 3);
    v->D = paper ? t->t.D : 2.0 * t->jet[2];
    v->jerk = paper ? t->t.jerk : 6.0 * t->jet[3];

    double decide = v->v, by = v->v_tol;
    if (!tangent) {
        v->class = v->v > 0.0 ? CLASS_SEPARATING : CLASS_MINUS;
    } else if (fabs(v->D) > v->D_tol) {
        v->class = v->D > 0.0 ? CLASS_0_PLUS : CLASS_0_MINUS;
        decide = v->D;
        by = v->D_tol;
    } else {
        v->class = CLASS_00;
        decide = v->jerk;
        by = v->j_tol;
        v->jerk_zero = fabs(v->jerk) <= v->j_tol;
    }
    v->margin = by > 0.0 ? fabs(decide) / by : 0.0;
    if (!tangent || !t->formulas)
        return;

    /* which contact points enter: the sign of the first coefficient of their
     * own distance to the other surface that is not zero */
    bool zero_P = fabs(t->t.a_P) <= v->D_tol,
         zero_Q = fabs(t->t.a_Q) <= v->D_tol;
    v->in_P = zero_P ? t->t.j_P < -v->j_tol : t->t.a_P < 0.0;
    v->in_Q = zero_Q ? t->t.j_Q < -v->j_tol : t->t.a_Q < 0.0;
    if (v->class == CLASS_00)
        v->type = 1 + (zero_P ? 1 : 0) + (zero_Q ? 1 : 0);
}
