/* SPDX-License-Identifier: MIT */
/* Inside set-up: what setup.c (a model), mass_properties.c (mass and inertia),
 * bounding_ball.c (bounding balls) and stated_contacts.c (contacts at a stated
 * point) ask of each other. */
#ifndef IMP_RUNTIME_SETUP_SETUP_PRIV_H
#define IMP_RUNTIME_SETUP_SETUP_PRIV_H

#include "runtime/setup/new_run.h"

/* Params into env, masses and shapes, the initial state. IMP_OK, or a status
 * after a diagnostic. */
int rt_setup(struct rt *run, const double *params);
/* env: mass, inertia, centre, volume, radius of a body from raw; IMP_OK or
 * IMP_BADMODEL after a diagnostic */
int setup_body(struct rt *run, uint32_t body);
/* radius of a ball about `centre` (shape coordinates) that holds the body; a
 * true bound for convex bodies; infinite where it has no end */
double setup_radius(struct rt *run, uint32_t body, const double centre[3]);
/* a stated contact against the shapes of its bodies, placed by now; the same */
int setup_surfaces(struct rt *run, uint32_t contact);

#endif
