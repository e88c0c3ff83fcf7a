/* SPDX-License-Identifier: MIT */
/* The flights between the impacts at a contact: their count, and the error that
 * ends a run whose impacts accumulate without a limit that was found. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"

/* Impacts that come to no limit (accumulation.c) end the run when a flight is
 * this much shorter than the one with which the decrease began, at a ratio that
 * is constant to this share. */
#define CHATTER_SHORTEST 1e-9
#define CHATTER_STEADY 0.05
/* but for flights below rounding, not before so many */
#define CHATTER_LOST 64

int
simulate_report_endless(struct simulation *sim, uint32_t contact, double ratio)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(ratio < 1.0);
    const struct flight_history *flights = &sim->contacts[contact].flights;
    char ratio_text[NUM_TEXT], time_text[NUM_TEXT], end_text[NUM_TEXT];
    double end = flights->last + flights->flight[0] * ratio / (1.0 - ratio);
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0712, rt_contact(sim->run, contact)->range,
        "chatter at `%s`: after %ld impacts the flights "
        "shrink by a ratio of %s each",
        simulate_contact_name(sim, contact), flights->impacts,
        num_digits(ratio_text, ratio, 6));
    diag_note(sim->analysis->ds, diag, sim->command->range,
              "the impacts pile up at t = %s s; the run has come to %s s",
              num_digits(end_text, end, 9),
              num_digits(time_text, rt_time(sim->run), 9));
    diag_help(sim->analysis->ds, diag,
              "motion beyond it is not available in this build: use an `until` "
              "before that time");
    return IMP_FAILED;
}

bool
flight_history_is_geometric(const struct flight_history *flights, double *ratio)
{
    assert(flights != NULL && ratio != NULL);
    if (flights->n_known < 3 || !(flights->flight[0] < flights->flight[1] &&
                                  flights->flight[1] < flights->flight[2]))
        return false;
    *ratio = flights->flight[0] / flights->flight[1];
    return fabs(*ratio - flights->flight[1] / flights->flight[2]) <=
           CHATTER_STEADY * *ratio;
}

int
simulate_count_impact(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct flight_history *flights = &sim->contacts[contact].flights;
    double t = rt_time(sim->run), flight = t - flights->last;
    flights->last = t;
    sim->impacts++;
    if (flights->impacts++ == 0) {
        flights->n_known = 0;
        flights->flight[0] = flight;
        flights->meet = -INFINITY;
        flights->off = INFINITY;
        flights->far = INFINITY;
        flights->group = flights->some = 0;
        flights->flat = 0.0;
        return IMP_OK;
    }
    flights->flight[3] = flights->flight[2];
    flights->flight[2] = flights->flight[1];
    flights->flight[1] = flights->flight[0];
    flights->flight[0] = flight;
    if (flights->n_known == 0 || flight >= flights->flight[1])
        flights->first = flight;
    flights->n_known++;
    double ratio;
    if (!flight_history_is_geometric(flights, &ratio) ||
        flight >= CHATTER_SHORTEST * flights->first)
        return IMP_OK;
    /* Flights that the rounding of the gap hides are no motion to be followed:
     * accumulation.c takes them to rest where it can. */
    flights->lost |= simulate_short_flight(sim, contact);
    return flights->lost && flights->n_known <= CHATTER_LOST
               ? IMP_OK
               : simulate_report_endless(sim, contact, ratio);
}
