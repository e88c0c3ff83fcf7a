/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step by the Runge-Kutta method of orders 8 and 9 of Prince and Dormand
 * (1981), gsl_odeiv2_step_rk8pd, and its error. */
#include <assert.h>
#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "gsl/engine.h"

int
step_to(struct gsl_engine *engine, double s, double *y, double *rate,
        double *error)
{
    assert(s >= 0.0 && y != engine->step.y0);
    double *spare = error ? error : engine->step.error;
    memcpy(y, engine->step.y0, engine->n * sizeof *y);
    engine->status = 0;
    if (s == 0.0)
        return 0;
    int st = gsl_odeiv2_step_apply(engine->rk, engine->step.t0, s, y, spare,
                                   engine->step.f0, rate, &engine->system);
    for (size_t i = 0; i < engine->n && !st; i++)
        if (!isfinite(y[i]) || !isfinite(spare[i]))
            st = GSL_FAILURE;
    /* GSL passes on what the right-hand side returned */
    return st && engine->status ? engine->status : st;
}

double
step_error(const struct gsl_engine *engine)
{
    double worst = 0.0;
    for (size_t i = 0; i < engine->n; i++) {
        double allowed = engine->motion->tolerance *
                         fmax(engine->size[i], fabs(engine->step.y1[i]));
        worst =
            fmax(worst, fabs(engine->step.error[i]) / fmax(allowed, DBL_MIN));
    }
    return worst;
}

void
step_sizes(struct gsl_engine *engine, const double *y)
{
    assert(engine);
    const struct gsl_number *number = engine->motion->number;
    /* numbers of one group stand together */
    for (size_t i = 0, end; i < engine->n; i = end) {
        double size = fmax(engine->size[i], number[i].least);
        for (end = i; end < engine->n && number[end].group == number[i].group;
             end++)
            size = fmax(size, fabs(y[end]));
        for (size_t k = i; k < end; k++)
            engine->size[k] = size;
    }
}
