/* SPDX-License-Identifier: MIT */
/* A system in generalised coordinates at one instant: its series, with the
 * forces of closed contacts, its mass matrix, its gaps and their gradients. */
#ifndef IMP_RUNTIME_INSTANCE_SYSTEM_H
#define IMP_RUNTIME_INSTANCE_SYSTEM_H

#include "runtime/instance/run.h"

struct system_run; /* per system; run->system */

/* Makes the memory, in run->own. */
struct system_run *system_new(struct rt *run);
static inline const imp_system *
rt_system(const struct rt *run, uint32_t s)
{
    return IMP_ARRAY(run->im, run->im->systems, imp_system) + s;
}
/* The system that a block belongs to (a block of observers, too);
 * IMP_NO_SYSTEM for blocks of bodies. */
uint32_t system_of_block(const struct rt *run, uint32_t block);
/* Are contacts closed (IMP_CONTACT_ACTIVE in env)? */
bool system_slides(const struct rt *run, uint32_t system);
/* Is contact i of it closed, or does it yield to a force? */
bool system_holds(const struct rt *run, uint32_t system, uint32_t i);
/* Series of the motion with closed contacts at the present state, into the
 * rows of the system's block. Returns IMP_OK, or a status: IMP_FAILED after a
 * diagnostic, IMP_NONFINITE without one. */
int system_series(struct rt *run, uint32_t system, int order);
/* The same where the rates that `rests` marks, of the 2n variables of the
 * state, are 0 as series. left: rows of the variables: what their coefficients
 * would be. */
int system_series_resting(struct rt *run, uint32_t system, int order,
                          const bool *rests, double *left);
/* system_rest.c: after system_series, which found no finite series, the series
 * where rates that contacts hold at 0 are that as series, too; they become 0.
 * high: the order up to which it is asked whether they do, at least `order`.
 * IMP_NONFINITE: none rests, or there is still none. */
int system_series_at_rest(struct rt *run, uint32_t system, int order, int high);
/* Makes the diagnostic of a system_series that returned IMP_NONFINITE, at the
 * state and the order of that call. */
void system_series_nonfinite(struct rt *run, uint32_t system, int order);
/* Series with relays that are made from now on come into other rows; called
 * again, it brings those back that stood before. */
void system_relays_aside(const struct rt *run, uint32_t system);
/* After system_series: sets the coefficients of these orders to 0 in the series
 * of the forces. */
void system_series_cut(struct rt *run, uint32_t system, int from, int to);
/* How many rows the forces of its contacts have, and those of friction: its
 * force, its slip, and its cones, of each contact in turn (system_rub_row). */
uint32_t system_n_forces(const struct rt *run, uint32_t system);
/* Their values, after system_series of any order. */
void system_forces(const struct rt *run, uint32_t system, double *out);
/* After system_series_cut: makes them parabolas from what they are now through
 * these values half a step and a step later. */
void system_forces_through(struct rt *run, uint32_t system, double step,
                           const double *halfway, const double *end);
/* Is that row a slip? */
bool system_force_is_slip(const struct rt *run, uint32_t system, uint32_t row);
/* Clears the rows that system_series wrote. Call it before the block's own
 * tape, which does not write what is always 0. */
void system_unslide(struct rt *run, uint32_t system);
/* What observers feel: the series of coordinates, rates and accelerations, n
 * rows each. Who follows the motion writes the first 2n of them about the
 * present time and calls system_felt_rates, or system_feel, which takes the
 * rows that the system's block has. Tapes of observers read them as this source
 * of their rows. */
#define SYSTEM_FELT_SOURCE 1
static inline size_t
system_felt_size(const imp_system *system)
{
    return 3 * (size_t)system->n * IMP_ROW_STRIDE;
}
double *system_felt(const struct rt *run, uint32_t system);
/* No formula of the observers reads a row from this number on. 0: they feel the
 * impacts alone, and none need be written. */
uint32_t system_n_felt(const struct rt *run, uint32_t system);
/* The same rows for a block of observers; NULL for other blocks. */
const double *system_felt_by(const struct rt *run, uint32_t block);
void system_felt_rates(struct rt *run, uint32_t system, int order);
void system_feel(struct rt *run, uint32_t system, int order);
/* Series of the variables of observers along what they feel, into the rows of
 * their block. Returns IMP_OK or IMP_NONFINITE; the diagnostic of the latter.
 */
int system_observed(struct rt *run, uint32_t system, int order);
void system_observed_nonfinite(struct rt *run, uint32_t system, int order);
/* The series of the force at contact i of the system, after system_series. */
const double *system_force(const struct rt *run, uint32_t system, uint32_t i);
/* The same for contact number k of those with friction. */
enum system_rub_row {
    SYSTEM_RUB_FRICTION,   /* the force along the slip */
    SYSTEM_RUB_SLIP,       /* the slip velocity */
    SYSTEM_RUB_CONE_MINUS, /* static mu times the normal force, minus friction
                            */
    SYSTEM_RUB_CONE_PLUS   /* the same, plus friction */
};
const double *system_rub(const struct rt *run, uint32_t system, uint32_t k,
                         enum system_rub_row which);
/* The series of the force that compliant contact k (of those that have a
 * compliance) has by its law, while it is CONTACT_PRESSED. */
const double *system_pressed_row(const struct rt *run, uint32_t system,
                                 uint32_t k);
/* What contact k of those that remember does (imp_system.n_memory): two rows of
 * IMP_ROW_STRIDE, its impulse and that of its compression. */
const double *system_memory_row(const struct rt *run, uint32_t system,
                                uint32_t k);
/* All of these rows, for the guards of a block (IMP_SYSTEM_MEMORY); NULL for
 * blocks without them. */
const double *system_memory_by(const struct rt *run, uint32_t block);
/* Relays (abi/relays.h) of the system's block beside closed contacts: has it
 * tapes for these? */
bool system_relays_fit(const struct rt *run, uint32_t system);
/* From here on they take part where contacts are closed: per relay, is it held,
 * and its side. NULL: they do not. */
void system_relays_join(struct rt *run, uint32_t system, const bool *held,
                        const double *side);
/* While they take part, after system_series: the series of share i, or of u
 * behind all shares. */
const double *system_relays_row(const struct rt *run, uint32_t system,
                                uint32_t i);
/* The rates of all u beside the contacts that are closed, in their modes:
 * without shares, and what each share (columns) adds. Adds the sizes of the
 * terms that contacts have in the first to `terms`. lift: the side to which u
 * goes where the contacts open, 1 or -1, or 0. Status as of rt_eval. */
int system_relays_rates(struct rt *run, uint32_t system, const double *side,
                        double *rate, double *slope, double *terms,
                        double *lift);
/* The mass matrix, n x n by rows. */
int system_mass(struct rt *run, uint32_t system, double *mass);
/* The root of twice the kinetic energy of `count` rates, for a mass matrix that
 * is positive semidefinite: no square overflows. Not finite where a rate is
 * not. */
double system_energy_norm(const double *mass, const double *velocity,
                          uint32_t count);
/* The series of the gap of contact i, after the block's series to that order.
 * Where that has zeros behind a lower order, so has the gap if its own higher
 * orders are beyond a double. Status as of rt_eval. */
int system_gap_series(struct rt *run, uint32_t system, uint32_t i, int order,
                      double *series);
/* Gap, rate and gradient (n numbers, or NULL) of contact i of the system. */
int system_gap(struct rt *run, uint32_t system, uint32_t i, double *gap,
               double *rate, double *gradient);
/* The slip of contact i of the system, which states one: velocity, its
 * derivative without accelerations, coefficients of friction; its gradient with
 * respect to the rates (n numbers, or NULL). */
struct system_slip {
    double velocity, bias, mu, mu_static, mu_impact;
};
int system_slip(struct rt *run, uint32_t system, uint32_t i,
                struct system_slip *slip, double *gradient);

#endif
