/* SPDX-License-Identifier: MIT */
/* Persistent contacts of bodies: points at which bodies slide, roll or rest on
 * each other, without friction. Forces lambda along the normals keep the gaps
 * of these points at 0. They are found order by order, together with the Taylor
 * series of the motion, so that the search for events and records go on as in
 * free motion (motion.c asks here). Which points push is a complementarity
 * problem of the instant (modes/mode_select.h): its motion is unique, its
 * forces need not be.
 *
 * Points are held in groups: points that move the same bodies, or bodies of one
 * block. Groups do not feel each other.
 *
 * Invariant: between two calls the gap and its rate at every point that pushes
 * are 0 to rounding (persistent_project after each step). */
#ifndef IMP_RUNTIME_MOTION_PERSISTENT_H
#define IMP_RUNTIME_MOTION_PERSISTENT_H

#include "runtime/motion/contact_point.h"

struct persistent_held;

/* Splits `count` points into groups: the points of one group stand together, in
 * their order; those of group i end before end[i] (room for n). Returns how
 * many groups there are. */
int persistent_split(struct rt *run, struct contact_point *spot, int count,
                     int *end);
/* Applies impulses (N s) along the normals of the points of the last
 * contact_point_states (modes/mode_select.h). */
void persistent_apply_impulses(struct rt *run, const double *impulse);
/* The same for impulses that have acted earlier, along the rows of the last
 * look at points: moment: the sums of impulses times the time since (N s^2). */
void persistent_apply_timed(struct rt *run, const double *impulse,
                            const double *moment);
/* Moves velocities and positions onto these gaps (m) and rates (m/s) of n
 * points, NULL: 0, as an impact does that keeps all of them closed (what is
 * left of infinitely many impacts). The momenta of spins stay when poses are
 * moved. Points with friction that do not slip stay so; slips (n) says which
 * slip, NULL: those whose slip is more than rounding.
 */
int persistent_close(struct rt *run, const struct contact_point *spot, int n,
                     const double *gap, const double *rate, const bool *slips);
/* Takes the velocities from all bodies of the group of n points, if none of
 * them moves, and no surface turns about its body's place, faster than this
 * (m/s), and what else they touch stands still. True: one of them has moved.
 * Not where there are joints or rotors. */
bool persistent_rest(struct rt *run, const struct contact_point *spot, int n,
                     double speed);
/* Sets groups of marked blocks free; NULL: all groups. */
void persistent_release(struct rt *run, const bool *block);

/* What is held now on marked blocks, none of it with friction, in run->brief,
 * to hold it again after an attempt. */
struct persistent_held *persistent_held_now(struct rt *run, const bool *block);
/* Holds this and nothing else on these blocks; what is held elsewhere stays as
 * it is, with its modes. The state is not moved. Status of the tapes. */
int persistent_hold_again(struct rt *run, const struct persistent_held *held);

/* -- what is held now -- */
static inline bool
persistent_any(const struct rt *run)
{
    return run->persistent != NULL;
}
/* Is a point of this contact held? */
bool persistent_holds(const struct rt *run, uint32_t contact);
/* Is anything held of its bodies, or of bodies connected to them? */
bool persistent_near_held(const struct rt *run, uint32_t contact);
/* Marks the blocks of a contact's bodies, and of all that is held together with
 * marked ones. Returns true if the contact's blocks were not all marked. */
bool persistent_mark(const struct rt *run, uint32_t contact, bool *block);
/* Is a block of a contact's bodies marked? */
bool persistent_marked(const struct rt *run, uint32_t contact,
                       const bool *block);
/* Do forces of contacts act on bodies of this block? */
bool persistent_moves(const struct rt *run, uint32_t block);
/* Is this block one of those that motion_only lets move? */
bool motion_asks(const struct rt *run, uint32_t block);
/* Returns the number of points of all groups; persistent_point gives the i-th
 * with its force (N) at the instant of the last series. */
int persistent_count(const struct rt *run);
/* Are all of them points of polytopes? The gap of a smooth body may begin with
 * any power of the time. */
bool persistent_polytopes(const struct rt *run);
const struct contact_point *persistent_point(const struct rt *run, int i,
                                             bool *on, double *force);
/* The force at the i-th point (N) `ahead` seconds after the instant of the last
 * series, which were made to `order`: along the normal, and of friction on the
 * second body along the tangent, which is the normal turned by -90 degrees. */
void persistent_force(const struct rt *run, int i, int order, double ahead,
                      double force[2]);
/* Adds the coefficients from order 1 on of what the i-th point tells to those
 * of its contact (rows of enum imp_contact_row, from coefficient 0 on), after a
 * series of order `most` + 1 or more at the present state. The slip is that of
 * the first point with friction. False: the forces have none, at the limit of a
 * jam. */
bool persistent_told_series(const struct rt *run, int i, int most,
                            double *rows);
/* Gives the sizes of the accelerations that forces at the points give to bodies
 * of this block at the instant of the last series: of centres (m/s^2), of spins
 * (rad/s^2). */
void persistent_accelerations(const struct rt *run, uint32_t block,
                              double push[2]);
/* Is the friction of a point that is held a formula? */
bool persistent_varies(const struct rt *run);
/* States that are read ahead may be off by so many roundings of the sizes of
 * bodies: a gap is rounded as places are that lie some sizes from the origin.
 */
#define PERSISTENT_READ_ROUNDING 16.0
/* For how long (s) the state may be read off the last series without being
 * taken back onto what is held: the rounding of these accelerations moves
 * centres by no more than some roundings of the sizes of their bodies. */
double persistent_read_ahead(const struct rt *run);

/* The series of the motion to `order` < IMP_ORDER_MAX into
 * run->rows.block[block], of one block that is held or of all (UINT32_MAX).
 * Status of the tapes. */
int persistent_series(struct rt *run, int order, uint32_t block);
/* The series of order 1 of a block that is held: places and their rates are
 * those of the motion, rates of velocities need not be. Status of the tapes. */
int persistent_poses(struct rt *run, uint32_t block);
/* As persistent_series of all blocks; but what mode_change_next has made at
 * this state, which was the last that was asked of a group, stands, also if its
 * order is lower. *step: for how long (s) that holds. */
int persistent_series_standing(struct rt *run, int order, double *step);
/* The time (s) of a step over an instant at which forces of the block's group
 * grow without bound, as a flat point passes over a face; the series hold for
 * `step`. 0: there is none. */
double persistent_leap_time(const struct rt *run, uint32_t block, double step);
/* The motion of a block that is held under the forces of this instant alone,
 * where its series lead on by less than the clock can see, or where there are
 * none: at a power of a speed that comes to 0. *step: the time in which finite
 * forces change nothing beyond rounding. IMP_NONFINITE, and nothing is changed,
 * where that has led nowhere, or a branch changes. least: it is so long at
 * least (persistent_leap_time). */
int persistent_series_short(struct rt *run, uint32_t block, double least,
                            int order, double *step);
/* As persistent_series of all blocks, to a higher order than the last call,
 * since when neither the state nor what is held has changed: goes on from
 * there. */
int persistent_series_more(struct rt *run, int order);
/* For how long (s) the forces of the last series of a block that is held are
 * those of the motion, where they were found not to change. */
double persistent_series_hold(const struct rt *run, uint32_t block);
/* Adds the work of sliding friction over the next dt seconds, along the last
 * series of all groups, which were made to `order`, to that of each contact
 * (IMP_CONTACT_WORK), and the impulses of contacts that yield to what these
 * remember. */
void persistent_friction_work(struct rt *run, int order, double dt);
/* Moves poses and velocities of all groups onto their closed gaps. */
void persistent_project(struct rt *run);
/* How much energy (J) the motion has lost since this was last asked because
 * points that nearly depend on each other were kept closed, where that is more
 * than rounding, and a contact of them; else 0. */
double persistent_strained(struct rt *run, uint32_t *contact);

/* What series and searches remember of the last ones, of contacts that are
 * held, of closest points and of joints with friction, in run->brief; makes it
 * that again after series at other times. */
struct persistent_memory;
struct persistent_memory *persistent_remember(struct rt *run);
void persistent_recall(struct rt *run, const struct persistent_memory *memory);

#endif
