/* SPDX-License-Identifier: MIT */
/* What counts as a closed gap, and as a gap at rest, for one contact at the
 * present state of a run (Palffy-Muhoray et al. 2018; tangential.md 0.F).
 * Lengths are in m, speeds in m/s. */
#ifndef IMP_RUNTIME_GAP_TOLERANCE_H
#define IMP_RUNTIME_GAP_TOLERANCE_H

#include "runtime/instance/run.h"

struct gap_tolerance {
    double length;       /* sum of the sizes of both bodies */
    double gap;          /* a gap up to this size counts as closed */
    double rate;         /* a rate up to this size counts as none */
    double rate_c00;     /* the same where the second derivative of the gap
                            vanishes, too (C00) */
    double fall;         /* a gap that has not opened since its last touch falls
                            without doubt at this rate, and touches again */
    double gap_rounding; /* rounding error of the gap */
    double rate_rounding; /* rounding error of the rate */
};
/* The rate of a fall is twice the tolerance of a verdict. */
#define GAP_FALL (2.0 / RT_GAP_SHARE)
/* The next touch is found where a gap falls so fast, to rounding: a verdict
 * takes up to this share of that rate for none. As an impact such a touch would
 * come again and again, as flights within the rounding of a gap have no end. */
#define GAP_FALL_FOUND 1.001
/* Gives all tolerances of a contact of two bodies. */
void gap_tolerance_get(struct rt *run, uint32_t contact,
                       struct gap_tolerance *out);
/* Gives the tolerances of the gap and of its rate alone. */
void gap_tolerances(struct rt *run, uint32_t contact, double *gap,
                    double *rate);
/* Gives the gap (m) up to which points take part in an impact now. */
double gap_hit(struct rt *run, uint32_t contact);
/* A bound of the rounding error of the gap, and one of its rate. */
void gap_rounding(struct rt *run, uint32_t contact, double *gap, double *rate);
/* Returns the length that a contact's gap is measured against: the sum of the
 * sizes of both bodies. */
double gap_length(struct rt *run, uint32_t contact);
/* The size (m/s^2) of the terms of the acceleration of a gap without contacts
 * that weight, stated forces and stated motions make now, also those of bodies
 * that joints couple with the two. Forces that cancel leave a rounding of it.
 */
double gap_weight(struct rt *run, uint32_t contact);
/* The share of the speeds up to which the rate of a gap counts as none where
 * the second derivative of the gap vanishes (C00). A touch with discriminant D
 * has there the rate -D^2 / (2 j*), so that the full tolerance of the rate
 * would take a D up to the square root of that tolerance for zero. The data
 * leave less open: RT_GAP_SHARE * tolerance if the model states a tolerance
 * (which says how many digits the data have), else GAP_C00_SHARE, for
 * data of full length. */
#define GAP_C00_SHARE 1e-13
double gap_c00_share(const struct rt *run);

#endif
