/* SPDX-License-Identifier: MIT */
/* The two bodies of a contact at the present state of a run: their poses,
 * their velocities and the series of their motion. */
#ifndef IMP_RUNTIME_GAP_CONTACT_BODIES_H
#define IMP_RUNTIME_GAP_CONTACT_BODIES_H

#include "runtime/instance/run.h"

/* Is the body fixed, and not moved by a formula? */
bool body_rests(const imp_body *body);
/* What moves as one body: for each body the lowest number of those that it is
 * welded to, or driven as at this instant, itself included, and IMP_WORLD for
 * bodies that rest, or are welded to what rests. In run->brief. */
const uint32_t *rigid_groups(struct rt *run);
/* Gives the speed of the mass centre (m/s) and the size of the spin (rad/s); 0
 * for a body that rests. */
void body_speeds(const struct rt *run, const imp_body *body, double *speed,
                 double *spin);
/* Adds sign (1 or -1) times the velocity of the mass centre, in world axes, to
 * velocity. */
void body_add_velocity(const struct rt *run, const imp_body *body, double sign,
                       double velocity[3]);

/* Do both bodies of a contact move as one, with velocities within tol (m/s) of
 * each other, and spins that make no more of it over `length` (m)? */
bool contact_moves_as_one(const struct rt *run,
                          const imp_contact *image_contact, double length,
                          double tol);

/* Copies the state of both bodies of a contact to state (at most
 * 2 * IMP_STATE_SPACE entries) and returns the size of the copy in bytes. Two
 * equal copies at one time ask for the same closest points. */
size_t contact_bodies_state(const struct rt *run,
                            const imp_contact *image_contact, double *state);
/* To be called before a tape of this contact is executed: where alike contacts
 * share it, this puts centres and states of its bodies where the tape reads
 * them (IMP_CONTACTF_ALIKE). */
void contact_bodies_enter(struct rt *run, const imp_contact *image_contact);
/* The work arrays in which the series of the motion of both bodies stand; NULL
 * for a body that no block moves. The arrays belong to the run. */
void contact_bodies_rows(const struct rt *run, const imp_contact *image_contact,
                         const double *rows[2]);
/* The work array of the event tape of a contact (run->rows.contact), which is
 * made when it is first asked for. */
double *contact_work(struct rt *run, uint32_t contact);
/* The coefficients of output i of a series tape whose work array is work. */
const double *tape_output_row(const struct rt *run, uint32_t tape,
                              const double *work, uint32_t i);

#endif
