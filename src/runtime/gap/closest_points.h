/* SPDX-License-Identifier: MIT */
/* Closest points and signed gap of the two bodies of a contact, at the current
 * state: robust from far apart to slightly overlapping. Method: support
 * points by ascent on the level set (star shape along rays), the direction of
 * greatest separation sigma = max_n [n.(c2-c1) - h1(n) - h2(-n)]
 * (Palffy-Muhoray et al. 2018, spec 0.C), then Newton on the conditions of
 * closest points (imp_contact.kkt), whose Jacobian is regular iff
 * K1 + K2 + gap K1 K2 is. */
#ifndef IMP_RUNTIME_GAP_CLOSEST_POINTS_H
#define IMP_RUNTIME_GAP_CLOSEST_POINTS_H

#include "runtime/instance/run.h"

struct closest_points {
    double gap;
    double u[8];             /* unknowns of the contact, see imp_contact */
    double P[3], Q[3], n[3]; /* world */
    double condition;        /* estimate for the last Jacobian */
    bool deep; /* overlap so deep that another direction of separation may take
                  over: the gap is right, its series holds for one of them */
};
/* warm start from r->contact_u when usable. IMP_OK, IMP_SINGULAR (flat
 * surfaces facing each other), IMP_DIVERGED (a body is not convex there ...),
 * IMP_FAILED after a diagnostic when `loud` */
int closest_points_find(struct rt *run, uint32_t contact,
                        struct closest_points *out, bool loud);
/* writes gap, P, Q, normal into env for tapes that read them */
int closest_points_to_env(struct rt *run, uint32_t contact);
/* gap series at the current state: needs motion_series of both blocks to the
 * same order; out[0..order]. */
int contact_gap_series(struct rt *run, uint32_t contact, int order,
                       double *out);
/* moves the warm start of a contact by dt along the series of its closest
 * points made last (contact_gap_series) */
void closest_points_predict(struct rt *run, uint32_t contact, int order,
                            double dt);

#endif
