/* SPDX-License-Identifier: MIT */
/* Touches of polytopes at which the normal is set-valued, and touches at which
 * the features that touch change. */
#ifndef IMP_ANALYSIS_COLLISION_NORMAL_CHOICES_H
#define IMP_ANALYSIS_COLLISION_NORMAL_CHOICES_H

#include "analysis/collision/touch.h"

struct contact_manifold;

/* What the bodies do along each choice of the normal. */
struct normal_choices {
    int n;         /* choices */
    double *v, *D; /* rate and second derivative of the separation, n each, in
                      run->brief */
    double v_tol, D_tol; /* at or below these they count as zero */
    int closing;         /* choices under which the bodies approach */
    int pressed;         /* choices without rate, with D < 0 */
    int apart;           /* choices under which the bodies separate */
    int without_series;  /* choices whose series does not exist: v = D = 0 */
};

/* Reads all choices of `touch` at the present state. IMP_NONFINITE when none
 * has a series. */
int normal_choices_read(struct analysis *analysis, uint32_t contact,
                        const struct contact_manifold *manifold,
                        struct normal_choices *out);
/* What follows from the choices, as a sentence without full stop; static. */
const char *normal_choices_text(const struct normal_choices *choices);
/* A time after which features that change at a touch have done so, as a small
 * share of the time in which the bodies pass one length, in s; 0 when nothing
 * moves. *speed: of the bodies against each other, in m/s. */
double touch_time_aside(struct analysis *analysis, uint32_t contact,
                        double *speed);
/* Does the gap's second derivative jump at this touch of polytopes, which the
 * model is at? Then t->jet becomes the series of what follows, and *before is
 * the derivative that held until then. */
bool touch_sides(struct analysis *analysis, struct touch *touch,
                 double *before);

#endif
