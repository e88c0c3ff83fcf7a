/* SPDX-License-Identifier: MIT */
/* Relays (abi/relays.h): forces that jump where a rate u changes its sign. A
 * relay that both sides drive back to u = 0 is held there: its share, in
 * [-1, 1], is what keeps u. Where that comes to an end of its range, u leaves
 * to that side. */
#ifndef IMP_RUNTIME_RELAYS_RELAYS_H
#define IMP_RUNTIME_RELAYS_RELAYS_H

#include "runtime/instance/run.h"

struct relays; /* per block with relays; run->relays */

/* Makes the memory of all blocks; NULL: none has relays. */
struct relays **relays_new(struct rt *run);
/* Forgets what the motion before has left. */
void relays_reset(struct rt *run);
/* Does a relay of the block hold, or lead off from its change, so that the
 * motion goes by relays_series? */
bool relays_act(const struct rt *run, uint32_t block);
/* Does a relay of the block hold a rate, or take part of what does? What loads
 * change by shows in no velocity there. */
bool relays_holding(const struct rt *run, uint32_t block);
/* Does a force along a velocity lead off from rest, so that the series are not
 * those of the rates at their ends, where that velocity is rounding? They are
 * checked by relays_end. */
bool relays_leave(const struct rt *run, uint32_t block);
/* Beside closed contacts, whose forces are found order by order, the shares of
 * such forces are found so, too. After series to order 1 with constant shares:
 * begins, and tells whether there are any. Then, for k = 1, 2, ..., with all
 * forces of order k, but for that share: sets its coefficient k. At the end the
 * shares are constant again. */
bool relays_leave_begin(struct rt *run, uint32_t block);
void relays_leave_next(struct rt *run, uint32_t block, int k);
void relays_leave_done(struct rt *run, uint32_t block);
/* Chooses, at the present state, which relays are held. least: the least step
 * that the clock can see. change (one number per
 * state variable of the block): what takes their u to 0; NULL: nobody asks.
 * Status as of rt_eval; what is not finite is left to the series. */
int relays_settle(struct rt *run, uint32_t block, double least, double *change);
/* Closed contacts of the bodies of a block. series: makes the series of the
 * block to order 1, with the shares that relays have. lift (per state variable
 * of the block): what unit forces of all points that push, made by the last
 * series, do to it. slips: would a contact that sticks there have to slip?
 * forces: returns how many contacts are closed; out (or NULL): their normal
 * forces (N), by the last series, each that of all its points. */
struct relay_contacts {
    int (*series)(struct rt *run, uint32_t block);
    void (*lift)(const struct rt *run, uint32_t block, double *to);
    bool (*slips)(const struct rt *run, uint32_t block);
    uint32_t (*forces)(const struct rt *run, uint32_t block, double *out);
};
/* After relays_settle, where a piece of the motion begins: where u is 0, a
 * force that jumps the other way leads off to both sides if the rate without it
 * is less than its jump, and rest is but one of three motions; so, too, where a
 * contact holds it which that force would let slip, or would lift off. Tells
 * that once (W0771).
 * contacts: NULL for a system, and bodies without closed contacts. */
void relays_tell_open(struct rt *run, uint32_t block, double least,
                      const struct relay_contacts *contacts);
/* The same of a block of bodies, whose state is corrected. contacts: NULL where
 * none is closed. */
int relays_settle_bodies(struct rt *run, uint32_t block, double least,
                         const struct relay_contacts *contacts);
/* Lets go what is not at rest any more, as after an impact. Until relays_rise,
 * relays at rest push with nothing, so that contacts may be chosen: what these
 * do not hold is left to relays. */
void relays_rest(struct rt *run, uint32_t block, double least);
/* The same where forces along a velocity have no value at the rest that
 * contacts have brought about just now; does relays_driven make the series
 * then? */
bool relays_lie(struct rt *run, uint32_t block, double least);
void relays_rise(struct rt *run, uint32_t block);
/* Adds what relays that are held answer to a change of velocities of the bodies
 * of the block (per body of the model 6 numbers). */
void relays_response(const struct rt *run, uint32_t block, double *change);
/* Adds how relays that are held accelerate them, by this order of the series
 * of their shares that were made last. */
void relays_pushes(const struct rt *run, uint32_t block, int order,
                   double *change);
/* Until relays_thaw, each relay pushes with the constant share that it has
 * beside the contacts that are closed, so that these may be chosen anew. */
void relays_freeze(struct rt *run, uint32_t block);
void relays_thaw(struct rt *run, uint32_t block);
/* The series of the state of the block, into its rows. */
int relays_series(struct rt *run, uint32_t block, int order);
/* The same with what closed contacts add (as imp_block.driven), from
 * coefficient `from` on, not into the rows of the block, which relays_rows
 * does. */
int relays_driven(struct rt *run, uint32_t block, const double *push, int from,
                  int order);
void relays_rows(const struct rt *run, uint32_t block, double *rows);
/* relays_driven from coefficient 0 on, with variables that rest
 * (runtime/tape/eval.h). */
struct series_rest;
int relays_driven_resting(struct rt *run, uint32_t block, const double *push,
                          int order, const struct series_rest *rest);
/* The rows, of *n_rows of the tape that closed contacts drive (that of the
 * relays where these act), in which the variables of the block stand. */
const uint32_t *relays_driven_rows(const struct rt *run, uint32_t block,
                                   uint32_t *n_rows);
/* Along a parabola of the motion shares and rates u are straight lines: their
 * coefficients from `from`, at least 2, to `order`, left from series of higher
 * orders or infinite, become 0. */
void relays_cut(const struct rt *run, uint32_t block, int from, int order);
/* Series that are made from now on come into other rows; called again, it
 * brings those back that stood before. */
void relays_lay_aside(const struct rt *run, uint32_t block);
void relays_series_nonfinite(struct rt *run, uint32_t block, int order);
/* relays_settle and relays_tell_open of a block of observers, whose values, in
 * env too, and their low parts these are. Nothing where it has no relays. */
int relays_settle_observers(struct rt *run, uint32_t block, double least,
                            double *x, double *lo);
/* Of observers, which begin again where they began: keeps how their relays
 * stand, and goes back to that. */
void relays_keep(const struct rt *run, uint32_t block);
void relays_back(const struct rt *run, uint32_t block);
/* Clears what relays_series has written, before the block's own tape. */
void relays_unslide(struct rt *run, uint32_t block);
/* Is the guard that of a relay? Of one that acts, so that it ends no step? */
bool relays_has(const struct rt *run, uint32_t block, int guard);
bool relays_minds(const struct rt *run, uint32_t block, int guard);
/* After the series of the state: shortens a step to where a
 * relay that is held gives way, or one that leads off comes back. False: that
 * is now; relays_settle is to be called again. */
bool relays_end(struct rt *run, uint32_t block, int order, double *step);
/* After how long that is, at most `span`, by the series that were made last,
 * and nothing is noted of it; INFINITY: it is not. */
double relays_next(struct rt *run, uint32_t block, int order, double span);
/* The time that relays_end has told last. */
double relays_end_time(const struct rt *run, uint32_t block);

#endif
