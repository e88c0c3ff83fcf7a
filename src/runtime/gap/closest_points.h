/* SPDX-License-Identifier: MIT */
/* Closest points of the two bodies of a contact, their signed distance (the
 * gap) and its time series, whatever the shapes of the bodies. This is the
 * public face of the room. It asks the part that knows the shapes:
 *   smooth_smooth.c     two smooth bodies, such as two ellipsoids
 *   smooth_polytope.c   a smooth body and a polytope
 *   polytope_pair.c     two polytopes
 *   instance/system.h   a gap that is a formula of generalised coordinates
 *
 * The gap is the greatest separation of the bodies over all unit directions n,
 * sigma = max_n [n.(c2-c1) - h1(n) - h2(-n)] with the support functions h
 * (Palffy-Muhoray et al. 2018, tangential.md 0.C). It is the distance while the
 * bodies are apart, and minus the least depth while they overlap. */
#ifndef IMP_RUNTIME_GAP_CLOSEST_POINTS_H
#define IMP_RUNTIME_GAP_CLOSEST_POINTS_H

#include "runtime/instance/run.h"

struct closest_points {
    double gap;              /* m */
    double u[8];             /* unknowns of the contact, see imp_contact */
    double P[3], Q[3], n[3]; /* points of the first and of the second body (m),
                                and the normal from the first to the second;
                                world axes */
    double condition;        /* estimate for the last Jacobian; infinite where
                                the points are not unique */
    bool deep; /* the overlap is so deep that another direction may soon
                  separate the bodies better: the gap is right, but its series
                  holds for this direction only */
};
/* Closest points of a contact at the present state. The search starts at the
 * last closest points (run->closest.unknowns) if they are usable.
 *   IMP_OK
 *   IMP_SINGULAR  flat surfaces face each other: the gap is right, the points
 *                 are some of many
 *   IMP_DIVERGED  no closest points, for example where a body is not convex
 *   IMP_FAILED    instead of the last two if `loud`, after a diagnostic
 * A contact of a system has a gap, but no points and no normal. */
int closest_points_find(struct rt *run, uint32_t contact,
                        struct closest_points *out, bool loud);
/* The same without a diagnostic, and without a trace: what is found later does
 * not depend on it. */
int closest_points_look(struct rt *run, uint32_t contact,
                        struct closest_points *out);
/* Writes the gap, both points and the normal into run->env, for tapes that read
 * them. Status as closest_points_find with `loud`. */
int closest_points_to_env(struct rt *run, uint32_t contact);
/* Forgets what is known of a contact, which is now one of other bodies. */
void closest_points_forget(struct rt *run, uint32_t contact);
/* What the searches of all contacts remember of their last answers beside
 * run->closest.unknowns, in run->brief; makes it that again. */
struct closest_points_memory;
struct closest_points_memory *closest_points_remember(struct rt *run);
void closest_points_recall(struct rt *run,
                           const struct closest_points_memory *memory);
/* Moves the point from which the next search of this contact starts by dt (s)
 * along the series made last by contact_gap_series. */
void closest_points_predict(struct rt *run, uint32_t contact, int order,
                            double dt);
/* Time series of the gap at the present state: gap[0..order]. The series of the
 * motion of both blocks must have been made to the same order. Status as
 * closest_points_find without `loud`, or of the series tape. */
int contact_gap_series(struct rt *run, uint32_t contact, int order,
                       double *gap);
/* Reports that a coefficient of the series of the gap is not finite, or that no
 * series exists (E0601, E0602). The series of the motion must have been made.
 */
void contact_gap_nonfinite(struct rt *run, uint32_t contact, int order);
/* Rate of the gap (m/s) from the velocities of the closest points. It leaves
 * out the change of a level set that depends on time by itself. */
double gap_rate(struct rt *run, uint32_t contact,
                const struct closest_points *points);

#endif
