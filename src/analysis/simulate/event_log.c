/* SPDX-License-Identifier: MIT */
/* The log of a run: its events in the order of time, and remarks on them. */
#include <assert.h>

#include "analysis/simulate/simulate_priv.h"
#include "base/arena.h"

const char *
simulate_contact_name(const struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    return imp_text(sim->run->im, rt_contact(sim->run, contact)->name);
}

void
simulate_remark(struct simulation *sim, const char *text)
{
    assert(sim != NULL && text != NULL);
    VEC_PUSH(&sim->log.remarks,
             arena_strdup(record_arena(sim->analysis), text));
}

void
simulate_log_event(struct simulation *sim, uint32_t contact, const char *kind,
                   const char *class, double impulse)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(kind != NULL && class != NULL);
    assert(sim->log.time.n == sim->log.kind.n);
    VEC_PUSH(&sim->log.time, rt_time(sim->run));
    VEC_PUSH(&sim->log.kind, kind);
    VEC_PUSH(&sim->log.class, class);
    VEC_PUSH(&sim->log.contact, simulate_contact_name(sim, contact));
    VEC_PUSH(&sim->log.number, contact);
    VEC_PUSH(&sim->log.impulse, impulse);
}
