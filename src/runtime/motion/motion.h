/* SPDX-License-Identifier: MIT */
/* Motion by Taylor series: one step of a block, dense output, and moving the
 * whole run to a given time. The length of a step follows from the decay of
 * the coefficients, each state variable measured by its own size (Jorba and
 * Zou 2005). Sums of the state are compensated. */
#ifndef IMP_RUNTIME_MOTION_MOTION_H
#define IMP_RUNTIME_MOTION_MOTION_H

#include "runtime/instance/run.h"
#include "runtime/numerics/taylor.h"

#define MOTION_STEP_ORDER 20
/* The order of steps within which no event of bodies is looked for: there the
 * longer steps of a higher order pay. */
#define MOTION_ORDER IMP_ORDER_MAX
/* The order of series of bodies that events stop soon, where the motion is one
 * of motion_by_weight: their terms cost a tenth of those of order
 * MOTION_STEP_ORDER, and hold to rounding for about 1/20 of a radian. It is
 * even, as motion_advance_by asks. */
#define MOTION_FEW_TERMS 8

/* Variables of a block that run into a singularity, at the time where its
 * series ends (run->singular), in the run's arena. */
struct singular_variable {
    uint32_t env;
    struct singularity is;
};
struct run_singular {
    double time;
    struct singular_variable *v;
    uint32_t n;
};

/* What steps need to know of the image, for run->motion. Memory: run->own. */
struct motion_plan *motion_plan_new(struct rt *run);
/* Makes the series of a block to this order at the present instant, into
 * run->work[block]. IMP_OK; IMP_NONFINITE, which is not told yet; IMP_FAILED
 * after a diagnostic; or the status of a tape. */
int motion_rows(struct rt *run, uint32_t block, int order);
/* The series of one block at the present time, into run->rows.block[block].
 * *step: the time (s) for which it holds to rounding; infinite if the series is
 * the motion itself, and of systems, whose flows look by themselves. IMP_OK,
 * IMP_FAILED after a diagnostic, or the status of a tape. */
int motion_series(struct rt *run, uint32_t block, int order, double *step);
/* After motion_series, whose step the clock does not see: does a rate of the
 * block grow without bound, in so short a time? Then IMP_FAILED after E0602,
 * and run->singular tells how; else IMP_OK. */
int motion_blows_up(struct rt *run, uint32_t block);
/* After motion_series: for how long (s) its rows may be followed if they are
 * only the parabola of the accelerations, because there is no series here
 * (switching.h); else infinite. */
double motion_parabola(const struct rt *run, uint32_t block);
/* Replaces the rows of a block by that parabola. IMP_NONFINITE if it leads
 * nowhere; then the rows are lost. */
int motion_series_parabola(struct rt *run, uint32_t block, int order);
/* A run begins, which ends at this time (s); short pieces that led nowhere in
 * one before are forgotten. Where the motion begins at rest and a force
 * grows like a power of the speed, that tells what the clock does not; 0: it is
 * not known. */
void motion_horizon(struct rt *run, double until);
/* Does nothing move but rigid bodies under their weight and the forces of
 * contacts? Then two coefficients in a row are 0 only where all that follow
 * are, and series of a low order tell for how long they hold. Forces that users
 * state may begin with any power. */
bool motion_by_weight(const struct rt *run);
/* Does that hold of all contacts of bodies (motion_series_of)? */
bool motion_touches_two(const struct rt *run);
/* Are the accelerations of this block constant, as its tape says, while none of
 * its contacts is closed? Its rows are parabolas then. */
bool motion_by_parabolas(const struct rt *run, uint32_t block);
/* Reports that the series holds for no time at all, because the motion is
 * singular (E0603). IMP_FAILED. */
int motion_stuck(struct rt *run);
/* From now on series of all blocks, steps along them and searches for changes
 * of what is held are those of these blocks alone (per block); NULL: of all
 * again. All bodies of one group belong to it or none. */
void motion_only(struct rt *run, const bool *block);
/* Makes the series of all blocks; *step is the least of their times. */
int motion_series_all(struct rt *run, int order, double *step);
/* From now on, until this is called with false, motion_series_all makes nothing
 * again that mode_change_next has made at the same state: what holds until the
 * change that it has found holds for the search for events before that. */
void motion_stands(struct rt *run, bool stands);
/* Does the same to a higher order than the last call, since when neither the
 * state nor what is held has changed. */
int motion_series_more(struct rt *run, int order, double *step);
/* The poses of two bodies and their rates as series of order 1, which no force
 * changes; rows of velocities are not to be read. Status as of motion_series.
 */
int motion_poses_two(struct rt *run, const uint32_t body[2]);
/* Does the same for the blocks of two bodies alone (IMP_WORLD: none). */
int motion_series_two(struct rt *run, const uint32_t body[2], int order,
                      double *step);
/* Makes the series of the bodies of a contact at least: of these alone where
 * nothing holds them and its gap follows from them, else of all. */
int motion_series_of(struct rt *run, uint32_t contact, int order, double *step);
/* Moves the state of all blocks by dt along the series made last (of order
 * MOTION_STEP_ORDER), and sets the time to exactly t. Sums are compensated,
 * quaternions normalised, joints and closed contacts projected. */
void motion_advance(struct rt *run, double dt, double t);
/* Does the same for series of another order. */
void motion_advance_by(struct rt *run, int order, double dt, double t);
/* Only reads the state off these series: nothing is projected or kept in a
 * trace, and the series stay. The work of friction goes on, too. */
void motion_look(struct rt *run, int order, double dt, double t);
/* Before a step along the series made last, of this order, to the time `to`:
 * keeps the states that run->looks asks for before that. */
void motion_looks(struct rt *run, int order, double to);
/* Projects what closed contacts hold at a state that has been looked at, where
 * formulas have branches: one that jumps at speed 0 would take rounding for a
 * speed. The series are spent. */
void motion_look_settled(struct rt *run);
/* Moves the state of a block by dt along its rows; neither the time nor
 * anything else changes. */
void motion_advance_block(struct rt *run, uint32_t block, int order, double dt);
/* How the state of one body of the plane moves: entries of the state along
 * c[0] s, or c[0] s + c[1] s^2. The others stay. */
struct motion_short {
    uint32_t n;
    struct {
        uint32_t entry;
        bool line;
        double c[2];
    } term[IMP_STATE_PLANE];
};
/* Reads it off the rows of a block, made to this order. False: its motion is
 * longer, or it has more than one body. */
bool motion_short_of(const struct rt *run, uint32_t block, int order,
                     struct motion_short *out);
/* motion_advance_block for such a motion, to the last bit. */
void motion_short_go(const struct motion_short *motion, double dt,
                     double *state, double *state_lo);
/* After motion_series_two: moves two bodies by dt and sets the time to t. Only
 * of bodies on which no others act, and which nothing holds. */
void motion_advance_two(struct rt *run, const uint32_t body[2], int order,
                        double dt, double t);
/* After that, in runs of motion_by_weight: puts the same polynomials about the
 * present time in place of the series of the poses and rates of both bodies,
 * also of those that others hold. motion_ahead_end puts the series back. */
void motion_ahead_two(struct rt *run, const uint32_t body[2], int order,
                      double dt);
void motion_ahead_end(struct rt *run, const uint32_t body[2]);
/* Moves the run from the present time to the time `until`, forward or backward,
 * without looking for events. IMP_STOPPED, or IMP_FAILED after a diagnostic. */
int motion_to(struct rt *run, double until);
/* Writes the state of bodies whose pose is a formula of time, at the present
 * time. */
void motion_prescribed(struct rt *run);
/* After motion_series_all: after how long the ground below closed contacts
 * changes its branch (s); infinite if it does not. */
double motion_ground_step(const struct rt *run);
/* A step that ends at this time or later leaves the rates of closed gaps as
 * they are (infinite: none does). */
void motion_ground_at(struct rt *run, double time);
/* Keeps in mind that the change comes at this time to rounding, where it may be
 * seen or be past already; NAN: it is dealt with. */
void motion_ground_due(struct rt *run, double time);
bool motion_ground_is_due(const struct rt *run);
/* kinetic and potential energy (J), momentum (N s), and angular momentum about
 * the origin (N m s) of the whole model */
struct motion_totals {
    double kinetic, potential, momentum[3], angular[3];
};
int motion_totals(struct rt *run, struct motion_totals *out);

#endif
