/* SPDX-License-Identifier: MIT */
/* Inside set-up: what setup.c (a model), attitude.c (how bodies are turned),
 * mass_properties.c (mass and inertia), bounding_ball.c (bounding balls) and
 * stated_contacts.c (contacts at a stated point) ask of each other. */
#ifndef IMP_RUNTIME_SETUP_SETUP_PRIV_H
#define IMP_RUNTIME_SETUP_SETUP_PRIV_H

#include "runtime/setup/new_run.h"

/* What the text states of a body (enum imp_raw). It is there during the set-up
 * alone. */
static inline const double *
setup_raw(const struct rt *run, const imp_body *body)
{
    return run->scratch + body->raw;
}
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
/* Draws the positions of bodies that are to stay apart again, until they do;
 * `run` as of rt_seed. The set-up tape has been run last. Returns as
 * setup_body. */
int setup_apart(struct rt *run, uint64_t number);
/* Is in setup.c. Draws the random number `which` of this run for the time
 * `again`, between two bounds, into env. */
void setup_draw(struct rt *run, uint64_t number, uint32_t which, uint32_t again,
                const double bounds[2]);
/* Is in setup.c. Runs the set-up tape after numbers were drawn; its outputs are
 * in run->scratch until the next tape. Status as setup_body. */
int setup_drawn(struct rt *run);
/* Is in setup.c. The bounds of all random numbers, among these outputs. */
const double *setup_draw_bounds(struct rt *run);
/* `axes` may miss orthonormal axes by this much: data of 6 digits. */
#define AXES_SLACK 1e-6
/* Gives the vector the length 1. False: it is 0. */
bool setup_normalise(double *vector, int count);
/* The attitude that the text states, from the raw values. Returns as
 * setup_body. */
int setup_orientation(struct rt *run, const imp_body *body, double quat[4]);
/* Writes the state of a body at t = 0 into env. */
int setup_state(struct rt *run, uint32_t body);
/* Checks a stated contact against the shapes of its bodies, which have their
 * places by now. Returns as setup_body. */
int setup_surfaces(struct rt *run, uint32_t contact);

#endif
