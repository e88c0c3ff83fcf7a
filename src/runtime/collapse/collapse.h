/* SPDX-License-Identifier: MIT */
/* Bodies that come together for ever: where the tolerance of gaps has decided
 * what they do behind that. */
#ifndef IMP_RUNTIME_COLLAPSE_COLLAPSE_H
#define IMP_RUNTIME_COLLAPSE_COLLAPSE_H

#include "runtime/accumulation/flight_history.h"
#include "runtime/instance/run.h"

struct collapse;

/* The memory is that of the run's arena. */
struct collapse *collapse_new(struct rt *run);
/* A touch begins at the present time. */
void collapse_begin(struct collapse *collapse);
/* A contact of it closes at this rate (m/s, negative), before the impact;
 * flights: those before this one. hit: it will be hit, and is not let through.
 */
void collapse_comes(struct collapse *collapse, uint32_t contact, double rate,
                    const struct flight_history *flights, bool hit);
/* Behind the impact of what came, for each contact that took part in it. */
void collapse_takes(struct collapse *collapse, uint32_t contact,
                    const struct flight_history *flights);
/* Forgets what rests by now: settled(ctx, contact) says whether a contact does,
 * or a limit has ended its flights. Of what has parted, or all if the run is
 * over, returns true for the first one, once a run: its contact and when that
 * was (s). */
bool collapse_look(struct collapse *collapse, bool over,
                   bool (*settled)(const void *ctx, uint32_t contact),
                   const void *ctx, uint32_t *contact, double *time);

#endif
