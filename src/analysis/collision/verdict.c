/* SPDX-License-Identifier: MIT */
/* The verdict on a touch from its coefficients v, D and j* (tangential.md 0.D),
 * each compared with the size of the terms that make it. */
#include "analysis/collision/verdict.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

const char *const touch_class_name[] = {"separating", "C-", "C0+", "C0-",
                                        "C00"};

/* The sizes come from the formulas, where they hold; else from the series of
 * the gap, as powers of the fastest rate in it. */
void
touch_term_sizes(const struct touch *touch, double *v_size, double *D_size,
                 double *j_size)
{
    assert(touch != NULL && !(touch->length <= 0.0));
    if (touch->formulas) {
        *j_size = touch->calm.j_size;
        /* Bodies that come to rest at the touch have no terms of low order.
         * There the next order, taken over one length, gives the size. */
        *D_size =
            fmax(touch->calm.D_size, cbrt(*j_size * *j_size * touch->length));
        *v_size = fmax(touch->calm.v_size, sqrt(*D_size * touch->length));
        return;
    }
    double rate = 0.0;
    for (int k = 1; k <= touch->order; k++)
        rate = fmax(rate, pow(fabs(touch->jet[k]) / touch->length, 1.0 / k));
    *v_size = touch->length * rate;
    *D_size = *v_size * rate;
    *j_size = *D_size * rate;
}

double
touch_velocity_floor(const struct touch *touch)
{
    assert(touch);
    return touch->formulas ? 64.0 * DBL_EPSILON * touch->tangency.v_abs : 0.0;
}

double
touch_velocity_tolerance(const struct analysis *analysis,
                         const struct touch *touch)
{
    assert(analysis != NULL && touch != NULL);
    double v, D, j;
    touch_term_sizes(touch, &v, &D, &j);
    v = fmax(analysis->rt->world.tolerance * v, touch_velocity_floor(touch));
    return fmax(v, touch->still);
}

void
touch_verdict(const struct analysis *analysis, const struct touch *touch,
              struct verdict *verdict)
{
    assert(analysis != NULL && touch != NULL && verdict != NULL);
    assert(touch->formulas || touch->order >= 3);
    double tol = analysis->rt->world.tolerance, v_size, D_size, j_size;
    memset(verdict, 0, sizeof *verdict);
    touch_term_sizes(touch, &v_size, &D_size, &j_size);
    verdict->v_tol = touch_velocity_tolerance(analysis, touch);
    verdict->D_tol = tol * D_size;
    verdict->j_tol = tol * j_size;
    verdict->v = touch->formulas ? touch->calm.v : touch->jet[1];
    bool tangent = fabs(verdict->v) <= verdict->v_tol;
    /* the formulas of second and third order hold where v = 0 */
    bool paper = touch->formulas && (tangent || touch->order < 3);
    verdict->D = paper ? touch->calm.D : 2.0 * touch->jet[2];
    verdict->jerk = paper ? touch->calm.jerk : 6.0 * touch->jet[3];

    double decide = verdict->v, by = verdict->v_tol;
    if (!tangent) {
        verdict->class = verdict->v > 0.0 ? CLASS_SEPARATING : CLASS_MINUS;
    } else if (fabs(verdict->D) > verdict->D_tol) {
        verdict->class = verdict->D > 0.0 ? CLASS_0_PLUS : CLASS_0_MINUS;
        decide = verdict->D;
        by = verdict->D_tol;
    } else {
        verdict->class = CLASS_00;
        decide = verdict->jerk;
        by = verdict->j_tol;
        verdict->jerk_zero = fabs(verdict->jerk) <= verdict->j_tol;
    }
    assert(verdict->v_tol >= 0.0 || isnan(verdict->v_tol));
    verdict->margin = by > 0.0 ? fabs(decide) / by : 0.0;
    if (!tangent || !touch->formulas)
        return;

    /* A contact point enters the other body when the first coefficient that is
     * not zero, of its own distance to that body, is negative. */
    bool zero_P = fabs(touch->tangency.a_P) <= verdict->D_tol,
         zero_Q = fabs(touch->tangency.a_Q) <= verdict->D_tol;
    verdict->in_P = zero_P ? touch->tangency.j_P < -verdict->j_tol
                           : touch->tangency.a_P < 0.0;
    verdict->in_Q = zero_Q ? touch->tangency.j_Q < -verdict->j_tol
                           : touch->tangency.a_Q < 0.0;
    if (verdict->class == CLASS_00)
        verdict->type = 1 + (zero_P ? 1 : 0) + (zero_Q ? 1 : 0);
}
