/* SPDX-License-Identifier: MIT */
/* Inside set-up: what setup.c (a model), mass_properties.c (mass and inertia),
 * bounding_ball.c (bounding balls) and stated_contacts.c (contacts at a stated
 * point) ask of each other. */
#ifndef IMP_RUNTIME_SETUP_SETUP_PRIV_H
#define IMP_RUNTIME_SETUP_SETUP_PRIV_H

#include "runtime/setup/new_run.h"

/* Puts the params into env, and derives masses, shapes and the initial state.
 * Returns IMP_OK, or a status after a diagnostic. */
int rt_setup(struct rt *run, const double *params);
/* Derives mass, inertia, centre, volume and radius of a body from its raw
 * values, into env. Returns IMP_OK, or IMP_BADMODEL after a diagnostic. */
int setup_body(struct rt *run, uint32_t body);
/* At the start: do joints make the motion of bodies without inertia regular?
 * Returns as setup_body. */
int setup_check_spins(struct rt *run);
/* The radius of a ball about `centre` (in coordinates of the shape) that holds
 * the body: a true bound for convex bodies; infinite for a body without end. */
double setup_radius(struct rt *run, uint32_t body, const double centre[3]);
/* Checks a stated contact against the shapes of its bodies, which have their
 * places by now. Returns as setup_body. */
int setup_surfaces(struct rt *run, uint32_t contact);

#endif
