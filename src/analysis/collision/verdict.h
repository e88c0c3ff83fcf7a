/* SPDX-License-Identifier: MIT */
/* The verdict on a touch: which class of collision its coefficients v, D and j*
 * belong to (Palffy-Muhoray et al. 2018, with the corrected flow chart of spec
 * 0.D). */
#ifndef IMP_ANALYSIS_COLLISION_VERDICT_H
#define IMP_ANALYSIS_COLLISION_VERDICT_H

#include "analysis/collision/touch.h"

enum touch_class {
    CLASS_SEPARATING,
    CLASS_MINUS,   /* C-: the bodies approach, an impact follows */
    CLASS_0_PLUS,  /* C0+: they touch without overlap */
    CLASS_0_MINUS, /* C0-: they overlap before and after */
    CLASS_00       /* C00: v and D vanish, the third order decides */
};
/* "separating", "C-", "C0+", "C0-", "C00" */
extern const char *const touch_class_name[];

struct verdict {
    enum touch_class class;
    double v;    /* normal velocity, m/s */
    double D;    /* discriminant: second derivative of the gap, m/s^2 */
    double jerk; /* j*: third derivative of the gap, m/s^3 */
    double v_tol, D_tol, j_tol; /* at or below these they count as zero */
    double margin;   /* the deciding coefficient over its tolerance */
    bool jerk_zero;  /* C00 whose third derivative counts as zero too */
    bool falls;      /* of these: higher ones lead into overlap; `simulate` */
    int type;        /* of C00: 1, 2 or 3; 0 of all else */
    bool in_P, in_Q; /* the contact points that enter the other body */
    bool open;       /* the normal is not unique; set by `simulate` alone */
};

/* Classifies a touch that touch_read has filled. */
void touch_verdict(const struct analysis *analysis, const struct touch *touch,
                   struct verdict *verdict);
/* The greatest normal velocity that counts as zero at this touch, in m/s. */
double touch_velocity_tolerance(const struct analysis *analysis,
                                const struct touch *touch);
/* Sizes of the terms that make v, D and j*: sums of absolute values, in m/s,
 * m/s^2 and m/s^3. */
void touch_term_sizes(const struct touch *touch, double *v_size, double *D_size,
                      double *j_size);
/* The rounding error of v in m/s: v rounds as the speeds whose difference it
 * is. */
double touch_velocity_floor(const struct touch *touch);
/* Compares the paper's formulas with the series of the gap. IMP_FAILED after a
 * diagnostic when they differ by more than rounding explains. */
int touch_agree(struct analysis *analysis, const struct touch *touch);

#endif
